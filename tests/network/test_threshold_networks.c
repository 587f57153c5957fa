/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_threshold_networks.c
 * Pores that close or open where a threshold moves by its width, which the derivative of k to its walls does
 * not see: what pore networks say of them, and what the row segmentation makes of it.
 */
#include "carved.h"
#include "core/memory.h"
#include "core/sanitized.h"
#include "geometry/image/voxelize.h"
#include "geometry/voxels/greys.h"
#include "peak.h"
#include "permeability/numbered.h"
#include "planned.h"
#include "random_rock.h"

#include <math.h>
#include <omp.h>

/* Pores are darker than THRESHOLD; both are far from it but where a plug is put. */
enum { THRESHOLD = 112, WIDTH = 2, PORE = 50, SOLID = 200, OUTSIDE = 0 };

/* An image in memory. */
typedef struct picture {
    uint32_t n[3];
    float *grey;
} picture;

static picture picture_of(uint32_t nx, uint32_t ny, uint32_t nz)
{
    picture p = {{nx, ny, nz}, malloc((size_t)nx * ny * nz * sizeof(float))};
    cr_assert(p.grey);
    for (size_t v = 0; v < (size_t)nx * ny * nz; v++) p.grey[v] = SOLID;
    return p;
}

/* Give the voxels of a box a grey value. */
static void paint(picture *p, const uint32_t low[3], const uint32_t size[3], float grey)
{
    for (uint32_t z = low[2]; z < low[2] + size[2]; z++)
        for (uint32_t y = low[1]; y < low[1] + size[1]; y++)
            for (uint32_t x = low[0]; x < low[0] + size[0]; x++)
                p->grey[x + (size_t)p->n[0] * (y + (size_t)p->n[1] * z)] = grey;
}

#define PAINT(p, x, y, z, nx, ny, nz, grey)                                                                  \
    paint(p, (const uint32_t[3]){x, y, z}, (const uint32_t[3]){nx, ny, nz}, grey)

/* Return the geometry of a threshold; `width` 0: none. */
static rill_geom *geom_of(const picture *p, double threshold, double width, int axis)
{
    rill_voxelize_options o = rill_voxelize_options_default();
    rill_geom *geom = NULL;
    memcpy(o.image.n, p->n, sizeof o.image.n);
    o.image.type = RILL_GREY_F32;
    o.threshold_given = true;
    o.threshold = threshold;
    o.threshold_width = width;
    o.keep = RILL_KEEP_ALL;
    o.axis = axis;
    o.outside_count = 1;
    o.outside[0][0] = o.outside[0][1] = OUTSIDE;
    for (int a = 0; a < 3; a++) o.sides[a] = RILL_MIRROR;
    ASSERT_OK(rill_array_voxelize(p->grey, &o, (rill_progress){0}, &geom, NULL));
    return geom;
}

static double k_at(const picture *p, double threshold)
{
    rill_geom *geom = geom_of(p, threshold, 0, 2);
    const rill_permeability_options o = along(2);
    rill_permeability found;
    const rill_status status = computed(geom, &o, &found);
    const double k = status == RILL_OK ? found.k[2][2] : 0;
    cr_assert(status == RILL_OK || status == RILL_NUMERICS, "%s", rill_error_message());
    rill_permeability_free(&found);
    rill_geom_destroy(geom);
    return k;
}

/* Run a threshold with a width. @param[out] bar  its rows */
static rill_permeability_walls walls_of(const picture *p, int axis, rill_error_bar *bar)
{
    rill_geom *geom = geom_of(p, THRESHOLD, WIDTH, axis);
    rill_permeability_options o = along(axis);
    rill_permeability found;
    o.sensitivity = o.settle_fields = true;
    ASSERT_OK(computed(geom, &o, &found));
    const rill_permeability_walls walls = found.runs[0].walls;
    cr_assert(walls.known);
    rill_error_bar_of_run(&found, bar);
    rill_permeability_free(&found);
    rill_geom_destroy(geom);
    return walls;
}

