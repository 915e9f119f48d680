/* Text that can be trusted: UTF-8, and only characters that can be shown.
 *
 * libfyaml takes some bad bytes for the end of the text, and names of a scene end up in
 * messages, logs and files: so both are looked through first. */
#ifndef SN_IO_TEXT_UTF8_H
#define SN_IO_TEXT_UTF8_H

#include <stddef.h>

/* How many bytes from the start are whole printable characters, or one of `also`: all of them
 * if the text is good. */
size_t sn_utf8_span(const char *text, size_t length, const char *also);

#endif
