/* SPDX-License-Identifier: Apache-2.0 */
/* Computes a permeability as a whole: what is prepared, chosen, planned, run and bounded, in which order, and
 * beside what. */
#include "batch/run.h"

#include "core/clock.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "device/device.h"
#include "kernel/storage/stream.h"
#include "permeability/darcy.h"
#include "permeability/numbered.h"
#include "permeability/plan_memory.h"
#include "sim/choose.h"

#include <math.h>
#include <string.h>

/* A run in the making. */
typedef struct making {
    const rill_geom *geom, *whole; /* whole: with pores that do not conduct; NULL: no further run needs it */
    rill_geom bounded; /* the same with the grey values of geom, which copies lack; all are borrowed */
    const rill_permeability_request *request;
    rill_permeability_answer *out;
    rill_plan_basis basis;
    rill_device_opening opening;
    bool opens;       /* a device of this run is being opened */
    rill_device *own; /* that was opened */
} making;

static rill_error_bar_options bar_options(const making *m)
{
    return (rill_error_bar_options){.fine = m->request->error_bar == RILL_ERROR_BAR_FINE,
                                    .progress = m->out->options.progress};
}

/* Fill in what follows from the request and the geometry. */
static void options_complete(const rill_geom *geom, const rill_permeability_request *r,
                             rill_permeability_options *o)
{
    o->sensitivity |= geom->greys != NULL; /* the threshold has a width */
    o->settle_fields |= o->sensitivity || o->finished || o->finished_pieces;
    o->wall_room |= r->error_bar != RILL_ERROR_BAR_NONE;
}

/* Fail before the work where something would fail after it. */
static rill_status request_check(const rill_geom *geom, const rill_permeability_options *o,
                                 const rill_permeability_request *r, size_t *blocks)
{
    rill_status status = RILL_OK;
    rill_block_grid grid;
    rill_batch_item *items = NULL;
    if (o->checkpoint && (r->error_bar || r->sample_edge))
        return rill_fail(
            RILL_USAGE,
            "the further runs of an error bar have no place in a checkpoint: leave one of them out");
    if (!(r->pressure_drop >= 0) || !isfinite(r->pressure_drop))
        return rill_fail(RILL_USAGE, "pressure drop %g Pa is not a number from 0 on", r->pressure_drop);
    if (r->pressure_drop > 0 && !(r->fluid.viscosity > 0 && isfinite(r->fluid.viscosity)))
        return rill_fail(RILL_USAGE, "viscosity %g Pa s of the fluid is not above 0", r->fluid.viscosity);
    if (r->pressure_drop > 0 && !(geom->spacing > 0))
        return rill_fail(RILL_USAGE, "a flow in SI units needs the voxel size: give it, such as 5.7um");
    if (r->error_bar) RILL_TRY(rill_plan_error_bar_check(o));
    if (!r->sample_edge) return RILL_OK;
    if (geom->planes)
        return rill_fail(
            RILL_USAGE,
            "the row \"sample\" needs blocks that one process computes: start one, or leave it out");
    status = rill_blocks_create(geom, "sample", &r->sample_edge, 1, &grid, &items, &(size_t){0});
    if (status != RILL_OK) rill_fail_prefix("sample");
    *blocks = status == RILL_OK ? grid.count : 0;
done:
    rill_blocks_free(items);
    return status;
}

/* Choose what is fastest, on several devices among what they have. */
static void variant_choose(const making *m)
{
    rill_permeability_options *o = &m->out->options;
    m->out->variant_reason = rill_variant_choose_for(&o->variant, o->on.device, m->geom,
                                                     m->request->keep_stream, m->request->keep_addressing);
    if (o->on.count > 1 && rill_stream_ring(o->variant.stream) && !m->request->keep_stream) {
        o->variant.stream = RILL_AA;
        m->out->variant_reason = "one array, on several devices";
    }
}

