/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses where a domain is cut. The smallest possible cost of the dearest part follows by bisection: parts
 * that take as many chunks as a limit allows, one after the other, are as few as can be with that limit.
 * Within it every cut has a window of positions. It is put where the rest is divided evenly, or at the
 * nearest place where no opening is cut.
 */
#include "domain/ranges.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How much dearer the dearest part may become so that no opening is cut, beside what cutting it costs. */
#define SPARE 1.02

/* The nodes of an opening. */
typedef struct span {
    rill_global_node first, last;
} span;

/* What is cut: chunks with their costs. */
typedef struct chunks {
    uint64_t count;
    double *before;  /* [count + 1], cost of the chunks before, without that of openings as such */
    uint64_t *open;  /* [count + 1], chunks before that have nodes of openings */
    uint64_t *reach; /* [count], last end of a part that begins with a chunk; NULL: any end */
    double opening;  /* cost of a part with such a chunk */
    double split;    /* cost of an opening that is cut */
    span *spans;     /* [span_count], of openings */
    int span_count;
} chunks;

uint32_t rill_ranges_plane(const rill_domain *whole, rill_global_node node)
{
    uint32_t low = 0, high = whole->numbering.n[2]; /* the last plane that does not begin behind the node */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (rill_numbering_before_plane(&whole->numbering, middle) <= node)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- costs --------------------------------------------------------------------------------------- */

static void openings_count(const rill_domain *whole, const rill_part_costs *costs, chunks *c)
{
    const rill_surface *s = whole->geom->surface;
    for (int k = 0; k < s->opening_count; k++) {
        const rill_opening *o = &s->openings[k];
        span of = {whole->nodes, 0};
        for (uint64_t i = 0; i < o->cut_count; i++) {
            const rill_global_node node = o->cuts[i].node;
            if (node >= whole->nodes) continue; /* rill_boundary_create_cuts() refuses it */
            if (node < of.first) of.first = node;
            if (node > of.last) of.last = node;
            c->before[node / RILL_CHUNK + 1] += costs->opening_link;
            c->open[node / RILL_CHUNK + 1] = 1;
        }
        if (of.first <= of.last && of.first < whole->nodes) c->spans[c->span_count++] = of;
    }
}

/* Find how far a part may reach. The two planes beside those of a part hold none of its nodes: the part
 * numbers its own planes and these two once each. Only a periodic box has a plane beside its first and last
 * ones. */
static rill_status reach_find(const rill_domain *whole, chunks *c)
{
    const uint32_t nz = whole->geom->n[2], most = nz > 2 ? nz - 2 : 0;
    if (whole->geom->sides[2] != RILL_PERIODIC) return RILL_OK;
    const rill_status status =
        rill_array_create(c->count, sizeof *c->reach, "the cuts between parts", (void **)&c->reach);
    for (uint64_t k = 0; k < c->count && status == RILL_OK; k++) {
        const uint32_t first = rill_ranges_plane(whole, k * RILL_CHUNK);
        const uint64_t end =
            rill_numbering_before_plane(&whole->numbering, first < nz - most ? first + most : nz);
        c->reach[k] = end < whole->nodes ? end / RILL_CHUNK : c->count;
    }
    return status;
}

static rill_status chunks_create(const rill_domain *whole, const rill_part_costs *costs, chunks *c)
{
    rill_status status = RILL_OK;
    const rill_surface *s = whole->geom->surface;
    c->count = (whole->nodes + RILL_CHUNK - 1) / RILL_CHUNK;
    c->opening = costs->opening;
    c->split = costs->split;
    RILL_TRY(rill_array_create_zero(c->count + 1, sizeof *c->before, "the cuts between parts",
                                    (void **)&c->before));
    RILL_TRY(
        rill_array_create_zero(c->count + 1, sizeof *c->open, "the cuts between parts", (void **)&c->open));
    if (s && s->opening_count) {
        c->spans = calloc((size_t)s->opening_count, sizeof *c->spans);
        if (!c->spans) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the cuts between parts"));
    }
    for (uint64_t k = 0; s && k < s->wall_count; k++)
        if (s->walls[k].node < whole->nodes) c->before[s->walls[k].node / RILL_CHUNK + 1] += costs->wall;
    if (s) openings_count(whole, costs, c);
    for (uint64_t k = 0; k < c->count; k++) {
        const uint64_t left = whole->nodes - k * RILL_CHUNK;
        c->before[k + 1] += c->before[k] + (double)(left < RILL_CHUNK ? left : RILL_CHUNK);
        c->open[k + 1] += c->open[k];
    }
    RILL_TRY(reach_find(whole, c));
done:
    return status;
}

static void chunks_free(chunks *c)
{
    rill_array_destroy(c->before);
    rill_array_destroy(c->open);
    rill_array_destroy(c->reach);
    free(c->spans);
}

static double cost_of(const chunks *c, uint64_t first, uint64_t end)
{
    return c->before[end] - c->before[first] + (c->open[end] > c->open[first] ? c->opening : 0);
}

/* Return whether a part may have the chunks first ... end - 1, and costs no more than a limit. */
static bool fits(const chunks *c, uint64_t first, uint64_t end, double limit)
{
    return cost_of(c, first, end) <= limit && (!c->reach || end <= c->reach[first]);
}

/* ---- positions -------------------------------------------------------------------------------------- */

/* Return the last end of a part from `first` on that fits a limit, or the first end there is. */
static uint64_t farthest(const chunks *c, uint64_t first, double limit)
{
    uint64_t low = first + 1, high = c->count + 1;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (fits(c, first, middle, limit))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Return the first chunk of a part up to `end` that fits a limit, or the last there is. */
static uint64_t nearest(const chunks *c, uint64_t end, double limit)
{
    uint64_t low = 0, high = end - 1;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (fits(c, middle, end, limit))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Return whether so many parts suffice with a limit. */
static bool suffices(const chunks *c, int parts, double limit)
{
    uint64_t at = 0;
    for (int p = 0; p < parts && at < c->count; p++) {
        const uint64_t end = farthest(c, at, limit);
        if (!fits(c, at, end, limit)) return false;
        at = end;
    }
    return at == c->count;
}

/* Return the least cost of the dearest of so many parts, to a millionth of the mean. */
static double least_of(const chunks *c, int parts)
{
    const double mean = c->before[c->count] / parts;
    double low = 0, high = cost_of(c, 0, c->count);
    while (high - low > 1e-6 * mean) {
        const double middle = 0.5 * (low + high);
        if (suffices(c, parts, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Return how many openings a cut before a chunk goes through. */
static int splits(const chunks *c, uint64_t chunk)
{
    int count = 0;
    const uint64_t node = chunk * RILL_CHUNK;
    for (int k = 0; k < c->span_count; k++) count += c->spans[k].first < node && node <= c->spans[k].last;
    return count;
}

static uint64_t within(uint64_t x, uint64_t low, uint64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* Return the place next to an even division of what is left among `parts`. */
static uint64_t even(const chunks *c, uint64_t first, int parts)
{
    const double wanted = c->before[first] + (c->before[c->count] - c->before[first]) / parts;
    uint64_t low = first, high = c->count;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (c->before[middle] <= wanted)
            low = middle;
        else
            high = middle;
    }
    return high <= c->count && c->before[high] - wanted < wanted - c->before[low] ? high : low;
}

/* Move a cut to the nearest place from low to high where it goes through the fewest openings. */
static uint64_t avoid(const chunks *c, uint64_t at, uint64_t low, uint64_t high)
{
    uint64_t best = at;
    int fewest = splits(c, at);
    const uint64_t most = at - low > high - at ? at - low : high - at;
    for (uint64_t d = 1; d <= most && fewest > 0; d++)
        for (int side = 0; side < 2; side++) {
            if (side ? d > high - at : d > at - low) continue;
            const uint64_t place = side ? at + d : at - d;
            const int count = splits(c, place);
            if (count < fewest) fewest = count, best = place;
        }
    return best;
}

/* Put the cuts of so many parts, for which there are chunks enough. @param[out] ends  [parts], chunks */
static rill_status cuts_put(const chunks *c, int parts, uint64_t *ends)
{
    rill_status status = RILL_OK;
    uint64_t *starts = NULL; /* earliest begin of each part so that the rest fits, for both limits */
    const double least = least_of(c, parts), limits[2] = {least, SPARE * least + c->split};
    RILL_TRY(rill_array_create(2 * ((uint64_t)parts + 1), sizeof *starts, "the cuts between parts",
                               (void **)&starts));
    for (int l = 0; l < 2; l++) {
        uint64_t *s = starts + l * (parts + 1);
        s[parts] = c->count;
        for (int p = parts - 1; p >= 0; p--) {
            s[p] = nearest(c, s[p + 1], limits[l]);
            if (s[p] < (uint64_t)p) s[p] = (uint64_t)p; /* for those before */
        }
    }
    uint64_t first = 0;
    for (int p = 0; p + 1 < parts; p++) {
        const uint64_t room = c->count - (uint64_t)(parts - 1 - p); /* for the rest */
        uint64_t low[2], high[2];
        for (int l = 0; l < 2; l++) {
            low[l] = starts[l * (parts + 1) + p + 1];
            high[l] = farthest(c, first, limits[l]);
            if (low[l] < first + 1) low[l] = first + 1;
            if (high[l] > room) high[l] = room;
            if (high[l] < low[l]) high[l] = low[l] = within(low[l], first + 1, room);
        }
        uint64_t at = within(within(even(c, first, parts - p), low[0], high[0]), low[1], high[1]);
        at = avoid(c, at, low[1], high[1]);
        ends[p] = first = at;
    }
    ends[parts - 1] = c->count;
done:
    rill_array_destroy(starts);
    return status;
}

/* ---- parts --------------------------------------------------------------------------------------- */

/* Make ranges of the ends. */
static void ranges_set(const rill_domain *whole, const chunks *c, const uint64_t *ends, rill_ranges *r)
{
    for (int p = 0; p < r->count; p++) {
        const uint64_t first = p ? ends[p - 1] : 0, end = ends[p] * RILL_CHUNK;
        r->range[p] = (rill_range){first * RILL_CHUNK, end < whole->nodes ? end : whole->nodes,
                                   cost_of(c, first, ends[p])};
        if (p) r->split += splits(c, first);
    }
}

rill_status rill_ranges_create(const rill_domain *whole, int most, const rill_part_costs *costs,
                               rill_ranges *out)
{
    rill_status status = RILL_OK;
    chunks c = {.count = 0};
    uint64_t *ends = NULL;
    rill_ranges r = {.count = most < 1 ? 1 : most};
    RILL_TRY(chunks_create(whole, costs ? costs : &(rill_part_costs){0}, &c));
    if ((uint64_t)r.count > c.count) r.count = (int)c.count;
    if (!suffices(&c, r.count, INFINITY)) r.count = 1; /* fewer parts would lie in more planes each */
    r.range = calloc((size_t)r.count, sizeof *r.range);
    if (!r.range) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the cuts between parts"));
    RILL_TRY(rill_array_create((uint64_t)r.count, sizeof *ends, "the cuts between parts", (void **)&ends));
    RILL_TRY(cuts_put(&c, r.count, ends));
    ranges_set(whole, &c, ends, &r);
    *out = r;
    r.range = NULL;
done:
    free(r.range);
    rill_array_destroy(ends);
    chunks_free(&c);
    return status;
}

void rill_ranges_destroy(rill_ranges *ranges)
{
    free(ranges->range);
    *ranges = (rill_ranges){.count = 0};
}
