/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Components of the pore space by union-find over x-runs of pore voxels.
 *
 * Runs are not stored: a plane of them is taken from the voxels whenever it is needed, so that only one
 * word per run stays. The voxels are seen through windows (planes.h). The first sweep joins runs inside the
 * box, each thread those of a slab, then where slabs meet; the smallest number of a set is its root, so that
 * threads do not matter. What it leaves, one record per component, is joined across periodic boundaries by a
 * second union-find whose records know by how many boxes they are shifted against their parent; a join inside
 * one tree that disagrees with these shifts closes a way around the box. How runs touch is runs.h's.
 */
#include "geometry/voxels/components.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "geometry/voxels/axes.h"
#include "geometry/voxels/exact_walls.h"
#include "geometry/voxels/runs.h"
#include "kernel/lattice.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* A component of the box cut at its faces, and a node of the second union-find. */
typedef struct {
    uint64_t voxels;
    uint32_t parent;
    int32_t shift[3]; /* boxes between the parent's place and this one's */
    uint8_t faces;    /* bit 2 a + s: reaches the low (s = 0) or high face of axis a */
    uint8_t winds;    /* bit a: holds a closed way around axis a */
    bool keep;
} component;

typedef struct {
    rill_geom *geom;
    rill_window window;
    unsigned contacts; /* of rill_contact */
    uint64_t *before;  /* [nz + 1], runs in the planes before */
    uint32_t *label;   /* [runs], the parent of a run, later its component */
    component *components;
    uint64_t count;
    uint64_t spanning[3]; /* voxels of components that reach both faces inside the box */
    int threads;
    pore_plane *planes; /* [threads][2], and one more */
    const pore_plane
        *passed;  /* the plane before the one that is joined across boundaries; NULL: there is none */
    bool *begins; /* [nz], planes whose runs are not joined with those of the plane before yet */
    rill_progress progress;
} labelling;

static void plane_take(const labelling *l, uint32_t z, pore_plane *p)
{
    const uint32_t nx = l->geom->n[0], ny = l->geom->n[1];
    p->before = l->before[z];
    p->z = z;
    p->row[0] = 0;
    for (uint32_t y = 0; y < ny; y++)
        p->row[y + 1] = p->row[y] + rill_row_runs(rill_window_row(&l->window, y, z), nx, p->runs + p->row[y],
                                                  p->words + y * p->row_words);
}

/* Return the words of bits of a plane. */
static uint64_t plane_words(const labelling *l)
{
    return (uint64_t)l->geom->n[1] * rill_planes_row(l->geom->n);
}

/* Allocate planes of at most so many runs in a few arrays: rill_array_create() reads the free memory of the
 * system each time. */
static rill_status planes_create(labelling *l, uint64_t count, uint64_t runs)
{
    rill_status status = RILL_OK;
    const uint64_t rows = (uint64_t)l->geom->n[1] + 1, words = plane_words(l);
    RILL_TRY(
        rill_array_create_zero(count, sizeof *l->planes, "the planes of the labelling", (void **)&l->planes));
    RILL_TRY(rill_array_create(count * runs, sizeof *l->planes->runs, "the runs of planes",
                               (void **)&l->planes->runs));
    RILL_TRY(rill_array_create(count * rows, sizeof *l->planes->row, "the rows of planes",
                               (void **)&l->planes->row));
    RILL_TRY(rill_array_create(count * words, sizeof *l->planes->words, "the bits of planes",
                               (void **)&l->planes->words));
    for (uint64_t k = 0; k < count; k++) {
        l->planes[k].runs = l->planes->runs + k * runs;
        l->planes[k].row = l->planes->row + k * rows;
        l->planes[k].words = l->planes->words + k * words;
        l->planes[k].nx = l->geom->n[0];
        l->planes[k].row_words = rill_planes_row(l->geom->n);
    }
done:
    return status;
}

static void planes_destroy(labelling *l)
{
    if (!l->planes) return;
    rill_array_destroy(l->planes->runs);
    rill_array_destroy(l->planes->row);
    rill_array_destroy(l->planes->words);
    rill_array_destroy(l->planes);
}

