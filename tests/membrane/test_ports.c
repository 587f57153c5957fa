/* SPDX-License-Identifier: Apache-2.0 */
/* Cells through openings: they leave at outlets, inlets bring as many as the haematocrit of the inflow asks
 * for, and a run that is stopped, or has other threads, has the same bits. */
#include "same_file.h"
#include "membrane/cells.h"
#include "vessel_case.h"

#include "core/status.h"
#include "message.h"

#include <omp.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A straight pipe of radius 7 um and a length of 36 um, along z, in a directory of its own. */
static void begin(void)
{
    char directory[] = "/tmp/rill-ports-XXXXXX";
    rill_mesh *mesh = NULL;
    rill_bend_options o = rill_bend_options_default();
    cr_assert_not_null(mkdtemp(directory));
    cr_assert_eq(chdir(directory), 0);
    o.angle = 0;
    o.radius = 7e-6;
    o.inlet = o.outlet = 18e-6;
    o.edge = 2e-6;
    cr_assert_eq(rill_generate_bend(&o, &mesh), RILL_OK, "%s", rill_error_message());
    vessel_voxelize(mesh, 1e-6, (const char *const[]){"0mm,0mm,0mm=in", "0mm,0mm,0.036mm=out", NULL});
}

static void case_write(const char *inlet, const char *cells, const char *duration)
{
    vessel_write(
        "c.yaml",
        "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 1 mPa.s}\n"
        "openings:\n  in: {kind: inlet, flow: 0.018 uL/s%s}\n  out: {kind: pressure, pressure: 0 Pa}\n"
        "cells: {shape: sphere, radius: 3 um, shear-modulus: 300 uN/m, %s}\n"
        "run: {duration: %s}\noutput: {every: 20 us, files-every: 40 us}\n",
        inlet, cells, duration);
}

/* Stop after some reports while steps are made. */
static bool stop(void *context, const rill_progress_moment *moment)
{
    int *left = context;
    if (strcmp(moment->what, "steps") != 0) return true;
    return --*left != 0;
}

typedef struct outcome {
    rill_status status;
    rill_cells_outcome of;
    double inflow, due,
        volume;     /* through the inlet: haematocrit, cells that are due, volume over that of a cell */
    uint32_t first; /* cells at the start */
} outcome;

static outcome case_run(const char *directory, bool resume, int reports)
{
    rill_cells_case c;
    rill_cells_plan p;
    outcome o;
    mkdir(directory, 0777);
    cr_assert_eq(rill_cells_read("c.yaml", &c), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_cells_plan_make(&c, RILL_BACKEND_CPU, (rill_progress){0}, &p), RILL_OK, "%s",
                 rill_error_message());
    o.status = rill_cells_run(
        &c, &p, &(rill_cells_options){.directory = directory, .resume = resume, .progress = {stop, &reports}},
        &o.of);
    for (int k = 0; k < p.ports.count; k++) {
        if (!p.ports.each[k].inlet) continue;
        o.inflow = rill_cells_inflow(&p, &o.of, k);
        o.due = rill_ports_due(&p.ports, k, o.of.steps);
        o.volume = rill_ports_through(&p.ports, k, o.of.steps) / p.ports.volume;
    }
    o.first = p.count;
    rill_cells_plan_free(&p);
    rill_cells_case_free(&c);
    return o;
}

static uint64_t sum_of(const uint64_t values[RILL_OPENINGS])
{
    uint64_t sum = 0;
    for (int k = 0; k < RILL_OPENINGS; k++) sum += values[k];
    return sum;
}

/* What came in has the haematocrit to half a cell, what is there is what came less what left, and the volume
 * is that of the flow. */
Test(ports, cells_come_and_go)
{
    begin();
    case_write("", "haematocrit: 0.08, seed: 4", "0.5 ms");
    const outcome o = case_run("r", false, 0);
    cr_assert_eq(o.status, RILL_OK, "%s", rill_error_message());
    const uint64_t entered = sum_of(o.of.through.entered), left = sum_of(o.of.through.left);
    cr_expect_geq(entered, 4);
    cr_expect_geq(left, 4);
    cr_expect_eq(o.of.count, o.first + entered - left);
    cr_expect_eq((double)entered, o.due, "%llu cells, %g due", (unsigned long long)entered, o.due);
    cr_expect_float_eq(o.inflow * o.volume, 0.08 * o.volume, 0.5001, "%g", o.inflow);
    /* 18e-12 m3/s for 0.5 ms, less half of the rise of 17 steps a voxel of 38 */
    const double volume = 18e-12 * (0.5e-3 - 17 * 38 / 2.0 * 0.5e-3 / (double)o.of.steps) / 110e-18;
    cr_expect_float_eq(o.volume / volume, 1, 0.05, "%g and %g cells", o.volume, volume);
    cr_expect_leq(o.of.volume, 1e-9, "%g", o.of.volume);
    cr_expect_float_eq(o.of.haematocrit, 0.08, 0.04);
}

