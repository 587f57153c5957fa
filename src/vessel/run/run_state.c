/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints of a run: what is in them, and what they belong to. */
#include "vessel/run/run_priv.h"

#include "vessel/observe/loss.h"
#include "vessel/run/resume.h"
#include "core/status.h"
#include "core/output.h"
#include "sim/sim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 16 };

/* ---- what a checkpoint belongs to ------------------------------------------------------------ */

static rill_status key_make(rill_run_loop *loop, rill_checkpoint_key *key)
{
    if (loop->run_hash[0] == '\0') { /* once in a run */
        char variant[96];
        snprintf(loop->run_hash, sizeof loop->run_hash, "%016llx",
                 (unsigned long long)rill_resume_hash(loop->text));
        const rill_status status = rill_checkpoint_geometry(loop->vessel->geom, loop->geometry_hash);
        if (status != RILL_OK) return status;
        rill_variant_name(loop->vessel->plan.options.variant, variant, sizeof variant);
        snprintf(loop->variant, sizeof loop->variant, "%s on %s", variant,
                 rill_sim_backend(loop->vessel->sim));
    }
    *key = (rill_checkpoint_key){loop->run_hash, loop->geometry_hash, loop->variant};
    return RILL_OK;
}

/* ---- what is in it --------------------------------------------------------------------------- */

/* @param[in] kept  what goes on from a checkpoint; NULL: all, to be written */
static int parts_list(rill_run_loop *loop, const rill_case_plan_resume *kept,
                      rill_checkpoint_part parts[PARTS])
{
    rill_observers *o = &loop->observers;
    rill_sim *sim = loop->vessel->sim;
    int count = 0;
    parts[count++] = rill_checkpoint_memory("run", &loop->state, sizeof loop->state);
    parts[count++] = rill_checkpoint_sim(sim);
    parts[count++] = rill_losses_part(loop->vessel->losses);
    parts[count++] = rill_record_part(&o->openings);
    parts[count++] = rill_record_part(&o->monitor);
    parts[count++] = rill_record_part(&loop->settled);
    if (o->transport.sample) parts[count++] = rill_record_part(&o->transport.record);
    if (loop->model) parts[count++] = rill_model_part(loop->model);
    if (loop->helicity.vessel) parts[count++] = rill_helicity_part(&loop->helicity);
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
    if (loop->model) RILL_TRY(rill_model_save(loop->model));
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
    const rill_case_plan_resume *kept = &loop->vessel->plan.resume;
    RILL_TRY(rill_checkpoint_read(path, &key, parts, parts_list(loop, kept, parts), &steps));
    if (steps != loop->state.steps || !kept->given)
        RILL_TRY(rill_fail(RILL_USAGE, "cannot continue from %s: it is damaged", path));
    if (!loop->observers.sample || !kept->surface) loop->state.samples = 0;
    loop->observers.cycle.samples = loop->state.samples;
    /* A cycle that is being recorded keeps its snapshots, the one of a steady run is of its end. */
    if (loop->state.recording && rill_run_rhythm_place(&loop->rhythm, steps) != 0)
        loop->rhythm.phases = kept->phases;
    if (loop->vessel->plan.cycle_steps == 0) loop->state.phases = 0;
    RILL_TRY(rill_sim_state_resume(loop->vessel->sim, steps));
    if (loop->model) RILL_TRY(rill_model_restore(loop->model));
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
