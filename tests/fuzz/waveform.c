/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer: hostile waveforms, and points with velocities.
 *
 *     tests/fuzz/run waveform tests/fuzz/corpus/waveform -max_total_time=300
 */
#include "vessel/inlet/profile_points.h"
#include "vessel/case/waveform.h"

#include "scratch.h"

/* The profile that points make in a square opening. */
static void measure(const rill_velocities *velocities)
{
    double outline[4][3] = {{-0.01, -0.01, 0}, {0.01, -0.01, 0}, {0.01, 0.01, 0}, {-0.01, 0.01, 0}};
    const rill_opening opening = {.name = "in",
                                  .normal = {0, 0, 1},
                                  .axis = {0, 0, 1},
                                  .area = 4e-4,
                                  .hydraulic_diameter = 0.02,
                                  .outline = outline,
                                  .outline_count = 4};
    rill_profile *profile = NULL;
    if (rill_profile_measure(velocities, &opening, 8, &profile) == RILL_OK) rill_profile_destroy(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rill_waveform *wave = NULL;
    char path[SCRATCH_SIZE];
    scratch_write(data, size, path);
    for (int given = 0; given < 2; given++) {
        if (rill_waveform_read(path, given ? 0.8 : 0, &wave) != RILL_OK) wave = NULL;
        rill_waveform_destroy(wave);
        wave = NULL;
    }
    rill_velocities *velocities = NULL;
    if (rill_velocities_read(path, 0, &velocities) == RILL_OK) measure(velocities);
    rill_velocities_destroy(velocities);
    unlink(path);
    return 0;
}
