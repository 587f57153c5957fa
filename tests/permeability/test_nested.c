/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that start from coarser grids: the same permeability sooner, to the same bits on any number of threads
 * and parts, and runs from rest where coarser voxels close the pores. */
#include "backends.h"
#include "core/sanitized.h"
#include "domain/domain.h"
#include "permeability/nested.h"
#include "permeability/numbered.h"
#include "permeability/plan.h"
#include "planned.h"
#include "sim/refined.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { EDGE = 34 };

static rill_geom *box(uint32_t edge)
{
    rill_geom *geom = NULL;
    ASSERT_OK(rill_geom_create((const uint32_t[3]){edge, edge, edge}, &geom));
    memset(geom->voxels, RILL_FLUID, rill_geom_voxels(geom));
    geom->porosity = (rill_porosity){-1, -1, {-1, -1, -1}};
    return geom;
}

/* A solid ball in a periodic box, not in its middle: pores as wide as the box, of an odd number of coarser
 * voxels. @param fine  voxels along the edge of one */
static rill_geom *ball(uint32_t fine)
{
    const uint32_t edge = fine * EDGE;
    rill_geom *geom = box(edge);
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        const double x = (double)(v % edge) / fine - 12, y = (double)(v / edge % edge) / fine - 15,
                     z = (double)(v / edge / edge) / fine - 19;
        if (x * x + y * y + z * z < 11.0 * 11) geom->voxels[v] = RILL_SOLID;
    }
    return geom;
}

/* Spheres in a regular array, of so many cells along each edge: pores are open along straight lines. */
static rill_geom *array_of(uint32_t cells)
{
    enum { CELL = 32 };
    const uint32_t edge = cells * CELL;
    rill_geom *geom = box(edge);
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        const double x = (double)(v % CELL) - 15.5, y = (double)(v / edge % CELL) - 15.5,
                     z = (double)(v / edge / edge % CELL) - 15.5;
        if (x * x + y * y + z * z < 9.2 * 9.2) geom->voxels[v] = RILL_SOLID;
    }
    return geom;
}

/* The box of 64 cells was taken for pores as wide as it is, on whose coarsest grids spheres vanish: it
 * started from rest, with momentum that was expected to settle nine times later. */
Test(nested, copies_of_a_cell_start_from_coarser_grids_as_one_does)
{
    rill_permeability_plan plan[2];
    for (int k = 0; k < 2; k++) {
        rill_permeability_options o = rill_permeability_options_default();
        rill_geom *geom = array_of(k ? 4 : 1);
        o.variant.stream = RILL_MACROSCOPIC;
        o.magic = 0.25;
        o.axis = 2;
        o.on.backend = RILL_BACKEND_CPU;
        ASSERT_OK(rill_permeability_prepare(geom, &o));
        ASSERT_OK(rill_permeability_plan_make(geom, &o, &plan[k]));
        cr_expect(plan[k].network && plan[k].nested, "%d: network %d, nested %d", k, plan[k].network,
                  plan[k].nested);
        rill_permeability_plan_free(&plan[k]);
        rill_geom_destroy(geom);
    }
    cr_expect_lt(plan[1].momentum, 4.5 * plan[0].momentum, "momentum settles in %g / nu, of one cell %g / nu",
                 plan[1].momentum, plan[0].momentum);
}

/* A wall with a hole of one voxel. */
static rill_geom *plate(void)
{
    rill_geom *geom = box(EDGE);
    memset(geom->voxels, RILL_SOLID, 2 * EDGE * EDGE);
    for (int z = 0; z < 2; z++) geom->voxels[(z * EDGE + 16) * EDGE + 16] = RILL_FLUID;
    return geom;
}

/* A flat duct along y = 2 … 5, and beside it a chamber, which hangs on it by a hole of 8 x 8 voxels. With a
 * wall of 2 voxels, every seventh row lies in the chamber; one of 1 voxel opens on the coarser grid. */
