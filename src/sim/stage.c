/* SPDX-License-Identifier: Apache-2.0 */
/* Openings that a cut between parts goes through. */
#include "sim/stage.h"

#include "core/memory.h"
#include "sim/attached.h"

#include <stdlib.h>

/* Isolated cells along x and y: every other one of a plane of so many voxels along x. */
enum { ROW = 128 };

static rill_status geom_create(uint64_t cells, rill_geom **out)
{
    rill_status status = RILL_OK;
    const uint32_t row = ROW / 2, rows = (uint32_t)((cells + row - 1) / row), n[3] = {ROW, 2 * rows, 2};
    rill_geom *geom = NULL;
    RILL_TRY(rill_geom_create(n, &geom));
    for (int a = 0; a < 3; a++) geom->sides[a] = RILL_WALL;
    for (uint64_t k = 0; k < cells; k++)
        geom->voxels[2 * (k % row) + (uint64_t)ROW * (2 * (k / row))] = RILL_FLUID;
    *out = geom;
done:
    return status;
}

/* Nodes of the opening that are in one part, and how the part numbers them. */
typedef struct share {
    const rill_part *part;
    uint64_t first, end; /* of the nodes of the boundary */
} share;

static rill_node local_of(const share *s, const rill_boundary *b, uint64_t k)
{
    return rill_part_number(s->part, b->nodes[k].node);
}

/* The routes of a part: all that its nodes have sent, and what comes back along links of the opening. */
static rill_status routes_create(rill_stage *stage, rill_sim *sim, const share *s, const rill_boundary *b,
                                 const uint32_t *links)
{
    rill_status status = RILL_OK;
    const uint64_t q = (uint64_t)rill_q((int)b->domain->lattice), most = (s->end - s->first) * q;
    rill_cut_link **lists = stage->lists + 4 * stage->count;
    uint64_t in = 0, out = 0;
    for (int k = 0; k < 4; k++)
        RILL_TRY(rill_array_create(most, sizeof **lists, "links of an opening", (void **)&lists[k]));
    for (uint64_t k = s->first; k < s->end; k++)
        for (uint32_t i = 0; i < q; i++) {
            lists[0][in] = (rill_cut_link){local_of(s, b, k), i | RILL_CUT_SENT};
            lists[1][in++] = (rill_cut_link){(rill_node)k, i};
            if (!(links[k] >> i & 1)) continue;
            lists[2][out] = (rill_cut_link){(rill_node)k, i};
            lists[3][out++] = (rill_cut_link){local_of(s, b, k), i};
        }
    stage->count++;
    RILL_TRY(rill_route_create(sim, stage->sim, 0, lists[0], lists[1], in, &stage->in[stage->count - 1]));
    RILL_TRY(rill_route_create(stage->sim, sim, 0, lists[2], lists[3], out, &stage->out[stage->count - 1]));
done:
    return status;
}

static rill_status allocate(rill_stage *stage, int parts)
{
    stage->in = calloc((size_t)parts, sizeof *stage->in);
    stage->out = calloc((size_t)parts, sizeof *stage->out);
    stage->lists = calloc(4 * (size_t)parts, sizeof *stage->lists);
    if (!stage->in || !stage->out || !stage->lists)
        return rill_fail(RILL_SYSTEM, "out of memory for an opening");
    return RILL_OK;
}

