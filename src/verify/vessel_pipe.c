/* SPDX-License-Identifier: Apache-2.0 */
/* Poiseuille and Womersley flow in pipes with interpolated bounce-back. */
#include "verify/vessel_pipe.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/exact_walls.h"
#include "sim/sim.h"
#include "verify/womersley.h"

#include <complex.h>
#include <math.h>

/* ---- the pipe ---- */

/* A pipe in a box that repeats, so that other parts of it run beside it. */
typedef struct place {
    rill_round_wall wall;
    double spacing; /* between axes of repetitions, normal to y; 0: none */
    double aside[3];
} place;

static place place_of(const rill_verify_vessel_pipe *pipe, const uint32_t n[3])
{
    const double a = pipe->tilt[0], b = pipe->tilt[1], length = hypot(a, b);
    place p = {.wall = {.axis = {a / length, 0, b / length}, .radius = pipe->radius},
               /* n[0] = a L, n[2] = b L; see below */
               .spacing = a > 0 && b > 0 ? n[0] * b / length : 0,
               .aside = {b / length, 0, -a / length}};
    p.wall.centre[0] = (a > 0 ? 0 : n[0] / 2) + pipe->offset[0];
    p.wall.centre[1] = n[1] / 2 + pipe->offset[1];
    return p;
}

/* Return the axis of the repetition nearest to a place. */
static rill_round_wall nearest(const place *p, const double x[3])
{
    rill_round_wall wall = p->wall;
    double beside = 0;
    for (int a = 0; a < 3; a++) beside += (x[a] - wall.centre[a]) * p->aside[a];
    const double step = p->spacing > 0 ? p->spacing * round(beside / p->spacing) : 0;
    for (int a = 0; a < 3; a++) wall.centre[a] += step * p->aside[a];
    return wall;
}

static double cut(void *context, const double x[3], const int c[3])
{
    const rill_round_wall wall = nearest(context, x);
    return rill_round_wall_cut(&wall, x, c, true);
}

static double radius_at(const place *p, const double x[3])
{
    const rill_round_wall wall = nearest(p, x);
    double along = 0, square = 0;
    for (int a = 0; a < 3; a++) along += (x[a] - wall.centre[a]) * wall.axis[a];
    for (int a = 0; a < 3; a++) {
        const double across = x[a] - wall.centre[a] - along * wall.axis[a];
        square += across * across;
    }
    return sqrt(square);
}

rill_status rill_verify_vessel_shape_make(const rill_verify_vessel_pipe *pipe, rill_verify_vessel_shape *out)
{
    rill_status status = RILL_OK;
    rill_verify_vessel_shape s = {.geom = NULL};
    const double width = 2 * pipe->radius + 4, a = pipe->tilt[0], b = pipe->tilt[1];
    const uint32_t wide = 2 * (uint32_t)ceil(width / 2);
    /* Repetitions of a box of (a, b) L are a b L / sqrt(a^2 + b^2) apart. */
    const uint32_t part = a > 0 && b > 0 ? (uint32_t)ceil(width * hypot(a, b) / (a * b)) : 1;
    const uint32_t n[3] = {a > 0 ? pipe->tilt[0] * part : wide, wide, b > 0 ? pipe->tilt[1] * part : wide};
    place p = place_of(pipe, n);
    RILL_TRY(rill_geom_create(n, &s.geom));
    const uint64_t voxels = rill_geom_voxels(s.geom);
    RILL_TRY(rill_array_create(voxels, sizeof *s.radii, "radii", (void **)&s.radii));
    RILL_TRY(rill_array_create(voxels, sizeof *s.places, "places", (void **)&s.places));
    for (uint64_t v = 0; v < voxels; v++) {
        const double x[3] = {(double)(v % n[0]) + 0.5, (double)(v / n[0] % n[1]) + 0.5,
                             (double)(v / n[0] / n[1]) + 0.5};
        const double r = radius_at(&p, x);
        if (r >= pipe->radius) continue;
        s.geom->voxels[v] = RILL_FLUID;
        for (int k = 0; k < 3; k++) s.places[s.nodes][k] = x[k];
        s.radii[s.nodes++] = r;
    }
    for (int k = 0; k < 3; k++) s.axis[k] = p.wall.axis[k];
    RILL_TRY(rill_exact_walls(s.geom, cut, &p));
    *out = s;
    s = (rill_verify_vessel_shape){.geom = NULL};
done:
    rill_verify_vessel_shape_free(&s);
    return status;
}

