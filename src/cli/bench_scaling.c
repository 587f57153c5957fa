/* SPDX-License-Identifier: Apache-2.0 */
/* Runs, prints and records the suite scaling. */
#include "cli/bench.h"

#include "cli/image_options.h"
#include "cli/team.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "domain/domain.h"

#include <inttypes.h>
#include <stdio.h>

/* Parts of a model that are timed. */
enum { MODEL_PARTS = 16, MODEL_COPIES = 4 };

rill_status cli_scaling_check(const cli_scaling *s, bool chosen)
{
    const bool given = s->devices.list || s->devices.ranks > 1 || s->model || s->parts;
    if (cli_team() && !chosen)
        return rill_fail(
            RILL_USAGE,
            "%d processes were started, and only the suite scaling uses several: choose it, or start one process",
            cli_team()->size);
    if (given && !chosen)
        return rill_fail(
            RILL_USAGE,
            "--devices, --ranks, --model and --parts belong to --suite scaling: add it, all other suites time one device");
    if (s->model && (s->devices.list || s->devices.ranks > 1))
        return rill_fail(RILL_USAGE, "--model takes one device: leave out --devices and --ranks");
    if (s->each_part && !s->model) return rill_fail(RILL_USAGE, "--each-part belongs to --model: add it");
    if (s->parts && !s->model)
        return rill_fail(RILL_USAGE, "--parts belongs to --model: add it, or choose --devices or --ranks");
    return RILL_OK;
}

/* Where a run has got to. */
typedef struct scaling_state {
    const cli_scaling_run *run;
    rill_geom *geom;   /* one copy */
    rill_drawn *drawn; /* that has it; NULL: it is owned */
    int shape;         /* of geom; -1: none */
    rill_geom *copies;
    rill_domain *domain; /* of the copies, or of the one */
    int made;            /* copies that the domain has; 0: there is no domain */
    rill_lattice lattice;
    rill_scaling_record first; /* on one device */
    rill_scaling_record many;  /* model of as many copies as are made at most; no step: there is none */
    json_t *results;
    int different; /* cases whose bits are not those of one device */
} scaling_state;

static const rill_bench_shape *shape_of(const scaling_state *s, const rill_bench_case *c)
{
    return &s->run->plan->shapes[c->shape];
}

static void domain_forget(scaling_state *s)
{
    rill_domain_destroy(s->domain);
    rill_geom_destroy(s->copies);
    s->domain = NULL;
    s->copies = NULL;
    s->made = 0;
}

static void geom_forget(scaling_state *s)
{
    domain_forget(s);
    if (s->drawn)
        rill_drawn_destroy(s->drawn);
    else
        rill_geom_destroy(s->geom);
    s->drawn = NULL;
    s->geom = NULL;
    s->shape = -1;
}

static rill_status geom_make(scaling_state *s, const rill_bench_case *c)
{
    rill_status status = RILL_OK;
    if (s->shape == c->shape) return RILL_OK;
    geom_forget(s);
    (void)rill_progress_detail(s->run->progress, "making the geometry", -1, shape_of(s, c)->name);
    if (shape_of(s, c)->scaling == RILL_SCALING_VESSEL) {
        RILL_TRY(rill_geom_read(s->run->vessel, &s->geom));
        RILL_TRY(rill_bench_vessel_check(s->geom));
    } else if (rill_bench_shape_is_drawn(shape_of(s, c))) {
        RILL_TRY(rill_bench_shape_draw(shape_of(s, c), 0, &s->drawn));
        s->geom = rill_drawn_geom(s->drawn);
    } else if (shape_of(s, c)->scaling == RILL_SCALING_ROCK)
        RILL_TRY(
            cli_read_geometry(s->run->rock, s->run->pore, RILL_KEEP_PERCOLATING, s->run->progress, &s->geom));
    else
        RILL_TRY(rill_bench_shape_make(shape_of(s, c), &s->geom));
    s->shape = c->shape;
done:
    return status;
}

