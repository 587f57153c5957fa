/* SPDX-License-Identifier: Apache-2.0 */
/* From image to geometry: grey values, axes, crop, resampling, mirror copies, cleaning, provenance, refusals.
 */
#include "image_files.h"

#include "core/status.h"
#include "geometry/image/voxelize.h"

#include <math.h>
#include <omp.h>
#include <xxhash.h>

TestSuite(voxelize, .init = files_start, .fini = files_end);

static rill_voxelize_options keep_all(void)
{
    rill_voxelize_options o = rill_voxelize_options_default();
    o.keep = RILL_KEEP_ALL;
    return o;
}

static rill_geom *make(const char *path, const rill_voxelize_options *o, rill_voxelize_report *report)
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_image_voxelize(path, o, (rill_progress){0}, &geom, report), RILL_OK, "%s",
                 rill_error_message());
    return geom;
}

/* It must fail with this status and a message that has all of these words. */
static void refuse(const char *path, const rill_voxelize_options *o, rill_status wanted, const char *word,
                   const char *other)
{
    rill_geom *geom = NULL;
    const rill_status status = rill_image_voxelize(path, o, (rill_progress){0}, &geom, NULL);
    cr_assert_eq(status, wanted, "status %d: %s", status, rill_error_message());
    cr_assert_null(geom);
    cr_assert(strstr(rill_error_message(), word), "\"%s\" lacks \"%s\"", rill_error_message(), word);
    cr_assert(strstr(rill_error_message(), other), "\"%s\" lacks \"%s\"", rill_error_message(), other);
}

static uint8_t voxel(const rill_geom *g, uint32_t x, uint32_t y, uint32_t z)
{
    return g->voxels[x + (uint64_t)g->n[0] * (y + (uint64_t)g->n[1] * z)];
}

/* An image whose pores follow no symmetry, so that a wrong axis or offset shows. */
static uint8_t grey(uint32_t x, uint32_t y, uint32_t z)
{
    return (uint8_t)((x * 7 + y * 13 + z * 29 + x * y * z) % 5);
}

static void write_grey(const char *path, uint32_t nx, uint32_t ny, uint32_t nz)
{
    uint8_t *data = malloc((size_t)nx * ny * nz), *next = data;
    for (uint32_t z = 0; z < nz; z++)
        for (uint32_t y = 0; y < ny; y++)
            for (uint32_t x = 0; x < nx; x++) *next++ = grey(x, y, z);
    files_write(path, data, (size_t)nx * ny * nz);
    free(data);
}

static bool is_pore(uint32_t x, uint32_t y, uint32_t z)
{
    const uint8_t g = grey(x, y, z);
    return g == 1 || g >= 3;
}

