/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ducts and a stenosis oblique to the lattice at the relaxation times of arteries: pressure drop, wall shear
 * on triangles and their order, from the exact flow on, driven by a force.
 */
#include "core/status.h"
#include "vessel/plan/expected.h"
#include "verify/groups.h"
#include "verify/vessel_flow.h"
#include "verify/vessel_unfit.h"

#define SPEED RILL_EXPECTED_SPEED

typedef struct oblique {
    rill_verify_section_kind kind;
    rill_lattice lattice;
    rill_collision collision;
    double coarse, fine; /* r */
    double reynolds;     /* of the speed on the axis and r */
    uint32_t along[3];
    double tau; /* of both; 0: that of SPEED */
} oblique;

static rill_status measure(const oblique *o, double r, const rill_verify_setup *setup,
                           rill_verify_vessel_found *found)
{
    const double nu = o->tau > 0 ? (o->tau - 0.5) / 3 : SPEED * r / o->reynolds;
    const rill_verify_duct duct = {.kind = o->kind,
                                   .along = {o->along[0], o->along[1], o->along[2]},
                                   .r = r,
                                   .speed = nu * o->reynolds / r};
    return rill_verify_duct_measure(&duct, nu, o->lattice, o->collision, setup, found);
}

static rill_status oblique_run(const rill_verify_case *of, const rill_verify_setup *setup,
                               rill_verify_values *values)
{
    rill_status status = RILL_OK;
    const oblique *o = of->data;
    rill_verify_vessel_found coarse, fine;
    RILL_TRY(measure(o, o->coarse, setup, &coarse));
    RILL_TRY(measure(o, o->fine, setup, &fine));
    rill_verify_vessel_fill(&coarse, &fine, values);
done:
    return status;
}

/* Rows of the table of docs/wall-shear.md: nothing is judged. */
typedef struct rows {
    oblique of;
    double r[3]; /* as many as a third of the checks */
} rows;

static rill_status rows_run(const rill_verify_case *of, const rill_verify_setup *setup,
                            rill_verify_values *values)
{
    rill_status status = RILL_OK;
    const rows *w = of->data;
    for (int k = 0; k < of->check_count / 3; k++) {
        rill_verify_vessel_found found;
        RILL_TRY(measure(&w->of, w->r[k], setup, &found));
        rill_verify_vessel_put(&found, k, values);
    }
done:
    return status;
}

#define OBLIQUE(name_, full_, what_, kind_, lattice_, collision_, coarse_, fine_, reynolds_, along_, tau_,   \
                ...)                                                                                         \
    {                                                                                                        \
        .name = "vessels/oblique-" name_, .full = full_, .what = what_, RILL_VERIFY_LIST(__VA_ARGS__),       \
        .data = &(const oblique){RILL_VERIFY_##kind_,                                                        \
                                 RILL_##lattice_,                                                            \
                                 RILL_##collision_,                                                          \
                                 coarse_,                                                                    \
                                 fine_,                                                                      \
                                 reynolds_,                                                                  \
                                 ALONG_##along_,                                                             \
                                 tau_},                                                                      \
        .unfit = rill_verify_vessel_unfit, .run = oblique_run                                                \
    }
#define STRAIGHT(name_, full_, what_, kind_, lattice_, collision_, coarse_, fine_, reynolds_, along_, tau_,  \
                 l2_)                                                                                        \
    OBLIQUE(name_, full_, what_, kind_, lattice_, collision_, coarse_, fine_, reynolds_, along_, tau_,       \
            RILL_VERIFY_VESSEL_CHECKS(l2_, "exact flow"), RILL_VERIFY_VESSEL_BALANCE)
/* The slopes of a stenosis take a part of the pressure drop, as the corners of a triangle do, which are not
 * judged. */
#define STENOSIS(name_, full_, what_, lattice_, collision_, fine_, l2_)                                      \
    OBLIQUE(name_, full_, what_, STENOSIS, lattice_, collision_, 6, fine_, 8, 122, 0,                        \
            RILL_VERIFY_VESSEL_SOLVED(l2_, "stenosis", "resistance 0"))
