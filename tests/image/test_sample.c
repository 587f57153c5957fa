/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_sample.c
 * A sample in a picture: porosity and permeability are those of the sample, whatever is around it, in memory,
 * in files, in crops and split voxels.
 */
#include "geometry/image/voxelize.h"
#include "geometry/voxels/derive.h"
#include "geometry/voxels/outside.h"
#include "planned.h"
#include "rill.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CORE = 20 };

static bool in_core(uint32_t x, uint32_t y, uint32_t edge)
{
    const double u = x + 0.5 - 0.5 * edge, v = y + 0.5 - 0.5 * edge;
    return u * u + v * v <= 0.25 * CORE * CORE;
}

/* Grey values of a core of 20 voxels in a picture: 0 pore, 1 solid, `outside` around it. The core is the same
 * whatever the margin. */
static uint8_t *picture(uint32_t margin, uint8_t outside)
{
    const uint32_t edge = CORE + 2 * margin;
    uint8_t *grey = malloc((size_t)edge * edge * CORE), *at = grey;
    cr_assert_not_null(grey);
    for (uint32_t z = 0; z < CORE; z++)
        for (uint32_t y = 0; y < edge; y++)
            for (uint32_t x = 0; x < edge; x++, at++) {
                const double u = (double)x - margin, v = (double)y - margin;
                const double wave =
                    sin(0.9 * u + 0.3 * v) + sin(0.8 * v - 0.4 * u) + cos(2 * M_PI * z / CORE);
                *at = !in_core(x, y, edge) ? outside : wave < 0.3 ? 0 : 1;
            }
    return grey;
}

static rill_voxelize_options image_options(uint32_t margin)
{
    rill_voxelize_options o = rill_voxelize_options_default();
    o.image.n[0] = o.image.n[1] = CORE + 2 * margin;
    o.image.n[2] = CORE;
    o.image.type = RILL_GREY_U8;
    o.pore[0][0] = o.pore[0][1] = 0;
    o.pore_count = 1;
    o.sides[0] = o.sides[1] = RILL_WALL;
    return o;
}

static rill_geom *voxelized(uint32_t margin, uint8_t outside, const rill_voxelize_options *o,
                            rill_voxelize_report *report)
{
    uint8_t *grey = picture(margin, outside);
    rill_geom *geom = NULL;
    cr_assert_eq(rill_array_voxelize(grey, o, (rill_progress){0}, &geom, report), RILL_OK, "%s",
                 rill_error_message());
    free(grey);
    return geom;
}

static rill_permeability_options options(int axis, rill_drive drive)
{
    rill_permeability_options o = rill_permeability_options_default();
    o.axis = axis;
    o.drive = drive;
    o.on.backend = RILL_BACKEND_CPU;
    o.variant.storage = RILL_FP64;
    o.tolerance = 1e-5;
    return o;
}

/* k along an axis; the geometry is destroyed. */
static double k_of(rill_geom *geom, int axis, rill_drive drive)
{
    rill_permeability p;
    const rill_permeability_options o = options(axis, drive);
    cr_assert_eq(computed(geom, &o, &p), RILL_OK, "%s", rill_error_message());
    const double k = p.k[axis][axis];
    rill_permeability_free(&p);
    rill_geom_destroy(geom);
    return k;
}

/* A slit between plates of 9 nodes, which alone is the sample: k = H^2 / 12 + 1/24 at Lambda = 3/16. */
Test(sample, slit_is_exact)
{
    enum { H = 9 };
    const uint32_t n[3] = {4, 30, 4};
    uint8_t outside[4 * 30 * 4];
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create(n, &geom), RILL_OK);
    for (uint32_t v = 0; v < sizeof outside; v++) {
        const uint32_t y = v / n[0] % n[1];
        geom->voxels[v] = RILL_FLUID;
        outside[v] = y < 7 || y >= 7 + H;
    }
    cr_assert_eq(rill_geom_set_outside(geom, outside), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_geom_sample(geom), 4 * H * 4);
    const double k = k_of(geom, 2, RILL_DRIVE_FORCE);
    cr_assert_float_eq(k / (H * H / 12.0 + 1 / 24.0), 1, 1e-4, "%g", k);
}

/* The force acts on fluid nodes alone, and what is outside carries no flow, so that k of the sample is that
 * of the box times box / sample, and does not depend on the margin. */
