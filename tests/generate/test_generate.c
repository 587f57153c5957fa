/* SPDX-License-Identifier: Apache-2.0 */
/* Sphere arrays and channels against independent brute force, tabled radii and symmetry. */
#include "geometry/generate/generate.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static uint8_t at(const rill_geom *g, uint32_t x, uint32_t y, uint32_t z)
{
    return g->voxels[((uint64_t)z * g->n[1] + y) * g->n[0] + x];
}

/* ---- sphere arrays --------------------------------------------------------------------------- */

static const int bases[3][4][3] = {
    {{0, 0, 0}}, {{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}}};
static const int counts[3] = {1, 2, 4};

/** Count the voxels that differ from r <= R over 27 images, in quarter voxels squared (integers). */
static uint64_t differences(const rill_geom *g, int array, double radius)
{
    const int n = (int)g->n[0];
    uint64_t wrong = 0;
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                bool solid = false;
                for (int s = 0; s < counts[array]; s++)
                    for (int image = 0; image < 27; image++) {
                        const int *b = bases[array][s];
                        const long dx = 2 * x + 1 - n * (b[0] + 2 * (image % 3 - 1));
                        const long dy = 2 * y + 1 - n * (b[1] + 2 * (image / 3 % 3 - 1));
                        const long dz = 2 * z + 1 - n * (b[2] + 2 * (image / 9 - 1));
                        solid |= (double)(dx * dx + dy * dy + dz * dz) <= 4 * radius * radius;
                    }
                wrong += at(g, (uint32_t)x, (uint32_t)y, (uint32_t)z) != (solid ? RILL_SOLID : RILL_FLUID);
            }
    return wrong;
}

