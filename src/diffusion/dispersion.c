/* SPDX-License-Identifier: Apache-2.0 */
/* Dispersion tensors of a flow, for a list of Peclet numbers. */
#include "core/clock.h"
#include "core/memory.h"
#include "core/notes.h"
#include "core/progress.h"
#include "core/status.h"
#include "diffusion/breakthrough.h"
#include "diffusion/closure.h"
#include "diffusion/pause.h"
#include "geometry/voxels/components.h"
#include "geometry/voxels/sides.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

rill_dispersion_options rill_dispersion_options_default(void)
{
    return (rill_dispersion_options){.axis = 2, .tolerance = 1e-3, .max_iterations = 2000};
}

static rill_status geometry_check(const rill_geom *geom, int axis)
{
    if (geom->planes)
        return rill_fail(RILL_USAGE, "dispersion is computed by one process: start it without mpirun");
    if (geom->surface)
        return rill_fail(
            RILL_USAGE,
            "dispersion is computed on voxels: this geometry says where its walls are on every link");
    if (geom->sides[axis] != RILL_PERIODIC)
        return rill_fail(
            RILL_USAGE,
            "dispersion needs a box that repeats along the flow, and its boundaries normal to %c are %s: "
            "use --sides periodic there, of an image that is doubled (--mirror) where its two faces differ",
            rill_axis(axis), rill_side_name(geom->sides[axis]));
    return RILL_OK;
}

static rill_status options_check(const rill_geom *geom, const rill_dispersion_options *o)
{
    if (o->axis < 0 || o->axis > 2)
        return rill_fail(RILL_USAGE, "the axis of the flow is x, y or z, one of them");
    if (o->peclet_count < 1 || o->peclet_count > RILL_PECLETS)
        return rill_fail(RILL_USAGE, "%d Peclet numbers: give 1 to %d", o->peclet_count, RILL_PECLETS);
    for (int k = 0; k < o->peclet_count; k++)
        if (!(o->peclet[k] >= 0) || !isfinite(o->peclet[k]))
            return rill_fail(RILL_USAGE, "a Peclet number of %g: it must be 0 or above", o->peclet[k]);
    if (!(o->length >= 0) || !isfinite(o->length))
        return rill_fail(RILL_USAGE, "a length of %g voxels: it must be above 0", o->length);
    if (!(o->tolerance > 0) || o->tolerance >= 1)
        return rill_fail(RILL_USAGE, "a tolerance of %g: it must be above 0 and below 1", o->tolerance);
    const rill_status status = geometry_check(geom, o->axis);
    return status == RILL_OK ? rill_breakthrough_check(geom, o) : status;
}

/* @param nodes  of the geometry before pores become solid */
static rill_status velocities_check(const float *u, uint64_t nodes)
{
    for (uint64_t i = 0; i < 3 * nodes; i++)
        if (!isfinite(u[i]))
            return rill_fail(RILL_USAGE,
                             "the velocity of node %llu along %c is %g: velocities must be finite",
                             (unsigned long long)(i % nodes), rill_axis((int)(i / nodes)), (double)u[i]);
    return RILL_OK;
}

/* Make pores solid that the solute does not go through. @param[out] through  axes along which the others
 * conduct */
static rill_status prepare(rill_geom *geom, const rill_dispersion_options *o, bool through[3],
                           rill_dispersion *out)
{
    rill_status status = RILL_OK;
    rill_components found = {.porosity = geom->porosity};
    const uint64_t before = rill_geom_fluid(geom);
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++)
        if (geom->voxels[v] > RILL_FLUID) geom->voxels[v] = RILL_FLUID;
    RILL_TRY(
        rill_components_clean(geom, RILL_KEEP_PERCOLATING, o->axis, RILL_CONTACT_FACES, o->progress, &found));
    out->nodes = rill_geom_fluid(geom);
    out->dropped = before - out->nodes;
    for (int a = 0; a < 3; a++) through[a] = found.porosity.percolating[a] > 0;
    out->porosity = (double)out->nodes / (double)rill_geom_sample(geom);
    if (out->nodes == 0)
        status = rill_fail(
            RILL_NUMERICS,
            "nothing percolates along %c through faces of voxels, by which a solute goes; choose another axis",
            rill_axis(o->axis));
done:
    return status;
}