/* All axis orders with crop and mirror copies, against the definition. */
Test(voxelize, axes_crop_mirror)
{
    static const char *const orders[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"};
    const uint32_t n[3] = {7, 8, 9}, crop[3][2] = {{1, 6}, {0, 7}, {2, 7}};
    write_grey("a_7x8x9.raw", 7, 8, 9);
    for (int order = 0; order < 6; order++)
        for (int copies = 0; copies < 8; copies++)
            for (int cropped = 0; cropped < 2; cropped++) {
                rill_voxelize_options o = keep_all();
                rill_voxelize_report report;
                cr_assert_eq(rill_voxelize_parse_axes(orders[order], &o), RILL_OK);
                cr_assert_eq(rill_voxelize_parse_pore("3-255,1", &o), RILL_OK);
                if (cropped) cr_assert_eq(rill_voxelize_parse_crop("1:6,:7,2:7", &o), RILL_OK);
                for (int a = 0; a < 3; a++) o.mirror[a] = copies >> a & 1;
                rill_geom *g = make("a_7x8x9.raw", &o, &report);
                uint32_t low[3] = {0}, length[3], v[3];
                for (int f = 0; f < 3; f++) length[o.axes[f]] = n[f];
                for (int a = 0; a < 3 && cropped; a++) {
                    low[a] = crop[a][0];
                    length[a] = crop[a][1] - crop[a][0];
                }
                for (int a = 0; a < 3; a++) cr_assert_eq(g->n[a], length[a] << (copies >> a & 1));
                uint64_t pores = 0;
                for (v[2] = 0; v[2] < g->n[2]; v[2]++)
                    for (v[1] = 0; v[1] < g->n[1]; v[1]++)
                        for (v[0] = 0; v[0] < g->n[0]; v[0]++) {
                            uint32_t file[3];
                            for (int f = 0; f < 3; f++) {
                                const int a = o.axes[f];
                                const uint32_t i = v[a] < length[a] ? v[a] : 2 * length[a] - 1 - v[a];
                                file[f] = low[a] + i;
                            }
                            const bool pore = is_pore(file[0], file[1], file[2]);
                            pores += pore;
                            cr_assert_eq(voxel(g, v[0], v[1], v[2]), pore, "%s, copies %d: %u %u %u",
                                         orders[order], copies, v[0], v[1], v[2]);
                        }
                cr_assert_eq(report.fluid, pores);
                cr_assert_float_eq(g->porosity.total, (double)pores / (double)rill_geom_voxels(g), 1e-15);
                cr_assert_eq(report.axes[0], o.axes[0]);
                rill_geom_destroy(g);
            }
}

/* Boxes larger than the tiles that are transposed at once, of no round size, resampled so that slices repeat.
 */
Test(voxelize, tiles)
{
    static const char *const orders[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"};
    const uint32_t n[3] = {37, 70, 41};
    write_grey("b_37x70x41_2um.raw", n[0], n[1], n[2]);
    for (int order = 0; order < 6; order++)
        for (int finer = 0; finer < 2; finer++) {
            rill_voxelize_options o = keep_all();
            cr_assert_eq(rill_voxelize_parse_axes(orders[order], &o), RILL_OK);
            cr_assert_eq(rill_voxelize_parse_pore("3-255,1", &o), RILL_OK);
            o.resample = finer ? 1e-6 : 0;
            rill_geom *g = make("b_37x70x41_2um.raw", &o, NULL);
            uint64_t wrong = 0;
            uint32_t v[3];
            for (v[2] = 0; v[2] < g->n[2]; v[2]++)
                for (v[1] = 0; v[1] < g->n[1]; v[1]++)
                    for (v[0] = 0; v[0] < g->n[0]; v[0]++) {
                        uint32_t file[3];
                        for (int f = 0; f < 3; f++) file[f] = v[o.axes[f]] >> finer;
                        wrong += voxel(g, v[0], v[1], v[2]) != is_pore(file[0], file[1], file[2]);
                    }
            cr_assert_eq(wrong, 0u, "%s: %llu voxels are wrong", orders[order], (unsigned long long)wrong);
            for (int f = 0; f < 3; f++) cr_assert_eq(g->n[o.axes[f]], n[f] << finer);
            rill_geom_destroy(g);
        }
}

/* Nearest neighbour on voxel centres, up and down, and the refusal that names the command. */
Test(voxelize, resample)
{
    static file_bytes b;
    rill_voxelize_options o = keep_all();
    cr_assert_eq(rill_voxelize_parse_pore("1,3:4", &o), RILL_OK);
    bytes_print(&b, "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 6 4 5\nencoding: raw\nspacings: 2 2 5\n"
                    "space units: \"um\" \"um\" \"um\"\nspace origin: (11,1,2.5)\n\n");
    for (uint32_t z = 0; z < 5; z++)
        for (uint32_t y = 0; y < 4; y++)
            for (uint32_t x = 0; x < 6; x++) bytes_add(&b, (const uint8_t[]){grey(x, y, z)}, 1);
    files_write("a.nrrd", b.data, b.size);
    refuse("a.nrrd", &o, RILL_USAGE, "2 um x 2 um x 5 um",
           "rill voxelize \"a.nrrd\" --resample isotropic -o FILE.geom.h5 makes 6 x 4 x 13");

    const double wanted[3] = {2e-6, 3e-6, 1e-6};
    const char *const asked[3] = {"isotropic", "3 um", "1um"};
    const uint32_t sizes[3][3] = {{6, 4, 13}, {4, 3, 8}, {12, 8, 25}};
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(rill_voxelize_parse_resample(asked[i], &o), RILL_OK);
        rill_geom *g = make("a.nrrd", &o, NULL);
        cr_assert_float_eq(g->spacing, wanted[i], 1e-15);
        cr_assert_float_eq(g->origin[0], 10e-6, 1e-15);
        cr_assert_float_eq(g->origin[2], 0, 1e-15);
        for (int a = 0; a < 3; a++) cr_assert_eq(g->n[a], sizes[i][a], "axis %d: %u", a, g->n[a]);
        for (uint32_t z = 0; z < g->n[2]; z++)
            for (uint32_t y = 0; y < g->n[1]; y++)
                for (uint32_t x = 0; x < g->n[0]; x++) {
                    const double h = wanted[i] * 1e6;
                    const uint32_t fx = (uint32_t)fmin(5, (x + 0.5) * h / 2),
                                   fy = (uint32_t)fmin(3, (y + 0.5) * h / 2),
                                   fz = (uint32_t)fmin(4, (z + 0.5) * h / 5);
                    cr_assert_eq(voxel(g, x, y, z), is_pore(fx, fy, fz), "%s: %u %u %u", asked[i], x, y, z);
                }
        rill_geom_destroy(g);
    }
    o.resample = 0;
    o.voxel_size = 4e-6;
    rill_voxelize_report report;
    rill_geom *g = make("a.nrrd", &o, &report);
    cr_assert_eq(g->spacing, 4e-6);
    cr_assert(strstr(report.remarks, "5 um"), "%s", report.remarks);
    rill_geom_destroy(g);
    o.resample = 1e-12;
    refuse("a.nrrd", &o, RILL_USAGE, "a voxel of 0.001 nm", "1 nm and 1 mm");
    o.allow_voxel_size = true;
    refuse("a.nrrd", &o, RILL_USAGE, "resampling makes 2.4e+07", "larger");

    write_grey("a_6x4x5.raw", 6, 4, 5);
    o.voxel_size = 0;
    o.resample = RILL_RESAMPLE_ISOTROPIC;
    refuse("a_6x4x5.raw", &o, RILL_USAGE, "no spacing", "--voxel-size");
}

/* All number types give the same pores; ranges include both ends; NaN and impossible ranges are refused. */
Test(voxelize, pore_values)
{
    static file_bytes b;
    rill_voxelize_report report;
    for (int t = 0; t < RILL_GREY_BOOL; t++) {
        rill_image_options raw = rill_image_options_default();
        rill_voxelize_options o = keep_all();
        raw.type = t;
        raw.n[0] = 5, raw.n[1] = 6, raw.n[2] = 4;
        o.image = raw;
        b.size = 0;
        bytes_image(&b, (rill_grey)t, false, raw.n, (const int[3]){0, 1, 2});
        files_write("a", b.data, b.size);
        o.pore_count = 2;
        o.pore[0][0] = files_value((rill_grey)t, 1, 1, 0), o.pore[0][1] = files_value((rill_grey)t, 3, 5, 1);
        o.pore[1][0] = o.pore[1][1] = files_value((rill_grey)t, 4, 5, 3);
        rill_geom *g = make("a", &o, &report);
        for (uint32_t v = 0; v < 120; v++)
            cr_assert_eq(g->voxels[v], (v >= 6 && v <= 58) || v == 119, "%s: voxel %u",
                         rill_grey_name((rill_grey)t), v);
        cr_assert_eq(report.greys, 120u);
        cr_assert_eq(report.grey_min, files_value((rill_grey)t, 0, 0, 0));
        cr_assert_eq(report.grey_max, files_value((rill_grey)t, 4, 5, 3));
        cr_assert_null(strstr(report.remarks, "grey values: "), "%s", report.remarks);
        rill_geom_destroy(g);
        o.pore_count = 1;
        o.pore[0][0] = o.pore[0][1] = 1e300;
        refuse("a", &o, RILL_USAGE, t == RILL_GREY_F64 ? "--pore" : "cannot occur", "");
    }
    rill_voxelize_options o = keep_all();
    const float values[4] = {0, -0.f, 1, NAN};
    files_write("f_2x2x1_f32.raw", values, sizeof values);
    refuse("f_2x2x1_f32.raw", &o, RILL_USAGE, "NaN", "");
    cr_assert_eq(rill_voxelize_parse_pore("0", &o), RILL_OK);
    refuse("f_2x2x1_f32.raw", &o, RILL_USAGE, "NaN", "");

    /* 0 comes in two ways in binary16, the smallest number and infinity are none of them */
    const uint16_t halves[8] = {0, 0x8000, 1, 0x8001, 0x7c00, 0xfc00, 0x3c00, 0x7e00};
    files_write("f_7x1x1_f16.raw", halves, 14);
    rill_geom *h = make("f_7x1x1_f16.raw", &o, &report);
    for (uint32_t v = 0; v < 7; v++) cr_assert_eq(h->voxels[v], v < 2, "voxel %u", v);
    cr_assert_eq(report.greys, 6u);
    cr_assert(report.grey_min == -INFINITY && report.grey[0].value == -INFINITY);
    cr_assert_eq(report.grey[1].value, -ldexp(1, -24));
    rill_geom_destroy(h);
    files_write("f_8x1x1_f16.raw", halves, 16);
    refuse("f_8x1x1_f16.raw", &o, RILL_USAGE, "NaN", "");

    /* more values than are counted one by one */
    static float many[2000];
    for (int i = 0; i < 2000; i++) many[i] = (float)i;
    files_write("f_20x10x10_f32.raw", many, sizeof many);
    rill_geom *g = make("f_20x10x10_f32.raw", &o, &report);
    cr_assert_eq(report.greys, 0u);
    cr_assert_eq(report.grey_max, 1999.);
    rill_geom_destroy(g);
}

/* A mask of bool is True in the pores, unless the user names what is pore. */
Test(voxelize, bool_is_true_in_the_pores)
{
    static file_bytes b;
    rill_voxelize_report report;
    rill_voxelize_options o = keep_all();
    bytes_add(&b, "\x93NUMPY\1\0", 8);
    bytes_add(&b, (const unsigned char[]){118, 0}, 2);
    bytes_print(&b, "%-117s\n", "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 2, 2), }");
    bytes_add(&b, (const unsigned char[]){1, 0, 0, 0, 255, 0, 0, 0}, 8); /* both are True */
    files_write("mask.npy", b.data, b.size);
    rill_geom *g = make("mask.npy", &o, &report);
    cr_assert_eq(rill_geom_fluid(g), 2u);
    cr_assert(g->voxels[0] && g->voxels[4]);
    rill_geom_destroy(g);
    cr_assert_eq(rill_voxelize_parse_pore("0", &o), RILL_OK);
    g = make("mask.npy", &o, &report);
    cr_assert_eq(rill_geom_fluid(g), 6u);
    rill_geom_destroy(g);

    const uint8_t mask[8] = {0, 1, 255, 0, 2, 128, 0, 0};
    o = keep_all();
    o.image.type = RILL_GREY_BOOL;
    for (int a = 0; a < 3; a++) o.image.n[a] = 2;
    cr_assert_eq(rill_array_voxelize(mask, &o, (rill_progress){0}, &g, &report), RILL_OK, "%s",
                 rill_error_message());
    for (int v = 0; v < 8; v++) cr_expect_eq(g->voxels[v], mask[v] != 0, "voxel %d", v);
    rill_geom_destroy(g);
}

/* Numbers do not say what is pore: the refusal lists them with their shares and what to choose from. */
Test(voxelize, numbers_need_pore_values)
{
    static const struct {
        float values[8];
        const char *listed, *choices;
    } cases[] = {
        {{0, 1, 1, 0, 0, 0, 0, 0}, "0 (75 %), 1 (25 %)", "Give --pore 0 or --pore 1. "},
        {{255, 0, 255, 0, 255, 0, 0, 0}, "0 (62.5 %), 255 (37.5 %)", "Give --pore 0 or --pore 255. "},
        {{2, -1, 0, 0, 0, 2, 2, 2}, "-1 (12.5 %), 0 (37.5 %), 2 (50 %)", "Give --pore -1 or --pore 0,2. "},
        {{7, 7, 7, 7, 7, 7, 7, 7}, "7 (100 %)", "Give --pore 7. "},
        {{0.1f, 0, 0, 0, 0, 0, 0, 0}, "0.1 (12.5 %)", "Give --pore 0 or --pore 0.1. "},
    };
    rill_voxelize_report report;
    rill_voxelize_options o = keep_all();
    rill_geom *g = NULL;
    o.image.type = RILL_GREY_F32;
    for (int a = 0; a < 3; a++) o.image.n[a] = 2;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        cr_assert_eq(rill_array_voxelize(cases[c].values, &o, (rill_progress){0}, &g, &report), RILL_USAGE);
        cr_assert(report.pore_unknown && !g);
        cr_expect(strstr(rill_error_message(), cases[c].listed), "%s", rill_error_message());
        cr_expect(strstr(rill_error_message(), cases[c].choices), "%s", rill_error_message());
        cr_expect(strstr(rill_error_message(), "took 0 as pore: --pore 0 gives their result"), "%s",
                  rill_error_message());
    }
    cr_assert_eq(rill_voxelize_parse_pore("0.1", &o), RILL_OK); /* as a float, which the image has */
    cr_assert_eq(rill_array_voxelize(cases[4].values, &o, (rill_progress){0}, &g, &report), RILL_OK, "%s",
                 rill_error_message());
    cr_expect_eq(report.fluid, 1u);
    rill_geom_destroy(g);
    static float many[2000];
    for (int i = 0; i < 2000; i++) many[i] = (float)i - 8;
    files_write("f_20x10x10_f32.raw", many, sizeof many);
    o = keep_all();
    refuse("f_20x10x10_f32.raw", &o, RILL_USAGE, "more than 1000 values from -8 to 1991",
           "Give --pore -8:T or --pore T:1991, with a threshold T. ");
    o.command = "rill voxelize 'a file' -o b.geom.h5"; /* whole commands where the command is known */
    files_write("a file", (const uint8_t[8]){0, 9}, 8);
    o.image.type = RILL_GREY_U8;
    for (int a = 0; a < 3; a++) o.image.n[a] = 2;
    refuse("a file", &o, RILL_USAGE, "Give rill voxelize 'a file' -o b.geom.h5 --pore 0 or ",
           " or rill voxelize 'a file' -o b.geom.h5 --pore 9. ");
}

