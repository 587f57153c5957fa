/* SPDX-License-Identifier: Apache-2.0 */
/* Helicity of the flow in a vessel. */
#include "vessel/observe/helicity.h"

#include "core/memory.h"
#include "core/status.h"
#include "domain/layers.h"
#include "geometry/surface/mesh.h"

#include <math.h>
#include <string.h>

enum { BATCH = 1 << 16 };

/* ---- derivatives ----------------------------------------------------------------------------- */

/* A difference along an axis: the sum of weights times values, per spacing. */
typedef struct difference {
    rill_node node[3];
    double weight[3];
} difference;

/* Return the node at some steps along an axis; RILL_UPSTREAM_WALL beyond the box. */
static rill_node neighbour_node(const rill_domain *domain, const rill_layers *layers, const uint32_t x[3],
                                int axis, int steps)
{
    const int64_t at = (int64_t)x[axis] + steps;
    uint32_t y[3] = {x[0], x[1], x[2]};
    if (at < 0 || at >= (int64_t)domain->geom->n[axis]) return RILL_UPSTREAM_WALL;
    y[axis] = (uint32_t)at;
    return rill_layers_node(layers, y[0], y[1], y[2]);
}

static difference difference_at(const rill_domain *domain, const rill_layers *layers, const uint32_t x[3],
                                rill_node self, int axis)
{
    const rill_node before = neighbour_node(domain, layers, x, axis, -1),
                    behind = neighbour_node(domain, layers, x, axis, 1);
    difference d = {{self, self, self}, {0, 0, 0}};
    if (before == RILL_UPSTREAM_WALL && behind == RILL_UPSTREAM_WALL) return d;
    if (before != RILL_UPSTREAM_WALL && behind != RILL_UPSTREAM_WALL)
        return (difference){{before, behind, self}, {-0.5, 0.5, 0}};
    const int side = behind != RILL_UPSTREAM_WALL ? 1 : -1;
    const rill_node near = side > 0 ? behind : before,
                    far = neighbour_node(domain, layers, x, axis, 2 * side);
    if (far == RILL_UPSTREAM_WALL) return (difference){{self, near, self}, {-side, side, 0}};
    return (difference){{self, near, far}, {-1.5 * side, 2 * side, -0.5 * side}};
}

/* The same; of a node without a neighbour along the axis the difference at a node beside it that has one. */
static difference difference_near(const rill_domain *domain, const rill_layers *layers, const uint32_t x[3],
                                  rill_node self, int axis)
{
    difference d = difference_at(domain, layers, x, self, axis);
    for (int way = 0; way < 6 && d.weight[1] == 0; way++) {
        const int a = way / 2, side = way % 2 ? 1 : -1;
        const rill_node other = neighbour_node(domain, layers, x, a, side);
        if (a == axis || other == RILL_UPSTREAM_WALL) continue;
        uint32_t y[3] = {x[0], x[1], x[2]};
        y[a] = (uint32_t)((int64_t)y[a] + side);
        d = difference_at(domain, layers, y, other, axis);
    }
    return d;
}

static void node_compute(const rill_domain *domain, const rill_layers *layers, const uint32_t x[3],
                         const float *u, double spacing, float *density, float *lnh)
{
    const rill_node self = rill_layers_rank(layers, x[0], x[1], x[2]);
    const uint64_t nodes = domain->nodes;
    double gradient[3][3], here[3], curl[3]; /* gradient[a][b]: of component b along axis a */
    for (int a = 0; a < 3; a++) {
        const difference d = difference_near(domain, layers, x, self, a);
        here[a] = (double)u[(uint64_t)a * nodes + self];
        for (int b = 0; b < 3; b++) {
            gradient[a][b] = 0;
            for (int k = 0; k < 3; k++)
                gradient[a][b] += d.weight[k] * (double)u[(uint64_t)b * nodes + d.node[k]] / spacing;
        }
    }
    for (int a = 0; a < 3; a++)
        curl[a] = gradient[(a + 1) % 3][(a + 2) % 3] - gradient[(a + 2) % 3][(a + 1) % 3];
    const double h = rill_dot(here, curl), most = sqrt(rill_dot(here, here) * rill_dot(curl, curl));
    density[self] = (float)h;
    lnh[self] = most > 0 ? (float)(h / most) : 0;
}

rill_status rill_helicity_compute(const rill_domain *domain, const float *u, double spacing, float *density,
                                  float *lnh)
{
    rill_status status = RILL_OK;
    rill_layers layers = {.first = 0};
    const uint32_t *n = domain->geom->n;
    for (uint32_t z = 0; z < n[2]; z++) {
        RILL_TRY(rill_layers_see(domain, z, 3, &layers));
#pragma omp parallel for schedule(static)
        for (uint32_t y = 0; y < n[1]; y++)
            for (uint32_t x = 0; x < n[0]; x++)
                if (rill_layers_has(&layers, x, y, z))
                    node_compute(domain, &layers, (const uint32_t[]){x, y, z}, u, spacing, density, lnh);
    }
done:
    rill_layers_free(&layers);
    return status;
}

/* ---- life ------------------------------------------------------------------------------------ */

static uint64_t state_bytes(uint64_t nodes)
{
    const rill_helicity_state *s = NULL;
    return sizeof *s + nodes * sizeof *s->mean;
}

