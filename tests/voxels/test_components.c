/* SPDX-License-Identifier: Apache-2.0 */
/* Components against a flood fill along the links of each lattice that is written the other way round, and
 * cases made by hand. */
#include "geometry/voxels/components.h"
#include "kernel/lattice.h"

#include <criterion/criterion.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE INT32_MAX

/* What the flood fill finds; voxels are few, so everything is an array per voxel. */
typedef struct {
    uint64_t components, kept, dropped, total, connected, percolating[3];
    uint8_t *voxels; /* what stays */
} flood;

static rill_geom *make(uint32_t nx, uint32_t ny, uint32_t nz, const rill_side sides[3])
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create((const uint32_t[3]){nx, ny, nz}, &geom), RILL_OK, "%s",
                 rill_error_message());
    memcpy(geom->sides, sides, sizeof geom->sides);
    return geom;
}

static uint64_t at(const rill_geom *g, uint32_t x, uint32_t y, uint32_t z)
{
    return x + (uint64_t)g->n[0] * (y + (uint64_t)g->n[1] * z);
}

/*
 * Follow a link of the lattice from a voxel in a box. @return whether it leads to a voxel: where a boundary
 * is mirrored it comes back, where it is walled it ends.
 */
static bool follow(const rill_geom *g, rill_lattice lattice, int i, const int64_t x[3], const int32_t box[3],
                   uint64_t *voxel, int32_t there[3])
{
    int64_t to[3];
    for (int a = 0; a < 3; a++) {
        to[a] = x[a] + rill_c((int)lattice, i, a);
        there[a] = box[a];
        if (to[a] >= 0 && to[a] < g->n[a]) continue;
        if (g->sides[a] == RILL_WALL) return false;
        if (g->sides[a] == RILL_MIRROR)
            to[a] = x[a];
        else {
            there[a] += rill_c((int)lattice, i, a);
            to[a] = (to[a] + g->n[a]) % g->n[a];
        }
    }
    *voxel = at(g, (uint32_t)to[0], (uint32_t)to[1], (uint32_t)to[2]);
    return g->voxels[*voxel];
}

/*
 * Walk one component breadth first from `seed`, keeping the box in which each voxel was met first. A voxel
 * met again in another box closes a way around. Returns the voxels met, in queue.
 */
static uint64_t walk(const rill_geom *g, rill_lattice lattice, uint64_t seed, int32_t (*box)[3],
                     uint64_t *queue, bool winds[3], bool touches[6])
{
    uint64_t head = 0, tail = 0;
    memset(box[seed], 0, sizeof box[seed]);
    queue[tail++] = seed;
    while (head < tail) {
        const uint64_t v = queue[head++];
        const int64_t x[3] = {(int64_t)(v % g->n[0]), (int64_t)(v / g->n[0] % g->n[1]),
                              (int64_t)(v / g->n[0] / g->n[1])};
        for (int a = 0; a < 3; a++) {
            touches[2 * a] |= x[a] == 0;
            touches[2 * a + 1] |= x[a] == g->n[a] - 1;
        }
        for (int i = 1; i < rill_q((int)lattice); i++) {
            uint64_t w;
            int32_t there[3];
            if (!follow(g, lattice, i, x, box[v], &w, there)) continue;
            if (box[w][0] == NOWHERE) {
                memcpy(box[w], there, sizeof there);
                queue[tail++] = w;
            }
            for (int b = 0; b < 3; b++) winds[b] |= box[w][b] != there[b];
        }
    }
    return tail;
}

static flood flood_fill(const rill_geom *g, rill_lattice lattice, rill_keep_kind keep, int axis)
{
    const uint64_t voxels = rill_geom_voxels(g);
    flood f = {.voxels = calloc(voxels, 1)};
    int32_t(*box)[3] = malloc(voxels * sizeof *box);
    uint64_t *queue = malloc(voxels * sizeof *queue);
    for (uint64_t v = 0; v < voxels; v++) box[v][0] = NOWHERE;
    for (uint64_t seed = 0; seed < voxels; seed++) {
        if (!g->voxels[seed] || box[seed][0] != NOWHERE) continue;
        bool winds[3] = {0}, touches[6] = {0}, any = false, outer = false;
        const uint64_t met = walk(g, lattice, seed, box, queue, winds, touches);
        f.components++;
        f.total += met;
        for (int a = 0; a < 3; a++) {
            const bool along = g->sides[a] == RILL_PERIODIC ? winds[a] : touches[2 * a] && touches[2 * a + 1];
            f.percolating[a] += along ? met : 0;
            any |= along && (axis < 0 || axis == a);
            outer |= touches[2 * a] || touches[2 * a + 1];
        }
        f.connected += outer ? met : 0;
        const bool stays = keep == RILL_KEEP_ALL || (keep == RILL_KEEP_CONNECTED ? outer : any);
        f.kept += stays;
        f.dropped += stays ? 0 : met;
        for (uint64_t i = 0; i < met && stays; i++) f.voxels[queue[i]] = g->voxels[queue[i]];
    }
    free(box);
    free(queue);
    return f;
}

