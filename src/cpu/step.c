/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps, totals, moments and settings of any variant on a CPU, for one x86-64 level (the Makefile sets
 * RILL_PART_LEVEL). Threads share blocks of RILL_BLOCK nodes; no result depends on how many threads there
 * are, on the level, or on how a row was reached.
 */
#include "cpu/part.h"

#include "cpu/copy.h"
#include "cpu/links.h"
#include "cpu/macroscopic.h"
#include "cpu/sums.h"
#include "cpu/walls.h"
#include "core/threads.h"
#include "kernel/boundary/boundary.h"

#include <math.h>
#include <stdalign.h>

#define PARTS(A)                                                                                             \
    extern const rill_cpu_lattice RILL_CPU_LATTICE(D3Q19, A, RILL_PART_LEVEL),                               \
        RILL_CPU_LATTICE(D3Q27, A, RILL_PART_LEVEL), RILL_CPU_LATTICE(D3Q15, A, RILL_PART_LEVEL),            \
        RILL_CPU_LATTICE(D2Q9, A, RILL_PART_LEVEL), RILL_CPU_LATTICE(D3Q7, A, RILL_PART_LEVEL);              \
    extern const rill_cpu_formats RILL_CPU_FORMATS(A, RILL_PART_LEVEL);
PARTS(SINGLE)
PARTS(DOUBLE)

#define LATTICE(L, A) [RILL_##L][RILL_##A] = &RILL_CPU_LATTICE(L, A, RILL_PART_LEVEL)
static const rill_cpu_lattice *const lattices[RILL_LATTICE_COUNT][RILL_ARITHMETIC_COUNT] = {
    LATTICE(D3Q19, SINGLE), LATTICE(D3Q27, SINGLE), LATTICE(D3Q15, SINGLE), LATTICE(D2Q9, SINGLE),
    LATTICE(D3Q7, SINGLE),  LATTICE(D3Q19, DOUBLE), LATTICE(D3Q27, DOUBLE), LATTICE(D3Q15, DOUBLE),
    LATTICE(D2Q9, DOUBLE),  LATTICE(D3Q7, DOUBLE)};
static const rill_cpu_formats *const formats[RILL_ARITHMETIC_COUNT] = {
    [RILL_SINGLE] = &RILL_CPU_FORMATS(SINGLE, RILL_PART_LEVEL),
    [RILL_DOUBLE] = &RILL_CPU_FORMATS(DOUBLE, RILL_PART_LEVEL)};

/* What a kernel call works with. */
typedef struct work {
    const rill_launch *launch;
    const rill_cpu_lattice *lattice;
    const rill_cpu_format *format;
    const rill_cpu_copies *copies;
    rill_cpu_find_links *find;
    rill_cpu_side in, out;
    int q;
    size_t size; /* bytes of a stored number */
    bool same;   /* stored rows are rows of the arithmetic type */
    double weights[RILL_Q_MAX];
} work;

static work work_of(const rill_launch *launch)
{
    const rill_variant v = launch->variant;
    work w = {.launch = launch,
              .lattice = lattices[v.lattice][v.arithmetic],
              .format = &formats[v.arithmetic]->of[v.storage],
              .find = rill_cpu_finder(v),
              .in = rill_cpu_side_of(launch, false),
              .out = rill_cpu_side_of(launch, true),
              .q = rill_q((int)v.lattice),
              .size = rill_storage_size((int)v.storage),
              .same = v.shift == RILL_SHIFTED &&
                      v.storage == (v.arithmetic == RILL_SINGLE ? RILL_FP32 : RILL_FP64)};
    w.copies = rill_cpu_copies_of(w.size);
    for (int i = 0; i < w.q && v.shift == RILL_PLAIN; i++) w.weights[i] = rill_w((int)v.lattice, i);
    return w;
}

/* A block: its rows, each a place in the population array or in these buffers. */
typedef struct block {
    alignas(64) char stored[RILL_Q_MAX * RILL_BLOCK * sizeof(double)];
    alignas(64) char values[RILL_Q_MAX][RILL_BLOCK * sizeof(double)];
    void *stored_rows[RILL_Q_MAX], *rows[RILL_Q_MAX];
    rill_cpu_links links[RILL_Q_MAX];
    uint64_t n, active;
    bool segmented, linked; /* segments serve; `links` is filled */
} block;

