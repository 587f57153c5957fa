/* SPDX-License-Identifier: Apache-2.0 */
#include "free_surface/run.h"

#include "core/memory.h"
#include "core/threads.h"
#include "domain/domain.h"
#include "free_surface/bubbles.h"
#include "free_surface/plic.h"
#include "io/fields.h"
#include "io/result.h"
#include "kernel/variant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A case that runs. */
typedef struct run {
    const rill_free_surface_case *given;
    rill_geom *geom;
    rill_domain *domain;
    const rill_numbering *numbering; /* of the domain */
    rill_sim *sim;
    rill_free_surface *surface;
    rill_result *result;
    rill_step_run steps;
    rill_record bubbles; /* closed ones, where their pressure depends on their volume */
    rill_free_surface_outcome *out;
    rill_node *middle; /* [n[2]] of the box: nodes of the column in the middle, RILL_UPSTREAM_WALL in solid */
    uint64_t counted;  /* steps whose updates are counted */
    double updates;    /* of liquid and interface nodes */
} run;

static double ball(const rill_free_surface_case *c, const double at[3])
{
    const double x = at[0] - c->n[0] / 2.0, y = at[1] - c->n[1] / 2.0, z = at[2] - c->height;
    return c->radius - sqrt(x * x + y * y + z * z);
}

/* Return how far a point is inside of the liquid, about. */
static double inside(const void *context, const double x[3])
{
    const rill_free_surface_case *c = context;
    const double pool = c->depth - x[2];
    switch (c->shape) {
    case RILL_LIQUID_DROP:
        return fmax(pool, ball(c, x));
    case RILL_LIQUID_BUBBLE:
        return -ball(c, x);
    case RILL_LIQUID_COLUMN:
        return fmin(pool, c->width - x[0]);
    case RILL_LIQUID_WAVE:
        return pool + c->amplitude * cos(2 * M_PI * x[0] / c->n[0]);
    default:
        return pool;
    }
}

/* Return the part of a cell that is liquid. Away from the surface, more than what inside() changes by in half
 * a cell at the steepest place of a wave, it is all or nothing. */
static double fill_of(const rill_free_surface_case *c, const uint32_t cell[3])
{
    const double middle[3] = {cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5}, depth = inside(c, middle);
    const double far = 1 + (c->shape == RILL_LIQUID_WAVE ? M_PI * c->amplitude / c->n[0] : 0);
    return fabs(depth) > far ? depth > 0 : rill_plic_fill(inside, c, cell);
}

static rill_status check(const rill_free_surface_case *c)
{
    const rill_status status = rill_free_surface_cells_check(c->n);
    if (status != RILL_OK) return status;
    const struct {
        const char *name;
        double value, least;
    } all[] = {{"depth", c->depth, 0},         {"radius", c->radius, 0},   {"height", c->height, 0},
               {"width", c->width, 0},         {"tension", c->tension, 0}, {"gravity", c->gravity, 0},
               {"amplitude", c->amplitude, 0}, {"speed", c->speed, 0}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!(all[k].value >= all[k].least) || !isfinite(all[k].value))
            return rill_fail(RILL_USAGE, "%s %g is not a number from %g on", all[k].name, all[k].value,
                             all[k].least);
    if ((c->shape == RILL_LIQUID_IMAGE) != (c->liquid != NULL))
        return rill_fail(RILL_USAGE, "the liquid comes from an image, or has a shape: name one of them");
    for (int a = 0; a < 3 && c->liquid; a++)
        if (c->liquid->n[a] != c->n[a])
            return rill_fail(
                RILL_USAGE,
                "the image of the liquid has %u x %u x %u voxels, the box %u x %u x %u: they must be the same",
                c->liquid->n[0], c->liquid->n[1], c->liquid->n[2], c->n[0], c->n[1], c->n[2]);
    if ((c->shape == RILL_LIQUID_DROP || c->shape == RILL_LIQUID_BUBBLE) && c->height >= c->n[2] + c->radius)
        return rill_fail(RILL_USAGE, "the %s is above the ceiling: lower its height from %g below %g",
                         c->shape == RILL_LIQUID_DROP ? "drop" : "bubble", c->height, c->n[2] + c->radius);
    if (c->speed > 0.2)
        return rill_fail(
            RILL_USAGE,
            "speed %g is above 0.2, where the flow is no longer incompressible: shorten the time step",
            c->speed);
    return RILL_OK;
}

