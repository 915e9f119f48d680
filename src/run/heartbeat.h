/* Signs of life: a thread that touches an open file again and again, whatever the program does.
 *
 * Other hosts see the file's time, and steps may take longer than they would wait. */
#ifndef SN_RUN_HEARTBEAT_H
#define SN_RUN_HEARTBEAT_H

typedef struct sn_heartbeat sn_heartbeat;

/* Touches the file every so many seconds until it is stopped; NULL if there can be no thread. The
 * descriptor stays the caller's. */
sn_heartbeat *sn_heartbeat_start(int descriptor, double seconds);

/* Safe for NULL. */
void sn_heartbeat_stop(sn_heartbeat *beat);

#endif
