/* SPDX-License-Identifier: Apache-2.0 */
/* What a case file may say, and what must go together. How YAML is read is yaml.c's. */
#include "vessel/case/case.h"
#include "vessel/observe/drops.h"
#include "vessel/case/end_kinds.h"
#include "vessel/case/laws.h"
#include "vessel/case/model.h"
#include "vessel/case/yaml_schema.h"

#include "core/beside.h"
#include "core/status.h"
#include "geometry/surface/openings.h"
#include "kernel/variant.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(rill_case, member)

#define CHECKPOINT_EVERY 600.0 /* s of wall-clock time, unless the case or an option says otherwise */

/* ---- openings -------------------------------------------------------------------------------- */

/* A waveform says what it is; the case says how much of it, if it is a factor. */
static rill_status fit_wave(const rill_yaml *yaml, const rill_yaml_value *at, rill_end_reader *r, int given,
                            const char *amount)
{
    rill_end *e = &r->end;
    const rill_wave_kind kind = e->wave->kind;
    const bool inlet = e->kind == RILL_END_INLET;
    if (inlet ? kind == RILL_WAVE_PRESSURE : kind < RILL_WAVE_PRESSURE)
        return rill_yaml_fail(yaml, at, "%s gives a %s, which is nothing for the %s %s", r->wave_path,
                              rill_wave_names[kind], inlet ? "inlet" : "pressure outlet", e->name);
    if (kind == RILL_WAVE_FACTOR && given < 0)
        return rill_yaml_fail(yaml, at, "%s gives factors: %s must say of which %s", r->wave_path, e->name,
                              inlet ? "flow, mean-velocity or peak-velocity" : "pressure");
    if (kind == RILL_WAVE_FACTOR) return RILL_OK;
    if (given >= 0)
        return rill_yaml_fail(
            yaml, at,
            "%s: %s and the waveform %s, which has units, cannot both be given: leave one out, or call its column factor",
            e->name, amount, r->wave_path);
    if (inlet && e->velocities && kind == RILL_WAVE_PEAK_VELOCITY)
        return rill_yaml_fail(
            yaml, at,
            "%s gives a peak-velocity, which does not go with velocities: give a flow or a mean-velocity",
            r->wave_path);
    if (inlet) {
        e->amount = 1;
        e->inflow = (rill_inflow)kind;
        if (e->wave->mean < 0) rill_waveform_turn(e->wave);
    } else
        e->pressure = 1;
    return RILL_OK;
}

/* Return the path of a file that the case names. */
static rill_status path_of(const rill_case *c, const char *name, char **path)
{
    return rill_file_beside(c->path, name, c->outside ? RILL_OUTSIDE_ALLOWED : RILL_OUTSIDE_ASKED, path);
}

/* Points of an inlet's profile: they may bring the flow, and are the profile. */
static rill_status fit_velocities(const rill_yaml *yaml, const rill_yaml_value *at, rill_end_reader *r,
                                  const bool *given, const rill_case *c)
{
    rill_status status = RILL_OK;
    rill_end *e = &r->end;
    char *path = NULL;
    if (e->kind != RILL_END_INLET) return RILL_OK;
    e->from_file = isnan(e->amount);
    if (e->from_file && !r->velocities_path)
        return rill_yaml_fail(
            yaml, at,
            "%s: flow: from-file is that of a file of velocities: name it by velocities, or give a flow",
            e->name);
    if (!r->velocities_path) return RILL_OK;
    if (e->from_file && r->wave_path)
        return rill_yaml_fail(
            yaml, at, "%s: flow: from-file and a waveform cannot both be given: leave one out", e->name);
    for (const rill_key *keys = rill_end_type_of(e)->keys, *key = keys; key->name; key++)
        if (given[key - keys] &&
            (strcmp(key->name, "profile") == 0 || strcmp(key->name, "peak-velocity") == 0))
            return rill_yaml_fail(yaml, at, "%s: %s and velocities cannot both be given: leave one out",
                                  e->name, key->name);
    if (e->from_file) e->amount = 1;
    status = path_of(c, r->velocities_path, &path);
    if (status == RILL_OK) status = rill_velocities_read(path, c->run.period, &e->velocities);
    if (status != RILL_OK) rill_fail_prefix("%s:%d: velocities of %s", c->path, rill_yaml_line(at), e->name);
    free(path);
    return status;
}

