/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smooth surface through voxels: where it is, against shapes that are known; that no voxel changes sides;
 * domain boundaries; what links it cuts.
 */
#include "core/status.h"
#include "geometry/voxels/exact_walls.h"
#include "geometry/voxels/follow.h"
#include "geometry/voxels/shape.h"

#include <criterion/criterion.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static unsigned seed;

static unsigned random_below(unsigned n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 16) % n;
}

static rill_geom *box(const uint32_t n[3], rill_side x, rill_side y, rill_side z)
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create(n, &geom), RILL_OK);
    geom->sides[0] = x;
    geom->sides[1] = y;
    geom->sides[2] = z;
    return geom;
}

/* Pores at random, so many of ten voxels: pores and walls of one voxel, and all else. */
static rill_geom *random_box(const uint32_t n[3], unsigned pores, rill_side x, rill_side y, rill_side z)
{
    rill_geom *geom = box(n, x, y, z);
    seed = 7;
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) geom->voxels[v] = random_below(10) < pores;
    return geom;
}

/* A shape: the distance from its surface, positive in pores. */
typedef double shape(const double *parameters, const double x[3]);

static double half_space(const double *p, const double x[3])
{
    return p[0] * x[0] + p[1] * x[1] + p[2] * x[2] - p[3];
}

static double sphere(const double *p, const double x[3])
{
    return p[4] * (sqrt(pow(x[0] - p[0], 2) + pow(x[1] - p[1], 2) + pow(x[2] - p[2], 2)) - p[3]);
}

/* Around an axis that is no diagonal of the lattice. */
static double cylinder(const double *p, const double x[3])
{
    static const double axis[3] = {0.36, 0.48, 0.8};
    double along = 0, square = 0;
    for (int a = 0; a < 3; a++) along += (x[a] - p[a]) * axis[a], square += pow(x[a] - p[a], 2);
    return p[4] * (sqrt(square - along * along) - p[3]);
}

static void fill(rill_geom *geom, shape *of, const double *p)
{
    for (uint32_t z = 0; z < geom->n[2]; z++)
        for (uint32_t y = 0; y < geom->n[1]; y++)
            for (uint32_t x = 0; x < geom->n[0]; x++)
                geom->voxels[x + geom->n[0] * (y + (uint64_t)geom->n[1] * z)] =
                    of(p, (const double[3]){x + 0.5, y + 0.5, z + 0.5}) > 0;
}

/* The field as it comes out. */
typedef struct field {
    const rill_geom *geom;
    float *distance, *slack; /* [nz][ny][nx] */
    uint32_t planes;
} field;

static rill_status field_take(void *context, const rill_shape_plane *plane)
{
    field *f = context;
    const uint32_t *n = f->geom->n;
    cr_assert_eq(plane->z, f->planes++);
    for (uint32_t y = 0; y < n[1]; y++)
        for (uint32_t x = 0; x < n[0]; x++) {
            const uint64_t v = x + n[0] * (y + (uint64_t)n[1] * plane->z);
            f->distance[v] = plane->distance[1][y * plane->row + x];
            f->slack[v] = plane->slack[0][y * plane->row + x] + plane->slack[1][y * plane->row + x];
        }
    return RILL_OK;
}

