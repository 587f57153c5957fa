/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints. */
#include "io/checkpoint.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/planes.h"
#include "io/fields_priv.h"
#include "io/hdf5.h"
#include "io/ours.h"
#include "core/output.h"
#include "sim/sim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { PIECE = 1 << 20, CHUNK = 1 << 20, PATH = 128, TEXT = 16 << 20 };

/* ---- parts in memory ------------------------------------------------------------------------- */

static rill_status memory_save(void *context, uint64_t offset, uint64_t bytes, void *to)
{
    memcpy(to, (const char *)context + offset, bytes);
    return RILL_OK;
}

static rill_status memory_load(void *context, uint64_t offset, uint64_t bytes, const void *from)
{
    memcpy((char *)context + offset, from, bytes);
    return RILL_OK;
}

rill_checkpoint_part rill_checkpoint_memory(const char *name, void *array, uint64_t bytes)
{
    return (rill_checkpoint_part){name, bytes, memory_save, memory_load, array, NULL};
}

static rill_status sim_save(void *context, uint64_t offset, uint64_t bytes, void *to)
{
    return rill_sim_state_save(context, offset, bytes, to);
}

static rill_status sim_load(void *context, uint64_t offset, uint64_t bytes, const void *from)
{
    return rill_sim_state_load(context, offset, bytes, from);
}

rill_checkpoint_part rill_checkpoint_sim(rill_sim *sim)
{
    return (rill_checkpoint_part){"populations", rill_sim_state_bytes(sim), sim_save, sim_load, sim, NULL};
}

/* ---- what a checkpoint belongs to ------------------------------------------------------------ */

static void print_hash(XXH3_state_t *state, char text[17])
{
    snprintf(text, 17, "%016llx", (unsigned long long)XXH3_64bits_digest(state));
}

static void cuts_hash(XXH3_state_t *hash, const rill_cut *cuts, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) { /* field by field: what lies between them is not defined */
        XXH3_64bits_update(hash, &cuts[k].node, sizeof cuts[k].node);
        XXH3_64bits_update(hash, &cuts[k].q, sizeof cuts[k].q);
        XXH3_64bits_update(hash, &cuts[k].direction, 1);
    }
}

static void surface_hash(XXH3_state_t *hash, const rill_surface *s)
{
    XXH3_64bits_update(hash, s->vertices, s->vertex_count * sizeof *s->vertices);
    XXH3_64bits_update(hash, s->triangles, s->triangle_count * sizeof *s->triangles);
    cuts_hash(hash, s->walls, s->wall_count);
    for (int k = 0; k < s->opening_count; k++) cuts_hash(hash, s->openings[k].cuts, s->openings[k].cut_count);
}