/* Whether it is worth to wake other threads. */
static bool is_large(const labelling *l) { return rill_geom_voxels(l->geom) > 1 << 20; }

static pore_plane *own_planes(const labelling *l) { return l->planes + 2 * omp_get_thread_num(); }

/* Report on plane z of a loop. The first thread, which has the first of as many slabs of a window as there
 * are threads, speaks for all. */
static bool goes_on(const labelling *l, rill_progress_loop *loop, uint32_t z)
{
    const uint32_t threads = (uint32_t)omp_get_num_threads(), first = l->window.first;
    const uint32_t slab = l->geom->n[2] / threads + 1;
    return rill_progress_loop_on(loop, first / threads + z - first, slab, slab / 16 + 1);
}

/* Take the runs of planes z and other, which are no neighbours or in different windows. */
static rill_status planes_see(labelling *l, uint32_t z, uint32_t other)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_window_see(&l->window, z, 1));
    plane_take(l, z, &l->planes[0]);
    RILL_TRY(rill_window_see(&l->window, other, 1));
    plane_take(l, other, &l->planes[1]);
done:
    return status;
}

/* Joining inside the box: the root is the smallest number of its set. */

static uint32_t run_root(uint32_t *parent, uint32_t r)
{
    while (parent[r] != r) {
        parent[r] = parent[parent[r]];
        r = parent[r];
    }
    return r;
}

static void join_runs(labelling *l, uint32_t a, uint32_t b)
{
    a = run_root(l->label, a);
    b = run_root(l->label, b);
    if (a < b) l->label[b] = a;
    if (b < a) l->label[a] = b;
}

/* Join the runs of two rows of one box that touch. */
static inline void join_rows(labelling *l, const pore_plane *p, uint32_t y, const pore_plane *q, uint32_t qy,
                             unsigned reach)
{
    uint64_t i = p->row[y], j = q->row[qy];
    while (rill_rows_touch(p, y, q, qy, reach, &i, &j)) {
        join_runs(l, (uint32_t)(p->before + i), (uint32_t)(q->before + j));
        rill_rows_next(p, q, &i, &j);
    }
}

/* Whether the voxels at a number along an axis lie at a mirrored boundary. */
static bool at_mirror(const labelling *l, int axis, uint32_t x)
{
    return l->geom->sides[axis] == RILL_MIRROR && (x == 0 || x == l->geom->n[axis] - 1);
}

/*
 * Return which voxels of two rows touch that are next to each other along y, along z or along both. Where a
 * link through a corner crosses a mirrored boundary, it comes back as one through an edge.
 */
static unsigned reach_of(const labelling *l, bool along_y, bool along_z, uint32_t y, uint32_t z)
{
    const bool edges = l->contacts & RILL_CONTACT_EDGES, corners = l->contacts & RILL_CONTACT_CORNERS;
    if (along_y && along_z) return (edges ? REACH_SAME : 0u) | (corners ? REACH_BESIDE : 0u);
    const bool mirrored = corners && (along_y ? at_mirror(l, 2, z) : at_mirror(l, 1, y));
    return REACH_SAME | (edges || mirrored ? REACH_BESIDE : 0u);
}

/* Whether links through corners come back as links through edges along x. */
static bool mirrors_corners(const labelling *l)
{
    return l->contacts == (RILL_CONTACT_FACES | RILL_CONTACT_CORNERS) && l->geom->sides[0] == RILL_MIRROR;
}

/* Join rows that are next to each other along y and z. */
static void join_diagonal(labelling *l, const pore_plane *p, uint32_t y, const pore_plane *q, uint32_t qy)
{
    const unsigned reach = reach_of(l, true, true, y, p->z);
    if (rill_rows_apart(p, y, q, qy, reach)) join_rows(l, p, y, q, qy, reach);
    uint64_t i, j;
    for (int high = 0; high < 2 && mirrors_corners(l); high++)
        if (rill_row_end(p, y, high, &i) && rill_row_end(q, qy, high, &j))
            join_runs(l, (uint32_t)(p->before + i), (uint32_t)(q->before + j));
}

