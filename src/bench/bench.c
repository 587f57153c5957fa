/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times simulations. A case is accepted only if mass is conserved, the force moves the fluid, all is finite,
 * and the same simulation computes what FP64 does.
 */
#include "bench/bench.h"

#include "domain/domain.h"
#include "kernel/lattice.h"
#include "kernel/storage/storage.h"
#include "kernel/storage/stream.h"
#include "bench/probe.h"
#include "sim/sim.h"
#include "kernel/variant.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { warm_up_steps = 10, rounds = 9 };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static rill_status time_steps(rill_sim *sim, uint64_t steps, double *seconds)
{
    const double start = omp_get_wtime();
    const rill_status status = rill_sim_step(sim, steps);
    *seconds = omp_get_wtime() - start;
    return status;
}

/* Take median and extrema of the last rounds. */
static void summarise(const double *latest, rill_bench_record *record)
{
    double mlups[rounds];
    memcpy(mlups, latest, sizeof mlups);
    qsort(mlups, rounds, sizeof *mlups, ascending);
    record->mlups = mlups[rounds / 2];
    record->mlups_min = mlups[0];
    record->mlups_max = mlups[rounds - 1];
}

enum { before = warm_up_steps + 2 };

rill_status rill_bench_steps_check(uint64_t max_steps)
{
    enum { least = before + 2 * rounds };
    if (max_steps >= least) return RILL_OK;
    return rill_fail(RILL_USAGE,
                     "%llu steps are below the %d that a case takes: %d to warm up and %d rounds of two",
                     (unsigned long long)max_steps, least, before, rounds);
}

/* Rounds of an even number of steps, so that both kinds of step of a scheme count alike. */
rill_status rill_bench_time_rounds(rill_sim *sim, uint64_t nodes, const rill_bench_options *bench,
                                   rill_bench_record *record)
{
    enum { patience = 4 };
    rill_status status = RILL_OK;
    double taken, latest[rounds];
    RILL_TRY(rill_bench_steps_check(bench->max_steps));
    RILL_TRY(rill_sim_step(sim, warm_up_steps));
    RILL_TRY(time_steps(sim, 2, &taken));
    const double wanted = fmax(1, ceil(bench->seconds / rounds / fmax(taken, 1e-6)));
    const uint64_t pairs = (bench->max_steps - before) / (2 * rounds),
                   steps = 2 * (wanted < (double)pairs ? (uint64_t)wanted : pairs);
    for (int k = 0; k < patience * rounds && !record->settled; k++) {
        if (before + record->steps + steps > bench->max_steps) break;
        RILL_TRY(time_steps(sim, steps, &taken));
        latest[k % rounds] = 1e-6 * (double)nodes * (double)steps / taken;
        record->seconds += taken;
        record->steps += steps;
        if (k < rounds - 1) continue;
        summarise(latest, record);
        record->settled = record->mlups_max - record->mlups_min <= bench->tolerance * record->mlups;
    }
done:
    return status;
}

static int flow_axis(rill_lattice lattice) { return rill_dimensions((int)lattice) - 1; }

/* ---- bandwidth ------------------------------------------------------------------------------- */

/* Measure it again if that was not done in the last `seconds`. */
static rill_status measure_again(rill_bench_yardstick *yardstick, double seconds)
{
    double bandwidth = 0;
    if (omp_get_wtime() - yardstick->measured < seconds) return RILL_OK;
    const rill_status status = rill_device_bandwidth(yardstick->device, &bandwidth);
    yardstick->bandwidth = fmax(yardstick->bandwidth, bandwidth);
    yardstick->measured = omp_get_wtime();
    return status;
}

rill_status rill_bench_yardstick_start(rill_backend_kind kind, int ordinal, rill_bench_yardstick *out)
{
    *out = (rill_bench_yardstick){.measured = -INFINITY};
    const rill_status status = rill_device_create(kind, ordinal, &out->device);
    return status == RILL_OK ? measure_again(out, 0) : status;
}

/* ---- subjects -------------------------------------------------------------------------------- */

struct rill_bench_subject {
    rill_domain *domain;
    double porosity;
    rill_probe *probe; /* of the last physics requested */
};

rill_status rill_bench_subject_create(const rill_geom *geom, rill_lattice lattice, rill_bench_subject **out)
{
    const rill_domain_options options = {lattice, flow_axis(lattice)};
    rill_bench_subject *subject = calloc(1, sizeof *subject);
    if (!subject) return rill_fail(RILL_SYSTEM, "out of memory for a case");
    const rill_status status = rill_domain_create(geom, &options, &subject->domain);
    if (status != RILL_OK) {
        free(subject);
        return status;
    }
    subject->porosity = (double)rill_domain_nodes(subject->domain) / (double)rill_geom_voxels(geom);
    *out = subject;
    return RILL_OK;
}

void rill_bench_subject_destroy(rill_bench_subject *subject)
{
    if (!subject) return;
    rill_probe_destroy(subject->probe);
    rill_domain_destroy(subject->domain);
    free(subject);
}