static rill_geom *duct_and_chamber(uint32_t wall)
{
    enum { LENGTH = 40 };
    const uint32_t floor = 6 + wall, width = floor + LENGTH + 1;
    rill_geom *geom = NULL;
    ASSERT_OK(rill_geom_create((const uint32_t[3]){LENGTH, width, LENGTH}, &geom));
    geom->porosity = (rill_porosity){-1, -1, {-1, -1, -1}};
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        const uint32_t x = v % LENGTH, y = v / LENGTH % width, z = (uint32_t)(v / LENGTH / width);
        const bool duct = y >= 2 && y < 6;
        const bool hole = y >= 6 && y < floor && x >= 16 && x < 24 && z >= 16 && z < 24;
        const bool chamber = y >= floor && y < width - 1 && x >= 2 && x < 38 && z >= 2 && z < 38;
        geom->voxels[v] = duct || hole || chamber ? RILL_FLUID : RILL_SOLID;
    }
    return geom;
}

static rill_permeability_options options(rill_permeability_start start)
{
    rill_permeability_options o = rill_permeability_options_default();
    o.on.backend = RILL_BACKEND_CPU;
    o.start = start;
    return o;
}

/* Compute along z; the geometry stays. */
static rill_permeability_flow run_of(rill_geom *geom, const rill_permeability_options *o, double *tau)
{
    rill_permeability p;
    rill_geom *own = NULL;
    ASSERT_OK(rill_geom_copy(geom, &own));
    ASSERT_OK(computed(own, o, &p));
    rill_permeability_flow run = p.runs[0];
    if (tau) *tau = p.plan.tau;
    rill_permeability_free(&p);
    rill_geom_destroy(own);
    run.samples = NULL;
    return run;
}

/* Count the moments of a flow whose k is shown, and those that show it without any uncertainty. */
static bool count_shown(void *context, const rill_progress_moment *moment)
{
    int *const shown = context;
    const rill_permeability_moment *k = moment->permeability;
    if (!k || !isfinite(k->predicted)) return true;
    shown[0]++;
    shown[1] += k->uncertainty == 0;
    return true;
}

/* Of two grids alone nobody knows how far k may be off: as long as the run has no estimate, none is shown. */
Test(nested, one_coarser_grid_is_shown_without_an_uncertainty)
{
    int shown[2] = {0};
    rill_permeability_options o = options(RILL_START_AUTO);
    o.progress = (rill_progress){count_shown, shown};
    o.progress_seconds = 0;
    rill_geom *geom = ball(1);
    const rill_permeability_flow run = run_of(geom, &o, NULL);
    cr_assert(isfinite(run.coarse));
    cr_assert_gt(shown[0], 2);
    cr_assert_eq(shown[1], 0, "%d of %d moments show k as exact", shown[1], shown[0]);
    rill_geom_destroy(geom);
}

/* ---- interpolation ----------------------------------------------------------------------------- */

/* Voxels at random, of which so many of ten are pores. */
static rill_geom *pores(const uint32_t n[3], rill_side side, uint32_t of_ten)
{
    rill_geom *geom = NULL;
    ASSERT_OK(rill_geom_create(n, &geom));
    for (int a = 0; a < 3; a++) geom->sides[a] = side;
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++)
        geom->voxels[v] = (v * 2654435761u >> 12) % 10 < of_ten ? RILL_FLUID : RILL_SOLID;
    return geom;
}

/* Interpolate as it is defined, for one voxel: of the two nearest coarser voxels along each axis the nearer
 * one counts three quarters; rho - 1 is the mean of the pores among them, u is 0 in solid ones. */