#define SHOWN(what_, cells_)                                                                                 \
    {                                                                                                        \
        what_ ", " #cells_ " cells", "", RILL_VERIFY_AT_MOST, 0, {INFINITY, INFINITY, INFINITY},             \
            "exact flow"                                                                                     \
    }
#define CELLS(cells_)                                                                                        \
    SHOWN("pressure drop less 1", cells_), SHOWN("mean wall shear less 1", cells_),                          \
        SHOWN("L2 error of the wall shear", cells_)
#define ROWS(name_, kind_, collision_, reynolds_, first_, second_, third_, ...)                              \
    {                                                                                                        \
        .name = "vessels/row-" name_, .full = true,                                                          \
        .what = name_ " along (1, 2, 2), Reynolds " #reynolds_ ", " #collision_,                             \
        RILL_VERIFY_LIST(__VA_ARGS__),                                                                       \
        .data = &(const rows){{.kind = RILL_VERIFY_##kind_,                                                  \
                               .lattice = RILL_D3Q27,                                                        \
                               .collision = RILL_##collision_,                                               \
                               .reynolds = reynolds_,                                                        \
                               .along = ALONG_122},                                                          \
                              {first_, second_, third_}},                                                    \
        .unfit = rill_verify_vessel_unfit, .run = rows_run                                                   \
    }
#define ALONG_122                                                                                            \
    {                                                                                                        \
        1, 2, 2                                                                                              \
    }
#define ALONG_012                                                                                            \
    {                                                                                                        \
        0, 1, 2                                                                                              \
    }
#define ALONG_123                                                                                            \
    {                                                                                                        \
        1, 2, 3                                                                                              \
    }

