/* SPDX-License-Identifier: Apache-2.0 */
/* What the kinds of openings are called, and what the case file says of them. */
#include "vessel/case/end_kinds.h"

#include "core/beside.h"
#include "core/status.h"
#include "vessel/case/yaml_schema.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME(kind, name) name,
const char *const rill_end_kind_names[] = {RILL_END_LIST(NAME) NULL};
const char *const rill_profile_names[] = {"flat", "parabolic", "womersley", "fitted", NULL};

/* A fraction, or Murray's law. */
static rill_status read_fraction(const rill_yaml *yaml, const rill_yaml_value *value, const char *where,
                                 void *into)
{
    double *fraction = into;
    const char *text = rill_yaml_scalar(value);
    if (text && strcmp(text, "murray") == 0) {
        *fraction = NAN;
        return RILL_OK;
    }
    const rill_status status = rill_yaml_quantity(yaml, value, where, "1", fraction);
    if (status != RILL_OK) {
        rill_fail_prefix("%s", "a share of the inlets' flow, or murray");
        return status;
    }
    if (*fraction > 0 && *fraction < 1) return RILL_OK;
    return rill_yaml_fail(yaml, value, "%s is %g: give a share between 0 and 1, such as 30 %%, or murray",
                          where, *fraction);
}

static json_t *fraction_schema(void)
{
    const rill_key share = {.unit = "1", .min = 0, .max = 1, .above = true};
    return json_pack("{s:[{s:s}, o]}", "anyOf", "const", "murray", rill_yaml_schema_quantity(&share));
}

#define FLOW_MOST 1.0     /* m3/s */
#define VELOCITY_MOST 100 /* m/s */
#define PRESSURE_MOST 1e7 /* Pa */

/* A flow, or that of the velocities that are given. */
static rill_status read_flow(const rill_yaml *yaml, const rill_yaml_value *value, const char *where,
                             void *into)
{
    double *flow = into;
    const char *text = rill_yaml_scalar(value);
    if (text && strcmp(text, "from-file") == 0) {
        *flow = NAN;
        return RILL_OK;
    }
    const rill_status status = rill_yaml_quantity(yaml, value, where, "m3/s", flow);
    if (status != RILL_OK || fabs(*flow) <= FLOW_MOST) return status;
    return rill_yaml_fail(yaml, value, "%s is %g m3/s, and at most %g m3/s are computed", where, *flow,
                          FLOW_MOST);
}

static json_t *flow_schema(void)
{
    const rill_key flow = {.unit = "m3/s", .min = -FLOW_MOST, .max = FLOW_MOST};
    return json_pack("{s:[{s:s}, o]}", "anyOf", "const", "from-file", rill_yaml_schema_quantity(&flow));
}

/* clang-format off */
#define KIND {"kind", RILL_KEY_CHOICE, offsetof(rill_end, kind), true, .choices = rill_end_kind_names, \
    .help = "Boundary condition at the opening."}
/* Of all capillaries of a mouse to a hundred million times more; a litre for a pascal. What is larger is a slip of the
 * exponent, and has no place among the numbers of the lattice. */
#define RESISTANCE_MOST 1e24
#define COMPLIANCE_MOST 1e-3
#define WAVEFORM {"waveform", RILL_KEY_TEXT, offsetof(rill_end_reader, wave_path), \
    .help = "CSV file of time and value over a cycle."}
#define QUANTITY(name, member, ...) {name, RILL_KEY_QUANTITY, offsetof(rill_end, member), __VA_ARGS__}
#define BEYOND QUANTITY("beyond", beyond, false, "Pa", -PRESSURE_MOST, PRESSURE_MOST, .help = "Pressure behind the outlet. Default: 0 Pa.")
#define BACKFLOW QUANTITY("backflow", backflow, false, "1", 0, 10, \
    .help = "Coefficient of the stabilisation where fluid enters. Default: 0.5; 0 without an inlet.")
#define KEYS(...) (const rill_key[]){KIND, __VA_ARGS__, {0}}

