/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything in memory, with nothing but the installed library: no file is read or written.
 *
 *     cc arrays.c $(pkg-config --cflags --libs rill) -lm -o arrays && ./arrays
 *
 * First the permeability of a duct that is an array of voxels, with the velocity on the whole box. Then
 * steady flow through a pipe that is an array of triangles, with velocity, pressure and wall shear stress.
 * Control-C cancels.
 */
#include <math.h>
#include <rill.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile sig_atomic_t cancelled;

static void on_signal(int number)
{
    (void)number;
    cancelled = 1;
}

static bool show(void *context, const rill_progress_moment *moment)
{
    (void)context;
    fprintf(stderr, "%s\n", moment->what);
    return !cancelled;
}

static const rill_progress progress = {show, NULL};

/* ---- voxels ---- */

enum { WIDTH = 12, LENGTH = 8 };

static float velocity[WIDTH * WIDTH * LENGTH];

/* Called at the end of the run along each axis: u_z on the whole box. */
static rill_status keep_velocity(void *context, const rill_permeability_flow *run, rill_node nodes,
                                 const float *rho, const float *u)
{
    (void)run;
    (void)rho;
    return rill_geom_image(context, u + 2 * (size_t)nodes, nodes, 0, velocity);
}

static void print_duct(const rill_permeability *result)
{
    double sum = 0;
    for (int v = 0; v < WIDTH * WIDTH * LENGTH; v++) sum += (double)velocity[v];
    const double mean = sum / (WIDTH * WIDTH * LENGTH), k = result->plan.nu * mean / result->plan.force;
    printf("duct: k = %.6g lu, from the velocity %.6g lu\n", result->k[2][2], k);
}

/* A square duct along z. */
static rill_status duct(void)
{
    static unsigned char voxels[LENGTH][WIDTH][WIDTH];
    rill_geom *geom = NULL;
    rill_permeability_answer answer = {.computed = false};
    rill_permeability_options options = rill_permeability_options_default();
    rill_voxelize_options how = rill_voxelize_options_default();
    for (int z = 0; z < LENGTH; z++)
        for (int y = 2; y < WIDTH - 2; y++)
            for (int x = 2; x < WIDTH - 2; x++) voxels[z][y][x] = 1;
    how.image.type = RILL_GREY_BOOL; /* True is pore */
    how.image.n[0] = how.image.n[1] = WIDTH;
    how.image.n[2] = LENGTH;
    options.finished = keep_velocity;
    options.progress = progress;
    rill_status status = rill_array_voxelize(voxels, &how, progress, &geom, NULL);
    options.context = geom;
    if (status == RILL_OK)
        status =
            rill_permeability_run(geom, &options, &(rill_permeability_request){.plan_only = false}, &answer);
    if (status == RILL_OK) print_duct(&answer.result);
    rill_permeability_answer_free(&answer);
    rill_geom_destroy(geom);
    return status;
}

/* ---- triangles ---- */

enum { AROUND = 32, RINGS = 9, VERTICES = AROUND * RINGS, TRIANGLES = 2 * AROUND * (RINGS - 1) };

static const double RADIUS = 1, HEIGHT = 4; /* mm */

static const char text[] = "geometry: memory\n"
                           "fluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\n"
                           "openings:\n"
                           "  in: {kind: inlet, flow: 0.1 mL/s, profile: parabolic}\n"
                           "  out: {kind: pressure, pressure: 0 Pa}\n"
                           "run: {mach: 0.1, tolerance: 0.002}\n";