/* Refuse flows that the voxels do not resolve. */
static rill_status cells_check(const rill_closure *c, const rill_dispersion_options *o, rill_dispersion *out)
{
    double most = 0;
    for (int k = 0; k < o->peclet_count; k++) most = fmax(most, o->peclet[k]);
    const double per = c->most / (out->length * out->velocity), cell = most * per;
    const double limit = o->release ? RILL_CELL_PECLET_RUN : RILL_CELL_PECLET_MOST;
    if (cell > limit)
        return rill_fail(
            RILL_USAGE,
            "a Peclet number of %g makes a cell Peclet number |u| dx / D0 of %.3g at the fastest face, above %g%s: "
            "take Peclet numbers up to %.3g, or voxels %.1f times smaller (--resample)",
            most, cell, limit, o->release ? " of a run in time" : "", limit / per,
            ceil(10 * cell / limit) / 10);
    if (cell > RILL_CELL_PECLET_FINE)
        return rill_note(
            &out->notes,
            "the cell Peclet number is %.3g at a Peclet number of %g: above %g compare with smaller voxels, since the bounds do not contain the error of the voxels",
            cell, most, RILL_CELL_PECLET_FINE);
    return RILL_OK;
}

static rill_status hand_out(rill_closure *c, const rill_dispersion_options *o, const rill_dispersion *out,
                            int point)
{
    if (!o->finished) return RILL_OK;
    double *velocity = c->own[0];
    rill_closure_centre(c, o->axis, velocity);
    for (uint32_t i = 0; i < c->nodes; i++) velocity[i] /= c->mean[o->axis];
    return o->finished(o->context, &(rill_dispersion_field){.point = point,
                                                            .peclet = out->points[point].peclet,
                                                            .nodes = c->nodes,
                                                            .b = {c->b[0], c->b[1], c->b[2]},
                                                            .velocity = velocity});
}

/* ---- checkpoints ------------------------------------------------------------------------------ */

/* What is solved; no pointers but those of `runs`, which are not read. */
typedef struct solved {
    int32_t points, axes; /* of the next point */
    int32_t runs;
    rill_dispersion_point point[RILL_PECLETS]; /* [points + 1] */
    double error[3];                           /* of the axes of the next point */
    rill_breakthrough run[RILL_PECLETS];       /* [runs] */
    char notes[4096];
} solved;

/* A checkpoint of a dispersion. */
typedef struct keeper {
    rill_checkpoint_file pause;
    solved done;
    char samples[RILL_PECLETS][16]; /* names of parts */
    rill_closure *c;
    rill_dispersion *out;
} keeper;

enum { PARTS = 4 + RILL_PECLETS };

static int parts_list(keeper *k, rill_checkpoint_part parts[PARTS])
{
    static const char *const names[] = {"closure along x", "closure along y", "closure along z"};
    int count = 0;
    parts[count++] = rill_checkpoint_memory("solved", &k->done, sizeof k->done);
    for (int a = 0; a < 3; a++)
        if (k->c->b[a])
            parts[count++] = rill_checkpoint_memory(names[a], k->c->b[a], k->c->nodes * sizeof(double));
    for (int r = 0; r < k->done.runs; r++) {
        snprintf(k->samples[r], sizeof k->samples[r], "run %d", r);
        parts[count++] =
            rill_checkpoint_memory(k->samples[r], k->out->runs[r].samples,
                                   k->out->runs[r].count * RILL_BREAKTHROUGH_COLUMNS * sizeof(double));
    }
    return count;
}

static rill_status keeper_open(rill_closure *c, const rill_geom *geom, const float *u, uint64_t values,
                               const rill_dispersion_options *o, rill_dispersion *out, keeper *k)
{
    char text[128 + RILL_PECLETS * 24];
    k->c = c, k->out = out;
    size_t at = (size_t)snprintf(
        text, sizeof text, "axis %d length %a tolerance %a most %llu release %d for %a u %llx", o->axis,
        o->length, o->tolerance, (unsigned long long)o->max_iterations, (int)o->release, o->duration,
        (unsigned long long)XXH3_64bits(u, values * sizeof *u));
    for (int p = 0; p < o->peclet_count; p++)
        at += (size_t)snprintf(text + at, sizeof text - at, " %a", o->peclet[p]);
    return rill_checkpoint_file_open(o->checkpoint, 1e-9, o->resume, text, geom, RILL_DIFFUSION_VARIANT,
                                     "iterations", &k->pause);
}

/* Write what is solved. */
static rill_status keep(keeper *k)
{
    rill_checkpoint_part parts[PARTS];
    solved *s = &k->done;
    if (!k->pause.path) return RILL_OK;
    memcpy(s->point, k->out->points, sizeof s->point);
    for (int r = 0; r < s->runs; r++) s->run[r] = k->out->runs[r];
    snprintf(s->notes, sizeof s->notes, "%s", k->out->notes ? k->out->notes : "");
    return rill_checkpoint_file_keep(&k->pause, RILL_OK, (uint64_t)(s->points * 3 + s->axes + s->runs), parts,
                                     parts_list(k, parts));
}

