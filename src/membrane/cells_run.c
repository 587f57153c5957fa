/* SPDX-License-Identifier: Apache-2.0 */
/* A case with cells, from its plan to files. */
#include "membrane/cells.h"

#include "core/memory.h"
#include "core/status.h"
#include "io/fields.h"
#include "io/poly_file.h"
#include "io/result.h"
#include "kernel/variant.h"
#include "membrane/membrane.h"
#include "sim/boundary.h"
#include "vessel/inlet/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Speed of a node or a vertex, lu, from which on the flow is refused: a Mach number of 0.3. */
#define SPEED_MOST 0.173

/* Columns of the series beside the step and the time. */
enum { COLUMNS = 26 };

/* A case that runs. */
typedef struct run {
    const rill_cells_case *given;
    const rill_cells_plan *plan;
    const rill_cells_options *options;
    rill_domain *domain;
    rill_sim *sim;
    rill_membranes *membranes;
    double (*stress)[RILL_MEMBRANE_STRESS];
    uint64_t *numbers; /* [room], of the cells that are there, from 1 */
    rill_ports_cells through;
    double along[3];       /* the direction of the flow */
    char checkpoint[4096]; /* its name */
    rill_result *result;
    rill_step_run steps;
    rill_cells_outcome *out;
} run;

static const double (*vertices_of(const run *r, uint32_t cell))[3]
{
    return (const double(*)[3])r->membranes->x + (uint64_t)cell * r->plan->mesh.vertex_count;
}

/* Let the plates move, if there are any. */
static rill_status plates_begin(run *r)
{
    rill_status status = RILL_OK;
    rill_boundary *plate = NULL;
    for (int end = -1; end <= 1 && r->plan->plate > 0; end += 2) {
        int patch;
        RILL_TRY(rill_boundary_create_face(r->domain, 2, end, &plate));
        RILL_TRY(rill_boundary_set_velocity(plate, (const double[3]){end * r->plan->plate, 0, 0}));
        RILL_TRY(rill_sim_boundary_add(r->sim, plate, &patch));
        rill_boundary_destroy(plate);
        plate = NULL;
    }
done:
    rill_boundary_destroy(plate);
    return status;
}

/* The velocity of an inlet. */
typedef struct inlet {
    const rill_geom *geom;
    const rill_opening *opening;
    const rill_profile *profile;
    double factor; /* of the profile's mean of 1, lu */
} inlet;

static void inlet_velocity(void *context, const double x[3], int mode, double u[3])
{
    const inlet *in = context;
    const rill_opening *o = in->opening;
    double at[3], across = 0;
    (void)mode;
    for (int a = 0; a < 3; a++) {
        at[a] = in->geom->origin[a] + in->geom->spacing * x[a];
        across += o->axis[a] * o->normal[a];
    }
    const double speed = in->factor * creal(rill_profile_at(in->profile, 0, at)) / across;
    for (int a = 0; a < 3; a++) u[a] = speed * o->axis[a];
}

/* Let a flow rise from rest, so that it makes no waves. */
static void inlet_rise(void *context, uint64_t step, double *weights)
{
    weights[0] = rill_ports_soft(context, (double)step + 0.5);
}

