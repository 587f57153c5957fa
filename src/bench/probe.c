/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts neighbourhoods out of a geometry, steps them in FP64, and compares. */
#include "bench/probe.h"

#include "core/memory.h"
#include "core/status.h"
#include "domain/domain.h"
#include "kernel/lattice.h"
#include "kernel/storage/rounding.h"
#include "sim/sim.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Even and odd steps, twice; the edge of the box compared; boxes. */
enum { steps = 4, edge = 12, most_places = 6 };

/* Of density and of each component of the velocity, lu: large beside what any format rounds away. */
static const double amplitude = 0.02;

/* A box of a domain and what surrounds it. */
typedef struct place {
    rill_geom *crop;  /* the box and its surroundings, cut out of the geometry */
    uint32_t low[3];  /* voxel of the geometry that is voxel 0 of the crop */
    uint32_t from[3]; /* the box within the crop: voxels from … to - 1 */
    uint32_t to[3];
    rill_node nodes;
    double *start, *reference; /* [4][nodes]: rho - 1 and u, before and after the steps */
} place;

struct rill_probe {
    const rill_domain *domain;
    rill_sim_options options;
    place places[most_places];
    int count;
};

/* ---- boxes ----------------------------------------------------------------------------------- */

/* Find the voxel of a node. */
static void voxel_of(const rill_numbering *numbering, rill_node node, uint32_t x[3])
{
    size_t low = 0, high = numbering->row_words * numbering->n[1] * numbering->n[2];
    while (high - low > 1) { /* the last word whose base is not above the node: its own */
        const size_t middle = low + (high - low) / 2;
        *(numbering->base[middle] <= node ? &low : &high) = middle;
    }
    uint64_t left = numbering->occupied[low];
    for (rill_node k = numbering->base[low]; k < node; k++) left &= left - 1;
    const size_t line = low / numbering->row_words;
    x[0] = (uint32_t)(low % numbering->row_words * 64) + (uint32_t)__builtin_ctzll(left);
    x[1] = (uint32_t)(line % numbering->n[1]);
    x[2] = (uint32_t)(line / numbering->n[1]);
}

/* Lay a place about a voxel, along one axis; return its length. */
static uint32_t lay(const rill_geom *geom, int axis, uint32_t centre, place *p, rill_side *side)
{
    const uint32_t n = geom->n[axis], all = edge + 2 * steps;
    *side = geom->sides[axis];
    if (n <= all) {
        p->low[axis] = p->from[axis] = 0;
        return p->to[axis] = n;
    }
    if (*side == RILL_PERIODIC) {
        p->low[axis] = (centre + n - all / 2) % n;
        p->from[axis] = steps;
        p->to[axis] = steps + edge;
        return all;
    }
    uint32_t box = centre < edge / 2 ? 0 : centre - edge / 2;
    if (box > n - edge) box = n - edge;
    const uint32_t high = box + edge + steps < n ? box + edge + steps : n;
    p->low[axis] = box < steps ? 0 : box - steps;
    p->from[axis] = box - p->low[axis];
    p->to[axis] = p->from[axis] + edge;
    return high - p->low[axis];
}

/* Return a number within -1 … 1 that follows from a voxel and a component. */
static double noise(uint64_t voxel, int component)
{
    uint64_t z = (4 * voxel + (uint64_t)component + 1) * UINT64_C(0x9e3779b97f4a7c15); /* SplitMix64 */
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

/* Cut a place out of the geometry and give its fluid voxels a state. */
static rill_status cut(const rill_domain *domain, const uint32_t centre[3], place *p)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = domain->geom;
    const int components = 1 + rill_dimensions((int)domain->lattice);
    uint32_t n[3];
    rill_side sides[3];
    for (int a = 0; a < 3; a++) n[a] = lay(geom, a, centre[a], p, &sides[a]);
    RILL_TRY(rill_geom_create(n, &p->crop));
    uint8_t *voxel = p->crop->voxels;
    for (int a = 0; a < 3; a++) p->crop->sides[a] = sides[a];
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++)
            for (uint32_t x = 0; x < n[0]; x++, voxel++) {
                const uint64_t at[3] = {(p->low[0] + x) % geom->n[0], (p->low[1] + y) % geom->n[1],
                                        (p->low[2] + z) % geom->n[2]};
                *voxel = geom->voxels[(at[2] * geom->n[1] + at[1]) * geom->n[0] + at[0]];
                p->nodes += *voxel >= RILL_FLUID;
            }
    RILL_TRY(
        rill_array_create_zero(4 * (uint64_t)p->nodes, sizeof(double), "a reference", (void **)&p->start));
    RILL_TRY(
        rill_array_create(4 * (uint64_t)p->nodes, sizeof(double), "a reference", (void **)&p->reference));
    rill_node node = 0;
    for (uint64_t v = 0; v < rill_geom_voxels(p->crop); v++) {
        if (p->crop->voxels[v] < RILL_FLUID) continue;
        const uint64_t at[3] = {(p->low[0] + v % n[0]) % geom->n[0],
                                (p->low[1] + v / n[0] % n[1]) % geom->n[1],
                                (p->low[2] + v / n[0] / n[1]) % geom->n[2]};
        for (int c = 0; c < components; c++)
            p->start[(size_t)c * p->nodes + node] =
                amplitude * noise((at[2] * geom->n[1] + at[1]) * geom->n[0] + at[0], c);
        node++;
    }
