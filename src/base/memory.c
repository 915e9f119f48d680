#include "base/memory.h"

#include <malloc.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

static const double MEGABYTE = 1e6;

/* Blocks from this size on are mapped one by one. The free end of the heap may be larger, so that
 * what a step makes and frees again and again does not cost page faults. */
enum { LARGE_BLOCK = 2 << 20, HEAP_END = 8 << 20 };

void sn_process_return_large_blocks(void)
{
    mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
    mallopt(M_TRIM_THRESHOLD, HEAP_END);
}

size_t sn_process_peak(void)
{
    size_t kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    if (status) {
        char line[256];
        while (fgets(line, sizeof line, status))
            if (sscanf(line, "VmHWM: %zu kB", &kilobytes) == 1)
                break;
        fclose(status);
    }
    struct rusage usage;
    if (kilobytes == 0 && getrusage(RUSAGE_SELF, &usage) == 0)
        kilobytes = (size_t)usage.ru_maxrss;
    return kilobytes * 1024;
}

void sn_process_return_holes(void)
{
    malloc_trim(0);
}

void sn_process_reset_peak(void)
{
    sn_process_return_holes();
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file)
        return;
    fputs("5\n", file); /* see proc(5): the peak becomes what is held now */
    fclose(file);
}

sn_process_peaks sn_process_peaks_of(MPI_Comm comm)
{
    int size;
    MPI_Comm_size(comm, &size);
    double mine = (double)sn_process_peak();
    sn_process_peaks peaks;
    MPI_Allreduce(&mine, &peaks.least, 1, MPI_DOUBLE, MPI_MIN, comm);
    MPI_Allreduce(&mine, &peaks.average, 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Allreduce(&mine, &peaks.most, 1, MPI_DOUBLE, MPI_MAX, comm);
    peaks.average /= size;
    return peaks;
}

void sn_process_peaks_write_csv(MPI_Comm comm, FILE *out)
{
    sn_process_peaks p = sn_process_peaks_of(comm);
    if (out)
        fprintf(out, "memory/peak MB,1,%.6f,%.6f,%.6f,%.3f\n", p.least / MEGABYTE,
                p.average / MEGABYTE, p.most / MEGABYTE, p.average > 0 ? p.most / p.average : 1);
}

double sn_machine_memory(MPI_Comm comm)
{
    MPI_Comm machine;
    int rank;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &rank);
    MPI_Comm_free(&machine);
    int64_t bytes = rank == 0 ? (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) : 0;
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, comm);
    return (double)bytes;
}
