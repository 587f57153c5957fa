/* SPDX-License-Identifier: Apache-2.0 */
/* Permeabilities that are stopped, again and again, and continue from their checkpoints: to the same bits. */
#include "directory.h"
#include "forge.h"
#include "geometry/generate/generate.h"
#include "rill.h"
#include "permeability/journal.h"
#include "permeability/pause.h"
#include "planned.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[DIRECTORY_SIZE];

static void start(void)
{
    directory_make(directory);
    cr_assert_eq(chdir(directory), 0);
}

static void end(void)
{
    cr_assert_eq(chdir("/"), 0);
    directory_remove(directory);
}

TestSuite(pause, .init = start, .fini = end);

/* Voxels that are solid at random in blocks of two: a network of pores. */
static rill_geom *rock(uint32_t n)
{
    rill_geom *geom = NULL;
    uint64_t seed = 7;
    cr_assert_eq(rill_geom_create((const uint32_t[3]){n, n, n}, &geom), RILL_OK);
    geom->porosity = (rill_porosity){-1, -1, {-1, -1, -1}};
    for (uint32_t b = 0; b < n * n * n / 64; b++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const uint32_t x = b % (n / 4) * 4, y = b / (n / 4) % (n / 4) * 4, z = b / (n * n / 16) * 4;
        const uint8_t kind = (double)(seed >> 33) / 2147483648.0 < 0.35 ? RILL_SOLID : RILL_FLUID;
        for (uint32_t v = 0; v < 64; v++)
            geom->voxels[x + v % 4 + (uint64_t)n * (y + v / 4 % 4 + (uint64_t)n * (z + v / 16))] = kind;
    }
    return geom;
}

/* Stops at the call with this number. */
typedef struct stopper {
    int at, calls;
} stopper;

static bool stop(void *context, const rill_progress_moment *moment)
{
    stopper *s = context;
    if (!moment->permeability) return true; /* no step was made */
    return ++s->calls < s->at;
}

static rill_status compute(rill_geom *geom, const rill_permeability_options *o, rill_permeability *out)
{
    rill_permeability_plan plan;
    cr_assert_eq(planned(geom, o, &plan), RILL_OK, "%s", rill_error_message());
    const rill_status status = rill_permeability_compute(geom, o, &plan, out);
    rill_permeability_plan_free(&plan);
    return status;
}

static void expect_same_run(const rill_permeability_flow *a, const rill_permeability_flow *b)
{
    cr_assert(a->axis == b->axis && a->converged == b->converged && a->steps == b->steps);
    cr_assert(a->cycles == b->cycles && a->chambers == b->chambers);
    cr_assert(a->coarse_steps == b->coarse_steps &&
              (a->coarse == b->coarse || (isnan(a->coarse) && isnan(b->coarse))));
    cr_assert_arr_eq(a->k, b->k, sizeof a->k, "along %d: %.17g, not %.17g", a->axis, b->k[a->axis],
                     a->k[a->axis]);
    cr_assert_arr_eq(a->uncertainty, b->uncertainty, sizeof a->uncertainty);
    cr_assert(a->tortuosity == b->tortuosity && a->tortuosity_uncertainty == b->tortuosity_uncertainty);
    cr_assert(a->reynolds == b->reynolds && a->mach == b->mach);
    cr_assert_eq(a->sample_count, b->sample_count);
    cr_assert_arr_eq(a->samples, b->samples, a->sample_count * sizeof *a->samples);
}

