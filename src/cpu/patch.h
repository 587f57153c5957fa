/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file patch.h
 * The wall links of patches (kernel/boundary/boundary.h, outlet.h), a row of RILL_BLOCK of them at a time, so
 * that formats serve as they do in a step. Arithmetic is that of doubles.
 */
#ifndef RILL_CPU_PATCH_H
#define RILL_CPU_PATCH_H

#include "core/threads.h"
#include "cpu/rows.h"
#include "kernel/boundary/outlet.h"
#include "kernel/boundary/sponge.h"
#include "kernel/storage/storage.h"

#include <stdalign.h>
#include <string.h>

/** A row of links: nodes, velocities, and what their slots hold, shifted. */
typedef struct rill_cpu_row_of_links {
    size_t count;
    rill_node node[RILL_BLOCK];
    int direction[RILL_BLOCK];
    double value[RILL_BLOCK];
} rill_cpu_row_of_links;

/** What calls share. */
typedef struct rill_cpu_patch_work {
    const rill_launch *launch;
    const rill_cpu_format *format;
    const double *weights; /**< [q], taken off what is stored */
    rill_layout layout;
    size_t size; /**< bytes of a stored number */
} rill_cpu_patch_work;

/** Find where a row of links is stored; constant `stream` and `sent` leave little to decide for each. */
RILL_FN void rill_cpu_patch_find(const rill_cpu_patch_work *w, const rill_cpu_row_of_links *row,
                                 const int stream, const bool sent, size_t slots[RILL_BLOCK])
{
    rill_layout layout = w->layout;
    layout.stream = stream;
    for (size_t k = 0; k < row->count; k++)
        slots[k] = w->size * rill_patch_slot(layout, w->launch->parity, &w->launch->from, row->node[k],
                                             row->direction[k], sent);
}

/** The same, in bytes from the first population. */
static inline void rill_cpu_patch_slots(const rill_cpu_patch_work *w, const rill_cpu_row_of_links *row,
                                        bool sent, size_t slots[RILL_BLOCK])
{
    if (w->layout.stream == RILL_AA && sent)
        rill_cpu_patch_find(w, row, RILL_AA, true, slots);
    else if (w->layout.stream == RILL_AA)
        rill_cpu_patch_find(w, row, RILL_AA, false, slots);
    else if (w->layout.stream == RILL_PULL && sent)
        rill_cpu_patch_find(w, row, RILL_PULL, true, slots);
    else if (w->layout.stream == RILL_PULL)
        rill_cpu_patch_find(w, row, RILL_PULL, false, slots);
    else
        rill_cpu_patch_find(w, row, w->layout.stream, sent, slots);
}

/** Copy a stored number: most have four bytes. */
static inline void rill_cpu_patch_copy(char *to, const char *from, size_t size)
{
    if (size == sizeof(float))
        memcpy(to, from, sizeof(float));
    else
        memcpy(to, from, size);
}

/** Read what a row of links has sent, or what will come in. */
static inline void rill_cpu_patch_read(const rill_cpu_patch_work *w, bool sent, rill_cpu_row_of_links *row)
{
    alignas(64) char stored[RILL_BLOCK * sizeof(double)] = {0}, values[RILL_BLOCK * sizeof(double)];
    const char *populations = w->launch->from.populations;
    size_t slots[RILL_BLOCK];
    rill_cpu_patch_slots(w, row, sent, slots);
    for (size_t k = 0; k < row->count; k++)
        rill_cpu_patch_copy(stored + k * w->size, populations + slots[k], w->size);
    w->format->load(stored, values, 0);
    for (size_t k = 0; k < row->count; k++) {
        const double value = w->launch->variant.arithmetic == RILL_SINGLE ? (double)((float *)values)[k]
                                                                          : ((double *)values)[k];
        row->value[k] = value - w->weights[row->direction[k]];
    }
}

