/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts of wall links. Links of fluid voxels beside solid ones are listed, then crossings are offered to them.
 */
#include "geometry/surface/cuts.h"

#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "geometry/surface/mesh.h"
#include "kernel/lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING 100.0f /* q of a link without an offer */

/* A fluid voxel beside a solid one. */
typedef struct wall_node {
    uint32_t x;
    uint32_t links; /* bit i: the voxel at x - c_i is solid */
    uint64_t first; /* of its links */
} wall_node;

/* Links by rows of voxels. */
typedef struct finder {
    const rill_lines *lines;
    rill_geom *geom;
    uint64_t rows;
    bool overlap;         /* some voxel is enclosed more than once */
    uint64_t *node_first; /* [rows + 1], fluid voxels before the row */
    uint64_t *wall_first; /* [rows + 1], wall nodes before the row */
    uint64_t *cut_first;  /* [rows + 1], links before the row */
    wall_node *walls;
    rill_cut *cuts; /* the triangle is that of the mesh until finish() */
} finder;

/* ---- listing --------------------------------------------------------------------------------- */

static uint32_t solid_links(const finder *f, const uint8_t *voxel)
{
    const int64_t nx = f->geom->n[0], plane = nx * f->geom->n[1];
    uint32_t links = 0;
    for (int i = 1; i < RILL_Q_MAX; i++)
        links |= (uint32_t)(voxel[-(rill_c(RILL_D3Q27, i, 0) + nx * rill_c(RILL_D3Q27, i, 1) +
                                    plane * rill_c(RILL_D3Q27, i, 2))] == RILL_SOLID)
                 << i;
    return links;
}

/* Count fluid voxels, wall nodes and links of a row, or (with `walls`) write them down. `all` [nx] is room
 * for where all nine rows around are fluid. */
static void scan_row(const finder *f, uint64_t row, uint8_t *all, uint64_t counts[3], bool write)
{
    const uint32_t nx = f->geom->n[0];
    const uint64_t ny = f->geom->n[1], y = row % ny, z = row / ny;
    const uint8_t *here = f->geom->voxels + row * nx;
    memset(counts, 0, 3 * sizeof *counts);
    if (y == 0 || y == ny - 1 || z == 0 || z == f->geom->n[2] - 1 || !memchr(here, RILL_FLUID, nx)) return;
    memcpy(all, here, nx);
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++) {
            const uint8_t *other = here + ((int64_t)dy + (int64_t)ny * dz) * (int64_t)nx;
            for (uint32_t x = 0; x < nx; x++) all[x] &= other[x];
        }
    for (uint32_t x = 1; x + 1 < nx; x++) {
        if (!here[x]) continue;
        const uint64_t node = counts[0]++;
        if (all[x - 1] & all[x] & all[x + 1]) continue;
        const uint32_t links = solid_links(f, here + x);
        if (write) {
            rill_cut *cut = f->cuts + f->cut_first[row] + counts[2];
            f->walls[f->wall_first[row] + counts[1]] = (wall_node){x, links, f->cut_first[row] + counts[2]};
            for (int i = 1; i < RILL_Q_MAX; i++)
                if (links >> i & 1)
                    *cut++ = (rill_cut){.node = (rill_node)(f->node_first[row] + node),
                                        .triangle = RILL_NO_TRIANGLE,
                                        .q = NOTHING,
                                        .direction = (uint8_t)i};
        }
        counts[1]++;
        counts[2] += (uint64_t)__builtin_popcount(links);
    }
}

static rill_status scan_rows(finder *f, bool write)
{
    rill_status status = RILL_OK;
#pragma omp parallel
    {
        void *all = NULL;
        const rill_status own = rill_array_create(f->geom->n[0], 1, "a row of voxels", &all);
#pragma omp critical(rill_cuts)
        if (own != RILL_OK) status = own;
#pragma omp for schedule(dynamic, 256)
        for (uint64_t row = 0; row < f->rows; row++) {
            uint64_t counts[3];
            if (!all) continue;
            scan_row(f, row, all, counts, write);
            if (write) continue;
            f->node_first[row + 1] = counts[0];
            f->wall_first[row + 1] = counts[1];
            f->cut_first[row + 1] = counts[2];
        }
        rill_array_destroy(all);
    }
    return status == RILL_OK ? RILL_OK : rill_fail(status, "out of memory for rows of voxels");
}

