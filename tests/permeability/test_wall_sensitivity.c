/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_wall_sensitivity.c
 * What the flow at the walls says of k when they move, against exact derivatives of ducts and against flows
 * whose walls have moved.
 */
#include "carved.h"
#include "geometry/voxels/exact_walls.h"
#include "permeability/wall_sensitivity.h"
#include "planned.h"
#include "core/sanitized.h"

#include <math.h>

/* What a flow says. */
typedef struct said {
    const rill_geom *geom;
    const struct array *spheres;                /* NULL: of another shape */
    double k, normal, exact, faces[6], largest; /* exact: by the exact normals of spheres */
    uint64_t voxels, links;
} said;

static double along_normal(const struct array *spheres, const uint32_t voxel[3], int a);

static rill_status add(void *context, const rill_wall_voxel *voxel)
{
    said *s = context;
    s->voxels++;
    s->normal += voxel->per_normal;
    for (int i = 0; i < 6; i++) {
        s->faces[i] += voxel->face[i];
        s->links += voxel->faces >> i & 1;
        if (s->spheres && voxel->faces >> i & 1)
            s->exact += voxel->face[i] / fmax(along_normal(s->spheres, voxel->at, i / 2), 0.25);
        s->largest = fmax(s->largest, voxel->face[i]);
        cr_expect(voxel->faces >> i & 1 || voxel->face[i] == 0);
    }
    return RILL_OK;
}

static rill_status go_through(void *context, const rill_permeability_flow *run,
                              const rill_node_moments *moments)
{
    said *s = context;
    (void)run;
    return rill_wall_sensitivity(&(rill_wall_flow){s->geom, moments}, add, s);
}

static said listen_beside(rill_geom *geom, rill_permeability_options o, const struct array *spheres)
{
    said s = {.geom = geom, .spheres = spheres};
    rill_permeability p;
    o.finished_pieces = go_through;
    o.settle_fields = true;
    o.context = &s;
    ASSERT_OK(computed(geom, &o, &p));
    s.k = p.k[o.axis][o.axis];
    rill_permeability_free(&p);
    return s;
}

static said listen(rill_geom *geom, rill_permeability_options o) { return listen_beside(geom, o, NULL); }

/* Plates of h voxels in a period of h + 1: velocities are exact at nodes, for pores of any width. k is their
 * sum, the exact one and h / 24. */
Test(wall_sensitivity, of_plates_is_exact)
{
    for (uint32_t h = 1; h <= 12; h += h < 4 ? 1 : 4) {
        rill_geom *geom = solid(h + 1, 1, 1);
        OPEN(geom, 0, 0, 0, h, 1, 1);
        const said s = listen(geom, along(2));
        const double exact = (double)h * h / 4 / (h + 1); /* of each wall: k = h^3 / 12 / (h + 1) */
        cr_expect_float_eq(s.k, (pow(h, 3) / 12 + h / 24.) / (h + 1), 2e-3 * s.k);
        cr_expect_float_eq(s.faces[0], exact, 5e-3 * exact, "%u: %g, %g", h, s.faces[0], exact);
        cr_expect_float_eq(s.faces[1], exact, 5e-3 * exact, "%u: %g, %g", h, s.faces[1], exact);
        cr_expect_float_eq(s.normal, 2 * exact, 1e-2 * exact);
        cr_expect_eq(s.links, 2);
        rill_geom_destroy(geom);
    }
}

/* Flow through a square of edge 1, over its area squared: White 1974, Viscous Fluid Flow, eq. 3-48. */
static double square_flow(void)
{
    double sum = 0;
    for (int n = 1; n < 200; n += 2) sum += tanh(n * M_PI / 2) / pow(n, 5);
    return (1 - 192 / pow(M_PI, 5) * sum) / 12;
}

