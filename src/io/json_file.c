/* SPDX-License-Identifier: Apache-2.0 */
/* JSON files, by jansson. */
#include "io/json_file.h"

#include "core/notes.h"
#include "core/output.h"
#include "core/printable.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static volatile bool lacked; /* only ever becomes true */

static void *watched(size_t size)
{
    void *block = malloc(size);
    if (!block) lacked = true;
    return block;
}

void rill_json_watch(void) { json_set_alloc_funcs(watched, free); }

rill_status rill_json_check(void)
{
    return lacked ? rill_fail(RILL_SYSTEM,
                              "out of memory for a JSON document: free memory, or use a smaller case")
                  : RILL_OK;
}

char *rill_json_text(const json_t *json, int digits)
{
    const locale_t before = rill_c_locale_begin(); /* a decimal point of two bytes is too much for jansson */
    char *text = json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(digits) | JSON_ENCODE_ANY);
    rill_c_locale_end(before);
    if (!text) return NULL;
    char *plain = rill_printable_json(text);
    free(text);
    return plain;
}

rill_status rill_json_read(const char *path, json_t **out)
{
    json_error_t error;
    const locale_t before = rill_c_locale_begin();
    *out = json_load_file(path, 0, &error);
    rill_c_locale_end(before);
    if (*out) return RILL_OK;
    if (error.line < 0) return rill_fail(RILL_USAGE, "%s", error.text); /* it names the file */
    return rill_fail(RILL_USAGE, "%s cannot be read as JSON: line %d: %s", path, error.line, error.text);
}

rill_status rill_json_write(const json_t *json, const char *path)
{
    rill_status status = RILL_OK;
    rill_output *output = NULL;
    char *text = json ? rill_json_text(json, 17) : NULL;
    if (!text) return rill_fail(RILL_SYSTEM, "cannot write %s: out of memory for its JSON text", path);
    RILL_TRY(rill_json_check());
    RILL_TRY(rill_output_create(path, &output));
    RILL_TRY(rill_output_append(output, text, strlen(text)));
    RILL_TRY(rill_output_append(output, "\n", 1));
    RILL_TRY(rill_output_commit(output));
done:
    rill_output_destroy(output);
    free(text);
    return status;
}

json_t *rill_json_real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *rill_json_notes(const char *notes, const char *more)
{
    json_t *list = json_array();
    char *all = NULL;
    size_t length;
    if (rill_notes_add(&all, notes) != RILL_OK || rill_notes_add(&all, more) != RILL_OK) lacked = true;
    const char *rest = all;
    for (const char *at; (at = rill_notes_next(&rest, &length)) != NULL;) {
        json_t *note = json_stringn(at, length);
        json_array_append_new(list, note ? note : json_string("(not UTF-8)"));
    }
    free(all);
    return list;
}
