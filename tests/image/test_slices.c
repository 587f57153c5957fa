/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_slices.c
 * Flow in an image of one slice: in its plane by default, as a tensor of two axes, and never through it
 * unless that axis is named alone.
 */
#include "geometry/voxels/axes.h"
#include "planned.h"
#include "rill.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* A slice of n voxels with a solid rectangle of 2 x 4: its flow along the two axes of the plane differs. */
static rill_geom *slice(const uint32_t n[3])
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create(n, &geom), RILL_OK);
    memset(geom->voxels, RILL_FLUID, rill_geom_voxels(geom));
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++)
            for (uint32_t x = 0; x < n[0]; x++) {
                const uint32_t u = n[0] > 1 ? x : y, v = n[0] > 1 && n[1] > 1 ? y : z;
                if (u >= 3 && u < 5 && v >= 2 && v < 6) geom->voxels[x + n[0] * (y + n[1] * z)] = RILL_SOLID;
            }
    return geom;
}

static rill_status compute(const uint32_t n[3], int axis, rill_permeability *out)
{
    rill_permeability_options o = rill_permeability_options_default();
    rill_geom *geom = slice(n);
    cr_assert_eq(o.axis, RILL_AXIS_AUTO);
    o.axis = axis;
    o.on.backend = RILL_BACKEND_CPU;
    o.variant.storage = RILL_FP64;
    o.tolerance = 1e-5;
    memset(out, 0, sizeof *out);
    const rill_status status = computed(geom, &o, out);
    rill_geom_destroy(geom);
    return status;
}

Test(slices, flow_stays_in_the_plane_unless_another_axis_is_named)
{
    static const struct {
        uint32_t n[3];
        int axis; /* by default */
    } cases[] = {{{8, 8, 1}, 0}, {{8, 1, 8}, 2}, {{1, 8, 8}, 2}, {{8, 8, 3}, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rill_permeability p, q;
        cr_assert_eq(compute(cases[i].n, RILL_AXIS_AUTO, &p), RILL_OK, "%s", rill_error_message());
        cr_assert_eq(p.run_count, 1);
        cr_assert_eq(p.runs[0].axis, cases[i].axis, "case %zu", i);
        cr_assert_eq(compute(cases[i].n, cases[i].axis, &q), RILL_OK);
        cr_assert_eq(p.runs[0].k[cases[i].axis], q.runs[0].k[cases[i].axis]);
        rill_permeability_free(&p);
        rill_permeability_free(&q);
    }
    rill_permeability p, through;
    cr_assert_eq(compute((const uint32_t[3]){8, 8, 1}, 0, &p), RILL_OK);
    cr_assert_eq(compute((const uint32_t[3]){8, 8, 1}, 2, &through), RILL_OK);
    cr_assert_gt(fabs(through.k[2][2] / p.k[0][0] - 1), 0.1, "the two cannot be told apart");
    rill_permeability_free(&p);
    rill_permeability_free(&through);
}

Test(slices, plane_has_a_tensor_of_two_axes)
{
    static const struct {
        uint32_t n[3];
        int axes, first, second;
    } cases[] = {
        {{8, 8, 1}, RILL_AXES_XY, 0, 1}, {{8, 1, 8}, RILL_AXES_XZ, 0, 2}, {{1, 8, 8}, RILL_AXES_YZ, 1, 2}};
    double k[3][2];
    for (size_t i = 0; i < 3; i++) {
        rill_permeability p, q;
        const int a = cases[i].first, b = cases[i].second;
        cr_assert_eq(compute(cases[i].n, RILL_AXES_AUTO, &p), RILL_OK, "%s", rill_error_message());
        cr_assert_eq(compute(cases[i].n, cases[i].axes, &q), RILL_OK);
        cr_assert_eq(p.run_count, 2);
        cr_assert(p.runs[0].axis == a && p.runs[1].axis == b);
        cr_assert_eq(p.k[a][a], q.k[a][a]);
        cr_assert_leq(p.reciprocity, 1e-5);
        cr_assert_leq(p.uncertainty, 2e-5);
        cr_assert(isnan(p.k[3 - a - b][3 - a - b]), "nothing was driven through the slice");
        k[i][0] = p.k[a][a], k[i][1] = p.k[b][b];
        cr_assert_gt(fabs(k[i][0] / k[i][1] - 1), 0.05);
        cr_assert_float_eq(k[i][0] / k[0][0], 1, 1e-4);
        cr_assert_float_eq(k[i][1] / k[0][1], 1, 1e-4);
        rill_permeability_free(&p);
        rill_permeability_free(&q);
    }
}

Test(slices, full_tensor_of_a_slice_is_refused)
{
    rill_permeability p;
    cr_assert_eq(compute((const uint32_t[3]){8, 8, 1}, RILL_AXES_XYZ, &p), RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "--axis xy"), "%s", rill_error_message());
    cr_assert_eq(compute((const uint32_t[3]){8, 1, 8}, RILL_AXES_XYZ, &p), RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "--axis xz"), "%s", rill_error_message());
    cr_assert_eq(compute((const uint32_t[3]){8, 8, 2}, RILL_AXES_XYZ, &p), RILL_OK, "%s",
                 rill_error_message());
    rill_permeability_free(&p);
    cr_assert_eq(compute((const uint32_t[3]){8, 8, 1}, -7, &p), RILL_USAGE);
}

