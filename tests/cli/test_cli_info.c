/* SPDX-License-Identifier: Apache-2.0 */
/* rill info tells what is in each kind of file, and refuses every other file in one sentence. */
#include "cli_test.h"
#include "io/fields.h"
#include "io/result.h"

#include <hdf5_hl.h>
#include <jansson.h>
#include <math.h>
#include <sys/stat.h>

TestSuite(info, .init = cli_test_start, .fini = cli_test_end);

static void expect_in(const cli_result *r, const char *const *parts)
{
    cr_assert_eq(r->code, 0, "%s", r->err);
    for (; *parts; parts++) cr_assert_not_null(strstr(r->out, *parts), "no \"%s\" in\n%s", *parts, r->out);
}

static rill_geom *sample(void)
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create((uint32_t[]){8, 4, 2}, &geom), RILL_OK);
    memset(geom->voxels, RILL_FLUID, 16);
    geom->spacing = 2.5e-6;
    geom->sides[1] = RILL_MIRROR;
    geom->porosity.total = 0.25;
    geom->source = strdup("rock.raw");
    return geom;
}

static rill_status rest(void *context, rill_node first, rill_node count, double *rho, double *u)
{
    (void)context;
    (void)first;
    memset(rho, 0, count * sizeof *rho);
    memset(u, 0, 3 * count * sizeof *u);
    return RILL_OK;
}

Test(info, geometry)
{
    rill_geom *geom = sample();
    const rill_geom_write_options options = {.index_pull = true, .lattice = RILL_D3Q19};
    cr_assert_eq(rill_geom_write(geom, "a.geom.h5", &options), RILL_OK);
    cli_result r = cli_test_run("info", "a.geom.h5");
    expect_in(&r, (const char *const[]){"geometry", "8 4 2", "2.5e-06 m", "y mirror", "0.25", "rock.raw",
                                        "d3q19", NULL});
    r = cli_test_run("info", "--json", "a.geom.h5");
    json_t *json = json_loads(r.out, 0, NULL);
    cr_assert(json, "%s", r.out);
    cr_assert_eq(json_integer_value(json_object_get(json, "fluid")), 16);
    cr_assert_eq(json_number_value(json_object_get(json_object_get(json, "porosity"), "total")), 0.25);
    cr_assert_null(json_object_get(json_object_get(json, "porosity"), "connected"), "unknown is not told");
    json_decref(json);
    rill_geom_destroy(geom);
}

Test(info, result)
{
    rill_result *result = NULL;
    rill_series *series = NULL;
    const rill_run run = {.command = "rill permeability a", .device = "a processor", .seed = 7};
    const rill_quantity k = {"permeability", "m2", NULL, 0};
    cr_assert_eq(rill_result_create("a.h5", &run, &result), RILL_OK);
    cr_assert_eq(rill_series_create(result, "/series/x", &k, 1, &series), RILL_OK);
    cr_assert_eq(rill_series_append(series, 10, (double[]){1.5}), RILL_OK);
    cr_assert_eq(rill_series_append(series, 20, (double[]){1.25}), RILL_OK);
    cr_assert_eq(rill_result_values(result, "/summary", &k, 1, (uint64_t[]){3}, (double[]){1, 2, NAN}),
                 RILL_OK);
    const rill_quantity last = {"last", "lu", NULL,
                                0}; /* also what a description calls the end of a series */
    cr_assert_eq(rill_result_values(result, "/summary", &last, 0, NULL, (double[]){0.375}), RILL_OK);
    cr_assert_eq(rill_result_commit(result), RILL_OK);
    rill_result_destroy(result);
    const cli_result r = cli_test_run("info", "a.h5");
    expect_in(&r, (const char *const[]){"rill permeability a", "a processor", "seed", "1.25 m2", "20",
                                        "1 2 nan m2", "0.375 lu", NULL});
}

/* --verify finds a changed byte of a value that HDF5 has no sum of, and files that have no checksum. */
Test(info, verify)
{
    rill_geom *geom = sample();
    cr_assert_eq(rill_geom_write(geom, "a.geom.h5", NULL), RILL_OK);
    rill_geom_destroy(geom);
    cli_result r = cli_test_run("info", "--verify", "--json", "a.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_not_null(strstr(r.out, "\"checksum\": \"good\""), "%s", r.out);
    FILE *file = fopen("a.geom.h5", "r+b");
    cr_assert(file && fseek(file, -33, SEEK_END) == 0 && fputc(0x55, file) != EOF && fclose(file) == 0);
    cli_test_fails(1, "damaged", "info", "--verify", "a.geom.h5");
    cli_test_fails(1, "damaged", "info", "a.geom.h5");
    cli_test_fails(1, "No such file", "info", "--verify", "b.geom.h5");
    file = fopen("a.raw", "wb");
    cr_assert(file && fputs("abc", file) != EOF && fclose(file) == 0);
    cli_test_fails(1, "no checksum", "info", "--verify", "a.raw");
}