/* Of rill_lattice. */
static const char *const names[] = {"d3q19", "d3q27", "d3q15", "d2q9"};

static void check(rill_geom *g, rill_lattice lattice, rill_keep_kind keep, int axis)
{
    flood f = flood_fill(g, lattice, keep, axis);
    rill_components c;
    cr_assert_eq(rill_components_clean(g, keep, axis, rill_contacts_of(lattice), (rill_progress){0}, &c),
                 RILL_OK, "%s", rill_error_message());
    const double voxels = (double)rill_geom_voxels(g);
    cr_assert_eq(c.components, f.components, "%s: %llu components, not %llu", names[lattice],
                 (unsigned long long)c.components, (unsigned long long)f.components);
    cr_assert_eq(c.kept, f.kept);
    cr_assert_eq(c.dropped, f.dropped);
    cr_assert_eq(c.porosity.total, (double)f.total / voxels);
    cr_assert_eq(c.porosity.connected, (double)f.connected / voxels);
    for (int a = 0; a < (lattice == RILL_D2Q9 ? 2 : 3); a++) /* no link leads along z */
        cr_assert_eq(c.porosity.percolating[a], (double)f.percolating[a] / voxels, "axis %d of %u x %u x %u",
                     a, g->n[0], g->n[1], g->n[2]);
    cr_assert_arr_eq(g->voxels, f.voxels, rill_geom_voxels(g));
    free(f.voxels);
}

static uint32_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* All 27 combinations of sides and all lattices, boxes from 1 to 17 wide, sparse to dense, every way of
 * cleaning. Rows of more than a word come along x. */
Test(components, agree_with_a_flood_fill)
{
    uint64_t seed = 1;
    for (int combination = 0; combination < 27; combination++)
        for (int trial = 0; trial < 160; trial++) {
            const rill_lattice lattice = (rill_lattice)(trial % 4);
            const rill_side sides[3] = {(rill_side)(combination % 3), (rill_side)(combination / 3 % 3),
                                        (rill_side)(combination / 9)};
            const uint32_t nx =
                random_next(&seed) % 8 ? 1 + random_next(&seed) % 17 : 60 + random_next(&seed) % 80;
            rill_geom *g = make(nx, 1 + random_next(&seed) % 9,
                                lattice == RILL_D2Q9 ? 1 : 1 + random_next(&seed) % 9, sides);
            const uint32_t percent = 5 + random_next(&seed) % 60;
            for (uint64_t v = 0; v < rill_geom_voxels(g); v++)
                g->voxels[v] = random_next(&seed) % 100 < percent ? (uint8_t)(1 + random_next(&seed) % 3) : 0;
            const int axis = (int)(random_next(&seed) % 4) - 1;
            check(g, lattice, (rill_keep_kind)(trial % 3), lattice == RILL_D2Q9 ? axis & 1 : axis);
            rill_geom_destroy(g);
        }
}

/* Boxes that threads share, near the threshold of percolation; the last has fewer planes than threads. */
Test(components, agree_with_a_flood_fill_on_several_threads)
{
    static const uint32_t sizes[4][3] = {{128, 96, 100}, {120, 100, 101}, {96, 128, 98}, {1100, 1000, 2}};
    static const rill_side sides[4][3] = {{RILL_PERIODIC, RILL_PERIODIC, RILL_PERIODIC},
                                          {RILL_MIRROR, RILL_PERIODIC, RILL_WALL},
                                          {RILL_WALL, RILL_MIRROR, RILL_PERIODIC},
                                          {RILL_PERIODIC, RILL_MIRROR, RILL_MIRROR}};
    static const uint32_t threshold[4] = {140, 100, 200, 250}; /* of 1000 */
    uint64_t seed = 2;
    omp_set_num_threads(3);
    for (int k = 0; k < 4; k++) {
        rill_geom *g = make(sizes[k][0], sizes[k][1], sizes[k][2], sides[k]);
        cr_assert_gt(rill_geom_voxels(g), (uint64_t)1 << 20);
        for (uint64_t v = 0; v < rill_geom_voxels(g); v++)
            g->voxels[v] = random_next(&seed) % 1000 < threshold[k] ? RILL_FLUID : RILL_SOLID;
        check(g, (rill_lattice)(k % 3), (rill_keep_kind)(k % 3), -1);
        rill_geom_destroy(g);
    }
}