static char *buffer_of(const work *w, block *b, int i)
{
    return b->stored + (size_t)i * RILL_BLOCK * w->size;
}

/*
 * Begin a block. Segments are of all nodes in it, so that they serve when all are active.
 * @return false when no lane is active
 */
static bool begin(const work *w, uint64_t n, uint64_t first, uint64_t end, block *b)
{
    const rill_arrays *arrays = &w->launch->from;
    b->n = n;
    b->active = rill_cpu_active(arrays, w->launch->variant.addressing, n, first, end);
    b->segmented =
        arrays->segments.segments && b->active == rill_cpu_active(arrays, RILL_LIST, n, 0, arrays->nodes);
    b->linked = false;
    return b->active;
}

/*
 * Let rows point at their slots where those are successive, else into the buffer.
 * @param write  the slots may be written: rows with inactive lanes get buffers, too
 */
static void point(const work *w, const rill_cpu_side *side, bool write, block *b)
{
    const bool direct = !write || b->active == UINT64_MAX;
    for (int i = 0; i < w->q; i++) {
        b->stored_rows[i] = buffer_of(w, b, i);
        if ((i == 0 || !side->looks) && direct && rill_cpu_unbroken(side, b->n, RILL_BLOCK))
            b->stored_rows[i] = side->rows[i][0] + rill_cpu_place(side, b->n) * w->size;
    }
    if (!side->looks) return;
    if (b->segmented) {
        const rill_segments *segments = &w->launch->from.segments;
        const uint64_t *offsets = segments->offsets + b->n / RILL_BLOCK * RILL_SEGMENT_KINDS;
        for (uint64_t k = offsets[RILL_WHOLE_ROW]; k < offsets[RILL_WHOLE_ROW + 1]; k++) {
            const rill_segment s = segments->segments[k];
            const uint64_t number = s.node - RILL_SEGMENT_LANES;
            if (rill_cpu_unbroken(side, number, RILL_BLOCK))
                b->stored_rows[s.row / 2] =
                    side->rows[s.row / 2][s.row % 2] + rill_cpu_place(side, number) * w->size;
        }
        return;
    }
    if (!b->linked) w->find(w->launch->variant, &w->launch->from, b->n, b->active, b->links);
    b->linked = true;
    for (int i = 1; i < w->q; i++)
        if (b->links[i].whole && rill_cpu_unbroken(side, b->links[i].meeting[0], RILL_BLOCK))
            b->stored_rows[i] =
                side->rows[i][b->links[i].walls & 1] + rill_cpu_place(side, b->links[i].meeting[0]) * w->size;
}

/* Copy what rows in the buffer hold from their slots, or to them. */
static void copy(const work *w, const rill_cpu_side *side, bool into, block *b)
{
    const bool segmented = side->looks && b->segmented;
    if (segmented) w->copies->segments(side, &w->launch->from.segments, b->n / RILL_BLOCK, into, b->stored);
    for (int i = 0; i < (segmented ? 1 : w->q); i++)
        if (b->stored_rows[i] == buffer_of(w, b, i))
            w->copies->lanes(side, i, b->n, side->looks && i ? &b->links[i] : NULL, b->active, into,
                             b->stored_rows[i]);
}

/* Give rows of the arithmetic type their positions. */
static void rows_of(const work *w, block *b)
{
    for (int i = 0; i < w->q; i++) b->rows[i] = w->same ? b->stored_rows[i] : b->values[i];
}

/* Bring the incoming populations of a block into its stored rows. @param write  their slots will be written
 */
static void read_block(const work *w, bool write, block *b)
{
    point(w, &w->in, write, b);
    copy(w, &w->in, true, b);
    rows_of(w, b);
}

/* Take rows to the slots of a side. */
static void write_block(const work *w, const rill_cpu_side *side, block *b)
{
    for (int i = 0; i < w->q && !w->same; i++)
        w->format->store(b->stored_rows[i], b->values[i], w->weights[i]);
    copy(w, side, false, b);
}

