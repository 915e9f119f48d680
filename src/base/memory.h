/* What the operating system counts for this process: all of it, libraries and shared memory
 * included, where array.h counts this program's own arrays. */
#ifndef SN_BASE_MEMORY_H
#define SN_BASE_MEMORY_H

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

/* The most bytes of memory that the process ever had, or since the last reset; 0 if the system does
 * not say. */
size_t sn_process_peak(void);

/* Gives back to the system what is free between blocks in use. */
void sn_process_return_holes(void);

/* Gives back what is free and starts to count again. Where the system refuses, the peak is that of
 * before. */
void sn_process_reset_peak(void);

/* To be called once, at the start. Large arrays that are freed go back to the system at once: else
 * small ones that are made after them leave holes too small for the next, and the peak grows by
 * what nobody uses. */
void sn_process_return_large_blocks(void);

/* Collective. Bytes of memory of all machines that the ranks are on, each counted once. */
double sn_machine_memory(MPI_Comm comm);

/* Over the ranks, in bytes. */
typedef struct {
    double least, average, most;
} sn_process_peaks;

/* Collective; on all ranks. */
sn_process_peaks sn_process_peaks_of(MPI_Comm comm);

/* Collective. Rank 0 adds a row to a table of timers: megabytes in the place of seconds. */
void sn_process_peaks_write_csv(MPI_Comm comm, FILE *out);

#endif
