/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file place.h
 * The file that this code was loaded from: what is installed with it is found beside it.
 */
#ifndef RILL_CORE_PLACE_H
#define RILL_CORE_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/** Names of the file, which links make differ: a package manager links files of many packages into one tree.
 */
typedef enum rill_place {
    RILL_PLACE_NAMED,   /**< as the loader has it: the link that was named, with a directory */
    RILL_PLACE_MAPPED,  /**< the file itself: links are followed */
    RILL_PLACE_PROGRAM, /**< of the program, which may be another one, such as an interpreter */
    RILL_PLACES
} rill_place;

/**
 * Find the directory of the program or the library that this function is in. The shell starts a program on
 * PATH by its bare name, and the loader knows no other.
 * @param[out] path  without a slash at its end
 * @return false: this name is not known, or too long
 */
bool rill_place_directory(rill_place place, char *path, size_t size);

#endif
