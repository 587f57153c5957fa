/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Components of the pore space by union-find over x-runs of pore voxels.
 *
 * Runs are not stored: a plane of them is taken from the voxels whenever it is needed, so that only one
 * word per run stays. The voxels are seen through windows (planes.h). The first sweep joins runs inside the
 * box, each thread those of a slab, then where slabs meet; the smallest number of a set is its root, so that
 * threads do not matter. What it leaves, one record per component, is joined across periodic sides by a
 * second union-find whose records know by how many boxes they are shifted against their parent; a join inside
 * one tree that disagrees with these shifts closes a way around the box. Nothing here knows about lattices or
 * links: connection is by faces alone.
 */
#include "geometry/voxels/components.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "geometry/voxels/exact_walls.h"
#include "geometry/voxels/planes.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Pore voxels start <= x < end of one row. */
typedef struct {
    uint32_t start, end;
} run;

/* The runs of one plane of constant z. */
typedef struct {
    run *runs;       /* in order of y, then x */
    uint64_t *row;   /* [ny + 1], the first run of each row */
    uint64_t before; /* runs in the planes before: adding it makes the number of a run */
} plane;

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
    uint64_t *before; /* [nz + 1], runs in the planes before */
    uint32_t *label;  /* [runs], the parent of a run, later its component */
    component *components;
    uint64_t count;
    uint64_t spanning[3]; /* voxels of components that reach both faces inside the box */
    int threads;
    plane *planes; /* [threads][2] */
    bool *begins;  /* [nz], planes whose runs are not joined with those of the plane before yet */
    rill_progress progress;
} labelling;

/* Find the runs of a row; `runs` may be NULL to count them. A run begins and ends where the bit of a voxel
 * differs from that of the voxel before. */
static uint64_t row_runs(const uint8_t *row, uint32_t nx, run *runs)
{
    uint32_t *ends = runs ? &runs->start : NULL; /* of all runs: start, end, start, … */
    uint64_t count = 0, before = 0;
    for (uint32_t x = 0; x < nx; x += 64) {
        const uint64_t word = rill_voxels_word(row + x, nx - x < 64 ? nx - x : 64);
        uint64_t changes = word ^ (word << 1 | before);
        before = word >> 63;
        if (!ends) {
            count += (uint64_t)__builtin_popcountll(changes);
            continue;
        }
        for (; changes; changes &= changes - 1) ends[count++] = x + (uint32_t)__builtin_ctzll(changes);
    }
    if (count % 2 == 0) return count / 2;
    if (ends) ends[count] = nx;
    return (count + 1) / 2;
}

static void plane_take(const labelling *l, uint32_t z, plane *p)
{
    const uint32_t nx = l->geom->n[0], ny = l->geom->n[1];
    p->before = l->before[z];
    p->row[0] = 0;
    for (uint32_t y = 0; y < ny; y++)
        p->row[y + 1] = p->row[y] + row_runs(rill_window_row(&l->window, y, z), nx, p->runs + p->row[y]);
}

/* Allocate planes of at most so many runs in two arrays: rill_array_create() reads the free memory of the
 * system each time. */
static rill_status planes_create(labelling *l, uint64_t count, uint64_t runs)
{
    rill_status status = RILL_OK;
    const uint64_t rows = (uint64_t)l->geom->n[1] + 1;
    RILL_TRY(
        rill_array_create_zero(count, sizeof *l->planes, "the planes of the labelling", (void **)&l->planes));
    RILL_TRY(rill_array_create(count * runs, sizeof *l->planes->runs, "the runs of planes",
                               (void **)&l->planes->runs));
    RILL_TRY(rill_array_create(count * rows, sizeof *l->planes->row, "the rows of planes",
                               (void **)&l->planes->row));
    for (uint64_t k = 1; k < count; k++) {
        l->planes[k].runs = l->planes->runs + k * runs;
        l->planes[k].row = l->planes->row + k * rows;
    }
done:
    return status;
}

static void planes_destroy(labelling *l)
{
    if (!l->planes) return;
    rill_array_destroy(l->planes->runs);
    rill_array_destroy(l->planes->row);
    rill_array_destroy(l->planes);
}

/* Whether it is worth to wake other threads. */
static bool is_large(const labelling *l) { return rill_geom_voxels(l->geom) > 1 << 20; }

static plane *own_planes(const labelling *l) { return l->planes + 2 * omp_get_thread_num(); }

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

static void join_runs(labelling *l, uint32_t a, uint32_t b, int axis)
{
    (void)axis;
    a = run_root(l->label, a);
    b = run_root(l->label, b);
    if (a < b) l->label[b] = a;
    if (b < a) l->label[a] = b;
}

/* Joining across periodic sides. */

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