static rill_status list_links(finder *f)
{
    rill_status status = RILL_OK;
    static const char what[] = "the wall links";
    RILL_TRY(rill_array_create_zero(f->rows + 1, sizeof *f->node_first, what, (void **)&f->node_first));
    RILL_TRY(rill_array_create_zero(f->rows + 1, sizeof *f->wall_first, what, (void **)&f->wall_first));
    RILL_TRY(rill_array_create_zero(f->rows + 1, sizeof *f->cut_first, what, (void **)&f->cut_first));
    RILL_TRY(scan_rows(f, false));
    for (uint64_t row = 0; row < f->rows; row++) {
        f->node_first[row + 1] += f->node_first[row];
        f->wall_first[row + 1] += f->wall_first[row];
        f->cut_first[row + 1] += f->cut_first[row];
    }
    if (f->node_first[f->rows] > UINT32_MAX - 1)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "%llu fluid voxels are more than the 4294967294 that can be numbered: choose a larger --dx",
            (unsigned long long)f->node_first[f->rows]));
    RILL_TRY(rill_array_create(f->wall_first[f->rows] + 1, sizeof *f->walls, what, (void **)&f->walls));
    RILL_TRY(rill_array_create(f->cut_first[f->rows] + 1, sizeof *f->cuts, what, (void **)&f->cuts));
    RILL_TRY(scan_rows(f, true));
done:
    return status;
}

/* ---- offering -------------------------------------------------------------------------------- */

/* A crossing of a link that has, or may have, several. */
typedef struct inner {
    uint64_t voxel; /* where the link begins */
    double at;      /* how far along the link, 0 to 1 */
    uint32_t triangle;
    int8_t into;
    bool fluid[2]; /* whether the voxels at its ends are */
} inner;

/* A direction d = c_i, i odd, that lines run along. */
typedef struct sense {
    finder *f;
    int d[3], axis, i;
    inner *inner; /* [inner_count] */
    uint64_t inner_count, inner_room;
    bool out_of_memory;
} sense;

/* Write the voxel with number `along` on the line of a crossing. */
static bool voxel_at(const sense *s, const rill_crossing *c, int64_t along, int64_t x[3])
{
    if (along < 0 || along >= s->f->geom->n[s->axis])
        return false; /* it may be beyond all numbers of voxels */
    x[s->axis] = along;
    x[(s->axis + 1) % 3] = c->u + s->d[(s->axis + 1) % 3] * along;
    x[(s->axis + 2) % 3] = c->v + s->d[(s->axis + 2) % 3] * along;
    for (int a = 0; a < 3; a++)
        if (x[a] < 0 || x[a] >= s->f->geom->n[a]) return false;
    return true;
}

/* Return the cut of a wall link; NULL when the link is none. */
static rill_cut *cut_of(const finder *f, const int64_t x[3], int direction)
{
    const uint64_t row = (uint64_t)x[1] + f->geom->n[1] * (uint64_t)x[2];
    uint64_t low = f->wall_first[row], high = f->wall_first[row + 1];
    const uint64_t end = high;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (f->walls[middle].x < (uint64_t)x[0])
            low = middle + 1;
        else
            high = middle;
    }
    if (low == end || f->walls[low].x != (uint64_t)x[0] || !(f->walls[low].links >> direction & 1))
        return NULL;
    const uint32_t before = f->walls[low].links & ((1u << direction) - 1);
    return f->cuts + f->walls[low].first + (uint64_t)__builtin_popcount(before);
}

/* Offer a crossing to the link of a voxel, q from it; the voxel is number `along` on its line. */
static void offer(const sense *s, const rill_crossing *c, int64_t along, int direction, float q)
{
    int64_t x[3];
    rill_cut *cut = voxel_at(s, c, along, x) ? cut_of(s->f, x, direction) : NULL;
    if (!cut || q > cut->q || (q == cut->q && c->triangle > cut->triangle)) return;
    cut->q = q;
    cut->triangle = c->triangle;
}

/* Keep a crossing for find_thin(), or, where shells overlap, for settle_seam(). */
static void keep_inner(sense *s, const rill_crossing *c)
{
    const rill_geom *geom = s->f->geom;
    int64_t x[3], y[3];
    if (!voxel_at(s, c, c->cell, x) || !voxel_at(s, c, c->cell + 1, y)) return;
    const int64_t nx = geom->n[0], ny = geom->n[1], here = x[0] + nx * (x[1] + ny * x[2]);
    const bool from = geom->voxels[here], to = geom->voxels[y[0] + nx * (y[1] + ny * y[2])];
    if (!(from && to) && !(s->f->overlap && (from || to))) return;
    if (RILL_LIST_GROW(s->inner, s->inner_count, s->inner_room, "crossings of the surface") != RILL_OK) {
        s->out_of_memory = true;
        return;
    }
    s->inner[s->inner_count++] = (inner){(uint64_t)here, c->at, c->triangle, (int8_t)c->into, {from, to}};
}

