/* A skeleton in a row of bytes, and back. */
#include "io/motion/skeleton.h"

#include <string.h>

/* One walk over the skeleton does both: it fills the bytes, or is filled from them. */
typedef struct {
    bool packing;
    SN_VECTOR(char) bytes;
    size_t at;
} parcel;

static void pass(parcel *p, void *data, size_t bytes)
{
    if (bytes == 0)
        return;
    if (p->packing) {
        sn_reserve(&p->bytes, p->at + bytes);
        memcpy(p->bytes.data + p->at, data, bytes);
    } else {
        memcpy(data, p->bytes.data + p->at, bytes);
    }
    p->at += bytes;
}

static void pass_numbers(parcel *p, double **numbers, size_t n)
{
    bool given = *numbers != NULL;
    pass(p, &given, sizeof given);
    if (!p->packing)
        *numbers = given ? SN_NEW(double, n) : NULL;
    if (given)
        pass(p, *numbers, n * sizeof **numbers);
}

static void pass_name(parcel *p, char **name)
{
    size_t bytes = p->packing ? strlen(*name) + 1 : 0;
    pass(p, &bytes, sizeof bytes);
    if (!p->packing)
        *name = SN_NEW(char, bytes);
    pass(p, *name, bytes);
}

static void pass_joint(parcel *p, sn_joint *joint)
{
    pass_name(p, &joint->name);
    pass(p, &joint->parent, sizeof joint->parent);
    pass(p, &joint->is_end, sizeof joint->is_end);
    pass(p, &joint->rest, sizeof joint->rest);
    for (int k = 0; k < SN_N_TRACKS; k++) {
        sn_track *track = &joint->track[k];
        pass(p, &track->n, sizeof track->n);
        pass(p, &track->join, sizeof track->join);
        pass_numbers(p, &track->time, track->n);
        pass_numbers(p, &track->value, sn_track_numbers(track, k));
    }
}

static void pass_skeleton(parcel *p, sn_skeleton *skeleton)
{
    size_t n = skeleton->joints.count;
    pass(p, &skeleton->in_seconds, sizeof skeleton->in_seconds);
    pass(p, &skeleton->fps, sizeof skeleton->fps);
    pass(p, &skeleton->last, sizeof skeleton->last);
    pass(p, &n, sizeof n);
    if (!p->packing) {
        sn_reserve(&skeleton->joints, n);
        skeleton->joints.count = n;
    }
    for (size_t j = 0; j < n; j++)
        pass_joint(p, &skeleton->joints.data[j]);
}

/* In pieces that MPI can count. */
static void broadcast(MPI_Comm comm, char *data, size_t bytes)
{
    const size_t most = 1 << 30;
    for (size_t done = 0; done < bytes; done += most) {
        size_t piece = bytes - done < most ? bytes - done : most;
        MPI_Bcast(data + done, (int)piece, MPI_BYTE, 0, comm);
    }
}

void sn_skeleton_share(MPI_Comm comm, sn_skeleton *skeleton)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    parcel p = {.packing = rank == 0};
    if (rank == 0)
        pass_skeleton(&p, skeleton);
    uint64_t bytes = p.at;
    MPI_Bcast(&bytes, 1, MPI_UINT64_T, 0, comm);
    sn_reserve(&p.bytes, (size_t)bytes);
    broadcast(comm, p.bytes.data, (size_t)bytes);
    if (rank != 0) {
        *skeleton = (sn_skeleton){0};
        pass_skeleton(&p, skeleton);
    }
    sn_vector_free(&p.bytes);
}
