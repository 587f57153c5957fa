/* SPDX-License-Identifier: Apache-2.0 */
/* Escapes control characters. */
#include "core/printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decode the UTF-8 character at `text`. @return its bytes; 0: it is not UTF-8 */
static int decode(const unsigned char *text, uint32_t *c)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char first = *text;
    const int length = first < 0x80   ? 1
                       : first < 0xc2 ? 0
                       : first < 0xe0 ? 2
                       : first < 0xf0 ? 3
                       : first < 0xf5 ? 4
                                      : 0;
    *c = length == 1 ? first : first & (0xffu >> (length + 1));
    for (int k = 1; k < length; k++) {
        if ((text[k] & 0xc0) != 0x80) return 0;
        *c = *c << 6 | (text[k] & 0x3f);
    }
    return *c < least[length] || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000) ? 0 : length;
}

/* Marks, embeddings, overrides and isolates of bidirectional text are among them. */
static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

enum { PIECE = 16, MOST = 6 /* bytes that stand for one, as in \u{1b} */ };

/* Escape what is at *text, which moves behind it. @return bytes */
static size_t spell(char piece[PIECE], const char **text)
{
    uint32_t c;
    const int length = decode((const unsigned char *)*text, &c);
    const char *at = *text;
    *text += length ? length : 1;
    if (length == 0) return (size_t)snprintf(piece, PIECE, "\\x%02x", (unsigned)(unsigned char)*at);
    if (is_control(c)) return (size_t)snprintf(piece, PIECE, "\\u{%x}", (unsigned)c);
    memcpy(piece, at, (size_t)length);
    return (size_t)length;
}

void rill_printable_into(char *to, size_t size, const char *text)
{
    char piece[PIECE];
    size_t used = 0;
    while (*text) {
        const size_t length = spell(piece, &text);
        if (used + length >= size) break;
        memcpy(to + used, piece, length);
        used += length;
    }
    to[used] = '\0';
}

char *rill_printable(const char *text)
{
    const size_t size = MOST * strlen(text) + 1;
    char *plain = malloc(size);
    if (plain) rill_printable_into(plain, size, text);
    return plain;
}

char *rill_printable_json(const char *text)
{
    char *plain = malloc(MOST * strlen(text) + 1), *to = plain;
    while (plain && *text) {
        uint32_t c;
        const int length = decode((const unsigned char *)text, &c);
        if (length && c >= 0x7f && is_control(c))
            to += sprintf(to, "\\u%04x", (unsigned)c);
        else
            to = mempcpy(to, text, length ? (size_t)length : 1);
        text += length ? length : 1;
    }
    if (plain) *to = '\0';
    return plain;
}
