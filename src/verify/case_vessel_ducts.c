/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ducts oblique to the lattice at the relaxation times of arteries: pressure drop, wall shear on triangles
 * and their order, from the exact flow on, driven by a force.
 */
#include "core/memory.h"
#include "core/status.h"
#include "geometry/surface/mesh.h"
#include "sim/sim.h"
#include "vessel/wall_shear.h"
#include "verify/groups.h"
#include "verify/steady.h"
#include "verify/vessel_duct.h"
#include "verify/vessel_pipe.h"

#include <math.h>
#include <omp.h>

#define SPEED 0.0556 /* on the axis, lu: a Mach number of 0.1 */

typedef struct oblique {
    rill_verify_section_kind kind;
    rill_lattice lattice;
    rill_collision collision;
    double coarse, fine; /* r */
    double reynolds;     /* of the speed on the axis and r */
    uint32_t along[3];
} oblique;

/* A flow, and what is found in it, relative to the exact flow of the same flow rate. */
typedef struct flow {
    rill_verify_duct_shape shape;
    rill_domain *domain;
    rill_sim *sim;
    int threads; /* before */
    double nu, force;
    double pressure;          /* drop over the exact one */
    double mean, l2, balance; /* wall shear; its mean over what the pressure drop requires */
} flow;

static rill_status begin(const oblique *o, double r, const rill_verify_setup *setup, flow *f)
{
    rill_status status = RILL_OK;
    double *rho = NULL, *u = NULL;
    const rill_verify_duct duct = {
        .kind = o->kind, .along = {o->along[0], o->along[1], o->along[2]}, .r = r, .speed = SPEED};
    f->nu = SPEED * r / o->reynolds;
    f->force = f->nu * rill_verify_duct_drive(&duct);
    rill_sim_options options = rill_verify_options(setup, 0.5 + 3 * f->nu);
    options.variant.lattice = o->lattice;
    options.variant.collision = o->collision;
    options.variant.equilibrium = RILL_SECOND_ORDER;
    RILL_TRY(rill_verify_duct_make(&duct, &f->shape));
    const uint64_t n = f->shape.nodes;
    for (int a = 0; a < 3; a++) options.force[a] = f->force * f->shape.axis[a];
    RILL_TRY(rill_domain_create(f->shape.geom, &(rill_domain_options){o->lattice, -1}, &f->domain));
    RILL_TRY(rill_sim_create(f->domain, &options, &f->sim));
    RILL_TRY(rill_sim_walls_add(f->sim));
    RILL_TRY(rill_array_create_zero(n, sizeof *rho, "densities", (void **)&rho));
    RILL_TRY(rill_array_create(3 * n, sizeof *u, "velocities", (void **)&u));
    for (uint64_t k = 0; k < n; k++)
        for (uint64_t a = 0; a < 3; a++) u[a * n + k] = f->shape.exact[k] * f->shape.axis[a];
    RILL_TRY(rill_sim_set_moments(f->sim, rho, u));
    f->threads = rill_verify_threads_fit(rill_domain_nodes(f->domain));
done:
    rill_array_destroy(rho);
    rill_array_destroy(u);
    return status;
}

static void end(flow *f)
{
    if (f->threads) omp_set_num_threads(f->threads);
    rill_sim_destroy(f->sim);
    rill_domain_destroy(f->domain);
    rill_verify_duct_free(&f->shape);
    *f = (flow){.sim = NULL};
}

/* Let it settle: until the flow changes by less than 1e-4 in a quarter of the time in which the slowest mode
 * of a circle falls to 1/e. */
static rill_status settle(flow *f)
{
    rill_status status = RILL_OK;
    enum { PARTS = 80 };
    const double r = f->shape.duct.r;
    const uint64_t part = (uint64_t)ceil(r * r / (4 * 5.783 * f->nu));
    double before = 0, change = INFINITY;
    for (int k = 0; k < PARTS && change > 1e-4; k++) {
        rill_totals totals;
        RILL_TRY(rill_sim_step(f->sim, part));
        RILL_TRY(rill_sim_totals(f->sim, &totals));
        const double along = rill_dot(totals.momentum, f->shape.axis);
        if (totals.not_finite || !isfinite(along))
            RILL_TRY(rill_fail(RILL_NUMERICS, "the flow diverged within %llu steps",
                               (unsigned long long)rill_sim_steps(f->sim)));
        change = fabs(along - before) / fabs(along);
        before = along;
    }
    if (change > 1e-4)
        RILL_TRY(rill_fail(RILL_NUMERICS, "the flow still changes by %.2g after %llu steps", change,
                           (unsigned long long)rill_sim_steps(f->sim)));
    f->pressure = f->shape.flow / before;
done:
    return status;
}

