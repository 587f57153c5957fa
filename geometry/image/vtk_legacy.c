/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The structure of legacy VTK files ("# vtk DataFile Version 3.0") of STRUCTURED_POINTS: which arrays there
 * are and where their values begin, ASCII or binary (big-endian). All versions up to 5.1 are alike there.
 * Not read: other datasets, arrays of texts, binary arrays of bits, the METADATA of arrays.
 * @see "Simple Legacy Formats" in the VTK User's Guide,
 * https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html
 */
#include "geometry/image/text_input.h"
#include "geometry/image/vtk_xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 512, LOOK = 4096 };

#define DAMAGED "the file is damaged"

/* The parser of a file. */
typedef struct {
    rill_text_input *input;
    rill_vtk_file *file;
    bool ascii;
    uint64_t points, cells; /* of the image */
    const char *place;      /* "PointData", "CellData", "" before */
} parser;

/* A type of numbers by its name; bytes 0: its bits are packed, or it is a text. */
static const struct {
    const char *name;
    bool known;
    rill_grey type;
    unsigned bytes;
} types[] = {{"unsigned_char", true, RILL_GREY_U8, 1}, {"char", true, RILL_GREY_I8, 1},
             {"signed_char", true, RILL_GREY_I8, 1},   {"unsigned_short", true, RILL_GREY_U16, 2},
             {"short", true, RILL_GREY_I16, 2},        {"unsigned_int", true, RILL_GREY_U32, 4},
             {"int", true, RILL_GREY_I32, 4},          {"unsigned_long", true, RILL_GREY_U64, 8},
             {"long", true, RILL_GREY_I64, 8},         {"vtktypeuint64", true, RILL_GREY_U64, 8},
             {"vtktypeint64", true, RILL_GREY_I64, 8}, {"vtkidtype", true, RILL_GREY_I32, 4},
             {"float", true, RILL_GREY_F32, 4},        {"double", true, RILL_GREY_F64, 8},
             {"bit", false, RILL_GREY_U8, 0}};

/* ---- words of a line ------------------------------------------------------------------------- */

/* Cut the next word off a line. @return it, "" at the end */
static char *word_of(char **line)
{
    char *word = *line + strspn(*line, " \t");
    char *end = word + strcspn(word, " \t");
    *line = end + (*end != '\0');
    *end = '\0';
    return word;
}

static char *lower(char *word)
{
    for (char *c = word; *c; c++)
        if (*c >= 'A' && *c <= 'Z') *c = (char)(*c - 'A' + 'a');
    return word;
}

/* Read the next line that is not blank; "" at the end of the file. Control characters become "?": messages
 * show parts of lines. */
static rill_status next_line(parser *p, char line[LINE])
{
    rill_status status = RILL_OK;
    bool whole;
    do {
        RILL_TRY(rill_text_line(p->input, line, LINE, &whole));
        if (strlen(line) + 1 == LINE)
            return rill_fail(RILL_USAGE, "a line of its header has more than %d letters: " DAMAGED, LINE - 1);
    } while (line[strspn(line, " \t\r")] == '\0' && rill_text_tell(p->input) < p->input->length);
    if (line[strspn(line, " \t\r")] == '\0') line[0] = '\0';
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ' && *c != '\t') *c = '?';
done:
    return status;
}

static bool read_count(const char *word, uint64_t *out) { return rill_text_integers(word, out, 1); }

/* The value of a hexadecimal digit; -1: it is none. */
static int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

