/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attributes of the Pixels element of OME-XML (schema 2016-06), by a scan of its start tag: nothing else
 * of the document matters here, and a damaged document must not do harm. Not read: planes, TiffData,
 * annotations.
 */
#include "geometry/image/ome.h"
#include "core/decimal.h"
#include "geometry/image/image_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copy the value of an attribute of the tag that starts at `tag`; false when it is missing or too long. */
static bool attribute(const char *tag, const char *name, char *value, size_t size)
{
    const size_t length = strlen(name);
    const char *c = tag + strcspn(tag, " \t\r\n/>");
    for (;;) {
        c += strspn(c, " \t\r\n");
        const char *equals = c + strcspn(c, "= \t\r\n/>\"'");
        const char *quote = equals + strspn(equals, "= \t\r\n");
        if (*equals == '\0' || (*quote != '"' && *quote != '\'')) return false;
        const char *end = strchr(quote + 1, *quote);
        if (!end) return false;
        if ((size_t)(equals - c) == length && strncmp(c, name, length) == 0)
            return snprintf(value, size, "%.*s", (int)(end - quote - 1), quote + 1) < (int)size;
        c = end + 1;
    }
}

static uint64_t count_of(const char *tag, const char *name)
{
    char text[32];
    if (!attribute(tag, name, text, sizeof text) || !isdigit((unsigned char)*text)) return 1;
    return strtoull(text, NULL, 10);
}

/* Metres in the unit of an axis, micrometres where none is given (as in the schema); 0: it is no length. */
static double unit_of(const char *tag, char axis)
{
    char name[32], text[32];
    snprintf(name, sizeof name, "PhysicalSize%cUnit", axis);
    if (!attribute(tag, name, text, sizeof text)) return 1e-6;
    return rill_image_unit(text);
}

static void read_spacing(const char *tag, rill_ome *out)
{
    double unit[3], value[3] = {0};
    out->metric = true;
    for (int a = 0; a < 3; a++) {
        char name[32], text[48];
        snprintf(name, sizeof name, "PhysicalSize%c", "XYZ"[a]);
        if (attribute(tag, name, text, sizeof text)) (void)rill_decimal(text, &value[a]);
        unit[a] = unit_of(tag, "XYZ"[a]);
        out->metric &= unit[a] > 0;
    }
    for (int a = 0; a < 3; a++) out->spacing[a] = value[a] * (out->metric ? unit[a] : 1);
}

bool rill_ome_read(const char *description, rill_ome *out)
{
    if (!description || !strstr(description, "<OME")) return false;
    const char *tag = strstr(description, "<Pixels");
    if (!tag) return false;
    *out = (rill_ome){count_of(tag, "SizeZ"), count_of(tag, "SizeC"), count_of(tag, "SizeT"), {0}, false};
    read_spacing(tag, out);
    return true;
}
