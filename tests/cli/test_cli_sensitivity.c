/* SPDX-License-Identifier: Apache-2.0 */
/* rill permeability --sensitivity: rows, JSON, HDF5, the field and its picture. */
#include "cli_test.h"
#include "pore_files.h"

#include <jansson.h>

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
    cli_test_fails(1, "--sensitivity belongs to one sample", "permeability", "s.geom.h5", "s.geom.h5",
                   "--sensitivity");
    cli_test_fails(1, "16 bits round the velocities", "permeability", "s.geom.h5", "--sensitivity",
                   "--storage", "fp16s");
}