/* Number the nodes of so many copies, unless that is what there is. */
static rill_status domain_make(scaling_state *s, const rill_bench_case *c, int copies)
{
    rill_status status = RILL_OK;
    const rill_lattice lattice = c->variant.lattice;
    const rill_domain_options cells = {lattice, rill_dimensions((int)lattice) - 1};
    if (s->made == copies && s->lattice == lattice) return RILL_OK;
    domain_forget(s);
    if (copies > 1) RILL_TRY(rill_scaling_repeat(s->geom, (uint32_t)copies, &s->copies));
    RILL_TRY(rill_domain_create(copies > 1 ? s->copies : s->geom, &cells, &s->domain));
    s->made = copies;
    s->lattice = lattice;
done:
    return status;
}

static void print_heading(const cli_scaling_run *run)
{
    if (run->quiet) return;
    printf("x one: speed over that of one device, of a weak case per node; exposed: time of a step beyond\n"
           "that of the slowest part alone, all its nodes at once and without exchange; sends: bytes that a\n"
           "part sends in a step, at most; bits: whether all populations are those of one device. Parts of\n"
           "a vessel are not timed alone: walls and openings are those of the whole.\n\n");
    printf("%-13s %-40s %7s %11s %10s %7s %6s %10s %9s %s\n", "case", "variant", "devices", "nodes", "MLUPS",
           "x one", "eff.", "exposed us", "sends MB", "bits");
}

/* What a record is compared with. */
typedef struct comparison {
    double times;     /* speed over that of one device */
    bool part;        /* over that of a part alone: one device does not hold all nodes */
    const char *bits; /* "same", "DIFFERENT", "not compared" */
} comparison;

static rill_status record(scaling_state *s, const rill_bench_case *c, int parts, const rill_scaling_record *r,
                          const comparison *with, const rill_scaling_part *each)
{
    char variant[96], hash[24];
    const bool model = s->run->options->model && parts > 1;
    const char *name = shape_of(s, c)->name;
    const double exposed = r->step - r->alone;
    rill_variant_name(c->variant, variant, sizeof variant);
    snprintf(hash, sizeof hash, "%016" PRIx64, r->hash);
    cli_progress_end();
    if (!s->run->quiet)
        printf("%-13s %-40s %7d %11" PRIu64 " %10.1f %7.2f %5.1f%% %10.2f %9.3f %s\n", name, variant, parts,
               r->timed.nodes, r->timed.mlups, with->times, 100 * with->times / parts, 1e6 * exposed,
               1e-6 * (double)r->bytes, with->bits);
    if (!s->run->quiet && with->part)
        printf("%-13s one device does not hold all nodes: x one is over the slowest part alone\n", "");
    if (!s->run->quiet && each) bench_parts_print(each, parts, 0);
    fflush(stdout);
    json_t *json = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:b, s:i, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:i, s:s, s:s, s:s, s:f, s:b, s:s, s:f, s:f, s:f, s:f, s:f, s:b}",
        "suite", "scaling", "case", name, "variant", variant, "backend",
        s->run->options->devices.opened[0]->backend->name, "device",
        rill_device_name(s->run->options->devices.opened[0]), "model", model, "devices", parts, "nodes",
        (json_int_t)r->timed.nodes, "nodes_largest", (json_int_t)r->largest, "mlups", r->timed.mlups,
        "mlups_spread", r->timed.mlups_max - r->timed.mlups_min, "times_one", with->times, "efficiency",
        with->times / parts, "step_us", 1e6 * r->step, "exposed_us", 1e6 * exposed, "bytes_per_step",
        (json_int_t)r->bytes, "bytes_device_total", (json_int_t)r->timed.bytes_held, "parts_timed",
        r->measured, "transport",
        model ? "model" : rill_devices_transport(s->run->options->devices.parts, parts), "hash",
        s->run->options->model ? "" : hash, "bits", with->bits, "model_step_us", model ? 1e6 * r->step : 0.0,
        "settled", (int)r->timed.settled, "command", s->run->command, "porosity", r->timed.porosity,
        "random_step_us", 1e6 * r->random, "link_latency_us", model ? s->run->options->link_latency : 0.0,
        "link_bandwidth_gbs", model ? s->run->options->link_bandwidth : 0.0, "bandwidth_gbs",
        1e-9 * s->run->bandwidth, "one_is_part", (int)with->part);
    if (json && each && json_object_set_new(json, "parts", bench_parts_json(each, parts))) {
        json_decref(json);
        json = NULL;
    }
    if (!json || json_array_append_new(s->results, json))
        return rill_fail(RILL_SYSTEM, "out of memory for the results");
    return RILL_OK;
}

