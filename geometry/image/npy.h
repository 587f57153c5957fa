/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file npy.h
 * The header of an npy array, in a file of its own or in an npz archive.
 */
#ifndef RILL_GEOMETRY_IMAGE_NPY_H
#define RILL_GEOMETRY_IMAGE_NPY_H

#include "geometry/image/image.h"

enum { RILL_NPY_HEADER = 1 << 16 /**< bytes of a header at most */ };

/**
 * Read a header, and set kind, type, size and order of an image.
 * @param[in,out] head  [length + 1], the first bytes of the array; cut behind the header
 * @param[out]    end   bytes of the header
 */
rill_status rill_npy_header(char *head, size_t length, rill_image *image, uint64_t *end);

#endif
