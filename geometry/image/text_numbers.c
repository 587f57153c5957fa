/* SPDX-License-Identifier: Apache-2.0 */
/* Reads decimal numbers one after the other, for texts and for headers with ASCII data behind them. */
#include "geometry/image/text_numbers.h"

#include "core/decimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What stands between two numbers of a line. */
enum { BLANK = 1, COMMA = 2, SEMICOLON = 4 };

bool rill_number_read(const char *text, rill_number *out)
{
    const char *digits = text + (*text == '-' || *text == '+');
    const size_t length = strspn(digits, "0123456789");
    *out = (rill_number){.negative = *text == '-'};
    out->exact = length > 0 && digits[length] == '\0'; /* most numbers by far */
    for (size_t k = 0; k < length && out->exact; k++)
        out->exact = !__builtin_mul_overflow(out->size, 10, &out->size) &&
                     !__builtin_add_overflow(out->size, (uint64_t)(digits[k] - '0'), &out->size);
    if (out->exact) {
        out->whole = true;
        out->value = out->negative ? -(double)out->size : (double)out->size;
        return true;
    }
    if (!rill_decimal(text, &out->value)) return false;
    out->whole = out->value == trunc(out->value);
    return true;
}

/* Store a number in a type; false where it does not fit. */
static bool store(rill_grey type, const rill_number *n, void *to)
{
    const size_t size = rill_grey_size(type);
    if (type == RILL_GREY_F64) {
        memcpy(to, &n->value, size);
        return true;
    }
    if (type == RILL_GREY_F32) {
        const float value = (float)n->value;
        memcpy(to, &value, size);
        return isfinite(value);
    }
    const bool is_signed =
        type == RILL_GREY_I8 || type == RILL_GREY_I16 || type == RILL_GREY_I32 || type == RILL_GREY_I64;
    const uint64_t most = is_signed ? ((uint64_t)1 << (8 * size - 1)) - 1 : UINT64_MAX >> (64 - 8 * size);
    if (!n->whole || type == RILL_GREY_F16 || !(fabs(n->value) < 0x1p64)) return false;
    const uint64_t magnitude = n->exact ? n->size : (uint64_t)fabs(n->value);
    const bool below = n->negative && magnitude > 0;
    if (below ? !is_signed || magnitude > most + 1 : magnitude > most) return false;
    const uint64_t bits = below ? -magnitude : magnitude;
    for (size_t k = 0; k < size; k++)
        ((unsigned char *)to)[k] =
            (unsigned char)(bits >> 8 * (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? size - 1 - k : k));
    return true;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Pass over the rest of a comment; its end of line is left. */
static rill_status pass_comment(rill_words *w)
{
    rill_status status = RILL_OK;
    int c = 0;
    while (c >= 0 && c != '\n' && c != '\r') RILL_TRY(rill_text_next(w->input, &c));
    if (c >= 0) w->input->at--;
done:
    return status;
}

static rill_status fail_separators(const rill_words *w)
{
    return rill_fail(
        RILL_USAGE,
        "line %llu has two kinds of separators between its numbers: separate them by blanks alone, or by commas alone, with decimal points",
        (unsigned long long)w->lines + 1);
}

rill_status rill_words_next(rill_words *w, bool first)
{
    rill_status status = RILL_OK;
    int c, between = first ? 0 : BLANK, ends = 0;
    size_t length = 0;
    w->row = w->gap = first;
    for (;;) { /* what stands before it */
        RILL_TRY(rill_text_next(w->input, &c));
        if (c == '\r') { /* with \n behind it one end of line, alone another */
            RILL_TRY(rill_text_next(w->input, &c));
            if (c != '\n' && c >= 0) w->input->at--;
            c = '\n';
        }
        if (c == '\n')
            w->lines++, ends++, between = 0;
        else if (c == ',' || c == ';') {
            const int kind = c == ',' ? COMMA : SEMICOLON;
            if (first || between != BLANK || ends) return fail_separators(w);
            between = kind;
        } else if (c == '#') {
            RILL_TRY(pass_comment(w));
            w->gap |= ends > 0; /* a line of its own */
        } else if (c != ' ' && c != '\t')
            break;
    }
    w->row |= ends > 0;
    w->gap |= ends > 1;
    if (!w->row) w->separators |= between;
    w->ended = c < 0;
    for (; c >= 0 && !strchr(" \t\r\n,;#", c); length++) {
        if (c < '!' || c > '~')
            return rill_fail(RILL_USAGE, "line %llu has a byte 0x%02x, which is not part of a decimal number",
                             (unsigned long long)w->lines + 1, (unsigned)c);
        if (length + 1 == RILL_TEXT_WORD)
            return rill_fail(RILL_USAGE, "line %llu has a number of more than %d letters",
                             (unsigned long long)w->lines + 1, RILL_TEXT_WORD - 1);
        w->word[length] = (char)c;
        RILL_TRY(rill_text_next(w->input, &c));
    }
    w->word[length] = '\0';
    if (c >= 0) w->input->at--;
    if ((w->separators & (w->separators - 1)) != 0) return fail_separators(w);
done:
    return status;
}

rill_status rill_words_fail(const rill_words *w)
{
    return rill_fail(RILL_USAGE, "line %llu has \"%s\", which is not a decimal number",
                     (unsigned long long)w->lines + 1, w->word);
}

/* ---- streams --------------------------------------------------------------------------------- */

typedef struct {
    rill_byte_stream stream;
    rill_words words;
    rill_grey type;
    uint64_t read; /* numbers so far */
} numbers;

static rill_status read_numbers(rill_byte_stream *stream, void *data, uint64_t count, uint64_t *got)
{
    rill_status status = RILL_OK;
    numbers *s = (numbers *)stream;
    const size_t size = rill_grey_size(s->type);
    rill_number n;
    *got = 0;
    while (*got < count && !stream->ended) {
        RILL_TRY(rill_words_next(&s->words, s->read == 0));
        stream->ended = s->words.ended;
        if (stream->ended) break;
        if (!rill_number_read(s->words.word, &n)) return rill_words_fail(&s->words);
        if (count - *got < size) { /* one byte, to see whether there is more */
            *got = count;
            break;
        }
        if (!store(s->type, &n, (char *)data + *got))
            return rill_fail(RILL_USAGE, "line %llu has %s, which is not a value of type %s",
                             (unsigned long long)s->words.lines + 1, s->words.word, rill_grey_name(s->type));
        *got += size;
        s->read++;
    }
done:
    return status;
}

static void close_numbers(rill_byte_stream *stream)
{
    numbers *s = (numbers *)stream;
    rill_text_close(s->words.input);
    free(s);
}

rill_status rill_numbers_open(const char *path, uint64_t offset, rill_grey type, rill_byte_stream **out)
{
    numbers *s = calloc(1, sizeof *s);
    if (!s) return rill_fail(RILL_SYSTEM, "out of memory for reading a text");
    const rill_status status = rill_text_open(path, &s->words.input);
    if (status != RILL_OK) {
        free(s);
        return status;
    }
    rill_text_seek(s->words.input, offset);
    s->stream = (rill_byte_stream){read_numbers, close_numbers, "text", false};
    s->type = type;
    *out = &s->stream;
    return RILL_OK;
}