/* Go on, stopped after more and more calls, until the end; every stop must leave a checkpoint. */
static int go_on(rill_geom *geom, rill_permeability_options o, rill_permeability *out)
{
    int stops = 0;
    o.checkpoint = "a.checkpoint.h5";
    o.progress_seconds = 0; /* after every part of the work */
    for (;; stops++) {
        stopper s = {.at = 1 + stops};
        o.progress = (rill_progress){stop, &s};
        o.resume = stops > 0;
        const rill_status status = compute(geom, &o, out);
        if (!out->kept) {
            cr_assert_eq(status, RILL_OK, "%s", rill_error_message());
            return stops;
        }
        cr_assert_eq(status, RILL_CANCELLED);
        cr_assert_not(out->converged);
        cr_assert_not_null(strstr(rill_error_message(), "--resume"), "%s", rill_error_message());
        cr_assert_eq(access("a.checkpoint.h5", F_OK), 0);
        rill_permeability_free(out);
    }
}

static void expect_same_of(rill_geom *geom, rill_permeability_options o, int least)
{
    rill_permeability whole, parts;
    o.on.backend = RILL_BACKEND_CPU;
    cr_assert_eq(compute(geom, &o, &whole), RILL_OK, "%s", rill_error_message());
    const int stops = go_on(geom, o, &parts);
    cr_assert_geq(stops, least);
    cr_assert_eq(whole.run_count, parts.run_count);
    for (int r = 0; r < whole.run_count; r++) expect_same_run(&whole.runs[r], &parts.runs[r]);
    cr_assert_eq(whole.uncertainty, parts.uncertainty);
    cr_assert_eq(whole.plan.network, parts.plan.network);
    cr_assert_eq(whole.plan.tau, parts.plan.tau);
    rill_permeability_free(&whole);
    rill_permeability_free(&parts);
    rill_geom_destroy(geom);
}

static void expect_same(rill_permeability_options o, int least) { expect_same_of(rock(24), o, least); }

Test(pause, a_tensor_with_corrected_pressures)
{
    rill_permeability_options o = rill_permeability_options_default();
    o.axis = -1;
    o.variant.equilibrium = RILL_STOKES;
    o.acceleration = RILL_ACCELERATION_NETWORK;
    expect_same(o, 4);
}

/* A wide channel, which runs start through from coarser grids; with a plate of pierced voxels across it
 * coarser ones close it, and runs start from rest. */
static rill_geom *channel(bool closed)
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create((const uint32_t[3]){28, 28, 24}, &geom), RILL_OK);
    geom->porosity = (rill_porosity){-1, -1, {-1, -1, -1}};
    for (uint32_t v = 0; v < 28 * 28 * 24; v++) {
        const uint32_t x = v % 28, y = v / 28 % 28, z = v / (28 * 28);
        const bool open = z > 1 || !closed || (x % 4 == 1 && y % 4 == 1);
        geom->voxels[v] = x < 26 && y < 26 && open ? RILL_FLUID : RILL_SOLID;
    }
    return geom;
}

Test(pause, starts_from_coarser_grids)
{
    const rill_permeability_options o = rill_permeability_options_default();
    expect_same_of(channel(false), o, 2);
    expect_same_of(channel(true), o, 2);
}

Test(pause, time_steps_alone)
{
    rill_permeability_options o = rill_permeability_options_default();
    o.variant.equilibrium = RILL_STOKES;
    o.variant.stream = RILL_PULL; /* two arrays */
    o.acceleration = RILL_ACCELERATION_NONE;
    expect_same(o, 4);
}

/* Between the steps with a memory, whose checkpoint has the step before, too. */
Test(pause, four_numbers_a_node)
{
    rill_permeability_options o = rill_permeability_options_default();
    o.variant.equilibrium = RILL_STOKES;
    o.variant.stream = RILL_MACROSCOPIC;
    o.variant.addressing = RILL_BITMAP;
    o.tau = 1;
    o.magic = 0.25;
    o.acceleration = RILL_ACCELERATION_NETWORK;
    expect_same(o, 4);
}

Test(pause, reservoirs)
{
    rill_permeability_options o = rill_permeability_options_default();
    o.variant.equilibrium = RILL_STOKES;
    o.drive = RILL_DRIVE_PRESSURE;
    o.axis = 0;
    o.reservoir = 4;
    expect_same(o, 4);
}

