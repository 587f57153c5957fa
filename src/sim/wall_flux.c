/* SPDX-License-Identifier: Apache-2.0 */
/* Finds how fluxes between nodes at a wall are corrected. */
#include "sim/wall_flux.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/follow.h"
#include "kernel/boundary/walls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the change that makes a flux balance what its two nodes gain: nodes have several fluxes. With 1 in place
 * of it the L2 error of the wall shear of a pipe along (1, 2, 2), 20 cells across, is 1.15 % in place of 0.93
 * %. */
#define SHARE 0.6

/* Largest correction, so that a factor is far from -1, where the flux would be reversed. */
#define LIMIT 0.25

/* Smallest distance of a wall, voxels. */
#define NEAR 0.05

uint32_t rill_wall_used(const rill_boundary_node *node, rill_lattice lattice, int i, float q)
{
    const uint32_t used = (uint32_t)lrint(2.0 * RILL_WALL_HALF * (double)q);
    return used < RILL_WALL_HALF && rill_boundary_at_wall(node, lattice, rill_opposite(i)) ? RILL_WALL_HALF
                                                                                           : used;
}

/* The wall beside a node. */
typedef struct beside {
    double distance; /* 0: its links are half-way */
    double gain[3];  /* of mass, where the velocity grows by 1 per voxel in a direction along the wall */
} beside;

/* Work on a boundary. */
typedef struct maker {
    rill_boundary *b;
    uint64_t *first; /* [count], number of a node's first link */
    beside *beside;  /* [count] */
} maker;

static int order(const void *a, const void *b)
{
    const uint32_t *x = ((const rill_boundary_node *)a)->x, *y = ((const rill_boundary_node *)b)->x;
    for (int k = 2; k >= 0; k--)
        if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    return 0;
}

/* Return the node of the boundary at x + d, NULL where there is none.
 * @param[out] mirrored  bit a: it is seen across a mirrored boundary normal to axis a */
static const rill_boundary_node *neighbour(const rill_boundary *b, const rill_boundary_node *node,
                                           const int d[3], unsigned *mirrored)
{
    rill_boundary_node key = {.node = 0};
    if (node->solid & rill_boundary_bit(d)) return NULL;
    const rill_link_end end = rill_follow(b->domain->geom, node->x, d);
    memcpy(key.x, end.x, sizeof key.x);
    *mirrored = end.mirrored;
    return bsearch(&key, b->nodes, b->count, sizeof key, order);
}

/* Sums over points where links cross the wall. */
typedef struct points {
    double count, sum[3], squares[3][3];
} points;

static void points_add(const maker *m, const rill_boundary_node *node, const int d[3], unsigned mirrored,
                       points *p)
{
    const int lattice = (int)m->b->domain->lattice;
    const float *q = m->b->q + m->first[node - m->b->nodes];
    for (int i = 1; i < rill_q(lattice); i++) {
        double x[3];
        if (!(node->links >> i & 1)) continue;
        for (int a = 0; a < 3; a++)
            x[a] = d[a] - (mirrored >> a & 1 ? -1 : 1) * (double)*q * rill_c(lattice, i, a);
        for (int a = 0; a < 3; a++) p->sum[a] += x[a];
        for (int a = 0; a < 9; a++) p->squares[a / 3][a % 3] += x[a / 3] * x[a % 3];
        p->count++;
        q++;
    }
}

/* Replace a symmetric matrix by that of its cofactors, whose largest eigenvalue belongs to the eigenvector of
 * the smallest one. */
static void cofactors(double m[3][3])
{
    double c[3][3], largest = 0;
    for (int a = 0; a < 9; a++) {
        const int i = a / 3, j = a % 3, i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3,
                  j2 = (j + 2) % 3;
        c[i][j] = m[i1][j1] * m[i2][j2] - m[i1][j2] * m[i2][j1];
        largest = fmax(largest, fabs(c[i][j]));
    }
    for (int a = 0; a < 9; a++) m[a / 3][a % 3] = largest > 0 ? c[a / 3][a % 3] / largest : 0;
}

static void square(double m[3][3])
{
    double s[3][3] = {{0}};
    for (int a = 0; a < 27; a++) s[a / 9][a % 3] += m[a / 9][a / 3 % 3] * m[a / 3 % 3][a % 3];
    memcpy(m, s, sizeof s);
}

/* Return the normal of the plane that fits where links around a node cross the wall, to the fluid.
 * @return whether there is one */
