/* The ending of a file's name until it is whole. */
#ifndef SN_IO_PART_H
#define SN_IO_PART_H

#define SN_PART_ENDING ".part"

#endif
