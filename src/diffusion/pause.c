/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a diffusivity's checkpoint. */
#include "diffusion/pause.h"

#include <string.h>

static char *array_of(const rill_diffusor *d, int which)
{
    const rill_diffusion *w = &d->work;
    return (char *)(which == 0 ? w->found : which == 1 ? w->residual : w->direction);
}

/* Return a part of an array of the nodes, as loops work with it. */
static rill_status array_save(const rill_diffusor *d, int which, uint64_t offset, uint64_t bytes, void *to)
{
    if (d->device) return rill_device_download(d->device, to, array_of(d, which) + offset, bytes);
    memcpy(to, array_of(d, which) + offset, bytes);
    return RILL_OK;
}

static rill_status array_load(const rill_diffusor *d, int which, uint64_t offset, uint64_t bytes,
                              const void *from)
{
    if (d->device) return rill_device_upload(d->device, array_of(d, which) + offset, from, bytes);
    memcpy(array_of(d, which) + offset, from, bytes);
    return RILL_OK;
}

#define ARRAY(name, which)                                                                                   \
    static rill_status name##_save(void *d, uint64_t offset, uint64_t bytes, void *to)                       \
    {                                                                                                        \
        return array_save(d, which, offset, bytes, to);                                                      \
    }                                                                                                        \
    static rill_status name##_load(void *d, uint64_t offset, uint64_t bytes, const void *from)               \
    {                                                                                                        \
        return array_load(d, which, offset, bytes, from);                                                    \
    }
ARRAY(found, 0)
ARRAY(residual, 1)
ARRAY(direction, 2)

int rill_diffusivity_parts(rill_diffusivity_done *done, rill_diffusor *d, double *const found[3],
                           rill_checkpoint_part parts[RILL_DIFFUSIVITY_PARTS])
{
    static const char *const names[] = {"field along x", "field along y", "field along z"};
    int count = 0;
    parts[count++] = rill_checkpoint_memory("done", done, sizeof *done);
    if (!d) return count;
    const uint64_t bytes = d->numbering.nodes * sizeof(double);
    for (int a = 0; a < 3; a++)
        if (done->found[a]) parts[count++] = rill_checkpoint_memory(names[a], found[a], bytes);
    parts[count++] = (rill_checkpoint_part){"found", bytes, found_save, found_load, d, NULL};
    parts[count++] = (rill_checkpoint_part){"residual", bytes, residual_save, residual_load, d, NULL};
    parts[count++] = (rill_checkpoint_part){"direction", bytes, direction_save, direction_load, d, NULL};
    return count;
}
