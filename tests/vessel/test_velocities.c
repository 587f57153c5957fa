/* SPDX-License-Identifier: Apache-2.0 */
/* Inlets whose profile is made from points with velocities: reading the points, the profile that they make,
 * and runs with it. */
#include "message.h"
#include "vessel_case.h"

#include "vessel/inlet/profile_points.h"
#include "vessel/inlet/velocities.h"

#include <complex.h>

TestSuite(velocities, .init = files_start, .fini = files_end);

/* ---- the file -------------------------------------------------------------------------------- */

static void refuse(const char *text, double period, const char *part)
{
    rill_velocities *v = NULL;
    vessel_write("v.csv", "%s", text);
    cr_expect_eq(rill_velocities_read("v.csv", period, &v), RILL_USAGE, "taken: %s", text);
    cr_expect_null(v);
    expect_message(part);
    expect_message("v.csv");
}

Test(velocities, units_and_times_are_those_of_the_header)
{
    rill_velocities *v = NULL;
    vessel_write("v.csv",
                 "\xef\xbb\xbf# of a scan\nTime [ms]; W [cm/s]; x (mm); y [cm]; z [m]; u [m/s]; vy [mm/s]\n"
                 "30; 50; 1; 2; 3; 4; 5\n\n# more\n0; 5; 6; 7; 8; 9; 10\n10;1;1;1;1;1;1\n20;1;1;1;1;1;1\n"
                 "0; 6; 6; 7; 8; 9; 10\n");
    cr_assert_eq(rill_velocities_read("v.csv", 0, &v), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(v->count, 5);
    cr_assert_eq(v->frames, 4);
    cr_expect_float_eq(v->period, 0.04, 1e-12);
    const rill_velocity *p = &v->points[4];
    const double last[6] = {p->x[0], p->x[1], p->x[2], p->u[0], p->u[1], p->u[2]},
                 wanted[6] = {1e-3, 2e-2, 3, 4, 5e-3, 0.5};
    for (int k = 0; k < 6; k++) cr_expect_float_eq(last[k], wanted[k], 1e-6, "%d: %g", k, last[k]);
    cr_expect(v->points[1].frame == 0 && v->points[2].frame == 1 && p->frame == 3);
    rill_velocities_destroy(v);
}

#define HEADER "x [mm], y [mm], z [mm], u [m/s], v [m/s], w [m/s]"

Test(velocities, bad_files_are_refused)
{
    refuse("", 0, "is empty");
    refuse(HEADER "\n", 0, "has no rows");
    refuse("x, y [mm], z [mm], u [m/s], v [m/s], w [m/s]\n", 0, "column \"x\" has no unit");
    refuse("x [kg], y [mm], z [mm], u [m/s], v [m/s], w [m/s]\n", 0, "column \"x\"");
    refuse("x [mm], y [mm], z [mm], u [m/s], v [m/s]\n", 0, "column w is missing");
    refuse("x [mm], x [mm], z [mm], u [m/s], v [m/s], w [m/s]\n", 0, "columns 1 and 2 are both called x");
    refuse("x [mm], y [mm], z [mm], u [m/s], v [m/s], w [m/s], secret [m]\n", 0, "column 7 has another name");
    refuse(HEADER ", time [s], a [s]\n", 0, "more than 7 columns");
    refuse(HEADER "\n1,2,3,4,5\n", 0, "v.csv:2: the line is not a row of 6 finite numbers");
    refuse(HEADER "\n1,2,3,4,5,6,7\n", 0, "not a row of 6");
    refuse(HEADER "\n1,2,3,4,5,\n", 0, "not a row of 6");
    refuse(HEADER "\n1,2,3,4,x,6\n", 0, "not a row of 6");
    refuse(HEADER "\n1,2,3,4,5,nan\n", 0, "not a row of 6 finite numbers");
    refuse(HEADER "\n1,2,3,4,5,inf\n", 0, "not a row of 6 finite numbers");
    refuse(HEADER "\n1,2,1e9,4,5,6\n", 0, "z is 1e+06 m, and at most 1000 m");
    refuse(HEADER ", time [s]\n1,2,3,4,5,6,0\n1,2,3,4,5,6,1\n", 0, "has 2 times");
    refuse(HEADER ", t [s]\n1,2,3,4,5,6,0\n1,2,3,4,5,6,1\n1,2,3,4,5,6,2\n1,2,3,4,5,6,4\n", 0,
           "uneven spacing");
    refuse(HEADER ", t [s]\n1,2,3,4,5,6,0\n1,2,3,4,5,6,1\n1,2,3,4,5,6,2\n1,2,3,4,5,6,3\n", 3,
           "leave out the time that repeats the first");
    rill_velocities *v = NULL;
    cr_expect_eq(rill_velocities_read("none.csv", 0, &v), RILL_USAGE);
    expect_message("cannot read the velocities none.csv");
    cr_assert_eq(mkfifo("f.csv", 0600), 0);
    cr_expect_eq(rill_velocities_read("f.csv", 0, &v), RILL_USAGE);
    expect_message("not a regular file");
}

Test(velocities, rows_without_end_are_refused)
{
    rill_velocities *v = NULL;
    FILE *file = fopen("v.csv", "w");
    cr_assert(file);
    fputs(HEADER "\n", file);
    for (int k = 0; k <= RILL_VELOCITY_POINTS; k++) fputs("1,2,3,4,5,6\n", file);
    cr_assert_eq(fclose(file), 0);
    cr_expect_eq(rill_velocities_read("v.csv", 0, &v), RILL_USAGE);
    expect_message("more than 2000000 rows");
}

/* ---- the profile ------------------------------------------------------------------------------ */

enum { CORNERS = 360 };
static const double E[3] = {2.0 / 3, -1.0 / 3, 2.0 / 3}, F[3] = {2.0 / 3, 2.0 / 3, -1.0 / 3},
                    N[3] = {-1.0 / 3, 2.0 / 3, 2.0 / 3};
#define RADIUS 0.01
#define EXTENSION 0.012

/* A circle on a plane that is not along the lattice, whose surface ends 12 mm further in. */
static rill_opening circle(double (*places)[3])
{
    rill_opening o = {.name = "in",
                      .area = M_PI * RADIUS * RADIUS,
                      .hydraulic_diameter = 2 * RADIUS,
                      .extension = EXTENSION,
                      .centre = {0.1, -0.2, 0.3},
                      .outline_count = CORNERS,
                      .outline = places};
    for (int a = 0; a < 3; a++) {
        o.normal[a] = o.axis[a] = N[a];
        for (int k = 0; k < CORNERS; k++)
            places[k][a] = o.centre[a] +
                           RADIUS * (cos(2 * M_PI * k / CORNERS) * E[a] + sin(2 * M_PI * k / CORNERS) * F[a]);
    }
    return o;
}

/* A parabola along the vessel with a swirl around its axis, and a pulse: mean velocity 0.2 m/s. */
static void velocity(double y, double z, double phase, double u[3])
{
    const double mean = 0.2 * (1 + 0.6 * cos(phase - 0.5)),
                 along = 2 * mean * (1 - (y * y + z * z) / RADIUS / RADIUS),
                 turn = 0.1 * (1 - (y * y + z * z) / RADIUS / RADIUS) / RADIUS;
    for (int a = 0; a < 3; a++) u[a] = along * N[a] + turn * (y * F[a] - z * E[a]);
}

/* Write points on a grid of a spacing; `slope` tilts their plane, `layers` of a volume. */
static void write_points(double spacing, double slope, int layers, int times)
{
    FILE *file = fopen("v.csv", "w");
    cr_assert(file);
    fprintf(file, HEADER ", time [ms]\n");
    for (int k = 0; k < times; k++)
        for (int l = -layers; l <= layers; l++)
            for (double y = -1.3 * RADIUS; y <= 1.3 * RADIUS; y += spacing)
                for (double z = -1.29 * RADIUS; z <= 1.3 * RADIUS; z += spacing) {
                    double u[3] = {0, 0, 0};
                    if (hypot(y, z) < RADIUS) velocity(y, z, 2 * M_PI * k / times, u);
                    const double s = EXTENSION + slope * (y + RADIUS) + 0.9 * spacing * l;
                    for (int a = 0; a < 3; a++)
                        fprintf(file, "%.9g,",
                                1e3 * ((const double[]){0.1, -0.2, 0.3}[a] + y * E[a] + z * F[a] + s * N[a]));
                    fprintf(file, "%.9g,%.9g,%.9g,%.9g\n", u[0], u[1], u[2], 800.0 * k / times);
                }
    cr_assert_eq(fclose(file), 0);
}

static rill_profile *measure(const rill_opening *o)
{
    rill_velocities *v = NULL;
    rill_profile *p = NULL;
    cr_assert_eq(rill_velocities_read("v.csv", 0, &v), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_profile_measure(v, o, 12, &p), RILL_OK, "%s", rill_error_message());
    rill_velocities_destroy(v);
    return p;
}

/* Return the largest deviation of the vectors of a profile from those of the points, m/s. */
static double deviation(const rill_profile *p, double phase)
{
    double worst = 0;
    for (double s = 0; s < 0.99; s += 0.031) {
        const double y = RADIUS * s * cos(17 * s), z = RADIUS * s * sin(17 * s);
        double x[3], wanted[3], found[3] = {0, 0, 0};
        for (int a = 0; a < 3; a++) x[a] = p->centre[a] + y * E[a] + z * F[a];
        velocity(y, z, phase, wanted);
        for (int k = 0; k < p->count; k++) {
            double complex u[3];
            rill_profile_vector_at(p, k, x, u);
            const double factor = k ? 1 : creal(p->own[0]) / (M_PI * RADIUS * RADIUS);
            for (int a = 0; a < 3; a++) found[a] += factor * creal(u[a] * cexp(I * k * phase));
        }
        for (int a = 0; a < 3; a++) worst = fmax(worst, fabs(found[a] - wanted[a]));
    }
    return worst;
}

/* On planes straight and oblique, and in a volume. The swirl is of third order in y and z: it shows the
 * order. */
Test(velocities, profile_is_that_of_the_points)
{
    static double places[CORNERS][3];
    const rill_opening o = circle(places);
    for (int kind = 0; kind < 3; kind++) {
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            write_points((fine ? 0.1 : 0.2) * RADIUS, kind == 1 ? 0.99 : 0, kind == 2 ? 5 : 0, 1);
            rill_profile *p = measure(&o);
            cr_expect_float_eq(creal(p->own[0]), 0.2 * M_PI * RADIUS * RADIUS * (1 + 0.6 * cos(0.5)),
                               (kind == 2 ? 5e-3 : 2e-3) * 0.2 * M_PI * RADIUS * RADIUS, "%d: %g", kind,
                               creal(p->own[0]));
            cr_expect_gt(p->coverage, 0.99, "%d: %g", kind, p->coverage);
            cr_expect_null(p->wave);
            error[fine] = deviation(p, 0);
            rill_profile_destroy(p);
        }
        cr_expect_lt(error[0], 2e-3, "%d: %g m/s", kind, error[0]);
        cr_expect_lt(error[1], 5e-4, "%d: %g m/s", kind, error[1]);
        /* In a volume what lies between grid points is as much. */
        cr_expect_gt(error[0] / error[1], kind == 2 ? 1.5 : 3, "%d: %g and %g m/s", kind, error[0], error[1]);
    }
}

