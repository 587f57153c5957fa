/* SPDX-License-Identifier: Apache-2.0 */
/* What comes back along the links of a boundary: a velocity, a sum of velocities, a pressure. */
#include "sim/boundary.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <string.h>

#define GRAZING 0.1     /* part of a link along the flow below which it has no slope */
#define DEPENDENT 1e-20 /* square of what is left of a mode that others make up */

typedef void profile_of_modes(void *context, const double x[3], int mode, double u[3]);

/* Return 6 w_i c_i · u of a link, negative infinity for a velocity that is too fast. */
static rill_status link_value(const rill_wall_link *link, int lattice, const double u[3], double *speed,
                              double *out)
{
    double along = 0;
    for (int a = 0; a < 3; a++) along += link->c[a] * u[a];
    *speed = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    if (!(*speed * sqrt(3.0) <= RILL_BOUNDARY_MACH_MAX))
        return rill_fail(
            RILL_USAGE,
            "velocity (%g, %g, %g) of a wall is a Mach number of %.3g, above %g: lower it, or refine", u[0],
            u[1], u[2], *speed * sqrt(3.0), RILL_BOUNDARY_MACH_MAX);
    *out = 6 * rill_w(lattice, link->direction) * along;
    return RILL_OK;
}

/* Fill in the values of a mode. */
static rill_status mode_fill(const rill_boundary *b, int mode, profile_of_modes *profile, void *context,
                             double *values, double *speed_max)
{
    const int lattice = (int)b->domain->lattice;
    uint64_t number = 0;
    for (uint64_t k = 0; k < b->count; k++)
        for (int i = 1; i < rill_q(lattice); i++) {
            if (!(b->nodes[k].links >> i & 1)) continue;
            rill_wall_link link =
                rill_boundary_describe(b->domain, b->nodes[k].node, b->nodes[k].x, RILL_FLUID, i);
            double u[3] = {0, 0, 0}, speed = 0;
            for (int a = 0; a < 3 && b->interpolated; a++)
                link.wall[a] = b->nodes[k].x[a] + 0.5 - (double)b->q[number] * link.c[a];
            profile(context, link.wall, mode, u);
            const rill_status status = link_value(&link, lattice, u, &speed, &values[number]);
            if (status != RILL_OK) return status;
            *speed_max = fmax(*speed_max, speed);
            number++;
        }
    return RILL_OK;
}

static rill_status modes_set(rill_boundary *b, int modes, profile_of_modes *profile, void *context)
{
    rill_status status = RILL_OK;
    double *values = NULL, speed_max = 0;
    RILL_TRY(rill_array_create((uint64_t)modes * b->links, sizeof *values, "velocities of wall links",
                               (void **)&values));
    for (int m = 0; m < modes; m++)
        RILL_TRY(mode_fill(b, m, profile, context, values + (uint64_t)m * b->links, &speed_max));
    rill_array_destroy(b->values);
    rill_array_destroy(b->slopes);
    b->values = values;
    b->slopes = NULL;
    values = NULL;
    b->modes = modes;
    b->kind = RILL_BOUNDARY_VELOCITY;
    b->speed_max = speed_max;
done:
    rill_array_destroy(values);
    return status;
}

rill_status rill_boundary_set_velocity_modes(rill_boundary *b, int modes,
                                             void (*profile)(void *context, const double x[3], int mode,
                                                             double u[3]),
                                             void *context)
{
    if (modes < 1 || modes > RILL_BOUNDARY_MODES)
        return rill_fail(RILL_USAGE, "%d modes of a velocity are not 1 to %d: keep fewer harmonics", modes,
                         RILL_BOUNDARY_MODES);
    b->interpolated = false;
    return modes_set(b, modes, profile, context);
}

/* ---- slopes ---------------------------------------------------------------------------------- */

/* Return by what a link's velocity along a direction changes from half a link before its middle to half a
 * link behind it. The profile is the same along the normal, the flow along the direction: the positions are
 * moved along the direction to the plane of the middle. */
static double change_along(const rill_wall_link *link, int mode, profile_of_modes *profile, void *context,
                           const double along[3], const double normal[3])
{
    double ahead = 0, across = 0, change = 0;
    for (int a = 0; a < 3; a++) {
        ahead += link->c[a] * normal[a];
        across += along[a] * normal[a];
    }
    for (int side = -1; side <= 1; side += 2) {
        double x[3], u[3];
        for (int a = 0; a < 3; a++)
            x[a] = link->wall[a] + 0.5 * side * (link->c[a] - ahead / across * along[a]);
        profile(context, x, mode, u);
        for (int a = 0; a < 3; a++) change += side * along[a] * u[a];
    }
    return change;
}

