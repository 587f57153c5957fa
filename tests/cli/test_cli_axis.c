/* SPDX-License-Identifier: Apache-2.0 */
/* Axes and sizes as users write them, in every command that takes some. */
#include "cli_test.h"

#include <jansson.h>

TestSuite(axis, .init = cli_test_start, .fini = cli_test_end);

enum { EDGE = 6 };

/* A channel along index `along` of an array a[i, j, k], with pore 0, behind a header of `head` bytes. */
static void make_channel(const char *path, const char *head, size_t length, int along)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(head, 1, length, file), length);
    for (int i = 0; i < EDGE; i++)
        for (int j = 0; j < EDGE; j++)
            for (int k = 0; k < EDGE; k++) {
                const int across[2] = {along == 0 ? j : i, along == 2 ? j : k};
                const bool pore =
                    across[0] > 0 && across[0] < EDGE - 1 && across[1] > 0 && across[1] < EDGE - 1;
                fputc(pore ? 0 : 1, file);
            }
    cr_assert_eq(fclose(file), 0);
}

static void make_npy(const char *path, int along)
{
    char head[129];
    memcpy(head, "\x93NUMPY\1\0\x76\0", 10);
    snprintf(head + 10, sizeof head - 10, "%-117s\n",
             "{'descr': '|u1', 'fortran_order': False, 'shape': (6, 6, 6), }");
    make_channel(path, head, 128, along);
}

