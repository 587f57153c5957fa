/* SPDX-License-Identifier: Apache-2.0 */
/* `rill bench`: speed on this machine, as a fraction of its memory bandwidth. */
#include "cli/cli.h"
#include "cli/read_geometry.h"
#include "geometry/generate.h"
#include "io/json_file.h"
#include "io/output.h"
#include "kernel/storage.h"
#include "run/bench.h"
#include "run/variant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- suites ---------------------------------------------------------------------------------- */

typedef struct bench_options {
    cli_compute compute;
    int suite;
    const char *rock;
    uint64_t cells;
    double seconds;
} bench_options;

static rill_status make_box(const bench_options *o, uint32_t cells, rill_geom **out)
{
    (void)o;
    const uint32_t n[3] = {cells, cells, cells};
    return rill_generate_box(n, out);
}

/* Porosity 0.39, spheres of radius 16 voxels. */
static rill_status make_spheres(const bench_options *o, uint32_t cells, rill_geom **out)
{
    (void)o;
    rill_pack_options options = rill_pack_options_default();
    rill_pack pack = {0};
    for (int a = 0; a < 3; a++) options.n[a] = cells;
    options.radius = 16;
    options.porosity = 0.39;
    rill_status status = rill_pack_create(&options, &pack);
    if (status == RILL_OK) status = rill_generate_pack(&options, &pack, out);
    rill_pack_destroy(&pack);
    return status;
}

static rill_status make_rock(const bench_options *o, uint32_t cells, rill_geom **out)
{
    (void)cells;
    return cli_read_geometry(o->rock, RILL_KEEP_PERCOLATING, cli_progress(o->compute.quiet), out);
}

/*
 * The same straight pipe along x, y and z, eight times as long as its radius: what a direction costs where
 * nodes are numbered with x fastest. @see Geier & Schönherr (2017), doi:10.3390/computation5020019, figure 4
 */
static rill_status make_pipe(int axis, uint32_t cells, rill_geom **out)
{
    rill_pipe_options options = rill_pipe_options_default();
    options.axis = axis;
    options.length = cells;
    options.radius = cells / 8.0;
    return rill_generate_pipe(&options, out);
}

static rill_status make_pipe_x(const bench_options *o, uint32_t cells, rill_geom **out)
{
    (void)o;
    return make_pipe(0, cells, out);
}

static rill_status make_pipe_y(const bench_options *o, uint32_t cells, rill_geom **out)
{
    (void)o;
    return make_pipe(1, cells, out);
}

static rill_status make_pipe_z(const bench_options *o, uint32_t cells, rill_geom **out)
{
    (void)o;
    return make_pipe(2, cells, out);
}

typedef struct bench_case {
    int suite; /* in the order of `suites` */
    const char *name;
    uint32_t cells[2]; /* along an edge: on a cpu, on a device */
    rill_status (*make)(const bench_options *o, uint32_t cells, rill_geom **out);
} bench_case;

enum { suite_box, suite_spheres, suite_rock, suite_isotropy, suite_all };
static const char *const suites[] = {"box", "spheres", "rock", "isotropy", "all", NULL};
static const bench_case cases[] = {{suite_box, "box", {160, 384}, make_box},
                                   {suite_spheres, "spheres", {224, 512}, make_spheres},
                                   {suite_rock, "rock", {0, 0}, make_rock},
                                   {suite_isotropy, "pipe-x", {256, 1024}, make_pipe_x},
                                   {suite_isotropy, "pipe-y", {256, 1024}, make_pipe_y},
                                   {suite_isotropy, "pipe-z", {256, 1024}, make_pipe_z}};
enum { case_count = sizeof cases / sizeof *cases };

/* ---- running them ---------------------------------------------------------------------------- */

