/* SPDX-License-Identifier: Apache-2.0 */
#include "membrane/run.h"

#include "core/memory.h"
#include "core/status.h"
#include "io/fields.h"
#include "io/result.h"
#include "io/wall_file.h"
#include "kernel/variant.h"
#include "membrane/limit.h"
#include "membrane/membrane.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Speed of the plates above which the fluid is compressible. */
#define SPEED_MOST 0.1

/* A radius below which nothing is left of a sphere, and an edge above which fluid passes between vertices,
 * voxels.
 */
#define RADIUS_LEAST 2.0
#define EDGE_MOST 2.5

/* Rows of the series in a unit of strain. */
enum { ROWS = 20 };

/* A case that runs. */
typedef struct run {
    const rill_capsule_case *given;
    rill_capsule_scales scales;
    rill_geom *geom;
    rill_domain *domain;
    rill_sim *sim;
    rill_membrane_mesh mesh;
    uint32_t (*triangles)[3]; /* of all capsules */
    rill_membranes *membranes;
    double (*stress)[RILL_MEMBRANE_STRESS]; /* of each capsule */
    rill_membrane_shape rest;
    rill_result *result;
    rill_step_run steps;
    rill_capsule_outcome *out;
} run;

static rill_status check(const rill_capsule_case *c)
{
    const struct {
        const char *name;
        double value;
        bool zero; /* is allowed */
    } all[] = {{"radius", c->radius, false},
               {"capillary number", c->capillary, false},
               {"Reynolds number", c->reynolds, false},
               {"strain", c->strain, false},
               {"bending stiffness", c->bending, true},
               {"dilatation parameter", c->dilatation, true},
               {"volume stiffness", c->volume, true},
               {"area stiffness", c->area, true},
               {"strain between files", c->every, true}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!(all[k].value > 0 || (all[k].zero && all[k].value == 0)) || !isfinite(all[k].value))
            return rill_fail(RILL_USAGE, "%s %g is not a number %s 0", all[k].name, all[k].value,
                             all[k].zero ? "from" : "above");
    if (!(c->tau > 0.5) || !isfinite(c->tau)) return rill_fail(RILL_USAGE, "tau %g is not above 0.5", c->tau);
    if (c->radius < RADIUS_LEAST)
        return rill_fail(RILL_USAGE,
                         "radius %g is too small to resolve a capsule: take %g voxels or more, such as 6",
                         c->radius, RADIUS_LEAST);
    if ((double)c->n[0] * c->n[1] * c->n[2] > UINT32_MAX - 1.0)
        return rill_fail(RILL_USAGE, "%u x %u x %u nodes are more than %u: make the box smaller", c->n[0],
                         c->n[1], c->n[2], UINT32_MAX - 1);
    for (int a = 0; a < 3; a++)
        if (2 * c->radius + 4 > c->n[a])
            return rill_fail(
                RILL_USAGE,
                "a capsule of radius %g needs %g voxels along %c, of which there are %u: make the box larger (10 radii and more are usual)",
                c->radius, ceil(2 * c->radius + 4), rill_axis(a), c->n[a]);
    return RILL_OK;
}

/* Find rows, columns and layers: along an axis as many as there, and as far apart, as its length allows. */
static rill_status rows_find(const rill_capsule_case *c, uint32_t rows[3])
{
    const double apart =
        2 * (c->radius + fmax(RILL_CONTACT_RANGE, 2)); /* 2: as check() has for one capsule */
    rows[0] = rows[1] = rows[2] = 1;
    while ((uint64_t)rows[0] * rows[1] * rows[2] < c->count) {
        int widest = -1; /* of the axes that have room for one more */
        for (int a = 0; a < 3; a++)
            if (c->n[a] >= apart * (rows[a] + 1.0) &&
                (widest < 0 || (double)c->n[a] / rows[a] > (double)c->n[widest] / rows[widest]))
                widest = a;
        if (widest < 0)
            return rill_fail(
                RILL_USAGE,
                "%u capsules of radius %g do not fit into the box, %g voxels apart from middle to middle: make the box larger, or lower --count",
                c->count, c->radius, apart);
        rows[widest]++;
    }
    return RILL_OK;
}

/* Mean edge of equal triangles on a sphere. */
static double edge_of(double radius, int level)
{
    return radius * sqrt(16 * M_PI / sqrt(3) / (20 * pow(4, level)));
}

