/* SPDX-License-Identifier: Apache-2.0 */
/* Noise: the worst case for sparse addressing, and a test of everything that counts or labels. */
#include "core/status.h"
#include "geometry/generate/generate_priv.h"
#include "geometry/generate/generate_random.h"

rill_noise_options rill_noise_options_default(void)
{
    return (rill_noise_options){.n = {64, 64, 64}, .porosity = 0.5, .seed = 1};
}

rill_status rill_generate_noise(const rill_noise_options *options, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    if (!(options->porosity >= 0 && options->porosity <= 1))
        RILL_TRY(rill_fail(RILL_USAGE,
                           "a porosity of %g is not within 0 ... 1: give the pore fraction, such as 0.4",
                           options->porosity));
    RILL_TRY(rill_geom_create(options->n, &geom));
    const uint64_t stream = rill_random_stream(options->seed, 0), voxels = rill_geom_voxels(geom);
#pragma omp parallel for schedule(static)
    for (uint64_t v = 0; v < voxels; v++)
        geom->voxels[v] = rill_random_unit(stream, v) < options->porosity ? RILL_FLUID : RILL_SOLID;
    RILL_TRY(rill_generate_finish(geom, "noise"));
    *out = geom;
    geom = NULL;
done:
    rill_geom_destroy(geom);
    return status;
}