void rill_verify_vessel_shape_free(rill_verify_vessel_shape *s)
{
    rill_geom_destroy(s->geom);
    rill_array_destroy(s->radii);
    rill_array_destroy(s->places);
    *s = (rill_verify_vessel_shape){.geom = NULL};
}

/* ---- steady flow ---- */

static void force_set(const rill_verify_vessel_shape *s, double force, rill_sim_options *options)
{
    for (int a = 0; a < 3; a++) options->force[a] = force * s->axis[a];
}

rill_status rill_verify_vessel_steady(const rill_verify_vessel_pipe *pipe, const rill_sim_options *given,
                                      const rill_verify_until *until,
                                      double (*exact)(const void *context, double r), const void *context,
                                      double mean, rill_verify_vessel_errors *errors)
{
    rill_status status = RILL_OK;
    rill_verify_vessel_shape s = {.geom = NULL};
    rill_verify_flow flow = {0};
    rill_sim_options options = *given;
    double *u = NULL, wrong = 0, all = 0, sum = 0;
    const double volume = M_PI * pipe->radius * pipe->radius;
    RILL_TRY(rill_verify_vessel_shape_make(pipe, &s));
    if (options.variant.rheology == RILL_NEWTONIAN)
        force_set(&s, 4 * (options.tau - 0.5) / 3 * pipe->speed / (pipe->radius * pipe->radius), &options);
    else
        force_set(&s, given->force[2], &options);
    RILL_TRY(rill_verify_flow_drive(s.geom, 2, &options, until, &flow));
    RILL_TRY(rill_array_create(3 * (uint64_t)s.nodes, sizeof *u, "velocities", (void **)&u));
    RILL_TRY(rill_sim_moments(flow.sim, 0, s.nodes, NULL, u));
    for (size_t k = 0; k < s.nodes; k++) {
        double along = 0;
        for (size_t a = 0; a < 3; a++) along += u[a * s.nodes + k] * s.axis[a];
        const double wanted = pipe->speed * exact(context, s.radii[k] / pipe->radius);
        wrong += (along - wanted) * (along - wanted);
        all += wanted * wanted;
        sum += along;
    }
    /* The pipe's length in the box: its volume is that of length sqrt(x^2 + z^2). */
    const double length = pipe->tilt[0] > 0 ? hypot(s.geom->n[0], s.geom->n[2]) : s.geom->n[2];
    *errors = (rill_verify_vessel_errors){sqrt(wrong / all), sum / (volume * length * mean * pipe->speed) - 1,
                                          flow.rounding};
done:
    rill_verify_flow_end(&flow);
    rill_array_destroy(u);
    rill_verify_vessel_shape_free(&s);
    return status;
}

static double parabola(const void *context, double r)
{
    (void)context;
    return 1 - r * r;
}

rill_status rill_verify_vessel_poiseuille(const rill_verify_vessel_pipe *pipe,
                                          const rill_sim_options *options, const rill_verify_until *until,
                                          rill_verify_vessel_errors *errors)
{
    static const double offsets[4][2] = {{0, 0}, {0.5, 0}, {0.25, 0.25}, {0.5, 0.5}};
    *errors = (rill_verify_vessel_errors){0};
    for (int i = 0; i < 4; i++) {
        rill_verify_vessel_pipe shifted = *pipe;
        rill_verify_vessel_errors e;
        for (int a = 0; a < 2; a++) shifted.offset[a] = offsets[i][a];
        const rill_status status =
            rill_verify_vessel_steady(&shifted, options, until, parabola, NULL, 0.5, &e);
        if (status != RILL_OK) return status;
        errors->l2 += e.l2 / 4;
        errors->flow += fabs(e.flow) / 4;
        errors->rounding += e.rounding / 4;
    }
    return RILL_OK;
}

/* ---- oscillating flow ---- */

/* Velocities over speed: the exact ones at a phase. */
static void womersley_at(const rill_verify_vessel_shape *s, const double complex *profile, double phase,
                         double *u)
{
    for (size_t k = 0; k < s->nodes; k++) u[k] = creal(profile[k] * cexp(I * phase));
}

static void profile_fill(const rill_verify_vessel_shape *s, double radius, double alpha,
                         double complex *profile)
{
    for (size_t k = 0; k < s->nodes; k++)
        profile[k] = rill_verify_womersley_velocity(alpha, s->radii[k] / radius);
}

typedef struct oscillation {
    const rill_verify_vessel_pipe *pipe;
    rill_verify_vessel_shape shape;
    double omega, force;
    double complex *profile;
    double *exact, *moments;
    rill_sim *sim;
} oscillation;

