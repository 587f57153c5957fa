/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The boxes of an error bar whose voxels are split: the whole one where it fits, or the crops that are most
 * like it.
 */
#include "permeability/error_bar_plan.h"

#include "core/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEVELS = RILL_ERROR_BAR_LEVELS, SMALLEST = 16, TRIES = 6 };

/* Relative uncertainty that the series of refined grids are followed to. */
#define GRID_TOLERANCE 1e-4
/* Edge of a crop, at most, in edges of the box, so that two of them can be apart; and when one must do. */
#define CROP_EDGE 0.5
#define CROP_SHRINK 0.9
#define CROP_GROW 1.26

static bool fits(const rill_bar_planner *p, const rill_error_bar_part *parts, double updates)
{
    double cost = 0;
    for (int level = 0; level < LEVELS; level++) {
        const rill_error_bar_part *part = &parts[level];
        cost += part->cost * (double)p->plain->nodes * p->plain->steps_expected;
        if (part->host_bytes > p->plain->resources.host_free ||
            part->device_bytes > p->plain->resources.device_free || part->nodes > UINT32_MAX - 1)
            return false;
    }
    return cost <= updates;
}

/* The three levels of a box, estimated from its plan. */
static rill_status levels_estimate(const rill_bar_planner *p, const rill_error_bar_part *box,
                                   const rill_bar_planned *of, rill_error_bar_part *levels)
{
    rill_status status = RILL_OK;
    for (int level = 0; level < LEVELS; level++) {
        levels[level] = *box;
        levels[level].split = (uint32_t)level + 1;
        RILL_TRY(rill_bar_part_estimate(p, of, &levels[level]));
    }
done:
    return status;
}

static rill_status levels_add(rill_bar_planner *p, const rill_error_bar_part *box, const rill_bar_planned *of)
{
    rill_status status = RILL_OK;
    rill_error_bar_part part = *box;
    part.grid = p->out->grids;
    for (part.split = 1; part.split <= LEVELS; part.split++) RILL_TRY(rill_bar_part_add(p, of, &part));
    p->out->grids++;
done:
    return status;
}

/* A box to be refined: its faces are the sample's own, or mirrored where it was cut. */
rill_error_bar_part rill_bar_crop(const rill_bar_planner *p, double edge)
{
    rill_error_bar_part part = rill_bar_whole(p);
    part.purpose = RILL_ERROR_BAR_GRID;
    part.variant = rill_error_bar_fp64(part.variant);
    part.tolerance = fmin(GRID_TOLERANCE, part.tolerance);
    for (int a = 0; a < 3; a++) {
        const uint32_t n = p->geom->n[a], cut = (uint32_t)(edge * n), least = n < SMALLEST ? n : SMALLEST;
        if (edge >= 1 || !rill_bar_counts(part.variant.lattice, a)) continue;
        part.n[a] = cut > least ? cut : least;
        if (part.n[a] < n) part.sides[a] = RILL_MIRROR;
    }
    return part;
}

/* Estimate from the plan of the whole box what a crop of it takes. */
static bool crop_fits(const rill_bar_planner *p, const rill_error_bar_part *crop,
                      const rill_bar_planned *whole)
{
    rill_bar_planned box = *whole;
    rill_geom geom = {.planes = p->geom->planes};
    rill_error_bar_part levels[LEVELS];
    double share = 1;
    for (int a = 0; a < 3; a++) {
        share *= (double)crop->n[a] / p->geom->n[a];
        geom.n[a] = crop->n[a];
        geom.sides[a] = crop->sides[a];
    }
    box.plan.nodes = (uint64_t)((double)whole->plan.nodes * share);
    rill_plan_sizes_scale(&box.sizes, &geom, share, whole->plan.pores.surface / whole->plan.pores.porosity);
    return levels_estimate(p, crop, &box, levels) == RILL_OK &&
           fits(p, levels, p->updates / RILL_ERROR_BAR_GRIDS);
}

/* A place for a crop. */
typedef struct place {
    uint32_t first[3];
    double distance; /* from the whole box, in what its pores are like */
    rill_bar_planned planned;
} place;

/* Logarithms of the ratios of the expected permeabilities and of the hydraulic diameters. */
static double distance_of(const rill_permeability_plan *a, const rill_permeability_plan *b)
{
    return fabs(log(a->k_expected / b->k_expected)) +
           fabs(log(a->pores.porosity / a->pores.surface * b->pores.surface / b->pores.porosity));
}

static bool apart(const uint32_t a[3], const uint32_t b[3], const uint32_t n[3])
{
    for (int i = 0; i < 3; i++)
        if ((a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]) >= n[i]) return true;
    return false;
}

