/* SPDX-License-Identifier: Apache-2.0 */
/* Every long function of the library is cancelled at each of its reports, the first one included: it returns
 * RILL_CANCELLED, reports no more, and leaves neither memory (the sanitizers see to that) nor files. */
#include "core/sanitized.h"
#include "surfaces.h"
#include "vessel_case.h"

#include "core/progress.h"
#include "geometry/image/voxelize.h"
#include "io/fields.h"
#include "own_clock.h"
#include "planned.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <hdf5_hl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(progress, .init = files_start, .fini = files_end);

/* Cancels at the call with this number; 0: never. */
typedef struct canceller {
    int at, calls;
    bool flows;                   /* calls before the first step do not count */
    bool permeability, run, part; /* what moments brought along */
} canceller;

static bool cancel(void *context, const rill_progress_moment *m)
{
    canceller *c = context;
    cr_assert(m->what && m->what[0] && m->detail && m->fraction <= 1);
    c->permeability = c->permeability || m->permeability;
    c->run = c->run || m->run;
    c->part = c->part || m->part >= 0;
    if (c->flows && !m->permeability) return true;
    cr_assert(c->at == 0 || c->calls < c->at, "a report after the work was cancelled: %s", m->what);
    return ++c->calls != c->at;
}

/* Files of a directory, without those that tests made. */
static int files_of(const char *path)
{
    int count = 0;
    DIR *directory = opendir(path);
    cr_assert_not_null(directory);
    for (const struct dirent *e; (e = readdir(directory));) count += e->d_name[0] != '.';
    closedir(directory);
    return count;
}

/* Do some work to its end, then cancel it at the first, and at every `stride`-th report. */
static int cancel_everywhere(rill_status (*work)(rill_progress), int stride)
{
    canceller all = {.at = 0};
    const int before = files_of(".");
    cr_assert_eq(work((rill_progress){cancel, &all}), RILL_OK, "%s", rill_error_message());
    for (int at = 1; at <= all.calls; at += stride) {
        canceller one = {.at = at};
        cr_assert_eq(work((rill_progress){cancel, &one}), RILL_CANCELLED, "report %d of %d", at, all.calls);
        cr_assert_eq(one.calls, at);
        cr_assert_not_null(strstr(rill_error_message(), "cancelled"), "%s", rill_error_message());
        cr_assert_eq(files_of("."), before);
    }
    return all.calls;
}

static rill_status image(rill_progress progress)
{
    rill_geom *geom = NULL;
    rill_voxelize_options o = rill_voxelize_options_default();
    o.keep = RILL_KEEP_ALL;
    o.pore_count = 1; /* 0 */
    o.image.type = RILL_GREY_U8;
    for (int a = 0; a < 3; a++) o.image.n[a] = 110;
    const rill_status status = rill_image_voxelize("i.raw", &o, progress, &geom, NULL);
    cr_assert_eq(geom != NULL, status == RILL_OK);
    rill_geom_destroy(geom);
    return status;
}

/* Large enough for several threads. */
Test(progress, images)
{
    static uint8_t grey[110 * 110 * 110];
    for (size_t k = 0; k < sizeof grey; k++) grey[k] = k * 2654435761u >> 20 & 1;
    files_write("i.raw", grey, sizeof grey);
    cr_assert_gt(cancel_everywhere(image, 3), 30);
}

static rill_status surface(rill_progress progress)
{
    rill_geom *geom = NULL;
    const rill_surface_options o = per_millimetre(0.2);
    const rill_status status = rill_surface_voxelize("a.stl", &o, progress, &geom, NULL);
    cr_assert_eq(geom != NULL, status == RILL_OK);
    rill_geom_destroy(geom);
    return status;
}

Test(progress, surfaces)
{
    shape s = shape_new();
    shape_tube(&s, 1, 3, 6, 24);
    shape_cap(&s, 0, 24, false, SHAPE_FAN);
    shape_cap(&s, 5 * 24, 24, true, SHAPE_FAN);
    shape_write_stl(&s, "a.stl");
    shape_free(&s);
    cr_assert_gt(cancel_everywhere(surface, 1), 3);
}