Test(velocities, harmonics_are_those_of_the_points)
{
    static double places[CORNERS][3];
    const rill_opening o = circle(places);
    write_points(0.1 * RADIUS, 0, 0, 8);
    rill_profile *p = measure(&o);
    cr_assert_not_null(p->wave);
    cr_expect_float_eq(p->wave->period, 0.8, 1e-9);
    cr_expect_eq(p->times, 8);
    cr_assert_eq(p->count, 2, "%d", p->count); /* a cosine has one harmonic */
    /* A spline through eight values of a cosine has 0.9996 of its first harmonic. */
    for (double phase = 0; phase < 6; phase += 0.7)
        cr_expect_lt(deviation(p, phase), 2e-3, "%g: %g m/s", phase, deviation(p, phase));
    rill_profile_destroy(p);
}

Test(velocities, points_elsewhere_are_refused)
{
    static double places[CORNERS][3];
    rill_opening o = circle(places);
    rill_velocities *v = NULL;
    rill_profile *p = NULL;
    write_points(0.1 * RADIUS, 0, 0, 1);
    cr_assert_eq(rill_velocities_read("v.csv", 0, &v), RILL_OK, "%s", rill_error_message());
    for (uint32_t k = 0; k < v->count; k++) v->points[k].x[2] += 0.05f;
    cr_expect_eq(rill_profile_measure(v, &o, 12, &p), RILL_USAGE);
    expect_message("0 of 676 points of a time lie in the opening in, and at least 8 are needed");
    for (uint32_t k = 0; k < v->count; k++) v->points[k].x[2] -= 0.05f;
    for (uint32_t k = 0; k < v->count; k++)
        for (int a = 0; a < 3; a++) v->points[k].u[a] *= -1;
    cr_expect_eq(rill_profile_measure(v, &o, 12, &p), RILL_USAGE);
    expect_message("mL/s through the opening in in the mean, and an inlet needs a flow into the vessel");
    for (uint32_t k = 0; k < v->count; k++)
        for (int a = 0; a < 3; a++) v->points[k].u[a] = 0;
    cr_expect_eq(rill_profile_measure(v, &o, 12, &p), RILL_USAGE);
    rill_velocities_destroy(v);
}