/* A tube along z that is open at both ends. */
static rill_status pipe_make(rill_geom **out)
{
    static double vertices[VERTICES][3];
    static uint32_t triangles[TRIANGLES][3];
    static const char *const names[] = {"0mm,0mm,0mm=in", "0mm,0mm,4mm=out"};
    rill_surface_options options = rill_surface_options_default();
    for (uint32_t v = 0; v < VERTICES; v++) {
        const double angle = 2 * acos(-1) * (v % AROUND) / AROUND;
        vertices[v][0] = RADIUS * cos(angle);
        vertices[v][1] = RADIUS * sin(angle);
        vertices[v][2] = HEIGHT * (v / AROUND) / (RINGS - 1);
    }
    for (uint32_t k = 0; k < TRIANGLES / 2; k++) {
        const uint32_t a = k, b = k / AROUND * AROUND + (k + 1) % AROUND;
        const uint32_t both[2][3] = {{a, b, b + AROUND}, {a, b + AROUND, a + AROUND}};
        for (int i = 0; i < 6; i++) triangles[2 * k + i / 3][i % 3] = both[i / 3][i % 3];
    }
    const rill_triangles surface = {.vertices = (const double(*)[3])vertices,
                                    .vertex_count = VERTICES,
                                    .triangles = (const uint32_t(*)[3])triangles,
                                    .triangle_count = TRIANGLES};
    options.unit = 1e-3;
    options.spacing = 0.2e-3;
    options.names = names;
    options.name_count = 2;
    return rill_triangles_voxelize(&surface, &options, progress, out);
}

/* The flow through the plane in the middle, and the mean wall shear of the triangles. */
static rill_status print_pipe(rill_vessel *vessel, const rill_geom *geom)
{
    const size_t plane = (size_t)geom->n[0] * geom->n[1], voxels = plane * geom->n[2];
    const size_t triangles = (size_t)geom->surface->triangle_count;
    float *u = malloc(4 * voxels * sizeof *u), *pressure = u + 3 * voxels;
    float *tawss = malloc(2 * triangles * sizeof *tawss), *osi = tawss + triangles;
    rill_status status = u && tawss ? RILL_OK : RILL_SYSTEM;
    if (status == RILL_OK) status = rill_vessel_fields(vessel, pressure, u);
    if (status == RILL_OK) status = rill_vessel_wall_shear(vessel, tawss, osi);
    if (status == RILL_OK) {
        double flow = 0, shear = 0, highest = 0;
        size_t count = 0;
        for (size_t k = 0; k < plane; k++) flow += (double)u[2 * voxels + geom->n[2] / 2 * plane + k];
        for (size_t v = 0; v < voxels; v++) highest = fmax(highest, (double)pressure[v]);
        for (size_t t = 0; t < triangles; t++)
            if (!isnan(tawss[t])) shear += (double)tawss[t], count++;
        printf("pipe: flow %.5g mL/s, wall shear %.5g Pa on %zu of %zu triangles, pressure up to %.5g Pa\n",
               1e6 * flow * geom->spacing * geom->spacing, shear / (double)count, count, triangles, highest);
    }
    free(tawss);
    free(u);
    return status;
}

static rill_status pipe_flow(void)
{
    rill_geom *geom = NULL;
    rill_case *given = NULL;
    rill_vessel *vessel = NULL;
    static rill_case_plan plan;
    static rill_run_result result;
    const rill_case_plan_options where = {.on.backend = RILL_BACKEND_AUTO};
    const rill_run_options how = {.directory = NULL, .progress = progress};
    rill_status status = pipe_make(&geom);
    if (status == RILL_OK) status = rill_case_read_text(text, "pipe", &given);
    if (status == RILL_OK) status = rill_case_plan_make(given, geom, &where, &plan);
    if (status == RILL_OK) status = rill_case_plan_accept(&plan);
    if (status == RILL_OK) status = rill_vessel_create(given, geom, &plan, &vessel);
    if (status == RILL_OK) status = rill_case_run(vessel, &how, &result);
    if (status == RILL_OK) status = print_pipe(vessel, geom);
    rill_vessel_destroy(vessel);
    rill_case_plan_free(&plan);
    rill_case_destroy(given);
    rill_geom_destroy(geom);
    return status;
}

int main(void)
{
    signal(SIGINT, on_signal);
    rill_status status = duct();
    if (status == RILL_OK) status = pipe_flow();
    if (status != RILL_OK) fprintf(stderr, "arrays: %s\n", rill_error_message());
    return status;
}
