/* SPDX-License-Identifier: Apache-2.0 */
/* The case of a checkpoint as text, and what may differ when a run goes on. */
#include "vessel/run/resume.h"

#include "core/decimal.h"
#include "core/output.h"
#include "core/printable.h"
#include "core/status.h"
#include "io/checkpoint.h"
#include "vessel/case/end_kinds.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* A line is "KEY <tab> EXACT <tab> SHOWN": lines are compared by what is exact. Keys that begin with these
 * may differ. */
#define OUTPUT "output."
#define DERIVED "plan."

/* ---- writing --------------------------------------------------------------------------------- */

static void text_line(FILE *out, const char *key, const char *value)
{
    fprintf(out, "%s\t%s\t%s\n", key, value, value);
}

/* @param[in] si  SI of the unit that is shown, which begins with a blank */
static void number(FILE *out, const char *key, double value, const char *unit, double si)
{
    fprintf(out, "%s\t%.17g\t%.9g%s\n", key, value, value / si, unit);
}

static void choice(FILE *out, const char *key, const char *const *names, int which)
{
    text_line(out, key, names[which]);
}

static void law_lines(FILE *out, const rill_law *law)
{
    static const char *const names[] = {"newtonian", "carreau-yasuda", "casson"};
    choice(out, "fluid.viscosity.law", names, (int)law->kind);
    switch (law->kind) {
    case RILL_LAW_CARREAU_YASUDA:
        number(out, "fluid.viscosity.at-rest", law->at_rest, " mPa.s", 1e-3);
        number(out, "fluid.viscosity.at-infinite-shear", law->viscosity, " mPa.s", 1e-3);
        number(out, "fluid.viscosity.time", law->time, " s", 1);
        number(out, "fluid.viscosity.index", law->index, "", 1);
        number(out, "fluid.viscosity.sharpness", law->sharpness, "", 1);
        break;
    case RILL_LAW_CASSON:
        number(out, "fluid.viscosity.plastic-viscosity", law->viscosity, " mPa.s", 1e-3);
        number(out, "fluid.viscosity.yield-stress", law->yield_stress, " Pa", 1);
        break;
    default:
        number(out, "fluid.viscosity", law->viscosity, " mPa.s", 1e-3);
    }
}

/* A line of an opening. */
static void end_number(FILE *out, const rill_end *e, const char *key, double value, const char *unit,
                       double si)
{
    char name[RILL_OPENING_NAME + 48];
    snprintf(name, sizeof name, "openings.%s.%s", e->name, key);
    number(out, name, value, unit, si);
}

static void end_text(FILE *out, const rill_end *e, const char *key, const char *value)
{
    char name[RILL_OPENING_NAME + 48];
    snprintf(name, sizeof name, "openings.%s.%s", e->name, key);
    text_line(out, name, value);
}

static void wave_line(FILE *out, const rill_end *e)
{
    const rill_waveform *w = e->wave;
    XXH3_state_t *state = XXH3_createState();
    if (!state) return; /* the stream is checked when it is closed; a hash takes no other way out */
    XXH3_64bits_reset(state);
    XXH3_64bits_update(state, w->time, w->count * sizeof *w->time);
    XXH3_64bits_update(state, w->value, w->count * sizeof *w->value);
    char text[96];
    snprintf(text, sizeof text, "%s of %u rows over %.9g s with the hash %08llx", rill_wave_names[w->kind],
             w->count, w->period, (unsigned long long)XXH3_64bits_digest(state) & 0xffffffff);
    XXH3_freeState(state);
    end_text(out, e, "waveform", text);
}

static void velocities_line(FILE *out, const rill_end *e)
{
    const rill_velocities *v = e->velocities;
    XXH3_state_t *state = XXH3_createState();
    if (!state) return; /* as of a waveform */
    XXH3_64bits_reset(state);
    XXH3_64bits_update(state, v->points, v->count * sizeof *v->points);
    XXH3_64bits_update(state, v->times, v->frames * sizeof *v->times);
    char text[96];
    snprintf(text, sizeof text, "%u points at %u times over %.9g s with the hash %08llx", v->count, v->frames,
             v->period, (unsigned long long)XXH3_64bits_digest(state) & 0xffffffff);
    XXH3_freeState(state);
    end_text(out, e, "velocities", text);
}

