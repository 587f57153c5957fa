/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer: hostile cases of rill run. Their geometry and waveforms are looked for in an empty directory.
 *
 *     tests/fuzz/run case tests/fuzz/corpus/case -max_total_time=300
 */
#include "rill.h"

#include "scratch.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rill_case *given = NULL;
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    if (rill_case_read_text(text, "/dev/shm/rill-fuzz-none/case.yaml", &given) == RILL_OK &&
        !rill_case_geometry(given))
        abort();
    rill_case_destroy(given);
    free(text);
    return 0;
}
