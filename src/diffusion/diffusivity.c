/* SPDX-License-Identifier: Apache-2.0 */
/* The effective diffusivity of a geometry, out of runs along its axes. */
#include "core/clock.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/notes.h"
#include "core/progress.h"
#include "core/status.h"
#include "core/threads.h"
#include "diffusion/diffusion.h"
#include "diffusion/pause.h"
#include "geometry/voxels/axes.h"
#include "geometry/voxels/components.h"
#include "geometry/voxels/sides.h"
#include "permeability/tensor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-3
enum { ITERATIONS = 10000 };

rill_diffusivity_options rill_diffusivity_options_default(void)
{
    return (rill_diffusivity_options){.axis = RILL_AXIS_AUTO,
                                      .tolerance = TOLERANCE,
                                      .max_iterations = ITERATIONS,
                                      .checkpoint_every = 600};
}

static rill_status options_check(const rill_geom *geom, const rill_diffusivity_options *o)
{
    const int normal = rill_axes_normal(geom->n);
    if (!(o->tolerance > 0) || o->tolerance >= 1)
        return rill_fail(RILL_USAGE, "a tolerance of %g: it must be above 0 and below 1", o->tolerance);
    if (o->phase_count < 0 || o->phase_count > RILL_PHASES)
        return rill_fail(RILL_USAGE, "%d phases: there can be %d at most", o->phase_count, RILL_PHASES);
    if (o->error_bar && geom->outside)
        return rill_fail(
            RILL_USAGE,
            "an error bar is of whole boxes, and some voxels are outside of the sample: leave --error-bar out, or crop to a box inside");
    for (int i = 0; i < o->phase_count; i++)
        if (!(o->ratio[i] >= RILL_PHASE_RATIO_LEAST && o->ratio[i] <= RILL_PHASE_RATIO_MOST))
            return rill_fail(RILL_USAGE, "a phase conducts %g times D0: it must be %g to %g times",
                             o->ratio[i], RILL_PHASE_RATIO_LEAST, RILL_PHASE_RATIO_MOST);
    if (geom->planes)
        return rill_fail(RILL_USAGE, "diffusion is computed by one process: start it without mpirun");
    if (geom->surface && geom->surface->opening_count)
        return rill_fail(RILL_USAGE,
                         "the geometry comes from a surface with openings, and is not a porous sample");
    if (normal >= 0 && o->axis == RILL_AXES_XYZ)
        return rill_fail(
            RILL_USAGE,
            "the image is one slice, of 1 voxel along %c: take the tensor of the plane (--axis %s), or one axis",
            rill_axis(normal), rill_axes_name(rill_axes_resolve(RILL_AXES_AUTO, geom->n)));
    for (int a = 0; a < 3; a++) {
        if (!rill_axes_has(o->axis, a)) continue;
        if (o->drive == RILL_DIFFUSION_GRADIENT && geom->sides[a] == RILL_WALL)
            return rill_fail(
                RILL_USAGE,
                "solid boundaries normal to %c let nothing along it through: use --sides periodic or mirror there, or another axis",
                rill_axis(a));
        if (o->drive == RILL_DIFFUSION_INSIDE && geom->n[a] < 3)
            return rill_fail(
                RILL_USAGE,
                "%u voxels along %c: values in the first and the last slice (--drive inside) need 3",
                geom->n[a], rill_axis(a));
    }
    if (o->phase_count > 0)
        for (uint64_t v = 0; v < rill_geom_voxels(geom); v++)
            if (geom->voxels[v] > o->phase_count)
                return rill_fail(RILL_USAGE, "a voxel has the value %d, and there are %d phases",
                                 geom->voxels[v], o->phase_count);
    return RILL_OK;
}

/* Values at faces: which pores conduct follows from them alone. */
static void faces_open(rill_geom *geom, const rill_diffusivity_options *o)
{
    if (o->drive == RILL_DIFFUSION_GRADIENT) return;
    for (int a = 0; a < 3; a++) {
        if (!rill_axes_has(o->axis, a) || geom->sides[a] != RILL_PERIODIC) continue;
        geom->sides[a] = RILL_MIRROR;
        for (int b = 0; b < 3; b++) geom->porosity.percolating[b] = -1; /* to be found anew */
    }
}

