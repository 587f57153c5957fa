/* SPDX-License-Identifier: Apache-2.0 */
/* Inside and outside by counting crossings along x; what openings lead to by filling from them. */
#include "geometry/surface/fill.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void centre_of(const rill_grid *grid, uint64_t x, uint64_t y, uint64_t z, double out[3])
{
    const uint64_t at[3] = {x, y, z};
    for (int a = 0; a < 3; a++) out[a] = grid->origin[a] + ((double)at[a] + 0.5) * grid->spacing;
}

/* Adds to the first voxel behind each crossing; modulo 256, so that the sum along a row is right whatever
 * happens between two voxels. */
static void mark(void *context, const rill_crossing *c)
{
    rill_geom *geom = context;
    const int64_t behind = c->cell + 1;
    if (c->u < 0 || c->u >= geom->n[1] || c->v < 0 || c->v >= geom->n[2] || behind >= geom->n[0]) return;
    const uint64_t x = behind < 0 ? 0 : (uint64_t)behind;
    uint8_t *voxel = geom->voxels + x + geom->n[0] * ((uint64_t)c->u + geom->n[1] * (uint64_t)c->v);
    *voxel = (uint8_t)(*voxel + c->into);
}

/* Converts sums of crossings to voxels. Returns what is left at the end of the row: 0 when it is closed. */
static int close_row(const rill_grid *grid, uint8_t *row, uint32_t y, uint32_t z, rill_defect *defect)
{
    uint8_t sum = 0;
    /* Pages of rows that no line crosses stay untouched, so that memory grows with the fluid. */
    if (row[0] == 0 && memcmp(row, row + 1, grid->n[0] - 1) == 0) return 0;
    for (uint32_t x = 0; x < grid->n[0]; x++) {
        sum = (uint8_t)(sum + row[x]);
        const int8_t winds = (int8_t)sum;
        row[x] = winds >= 1 ? RILL_FLUID : RILL_SOLID;
        if (winds != 0 && winds != 1) {
            double place[3];
            centre_of(grid, x, y, z, place);
#pragma omp critical(rill_fill)
            rill_defect_add(defect, place);
        }
    }
    return sum;
}

rill_status rill_fill_inside(const rill_lines *lines, rill_geom *geom, rill_defect *defect)
{
    enum { SLAB = 16 };
    const rill_grid *grid = &lines->grid;
    const int64_t slabs = (grid->n[2] + SLAB - 1) / SLAB;
    uint64_t open = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : open)
    for (int64_t s = 0; s < slabs; s++) {
        const uint32_t first = (uint32_t)(s * SLAB);
        const uint32_t end = grid->n[2] - first < SLAB ? grid->n[2] : first + SLAB;
        rill_lines_walk(lines, (const int[3]){1, 0, 0}, first, end, mark, geom);
        for (uint32_t z = first; z < end; z++)
            for (uint32_t y = 0; y < grid->n[1]; y++)
                open += close_row(grid, geom->voxels + grid->n[0] * (y + (uint64_t)grid->n[1] * z), y, z,
                                  defect) != 0;
    }
    if (open > 0)
        return rill_fail(RILL_USAGE,
                         "%llu rows of voxels enter the surface without leaving it: it is not closed",
                         (unsigned long long)open);
    return RILL_OK;
}

/* ---- holes ----------------------------------------------------------------------------------- */

/* Return whether a centre is on neither side of a hole for sure. */
static bool is_uncertain(const rill_mesh *mesh, const rill_hole *hole, const double x[3])
{
    double angle = 0;
    for (uint32_t t = hole->first; t < hole->first + hole->count; t++) {
        const uint32_t *v = mesh->triangles[t].v;
        angle += rill_solid_angle(mesh->vertices[v[0]], mesh->vertices[v[1]], mesh->vertices[v[2]], x);
    }
    const double part = fabs(angle) / (4 * M_PI);
    return part > 0.25 && part < 0.75;
}

/* @param most  solid angles that it may take */
static void examine_hole(const rill_mesh *mesh, const rill_grid *grid, const rill_hole *hole, double most,
                         rill_defect *defect)
{
    int64_t first[3], end[3];
    double extent[3], voxels = 1;
    rill_subtract(hole->high, hole->low, extent);
    const double reach = 0.6 * sqrt(rill_dot(extent, extent)); /* r / sqrt 3 suffices for a disc */
    for (int a = 0; a < 3; a++) {
        first[a] = (int64_t)fmax(floor((hole->low[a] - reach - grid->origin[a]) / grid->spacing), 0);
        end[a] = (int64_t)fmin(ceil((hole->high[a] + reach - grid->origin[a]) / grid->spacing), grid->n[a]);
        voxels *= (double)(end[a] - first[a]);
    }
    int64_t step = 1;
    while (voxels * hole->count / (double)(step * step * step) > most) step *= 2;
    const uint64_t before = defect->count;
    for (int64_t z = first[2] + step / 2; z < end[2]; z += step)
        for (int64_t y = first[1] + step / 2; y < end[1]; y += step)
            for (int64_t x = first[0] + step / 2; x < end[0]; x += step) {
                double at[3];
                centre_of(grid, (uint64_t)x, (uint64_t)y, (uint64_t)z, at);
                if (is_uncertain(mesh, hole, at)) rill_defect_add(defect, at);
            }
    defect->count = before + (defect->count - before) * (uint64_t)(step * step * step);
}

