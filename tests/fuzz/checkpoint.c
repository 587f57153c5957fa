/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer: hostile checkpoints, read as if they belonged to the run that goes on: by the key that the file
 * itself names. As in result.c, look for frames of rill.
 *
 *     tests/fuzz/run checkpoint tests/fuzz/corpus/checkpoint -max_total_time=300
 */
#include "io/checkpoint.h"

#include "scratch.h"

#include <string.h>

enum { PARTS = 19, MOST = 1 << 22, KEY = 256 };

typedef struct store {
    char *bytes;
    uint64_t size;
} store;

static rill_status resize(void *context, uint64_t bytes)
{
    store *s = context;
    if (bytes > MOST) return RILL_USAGE;
    char *grown = realloc(s->bytes, bytes + 1);
    if (!grown) return RILL_SYSTEM;
    s->bytes = grown;
    s->size = bytes;
    return RILL_OK;
}

static rill_status load(void *context, uint64_t offset, uint64_t bytes, const void *from)
{
    store *s = context;
    if (offset + bytes > s->size) abort(); /* more than it made room for */
    memcpy(s->bytes + offset, from, bytes);
    return RILL_OK;
}

static void key_take(rill_file *file, const char *name, char text[KEY])
{
    rill_attribute attribute;
    text[0] = '\0';
    if (rill_file_attribute(file, "/", name, &attribute) != RILL_OK) return;
    if (attribute.text) snprintf(text, KEY, "%s", attribute.text);
    rill_attribute_free(&attribute);
}

static void read_parts(const char *path)
{
    static const char *const names[PARTS] = {"place",
                                             "runs",
                                             "journal",
                                             "populations",
                                             "run",
                                             "case",
                                             "transport",
                                             "done",
                                             "found",
                                             "residual",
                                             "direction",
                                             "solved",
                                             "field along x",
                                             "field along y",
                                             "field along z",
                                             "closure along x",
                                             "closure along y",
                                             "closure along z",
                                             "run 0"};
    char run[KEY], geometry[KEY], variant[KEY];
    rill_file *file = NULL;
    if (rill_file_open(path, &file) != RILL_OK) return;
    key_take(file, "run", run);
    key_take(file, "geometry", geometry);
    key_take(file, "variant", variant);
    rill_file_close(file);
    const rill_checkpoint_key key = {run, geometry, variant};
    for (int k = 0; k < PARTS; k++) {
        store s = {calloc(1, 1), 0};
        uint64_t steps;
        char *text = NULL, *software = NULL;
        const rill_checkpoint_part part = {names[k], 0, NULL, load, &s, resize};
        rill_checkpoint_read(path, &key, &part, 1, &steps);
        if (rill_checkpoint_text(path, names[k], &text, &software) == RILL_OK) {
            free(text);
            free(software);
        }
        free(s.bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[SCRATCH_SIZE];
    scratch_write(data, size, path);
    read_parts(path);
    unlink(path);
    return 0;
}
