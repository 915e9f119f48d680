#include "base/threads.h"

#include <stdlib.h>

static const int64_t USUALLY_FROM = 16384;

bool sn_worth_threads(int64_t items)
{
    static int64_t from = -1;
    if (from < 0) {
        const char *given = getenv("SINEW_THREADS_FROM");
        from = given ? strtoll(given, NULL, 10) : USUALLY_FROM;
        from = from < 0 ? 0 : from;
    }
    return items >= from;
}
