/* SPDX-License-Identifier: Apache-2.0 */
/* A cylinder across a channel. */
#include "verify/street.h"

#include "core/memory.h"
#include "core/status.h"
#include "domain/domain.h"
#include "geometry/voxels/exact_walls.h"

#include <math.h>
#include <omp.h>

/* Lengths in voxels. */
typedef struct channel {
    uint32_t n[3];
    double centre[2], radius;
    double speed; /* on the axis */
} channel;

static channel channel_of(const rill_verify_street *s)
{
    const double d = s->diameter;
    const uint32_t height = (uint32_t)(4.1 * d + 0.5);
    return (channel){.n = {(s->solid ? 25 : 22) * s->diameter, height, s->solid ? height : 1},
                     .centre = {(s->solid ? 5 : 2) * d, 2 * d},
                     .radius = d / 2,
                     .speed = (s->solid ? 2.25 : 1.5) * s->speed};
}

static rill_status geometry(const channel *c, rill_geom **out)
{
    const rill_status status = rill_geom_create(c->n, out);
    if (status != RILL_OK) return status;
    uint8_t *voxel = (*out)->voxels;
    for (uint32_t z = 0; z < c->n[2]; z++)
        for (uint32_t y = 0; y < c->n[1]; y++)
            for (uint32_t x = 0; x < c->n[0]; x++)
                *voxel++ = hypot(x + 0.5 - c->centre[0], y + 0.5 - c->centre[1]) > c->radius ? RILL_FLUID
                                                                                             : RILL_SOLID;
    for (int a = 0; a < 3; a++) (*out)->sides[a] = a < 2 || c->n[2] > 1 ? RILL_WALL : RILL_PERIODIC;
    return RILL_OK;
}

static void inflow(void *context, const double x[3], double u[3])
{
    const channel *c = context;
    u[0] = c->speed;
    u[1] = u[2] = 0;
    for (int a = 1; a < 3; a++)
        if (c->n[a] > 1) u[0] *= 4 * x[a] / c->n[a] * (1 - x[a] / c->n[a]);
}

/* Where a link meets the cylinder. */
static double cylinder_cut(void *context, const double x[3], const int link[3])
{
    const channel *c = context;
    const rill_round_wall wall = {
        .centre = {c->centre[0], c->centre[1], 0}, .axis = {0, 0, 1}, .radius = c->radius};
    return rill_round_wall_cut(&wall, x, link, false);
}

/* Links of the cylinder: within half a diagonal of its surface, and not across the domain boundaries. */
static bool on_cylinder(void *context, const rill_wall_link *link)
{
    const channel *c = context;
    return !link->beyond[0] && !link->beyond[1] && !link->beyond[2] &&
           hypot(link->wall[0] - c->centre[0], link->wall[1] - c->centre[1]) < c->radius + 1;
}

/* Numbers of the patches. */
enum patch { inlet, outlet, cylinder };

/* Put inlet, outlet and the cylinder on a simulation. */
static rill_status boundaries(channel *c, bool exact, const rill_domain *domain, rill_sim *sim)
{
    rill_status status = RILL_OK;
    rill_boundary *parts[3] = {NULL, NULL, NULL};
    int patch;
    RILL_TRY(rill_boundary_create_face(domain, 0, -1, &parts[inlet]));
    RILL_TRY(rill_boundary_set_velocity_profile(parts[inlet], inflow, c));
    RILL_TRY(rill_boundary_create_face(domain, 0, 1, &parts[outlet]));
    RILL_TRY(rill_boundary_set_density(parts[outlet], 0));
    if (exact) {
        const rill_surface *surface = domain->geom->surface; /* the boundaries are solid: no other links */
        RILL_TRY(rill_boundary_create_cuts(domain, surface->walls, surface->wall_count, &parts[cylinder]));
        rill_boundary_set_measured(parts[cylinder]);
    } else {
        RILL_TRY(rill_boundary_create(domain, on_cylinder, c, &parts[cylinder]));
    }
    for (int k = 0; k < 3; k++) RILL_TRY(rill_sim_boundary_add(sim, parts[k], &patch));
done:
    for (int k = 0; k < 3; k++) rill_boundary_destroy(parts[k]);
    return status;
}

/* Mean period of a signal, in samples: between its first and its last upward crossing of its mean. */
static double period(const double *values, int count)
{
    double mean = 0, first = 0, last = 0;
    int crossings = 0;
    for (int k = 0; k < count; k++) mean += values[k] / count;
    for (int k = 1; k < count; k++) {
        if (!(values[k - 1] < mean && values[k] >= mean)) continue;
        last = k - (values[k] - mean) / (values[k] - values[k - 1]);
        if (crossings++ == 0) first = last;
    }
    return crossings > 2 ? (last - first) / (crossings - 1) : NAN;
}

