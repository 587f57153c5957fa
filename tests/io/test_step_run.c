/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in time that are stopped: they go on from their checkpoint to the same bits, and from no other's. */
#include "core/log.h"
#include "forge.h"
#include "free_surface/run.h"
#include "io/hdf5.h"
#include "io_test.h"
#include "membrane/run.h"
#include "message.h"
#include "own_clock.h"
#include "surface_totals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char checkpoint[IO_TEST_PATH];

static void begin(void)
{
    own_clock_tick = 0.1; /* runs look for signals behind 1, 3, 6, 10, ... steps, and rows */
    io_test_start();
    strcpy(checkpoint, io_test_path("kept.checkpoint.h5"));
}

TestSuite(step_run, .init = begin, .fini = io_test_end);

static double stopped_at; /* part of the steps that were made */

/* Cancel work once a part of its steps is made. */
static bool stop(void *context, const rill_progress_moment *m)
{
    const double *at = context;
    stopped_at = m->fraction;
    return strcmp(m->what, "steps") != 0 || m->fraction < *at;
}

/* Return whether there is a row of a run at the step at which it was stopped. */
static bool stopped_behind_row(uint64_t steps, uint64_t every)
{
    return (uint64_t)lround(stopped_at * (double)steps) % every == 0;
}

static const rill_stream streams[] = {RILL_PULL, RILL_AA, RILL_ESOTWIST, RILL_ESOPULL};

/* ---- runs of both kinds ------------------------------------------------------------------------ */

/* A drop that falls into a pool, with an odd number of steps before each row. */
static rill_free_surface_case drop_of(int stream, rill_storage storage, const char *output)
{
    return (rill_free_surface_case){.shape = RILL_LIQUID_DROP,
                                    .n = {12, 11, 17},
                                    .walls = {stream % 2 == 1, stream % 2 == 1},
                                    .depth = 4.3,
                                    .radius = 3,
                                    .height = 9,
                                    .speed = 0.02,
                                    .tau = 0.7,
                                    .tension = 2e-3,
                                    .gravity = 1e-4,
                                    .contact_angle = stream == 2 ? 60 : 90,
                                    .gas_pressure = stream == 1 ? 0.1 : 0, /* of one closed bubble */
                                    .stream = streams[stream],
                                    .storage = storage,
                                    .steps = 131,
                                    .every = 43,
                                    .output = output};
}

static rill_capsule_case capsule_of(int stream, const char *output)
{
    return (rill_capsule_case){.n = {18, 14, 14},
                               .count = stream == 3 ? 2 : 1,
                               .radius = stream == 3 ? 2.2 : 3,
                               .level = 1,
                               .capillary = 0.3,
                               .reynolds = 0.4,
                               .tau = 1,
                               .strain = 1.1,
                               .width = 2,
                               .stream = streams[stream],
                               .every = 0.4,
                               .output = output};
}

/* Expect that a dataset of two files has the same bits. */
static void expect_same(const char *a, const char *b, const char *dataset)
{
    void *values[2] = {NULL, NULL};
    uint64_t count[2];
    const char *const names[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        rill_h5_file *file = NULL;
        rill_h5_layout layout;
        cr_assert_eq(rill_h5_open(names[k], &file), RILL_OK, "%s", rill_error_message());
        cr_assert_eq(rill_h5_dataset_layout(file, dataset, &layout), RILL_OK, "%s", rill_error_message());
        count[k] = 1;
        for (int r = 0; r < layout.rank; r++) count[k] *= layout.dims[r];
        values[k] = calloc(count[k], sizeof(double));
        cr_assert_not_null(values[k]);
        cr_assert_eq(rill_h5_read(file, dataset, RILL_H5_F64, layout.rank, NULL, layout.dims, values[k]),
                     RILL_OK, "%s", rill_error_message());
        rill_h5_close(file);
    }
    cr_assert_eq(count[0], count[1], "%s: %lu and %lu values", dataset, (unsigned long)count[0],
                 (unsigned long)count[1]);
    cr_assert_gt(count[0], 0);
    cr_expect_eq(memcmp(values[0], values[1], count[0] * sizeof(double)), 0, "%s of %s", dataset, b);
    free(values[0]);
    free(values[1]);
}

static void expect_same_step(uint64_t step, const char *kind, const char *dataset)
{
    char *whole = rill_step_file_name(io_test_path("whole.h5"), step, kind);
    char *parts = rill_step_file_name(io_test_path("parts.h5"), step, kind);
    expect_same(whole, parts, dataset);
    free(whole);
    free(parts);
}

/* Where runs are stopped: before the first step, and later. */
static const double stops[] = {0, 0.2, 0.45, 0.46, 0.7};
enum { STOPS = sizeof stops / sizeof *stops };

/* ---- the same bits ----------------------------------------------------------------------------- */