/* Read what is solved: first how much, for which room is made. */
static rill_status keeper_read(const rill_dispersion_options *o, keeper *k)
{
    rill_status status = RILL_OK;
    rill_checkpoint_part parts[PARTS];
    solved *s = &k->done;
    if (!k->pause.resuming) return RILL_OK;
    const rill_checkpoint_part first = rill_checkpoint_memory("solved", s, sizeof *s);
    RILL_TRY(rill_checkpoint_file_read(&k->pause, &first, 1, NULL));
    bool sound = s->points >= 0 && s->points <= o->peclet_count && s->axes >= 0 && s->axes <= 3 &&
                 s->runs >= 0 && s->runs <= (o->release ? o->peclet_count : 0) &&
                 (s->runs == 0 || s->points == o->peclet_count);
    for (int r = 0; r < s->runs && sound; r++)
        sound = s->run[r].count > 0 &&
                s->run[r].count <= RILL_BREAKTHROUGH_LONGEST * RILL_BREAKTHROUGH_SAMPLES + 1;
    if (!sound) RILL_TRY(rill_fail(RILL_USAGE, "cannot continue from %s: it is damaged", k->pause.path));
    if (o->release)
        RILL_TRY(rill_array_create_zero((uint64_t)o->peclet_count, sizeof *k->out->runs, "runs in time",
                                        (void **)&k->out->runs));
    k->out->point_count = s->points; /* runs are freed by it */
    for (int r = 0; r < s->runs; r++) {
        k->out->runs[r] = s->run[r];
        k->out->runs[r].samples = NULL;
        RILL_TRY(rill_array_create(s->run[r].count * RILL_BREAKTHROUGH_COLUMNS, sizeof(double),
                                   "runs in time", (void **)&k->out->runs[r].samples));
    }
    RILL_TRY(rill_checkpoint_file_read(&k->pause, parts, parts_list(k, parts), NULL));
    memcpy(k->out->points, s->point, sizeof s->point);
    free(k->out->notes);
    s->notes[sizeof s->notes - 1] = '\0';
    k->out->notes = s->notes[0] ? strdup(s->notes) : NULL;
done:
    return status;
}

static rill_status runs_kept(void *context, int runs)
{
    keeper *k = context;
    k->done.runs = runs;
    return keep(k);
}

/* ---- points ----------------------------------------------------------------------------------- */

static rill_status point_make(rill_closure *c, const rill_dispersion_options *o, int index, keeper *k,
                              rill_dispersion *out)
{
    rill_status status = RILL_OK;
    rill_dispersion_point *p = &out->points[index];
    const rill_closure_goal goal = {o->tolerance, o->max_iterations, o->progress};
    const double start = rill_now(), s = o->peclet[index] / (out->length * out->velocity);
    double *error = k->done.error, root[3];
    if (k->done.axes == 0)
        *p = (rill_dispersion_point){
            .peclet = o->peclet[index], .cell_peclet = s * c->most, .converged = true};
    for (int a = k->done.axes; a < 3; a++) {
        bool converged = true;
        error[a] = NAN;
        if (c->b[a]) RILL_TRY(rill_closure_solve(c, a, s, &goal, &error[a], &p->iterations, &converged));
        p->converged = p->converged && converged;
        k->done.axes = a + 1;
        if (c->b[a] && a < 2) RILL_TRY(keep(k));
    }
    for (int a = 0; a < 3; a++) root[a] = c->b[a] ? sqrt(rill_closure_energy(c, a, a)) : NAN;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            p->d[a][b] = p->bound[a][b] = c->closed[a] || c->closed[b] ? 0 : NAN;
            if (!c->b[a] || !c->b[b]) continue;
            p->d[a][b] = rill_closure_energy(c, a < b ? a : b, a < b ? b : a);
            p->bound[a][b] = root[a] * error[b] + root[b] * error[a] + error[a] * error[b];
        }
    p->seconds = rill_now() - start;
    RILL_TRY(hand_out(c, o, out, index));
done:
    return status;
}

/* Make the closure problem, with velocities free of divergence, and measure those. */
static rill_status problem_make(rill_geom *geom, const float *u, const rill_dispersion_options *o,
                                rill_closure *c, rill_dispersion *out)
{
    rill_status status = RILL_OK;
    const double start = rill_now();
    const rill_closure_goal goal = {o->tolerance, o->max_iterations, o->progress};
    uint8_t *before = NULL;
    bool through[3];
    const uint64_t voxels = rill_geom_voxels(geom);
    RILL_TRY(rill_array_create(voxels, 1, "the voxels of a flow", (void **)&before));
    memcpy(before, geom->voxels, voxels);
    RILL_TRY(prepare(geom, o, through, out));
    RILL_TRY(rill_closure_create(geom, o->axis, through, before, u, o->progress, c));
    RILL_TRY(rill_closure_coarsen(c));
    RILL_TRY(rill_closure_project(c, &goal));
    RILL_TRY(rill_closure_coarsen(c));
    out->divergence = c->divergence;
    out->correction = c->correction;
    out->left = c->left;
    out->velocity = fabs(c->mean[o->axis]);
    out->bytes = c->bytes;
    out->length = o->length > 0 ? o->length
                  : c->walls    ? 4 * c->nodes / (2. / 3 * (double)c->walls)
                                : geom->n[o->axis];
    if (!(out->velocity > 0) || !isfinite(out->velocity))
        status =
            rill_fail(RILL_NUMERICS, "nothing flows along %c: there is no Peclet number", rill_axis(o->axis));
    out->seconds_setup = rill_now() - start;
done:
    rill_array_destroy(before);
    return status;
}

