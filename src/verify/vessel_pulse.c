/* SPDX-License-Identifier: Apache-2.0 */
/* Womersley flow through a pipe in any direction. */
#include "verify/vessel_pulse.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/surface/mesh.h"
#include "sim/sim.h"
#include "vessel/plan/expected.h"
#include "vessel/run/sponge.h"
#include "verify/steady.h"
#include "verify/womersley.h"

#include <complex.h>
#include <math.h>

typedef rill_verify_pulse pulse;

enum { LOOKS = 40, BEFORE = 2 }; /* looks at a period, periods before */

/* Return the steps of a period that is a multiple of LOOKS. @param[in,out] p  gets the Womersley number of
 * that period: at tau 0.6 and 20 cells the next multiple is 1.5 % off, and the flow with it */
static uint64_t period_of(pulse *p, double r, double nu)
{
    const double omega = nu * pow(p->alpha / r, 2);
    const uint64_t steps = LOOKS * (uint64_t)lround(2 * M_PI / omega / LOOKS);
    p->alpha = r * sqrt(2 * M_PI / ((double)steps * nu));
    return steps;
}

/* Start from the exact flow at phase 0. */
static rill_status start(const pulse *p, rill_verify_duct_flow *f)
{
    rill_status status = RILL_OK;
    const rill_verify_duct_shape *s = &f->shape;
    const uint64_t n = s->nodes;
    double *rho = NULL, *u = NULL;
    RILL_TRY(rill_array_create_zero(n, sizeof *rho, "densities", (void **)&rho));
    RILL_TRY(rill_array_create(3 * n, sizeof *u, "velocities", (void **)&u));
    for (uint64_t k = 0; k < n; k++) {
        const double steady = s->exact[k] / s->duct.speed, r = sqrt(fmax(1 - steady, 0));
        const double along = s->duct.speed * creal(rill_verify_womersley_velocity(p->alpha, r));
        for (uint64_t a = 0; a < 3; a++) u[a * n + k] = along * s->axis[a];
    }
    RILL_TRY(rill_sim_set_moments(f->sim, rho, u));
done:
    rill_array_destroy(rho);
    rill_array_destroy(u);
    return status;
}

/* What is summed up over a period, and over the area of the triangles. */
typedef struct sums {
    double complex flow;                 /* first harmonic, times half of the looks */
    double wrong, all, magnitude, exact; /* of the wall shear */
    int looks;
} sums;

static rill_status look(const pulse *p, rill_verify_duct_flow *f, rill_verify_wall *wall, double phase,
                        sums *s)
{
    rill_status status = RILL_OK;
    rill_totals totals;
    const double *axis = f->shape.axis;
    const double wanted = 2 * f->nu * f->shape.duct.speed / f->shape.duct.r *
                          creal(rill_verify_womersley_shear(p->alpha) * cexp(I * phase));
    RILL_TRY(rill_sim_totals(f->sim, &totals));
    if (totals.not_finite)
        RILL_TRY(rill_fail(RILL_NUMERICS, "the flow diverged within %llu steps",
                           (unsigned long long)rill_sim_steps(f->sim)));
    s->flow += rill_dot(totals.momentum, axis) * cexp(-I * phase);
    s->looks++;
    RILL_TRY(rill_verify_wall_take(wall));
    for (uint64_t t = 0; t < wall->of.triangle_count; t++) {
        const double area = wall->of.area[t];
        double square = 0;
        for (int a = 0; a < 3; a++) {
            const double own = (double)wall->found[t][a];
            s->wrong += area * pow(own - wanted * axis[a], 2);
            square += own * own;
        }
        s->all += area * wanted * wanted;
        s->magnitude += area * sqrt(square);
        s->exact += area * fabs(wanted);
    }
done:
    return status;
}

/* Let the flow go on for two periods, in which what the grid makes of it decays, and look at it in the third.
 */
static rill_status oscillate(const pulse *p, uint64_t steps, rill_verify_duct_flow *f, rill_verify_wall *wall,
                             sums *s)
{
    rill_status status = RILL_OK;
    const uint64_t every = steps / LOOKS;
    for (uint64_t step = 0; step < (BEFORE + 1) * steps; step++) {
        double force[3];
        /* Whole steps make a period; the velocity at a time holds half of the force of that time. */
        const double phase = 2 * M_PI * (double)(step % steps) / (double)steps;
        for (int a = 0; a < 3; a++) force[a] = f->force * cos(phase) * f->shape.axis[a];
        rill_sim_force_set(f->sim, force);
        if (step >= BEFORE * steps && step % every == 0) RILL_TRY(look(p, f, wall, phase, s));
        RILL_TRY(rill_sim_step(f->sim, 1));
    }
done:
    return status;
}

rill_status rill_verify_pulse_measure(const rill_verify_pulse *of, double r, const rill_verify_setup *setup,
                                      rill_verify_vessel_found *found)
{
    rill_status status = RILL_OK;
    rill_verify_duct_flow f = {.sim = NULL};
    rill_verify_wall wall = {.sim = NULL};
    sums s = {0};
    pulse own = *of, *p = &own;
    const double nu = (p->tau - 0.5) / 3;
    const uint64_t steps = period_of(p, r, nu);
    const double fastest = p->collision == RILL_TRT
                               ? fmin(RILL_EXPECTED_SPEED_PULSE, RILL_EXPECTED_CELL_TRT * nu)
                               : RILL_EXPECTED_SPEED_PULSE;
    const rill_verify_duct duct = {.kind = RILL_VERIFY_CIRCLE,
                                   .along = {p->along[0], p->along[1], p->along[2]},
                                   .r = r,
                                   .third = p->collision == RILL_CUMULANT ? RILL_SPONGE_THIRD : 0,
                                   .speed = fastest / cabs(rill_verify_womersley_velocity(p->alpha, 0))};
    *found = (rill_verify_vessel_found){.cells = 2 * r};
    RILL_TRY(rill_verify_duct_flow_begin(&duct, nu, p->lattice, p->collision, setup, false, &f));
    RILL_TRY(start(p, &f));
    RILL_TRY(rill_verify_duct_band(&f.shape));
    RILL_TRY(rill_verify_wall_make(f.domain, f.sim, true, nu, &wall));
    RILL_TRY(oscillate(p, steps, &f, &wall, &s));
    const double complex flow = 2 * s.flow / s.looks / f.shape.flow;
    found->pressure = 1 + cabs(rill_verify_womersley_flow(p->alpha) / flow - 1);
    found->mean = s.magnitude / s.exact;
    found->l2 = sqrt(s.wrong / s.all);
    found->balance = NAN;
    found->rounding = rill_verify_rounding(setup->variant.storage, fastest, f.force);
done:
    rill_verify_wall_free(&wall);
    rill_verify_duct_flow_end(&f);
    return status;
}