static void drop_is_resumed(int stream, rill_storage storage)
{
    char whole_name[IO_TEST_PATH], parts_name[IO_TEST_PATH];
    strcpy(whole_name, io_test_path("whole.h5"));
    strcpy(parts_name, io_test_path("parts.h5"));
    rill_free_surface_case c = drop_of(stream, storage, whole_name);
    rill_free_surface_outcome whole, parts;
    cr_assert_eq(rill_free_surface_run(&c, &whole), RILL_OK, "%s", rill_error_message());
    c.output = parts_name;
    c.keep.checkpoint = checkpoint;
    unlink(parts_name);
    for (int k = 0; k < STOPS; k++) {
        double at = stops[k];
        c.progress = (rill_progress){stop, &at};
        c.keep.resume = k > 0;
        cr_assert_eq(rill_free_surface_run(&c, &parts), RILL_CANCELLED, "%s", rill_error_message());
        cr_expect_eq(stopped_behind_row(c.steps, c.every), k == 0, "stop %d behind %g of the steps", k,
                     stopped_at);
        expect_message("continue with --resume from");
        cr_assert_eq(access(checkpoint, F_OK), 0);
        cr_assert_neq(access(parts_name, F_OK), 0, "a result of a run that has not ended");
    }
    c.progress = (rill_progress){NULL, NULL};
    cr_assert_eq(rill_free_surface_run(&c, &parts), RILL_OK, "%s", rill_error_message());
    cr_expect_neq(access(checkpoint, F_OK), 0, "the checkpoint is still there");
    cr_expect_not(parts.checkpoint_left);
    cr_expect(totals_same(&parts.last, &whole.last));
    cr_expect(totals_same(&parts.first, &whole.first));
    cr_expect_eq(whole.last.gas.bubbles, c.gas_pressure > 0);
    if (c.gas_pressure > 0) expect_same(whole_name, parts_name, "series/bubbles/pressure");
    cr_expect_eq(parts.steps, 131);
    static const char *const series[] = {"/series/liquid/step",      "/series/liquid/mass",
                                         "/series/liquid/volume",    "/series/liquid/speed_max",
                                         "/series/liquid/interface", "/series/liquid/level",
                                         "/summary/mass_change"};
    for (size_t k = 0; k < sizeof series / sizeof *series; k++)
        expect_same(whole_name, parts_name, series[k]);
    for (uint64_t step = 0; step <= 129; step += 43) {
        expect_same_step(step, "", "/VTKHDF/PointData/fill");
        expect_same_step(step, "", "/VTKHDF/PointData/velocity");
    }
}

Test(step_run, drops_go_on_to_the_same_bits)
{
    for (int stream = 0; stream < 4; stream++) drop_is_resumed(stream, stream < 2 ? RILL_FP32 : RILL_FP64);
}

/* In the middle of the box the liquid stands as high as it was set: below the first gas, with a drop on a
 * film of no gas between; and on what is solid there. */
Test(step_run, level_of_a_liquid)
{
    char name[IO_TEST_PATH];
    rill_geom *geom;
    strcpy(name, io_test_path("level.h5"));
    const struct {
        rill_liquid_shape shape;
        double depth, height, level;
        bool post; /* solid, 3 cells high */
    } all[] = {{RILL_LIQUID_POOL, 4.25, 0, 4.25, false},
               {RILL_LIQUID_DROP, 4.25, 11, 4.25, false},
               {RILL_LIQUID_POOL, 4.25, 0, 4.25, true},
               {RILL_LIQUID_POOL, 2, 0, 3, true}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        rill_free_surface_case c = drop_of(0, RILL_FP32, name);
        rill_free_surface_outcome out;
        c.shape = all[k].shape;
        c.depth = all[k].depth;
        c.height = all[k].height;
        c.gravity = c.speed = 0;
        c.steps = c.every = 0;
        cr_assert_eq(rill_geom_create(c.n, &geom), RILL_OK);
        for (size_t v = 0; v < rill_geom_voxels(geom); v++) {
            const size_t x = v % c.n[0], y = v / c.n[0] % c.n[1], z = v / c.n[0] / c.n[1];
            geom->voxels[v] =
                all[k].post && x == c.n[0] / 2 && y == c.n[1] / 2 && z < 3 ? RILL_SOLID : RILL_FLUID;
        }
        c.geom = geom;
        unlink(name);
        cr_assert_eq(rill_free_surface_run(&c, &out), RILL_OK, "%s", rill_error_message());
        rill_h5_file *file = NULL;
        double level = 0;
        const uint64_t one = 1;
        cr_assert_eq(rill_h5_open(name, &file), RILL_OK, "%s", rill_error_message());
        cr_assert_eq(rill_h5_read(file, "/series/liquid/level", RILL_H5_F64, 1, NULL, &one, &level), RILL_OK,
                     "%s", rill_error_message());
        rill_h5_close(file);
        cr_expect_float_eq(level, all[k].level, 1e-6, "%zu: %g", k, level);
        rill_geom_destroy(geom);
    }
}