static field field_of(const rill_geom *geom, double sigma)
{
    const size_t count = (size_t)rill_geom_voxels(geom);
    field f = {geom, malloc(count * sizeof(float)), malloc(count * sizeof(float)), 0};
    cr_assert(f.distance && f.slack);
    cr_assert_eq(rill_shape_planes(geom, sigma, true, field_take, &f), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(f.planes, geom->n[2]);
    return f;
}

static void field_free(field *f)
{
    free(f->distance);
    free(f->slack);
}

/* How far the surface is from that of a shape, where voxels within one voxel of it see it, far from the
 * domain boundaries. */
typedef struct error {
    double mean, root, most;
} error;

static error error_of(const rill_geom *geom, shape *of, const double *p)
{
    enum { EDGE = 8 };
    field f = field_of(geom, RILL_SHAPE_SIGMA);
    error e = {0, 0, 0};
    uint64_t count = 0;
    for (uint32_t z = EDGE; z < geom->n[2] - EDGE; z++)
        for (uint32_t y = EDGE; y < geom->n[1] - EDGE; y++)
            for (uint32_t x = EDGE; x < geom->n[0] - EDGE; x++) {
                const double d = of(p, (const double[3]){x + 0.5, y + 0.5, z + 0.5});
                if (fabs(d) > 1) continue;
                const double off = (double)f.distance[x + geom->n[0] * (y + (uint64_t)geom->n[1] * z)] - d;
                e.mean += off;
                e.root += off * off;
                e.most = fmax(e.most, fabs(off));
                count++;
            }
    cr_assert_gt(count, 100);
    e.mean /= (double)count;
    e.root = sqrt(e.root / (double)count);
    field_free(&f);
    return e;
}

static const uint32_t cube[3] = {40, 40, 40};

/* The worst of planes that a seed gives: they are off by the staircase's waves, not by a mean. */
Test(shape, finds_planes_at_any_angle)
{
    rill_geom *geom = box(cube, RILL_MIRROR, RILL_MIRROR, RILL_MIRROR);
    seed = 3;
    for (int k = 0; k < 12; k++) {
        double p[4], length = 0;
        for (int a = 0; a < 3; a++) p[a] = (double)random_below(2001) / 1000 - 1, length += p[a] * p[a];
        for (int a = 0; a < 3; a++) p[a] /= sqrt(length);
        p[3] = 20 * (p[0] + p[1] + p[2]) + (double)random_below(100) / 100;
        fill(geom, half_space, p);
        const error e = error_of(geom, half_space, p);
        cr_assert_lt(fabs(e.mean), 0.02, "%.2f %.2f %.2f: mean %.4f", p[0], p[1], p[2], e.mean);
        cr_assert_lt(e.root, 0.15, "%.2f %.2f %.2f: root mean square %.4f", p[0], p[1], p[2], e.root);
        cr_assert_lt(e.most, 0.25, "%.2f %.2f %.2f: largest %.4f", p[0], p[1], p[2], e.most);
    }
    rill_geom_destroy(geom);
}

/* What no method can know: a plane along the lattice may be anywhere between two layers of voxels. It is put
 * half-way, and slack says that it could be half a voxel off both ways. */
Test(shape, puts_planes_along_the_lattice_half_way)
{
    for (int axis = 0; axis < 3; axis++) {
        rill_geom *geom = box((const uint32_t[3]){20, 20, 20}, RILL_MIRROR, RILL_MIRROR, RILL_MIRROR);
        double p[4] = {0, 0, 0, 9.8}; /* voxels 10 and above are pores: half-way is at 10 */
        p[axis] = 1;
        fill(geom, half_space, p);
        field f = field_of(geom, RILL_SHAPE_SIGMA);
        for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
            const uint32_t at[3] = {(uint32_t)(v % 20), (uint32_t)(v / 20 % 20), (uint32_t)(v / 400)};
            if (at[axis] >= 8 && at[axis] < 12)
                cr_assert_float_eq((double)f.distance[v], at[axis] + 0.5 - 10, 0.05);
            cr_assert_float_eq((double)f.slack[v], at[axis] == 10 ? 1 : 0, 2e-3);
        }
        field_free(&f);
        rill_geom_destroy(geom);
    }
}

/* Without the term of the curvature a sphere of radius 6 is 0.3 voxels off. */
Test(shape, finds_curved_surfaces_from_both_sides)
{
    rill_geom *geom = box(cube, RILL_MIRROR, RILL_MIRROR, RILL_MIRROR);
    for (int k = 0; k < 2; k++)
        for (int inside = -1; inside <= 1; inside += 2)
            for (double r = 6; r <= 12; r += 3) {
                const double p[5] = {20.21, 19.87, 20.43, r, inside};
                const char *name = k ? "cylinder" : "sphere";
                fill(geom, k ? cylinder : sphere, p);
                const error e = error_of(geom, k ? cylinder : sphere, p);
                cr_assert_lt(fabs(e.mean), 0.02, "%s of radius %g: mean %.4f", name, r, e.mean);
                cr_assert_lt(e.root, 0.1, "%s of radius %g: root mean square %.4f", name, r, e.root);
            }
    /* the limit: a ball of radius 3 becomes smaller */
    const double small[5] = {20.21, 19.87, 20.43, 3, -1};
    fill(geom, sphere, small);
    const double mean = error_of(geom, sphere, small).mean;
    cr_assert(mean < -0.1 && mean > -0.25, "mean %.4f", mean);
    rill_geom_destroy(geom);
}

/* Slack is small where the surface is known, and that is where it leans. */
Test(shape, leaves_little_slack_to_surfaces_that_lean)
{
    rill_geom *geom = box(cube, RILL_MIRROR, RILL_MIRROR, RILL_MIRROR);
    const double p[4] = {0.8, 0.5, 0.331, 32.7};
    double sum = 0;
    uint64_t count = 0;
    fill(geom, half_space, p);
    field f = field_of(geom, RILL_SHAPE_SIGMA);
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        sum += (double)f.slack[v];
        count += f.slack[v] > 0;
    }
    cr_assert_gt(count, 500);
    cr_assert_lt(sum / (double)count, 0.2, "%.3f", sum / (double)count);
    field_free(&f);
    rill_geom_destroy(geom);
}