const rill_end_type rill_end_types[RILL_END_KINDS] = {
    [RILL_END_INLET] = {KEYS(
        {"flow", RILL_KEY_CALL, offsetof(rill_end, amount), false, .read = read_flow, .schema = flow_schema,
            .help = "Inflow, or from-file: that of the velocities."},
        QUANTITY("mean-velocity", amount, false, "m/s", -VELOCITY_MOST, VELOCITY_MOST, .help = "Inflow divided by the area."),
        QUANTITY("peak-velocity", amount, false, "m/s", -VELOCITY_MOST, VELOCITY_MOST,
            .help = "Velocity where the steady profile is largest."),
        {"profile", RILL_KEY_CHOICE, offsetof(rill_end, profile), false, .choices = rill_profile_names,
            .help = "Distribution of the velocity over the opening. Default: fitted. Not with velocities."},
        {"velocities", RILL_KEY_TEXT, offsetof(rill_end_reader, velocities_path),
            .help = "CSV file of points and their velocities, which the profile is made from."},
        QUANTITY("concentration", concentration, false, "1", 0, 1e6,
            .help = "Concentration of a solute in what comes in. With it the solute is followed."),
        WAVEFORM), .given = true},
    [RILL_END_PRESSURE] = {KEYS(
        QUANTITY("pressure", pressure, false, "Pa", -PRESSURE_MOST, PRESSURE_MOST, .help = "Imposed pressure."),
        WAVEFORM, BACKFLOW), .outlet = true, .given = true, .holds = true},
    [RILL_END_RESISTANCE] = {KEYS(
        QUANTITY("resistance", distal, true, "Pa.s/m3", 0, RESISTANCE_MOST, true, .help = "p = beyond + resistance * flow."),
        BEYOND, BACKFLOW), .outlet = true, .holds = true, .circuit = true},
    [RILL_END_WINDKESSEL] = {KEYS(
        QUANTITY("proximal", proximal, true, "Pa.s/m3", 0, RESISTANCE_MOST, .help = "Resistance before the compliance."),
        QUANTITY("compliance", compliance, true, "m3/Pa", 0, COMPLIANCE_MOST, true, .help = "Volume per pressure."),
        QUANTITY("distal", distal, true, "Pa.s/m3", 0, RESISTANCE_MOST, true, .help = "Resistance behind the compliance."),
        BEYOND, BACKFLOW), .outlet = true, .holds = true, .circuit = true},
    [RILL_END_CORONARY] = {KEYS(
        {"intramyocardial", RILL_KEY_TEXT, offsetof(rill_end_reader, wave_path), true,
            .help = "CSV file of time and pressure in the heart muscle over a cycle."},
        QUANTITY("arterial", proximal, true, "Pa.s/m3", 0, RESISTANCE_MOST, .help = "Resistance of the arteries, before their compliance."),
        QUANTITY("arterial-compliance", compliance, true, "m3/Pa", 0, COMPLIANCE_MOST, true, .help = "Compliance of the arteries."),
        QUANTITY("microvascular", micro, true, "Pa.s/m3", 0, RESISTANCE_MOST, true, .help = "Resistance between both compliances."),
        QUANTITY("myocardial-compliance", myocardial, true, "m3/Pa", 0, COMPLIANCE_MOST, true,
            .help = "Compliance of the vessels in the heart muscle, towards the intramyocardial pressure."),
        QUANTITY("venous", distal, true, "Pa.s/m3", 0, RESISTANCE_MOST, true, .help = "Resistance behind that compliance."),
        BEYOND, BACKFLOW), .outlet = true, .holds = true, .circuit = true},
    [RILL_END_MODEL] = {KEYS(
        QUANTITY("pressure", pressure, true, "Pa", -PRESSURE_MOST, PRESSURE_MOST, .help = "Mean pressure that is expected, and that the run starts from."),
        QUANTITY("swing", swing, false, "Pa", 0, PRESSURE_MOST, .help = "Range of the pressure that is expected. Default: 0 Pa."),
        QUANTITY("proximal", proximal, false, "Pa.s/m3", 0, RESISTANCE_MOST,
            .help = "Resistance by which the pressure of the model follows the flow at once. Default: 0 Pa.s/m3."),
        BACKFLOW), .outlet = true, .holds = true},
    [RILL_END_SPLIT] = {KEYS(
        {"fraction", RILL_KEY_CALL, offsetof(rill_end, fraction), true, .read = read_fraction,
            .schema = fraction_schema, .help = "Share of the inflow, or murray: by the cube of the radius."},
        BACKFLOW), .outlet = true},
    [RILL_END_WALL] = {(const rill_key[]){KIND, {0}}},
};
/* clang-format on */

int rill_end_amounts(rill_end_kind kind) { return kind == RILL_END_INLET ? RILL_INFLOW_COUNT : 1; }

