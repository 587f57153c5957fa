/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a run leaves: series and summary, results on the wall, pictures. docs/files.md describes them.
 */
#include "vessel/run/run_priv.h"

#include "vessel/plan/plan.h"
#include "core/memory.h"
#include "core/status.h"
#include "io/fields.h"
#include "io/view.h"
#include "io/wall_file.h"
#include "io/xmf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rill_status rill_run_path(const rill_run_loop *loop, const char *name, char path[RILL_RUN_PATH])
{
    const int length = snprintf(path, RILL_RUN_PATH, "%s/%s", loop->options->directory, name);
    return length >= 0 && length < RILL_RUN_PATH
               ? RILL_OK
               : rill_fail(RILL_USAGE, "the name of the directory %.40s… is too long",
                           loop->options->directory);
}

/* ---- series ---------------------------------------------------------------------------------- */

/* Pressure and velocity along the centre line: [times][positions], [times][positions][3]. */
static rill_status line_write(const rill_observers *o, rill_result *result)
{
    rill_status status = RILL_OK;
    const uint64_t n = o->centreline.count, rows = o->line.count;
    double *values = NULL;
    RILL_TRY(
        rill_array_create(3 * (rows > 1 ? rows : 1) * n, sizeof *values, "a centre line", (void **)&values));
    RILL_TRY(rill_result_values(result, "/line", &(rill_quantity){"place", "m", "x, y, z as the surface", 1},
                                2, (const uint64_t[]){n, 3}, o->centreline.places[0]));
    RILL_TRY(rill_result_values(result, "/line", &(rill_quantity){"distance", "m", "from the inlet", 1}, 1,
                                &n, o->centreline.distance));
    for (uint64_t k = 0; k < n; k++) values[k] = o->centreline.branch[k] + 1.0;
    RILL_TRY(rill_result_values(
        result, "/line", &(rill_quantity){"branch", "1", "number of the opening it leads to, from 1", 0}, 1,
        &n, values));
    if (rows == 0) goto done;
    for (uint64_t r = 0; r < rows; r++) values[r] = rill_record_row(&o->line, r)[1];
    RILL_TRY(rill_result_values(result, "/line", &(rill_quantity){"time", "s", "time", 1}, 1, &rows, values));
    for (uint64_t r = 0; r < rows; r++)
        for (uint64_t k = 0; k < n; k++) values[r * n + k] = rill_record_row(&o->line, r)[2 + 4 * k];
    RILL_TRY(rill_result_values(result, "/line", &(rill_quantity){"pressure", "Pa", "pressure", 1}, 2,
                                (const uint64_t[]){rows, n}, values));
    for (uint64_t r = 0; r < rows; r++)
        for (uint64_t k = 0; k < n; k++)
            memcpy(values + 3 * (r * n + k), rill_record_row(&o->line, r) + 3 + 4 * k, 3 * sizeof *values);
    RILL_TRY(rill_result_values(result, "/line", &(rill_quantity){"velocity", "m/s", "velocity", 1}, 3,
                                (const uint64_t[]){rows, n, 3}, values));
done:
    rill_array_destroy(values);
    return status;
}

/* Pressure drops: an array each, the names one a line in an attribute. */
static rill_status drops_write(const rill_run_loop *loop, rill_result *result)
{
    static const rill_quantity quantities[] = {
        {"drop_from", "Pa", "pressure of the upper cross-section, mean of the last cycle", 1},
        {"drop_to", "Pa", "pressure of the lower cross-section, mean of the last cycle", 1},
        {"drop", "Pa", "difference of the means", 1},
        {"drop_low", "Pa", "smallest difference in the last cycle", 1},
        {"drop_high", "Pa", "largest difference in the last cycle", 1},
        {"pressure_ratio", "1", "of the means, less the venous pressure: in hyperaemia the FFR", 1}};
    rill_status status = RILL_OK;
    const rill_run_result *r = loop->result;
    const uint64_t count = (uint64_t)r->drop_count;
    char names[RILL_DROPS * RILL_OPENING_NAME] = "";
    for (size_t q = 0; q < sizeof quantities / sizeof *quantities; q++) {
        double values[RILL_DROPS];
        for (uint64_t k = 0; k < count; k++) {
            const rill_run_drop *d = &r->drops[k];
            values[k] = (const double[]){d->from, d->to, d->from - d->to, d->low, d->high, d->ratio}[q];
        }
        RILL_TRY(rill_result_values(result, "/summary", &quantities[q], 1, &count, values));
    }
    for (uint64_t k = 0; k < count; k++) {
        const size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", k ? "\n" : "",
                 loop->vessel->given->output.drops[k].name);
    }
    RILL_TRY(rill_result_set_text(result, "/summary", "drops", names));