/* Wait for the device, unless it was given. */
static rill_status device_wait(making *m)
{
    rill_permeability_options *o = &m->out->options;
    if (m->request->open) return m->request->open(m->request->context, o);
    if (!m->opens) return RILL_OK;
    m->opens = false;
    const rill_status status = rill_device_end(&m->opening, &m->own);
    o->on.device = m->own;
    return status;
}

/* Measure the sample while the device is opened, choose the variant, plan all runs, and measure the speed. */
static rill_status plan(making *m)
{
    rill_status status = RILL_OK;
    rill_permeability_answer *a = m->out;
    rill_permeability_options *o = &a->options;
    rill_plan_sizes sizes;
    const bool waits =
        (m->opens || m->request->open) && o->on.backend != RILL_BACKEND_CPU && rill_device_has_cuda();
    /* How many nodes can be numbered depends on how many devices there are. */
    const bool large = rill_geom_fluid(m->geom) >= UINT32_MAX;
    if (large) RILL_TRY(device_wait(m));
    RILL_TRY(rill_plan_basis_take(m->geom, o, &m->basis));
    if (waits && !m->request->plan_only && !m->request->error_bar) rill_plan_basis_hurry(o, &m->basis);
    if (!large) RILL_TRY(device_wait(m));
    variant_choose(m);
    RILL_TRY(rill_plan_make_on(m->geom, o, &m->basis, &a->plan, &sizes));
    if (m->request->error_bar)
        RILL_TRY(rill_error_bar_plan_make(
            &m->bounded, o, &a->plan, &(rill_error_bar_options){bar_options(m).fine}, &a->error_bar_plan));
    if (m->request->forecast) {
        RILL_TRY(rill_permeability_forecast_make(m->geom, o, &a->plan, &a->forecast));
        if (m->request->error_bar) RILL_TRY(rill_plan_speed_load_others(o, &a->error_bar_plan));
    }
    rill_numbered_chambers_end(a->plan.numbered, true); /* which were found beside the GPU's work */
    RILL_TRY(rill_memory_peak(a->plan.resources.host_bytes - rill_numbered_bytes(a->plan.numbered),
                              &a->host_peak));
    RILL_TRY(rill_memory_peak(a->error_bar_plan.host_bytes, &a->host_peak_error_bar));
done:
    return status;
}

/* Make the further runs of a result. */
static rill_status bound(making *m)
{
    rill_status status = RILL_OK;
    rill_permeability_answer *a = m->out;
    rill_permeability_options o = a->options;
    const rill_error_bar_options bar = bar_options(m);
    const double start = rill_now();
    o.finished = NULL;
    o.finished_pieces = NULL;
    if (m->request->error_bar)
        RILL_TRY(
            rill_error_bar_compute(&m->bounded, &o, &a->result, &a->error_bar_plan, &bar, &a->error_bar));
    if (m->request->sample_edge)
        RILL_TRY(rill_error_bar_sample(m->whole, &o, m->request->sample_edge, o.progress, &a->error_bar));
done:
    if (m->request->error_bar || m->request->sample_edge) a->seconds_error_bar = rill_now() - start;
    return status;
}

/* Say of rows that were requested, and that the run did not come to, why. */
static void rows_missing(making *m, const char *why)
{
    const bool further = m->request->error_bar != RILL_ERROR_BAR_NONE;
    const struct {
        rill_error_row row;
        bool requested;
    } rows[] = {{RILL_ERROR_SHAPE, further},
                {RILL_ERROR_BOUNDARIES, further},
                {RILL_ERROR_SAMPLE, m->request->sample_edge != 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].requested && m->out->error_bar.contributions[rows[i].row].state == RILL_ERROR_NOT_ASKED)
            rill_error_bar_put(&m->out->error_bar, rows[i].row, RILL_ERROR_UNKNOWN, NULL, NULL, why);
}

