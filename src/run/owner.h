/* Who holds a run directory: a process of a host, as a text that people and other runs read.
 *
 * Knows when an owner is surely gone. Processes can be looked at from the machine that they are on,
 * which is the one with the same kernel since the same boot and the same numbers of processes. From
 * elsewhere there are two signs: a later turn of the owner's own Slurm job, which begins when the
 * turn before has ended, and silence, for an owner touches its file again and again. Silence means
 * nothing where the process itself can be seen: it may have been stopped, or a clock been set. */
#ifndef SN_RUN_OWNER_H
#define SN_RUN_OWNER_H

#include <stdbool.h>
#include <stdint.h>

/* Seconds. An owner that was not heard of for the second is gone: it has missed fifteen signs of
 * life, which outlasts caches of network file systems and a server that is started anew. */
#define SN_OWNER_BEATS_EVERY 20.0
#define SN_OWNER_SILENCE 300.0

enum { SN_OWNER_WORD_BYTES = 96, SN_OWNER_TOKEN_BYTES = 17, SN_OWNER_TEXT_BYTES = 1024 };

typedef struct {
    char host[SN_OWNER_WORD_BYTES];
    char machine[SN_OWNER_WORD_BYTES]; /* its boot, and its space of process numbers */
    long process;
    uint64_t started;                 /* of the process, in the machine's ticks */
    char job[SN_OWNER_WORD_BYTES];    /* Slurm's cluster and job, or "none" */
    int turn;                         /* of that job */
    char since[SN_OWNER_WORD_BYTES];  /* date and time */
    char token[SN_OWNER_TOKEN_BYTES]; /* at random: no two owners have one */
} sn_owner;

/* This process, now. */
sn_owner sn_owner_me(void);

typedef struct {
    char text[SN_OWNER_TEXT_BYTES];
} sn_owner_text;

sn_owner_text sn_owner_write(const sn_owner *owner);

/* False if the text is not of an owner. */
bool sn_owner_read(const char *text, sn_owner *owner);

/* As `me` can tell, if the owner was silent for so many seconds. */
bool sn_owner_is_gone(const sn_owner *owner, const sn_owner *me, double silence);

/* In words, for a message. */
sn_owner_text sn_owner_describe(const sn_owner *owner);

#endif
