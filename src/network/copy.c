/* SPDX-License-Identifier: Apache-2.0 */
/* The levels of a network in the memory of a device, in one piece: arrays one after the other. */
#include "network/network.h"

/* Arrays of a device begin at multiples of so many bytes. */
enum { ALIGNED = 256 };

/* Where arrays are put. The first time they are only counted. */
typedef struct piece {
    rill_device *device;
    char *memory; /* NULL: counted */
    uint64_t used;
} piece;

/* Give an array its place, and what is in it. @param from  NULL: nothing is */
static rill_status put(piece *p, uint64_t count, uint64_t size, const void *from, void *out)
{
    const uint64_t at = p->used;
    p->used += (count * size + ALIGNED - 1) / ALIGNED * ALIGNED;
    if (!p->memory) return RILL_OK;
    *(void **)out = p->memory + at;
    return from && count > 0 ? rill_device_upload(p->device, p->memory + at, from, count * size) : RILL_OK;
}

static rill_status put_level(piece *p, const rill_flow_level *level, rill_flow_level *out)
{
    rill_status status = RILL_OK;
    const uint32_t n = level->count;
    *out = *level;
    RILL_TRY(put(p, (uint64_t)n + 1, sizeof *level->begin, level->begin, &out->begin));
    RILL_TRY(put(p, level->begin[n], sizeof *level->link, level->link, &out->link));
    RILL_TRY(put(p, n, sizeof *level->inverse, level->inverse, &out->inverse));
    if (level->first && level->end == level->first + 1) {
        RILL_TRY(put(p, (uint64_t)n + 1, sizeof *level->first, level->first, &out->first));
        out->end = out->first + 1;
    } else if (level->first) {
        RILL_TRY(put(p, n, sizeof *level->first, level->first, &out->first));
        RILL_TRY(put(p, n, sizeof *level->end, level->end, &out->end));
    }
    double **const vectors[] = {&out->given, &out->value, &out->old};
    for (int k = 0; k < 3; k++) RILL_TRY(put(p, n, sizeof(double), NULL, vectors[k]));
done:
    return status;
}

static rill_status put_all(piece *p, const rill_network *network, rill_network_copy *out)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < network->levels; k++) RILL_TRY(put_level(p, &network->level[k], &out->level[k]));
    double **const vectors[] = {&out->found, &out->direction, &out->flow};
    for (int k = 0; k < 3; k++) RILL_TRY(put(p, network->chambers, sizeof(double), NULL, vectors[k]));
    RILL_TRY(put(p, rill_flow_chunks(network->chambers), sizeof(double), NULL, &out->partial));
done:
    return status;
}

rill_status rill_network_put(rill_network *network, rill_device *device)
{
    rill_status status = RILL_OK;
    rill_network_copy *copy = &network->copy;
    piece p = {.device = device};
    rill_network_take_off(network);
    if (!rill_flow_reaches(device) || network->chambers == 0) return RILL_OK;
    RILL_TRY(put_all(&p, network, copy));
    RILL_TRY(rill_device_alloc(device, p.used, "the pore network", &copy->memory));
    copy->device = device;
    p = (piece){.device = device, .memory = copy->memory};
    RILL_TRY(put_all(&p, network, copy));
    /* Which go to the device and come back each time. */
    rill_device_pin(device, network->level->given, network->chambers * sizeof(double));
    rill_device_pin(device, network->found, network->chambers * sizeof(double));
done:
    if (status != RILL_OK) rill_network_take_off(network);
    return status;
}

void rill_network_take_off(rill_network *network)
{
    rill_network_copy *copy = &network->copy;
    if (copy->memory) {
        rill_device_unpin(copy->device, network->level->given);
        rill_device_unpin(copy->device, network->found);
        rill_device_free(copy->device, copy->memory);
    }
    *copy = (rill_network_copy){.device = NULL};
}

uint64_t rill_network_copy_size(uint64_t chambers)
{
    /* Of a chamber: its links and those of coarser levels, what rows have, and vectors (measured: 131 to 164
     * bytes in rocks and packs, of 2.0 to 2.7 throats for each, 198 in an open box, 255 and 273 in noise). */
    return chambers * 275;
}
