/* SPDX-License-Identifier: Apache-2.0 */
/* Computes one item: reads it, prepares it, and drives flows along the axes that conduct. */
#include "batch/compute.h"

#include "batch/input.h"
#include "batch/run.h"
#include "core/clock.h"
#include "core/notes.h"
#include "core/status.h"
#include "device/device.h"
#include "diffusion/diffusion.h"
#include "geometry/voxels/axes.h"
#include "io/ours.h"
#include "permeability/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An item in the making. */
typedef struct making {
    const rill_batch_worker *worker;
    rill_batch_row *row;
    rill_permeability_options options;
    rill_geom *geom, *all; /* all: with its pores that do not conduct, for the error bar; NULL: not needed */
    rill_gate_pass pass;
    double begun;
    double updates;
    char *notes; /* of all runs, owned */
} making;

/* Take a failure over into the row. */
static void fail(making *m, rill_status status)
{
    rill_batch_row *row = m->row;
    bool any = false;
    row->status = status;
    for (int b = 0; b < 9; b++) any = any || isfinite(row->k[b / 3][b % 3]);
    if (!any) row->uncertainty = NAN; /* else that of the axes that converged */
    row->reason = status == RILL_CANCELLED  ? RILL_BATCH_OPEN
                  : status == RILL_NUMERICS ? RILL_BATCH_NOT_CONVERGED
                  : status == RILL_USAGE    ? RILL_BATCH_REFUSED
                                            : RILL_BATCH_FAILED;
    snprintf(row->message, sizeof row->message, "%s", rill_error_message());
}

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Return whether the flow along an axis is requested. */
static bool requested(const making *m, int axis) { return rill_axes_has(m->options.axis, axis); }

/* Nothing conducts along an axis: k is 0, which is known exactly. */
static void zero_put(making *m, int axis)
{
    for (int b = 0; b < 3; b++) m->row->k[b][axis] = 0;
    m->row->k[axis][axis] = 0;
}

/* Put what a computation along one or all axes gave into the row. */
static void result_put(making *m, const rill_permeability *p)
{
    rill_batch_row *row = m->row;
    for (int r = 0; r < p->run_count; r++) {
        const rill_permeability_flow *run = &p->runs[r];
        const int a = run->axis;
        row->steps += run->steps;
        m->updates += (double)run->steps * (double)(p->plan.nodes + p->plan.reservoirs);
        for (int b = 0; b < 3; b++) row->k[b][a] = p->k[b][a];
        row->edge_share[a] = run->edge_share;
    }
    row->flowing = p->plan.pores.porosity;
    row->diameter = 4 * p->plan.pores.porosity / p->plan.pores.surface;
    row->uncertainty = p->uncertainty;
    snprintf(row->made.backend, sizeof row->made.backend, "%s", p->backend);
}

/* Put what a run and further runs say of the error into the row. @param[in] known  all of them ended well */
static rill_status bar_put(making *m, const rill_error_bar *bar, bool known)
{
    rill_status status = RILL_OK;
    rill_batch_row *row = m->row;
    for (int i = 0; i < RILL_ERROR_ROWS; i++)
        memcpy(row->error[i], bar->contributions[i].half_width, sizeof row->error[i]);
    memcpy(row->error_total, bar->total, sizeof row->error_total);
    memcpy(row->best, bar->best, sizeof row->best);
    memcpy(row->off_axis, bar->off_axis, sizeof row->off_axis);
    for (int i = 0; i < RILL_ERROR_ROWS && known; i++)
        if (bar->contributions[i].state == RILL_ERROR_UNKNOWN)
            RILL_TRY(rill_note(&m->notes, "%s is not known, and not in the total: %s",
                               bar->contributions[i].name, bar->contributions[i].note));
done:
    return status;
}

/* Wait until the memory of the planned runs is free. */
static rill_status admit(void *context, const rill_permeability_answer *a)
{
    making *m = context;
    const uint64_t voxels = rill_geom_voxels(m->geom) * (1 + (m->all != NULL) + (m->geom->greys != NULL));
    if (a->plan.nodes > m->row->nodes) m->row->nodes = a->plan.nodes;
    if (!rill_gate_compute(m->worker->gate, &m->pass,
                           voxels + larger(a->plan.resources.host_bytes, a->error_bar_plan.host_bytes),
                           larger(a->plan.resources.device_bytes, a->error_bar_plan.device_bytes)))
        return rill_fail(RILL_CANCELLED, "cancelled: waiting for memory");
    if (m->row->seconds_prepare == 0) m->row->seconds_prepare = rill_now() - m->begun;
    return RILL_OK;
}