/* Give an inlet the velocity of developed flow; its links carry the flow exactly. */
static rill_status inlet_set(const run *r, int k, rill_boundary *boundary)
{
    rill_status status = RILL_OK;
    const rill_cells_plan *p = r->plan;
    const rill_opening *o = &p->geom->surface->openings[k];
    rill_profile *profile = NULL;
    inlet in = {.geom = p->geom, .opening = o, .factor = 1e-3};
    RILL_TRY(rill_profile_create(o->outline ? RILL_PROFILE_FITTED : RILL_PROFILE_PARABOLIC, o,
                                 r->given->viscosity / r->given->density, (const double[1]){0}, 1, &profile));
    in.profile = profile;
    RILL_TRY(rill_boundary_set_velocity_modes(boundary, 1, inlet_velocity, &in));
    const double carries = rill_boundary_mode_flow(boundary, 0) / in.factor;
    if (!(carries > 0))
        RILL_TRY(rill_fail(RILL_USAGE,
                           "no link of the lattice lies within the outline of %s: take smaller voxels",
                           o->name));
    in.factor = p->ports.each[k].flow / carries;
    RILL_TRY(rill_boundary_set_velocity_modes(boundary, 1, inlet_velocity, &in));
    status = rill_boundary_set_slopes(boundary, inlet_velocity, &in, o->axis, o->normal,
                                      3.0 / 16 / (p->tau - 0.5));
done:
    rill_profile_destroy(profile);
    return status;
}

static rill_status openings_begin(run *r)
{
    rill_status status = RILL_OK;
    const rill_cells_plan *p = r->plan;
    const double speed = p->dx / p->dt;
    rill_boundary *boundary = NULL;
    for (int k = 0; k < p->ports.count; k++) {
        const rill_opening *o = &p->geom->surface->openings[k];
        const rill_cells_end *end = &r->given->ends[p->ends[k]];
        int patch;
        status = rill_boundary_create_cuts(r->domain, o->cuts, o->cut_count, &boundary);
        if (status != RILL_OK) {
            rill_fail_prefix("%s", o->name);
            goto done;
        }
        rill_boundary_set_halfway(boundary);
        if (end->kind == RILL_CELLS_INLET)
            RILL_TRY(inlet_set(r, k, boundary));
        else
            RILL_TRY(
                rill_boundary_set_density(boundary, 3 * end->pressure / (r->given->density * speed * speed)));
        RILL_TRY(rill_sim_boundary_add(r->sim, boundary, &patch));
        if (end->kind == RILL_CELLS_INLET)
            RILL_TRY(rill_sim_patch_schedule(r->sim, patch, inlet_rise, (void *)&p->ports));
        rill_boundary_destroy(boundary);
        boundary = NULL;
    }
done:
    rill_boundary_destroy(boundary);
    return status;
}

static rill_status membranes_begin(run *r)
{
    rill_status status = RILL_OK;
    const rill_cells_plan *p = r->plan;
    double(*centres)[3] = NULL;
    RILL_TRY(rill_array_create_zero(p->room, sizeof *centres, "the positions of cells", (void **)&centres));
    RILL_TRY(
        rill_array_create_zero(p->room, sizeof *r->numbers, "the positions of cells", (void **)&r->numbers));
    for (uint32_t k = 0; k < p->count; k++) r->numbers[k] = k + 1;
    r->through =
        (rill_ports_cells){.ports = &p->ports, .state = {p->count, p->count + 1}, .numbers = r->numbers};
    rill_membranes_options options = rill_cells_membranes(p);
    options.turnover = p->ports.count > 0 ? rill_ports_turnover : NULL;
    options.owner = &r->through;
    options.centres = (const double(*)[3])centres;
    RILL_TRY(rill_membranes_create(r->sim, &options, &r->membranes));
    for (uint32_t k = 0; k < p->count; k++)
        for (uint32_t v = 0; v < p->mesh.vertex_count; v++)
            rill_seed_vertex(&p->places[k], p->mesh.vertices[v],
                             r->membranes->x[(uint64_t)k * p->mesh.vertex_count + v]);
    RILL_TRY(rill_membranes_give(r->membranes));
    status = rill_array_create(p->room, sizeof *r->stress, "the stresses of cells", (void **)&r->stress);
done:
    rill_array_destroy(centres);
    return status;
}

