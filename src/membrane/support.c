/* SPDX-License-Identifier: Apache-2.0 */
#include "membrane/support.h"

#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Vertices, and words of marks, that a thread takes at a time. */
enum { VERTICES = 64, WORDS = 1 << 14 };

static const char *const what = "the nodes around membranes";

/* Weight at a distance of r voxels along an axis. */
static double kernel(int width, double r)
{
    r = fabs(r);
    if (width == 2) return r < 1 ? 1 - r : 0;
    if (width == 3) {
        if (r <= 0.5) return (1 + sqrt(1 - 3 * r * r)) / 3;
        return r < 1.5 ? (5 - 3 * r - sqrt(fmax(1 - 3 * (1 - r) * (1 - r), 0))) / 6 : 0;
    }
    if (r <= 1) return (3 - 2 * r + sqrt(1 + 4 * r - 4 * r * r)) / 8;
    return r < 2 ? (5 - 2 * r - sqrt(fmax(-7 + 12 * r - 4 * r * r, 0))) / 8 : 0;
}

rill_stencil rill_stencil_of(int width, const double x[3])
{
    rill_stencil s;
    for (int a = 0; a < 3; a++) {
        const double node = x[a] - 0.5; /* 0 at the first node */
        s.first[a] = (int32_t)(width == 3 ? floor(node + 0.5) - 1 : floor(node) - (width / 2 - 1));
        for (int k = 0; k < width; k++) s.weight[a][k] = kernel(width, node - (s.first[a] + k));
    }
    return s;
}

/* Return the node at offsets from the first of a stencil, RILL_UPSTREAM_WALL in and behind walls. */
static rill_node node_of(const rill_support *support, const rill_stencil *stencil, const int offset[3])
{
    const rill_numbering *numbering = support->numbering;
    uint32_t cell[3];
    for (int a = 0; a < 3; a++) {
        const int64_t n = numbering->n[a], x = stencil->first[a] + (int64_t)offset[a], at = x % n;
        if (!support->open[a] && (x < 0 || x >= n)) return RILL_UPSTREAM_WALL;
        cell[a] = (uint32_t)(at < 0 ? at + n : at);
    }
    return rill_numbering_node(numbering, cell[0], cell[1], cell[2]);
}

/* The nodes that a vertex has any weight at, x first. */
typedef struct nodes {
    int count;
    rill_node node[RILL_KERNEL_MOST * RILL_KERNEL_MOST * RILL_KERNEL_MOST];
    double weight[RILL_KERNEL_MOST * RILL_KERNEL_MOST * RILL_KERNEL_MOST];
} nodes;

static void nodes_of(const rill_support *support, const double x[3], nodes *out)
{
    const int w = support->width;
    const rill_stencil s = rill_stencil_of(w, x);
    out->count = 0;
    for (int k = 0; k < w * w * w; k++) {
        const int at[3] = {k % w, k / w % w, k / w / w};
        const double weight = s.weight[0][at[0]] * s.weight[1][at[1]] * s.weight[2][at[2]];
        const rill_node node = weight > 0 ? node_of(support, &s, at) : RILL_UPSTREAM_WALL;
        if (node == RILL_UPSTREAM_WALL) continue;
        out->node[out->count] = node;
        out->weight[out->count++] = weight;
    }
}

rill_status rill_support_create(const rill_numbering *numbering, const bool open[3], int width,
                                rill_support *out)
{
    rill_status status = RILL_OK;
    rill_support r = {.numbering = numbering, .width = width, .words = (numbering->nodes + 63) / 64};
    if (width < RILL_KERNEL_LEAST || width > RILL_KERNEL_MOST)
        RILL_TRY(rill_fail(RILL_USAGE, "a kernel of %d nodes does not exist: choose 2, 3 or 4", width));
    memcpy(r.open, open, sizeof r.open);
    RILL_TRY(rill_array_create_zero(r.words, sizeof *r.marks, what, (void **)&r.marks));
    RILL_TRY(rill_array_create(r.words, sizeof *r.before, what, (void **)&r.before));
    *out = r;
    r = (rill_support){0};
done:
    rill_support_destroy(&r);
    return status;
}

void rill_support_destroy(rill_support *support)
{
    rill_array_destroy(support->marks);
    rill_array_destroy(support->before);
    rill_array_destroy(support->node);
    rill_array_destroy(support->force);
    rill_array_destroy(support->velocity);
    *support = (rill_support){0};
}

