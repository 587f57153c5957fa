/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of rill run share: a small pipe, its cases, and files compared. */
#ifndef TESTS_CLI_RUN_PIPE_H
#define TESTS_CLI_RUN_PIPE_H

#include "cli_test.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static inline void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fputs(text, file);
    cr_assert_eq(fclose(file), 0);
}

/* A straight pipe of radius 1 mm, 9 cells across, along z. */
static inline void begin(void)
{
    cli_test_start();
    cr_assert_eq(setenv("OMP_NUM_THREADS", "1", 1), 0);
    cli_result r = cli_test_run("generate", "bend", "--radius", "1mm", "--angle", "0", "--inlet", "2mm",
                                "--outlet", "2mm", "--edge", "0.15mm", "-q", "-o", "p.stl");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("voxelize", "p.stl", "--units", "mm", "--dx", "0.22mm", "--name", "0mm,0mm,0mm=in",
                     "--name", "0mm,0mm,4mm=out", "-o", "p.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    write_file("wave.csv", "time [ms], flow [mL/s]\n0, 0.1\n10, 0.25\n20, 0.1\n30, 0.05\n40, 0.1\n");
}

#define FLUID "geometry: p.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\n"
#define STEADY                                                                                               \
    FLUID "openings:\n  in: {kind: inlet, flow: 0.1 mL/s, profile: parabolic}\n"                             \
          "  out: {kind: pressure, pressure: 0 Pa}\nrun: {mach: 0.1, tolerance: 0.002}\n"
#define PULSE                                                                                                \
    FLUID "openings:\n  in: {kind: inlet, waveform: wave.csv}\n"                                             \
          "  out: {kind: windkessel, proximal: 1e7 Pa.s/m3, distal: 4e7 Pa.s/m3, compliance: 2e-10 m3/Pa}\n"
#define OUTPUT                                                                                               \
    "output: {snapshots: 2, fields: yes, probes: {mid: [0 mm, 0 mm, 2 mm]}, planes: {half: {centre: [0 mm, " \
    "0 mm, 2 mm], "                                                                                          \
    "normal: [0, 0, 1]}}}\n"

static inline json_t *json_of(const char *path)
{
    json_t *json = json_load_file(path, 0, NULL);
    cr_assert(json, "%s", path);
    return json;
}

static inline double number(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);
    cr_assert(json_is_number(value), "%s", key);
    return json_number_value(value);
}

static inline bool same_files(const char *a, const char *b)
{
    char command[512];
    snprintf(command, sizeof command, "cmp -s '%s' '%s'", a, b);
    return system(command) == 0;
}

enum { ROWS = 4096 };

/* Read a column of a CSV file. @return rows */
static inline int column_read(const char *path, const char *name, double values[ROWS])
{
    char line[4096], *part, *rest;
    int column = -1, count = 0;
    FILE *file = fopen(path, "r");
    cr_assert(file && fgets(line, sizeof line, file), "%s", path);
    rest = line;
    for (int k = 0; (part = strsep(&rest, ",\n")); k++)
        if (strncmp(part, name, strlen(name)) == 0) column = k;
    cr_assert_geq(column, 0, "%s has no %s", path, name);
    while (fgets(line, sizeof line, file) && count < ROWS) {
        rest = line;
        for (int k = 0; k <= column; k++) part = strsep(&rest, ",\n");
        values[count++] = atof(part);
    }
    fclose(file);
    return count;
}

#endif