static rill_status begin(run *r)
{
    rill_status status = RILL_OK;
    const rill_cells_plan *p = r->plan;
    rill_sim_options o = rill_sim_options_default();
    const double *f = r->given->force, force = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    for (int a = 0; a < 3; a++) r->along[a] = force > 0 ? f[a] / force : a == 0;
    for (int k = p->ports.count; k-- > 0;) /* of the first inlet */
        if (p->ports.each[k].inlet) memcpy(r->along, p->geom->surface->openings[k].axis, sizeof r->along);
    RILL_TRY(rill_domain_create(p->geom, &(rill_domain_options){RILL_D3Q19, -1, r->options->progress},
                                &r->domain));
    o.variant.equilibrium = RILL_SECOND_ORDER;
    o.variant.collision = RILL_TRT;
    o.variant.stream = p->stream;
    o.variant.storage = p->storage;
    if (p->backend == RILL_BACKEND_CUDA) o.variant.addressing = RILL_BITMAP; /* less memory than a list */
    o.on.backend = p->backend;
    o.tau = p->tau;
    memcpy(o.force, p->force, sizeof o.force);
    RILL_TRY(rill_sim_create(r->domain, &o, &r->sim));
    RILL_TRY(plates_begin(r));
    RILL_TRY(openings_begin(r));
    RILL_TRY(membranes_begin(r));
done:
    return status;
}

/* Velocity of the centre of a cell's volume, lu: the mean of the velocity inside, which for a fluid that
 * keeps its volume is the integral of x u . n over the surface, over the volume. */
static void velocity_of(const run *r, uint32_t cell, const rill_membrane_shape *shape, double out[3])
{
    const uint64_t first = (uint64_t)cell * r->plan->mesh.vertex_count;
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t v = 0; v < r->plan->mesh.vertex_count; v++) {
        double through = 0;
        for (int a = 0; a < 3; a++)
            through += r->membranes->velocity[first + v][a] * r->membranes->area[first + v][a];
        for (int a = 0; a < 3; a++)
            out[a] += (r->membranes->x[first + v][a] - shape->centre[a]) * through / shape->volume;
    }
}

/* Append the rows of all cells. */
static rill_status rows_append(run *r)
{
    const rill_cells_plan *p = r->plan;
    const uint64_t step = rill_sim_steps(r->sim);
    const double speed = p->dx / p->dt,
                 pressure = r->given->density * speed * speed; /* Pa in a stress of 1, lu */
    rill_cells_outcome *out = r->out;
    const uint32_t count = r->membranes->count;
    out->deformation = out->speed = out->stress = 0;
    const rill_status found = rill_membranes_stresses(r->membranes, r->stress);
    if (found != RILL_OK) return found;
    for (uint32_t k = 0; k < count; k++) {
        const rill_membrane_shape s = rill_membrane_shape_of(&p->mesh, vertices_of(r, k));
        double *row = rill_record_append(&r->steps.record, step, (double)step * p->dt), velocity[3],
               cosine = 0;
        if (!row) return rill_fail(RILL_SYSTEM, "out of memory for a series");
        double *to = row + 2;
        velocity_of(r, k, &s, velocity);
        *to++ = (double)r->numbers[k];
        for (int a = 0; a < 3; a++) *to++ = p->geom->origin[a] + p->dx * s.centre[a];
        for (int a = 0; a < 3; a++) *to++ = speed * velocity[a];
        const double deformation = (s.axes[0] - s.axes[2]) / (s.axes[0] + s.axes[2]);
        *to++ = deformation;
        for (int a = 0; a < 3; a++) cosine += s.direction[0][a] * r->along[a];
        *to++ = acos(fmin(fabs(cosine), 1)) * 180 / M_PI;
        for (int a = 0; a < 3; a++) *to++ = p->dx * s.axes[a];
        for (int a = 0; a < 3; a++) *to++ = s.direction[0][a];
        for (int a = 0; a < 3; a++) *to++ = s.direction[2][a];
        *to++ = s.area / r->membranes->elastic.area;
        *to++ = s.volume / r->membranes->elastic.volume;
        for (int c = 0; c < RILL_MEMBRANE_STRESS; c++)
            *to++ = pressure * r->stress[k][c] / r->membranes->elastic.volume;
        out->deformation += deformation / count;
        out->stress += to[-2] / count; /* xz */
        for (int a = 0; a < 3; a++) out->speed += speed * velocity[a] * r->along[a] / count;
        out->volume = fmax(out->volume, fabs(s.volume / r->membranes->elastic.volume - 1));
    }
    out->steps = step;
    out->time = (double)step * p->dt;
    return RILL_OK;
}

