/* SPDX-License-Identifier: Apache-2.0 */
#include "io/step_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *rill_step_file_name(const char *output, uint64_t step, const char *kind)
{
    const size_t length = strlen(output), room = length + strlen(kind) + 40;
    const size_t stem = length > 3 && strcmp(output + length - 3, ".h5") == 0 ? length - 3 : length;
    char *path = malloc(room);
    if (path) snprintf(path, room, "%.*s.%llu%s.vtkhdf", (int)stem, output, (unsigned long long)step, kind);
    return path;
}

uint64_t rill_step_plan_next(const rill_step_plan *plan, uint64_t made)
{
    const uint64_t left = plan->steps - made;
    uint64_t next = plan->row - made % plan->row;
    if (plan->every && plan->every - made % plan->every < next) next = plan->every - made % plan->every;
    return next < left ? next : left;
}

bool rill_step_plan_writes(const rill_step_plan *plan, uint64_t step)
{
    return plan->every && step % plan->every == 0;
}