/* Find what conducts through faces, and what through the links of flow; drop what does not conduct. */
static rill_status prepare(rill_geom *geom, const rill_diffusivity_options *o, rill_diffusivity *out)
{
    rill_status status = RILL_OK;
    rill_porosity *known = &geom->porosity;
    const unsigned flow = rill_contacts_of(RILL_D3Q19);
    const uint64_t before = rill_geom_fluid(geom);
    rill_components found = {.porosity = *known};
    bool any = false;
    faces_open(geom, o);
    if (before == 0)
        return rill_fail(RILL_USAGE, "the geometry has no pore voxel: check which grey values are pore");
    if (known->contacts != flow || known->percolating[0] < 0 || known->percolating[1] < 0 ||
        known->percolating[2] < 0)
        RILL_TRY(rill_components_clean(geom, RILL_KEEP_ALL, o->axis, flow, o->progress, &found));
    memcpy(out->flow_percolating, found.porosity.percolating, sizeof out->flow_percolating);
    RILL_TRY(rill_components_clean(geom, o->keep_all ? RILL_KEEP_ALL : RILL_KEEP_PERCOLATING, o->axis,
                                   RILL_CONTACT_FACES, o->progress, &found));
    const double total = known->total >= 0 ? known->total : found.porosity.total;
    *known = found.porosity;
    known->total = total;
    known->contacts = RILL_CONTACT_FACES;
    out->porosity = *known;
    out->dropped = before - rill_geom_fluid(geom);
    for (int a = 0; a < 3; a++) any = any || (rill_axes_has(o->axis, a) && known->percolating[a] > 0);
    if (any) return RILL_OK;
    status = rill_fail(
        RILL_NUMERICS,
        "nothing percolates along %s through faces of voxels: of a porosity of %.5g, 0 conducts%s, so the diffusivity is 0; choose another axis",
        rill_axes_name(o->axis), total,
        found.porosity.total > 0 && out->flow_percolating[rill_axes_first(o->axis)] > 0
            ? " (edges alone connect what flow percolates through)"
            : "");
done:
    return status;
}

/* The field of a run, for a caller. */
typedef struct field {
    const rill_diffusor *d;
    double drop; /* voxels from one end to the other */
} field;

static void flux_find(const rill_diffusion_field *f, rill_node first, rill_node count, double *flux)
{
    enum { SOME = 256 };
    const field *from = f->from;
    const rill_diffusion *all = &from->d->all;
    uint32_t place[SOME][3];
    for (rill_node done = 0; done < count; done += SOME) {
        const rill_node some = count - done < SOME ? count - done : SOME;
        rill_numbering_places(&from->d->numbering, first + done, some, place);
        for (rill_node k = 0; k < some; k++) {
            const uint32_t x = place[k][0], y = place[k][1], z = place[k][2], i = first + done + k;
            const rill_diffusion_word word = rill_diffusion_look(&all->grid, x / 64, y, z);
            const rill_diffusion_node node =
                rill_diffusion_see(all->grid.kind, &all->grid, &word, x % 64, x / 64, y, z, i);
            for (int a = 0; a < 3; a++) {
                const bool along = a == all->grid.axis;
                double sum = 0;
                for (int s = 2 * a; s < 2 * a + 2; s++) {
                    const double to = s % 2 ? 1 : -1;
                    sum += to * node.to[s] * (all->found[i] - all->found[node.beside[s]] + (along ? to : 0));
                    if (along) sum += to * node.end[s % 2] * (all->found[i] + 0.5 * to);
                }
                flux[(size_t)a * count + done + k] = 0.5 * sum / from->drop;
            }
        }
    }
}

/* Hand the field of a run out. */
static rill_status hand_out(const rill_diffusor *d, const rill_diffusivity_options *o)
{
    const rill_diffusion *all = &d->all;
    const int axis = all->grid.axis;
    const uint64_t nodes = d->numbering.nodes;
    const bool inside = all->grid.ends == RILL_ENDS_NODES;
    const field f = {d, d->geom->n[axis] - (inside ? 1. : 0.)};
    double mean = 0;
    uint32_t place[1][3];
    if (!o->finished) return RILL_OK;
    if (all->grid.ends == RILL_ENDS_NONE) {
        for (uint64_t i = 0; i < nodes; i++) mean += all->found[i];
        mean /= (double)nodes;
    }
    for (uint64_t i = 0; i < nodes; i++) {
        rill_numbering_places(&d->numbering, (rill_node)i, 1, place);
        const double at = place[0][axis] + (inside ? 0 : 0.5);
        all->outcome[i] = 1 + (all->found[i] - mean - at) / f.drop;
    }
    return o->finished(o->context, &(rill_diffusion_field){.axis = axis,
                                                           .nodes = (rill_node)nodes,
                                                           .concentration = all->outcome,
                                                           .flux = flux_find,
                                                           .from = &f});
}

