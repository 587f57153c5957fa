/* SPDX-License-Identifier: Apache-2.0 */
/* Where a flow that diverged is worst. */
#include "sim/worst.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/planes.h"

#include <math.h>
#include <string.h>

enum { BATCH = 1 << 16 };

/* A node; `place` in voxels. */
typedef struct seen {
    bool finite;
    double speed, rho, place[3];
} seen;

/* Called for every node. */
typedef void (*seen_fn)(rill_worst *w, const seen *node, double sums[4]);

static void worst_put(rill_worst *w, const seen *node, double size)
{
    w->size = size;
    w->rho = node->rho;
    memcpy(w->place, node->place, sizeof w->place);
}

/* The largest speed, and where those that are not finite are in the mean. */
static void first_look(rill_worst *w, const seen *node, double sums[4])
{
    if (!node->finite) {
        for (int a = 0; a < 3; a++) sums[a] += node->place[a];
        sums[3]++;
        w->finite = false;
    } else if (w->finite && node->speed > w->size)
        worst_put(w, node, node->speed);
}

/* The largest change of density. */
static void dense_look(rill_worst *w, const seen *node, double sums[4])
{
    (void)sums;
    if (node->finite && fabs(node->rho) > w->size) worst_put(w, node, fabs(node->rho));
}

/* The node that is not finite and nearest to the mean; w->size holds the square of its distance. */
static void second_look(rill_worst *w, const seen *node, double sums[4])
{
    double gap = 0;
    if (node->finite) return;
    for (int a = 0; a < 3; a++) gap += pow(node->place[a] - sums[a] / sums[3], 2);
    if (gap < w->size) worst_put(w, node, gap);
}

static rill_status look(rill_sim *sim, const rill_geom *geom, uint64_t nodes, seen_fn see, rill_worst *w,
                        double sums[4])
{
    rill_status status = RILL_OK;
    double *rho = NULL;
    rill_window window = {.geom = geom};
    const uint64_t plane = (uint64_t)geom->n[0] * geom->n[1];
    uint32_t end = 0;
    uint64_t v = 0, seen_voxels = 0; /* behind those of the window */
    RILL_TRY(rill_array_create(4 * BATCH, sizeof *rho, "moments", (void **)&rho));
    for (uint64_t first = 0; first < nodes; first += BATCH) {
        const rill_node count = (rill_node)(nodes - first < BATCH ? nodes - first : BATCH);
        RILL_TRY(rill_sim_moments(sim, first, count, rho, rho + count));
        for (rill_node k = 0; k < count; k++, v++) {
            const double *u = rho + count + k;
            for (;; v++) { /* nodes are in the order of the voxels */
                if (v == seen_voxels && !rill_window_next(&window, &end, &status)) goto done;
                seen_voxels = plane * end;
                if (window.voxels[v - plane * window.first] >= RILL_FLUID) break;
            }
            const double speed =
                sqrt(u[0] * u[0] + u[count] * u[count] + u[2 * (size_t)count] * u[2 * (size_t)count]);
            const seen node = {isfinite(speed) && isfinite(rho[k]),
                               speed,
                               rho[k],
                               {(double)(v % geom->n[0]), (double)(v / geom->n[0] % geom->n[1]),
                                (double)(v / geom->n[0] / geom->n[1])}};
            see(w, &node, sums);
        }
    }
done:
    rill_window_close(&window);
    rill_array_destroy(rho);
    return status;
}

rill_status rill_worst_find(rill_sim *sim, const rill_geom *geom, uint64_t nodes, bool dense, rill_worst *out)
{
    rill_status status = RILL_OK;
    double sums[4] = {0};
    *out = (rill_worst){.finite = true, .size = -1};
    RILL_TRY(look(sim, geom, nodes, dense ? dense_look : first_look, out, sums));
    if (!out->finite) {
        out->size = INFINITY;
        RILL_TRY(look(sim, geom, nodes, second_look, out, sums));
    }
done:
    return status;
}
