/* SPDX-License-Identifier: Apache-2.0 */
/* Table, JSON and CSV of `rill bench`. */
#include "cli/bench.h"

#include "cli/cli.h"
#include "io/json_file.h"
#include "core/output.h"
#include "kernel/storage/storage.h"
#include "bench/contest.h"
#include "kernel/variant.h"

#include <math.h>
#include <string.h>
#include <time.h>

static rill_status no_memory(void) { return rill_fail(RILL_SYSTEM, "out of memory for the results"); }

/* ---- the table ------------------------------------------------------------------------------- */

/* Percentages of the reference bandwidth: of 2qB bytes per update, and of those and index bytes. */
static double percent(const rill_bench_record *r, double bytes)
{
    return 100 * r->mlups * 1e6 * bytes / r->bandwidth;
}

static double two_q_b(rill_variant v)
{
    return 2.0 * rill_lattice_q(v.lattice) * (double)rill_storage_size((int)v.storage);
}

void bench_print_heading(void)
{
    printf(
        "2qB: speed as a fraction of the bandwidth GB/s of this run (device copy on a GPU, in-place update on\n"
        "a CPU), counting the populations that an update reads and writes; read: with the index bytes that it\n"
        "reads. B/node: all that is allocated, per fluid node. Every result was checked against fp64.\n\n");
    printf("%-13s %-44s %11s %9s %8s %7s %9s %7s %7s\n", "case", "variant", "nodes", "MLUPS", "spread",
           "B/node", "GB/s", "2qB", "read");
}

void bench_print_record(const char *name, rill_variant v, const rill_bench_record *r)
{
    char variant[96];
    rill_variant_name(v, variant, sizeof variant);
    printf("%-13s %-44s %11llu %9.1f %7.1f%% %7.0f %9.1f %6.1f%% %6.1f%%\n", name, variant,
           (unsigned long long)r->nodes, r->mlups, 100 * (r->mlups_max - r->mlups_min) / r->mlups,
           (double)r->bytes_held / (double)r->nodes, r->bandwidth * 1e-9, percent(r, two_q_b(v)),
           percent(r, r->bytes_really_read));
    if (!r->settled) printf("%-13s not settled: the rounds are further apart than --tolerance\n", "");
    fflush(stdout);
}

void bench_print_plan(const rill_bench_plan *plan)
{
    int last = -1;
    for (int k = 0; k < plan->case_count; k++) {
        const rill_bench_case *c = &plan->cases[k];
        const rill_bench_shape *shape = &plan->shapes[c->shape];
        char variant[96];
        rill_variant_name(c->variant, variant, sizeof variant);
        printf("%-11s %-13s %5u %-44s %7.1f s\n", rill_bench_suite_names[shape->suite], shape->name,
               shape->cells, variant, c->seconds + (c->shape != last ? shape->seconds : 0));
        last = c->shape;
    }
}

/* ---- records --------------------------------------------------------------------------------- */

rill_status bench_report_start(bench_report *report)
{
    report->results = json_array();
    report->skipped = json_array();
    report->failed = json_array();
    return report->results && report->skipped && report->failed ? RILL_OK : no_memory();
}

void bench_report_free(bench_report *report)
{
    json_decref(report->results);
    json_decref(report->skipped);
    json_decref(report->failed);
}

/* What names a case: the first keys of its record. */
static json_t *case_json(const bench_report *report, const rill_bench_case *c)
{
    const rill_variant v = c->variant;
    const rill_bench_shape *shape = &report->plan->shapes[c->shape];
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "suite",
                     rill_bench_suite_names[shape->suite], "case", shape->name, "lattice",
                     rill_lattice_names[v.lattice], "collision", rill_collision_names[v.collision],
                     "equilibrium", rill_equilibrium_names[v.equilibrium], "stream",
                     rill_stream_names[v.stream], "addressing", rill_addressing_names[v.addressing],
                     "storage", rill_storage_names[v.storage], "arithmetic",
                     rill_arithmetic_names[v.arithmetic], "bounce_back", rill_bounce_names[v.bounce], "shift",
                     rill_shift_names[v.shift], "backend", report->yardstick->device->backend->name);
}

static rill_status append(json_t *list, json_t *record)
{
    return !record || json_array_append_new(list, record) ? no_memory() : RILL_OK;
}

