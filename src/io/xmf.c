/* SPDX-License-Identifier: Apache-2.0 */
/* XDMF 3 of field and wall files. */
#include "io/xmf.h"

#include "core/status.h"
#include "io/fields_priv.h"
#include "io/hdf5.h"
#include "io/ours.h"
#include "core/output.h"

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

/* A file that is being described. */
typedef struct grid {
    rill_h5_file *file;
    FILE *out;
    const char *path;   /* of the file */
    const char *group;  /* of its arrays */
    const char *centre; /* what they are of */
} grid;

/* XDMF's words for a type. */
static void print_type(FILE *out, rill_h5_type type)
{
    const char *const names[] = {"UChar", "UInt", "UInt", "Int", "Float", "Float"};
    fprintf(out, "NumberType=\"%s\" Precision=\"%zu\"", names[type], rill_h5_size(type));
}

/* A DataItem for a dataset, `width` numbers to an element where the file has them in one row. */
static rill_status print_item(const grid *g, const char *dataset, uint64_t width)
{
    rill_status status = RILL_OK;
    rill_h5_layout layout;
    RILL_TRY(rill_h5_dataset_layout(g->file, dataset, &layout));
    if (layout.type == RILL_H5_OTHER || layout.rank < 1)
        return rill_fail(RILL_USAGE, "cannot describe %s: %s is not an array of numbers", g->path, dataset);
    fputs("<DataItem Dimensions=\"", g->out);
    if (width > 1)
        fprintf(g->out, "%llu %llu", (unsigned long long)(layout.dims[0] / width), (unsigned long long)width);
    for (int a = 0; a < layout.rank && width <= 1; a++)
        fprintf(g->out, "%s%llu", a ? " " : "", (unsigned long long)layout.dims[a]);
    fputs("\" ", g->out);
    print_type(g->out, layout.type);
    fputs(" Format=\"HDF\">", g->out);
    print_name(g->out, g->path);
    fprintf(g->out, ":%s</DataItem>\n", dataset);
done:
    return status;
}

static rill_status on_array(void *context, const char *name)
{
    rill_status status = RILL_OK;
    const grid *g = context;
    char dataset[256];
    rill_h5_layout layout;
    if (snprintf(dataset, sizeof dataset, "%s/%s", g->group, name) >= (int)sizeof dataset) return RILL_OK;
    RILL_TRY(rill_h5_dataset_layout(g->file, dataset, &layout));
    const int scalars = strcmp(g->centre, "Node") == 0 ? 3 : 1;
    fprintf(g->out, "<Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"%s\">\n", name,
            layout.rank > scalars ? "Vector" : "Scalar", g->centre);
    RILL_TRY(print_item(g, dataset, 1));
    fputs("</Attribute>\n", g->out);
done:
    return status;
}

static rill_status print_image(const grid *g)
{
    rill_status status = RILL_OK;
    int64_t extent[6];
    double origin[3], spacing[3];
    RILL_TRY(rill_h5_get_integers(g->file, "/VTKHDF", "WholeExtent", extent, 6));
    RILL_TRY(rill_h5_get_finite(g->file, "/VTKHDF", "Origin", origin, 3));
    RILL_TRY(rill_h5_get_finite(g->file, "/VTKHDF", "Spacing", spacing, 3));
    fprintf(g->out, "<Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"%lld %lld %lld\"/>\n",
            (long long)extent[5] + 1, (long long)extent[3] + 1, (long long)extent[1] + 1);
    fprintf(g->out,
            "<Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"
            "<DataItem Dimensions=\"3\" Format=\"XML\">%.17g %.17g %.17g</DataItem>\n"
            "<DataItem Dimensions=\"3\" Format=\"XML\">%.17g %.17g %.17g</DataItem>\n</Geometry>\n",
            origin[2], origin[1], origin[0], spacing[2], spacing[1], spacing[0]);
done:
    return status;
}

static rill_status print_cells(const grid *g, const char *type, uint64_t corners)
{
    rill_status status = RILL_OK;
    uint64_t cells;
    RILL_TRY(rill_h5_read(g->file, "/VTKHDF/NumberOfCells", RILL_H5_U64, 1, NULL, (uint64_t[]){1}, &cells));
    fprintf(g->out, "<Topology TopologyType=\"%s\" NumberOfElements=\"%llu\">\n", type,
            (unsigned long long)cells);
    RILL_TRY(print_item(g, "/VTKHDF/Connectivity", corners));
    fputs("</Topology>\n<Geometry GeometryType=\"XYZ\">\n", g->out);
    RILL_TRY(print_item(g, "/VTKHDF/Points", 1));
    fputs("</Geometry>\n", g->out);
done:
    return status;
}

static rill_status print_grid(FILE *out, const rill_xmf_moment *moment)
{
    rill_status status = RILL_OK;
    char *format = NULL;
    grid g = {.out = out, .path = moment->path, .group = "/VTKHDF/CellData", .centre = "Cell"};
    RILL_TRY(rill_h5_open_part(moment->path, &g.file));
    RILL_TRY(rill_format_read(g.file, &format));
    const bool wall = format && strcmp(format, RILL_WALL_FORMAT) == 0;
    if (!wall && (!format || strcmp(format, RILL_FIELDS_FORMAT) != 0))
        RILL_TRY(rill_fail(RILL_USAGE, "cannot describe %s: it holds no fields of rill", moment->path));
    fprintf(out, "<Grid Name=\"rill\" GridType=\"Uniform\">\n<Time Value=\"%.17g\"/>\n", moment->time);
    if (rill_h5_exists(g.file, "/VTKHDF/PointData")) {
        g.group = "/VTKHDF/PointData";
        g.centre = "Node";
        RILL_TRY(print_image(&g));
    } else {
        RILL_TRY(wall ? print_cells(&g, "Triangle", 3) : print_cells(&g, "Hexahedron", 8));
    }
    RILL_TRY(rill_h5_members(g.file, g.group, on_array, &g));
    fputs("</Grid>\n", out);
done:
    free(format);
    rill_h5_close(g.file);
    return status;
}

typedef struct document {
    const rill_xmf_moment *moments;
    int count;
} document;

static rill_status print_document(FILE *out, const void *context)
{
    rill_status status = RILL_OK;
    const document *d = context;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n", out);
    if (d->count > 1)
        fputs("<Grid Name=\"series\" GridType=\"Collection\" CollectionType=\"Temporal\">\n", out);
    for (int k = 0; k < d->count; k++) RILL_TRY(print_grid(out, &d->moments[k]));
    if (d->count > 1) fputs("</Grid>\n", out);
    fputs("</Domain>\n</Xdmf>\n", out);
done:
    return status;
}

rill_status rill_xmf_write(const rill_xmf_moment *moments, int count, const char *xmf)
{
    return rill_output_print(xmf, print_document, &(document){moments, count});
}
