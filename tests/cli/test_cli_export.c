/* SPDX-License-Identifier: Apache-2.0 */
/* rill export: options, file names, and what is left when it fails. */
#include "cli_test.h"
#include "io/fields.h"

TestSuite(export, .init = cli_test_start, .fini = cli_test_end);

static rill_status flow(void *context, rill_node first, rill_node count, double *rho, double *u)
{
    (void)context;
    for (rill_node n = 0; n < count; n++) {
        rho[n] = u[n] = first + n;
        u[count + n] = u[2 * count + n] = 0;
    }
    return RILL_OK;
}

static void make_files(void)
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create((uint32_t[]){10, 10, 11}, &geom), RILL_OK);
    memset(geom->voxels, RILL_FLUID, 10 * 10 * 11);
    rill_fields fields = rill_fields_default();
    fields.geom = geom;
    fields.moments = flow;
    cr_assert_eq(rill_geom_write(geom, "a.geom.h5", NULL), RILL_OK);
    cr_assert_eq(rill_fields_write(&fields, RILL_FIELDS_SPARSE, "s.vtkhdf"), RILL_OK);
    rill_geom_destroy(geom);
}

Test(export, pictures_say_what_they_show)
{
    make_files();
    cli_result r = cli_test_run("export", "a.geom.h5", "-o", "a.png");
    cr_assert(r.code == 0 && cli_test_exists("a.png"), "%s", r.err);
    cr_assert(strstr(r.out, "z = 5") && strstr(r.out, "voxels"), "%s", r.out);
    r = cli_test_run("export", "s.vtkhdf", "--slice", "x=3", "--field", "velocity_x", "-o", "b.png");
    cr_assert(r.code == 0 && strstr(r.out, "x = 3") && strstr(r.out, "3 to 1093 lu"), "%s%s", r.out, r.err);
    r = cli_test_run("export", "s.vtkhdf", "--slice", "z=100%", "--scale", "log", "-o", "c.png");
    cr_assert(r.code == 0 && strstr(r.out, "1000 to 1099 lu, log"), "%s%s", r.out, r.err);
    cr_assert_eq(unlink("s.xmf"), 0);
    r = cli_test_run("export", "s.vtkhdf", "-o", "t.vtkhdf");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_eq(unlink("s.cells.vtkhdf"), 0);
    r = cli_test_run("export", "t.vtkhdf", "-o", "d.png");
    cr_assert_eq(r.code, 0, "%s", r.err);
}

/* Fields refer to their cells: damaged ones are found, and no file comes of them. */
Test(export, damaged_cells)
{
    make_files();
    FILE *file = fopen("s.cells.vtkhdf", "r+b");
    cr_assert(file && fseek(file, 3000, SEEK_SET) == 0 && fputs("damaged", file) != EOF && fclose(file) == 0);
    cli_test_fails(1, "s.cells.vtkhdf", "export", "s.vtkhdf", "-o", "t.vtkhdf");
    cli_test_fails(1, "s.cells.vtkhdf", "export", "s.vtkhdf", "-o", "t.png");
    cr_assert_eq(truncate("s.cells.vtkhdf", 2000), 0); /* without checksum */
    cli_test_fails(1, "cannot", "export", "s.vtkhdf", "-o", "t.vtkhdf");
    cr_assert(!cli_test_exists("t.vtkhdf") && !cli_test_exists("t.png"));
}

/* --png names the picture after the input, in the working directory. */
Test(export, png_is_named_like_the_input)
{
    make_files();
    cr_assert(mkdir("d", 0755) == 0 && rename("a.geom.h5", "d/a.b.geom.h5") == 0);
    cli_result r = cli_test_run("export", "d/a.b.geom.h5", "--png");
    cr_assert(r.code == 0 && strstr(r.out, "a.b.png") && cli_test_exists("a.b.png"), "%s%s", r.out, r.err);
    r = cli_test_run("export", "s.vtkhdf", "--png", "--slice", "x=3");
    cr_assert(r.code == 0 && cli_test_exists("s.png"), "%s%s", r.out, r.err);
    r = cli_test_run("generate", "bifurcation", "--edge", "0.5mm", "-o", "d/artery.stl");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("export", "d/artery.stl", "--png");
    cr_assert(r.code == 0 && cli_test_exists("artery.png"), "%s%s", r.out, r.err);
    r = cli_test_run("export", "d/", "--png");
    cr_assert(r.code == 0 && cli_test_exists("d.png"), "%s%s", r.out, r.err);
    cli_test_fails(1, "both name the output", "export", "s.vtkhdf", "--png", "-o", "t.png");
    cli_test_fails(1, "-o FILE.png", "export", ".", "--png");
    cli_test_fails(1, "-o FILE.png", "export", "-", "--png");
}

Test(export, mistakes_get_one_sentence)
{
    make_files();
    cli_test_fails(1, "no output", "export", "a.geom.h5");
    cli_test_fails(1, "no file", "export", "-o", "a.png");
    cli_test_fails(1, "neither a picture", "export", "a.geom.h5", "-o", "a.jpg");
    cli_test_fails(1, "z=120 or z=50%", "export", "a.geom.h5", "--slice", "w=3", "-o", "a.png");
    cli_test_fails(1, "z=120 or z=50%", "export", "a.geom.h5", "--slice", "z=3mm", "-o", "a.png");
    cli_test_fails(1, "z=120 or z=50%", "export", "a.geom.h5", "--slice", "z=", "-o", "a.png");
    cli_test_fails(1, "0 to 10", "export", "a.geom.h5", "--slice", "z=11", "-o", "a.png");
    cli_test_fails(1, "0 to 10", "export", "a.geom.h5", "--slice", "z=101%", "-o", "a.png");
    cli_test_fails(1, "no such field", "export", "a.geom.h5", "--field", "speed", "-o", "a.png");
    cli_test_fails(1, "--field", "export", "a.geom.h5", "--field", "heat", "-o", "a.png");
    cli_test_fails(1, "holds no fields", "export", "a.geom.h5", "-o", "a.vtkhdf");
    cli_test_fails(1, "not an HDF5 file", "export", "s.xmf", "-o", "a.png");
    cli_test_fails(3, "No such file or directory", "export", "a.geom.h5", "-o", "none/a.png");
    cr_assert(!cli_test_exists("a.png") && !cli_test_exists("a.vtkhdf"));
}