rill_status rill_checkpoint_geometry(const rill_geom *geom, char text[17])
{
    rill_status status = RILL_OK;
    XXH3_state_t *hash = XXH3_createState();
    rill_window window = {.geom = geom};
    if (!hash) return rill_fail(RILL_SYSTEM, "out of memory for a checkpoint");
    XXH3_64bits_reset(hash);
    XXH3_64bits_update(hash, geom->n, sizeof geom->n);
    XXH3_64bits_update(hash, &geom->spacing, sizeof geom->spacing);
    XXH3_64bits_update(hash, geom->origin, sizeof geom->origin);
    for (uint32_t end = 0; rill_window_next(&window, &end, &status);)
        XXH3_64bits_update(hash, window.voxels, (uint64_t)geom->n[0] * geom->n[1] * window.count);
    RILL_TRY(status);
    if (geom->surface) surface_hash(hash, geom->surface);
    print_hash(hash, text);
done:
    rill_window_close(&window);
    XXH3_freeState(hash);
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

static rill_status part_write(rill_h5_file *file, const rill_checkpoint_part *part, void *piece,
                              XXH3_state_t *state)
{
    rill_status status = RILL_OK;
    const rill_h5_layout layout = {
        .type = RILL_H5_U8, .rank = 1, .dims = {part->bytes}, .chunk = {CHUNK}, .deflate = 0};
    char path[PATH], hash[17];
    snprintf(path, sizeof path, "/state/%s", part->name);
    RILL_TRY(rill_h5_dataset_create(file, path, &layout));
    XXH3_64bits_reset(state);
    for (uint64_t offset = 0; offset < part->bytes; offset += PIECE) {
        const uint64_t bytes = part->bytes - offset < PIECE ? part->bytes - offset : PIECE;
        RILL_TRY(part->save(part->context, offset, bytes, piece));
        XXH3_64bits_update(state, piece, bytes);
        RILL_TRY(rill_h5_write(file, path, RILL_H5_U8, &offset, &bytes, piece));
    }
    print_hash(state, hash);
    RILL_TRY(rill_h5_set_text(file, path, "xxh3_64", hash));
done:
    return status;
}

static rill_status head_write(rill_h5_file *file, const rill_checkpoint_key *key, uint64_t steps)
{
    rill_status status = RILL_OK;
    const int64_t made = (int64_t)steps;
    RILL_TRY(rill_format_write(file, RILL_CHECKPOINT_FORMAT));
    RILL_TRY(rill_h5_set_text(file, "/", "run", key->run));
    RILL_TRY(rill_h5_set_text(file, "/", "geometry", key->geometry));
    RILL_TRY(rill_h5_set_text(file, "/", "variant", key->variant));
    RILL_TRY(rill_h5_set_integers(file, "/", "steps", &made, 1));
    RILL_TRY(rill_h5_group_create(file, "/state"));
done:
    return status;
}

static rill_status previous_name(const char *path, char **out)
{
    *out = NULL;
    return asprintf(out, "%s.previous", path) < 0 ? rill_fail(RILL_SYSTEM, "out of memory for a file name")
                                                  : RILL_OK;
}

/* Give the file that there is a second name, so that at no time the first one is free. */
static rill_status previous_keep(const char *path)
{
    rill_status status = RILL_OK;
    char *previous = NULL, *beside = NULL;
    if (access(path, F_OK) != 0) return RILL_OK;
    RILL_TRY(previous_name(path, &previous));
    if (asprintf(&beside, "%s.tmp", previous) < 0)
        RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a file name"));
    unlink(beside);
    /* Where a file system has no second names the last generation moves away for a moment. */
    if (link(path, beside) != 0 && rename(path, beside) != 0) RILL_TRY(rill_output_fail(previous, errno));
    if (rename(beside, previous) != 0) RILL_TRY(rill_output_fail(previous, errno));
done:
    free(previous);
    free(beside);
    return status;
}

void rill_checkpoint_remove(const char *path)
{
    char *previous = NULL;
    if (previous_name(path, &previous) == RILL_OK) unlink(previous);
    unlink(path);
    free(previous);
}

rill_status rill_checkpoint_write(const char *path, const rill_checkpoint_key *key, uint64_t steps,
                                  const rill_checkpoint_part *parts, int count)
{
    rill_status status = RILL_OK;
    rill_h5_file *file = NULL;
    void *piece = NULL;
    XXH3_state_t *state = XXH3_createState();
    if (!state) return rill_fail(RILL_SYSTEM, "out of memory for a checkpoint");
    RILL_TRY(rill_array_create(PIECE, 1, "a checkpoint", &piece));
    RILL_TRY(rill_h5_create(path, &file));
    RILL_TRY(head_write(file, key, steps));
    for (int k = 0; k < count; k++) RILL_TRY(part_write(file, &parts[k], piece, state));
    RILL_TRY(previous_keep(path));
    RILL_TRY(rill_h5_commit(file));
done:
    rill_h5_close(file);
    rill_array_destroy(piece);
    XXH3_freeState(state);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static rill_status key_check(rill_h5_file *file, const char *name, const char *expected, const char *what)
{
    char *found = NULL;
    rill_status status = rill_h5_get_text(file, "/", name, &found);
    if (status == RILL_OK && strcmp(found, expected) != 0)
        status = rill_fail(
            RILL_USAGE,
            "cannot continue from %s: it was written by a run with another %s (%.60s, not %s): resume with what it was made with, or start anew without --resume",
            rill_h5_path(file), what, found, expected);
    free(found);
    return status;
}

/* The case of a permeability includes the build: name the builds where they differ. */
static rill_status run_check(rill_h5_file *file, const rill_checkpoint_key *key)
{
    char *build = NULL;
    rill_status status = rill_h5_get_text(file, "/", "software_version", &build);
    if (status != RILL_OK) return status;
    status = key_check(file, "run", key->run, "case");
    if (status == RILL_USAGE)
        status =
            strcmp(build, rill_version()) != 0
                ? rill_fail(
                      RILL_USAGE,
                      "cannot continue from %s: it was written by rill %.60s, this is rill %s, and the case may differ, too: "
                      "resume with the build that it was made with, or start anew without --resume",
                      rill_h5_path(file), build, rill_version())
                : key_check(file, "run", key->run, "case");
    free(build);
    return status;
}

/* Open a file and see to it that it is of this run. @param[out] foreign  it is whole, and another's */
static rill_status open_own(const char *path, const rill_checkpoint_key *key, rill_h5_file **out,
                            bool *foreign, uint64_t *steps)
{
    rill_status status = RILL_OK;
    rill_h5_file *file = NULL;
    char *format = NULL;
    int64_t made = -1;
    *foreign = false;
    RILL_TRY(rill_h5_open(path, &file));
    *foreign = true;
    RILL_TRY(rill_format_read(file, &format));
    if (!format)
        RILL_TRY(rill_fail(RILL_USAGE, "cannot continue from %s: it is not a checkpoint of rill", path));
    if (strcmp(format, RILL_CHECKPOINT_FORMAT) != 0)
        RILL_TRY(rill_fail(RILL_USAGE,
                           "cannot continue from %s: its format is \"%.40s\", not \"" RILL_CHECKPOINT_FORMAT
                           "\"",
                           path, format));
    RILL_TRY(key_check(file, "software", "rill", "program"));
    RILL_TRY(key_check(file, "geometry", key->geometry, "geometry"));
    RILL_TRY(run_check(file, key));
    RILL_TRY(key_check(file, "variant", key->variant, "variant or backend"));
    RILL_TRY(rill_h5_get_integers(file, "/", "steps", &made, 1));
    if (made < 0) RILL_TRY(rill_fail(RILL_USAGE, "cannot continue from %s: it is damaged", path));
    *steps = (uint64_t)made;
    *out = file;
    file = NULL;
done:
    free(format);
    rill_h5_close(file);
    return status;
}

static rill_status part_read(rill_h5_file *file, const rill_checkpoint_part *part, void *piece,
                             XXH3_state_t *state)
{
    rill_status status = RILL_OK;
    rill_h5_layout layout;
    char path[PATH], hash[17], *expected = NULL;
    snprintf(path, sizeof path, "/state/%s", part->name);
    RILL_TRY(rill_h5_dataset_layout(file, path, &layout));
    const bool fits = layout.dims[0] == part->bytes || part->resize;
    if (layout.type != RILL_H5_U8 || layout.rank != 1 || !fits)
        RILL_TRY(rill_fail(
            RILL_USAGE, "cannot continue from %s: %s has %llu bytes where this run has %llu: it is damaged",
            rill_h5_path(file), path, (unsigned long long)layout.dims[0], (unsigned long long)part->bytes));
    if (layout.dims[0] != part->bytes) {
        status = part->resize(part->context, layout.dims[0]);
        if (status == RILL_USAGE) rill_fail_prefix("cannot continue from %s", rill_h5_path(file));
        RILL_TRY(status);
    }
    const uint64_t all = layout.dims[0];
    XXH3_64bits_reset(state);
    for (uint64_t offset = 0; offset < all; offset += PIECE) {
        const uint64_t bytes = all - offset < PIECE ? all - offset : PIECE;
        RILL_TRY(rill_h5_read(file, path, RILL_H5_U8, 1, &offset, &bytes, piece));
        XXH3_64bits_update(state, piece, bytes);
        RILL_TRY(part->load(part->context, offset, bytes, piece));
    }
    print_hash(state, hash);
    RILL_TRY(rill_h5_get_text(file, path, "xxh3_64", &expected));
    if (strcmp(hash, expected) != 0)
        RILL_TRY(rill_fail(RILL_USAGE, "cannot continue from %s: %s is damaged", rill_h5_path(file), path));
done:
    free(expected);
    return status;
}

/* @param[out] foreign  there is no point in trying an older one */
static rill_status file_read(const char *path, const rill_checkpoint_key *key,
                             const rill_checkpoint_part *parts, int count, uint64_t *steps, bool *foreign)
{
    rill_status status = RILL_OK;
    rill_h5_file *file = NULL;
    void *piece = NULL;
    XXH3_state_t *state = XXH3_createState();
    *foreign = false;
    if (!state) return rill_fail(RILL_SYSTEM, "out of memory for a checkpoint");
    RILL_TRY(rill_array_create(PIECE, 1, "a checkpoint", &piece));
    RILL_TRY(open_own(path, key, &file, foreign, steps));
    *foreign = false;
    for (int k = 0; k < count; k++) RILL_TRY(part_read(file, &parts[k], piece, state));
done:
    rill_h5_close(file);
    rill_array_destroy(piece);
    XXH3_freeState(state);
    return status;
}

rill_status rill_checkpoint_read(const char *path, const rill_checkpoint_key *key,
                                 const rill_checkpoint_part *parts, int count, uint64_t *steps)
{
    bool foreign;
    char *previous = NULL, why[512];
    rill_status status = file_read(path, key, parts, count, steps, &foreign);
    if (status != RILL_USAGE || foreign) return status;
    snprintf(why, sizeof why, "%s", rill_error_message());
    RILL_TRY(previous_name(path, &previous));
    if (access(previous, F_OK) != 0) {
        status = rill_fail(RILL_USAGE, "%s", why);
        goto done;
    }
    status = file_read(previous, key, parts, count, steps, &foreign);
    if (status == RILL_OK)
        rill_log(RILL_LOG_NOTE, "%s: going on from %s, %llu steps", why, previous,
                 (unsigned long long)*steps);
done:
    free(previous);
    return status;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* A text that is read. */
typedef struct reading {
    char *text;     /* NUL-terminated, owned */
    char *software; /* the build that wrote it, owned */
} reading;

static rill_status text_load(void *context, uint64_t offset, uint64_t bytes, const void *from)
{
    memcpy(((reading *)context)->text + offset, from, bytes);
    return RILL_OK;
}

static rill_status text_resize(void *context, uint64_t bytes)
{
    reading *r = context;
    if (bytes > TEXT) return rill_fail(RILL_USAGE, "a text of %llu bytes", (unsigned long long)bytes);
    free(r->text);
    r->text = calloc(bytes + 1, 1);
    return r->text ? RILL_OK : rill_fail(RILL_SYSTEM, "out of memory for the text of a checkpoint");
}

static rill_status text_read(const char *path, const char *part, reading *into)
{
    rill_status status = RILL_OK;
    rill_h5_file *file = NULL;
    char *format = NULL;
    void *piece = NULL;
    XXH3_state_t *state = XXH3_createState();
    if (!state) return rill_fail(RILL_SYSTEM, "out of memory for a checkpoint");
    RILL_TRY(rill_array_create(PIECE, 1, "a checkpoint", &piece));
    RILL_TRY(rill_h5_open_part(path, &file));
    RILL_TRY(rill_format_read(file, &format));
    RILL_TRY(rill_h5_get_text(file, "/", "software_version", &into->software));
    RILL_TRY(
        part_read(file, &(rill_checkpoint_part){part, 0, NULL, text_load, into, text_resize}, piece, state));
done:
    free(format);
    rill_h5_close(file);
    rill_array_destroy(piece);
    XXH3_freeState(state);
    return status;
}

rill_status rill_checkpoint_text(const char *path, const char *part, char **out, char **software)
{
    rill_status status = RILL_OK;
    reading r = {NULL, NULL};
    char *previous = NULL;
    *out = *software = NULL;
    RILL_TRY(previous_name(path, &previous));
    status = text_read(path, part, &r);
    if (status == RILL_USAGE) {
        free(r.software);
        r.software = NULL;
        status = text_read(previous, part, &r);
    }
    if (status == RILL_OK) {
        *out = r.text;
        *software = r.software;
        r = (reading){NULL, NULL};
    } else if (status == RILL_USAGE)
        status = RILL_OK; /* reading the whole file finds what is wrong */
done:
    free(r.text);
    free(r.software);
    free(previous);
    return status;
}