Test(sample, is_what_permeability_and_porosity_are_of)
{
    rill_voxelize_options box = image_options(0), o;
    rill_voxelize_report report;
    rill_geom *whole = voxelized(0, 2, &box, NULL);
    const double k_box = k_of(whole, 2, RILL_DRIVE_FORCE);
    double k[3], porosity[3];
    for (uint32_t margin = 0; margin < 3; margin++) {
        o = image_options(2 * margin);
        o.outside[0][0] = o.outside[0][1] = 2;
        o.outside_count = 1;
        rill_geom *geom = voxelized(2 * margin, 2, &o, &report);
        const double part = (double)rill_geom_sample(geom) / (double)rill_geom_voxels(geom);
        cr_assert_eq(report.outside, rill_geom_voxels(geom) - rill_geom_sample(geom));
        porosity[margin] = geom->porosity.total;
        k[margin] = k_of(geom, 2, RILL_DRIVE_FORCE);
        if (margin == 0) cr_assert_float_eq(k[0] * part / k_box, 1, 1e-4);
        cr_assert_float_eq(k[margin] / k[0], 1, 1e-4);
        cr_assert_float_eq(porosity[margin], porosity[0], 1e-12);
    }
    /* Between reservoirs the flow through the section of the sample counts. */
    double pressure[2];
    for (uint32_t margin = 0; margin < 2; margin++) {
        o = image_options(4 * margin);
        o.outside[0][0] = o.outside[0][1] = 2;
        o.outside_count = 1;
        pressure[margin] = k_of(voxelized(4 * margin, 2, &o, NULL), 2, RILL_DRIVE_PRESSURE);
    }
    cr_assert_float_eq(pressure[1] / pressure[0], 1, 0.02);
    cr_assert_float_eq(pressure[0] / k[0], 1, 0.2);
}

/* A value that is pore elsewhere, too, cannot be outside; a cylinder can say where the sample is, and a mask.
 */
Test(sample, is_found_by_label_mask_and_cylinder)
{
    rill_voxelize_options o = image_options(3);
    o.outside[0][0] = o.outside[0][1] = 2;
    o.outside_count = 1;
    rill_geom *label = voxelized(3, 2, &o, NULL);
    o = image_options(3);
    rill_geom *out = NULL;
    o.outside_count = 1;
    o.outside[0][0] = o.outside[0][1] = 0;
    uint8_t *grey = picture(3, 0);
    cr_assert_eq(rill_array_voxelize(grey, &o, (rill_progress){0}, &out, NULL), RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "--core"), "%s", rill_error_message());
    o.outside_count = 0;
    o.core.given = true;
    o.core.diameter = CORE;
    cr_assert_eq(rill_array_voxelize(grey, &o, (rill_progress){0}, &out, NULL), RILL_OK, "%s",
                 rill_error_message());
    cr_assert_arr_eq(out->voxels, label->voxels, rill_geom_voxels(label));
    cr_assert_eq(rill_geom_sample(out), rill_geom_sample(label));
    cr_assert_eq(out->porosity.total, label->porosity.total);
    rill_geom_destroy(out);
    o.core.given = false;
    const uint32_t edge = o.image.n[0];
    uint8_t *mask = malloc((size_t)edge * edge * CORE);
    for (uint32_t v = 0; v < edge * edge * CORE; v++) mask[v] = in_core(v % edge, v / edge % edge, edge);
    o.mask_array = mask;
    cr_assert_eq(rill_array_voxelize(grey, &o, (rill_progress){0}, &out, NULL), RILL_OK);
    cr_assert_arr_eq(out->voxels, label->voxels, rill_geom_voxels(label));
    cr_assert_eq(rill_geom_sample(out), rill_geom_sample(label));
    rill_geom_destroy(out);
    rill_geom_destroy(label);
    free(mask);
    free(grey);
}

Test(sample, axes_crop_and_mirrored_copies_take_it_along)
{
    rill_voxelize_options o = image_options(3);
    const uint32_t edge = o.image.n[0];
    o.outside[0][0] = o.outside[0][1] = 2;
    o.outside_count = 1;
    rill_geom *plain = voxelized(3, 2, &o, NULL);
    o.axes[0] = 2, o.axes[1] = 1, o.axes[2] = 0; /* the core goes along x */
    o.mirror[0] = o.mirror[2] = true;
    rill_geom *turned = voxelized(3, 2, &o, NULL);
    cr_assert_eq(rill_geom_sample(turned), 4 * rill_geom_sample(plain));
    uint8_t *flags = malloc(rill_geom_voxels(turned));
    rill_geom_outside(turned, flags);
    for (uint32_t z = 0; z < 2 * edge; z++)
        for (uint32_t y = 0; y < edge; y++) {
            const uint32_t u = z < edge ? z : 2 * edge - 1 - z;
            cr_assert_eq(flags[2 * CORE * (y + edge * z)], !in_core(u, y, edge), "%u %u", y, z);
        }
    free(flags);
    const uint32_t first[3] = {0, 0, 5}, n[3] = {edge, edge, 7}, inner[3] = {10, 10, 2}, small[3] = {4, 4, 4};
    rill_geom *part = NULL, *fine = NULL;
    cr_assert_eq(rill_geom_crop(plain, first, n, &part), RILL_OK);
    cr_assert_eq(rill_geom_sample(part) * CORE, rill_geom_sample(plain) * 7);
    cr_assert_eq(rill_geom_split(part, (const uint32_t[3]){2, 2, 2}, &fine), RILL_OK);
    cr_assert_eq(rill_geom_sample(fine), 8 * rill_geom_sample(part));
    rill_geom_destroy(part);
    rill_geom_destroy(fine);
    cr_assert_eq(rill_geom_crop(plain, inner, small, &part), RILL_OK);
    cr_assert_null(part->outside, "the block is whole in the core");
    rill_geom_destroy(part);
    rill_geom_destroy(plain);
    rill_geom_destroy(turned);
}