/* Fill in the slopes of a mode. */
static void slopes_fill(const rill_boundary *b, int mode, profile_of_modes *profile, void *context,
                        const double along[3], const double normal[3], double odd, double *slopes)
{
    const int lattice = (int)b->domain->lattice;
    uint64_t number = 0;
    for (uint64_t k = 0; k < b->count; k++)
        for (int i = 1; i < rill_q(lattice); i++) {
            if (!(b->nodes[k].links >> i & 1)) continue;
            const rill_wall_link link =
                rill_boundary_describe(b->domain, b->nodes[k].node, b->nodes[k].x, RILL_FLUID, i);
            double part = 0;
            for (int a = 0; a < 3; a++) part += link.c[a] * along[a];
            slopes[number++] = part < GRAZING
                                   ? 0
                                   : -odd * (3 * part - 1 / part) *
                                         change_along(&link, mode, profile, context, along, normal);
        }
}

static double product(uint64_t count, const double *a, const double *b)
{
    double sum = 0;
    for (uint64_t k = 0; k < count; k++) sum += a[k] * b[k];
    return sum;
}

static void subtract(uint64_t count, double factor, const double *what, double *from)
{
    for (uint64_t k = 0; k < count; k++) from[k] -= factor * what[k];
}

/* Make the slopes of all modes orthogonal to the values of all, so that what they add to any sum of modes has
 * no flow (modified Gram and Schmidt). */
static rill_status make_flowless(const rill_boundary *b, double *slopes)
{
    rill_status status = RILL_OK;
    double *base = NULL;
    const uint64_t n = b->links;
    RILL_TRY(rill_array_create((uint64_t)b->modes * n, sizeof *base, "slopes of wall links", (void **)&base));
    memcpy(base, b->values, (uint64_t)b->modes * n * sizeof *base);
    for (int m = 0; m < b->modes; m++) {
        double *one = base + (uint64_t)m * n;
        const double before = product(n, one, one);
        for (int twice = 0; twice < 2; twice++)
            for (int l = 0; l < m; l++)
                subtract(n, product(n, base + (uint64_t)l * n, one), base + (uint64_t)l * n, one);
        const double square = product(n, one, one),
                     scale = square > DEPENDENT * before ? 1 / sqrt(square) : 0;
        for (uint64_t k = 0; k < n; k++) one[k] *= scale;
        for (int s = 0; s < b->modes; s++)
            subtract(n, product(n, one, slopes + (uint64_t)s * n), one, slopes + (uint64_t)s * n);
    }
done:
    rill_array_destroy(base);
    return status;
}

rill_status rill_boundary_set_slopes(rill_boundary *b, profile_of_modes *profile, void *context,
                                     const double along[3], const double normal[3], double odd)
{
    rill_status status = RILL_OK;
    double *slopes = NULL;
    RILL_TRY(rill_array_create((uint64_t)b->modes * b->links, sizeof *slopes, "slopes of wall links",
                               (void **)&slopes));
    for (int m = 0; m < b->modes; m++)
        slopes_fill(b, m, profile, context, along, normal, odd, slopes + (uint64_t)m * b->links);
    RILL_TRY(make_flowless(b, slopes));
    rill_array_destroy(b->slopes);
    b->slopes = slopes;
    slopes = NULL;
done:
    rill_array_destroy(slopes);
    return status;
}

/* One mode. */
typedef struct plain {
    void (*profile)(void *context, const double x[3], double u[3]);
    void *context;
} plain;

static void first_mode(void *context, const double x[3], int mode, double u[3])
{
    const plain *p = context;
    (void)mode;
    p->profile(p->context, x, u);
}

rill_status rill_boundary_set_velocity_profile(rill_boundary *b,
                                               void (*profile)(void *context, const double x[3], double u[3]),
                                               void *context)
{
    plain p = {profile, context};
    return modes_set(b, 1, first_mode, &p);
}

static void same_everywhere(void *context, const double x[3], double u[3])
{
    const double *given = context;
    (void)x;
    for (int a = 0; a < 3; a++) u[a] = given[a];
}

rill_status rill_boundary_set_velocity(rill_boundary *boundary, const double u[3])
{
    double given[3] = {u[0], u[1], u[2]};
    return rill_boundary_set_velocity_profile(boundary, same_everywhere, given);
}

double rill_boundary_mode_flow(const rill_boundary *b, int mode)
{
    double sum = 0;
    if (b->kind != RILL_BOUNDARY_VELOCITY || mode < 0 || mode >= b->modes) return 0;
    for (uint64_t k = 0; k < b->links; k++) sum += b->values[(uint64_t)mode * b->links + k];
    return sum;
}

rill_status rill_boundary_set_density(rill_boundary *b, double density)
{
    if (!(density > -1) || !isfinite(density))
        return rill_fail(RILL_USAGE,
                         "pressure %g (rho - 1 = %g) is not above 0: give a density deviation near 0",
                         (1 + density) / 3, density);
    b->interpolated = false;
    b->kind = RILL_BOUNDARY_PRESSURE;
    b->modes = 1;
    b->density = density;
    return RILL_OK;
}