/* Set pressure of a liquid at rest, or of a ball, and velocity of a cell. */
static void cell_begin(const rill_free_surface_case *c, const uint32_t cell[3], double *rho, double *down)
{
    const double x[3] = {cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5};
    const bool of_ball = c->shape == RILL_LIQUID_DROP && ball(c, x) > -1;
    const double top = c->shape == RILL_LIQUID_BUBBLE ? c->n[2] : inside(c, x) + x[2];
    if (!of_ball && c->shape != RILL_LIQUID_COLUMN && c->shape != RILL_LIQUID_IMAGE)
        *rho = 3 * c->gravity * fmax(top - x[2], 0);
    if (of_ball && c->radius > 0) *rho = 6 * c->tension / c->radius;
    if (of_ball) *down = -c->speed;
}

/* The liquid at the start: values of nodes, and the cells they are in. */
typedef struct start {
    const run *r;
    uint64_t nodes;
    double *values;
    rill_node *cells;
} start;

static void start_some(const void *shared, uint64_t first, uint64_t end)
{
    const start *s = shared;
    const rill_free_surface_case *c = s->r->given;
    const uint32_t *n = s->r->numbering->n; /* of the box, with layers of solid beyond walls */
    rill_numbering_cells(s->r->numbering, (rill_node)first, (rill_node)(end - first), s->cells + first);
    for (uint64_t k = first; k < end; k++) {
        const uint32_t cell[3] = {s->cells[k] % n[0], s->cells[k] / n[0] % n[1], s->cells[k] / n[0] / n[1]};
        const uint64_t voxel = cell[0] + c->n[0] * (cell[1] + (uint64_t)c->n[1] * cell[2]);
        double *fill = s->values + 4 * s->nodes;
        fill[k] = c->liquid ? c->liquid->voxels[voxel] >= RILL_FLUID : fill_of(c, cell);
        if (fill[k] > 0) cell_begin(c, cell, &s->values[k], &s->values[3 * s->nodes + k]);
    }
}

/* Set the liquid; then put the surface on. */
static rill_status begin_liquid(run *r)
{
    rill_status status = RILL_OK;
    const rill_free_surface_case *c = r->given;
    const rill_node nodes = rill_domain_nodes(r->domain);
    double *values = NULL;
    bool liquid = false;
    rill_node *place = NULL;
    RILL_TRY(rill_free_surface_cells_check(r->numbering->n));
    RILL_TRY(rill_array_create_zero(5 * (uint64_t)nodes, sizeof *values, "the liquid", (void **)&values));
    RILL_TRY(rill_array_create(nodes, sizeof *place, "the liquid", (void **)&place));
    enum { piece = 4096 };
    rill_threads_for(nodes, piece, start_some, &(start){r, nodes, values, place});
    const double *fill = values + 4 * (uint64_t)nodes;
    for (uint64_t k = 0; k < nodes && !liquid; k++) liquid = fill[k] > 0;
    if (!liquid && !c->inflow.end)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "there is no liquid in the pores of the box: raise its depth, radius or width, or let another place be pore"));
    RILL_TRY(rill_sim_set_moments(r->sim, values, values + nodes));
    const rill_free_surface_options options = {c->tension,          c->contact_angle, c->inflow,
                                               c->outflow,          c->gas_pressure,  c->atmosphere,
                                               c->atmosphere_needed};
    status = rill_free_surface_create(r->sim, &options, fill, &r->surface);
done:
    rill_array_destroy(place);
    rill_array_destroy(values);
    return status;
}

/* Make the box, or take that of an image. */
static rill_status box_begin(run *r)
{
    const rill_free_surface_case *c = r->given;
    r->geom = c->geom;
    if (!c->geom) {
        const rill_status status = rill_geom_create(c->n, &r->geom);
        if (status != RILL_OK) return status;
        memset(r->geom->voxels, RILL_FLUID, rill_geom_voxels(r->geom));
    }
    for (int a = 0; a < 3; a++) {
        const bool open = (c->inflow.end && c->inflow.axis == a) || (c->outflow.end && c->outflow.axis == a);
        r->geom->sides[a] = a == 2 || open || (c->walls[a] && r->geom->n[a] > 1) ? RILL_WALL : RILL_PERIODIC;
    }
    return RILL_OK;
}

/* List the nodes of the column in the middle of the box. */
static rill_status middle_list(run *r)
{
    const uint32_t *n = r->numbering->n, high = r->given->n[2];
    const uint32_t at = r->given->n[0] / 2 + n[0] * (r->given->n[1] / 2);
    const rill_status status =
        rill_array_create(high, sizeof *r->middle, "a column of nodes", (void **)&r->middle);
    for (uint32_t z = 0; z < high && status == RILL_OK; z++) r->middle[z] = RILL_UPSTREAM_WALL;
    for (rill_node k = 0; k < r->surface->nodes && status == RILL_OK; k++) {
        const uint32_t z = r->surface->cell[k] / (n[0] * n[1]);
        if (r->surface->cell[k] % (n[0] * n[1]) == at && z < high) r->middle[z] = k;
    }
    return status;
}

