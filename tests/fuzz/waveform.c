/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer: hostile waveforms.
 *
 *     tests/fuzz/run waveform tests/fuzz/corpus/waveform -max_total_time=300
 */
#include "vessel/waveform.h"

#include "scratch.h"

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
    unlink(path);
    return 0;
}