done:
    return status;
}

static rill_status summary_write(const rill_run_loop *loop, rill_result *result)
{
    rill_status status = RILL_OK;
    const rill_run_result *r = loop->result;
    const rill_case_plan *p = &loop->vessel->plan;
    const uint64_t openings = (uint64_t)p->opening_count;
    const struct {
        rill_quantity quantity;
        double value;
    } values[] = {{{"time", "s", "physical time that was run", 1}, r->time},
                  {{"period", "s", "of a cycle; of a steady run: the span compared", 1},
                   (double)r->cycle_steps * p->scales.time},
                  {{"change_flow", "1", "of the largest flow, from the last cycle to the periodic state", 1},
                   r->changes.flow},
                  {{"change_pressure", "1", "the same, of the range of pressures", 1}, r->changes.pressure},
                  {{"change_wall", "1", "the same, mean wall shear, of its largest", 1}, r->changes.wall},
                  {{"balance", "1", "what came in too much, of what came in, last cycle", 1}, r->balance},
                  {{"mach_max", "1", "largest Mach number seen", 1}, r->mach_max},
                  {{"tawss_mean", "Pa", "TAWSS over the area of the wall", 1}, r->shear.mean},
                  {{"tawss_max", "Pa", "largest TAWSS of a triangle", 1}, r->shear.max},
                  {{"osi_mean", "1", "OSI over the area of the wall", 1}, r->shear.osi_mean}};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        RILL_TRY(rill_result_values(result, "/summary", &values[k].quantity, 0, NULL, &values[k].value));
    RILL_TRY(rill_result_values(
        result, "/summary", &(rill_quantity){"flow", "m3/s", "into the vessel, mean of the last cycle", 1}, 1,
        &openings, r->flow));
    RILL_TRY(rill_result_values(result, "/summary",
                                &(rill_quantity){"pressure", "Pa", "mean of the last cycle", 1}, 1, &openings,
                                r->pressure));
    RILL_TRY(rill_result_set_integer(result, "/summary", "steps", (int64_t)r->steps));
    RILL_TRY(rill_result_set_integer(result, "/summary", "cycles", (int64_t)r->cycles));
    RILL_TRY(rill_result_set_integer(result, "/summary", "converged", r->end == RILL_RUN_REPEATS));
    RILL_TRY(rill_result_set_integer(result, "/summary", "triangles_missing", (int64_t)r->shear.missing));
    RILL_TRY(rill_result_set_integer(result, "/summary", "triangles_within", (int64_t)r->shear.within));
    if (!isnan(r->helicity.mean)) {
        RILL_TRY(rill_result_values(
            result, "/summary",
            &(rill_quantity){"helicity_mean", "m/s2", "h1, mean of the helicity density", 1}, 0, NULL,
            &r->helicity.mean));
        RILL_TRY(
            rill_result_values(result, "/summary",
                               &(rill_quantity){"helicity_size", "m/s2", "h2, mean of its absolute value", 1},
                               0, NULL, &r->helicity.size));
    }
    if (r->drop_count > 0) RILL_TRY(drops_write(loop, result));
done:
    return status;
}

static rill_status series_write(const rill_run_loop *loop)
{
    rill_status status = RILL_OK;
    const rill_observers *o = &loop->observers;
    const rill_vessel *v = loop->vessel;
    rill_result *result = NULL;
    char path[RILL_RUN_PATH], variant[96], name[64];
    const rill_record *const records[] = {&o->openings, &o->probes,  &o->planes,
                                          &o->wall,     &o->monitor, &o->transport.record};
    rill_variant_name(v->plan.options.variant, variant, sizeof variant);
    const rill_run run = {.command = loop->options->command,
                          .geometry = v->given->geometry,
                          .source = v->geom->source,
                          .source_hash = v->geom->source_hash,
                          .source_options = v->geom->options,
                          .backend = rill_sim_backend(v->sim),
                          .device = rill_sim_device(v->sim),
                          .variant = variant,
                          .unit_si = v->geom->spacing,
                          .time_unit_si = v->plan.scales.time,
                          .seed = -1};
    RILL_TRY(rill_run_path(loop, "run.h5", path));
    RILL_TRY(rill_result_create(path, &run, &result));
    RILL_TRY(rill_result_set_text(result, "/run", "case", v->given->text));
    for (size_t k = 0; k < sizeof records / sizeof *records; k++) {
        if (!records[k]->columns || records[k]->count == 0) continue;
        snprintf(name, sizeof name, "%s.csv", records[k]->name);
        RILL_TRY(rill_run_path(loop, name, path));
        RILL_TRY(rill_record_write(records[k], result, path));
    }
    if (o->centreline.count > 0) RILL_TRY(line_write(o, result));
    RILL_TRY(summary_write(loop, result));
    RILL_TRY(rill_result_commit(result));
done:
    rill_result_destroy(result);
    return status;
}