/* Run `high` on the high face of an axis meets run `low` on its low face, one box further on. */
static void join_components(labelling *l, uint32_t high, uint32_t low, int axis)
{
    component *c = l->components;
    int32_t from[3], to[3];
    uint32_t root = component_root(c, l->label[high], from), other = component_root(c, l->label[low], to);
    from[axis]++;
    int32_t gap[3];
    for (int a = 0; a < 3; a++) gap[a] = from[a] - to[a];
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

/* Join the runs of row y of one plane with the runs of another row that they touch. */
static inline void join_rows(labelling *l, const plane *p, uint32_t y, const plane *q, uint32_t qy, int axis,
                             void (*join)(labelling *, uint32_t, uint32_t, int))
{
    uint64_t i = p->row[y], j = q->row[qy];
    const uint64_t i_end = p->row[y + 1], j_end = q->row[qy + 1];
    while (i < i_end && j < j_end) {
        if (p->runs[i].start < q->runs[j].end && q->runs[j].start < p->runs[i].end)
            join(l, (uint32_t)(p->before + i), (uint32_t)(q->before + j), axis);
        if (p->runs[i].end < q->runs[j].end)
            i++;
        else
            j++;
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
            for (uint32_t y = 0; y < ny; y++) runs += row_runs(rill_window_row(&l->window, y, z), nx, NULL);
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
    const uint32_t ny = l->geom->n[1], nz = l->geom->n[2];
    rill_progress_loop loop = {l->progress, "labelling", false};
    for (uint32_t end = 0; !loop.cancelled && rill_window_next(&l->window, &end, &status);) {
#pragma omp parallel if (is_large(l))
        {
            plane *here = own_planes(l), *below = here + 1;
            uint32_t next = nz; /* after the plane taken last */
#pragma omp for schedule(static)
            for (uint32_t z = l->window.first; z < end; z++) {
                if (!goes_on(l, &loop, z)) continue;
                plane *swap = below;
                below = here;
                here = swap;
                plane_take(l, z, here);
                for (uint64_t r = l->before[z]; r < l->before[z + 1]; r++) l->label[r] = (uint32_t)r;
                for (uint32_t y = 1; y < ny; y++) join_rows(l, here, y, here, y - 1, 1, join_runs);
                for (uint32_t y = 0; y < ny && z == next; y++) join_rows(l, here, y, below, y, 2, join_runs);
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
        for (uint32_t y = 0; y < ny; y++) join_rows(l, &l->planes[1], y, &l->planes[0], y, 2, join_runs);
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
static void measure_plane(labelling *l, uint32_t z, const plane *p)
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

/* Join what meets across the periodic faces normal to x and y of one plane. */
static void join_plane(labelling *l, const plane *p)
{
    const uint32_t nx = l->geom->n[0], ny = l->geom->n[1];
    if (l->geom->sides[0] == RILL_PERIODIC)
        for (uint32_t y = 0; y < ny; y++) {
            const uint64_t i = p->row[y], end = p->row[y + 1];
            if (i < end && p->runs[i].start == 0 && p->runs[end - 1].end == nx)
                join_components(l, (uint32_t)(p->before + end - 1), (uint32_t)(p->before + i), 0);
        }
    if (l->geom->sides[1] == RILL_PERIODIC) join_rows(l, p, ny - 1, p, 0, 1, join_components);
}

static bool reaches_both(const component *c, int axis) { return (c->faces >> 2 * axis & 3) == 3; }

/* Fill the records of the components and join them across periodic sides. */
static rill_status join_sides(labelling *l)
{
    rill_status status = RILL_OK;
    const uint32_t ny = l->geom->n[1], nz = l->geom->n[2];
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
    for (uint32_t end = 0; across && rill_window_next(&l->window, &end, &status);) {
#pragma omp parallel for ordered schedule(static, 1) if (is_large(l))
        for (uint32_t z = l->window.first; z < end; z++) {
            plane_take(l, z, own_planes(l));
#pragma omp ordered
            join_plane(l, own_planes(l));
        }
    }
    RILL_TRY(status);
    if (l->geom->sides[2] == RILL_PERIODIC) {
        plane *first = &l->planes[0], *last = &l->planes[1];
        RILL_TRY(planes_see(l, 0, nz - 1));
        for (uint32_t y = 0; y < ny; y++) join_rows(l, last, y, first, y, 2, join_components);
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
    *out = (rill_components){0};
    for (uint64_t i = 0; i < l->count; i++) {
        component *c = &l->components[i];
        if (c->parent != i) continue;
        bool any = false;
        for (int a = 0; a < 3; a++) {
            const bool along = conducts(l, c, a);
            any |= along && (axis < 0 || axis == a);
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
    const double voxels = (double)rill_geom_voxels(l->geom);
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

/* Turn the components solid that do not stay. */
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
            plane *p = own_planes(l);
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

rill_status rill_components_clean(rill_geom *geom, rill_keep_kind keep, int axis, rill_progress progress,
                                  rill_components *out)
{
    rill_status status = RILL_OK;
    labelling l = {.geom = geom, .window = {.geom = geom}, .progress = progress};
    l.threads = is_large(&l) ? omp_get_max_threads() : 1;
    const uint64_t planes = 2 * (uint64_t)l.threads;
    uint64_t most;
    RILL_TRY(rill_array_create((uint64_t)geom->n[2] + 1, sizeof *l.before, "the planes of the labelling",
                               (void **)&l.before));
    RILL_TRY(count_runs(&l, &most));
    const uint64_t runs = l.before[geom->n[2]];
    RILL_TRY(rill_memory_require(runs * sizeof *l.label + planes * most * sizeof(run),
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