rill_status bench_report_add(bench_report *report, const rill_bench_case *c, const rill_bench_record *r)
{
    json_t *record = case_json(report, c);
    json_t *figures = json_pack(
        "{s:s, s:I, s:f, s:f, s:f, s:f, s:s, s:f, s:f, s:f, s:f, s:f, s:I, s:f, s:f, s:f, s:f, s:f, s:I, s:b, s:f, s:s}",
        "device", r->device, "nodes", (json_int_t)r->nodes, "porosity", r->porosity, "mlups", r->mlups,
        "mlups_spread", r->mlups_max - r->mlups_min, "bandwidth_gbs", r->bandwidth * 1e-9, "yardstick",
        report->yardstick->device->backend->yardstick, "percent_2qb", percent(r, two_q_b(c->variant)),
        "percent_read", percent(r, r->bytes_really_read), "percent_model", percent(r, r->bytes_per_update),
        "bytes_moved_model", r->bytes_per_update, "bytes_moved_read", r->bytes_really_read,
        "bytes_device_total", (json_int_t)r->bytes_held, "bytes_per_node",
        (double)r->bytes_held / (double)r->nodes, "mass_error", r->mass_error, "error", r->error,
        "error_limit", r->error_limit, "seconds", r->seconds, "steps", (json_int_t)r->steps, "settled",
        (int)r->settled, "seconds_created", r->seconds_created, "command", report->command);
    const bool made = record && figures && !json_object_update(record, figures);
    json_decref(figures);
    if (made) return append(report->results, record);
    json_decref(record);
    return no_memory();
}

rill_status bench_report_add_reason(bench_report *report, json_t *list, const rill_bench_case *c,
                                    const char *reason)
{
    json_t *record = case_json(report, c);
    if (record && json_object_set_new(record, "reason", json_string(reason))) {
        json_decref(record);
        return no_memory();
    }
    return append(list, record);
}

/* ---- break-even ------------------------------------------------------------------------------ */

static const char *text_of(const json_t *record, const char *key)
{
    return json_string_value(json_object_get(record, key));
}

static bool same_method(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"suite",       "lattice", "collision",
                                       "equilibrium", "storage", "arithmetic"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (strcmp(text_of(a, keys[k]), text_of(b, keys[k]))) return false;
    return true;
}

/* Collect the best of both kinds at each porosity, in the order of the records; return their number. */
static int contests(const json_t *results, const json_t *method, const char *key, bool largest,
                    rill_contest *out, int most)
{
    int count = 0;
    size_t k;
    json_t *r;
    json_array_foreach(results, k, r)
    {
        if (!same_method(r, method)) continue;
        const double porosity = json_number_value(json_object_get(r, "porosity")),
                     value = json_number_value(json_object_get(r, key));
        if (count == 0 || out[count - 1].porosity != porosity) {
            if (count == most) break;
            out[count++] = (rill_contest){porosity, NAN, NAN};
        }
        double *best =
            !strcmp(text_of(r, "addressing"), "dense") ? &out[count - 1].dense : &out[count - 1].sparse;
        if (isnan(*best) || (largest ? value > *best : value < *best)) *best = value;
    }
    int whole = 0; /* where both were measured */
    for (int p = 0; p < count; p++)
        if (!isnan(out[p].sparse) && !isnan(out[p].dense)) out[whole++] = out[p];
    return whole;
}

static json_t *find_break_even(const json_t *results, const json_t *method, const char *key, bool largest)
{
    rill_contest points[64];
    const int count = contests(results, method, key, largest, points, (int)(sizeof points / sizeof *points));
    if (count < 2) return NULL;
    const double at = rill_break_even(points, count, largest);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:f, s:f, s:o}", "lattice", text_of(method, "lattice"),
                     "collision", text_of(method, "collision"), "equilibrium", text_of(method, "equilibrium"),
                     "storage", text_of(method, "storage"), "quantity", key, "points", count, "lowest",
                     points[0].porosity, "highest", points[count - 1].porosity, "porosity",
                     rill_json_real(at));
}

json_t *bench_break_even(const json_t *results)
{
    json_t *found = json_array(), *r;
    size_t k;
    json_array_foreach(results, k, r)
    {
        bool seen = strcmp(text_of(r, "suite"), rill_bench_suite_names[RILL_SUITE_POROSITY]) != 0;
        for (size_t j = 0; j < k && !seen; j++) seen = same_method(json_array_get(results, j), r);
        if (seen) continue;
        json_t *both[] = {find_break_even(results, r, "mlups", true),
                          find_break_even(results, r, "bytes_per_node", false)};
        for (int q = 0; q < 2; q++)
            if (both[q]) json_array_append_new(found, both[q]);
    }
    return found;
}

void bench_print_break_even(const json_t *found)
{
    size_t k;
    json_t *b;
    if (json_array_size(found)) printf("\n");
    json_array_foreach(found, k, b)
    {
        const json_t *at = json_object_get(b, "porosity");
        printf("%s %s %s: dense %s ", text_of(b, "lattice"), text_of(b, "collision"), text_of(b, "storage"),
               strcmp(text_of(b, "quantity"), "mlups") ? "takes less memory" : "is faster");
        if (json_is_null(at))
            printf("at no porosity up to %.2f\n", json_number_value(json_object_get(b, "highest")));
        else
            printf("from a porosity of %.2f on\n", json_number_value(at));
    }
}

/* ---- hybrid ---------------------------------------------------------------------------------- */

