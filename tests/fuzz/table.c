/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer: hostile tables: those that rill permeability --csv --resume reads back, and those of reference
 * values.
 *
 *     tests/fuzz/run table tests/fuzz/corpus/table -max_total_time=300
 */
#include "batch/csv.h"
#include "core/table.h"

#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rill_batch_csv *csv = NULL;
    rill_table table;
    char path[SCRATCH_SIZE];
    scratch_write(data, size, path);
    if (rill_batch_csv_read(path, false, &csv) == RILL_OK) rill_batch_csv_destroy(csv);
    rill_table_read(path, &table);
    rill_table_free(&table);
    unlink(path);
    return 0;
}
