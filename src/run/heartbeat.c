#include "run/heartbeat.h"

#include "base/array.h"

#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

struct sn_heartbeat {
    int descriptor;
    double seconds;
    pthread_t thread;
    pthread_mutex_t mutex; /* of what follows */
    pthread_cond_t changed;
    bool ends;
};

static struct timespec later(double seconds)
{
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    int64_t nanoseconds = at.tv_nsec + (int64_t)(1e9 * seconds);
    at.tv_sec += (time_t)(nanoseconds / 1000000000);
    at.tv_nsec = (long)(nanoseconds % 1000000000);
    return at;
}

static void *beat_on(void *context)
{
    sn_heartbeat *b = context;
    pthread_mutex_lock(&b->mutex);
    while (!b->ends) {
        struct timespec at = later(b->seconds);
        pthread_cond_timedwait(&b->changed, &b->mutex, &at);
        futimens(b->descriptor, NULL); /* a disk that fails is found by who writes to it */
    }
    pthread_mutex_unlock(&b->mutex);
    return NULL;
}

/* Signals are for the other threads. */
static int start_thread(sn_heartbeat *b)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&b->thread, NULL, beat_on, b);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

static void forget(sn_heartbeat *b)
{
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->mutex);
    sn_free(b);
}

sn_heartbeat *sn_heartbeat_start(int descriptor, double seconds)
{
    sn_heartbeat *b = SN_NEW(sn_heartbeat, 1);
    *b = (sn_heartbeat){.descriptor = descriptor, .seconds = seconds};
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->changed, NULL);
    if (start_thread(b) == 0)
        return b;
    forget(b);
    return NULL;
}

void sn_heartbeat_stop(sn_heartbeat *b)
{
    if (!b)
        return;
    pthread_mutex_lock(&b->mutex);
    b->ends = true;
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->mutex);
    pthread_join(b->thread, NULL);
    forget(b);
}
