/* SPDX-License-Identifier: Apache-2.0 */
/* From a case with cells in SI to lattice units, positions, steps and memory. */
#include "membrane/cells.h"

#include "core/memory.h"
#include "core/status.h"
#include "core/units.h"
#include "device/device.h"
#include "io/fields.h"
#include "membrane/limit.h"
#include "membrane/membrane.h"
#include "membrane/run.h"
#include "vessel/plan/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A radius below which nothing is left of a shape, voxels; relaxation times beyond which nothing was
 * measured; the speed of plates above which the fluid is compressible. */
#define RADIUS_LEAST 3.0
#define TAU_MOST 2.0
#define SPEED_MOST 0.1

/* What a body force adds to the velocity in a step, at most, lu. */
#define FORCE_MOST 0.01

/* Files and steps, at most; columns of the series of cells. */
enum { FILES = 100000, COLUMNS = 32 };

/* Triangles that files number. */
enum { TRIANGLES = INT32_MAX / 3 };

/* Of an index list, marks and numbers of nodes, bytes a node, beside the populations. */
#define NODE_BYTES 78.0

/* Nodes within reach of a vertex that are not within that of another one, at most: edges are 1.3 voxels or
 * less. On a GPU, of bitmaps, numbers of nodes and sums, bytes a voxel. */
#define NODES_OF_VERTEX 12
#define GPU_VOXEL_BYTES 1.0

static const rill_stream stream_values[] = {RILL_PULL, RILL_AA, RILL_ESOTWIST, RILL_ESOPULL};

/* Let the time step follow: moduli in lattice units are proportional to its square. */
static void scale(const rill_cells_case *c, double dt, rill_cells_plan *p)
{
    const double dx = p->dx, by = dt * dt / (c->density * dx * dx * dx);
    p->dt = dt;
    p->tau = 0.5 + 3 * c->viscosity / c->density * dt / (dx * dx);
    p->elastic = (rill_elastic_options){.law = (rill_membrane_law)c->law,
                                        .shear = c->shear * by,
                                        .dilatation = c->dilatation,
                                        .bending = c->bending * by / (dx * dx),
                                        .area = c->area * by,
                                        .volume = c->volume * by * dx};
    p->contact = c->contact >= 0 ? c->contact * by / dx : p->elastic.shear;
    for (int a = 0; a < 3; a++) p->force[a] = c->force[a] * dt * dt / (c->density * dx);
    p->plate = c->rate * dt * p->geom->n[2] / 2;
    for (int k = 0; k < p->ports.count; k++)
        if (p->ports.each[k].inlet) p->ports.each[k].flow = c->ends[p->ends[k]].flow * dt / (dx * dx * dx);
}

/* Return the largest velocity with which fluid comes in, lu: parabolic profiles have twice the mean. */
static double inlet_speed(const rill_cells_plan *p)
{
    double speed = 0;
    for (int k = 0; k < p->ports.count; k++) {
        const double area = p->geom->surface->openings[k].area / (p->dx * p->dx);
        if (p->ports.each[k].inlet) speed = fmax(speed, 2 * p->ports.each[k].flow / area);
    }
    return speed;
}

/* Find the stiffness of one cell in a box of its own. */
static rill_status stiffness_find(const rill_cells_plan *p, rill_progress progress, double *out)
{
    rill_status status = RILL_OK;
    rill_sim_options o = rill_sim_options_default();
    rill_geom *geom = NULL;
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    rill_membranes *membranes = NULL;
    double reach = 0;
    for (uint32_t v = 0; v < p->mesh.vertex_count; v++)
        for (int a = 0; a < 3; a++) reach = fmax(reach, fabs(p->mesh.vertices[v][a]));
    const uint32_t edge = (uint32_t)ceil(2 * reach) + 6;
    const double centre[3] = {edge / 2.0, edge / 2.0, edge / 2.0};
    RILL_TRY(rill_geom_create((const uint32_t[3]){edge, edge, edge}, &geom));
    memset(geom->voxels, RILL_FLUID, rill_geom_voxels(geom));
    RILL_TRY(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1, progress}, &domain));
    o.variant.equilibrium = RILL_SECOND_ORDER;
    o.variant.collision = RILL_TRT;
    o.variant.stream = RILL_AA;
    o.on.backend = RILL_BACKEND_CPU;
    RILL_TRY(rill_sim_create(domain, &o, &sim));
    RILL_TRY(rill_membranes_create(
        sim,
        &(rill_membranes_options){
            .mesh = &p->mesh, .elastic = p->elastic, .width = 2, .count = 1, .centres = &centre},
        &membranes));
    status = rill_membranes_stiffness(membranes, progress, out);