static json_t *record_json(const bench_case *c, rill_variant v, const rill_bench_record *r,
                           const char *command)
{
    const rill_bytes bytes = rill_variant_bytes(v, r->porosity);
    const double model = r->mlups * 1e6 * r->bytes_per_update,
                 plain = 2.0 * rill_lattice_q(v.lattice) * (double)rill_storage_size((int)v.storage);
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:f, s:f, s:f, s:f, s:f, "
        "s:s, "
        "s:f, s:f, s:f, s:f, s:f, s:I, s:b, s:s}",
        "suite", suites[c->suite], "case", c->name, "lattice", rill_lattice_names[v.lattice], "collision",
        rill_collision_names[v.collision], "equilibrium", rill_equilibrium_names[v.equilibrium], "stream",
        rill_stream_names[v.stream], "addressing", rill_addressing_names[v.addressing], "storage",
        rill_storage_names[v.storage], "arithmetic", rill_arithmetic_names[v.arithmetic], "bounce_back",
        rill_bounce_names[v.bounce], "shift", rill_shift_names[v.shift], "backend", r->backend, "device",
        r->device, "nodes", (json_int_t)r->nodes, "porosity", r->porosity, "mlups", r->mlups, "mlups_spread",
        r->mlups_max - r->mlups_min, "bandwidth_gbs", r->bandwidth * 1e-9, "percent_model",
        100 * model / r->bandwidth, "yardstick", r->yardstick, "percent_2qb",
        100 * r->mlups * 1e6 * plain / r->bandwidth, "bytes_moved_model", r->bytes_per_update,
        "bytes_per_node", bytes.populations + bytes.index, "mass_error", r->mass_error, "seconds", r->seconds,
        "steps", (json_int_t)r->steps, "settled", (int)r->settled, "command", command);
}

/* Append a CSV field (RFC 4180): texts in quotes, quotes in them twice. */
static rill_status append_field(rill_output *output, const char *text, const char *end)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_output_append(output, "\"", 1));
    for (const char *c = text; *c; c++)
        RILL_TRY(rill_output_append(output, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1));
    RILL_TRY(rill_output_append(output, "\"", 1));
    RILL_TRY(rill_output_append(output, end, strlen(end)));
done:
    return status;
}

/* Write the records as CSV: a line of the keys that --json has, and a line each. */
static rill_status write_csv(json_t *results, const char *path)
{
    rill_status status = RILL_OK;
    rill_output *output = NULL;
    RILL_TRY(rill_output_create(path, &output));
    for (size_t k = 0; k <= json_array_size(results); k++) {
        json_t *record = json_array_get(results, k ? k - 1 : 0), *value;
        const char *key;
        size_t left = json_object_size(record);
        json_object_foreach(record, key, value)
        {
            const char *end = --left ? "," : "\n";
            char number[32];
            if (k == 0 || json_is_string(value)) {
                RILL_TRY(append_field(output, k == 0 ? key : json_string_value(value), end));
                continue;
            }
            if (json_is_boolean(value))
                snprintf(number, sizeof number, "%d%s", json_is_true(value), end);
            else
                snprintf(number, sizeof number, "%.12g%s", json_number_value(value), end);
            RILL_TRY(rill_output_append(output, number, strlen(number)));
        }
    }
    RILL_TRY(rill_output_commit(output));
done:
    rill_output_destroy(output);
    return status;
}

static void print_heading(void)
{
    printf(
        "Speed by the model: B/node are the bytes that an update moves, GB/s the bandwidth of the yardstick\n"
        "(device copy on a GPU, in-place update on a CPU) in this run.\n\n");
    printf("%-8s %-40s %11s %9s %8s %7s %9s %7s\n", "case", "variant", "nodes", "MLUPS", "spread", "B/node",
           "GB/s", "of it");
}

static void print_record(const char *name, rill_variant v, const rill_bench_record *r)
{
    char variant[96];
    rill_variant_name(v, variant, sizeof variant);
    printf("%-8s %-40s %11llu %9.1f %7.1f%% %7.0f %9.1f %6.1f%%\n", name, variant,
           (unsigned long long)r->nodes, r->mlups, 100 * (r->mlups_max - r->mlups_min) / r->mlups,
           r->bytes_per_update, r->bandwidth * 1e-9,
           100 * r->mlups * 1e6 * r->bytes_per_update / r->bandwidth);
    if (!r->settled) printf("%-8s not settled: the rounds are further apart than --tolerance\n", "");
    fflush(stdout);
}

static rill_status run_case(const bench_options *o, const bench_case *c, const char *command,
                            double *bandwidth, json_t *results)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    rill_progress progress = cli_progress(o->compute.quiet);
    rill_sim_options sim = rill_sim_options_default();
    sim.backend = (rill_backend_kind)o->compute.backend;
    sim.variant = cli_compute_variant(&o->compute);
    sim.tau = o->compute.tau;
    sim.magic = o->compute.magic;
    const bool device = sim.backend != RILL_BACKEND_CPU && rill_backend_available(RILL_BACKEND_CUDA);
    const uint32_t cells = o->cells ? (uint32_t)o->cells : c->cells[device];
    if (progress.fn) progress.fn(progress.context, c->name, -1, "making the geometry");
    RILL_TRY(c->make(o, cells, &geom));
    rill_bench_options bench = {o->seconds, o->compute.tolerance, o->compute.max_steps, 0};
    const rill_stream both[] = {RILL_PULL, RILL_AA}, one[] = {sim.variant.stream};
    const rill_stream *streams = o->compute.stream_given ? one : both;
    for (size_t k = 0; k < (o->compute.stream_given ? 1 : 2); k++) {
        rill_bench_record record;
        sim.variant.stream = streams[k];
        bench.known_bandwidth = *bandwidth;
        if (progress.fn) progress.fn(progress.context, c->name, -1, rill_stream_names[streams[k]]);
        RILL_TRY(rill_bench_run(geom, &sim, &bench, &record));
        cli_progress_end();
        *bandwidth = record.bandwidth;
        if (!o->compute.quiet) print_record(c->name, sim.variant, &record);
        json_t *row = record_json(c, sim.variant, &record, command);
        if (!row || json_array_append_new(results, row)) {
            status = rill_fail(RILL_SYSTEM, "out of memory for the results");
            goto done;
        }
    }