static int by_place(const void *a, const void *b)
{
    const inner *l = a, *r = b;
    if (l->voxel != r->voxel) return l->voxel < r->voxel ? -1 : 1;
    if (l->at != r->at) return l->at < r->at ? -1 : 1;
    return l->triangle < r->triangle ? -1 : l->triangle > r->triangle;
}

/* Count a link that leaves the fluid and enters it again. Where it only grazes a bulge of the wall, the
 * normals there hardly differ; on the two faces of a thin wall they are opposite. */
static void find_thin(const sense *s, const inner *first, uint64_t count, rill_defect *defect)
{
    const rill_mesh *mesh = s->f->lines->mesh;
    for (uint64_t k = 1; k < count; k++) {
        const inner *out = &first[k - 1], *in = &first[k];
        double n[2][3], place[3];
        if (out->into > 0 || in->into < 0) continue;
        if (mesh->triangles[out->triangle].opening || mesh->triangles[in->triangle].opening) continue;
        rill_mesh_area(mesh, out->triangle, n[0]);
        rill_mesh_area(mesh, in->triangle, n[1]);
        if (rill_dot(n[0], n[1]) >= 0) continue;
        rill_mesh_middle(mesh, out->triangle, place);
#pragma omp critical(rill_cuts)
        rill_defect_add(defect, place);
    }
}

/* Where a link leaves several overlapping shells, the wall is where it has left all of them. The solid end is
 * in none, so that the crossings give in how many the fluid end is. */
static void settle_seam(const sense *s, const inner *first, uint64_t count)
{
    const rill_geom *geom = s->f->geom;
    const bool forward = first->fluid[0]; /* the fluid end is the one where the link begins */
    const uint64_t row = first->voxel / geom->n[0];
    int64_t x[3] = {(int64_t)(first->voxel % geom->n[0]), (int64_t)(row % geom->n[1]),
                    (int64_t)(row / geom->n[1])};
    int within = 0;
    for (uint64_t k = 0; k < count; k++) within -= forward ? first[k].into : -first[k].into;
    for (int a = 0; a < 3 && !forward; a++) x[a] += s->d[a];
    rill_cut *cut = cut_of(s->f, x, forward ? s->i + 1 : s->i);
    for (uint64_t k = 0; cut && k < count; k++) {
        const inner *c = &first[forward ? k : count - 1 - k];
        within += forward ? c->into : -c->into;
        if (within > 0) continue;
        cut->q = (float)(forward ? c->at : 1 - c->at);
        cut->triangle = c->triangle;
        return;
    }
}

/* Look at links with several crossings. */
static void settle_inner(const sense *s, rill_defect *thin)
{
    if (s->inner_count > 1) qsort(s->inner, s->inner_count, sizeof *s->inner, by_place);
    for (uint64_t k = 0, end; k < s->inner_count; k = end) {
        const inner *first = &s->inner[k];
        for (end = k + 1; end < s->inner_count && s->inner[end].voxel == first->voxel;) end++;
        if (end - k < 2) continue;
        if (first->fluid[0] && first->fluid[1])
            find_thin(s, first, end - k, thin);
        else
            settle_seam(s, first, end - k);
    }
}

static void on_crossing(void *context, const rill_crossing *c)
{
    sense *s = context;
    const int behind = s->i + 1, before = s->i; /* c_i leads from a voxel to the next, its opposite back */
    keep_inner(s, c);
    /* A wall is where a link leaves the body; where it enters it, two shells overlap. */
    if (c->into < 0)
        offer(s, c, c->cell, behind, (float)c->at);
    else
        offer(s, c, c->cell + 1, before, (float)(1 - c->at));
}

static rill_status offer_crossings(finder *f, rill_progress progress, rill_defect *thin)
{
    rill_progress_loop loop = {progress, "cutting wall links", false};
    const int64_t far = 4 * (int64_t)RILL_GRID_MAX;
    bool out_of_memory = false;
    /* Opposite directions share their lines, and no two tasks a link. */
#pragma omp parallel for schedule(static, 1) reduction(|| : out_of_memory)
    for (int i = 1; i < RILL_Q_MAX; i += 2) {
        if (!rill_progress_loop_on(&loop, (uint64_t)i, RILL_Q_MAX, 1)) continue;
        sense s = {.f = f, .i = i};
        for (int a = 0; a < 3; a++) s.d[a] = rill_c(RILL_D3Q27, i, a);
        s.axis = rill_lines_axis(s.d);
        rill_lines_walk(f->lines, s.d, -far, far, on_crossing, &s);
        settle_inner(&s, thin);
        out_of_memory = out_of_memory || s.out_of_memory;
        free(s.inner);
    }
    return out_of_memory ? rill_fail(RILL_SYSTEM, "out of memory for crossings of the surface")
                         : rill_progress_loop_end(&loop);
}

/* ---- finishing ------------------------------------------------------------------------------- */