/* What is kept of runs: for off-diagonal components, and for a checkpoint. */
typedef struct kept {
    double *found[3]; /* owned */
    rill_checkpoint_file pause;
    rill_diffusivity_done done;
    rill_diffusor *d;
    rill_diffusivity *out;
    const double *gap;
} kept;

/* Components of this run and those before, by their energy, whose error is at most the root of the product of
 * both gaps. */
static rill_status mixed_find(rill_diffusor *d, const rill_diffusivity_options *o, double volume,
                              const double gap[3], kept *k, rill_diffusivity *out)
{
    rill_status status = RILL_OK;
    rill_diffusivity_run *run = &out->runs[out->run_count - 1];
    bool later = false;
    for (int b = 0; b < 3; b++) {
        if (b == run->axis) continue;
        const bool zero = rill_tensor_is_zero(d->geom, &d->geom->porosity, run->axis, b);
        if (zero) out->d[b][run->axis] = run->d[b] = run->uncertainty[b] = 0;
        later = later || (!zero && b > run->axis && rill_axes_has(o->axis, b));
        if (zero || !k->found[b]) continue;
        double sum;
        RILL_TRY(rill_diffusor_energy(d, k->found[b], b, &sum));
        rill_diffusivity_run *other = out->runs;
        while (other->axis != b) other++;
        out->d[b][run->axis] = out->d[run->axis][b] = run->d[b] = other->d[run->axis] = sum / volume;
        run->uncertainty[b] = other->uncertainty[run->axis] = sqrt(gap[b] * gap[run->axis]);
    }
    if (!later) return RILL_OK;
    RILL_TRY(rill_array_create(d->numbering.nodes, sizeof(double), "the field of a run",
                               (void **)&k->found[run->axis]));
    memcpy(k->found[run->axis], d->all.found, d->numbering.nodes * sizeof(double));
done:
    return status;
}

/* Whether what a run finds is needed after it: for the caller, or for off-diagonal components. */
static bool fields_wanted(const rill_diffusivity_options *o)
{
    return o->finished || rill_axes_count(o->axis) > 1;
}

/* All that decides on the bits but --max-iterations, which may be raised. */
static rill_status pause_begin(const rill_geom *geom, const rill_diffusivity_options *o, kept *k)
{
    char text[128 + 24 * RILL_PHASES];
    size_t at = (size_t)snprintf(text, sizeof text, "axis %d drive %d tolerance %a keep %d sample %llu",
                                 o->axis, (int)o->drive, o->tolerance, o->keep_all,
                                 (unsigned long long)rill_geom_sample(geom));
    for (int i = 0; i < o->phase_count && at < sizeof text; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, " %a", o->ratio[i]);
    return rill_checkpoint_file_open(o->checkpoint, o->checkpoint_every, o->resume, text, geom,
                                     RILL_DIFFUSION_VARIANT, "iterations", &k->pause);
}

/* A rill_diffusor_goal.keep. */
static rill_status pause_keep(void *context, const rill_diffusor_place *place, rill_status came)
{
    kept *k = context;
    rill_checkpoint_part parts[RILL_DIFFUSIVITY_PARTS];
    k->done.place = *place;
    k->done.run_count = k->out->run_count - 1;
    k->done.axis = k->out->runs[k->out->run_count - 1].axis;
    memcpy(k->done.runs, k->out->runs, sizeof k->done.runs);
    memcpy(k->done.d, k->out->d, sizeof k->done.d);
    memcpy(k->done.gap, k->gap, sizeof k->done.gap);
    for (int a = 0; a < 3; a++) k->done.found[a] = k->found[a] != NULL;
    const uint64_t made =
        place->iterations > 0 ? place->iterations : k->done.runs[k->done.run_count - 1].iterations;
    return rill_checkpoint_file_keep(&k->pause, came, made, parts,
                                     rill_diffusivity_parts(&k->done, k->d, k->found, parts));
}

