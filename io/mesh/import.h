/* Meshes and skeletons through Assimp, in a process of its own.
 *
 * Assimp reads some forty formats, and believes what stands in a file: a few bytes can make it take
 * all memory, turn for ever, or overflow the stack. Forty checks before it would be forty parsers.
 * So the program starts itself again (/proc/self/exe), without MPI and with limits on memory, stack
 * and time, and what it read comes back through a pipe:
 *
 *     rank 0:  sn_mesh_read_assimp,
 *              sn_rig_read          --spawn-->  main: sn_import_asked, sn_import_serve
 *              checks and builds    <--pipe---  limits itself, aiImportFile, all nodes' meshes
 *
 * Whatever happens there, the run has a message, and what arrives is checked as any file is.
 * The child is started by posix_spawn, which on Linux neither copies nor write-protects pages of
 * the parent (as fork does): memory that a network card knows by its address stays where it is. */
#ifndef SN_IO_MESH_IMPORT_H
#define SN_IO_MESH_IMPORT_H

#include <stdbool.h>

/* First in main, before MPI is started: was this process started to read a file? */
bool sn_import_asked(int argc, char **argv);

/* Reads it, writes it to standard output, and ends the process. */
_Noreturn void sn_import_serve(char **argv);

#endif
