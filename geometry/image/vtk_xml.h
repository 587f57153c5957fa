/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file vtk_xml.h
 * VTK's files as far as images (VTI, legacy) and surfaces (VTP) need them: which arrays there are, and their
 * values as a stream, whatever their coding: ASCII, base64 or raw, inline or appended, plain or compressed by
 * zlib.
 *
 * Read is one piece. Not read: compression by LZ4 and LZMA, arrays of texts and bits.
 * @see "VTK XML Format" in the VTK User's Guide,
 * https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html
 */
#ifndef RILL_GEOMETRY_IMAGE_VTK_XML_H
#define RILL_GEOMETRY_IMAGE_VTK_XML_H

#include "geometry/image/stream.h"

enum {
    RILL_VTK_NAME = 96 /**< bytes of a name that is kept */,
    RILL_VTK_ARRAYS = 256 /**< arrays at most */
};

/** A DataArray element. */
typedef struct rill_vtk_array {
    char place[16];           /**< element that it is in: "PointData", "CellData", "Points", "Polys" */
    char name[RILL_VTK_NAME]; /**< attribute Name, cut */
    bool known;               /**< its type is a number of 8 to 64 bits */
    rill_grey type;           /**< of its values, if it is known */
    uint64_t components;      /**< values of a tuple */
    /** PLAIN: bytes without their number in front of them, of a legacy file. */
    enum { RILL_VTK_ASCII, RILL_VTK_BASE64, RILL_VTK_APPENDED, RILL_VTK_PLAIN } coding;
    bool colour; /**< ASCII: bytes b as b / 255 */
    uint64_t at; /**< in the file, of its text; appended: behind the "_"; UINT64_MAX: it has none */
} rill_vtk_array;

/** A file. */
typedef struct rill_vtk_file {
    char *path;
    char type[24];                                /**< "ImageData" */
    bool swap;                                    /**< bytes come in the other order */
    int header;                                   /**< bytes of the lengths before binary data: 4 or 8 */
    bool compressed;                              /**< by zlib */
    bool appended_raw;                            /**< appended data are no base64 */
    uint64_t appended;                            /**< in the file, behind the "_"; 0: nothing is appended */
    int64_t whole[6];                             /**< ImageData: WholeExtent */
    double spacing[3];                            /**< ImageData */
    int pieces;                                   /**< number of pieces; what follows is of the last one */
    int64_t extent[6];                            /**< ImageData: Extent of the piece */
    uint64_t points, verts, lines, strips, polys; /**< PolyData: how many the piece has */
    rill_vtk_array array[RILL_VTK_ARRAYS];
    int arrays;
} rill_vtk_file;

/** Read the structure of a file. @return RILL_USAGE for anything that is no whole file of one piece */
rill_status rill_vtk_open(const char *path, rill_vtk_file **out);

/** Read the structure of a legacy file of STRUCTURED_POINTS. @return RILL_USAGE for anything else */
rill_status rill_vtk_legacy_open(const char *path, rill_vtk_file **out);

/**
 * Return whether bytes begin like a legacy file.
 * @param[in]  head  with a NUL behind `length` bytes
 * @param[out] name  its dataset in capital letters, "" when it states none
 */
bool rill_vtk_legacy_dataset(const char *head, size_t length, char name[RILL_VTK_NAME]);

/** Close a file; NULL is allowed. */
void rill_vtk_close(rill_vtk_file *file);

/** Return the array of this name in an element such as "CellData", whatever its type; NULL: none. @param name
 * NULL: the first one */
const rill_vtk_array *rill_vtk_find(const rill_vtk_file *file, const char *place, const char *name);

/**
 * Open the values of an array as a stream of its type, in the byte order of the file (ASCII: of the
 * processor).
 * @param[in] count  values that are expected; another number is refused, as far as the file states it
 */
rill_status rill_vtk_stream(const rill_vtk_file *file, const rill_vtk_array *array, uint64_t count,
                            rill_byte_stream **out);

#endif