/* A square duct of h voxels: dk of all four walls is that of h^4, by 2 for each voxel of shift. */
Test(wall_sensitivity, of_square_ducts_converges)
{
    double before = NAN;
    for (uint32_t h = 6; h <= 24; h *= 2) {
        rill_geom *geom = solid(h + 1, h + 1, 1);
        OPEN(geom, 0, 0, 0, h, h, 1);
        const said s = listen(geom, along(2));
        const double exact = 8 * pow(h, 3) * square_flow() / ((h + 1) * (h + 1)),
                     error = fabs(s.faces[0] + s.faces[1] + s.faces[2] + s.faces[3] - exact) / exact;
        cr_expect_lt(error, 1.2 / h, "%u voxels: %g", h, error);
        cr_expect(!(error > 0.5 * before), "%u voxels: %g after %g", h, error, before);
        cr_expect_float_eq(s.faces[0], s.faces[3], 5e-3 * exact);
        before = error;
        rill_geom_destroy(geom);
    }
}

/* A round duct of radius r, whose centre is no symmetric place: k = pi r^4 / 8 / area, whose walls are at
 * every angle to the axes. */
Test(wall_sensitivity, of_round_ducts_is_that_of_walls_at_any_angle)
{
    for (uint32_t n = 12; n <= 36; n += 12) {
        rill_geom *geom = solid(n, n, 1);
        const double r = n / 2. - 1.3, centre[2] = {n / 2. + 0.21, n / 2. - 0.13};
        for (uint32_t y = 0; y < n; y++)
            for (uint32_t x = 0; x < n; x++)
                if (hypot(x + 0.5 - centre[0], y + 0.5 - centre[1]) < r)
                    geom->voxels[at(geom, x, y, 0)] = RILL_FLUID;
        const said s = listen(geom, along(2));
        const double exact = M_PI * pow(r, 3) / 2 / (n * n);
        cr_expect_float_eq(s.normal, exact, 0.08 * exact, "%u: %g, %g", n, s.normal, exact);
        rill_geom_destroy(geom);
    }
}

/* ---- spheres --------------------------------------------------------------------------------- */

enum { CELL = 20 };

typedef struct array array;

struct array {
    int count;
    double centre[4][3], radius;
};

static array array_of(int count, double radius)
{
    static const double base[4][3] = {{0, 0, 0}, {.5, .5, .5}, {.5, 0, .5}, {.5, .5, 0}};
    array a = {.count = count, .radius = radius};
    const double shift[3] = {0.31, 0.17, 0.43};
    for (int i = 0; i < count; i++)
        for (int b = 0; b < 3; b++)
            a.centre[i][b] = CELL * ((count == 4 && i == 1 ? (double[]){0, .5, .5} : base[i])[b]) + shift[b];
    return a;
}

/* Return how far a place is outside of the spheres. @param[out] nearest  its centre, as near as it is */
static double outside_of(const array *a, const double x[3], double nearest[3])
{
    double least = INFINITY;
    for (int i = 0; i < a->count; i++) {
        double centre[3], square = 0;
        for (int b = 0; b < 3; b++) {
            const double d = x[b] - a->centre[i][b];
            centre[b] = a->centre[i][b] + CELL * round(d / CELL);
            square += (x[b] - centre[b]) * (x[b] - centre[b]);
        }
        if (sqrt(square) - a->radius >= least) continue;
        least = sqrt(square) - a->radius;
        memcpy(nearest, centre, sizeof centre);
    }
    return least;
}

/* Return the part along an axis of the normal of the sphere nearest to a voxel. */
static double along_normal(const array *spheres, const uint32_t voxel[3], int a)
{
    const double x[3] = {voxel[0] + 0.5, voxel[1] + 0.5, voxel[2] + 0.5};
    double centre[3], square = 0;
    outside_of(spheres, x, centre);
    for (int b = 0; b < 3; b++) square += (x[b] - centre[b]) * (x[b] - centre[b]);
    return fabs(x[a] - centre[a]) / sqrt(square);
}

static double sphere_cut(void *context, const double x[3], const int c[3])
{
    const array *a = context;
    const double end[3] = {x[0] - c[0], x[1] - c[1], x[2] - c[2]};
    rill_round_wall wall = {.radius = a->radius};
    outside_of(a, end, wall.centre);
    return rill_round_wall_cut(&wall, x, c, false);
}

