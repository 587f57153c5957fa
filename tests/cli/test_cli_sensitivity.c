/* SPDX-License-Identifier: Apache-2.0 */
/* rill permeability --sensitivity: rows, JSON, HDF5, the field and its picture. */
#include "cli_test.h"
#include "pore_files.h"

#include <jansson.h>
#include <math.h>
#include <stdint.h>

TestSuite(sensitivity, .init = cli_test_start, .fini = cli_test_end);

Test(sensitivity, is_written_everywhere)
{
    cli_result r = cli_test_run("generate", "pack", "--size", "32", "--radius", "6", "-o", "s.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("permeability", "s.geom.h5", "--voxel-size", "2um", "--sensitivity", "--fields", "image",
                     "--json", "k.json", "-o", "k.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect(strstr(r.out, "k_zz changes by") && strstr(r.out, "decisive voxels") && strstr(r.out, " um: "),
              "%s", r.out);
    json_t *json = json_load_file("k.json", 0, NULL);
    const json_t *walls = json_object_get(json_array_get(json_object_get(json, "runs"), 0), "walls");
    cr_assert(json_is_object(walls));
    cr_expect_gt(json_real_value(json_object_get(walls, "per_voxel")), 0);
    cr_expect_gt(json_array_size(json_object_get(walls, "boxes")), 0);
    json_decref(json);
    r = cli_test_run("export", "k.vtkhdf", "--field", "wall_sensitivity", "--scale", "log", "-o", "w.png");
    cr_assert(r.code == 0 && strstr(r.out, "1/voxel") && cli_test_exists("w.png"), "%s%s", r.out, r.err);
    r = cli_test_run("permeability", "s.geom.h5", "--fields", "sparse", "-o", "l.h5");
    cr_assert(r.code == 0 && !strstr(r.out, "decisive"), "%s", r.err);
    cli_test_fails(1, "--sensitivity of `rill permeability` adds", "export", "l.vtkhdf", "--field",
                   "wall_sensitivity", "-o", "x.png");
}

Test(sensitivity, goes_with_one_sample_and_exact_velocities)
{
    cli_result r = cli_test_run("generate", "pack", "--size", "24", "--radius", "5", "-o", "s.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cli_test_fails(1, "for which the rows of a table have no columns", "permeability", "s.geom.h5",
                   "s.geom.h5", "--sensitivity");
    cli_test_fails(1, "16 bits round the velocities", "permeability", "s.geom.h5", "--sensitivity",
                   "--storage", "fp16s");
}

/* Write an image whose grey values fall by 20 for each voxel from the walls of a round duct. */
static void write_duct(void)
{
    uint8_t grey[16 * 16 * 2];
    for (int v = 0; v < 16 * 16 * 2; v++) {
        const double in = 6.2 - hypot(v % 16 - 7.3, v / 16 % 16 - 7.6);
        grey[v] = (uint8_t)lrint(112 - 20 * fmax(fmin(in, 3), -3));
    }
    FILE *file = fopen("duct-16x16x2-u8.raw", "wb");
    cr_assert(file && fwrite(grey, sizeof grey, 1, file) == 1 && fclose(file) == 0);
}

Test(sensitivity, a_threshold_with_a_width_is_the_row_segmentation)
{
    write_duct();
    cli_result r = cli_test_run("permeability", "duct-16x16x2-u8.raw", "--threshold", "112+-4",
                                "--voxel-size", "2um", "--json", "k.json", "-o", "k.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect(strstr(r.out, "112 \u00b1 4: k_zz") && strstr(r.out, "darcy, from the first derivative"), "%s",
              r.out);
    json_t *json = json_load_file("k.json", 0, NULL);
    const json_t *threshold = json_object_get(
        json_object_get(json_array_get(json_object_get(json, "runs"), 0), "walls"), "threshold");
    const json_t *k = json_object_get(threshold, "lu");
    const double low = json_real_value(json_array_get(k, 0)), high = json_real_value(json_array_get(k, 1));
    const json_t *plain = json_object_get(json_object_get(json_object_get(json, "permeability"), "lu"), "zz");
    cr_expect(0 < low && low < json_real_value(plain) && json_real_value(plain) < high);
    cr_expect(json_is_null(json_array_get(json_object_get(threshold, "network"), 0)),
              "a network of one block");
    json_decref(json);
    r = cli_test_run("permeability", "duct-16x16x2-u8.raw", "--threshold", "112", "-q");
    cr_expect_eq(r.code, 0, "%s", r.err);
    cli_test_fails(1, "leave one of them out", "permeability", "duct-16x16x2-u8.raw", "--threshold", "112",
                   "--pore", "0");
    cli_test_fails(1, "is none: give a grey value", "permeability", "duct-16x16x2-u8.raw", "--threshold",
                   "x");
    cli_test_fails(1, "a geometry file keeps no grey values", "voxelize", "duct-16x16x2-u8.raw",
                   "--threshold", "112+-4", "-o", "d.geom.h5");
}