static rill_status compute(making *m)
{
    rill_status status = RILL_OK;
    rill_permeability_answer *a = m->out;
    status = rill_permeability_compute(m->geom, &a->options, &a->plan, &a->result);
    a->stopped = status == RILL_CANCELLED && a->result.run_count > 0;
    a->computed = status == RILL_OK || status == RILL_NUMERICS || a->stopped;
    if (a->computed) rill_error_bar_of_run(&a->result, &a->error_bar);
    RILL_TRY(status);
    RILL_TRY(bound(m));
    if (m->request->pressure_drop > 0)
        RILL_TRY(rill_darcy_note(m->geom, &m->request->fluid, m->request->pressure_drop, &a->result));
done:
    if (status != RILL_OK && a->computed) rows_missing(m, rill_error_message());
    return status;
}

/* Plan, ask, and compute. @param[in] start  of preparing */
static rill_status run(making *m, double start)
{
    rill_status status = RILL_OK;
    const rill_permeability_request *r = m->request;
    const rill_permeability_options *o = &m->out->options;
    rill_progress_watch watch;
    /* Where a checkpoint is to be left, there must be a simulation first. Several processes go on together.
     */
    const bool watched = !o->checkpoint && !m->geom->planes;
    rill_progress_watch_begin(&watch, watched ? o->progress : (rill_progress){NULL, NULL},
                              o->progress_seconds, "planning the flow");
    status = plan(m);
    if (status == RILL_OK && watch.cancelled)
        status = rill_progress_poll(); /* a measurement that a plan may lack */
    rill_progress_watch_end(&watch);
    m->out->seconds_plan = rill_now() - start;
    RILL_TRY(status);
    if (r->planned) RILL_TRY(r->planned(r->context, m->out));
    if (!r->plan_only) RILL_TRY(compute(m));
done:
    rill_plan_basis_free(&m->basis);
    return status;
}

static void begin(making *m, const rill_permeability_options *options)
{
    memset(m->out, 0, sizeof *m->out);
    m->out->forecast =
        (rill_permeability_forecast){.steps = NAN, .seconds = NAN, .mlups = NAN, .seconds_host = NAN};
    m->out->options = rill_plan_resolve(m->geom, options);
    options_complete(m->geom, m->request, &m->out->options);
}

static void whole_take(making *m, const rill_geom *whole)
{
    m->whole = whole;
    if (!whole) return;
    m->bounded = *whole;
    m->bounded.greys = m->geom->greys;
}

rill_status rill_permeability_run_prepared(const rill_geom *geom, const rill_geom *whole,
                                           const rill_permeability_options *options,
                                           const rill_permeability_request *request,
                                           rill_permeability_answer *out)
{
    making m = {.geom = geom, .request = request, .out = out};
    begin(&m, options);
    whole_take(&m, whole);
    return run(&m, rill_now());
}

rill_status rill_permeability_run(rill_geom *geom, const rill_permeability_options *options,
                                  const rill_permeability_request *request, rill_permeability_answer *out)
{
    rill_status status = RILL_OK;
    const double start = rill_now();
    rill_geom *whole = NULL;
    making m = {.geom = geom, .request = request, .out = out};
    rill_permeability_options *const o = &out->options;
    begin(&m, options);
    RILL_TRY(rill_plan_check(o));
    RILL_TRY(request_check(geom, o, request, &out->sample_blocks));
    m.opens = !o->on.device && !request->open;
    if (m.opens) rill_device_begin(o->on.backend, 0, &m.opening); /* while voxels are prepared */
    if (request->error_bar || request->sample_edge) RILL_TRY(rill_geom_copy(geom, &whole));
    whole_take(&m, whole);
    RILL_TRY(rill_permeability_prepare(geom, o));
    RILL_TRY(run(&m, start));
done:
    if (m.opens) rill_device_drop(&m.opening);
    if (m.own) {
        o->on.device = NULL;
        rill_device_destroy(m.own);
    }
    rill_geom_destroy(whole);
    return status;
}

void rill_permeability_answer_free(rill_permeability_answer *answer)
{
    rill_permeability_free(&answer->result);
    rill_permeability_plan_free(&answer->plan);
    memset(answer, 0, sizeof *answer);
}
