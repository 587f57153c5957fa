/* SPDX-License-Identifier: Apache-2.0 */
/* Result files and JSON files: they hold what was put in, and appear only when they are whole. */
#include "io/hdf5.h"
#include "io/json_file.h"
#include "io/result.h"
#include "io_test.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char path[IO_TEST_PATH];

static void begin(void)
{
    io_test_start();
    strcpy(path, io_test_path("a.h5"));
}

TestSuite(result, .init = begin, .fini = io_test_end);

static const rill_run run = {
    .command = "rill permeability 'a b'", .backend = "cpu", .unit_si = 2e-6, .seed = -1};

static const rill_quantity columns[2] = {{"permeability", "m2", "apparent", 4e-12},
                                         {"residual", "1", NULL, 0}};

Test(result, series_values_and_attributes_read_back)
{
    enum { ROWS = 2500 };
    rill_result *result = NULL;
    rill_series *series = NULL;
    const double tensor[9] = {1, 2, 3, 4, 5, 6, 7, 8, NAN};
    cr_assert_eq(rill_result_create(path, &run, &result), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_series_create(result, "/series/z", columns, 2, &series), RILL_OK, "%s",
                 rill_error_message());
    for (int i = 0; i < ROWS; i++)
        cr_assert_eq(rill_series_append(series, 100u * (unsigned)i, (double[]){i / 3.0, i ? 1.0 / i : NAN}),
                     RILL_OK);
    cr_assert_eq(rill_result_values(result, "/summary", &columns[0], 2, (uint64_t[]){3, 3}, tensor), RILL_OK);
    cr_assert_eq(rill_result_set_integer(result, "/summary", "converged", 1), RILL_OK);
    cr_assert_neq(access(path, F_OK), 0, "the file has its name before it is whole");
    cr_assert_eq(rill_result_commit(result), RILL_OK, "%s", rill_error_message());
    rill_result_destroy(result);

    rill_h5_file *file = NULL;
    static double back[ROWS];
    static uint64_t steps[ROWS];
    const uint64_t rows[1] = {ROWS};
    double si, nine[9];
    char *text = NULL;
    cr_assert_eq(rill_h5_open(path, &file), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_h5_read(file, "/series/z/permeability", RILL_H5_F64, 1, NULL, rows, back), RILL_OK);
    cr_assert_eq(rill_h5_read(file, "/series/z/step", RILL_H5_U64, 1, NULL, rows, steps), RILL_OK);
    for (int i = 0; i < ROWS; i++) cr_assert(back[i] == i / 3.0 && steps[i] == 100u * (unsigned)i);
    cr_assert_eq(rill_h5_read(file, "/summary/permeability", RILL_H5_F64, 2, NULL, (uint64_t[]){3, 3}, nine),
                 RILL_OK);
    cr_assert(nine[7] == 8 && isnan(nine[8]));
    cr_assert_eq(rill_h5_get_reals(file, "/series/z/permeability", "unitSI", &si, 1), RILL_OK);
    cr_assert_eq(si, 4e-12);
    cr_assert(rill_h5_has_attribute(file, "/series/z/permeability", "DIMENSION_LIST"));
    cr_assert(rill_h5_has_attribute(file, "/summary/permeability", "DIMENSION_LIST"));
    cr_assert_eq(rill_h5_get_text(file, "/series/z/step", "CLASS", &text), RILL_OK);
    cr_assert_str_eq(text, "DIMENSION_SCALE");
    free(text);
    cr_assert_eq(rill_h5_get_text(file, "/run", "command", &text), RILL_OK);
    cr_assert_str_eq(text, run.command);
    cr_assert(!rill_h5_has_attribute(file, "/run", "seed") && !rill_h5_has_attribute(file, "/run", "device"));
    free(text);
    rill_h5_close(file);
    io_test_expect_files(1);
}

Test(result, nothing_appears_without_a_commit)
{
    rill_result *result = NULL;
    cr_assert_eq(rill_result_create(path, &run, &result), RILL_OK);
    rill_result_destroy(result);
    cr_assert_neq(access(path, F_OK), 0);
    cr_assert_eq(rill_result_create("/nonexistent/a.h5", &run, &result), RILL_SYSTEM);
    cr_assert_eq(rill_result_create(io_test_directory, &run, &result), RILL_USAGE);
    io_test_expect_files(0);
}

Test(result, json_is_whole_or_not_there)
{
    const char *name = io_test_path("a.json");
    json_t *json = json_pack("{s:o, s:o, s:f}", "a", rill_json_real(NAN), "b", rill_json_real(0.1), "c", 1.5),
           *back;
    cr_assert_eq(rill_json_write(json, name), RILL_OK, "%s", rill_error_message());
    back = json_load_file(name, 0, NULL);
    cr_assert(json_equal(json, back));
    cr_assert(json_is_null(json_object_get(back, "a")));
    json_decref(back);
    unlink(name);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){4, 4}), 0);
    cr_assert_eq(rill_json_write(json, name), RILL_SYSTEM);
    cr_assert_neq(access(name, F_OK), 0);
    json_decref(json);
    io_test_expect_files(0);
}