done:
    return status;
}

/* Step a place in FP64. */
static rill_status solve(const rill_domain *whole, const rill_sim_options *options, place *p)
{
    rill_status status = RILL_OK;
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    rill_sim_options exact = *options;
    const rill_domain_options domain_options = {whole->lattice, whole->flow_axis};
    exact.on.device = NULL;
    exact.on.backend = RILL_BACKEND_CPU;
    exact.variant.stream = options->variant.bounce == RILL_FULL_WAY ? RILL_ESOPULL : RILL_PULL;
    exact.variant.addressing = RILL_LIST;
    exact.variant.storage = RILL_FP64;
    exact.variant.arithmetic = RILL_DOUBLE;
    exact.variant.shift = RILL_SHIFTED;
    RILL_TRY(rill_domain_create(p->crop, &domain_options, &domain));
    RILL_TRY(rill_sim_create(domain, &exact, &sim));
    RILL_TRY(rill_sim_set_moments(sim, p->start, p->start + p->nodes));
    RILL_TRY(rill_sim_step(sim, steps));
    RILL_TRY(rill_sim_moments(sim, 0, p->nodes, p->reference, p->reference + p->nodes));
done:
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    return status;
}

rill_status rill_probe_create(const rill_domain *domain, const rill_sim_options *options, rill_probe **out)
{
    rill_status status = RILL_OK;
    rill_probe *probe = calloc(1, sizeof *probe);
    if (!probe) return rill_fail(RILL_SYSTEM, "out of memory for a reference");
    probe->domain = domain;
    probe->options = *options;
    bool whole = true;
    for (int a = 0; a < 3; a++) whole = whole && domain->geom->n[a] <= edge + 2 * steps;
    while (probe->count < (whole ? 1 : most_places)) {
        uint32_t centre[3];
        place *p = &probe->places[probe->count++];
        voxel_of(
            &domain->numbering,
            (rill_node)((uint64_t)(domain->nodes - 1) * (uint64_t)(probe->count - 1) / (most_places - 1)),
            centre);
        RILL_TRY(cut(domain, centre, p));
        RILL_TRY(solve(domain, options, p));
    }
    *out = probe;
    probe = NULL;
done:
    rill_probe_destroy(probe);
    return status;
}

void rill_probe_destroy(rill_probe *probe)
{
    if (!probe) return;
    for (int k = 0; k < probe->count; k++) {
        rill_geom_destroy(probe->places[k].crop);
        rill_array_destroy(probe->places[k].start);
        rill_array_destroy(probe->places[k].reference);
    }
    free(probe);
}