/* Join the rows of a plane with one another. */
static void join_within(labelling *l, const pore_plane *p)
{
    const unsigned reach = reach_of(l, true, false, 0, p->z);
    for (uint32_t y = 1; y < l->geom->n[1]; y++) join_rows(l, p, y, p, y - 1, reach);
}

/* Join the rows of a plane with those of the plane below. */
static void join_below(labelling *l, const pore_plane *p, const pore_plane *below)
{
    const uint32_t ny = l->geom->n[1];
    for (uint32_t y = 0; y < ny; y++) join_rows(l, p, y, below, y, reach_of(l, false, true, y, p->z));
    for (uint32_t y = 1; y < ny && l->contacts != RILL_CONTACT_FACES; y++) {
        join_diagonal(l, p, y, below, y - 1);
        join_diagonal(l, p, y - 1, below, y);
    }
}

/* Joining across periodic boundaries. */

/* Return the root of a component, and by how many boxes the component is shifted against it. */
static uint32_t component_root(component *c, uint32_t i, int32_t shift[3])
{
    uint32_t root = i;
    memset(shift, 0, 3 * sizeof *shift);
    for (; c[root].parent != root; root = c[root].parent)
        for (int a = 0; a < 3; a++) shift[a] += c[root].shift[a];
    int32_t rest[3];
    memcpy(rest, shift, sizeof rest);
    while (i != root) {
        const component old = c[i];
        c[i].parent = root;
        memcpy(c[i].shift, rest, sizeof rest);
        for (int a = 0; a < 3; a++) rest[a] -= old.shift[a];
        i = old.parent;
    }
    return root;
}

/* A run meets another one that lies in the box `shift` boxes further on. */
static void join_components(labelling *l, uint64_t run, uint64_t met, const int32_t shift[3])
{
    component *c = l->components;
    int32_t from[3], to[3], gap[3];
    uint32_t root = component_root(c, l->label[run], from), other = component_root(c, l->label[met], to);
    for (int a = 0; a < 3; a++) gap[a] = from[a] + shift[a] - to[a];
    if (root == other) {
        for (int a = 0; a < 3; a++) c[root].winds |= (uint8_t)((gap[a] != 0) << a);
        return;
    }
    if (c[root].voxels < c[other].voxels) {
        const uint32_t swap = root;
        root = other;
        other = swap;
        for (int a = 0; a < 3; a++) gap[a] = -gap[a];
    }
    c[other].parent = root;
    memcpy(c[other].shift, gap, sizeof gap);
    c[root].voxels += c[other].voxels;
    c[root].faces |= c[other].faces;
    c[root].winds |= c[other].winds;
}

/* Join what meets where a row of q lies `dy` and `dz` boxes further on than one of p. */
static void join_across(labelling *l, const pore_plane *p, uint32_t y, const pore_plane *q, uint32_t qy,
                        unsigned reach, int32_t dy, int32_t dz)
{
    const int32_t shift[3] = {0, dy, dz};
    uint64_t i = p->row[y], j = q->row[qy];
    while (rill_rows_touch(p, y, q, qy, reach, &i, &j)) {
        join_components(l, p->before + i, q->before + j, shift);
        rill_rows_next(p, q, &i, &j);
    }
    for (int high = 0; high < 2 && reach == REACH_BESIDE && mirrors_corners(l); high++)
        if (rill_row_end(p, y, high, &i) && rill_row_end(q, qy, high, &j))
            join_components(l, p->before + i, q->before + j, shift);
}

/* Join a run at the end of row y with those at the other end of the rows of q next to it, in the next box. */
static void join_end(labelling *l, const pore_plane *p, uint32_t y, bool high, const pore_plane *q,
                     int32_t dz)
{
    const int64_t ny = l->geom->n[1];
    uint64_t i, j;
    if (!rill_row_end(p, y, high, &i)) return;
    for (int64_t step = -1; step <= 1; step++) {
        const int64_t to = y + step, qy = (to + ny) % ny;
        const bool straight = p == q && dz == 0 && step == 0;
        if (to != qy && l->geom->sides[1] != RILL_PERIODIC) continue;
        if (!straight && !(reach_of(l, step != 0, p != q || dz, y, p->z) & REACH_BESIDE)) continue;
        if (!rill_row_end(q, (uint32_t)qy, !high, &j)) continue;
        join_components(l, p->before + i, q->before + j,
                        (const int32_t[3]){high ? 1 : -1, (int32_t)((to - qy) / ny), dz});
    }
}

