/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a permeability's checkpoint, and what it belongs to. */
#include "permeability/pause.h"
#include "core/status.h"
#include "geometry/voxels/axes.h"
#include "permeability/tensor.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- what it belongs to ---------------------------------------------------------------------- */

/* All that decides on the values of a run but --max-steps, which may be raised; another version may judge
 * otherwise. */
static void options_text(const rill_side sides[3], uint64_t sample, const rill_permeability_options *o,
                         char *text, size_t size)
{
    snprintf(
        text, size,
        "%s sides %d %d %d axis %d tau %a magic %a drive %d reservoir %u force %a every %llu tolerance %a keep %d acceleration %d start %d settle %d storage %d sample %llu",
        rill_version(), (int)sides[0], (int)sides[1], (int)sides[2], o->axis, o->tau, o->magic, (int)o->drive,
        o->reservoir, o->force, (unsigned long long)o->every, o->tolerance, o->keep_all, (int)o->acceleration,
        (int)o->start, o->settle_fields, o->keep_storage, (unsigned long long)sample);
}

static void identify(const rill_permeability_options *o, rill_pause *p)
{
    char text[512];
    options_text(p->geom->sides, rill_geom_sample(p->geom), o, text, sizeof text);
    snprintf(p->run, sizeof p->run, "%016llx", (unsigned long long)XXH3_64bits(text, strlen(text)));
    rill_variant_name(o->variant, p->variant, sizeof p->variant);
}

/* Hash the voxels only when the key is first needed: most runs are not stopped. */
static rill_status key_make(rill_pause *p, rill_checkpoint_key *out)
{
    *out = (rill_checkpoint_key){p->run, p->geometry, p->variant};
    return p->geometry[0] ? RILL_OK : rill_checkpoint_geometry(p->geom, p->geometry);
}

/* ---- parts of any length --------------------------------------------------------------------- */

/* Bytes that are owned: entries of the journal, or runs with their samples. */
typedef struct bytes {
    char *data;
    uint64_t size;
} bytes;

static rill_status bytes_save(void *context, uint64_t offset, uint64_t count, void *to)
{
    memcpy(to, ((const bytes *)context)->data + offset, count);
    return RILL_OK;
}

static rill_status bytes_load(void *context, uint64_t offset, uint64_t count, const void *from)
{
    memcpy(((bytes *)context)->data + offset, from, count);
    return RILL_OK;
}

static rill_status bytes_resize(void *context, uint64_t count)
{
    bytes *b = context;
    free(b->data);
    b->size = 0;
    b->data = malloc(count ? count : 1);
    if (!b->data) return rill_fail(RILL_SYSTEM, "out of memory for a checkpoint");
    b->size = count;
    return RILL_OK;
}

static rill_checkpoint_part bytes_part(const char *name, bytes *b)
{
    return (rill_checkpoint_part){name, b->size, bytes_save, bytes_load, b, bytes_resize};
}

/* ---- runs that are done ---------------------------------------------------------------------- */

static rill_status runs_pack(const rill_permeability *p, int count, bytes *out)
{
    uint64_t size = 0;
    for (int r = 0; r < count; r++)
        size += sizeof *p->runs + p->runs[r].sample_count * sizeof *p->runs[r].samples;
    const rill_status status = bytes_resize(out, size);
    if (status != RILL_OK) return status;
    char *to = out->data;
    for (int r = 0; r < count; r++) {
        rill_permeability_flow run = p->runs[r];
        const size_t samples = run.sample_count * sizeof *run.samples;
        run.samples = NULL;
        memcpy(to, &run, sizeof run);
        if (samples) memcpy(to + sizeof run, p->runs[r].samples, samples);
        to += sizeof run + samples;
    }
    return RILL_OK;
}

static rill_status damaged(const rill_pause *p)
{
    return rill_fail(RILL_USAGE, "cannot continue from %s: it is damaged", p->path);
}

/* Return whether what was read can be a run: with numbers that index arrays, a text that ends. */
static bool run_fits(const rill_permeability_flow *run)
{
    const char *raw = (const char *)run;
    const unsigned char converged = (unsigned char)raw[offsetof(rill_permeability_flow, converged)],
                        known = (unsigned char)raw[offsetof(rill_permeability_flow, walls.known)];
    return converged <= 1 && known <= 1 && run->axis >= 0 && run->axis <= 2 && run->cycles >= 0 &&
           (int)run->storage >= 0 && run->storage < RILL_STORAGE_COUNT && run->walls.box_count >= 0 &&
           run->walls.box_count <= RILL_DECISIVE_BOXES && memchr(run->reason, 0, sizeof run->reason);
}

