/* SPDX-License-Identifier: Apache-2.0 */
/* Field files that need no other file. */
#include "core/h5.h"
#include "core/inspect.h"
#include "core/status.h"
#include "io/fields_priv.h"
#include "io/hdf5.h"
#include "io/ours.h"

#include <stdlib.h>
#include <string.h>

typedef struct copy {
    rill_h5_file *from, *to;
} copy;

/* Copies an attribute of the root; those that are neither text nor up to 9 numbers are none of ours. */
static rill_status attribute_copy(void *context, const char *name)
{
    rill_status status = RILL_OK;
    const copy *c = context;
    char *text = NULL;
    double reals[9];
    int64_t integers[9];
    size_t count = 0;
    switch (rill_h5_attribute_class(c->from, "/", name, &count)) {
    case RILL_H5_TEXT:
        RILL_TRY(rill_h5_get_text(c->from, "/", name, &text));
        RILL_TRY(rill_h5_set_text(c->to, "/", name, text));
        break;
    case RILL_H5_REAL:
        if (count == 0 || count > 9) break;
        RILL_TRY(rill_h5_get_reals(c->from, "/", name, reals, count));
        RILL_TRY(rill_h5_set_reals(c->to, "/", name, reals, count));
        break;
    case RILL_H5_INTEGER:
        if (count == 0 || count > 9) break;
        RILL_TRY(rill_h5_get_integers(c->from, "/", name, integers, count));
        RILL_TRY(rill_h5_set_integers(c->to, "/", name, integers, count));
        break;
    case RILL_H5_STRANGE:
        break;
    }
done:
    free(text);
    return status;
}

static rill_status fields_copy(const char *from, const char *to)
{
    rill_status status = RILL_OK;
    copy c = {0};
    char *format = NULL;
    RILL_TRY(rill_h5_open(from, &c.from));
    RILL_TRY(rill_format_read(c.from, &format));
    if (!format || strcmp(format, RILL_FIELDS_FORMAT) != 0)
        RILL_TRY(rill_fail(RILL_USAGE, "cannot copy %s: it holds no fields written by rill", from));
    RILL_TRY(rill_h5_check_linked(c.from, "/nodes/cell"));
    RILL_TRY(rill_h5_create(to, &c.to));
    RILL_TRY(rill_h5_attributes(c.from, "/", attribute_copy, &c));
    RILL_TRY(rill_h5_copy(c.from, c.to, "/VTKHDF"));
    if (rill_h5_exists(c.from, "/nodes")) RILL_TRY(rill_h5_copy(c.from, c.to, "/nodes"));
    RILL_TRY(rill_h5_copy(c.from, c.to, "/provenance"));
    if (rill_h5_lacked_memory()) /* "/nodes" may have been there */
        RILL_TRY(rill_fail(RILL_SYSTEM, "cannot copy %s: out of memory: free memory", from));
    RILL_TRY(rill_h5_commit(c.to));
done:
    free(format);
    rill_h5_close(c.to);
    rill_h5_close(c.from);
    return status;
}

/* H5Ocopy() crashes on many damages. */
rill_status rill_fields_copy(const char *from, const char *to)
{
    return rill_inspect_is_here() ? fields_copy(from, to) : rill_inspect_copy(from, to);
}