/* What inlets and pressures say of how much. */
static rill_status fit_amount(const rill_yaml *yaml, const rill_yaml_value *at, rill_end_reader *r,
                              const bool *given, const rill_case *c)
{
    rill_status status = RILL_OK;
    rill_end *e = &r->end;
    const rill_key *keys = rill_end_type_of(e)->keys;
    const int last = rill_end_amounts(e->kind);
    int which = -1;
    char *path = NULL;
    for (int k = 1; k <= last; k++) {
        if (!given[k]) continue;
        if (which >= 0)
            RILL_TRY(rill_yaml_fail(yaml, at, "%s: %s and %s cannot both be given: leave one out", e->name,
                                    keys[which].name, keys[k].name));
        which = k;
    }
    if (e->kind == RILL_END_INLET && which > 0) e->inflow = (rill_inflow)(which - 1);
    RILL_TRY(fit_velocities(yaml, at, r, given, c));
    if (!r->wave_path) {
        if (which < 0)
            status = rill_yaml_fail(yaml, at, "%s: it must be given %s, or a waveform", e->name,
                                    last > 1 ? "a flow, a mean-velocity or a peak-velocity" : "a pressure");
        goto done;
    }
    status = path_of(c, r->wave_path, &path);
    if (status == RILL_OK) status = rill_waveform_read(path, c->run.period, &e->wave);
    if (status != RILL_OK) {
        rill_fail_prefix("%s:%d: waveform of %s", c->path, rill_yaml_line(at), e->name);
        goto done;
    }
    RILL_TRY(fit_wave(yaml, at, r, which, which > 0 ? keys[which].name : ""));
    const bool inlet = e->kind == RILL_END_INLET;
    status =
        rill_end_check_wave(r->wave_path, e->wave, inlet ? (rill_wave_kind)e->inflow : RILL_WAVE_PRESSURE,
                            inlet ? e->amount : e->pressure);
    if (status != RILL_OK) rill_fail_prefix("%s:%d: waveform of %s", c->path, rill_yaml_line(at), e->name);
done:
    free(path);
    return status;
}

static rill_status read_end(const rill_yaml *yaml, const rill_yaml_value *key, const rill_yaml_value *value,
                            const rill_case *c, rill_end *out)
{
    rill_status status = RILL_OK;
    bool given[16] = {false};
    char where[96], what[112], names[RILL_END_NAMES];
    rill_end_reader r = {.end = {.profile = RILL_PROFILE_FITTED,
                                 .backflow = -1,
                                 .concentration = -1,
                                 .line = rill_yaml_line(key)}};
    const char *name = rill_yaml_scalar(key);
    if (strlen(name) >= sizeof r.end.name || rill_opening_name_check(name) != RILL_OK)
        return rill_yaml_fail(yaml, key, "\"%.80s\" cannot be the name of an opening", name);
    snprintf(r.end.name, sizeof r.end.name, "%s", name);
    snprintf(where, sizeof where, "opening %s", name);
    const rill_yaml_value *kind = rill_yaml_get(yaml, value, "kind");
    int k = 0;
    if (!rill_yaml_is_map(value))
        return rill_yaml_fail(yaml, value, "%s is not a mapping: write its kind and what goes with it below",
                              where);
    if (!kind)
        return rill_yaml_fail(yaml, value, "%s lacks the key \"kind\": %s", where,
                              rill_end_names(false, names, sizeof names));
    snprintf(what, sizeof what, "kind of %s", where);
    RILL_TRY(rill_yaml_choice(yaml, kind, what, rill_end_kind_names, &k));
    RILL_TRY(rill_yaml_map(yaml, value, where, rill_end_types[k].keys, &r, given));
    if (rill_end_types[k].given) RILL_TRY(fit_amount(yaml, value, &r, given, c));
    if (r.end.kind == RILL_END_CORONARY) RILL_TRY(rill_end_read_muscle(c, rill_yaml_line(value), &r));
    *out = r.end;
    r.end.wave = NULL;
    r.end.velocities = NULL;
done:
    rill_waveform_destroy(r.end.wave);
    rill_velocities_destroy(r.end.velocities);
    return status;
}

