/* SPDX-License-Identifier: Apache-2.0 */
#include "free_surface/faces.h"

#include "core/memory.h"
#include "sim/sim_priv.h"

#include <math.h>
#include <stdlib.h>

/* A speed above which flow is compressible. */
#define SPEED_MOST 0.2

static void place_of(const rill_free_surface *s, rill_node node, uint32_t x[3])
{
    const uint32_t *n = s->numbering->n;
    x[0] = s->cell[node] % n[0];
    x[1] = s->cell[node] / n[0] % n[1];
    x[2] = s->cell[node] / n[0] / n[1];
}

static bool is_at(const rill_free_surface *s, const rill_free_surface_face *f, const uint32_t x[3])
{
    return f->end && x[f->axis] == (f->end < 0 ? 0 : s->sim->domain->geom->n[f->axis] - 1);
}

bool rill_faces_at(const rill_free_surface *s, const rill_free_surface_face *f, rill_node node)
{
    uint32_t x[3];
    if (!f->end) return false;
    place_of(s, node, x);
    return is_at(s, f, x);
}

bool rill_faces_feed(const rill_free_surface *s, rill_node node)
{
    uint32_t x[3];
    if (!s->inflow.end) return false;
    place_of(s, node, x);
    return is_at(s, &s->inflow, x) && x[2] + 0.5 < s->inflow.level;
}

rill_status rill_faces_check(const rill_free_surface *s, const rill_free_surface_face *f)
{
    if (f->axis < 0 || f->axis > 2 || (f->end != -1 && f->end != 1))
        return rill_fail(RILL_USAGE, "axis %d, end %d is not a face of the box", f->axis, f->end);
    if (s->sim->domain->geom->sides[f->axis] != RILL_WALL)
        return rill_fail(RILL_USAGE,
                         "nothing can cross a face along %c, where the box is periodic: make it a wall",
                         rill_axis(f->axis));
    return RILL_OK;
}

static rill_status check(const rill_free_surface *s)
{
    const rill_free_surface_face *faces[2] = {&s->inflow, &s->outflow};
    for (int k = 0; k < 2; k++) {
        const rill_free_surface_face *f = faces[k];
        if (!f->end) continue;
        const rill_status status = rill_faces_check(s, f);
        if (status != RILL_OK) return status;
        if (!(f->level >= 0))
            return rill_fail(RILL_USAGE, "the level %g of a face is not a number from 0 on", f->level);
    }
    if (s->inflow.end && s->inflow.end == s->outflow.end && s->inflow.axis == s->outflow.axis)
        return rill_fail(RILL_USAGE, "liquid comes in and goes out at the same face: choose two");
    if (s->inflow.end && !(s->inflow.speed >= 0 && s->inflow.speed <= SPEED_MOST))
        return rill_fail(RILL_USAGE, "speed %g of the inflow is not between 0 and %g", s->inflow.speed,
                         SPEED_MOST);
    return RILL_OK;
}

rill_status rill_faces_create(rill_free_surface *s, const rill_free_surface_options *o)
{
    rill_status status = RILL_OK;
    bool fed = false, open = false;
    s->inflow = o->inflow;
    s->outflow = o->outflow;
    RILL_TRY(check(s));
    if (!s->inflow.end && !s->outflow.end) return RILL_OK;
    for (rill_node n = 0; n < s->nodes; n++) {
        uint32_t x[3];
        place_of(s, n, x);
        const bool feeds = rill_faces_feed(s, n), drains = is_at(s, &s->outflow, x);
        if (feeds || drains) RILL_TRY(rill_node_list_add(&s->faces, n));
        fed |= feeds;
        open |= drains;
    }
    if ((s->inflow.end && !fed) || (s->outflow.end && !open))
        RILL_TRY(rill_fail(RILL_USAGE, "no pores are open at the face of the %s: choose another%s",
                           s->inflow.end && !fed ? "inflow" : "outflow",
                           s->inflow.end && !fed ? ", or a higher level" : " face"));
    status = rill_array_create_zero(s->faces.count, sizeof *s->crossed, "open faces", (void **)&s->crossed);
done:
    return status;
}

rill_front_face rill_faces_front(const rill_free_surface *s, const rill_free_surface_face *face)
{
    return (rill_front_face){face->axis, face->end, s->sim->domain->geom->n[face->axis] - 1, face->speed,
                             face->level};
}

void rill_faces_destroy(rill_free_surface *s)
{
    free(s->faces.node);
    rill_array_destroy(s->crossed);
}

void rill_faces_sum(rill_free_surface *s)
{
    for (uint64_t k = 0; k < s->faces.count; k++) {
        s->through.came += s->crossed[k].came;
        s->through.went += s->crossed[k].went;
    }
}
