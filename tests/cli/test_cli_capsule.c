/* SPDX-License-Identifier: Apache-2.0 */
/* rill capsule: shapes, exit codes and files. */
#include "cli_test.h"

TestSuite(capsule, .init = cli_test_start, .fini = cli_test_end);

Test(capsule, a_sphere_in_shear)
{
    const cli_result r =
        cli_test_run("capsule", "sphere", "--nx", "16", "--ny", "16", "--nz", "16", "--radius", "4",
                     "--level", "2", "--re", "0.5", "--strain", "0.4", "--every", "0.2", "-o", "a.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "deformation"), "%s", r.out);
    static const char *const files[] = {"a.0.vtkhdf", "a.0.membrane.vtkhdf", "a.38.vtkhdf",
                                        "a.38.membrane.vtkhdf"};
    for (int k = 0; k < 4; k++) cr_expect_eq(access(files[k], F_OK), 0, "%s", files[k]);
    const cli_result info = cli_test_run("info", "a.h5");
    cr_assert_eq(info.code, 0, "%s", info.err);
    cr_expect_not_null(strstr(info.out, "inclination"), "%s", info.out);
}

Test(capsule, laws_kernels_and_schemes)
{
    static const char *const more[][9] = {
        {"sphere", "--law", "skalak", "--dilatation", "10", "--stream", "esopull"},
        {"red-cell", "--law", "skalak", "--bending", "0.01", "--area", "10", "--volume", "10"},
        {"sphere", "--kernel", "2", "--stream", "aa", "--storage", "fp64"},
        {"sphere", "--kernel", "3", "--stream", "esotwist", "--storage", "fp16c"}};
    for (int k = 0; k < 4; k++) {
        const char *words[32] = {"capsule", "--nx", "14",   "--ny",    "14", "--nz",     "14",  "--radius",
                                 "4",       "--re", "0.05", "--level", "2",  "--strain", "0.1", "-q"};
        int count = 16;
        for (int i = 0; i < 9 && more[k][i]; i++) words[count++] = more[k][i];
        const cli_result r = cli_test_run_list(words);
        cr_expect_eq(r.code, 0, "%s", r.err);
        cr_expect_str_empty(r.out);
    }
}

Test(capsule, several)
{
    const cli_result r = cli_test_run("capsule", "sphere", "--count", "3", "--nx", "20", "--ny", "10", "--nz",
                                      "20", "--radius", "3", "--level", "2", "--re", "0.2", "--strain",
                                      "0.05", "--every", "0.05", "-o", "s.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "2 x 1 x 2 positions"), "%s", r.out);
    const cli_result info = cli_test_run("info", "s.14.membrane.vtkhdf");
    cr_assert_eq(info.code, 0, "%s", info.err);
    cr_expect_not_null(strstr(info.out, "960"), "%s", info.out); /* 3 x 320 triangles */
    cli_test_fails(1, "do not fit into the box", "capsule", "sphere", "--count", "5", "--nx", "20", "--ny",
                   "10", "--nz", "20", "--radius", "3");
}

Test(capsule, refusals)
{
    cli_test_fails(1, "choose sphere", "capsule", "cube");
    cli_test_fails(1, "name the shape", "capsule");
    cli_test_fails(1, "make the box larger", "capsule", "sphere", "--radius", "30");
    cli_test_fails(1, "compressible", "capsule", "sphere", "--re", "5");
    cli_test_fails(1, "needs a result file", "capsule", "sphere", "--every", "1");
    cli_test_fails(1, "write fewer", "capsule", "sphere", "--every", "1e-6", "--strain", "10", "-o", "a.h5");
    cli_test_fails(1, "takes 8.64e+13 time steps", "capsule", "sphere", "--re", "1e-11");
    cli_test_fails(1, "take 2 voxels or more", "capsule", "sphere", "--radius", "1");
    cli_test_fails(1, "no effect on the law neo-hookean", "capsule", "sphere", "--dilatation", "2");
    cli_test_fails(1, "fluid would pass between vertices; take --level 3", "capsule", "sphere", "--level",
                   "1");
    cli_test_fails(1, "nodes are more than 4294967294", "capsule", "sphere", "--nx", "10000", "--ny", "10000",
                   "--nz", "100");
    cli_test_fails(2, "meets its image", "capsule", "sphere", "-q", "--nx", "10", "--ny", "10", "--nz", "10",
                   "--radius", "3", "--re", "0.5", "--ca", "1", "--strain", "3");
    const cli_result r = cli_test_run("capsule", "sphere", "-q", "--nx", "12", "--ny", "12", "--nz", "12",
                                      "--radius", "3", "--re", "1e-30", "--strain", "1e-32");
    cr_expect_eq(r.code, 0, "%s", r.err);
    cli_test_fails(1, "too stiff for the time step", "capsule", "sphere", "-q", "--nx", "14", "--ny", "14",
                   "--nz", "14", "--radius", "4", "--level", "2", "--re", "0.5", "--ca", "1e-5", "--strain",
                   "1");
    cli_test_fails(1, "beyond the largest number", "capsule", "sphere", "-q", "--ca", "1e-300", "--strain",
                   "1e-9");
    const char *stiff[] = {"capsule", "red-cell", "-q",   "--nx",      "24",     "--ny",
                           "24",      "--nz",     "24",   "--law",     "skalak", "--dilatation",
                           "100",     "--ca",     "0.2",  "--bending", "0.02",   "--volume",
                           "10",      "--strain", "1e-4", "--re",      "0.1",    NULL};
    const cli_result refused = cli_test_run_list(stiff);
    const char *remedy = strstr(refused.err, "Lower --re to ");
    cr_expect_eq(refused.code, 1);
    cr_assert_not_null(remedy, "%s", refused.err);
    char re[16];
    cr_assert_eq(sscanf(remedy, "Lower --re to %15s", re), 1);
    stiff[22] = re; /* the number in the message is accepted */
    const cli_result softer = cli_test_run_list(stiff);
    cr_expect_eq(softer.code, 0, "%s: %s", re, softer.err);
    const cli_result row = cli_test_run("capsule", "sphere", "-q", "--nx", "20", "--ny", "50", "--nz", "20",
                                        "--radius", "4", "--count", "4", "--strain", "1e-4");
    cr_expect_eq(row.code, 0, "four in a row along the only axis that has room: %s", row.err);
}
