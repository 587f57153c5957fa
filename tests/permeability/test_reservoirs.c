/* SPDX-License-Identifier: Apache-2.0 */
/* Permeability by pressures at reservoirs, beside that by a body force. */
#include "backends.h"
#include "core/sanitized.h"
#include "planned.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static rill_geom *empty(const uint32_t n[3])
{
    rill_geom *geom = NULL;
    ASSERT_OK(rill_geom_create(n, &geom));
    memset(geom->voxels, RILL_FLUID, rill_geom_voxels(geom));
    geom->porosity = (rill_porosity){-1, -1, {-1, -1, -1}};
    return geom;
}

static rill_permeability_options options_of(int axis, rill_drive drive, uint32_t reservoir)
{
    rill_permeability_options o = rill_permeability_options_default();
    o.axis = axis;
    o.drive = drive;
    o.reservoir = reservoir;
    o.tolerance = 1e-5;
    o.variant.storage = RILL_FP64;
    o.on.backend = RILL_BACKEND_CPU;
    return o;
}

/* The geometry is destroyed. */
static double k_of(rill_geom *geom, const rill_permeability_options *o)
{
    rill_permeability p;
    omp_set_num_threads(1);
    ASSERT_OK(computed(geom, o, &p));
    for (int b = 0; b < 9; b++)
        if (o->drive == RILL_DRIVE_PRESSURE && (b / 3 != o->axis || b % 3 != o->axis))
            cr_expect(isnan(p.k[b / 3][b % 3]), "k_%d is %g", b, p.k[b / 3][b % 3]);
    cr_expect_leq(p.uncertainty, 1e-5);
    const double k = p.k[o->axis][o->axis];
    rill_permeability_free(&p);
    rill_geom_destroy(geom);
    return k;
}

/* A duct that goes on through the reservoirs has no ends: k is that of the body force, for any reservoir. */
Test(reservoirs, endless_duct_is_exact)
{
    for (int axis = 0; axis < 3; axis++) {
        uint32_t n[3] = {7, 7, 7};
        n[axis] = 5;
        n[(axis + 1) % 3] = 6;
        rill_geom *duct[3];
        for (int k = 0; k < 3; k++) {
            duct[k] = empty(n);
            duct[k]->sides[(axis + 1) % 3] = duct[k]->sides[(axis + 2) % 3] = RILL_WALL;
        }
        const rill_permeability_options force = options_of(axis, RILL_DRIVE_FORCE, 1),
                                        close = options_of(axis, RILL_DRIVE_PRESSURE, 1),
                                        far = options_of(axis, RILL_DRIVE_PRESSURE, 6);
        const double k = k_of(duct[0], &force), near_k = k_of(duct[1], &close), far_k = k_of(duct[2], &far);
        cr_expect_float_eq(near_k / k, 1, 2e-5, "axis %d: %.12g, not %.12g", axis, near_k, k);
        cr_expect_float_eq(far_k / k, 1, 2e-5, "axis %d: %.12g, not %.12g", axis, far_k, k);
    }
}

/* Plates across y that end at open reservoirs: the ends cost a length of their own, so that the error falls
 * as 1/L. */
static double ends_error(uint32_t length)
{
    const uint32_t n[3] = {1, 10, length};
    const rill_permeability_options force = options_of(2, RILL_DRIVE_FORCE, 1),
                                    pressure = options_of(2, RILL_DRIVE_PRESSURE, 12);
    double k[2];
    for (int d = 0; d < 2; d++) {
        rill_geom *geom = empty(n);
        for (uint64_t v = 0; v < rill_geom_voxels(geom); v++)
            if (v % 10 < 1 || v % 10 > 8) geom->voxels[v] = RILL_SOLID;
        k[d] = k_of(geom, d ? &pressure : &force);
    }
    return 1 - k[1] / k[0];
}

Test(reservoirs, ends_cost_a_length)
{
    const double coarse = ends_error(16), fine = ends_error(32);
    cr_expect_float_eq(coarse / fine, 2, 0.15, "errors %.4g and %.4g", coarse, fine);
    cr_expect(coarse > 0 && coarse < 0.05, "error %.4g", coarse);
}

/* Balls that do not care for the faces; turned so that what lay along z lies along `axis`. */
static rill_geom *pack(int axis)
{
    enum { nx = 18, ny = 20, nz = 40 };
    const uint32_t size[3] = {nx, ny, nz};
    uint32_t n[3], at[3];
    for (int a = 0; a < 3; a++) n[(axis + 1 + a) % 3] = size[a];
    rill_geom *geom = empty(n);
    unsigned seed = 3;
    double balls[60][3];
    for (int b = 0; b < 60; b++)
        for (int a = 0; a < 3; a++) {
            seed = seed * 1664525u + 1013904223u;
            balls[b][a] = (seed >> 8) / 16777216.0 * size[a];
        }
    for (at[2] = 0; at[2] < nz; at[2]++)
        for (at[1] = 0; at[1] < ny; at[1]++)
            for (at[0] = 0; at[0] < nx; at[0]++)
                for (int b = 0; b < 60; b++) {
                    double square = 0;
                    uint32_t x[3];
                    for (int a = 0; a < 3; a++) {
                        square += pow(remainder(at[a] + 0.5 - balls[b][a], size[a]), 2);
                        x[(axis + 1 + a) % 3] = at[a];
                    }
                    if (square < 3.2 * 3.2)
                        geom->voxels[x[0] + n[0] * (x[1] + (uint64_t)n[1] * x[2])] = RILL_SOLID;
                }
    return geom;
}