/* ---- the wall -------------------------------------------------------------------------------- */

static rill_status wall_write(const rill_run_loop *loop)
{
    rill_status status = RILL_OK;
    const rill_observers *o = &loop->observers;
    const uint64_t n = o->map.triangle_count;
    float *block = NULL; /* mean [n][3], TAWSS, OSI, RRT, ECAP [n] */
    char path[RILL_RUN_PATH], xmf[RILL_RUN_PATH];
    RILL_TRY(rill_array_create(RILL_SHEAR_RESULTS * n, sizeof *block, "wall shear", (void **)&block));
    float *tawss = block + 3 * n, *osi = block + 4 * n, *rrt = block + 5 * n, *ecap = block + 6 * n;
    rill_shear_cycle_finish(&o->cycle, &(rill_shear_result){(float(*)[3])block, tawss, osi, rrt, ecap});
    const rill_wall_array arrays[] = {
        {"WSS", "Pa", "wall shear stress, mean vector of the last cycle", 3, block},
        {"TAWSS", "Pa", "mean magnitude of the wall shear stress", 1, tawss},
        {"OSI", "1", "oscillatory shear index", 1, osi},
        {"RRT", "1/Pa", "relative residence time", 1, rrt},
        {"ECAP", "1/Pa", "endothelial cell activation potential", 1, ecap}};
    const rill_wall_fields fields = {
        loop->vessel->geom, arrays, 5, loop->state.steps, rill_observers_time(o), loop->options->command};
    RILL_TRY(rill_run_path(loop, "wall.vtkhdf", path));
    RILL_TRY(rill_wall_file_write(&fields, path));
    RILL_TRY(rill_run_path(loop, "wall.xmf", xmf));
    RILL_TRY(rill_xmf_write(&(rill_xmf_moment){path, fields.time}, 1, xmf));
    rill_view view = {.surface = loop->vessel->geom->surface, .values = tawss, .caption = "TAWSS Pa"};
    RILL_TRY(rill_run_path(loop, "wall-tawss.png", path));
    RILL_TRY(rill_view_write(&view, path));
    if (loop->vessel->plan.cycle_steps == 0) goto done; /* nothing oscillates */
    view.values = osi;
    view.caption = "OSI";
    view.range = (rill_picture_range){0, 0.5};
    RILL_TRY(rill_run_path(loop, "wall-osi.png", path));
    RILL_TRY(rill_view_write(&view, path));
done:
    rill_array_destroy(block);
    return status;
}

/* ---- phases ---------------------------------------------------------------------------------- */

static rill_status phase_path(const rill_run_loop *loop, const char *what, uint64_t phase,
                              char path[RILL_RUN_PATH])
{
    char name[64];
    snprintf(name, sizeof name, "%s-%04llu.vtkhdf", what, (unsigned long long)phase);
    return rill_run_path(loop, name, path);
}

static bool fields_wanted(const rill_run_loop *loop)
{
    return loop->vessel->given->output.fields && loop->options->fields != RILL_FIELDS_NONE;
}

static rill_status wall_phase(rill_run_loop *loop, uint64_t phase)
{
    rill_status status = RILL_OK;
    rill_observers *o = &loop->observers;
    char path[RILL_RUN_PATH];
    RILL_TRY(rill_observers_shear(o));
    const rill_wall_array array = {"WSS", "Pa", "wall shear stress", 3, o->shear[0]};
    const rill_wall_fields fields = {
        loop->vessel->geom, &array, 1, loop->state.steps, rill_observers_time(o), loop->options->command};
    RILL_TRY(phase_path(loop, "wall", phase, path));
    RILL_TRY(rill_wall_file_write(&fields, path));
done:
    return status;
}

/* Add the helicity of the snapshot; the last one of a cycle has the mean of LNH, too. */
static void helicity_fields(const rill_run_loop *loop, uint64_t phase, rill_fields *fields)
{
    static const rill_field_scalar own[] = {
        {"helicity", {1, "m/s2", 1, 0}, "helicity density, velocity times vorticity", rill_run_helicity},
        {"LNH", {1, "1", 1, 0}, "local normalised helicity", rill_run_lnh},
        {"LNH_mean",
         {1, "1", 1, 0},
         "local normalised helicity, mean of the snapshots of the cycle",
         rill_run_lnh_mean}};
    const int count = phase == loop->rhythm.phases ? 3 : 2;
    for (int k = 0; k < count; k++) fields->scalars[fields->scalar_count++] = own[k];
}

