/* SPDX-License-Identifier: Apache-2.0 */
#include "membrane/push.h"

rill_status rill_push_before(const rill_support *support, const rill_launch *launch)
{
    return rill_membrane_do(support->device, RILL_MEMBRANE_BEFORE, &(rill_membrane_set){.support = *support},
                            launch);
}

rill_status rill_push_after(const rill_support *support, const rill_launch *launch)
{
    return rill_membrane_do(support->device, RILL_MEMBRANE_AFTER, &(rill_membrane_set){.support = *support},
                            launch);
}