/* Ten diameters of balls: ends and what a period joins differ, by less than 4 %. */
Test(reservoirs, packing_is_near_the_body_force, .disabled = SANITIZED)
{
    const rill_permeability_options force = options_of(2, RILL_DRIVE_FORCE, 1),
                                    pressure = options_of(2, RILL_DRIVE_PRESSURE, 8),
                                    longer = options_of(2, RILL_DRIVE_PRESSURE, 16);
    const double by_force = k_of(pack(2), &force), by_pressure = k_of(pack(2), &pressure),
                 by_longer = k_of(pack(2), &longer);
    cr_expect_float_eq(by_pressure / by_force, 1, 0.04, "%.6g by pressure, %.6g by force", by_pressure,
                       by_force);
    cr_expect_float_eq(by_longer / by_pressure, 1, 1e-3);
}

/* What `finished` gets: mean velocities along the axes, and the pressure of two places. */
typedef struct fields {
    double u[3], front, rear;
    const rill_geom *geom;
    int axis;
} fields;

static rill_status collect(void *context, const rill_permeability_flow *run, rill_node nodes,
                           const float *rho, const float *u)
{
    fields *f = context;
    rill_node node = 0;
    uint64_t stride = 1;
    for (int a = 0; a < f->axis; a++) stride *= f->geom->n[a];
    for (uint64_t v = 0; v < rill_geom_voxels(f->geom); v++) {
        if (f->geom->voxels[v] < RILL_FLUID) continue;
        const uint64_t plane = v / stride % f->geom->n[f->axis];
        for (size_t a = 0; a < 3; a++) f->u[a] += u[a * nodes + node];
        if (plane == 0) f->front += rho[node];
        if (plane + 1 == f->geom->n[f->axis]) f->rear += rho[node];
        node++;
    }
    cr_expect_eq(node, nodes);
    cr_expect_eq(run->axis, f->axis);
    return RILL_OK;
}

/* The same sample turned: the same k, and fields in the sample's own order and axes. */
Test(reservoirs, sample_may_lie_along_any_axis)
{
    double k[3];
    fields f[3];
    for (int axis = 0; axis < 3; axis++) {
        rill_permeability_options o = options_of(axis, RILL_DRIVE_PRESSURE, 4);
        rill_geom *geom = pack(axis);
        f[axis] = (fields){.geom = geom, .axis = axis};
        o.finished = collect;
        o.context = &f[axis];
        k[axis] = k_of(geom, &o);
        cr_expect_float_eq(k[axis] / k[0], 1, 1e-9, "along %d: %.12g, not %.12g", axis, k[axis], k[0]);
        for (int a = 0; a < 3; a++)
            cr_expect_float_eq(f[axis].u[(axis + 1 + a) % 3] / f[0].u[(1 + a) % 3], 1, 1e-4);
        cr_expect_gt(f[axis].front, 0);
        cr_expect_lt(f[axis].rear, 0);
        cr_expect_float_eq(f[axis].front / f[0].front, 1, 1e-4);
        cr_expect_float_eq(f[axis].rear / f[0].rear, 1, 1e-4);
    }
}

static void refused(rill_geom *geom, const rill_permeability_options *o, rill_status status, const char *part)
{
    rill_permeability_plan plan;
    cr_expect_eq(planned(geom, o, &plan), status);
    cr_expect(strstr(rill_error_message(), part) != NULL, "\"%s\" does not say \"%s\"", rill_error_message(),
              part);
    rill_geom_destroy(geom);
}

Test(reservoirs, refuses_what_cannot_be_driven)
{
    rill_permeability_options o = options_of(-1, RILL_DRIVE_PRESSURE, 4);
    refused(pack(2), &o, RILL_USAGE, "no tensor");
    o = options_of(2, RILL_DRIVE_PRESSURE, 4);
    o.variant.lattice = RILL_D2Q9;
    refused(pack(2), &o, RILL_USAGE, "three dimensions");
    o = options_of(2, RILL_DRIVE_PRESSURE, 0);
    refused(pack(2), &o, RILL_USAGE, "reservoirs of 0 voxels");
    o = options_of(2, RILL_DRIVE_PRESSURE, 4);
    rill_geom *thin = empty((const uint32_t[3]){5, 5, 1});
    thin->voxels[7] = RILL_SOLID;
    refused(thin, &o, RILL_USAGE, "this has one");
    rill_geom *closed = pack(2);
    memset(closed->voxels, RILL_SOLID, 18 * 20);
    refused(closed, &o, RILL_NUMERICS, "nothing percolates");
    o.drive = (rill_drive)7;
    refused(pack(2), &o, RILL_USAGE, "drive = 7");
}
