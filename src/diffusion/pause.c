/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints of a diffusivity or a dispersion. */
#include "diffusion/pause.h"

#include "core/clock.h"
#include "core/log.h"
#include "core/status.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

static const char variant[] = "diffusion"; /* the same bits on all devices */

rill_status rill_diffusion_pause_open(const char *path, double every, bool resume, const char *text,
                                      const rill_geom *geom, rill_diffusion_pause *out)
{
    *out =
        (rill_diffusion_pause){.path = path, .every = every, .saved = rill_now(), .resuming = path && resume};
    if (!path) return RILL_OK;
    XXH3_state_t *state = XXH3_createState();
    if (!state) return rill_fail(RILL_SYSTEM, "out of memory for a checkpoint");
    XXH3_64bits_reset(state);
    XXH3_64bits_update(state, rill_version(), strlen(rill_version()));
    XXH3_64bits_update(state, text, strlen(text));
    XXH3_64bits_update(state, geom->sides, sizeof geom->sides);
    snprintf(out->run, sizeof out->run, "%016llx", (unsigned long long)XXH3_64bits_digest(state));
    XXH3_freeState(state);
    return rill_checkpoint_geometry(geom, out->geometry);
}

rill_status rill_diffusion_pause_read(rill_diffusion_pause *p, const rill_checkpoint_part *parts, int count)
{
    uint64_t steps;
    const rill_status status = rill_checkpoint_read(
        p->path, &(rill_checkpoint_key){p->run, p->geometry, variant}, parts, count, &steps);
    p->own |= status == RILL_OK;
    return status;
}

rill_status rill_diffusion_pause_keep(rill_diffusion_pause *p, rill_status came, uint64_t steps,
                                      const rill_checkpoint_part *parts, int count)
{
    const bool due = p->every > 0 && rill_now() - p->saved >= p->every;
    if (!p->path || (came == RILL_OK ? !due : came != RILL_CANCELLED)) return came;
    const rill_status status = rill_checkpoint_write(
        p->path, &(rill_checkpoint_key){p->run, p->geometry, variant}, steps, parts, count);
    p->saved = rill_now();
    p->own |= status == RILL_OK;
    if (came == RILL_CANCELLED && status == RILL_OK)
        return rill_fail(came, "cancelled after %llu iterations: continue with --resume from %s",
                         (unsigned long long)steps, p->path);
    if (status == RILL_OK || came != RILL_OK) return status;
    rill_log(RILL_LOG_NOTE, "%s; the run goes on", rill_error_message());
    return RILL_OK;
}

bool rill_diffusion_pause_end(const rill_diffusion_pause *p, bool stays)
{
    const bool own = p->path && p->own;
    if (own && !stays) rill_checkpoint_remove(p->path);
    return own && stays;
}

/* ---- parts of a diffusivity ------------------------------------------------------------------- */

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
