/* SPDX-License-Identifier: Apache-2.0 */
/* Slices and pictures: the right plane, the right colours, the right way up. */
#include "io/fields.h"
#include "io/pictures.h"
#include "io/slice.h"
#include "io_test.h"
#include "rill.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NX = 70, NY = 40, NZ = 30, PIXELS = 2100 * 2100 };

static char geometry[IO_TEST_PATH], image[IO_TEST_PATH], sparse[IO_TEST_PATH], picture[IO_TEST_PATH];

static rill_status moments(void *context, rill_node first, rill_node count, double *rho, double *u)
{
    (void)context;
    for (rill_node n = 0; n < count; n++) {
        rho[n] = 3 * (first + n);
        u[n] = 3 * (first + n);
        u[count + n] = 4 * (first + n);
        u[2 * count + n] = 0;
    }
    return RILL_OK;
}

/* Fluid where (x + 2 y + 3 z) mod 4 > 1. */
static void begin(void)
{
    io_test_start();
    strcpy(geometry, io_test_path("a.geom.h5"));
    strcpy(image, io_test_path("i.vtkhdf"));
    strcpy(sparse, io_test_path("s.vtkhdf"));
    strcpy(picture, io_test_path("a.png"));
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create((uint32_t[]){NX, NY, NZ}, &geom), RILL_OK);
    for (unsigned v = 0; v < NX * NY * NZ; v++)
        geom->voxels[v] = (v % NX + 2 * (v / NX % NY) + 3 * (v / (NX * NY))) % 4 > 1;
    rill_fields fields = rill_fields_default();
    fields.geom = geom;
    fields.moments = moments;
    cr_assert_eq(rill_geom_write(geom, geometry, NULL), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_fields_write(&fields, RILL_FIELDS_IMAGE, image), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_fields_write(&fields, RILL_FIELDS_SPARSE, sparse), RILL_OK, "%s", rill_error_message());
    rill_geom_destroy(geom);
}

TestSuite(png, .init = begin, .fini = io_test_end);

/* Compares a slice with the formula of the voxels and the node numbers. */
static void expect(const rill_slice *slice, rill_slice_field field, int axis, uint32_t position)
{
    const unsigned n[3] = {NX, NY, NZ};
    cr_assert_eq(slice->position, position);
    cr_assert_eq(slice->width, n[axis == 0 ? 1 : 0]);
    cr_assert_eq(slice->height, n[axis == 2 ? 1 : 2]);
    unsigned node = 0;
    for (unsigned v = 0; v < NX * NY * NZ; v++) {
        const unsigned at[3] = {v % NX, v / NX % NY, v / (NX * NY)};
        const bool fluid = (at[0] + 2 * at[1] + 3 * at[2]) % 4 > 1;
        const unsigned mine = node;
        node += fluid;
        if (at[axis] != position) continue;
        const float value = slice->values[at[axis == 2 ? 1 : 2] * slice->width + at[axis == 0 ? 1 : 0]];
        if (!fluid)
            cr_assert(isnan(value));
        else if (field == RILL_SLICE_VOXELS)
            cr_assert_eq(value, 1);
        else
            cr_assert_float_eq(value,
                               field == RILL_SLICE_SPEED      ? 5.0f * mine
                               : field == RILL_SLICE_PRESSURE ? mine
                                                              : 4.0f * mine,
                               1e-6 * mine);
    }
}

Test(png, slices_show_the_plane_asked_for)
{
    const rill_slice_field fields[] = {RILL_SLICE_SPEED, RILL_SLICE_VELOCITY_Y, RILL_SLICE_PRESSURE};
    rill_slice *slice = NULL;
    for (int axis = 0; axis < 3; axis++) {
        cr_assert_eq(rill_slice_read(geometry, RILL_SLICE_VOXELS, axis, 7, false, &slice), RILL_OK, "%s",
                     rill_error_message());
        expect(slice, RILL_SLICE_VOXELS, axis, 7);
        rill_slice_destroy(slice);
        for (int f = 0; f < 3; f++)
            for (int k = 0; k < 2; k++) {
                cr_assert_eq(rill_slice_read(k ? image : sparse, fields[f], axis, 1, true, &slice), RILL_OK,
                             "%s", rill_error_message());
                expect(slice, fields[f], axis, (axis == 0 ? NX : axis == 1 ? NY : NZ) - 1);
                rill_slice_destroy(slice);
            }
    }
    io_test_expect_files(6);
}

