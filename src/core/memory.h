/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file memory.h
 * Memory is checked before it is allocated. Arrays are 64-byte aligned.
 */
#ifndef RILL_CORE_MEMORY_H
#define RILL_CORE_MEMORY_H

#include "rill.h"

/**
 * Refuse when the host has less than `bytes` available.
 * The environment variable RILL_MEMORY ("64GiB"), which the option --memory sets, replaces what the
 * system reports: virtual machines may grow while they are used, and cgroups may allow less.
 * @param[in] what  what the memory is for, "the voxels of rock.raw"
 * @return RILL_SYSTEM with need, what is there and the remedy; RILL_USAGE when RILL_MEMORY is no size
 */
rill_status rill_memory_require(uint64_t bytes, const char *what);

/**
 * Return the bytes that the host can still give: the least of MemAvailable and what the control groups
 * (versions 1 and 2, file cache counted as free) of this process leave; or, when RILL_MEMORY is set,
 * that size less the anonymous memory that the process holds already. In either case no more than what the
 * limits of the process (ulimit -v, ulimit -d) leave.
 */
rill_status rill_memory_available(uint64_t *bytes);

/**
 * Foresee the peak of the memory that the process has: what it has now and `more`, or its peak so far.
 * Allocators give back what they can before it is looked at.
 */
rill_status rill_memory_peak(uint64_t more, uint64_t *bytes);

/** Make a remark of the memory that the process has now, and of its peak so far. @param when  "behind the
 * plan"
 */
void rill_memory_note(const char *when);

/**
 * Let the allocator give large blocks back to the system when they are freed. By itself glibc raises the size
 * from which it does with every block that is freed, up to 32 MiB, and keeps twice as much: a run would need
 * that beside what it has allocated. For programs, not for libraries in the programs of others.
 */
void rill_memory_give_back(void);

/** The same with /proc and /sys below `root`, which the tests lay out; "" is this system. */
rill_status rill_memory_available_under(const char *root, uint64_t *bytes);

/** Allocate count × size bytes, 64-byte aligned, not cleared; overflow and exhaustion are RILL_SYSTEM. */
rill_status rill_array_create(uint64_t count, size_t size, const char *what, void **out);

/** Like rill_array_create(), cleared to zero (pages untouched until used). */
rill_status rill_array_create_zero(uint64_t count, size_t size, const char *what, void **out);

/** Free an array of either kind; NULL is allowed. */
void rill_array_destroy(void *array);

/**
 * Make room for one item behind `count` in a list that free() frees: it doubles when it is full.
 * @param[in,out] list  the pointer, by RILL_LIST_GROW() its address; NULL before the first item
 * @param[in,out] room  items that it has room for; 0 before the first
 * @param[in]     what  what it lists, "the nodes of a sponge layer"
 * @return RILL_SYSTEM without memory; the list is as before then
 */
rill_status rill_list_grow(void *list, uint64_t count, uint64_t *room, size_t size, const char *what);

/** The same of a list with the type of its items. */
#define RILL_LIST_GROW(list, count, room, what) rill_list_grow(&(list), count, &(room), sizeof *(list), what)

#endif