static rill_status read_ends(const rill_yaml *yaml, const rill_yaml_value *map, rill_case *c)
{
    rill_status status = RILL_OK;
    const int count = rill_yaml_count(map);
    if (!rill_yaml_is_map(map) || count == 0)
        return rill_yaml_fail(yaml, map,
                              "openings is not a mapping: name each opening of the geometry below it");
    if (count > RILL_OPENINGS)
        return rill_yaml_fail(yaml, map, "%d openings are more than the %d that there can be", count,
                              RILL_OPENINGS);
    RILL_TRY(rill_yaml_names(yaml, map, "openings"));
    c->ends = calloc((size_t)count, sizeof *c->ends);
    if (!c->ends) return rill_fail(RILL_SYSTEM, "out of memory for %d openings", count);
    for (int k = 0; k < count; k++) {
        const rill_yaml_value *key, *value = rill_yaml_item(yaml, map, k, &key);
        RILL_TRY(read_end(yaml, key, value, c, &c->ends[k]));
        c->end_count++;
    }
done:
    return status;
}

/* ---- positions ---------------------------------------------------------------------------------- */

static rill_status read_place(const rill_yaml *yaml, const rill_yaml_value *value, const char *where,
                              const char *unit, double out[3])
{
    rill_status status = RILL_OK;
    if (!rill_yaml_is_list(value) || rill_yaml_count(value) != 3)
        return rill_yaml_fail(yaml, value, "%s is not a list of three: write %s", where,
                              strcmp(unit, "m") ? "[0, 0, 1]" : "[10 mm, 0 mm, 5 mm]");
    for (int a = 0; a < 3; a++)
        RILL_TRY(rill_yaml_quantity(yaml, rill_yaml_item(yaml, value, a, NULL), where, unit, &out[a]));
done:
    return status;
}

static rill_status read_centre(const rill_yaml *yaml, const rill_yaml_value *value, const char *where,
                               void *into)
{
    return read_place(yaml, value, where, "m", into);
}

static rill_status read_normal(const rill_yaml *yaml, const rill_yaml_value *value, const char *where,
                               void *into)
{
    double *n = into;
    const rill_status status = read_place(yaml, value, where, "1", n);
    const double length = hypot(hypot(n[0], n[1]), n[2]);
    if (status != RILL_OK) return status;
    if (!(length > 0) || !isfinite(length)) return rill_yaml_fail(yaml, value, "%s has no direction", where);
    for (int a = 0; a < 3; a++) n[a] /= length;
    return RILL_OK;
}

/* Items that have a name: fill in an array of structs of `size` bytes that begin with it. */
static rill_status
read_named(const rill_yaml *yaml, const rill_yaml_value *map, const char *where, size_t size,
           rill_status (*read)(const rill_yaml *, const rill_yaml_value *, const char *, void *), void **out,
           int *out_count)
{
    rill_status status = RILL_OK;
    const int count = rill_yaml_count(map);
    if (!rill_yaml_is_map(map))
        return rill_yaml_fail(yaml, map, "%s is not a mapping: name each below it", where);
    RILL_TRY(rill_yaml_names(yaml, map, where));
    *out = calloc((size_t)count + 1, size);
    if (!*out) return rill_fail(RILL_SYSTEM, "out of memory for %s", where);
    *out_count = count;
    for (int k = 0; k < count; k++) {
        const rill_yaml_value *key, *value = rill_yaml_item(yaml, map, k, &key);
        char *item = (char *)*out + (size_t)k * size, what[160];
        const char *name = rill_yaml_scalar(key);
        if (rill_opening_name_check(name) != RILL_OK || strlen(name) >= RILL_OPENING_NAME)
            return rill_yaml_fail(yaml, key, "\"%.80s\" cannot be a name in %s", name, where);
        snprintf(item, RILL_OPENING_NAME, "%s", name);
        snprintf(what, sizeof what, "%s: %s", where, name);
        RILL_TRY(read(yaml, value, what, item));
    }
done:
    return status;
}

static rill_status read_probe(const rill_yaml *yaml, const rill_yaml_value *value, const char *where,
                              void *into)
{
    return read_place(yaml, value, where, "m", ((rill_case_probe *)into)->at);
}

/* Copy the name of a plane or an opening. */
static rill_status read_name(const rill_yaml *yaml, const rill_yaml_value *value, const char *where,
                             void *into)
{
    const char *name = rill_yaml_scalar(value);
    if (!name || rill_opening_name_check(name) != RILL_OK || strlen(name) >= RILL_OPENING_NAME)
        return rill_yaml_fail(yaml, value, "%s is not a name of a plane or an opening", where);
    snprintf(into, RILL_OPENING_NAME, "%s", name);
    return RILL_OK;
}