/* A channel through a box, and a pore that leads nowhere. */
static rill_geom *channel(void)
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create((const uint32_t[3]){24, 12, 12}, &geom), RILL_OK);
    for (uint32_t z = 3; z < 9; z++)
        for (uint32_t y = 3; y < 9; y++) memset(geom->voxels + 24 * (y + 12 * z), RILL_FLUID, 24);
    geom->voxels[5 + 24 * (1 + 12)] = RILL_FLUID;
    return geom;
}

static rill_permeability_options along_x(rill_progress progress)
{
    rill_permeability_options o = rill_permeability_options_default();
    o.axis = 0;
    o.on.backend = RILL_BACKEND_CPU;
    o.acceleration = RILL_ACCELERATION_NONE;
    o.tau = 0.51;
    o.progress = progress;
    return o;
}

static rill_status planning(rill_progress progress)
{
    rill_geom *geom = channel();
    rill_permeability_options o = along_x(progress);
    rill_permeability_plan plan;
    o.progress_seconds = 1e9; /* without those that come by time */
    const rill_status status = planned(geom, &o, &plan);
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(geom);
    return status;
}

Test(progress, planning_a_permeability) { cr_assert_gt(cancel_everywhere(planning, 1), 2); }

static rill_status numbering(rill_progress progress)
{
    rill_geom *geom = channel();
    rill_domain *domain = NULL;
    const rill_domain_options o = {.lattice = RILL_D3Q19, .flow_axis = -1, .progress = progress};
    const rill_status status = rill_domain_create(geom, &o, &domain);
    cr_assert_eq(domain != NULL, status == RILL_OK);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
    return status;
}

Test(progress, numbering) { cr_assert_geq(cancel_everywhere(numbering, 1), 2); }

/* Plans without reports, and computes until the report with a number. */
static rill_status computing(canceller *c, rill_permeability *out)
{
    rill_geom *geom = channel();
    rill_permeability_plan plan;
    rill_permeability_options o = along_x((rill_progress){0});
    o.tolerance = 1e-13; /* for long */
    o.max_steps = 1000000000;
    o.progress_seconds = 0;
    cr_assert_eq(planned(geom, &o, &plan), RILL_OK, "%s", rill_error_message());
    o.progress = (rill_progress){cancel, c};
    const rill_status status = rill_permeability_compute(geom, &o, &plan, out);
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(geom);
    return status;
}

Test(progress, computing_a_permeability)
{
    rill_permeability out;
    for (int at = 1; at <= 3; at += 2) {
        canceller c = {.at = at, .flows = true};
        cr_assert_eq(computing(&c, &out), RILL_CANCELLED);
        cr_assert(c.permeability && c.calls == at);
        cr_assert(out.run_count == 1 && !out.converged && !out.kept && isnan(out.k[0][0]));
        cr_assert_gt(out.runs[0].steps, 0);
        rill_permeability_free(&out);
    }
}

/* Computes k of a duct in 16 bits, until the report with a number. */
static rill_status rounding(canceller *c, rill_permeability *out)
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create((const uint32_t[3]){2, 3, 2}, &geom), RILL_OK);
    memset(geom->voxels, RILL_SOLID, rill_geom_voxels(geom));
    for (uint32_t i = 0; i < 2; i++) memset(geom->voxels + 6 * i, RILL_FLUID, 2);
    geom->porosity = (rill_porosity){-1, -1, {-1, -1, -1}};
    rill_permeability_options o = along_x((rill_progress){0});
    rill_permeability_plan plan;
    o.tau = 1;
    o.variant.storage = RILL_FP16S;
    o.progress_seconds = 0;
    cr_assert_eq(planned(geom, &o, &plan), RILL_OK, "%s", rill_error_message());
    o.progress = (rill_progress){cancel, c};
    const rill_status status = rill_permeability_compute(geom, &o, &plan, out);
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(geom);
    return status;
}

