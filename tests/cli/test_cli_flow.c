/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_cli_flow.c
 * rill permeability: the flow of a fluid in SI units.
 */
#include "pore_files.h"

TestSuite(permeability_flow, .init = cli_test_start, .fini = cli_test_end);

/* U = k drop / (mu L), Q = U A; the channel is 4 x 4 of 8 x 8 voxels of 10 um. */
Test(permeability_flow, shows_the_flow_of_a_fluid)
{
    make_raw("channel-8x8x8-u8.raw", 8, 8, 8, channel);
    cli_result r = cli_test_run("permeability", "channel-8x8x8-u8.raw", "--pore", "0", "--voxel-size", "10um",
                                "--pressure-drop", "1mbar", "--fluid", "water", "--backend", "cpu", "--json",
                                "flow.json", "--axis", "z");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *json = load("flow.json");
    const double k = real(json, "permeability.m2.zz"), u = k * 100 / (1.0016e-3 * 80e-6);
    cr_assert_float_eq(real(json, "flow.axes.z.darcy_velocity_m_s") / u, 1, 1e-12);
    cr_assert_float_eq(real(json, "flow.axes.z.rate_m3_s") / (u * 80e-6 * 80e-6), 1, 1e-12);
    const double diameter = real(json, "hydraulic_diameter") * 10e-6; /* pores are a quarter of the box */
    cr_assert_float_eq(real(json, "flow.axes.z.reynolds") / (998.207 * 4 * u * diameter / 1.0016e-3), 1,
                       1e-12);
    cr_assert_gt(real(json, "flow.axes.z.reynolds"), 1);
    cr_assert(json_is_false(find(json, "flow.axes.z.stokes")));
    cr_assert_not_null(strstr(r.out, "above 1: inertia makes the real flow smaller"), "%s", r.out);
    json_decref(json);
    cli_test_fails(1, "needs the voxel size", "permeability", "channel-8x8x8-u8.raw", "--pore", "0",
                   "--pressure-drop", "1mbar", "--fluid", "water", "--backend", "cpu", "-q");
    cli_test_fails(1, "is none of water, brine and air", "permeability", "channel-8x8x8-u8.raw", "--pore",
                   "0", "--pressure-drop", "1mbar", "--fluid", "oil");
    cli_test_fails(1, "--pressure-drop: unknown unit \"lightyear\"", "permeability", "channel-8x8x8-u8.raw",
                   "--pressure-drop", "1lightyear", "--fluid", "water");
    cli_test_fails(1, "either --fluid", "permeability", "channel-8x8x8-u8.raw", "--pressure-drop", "1mbar");
    cli_test_fails(1, "add --pressure-drop", "permeability", "channel-8x8x8-u8.raw", "--fluid", "water");
}

/* k of a core is that of its own area, and so is the flow rate: that through the box would be larger. */
Test(permeability_flow, the_flow_of_a_core_passes_its_area)
{
    make_raw("channel-8x8x8-u8.raw", 8, 8, 8, channel);
    const cli_result r =
        cli_test_run("permeability", "channel-8x8x8-u8.raw", "--pore", "0", "--core", "inscribed",
                     "--voxel-size", "10um", "--pressure-drop", "1mPa", "--fluid", "brine", "--backend",
                     "cpu", "--json", "flow.json", "--axis", "z", "-q");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *json = load("flow.json");
    const double sample = 512 - real(json, "outside_voxels");
    cr_assert_lt(sample, 450);
    const double u = real(json, "permeability.m2.zz") * 1e-3 / (1.090e-3 * 80e-6);
    cr_assert_float_eq(real(json, "flow.axes.z.darcy_velocity_m_s") / u, 1, 1e-12);
    cr_assert_float_eq(real(json, "flow.axes.z.rate_m3_s") / (u * sample / 8 * 1e-10), 1, 1e-12);
    json_decref(json);
}