static void step_block(const work *w, rill_cpu_collide *collide, uint64_t n, block *b)
{
    const bool in_place = rill_stream_in_place((int)w->launch->variant.stream);
    if (!begin(w, n, w->launch->first, w->launch->end, b)) return;
    if (b->segmented && n + RILL_BLOCK < w->launch->end && (w->in.looks || w->out.looks))
        w->copies->ask(w->in.looks ? &w->in : &w->out, &w->launch->from.segments, n / RILL_BLOCK + 1);
    read_block(w, in_place, b);
    for (int i = 0; i < w->q && !w->same; i++)
        w->format->load(b->stored_rows[i], b->values[i], w->weights[i]);
    if (in_place) {
        collide(w->launch, n, (const void *const *)b->rows, b->rows);
    } else {
        void *in[RILL_Q_MAX];
        memcpy(in, b->rows, sizeof in);
        point(w, &w->out, true, b);
        rows_of(w, b);
        collide(w->launch, n, (const void *const *)in, b->rows);
    }
    write_block(w, &w->out, b);
}

/* Step blocks first … end - 1 of those to be stepped. */
static void step_blocks(const void *shared, uint64_t first, uint64_t end)
{
    const work *w = shared;
    const rill_variant v = w->launch->variant;
    rill_cpu_collide *collide = w->lattice->collide[v.collision][v.equilibrium][v.rheology];
    const uint64_t before = w->launch->first / RILL_BLOCK;
    block b;
    for (uint64_t k = before + first; k < before + end; k++) step_block(w, collide, k * RILL_BLOCK, &b);
}

static void step(const rill_launch *launch)
{
    const work w = work_of(launch);
    if (rill_cpu_is_macroscopic(launch)) {
        rill_cpu_step_stored(launch, w.lattice);
        return;
    }
    const uint64_t end = ((uint64_t)launch->end + RILL_BLOCK - 1) / RILL_BLOCK;
    rill_threads_for(end - launch->first / RILL_BLOCK, RILL_CPU_PIECE, step_blocks, &w);
}

/* Take the moments of a block, and velocities: j / rho, or j where the equilibrium reads momentum as rho_0 u.
 */
static void block_moments(const work *w, block *b, rill_cpu_moments *m, double velocity[3][RILL_BLOCK])
{
    if (rill_cpu_is_macroscopic(w->launch)) {
        rill_cpu_moments_stored(w->launch, b->n, m);
    } else {
        read_block(w, false, b);
        for (int i = 0; i < w->q && !w->same; i++)
            w->format->check(b->stored_rows[i], b->values[i], w->weights[i]);
        w->lattice->moments(w->launch, (const void *const *)b->rows, m);
    }
    for (int l = 0; l < RILL_BLOCK; l++) {
        const double scale =
            w->launch->variant.equilibrium == RILL_SECOND_ORDER ? 1.0 / (1.0 + m->density[l]) : 1.0;
        for (int a = 0; a < 3; a++) velocity[a][l] = m->momentum[a][l] * scale;
    }
}

/* Add the populations that rest in ghosts beside a block, one direction at a time. */
static void add_resting(const work *w, const block *b, rill_partial *p)
{
    const rill_launch *launch = w->launch;
    const int lattice = (int)launch->variant.lattice, stream = (int)launch->variant.stream,
              addressing = (int)launch->variant.addressing;
    const bool single = launch->variant.arithmetic == RILL_SINGLE;
    for (int i = 1; i < w->q; i++) {
        alignas(64) char stored[RILL_BLOCK * sizeof(double)] = {0}, values[RILL_BLOCK * sizeof(double)];
        int count = 0;
        for (uint64_t left = b->active; left; left &= left - 1) {
            size_t slot;
            const rill_place place = rill_place_of(stream, addressing, &launch->from,
                                                   (rill_node)b->n + (rill_node)__builtin_ctzll(left));
            if (rill_resting(lattice, stream, addressing, launch->parity, &launch->from, &place, i, &slot))
                memcpy(stored + (size_t)count++ * w->size,
                       (const char *)launch->from.populations + slot * w->size, w->size);
        }
        w->format->load(stored, values, w->weights[i]);
        for (int k = 0; k < count; k++)
            p->resting += single ? (double)((const float *)(const void *)values)[k]
                                 : ((const double *)(const void *)values)[k];
    }
}

static void add_block(const work *w, block *b, rill_partial *p, rill_cpu_peaks *peaks)
{
    if (w->launch->variant.bounce == RILL_FULL_WAY) add_resting(w, b, p);
    rill_cpu_moments m;
    double velocity[3][RILL_BLOCK];
    block_moments(w, b, &m, velocity);
    rill_cpu_add_moments(w->launch, b->n, b->active, &m, velocity, p, peaks);
}