/* Numbers of cells are not used again, and rows go with them: a cell moves along the pipe from row to row. */
Test(ports, numbers_stay)
{
    enum { MOST = 256 };
    double at[MOST] = {0};
    char line[1024];
    int cells = 0;
    begin();
    case_write(", haematocrit: 0.1", "positions: [[0 um, 0 um, 24 um]]", "0.3 ms");
    const outcome o = case_run("r", false, 0);
    cr_assert_eq(o.status, RILL_OK, "%s", rill_error_message());
    FILE *rows = fopen("r/cells.csv", "r");
    cr_assert_not_null(rows);
    cr_assert_not_null(fgets(line, sizeof line, rows));
    while (fgets(line, sizeof line, rows)) {
        double step, time, cell, x[3];
        cr_assert_eq(sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf", &step, &time, &cell, &x[0], &x[1], &x[2]), 6);
        cr_assert(cell >= 1 && cell < MOST);
        if (at[(int)cell] > 0)
            cr_expect_gt(x[2], at[(int)cell] - 1e-9, "cell %g", cell);
        else
            cells++;
        cr_expect(x[2] > 5e-6 && x[2] < 32e-6, "cell %g at %g", cell, x[2]);
        at[(int)cell] = x[2];
    }
    fclose(rows);
    cr_expect_geq(cells, 4);
    cr_expect_eq((uint64_t)cells, 1 + sum_of(o.of.through.entered));
}

Test(ports, bits_after_a_stop_and_for_threads)
{
    begin();
    case_write("", "haematocrit: 0.1", "0.28 ms");
    omp_set_num_threads(1);
    const outcome all = case_run("a", false, 0);
    cr_assert_eq(all.status, RILL_OK, "%s", rill_error_message());
    cr_expect_geq(sum_of(all.of.through.entered), 3);
    cr_expect_geq(sum_of(all.of.through.left), 2);
    cr_expect_eq(case_run("b", false, 14).status, RILL_CANCELLED);
    cr_expect_eq(access("b/checkpoint.h5", F_OK), 0);
    omp_set_num_threads(3);
    const outcome rest = case_run("b", true, 0);
    cr_assert_eq(rest.status, RILL_OK, "%s", rill_error_message());
    cr_expect_eq(memcmp(&all.of.through, &rest.of.through, sizeof all.of.through), 0);
    expect_same_file("a/cells.csv", "b/cells.csv");
    expect_same_file("a/cells.vtp.series", "b/cells.vtp.series");
}

/* A case whose inlet brings another haematocrit is another case. */
Test(ports, another_inflow_is_another_case)
{
    begin();
    case_write("", "haematocrit: 0.1", "0.1 ms");
    cr_expect_eq(case_run("r", false, 4).status, RILL_CANCELLED);
    case_write(", haematocrit: 0.09", "haematocrit: 0.1", "0.1 ms");
    cr_expect_eq(case_run("r", true, 0).status, RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "another case"), "%s", rill_error_message());
}

static void refused(const char *word)
{
    rill_cells_case c = {0};
    rill_cells_plan p = {0};
    rill_status status = rill_cells_read("c.yaml", &c);
    if (status == RILL_OK) status = rill_cells_plan_make(&c, RILL_BACKEND_CPU, (rill_progress){0}, &p);
    cr_expect_eq(status, RILL_USAGE, "%s", word);
    cr_expect_not_null(strstr(rill_error_message(), word), "\"%s\" lacks \"%s\"", rill_error_message(), word);
    rill_cells_plan_free(&p);
    rill_cells_case_free(&c);
}

Test(ports, refusals)
{
    static const struct {
        const char *openings, *cells, *part;
    } all[] = {
        {"", "haematocrit: 0.1", "openings says nothing of"},
        {"openings: {in: {kind: inlet, flow: 1 nL/s}}\n", "haematocrit: 0.1",
         "openings says nothing of \"out\""},
        {"openings: {in: {kind: inlet, flow: 1 nL/s}, out: {kind: wall}}\n", "haematocrit: 0.1",
         "no opening is an outlet"},
        {"openings: {inn: {kind: inlet, flow: 1 nL/s}, out: {kind: pressure, pressure: 0 Pa}}\n",
         "haematocrit: 0.1", "did you mean \"in\""},
        {"openings: {in: {kind: inlet, flow: 1 nL/s, pressure: 0 Pa}, out: {kind: wall}}\n",
         "haematocrit: 0.1", "pressure"},
        {"openings: {in: {flow: 1 nL/s}}\n", "haematocrit: 0.1", "lacks the key \"kind\""},
        {"openings: {in: {kind: inlet, flow: 1 mL/s}, out: {kind: pressure, pressure: 0 Pa}}\nrun: {duration: 1 ms, time-step: 0.1 us}\n",
         "haematocrit: 0.1", "would come in at"},
        {"openings: {in: {kind: inlet, flow: 1 nL/s}, out: {kind: pressure, pressure: 0 Pa}}\nflow: {shear-rate: 1 s-1}\n",
         "haematocrit: 0.1", "leave out the section flow"},
        {"openings: {in: {kind: inlet, flow: 1 nL/s}, out: {kind: pressure, pressure: 0 Pa}}\n",
         "positions: [[0 um, 0 um, 3 um]]", "cell 1 is less than"}};
    begin();
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        vessel_write("c.yaml",
                     "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 1 mPa.s}\n%s"
                     "cells: {shape: sphere, radius: 3 um, shear-modulus: 300 uN/m, %s}\n%s",
                     all[k].openings, all[k].cells,
                     strstr(all[k].openings, "run:") ? "" : "run: {duration: 1 ms}\n");
        refused(all[k].part);
    }
    vessel_write(
        "c.yaml",
        "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 1 mPa.s}\n"
        "openings: {in: {kind: inlet, flow: 1 nL/s, haematocrit: 0.1}, out: {kind: pressure, pressure: 0 Pa}}\n"
        "cells: {shape: sphere, radius: 6 um, shear-modulus: 300 uN/m}\n"
        "run: {duration: 1 ms}\n");
    refused("no cell finds room");
}