/** Write what a row of links has sent, or what will come in. */
static inline void rill_cpu_patch_write(const rill_cpu_patch_work *w, bool sent,
                                        const rill_cpu_row_of_links *row)
{
    alignas(64) char stored[RILL_BLOCK * sizeof(double)], values[RILL_BLOCK * sizeof(double)] = {0};
    for (size_t k = 0; k < row->count; k++) {
        const double value = row->value[k] + w->weights[row->direction[k]];
        if (w->launch->variant.arithmetic == RILL_SINGLE)
            ((float *)values)[k] = (float)value;
        else
            ((double *)values)[k] = value;
    }
    char *populations = w->launch->from.populations;
    size_t slots[RILL_BLOCK];
    w->format->store(stored, values, 0);
    rill_cpu_patch_slots(w, row, sent, slots);
    for (size_t k = 0; k < row->count; k++)
        rill_cpu_patch_copy(populations + slots[k], stored + k * w->size, w->size);
}

/** Find density and velocity of a row of nodes in the step just made: collisions add the force, half of which
 * counts. */
static inline void rill_cpu_patch_nodes(const rill_cpu_patch_work *w, const rill_patch *patch,
                                        const rill_patch_now *now, uint64_t first)
{
    rill_cpu_row_of_links row = {.count = patch->node_count - first};
    double density[RILL_BLOCK] = {0}, momentum[3][RILL_BLOCK];
    if (row.count > RILL_BLOCK) row.count = RILL_BLOCK;
    for (size_t k = 0; k < row.count; k++) {
        row.node[k] = patch->nodes[first + k];
        for (int a = 0; a < 3; a++) momentum[a][k] = -0.5 * now->force[a];
    }
    for (int i = 0; i < rill_q(w->layout.lattice); i++) {
        for (size_t k = 0; k < row.count; k++) row.direction[k] = i;
        rill_cpu_patch_read(w, true, &row);
        for (size_t k = 0; k < row.count; k++) {
            density[k] += row.value[k];
            for (int a = 0; a < 3; a++) momentum[a][k] -= rill_c(w->layout.lattice, i, a) * row.value[k];
        }
    }
    for (size_t k = 0; k < row.count; k++) {
        patch->moments[first + k] = density[k];
        for (uint64_t a = 0; a < 3; a++)
            patch->moments[(a + 1) * patch->node_count + first + k] = momentum[a][k] / (1 + density[k]);
    }
}

/** Damp a row of nodes of a sponge layer. */
static inline void rill_cpu_patch_damp(const rill_cpu_patch_work *w, const rill_sponge *sponge,
                                       uint64_t first)
{
    const int lattice = w->layout.lattice;
    const uint64_t left = sponge->count - first;
    const size_t count = left < RILL_BLOCK ? (size_t)left : RILL_BLOCK;
    rill_cpu_row_of_links row[RILL_Q_MAX]; /* link i has sent opp(i) */
    rill_sponge_state states[RILL_BLOCK] = {{0}};
    for (int i = 0; i < rill_q(lattice); i++) {
        row[i].count = count;
        for (size_t k = 0; k < count; k++) {
            row[i].node[k] = sponge->nodes[first + k];
            row[i].direction[k] = i;
        }
        rill_cpu_patch_read(w, true, &row[i]);
        for (size_t k = 0; k < count; k++)
            rill_sponge_add(lattice, rill_opposite(i), row[i].value[k], &states[k]);
    }
    for (size_t k = 0; k < count; k++) rill_sponge_finish(&states[k]);
    for (int i = 0; i < rill_q(lattice); i++) {
        for (size_t k = 0; k < count; k++)
            row[i].value[k] = rill_sponge_damp(lattice, rill_opposite(i), &states[k],
                                               (double)sponge->keep[first + k], row[i].value[k]);
        rill_cpu_patch_write(w, true, &row[i]);
    }
}

/** A row of pairs, and what it has sent. */
typedef struct rill_cpu_row_of_pairs {
    rill_cpu_row_of_links link[2];
} rill_cpu_row_of_pairs;

static inline void rill_cpu_patch_look(const rill_cpu_patch_work *w, const rill_patch *patch, uint64_t first,
                                       rill_cpu_row_of_pairs *row)
{
    const uint64_t left = patch->count - first;
    for (int e = 0; e < 2; e++) {
        rill_cpu_row_of_links *link = &row->link[e];
        link->count = left < RILL_BLOCK ? (size_t)left : RILL_BLOCK;
        for (size_t k = 0; k < link->count; k++) {
            link->node[k] = patch->pairs[first + k].node[e];
            link->direction[k] = patch->pairs[first + k].direction[e];
        }
        rill_cpu_patch_read(w, true, link);
    }
}

