/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An image of a sandstone that the user brings: the Fontainebleau image of 480^3 voxels of 5.7 um that comes
 * with GeoChemFoam 5.0. Its porosities are exact counts; its permeability is a sanity check, because methods
 * differ by a factor of 1.5 on rocks.
 */
#include "core/status.h"
#include "verify/groups.h"
#include "verify/section.h"

static const char *rocks_unfit(const rill_verify_case *of, const rill_verify_setup *setup)
{
    (void)of;
    const rill_geom *rock = setup->rock;
    if (!rock) return "no image is given: --rock FILE";
    if (setup->variant.lattice == RILL_D2Q9) return "a rock needs three dimensions";
    for (int a = 0; a < 3; a++)
        if (rock->n[a] != 480) return "its values belong to the image of 480^3 voxels";
    return NULL;
}

static rill_permeability_options options_of(const rill_verify_setup *setup)
{
    rill_permeability_options options = rill_permeability_options_default();
    options.on = setup->on;
    return options;
}

static rill_status porosity_run(const rill_verify_case *of, const rill_verify_setup *setup,
                                rill_verify_values *values)
{
    rill_status status = RILL_OK;
    (void)of;
    rill_geom *rock = NULL;
    rill_permeability_plan plan = {.nodes = 0};
    const rill_permeability_options options = options_of(setup);
    RILL_TRY(rill_verify_rock_crop(setup->rock, 480, RILL_MIRROR, &rock));
    RILL_TRY(rill_permeability_prepare(rock, &options));
    RILL_TRY(rill_permeability_plan_make(rock, &options, &plan));
    values->found[0] = plan.porosity.total;
    values->found[1] = plan.porosity.percolating[2];
done:
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(rock);
    return status;
}

static rill_status permeability_run(const rill_verify_case *of, const rill_verify_setup *setup,
                                    rill_verify_values *values)
{
    rill_status status = RILL_OK;
    (void)of;
    rill_geom *rock = NULL;
    rill_permeability_plan plan = {.nodes = 0};
    rill_permeability result = {0};
    rill_permeability_options options = options_of(setup);
    options.variant = setup->variant;
    options.magic = setup->magic;
    RILL_TRY(rill_verify_rock_crop(setup->rock, 240, RILL_MIRROR, &rock));
    RILL_TRY(rill_permeability_prepare(rock, &options));
    RILL_TRY(rill_permeability_plan_make(rock, &options, &plan));
    RILL_TRY(rill_permeability_compute(rock, &options, &plan, &result));
    values->found[0] = result.k[2][2];
done:
    rill_permeability_free(&result);
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(rock);
    return status;
}

static const rill_verify_case cases[] = {
    {.name = "rocks/porosity",
     .what = "Fontainebleau, 480^3 voxels",
     RILL_VERIFY_LIST({"total porosity",
                       "",
                       RILL_VERIFY_ABSOLUTE,
                       0,
                       {0, 0, 0},
                       "counted by other means",
                       {"fontainebleau", "total porosity", "value", "uncertainty"}},
                      {"percolating along z, mirrored sides",
                       "",
                       RILL_VERIFY_ABSOLUTE,
                       0,
                       {0, 0, 0},
                       "counted by other means",
                       {"fontainebleau", "percolating porosity", "value", "uncertainty"}}),
     .unfit = rocks_unfit,
     .run = porosity_run},
    {.name = "rocks/permeability",
     .what = "Fontainebleau, corner of 240^3 voxels, mirrored sides, along z",
     .full = true,
     RILL_VERIFY_LIST({"permeability",
                       "lu",
                       RILL_VERIFY_RELATIVE,
                       0,
                       {2e-3, 2e-3, 0.1},
                       "rill 0.1 in fp64 at an uncertainty of 7e-7: docs/method.md",
                       {"fontainebleau", "permeability", "value"}}),
     .unfit = rocks_unfit,
     .run = permeability_run},
};

const rill_verify_group rill_verify_rocks = {cases, sizeof cases / sizeof *cases};