/* Add what the flow carries. */
static void transport_fields(const rill_vessel *v, rill_fields *fields)
{
    static const rill_scalar_fn of[RILL_SCALARS] = {rill_run_concentration, rill_run_residence};
    for (int s = 0; s < RILL_SCALARS; s++)
        if (rill_transport_has(v->given, s))
            fields->scalars[fields->scalar_count++] = (rill_field_scalar){rill_transport_names[s],
                                                                          {1, rill_transport_units[s], 1, 0},
                                                                          rill_transport_meanings[s],
                                                                          of[s]};
}

static rill_status fields_phase(rill_run_loop *loop, uint64_t phase)
{
    rill_status status = RILL_OK;
    const rill_vessel *v = loop->vessel;
    const rill_scales *scales = &v->plan.scales;
    rill_fields fields = rill_fields_default();
    char path[RILL_RUN_PATH], cells[RILL_RUN_PATH];
    RILL_TRY(phase_path(loop, "fields", phase, path));
    RILL_TRY(rill_run_path(loop, "fields.cells.vtkhdf", cells));
    fields.geom = v->geom;
    fields.moments = rill_run_moments;
    fields.scalars[fields.scalar_count++] =
        (rill_field_scalar){"shear_rate", {1, "1/s", 1, 0}, "shear rate", rill_run_rates};
    if (loop->helicity.vessel) helicity_fields(loop, phase, &fields);
    transport_fields(v, &fields);
    fields.context = loop;
    fields.velocity = (rill_field_unit){scales->velocity, "m/s", 1, 0};
    fields.pressure = (rill_field_unit){scales->pressure, "Pa", 1, scales->base};
    fields.step = loop->state.steps;
    fields.time_step = scales->time;
    fields.cells = cells;
    fields.command = loop->options->command;
    fields.progress = (rill_progress){rill_run_relay, loop};
    RILL_TRY(rill_fields_write(&fields, loop->options->fields, path));
done:
    return status;
}

rill_status rill_run_phase(rill_run_loop *loop, uint64_t phase)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_helicity_take(&loop->helicity, phase == 1));
    if (!loop->options->directory) return RILL_OK;
    if (loop->observers.sample) RILL_TRY(wall_phase(loop, phase));
    if (fields_wanted(loop)) RILL_TRY(fields_phase(loop, phase));
    if (loop->vessel->given->output.slices) RILL_TRY(rill_run_slices(loop, phase));
    loop->state.phases = phase;
done:
    return status;
}

/* The time of a phase of the cycle that ended just now. */
static double phase_time(const rill_run_loop *loop, uint64_t phase)
{
    const rill_run_rhythm *r = &loop->rhythm;
    const uint64_t steps = loop->state.steps - r->cycle + (phase * r->cycle + r->phases - 1) / r->phases;
    return rill_case_plan_time(&loop->vessel->plan, (double)steps);
}

/* One .xmf of all phases of a kind. */
static rill_status phases_write(const rill_run_loop *loop, const char *what)
{
    rill_status status = RILL_OK;
    const uint64_t count = loop->state.phases;
    char xmf[RILL_RUN_PATH], name[64], path[RILL_RUN_PATH];
    rill_xmf_moment *moments = calloc(count + 1, sizeof *moments);
    char **paths = calloc(count + 1, sizeof *paths);
    if (!moments || !paths) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a list of files"));
    for (uint64_t k = 0; k < count; k++) {
        RILL_TRY(phase_path(loop, what, k + 1, path));
        paths[k] = strdup(path);
        if (!paths[k]) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a list of files"));
        moments[k] = (rill_xmf_moment){paths[k], phase_time(loop, k + 1)};
    }
    snprintf(name, sizeof name, "%s-phases.xmf", what);
    RILL_TRY(rill_run_path(loop, name, xmf));
    RILL_TRY(rill_xmf_write(moments, (int)count, xmf));
done:
    for (uint64_t k = 0; paths && k < count; k++) free(paths[k]);
    free(paths);
    free(moments);
    return status;
}

rill_status rill_run_files(rill_run_loop *loop)
{
    rill_status status = RILL_OK;
    const bool wall = loop->observers.sample != NULL, fields = fields_wanted(loop);
    if (wall && loop->state.samples > 0) RILL_TRY(wall_write(loop));
    if (loop->state.phases > 0 && wall) RILL_TRY(phases_write(loop, "wall"));
    if (loop->state.phases > 0 && fields) RILL_TRY(phases_write(loop, "fields"));
    RILL_TRY(series_write(loop));
done:
    return status;
}
