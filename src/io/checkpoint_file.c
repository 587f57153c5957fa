/* SPDX-License-Identifier: Apache-2.0 */
#include "io/checkpoint_file.h"

#include "core/clock.h"
#include "core/log.h"
#include "core/status.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

rill_status rill_checkpoint_file_open(const char *path, double every, bool resume, const char *text,
                                      const rill_geom *geom, const char *variant, const char *counted,
                                      rill_checkpoint_file *out)
{
    *out = (rill_checkpoint_file){
        .path = path, .every = every, .counted = counted, .saved = rill_now(), .resuming = path && resume};
    if (!path) return RILL_OK;
    snprintf(out->variant, sizeof out->variant, "%s", variant);
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

static rill_checkpoint_key key_of(const rill_checkpoint_file *f)
{
    return (rill_checkpoint_key){f->run, f->geometry, f->variant};
}

rill_status rill_checkpoint_file_read(rill_checkpoint_file *f, const rill_checkpoint_part *parts, int count,
                                      uint64_t *made)
{
    uint64_t steps;
    const rill_checkpoint_key key = key_of(f);
    const rill_status status = rill_checkpoint_read(f->path, &key, parts, count, &steps);
    f->own |= status == RILL_OK;
    if (made && status == RILL_OK) *made = steps;
    return status;
}

bool rill_checkpoint_file_due(const rill_checkpoint_file *f, rill_status came)
{
    if (!f->path) return false;
    if (came != RILL_OK) return came == RILL_CANCELLED;
    return (f->asked && *f->asked) || (f->every > 0 && rill_now() - f->saved >= f->every);
}

rill_status rill_checkpoint_file_keep(rill_checkpoint_file *f, rill_status came, uint64_t made,
                                      const rill_checkpoint_part *parts, int count)
{
    if (!rill_checkpoint_file_due(f, came)) return came;
    const rill_checkpoint_key key = key_of(f);
    if (f->asked) *f->asked = 0;
    const rill_status status = rill_checkpoint_write(f->path, &key, made, parts, count);
    f->saved = rill_now();
    f->own |= status == RILL_OK;
    if (came == RILL_CANCELLED && status == RILL_OK)
        return rill_fail(came, "cancelled after %llu %s: continue with --resume from %s",
                         (unsigned long long)made, f->counted, f->path);
    if (status == RILL_OK || came != RILL_OK) return status;
    rill_log(RILL_LOG_NOTE, "%s; the run goes on", rill_error_message());
    return RILL_OK;
}

bool rill_checkpoint_file_end(const rill_checkpoint_file *f, bool stays)
{
    const bool own = f->path && f->own;
    if (own && !stays) rill_checkpoint_remove(f->path);
    return own && stays;
}