/* Density of the fluid before (-1) or behind (1) the cylinder, at half the width of the channel. */
static rill_status density(const channel *c, const rill_geom *geom, rill_sim *sim, int side, double *rho)
{
    const uint32_t place[3] = {(uint32_t)(c->centre[0] + side * (c->radius + 0.5)), (uint32_t)c->centre[1],
                               c->n[2] / 2};
    const uint64_t voxel = place[0] + c->n[0] * (place[1] + (uint64_t)c->n[1] * place[2]);
    rill_node node = 0;
    for (uint64_t v = 0; v < voxel; v++) node += geom->voxels[v] >= RILL_FLUID;
    return rill_sim_moments(sim, node, 1, rho, NULL);
}

/*
 * Make the steps before the first sample. The inflow grows over half of them, as a cosine: what starts at
 * once sends sound through the channel, which inlet and outlet reflect.
 */
static rill_status start(const rill_verify_street *s, uint64_t every, rill_sim *sim)
{
    rill_status status = RILL_OK;
    const double steps = s->start * s->diameter / s->speed;
    for (uint64_t step = 0; (double)step < steps; step += every) {
        const double part = fmin(1, 2 * (double)step / steps);
        RILL_TRY(rill_sim_patch_scale(sim, inlet, (1 - cos(M_PI * part)) / 2));
        RILL_TRY(rill_sim_step(sim, every));
    }
done:
    return status;
}

static rill_status follow(const rill_verify_street *s, const channel *c, rill_sim *sim,
                          rill_verify_street_flow *flow)
{
    rill_status status = RILL_OK;
    /* Some 60 samples in a period, which is about 3 D/U. */
    const uint64_t every = (uint64_t)fmax(1, s->diameter / s->speed / 20);
    const double unit = s->diameter / s->speed;
    flow->every = (double)every / unit;
    flow->count = (int)((s->time - s->start) / flow->every);
    flow->drag_max = flow->lift_max = -INFINITY;
    RILL_TRY(rill_array_create((uint64_t)flow->count, sizeof *flow->lifts, "lift", (void **)&flow->lifts));
    RILL_TRY(start(s, every, sim));
    for (int k = 0; k < flow->count; k++) {
        double force[3];
        RILL_TRY(rill_sim_step(sim, every));
        RILL_TRY(rill_sim_patch_force(sim, cylinder, force));
        const double scale = 2 / (s->speed * s->speed * s->diameter * c->n[2]);
        flow->lifts[k] = scale * force[1];
        flow->drag += scale * force[0] / flow->count;
        flow->lift += scale * force[1] / flow->count;
        flow->drag_max = fmax(flow->drag_max, scale * force[0]);
        flow->lift_max = fmax(flow->lift_max, scale * force[1]);
        if (!isfinite(force[0])) {
            status = rill_fail(RILL_NUMERICS, "the force is not finite after %llu steps",
                               (unsigned long long)rill_sim_steps(sim));
            goto done;
        }
    }
    flow->strouhal = 1 / (period(flow->lifts, flow->count) * flow->every);
done:
    return status;
}

rill_status rill_verify_street_run(const rill_verify_street *street, const rill_sim_options *given,
                                   rill_verify_street_flow *flow)
{
    rill_status status = RILL_OK;
    channel c = channel_of(street);
    const rill_domain_options domain_options = {given->variant.lattice, -1};
    rill_sim_options options = *given;
    rill_geom *geom = NULL;
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    double before, behind;
    const int threads = rill_verify_threads_fit((rill_node)(c.n[0] * c.n[1] * c.n[2]));
    *flow = (rill_verify_street_flow){0};
    options.variant.equilibrium = RILL_SECOND_ORDER;
    options.tau = 0.5 + 3 * street->speed * street->diameter / street->reynolds;
    RILL_TRY(geometry(&c, &geom));
    if (street->exact) RILL_TRY(rill_exact_walls(geom, cylinder_cut, &c));
    RILL_TRY(rill_domain_create(geom, &domain_options, &domain));
    RILL_TRY(rill_sim_create(domain, &options, &sim));
    RILL_TRY(boundaries(&c, street->exact, domain, sim));
    RILL_TRY(follow(street, &c, sim, flow));
    RILL_TRY(density(&c, geom, sim, -1, &before));
    RILL_TRY(density(&c, geom, sim, 1, &behind));
    flow->pressure = (before - behind) / 3 / (street->speed * street->speed);
done:
    omp_set_num_threads(threads);
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
    return status;
}

void rill_verify_street_free(rill_verify_street_flow *flow)
{
    rill_array_destroy(flow->lifts);
    *flow = (rill_verify_street_flow){0};
}

rill_status rill_verify_street_steady(const rill_verify_case *of, const rill_verify_setup *setup,
                                      rill_verify_values *values)
{
    const rill_sim_options options = rill_verify_options(setup, 1);
    rill_verify_street_flow flow;
    const rill_status status = rill_verify_street_run(of->data, &options, &flow);
    values->found[0] = flow.drag;
    values->found[1] = flow.lift;
    values->found[2] = flow.pressure;
    rill_verify_street_free(&flow);
    return status;
}