static void interpolated(const rill_domain *coarse, const float *moments, const uint32_t x[3], double out[4])
{
    const rill_geom *geom = coarse->geom;
    double weight_of_pores = 0;
    memset(out, 0, 4 * sizeof *out);
    for (int corner = 0; corner < 8; corner++) {
        uint32_t at[3];
        double weight = 1;
        for (int a = 0; a < 3; a++) {
            const bool far = corner >> a & 1;
            const int64_t n = geom->n[a], near = x[a] / 2, other = x[a] % 2 ? near + 1 : near - 1;
            const int64_t one = far ? other : near, last = one < 0 ? 0 : one < n ? one : n - 1;
            at[a] = (uint32_t)(geom->sides[a] == RILL_PERIODIC ? (one + n) % n : last);
            weight *= far ? 0.25 : 0.75;
        }
        const rill_node node = rill_numbering_node(&coarse->numbering, at[0], at[1], at[2]);
        if (node == RILL_UPSTREAM_WALL) continue;
        weight_of_pores += weight;
        for (int m = 0; m < 4; m++) out[m] += weight * (double)moments[(size_t)m * coarse->nodes + node];
    }
    if (weight_of_pores > 0) out[0] /= weight_of_pores;
}

/* A flow at random on coarser voxels, and what a run interpolates it for. */
typedef struct coarse_flow {
    rill_geom *fine, *coarse;
    rill_domain *domain, *below;
    rill_numbered numbered;
    rill_permeability_plan plan;
    rill_nested nested;
    float *moments;
} coarse_flow;

enum { AXIS = 2 };

static void coarse_flow_make(const uint32_t n[3], rill_side side, coarse_flow *c)
{
    const uint32_t half[3] = {(n[0] + 1) / 2, (n[1] + 1) / 2, (n[2] + 1) / 2};
    const rill_domain_options domain_options = {.lattice = RILL_D3Q19, .flow_axis = AXIS};
    *c = (coarse_flow){.fine = pores(n, side, 6), .coarse = pores(half, side, 7)};
    ASSERT_OK(rill_domain_create(c->fine, &domain_options, &c->domain));
    ASSERT_OK(rill_domain_create(c->coarse, &domain_options, &c->below));
    const uint64_t nodes = c->below->nodes;
    c->numbered.domain = c->below;
    c->plan = (rill_permeability_plan){.nodes = c->domain->nodes, .force = 1e-4, .nu = 0.5};
    c->nested = (rill_nested){.geom = c->coarse, .k = 3};
    c->nested.plan = (rill_permeability_plan){.nodes = nodes, .force = 4e-4, .numbered = &c->numbered};
    c->moments = malloc(4 * nodes * sizeof *c->moments);
    for (uint64_t k = 0; k < 4 * nodes; k++)
        c->moments[k] = 1e-3f + 1e-5f * (float)(k * 2654435761u >> 8 & 1023);
}

/* Hand it over by the host, or on the device of the simulation, where it stayed. */
static void coarse_flow_give(coarse_flow *c, rill_sim *sim, bool stayed)
{
    const uint64_t nodes = c->below->nodes;
    if (!stayed) {
        ASSERT_OK(rill_kept_create(NULL, 4, nodes, sizeof *c->moments, "moments", &c->nested.moments));
        for (uint32_t m = 0; m < 4; m++)
            ASSERT_OK(rill_kept_put(c->nested.moments, m, 0, nodes, c->moments + m * nodes));
        return;
    }
    double *wide = malloc(4 * nodes * sizeof *wide);
    for (uint64_t k = 0; k < 4 * nodes; k++) wide[k] = (double)c->moments[k];
    c->nested.device = rill_sim_device_of(sim);
    ASSERT_OK(
        rill_device_alloc(c->nested.device, 4 * nodes * sizeof *wide, "moments", (void **)&c->nested.there));
    ASSERT_OK(rill_device_upload(c->nested.device, c->nested.there, wide, 4 * nodes * sizeof *wide));
    free(wide);
}

static void coarse_flow_free(coarse_flow *c)
{
    rill_kept_destroy(c->nested.moments);
    if (c->nested.there) rill_device_free(c->nested.device, c->nested.there);
    rill_domain_destroy(c->below);
    rill_domain_destroy(c->domain);
    rill_geom_destroy(c->coarse);
    rill_geom_destroy(c->fine);
    free(c->moments);
}