Test(sample, is_kept_by_files)
{
    char path[] = "/tmp/rill-sample-XXXXXX";
    const int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    rill_voxelize_options o = image_options(3);
    o.outside[0][0] = o.outside[0][1] = 2;
    o.outside_count = 1;
    rill_geom *geom = voxelized(3, 2, &o, NULL), *read = NULL;
    const uint64_t voxels = rill_geom_voxels(geom);
    cr_assert_eq(rill_geom_write(geom, path, NULL), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_geom_read(path, &read), RILL_OK, "%s", rill_error_message());
    uint8_t *a = malloc(voxels), *b = malloc(voxels);
    rill_geom_outside(geom, a);
    rill_geom_outside(read, b);
    cr_assert_arr_eq(a, b, voxels);
    cr_assert_eq(rill_geom_sample(read), rill_geom_sample(geom));
    cr_assert_eq(read->porosity.total, geom->porosity.total);
    free(a);
    free(b);
    rill_geom_destroy(geom);
    rill_geom_destroy(read);
    unlink(path);
}

Test(sample, blocks_that_are_not_whole_in_it_are_not_computed)
{
    rill_voxelize_options o = image_options(2);
    o.outside[0][0] = o.outside[0][1] = 2;
    o.outside_count = 1;
    o.keep = RILL_KEEP_ALL;
    rill_geom *geom = voxelized(2, 2, &o, NULL);
    rill_block_grid grid;
    rill_batch_item *items = NULL;
    size_t count = 0;
    rill_batch b;
    rill_batch_options batch = rill_batch_options_default();
    for (int a = 0; a < 3; a++) geom->sides[a] = RILL_MIRROR;
    batch.permeability.on.backend = RILL_BACKEND_CPU;
    cr_assert_eq(rill_blocks_create(geom, "core", (const uint32_t[1]){4}, 1, &grid, &items, &count), RILL_OK);
    cr_assert_eq(rill_batch_compute(items, count, &batch, &b), RILL_OK, "%s", rill_error_message());
    size_t cut = 0;
    for (size_t i = 0; i < count; i++) {
        bool whole = true;
        for (uint32_t k = 0; k < 16; k++)
            whole = whole && in_core(items[i].first[0] + k % 4, items[i].first[1] + k / 4, CORE + 4);
        cr_assert_eq(b.rows[i].reason == RILL_BATCH_OUTSIDE, !whole, "block %zu", i);
        cut += !whole;
        if (!whole) cr_assert(isnan(rill_batch_row_mean(&b.rows[i])) && b.rows[i].status == RILL_OK);
    }
    cr_assert(cut > 0 && cut < count);
    rill_rev_numbers k;
    cr_assert_eq(rill_rev_describe(&grid, b.rows, RILL_REV_POROSITY, &k), RILL_OK);
    cr_assert_eq(k.blocks, count - cut);
    rill_batch_free(&b);
    rill_blocks_free(items);
    rill_geom_destroy(geom);
}

/* Pictures of cores are noticed, those of rocks and of pipes are not. */
Test(sample, label_around_a_cylinder_is_noted)
{
    rill_voxelize_report report;
    rill_voxelize_options o = image_options(0);
    rill_geom_destroy(voxelized(0, 2, &o, &report));
    cr_assert_not_null(strstr(report.remarks, "--outside 2"), "%s", report.remarks);
    rill_geom_destroy(voxelized(0, 0, &o, &report));
    cr_assert_not_null(strstr(report.remarks, "--core d=20"), "%s", report.remarks);
    o.outside[0][0] = o.outside[0][1] = 2;
    o.outside_count = 1;
    rill_geom_destroy(voxelized(0, 2, &o, &report));
    cr_assert_null(strstr(report.remarks, "around a disc"), "%s", report.remarks);
    o.outside_count = 0;
    uint8_t *pipe = malloc(CORE * CORE * CORE);
    for (int pore = 0; pore < 2;
         pore++) /* a pipe, and an obstacle in a channel; narrow and square ones, too */
        for (int narrow = 0; narrow < 3; narrow++) {
            rill_geom *geom = NULL;
            for (uint32_t v = 0; v < CORE * CORE * CORE; v++) {
                const double x = v % CORE + 0.5 - CORE / 2, y = v / CORE % CORE + 0.5 - CORE / 2;
                const bool in = narrow == 2 ? fmax(fabs(x), fabs(y)) < CORE / 8.0
                                            : hypot(x, y) < CORE / (narrow ? 4.0 : 2.0);
                pipe[v] = in == (bool)pore;
            }
            cr_assert_eq(rill_array_voxelize(pipe, &o, (rill_progress){0}, &geom, &report), RILL_OK);
            cr_assert_null(strstr(report.remarks, "around a disc"), "%d %d: %s", pore, narrow,
                           report.remarks);
            rill_geom_destroy(geom);
        }
    free(pipe);
}