static rill_geom *spheres(const array *a)
{
    rill_geom *geom = solid(CELL, CELL, CELL);
    for (uint32_t z = 0; z < CELL; z++)
        for (uint32_t y = 0; y < CELL; y++)
            for (uint32_t x = 0; x < CELL; x++) {
                double nearest[3];
                if (outside_of(a, (const double[]){x + 0.5, y + 0.5, z + 0.5}, nearest) > 0)
                    geom->voxels[at(geom, x, y, z)] = RILL_FLUID;
            }
    return geom;
}

/* k of spheres whose walls are where they are. */
static double k_of(int count, double radius)
{
    array a = array_of(count, radius);
    rill_geom *geom = spheres(&a);
    rill_permeability_options o = along(2);
    rill_permeability p;
    o.magic = 0.15;
    ASSERT_OK(rill_exact_walls(geom, sphere_cut, &a));
    ASSERT_OK(computed(geom, &o, &p));
    const double k = p.k[2][2];
    rill_permeability_free(&p);
    rill_geom_destroy(geom);
    return k;
}

/* What k grows by for each voxel that the radii of spheres shrink by, from runs with both. */
static double growth(int count, double radius, double step)
{
    return (k_of(count, radius - step) - k_of(count, radius + step)) / (2 * step);
}

/* Simple cubic, body-centred and face-centred arrays, of solid fractions of 0.22 to 0.42. */
Test(wall_sensitivity, of_spheres_is_that_of_smaller_and_larger_ones)
{
    static const int counts[] = {1, 2, 4};
    static const double radii[] = {7.5, 6.9, 5.4};
    for (int i = 0; i < 3; i++) {
        const double change = growth(counts[i], radii[i], 0.4);
        const array a = array_of(counts[i], radii[i]);
        rill_geom *geom = spheres(&a);
        const said s = listen(geom, along(2));
        cr_expect_float_eq(s.normal, change, 0.1 * change, "%d spheres: %g, %g, k %g", counts[i], s.normal,
                           change, s.k);
        rill_geom_destroy(geom);
    }
}

/* The same of a flow whose walls are where they are: simple, body- and face-centred arrays, 4 voxels and more
 * between spheres. */
Test(wall_sensitivity, of_interpolated_walls_is_that_of_smaller_and_larger_spheres)
{
    static const int counts[] = {1, 2, 4};
    static const double radii[] = {7.5, 6.5, 5.2};
    for (int i = 0; i < 3; i++) {
        const double change = growth(counts[i], radii[i], 0.2);
        array a = array_of(counts[i], radii[i]);
        rill_geom *geom = spheres(&a);
        rill_permeability_options o = along(2);
        ASSERT_OK(rill_exact_walls(geom, sphere_cut, &a));
        const said s = listen_beside(geom, o, &a);
        cr_expect_float_eq(s.exact, change, 0.06 * change, "%d spheres: %g, %g, k %g", counts[i], s.exact,
                           change, s.k);
        cr_expect_float_eq(s.normal, change, 0.1 * change, "%d spheres: %g, %g", counts[i], s.normal, change);
        rill_geom_destroy(geom);
    }
}

/* How far walls are behind the last node of a pore between plates, below and above. */
static double plate_cut(void *context, const double x[3], const int c[3])
{
    const double *behind = context;
    (void)x;
    return behind[c[0] < 0];
}

/* Plates at any place: walls 0.3 voxels behind the first node and 0.8 behind the last one, of 5; periodic,
 * and in a mirrored box, which has 0.3 voxels at both ends. */