/* Return by how much moments differ from the interpolation of a flow, at most: of those that it has. */
static double worst_of(const coarse_flow *c, const double *moments)
{
    const uint64_t nodes = c->domain->nodes;
    const uint32_t *n = c->fine->n;
    double *expected = malloc(4 * nodes * sizeof *expected), worst = 0, sum = 0;
    uint64_t node = 0;
    for (uint64_t v = 0; v < rill_geom_voxels(c->fine); v++) {
        const uint32_t x[3] = {v % n[0], v / n[0] % n[1], (uint32_t)(v / n[0] / n[1])};
        if (c->fine->voxels[v] < RILL_FLUID) continue;
        interpolated(c->below, c->moments, x, expected + 4 * node);
        sum += expected[4 * node++ + 1 + AXIS];
    }
    cr_assert_eq(node, nodes);
    const double mean = c->nested.k * c->plan.force / c->plan.nu;
    const double u_scale = mean * (double)rill_geom_voxels(c->fine) / sum;
    for (node = 0; node < nodes; node++)
        for (uint64_t m = 0; m < 4; m++) {
            const double scale = m ? u_scale : 2 * c->plan.force / c->nested.plan.force;
            worst = fmax(worst, fabs(moments[m * nodes + node] / scale - expected[4 * node + m]));
        }
    free(expected);
    return worst;
}

/* Any flow on coarser voxels comes to the finer ones as interpolation is defined, its mean velocity as k
 * says: rows of three words, odd and even numbers of voxels, more rows than are summed up at a time, both
 * kinds of sides. What a simulation leaves on its device are the same moments as it is read. */
Test(nested, flow_is_interpolated_between_coarser_voxels)
{
    static const uint32_t sizes[3][3] = {{141, 23, 9}, {142, 24, 10}, {3, 520, 520}};
    FOR_EACH_BACKEND(kind)
    for (int way = 0; way < 12; way++) {
        coarse_flow c;
        coarse_flow_make(sizes[way % 3], way / 3 % 2 ? RILL_MIRROR : RILL_PERIODIC, &c);
        const uint64_t nodes = c.domain->nodes, bytes = 4 * nodes * sizeof(double);
        rill_permeability_flow run = {.axis = AXIS};
        const rill_follower f = {.plan = &c.plan, .geom = c.fine, .run = &run};
        rill_sim *sim = NULL;
        rill_sim_options o = rill_sim_options_default();
        o.on.backend = kind;
        o.variant.storage = RILL_FP64;
        o.variant.equilibrium = RILL_STOKES;
        ASSERT_OK(rill_sim_create(c.domain, &o, &sim));
        coarse_flow_give(&c, sim, way / 6);
        ASSERT_OK(rill_nested_start(&f, c.domain, &c.nested, sim));
        double *moments = malloc(bytes), *again = malloc(bytes), *left = NULL;
        ASSERT_OK(rill_sim_moments(sim, 0, (rill_node)nodes, moments, moments + nodes));
        const double worst = worst_of(&c, moments);
        cr_expect_lt(worst, 2e-8, "%g on backend %d, way %d", worst, kind, way); /* of 0.01, in fp32 */
        ASSERT_OK(rill_sim_moments_leave(sim, &left));
        ASSERT_OK(rill_device_download(rill_sim_device_of(sim), again, left, bytes));
        cr_expect_arr_eq(again, moments, bytes);
        rill_device_free(rill_sim_device_of(sim), left);
        free(moments);
        free(again);
        coarse_flow_free(&c);
        rill_sim_destroy(sim);
    }
}

