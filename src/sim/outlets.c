/* SPDX-License-Identifier: Apache-2.0 */
/* Windkessels behind patches, and what is recorded of patches. Equations: kernel/boundary/outlet.h. */
#include "sim/attached.h"

#include "core/memory.h"
#include "core/status.h"
#include "kernel/boundary/boundary.h"

#include <math.h>

static rill_status windkessel_check(const rill_windkessel *w)
{
    const struct {
        const char *name;
        double value;
        bool negative, infinite; /* are allowed */
    } numbers[] = {
        {"proximal", w->proximal, false, false},     {"distal", w->distal, false, true},
        {"compliance", w->compliance, false, false}, {"beyond", w->beyond, true, false},
        {"stored", w->stored, true, false},          {"micro", w->micro, false, false},
        {"myocardial", w->myocardial, false, false}, {"stored_behind", w->stored_behind, true, false},
        {"backflow", w->backflow, false, false},     {"layer", w->layer, false, false}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (!(isfinite(numbers[k].value) || (numbers[k].infinite && numbers[k].value > 0)) ||
            (numbers[k].value < 0 && !numbers[k].negative))
            return rill_fail(RILL_USAGE, "windkessel: %s = %g is not %s", numbers[k].name, numbers[k].value,
                             numbers[k].negative ? "a finite number" : "0 or above");
    if ((w->micro > 0) != (w->myocardial > 0) ||
        (w->micro > 0 && !(w->compliance > 0 && w->distal > 0 && isfinite(w->distal))))
        return rill_fail(
            RILL_USAGE,
            "windkessel: a second compartment needs micro, myocardial, compliance and a finite distal above 0, and has %g, %g, %g and %g",
            w->micro, w->myocardial, w->compliance, w->distal);
    if (isinf(w->distal) && w->compliance == 0)
        return rill_fail(
            RILL_USAGE,
            "windkessel: nothing flows through an infinite distal resistance without a compliance: give one of them");
    return RILL_OK;
}

static rill_status is_opening(const rill_attached *a, int patch)
{
    if (!a->interpolated && a->patch.kind != RILL_BOUNDARY_WALL) return RILL_OK;
    return rill_fail(RILL_USAGE,
                     "patch %d is a wall: openings are recorded, with half-way velocities or pressures",
                     patch);
}

/* Return a b of 2 x 2 matrices. */
static void product(double a[2][2], double b[2][2], double out[2][2])
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j];
}

/*
 * Solve dx/dt = A x + b over a step: x' = M x + G b, M = exp(A), G = integral of exp(A t). By the series of G
 * for a part of the step, doubled: G(2 t) = (I + M(t)) G(t). M = I + A G.
 */
static void integrate(double rates[2][2], double m[2][2], double g[2][2])
{
    enum { TERMS = 14 };
    double a[2][2], term[2][2] = {{1, 0}, {0, 1}}, next[2][2], most = 0, size = 1;
    int doublings = 0;
    for (int k = 0; k < 4; k++) most = fmax(most, 2 * fabs(rates[k / 2][k % 2]));
    for (; most * size > 0.5 && doublings < 60; doublings++) size /= 2;
    for (int k = 0; k < 4; k++) {
        a[k / 2][k % 2] = size * rates[k / 2][k % 2];
        g[k / 2][k % 2] = 0;
    }
    for (int n = 1; n <= TERMS; n++) { /* A^(n - 1) / n! */
        for (int k = 0; k < 4; k++) g[k / 2][k % 2] += size * term[k / 2][k % 2];
        product(a, term, next);
        for (int k = 0; k < 4; k++) term[k / 2][k % 2] = next[k / 2][k % 2] / (n + 1);
    }
    for (int d = 0; d <= doublings; d++) {
        product(rates, g, m);
        for (int k = 0; k < 2; k++) m[k][k] += 1;
        if (d == doublings) break;
        double one[2][2] = {{1 + m[0][0], m[0][1]}, {m[1][0], 1 + m[1][1]}};
        product(one, g, next);
        for (int k = 0; k < 4; k++) g[k / 2][k % 2] = next[k / 2][k % 2];
    }
}

/* Fill in how the pressures of both compartments follow. */
static void compartments_set(const rill_windkessel *w, rill_patch *patch)
{
    const double rate = w->compliance > 0 && w->distal > 0 ? 1 / (w->distal * w->compliance) : INFINITY;
    double m[2][2] = {{exp(-rate), 0}, {0, 0}}, g[2][2];
    patch->gain[0] = isinf(w->distal) ? 1 / w->compliance : -expm1(-rate) * w->distal;
    patch->drive[0] = 1 - m[0][0];
    patch->gain[1] = patch->drive[1] = 0;
    if (w->micro > 0) {
        const double a = 1 / (w->micro * w->compliance), b = 1 / (w->micro * w->myocardial),
                     out = 1 / (w->distal * w->myocardial);
        double rates[2][2] = {{-a, a}, {b, -b - out}};
        integrate(rates, m, g);
        for (int k = 0; k < 2; k++) {
            patch->gain[k] = g[k][0] / w->compliance;
            patch->drive[k] = g[k][1] * out;
        }
    }
    for (int k = 0; k < 4; k++) patch->step[k / 2][k % 2] = m[k / 2][k % 2];
}

