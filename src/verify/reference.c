/* SPDX-License-Identifier: Apache-2.0 */
/* Reference values of data/. */
#include "verify/reference.h"

#include "core/status.h"
#include "core/table.h"

static rill_status read_number(const rill_table *table, int row, const char *name, double over, double *value)
{
    rill_status status = RILL_OK;
    int column;
    double read;
    RILL_TRY(rill_table_column(table, name, &column));
    RILL_TRY(rill_table_number(table, row, column, &read));
    if (value) *value = over != 0 ? read / over : read;
done:
    return status;
}

/* Whether every cell is a number. */
static rill_status check_numbers(const rill_table *table)
{
    rill_status status = RILL_OK;
    double value;
    for (int row = 0; row < table->rows; row++)
        for (int column = 0; column < table->columns; column++)
            RILL_TRY(rill_table_number(table, row, column, &value));
done:
    return status;
}

rill_status rill_verify_reference_read(const rill_verify_reference *r, double *value, double *uncertainty)
{
    rill_status status = RILL_OK;
    rill_table table;
    int row;
    RILL_TRY(rill_table_read(r->table, &table));
    if (!r->row) {
        status = check_numbers(&table);
        goto done;
    }
    RILL_TRY(rill_table_row(&table, r->row, &row));
    RILL_TRY(read_number(&table, row, r->column, r->over, value));
    if (r->uncertainty) RILL_TRY(read_number(&table, row, r->uncertainty, r->over, uncertainty));
done:
    rill_table_free(&table);
    return status;
}
