/* SPDX-License-Identifier: Apache-2.0 */
#include "io/poly_file.h"

#include "core/output.h"
#include "core/status.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers that are put together at a time. */
enum { SOME = 3 << 12 };

/* An array behind the header of the file: a size of 64 bits, and values of 4 bytes. */
typedef enum array { POINTS, VELOCITY, CORNERS, ENDS, SURFACE, ARRAYS } array;

static uint64_t values_of(const rill_poly *p, array which)
{
    const uint64_t vertices = (uint64_t)p->count * p->vertex_count,
                   triangles = (uint64_t)p->count * p->triangle_count;
    return which == POINTS || which == VELOCITY ? 3 * vertices : which == CORNERS ? 3 * triangles : triangles;
}

static uint64_t offset_of(const rill_poly *p, array which)
{
    uint64_t offset = 0;
    for (int k = 0; k < (int)which; k++) offset += sizeof(uint64_t) + 4 * values_of(p, (array)k);
    return offset;
}

/* Set the 4 bytes of value k. */
static void value_at(const rill_poly *p, array which, uint64_t k, void *out)
{
    float real = 0;
    int32_t whole = 0;
    if (which == POINTS)
        real = (float)(p->origin[k % 3] + p->scale * p->x[k / 3][k % 3]);
    else if (which == VELOCITY)
        real = (float)(p->speed * p->velocity[k / 3][k % 3]);
    else if (which == CORNERS)
        whole = (int32_t)(k / 3 / p->triangle_count * p->vertex_count +
                          p->triangles[k / 3 % p->triangle_count][k % 3]);
    else
        whole = (int32_t)(which == ENDS ? 3 * (k + 1) : p->numbers[k / p->triangle_count] - 1);
    memcpy(out, which == POINTS || which == VELOCITY ? (const void *)&real : &whole, 4);
}

static rill_status array_write(const rill_poly *p, array which, rill_output *file)
{
    const uint64_t count = values_of(p, which), size = 4 * count;
    unsigned char some[4 * SOME];
    rill_status status = rill_output_append(file, &size, sizeof size);
    for (uint64_t first = 0; first < count && status == RILL_OK; first += SOME) {
        const uint64_t now = count - first < SOME ? count - first : SOME;
        for (uint64_t k = 0; k < now; k++) value_at(p, which, first + k, some + 4 * k);
        status = rill_output_append(file, some, 4 * now);
    }
    return status;
}

rill_status rill_poly_write(const rill_poly *p, const char *path)
{
    rill_status status = RILL_OK;
    rill_output *file = NULL;
    char head[2048];
    if (values_of(p, CORNERS) > INT_MAX || values_of(p, POINTS) / 3 > INT_MAX)
        RILL_TRY(rill_fail(RILL_USAGE, "%s: %llu corners of triangles are more than %d: write fewer surfaces",
                           path, (unsigned long long)values_of(p, CORNERS), INT_MAX));
    snprintf(
        head, sizeof head,
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
        "<PolyData>\n"
        "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%.17g"
        "</DataArray></FieldData>\n"
        "<Piece NumberOfPoints=\"%llu\" NumberOfPolys=\"%llu\">\n"
        "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"appended\" offset=\"%llu\"/></Points>\n"
        "<PointData Vectors=\"velocity\"><DataArray type=\"Float32\" Name=\"velocity\" NumberOfComponents=\"3\" "
        "format=\"appended\" offset=\"%llu\"/></PointData>\n"
        "<Polys><DataArray type=\"Int32\" Name=\"connectivity\" format=\"appended\" offset=\"%llu\"/>"
        "<DataArray type=\"Int32\" Name=\"offsets\" format=\"appended\" offset=\"%llu\"/></Polys>\n"
        "<CellData Scalars=\"cell\"><DataArray type=\"Int32\" Name=\"cell\" format=\"appended\" offset=\"%llu\"/></CellData>\n"
        "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_",
        p->time, (unsigned long long)(values_of(p, POINTS) / 3), (unsigned long long)values_of(p, ENDS),
        (unsigned long long)offset_of(p, POINTS), (unsigned long long)offset_of(p, VELOCITY),
        (unsigned long long)offset_of(p, CORNERS), (unsigned long long)offset_of(p, ENDS),
        (unsigned long long)offset_of(p, SURFACE));
    static const char tail[] = "\n</AppendedData>\n</VTKFile>\n";
    RILL_TRY(rill_output_create(path, &file));
    RILL_TRY(rill_output_append(file, head, strlen(head)));
    for (int k = 0; k < ARRAYS; k++) RILL_TRY(array_write(p, (array)k, file));
    RILL_TRY(rill_output_append(file, tail, strlen(tail)));
    status = rill_output_commit(file);
done:
    rill_output_destroy(file);
    return status;
}

typedef struct series {
    char *const *names;
    const double *times;
    uint64_t count;
} series;

static rill_status series_print(FILE *out, const void *context)
{
    const series *s = context;
    fprintf(out, "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [");
    for (uint64_t k = 0; k < s->count; k++)
        fprintf(out, "%s\n    {\"name\": \"%s\", \"time\": %.17g}", k ? "," : "", s->names[k], s->times[k]);
    fprintf(out, "\n  ]\n}\n");
    return RILL_OK;
}

rill_status rill_poly_series_write(const char *path, char *const *names, const double *times, uint64_t count)
{
    return rill_output_print(path, series_print, &(series){names, times, count});
}
