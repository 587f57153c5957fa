/* SPDX-License-Identifier: Apache-2.0 */
#include "membrane/membrane.h"

#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "kernel/variant.h"
#include "membrane/push.h"
#include "sim/sim_priv.h"

#include <math.h>
#include <string.h>

/* Positions, voxels, and forces of a vertex beyond which a membrane has diverged: cells have 32 bits, and
 * sums of forces hold 2^13. */
#define POSITION_MOST 1e8
#define FORCE_MOST 64.0

static uint64_t vertices_of(const rill_membranes *m)
{
    return (uint64_t)m->count * m->elastic.mesh->vertex_count;
}

void rill_membranes_remove(rill_membranes *m, uint32_t membrane)
{
    const uint64_t vertices = m->elastic.mesh->vertex_count;
    memmove(m->x + membrane * vertices, m->x + (membrane + 1) * vertices,
            (m->count - membrane - 1) * vertices * sizeof *m->x);
    m->count--;
}

static void stretch(const void *shared, uint64_t first, uint64_t end)
{
    const rill_membranes *m = shared;
    const uint32_t vertices = m->elastic.mesh->vertex_count;
    for (uint64_t k = first; k < end; k++) {
        const double(*x)[3] = (const double(*)[3])m->x + k * vertices;
        rill_elastic_force(&m->elastic, x, m->force + k * vertices, m->scratch + k * vertices);
        rill_membrane_areas(m->elastic.mesh, x, m->area + k * vertices);
    }
}

static rill_status diverged(const rill_membranes *m)
{
    return rill_fail(
        RILL_NUMERICS,
        "a membrane diverged in step %llu: shorten the time steps (of `rill capsule` by --re, of a case file by run.time-step)",
        (unsigned long long)rill_sim_steps(m->sim));
}

/* Refuse what the cells of kernels and contact cannot hold. */
static rill_status placed(const rill_membranes *m)
{
    for (uint64_t v = 0; v < vertices_of(m); v++)
        for (int a = 0; a < 3; a++)
            if (!(fabs(m->x[v][a]) < POSITION_MOST)) return diverged(m);
    return RILL_OK;
}

/* Refuse what the sums cannot hold. */
static rill_status bounded(const rill_membranes *m)
{
    for (uint64_t v = 0; v < vertices_of(m); v++)
        for (int a = 0; a < 3; a++)
            if (!(fabs(m->force[v][a]) < FORCE_MOST)) return diverged(m);
    return RILL_OK;
}

/* Find the forces on nodes at the present positions. */
static rill_status forces(rill_membranes *m)
{
    rill_status status = RILL_OK;
    const double(*x)[3] = (const double(*)[3])m->x;
    rill_threads_for(m->count, 1, stretch, m);
    for (uint64_t v = 0; v < vertices_of(m) && m->load; v++)
        for (int a = 0; a < 3; a++) m->force[v][a] += m->load[v][a];
    RILL_TRY(placed(m));
    if (m->contact.room)
        rill_membrane_contact_add(&m->contact, x, (uint32_t)vertices_of(m), m->elastic.mesh->vertex_count,
                                  m->force);
    if (m->wall_strength > 0)
        rill_membrane_walls_add(&m->walls, m->wall_strength, x, vertices_of(m), m->force);
    RILL_TRY(bounded(m));
    RILL_TRY(rill_support_find(&m->support, x, vertices_of(m)));
    rill_support_spread(&m->support, x, (const double(*)[3])m->force, vertices_of(m));
done:
    return status;
}

double rill_membrane_slip(int width) { return width == 2 ? 0.52 : width == 3 ? 0.66 : 0.86; }

/* Mean over positions of the sum of the squared weights along an axis: a sheet with the force f per area
 * makes this times f where its vertices are. */
static double share_of(int width) { return width == 2 ? 2.0 / 3 : width == 3 ? 0.5 : 0.375; }