Test(png, slices_that_are_not_there_are_refused)
{
    rill_slice *slice = NULL;
    cr_assert_eq(rill_slice_read(geometry, RILL_SLICE_SPEED, 2, 0, false, &slice), RILL_USAGE);
    cr_assert_eq(rill_slice_read(geometry, RILL_SLICE_VOXELS, 2, NZ, false, &slice), RILL_USAGE);
    cr_assert_eq(rill_slice_read(geometry, RILL_SLICE_VOXELS, 2, -1, false, &slice), RILL_USAGE);
    cr_assert_eq(rill_slice_read(geometry, RILL_SLICE_VOXELS, 2, NAN, true, &slice), RILL_USAGE);
    cr_assert_eq(rill_slice_read(sparse, RILL_SLICE_VOXELS, 2, 0, false, &slice), RILL_USAGE);
    char cells[IO_TEST_PATH];
    strcpy(cells, io_test_path("s.cells.vtkhdf"));
    cr_assert_eq(rill_slice_read(cells, RILL_SLICE_SPEED, 2, 0, false, &slice), RILL_USAGE);
    cr_assert_eq(unlink(cells), 0); /* the cells that the fields link to */
    cr_assert_eq(rill_slice_read(sparse, RILL_SLICE_SPEED, 2, 0, false, &slice), RILL_USAGE);
    io_test_expect_files(5);
}

/* A copy needs no other file. */
Test(png, copies_hold_what_was_linked)
{
    char command[DIRECTORY_SIZE + 16], copy[IO_TEST_PATH];
    rill_slice *slice = NULL;
    strcpy(copy, io_test_path("copy.vtkhdf"));
    cr_assert_eq(rill_fields_copy(sparse, copy), RILL_OK, "%s", rill_error_message());
    snprintf(command, sizeof command, "rm '%s'/s.*", io_test_directory);
    cr_assert_eq(system(command), 0);
    cr_assert_eq(rill_slice_read(copy, RILL_SLICE_SPEED, 1, 3, false, &slice), RILL_OK, "%s",
                 rill_error_message());
    expect(slice, RILL_SLICE_SPEED, 1, 3);
    rill_slice_destroy(slice);
    cr_assert_eq(rill_fields_copy(geometry, copy), RILL_USAGE);
    io_test_expect_files(4);
}

static const uint8_t grey[3] = {170, 170, 170};

Test(png, pictures_have_the_colours_of_their_values)
{
    uint8_t *rgb = malloc(3 * PIXELS), colour[3];
    png_image png = {.version = PNG_IMAGE_VERSION};
    float values[6] = {0, 1, NAN, 2, 4, 3};
    rill_slice slice = {.width = 3, .height = 2, .values = values, .unit = "m/s"};
    cr_assert_eq(rill_picture_write(&slice, RILL_PICTURE_LINEAR, picture), RILL_OK, "%s",
                 rill_error_message());
    cr_assert(png_image_begin_read_from_file(&png, picture), "%s", png.message);
    png.format = PNG_FORMAT_RGB;
    cr_assert(PNG_IMAGE_SIZE(png) <= 3 * PIXELS && png_image_finish_read(&png, NULL, rgb, 0, NULL));
    const unsigned zoom = 160; /* 480 / 3 */
    cr_assert_eq(png.height, 2 * zoom);
    cr_assert_gt(png.width, 3 * zoom + 100, "there is no legend");
    for (unsigned k = 0; k < 6; k++) {
        const uint8_t *found = rgb + 3 * ((size_t)((1 - k / 3) * zoom + 80) * png.width + k % 3 * zoom + 80);
        rill_picture_colour(values[k] / 4, colour);
        cr_assert_arr_eq(found, isnan(values[k]) ? grey : colour, 3, "pixel %u", k);
    }
    rill_picture_colour(0, colour);
    cr_assert_arr_eq(colour, ((uint8_t[]){68, 1, 84}), 3);
    rill_picture_colour(1, colour);
    cr_assert_arr_eq(colour, ((uint8_t[]){253, 231, 37}), 3);
    free(rgb);
    io_test_expect_files(7);
}

Test(png, ranges_leave_out_what_a_logarithm_cannot_take)
{
    float values[4] = {-1, 1e-9f, NAN, 1};
    const rill_slice slice = {.width = 2, .height = 2, .values = values};
    rill_picture_range range = rill_picture_range_of(&slice, RILL_PICTURE_LOG);
    cr_assert(range.low == 1e-6 && range.high == 1, "%g %g", range.low, range.high);
    range = rill_picture_range_of(&slice, RILL_PICTURE_LINEAR);
    cr_assert(range.low == -1 && range.high == 1);
    for (int i = 0; i < 4; i++) values[i] = NAN;
    cr_assert_eq(rill_picture_write(&slice, RILL_PICTURE_LOG, picture), RILL_OK, "all solid: %s",
                 rill_error_message());
    cr_assert_eq(rill_picture_write(&slice, RILL_PICTURE_LINEAR, io_test_directory), RILL_USAGE);
    cr_assert_eq(rill_picture_write(&slice, RILL_PICTURE_LINEAR, "/nonexistent/a.png"), RILL_SYSTEM);
    io_test_expect_files(7);
}
