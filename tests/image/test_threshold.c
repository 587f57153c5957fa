/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_threshold.c
 * A threshold with a width: k of both thresholds from one run, against runs of them.
 */
#include "carved.h"
#include "geometry/image/voxelize.h"
#include "geometry/voxels/exact_walls.h"
#include "geometry/voxels/greys.h"
#include "permeability/error_bar_priv.h"
#include "planned.h"
#include "core/sanitized.h"

#include <math.h>

/* Grey values fall by RISE for each voxel from the wall into the pore; the wall is at THRESHOLD. */
enum { N = 20, THRESHOLD = 112, RISE = 20 };

/* A shape: how far a voxel's centre is inside of the pores. */
typedef struct shape {
    uint32_t n[3];
    double (*inside)(const double x[3]);
} shape;

/* A body-centred array of spheres. */
static double array(const double x[3])
{
    double least = INFINITY;
    for (int i = 0; i < 2; i++) {
        double square = 0;
        for (int a = 0; a < 3; a++) {
            const double d = x[a] - i * N / 2. - 0.31 + 0.11 * a;
            square += (d - N * round(d / N)) * (d - N * round(d / N));
        }
        least = fmin(least, sqrt(square) - 6.6);
    }
    return least;
}

/* A round duct along z. */
static double duct(const double x[3]) { return 7.2 - hypot(x[0] - 10.21, x[1] - 9.87); }

/* A duct as tortuous as a throat: its radius changes along z. */
static double wavy(const double x[3])
{
    const double phase = 2 * M_PI * x[2] / N;
    return 5.5 + 1.5 * cos(phase) - hypot(x[0] - 10.13 - 2 * sin(phase), x[1] - 9.91);
}

/* A rock: pores of any form with throats of two or three voxels, a sum of waves. */
static double rock(const double x[3])
{
    const double a = 2 * M_PI / N * x[0], b = 2 * M_PI / N * x[1], c = 2 * M_PI / N * x[2];
    return 1.6 * (cos(2 * a + .3) + cos(2 * b + 1) + cos(2 * c - .4) + .6 * cos(a + b - 1) +
                  .5 * cos(b + 2 * c) + .4 * cos(a - 2 * b + c)) -
           0.4;
}

static const shape shapes[] = {{{N, N, N}, array}, {{N, N, 1}, duct}, {{N, N, N}, wavy}, {{N, N, N}, rock}};

/* The grey values of a shape. @param bright  its pores are */
static float *image_of(const shape *s, bool bright)
{
    float *grey = malloc((size_t)s->n[0] * s->n[1] * s->n[2] * sizeof *grey);
    cr_assert(grey);
    for (uint32_t z = 0, v = 0; z < s->n[2]; z++)
        for (uint32_t y = 0; y < s->n[1]; y++)
            for (uint32_t x = 0; x < s->n[0]; x++, v++) {
                const double in = s->inside((const double[]){x + 0.5, y + 0.5, z + 0.5});
                grey[v] = (float)(THRESHOLD - (bright ? -1 : 1) * RISE * fmax(fmin(in, 3), -3));
            }
    return grey;
}

static rill_voxelize_options options_of(const shape *s, double width, bool bright)
{
    rill_voxelize_options o = rill_voxelize_options_default();
    memcpy(o.image.n, s->n, sizeof o.image.n);
    o.image.type = RILL_GREY_F32;
    o.threshold_given = true;
    o.threshold_above = bright;
    o.threshold = THRESHOLD;
    o.threshold_width = width;
    o.keep = RILL_KEEP_ALL;
    o.axis = 2;
    return o;
}

static rill_permeability_walls walls_of(rill_geom *geom, double *k)
{
    rill_permeability_options o = along(2);
    rill_permeability p;
    o.sensitivity = o.settle_fields = true;
    ASSERT_OK(computed(geom, &o, &p));
    const rill_permeability_walls walls = p.runs[0].walls;
    cr_assert(walls.known);
    *k = p.k[2][2];
    rill_permeability_free(&p);
    return walls;
}

typedef struct moved {
    const shape *shape;
    double by;
} moved;

static double cut(void *context, const double x[3], const int c[3])
{
    const moved *m = context;
    const double from = m->shape->inside(x) + m->by,
                 to = m->shape->inside((const double[]){x[0] - c[0], x[1] - c[1], x[2] - c[2]}) + m->by;
    return from / (from - to);
}