/* ---- runs ------------------------------------------------------------------------------------- */

#define AREA (M_PI * 2e-3 * 2e-3)

/* A parabola along z with a part that flows back where x is negative, for the pipe of vessel_pipe(), m/s. */
static void write_pipe(double mean, double back, int times)
{
    FILE *file = fopen("v.csv", "w");
    cr_assert(file);
    fprintf(file, times > 1 ? HEADER ", time [s]\n" : HEADER "\n");
    for (int k = 0; k < times; k++)
        for (double x = -1.95; x < 2; x += 0.3)
            for (double y = -1.95; y < 2; y += 0.3) {
                const double square = (x * x + y * y) / 4;
                if (square >= 1) continue;
                fprintf(file, "%g,%g,0,0,0,%.9g", x, y,
                        mean * (1 + 0.5 * sin(2 * M_PI * k / times)) * 2 * (1 - square) * (1 + back * x / 2));
                fprintf(file, times > 1 ? ",%g\n" : "\n", 0.02 * k / times);
            }
    cr_assert_eq(fclose(file), 0);
}

static void write_case(const char *inlet, const char *run)
{
    vessel_write("v.yaml",
                 "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
                 "  in: {kind: inlet, %s}\n  out: {kind: pressure, pressure: 0 Pa}\nrun: {%s}\n",
                 inlet, run);
}