static rill_components label_through(rill_geom *g, rill_keep_kind keep, int axis, unsigned contacts)
{
    rill_components c;
    cr_assert_eq(rill_components_clean(g, keep, axis, contacts, (rill_progress){0}, &c), RILL_OK, "%s",
                 rill_error_message());
    return c;
}

static rill_components label(rill_geom *g, rill_keep_kind keep, int axis)
{
    return label_through(g, keep, axis, RILL_CONTACT_FACES);
}

/* A way that enters at the low x face, turns around itself seven times and ends inside; and a straight one.
 */
Test(components, spiral)
{
    enum { N = 31 };
    rill_geom *g = make(N, N, 2, (const rill_side[3]){RILL_WALL, RILL_WALL, RILL_WALL});
    int x = 0, y = 1, dx = 1, dy = 0;
    uint64_t length = 1;
    g->voxels[at(g, 0, 1, 0)] = RILL_FLUID;
    for (int turns = 0; turns < 2;) {
        const int fx = x + 2 * dx, fy = y + 2 * dy;
        const bool blocked =
            x + dx < 1 || x + dx >= N - 1 || y + dy < 1 || y + dy >= N - 1 ||
            (fx >= 0 && fx < N && fy >= 0 && fy < N && g->voxels[at(g, (uint32_t)fx, (uint32_t)fy, 0)]);
        if (blocked) {
            const int turned = dx;
            dx = -dy;
            dy = turned;
            turns++;
            continue;
        }
        turns = 0;
        x += dx;
        y += dy;
        g->voxels[at(g, (uint32_t)x, (uint32_t)y, 0)] = RILL_FLUID;
        length++;
    }
    cr_assert_gt(length, 400u, "the spiral is only %llu long", (unsigned long long)length);
    rill_components c = label(g, RILL_KEEP_PERCOLATING, -1);
    cr_assert_eq(c.components, 1u);
    cr_assert_eq(c.porosity.connected, c.porosity.total);
    cr_assert_eq(c.dropped, length, "z has two layers and the spiral lies in one");

    for (uint32_t i = 0; i < N; i++) g->voxels[at(g, i, 5, 1)] = RILL_FLUID;
    c = label(g, RILL_KEEP_PERCOLATING, 0);
    cr_assert_eq(c.components, 1u);
    cr_assert_eq(c.kept, 1u);
    cr_assert_eq(rill_geom_fluid(g), N);
    cr_assert_eq(label(g, RILL_KEEP_PERCOLATING, 1).dropped, N, "nothing conducts along y");
    rill_geom_destroy(g);
}

/* Staircases: each step of one voxel right and one up, so that the ends meet after going around both axes. */
Test(components, winding)
{
    const rill_side periodic[3] = {RILL_PERIODIC, RILL_PERIODIC, RILL_WALL};
    rill_geom *g = make(8, 8, 1, periodic);
    for (uint32_t i = 0; i < 8; i++)
        g->voxels[at(g, i, i, 0)] = g->voxels[at(g, (i + 1) % 8, i, 0)] = RILL_FLUID;
    rill_components c = label(g, RILL_KEEP_ALL, -1);
    cr_assert_eq(c.components, 1u);
    cr_assert_eq(c.porosity.percolating[0], c.porosity.total);
    cr_assert_eq(c.porosity.percolating[1], c.porosity.total);
    rill_geom_destroy(g);

    /* It reaches both x faces, but in rows that do not meet across the side: dead, unless the side mirrors.
     */
    g = make(8, 8, 1, periodic);
    for (uint32_t i = 0; i < 4; i++) g->voxels[at(g, i, 2, 0)] = g->voxels[at(g, 4 + i, 5, 0)] = RILL_FLUID;
    for (uint32_t y = 2; y <= 5; y++) g->voxels[at(g, 3, y, 0)] = RILL_FLUID;
    c = label(g, RILL_KEEP_ALL, -1);
    cr_assert_eq(c.components, 1u);
    cr_assert_eq(c.porosity.percolating[0], 0.);
    cr_assert_eq(c.spanning[0], c.porosity.total);
    cr_assert_eq(c.spanning[1], 0.);
    g->sides[0] = RILL_MIRROR;
    cr_assert_eq(label(g, RILL_KEEP_ALL, -1).porosity.percolating[0], c.porosity.total);
    g->sides[0] = RILL_PERIODIC;
    cr_assert_eq(label(g, RILL_KEEP_PERCOLATING, 0).dropped, 11u);
    cr_assert_eq(rill_geom_fluid(g), 0u);
    rill_geom_destroy(g);

    /* It leaves through the high x face and comes back through it: a way that winds nowhere. */
    g = make(6, 5, 1, periodic);
    for (uint32_t y = 1; y <= 3; y++) g->voxels[at(g, 0, y, 0)] = RILL_FLUID;
    g->voxels[at(g, 5, 1, 0)] = g->voxels[at(g, 5, 3, 0)] = RILL_FLUID;
    c = label(g, RILL_KEEP_ALL, -1);
    cr_assert_eq(c.components, 1u);
    cr_assert_eq(c.porosity.percolating[0], 0.);
    cr_assert_eq(c.porosity.connected, c.porosity.total);
    rill_geom_destroy(g);

    /* A helix: one turn around y while it goes once along x; it needs the y side to conduct along x. */
    g = make(8, 4, 1, periodic);
    for (uint32_t x = 0; x < 8; x++) g->voxels[at(g, x, x / 2, 0)] = RILL_FLUID;
    for (uint32_t x = 2; x < 8; x += 2) g->voxels[at(g, x - 1, x / 2, 0)] = RILL_FLUID;
    c = label(g, RILL_KEEP_ALL, -1);
    cr_assert_eq(c.porosity.percolating[0], 0., "rows 0 and 3 meet at the x side only with a voxel more");
    g->voxels[at(g, 7, 0, 0)] = RILL_FLUID;
    c = label(g, RILL_KEEP_ALL, -1);
    cr_assert_eq(c.porosity.percolating[0], c.porosity.total);
    cr_assert_eq(c.spanning[0], 11. / 32, "voxel 7, 0 is not joined inside the box");
    g->sides[1] = RILL_WALL;
    cr_assert_eq(label(g, RILL_KEEP_ALL, -1).porosity.percolating[0], 0.);
    rill_geom_destroy(g);
}

