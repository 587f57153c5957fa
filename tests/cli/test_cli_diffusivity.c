/* SPDX-License-Identifier: Apache-2.0 */
/* rill diffusivity: options, exit codes and what is written. */
#include "cli_test.h"

#include <jansson.h>

TestSuite(diffusivity, .init = cli_test_start, .fini = cli_test_end);

enum { N = 8 };

/* Slabs along z: 3 planes of grey 1, 3 of 2, and 2 of 9 at x < 4, else 1. */
static void image_write(const char *name, bool open)
{
    FILE *file = fopen(name, "wb");
    cr_assert_not_null(file);
    for (int v = 0; v < N * N * N; v++) {
        const int x = v % N, z = v / (N * N);
        fputc(z < 3 ? 1 : z < 6 ? 2 : x < 4 || !open ? 9 : 1, file);
    }
    fclose(file);
}

static json_t *compute(const char *const *more)
{
    const char *words[24] = {"diffusivity", "a_8x8x8.raw", "--sides", "mirror", "--json", "d.json", "-q"};
    int count = 7;
    while (*more) words[count++] = *more++;
    const cli_result r = cli_test_run_list(words);
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *json = json_load_file("d.json", 0, NULL);
    cr_assert_not_null(json);
    return json;
}

static double number(const json_t *json, const char *object, const char *key)
{
    return json_real_value(json_object_get(json_object_get(json, object), key));
}

Test(diffusivity, phases_and_drives)
{
    image_write("a_8x8x8.raw", false);
    json_t *json = compute(
        (const char *[]){"--phase", "1-2=1", "--phase", "9=0.5", "--axis", "z", "--tolerance", "1e-9", NULL});
    cr_expect_float_eq(number(json, "diffusivity", "zz"), 8 / (6 + 2 / 0.5), 1e-8);
    cr_expect_float_eq(number(json, "formation_factor", "zz") * number(json, "diffusivity", "zz"), 1, 1e-9);
    cr_expect_float_eq(number(json, "tortuosity_factor", "z") * number(json, "diffusivity", "zz"), 1, 1e-9);
    cr_expect(json_is_null(json_object_get(json_object_get(json, "diffusivity"), "xx")));
    cr_expect_eq(json_array_size(json_object_get(json, "phases")), 2);
    cr_expect_str_eq(json_string_value(json_object_get(json, "tortuosity_definition")), "phi D0 / D_eff");
    json_decref(json);
    image_write("a_8x8x8.raw", true);
    /* Values in the first and last slices, and behind those: the planes between are open. */
    static const char *const drives[] = {"gradient", "outside", "inside"};
    for (int d = 0; d < 3; d++) {
        json = compute((const char *[]){"--pore", "1,2", "--crop", "4:8,0:8,0:8", "--drive", drives[d],
                                        "--axis", "z", "--tolerance", "1e-9", NULL});
        cr_expect_float_eq(number(json, "diffusivity", "zz"), 1, 1e-8, "%s", drives[d]);
        cr_expect_str_eq(json_string_value(json_object_get(json, "drive")), drives[d]);
        json_decref(json);
    }
}

/* Compare a value of `rill info` on the diagonal, or of an axis, with that of the JSON summary. */
static void same_in_file(const char *info, const json_t *json, const char *name, bool tensor)
{
    static const char *const diagonal[] = {"xx", "yy", "zz"}, *const axes[] = {"x", "y", "z"};
    char row[64];
    snprintf(row, sizeof row, "\n    %s ", name);
    const char *at = strstr(info, row);
    cr_assert_not_null(at, "%s", info);
    at += strlen(row);
    for (int i = 0; i < (tensor ? 9 : 3); i++) {
        char *end;
        const double found = strtod(at, &end);
        cr_assert_neq(end, at, "%s", name);
        at = end;
        if (tensor && i % 4) continue;
        const char *key = tensor ? diagonal[i / 4] : axes[i];
        const double wanted = json_number_value(json_object_get(json_object_get(json, name), key));
        cr_expect_float_eq(found / wanted, 1, 1e-5, "%s %s: %g, not %g", name, key, found, wanted);
    }
}

