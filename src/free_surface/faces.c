/* SPDX-License-Identifier: Apache-2.0 */
#include "free_surface/faces.h"

#include "core/memory.h"
#include "core/threads.h"
#include "sim/links.h"
#include "sim/sim_priv.h"

#include <math.h>
#include <stdlib.h>

enum { PIECE = 16 };

/* A speed above which flow is compressible. */
#define SPEED_MOST 0.2

/* What comes back along the links of a node at a face. */
typedef struct answer {
    double value[RILL_Q_MAX], sent[RILL_Q_MAX];
    double came, went; /* mass, in the last step */
} answer;

struct rill_free_surface_links {
    rill_node_list nodes; /* with open links, ascending */
    answer *answer;       /* [nodes.count] */
};

typedef struct work {
    const rill_free_surface *surface;
    const rill_launch *launch;
} work;

static void place_of(const rill_free_surface *s, rill_node node, uint32_t x[3])
{
    const uint32_t *n = s->numbering->n;
    x[0] = s->cell[node] % n[0];
    x[1] = s->cell[node] / n[0] % n[1];
    x[2] = s->cell[node] / n[0] / n[1];
}

/* Return whether link i of a cell comes from beyond a face. */
static bool crosses(const rill_free_surface *s, const rill_free_surface_face *f, const uint32_t x[3], int i)
{
    if (!f->end) return false;
    const int64_t from = (int64_t)x[f->axis] - rill_c((int)s->lattice, i, f->axis);
    return f->end < 0 ? from < 0 : from >= (int64_t)s->sim->domain->geom->n[f->axis];
}

static bool is_fed(const rill_free_surface *s, const uint32_t x[3], int i)
{
    return crosses(s, &s->inflow, x, i) && x[2] + 0.5 < s->inflow.level;
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
    RILL_TRY(rill_array_create_zero(1, sizeof *s->links, "open faces", (void **)&s->links));
    for (rill_node n = 0; n < s->nodes; n++) {
        uint32_t x[3];
        place_of(s, n, x);
        const bool feeds = rill_faces_feed(s, n), drains = is_at(s, &s->outflow, x);
        if (feeds || drains) RILL_TRY(rill_node_list_add(&s->links->nodes, n));
        fed |= feeds;
        open |= drains;
    }
    if ((s->inflow.end && !fed) || (s->outflow.end && !open))
        RILL_TRY(rill_fail(RILL_USAGE, "no pores are open at the face of the %s: choose another%s",
                           s->inflow.end && !fed ? "inflow" : "outflow",
                           s->inflow.end && !fed ? ", or a higher level" : " face"));
    RILL_TRY(rill_array_create_zero(s->links->nodes.count, sizeof *s->links->answer, "open faces",
                                    (void **)&s->links->answer));
done:
    return status;
}

void rill_faces_destroy(rill_free_surface *s)
{
    if (!s->links) return;
    free(s->links->nodes.node);
    rill_array_destroy(s->links->answer);
    rill_array_destroy(s->links);
}

/* Anti-bounce-back with the density of a liquid at rest below the level, and of the gas above. */
static double drained(const rill_free_surface *s, const rill_launch *launch, const rill_sent *own,
                      double sent, const uint32_t x[3], int i)
{
    const int lattice = (int)s->lattice, c = rill_inverse_cs2(lattice);
    double square = 0, along = 0;
    for (int a = 0; a < 3; a++) {
        square += own->velocity[a] * own->velocity[a];
        along += rill_c(lattice, i, a) * own->velocity[a];
    }
    const double density = c * -launch->force[2] * fmax(s->outflow.level - x[2] - 0.5, 0);
    return 2 * rill_w(lattice, i) *
               (density + (1 + density) * (0.5 * c * c * along * along - 0.5 * c * square)) -
           sent;
}

static void find_some(const void *shared, uint64_t first, uint64_t end)
{
    const work *w = shared;
    const rill_free_surface *s = w->surface;
    const int lattice = (int)s->lattice, c = rill_inverse_cs2(lattice);
    for (uint64_t k = first; k < end; k++) {
        answer *a = &s->links->answer[k];
        const rill_node node = s->links->nodes.node[k];
        rill_node around[RILL_AROUND];
        rill_exchange e;
        uint32_t x[3];
        if (s->state[node] == RILL_GAS) continue;
        place_of(s, node, x);
        rill_free_surface_around(s, node, around);
        rill_free_surface_exchange(s, w->launch, node, around, &e);
        const rill_sent own = rill_free_surface_sent(s, w->launch, &e);
        for (int i = 1; i < rill_q(lattice); i++) {
            a->sent[i] = e.sent[i];
            if (is_fed(s, x, i)) /* the speed is into the box */
                a->value[i] = e.sent[i] + 2 * c * rill_w(lattice, i) * s->inflow.speed * -s->inflow.end *
                                              rill_c(lattice, i, s->inflow.axis);
            else if (crosses(s, &s->outflow, x, i))
                a->value[i] = drained(s, w->launch, &own, e.sent[i], x, i);
        }
    }
}

void rill_faces_find(const rill_free_surface *s, const rill_launch *launch)
{
    if (s->links) rill_threads_for(s->links->nodes.count, PIECE, find_some, &(work){s, launch});
}

/* Masses are those of what is stored, rounded as it is. */
static void apply_some(const void *shared, uint64_t first, uint64_t end)
{
    const work *w = shared;
    const rill_free_surface *s = w->surface;
    for (uint64_t k = first; k < end; k++) {
        answer *a = &s->links->answer[k];
        const rill_node node = s->links->nodes.node[k];
        uint32_t x[3];
        a->came = a->went = 0;
        if (s->state[node] == RILL_GAS) continue;
        place_of(s, node, x);
        for (int i = 1; i < rill_q((int)s->lattice); i++) {
            const bool fed = is_fed(s, x, i);
            if (!fed && !crosses(s, &s->outflow, x, i)) continue;
            rill_link_store(w->launch, node, i, a->value[i]);
            const double wetted = fed || s->state[node] == RILL_LIQUID ? 1 : (double)s->fill[node];
            const double gain = wetted * (rill_link_load(w->launch, node, i) - a->sent[i]);
            if (fed)
                a->came += gain;
            else
                a->went -= gain;
        }
        if (s->state[node] == RILL_INTERFACE) s->mass[node] += a->came - a->went;
    }
}

void rill_faces_apply(rill_free_surface *s, const rill_launch *launch)
{
    if (!s->links) return;
    rill_threads_for(s->links->nodes.count, PIECE, apply_some, &(work){s, launch});
    for (uint64_t k = 0; k < s->links->nodes.count; k++) {
        s->through.came += s->links->answer[k].came;
        s->through.went += s->links->answer[k].went;
    }
}
