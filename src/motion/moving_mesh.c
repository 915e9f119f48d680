#include "motion/moving_mesh.h"

#include "motion/axes.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static int rank_of(const sn_moving_mesh *m)
{
    int rank;
    MPI_Comm_rank(m->comm, &rank);
    return rank;
}

/* The file at a frame of the scene, counted from 0; it need not be whole. */
static double file_at(const sn_moving_mesh *m, double frame)
{
    double first = m->frames->first, own = sn_motion_frame(m->settings, m->frames, frame);
    double file = (own - first) * m->step;
    if (sn_is_lead_in(m->frames, frame)) {
        sn_lead_in way = sn_lead_in_at(m->frames, frame);
        double from = (sn_motion_frame(m->settings, m->frames, first) - first) * m->step;
        file = way.part * (from - way.ahead * m->settings->speed * m->step);
    }
    return fmin(fmax(file, 0), (double)(m->n_files - 1));
}

/* On rank 0. In the scene's axes and lengths. */
static sn_status read_file(const sn_moving_mesh *m, int64_t number, const sn_mesh *like,
                           sn_mesh *mesh)
{
    SN_TRY(sn_mesh_sequence_read(&m->sequence, m->sequence.first + number, like, mesh));
    for (int64_t v = 0; v < mesh->n_vertices; v++)
        sn_vec_store(sn_motion_axes_point(m->settings, sn_vec_load(mesh->vertex[v])),
                     mesh->vertex[v]);
    return SN_OK;
}

/* On rank 0. Reads all that will be asked for; keeps the first. */
static sn_status read_all(const sn_motion_source *source, sn_moving_mesh *m, sn_mesh *first)
{
    char pattern[PATH_MAX];
    SN_TRY(sn_origin_path(source->origin, m->settings->sequence, pattern, sizeof pattern));
    SN_TRY(sn_mesh_sequence_open(pattern, &m->sequence));
    m->n_files = m->sequence.last - m->sequence.first + 1;
    SN_TRY(read_file(m, 0, NULL, first));
    int64_t last = (int64_t)ceil(file_at(m, source->frames->last));
    for (int64_t number = 1; number <= last; number++) {
        sn_mesh mesh;
        SN_TRY(read_file(m, number, first, &mesh));
        sn_mesh_free(&mesh);
    }
    return SN_OK;
}

static void drop(sn_moving_mesh *m, int which)
{
    sn_mesh_free(&m->loaded[which].mesh);
    m->loaded[which].number = -1;
}

/* On rank 0: makes loaded[0] and loaded[1] the files `number` and the one after it, if `both`. */
static sn_status load_pair(sn_moving_mesh *m, int64_t number, bool both)
{
    if (m->loaded[1].number == number) { /* the usual step forward */
        drop(m, 0);
        m->loaded[0].number = number;
        m->loaded[0].mesh = m->loaded[1].mesh;
        m->loaded[1].mesh = (sn_mesh){0};
        m->loaded[1].number = -1;
    }
    for (int i = 0; i <= both; i++)
        if (m->loaded[i].number != number + i) {
            drop(m, i);
            SN_TRY(read_file(m, number + i, &m->shape.view, &m->loaded[i].mesh));
            m->loaded[i].number = number + i;
        }
    return SN_OK;
}

/* On rank 0, into the view. */
static void join(const sn_moving_mesh *m, double t)
{
    const sn_mesh *a = &m->loaded[0].mesh, *b = &m->loaded[1].mesh;
    for (int64_t v = 0; v < m->view.n_vertices; v++)
        for (int d = 0; d < 3; d++)
            m->view.vertex[v][d] =
                t > 0 ? a->vertex[v][d] + t * (b->vertex[v][d] - a->vertex[v][d]) : a->vertex[v][d];
}

sn_status sn_moving_mesh_pose(sn_moving_mesh *m, double frame)
{
    double file = file_at(m, frame), number = floor(file);
    if (file == m->shown)
        return SN_OK;
    sn_status status = SN_OK;
    if (rank_of(m) == 0)
        status = load_pair(m, (int64_t)number, file > number);
    SN_TRY(sn_agree(m->comm, status));
    sn_shared_block_fence(&m->place); /* nobody reads it any more */
    if (rank_of(m) == 0)
        join(m, file - number);
    sn_shared_block_broadcast(&m->place);
    m->shown = file;
    return SN_OK;
}

/* Collective: the view begins as the shape. */
static void open_view(sn_moving_mesh *m)
{
    m->view = m->shape.view;
    size_t bytes = (size_t)m->view.n_vertices * sizeof *m->view.vertex;
    m->view.vertex = sn_shared_block_create(m->comm, bytes, &m->place);
    if (m->place.is_leader && bytes > 0)
        memcpy(m->view.vertex, m->shape.view.vertex, bytes);
    sn_shared_block_fence(&m->place);
}

sn_status sn_moving_mesh_load(MPI_Comm comm, const sn_motion_source *source, const char *key_path,
                              const sn_motion *motion, sn_moving_mesh *m)
{
    *m = (sn_moving_mesh){.comm = comm,
                          .settings = motion,
                          .frames = source->frames,
                          .step = sn_motion_fps(source->frames, motion, NAN) / source->frames->fps,
                          .loaded = {{.number = -1}, {.number = -1}}};
    sn_mesh first = {0};
    sn_status status = sn_agree(comm, rank_of(m) == 0 ? read_all(source, m, &first) : SN_OK);
    if (status == SN_OK)
        status = sn_shared_mesh_create(comm, &first, &m->shape);
    if (status != SN_OK) {
        sn_mesh_free(&first);
        sn_mesh_sequence_free(&m->sequence);
        return sn_origin_blame(source->origin, sn_key_path("%.200s.sequence", key_path).text,
                               status);
    }
    MPI_Bcast(&m->n_files, 1, MPI_INT64_T, 0, comm);
    open_view(m);
    return SN_OK;
}

void sn_moving_mesh_free(sn_moving_mesh *m)
{
    sn_shared_block_free(&m->place);
    sn_shared_mesh_free(&m->shape);
    sn_mesh_sequence_free(&m->sequence);
    for (int i = 0; i < 2; i++)
        sn_mesh_free(&m->loaded[i].mesh);
    *m = (sn_moving_mesh){0};
}
