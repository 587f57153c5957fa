/* SPDX-License-Identifier: Apache-2.0 */
/* The known name nearest to a mistyped one. */
#include "core/nearest.h"

#include <string.h>

enum { LONGEST = 40 }; /* length of a name; a distance that is none, of longer ones */

/* Insertions, deletions, replacements and swaps of neighbours (Damerau 1964, doi:10.1145/363958.363994). */
static size_t distance(const char *a, const char *b)
{
    const size_t m = strlen(a), n = strlen(b);
    size_t d[LONGEST + 1][LONGEST + 1];
    if (m > LONGEST || n > LONGEST) return LONGEST;
    for (size_t i = 0; i <= m; i++) d[i][0] = i;
    for (size_t j = 0; j <= n; j++) d[0][j] = j;
    for (size_t i = 1; i <= m; i++)
        for (size_t j = 1; j <= n; j++) {
            size_t least = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < least) least = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < least) least = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < least)
                least = d[i - 2][j - 2] + 1;
            d[i][j] = least;
        }
    return d[m][n];
}

void rill_nearest_try(rill_nearest *match, const char *name, const char *known)
{
    size_t d = distance(name, known);
    const size_t length = strlen(name);
    if (length >= 3 && strncmp(name, known, length) == 0) d = 0; /* an abbreviation */
    if (match->name != NULL && d >= match->distance) return;
    match->name = known;
    match->distance = d;
}

bool rill_nearest_is_meant(const rill_nearest *match, const char *name)
{
    const size_t length = strlen(name);
    return match->name != NULL && match->distance < LONGEST &&
           match->distance <= length / (length < 3 ? 2 : 3);
}