/* Planes that threads share: every voxel and every count is right. */
Test(voxelize, bytes_on_several_threads)
{
    enum { NX = 500, NY = 401, NZ = 3, VOXELS = NX * NY * NZ };
    static unsigned char grey[VOXELS];
    uint64_t counts[5] = {0}, state = 7;
    for (int k = 0; k < VOXELS; k++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        grey[k] = (unsigned char)((state >> 40) % 5);
        counts[grey[k]]++;
    }
    files_write("t_500x401x3.raw", grey, sizeof grey);
    omp_set_num_threads(3);
    rill_voxelize_report report;
    rill_voxelize_options o = keep_all();
    cr_assert_eq(rill_voxelize_parse_pore("0", &o), RILL_OK);
    rill_geom *geom = make("t_500x401x3.raw", &o, &report);
    cr_assert_eq(report.greys, 5u);
    for (int v = 0; v < 5; v++) {
        cr_expect_eq(report.grey[v].value, v);
        cr_expect_float_eq(report.grey[v].fraction * VOXELS, (double)counts[v], 1e-6);
    }
    for (int k = 0; k < VOXELS; k++) cr_assert_eq(geom->voxels[k] >= RILL_FLUID, grey[k] == 0, "voxel %d", k);
    rill_geom_destroy(geom);
}