/* Names have their blanks as "%20", those of COLOR_SCALARS as "%%20". */
static void decode_name(const char *word, char name[RILL_VTK_NAME])
{
    size_t length = 0;
    for (; *word && length + 1 < RILL_VTK_NAME; word++) {
        int high, low;
        if (word[0] == '%' && word[1] == '%') word++;
        if (word[0] == '%' && (high = digit_of(word[1])) > 1 && (low = digit_of(word[2])) >= 0) {
            name[length++] = (char)(16 * high + low);
            word += 2;
        } else {
            name[length++] = *word;
        }
    }
    name[length] = '\0';
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Pass over the values of an array. @param bytes  of a value in a binary file; 0: bits */
static rill_status pass_values(parser *p, const char *name, uint64_t count, unsigned bytes)
{
    if (p->ascii) return rill_text_pass(p->input, count);
    const uint64_t at = rill_text_tell(p->input), left = p->input->length - at;
    const uint64_t need = bytes ? count * bytes : count / 8 + (count % 8 != 0);
    if (count > UINT64_MAX / 8 || need > left)
        return rill_fail(
            RILL_USAGE,
            "the array \"%s\" has %llu values of %u bytes, but %llu bytes follow: the file is cut", name,
            (unsigned long long)count, bytes, (unsigned long long)left);
    rill_text_seek(p->input, at + need);
    return RILL_OK;
}

/* Note an array, whose values begin here, and pass over it. `type`: in lower case, as it is in the file. */
static rill_status add_array(parser *p, const char *name, const char *type, uint64_t components,
                             uint64_t tuples)
{
    rill_vtk_file *f = p->file;
    size_t k = 0;
    const size_t count = sizeof types / sizeof *types;
    while (k < count && strcmp(types[k].name, type) != 0) k++;
    if (k == count)
        return rill_fail(RILL_USAGE,
                         "the array \"%.40s\" is of type \"%.20s\", not of numbers: save the file without it",
                         name, type);
    if (components == 0 || tuples > UINT64_MAX / 16 / components)
        return rill_fail(RILL_USAGE, "the array \"%.40s\" has %llu tuples of %llu values: " DAMAGED, name,
                         (unsigned long long)tuples, (unsigned long long)components);
    if (f->arrays == RILL_VTK_ARRAYS)
        return rill_fail(RILL_USAGE, "it has more than %d arrays", RILL_VTK_ARRAYS);
    rill_vtk_array *a = &f->array[f->arrays++];
    *a = (rill_vtk_array){.known = types[k].known || p->ascii,
                          .type = types[k].type,
                          .components = components,
                          .coding = p->ascii ? RILL_VTK_ASCII : RILL_VTK_PLAIN,
                          .at = rill_text_tell(p->input)};
    const uint64_t wanted = strcmp(p->place, "CellData") == 0 ? p->cells : p->points;
    /* An array of another length is none of the image. */
    snprintf(a->place, sizeof a->place, "%s", tuples == wanted ? p->place : "");
    decode_name(name, a->name);
    return pass_values(p, name, components * tuples, types[k].bytes);
}

/* Pass over METADATA, which a blank line ends. */
static rill_status pass_metadata(parser *p)
{
    rill_status status = RILL_OK;
    char line[LINE];
    bool whole;
    do {
        RILL_TRY(rill_text_line(p->input, line, LINE, &whole));
    } while (line[0] && rill_text_tell(p->input) < p->input->length);
done:
    return status;
}

/* FIELD name count: arrays that state their own lengths. */
static rill_status read_field(parser *p, char *rest)
{
    rill_status status = RILL_OK;
    char line[LINE];
    uint64_t count, components, tuples;
    (void)word_of(&rest);
    if (!read_count(word_of(&rest), &count))
        return rill_fail(RILL_USAGE, "a FIELD has no number of arrays: " DAMAGED);
    while (count > 0) {
        RILL_TRY(next_line(p, line));
        char *at = line;
        const char *name = word_of(&at);
        if (strcmp(name, "METADATA") == 0) { /* of the array before */
            RILL_TRY(pass_metadata(p));
            continue;
        }
        if (!read_count(word_of(&at), &components) || !read_count(word_of(&at), &tuples))
            return rill_fail(RILL_USAGE, "an array of a FIELD has no name, components and tuples: " DAMAGED);
        RILL_TRY(add_array(p, name, lower(word_of(&at)), components, tuples));
        count--;
    }
done:
    return status;
}

/* SCALARS name type [components], then LOOKUP_TABLE name, then the values. */
static rill_status read_scalars(parser *p, char *rest, uint64_t tuples)
{
    rill_status status = RILL_OK;
    char line[LINE];
    uint64_t components = 1;
    const char *name = word_of(&rest), *type = lower(word_of(&rest)), *number = word_of(&rest);
    if (*number && !read_count(number, &components))
        return rill_fail(RILL_USAGE, "SCALARS %.40s has \"%.20s\" components: " DAMAGED, name, number);
    RILL_TRY(next_line(p, line));
    char *at = line;
    if (strcmp(lower(word_of(&at)), "lookup_table") != 0)
        return rill_fail(RILL_USAGE, "SCALARS %.40s is followed by no LOOKUP_TABLE: " DAMAGED, name);
    RILL_TRY(add_array(p, name, type, components, tuples));
done:
    return status;
}

/* Attributes of points or cells that are not SCALARS. VTK writes bytes as COLOR_SCALARS. @param[out] mine the
 * keyword was one of them */
static rill_status read_other(parser *p, const char *keyword, char *rest, uint64_t tuples, bool *mine)
{
    static const struct {
        const char *keyword;
        uint64_t components; /* 0: stated behind the name */
    } kinds[] = {{"vectors", 3},    {"normals", 3},      {"tensors", 9},    {"tensors6", 6},
                 {"global_ids", 1}, {"pedigree_ids", 1}, {"edge_flags", 1}, {"texture_coordinates", 0}};
    const char *name = word_of(&rest);
    uint64_t count = 0;
    *mine = true;
    if (strcmp(keyword, "color_scalars") == 0) {
        if (!read_count(word_of(&rest), &count)) count = 0;
        const rill_status status = add_array(p, name, "unsigned_char", count, tuples);
        if (status == RILL_OK) p->file->array[p->file->arrays - 1].colour = p->ascii;
        return status;
    }
    if (strcmp(keyword, "lookup_table") == 0) { /* four bytes for each colour in a binary file */
        if (!read_count(word_of(&rest), &count) || count > UINT32_MAX)
            return rill_fail(RILL_USAGE, "LOOKUP_TABLE %.40s has no number of colours: " DAMAGED, name);
        return pass_values(p, name, 4 * count, 1);
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (strcmp(keyword, kinds[k].keyword) != 0) continue;
        count = kinds[k].components;
        if (!count && !read_count(word_of(&rest), &count)) count = 0;
        return add_array(p, name, lower(word_of(&rest)), count, tuples);
    }
    *mine = false;
    return RILL_OK;
}

/* ---- the header ------------------------------------------------------------------------------ */

static rill_status read_dimensions(parser *p, const char *rest)
{
    uint64_t n[3];
    p->points = p->cells = 1;
    if (!rill_text_integers(rest, n, 3))
        return rill_fail(RILL_USAGE, "DIMENSIONS are \"%.60s\": 3 positive numbers are needed", rest);
    for (int a = 0; a < 3; a++) {
        if (n[a] == 0 || n[a] > INT32_MAX)
            return rill_fail(RILL_USAGE, "DIMENSIONS are \"%.60s\": 1 to %d are possible", rest, INT32_MAX);
        p->file->whole[2 * a + 1] = p->file->extent[2 * a + 1] = (int64_t)n[a] - 1;
        if ((double)p->points * (double)n[a] > 1e15)
            return rill_fail(RILL_USAGE,
                             "DIMENSIONS are \"%.60s\", more than 1e15 points: the header is wrong", rest);
        p->points *= n[a];
        p->cells *= n[a] > 1 ? n[a] - 1 : 1;
    }
    return RILL_OK;
}

static rill_status begin_data(parser *p, const char *keyword, char *rest)
{
    uint64_t count;
    const bool cells = keyword[0] == 'c';
    p->place = cells ? "CellData" : "PointData";
    const uint64_t wanted = cells ? p->cells : p->points;
    if (p->points == 0) return rill_fail(RILL_USAGE, "its header has no DIMENSIONS: " DAMAGED);
    if (read_count(rest, &count) && count == wanted) return RILL_OK;
    return rill_fail(RILL_USAGE, "%s is \"%.40s\", but the DIMENSIONS make %llu: the header is wrong",
                     cells ? "CELL_DATA" : "POINT_DATA", rest, (unsigned long long)wanted);
}

/* Take a line that begins with a keyword, and what belongs to it. */
static rill_status read_item(parser *p, char *line)
{
    char *rest = line;
    const char *keyword = lower(word_of(&rest));
    const uint64_t tuples = strcmp(p->place, "CellData") == 0 ? p->cells : p->points;
    bool mine = false;
    double ignored[3];
    if (strcmp(keyword, "dimensions") == 0) return read_dimensions(p, rest);
    if (strcmp(keyword, "spacing") == 0 || strcmp(keyword, "aspect_ratio") == 0)
        return rill_text_reals(rest, p->file->spacing, 3)
                   ? RILL_OK
                   : rill_fail(RILL_USAGE, "SPACING is \"%.60s\": 3 numbers are needed", rest);
    if (strcmp(keyword, "origin") == 0)
        return rill_text_reals(rest, ignored, 3)
                   ? RILL_OK
                   : rill_fail(RILL_USAGE, "ORIGIN is \"%.60s\": 3 numbers are needed", rest);
    if (strcmp(keyword, "point_data") == 0 || strcmp(keyword, "cell_data") == 0)
        return begin_data(p, keyword, rest);
    if (strcmp(keyword, "metadata") == 0) return pass_metadata(p);
    if (strcmp(keyword, "field") == 0) return read_field(p, rest);
    if (strcmp(keyword, "scalars") == 0 && *p->place) return read_scalars(p, rest, tuples);
    const rill_status status = *p->place ? read_other(p, keyword, rest, tuples, &mine) : RILL_OK;
    if (status != RILL_OK || mine) return status;
    return rill_fail(RILL_USAGE, "\"%.40s\" at byte %llu is not part of a legacy VTK image: " DAMAGED,
                     keyword, (unsigned long long)rill_text_tell(p->input));
}

bool rill_vtk_legacy_dataset(const char *head, size_t length, char name[RILL_VTK_NAME])
{
    enum { BEFORE = 3 /* lines: version, title, coding */, LINES = 8 };
    const char *end = head + length, *line = head;
    name[0] = '\0';
    if (length < 14 || memcmp(head, "# vtk DataFile", 14) != 0) return false;
    for (int k = 1; k < LINES && (line = memchr(line, '\n', (size_t)(end - line))); k++) {
        line++;
        const char *at = line + strspn(line, " \t");
        if (k < BEFORE || strncasecmp(at, "DATASET", 7) != 0) continue;
        at += 7 + strspn(at + 7, " \t");
        for (size_t n = 0; n + 1 < RILL_VTK_NAME; n++, at++) {
            const char capital = (char)(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
            if (capital != '_' && (capital < 'A' || capital > 'Z')) break;
            name[n] = capital;
            name[n + 1] = '\0';
        }
        break;
    }
    return true;
}

static rill_status read_head(parser *p)
{
    rill_status status = RILL_OK;
    char line[LINE], dataset[RILL_VTK_NAME], *head = NULL;
    size_t length;
    bool whole;
    RILL_TRY(rill_file_head(p->file->path, LOOK, &head, &length));
    if (!rill_vtk_legacy_dataset(head, length, dataset))
        RILL_TRY(rill_fail(RILL_USAGE,
                           "it does not begin with \"# vtk DataFile Version\": it is not a legacy VTK file"));
    if (strcmp(dataset, "STRUCTURED_POINTS") != 0)
        RILL_TRY(rill_fail(RILL_USAGE,
                           "it is a legacy VTK file of the dataset \"%s\": images are STRUCTURED_POINTS",
                           dataset));
    for (int k = 0; k < 2; k++) RILL_TRY(rill_text_line(p->input, line, sizeof line, &whole));
    RILL_TRY(next_line(p, line));
    char *at = line;
    const char *coding = lower(word_of(&at));
    p->ascii = strcmp(coding, "ascii") == 0;
    if (!p->ascii && strcmp(coding, "binary") != 0)
        RILL_TRY(rill_fail(RILL_USAGE, "its third line is \"%.40s\", not ASCII or BINARY: " DAMAGED, coding));
    RILL_TRY(next_line(p, line)); /* DATASET */
done:
    free(head);
    return status;
}

rill_status rill_vtk_legacy_open(const char *path, rill_vtk_file **out)
{
    rill_status status = RILL_OK;
    char line[LINE];
    parser p = {.place = "", .file = calloc(1, sizeof *p.file)};
    if (!p.file || !(p.file->path = strdup(path)))
        RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a VTK file"));
    strcpy(p.file->type, "ImageData");
    p.file->pieces = 1;
    RILL_TRY(rill_text_open(path, &p.input));
    RILL_TRY(read_head(&p));
    p.file->swap = !p.ascii && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    for (;;) {
        RILL_TRY(next_line(&p, line));
        if (!line[0]) break;
        RILL_TRY(read_item(&p, line));
    }
    *out = p.file;
    p.file = NULL;
done:
    rill_text_close(p.input);
    rill_vtk_close(p.file);
    return status;
}