static rill_status open_result(run *r)
{
    static const rill_quantity columns[] = {
        {"time", "s", NULL, 1},
        {"cell", "1", "number, from 1", 1},
        {"x", "m", "centre of its volume, not wrapped by the periodic box", 1},
        {"y", "m", NULL, 1},
        {"z", "m", NULL, 1},
        {"velocity_x", "m/s", "mean of its volume", 1},
        {"velocity_y", "m/s", NULL, 1},
        {"velocity_z", "m/s", NULL, 1},
        {"deformation", "1", "Taylor's, of the longest and the shortest axis", 1},
        {"inclination", "degree", "of the longest axis to the flow", 0},
        {"axis_1", "m", "semi-axes of the ellipsoid with the same moments of inertia", 1},
        {"axis_2", "m", NULL, 1},
        {"axis_3", "m", NULL, 1},
        {"longest_x", "1", "direction of the longest axis", 1},
        {"longest_y", "1", NULL, 1},
        {"longest_z", "1", NULL, 1},
        {"shortest_x", "1", "direction of the shortest axis", 1},
        {"shortest_y", "1", NULL, 1},
        {"shortest_z", "1", NULL, 1},
        {"area", "1", "over that at rest", 1},
        {"volume", "1", "over that at rest", 1},
        {"stress_xx", "Pa", "that the cell adds to its own volume", 1},
        {"stress_yy", "Pa", NULL, 1},
        {"stress_zz", "Pa", NULL, 1},
        {"stress_xy", "Pa", NULL, 1},
        {"stress_xz", "Pa", NULL, 1},
        {"stress_yz", "Pa", NULL, 1}};
    _Static_assert(sizeof columns / sizeof *columns == COLUMNS + 1, "columns and rows differ");
    rill_status status = RILL_OK;
    char variant[128], path[4096];
    rill_variant_name(rill_sim_variant(r->sim), variant, sizeof variant);
    const rill_geom *geom = r->plan->geom;
    const rill_run about = {.command = r->options->command,
                            .geometry = r->given->geometry,
                            .source = geom->source,
                            .source_hash = geom->source_hash,
                            .source_options = geom->options,
                            .backend = rill_sim_backend(r->sim),
                            .device = rill_sim_device(r->sim),
                            .variant = variant,
                            .unit_si = r->plan->dx,
                            .time_unit_si = r->plan->dt,
                            .seed = r->given->haematocrit > 0 ? r->given->seed : -1};
    RILL_TRY(rill_record_create_of("cells", columns, COLUMNS + 1, &r->steps.record));
    snprintf(path, sizeof path, "%s/run.h5", r->options->directory);
    RILL_TRY(rill_result_create(path, &about, &r->result));
    RILL_TRY(rill_result_set_text(r->result, "/run", "case", r->given->text));
    RILL_TRY(rill_result_set_integer(r->result, "/run", "cells", r->plan->count));
    RILL_TRY(rill_result_set_real(r->result, "/run", "haematocrit", r->plan->haematocrit));
done:
    return status;
}

static rill_status moments(void *context, rill_node first, rill_node count, double *rho, double *u)
{
    return rill_membranes_moments(((const run *)context)->membranes, first, count, rho, u);
}