enum { STEPS = 300 };

/* Return the velocities after some steps. */
static double *velocities_of(const char *inlet, uint64_t *nodes)
{
    write_case(inlet, "duration: 50 ms, soft-start: 0.1 ms");
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    *nodes = r.plan.nodes;
    double *u = calloc(3 * *nodes, sizeof *u);
    cr_assert(u);
    cr_assert_eq(rill_sim_step(r.vessel->sim, STEPS), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_sim_moments(r.vessel->sim, 0, (rill_node)*nodes, NULL, u), RILL_OK);
    vessel_free(&r);
    return u;
}

Test(velocities, a_parabola_runs_as_the_built_in_one)
{
    uint64_t nodes;
    double wrong = 0, all = 0;
    vessel_extension = 0.5;
    vessel_pipe(0.4e-3, 40);
    write_pipe(0.1, 0, 1);
    double *built = velocities_of("flow: 60 mL/min, profile: parabolic", &nodes),
           *file = velocities_of("flow: 60 mL/min, velocities: v.csv", &nodes);
    for (uint64_t k = 0; k < 3 * nodes; k++) {
        wrong += (built[k] - file[k]) * (built[k] - file[k]);
        all += built[k] * built[k];
    }
    cr_expect_gt(all, 0);
    cr_expect_lt(sqrt(wrong / all), 1e-3, "%g", sqrt(wrong / all));
    free(built);
    free(file);
}

/* Velocity along the pipe at a place, m, and a time, s: a parabola whose maximum runs around the axis. */
static double turning(const double x[2], double time)
{
    const double angle = 2 * M_PI * time / 0.2, square = (x[0] * x[0] + x[1] * x[1]) / 4e-6;
    if (square >= 1) return 0;
    return 0.1 * (1 - square) * (1 + 0.6 * (x[0] * cos(angle) + x[1] * sin(angle)) / 2e-3);
}

