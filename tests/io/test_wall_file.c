/* SPDX-License-Identifier: Apache-2.0 */
/* Results on triangles: what VTK 9.1 (package python3-vtk9) and readers of XDMF see, and the picture. */
#include "io/canvas.h"
#include "io/fields.h"
#include "io/hdf5.h"
#include "io/info.h"
#include "io/pictures.h"
#include "io/view.h"
#include "io/wall_file.h"
#include "io/xmf.h"
#include "io_test.h"

#include <jansson.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

enum { TRIANGLES = 4 };

/* A tetrahedron with the corners (0,0,0), (3,0,0), (0,2,0), (0,0,4). */
static double vertices[4][3] = {{0, 0, 0}, {3, 0, 0}, {0, 2, 0}, {0, 0, 4}};
static uint32_t triangles[TRIANGLES][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
static uint32_t patches[TRIANGLES] = {0, 0, 1, 0};
static char wall[] = "wall", inlet[] = "inlet", *patch_names[] = {wall, inlet};
static rill_surface surface = {.vertices = vertices,
                               .triangles = triangles,
                               .vertex_count = 4,
                               .triangle_count = TRIANGLES,
                               .patches = patches,
                               .patch_names = patch_names,
                               .patch_count = 2};
static rill_geom geom = {.n = {1, 1, 1}, .source = (char *)"vessel.stl", .surface = &surface};
static const float shear[TRIANGLES][3] = {{1, 2, 3}, {4, 5, 6}, {NAN, NAN, NAN}, {-1, 0, 1}};
static const float size[TRIANGLES] = {0, 1, NAN, 2};
static const rill_wall_array arrays[] = {{"WSS", "Pa", "wall shear stress", 3, shear[0]},
                                         {"TAWSS", "Pa", "mean magnitude", 1, size}};

TestSuite(wall_file, .init = io_test_start, .fini = io_test_end);

static const char *write_at(const char *name, double time)
{
    const char *path = io_test_path(name);
    const rill_wall_fields fields = {&geom, arrays, 2, 70, time, "rill run case.yaml"};
    cr_assert_eq(rill_wall_file_write(&fields, path), RILL_OK, "%s", rill_error_message());
    return path;
}

static json_t *see(const char *script, const char *path)
{
    char command[256];
    snprintf(command, sizeof command, "/usr/bin/python3 tests/%s '%s'", script, path);
    FILE *pipe = popen(command, "r");
    cr_assert(pipe);
    json_t *seen = json_loadf(pipe, JSON_ALLOW_NUL, NULL);
    cr_assert_eq(pclose(pipe), 0, "%s failed: are python3-vtk9 and python3-h5py installed?", command);
    cr_assert(seen, "%s", command);
    return seen;
}

/* The value at a path of object keys and array places, "corners 3 1 0". */
static double number_at(const json_t *json, const char *where)
{
    char copy[128];
    snprintf(copy, sizeof copy, "%s", where);
    for (char *part = strtok(copy, " "); part; part = strtok(NULL, " "))
        json = json_is_array(json) ? json_array_get(json, (size_t)atoi(part)) : json_object_get(json, part);
    cr_assert(json_is_number(json), "%s", where);
    return json_number_value(json);
}

Test(wall_file, vtk_reads_the_triangles_and_what_is_on_them)
{
    const float all[TRIANGLES][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {-1, 0, 1}}; /* JSON has no NaN */
    const rill_wall_array array = {"WSS", "Pa", "wall shear stress", 3, all[0]};
    const rill_wall_fields fields = {&geom, &array, 1, 70, 0.5, NULL};
    const char *path = io_test_path("a.vtkhdf");
    char where[64];
    cr_assert_eq(rill_wall_file_write(&fields, path), RILL_OK, "%s", rill_error_message());
    json_t *seen = see("vtk_read.py", path);
    cr_assert_str_eq(json_string_value(json_object_get(seen, "class")), "vtkUnstructuredGrid");
    cr_assert_eq(number_at(seen, "points"), 4);
    cr_assert_eq(number_at(seen, "cells"), TRIANGLES);
    cr_assert_eq(json_array_size(json_object_get(seen, "types")), 1);
    cr_assert_eq(number_at(seen, "types 0"), 5);
    for (unsigned t = 0; t < TRIANGLES; t++) {
        snprintf(where, sizeof where, "cell_data triangle rows %u 0", t);
        cr_assert_eq(number_at(seen, where), t);
        snprintf(where, sizeof where, "cell_data patch rows %u 0", t);
        cr_assert_eq(number_at(seen, where), patches[t]);
        for (unsigned k = 0; k < 9; k++) {
            snprintf(where, sizeof where, "corners %u %u %u", t, k / 3, k % 3);
            cr_assert_eq(number_at(seen, where), vertices[triangles[t][k / 3]][k % 3]);
        }
        for (unsigned a = 0; a < 3; a++) {
            snprintf(where, sizeof where, "cell_data WSS rows %u %u", t, a);
            cr_assert_eq(number_at(seen, where), (double)all[t][a]);
        }
    }
    json_decref(seen);
    rill_h5_file *file = NULL;
    char *names = NULL;
    cr_assert_eq(rill_h5_open(path, &file), RILL_OK);
    cr_assert_eq(rill_h5_get_text(file, "/VTKHDF/CellData/patch", "names", &names), RILL_OK);
    cr_assert_str_eq(names, "wall\ninlet");
    free(names);
    rill_h5_close(file);
    io_test_expect_files(1);
}

Test(wall_file, a_series_has_physical_times)
{
    char first[96], second[96];
    strcpy(first, write_at("p0.vtkhdf", 0.25));
    strcpy(second, write_at("p1.vtkhdf", 0.5));
    const char *xmf = io_test_path("p.xmf");
    const rill_xmf_moment moments[] = {{first, 0.25}, {second, 0.5}};
    cr_assert_eq(rill_xmf_write(moments, 2, xmf), RILL_OK, "%s", rill_error_message());
    json_t *seen = see("xmf_read.py", xmf);
    cr_assert_eq(json_array_size(seen), 2);
    cr_assert_eq(number_at(seen, "0 time"), 0.25);
    cr_assert_eq(number_at(seen, "1 time"), 0.5);
    cr_assert_eq(number_at(seen, "1 arrays Connectivity 0"), TRIANGLES);
    cr_assert_eq(number_at(seen, "1 arrays Connectivity 1"), 3);
    cr_assert_eq(number_at(seen, "1 arrays WSS 1"), 3);
    cr_assert_eq(number_at(seen, "1 arrays TAWSS 0"), TRIANGLES);
    cr_assert_str_eq(json_string_value(json_object_get(json_array_get(seen, 0), "topology")), "Triangle");
    json_decref(seen);
    const rill_xmf_moment foreign = {xmf, 0};
    cr_assert_eq(rill_xmf_write(&foreign, 1, xmf), RILL_USAGE);
    io_test_expect_files(3);
}

static rill_status moments_of(void *context, rill_node first, rill_node count, double *rho, double *u)
{
    (void)context;
    (void)first;
    memset(rho, 0, count * sizeof *rho);
    memset(u, 0, 3 * count * sizeof *u);
    return RILL_OK;
}

/* Field files of both kinds are found by the same words. */
Test(wall_file, fields_have_an_xmf_that_fits_them)
{
    rill_geom *box = NULL;
    cr_assert_eq(rill_geom_create((const uint32_t[]){4, 5, 6}, &box), RILL_OK);
    for (unsigned v = 30; v < 50; v++) box->voxels[v] = RILL_FLUID;
    rill_fields fields = rill_fields_default();
    fields.geom = box;
    fields.moments = moments_of;
    fields.step = 4;
    fields.time_step = 0.25;
    for (int kind = RILL_FIELDS_IMAGE; kind <= RILL_FIELDS_SPARSE; kind++) {
        cr_assert_eq(rill_fields_write(&fields, (rill_fields_kind)kind, io_test_path("f.vtkhdf")), RILL_OK);
        json_t *seen = see("xmf_read.py", io_test_path("f.xmf"));
        cr_assert_eq(number_at(seen, "0 time"), 1);
        cr_assert_eq(number_at(seen, "0 arrays velocity 0"), kind == RILL_FIELDS_IMAGE ? 6 : 20);
        cr_assert_eq(
            number_at(seen, kind == RILL_FIELDS_IMAGE ? "0 arrays pressure 2" : "0 arrays Connectivity 1"),
            kind == RILL_FIELDS_IMAGE ? 4 : 8);
        json_decref(seen);
    }
    rill_geom_destroy(box);
}

Test(wall_file, info_tells_what_is_there)
{
    json_t *told = NULL;
    cr_assert_eq(rill_info_read(write_at("a.vtkhdf", 0.5), &told), RILL_OK, "%s", rill_error_message());
    cr_assert_str_eq(json_string_value(json_object_get(told, "kind")), "wall");
    cr_assert_eq(number_at(told, "triangles"), TRIANGLES);
    cr_assert_eq(number_at(told, "time"), 0.5);
    cr_assert_str_eq(
        json_string_value(json_object_get(json_object_get(json_object_get(told, "fields"), "WSS"), "units")),
        "Pa");
    json_decref(told);
}

/* Read a PNG. @return pixels [height][width][3], to be freed */
static uint8_t *picture_read(const char *path, png_image *image)
{
    *image = (png_image){.version = PNG_IMAGE_VERSION};
    cr_assert(png_image_begin_read_from_file(image, path));
    image->format = PNG_FORMAT_RGB;
    uint8_t *rgb = malloc(PNG_IMAGE_SIZE(*image));
    cr_assert(rgb && png_image_finish_read(image, NULL, rgb, 0, NULL));
    return rgb;
}

/* Two squares, one behind the other: from either side only the nearer one is seen, in its colour. */
Test(wall_file, a_picture_shows_what_is_in_front)
{
    double corners[8][3];
    uint32_t squares[4][3] = {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {4, 6, 7}};
    for (unsigned k = 0; k < 8; k++) {
        corners[k][0] = k % 4 == 1 || k % 4 == 2;
        corners[k][2] = k % 4 > 1;
        corners[k][1] = k < 4 ? 0 : 0.5;
    }
    const rill_surface two = {
        .vertices = corners, .triangles = squares, .vertex_count = 8, .triangle_count = 4};
    const float values[4] = {0, 0, 1, 1};
    const rill_view view = {.surface = &two, .values = values, .caption = "TAWSS Pa", .range = {0, 1}};
    const char *path = io_test_path("a.png");
    cr_assert_eq(rill_view_write(&view, path), RILL_OK, "%s", rill_error_message());
    png_image image;
    uint8_t *rgb = picture_read(path, &image);
    for (unsigned side = 0; side < 2; side++) { /* from above y first: the second square is nearer */
        uint8_t expected[3];
        rill_picture_colour(side == 0 ? 1 : 0, expected);
        const uint8_t *middle = rgb + 3 * ((size_t)(image.height / 2) * image.width + 372 + 744 * side);
        for (int c = 0; c < 3; c++) cr_assert_eq(middle[c], expected[c], "side %u: %d", side, middle[c]);
    }
    cr_assert(rgb[0] == 255 && rgb[1] == 255 && rgb[2] == 255);
    free(rgb);
    const rill_view none = {.surface = &(rill_surface){0}, .values = values, .caption = "", .range = {0, 1}};
    cr_assert_eq(rill_view_write(&none, path), RILL_USAGE);
    io_test_expect_files(1);
}

/* Every letter of captions, units and names of openings leaves dots. */
Test(wall_file, captions_are_drawn)
{
    for (const char *letter = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-_./="; *letter;
         letter++) {
        rill_canvas canvas;
        int dark = 0;
        cr_assert_eq(rill_canvas_create(12, 14, &canvas), RILL_OK);
        rill_canvas_print(&canvas, 0, 0, (const char[2]){*letter, '\0'});
        for (int k = 0; k < 3 * 12 * 14; k++) dark += canvas.rgb[k] == 0;
        cr_expect_gt(dark, 0, "%c", *letter);
        rill_canvas_free(&canvas);
    }
}

/* Text of the same letters in lines that a width allows. */
static void expect_lines(uint32_t letters, const char *text, const char *const *lines, uint32_t count)
{
    rill_canvas found, expected;
    cr_assert_eq(rill_canvas_create(300, 120, &found), RILL_OK);
    cr_assert_eq(rill_canvas_create(300, 120, &expected), RILL_OK);
    const uint32_t step = RILL_CANVAS_LINE + 4, high = rill_canvas_print_lines(&found, 5, 7, letters, text);
    for (uint32_t k = 0; k < count; k++) rill_canvas_print(&expected, 5, 7 + k * step, lines[k]);
    cr_expect_eq(high, count ? count * step - 4 : 0, "%s: %u", text, high);
    cr_expect_eq(memcmp(found.rgb, expected.rgb, 3 * 300 * 120), 0, "%s", text);
    rill_canvas_free(&found);
    rill_canvas_free(&expected);
}

Test(wall_file, long_texts_are_broken_where_words_end)
{
    expect_lines(13, "", NULL, 0);
    expect_lines(13, "TAWSS Pa", (const char *const[]){"TAWSS Pa"}, 1);
    expect_lines(13, "TAWSS_ERROR Pa", (const char *const[]){"TAWSS_ERROR", "Pa"}, 2);
    expect_lines(12, "10 opening-10", (const char *const[]){"10 opening-", "10"}, 2);
    expect_lines(13, "endothelial_cell_activation",
                 (const char *const[]){"endothelial_", "cell_", "activation"}, 3);
    expect_lines(5, "abcdefghijkl", (const char *const[]){"abcde", "fghij", "kl"}, 3);
}

/* The legend of an array has its whole name and unit, and the colours begin below. */
Test(wall_file, legends_have_whole_names)
{
    const rill_wall_array error = {"TAWSS_ERROR", "Pa", "uncertainty", 1, size};
    const rill_wall_fields fields = {&geom, &error, 1, 70, 0.5, NULL};
    const char *path = io_test_path("e.vtkhdf");
    char out[96];
    png_image image;
    cr_assert_eq(rill_wall_file_write(&fields, path), RILL_OK, "%s", rill_error_message());
    strcpy(out, io_test_path("e.png"));
    cr_assert_eq(rill_wall_picture_write(io_test_path("e.vtkhdf"), "TAWSS_ERROR", RILL_PICTURE_LINEAR, out),
                 RILL_OK, "%s", rill_error_message());
    uint8_t *rgb = picture_read(out, &image);
    rill_canvas legend;
    cr_assert_eq(rill_canvas_create(RILL_CANVAS_LEGEND, 56, &legend), RILL_OK);
    rill_canvas_print(&legend, RILL_CANVAS_MARGIN, 12, "TAWSS_ERROR");
    rill_canvas_print(&legend, RILL_CANVAS_MARGIN, 30, "Pa");
    for (uint32_t y = 0; y < 56; y++)
        cr_expect_eq(memcmp(legend.rgb + (size_t)3 * y * RILL_CANVAS_LEGEND,
                            rgb + 3 * ((size_t)(y + 1) * image.width - RILL_CANVAS_LEGEND),
                            3 * RILL_CANVAS_LEGEND),
                     0, "row %u", y);
    cr_expect_neq(rgb[3 * (57 * (size_t)image.width - RILL_CANVAS_LEGEND + RILL_CANVAS_MARGIN)], 255,
                  "the bar");
    rill_canvas_free(&legend);
    free(rgb);
}