Test(nested, gives_the_same_permeability_sooner, .disabled = SANITIZED)
{
    rill_geom *geom = ball(2);
    rill_permeability_options o = options(RILL_START_REST);
    const rill_permeability_flow rest = run_of(geom, &o, NULL);
    o.start = RILL_START_AUTO;
    const rill_permeability_flow nested = run_of(geom, &o, NULL);
    o.variant.storage = RILL_FP64;
    o.tolerance = 1e-6;
    const double exact = run_of(geom, &o, NULL).k[2];
    cr_expect(isnan(rest.coarse) && rest.coarse_steps == 0);
    cr_expect(fabs(nested.coarse / exact - 1) < 0.2, "%g of %g", nested.coarse, exact);
    cr_expect_gt(nested.coarse_steps, 0);
    cr_expect_lt(fabs(rest.k[2] - exact), rest.uncertainty[2]);
    cr_expect_lt(fabs(nested.k[2] - exact), nested.uncertainty[2]);
    cr_expect_leq(5 * (nested.steps + nested.coarse_steps / 8), 4 * rest.steps,
                  "%llu and %llu, not %llu steps", (unsigned long long)nested.steps,
                  (unsigned long long)nested.coarse_steps, (unsigned long long)rest.steps);
    rill_geom_destroy(geom);
}

/* The flow through the finer ball, of 274,000 nodes, is taken over in slices. */
Test(nested, starts_with_the_flow_of_the_coarser_grid)
{
    rill_permeability_options o = options(RILL_START_AUTO);
    rill_geom *geom = ball(1);
    const double exact = run_of(geom, &o, NULL).k[2];
    for (uint32_t fine = 1; fine <= 2; fine++) {
        rill_permeability p;
        rill_geom_destroy(geom);
        geom = ball(fine);
        o.max_steps = 100; /* less than the fewest cycles */
        cr_assert_eq(computed(geom, &o, &p), RILL_NUMERICS);
        cr_assert_geq(p.runs[0].sample_count, 1);
        const double k = p.runs[0].samples[0].predicted / (fine * fine);
        cr_expect_lt(fabs(k / exact - 1), 0.02, "%u: %g, not %g", fine, k, exact);
        rill_permeability_free(&p);
    }
    rill_geom_destroy(geom);
}

Test(nested, scales_the_flow_by_its_mean_over_all_rows)
{
    rill_geom *geom = duct_and_chamber(2);
    rill_permeability_options o = options(RILL_START_AUTO);
    rill_permeability p;
    cr_assert_eq(geom->n[1] % 7, 0);
    ASSERT_OK(computed(geom, &o, &p));
    const rill_permeability_sample first = p.runs[0].samples[0];
    const double exact = p.runs[0].k[2];
    cr_expect(isfinite(p.runs[0].coarse));
    cr_expect_lt(fabs(first.k[2] / exact - 1), 0.02, "%g, not %g", first.k[2], exact);
    rill_permeability_free(&p);
    rill_geom_destroy(geom);
}

/* Velocities of a run, for those of another to be compared with. */
typedef struct field {
    float *u; /* [3][nodes] */
    size_t nodes;
} field;

static rill_status keep(void *context, const rill_permeability_flow *run, rill_node nodes, const float *rho,
                        const float *u)
{
    field *f = context;
    (void)run, (void)rho;
    f->nodes = nodes;
    f->u = malloc(3 * sizeof *u * f->nodes);
    if (!f->u) return RILL_SYSTEM;
    memcpy(f->u, u, 3 * sizeof *u * f->nodes);
    return RILL_OK;
}

/* Sums of |u| along z and of what the second differs by, both divided by their mean along z. */
static double difference(const field *a, const field *b)
{
    double mean[2] = {0, 0}, sum = 0, off = 0;
    for (size_t n = 0; n < a->nodes; n++) {
        mean[0] += a->u[2 * a->nodes + n];
        mean[1] += b->u[2 * a->nodes + n];
    }
    for (size_t n = 0; n < 3 * a->nodes; n++) {
        sum += fabs(a->u[n] / mean[0]);
        off += fabs(a->u[n] / mean[0] - b->u[n] / mean[1]);
    }
    return off / sum;
}

