/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Number formats and permeability, in arrays of spheres, a random packing and a rock: k over that of fp64 at
 * the same step, less 1. Stokes equilibrium, as `rill permeability` has it.
 */
#include "core/status.h"
#include "geometry/generate/generate.h"
#include "verify/formats.h"
#include "verify/groups.h"
#include "verify/section.h"
#include "verify/steady.h"

#include <math.h>
#include <stdlib.h>

static const char OURS[] = "no publication: measured here";

static const char *pores_unfit(const rill_verify_case *of, const rill_verify_setup *setup)
{
    (void)of;
    return setup->variant.lattice == RILL_D2Q9 ? "pores need three dimensions" : NULL;
}

static const char *rock_unfit(const rill_verify_case *of, const rill_verify_setup *setup)
{
    if (!setup->rock) return "no image is given: --rock FILE";
    return pores_unfit(of, setup);
}

/* A permeability along an axis, driven for so many steps. */
typedef struct drive {
    int axis;
    double tau, force;
    uint64_t steps;
} drive;

/* The formats that a CPU has time for in a large geometry. */
static bool common(int k)
{
    return k < 2 || k == rill_verify_format_of(RILL_FP32, RILL_SHIFTED) ||
           k == rill_verify_format_of(RILL_FP16S, RILL_SHIFTED) ||
           k == rill_verify_format_of(RILL_FP16C, RILL_SHIFTED);
}

/* Fill a point: k of every format over that of fp64, less 1. */
static rill_status sweep(const rill_geom *geom, const drive *d, const rill_verify_setup *setup, int point,
                         rill_verify_curves *curves)
{
    rill_status status = RILL_OK;
    double exact = NAN;
    const rill_verify_until until = {d->steps, 0, d->steps};
    const bool slow = !setup->full && (double)d->steps * (double)rill_geom_fluid(geom) > 2e8;
    for (int k = 0; k < RILL_VERIFY_FORMAT_COUNT; k++) {
        const rill_verify_setup s = rill_verify_format_setup(setup, k);
        rill_sim_options options = rill_verify_options(&s, d->tau);
        if (slow && !common(k)) continue;
        double mobility = NAN;
        options.variant.equilibrium = RILL_STOKES;
        options.force[d->axis] = d->force;
        status = rill_verify_mobility(geom, d->axis, &options, &until, &mobility, NULL);
        if (status == RILL_OK && k == 0) exact = mobility;
        if (status == RILL_OK) curves->y[k][point] = mobility / exact - 1;
        RILL_TRY(k ? rill_verify_format_soften(status) : status);
    }
done:
    return status;
}

static void judge(const rill_verify_curves *curves, rill_verify_values *values)
{
    static const struct {
        rill_storage storage;
        rill_shift shift;
    } checked[] = {{RILL_FP32, RILL_SHIFTED},
                   {RILL_FP16S, RILL_SHIFTED},
                   {RILL_FP16C, RILL_SHIFTED},
                   {RILL_FP64, RILL_PLAIN}};
    for (int s = 0; s < 4; s++) {
        const double *y = curves->y[rill_verify_format_of(checked[s].storage, checked[s].shift)];
        values->found[s] = 0;
        for (int i = 0; i < curves->points; i++)
            values->found[s] = rill_verify_largest(values->found[s], fabs(y[i]));
    }
}

/* ---- spheres --------------------------------------------------------------------------------- */

static rill_status spheres_run(const rill_verify_case *of, const rill_verify_setup *setup,
                               rill_verify_values *values)
{
    rill_status status = RILL_OK;
    static const double taus[] = {0.55, 0.6, 0.8, 1, 1.5};
    const double fraction = *(const double *)of->data;
    rill_verify_curves *curves = NULL;
    rill_geom *geom = NULL;
    const uint32_t cells = setup->full ? 64 : 16;
    const rill_spheres_options spheres = {.array = RILL_SC, .solid_fraction = fraction, .cells = cells};
    RILL_TRY(rill_generate_spheres(&spheres, &geom));
    RILL_TRY(rill_verify_curves_create(fraction < 0.3 ? "spheres-wide/permeability"
                                                      : "spheres-narrow/permeability",
                                       fraction < 0.3 ? "Simple cubic spheres, c 0.216: permeability off fp64"
                                                      : "Simple cubic spheres, c 0.5: permeability off fp64",
                                       "tau", "k/k of fp64 - 1", &curves));
    curves->points = sizeof taus / sizeof *taus;
    for (int i = 0; i < curves->points; i++) {
        const double nu = (taus[i] - 0.5) / 3;
        /* Speeds of about 0.01: k/L^2 is 0.019 and 0.003. */
        const drive d = {0, taus[i], 0.01 * nu / (cells * cells * (fraction < 0.3 ? 0.03 : 0.005)),
                         2 * (uint64_t)(0.4 * cells * cells / nu)};
        curves->x[i] = taus[i];
        RILL_TRY(sweep(geom, &d, setup, i, curves));
    }
    judge(curves, values);
    RILL_TRY(rill_verify_curves_report(curves, values->series));
done:
    rill_geom_destroy(geom);
    free(curves);
    return status;
}

/* ---- pores as `rill permeability` takes them -------------------------------------------------- */