static rill_status begin(run *r)
{
    rill_status status = RILL_OK;
    const rill_free_surface_case *c = r->given;
    rill_sim_options o = rill_sim_options_default();
    RILL_TRY(check(c));
    RILL_TRY(box_begin(r));
    RILL_TRY(rill_domain_create(r->geom, &(rill_domain_options){RILL_D3Q19, -1, c->progress}, &r->domain));
    r->numbering = &r->domain->numbering;
    o.variant.equilibrium = RILL_SECOND_ORDER;
    o.variant.stream = c->stream;
    o.variant.storage = c->storage;
    o.on.backend = c->backend == RILL_BACKEND_CUDA ? RILL_BACKEND_CUDA : RILL_BACKEND_CPU;
    if (c->backend == RILL_BACKEND_CUDA) o.variant.addressing = RILL_BITMAP; /* less memory than a list */
    o.tau = c->tau;
    o.force[2] = -c->gravity;
    RILL_TRY(rill_sim_create(r->domain, &o, &r->sim));
    RILL_TRY(begin_liquid(r));
    status = middle_list(r);
done:
    return status;
}

static rill_status open_result(run *r)
{
    static const rill_quantity columns[] = {{"mass", "lu", "of the liquid", 0},
                                            {"volume", "lu", "sum of the fill levels", 0},
                                            {"speed_max", "lu", "largest speed", 0},
                                            {"interface", "1", "interface nodes", 1},
                                            {"liquid", "1", "liquid nodes", 1},
                                            {"inflow", "lu", "mass that came in through a face", 0},
                                            {"outflow", "lu", "mass that went out through a face", 0},
                                            {"level", "lu",
                                             "of the liquid in the middle of x and y, below the first gas",
                                             0}},
                               gas[] = {{"bubble", "1", "number", 1},
                                        {"volume", "lu", "of its gas", 0},
                                        {"pressure", "lu", "of its gas", 0},
                                        {"x", "lu", "centre", 0},
                                        {"y", "lu", "centre", 0},
                                        {"z", "lu", "centre", 0}};
    rill_status status = RILL_OK;
    char variant[128];
    rill_variant_name(rill_sim_variant(r->sim), variant, sizeof variant);
    const rill_run about = {.command = r->given->command,
                            .backend = rill_sim_backend(r->sim),
                            .device = rill_sim_device(r->sim),
                            .variant = variant,
                            .seed = -1};
    RILL_TRY(rill_record_create_of("liquid", columns, 8, &r->steps.record));
    if (r->given->gas_pressure > 0) RILL_TRY(rill_record_create_of("bubbles", gas, 6, &r->bubbles));
    if (r->given->output) status = rill_result_create(r->given->output, &about, &r->result);
done:
    return status;
}

static rill_status fills(void *context, rill_node first, rill_node count, double *values)
{
    const run *r = context;
    for (rill_node k = 0; k < count; k++) values[k] = (double)r->surface->fill[first + k];
    return RILL_OK;
}

/* Moments of liquid and interface; those of gas are 0. */
static rill_status moments(void *context, rill_node first, rill_node count, double *rho, double *u)
{
    const run *r = context;
    const rill_status status = rill_sim_moments(r->sim, first, count, rho, u);
    for (rill_node k = 0; k < count && status == RILL_OK; k++) {
        if (r->surface->state[first + k] == RILL_LIQUID) continue;
        if (rho) rho[k] = 0;
        for (size_t a = 0; a < 3 && u; a++) u[a * count + k] = 0;
    }
    return status;
}

static rill_status write_fields(run *r)
{
    rill_status status = RILL_OK;
    char *path = rill_step_file_name(r->given->output, rill_sim_steps(r->sim), "");
    if (!path) return rill_fail(RILL_SYSTEM, "out of memory for the name of a file");
    rill_fields fields = rill_fields_default();
    fields.geom = r->geom;
    fields.moments = moments;
    fields.context = r;
    fields.step = rill_sim_steps(r->sim);
    fields.command = r->given->command;
    fields.scalar_count = 1;
    fields.scalars[0] = (rill_field_scalar){
        .name = "fill", .unit = {1, "1", 1, 0}, .meaning = "part of a cell that is liquid", .values = fills};
    status = rill_fields_write(&fields, RILL_FIELDS_IMAGE, path);
    free(path);
    return status;
}

