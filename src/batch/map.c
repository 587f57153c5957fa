/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes blocks as VTK ImageData in XML (*.vti). The numbers are inline and in base64, since text would hold
 * no NaN that VTK reads: eight bytes that count those that follow, then the numbers.
 */
#include "batch/rev.h"

#include "core/memory.h"
#include "core/output.h"
#include "core/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is written. */
typedef struct content {
    const rill_block_grid *grid;
    const rill_batch_row *rows; /* of the first block on */
    const rill_geom *geom;
    double scale; /* from lu */
} content;

/* Write bytes in base64 (RFC 4648). */
static void base64(FILE *out, const uint8_t *bytes, size_t size)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t k = 0; k < size; k += 3) {
        const size_t left = size - k;
        const uint32_t three = (uint32_t)bytes[k] << 16 | (left > 1 ? (uint32_t)bytes[k + 1] << 8 : 0) |
                               (left > 2 ? bytes[k + 2] : 0);
        fputc(letters[three >> 18], out);
        fputc(letters[three >> 12 & 63], out);
        fputc(left > 1 ? letters[three >> 6 & 63] : '=', out);
        fputc(left > 2 ? letters[three & 63] : '=', out);
    }
}

/* The components of an array at a block. */
typedef void value_getter(const content *c, const rill_batch_row *row, double *values);

static void take_tensor(const content *c, const rill_batch_row *row, double *values)
{
    for (int k = 0; k < 9; k++) values[k] = row->k[k / 3][k % 3] * c->scale;
}

static void take_diagonal(const content *c, const rill_batch_row *row, double *values)
{
    for (int a = 0; a < 3; a++) values[a] = row->k[a][a] * c->scale;
}

static void take_porosity(const content *c, const rill_batch_row *row, double *values)
{
    (void)c;
    values[0] = row->porosity.total >= 0 ? row->porosity.total : NAN;
}

static void take_uncertainty(const content *c, const rill_batch_row *row, double *values)
{
    (void)c;
    values[0] = row->uncertainty;
}

static void take_anisotropy(const content *c, const rill_batch_row *row, double *values)
{
    (void)c;
    values[0] = rill_batch_row_anisotropy(row);
}

static void take_reason(const content *c, const rill_batch_row *row, double *values)
{
    (void)c;
    values[0] = row->reason;
}

static rill_status array_print(FILE *out, const content *c, const char *name, size_t components,
                               value_getter *of)
{
    rill_status status = RILL_OK;
    uint8_t *bytes = NULL;
    const uint64_t size = c->grid->count * components * sizeof(double);
    RILL_TRY(rill_array_create(size + sizeof size, 1, "a map of blocks", (void **)&bytes));
    memcpy(bytes, &size, sizeof size);
    for (size_t i = 0; i < c->grid->count; i++) {
        double values[9];
        of(c, &c->rows[i], values);
        memcpy(bytes + sizeof size + i * components * sizeof(double), values, components * sizeof(double));
    }
    fprintf(out,
            "        <DataArray type=\"Float64\" Name=\"%s\" NumberOfComponents=\"%zu\" format=\"binary\">\n"
            "          ",
            name, components);
    base64(out, bytes, (size_t)(size + sizeof size));
    fputs("\n        </DataArray>\n", out);
done:
    rill_array_destroy(bytes);
    return status;
}

static rill_status print(FILE *out, const void *context)
{
    rill_status status = RILL_OK;
    const content *c = context;
    const rill_block_grid *g = c->grid;
    const bool metric = c->geom->spacing > 0, diffusion = c->rows->diffusion;
    const double edge = g->edge * (metric ? c->geom->spacing : 1);
    fprintf(
        out,
        "<?xml version=\"1.0\"?>\n"
        "<!-- %s in %s, lengths in %s. A cell is a block of %u x %u x %u voxels. -->\n"
        "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
        "  <ImageData WholeExtent=\"0 %u 0 %u 0 %u\" Origin=\"%.17g %.17g %.17g\" Spacing=\"%.17g %.17g %.17g\">\n"
        "    <Piece Extent=\"0 %u 0 %u 0 %u\">\n"
        "      <CellData Scalars=\"porosity\" Tensors=\"%s\">\n",
        diffusion ? "Diffusivity" : "Permeability",
        diffusion ? "D0"
        : metric  ? "m2"
                  : "lu (voxel2)",
        metric ? "m" : "voxels", g->edge, g->edge, g->edge, g->n[0], g->n[1], g->n[2], c->geom->origin[0],
        c->geom->origin[1], c->geom->origin[2], edge, edge, edge, g->n[0], g->n[1], g->n[2],
        diffusion ? "diffusivity" : "permeability");
    RILL_TRY(array_print(out, c, diffusion ? "diffusivity" : "permeability", 9, take_tensor));
    RILL_TRY(
        array_print(out, c, diffusion ? "diffusivity_diagonal" : "permeability_diagonal", 3, take_diagonal));
    RILL_TRY(array_print(out, c, "porosity", 1, take_porosity));
    RILL_TRY(array_print(out, c, "uncertainty", 1, take_uncertainty));
    RILL_TRY(array_print(out, c, "anisotropy", 1, take_anisotropy));
    RILL_TRY(array_print(out, c, "exit_reason", 1, take_reason));
    fputs("      </CellData>\n    </Piece>\n  </ImageData>\n</VTKFile>\n", out);
done:
    return status;
}

rill_status rill_block_map_write(const rill_block_grid *grid, const rill_batch_row *rows,
                                 const rill_geom *geom, const char *path)
{
    const content c = {.grid = grid,
                       .rows = rows + grid->first,
                       .geom = geom,
                       .scale = rill_rev_scale(rows, RILL_REV_K, geom->spacing)};
    return rill_output_print(path, print, &c);
}
