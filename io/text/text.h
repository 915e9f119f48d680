/* A cursor over the text of a file: words and numbers, line by line.
 *
 * It knows line ends (LF, CRLF, CR), counts lines for messages, and reads decimal numbers
 * fast and exactly. It never reads past the end, whatever the bytes are. */
#ifndef SN_IO_TEXT_TEXT_H
#define SN_IO_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *at, *end; /* *end must be readable and a zero byte */
    int64_t line;         /* from 1 */
    bool continues;       /* a backslash at the end of a line joins the next one to it */
} sn_text;

sn_text sn_text_open(const char *text, size_t bytes, bool continues);

/* Skips blanks inside the line; true if there is something left on it. */
bool sn_text_more_on_line(sn_text *text);

/* Skips blanks and line ends; true if there is something left at all. */
bool sn_text_more(sn_text *text);

/* Goes to the start of the next line. */
void sn_text_next_line(sn_text *text);

/* The same, but a backslash at the end of this line means nothing: for comments. */
void sn_text_next_line_of_file(sn_text *text);

/* The next word of the line; of length 0 at its end. */
typedef struct {
    const char *start;
    size_t length;
} sn_word;
sn_word sn_text_word(sn_text *text);
bool sn_word_is(sn_word word, const char *expected);
bool sn_word_is_nocase(sn_word word, const char *expected);

/* The next word of the line as a number; false if it is none, and the cursor stays. "nan" and
 * "inf" are numbers here: the caller has the better message for them. */
bool sn_text_number(sn_text *text, double *value);

/* Decimal digits with an optional sign, right at the cursor; what follows is left for the
 * caller. False if there are none, or more than fit. */
bool sn_text_digits(sn_text *text, int64_t *value);

/* True at a blank, the end of the line, or the end of the text. */
bool sn_text_at_word_end(const sn_text *text);

/* What stands at the cursor, cleaned for a message: at most some thirty printable characters. */
enum { SN_EXCERPT_BYTES = 32 };
typedef struct {
    char text[SN_EXCERPT_BYTES];
} sn_excerpt;
sn_excerpt sn_text_excerpt(const sn_text *text);
sn_excerpt sn_word_excerpt(sn_word word);

#endif