/* Parts of the mass by which it may be below 0, and of the volume by which it may be above: more than formats
 * of 16 bits round, and than liquids are compressed that flow. */
#define LOST 1e-3
#define PRESSED 1.1

rill_status rill_free_surface_sound(const rill_free_surface_case *c, const rill_free_surface_outcome *o)
{
    const rill_free_surface_totals *t = &o->last;
    const unsigned long long step = o->steps;
    const char *lower = c->inflow.end ? "--tension, --gravity, --speed and --inflow-speed"
                                      : "--tension, --gravity and --speed";
    if (!t->finite || !isfinite(t->mass + t->volume + t->through.came + t->through.went))
        return rill_fail(RILL_NUMERICS, "the flow diverged by step %llu: raise --tau, or lower %s", step,
                         lower);
    if (t->mass < -LOST * fmax(o->first.mass + t->through.came, 1))
        return rill_fail(
            RILL_NUMERICS,
            "the mass is %g in step %llu, more went out than there was: take fewer --steps, a higher --outflow-level, or lower %s",
            t->mass, step, lower);
    const double before = o->first.volume > 0 ? fmax(o->first.mass / o->first.volume, 1) : 1;
    if (c->inflow.end && t->mass > PRESSED * before * t->volume + 1)
        return rill_fail(
            RILL_NUMERICS,
            "a mass of %g is in a volume of %g in step %llu, the box is full: add --outflow, or take fewer --steps",
            t->mass, t->volume, step);
    if (t->speed_max > 0.5)
        return rill_fail(
            RILL_NUMERICS,
            "the largest speed is %g in step %llu, above 0.5 where flow is compressible: lower %s",
            t->speed_max, step, lower);
    return RILL_OK;
}

/* Record closed bubbles. */
static rill_status bubbles_row(run *r, uint64_t step)
{
    rill_status status = RILL_OK;
    const rill_bubbles *b = r->surface->bubbles;
    double(*centre)[3] = NULL;
    if (!b) return RILL_OK;
    RILL_TRY(rill_array_create(b->count + 1, sizeof *centre, "bubbles", (void **)&centre));
    RILL_TRY(rill_bubbles_centres(r->surface, centre));
    for (uint64_t k = 0; k < b->count; k++) {
        if (b->all[k].open || !b->all[k].gas) continue;
        double *values = rill_record_append(&r->bubbles, step, (double)(k + 1));
        if (!values) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a series"));
        values[2] = b->all[k].volume;
        values[3] = b->all[k].pressure;
        memcpy(&values[4], centre[k], sizeof centre[k]);
    }
done:
    rill_array_destroy(centre);
    return status;
}

/* Return how high the liquid stands in this column on the floor, or on solid there: up to the first gas. */
static double level_of(const run *r)
{
    const uint32_t high = r->given->n[2];
    uint32_t z = 0;
    while (z < high && r->middle[z] == RILL_UPSTREAM_WALL) z++;
    double level = z;
    for (; z < high && r->middle[z] != RILL_UPSTREAM_WALL; z++) {
        if (r->surface->state[r->middle[z]] == RILL_GAS) break;
        level += (double)r->surface->fill[r->middle[z]];
    }
    return level;
}

/* Record what there is. */
static rill_status row(void *context)
{
    rill_status status = RILL_OK;
    run *r = context;
    rill_free_surface_totals *t = &r->out->last;
    const uint64_t step = rill_sim_steps(r->sim);
    RILL_TRY(rill_free_surface_totals_take(r->surface, t));
    double *values = rill_record_append(&r->steps.record, step, t->mass);
    if (!values) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a series"));
    values[2] = t->volume;
    values[3] = t->speed_max;
    values[4] = (double)t->nodes[RILL_INTERFACE];
    values[5] = (double)t->nodes[RILL_LIQUID];
    values[6] = t->through.came;
    values[7] = t->through.went;
    values[8] = level_of(r);
    RILL_TRY(bubbles_row(r, step));
    if (step == 0) r->out->first = *t;
    r->updates += (double)(step - r->counted) * (values[4] + values[5]);
    r->counted = r->out->steps = step;
    RILL_TRY(rill_free_surface_sound(r->given, r->out));
    if (r->given->output && rill_step_plan_writes(&r->steps.plan, step)) RILL_TRY(write_fields(r));
done:
    return status;
}

