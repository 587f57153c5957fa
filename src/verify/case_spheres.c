/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Permeability of periodic arrays of spheres: against lattice values that an independent code reproduces to
 * 1e-7 (D3Q19 or D3Q27, TRT with magic 3/16 or SRT at the same, Stokes equilibrium, solid where r <= R), and
 * against the exact limit of Zick & Homsy (1982), doi:10.1017/S0022112082000627,
 * k/L^2 = 1/(6 pi n (a/L) K) with n = 1, 2, 4 spheres in the cell.
 */
#include "geometry/generate/generate.h"
#include "verify/verify.h"

#include "core/status.h"
#include "verify/groups.h"
#include "verify/steady.h"

#include <math.h>

static const char LATTICE_VALUE[] = "independent D3Q19/D3Q27 TRT code";
static const char ZICK_HOMSY[] = "Zick & Homsy 1982, doi:10.1017/S0022112082000627";

/* An array of spheres on a lattice. */
typedef struct sphere_array {
    rill_array array;
    double solid_fraction; /* negative: touching */
    uint32_t cells;
    rill_lattice lattice; /* that its lattice value belongs to */
} sphere_array;

/*
 * The permeability along x of an array of spheres, in lu, with the setup's lattice.
 * tau: at which it is done; SRT has its own, see rill_verify_magic_tau(). rounding: as rill_verify_mobility()
 * has it; may be NULL
 */
static rill_status array_permeability(const sphere_array *array, const rill_verify_setup *setup, double tau,
                                      double *k, double *rounding)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    rill_sim_options options = rill_verify_options(setup, rill_verify_magic_tau(setup, tau));
    rill_spheres_options spheres = {.array = array->array, .cells = array->cells};
    spheres.solid_fraction =
        array->solid_fraction < 0 ? rill_spheres_touching(array->array) : array->solid_fraction;
    RILL_TRY(rill_generate_spheres(&spheres, &geom));
    /* k grows with N^2: with a force as N^-3 the Reynolds number stays. Without inertia in the equations it
     * may be large, which keeps formats of 16 bits out of their smallest numbers. */
    const bool inertia = setup->variant.equilibrium != RILL_STOKES;
    options.force[0] = (inertia ? 1e-3 : 1) / pow(array->cells, 3);
    const rill_verify_until until = rill_verify_until_of(options.variant, options.tau, array->cells, 200);
    RILL_TRY(rill_verify_mobility(geom, 0, &options, &until, k, rounding));
    *k *= (double)rill_geom_fluid(geom) / (double)rill_geom_voxels(geom);
done:
    rill_geom_destroy(geom);
    return status;
}

/* ---- lattice values -------------------------------------------------------------------------- */

static const char *lattice_unfit(const rill_verify_case *of, const rill_verify_setup *setup)
{
    const sphere_array *array = of->data;
    const rill_variant v = setup->variant;
    if (v.lattice != array->lattice)
        return array->lattice == RILL_D3Q19 ? "its value belongs to d3q19" : "its value belongs to d3q27";
    if (v.collision != RILL_TRT && v.collision != RILL_SRT) return "its value belongs to trt and srt";
    if (setup->magic != 3.0 / 16) return "its value belongs to magic 3/16";
    return NULL;
}

static rill_status lattice_run(const rill_verify_case *of, const rill_verify_setup *setup,
                               rill_verify_values *values)
{
    return array_permeability(of->data, setup, 1.5, &values->found[0], &values->rounding[0]);
}

static rill_status taus_run(const rill_verify_case *of, const rill_verify_setup *setup,
                            rill_verify_values *values)
{
    rill_status status = RILL_OK;
    double high;
    RILL_TRY(array_permeability(of->data, setup, 0.8, &values->found[0], &values->rounding[0]));
    RILL_TRY(array_permeability(of->data, setup, 1.5, &high, NULL));
    values->found[0] /= high;
done:
    return status;
}

static const char *taus_unfit(const rill_verify_case *of, const rill_verify_setup *setup)
{
    (void)of;
    if (setup->variant.lattice == RILL_D2Q9) return "spheres need three dimensions";
    return setup->variant.collision == RILL_TRT ? NULL : "only trt has a permeability that tau does not move";
}

/* ---- the exact limit ------------------------------------------------------------------------- */

static const char *limit_unfit(const rill_verify_case *of, const rill_verify_setup *setup)
{
    (void)of;
    return setup->variant.lattice == RILL_D2Q9 ? "spheres need three dimensions" : NULL;
}

/* k over the exact one, and how many times smaller its error is than on half as many cells. */
static rill_status limit_run(const rill_verify_case *of, const rill_verify_setup *setup,
                             rill_verify_values *values)
{
    rill_status status = RILL_OK;
    const sphere_array *finest = of->data;
    static const double spheres[RILL_ARRAY_COUNT] = {1, 2, 4};
    const double n = spheres[finest->array];
    const double radius = cbrt(3 * finest->solid_fraction / (4 * M_PI * n));
    const double drag = values->expected[0], exact = 1 / (6 * M_PI * n * radius * drag);
    double k[2];
    for (int fine = 0; fine < 2; fine++) {
        sphere_array array = *finest;
        if (!fine) array.cells /= array.cells < 128 ? 2 : 4; /* errors of staircases fall in jumps */
        RILL_TRY(array_permeability(&array, setup, 1.5, &k[fine], &values->rounding[0]));
        k[fine] /= pow(array.cells, 2);
    }
    values->found[0] = k[1];
    values->expected[0] = exact;
    values->found[1] = fabs(k[0] - exact) / fabs(k[1] - exact);
done:
    return status;
}

