/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts of walls that are known exactly, and cuts whose nodes get other numbers. */
#include "geometry/voxels/exact_walls.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/follow.h"
#include "geometry/voxels/planes.h"

#include <math.h>
#include <stdlib.h>

/* Cuts are counted slice by slice, then put down. */
typedef struct finder {
    const rill_geom *geom;
    rill_wall_place *place;
    void *context;
    uint64_t *nodes; /* [nz + 1], fluid voxels before each slice */
    uint64_t *first; /* [nz + 1], cuts before each slice */
    rill_cut *cuts;  /* NULL while they are counted */
} finder;

/* Put down the cuts of a node, or count them. @return how many */
static uint64_t cut_node(const finder *f, rill_node node, const uint32_t x[3], uint64_t at)
{
    uint64_t count = 0;
    for (int i = 1; i < RILL_Q_MAX; i++) {
        const rill_link_end end = rill_follow_link(f->geom, RILL_D3Q27, x, i);
        if (end.wall || !rill_follow_solid(f->geom, &end)) continue;
        if (f->cuts) {
            const double centre[3] = {x[0] + 0.5, x[1] + 0.5, x[2] + 0.5};
            const int c[3] = {rill_c(RILL_D3Q27, i, 0), rill_c(RILL_D3Q27, i, 1), rill_c(RILL_D3Q27, i, 2)};
            const double q = f->place(f->context, centre, c);
            f->cuts[at + count] =
                (rill_cut){node, RILL_NO_TRIANGLE, q >= 0 && q <= 1 ? (float)q : 0.5f, (uint8_t)i};
        }
        count++;
    }
    return count;
}

static void go_through(finder *f)
{
    const rill_geom *geom = f->geom;
#pragma omp parallel for schedule(dynamic)
    for (uint32_t z = 0; z < geom->n[2]; z++) {
        const uint8_t *voxel = geom->voxels + (uint64_t)z * geom->n[1] * geom->n[0];
        uint64_t node = f->cuts ? f->nodes[z] : 0, cut = f->cuts ? f->first[z] : 0;
        for (uint32_t y = 0; y < geom->n[1]; y++)
            for (uint32_t x = 0; x < geom->n[0]; x++)
                if (*voxel++ >= RILL_FLUID)
                    cut += cut_node(f, (rill_node)node++, (const uint32_t[3]){x, y, z}, cut);
        if (f->cuts) continue;
        f->nodes[z + 1] = node; /* the slice's own, until they are added up */
        f->first[z + 1] = cut;
    }
}

static void count_slices(finder *f)
{
    const uint32_t nz = f->geom->n[2];
    go_through(f);
    for (uint32_t z = 0; z < nz; z++) {
        f->nodes[z + 1] += f->nodes[z];
        f->first[z + 1] += f->first[z];
    }
}

rill_status rill_exact_walls(rill_geom *geom, rill_wall_place *place, void *context)
{
    rill_status status = RILL_OK;
    finder f = {.geom = geom, .place = place, .context = context};
    static const char what[] = "wall links";
    const uint32_t nz = geom->n[2];
    rill_surface *surface = calloc(1, sizeof *surface);
    if (!surface) return rill_fail(RILL_SYSTEM, "out of memory for a surface");
    if (rill_geom_fluid(geom) > UINT32_MAX - 1)
        RILL_TRY(rill_fail(RILL_USAGE,
                           "%llu fluid voxels are more than the 4294967294 that fit: lower the size",
                           (unsigned long long)rill_geom_fluid(geom)));
    RILL_TRY(rill_array_create_zero((uint64_t)nz + 1, sizeof *f.nodes, what, (void **)&f.nodes));
    RILL_TRY(rill_array_create_zero((uint64_t)nz + 1, sizeof *f.first, what, (void **)&f.first));
    count_slices(&f);
    RILL_TRY(rill_array_create(f.first[nz] + 1, sizeof *f.cuts, what, (void **)&f.cuts));
    go_through(&f);
    surface->walls = f.cuts;
    surface->wall_count = f.first[nz];
    geom->surface = surface;
    surface = NULL;
done:
    rill_array_destroy(f.nodes);
    rill_array_destroy(f.first);
    rill_surface_destroy(surface);
    return status;
}

/* Find the opening that each cut goes through, -1: none, and count those of each. */
static void find_openings(const rill_geom *geom, const rill_voxel *voxels, rill_opening_place *place,
                          void *context, int16_t *through)
{
    const rill_surface *s = geom->surface;
    const uint64_t nx = geom->n[0], ny = geom->n[1];
#pragma omp parallel for schedule(static)
    for (uint64_t k = 0; k < s->wall_count; k++) {
        const rill_voxel v = voxels[k];
        const int i = s->walls[k].direction;
        const double x[3] = {(double)(v % nx) + 0.5, (double)(v / nx % ny) + 0.5,
                             (double)(v / nx / ny) + 0.5};
        const int c[3] = {rill_c(RILL_D3Q27, i, 0), rill_c(RILL_D3Q27, i, 1), rill_c(RILL_D3Q27, i, 2)};
        through[k] = (int16_t)place(context, x, c);
    }
    for (uint64_t k = 0; k < s->wall_count; k++)
        if (through[k] >= 0) s->openings[through[k]].cut_count++;
}