Test(wall_sensitivity, of_plates_at_any_place)
{
    double behind[2] = {0.3, 0.8};
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        rill_geom *geom = solid(6, 1, 1);
        const double h = mirrored ? 2 * (4.5 + behind[0]) : 4 + behind[0] + behind[1],
                     exact = h * h / 4 / (mirrored ? 12 : 6) * (mirrored ? 2 : 1);
        OPEN(geom, 1, 0, 0, 6, 1, 1);
        if (mirrored) geom->sides[0] = RILL_MIRROR;
        rill_permeability_options o = along(2);
        ASSERT_OK(rill_exact_walls(geom, plate_cut, behind));
        const said s = listen(geom, o);
        const double both = s.faces[0] + s.faces[1], wanted = mirrored ? exact : 2 * exact;
        cr_expect_float_eq(both, wanted, (mirrored ? 0.08 : 0.02) * wanted, "%d: %g, %g", mirrored, both,
                           wanted);
        cr_expect_float_eq(s.faces[1], exact, 0.12 * exact, "%d: %g, %g", mirrored, s.faces[1], exact);
        cr_expect_eq(s.links, mirrored ? 1 : 2);
        rill_geom_destroy(geom);
    }
}

/* ---- what must not matter -------------------------------------------------------------------- */

/* Half of a mirrored duct is a half of the duct, and its mirrors are no walls; solid boundaries are none. */
Test(wall_sensitivity, has_no_walls_at_boundaries)
{
    rill_geom *whole = solid(13, 9, 3), *half = solid(7, 9, 3), *walled = solid(12, 8, 3);
    OPEN(whole, 0, 0, 0, 12, 8, 3);
    OPEN(half, 0, 0, 0, 6, 8, 3);
    OPEN(walled, 0, 0, 0, 12, 8, 3);
    const said all = listen(whole, along(2));
    half->sides[0] = RILL_MIRROR;
    walled->sides[0] = walled->sides[1] = RILL_WALL;
    const said part = listen(half, along(2)), none = listen(walled, along(2));
    cr_expect_eq(part.links, 8 * 3 + 2 * 6 * 3);
    cr_expect_eq(part.faces[1], 0);
    /* the duct has 13 x 9, of which the half has 7 x 9 */
    cr_expect_float_eq(part.faces[0] * 7, all.faces[0] * 13, 1e-2 * all.faces[0] * 13);
    cr_expect_float_eq(part.faces[2] * 7 * 2, all.faces[2] * 13, 1e-2 * all.faces[2] * 13);
    cr_expect_eq(none.voxels, 0);
    rill_geom_destroy(whole);
    rill_geom_destroy(half);
    rill_geom_destroy(walled);
}

/* Parts give the same bits. */
Test(wall_sensitivity, does_not_depend_on_parts)
{
    const array a = array_of(2, 6.3);
    rill_device *device = NULL;
    said one, three;
    rill_permeability_options o = along(2);
    rill_geom *geom = spheres(&a);
    ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &device));
    o.on.device = device;
    o.variant.stream = RILL_AA;
    one = listen(geom, o);
    o.on.list = (rill_device *const[]){device, device, device};
    o.on.count = 3;
    three = listen(geom, o);
    cr_expect_eq(one.normal, three.normal);
    cr_expect_eq(one.largest, three.largest);
    cr_expect_arr_eq(one.faces, three.faces, sizeof one.faces);
    rill_geom_destroy(geom);
    rill_device_destroy(device);
}

/* Voxels outside of the sample are solid, and no wall that a segmentation has set. */
Test(wall_sensitivity, has_no_walls_at_the_outside_of_a_sample)
{
    rill_geom *geom = solid(10, 6, 2);
    uint8_t outside[10 * 6 * 2] = {0};
    for (int v = 0; v < 10 * 6 * 2; v++) outside[v] = v % 10 >= 7;
    OPEN(geom, 2, 1, 0, 5, 5, 2);
    ASSERT_OK(rill_geom_set_outside(geom, outside));
    const said s = listen(geom, along(2));
    cr_expect_eq(s.faces[0], 0);
    cr_expect_gt(s.faces[1], 0);
    cr_expect_eq(s.links, 2 * (5 + 2 * 5));
    rill_geom_destroy(geom);
}

Test(wall_sensitivity, refuses_the_flow_of_another_geometry)
{
    array a = array_of(1, 6);
    rill_geom *geom = spheres(&a);
    const rill_node_moments none = {.nodes = 1};
    said s = {.geom = geom};
    cr_expect_eq(rill_wall_sensitivity(&(rill_wall_flow){geom, &none}, add, &s), RILL_USAGE);
    rill_geom_destroy(geom);
}

