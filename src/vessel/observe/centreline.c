/* SPDX-License-Identifier: Apache-2.0 */
/* Centre lines: distances to the wall by chamfering, paths by Dijkstra's algorithm. */
#include "vessel/observe/centreline.h"

#include "core/memory.h"
#include "core/status.h"
#include "domain/layers.h"
#include "geometry/surface/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 300000, ROUNDS = 20 /* of smoothing */ };

static const uint32_t NONE = UINT32_MAX;

/* What waits to be visited. */
typedef struct waiting {
    float cost;
    uint32_t cell;
} waiting;

/* A coarse grid over the box; cells of `factor` voxels, of which those are numbered whose middle is fluid. */
typedef struct grid {
    const rill_geom *geom;
    uint32_t factor, n[3];
    rill_numbering numbers;
    uint32_t (*at)[3]; /* [cells], where it is */
    float *depth;      /* [cells], distance to the wall in cells */
    float *cost;       /* [cells], of the way from the root */
    uint32_t *parent;  /* [cells], NONE: not reached, or the root */
    uint8_t *taken;    /* [cells], on a line already */
    waiting *heap;
    uint64_t heap_count, heap_room;
    double (*line)[3]; /* [line_room], of one branch */
    uint64_t line_room;
} grid;

static uint64_t cells_of(const grid *g) { return g->numbers.nodes; }

/* The neighbour of a cell in direction k of 27, NONE where it is not fluid. */
static uint32_t neighbour_cell(const grid *g, uint32_t cell, int k, double *length)
{
    uint32_t at[3];
    const int step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
    for (int a = 0; a < 3; a++) {
        at[a] = g->at[cell][a];
        if ((step[a] < 0 && at[a] == 0) || (step[a] > 0 && at[a] + 1 == g->n[a])) return NONE;
        at[a] += (uint32_t)step[a];
    }
    *length = sqrt(abs(step[0]) + abs(step[1]) + abs(step[2]));
    return rill_numbering_has(&g->numbers, at[0], at[1], at[2])
               ? rill_numbering_rank(&g->numbers, at[0], at[1], at[2])
               : NONE;
}

/* ---- distances ------------------------------------------------------------------------------- */

/* Two passes with the steps 1, sqrt 2, sqrt 3 (Borgefors 1986, doi:10.1016/S0734-189X(86)80047-0). */
static void depth_find(grid *g)
{
    const uint64_t cells = cells_of(g);
    for (uint64_t k = 0; k < 2 * cells; k++) {
        const uint32_t cell = (uint32_t)(k < cells ? k : 2 * cells - 1 - k);
        for (int d = k < cells ? 0 : 14; d < (k < cells ? 13 : 27); d++) {
            double length = 1;
            const uint32_t other = neighbour_cell(g, cell, d, &length);
            const float through = (other == NONE ? 0 : g->depth[other]) + (float)length;
            if (through < g->depth[cell]) g->depth[cell] = through;
        }
    }
}

/* Voxels along a cell. */
static uint32_t factor_of(uint64_t nodes) { return (uint32_t)fmax(1, ceil(cbrt((double)nodes / CELLS))); }

uint64_t rill_centreline_measure(const rill_geom *geom, uint64_t nodes, uint64_t *places)
{
    const grid g = {0};
    const uint32_t factor = factor_of(nodes);
    uint64_t cells = 1, along = 0;
    for (int a = 0; a < 3; a++) {
        cells *= (geom->n[a] + factor - 1) / factor;
        along += (geom->n[a] + factor - 1) / factor;
    }
    *places = along * (uint64_t)(geom->surface->opening_count - 1);
    /* Each fluid cell waits a few times, by shorter and shorter ways. */
    const uint64_t fluid = nodes / ((uint64_t)factor * factor * factor) + 1;
    return cells / 64 * (sizeof *g.numbers.occupied + sizeof *g.numbers.base) +
           fluid * (sizeof *g.at + sizeof *g.depth + sizeof *g.cost + sizeof *g.parent + sizeof *g.taken) +
           4 * fluid * sizeof *g.heap;
}