static void amount_line(FILE *out, const rill_end *e)
{
    static const struct {
        const char *key, *unit;
        double si;
    } amounts[] = {{"flow", " mL/s", 1e-6}, {"mean-velocity", " m/s", 1}, {"peak-velocity", " m/s", 1}};
    if (e->wave) wave_line(out, e);
    if (e->velocities) velocities_line(out, e);
    if (e->from_file) {
        end_text(out, e, "flow", "from-file");
        return;
    }
    if (e->wave && e->wave->kind != RILL_WAVE_FACTOR) return;
    if (e->kind == RILL_END_PRESSURE)
        end_number(out, e, "pressure", e->pressure, " Pa", 1);
    else
        end_number(out, e, amounts[e->inflow].key, e->amount, amounts[e->inflow].unit, amounts[e->inflow].si);
}

/* A line for each key of a kind; those of an amount, and of a share, have lines of their own. */
static void end_lines(FILE *out, const rill_end *e)
{
    const rill_end_type *type = rill_end_type_of(e);
    end_text(out, e, "kind", rill_end_kind_names[e->kind]);
    if (type->given) amount_line(out, e);
    if (e->kind == RILL_END_CORONARY) wave_line(out, e);
    for (const rill_key *key = type->keys; key->name; key++) {
        double value;
        char unit[16] = "";
        if (key->kind == RILL_KEY_CHOICE && key->at == offsetof(rill_end, profile))
            end_text(out, e, key->name, rill_profile_names[e->profile]);
        if (key->kind != RILL_KEY_QUANTITY || key->at == offsetof(rill_end, amount) ||
            (type->given && key->at == offsetof(rill_end, pressure)))
            continue;
        memcpy(&value, (const char *)e + key->at, sizeof value);
        if (key->at == offsetof(rill_end, concentration) && value < 0) continue;
        if (strcmp(key->unit, "1") != 0) snprintf(unit, sizeof unit, " %s", key->unit);
        end_number(out, e, key->name, value, unit, 1);
    }
    if (e->kind == RILL_END_SPLIT && isnan(e->fraction))
        end_text(out, e, "fraction", "murray");
    else if (e->kind == RILL_END_SPLIT)
        end_number(out, e, "fraction", e->fraction, " %", 0.01);
}

/* Positions as one line each kind: they may differ, and only whether they do is looked at. */
static void output_lines(FILE *out, const rill_case *c)
{
    fprintf(out, OUTPUT "probes\t");
    for (int k = 0; k < c->output.probe_count; k++) {
        const rill_case_probe *p = &c->output.probes[k];
        fprintf(out, "%s %.17g %.17g %.17g;", p->name, p->at[0], p->at[1], p->at[2]);
    }
    fprintf(out, "\t%d\n" OUTPUT "planes\t", c->output.probe_count);
    for (int k = 0; k < c->output.plane_count; k++) {
        const rill_case_plane *p = &c->output.planes[k];
        fprintf(out, "%s %.17g %.17g %.17g %.17g %.17g %.17g;", p->name, p->centre[0], p->centre[1],
                p->centre[2], p->normal[0], p->normal[1], p->normal[2]);
    }
    fprintf(out, "\t%d\n", c->output.plane_count);
    text_line(out, OUTPUT "surface", c->output.surface ? "yes" : "no");
    text_line(out, OUTPUT "centre-line", c->output.centreline ? "yes" : "no");
}