/* ---- what a permeability says ---------------------------------------------------------------- */

/* Sums of the field of a run. */
typedef struct field {
    double sum, largest;
    rill_node node; /* of the largest value */
} field;

static rill_status field_read(void *context, const rill_permeability_flow *run,
                              const rill_node_moments *moments)
{
    field *f = context;
    float *values = malloc(moments->nodes * sizeof *values);
    cr_assert(values && run->walls.known && moments->read_walls);
    ASSERT_OK(moments->read_walls(moments->walls, 0, moments->nodes, values));
    for (rill_node n = 0; n < moments->nodes; n++) {
        f->sum += (double)values[n];
        if ((double)values[n] <= f->largest) continue;
        f->largest = (double)values[n];
        f->node = n;
    }
    free(values);
    return RILL_OK;
}

/* Two chambers along z, with a throat of 3 x 3 voxels between them, and one of 9 x 9 on the way back. */
static rill_geom *throat(void)
{
    rill_geom *geom = solid(22, 22, 48);
    OPEN(geom, 1, 1, 2, 18, 18, 18);
    OPEN(geom, 12, 4, 20, 3, 3, 5);
    OPEN(geom, 1, 1, 25, 18, 18, 18);
    OPEN(geom, 5, 5, 43, 9, 9, 5);
    OPEN(geom, 5, 5, 0, 9, 9, 2);
    return geom;
}

/* The throat decides; the sum of the field is what all walls decide. */
Test(wall_sensitivity, finds_the_throat)
{
    rill_geom *geom = throat();
    rill_permeability_options o = along(2);
    rill_permeability p;
    field f = {.sum = 0};
    o.sensitivity = o.settle_fields = true;
    o.finished_pieces = field_read;
    o.context = &f;
    ASSERT_OK(computed(geom, &o, &p));
    const rill_permeability_walls *w = &p.runs[0].walls;
    cr_assert(w->known && w->box_count == RILL_DECISIVE_BOXES);
    cr_expect_float_eq(f.sum, w->per_voxel, 1e-5 * w->per_voxel);
    double before = INFINITY, sum = 0;
    for (int k = 0; k < w->box_count; k++) {
        const rill_decisive_box *box = &w->boxes[k];
        cr_expect_leq(box->share, before);
        before = box->share;
        sum += box->share;
        for (int a = 0; a < 3; a++)
            cr_expect(box->voxel[a] >= box->first[a] && box->voxel[a] < box->first[a] + box->n[a] &&
                      box->first[a] + box->n[a] <= geom->n[a]);
        for (int other = 0; other < k; other++) {
            bool apart = false;
            for (int a = 0; a < 3; a++)
                apart |= box->first[a] + box->n[a] <= w->boxes[other].first[a] ||
                         w->boxes[other].first[a] + w->boxes[other].n[a] <= box->first[a];
            cr_expect(apart, "boxes %d and %d", other, k);
        }
    }
    cr_expect_leq(sum, 1 + 1e-9);
    cr_expect_gt(w->boxes[0].share, 0.8);
    cr_expect(w->boxes[0].voxel[0] >= 12 && w->boxes[0].voxel[0] < 15 && w->boxes[0].voxel[2] >= 20 &&
              w->boxes[0].voxel[2] < 25);
    rill_permeability_free(&p);
    rill_geom_destroy(geom);
}

Test(wall_sensitivity, is_refused_where_velocities_do_not_say_it)
{
    array a = array_of(1, 6);
    rill_geom *geom = spheres(&a);
    rill_permeability_plan plan;
    rill_permeability_options o = along(2);
    o.sensitivity = true;
    o.variant.storage = RILL_FP16S;
    cr_expect_eq(planned(geom, &o, &plan), RILL_USAGE);
    o = along(2);
    o.sensitivity = true;
    o.drive = RILL_DRIVE_PRESSURE;
    cr_expect_eq(planned(geom, &o, &plan), RILL_USAGE);
    rill_geom_destroy(geom);
}
