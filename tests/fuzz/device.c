/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers' objects refer to and no reader calls: with these, harnesses need neither backend nor node
 * update. */
#include "rill.h"

#include <stdlib.h>

rill_status rill_device_create(rill_backend_kind kind, int ordinal, rill_device **out)
{
    (void)kind;
    (void)ordinal;
    (void)out;
    abort();
}

void rill_device_destroy(rill_device *device)
{
    if (device) abort();
}
