/* SPDX-License-Identifier: Apache-2.0 */
/* A free surface with solid from an image, and with faces through which liquid comes in and goes out. */
#include "backends.h"
#include "domain/domain.h"
#include "free_surface/run.h"
#include "message.h"
#include "surface_totals.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rill_free_surface_outcome outcome_of(const rill_free_surface_case *c)
{
    rill_free_surface_outcome out;
    cr_assert_eq(rill_free_surface_run(c, &out), RILL_OK, "%s", rill_error_message());
    return out;
}

/* A drop above a pool, in a box of walls. */
static rill_free_surface_case drop_of(rill_stream stream)
{
    return (rill_free_surface_case){.shape = RILL_LIQUID_DROP,
                                    .n = {12, 10, 15},
                                    .walls = {true, true},
                                    .depth = 4.25,
                                    .radius = 3,
                                    .height = 9,
                                    .tau = 0.7,
                                    .tension = 2e-3,
                                    .gravity = 1e-4,
                                    .contact_angle = 70,
                                    .stream = stream,
                                    .steps = 150};
}

static rill_geom *geom_of(uint32_t nx, uint32_t ny, uint32_t nz, uint8_t value)
{
    rill_geom *geom;
    ASSERT_OK(rill_geom_create((uint32_t[3]){nx, ny, nz}, &geom));
    memset(geom->voxels, value, rill_geom_voxels(geom));
    return geom;
}

/* Layers of solid around a box are its walls: the same bits. */
Test(free_surface_faces, solid_of_an_image_is_a_wall)
{
    static const rill_stream streams[] = {RILL_PULL, RILL_AA, RILL_ESOTWIST, RILL_ESOPULL};
    for (int k = 0; k < 4; k++) {
        const rill_free_surface_case box = drop_of(streams[k]);
        rill_free_surface_case image = box;
        rill_geom *geom = geom_of(14, 12, 17, RILL_SOLID);
        for (uint32_t z = 1; z < 16; z++)
            for (uint32_t y = 1; y < 11; y++)
                memset(geom->voxels + 1 + 14 * (y + 12 * (size_t)z), RILL_FLUID, 12);
        image.geom = geom;
        memcpy(image.n, geom->n, sizeof image.n);
        image.walls[0] = image.walls[1] = false;
        image.depth += 1;
        image.height += 1;
        const rill_free_surface_outcome a = outcome_of(&box), b = outcome_of(&image);
        cr_expect_gt(a.last.speed_max, 1e-3);
        cr_expect(totals_same(&a.first, &b.first), "%d", k);
        cr_expect(totals_same(&a.last, &b.last), "%d: %g and %g", k, a.last.mass, b.last.mass);
        rill_geom_destroy(geom);
    }
}

/* A liquid from an image is that of the shape with the same voxels. */
Test(free_surface_faces, liquid_of_an_image)
{
    rill_free_surface_case column = drop_of(RILL_AA);
    rill_geom *liquid = geom_of(12, 10, 15, RILL_SOLID);
    column.shape = RILL_LIQUID_COLUMN;
    column.depth = 9;
    column.width = 5;
    for (uint32_t z = 0; z < 9; z++)
        for (uint32_t y = 0; y < 10; y++) memset(liquid->voxels + 12 * (y + 10 * (size_t)z), RILL_FLUID, 5);
    rill_free_surface_case image = column;
    image.shape = RILL_LIQUID_IMAGE;
    image.liquid = liquid;
    image.depth = image.width = image.radius = 0;
    const rill_free_surface_outcome a = outcome_of(&column), b = outcome_of(&image);
    cr_expect_float_eq(a.first.volume, 450, 1e-9);
    cr_expect(totals_same(&a.last, &b.last), "%g and %g", a.last.mass, b.last.mass);
    image.n[1] = 9;
    rill_free_surface_outcome out;
    cr_expect_eq(rill_free_surface_run(&image, &out), RILL_USAGE);
    expect_message("12 x 10 x 15");
    rill_geom_destroy(liquid);
}

/* ---- faces ------------------------------------------------------------------------------------- */

static const char *const names[] = {"x-", "x+", "y-", "y+", "z-", "z+"};