/* Compare the bits with those of one device: a weak case there once more, where it fits. */
static rill_status bits_compare(scaling_state *s, const rill_scaling_case *c, bool weak,
                                const rill_scaling_record *r, const char **out)
{
    uint64_t hash = s->first.hash;
    if (weak) {
        rill_scaling_case one = *c;
        one.parts = 1;
        const rill_status status = rill_scaling_hash(&one, &hash);
        *out = "not compared";
        if (status == RILL_SYSTEM) return RILL_OK; /* it does not fit */
        if (status != RILL_OK) return status;
    }
    *out = hash == r->hash ? "same" : "DIFFERENT";
    s->different += hash != r->hash;
    return RILL_OK;
}

/* Say how far the model of so many devices is from what was measured. */
static rill_status misfit(scaling_state *s, const rill_scaling_case *c, const rill_scaling_link *link,
                          double step)
{
    rill_status status = RILL_OK;
    rill_scaling_record r;
    RILL_TRY(rill_scaling_model(c, link, MODEL_PARTS, &r));
    json_t *last = json_array_get(s->results, json_array_size(s->results) - 1);
    if (json_object_set_new(last, "model_step_us", json_real(1e6 * r.step)))
        RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the results"));
    if (!s->run->quiet)
        printf("%-13s the model of %d devices has steps of %.2f us instead of %.2f us: %+.1f %%\n", "",
               c->parts, 1e6 * r.step, 1e6 * step, 100 * (r.step / step - 1));
done:
    return status;
}

/* Model a case, or take the model of fewer copies, which are all alike, for more of them. */
static rill_status model_run(scaling_state *s, const rill_scaling_case *timed, int parts,
                             rill_scaling_record *out)
{
    rill_status status = RILL_OK;
    const cli_scaling *o = s->run->options;
    const rill_scaling_link link = {1e-6 * o->link_latency, 1e9 * o->link_bandwidth};
    const bool many = timed->parts == MODEL_COPIES && s->made == MODEL_COPIES;
    rill_scaling_record r = s->many;
    if (!many || !(s->many.step > 0)) RILL_TRY(rill_scaling_model(timed, &link, MODEL_PARTS, &r));
    if (many) s->many = r;
    if (parts > timed->parts) {
        r.timed.nodes = r.timed.nodes / (unsigned)timed->parts * (unsigned)parts;
        r.timed.mlups *= (double)parts / timed->parts;
    }
    *out = r;
done:
    return status;
}

/* Plan the parts of a model on so many devices. */
static rill_status case_plan(scaling_state *s, const rill_bench_case *c, int parts)
{
    rill_status status = RILL_OK;
    const bool weak = rill_scaling_weak(shape_of(s, c)->scaling);
    const int made = weak && parts > MODEL_COPIES ? MODEL_COPIES : parts;
    char variant[96];
    uint64_t host;
    rill_scaling_part *each = NULL;
    if (parts == 1) return RILL_OK;
    RILL_TRY(domain_make(s, c, weak ? made : 1));
    RILL_TRY(rill_array_create_zero((uint64_t)made, sizeof *each, "parts", (void **)&each));
    const rill_scaling_case planned = {.domain = s->domain,
                                       .variant = c->variant,
                                       .tau = s->run->tau,
                                       .magic = s->run->magic,
                                       .devices = s->run->options->devices.opened,
                                       .parts = made};
    RILL_TRY(rill_scaling_plan(&planned, each, &host));
    rill_variant_name(c->variant, variant, sizeof variant);
    cli_progress_end();
    printf("%s %s, %d devices, %" PRIu64 " nodes%s\n", shape_of(s, c)->name, variant, parts,
           (uint64_t)rill_domain_nodes(s->domain) / (weak ? (uint64_t)made : 1) *
               (weak ? (uint64_t)parts : 1),
           made < parts ? ", the first parts" : "");
    bench_parts_print(each, made, host);
    fflush(stdout);
done:
    rill_array_destroy(each);
    return status;
}