/* Compute the flow along the axes of the options in the prepared geometry. */
static rill_status flow(making *m)
{
    const rill_batch_options *o = m->worker->options;
    const rill_permeability_request request = {.keep_stream = o->stream_given,
                                               .keep_addressing = o->addressing_given,
                                               .error_bar = (rill_error_bar_kind)o->error_bar,
                                               .sample_edge = o->sample_edge,
                                               .planned = admit,
                                               .context = m};
    rill_permeability_answer answer;
    rill_status status = rill_permeability_run_prepared(m->geom, m->all, &m->options, &request, &answer);
    rill_variant stored = answer.options.variant;
    stored.storage = answer.result.plan.storage;
    if (answer.result.plan.nodes)
        rill_variant_name(stored, m->row->made.variant, sizeof m->row->made.variant);
    if (answer.computed && !answer.stopped) {
        result_put(m, &answer.result);
        const rill_status noted = rill_notes_add(&m->notes, answer.result.notes),
                          put = answer.result.converged ? bar_put(m, &answer.error_bar, status == RILL_OK)
                                                        : RILL_OK;
        if (status == RILL_OK) status = noted != RILL_OK ? noted : put;
    }
    rill_permeability_answer_free(&answer);
    return status;
}

/* "nothing percolates along x and z" */
static void zeros_explain(making *m, const bool zero[3])
{
    rill_batch_row *row = m->row;
    size_t used = 0;
    const rill_geom *geom = m->geom;
    used += (size_t)snprintf(row->message, sizeof row->message, "nothing percolates along");
    for (int a = 0, named = 0; a < 3; a++)
        if (zero[a])
            used += (size_t)snprintf(row->message + used, sizeof row->message - used, "%s %c (%s)",
                                     named++ ? "," : "", rill_axis(a),
                                     geom->sides[a] == RILL_PERIODIC ? "periodic"
                                     : geom->sides[a] == RILL_MIRROR ? "mirrored"
                                                                     : "solid");
    snprintf(row->message + used, sizeof row->message - used, ": of a porosity of %.5g, 0 conducts",
             row->porosity.total);
}

/* Return whether no solid voxel and no solid boundary is anywhere beside a flow. */
static bool unlimited(const making *m)
{
    if (rill_geom_fluid(m->geom) < rill_geom_voxels(m->geom)) return false;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            if (requested(m, a) && a != b && m->geom->sides[b] == RILL_WALL) return false;
    return true;
}

/* Return whether an item is a block that is not whole in the sample, and say so. */
static bool cut_off(making *m, const rill_batch_item *item)
{
    rill_batch_row *row = m->row;
    const double voxels = (double)rill_geom_voxels(m->geom);
    if (!item->n[0] || !m->geom->outside) return false;
    row->reason = RILL_BATCH_OUTSIDE;
    snprintf(row->message, sizeof row->message,
             "%.3g %% of the block are outside of the sample: it is not computed",
             100 * (1 - (double)rill_geom_sample(m->geom) / voxels));
    return true;
}

/* Compute the diffusivity along the axes that conduct. */
static rill_status diffusion(making *m)
{
    rill_status status = RILL_OK;
    rill_batch_row *row = m->row;
    rill_diffusivity_options o = *m->worker->options->diffusivity;
    rill_diffusivity d = {.run_count = 0};
    const uint64_t bytes =
        rill_diffusivity_bytes(rill_geom_fluid(m->geom), m->worker->options->diffusivity->phase_count);
    const bool host = m->worker->device->backend->host;
    o.axis = m->options.axis;
    o.on.device = m->worker->device;
    o.finished = NULL;
    o.progress = m->worker->progress;
    if (!rill_gate_compute(m->worker->gate, &m->pass, rill_geom_voxels(m->geom) + bytes, host ? 0 : bytes))
        RILL_TRY(rill_fail(RILL_CANCELLED, "cancelled: waiting for memory"));
    row->seconds_prepare = rill_now() - m->begun;
    status = rill_diffusivity_compute(m->geom, &o, &d);
    row->porosity = d.porosity;
    row->nodes = d.nodes;
    row->uncertainty = d.uncertainty;
    snprintf(row->made.backend, sizeof row->made.backend, "%s", d.backend);
    memcpy(row->k, d.d, sizeof row->k);
    for (int r = 0; r < d.run_count; r++) row->steps += d.runs[r].iterations;
    if (status == RILL_NUMERICS && d.run_count == 0) { /* which is a result */
        snprintf(row->message, sizeof row->message, "%s", rill_error_message());
        for (int a = 0; a < 3; a++)
            if (requested(m, a)) zero_put(m, a);
        row->uncertainty = 0;
        row->reason = RILL_BATCH_NOT_PERCOLATING;
        status = RILL_OK;
    } else if (status == RILL_OK)
        row->reason = RILL_BATCH_CONVERGED;
    if (d.notes) RILL_TRY(rill_notes_add(&m->notes, d.notes));
done:
    rill_diffusivity_free(&d);
    return status;
}