rill_status rill_exact_openings(rill_geom *geom, rill_opening_place *place, void *context)
{
    rill_status status = RILL_OK;
    rill_surface *s = geom->surface;
    static const char what[] = "the links of openings";
    rill_voxel *voxels = NULL;
    int16_t *through = NULL;
    uint64_t walls = 0;
    RILL_TRY(rill_cuts_voxels(geom, s->walls, s->wall_count, &voxels));
    RILL_TRY(rill_array_create(s->wall_count + 1, sizeof *through, what, (void **)&through));
    find_openings(geom, voxels, place, context, through);
    for (int k = 0; k < s->opening_count; k++) {
        rill_opening *o = &s->openings[k];
        RILL_TRY(rill_array_create(o->cut_count + 1, sizeof *o->cuts, what, (void **)&o->cuts));
        o->cut_count = 0;
    }
    for (uint64_t k = 0; k < s->wall_count; k++) {
        if (through[k] < 0) {
            s->walls[walls++] = s->walls[k];
            continue;
        }
        rill_opening *o = &s->openings[through[k]];
        o->cuts[o->cut_count++] = s->walls[k];
        geom->voxels[voxels[k]] = o->label;
    }
    s->wall_count = walls;
done:
    rill_array_destroy(voxels);
    rill_array_destroy(through);
    return status;
}

double rill_round_wall_cut(const rill_round_wall *wall, const double x[3], const int c[3], bool inside)
{
    double p[3], along[2] = {0, 0}, cc = 0, pc = 0, pp = 0;
    for (int a = 0; a < 3; a++) {
        p[a] = x[a] - wall->centre[a];
        along[0] += p[a] * wall->axis[a];
        along[1] += c[a] * wall->axis[a];
    }
    for (int a = 0; a < 3; a++) { /* across the axis */
        const double across = p[a] - along[0] * wall->axis[a], turn = c[a] - along[1] * wall->axis[a];
        pp += across * across;
        pc += across * turn;
        cc += turn * turn;
    }
    const double root = pc * pc - cc * (pp - wall->radius * wall->radius);
    if (!(root >= 0) || cc == 0) return INFINITY;
    return (pc + (inside ? sqrt(root) : -sqrt(root))) / cc;
}

rill_status rill_cuts_voxels(const rill_geom *geom, const rill_cut *cuts, uint64_t count, rill_voxel **out)
{
    rill_status status = RILL_OK;
    rill_voxel *voxels = NULL;
    rill_window window = {.geom = geom};
    const uint64_t plane = (uint64_t)geom->n[0] * geom->n[1];
    uint64_t node = 0, k = 0;
    RILL_TRY(rill_array_create(count + 1, sizeof *voxels, "wall links", (void **)&voxels));
    for (uint32_t end = 0; k < count && rill_window_next(&window, &end, &status);)
        for (uint64_t v = 0; v < plane * window.count && k < count; v++) {
            if (window.voxels[v] < RILL_FLUID) continue;
            for (; k < count && cuts[k].node == node; k++) voxels[k] = plane * window.first + v;
            node++;
        }
    RILL_TRY(status);
    *out = voxels;
    voxels = NULL;
done:
    rill_window_close(&window);
    rill_array_destroy(voxels);
    return status;
}

rill_status rill_cuts_renumber(const rill_geom *geom, const rill_voxel *voxels, rill_cut *cuts,
                               uint64_t *count)
{
    rill_status status = RILL_OK;
    rill_window window = {.geom = geom};
    const uint64_t plane = (uint64_t)geom->n[0] * geom->n[1];
    uint64_t kept = 0, k = 0;
    rill_node node = 0;
    for (uint32_t end = 0; k < *count && rill_window_next(&window, &end, &status);) {
        const rill_voxel first = plane * window.first, behind = plane * end;
        rill_voxel at = first;
        for (; k < *count && voxels[k] < behind; k++) {
            for (; at < voxels[k]; at++) node += window.voxels[at - first] >= RILL_FLUID;
            if (window.voxels[at - first] < RILL_FLUID) continue;
            cuts[kept] = cuts[k];
            cuts[kept++].node = node;
        }
        for (; at < behind; at++) node += window.voxels[at - first] >= RILL_FLUID;
    }
    RILL_TRY(status);
    *count = kept;
done:
    rill_window_close(&window);
    return status;
}
