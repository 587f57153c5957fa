/* SPDX-License-Identifier: Apache-2.0 */
/* Red blood cells in a periodic box, timed beside the flow without them of the same box in the same run. */
#include "bench/bench.h"
#include "cli/bench.h"
#include "core/memory.h"
#include "core/status.h"
#include "io/json_file.h"
#include "kernel/variant.h"
#include "membrane/limit.h"
#include "membrane/membrane.h"
#include "sim/sim_priv.h"

#include <math.h>
#include <string.h>

/* A cell: radius of its disc, voxels, and divisions of its mesh, which has 642 vertices; room that it has
 * along x and y, and along its axis z. */
#define RADIUS 6.0
enum { LEVEL = 3, WIDE = 14, HIGH = 6 };

/* The fluid moves along x in a wave over the height of the box with this speed, lu. */
#define SPEED 0.05

/* Moduli over those of shear, in radii: Skalak's C, bending stiffness and volume modulus. What of the
 * stiffness that a time step allows is made use of, and by how much the volume of a cell may have changed at
 * the end. */
#define DILATATION 1.0
#define BENDING 2.5e-3
#define VOLUME 30.0
#define STIFFNESS_SHARE 0.7
#define VOLUME_CHANGE 0.05

/* Cells whose volume is looked at, at most. */
enum { LOOK = 1000 };

static const char *const flow_name = "the flow at the start";

/* A number format. */
typedef struct state {
    const bench_cells_options *options;
    rill_bench_yardstick yardstick;
    json_t *results;
    uint32_t n[3], columns; /* voxels of the box; cells along x and along y */
    rill_geom *geom;
    rill_bench_subject *subject;
    rill_domain *domain;
    rill_membrane_mesh mesh;
    double (*centres)[3];
} state;

/* What it came to. */
typedef struct blood {
    rill_bench_record bare, full;
    uint64_t bytes; /* of the cells */
    uint64_t reach; /* nodes within reach of their vertices */
    double volume;  /* largest relative change of those looked at */
} blood;

static bool on_gpu(const state *s) { return s->yardstick.device->kind == RILL_BACKEND_CUDA; }

static rill_bench_options bench_of(const state *s)
{
    return (rill_bench_options){
        .seconds = s->options->seconds, .tolerance = 0.1, .max_steps = UINT64_C(1000000000000000)};
}

static rill_sim_options sim_options(const state *s, rill_storage storage)
{
    rill_sim_options o = rill_sim_options_default();
    o.variant.equilibrium = RILL_SECOND_ORDER;
    o.variant.collision = RILL_TRT;
    o.variant.stream = s->options->stream;
    o.variant.storage = storage;
    if (on_gpu(s)) o.variant.addressing = RILL_BITMAP; /* as a case with cells has there */
    o.on.backend = s->yardstick.device->kind;
    o.on.device = s->yardstick.device;
    o.tau = 1;
    return o;
}

/* Stack the cells in a box that is about as high as it is wide. */
static rill_status box_make(state *s)
{
    rill_status status = RILL_OK;
    const uint32_t count = s->options->count;
    const double edge = cbrt((double)count * WIDE * WIDE * HIGH);
    s->columns = (uint32_t)fmax(1, round(edge / WIDE));
    const uint32_t plane = s->columns * s->columns, layers = (count + plane - 1) / plane;
    s->n[0] = s->n[1] = s->columns * WIDE;
    s->n[2] = layers * HIGH;
    if (s->n[2] < WIDE) s->n[2] = WIDE; /* no cell meets its own image */
    RILL_TRY(rill_membrane_mesh_red_cell(RADIUS, LEVEL, &s->mesh));
    RILL_TRY(rill_array_create(count, sizeof *s->centres, "the positions of cells", (void **)&s->centres));
    for (uint32_t k = 0; k < count; k++) {
        s->centres[k][0] = WIDE * (k % s->columns + 0.5);
        s->centres[k][1] = WIDE * (k / s->columns % s->columns + 0.5);
        s->centres[k][2] = HIGH * (k / plane + 0.5);
    }
    RILL_TRY(rill_geom_create(s->n, &s->geom));
    memset(s->geom->voxels, RILL_FLUID, rill_geom_voxels(s->geom));
    for (int a = 0; a < 3; a++) s->geom->sides[a] = RILL_PERIODIC;
    RILL_TRY(rill_bench_subject_create(s->geom, RILL_D3Q19, &s->subject));
    status =
        rill_domain_create(s->geom, &(rill_domain_options){RILL_D3Q19, -1, s->options->progress}, &s->domain);
done:
    return status;
}

