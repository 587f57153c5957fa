/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grey values as decimal numbers in a text: "text image" of ImageJ, numpy.savetxt, lists of lattice Boltzmann
 * codes. Numbers of a row stand on a line, blank lines or lines of comment (#) separate slices; a size that
 * is given, or is in the name, counts more than lines. Between numbers stand blanks, commas or semicolons, of
 * which a file has one kind: with two, a comma might be a decimal point.
 *
 * The text is read twice: for the number of values and their type, and for the values.
 */
#include "geometry/image/read_text.h"
#include "geometry/image/stream.h"
#include "geometry/image/text_input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands between two numbers of a line. */
enum { BLANK = 1, COMMA = 2, SEMICOLON = 4 };

/* ---- numbers --------------------------------------------------------------------------------- */

typedef struct {
    double value;
    bool whole;    /* it has no fraction */
    uint64_t size; /* of a whole number that is written in digits: its exact magnitude */
    bool exact, negative;
} number;

/* Read a number; false for anything else, infinity and NaN included. */
static bool read_number(const char *text, number *out)
{
    const char *digits = text + (*text == '-' || *text == '+');
    const size_t length = strspn(digits, "0123456789");
    char *end = NULL;
    *out = (number){.negative = *text == '-'};
    if (length > 0 && length < 20 && digits[length] == '\0') { /* most numbers by far */
        for (size_t k = 0; k < length; k++) out->size = 10 * out->size + (uint64_t)(digits[k] - '0');
        out->exact = out->whole = true;
        out->value = out->negative ? -(double)out->size : (double)out->size;
        return true;
    }
    if (!length && *digits != '.') return false;
    out->value = strtod(text, &end);
    out->whole = isfinite(out->value) && out->value == trunc(out->value);
    return isfinite(out->value) && end > text && *end == '\0' && !strpbrk(text, "xXpP");
}

/* Store a number in a type; false where it does not fit. */
static bool store(rill_grey type, const number *n, void *to)
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

/* Goes through the numbers of a text. */
typedef struct {
    rill_text_input *input;
    int separators;       /* kinds that were met */
    uint64_t lines;       /* ends of lines before the next byte */
    bool ended, row, gap; /* of the text; a line ended before this number; a blank line or comment did */
    char word[RILL_TEXT_WORD];
} walk;

/* Pass over the rest of a comment; its end of line is left. */
static rill_status pass_comment(walk *w)
{
    rill_status status = RILL_OK;
    int c = 0;
    while (c >= 0 && c != '\n' && c != '\r') RILL_TRY(rill_text_next(w->input, &c));
    if (c >= 0) w->input->at--;
done:
    return status;
}

static rill_status fail_separators(const walk *w)
{
    return rill_fail(
        RILL_USAGE,
        "line %llu has two kinds of separators between its numbers: separate them by blanks alone, "
        "or by commas alone, with decimal points",
        (unsigned long long)w->lines + 1);
}

/* Go to the next number. @param first  nothing stands before it */
static rill_status next_word(walk *w, bool first)
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
        if (length + 1 == RILL_TEXT_WORD || c == 0)
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

static rill_status fail_number(const walk *w)
{
    return rill_fail(RILL_USAGE, "line %llu has \"%s\", which is no decimal number",
                     (unsigned long long)w->lines + 1, w->word);
}

/* ---- the whole text -------------------------------------------------------------------------- */

/* What the first reading finds. */
typedef struct {
    uint64_t count, columns, rows, slices; /* columns and rows: of the first row and slice */
    uint64_t column, in_slice;             /* numbers of this row so far; rows of this slice */
    uint64_t uneven;                       /* number of the first row or slice of another length; 0: none */
    bool uneven_slice;
    bool whole;
    double low, high;
} layout;

static void end_row(layout *l)
{
    if (l->column == 0) return;
    if (l->columns == 0) l->columns = l->column;
    l->in_slice++;
    if (l->column != l->columns && !l->uneven) l->uneven = l->in_slice + l->rows * l->slices;
    l->column = 0;
}

static void end_slice(layout *l)
{
    if (l->in_slice == 0) return;
    l->slices++;
    if (l->rows == 0) l->rows = l->in_slice;
    if (l->in_slice != l->rows && !l->uneven) l->uneven = l->slices, l->uneven_slice = true;
    l->in_slice = 0;
}

static rill_status scan(walk *w, layout *l)
{
    rill_status status = RILL_OK;
    *l = (layout){.whole = true, .low = INFINITY, .high = -INFINITY};
    for (bool first = true;; first = false) {
        number n;
        RILL_TRY(next_word(w, first));
        if (w->row || w->ended) end_row(l);
        if (w->gap || w->ended) end_slice(l);
        if (w->ended) break;
        if (!read_number(w->word, &n)) return fail_number(w);
        l->low = fmin(l->low, n.value);
        l->high = fmax(l->high, n.value);
        l->whole = l->whole && n.whole;
        l->count++;
        l->column++;
    }
    if (l->count == 0) status = rill_fail(RILL_USAGE, "it is a text without a number");
done:
    return status;
}

static rill_grey type_of(const layout *l)
{
    static const struct {
        double low, high;
        rill_grey type;
    } types[] = {{0, UINT8_MAX, RILL_GREY_U8},
                 {0, UINT16_MAX, RILL_GREY_U16},
                 {INT16_MIN, INT16_MAX, RILL_GREY_I16},
                 {INT32_MIN, INT32_MAX, RILL_GREY_I32},
                 {-0x1p62, 0x1p62, RILL_GREY_I64}};
    for (size_t k = 0; l->whole && k < sizeof types / sizeof *types; k++)
        if (l->low >= types[k].low && l->high <= types[k].high) return types[k].type;
    return RILL_GREY_F64;
}

/* The size of the image: given, of the name, or as the lines are. */
static rill_status settle_size(const layout *l, const rill_image_options *options, const char *path,
                               rill_image *image)
{
    const rill_raw_hints hints = rill_raw_hints_of(path, l->count);
    const uint64_t given[3] = {options->n[0], options->n[1], options->n[2]},
                   lines[3] = {l->columns, l->rows, l->slices};
    const uint64_t *n = given[0] ? given : hints.n[0] ? hints.n : NULL;
    if (n) {
        const rill_status status = rill_image_set_size(image, n, 3);
        const uint64_t voxels = (uint64_t)image->n[0] * image->n[1] * image->n[2];
        if (status != RILL_OK || voxels == l->count) return status;
        return rill_fail(
            RILL_USAGE,
            "the text has %llu numbers, but %u x %u x %u voxels need %llu: give --size NXxNYxNZ as it is",
            (unsigned long long)l->count, image->n[0], image->n[1], image->n[2], (unsigned long long)voxels);
    }
    if (l->uneven)
        return rill_fail(RILL_USAGE,
                         "the text has %llu numbers, and %s %llu has another length than the first: give "
                         "--size NXxNYxNZ, the fastest axis first",
                         (unsigned long long)l->count, l->uneven_slice ? "slice" : "row",
                         (unsigned long long)l->uneven);
    if (l->columns == 1 || l->rows == 1)
        return rill_fail(RILL_USAGE,
                         "the text is a list of %llu numbers: give --size NXxNYxNZ, the fastest axis first",
                         (unsigned long long)l->count);
    return rill_image_set_size(image, lines, 3);
}

/* ---- the values as a stream ------------------------------------------------------------------ */

typedef struct {
    rill_byte_stream stream;
    walk walk;
    rill_grey type;
    uint64_t read; /* numbers so far */
} numbers;

static rill_status read_numbers(rill_byte_stream *stream, void *data, uint64_t count, uint64_t *got)
{
    rill_status status = RILL_OK;
    numbers *s = (numbers *)stream;
    const size_t size = rill_grey_size(s->type);
    number n;
    *got = 0;
    while (*got < count && !stream->ended) {
        RILL_TRY(next_word(&s->walk, s->read == 0));
        stream->ended = s->walk.ended;
        if (stream->ended) break;
        if (!read_number(s->walk.word, &n)) return fail_number(&s->walk);
        if (count - *got < size) { /* one byte, to see whether there is more */
            *got = count;
            break;
        }
        if (!store(s->type, &n, (char *)data + *got))
            return rill_fail(RILL_USAGE, "line %llu has %s, which is no value of type %s",
                             (unsigned long long)s->walk.lines + 1, s->walk.word, rill_grey_name(s->type));
        *got += size;
        s->read++;
    }
done:
    return status;
}

static void close_numbers(rill_byte_stream *stream)
{
    numbers *s = (numbers *)stream;
    rill_text_close(s->walk.input);
    free(s);
}

rill_status rill_image_open_text(const char *path, const rill_image_options *options, rill_image *image)
{
    rill_status status = RILL_OK;
    layout l;
    numbers *s = calloc(1, sizeof *s);
    if (!s) return rill_fail(RILL_SYSTEM, "out of memory for reading a text");
    RILL_TRY(rill_text_open(path, &s->walk.input));
    RILL_TRY(scan(&s->walk, &l));
    RILL_TRY(settle_size(&l, options, path, image));
    if (options->type >= RILL_GREY_COUNT || options->type == RILL_GREY_F16)
        RILL_TRY(rill_fail(RILL_USAGE, "numbers of a text are integers, f32 or f64: give another --type"));
    image->type = options->type >= 0 ? (rill_grey)options->type : type_of(&l);
    const double spacing = rill_raw_hints_of(path, l.count).spacing;
    rill_image_set_spacing(image, (const double[3]){spacing, spacing, spacing}, 1, true);
    snprintf(image->kind, sizeof image->kind, "text, %llu numbers", (unsigned long long)l.count);
    RILL_TRY(rill_image_add_file(image, path));
    rill_text_seek(s->walk.input, 0);
    s->walk = (walk){.input = s->walk.input};
    s->type = image->type;
    s->stream = (rill_byte_stream){read_numbers, close_numbers, "text", false};
    numbers *opened = s;
    s = NULL;
    RILL_TRY(rill_image_read_stream(image, &opened->stream, 0, false));
done:
    if (s) close_numbers(&s->stream);
    return status;
}

/* ---- recognition ----------------------------------------------------------------------------- */

rill_text_kind rill_text_kind_of(const char *head, size_t length)
{
    const char *end = head + length;
    bool numeric = true, separated = false, digit = false, comment = false;
    for (const char *c = head; c < end; c++) {
        const unsigned char byte = (unsigned char)*c;
        const bool blank = byte == ' ' || (byte >= '\t' && byte <= '\r');
        if ((byte < ' ' && !blank) || byte >= 0x7f) return RILL_TEXT_NONE;
        comment = byte == '\n' ? false : comment || byte == '#';
        if (comment) continue;
        separated |= digit && (blank || byte == ',' || byte == ';');
        digit |= byte >= '0' && byte <= '9';
        numeric = numeric && (blank || strchr("0123456789+-.eE,;", byte));
    }
    return numeric && digit && separated ? RILL_TEXT_NUMBERS : RILL_TEXT_OTHER;
}