/* k of the shape whose walls have moved into the solid. */
static double k_moved(const shape *s, double by)
{
    rill_geom *geom = solid(s->n[0], s->n[1], s->n[2]);
    moved m = {s, by};
    rill_permeability_options o = along(2);
    rill_permeability p;
    for (uint32_t z = 0; z < s->n[2]; z++)
        for (uint32_t y = 0; y < s->n[1]; y++)
            for (uint32_t x = 0; x < s->n[0]; x++)
                if (s->inside((const double[]){x + 0.5, y + 0.5, z + 0.5}) + by > 0)
                    geom->voxels[at(geom, x, y, z)] = RILL_FLUID;
    o.magic = 0.15;
    ASSERT_OK(rill_exact_walls(geom, cut, &m));
    ASSERT_OK(computed(geom, &o, &p));
    const double k = p.k[2][2];
    rill_permeability_free(&p);
    rill_geom_destroy(geom);
    return k;
}

/* The width of the interval is that of two further runs within 10 %, whose walls are at the thresholds. */
Test(threshold, gives_the_interval_of_two_runs)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const shape *s = &shapes[i];
        const rill_voxelize_options o = options_of(s, 8, false);
        float *grey = image_of(s, false);
        rill_geom *geom = NULL;
        double k;
        ASSERT_OK(rill_array_voxelize(grey, &o, (rill_progress){0}, &geom, NULL));
        const rill_permeability_walls w = walls_of(geom, &k);
        const double wide = k_moved(s, 8. / RISE), narrow = k_moved(s, -8. / RISE);
        cr_expect_eq(w.threshold, THRESHOLD);
        cr_expect_eq(w.threshold_width, 8);
        cr_expect(w.k_narrow < k && k < w.k_wide);
        cr_expect_float_eq(w.k_wide - w.k_narrow, wide - narrow, 0.1 * (wide - narrow),
                           "shape %zu: %g to %g, runs %g to %g, k %g", i, w.k_narrow, w.k_wide, narrow, wide,
                           k);
        free(grey);
        rill_geom_destroy(geom);
    }
}

/* Square ducts of 12 voxels along z and of 2 along x. */
static double crossing(const double x[3])
{
    return fmax(6 - fmax(fabs(x[0] - 7), fabs(x[1] - 7)), 1 - fmax(fabs(x[1] - 17), fabs(x[2] - 10)));
}

/* Of several axes the row segmentation says what any of them has, not what the last one has. */
Test(threshold, row_of_several_axes_says_what_any_has)
{
    const shape s = {{N, N, N}, crossing};
    rill_voxelize_options image = options_of(&s, 4, false);
    rill_permeability_options o = along(RILL_AXES_XZ);
    rill_permeability p;
    rill_error_bar bar;
    rill_geom *geom = NULL;
    float *grey = image_of(&s, false);
    const rill_error_bar_contribution *row = &bar.contributions[RILL_ERROR_SEGMENTATION];
    image.axis = o.axis;
    o.sensitivity = o.settle_fields = true;
    o.tolerance = 0.02;
    ASSERT_OK(rill_array_voxelize(grey, &image, (rill_progress){0}, &geom, NULL));
    ASSERT_OK(computed(geom, &o, &p));
    cr_assert_eq(p.run_count, 2);
    cr_assert(p.runs[0].walls.threshold_narrow > 0.9 && p.runs[1].walls.threshold_narrow < 0.01);
    rill_error_bar_of_run(&p, &bar);
    cr_expect_not_null(strstr(row->note, "; up to "), "%s", row->note);
    cr_expect_not_null(strstr(row->note, "counts twice"), "%s", row->note);
    cr_expect_null(strstr(row->note, "on its surface"), "%s", row->note);
    for (int end = 0; end < 2; end++) bar.surface_threshold[end][0] = bar.k[0] * (0.9 + 0.2 * end);
    bar.surface_k[1][0] = bar.k[0];
    rill_error_bar_segmentation_put(&p, &bar);
    cr_expect_not_null(strstr(row->note, "of the flow on its surface"), "%s", row->note);
    rill_permeability_free(&p);
    rill_geom_destroy(geom);
    free(grey);
}

