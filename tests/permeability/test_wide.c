/* SPDX-License-Identifier: Apache-2.0 */
/* Wide pores with few walls: thin boxes, slices, obstacles far apart. By default there is a result, about as
 * soon as the plan says. */
#include "permeability/plan.h"
#include "planned.h"
#include "core/sanitized.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static rill_geom *open_box(uint32_t x, uint32_t y, uint32_t z)
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create((const uint32_t[3]){x, y, z}, &geom), RILL_OK);
    memset(geom->voxels, RILL_FLUID, rill_geom_voxels(geom));
    geom->porosity = (rill_porosity){-1, -1, {-1, -1, -1}};
    return geom;
}

/* Walls of 4 voxels across y, in a thin box. */
static rill_geom *channel(uint32_t width)
{
    rill_geom *geom = open_box(4, width + 4, 4);
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++)
        if (v / 4 % (width + 4) >= width) geom->voxels[v] = RILL_SOLID;
    return geom;
}

/* A slice across a cylinder that takes two fifths of it. */
static rill_geom *cylinder(uint32_t edge)
{
    rill_geom *geom = open_box(edge, edge, 1);
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        const double x = (double)(v % edge) + 0.5 - edge / 2.0, y = (double)(v / edge) + 0.5 - edge / 2.0;
        if (x * x + y * y < 0.4 * edge * edge / 3.14159265358979) geom->voxels[v] = RILL_SOLID;
    }
    return geom;
}

/* A cube of 3 voxels in an open box. */
static rill_geom *speck(uint32_t edge)
{
    rill_geom *geom = open_box(edge, edge, edge);
    const uint32_t at = edge / 2;
    for (uint32_t z = at; z < at + 3; z++)
        for (uint32_t y = at; y < at + 3; y++)
            memset(geom->voxels + ((uint64_t)z * edge + y) * edge + at, RILL_SOLID, 3);
    return geom;
}

/* Expect the right k within the uncertainty, after about as many steps as planned. */
static void expect_k(rill_geom *geom, int axis, double right, double known)
{
    rill_permeability_options o = along(axis);
    rill_permeability_plan plan;
    rill_permeability found;
    cr_assert_eq(planned(geom, &o, &plan), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_permeability_compute(geom, &o, &plan, &found), RILL_OK, "%s", rill_error_message());
    const double likely = rill_plan_steps_likely(&o, &plan), made = (double)found.runs[0].steps;
    cr_expect_lt(fabs(found.k[axis][axis] / right - 1), found.uncertainty + known, "k %g, not %g, u %g",
                 found.k[axis][axis], right, found.uncertainty);
    cr_expect(made < 3 * likely && made > likely / 3, "%g steps, planned %g", made, likely);
    rill_permeability_free(&found);
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(geom);
}

/* Plates: k = porosity (H^2 / 12 + 1/24) at Lambda = 3/16. */
Test(wide, channel_in_a_thin_box, .disabled = SANITIZED)
{
    expect_k(channel(240), 0, 240.0 / 244 * (240 * 240 / 12.0 + 1 / 24.0), 1e-6);
}

/* Right by fp64, tolerances of 1e-6 and 1e-5. */
Test(wide, slice_across_a_cylinder, .disabled = SANITIZED) { expect_k(cylinder(320), 0, 467.95, 1e-5); }

Test(wide, speck_in_an_open_box, .disabled = SANITIZED) { expect_k(speck(30), 0, 660.811, 5e-6); }

static rill_pore_measure measured(rill_geom *geom, int axis)
{
    rill_network counted = {.edge = 0};
    rill_pore_measure m;
    cr_assert_eq(rill_pore_measure_take(geom, RILL_D3Q19, axis, &counted, &m), RILL_OK);
    rill_network_destroy(&counted);
    rill_geom_destroy(geom);
    return m;
}

/* Along an axis without walls a box says nothing of the width of pores. Walls along the flow alone do not
 * confine it. */
Test(wide, opening_is_between_walls)
{
    rill_pore_measure m = measured(channel(40), 0);
    cr_expect(m.opening == 40 && m.confined && !m.crossed && !m.open);
    m = measured(channel(40), 1);
    cr_expect(m.opening == 4 && !m.confined && m.crossed && !m.open);
    m = measured(cylinder(80), 0); /* 56 voxels along the diagonal between four of them */
    cr_expect(m.opening > 50 && m.opening < 80 && m.open, "%g", m.opening);
    m = measured(speck(20), 2);
    cr_expect(m.opening == 20 && m.open && !m.confined && !m.crossed);
}

/* 16 bits cannot resolve the flow in a channel so wide: that is known before the first step. In one of 8
 * voxels they can. */
Test(wide, narrow_formats_are_refused_before_they_step)
{
    rill_permeability_options o = along(0);
    rill_permeability_plan plan;
    o.variant.storage = RILL_FP16S;
    rill_geom *geom = channel(240);
    cr_expect_eq(planned(geom, &o, &plan), RILL_NUMERICS);
    cr_expect(strstr(rill_error_message(), "fp16s") && strstr(rill_error_message(), "--storage fp32"), "%s",
              rill_error_message());
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(geom);
    geom = channel(4);
    cr_expect_eq(planned(geom, &o, &plan), RILL_OK, "%s", rill_error_message());
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(geom);
}

/* What has no wall is told how to have one: pores are pores. */
Test(wide, no_wall_names_the_sides)
{
    rill_permeability_options o = along(0);
    rill_permeability_plan plan;
    rill_geom *geom = open_box(8, 8, 8);
    cr_expect_eq(planned(geom, &o, &plan), RILL_NUMERICS);
    cr_expect(strstr(rill_error_message(), "--sides wall") != NULL, "%s", rill_error_message());
    rill_permeability_plan_free(&plan);
    geom->sides[1] = RILL_WALL;
    cr_expect_eq(planned(geom, &o, &plan), RILL_OK, "%s", rill_error_message());
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(geom);
}
