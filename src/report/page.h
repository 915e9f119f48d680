/* The parts of the report's page that are the same in all of them: the files of src/report/page,
 * which embed.cmake makes into strings when the program is built. */
#ifndef SN_REPORT_PAGE_H
#define SN_REPORT_PAGE_H

extern const char sn_page_style[], sn_page_body[], sn_page_script[];

#endif
