/* What is written as JSON by several commands. */
#ifndef SN_CLI_JSON_H
#define SN_CLI_JSON_H

/* A text in quotes, to standard output. */
void sn_print_json_text(const char *text);

#endif