/* Read which runs are done. */
static rill_status pause_read(kept *k, uint64_t most, double gap[3], rill_diffusivity *out)
{
    rill_status status = RILL_OK;
    rill_checkpoint_part parts[RILL_DIFFUSIVITY_PARTS];
    const rill_diffusivity_done *done = &k->done;
    if (!k->pause.resuming) return RILL_OK;
    RILL_TRY(rill_checkpoint_file_read(&k->pause, parts, rill_diffusivity_parts(&k->done, NULL, NULL, parts),
                                       NULL));
    if (done->run_count < 0 || done->run_count > done->axis || done->axis > 2)
        RILL_TRY(rill_fail(RILL_USAGE, "cannot continue from %s: it is damaged", k->pause.path));
    for (int r = 0; r < done->run_count; r++)
        if (!done->runs[r].converged && done->runs[r].iterations < most)
            RILL_TRY(rill_fail(
                RILL_USAGE,
                "cannot continue from %s: the run along %c ended at its limit of %llu iterations, and is not in the file: start anew, without --resume",
                k->pause.path, rill_axis(done->runs[r].axis), (unsigned long long)done->runs[r].iterations));
    for (int a = 0; a < 3; a++)
        if (done->found[a])
            RILL_TRY(rill_array_create(k->d->numbering.nodes, sizeof(double), "the field of a run",
                                       (void **)&k->found[a]));
    out->run_count = done->run_count;
    memcpy(out->runs, done->runs, sizeof out->runs);
    memcpy(out->d, done->d, sizeof out->d);
    memcpy(gap, done->gap, sizeof done->gap);
done:
    return status;
}

/* Put the run that was stopped in. */
static rill_status pause_arrive(kept *k)
{
    rill_checkpoint_part parts[RILL_DIFFUSIVITY_PARTS];
    const int axis = k->done.axis, count = k->done.run_count;
    if (!k->pause.resuming) return RILL_OK;
    const rill_status status = rill_checkpoint_file_read(
        &k->pause, parts, rill_diffusivity_parts(&k->done, k->d, k->found, parts), NULL);
    if (status == RILL_OK && (k->done.axis != axis || k->done.run_count != count)) /* of the file before it */
        return rill_fail(RILL_USAGE, "cannot continue from %s: it is damaged", k->pause.path);
    return status;
}

static rill_diffusion_ends ends_of(const rill_geom *geom, const rill_diffusivity_options *o, int axis)
{
    return geom->sides[axis] == RILL_PERIODIC  ? RILL_ENDS_NONE
           : o->drive == RILL_DIFFUSION_INSIDE ? RILL_ENDS_NODES
                                               : RILL_ENDS_FACES;
}

static rill_status run_make(rill_diffusor *d, const rill_diffusivity_options *o, int axis, double gap[3],
                            kept *k, rill_diffusivity *out)
{
    static const char *const what[] = {"diffusion along x", "diffusion along y", "diffusion along z"};
    rill_status status = RILL_OK;
    const bool inside = o->drive == RILL_DIFFUSION_INSIDE;
    const double start = rill_now(), layers = d->geom->n[axis];
    rill_diffusivity_run *run = &out->runs[out->run_count++];
    rill_diffusor_outcome came;
    rill_diffusor_goal goal = {.volume =
                                   (double)rill_geom_sample(d->geom) * (inside ? (layers - 1) / layers : 1),
                               .tolerance = o->tolerance,
                               .most = o->max_iterations,
                               .field = fields_wanted(o),
                               .progress = o->progress,
                               .what = what[axis],
                               .keep = pause_keep,
                               .context = k};
    *run = (rill_diffusivity_run){.axis = axis, .d = {NAN, NAN, NAN}, .uncertainty = {NAN, NAN, NAN}};
    status = rill_progress_report(o->progress, what[axis], 0);
    if (status != RILL_OK && out->run_count > 1 &&
        !k->pause.resuming) /* between two axes: to begin this one */
        status = pause_keep(k, &(rill_diffusor_place){.iterations = 0}, status);
    RILL_TRY(status);
    RILL_TRY(rill_diffusor_begin(d, axis, ends_of(d->geom, o, axis)));
    out->seconds_setup += rill_now() - start;
    const uint64_t bytes = rill_diffusor_bytes(d);
    if (bytes > out->bytes) out->bytes = bytes;
    RILL_TRY(pause_arrive(k));
    if (k->pause.resuming && k->done.place.iterations > 0) goal.from = &k->done.place;
    RILL_TRY(rill_diffusor_solve(d, &goal, &came));
    k->pause.resuming = false;
    run->iterations = came.iterations;
    run->converged = came.converged;
    run->bound[0] = fmax(0, came.upper - came.gap);
    run->bound[1] = came.upper;
    gap[axis] = came.gap;
    out->d[axis][axis] = run->d[axis] = came.upper;
    run->uncertainty[axis] = came.gap;
    if (o->drive == RILL_DIFFUSION_GRADIENT) RILL_TRY(mixed_find(d, o, goal.volume, gap, k, out));
    RILL_TRY(hand_out(d, o));
    run->seconds = rill_now() - start;
done:
    return status;
}

