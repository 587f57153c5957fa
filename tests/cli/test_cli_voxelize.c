/* SPDX-License-Identifier: Apache-2.0 */
/* rill voxelize as its users see it: summary, files, exit codes and sentences. */
#include "cli_test.h"

#include "rill.h"

#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <sys/stat.h>

TestSuite(cli_voxelize, .init = cli_test_start, .fini = cli_test_end);

/* A straight tube of 2 x 2 voxels along z in 8 x 8 x 8, one enclosed pore; pore 1, solid 0. */
static void write_tube(const char *path)
{
    unsigned char data[512] = {0};
    for (int z = 0; z < 8; z++)
        for (int y = 3; y < 5; y++)
            for (int x = 3; x < 5; x++) data[x + 8 * (y + 8 * z)] = 1;
    data[6 + 8 * (6 + 8 * 6)] = 1;
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(data, 1, sizeof data, file), sizeof data);
    fclose(file);
}

static int files_here(void)
{
    int count = 0;
    DIR *directory = opendir(".");
    for (const struct dirent *e; (e = readdir(directory));) count += e->d_name[0] != '.';
    closedir(directory);
    return count;
}

Test(cli_voxelize, makes_a_geometry)
{
    write_tube("tube-8x8x8-u8-2um.raw");
    const cli_result r =
        cli_test_run("voxelize", "tube-8x8x8-u8-2um.raw", "--pore", "1", "--axis", "z", "-o", "t.geom.h5",
                     "--json", "t.json", "--index=pull", "--sides", "wall,wall,periodic");
    cr_assert_eq(r.code, 0, "%s", r.err);
    static const char *const wanted[] = {"raw, u8, 8 x 8 x 8",
                                         "x, y, z are axes 0, 1, 2 of the file",
                                         "93.555 %  solid",
                                         "6.445 %  pore",
                                         "2 um",
                                         "wall, wall, periodic",
                                         "0.06445",
                                         "z 0.06250",
                                         "1 kept",
                                         "fluid nodes",
                                         "t.geom.h5"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        cr_assert(strstr(r.out, wanted[i]), "\"%s\" is missing in\n%s", wanted[i], r.out);

    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_read("t.geom.h5", &geom), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_geom_fluid(geom), 32u);
    cr_assert_float_eq(geom->spacing, 2e-6, 1e-18);
    cr_assert_eq(geom->sides[0], RILL_WALL);
    cr_assert_eq(geom->sides[2], RILL_PERIODIC);
    cr_assert_eq(geom->porosity.total, 33. / 512);
    cr_assert(strstr(geom->options, "--index=pull"), "%s", geom->options);
    cr_assert_eq(strlen(geom->source_hash), 16u);
    rill_geom_destroy(geom);

    double total, z;
    const char *to;
    long long fluid;
    json_t *json = json_load_file("t.json", 0, NULL);
    cr_assert_not_null(json);
    cr_assert_eq(json_unpack(json, "{s:{s:F, s:{s:F}}, s:I, s:{s:[s]}}", "porosity", "total", &total,
                             "percolating", "z", &z, "fluid_nodes", &fluid, "image", "axes", &to),
                 0);
    cr_assert(total == 33. / 512 && z == 32. / 512 && fluid == 32 && strcmp(to, "x") == 0);
    json_decref(json);

    const cli_result quiet =
        cli_test_run("voxelize", "-q", "tube-8x8x8-u8-2um.raw", "--pore=1", "-o", "t.geom.h5", "--axes",
                     "zyx", "--mirror", "x", "--voxel-size", "3 um");
    cr_assert_eq(quiet.code, 0, "%s", quiet.err);
    cr_assert_str_eq(quiet.out, "");
    cr_assert_str_eq(
        quiet.err,
        "rill voxelize: note: the file says voxels of 2 um x 2 um x 2 um; the voxel size given counts\n");
    cr_assert_eq(rill_geom_read("t.geom.h5", &geom), RILL_OK);
    cr_assert_eq(geom->n[0], 16u);
    cr_assert_eq(rill_geom_fluid(geom), 64u, "the tube runs along x now");
    rill_geom_destroy(geom);
}