static rill_status sim_create(rill_stage *stage, const rill_sim *like, const rill_boundary *b)
{
    rill_status status = RILL_OK;
    rill_sim_options options = like->flow->options;
    const rill_domain_options cells = {.lattice = b->domain->lattice, .flow_axis = -1};
    options.on.device = like->device;
    RILL_TRY(geom_create(b->count, &stage->geom));
    RILL_TRY(rill_domain_create(stage->geom, &cells, &stage->domain));
    RILL_TRY(rill_sim_create(stage->domain, &options, &stage->sim));
    stage->sim->joined = true;
    RILL_TRY(rill_device_event_create(stage->sim->device, &stage->applied));
    rill_sim_skip(stage->sim, like->steps);
    const rill_launch launch = rill_sim_launch(stage->sim);
    rill_node *numbers = NULL;
    RILL_TRY(rill_array_create(b->count, sizeof *numbers, "links of an opening", (void **)&numbers));
    for (uint64_t k = 0; k < b->count; k++) numbers[k] = (rill_node)k;
    status = rill_patches_add(&stage->sim->patches, b, numbers, stage->sim, &launch);
    rill_array_destroy(numbers);
done:
    return status;
}

rill_status rill_stage_create(const rill_parts *parts, rill_sim *const *sims, int home,
                              const rill_boundary *b, rill_stage **out)
{
    rill_status status = RILL_OK;
    rill_stage *stage = calloc(1, sizeof *stage);
    if (!stage) return rill_fail(RILL_SYSTEM, "out of memory for an opening");
    RILL_TRY(allocate(stage, parts->count));
    RILL_TRY(sim_create(stage, sims[home], b));
    uint64_t first = 0;
    for (int p = 0; p < parts->count; p++) {
        share s = {&parts->part[p], first, first};
        while (s.end < b->count && b->nodes[s.end].node < s.part->end) s.end++;
        first = s.end;
        if (s.end > s.first)
            RILL_TRY(routes_create(stage, sims[p], &s, b, stage->sim->patches.all[0]->links));
    }
    *out = stage;
    stage = NULL;
done:
    rill_stage_destroy(stage);
    return status;
}

void rill_stage_destroy(rill_stage *stage)
{
    if (!stage) return;
    for (int k = 0; k < stage->count; k++) {
        rill_route_destroy(&stage->in[k]);
        rill_route_destroy(&stage->out[k]);
        for (int l = 0; l < 4; l++) rill_array_destroy(stage->lists[4 * k + l]);
    }
    free(stage->in);
    free(stage->out);
    free(stage->lists);
    if (stage->sim) rill_device_event_destroy(stage->sim->device, stage->applied);
    rill_sim_destroy(stage->sim);
    rill_domain_destroy(stage->domain);
    rill_geom_destroy(stage->geom);
    free(stage);
}

void rill_stage_send(rill_stage *stage, unsigned exchange)
{
    rill_sim_skip(stage->sim, 1);
    for (int k = 0; k < stage->count; k++)
        rill_route_send(&stage->in[k], stage->in[k].from->device->queue, exchange);
}

rill_status rill_stage_receive(rill_stage *stage, unsigned exchange)
{
    rill_status status = RILL_OK;
    void *queue = stage->sim->device->queue;
    for (int k = 0; k < stage->count; k++) {
        RILL_TRY(rill_route_fetch(&stage->in[k], queue, exchange));
        rill_route_receive(&stage->in[k], queue, exchange);
    }
done:
    return status;
}

rill_status rill_stage_apply(rill_stage *stage, unsigned exchange)
{
    rill_status status = RILL_OK;
    const rill_launch launch = rill_sim_launch(stage->sim);
    RILL_TRY(rill_patches_apply(&stage->sim->patches, &launch, stage->sim->steps - 1, false));
    for (int k = 0; k < stage->count; k++) rill_route_send(&stage->out[k], launch.queue, exchange);
    RILL_TRY(rill_device_event_record(stage->sim->device, launch.queue, stage->applied));
done:
    return status;
}

rill_status rill_stage_return(rill_stage *stage, unsigned exchange)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < stage->count; k++) {
        rill_device *device = stage->out[k].to->device;
        RILL_TRY(rill_device_queue_wait(device, device->queue, stage->applied));
        RILL_TRY(rill_route_fetch(&stage->out[k], device->queue, exchange));
        rill_route_receive(&stage->out[k], device->queue, exchange);
    }
done:
    return status;
}