static rill_status grid_make(grid *g, const rill_domain *domain)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = g->geom = domain->geom;
    rill_layers layers = {.first = 0};
    g->factor = factor_of(domain->nodes);
    for (int a = 0; a < 3; a++) g->n[a] = (geom->n[a] + g->factor - 1) / g->factor;
    RILL_TRY(rill_numbering_begin(g->n, &g->numbers));
    for (uint32_t z = 0; z < g->n[2]; z++)
        for (uint32_t y = 0; y < g->n[1]; y++)
            for (uint32_t x = 0; x < g->n[0]; x++) {
                uint32_t at[3] = {x, y, z};
                bool inside = true;
                for (int a = 0; a < 3; a++) {
                    at[a] = at[a] * g->factor + g->factor / 2;
                    inside = inside && at[a] < geom->n[a];
                }
                if (!inside) continue;
                RILL_TRY(rill_layers_see(domain, at[2], 0, &layers));
                const size_t row = ((size_t)z * g->n[1] + y) * g->numbers.row_words;
                if (rill_layers_has(&layers, at[0], at[1], at[2]))
                    g->numbers.occupied[row + x / 64] |= (uint64_t)1 << x % 64;
            }
    rill_numbering_finish(&g->numbers);
    const uint64_t cells = cells_of(g);
    RILL_TRY(rill_array_create(cells + 1, sizeof *g->at, "a centre line", (void **)&g->at));
    RILL_TRY(rill_array_create(cells + 1, sizeof *g->depth, "a centre line", (void **)&g->depth));
    RILL_TRY(rill_array_create(cells + 1, sizeof *g->cost, "a centre line", (void **)&g->cost));
    RILL_TRY(rill_array_create(cells + 1, sizeof *g->parent, "a centre line", (void **)&g->parent));
    RILL_TRY(rill_array_create_zero(cells + 1, 1, "a centre line", (void **)&g->taken));
    if (cells > 0) rill_numbering_places(&g->numbers, 0, (rill_node)cells, g->at);
    for (uint64_t c = 0; c < cells; c++) {
        g->depth[c] = g->cost[c] = INFINITY;
        g->parent[c] = NONE;
    }
    depth_find(g);
done:
    rill_layers_free(&layers);
    return status;
}

/* ---- paths ----------------------------------------------------------------------------------- */

static rill_status push(grid *g, float cost, uint32_t cell)
{
    const rill_status status = RILL_LIST_GROW(g->heap, g->heap_count, g->heap_room, "cells of a centre line");
    if (status != RILL_OK) return status;
    uint64_t k = g->heap_count++;
    for (; k > 0 && g->heap[(k - 1) / 2].cost > cost; k = (k - 1) / 2) g->heap[k] = g->heap[(k - 1) / 2];
    g->heap[k] = (waiting){cost, cell};
    return RILL_OK;
}

static waiting pop(grid *g)
{
    const waiting first = g->heap[0], last = g->heap[--g->heap_count];
    uint64_t k = 0;
    for (uint64_t child; (child = 2 * k + 1) < g->heap_count; k = child) {
        if (child + 1 < g->heap_count && g->heap[child + 1].cost < g->heap[child].cost) child++;
        if (g->heap[child].cost >= last.cost) break;
        g->heap[k] = g->heap[child];
    }
    g->heap[k] = last;
    return first;
}

static rill_status paths_find(grid *g, uint32_t root)
{
    rill_status status = RILL_OK;
    g->cost[root] = 0;
    RILL_TRY(push(g, 0, root));
    while (g->heap_count > 0) {
        const waiting at = pop(g);
        if (at.cost > g->cost[at.cell]) continue; /* a shorter way was found meanwhile */
        for (int k = 0; k < 27; k++) {
            double length;
            const uint32_t other = neighbour_cell(g, at.cell, k, &length);
            if (k == 13 || other == NONE) continue;
            const float mean = (g->depth[at.cell] + g->depth[other]) / 2;
            const float cost = at.cost + (float)length / (mean * mean);
            if (cost >= g->cost[other]) continue;
            g->cost[other] = cost;
            g->parent[other] = at.cell;
            RILL_TRY(push(g, cost, other));
        }
    }
done:
    return status;
}