/* Liquid that comes in through any face, past a post of solid: what is there is what was there and came in,
 * speed times open area times steps, less what went out at the other end. */
Test(free_surface_faces, mass_is_what_came_in_and_did_not_go_out)
{
    for (int face = 0; face < 6; face++) {
        rill_geom *geom = geom_of(14, 12, 13, RILL_FLUID);
        for (uint32_t z = 0; z < 13; z++) geom->voxels[6 + 14 * (5 + 12 * (size_t)z)] = RILL_SOLID;
        const int axis = face / 2, end = face % 2 ? 1 : -1;
        rill_free_surface_case c = {.shape = RILL_LIQUID_POOL,
                                    .geom = geom,
                                    .n = {14, 12, 13},
                                    .depth = 5.3,
                                    .tau = 0.8,
                                    .tension = 1e-3,
                                    .gravity = 2e-5,
                                    .contact_angle = 90,
                                    .stream = face % 2 ? RILL_ESOPULL : RILL_PULL,
                                    .storage = RILL_FP64,
                                    .inflow = {axis, end, 0.01, axis == 2 ? INFINITY : 7},
                                    .outflow = {axis, -end, 0, 2},
                                    .steps = 150};
        const double area = axis == 0 ? 12 * 7 : axis == 1 ? 14 * 7 : 14 * 12 - 1;
        const rill_free_surface_outcome out = outcome_of(&c);
        cr_expect_float_eq(out.last.through.came, 0.01 * area * 150, 1e-9, "%s: %.12g", names[face],
                           out.last.through.came);
        cr_expect_lt(fabs(rill_free_surface_change(&out)), 1e-12, "%s: %g", names[face],
                     rill_free_surface_change(&out));
        if (face < 4) cr_expect_gt(out.last.through.went, 1, "%s: %g", names[face], out.last.through.went);
        rill_geom_destroy(geom);
    }
}

/* A flow between plates that fills the channel: its pressure falls by 12 rho nu U / H^2 a cell, and reaches
 * that of the gas within a cell of the outflow; its largest speed is 3/2 of the mean, half a cell off the
 * middle. */
Test(free_surface_faces, a_filled_channel_has_the_pressure_of_plates)
{
    enum { NX = 60, H = 12 };
    const double speed = 0.01, tau = 0.9, nu = (tau - 0.5) / 3;
    rill_geom *geom = geom_of(NX, 1, H, RILL_FLUID);
    rill_domain *domain;
    rill_sim *sim;
    rill_free_surface *surface;
    static double fill[NX * H], rho[NX * H], u[3 * NX * H];
    rill_sim_options o = rill_sim_options_default();
    geom->sides[0] = geom->sides[2] = RILL_WALL;
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
    o.variant.equilibrium = RILL_SECOND_ORDER;
    o.variant.storage = RILL_FP64;
    o.on.backend = RILL_BACKEND_CPU;
    o.tau = tau;
    ASSERT_OK(rill_sim_create(domain, &o, &sim));
    for (int k = 0; k < NX * H; k++) fill[k] = 1;
    const rill_free_surface_options open = {
        .contact_angle = 90, .inflow = {0, -1, speed, INFINITY}, .outflow = {0, 1, 0, 0}};
    ASSERT_OK(rill_free_surface_create(sim, &open, fill, &surface));
    ASSERT_OK(rill_sim_step(sim, 5000));
    ASSERT_OK(rill_sim_moments(sim, 0, NX * H, rho, u));
    double fastest = 0, drop[2] = {0};
    for (int z = 0; z < H; z++) {
        fastest = fmax(fastest, (1 + rho[30 + NX * z]) * u[30 + NX * z]);
        drop[0] += (rho[20 + NX * z] - rho[40 + NX * z]) / 3 / H / 20;
        drop[1] += (rho[40 + NX * z] - rho[50 + NX * z]) / 3 / H / 10;
    }
    const double exact = 12 * nu * speed / (H * H);
    cr_expect_float_eq(fastest / speed / (1.5 * (1 - 1. / (H * H))), 1, 0.005, "largest speed %g",
                       fastest / speed);
    for (int k = 0; k < 2; k++)
        cr_expect_float_eq(drop[k] / exact, 1, 0.01, "pressure falls by %g of %g", drop[k], exact);
    const double left = rho[50 + NX * 6] / 3 / exact;
    cr_expect_float_eq(left, 9.5, 1, "pressure of %g cells at 9.5 cells of the end", left);
    rill_free_surface_destroy(surface);
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}