/* Add what storing does to the populations that a block sends out in its next step. */
static void add_rounding(const work *w, block *b, rill_partial *p, rill_cpu_peaks *peaks)
{
    (void)peaks;
    const rill_variant v = w->launch->variant;
    alignas(64) char stored[RILL_BLOCK * sizeof(double)], kept[RILL_BLOCK * sizeof(double)];
    alignas(64) char sent[RILL_Q_MAX][RILL_BLOCK * sizeof(double)];
    void *out[RILL_Q_MAX];
    bool active[RILL_BLOCK];
    if (rill_cpu_is_macroscopic(w->launch)) return; /* stored as it was computed */
    for (int l = 0; l < RILL_BLOCK; l++) active[l] = b->active >> l & 1;
    read_block(w, false, b);
    for (int i = 0; i < w->q; i++) {
        out[i] = sent[i];
        if (!w->same) w->format->load(b->stored_rows[i], b->values[i], w->weights[i]);
    }
    w->lattice->collide[v.collision][v.equilibrium][v.rheology](w->launch, b->n, (const void *const *)b->rows,
                                                                out);
    for (int i = 0; i < w->q; i++) {
        w->format->store(stored, sent[i], w->weights[i]);
        w->format->load(stored, kept, w->weights[i]);
        rill_cpu_add_rounding((int)v.lattice, i, v.arithmetic == RILL_SINGLE, active, b->rows[i], sent[i],
                              kept, p);
    }
}

/* What a loop over chunks of RILL_CHUNK nodes, or of entries that stand for nodes, works with. */
typedef struct chunks {
    const work *w;
    rill_partial *partials; /* totals */
    rill_node first;        /* totals (a multiple of RILL_BLOCK), moments, set */
    uint64_t count;         /* entries */
    const double *given;    /* set */
    const rill_node *nodes; /* sample */
    double *out;            /* moments, sample */
} chunks;

static void for_chunks(const chunks *c, rill_threads_work *body)
{
    rill_threads_for((c->count + RILL_CHUNK - 1) / RILL_CHUNK, 1, body, c);
}

static uint64_t chunk_end(const chunks *c, uint64_t chunk)
{
    const uint64_t end = (chunk + 1) * RILL_CHUNK;
    return end < c->count ? end : c->count;
}

static void totals_of_chunks(const void *shared, uint64_t first, uint64_t end)
{
    const chunks *c = shared;
    block b;
    for (uint64_t chunk = first; chunk < end; chunk++) {
        rill_partial p = {0};
        rill_cpu_peaks peaks = {{0}, {0}};
        for (uint64_t k = chunk * RILL_CHUNK; k < chunk_end(c, chunk); k += RILL_BLOCK)
            if (begin(c->w, c->first + k, c->first, c->first + c->count, &b))
                (c->w->launch->rounding ? add_rounding : add_block)(c->w, &b, &p, &peaks);
        rill_cpu_add_peaks(&peaks, &p);
        c->partials[chunk] = p;
    }
}

static void totals(const rill_launch *launch, rill_partial *partials)
{
    const work w = work_of(launch);
    for_chunks(
        &(chunks){
            .w = &w, .partials = partials, .first = launch->first, .count = launch->end - launch->first},
        totals_of_chunks);
}

/* Return the number that kernels know node first + k by. */
static uint64_t number_of(const rill_launch *launch, rill_node first, uint64_t k)
{
    return launch->order ? launch->order[k] : (uint64_t)first + k;
}

static void moments_of_chunk(const chunks *c, uint64_t chunk, block *b)
{
    const rill_launch *launch = c->w->launch;
    rill_cpu_moments m;
    double velocity[3][RILL_BLOCK];
    uint64_t present = UINT64_MAX; /* each block once for all successive nodes in it */
    for (uint64_t k = chunk * RILL_CHUNK; k < chunk_end(c, chunk); k++) {
        const uint64_t number = number_of(launch, c->first, k), l = number % RILL_BLOCK;
        if (number / RILL_BLOCK != present) {
            present = number / RILL_BLOCK;
            begin(c->w, present * RILL_BLOCK, 0, launch->from.nodes, b);
            block_moments(c->w, b, &m, velocity);
        }
        c->out[k] = m.density[l];
        for (uint64_t a = 0; a < 3; a++) c->out[(a + 1) * c->count + k] = velocity[a][l];
    }
}

