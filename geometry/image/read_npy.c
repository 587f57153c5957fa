/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NumPy's .npy, versions 1 to 3, C and Fortran order. Array index i of a[i, j, k] is file axis 0 in either
 * order and goes to z, as images are indexed in Python. The header is a Python dictionary of three keys,
 * of which only the literals that NumPy writes are understood: nothing is evaluated.
 */
#include "geometry/image/image_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char descr[16];
    bool fortran;
    uint64_t shape[3];
    int rank;
    bool seen[3]; /* descr, fortran_order, shape */
} header;

static const rill_grey_alias types[] = {{"b1", RILL_GREY_BOOL}, {"u1", RILL_GREY_U8},  {"i1", RILL_GREY_I8},
                                        {"u2", RILL_GREY_U16},  {"i2", RILL_GREY_I16}, {"u4", RILL_GREY_U32},
                                        {"i4", RILL_GREY_I32},  {"u8", RILL_GREY_U64}, {"i8", RILL_GREY_I64},
                                        {"f2", RILL_GREY_F16},  {"f4", RILL_GREY_F32}, {"f8", RILL_GREY_F64},
                                        {NULL, RILL_GREY_U8}};

static const char *skip_blanks(const char *c) { return c + strspn(c, " \t\r\n"); }

/* Read 'text' or "text"; NULL when it is none or does not fit. */
static const char *read_string(const char *c, char *text, size_t size)
{
    const char quote = *c;
    if (quote != '\'' && quote != '"') return NULL;
    const char *end = strchr(c + 1, quote);
    if (!end || (size_t)(end - c - 1) >= size) return NULL;
    memcpy(text, c + 1, (size_t)(end - c - 1));
    text[end - c - 1] = '\0';
    return end + 1;
}

/* Read "(3, 4, 5)" or "(7,)"; more than three axes are counted, not kept. */
static const char *read_shape(const char *c, header *h)
{
    if (*c++ != '(') return NULL;
    h->rank = 0;
    for (c = skip_blanks(c); *c != ')'; c = skip_blanks(c)) {
        char *end;
        if (*c < '0' || *c > '9') return NULL;
        const unsigned long long n = strtoull(c, &end, 10);
        if (h->rank < 3) h->shape[h->rank] = n;
        h->rank++;
        c = skip_blanks(end + (*end == 'L'));
        if (*c == ',')
            c++;
        else if (*c != ')')
            return NULL;
    }
    return c + 1;
}

static const char *read_value(const char *key, const char *c, header *h)
{
    if (strcmp(key, "descr") == 0) {
        h->seen[0] = true;
        return read_string(c, h->descr, sizeof h->descr);
    }
    if (strcmp(key, "fortran_order") == 0) {
        h->seen[1] = true;
        h->fortran = strncmp(c, "True", 4) == 0;
        if (h->fortran) return c + 4;
        return strncmp(c, "False", 5) == 0 ? c + 5 : NULL;
    }
    if (strcmp(key, "shape") == 0) {
        h->seen[2] = true;
        return read_shape(c, h);
    }
    return NULL;
}

static bool read_dictionary(const char *c, header *h)
{
    c = skip_blanks(c);
    if (*c++ != '{') return false;
    for (c = skip_blanks(c); *c != '}'; c = skip_blanks(c)) {
        char key[16];
        if (!(c = read_string(c, key, sizeof key))) return false;
        c = skip_blanks(c);
        if (*c++ != ':') return false;
        if (!(c = read_value(key, skip_blanks(c), h))) return false;
        c = skip_blanks(c);
        if (*c == ',')
            c++;
        else if (*c != '}')
            return false;
    }
    return h->seen[0] && h->seen[1] && h->seen[2];
}

/* Find the text of the header in the first bytes of the file and cut it off at its end. */
static rill_status find_header(char *head, size_t length, char **text, uint64_t *end)
{
    const unsigned char *b = (const unsigned char *)head;
    if (length < 10 || memcmp(head, "\x93NUMPY", 6) != 0)
        return rill_fail(RILL_USAGE, "it does not start like an npy file, or is cut after %zu bytes", length);
    if (b[6] < 1 || b[6] > 3)
        return rill_fail(RILL_USAGE, "it is npy version %d.%d: 1.0 to 3.0 are read", b[6], b[7]);
    const size_t start = b[6] == 1 ? 10 : 12;
    uint64_t size = (uint64_t)b[8] | (uint64_t)b[9] << 8;
    if (b[6] > 1 && length >= start) size |= (uint64_t)b[10] << 16 | (uint64_t)b[11] << 24;
    if (size > RILL_NPY_HEADER - start)
        return rill_fail(RILL_USAGE, "its npy header has %llu bytes: an image's has less than %zu",
                         (unsigned long long)size, RILL_NPY_HEADER - start);
    if (start + size > length)
        return rill_fail(RILL_USAGE, "its npy header has %llu bytes, but the file ends after %zu",
                         (unsigned long long)size, length);
    head[start + size] = '\0';
    *text = head + start;
    *end = start + size;
    return RILL_OK;
}

static rill_status settle_type(const header *h, rill_image *image)
{
    const char *d = h->descr;
    if (strchr("<>|=", *d) == NULL || *d == '\0' || !rill_grey_find(types, d + 1, &image->type))
        return rill_fail(RILL_USAGE,
                         "its npy type is '%s': bool, integers and floats of 1 to 8 bytes are read", d);
    const bool big = *d == '>';
    image->swap =
        rill_grey_size(image->type) > 1 && *d != '=' && big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    return RILL_OK;
}

rill_status rill_npy_header(char *head, size_t length, rill_image *image, uint64_t *end)
{
    rill_status status = RILL_OK;
    char *text = NULL;
    header h = {0};
    RILL_TRY(find_header(head, length, &text, end));
    if (strlen(text) != *end - (size_t)(text - head) || !read_dictionary(text, &h)) {
        status = rill_fail(RILL_USAGE,
                           "its npy header is not a dictionary of a plain descr, fortran_order and shape");
        goto done;
    }
    RILL_TRY(settle_type(&h, image));
    RILL_TRY(rill_image_set_size(image, h.shape, h.rank));
    rill_image_set_array_order(image, h.rank, h.fortran);
    snprintf(image->kind, sizeof image->kind, "npy, %s order", h.fortran ? "Fortran" : "C");
done:
    return status;
}

rill_status rill_image_open_npy(const char *path, rill_image *image)
{
    rill_status status = RILL_OK;
    char *head = NULL;
    size_t length;
    uint64_t end = 0;
    RILL_TRY(rill_file_head(path, RILL_NPY_HEADER, &head, &length));
    RILL_TRY(rill_npy_header(head, length, image, &end));
    RILL_TRY(rill_image_read_bytes(image,
                                   &(rill_bytes_source){.path = path,
                                                        .offset = (int64_t)end,
                                                        .remedy = "the file is cut or its header is wrong"}));
done:
    free(head);
    return status;
}
