/* SPDX-License-Identifier: Apache-2.0 */
/* TAWSS, OSI, RRT and ECAP that a run writes, in flow through a pipe that oscillates and reverses, against
 * Womersley's wall shear. */
#include "core/sanitized.h"
#include "vessel_case.h"

#include "geometry/surface/mesh.h"
#include "io/hdf5.h"
#include "verify/womersley.h"

#include <complex.h>

TestSuite(indices, .init = files_start, .fini = files_end);

static const double RADIUS = 2e-3, VISCOSITY = 4e-3, DENSITY = 1000;

typedef struct indices {
    double tawss, osi, rrt, ecap;
} indices;

/* Means over a cycle of mean + amplitude cos(phase). */
static indices exact(double mean, double amplitude)
{
    enum { PARTS = 20000 };
    indices e = {0};
    for (int k = 0; k < PARTS; k++) e.tawss += fabs(mean + amplitude * cos(2 * M_PI * k / PARTS)) / PARTS;
    e.osi = (1 - fabs(mean) / e.tawss) / 2;
    e.rrt = 1 / ((1 - 2 * e.osi) * e.tawss);
    e.ecap = e.osi / e.tawss;
    return e;
}

/* Run `flow` + `swing` sin(2 pi t / period), mL/s, and write the result files. @param[in] keys  of the run */
static vessel_run run(double flow, double swing, double period, const char *keys)
{
    rill_run_result result;
    FILE *file = fopen("v.csv", "w");
    cr_assert(file);
    fprintf(file, "time [s], flow [mL/s]\n");
    for (int k = 0; k <= 40; k++)
        fprintf(file, "%g, %.9g\n", k * period / 40, flow + swing * sin(2 * M_PI * k / 40.0));
    cr_assert_eq(fclose(file), 0);
    vessel_write("v.yaml",
                 "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
                 "  in: {kind: inlet, waveform: v.csv}\n  out: {kind: pressure, pressure: 0 Pa}\n"
                 "run: {%s}\noutput: {centre-line: no, slices: no, snapshots: 0}\n",
                 keys);
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    cr_assert_eq(rill_case_run(r.vessel, &(rill_run_options){.directory = "."}, &result), RILL_OK, "%s",
                 rill_error_message());
    return r;
}

/* Read an array of the triangles. */
static float *read_array(const vessel_run *r, const char *name)
{
    char path[64];
    rill_h5_file *file = NULL;
    const uint64_t count = r->geom->surface->triangle_count;
    float *values = malloc(count * sizeof *values);
    cr_assert(values);
    snprintf(path, sizeof path, "/VTKHDF/CellData/%s", name);
    cr_assert_eq(rill_h5_open("wall.vtkhdf", &file), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_h5_read(file, path, RILL_H5_F32, 1, (const uint64_t[]){0}, &count, values), RILL_OK,
                 "%s", rill_error_message());
    rill_h5_close(file);
    return values;
}

/* Means over the area of the triangles in the middle third. Those of each triangle belong together. */
static indices middle_means(const vessel_run *r)
{
    const rill_surface *s = r->geom->surface;
    float *tawss = read_array(r, "TAWSS"), *osi = read_array(r, "OSI"), *rrt = read_array(r, "RRT"),
          *ecap = read_array(r, "ECAP");
    indices sum = {0};
    double all = 0;
    for (uint64_t t = 0; t < s->triangle_count; t++) {
        const uint32_t *corner = s->triangles[t];
        const double *v[3] = {s->vertices[corner[0]], s->vertices[corner[1]], s->vertices[corner[2]]},
                     z = (v[0][2] + v[1][2] + v[2][2]) / 3;
        double p[3], q[3], normal[3];
        if (z < 4e-3 || z > 8e-3) continue;
        for (int a = 0; a < 3; a++) {
            p[a] = v[1][a] - v[0][a];
            q[a] = v[2][a] - v[0][a];
        }
        rill_cross(p, q, normal);
        const double area = sqrt(rill_dot(normal, normal)), size = (double)tawss[t], swings = (double)osi[t];
        cr_assert_float_eq((double)rrt[t] * (1 - 2 * swings) * size, 1, 1e-4, "triangle %llu",
                           (unsigned long long)t);
        cr_assert_float_eq((double)ecap[t] * size, swings, 1e-5, "triangle %llu", (unsigned long long)t);
        all += area;
        sum.tawss += area * size;
        sum.osi += area * swings;
        sum.rrt += area * (double)rrt[t];
        sum.ecap += area * (double)ecap[t];
    }
    free(tawss);
    free(osi);
    free(rrt);
    free(ecap);
    return (indices){sum.tawss / all, sum.osi / all, sum.rrt / all, sum.ecap / all};
}

/* A swing three times the mean, so that the flow turns. */
Test(indices, are_womersleys)
{
    const double flow = 0.1, swing = 0.3, period = 1.6, limit = 0.04,
                 per_flow = 1e-6 * 4 * VISCOSITY / (M_PI * pow(RADIUS, 3)),
                 alpha = RADIUS * sqrt(2 * M_PI / period * DENSITY / VISCOSITY),
                 ratio = cabs(rill_verify_womersley_shear(alpha) / rill_verify_womersley_flow(alpha));
    vessel_extension = 0.5;
    vessel_pipe(0.4e-3, 0);
    vessel_run r = run(flow, swing, period, "cycles: 2, mach: 0.2");
    const indices e = exact(per_flow * flow, per_flow * swing * ratio), found = middle_means(&r);
    cr_expect_float_eq(found.tawss, e.tawss, limit * e.tawss, "TAWSS %g of %g Pa", found.tawss, e.tawss);
    cr_expect_float_eq(found.osi, e.osi, limit * e.osi, "OSI %g of %g", found.osi, e.osi);
    cr_expect_float_eq(found.rrt, e.rrt, limit * e.rrt, "RRT %g of %g 1/Pa", found.rrt, e.rrt);
    cr_expect_float_eq(found.ecap, e.ecap, 2 * limit * e.ecap, "ECAP %g of %g 1/Pa", found.ecap, e.ecap);
    cr_expect(e.osi > 0.25, "%g", e.osi);
    vessel_free(&r);
}

/* A boundary layer of 1.6 voxels along the lattice, to which the extrapolation adds 3 %, and a time step with
 * which sound adds 2 %: the error is known before the run. */
Test(indices, have_no_more_than_the_expected_error, .disabled = SANITIZED)
{
    const double flow = 0.1, swing = 0.3, period = 0.4;
    vessel_extension = 0.5;
    vessel_pipe(4e-3 / 13, 0);
    vessel_run r = run(flow, swing, period, "cycles: 3");
    const double radius = sqrt(r.geom->surface->openings[0].area / M_PI), /* of facets: 0.08 % less */
        per_flow = 1e-6 * 4 * VISCOSITY / (M_PI * pow(radius, 3)),
                 alpha = radius * sqrt(2 * M_PI / period * DENSITY / VISCOSITY),
                 ratio = cabs(rill_verify_womersley_shear(alpha) / rill_verify_womersley_flow(alpha)),
                 wanted = exact(per_flow * flow, per_flow * swing * ratio).tawss,
                 off = fabs(middle_means(&r).tawss / wanted - 1), told = r.plan.errors.mean;
    cr_expect_leq(off, told, "off by %g, told %g", off, told);
    cr_expect_gt(off, told / 2, "off by %g, told %g", off, told);
    cr_expect_gt(r.plan.errors.sound, 0);
    vessel_free(&r);
}