/* @param axis  which the run is along */
static rill_status run_unpack(const rill_pause *p, const bytes *from, uint64_t *at, int axis,
                              rill_permeability_flow *out)
{
    rill_permeability_flow run;
    if (from->size - *at < sizeof run) return damaged(p);
    memcpy(&run, from->data + *at, sizeof run);
    *at += sizeof run;
    const uint64_t size = run.sample_count * sizeof *run.samples;
    if (!run_fits(&run) || run.axis != axis || run.sample_count > (from->size - *at) / sizeof *run.samples)
        return damaged(p);
    run.samples = malloc(size ? size : 1);
    if (!run.samples) return rill_fail(RILL_SYSTEM, "out of memory for the series of a run");
    memcpy(run.samples, from->data + *at, size);
    *at += size;
    *out = run;
    return RILL_OK;
}

/* ---- reading and writing --------------------------------------------------------------------- */

/* Return how many axes that are driven come before another: each has one run. */
static int driven_before(int driven, int axis)
{
    int count = 0;
    for (int a = 0; a < axis; a++) count += rill_axes_has(driven, a);
    return count;
}

static rill_status read_all(const rill_permeability_options *o, rill_permeability *out, rill_pause *p)
{
    rill_status status = RILL_OK;
    bytes runs = {NULL, 0}, journal = {NULL, 0};
    uint64_t steps, at = 0;
    rill_checkpoint_key key;
    const rill_checkpoint_part parts[] = {rill_checkpoint_memory("place", &p->place, sizeof p->place),
                                          bytes_part("runs", &runs), bytes_part("journal", &journal)};
    RILL_TRY(key_make(p, &key));
    RILL_TRY(rill_checkpoint_read(p->path, &key, parts, 3, &steps));
    const rill_pause_place *at_stop = &p->place;
    const int driven = rill_tensor_driven(&p->geom->porosity, o->axis);
    const int32_t most = RILL_ATTEMPT_PRECISE | RILL_ATTEMPT_REST;
    const bool attempts = at_stop->attempt >= RILL_ATTEMPT_FIRST && at_stop->attempt <= most &&
                          at_stop->changed >= RILL_ATTEMPT_FIRST && at_stop->changed <= most;
    if (at_stop->steps != steps || steps == 0 || at_stop->axis < 0 || at_stop->axis > 2 ||
        !rill_axes_has(driven, at_stop->axis) || at_stop->runs != driven_before(driven, at_stop->axis) ||
        !attempts)
        RILL_TRY(damaged(p));
    if (steps > o->max_steps)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "cannot continue from %s: it was written after %llu steps, more than --max-steps (%llu): raise it",
            p->path, (unsigned long long)steps, (unsigned long long)o->max_steps));
    for (int a = 0; a < at_stop->axis; a++) {
        if (!rill_axes_has(driven, a)) continue;
        RILL_TRY(run_unpack(p, &runs, &at, a, &out->runs[out->run_count]));
        out->run_count++;
    }
    p->journal = (rill_journal){.path = p->path,
                                .bytes = journal.data,
                                .size = journal.size,
                                .capacity = journal.size,
                                .until = p->place.steps};
    journal.data = NULL;
    p->resuming = true;
done:
    free(runs.data);
    free(journal.data);
    return status;
}

rill_status rill_pause_open(const rill_geom *geom, const rill_permeability_options *o, rill_permeability *out,
                            rill_pause *pause)
{
    *pause = (rill_pause){.path = o->checkpoint, .geom = geom};
    if (!pause->path) return RILL_OK;
    identify(o, pause);
    return o->resume ? read_all(o, out, pause) : RILL_OK;
}

void rill_pause_close(rill_pause *pause) { rill_journal_clear(&pause->journal); }

void rill_pause_replay(rill_pause *pause)
{
    pause->resuming = false;
    pause->journal.replaying = true;
}

rill_status rill_pause_arrive(rill_pause *pause, rill_sim *sim)
{
    rill_status status = RILL_OK;
    uint64_t steps;
    rill_checkpoint_key key;
    const rill_checkpoint_part part = rill_checkpoint_sim(sim);
    RILL_TRY(key_make(pause, &key));
    RILL_TRY(rill_journal_arrive(&pause->journal));
    RILL_TRY(rill_checkpoint_read(pause->path, &key, &part, 1, &steps));
    RILL_TRY(rill_sim_state_resume(sim, pause->place.steps));
done:
    return status;
}

rill_status rill_pause_write(rill_pause *pause, rill_sim *sim, const rill_permeability *out)
{
    rill_status status = RILL_OK;
    bytes runs = {NULL, 0}, journal = {pause->journal.bytes, pause->journal.size};
    rill_checkpoint_key key;
    if (pause->journal.lost)
        return rill_fail(RILL_SYSTEM,
                         "no checkpoint was written to %s: out of memory for the series of the run",
                         pause->path);
    RILL_TRY(key_make(pause, &key));
    RILL_TRY(runs_pack(out, pause->place.runs, &runs));
    const rill_checkpoint_part parts[] = {rill_checkpoint_memory("place", &pause->place, sizeof pause->place),
                                          bytes_part("runs", &runs), bytes_part("journal", &journal),
                                          rill_checkpoint_sim(sim)};
    RILL_TRY(rill_checkpoint_write(pause->path, &key, pause->place.steps, parts, 4));
done:
    free(runs.data);
    return status;
}
