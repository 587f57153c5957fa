/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_edges.c
 * The share of the flow that passes links between voxels which touch at an edge or a corner alone.
 */
#include "planned.h"
#include "rill.h"

#include "device/device.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define AT (const uint32_t[3])

/* Make the voxels from first to end fluid. */
static void box(rill_geom *geom, const uint32_t first[3], const uint32_t end[3])
{
    for (uint32_t z = first[2]; z < end[2]; z++)
        for (uint32_t y = first[1]; y < end[1]; y++)
            memset(geom->voxels + ((uint64_t)z * geom->n[1] + y) * geom->n[0] + first[0], RILL_FLUID,
                   end[0] - first[0]);
}

static rill_geom *solid(uint32_t nz, rill_side side)
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create(AT{16, 16, nz}, &geom), RILL_OK);
    geom->porosity = (rill_porosity){.total = -1, .connected = -1, .percolating = {-1, -1, -1}};
    for (int a = 0; a < 3; a++) geom->sides[a] = side;
    return geom;
}

/* Two halves of a box of 8 layers that touch along one edge, solid below the layer `from`. */
static rill_geom *halves(uint32_t from, rill_side side)
{
    rill_geom *geom = solid(8, side);
    box(geom, AT{0, 0, from}, AT{8, 8, 8});
    box(geom, AT{8, 8, from}, AT{16, 16, 8});
    return geom;
}

/* Compute along an axis; the geometry is destroyed. */
static double share_along(rill_geom *geom, int axis, rill_variant variant, rill_drive drive, bool noted)
{
    rill_permeability p;
    rill_permeability_options o = rill_permeability_options_default();
    o.axis = axis;
    o.variant = variant;
    o.drive = drive;
    o.on.backend = RILL_BACKEND_CPU;
    cr_assert_eq(computed(geom, &o, &p), RILL_OK, "%s", rill_error_message());
    const double share = p.runs[0].edge_share;
    cr_assert_eq(p.notes && strstr(p.notes, "touch at an edge"), noted, "%g: %s", share, p.notes);
    rill_permeability_free(&p);
    rill_geom_destroy(geom);
    return share;
}

static double share_of(rill_geom *geom, rill_variant variant, bool noted)
{
    return share_along(geom, 0, variant, RILL_DRIVE_FORCE, noted);
}

static const rill_stream streams[] = {RILL_PULL, RILL_AA, RILL_ESOPULL};

Test(edges, all_flow_between_halves_passes_the_edge)
{
    for (int s = 0; s < 3; s++)
        for (int mirrored = 0; mirrored < 2; mirrored++) {
            rill_variant v = rill_variant_default();
            v.stream = streams[s];
            cr_assert_float_eq(share_of(halves(0, mirrored ? RILL_MIRROR : RILL_PERIODIC), v, true), 1, 1e-3);
        }
    rill_variant v = rill_variant_default();
    v.storage = RILL_FP64;
    v.lattice = RILL_D3Q27;
    cr_assert_float_eq(share_of(halves(0, RILL_MIRROR), v, true), 1, 1e-3);
}

/* A channel of one voxel joins the halves through faces, too: the rest of the flow passes there. */
Test(edges, a_bypass_takes_its_part)
{
    for (int s = 0; s < 3; s++) {
        rill_variant v = rill_variant_default();
        v.stream = streams[s];
        rill_geom *geom = halves(1, RILL_MIRROR);
        box(geom, AT{0, 3, 0}, AT{8, 4, 1});
        box(geom, AT{8, 3, 0}, AT{9, 12, 1});
        box(geom, AT{8, 11, 0}, AT{16, 12, 1});
        const double share = share_of(geom, v, true);
        cr_assert_float_eq(share, 0.955, 2e-3);
    }
}

/* The edge lies along the flow: no link through it crosses a plane normal to the axis, yet all flow passes.
 */
Test(edges, links_across_the_axis_count)
{
    rill_geom *geom = solid(16, RILL_MIRROR);
    box(geom, AT{0, 0, 0}, AT{9, 8, 8});
    box(geom, AT{8, 8, 8}, AT{16, 16, 16});
    const double share = share_of(geom, rill_variant_default(), true);
    cr_assert_float_eq(share, 1, 1e-3);
}

/* A duct has no voxels that touch at edges alone; past an edge along the flow nothing passes. */
Test(edges, nothing_passes_where_faces_carry_all)
{
    const rill_variant v = rill_variant_default();
    rill_geom *geom = solid(8, RILL_PERIODIC);
    box(geom, AT{0, 2, 1}, AT{16, 9, 6});
    const double share = share_of(geom, v, false);
    cr_assert_eq(share, 0);
    cr_assert_leq(share_along(halves(0, RILL_MIRROR), 2, v, RILL_DRIVE_FORCE, false), 1e-4);
}

/* Cut into two parts across z, which read their populations from two devices: the same share of a sample
 * whose flow passes edges in both. */
Test(edges, parts_have_the_share_of_the_whole)
{
    rill_device *device = NULL;
    double shares[3];
    cr_assert_eq(rill_device_create(RILL_BACKEND_CPU, 0, &device), RILL_OK);
    rill_device *const devices[] = {device, device};
    for (int parts = 0; parts < 3; parts++) { /* 0: none are named */
        rill_permeability p;
        rill_permeability_options o = rill_permeability_options_default();
        rill_geom *geom = solid(80, RILL_MIRROR);
        box(geom, AT{0, 0, 0}, AT{8, 8, 40});
        box(geom, AT{7, 0, 40}, AT{16, 8, 80}); /* a face of one voxel joins the halves along z */
        box(geom, AT{8, 8, 0}, AT{16, 16, 80});
        o.axis = 0;
        o.on.device = device;
        o.on.list = parts ? devices : NULL;
        o.on.count = parts;
        cr_assert_eq(computed(geom, &o, &p), RILL_OK, "%s", rill_error_message());
        cr_assert_eq(p.plan.resources.parts, parts > 1 ? 2 : 1, "%d", p.plan.resources.parts);
        shares[parts] = p.runs[0].edge_share;
        rill_permeability_free(&p);
        rill_geom_destroy(geom);
    }
    rill_device_destroy(device);
    cr_assert_gt(shares[0], 0.01);
    cr_assert_float_eq(shares[1] / shares[0], 1, 1e-6);
    cr_assert_float_eq(shares[2] / shares[0], 1, 1e-3, "%g, not %g", shares[2], shares[0]);
}

/* Between reservoirs, whose box is turned. */
Test(edges, reservoirs_count_planes_of_the_sample)
{
    cr_assert_float_eq(
        share_along(halves(0, RILL_MIRROR), 0, rill_variant_default(), RILL_DRIVE_PRESSURE, true), 1, 2e-3);
}
