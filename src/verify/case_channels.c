/* SPDX-License-Identifier: Apache-2.0 */
/* Flow between plates and in ducts and triangles, against exact solutions: nu u / F as a mean over the nodes.
 */
#include "verify/case_channels.h"

#include "core/status.h"
#include "geometry/generate/generate.h"
#include "verify/groups.h"
#include "verify/section.h"
#include "verify/steady.h"

#include <math.h>

double rill_verify_plates_exact(double h, double magic)
{
    return h * h / 12 + 1.0 / 24 + (16 * magic / 3 - 1) / 8;
}

/* Largest speed that a force is chosen for: rounding of 16 bits is relative, and there is no inertia. */
static const double SPEED = 0.02;

static const char *solid_unfit(const rill_verify_case *of, const rill_verify_setup *setup)
{
    (void)of;
    return setup->variant.lattice == RILL_D2Q9 ? "its flow is along z, which d2q9 has not" : NULL;
}

/* ---- plates ---------------------------------------------------------------------------------- */

typedef struct plates {
    uint32_t gap;
    double tau;
} plates;

static const char *plates_unfit(const rill_verify_case *of, const rill_verify_setup *setup)
{
    (void)of;
    const rill_collision c = setup->variant.collision;
    return c == RILL_TRT || c == RILL_SRT
               ? NULL
               : "the exact wall position of half-way bounce-back is known for trt and srt";
}

static rill_status plates_run(const rill_verify_case *of, const rill_verify_setup *setup,
                              rill_verify_values *values)
{
    rill_status status = RILL_OK;
    const plates *p = of->data;
    rill_geom *geom = NULL;
    const rill_plates_options shape = {.gap = p->gap, .normal = 1, .length = 1};
    rill_sim_options options = rill_verify_options(setup, p->tau);
    rill_verify_until until = rill_verify_until_of(options.variant, p->tau, p->gap, 100);
    if (rill_verify_precision_of(options.variant) == RILL_VERIFY_64) until.change = 1e-13;
    options.force[0] = 8 * SPEED * (p->tau - 0.5) / 3 / (p->gap * p->gap);
    RILL_TRY(rill_generate_plates(&shape, &geom));
    RILL_TRY(rill_verify_mobility(geom, 0, &options, &until, &values->found[0], &values->rounding[0]));
    values->expected[0] = rill_verify_plates_exact(p->gap, rill_verify_magic(&options));
done:
    rill_geom_destroy(geom);
    return status;
}

/* ---- ducts ----------------------------------------------------------------------------------- */

typedef struct duct {
    uint32_t width, height;
} duct;

static rill_status duct_mobility(const duct *d, const rill_verify_setup *setup, double *mobility,
                                 double *rounding)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    const double tau = rill_verify_magic_tau(setup, 1.5);
    rill_duct_options shape = rill_duct_options_default();
    rill_sim_options options = rill_verify_options(setup, tau);
    const rill_verify_until until = rill_verify_until_of(options.variant, tau, d->height, 200);
    shape.width = d->width;
    shape.height = d->height;
    shape.length = 1;
    options.force[shape.axis] = 8 * SPEED * (tau - 0.5) / 3 / (d->height * d->height);
    RILL_TRY(rill_generate_duct(&shape, &geom));
    RILL_TRY(rill_verify_mobility(geom, shape.axis, &options, &until, mobility, rounding));
done:
    rill_geom_destroy(geom);
    return status;
}

static rill_status rectangle_run(const rill_verify_case *of, const rill_verify_setup *setup,
                                 rill_verify_values *values)
{
    const duct *d = of->data;
    const rill_status status = duct_mobility(d, setup, &values->found[0], &values->rounding[0]);
    values->found[0] /= d->height * d->height;
    return status;
}

/* A square duct, and the order in which its error falls from half as many voxels. */
static rill_status square_run(const rill_verify_case *of, const rill_verify_setup *setup,
                              rill_verify_values *values)
{
    rill_status status = RILL_OK;
    const duct *fine = of->data, coarse = {fine->width / 2, fine->height / 2};
    double k;
    RILL_TRY(duct_mobility(&coarse, setup, &k, NULL));
    RILL_TRY(rectangle_run(of, setup, values));
    k /= coarse.height * coarse.height;
    values->found[1] = log2(fabs(k - values->expected[0]) / fabs(values->found[0] - values->expected[0]));
done:
    return status;
}