/* Join across the boundaries normal to x a plane with itself, or with the one that it is next to. */
static void join_ends(labelling *l, const pore_plane *p, const pore_plane *q, int32_t dz)
{
    if (l->geom->sides[0] != RILL_PERIODIC) return;
    for (uint32_t y = 0; y < l->geom->n[1]; y++) {
        join_end(l, p, y, true, q, dz);
        if (p != q || dz) join_end(l, p, y, false, q, dz);
    }
}

static rill_status count_runs(labelling *l, uint64_t *most)
{
    rill_status status = RILL_OK;
    const uint32_t nx = l->geom->n[0], ny = l->geom->n[1], nz = l->geom->n[2];
    l->before[0] = 0;
    for (uint32_t next = 0; rill_window_next(&l->window, &next, &status);) {
#pragma omp parallel for schedule(static) if (is_large(l))
        for (uint32_t z = l->window.first; z < next; z++) {
            uint64_t runs = 0;
            for (uint32_t y = 0; y < ny; y++)
                runs += rill_row_runs(rill_window_row(&l->window, y, z), nx, NULL, NULL);
            l->before[z + 1] = runs;
        }
    }
    *most = 0;
    for (uint32_t z = 0; z < nz; z++) {
        if (l->before[z + 1] > *most) *most = l->before[z + 1];
        l->before[z + 1] += l->before[z];
    }
    if (l->before[nz] > UINT32_MAX)
        return rill_fail(RILL_USAGE,
                         "the pore space has %.3g runs of voxels, more than %u: crop or coarsen it",
                         (double)l->before[nz], UINT32_MAX);
    return status;
}

/* Join runs inside the box, then number the sets: label[r] becomes the component of run r. */
static rill_status label_runs(labelling *l)
{
    rill_status status = RILL_OK;
    const uint32_t nz = l->geom->n[2];
    rill_progress_loop loop = {l->progress, "labelling", false};
    for (uint32_t end = 0; !loop.cancelled && rill_window_next(&l->window, &end, &status);) {
#pragma omp parallel if (is_large(l))
        {
            pore_plane *here = own_planes(l), *below = here + 1;
            uint32_t next = nz; /* after the plane taken last */
#pragma omp for schedule(static)
            for (uint32_t z = l->window.first; z < end; z++) {
                if (!goes_on(l, &loop, z)) continue;
                pore_plane *swap = below;
                below = here;
                here = swap;
                plane_take(l, z, here);
                for (uint64_t r = l->before[z]; r < l->before[z + 1]; r++) l->label[r] = (uint32_t)r;
                join_within(l, here);
                if (z == next) join_below(l, here, below);
                l->begins[z] = z > 0 && z != next;
                next = z + 1;
            }
        }
    }
    RILL_TRY(status);
    RILL_TRY(rill_progress_loop_end(&loop));
    for (uint32_t z = 0; z < nz; z++) {
        if (!l->begins[z]) continue;
        RILL_TRY(planes_see(l, z - 1, z));
        join_below(l, &l->planes[1], &l->planes[0]);
    }
    l->count = 0;
    for (uint64_t r = 0; r < l->before[nz]; r++) {
        const uint32_t parent = l->label[r]; /* below r, where labels stand already */
        l->label[r] = parent == r ? (uint32_t)l->count++ : l->label[parent];
    }
done:
    return status;
}

/* Add to a component what one thread has found of it. */
static void component_add(component *c, uint64_t voxels, uint8_t faces)
{
#pragma omp atomic
    c->voxels += voxels;
#pragma omp atomic
    c->faces |= faces;
}

