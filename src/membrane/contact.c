/* SPDX-License-Identifier: Apache-2.0 */
#include "membrane/contact.h"

#include "core/status.h"
#include "membrane/support.h"

#include <math.h>
#include <string.h>

/* Cells along an axis, at most. */
#define CELLS 256.0

static const char *const what = "contact between membranes";

static uint32_t cells_along(uint32_t n, double range)
{
    return (uint32_t)fmin(fmax(floor(n / range), 1), CELLS);
}

rill_status rill_membrane_contact_create(rill_device *device, const uint32_t n[3], const bool open[3],
                                         double range, double strength, uint64_t vertices,
                                         rill_membrane_contact *out)
{
    rill_status status = RILL_OK;
    rill_membrane_contact c = {.device = device, .range = range, .strength = strength, .room = vertices};
    for (int a = 0; a < 3; a++) {
        c.n[a] = n[a];
        c.open[a] = open[a];
        c.cells[a] = cells_along(n[a], range);
        if (open[a] && c.cells[a] < 3)
            RILL_TRY(rill_fail(RILL_USAGE,
                               "%u voxels are less than 3 ranges of contact, %g: make the box wider", n[a],
                               3 * range));
    }
    if (vertices > UINT32_MAX)
        RILL_TRY(rill_fail(RILL_USAGE, "%llu vertices of membranes are more than %u: make them coarser",
                           (unsigned long long)vertices, UINT32_MAX));
    const uint64_t cells = rill_membrane_cells(&c);
    RILL_TRY(rill_membrane_take(device, cells + 1, sizeof *c.first, what, (void **)&c.first));
    RILL_TRY(
        rill_membrane_take(device, rill_membrane_sums(cells + 1), sizeof *c.sums, what, (void **)&c.sums));
    RILL_TRY(rill_membrane_take(device, vertices, sizeof *c.vertex, what, (void **)&c.vertex));
    *out = c;
    c = (rill_membrane_contact){0};
done:
    rill_membrane_contact_destroy(&c);
    return status;
}

void rill_membrane_contact_destroy(rill_membrane_contact *c)
{
    rill_membrane_leave(c->device, c->first);
    rill_membrane_leave(c->device, c->vertex);
    rill_membrane_leave(c->device, c->sums);
    *c = (rill_membrane_contact){0};
}

rill_status rill_membrane_contact_add(const rill_membrane_set *s)
{
    rill_status status = RILL_OK;
    const rill_membrane_contact *c = &s->contact;
    RILL_TRY(rill_membrane_do(c->device, RILL_MEMBRANE_CLEAR, s, NULL));
    RILL_TRY(rill_membrane_do(c->device, RILL_MEMBRANE_ENTER, s, NULL));
    RILL_TRY(rill_membrane_scan_up(c->device, c->first, rill_membrane_cells(c) + 1, c->sums, NULL));
    RILL_TRY(rill_membrane_do(c->device, RILL_MEMBRANE_SORT, s, NULL));
    RILL_TRY(rill_membrane_do(c->device, RILL_MEMBRANE_ORDER, s, NULL));
    RILL_TRY(rill_membrane_do(c->device, RILL_MEMBRANE_TOUCH, s, NULL));
done:
    return status;
}

uint64_t rill_membrane_contact_bytes(const uint32_t n[3], double range, uint64_t vertices)
{
    const rill_membrane_contact *c = NULL;
    uint64_t cells = 1;
    for (int a = 0; a < 3; a++) cells *= cells_along(n[a], range);
    return (cells + 1) * sizeof *c->first + vertices * sizeof *c->vertex;
}