Test(diffusivity, result_file_and_line)
{
    image_write("a_8x8x8.raw", true);
    cli_result r = cli_test_run("diffusivity", "a_8x8x8.raw", "--pore", "1,2", "--axis", "xyz", "--sides",
                                "mirror", "--backend", "cpu", "-o", "d.h5", "-q");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "D_eff / D0 along x: "), "%s", r.out);
    static const char *const more[] = {"--pore", "1,2", "--axis", "xyz", NULL};
    json_t *json = compute(more);
    r = cli_test_run("info", "d.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "x86-64-"), "%s", r.out); /* the device has a name */
    same_in_file(r.out, json, "diffusivity", true);
    same_in_file(r.out, json, "formation_factor", true);
    same_in_file(r.out, json, "tortuosity_factor", false);
    json_decref(json);
    r = cli_test_run("diffusivity", "a_8x8x8.raw", "--pore", "1,2", "--sides", "mirror");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "phi D0 / D_eff"), "%s", r.out);
    cr_expect_not_null(strstr(r.out, "percolating for flow"), "%s", r.out);
}

/* Fields that VTK's readers name as they are: flux and concentration, of every node. */
Test(diffusivity, fields)
{
    image_write("a_8x8x8.raw", true);
    cli_result r = cli_test_run("diffusivity", "a_8x8x8.raw", "--pore", "1,2", "--axis", "xy", "--sides",
                                "mirror", "-o", "d.h5", "--fields", "sparse", "-q");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_eq(access("d.y.vtkhdf", F_OK), 0);
    r = cli_test_run("diffusivity", "a_8x8x8.raw", "--pore", "1,2", "--sides", "mirror", "-o", "d.h5",
                     "--fields", "image", "-q");
    cr_assert_eq(r.code, 0, "%s", r.err);
    static const char *const names[] = {"Name=\"flux\"", "Name=\"concentration\""};
    for (int k = 0; k < 4; k++) {
        char text[8192] = "";
        FILE *file = fopen(k < 2 ? "d.x.xmf" : "d.xmf", "r");
        cr_assert_not_null(file);
        cr_assert_gt(fread(text, 1, sizeof text - 1, file), 0);
        fclose(file);
        cr_expect_not_null(strstr(text, names[k % 2]), "%s", text);
    }
    cli_test_fails(1, "--fields needs a name", "diffusivity", "a_8x8x8.raw", "--pore", "1,2", "--fields",
                   "image");
}

