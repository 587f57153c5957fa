/* SPDX-License-Identifier: Apache-2.0 */
#include "membrane/membrane.h"

#include "core/memory.h"
#include "core/status.h"
#include "kernel/variant.h"
#include "membrane/push.h"
#include "sim/sim_priv.h"

#include <string.h>

static const char *const what = "membranes";

static uint64_t vertices_of(const rill_membranes *m) { return (uint64_t)m->count * m->elastic.vertex_count; }

/* Return the vertices that there is room for. */
static uint64_t room_of(const rill_membranes *m) { return (uint64_t)m->room * m->elastic.vertex_count; }

void rill_membranes_remove(rill_membranes *m, uint32_t membrane)
{
    const uint64_t vertices = m->elastic.vertex_count;
    memmove(m->x + membrane * vertices, m->x + (membrane + 1) * vertices,
            (m->count - membrane - 1) * vertices * sizeof *m->x);
    m->count--;
}

static rill_status diverged(const rill_membranes *m)
{
    return rill_fail(
        RILL_NUMERICS,
        "a membrane diverged in step %llu: shorten the time steps (of `rill capsule` by --re, of a case file by run.time-step)",
        (unsigned long long)rill_sim_steps(m->sim));
}

/* Mean over positions of the sum of the squared weights along an axis: a sheet with the force f per area
 * makes this times f where its vertices are. */
static double share_of(int width) { return width == 2 ? 2.0 / 3 : width == 3 ? 0.5 : 0.375; }

/* Let the set have the properties of now. */
static rill_membrane_set *current(rill_membranes *m)
{
    rill_membrane_set *s = &m->set;
    s->elastic.options = m->elastic.options;
    s->load = m->load;
    s->count = m->count;
    s->vertices = vertices_of(m);
    s->slip = m->slip * 3 / (2 * (m->sim->flow->options.tau - 0.5)) / share_of(s->support.width);
    return s;
}

/* Find the forces on nodes at the present positions. */
static rill_status forces(rill_membranes *m)
{
    rill_status status = RILL_OK;
    rill_membrane_set *s = current(m);
    const double(*x)[3] = (const double(*)[3])s->x, (*force)[3] = (const double(*)[3])s->force;
    RILL_TRY(rill_elastic_pull(m->device, s));
    if (s->contact.room) RILL_TRY(rill_membrane_contact_add(s));
    if (s->wall > 0) RILL_TRY(rill_membrane_do(m->device, RILL_MEMBRANE_WALL, s, NULL));
    RILL_TRY(rill_support_find(&s->support, x, force, s->vertices));
    if (s->support.seen.failed) RILL_TRY(diverged(m));
    RILL_TRY(rill_support_spread(&s->support, x, force, s->vertices));
done:
    return status;
}

double rill_membrane_slip(int width) { return width == 2 ? 0.52 : width == 3 ? 0.66 : 0.86; }

/*
 * Move membranes with the fluid, and then along their normals, so that each keeps its volume: between nodes
 * the interpolated velocity is not free of divergence, though that of the fluid is. The volume is of third
 * order in such a displacement, and the second one removes what the first one leaves.
 */
static rill_status move(const rill_membranes *m)
{
    enum { TURNS = 2 };
    rill_status status = RILL_OK;
    const rill_membrane_set *s = &m->set;
    RILL_TRY(rill_membrane_sum_up(m->device, RILL_MEMBRANE_ENCLOSED, s));
    RILL_TRY(rill_membrane_do(m->device, RILL_MEMBRANE_MOVE, s, NULL));
    for (int turn = 0; turn < TURNS; turn++) {
        RILL_TRY(rill_membrane_do(m->device, RILL_MEMBRANE_FACE, s, NULL));
        RILL_TRY(rill_membrane_sum_up(m->device, RILL_MEMBRANE_LOST, s));
        RILL_TRY(rill_membrane_do(m->device, RILL_MEMBRANE_KEEP, s, NULL));
    }
done:
    return status;
}