/* Return the greatest speed of a method on the box of fluid or on the river bed, 0 without any. */
static double fastest(const json_t *results, const json_t *method, bool box, bool dense, double *porosity)
{
    double best = 0;
    size_t k;
    json_t *r;
    json_array_foreach(results, k, r)
    {
        const double at = json_number_value(json_object_get(r, "porosity"));
        if (!same_method(r, method) || (at == 1) != box ||
            !strcmp(text_of(r, "addressing"), "dense") != dense)
            continue;
        *porosity = at;
        best = fmax(best, json_number_value(json_object_get(r, "mlups")));
    }
    return best;
}

json_t *bench_hybrid(const json_t *results)
{
    json_t *found = json_array(), *r;
    size_t k;
    json_array_foreach(results, k, r)
    {
        bool seen = strcmp(text_of(r, "suite"), rill_bench_suite_names[RILL_SUITE_HYBRID]) != 0;
        for (size_t j = 0; j < k && !seen; j++) seen = same_method(json_array_get(results, j), r);
        if (seen) continue;
        double porosity = 1, one;
        const double dense = fastest(results, r, false, true, &one);
        rill_hybrid speeds = {.sparse_free = fastest(results, r, true, false, &one),
                              .dense_free = fastest(results, r, true, true, &one),
                              .sparse = fastest(results, r, false, false, &porosity)};
        if (!(speeds.sparse > 0) || !(speeds.sparse_free > 0) || !(speeds.dense_free > 0)) continue;
        speeds.free = 0.5 / porosity; /* half of the box is above the bed's mean height */
        json_t *gain = json_pack(
            "{s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:o, s:f}", "lattice", text_of(r, "lattice"),
            "collision", text_of(r, "collision"), "equilibrium", text_of(r, "equilibrium"), "storage",
            text_of(r, "storage"), "sparse_mlups", speeds.sparse, "dense_mlups", dense, "sparse_free_mlups",
            speeds.sparse_free, "dense_free_mlups", speeds.dense_free, "free", speeds.free, "times_sparse",
            rill_json_real(rill_hybrid_gain(&speeds)), "times_sparse_all", rill_hybrid_gain_all(&speeds));
        if (gain) json_array_append_new(found, gain);
    }
    return found;
}

void bench_print_hybrid(const json_t *found)
{
    size_t k;
    json_t *b;
    if (json_array_size(found)) printf("\n");
    json_array_foreach(found, k, b)
    {
        const json_t *times = json_object_get(b, "times_sparse");
        printf("%s %s %s: river bed %.0f MLUPS sparse, %.0f dense; box of fluid %.0f sparse, %.0f dense.\n",
               text_of(b, "lattice"), text_of(b, "collision"), text_of(b, "storage"),
               json_number_value(json_object_get(b, "sparse_mlups")),
               json_number_value(json_object_get(b, "dense_mlups")),
               json_number_value(json_object_get(b, "sparse_free_mlups")),
               json_number_value(json_object_get(b, "dense_free_mlups")));
        if (json_is_null(times))
            printf(
                "No bound for a hybrid: the free half alone takes longer than the river bed. Repeat the measurement\nwith nothing else on the device.\n");
        else
            printf(
                "A hybrid that is dense above the bed is at most %.3f times as fast as sparse; with all nodes at the\nspeed of the dense box it would be %.3f times.\n",
                json_number_value(times), json_number_value(json_object_get(b, "times_sparse_all")));
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The revision within "0.1.0 (39b1afc854bc modified)", "" without one. */
static void commit_of(const char *version, char *commit, size_t size)
{
    const char *open = strchr(version, '(');
    snprintf(commit, size, "%.*s", open ? (int)strcspn(open + 1, ")") : 0, open ? open + 1 : "");
}

rill_status bench_report_write(const bench_report *report, const char *path)
{
    char driver[64], cuda[32], date[32], commit[64];
    const time_t now = time(NULL);
    struct tm utc;
    rill_bench_versions(report->yardstick->device, driver, sizeof driver, cuda, sizeof cuda);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    commit_of(rill_version(), commit, sizeof commit);
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:O, s:O, s:O, s:o, s:o}", "software",
                  rill_version(), "commit", commit, "driver", driver, "cuda", cuda, "date", date, "command",
                  report->command, "seconds_estimated", report->plan->seconds, "seconds", report->seconds,
                  "results", report->results, "skipped", report->skipped, "failed", report->failed,
                  "break_even", bench_break_even(report->results), "hybrid", bench_hybrid(report->results));
    return cli_json_finish(json, path);
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

rill_status bench_report_write_csv(const bench_report *report, const char *path)
{
    rill_status status = RILL_OK;
    json_t *results = report->results;
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

rill_status bench_results_write(const char *suite, const rill_device *device, const char *command,
                                json_t *results, const char *path)
{
    char date[32];
    const time_t now = time(NULL);
    struct tm utc;
    if (!path) return RILL_OK;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    return cli_json_finish(json_pack("{s:s, s:s, s:s, s:s, s:s, s:O}", "suite", suite, "software",
                                     rill_version(), "date", date, "command", command, "device",
                                     rill_device_name(device), "results", results),
                           path);
}