/* A pool at rest stays where the outflow has its level. */
Test(free_surface_faces, a_pool_at_the_level_of_the_outflow_rests)
{
    rill_free_surface_case c = {.shape = RILL_LIQUID_POOL,
                                .n = {20, 1, 14},
                                .depth = 7.5,
                                .tau = 0.8,
                                .gravity = 1e-4,
                                .contact_angle = 90,
                                .storage = RILL_FP64,
                                .outflow = {0, 1, 0, 7.5},
                                .steps = 1000};
    const rill_free_surface_outcome out = outcome_of(&c);
    cr_expect_float_eq(out.last.volume / 20, 7.5, 0.05, "%g", out.last.volume / 20);
    cr_expect_lt(out.last.speed_max, 3e-4, "%g", out.last.speed_max);
    c.outflow.level = 5.5; /* it falls to the new level */
    c.steps = 9000;
    const rill_free_surface_outcome lower = outcome_of(&c);
    cr_expect_float_eq(lower.last.volume / 20, 5.5, 0.1, "%g", lower.last.volume / 20);
}

/* A pool that has gone through the floor leaves nothing: no nodes without mass that fall ever faster. */
Test(free_surface_faces, a_drained_pool_is_gone)
{
    for (int k = 0; k < 4; k++) {
        const rill_free_surface_case c = {.shape = RILL_LIQUID_POOL,
                                          .n = {10, 1, 8},
                                          .depth = 3,
                                          .tau = 0.6,
                                          .gravity = 1e-3,
                                          .contact_angle = k == 3 ? 60 : 90,
                                          .storage = k == 0   ? RILL_FP64
                                                     : k == 1 ? RILL_FP32
                                                              : RILL_FP16C,
                                          .outflow = {2, -1, 0, 0},
                                          .steps = 1500};
        const rill_free_surface_outcome out = outcome_of(&c);
        cr_expect_float_eq(out.last.mass, 0, 1e-4, "%d: mass %g", k, out.last.mass);
        cr_expect_float_eq(out.last.through.went, out.first.mass, 1e-2, "%d: %g went", k,
                           out.last.through.went);
        cr_expect_lt(out.last.nodes[RILL_INTERFACE], 1, "%d", k);
    }
}