static rill_status before(void *context, const rill_launch *launch)
{
    rill_status status = RILL_OK;
    rill_membranes *m = context;
    if (m->turnover) RILL_TRY(m->turnover(m->owner, m));
    RILL_TRY(forces(m));
    RILL_TRY(rill_push_before(&m->set.support, launch));
    status = move(m);
done:
    return status;
}

static rill_status after(void *context, const rill_launch *launch)
{
    return rill_push_after(&((rill_membranes *)context)->set.support, launch);
}

/* Make the arrays of vertices, on the host and where membranes are. */
static rill_status arrays_make(rill_membranes *m)
{
    rill_status status = RILL_OK;
    rill_membrane_set *s = &m->set;
    const uint64_t v = room_of(m);
    const bool bends = m->elastic.options.bending > 0;
    RILL_TRY(rill_array_create_zero(v, sizeof *m->x, what, (void **)&m->x));
    RILL_TRY(rill_array_create_zero(v, sizeof *m->force, what, (void **)&m->force));
    RILL_TRY(rill_array_create_zero(v, sizeof *m->velocity, what, (void **)&m->velocity));
    RILL_TRY(rill_array_create_zero(v, sizeof *m->area, what, (void **)&m->area));
    s->elastic = m->elastic;
    s->x = m->x;
    s->force = m->force;
    s->velocity = m->velocity;
    s->area = m->area;
    if (m->device) {
        s->elastic = (rill_elastic){0};
        s->x = s->force = s->velocity = s->area = NULL;
        RILL_TRY(rill_elastic_send(&m->elastic, m->device, &s->elastic));
        RILL_TRY(rill_membrane_take(m->device, v, sizeof *s->x, what, (void **)&s->x));
        RILL_TRY(rill_membrane_take(m->device, v, sizeof *s->force, what, (void **)&s->force));
        RILL_TRY(rill_membrane_take(m->device, v, sizeof *s->velocity, what, (void **)&s->velocity));
        RILL_TRY(rill_membrane_take(m->device, v, sizeof *s->area, what, (void **)&s->area));
    }
    RILL_TRY(rill_membrane_take(m->device, m->room, sizeof *s->held, what, (void **)&s->held));
    RILL_TRY(rill_membrane_take(m->device, m->room, sizeof *s->kept, what, (void **)&s->kept));
    if (bends) {
        RILL_TRY(rill_membrane_take(m->device, v, sizeof *s->curved, what, (void **)&s->curved));
        RILL_TRY(rill_membrane_take(m->device, (uint64_t)m->room * m->elastic.edge_count, sizeof *s->angle,
                                    what, (void **)&s->angle));
    }
done:
    return status;
}

/* Return how many membranes there is to be room for. */
static uint32_t room_wanted(const rill_membranes_options *o)
{
    return o->room > o->count ? o->room : o->count;
}

uint64_t rill_membranes_bytes(const rill_membranes_options *o, const uint32_t n[3], uint64_t nodes,
                              uint64_t reach)
{
    const uint64_t count = room_wanted(o), vertices = count * o->mesh->vertex_count,
                   edges = count * o->mesh->edge_count;
    const bool bends = o->elastic.bending > 0;
    return vertices * (4 * sizeof(double[3]) + (bends ? sizeof(double[2]) : 0)) +
           (bends ? edges * sizeof(double) : 0) + count * 2 * sizeof(double[2]) +
           (count > 1 && o->contact > 0 ? rill_membrane_contact_bytes(n, RILL_CONTACT_RANGE, vertices) : 0) +
           rill_support_bytes(nodes, reach);
}

/* Refuse what membranes do not go with. */
static rill_status check(const rill_sim *sim, const rill_membranes_options *options)
{
    const rill_variant v = sim->flow->options.variant;
    if (v.collision != RILL_SRT && v.collision != RILL_TRT)
        return rill_fail(RILL_USAGE, "membranes do not go with the collision %s: choose srt or trt",
                         rill_collision_names[v.collision]);
    if (room_wanted(options) == 0) return rill_fail(RILL_USAGE, "there are no membranes: count is 0");
    if ((uint64_t)room_wanted(options) * options->mesh->vertex_count > UINT32_MAX)
        return rill_fail(RILL_USAGE, "%u membranes of %u vertices have more than %u: make them coarser",
                         room_wanted(options), options->mesh->vertex_count, UINT32_MAX);
    for (int k = 0; k < sim->patches.count && !options->turnover;
         k++) /* what was sent there comes back with another sign */
        if (sim->patches.table[k].kind == RILL_BOUNDARY_PRESSURE ||
            sim->patches.table[k].kind == RILL_BOUNDARY_WINDKESSEL)
            return rill_fail(RILL_USAGE,
                             "membranes do not go with openings that have a pressure: choose velocities");
    return RILL_OK;
}