int rill_capsule_level(double radius)
{
    int level = 0;
    while (level < RILL_MEMBRANE_LEVELS && edge_of(radius, level) > RILL_CAPSULE_EDGE) level++;
    return level;
}

double rill_capsule_excess(const rill_capsule_case *given)
{
    const bool measured = given->width == 2 && given->shape == RILL_CAPSULE_SPHERE && given->count <= 1;
    return measured ? 1.4 / (given->radius * given->radius) : NAN;
}

rill_status rill_capsule_scale(const rill_capsule_case *c, rill_capsule_scales *out)
{
    rill_status status = RILL_OK;
    const double nu = (c->tau - 0.5) / 3;
    RILL_TRY(check(c));
    RILL_TRY(rows_find(c, out->rows));
    out->rate = c->reynolds * nu / (c->radius * c->radius);
    out->speed = out->rate * c->n[2] / 2;
    out->shear = nu * out->rate * c->radius / c->capillary;
    const double steps = ceil(c->strain / out->rate), every = c->every / out->rate;
    if (!(steps < 1e12))
        RILL_TRY(rill_fail(RILL_USAGE, "a strain of %g takes %.3g time steps: raise --re or --tau", c->strain,
                           steps));
    if (out->speed > SPEED_MOST)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "the plates would move at %.3g voxels per step, above %g where flow is compressible: lower --re below %.3g, or --tau, or --nz",
            out->speed, SPEED_MOST, c->reynolds * SPEED_MOST / out->speed));
    out->edge = edge_of(c->radius, c->level);
    if (out->edge > EDGE_MOST)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "edges of %.2g voxels are longer than %g: fluid would pass between vertices; take --level %d",
            out->edge, EDGE_MOST, rill_capsule_level(c->radius)));
    out->plan.steps = (uint64_t)steps;
    out->plan.every = c->every > 0 ? (uint64_t)fmin(fmax(1, round(every)), steps + 1) : 0;
    out->plan.row = (uint64_t)fmin(fmax(1, round(1 / (ROWS * out->rate))), steps);
    out->vertices = 10U * (1U << 2 * (unsigned)c->level) + 2U;
    out->triangles = 20U << 2 * (unsigned)c->level;
done:
    return status;
}

/* Let the plates move, and the fluid between them as it would without a capsule. */
static rill_status shear_begin(run *r)
{
    enum { some = 1 << 16 };
    rill_status status = RILL_OK;
    const rill_capsule_case *c = r->given;
    rill_boundary *plate = NULL;
    double *values = NULL;
    for (int end = -1; end <= 1; end += 2) {
        int patch;
        RILL_TRY(rill_boundary_create_face(r->domain, 2, end, &plate));
        RILL_TRY(rill_boundary_set_velocity(plate, (const double[3]){end * r->scales.speed, 0, 0}));
        RILL_TRY(rill_sim_boundary_add(r->sim, plate, &patch));
        rill_boundary_destroy(plate);
        plate = NULL;
    }
    const rill_node nodes = (rill_node)rill_domain_nodes(r->domain), plane = c->n[0] * c->n[1];
    RILL_TRY(
        rill_array_create(4 * (uint64_t)some, sizeof *values, "the flow at the start", (void **)&values));
    for (rill_node first = 0; first < nodes; first += some) {
        const rill_node count = nodes - first < some ? nodes - first : some;
        memset(values, 0, 4 * (size_t)count * sizeof *values);
        for (rill_node k = 0; k < count; k++)
            values[count + k] = r->scales.rate * ((first + k) / plane + 0.5 - c->n[2] / 2.0);
        RILL_TRY(rill_sim_set_moments_of(r->sim, first, count, values, values + count));
        if (nodes - first <= some) break; /* 32 bits may not hold the next one */
    }
done:
    rill_boundary_destroy(plate);
    rill_array_destroy(values);
    return status;
}

static uint32_t count_of(const rill_capsule_case *c) { return c->count > 1 ? c->count : 1; }

