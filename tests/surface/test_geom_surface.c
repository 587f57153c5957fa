/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces in geometry files: what is written reads back, what does not fit together is refused. */
#include "shapes.h"

#include "geometry/surface/surface.h"
#include "io/hdf5.h"
#include "rill.h"

#include <hdf5.h>

TestSuite(geom_surface, .init = files_start, .fini = files_end);

static rill_geom *tube(void)
{
    rill_geom *geom = NULL;
    rill_surface_options o = rill_surface_options_default();
    shape s = shape_new();
    o.unit = 1e-3;
    o.spacing = 0.4e-3;
    shape_tube(&s, 2, 8, 10, 24);
    shape_write_stl(&s, "a.stl");
    shape_free(&s);
    cr_assert_eq(rill_surface_voxelize("a.stl", &o, (rill_progress){0}, &geom, NULL), RILL_OK, "%s",
                 rill_error_message());
    return geom;
}

static void same_cuts(const rill_cut *a, uint64_t count, const rill_cut *b, uint64_t other)
{
    cr_assert_eq(count, other);
    for (uint64_t c = 0; c < count; c++)
        cr_assert(a[c].node == b[c].node && a[c].direction == b[c].direction && a[c].q == b[c].q &&
                  a[c].triangle == b[c].triangle);
}

Test(geom_surface, reads_back_what_was_written)
{
    rill_geom *geom = tube(), *back = NULL;
    cr_assert_eq(rill_geom_write(geom, "a.geom.h5", NULL), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_geom_read("a.geom.h5", &back), RILL_OK, "%s", rill_error_message());
    const rill_surface *s = geom->surface, *r = back->surface;
    cr_assert_not_null(r);
    cr_assert_eq(s->vertex_count, r->vertex_count);
    cr_assert_eq(s->triangle_count, r->triangle_count);
    cr_assert_arr_eq(s->vertices, r->vertices, s->vertex_count * sizeof *s->vertices);
    cr_assert_arr_eq(s->triangles, r->triangles, s->triangle_count * sizeof *s->triangles);
    same_cuts(s->walls, s->wall_count, r->walls, r->wall_count);
    cr_assert_eq(r->opening_count, 2);
    for (int k = 0; k < 2; k++) {
        const rill_opening *o = &s->openings[k], *p = &r->openings[k];
        cr_assert_str_eq(o->name, p->name);
        cr_assert_eq(o->label, p->label);
        cr_assert_arr_eq(o->centre, p->centre, sizeof o->centre);
        cr_assert_arr_eq(o->normal, p->normal, sizeof o->normal);
        cr_assert(o->area == p->area && o->perimeter == p->perimeter &&
                  o->hydraulic_diameter == p->hydraulic_diameter);
        same_cuts(o->cuts, o->cut_count, p->cuts, p->cut_count);
        cr_assert_eq(p->outline_count, 24);
        cr_assert_eq(o->outline_count, p->outline_count);
        cr_assert_arr_eq(o->outline, p->outline, p->outline_count * sizeof *p->outline);
    }
    rill_geom_destroy(back);
    rill_geom_destroy(geom);
}

/* Change one number of a file behind rill's back. */
static void poke(const char *dataset, hid_t type, uint64_t at, const void *value)
{
    const hid_t file = H5Fopen("a.geom.h5", H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t set = H5Dopen2(file, dataset, H5P_DEFAULT), space = H5Dget_space(set);
    const hsize_t point[2] = {at, 0}, one = 1;
    const hid_t memory = H5Screate_simple(1, &one, NULL);
    cr_assert(H5Sselect_elements(space, H5S_SELECT_SET, 1, point) >= 0);
    cr_assert(H5Dwrite(set, type, memory, space, H5P_DEFAULT, value) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
}

static void refuse(const rill_geom *geom, const char *word)
{
    rill_geom *back = NULL;
    cr_assert_eq(rill_geom_read("a.geom.h5", &back), RILL_USAGE, "read in spite of damage (%s)", word);
    cr_assert_null(back);
    cr_assert(strstr(rill_error_message(), word), "\"%s\" lacks \"%s\"", rill_error_message(), word);
    cr_assert_eq(rill_geom_write(geom, "a.geom.h5", NULL), RILL_OK);
}

Test(geom_surface, refuses_what_does_not_fit)
{
    rill_geom *geom = tube();
    const uint32_t far = 4000000000u;
    const uint8_t direction = 27, none = 0;
    const float beyond = 1.5f, nan = NAN;
    const double infinite = INFINITY;
    cr_assert_eq(rill_geom_write(geom, "a.geom.h5", NULL), RILL_OK);
    poke("/walls/node", H5T_NATIVE_UINT32, 3, &far);
    refuse(geom, "link 3 of /walls");
    poke("/walls/direction", H5T_NATIVE_UINT8, 5, &direction);
    refuse(geom, "link 5 of /walls");
    poke("/walls/direction", H5T_NATIVE_UINT8, 5, &none);
    refuse(geom, "link 5 of /walls");
    poke("/walls/q", H5T_NATIVE_FLOAT, 7, &beyond);
    refuse(geom, "q 1.5");
    poke("/patches/opening-2/q", H5T_NATIVE_FLOAT, 0, &nan);
    refuse(geom, "link 0 of /patches/opening-2");
    poke("/walls/triangle", H5T_NATIVE_UINT32, 0, &(uint32_t){480});
    refuse(geom, "triangle 480");
    poke("/walls/node", H5T_NATIVE_UINT32, 90, &(uint32_t){0});
    refuse(geom, "order");
    poke("/surface/triangles", H5T_NATIVE_UINT32, 2, &far);
    refuse(geom, "triangle 2 names vertex");
    poke("/surface/vertices", H5T_NATIVE_DOUBLE, 2, &infinite);
    refuse(geom, "vertex 2");
    poke("/patches/opening-1/outline", H5T_NATIVE_DOUBLE, 7, &infinite);
    refuse(geom, "point 7");
    static const char *const gone[] = {"/walls/q", "/patches/opening-1/node", "/surface/triangles", "/walls"};
    for (int k = 0; k < 4; k++) {
        const hid_t file = H5Fopen("a.geom.h5", H5F_ACC_RDWR, H5P_DEFAULT);
        cr_assert(H5Ldelete(file, gone[k], H5P_DEFAULT) >= 0);
        H5Fclose(file);
        refuse(geom, k < 3 ? gone[k] : "/walls/node");
    }
    const hid_t file = H5Fopen("a.geom.h5", H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t group = H5Oopen(file, "/patches/opening-1", H5P_DEFAULT);
    cr_assert(H5Adelete(group, "normal") >= 0);
    H5Oclose(group);
    H5Fclose(file);
    refuse(geom, "normal");
    rill_geom_destroy(geom);
}