Test(info, fields_and_cells)
{
    rill_geom *geom = sample();
    rill_fields fields = rill_fields_default();
    fields.geom = geom;
    fields.moments = rest;
    fields.step = 12;
    cr_assert_eq(rill_fields_write(&fields, RILL_FIELDS_SPARSE, "s.vtkhdf"), RILL_OK);
    cr_assert_eq(rill_fields_write(&fields, RILL_FIELDS_IMAGE, "i.vtkhdf"), RILL_OK);
    cli_result r = cli_test_run("info", "s.vtkhdf");
    expect_in(&r, (const char *const[]){"UnstructuredGrid", "velocity", "lu", "12",
                                        "periodic mirror periodic", NULL});
    r = cli_test_run("info", "i.vtkhdf");
    expect_in(&r, (const char *const[]){"ImageData", "pressure", "voxels", NULL});
    r = cli_test_run("info", "s.cells.vtkhdf");
    expect_in(&r, (const char *const[]){"cells", "UnstructuredGrid", NULL});
    rill_geom_destroy(geom);
}

static void write_bytes(const char *path, const void *head, size_t length, const unsigned char *data,
                        size_t size)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(head, 1, length, file) + fwrite(data, 1, size, file), length + size);
    cr_assert_eq(fclose(file), 0);
}

static const unsigned char grey[24] = {0, 0, 0, 1, 1, 1, 1, 1, 7, 7, 0, 0};

/* Images: what the file says, the grey values, and what would be pore, as `rill voxelize` would take it. */
Test(info, images)
{
    write_bytes("rock-4x3x2-u8-2.5um.raw", "", 0, grey, 24);
    cli_result r = cli_test_run("info", "rock-4x3x2-u8-2.5um.raw");
    expect_in(&r, (const char *const[]){
                      "image", "raw", "u8", "4 3 2", "2.5e-06 m", "distinct_values             3",
                      "value 7  fraction 0.0833333  pore unknown", "pore_values                 unknown",
                      "choose --pore 0 or --pore 1,7", "pore_fraction               unknown", NULL});
    r = cli_test_run("info", "rock-4x3x2-u8-2.5um.raw", "--json");
    json_t *unknown = json_loads(r.out, 0, NULL);
    cr_assert(unknown, "%s", r.out);
    cr_expect(json_is_null(json_object_get(unknown, "pore_values")));
    cr_expect(json_is_null(json_object_get(unknown, "pore_fraction")));
    json_decref(unknown);
    r = cli_test_run("info", "rock-4x3x2-u8-2.5um.raw", "--pore", "0");
    expect_in(&r, (const char *const[]){"value 7  fraction 0.0833333  pore no",
                                        "pore_fraction               0.708333", NULL});
    r = cli_test_run("info", "rock-4x3x2-u8-2.5um.raw", "--pore", "1-7", "--json");
    json_t *json = json_loads(r.out, 0, NULL);
    cr_assert(json, "%s", r.out);
    cr_expect_eq(json_number_value(json_object_get(json, "pore_fraction")), 7. / 24);
    cr_expect_eq(json_number_value(json_object_get(json, "largest")), 7);
    cr_expect_str_eq(json_string_value(json_object_get(json, "pore_values")), "1:7");
    cr_expect_eq(json_array_size(json_object_get(json, "grey_values")), 3);
    json_decref(json);

    char head[128];
    snprintf(head, sizeof head, "%cNUMPY%c%c%c%c%-117s", 0x93, 1, 0, 118, 0,
             "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 3, 4)}");
    head[127] = '\n';
    write_bytes("mask.npy", head, 128, grey, 24);
    r = cli_test_run("info", "mask.npy");
    expect_in(&r, (const char *const[]){"npy", "4 3 2", "voxel_size                  unknown",
                                        "pore_values                 1", NULL});
    cli_test_fails(1, "--size", "info", "mask.npy", "--size", "4x3x2");
    write_bytes("plain", "", 0, grey, 24);
    cli_test_fails(1, "--size", "info", "plain");
    r = cli_test_run("info", "plain", "--size", "4x3x2");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cli_test_fails(1, "no TIFF files", "info", ".");
}