/* The table has the bits of each image alone, keeps rows, and is that of no other command. */
Test(diffusivity, batch)
{
    static char table[16384];
    char value[64];
    image_write("a_8x8x8.raw", true);
    image_write("b_8x8x8.raw", false);
    json_t *json = compute((const char *[]){"--phase", "1=1", "--phase", "2=0.25", "--axis", "z", NULL});
    snprintf(value, sizeof value, ",%.17g", number(json, "diffusivity", "zz"));
    json_decref(json);
    cli_result r = cli_test_run("diffusivity", "a_8x8x8.raw", "b_8x8x8.raw", "no.raw", "--phase", "1=1",
                                "--phase", "2=0.25", "--sides", "mirror", "--csv", "d.csv");
    cr_expect_eq(r.code, 1, "%s", r.err);
    cr_assert_eq(link("d.csv", "copy.csv"), 0); /* reading deletes */
    cli_test_slurp("copy.csv", table, sizeof table);
    cr_expect_not_null(strstr(table, ",converged,"), "%s", table);
    cr_expect_not_null(strstr(table, ",not percolating,"), "%s", table);
    cr_expect_not_null(strstr(table, ",d_zz,"), "%s", table);
    cr_expect_not_null(strstr(table, value), "%s in %s", value, table);
    r = cli_test_run("diffusivity", "a_8x8x8.raw", "b_8x8x8.raw", "--phase", "1=1", "--phase", "2=0.5",
                     "--sides", "mirror", "--csv", "d.csv", "--resume");
    cr_expect_null(strstr(r.out, "from the table"), "other ratio: %s", r.out);
    r = cli_test_run("diffusivity", "a_8x8x8.raw", "b_8x8x8.raw", "--phase", "1=1", "--phase", "2=0.5",
                     "--sides", "mirror", "--csv", "d.csv", "--resume");
    cr_expect_not_null(strstr(r.out, "from the table              2"), "%s", r.out);
    cli_test_fails(1, "not a table of this version of rill permeability", "permeability", "a_8x8x8.raw",
                   "--csv", "d.csv", "--resume");
    r = cli_test_run("diffusivity", "a_8x8x8.raw", "--pore", "1,2", "--blocks", "4", "--csv", "k.csv",
                     "--json", "k.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "blocks of 4 voxels          D 0."), "%s", r.out);
    cli_test_slurp("k.rev.csv", table, sizeof table);
    cr_expect_not_null(strstr(table, "\n4,,d_xx,1,8,"), "%s", table);
    cli_test_slurp("k.map.vti", table, sizeof table);
    cr_expect_not_null(strstr(table, "Tensors=\"diffusivity\""), "%s", table);
    json = json_load_file("k.json", 0, NULL);
    const json_t *row = json_array_get(json_object_get(json, "rows"), 0);
    cr_expect_not_null(json_object_get(json_object_get(row, "diffusivity"), "xx"));
    cr_expect_null(json_object_get(row, "permeability"));
    json_decref(json);
    cli_test_fails(1, "--resume: checkpoint a_8x8x8.diffusivity.checkpoint.h5 not found", "diffusivity",
                   "a_8x8x8.raw", "--resume");
    cli_test_fails(1, "--fields belongs to one sample", "diffusivity", "a_8x8x8.raw", "--blocks", "4",
                   "--fields", "image");
    r = cli_test_run("diffusivity", "a_8x8x8.raw", "--pore", "1,2", "--dry-run", "-o", "x.h5");
    cr_expect_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "448 at most"), "%s", r.out);
    cr_expect_neq(access("x.h5", F_OK), 0);
}

Test(diffusivity, refusals)
{
    image_write("a_8x8x8.raw", false);
    cli_test_fails(2, "nothing percolates along z through faces", "diffusivity", "a_8x8x8.raw", "--pore",
                   "1,2", "--sides", "mirror");
    cli_test_fails(1, "128=0.05", "diffusivity", "a_8x8x8.raw", "--phase", "1");
    cli_test_fails(1, "--pore", "diffusivity", "a_8x8x8.raw", "--phase", "1=1", "--pore", "1");
    cli_test_fails(1, "--phase", "diffusivity", "a_8x8x8.raw", "--phase", "1=1e7");
    cli_test_fails(1, "two phases", "diffusivity", "a_8x8x8.raw", "--phase", "1-2=1", "--phase", "2=0.1");
    cli_test_fails(1, "solid boundaries normal to z", "diffusivity", "a_8x8x8.raw", "--pore", "1,2,9",
                   "--sides", "wall", "--axis", "z");
    cli_test_fails(1, "no image", "diffusivity");
    const cli_result made = cli_test_run("voxelize", "a_8x8x8.raw", "--pore", "1,2", "-q", "-o", "a.geom.h5");
    cr_assert_eq(made.code, 0, "%s", made.err);
    cli_test_fails(1, "a voxel of 5 mm is not between", "diffusivity", "a.geom.h5", "--voxel-size", "5mm");
    cli_test_fails(1, "give --phase with the image", "diffusivity", "a.geom.h5", "--phase", "1=1");
    cli_test_fails(1, "is a geometry, no image", "diffusivity", "a.geom.h5", "--pore", "1");
}

Test(diffusivity, result_that_cannot_be_written)
{
    image_write("a_8x8x8.raw", true);
    cli_test_result_is_kept("diffusivity a_8x8x8.raw --pore 1,2 --checkpoint-every 1us -q",
                            "a_8x8x8.diffusivity.checkpoint.h5");
}
