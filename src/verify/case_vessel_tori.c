/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Developed flow through half of a torus, which enters as it was solved: pressure gradient and wall shear of
 * the middle third.
 */
#include "core/memory.h"
#include "core/status.h"
#include "geometry/surface/mesh.h"
#include "sim/sim.h"
#include "verify/groups.h"
#include "verify/steady.h"
#include "verify/vessel_torus.h"
#include "verify/vessel_unfit.h"

#include <math.h>
#include <omp.h>

#define SPEED 0.03 /* mean, lu */
#define BEND RILL_EXPECTED_BEND
#define CELL_REYNOLDS 2.5 /* at the outlet */

typedef struct bend {
    rill_lattice lattice;
    rill_collision collision;
    double dean, coarse, fine; /* r; coarse 0: one grid */
} bend;

typedef struct flow {
    rill_verify_torus torus;
    const rill_verify_torus_flow *exact;
    rill_domain *domain;
    rill_sim *sim;
    int threads; /* before */
    int inlet;   /* patch */
    double nu, scale;
    double *rho, *u;  /* [nodes], [3][nodes] */
    rill_node *layer; /* [nodes], those of the sponge layer */
    float *keep;
} flow;

/* ---- the ends ---- */

static bool enters(void *context, const rill_wall_link *link)
{
    const flow *f = context;
    return link->c[1] > 0 && link->x[1] == (uint32_t)f->torus.middle[1] && link->wall[0] > f->torus.middle[0];
}

static bool leaves(void *context, const rill_wall_link *link)
{
    const flow *f = context;
    double place[3];
    rill_verify_torus_place(&f->torus, link->wall, place);
    return link->beyond[1] < 0 && place[1] * place[1] + place[2] * place[2] < 1;
}

static void velocity(void *context, const double x[3], int mode, double u[3])
{
    const flow *f = context;
    double place[3];
    (void)mode;
    rill_verify_torus_place(&f->torus, x, place);
    rill_verify_torus_velocity(f->exact, place, u);
    for (int a = 0; a < 3; a++) u[a] *= SPEED * f->scale;
}

/* The links of the inlet bring the exact flow; the outlet lets sound out, whose pressure over its velocity is
 * rho c. */
static rill_status ends_add(flow *f, double pressure)
{
    rill_status status = RILL_OK;
    rill_boundary *in = NULL, *out = NULL;
    int patch;
    const double area = M_PI * f->torus.r * f->torus.r, impedance = 1 / (sqrt(3) * area);
    RILL_TRY(rill_boundary_create(f->domain, enters, f, &in));
    f->scale = 1;
    RILL_TRY(rill_boundary_set_velocity_modes(in, 1, velocity, f));
    f->scale = area * SPEED / rill_boundary_mode_flow(in, 0);
    RILL_TRY(rill_boundary_set_velocity_modes(in, 1, velocity, f));
    f->scale = 1;
    RILL_TRY(rill_sim_boundary_add(f->sim, in, &f->inlet));
    RILL_TRY(rill_boundary_create(f->domain, leaves, f, &out));
    RILL_TRY(rill_boundary_set_density(out, 0));
    RILL_TRY(rill_sim_boundary_add(f->sim, out, &patch));
    const rill_windkessel behind = {.distal = impedance, .beyond = -pressure - impedance * area * SPEED};
    RILL_TRY(rill_sim_patch_windkessel(f->sim, patch, &behind));
done:
    rill_boundary_destroy(in);
    rill_boundary_destroy(out);
    return status;
}

/* Viscosity in the straight pipe: in its second half it rises to a cell Reynolds number at which an outlet is
 * stable. */
static double thicker(const flow *f, const double place[3])
{
    const double length = f->torus.middle[1], far = (place[0] - M_PI) * BEND * f->torus.r,
                 most = fmax(2 * SPEED / CELL_REYNOLDS, f->nu);
    return f->nu + (most - f->nu) * fmin(fmax(2 * far / length - 1, 0), 1);
}

/* What the straight pipe takes of the pressure, about. */
static double straight_drop(const flow *f)
{
    const double r = f->torus.r, length = f->torus.middle[1], most = fmax(2 * SPEED / CELL_REYNOLDS, f->nu);
    return 8 * SPEED / (r * r) * length * (f->nu + (most - f->nu) / 4);
}

