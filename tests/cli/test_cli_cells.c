/* SPDX-License-Identifier: Apache-2.0 */
/* rill check and rill run with `cells` in the case file: files, messages and exit codes. */
#include "cli_test.h"

#include <sys/statvfs.h>

TestSuite(cells, .init = cli_test_start, .fini = cli_test_end);

#define FLUID "geometry: b.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 1 mPa.s}\n"
#define CELL "shape: sphere, radius: 4 um, shear-modulus: 5 uN/m"

static void case_write(const char *flow, const char *cells, const char *run, const char *output)
{
    FILE *file = fopen("c.yaml", "w");
    fprintf(file, FLUID "%scells: {%s}\nrun: {%s}\n%s", flow, cells, run, output);
    fclose(file);
}

static void geometry_make(const char *sides)
{
    const cli_result r = cli_test_run("generate", "box", "--size", "14,12,14", "--voxel-size", "1um",
                                      "--sides", sides, "-q", "--overwrite", "-o", "b.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
}

Test(cells, a_capsule_between_plates)
{
    geometry_make("periodic,periodic,wall");
    case_write("flow: {shear-rate: 1000 s-1}\n", CELL ", law: neo-hookean, positions: [[7 um, 6 um, 7 um]]",
               "duration: 60 us", "output: {every: 20 us, files-every: 30 us, fields: yes}\n");
    const cli_result check = cli_test_run("check", "c.yaml", "--json", "p.json");
    cr_assert_eq(check.code, 0, "%s", check.err);
    cr_expect_not_null(strstr(check.out, "memory"), "%s", check.out);
    const cli_result dry = cli_test_run("run", "c.yaml", "--dry-run", "-o", "r");
    cr_assert_eq(dry.code, 0, "%s", dry.err);
    cr_expect(!cli_test_exists("r"));
    const cli_result r = cli_test_run("run", "c.yaml", "-o", "r");
    cr_assert_eq(r.code, 0, "%s", r.err);
    static const char *const files[] = {"r/cells.csv",        "r/run.h5",      "r/summary.json",
                                        "r/cells.vtp.series", "r/cells.0.vtp", "r/flow.0.vtkhdf"};
    for (int k = 0; k < 6; k++) cr_expect(cli_test_exists(files[k]), "%s", files[k]);
    cr_expect(!cli_test_exists("r/checkpoint.h5"));
    char csv[1 << 14];
    cli_test_slurp("r/cells.csv", csv, sizeof csv);
    int rows = 0;
    for (const char *at = csv; (at = strchr(at, '\n')); at++) rows++;
    cr_expect_eq(rows, 6, "a heading, and rows at 0, 20, 30 (with a file), 40 and 60 us: %s", csv);
    /* the last row: drawn out, and more so than at first; along x above the middle, against it below */
    double step, time, cell, x[3], velocity[3], deformation, inclination;
    const char *last = csv;
    for (int k = 1; k < rows; k++) last = strchr(last, '\n') + 1;
    cr_assert_eq(sscanf(last, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &step, &time, &cell, &x[0],
                        &x[1], &x[2], &velocity[0], &velocity[1], &velocity[2], &deformation, &inclination),
                 11);
    cr_expect_float_eq(time, 60e-6, 1e-6);
    cr_expect_float_eq(x[2], 7e-6, 1e-9);
    cr_expect_gt(deformation, 0.005);
    cr_expect(inclination > 25 && inclination < 50, "%g", inclination);
    const cli_result info = cli_test_run("info", "r/run.h5");
    cr_expect_eq(info.code, 0, "%s", info.err);
}

Test(cells, refusals)
{
    geometry_make("periodic");
    static const struct {
        const char *flow, *cells, *run, *part;
    } all[] = {
        {"", CELL, "duration: 1 ms", "neither a haematocrit nor positions"},
        {"", CELL ", haematocrit: 0.1, positions: [[7 um, 6 um, 7 um]]", "duration: 1 ms",
         "give one of them"},
        {"", CELL ", haematocrit: 0.001", "duration: 1 ms", "less than one cell"},
        {"", CELL ", haematocrit: 0.9", "duration: 1 ms", "do not find room"},
        {"", CELL ", positions: [[7 um, 6 um, 7 um], [7 um, 6 um, 12 um]]", "duration: 1 ms",
         "cells 1 and 2 are less than"},
        {"", CELL ", positions: [[7 um, 6 um, 1 m]]", "duration: 1 ms", "outside of the geometry"},
        {"flow: {body-force: [1e12 N/m3, 0 N/m3, 0 N/m3]}\n", CELL ", haematocrit: 0.1", "duration: 1 ms",
         "set run.time-step to"},
        {"flow: {shear-rate: 10 s-1}\n", CELL ", haematocrit: 0.1", "duration: 1 ms", "--sides periodic"},
        {"", CELL ", haematocrit: 0.1", "duration: 1 ms, time-step: 1 ms", "relaxation time"},
        {"", "shape: sphere, radius: 4 um, shear-modulus: 5 N/m, haematocrit: 0.1",
         "duration: 1 ms, time-step: 10 ns", "too stiff"},
        {"", "shape: sphere, radius: 1 um, shear-modulus: 5 uN/m, haematocrit: 0.1", "duration: 1 ms",
         "too few to resolve"},
        {"", "shape: sphere, radius: 6 um, shear-modulus: 5 uN/m, haematocrit: 0.1", "duration: 1 ms",
         "make the geometry larger"},
        {"", CELL ", law: neo-hookean, dilatation: 2, haematocrit: 0.1", "duration: 1 ms", "has no effect"},
        {"", CELL ", haematocrite: 0.1", "duration: 1 ms", "did you mean \"haematocrit\""},
        {"", CELL ", haematocrit: 0.1", "duration: 1e5 s, time-step: 1 ns", "shorten run.duration"}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        case_write(all[k].flow, all[k].cells, all[k].run, "");
        cli_test_fails(1, all[k].part, "check", "c.yaml");
        cr_expect(!cli_test_exists("r"));
    }
    case_write("", CELL ", haematocrit: 0.1", "duration: 1 us", "");
    cli_test_fails(1, "on one device", "run", "c.yaml", "--ranks", "2", "-o", "r");
    cli_test_fails(1, "leave out --error-bar", "run", "c.yaml", "--error-bar", "-o", "r");
    cli_test_fails(3, "memory", "check", "c.yaml", "--memory", "100KiB");
    cli_test_fails(1, "section", "check", "--schema", "vessels");
    const cli_result schema = cli_test_run("check", "--schema", "cells");
    cr_expect_eq(schema.code, 0, "%s", schema.err);
    cr_expect_not_null(strstr(schema.out, "haematocrit"));
    const cli_result plain =
        cli_test_run("generate", "box", "--size", "14", "-q", "--overwrite", "-o", "b.geom.h5");
    cr_assert_eq(plain.code, 0);
    cli_test_fails(1, "has no voxel size", "check", "c.yaml");
}

/* Membranes take more than the directory has free: the run is refused before its first step. */
Test(cells, files_without_room)
{
    struct statvfs disk;
    const char *const base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : ".";
    char directory[64], out[80];
    snprintf(directory, sizeof directory, "%s/rill-cells-XXXXXX", base);
    cr_assert_not_null(mkdtemp(directory));
    snprintf(out, sizeof out, "%s/r", directory);
    const cli_result box =
        cli_test_run("generate", "box", "--size", "46", "--voxel-size", "1um", "-q", "-o", "b.geom.h5");
    cr_assert_eq(box.code, 0, "%s", box.err);
    case_write("", "shape: sphere, radius: 20 um, shear-modulus: 1 uN/m, positions: [[23 um, 23 um, 23 um]]",
               "duration: 10 ms, time-step: 100 ns", "output: {files-every: 100 ns}\n");
    const cli_result check = cli_test_run("check", "c.yaml", "--json", "p.json");
    cr_assert_eq(check.code, 0, "%s", check.err);
    cr_assert_eq(statvfs(directory, &disk), 0);
    const double spare = (double)disk.f_bavail * (double)disk.f_frsize,
                 files = 1e5 * (24 * 10242.0 + 20 * 20480.0);
    if (spare < files) {
        cli_test_fails(3, "files of cells and checkpoints take", "run", "c.yaml", "-q", "-o", out);
        cr_expect(!cli_test_exists(out));
    } else
        cr_log_warn("%s has more than %g bytes free: not tested", directory, files);
    rmdir(directory);
}

/* What drives the flow is too much for a lattice: the run says so, and leaves no results. */
Test(cells, too_fast)
{
    geometry_make("periodic");
    case_write("flow: {body-force: [100 MPa/m, 0 Pa/m, 0 Pa/m]}\n", CELL ", haematocrit: 0.1",
               "duration: 1 ms", "");
    cli_test_fails(2, "Mach number", "run", "c.yaml", "-q", "-o", "r");
    cr_expect(!cli_test_exists("r/cells.csv"));
}
