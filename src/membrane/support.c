/* SPDX-License-Identifier: Apache-2.0 */
#include "membrane/support.h"

#include "core/memory.h"
#include "core/status.h"
#include "device/device.h"

#include <string.h>

static const char *const what = "the nodes around membranes";

rill_status rill_membrane_take(rill_device *device, uint64_t count, size_t size, const char *name, void **out)
{
    return device ? rill_device_alloc(device, (count ? count : 1) * size, name, out)
                  : rill_array_create_zero(count, size, name, out);
}

void rill_membrane_leave(rill_device *device, void *array)
{
    if (!device)
        rill_array_destroy(array);
    else if (array)
        rill_device_free(device, array);
}

rill_status rill_support_create(rill_device *device, const rill_numbering *numbering, const bool open[3],
                                int width, rill_support *out)
{
    rill_status status = RILL_OK;
    const uint64_t words = (uint64_t)numbering->n[1] * numbering->n[2] * numbering->row_words;
    rill_support r = {.device = device, .width = width, .words = (numbering->nodes + 63) / 64};
    rill_membrane_box *b = &r.box;
    if (width < RILL_KERNEL_LEAST || width > RILL_KERNEL_MOST)
        RILL_TRY(rill_fail(RILL_USAGE, "a kernel of %d nodes does not exist: choose 2, 3 or 4", width));
    memcpy(b->n, numbering->n, sizeof b->n);
    memcpy(b->open, open, sizeof b->open);
    b->row_words = numbering->row_words;
    b->occupied = numbering->occupied;
    b->base = numbering->base;
    if (device) {
        b->occupied = NULL;
        b->base = NULL;
        RILL_TRY(rill_device_share(device, numbering->occupied, words * sizeof *b->occupied, what,
                                   (const void **)&b->occupied));
        RILL_TRY(rill_device_share(device, numbering->base, words * sizeof *b->base, what,
                                   (const void **)&b->base));
    }
    RILL_TRY(rill_membrane_take(device, r.words, sizeof *r.marks, what, (void **)&r.marks));
    RILL_TRY(rill_membrane_take(device, r.words, sizeof *r.before, what, (void **)&r.before));
    RILL_TRY(rill_membrane_take(device, rill_membrane_sums(r.words), sizeof *r.sums, what, (void **)&r.sums));
    RILL_TRY(rill_membrane_take(device, 1, sizeof *r.tally, what, (void **)&r.tally));
    *out = r;
    r = (rill_support){0};
done:
    rill_support_destroy(&r);
    return status;
}

static void lists_destroy(rill_support *r)
{
    rill_membrane_leave(r->device, r->node);
    rill_membrane_leave(r->device, r->force);
    rill_membrane_leave(r->device, r->velocity);
    r->node = NULL;
    r->force = NULL;
    r->velocity = NULL;
    r->room = 0;
}

void rill_support_destroy(rill_support *support)
{
    rill_device *device = support->device;
    if (device && support->box.occupied) rill_device_release(device, support->box.occupied);
    if (device && support->box.base) rill_device_release(device, support->box.base);
    rill_membrane_leave(device, support->marks);
    rill_membrane_leave(device, support->before);
    rill_membrane_leave(device, support->sums);
    rill_membrane_leave(device, support->tally);
    lists_destroy(support);
    *support = (rill_support){0};
}

static rill_status room_make(rill_support *r)
{
    rill_status status = RILL_OK;
    if (r->count <= r->room) return RILL_OK;
    lists_destroy(r);
    const uint64_t room = r->count + r->count / 8;
    RILL_TRY(rill_membrane_take(r->device, room, sizeof *r->node, what, (void **)&r->node));
    RILL_TRY(rill_membrane_take(r->device, room, sizeof *r->force, what, (void **)&r->force));
    RILL_TRY(rill_membrane_take(r->device, room, sizeof *r->velocity, what, (void **)&r->velocity));
    r->room = room;
done:
    return status;
}

/* Describe vertices, which work on nodes only reads but for their velocities. */
static rill_membrane_set set_of(const rill_support *r, const double (*x)[3], const double (*force)[3],
                                uint64_t count)
{
    return (rill_membrane_set){
        .support = *r, .vertices = count, .x = (double(*)[3])x, .force = (double(*)[3])force};
}

static rill_status work(const rill_support *r, rill_membrane_work work, const rill_membrane_set *s)
{
    return rill_membrane_do(r->device, work, s, NULL);
}

rill_status rill_support_find(rill_support *r, const double (*x)[3], const double (*force)[3], uint64_t count)
{
    rill_status status = RILL_OK;
    rill_membrane_set s = set_of(r, x, force, count);
    RILL_TRY(work(r, RILL_MEMBRANE_UNMARK, &s));
    RILL_TRY(work(r, RILL_MEMBRANE_MARK, &s));
    RILL_TRY(work(r, RILL_MEMBRANE_COUNT, &s));
    RILL_TRY(rill_membrane_scan_up(r->device, r->before, r->words, r->sums, &r->tally->count));
    if (r->device)
        RILL_TRY(rill_device_download(r->device, &r->seen, r->tally, sizeof r->seen));
    else
        r->seen = *r->tally;
    r->count = r->seen.count;
    RILL_TRY(room_make(r));
    s = set_of(r, x, force, count);
    RILL_TRY(work(r, RILL_MEMBRANE_LIST, &s));
    RILL_TRY(work(r, RILL_MEMBRANE_EMPTY, &s));
done:
    return status;
}

rill_status rill_support_spread(const rill_support *support, const double (*x)[3], const double (*force)[3],
                                uint64_t count)
{
    const rill_membrane_set s = set_of(support, x, force, count);
    return work(support, RILL_MEMBRANE_SPREAD, &s);
}

rill_status rill_support_interpolate(const rill_support *support, const double (*x)[3], uint64_t count,
                                     double (*velocity)[3])
{
    rill_membrane_set s = set_of(support, x, NULL, count);
    s.velocity = velocity;
    return work(support, RILL_MEMBRANE_INTERPOLATE, &s);
}

uint64_t rill_support_bytes(uint64_t nodes, uint64_t reach)
{
    const rill_support *r = NULL;
    return (nodes / 64 + 1) * (sizeof *r->marks + sizeof *r->before) +
           (reach + reach / 8) * (sizeof *r->node + sizeof *r->force + sizeof *r->velocity);
}