/* Put capsules into the middle of their positions in the box, x first, and number the triangles of all. */
static rill_status capsules_place(run *r, double (**centres)[3])
{
    rill_status status = RILL_OK;
    const uint32_t *n = r->given->n, *rows = r->scales.rows, count = count_of(r->given),
                   triangles = r->mesh.triangle_count, vertices = r->mesh.vertex_count;
    if ((uint64_t)count * triangles > UINT32_MAX)
        RILL_TRY(rill_fail(RILL_USAGE,
                           "%u capsules of %u triangles are more triangles than %u: lower --level", count,
                           triangles, UINT32_MAX));
    RILL_TRY(rill_array_create(count, sizeof **centres, "the positions of capsules", (void **)centres));
    RILL_TRY(rill_array_create((uint64_t)count * triangles, sizeof *r->triangles, "the triangles of capsules",
                               (void **)&r->triangles));
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t place[3] = {k % rows[0], k / rows[0] % rows[1], k / rows[0] / rows[1]};
        for (int a = 0; a < 3; a++) (*centres)[k][a] = n[a] * (place[a] + 0.5) / rows[a];
        for (uint32_t t = 0; t < triangles; t++)
            for (int a = 0; a < 3; a++)
                r->triangles[(uint64_t)k * triangles + t][a] = k * vertices + r->mesh.triangles[t][a];
    }
done:
    return status;
}

/* Refuse a membrane that would diverge, before the first step. */
static rill_status stiffness_check(run *r)
{
    const double most = rill_membrane_stiffness_most(r->given->tau);
    double stiffness;
    const rill_status status = rill_membranes_stiffness(r->membranes, r->given->progress, &stiffness);
    if (status != RILL_OK || stiffness <= most) return status;
    return rill_fail(
        RILL_USAGE,
        "the membrane is too stiff for the time step, and would diverge: its stiffness is %.3g, above %g. "
        "Lower --re to %.2g or less, which makes time steps shorter, or lower --dilatation, --area, --volume or --bending",
        stiffness, most, 0.95 * r->given->reynolds * most / stiffness); /* two digits of it are below */
}

static rill_status begin(run *r)
{
    rill_status status = RILL_OK;
    const rill_capsule_case *c = r->given;
    rill_sim_options o = rill_sim_options_default();
    double(*centres)[3] = NULL;
    RILL_TRY(rill_capsule_scale(c, &r->scales));
    RILL_TRY(c->shape == RILL_CAPSULE_SPHERE ? rill_membrane_mesh_sphere(c->radius, c->level, &r->mesh)
                                             : rill_membrane_mesh_red_cell(c->radius, c->level, &r->mesh));
    r->rest = rill_membrane_shape_of(&r->mesh, (const double(*)[3])r->mesh.vertices);
    RILL_TRY(rill_geom_create(c->n, &r->geom));
    memset(r->geom->voxels, RILL_FLUID, rill_geom_voxels(r->geom));
    r->geom->sides[2] = RILL_WALL;
    RILL_TRY(rill_domain_create(r->geom, &(rill_domain_options){RILL_D3Q19, -1, c->progress}, &r->domain));
    o.variant.equilibrium = RILL_SECOND_ORDER;
    o.variant.collision = RILL_TRT;
    o.variant.stream = c->stream;
    o.variant.storage = c->storage;
    o.variant.shift = c->shift;
    if (c->backend == RILL_BACKEND_CUDA) o.variant.addressing = RILL_BITMAP; /* less memory than a list */
    o.on.backend = c->backend == RILL_BACKEND_CUDA ? RILL_BACKEND_CUDA : RILL_BACKEND_CPU;
    o.tau = c->tau;
    RILL_TRY(rill_sim_create(r->domain, &o, &r->sim));
    RILL_TRY(shear_begin(r));
    const double shear = r->scales.shear;
    RILL_TRY(capsules_place(r, &centres));
    const rill_membranes_options membranes = {
        .mesh = &r->mesh,
        .elastic = {.law = c->law,
                    .shear = shear,
                    .dilatation = c->dilatation,
                    .bending = c->bending * shear * c->radius * c->radius,
                    .area = c->area * shear,
                    .volume = c->volume * shear / c->radius},
        .width = c->width,
        .slip = rill_membrane_slip(c->width),
        .count = count_of(c),
        .contact = shear, /* times a voxel */
        .centres = (const double(*)[3])centres};
    RILL_TRY(rill_membranes_create(r->sim, &membranes, &r->membranes));
    RILL_TRY(rill_array_create(r->membranes->count, sizeof *r->stress, "the stresses of capsules",
                               (void **)&r->stress));
    status = stiffness_check(r);
done:
    rill_array_destroy(centres);
    return status;
}

/* Add the shape of one capsule over `count` to a row, and the vector at twice its inclination, because axes
 * at 89 and -89 degrees are 2 degrees apart. */