/* Set the wave. */
static rill_status wave_begin(const state *s, rill_sim *sim)
{
    enum { some = 1 << 20 };
    rill_status status = RILL_OK;
    double *values = NULL;
    const uint64_t nodes = rill_domain_nodes(s->domain), plane = (uint64_t)s->n[0] * s->n[1];
    RILL_TRY(rill_array_create(4 * (uint64_t)some, sizeof *values, flow_name, (void **)&values));
    for (uint64_t first = 0; first < nodes; first += some) {
        const uint64_t count = nodes - first < some ? nodes - first : some;
        memset(values, 0, 4 * count * sizeof *values);
        for (uint64_t k = 0; k < count; k++) {
            const uint64_t z = (first + k) / plane;
            values[count + k] = k > 0 && z == (first + k - 1) / plane
                                    ? values[count + k - 1]
                                    : SPEED * sin(2 * M_PI * ((double)z + 0.5) / s->n[2]);
        }
        RILL_TRY(rill_sim_set_moments_of(sim, first, count, values, values + count));
    }
done:
    rill_array_destroy(values);
    return status;
}

/* Put cells into the flow whose moduli are what the time step allows: forces are proportional to them. */
static rill_status cells_begin(const state *s, rill_sim *sim, rill_membranes_options *options,
                               rill_membranes **out)
{
    rill_status status = RILL_OK;
    double stiffness;
    RILL_TRY(rill_membranes_create(sim, options, out));
    RILL_TRY(rill_membranes_stiffness(*out, s->options->progress, &stiffness));
    const double factor = STIFFNESS_SHARE * rill_membrane_stiffness_most(1) / stiffness;
    rill_elastic_options *e = &(*out)->elastic.options;
    e->shear *= factor;
    e->bending *= factor;
    e->volume *= factor;
    (*out)->set.contact.strength *= factor;
done:
    return status;
}

/* Refuse the speed of cells that are none any more. */
static rill_status cells_check(const state *s, rill_membranes *m, blood *b)
{
    rill_status status = RILL_OK;
    const uint32_t count = m->count < LOOK ? m->count : LOOK;
    RILL_TRY(rill_membranes_fetch(m));
    for (uint32_t k = 0; k < count; k++) {
        const uint64_t first = (uint64_t)(k * (double)m->count / count) * s->mesh.vertex_count;
        const rill_membrane_shape now = rill_membrane_shape_of(&s->mesh, (const double(*)[3])m->x + first);
        const double change = fabs(now.volume / m->elastic.volume - 1);
        b->volume = change > b->volume || isnan(change) ? change : b->volume;
    }
    if (!(b->volume <= VOLUME_CHANGE))
        RILL_TRY(rill_fail(RILL_NUMERICS,
                           "the volume of a cell changed by %.2g, more than %g: their speed means nothing",
                           b->volume, VOLUME_CHANGE));
done:
    return status;
}

static rill_status full_run(state *s, const rill_sim_options *o, blood *b)
{
    rill_status status = RILL_OK;
    rill_sim *sim = NULL;
    rill_membranes *membranes = NULL;
    const rill_bench_options bench = bench_of(s);
    const uint64_t nodes = rill_domain_nodes(s->domain);
    const double shear = 1e-3;
    rill_membranes_options options = {.mesh = &s->mesh,
                                      .elastic = {.law = RILL_SKALAK,
                                                  .shear = shear,
                                                  .dilatation = DILATATION,
                                                  .bending = BENDING * shear * RADIUS * RADIUS,
                                                  .volume = VOLUME * shear / RADIUS},
                                      .width = 2,
                                      .slip = rill_membrane_slip(2),
                                      .count = s->options->count,
                                      .contact = shear,
                                      .centres = (const double(*)[3])s->centres};
    b->bytes = rill_membranes_bytes(&options, s->n, nodes, nodes);
    RILL_TRY(
        rill_device_require(s->yardstick.device, b->bare.bytes_held + b->bytes, "the flow and the cells"));
    RILL_TRY(rill_sim_create(s->domain, o, &sim));
    RILL_TRY(wave_begin(s, sim));
    RILL_TRY(cells_begin(s, sim, &options, &membranes));
    RILL_TRY(rill_bench_time_rounds(sim, nodes, &bench, &b->full));
    b->reach = membranes->set.support.count;
    b->bytes = rill_membranes_bytes(&options, s->n, nodes, b->reach);
    status = cells_check(s, membranes, b);
done:
    rill_membranes_destroy(membranes);
    rill_sim_destroy(sim);
    return status;
}