static const rill_verify_case cases[] = {
    STRAIGHT("pipe", false, "pipes along (1, 2, 2) of radius 6 and 10, Reynolds 100, CUMULANT", CIRCLE, D3Q27,
             CUMULANT, 6, 10, 100, 122, 0, 0.015),
    STRAIGHT("pipe-trt", false, "pipes along (1, 2, 2) of radius 6 and 10, Reynolds 20, TRT", CIRCLE, D3Q27,
             TRT, 6, 10, 20, 122, 0, 0.015),
    STRAIGHT("ellipse", true,
             "ellipses along (1, 2, 2) of semi-axes 6 x 10 and 10 x 16.7, Reynolds 100, CUMULANT", ELLIPSE,
             D3Q27, CUMULANT, 6, 10, 100, 122, 0, 0.015),
    OBLIQUE("triangle", true,
            "equilateral ducts along (1, 2, 2), incircles of radius 6 and 10, Reynolds 100, CUMULANT",
            TRIANGLE, D3Q27, CUMULANT, 6, 10, 100, 122, 0, RILL_VERIFY_VESSEL_CHECKS(0.015, "exact flow")),
    STENOSIS("stenosis", false,
             "pipes along (1, 2, 2) of radius 6 and 10, half as wide in the throat, Reynolds 4 there, TRT",
             D3Q27, TRT, 10, 0.015),
    STENOSIS(
        "stenosis-cumulant", true,
        "pipes along (1, 2, 2) of radius 6 and 10, half as wide in the throat, Reynolds 4 there, CUMULANT",
        D3Q27, CUMULANT, 10, 0.015),
    STENOSIS("stenosis-40", true,
             "pipes along (1, 2, 2) of radius 6 and 20, half as wide in the throat, Reynolds 4 there, TRT",
             D3Q27, TRT, 20, 0.005),
    STRAIGHT("pipe-012", true, "pipes along (0, 1, 2) of radius 6 and 10, Reynolds 100, CUMULANT", CIRCLE,
             D3Q27, CUMULANT, 6, 10, 100, 012, 0, 0.015),
    STRAIGHT("pipe-123", true, "pipes along (1, 2, 3) of radius 6 and 10, Reynolds 100, CUMULANT", CIRCLE,
             D3Q27, CUMULANT, 6, 10, 100, 123, 0, 0.015),
    STRAIGHT("pipe-central", true, "pipes along (1, 2, 2) of radius 6 and 10, Reynolds 100, CENTRAL_MOMENT",
             CIRCLE, D3Q19, CENTRAL_MOMENT, 6, 10, 100, 122, 0, 0.015),
    STRAIGHT("pipe-0.502", true,
             "pipes along (1, 2, 2) of radius 6 and 10, tau 0.502, Reynolds 200, CUMULANT", CIRCLE, D3Q27,
             CUMULANT, 6, 10, 200, 122, 0.502, 0.015),
    STRAIGHT("pipe-0.6", true, "pipes along (1, 2, 2) of radius 6 and 10, tau 0.6, Reynolds 20, CUMULANT",
             CIRCLE, D3Q27, CUMULANT, 6, 10, 20, 122, 0.6, 0.015),
    STRAIGHT("pipe-0.8", false, "pipes along (1, 2, 2) of radius 6 and 10, tau 0.8, Reynolds 5, CUMULANT",
             CIRCLE, D3Q27, CUMULANT, 6, 10, 5, 122, 0.8, 0.015),
    STRAIGHT("pipe-trt-0.8", false, "pipes along (1, 2, 2) of radius 6 and 10, tau 0.8, Reynolds 5, TRT",
             CIRCLE, D3Q27, TRT, 6, 10, 5, 122, 0.8, 0.015),
    STRAIGHT("pipe-012-trt", true, "pipes along (0, 1, 2) of radius 6 and 10, Reynolds 20, TRT", CIRCLE,
             D3Q27, TRT, 6, 10, 20, 012, 0, 0.015),
    STRAIGHT("pipe-123-trt", true, "pipes along (1, 2, 3) of radius 6 and 10, Reynolds 20, TRT", CIRCLE,
             D3Q27, TRT, 6, 10, 20, 123, 0, 0.015),
    STRAIGHT("ellipse-trt", true,
             "ellipses along (1, 2, 2) of semi-axes 6 x 10 and 10 x 16.7, Reynolds 20, TRT", ELLIPSE, D3Q27,
             TRT, 6, 10, 20, 122, 0, 0.015),
    OBLIQUE("triangle-trt", true,
            "equilateral ducts along (1, 2, 2), incircles of radius 6 and 10, Reynolds 20, TRT", TRIANGLE,
            D3Q27, TRT, 6, 10, 20, 122, 0, RILL_VERIFY_VESSEL_CHECKS(0.015, "exact flow")),
    STRAIGHT("pipe-40", true, "pipes along (1, 2, 2) of radius 6 and 20, Reynolds 100, CUMULANT", CIRCLE,
             D3Q27, CUMULANT, 6, 20, 100, 122, 0, 0.005),
    STRAIGHT("pipe-trt-40", true, "pipes along (1, 2, 2) of radius 6 and 20, Reynolds 20, TRT", CIRCLE, D3Q27,
             TRT, 6, 20, 20, 122, 0, 0.005),
    ROWS("pipe", CIRCLE, CUMULANT, 100, 6, 8, 11, CELLS(12), CELLS(16), CELLS(22)),
    ROWS("pipe-500", CIRCLE, CUMULANT, 500, 6, 0, 0, CELLS(12)),
    ROWS("pipe-20", CIRCLE, TRT, 20, 6, 0, 0, CELLS(12)),
    ROWS("ellipse", ELLIPSE, CUMULANT, 100, 6, 8, 10, CELLS(12), CELLS(16), CELLS(20)),
    ROWS("triangle", TRIANGLE, CUMULANT, 40, 7, 0, 0, CELLS(14)),
    ROWS("stenosis", STENOSIS, TRT, 8, 5, 8, 0, CELLS(10), CELLS(16))};

const rill_verify_group rill_verify_vessel_ducts = {cases, sizeof cases / sizeof *cases};
