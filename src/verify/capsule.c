/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/capsule.h"

#include "device/device.h"

#include <math.h>

const char *rill_verify_capsule_unfit(const rill_verify_case *of, const rill_verify_setup *setup)
{
    (void)of;
    const rill_variant *v = &setup->variant;
    if (v->stream == RILL_RING || v->stream == RILL_MACROSCOPIC)
        return "capsules go with pull, aa, esotwist and esopull";
    if (v->lattice != RILL_D3Q19 || v->collision != RILL_TRT || v->bounce != RILL_HALF_WAY)
        return "capsules are computed on D3Q19, with trt and half-way bounce-back";
    if (v->addressing != RILL_LIST || (v->arithmetic != RILL_SINGLE && v->storage != RILL_FP64) ||
        fabs(setup->magic - 3.0 / 16) > 1e-9 || setup->on.count > 1)
        return "capsules are computed with a list, single arithmetic and magic 3/16, in one part";
    return setup->on.device && setup->on.device->kind != RILL_BACKEND_CPU ? "capsules are computed on a CPU"
                                                                          : NULL;
}

rill_capsule_case rill_verify_capsule(const rill_verify_setup *setup, double radius, double box)
{
    const uint32_t n = (uint32_t)round(box * radius);
    return (rill_capsule_case){.n = {n, n, n},
                               .radius = radius,
                               .level = rill_capsule_level(radius),
                               .dilatation = 1,
                               .width = 2,
                               .stream = setup->variant.stream,
                               .storage = setup->variant.storage,
                               .shift = setup->variant.shift,
                               .progress = setup->progress};
}
