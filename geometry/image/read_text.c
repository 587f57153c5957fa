/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grey values as decimal numbers in a text: "text image" of ImageJ, numpy.savetxt, lists of lattice Boltzmann
 * codes. Numbers of a row stand on a line, blank lines or lines of comment (#) separate slices; a size that
 * is given, or is in the name, counts more than lines. Between numbers stand blanks, commas or semicolons, of
 * which a file has one kind: with two, a comma might be a decimal point.
 *
 * The text is read twice: for the number of values and their type, and for the values.
 */
#include "geometry/image/image_priv.h"
#include "geometry/image/text_numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static rill_status scan(rill_words *w, layout *l)
{
    rill_status status = RILL_OK;
    *l = (layout){.whole = true, .low = INFINITY, .high = -INFINITY};
    for (bool first = true;; first = false) {
        rill_number n;
        RILL_TRY(rill_words_next(w, first));
        if (w->row || w->ended) end_row(l);
        if (w->gap || w->ended) end_slice(l);
        if (w->ended) break;
        if (!rill_number_read(w->word, &n)) return rill_words_fail(w);
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
        return rill_fail(
            RILL_USAGE,
            "the text has %llu numbers, and %s %llu has another length than the first: give --size NXxNYxNZ, the fastest axis first",
            (unsigned long long)l->count, l->uneven_slice ? "slice" : "row", (unsigned long long)l->uneven);
    if (l->columns == 1 || l->rows == 1)
        return rill_fail(RILL_USAGE,
                         "the text is a list of %llu numbers: give --size NXxNYxNZ, the fastest axis first",
                         (unsigned long long)l->count);
    return rill_image_set_size(image, lines, 3);
}

rill_status rill_image_open_text(const char *path, const rill_image_options *options, rill_image *image)
{
    rill_status status = RILL_OK;
    layout l;
    rill_words words = {.input = NULL};
    rill_byte_stream *stream = NULL;
    RILL_TRY(rill_text_open(path, &words.input));
    RILL_TRY(scan(&words, &l));
    RILL_TRY(settle_size(&l, options, path, image));
    if (options->type >= RILL_GREY_COUNT || options->type == RILL_GREY_F16)
        RILL_TRY(rill_fail(RILL_USAGE, "numbers of a text are integers, f32 or f64: give another --type"));
    image->type = options->type >= 0 ? (rill_grey)options->type : type_of(&l);
    const double spacing = rill_raw_hints_of(path, l.count).spacing;
    rill_image_set_spacing(image, "the name of the file", (const double[3]){spacing, spacing, spacing}, 1,
                           true);
    snprintf(image->kind, sizeof image->kind, "text, %llu numbers", (unsigned long long)l.count);
    RILL_TRY(rill_image_add_file(image, path));
    RILL_TRY(rill_numbers_open(path, 0, image->type, &stream));
    RILL_TRY(rill_image_read_stream(image, stream, 0, false));
done:
    rill_text_close(words.input);
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
