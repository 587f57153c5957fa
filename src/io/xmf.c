/* SPDX-License-Identifier: Apache-2.0 */
/* XDMF 3: XML that tells older readers, and readers of physical times, where the arrays of a field file are.
 */
#include "core/status.h"
#include "io/cells.h"
#include "io/fields_priv.h"
#include "io/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints the last part of a path with the characters that XML reserves replaced. */
static void print_name(FILE *out, const char *path)
{
    const char *slash = strrchr(path, '/');
    for (const char *c = slash ? slash + 1 : path; *c; c++) switch (*c) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        default:
            fputc(*c, out);
        }
}

static void print_item(FILE *out, const char *dims, const char *number, int bytes, const char *path,
                       const char *array)
{
    fprintf(out, "<DataItem Dimensions=\"%s\" NumberType=\"%s\" Precision=\"%d\" Format=\"HDF\">", dims,
            number, bytes);
    print_name(out, path);
    fprintf(out, ":%s</DataItem>\n", array);
}

static void print_image(FILE *out, const rill_geom *geom)
{
    const double edge = rill_geom_edge(geom), *o = geom->origin;
    fprintf(out, "<Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"%u %u %u\"/>\n", geom->n[2],
            geom->n[1], geom->n[0]);
    fprintf(out,
            "<Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"
            "<DataItem Dimensions=\"3\" Format=\"XML\">%.17g %.17g %.17g</DataItem>\n"
            "<DataItem Dimensions=\"3\" Format=\"XML\">%.17g %.17g %.17g</DataItem>\n</Geometry>\n",
            o[2] + edge / 2, o[1] + edge / 2, o[0] + edge / 2, edge, edge, edge);
}

/* The number of points is only known to the cells file: it is handed in. */
static void print_cells(FILE *out, uint64_t nodes, uint64_t points, const char *path)
{
    char dims[64];
    fprintf(out, "<Topology TopologyType=\"Hexahedron\" NumberOfElements=\"%llu\">\n",
            (unsigned long long)nodes);
    snprintf(dims, sizeof dims, "%llu 8", (unsigned long long)nodes);
    print_item(out, dims, "Int", 8, path, "/VTKHDF/Connectivity");
    fputs("</Topology>\n<Geometry GeometryType=\"XYZ\">\n", out);
    snprintf(dims, sizeof dims, "%llu 3", (unsigned long long)points);
    print_item(out, dims, "Float", 4, path, "/VTKHDF/Points");
    fputs("</Geometry>\n", out);
}

static void print_fields(FILE *out, const char *dims, bool image, const char *path)
{
    char vector[96];
    const char *centre = image ? "Node" : "Cell";
    snprintf(vector, sizeof vector, "%s 3", dims);
    fprintf(out, "<Attribute Name=\"velocity\" AttributeType=\"Vector\" Center=\"%s\">\n", centre);
    print_item(out, vector, "Float", 4, path, image ? RILL_IMAGE_VELOCITY : RILL_SPARSE_VELOCITY);
    fprintf(out, "</Attribute>\n<Attribute Name=\"pressure\" AttributeType=\"Scalar\" Center=\"%s\">\n",
            centre);
    print_item(out, dims, "Float", 4, path, image ? RILL_IMAGE_PRESSURE : RILL_SPARSE_PRESSURE);
    fputs("</Attribute>\n", out);
}

static void print_document(FILE *out, const rill_fields *fields, bool image, uint64_t points,
                           const char *path)
{
    const rill_geom *geom = fields->geom;
    const uint64_t nodes = rill_geom_fluid(geom);
    const double time = (double)fields->step * (fields->time_step > 0 ? fields->time_step : 1);
    char dims[64];
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n"
          "<Grid Name=\"rill\" GridType=\"Uniform\">\n",
          out);
    fprintf(out, "<Time Value=\"%.17g\"/>\n", time);
    if (image) {
        snprintf(dims, sizeof dims, "%u %u %u", geom->n[2], geom->n[1], geom->n[0]);
        print_image(out, geom);
    } else {
        snprintf(dims, sizeof dims, "%llu", (unsigned long long)nodes);
        print_cells(out, nodes, points, path);
    }
    print_fields(out, dims, image, path);
    fputs("</Grid>\n</Domain>\n</Xdmf>\n", out);
}

/* Asks the field file, through its links, how many points the cells have. */
static rill_status count_points(const char *path, uint64_t *points)
{
    rill_status status = RILL_OK;
    rill_h5_file *file = NULL;
    RILL_TRY(rill_h5_open(path, &file));
    RILL_TRY(rill_h5_read(file, "/VTKHDF/NumberOfPoints", RILL_H5_U64, NULL, NULL, points));
done:
    rill_h5_close(file);
    return status;
}

rill_status rill_xmf_write(const rill_fields *fields, rill_fields_kind kind, const char *path,
                           const char *xmf)
{
    rill_status status = RILL_OK;
    rill_output *output = NULL;
    char *text = NULL;
    size_t size = 0;
    uint64_t points = 0;
    const bool image = kind == RILL_FIELDS_IMAGE;
    if (!image) RILL_TRY(count_points(path, &points));
    FILE *out = open_memstream(&text, &size);
    if (!out) RILL_TRY(rill_fail(RILL_SYSTEM, "cannot write %s: out of memory", xmf));
    print_document(out, fields, image, points, path);
    if (fclose(out) != 0) RILL_TRY(rill_fail(RILL_SYSTEM, "cannot write %s: out of memory", xmf));
    RILL_TRY(rill_output_create(xmf, &output));
    RILL_TRY(rill_output_append(output, text, size));
    RILL_TRY(rill_output_commit(output));
done:
    rill_output_destroy(output);
    free(text);
    return status;
}