/** Measure a row of pairs. */
static inline void rill_cpu_patch_measure(const rill_cpu_patch_work *w, const rill_patch *patch,
                                          uint64_t first, double *exchange)
{
    rill_cpu_row_of_pairs sent, back;
    rill_cpu_patch_look(w, patch, first, &sent);
    back = sent;
    for (int e = 0; e < 2; e++) rill_cpu_patch_read(w, false, &back.link[e]);
    for (size_t k = 0; k < sent.link[0].count; k++) {
        const double in[2] = {back.link[0].value[k], back.link[1].value[k]};
        for (int e = 0; e < 2; e++)
            rill_patch_note(patch, first + k, e, in[e],
                            rill_patch_sent(patch, first + k, in, sent.link[e].value[k], e), exchange);
    }
}

/** Find the answers of pairs, and their partial sum. */
static inline void rill_cpu_patch_answer(const rill_cpu_patch_work *w, bool flows, const rill_patch *patch,
                                         const rill_patch_now *now, uint64_t first)
{
    const bool moves = rill_patch_moves((int)w->launch->variant.equilibrium, patch);
    rill_patch_sums sums = {0, 0, 0};
    rill_cpu_row_of_pairs row;
    for (uint64_t from = first; from < first + RILL_PATCH_BLOCK && from < patch->count; from += RILL_BLOCK) {
        rill_cpu_patch_look(w, patch, from, &row);
        for (size_t j = 0; j < row.link[0].count; j++) {
            const uint64_t k = from + j;
            const double sent[2] = {row.link[0].value[j], row.link[1].value[j]};
            const rill_patch_pair *pair = &patch->pairs[k];
            double mean[3] = {0, 0, 0};
            for (uint64_t a = 0; a < 3 && moves; a++) {
                const double *u = patch->moments + (a + 1) * patch->node_count;
                mean[a] = 0.5 * (u[pair->at[0]] + u[pair->at[1]]);
            }
            const rill_patch_answer answer =
                rill_patch_answer_of(w->layout.lattice, flows, patch, now, k, pair, sent[0], mean);
            const double density = rill_patch_sums_density(patch, k) ? patch->moments[k] : 0;
            const rill_patch_sums one = rill_patch_sums_of(patch, pair, &answer, sent, density);
            rill_patch_sums_add(&sums, &one);
            patch->terms[k] = answer.fixed;
            patch->terms[patch->count + k] = answer.slope;
        }
    }
    if (patch->partials) patch->partials[first / RILL_PATCH_BLOCK] = sums;
}

/** Rewrite a row of pairs. */
static inline void rill_cpu_patch_rewrite(const rill_cpu_patch_work *w, const rill_patch *patch,
                                          const rill_patch_now *now, double density, uint64_t first)
{
    const bool answered = rill_patch_answers((int)w->launch->variant.equilibrium, patch);
    const double mean[3] = {0, 0, 0};
    rill_cpu_row_of_pairs row;
    rill_cpu_patch_look(w, patch, first, &row);
    for (size_t j = 0; j < row.link[0].count; j++) {
        const uint64_t k = first + j;
        const double out[2] = {row.link[0].value[j], row.link[1].value[j]};
        rill_patch_answer answer = {patch->terms[k], patch->terms[patch->count + k]};
        if (!answered)
            answer =
                rill_patch_answer_of(w->layout.lattice, false, patch, now, k, &patch->pairs[k], out[0], mean);
        const double term = answer.fixed + answer.slope * density;
        patch->terms[k] = term;
        for (int e = 0; e < 2; e++) row.link[e].value[j] = rill_patch_back(patch, term, out, e);
    }
    for (int e = 0; e < 2; e++) rill_cpu_patch_write(w, false, &row.link[e]);
}

/** What a loop over nodes or pairs of a patch, or nodes of a sponge, works with. */
typedef struct rill_cpu_patch_rows {
    const rill_cpu_patch_work *w;
    const rill_patch *patch;
    const rill_patch_now *now;
    const rill_sponge *sponge;
    bool flows;
    double density, *exchange;
} rill_cpu_patch_rows;

