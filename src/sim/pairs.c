/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of links that reflect into each other. Geometry only. */
#include "sim/pairs.h"

#include "geometry/voxels/follow.h"

#include <math.h>
#include <string.h>

#define OBLIQUE 0.05 /* tangent of the angle between a plane and the lattice's that counts */

/* The plane of a pressure boundary; sign 0 when it is not along the lattice. */
typedef struct plane {
    int axis, sign; /* of the velocities that come in */
} plane;

static plane plane_of(const rill_boundary *b)
{
    const int lattice = (int)b->domain->lattice;
    double sum[3] = {0, 0, 0};
    for (uint64_t k = 0; k < b->count; k++)
        for (int i = 1; i < rill_q(lattice); i++)
            for (int a = 0; a < 3 && b->nodes[k].links >> i & 1; a++)
                sum[a] += rill_w(lattice, i) * rill_c(lattice, i, a);
    plane p = {0, 0};
    for (int a = 1; a < 3; a++)
        if (fabs(sum[a]) > fabs(sum[p.axis])) p.axis = a;
    /* Terraces of an oblique plane would reflect flow that runs along its normal: no link has a partner
     * there. */
    const double aside = hypot(sum[(p.axis + 1) % 3], sum[(p.axis + 2) % 3]);
    if (aside < OBLIQUE * fabs(sum[p.axis])) p.sign = (sum[p.axis] > 0) - (sum[p.axis] < 0);
    return p;
}

static int velocity_of(int lattice, const int c[3])
{
    for (int i = 0; i < rill_q(lattice); i++)
        if (rill_c(lattice, i, 0) == c[0] && rill_c(lattice, i, 1) == c[1] && rill_c(lattice, i, 2) == c[2])
            return i;
    return -1; /* D3Q15 has no edges */
}

/* Return the node of the boundary at a voxel, or its count; nodes are sorted by z, y, x. */
static uint64_t node_at(const rill_boundary *b, const uint32_t x[3])
{
    uint64_t low = 0, high = b->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const uint32_t *at = b->nodes[middle].x;
        const bool before = at[2] != x[2] ? at[2] < x[2] : at[1] != x[1] ? at[1] < x[1] : at[0] < x[0];
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low < b->count && memcmp(b->nodes[low].x, x, sizeof b->nodes[low].x) == 0 ? low : b->count;
}

typedef enum partner { PARTNER, ALONE, AT_WALL } partner;

/* Find the partner (node *to, velocity *back) of link i of node k. */
static partner partner_find(const rill_boundary *b, plane p, uint64_t k, int i, uint64_t *to, int *back)
{
    const int lattice = (int)b->domain->lattice;
    const rill_boundary_node *node = &b->nodes[k];
    int t[3], minus[3], c[3];
    for (int a = 0; a < 3; a++) t[a] = a == p.axis ? 0 : rill_c(lattice, i, a), minus[a] = -t[a];
    if (rill_c(lattice, i, p.axis) * p.sign <= 0) return ALONE;
    const rill_link_end end = rill_follow(b->domain->geom, node->x, minus);
    if (node->solid & rill_boundary_bit(minus)) {
        const int sideways = velocity_of(lattice, t);
        return sideways > 0 && node->links >> sideways & 1 ? ALONE : AT_WALL;
    }
    for (int a = 0; a < 3; a++)
        c[a] = a == p.axis ? rill_c(lattice, i, a) : end.mirrored >> a & 1 ? t[a] : -t[a];
    *to = node_at(b, end.x);
    *back = velocity_of(lattice, c);
    return *to < b->count && b->nodes[*to].links >> *back & 1 ? PARTNER : ALONE;
}

void rill_pairs_make(const rill_boundary *b, rill_patch_pair *pairs, uint64_t *count, uint32_t *links)
{
    const int q = rill_q((int)b->domain->lattice);
    const bool pressure = b->kind == RILL_BOUNDARY_PRESSURE;
    const plane p = pressure ? plane_of(b) : (plane){0, 0};
    uint64_t made = 0;
    for (uint64_t k = 0; k < b->count; k++) {
        links[k] = b->nodes[k].links;
        for (int i = 1; i < q; i++) {
            if (!(b->nodes[k].links >> i & 1)) continue;
            uint64_t to = k;
            int back = i;
            const partner found = pressure ? partner_find(b, p, k, i, &to, &back) : ALONE;
            if (found == AT_WALL) links[k] &= ~(1u << i);
            if (found == ALONE) to = k, back = i;
            if (found == AT_WALL || to < k || (to == k && back < i)) continue; /* a wall's, or made already */
            pairs[made++] = (rill_patch_pair){{b->nodes[k].node, b->nodes[to].node},
                                              {(uint32_t)k, (uint32_t)to},
                                              {(uint8_t)i, (uint8_t)back},
                                              (uint8_t)(found == PARTNER ? p.axis : 3)};
        }
    }
    *count = made;
}