static void case_lines(FILE *out, const rill_case *c)
{
    static const char *const walls[] = {"interpolated", "half-way", "quadratic"};
    number(out, "fluid.density", c->density, " kg/m3", 1);
    law_lines(out, &c->law);
    choice(out, "walls", walls, c->walls);
    for (int k = 0; k < c->end_count; k++) end_lines(out, &c->ends[k]);
    for (int k = 0; c->model.arguments[k]; k++) {
        char name[32];
        snprintf(name, sizeof name, "model.argument-%d", k);
        text_line(out, name, c->model.arguments[k]);
    }
    if (c->model.every) number(out, "model.every", c->model.every, "", 1);
    if (c->run.pulsatile) number(out, "run.period", c->run.period, " s", 1);
    if (c->run.time_step > 0) number(out, "run.time-step", c->run.time_step, " us", 1e-6);
    if (c->run.mach > 0) number(out, "run.mach", c->run.mach, "", 1);
    if (c->run.pulsatile && c->run.start == RILL_CASE_REST) text_line(out, "run.start", "rest");
    if (c->run.soft_start >= 0) number(out, "run.soft-start", c->run.soft_start, " s", 1);
    if (c->output.helicity) text_line(out, "helicity", "yes");
    if (c->transport.residence) text_line(out, "transport.residence-time", "yes");
    if (c->transport.diffusivity > 0)
        number(out, "transport.diffusivity", c->transport.diffusivity, " m2/s", 1);
    output_lines(out, c);
}

