/* SPDX-License-Identifier: Apache-2.0 */
/* Field files, as VTK 9.1 (package python3-vtk9, which must be there) sees them. */
#include "io/cells.h"
#include "io/fields.h"
#include "io_test.h"
#include "rill.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { NX = 70, NY = 5, NZ = 11 };

TestSuite(vtkhdf, .init = io_test_start, .fini = io_test_end);

/* Fluid where x + y + z is odd, in the first and the last third of x: some chunks stay empty. */
static rill_geom *sample(void)
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create((uint32_t[]){NX, NY, NZ}, &geom), RILL_OK);
    for (unsigned v = 0; v < NX * NY * NZ; v++) {
        const unsigned x = v % NX, y = v / NX % NY, z = v / (NX * NY);
        geom->voxels[v] = (x + y + z) % 2 && (x < 20 || x > 50) ? 1 + v % 3 : RILL_SOLID;
    }
    return geom;
}

/* The moments of node n say which node it is. */
static rill_status moments(void *context, rill_node first, rill_node count, double *rho, double *u)
{
    (void)context;
    for (rill_node n = 0; n < count; n++) {
        rho[n] = 3e-3 * (first + n);
        for (unsigned a = 0; a < 3; a++) u[a * count + n] = 1e-6 * (first + n) + a;
    }
    return RILL_OK;
}

static rill_fields sample_fields(const rill_geom *geom)
{
    rill_fields fields = rill_fields_default();
    fields.geom = geom;
    fields.moments = moments;
    fields.velocity = (rill_field_unit){2, "m/s", 1};
    return fields;
}

static rill_status rates(void *context, rill_node first, rill_node count, double *rate)
{
    (void)context;
    for (rill_node n = 0; n < count; n++) rate[n] = 7 * (first + n);
    return RILL_OK;
}

static json_t *see(const char *path)
{
    char command[256];
    snprintf(command, sizeof command, "/usr/bin/python3 tests/vtk_read.py '%s'", path);
    FILE *pipe = popen(command, "r");
    cr_assert(pipe);
    json_t *seen = json_loadf(pipe, 0, NULL);
    cr_assert_eq(pclose(pipe), 0, "%s failed: is python3-vtk9 installed?", command);
    cr_assert(seen);
    return seen;
}

static double real_at(const json_t *json, const char *key, size_t i)
{
    const json_t *value = json_array_get(json_object_get(json, key), i);
    cr_assert(json_is_number(value), "%s[%zu] is missing", key, i);
    return json_number_value(value);
}

static double row_at(const json_t *array, size_t row, size_t component)
{
    return json_number_value(json_array_get(json_array_get(json_object_get(array, "rows"), row), component));
}

static void expect_node(const json_t *data, size_t row, unsigned node)
{
    const json_t *velocity = json_object_get(data, "velocity"), *pressure = json_object_get(data, "pressure");
    for (unsigned a = 0; a < 3; a++)
        cr_assert_float_eq(row_at(velocity, row, a), 2 * (1e-6 * node + a), 1e-6, "node %u", node);
    cr_assert_float_eq(row_at(pressure, row, 0), 1e-3 * node, 1e-6, "node %u", node);
}