static json_t *name_schema(void) { return json_pack("{s:s}", "type", "string"); }
static json_t *centre_schema(void) { return rill_yaml_schema_place("m"); }
static json_t *normal_schema(void) { return rill_yaml_schema_place("1"); }

/* clang-format off */
static const rill_key plane_keys[] = {
    {"centre", RILL_KEY_CALL, offsetof(rill_case_plane, centre), true, .read = read_centre, .schema = centre_schema,
     .help = "A point of the plane, x, y, z, in the coordinates of the surface."},
    {"normal", RILL_KEY_CALL, offsetof(rill_case_plane, normal), false, .read = read_normal, .schema = normal_schema,
     .help = "Direction in which flow counts as positive, x, y, z. Default: along the walls around the centre, the largest component positive."},
    {0}};

static const rill_key drop_keys[] = {
    {"from", RILL_KEY_CALL, offsetof(rill_case_drop, from), true, .read = read_name, .schema = name_schema,
     .help = "The upper cross-section: a plane or an opening by its name."},
    {"to", RILL_KEY_CALL, offsetof(rill_case_drop, to), true, .read = read_name, .schema = name_schema,
     .help = "The lower cross-section: a plane or an opening by its name."},
    {"venous", RILL_KEY_QUANTITY, offsetof(rill_case_drop, venous), false, "Pa", -1e6, 1e6,
     .help = "Pressure beyond the vessel, which counts as 0 in the ratio of both pressures. Default: 0 Pa."},
    {0}};
/* clang-format on */

static rill_status read_plane(const rill_yaml *yaml, const rill_yaml_value *value, const char *where,
                              void *into)
{
    return rill_yaml_map(yaml, value, where, plane_keys, into, NULL);
}

static rill_status read_drop(const rill_yaml *yaml, const rill_yaml_value *value, const char *where,
                             void *into)
{
    return rill_yaml_map(yaml, value, where, drop_keys, into, NULL);
}

static json_t *drops_schema(void)
{
    return rill_yaml_schema_names(rill_yaml_schema_map(drop_keys), 0, RILL_DROPS);
}
static json_t *probes_schema(void) { return rill_yaml_schema_names(centre_schema(), 0, 0); }
static json_t *planes_schema(void) { return rill_yaml_schema_names(rill_yaml_schema_map(plane_keys), 0, 0); }
static json_t *ends_schema(void) { return rill_yaml_schema_names(rill_end_schema(), 1, RILL_OPENINGS); }

static rill_status read_probes(const rill_yaml *yaml, const rill_yaml_value *value, const char *where,
                               void *into)
{
    rill_case *c = into;
    (void)where;
    return read_named(yaml, value, "probes", sizeof *c->output.probes, read_probe, (void **)&c->output.probes,
                      &c->output.probe_count);
}

static rill_status read_planes(const rill_yaml *yaml, const rill_yaml_value *value, const char *where,
                               void *into)
{
    rill_case *c = into;
    (void)where;
    return read_named(yaml, value, "planes", sizeof *c->output.planes, read_plane, (void **)&c->output.planes,
                      &c->output.plane_count);
}