done:
    rill_membranes_destroy(membranes);
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
    return status;
}

/* Choose the time step, or check the one that is given: a membrane that is too stiff for it diverges. */
static rill_status step_choose(const rill_cells_case *c, rill_progress progress, rill_cells_plan *p)
{
    rill_status status = RILL_OK;
    const double nu = c->viscosity / c->density, unit = p->dx * p->dx / (6 * nu); /* of tau = 1 */
    double stiffness;
    scale(c, unit, p);
    RILL_TRY(stiffness_find(p, progress, &stiffness));
    /* at f units the stiffness is f^2 times as large, and tau - 0.5 is f / 2 */
    const double most =
        stiffness > 0 ? fmin(sqrt(0.15 / stiffness), 0.5 / stiffness) : INFINITY; /* of f, see limit.h */
    const double speed = fmax(p->plate, inlet_speed(p)), fastest = speed > 0 ? SPEED_MOST / speed : INFINITY;
    const double chosen = fmin(1, 0.9 * fmin(most, fastest));
    const double f = c->time_step > 0 ? c->time_step / unit : chosen;
    scale(c, f * unit, p);
    p->stiffness = stiffness * f * f / rill_membrane_stiffness_most(p->tau);
    if (!(p->tau > 0.5) || p->tau > TAU_MOST)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "the time step of %.3g s gives a relaxation time tau of %.4g, which is not above 0.5 and at most %g: set run.time-step to %.2g s",
            p->dt, p->tau, TAU_MOST, chosen * unit));
    if (p->stiffness > 1)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "the membranes are too stiff for the time step of %.3g s, and would diverge: set run.time-step to %.2g s or less",
            p->dt, 0.95 * most * unit));
    const double *force = p->force, push = hypot(hypot(force[0], force[1]), force[2]);
    if (!(push <= FORCE_MOST))
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "the body-force adds %.3g voxels per step to the velocity in each step, above %g: lower it, or set run.time-step to %.2g s or less",
            push, FORCE_MOST, 0.95 * p->dt * sqrt(FORCE_MOST / push)));
    if (p->plate > SPEED_MOST)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "the plates would move at %.3g voxels per step, above %g where flow is compressible: set run.time-step to %.2g s or less",
            p->plate, SPEED_MOST, 0.95 * fastest * unit));
    if (inlet_speed(p) > SPEED_MOST)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "the fluid would come in at %.3g voxels per step, above %g where flow is compressible: set run.time-step to %.2g s or less",
            inlet_speed(p), SPEED_MOST, 0.95 * fastest * unit));
done:
    return status;
}

static rill_status geometry_check(const rill_cells_case *c, const rill_geom *geom)
{
    if (!(geom->spacing > 0))
        return rill_fail(RILL_USAGE, "%s has no voxel size: make it with --voxel-size, such as 0.65um",
                         c->geometry);
    if (c->end_count > 0 && (!geom->surface || geom->surface->opening_count == 0))
        return rill_fail(RILL_USAGE,
                         "%s: openings are named, and %s has none: leave out the section openings", c->path,
                         c->geometry);
    for (int a = 0; a < 3; a++)
        if (c->end_count > 0 && geom->sides[a] != RILL_WALL)
            return rill_fail(
                RILL_USAGE,
                "%s has openings and is %s along %c, and cells go with one of them: choose domain boundaries that are solid",
                c->geometry, geom->sides[a] == RILL_MIRROR ? "mirrored" : "periodic", rill_axis(a));
    for (int a = 0; a < 3; a++)
        if (geom->sides[a] == RILL_MIRROR)
            return rill_fail(RILL_USAGE,
                             "%s is mirrored along %c, where cells would leave it: choose periodic or wall",
                             c->geometry, rill_axis(a));
    if (c->rate > 0 && geom->sides[2] != RILL_WALL)
        return rill_fail(
            RILL_USAGE,
            "a shear-rate needs solid domain boundaries along z, and %s has none: make it with --sides periodic,periodic,wall",
            c->geometry);
    if (rill_geom_fluid(geom) == 0) return rill_fail(RILL_USAGE, "%s has no fluid", c->geometry);
    if (rill_geom_fluid(geom) > UINT32_MAX - 1)
        return rill_fail(RILL_USAGE, "%s has %llu fluid voxels, more than the %u that cells go with",
                         c->geometry, (unsigned long long)rill_geom_fluid(geom), UINT32_MAX - 1);
    return RILL_OK;
}