/* Return the error bar of a shape, with runs on the surface of its threshold and no split voxels. */
static rill_error_bar bar_of(const shape *s, double width)
{
    const rill_voxelize_options image = options_of(s, width, false);
    const rill_error_bar_options fine = {.fine = true, .updates = 1};
    rill_permeability_options o = along(2);
    rill_permeability_plan plan;
    rill_permeability p;
    rill_error_bar_plan bar_plan;
    rill_error_bar bar;
    rill_geom *geom = NULL;
    float *grey = image_of(s, false);
    o.sensitivity = o.settle_fields = o.wall_room = true;
    ASSERT_OK(rill_array_voxelize(grey, &image, (rill_progress){0}, &geom, NULL));
    ASSERT_OK(planned(geom, &o, &plan));
    ASSERT_OK(rill_error_bar_plan_make(geom, &o, &plan, &fine, &bar_plan));
    ASSERT_OK(rill_permeability_compute(geom, &o, &plan, &p));
    ASSERT_OK(rill_error_bar_compute(geom, &o, &p, &bar_plan, &fine, &bar));
    const rill_permeability_walls *w = &p.runs[0].walls;
    cr_expect(0 <= w->threshold_narrow && w->threshold_narrow < 1, "%g", w->threshold_narrow);
    rill_permeability_free(&p);
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(geom);
    free(grey);
    return bar;
}

/* The part with the sensitivity of walls on the surface has the memory of a plan with it, beside the same
 * voxels and walls as the part without. */
Test(threshold, plan_has_the_memory_of_sensitivities_on_the_surface)
{
    const rill_voxelize_options image = options_of(&shapes[0], 2, false);
    const rill_error_bar_options fine = {.fine = true, .updates = 1};
    rill_permeability_options o = along(2);
    rill_permeability_plan plan;
    rill_error_bar_plan bar;
    rill_geom *geom = NULL;
    float *grey = image_of(&shapes[0], false);
    uint64_t beside[2] = {0, 0};
    int parts = 0;
    o.sensitivity = o.settle_fields = o.wall_room = true;
    ASSERT_OK(rill_array_voxelize(grey, &image, (rill_progress){0}, &geom, NULL));
    ASSERT_OK(planned(geom, &o, &plan));
    ASSERT_OK(rill_error_bar_plan_make(geom, &o, &plan, &fine, &bar));
    for (int i = 0; i < bar.part_count; i++) {
        const rill_error_bar_part *part = &bar.parts[i];
        const rill_permeability_options own = rill_error_bar_part_options(&o, &plan, part);
        rill_permeability_plan by_hand;
        rill_geom *surface = NULL;
        if (part->purpose != RILL_ERROR_BAR_SHAPE) continue;
        cr_assert(parts < 2 && part->sensitivity == (parts == 1));
        ASSERT_OK(rill_error_bar_part_geometry(geom, part, &own, &surface));
        ASSERT_OK(rill_permeability_plan_make(surface, &own, &by_hand));
        beside[parts++] = part->host_bytes - by_hand.resources.host_bytes;
        cr_expect_geq(bar.host_bytes, part->host_bytes);
        rill_permeability_plan_free(&by_hand);
        rill_geom_destroy(surface);
    }
    cr_assert_eq(parts, 2, "%s", bar.shape_note);
    cr_expect_eq(beside[0], beside[1], "%lld bytes are missing", (long long)(beside[0] - beside[1]));
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(geom);
    free(grey);
}

/* With runs on the surface of the threshold, which is where the walls are, k there is that of the shape, and
 * the row segmentation is that of flows whose walls have moved within 10 %: of spheres and a round duct. Of
 * the rock, in whose throats of one and two voxels the derivative is not so good, it holds them. */
Test(threshold, on_its_surface_is_the_row_segmentation)
{
    static const int of[] = {0, 1, 3};
    for (int i = 0; i < 3; i++) {
        const shape *s = &shapes[of[i]];
        const double width = of[i] == 3 ? 4 : 2;
        const rill_error_bar bar = bar_of(s, width);
        const rill_error_bar_contribution *row = &bar.contributions[RILL_ERROR_SEGMENTATION];
        const double k = k_moved(s, 0), wide = k_moved(s, width / RISE), narrow = k_moved(s, -width / RISE),
                     change = fmax(wide / k - 1, 1 - narrow / k), half = row->half_width[2];
        cr_assert_eq(row->state, RILL_ERROR_KNOWN);
        cr_expect_not_null(strstr(row->note, "of the flow on its surface"), "%s", row->note);
        cr_expect_float_eq(bar.surface_k[0][2], k, (of[i] == 3 ? 0.03 : 0.01) * k, "shape %d: %g, %g", of[i],
                           bar.surface_k[0][2], k);
        cr_expect(bar.surface_threshold[0][2] < bar.surface_k[1][2] &&
                  bar.surface_k[1][2] < bar.surface_threshold[1][2]);
        if (of[i] == 3)
            cr_expect(half > change && strstr(row->note, "counts twice"), "%g, %g: %s", half, change,
                      row->note);
        else
            cr_expect_float_eq(half, change, 0.1 * change, "shape %d: %g, %g", of[i], half, change);
    }
}

