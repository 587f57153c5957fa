/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces that VTK 9.1 (package python3-vtk9, which must be there) wrote: VTP in every coding, SimVascular's
 * folder of faces, one STL for each patch. Each gives the same voxels; names of faces are carried on. */
#include "directory.h"
#include "geometry/surface/surface.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[DIRECTORY_SIZE];

static void start(void)
{
    char script[PATH_MAX], command[PATH_MAX + 32];
    cr_assert_not_null(realpath("tests/vtk_write_surface.py", script),
                       "run the test in the root of the sources");
    directory_make(directory);
    cr_assert_eq(chdir(directory), 0);
    snprintf(command, sizeof command, "/usr/bin/python3 '%s'", script);
    cr_assert_eq(system(command), 0, "%s failed: is python3-vtk9 installed?", command);
}

static void end(void)
{
    cr_assert_eq(chdir("/"), 0);
    directory_remove(directory);
}

TestSuite(vtk_surfaces, .init = start, .fini = end);

static rill_geom *voxels_of(const char *path, const rill_surface_options *given)
{
    rill_geom *geom = NULL;
    rill_surface_options options = given ? *given : rill_surface_options_default();
    options.unit = 1e-3;
    options.spacing = 0.25e-3;
    cr_assert_eq(rill_surface_file_voxelize(path, &options, (rill_progress){0}, &geom), RILL_OK, "%s",
                 rill_error_message());
    return geom;
}

/* The same voxels as of the STL, and openings with these names, largest first or in any order. */
static void expect_same(const rill_geom *whole, const char *path, const char *one, const char *other)
{
    rill_geom *geom = voxels_of(path, NULL);
    cr_assert_arr_eq(geom->n, whole->n, sizeof geom->n);
    uint64_t fluid = 0;
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        cr_assert_eq(geom->voxels[v] == RILL_SOLID, whole->voxels[v] == RILL_SOLID, "%s: voxel %llu", path,
                     (unsigned long long)v);
        fluid += geom->voxels[v] != RILL_SOLID;
    }
    cr_assert_gt(fluid, 0u);
    const rill_surface *s = geom->surface;
    cr_assert_eq(s->opening_count, 2);
    const char *first = s->openings[0].name, *second = s->openings[1].name;
    cr_assert((strcmp(first, one) == 0 && strcmp(second, other) == 0) ||
                  (strcmp(first, other) == 0 && strcmp(second, one) == 0),
              "%s: %s and %s", path, first, second);
    rill_geom_destroy(geom);
}

/* The area of the triangles of a patch; the patch must exist. */
static double area_of(const rill_surface *s, const char *name)
{
    double area = 0;
    uint32_t p = 0;
    while (p < s->patch_count && strcmp(s->patch_names[p], name) != 0) p++;
    cr_assert_lt(p, s->patch_count, "no patch %s", name);
    for (uint64_t t = 0; t < s->triangle_count; t++) {
        const uint32_t *v = s->triangles[t];
        double a[3], b[3], n[3];
        if (s->patches[t] != p) continue;
        rill_subtract(s->vertices[v[1]], s->vertices[v[0]], a);
        rill_subtract(s->vertices[v[2]], s->vertices[v[0]], b);
        rill_cross(a, b, n);
        area += sqrt(rill_dot(n, n)) / 2;
    }
    return area;
}

Test(vtk_surfaces, every_coding_and_folders)
{
    static const char *const modes[] = {"ascii", "binary", "appended", "raw"};
    rill_geom *whole = voxels_of("whole.stl", NULL);
    cr_assert_null(whole->surface->patches, "a binary STL names nothing");
    for (int m = 0; m < 4; m++)
        for (int bits = 0; bits < 8; bits++) {
            char path[32];
            snprintf(path, sizeof path, "%s-%d.vtp", modes[m], bits);
            expect_same(whole, path, "2", "3");
        }
    expect_same(whole, "mesh-surfaces", "inflow", "outflow");
    expect_same(whole, "patches/", "inflow", "outflow");
    rill_geom_destroy(whole);
}

