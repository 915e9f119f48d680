/* Names for a message that says what there is: separated by commas, and after some "...". */
#ifndef SN_IO_TEXT_NAME_LIST_H
#define SN_IO_TEXT_NAME_LIST_H

enum { SN_NAME_LIST_BYTES = 320 };

typedef struct {
    char text[SN_NAME_LIST_BYTES];
} sn_name_list;

/* To a list that was zero at first. */
void sn_name_list_add(sn_name_list *list, const char *name);

#endif