/* Compare with the exact velocities now. */
static rill_status look(oscillation *o, double phase, double *wrong, double *all, double *flow,
                        double *wanted)
{
    const size_t n = o->shape.nodes;
    const rill_status status = rill_sim_moments(o->sim, 0, o->shape.nodes, NULL, o->moments);
    if (status != RILL_OK) return status;
    womersley_at(&o->shape, o->profile, phase, o->exact);
    double sum = 0, exact = 0;
    for (size_t k = 0; k < n; k++) {
        double along = 0;
        for (size_t a = 0; a < 3; a++) along += o->moments[a * n + k] * o->shape.axis[a] / o->pipe->speed;
        *wrong += (along - o->exact[k]) * (along - o->exact[k]);
        *all += o->exact[k] * o->exact[k];
        sum += along;
        exact += o->exact[k];
    }
    *flow += (sum - exact) * (sum - exact);
    *wanted += exact * exact;
    return RILL_OK;
}

static rill_status oscillate(oscillation *o, double periods, rill_verify_vessel_errors *errors)
{
    rill_status status = RILL_OK;
    const double period = 2 * M_PI / o->omega;
    const uint64_t steps = (uint64_t)ceil(periods * period), from = steps - (uint64_t)period;
    const uint64_t every = (uint64_t)fmax(1, floor(period / 50));
    double wrong = 0, all = 0, flow = 0, wanted = 0;
    for (uint64_t step = 0; step < steps; step++) {
        double force[3];
        /* The velocity at a time holds half of the force of that time. */
        for (int a = 0; a < 3; a++) force[a] = o->force * cos(o->omega * (double)step) * o->shape.axis[a];
        rill_sim_force_set(o->sim, force);
        if (step >= from && (step - from) % every == 0)
            RILL_TRY(look(o, o->omega * (double)step, &wrong, &all, &flow, &wanted));
        RILL_TRY(rill_sim_step(o->sim, 1));
    }
    *errors = (rill_verify_vessel_errors){sqrt(wrong / all), sqrt(flow / wanted), 0};
done:
    return status;
}

rill_status rill_verify_vessel_womersley(const rill_verify_vessel_pipe *pipe, double alpha, double periods,
                                         const rill_sim_options *given, rill_verify_vessel_errors *errors)
{
    rill_status status = RILL_OK;
    oscillation o = {.pipe = pipe};
    rill_sim_options options = *given;
    rill_domain *domain = NULL;
    double *rho = NULL;
    const double nu = (options.tau - 0.5) / 3;
    RILL_TRY(rill_verify_vessel_shape_make(pipe, &o.shape));
    const uint64_t n = o.shape.nodes;
    o.omega = nu * alpha * alpha / (pipe->radius * pipe->radius);
    o.force = 4 * nu * pipe->speed / (pipe->radius * pipe->radius);
    force_set(&o.shape, o.force, &options);
    RILL_TRY(rill_array_create(n, sizeof *o.profile, "velocities", (void **)&o.profile));
    RILL_TRY(rill_array_create(n, sizeof *o.exact, "velocities", (void **)&o.exact));
    RILL_TRY(rill_array_create(3 * n, sizeof *o.moments, "velocities", (void **)&o.moments));
    RILL_TRY(rill_array_create_zero(n, sizeof *rho, "densities", (void **)&rho));
    profile_fill(&o.shape, pipe->radius, alpha, o.profile);
    RILL_TRY(rill_domain_create(o.shape.geom, &(rill_domain_options){options.variant.lattice, -1}, &domain));
    RILL_TRY(rill_sim_create(domain, &options, &o.sim));
    RILL_TRY(rill_sim_walls_add(o.sim, false));
    womersley_at(&o.shape, o.profile, 0, o.exact);
    for (size_t a = 0; a < 3; a++)
        for (size_t k = 0; k < n; k++) o.moments[a * n + k] = o.exact[k] * pipe->speed * o.shape.axis[a];
    RILL_TRY(rill_sim_set_moments(o.sim, rho, o.moments));
    RILL_TRY(oscillate(&o, periods, errors));
done:
    rill_sim_destroy(o.sim);
    rill_domain_destroy(domain);
    rill_array_destroy(o.profile);
    rill_array_destroy(o.exact);
    rill_array_destroy(o.moments);
    rill_array_destroy(rho);
    rill_verify_vessel_shape_free(&o.shape);
    return status;
}