void rill_fill_uncertain(const rill_mesh *mesh, const rill_grid *grid, const rill_openings *openings,
                         rill_defect *defect)
{
    const double most = 1e8; /* for all of them: some seconds */
    for (uint32_t h = 0; h < openings->hole_count; h++)
        examine_hole(mesh, grid, &openings->holes[h], most / openings->hole_count, defect);
}

/* ---- what openings lead to ------------------------------------------------------------------- */

enum { REACHED = 255 };

/* Voxels x0 … x1 of a row. */
typedef struct run {
    uint32_t x0, x1;
    uint64_t row; /* y + ny z */
} run;

typedef struct flood {
    rill_geom *geom;
    const rill_mesh *mesh;
    int axis;
    run *stack;
    uint64_t count, room;
    rill_status status;
} flood;

/* Mark the run of fluid around a voxel and put it on the stack. Returns its last voxel. */
static uint32_t take_run(flood *f, uint32_t x, uint64_t row)
{
    uint8_t *voxels = f->geom->voxels + row * f->geom->n[0];
    uint32_t x0 = x, x1 = x;
    while (x0 > 0 && voxels[x0 - 1] == RILL_FLUID) x0--;
    while (x1 + 1 < f->geom->n[0] && voxels[x1 + 1] == RILL_FLUID) x1++;
    memset(voxels + x0, REACHED, x1 - x0 + 1);
    const rill_status status = RILL_LIST_GROW(f->stack, f->count, f->room, "rows of the fluid");
    if (status == RILL_OK)
        f->stack[f->count++] = (run){x0, x1, row};
    else
        f->status = status;
    return x1;
}

/* Begins at the voxels on the inner side of openings. */
static void seed(void *context, const rill_crossing *c)
{
    flood *f = context;
    if (!f->mesh->triangles[c->triangle].opening || f->status != RILL_OK) return;
    int64_t x[3];
    x[f->axis] = c->cell + (c->into > 0);
    x[(f->axis + 1) % 3] = c->u;
    x[(f->axis + 2) % 3] = c->v;
    for (int a = 0; a < 3; a++)
        if (x[a] < 0 || x[a] >= f->geom->n[a]) return;
    const uint64_t row = (uint64_t)x[1] + f->geom->n[1] * (uint64_t)x[2];
    if (f->geom->voxels[(uint64_t)x[0] + row * f->geom->n[0]] == RILL_FLUID) take_run(f, (uint32_t)x[0], row);
}

static void spread(flood *f)
{
    const uint64_t ny = f->geom->n[1], nz = f->geom->n[2];
    while (f->count > 0 && f->status == RILL_OK) {
        const run r = f->stack[--f->count];
        const uint64_t y = r.row % ny, z = r.row / ny;
        for (uint64_t v = z > 0 ? z - 1 : 0; v <= z + 1 && v < nz; v++)
            for (uint64_t u = y > 0 ? y - 1 : 0; u <= y + 1 && u < ny; u++) {
                const uint64_t row = u + ny * v;
                const uint8_t *voxels = f->geom->voxels + row * f->geom->n[0];
                const uint32_t last = r.x1 + 1 < f->geom->n[0] ? r.x1 + 1 : r.x1;
                for (uint32_t x = r.x0 > 0 ? r.x0 - 1 : 0; x <= last; x++)
                    if (voxels[x] == RILL_FLUID) x = take_run(f, x, row);
            }
    }
}

rill_status rill_fill_keep(const rill_lines *lines, rill_geom *geom, int openings, rill_defect *defect)
{
    static const int axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    flood f = {.geom = geom, .mesh = lines->mesh};
    const uint64_t rows = (uint64_t)geom->n[1] * geom->n[2];
    if (openings == 0) return RILL_OK;
    for (f.axis = 0; f.axis < 3; f.axis++)
        rill_lines_walk(lines, axes[f.axis], 0, geom->n[(f.axis + 2) % 3], seed, &f);
    spread(&f);
    free(f.stack);
    if (f.status != RILL_OK) return f.status;
#pragma omp parallel for schedule(static)
    for (uint64_t row = 0; row < rows; row++) {
        uint8_t *voxels = geom->voxels + row * geom->n[0];
        for (uint32_t x = 0; x < geom->n[0]; x++) {
            if (voxels[x] == RILL_FLUID) {
                double place[3];
                centre_of(&lines->grid, x, row % geom->n[1], row / geom->n[1], place);
#pragma omp critical(rill_fill)
                rill_defect_add(defect, place);
            }
            if (voxels[x]) voxels[x] = voxels[x] == REACHED;
        }
    }
    return RILL_OK;
}