static rill_status flow_write(run *r, const char *path)
{
    const double speed = r->plan->dx / r->plan->dt;
    rill_fields fields = rill_fields_default();
    fields.geom = r->plan->geom;
    fields.moments = moments;
    fields.context = r;
    fields.velocity = (rill_field_unit){speed, "m/s", 1, 0};
    fields.pressure = (rill_field_unit){r->given->density * speed * speed, "Pa", 1, 0};
    fields.time_step = r->plan->dt;
    fields.step = rill_sim_steps(r->sim);
    fields.command = r->options->command;
    return rill_fields_write(&fields, r->options->fields, path);
}

static rill_status membranes_write(run *r, const char *path)
{
    const rill_cells_plan *p = r->plan;
    rill_poly poly = {.count = r->membranes->count,
                      .numbers = r->numbers,
                      .vertex_count = p->mesh.vertex_count,
                      .triangle_count = p->mesh.triangle_count,
                      .triangles = (const uint32_t(*)[3])p->mesh.triangles,
                      .x = (const double(*)[3])r->membranes->x,
                      .scale = p->dx,
                      .velocity = (const double(*)[3])r->membranes->velocity,
                      .speed = p->dx / p->dt,
                      .time = (double)rill_sim_steps(r->sim) * p->dt};
    memcpy(poly.origin, p->geom->origin, sizeof poly.origin);
    return rill_poly_write(&poly, path);
}

/* Name all files of membranes up to this step: those before a restart, too. */
static rill_status series_write(const run *r)
{
    rill_status status = RILL_OK;
    const uint64_t every = r->plan->steps.every, count = rill_sim_steps(r->sim) / every + 1;
    char path[4096], (*text)[40] = NULL, **names = NULL;
    double *times = NULL;
    snprintf(path, sizeof path, "%s/cells.vtp.series", r->options->directory);
    RILL_TRY(rill_array_create(count, sizeof *text, "names of files", (void **)&text));
    RILL_TRY(rill_array_create(count, sizeof *names, "names of files", (void **)&names));
    RILL_TRY(rill_array_create(count, sizeof *times, "names of files", (void **)&times));
    for (uint64_t k = 0; k < count; k++) {
        snprintf(text[k], sizeof text[k], "cells.%llu.vtp", (unsigned long long)(k * every));
        names[k] = text[k];
        times[k] = (double)(k * every) * r->plan->dt;
    }
    status = rill_poly_series_write(path, names, times, count);
done:
    rill_array_destroy(text);
    rill_array_destroy(names);
    rill_array_destroy(times);
    return status;
}

static rill_status files_write(run *r)
{
    rill_status status = RILL_OK;
    char path[4096];
    const unsigned long long step = rill_sim_steps(r->sim);
    snprintf(path, sizeof path, "%s/cells.%llu.vtp", r->options->directory, step);
    RILL_TRY(membranes_write(r, path));
    RILL_TRY(series_write(r));
    snprintf(path, sizeof path, "%s/flow.%llu.vtkhdf", r->options->directory, step);
    if (r->given->fields) RILL_TRY(flow_write(r, path));
done:
    return status;
}

static rill_status look(void *context)
{
    rill_status status = RILL_OK;
    run *r = context;
    const rill_membranes *m = r->membranes;
    const unsigned long long step = rill_sim_steps(r->sim);
    rill_totals totals;
    double fastest = 0;
    RILL_TRY(rill_sim_totals(r->sim, &totals));
    RILL_TRY(rill_membranes_fetch(r->membranes));
    for (uint64_t v = 0; v < (uint64_t)m->count * r->plan->mesh.vertex_count; v++) {
        const double *u = m->velocity[v], speed = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        fastest = isfinite(speed) ? fmax(fastest, speed) : INFINITY;
        if (isfinite(speed) && rill_membrane_walls_hold(&m->walls, m->x[v]))
            return rill_fail(
                RILL_NUMERICS,
                "cell %llu has entered a wall by step %llu: raise cells.contact-force or lower what drives the flow",
                (unsigned long long)r->numbers[v / r->plan->mesh.vertex_count], step);
    }
    fastest = fmax(fastest, totals.not_finite ? INFINITY : totals.speed_max);
    r->out->mach = fmax(r->out->mach, fastest * sqrt(3));
    for (int a = 0; a < 3; a++)
        r->out->velocity[a] = totals.momentum[a] / r->plan->nodes * r->plan->dx / r->plan->dt;
    if (!(fastest <= SPEED_MOST))
        return rill_fail(
            RILL_NUMERICS,
            "the flow reached a Mach number of %.3g by step %llu, above 0.3 where it is compressible: lower what drives it, or set run.time-step below %.2g s",
            fastest * sqrt(3), step, r->plan->dt * (isfinite(fastest) ? SPEED_MOST / fastest : 0.5));
done:
    return status;
}

