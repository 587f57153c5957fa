/* SPDX-License-Identifier: Apache-2.0 */
/* Hands boundaries and sponge layers out to the parts of a domain. */
#include "sim/several.h"

#include "core/memory.h"
#include "sim/boundary.h"

#include <stdlib.h>
#include <string.h>

/* Room for one more patch and one more stage. */
static rill_status grow(rill_several *s)
{
    rill_homes *patches = realloc(s->patches, ((size_t)s->patch_count + 1) * sizeof *patches);
    if (patches) s->patches = patches;
    rill_stage **stages = realloc(s->stages, ((size_t)s->stage_count + 1) * sizeof *stages);
    if (stages) s->stages = stages;
    rill_home *homes = calloc((size_t)s->parts.count, sizeof *homes);
    if (!patches || !stages || !homes) {
        free(homes);
        return rill_fail(RILL_SYSTEM, "out of memory for a boundary");
    }
    s->patches[s->patch_count] = (rill_homes){homes, 0};
    return RILL_OK;
}

/* Return the links of the nodes first … end - 1 of a boundary. */
static uint64_t links_of(const rill_boundary *b, uint64_t first, uint64_t end)
{
    uint64_t links = 0;
    for (uint64_t k = first; k < end; k++) links += (uint64_t)__builtin_popcount(b->nodes[k].links);
    return links;
}

/* Put the nodes first … end - 1 of a boundary on a part. */
static rill_status part_add(rill_several *s, int p, const rill_boundary *b, uint64_t first, uint64_t end)
{
    rill_status status = RILL_OK;
    rill_sim *sim = s->sims[p];
    rill_homes *homes = &s->patches[s->patch_count];
    rill_node *numbers = NULL, *next = NULL;
    rill_boundary own = *b;
    const uint64_t before = links_of(b, 0, first);
    const rill_launch launch = rill_sim_launch(sim);
    own.nodes = b->nodes + first;
    own.count = end - first;
    own.links = links_of(b, first, end);
    own.q = b->q ? b->q + before : NULL;
    own.fluxes = b->fluxes ? b->fluxes + first : NULL;
    own.values = b->values ? b->values + before : NULL; /* a part of a boundary has one mode at most */
    RILL_TRY(rill_array_create(own.count, sizeof *numbers, "wall links", (void **)&numbers));
    for (uint64_t k = 0; k < own.count; k++)
        numbers[k] = rill_part_number(&s->parts.part[p], own.nodes[k].node);
    if (b->next) {
        own.next = b->next + before;
        own.after = b->after + before;
        RILL_TRY(rill_array_create(own.links, sizeof *next, "wall links", (void **)&next));
        RILL_TRY(rill_several_walls_reach(s, p, &own, next));
        own.next = next;
    }
    RILL_TRY(rill_patches_add(&sim->patches, &own, numbers, sim, &launch));
    sim->fresh = sim->steps;
    homes->homes[homes->count++] = (rill_home){sim, sim->patches.count - 1};
done:
    rill_array_destroy(numbers);
    rill_array_destroy(next);
    return status;
}

static rill_status stage_add(rill_several *s, int home, const rill_boundary *b)
{
    rill_status status = RILL_OK;
    rill_homes *homes = &s->patches[s->patch_count];
    rill_stage *stage = NULL;
    RILL_TRY(rill_stage_create(&s->parts, s->sims, home, b, &stage));
    for (int k = 0; k < s->stage_count; k++)
        RILL_TRY(rill_patches_fit(&s->stages[k]->sim->patches, &stage->sim->patches));
    for (int p = 0; p < s->parts.count; p++)
        RILL_TRY(rill_patches_fit(&s->sims[p]->patches, &stage->sim->patches));
    s->stages[s->stage_count++] = stage;
    homes->homes[homes->count++] = (rill_home){stage->sim, 0};
    stage = NULL;
done:
    rill_stage_destroy(stage);
    return status;
}

/* Put the boundary on the parts that its nodes are in, or where an opening lies in several, on a stage. */
static rill_status hand_out(rill_several *s, const rill_boundary *b)
{
    rill_status status = RILL_OK;
    const bool opening = !b->interpolated && b->kind != RILL_BOUNDARY_WALL;
    const int first = rill_parts_of(&s->parts, b->nodes[0].node),
              last = rill_parts_of(&s->parts, b->nodes[b->count - 1].node);
    if (opening && first != last)
        return stage_add(s, rill_parts_of(&s->parts, b->nodes[b->count / 2].node), b);
    uint64_t begin = 0;
    for (int p = first; p <= last; p++) {
        uint64_t end = begin;
        while (end < b->count && b->nodes[end].node < s->parts.part[p].end) end++;
        if (end > begin) RILL_TRY(part_add(s, p, b, begin, end));
        begin = end;
    }
    for (int k = 0; k < s->stage_count; k++)
        for (int p = first; p <= last; p++)
            RILL_TRY(rill_patches_fit(&s->sims[p]->patches, &s->stages[k]->sim->patches));
done:
    return status;
}

rill_status rill_several_boundary_add(rill_sim *sim, const rill_boundary *boundary)
{
    rill_several *s = sim->several;
    if (boundary->interpolated && rill_sim_mirrored(sim))
        return rill_fail(
            RILL_USAGE,
            "interpolated bounce-back with mirrored boundaries needs one device, and there are %d: take one, or choose half-way bounce-back",
            s->parts.count);
    rill_status status = grow(s);
    if (status != RILL_OK) return status;
    status = hand_out(s, boundary);
    if (status == RILL_OK)
        s->patch_count++;
    else
        free(s->patches[s->patch_count].homes);
    return status;
}

/* Number the nodes of a part in sponge layers, first those of its edges. @return how many these are */
static uint64_t sponge_number(const rill_part *part, const rill_node *nodes, const float *keep,
                              uint64_t count, rill_node *numbers, float *factors)
{
    uint64_t to = 0, edges = 0;
    for (int inner = 0; inner < 2; inner++) {
        for (uint64_t k = 0; k < count; k++) {
            if (nodes[k] < part->first || nodes[k] >= part->end) continue;
            const rill_node number = rill_part_number(part, nodes[k]);
            if ((number >= part->low && number < part->high) != inner) continue;
            numbers[to] = number;
            factors[to++] = keep[k];
        }
        if (!inner) edges = to;
    }
    return edges;
}

rill_status rill_several_sponge_set(rill_sim *sim, const rill_node *nodes, const float *keep, uint64_t count)
{
    rill_status status = RILL_OK;
    rill_several *s = sim->several;
    s->sponges = calloc((size_t)s->parts.count, sizeof *s->sponges);
    if (!s->sponges) return rill_fail(RILL_SYSTEM, "out of memory for sponge layers");
    for (int p = 0; p < s->parts.count; p++) {
        const rill_part *part = &s->parts.part[p];
        uint64_t own = 0;
        for (uint64_t k = 0; k < count; k++) own += nodes[k] >= part->first && nodes[k] < part->end;
        RILL_TRY(rill_array_create(own, sizeof(rill_node) + sizeof(float), "sponge layers", &s->sponges[p]));
        rill_node *numbers = s->sponges[p];
        float *factors = (float *)(void *)(numbers + own);
        s->lanes[p].sponge = sponge_number(part, nodes, keep, count, numbers, factors);
        RILL_TRY(rill_sim_sponge_set(s->sims[p], numbers, factors, own));
    }
done:
    return status;
}