Test(pause, sixteen_bits)
{
    rill_permeability_options o = rill_permeability_options_default();
    o.variant.equilibrium = RILL_STOKES;
    o.variant.storage = RILL_FP16C;
    o.tolerance = 0.01;
    expect_same(o, 4);
}

/* Other options, another geometry, and no or a damaged file. */
Test(pause, refuses_what_is_not_its_own)
{
    rill_geom *geom = rock(24);
    rill_permeability out;
    stopper s = {.at = 2};
    rill_permeability_options o = rill_permeability_options_default();
    o.variant.equilibrium = RILL_STOKES;
    o.on.backend = RILL_BACKEND_CPU;
    o.checkpoint = "a.checkpoint.h5";
    o.resume = true;
    cr_assert_eq(compute(geom, &o, &out), RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "a.checkpoint.h5"), "%s", rill_error_message());
    o.resume = false;
    o.progress_seconds = 0;
    o.progress = (rill_progress){stop, &s};
    cr_assert_eq(compute(geom, &o, &out), RILL_CANCELLED);
    cr_assert(out.kept);
    rill_permeability_free(&out);
    o.progress = (rill_progress){0};
    o.resume = true;
    rill_permeability_options other = o;
    other.tolerance = 0.01;
    cr_assert_eq(compute(geom, &other, &out), RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "another case"), "%s", rill_error_message());
    other = o;
    other.variant.stream = RILL_PULL;
    cr_assert_eq(compute(geom, &other, &out), RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "variant"), "%s", rill_error_message());
    other = o;
    other.max_steps = 1;
    cr_assert_eq(compute(geom, &other, &out), RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "--max-steps"), "%s", rill_error_message());
    rill_geom *smaller = rock(20);
    cr_assert_eq(compute(smaller, &o, &out), RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "geometry"), "%s", rill_error_message());
    rill_geom_destroy(smaller);
    cr_assert_eq(truncate("a.checkpoint.h5", 4000), 0);
    cr_assert_eq(compute(geom, &o, &out), RILL_USAGE);
    rill_geom_destroy(geom);
}

static void expect_refused(rill_geom *geom, const rill_permeability_options *o, const char *part, size_t at,
                           int32_t number)
{
    rill_permeability out;
    int32_t forged = number;
    forge_bytes("a.checkpoint.h5", part, at, &forged, sizeof forged);
    cr_expect_eq(compute(geom, o, &out), RILL_USAGE, "%s at %zu: %d", part, at, number);
    cr_expect(strstr(rill_error_message(), "cannot continue from a.checkpoint.h5: it is damaged"),
              "%s at %zu: %s", part, at, rill_error_message());
    rill_permeability_free(&out);
    forge_bytes("a.checkpoint.h5", part, at, &forged, sizeof forged);
}

