/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out what kind of surface a file is, and what the readers share. The formats are in read_*.c. */
#include "geometry/surface/surface_file_priv.h"

#include "core/decimal.h"
#include "core/memory.h"
#include "geometry/image/image_priv.h"
#include "geometry/image/file_names.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { STL_HEAD = 84, STL_FACET = 50 };

/* ---- text ------------------------------------------------------------------------------------ */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

rill_word_of_text rill_surface_word(rill_surface_text *text)
{
    const char *end = text->data + text->size, *at = text->at;
    while (at < end && is_blank(*at)) at++;
    rill_word_of_text word = {at, 0};
    while (at < end && !is_blank(*at) && *at != '\n') at++;
    word.length = (size_t)(at - word.text);
    text->at = at;
    return word;
}

rill_word_of_text rill_surface_rest(rill_surface_text *text)
{
    rill_word_of_text all = rill_surface_word(text);
    for (rill_word_of_text next; (next = rill_surface_word(text)).length > 0;)
        all.length = (size_t)(next.text + next.length - all.text);
    return all;
}

bool rill_surface_line(rill_surface_text *text)
{
    const char *end = text->data + text->size, *at = text->at;
    if (at > text->data || text->line > 0) { /* within a line: leave it */
        while (at < end && *at != '\n') at++;
        if (at < end) at++;
    }
    text->line++;
    for (; at < end && (is_blank(*at) || *at == '\n'); at++) text->line += *at == '\n';
    text->at = at;
    return at < end;
}

bool rill_surface_is(rill_word_of_text word, const char *name)
{
    return strlen(name) == word.length && strncasecmp(word.text, name, word.length) == 0;
}

rill_status rill_surface_fail(const rill_surface_text *text, const char *format, ...)
{
    char sentence[512];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return rill_fail(RILL_USAGE, "line %llu: %s", (unsigned long long)text->line, sentence);
}

rill_status rill_surface_reals(rill_surface_text *text, double *values, int count)
{
    for (int i = 0; i < count; i++) {
        const rill_word_of_text word = rill_surface_word(text);
        if (word.length == 0)
            return rill_surface_fail(text, "%d numbers are needed and %d are there: the file is damaged",
                                     count, i);
        /* It stops at the blank behind the word, or at the final NUL. */
        if (rill_decimal_at(word.text, &values[i]) != word.text + word.length)
            return rill_surface_fail(text, "\"%.*s\" is not a finite number: repair the surface",
                                     (int)(word.length < 40 ? word.length : 40), word.text);
    }
    return RILL_OK;
}

rill_status rill_surface_finite(const double x[3], const char *what, uint64_t number)
{
    if (isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2])) return RILL_OK;
    return rill_fail(RILL_USAGE, "%s %llu lies at (%g, %g, %g), which is not finite: repair the surface",
                     what, (unsigned long long)number, x[0], x[1], x[2]);
}

rill_status rill_surface_polygon(rill_mesh *mesh, const uint32_t *v, uint64_t count, uint16_t patch)
{
    rill_status status = rill_mesh_reserve(mesh, 0, count - 2);
    for (uint64_t k = 2; status == RILL_OK && k < count; k++)
        status = rill_mesh_add_triangle(
            mesh,
            (rill_triangle){.v = {v[0], v[k - 1], v[k]}, .source = mesh->triangle_count, .patch = patch});
    return status;
}

/* ---- files ----------------------------------------------------------------------------------- */

static rill_status load(const char *path, rill_surface_text *text, char **data)
{
    rill_status status = RILL_OK;
    int fd = -1;
    uint64_t size = 0, got = 0;
    RILL_TRY(rill_input_open(path, &fd, &size));
    if (size == 0) RILL_TRY(rill_fail(RILL_USAGE, "the file is empty"));
    RILL_TRY(rill_array_create(size + 1, 1, "the bytes of the surface", (void **)data));
    while (got < size) {
        const ssize_t n = read(fd, *data + got, size - got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) RILL_TRY(rill_fail(RILL_SYSTEM, "cannot read it: %s", strerror(errno)));
        if (n == 0) RILL_TRY(rill_fail(RILL_USAGE, "it became shorter while it was read"));
        got += (uint64_t)n;
    }
    (*data)[size] = '\0';
    *text = (rill_surface_text){.data = *data, .size = size, .at = *data};
done:
    if (fd >= 0) close(fd);
    return status;
}

