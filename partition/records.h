/* Records of a fixed size to the ranks that should have them: the one sparse exchange that
 * all building steps use. Nobody needs to know beforehand who will write to whom, and ranks
 * with nothing to say cost nothing but a barrier (the NBX handshake of Hoefler et al. 2010).
 * Where all ranks should have all records there is a gather for it. */
#ifndef SN_PARTITION_RECORDS_H
#define SN_PARTITION_RECORDS_H

#include <mpi.h>
#include <stddef.h>

typedef struct {
    void *data;    /* records, by source rank, in the order that rank gave them */
    size_t n;      /* how many */
    int sources;   /* ranks that sent something */
    int *source;   /* ascending */
    size_t *first; /* where each source's records start; sources + 1 entries */
} sn_inbox;

/* Collective. Record i goes to rank destination[i]; records for oneself are delivered too. */
sn_inbox sn_records_send(MPI_Comm comm, size_t record_bytes, const void *records,
                         const int *destination, size_t n);

/* Collective. Replies, one for each record that was received and in that order, go back to the
 * ranks that had sent these. */
sn_inbox sn_records_reply(MPI_Comm comm, const sn_inbox *received, size_t record_bytes,
                          const void *replies);

/* Collective. Records are questions: `answer` fills a reply for each that has arrived here, and
 * each rank has the replies to its own in the order of its records. */
typedef void sn_answer_function(void *context, const void *records, size_t n, void *replies);
typedef struct {
    size_t record_bytes, reply_bytes;
    sn_answer_function *answer;
    void *context;
} sn_question;
void sn_records_ask(MPI_Comm comm, const sn_question *question, const void *records,
                    const int *destination, size_t n, void *replies);

/* Collective. All ranks' records go to all ranks. Here every rank is a source, also of nothing:
 * rank r's records start at first[r]. For few records: each rank holds them all. */
sn_inbox sn_records_gather(MPI_Comm comm, size_t record_bytes, const void *records, size_t n);

void sn_inbox_free(sn_inbox *inbox);

/* Frees all but the records, which become the caller's. */
void *sn_inbox_take(sn_inbox *inbox, size_t *n);

#endif