/* Slices that threads read side by side into their places, in several groups, from a plane of the file on. */
Test(voxelize, slices_on_several_threads)
{
    enum { NX = 64, NY = 33, NZ = 150, FIRST = 7, LAST = 149, VOXELS = NX * NY * (LAST - FIRST) };
    uint64_t counts[5] = {0}, wrong = 0;
    rill_voxelize_report report;
    rill_voxelize_options o = keep_all();
    write_grey("t_64x33x150.raw", NX, NY, NZ);
    omp_set_num_threads(3);
    cr_assert_eq(rill_voxelize_parse_pore("1,3-4", &o), RILL_OK);
    cr_assert_eq(rill_voxelize_parse_crop(":,:,7:149", &o), RILL_OK);
    cr_assert_eq(rill_voxelize_parse_mirror("z", &o), RILL_OK);
    rill_geom *geom = make("t_64x33x150.raw", &o, &report);
    cr_assert_arr_eq(geom->n, ((uint32_t[3]){NX, NY, 2 * (LAST - FIRST)}), sizeof geom->n);
    for (uint32_t z = FIRST; z < LAST; z++)
        for (uint32_t y = 0; y < NY; y++)
            for (uint32_t x = 0; x < NX; x++) {
                const bool pore = is_pore(x, y, z);
                counts[grey(x, y, z)]++;
                wrong += (voxel(geom, x, y, z - FIRST) >= RILL_FLUID) != pore;
                wrong += (voxel(geom, x, y, geom->n[2] - 1 - (z - FIRST)) >= RILL_FLUID) != pore;
            }
    cr_expect_eq(wrong, 0u, "%llu voxels", (unsigned long long)wrong);
    cr_assert_eq(report.greys, 5u);
    for (int v = 0; v < 5; v++) cr_expect_float_eq(report.grey[v].fraction * VOXELS, (double)counts[v], 1e-6);
    rill_geom_destroy(geom);
}