/* Run a case on so many devices. */
static rill_status case_run(scaling_state *s, const rill_bench_case *c, int parts)
{
    rill_status status = RILL_OK;
    const cli_scaling *o = s->run->options;
    const bool weak = rill_scaling_weak(shape_of(s, c)->scaling), model = o->model && parts > 1;
    rill_scaling_record r;
    rill_scaling_part *each = NULL;
    comparison with = {.times = 1, .bits = "same"};
    char detail[64];
    snprintf(detail, sizeof detail, "%d device%s", parts, parts > 1 ? "s" : "");
    (void)rill_progress_detail(s->run->progress, shape_of(s, c)->name, -1, detail);
    const int made = model && weak && parts > MODEL_COPIES ? MODEL_COPIES : parts; /* all copies are alike */
    RILL_TRY(domain_make(s, c, weak ? made : 1));
    if (model && o->each_part && made == parts)
        RILL_TRY(rill_array_create_zero((uint64_t)made, sizeof *each, "parts", (void **)&each));
    const rill_scaling_case timed = {.domain = s->domain,
                                     .variant = c->variant,
                                     .tau = s->run->tau,
                                     .magic = s->run->magic,
                                     .devices = model ? o->devices.opened : o->devices.parts,
                                     .parts = made,
                                     .boundaries = shape_of(s, c)->boundaries,
                                     .bench = s->run->bench,
                                     .unhashed = o->model,
                                     .each = each};
    const rill_scaling_link link = {1e-6 * o->link_latency, 1e9 * o->link_bandwidth};
    RILL_TRY(model ? model_run(s, &timed, parts, &r) : rill_scaling_run(&timed, &r));
    if (parts == 1) s->first = r;
    with.part = !(s->first.timed.mlups > 0);
    with.times = r.timed.mlups / (with.part ? r.speed : s->first.timed.mlups);
    if (o->model) with.bits = model ? "model" : "measured, for the model";
    if (parts > 1 && !model) RILL_TRY(bits_compare(s, &timed, weak, &r, &with.bits));
    RILL_TRY(record(s, c, parts, &r, &with, each));
    if (parts > 1 && !model && timed.boundaries == RILL_BENCH_BARE &&
        rill_devices_alike(o->devices.parts, parts) == 1)
        RILL_TRY(misfit(s, &timed, &link, r.step));
done:
    rill_array_destroy(each);
    return status;
}

rill_status cli_scaling_cases(const cli_scaling_run *run, json_t *results)
{
    rill_status status = RILL_OK;
    scaling_state s = {.run = run, .shape = -1, .results = results};
    const cli_scaling *o = run->options;
    const int most = o->model ? (int)(o->parts ? o->parts : 8) : o->devices.part_count;
    if (!run->dry_run) print_heading(run);
    for (int k = 0; k < run->plan->case_count; k++) {
        const rill_bench_case *c = &run->plan->cases[k];
        RILL_TRY(geom_make(&s, c));
        s.many = s.first = (rill_scaling_record){.step = 0};
        for (int parts = 1; parts <= most; parts = parts < most && 2 * parts > most ? most : 2 * parts) {
            status = run->dry_run ? case_plan(&s, c, parts) : case_run(&s, c, parts);
            if (status == RILL_OK) continue;
            const bool large = status == RILL_SYSTEM && o->model && parts < most; /* more may hold it */
            if ((parts == 1 && !large) || (status != RILL_USAGE && status != RILL_SYSTEM)) goto done;
            cli_progress_end(); /* too small for so many, or too large */
            if (!run->quiet)
                printf("%-13s %d device%s: %s\n", shape_of(&s, c)->name, parts, parts == 1 ? "" : "s",
                       rill_error_message());
            if (!large && status == RILL_SYSTEM && !(s.first.step > 0) && json_array_size(results) == 0)
                goto done; /* nothing was timed */
            status = RILL_OK;
            if (!large) break;
        }
    }
    if (s.different)
        status =
            rill_fail(RILL_NUMERICS, "%d cases do not have the bits of one device: report this", s.different);
done:
    geom_forget(&s);
    return status;
}
