/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer: hostile HDF5 files of rill: geometries, and by the public reader results, fields, walls and
 * checkpoints. The HDF5 library is not instrumented, and
 * 1.10.8 itself crashes on some inputs within a minute: look for frames of rill.
 *
 *     tests/fuzz/run geometry tests/fuzz/corpus/geometry -max_total_time=300
 */
#include "rill.h"

#include "scratch.h"

#include <string.h>

enum { DEPTH = 6, PATH = 512, BYTES = 1 << 20 };

typedef struct place {
    rill_file *file;
    const char *path;
    int depth;
} place;

static bool on_attribute(void *context, const char *name)
{
    const place *at = context;
    rill_attribute attribute;
    if (rill_file_attribute(at->file, *at->path ? at->path : "/", name, &attribute) == RILL_OK)
        rill_attribute_free(&attribute);
    return true;
}

static void read_dataset(rill_file *file, const char *path)
{
    rill_dataset dataset;
    uint64_t bytes = 8;
    if (rill_file_dataset(file, path, &dataset) != RILL_OK) return;
    for (int a = 0; a < dataset.rank; a++)
        if (__builtin_mul_overflow(bytes, dataset.n[a], &bytes) || bytes > BYTES) return;
    void *data = malloc(bytes + 1);
    if (data) rill_file_read(file, path, NULL, NULL, data);
    free(data);
}

static bool on_member(void *context, const char *name)
{
    const place *at = context;
    char path[PATH];
    place below = {at->file, path, at->depth + 1};
    if (snprintf(path, sizeof path, "%s/%s", at->path, name) >= PATH || at->depth > DEPTH) return true;
    rill_file_attributes(at->file, path, on_attribute, &below);
    if (rill_file_has_dataset(at->file, path))
        read_dataset(at->file, path);
    else
        rill_file_members(at->file, path, on_member, &below);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rill_geom *geom = NULL;
    rill_file *file = NULL;
    char path[SCRATCH_SIZE];
    scratch_write(data, size, path);
    if (rill_geom_read(path, &geom) == RILL_OK) rill_geom_destroy(geom);
    if (rill_file_open(path, &file) == RILL_OK) {
        place root = {file, "", 0};
        rill_file_attributes(file, "/", on_attribute, &root);
        rill_file_members(file, "/", on_member, &root);
        rill_file_close(file);
    }
    unlink(path);
    return 0;
}