/* Voxels at random, of one voxel and more, on boundaries of all kinds, down to one voxel thick. */
Test(shape, keeps_the_side_of_every_voxel)
{
    static const uint32_t sizes[][3] = {{23, 17, 11}, {19, 1, 21}, {1, 18, 14}, {16, 13, 1}, {2, 3, 1}};
    for (int k = 0; k < 5; k++)
        for (unsigned pores = 0; pores <= 10; pores += 2)
            for (rill_side side = RILL_PERIODIC; side <= RILL_WALL; side++) {
                rill_geom *geom = random_box(sizes[k], pores, side, RILL_MIRROR, RILL_WALL);
                field f = field_of(geom, RILL_SHAPE_SIGMA);
                for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
                    const float d = f.distance[v], slack = f.slack[v];
                    cr_assert(isfinite(d) && d != 0 && (d > 0) == (geom->voxels[v] >= RILL_FLUID));
                    cr_assert(slack >= 0 && slack <= 2);
                }
                field_free(&f);
                rill_geom_destroy(geom);
            }
}

/* The sample that a mirrored or a solid boundary stands for, as voxels. */
static rill_geom *unfolded(const rill_geom *geom)
{
    uint32_t n[3];
    int margin[3];
    rill_geom *whole = NULL;
    for (int a = 0; a < 3; a++) {
        margin[a] = geom->sides[a] == RILL_WALL ? 12 : 0;
        n[a] = geom->n[a] * (geom->sides[a] == RILL_MIRROR ? 2 : 1) + 2 * (uint32_t)margin[a];
    }
    cr_assert_eq(rill_geom_create(n, &whole), RILL_OK);
    for (uint64_t v = 0; v < rill_geom_voxels(whole); v++) {
        const uint32_t at[3] = {(uint32_t)(v % n[0]), (uint32_t)(v / n[0] % n[1]),
                                (uint32_t)(v / n[0] / n[1])};
        uint32_t from[3];
        bool inside = true;
        for (int a = 0; a < 3; a++) {
            const int64_t x = (int64_t)at[a] - margin[a];
            inside = inside && x >= 0 && (x < geom->n[a] || !margin[a]);
            from[a] = (uint32_t)(x < geom->n[a] ? x : 2 * (int64_t)geom->n[a] - 1 - x);
        }
        if (inside)
            whole->voxels[v] =
                geom->voxels[from[0] + geom->n[0] * (from[1] + (uint64_t)geom->n[1] * from[2])];
    }
    return whole;
}

Test(shape, goes_on_behind_the_domain_boundaries)
{
    const uint32_t n[3] = {18, 15, 13};
    for (int axis = 0; axis < 3; axis++)
        for (rill_side side = RILL_MIRROR; side <= RILL_WALL; side++) {
            rill_side sides[3] = {RILL_PERIODIC, RILL_PERIODIC, RILL_PERIODIC};
            sides[axis] = side;
            rill_geom *geom = random_box(n, 6, sides[0], sides[1], sides[2]), *whole = unfolded(geom);
            field part = field_of(geom, RILL_SHAPE_SIGMA), all = field_of(whole, RILL_SHAPE_SIGMA);
            const uint32_t shift = side == RILL_WALL ? 12 : 0;
            for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
                uint64_t at[3] = {v % n[0], v / n[0] % n[1], v / n[0] / n[1]};
                at[axis] += shift;
                const uint64_t there = at[0] + whole->n[0] * (at[1] + whole->n[1] * at[2]);
                cr_assert_float_eq((double)part.distance[v], (double)all.distance[there], 2e-4,
                                   "axis %d, boundary %d, voxel %llu", axis, side, (unsigned long long)v);
                if (side == RILL_MIRROR)
                    cr_assert_float_eq((double)part.slack[v], (double)all.slack[there], 2e-4);
            }
            field_free(&part);
            field_free(&all);
            rill_geom_destroy(geom);
            rill_geom_destroy(whole);
        }
}

Test(shape, is_the_same_for_any_number_of_threads)
{
    rill_geom *geom = random_box((const uint32_t[3]){33, 70, 9}, 5, RILL_PERIODIC, RILL_WALL, RILL_MIRROR);
    const size_t bytes = (size_t)rill_geom_voxels(geom) * sizeof(float);
    omp_set_num_threads(1);
    field one = field_of(geom, RILL_SHAPE_SIGMA);
    omp_set_num_threads(5);
    field five = field_of(geom, RILL_SHAPE_SIGMA);
    cr_assert_eq(memcmp(one.distance, five.distance, bytes), 0);
    cr_assert_eq(memcmp(one.slack, five.slack, bytes), 0);
    field_free(&one);
    field_free(&five);
    rill_geom_destroy(geom);
}