/* Sums that no liquid has end a run, with words for what is open. */
Test(free_surface_faces, sums_that_no_liquid_has)
{
    const rill_free_surface_face in = {0, -1, 0.01, 4}, none = {0};
    const struct {
        double mass, volume, speed, came;
        bool finite, inflow;
        const char *says, *names; /* NULL: it goes on */
    } cases[] = {{100, 99.9, 0.1, 0, true, false, NULL, NULL},
                 {-1e-4, 0, 0.1, 0, true, false, NULL, NULL},
                 {-0.5, 0, 0, 0, true, false, "mass is -0.5", "--outflow"},
                 {-0.5, 0, 0, 1000, true, true, NULL, NULL},
                 {NAN, 0, 0, 0, true, false, "diverged", "--gravity and --speed"},
                 {10, INFINITY, 0, 0, true, false, "diverged", "--gravity and --speed"},
                 {10, 10, 0, 0, false, true, "diverged", "--inflow-speed"},
                 {10, 10, 0, NAN, true, true, "diverged", "--inflow-speed"},
                 {10, 10, 0.6, 0, true, false, "largest speed is 0.6", "--gravity and --speed"},
                 {10, 10, 0.6, 0, true, true, "largest speed is 0.6", "--inflow-speed"},
                 {130, 100, 0.1, 0, true, false, NULL, NULL}, /* by the pressure of the start */
                 {109, 100, 0.1, 30, true, true, NULL, NULL},
                 {120, 100, 0.1, 30, true, true, "the box is full", "--outflow"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        rill_free_surface_case c = drop_of(RILL_AA);
        const rill_free_surface_outcome out = {.first = {.mass = 100, .volume = 100},
                                               .last = {.mass = cases[k].mass,
                                                        .volume = cases[k].volume,
                                                        .speed_max = cases[k].speed,
                                                        .through.came = cases[k].came,
                                                        .finite = cases[k].finite},
                                               .steps = 700};
        c.inflow = cases[k].inflow ? in : none;
        cr_expect_eq(rill_free_surface_sound(&c, &out), cases[k].says ? RILL_NUMERICS : RILL_OK, "%zu", k);
        if (!cases[k].says) continue;
        expect_message(cases[k].says);
        expect_message(cases[k].names);
        expect_message("step 700");
    }
}

/* A box without an outflow is full some time, and liquid that comes in then is compressed. */
Test(free_surface_faces, a_full_box_ends)
{
    rill_free_surface_case c = {.shape = RILL_LIQUID_POOL,
                                .n = {8, 1, 8},
                                .depth = 3,
                                .tau = 0.6,
                                .contact_angle = 90,
                                .storage = RILL_FP32,
                                .inflow = {0, -1, 0.02, INFINITY},
                                .steps = 5000};
    rill_free_surface_outcome out;
    cr_expect_eq(rill_free_surface_run(&c, &out), RILL_NUMERICS);
    expect_message("the box is full: add --outflow, or take fewer --steps");
    cr_expect_lt(out.steps, 1000);
}

/* An empty box fills. */
Test(free_surface_faces, an_empty_box_fills)
{
    rill_free_surface_case c = {.shape = RILL_LIQUID_POOL,
                                .n = {16, 6, 16},
                                .tau = 0.8,
                                .gravity = 2e-5,
                                .contact_angle = 90,
                                .storage = RILL_FP64,
                                .inflow = {0, -1, 0.01, 4},
                                .steps = 3000};
    const rill_free_surface_outcome out = outcome_of(&c);
    cr_expect_eq(out.first.mass, 0);
    cr_expect_float_eq(out.last.mass, 0.01 * 4 * 6 * 3000, 1e-8, "%.10g", out.last.mass);
    cr_expect_float_eq(out.last.volume, out.last.mass, 2e-3 * out.last.mass, "%g", out.last.volume);
}

/* Places of cells are numbers of 32 bits. */
Test(free_surface_faces, cells_are_counted_in_32_bits)
{
    ASSERT_OK(rill_free_surface_cells_check((uint32_t[3]){1625, 1625, 1625}));
    ASSERT_OK(rill_free_surface_cells_check((uint32_t[3]){UINT32_MAX, 1, 1}));
    ASSERT_OK(rill_free_surface_cells_check((uint32_t[3]){4, 4, 0}));
    static const uint32_t large[][3] = {
        {1626, 1626, 1626}, {65536, 65536, 1}, {1, 65536, 65536}, {UINT32_MAX, UINT32_MAX, UINT32_MAX}};
    for (int k = 0; k < 4; k++) {
        cr_expect_eq(rill_free_surface_cells_check(large[k]), RILL_USAGE, "%d", k);
        expect_message("crop");
    }
}

Test(free_surface_faces, refusals)
{
    static const struct {
        rill_free_surface_face in, out;
        const char *says;
    } cases[] = {{{0, -1, 0.3, 9}, {0}, "speed 0.3"},
                 {{0, -1, NAN, 9}, {0}, "speed nan"},
                 {{0, 1, 0.1, 9}, {0, 1, 0, 0}, "choose two"},
                 {{0, -1, 0.1, -1}, {0}, "level -1"},
                 {{0, -1, 0.1, 0.3}, {0}, "no pores are open at the face of the inflow"},
                 {{3, -1, 0.1, 1}, {0}, "not a face"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        rill_free_surface_case c = drop_of(RILL_AA);
        rill_free_surface_outcome out;
        c.inflow = cases[k].in;
        c.outflow = cases[k].out;
        cr_expect_eq(rill_free_surface_run(&c, &out), RILL_USAGE, "%zu", k);
        expect_message(cases[k].says);
    }
}