rill_status rill_resume_text(const rill_case *given, const rill_case_plan *plan, uint64_t span,
                             uint64_t phases, char **out)
{
    size_t size;
    *out = NULL;
    FILE *file = open_memstream(out, &size);
    if (!file) return rill_fail(RILL_SYSTEM, "out of memory for the text of a checkpoint");
    case_lines(file, given);
    if (plan) {
        number(file, DERIVED "time-step", plan->scales.time, " s", 1);
        number(file, DERIVED "cycle-steps", (double)plan->cycle_steps, "", 1);
        number(file, DERIVED "soft-steps", (double)plan->start.soft, "", 1);
        number(file, DERIVED "lead-steps", (double)plan->start.lead, "", 1);
        number(file, DERIVED "span", (double)span, "", 1);
        number(file, DERIVED "phases", (double)phases, "", 1);
        if (plan->transport.diffusivity > 0)
            number(file, DERIVED "diffusivity", plan->transport.diffusivity, " m2/s", 1);
    }
    if (!rill_output_text_end(file, out)) {
        free(*out);
        *out = NULL;
        return rill_fail(RILL_SYSTEM, "out of memory for the text of a checkpoint");
    }
    return RILL_OK;
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* A line of a text, or what it is made of; lengths without the tabs. */
typedef struct entry {
    const char *key, *exact, *shown;
    int key_length, exact_length, shown_length;
} entry;

/* Take the line at *text, which moves on. @return false at the end, or where it is none */
static bool entry_next(const char **text, entry *out)
{
    const char *end = strchr(*text, '\n'), *first = strchr(*text, '\t');
    const char *second = first ? strchr(first + 1, '\t') : NULL;
    if (!end || !second || second > end) return false;
    *out = (entry){*text,
                   first + 1,
                   second + 1,
                   (int)(first - *text),
                   (int)(second - first - 1),
                   (int)(end - second - 1)};
    *text = end + 1;
    return true;
}

static bool entry_begins(const entry *e, const char *prefix)
{
    return strncmp(e->key, prefix, strlen(prefix)) == 0;
}

static bool entry_find(const char *text, const char *key, int length, entry *out)
{
    while (entry_next(&text, out))
        if (out->key_length == length && memcmp(out->key, key, (size_t)length) == 0) return true;
    return false;
}

static bool entry_equal(const entry *a, const entry *b)
{
    return a->exact_length == b->exact_length && memcmp(a->exact, b->exact, (size_t)a->exact_length) == 0;
}

/* Whether both texts say the same of a key. */
static bool same_key(const char *a, const char *b, const char *key)
{
    entry x, y;
    return entry_find(a, key, (int)strlen(key), &x) && entry_find(b, key, (int)strlen(key), &y) &&
           entry_equal(&x, &y);
}

/* Longest that is shown of a key or value. */
enum { MOST = 120 };

static int shorter(int length) { return length < MOST ? length : MOST; }

/* Compare what the bits depend on. @param[in] was, is  texts */
static rill_status compare(const char *path, const char *was, const char *is)
{
    static const char remedy[] =
        "go on with the case as it was, or start anew with --overwrite or another -o";
    entry a, b;
    for (const char *rest = is; entry_next(&rest, &b);) {
        if (entry_begins(&b, OUTPUT) || entry_begins(&b, DERIVED)) continue;
        const bool there = entry_find(was, b.key, b.key_length, &a);
        if (there && entry_equal(&a, &b)) continue;
        return rill_fail(RILL_USAGE, "cannot continue from %s: %.*s was %.*s, is %.*s: %s", path,
                         shorter(b.key_length), b.key, there ? shorter(a.shown_length) : 9,
                         there ? a.shown : "not given", shorter(b.shown_length), b.shown, remedy);
    }
    for (const char *rest = was; entry_next(&rest, &a);)
        if (!entry_begins(&a, OUTPUT) && !entry_begins(&a, DERIVED) &&
            !entry_find(is, a.key, a.key_length, &b))
            return rill_fail(RILL_USAGE, "cannot continue from %s: %.*s was %.*s, is not given: %s", path,
                             shorter(a.key_length), a.key, shorter(a.shown_length), a.shown, remedy);
    return RILL_OK;
}

uint64_t rill_resume_hash(const char *text)
{
    uint64_t sum = 0;
    entry e;
    while (entry_next(&text, &e))
        if (!entry_begins(&e, OUTPUT) && !entry_begins(&e, DERIVED))
            sum += XXH3_64bits(e.key, (size_t)(e.exact + e.exact_length - e.key));
    return sum;
}

static double derived(const char *text, const char *key)
{
    entry e;
    double value = 0;
    if (entry_find(text, key, (int)strlen(key), &e)) (void)rill_decimal_at(e.exact, &value);
    return value;
}

static uint64_t derived_count(const char *text, const char *key)
{
    const double value = derived(text, key);
    return value >= 0 && value <= 0x1p53 ? (uint64_t)value : 0;
}

rill_status rill_resume_find(const char *directory, const rill_case *given, rill_case_plan_resume *out)
{
    rill_status status = RILL_OK;
    char *path = NULL, *was = NULL, *is = NULL, *software = NULL;
    *out = (rill_case_plan_resume){0};
    if (asprintf(&path, "%s/checkpoint.h5", directory) < 0) {
        path = NULL;
        RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a file name"));
    }
    RILL_TRY(rill_checkpoint_text(path, RILL_RESUME_PART, &was, &software));
    if (!was) goto done;
    RILL_TRY(rill_resume_text(given, NULL, 0, 0, &is));
    RILL_TRY(compare(path, was, is));
    *out = (rill_case_plan_resume){.given = true,
                                   .time_step = derived(was, DERIVED "time-step"),
                                   .cycle_steps = derived_count(was, DERIVED "cycle-steps"),
                                   .soft_steps = derived_count(was, DERIVED "soft-steps"),
                                   .lead_steps = derived_count(was, DERIVED "lead-steps"),
                                   .span = derived_count(was, DERIVED "span"),
                                   .phases = derived_count(was, DERIVED "phases"),
                                   .diffusivity = derived(was, DERIVED "diffusivity"),
                                   .probes = same_key(was, is, OUTPUT "probes"),
                                   .planes = same_key(was, is, OUTPUT "planes"),
                                   .surface = same_key(was, is, OUTPUT "surface"),
                                   .line = same_key(was, is, OUTPUT "centre-line")};
    rill_printable_into(out->software, sizeof out->software, software);
    if (!(out->time_step > 0) || out->span == 0)
        RILL_TRY(rill_fail(RILL_USAGE, "cannot continue from %s: it is damaged", path));
done:
    free(path);
    free(was);
    free(is);
    free(software);
    return status;
}