/* Look at the crops at both ends and in the middle of each axis, and keep the two that are most like the
 * whole and do not overlap. */
static rill_status places_find(const rill_bar_planner *p, const rill_error_bar_part *crop,
                               const rill_bar_planned *whole, place best[RILL_ERROR_BAR_GRIDS], int *count)
{
    place found[27];
    int n = 0;
    *count = 0;
    for (uint32_t at = 0; at < 27; at++) {
        const uint32_t third[3] = {at % 3, at / 3 % 3, at / 9};
        rill_error_bar_part part = *crop;
        bool again = false;
        for (int a = 0; a < 3; a++) {
            const uint32_t room = p->geom->n[a] - part.n[a];
            again = again || (third[a] > 0 && room == 0);
            part.first[a] = third[a] == 1 ? room / 2 : third[a] ? room : 0;
        }
        if (again) continue;
        place *here = &found[n];
        const rill_status status = rill_bar_part_plan(p, &part, &here->planned);
        if (status == RILL_SYSTEM) return status;
        if (status != RILL_OK) continue; /* nothing percolates there */
        memcpy(here->first, part.first, sizeof here->first);
        here->distance = distance_of(&here->planned.plan, &whole->plan);
        n++;
    }
    while (*count < RILL_ERROR_BAR_GRIDS) {
        const place *nearest = NULL;
        for (int i = 0; i < n; i++) {
            bool free = true;
            for (int j = 0; j < *count; j++) free = free && apart(found[i].first, best[j].first, crop->n);
            if (free && (!nearest || found[i].distance < nearest->distance)) nearest = &found[i];
        }
        if (!nearest) break;
        best[(*count)++] = *nearest;
    }
    return RILL_OK;
}

/* Return whether the levels of a crop that was planned fit the memory. Time is no reason to look on: it was
 * estimated from the whole box, and crops differ from it by no more than such estimates do. */
static bool place_fits(const rill_bar_planner *p, const rill_error_bar_part *crop, const rill_bar_planned *of)
{
    rill_error_bar_part levels[LEVELS];
    return levels_estimate(p, crop, of, levels) == RILL_OK && fits(p, levels, INFINITY);
}

static rill_status crops_plan(rill_bar_planner *p, const rill_bar_planned *whole)
{
    rill_status status = RILL_OK;
    place best[RILL_ERROR_BAR_GRIDS];
    int count = 0;
    double edge = CROP_EDGE;
    rill_error_bar_part crop = rill_bar_crop(p, edge);
    while (!crop_fits(p, &crop, whole) && edge > 1e-3) crop = rill_bar_crop(p, edge *= CROP_SHRINK);
    bool found = false;
    for (int tries = 0; tries < TRIES && !found && edge > 1e-3 && edge < 1; tries++) {
        crop = rill_bar_crop(p, edge);
        RILL_TRY(places_find(p, &crop, whole, best, &count));
        found = count > 0;
        for (int i = 0; i < count; i++) found = found && place_fits(p, &crop, &best[i].planned);
        /* Nothing percolates in crops that are too small; and those that do may be denser than the box. */
        edge *= count > 0 ? CROP_SHRINK : CROP_GROW;
    }
    if (!found) count = 0;
    for (int i = 0; i < count; i++) {
        memcpy(crop.first, best[i].first, sizeof crop.first);
        RILL_TRY(levels_add(p, &crop, &best[i].planned));
    }
    snprintf(
        p->out->grid_note, sizeof p->out->grid_note,
        count == 0
            ? "no crop fits the memory and the time, or nothing percolates there, down or up to %u x %u x %u voxels"
        : count == 1 ? "measured on one crop of %u x %u x %u voxels"
                     : "measured on two crops of %u x %u x %u voxels, those most like the whole",
        crop.n[0], crop.n[1], crop.n[2]);
done:
    return status;
}

rill_status rill_bar_grids_plan(rill_bar_planner *p, const rill_bar_planned *whole)
{
    rill_status status = RILL_OK;
    rill_error_bar_part levels[LEVELS];
    const rill_error_bar_part box = rill_bar_crop(p, 1);
    RILL_TRY(levels_estimate(p, &box, whole, levels));
    p->out->whole = fits(p, levels, p->updates);
    if (!p->out->whole) return crops_plan(p, whole);
    snprintf(p->out->grid_note, sizeof p->out->grid_note, "measured on the whole box");
    RILL_TRY(levels_add(p, &box, whole));
done:
    return status;
}
