/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of CSV files that hold texts. */
#include "core/csv.h"

#include "core/decimal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_number(const char *text)
{
    double value;
    return strcmp(text, "-inf") == 0 || rill_decimal(text, &value);
}

/* Whether a spreadsheet would compute a text, or would if it began behind its apostrophes. */
static bool is_formula(const char *text)
{
    text += strspn(text, "'");
    return *text != '\0' && strchr("=+-@\t\r", *text) != NULL && !is_number(text);
}

void rill_csv_text(FILE *out, const char *text)
{
    const char *mark = is_formula(text) ? "'" : "";
    if (!strpbrk(text, ",\"\r\n")) {
        fprintf(out, "%s%s", mark, text);
        return;
    }
    fprintf(out, "\"%s", mark);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

char *rill_csv_plain(char *cell) { return *cell == '\'' && is_formula(cell) ? cell + 1 : cell; }

char *rill_csv_cell(char **at, char *mark)
{
    char *from = *at, *to = *at, *cell = *at;
    if (*from == '"') {
        for (from++; *from && !(*from == '"' && from[1] != '"'); from++) {
            from += *from == '"';
            *to++ = *from;
        }
        from += *from == '"';
    } else {
        from += strcspn(from, ",\r\n");
        to = from;
    }
    *mark = *from;
    *at = from + (*from != '\0');
    *to = '\0';
    return cell;
}