/* F is the inverse of D over the axes that conduct; what D lacks counts as 0. */
static void formation_find(int driven, rill_diffusivity *out)
{
    double m[3][6] = {{0}};
    for (int a = 0; a < 3; a++) {
        m[a][3 + a] = 1;
        for (int b = 0; b < 3; b++) {
            out->formation[a][b] = NAN;
            const bool both = rill_axes_has(driven, a) && rill_axes_has(driven, b);
            m[a][b] = both && isfinite(out->d[a][b]) ? out->d[a][b] : a == b;
        }
    }
    for (int a = 0; a < 3; a++) { /* positive definite: no pivots */
        for (int c = 5; c >= a; c--) m[a][c] /= m[a][a];
        for (int r = 0; r < 3; r++)
            for (int c = 5; c >= a && r != a; c--) m[r][c] -= m[r][a] * m[a][c];
    }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            if (isfinite(out->d[a][b]) && rill_axes_has(driven, a) && rill_axes_has(driven, b))
                out->formation[a][b] = m[a][3 + b];
}

/* Put together what the runs found. */
static rill_status collect(const rill_geom *geom, const rill_diffusivity_options *o, int driven,
                           rill_diffusivity *out)
{
    rill_status status = RILL_OK;
    double largest = 0, uncertain = 0;
    out->converged = true;
    for (int r = 0; r < out->run_count; r++) {
        const rill_diffusivity_run *run = &out->runs[r];
        out->converged = out->converged && run->converged;
        largest = fmax(largest, run->d[run->axis]);
        for (int b = 0; b < 3; b++) uncertain = fmax(uncertain, run->uncertainty[b]); /* fmax() skips NaN */
        out->tortuosity[run->axis] = out->porosity.total / run->d[run->axis];
    }
    out->uncertainty = uncertain / largest;
    for (int a = 0; a < 3 && rill_axes_count(o->axis) > 1; a++) {
        if (!rill_axes_has(o->axis, a) || rill_axes_has(driven, a)) continue;
        for (int b = 0; b < 3; b++)
            if (rill_axes_has(o->axis, b)) out->d[a][b] = out->d[b][a] = 0;
        RILL_TRY(
            rill_note(&out->notes,
                      "nothing percolates along %c (%s) through faces: D is exactly 0 in its row and column",
                      rill_axis(a), rill_side_name(geom->sides[a])));
    }
    formation_find(driven, out);
    if (rill_axes_count(o->axis) > 1 && out->converged && o->drive == RILL_DIFFUSION_GRADIENT)
        rill_tensor_principal(out->d, o->axis, out->principal, out->principal_axes);
done:
    return status;
}

static void nan_fill(double values[3])
{
    for (int k = 0; k < 3; k++) values[k] = NAN;
}

/* Return whether processors are to make chambers while the device is being opened. CUDA takes 0.25 s from the
 * start of the program on, a processor 55 ns a node (H200, 16 cores of its host); a GPU that waits makes them
 * in 0.06 s. */
static bool is_early(const rill_diffusor *d, const rill_diffusivity_options *o,
                     const rill_device_opening *opening)
{
    enum { EACH = 4000000 }; /* nodes of a thread */
    return !o->resume && !__atomic_load_n(&opening->device, __ATOMIC_ACQUIRE) &&
           d->numbering.nodes <= (uint64_t)EACH * (uint64_t)rill_threads();
}