static void moments_of_chunks(const void *shared, uint64_t first, uint64_t end)
{
    block b;
    for (uint64_t chunk = first; chunk < end; chunk++) moments_of_chunk(shared, chunk, &b);
}

static void moments(const rill_launch *launch, rill_node first, rill_node count, double *out)
{
    const work w = work_of(launch);
    for_chunks(&(chunks){.w = &w, .first = first, .count = count, .out = out}, moments_of_chunks);
}

/*
 * Set the nodes first + k, k = from … *k - 1, that lie in one block, to equilibrium at given moments. The
 * populations carry momentum rho u - F/2: with the half force that moments add this is rho u, and no mode
 * that alternates from step to step is started. What is added brings no force.
 */
static void set_block(const chunks *c, uint64_t *k, uint64_t end, block *b)
{
    const work *w = c->w;
    const rill_launch *launch = w->launch;
    const rill_node first = c->first;
    const double *given = c->given;
    const bool second_order = launch->variant.equilibrium == RILL_SECOND_ORDER;
    const uint64_t n = number_of(launch, first, *k) / RILL_BLOCK * RILL_BLOCK;
    rill_cpu_moments m = {.density = {0}};
    uint64_t wanted = 0;
    for (; *k < end && number_of(launch, first, *k) / RILL_BLOCK == n / RILL_BLOCK; ++*k) {
        const uint64_t l = number_of(launch, first, *k) % RILL_BLOCK;
        wanted |= (uint64_t)1 << l;
        if (given) m.density[l] = given[*k];
        for (uint64_t a = 0; a < 3; a++) {
            if (launch->add) continue;
            const double u = given ? given[(a + 1) * c->count + *k] : 0;
            m.momentum[a][l] = u * (second_order ? 1 + m.density[l] : 1) - 0.5 * launch->force[a];
        }
    }
    begin(w, n, 0, launch->from.nodes, b);
    b->segmented = b->segmented && wanted == b->active;
    b->active &= wanted;
    if (!b->active) return;
    point(w, &w->in, true, b);
    if (launch->add) copy(w, &w->in, true, b);
    rows_of(w, b);
    for (int i = 0; i < w->q && launch->add && !w->same; i++)
        w->format->load(b->stored_rows[i], b->values[i], w->weights[i]);
    w->lattice->set(launch, &m, b->rows);
    write_block(w, &w->in, b);
}

static void set_chunks(const void *shared, uint64_t first, uint64_t end)
{
    const chunks *c = shared;
    const rill_launch *launch = c->w->launch;
    block b;
    for (uint64_t chunk = first; chunk < end; chunk++)
        for (uint64_t k = chunk * RILL_CHUNK, last = chunk_end(shared, chunk); k < last;)
            if (rill_cpu_is_macroscopic(launch)) {
                rill_cpu_store_moments(launch, number_of(launch, c->first, k), c->given ? c->given + k : NULL,
                                       c->count);
                k++;
            } else {
                set_block(shared, &k, last, &b);
            }
}

static void set(const rill_launch *launch, rill_node first, rill_node count, const double *given)
{
    const work w = work_of(launch);
    for_chunks(&(chunks){.w = &w, .first = first, .count = count, .given = given}, set_chunks);
}

/* The slots that one link of each of up to RILL_BLOCK exchanges uses, and its weights. */
static void swap_slots(const work *w, const rill_swap *swaps, size_t count, int e, char **slots,
                       double *weights)
{
    const rill_launch *launch = w->launch;
    const rill_variant v = launch->variant;
    for (size_t k = 0; k < count; k++) {
        const int i = swaps[k].direction[e];
        const size_t slot = rill_incoming((int)v.lattice, (int)v.stream, (int)v.addressing, (int)v.bounce,
                                          launch->parity, &launch->from, swaps[k].node[e], i);
        slots[k] = (char *)launch->from.populations + slot * w->size;
        weights[k] = w->weights[i];
    }
}

static void swap_part(const work *w, const rill_swap *swaps, size_t count)
{
    char stored[2][RILL_BLOCK * sizeof(double)] = {{0}}, *slots[2][RILL_BLOCK];
    double weights[2][RILL_BLOCK] = {{0}};
    int8_t sign[RILL_BLOCK] = {0};
    for (int e = 0; e < 2; e++) swap_slots(w, swaps, count, e, slots[e], weights[e]);
    for (int e = 0; e < 2; e++) w->copies->slots(slots[e], count, true, stored[e]);
    for (size_t k = 0; k < count; k++) sign[k] = swaps[k].sign;
    w->format->exchange(stored[0], stored[1], sign, weights[0], weights[1]);
    for (int e = 0; e < 2; e++) w->copies->slots(slots[e], count, false, stored[e]);
}