static void shape_add(const rill_membrane_shape *s, const rill_membrane_shape *rest, double count,
                      double twice[2], rill_capsule_row *row)
{
    /* the two axes in the plane of shear: not the one nearest to its normal y */
    int of_shear[2] = {0, 1}, found = 0, normal = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(s->direction[k][1]) > fabs(s->direction[normal][1])) normal = k;
    for (int k = 0; k < 3; k++)
        if (k != normal) of_shear[found++] = k;
    const double *along = s->direction[of_shear[0]];
    const double longer = s->axes[of_shear[0]], shorter = s->axes[of_shear[1]];
    const double inclination = atan2(along[2], along[0]);
    twice[0] += cos(2 * inclination);
    twice[1] += sin(2 * inclination);
    row->deformation += (longer - shorter) / (longer + shorter) / count;
    row->area += s->area / rest->area / count;
    row->volume += s->volume / rest->volume / count;
    for (int a = 0; a < 3; a++) {
        row->axes[a] += s->axes[a] / count;
        row->centre[a] += s->centre[a] / count;
    }
}

static rill_status measure(const run *r, rill_capsule_row *out)
{
    rill_status status = RILL_OK;
    const double nu = (r->given->tau - 0.5) / 3;
    double twice[2] = {0};
    rill_capsule_row row = {.strain = r->scales.rate * (double)rill_sim_steps(r->sim)};
    RILL_TRY(rill_membranes_stresses(r->membranes, r->stress));
    for (uint32_t k = 0; k < r->membranes->count; k++) {
        const double(*x)[3] = (const double(*)[3])r->membranes->x + (uint64_t)k * r->mesh.vertex_count;
        const rill_membrane_shape s = rill_membrane_shape_of(&r->mesh, x);
        shape_add(&s, &r->rest, r->membranes->count, twice, &row);
    }
    for (uint32_t k = 0; k < r->membranes->count; k++)
        row.stress += r->stress[k][4] / (nu * r->scales.rate * r->rest.volume * r->membranes->count);
    row.inclination = atan2(twice[1], twice[0]) * 90 / M_PI;
    *out = row;
done:
    return status;
}

/* Write what was computed. */
static rill_status numbers_write(run *r)
{
    const rill_capsule_case *c = r->given;
    const struct {
        const char *name;
        double value;
    } all[] = {{"capillary_number", c->capillary},
               {"reynolds_number", c->reynolds},
               {"radius", c->radius},
               {"dilatation", c->dilatation},
               {"bending", c->bending},
               {"area_stiffness", c->area},
               {"volume_stiffness", c->volume},
               {"tau", c->tau},
               {"shear_rate", r->scales.rate},
               {"shear_modulus", r->scales.shear},
               {"vertices", r->scales.vertices},
               {"kernel", c->width},
               {"capsules", count_of(c)}};
    rill_status status = RILL_OK;
    for (size_t k = 0; k < sizeof all / sizeof *all && status == RILL_OK; k++)
        status = rill_result_set_real(r->result, "/run", all[k].name, all[k].value);
    if (status != RILL_OK) return status;
    return rill_result_set_text(r->result, "/run", "membrane",
                                c->law == RILL_SKALAK ? "skalak" : "neo-hookean");
}

static rill_status open_result(run *r)
{
    static const rill_quantity columns[] = {
        {"strain", "1", "rate of shear times time", 1},
        {"deformation", "1", "Taylor's, in the plane of shear", 1},
        {"inclination", "degree", "of the longer axis to the flow", 0},
        {"axis_1", "lu", "semi-axes of the ellipsoid with the same moments of inertia", 0},
        {"axis_2", "lu", NULL, 0},
        {"axis_3", "lu", NULL, 0},
        {"area", "1", "over that at rest", 1},
        {"volume", "1", "over that at rest", 1},
        {"centre_x", "lu", NULL, 0},
        {"centre_y", "lu", NULL, 0},
        {"centre_z", "lu", NULL, 0},
        {"stress", "1", "shear stress that is added, over viscosity, rate and share of the volume", 1}};
    rill_status status = RILL_OK;
    char variant[128];
    rill_variant_name(rill_sim_variant(r->sim), variant, sizeof variant);
    const rill_run about = {.command = r->given->command,
                            .backend = rill_sim_backend(r->sim),
                            .device = rill_sim_device(r->sim),
                            .variant = variant,
                            .seed = -1};
    RILL_TRY(
        rill_record_create_of("capsule", columns, (int)(sizeof columns / sizeof *columns), &r->steps.record));
    if (!r->given->output) return RILL_OK;
    RILL_TRY(rill_result_create(r->given->output, &about, &r->result));
    RILL_TRY(numbers_write(r));
done:
    return status;
}

