/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The conversions of kernel/storage/storage.h as functions, compiled once for each arithmetic type and x86-64
 * level by instance.c, so that one test sees all of them.
 */
#ifndef RILL_TESTS_STORAGE_INSTANCE_H
#define RILL_TESTS_STORAGE_INSTANCE_H

#include "rill.h"

/* Arrays of a call are of the arithmetic type, `width` bits each. */
typedef struct storage_instance {
    const char *name;
    int width, lanes, level;
    void (*load)(int storage, const void *populations, size_t first, void *values, size_t count);
    void (*store)(int storage, void *populations, size_t first, const void *values, size_t count);
    void (*load_row)(int storage, const void *populations, size_t first, void *values);
    void (*store_row)(int storage, void *populations, size_t first, const void *values);
    void (*load_part)(int storage, const void *populations, size_t first, void *values, int count);
    void (*store_part)(int storage, void *populations, size_t first, const void *values, int count);
    void (*check)(int storage, const void *stored, void *values);
    void (*shift)(int lattice, int shift, int i, const void *stored, void *values);
    void (*unshift)(int lattice, int shift, int i, const void *values, void *stored);
} storage_instance;

#endif