Test(generate, sphere_arrays_equal_brute_force)
{
    const struct {
        rill_array array;
        uint32_t cells;
        double c, tabled; /* radius in the table of reference values, rounded to 0.1; 0: not there */
    } cases[] = {{RILL_SC, 32, 0.216, 11.9},  {RILL_SC, 64, 0.343, 27.8},
                 {RILL_SC, 32, 0.45, 15.2},   {RILL_SC, 32, 0.523598775, 16},
                 {RILL_BCC, 32, 0.343, 11.0}, {RILL_BCC, 64, 0.680174761, 27.7},
                 {RILL_FCC, 32, 0.343, 8.8},  {RILL_FCC, 64, 0.343, 17.5},
                 {RILL_BCC, 33, 0.5, 0},      {RILL_FCC, 31, 0.6, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const rill_spheres_options o = {
            .array = cases[i].array, .solid_fraction = cases[i].c, .cells = cases[i].cells};
        const double n = cases[i].cells, spheres = counts[cases[i].array];
        const double radius = n * cbrt(3 * cases[i].c / (4 * M_PI * spheres));
        rill_geom *g = NULL;
        cr_assert_eq(rill_generate_spheres(&o, &g), RILL_OK, "%s", rill_error_message());
        cr_expect_float_eq(rill_spheres_radius(&o), radius, 1e-12 * n);
        if (cases[i].tabled > 0) cr_expect_float_eq(radius, cases[i].tabled, 0.05 + 1e-6);
        cr_expect_eq(differences(g, (int)o.array, radius), 0, "case %zu", i);
        cr_expect_float_eq(1 - g->porosity.total, cases[i].c, 0.02);
        cr_expect_str_eq(g->source, "spheres");
        for (int a = 0; a < 3; a++) cr_expect_eq(g->sides[a], RILL_PERIODIC);
        rill_geom_destroy(g);
    }
}

Test(generate, sphere_arrays_have_cubic_symmetry)
{
    for (int array = 0; array < RILL_ARRAY_COUNT; array++) {
        const uint32_t n = 40;
        const rill_spheres_options o = {.array = (rill_array)array, .radius = 12.3, .cells = n};
        rill_geom *g = NULL;
        cr_assert_eq(rill_generate_spheres(&o, &g), RILL_OK, "%s", rill_error_message());
        uint64_t wrong = 0;
        for (uint32_t z = 0; z < n; z++)
            for (uint32_t y = 0; y < n; y++)
                for (uint32_t x = 0; x < n; x++) { /* generators of the group: two swaps and one reflection */
                    const uint8_t v = at(g, x, y, z);
                    wrong += v != at(g, y, x, z) || v != at(g, x, z, y) || v != at(g, n - 1 - x, y, z);
                }
        cr_expect_eq(wrong, 0, "array %d", array);
        rill_geom_destroy(g);
    }
}

Test(generate, sphere_arrays_touch_where_said)
{
    const double half_distance[3] = {0.5, sqrt(3) / 4, sqrt(2) / 4};
    for (int array = 0; array < RILL_ARRAY_COUNT; array++) {
        const double c = rill_spheres_touching((rill_array)array);
        const rill_spheres_options o = {.array = (rill_array)array, .solid_fraction = c, .cells = 64};
        cr_expect_float_eq(rill_spheres_radius(&o), 64 * half_distance[array], 1e-11);
    }
}

Test(generate, sphere_arrays_refuse)
{
    const struct {
        rill_spheres_options options;
        const char *part;
    } cases[] = {{{.array = RILL_SC, .solid_fraction = 0.53, .cells = 32}, "0.523598775"},
                 {{.array = RILL_BCC, .solid_fraction = 0.7, .cells = 32}, "0.680174761"},
                 {{.array = RILL_FCC, .solid_fraction = -1, .cells = 32}, "0.740480489"},
                 {{.array = RILL_SC, .solid_fraction = NAN, .cells = 32}, "nan"},
                 {{.array = RILL_SC, .cells = 32}, "exactly one"},
                 {{.array = RILL_SC, .solid_fraction = 0.2, .radius = 3, .cells = 32}, "exactly one"},
                 {{.array = RILL_SC, .radius = NAN, .cells = 32}, "nan"},
                 {{.array = RILL_SC, .radius = 1e300, .cells = 32}, "at most the 32"},
                 {{.array = RILL_SC, .radius = 30, .cells = 32}, "no pore voxel"},
                 {{.array = RILL_SC, .radius = 0.5, .cells = 32}, "no voxel centre"},
                 {{.array = RILL_SC, .solid_fraction = 0.2, .cells = 0}, "empty"},
                 {{.array = RILL_SC, .solid_fraction = 0.2, .cells = 4000000000u}, "1e15"},
                 {{.array = (rill_array)7, .solid_fraction = 0.2, .cells = 32}, "number 7"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rill_geom *g = NULL;
        cr_expect_eq(rill_generate_spheres(&cases[i].options, &g), RILL_USAGE, "case %zu", i);
        cr_expect_not_null(strstr(rill_error_message(), cases[i].part), "%s", rill_error_message());
        cr_expect_null(g);
    }
}

/* ---- channels -------------------------------------------------------------------------------- */

/** Count the fluid voxels on the six faces of the box that are not normal to `open`. */
static uint64_t fluid_on_sides(const rill_geom *g, int open)
{
    uint64_t found = 0;
    for (uint32_t z = 0; z < g->n[2]; z++)
        for (uint32_t y = 0; y < g->n[1]; y++)
            for (uint32_t x = 0; x < g->n[0]; x++) {
                const uint32_t p[3] = {x, y, z};
                for (int a = 0; a < 3; a++)
                    found += a != open && (p[a] == 0 || p[a] == g->n[a] - 1) && at(g, x, y, z) != RILL_SOLID;
            }
    return found;
}

Test(generate, ducts_and_plates_have_exact_widths)
{
    for (int axis = 0; axis < 3; axis++) {
        rill_geom *g = NULL;
        const rill_duct_options duct = {.width = 5, .height = 9, .axis = axis, .length = 3};
        cr_assert_eq(rill_generate_duct(&duct, &g), RILL_OK);
        cr_expect_eq(g->n[axis], 3);
        cr_expect_eq(g->n[(axis + 1) % 3], 7);
        cr_expect_eq(g->n[(axis + 2) % 3], 11);
        cr_expect_eq(rill_geom_fluid(g), 5 * 9 * 3);
        cr_expect_eq(fluid_on_sides(g, axis), 0);
        rill_geom_destroy(g);

        const rill_plates_options plates = {.gap = 6, .normal = axis, .length = 4};
        cr_assert_eq(rill_generate_plates(&plates, &g), RILL_OK);
        cr_expect_eq(rill_geom_fluid(g), 6 * 4 * 4);
        cr_expect_eq(g->n[axis], 8);
        uint64_t wrong = 0;
        for (uint32_t z = 0; z < g->n[2]; z++)
            for (uint32_t y = 0; y < g->n[1]; y++)
                for (uint32_t x = 0; x < g->n[0]; x++) {
                    const uint32_t across = ((const uint32_t[3]){x, y, z})[axis];
                    wrong += (at(g, x, y, z) == RILL_SOLID) != (across == 0 || across == 7);
                }
        cr_expect_eq(wrong, 0);
        rill_geom_destroy(g);
    }
}

Test(generate, pipes_equal_brute_force)
{
    const double radii[] = {0.75, 3, 8, 12.4}, offsets[][2] = {{0, 0}, {0.5, 0.5}, {0.25, -0.4}, {-1, 1}};
    for (int i = 0; i < 48; i++) {
        const int axis = i % 3;
        const double r = radii[i / 3 % 4], *d = offsets[i / 12];
        const rill_pipe_options o = {.radius = r, .axis = axis, .offset = {d[0], d[1]}, .length = 2};
        rill_geom *g = NULL;
        cr_assert_eq(rill_generate_pipe(&o, &g), RILL_OK, "%s", rill_error_message());
        uint64_t expected = 0, wrong = 0;
        for (int j = -20; j < 20; j++)
            for (int k = -20; k < 20; k++) expected += hypot(j + 0.5 - d[0], k + 0.5 - d[1]) < r;
        cr_expect_eq(rill_geom_fluid(g), 2 * expected, "case %d", i);
        cr_expect_eq(fluid_on_sides(g, axis), 0);
        const int first = (axis + 1) % 3, second = (axis + 2) % 3;
        for (uint32_t z = 0; z < g->n[2]; z++)
            for (uint32_t y = 0; y < g->n[1]; y++)
                for (uint32_t x = 0; x < g->n[0]; x++) {
                    const uint32_t p[3] = {x, y, z};
                    const double u = p[first] + 0.5 - 0.5 * g->n[first] - d[0];
                    const double v = p[second] + 0.5 - 0.5 * g->n[second] - d[1];
                    wrong += (at(g, x, y, z) == RILL_FLUID) != (hypot(u, v) < r);
                }
        cr_expect_eq(wrong, 0, "case %d", i);
        rill_geom_destroy(g);
    }
}

Test(generate, channels_refuse)
{
    rill_geom *g = NULL;
    const rill_plates_options flat = {.gap = 0, .normal = 1, .length = 4},
                              nowhere = {.gap = 4, .normal = 3, .length = 4};
    const rill_duct_options shut = {.width = 4, .axis = 0, .length = 0},
                            vast = {.width = 4294967295u, .length = 1};
    const rill_pipe_options thin = {.radius = 0.4, .length = 1}, lost = {.radius = 0.5, .length = 1},
                            nan_pipe = {.radius = NAN, .length = 1},
                            off = {.radius = 4, .offset = {0, 1.5}, .length = 1};
    cr_expect_eq(rill_generate_plates(&flat, &g), RILL_USAGE);
    cr_expect_eq(rill_generate_plates(&nowhere, &g), RILL_USAGE);
    cr_expect_eq(rill_generate_duct(&shut, &g), RILL_USAGE);
    cr_expect_eq(rill_generate_duct(&vast, &g), RILL_USAGE);
    cr_expect_eq(rill_generate_pipe(&thin, &g), RILL_USAGE);
    cr_expect_eq(rill_generate_pipe(&lost, &g), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "no voxel centre"));
    cr_expect_eq(rill_generate_pipe(&nan_pipe, &g), RILL_USAGE);
    cr_expect_eq(rill_generate_pipe(&off, &g), RILL_USAGE);
    cr_expect_eq(rill_generate_box((const uint32_t[3]){4, 0, 4}, &g), RILL_USAGE);
    cr_expect_null(g);
}

Test(generate, box_is_fluid)
{
    rill_geom *g = NULL;
    cr_assert_eq(rill_generate_box((const uint32_t[3]){3, 4, 5}, &g), RILL_OK);
    cr_expect_eq(rill_geom_fluid(g), 60);
    cr_expect_eq(g->porosity.total, 1);
    rill_geom_destroy(g);
}
