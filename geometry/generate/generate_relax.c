/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spheres that do not overlap: from random positions, spheres that overlap push each other apart until none
 * do, up to the density of random close packing. The force-biased algorithm (Mościński et al. 1989,
 * doi:10.1080/08927028908031373; Bezrukov, Bargieł & Stoyan 2002) with its two diameters: pairs repel
 * while they are nearer than the outer one, and the end has come when all are farther than the inner,
 * true one. Its outer diameter is held here, and displacements carry momentum (Polyak 1964), which
 * saves most of the sweeps near jamming.
 *
 * All displacements of a sweep come from the same positions, each sphere sums its own in the order of
 * the cells, and only minima are reduced: the result does not depend on the number of threads.
 */
#include "core/memory.h"
#include "core/status.h"
#include "geometry/generate/generate_priv.h"

#include <math.h>
#include <string.h>

enum { max_sweeps = 20000 };

/* Share of a pair's overlap by which each of the two moves in a sweep, and share of the last move kept. */
static const double step = 0.15, memory = 0.95;

/* Random packings of equal spheres jam near 0.64 (Scott & Kilgour 1969): the outer diameter stays below.
   Unequal spheres can be denser than `dense`: their outer diameter is that of a pack denser by `room`. */
static const double jammed = 0.634, dense = 0.625, room = 0.014, widest = 1.05;

/** A sphere on its way. */
typedef struct mover {
    rill_sphere sphere;
    double velocity[3];
} mover;

/** Spheres in the order of the cells of a grid that are no narrower than any pair's reach. */
typedef struct grid {
    double n[3];      /* the box */
    int64_t cells[3]; /* along each axis */
    uint64_t *start;  /* [cells + 1], first sphere of each cell */
    uint64_t count;
    mover *now, *next; /* [count] each */
    double outer;      /* outer over true diameter */
} grid;

static uint64_t cell_count(const grid *g) { return (uint64_t)(g->cells[0] * g->cells[1] * g->cells[2]); }

static int64_t cell_along(const grid *g, int a, double position)
{
    const int64_t c = (int64_t)(position / g->n[a] * (double)g->cells[a]);
    return c < g->cells[a] ? c : g->cells[a] - 1;
}

static uint64_t cell_of(const grid *g, const double p[3])
{
    return (uint64_t)((cell_along(g, 2, p[2]) * g->cells[1] + cell_along(g, 1, p[1])) * g->cells[0] +
                      cell_along(g, 0, p[0]));
}

/** Return the volume of the outer spheres over that of the true ones, at most. */
static double grow_by(const uint32_t n[3], double volume)
{
    const double density = volume / n[0] / n[1] / n[2];
    return density > dense ? 1 + room / density : jammed * n[0] * n[1] * n[2] / volume;
}

static rill_status grid_create(const uint32_t n[3], const rill_sphere *spheres, uint64_t count, grid *g)
{
    rill_status status = RILL_OK;
    double radius = 0, volume = 0;
    for (uint64_t i = 0; i < count; i++) {
        const double r = spheres[i].radius;
        radius = r > radius ? r : radius;
        volume += 4 * M_PI / 3 * r * r * r;
    }
    const double growth = grow_by(n, volume);
    *g = (grid){.count = count, .outer = 1};
    while (g->outer < widest && g->outer * g->outer * g->outer < growth) g->outer += 1e-3;
    double edge = 2 * radius * g->outer;
    do {
        for (int a = 0; a < 3; a++) {
            g->n[a] = n[a];
            g->cells[a] = (int64_t)(n[a] / edge);
            if (g->cells[a] < 1) g->cells[a] = 1;
        }
        edge *= 1.25;
    } while (cell_count(g) > 2 * count + 27);
    RILL_TRY(rill_array_create(cell_count(g) + 1, sizeof *g->start, "cells of spheres", (void **)&g->start));
    RILL_TRY(rill_array_create(count, sizeof *g->now, "moving spheres", (void **)&g->now));
    RILL_TRY(rill_array_create(count, sizeof *g->next, "moving spheres", (void **)&g->next));
    for (uint64_t i = 0; i < count; i++) g->now[i] = (mover){.sphere = spheres[i]};
done:
    return status;
}

static void grid_destroy(grid *g)
{
    rill_array_destroy(g->next);
    rill_array_destroy(g->now);
    rill_array_destroy(g->start);
}