/* Compare the wall shear of triangles with the exact one. */
static void compare(flow *f, const rill_wall_shear *wall, const float (*found)[3])
{
    const rill_surface *s = f->shape.geom->surface;
    double wrong = 0, all = 0, sum = 0, exact = 0;
    for (uint64_t t = 0; t < wall->triangle_count; t++) {
        double middle[3];
        for (int a = 0; a < 3; a++)
            middle[a] = (s->vertices[s->triangles[t][0]][a] + s->vertices[s->triangles[t][1]][a] +
                         s->vertices[s->triangles[t][2]][a]) /
                        3;
        const double wanted = f->nu * rill_verify_duct_shear(&f->shape, middle);
        if (isnan(wanted)) continue;
        for (int a = 0; a < 3; a++) {
            const double own = (double)found[t][a] * f->pressure;
            wrong += wall->area[t] * pow(own - wanted * f->shape.axis[a], 2);
            sum += wall->area[t] * own * f->shape.axis[a];
        }
        exact += wall->area[t] * wanted;
        all += wall->area[t] * wanted * wanted;
    }
    f->l2 = sqrt(wrong / all);
    f->mean = sum / exact;
    f->balance = f->mean / f->pressure;
}

static rill_status look(flow *f)
{
    rill_status status = RILL_OK;
    rill_wall_shear wall = {0};
    rill_sample *sample = NULL;
    double *values = NULL;
    float(*found)[3] = NULL;
    RILL_TRY(rill_verify_duct_band(&f->shape));
    RILL_TRY(rill_wall_shear_make(f->domain, &wall));
    if (wall.missing > 0)
        RILL_TRY(rill_fail(RILL_NUMERICS, "%llu triangles on the wall of a duct find no fluid",
                           (unsigned long long)wall.missing));
    RILL_TRY(rill_array_create(10 * wall.node_count, sizeof *values, "stresses", (void **)&values));
    RILL_TRY(rill_array_create(wall.triangle_count, sizeof *found, "wall shear", (void **)&found));
    RILL_TRY(rill_sim_sample_create(f->sim, wall.nodes, wall.node_count, &sample));
    RILL_TRY(rill_sim_sample_take(f->sim, sample, values));
    rill_wall_shear_take(&wall, values + 4 * wall.node_count, 1, found);
    compare(f, &wall, (const float(*)[3])found);
done:
    rill_sample_destroy(sample);
    rill_array_destroy(values);
    rill_array_destroy(found);
    rill_wall_shear_free(&wall);
    return status;
}

static rill_status oblique_run(const rill_verify_case *of, const rill_verify_setup *setup,
                               rill_verify_values *values)
{
    rill_status status = RILL_OK;
    const oblique *o = of->data;
    const double sizes[2] = {o->coarse, o->fine};
    double l2[2] = {0};
    flow f = {.sim = NULL};
    for (int k = 0; k < 2; k++) {
        RILL_TRY(begin(o, sizes[k], setup, &f));
        RILL_TRY(settle(&f));
        RILL_TRY(look(&f));
        l2[k] = f.l2;
        values->found[k] = f.pressure - 1;
        values->rounding[k] = rill_verify_rounding(setup->variant.storage, SPEED, f.force);
        values->found[2] = f.mean - 1;
        values->found[3] = f.l2;
        values->found[5] = f.balance - 1;
        values->rounding[2] = values->rounding[3] = values->rounding[5] = values->rounding[k];
        end(&f);
    }
    values->found[4] = log(l2[0] / l2[1]) / log(o->fine / o->coarse);
done:
    end(&f);
    return status;
}