static void write_turning(void)
{
    enum { TIMES = 16 };
    FILE *file = fopen("v.csv", "w");
    cr_assert(file);
    fprintf(file, HEADER ", time [s]\n");
    for (int k = 0; k < TIMES; k++)
        for (double x = -1.95; x < 2; x += 0.3)
            for (double y = -1.95; y < 2; y += 0.3) {
                const double time = 0.2 * k / TIMES, at[2] = {1e-3 * x, 1e-3 * y};
                if (x * x + y * y < 4) fprintf(file, "%g,%g,0,0,0,%.9g,%g\n", x, y, turning(at, time), time);
            }
    cr_assert_eq(fclose(file), 0);
}

/* Return the L2 error of the velocity along the pipe in the first layer of nodes behind the inlet. */
static double entering_error(const vessel_run *r)
{
    const uint64_t voxels = rill_geom_voxels(r->geom), slice = (uint64_t)r->geom->n[0] * r->geom->n[1];
    const double time = vessel_time(r);
    double wrong = 0, all = 0;
    uint64_t layer = 0;
    float *pressure = calloc(4 * voxels, sizeof *pressure), *u = pressure + voxels;
    cr_assert(pressure);
    cr_assert_eq(rill_vessel_fields(r->vessel, pressure, u), RILL_OK, "%s", rill_error_message());
    for (uint64_t z = 0; z < r->geom->n[2] && all == 0; z++)
        for (layer = z * slice; layer < (z + 1) * slice; layer++) {
            const uint64_t place = layer - z * slice;
            const double at[2] = {
                r->geom->origin[0] + r->geom->spacing * ((double)(place % r->geom->n[0]) + 0.5),
                r->geom->origin[1] + r->geom->spacing * ((double)(place / r->geom->n[0]) + 0.5)};
            const double own = (double)u[2 * voxels + layer];
            if (!(own != 0)) continue; /* solid */
            wrong += pow(own - turning(at, time), 2);
            all += pow(turning(at, time), 2);
        }
    free(pressure);
    return sqrt(wrong / all);
}

/* Half a voxel behind the inlet the flow is that of the file, in space and in time. */
Test(velocities, a_profile_that_turns_enters_as_it_is)
{
    double flow, pressure;
    vessel_extension = 0.5;
    vessel_pipe(0.3e-3, 0);
    write_turning();
    write_case("velocities: v.csv, flow: from-file", "cycles: 2");
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    vessel_record(&r);
    cr_assert_eq(rill_sim_step(r.vessel->sim, r.plan.start.lead), RILL_OK, "%s", rill_error_message());
    for (int k = 0; k < 5; k++) {
        cr_assert_eq(rill_sim_step(r.vessel->sim, r.plan.cycle_steps / 5), RILL_OK, "%s",
                     rill_error_message());
        vessel_look(&r, "in", &flow, &pressure);
        const double error = entering_error(&r), exact = 0.05 * AREA;
        cr_expect_float_eq(flow, exact, 3e-3 * exact, "%g of %g m3/s", flow, exact);
        cr_expect_lt(error, 0.03, "%g at %g s", error, vessel_time(&r));
    }
    vessel_free(&r);
}

/* Step a case, and compare the flow through the links of its inlet. */
static void expect_flow(const char *inlet, double (*wanted)(double time), double tolerance)
{
    double worst = 0, most = 0;
    write_case(inlet, "cycles: 1, start: rest, soft-start: 0.1 ms, mach: 0.2");
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    vessel_record(&r);
    for (int k = 0; k < 40; k++) {
        double flow, pressure;
        cr_assert_eq(rill_sim_step(r.vessel->sim, 7), RILL_OK, "%s", rill_error_message());
        vessel_look(&r, "in", &flow, &pressure);
        if (rill_sim_steps(r.vessel->sim) <= r.plan.start.soft) continue;
        worst = fmax(worst, fabs(flow - wanted(vessel_time(&r))));
        most = fmax(most, fabs(flow));
    }
    cr_expect_gt(most, 0);
    cr_expect_lt(worst / most, tolerance, "%s: %g of %g mL/s", inlet, 1e6 * worst, 1e6 * most);
    vessel_free(&r);
}

static double pulse(double time, double mean) { return mean * (1 + 0.5 * sin(2 * M_PI * time / 0.02)); }
static double of_file(double time) { return pulse(time, 0.1 * AREA); }
static double scaled(double time) { return pulse(time, 2e-6); }
static double other(double time) { return 1e-6 * (1 + 0.3 * cos(2 * M_PI * time / 0.02)); }