/** Bring the spheres into the order of their cells. */
static void sort(grid *g)
{
    const uint64_t cells = cell_count(g);
    memset(g->start, 0, (cells + 1) * sizeof *g->start);
    for (uint64_t i = 0; i < g->count; i++) g->start[cell_of(g, g->now[i].sphere.centre)]++;
    for (uint64_t c = 1; c < cells; c++) g->start[c] += g->start[c - 1];
    for (uint64_t i = g->count; i-- > 0;) /* backwards: start[c] runs from the cell's end to its start */
        g->next[--g->start[cell_of(g, g->now[i].sphere.centre)]] = g->now[i];
    g->start[cells] = g->count;
    mover *const swap = g->now;
    g->now = g->next;
    g->next = swap;
}

/**
 * Add what the spheres of a cell do to sphere i.
 * @param[in,out] push  [3], sum of overlaps times direction
 * @return the smallest distance over the sum of the radii, squared
 */
static double push_from(const grid *g, uint64_t i, uint64_t cell, double push[3])
{
    const rill_sphere *a = &g->now[i].sphere;
    double nearest = INFINITY;
    for (uint64_t j = g->start[cell]; j < g->start[cell + 1]; j++) {
        const rill_sphere *b = &g->now[j].sphere;
        double d[3], square = 0;
        for (int k = 0; k < 3; k++) {
            d[k] = a->centre[k] - b->centre[k];
            if (d[k] > 0.5 * g->n[k]) d[k] -= g->n[k];
            if (d[k] < -0.5 * g->n[k]) d[k] += g->n[k];
            square += d[k] * d[k];
        }
        const double touch = a->radius + b->radius, outer = touch * g->outer;
        if (square >= outer * outer || j == i) continue;
        const double ratio = square / (touch * touch), distance = sqrt(square);
        nearest = ratio < nearest ? ratio : nearest;
        if (distance > 0)
            for (int k = 0; k < 3; k++) push[k] += (outer - distance) / distance * d[k];
        else
            push[0] += i < j ? outer : -outer;
    }
    return nearest;
}

/** Add what the 27 cells around sphere i do to it: fewer where the box has fewer than three along an axis. */
static double push_on(const grid *g, uint64_t i, double push[3])
{
    int64_t from[3], width[3];
    for (int a = 0; a < 3; a++) {
        width[a] = g->cells[a] < 3 ? g->cells[a] : 3;
        from[a] = cell_along(g, a, g->now[i].sphere.centre[a]) + g->cells[a] - 1;
    }
    double nearest = INFINITY;
    for (int64_t z = 0; z < width[2]; z++)
        for (int64_t y = 0; y < width[1]; y++)
            for (int64_t x = 0; x < width[0]; x++) {
                const int64_t cx = (from[0] + x) % g->cells[0], cy = (from[1] + y) % g->cells[1];
                const int64_t cz = (from[2] + z) % g->cells[2];
                const double near =
                    push_from(g, i, (uint64_t)((cz * g->cells[1] + cy) * g->cells[0] + cx), push);
                nearest = near < nearest ? near : nearest;
            }
    return nearest;
}

/** Move every sphere once. @return the smallest distance over the sum of the radii before, squared */
static double sweep(grid *g)
{
    double nearest = INFINITY;
#pragma omp parallel for schedule(static) reduction(min : nearest) if (g->count > 4096)
    for (uint64_t i = 0; i < g->count; i++) {
        double push[3] = {0};
        const double near = push_on(g, i, push);
        nearest = near < nearest ? near : nearest;
        mover m = g->now[i];
        for (int k = 0; k < 3; k++) {
            m.velocity[k] = memory * m.velocity[k] + step * push[k];
            double p = m.sphere.centre[k] + m.velocity[k];
            p -= floor(p / g->n[k]) * g->n[k];
            m.sphere.centre[k] = p < g->n[k] ? p : 0;
        }
        g->next[i] = m;
    }
    return nearest;
}

rill_status rill_generate_relax(const uint32_t n[3], rill_sphere *spheres, uint64_t count)
{
    rill_status status = RILL_OK;
    grid g = {0};
    RILL_TRY(grid_create(n, spheres, count, &g));
    for (int sweeps = 0;; sweeps++) {
        if (sweeps == max_sweeps)
            RILL_TRY(
                rill_fail(RILL_NUMERICS,
                          "%d sweeps did not separate the %llu spheres: raise --porosity or change --seed",
                          max_sweeps, (unsigned long long)count));
        sort(&g);
        if (sweep(&g) >= 1) break; /* the positions before this sweep, still in g.now */
        mover *const swap = g.now;
        g.now = g.next;
        g.next = swap;
    }
    for (uint64_t i = 0; i < count; i++) spheres[i] = g.now[i].sphere;
done:
    grid_destroy(&g);
    return status;
}