#define CHECK(what_, measure_, limit_, source_)                                                              \
    {                                                                                                        \
        what_, "", RILL_VERIFY_##measure_, 0, {limit_, limit_, INFINITY}, source_                            \
    }
/* Of the coarse one; of the fine one: pressure drop, mean wall shear, pattern, order, balance. Beside the
 * corners of a triangle the wall shear is larger, and without them it is not in balance. */
#define OBLIQUE(name_, full_, what_, kind_, lattice_, collision_, coarse_, fine_, reynolds_, along_, first_, \
                drop_, mean_, l2_, order_, balance_)                                                         \
    {                                                                                                        \
        .name = "vessels/oblique-" name_, .full = full_, .what = what_,                                      \
        RILL_VERIFY_LIST(                                                                                    \
            CHECK("pressure drop over the exact one, less 1, 12 cells", ABSOLUTE, first_, "exact flow"),     \
            CHECK("pressure drop over the exact one, less 1", ABSOLUTE, drop_, "exact flow"),                \
            CHECK("mean wall shear over the exact one, less 1", ABSOLUTE, mean_, "exact flow"),              \
            CHECK("L2 error of the wall shear", AT_MOST, l2_, "exact flow"),                                 \
            {"order of the wall shear",                                                                      \
             "",                                                                                             \
             RILL_VERIFY_AT_LEAST,                                                                           \
             0,                                                                                              \
             {order_, order_, -INFINITY},                                                                    \
             "exact flow"},                                                                                  \
            CHECK("mean wall shear over what the pressure drop requires, less 1", ABSOLUTE, balance_,        \
                  "balance of forces")),                                                                     \
        .data = &(const oblique){RILL_VERIFY_##kind_, RILL_##lattice_, RILL_##collision_, coarse_, fine_,    \
                                 reynolds_,           along_},                                               \
        .unfit = rill_verify_vessel_unfit, .run = oblique_run                                                \
    }
#define ALONG_122                                                                                            \
    {                                                                                                        \
        1, 2, 2                                                                                              \
    }
#define ALONG_012                                                                                            \
    {                                                                                                        \
        0, 1, 2                                                                                              \
    }

static const rill_verify_case cases[] = {
    OBLIQUE("pipe", false, "pipes along (1, 2, 2) of radius 6 and 10, Reynolds 100, CUMULANT", CIRCLE, D3Q27,
            CUMULANT, 6, 10, 100, ALONG_122, 0.03, 0.01, 0.01, 0.015, 1.5, 0.005),
    OBLIQUE("pipe-trt", false, "pipes along (1, 2, 2) of radius 6 and 10, Reynolds 20, TRT", CIRCLE, D3Q19,
            TRT, 6, 10, 20, ALONG_122, 0.03, 0.01, 0.01, 0.017, 1.5, 0.005),
    OBLIQUE("ellipse", true,
            "ellipses along (1, 2, 2) of semi-axes 6 x 10 and 10 x 16.7, Reynolds 100, CUMULANT", ELLIPSE,
            D3Q27, CUMULANT, 6, 10, 100, ALONG_122, 0.03, 0.01, 0.01, 0.015, 1.3, 0.005),
    OBLIQUE("triangle", true,
            "equilateral ducts along (1, 2, 2), incircles of radius 6 and 10, Reynolds 100, CUMULANT",
            TRIANGLE, D3Q27, CUMULANT, 6, 10, 100, ALONG_122, 0.03, 0.01, 0.02, 0.025, 1.5, INFINITY),
    OBLIQUE("pipe-012", true, "pipes along (0, 1, 2) of radius 6 and 10, Reynolds 100, CUMULANT", CIRCLE,
            D3Q27, CUMULANT, 6, 10, 100, ALONG_012, 0.03, 0.01, 0.01, 0.015, 1.5, 0.005),
    OBLIQUE("pipe-40", true, "pipes along (1, 2, 2) of radius 6 and 20, Reynolds 100, CUMULANT", CIRCLE,
            D3Q27, CUMULANT, 6, 20, 100, ALONG_122, 0.03, 0.005, 0.005, 0.005, 1.5, 0.005)};

const rill_verify_group rill_verify_vessel_ducts = {cases, sizeof cases / sizeof *cases};
