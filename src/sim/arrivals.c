/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/arrivals.h"

#include "core/memory.h"
#include "kernel/storage/rounding.h"
#include "kernel/storage/storage.h"
#include "sim/macroscopic.h"

#include <stdlib.h>

/* Links that are read at a time. */
enum { SOME = 1 << 15 };

/* Room of a part of the domain on its device. */
typedef struct room {
    rill_sim *part;
    uint64_t first, end; /* its nodes */
    rill_cut_link *links;
    void *words;
} room;

struct rill_arrivals {
    rill_cut_link *links; /* [SOME], as kernels number nodes */
    uint64_t *at;         /* [SOME], where their values go */
    int8_t *signs;        /* [SOME], of the values */
    void *words;
    uint64_t count; /* collected */
    int parts;
    room *rooms; /* [parts] */
};

static void room_take(room *r, rill_storage storage, rill_room *of)
{
    RILL_ROOM_ALLOC(of, (uint64_t)SOME, r->links);
    rill_room_alloc(of, SOME * (uint64_t)rill_storage_size((int)storage), &r->words);
}

void rill_arrivals_count(rill_storage storage, rill_room *of)
{
    room_take(&(room){.part = NULL}, storage, of);
}

static rill_status room_create(rill_sim *part, rill_global_node first, room *r)
{
    rill_room of = rill_room_of(part->device, "populations at links");
    *r = (room){.part = part, .first = first, .end = first + part->domain->nodes};
    room_take(r, part->flow->options.variant.storage, &of);
    return of.status;
}

rill_status rill_arrivals_create(rill_sim *sim, rill_arrivals **out)
{
    rill_status status = RILL_OK;
    static const char what[] = "populations at links";
    const int parts = rill_sim_parts(sim);
    rill_arrivals *r = calloc(1, sizeof *r);
    if (r) r->rooms = calloc((size_t)parts, sizeof *r->rooms);
    if (!r || !r->rooms) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for %s", what));
    RILL_TRY(rill_array_create(SOME, sizeof *r->links, what, (void **)&r->links));
    RILL_TRY(rill_array_create(SOME, sizeof *r->at, what, (void **)&r->at));
    RILL_TRY(rill_array_create(SOME, sizeof *r->signs, what, (void **)&r->signs));
    RILL_TRY(rill_array_create(SOME, sizeof(double), what, &r->words));
    for (int k = 0; k < parts; k++) {
        r->parts = k + 1;
        RILL_TRY(room_create(rill_sim_part(sim, k), rill_sim_part_first(sim, k), &r->rooms[k]));
    }
    *out = r;
    r = NULL;
done:
    rill_arrivals_destroy(r);
    return status;
}

void rill_arrivals_destroy(rill_arrivals *r)
{
    if (!r) return;
    for (int k = 0; r->rooms && k < r->parts; k++) {
        if (r->rooms[k].links) rill_device_free(r->rooms[k].part->device, r->rooms[k].links);
        if (r->rooms[k].words) rill_device_free(r->rooms[k].part->device, r->rooms[k].words);
    }
    free(r->rooms);
    rill_array_destroy(r->links);
    rill_array_destroy(r->at);
    rill_array_destroy(r->signs);
    rill_array_destroy(r->words);
    free(r);
}

/* Read the links that were collected of a part. */
static rill_status flush(rill_arrivals *r, const room *of, double *values)
{
    rill_status status = RILL_OK;
    rill_device *device = of->part->device;
    const rill_storage storage = of->part->flow->options.variant.storage;
    const rill_launch launch = rill_sim_launch(of->part);
    if (r->count == 0) return RILL_OK;
    RILL_TRY(rill_device_upload(device, of->links, r->links, r->count * sizeof *r->links));
    of->part->flow->kernels->pack(&launch, of->links, r->count, of->words);
    RILL_TRY(rill_device_wait(device));
    RILL_TRY(rill_device_download(device, r->words, of->words, r->count * rill_storage_size((int)storage)));
    for (uint64_t k = 0; k < r->count; k++)
        values[r->at[k]] = r->signs[k] * rill_stored_value(storage, r->words, k);
    r->count = 0;
done:
    return status;
}

rill_status rill_arrivals_read(rill_arrivals *r, const rill_arrival *links, uint64_t count, double *values)
{
    rill_status status = RILL_OK;
    r->count = 0;
    for (int part = 0; part < r->parts; part++) {
        const room *of = &r->rooms[part];
        for (uint64_t k = 0; k < count; k++) {
            if (links[k].node < of->first || links[k].node >= of->end) continue;
            const rill_node number = rill_sim_number(of->part, (rill_node)(links[k].node - of->first));
            r->links[r->count] = (rill_cut_link){number, links[k].direction};
            r->signs[r->count] = (int8_t)rill_macroscopic_mirrored(of->part, &r->links[r->count]);
            r->at[r->count++] = k;
            if (r->count == SOME) RILL_TRY(flush(r, of, values));
        }
        RILL_TRY(flush(r, of, values));
    }
done:
    return status;
}