rill_status rill_membranes_create(rill_sim *sim, const rill_membranes_options *options, rill_membranes **out)
{
    rill_status status = RILL_OK;
    rill_membranes *m = NULL;
    const rill_domain *domain = sim->domain;
    bool open[3];
    RILL_TRY(check(sim, options));
    for (int a = 0; a < 3; a++) open[a] = domain->geom->sides[a] == RILL_PERIODIC;
    RILL_TRY(rill_array_create_zero(1, sizeof *m, what, (void **)&m));
    m->sim = sim;
    m->device = sim->several || sim->device->backend->traits.processor ? NULL : sim->device;
    m->count = options->count;
    m->room = room_wanted(options);
    m->turnover = options->turnover;
    m->owner = options->owner;
    m->slip = options->slip;
    m->walls = (rill_membrane_walls){&domain->numbering, {open[0], open[1], open[2]}};
    m->set.wall = options->wall;
    RILL_TRY(rill_elastic_create(options->mesh, &options->elastic, &m->elastic));
    RILL_TRY(arrays_make(m));
    RILL_TRY(rill_support_create(m->device, &domain->numbering, open, options->width, &m->set.support));
    if (m->room > 1 && options->contact > 0)
        RILL_TRY(rill_membrane_contact_create(m->device, domain->numbering.n, open, RILL_CONTACT_RANGE,
                                              options->contact, room_of(m), &m->set.contact));
    for (uint64_t k = 0; k < vertices_of(m); k++)
        for (int a = 0; a < 3; a++)
            m->x[k][a] = options->centres[k / options->mesh->vertex_count][a] +
                         options->mesh->vertices[k % options->mesh->vertex_count][a];
    RILL_TRY(rill_membranes_give(m));
    const rill_passes passes = {.what = "a membrane",
                                .before = before,
                                .after = after,
                                .boundaries = true,
                                .gpu = true,
                                .context = m};
    RILL_TRY(rill_sim_passes_set(sim, &passes));
    *out = m;
    m = NULL;
done:
    rill_membranes_destroy(m);
    return status;
}

void rill_membranes_destroy(rill_membranes *m)
{
    if (!m) return;
    rill_membrane_set *s = &m->set;
    if (m->device) {
        rill_elastic_leave(&s->elastic, m->device);
        rill_membrane_leave(m->device, s->x);
        rill_membrane_leave(m->device, s->force);
        rill_membrane_leave(m->device, s->velocity);
        rill_membrane_leave(m->device, s->area);
    }
    rill_membrane_leave(m->device, s->held);
    rill_membrane_leave(m->device, s->kept);
    rill_membrane_leave(m->device, s->curved);
    rill_membrane_leave(m->device, s->angle);
    rill_support_destroy(&s->support);
    rill_membrane_contact_destroy(&s->contact);
    rill_elastic_destroy(&m->elastic);
    rill_array_destroy(m->x);
    rill_array_destroy(m->force);
    rill_array_destroy(m->velocity);
    rill_array_destroy(m->area);
    rill_array_destroy(m);
}

rill_status rill_membranes_give(rill_membranes *m)
{
    return m->device ? rill_device_upload(m->device, m->set.x, m->x, vertices_of(m) * sizeof *m->x) : RILL_OK;
}

/* Bring an array of vertices to the host. */
static rill_status fetch(const rill_membranes *m, double (*to)[3], double (*const from)[3])
{
    return m->device ? rill_device_download(m->device, to, from, vertices_of(m) * sizeof *to) : RILL_OK;
}