/*
 * As the plan has it, for as many steps as fp64 needs; and with 30 times the force, because without inertia
 * it only moves the numbers away from the smallest ones that a format has.
 */
static rill_status pores(rill_geom *geom, const char *name, const char *title, const rill_verify_setup *setup,
                         rill_verify_values *values)
{
    rill_status status = RILL_OK;
    rill_permeability_plan plan = {.nodes = 0};
    rill_permeability result = {0};
    rill_verify_curves *curves = NULL;
    rill_permeability_options options = rill_permeability_options_default();
    options.variant = setup->variant;
    options.variant.storage = RILL_FP64;
    options.variant.shift = RILL_SHIFTED;
    options.variant.equilibrium = RILL_STOKES;
    options.on = setup->on;
    options.magic = setup->magic;
    if (!setup->full) options.tolerance = 1e-2; /* formats are compared at the same step, settled or not */
    RILL_TRY(rill_permeability_prepare(geom, &options));
    RILL_TRY(rill_permeability_plan_make(geom, &options, &plan));
    RILL_TRY(rill_permeability_compute(geom, &options, &plan, &result));
    RILL_TRY(rill_verify_curves_create(name, title, "force over the chosen one", "k/k of fp64 - 1", &curves));
    curves->points = setup->full ? 2 : 1;
    for (int i = 0; i < curves->points; i++) {
        curves->x[i] = i ? 30 : 1;
        const drive d = {2, plan.tau, plan.force * curves->x[i], result.runs[0].steps};
        RILL_TRY(sweep(geom, &d, setup, i, curves));
    }
    judge(curves, values);
    RILL_TRY(rill_verify_curves_report(curves, values->series));
done:
    free(curves);
    rill_permeability_plan_free(&plan);
    rill_permeability_free(&result);
    return status;
}

static rill_status packing_run(const rill_verify_case *of, const rill_verify_setup *setup,
                               rill_verify_values *values)
{
    rill_status status = RILL_OK;
    (void)of;
    rill_pack_options options = rill_pack_options_default();
    rill_pack pack = {0};
    rill_geom *geom = NULL;
    for (int a = 0; a < 3; a++) options.n[a] = setup->full ? 128 : 32;
    options.radius = setup->full ? 16 : 6;
    RILL_TRY(rill_pack_create(&options, &pack));
    RILL_TRY(rill_generate_pack(&options, &pack, NULL, &geom));
    RILL_TRY(pores(geom, "packing/permeability", "Random packing of spheres: permeability off fp64", setup,
                   values));
done:
    rill_pack_destroy(&pack);
    rill_geom_destroy(geom);
    return status;
}

static rill_status rock_run(const rill_verify_case *of, const rill_verify_setup *setup,
                            rill_verify_values *values)
{
    rill_status status = RILL_OK;
    (void)of;
    rill_geom *geom = NULL;
    RILL_TRY(rill_verify_rock_crop(setup->rock, setup->full ? 240 : 96, RILL_MIRROR, &geom));
    RILL_TRY(pores(geom, "rock/permeability", "Rock: permeability off fp64", setup, values));
done:
    rill_geom_destroy(geom);
    return status;
}

#define DEVIATIONS                                                                                           \
    RILL_VERIFY_LIST(                                                                                        \
        {"fp32: permeability off fp64", "", RILL_VERIFY_AT_MOST, 0, {1e-3, 1e-3, 1e-3}, OURS},               \
        {"fp16s: permeability off fp64", "", RILL_VERIFY_AT_MOST, 0, {INFINITY, INFINITY, INFINITY}, OURS},  \
        {"fp16c: permeability off fp64", "", RILL_VERIFY_AT_MOST, 0, {INFINITY, INFINITY, INFINITY}, OURS},  \
        {"plain fp64: permeability off fp64",                                                                \
         "",                                                                                                 \
         RILL_VERIFY_AT_MOST,                                                                                \
         0,                                                                                                  \
         {1e-6, 1e-6, 1e-6},                                                                                 \
         "the same flow"})

static const rill_verify_case cases[] = {
    {.name = "formats/spheres-wide",
     .what = "simple cubic spheres, c 0.216, 16 voxels (64 in the full set), tau 0.55 to 1.5",
     DEVIATIONS,
     .data = &(const double){0.216},
     .unfit = pores_unfit,
     .run = spheres_run},
    {.name = "formats/spheres-narrow",
     .what = "simple cubic spheres, c 0.5, 16 voxels (64 in the full set), tau 0.55 to 1.5",
     DEVIATIONS,
     .data = &(const double){0.5},
     .unfit = pores_unfit,
     .run = spheres_run},
    {.name = "formats/packing",
     .what = "random packing of 32^3 voxels (128^3 in the full set), parameters as rill permeability chooses",
     DEVIATIONS,
     .unfit = pores_unfit,
     .run = packing_run},
    {.name = "formats/rock",
     .what = "corner of 96^3 voxels of an image (240^3 in the full set), mirrored sides, along z",
     DEVIATIONS,
     .unfit = rock_unfit,
     .run = rock_run},
};

const rill_verify_group rill_verify_format_pores = {cases, sizeof cases / sizeof *cases};