Test(voxelize, option_words)
{
    rill_voxelize_options o;
    static const struct {
        rill_status (*parse)(const char *, rill_voxelize_options *);
        const char *good[6], *bad[12];
    } words[] = {
        {rill_voxelize_parse_pore,
         {"0", "0-99,255", "-5--1", "0.5:1.5", "1e-3"},
         {"", "a", "1,", "5-1", "1-", "nan", "inf", "1;2", "0x", "1-2-3"}},
        {rill_voxelize_parse_crop,
         {"0:1,0:1,0:1", ":,:,:", "5:,:7,1:2"},
         {"", "0:1", "0:1,0:1", "1:1,:,:", "2:1,:,:", "-1:2,:,:", "0:1,0:1,0:1,",
          "0-1,:,:", "0:99999999999999999999,:,:"}},
        {rill_voxelize_parse_axes, {"xyz", "zyx", "yxz", "XYZ"}, {"", "x", "xy", "xxy", "abc", "xyzx"}},
        {rill_voxelize_parse_mirror, {"x", "zx", "xyz"}, {"", "a", "xx", "xyzx", "none"}},
        {rill_voxelize_parse_sides,
         {"periodic", "wall", "mirror,wall,periodic"},
         {"", "open", "wall,wall", "wall,wall,wall,wall", "wall,", "wall,wall,wall,", ",wall", "walls"}},
        {rill_voxelize_parse_resample,
         {"isotropic", "5 um", "1e-3mm"},
         {"", "5", "0 um", "-1um", "5 kg", "iso"}},
        {rill_voxelize_parse_size,
         {"1x2x3", "480X480X480"},
         {"", "480", "480x480", "0x1x1", "1x1x1x1", "-1x2x3", "ax1x1", "1x1x99999999999", "1 x1x1",
          "1x1x1 "}},
    };
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        for (int i = 0; i < 6 && words[w].good[i]; i++) {
            o = rill_voxelize_options_default();
            cr_assert_eq(words[w].parse(words[w].good[i], &o), RILL_OK, "%s: %s", words[w].good[i],
                         rill_error_message());
        }
        for (int i = 0; i < 12 && words[w].bad[i]; i++) {
            o = rill_voxelize_options_default();
            cr_assert_eq(words[w].parse(words[w].bad[i], &o), RILL_USAGE, "\"%s\" was taken",
                         words[w].bad[i]);
        }
    }
    cr_assert_eq(rill_voxelize_parse_pore("-5--1,7", &o), RILL_OK);
    cr_assert(o.pore_count == 2 && o.pore[0][0] == -5 && o.pore[0][1] == -1 && o.pore[1][1] == 7);
    cr_assert_eq(rill_voxelize_parse_sides("mirror,wall,periodic", &o), RILL_OK);
    cr_assert(o.sides[0] == RILL_MIRROR && o.sides[1] == RILL_WALL && o.sides[2] == RILL_PERIODIC);
    cr_assert_eq(rill_voxelize_parse_sides("wall", &o), RILL_OK);
    cr_assert(o.sides[0] == RILL_WALL && o.sides[2] == RILL_WALL);
    char long_list[200] = "0";
    for (int i = 0; i < 40; i++) strcat(long_list, ",1");
    cr_assert_eq(rill_voxelize_parse_pore(long_list, &o), RILL_USAGE);
    cr_assert(strstr(rill_error_message(), "32"));
}

