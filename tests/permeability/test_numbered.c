/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_numbered.c
 * Chambers of a pore network that are found while a plan waits for its device: the run takes them over, with
 * the same bits, or they are given up.
 */
#include "backends.h"
#include "permeability/numbered.h"
#include "permeability/plan.h"
#include "permeability/plan_memory.h"

#include <string.h>

enum { EDGE = 40 };

/* Overlapping spheres of a few voxels, nearly half of it pores. */
static rill_geom *rock(rill_side side)
{
    rill_geom *geom = NULL;
    uint32_t state = 7;
    ASSERT_OK(rill_geom_create((const uint32_t[3]){EDGE, EDGE, EDGE}, &geom));
    memset(geom->voxels, RILL_FLUID, rill_geom_voxels(geom));
    for (int n = 0; n < 130; n++) {
        int at[3];
        for (int a = 0; a < 3; a++) {
            state = state * 1664525 + 1013904223;
            at[a] = (int)(state >> 8) % EDGE;
        }
        for (int z = -5; z <= 5; z++)
            for (int y = -5; y <= 5; y++)
                for (int x = -5; x <= 5; x++)
                    if (x * x + y * y + z * z < 30)
                        geom->voxels[(at[0] + x + EDGE) % EDGE +
                                     EDGE * ((at[1] + y + EDGE) % EDGE +
                                             EDGE * ((at[2] + z + EDGE) % EDGE))] = RILL_SOLID;
    }
    for (int a = 0; a < 3; a++) geom->sides[a] = side;
    return geom;
}

/* Plan with the chambers found meanwhile, or without. */
static void plan_with(rill_geom *geom, const rill_permeability_options *o, bool early,
                      rill_permeability_plan *plan)
{
    rill_plan_basis basis;
    rill_plan_sizes sizes;
    ASSERT_OK(rill_permeability_prepare(geom, o));
    ASSERT_OK(rill_plan_basis_take(geom, o, &basis));
    if (early) rill_plan_basis_hurry(o, &basis);
    ASSERT_OK(rill_plan_make_on(geom, o, &basis, plan, &sizes));
    rill_plan_basis_free(&basis);
}

Test(numbered, chambers_found_early_give_the_same_bits)
{
    FOR_EACH_BACKEND(backend)
    for (int way = 0; way < 4; way++) {
        rill_permeability_options o = rill_permeability_options_default();
        rill_permeability found[2];
        uint64_t held[2], host[2];
        rill_geom *geom = rock(way % 2 ? RILL_MIRROR : RILL_PERIODIC);
        o.on.backend = backend;
        o.axis = way < 2 ? -1 : 2; /* the chambers serve the first of three runs */
        o.acceleration = RILL_ACCELERATION_NETWORK;
        for (int early = 0; early < 2; early++) {
            rill_permeability_plan plan;
            plan_with(geom, &o, early, &plan);
            host[early] = plan.resources.host_bytes;
            if (o.axis < 0) { /* a run of one axis waits for them itself */
                rill_numbered_chambers_end(plan.numbered, true);
                held[early] = rill_numbered_bytes(plan.numbered);
                cr_assert_eq(plan.numbered->part.whole, early);
            }
            ASSERT_OK(rill_permeability_compute(geom, &o, &plan, &found[early]));
            cr_assert_not(plan.numbered->part.whole, "the run left the chambers");
            cr_assert_not_null(plan.numbered->counted.base);
            rill_permeability_plan_free(&plan);
        }
        cr_assert_gt(found[0].runs[0].chambers, 100);
        if (o.axis < 0) cr_assert_geq(held[1], held[0] + 4 * found[0].plan.nodes);
        cr_assert_eq(host[0], host[1]);
        cr_assert_eq(found[0].run_count, found[1].run_count);
        for (int k = 0; k < 9; k++)
            cr_expect_arr_eq(&found[0].k[k / 3][k % 3], &found[1].k[k / 3][k % 3], sizeof(double), "entry %d",
                             k);
        for (int r = 0; r < found[0].run_count; r++) {
            cr_expect_eq(found[0].runs[r].steps, found[1].runs[r].steps);
            cr_expect_eq(found[0].runs[r].chambers, found[1].runs[r].chambers);
        }
        for (int early = 0; early < 2; early++) rill_permeability_free(&found[early]);
        rill_geom_destroy(geom);
    }
}

/* A run that is too short for a network, a plan that is refused, and no plan at all. */
Test(numbered, chambers_that_nobody_needs_are_given_up)
{
    rill_permeability_options o = rill_permeability_options_default();
    rill_permeability_plan plan;
    rill_plan_basis basis;
    rill_plan_sizes sizes;
    rill_geom *geom = rock(RILL_PERIODIC);
    o.on.backend = RILL_BACKEND_CPU;
    o.axis = 2;
    o.max_steps = 1;
    plan_with(geom, &o, true, &plan);
    cr_assert_not(plan.numbered->part.whole);
    cr_assert_null(plan.numbered->counted.base);
    cr_assert_eq(rill_numbered_bytes(plan.numbered), rill_numbering_held(geom));
    rill_permeability_plan_free(&plan);
    for (int refused = 0; refused < 2; refused++) {
        ASSERT_OK(rill_plan_basis_take(geom, &o, &basis));
        rill_plan_basis_hurry(&o, &basis);
        o.tau = 0.2;
        if (refused) cr_assert_eq(rill_plan_make_on(geom, &o, &basis, &plan, &sizes), RILL_USAGE);
        o.tau = 0;
        rill_plan_basis_free(&basis);
        cr_assert_null(basis.numbered);
    }
    rill_geom_destroy(geom);
}