/* A regular prism of 24 faces, radius 2 mm, 10 mm long. */
Test(vtk_surfaces, names_of_faces_are_kept)
{
    const double base = 12 * 4 * sin(M_PI / 12) * 1e-6, side = 24 * 2 * 2 * sin(M_PI / 24) * 10 * 1e-6;
    rill_group_name group = {"heart", "inflow"};
    rill_surface_options options = rill_surface_options_default();
    options.groups = &group;
    options.group_count = 1;
    rill_geom *geom = voxels_of("mesh-surfaces", &options), *back = NULL;
    cr_assert_eq(geom->surface->opening_count, 1);
    cr_assert_str_eq(geom->surface->openings[0].name, "heart");
    cr_assert_eq(rill_geom_write(geom, "a.geom.h5", NULL), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_geom_read("a.geom.h5", &back), RILL_OK, "%s", rill_error_message());
    rill_geom *copy = NULL;
    cr_assert_eq(rill_geom_copy(back, &copy), RILL_OK);
    const rill_geom *const all[] = {geom, back, copy};
    for (int k = 0; k < 3; k++) {
        cr_assert_eq(all[k]->surface->patch_count, 3u);
        cr_assert_float_eq(area_of(all[k]->surface, "inflow") / base, 1, 1e-5);
        cr_assert_float_eq(area_of(all[k]->surface, "outflow") / base, 1, 1e-5);
        cr_assert_float_eq(area_of(all[k]->surface, "wall_vessel") / side, 1, 1e-5);
    }
    rill_geom_destroy(copy);
    rill_geom_destroy(back);
    rill_geom_destroy(geom);
}

static void refuse(const char *path, const char *word)
{
    rill_surface_file what;
    rill_mesh *mesh = NULL;
    cr_assert_eq(rill_surface_read(path, 1, &what, &mesh), RILL_USAGE, "%s", path);
    cr_assert(strstr(rill_error_message(), word), "\"%s\" lacks \"%s\"", rill_error_message(), word);
}

Test(vtk_surfaces, damaged)
{
    FILE *file = fopen("raw-0.vtp", "rb");
    static char bytes[1 << 16];
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t length = size - 40; length > 0; length -= length > 800 ? 37 : 1) {
        cr_assert_eq(truncate("raw-0.vtp", (off_t)length), 0);
        refuse("raw-0.vtp", "raw-0.vtp");
    }
    cr_assert_eq(mkdir("none", 0700), 0);
    refuse("none", "holds no surfaces");
    cr_assert_eq(rename("whole.stl", "patches/inflow.vtp"), 0);
    refuse("patches", "two surfaces");
    static const char *const texts[][2] = {
        {"<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece/></UnstructuredGrid></VTKFile>",
         "Extract Surface"},
        {"<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"3000000000\"><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\">0</DataArray></Points></Piece></PolyData></VTKFile>",
         "3000000000 points"},
        {"<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"3\" NumberOfStrips=\"1\"><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\">0 0 0 1 0 0 0 1 0</DataArray></Points></Piece></PolyData></VTKFile>",
         "Triangulate"},
        {"<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"1\" NumberOfPolys=\"1\"><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\">0 0 0</DataArray></Points><Polys><DataArray type=\"Int32\" Name=\"connectivity\">0 0 9</DataArray><DataArray type=\"Int32\" Name=\"offsets\">3</DataArray></Polys></Piece></PolyData></VTKFile>",
         "names point 9"},
        {"<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"1\" NumberOfPolys=\"1\"><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\">0 0 0</DataArray></Points><Polys><DataArray type=\"Int32\" Name=\"connectivity\">0 0 0</DataArray><DataArray type=\"Int32\" Name=\"offsets\">2000000000</DataArray></Polys></Piece></PolyData></VTKFile>",
         "corners"},
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        file = fopen("a.vtp", "wb");
        fputs(texts[k][0], file);
        fclose(file);
        refuse("a.vtp", texts[k][1]);
    }
}