/* One amount, a waveform, or both. */
static int given_add(json_t *schema, rill_end_kind kind)
{
    json_t *ways = json_array(), *amounts = json_array();
    for (int k = 1; k <= rill_end_amounts(kind); k++) {
        const char *name = rill_end_types[kind].keys[k].name;
        json_array_append_new(ways, json_pack("{s:[s]}", "required", name));
        json_array_append_new(amounts, json_pack("{s:[s]}", "required", name));
    }
    json_array_append_new(ways,
                          json_pack("{s:[s], s:{s:o}}", "required", "waveform", "not", "anyOf", amounts));
    return json_object_set_new(schema, "oneOf", ways);
}

json_t *rill_end_schema(void)
{
    const rill_key *tables[RILL_END_KINDS];
    for (int k = 0; k < RILL_END_KINDS; k++) tables[k] = rill_end_types[k].keys;
    json_t *schema = rill_yaml_schema_kinds(rill_end_kind_names, tables), *branch;
    size_t k;
    json_array_foreach(json_object_get(schema, "allOf"), k, branch)
    {
        if (rill_end_types[k].given && given_add(json_object_get(branch, "then"), (rill_end_kind)k)) {
            json_decref(schema);
            return NULL;
        }
    }
    return schema;
}

const rill_end_type *rill_end_type_of(const rill_end *end) { return &rill_end_types[end->kind]; }

bool rill_end_stores(const rill_end *end) { return rill_end_type_of(end)->circuit && end->compliance > 0; }

rill_status rill_end_check_wave(const char *path, const rill_waveform *wave, rill_wave_kind kind,
                                double amount)
{
    static const struct {
        double most;
        const char *unit;
    } limits[] = {[RILL_WAVE_FLOW] = {FLOW_MOST, "m3/s"},
                  [RILL_WAVE_MEAN_VELOCITY] = {VELOCITY_MOST, "m/s"},
                  [RILL_WAVE_PEAK_VELOCITY] = {VELOCITY_MOST, "m/s"},
                  [RILL_WAVE_PRESSURE] = {PRESSURE_MOST, "Pa"}};
    const double largest = fmax(fabs(wave->low), fabs(wave->high)) * fabs(amount);
    if (largest <= limits[kind].most) return RILL_OK;
    return rill_fail(RILL_USAGE,
                     "%s has %s of up to %.3g %s, and at most %g %s are computed: are its units right?", path,
                     kind == RILL_WAVE_FLOW       ? "flows"
                     : kind == RILL_WAVE_PRESSURE ? "pressures"
                                                  : "velocities",
                     largest, limits[kind].unit, limits[kind].most, limits[kind].unit);
}

rill_status rill_end_read_muscle(const rill_case *c, int line, rill_end_reader *r)
{
    rill_end *e = &r->end;
    char *path = NULL;
    rill_status status = rill_file_beside(c->path, r->wave_path,
                                          c->outside ? RILL_OUTSIDE_ALLOWED : RILL_OUTSIDE_ASKED, &path);
    if (status == RILL_OK) status = rill_waveform_read(path, c->run.period, &e->wave);
    if (status == RILL_OK && e->wave->kind != RILL_WAVE_PRESSURE)
        status =
            rill_fail(RILL_USAGE,
                      "%s gives a %s, and a pressure is needed: a second column such as \"pressure [mmHg]\"",
                      r->wave_path, rill_wave_names[e->wave->kind]);
    if (status == RILL_OK) status = rill_end_check_wave(r->wave_path, e->wave, RILL_WAVE_PRESSURE, 1);
    if (status != RILL_OK) rill_fail_prefix("%s:%d: intramyocardial of %s", c->path, line, e->name);
    free(path);
    return status;
}

double rill_end_constant(const rill_end *end)
{
    return (end->micro + end->distal) * end->compliance + end->distal * end->myocardial;
}

const char *rill_end_names(bool outlets, char *text, size_t size)
{
    size_t at = 0;
    int left = 0;
    for (int k = 0; k < RILL_END_KINDS; k++) left += !outlets || rill_end_types[k].outlet;
    text[0] = 0;
    for (int k = 0; k < RILL_END_KINDS && at < size; k++) {
        if (outlets && !rill_end_types[k].outlet) continue;
        left--;
        at += (size_t)snprintf(text + at, size - at, "%s%s", rill_end_kind_names[k],
                               left > 1    ? ", "
                               : left == 1 ? " or "
                                           : "");
    }
    return text;
}