/* A tube along z, a dead end and an enclosed pore: what stays, what is said, where it came from. */
Test(voxelize, cleaning_and_provenance)
{
    uint8_t data[8 * 8 * 8];
    memset(data, 9, sizeof data);
    for (int z = 0; z < 8; z++) data[2 + 8 * (2 + 8 * z)] = 4; /* tube, 8 voxels */
    for (int x = 0; x < 3; x++) data[x + 8 * (5 + 8 * 5)] = 4; /* dead end at the low x face, 3 */
    data[6 + 8 * (6 + 8 * 2)] = 4;                             /* enclosed, 1 */
    files_write("t_8x8x8_u8_3um.raw", data, sizeof data);
    rill_voxelize_options o = rill_voxelize_options_default();
    rill_voxelize_report report;
    cr_assert_eq(rill_voxelize_parse_pore("4", &o), RILL_OK);
    o.command = "rill voxelize t";
    const uint64_t stay[3] = {12, 11, 8};
    for (int keep = 0; keep < 3; keep++) {
        o.keep = (rill_keep_kind)keep;
        rill_geom *g = make("t_8x8x8_u8_3um.raw", &o, &report);
        cr_assert_eq(report.fluid, stay[keep]);
        cr_assert_eq(rill_geom_fluid(g), stay[keep]);
        cr_assert_eq(report.components.dropped, 12 - stay[keep]);
        cr_assert_eq(report.components.components, 3u);
        cr_assert_eq(g->porosity.total, 12. / 512);
        cr_assert_eq(g->porosity.connected, 11. / 512);
        cr_assert_eq(g->porosity.percolating[0], 0.);
        cr_assert_eq(g->porosity.percolating[2], 8. / 512);
        cr_assert_eq(g->spacing, 3e-6);
        cr_assert_str_eq(g->source, "t_8x8x8_u8_3um.raw");
        cr_assert_str_eq(g->options, "rill voxelize t");
        char hash[17];
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)XXH3_64bits(data, sizeof data));
        cr_assert_str_eq(g->source_hash, hash);
        rill_geom_destroy(g);
    }
    o.axis = 0;
    refuse("t_8x8x8_u8_3um.raw", &o, RILL_NUMERICS, "no pore conducts along x", "0.015625");
    cr_assert_eq(rill_voxelize_parse_crop("5:8,5:8,1:4", &o), RILL_OK);
    o.keep = RILL_KEEP_CONNECTED;
    refuse("t_8x8x8_u8_3um.raw", &o, RILL_NUMERICS, "no pore reaches", "--keep all");
    o = rill_voxelize_options_default();
    cr_assert_eq(rill_voxelize_parse_pore("5-8", &o), RILL_OK);
    refuse("t_8x8x8_u8_3um.raw", &o, RILL_USAGE, "no voxel is pore", "4 (2.344 %), 9 (97.66 %)");
    cr_assert_eq(rill_voxelize_parse_pore("0-255", &o), RILL_OK);
    refuse("t_8x8x8_u8_3um.raw", &o, RILL_USAGE, "every voxel is pore", "--keep all");
    o.keep = RILL_KEEP_ALL;
    rill_geom *g = make("t_8x8x8_u8_3um.raw", &o, &report);
    cr_assert_eq(report.fluid, 512u);
    rill_geom_destroy(g);
    cr_assert_eq(rill_voxelize_parse_crop("0:8,0:9,0:8", &o), RILL_OK);
    refuse("t_8x8x8_u8_3um.raw", &o, RILL_USAGE, "0:9 along y", "8 voxels");
    cr_assert_eq(rill_voxelize_parse_crop("8:,:,:", &o), RILL_OK);
    refuse("t_8x8x8_u8_3um.raw", &o, RILL_USAGE, "8:8 along x", "");
    o = keep_all();
    cr_assert_eq(rill_voxelize_parse_pore("4", &o), RILL_OK);
    setenv("RILL_MEMORY", "1kB", 1);
    refuse("t_8x8x8_u8_3um.raw", &o, RILL_SYSTEM, "8 x 8 x 8 voxels", "");
    unsetenv("RILL_MEMORY");
}