/* Count rows, and keep the last. */
typedef struct rows {
    uint64_t count;
    rill_capsule_row last;
} rows;

static void note(void *context, const rill_capsule_row *row)
{
    rows *r = context;
    r->count++;
    r->last = *row;
}

static void capsule_is_resumed(int stream)
{
    char whole_name[IO_TEST_PATH], parts_name[IO_TEST_PATH];
    strcpy(whole_name, io_test_path("whole.h5"));
    strcpy(parts_name, io_test_path("parts.h5"));
    rill_capsule_case c = capsule_of(stream, whole_name);
    rill_capsule_outcome whole, parts;
    rows seen = {0};
    c.row = note;
    c.context = &seen;
    cr_assert_eq(rill_capsule_run(&c, &whole), RILL_OK, "%s", rill_error_message());
    cr_expect_eq(memcmp(&seen.last, &whole.last, sizeof whole.last), 0);
    cr_expect_gt(seen.count, 20, "20 rows in a unit of strain, of which there are 1.1");
    c.row = NULL;
    c.output = parts_name;
    c.keep.checkpoint = checkpoint;
    unlink(parts_name);
    rill_capsule_scales scales;
    cr_assert_eq(rill_capsule_scale(&c, &scales), RILL_OK);
    for (int k = 0; k < STOPS; k++) {
        double at = stops[k];
        c.progress = (rill_progress){stop, &at};
        c.keep.resume = k > 0;
        cr_assert_eq(rill_capsule_run(&c, &parts), RILL_CANCELLED);
        cr_expect_eq(stopped_behind_row(scales.plan.steps, scales.plan.every), k == 0,
                     "stop %d behind %g of the steps", k, stopped_at);
        expect_message("continue with --resume from");
    }
    c.progress = (rill_progress){NULL, NULL};
    cr_assert_eq(rill_capsule_run(&c, &parts), RILL_OK, "%s", rill_error_message());
    cr_expect_neq(access(checkpoint, F_OK), 0, "the checkpoint is still there");
    cr_expect_eq(memcmp(&parts.last, &whole.last, sizeof whole.last), 0);
    cr_expect_eq(parts.drift, whole.drift);
    cr_expect_eq(parts.steps, whole.steps);
    static const char *const series[] = {"/series/capsule/step", "/series/capsule/strain",
                                         "/series/capsule/deformation", "/series/capsule/centre_z",
                                         "/summary/drift"};
    for (size_t k = 0; k < sizeof series / sizeof *series; k++)
        expect_same(whole_name, parts_name, series[k]);
    for (uint64_t step = 0; step <= scales.plan.steps; step += scales.plan.every) {
        expect_same_step(step, "", "/VTKHDF/PointData/velocity");
        expect_same_step(step, ".membrane", "/VTKHDF/Points");
    }
}

Test(step_run, capsules_go_on_to_the_same_bits)
{
    for (int stream = 0; stream < 4; stream++) capsule_is_resumed(stream);
}

/* ---- refusals ---------------------------------------------------------------------------------- */

/* Leave a checkpoint of a drop. */
static rill_free_surface_case stopped(double at)
{
    rill_free_surface_case c = drop_of(0, RILL_FP32, NULL);
    rill_free_surface_outcome out;
    c.progress = (rill_progress){stop, &at};
    c.keep.checkpoint = checkpoint;
    cr_assert_eq(rill_free_surface_run(&c, &out), RILL_CANCELLED);
    c.progress = (rill_progress){NULL, NULL};
    c.keep.resume = true;
    return c;
}

Test(step_run, another_case_is_refused)
{
    const rill_free_surface_case c = stopped(0.5);
    rill_free_surface_outcome out;
    for (int k = 0; k < 7; k++) {
        rill_free_surface_case other = c;
        if (k == 0) other.tension *= 1 + 1e-15;
        if (k == 1) other.steps++;
        if (k == 2) other.walls[0] = true;
        if (k == 3) other.n[1]++;
        if (k == 4) other.stream = RILL_AA;
        if (k == 5) other.storage = RILL_FP64;
        if (k == 6) other.shape = RILL_LIQUID_POOL;
        cr_expect_eq(rill_free_surface_run(&other, &out), RILL_USAGE, "%d", k);
        expect_message("cannot continue from");
        cr_expect_eq(access(checkpoint, F_OK), 0, "%d: the checkpoint is gone", k);
    }
    rill_capsule_case capsule = capsule_of(0, NULL);
    rill_capsule_outcome shape;
    capsule.keep = c.keep;
    cr_expect_eq(rill_capsule_run(&capsule, &shape), RILL_USAGE);
    expect_message("cannot continue from");
    cr_expect_eq(access(checkpoint, F_OK), 0);
}