/* States that were not reached counted as such without flow. */
Test(progress, rounding_of_16_bits_that_was_cut_short_leaves_k)
{
    rill_permeability out;
    canceller all = {.flows = true};
    cr_assert_eq(rounding(&all, &out), RILL_OK, "%s", rill_error_message());
    const double k = out.k[0][0];
    rill_permeability_free(&out);
    for (int before = 5; before < 60; before += 25) { /* of the last steps, in which rounding is seen */
        canceller c = {.at = all.calls - before, .flows = true};
        cr_assert_eq(rounding(&c, &out), RILL_CANCELLED);
        const rill_permeability_flow *run = &out.runs[0];
        cr_expect_float_eq(run->k[0], k, 2e-3 * k, "%d before the end: %.9g of %.9g", before, run->k[0], k);
        cr_expect(!run->converged && isinf(run->tortuosity_uncertainty));
        rill_permeability_free(&out);
    }
}

/* From the first array that is allocated to the result, with a pore network beside. */
static rill_status setting_up(rill_progress progress)
{
    rill_geom *geom = channel();
    rill_permeability_plan plan;
    rill_permeability out;
    rill_permeability_options o = along_x((rill_progress){0});
    o.tau = 0;
    o.acceleration = RILL_ACCELERATION_NETWORK;
    o.progress_seconds = 0;
    cr_assert_eq(planned(geom, &o, &plan), RILL_OK, "%s", rill_error_message());
    o.progress = progress;
    const rill_status status = rill_permeability_compute(geom, &o, &plan, &out);
    rill_permeability_free(&out);
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(geom);
    return status;
}

Test(progress, setting_up_a_flow)
{
    int at = 1;
    for (;; at++) {
        canceller c = {.at = at};
        const rill_status status = setting_up((rill_progress){cancel, &c});
        if (c.permeability) break; /* the first step */
        cr_assert_eq(status, RILL_CANCELLED, "report %d", at);
        cr_assert_eq(c.calls, at);
        cr_assert_str_eq(rill_error_message(), "cancelled: setting up the flow");
    }
    cr_assert_gt(at, 10);
}

static bool count(void *context, const rill_progress_moment *m)
{
    int *left = context;
    cr_assert_not_null(m->what);
    return (*left)-- > 0;
}

/* The innermost watch is asked, until it cancels: then it is not asked again, and its polls all say so. */
Test(progress, watches_of_a_thread)
{
    int outer_left = 3, inner_left = 1, nodes = 0;
    rill_progress_watch outer, inner, none;
    cr_assert_eq(rill_progress_poll(), RILL_OK);
    cr_assert(rill_progress_goes_on(rill_progress_here()));
    rill_progress_watch_begin(&outer, (rill_progress){count, &outer_left}, 0, "outer work");
    cr_assert_eq(rill_progress_poll(), RILL_OK);
    rill_progress_watch_begin(&none, (rill_progress){NULL, NULL}, 0, "silent work");
    rill_progress_watch_begin(&inner, (rill_progress){count, &inner_left}, 0, "inner work");
    cr_assert_eq(rill_progress_poll(), RILL_OK);
    for (int k = 0; k < 3; k++) cr_assert_eq(rill_progress_poll(), RILL_CANCELLED);
    cr_assert_str_eq(rill_error_message(), "cancelled: inner work");
    cr_assert(inner_left == -1 && outer_left == 2);
    rill_progress_watch_end(&inner);
    rill_progress_watch_end(&none);
    rill_progress_watch *watch = rill_progress_here();
#pragma omp parallel for reduction(+ : nodes)
    for (int k = 0; k < 100000; k++) nodes += rill_progress_goes_on(watch);
    cr_assert_lt(nodes, 100000);
    cr_assert_eq(outer_left, -1, "asked again after it cancelled");
    cr_assert_eq(rill_progress_poll(), RILL_CANCELLED);
    rill_progress_watch_end(&outer);
    cr_assert_eq(rill_progress_poll(), RILL_OK);
}