static rill_status sponge_add(flow *f)
{
    rill_status status = RILL_OK;
    uint64_t count = 0;
    RILL_TRY(rill_array_create(f->torus.nodes, sizeof *f->layer, "sponge layer", (void **)&f->layer));
    RILL_TRY(rill_array_create(f->torus.nodes, sizeof *f->keep, "sponge layer", (void **)&f->keep));
    for (rill_node k = 0; k < f->torus.nodes; k++) {
        const double nu = thicker(f, f->torus.places[k]);
        if (nu <= f->nu) continue;
        f->layer[count] = k;
        f->keep[count++] = (float)((1 - 1 / (0.5 + 3 * nu)) / (1 - 1 / (0.5 + 3 * f->nu)));
    }
    status = rill_sim_sponge_set(f->sim, f->layer, f->keep, count);
done:
    return status;
}

static rill_status begin(const bend *b, double r, const rill_verify_torus_flow *exact,
                         const rill_verify_setup *setup, flow *f)
{
    rill_status status = RILL_OK;
    f->nu = 2 * r * SPEED / (b->dean * sqrt(BEND));
    f->exact = exact;
    rill_sim_options options = rill_verify_options(setup, 0.5 + 3 * f->nu);
    options.variant.lattice = b->lattice;
    options.variant.collision = b->collision;
    options.variant.equilibrium = RILL_SECOND_ORDER;
    RILL_TRY(rill_verify_torus_make(r, &f->torus));
    const uint64_t n = f->torus.nodes;
    const double gradient = 8 * f->nu * SPEED / (r * r) * exact->resistance * BEND * r; /* per radian */
    RILL_TRY(rill_domain_create(f->torus.geom, &(rill_domain_options){b->lattice, -1}, &f->domain));
    RILL_TRY(rill_sim_create(f->domain, &options, &f->sim));
    RILL_TRY(rill_sim_walls_add(f->sim, setup->quadratic));
    RILL_TRY(ends_add(f, gradient * M_PI / 2 + straight_drop(f)));
    RILL_TRY(sponge_add(f));
    RILL_TRY(rill_array_create(n, sizeof *f->rho, "densities", (void **)&f->rho));
    RILL_TRY(rill_array_create(3 * n, sizeof *f->u, "velocities", (void **)&f->u));
    for (uint64_t k = 0; k < n; k++) {
        double u[3];
        const double *place = f->torus.places[k];
        rill_verify_torus_velocity(exact, (double[3]){fmin(place[0], M_PI), place[1], place[2]}, u);
        for (uint64_t a = 0; a < 3; a++) f->u[a * n + k] = SPEED * u[a];
        f->rho[k] = 3 * gradient * (M_PI / 2 - place[0]);
    }
    RILL_TRY(rill_sim_set_moments(f->sim, f->rho, f->u));
    f->threads = rill_verify_threads_fit(rill_domain_nodes(f->domain));
done:
    return status;
}

static void end(flow *f)
{
    if (f->threads) omp_set_num_threads(f->threads);
    rill_sim_destroy(f->sim);
    rill_domain_destroy(f->domain);
    rill_array_destroy(f->layer);
    rill_array_destroy(f->keep);
    rill_array_destroy(f->rho);
    rill_array_destroy(f->u);
    rill_verify_torus_free(&f->torus);
}

/* ---- the pressure ---- */

enum { TERMS = 10 };

/* Solve a x = b, a [TERMS][TERMS + 1] with b behind it, by elimination with pivots. */
static void solve(double a[TERMS][TERMS + 1], double x[TERMS])
{
    for (int k = 0; k < TERMS; k++) {
        int pivot = k;
        for (int row = k + 1; row < TERMS; row++)
            if (fabs(a[row][k]) > fabs(a[pivot][k])) pivot = row;
        for (int c = 0; c <= TERMS; c++) {
            const double other = a[pivot][c];
            a[pivot][c] = a[k][c];
            a[k][c] = other;
        }
        for (int row = k + 1; row < TERMS; row++)
            for (int c = TERMS; c >= k; c--) a[row][c] -= a[row][k] / a[k][k] * a[k][c];
    }
    for (int k = TERMS - 1; k >= 0; k--) {
        x[k] = a[k][TERMS];
        for (int c = k + 1; c < TERMS; c++) x[k] -= a[k][c] * x[c];
        x[k] /= a[k][k];
    }
}

/* Fit the pressure of the middle third by a slope along the pipe and a polynomial across. @param[out] slope
 * per radian */
