/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file pore_files.h
 * Small pore spaces in files, and values of the JSON that rill permeability writes.
 */
#ifndef RILL_TESTS_PORE_FILES_H
#define RILL_TESTS_PORE_FILES_H

#include "cli_test.h"

#include <jansson.h>

/* A sphere array, small enough for every test. */
static inline void make_array(const char *path, const char *cells)
{
    const cli_result r = cli_test_run("generate", "spheres", "--lattice", "sc", "--solid-fraction", "0.216",
                                      "--cells", cells, "--voxel-size", "2um", "-q", "-o", path);
    cr_assert_eq(r.code, 0, "%s", r.err);
}

/* A raw image of nx × ny × nz bytes: pore 0 where `pore` says so. */
static inline void make_raw(const char *path, int nx, int ny, int nz, bool (*pore)(int x, int y, int z))
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) fputc(pore(x, y, z) ? 0 : 255, file);
    cr_assert_eq(fclose(file), 0);
}

static inline bool everything(int x, int y, int z) { return x + y + z >= 0; }
static inline bool nothing(int x, int y, int z) { return x + y + z < 0; }
static inline bool blocked(int x, int y, int z) { return x >= 0 && y >= 0 && z != 3; }
static inline bool channel(int x, int y, int z) { return x >= 2 && x < 6 && y >= 2 && y < 6 && z >= 0; }

static inline json_t *load(const char *path)
{
    json_error_t error;
    json_t *json = json_load_file(path, 0, &error);
    cr_assert_not_null(json, "%s: %s", path, error.text);
    return json;
}

/* Follow "permeability.lu.zz"; fails when a key is missing. */
static inline json_t *find(json_t *json, const char *path)
{
    char key[64];
    for (const char *at = path; *at; at += *at == '.') {
        const size_t length = strcspn(at, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, at);
        json = json_object_get(json, key);
        cr_assert_not_null(json, "%s is missing", path);
        at += length;
    }
    return json;
}

static inline double real(json_t *json, const char *path)
{
    json_t *value = find(json, path);
    cr_assert(json_is_number(value), "%s is not a number", path);
    return json_number_value(value);
}

#endif