/* A wall of one voxel opens on the coarser grid, whose k is five times too large, and the flow in the chamber
 * is another one. It dies out as soon as momentum settles. */
Test(nested, ends_with_the_flow_of_its_own_grid)
{
    rill_geom *geom = duct_and_chamber(1);
    field fields[2];
    rill_permeability_options o = options(RILL_START_AUTO);
    o.settle_fields = true;
    o.finished = keep;
    o.context = &fields[0];
    const rill_permeability_flow nested = run_of(geom, &o, NULL);
    o.start = RILL_START_REST;
    o.context = &fields[1];
    const rill_permeability_flow rest = run_of(geom, &o, NULL);
    cr_expect_gt(nested.coarse, 2 * rest.k[2]);
    cr_expect_lt(fabs(nested.k[2] - rest.k[2]), nested.uncertainty[2] + rest.uncertainty[2]);
    cr_expect_lt(fabs(nested.tortuosity - rest.tortuosity),
                 nested.tortuosity_uncertainty + rest.tortuosity_uncertainty);
    cr_expect_lt(difference(&fields[1], &fields[0]), o.tolerance, "%g", difference(&fields[1], &fields[0]));
    free(fields[0].u);
    free(fields[1].u);
    rill_geom_destroy(geom);
}

/* Five plates of one voxel with a hole of one voxel, which are open on the coarser grid: the viscosity for
 * the k of an open box, 30 000 times too large, would let rounding show. */
Test(nested, is_left_where_rounding_may_show)
{
    rill_geom *geom = NULL;
    ASSERT_OK(rill_geom_create((const uint32_t[3]){EDGE, EDGE, 5 * EDGE}, &geom));
    geom->porosity = (rill_porosity){-1, -1, {-1, -1, -1}};
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        const uint32_t x = v % EDGE, y = v / EDGE % EDGE, z = (uint32_t)(v / EDGE / EDGE) % EDGE;
        const bool open = z != 3 || (x == 16 && y == 16);
        geom->voxels[v] = x > 0 && y > 0 && open ? RILL_FLUID : RILL_SOLID;
    }
    rill_permeability_options o = options(RILL_START_AUTO);
    o.tolerance = 1e-2;
    const rill_permeability_flow nested = run_of(geom, &o, NULL);
    o.start = RILL_START_REST;
    const rill_permeability_flow rest = run_of(geom, &o, NULL);
    cr_expect(isnan(nested.coarse));
    cr_expect(nested.steps == rest.steps && nested.k[2] == rest.k[2]);
    rill_geom_destroy(geom);
}

/* Chambers behind holes of one voxel, too narrow for coarser grids: all nodes of a chamber round alike at the
 * viscosity that is chosen for its width. */
Test(nested, is_repeated_where_the_nodes_of_a_chamber_round_alike)
{
    enum { WIDTH = 26, LENGTH = 96 };
    rill_geom *geom = NULL;
    rill_permeability p;
    ASSERT_OK(rill_geom_create((const uint32_t[3]){WIDTH, WIDTH, LENGTH}, &geom));
    geom->porosity = (rill_porosity){-1, -1, {-1, -1, -1}};
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        const uint32_t x = v % WIDTH, y = v / WIDTH % WIDTH, z = (uint32_t)(v / WIDTH / WIDTH) % 24;
        const bool open = z != 3 || (x == 12 && y == 12);
        geom->voxels[v] = x > 0 && y > 0 && open ? RILL_FLUID : RILL_SOLID;
    }
    rill_permeability_options o = options(RILL_START_AUTO);
    ASSERT_OK(computed(geom, &o, &p));
    cr_expect_eq(p.plan.tau, 2, "tau %g", p.plan.tau);
    const double k = p.runs[0].k[2], uncertainty = p.runs[0].uncertainty[2];
    rill_permeability_free(&p);
    o.variant.storage = RILL_FP64;
    o.tolerance = 1e-5;
    ASSERT_OK(computed(geom, &o, &p));
    cr_expect_gt(p.plan.tau, 2.5);
    cr_expect_lt(fabs(p.runs[0].k[2] - k), uncertainty);
    rill_permeability_free(&p);
    rill_geom_destroy(geom);
}

