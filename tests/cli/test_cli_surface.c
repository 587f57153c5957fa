/* SPDX-License-Identifier: Apache-2.0 */
/* rill voxelize with surfaces as its users see it. */
#include "cli_test.h"

#include "shapes.h"
#include "rill.h"

#include <jansson.h>

TestSuite(cli_surface, .init = cli_test_start, .fini = cli_test_end);

static void write_tube(const char *path)
{
    shape s = shape_new();
    shape_tube(&s, 4, 20, 20, 48);
    shape_write_stl(&s, path);
    shape_free(&s);
}

/* A wrong unit is a note of the geometry, and a case that uses it has the note, too. */
Test(cli_surface, a_size_of_no_vessel_is_a_note)
{
    write_tube("vessel.stl");
    cli_result r = cli_test_run("voxelize", "vessel.stl", "--units", "m", "--dx", "1m", "-q", "--json",
                                "v.json", "-o", "v.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect(strstr(r.err, "rill voxelize: note: vessel.stl is "), "%s", r.err);
    json_t *json = json_load_file("v.json", 0, NULL), *notes = json_object_get(json, "notes");
    cr_assert_eq(json_array_size(notes), 1);
    cr_expect_not_null(strstr(json_string_value(json_array_get(notes, 0)), "--units may be wrong"));
    json_decref(json);
    FILE *file = fopen("v.yaml", "w");
    cr_assert_not_null(file);
    fprintf(file,
            "geometry: v.geom.h5\nfluid: {density: 1060 kg/m3, viscosity: 3.5 mPa.s}\nopenings:\n"
            "  opening-1: {kind: inlet, flow: 0.1 mL/s}\n  opening-2: {kind: pressure, pressure: 0 mmHg}\n"
            "run: {duration: 1 ms}\n");
    cr_assert_eq(fclose(file), 0);
    r = cli_test_run("check", "v.yaml", "--no-measure");
    cr_expect(strstr(r.out, "geometry: vessel.stl is "), "%s%s", r.out, r.err);
}

Test(cli_surface, makes_a_geometry)
{
    write_tube("vessel.STL");
    const cli_result r =
        cli_test_run("voxelize", "vessel.STL", "--units", "mm", "--dx", "0.5mm", "-o", "v.geom.h5", "--json",
                     "v.json", "--name", "opening-1=inlet", "--extend=1D");
    cr_assert_eq(r.code, 0, "%s", r.err);
    static const char *const wanted[] = {"STL, binary",  "1824 triangles", "960 vertices",   "none",
                                         "inlet:",       "opening-2:",     "hydraulic",      "narrowest part",
                                         "short throat", "500 um",         "of the surface", "v.geom.h5"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        cr_assert(strstr(r.out, wanted[i]), "\"%s\" is missing in\n%s", wanted[i], r.out);
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_read("v.geom.h5", &geom), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(geom->surface->opening_count, 2);
    cr_assert_float_eq(geom->spacing, 0.5e-3, 1e-12);
    cr_assert_eq(geom->sides[2], RILL_WALL);
    cr_assert(strstr(geom->options, "--extend=1D"), "%s", geom->options);
    rill_geom_destroy(geom);
    json_t *json = json_load_file("v.json", 0, NULL);
    double area, volume;
    const char *name;
    cr_assert_not_null(json);
    cr_assert_eq(json_unpack(json, "{s:[{s:s, s:F}, {}], s:F}", "openings", "name", &name, "area_m2", &area,
                             "volume_m3", &volume),
                 0);
    cr_assert_str_eq(name, "inlet");
    cr_assert_float_eq(area, M_PI * 16e-6, 1e-6);
    cr_assert_float_eq(volume, M_PI * 16e-6 * 36e-3, 8e-8, "%g", volume);
    json_decref(json);
    const cli_result info = cli_test_run("info", "v.geom.h5");
    cr_assert(strstr(info.out, "inlet"), "%s", info.out);
    const cli_result turned =
        cli_test_run("voxelize", "vessel.STL", "--units=mm", "--dx=0.5mm", "--axes=zxy", "-o", "t.geom.h5");
    cr_assert(turned.code == 0 && strstr(turned.out, "18 x 42 x 18"), "%s", turned.out);
    const cli_result quiet = cli_test_run("voxelize", "-q", "vessel.STL", "--units=mm", "--cells", "40",
                                          "--index=pull", "-o", "v.geom.h5");
    cr_assert_eq(quiet.code, 0, "%s", quiet.err);
    cr_assert_str_eq(quiet.out, "");
    cr_assert_str_eq(quiet.err, "");
}

Test(cli_surface, refuses)
{
    write_tube("v.stl");
    cli_test_fails(1, "add --units mm", "voxelize", "v.stl", "--dx", "0.5mm", "-o", "v.geom.h5");
    cli_test_fails(1, "add --dx", "voxelize", "v.stl", "--units", "mm", "-o", "v.geom.h5");
    cli_test_fails(1, "use one", "voxelize", "v.stl", "--units", "mm", "--dx", "1mm", "--cells", "9", "-o",
                   "v.geom.h5");
    cli_test_fails(1, "--units", "voxelize", "v.stl", "--units", "kg", "--dx", "1mm", "-o", "v.geom.h5");
    cli_test_fails(1, "unit", "voxelize", "v.stl", "--units", "mm", "--dx", "1", "-o", "v.geom.h5");
    cli_test_fails(1, "do not apply", "voxelize", "v.stl", "--units", "mm", "--dx", "1mm", "--pore", "1",
                   "-o", "v.geom.h5");
    cli_test_fails(1, "or would mirror it", "voxelize", "v.stl", "--units", "mm", "--dx", "1mm", "--axes",
                   "zyx", "-o", "v.geom.h5");
    cli_test_fails(1, "do not apply", "voxelize", "v.stl", "--units", "mm", "--dx", "1mm", "--keep", "all",
                   "-o", "v.geom.h5");
    cli_test_fails(1, "options of surfaces", "voxelize", "v.raw", "--dx", "1mm", "-o", "v.geom.h5");
    cli_test_fails(1, "--extend", "voxelize", "v.stl", "--units", "mm", "--dx", "1mm", "--extend", "-1D",
                   "-o", "v.geom.h5");
    cli_test_fails(1, "--extend", "voxelize", "v.stl", "--units", "mm", "--dx", "1mm", "--extend", "2", "-o",
                   "v.geom.h5");
    cli_test_fails(1, "is not a plane", "voxelize", "v.stl", "--units", "mm", "--dx", "1mm", "--plane",
                   "in=1mm,2mm,3mm,0,1", "-o", "v.geom.h5");
    cli_test_fails(1, "--plane", "voxelize", "v.stl", "--units", "mm", "--dx", "1mm", "--plane",
                   "1,2mm,3mm,0,1,0", "-o", "v.geom.h5");
    cli_test_fails(1, "cannot name", "voxelize", "v.stl", "--units", "mm", "--dx", "1mm", "--plane",
                   "a/b=1mm,2mm,3mm,0,1,0", "-o", "v.geom.h5");
    cli_test_fails(1, "--name: \"in\" does not rename", "voxelize", "no.stl", "--units", "mm", "--dx", "1mm",
                   "--name", "in", "-o", "v.geom.h5");
    cli_test_fails(1, "--name: \"a/b\" cannot name", "voxelize", "no.stl", "--units", "mm", "--dx", "1mm",
                   "--name", "opening-1=a/b", "-o", "v.geom.h5");
    cli_test_fails(1, "group \"lid\"", "voxelize", "v.stl", "--units", "mm", "--dx", "1mm", "--patch", "lid",
                   "-o", "v.geom.h5");
    cli_test_fails(1, "--shell", "voxelize", "v.stl", "--units", "mm", "--dx", "1mm", "--shell", "0", "-o",
                   "v.geom.h5");
    cli_test_fails(1, "overwrite", "voxelize", "v.stl", "--units", "mm", "--dx", "1mm", "-o", "v.stl");
    cli_test_fails(1, "overwrite", "voxelize", "v.stl", "--units", "mm", "--dx", "1mm", "-o", "v.geom.h5",
                   "--json", "v.stl");
    cli_test_fails(1, "same file", "voxelize", "v.stl", "--units", "mm", "--dx", "1mm", "-o", "v.geom.h5",
                   "--json", "./v.geom.h5");
    cli_test_fails(1, "only 2.66 cells", "voxelize", "v.stl", "--units", "mm", "--dx", "3mm", "-o",
                   "v.geom.h5");
    cli_test_fails(1, "No such file", "voxelize", "w.stl", "--units", "mm", "--dx", "1mm", "-o", "v.geom.h5");
    cli_test_fails(3, "memory", "voxelize", "v.stl", "--units", "mm", "--dx", "1um", "--memory", "1GiB", "-o",
                   "v.geom.h5");
    cli_test_fails(3, "a larger --dx", "voxelize", "v.stl", "--units", "mm", "--dx", "1um", "--memory",
                   "1GiB", "-o", "v.geom.h5");
    cli_test_fails(3, "none/v.geom.h5", "voxelize", "v.stl", "--units", "mm", "--dx", "1mm", "-o",
                   "none/v.geom.h5");
    cr_assert(!cli_test_exists("none"), "a directory was made");
    cli_test_fails(1, "it is a surface", "permeability", "v.stl");
    cr_assert(!cli_test_exists("v.geom.h5"));
    const cli_result r = cli_test_run("voxelize", "v.stl", "--units", "mm", "--dx", "1mm", "--plane",
                                      "cut=0mm,0mm,5mm,0,0.2,1", "-o", "v.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert(strstr(r.out, "cut: "), "%s", r.out);
    cli_test_fails(1, "not a porous sample", "permeability", "v.geom.h5");
    cli_test_fails(1, "not a porous sample", "permeability", "v.geom.h5", "--sides", "periodic");
    cli_test_fails(1, "not a porous sample", "permeability", "v.geom.h5", "--axis", "z", "--drive",
                   "pressure");
}

Test(cli_surface, opens_caps_and_tells_of_flat_sides)
{
    shape s = shape_new();
    shape_tube(&s, 4, 20, 20, 48);
    shape_cap(&s, 0, 48, false, SHAPE_FAN);
    shape_cap(&s, 19 * 48, 48, true, SHAPE_STRIP);
    shape_write_stl(&s, "v.stl");
    const cli_result r = cli_test_run("voxelize", "v.stl", "--units", "mm", "--dx", "0.5mm", "--caps", "auto",
                                      "-o", "v.geom.h5", "--json", "v.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert(strstr(r.out, "opening-2:") && strstr(r.out, ", a flat cap removed"), "%s", r.out);
    json_t *json = json_load_file("v.json", 0, NULL);
    int opened = 0;
    cr_assert_eq(json_unpack(json, "{s:[{s:b}, {}]}", "flat_parts", "opened", &opened), 0);
    cr_assert(opened);
    json_decref(json);
    const cli_result none =
        cli_test_run("voxelize", "v.stl", "--units", "mm", "--dx", "0.5mm", "--caps=none", "-o", "v.geom.h5");
    cr_assert_eq(none.code, 0, "%s", none.err);
    cr_assert(strstr(none.err, "is closed, so that no flow can enter: open its flat caps with --caps auto"),
              "%s", none.err);
    s.nv = s.nt = 0; /* four sides that are flat, too */
    shape_tube(&s, 4, 20, 20, 4);
    shape_cap(&s, 0, 4, false, SHAPE_FAN);
    shape_cap(&s, 19 * 4, 4, true, SHAPE_FAN);
    shape_write_stl(&s, "v.stl");
    shape_free(&s);
    const cli_result sides =
        cli_test_run("voxelize", "v.stl", "--units", "mm", "--dx", "0.5mm", "-o", "v.geom.h5");
    cr_assert_eq(sides.code, 0, "%s", sides.err);
    cr_assert(strstr(sides.out, "opening-2:") && !strstr(sides.out, "opening-3:"), "%s", sides.out);
    cr_assert(
        strstr(sides.out, "closed: the vessel is 5.657 mm deep behind it, less than its length of 20.78 mm"),
        "%s", sides.out);
}

Test(cli_surface, counts_one_in_the_singular)
{
    shape s = shape_new();
    shape_tube(&s, 4, 20, 20, 48);
    s.nt--; /* at the second end: a tooth */
    memmove(s.t + 900, s.t + 901, (s.nt - 900) * sizeof *s.t);
    shape_sphere(&s, 20, 0, 0, 1, 12);
    shape_write_stl(&s, "v.stl");
    shape_free(&s);
    const cli_result r = cli_test_run("voxelize", "v.stl", "--units", "mm", "--dx", "0.4mm", "-o",
                                      "v.geom.h5", "--json", "v.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert(strstr(r.out, "1 disconnected shell beside the largest"), "%s", r.out);
    cr_assert(strstr(r.out, "1 hole, closed"), "%s", r.out);
}