Test(info, other_files_get_one_sentence)
{
    rill_geom *geom = sample();
    cr_assert_eq(rill_geom_write(geom, "a.geom.h5", NULL), RILL_OK);
    rill_geom_destroy(geom);
    cr_assert_eq(
        system(
            "head -c 900 a.geom.h5 >cut.h5 && : >empty.h5 && echo hello >text.h5 && cp a.geom.h5 bad.h5 &&printf '\\377' | dd of=bad.h5 bs=1 seek=400 conv=notrunc 2>dd.log"),
        0);
    cli_test_fails(1, "no file is given", "info");
    cli_test_fails(1, "No such file", "info", "none.h5");
    cli_test_fails(1, "options for images", "info", "a.geom.h5", "--pore", "1");
    cr_assert_eq(mkfifo("nobody-writes", 0600), 0);
    cli_test_fails(1, "not a regular file", "info", "nobody-writes");
    cli_test_fails(1, "not a regular file", "permeability", "nobody-writes");
    cli_test_fails(1, "is empty", "info", "empty.h5");
    cli_test_fails(1, "not an HDF5 file", "info", "text.h5");
    cli_test_fails(1, "truncated", "info", "cut.h5");
    cli_test_fails(1, "checksum", "info", "bad.h5");
    cli_test_fails(1, "--jsn", "info", "--jsn", "a.geom.h5");
}

Test(info, surfaces_and_folders_of_them)
{
    static const char obj[] =
        "g wall\nv 0 0 0\nv 3 0 0\nv 0 2 0\nv 0 0 4\nf 1 3 2\nf 1 2 4\ng the inlet\nf 1 4 3\nf 2 3 4\n";
    cr_assert_eq(mkdir("folder", 0700), 0);
    for (int k = 0; k < 2; k++) {
        FILE *file = fopen(k ? "folder/wall.obj" : "a.obj", "w");
        fputs(obj, file);
        fclose(file);
    }
    cli_result r = cli_test_run("info", "a.obj");
    expect_in(&r, (const char *const[]){"surface", "OBJ", "3 2 4", "name wall  triangles 2", "name the inlet",
                                        NULL});
    r = cli_test_run("info", "folder", "--json");
    expect_in(&r,
              (const char *const[]){"folder of surfaces", "\"name\": \"wall\"", "\"triangles\": 4", NULL});
    cli_test_fails(1, "--units mm", "voxelize", "folder", "--dx", "0.1mm", "-o", "b.geom.h5");
}

/* The format of HDF5 1.6 has no checksums, and its library crashes on some addresses: that must become a
 * sentence. */
Test(info, hdf5_of_other_programs)
{
    static unsigned char im[8 * 8 * 8];
    const hsize_t n[3] = {8, 8, 8};
    for (size_t k = 0; k < sizeof im; k++) im[k] = k % 8 < 4;
    const hid_t file = H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    cr_assert_geq(H5LTmake_dataset(group, "im", 3, n, H5T_STD_U8LE, im), 0);
    cr_assert_geq(H5LTset_attribute_double(group, "im", "element_size_um", (const double[]){2, 2, 2}, 3), 0);
    H5Gclose(group), H5Fclose(file);
    cli_result r = cli_test_run("info", "a.h5");
    expect_in(&r, (const char *const[]){"HDF5, /g/im", "2e-06 m", "8 8 8", NULL});
    r = cli_test_run("permeability", "a.h5:/g/im", "--pore", "1", "--dry-run", "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cli_test_fails(1, "overwrite the input", "voxelize", "a.h5:/g/im", "-o", "a.h5");
    cli_test_fails(1, "no dataset \"/no\"", "info", "a.h5:/no");
    for (long at = 96; at < 184; at += 8) {
        unsigned char old[8];
        FILE *bytes = fopen("a.h5", "r+b");
        cr_assert(fseek(bytes, at, SEEK_SET) == 0 && fread(old, 1, 8, bytes) == 8 &&
                  fseek(bytes, at, SEEK_SET) == 0);
        fwrite("\xff\xff\xff\xff\xff\xff\xff\xff", 1, 8, bytes);
        fclose(bytes);
        r = cli_test_run("info", "a.h5");
        cr_assert(r.code == 0 || (r.code == 1 && strchr(r.err, '\n') == r.err + strlen(r.err) - 1),
                  "byte %ld: %d, %s", at, r.code, r.err);
        bytes = fopen("a.h5", "r+b");
        cr_assert(fseek(bytes, at, SEEK_SET) == 0 && fwrite(old, 1, 8, bytes) == 8);
        fclose(bytes);
    }
}
