/* SPDX-License-Identifier: Apache-2.0 */
/* Distances by the 3-4-5 chamfer (Borgefors 1986, doi:10.1016/S0734-189X(86)80047-0) on voxels, or on blocks
 * of them when there are many. */
#include "vessel/observe/passage.h"

#include "core/memory.h"
#include "core/status.h"
#include "domain/numbering.h"
#include "geometry/voxels/planes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 24, UNIT = 3, RING = 6 }; /* cells; chamfer length of an edge; longest step + 1 */
#define SHELL 6                              /* thickness of a shell in chamfer units: two cells */

typedef struct reach {
    const rill_geom *geom;
    uint32_t block, n[3];
    rill_numbering numbers; /* of the cells with fluid: the others are most of the box of a vessel */
    uint64_t cells;         /* with fluid */
    uint32_t (*at)[3];      /* [cells], where it is */
    uint16_t *fluid;        /* [cells], fluid voxels in it */
    uint8_t *label;         /* [cells], the highest of its voxels */
    uint32_t *far;          /* [cells], UINT32_MAX: not reached */
    uint32_t *back;         /* [cells], the cell that it was reached from */
    uint32_t *order;        /* [cells], as reached */
    uint32_t *piece;        /* [cells], of its shell */
    uint64_t reached;
    uint32_t pieces;
    double *area, *flow, (*middle)[3]; /* [pieces]; voxels, given unit, cells */
    bool *cut;                         /* [pieces], by the plane of an opening */
} reach;

/* Called for every fluid voxel, in their order. */
typedef void (*voxel_fn)(reach *r, const uint32_t cell[3], uint8_t voxel);

static void cell_mark(reach *r, const uint32_t cell[3], uint8_t voxel)
{
    (void)voxel;
    const size_t row = ((size_t)cell[2] * r->n[1] + cell[1]) * r->numbers.row_words;
    r->numbers.occupied[row + cell[0] / 64] |= (uint64_t)1 << cell[0] % 64;
}

static void cell_fill(reach *r, const uint32_t cell[3], uint8_t voxel)
{
    const rill_node here = rill_numbering_rank(&r->numbers, cell[0], cell[1], cell[2]);
    if (r->fluid[here] < UINT16_MAX) r->fluid[here]++;
    if (voxel > r->label[here]) r->label[here] = voxel;
    memcpy(r->at[here], cell, sizeof r->at[here]);
}

static rill_status each_voxel(reach *r, voxel_fn see)
{
    rill_status status = RILL_OK;
    rill_window window = {.geom = r->geom};
    const uint32_t *n = r->geom->n;
    for (uint32_t end = 0; rill_window_next(&window, &end, &status);)
        for (uint32_t z = window.first; z < end; z++)
            for (uint32_t y = 0; y < n[1]; y++) {
                const uint8_t *voxels = rill_window_row(&window, y, z);
                for (uint32_t x = 0; x < n[0]; x++)
                    if (voxels[x] != RILL_SOLID)
                        see(r, (const uint32_t[3]){x / r->block, y / r->block, z / r->block}, voxels[x]);
            }
    rill_window_close(&window);
    return status;
}

static rill_status gather(reach *r)
{
    rill_status status = RILL_OK;
    const rill_geom *g = r->geom;
    for (r->block = 1;; r->block *= 2) {
        uint64_t box = 1;
        for (int a = 0; a < 3; a++) box *= r->n[a] = (g->n[a] + r->block - 1) / r->block;
        if (box <= MOST) break;
    }
    RILL_TRY(rill_numbering_begin(r->n, &r->numbers));
    RILL_TRY(each_voxel(r, cell_mark));
    rill_numbering_finish(&r->numbers);
    r->cells = r->numbers.nodes;
    const uint64_t room = r->cells + 1;
    RILL_TRY(rill_memory_require(room * 31, "the cross-sections"));
    RILL_TRY(rill_array_create(room, sizeof *r->at, "the cross-sections", (void **)&r->at));
    RILL_TRY(rill_array_create_zero(room, sizeof *r->fluid, "the cross-sections", (void **)&r->fluid));
    RILL_TRY(rill_array_create_zero(room, sizeof *r->label, "the cross-sections", (void **)&r->label));
    RILL_TRY(rill_array_create(room, sizeof *r->far, "the cross-sections", (void **)&r->far));
    RILL_TRY(rill_array_create(room, sizeof *r->back, "the cross-sections", (void **)&r->back));
    RILL_TRY(rill_array_create(room, sizeof *r->order, "the cross-sections", (void **)&r->order));
    RILL_TRY(rill_array_create(room, sizeof *r->piece, "the cross-sections", (void **)&r->piece));
    memset(r->far, 0xff, room * sizeof *r->far);
    memset(r->piece, 0xff, room * sizeof *r->piece);
    RILL_TRY(each_voxel(r, cell_fill));
done:
    return status;
}