Test(cli_voxelize, refuses)
{
    write_tube("a_8x8x8.raw");
    cli_test_fails(1, "no image", "voxelize", "-o", "b.geom.h5");
    cli_test_fails(1, "-o FILE", "voxelize", "a_8x8x8.raw");
    cli_test_fails(1, "overwrite", "voxelize", "a_8x8x8.raw", "-o", "a_8x8x8.raw");
    cr_assert_eq(symlink("a_8x8x8.raw", "link.geom.h5"), 0);
    cli_test_fails(1, "overwrite", "voxelize", "a_8x8x8.raw", "-o", "link.geom.h5");
    cr_assert_eq(unlink("link.geom.h5"), 0);
    cli_test_fails(1, "in quotes", "voxelize", "a_8x8x8.raw", "b.raw", "-o", "b.geom.h5");
    cli_test_fails(1, "No such file", "voxelize", "b_8x8x8.raw", "-o", "b.geom.h5");
    cli_test_fails(1, "512 bytes", "voxelize", "a_8x8x8.raw", "--size", "8x8x9", "-o", "b.geom.h5");
    cli_test_fails(1, "512 bytes", "voxelize", "a_8x8x8.raw", "--type", "u16", "-o", "b.geom.h5");
    cli_test_fails(1, "0 (93.55 %), 1 (6.445 %)", "voxelize", "a_8x8x8.raw", "--pore", "2", "-o",
                   "b.geom.h5");
    cli_test_fails(1, "every voxel is pore", "voxelize", "a_8x8x8.raw", "--pore", "0-1", "-o", "b.geom.h5");
    cli_test_fails(1, "cannot occur", "voxelize", "a_8x8x8.raw", "--pore", "300", "-o", "b.geom.h5");
    cli_test_fails(1, "--mirro", "voxelize", "a_8x8x8.raw", "--mirro", "x", "-o", "b.geom.h5");
    cli_test_fails(1, "5 furlongs", "voxelize", "a_8x8x8.raw", "--voxel-size", "5 furlongs/s", "-o",
                   "b.geom.h5");
    static const char *const bad[][2] = {
        {"--pore", "x"}, {"--sides", "x"},    {"--axes", "x"},      {"--crop", "x"}, {"--mirror", "q"},
        {"--size", "8"}, {"--resample", "5"}, {"--resample", "0m"}, {"--skip", "x"}, {"--memory", "x"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        cli_test_fails(1, bad[k][0], "voxelize", "a_8x8x8.raw", bad[k][0], bad[k][1], "-o", "b.geom.h5");
    cli_test_fails(2, "no pore conducts along x", "voxelize", "a_8x8x8.raw", "--pore", "1", "--axis", "x",
                   "-o", "b.geom.h5");
    cli_test_fails(3, "memory", "voxelize", "a_8x8x8.raw", "--memory", "1kB", "--pore", "1", "-o",
                   "b.geom.h5");
    cli_test_fails(3, "none/b.geom.h5", "voxelize", "a_8x8x8.raw", "--pore", "1", "-o", "none/b.geom.h5");
    cli_test_fails(3, "none/b.json", "voxelize", "a_8x8x8.raw", "--pore", "1", "-o", "b.geom.h5", "--json",
                   "none/b.json");
    cr_assert_eq(files_here(), 1, "a failed run leaves no file behind");
    const cli_result r =
        cli_test_run("voxelize", "a_8x8x8.raw", "--pore", "0-1", "--keep", "all", "-o", "b.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert(strstr(r.out, "every voxel is pore"), "%s", r.out);
}

/* A legacy VTK file may hold an image or a surface: what it holds decides, not its name. */
Test(cli_voxelize, legacy_vtk_by_its_content)
{
    static const char head[] = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET ";
    FILE *file = fopen("image.vtk", "w");
    cr_assert_not_null(file);
    fprintf(
        file,
        "%sSTRUCTURED_POINTS\nDIMENSIONS 4 4 2\nSPACING 1 1 1\nORIGIN 0 0 0\nPOINT_DATA 32\nSCALARS a short 1\n"
        "LOOKUP_TABLE default\n",
        head);
    for (int k = 0; k < 32; k++) fprintf(file, "%d ", k % 4 == 0);
    cr_assert_eq(fclose(file), 0);
    cli_result r = cli_test_run("voxelize", "image.vtk", "--pore", "0", "-o", "a.geom.h5");
    cr_assert(r.code == 0 && strstr(r.out, "legacy VTK, ASCII, points"), "%s%s", r.out, r.err);
    r = cli_test_run("info", "image.vtk", "--pore", "0");
    cr_assert(r.code == 0 && strstr(r.out, "legacy VTK"), "%s%s", r.out, r.err);
    file = fopen("surface.vtk", "w");
    cr_assert_not_null(file);
    fprintf(file, "%sPOLYDATA\nPOINTS 0 float\n", head);
    cr_assert_eq(fclose(file), 0);
    cli_test_fails(1, "a legacy VTK file", "voxelize", "surface.vtk", "--units", "mm", "--dx", "1mm", "-o",
                   "b.geom.h5");
    cli_test_fails(1, "surface", "permeability", "surface.vtk", "--pore", "0");
}

/* A header in micrometres that is taken as millimetres, and a unit that was mistyped. */
Test(cli_voxelize, refuses_sizes_that_no_pore_has)
{
    FILE *file = fopen("a.mha", "wb");
    cr_assert_not_null(file);
    fprintf(
        file,
        "ObjectType = Image\nNDims = 3\nDimSize = 4 4 4\nElementType = MET_UCHAR\nElementSize = 2.5 2.5 2.5\n"
        "ElementDataFile = LOCAL\n");
    for (int v = 0; v < 64; v++) fputc(v % 4 == 0, file);
    cr_assert_eq(fclose(file), 0);
    cli_test_fails(
        1,
        "ElementSize states 2.5 x 2.5 x 2.5 mm (it names no unit, this one is assumed): give the right size, such as --voxel-size 2.5um, or --allow-voxel-size",
        "voxelize", "a.mha", "--pore", "0", "-o", "a.geom.h5");
    cli_test_fails(1, "--voxel-size 2.5um", "permeability", "a.mha", "--pore", "0");
    cli_test_fails(1, "--voxel-size 2.5um", "permeability", "a.mha", "--pore", "0", "--csv", "k.csv");
    cli_test_fails(1, "a voxel of 2.5 mm is not between 1 nm and 1 mm", "voxelize", "a.mha", "--pore", "0",
                   "--voxel-size", "2.5mm", "-o", "a.geom.h5");
    cli_result r =
        cli_test_run("voxelize", "a.mha", "--pore", "0", "--voxel-size", "2.5um", "-q", "-o", "a.geom.h5");
    cr_assert(r.code == 0 && r.err[0], "%s", r.err); /* the file says another size */
    cli_test_fails(1, "--allow-voxel-size", "permeability", "a.geom.h5", "--voxel-size", "2.5mm");
    cli_test_fails(1, "--allow-voxel-size", "permeability", "a.geom.h5", "--voxel-size", "2.5mm", "--csv",
                   "k.csv");
    r = cli_test_run("voxelize", "a.mha", "--pore", "0", "--allow-voxel-size", "-o", "b.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect(strstr(r.out, "2.5 mm") && strstr(r.out, "taken as millimetres"), "%s", r.out);
}
