/* SPDX-License-Identifier: Apache-2.0 */
/* Makes boundaries from cuts: links that know how far away the wall is. */
#include "sim/boundary.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/follow.h"
#include "sim/wall_flux.h"

#include <stdlib.h>

int rill_boundary_direction(rill_lattice lattice, int i)
{
    for (int j = 1; j < rill_q((int)lattice); j++) {
        bool same = true;
        for (int a = 0; a < 3; a++) same &= rill_c((int)lattice, j, a) == rill_c(RILL_D3Q27, i, a);
        if (same) return j;
    }
    return 0;
}

static rill_status cut_check(const rill_domain *domain, const rill_cut *cuts, uint64_t k)
{
    const rill_cut *cut = &cuts[k];
    if (cut->node >= domain->nodes)
        return rill_fail(
            RILL_USAGE,
            "cut %llu is at node %u, but the domain has %llu: take those of the geometry that the domain was made of",
            (unsigned long long)k, cut->node, (unsigned long long)domain->nodes);
    if (cut->direction < 1 || cut->direction >= RILL_Q_MAX || !(cut->q >= 0 && cut->q <= 1))
        return rill_fail(RILL_USAGE,
                         "cut %llu is along direction %d at q = %g: directions are 1 to %d, q 0 to 1",
                         (unsigned long long)k, cut->direction, (double)cut->q, RILL_Q_MAX - 1);
    if (k > 0 &&
        (cut->node < cut[-1].node || (cut->node == cut[-1].node && cut->direction <= cut[-1].direction)))
        return rill_fail(RILL_USAGE,
                         "cut %llu does not come behind the one before: sort them by node, then direction",
                         (unsigned long long)k);
    return RILL_OK;
}

/* Find the voxel of a node in plane x[2]: in the last word of it whose first node is not behind the node. */
static void voxel_of(const rill_layers *layers, rill_node node, uint32_t x[3])
{
    const rill_numbering *numbering = &layers->numbering;
    const size_t words = numbering->row_words * numbering->n[1],
                 first = rill_layers_plane(layers, x[2]) * words;
    size_t low = first, high = first + words;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (numbering->base[middle] <= node)
            low = middle;
        else
            high = middle;
    }
    const size_t row = (low - first) / numbering->row_words;
    uint64_t left = numbering->occupied[low];
    for (rill_node before = numbering->base[low]; before < node; before++) left &= left - 1;
    x[0] = (uint32_t)(low % numbering->row_words * 64) + (uint32_t)__builtin_ctzll(left);
    x[1] = (uint32_t)row;
}

/* List the nodes of cuts, in whose order they are. */
static rill_status nodes_list(rill_boundary *b, const rill_cut *cuts, uint64_t count, const int *directions)
{
    rill_status status = RILL_OK;
    const rill_domain *domain = b->domain;
    rill_layers layers = {.first = 0};
    rill_boundary_node node = {.links = 0};
    for (uint64_t k = 0; k < count; k++) {
        const int i = directions[cuts[k].direction];
        if (k == 0 || cuts[k].node != cuts[k - 1].node) {
            node.node = cuts[k].node;
            while (domain->numbering.before[node.x[2] + 1] <= node.node) node.x[2]++;
            RILL_TRY(rill_layers_see(domain, node.x[2], 1, &layers));
            voxel_of(&layers, node.node, node.x);
            rill_boundary_look(domain, &layers, &node);
        }
        if (!i) continue;
        if (!rill_boundary_at_wall(&node, domain->lattice, i))
            RILL_TRY(rill_fail(
                RILL_USAGE,
                "cut %llu lies between two fluid voxels, from (%u, %u, %u) on: cuts belong on links to solid ones",
                (unsigned long long)k, node.x[0], node.x[1], node.x[2]));
        if (b->count == 0 || b->nodes[b->count - 1].node != node.node) b->nodes[b->count++] = node;
        b->nodes[b->count - 1].links |= 1u << i;
        b->q[b->links++] = cuts[k].q;
    }
done:
    rill_layers_free(&layers);
    return status;
}