/* The flow conducts along one axis alone, which has several names. */
Test(axis, letters_and_numbers_of_the_file)
{
    make_npy("along0.npy", 0);
    make_channel("along0_6x6x6.raw", "", 0, 2); /* the fastest axis of a raw file is its axis 0, x */
    static const struct {
        const char *file, *axis;
        bool conducts;
    } cases[] = {{"along0.npy", "z", true},       {"along0.npy", "Z", true},
                 {"along0.npy", "0", true},       {"along0.npy", "2", false},
                 {"along0.npy", "x", false},      {"along0_6x6x6.raw", "0", true},
                 {"along0_6x6x6.raw", "X", true}, {"along0_6x6x6.raw", "2", false},
                 {"along0.geom.h5", "0", true},   {"along0.geom.h5", "1", false}};
    cli_result r =
        cli_test_run("voxelize", "along0.npy", "--pore", "0", "--axis", "0", "-q", "-o", "along0.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const bool image = !strstr(cases[k].file, ".h5");
        r = cli_test_run("permeability", cases[k].file, "--axis", cases[k].axis, "-q", "--backend", "cpu",
                         image ? "--pore" : "--tolerance", image ? "0" : "0.001");
        cr_expect_eq(r.code, cases[k].conducts ? 0 : 2, "%s along %s: %d %s", cases[k].file, cases[k].axis,
                     r.code, r.err);
        if (!image) continue;
        r = cli_test_run("voxelize", cases[k].file, "--pore", "0", "--axis", cases[k].axis, "-q", "-o",
                         "a.geom.h5");
        cr_expect_eq(r.code, cases[k].conducts ? 0 : 2, "%s along %s: %d %s", cases[k].file, cases[k].axis,
                     r.code, r.err);
    }
    /* --axes says where the axes of the file go. */
    r = cli_test_run("permeability", "along0.npy", "--pore", "0", "--axes", "xyz", "--axis", "0", "-q",
                     "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert(strstr(r.out, "k_xx"), "%s", r.out);
    r = cli_test_run("voxelize", "along0.npy", "--pore", "0", "--axes", "X,Y,Z", "--mirror", "Z,x", "--axis",
                     "x", "-q", "-o", "a.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
}

Test(axis, several)
{
    static const char *const all[] = {"xyz", "x,y,z", "XYZ", "z,y,x", "0,1,2", "210"};
    cli_result r = cli_test_run("generate", "gyroid", "--cells", "8", "-q", "-o", "g.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        r = cli_test_run("permeability", "g.geom.h5", "--axis", all[k], "--dry-run", "--backend", "cpu");
        cr_assert_eq(r.code, 0, "%s: %s", all[k], r.err);
    }
}

/* A tensor names the axes of the file that x, y and z are: in rows, on one line, and in JSON. */
Test(axis, tensors_name_the_axes_of_the_file)
{
    static const struct {
        const char *file, *option, *value, *words, *letters;
    } cases[] = {{"a.npy", "--tolerance", "0.001", "x, y, z are axes 2, 1, 0 of the file", "zyx"},
                 {"a.npy", "--axes", "xyz", "x, y, z are axes 0, 1, 2 of the file", "xyz"},
                 {"a.npy", "--axes", "yzx", "x, y, z are axes 2, 0, 1 of the file", "yzx"},
                 {"g.geom.h5", "--tolerance", "0.001", "x, y, z are axes 2, 1, 0 of the file", "zyx"}};
    cli_result r = cli_test_run("generate", "gyroid", "--cells", "8", "-q", "-o", "g.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    FILE *file = fopen("a.npy", "wb");
    cr_assert_not_null(file);
    fprintf(file, "\x93NUMPY%c%c%c%c%-117s\n", 1, 0, 0x76, 0,
            "{'descr': '|b1', 'fortran_order': False, 'shape': (6, 6, 6), }");
    for (int k = 0; k < 216; k++) fputc(k != 0, file);
    cr_assert_eq(fclose(file), 0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *option = cases[k].option, *value = cases[k].value;
        r = cli_test_run("permeability", cases[k].file, "--axis", "xyz", "--backend", "cpu", option, value,
                         "--json", "a.json");
        cr_assert(r.code == 0 && strstr(r.out, cases[k].words), "%s: %s%s", cases[k].file, r.out, r.err);
        json_t *json = json_load_file("a.json", 0, NULL);
        cr_assert_not_null(json);
        cr_assert_str_eq(json_string_value(json_object_get(json, "file_axes")), cases[k].letters);
        json_decref(json);
        r = cli_test_run("permeability", cases[k].file, "--axis", "xyz", "--backend", "cpu", option, value,
                         "-q");
        cr_assert(r.code == 0 && strstr(r.out, cases[k].words), "%s: %s%s", cases[k].file, r.out, r.err);
    }
}

Test(axis, generate_and_export)
{
    cli_result r =
        cli_test_run("generate", "plates", "--gap", "3", "--axis", "X", "--length", "2", "-o", "p.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert(strstr(r.out, "5 x 2 x 2"), "%s", r.out);
    static const char *const slices[][2] = {
        {"X=1", "x = 1"}, {"2=1", "x = 1"}, {"0=50%", "z = 1"}, {"z=0", "z = 0"}};
    for (size_t k = 0; k < sizeof slices / sizeof *slices; k++) {
        r = cli_test_run("export", "p.geom.h5", "--slice", slices[k][0], "-o", "a.png");
        cr_assert(r.code == 0 && strstr(r.out, slices[k][1]), "%s: %s%s", slices[k][0], r.out, r.err);
    }
    cli_test_fails(1, "numbers count the axes of a file", "generate", "plates", "--axis", "0", "-o",
                   "b.geom.h5");
}

Test(axis, mistakes_get_one_sentence)
{
    static const char *const bad[] = {"w", "xx", "x,", ",x", "x,,y", "3", "-1", "00", "x0", "xyzx", "x y"};
    make_npy("a.npy", 0);
    make_channel("a_6x6x6.raw", "", 0, 2);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        cli_test_fails(1, "--axis: axis \"", "permeability", "a.npy", "--axis", bad[k]);
        cli_test_fails(1, "--axis: axis \"", "voxelize", "a.npy", "--axis", bad[k], "-o", "b.geom.h5");
        cli_test_fails(1, "--axis: axis \"", "generate", "plates", "--axis", bad[k], "-o", "b.geom.h5");
    }
    cli_test_fails(1, "more than one axis", "voxelize", "a.npy", "--axis", "xy", "-o", "b.geom.h5");
    cli_test_fails(1, "--axis", "generate", "plates", "--axis", "xy", "-o", "b.geom.h5");
    cli_test_fails(1, "another order", "permeability", "a.npy", "a_6x6x6.raw", "--axis", "0");
    cli_test_fails(1, "none.npy", "permeability", "none.npy", "--axis", "0");
}

Test(axis, sizes_with_commas)
{
    make_channel("a.raw", "", 0, 2);
    static const char *const sizes[] = {"6x6x6", "6,6,6", "6X6X6"};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const cli_result r =
            cli_test_run("voxelize", "a.raw", "--pore", "0", "--size", sizes[k], "-q", "-o", "a.geom.h5");
        cr_assert_eq(r.code, 0, "%s: %s", sizes[k], r.err);
    }
    static const char *const bad[] = {"6,6", "6,6,6,", "6,,6", "6,6,6,6", "6;6;6", "0,6,6"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        cli_test_fails(1, "--size", "voxelize", "a.raw", "--size", bad[k], "-o", "b.geom.h5");
}

static void make_slice(const char *path)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++) fputc(x >= 3 && x < 5 && y >= 2 && y < 6 ? 255 : 0, file);
    cr_assert_eq(fclose(file), 0);
}

/* A flow through the slice is another one: k along z is 1.5 times that along x. */
Test(axis, of_one_slice_is_in_its_plane)
{
    make_slice("s_8x8x1.raw");
    cli_result r = cli_test_run("permeability", "s_8x8x1.raw", "--pore", "0");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_not_null(strstr(r.out, "permeability k_xx"), "%s", r.out);
    cr_assert_not_null(strstr(r.out, "x, in the plane of the slice"), "%s", r.out);
    r = cli_test_run("permeability", "s_8x8x1.raw", "--pore", "0", "--axis", "z");
    cr_assert_not_null(strstr(r.out, "permeability k_zz"), "%s", r.out);
    cr_assert_not_null(strstr(r.out, "z, through the slice"), "%s", r.out);
    r = cli_test_run("permeability", "s_8x8x1.raw", "--pore", "0", "--axis", "xy", "--json", "t.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_not_null(strstr(r.out, "k_xx..y"), "%s", r.out);
    cr_assert_not_null(strstr(r.out, "k_yx..y"), "%s", r.out);
    cr_assert_null(strstr(r.out, "k_zx"), "%s", r.out);
    r = cli_test_run("permeability", "s_8x8x1.raw", "--pore", "0", "--axis", "x,y", "-q");
    cr_assert_not_null(strstr(r.out, "k_xx, yy"), "%s", r.out);
    r = cli_test_run("permeability", "s_8x8x1.raw", "--pore", "0", "--lattice", "d2q9", "-q");
    cr_assert_not_null(strstr(r.out, "k_xx"), "%s", r.out);
    cli_test_fails(1, "--axis xy", "permeability", "s_8x8x1.raw", "--pore", "0", "--axis", "xyz");
    r = cli_test_run("permeability", "s_8x8x1.raw", "--pore", "0", "--csv", "k.csv", "-q");
    cr_assert_eq(r.code, 0, "%s", r.err);
    make_slice("t_8x8x1.raw");
    cli_test_fails(1, "--axis x", "permeability", "s_8x8x1.raw", "t_8x8x1.raw", "--pore", "0");
    r = cli_test_run("permeability", "s_8x8x1.raw", "t_8x8x1.raw", "--pore", "0", "--axis", "x");
    cr_assert_eq(r.code, 0, "%s", r.err);
}