/* Pores that are bright, and types of 8 and 16 bits, say the same but for their digits. */
Test(threshold, does_not_depend_on_the_type)
{
    const shape *s = &shapes[1];
    const size_t voxels = (size_t)s->n[0] * s->n[1] * s->n[2];
    float *dark = image_of(s, false), *bright = image_of(s, true);
    uint8_t bytes[N * N];
    uint16_t words[N * N];
    rill_voxelize_options o[4];
    double interval[4], k;
    const void *images[4] = {dark, bright, bytes, words};
    for (size_t v = 0; v < voxels; v++) {
        bytes[v] = (uint8_t)lrintf(dark[v]);
        words[v] = (uint16_t)lrintf(100 * dark[v]);
    }
    for (int i = 0; i < 4; i++) o[i] = options_of(s, 8, i == 1);
    o[2].image.type = RILL_GREY_U8;
    o[3].image.type = RILL_GREY_U16;
    o[3].threshold *= 100;
    o[3].threshold_width *= 100;
    for (int i = 0; i < 4; i++) {
        rill_geom *geom = NULL;
        ASSERT_OK(rill_array_voxelize(images[i], &o[i], (rill_progress){0}, &geom, NULL));
        const rill_permeability_walls w = walls_of(geom, &k);
        interval[i] = (w.k_wide - w.k_narrow) / k;
        cr_expect_float_eq(interval[i], interval[0], 0.05 * interval[0], "image %d: %g, %g", i, interval[i],
                           interval[0]);
        rill_geom_destroy(geom);
    }
    free(dark);
    free(bright);
}

/* Codes lie where their voxels are, also in parts, in other orders of the axes and in mirrored copies. */
Test(threshold, keeps_grey_values_where_voxels_are)
{
    static const int orders[2][3] = {{0, 1, 2}, {2, 1, 0}};
    uint8_t grey[6 * 5 * 4];
    for (int i = 0; i < 6 * 5 * 4; i++) grey[i] = (uint8_t)(7 * i % 223);
    for (int k = 0; k < 2; k++) {
        rill_voxelize_options o = rill_voxelize_options_default();
        rill_geom *geom = NULL;
        memcpy(o.image.n, (uint32_t[3]){6, 5, 4}, sizeof o.image.n);
        o.image.type = RILL_GREY_U8;
        o.threshold_given = true;
        o.threshold = 100;
        o.threshold_width = 3;
        o.keep = RILL_KEEP_ALL;
        o.mirror[0] = o.mirror[2] = true;
        o.crop[1][0] = 1;
        memcpy(o.axes, orders[k], sizeof o.axes);
        ASSERT_OK(rill_array_voxelize(grey, &o, (rill_progress){0}, &geom, NULL));
        cr_assert_not_null(geom->greys);
        for (uint64_t v = 0; v < rill_geom_voxels(geom); v++)
            cr_expect_eq(geom->voxels[v] >= RILL_FLUID, geom->greys->distance[geom->greys->code[v]] < 0);
        rill_geom_destroy(geom);
    }
}

Test(threshold, is_read_from_text)
{
    static const struct {
        const char *text;
        double value, width;
        bool above;
    } good[] = {{"112", 112, 0, false},
                {"112+-4", 112, 4, false},
                {"112\u00b14", 112, 4, false},
                {">1.5+/-.25", 1.5, .25, true},
                {"<-3", -3, 0, false}};
    static const char *const bad[] = {"",      "x", "112+-", "112+-0", "112+--4",
                                      "112 4", ">", "1e999", "112+-4x"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        rill_voxelize_options o = rill_voxelize_options_default();
        ASSERT_OK(rill_voxelize_parse_threshold(good[i].text, &o));
        cr_expect(o.threshold_given && o.threshold == good[i].value && o.threshold_width == good[i].width &&
                      o.threshold_above == good[i].above,
                  "%s", good[i].text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rill_voxelize_options o = rill_voxelize_options_default();
        cr_expect_eq(rill_voxelize_parse_threshold(bad[i], &o), RILL_USAGE, "%s", bad[i]);
    }
}
