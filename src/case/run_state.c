/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints of a run: what is in them, and what they belong to. */
#include "case/run_priv.h"

#include "case/resume.h"
#include "core/status.h"
#include "io/output.h"
#include "run/sim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { PARTS = 12 };

/* ---- what a checkpoint belongs to ------------------------------------------------------------ */

static void reals(XXH3_state_t *hash, const double *values, size_t count)
{
    XXH3_64bits_update(hash, values, count * sizeof *values);
}

static void cuts_hash(XXH3_state_t *hash, const rill_cut *cuts, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) { /* field by field: what lies between them is not defined */
        XXH3_64bits_update(hash, &cuts[k].node, sizeof cuts[k].node);
        XXH3_64bits_update(hash, &cuts[k].q, sizeof cuts[k].q);
        XXH3_64bits_update(hash, &cuts[k].direction, 1);
    }
}

static void geometry_hash(const rill_geom *geom, XXH3_state_t *hash)
{
    const rill_surface *s = geom->surface;
    XXH3_64bits_update(hash, geom->n, sizeof geom->n);
    reals(hash, &geom->spacing, 1);
    reals(hash, geom->origin, 3);
    XXH3_64bits_update(hash, geom->voxels, rill_geom_voxels(geom));
    XXH3_64bits_update(hash, s->vertices, s->vertex_count * sizeof *s->vertices);
    XXH3_64bits_update(hash, s->triangles, s->triangle_count * sizeof *s->triangles);
    cuts_hash(hash, s->walls, s->wall_count);
    for (int k = 0; k < s->opening_count; k++) cuts_hash(hash, s->openings[k].cuts, s->openings[k].cut_count);
}

static rill_status key_make(rill_run_loop *loop, rill_checkpoint_key *key)
{
    XXH3_state_t *hash = XXH3_createState();
    if (!hash) return rill_fail(RILL_SYSTEM, "out of memory for a checkpoint");
    if (loop->run_hash[0] == '\0') { /* once in a run */
        char variant[96];
        snprintf(loop->run_hash, sizeof loop->run_hash, "%016llx",
                 (unsigned long long)rill_resume_hash(loop->text));
        XXH3_64bits_reset(hash);
        geometry_hash(loop->vessel->geom, hash);
        snprintf(loop->geometry_hash, sizeof loop->geometry_hash, "%016llx",
                 (unsigned long long)XXH3_64bits_digest(hash));
        rill_variant_name(loop->vessel->plan.options.variant, variant, sizeof variant);
        snprintf(loop->variant, sizeof loop->variant, "%s on %s", variant,
                 rill_sim_backend(loop->vessel->sim));
    }
    XXH3_freeState(hash);
    *key = (rill_checkpoint_key){loop->run_hash, loop->geometry_hash, loop->variant};
    return RILL_OK;
}

/* ---- what is in it --------------------------------------------------------------------------- */

static rill_status sim_save(void *context, uint64_t offset, uint64_t bytes, void *to)
{
    return rill_sim_state_save(context, offset, bytes, to);
}

static rill_status sim_load(void *context, uint64_t offset, uint64_t bytes, const void *from)
{
    return rill_sim_state_load(context, offset, bytes, from);
}

/* @param[in] kept  what goes on from a checkpoint; NULL: all, to be written */
static int parts_list(rill_run_loop *loop, const rill_plan_resume *kept, rill_checkpoint_part parts[PARTS])
{
    rill_observers *o = &loop->observers;
    rill_sim *sim = loop->vessel->sim;
    int count = 0;
    parts[count++] = rill_checkpoint_memory("run", &loop->state, sizeof loop->state);
    parts[count++] =
        (rill_checkpoint_part){"populations", rill_sim_state_bytes(sim), sim_save, sim_load, sim, NULL};
    parts[count++] = rill_record_part(&o->openings);
    parts[count++] = rill_record_part(&o->monitor);
    if (!kept) parts[count++] = rill_checkpoint_memory(RILL_RESUME_PART, loop->text, strlen(loop->text));
    if (!kept || kept->probes) parts[count++] = rill_record_part(&o->probes);
    if (!kept || kept->planes) parts[count++] = rill_record_part(&o->planes);
    if (!kept || kept->line) parts[count++] = rill_record_part(&o->line);
    if (!o->sample || (kept && !kept->surface)) return count;
    parts[count++] = rill_record_part(&o->wall);
    parts[count++] =
        rill_checkpoint_memory("shear", o->cycle.sums, 4 * o->cycle.triangles * sizeof *o->cycle.sums);
    return count;
}

rill_status rill_run_save(rill_run_loop *loop)
{
    rill_status status = RILL_OK;
    rill_checkpoint_key key;
    rill_checkpoint_part parts[PARTS];
    char path[RILL_RUN_PATH];
    loop->state.samples = loop->observers.cycle.samples;
    RILL_TRY(rill_run_path(loop, "checkpoint.h5", path));
    RILL_TRY(key_make(loop, &key));
    RILL_TRY(rill_checkpoint_write(path, &key, loop->state.steps, parts, parts_list(loop, NULL, parts)));
done:
    return status;
}

rill_status rill_run_resume(rill_run_loop *loop)
{
    rill_status status = RILL_OK;
    rill_checkpoint_key key;
    rill_checkpoint_part parts[PARTS];
    char path[RILL_RUN_PATH];
    uint64_t steps;
    RILL_TRY(rill_run_path(loop, "checkpoint.h5", path));
    RILL_TRY(key_make(loop, &key));
    const rill_plan_resume *kept = &loop->vessel->plan.resume;
    RILL_TRY(rill_checkpoint_read(path, &key, parts, parts_list(loop, kept, parts), &steps));
    if (steps != loop->state.steps || !kept->given)
        RILL_TRY(rill_fail(RILL_USAGE, "cannot go on from %s: it is damaged", path));
    if (!loop->observers.sample || !kept->surface) loop->state.samples = 0;
    loop->observers.cycle.samples = loop->state.samples;
    /* A cycle that is being recorded keeps its snapshots, the one of a steady run is of its end. */
    if (loop->state.recording && steps % loop->rhythm.cycle != 0) loop->rhythm.phases = kept->phases;
    if (loop->vessel->plan.cycle_steps == 0) loop->state.phases = 0;
    RILL_TRY(rill_sim_state_resume(loop->vessel->sim, steps));
    free(loop->text);
    RILL_TRY(rill_resume_text(loop->vessel->given, &loop->vessel->plan, loop->rhythm.cycle,
                              loop->rhythm.phases, &loop->text));
done:
    return status;
}

rill_status rill_run_forget(const rill_run_loop *loop)
{
    static const char *const names[] = {"checkpoint.h5", "checkpoint.h5.previous"};
    rill_status status = RILL_OK;
    char path[RILL_RUN_PATH];
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        RILL_TRY(rill_run_path(loop, names[k], path));
        if (remove(path) != 0 && errno != ENOENT) RILL_TRY(rill_output_fail(path, errno));
    }
done:
    return status;
}
