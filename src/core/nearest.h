/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file nearest.h
 * The known name nearest to a mistyped one: of options, commands, keys.
 */
#ifndef RILL_CORE_NEAREST_H
#define RILL_CORE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/** The best of the names compared so far; starts as {0}. */
typedef struct rill_nearest {
    const char *name;
    size_t distance;
} rill_nearest;

/** Keep `known` when it is nearer to `name` than what was kept. */
void rill_nearest_try(rill_nearest *match, const char *name, const char *known);

/** Return whether what was kept is near enough to be meant by `name`. */
bool rill_nearest_is_meant(const rill_nearest *match, const char *name);

#endif