/* Find what the case says of each opening. */
static rill_status ends_match(const rill_cells_case *c, rill_cells_plan *p)
{
    static const rill_end_kind kinds[] = {RILL_END_INLET, RILL_END_PRESSURE, RILL_END_WALL};
    rill_status status = RILL_OK;
    rill_case given = {.path = c->path, .geometry = c->geometry};
    int inlets = 0, outlets = 0;
    if (!p->geom->surface || p->geom->surface->opening_count == 0) return RILL_OK;
    given.ends = calloc((size_t)c->end_count + 1, sizeof *given.ends);
    if (!given.ends) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for openings"));
    for (int e = 0; e < c->end_count; e++) {
        memcpy(given.ends[e].name, c->ends[e].name, sizeof given.ends[e].name);
        given.ends[e].kind = kinds[c->ends[e].kind];
        given.ends[e].line = c->ends[e].line;
        inlets += c->ends[e].kind == RILL_CELLS_INLET;
        outlets += c->ends[e].kind == RILL_CELLS_PRESSURE;
    }
    given.end_count = c->end_count;
    RILL_TRY(rill_case_close(&given, p->geom));
    const int count = p->geom->surface->opening_count;
    RILL_TRY(rill_array_create((uint64_t)count + 1, sizeof *p->ends, "openings", (void **)&p->ends));
    if (count > 0 || given.end_count > 0) RILL_TRY(rill_case_match(&given, p->geom, p->ends));
    for (int k = 0; k < count; k++) /* numbers among those that are not closed */
        for (int e = 0; e < c->end_count; e++)
            if (strcmp(c->ends[e].name, p->geom->surface->openings[k].name) == 0) p->ends[k] = e;
    if (inlets > 0 && outlets == 0)
        RILL_TRY(rill_fail(RILL_USAGE, "%s: no opening is an outlet: make one a pressure", c->path));
done:
    free(given.ends);
    return status;
}

static const double *axis_of(const rill_cells_case *c)
{
    return c->axis[0] != 0 || c->axis[1] != 0 || c->axis[2] != 0 ? c->axis : NULL;
}

/* Find where cells enter and leave. */
static rill_status ports_make(const rill_cells_case *c, rill_cells_plan *p)
{
    rill_status status = RILL_OK;
    if (!p->geom->surface || p->geom->surface->opening_count == 0) return RILL_OK;
    RILL_TRY(rill_ports_create(p->geom, &p->mesh, &p->ports));
    p->ports.seed = (uint64_t)c->seed;
    p->ports.axis = axis_of(c);
    for (int k = 0; k < p->ports.count; k++) {
        const rill_cells_end *end = &c->ends[p->ends[k]];
        rill_port *port = &p->ports.each[k];
        port->inlet = end->kind == RILL_CELLS_INLET;
        if (!port->inlet) continue;
        port->share = end->haematocrit >= 0 ? end->haematocrit : c->haematocrit;
        p->flow += end->flow;
        if (port->share > 0) RILL_TRY(rill_ports_inlet(&p->ports, k));
    }
done:
    return status;
}

/* Count the cells for which there is to be room: all that come in, but no more than fill the fluid, or have
 * triangles that files can number. */
static void room_find(rill_cells_plan *p)
{
    double room = p->count;
    for (int k = 0; k < p->ports.count; k++)
        if (p->ports.each[k].inlet) room += rill_ports_due(&p->ports, k, p->steps.steps);
    if (p->ports.count > 0) room = fmin(room, floor(p->nodes / p->ports.volume) + 1);
    p->room = (uint32_t)fmax(fmax(p->count, 1), fmin(room, floor(TRIANGLES / p->mesh.triangle_count)));
}

static rill_status mesh_make(const rill_cells_case *c, rill_cells_plan *p)
{
    rill_status status = RILL_OK;
    const double radius = c->radius / p->dx;
    if (radius < RADIUS_LEAST)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "a radius of %.3g m is %.3g voxels, too few to resolve a cell: take voxels of %.2g m or smaller",
            c->radius, radius, c->radius / RADIUS_LEAST));
    for (int a = 0; a < 3; a++)
        if (2 * radius + 4 > p->geom->n[a])
            RILL_TRY(rill_fail(
                RILL_USAGE,
                "cells of radius %.3g voxels need %g voxels along %c, of which there are %u: make the geometry larger",
                radius, ceil(2 * radius + 4), rill_axis(a), p->geom->n[a]));
    const int level = rill_capsule_level(radius);
    RILL_TRY(c->shape == RILL_CELLS_SPHERE ? rill_membrane_mesh_sphere(radius, level, &p->mesh)
                                           : rill_membrane_mesh_red_cell(radius, level, &p->mesh));