/* Two ducts of 4 x 4 along z, between chambers at both ends; the second with a plug of a grey value. */
static picture ducts(float plug)
{
    picture p = picture_of(16, 10, 40);
    PAINT(&p, 2, 3, 0, 4, 4, 40, PORE);
    PAINT(&p, 10, 3, 0, 4, 4, 40, PORE);
    PAINT(&p, 10, 3, 18, 4, 4, 3, plug);
    return p;
}

/* The networks say what runs at both thresholds do within a tenth, and the row holds them. */
static void as_runs(const picture *p, const char *what)
{
    rill_error_bar bar;
    const rill_permeability_walls w = walls_of(p, 2, &bar);
    const double k = k_at(p, THRESHOLD), ends[2] = {k_at(p, THRESHOLD - WIDTH), k_at(p, THRESHOLD + WIDTH)};
    const rill_error_bar_contribution *row = &bar.contributions[RILL_ERROR_SEGMENTATION];
    for (int i = 0; i < 2; i++) {
        cr_expect_float_eq(w.threshold_network[i], ends[i] / k, 0.1 * fmax(ends[i] / k, 0.01),
                           "%s: threshold %d: %g, runs %g", what, i, w.threshold_network[i], ends[i] / k);
        cr_expect_geq(row->half_width[2], 0.97 * fabs(ends[i] / k - 1), "%s: threshold %d", what, i);
    }
    cr_expect_lt(row->half_width[2], 1.1 * fmax(fabs(ends[0] / k - 1), fabs(ends[1] / k - 1)), "%s", what);
    cr_expect_not_null(strstr(row->note, "throats close, open or widen"), "%s: %s", what, row->note);
}

Test(threshold_networks, a_throat_opens)
{
    picture p = ducts(THRESHOLD + 1);
    as_runs(&p, "opens");
    free(p.grey);
}

Test(threshold_networks, a_throat_closes)
{
    picture p = ducts(THRESHOLD - 1);
    as_runs(&p, "closes");
    PAINT(&p, 2, 3, 5, 4, 4, 1, THRESHOLD - 1.5f);
    as_runs(&p, "all close");
    free(p.grey);
}

/* Pores that would open conduct where the sample has them, not outside of it; others than by the width do not
 * move. */
Test(threshold_networks, pores_outside_of_the_sample_stay_closed)
{
    rill_error_bar bar;
    picture p = ducts(PORE);
    PAINT(&p, 10, 3, 37, 4, 4, 3, OUTSIDE);
    rill_permeability_walls w = walls_of(&p, 2, &bar);
    for (int i = 0; i < 2; i++)
        cr_expect_float_eq(w.threshold_network[i], 1, 0.02, "%g", w.threshold_network[i]);
    free(p.grey);
    p = ducts(THRESHOLD + 3);
    w = walls_of(&p, 2, &bar);
    for (int i = 0; i < 2; i++)
        cr_expect_float_eq(w.threshold_network[i], 1, 0.02, "%g", w.threshold_network[i]);
    cr_expect_null(strstr(bar.contributions[RILL_ERROR_SEGMENTATION].note, "throats close"));
    free(p.grey);
}

/* Without a solid voxel nothing bounds k: a network gave 94211 times k of a duct of 8. */
Test(threshold_networks, no_solid_is_no_network)
{
    rill_permeability_options o = along(2);
    rill_permeability found;
    picture p = picture_of(12, 12, 24);
    PAINT(&p, 2, 2, 0, 8, 8, 24, PORE);
    rill_geom *geom = geom_of(&p, THRESHOLD, 150, 2);
    o.sensitivity = o.settle_fields = true;
    ASSERT_OK(computed(geom, &o, &found));
    cr_expect(isnan(found.runs[0].walls.threshold_network[1]), "%g",
              found.runs[0].walls.threshold_network[1]);
    cr_assert_not_null(found.notes);
    cr_expect_not_null(strstr(found.notes, "no solid is left"), "%s", found.notes);
    rill_permeability_free(&found);
    rill_geom_destroy(geom);
    free(p.grey);
}

