/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file image_cache.h
 * Bytes kept on disk under a key: what took long to make need not be made again. An entry that is damaged,
 * belongs to another key, was written by another user, or may be written by others is not found.
 */
#ifndef RILL_CUDA_IMAGE_CACHE_H
#define RILL_CUDA_IMAGE_CACHE_H

#include "rill.h"

/** Write the directory of the cache: RILL_CACHE, else rill/ in XDG_CACHE_HOME, else ~/.cache/rill. @return
 * false when none of them is set or it does not fit */
bool rill_cache_directory(char *path, size_t size);

/**
 * Read an entry. @param[in] name  of its file  @param[in] key  hash of everything that it depends on
 * @param[out] bytes  to be freed  @return false when there is none, or none that is whole
 */
bool rill_cache_read(const char *name, uint64_t key, void **bytes, size_t *size);

/** Write an entry, whole or not at all. A failure is worth a remark for debugging, no more. */
void rill_cache_write(const char *name, uint64_t key, const void *bytes, size_t size);

#endif
