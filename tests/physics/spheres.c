/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Permeability of periodic sphere arrays against lattice values that an independent code reproduces to
 * 1e-7 (docs/method.md), and against the exact limit of Zick & Homsy (1982), doi:10.1017/S0022112082000627:
 * the cases of `rill verify`, at limits that are pinned here. Cells of 32 voxels everywhere, larger ones
 * where there is a device.
 */
#include "backends.h"
#include "verify/groups.h"

#include <string.h>

static rill_verify_setup setup_of(rill_storage storage, rill_lattice lattice, rill_backend_kind backend)
{
    rill_verify_setup setup = {.variant = rill_variant_default(), .on.backend = backend, .magic = 3.0 / 16};
    setup.variant.storage = storage;
    setup.variant.lattice = lattice;
    setup.full = backend == RILL_BACKEND_CUDA;
    return setup;
}

/* Run the cases whose names begin with `prefix`; return how many belong to the setup. */
static int run(const char *prefix, const rill_verify_setup *setup, double limit)
{
    int count = 0;
    const rill_verify_precision precision = rill_verify_precision_of(setup->variant);
    for (int k = 0; k < rill_verify_spheres.count; k++) {
        const rill_verify_case *of = &rill_verify_spheres.cases[k];
        rill_verify_record record;
        if (strncmp(of->name, prefix, strlen(prefix)) != 0) continue;
        cr_assert_leq(of->checks[0].limit[precision], limit, "%s has a limit of %g", of->name,
                      of->checks[0].limit[precision]);
        ASSERT_OK(rill_verify_run(of, setup, NULL, &record));
        if (record.skipped) continue;
        for (int i = 0; i < of->check_count; i++)
            cr_expect(record.outcomes[i].pass, "%s on backend %d, lattice %d: %s %.9g, expected %.9g %s",
                      of->name, setup->on.backend, setup->variant.lattice, of->checks[i].what,
                      record.outcomes[i].found, record.outcomes[i].expected, record.reason);
        count++;
    }
    return count;
}

Test(spheres, reproduce_the_lattice_values)
{
    static const char *const prefixes[] = {"spheres/sc-", "spheres/bcc-", "spheres/fcc-"};
    FOR_EACH_BACKEND(backend)
    {
        int counts[2] = {0, 0};
        for (rill_lattice lattice = RILL_D3Q19; lattice <= RILL_D3Q27; lattice++)
            for (int p = 0; p < 3; p++) {
                const rill_verify_setup fp64 = setup_of(RILL_FP64, lattice, backend),
                                        fp32 = setup_of(RILL_FP32, lattice, backend);
                counts[lattice] += run(prefixes[p], &fp64, 1e-6);
                run(prefixes[p], &fp32, 2e-4);
            }
        cr_expect_eq(counts[RILL_D3Q19], backend == RILL_BACKEND_CPU ? 5 : 13);
        cr_expect_eq(counts[RILL_D3Q27], 1);
    }
}

Test(spheres, do_not_depend_on_tau)
{
    FOR_EACH_BACKEND(backend)
    {
        const rill_verify_setup setup = setup_of(RILL_FP64, RILL_D3Q19, backend);
        cr_expect_eq(run("spheres/tau", &setup, 1e-6), 1);
    }
}

Test(spheres, approach_the_exact_limit)
{
    for (rill_lattice lattice = RILL_D3Q19; lattice <= RILL_D3Q27; lattice++) {
        const rill_verify_setup setup = setup_of(RILL_FP64, lattice, RILL_BACKEND_CPU);
        cr_expect_eq(run("spheres/limit", &setup, 0.035), 1);
    }
}