Test(progress, error_bars)
{
    rill_geom *geom = channel(), *plain = channel();
    rill_permeability_plan plan;
    rill_permeability result;
    rill_error_bar_plan further;
    rill_error_bar bar;
    rill_permeability_options o = along_x((rill_progress){0});
    o.tau = 0;
    o.tolerance = 0.02;
    cr_assert_eq(planned(plain, &o, &plan), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_error_bar_plan_make(geom, &o, &plan, &(rill_error_bar_options){0}, &further), RILL_OK,
                 "%s", rill_error_message());
    cr_assert_eq(rill_permeability_compute(plain, &o, &plan, &result), RILL_OK, "%s", rill_error_message());
    for (int at = 1; at < 10; at += 4) {
        canceller c = {.at = at};
        const rill_error_bar_options wanted = {.progress = {cancel, &c}};
        cr_assert_eq(rill_error_bar_compute(geom, &o, &result, &further, &wanted, &bar), RILL_CANCELLED);
        cr_assert(c.calls == at && c.part);
        cr_assert_not_null(strstr(rill_error_message(), "part"), "%s", rill_error_message());
    }
    rill_permeability_free(&result);
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(plain);
    rill_geom_destroy(geom);
}

static rill_status zero(void *context, rill_node first, rill_node count, double *rho, double *u)
{
    (void)context;
    (void)first;
    memset(rho, 0, count * sizeof *rho);
    memset(u, 0, 3 * (size_t)count * sizeof *u);
    return RILL_OK;
}

static rill_status writing(rill_progress progress)
{
    rill_geom *geom = channel();
    rill_fields fields = rill_fields_default();
    fields.geom = geom;
    fields.moments = zero;
    fields.progress = progress;
    const rill_status status = rill_fields_write(&fields, RILL_FIELDS_IMAGE, "f.vtkhdf");
    if (status == RILL_OK) cr_assert(unlink("f.vtkhdf") == 0 && unlink("f.xmf") == 0);
    rill_geom_destroy(geom);
    return status;
}

Test(progress, fields) { cr_assert_geq(cancel_everywhere(writing, 1), 1); }

#define CASE                                                                                                 \
    "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\n"                                \
    "openings:\n  in: {kind: inlet, flow: 0.3 mL/s, profile: flat}\n"                                        \
    "  out: {kind: pressure, pressure: 10 mmHg}\n"                                                           \
    "run: {mach: 0.02, soft-start: 0.1 s}\noutput: {slices: no, checkpoint-every: 0 s}\n"

static rill_status run(canceller *c, bool resume, rill_run_result *result)
{
    vessel_run r = {0};
    const rill_case_plan_options options = {.on.backend = RILL_BACKEND_CPU, .resume = resume ? "out" : NULL};
    const rill_run_options how = {.directory = "out", .resume = resume, .progress = {cancel, c}};
    cr_assert_eq(rill_case_read("v.yaml", &r.given), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_geom_read(rill_case_geometry(r.given), &r.geom), RILL_OK);
    cr_assert_eq(rill_case_plan_make(r.given, r.geom, &options, &r.plan), RILL_OK, "%s",
                 rill_error_message());
    cr_assert_eq(rill_vessel_create(r.given, r.geom, &r.plan, &r.vessel), RILL_OK, "%s",
                 rill_error_message());
    const rill_status status = rill_case_run(r.vessel, &how, result);
    vessel_free(&r);
    return status;
}

