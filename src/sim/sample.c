/* SPDX-License-Identifier: Apache-2.0 */
/* Moments and stress at listed nodes. */
#include "sim/macroscopic.h"
#include "sim/sim_priv.h"

#include "core/memory.h"

#include <stdlib.h>

/* Nodes that are taken at a time: ten doubles each. */
enum { part_nodes = 1 << 18 };

/* The nodes that are in one part of the domain. */
typedef struct piece {
    rill_device *device;
    uint64_t count;
    rill_node *numbers;   /* [count], as kernels number nodes, host: the backend may share it */
    uint64_t *at;         /* [count], where they are in the sample; NULL: all are here, in their order */
    const rill_node *own; /* the numbers on the backend */
    double *out;          /* [10][part], on the backend */
    double *host;         /* values of a part before they are sorted; NULL with `at` */
} piece;

struct rill_sample {
    uint64_t count;
    int piece_count;
    piece *pieces; /* [piece_count], by part */
};

static void piece_take(piece *p, bool whole, rill_room *room)
{
    const uint64_t part = p->count < part_nodes ? p->count : part_nodes;
    RILL_ROOM_ARRAY(room, p->count, p->numbers);
    RILL_ROOM_ALLOC(room, 10 * part, p->out);
    if (whole) return;
    RILL_ROOM_ARRAY(room, p->count, p->at);
    RILL_ROOM_ARRAY(room, 10 * part, p->host);
}

void rill_sample_count(uint64_t nodes, int parts, rill_room *room)
{
    piece p = {.count = nodes};
    piece_take(&p, parts <= 1, room);
    RILL_ROOM_SHARE(room, p.numbers, nodes, p.own);
}

/* Take those of the nodes that are in a part. */
static rill_status piece_create(rill_sim *part, rill_global_node begins, const rill_node *nodes,
                                uint64_t count, piece *p)
{
    rill_status status = RILL_OK;
    const rill_global_node ends = begins + part->domain->nodes;
    rill_room room = rill_room_of(part->device, "a sample of nodes");
    p->device = part->device;
    for (uint64_t k = 0; k < count; k++) p->count += nodes[k] >= begins && nodes[k] < ends;
    if (p->count == 0) return RILL_OK;
    piece_take(p, p->count == count, &room);
    RILL_TRY(room.status);
    for (uint64_t k = 0, to = 0; k < count; k++) {
        if (nodes[k] < begins || nodes[k] >= ends) continue;
        p->numbers[to] = rill_sim_number(part, (rill_node)(nodes[k] - begins));
        if (p->at) p->at[to] = k;
        to++;
    }
    RILL_ROOM_SHARE(&room, p->numbers, p->count, p->own);
    status = room.status;
done:
    return status;
}

rill_status rill_sim_sample_create(rill_sim *sim, const rill_node *nodes, uint64_t count, rill_sample **out)
{
    rill_status status = RILL_OK;
    rill_sample *s = NULL;
    RILL_TRY(rill_macroscopic_refuse(sim, "the stress of nodes"));
    if (count == 0) return rill_fail(RILL_USAGE, "a sample of 0 nodes shows nothing: list 1 or more");
    for (uint64_t k = 0; k < count; k++)
        if (nodes[k] >= sim->domain->nodes)
            return rill_fail(RILL_USAGE, "node %u is none of the %llu of the domain", nodes[k],
                             (unsigned long long)sim->domain->nodes);
    s = calloc(1, sizeof *s);
    if (!s) return rill_fail(RILL_SYSTEM, "out of memory for a sample");
    s->count = count;
    s->piece_count = rill_sim_parts(sim);
    s->pieces = calloc((size_t)s->piece_count, sizeof *s->pieces);
    if (!s->pieces) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a sample"));
    for (int k = 0; k < s->piece_count; k++)
        RILL_TRY(
            piece_create(rill_sim_part(sim, k), rill_sim_part_first(sim, k), nodes, count, &s->pieces[k]));
    *out = s;
    s = NULL;
done:
    rill_sample_destroy(s);
    return status;
}

/* @param[out] out  [rows][count], the first of ten rows */
static rill_status piece_read(rill_sim *part, int set, piece *p, uint64_t rows, uint64_t count, double *out)
{
    rill_status status = RILL_OK;
    const rill_launch launch = rill_set_launch(part, &part->flow[set]);
    for (uint64_t first = 0; first < p->count; first += part_nodes) {
        const uint64_t some = p->count - first < part_nodes ? p->count - first : part_nodes;
        launch.kernels->sample(&launch, p->own + first, some, p->out);
        RILL_TRY(rill_device_wait(p->device));
        if (!p->at) {
            const uint64_t runs = some == count ? 1 : rows, run = rows / runs * some;
            for (uint64_t a = 0; a < runs; a++)
                RILL_TRY(rill_device_download(p->device, out + a * count + first, p->out + a * some,
                                              run * sizeof *out));
            continue;
        }
        RILL_TRY(rill_device_download(p->device, p->host, p->out, rows * some * sizeof *p->host));
        for (uint64_t a = 0; a < rows; a++)
            for (uint64_t k = 0; k < some; k++) out[a * count + p->at[first + k]] = p->host[a * some + k];
    }
done:
    return status;
}

rill_status rill_sim_sample_take(rill_sim *sim, rill_sample *s, double *out)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < s->piece_count; k++)
        RILL_TRY(piece_read(rill_sim_part(sim, k), 0, &s->pieces[k], 10, s->count, out));
done:
    return status;
}

rill_status rill_sim_sample_scalar(rill_sim *sim, int set, rill_sample *s, double *phi)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_sim_scalar_check(sim, set));
    for (int k = 0; k < s->piece_count; k++)
        RILL_TRY(piece_read(rill_sim_part(sim, k), set, &s->pieces[k], 1, s->count, phi));
done:
    return status;
}

void rill_sample_destroy(rill_sample *s)
{
    if (!s) return;
    for (int k = 0; k < s->piece_count && s->pieces; k++) {
        piece *p = &s->pieces[k];
        if (!p->device) continue;
        rill_device_release(p->device, p->own);
        rill_device_free(p->device, p->out);
        rill_array_destroy(p->numbers);
        rill_array_destroy(p->at);
        rill_array_destroy(p->host);
    }
    free(s->pieces);
    free(s);
}