static rill_status add(state *s, rill_storage storage, const blood *b)
{
    const uint64_t nodes = rill_domain_nodes(s->domain);
    const double count = s->options->count, per_second = 1e6 * b->full.mlups / (double)nodes,
                 haematocrit = count *
                               rill_membrane_shape_of(&s->mesh, (const double(*)[3])s->mesh.vertices).volume /
                               (double)nodes;
    const double share = b->full.mlups / b->bare.mlups, bytes = (double)b->bytes / count,
                 more = 1e9 * (1 / per_second - (double)nodes * 1e-6 / b->bare.mlups) / count /
                        s->mesh.vertex_count;
    cli_progress_end();
    if (!s->options->quiet)
        printf("%-8s %-7s %7u %11llu %6.3f %10.3g %9.1f %9.1f %7.1f %10.2f %8.0f %8.2g\n",
               rill_storage_names[storage], rill_stream_names[s->options->stream], s->options->count,
               (unsigned long long)nodes, haematocrit, count * per_second, b->full.mlups, b->bare.mlups,
               100 * share, more, bytes, b->volume);
    json_t *row = json_pack(
        "{s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "storage",
        rill_storage_names[storage], "stream", rill_stream_names[s->options->stream], "cells",
        (json_int_t)s->options->count, "vertices", (json_int_t)s->mesh.vertex_count, "nodes",
        (json_int_t)nodes, "nodes_reached", (json_int_t)b->reach, "haematocrit", haematocrit, "steps",
        (json_int_t)b->full.steps, "cells_per_second", count * per_second, "mlups", b->full.mlups,
        "mlups_bare", b->bare.mlups, "percent_bare", 100 * share, "ns_per_vertex", more, "bytes_per_cell",
        bytes, "bytes_per_node", (double)b->bare.bytes_held / (double)nodes, "volume_change", b->volume);
    if (!row || json_array_append_new(s->results, row) != 0)
        return rill_fail(RILL_SYSTEM, "out of memory for the results");
    return RILL_OK;
}

static rill_status storage_run(state *s, rill_storage storage)
{
    rill_status status = RILL_OK;
    const rill_sim_options o = sim_options(s, storage);
    const rill_bench_options bench = bench_of(s);
    blood b = {.volume = 0};
    RILL_TRY(rill_bench_run(s->subject, &o, &bench, &s->yardstick, &b.bare));
    RILL_TRY(full_run(s, &o, &b));
    status = add(s, storage, &b);
done:
    if (status != RILL_OK) rill_fail_prefix("%s", rill_storage_names[storage]);
    return status;
}

rill_status bench_cells(const bench_cells_options *options)
{
    rill_status status = RILL_OK;
    bench_cells_options own = *options;
    state s = {.options = &own, .results = json_array()};
    if (!s.results) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the results"));
    RILL_TRY(rill_bench_yardstick_start(own.backend, 0, &s.yardstick));
    if (!own.count) own.count = on_gpu(&s) ? 10000 : 100;
    if (!own.quiet || own.dry_run)
        printf("%-8s %-7s %7s %11s %6s %10s %9s %9s %7s %10s %8s %8s\n", "format", "stream", "cells", "nodes",
               "Ht", "cells/s", "MLUPS", "bare", "% bare", "ns/vertex", "B/cell", "volume");
    if (own.dry_run) goto done;
    RILL_TRY(box_make(&s));
    for (int k = 0; k < own.storage_count; k++) RILL_TRY(storage_run(&s, (rill_storage)own.storages[k]));
    status = bench_results_write("cells", s.yardstick.device, own.command, s.results, own.json);
done:
    json_decref(s.results);
    rill_bench_subject_destroy(s.subject);
    rill_domain_destroy(s.domain);
    rill_geom_destroy(s.geom);
    rill_membrane_mesh_destroy(&s.mesh);
    rill_array_destroy(s.centres);
    rill_device_destroy(s.yardstick.device);
    return status;
}