/* A solid fraction: of spheres that touch. */
enum { touching = -1 };

/* ---- the table ------------------------------------------------------------------------------- */

#define LATTICE(name_, what_, full_, array_, c_, cells_, lattice_)                                           \
    {                                                                                                        \
        .name = "spheres/" name_, .what = "flow through " what_, .full = full_,                              \
        RILL_VERIFY_LIST(                                                                                    \
            {"permeability",                                                                                 \
             "lu",                                                                                           \
             RILL_VERIFY_RELATIVE,                                                                           \
             0,                                                                                              \
             {1e-6, 2e-4, 1e-3},                                                                             \
             LATTICE_VALUE,                                                                                  \
             {"sphere-arrays-lattice", #array_ " " #c_ " " #cells_ " " #lattice_, "permeability"}}),         \
        .data = &(const sphere_array){RILL_##array_, c_, cells_, RILL_##lattice_}, .unfit = lattice_unfit,   \
        .run = lattice_run                                                                                   \
    }

#define LIMIT(name_, what_, full_, array_, c_, cells_, error_)                                               \
    {                                                                                                        \
        .name = "spheres/" name_, .what = "staircase spheres on the way to round ones, " what_,              \
        .full = full_,                                                                                       \
        RILL_VERIFY_LIST({"k/L^2",                                                                           \
                          "",                                                                                \
                          RILL_VERIFY_RELATIVE,                                                              \
                          0,                                                                                 \
                          {error_, error_, error_},                                                          \
                          ZICK_HOMSY,                                                                        \
                          {"sphere-arrays", #array_ " " #c_, "drag coefficient"}},                           \
                         {"error, times smaller than on coarse voxels",                                      \
                          "",                                                                                \
                          RILL_VERIFY_AT_LEAST,                                                              \
                          0,                                                                                 \
                          {1, 1, -INFINITY},                                                                 \
                          "first order or better"}),                                                         \
        .data = &(const sphere_array){RILL_##array_, c_, cells_, RILL_D3Q19}, .unfit = limit_unfit,          \
        .run = limit_run                                                                                     \
    }

static const rill_verify_case cases[] = {
    LATTICE("sc-0.216-32", "simple cubic, c 0.216, 32 voxels", false, SC, 0.216, 32, D3Q19),
    LATTICE("sc-0.45-32", "simple cubic, c 0.45, 32 voxels", false, SC, 0.45, 32, D3Q19),
    LATTICE("sc-touching-32", "touching simple cubic, 32 voxels", false, SC, touching, 32, D3Q19),
    LATTICE("bcc-0.343-32", "body-centred, c 0.343, 32 voxels", false, BCC, 0.343, 32, D3Q19),
    LATTICE("fcc-0.343-32", "face-centred, c 0.343, 32 voxels", false, FCC, 0.343, 32, D3Q19),
    LATTICE("sc-0.216-32-d3q27", "simple cubic, c 0.216, 32 voxels", false, SC, 0.216, 32, D3Q27),
    LATTICE("sc-0.216-64", "simple cubic, c 0.216, 64 voxels", true, SC, 0.216, 64, D3Q19),
    LATTICE("sc-0.343-64", "simple cubic, c 0.343, 64 voxels", true, SC, 0.343, 64, D3Q19),
    LATTICE("sc-0.45-64", "simple cubic, c 0.45, 64 voxels", true, SC, 0.45, 64, D3Q19),
    LATTICE("sc-touching-64", "touching simple cubic, 64 voxels", true, SC, touching, 64, D3Q19),
    LATTICE("bcc-0.343-64", "body-centred, c 0.343, 64 voxels", true, BCC, 0.343, 64, D3Q19),
    LATTICE("bcc-touching-64", "touching body-centred, 64 voxels", true, BCC, touching, 64, D3Q19),
    LATTICE("fcc-0.343-64", "face-centred, c 0.343, 64 voxels", true, FCC, 0.343, 64, D3Q19),
    LATTICE("sc-0.216-128", "simple cubic, c 0.216, 128 voxels", true, SC, 0.216, 128, D3Q19),
    {.name = "spheres/tau",
     .what = "touching simple cubic, 32 voxels, tau 0.8 and 1.5",
     RILL_VERIFY_LIST({"k(tau 0.8) / k(tau 1.5)",
                       "",
                       RILL_VERIFY_RELATIVE,
                       1,
                       {1e-6, 2e-4, 1e-3},
                       "Ginzburg & d'Humieres 2003, doi:10.1103/PhysRevE.68.066614"}),
     .data = &(const sphere_array){RILL_SC, touching, 32, RILL_D3Q19},
     .unfit = taus_unfit,
     .run = taus_run},
    LIMIT("limit-32", "simple cubic, c 0.216, 16 and 32 voxels", false, SC, 0.216, 32, 0.035),
    LIMIT("limit-128", "simple cubic, c 0.216, 32 and 128 voxels", true, SC, 0.216, 128, 0.01),
    LIMIT("limit-bcc-128", "body-centred, c 0.343, 32 and 128 voxels", true, BCC, 0.343, 128, 0.02),
    LIMIT("limit-fcc-128", "face-centred, c 0.343, 32 and 128 voxels", true, FCC, 0.343, 128, 0.02),
};

const rill_verify_group rill_verify_spheres = {cases, sizeof cases / sizeof *cases};