rill_status rill_patches_windkessel(rill_patches *p, int patch, const rill_launch *launch,
                                    const rill_windkessel *w)
{
    rill_status status = RILL_OK;
    rill_attached *a = p->all[patch];
    const double both[4] = {w->stored, w->stored_behind, w->stored, w->stored_behind};
    if (!rill_patch_holds_pressure(&a->patch))
        return rill_fail(RILL_USAGE,
                         "patch %d holds no pressure: a Windkessel needs rill_boundary_set_density()", patch);
    RILL_TRY(windkessel_check(w));
    RILL_TRY(rill_attached_sum(a));
    if (w->backflow > 0) RILL_TRY(rill_attached_look(a));
    if (!a->patch.stored)
        RILL_TRY(rill_device_alloc(a->device, sizeof both, "an outlet", (void **)&a->patch.stored));
    RILL_TRY(rill_device_upload(a->device, a->patch.stored, both, sizeof both));
    compartments_set(w, &a->patch);
    a->patch.proximal = w->proximal;
    a->patch.layer = w->layer;
    a->patch.backflow = w->backflow;
    a->patch.kind = RILL_BOUNDARY_WINDKESSEL;
    a->beyond = w->beyond;
    RILL_TRY(rill_patches_refresh(p, launch, a->device));
done:
    return status;
}

rill_status rill_patches_record(rill_patches *p, int patch, const rill_launch *launch, uint64_t steps,
                                uint32_t capacity)
{
    rill_status status = RILL_OK;
    rill_attached *a = p->all[patch];
    double *record = NULL;
    if (capacity == 0) return rill_fail(RILL_USAGE, "a record of 0 steps holds nothing: give 1 or more");
    RILL_TRY(is_opening(a, patch));
    RILL_TRY(rill_attached_sum(a));
    if (a->patch.kind == RILL_BOUNDARY_VELOCITY) RILL_TRY(rill_attached_look(a));
    RILL_TRY(rill_device_alloc(a->device, (uint64_t)capacity * 2 * sizeof *record, "a record of an opening",
                               (void **)&record));
    rill_device_free(a->device, a->patch.record);
    a->patch.record = record;
    a->patch.capacity = capacity;
    a->recorded_from = steps;
    RILL_TRY(rill_patches_refresh(p, launch, a->device));
done:
    return status;
}

rill_status rill_patches_series(const rill_patches *p, int patch, uint64_t steps, uint64_t first,
                                uint32_t count, double *flow, double *pressure)
{
    rill_status status = RILL_OK;
    const rill_attached *a = p->all[patch];
    const uint64_t capacity = a->patch.capacity;
    double *rows = NULL;
    if (!a->patch.record)
        return rill_fail(RILL_USAGE, "patch %d is not recorded: start recording before the steps are made",
                         patch);
    const uint64_t kept = steps > capacity ? steps - capacity : 0,
                   oldest = kept > a->recorded_from ? kept : a->recorded_from;
    if (first < oldest || first > steps || count > steps - first)
        return rill_fail(
            RILL_USAGE,
            "steps %llu to %llu of patch %d are not all on record, which has %llu to %llu: ask more often, or for a larger record",
            (unsigned long long)first, (unsigned long long)(first + count), patch, (unsigned long long)oldest,
            (unsigned long long)steps);
    RILL_TRY(
        rill_array_create(2 * (uint64_t)count + 2, sizeof *rows, "a record of an opening", (void **)&rows));
    for (uint64_t k = 0; k < count;) { /* in one or two runs */
        const uint64_t at = (first + k) % capacity,
                       run = count - k < capacity - at ? count - k : capacity - at;
        RILL_TRY(
            rill_device_download(a->device, rows + 2 * k, a->patch.record + 2 * at, run * 2 * sizeof *rows));
        k += run;
    }
    for (uint64_t k = 0; k < count; k++) {
        if (flow) flow[k] = rows[2 * k];
        if (pressure) pressure[k] = rows[2 * k + 1];
    }
done:
    rill_array_destroy(rows);
    return status;
}

rill_status rill_patches_stored(const rill_patches *p, int patch, uint64_t steps, double stored[2])
{
    const rill_attached *a = p->all[patch];
    stored[0] = stored[1] = 0;
    if (a->patch.kind != RILL_BOUNDARY_WINDKESSEL) return RILL_OK;
    return rill_device_download(a->device, stored, a->patch.stored + 2 * (steps & 1), 2 * sizeof *stored);
}

rill_status rill_patches_store(rill_patches *p, int patch, uint64_t steps, const double *stored, int count)
{
    const rill_attached *a = p->all[patch];
    if (a->patch.kind != RILL_BOUNDARY_WINDKESSEL)
        return rill_fail(RILL_USAGE, "patch %d has no Windkessel: call rill_sim_patch_windkessel() first",
                         patch);
    return rill_device_upload(a->device, a->patch.stored + 2 * (steps & 1), stored,
                              (uint64_t)count * sizeof *stored);
}

rill_status rill_patches_restore(rill_patches *p, int patch, uint64_t steps, const double stored[2])
{
    rill_attached *a = p->all[patch];
    a->recorded_from = steps;
    return a->patch.kind == RILL_BOUNDARY_WINDKESSEL ? rill_patches_store(p, patch, steps, stored, 2)
                                                     : RILL_OK;
}