done:
    return status;
}

/* Count the cells, and say what they are of the fluid. */
static rill_status count_find(const rill_cells_case *c, rill_cells_plan *p)
{
    const double cell = rill_membrane_shape_of(&p->mesh, (const double(*)[3])p->mesh.vertices).volume;
    const double open = p->nodes - (double)p->ports.closed;
    const double wanted = c->haematocrit > 0 ? round(c->haematocrit * open / cell) : c->position_count;
    if (wanted < 1 && p->ports.count == 0)
        return rill_fail(
            RILL_USAGE,
            "a haematocrit of %g is less than one cell, which is %.3g of the fluid: raise it, or give positions",
            c->haematocrit, cell / p->nodes);
    if (wanted * p->mesh.triangle_count > TRIANGLES)
        return rill_fail(RILL_USAGE,
                         "%g cells have more than the %d triangles that files number: lower the haematocrit",
                         wanted, (int)TRIANGLES);
    p->count = (uint32_t)wanted;
    p->haematocrit = wanted * cell / open;
    p->volume = cell * p->dx * p->dx * p->dx;
    return RILL_OK;
}

static rill_status steps_find(const rill_cells_case *c, rill_cells_plan *p)
{
    const double steps = fmax(1, ceil(c->duration / p->dt - 1e-9)), row = round(c->rows_every / p->dt),
                 every = round(c->files_every / p->dt);
    if (!(steps < 1e12))
        return rill_fail(RILL_USAGE, "%g s take %.3g time steps of %.3g s: shorten run.duration", c->duration,
                         steps, p->dt);
    if (c->files_every > 0 && steps / fmax(1, every) > FILES)
        return rill_fail(RILL_USAGE, "files-every %g s makes more than %d files: write fewer", c->files_every,
                         (int)FILES);
    p->steps.steps = (uint64_t)steps;
    p->steps.row = (uint64_t)fmin(fmax(1, row), steps);
    p->steps.every = c->files_every > 0 ? (uint64_t)fmin(fmax(1, every), steps + 1) : 0;
    return RILL_OK;
}

rill_membranes_options rill_cells_membranes(const rill_cells_plan *p)
{
    return (rill_membranes_options){.mesh = &p->mesh,
                                    .elastic = p->elastic,
                                    .width = 2,
                                    .slip = rill_membrane_slip(2),
                                    .count = p->count,
                                    .room = p->room,
                                    .contact = p->contact,
                                    .wall = p->contact};
}

/* Count memory at the peak, and files. */
static void memory_count(const rill_cells_case *c, rill_cells_plan *p)
{
    const double bytes = p->storage == RILL_FP64   ? 8
                         : p->storage == RILL_FP32 ? 4
                                                   : 2,
                 vertices = (double)p->room * p->mesh.vertex_count,
                 triangles = (double)p->room * p->mesh.triangle_count,
                 rows = ceil((double)p->steps.steps / (double)p->steps.row) + 1,
                 files = p->steps.every ? floor((double)p->steps.steps / (double)p->steps.every) + 1 : 0;
    const double populations = p->nodes * 19 * bytes * (p->stream == RILL_PULL ? 2 : 1);
    const rill_membranes_options made = rill_cells_membranes(p);
    const double membranes = (double)rill_membranes_bytes(
        &made, p->geom->n, (uint64_t)p->nodes, (uint64_t)fmin(p->nodes, NODES_OF_VERTEX * vertices));
    const double series = rows * p->room * COLUMNS * 8, voxels = (double)rill_geom_voxels(p->geom);
    const double strips = p->ports.count > 0 ? voxels + p->nodes : 0; /* and positions of inlets */
    const double domain = p->nodes * NODE_BYTES + voxels * 0.2 + strips;
    const double seeding = (double)rill_seed_bytes(p->geom, p->count, p->mesh.vertex_count);
    const bool gpu = p->backend == RILL_BACKEND_CUDA;
    const double held = domain + (gpu ? 4 * 24 * vertices : populations + membranes);
    p->memory =
        (uint64_t)(fmax(held, seeding) + 1.5 * series + voxels + p->count * (double)sizeof *p->places);
    p->device_memory = gpu ? (uint64_t)(populations + membranes + voxels * GPU_VOXEL_BYTES) : 0;
    const double membrane_files = files * (24 * vertices + 20 * triangles),
                 checkpoint = populations + 24 * vertices + series;
    p->checkpoint = (uint64_t)checkpoint;
    p->kept = (uint64_t)(membrane_files + 2 * checkpoint);
    p->output =
        (uint64_t)(membrane_files + files * (c->fields ? 20 * p->nodes : 0) + 3 * series + 2 * checkpoint);
}