/* A cell beside another. */
typedef struct beside {
    uint32_t cell;
    uint32_t length; /* of the step there, in chamfer units */
} beside;

static int look_around(const reach *r, uint64_t cell, beside out[26])
{
    int count = 0;
    for (int k = 0; k < 27; k++) {
        const int64_t d[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        const int steps = (d[0] != 0) + (d[1] != 0) + (d[2] != 0);
        uint32_t x[3];
        bool in = steps > 0;
        for (int a = 0; a < 3; a++) {
            const int64_t to = r->at[cell][a] + d[a];
            in &= to >= 0 && to < r->n[a];
            x[a] = (uint32_t)to;
        }
        if (!in || !rill_numbering_has(&r->numbers, x[0], x[1], x[2])) continue;
        const rill_node to = rill_numbering_rank(&r->numbers, x[0], x[1], x[2]);
        out[count++] = (beside){to, (uint32_t)(UNIT + steps - 1)};
    }
    return count;
}

/* A list of cells that grows. */
typedef struct bucket {
    uint32_t *cells;
    uint64_t count, room;
} bucket;

static rill_status push(bucket *b, uint64_t cell)
{
    const rill_status status = RILL_LIST_GROW(b->cells, b->count, b->room, "the cells of cross-sections");
    if (status == RILL_OK) b->cells[b->count++] = (uint32_t)cell;
    return status;
}

/* Dial's shortest paths: a circular array of lists, one for each distance that is still open. */
static rill_status spread(reach *r, const double *flow)
{
    rill_status status = RILL_OK;
    const rill_surface *s = r->geom->surface;
    bucket ring[RING] = {{0}};
    size_t open = 0;
    for (uint64_t c = 0; c < r->cells; c++)
        for (int k = 0; k < s->opening_count && r->label[c] >= RILL_LABEL; k++)
            if (s->openings[k].label == r->label[c] && flow[k] > 0) {
                r->far[c] = 0;
                r->back[c] = (uint32_t)c;
                RILL_TRY(push(&ring[0], c));
                open++;
            }
    for (uint32_t far = 0; open > 0; far++) {
        bucket *b = &ring[far % RING];
        for (size_t k = 0; k < b->count; k++) {
            const uint64_t here = b->cells[k];
            if (r->far[here] != far || r->piece[here] == 0) continue;
            r->piece[here] = 0; /* settled */
            r->order[r->reached++] = (uint32_t)here;
            beside around[26];
            const int count = look_around(r, here, around);
            for (int j = 0; j < count; j++) {
                const uint32_t to = around[j].cell, there = far + around[j].length;
                if (r->far[to] <= there) continue;
                r->far[to] = there;
                r->back[to] = (uint32_t)here;
                RILL_TRY(push(&ring[there % RING], to));
                open++;
            }
        }
        open -= b->count;
        b->count = 0;
    }
done:
    for (int k = 0; k < RING; k++) free(ring[k].cells);
    return status;
}

/* Join cells of the same shell that touch; number the pieces. */
static rill_status part(reach *r)
{
    rill_status status = RILL_OK;
    bucket stack = {0};
    for (uint64_t k = 0; k < r->reached; k++) r->piece[r->order[k]] = UINT32_MAX;
    for (uint64_t k = 0; k < r->reached; k++) {
        if (r->piece[r->order[k]] != UINT32_MAX) continue;
        const uint32_t shell = r->far[r->order[k]] / SHELL;
        RILL_TRY(push(&stack, r->order[k]));
        r->piece[r->order[k]] = r->pieces;
        while (stack.count > 0) {
            const uint64_t here = stack.cells[--stack.count];
            beside around[26];
            const int count = look_around(r, here, around);
            for (int j = 0; j < count; j++) {
                const uint32_t to = around[j].cell;
                if (r->piece[to] != UINT32_MAX || r->far[to] / SHELL != shell || r->far[to] == UINT32_MAX)
                    continue;
                r->piece[to] = r->pieces;
                RILL_TRY(push(&stack, to));
            }
        }
        r->pieces++;
    }
    RILL_TRY(rill_array_create_zero((uint64_t)r->pieces + 1, sizeof *r->area, "the cross-sections",
                                    (void **)&r->area));
    RILL_TRY(rill_array_create_zero((uint64_t)r->pieces + 1, sizeof *r->flow, "the cross-sections",
                                    (void **)&r->flow));
    RILL_TRY(rill_array_create_zero((uint64_t)r->pieces + 1, sizeof *r->middle, "the cross-sections",
                                    (void **)&r->middle));
    RILL_TRY(rill_array_create_zero((uint64_t)r->pieces + 1, sizeof *r->cut, "the cross-sections",
                                    (void **)&r->cut));
    for (uint64_t k = 0; k < r->reached; k++) {
        const uint64_t c = r->order[k];
        r->area[r->piece[c]] += r->fluid[c];
        r->cut[r->piece[c]] |= r->label[c] >= RILL_LABEL;
        for (int a = 0; a < 3; a++) r->middle[r->piece[c]][a] += r->fluid[c] * ((double)r->at[c][a] + 0.5);
    }
done:
    free(stack.cells);
    return status;
}

/* Return the first cell of an opening that is reached; UINT64_MAX when none is. */
static uint64_t first_of(const reach *r, int label)
{
    for (uint64_t k = 0; k < r->reached; k++)
        if (r->label[r->order[k]] == label) return r->order[k];
    return UINT64_MAX;
}

/* Send an outlet's flow back along its way. */
static void send_back(const reach *r, int label, double flow, double *length)
{
    uint64_t c = first_of(r, label);
    if (c == UINT64_MAX) return;
    *length = fmax(*length, (double)r->far[c] / UNIT * r->block);
    uint32_t last = UINT32_MAX;
    for (;; c = r->back[c]) {
        if (r->piece[c] != last) r->flow[r->piece[c]] += flow;
        last = r->piece[c];
        if (r->back[c] == c) break;
    }
}

/* Return the velocity of a piece, and its area in voxels. 0 for those that planes of openings cut off. */
static double velocity_of(const reach *r, uint32_t piece, double *area)
{
    *area = r->area[piece] / ((double)SHELL / UNIT * r->block);
    return r->cut[piece] ? 0 : r->flow[piece] / *area;
}

/* Find the fastest place along a way: two shells long, since one may fall into pieces; sum up what drops
 * pressure along it, in voxels. */
static void take_fastest(const reach *r, int label, rill_passage *out)
{
    uint64_t c = first_of(r, label);
    if (c == UINT64_MAX) return;
    const double thick = (double)SHELL / UNIT * r->block;
    double before = 0, area, resist = 0, inert = 0;
    uint32_t last = UINT32_MAX;
    for (;; c = r->back[c]) {
        const uint32_t piece = r->piece[c];
        if (piece != last) {
            const double here = velocity_of(r, piece, &area), both = fmin(here, before);
            inert += thick * both;
            if (r->flow[piece] > 0) resist += thick * both * both / r->flow[piece];
            if (both > out->velocity) {
                out->velocity = both;
                out->area = area;
                for (int a = 0; a < 3; a++) out->at[a] = r->middle[piece][a] / r->area[piece] * r->block;
            }
            before = here;
        }
        last = piece;
        if (r->back[c] == c) break;
    }
    out->resist = fmax(out->resist, resist);
    out->inert = fmax(out->inert, inert);
}

rill_status rill_passage_find(const rill_geom *geom, const double *flow, rill_passage *out)
{
    rill_status status = RILL_OK;
    reach r = {.geom = geom};
    const rill_surface *s = geom->surface;
    *out = (rill_passage){0};
    RILL_TRY(gather(&r));
    RILL_TRY(spread(&r, flow));
    RILL_TRY(part(&r));
    for (int k = 0; k < s->opening_count; k++)
        if (flow[k] < 0) send_back(&r, s->openings[k].label, -flow[k], &out->length);
    for (int k = 0; k < s->opening_count; k++)
        if (flow[k] < 0) take_fastest(&r, s->openings[k].label, out);
    out->length *= geom->spacing;
    out->area *= geom->spacing * geom->spacing;
    out->velocity /= geom->spacing * geom->spacing;
    out->resist /= geom->spacing * geom->spacing * geom->spacing;
    out->inert /= geom->spacing;
    for (int a = 0; a < 3; a++) out->at[a] = geom->origin[a] + out->at[a] * geom->spacing;
done:
    rill_numbering_destroy(&r.numbers);
    rill_array_destroy(r.at);
    rill_array_destroy(r.fluid);
    rill_array_destroy(r.label);
    rill_array_destroy(r.far);
    rill_array_destroy(r.back);
    rill_array_destroy(r.order);
    rill_array_destroy(r.piece);
    rill_array_destroy(r.area);
    rill_array_destroy(r.flow);
    rill_array_destroy(r.middle);
    rill_array_destroy(r.cut);
    return status;
}