static rill_status moments(void *context, rill_node first, rill_node count, double *rho, double *u)
{
    return rill_membranes_moments(((const run *)context)->membranes, first, count, rho, u);
}

static rill_status flow_write(run *r, const char *path)
{
    rill_fields fields = rill_fields_default();
    fields.geom = r->geom;
    fields.moments = moments;
    fields.context = r;
    fields.step = rill_sim_steps(r->sim);
    fields.command = r->given->command;
    return rill_fields_write(&fields, RILL_FIELDS_IMAGE, path);
}

static rill_status membrane_write(run *r, const char *path)
{
    const uint32_t count = r->membranes->count;
    rill_surface surface = {.vertices = r->membranes->x,
                            .triangles = r->triangles,
                            .vertex_count = count * r->mesh.vertex_count,
                            .triangle_count = count * r->mesh.triangle_count};
    rill_geom geom = {.surface = &surface}; /* all borrowed */
    const rill_wall_fields fields = {
        .geom = &geom, .step = rill_sim_steps(r->sim), .command = r->given->command};
    return rill_wall_file_write(&fields, path);
}

static rill_status write_files(run *r)
{
    rill_status status = RILL_OK;
    for (int membrane = 0; membrane < 2 && status == RILL_OK; membrane++) {
        char *path =
            rill_step_file_name(r->given->output, rill_sim_steps(r->sim), membrane ? ".membrane" : "");
        if (!path) return rill_fail(RILL_SYSTEM, "out of memory for the name of a file");
        status = membrane ? membrane_write(r, path) : flow_write(r, path);
        free(path);
    }
    return status;
}

/* Refuse to go on where a capsule meets a plate or its own periodic image. */
static rill_status place_check(const run *r, const double (*x)[3])
{
    const uint32_t *n = r->given->n;
    const unsigned long long step = rill_sim_steps(r->sim);
    const double near = r->given->width / 2.0;
    double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t v = 0; v < r->mesh.vertex_count; v++)
        for (int a = 0; a < 3; a++) {
            least[a] = fmin(least[a], x[v][a]);
            most[a] = fmax(most[a], x[v][a]);
        }
    for (int a = 0; a < 2; a++)
        if (most[a] - least[a] + r->given->width > n[a])
            return rill_fail(
                RILL_NUMERICS,
                "at step %llu the capsule is %.3g voxels long along %c, and meets its image in a periodic box of %u: raise --n%c, or lower --ca",
                step, most[a] - least[a], rill_axis(a), n[a], rill_axis(a));
    if (least[2] < near || most[2] > n[2] - near)
        return rill_fail(
            RILL_NUMERICS,
            "at step %llu the capsule is less than %g voxels from a plate, which its vertices cannot act on: raise --nz",
            step, near);
    return RILL_OK;
}

/* Refuse to go on where a membrane is none, or stands where it must not. */
static rill_status look(void *context)
{
    rill_status status = RILL_OK;
    const run *r = context;
    const rill_membranes *m = r->membranes;
    double speed = 0;
    RILL_TRY(rill_membranes_fetch(r->membranes));
    for (uint64_t v = 0; v < (uint64_t)m->count * r->mesh.vertex_count; v++) {
        double square = 0;
        for (int a = 0; a < 3; a++) square += m->velocity[v][a] * m->velocity[v][a];
        speed = isfinite(square) ? fmax(speed, sqrt(square)) : INFINITY;
    }
    if (!(speed <= 0.5))
        return rill_fail(
            RILL_NUMERICS,
            "the membrane diverged by step %llu: lower --re, which makes time steps shorter, or lower --dilatation, --area or --volume",
            (unsigned long long)rill_sim_steps(r->sim));
    for (uint32_t k = 0; k < m->count && status == RILL_OK; k++)
        status = place_check(r, (const double(*)[3])m->x + (uint64_t)k * r->mesh.vertex_count);
done:
    return status;
}

