/* SPDX-License-Identifier: Apache-2.0 */
/* Times simulations. A case is believed only when mass is kept, the force moves the fluid and all is finite.
 */
#include "run/bench.h"

#include "kernel/lattice.h"
#include "kernel/storage.h"
#include "run/sim.h"

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

/* Rounds of an even number of steps, so that both kinds of step of a scheme count alike. */
static rill_status time_rounds(rill_sim *sim, uint64_t nodes, const rill_bench_options *bench,
                               rill_bench_record *record)
{
    enum { before = warm_up_steps + 2, least = before + 2 * rounds, patience = 4 };
    rill_status status = RILL_OK;
    double taken, latest[rounds];
    if (bench->max_steps < least)
        return rill_fail(
            RILL_USAGE,
            "max-steps = %llu is below the %d that a case takes: %d to warm up and %d rounds of two",
            (unsigned long long)bench->max_steps, least, before, rounds);
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

static int flow_axis(rill_variant variant) { return rill_dimensions((int)variant.lattice) - 1; }

static rill_status believe(rill_sim *sim, uint64_t nodes, const rill_sim_options *options,
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
    record->mass_error = fabs(totals.mass) / (double)nodes;
    const double along = totals.momentum[0] + totals.momentum[1] + totals.momentum[2];
    if (totals.not_finite || !(record->mass_error <= limit) || (size >= 4 && !(along > 0)))
        return rill_fail(
            RILL_NUMERICS,
            "the timed result is wrong: %llu nodes not finite, mass changed by %g per node (limit %g), "
            "momentum along the force %g",
            (unsigned long long)totals.not_finite, record->mass_error, limit, along);
    return RILL_OK;
}

rill_status rill_bench_run(const rill_geom *geom, const rill_sim_options *options,
                           const rill_bench_options *bench, rill_bench_record *out)
{
    rill_status status = RILL_OK;
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    rill_bench_record record = {.mlups = 0};
    rill_sim_options forced = *options;
    for (int a = 0; a <= flow_axis(options->variant); a++) forced.force[a] = 1e-6; /* along any channel */
    double after = 0;
    const rill_domain_options domain_options = {options->variant.lattice, flow_axis(options->variant)};
    const rill_backend *backend;
    RILL_TRY(rill_backend_find(options->backend, &backend));
    RILL_TRY(backend->bandwidth(&record.bandwidth));
    record.yardstick = backend->yardstick;
    RILL_TRY(rill_domain_create(geom, &domain_options, &domain));
    RILL_TRY(rill_sim_create(domain, &forced, &sim));
    snprintf(record.backend, sizeof record.backend, "%s", rill_sim_backend(sim));
    snprintf(record.device, sizeof record.device, "%s", rill_sim_device(sim));
    record.nodes = rill_domain_nodes(domain);
    record.porosity = (double)record.nodes / (double)rill_geom_voxels(geom);
    record.bytes_per_update = rill_variant_bytes(options->variant, record.porosity).cached;
    RILL_TRY(time_rounds(sim, record.nodes, bench, &record));
    RILL_TRY(believe(sim, record.nodes, &forced, &record));
    rill_sim_destroy(sim);
    sim = NULL;
    RILL_TRY(backend->bandwidth(&after));
    record.bandwidth = fmax(bench->known_bandwidth, fmax(record.bandwidth, after));
    *out = record;
done:
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    return status;
}

void rill_bench_versions(rill_backend_kind kind, char *driver, size_t driver_size, char *cuda,
                         size_t cuda_size)
{
    const rill_backend *backend;
    *driver = *cuda = 0;
    if (rill_backend_find(kind, &backend) == RILL_OK && backend->versions)
        backend->versions(driver, driver_size, cuda, cuda_size);
}