static bool normal_of(const maker *m, const rill_boundary_node *node, double normal[3])
{
    points p = {.count = 0};
    const int lattice = (int)m->b->domain->lattice;
    double inward[3] = {0}, longest = 0, along = 0;
    int best = 0;
    for (int k = 0; k < 27; k++) {
        const int d[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        unsigned mirrored = 0;
        const rill_boundary_node *other = k == 13 ? node : neighbour(m->b, node, d, &mirrored);
        if (other) points_add(m, other, d, mirrored, &p);
    }
    for (int a = 0; a < 9; a++)
        p.squares[a / 3][a % 3] =
            p.squares[a / 3][a % 3] / p.count - p.sum[a / 3] / p.count * (p.sum[a % 3] / p.count);
    cofactors(p.squares);
    for (int k = 0; k < 4; k++) square(p.squares);
    for (int a = 0; a < 3; a++)
        if (p.squares[a][a] > p.squares[best][best]) best = a;
    for (int a = 0; a < 3; a++) longest += p.squares[best][a] * p.squares[best][a];
    for (int i = 1; i < rill_q(lattice); i++)
        for (int a = 0; a < 3 && node->links >> i & 1; a++) inward[a] += rill_c(lattice, i, a);
    for (int a = 0; a < 3; a++) along += inward[a] * p.squares[best][a];
    if (!(longest > 1e-6) || along == 0) return false;
    for (int a = 0; a < 3; a++) normal[a] = p.squares[best][a] / copysign(sqrt(longest), along);
    return true;
}

/* Find the wall beside node k. In a flow along the wall that grows with the distance from it, link i gains
 * 6 w_i (q - 1/2) (n · c_i) c_i · u, where u is the growth per voxel. */
static beside look(const maker *m, uint64_t k)
{
    beside found = {.distance = 0};
    const rill_boundary_node *node = &m->b->nodes[k];
    const int lattice = (int)m->b->domain->lattice;
    const float *q = m->b->q + m->first[k];
    double normal[3], cubes = 0, squares = 0, out = 0;
    bool listed = false;
    if (!normal_of(m, node, normal)) return found;
    for (int i = 1; i < rill_q(lattice); i++) {
        double across = 0;
        if (!(node->links >> i & 1)) continue;
        const uint32_t used = rill_wall_used(node, m->b->domain->lattice, i, *q++);
        const double part = (double)used / (2.0 * RILL_WALL_HALF);
        listed |= used != RILL_WALL_HALF;
        for (int a = 0; a < 3; a++) across += normal[a] * rill_c(lattice, i, a);
        for (int a = 0; a < 3; a++)
            found.gain[a] += 6 * rill_w(lattice, i) * (part - 0.5) * across * rill_c(lattice, i, a);
        cubes += part * across * across * across;
        squares += across * across;
    }
    for (int a = 0; a < 3; a++) out += found.gain[a] * normal[a];
    for (int a = 0; a < 3; a++) found.gain[a] -= out * normal[a];
    if (listed) found.distance = fmax(squares > 0 ? cubes / squares : 0, NEAR);
    return found;
}

/* Find the factors of a node: the same for both ends of a link, to the last bit. Across a mirrored boundary
 * there is none: nothing flows there, but for boundaries normal to the flow. */
static void correct(const maker *m, uint64_t k)
{
    const rill_boundary_node *node = &m->b->nodes[k];
    const beside *own = &m->beside[k];
    const int lattice = (int)m->b->domain->lattice;
    for (int i = 1; i <= RILL_WALL_FLUXES && own->distance > 0; i++) {
        const int d[3] = {-rill_c(lattice, i, 0), -rill_c(lattice, i, 1), -rill_c(lattice, i, 2)};
        unsigned mirrored = 0;
        const rill_boundary_node *at = neighbour(m->b, node, d, &mirrored);
        const beside *other = at && !mirrored ? &m->beside[at - m->b->nodes] : NULL;
        double less = 0;
        if (!other || !(other->distance > 0)) continue;
        for (int a = 0; a < 3; a++) less += d[a] * (own->gain[a] - other->gain[a]);
        const double factor = SHARE * less * (own->distance + other->distance) / (12 * rill_w(lattice, i));
        m->b->fluxes[k][i - 1] = (float)fmax(-LIMIT, fmin(LIMIT, factor));
    }
}

rill_status rill_wall_flux_make(rill_boundary *b)
{
    rill_status status = RILL_OK;
    maker m = {.b = b};
    uint64_t links = 0;
    RILL_TRY(rill_array_create(b->count, sizeof *m.first, "wall links", (void **)&m.first));
    RILL_TRY(rill_array_create(b->count, sizeof *m.beside, "wall links", (void **)&m.beside));
    RILL_TRY(rill_array_create(b->count, sizeof *b->fluxes, "wall links", (void **)&b->fluxes));
    for (uint64_t k = 0; k < b->count; k++) {
        m.first[k] = links;
        links += (uint64_t)__builtin_popcount(b->nodes[k].links);
        memset(b->fluxes[k], 0, sizeof b->fluxes[k]);
    }
#pragma omp parallel for schedule(static)
    for (uint64_t k = 0; k < b->count; k++) m.beside[k] = look(&m, k);
#pragma omp parallel for schedule(static)
    for (uint64_t k = 0; k < b->count; k++) correct(&m, k);
done:
    rill_array_destroy(m.first);
    rill_array_destroy(m.beside);
    return status;
}
