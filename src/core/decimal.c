/* SPDX-License-Identifier: Apache-2.0 */
#include "core/decimal.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *rill_decimal_at(const char *text, double *value)
{
    const char *first = text + (*text == '-' || *text == '+');
    if (!isdigit((unsigned char)*first) && *first != '.') return NULL;
    if (first[0] == '0' && (first[1] == 'x' || first[1] == 'X')) return NULL;
    char *end;
    const double number = strtod(text, &end);
    if (end == text || !isfinite(number)) return NULL;
    const char *digit = first + strspn(first, "0."); /* the first that is not 0 */
    if (number == 0 && digit < end && isdigit((unsigned char)*digit)) return NULL; /* underflow */
    *value = number;
    return end;
}

bool rill_decimal(const char *text, double *value)
{
    double number;
    const char *rest = rill_decimal_at(text, &number);
    if (!rest || *rest) return false;
    *value = number;
    return true;
}

bool rill_decimal_special(const char *text, double *value)
{
    const bool below = *text == '-';
    const char *word = text + (below || *text == '+');
    if (strcasecmp(word, "nan") == 0)
        *value = NAN;
    else if (strcasecmp(word, "inf") == 0 || strcasecmp(word, "infinity") == 0)
        *value = below ? -INFINITY : INFINITY;
    else
        return false;
    return true;
}