done:
    cli_progress_end();
    rill_geom_destroy(geom);
    return status;
}

static json_t *report_json(const bench_options *o, const char *command, json_t *results)
{
    char driver[64], cuda[32], date[32];
    const time_t now = time(NULL);
    struct tm utc;
    rill_bench_versions((rill_backend_kind)o->compute.backend, driver, sizeof driver, cuda, sizeof cuda);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:O}", "software", rill_version(), "driver", driver, "cuda",
                     cuda, "date", date, "command", command, "results", results);
}

static rill_status work(const bench_options *o, const char *command)
{
    rill_status status = RILL_OK;
    double bandwidth = 0;
    json_t *results = json_array(), *report = NULL;
    if (o->suite == suite_rock && !o->rock) {
        status =
            rill_fail(RILL_USAGE, "the suite rock needs an image or a geometry: name it with --rock FILE");
        goto done;
    }
    RILL_TRY(rill_output_try(o->compute.json));
    RILL_TRY(rill_output_try(o->compute.output));
    if (!o->compute.quiet) print_heading();
    for (int k = 0; k < case_count; k++) {
        const bool wanted = o->suite == cases[k].suite ||
                            (o->suite == suite_all && (cases[k].suite != suite_rock || o->rock));
        if (wanted) RILL_TRY(run_case(o, &cases[k], command, &bandwidth, results));
    }
    if (o->compute.json) {
        report = report_json(o, command, results);
        if (!report) {
            status = rill_fail(RILL_SYSTEM, "out of memory for the report");
            goto done;
        }
        RILL_TRY(rill_json_write(report, o->compute.json));
    }
    if (o->compute.output) RILL_TRY(write_csv(results, o->compute.output));
done:
    json_decref(report);
    json_decref(results);
    return status;
}

static int run(int argc, char **argv)
{
    bench_options o = {.suite = suite_all, .seconds = 2};
    cli_compute_defaults(&o.compute);
    o.compute.stream_default = "pull, then aa";
    o.compute.tolerance = 0.1;
    o.compute.tolerance_default = "0.1, of the spread of nine rounds";
    o.compute.max_steps = UINT64_C(1000000000000000);
    o.compute.max_steps_default = "what --seconds allows";
    o.compute.output_default = "";
    const cli_option own[] = {
        {.help = "What is measured"},
        {"suite", 0, CLI_CHOICE, &o.suite, .help = "geometry; isotropy: one pipe along x, y, z",
         .choices = suites},
        {"rock", 0, CLI_TEXT, &o.rock, "FILE", "image (pore 0) or geometry of the suite rock",
         .fallback = ""},
        {"cells", 0, CLI_COUNT, &o.cells, "COUNT", "voxels along an edge of box and spheres",
         .fallback = "160 and 224 on a CPU, 384 and 512 on a GPU", .min = 8, .max = 4096},
        {"seconds", 0, CLI_REAL, &o.seconds, "SECONDS", "time of nine rounds of a case", .min = 0.01,
         .max = 3600},
        {0},
    };
    const cli_option *const tables[] = {own, cli_compute_options(&o.compute), NULL};
    int count = 0;
    bool help = false;
    rill_status status = cli_parse(&cli_bench, tables, argc, argv, NULL, &count, &help);
    if (help) return RILL_OK;
    char *command = status == RILL_OK ? cli_command_line(argc, argv) : NULL;
    if (status == RILL_OK)
        status = command ? work(&o, command) : rill_fail(RILL_SYSTEM, "out of memory for the command line");
    free(command);
    return cli_report(&cli_bench, status);
}

const cli_command cli_bench = {
    .name = "bench",
    .usage = "[options]",
    .summary = "measure speed on this machine, beside its memory bandwidth",
    .run = run,
};