Test(vtkhdf, image_is_what_vtk_reads)
{
    rill_geom *geom = sample();
    geom->spacing = 2e-6;
    geom->origin[2] = 1e-3;
    const rill_fields fields = sample_fields(geom);
    const char *path = io_test_path("a.vtkhdf");
    cr_assert_eq(rill_fields_write(&fields, RILL_FIELDS_IMAGE, path), RILL_OK, "%s", rill_error_message());
    json_t *seen = see(path), *data = json_object_get(seen, "point_data");
    cr_assert_str_eq(json_string_value(json_object_get(seen, "class")), "vtkImageData");
    cr_assert_eq(json_integer_value(json_object_get(seen, "points")), NX * NY * NZ);
    const unsigned n[3] = {NX, NY, NZ};
    for (size_t a = 0; a < 3; a++) {
        cr_assert_eq(real_at(seen, "dimensions", a), n[a]);
        cr_assert_float_eq(real_at(seen, "spacing", a), 2e-6, 1e-18);
        cr_assert_float_eq(real_at(seen, "origin", a), geom->origin[a] + 1e-6, 1e-15);
    }
    const json_t *range = json_array_get(json_object_get(json_object_get(data, "velocity"), "ranges"), 2);
    cr_assert_eq(json_number_value(json_array_get(range, 0)), 0);
    cr_assert_float_eq(json_number_value(json_array_get(range, 1)),
                       4 + 2e-6 * (double)(rill_geom_fluid(geom) - 1), 1e-6);
    unsigned node = 0;
    for (size_t v = 0; v < NX * NY * NZ; v++) {
        if (geom->voxels[v] >= RILL_FLUID)
            expect_node(data, v, node++);
        else
            cr_assert_eq(row_at(json_object_get(data, "velocity"), v, 1), 0);
    }
    json_decref(seen);
    rill_geom_destroy(geom);
    io_test_expect_files(2);
}