/* Settle q, and return the opening that a link goes through, 0 for walls; counts links without a crossing. */
static uint16_t settle(const finder *f, rill_cut *cut, uint32_t x, uint64_t row, rill_defect *defect)
{
    if (cut->q >= NOTHING) {
        const rill_grid *grid = &f->lines->grid;
        const uint64_t at[3] = {x, row % grid->n[1], row / grid->n[1]};
        double place[3];
        for (int a = 0; a < 3; a++) place[a] = grid->origin[a] + ((double)at[a] + 0.5) * grid->spacing;
        rill_defect_add(defect, place);
        cut->q = 0.5f;
        return 0;
    }
    const rill_triangle *t = &f->lines->mesh->triangles[cut->triangle];
    cut->triangle = t->source;
    return t->opening;
}

static rill_status make_room(rill_surface *surface, const uint64_t *counts)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < surface->opening_count; k++)
        RILL_TRY(rill_array_create(counts[k + 1] + 1, sizeof(rill_cut), "the links of an opening",
                                   (void **)&surface->openings[k].cuts));
done:
    return status;
}

/* Take links through openings out of the list; what is left closes up. */
static rill_status finish(finder *f, rill_surface *surface, rill_defect *defect)
{
    rill_status status = RILL_OK;
    uint64_t counts[RILL_OPENINGS + 1] = {0}, walls = 0;
    for (uint64_t c = 0; c < f->cut_first[f->rows]; c++)
        if (f->cuts[c].q < NOTHING) counts[f->lines->mesh->triangles[f->cuts[c].triangle].opening]++;
    RILL_TRY(make_room(surface, counts));
    for (uint64_t row = 0; row < f->rows; row++)
        for (uint64_t w = f->wall_first[row]; w < f->wall_first[row + 1]; w++) {
            const wall_node *node = &f->walls[w];
            const uint64_t end = node->first + (uint64_t)__builtin_popcount(node->links);
            for (uint64_t c = node->first; c < end; c++) {
                rill_cut cut = f->cuts[c];
                const uint16_t k = settle(f, &cut, node->x, row, defect);
                if (k == 0) {
                    f->cuts[walls++] = cut; /* walls <= c */
                    continue;
                }
                rill_opening *opening = &surface->openings[k - 1];
                opening->cuts[opening->cut_count++] = cut;
                f->geom->voxels[node->x + row * f->geom->n[0]] = opening->label;
            }
        }
    surface->walls = f->cuts;
    surface->wall_count = walls;
    f->cuts = NULL;
done:
    return status;
}

/* Links of D3Q27 through the area of the face of a voxel, sum of max(0, c_i n): 12 / sqrt(2) for a wall along
 * two of its diagonals, the least, 9 along its faces, and 9.2 in the mean of all directions. */
#define LINKS_OF_AREA 8.48

rill_status rill_cuts_require(const rill_mesh *mesh, const rill_grid *grid, double within, double volume)
{
    const uint64_t rows = (uint64_t)grid->n[1] * grid->n[2];
    const finder *f = NULL;
    double area = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        double own[3];
        rill_mesh_area(mesh, t, own);
        area += sqrt(rill_dot(own, own));
    }
    area *= (1 - within) / pow(grid->spacing, 2);
    /* Inside out, a surface has a volume below 0. Surfaces with folds that are smaller than
     * voxels have no more links than voxels have. */
    const double voxels = fabs(volume) / pow(grid->spacing, 3),
                 links = fmin(LINKS_OF_AREA * area, 26 * voxels),
                 bytes = (double)rows * (grid->n[0] + 3.0 * sizeof *f->cut_first) + links * sizeof *f->cuts +
                         fmin(area, voxels) * sizeof *f->walls;
    return rill_memory_require((uint64_t)fmin(bytes, 1e18), "the voxels and their wall links");
}

rill_status rill_cuts_find(const rill_lines *lines, rill_progress progress, rill_geom *geom,
                           rill_surface *surface, rill_defect defects[RILL_DEFECT_KINDS])
{
    rill_status status = RILL_OK;
    finder f = {.lines = lines,
                .geom = geom,
                .rows = (uint64_t)geom->n[1] * geom->n[2],
                .overlap = defects[RILL_DEFECT_OVERLAP].count > 0};
    RILL_TRY(list_links(&f));
    RILL_TRY(offer_crossings(&f, progress, &defects[RILL_DEFECT_THIN]));
    RILL_TRY(finish(&f, surface, &defects[RILL_DEFECT_NO_WALL]));
done:
    rill_array_destroy(f.node_first);
    rill_array_destroy(f.wall_first);
    rill_array_destroy(f.cut_first);
    rill_array_destroy(f.walls);
    rill_array_destroy(f.cuts);
    return status;
}