static rill_status slope_find(flow *f, double *slope)
{
    static const int powers[TERMS - 2][2] = {{1, 0}, {2, 0}, {3, 0}, {4, 0}, {0, 2}, {0, 4}, {1, 2}, {2, 2}};
    double a[TERMS][TERMS + 1] = {{0}}, x[TERMS];
    const rill_status status = rill_sim_moments(f->sim, 0, f->torus.nodes, f->rho, NULL);
    if (status != RILL_OK) return status;
    for (rill_node k = 0; k < f->torus.nodes; k++) {
        const double *place = f->torus.places[k];
        if (place[0] < M_PI / 3 || place[0] > 2 * M_PI / 3) continue;
        double term[TERMS + 1] = {1, place[0] - M_PI / 2};
        for (int t = 2; t < TERMS; t++)
            term[t] = pow(place[1], powers[t - 2][0]) * pow(place[2], powers[t - 2][1]);
        term[TERMS] = f->rho[k] / 3;
        for (int row = 0; row < TERMS; row++)
            for (int c = 0; c <= TERMS; c++) a[row][c] += term[row] * term[c];
    }
    solve(a, x);
    *slope = x[1];
    if (!isfinite(*slope))
        return rill_fail(RILL_NUMERICS, "the flow diverged within %llu steps",
                         (unsigned long long)rill_sim_steps(f->sim));
    return RILL_OK;
}

/* Let it settle: for the time in which it goes through, and until the pressure gradient changes by less than
 * 2e-4 in a quarter of the time in which the slowest mode of a pipe falls to 1/e. @param[out] speed  the mean
 * one */
static rill_status settle(flow *f, rill_verify_vessel_found *found, double *speed)
{
    rill_status status = RILL_OK;
    enum { PARTS = 100 };
    const double r = f->torus.r, area = M_PI * r * r;
    const uint64_t part = (uint64_t)ceil(r * r / (4 * 5.783 * f->nu));
    double before = 0, change = INFINITY, slope = NAN, through;
    for (int k = 0; k < PARTS && (change > 2e-4 || (double)rill_sim_steps(f->sim) < M_PI * BEND * r / SPEED);
         k++) {
        RILL_TRY(rill_sim_step(f->sim, part));
        RILL_TRY(slope_find(f, &slope));
        change = fabs(slope - before) / fabs(slope);
        before = slope;
    }
    if (change > 2e-4)
        RILL_TRY(rill_fail(RILL_NUMERICS, "the pressure gradient still changes by %.2g after %llu steps",
                           change, (unsigned long long)rill_sim_steps(f->sim)));
    RILL_TRY(rill_sim_patch_flow(f->sim, f->inlet, &through));
    *speed = through / area;
    found->pressure = -slope / (BEND * r) / (8 * f->nu * *speed / (r * r)) / f->exact->resistance;
done:
    return status;
}

/* Return which part of the pressure gradient the fluid takes to become faster, as its density falls along the
 * pipe: d/dphi of rho u^2, at the same rho u, is 3 u^2 times the pressure gradient. */
static double accelerating(const flow *f)
{
    const uint64_t n = f->torus.nodes;
    double sum = 0, count = 0;
    for (uint64_t k = 0; k < n; k++) {
        const double *place = f->torus.places[k];
        if (place[0] < M_PI / 3 || place[0] > 2 * M_PI / 3) continue;
        sum += pow(f->u[n + k] * cos(place[0]) - f->u[k] * sin(place[0]), 2) * (1 + place[1] / BEND);
        count++;
    }
    return 3 * sum / count;
}

/* ---- the wall ---- */

static void compare(const flow *f, const rill_verify_wall *wall, double speed,
                    rill_verify_vessel_found *found)
{
    const double unit = 4 * f->nu * speed / f->torus.r;
    double wrong = 0, all = 0, sum = 0, size = 0, torque = 0, exact = 0;
    for (uint64_t t = 0; t < wall->of.triangle_count; t++) {
        double middle[3], place[3], wanted[3];
        rill_verify_triangle_middle(f->torus.geom->surface, t, middle);
        rill_verify_torus_place(&f->torus, middle, place);
        rill_verify_torus_shear(f->exact, place, wanted);
        const double area = wall->of.area[t], length = sqrt(rill_dot(wanted, wanted)),
                     lever = BEND + place[1];
        double own[3];
        for (int a = 0; a < 3; a++) {
            own[a] = (double)wall->found[t][a] / unit;
            wrong += area * pow(own[a] - wanted[a], 2);
        }
        all += area * length * length;
        sum += area * rill_dot(own, wanted) / length;
        size += area * length;
        torque += area * lever * (own[1] * cos(place[0]) - own[0] * sin(place[0]));
        exact += area * lever * (wanted[1] * cos(place[0]) - wanted[0] * sin(place[0]));
    }
    found->l2 = sqrt(wrong / all);
    found->mean = sum / size;
    found->balance = torque / exact / found->pressure / (1 - accelerating(f));
}