typedef struct swaps {
    const work *w;
    const rill_swap *list;
    uint64_t count;
} swaps;

static void swap_range(const void *shared, uint64_t first, uint64_t end)
{
    const swaps *s = shared;
    if (rill_cpu_is_macroscopic(s->w->launch)) { /* nodes whose first entry is among these */
        while (first > 0 && first < end && s->list[first].node[0] == s->list[first - 1].node[0]) first++;
        while (first < end && end < s->count && s->list[end].node[0] == s->list[end - 1].node[0]) end++;
        rill_cpu_swap_stored(s->w->launch, s->list + first, end - first);
        return;
    }
    for (uint64_t k = first; k < end; k += RILL_BLOCK)
        swap_part(s->w, s->list + k, end - k < RILL_BLOCK ? end - k : RILL_BLOCK);
}

static void swap(const rill_launch *launch, const rill_swap *list, size_t count)
{
    const work w = work_of(launch);
    rill_threads_for(count, RILL_CPU_PIECE_NODES, swap_range, &(swaps){&w, list, count});
}

static rill_layout layout_of(rill_variant v)
{
    return (rill_layout){(int)v.lattice, (int)v.stream,  (int)v.addressing,
                         (int)v.bounce,  (int)v.storage, (int)v.shift};
}

/* Links of crossings, and words of what comes in at them. */
typedef struct crossings {
    const work *w;
    const rill_cut_link *links;
    char *to;         /* pack */
    const char *from; /* unpack */
} crossings;

static void cross_range(const void *shared, uint64_t first, uint64_t end)
{
    const crossings *c = shared;
    const rill_launch *launch = c->w->launch;
    const rill_layout layout = layout_of(launch->variant);
    const size_t size = c->w->size;
    for (uint64_t k = first; k < end; k++) {
        const rill_cut_link link = rill_cut_link_at(layout.lattice, c->links, launch->first,
                                                    launch->end - launch->first, launch->order, k);
        const bool row = link.direction & RILL_CUT_SLOT;           /* of a node */
        if (rill_cpu_is_macroscopic(launch) && c->links && !row) { /* stored nowhere */
            rill_cpu_put_arriving(launch, link, k, c->to);
            continue;
        }
        const size_t slot = rill_cut_slot(layout, launch->parity, &launch->from, link);
        char *here = (char *)launch->from.populations + slot * size;
        if (c->to)
            memcpy(c->to + k * size, here, size);
        else
            memcpy(here, c->from + k * size, size);
    }
}

static void pack(const rill_launch *launch, const rill_cut_link *links, uint64_t count, void *words)
{
    const work w = work_of(launch);
    rill_threads_for(count, RILL_CPU_PIECE_NODES, cross_range, &(crossings){&w, links, words, NULL});
}

static void unpack(const rill_launch *launch, const rill_cut_link *links, uint64_t count, const void *words)
{
    const work w = work_of(launch);
    rill_threads_for(count, RILL_CPU_PIECE_NODES, cross_range, &(crossings){&w, links, NULL, words});
}

/* Links whose slots are found. */
typedef struct locating {
    const work *w;
    rill_cut_link *links;
} locating;

static void locate_range(const void *shared, uint64_t first, uint64_t end)
{
    const locating *l = shared;
    const rill_launch *launch = l->w->launch;
    for (uint64_t k = first; k < end; k++)
        l->links[k] = rill_cut_located(
            rill_cut_slot(layout_of(launch->variant), launch->parity, &launch->from, l->links[k]));
}

static void locate(const rill_launch *launch, rill_cut_link *links, uint64_t count)
{
    const work w = work_of(launch);
    rill_threads_for(count, RILL_CPU_PIECE_NODES, locate_range, &(locating){&w, links});
}

static void wrap_rows(const void *shared, uint64_t first, uint64_t end)
{
    const work *w = shared;
    const rill_arrays *arrays = &w->launch->from;
    for (uint64_t i = first; i < end; i++)
        for (uint64_t k = 0; k < arrays->ghosts; k++)
            memcpy(w->in.rows[i][0] + rill_cpu_place(&w->in, arrays->first_ghost + k) * w->size,
                   w->in.rows[i][0] + rill_cpu_place(&w->in, k) * w->size, w->size);
}