rill_status rill_dispersion_compute(rill_geom *geom, const float *u, const rill_dispersion_options *options,
                                    rill_dispersion *out)
{
    rill_status status = RILL_OK;
    rill_closure c = {.levels = 0};
    const rill_dispersion_point *failed = NULL;
    const uint64_t values = 3 * rill_geom_fluid(geom);
    keeper *k = calloc(1, sizeof *k);
    *out = (rill_dispersion){.converged = true};
    if (!k) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a dispersion"));
    RILL_TRY(options_check(geom, options));
    RILL_TRY(velocities_check(u, rill_geom_fluid(geom)));
    RILL_TRY(problem_make(geom, u, options, &c, out));
    RILL_TRY(cells_check(&c, options, out));
    RILL_TRY(keeper_open(&c, geom, u, values, options, out, k));
    RILL_TRY(keeper_read(options, k));
    for (int i = out->point_count; i < options->peclet_count; i++) {
        RILL_TRY(point_make(&c, options, i, k, out));
        k->done.points = out->point_count = i + 1;
        k->done.axes = 0;
        RILL_TRY(keep(k));
    }
    for (int i = 0; i < options->peclet_count && !failed; i++)
        if (!out->points[i].converged) failed = &out->points[i];
    out->converged = !failed;
    if (options->release)
        RILL_TRY(rill_breakthrough_compute(&c, geom, options, k->done.runs, runs_kept, k, out));
    if (failed)
        status = rill_fail(
            RILL_NUMERICS,
            "at a Peclet number of %g the tensor is not known to %.2g after %llu iterations: "
            "allow more (--max-iterations), a larger --tolerance, or take smaller voxels (--resample)",
            failed->peclet, options->tolerance, (unsigned long long)failed->iterations);
done:
    if (status == RILL_OK)
        out->checkpoint_left = rill_checkpoint_file_end(&k->pause, options->checkpoint_stays);
    if (status == RILL_CANCELLED && k && k->pause.own)
        rill_fail(status, "cancelled: continue with --resume from %s", options->checkpoint);
    free(k);
    rill_closure_destroy(&c);
    return status;
}

void rill_dispersion_free(rill_dispersion *result)
{
    free(result->notes);
    for (int k = 0; result->runs && k < result->point_count; k++) rill_array_destroy(result->runs[k].samples);
    rill_array_destroy(result->runs);
    *result = (rill_dispersion){.notes = NULL};
}

void rill_pore_velocities_free(float *u) { rill_array_destroy(u); }

static rill_status velocities_keep(void *context, const rill_permeability_flow *run, rill_node nodes,
                                   const float *rho, const float *u)
{
    float **out = context;
    (void)rho;
    if (!run->converged) return RILL_OK;
    const rill_status status =
        rill_array_create(3 * (uint64_t)nodes, sizeof **out, "the velocities of a flow", (void **)out);
    if (status == RILL_OK) memcpy(*out, u, 3 * (size_t)nodes * sizeof *u);
    return status;
}

rill_status rill_pore_velocities_compute(rill_geom *geom, int axis, double tolerance,
                                         rill_backend_kind backend, rill_progress progress, float **u)
{
    rill_status status = RILL_OK;
    rill_permeability_options o = rill_permeability_options_default();
    rill_permeability_plan plan = {.nodes = 0};
    rill_permeability result = {.run_count = 0};
    *u = NULL;
    RILL_TRY(geometry_check(geom, axis));
    o.variant.equilibrium = RILL_STOKES;
    o.axis = axis;
    o.tolerance = tolerance;
    o.settle_fields = true;
    o.on.backend = backend;
    o.progress = progress;
    o.finished = velocities_keep;
    o.context = u;
    RILL_TRY(rill_permeability_prepare(geom, &o));
    RILL_TRY(rill_permeability_plan_make(geom, &o, &plan));
    RILL_TRY(rill_permeability_compute(geom, &o, &plan, &result));
done:
    rill_permeability_free(&result);
    rill_permeability_plan_free(&plan);
    if (status != RILL_OK) {
        rill_pore_velocities_free(*u);
        *u = NULL;
    }
    return status;
}