static bool count_calls(void *context, const rill_progress_moment *moment)
{
    cr_assert(moment->what && moment->detail && moment->fraction <= 1);
    ++*(int *)context;
    return true;
}

/* Progress is told, but not for every slice. */
Test(voxelize, progress)
{
    int calls = 0;
    write_grey("p_2x2x3000.raw", 2, 2, 3000);
    rill_voxelize_options o = keep_all();
    rill_geom *geom = NULL;
    cr_assert_eq(rill_voxelize_parse_pore("0", &o), RILL_OK);
    cr_assert_eq(rill_image_voxelize("p_2x2x3000.raw", &o, (rill_progress){count_calls, &calls}, &geom, NULL),
                 RILL_OK);
    cr_assert(calls > 20 && calls < 200, "%d calls", calls);
    rill_geom_destroy(geom);
}

/* An array becomes what a file of the same voxels becomes, whatever the options and the number type. */
Test(voxelize, arrays)
{
    enum { X = 7, Y = 5, Z = 6 };
    uint8_t u8[Z * Y * X];
    float f32[Z * Y * X];
    rill_voxelize_options o = keep_all();
    rill_geom *geom = NULL;
    write_grey("a_7x5x6.raw", X, Y, Z);
    for (uint32_t k = 0; k < Z * Y * X; k++) f32[k] = u8[k] = grey(k % X, k / X % Y, k / (X * Y));
    cr_assert_eq(rill_voxelize_parse_pore("1-2", &o), RILL_OK);
    cr_assert_eq(rill_voxelize_parse_axes("zxy", &o), RILL_OK);
    cr_assert_eq(rill_voxelize_parse_mirror("y", &o), RILL_OK);
    o.crop[0][0] = 1;
    o.voxel_size = 2e-6;
    rill_geom *file = make("a_7x5x6.raw", &o, NULL);
    const rill_grey types[] = {RILL_GREY_U8, RILL_GREY_F32};
    const void *const data[] = {u8, f32};
    memcpy(o.image.n, (const uint32_t[3]){X, Y, Z}, sizeof o.image.n);
    for (int k = 0; k < 2; k++) {
        rill_voxelize_report report;
        o.image.type = types[k];
        cr_assert_eq(rill_array_voxelize(data[k], &o, (rill_progress){0}, &geom, &report), RILL_OK, "%s",
                     rill_error_message());
        cr_assert_arr_eq(geom->n, file->n, sizeof geom->n);
        cr_assert_arr_eq(geom->voxels, file->voxels, rill_geom_voxels(file));
        cr_assert(geom->spacing == 2e-6 && report.fluid == rill_geom_fluid(file));
        cr_assert_eq(k == 0, strcmp(geom->source_hash, file->source_hash) == 0); /* the same bytes */
        rill_geom_destroy(geom);
        geom = NULL;
    }
    rill_geom_destroy(file);
}