rill_status rill_membranes_fetch(rill_membranes *m)
{
    const rill_status status = fetch(m, m->x, m->set.x);
    return status == RILL_OK ? fetch(m, m->velocity, m->set.velocity) : status;
}

static rill_status positions_save(void *context, uint64_t offset, uint64_t bytes, void *to)
{
    rill_membranes *m = context;
    const rill_status status = offset == 0 ? rill_membranes_fetch(m) : RILL_OK;
    memcpy(to, (const char *)m->x + offset, bytes);
    return status;
}

static rill_status positions_load(void *context, uint64_t offset, uint64_t bytes, const void *from)
{
    const rill_membranes *m = context;
    memcpy((char *)m->x + offset, from, bytes);
    return RILL_OK;
}

rill_checkpoint_part rill_membranes_part(rill_membranes *m)
{
    return (rill_checkpoint_part){"vertices", room_of(m) * sizeof *m->x, positions_save, positions_load, m,
                                  NULL};
}

rill_status rill_membranes_stresses(rill_membranes *m, double (*stress)[RILL_MEMBRANE_STRESS])
{
    static const int axes[RILL_MEMBRANE_STRESS][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    rill_status status = RILL_OK;
    const uint32_t vertices = m->elastic.vertex_count;
    rill_membrane_set s = *current(m);
    s.load = NULL;
    RILL_TRY(rill_elastic_pull(m->device, &s));
    RILL_TRY(fetch(m, m->x, s.x));
    RILL_TRY(fetch(m, m->force, s.force));
    RILL_TRY(fetch(m, m->area, s.area));
    for (uint64_t k = 0; k < m->count; k++) {
        const double(*x)[3] = (const double(*)[3])m->x + k * vertices;
        const double(*force)[3] = (const double(*)[3])m->force + k * vertices;
        for (int c = 0; c < RILL_MEMBRANE_STRESS; c++) {
            const int a = axes[c][0], b = axes[c][1];
            stress[k][c] = 0;
            for (uint32_t v = 0; v < vertices; v++) /* forces add up to 0: any point may be the origin */
                stress[k][c] -= (force[v][a] * (x[v][b] - x[0][b]) + force[v][b] * (x[v][a] - x[0][a])) / 2;
        }
    }
done:
    return status;
}

/* Add half of the force on nodes to their velocities. */
static void half_add(const rill_membranes *m, const rill_node *node, const int64_t (*force)[3],
                     rill_node first, rill_node count, const double *rho, double *u)
{
    for (rill_node at = 0; at < m->set.support.count; at++) {
        if (node[at] < first || node[at] - first >= count) continue;
        const rill_node k = node[at] - first;
        const bool linear = m->sim->flow->options.variant.equilibrium == RILL_STOKES;
        const double density = linear || !rho ? 1 : 1 + rho[k];
        for (int a = 0; a < 3; a++)
            u[(size_t)a * count + k] += RILL_SUPPORT_UNIT * (double)force[at][a] / (2 * density);
    }
}

rill_status rill_membranes_moments(rill_membranes *m, rill_node first, rill_node count, double *rho,
                                   double *u)
{
    rill_status status = RILL_OK;
    rill_node *node = NULL;
    int64_t(*force)[3] = NULL;
    const rill_support *r = &m->set.support;
    RILL_TRY(rill_sim_moments(m->sim, first, count, rho, u));
    RILL_TRY(forces(m));
    if (!u) goto done;
    if (m->device) {
        RILL_TRY(rill_array_create(r->count, sizeof *node, what, (void **)&node));
        RILL_TRY(rill_array_create(r->count, sizeof *force, what, (void **)&force));
        RILL_TRY(rill_device_download(m->device, node, r->node, r->count * sizeof *node));
        RILL_TRY(rill_device_download(m->device, force, r->force, r->count * sizeof *force));
    }
    half_add(m, m->device ? node : r->node,
             m->device ? (const int64_t(*)[3])force : (const int64_t(*)[3])r->force, first, count, rho, u);
done:
    rill_array_destroy(node);
    rill_array_destroy(force);
    return status;
}