static rill_status row(void *context)
{
    rill_status status = RILL_OK;
    run *r = context;
    RILL_TRY(rows_append(r));
    if (rill_step_plan_writes(&r->plan->steps, rill_sim_steps(r->sim))) RILL_TRY(files_write(r));
done:
    return status;
}

static int parts(void *context, rill_checkpoint_part *parts)
{
    run *r = context;
    parts[0] = rill_membranes_part(r->membranes);
    parts[1] = rill_checkpoint_memory("largest so far", &r->out->mach, sizeof r->out->mach);
    parts[2] = rill_checkpoint_memory("volume so far", &r->out->volume, sizeof r->out->volume);
    parts[3] = rill_checkpoint_memory("numbers of cells", r->numbers, r->plan->room * sizeof *r->numbers);
    parts[4] = rill_checkpoint_memory("through openings", &r->through.state, sizeof r->through.state);
    return 5;
}

/* Forces and velocities of vertices are found anew in each step. */
static rill_status resumed(void *context)
{
    const run *r = context;
    const rill_ports_state *s = &r->through.state;
    bool valid = s->count <= r->plan->room && s->next > s->count;
    for (uint64_t k = 0; k < s->count && valid; k++) /* in ascending order */
        valid = r->numbers[k] > (k ? r->numbers[k - 1] : 0) && r->numbers[k] < s->next;
    if (!valid)
        return rill_fail(RILL_USAGE, "%s: its cells are not those of this case: start anew, without --resume",
                         r->checkpoint);
    r->membranes->count = (uint32_t)s->count;
    return rill_membranes_give(r->membranes);
}

/* Return all that decides on the bits beside what steps say themselves. */
static void text_of(const run *r, char *text, size_t size)
{
    const rill_cells_case *c = r->given;
    const rill_cells_plan *p = r->plan;
    const rill_elastic_options *e = &p->elastic;
    double sum = 0, ends = 0;
    for (uint32_t k = 0; k < p->count; k++)
        for (int a = 0; a < 3; a++)
            sum += (k + 1) * (p->places[k].centre[a] + 1e-3 * (a + 1) * p->places[k].turn[a + 1]);
    for (int k = 0; k < p->ports.count; k++) {
        const rill_cells_end *end = &c->ends[p->ends[k]];
        ends += (k + 1) * (end->kind + 1 + 3 * end->pressure + 5e12 * end->flow + 7 * p->ports.each[k].share);
    }
    snprintf(
        text, size,
        "cells %d count %u radius %a law %d shear %a dilatation %a bending %a area %a volume %a contact %a force %a %a %a plate %a tau %a step %a density %a steps %llu row %llu every %llu positions %a room %u seed %d axis %a %a %a openings %a",
        c->shape, p->count, c->radius / p->dx, (int)e->law, e->shear, e->dilatation, e->bending, e->area,
        e->volume, p->contact, p->force[0], p->force[1], p->force[2], p->plate, p->tau, p->dt, c->density,
        (unsigned long long)p->steps.steps, (unsigned long long)p->steps.row,
        (unsigned long long)p->steps.every, sum, p->room, c->seed, c->axis[0], c->axis[1], c->axis[2], ends);
}