static inline void rill_cpu_patch_node_range(const void *shared, uint64_t first, uint64_t end)
{
    const rill_cpu_patch_rows *r = shared;
    for (uint64_t k = first; k < end; k += RILL_BLOCK) rill_cpu_patch_nodes(r->w, r->patch, r->now, k);
}

static inline void rill_cpu_patch_answer_range(const void *shared, uint64_t first, uint64_t end)
{
    const rill_cpu_patch_rows *r = shared;
    for (uint64_t k = first; k < end; k += RILL_PATCH_BLOCK)
        rill_cpu_patch_answer(r->w, r->flows, r->patch, r->now, k);
}

static inline void rill_cpu_patch_rewrite_range(const void *shared, uint64_t first, uint64_t end)
{
    const rill_cpu_patch_rows *r = shared;
    for (uint64_t k = first; k < end; k += RILL_BLOCK)
        rill_cpu_patch_rewrite(r->w, r->patch, r->now, r->density, k);
}

static inline void rill_cpu_patch_measure_range(const void *shared, uint64_t first, uint64_t end)
{
    const rill_cpu_patch_rows *r = shared;
    for (uint64_t k = first; k < end; k += RILL_BLOCK) rill_cpu_patch_measure(r->w, r->patch, k, r->exchange);
}

static inline void rill_cpu_patch_damp_range(const void *shared, uint64_t first, uint64_t end)
{
    const rill_cpu_patch_rows *r = shared;
    for (uint64_t k = first; k < end; k += RILL_BLOCK) rill_cpu_patch_damp(r->w, r->sponge, k);
}

/** Links of a patch take as long as a few nodes of a step each. */
enum { RILL_CPU_PATCH_PIECE = 2 * RILL_PATCH_BLOCK };

/** See rill_kernels.damp. */
static inline void rill_cpu_patch_damp_all(const rill_cpu_patch_work *w, const rill_sponge *sponge)
{
    rill_threads_for(sponge->count, RILL_CPU_PATCH_PIECE, rill_cpu_patch_damp_range,
                     &(rill_cpu_patch_rows){.w = w, .sponge = sponge});
}

/** Rewrite a patch. */
static inline void rill_cpu_patch_act(rill_cpu_patch_rows rows)
{
    const rill_patch *patch = rows.patch;
    rill_patch_sums sums = {0, 0, 0};
    for (uint64_t k = 0; patch->partials && k * RILL_PATCH_BLOCK < patch->count; k++)
        rill_patch_sums_add(&sums, &patch->partials[k]);
    const rill_patch_act act = rill_patch_act_of(patch, rows.now, &sums);
    if (patch->partials) rill_patch_keep(patch, rows.now, &act);
    rows.density = act.density;
    rill_threads_for(patch->count, RILL_CPU_PATCH_PIECE, rill_cpu_patch_rewrite_range, &rows);
}

/** See rill_kernels.patch. */
static inline void rill_cpu_patch(const rill_cpu_patch_work *w, rill_patch_task task, const rill_patch *patch,
                                  const rill_patch_now *now, double *exchange)
{
    const int equilibrium = (int)w->launch->variant.equilibrium;
    const rill_cpu_patch_rows rows = {.w = w,
                                      .patch = patch,
                                      .now = now,
                                      .flows = rill_patch_flows(equilibrium, patch),
                                      .exchange = exchange};
    if (rill_patch_blocks(patch, task) == 0) return;
    switch (task) {
    case RILL_PATCH_ANSWER:
        if (!rill_patch_answers(equilibrium, patch)) return;
        if (rill_patch_looks(equilibrium, patch))
            rill_threads_for(patch->node_count, RILL_CPU_PATCH_PIECE, rill_cpu_patch_node_range, &rows);
        rill_threads_for(patch->count, RILL_CPU_PATCH_PIECE, rill_cpu_patch_answer_range, &rows);
        return;
    case RILL_PATCH_REWRITE:
        rill_cpu_patch_act(rows);
        return;
    case RILL_PATCH_MEASURE:
        rill_threads_for(patch->count, RILL_CPU_PATCH_PIECE, rill_cpu_patch_measure_range, &rows);
    }
}

#endif
