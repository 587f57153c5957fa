/* SPDX-License-Identifier: Apache-2.0 */
#include "io/step_run.h"

#include "core/clock.h"
#include "core/progress.h"
#include "core/status.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* s between two looks for signals, about. */
#define SIGHT 0.3

enum { PARTS = RILL_STEP_PARTS + 2 };

static int parts_list(rill_step_run *r, rill_checkpoint_part parts[PARTS])
{
    int count = r->owner.parts(r->owner.context, parts);
    parts[count++] = rill_checkpoint_sim(r->sim);
    parts[count++] = rill_record_part(&r->record);
    return count;
}

/* Name what the checkpoint belongs to, and put in what it has. */
static rill_status begin(rill_step_run *r)
{
    rill_status status = RILL_OK;
    rill_checkpoint_part parts[PARTS];
    char variant[96], on[128];
    rill_variant_name(rill_sim_variant(r->sim), variant, sizeof variant);
    snprintf(on, sizeof on, "%s on %s", variant, rill_sim_backend(r->sim));
    RILL_TRY(rill_checkpoint_file_open(r->keep.checkpoint, r->keep.every, r->keep.resume, r->text, r->geom,
                                       on, "steps", &r->file));
    r->file.asked = r->keep.asked;
    if (!r->file.resuming) return r->owner.row(r->owner.context);
    RILL_TRY(rill_checkpoint_file_read(&r->file, parts, parts_list(r, parts), &r->resumed));
    if (r->resumed > r->plan.steps || r->record.count == 0)
        RILL_TRY(rill_fail(RILL_USAGE, "cannot continue from %s: it is damaged", r->file.path));
    RILL_TRY(rill_sim_state_resume(r->sim, r->resumed));
    status = r->owner.resumed(r->owner.context);
    if (status == RILL_USAGE) rill_fail_prefix("cannot continue from %s", r->file.path);
done:
    return status;
}

/* Return how many steps are made until the next look for signals: by how long they took. */
static uint64_t some_of(const rill_step_run *r, uint64_t made, uint64_t most)
{
    const double each = made > r->resumed ? r->seconds / (double)(made - r->resumed) : SIGHT;
    const uint64_t look = RILL_STEP_LOOK - made % RILL_STEP_LOOK;
    if (look < most) most = look;
    return (double)most * each > SIGHT ? (uint64_t)(SIGHT / each) + (SIGHT < each) : most;
}

static rill_status keep(rill_step_run *r, uint64_t made)
{
    rill_checkpoint_part parts[PARTS];
    const rill_status came = rill_progress_report(r->progress, "steps", (double)made / (double)r->plan.steps);
    if (!rill_checkpoint_file_due(&r->file, came)) return came;
    return rill_checkpoint_file_keep(&r->file, came, made, parts, parts_list(r, parts));
}

rill_status rill_step_run_make(rill_step_run *r)
{
    rill_status status = RILL_OK;
    RILL_TRY(begin(r));
    for (uint64_t made = r->resumed; made < r->plan.steps;) {
        const uint64_t next = rill_step_plan_next(&r->plan, made), some = some_of(r, made, next);
        RILL_TRY(keep(r, made));
        const double start = rill_now();
        RILL_TRY(rill_sim_step(r->sim, some));
        r->seconds += rill_now() - start;
        made += some;
        if (r->owner.look && (some == next || made % RILL_STEP_LOOK == 0))
            RILL_TRY(r->owner.look(r->owner.context));
        if (some == next) RILL_TRY(r->owner.row(r->owner.context));
    }
done:
    return status;
}

bool rill_step_run_end(const rill_step_run *r) { return rill_checkpoint_file_end(&r->file, r->keep.stays); }

char *rill_step_file_name(const char *output, uint64_t step, const char *kind)
{
    const size_t length = strlen(output), room = length + strlen(kind) + 40;
    const size_t stem = length > 3 && strcmp(output + length - 3, ".h5") == 0 ? length - 3 : length;
    char *path = malloc(room);
    if (path) snprintf(path, room, "%.*s.%llu%s.vtkhdf", (int)stem, output, (unsigned long long)step, kind);
    return path;
}

uint64_t rill_step_plan_next(const rill_step_plan *plan, uint64_t made)
{
    const uint64_t left = plan->steps - made;
    uint64_t next = plan->row - made % plan->row;
    if (plan->every && plan->every - made % plan->every < next) next = plan->every - made % plan->every;
    return next < left ? next : left;
}

bool rill_step_plan_writes(const rill_step_plan *plan, uint64_t step)
{
    return plan->every && step % plan->every == 0;
}