/* The corners of VTK_HEXAHEDRON, in its order. */
static const unsigned hexahedron[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                          {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

/* Shear rates go where velocities go, and absolute pressures have their offset. */
Test(vtkhdf, shear_rates_and_absolute_pressures)
{
    rill_geom *geom = sample();
    rill_fields fields = sample_fields(geom);
    fields.scalars[fields.scalar_count++] =
        (rill_field_scalar){"shear_rate", {1, "1/s", 1, 0}, "shear rate", rates};
    fields.pressure.offset = 100;
    for (int kind = RILL_FIELDS_IMAGE; kind <= RILL_FIELDS_SPARSE; kind++) {
        const char *path = io_test_path("a.vtkhdf");
        cr_assert_eq(rill_fields_write(&fields, (rill_fields_kind)kind, path), RILL_OK, "%s",
                     rill_error_message());
        json_t *seen = see(path);
        const json_t *data = json_object_get(seen, kind == RILL_FIELDS_IMAGE ? "point_data" : "cell_data");
        unsigned node = 0;
        for (size_t v = 0; v < NX * NY * NZ; v++) {
            if (geom->voxels[v] < RILL_FLUID) continue;
            const size_t row = kind == RILL_FIELDS_IMAGE ? v : node;
            cr_assert_eq(row_at(json_object_get(data, "shear_rate"), row, 0), 7.0 * node);
            cr_assert_float_eq(row_at(json_object_get(data, "pressure"), row, 0), 100 + 1e-3 * node, 1e-5);
            node++;
        }
        json_decref(seen);
    }
    rill_geom_destroy(geom);
}

Test(vtkhdf, sparse_is_what_vtk_reads_and_links_its_cells)
{
    rill_geom *geom = sample();
    geom->spacing = 0.5;
    geom->origin[0] = 3;
    rill_fields fields = sample_fields(geom);
    const char *path = io_test_path("a.vtkhdf"), *next = io_test_path("b.vtkhdf"),
               *cells = io_test_path("a.cells.vtkhdf");
    cr_assert_eq(rill_fields_write(&fields, RILL_FIELDS_SPARSE, path), RILL_OK, "%s", rill_error_message());
    fields.cells = cells;
    fields.step = 100;
    cr_assert_eq(rill_fields_write(&fields, RILL_FIELDS_SPARSE, next), RILL_OK, "%s", rill_error_message());
    json_t *seen = see(next), *data = json_object_get(seen, "cell_data");
    cr_assert_str_eq(json_string_value(json_object_get(seen, "class")), "vtkUnstructuredGrid");
    cr_assert_eq((uint64_t)json_integer_value(json_object_get(seen, "cells")), rill_geom_fluid(geom));
    cr_assert_eq(json_array_size(json_object_get(seen, "types")), 1);
    cr_assert_eq(real_at(seen, "types", 0), 12);
    unsigned node = 0;
    for (unsigned v = 0; v < NX * NY * NZ; v++) {
        if (geom->voxels[v] < RILL_FLUID) continue;
        const unsigned at[3] = {v % NX, v / NX % NY, v / (NX * NY)};
        const json_t *corners = json_array_get(json_object_get(seen, "corners"), node);
        for (size_t k = 0; k < 8; k++)
            for (size_t a = 0; a < 3; a++)
                cr_assert_eq(json_number_value(json_array_get(json_array_get(corners, k), a)),
                             geom->origin[a] + 0.5 * (at[a] + hexahedron[k][a]), "corner %zu of node %u", k,
                             node);
        expect_node(data, node, node);
        node++;
    }
    json_decref(seen);
    rill_geom_destroy(geom);
    io_test_expect_files(5);
}

/* Cells are written once, and again where the file does not say its version. */
Test(vtkhdf, cells_without_their_version_are_written_again)
{
    rill_geom *geom = NULL;
    const char *path = io_test_path("a.cells.vtkhdf");
    cr_assert_eq(rill_geom_create((uint32_t[]){3, 2, 2}, &geom), RILL_OK);
    memset(geom->voxels, RILL_FLUID, 12);
    for (int lacks = 0; lacks < 2; lacks++) {
        cr_assert_eq(rill_cells_write(geom, path), RILL_OK, "%s", rill_error_message());
        hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        cr_assert(file >= 0 &&
                  H5Gclose(H5Gcreate2(file, "kept", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)) >= 0);
        if (lacks) cr_assert_geq(H5Adelete(file, "format_version"), 0);
        H5Fclose(file);
        cr_assert_eq(rill_cells_write(geom, path), RILL_OK, "%s", rill_error_message());
        file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        cr_expect_eq(H5Lexists(file, "kept", H5P_DEFAULT) > 0, !lacks);
        cr_expect_gt(H5Aexists(file, "format_version"), 0);
        H5Fclose(file);
        cr_assert_eq(unlink(path), 0);
    }
    rill_geom_destroy(geom);
}

/* The corners of a box of fluid are shared by its cells. */
Test(vtkhdf, cells_share_their_corners_and_an_unknown_spacing_is_one)
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create((uint32_t[]){2, 3, 4}, &geom), RILL_OK);
    memset(geom->voxels, RILL_FLUID, 24);
    const rill_fields fields = sample_fields(geom);
    const char *path = io_test_path("box.vtkhdf");
    cr_assert_eq(rill_fields_write(&fields, RILL_FIELDS_SPARSE, path), RILL_OK, "%s", rill_error_message());
    json_t *seen = see(path);
    cr_assert_eq(json_integer_value(json_object_get(seen, "points")), 3 * 4 * 5);
    cr_assert_eq(json_integer_value(json_object_get(seen, "cells")), 24);
    const double bounds[6] = {0, 2, 0, 3, 0, 4};
    for (size_t i = 0; i < 6; i++) cr_assert_eq(real_at(seen, "bounds", i), bounds[i]);
    json_decref(seen);
    rill_geom_destroy(geom);
    io_test_expect_files(3);
}

static rill_status broken(void *context, rill_node first, rill_node count, double *rho, double *u)
{
    return first > 0 ? RILL_NUMERICS : moments(context, first, count, rho, u);
}

Test(vtkhdf, nothing_is_left_of_a_failure)
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create((uint32_t[]){64, 64, 64}, &geom), RILL_OK);
    rill_fields fields = sample_fields(geom);
    const char *path = io_test_path("a.vtkhdf");
    cr_assert_eq(rill_fields_write(&fields, RILL_FIELDS_IMAGE, path), RILL_USAGE, "there is no fluid");
    memset(geom->voxels, RILL_FLUID, 64 * 64 * 64);
    fields.moments = broken;
    cr_assert_eq(rill_fields_write(&fields, RILL_FIELDS_IMAGE, path), RILL_NUMERICS);
    fields.moments = moments;
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){200000, 200000}), 0);
    cr_assert_eq(rill_fields_write(&fields, RILL_FIELDS_IMAGE, path), RILL_SYSTEM);
    cr_assert(strstr(rill_error_message(), path) && strstr(rill_error_message(), "File too large"));
    rill_geom_destroy(geom);
    io_test_expect_files(0);
}