/* ---- triangle -------------------------------------------------------------------------------- */

/* An equilateral triangle of side `context` standing on y = 1. */
static bool in_triangle(const void *context, double x, double y)
{
    const double a = *(const double *)context, up = y - 1, across = fabs(x - 1 - a / 2);
    return up > 0 && across < a / 2 - up / sqrt(3);
}

static rill_status triangle_run(const rill_verify_case *of, const rill_verify_setup *setup,
                                rill_verify_values *values)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    const double a = *(const double *)of->data, tau = rill_verify_magic_tau(setup, 1.5);
    rill_sim_options options = rill_verify_options(setup, tau);
    const rill_verify_until until = rill_verify_until_of(options.variant, tau, a / 2, 200);
    options.force[2] = 20 * SPEED * (tau - 0.5) / 3 / (a * a);
    RILL_TRY(rill_verify_section((uint32_t)a + 2, (uint32_t)(a * sqrt(0.75)) + 3, in_triangle, &a, &geom));
    RILL_TRY(rill_verify_mobility(geom, 2, &options, &until, &values->found[0], &values->rounding[0]));
    /* The flow rate: the area of the nodes is not quite that of the triangle. */
    values->found[0] *= (double)rill_geom_fluid(geom) / (sqrt(3) / 4 * a * a) / (a * a);
done:
    rill_geom_destroy(geom);
    return status;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const char GINZBURG[] = "Ginzburg & d'Humieres 2003, doi:10.1103/PhysRevE.68.066614";
static const char SERIES[] = "exact series";

#define PLATES(name_, gap_, tau_)                                                                            \
    {                                                                                                        \
        .name = "channels/" name_, .what = "plates " #gap_ " nodes apart at tau " #tau_,                     \
        RILL_VERIFY_LIST({"nu u/F", "lu", RILL_VERIFY_RELATIVE, 0, {1e-9, 2e-4, 1e-3}, GINZBURG}),           \
        .data = &(const plates){gap_, tau_}, .unfit = plates_unfit, .run = plates_run                        \
    }
#define RECTANGLE(ratio_, width_, height_, error_)                                                           \
    {                                                                                                        \
        .name = "channels/rectangle-" #ratio_, .what = "duct " #width_ " x " #height_,                       \
        RILL_VERIFY_LIST({"nu u/(F h^2)",                                                                    \
                          "",                                                                                \
                          RILL_VERIFY_RELATIVE,                                                              \
                          0,                                                                                 \
                          {error_, error_, error_},                                                          \
                          SERIES,                                                                            \
                          {"ducts", #ratio_, "permeability"}}),                                              \
        .data = &(const duct){width_, height_}, .unfit = solid_unfit, .run = rectangle_run                   \
    }

static const rill_verify_case cases[] = {
    PLATES("plates-1", 1, 0.8),
    PLATES("plates-8", 8, 1.5),
    PLATES("plates-31", 31, 0.9),
    {.name = "channels/square",
     .what = "square ducts 12 and 24 nodes wide",
     RILL_VERIFY_LIST({"nu u/(F a^2), 24 nodes",
                       "",
                       RILL_VERIFY_RELATIVE,
                       0,
                       {5e-3, 5e-3, 5e-3},
                       SERIES,
                       {"ducts", "1", "permeability"}},
                      {"order of convergence",
                       "",
                       RILL_VERIFY_ABSOLUTE,
                       2.05,
                       {0.15, 0.15, INFINITY},
                       "second order, no rounding"}),
     .data = &(const duct){24, 24},
     .unfit = solid_unfit,
     .run = square_run},
    RECTANGLE(2, 32, 16, 0.005),
    RECTANGLE(3, 48, 16, 0.005),
    RECTANGLE(4, 64, 16, 0.005),
    RECTANGLE(10, 160, 16, 0.005),
    {.name = "channels/triangle",
     .what = "equilateral triangle of side 48",
     RILL_VERIFY_LIST(
         {"nu u/(F a^2)", "", RILL_VERIFY_RELATIVE, 1.0 / 80, {0.03, 0.03, 0.03}, "exact, staircase sides"}),
     .data = &(const double){48},
     .unfit = solid_unfit,
     .run = triangle_run},
};

const rill_verify_group rill_verify_channels = {cases, sizeof cases / sizeof *cases};