Test(progress, planning_and_setting_up_a_vessel)
{
    vessel_pipe(0.4e-3, 0);
    vessel_write("v.yaml", CASE);
    for (int plans = 0; plans < 2; plans++) {
        vessel_run r = {0};
        canceller c = {.at = 1};
        const rill_progress progress = {cancel, &c}, none = {0};
        const rill_case_plan_options options = {.on.backend = RILL_BACKEND_CPU,
                                                .progress = plans ? progress : none};
        cr_assert_eq(rill_case_read("v.yaml", &r.given), RILL_OK, "%s", rill_error_message());
        cr_assert_eq(rill_geom_read(rill_case_geometry(r.given), &r.geom), RILL_OK);
        rill_status status = rill_case_plan_make(r.given, r.geom, &options, &r.plan);
        cr_assert_eq(status, plans ? RILL_CANCELLED : RILL_OK, "%s", rill_error_message());
        r.plan.progress = progress;
        if (!plans) status = rill_vessel_create(r.given, r.geom, &r.plan, &r.vessel);
        cr_assert(status == RILL_CANCELLED && !r.vessel && c.calls == 1);
        cr_assert_str_eq(rill_error_message(),
                         plans ? "cancelled: planning the vessel" : "cancelled: setting up the vessel");
        vessel_free(&r);
    }
}

/* Read the rows of the monitor: how many there are, and their mass balance. */
static size_t monitor_read(double balance[], size_t most)
{
    hsize_t rows = 0;
    const hid_t file = H5Fopen("out/run.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    cr_assert_geq(file, 0);
    cr_assert_geq(H5LTget_dataset_info(file, "/series/monitor/balance", &rows, NULL, NULL), 0);
    cr_assert(rows > 0 && rows <= most, "%llu rows", (unsigned long long)rows);
    cr_assert_geq(H5LTread_dataset_double(file, "/series/monitor/balance", balance), 0);
    H5Fclose(file);
    return (size_t)rows;
}

/* A run that is stopped again and again has the rows of an undisturbed one: also where the next row of the
 * monitor comes before one of the openings. */
Test(progress, a_vessel_that_stops_often_has_the_same_monitor, .disabled = SANITIZED)
{
    enum { MOST = 4096 };
    static double expected[MOST], found[MOST];
    rill_run_result result;
    vessel_pipe(0.4e-3, 0);
    vessel_write("v.yaml", CASE);
    cr_assert_eq(mkdir("out", 0777), 0);
    canceller never = {.at = 0};
    cr_assert_eq(run(&never, false, &result), RILL_OK, "%s", rill_error_message());
    const size_t rows = monitor_read(expected, MOST);
    for (int stops = 0; stops < 80; stops++) { /* the second report follows the first row of the openings */
        canceller c = {.at = 2};
        cr_assert_eq(run(&c, stops > 0, &result), RILL_CANCELLED);
        cr_assert_gt(result.steps, result.resumed);
    }
    cr_assert_eq(run(&never, true, &result), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(monitor_read(found, MOST), rows);
    cr_assert_arr_eq(found, expected, rows * sizeof *found);
}

/* At first there is nothing; later there is a checkpoint and nothing else, from which the run goes on. */
Test(progress, vessels, .disabled = SANITIZED)
{
    rill_run_result result;
    canceller first = {.at = 1}, middle = {.at = 3}, again = {.at = 2}, never = {.at = 0};
    vessel_pipe(0.4e-3, 0);
    vessel_write("v.yaml", CASE);
    cr_assert_eq(mkdir("out", 0777), 0);
    cr_assert_eq(run(&first, false, &result), RILL_CANCELLED);
    cr_assert(result.end == RILL_RUN_CANCELLED && result.steps == 0);
    cr_assert_eq(files_of("out"), 0);
    cr_assert_eq(run(&middle, false, &result), RILL_CANCELLED);
    cr_assert(middle.run && result.end == RILL_RUN_CANCELLED && result.steps > 0);
    cr_assert_eq(files_of("out"), 1);
    cr_assert_eq(access("out/checkpoint.h5", F_OK), 0);
    const uint64_t made = result.steps;
    cr_assert_eq(run(&again, true, &result), RILL_CANCELLED);
    cr_assert(result.resumed == made && result.steps > made);
    cr_assert_eq(run(&never, true, &result), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(access("out/run.h5", F_OK), 0);
}