Test(nested, gives_the_same_bits_for_any_number_of_threads_and_parts)
{
    rill_geom *geom = ball(1);
    rill_permeability_options o = options(RILL_START_AUTO);
    rill_permeability_flow first = {.steps = 0};
    rill_device *device = NULL, *devices[3];
    ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &device));
    for (int d = 0; d < 3; d++) devices[d] = device;
    o.on.device = device;
    o.on.list = devices;
    for (int parts = 1; parts <= 3; parts++) {
        omp_set_num_threads(parts);
        o.on.count = parts;
        const rill_permeability_flow run = run_of(geom, &o, NULL);
        if (parts == 1) first = run;
        cr_expect(run.steps == first.steps && run.coarse == first.coarse);
        cr_expect_eq(run.k[2], first.k[2], "%d parts: %.17g, not %.17g", parts, run.k[2], first.k[2]);
        cr_expect_eq(run.uncertainty[2], first.uncertainty[2]);
    }
    rill_device_destroy(device);
    rill_geom_destroy(geom);
}

Test(nested, goes_from_rest_where_coarser_voxels_close_the_pores)
{
    rill_geom *geom = plate();
    rill_permeability_options o = options(RILL_START_AUTO);
    double tau[2];
    const rill_permeability_flow nested = run_of(geom, &o, &tau[0]);
    o.start = RILL_START_REST;
    const rill_permeability_flow rest = run_of(geom, &o, &tau[1]);
    cr_expect(isnan(nested.coarse));
    cr_expect_eq(tau[0], tau[1]);
    cr_expect(nested.steps == rest.steps && nested.k[2] == rest.k[2]);
    rill_geom_destroy(geom);
}

/* epsilon phi L^2 nu / k is at most 0.05; pressures of a chamber of edge e even out in 1.5 cycles; tau is 2
 * or more. */
Test(nested, takes_a_smaller_viscosity_where_little_flows)
{
    const double momentum = 80 * 80 / (4 * 5.783186);
    const rill_permeability_plan wide = {.pores.porosity = 0.25,
                                         .length = 1000,
                                         .pores.opening = 80,
                                         .momentum = momentum,
                                         .tau = 9.5,
                                         .nu = 3,
                                         .cycle = 92,
                                         .force = 1e-6};
    rill_permeability_options o = options(RILL_START_AUTO);
    rill_permeability_plan p = wide;
    rill_plan_tune(&o, 10, &p);
    cr_expect(p.tau == 9.5 && p.cycle == 92 && p.force == 1e-6 && p.k_expected == 10);
    p.length = 3000;
    rill_plan_tune(&o, 5, &p);
    cr_expect_float_eq(p.nu, 0.05 * 5 / (0x1p-24 * 0.25 * 9e6), 1e-9);
    cr_expect_float_eq(p.tau, 0.5 + 3 * p.nu, 1e-12);
    cr_expect(p.force < 1e-6 && p.cycle > 92 && p.cycle % 2 == 0);
    rill_plan_tune(&o, 1e-3, &p);
    cr_expect_float_eq(p.tau, 2, 1e-12);
    o.variant.storage = RILL_FP64; /* does not round so much */
    p = wide;
    rill_plan_tune(&o, 0.5, &p);
    const double wave = 0.4 * 80 / 3.14159265358979;
    cr_expect_float_eq(p.nu, sqrt(1.5 * 0.8 * momentum * 0.5 / 3 / 0.25) / wave, 1e-9, "%g", p.nu);
    p = wide;
    o = options(RILL_START_AUTO);
    o.tau = 9.5;
    rill_plan_tune(&o, 1e-3, &p);
    cr_expect_eq(p.tau, 9.5);
}