/* Add a part of the force along the surface to a velocity. */
static void slip_add(const double area[3], const double force[3], double factor, double velocity[3])
{
    double square = 0, across = 0;
    for (int a = 0; a < 3; a++) {
        square += area[a] * area[a];
        across += area[a] * force[a];
    }
    for (int a = 0; a < 3 && square > 0; a++) velocity[a] += factor * (force[a] - across / square * area[a]);
}

/* Return the volume that a closed surface encloses, x . dA / 3 over it, and its area. */
static double volume_of(const double (*x)[3], const double (*area)[3], uint32_t count, double *surface)
{
    double sum = 0;
    *surface = 0;
    for (uint32_t v = 0; v < count; v++) {
        double square = 0;
        for (int a = 0; a < 3; a++) {
            sum += (x[v][a] - x[0][a]) * area[v][a];
            square += area[v][a] * area[v][a];
        }
        *surface += sqrt(square);
    }
    return sum / 3;
}

/* Move membranes with their velocities, and then along their normals, so that each keeps its volume: between
 * nodes the interpolated velocity is not free of divergence, though that of the fluid is. The volume is of
 * third order in such a displacement, and the second one removes what the first one leaves. */
static void move_whole(const void *shared, uint64_t first, uint64_t end)
{
    enum { TURNS = 2 };
    const rill_membranes *m = shared;
    const uint32_t vertices = m->elastic.mesh->vertex_count;
    for (uint64_t k = first; k < end; k++) {
        double(*x)[3] = m->x + k * vertices, (*u)[3] = m->velocity + k * vertices,
        (*area)[3] = m->area + k * vertices, surface;
        const double before = volume_of((const double(*)[3])x, (const double(*)[3])area, vertices, &surface);
        for (uint32_t v = 0; v < vertices; v++)
            for (int a = 0; a < 3; a++) x[v][a] += u[v][a];
        for (int turn = 0; turn < TURNS; turn++) {
            rill_membrane_areas(m->elastic.mesh, (const double(*)[3])x, area);
            const double now = volume_of((const double(*)[3])x, (const double(*)[3])area, vertices, &surface);
            const double by = surface > 0 ? (before - now) / surface : 0;
            for (uint32_t v = 0; v < vertices; v++) {
                const double *n = area[v], length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
                for (int a = 0; a < 3 && length > 0; a++) {
                    x[v][a] += by * n[a] / length;
                    u[v][a] += by * n[a] / length;
                }
            }
        }
    }
}

/* Move them by a time step. */
static void move(rill_membranes *m)
{
    double(*felt)[3] = m->slip > 0 ? m->felt : NULL;
    const double factor = m->slip * 3 / (2 * (m->sim->flow->options.tau - 0.5)) / share_of(m->support.width);
    rill_support_interpolate(&m->support, (const double(*)[3])m->x, vertices_of(m), m->velocity, felt);
    for (uint64_t v = 0; v < vertices_of(m) && felt; v++)
        slip_add(m->area[v], felt[v], factor, m->velocity[v]);
    rill_threads_for(m->count, 1, move_whole, m);
}

static rill_status before(void *context, const rill_launch *launch)
{
    rill_status status = RILL_OK;
    rill_membranes *m = context;
    if (m->turnover) RILL_TRY(m->turnover(m->owner, m));
    RILL_TRY(forces(m));
    rill_push_before(&m->support, launch);
    move(m);
done:
    return status;
}

static rill_status after(void *context, const rill_launch *launch)
{
    const rill_membranes *m = context;
    rill_push_after(&m->support, launch);
    return RILL_OK;
}