/* One that another run has left stays, where this run has not written it. */
Test(step_run, a_checkpoint_of_another_run_stays)
{
    rill_free_surface_case c = stopped(0.5);
    rill_free_surface_outcome out;
    c.keep.resume = false;
    cr_assert_eq(rill_free_surface_run(&c, &out), RILL_OK, "%s", rill_error_message());
    cr_expect_eq(access(checkpoint, F_OK), 0);
}

static void remark(void *context, rill_log_level level, const char *text)
{
    (void)level;
    snprintf(context, 512, "%s", text);
}

/* Overwrite 64 bytes in the middle of a file. */
static void damage(const char *path)
{
    FILE *file = fopen(path, "r+");
    cr_assert_not_null(file);
    fseek(file, 0, SEEK_END);
    fseek(file, ftell(file) / 2, SEEK_SET);
    for (int k = 0; k < 64; k++) fputc(0x5a, file);
    fclose(file);
}

/* A damaged checkpoint is refused, but where there is the one before it. */
Test(step_run, damage_is_found)
{
    char said[512] = "";
    rill_free_surface_case c = stopped(0.3);
    rill_free_surface_outcome whole, out;
    double later = 0.7;
    c.progress = (rill_progress){stop, &later};
    cr_assert_eq(rill_free_surface_run(&c, &out), RILL_CANCELLED);
    c.progress = (rill_progress){NULL, NULL};
    rill_free_surface_case all = c;
    all.keep = (rill_step_keep){.checkpoint = NULL};
    cr_assert_eq(rill_free_surface_run(&all, &whole), RILL_OK);
    damage(checkpoint);
    rill_log_to(remark, said);
    c.keep.stays = true;
    cr_assert_eq(rill_free_surface_run(&c, &out), RILL_OK, "%s", rill_error_message());
    rill_log_to(NULL, NULL);
    cr_expect_not_null(strstr(said, "going on from"), "%s", said);
    cr_expect(totals_same(&whole.last, &out.last));
    cr_expect(out.checkpoint_left);
    damage(io_test_path("kept.checkpoint.h5.previous"));
    cr_expect_eq(rill_free_surface_run(&c, &out), RILL_USAGE);
    expect_message("damaged");
}

/* What is in no state, and in no bubble: the sentence names the file. */
Test(step_run, forged_states_are_refused)
{
    static const struct {
        const char *part, *what;
        size_t at;
        unsigned char forged;
        bool closed;
    } forgeries[] = {{"states", "node 3 has state 7", 3, 7, false},
                     {"region of nodes", "is in bubble", 4 * 2000 + 2, 9, true},
                     {"regions of gas", "its bubbles have", 0, 0, true}};
    for (size_t k = 0; k < sizeof forgeries / sizeof *forgeries; k++) {
        rill_free_surface_outcome out;
        double at = 0.5;
        rill_free_surface_case c = drop_of(0, RILL_FP32, NULL);
        if (forgeries[k].closed) c.gas_pressure = 0.1;
        c.progress = (rill_progress){stop, &at};
        c.keep.checkpoint = checkpoint;
        cr_assert_eq(rill_free_surface_run(&c, &out), RILL_CANCELLED, "%s", rill_error_message());
        c.progress = (rill_progress){NULL, NULL};
        c.keep.resume = true;
        unsigned char forged = forgeries[k].forged;
        if (k < 2)
            forge_bytes(checkpoint, forgeries[k].part, forgeries[k].at, &forged, 1);
        else
            forge_length(checkpoint, forgeries[k].part, 1001);
        cr_expect_eq(rill_free_surface_run(&c, &out), RILL_USAGE);
        expect_message("cannot continue from ");
        expect_message("kept.checkpoint.h5: ");
        expect_message(forgeries[k].what);
        unlink(checkpoint);
    }
}

/* It is written now and then, too: here before each look for signals. */
Test(step_run, checkpoints_are_written_now_and_then)
{
    rill_free_surface_case c = drop_of(3, RILL_FP32, NULL);
    rill_free_surface_outcome out;
    c.keep = (rill_step_keep){.checkpoint = checkpoint, .every = 1e-9, .stays = true};
    cr_assert_eq(rill_free_surface_run(&c, &out), RILL_OK, "%s", rill_error_message());
    cr_expect(out.checkpoint_left);
    cr_expect_eq(access(checkpoint, F_OK), 0);
    c.keep.stays = false;
    cr_assert_eq(rill_free_surface_run(&c, &out), RILL_OK, "%s", rill_error_message());
    cr_expect_neq(access(checkpoint, F_OK), 0);
}