/* The fluid cell nearest to a place, in m. */
static uint32_t nearest(const grid *g, const double place[3])
{
    uint32_t best = NONE;
    double least = INFINITY;
    for (uint64_t c = 0; c < cells_of(g); c++) {
        double gap = 0;
        for (int a = 0; a < 3; a++)
            gap += pow(g->geom->origin[a] + g->geom->spacing * g->factor * (g->at[c][a] + 0.5) - place[a], 2);
        if (gap < least) least = gap, best = (uint32_t)c;
    }
    return best;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Walk back from an opening to the root or to a line that is there already. The positions are in g->line, the
 * opening's centre first. */
static rill_status trace(grid *g, uint32_t cell, const double centre[3], uint64_t *count)
{
    rill_status status = RILL_OK;
    *count = 1;
    RILL_TRY(RILL_LIST_GROW(g->line, 0, g->line_room, "the positions of a centre line"));
    memcpy(g->line[0], centre, sizeof *g->line);
    for (bool met = false; cell != NONE && !met; cell = g->parent[cell]) {
        RILL_TRY(RILL_LIST_GROW(g->line, *count, g->line_room, "the positions of a centre line"));
        for (int a = 0; a < 3; a++)
            g->line[*count][a] = g->geom->origin[a] + g->geom->spacing * g->factor * (g->at[cell][a] + 0.5);
        ++*count;
        met = g->taken[cell];
        g->taken[cell] = 1;
    }
    for (int round = 0; round < ROUNDS; round++) /* in place, ends stay */
        for (uint64_t k = 1; k + 1 < *count; k++)
            for (int a = 0; a < 3; a++)
                g->line[k][a] = (g->line[k - 1][a] + 2 * g->line[k][a] + g->line[k + 1][a]) / 4;
done:
    return status;
}

static double apart(const double a[3], const double b[3])
{
    double gap[3];
    rill_subtract(a, b, gap);
    return sqrt(rill_dot(gap, gap));
}

/* How far along the lines the end of a new one is from the root: where it meets another. */
static double distance_at(const rill_centreline *out, const double place[3])
{
    double least = INFINITY, distance = 0;
    for (uint64_t k = 0; k < out->count; k++) {
        const double gap = apart(out->places[k], place);
        if (gap < least) least = gap, distance = out->distance[k];
    }
    return distance;
}

/* Add the line, from its end to the opening, to what there is. */
static rill_status append(const grid *g, uint64_t count, uint32_t branch, rill_centreline *out)
{
    const uint64_t all = out->count + count;
    void *places = realloc(out->places, all * sizeof *out->places), *distance = NULL, *branches = NULL;
    if (places) out->places = places;
    if (places) distance = realloc(out->distance, all * sizeof *out->distance);
    if (distance) out->distance = distance;
    if (distance) branches = realloc(out->branch, all * sizeof *out->branch);
    if (!branches) return rill_fail(RILL_SYSTEM, "out of memory for a centre line");
    out->branch = branches;
    double way = distance_at(out, g->line[count - 1]);
    for (uint64_t k = 0; k < count; k++) {
        const double *place = g->line[count - 1 - k];
        if (k > 0) way += apart(place, g->line[count - k]);
        memcpy(out->places[out->count + k], place, sizeof *out->places);
        out->distance[out->count + k] = way;
        out->branch[out->count + k] = branch;
    }
    out->count = all;
    return RILL_OK;
}

rill_status rill_centreline_make(const rill_domain *domain, int root, rill_centreline *out)
{
    rill_status status = RILL_OK;
    grid g = {0};
    const rill_surface *s = domain->geom->surface;
    *out = (rill_centreline){0};
    RILL_TRY(grid_make(&g, domain));
    const uint32_t start = nearest(&g, s->openings[root].centre);
    if (start == NONE) RILL_TRY(rill_fail(RILL_USAGE, "the vessel is too small for a centre line"));
    RILL_TRY(paths_find(&g, start));
    for (int k = 0; k < s->opening_count; k++) {
        uint64_t count;
        const uint32_t end = nearest(&g, s->openings[k].centre);
        if (k == root || g.parent[end] == NONE) continue;
        RILL_TRY(trace(&g, end, s->openings[k].centre, &count));
        RILL_TRY(append(&g, count, (uint32_t)k, out));
    }
done:
    rill_numbering_destroy(&g.numbers);
    rill_array_destroy(g.at);
    rill_array_destroy(g.depth);
    rill_array_destroy(g.cost);
    rill_array_destroy(g.parent);
    rill_array_destroy(g.taken);
    free(g.heap);
    free(g.line);
    if (status != RILL_OK) rill_centreline_free(out);
    return status;
}

void rill_centreline_free(rill_centreline *line)
{
    free(line->places);
    free(line->distance);
    free(line->branch);
    *line = (rill_centreline){0};
}
