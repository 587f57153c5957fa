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

/* Concentration and flux of diffusion, and the fill level of a free surface. */
Test(export, fields_of_other_commands)
{
    cr_assert_eq(cli_test_run("generate", "spheres", "--cells", "8", "-q", "-o", "p.geom.h5").code, 0);
    for (int k = 0; k < 2; k++) {
        const char *const kind = k ? "sparse" : "image";
        cli_result r =
            cli_test_run("diffusivity", "p.geom.h5", "--axis", "x", "--fields", kind, "-q", "-o", "d.h5");
        cr_assert_eq(r.code, 0, "%s", r.err);
        r = cli_test_run("export", "d.vtkhdf", "-o", "d.png");
        cr_expect(r.code == 0 && strstr(r.out, "concentration"), "%s%s", r.out, r.err);
        cli_test_fails(1, "no such field: it holds concentration", "export", "d.vtkhdf", "--field", "speed",
                       "-o", "e.png");
    }
    cli_result r = cli_test_run("free-surface", "pool", "--depth", "3", "--nx", "8", "--ny", "4", "--nz", "8",
                                "--steps", "4", "--every", "4", "-q", "-o", "f.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("export", "f.4.vtkhdf", "--field", "fill", "--slice", "y=1", "-o", "f.png");
    cr_expect(r.code == 0 && strstr(r.out, "0 to 1 1"), "%s%s", r.out, r.err);
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

/* Velocities near a place, with times where there are several files. */
Test(export, points_are_written_with_velocities_and_times)
{
    const uint32_t n[3] = {10, 10, 10};
    rill_geom *geom = NULL;
    rill_fields fields = rill_fields_default();
    char line[256];
    double x[3], u[3], time;
    int rows = 0;
    cr_assert_eq(rill_geom_create(n, &geom), RILL_OK);
    geom->spacing = 1e-3;
    geom->origin[0] = 0.02;
    memset(geom->voxels, RILL_FLUID, 1000);
    fields.geom = geom;
    fields.moments = flow;
    fields.velocity = (rill_field_unit){1e-3, "m/s", 1, 0};
    fields.time_step = 1e-3;
    for (int k = 0; k < 2; k++) {
        fields.step = (uint64_t)(100 + 20 * k);
        cr_assert_eq(rill_fields_write(&fields, RILL_FIELDS_SPARSE, k ? "f2.vtkhdf" : "f1.vtkhdf"), RILL_OK,
                     "%s", rill_error_message());
    }
    rill_geom_destroy(geom);
    cli_result r = cli_test_run("export", "f1.vtkhdf", "f2.vtkhdf", "--near", "25mm,5 mm,5mm", "--reach",
                                "1mm", "-o", "p.csv");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect(strstr(r.out, "8 of each of 2 files"), "%s", r.out);
    FILE *file = fopen("p.csv", "r");
    cr_assert(file);
    cr_assert(fgets(line, sizeof line, file));
    cr_expect_str_eq(line, "x [m], y [m], z [m], u [m/s], v [m/s], w [m/s], time [s]\n");
    for (; fgets(line, sizeof line, file); rows++) {
        cr_assert_eq(sscanf(line, "%lf, %lf, %lf, %lf, %lf, %lf, %lf", &x[0], &x[1], &x[2], &u[0], &u[1],
                            &u[2], &time),
                     7, "%s", line);
        const int node = (int)((x[0] - 0.02) / 1e-3) + 10 * (int)(x[1] / 1e-3) + 100 * (int)(x[2] / 1e-3);
        cr_expect_float_eq(u[0], 1e-3 * node, 1e-6, "%s", line);
        cr_expect_float_eq(time, rows < 8 ? 0.1 : 0.12, 1e-12, "%s", line);
    }
    fclose(file);
    cr_expect_eq(rows, 16);
    r = cli_test_run("export", "f1.vtkhdf", "--near", "25mm,5mm,5mm", "--reach", "1mm", "-o", "q.csv");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cli_test_fails(1, "add --near X,Y,Z and --reach", "export", "f1.vtkhdf", "-o", "q.csv");
    cli_test_fails(1, "not a place such as", "export", "f1.vtkhdf", "--near", "25mm,5mm", "--reach", "1mm",
                   "-o", "q.csv");
    cli_test_fails(1, "--reach", "export", "f1.vtkhdf", "--near", "1mm,1mm,1mm", "--reach", "0mm", "-o",
                   "q.csv");
    cli_test_fails(1, "no node within", "export", "f1.vtkhdf", "--near", "1m,1m,1m", "--reach", "1mm", "-o",
                   "q.csv");
    cli_test_fails(1, "are given, and", "export", "f1.vtkhdf", "f2.vtkhdf", "-o", "q.png");
    cli_test_fails(1, "end it in .csv", "export", "f1.vtkhdf", "--near", "1mm,1mm,1mm", "-o", "q.png");
    make_files();
    cli_test_fails(1, "velocities in lu", "export", "s.vtkhdf", "--near", "1mm,1mm,1mm", "--reach", "1mm",
                   "-o", "q.csv");
    cli_test_fails(1, "no velocities of nodes", "export", "a.geom.h5", "--near", "1mm,1mm,1mm", "--reach",
                   "1mm", "-o", "q.csv");
}
