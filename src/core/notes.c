/* SPDX-License-Identifier: Apache-2.0 */
/* Notes that change or qualify a value. */
#include "core/notes.h"
#include "core/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *rill_notes_next(const char **rest, size_t *length)
{
    const char *at = *rest;
    if (!at) return NULL;
    at += strspn(at, "\n");
    if (!*at) return NULL;
    *length = strcspn(at, "\n");
    *rest = at + *length;
    return at;
}

bool rill_notes_have(const char *notes, const char *sentence, size_t length)
{
    size_t other;
    for (const char *at; (at = rill_notes_next(&notes, &other)) != NULL;)
        if (other == length && memcmp(at, sentence, length) == 0) return true;
    return false;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Return what is behind the number that begins at `at`, such as 1.45 or 2e-05. */
static const char *behind_number(const char *at, const char *end)
{
    while (at < end && (is_digit(*at) || (*at == '.' && at + 1 < end && is_digit(at[1])))) at++;
    if (at + 2 < end && *at == 'e' && (at[1] == '-' || at[1] == '+') && is_digit(at[2]))
        for (at += 2; at < end && is_digit(*at);) at++;
    return at;
}

static bool alike(const char *a, const char *a_end, const char *b, const char *b_end)
{
    while (a < a_end && b < b_end) {
        if (is_digit(*a) && is_digit(*b)) {
            a = behind_number(a, a_end);
            b = behind_number(b, b_end);
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return a == a_end && b == b_end;
}

bool rill_notes_have_alike(const char *notes, const char *sentence, size_t length)
{
    size_t other;
    for (const char *at; (at = rill_notes_next(&notes, &other)) != NULL;)
        if (alike(at, at + other, sentence, sentence + length)) return true;
    return false;
}

/* Control characters would write on the terminal of the reader. */
static char *cleaned(const char *text)
{
    char *copy = strdup(text);
    for (char *c = copy; c && *c; c++)
        if ((unsigned char)*c < ' ' && *c != '\n') *c = *c == '\t' ? ' ' : '?';
    for (char *c = copy; c && (c = strchr(c, 0x7f)) != NULL;) *c = '?';
    return copy;
}

rill_status rill_notes_add(char **notes, const char *text)
{
    rill_status status = RILL_OK;
    size_t length;
    if (!text || !*text) return RILL_OK;
    char *copy = cleaned(text);
    if (!copy) return rill_fail(RILL_SYSTEM, "out of memory for a note");
    const char *rest = copy;
    for (const char *at; (at = rill_notes_next(&rest, &length)) != NULL;) {
        if (rill_notes_have(*notes, at, length)) continue;
        const size_t used = *notes ? strlen(*notes) : 0;
        char *grown = realloc(*notes, used + length + 2);
        if (!grown) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a note"));
        *notes = grown;
        sprintf(grown + used, "%s%.*s", used ? "\n" : "", (int)length, at);
    }
done:
    free(copy);
    return status;
}

rill_status rill_note(char **notes, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    const int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0) return rill_fail(RILL_SYSTEM, "out of memory for a note");
    for (char *c = text; (c = strchr(c, '\n')) != NULL;) *c = ' '; /* of a value: it is one sentence */
    const rill_status status = rill_notes_add(notes, text);
    free(text);
    return status;
}

void rill_notes_copy(const char *notes, char *text, size_t size)
{
    enum { LAST = 32 }; /* bytes of the last line */
    size_t used = 0, length, left = 0;
    text[0] = '\0';
    for (const char *at; (at = rill_notes_next(&notes, &length)) != NULL;) {
        if (left || used + length + 2 + LAST > size) {
            left++;
            continue;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", used ? "\n" : "", (int)length, at);
    }
    if (left) snprintf(text + used, size - used, "%s%zu more notes", used ? "\n" : "", left);
}