/* The file's own flow is within what its points and times say; a given one is exact. */
Test(velocities, flow_is_that_of_the_file_or_of_the_case)
{
    FILE *file = fopen("wave.csv", "w");
    cr_assert(file);
    fprintf(file, "time [s], flow [mL/s]\n");
    for (int k = 0; k <= 32; k++) fprintf(file, "%.9g, %.9g\n", 0.02 * k / 32, 1e6 * other(0.02 * k / 32));
    cr_assert_eq(fclose(file), 0);
    vessel_extension = 0.5;
    vessel_pipe(0.4e-3, 0);
    write_pipe(0.1, 0.3, 16);
    expect_flow("velocities: v.csv, flow: from-file", of_file, 5e-3);
    expect_flow("velocities: v.csv, flow: 2 mL/s", scaled, 2e-3);
    expect_flow("velocities: v.csv, waveform: wave.csv", other, 1e-3);
}

/* A steady flow of which a part leaves through the inlet: it is made flat, and its flow stays. */
Test(velocities, outflow_through_the_inlet_is_limited)
{
    double flow, pressure;
    vessel_extension = 0.5;
    vessel_pipe(0.4e-3, 0);
    write_pipe(0.4, 2.5, 1);
    write_case("velocities: v.csv, flow: 4 mL/s", "duration: 50 ms, soft-start: 0.1 ms, collision: cumulant");
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    const rill_case_plan_opening *o = &r.plan.openings[vessel_opening(&r, "in")];
    const double limit = RILL_CELL_OUTWARD * 4e-6 / 0.4e-3;
    cr_expect(o->kept > 0.1 && o->kept < 0.9, "%g", o->kept);
    cr_expect_gt(o->outward, 1.5 * limit);
    bool told = false;
    for (int k = 0; k < r.plan.verdict_count; k++)
        told |= strstr(r.plan.verdicts[k].text, "in keeps") != NULL;
    cr_expect(told);
    vessel_record(&r);
    cr_assert_eq(rill_sim_step(r.vessel->sim, 100), RILL_OK, "%s", rill_error_message());
    vessel_look(&r, "in", &flow, &pressure);
    cr_expect_float_eq(flow, 4e-6, 1e-6 * 4e-6, "%g", flow);
    vessel_free(&r);
}

/* ---- the case --------------------------------------------------------------------------------- */

Test(velocities, cases_that_contradict_themselves_are_refused)
{
    static const struct {
        const char *inlet, *part;
    } wrong[] = {
        {"flow: from-file", "flow: from-file is that of a file of velocities"},
        {"velocities: v.csv", "it must be given a flow"},
        {"velocities: v.csv, flow: from-file, waveform: wave.csv", "flow: from-file and a waveform"},
        {"velocities: v.csv, flow: 1 mL/s, profile: flat", "profile and velocities"},
        {"velocities: v.csv, peak-velocity: 1 m/s", "peak-velocity and velocities"},
        {"velocities: v.csv, waveform: peak.csv", "peak-velocity, which does not go with velocities"},
        {"velocities: v.csv, flow: from-files", "flow of opening in"},
        {"velocities: v.csv, flow: 2 m3/s", "at most 1 m3/s"},
        {"velocities: ../v.csv, flow: 1 mL/s", "outside"},
        {"velocities: none.csv, flow: 1 mL/s", "cannot read the velocities"},
        {"velocities: t.csv, waveform: wave.csv", "they must be the same"}};
    rill_case *c = NULL;
    write_pipe(0.1, 0, 1);
    vessel_write("wave.csv", "time [s], flow [mL/s]\n0,1\n1,2\n2,1\n3,1\n");
    vessel_write("peak.csv", "time [s], peak-velocity [m/s]\n0,1\n1,2\n2,1\n3,1\n");
    vessel_write("t.csv", HEADER ", time [s]\n1,2,3,4,5,6,0\n1,2,3,4,5,6,1\n1,2,3,4,5,6,2\n1,2,3,4,5,6,3\n");
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        write_case(wrong[k].inlet, "mach: 0.1");
        cr_expect_neq(rill_case_read("v.yaml", &c), RILL_OK, "taken: %s", wrong[k].inlet);
        expect_message(wrong[k].part);
    }
}