/* An annulus of the outside within the inscribed core was taken for pores: k 0.1205 instead of 0.1056 lu. */
Test(sample, label_within_an_inscribed_core_is_noted)
{
    rill_voxelize_report report;
    for (uint32_t margin = 0; margin <= 4; margin += 4)
        for (uint8_t outside = 0; outside <= 2; outside++) {
            rill_voxelize_options o = image_options(margin);
            o.core.given = true;
            rill_geom_destroy(voxelized(margin, outside, &o, &report));
            const char *annulus =
                strstr(report.remarks, "fills an annulus within the inscribed core of diameter 28");
            cr_expect_eq(annulus && strstr(annulus, "give --core d=20"), margin > 0, "%u %d: %s", margin,
                         outside, report.remarks);
            o.core.diameter = CORE;
            rill_geom_destroy(voxelized(margin, outside, &o, &report));
            cr_expect_null(strstr(report.remarks, "fills"), "%s", report.remarks);
        }
}

/* A core beside the middle of its picture. */
Test(sample, label_around_a_cylinder_names_its_centre)
{
    enum { EDGE = CORE + 12, LEFT = 3 };
    rill_voxelize_report report;
    rill_voxelize_options o = image_options(6);
    uint8_t *inner = picture(0, 2), *grey = malloc(EDGE * EDGE * CORE);
    cr_assert_not_null(grey);
    memset(grey, 2, EDGE * EDGE * CORE);
    for (uint32_t z = 0; z < CORE; z++)
        for (uint32_t y = 0; y < CORE; y++)
            memcpy(grey + (z * EDGE + y + 6) * EDGE + LEFT, inner + (z * CORE + y) * CORE, CORE);
    o.core.given = true;
    rill_geom *geom = NULL;
    cr_assert_eq(rill_array_voxelize(grey, &o, (rill_progress){0}, &geom, &report), RILL_OK);
    cr_expect_not_null(strstr(report.remarks, "give --core x=13,y=16,d=20"), "%s", report.remarks);
    rill_geom_destroy(geom);
    free(inner);
    free(grey);
}

/* A flow across the core goes through a section that changes: its k is no property of the rock. */
Test(sample, flow_across_a_core_is_noted)
{
    rill_voxelize_options o = image_options(0);
    o.sides[0] = o.sides[1] = RILL_MIRROR;
    o.core.given = true;
    o.keep = RILL_KEEP_ALL;
    rill_permeability_plan plan;
    for (int axis = 0; axis < 3; axis += 2) {
        rill_geom *geom = voxelized(0, 0, &o, NULL);
        const rill_permeability_options p = options(axis, RILL_DRIVE_FORCE);
        if (planned(geom, &p, &plan) == RILL_OK)
            cr_assert_eq(plan.notes && strstr(plan.notes, "planes across x"), axis == 0, "%s", plan.notes);
        rill_permeability_plan_free(&plan);
        rill_geom_destroy(geom);
    }
}

/* A value that is named as outside is, also on the side of a threshold where pores are. */
Test(sample, a_threshold_leaves_out_what_is_outside)
{
    for (int width = 0; width < 2; width++) {
        const uint8_t grey[8] = {0, 90, 200, 0, 255, 90, 0, 254};
        rill_voxelize_options o = rill_voxelize_options_default();
        rill_geom *geom = NULL;
        for (int a = 0; a < 3; a++) o.image.n[a] = 2;
        o.image.type = RILL_GREY_U8;
        o.threshold_given = true;
        o.threshold = 112;
        o.threshold_width = 4 * width;
        o.keep = RILL_KEEP_ALL;
        o.outside_count = 1;
        cr_assert_eq(rill_array_voxelize(grey, &o, (rill_progress){0}, &geom, NULL), RILL_OK, "%s",
                     rill_error_message());
        cr_expect_eq(rill_geom_sample(geom), 5);
        for (int v = 0; v < 8; v++)
            cr_expect_eq(geom->voxels[v], grey[v] == 90 ? RILL_FLUID : RILL_SOLID, "voxel %d", v);
        rill_geom_destroy(geom);
    }
}