static rill_status steps(run *r)
{
    rill_status status = RILL_OK;
    char text[1024];
    rill_step_run *s = &r->steps;
    text_of(r, text, sizeof text);
    snprintf(r->checkpoint, sizeof r->checkpoint, "%s/checkpoint.h5", r->options->directory);
    s->sim = r->sim;
    s->geom = r->plan->geom;
    s->plan = r->plan->steps;
    s->progress = r->options->progress;
    s->text = text;
    s->keep = (rill_step_keep){.checkpoint = r->checkpoint,
                               .every = r->options->checkpoint_every,
                               .resume = r->options->resume,
                               .stays = false,
                               .asked = r->options->save};
    s->owner = (rill_step_owner){.parts = parts, .resumed = resumed, .look = look, .row = row, .context = r};
    RILL_TRY(rill_step_run_make(s));
    r->out->mlups =
        s->seconds > 0 ? 1e-6 * (double)(s->plan.steps - s->resumed) * r->plan->nodes / s->seconds : 0;
done:
    s->text = NULL;
    return status;
}

static rill_status close_result(run *r)
{
    const rill_cells_plan *p = r->plan;
    static const rill_quantity what[] = {{"speed", "m/s", "mean of cells along the flow", 1},
                                         {"deformation", "1", "mean of cells", 1},
                                         {"stress", "Pa", "mean xz that cells add to their volume", 1},
                                         {"mach", "1", "largest", 1}};
    rill_status status = RILL_OK;
    rill_cells_outcome *o = r->out;
    const double values[] = {o->speed, o->deformation, o->stress, o->mach};
    char path[4096];
    snprintf(path, sizeof path, "%s/cells.csv", r->options->directory);
    RILL_TRY(rill_record_write(&r->steps.record, r->result, path));
    for (int k = 0; k < 4; k++)
        RILL_TRY(rill_result_values(r->result, "/summary", &what[k], 0, NULL, &values[k]));
    RILL_TRY(rill_result_set_integer(r->result, "/summary", "steps", (int64_t)o->steps));
    o->count = r->membranes->count;
    o->haematocrit = o->count * p->volume / (p->dx * p->dx * p->dx) / (p->nodes - (double)p->ports.closed);
    o->through = r->through.state;
    RILL_TRY(rill_result_commit(r->result));
done:
    return status;
}

double rill_cells_inflow(const rill_cells_plan *p, const rill_cells_outcome *o, int opening)
{
    const double volume = rill_ports_through(&p->ports, opening, o->steps),
                 cells = (double)o->through.entered[opening] - (double)o->through.left[opening];
    return volume > 0 ? cells * p->ports.volume / volume : 0;
}

rill_status rill_cells_run(const rill_cells_case *given, const rill_cells_plan *plan,
                           const rill_cells_options *options, rill_cells_outcome *out)
{
    rill_status status = RILL_OK;
    run r = {.given = given, .plan = plan, .options = options, .out = out};
    *out = (rill_cells_outcome){.steps = 0};
    if (strlen(options->directory) > 4000)
        return rill_fail(RILL_USAGE,
                         "the name of the directory has %zu characters, more than 4000: shorten it",
                         strlen(options->directory));
    RILL_TRY(begin(&r));
    RILL_TRY(open_result(&r));
    RILL_TRY(steps(&r));
    RILL_TRY(close_result(&r));
    out->checkpoint_left = rill_step_run_end(&r.steps);
done:
    rill_record_free(&r.steps.record);
    rill_result_destroy(r.result);
    rill_membranes_destroy(r.membranes);
    rill_array_destroy(r.stress);
    rill_array_destroy(r.numbers);
    rill_sim_destroy(r.sim);
    rill_domain_destroy(r.domain);
    return status;
}