/* A binary file may begin with "solid" too: what it says of its length decides. */
static bool is_stl_text(const rill_surface_text *text)
{
    rill_surface_text walk = *text;
    uint32_t facets = 0;
    if (!rill_surface_line(&walk) || !rill_surface_is(rill_surface_word(&walk), "solid")) return false;
    if (text->size >= STL_HEAD) {
        memcpy(&facets, text->data + STL_HEAD - 4, 4);
        if (STL_HEAD + (uint64_t)STL_FACET * facets == text->size) return false;
    }
    if (!rill_surface_line(&walk)) return true;
    const rill_word_of_text word = rill_surface_word(&walk);
    return rill_surface_is(word, "facet") || rill_surface_is(word, "endsolid");
}

#define BY_PARAVIEW "open it in ParaView, apply Extract Surface and Triangulate, and save it as STL or PLY"
#define BY_MESHLAB "open it in MeshLab or Blender, and export it as STL, OBJ or PLY"

/* What a file is that other programs take for a surface; NULL: unknown. @param[out] remedy  how to convert it
 */
static const char *foreign(const rill_surface_text *text, const char **remedy)
{
    static const struct {
        const char *begin, *within, *what, *remedy; /* within: the first bytes, may be NULL */
    } kinds[] = {
        {"# vtk DataFile", NULL, "a legacy VTK file", BY_PARAVIEW},
        {"version https://git-lfs", NULL, "a Git LFS pointer, which stands for a file",
         "run git lfs pull in its repository"},
        {"\x89HDF", NULL, "an HDF5 file", BY_PARAVIEW},
        {"OFF", NULL, "an OFF file", BY_MESHLAB},
        {"COFF", NULL, "an OFF file", BY_MESHLAB},
        {"NOFF", NULL, "an OFF file", BY_MESHLAB},
        {"STOFF", NULL, "an OFF file", BY_MESHLAB},
        {"glTF", NULL, "a binary glTF file (GLB)", BY_MESHLAB},
        {"{", "\"asset\"", "a glTF file", BY_MESHLAB},
        {"PK\x03\x04", NULL, "a ZIP archive (such as 3MF)", "unpack it, or " BY_MESHLAB},
        {"\x1f\x8b", NULL, "compressed by gzip", "unpack it with gunzip"},
        {"Kaydara FBX", NULL, "an FBX file", BY_MESHLAB},
        {"$MeshFormat", NULL, "a Gmsh file", "save its surface from Gmsh as STL"},
        {"ISO-10303-21", NULL, "a STEP file", "mesh it, for example in Gmsh, and save it as STL"},
        {"<", "<", "an XML file", BY_MESHLAB},
    };
    enum { LOOK = 4096 };
    uint32_t facets = 0;
    const char *at = text->data, *end = text->data + text->size;
    if (text->size >= STL_HEAD) memcpy(&facets, text->data + STL_HEAD - 4, 4);
    if (text->size == STL_HEAD + (uint64_t)STL_FACET * facets)
        return NULL; /* the head of an STL may say anything */
    if (text->size >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0) at += 3;
    while (at < end && (is_blank(*at) || *at == '\n')) at++;
    const size_t left = (size_t)(end - at), look = left < LOOK ? left : LOOK;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const size_t length = strlen(kinds[k].begin);
        if (left < length || memcmp(at, kinds[k].begin, length) != 0) continue;
        if (kinds[k].within && !memmem(at, look, kinds[k].within, strlen(kinds[k].within))) continue;
        *remedy = kinds[k].remedy;
        return kinds[k].what;
    }
    return NULL;
}

