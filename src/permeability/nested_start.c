/* SPDX-License-Identifier: Apache-2.0 */
/* Hands the flow of a coarser grid to the simulation of a finer one, some planes at a time: all where the
 * devices of the simulation can have it as it is. */
#include "permeability/nested.h"
#include "core/clock.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/status.h"
#include "domain/layers.h"
#include "geometry/voxels/planes.h"
#include "permeability/numbered.h"
#include "sim/refined.h"

/* Parts of the grid that are seen one after the other where devices lack the flow. */
enum { VIEWS = 16 };

/* Planes of the finer grid that are seen, what is known of the coarser grid around them, and both on the
 * devices. */
typedef struct sight {
    const rill_nested *nested;
    const rill_domain *domain;
    rill_sim *sim;
    uint32_t first, count; /* planes */
    rill_layers layers, beside;
    bool whole; /* the flow is there for all planes */
    float *own; /* [4][room] else that of the coarser planes around */
    size_t room;
    rill_refiner view;
    rill_refined *refined;
} sight;

/* Read the moments of coarser planes first … first + planes - 1. Behind the last node comes the first one. */
static rill_status flow_read(sight *s, uint32_t first, uint32_t planes)
{
    rill_status status = RILL_OK;
    const rill_numbering *all = &s->nested->plan.numbered->domain->numbering;
    const uint64_t nodes = s->nested->plan.nodes;
    const rill_node begin = (rill_node)(all->before[first] % nodes);
    uint64_t count = 0;
    for (uint32_t k = 0; k < planes; k++) {
        const uint32_t z = (uint32_t)(((uint64_t)first + k) % all->n[2]);
        count += all->before[z + 1] - all->before[z];
    }
    if (count > s->room) {
        rill_array_destroy(s->own);
        s->own = NULL;
        RILL_TRY(rill_array_create(4 * count, sizeof *s->own, "moments", (void **)&s->own));
        s->room = (size_t)count;
    }
    const uint64_t left = nodes - begin, some = count < left ? count : left;
    for (uint32_t m = 0; m < 4; m++) {
        float *to = s->own + m * s->room;
        RILL_TRY(rill_kept_get(s->nested->moments, m, begin, some, to));
        RILL_TRY(rill_kept_get(s->nested->moments, m, 0, count - some, to + some));
    }
    s->view.flow = s->own;
    s->view.room = s->room;
    s->view.flow_first = begin;
done:
    return status;
}

/* Return planes of a layer as kernels know them. */
static rill_refine_grid grid_of(const rill_geom *geom, const rill_layers *layers)
{
    const rill_numbering *n = &layers->numbering;
    return (rill_refine_grid){.cells = {n->occupied, n->base},
                              .n = {geom->n[0], geom->n[1], geom->n[2]},
                              .ny = n->n[1],
                              .row_words = n->row_words,
                              .first = layers->first,
                              .planes = n->n[2],
                              .box = layers->box};
}

/* See planes of the finer grid, unless they are seen. */
static rill_status see(sight *s, uint32_t first, uint32_t count)
{
    rill_status status = RILL_OK;
    const rill_geom *fine = s->domain->geom, *coarse = s->nested->geom;
    const rill_domain *below = s->nested->plan.numbered->domain;
    const uint32_t low = first / 2, high = (first + count - 1) / 2, box = below->numbering.n[2],
                   around = high - low + 3 < box ? high - low + 3 : box;
    if (s->refined && s->first == first && s->count == count) return RILL_OK;
    rill_refined_destroy(s->refined);
    s->refined = NULL;
    RILL_TRY(rill_layers_take(s->domain, first, count, &s->layers));
    RILL_TRY(rill_layers_take(below, (int64_t)low - 1, around, &s->beside));
    s->first = first;
    s->count = count;
    s->view.fine = grid_of(fine, &s->layers);
    s->view.coarse = grid_of(coarse, &s->beside);
    s->view.first_row = (uint64_t)first * fine->n[1];
    s->view.rows = (uint64_t)count * fine->n[1];
    if (!s->whole) RILL_TRY(flow_read(s, low > 0 ? low - 1 : box - 1, around));
    RILL_TRY(rill_refined_create(s->sim, &s->view, s->nested->there != NULL, &s->refined));
done:
    return status;
}

/* Use the whole flow where it is in memory of the device; else parts of it are read as they are seen. */
static void flow_take(sight *s, bool host)
{
    const rill_nested *nested = s->nested;
    const void *flow = nested->there;
    if (!flow && host) flow = rill_kept_whole(nested->moments);
    s->whole = flow != NULL;
    s->view.flow = flow;
    s->view.wide = nested->there != NULL;
    s->view.room = (size_t)nested->plan.nodes;
    s->view.flow_nodes = nested->plan.nodes;
}

uint64_t rill_nested_start_bytes(uint64_t flow) { return flow / VIEWS; }

rill_status rill_nested_start(const rill_follower *f, const rill_domain *domain, const rill_nested *nested,
                              rill_sim *sim)
{
    rill_status status = RILL_OK;
    const double begun = rill_now();
    const rill_geom *geom = f->geom;
    sight s = {.nested = nested, .domain = domain, .sim = sim};
    double sum = 0, u_scale = 0;
    for (int a = 0; a < 3; a++) s.view.periodic[a] = nested->geom->sides[a] == RILL_PERIODIC;
    s.view.axis = f->run->axis;
    s.view.rho_scale = 2 * f->plan->force / nested->plan.force;
    flow_take(&s, rill_sim_device_of(sim)->backend->host);
    const uint32_t window = rill_window_planes(geom), part = (geom->n[2] + VIEWS - 1) / VIEWS,
                   most = s.whole || window < part ? window : part;
    for (int setting = 0; setting < 2; setting++) {
        for (uint32_t first = 0; first < geom->n[2]; first += s.count) {
            const uint32_t left = geom->n[2] - first;
            RILL_TRY(see(&s, first, left < most ? left : most));
            RILL_TRY(setting ? rill_refined_set(s.refined, u_scale) : rill_refined_sum(s.refined, &sum));
        }
        /* All rows count: in a periodic structure every n-th row may lie in a wake. */
        u_scale = nested->k * f->plan->force / f->plan->nu / (sum / (double)rill_geom_sample(geom));
    }
    rill_log(RILL_LOG_DEBUG, "coarser grid: its flow taken over in %.2g s", rill_now() - begun);
done:
    rill_refined_destroy(s.refined);
    rill_array_destroy(s.own);
    rill_layers_free(&s.layers);
    rill_layers_free(&s.beside);
    return status;
}