/* What threads work on. */
typedef struct work {
    const rill_support *support;
    const double (*x)[3], (*force)[3];
    double (*velocity)[3], (*felt)[3];
} work;

static void mark(const void *shared, uint64_t first, uint64_t end)
{
    const work *w = shared;
    for (uint64_t v = first; v < end; v++) {
        nodes n;
        nodes_of(w->support, w->x[v], &n);
        for (int k = 0; k < n.count; k++) {
            uint64_t *word = &w->support->marks[n.node[k] / 64];
            const uint64_t bit = (uint64_t)1 << (n.node[k] % 64);
            if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit))
                __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
        }
    }
}

static void list(const void *shared, uint64_t first, uint64_t end)
{
    const rill_support *r = ((const work *)shared)->support;
    for (uint64_t k = first; k < end; k++) {
        rill_node at = r->before[k];
        for (uint64_t left = r->marks[k]; left; left &= left - 1, at++) {
            r->node[at] = (rill_node)(64 * k) + (rill_node)__builtin_ctzll(left);
            memset(r->force[at], 0, sizeof r->force[at]);
            memset(r->velocity[at], 0, sizeof r->velocity[at]);
        }
    }
}

static rill_status room_make(rill_support *r)
{
    rill_status status = RILL_OK;
    if (r->count <= r->room) return RILL_OK;
    rill_array_destroy(r->node);
    rill_array_destroy(r->force);
    rill_array_destroy(r->velocity);
    r->node = NULL;
    r->force = NULL;
    r->velocity = NULL;
    r->room = 0;
    const uint64_t room = r->count + r->count / 4;
    RILL_TRY(rill_array_create(room, sizeof *r->node, what, (void **)&r->node));
    RILL_TRY(rill_array_create(room, sizeof *r->force, what, (void **)&r->force));
    RILL_TRY(rill_array_create(room, sizeof *r->velocity, what, (void **)&r->velocity));
    r->room = room;
done:
    return status;
}

rill_status rill_support_find(rill_support *support, const double (*x)[3], uint64_t count)
{
    rill_status status = RILL_OK;
    const work w = {.support = support, .x = x};
    rill_node before = 0;
    memset(support->marks, 0, support->words * sizeof *support->marks);
    rill_threads_for(count, VERTICES, mark, &w);
    for (uint64_t k = 0; k < support->words; k++) {
        support->before[k] = before;
        before += (rill_node)__builtin_popcountll(support->marks[k]);
    }
    support->count = before;
    RILL_TRY(room_make(support));
    rill_threads_for(support->words, WORDS, list, &w);
done:
    return status;
}

static void spread(const void *shared, uint64_t first, uint64_t end)
{
    const work *w = shared;
    for (uint64_t v = first; v < end; v++) {
        nodes n;
        nodes_of(w->support, w->x[v], &n);
        for (int k = 0; k < n.count; k++) {
            const rill_node at = rill_support_at(w->support, n.node[k]);
            for (int a = 0; a < 3; a++)
                __atomic_fetch_add(&w->support->force[at][a],
                                   (int64_t)llrint(n.weight[k] * w->force[v][a] / RILL_SUPPORT_UNIT),
                                   __ATOMIC_RELAXED);
        }
    }
}

void rill_support_spread(const rill_support *support, const double (*x)[3], const double (*force)[3],
                         uint64_t count)
{
    const work w = {.support = support, .x = x, .force = force};
    rill_threads_for(count, VERTICES, spread, &w);
}

static void interpolate(const void *shared, uint64_t first, uint64_t end)
{
    const work *w = shared;
    for (uint64_t v = first; v < end; v++) {
        nodes n;
        double velocity[3] = {0}, force[3] = {0};
        nodes_of(w->support, w->x[v], &n);
        for (int k = 0; k < n.count; k++) {
            const rill_node at = rill_support_at(w->support, n.node[k]);
            for (int a = 0; a < 3; a++) {
                velocity[a] += n.weight[k] * w->support->velocity[at][a];
                force[a] += n.weight[k] * rill_support_force(w->support, at, a);
            }
        }
        memcpy(w->velocity[v], velocity, sizeof velocity);
        if (w->felt) memcpy(w->felt[v], force, sizeof force);
    }
}

void rill_support_interpolate(const rill_support *support, const double (*x)[3], uint64_t count,
                              double (*velocity)[3], double (*force)[3])
{
    const work w = {.support = support, .x = x, .velocity = velocity, .felt = force};
    rill_threads_for(count, VERTICES, interpolate, &w);
}