bool rill_probe_suits(const rill_probe *probe, const rill_sim_options *o)
{
    const rill_sim_options *own = &probe->options;
    bool same =
        own->variant.lattice == o->variant.lattice && own->variant.collision == o->variant.collision &&
        own->variant.equilibrium == o->variant.equilibrium && own->variant.rheology == o->variant.rheology &&
        own->variant.bounce == o->variant.bounce && own->tau == o->tau && own->magic == o->magic;
    for (int a = 0; a < 3; a++)
        same = same && own->force[a] == o->force[a] && own->velocity[a] == o->velocity[a];
    return same && o->variant.rheology == RILL_NEWTONIAN;
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* Nodes of a place that follow each other in the whole domain and in the place. */
typedef struct run {
    rill_node first; /* in the domain */
    rill_node local; /* in the place */
    rill_node count;
    uint32_t x, y, z; /* voxel of the crop where the run's voxels begin */
    uint32_t voxels;
} run;

/* Call `visit` for all runs of a box. A row that crosses a periodic boundary is two. */
static rill_status for_runs(const rill_probe *probe, const place *p,
                            rill_status (*visit)(void *context, const place *p, const run *r), void *context)
{
    const uint32_t *n = p->crop->n, *whole = probe->domain->geom->n;
    const uint8_t *voxels = p->crop->voxels;
    run r = {0};
    for (r.z = 0; r.z < n[2]; r.z++)
        for (r.y = 0; r.y < n[1]; r.y++)
            for (r.x = 0; r.x < n[0]; r.x += r.voxels, r.local += r.count) {
                const uint32_t x = (p->low[0] + r.x) % whole[0];
                r.voxels = n[0] - r.x < whole[0] - x ? n[0] - r.x : whole[0] - x;
                r.count = 0;
                for (uint32_t k = 0; k < r.voxels; k++) r.count += *voxels++ >= RILL_FLUID;
                if (r.count == 0) continue;
                r.first = rill_numbering_rank(&probe->domain->numbering, x, (p->low[1] + r.y) % whole[1],
                                              (p->low[2] + r.z) % whole[2]);
                const rill_status status = visit(context, p, &r);
                if (status != RILL_OK) return status;
            }
    return RILL_OK;
}

/* Room for a run: rho - 1 and u, [4][count]. */
enum { most_run = edge + 2 * steps };

typedef struct comparison {
    rill_sim *sim;
    double error;
} comparison;

static rill_status start_run(void *context, const place *p, const run *r)
{
    double values[4 * most_run];
    const comparison *c = context;
    for (rill_node m = 0; m < 4; m++)
        for (rill_node k = 0; k < r->count; k++)
            values[m * r->count + k] = p->start[(size_t)m * p->nodes + r->local + k];
    return rill_sim_set_moments_of(c->sim, r->first, r->count, values, values + r->count);
}

static rill_status compare_run(void *context, const place *p, const run *r)
{
    double values[4 * most_run];
    comparison *c = context;
    const uint8_t *voxels = p->crop->voxels + ((size_t)r->z * p->crop->n[1] + r->y) * p->crop->n[0] + r->x;
    if (r->y < p->from[1] || r->y >= p->to[1] || r->z < p->from[2] || r->z >= p->to[2] || r->x >= p->to[0] ||
        r->x + r->voxels <= p->from[0])
        return RILL_OK;
    const rill_status status = rill_sim_moments(c->sim, r->first, r->count, values, values + r->count);
    if (status != RILL_OK) return status;
    for (uint32_t k = 0, node = 0; k < r->voxels; k++) {
        if (voxels[k] < RILL_FLUID) continue;
        for (rill_node m = 0; m < 4 && r->x + k >= p->from[0] && r->x + k < p->to[0]; m++) {
            const double off =
                fabs(values[m * r->count + node] - p->reference[(size_t)m * p->nodes + r->local + node]);
            if (!isnan(c->error) && !(off <= c->error)) c->error = off; /* a NaN stays */
        }
        node++;
    }
    return RILL_OK;
}

/*
 * What is stored of a population lies within a few w_i times the amplitude around 0, or around w_i where
 * weights are stored. Each store rounds it, and so does arithmetic: sums of q of them make up a moment.
 */
static double limit_of(const rill_sim_options *o)
{
    const bool plain = o->variant.shift == RILL_PLAIN;
    const bool twice = o->variant.arithmetic == RILL_DOUBLE || o->variant.storage == RILL_FP64;
    const double unit = twice ? DBL_EPSILON : FLT_EPSILON;
    double sum = 0;
    for (int i = 0; i < rill_q((int)o->variant.lattice); i++) {
        const double w = rill_w((int)o->variant.lattice, i), away = 7 * w * amplitude;
        const double low = plain ? w - away : -away, high = plain ? w + away : away;
        sum += rill_rounding(o->variant.storage, low, high) + unit * high;
    }
    return (steps + 1) * sum / amplitude;
}

rill_status rill_probe_check(const rill_probe *probe, rill_sim *sim, const rill_sim_options *options,
                             double *error, double *limit)
{
    rill_status status = RILL_OK;
    comparison c = {sim, 0};
    *limit = limit_of(options);
    *error = INFINITY;
    for (int k = 0; k < probe->count; k++) RILL_TRY(for_runs(probe, &probe->places[k], start_run, &c));
    RILL_TRY(rill_sim_step(sim, steps));
    for (int k = 0; k < probe->count; k++) RILL_TRY(for_runs(probe, &probe->places[k], compare_run, &c));
    *error = c.error / amplitude;
    if (!(*error <= *limit))
        status = rill_fail(
            RILL_NUMERICS,
            "the result is wrong: it differs from fp64 with a pull list by %.2g of the velocity, and rounding explains %.2g: "
            "do not use this variant here, and report it",
            *error, *limit);
done:
    return status;
}
