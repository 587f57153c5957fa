/* SPDX-License-Identifier: Apache-2.0 */
/* Units of length as the headers of images spell them; what UDUNITS-2 knows, and what programs write beside
 * it. */
#include "geometry/image/image_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Spellings of the micro sign: UTF-8 of both characters, ISO 8859-1, XML, ImageJ. */
static const char *const micros[] = {"\xc2\xb5", "\xce\xbc", "\xb5",    "&#181;",
                                     "&#xB5;",   "&#xb5;",   "\\u00B5", "\\u00b5"};

static bool take_micro(const char **at)
{
    for (size_t k = 0; k < sizeof micros / sizeof *micros; k++) {
        const size_t length = strlen(micros[k]);
        if (strncmp(*at, micros[k], length) != 0) continue;
        *at += length;
        return true;
    }
    return false;
}

double rill_image_unit(const char *unit)
{
    char text[72] = "1 ";
    size_t used = 2;
    double metres;
    while (*unit && used < sizeof text - 1) {
        if (take_micro(&unit))
            text[used++] = 'u';
        else if (strchr("[]_", *unit)) /* of EMD: "[u_m]" */
            unit++;
        else
            text[used++] = *unit++;
    }
    text[used] = '\0';
    if (used == 2 || *unit) return 0;
    if (used > 2 + 4) /* a word: "Microns" */
        for (char *c = text; *c; c++) *c = (char)tolower((unsigned char)*c);
    return rill_units_parse(text, "m", &metres) == RILL_OK ? metres : 0;
}