static int parts(void *context, rill_checkpoint_part *parts)
{
    run *r = context;
    int count = rill_free_surface_parts(r->surface, parts);
    parts[count++] = rill_checkpoint_memory("at the start", &r->out->first, sizeof r->out->first);
    if (r->surface->bubbles) parts[count++] = rill_record_part(&r->bubbles);
    return count;
}

static rill_status resumed(void *context)
{
    run *r = context;
    r->counted = r->steps.resumed;
    return rill_free_surface_resume(r->surface);
}

/* Return all that decides on the bits beside what steps say themselves. */
static void text_of(const rill_free_surface_case *c, const char *liquid, char *text, size_t size)
{
    int at = snprintf(
        text, size,
        "free surface with levels %d liquid %s walls %d %d depth %a radius %a height %a speed %a width %a amplitude %a tau %a tension %a gravity %a angle %a steps %llu every %llu",
        (int)c->shape, liquid, c->walls[0], c->walls[1], c->depth, c->radius, c->height, c->speed, c->width,
        c->amplitude, c->tau, c->tension, c->gravity, c->contact_angle, (unsigned long long)c->steps,
        (unsigned long long)(c->output ? c->every : 0));
    const rill_free_surface_face *faces[] = {&c->inflow, &c->outflow};
    for (int k = 0; k < 2; k++)
        at += snprintf(text + at, size - (size_t)at, " face %d %d %a %a", faces[k]->axis, faces[k]->end,
                       faces[k]->speed, faces[k]->level);
    if (c->gas_pressure > 0)
        snprintf(text + at, size - (size_t)at, " gas %a %d %d", c->gas_pressure, c->atmosphere.axis,
                 c->atmosphere.end);
}

static rill_status steps(run *r)
{
    rill_status status = RILL_OK;
    const rill_free_surface_case *c = r->given;
    char text[1024], liquid[17] = "-";
    rill_step_run *s = &r->steps;
    if (c->liquid) RILL_TRY(rill_checkpoint_geometry(c->liquid, liquid));
    text_of(c, liquid, text, sizeof text);
    s->sim = r->sim;
    s->geom = r->geom;
    s->plan = (rill_step_plan){.steps = c->steps, .row = RILL_FREE_SURFACE_ROW, .every = c->every};
    s->progress = c->progress;
    s->text = text;
    s->keep = c->keep;
    s->owner = (rill_step_owner){.parts = parts, .resumed = resumed, .row = row, .context = r};
    status = rill_step_run_make(s);
    r->out->seconds = s->seconds;
    r->out->mlups = s->seconds > 0 ? 1e-6 * r->updates / s->seconds : 0;
done:
    s->text = NULL;
    return status;
}

double rill_free_surface_change(const rill_free_surface_outcome *o)
{
    const rill_free_surface_through *t = &o->last.through;
    return (o->last.mass + t->went - t->came - o->first.mass) / fmax(o->first.mass, o->last.mass + t->went);
}

static rill_status close_result(run *r, const rill_free_surface_outcome *out)
{
    rill_status status = RILL_OK;
    const rill_quantity mass = {"mass_change", "1", "of the liquid, but for what crossed faces, relative", 1};
    const double change = rill_free_surface_change(out);
    if (!r->result) return RILL_OK;
    RILL_TRY(rill_record_write(&r->steps.record, r->result, NULL));
    if (r->surface->bubbles) RILL_TRY(rill_record_write(&r->bubbles, r->result, NULL));
    RILL_TRY(rill_result_values(r->result, "/summary", &mass, 0, NULL, &change));
    RILL_TRY(rill_result_set_integer(r->result, "/summary", "steps", (int64_t)out->steps));
    RILL_TRY(rill_result_commit(r->result));
done:
    return status;
}

rill_status rill_free_surface_run(const rill_free_surface_case *given, rill_free_surface_outcome *out)
{
    rill_status status = RILL_OK;
    run r = {.given = given, .out = out};
    *out = (rill_free_surface_outcome){.steps = 0};
    RILL_TRY(begin(&r));
    RILL_TRY(open_result(&r));
    RILL_TRY(steps(&r));
    RILL_TRY(close_result(&r, out));
    out->checkpoint_left = rill_step_run_end(&r.steps);
done:
    rill_record_free(&r.steps.record);
    rill_record_free(&r.bubbles);
    rill_result_destroy(r.result);
    rill_array_destroy(r.middle);
    rill_free_surface_destroy(r.surface);
    rill_sim_destroy(r.sim);
    rill_domain_destroy(r.domain);
    if (r.geom != given->geom) rill_geom_destroy(r.geom);
    return status;
}