/* Refuse what a GPU has no room for. */
static rill_status device_check(const rill_cells_plan *p)
{
    rill_device *device = NULL;
    if (p->backend != RILL_BACKEND_CUDA) return RILL_OK;
    rill_status status = rill_device_create(p->backend, 0, &device);
    if (status == RILL_OK)
        status = rill_device_require(device, p->device_memory, "the populations and cells of the case");
    rill_device_destroy(device);
    return status;
}

/* Place the cells in voxels from the corner of the box. */
static rill_status cells_place(const rill_cells_case *c, rill_progress progress, rill_cells_plan *p)
{
    rill_status status = RILL_OK;
    double(*centres)[3] = NULL;
    if (p->count == 0) return RILL_OK;
    RILL_TRY(rill_array_create(p->count, sizeof *p->places, "the positions of cells", (void **)&p->places));
    if (c->position_count > 0) {
        RILL_TRY(rill_array_create(p->count, sizeof *centres, "the positions of cells", (void **)&centres));
        for (uint32_t k = 0; k < p->count; k++)
            for (int a = 0; a < 3; a++) {
                centres[k][a] = (c->positions[k][a] - p->geom->origin[a]) / p->dx;
                if (!(centres[k][a] >= 0 && centres[k][a] <= p->geom->n[a]))
                    RILL_TRY(rill_fail(
                        RILL_USAGE,
                        "%s: %c of the position of cell %u, %g m, is outside of the geometry, which has %g to %g m",
                        c->path, rill_axis(a), k + 1, c->positions[k][a], p->geom->origin[a],
                        p->geom->origin[a] + p->dx * p->geom->n[a]));
            }
    }
    status = rill_seed(&(rill_seed_options){.geom = p->geom,
                                            .closed = p->ports.strip,
                                            .mesh = &p->mesh,
                                            .apart = RILL_CONTACT_RANGE,
                                            .count = p->count,
                                            .centres = (const double(*)[3])centres,
                                            .seed = (uint64_t)c->seed,
                                            .axis = axis_of(c),
                                            .progress = progress},
                       p->places);
    if (status == RILL_USAGE) rill_fail_prefix("%s", c->path);
done:
    rill_array_destroy(centres);
    return status;
}

rill_status rill_cells_plan_make(const rill_cells_case *c, rill_backend_kind backend, rill_progress progress,
                                 rill_cells_plan *out)
{
    rill_status status = RILL_OK;
    rill_cells_plan p = {
        .stream = stream_values[c->stream], .storage = (rill_storage)c->storage, .backend = backend};
    RILL_TRY(rill_geom_read(c->geometry, &p.geom));
    RILL_TRY(geometry_check(c, p.geom));
    p.dx = p.geom->spacing;
    p.nodes = (double)rill_geom_fluid(p.geom);
    RILL_TRY(mesh_make(c, &p));
    RILL_TRY(ends_match(c, &p));
    RILL_TRY(ports_make(c, &p));
    RILL_TRY(count_find(c, &p));
    RILL_TRY(step_choose(c, progress, &p));
    RILL_TRY(steps_find(c, &p));
    room_find(&p);
    memory_count(c, &p);
    RILL_TRY(rill_memory_require(p.memory, "the populations, cells and series of the case"));
    RILL_TRY(device_check(&p));
    RILL_TRY(cells_place(c, progress, &p));
    *out = p;
    out->ports.mesh = &out->mesh;
    p = (rill_cells_plan){0};
done:
    rill_cells_plan_free(&p);
    return status;
}

void rill_cells_plan_free(rill_cells_plan *p)
{
    rill_geom_destroy(p->geom);
    rill_membrane_mesh_destroy(&p->mesh);
    rill_array_destroy(p->places);
    rill_array_destroy(p->ends);
    rill_ports_destroy(&p->ports);
    *p = (rill_cells_plan){0};
}