rill_status rill_boundary_create_cuts(const rill_domain *domain, const rill_cut *cuts, uint64_t count,
                                      rill_boundary **out)
{
    rill_status status = RILL_OK;
    int directions[RILL_Q_MAX] = {0};
    uint64_t nodes = 0;
    rill_boundary *b = NULL;
    RILL_TRY(rill_numbering_check_32(domain->nodes, "boundary conditions"));
    b = calloc(1, sizeof *b);
    if (!b) return rill_fail(RILL_SYSTEM, "out of memory for a boundary");
    b->domain = domain;
    b->interpolated = true;
    for (int i = 1; i < RILL_Q_MAX; i++) directions[i] = rill_boundary_direction(domain->lattice, i);
    for (uint64_t k = 0; k < count; k++) {
        RILL_TRY(cut_check(domain, cuts, k));
        nodes += k == 0 || cuts[k].node != cuts[k - 1].node;
    }
    b->nodes = calloc(nodes ? nodes : 1, sizeof *b->nodes);
    if (!b->nodes) {
        status = rill_fail(RILL_SYSTEM, "out of memory for the wall links of %llu nodes",
                           (unsigned long long)nodes);
        goto done;
    }
    RILL_TRY(rill_array_create(count, sizeof *b->q, "wall links", (void **)&b->q));
    RILL_TRY(nodes_list(b, cuts, count, directions));
    if (b->links == 0)
        status = rill_fail(RILL_USAGE,
                           "none of %llu cuts is along a direction of the lattice: a boundary needs links",
                           (unsigned long long)count);
    if (status == RILL_OK) status = rill_wall_flux_make(b);
    if (status == RILL_OK) {
        *out = b;
        b = NULL;
    }
done:
    rill_boundary_destroy(b);
    return status;
}

/* Find the nodes at x + c_i and x + 2 c_i if both are, on this side of mirrored boundaries. */
static void next_of(const rill_domain *domain, const rill_layers *layers, const rill_boundary_node *node,
                    int i, rill_node *next, rill_node *after)
{
    const int back = rill_opposite(i);
    rill_link_end end = {.x = {node->x[0], node->x[1], node->x[2]}};
    rill_node found[2];
    *next = *after = RILL_UPSTREAM_WALL;
    for (int k = 0; k < 2; k++) {
        const uint32_t x[3] = {end.x[0], end.x[1], end.x[2]};
        end = rill_follow_link(domain->geom, domain->lattice, x, back);
        if (end.wall || end.mirrored || !rill_layers_has(layers, end.x[0], end.x[1], end.x[2])) return;
        found[k] = rill_layers_node(layers, end.x[0], end.x[1], end.x[2]);
    }
    *next = found[0];
    *after = found[1];
}

rill_status rill_boundary_set_quadratic(rill_boundary *b)
{
    rill_status status = RILL_OK;
    rill_layers layers = {.first = 0};
    uint64_t to = 0;
    if (!b->interpolated || b->next)
        return rill_fail(RILL_USAGE, "only links of cuts are interpolated quadratically, and that once");
    RILL_TRY(rill_array_create(b->links, sizeof *b->next, "wall links", (void **)&b->next));
    RILL_TRY(rill_array_create(b->links, sizeof *b->after, "wall links", (void **)&b->after));
    for (uint64_t k = 0; k < b->count; k++) {
        RILL_TRY(rill_layers_see(b->domain, b->nodes[k].x[2], 2, &layers));
        for (int i = 1; i < rill_q((int)b->domain->lattice); i++)
            if (b->nodes[k].links >> i & 1) {
                next_of(b->domain, &layers, &b->nodes[k], i, &b->next[to], &b->after[to]);
                to++;
            }
    }
done:
    if (status != RILL_OK) {
        rill_array_destroy(b->next);
        rill_array_destroy(b->after);
        b->next = b->after = NULL;
    }
    rill_layers_free(&layers);
    return status;
}

void rill_boundary_set_halfway(rill_boundary *boundary) { boundary->interpolated = false; }

void rill_boundary_set_measured(rill_boundary *boundary) { boundary->measured = true; }