static rill_status measure(const bend *b, double r, const rill_verify_torus_flow *exact,
                           const rill_verify_setup *setup, rill_verify_vessel_found *found)
{
    rill_status status = RILL_OK;
    flow f = {.sim = NULL};
    rill_verify_wall wall = {.sim = NULL};
    double speed;
    *found = (rill_verify_vessel_found){.cells = 2 * r};
    RILL_TRY(begin(b, r, exact, setup, &f));
    RILL_TRY(settle(&f, found, &speed));
    RILL_TRY(rill_verify_torus_rings(&f.torus));
    RILL_TRY(rill_verify_wall_make(f.domain, f.sim, true, f.nu, &wall));
    RILL_TRY(rill_verify_wall_take(&wall));
    compare(&f, &wall, speed, found);
    found->rounding = rill_verify_rounding(setup->variant.storage, 2 * SPEED, 8 * f.nu * SPEED / (r * r));
done:
    rill_verify_wall_free(&wall);
    end(&f);
    return status;
}

static rill_status bend_run(const rill_verify_case *of, const rill_verify_setup *setup,
                            rill_verify_values *values)
{
    rill_status status = RILL_OK;
    const bend *b = of->data;
    rill_verify_torus_flow exact;
    rill_verify_vessel_found coarse, fine;
    RILL_TRY(rill_verify_torus_read(b->dean, &exact));
    RILL_TRY(measure(b, b->coarse, &exact, setup, &coarse));
    if (b->fine > 0) {
        RILL_TRY(measure(b, b->fine, &exact, setup, &fine));
        rill_verify_vessel_fill(&coarse, &fine, values);
    } else {
        values->found[0] = coarse.pressure * values->expected[0];
        values->found[1] = coarse.l2;
        values->rounding[0] = values->rounding[1] = coarse.rounding;
    }
done:
    return status;
}

/* A torus of one grid: the pattern is shown. */
#define COARSE(name_, full_, r_, cells_)                                                                     \
    {                                                                                                        \
        .name = "vessels/" name_, .full = full_,                                                             \
        .what = "half of a torus, pipe of radius " #r_ ", Dean 50, CUMULANT",                                \
        RILL_VERIFY_LIST(RILL_VERIFY_VESSEL_RESISTANCE("pressure drop over Poiseuille's, " #cells_ " cells", \
                                                       0.03, "torus", "50 resistance"),                      \
                         RILL_VERIFY_VESSEL_CHECK("L2 error of the wall shear", AT_MOST, INFINITY,           \
                                                  "scripts/tube-reference")),                                \
        .data = &(const bend){RILL_D3Q27, RILL_CUMULANT, 50, r_, 0}, .unfit = rill_verify_vessel_unfit,      \
        .run = bend_run                                                                                      \
    }
#define TORUS(name_, what_, lattice_, collision_, dean_, fine_, l2_)                                         \
    {                                                                                                        \
        .name = "vessels/torus-" name_, .full = true, .what = what_,                                         \
        RILL_VERIFY_LIST(RILL_VERIFY_VESSEL_SOLVED(l2_, "torus", #dean_ " resistance"),                      \
                         RILL_VERIFY_VESSEL_BALANCE),                                                        \
        .data = &(const bend){RILL_##lattice_, RILL_##collision_, dean_, 6, fine_},                          \
        .unfit = rill_verify_vessel_unfit, .run = bend_run                                                   \
    }

static const rill_verify_case cases[] = {
    COARSE("torus-12", false, 6, 12),
    COARSE("row-torus", true, 8, 16),
    TORUS("10", "half of a torus, pipes of radius 6 and 10, Dean 10, TRT", D3Q27, TRT, 10, 10, 0.015),
    TORUS("50", "half of a torus, pipes of radius 6 and 10, Dean 50, CUMULANT", D3Q27, CUMULANT, 50, 10,
          0.015),
    TORUS("100", "half of a torus, pipes of radius 6 and 10, Dean 100, CUMULANT", D3Q27, CUMULANT, 100, 10,
          0.015),
    TORUS("50-40", "half of a torus, pipes of radius 6 and 20, Dean 50, CUMULANT", D3Q27, CUMULANT, 50, 20,
          0.005)};

const rill_verify_group rill_verify_vessel_tori = {cases, sizeof cases / sizeof *cases};
