/* SPDX-License-Identifier: Apache-2.0 */
/* Flow through vessels whose pressure drop and wall shear are known. */
#include "verify/vessel_flow.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/surface/mesh.h"
#include "sim/sim.h"
#include "verify/steady.h"

#include <math.h>
#include <omp.h>

/* ---- wall shear ---- */

rill_status rill_verify_wall_make(rill_domain *domain, rill_sim *sim, bool newtonian, double nu,
                                  rill_verify_wall *out)
{
    rill_status status = RILL_OK;
    rill_wall_shear *of = &out->of;
    out->sim = sim;
    out->nu = nu;
    RILL_TRY(rill_wall_shear_make(domain, newtonian, of));
    if (of->missing > 0)
        RILL_TRY(rill_fail(RILL_NUMERICS, "%llu triangles on the wall find no fluid",
                           (unsigned long long)of->missing));
    RILL_TRY(rill_array_create(10 * of->node_count, sizeof *out->values, "stresses", (void **)&out->values));
    RILL_TRY(rill_array_create(of->triangle_count, sizeof *out->found, "wall shear", (void **)&out->found));
    RILL_TRY(rill_sim_sample_create(sim, of->nodes, of->node_count, &out->sample));
done:
    return status;
}

rill_status rill_verify_wall_take(rill_verify_wall *wall)
{
    const rill_status status = rill_sim_sample_take(wall->sim, wall->sample, wall->values);
    if (status == RILL_OK) rill_wall_shear_take(&wall->of, wall->values, wall->nu, 1, wall->found);
    return status;
}

void rill_verify_wall_free(rill_verify_wall *wall)
{
    rill_sample_destroy(wall->sample);
    rill_array_destroy(wall->values);
    rill_array_destroy(wall->found);
    rill_wall_shear_free(&wall->of);
    *wall = (rill_verify_wall){.sim = NULL};
}

void rill_verify_triangle_middle(const rill_surface *s, uint64_t triangle, double middle[3])
{
    const uint32_t *corner = s->triangles[triangle];
    for (int a = 0; a < 3; a++)
        middle[a] = (s->vertices[corner[0]][a] + s->vertices[corner[1]][a] + s->vertices[corner[2]][a]) / 3;
}

/* ---- ducts ---- */

rill_status rill_verify_duct_flow_begin(const rill_verify_duct *duct, double nu, rill_lattice lattice,
                                        rill_collision collision, const rill_verify_setup *setup, bool exact,
                                        rill_verify_duct_flow *f)
{
    rill_status status = RILL_OK;
    double *rho = NULL, *u = NULL;
    rill_sim_options options = rill_verify_options(setup, 0.5 + 3 * nu);
    options.variant.lattice = lattice;
    options.variant.collision = collision;
    options.variant.equilibrium = RILL_SECOND_ORDER;
    if (duct->third > 0) options.third = duct->third;
    RILL_TRY(rill_verify_duct_make(duct, &f->shape));
    f->nu = nu;
    f->force = nu * rill_verify_duct_drive(&f->shape);
    const uint64_t n = f->shape.nodes;
    for (int a = 0; a < 3; a++) options.force[a] = f->force * f->shape.axis[a];
    RILL_TRY(rill_domain_create(f->shape.geom, &(rill_domain_options){lattice, -1}, &f->domain));
    RILL_TRY(rill_sim_create(f->domain, &options, &f->sim));
    RILL_TRY(rill_sim_walls_add(f->sim, setup->quadratic));
    f->threads = rill_verify_threads_fit(rill_domain_nodes(f->domain));
    if (!exact) goto done;
    RILL_TRY(rill_array_create_zero(n, sizeof *rho, "densities", (void **)&rho));
    RILL_TRY(rill_array_create(3 * n, sizeof *u, "velocities", (void **)&u));
    for (uint64_t k = 0; k < n; k++)
        for (uint64_t a = 0; a < 3; a++) u[a * n + k] = f->shape.exact[k] * f->shape.axis[a];
    RILL_TRY(rill_sim_set_moments(f->sim, rho, u));
done:
    rill_array_destroy(rho);
    rill_array_destroy(u);
    return status;
}