Test(slices, axes_of_a_box_that_is_no_slice_are_as_they_were)
{
    cr_assert_eq(rill_axes_resolve(RILL_AXIS_AUTO, (const uint32_t[3]){4, 4, 4}), 2);
    cr_assert_eq(rill_axes_resolve(RILL_AXIS_AUTO, (const uint32_t[3]){18, 1, 1}), 2);
    cr_assert_eq(rill_axes_resolve(RILL_AXES_AUTO, (const uint32_t[3]){1, 1, 18}), RILL_AXES_XYZ);
    cr_assert_str_eq(rill_axes_name(RILL_AXES_XZ), "xz");
    cr_assert_null(rill_axes_name(3));
}

/* A batch resolves the axis of each item, whose file it has not read before. */
Test(slices, batch_drives_each_item_along_its_own_axis)
{
    const uint32_t flat[3] = {8, 8, 1}, deep[3] = {8, 8, 4};
    rill_geom *geoms[2] = {slice(flat), slice(deep)};
    const rill_batch_item items[2] = {{.name = "flat", .geom = geoms[0]}, {.name = "deep", .geom = geoms[1]}};
    rill_batch_options o = rill_batch_options_default();
    rill_batch b;
    o.permeability.on.backend = RILL_BACKEND_CPU;
    cr_assert_eq(rill_batch_compute(items, 2, &o, &b), RILL_OK, "%s", rill_error_message());
    cr_assert(b.rows[0].k[0][0] > 0 && isnan(b.rows[0].k[2][2]), "%s", b.rows[0].message);
    cr_assert(b.rows[1].k[2][2] > 0 && isnan(b.rows[1].k[0][0]), "%s", b.rows[1].message);
    rill_batch_free(&b);
    o.permeability.axis = RILL_AXES_AUTO;
    cr_assert_eq(rill_batch_compute(items, 2, &o, &b), RILL_OK, "%s", rill_error_message());
    cr_assert(b.rows[0].k[0][0] > 0 && b.rows[0].k[1][1] > 0 && isnan(b.rows[0].k[2][2]));
    cr_assert_float_eq(rill_batch_row_mean(&b.rows[0]), (b.rows[0].k[0][0] + b.rows[0].k[1][1]) / 2, 1e-12);
    cr_assert(b.rows[1].k[2][2] > 0 && b.rows[1].k[0][0] > 0);
    rill_batch_free(&b);
    rill_geom_destroy(geoms[0]);
    rill_geom_destroy(geoms[1]);
}