static void refuse_array(const void *data, const rill_voxelize_options *o, const char *word)
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_array_voxelize(data, o, (rill_progress){0}, &geom, NULL), RILL_USAGE);
    cr_assert_null(geom);
    cr_assert(strstr(rill_error_message(), word), "\"%s\" lacks \"%s\"", rill_error_message(), word);
}

Test(voxelize, refuses_wrong_arrays_and_options)
{
    const uint8_t data[8] = {0, 1};
    rill_voxelize_options good = keep_all(), o;
    good.image.type = RILL_GREY_U8;
    good.pore_count = 1; /* 0 */
    for (int a = 0; a < 3; a++) good.image.n[a] = 2;
    refuse_array(NULL, &good, "array");
    o = good, o.image.type = -1;
    refuse_array(data, &o, "type");
    o = good, o.image.n[1] = 0;
    refuse_array(data, &o, "0");
    o = good, o.axes[0] = o.axes[1] = o.axes[2] = 1;
    refuse_array(data, &o, "axes");
    o = good, o.sides[2] = (rill_side)7;
    refuse_array(data, &o, "along z");
    o = good, o.pore_count = RILL_PORE_RANGES + 1;
    refuse_array(data, &o, "ranges");
    o = good, o.axis = 3;
    refuse_array(data, &o, "axis");
}

static void write_mhd(const char *spacing)
{
    static file_bytes b;
    b.size = 0;
    bytes_print(
        &b,
        "ObjectType = Image\nNDims = 3\nDimSize = 2 2 2\nElementType = MET_UCHAR\n%s\nElementDataFile = LOCAL\n",
        spacing);
    bytes_add(&b, "\0\0\0\0\1\1\1\1", 8);
    files_write("a.mha", b.data, b.size);
}

/* Voxels of 5.7 m, or of 2.5 mm by a header that means micrometres, are mistakes of the unit. */
Test(voxelize, refuses_sizes_that_no_pore_has)
{
    rill_voxelize_options o = keep_all();
    cr_assert_eq(rill_voxelize_parse_pore("0", &o), RILL_OK);
    const rill_voxelize_options plain = o;
    rill_voxelize_report report;
    write_mhd("ElementSize = 2.5 2.5 2.5");
    refuse("a.mha", &o, RILL_USAGE, "ElementSize states 2.5 x 2.5 x 2.5 mm (it names no unit",
           "--voxel-size 2.5um");
    write_mhd("ElementSpacing = 0.1 0.1 0.1\nDistanceUnits = nm");
    refuse("a.mha", &o, RILL_USAGE, "ElementSpacing states 0.1 x 0.1 x 0.1 nm:", "--allow-voxel-size");
    o.allow_voxel_size = true;
    rill_geom *geom = make("a.mha", &o, &report);
    cr_assert_float_eq(geom->spacing, 1e-10, 1e-20);
    rill_geom_destroy(geom);
    o = plain;
    for (int k = 0; k < 4; k++) {
        o.voxel_size = (const double[]){5.7, 1.1e-3, 0.9e-9, 1}[k];
        refuse("a.mha", &o, RILL_USAGE, "1 nm and 1 mm", "--allow-voxel-size");
    }
    for (int k = 0; k < 3; k++) {
        o.voxel_size = (const double[]){1e-3, 1e-9, 5.7e-6}[k];
        geom = make("a.mha", &o, &report);
        cr_assert_eq(geom->spacing, o.voxel_size);
        rill_geom_destroy(geom);
    }
    /* what is assumed of the file's spacing is a note, unless a voxel size is given */
    write_mhd("ElementSize = 0.0025 0.0025 0.0025");
    o.voxel_size = 2.5e-6;
    geom = make("a.mha", &o, &report);
    cr_assert_null(geom->notes, "%s", geom->notes);
    rill_geom_destroy(geom);
    o.voxel_size = 0;
    geom = make("a.mha", &o, &report);
    cr_assert(geom->notes && strstr(geom->notes, "ElementSize is 0.0025 0.0025 0.0025 without a unit"), "%s",
              geom->notes);
    cr_assert_float_eq(geom->spacing, 2.5e-6, 1e-18);
    rill_geom_destroy(geom);
    o.resample = 5e-3;
    refuse("a.mha", &o, RILL_USAGE, "a voxel of 5 mm", "1 nm and 1 mm");
}