void rill_verify_duct_flow_end(rill_verify_duct_flow *f)
{
    if (f->threads) omp_set_num_threads(f->threads);
    rill_sim_destroy(f->sim);
    rill_domain_destroy(f->domain);
    rill_verify_duct_free(&f->shape);
    *f = (rill_verify_duct_flow){.sim = NULL};
}

/* Compare the wall shear of triangles with the exact one of the same flow. */
static void compare(const rill_verify_duct_flow *f, const rill_verify_wall *wall,
                    rill_verify_vessel_found *found)
{
    double wrong = 0, all = 0, sum = 0, exact = 0;
    for (uint64_t t = 0; t < wall->of.triangle_count; t++) {
        double middle[3], wanted[3], along = 0;
        rill_verify_triangle_middle(f->shape.geom->surface, t, middle);
        rill_verify_duct_shear(&f->shape, middle, wanted);
        if (isnan(wanted[0])) continue;
        const double size = f->nu * sqrt(rill_dot(wanted, wanted)), area = wall->of.area[t];
        for (int a = 0; a < 3; a++) {
            const double own = (double)wall->found[t][a] * found->pressure, value = f->nu * wanted[a];
            wrong += area * pow(own - value, 2);
            along += own * value / size;
        }
        sum += area * along;
        exact += area * size;
        all += area * size * size;
    }
    found->l2 = sqrt(wrong / all);
    found->mean = sum / exact;
    found->balance = found->mean / found->pressure;
}

rill_status rill_verify_duct_measure(const rill_verify_duct *duct, double nu, rill_lattice lattice,
                                     rill_collision collision, const rill_verify_setup *setup,
                                     rill_verify_vessel_found *found)
{
    rill_status status = RILL_OK;
    rill_verify_duct_flow f = {.sim = NULL};
    rill_verify_wall wall = {.sim = NULL};
    double along;
    *found = (rill_verify_vessel_found){.cells = 2 * duct->r};
    RILL_TRY(rill_verify_duct_flow_begin(duct, nu, lattice, collision, setup, true, &f));
    RILL_TRY(rill_verify_tube_settle(f.sim, f.shape.axis, f.shape.duct.r, f.nu, 1e-4, &along));
    found->pressure = f.shape.flow / along;
    RILL_TRY(rill_verify_duct_band(&f.shape));
    RILL_TRY(rill_verify_wall_make(f.domain, f.sim, true, f.nu, &wall));
    RILL_TRY(rill_verify_wall_take(&wall));
    compare(&f, &wall, found);
    found->rounding = rill_verify_rounding(setup->variant.storage, f.shape.duct.speed, f.force);
done:
    rill_verify_wall_free(&wall);
    rill_verify_duct_flow_end(&f);
    return status;
}

/* ---- judging ---- */

void rill_verify_vessel_put(const rill_verify_vessel_found *found, int k, rill_verify_values *values)
{
    values->found[3 * k] = found->pressure - 1;
    values->found[3 * k + 1] = found->mean - 1;
    values->found[3 * k + 2] = found->l2;
}

void rill_verify_vessel_fill(const rill_verify_vessel_found *coarse, const rill_verify_vessel_found *fine,
                             rill_verify_values *values)
{
    /* Of a solved flow a resistance is expected, of others no deviation. */
    const double expected = values->expected[1], least = expected > 0 ? 0 : 1,
                 unit = expected > 0 ? expected : 1;
    const double found[6] = {unit * coarse->pressure - least,
                             unit * fine->pressure - least,
                             fine->mean - 1,
                             fine->l2,
                             log(coarse->l2 / fine->l2) / log(fine->cells / coarse->cells),
                             fine->balance - 1};
    for (int k = 0; k < 6; k++) {
        values->found[k] = found[k];
        values->rounding[k] = k == 0 ? coarse->rounding : k == 4 ? 0 : fine->rounding;
    }
}