/* Record what there is. */
static rill_status row(void *context)
{
    run *r = context;
    const uint64_t step = rill_sim_steps(r->sim);
    const rill_capsule_row *now = &r->out->last;
    const rill_status status = measure(r, &r->out->last);
    if (status != RILL_OK) return status;
    double *values = rill_record_append(&r->steps.record, step, now->strain);
    if (!values) return rill_fail(RILL_SYSTEM, "out of memory for a series");
    const double more[11] = {now->deformation, now->inclination, now->axes[0], now->axes[1],
                             now->axes[2],     now->area,        now->volume,  now->centre[0],
                             now->centre[1],   now->centre[2],   now->stress};
    memcpy(values + 2, more, sizeof more);
    r->out->steps = step;
    if (r->given->row) r->given->row(r->given->context, now);
    return r->given->output && rill_step_plan_writes(&r->scales.plan, step) ? write_files(r) : RILL_OK;
}

static int parts(void *context, rill_checkpoint_part *parts)
{
    parts[0] = rill_membranes_part(((const run *)context)->membranes);
    return 1;
}

/* Forces and velocities of vertices are found anew in each step. */
static rill_status resumed(void *context) { return rill_membranes_give(((const run *)context)->membranes); }

/* Return the deformation in the last row that is a unit of strain before the end, NaN where there is none. */
static double deformation_before(const run *r)
{
    double before = NAN;
    for (uint64_t k = 0; k < r->steps.record.count; k++) {
        const double *values = rill_record_row(&r->steps.record, k);
        if (values[1] <= r->given->strain - 1) before = values[2];
    }
    return before;
}

/* Return all that decides on the bits beside what steps say themselves. */
static void text_of(const rill_capsule_case *c, char *text, size_t size)
{
    snprintf(
        text, size,
        "capsule %d count %u radius %a level %d law %d dilatation %a capillary %a reynolds %a bending %a volume %a area %a tau %a strain %a kernel %d every %a",
        (int)c->shape, count_of(c), c->radius, c->level, (int)c->law, c->dilatation, c->capillary,
        c->reynolds, c->bending, c->volume, c->area, c->tau, c->strain, c->width, c->output ? c->every : 0);
}

static rill_status steps(run *r)
{
    rill_status status = RILL_OK;
    const rill_capsule_case *c = r->given;
    char text[512];
    rill_step_run *s = &r->steps;
    text_of(c, text, sizeof text);
    s->sim = r->sim;
    s->geom = r->geom;
    s->plan = r->scales.plan;
    s->progress = c->progress;
    s->text = text;
    s->keep = c->keep;
    s->owner = (rill_step_owner){.parts = parts, .resumed = resumed, .look = look, .row = row, .context = r};
    RILL_TRY(rill_step_run_make(s));
    r->out->drift = r->out->last.deformation - deformation_before(r);
    const double nodes = (double)rill_domain_nodes(r->domain);
    r->out->mlups = s->seconds > 0 ? 1e-6 * (double)(s->plan.steps - s->resumed) * nodes / s->seconds : 0;
done:
    s->text = NULL;
    return status;
}

static rill_status close_result(run *r, const rill_capsule_outcome *out)
{
    static const rill_quantity what[] = {
        {"deformation", "1", "Taylor's, at the end", 1},
        {"inclination", "degree", "at the end", 0},
        {"drift", "1", "change of the deformation in the last unit of strain", 1}};
    rill_status status = RILL_OK;
    const double values[] = {out->last.deformation, out->last.inclination, out->drift};
    if (!r->result) return RILL_OK;
    RILL_TRY(rill_record_write(&r->steps.record, r->result, NULL));
    for (int k = 0; k < 3; k++)
        RILL_TRY(rill_result_values(r->result, "/summary", &what[k], 0, NULL, &values[k]));
    RILL_TRY(rill_result_set_integer(r->result, "/summary", "steps", (int64_t)out->steps));
    RILL_TRY(rill_result_commit(r->result));
done:
    return status;
}

rill_status rill_capsule_run(const rill_capsule_case *given, rill_capsule_outcome *out)
{
    rill_status status = RILL_OK;
    run r = {.given = given, .out = out};
    *out = (rill_capsule_outcome){.steps = 0};
    RILL_TRY(begin(&r));
    RILL_TRY(open_result(&r));
    RILL_TRY(steps(&r));
    RILL_TRY(close_result(&r, out));
    out->checkpoint_left = rill_step_run_end(&r.steps);
done:
    rill_record_free(&r.steps.record);
    rill_result_destroy(r.result);
    rill_membranes_destroy(r.membranes);
    rill_membrane_mesh_destroy(&r.mesh);
    rill_array_destroy(r.triangles);
    rill_array_destroy(r.stress);
    rill_sim_destroy(r.sim);
    rill_domain_destroy(r.domain);
    rill_geom_destroy(r.geom);
    return status;
}