/* Count the voxels of components and note the faces that their runs reach. */
static void measure_plane(labelling *l, uint32_t z, const pore_plane *p)
{
    const uint32_t nx = l->geom->n[0], ny = l->geom->n[1], nz = l->geom->n[2];
    uint32_t last = 0; /* hardly ever does one run belong to another component than the one before */
    uint64_t voxels = 0;
    uint8_t faces = 0;
    for (uint32_t y = 0; y < ny; y++) {
        const unsigned row_faces = (unsigned)(y == 0) << 2 | (unsigned)(y == ny - 1) << 3 |
                                   (unsigned)(z == 0) << 4 | (unsigned)(z == nz - 1) << 5;
        for (uint64_t i = p->row[y]; i < p->row[y + 1]; i++) {
            const uint32_t label = l->label[p->before + i];
            if (label != last && voxels > 0) {
                component_add(&l->components[last], voxels, faces);
                voxels = faces = 0;
            }
            last = label;
            voxels += p->runs[i].end - p->runs[i].start;
            faces |= (uint8_t)(row_faces | (unsigned)(p->runs[i].start == 0) |
                               (unsigned)(p->runs[i].end == nx) << 1);
        }
    }
    if (voxels > 0) component_add(&l->components[last], voxels, faces);
}

/* Join the first and the last row across the boundaries normal to y, of two planes that are next to each
 * other. */
static void join_corners(labelling *l, const pore_plane *p, const pore_plane *q, int32_t dz)
{
    const uint32_t last = l->geom->n[1] - 1;
    const unsigned reach = reach_of(l, true, true, 0, p->z);
    if (l->geom->sides[1] != RILL_PERIODIC || !reach) return;
    join_across(l, p, last, q, 0, reach, 1, dz);
    join_across(l, p, 0, q, last, reach, -1, dz);
}

/* Join the last plane and the first across the boundaries normal to z. */
static void join_last(labelling *l, const pore_plane *p, const pore_plane *q)
{
    const uint32_t ny = l->geom->n[1];
    const unsigned reach = reach_of(l, true, true, 0, p->z);
    for (uint32_t y = 0; y < ny; y++) join_across(l, p, y, q, y, reach_of(l, false, true, y, p->z), 0, 1);
    for (uint32_t y = 1; y < ny && reach; y++) {
        join_across(l, p, y, q, y - 1, reach, 0, 1);
        join_across(l, p, y - 1, q, y, reach, 0, 1);
    }
    if (l->contacts == RILL_CONTACT_FACES) return;
    join_corners(l, p, q, 1);
    join_ends(l, p, q, 1);
}

/* Join what meets across the periodic faces normal to x and y of one plane, and of it and the one before. */
static void join_plane(labelling *l, const pore_plane *p)
{
    if (l->geom->sides[1] == RILL_PERIODIC)
        join_across(l, p, l->geom->n[1] - 1, p, 0, reach_of(l, true, false, 0, p->z), 1, 0);
    join_ends(l, p, p, 0);
    if (l->passed && l->contacts != RILL_CONTACT_FACES) {
        join_corners(l, p, l->passed, 0);
        join_ends(l, p, l->passed, 0);
    }
    l->passed = p;
}

static bool reaches_both(const component *c, int axis) { return (c->faces >> 2 * axis & 3) == 3; }

/*
 * Join across the boundaries normal to x and y. A thread takes the plane after next into the second of its
 * planes while the next one is joined with the one before, which another thread took; the last plane of a
 * window is put by.
 */
static rill_status join_sides_of_planes(labelling *l)
{
    rill_status status = RILL_OK;
    pore_plane *last = l->planes + 2 * l->threads;
    for (uint32_t end = 0; rill_window_next(&l->window, &end, &status);) {
#pragma omp parallel for ordered schedule(static, 1) if (is_large(l))
        for (uint32_t z = l->window.first; z < end; z++) {
            pore_plane *p = own_planes(l) + (z - l->window.first) / (uint32_t)omp_get_num_threads() % 2;
            plane_take(l, z, p);
#pragma omp ordered
            join_plane(l, p);
        }
        rill_plane_copy(l->passed, l->geom->n[1], last);
        l->passed = last;
    }
    return status;
}