/* Voxels that meet in edges are connected where the lattice has such links; a layer one voxel thick is its
 * own neighbour. */
Test(components, edges_connect_where_links_lead_through_them)
{
    rill_geom *g = make(6, 6, 6, (const rill_side[3]){RILL_PERIODIC, RILL_PERIODIC, RILL_PERIODIC});
    for (uint32_t z = 0; z < 6; z++)
        for (uint32_t y = 0; y < 6; y++)
            for (uint32_t x = 0; x < 6; x++) g->voxels[at(g, x, y, z)] = (x + y + z) % 2 == 0;
    rill_components c = label(g, RILL_KEEP_ALL, -1);
    cr_assert_eq(c.components, 108u);
    cr_assert_eq(c.porosity.percolating[2], 0.);
    c = label_through(g, RILL_KEEP_ALL, -1, rill_contacts_of(RILL_D3Q19));
    cr_assert_eq(c.components, 1u);
    cr_assert_eq(c.porosity.percolating[2], 0.5);
    cr_assert_eq(c.porosity.contacts, RILL_CONTACT_FACES | RILL_CONTACT_EDGES);
    c = label_through(g, RILL_KEEP_ALL, -1, rill_contacts_of(RILL_D3Q15));
    cr_assert_eq(c.components, 108u, "corners lead to voxels of the other colour, which are solid");
    memset(g->voxels, RILL_FLUID, 216);
    c = label(g, RILL_KEEP_PERCOLATING, 1);
    cr_assert_eq(c.components, 1u);
    cr_assert_eq(c.porosity.percolating[1], 1.);
    memset(g->voxels, RILL_SOLID, 216);
    c = label(g, RILL_KEEP_PERCOLATING, 1);
    cr_assert_eq(c.components, 0u);
    cr_assert_eq(c.porosity.total, 0.);
    rill_geom_destroy(g);

    g = make(3, 3, 1, (const rill_side[3]){RILL_WALL, RILL_WALL, RILL_PERIODIC});
    g->voxels[4] = RILL_FLUID;
    c = label(g, RILL_KEEP_PERCOLATING, 2);
    cr_assert_eq(c.porosity.percolating[2], 1. / 9);
    cr_assert_eq(c.dropped, 0u);
    rill_geom_destroy(g);
}

/* Memory that is not there is said, not taken. */
Test(components, too_little_memory)
{
    rill_geom *g = make(64, 64, 64, (const rill_side[3]){RILL_PERIODIC, RILL_PERIODIC, RILL_PERIODIC});
    for (uint64_t v = 0; v < rill_geom_voxels(g); v++) g->voxels[v] = v % 2;
    rill_components c;
    setenv("RILL_MEMORY", "100kB", 1);
    cr_assert_eq(rill_components_clean(g, RILL_KEEP_ALL, -1, RILL_CONTACT_FACES, (rill_progress){0}, &c),
                 RILL_SYSTEM);
    cr_assert(strstr(rill_error_message(), "labelling"), "%s", rill_error_message());
    unsetenv("RILL_MEMORY");
    rill_geom_destroy(g);
}