uint64_t rill_helicity_bytes(uint64_t nodes)
{
    return state_bytes(nodes) + 5 * nodes * sizeof(float) + 3 * BATCH * sizeof(double);
}

rill_status rill_helicity_make(const rill_vessel *vessel, rill_helicity *out)
{
    rill_status status = RILL_OK;
    const uint64_t nodes = rill_domain_nodes(vessel->domain);
    *out = (rill_helicity){0};
    if (!vessel->given->output.helicity) return RILL_OK;
    out->vessel = vessel;
    RILL_TRY(rill_array_create(3 * nodes, sizeof *out->u, "helicity", (void **)&out->u));
    RILL_TRY(rill_array_create(nodes, sizeof *out->density, "helicity", (void **)&out->density));
    RILL_TRY(rill_array_create(nodes, sizeof *out->lnh, "helicity", (void **)&out->lnh));
    RILL_TRY(rill_array_create_zero(state_bytes(nodes), 1, "helicity", (void **)&out->state));
done:
    if (status != RILL_OK) rill_helicity_free(out);
    return status;
}

void rill_helicity_free(rill_helicity *h)
{
    rill_array_destroy(h->u);
    rill_array_destroy(h->density);
    rill_array_destroy(h->lnh);
    rill_array_destroy(h->state);
    *h = (rill_helicity){0};
}

rill_checkpoint_part rill_helicity_part(rill_helicity *h)
{
    return rill_checkpoint_memory("helicity", h->state, state_bytes(rill_domain_nodes(h->vessel->domain)));
}

/* ---- snapshots ------------------------------------------------------------------------------- */

static rill_status velocities_take(rill_helicity *h)
{
    rill_status status = RILL_OK;
    const rill_vessel *v = h->vessel;
    const uint64_t nodes = rill_domain_nodes(v->domain);
    double *batch = NULL;
    RILL_TRY(rill_array_create(3 * BATCH, sizeof *batch, "helicity", (void **)&batch));
    for (uint64_t first = 0; first < nodes; first += BATCH) {
        const uint64_t count = nodes - first < BATCH ? nodes - first : BATCH;
        RILL_TRY(rill_sim_moments(v->sim, first, count, NULL, batch));
        for (uint64_t a = 0; a < 3; a++)
            for (uint64_t k = 0; k < count; k++)
                h->u[a * nodes + first + k] = (float)(v->plan.scales.velocity * batch[a * count + k]);
    }
done:
    rill_array_destroy(batch);
    return status;
}

/* Whether a place is in an extension: between the end of the surface and the plane of its opening. */
static bool is_extension(const rill_vessel *v, const double place[3])
{
    for (int k = 0; k < v->plan.opening_count; k++) {
        const rill_opening *o = &v->geom->surface->openings[k];
        double from[3];
        rill_subtract(place, o->centre, from);
        const double ahead = rill_dot(from, o->normal), square = rill_dot(from, from) - ahead * ahead;
        if (ahead < v->plan.openings[k].extension && ahead > -v->geom->spacing &&
            square < 4 * o->area / M_PI) /* within twice the radius of a circle of its area */
            return true;
    }
    return false;
}

/* Add the densities of a plane. */
static void plane_add(const rill_helicity *h, const rill_layers *layers, uint32_t z, double sums[3])
{
    const rill_geom *g = h->vessel->geom;
    for (uint32_t y = 0; y < g->n[1]; y++)
        for (uint32_t x = 0; x < g->n[0]; x++) {
            double place[3];
            if (!rill_layers_has(layers, x, y, z)) continue;
            for (int a = 0; a < 3; a++)
                place[a] = g->origin[a] + g->spacing * ((const uint32_t[]){x, y, z}[a] + 0.5);
            const rill_node node = rill_layers_rank(layers, x, y, z);
            h->state->mean[node] += h->lnh[node];
            if (is_extension(h->vessel, place)) continue;
            sums[0] += (double)h->density[node];
            sums[1] += fabs((double)h->density[node]);
            sums[2]++;
        }
}

rill_status rill_helicity_take(rill_helicity *h, bool first)
{
    rill_status status = RILL_OK;
    rill_layers layers = {.first = 0};
    double sums[3] = {0};
    if (!h->vessel) return RILL_OK;
    const rill_geom *g = h->vessel->geom;
    if (first) memset(h->state, 0, state_bytes(rill_domain_nodes(h->vessel->domain)));
    RILL_TRY(velocities_take(h));
    RILL_TRY(rill_helicity_compute(h->vessel->domain, h->u, g->spacing, h->density, h->lnh));
    for (uint32_t z = 0; z < g->n[2]; z++) { /* in order, so that the bits do not depend on threads */
        RILL_TRY(rill_layers_see(h->vessel->domain, z, 0, &layers));
        plane_add(h, &layers, z, sums);
    }
    h->state->sum += sums[2] > 0 ? sums[0] / sums[2] : 0;
    h->state->size += sums[2] > 0 ? sums[1] / sums[2] : 0;
    h->state->samples++;
done:
    rill_layers_free(&layers);
    return status;
}

void rill_helicity_result(const rill_helicity *h, rill_run_result *out)
{
    out->helicity.mean = out->helicity.size = NAN;
    if (!h->vessel || !(h->state->samples > 0)) return;
    out->helicity.mean = h->state->sum / h->state->samples;
    out->helicity.size = h->state->size / h->state->samples;
}