static rill_status read_drops(const rill_yaml *yaml, const rill_yaml_value *value, const char *where,
                              void *into)
{
    rill_case *c = into;
    (void)where;
    return read_named(yaml, value, "drops", sizeof *c->output.drops, read_drop, (void **)&c->output.drops,
                      &c->output.drop_count);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static const char *const walls[] = {"interpolated", "half-way", "quadratic", NULL};
static const char *const starts[] = {"periodic", "rest", NULL};
static const char *const lattices[] = {"d3q19", "d3q27", "d3q15", NULL};

/* clang-format off */
static const rill_key fluid_keys[] = {
    {"density", RILL_KEY_QUANTITY, AT(density), true, "kg/m3", 0, 1e5, true, .help = "Density of the fluid."},
    {"viscosity", RILL_KEY_CALL, AT(law), true, .read = rill_law_read, .schema = rill_law_schema,
     .help = "Dynamic viscosity, or a law of its dependence on the shear rate."},
    {0}};

#define SET(name, member, ...) {name, RILL_KEY_QUANTITY, AT(member), false, __VA_ARGS__}
#define CHOOSE(name, member, names, ...) {name, RILL_KEY_CHOICE, AT(member), false, .choices = names, __VA_ARGS__}
static const rill_key run_keys[] = {
    SET("period", run.period, "s", 0, 1e6, true,
        .help = "Period of the waveforms. Default: their last row repeats the first and ends the cycle."),
    {"cycles", RILL_KEY_COUNT, AT(run.cycles), false, NULL, 1, 1e6,
     .help = "Largest number of cycles, with waveforms. Default: 10."},
    SET("duration", run.duration, "s", 0, 1e6, true,
        .help = "Longest physical time, without waveforms. Default: until the flow is steady."),
    SET("tolerance", run.tolerance, "1", 0, 1, true,
        .help = "Relative change from cycle to cycle that ends the run. Default: 1 %; 0.01 % without waveforms."),
    SET("time-step", run.time_step, "s", 0, 1, true, .help = "Time step. Not with mach."),
    SET("mach", run.mach, "1", 0, 0.3, true, .help = "Largest Mach number, which gives the time step. Default: 0.1."),
    SET("soft-start", run.soft_start, "s", 0, 1e6,
        .help = "Time over which flows and pressures rise from rest. Default: a tenth of the cycle, longer if sound needs it."),
    CHOOSE("start", run.start, starts,
        .help = "With waveforms: periodic, the soft start precedes the first cycle and Windkessels are corrected to their periodic state; "
"rest, the soft start begins the first cycle. Default: periodic."),
    CHOOSE("lattice", run.lattice, lattices, .help = "Velocity set. Default: d3q27 with cumulants and, for interpolated bounce-back, with trt; otherwise d3q19."),
    CHOOSE("collision", run.collision, rill_collision_names,
        .help = "Collision operator. Default: by the cell Reynolds number."),
    CHOOSE("storage", run.storage, rill_storage_names, .help = "Number format of the populations. Default: fp32."),
    CHOOSE("stream", run.stream, rill_stream_names, .help = "Streaming scheme. Default: the fastest on the device."),
    CHOOSE("addressing", run.addressing, rill_addressing_names, .help = "Addressing. Default: the fastest on the device."),
    {0}};

#define YES(name, member, text) {name, RILL_KEY_YES, AT(member), .help = text}
static const rill_key transport_keys[] = {
    YES("residence-time", transport.residence, "Follow the time since the fluid came in. Default: no."),
    SET("diffusivity", transport.diffusivity, "m2/s", 0, 1, true,
        .help = "Diffusivity of what is carried. Default: that of a cell Peclet number of 2."),
    {0}};
static const rill_key output_keys[] = {
    {"snapshots", RILL_KEY_COUNT, AT(output.snapshots), false, NULL, 0, 10000,
     .help = "Snapshots of each cycle. Default: 10; 1 without waveforms."},
    YES("fields", output.fields, "Velocity, pressure and shear rate on the voxels. Default: no."),
    YES("helicity", output.helicity, "Helicity over the snapshots: averages h1 to h4, and with fields its density and LNH. Default: no."),
    YES("slices", output.slices, "Pictures of the speed on three planes. Default: yes."),
    YES("surface", output.surface, "Wall shear stress on the triangles. Default: yes."),
    YES("centre-line", output.centreline, "Series along the centre line. Default: yes."),
    SET("checkpoint-every", output.checkpoint_every, "s", 0, 1e8,
        .help = "Wall-clock time between checkpoints; 0 s: on signals only. Default: 10 min."),
    {"probes", RILL_KEY_CALL, 0, .read = read_probes, .schema = probes_schema,
     .help = "Points by name, [x, y, z], at which velocity and pressure are recorded."},
    {"planes", RILL_KEY_CALL, 0, .read = read_planes, .schema = planes_schema,
     .help = "Planes by name, at which flow and pressure are recorded."},
    {"drops", RILL_KEY_CALL, 0, .read = read_drops, .schema = drops_schema,
     .help = "Pressure drops by name, between two planes or openings, and the ratio of their pressures (FFR)."},
    {0}};
/* clang-format on */

/* Openings come last, because their waveforms need the period. */
static rill_status pass_over(const rill_yaml *y, const rill_yaml_value *v, const char *where, void *into)
{
    (void)y, (void)v, (void)where, (void)into;
    return RILL_OK;
}

/* clang-format off */
static const rill_key case_keys[] = {
    {"geometry", RILL_KEY_TEXT, AT(geometry), true, .help = "A *.geom.h5 file that was made from a surface."},
    {"fluid", RILL_KEY_MAP, 0, true, .keys = fluid_keys, .help = "Density and viscosity."},
    CHOOSE("walls", walls, walls, .help = "Bounce-back that is interpolated linearly or quadratically, or half-way. Default: interpolated."),
    {"openings", RILL_KEY_CALL, 0, true, .read = pass_over, .schema = ends_schema,
     .help = "Each opening of the geometry by its name, with its boundary condition."},
    {"model", RILL_KEY_MAP, AT(model), .keys = rill_model_keys, .help = "The program that gives the pressures of outlets of kind model."},
    {"transport", RILL_KEY_MAP, 0, .keys = transport_keys, .help = "What the flow carries."},
    {"run", RILL_KEY_MAP, 0, .keys = run_keys, .help = "Duration, tolerance, time step and kernel."},
    {"output", RILL_KEY_MAP, 0, .keys = output_keys, .help = "What is written."},
    {0}};
/* clang-format on */

json_t *rill_case_schema(void)
{
    return rill_yaml_schema_file(
        "case", "Case of rill run",
        "A vessel with its fluid, openings and output. Each quantity is a number with its unit, such as 3.5 mPa.s.",
        case_keys);
}

/* Waveforms, and velocities at several times, make a case pulsatile; they must agree in their period. */
static rill_status find_period(rill_case *c)
{
    const rill_end *first = NULL;
    double period = 0;
    for (int k = 0; k < 2 * c->end_count; k++) {
        const rill_end *e = &c->ends[k / 2];
        const double own = k % 2 ? e->velocities ? e->velocities->period : 0 : e->wave ? e->wave->period : 0;
        if (!(own > 0)) continue;
        if (!first) first = e, period = own;
        if (fabs(own / period - 1) > 1e-6)
            return rill_fail(
                RILL_USAGE,
                "%s:%d: the %s of %s has a period of %g s, that of %s one of %g s: they must be the same",
                c->path, e->line, k % 2 ? "file of velocities" : "waveform", e->name, own, first->name,
                period);
    }
    c->run.pulsatile = first != NULL;
    if (first) c->run.period = period;
    return RILL_OK;
}

static rill_status check_run(rill_case *c)
{
    if (!c->run.pulsatile && c->run.period > 0)
        return rill_fail(RILL_USAGE, "%s: run has a period, but no opening has a waveform: leave it out",
                         c->path);
    if (!c->run.pulsatile && c->run.cycles > 0)
        return rill_fail(
            RILL_USAGE,
            "%s: run has cycles, which are periods of a waveform, and no opening has one: give run a duration instead",
            c->path);
    if (!c->run.pulsatile && c->run.start >= 0)
        return rill_fail(
            RILL_USAGE,
            "%s: run has a start, which is that of cycles, and no opening has a waveform: leave it out",
            c->path);
    if (c->run.pulsatile && c->run.duration > 0)
        return rill_fail(RILL_USAGE,
                         "%s: run has a duration, but openings have waveforms: give cycles instead", c->path);
    if (c->run.time_step > 0 && c->run.mach > 0)
        return rill_fail(RILL_USAGE,
                         "%s: run has a time-step and a mach, which make each other: leave one of them out",
                         c->path);
    if (c->run.start < 0) c->run.start = c->run.pulsatile ? RILL_CASE_PERIODIC : RILL_CASE_REST;
    if (c->run.cycles == 0) c->run.cycles = c->run.pulsatile ? 10 : 0;
    if (c->run.tolerance == 0) c->run.tolerance = c->run.pulsatile ? 1e-2 : 1e-4;
    if (c->output.snapshots < 0) c->output.snapshots = c->run.pulsatile ? 10 : 1;
    if (c->output.helicity && c->output.snapshots == 0)
        return rill_fail(
            RILL_USAGE,
            "%s: helicity is computed from snapshots, and output has none: give snapshots at least 1",
            c->path);
    return RILL_OK;
}

/* At least one way in, one way out, and no more than the inlets bring. */
static rill_status check_ends(const rill_case *c)
{
    int count[RILL_END_KINDS] = {0};
    int outlets = 0;
    double shares = 0;
    char names[RILL_END_NAMES];
    for (int k = 0; k < c->end_count; k++) {
        count[c->ends[k].kind]++;
        outlets += rill_end_type_of(&c->ends[k])->outlet;
        if (c->ends[k].kind == RILL_END_SPLIT && !isnan(c->ends[k].fraction)) shares += c->ends[k].fraction;
    }
    /* Where pressures drive the flow, it is meant to come in through some of them. */
    for (int k = 0; k < c->end_count; k++)
        if (c->ends[k].backflow < 0) c->ends[k].backflow = count[RILL_END_INLET] ? 0.5 : 0;
    if (outlets == 0)
        return rill_fail(RILL_USAGE, "%s: no opening is an outlet: make one a %s", c->path,
                         rill_end_names(true, names, sizeof names));
    if (count[RILL_END_INLET] == 0 && count[RILL_END_PRESSURE] < 2)
        return rill_fail(RILL_USAGE,
                         "%s: nothing drives the flow: make an opening an inlet, or two of them pressures",
                         c->path);
    if (count[RILL_END_SPLIT] && count[RILL_END_INLET] == 0)
        return rill_fail(RILL_USAGE, "%s: flow-split is a share of the inlets' flow, and there is no inlet",
                         c->path);
    if (shares > 1 + 1e-9)
        return rill_fail(RILL_USAGE, "%s: the fractions of flow-split add up to %g, more than 1", c->path,
                         shares);
    return RILL_OK;
}

static rill_status keep_texts(rill_case *c, const rill_yaml *yaml)
{
    char *geometry = NULL;
    /* A geometry may lie anywhere: nothing but a geometry that rill wrote is read. */
    const rill_status status = rill_file_beside(c->path, c->geometry, RILL_OUTSIDE_ALLOWED, &geometry);
    c->geometry = geometry; /* not the reader's any more */
    if (status != RILL_OK) {
        rill_fail_prefix("%s: geometry", c->path);
        return status;
    }
    c->text = strdup(rill_yaml_text(yaml));
    return c->text ? RILL_OK : rill_fail(RILL_SYSTEM, "out of memory for %s", c->path);
}

/* Read a text, or the file of this name where it is NULL. */
static rill_status read_one(const char *text, const char *path, bool outside, rill_case **out)
{
    rill_status status = RILL_OK;
    rill_yaml *yaml = NULL;
    rill_case *c = calloc(1, sizeof *c);
    if (!c) return rill_fail(RILL_SYSTEM, "out of memory for %s", path);
    c->outside = outside;
    c->run.soft_start = -1;
    c->run.start = c->run.lattice = c->run.collision = c->run.storage = c->run.stream = c->run.addressing =
        -1;
    c->output.snapshots = -1;
    c->output.checkpoint_every = CHECKPOINT_EVERY;
    c->output.slices = c->output.surface = c->output.centreline = true;
    c->path = strdup(path);
    if (!c->path) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for %s", path));
    RILL_TRY(text ? rill_yaml_read_text(text, path, &yaml) : rill_yaml_read(path, &yaml));
    status = rill_yaml_map(yaml, rill_yaml_root(yaml), "the case", case_keys, c, NULL);
    if (status != RILL_OK) {
        c->geometry = NULL; /* the reader's */
        goto done;
    }
    RILL_TRY(keep_texts(c, yaml));
    RILL_TRY(read_ends(yaml, rill_yaml_get(yaml, rill_yaml_root(yaml), "openings"), c));
    RILL_TRY(find_period(c));
    RILL_TRY(check_run(c));
    RILL_TRY(check_ends(c));
    RILL_TRY(rill_drops_check(c));
    RILL_TRY(rill_model_check(c));
    *out = c;
    c = NULL;
done:
    rill_yaml_destroy(yaml);
    rill_case_destroy(c);
    return status;
}

rill_status rill_case_read(const char *path, rill_case **out) { return read_one(NULL, path, false, out); }

rill_status rill_case_read_text(const char *text, const char *path, rill_case **out)
{
    return read_one(text, path, false, out);
}

rill_status rill_case_read_outside(const char *text, const char *path, rill_case **out)
{
    return read_one(text, path, true, out);
}

const char *rill_case_geometry(const rill_case *given) { return given->geometry; }

void rill_case_destroy(rill_case *c)
{
    if (!c) return;
    for (int k = 0; k < c->end_count; k++) {
        rill_waveform_destroy(c->ends[k].wave);
        rill_velocities_destroy(c->ends[k].velocities);
    }
    rill_model_case_free(c);
    free(c->ends);
    free(c->output.probes);
    free(c->output.planes);
    free(c->output.drops);
    free(c->path);
    free(c->text);
    free(c->geometry);
    free(c);
}