/* What indexes arrays, ends a text or names an axis is not believed, be the hash of its part right. */
Test(pause, refuses_forged_runs)
{
    typedef rill_permeability_flow flow;
    rill_geom *geom = rock(24);
    rill_permeability_options o = rill_permeability_options_default();
    rill_permeability out;
    stopper s;
    o.axis = RILL_AXES_XYZ;
    o.variant.equilibrium = RILL_STOKES;
    o.on.backend = RILL_BACKEND_CPU;
    o.checkpoint = "a.checkpoint.h5";
    o.progress_seconds = 0;
    o.progress = (rill_progress){stop, &s};
    for (int at = 2; !o.resume; at += 2) { /* until the flow along z is stopped */
        s = (stopper){.at = at};
        cr_assert_eq(compute(geom, &o, &out), RILL_CANCELLED);
        o.resume = out.run_count == 3;
        rill_permeability_free(&out);
    }
    o.progress = (rill_progress){0};
    expect_refused(geom, &o, "runs", offsetof(flow, axis), 1000000);
    expect_refused(geom, &o, "runs", offsetof(flow, axis), -1);
    expect_refused(geom, &o, "runs", offsetof(flow, axis), 1); /* twice */
    expect_refused(geom, &o, "runs", offsetof(flow, axis), 2); /* that which is stopped */
    expect_refused(geom, &o, "place", offsetof(rill_pause_place, runs), 1);
    expect_refused(geom, &o, "runs", offsetof(flow, storage), -1);
    expect_refused(geom, &o, "runs", offsetof(flow, storage), RILL_STORAGE_COUNT);
    expect_refused(geom, &o, "runs", offsetof(flow, cycles), -1);
    expect_refused(geom, &o, "runs", offsetof(flow, walls.box_count), RILL_DECISIVE_BOXES + 1);
    expect_refused(geom, &o, "runs", offsetof(flow, walls.known), 2);
    expect_refused(geom, &o, "runs", offsetof(flow, converged), 2);
    expect_refused(geom, &o, "runs", offsetof(flow, sample_count), INT32_MAX);
    cr_assert_eq(compute(geom, &o, &out), RILL_OK, "%s", rill_error_message());
    rill_permeability_free(&out);
    o.axis = 0;
    o.resume = false;
    s = (stopper){.at = 2};
    o.progress = (rill_progress){stop, &s};
    cr_assert_eq(compute(geom, &o, &out), RILL_CANCELLED);
    rill_permeability_free(&out);
    o.progress = (rill_progress){0};
    o.resume = true;
    expect_refused(geom, &o, "place", offsetof(rill_pause_place, axis), 1);
    rill_geom_destroy(geom);
}

/* Entries come back in order, and only for what they are of. */
Test(journal, gives_back_what_was_noted)
{
    rill_journal j = {.bytes = NULL};
    double seen = 0;
    cr_assert_not(rill_journal_replays(NULL));
    rill_journal_put(NULL, RILL_JOURNAL_OBSERVED, 1, &seen, sizeof seen);
    for (uint64_t step = 1; step <= 1000; step++) {
        const double value = 0.5 * (double)step;
        rill_journal_put(&j, RILL_JOURNAL_OBSERVED, step, &value, sizeof value);
        rill_journal_put(&j, RILL_JOURNAL_LABEL_ADD, step, NULL, 0);
    }
    j.replaying = true;
    for (uint64_t step = 1; step <= 999; step++) {
        cr_assert_eq(rill_journal_take(&j, RILL_JOURNAL_OBSERVED, step, &seen, sizeof seen), RILL_OK);
        cr_assert_eq(seen, 0.5 * (double)step);
        cr_assert_eq(rill_journal_take(&j, RILL_JOURNAL_LABEL_ADD, step, NULL, 0), RILL_OK);
    }
    cr_assert_eq(rill_journal_arrive(&j), RILL_USAGE, "one is left");
    cr_assert_eq(rill_journal_take(&j, RILL_JOURNAL_ROUNDING, 1000, &seen, sizeof seen), RILL_USAGE);
    cr_assert_eq(rill_journal_take(&j, RILL_JOURNAL_OBSERVED, 999, &seen, sizeof seen), RILL_USAGE);
    cr_assert_eq(rill_journal_take(&j, RILL_JOURNAL_OBSERVED, 1000, &seen, 4), RILL_USAGE);
    cr_assert_eq(rill_journal_take(&j, RILL_JOURNAL_OBSERVED, 1000, &seen, sizeof seen), RILL_OK);
    cr_assert_eq(rill_journal_take(&j, RILL_JOURNAL_LABEL_ADD, 1000, NULL, 0), RILL_OK);
    cr_assert_eq(rill_journal_take(&j, RILL_JOURNAL_LABEL_ADD, 1000, NULL, 0), RILL_USAGE, "none is left");
    cr_assert_eq(rill_journal_arrive(&j), RILL_OK);
    cr_assert_not(rill_journal_replays(&j));
    rill_journal_clear(&j);
}