/* ---- cuts ---- */

static double half(void *context, const double x[3], const int c[3])
{
    (void)context, (void)x, (void)c;
    return 0.5;
}

static bool in_lattice(rill_lattice lattice, int direction)
{
    for (int j = 1; j < rill_q((int)lattice); j++) {
        bool same = true;
        for (int a = 0; a < 3; a++) same &= rill_c((int)lattice, j, a) == rill_c(RILL_D3Q27, direction, a);
        if (same) return true;
    }
    return false;
}

/* The links are those that rill_exact_walls() finds; where they are cut, the distances at both ends say. */
Test(shape, cuts_the_links_of_a_lattice)
{
    static const rill_lattice lattices[] = {RILL_D3Q19, RILL_D3Q15, RILL_D3Q27};
    for (int l = 0; l < 3; l++)
        for (rill_side side = RILL_PERIODIC; side <= RILL_WALL; side++) {
            const uint32_t n[3] = {14, 12, 9};
            rill_geom *geom = random_box(n, 6, side, RILL_MIRROR, side), *all = NULL;
            uint64_t k = 0, node = 0;
            cr_assert_eq(rill_geom_copy(geom, &all), RILL_OK);
            cr_assert_eq(rill_exact_walls(all, half, NULL), RILL_OK);
            cr_assert_eq(rill_shape_cuts(geom, lattices[l]), RILL_OK, "%s", rill_error_message());
            const rill_surface *s = geom->surface;
            field f = field_of(geom, RILL_SHAPE_SIGMA_FLOW);
            uint64_t e = 0;
            for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
                const uint32_t x[3] = {(uint32_t)(v % n[0]), (uint32_t)(v / n[0] % n[1]),
                                       (uint32_t)(v / n[0] / n[1])};
                if (geom->voxels[v] < RILL_FLUID) continue;
                for (; e < all->surface->wall_count && all->surface->walls[e].node == node; e++) {
                    const int i = all->surface->walls[e].direction;
                    const rill_link_end end = rill_follow_link(geom, RILL_D3Q27, x, i);
                    const double here = (double)f.distance[v],
                                 there = (double)f.distance[end.x[0] + n[0] * (end.x[1] + n[1] * end.x[2])],
                                 q = fmax(0.01, fmin(0.99, here / (here - there)));
                    if (!in_lattice(lattices[l], i)) continue;
                    cr_assert_lt(k, s->wall_count);
                    cr_assert_eq(s->walls[k].node, node);
                    cr_assert_eq(s->walls[k].direction, i);
                    cr_assert_eq(s->walls[k].triangle, RILL_NO_TRIANGLE);
                    cr_assert_float_eq((double)s->walls[k].q, q, 1e-3);
                    k++;
                }
                node++;
            }
            cr_assert_eq(k, s->wall_count);
            field_free(&f);
            rill_geom_destroy(geom);
            rill_geom_destroy(all);
        }
}

Test(shape, refuses_what_it_has_no_memory_for)
{
    rill_geom *geom = random_box((const uint32_t[3]){64, 64, 4}, 5, RILL_PERIODIC, RILL_WALL, RILL_MIRROR);
    field f = {geom, NULL, NULL, 0};
    cr_assert_eq(rill_shape_bytes(geom->n), 44 * 74 * 74 * 4);
    setenv("RILL_MEMORY", "100kB", 1);
    cr_assert_eq(rill_shape_planes(geom, RILL_SHAPE_SIGMA, false, field_take, &f), RILL_SYSTEM);
    cr_assert_eq(rill_shape_cuts(geom, RILL_D3Q19), RILL_SYSTEM);
    cr_assert_null(geom->surface);
    unsetenv("RILL_MEMORY");
    cr_assert_eq(rill_shape_cuts(geom, RILL_D3Q19), RILL_OK);
    cr_assert_eq(rill_shape_cuts(geom, RILL_D3Q19), RILL_USAGE);
    rill_geom_destroy(geom);
}

static rill_status stop(void *context, const rill_shape_plane *plane)
{
    uint32_t *planes = context;
    return ++*planes == 3 ? rill_fail(RILL_CANCELLED, "stopped at plane %u", plane->z) : RILL_OK;
}

Test(shape, ends_where_its_planes_are_refused)
{
    rill_geom *geom =
        random_box((const uint32_t[3]){9, 9, 9}, 5, RILL_PERIODIC, RILL_PERIODIC, RILL_PERIODIC);
    uint32_t planes = 0;
    cr_assert_eq(rill_shape_planes(geom, RILL_SHAPE_SIGMA, false, stop, &planes), RILL_CANCELLED);
    cr_assert_eq(planes, 3);
    rill_geom_destroy(geom);
}