/* Drop what does not conduct, and compute along the axes that do. */
static rill_status flows(making *m)
{
    rill_status status = RILL_OK;
    rill_batch_row *row = m->row;
    bool zero[3] = {false, false, false};
    int zeros = 0, axes = 0;
    RILL_TRY(rill_plan_check_sample(m->geom, &m->options));
    if (unlimited(m)) {
        row->reason = RILL_BATCH_NO_SOLID;
        row->porosity = (rill_porosity){1, 1, {1, 1, 1}};
        snprintf(row->message, sizeof row->message, "every voxel is pore: nothing limits the permeability");
        return RILL_OK;
    }
    if (rill_batch_keeps(m->worker->options)) RILL_TRY(rill_geom_copy(m->geom, &m->all));
    status = rill_permeability_prepare(m->geom, &m->options);
    row->porosity = m->geom->porosity;
    const bool counted = row->porosity.total >= 0 && row->porosity.percolating[0] >= 0;
    for (int a = 0; a < 3 && counted; a++) {
        zero[a] = requested(m, a) && !(row->porosity.percolating[a] > 0);
        zeros += zero[a];
        axes += requested(m, a);
    }
    if (zeros == 0) {
        if (status == RILL_OK) status = flow(m);
        if (status == RILL_OK) row->reason = RILL_BATCH_CONVERGED;
        return status;
    }
    status = zeros < axes ? flow(m) : RILL_OK;
    for (int a = 0; a < 3; a++)
        if (zero[a]) zero_put(m, a);
    if (status != RILL_OK) return status;
    if (zeros == axes) row->uncertainty = 0;
    row->reason = zeros == axes ? RILL_BATCH_NOT_PERCOLATING : RILL_BATCH_CONVERGED;
    zeros_explain(m, zero);
done:
    return status;
}

static rill_status item_read(making *m, const rill_batch_item *item)
{
    rill_status status = RILL_OK;
    rill_batch_row *row = m->row;
    const rill_batch_options *o = m->worker->options;
    bool cleaned = false;
    RILL_TRY(rill_batch_input_read(item, o, m->worker->progress, &m->geom, &cleaned));
    memcpy(row->n, m->geom->n, sizeof row->n);
    row->spacing = m->geom->spacing;
    row->sample = rill_geom_sample(m->geom);
    m->options.keep_all = m->options.keep_all || cleaned;
    m->options.axis = rill_axes_resolve(m->options.axis, m->geom->n);
    if (row->made.input_hash[0]) return RILL_OK; /* known from looking for its row */
    if (!item->geom && !rill_file_is_ours(item->name) && m->geom->source_hash)
        snprintf(row->made.input_hash, sizeof row->made.input_hash, "%s", m->geom->source_hash);
    else
        RILL_TRY(rill_batch_input_hash(item, o, row->made.input_hash));
done:
    return status;
}

/* Put the notes of the geometry, then those of the runs, into the row. */
static void notes_put(making *m, rill_status *status)
{
    char *all = NULL;
    const rill_status noted = m->geom ? rill_notes_add(&all, m->geom->notes) : RILL_OK;
    if (noted != RILL_OK || rill_notes_add(&all, m->notes) != RILL_OK) {
        if (*status == RILL_OK) *status = RILL_SYSTEM;
    }
    rill_notes_copy(all, m->row->notes, sizeof m->row->notes);
    free(all);
}

bool rill_batch_compute_item(const rill_batch_worker *worker, const rill_batch_item *item, bool alone,
                             rill_batch_row *row, double *updates)
{
    rill_status status = RILL_OK;
    uint64_t bytes = 0;
    making m = {.worker = worker, .row = row, .begun = rill_now()};
    m.options = worker->options->permeability;
    m.options.on.device = worker->device;
    m.options.on.list = NULL;
    m.options.on.count = 0;
    m.options.checkpoint = NULL;
    m.options.resume = false;
    m.options.finished = NULL;
    m.options.finished_pieces = NULL;
    m.options.sensitivity = false;
    m.options.progress = worker->progress;
    RILL_TRY(rill_batch_input_bytes(item, worker->options, &bytes));
    if (!rill_gate_enter(worker->gate, &m.pass, worker->number, bytes, alone))
        RILL_TRY(rill_fail(RILL_CANCELLED, "cancelled: waiting for memory"));
    m.begun = rill_now();
    RILL_TRY(item_read(&m, item));
    if (!cut_off(&m, item)) RILL_TRY(worker->options->diffusivity ? diffusion(&m) : flows(&m));
done:
    notes_put(&m, &status);
    if (status != RILL_OK) fail(&m, status);
    row->seconds = rill_now() - m.begun;
    free(m.notes);
    rill_geom_destroy(m.geom);
    rill_geom_destroy(m.all);
    rill_gate_leave(worker->gate, &m.pass);
    *updates = m.updates;
    return status == RILL_SYSTEM;
}