rill_status rill_membranes_create(rill_sim *sim, const rill_membranes_options *options, rill_membranes **out)
{
    static const char *const what = "membranes";
    rill_status status = RILL_OK;
    rill_membranes *m = NULL;
    const rill_variant v = sim->flow->options.variant;
    const rill_domain *domain = sim->domain;
    bool open[3];
    uint64_t vertices;
    if (v.collision != RILL_SRT && v.collision != RILL_TRT)
        RILL_TRY(rill_fail(RILL_USAGE, "membranes do not go with the collision %s: choose srt or trt",
                           rill_collision_names[v.collision]));
    if (options->count == 0 && options->room == 0)
        RILL_TRY(rill_fail(RILL_USAGE, "there are no membranes: count is 0"));
    for (int k = 0; k < sim->patches.count && !options->turnover;
         k++) /* what was sent there comes back with another sign */
        if (sim->patches.table[k].kind == RILL_BOUNDARY_PRESSURE ||
            sim->patches.table[k].kind == RILL_BOUNDARY_WINDKESSEL)
            RILL_TRY(rill_fail(RILL_USAGE,
                               "membranes do not go with openings that have a pressure: choose velocities"));
    for (int a = 0; a < 3; a++) open[a] = domain->geom->sides[a] == RILL_PERIODIC;
    RILL_TRY(rill_array_create_zero(1, sizeof *m, what, (void **)&m));
    m->sim = sim;
    m->count = options->count;
    m->room = options->room > options->count ? options->room : options->count;
    m->turnover = options->turnover;
    m->owner = options->owner;
    m->slip = options->slip;
    m->wall_strength = options->wall;
    m->walls = (rill_membrane_walls){&domain->numbering, {open[0], open[1], open[2]}};
    vertices = (uint64_t)m->room * options->mesh->vertex_count;
    RILL_TRY(rill_elastic_create(options->mesh, &options->elastic, &m->elastic));
    RILL_TRY(rill_array_create_zero(vertices, sizeof *m->x, what, (void **)&m->x));
    RILL_TRY(rill_array_create_zero(vertices, sizeof *m->force, what, (void **)&m->force));
    RILL_TRY(rill_array_create_zero(vertices, sizeof *m->velocity, what, (void **)&m->velocity));
    RILL_TRY(rill_array_create(vertices, sizeof *m->scratch, what, (void **)&m->scratch));
    RILL_TRY(rill_array_create(vertices, sizeof *m->area, what, (void **)&m->area));
    RILL_TRY(rill_array_create(vertices, sizeof *m->felt, what, (void **)&m->felt));
    RILL_TRY(rill_support_create(&domain->numbering, open, options->width, &m->support));
    if (m->room > 1 && options->contact > 0)
        RILL_TRY(rill_membrane_contact_create(domain->numbering.n, open, RILL_CONTACT_RANGE, options->contact,
                                              vertices, &m->contact));
    for (uint64_t k = 0; k < vertices_of(m); k++)
        for (int a = 0; a < 3; a++)
            m->x[k][a] = options->centres[k / options->mesh->vertex_count][a] +
                         options->mesh->vertices[k % options->mesh->vertex_count][a];
    const rill_passes passes = {
        .what = "a membrane", .before = before, .after = after, .boundaries = true, .context = m};
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
    rill_elastic_destroy(&m->elastic);
    rill_array_destroy(m->x);
    rill_array_destroy(m->force);
    rill_array_destroy(m->velocity);
    rill_array_destroy(m->scratch);
    rill_array_destroy(m->area);
    rill_array_destroy(m->felt);
    rill_support_destroy(&m->support);
    rill_membrane_contact_destroy(&m->contact);
    rill_array_destroy(m);
}

void rill_membranes_stresses(rill_membranes *m, double (*stress)[RILL_MEMBRANE_STRESS])
{
    static const int axes[RILL_MEMBRANE_STRESS][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    const uint32_t vertices = m->elastic.mesh->vertex_count;
    rill_threads_for(m->count, 1, stretch, m);
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
}

rill_status rill_membranes_moments(rill_membranes *m, rill_node first, rill_node count, double *rho,
                                   double *u)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_sim_moments(m->sim, first, count, rho, u));
    RILL_TRY(forces(m));
    for (rill_node at = 0; at < m->support.count && u; at++) {
        const rill_node node = m->support.node[at];
        if (node < first || node - first >= count) continue;
        const bool linear = m->sim->flow->options.variant.equilibrium == RILL_STOKES;
        const double density = linear || !rho ? 1 : 1 + rho[node - first];
        for (int a = 0; a < 3; a++)
            u[(size_t)a * count + (node - first)] += rill_support_force(&m->support, at, a) / (2 * density);
    }
done:
    return status;
}