rill_status rill_bench_fits(const rill_bench_subject *subject, rill_variant variant,
                            const rill_bench_yardstick *yardstick)
{
    rill_status status = RILL_OK;
    rill_links_size size;
    RILL_TRY(rill_links_measure(subject->domain, rill_variant_normal(variant), &size));
    RILL_TRY(rill_device_require(yardstick->device, rill_sim_bytes(variant, &size, yardstick->device),
                                 "the populations and index lists"));
done:
    return status;
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* @param open  fluid comes in and leaves, or walls are interpolated, which keeps no mass @param closed  a
 * force moves nothing */
static rill_status believe(rill_sim *sim, const rill_sim_options *options, bool open, bool closed,
                           rill_bench_record *record)
{
    rill_totals totals;
    const rill_status status = rill_sim_totals(sim, &totals);
    if (status != RILL_OK) return status;
    /* Formats of 16 bits round mass away, and a push as small as this one. */
    const size_t size = rill_storage_size((int)options->variant.storage);
    const double limit = size == 8 && options->variant.shift == RILL_SHIFTED ? 1e-13
                         : size >= 4                                         ? 1e-6
                                                                             : 1e-2;
    record->mass_error = fabs(totals.mass) / (double)record->nodes;
    const double along = totals.momentum[0] + totals.momentum[1] + totals.momentum[2];
    if (open && !totals.not_finite && totals.speed_max < 0.3) return RILL_OK;
    if (totals.not_finite || open || !(record->mass_error <= limit) || (size >= 4 && !closed && !(along > 0)))
        return rill_fail(
            RILL_NUMERICS,
            "the timed result is wrong: %llu nodes not finite, mass changed by %g per node (limit %g), momentum along the force %g",
            (unsigned long long)totals.not_finite, record->mass_error, limit, along);
    return RILL_OK;
}

/* Check a simulation against FP64; the reference is kept for the next variant of the same physics. */
static rill_status check(rill_bench_subject *subject, rill_sim *sim, const rill_sim_options *options,
                         rill_bench_record *record)
{
    rill_status status = RILL_OK;
    if (!subject->probe || !rill_probe_suits(subject->probe, options)) {
        rill_probe_destroy(subject->probe);
        subject->probe = NULL;
        RILL_TRY(rill_probe_create(subject->domain, options, &subject->probe));
    }
    RILL_TRY(rill_probe_check(subject->probe, sim, options, &record->error, &record->error_limit));
done:
    return status;
}

/*
 * What a step moves when the index bytes are those that it reads: what link() made of a list is read instead
 * of it, whenever the step looks at neighbours.
 */
static double really_read(rill_sim *sim, rill_variant v, const rill_bench_record *record)
{
    const int parities = rill_stream_parities((int)v.stream);
    uint64_t linked = 0;
    int looks = 0;
    rill_sim_held(sim, &linked);
    if (!linked) return record->bytes_per_update;
    for (int parity = 0; parity < parities; parity++)
        looks +=
            rill_slot_looks((int)v.stream, parity, false) || rill_slot_looks((int)v.stream, parity, true);
    return 2.0 * rill_q((int)v.lattice) * (double)rill_storage_size((int)v.storage) +
           (double)linked / (double)record->nodes * looks / parities;
}

rill_status rill_bench_run(rill_bench_subject *subject, const rill_sim_options *options,
                           const rill_bench_options *bench, rill_bench_yardstick *yardstick,
                           rill_bench_record *out)
{
    rill_status status = RILL_OK;
    rill_sim *sim = NULL;
    rill_bench_record record = {.nodes = rill_domain_nodes(subject->domain), .porosity = subject->porosity};
    rill_sim_options forced = *options;
    const bool scalar = rill_variant_scalar(options->variant); /* without a force */
    /* Ghosts are not set again, and FP64 knows no boundaries. */
    const bool open = bench->boundaries != RILL_BENCH_BARE,
               first = open || options->variant.bounce == RILL_FULL_WAY;
    const double start = omp_get_wtime();
    for (int a = 0; a <= flow_axis(options->variant.lattice); a++)
        *(scalar ? &forced.velocity[a] : &forced.force[a]) = scalar ? 1e-2 : 1e-6; /* along any channel */
    RILL_TRY(rill_sim_create(subject->domain, &forced, &sim));
    record.seconds_created = omp_get_wtime() - start;
    snprintf(record.device, sizeof record.device, "%s", rill_sim_device(sim));
    record.bytes_per_update = rill_variant_bytes(options->variant, record.porosity).cached;
    record.bytes_held = rill_sim_held(sim, NULL);
    record.bytes_really_read = really_read(sim, options->variant, &record);
    if (first) RILL_TRY(check(subject, sim, &forced, &record));
    RILL_TRY(rill_bench_vessel_attach(subject->domain, bench->boundaries, sim));
    RILL_TRY(rill_bench_time_rounds(sim, record.nodes, bench, &record));
    if (options->variant.bounce != RILL_FULL_WAY)
        RILL_TRY(believe(sim, &forced, open, scalar || subject->domain->geom->surface, &record));
    if (!first) RILL_TRY(check(subject, sim, &forced, &record));
    rill_sim_destroy(sim);
    sim = NULL;
    /* Where there is no room to measure it again, the bandwidth of the start stands. */
    (void)measure_again(yardstick, 5);
    record.bandwidth = yardstick->bandwidth;
    *out = record;
done:
    rill_sim_destroy(sim);
    return status;
}

void rill_bench_versions(rill_device *device, char *driver, size_t driver_size, char *cuda, size_t cuda_size)
{
    *driver = *cuda = 0;
    rill_device_versions(device, driver, driver_size, cuda, cuda_size);
}