static void wrap(const rill_launch *launch)
{
    const work w = work_of(launch);
    rill_threads_for((uint64_t)w.q, 1 + RILL_CHUNK / ((uint64_t)launch->from.ghosts + 1), wrap_rows, &w);
}

static rill_cpu_patch_work patch_work(const work *w)
{
    const rill_variant v = w->launch->variant;
    return (rill_cpu_patch_work){
        w->launch,
        w->format,
        w->weights,
        {(int)v.lattice, (int)v.stream, (int)v.addressing, (int)v.bounce, (int)v.storage, (int)v.shift},
        w->size};
}

static void patch(const rill_launch *launch, int tasks, const rill_patch *patches, const rill_patch *host,
                  int count, const rill_patch_now *now, double *exchange)
{
    const work w = work_of(launch);
    const rill_cpu_patch_work own = patch_work(&w);
    (void)host; /* the same memory */
    for (int task = RILL_PATCH_ANSWER; task <= RILL_PATCH_MEASURE; task *= 2)
        for (int k = 0; k < count && tasks & task; k++)
            rill_cpu_patch(&own, (rill_patch_task)task, &patches[k], now, exchange);
}

static void walls(const rill_launch *launch, rill_walls_task task, const rill_walls *list, double *exchange)
{
    const work w = work_of(launch);
    const rill_cpu_patch_work own = patch_work(&w);
    rill_cpu_walls(&own, task, list, exchange);
}

static void damp(const rill_launch *launch, const rill_sponge *sponge)
{
    const work w = work_of(launch);
    const rill_cpu_patch_work own = patch_work(&w);
    rill_cpu_patch_damp_all(&own, sponge);
}

/* Nodes of one block that follow each other are taken together. */
static void sample_block(const chunks *c, uint64_t *k, uint64_t end, block *b)
{
    const work *w = c->w;
    const rill_node *nodes = c->nodes;
    const uint64_t count = c->count;
    double *out = c->out;
    const uint64_t n = nodes[*k] / RILL_BLOCK * RILL_BLOCK;
    rill_cpu_moments m;
    double velocity[3][RILL_BLOCK], stress[6][RILL_BLOCK];
    begin(w, n, 0, w->launch->from.nodes, b);
    block_moments(w, b, &m, velocity);
    w->lattice->stress(w->launch, (const void *const *)b->rows, stress);
    for (; *k < end && nodes[*k] / RILL_BLOCK * RILL_BLOCK == n; ++*k) {
        const uint64_t l = nodes[*k] % RILL_BLOCK;
        out[*k] = m.density[l];
        for (uint64_t a = 0; a < 3; a++) out[(1 + a) * count + *k] = velocity[a][l];
        for (uint64_t a = 0; a < 6; a++) out[(4 + a) * count + *k] = stress[a][l];
    }
}

static void sample_chunks(const void *shared, uint64_t first, uint64_t end)
{
    block b;
    for (uint64_t chunk = first; chunk < end; chunk++)
        for (uint64_t k = chunk * RILL_CHUNK, last = chunk_end(shared, chunk); k < last;)
            sample_block(shared, &k, last, &b);
}

static void sample(const rill_launch *launch, const rill_node *nodes, uint64_t count, double *out)
{
    const work w = work_of(launch);
    for_chunks(&(chunks){.w = &w, .count = count, .nodes = nodes, .out = out}, sample_chunks);
}

static bool has(rill_variant v)
{
    return lattices[v.lattice][v.arithmetic]->collide[v.collision][v.equilibrium][v.rheology] &&
           formats[v.arithmetic]->of[v.storage].load && rill_cpu_finder(v);
}

const rill_cpu_level RILL_CPU_LEVEL(RILL_PART_LEVEL) = {{.step = step,
                                                         .totals = totals,
                                                         .moments = moments,
                                                         .set = set,
                                                         .swap = swap,
                                                         .pack = pack,
                                                         .unpack = unpack,
                                                         .locate = locate,
                                                         .wrap = wrap,
                                                         .patch = patch,
                                                         .walls = walls,
                                                         .damp = damp,
                                                         .sample = sample},
                                                        has,
                                                        RILL_CPU_BUILD(RILL_PART_LEVEL),
                                                        RILL_CPU_CUT(RILL_PART_LEVEL)};