/* Fill the records of the components and join them across periodic boundaries. */
static rill_status join_sides(labelling *l)
{
    rill_status status = RILL_OK;
    const uint32_t nz = l->geom->n[2];
    rill_progress_loop loop = {l->progress, "measuring components", false};
    for (uint64_t i = 0; i < l->count; i++) l->components[i].parent = (uint32_t)i;
    for (uint32_t end = 0; !loop.cancelled && rill_window_next(&l->window, &end, &status);) {
#pragma omp parallel for schedule(static) if (is_large(l))
        for (uint32_t z = l->window.first; z < end; z++) {
            if (!goes_on(l, &loop, z)) continue;
            plane_take(l, z, own_planes(l));
            measure_plane(l, z, own_planes(l));
        }
    }
    RILL_TRY(status);
    RILL_TRY(rill_progress_loop_end(&loop));
    for (uint64_t i = 0; i < l->count; i++)
        for (int a = 0; a < 3; a++)
            l->spanning[a] += reaches_both(&l->components[i], a) ? l->components[i].voxels : 0;
    const bool across = l->geom->sides[0] == RILL_PERIODIC || l->geom->sides[1] == RILL_PERIODIC;
    if (across) RILL_TRY(join_sides_of_planes(l));
    if (l->geom->sides[2] == RILL_PERIODIC) {
        RILL_TRY(planes_see(l, 0, nz - 1));
        join_last(l, &l->planes[1], &l->planes[0]);
    }
done:
    return status;
}

static bool conducts(const labelling *l, const component *c, int axis)
{
    if (l->geom->sides[axis] == RILL_PERIODIC) return c->winds >> axis & 1;
    return reaches_both(c, axis);
}

/* Sum up porosities over the roots and decide what stays. */
static void decide(labelling *l, rill_keep_kind keep, int axis, rill_components *out)
{
    uint64_t total = 0, connected = 0, percolating[3] = {0}, kept = 0;
    *out = (rill_components){.porosity.contacts = l->contacts};
    for (uint64_t i = 0; i < l->count; i++) {
        component *c = &l->components[i];
        if (c->parent != i) continue;
        bool any = false;
        for (int a = 0; a < 3; a++) {
            const bool along = conducts(l, c, a);
            any |= along && rill_axes_has(axis, a);
            percolating[a] += along ? c->voxels : 0;
        }
        total += c->voxels;
        connected += c->faces ? c->voxels : 0;
        c->keep = keep == RILL_KEEP_ALL || (keep == RILL_KEEP_CONNECTED && c->faces) ||
                  (keep == RILL_KEEP_PERCOLATING && any);
        kept += c->keep ? c->voxels : 0;
        out->components++;
        out->kept += c->keep;
    }
    const double voxels = (double)rill_geom_sample(l->geom);
    out->porosity.total = (double)total / voxels;
    out->porosity.connected = (double)connected / voxels;
    for (int a = 0; a < 3; a++) {
        out->porosity.percolating[a] = (double)percolating[a] / voxels;
        out->spanning[a] = (double)l->spanning[a] / voxels;
    }
    out->dropped = total - kept;
}

/* Whether all runs of a plane stay. */
static bool plane_stays(const labelling *l, uint32_t z)
{
    bool stays = true;
    for (uint64_t r = l->before[z]; r < l->before[z + 1] && stays; r++)
        stays = l->components[l->label[r]].keep;
    return stays;
}

/* Make the components solid that do not stay. */
static rill_status drop(labelling *l)
{
    rill_status status = RILL_OK;
    const uint32_t ny = l->geom->n[1];
    int32_t shift[3];
    for (uint64_t i = 0; i < l->count; i++)
        l->components[i].keep = l->components[component_root(l->components, (uint32_t)i, shift)].keep;
    for (uint32_t end = 0; rill_window_next(&l->window, &end, &status);) {
#pragma omp parallel for schedule(static) if (is_large(l))
        for (uint32_t z = l->window.first; z < end; z++) {
            pore_plane *p = own_planes(l);
            if (plane_stays(l, z)) continue;
            plane_take(l, z, p);
            for (uint32_t y = 0; y < ny; y++)
                for (uint64_t i = p->row[y]; i < p->row[y + 1]; i++)
                    if (!l->components[l->label[p->before + i]].keep)
                        memset(rill_window_row(&l->window, y, z) + p->runs[i].start, RILL_SOLID,
                               p->runs[i].end - p->runs[i].start);
        }
        RILL_TRY(rill_window_keep(&l->window, l->geom));
    }
done:
    return status;
}

