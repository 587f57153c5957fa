/* SPDX-License-Identifier: Apache-2.0 */
/* A drop that falls into a pool, timed beside the step without a surface of the same box in the same run. */
#include "bench/bench.h"
#include "cli/bench.h"
#include "core/status.h"
#include "free_surface/run.h"
#include "io/json_file.h"
#include "kernel/variant.h"

#include <string.h>

typedef struct state {
    const bench_splash_options *options;
    rill_bench_yardstick yardstick;
    json_t *results;
} state;

/* What a number format came to. */
typedef struct splash {
    rill_free_surface_outcome surface;
    rill_bench_record bare;
    double mlups; /* of all nodes */
} splash;

static rill_free_surface_case case_of(const state *s, rill_storage storage)
{
    const uint32_t n = s->options->cells;
    return (rill_free_surface_case){.shape = RILL_LIQUID_DROP,
                                    .n = {n, n, n},
                                    .depth = 0.35 * n,
                                    .radius = 0.08 * n,
                                    .height = 0.45 * n,
                                    .speed = 0.05,
                                    .tau = 0.51,
                                    .tension = 1e-4,
                                    .gravity = 1e-6,
                                    .contact_angle = RILL_RIGHT_ANGLE,
                                    .stream = s->options->stream,
                                    .storage = storage,
                                    .backend = s->yardstick.device->kind,
                                    .steps = s->options->steps,
                                    .progress = s->options->progress};
}

static rill_status bare_run(state *s, const rill_free_surface_case *c, rill_bench_record *out)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    rill_bench_subject *subject = NULL;
    rill_sim_options o = rill_sim_options_default();
    const rill_bench_options bench = {
        .seconds = s->options->seconds, .tolerance = 0.1, .max_steps = UINT64_C(1000000000000000)};
    o.variant.equilibrium = RILL_SECOND_ORDER;
    o.variant.stream = c->stream;
    o.variant.storage = c->storage;
    if (c->backend == RILL_BACKEND_CUDA) o.variant.addressing = RILL_BITMAP; /* as a surface has there */
    o.on.backend = c->backend;
    o.on.device = s->yardstick.device;
    o.tau = c->tau;
    RILL_TRY(rill_geom_create(c->n, &geom));
    memset(geom->voxels, RILL_FLUID, rill_geom_voxels(geom));
    geom->sides[2] = RILL_WALL;
    RILL_TRY(rill_bench_subject_create(geom, o.variant.lattice, &subject));
    status = rill_bench_run(subject, &o, &bench, &s->yardstick, out);
done:
    rill_bench_subject_destroy(subject);
    rill_geom_destroy(geom);
    return status;
}

static rill_status add(state *s, const rill_free_surface_case *c, const splash *p)
{
    const rill_free_surface_totals *t = &p->surface.last;
    const double share = p->mlups / p->bare.mlups, change = rill_free_surface_change(&p->surface);
    const double bytes =
        (double)p->bare.bytes_held / (double)p->bare.nodes + (double)rill_free_surface_node_bytes(false);
    cli_progress_end();
    if (!s->options->quiet)
        printf("%-8s %-7s %5u^3 %10llu %11llu %9.1f %9.1f %9.1f %7.1f %8.1f %10.2g\n",
               rill_storage_names[c->storage], rill_stream_names[c->stream], c->n[0],
               (unsigned long long)t->nodes[RILL_INTERFACE], (unsigned long long)t->nodes[RILL_LIQUID],
               p->surface.mlups, p->mlups, p->bare.mlups, 100 * share, bytes, change);
    json_t *row =
        json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f}", "storage",
                  rill_storage_names[c->storage], "stream", rill_stream_names[c->stream], "nodes",
                  (json_int_t)p->bare.nodes, "interface", (json_int_t)t->nodes[RILL_INTERFACE], "liquid",
                  (json_int_t)t->nodes[RILL_LIQUID], "steps", (json_int_t)p->surface.steps, "mlups_wet",
                  p->surface.mlups, "mlups", p->mlups, "mlups_bare", p->bare.mlups, "percent_bare",
                  100 * share, "bytes_per_node", bytes, "mass_change", change);
    if (!row || json_array_append_new(s->results, row) != 0)
        return rill_fail(RILL_SYSTEM, "out of memory for the results");
    return RILL_OK;
}

static rill_status storage_run(state *s, rill_storage storage)
{
    rill_status status = RILL_OK;
    const rill_free_surface_case c = case_of(s, storage);
    splash p;
    RILL_TRY(bare_run(s, &c, &p.bare));
    RILL_TRY(rill_free_surface_run(&c, &p.surface));
    p.mlups = 1e-6 * (double)p.bare.nodes * (double)c.steps / p.surface.seconds;
    status = add(s, &c, &p);
done:
    if (status != RILL_OK) rill_fail_prefix("%s", rill_storage_names[storage]);
    return status;
}

rill_status bench_splash(const bench_splash_options *options)
{
    rill_status status = RILL_OK;
    bench_splash_options own = *options;
    state s = {.options = &own, .results = json_array()};
    if (!s.results) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the results"));
    RILL_TRY(rill_bench_yardstick_start(own.backend, 0, &s.yardstick));
    const bool gpu = s.yardstick.device->kind == RILL_BACKEND_CUDA;
    if (!own.cells) own.cells = gpu ? 512 : 96;
    own.steps = gpu ? 300 : 40;
    if (!own.quiet || own.dry_run)
        printf("%-8s %-7s %7s %10s %11s %9s %9s %9s %7s %8s %10s\n", "format", "stream", "box", "interface",
               "liquid", "wet MLUPS", "MLUPS", "bare", "% bare", "B/node", "mass");
    for (int k = 0; k < own.storage_count && !own.dry_run; k++)
        RILL_TRY(storage_run(&s, (rill_storage)own.storages[k]));
    if (!own.dry_run)
        status = bench_results_write("free-surface", s.yardstick.device, own.command, s.results, own.json);
done:
    json_decref(s.results);
    rill_device_destroy(s.yardstick.device);
    return status;
}