/* Every axis has its own networks: throats along x open, those along z stay. */
Test(threshold_networks, every_axis_has_its_own)
{
    picture p = picture_of(32, 12, 32);
    rill_permeability_options o = along(RILL_AXES_XZ);
    rill_permeability found;
    rill_error_bar bar;
    PAINT(&p, 14, 4, 0, 4, 4, 32, PORE);
    PAINT(&p, 0, 4, 4, 32, 4, 4, PORE);
    PAINT(&p, 0, 4, 24, 32, 4, 4, PORE);
    PAINT(&p, 6, 4, 24, 2, 4, 4, THRESHOLD + 1);
    rill_geom *geom = geom_of(&p, THRESHOLD, WIDTH, o.axis);
    o.sensitivity = o.settle_fields = true;
    ASSERT_OK(computed(geom, &o, &found));
    cr_assert_eq(found.run_count, 2);
    const double *x = found.runs[0].walls.threshold_network, *z = found.runs[1].walls.threshold_network;
    cr_expect_float_eq(x[0], 1, 0.02, "%g", x[0]);
    cr_expect_gt(x[1], 1.5);
    for (int i = 0; i < 2; i++) cr_expect_float_eq(z[i], 1, 0.05, "%g", z[i]);
    rill_error_bar_of_run(&found, &bar);
    const rill_error_bar_contribution *row = &bar.contributions[RILL_ERROR_SEGMENTATION];
    cr_expect_gt(row->half_width[0], 0.5);
    cr_expect_lt(row->half_width[2], 0.2);
    cr_expect_not_null(strstr(row->note, "throats close, open or widen along an axis"), "%s", row->note);
    rill_permeability_free(&found);
    rill_geom_destroy(geom);
    free(p.grey);
}

/* A box of one block along the flow has no network, and the row is that of the walls alone. */
Test(threshold_networks, a_thin_box_has_none)
{
    picture p = picture_of(10, 10, 1);
    rill_error_bar bar;
    PAINT(&p, 2, 2, 0, 6, 6, 1, PORE);
    const rill_permeability_walls w = walls_of(&p, 2, &bar);
    const rill_error_bar_contribution *row = &bar.contributions[RILL_ERROR_SEGMENTATION];
    cr_expect(isnan(w.threshold_network[0]) && isnan(w.threshold_network[1]));
    cr_expect(row->state == RILL_ERROR_KNOWN && isfinite(row->half_width[2]));
    free(p.grey);
}

/* Of few pores in much solid, and many that open, the networks take more memory than the run: its plan states
 * it. */
Test(threshold_networks, take_what_the_plan_states, .disabled = SANITIZED)
{
    enum { N = 160 };
    picture p = picture_of(N, N, N);
    rill_permeability_options o = along(2);
    rill_permeability_plan plan;
    rill_permeability found;
    uint64_t told;
    rill_memory_give_back();
    omp_set_num_threads(2);
    rill_geom *rock = random_rock(N);
    for (uint64_t v = 0; v < rill_geom_voxels(rock); v++)
        if (rock->voxels[v]) p.grey[v] = THRESHOLD + 1;
    rill_geom_destroy(rock);
    PAINT(&p, 40, 40, 0, 12, 12, N, PORE);
    rill_geom *geom = geom_of(&p, THRESHOLD, WIDTH, 2);
    free(p.grey);
    o.sensitivity = true;
    o.tolerance = 0.01;
    ASSERT_OK(planned(geom, &o, &plan));
    rill_memory_give_back();
    peak_restart();
    ASSERT_OK(rill_memory_peak(plan.resources.host_bytes - rill_numbered_bytes(plan.numbered), &told));
    ASSERT_OK(rill_permeability_compute(geom, &o, &plan, &found));
    const double ratio = ((double)told - peak_files) / peak_of_memory();
    cr_expect(ratio >= 0.97 && ratio <= 1.07, "the plan states %.1f MB, %.4f of the peak",
              1e-6 * (double)told, ratio);
    cr_expect_gt(found.runs[0].walls.threshold_network[1], 5);
    rill_permeability_free(&found);
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(geom);
}