/* Drop, and number the nodes of cuts anew. */
static rill_status drop_renumber(labelling *l)
{
    rill_status status = RILL_OK;
    rill_surface *s = l->geom->surface;
    const int openings = s ? s->opening_count : 0;
    rill_voxel **voxels = calloc((size_t)openings + 1, sizeof *voxels);
    if (!voxels) return rill_fail(RILL_SYSTEM, "out of memory for the links of a surface");
    if (s) RILL_TRY(rill_cuts_voxels(l->geom, s->walls, s->wall_count, &voxels[openings]));
    for (int k = 0; k < openings; k++)
        RILL_TRY(rill_cuts_voxels(l->geom, s->openings[k].cuts, s->openings[k].cut_count, &voxels[k]));
    RILL_TRY(drop(l));
    if (s) RILL_TRY(rill_cuts_renumber(l->geom, voxels[openings], s->walls, &s->wall_count));
    for (int k = 0; k < openings; k++)
        RILL_TRY(rill_cuts_renumber(l->geom, voxels[k], s->openings[k].cuts, &s->openings[k].cut_count));
done:
    for (int k = 0; k <= openings; k++) rill_array_destroy(voxels[k]);
    free(voxels);
    return status;
}

unsigned rill_contacts_of(rill_lattice lattice)
{
    unsigned contacts = 0;
    for (int i = 1; i < rill_q((int)lattice); i++) {
        const int axes = abs(rill_c((int)lattice, i, 0)) + abs(rill_c((int)lattice, i, 1)) +
                         abs(rill_c((int)lattice, i, 2));
        contacts |= axes == 1 ? RILL_CONTACT_FACES : axes == 2 ? RILL_CONTACT_EDGES : RILL_CONTACT_CORNERS;
    }
    return contacts;
}

const char *rill_contacts_name(unsigned contacts)
{
    static const char *const names[] = {"faces", "faces and edges", "faces and corners",
                                        "faces, edges and corners"};
    return contacts & RILL_CONTACT_FACES && contacts <= 7 ? names[contacts >> 1] : NULL;
}

rill_status rill_components_clean(rill_geom *geom, rill_keep_kind keep, int axis, unsigned contacts,
                                  rill_progress progress, rill_components *out)
{
    rill_status status = RILL_OK;
    labelling l = {.geom = geom, .window = {.geom = geom}, .contacts = contacts, .progress = progress};
    l.threads = is_large(&l) ? omp_get_max_threads() : 1;
    const uint64_t planes = 2 * (uint64_t)l.threads + 1;
    uint64_t most;
    RILL_TRY(rill_array_create((uint64_t)geom->n[2] + 1, sizeof *l.before, "the planes of the labelling",
                               (void **)&l.before));
    RILL_TRY(count_runs(&l, &most));
    const uint64_t runs = l.before[geom->n[2]];
    RILL_TRY(rill_memory_require(runs * sizeof *l.label +
                                     planes * (most * sizeof(pore_run) + plane_words(&l) * sizeof(uint64_t)),
                                 "labelling the pore space"));
    RILL_TRY(planes_create(&l, planes, most));
    RILL_TRY(
        rill_array_create(geom->n[2], sizeof *l.begins, "the planes of the labelling", (void **)&l.begins));
    RILL_TRY(rill_array_create(runs, sizeof *l.label, "the runs of the pore space", (void **)&l.label));
    RILL_TRY(label_runs(&l));
    RILL_TRY(rill_memory_require(l.count * sizeof *l.components, "the components of the pore space"));
    RILL_TRY(rill_array_create_zero(l.count, sizeof *l.components, "the components", (void **)&l.components));
    RILL_TRY(join_sides(&l));
    decide(&l, keep, axis, out);
    RILL_TRY(rill_progress_report(progress, "dropping pores", 0)); /* the geometry is as it came, still */
    if (out->dropped) RILL_TRY(drop_renumber(&l));
done:
    planes_destroy(&l);
    rill_window_close(&l.window);
    rill_array_destroy(l.begins);
    rill_array_destroy(l.components);
    rill_array_destroy(l.label);
    rill_array_destroy(l.before);
    return status;
}