/* Return whether a text is a VTK XML file. */
static bool is_vtk(const rill_surface_text *text)
{
    enum { LOOK = 4096 };
    const bool bom = text->size > 3 && memcmp(text->data, "\xEF\xBB\xBF", 3) == 0;
    const size_t look = text->size < LOOK ? (size_t)text->size : LOOK;
    return text->size > 4 && text->data[bom ? 3 : 0] == '<' && memmem(text->data, look, "<VTKFile", 8);
}

static rill_status dispatch(const char *path, rill_surface_text *text, rill_mesh *mesh, const char **format)
{
    if (is_vtk(text)) {
        *format = "VTP";
        return rill_surface_read_vtp(path, mesh);
    }
    const char *remedy = NULL, *what = foreign(text, &remedy);
    if (what)
        return rill_fail(RILL_USAGE, "it is %s, and surfaces are read from STL, OBJ, PLY and VTP: %s", what,
                         remedy);
    if (text->size >= 4 && memcmp(text->data, "ply", 3) == 0 &&
        (text->data[3] == '\n' || text->data[3] == '\r'))
        return rill_surface_read_ply(text, mesh, format);
    if (rill_name_ends(path, ".vtk"))
        return rill_fail(
            RILL_USAGE,
            "its name is that of a VTK file, but it does not begin with \"# vtk DataFile Version\"");
    if (rill_name_ends(path, ".vtp")) return rill_fail(RILL_USAGE, "it is not a VTK XML file, or it is cut");
    if (rill_name_ends(path, ".ply"))
        return rill_fail(RILL_USAGE, "it does not begin with \"ply\": it is not a PLY surface");
    if (rill_name_ends(path, ".obj")) {
        *format = "OBJ";
        return rill_surface_read_obj(text, mesh);
    }
    if (is_stl_text(text)) {
        *format = "STL, ASCII";
        return rill_surface_read_stl_text(text, mesh);
    }
    *format = "STL, binary";
    return rill_surface_read_stl_binary(text, mesh);
}

rill_status rill_surface_read_file(const char *path, rill_mesh **out, const char **format, uint64_t *hash)
{
    rill_status status = RILL_OK;
    rill_mesh *mesh = NULL;
    rill_surface_text text;
    char *data = NULL;
    RILL_TRY(rill_mesh_create(&mesh));
    RILL_TRY(load(path, &text, &data));
    RILL_TRY(dispatch(path, &text, mesh, format));
    if (mesh->triangle_count == 0)
        RILL_TRY(rill_fail(RILL_USAGE, "it has no triangles: export the surface again"));
    *hash = XXH3_64bits(data, (size_t)text.size);
    *out = mesh;
    mesh = NULL;
done:
    if (status != RILL_OK) rill_fail_prefix("%s", rill_input_title(path));
    rill_array_destroy(data);
    rill_mesh_destroy(mesh);
    return status;
}

rill_status rill_surface_read(const char *path, double unit, rill_surface_file *file, rill_mesh **out)
{
    rill_status status = RILL_OK;
    rill_mesh *mesh = NULL;
    struct stat info;
    uint64_t hash = 0;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        file->format = "folder of surfaces";
        RILL_TRY(rill_surface_read_folder(path, &mesh, &hash));
    } else {
        RILL_TRY(rill_surface_read_file(path, &mesh, &file->format, &hash));
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        for (int a = 0; a < 3; a++) mesh->vertices[v][a] *= unit;
        RILL_TRY(rill_surface_finite(mesh->vertices[v], "vertex", v));
    }
    snprintf(file->hash, sizeof file->hash, "%016llx", (unsigned long long)hash);
    *out = mesh;
    mesh = NULL;
done:
    if (status != RILL_OK) rill_fail_prefix("%s", rill_input_title(path));
    rill_mesh_destroy(mesh);
    return status;
}
