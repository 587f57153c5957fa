/* SPDX-License-Identifier: Apache-2.0 */
/* What the kinds of openings are called, and what the case file says of them. */
#include "vessel/end_kinds.h"

#include "core/status.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
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

/* clang-format off */
#define KIND {"kind", RILL_KEY_CHOICE, offsetof(rill_end, kind), true, .choices = rill_end_kind_names}
#define WAVEFORM {"waveform", RILL_KEY_TEXT, offsetof(rill_end_reader, wave_path)}
#define QUANTITY(name, member, ...) {name, RILL_KEY_QUANTITY, offsetof(rill_end, member), __VA_ARGS__}
#define BEYOND QUANTITY("beyond", beyond, false, "Pa", -1e7, 1e7)
#define BACKFLOW QUANTITY("backflow", backflow, false, "1", 0, 10)
#define KEYS(...) (const rill_key[]){KIND, __VA_ARGS__, {0}}

const rill_end_type rill_end_types[RILL_END_KINDS] = {
    [RILL_END_INLET] = {KEYS(
        QUANTITY("flow", amount, false, "m3/s", -1, 1),
        QUANTITY("mean-velocity", amount, false, "m/s", -100, 100),
        QUANTITY("peak-velocity", amount, false, "m/s", -100, 100),
        {"profile", RILL_KEY_CHOICE, offsetof(rill_end, profile), false, .choices = rill_profile_names},
        WAVEFORM), .given = true},
    [RILL_END_PRESSURE] = {KEYS(
        QUANTITY("pressure", pressure, false, "Pa", -1e7, 1e7),
        WAVEFORM, BACKFLOW), .outlet = true, .given = true, .holds = true},
    [RILL_END_RESISTANCE] = {KEYS(
        QUANTITY("resistance", distal, true, "Pa.s/m3", 0, INFINITY, true),
        BEYOND, BACKFLOW), .outlet = true, .holds = true, .circuit = true},
    [RILL_END_WINDKESSEL] = {KEYS(
        QUANTITY("proximal", proximal, true, "Pa.s/m3", 0, INFINITY),
        QUANTITY("compliance", compliance, true, "m3/Pa", 0, INFINITY, true),
        QUANTITY("distal", distal, true, "Pa.s/m3", 0, INFINITY, true),
        BEYOND, BACKFLOW), .outlet = true, .holds = true, .circuit = true},
    [RILL_END_SPLIT] = {KEYS(
        {"fraction", RILL_KEY_CALL, offsetof(rill_end, fraction), true, .read = read_fraction},
        BACKFLOW), .outlet = true},
};
/* clang-format on */

const rill_end_type *rill_end_type_of(const rill_end *end) { return &rill_end_types[end->kind]; }

bool rill_end_stores(const rill_end *end) { return rill_end_type_of(end)->circuit && end->compliance > 0; }

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