/* @param opening  a device that is being opened; NULL: that of the options is */
static rill_status compute(rill_geom *geom, const rill_diffusivity_options *options,
                           rill_device_opening *opening, rill_diffusivity *out)
{
    rill_status status = RILL_OK;
    rill_diffusivity_options resolved = *options;
    const rill_diffusivity_options *o = &resolved;
    rill_diffusor d = {.geom = geom};
    rill_device *device = options->on.device;
    double gap[3] = {NAN, NAN, NAN};
    kept k = {.d = &d, .out = out, .gap = gap};
    *out = (rill_diffusivity){.run_count = 0};
    for (int a = 0; a < 3; a++) {
        nan_fill(out->d[a]);
        nan_fill(out->formation[a]);
        nan_fill(out->principal_axes[a]);
    }
    nan_fill(out->tortuosity);
    nan_fill(out->principal);
    nan_fill(out->flow_percolating);
    resolved.axis = rill_axes_resolve(options->axis, geom->n);
    RILL_TRY(options_check(geom, o));
    const double begun = rill_now();
    RILL_TRY(prepare(geom, o, out));
    const double start = rill_now();
    const int driven = rill_tensor_driven(&geom->porosity, o->axis);
    resolved.axis = rill_axes_count(o->axis) > 1 ? o->axis : driven;
    RILL_TRY(rill_diffusor_number(geom, o->ratio, o->phase_count, &d));
    if (opening) {
        rill_device_opening *const opens = opening;
        const int first = rill_axes_first(driven);
        if (is_early(&d, o, opens)) /* what fails is made again, or fails again */
            (void)rill_diffusor_join_early(&d, first, ends_of(geom, o, first));
        opening = NULL;
        RILL_TRY(rill_device_end(opens, &device));
        resolved.on.device = device;
    }
    snprintf(out->backend, sizeof out->backend, "%s", device->backend->name);
    snprintf(out->device, sizeof out->device, "%s", rill_device_name(device));
    if (device->backend->host) /* before the first array, not behind most of them */
        RILL_TRY(rill_memory_require(rill_diffusivity_least_bytes(rill_geom_fluid(geom)), "the diffusivity"));
    RILL_TRY(rill_diffusor_allocate(&d, device->backend->host ? NULL : device, fields_wanted(o)));
    out->nodes = d.numbering.nodes;
    out->seconds_setup = rill_now() - start;
    rill_log(RILL_LOG_DEBUG, "diffusion: pores that conduct in %.3f s, their nodes%s and a device in %.3f s",
             start - begun, d.early ? ", the chambers" : "", out->seconds_setup);
    RILL_TRY(pause_begin(geom, o, &k));
    RILL_TRY(pause_read(&k, o->max_iterations, gap, out));
    for (int a = k.pause.resuming ? k.done.axis : 0; a < 3; a++)
        if (rill_axes_has(driven, a)) RILL_TRY(run_make(&d, o, a, gap, &k, out));
    RILL_TRY(collect(geom, o, driven, out));
    if (o->error_bar && out->converged) RILL_TRY(rill_diffusivity_error_bar(geom, o, out));
    if (!out->converged)
        status = rill_fail(
            RILL_NUMERICS,
            "after %llu iterations D_eff is known to %.2g, not to %.2g: allow more (--max-iterations), or a larger --tolerance",
            (unsigned long long)out->runs[0].iterations, out->uncertainty, o->tolerance);
done:
    if (status == RILL_OK) out->checkpoint_left = rill_checkpoint_file_end(&k.pause, o->checkpoint_stays);
    for (int a = 0; a < 3; a++) rill_array_destroy(k.found[a]);
    rill_diffusor_destroy(&d);
    rill_device_leave(options->on.device, device);
    if (opening) rill_device_drop(opening);
    return status;
}

rill_status rill_diffusivity_compute_opening(rill_geom *geom, const rill_diffusivity_options *options,
                                             rill_device_opening *opening, rill_diffusivity *out)
{
    rill_diffusivity_options o = *options;
    o.on.device = NULL;
    return compute(geom, &o, opening, out);
}

rill_status rill_diffusivity_compute(rill_geom *geom, const rill_diffusivity_options *options,
                                     rill_diffusivity *out)
{
    rill_device_opening opening;
    if (options->on.device) return compute(geom, options, NULL, out);
    rill_device_begin(options->on.backend, 0, &opening);
    return compute(geom, options, &opening, out);
}

void rill_diffusivity_free(rill_diffusivity *result)
{
    free(result->notes);
    *result = (rill_diffusivity){.notes = NULL};
}
