/* SPDX-License-Identifier: Apache-2.0 */
#include "membrane/contact.h"

#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"

#include <math.h>
#include <string.h>

/* Vertices that a thread takes at a time. */
enum { VERTICES = 64 };

static const char *const what = "contact between membranes";

/* Along an axis: the cell of a place, which is wrapped where the box is periodic. */
static uint32_t cell_along(const rill_membrane_contact *c, int axis, double x)
{
    const double n = c->n[axis], at = c->open[axis] ? x - n * floor(x / n) : x;
    const double cell = floor(at / n * c->cells[axis]);
    return (uint32_t)fmin(fmax(cell, 0), c->cells[axis] - 1.0);
}

rill_status rill_membrane_contact_create(const uint32_t n[3], const bool open[3], double range,
                                         double strength, uint64_t vertices, rill_membrane_contact *out)
{
    rill_status status = RILL_OK;
    rill_membrane_contact c = {.range = range, .strength = strength, .room = vertices};
    uint64_t cells = 1;
    for (int a = 0; a < 3; a++) {
        c.n[a] = n[a];
        c.open[a] = open[a];
        c.cells[a] = (uint32_t)fmin(fmax(floor(n[a] / range), 1), 256);
        cells *= c.cells[a];
        if (open[a] && c.cells[a] < 3)
            RILL_TRY(rill_fail(RILL_USAGE,
                               "%u voxels are less than 3 ranges of contact, %g: make the box wider", n[a],
                               3 * range));
    }
    if (vertices > UINT32_MAX)
        RILL_TRY(rill_fail(RILL_USAGE, "%llu vertices of membranes are more than %u: make them coarser",
                           (unsigned long long)vertices, UINT32_MAX));
    RILL_TRY(rill_array_create(cells + 1, sizeof *c.first, what, (void **)&c.first));
    RILL_TRY(rill_array_create(vertices, sizeof *c.cell, what, (void **)&c.cell));
    RILL_TRY(rill_array_create(vertices, sizeof *c.vertex, what, (void **)&c.vertex));
    *out = c;
    c = (rill_membrane_contact){0};
done:
    rill_membrane_contact_destroy(&c);
    return status;
}

void rill_membrane_contact_destroy(rill_membrane_contact *contact)
{
    rill_array_destroy(contact->first);
    rill_array_destroy(contact->cell);
    rill_array_destroy(contact->vertex);
    *contact = (rill_membrane_contact){0};
}

/* Sort vertices by cells: those of a cell stay in ascending order. */
static void sort(rill_membrane_contact *c, const double (*x)[3], uint32_t count)
{
    const uint32_t cells = c->cells[0] * c->cells[1] * c->cells[2];
    memset(c->first, 0, (cells + 1) * sizeof *c->first);
    for (uint32_t v = 0; v < count; v++) {
        c->cell[v] = cell_along(c, 0, x[v][0]) +
                     c->cells[0] * (cell_along(c, 1, x[v][1]) + c->cells[1] * cell_along(c, 2, x[v][2]));
        c->first[c->cell[v] + 1]++;
    }
    for (uint32_t k = 0; k < cells; k++) c->first[k + 1] += c->first[k];
    for (uint32_t v = count; v-- > 0;) c->vertex[--c->first[c->cell[v] + 1]] = v;
    /* each cell's end is its first vertex now, which is one place too late in the list */
    memmove(c->first, c->first + 1, cells * sizeof *c->first);
    c->first[cells] = count;
}

typedef struct work {
    const rill_membrane_contact *contact;
    const double (*x)[3];
    uint32_t of_each;
    double (*force)[3];
} work;

/* Add the push of one vertex on another. */
static void push(const work *w, uint32_t v, uint32_t other)
{
    const rill_membrane_contact *c = w->contact;
    double between[3], square = 0;
    for (int a = 0; a < 3; a++) {
        const double n = c->n[a];
        between[a] = w->x[v][a] - w->x[other][a];
        if (c->open[a]) between[a] -= n * rint(between[a] / n);
        square += between[a] * between[a];
    }
    const double distance = sqrt(square);
    if (distance >= c->range || distance == 0) return;
    for (int a = 0; a < 3; a++) w->force[v][a] += c->strength * (1 / distance - 1 / c->range) * between[a];
}

/* The cells around one along an axis. */
static int around(const rill_membrane_contact *c, int axis, uint32_t cell, uint32_t out[3])
{
    int count = 0;
    for (int step = -1; step <= 1; step++) {
        const int64_t n = c->cells[axis], at = (int64_t)cell + step;
        if (c->open[axis] || (at >= 0 && at < n)) out[count++] = (uint32_t)((at + n) % n);
    }
    return count;
}

static void contact(const void *shared, uint64_t first, uint64_t end)
{
    const work *w = shared;
    const rill_membrane_contact *c = w->contact;
    for (uint64_t v = first; v < end; v++) {
        uint32_t near[3][3];
        int count[3];
        for (int a = 0; a < 3; a++) count[a] = around(c, a, cell_along(c, a, w->x[v][a]), near[a]);
        for (int k = 0; k < count[0] * count[1] * count[2]; k++) {
            const uint32_t cell =
                near[0][k % count[0]] + c->cells[0] * (near[1][k / count[0] % count[1]] +
                                                       c->cells[1] * near[2][k / count[0] / count[1]]);
            for (uint32_t at = c->first[cell]; at < c->first[cell + 1]; at++)
                if (c->vertex[at] / w->of_each != v / w->of_each) push(w, (uint32_t)v, c->vertex[at]);
        }
    }
}

void rill_membrane_contact_add(rill_membrane_contact *c, const double (*x)[3], uint32_t count,
                               uint32_t of_each, double (*force)[3])
{
    const work w = {.contact = c, .x = x, .of_each = of_each, .force = force};
    sort(c, x, count);
    rill_threads_for(count, VERTICES, contact, &w);
}
