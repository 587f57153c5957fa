/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file patch.h
 * The wall links of a patch (kernel/boundary.h), a row of RILL_BLOCK of them at a time, so that formats serve
 * as they do in a step. Arithmetic is that of doubles.
 */
#ifndef RILL_CPU_PATCH_H
#define RILL_CPU_PATCH_H

#include "cpu/rows.h"
#include "kernel/boundary.h"
#include "kernel/storage.h"

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
    rill_plan plan;
    size_t size; /**< bytes of a stored number */
} rill_cpu_patch_work;

static inline char *rill_cpu_patch_slot(const rill_cpu_patch_work *w, const rill_cpu_row_of_links *row,
                                        size_t k, bool sent)
{
    return (char *)w->launch->from.populations + rill_patch_slot(w->plan, w->launch->parity, &w->launch->from,
                                                                 row->node[k], row->direction[k], sent) *
                                                     w->size;
}

/** Read what a row of links has sent, or what will come in. */
static inline void rill_cpu_patch_read(const rill_cpu_patch_work *w, bool sent, rill_cpu_row_of_links *row)
{
    alignas(64) char stored[RILL_BLOCK * sizeof(double)] = {0}, values[RILL_BLOCK * sizeof(double)];
    for (size_t k = 0; k < row->count; k++)
        memcpy(stored + k * w->size, rill_cpu_patch_slot(w, row, k, sent), w->size);
    w->format->load(stored, values, 0);
    for (size_t k = 0; k < row->count; k++) {
        const double value = w->launch->variant.arithmetic == RILL_SINGLE ? (double)((float *)values)[k]
                                                                          : ((double *)values)[k];
        row->value[k] = value - w->weights[row->direction[k]];
    }
}

/** Write what will come in. */
static inline void rill_cpu_patch_write(const rill_cpu_patch_work *w, const rill_cpu_row_of_links *row)
{
    alignas(64) char stored[RILL_BLOCK * sizeof(double)], values[RILL_BLOCK * sizeof(double)] = {0};
    for (size_t k = 0; k < row->count; k++) {
        const double value = row->value[k] + w->weights[row->direction[k]];
        if (w->launch->variant.arithmetic == RILL_SINGLE)
            ((float *)values)[k] = (float)value;
        else
            ((double *)values)[k] = value;
    }
    w->format->store(stored, values, 0);
    for (size_t k = 0; k < row->count; k++)
        memcpy(rill_cpu_patch_slot(w, row, k, false), stored + k * w->size, w->size);
}

/** Find the velocities of a row of nodes in the step just made: collisions add the force, half of which
 * counts. */
static inline void rill_cpu_patch_velocity(const rill_cpu_patch_work *w, const rill_patch *patch,
                                           uint64_t first)
{
    rill_cpu_row_of_links row = {.count = patch->node_count - first};
    double density[RILL_BLOCK] = {0}, momentum[3][RILL_BLOCK];
    if (row.count > RILL_BLOCK) row.count = RILL_BLOCK;
    for (size_t k = 0; k < row.count; k++) {
        row.node[k] = patch->nodes[first + k];
        for (int a = 0; a < 3; a++) momentum[a][k] = -0.5 * patch->force[a];
    }
    for (int i = 0; i < rill_q(w->plan.lattice); i++) {
        for (size_t k = 0; k < row.count; k++) row.direction[k] = i;
        rill_cpu_patch_read(w, true, &row);
        for (size_t k = 0; k < row.count; k++) {
            density[k] += row.value[k];
            for (int a = 0; a < 3; a++) momentum[a][k] -= rill_c(w->plan.lattice, i, a) * row.value[k];
        }
    }
    for (uint64_t a = 0; a < 3; a++)
        for (size_t k = 0; k < row.count; k++)
            patch->velocities[a * patch->node_count + first + k] = momentum[a][k] / (1 + density[k]);
}

/** Rewrite a row of pairs, or measure it. */
static inline void rill_cpu_patch_pairs(const rill_cpu_patch_work *w, const rill_patch *patch, uint64_t first,
                                        double *exchange)
{
    rill_cpu_row_of_links sent[2], back[2];
    const uint64_t left = patch->count - first;
    const size_t count = left < RILL_BLOCK ? (size_t)left : RILL_BLOCK;
    const bool flows = rill_patch_flows((int)w->launch->variant.equilibrium, patch);
    for (int e = 0; e < 2; e++) {
        sent[e].count = count;
        for (size_t k = 0; k < count; k++) {
            sent[e].node[k] = patch->pairs[first + k].node[e];
            sent[e].direction[k] = patch->pairs[first + k].direction[e];
        }
        back[e] = sent[e];
        rill_cpu_patch_read(w, true, &sent[e]);
        if (exchange) rill_cpu_patch_read(w, false, &back[e]);
    }
    for (size_t k = 0; k < count; k++) {
        const double out[2] = {sent[0].value[k], sent[1].value[k]},
                     in[2] = {back[0].value[k], back[1].value[k]};
        if (!exchange) patch->terms[first + k] = rill_patch_term(w->plan.lattice, flows, patch, first + k);
        for (int e = 0; e < 2; e++)
            if (exchange)
                rill_patch_note(patch, first + k, e, in[e], rill_patch_sent(patch, first + k, in, out[e], e),
                                exchange);
            else
                back[e].value[k] = rill_patch_back(patch, patch->terms[first + k], out, e);
    }
    for (int e = 0; e < 2 && !exchange; e++) rill_cpu_patch_write(w, &back[e]);
}

/** See rill_kernels.patch. */
static inline void rill_cpu_patch(const rill_launch *launch, const rill_cpu_format *format,
                                  const double *weights, const rill_patch *patch, double *exchange)
{
    const rill_variant v = launch->variant;
    const rill_cpu_patch_work w = {
        launch,
        format,
        weights,
        {(int)v.lattice, (int)v.stream, (int)v.addressing, (int)v.bounce, (int)v.storage, (int)v.shift},
        rill_storage_size((int)v.storage)};
    if (!exchange && rill_patch_flows((int)v.equilibrium, patch))
#pragma omp parallel for schedule(static)
        for (uint64_t k = 0; k < patch->node_count; k += RILL_BLOCK) rill_cpu_patch_velocity(&w, patch, k);
#pragma omp parallel for schedule(static)
    for (uint64_t k = 0; k < patch->count; k += RILL_BLOCK) rill_cpu_patch_pairs(&w, patch, k, exchange);
}

#endif
