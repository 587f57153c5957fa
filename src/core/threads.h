/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file threads.h
 * Loops on several threads, for work that is repeated thousands of times a second. A loop ends when its work
 * is done, not when every thread has come: a thread that another program keeps from its processor is not
 * waited for unless it is in the middle of a piece. Waiting threads spin for at most 0.1 ms, then
 * sleep.
 */
#ifndef RILL_CORE_THREADS_H
#define RILL_CORE_THREADS_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

/** Work on items first … end - 1, on several threads at once. */
typedef void rill_threads_work(const void *shared, uint64_t first, uint64_t end);

/**
 * Return the most threads that loops of this thread use: what OMP_NUM_THREADS or omp_set_num_threads() says,
 * else rill_processors() as it was at the first call of this thread; 1 in a parallel region of OpenMP.
 */
int rill_threads(void);

/** Return how many threads a loop uses: as many as get a whole piece each, at most rill_threads(). */
int rill_threads_fit(uint64_t count, uint64_t piece);

/**
 * Write how many threads such a loop uses, and why: "1 of 8 processors: each thread gets 4096 nodes or more".
 * @param item    what is counted: "nodes"
 */
void rill_threads_explain(uint64_t count, uint64_t piece, const char *item, char *text, size_t size);

/** Refuse more threads in OMP_NUM_THREADS than a team has at most, which is what loops run with then. */
rill_status rill_threads_check(void);

/**
 * Let loops of OpenMP that this thread runs use no more threads than rill_threads(), and, where the OpenMP
 * library has a setting for it, let threads that wait for them sleep at once: for a program's start.
 */
void rill_threads_limit_openmp(void);

/**
 * Use one thread less in loops of the calling thread, if they use more than two, so that another thread has a
 * processor: a loop of OpenMP ends only after all of its threads have run, and a thread without a processor
 * delays all others.
 * @return the number of threads before, for omp_set_num_threads()
 */
int rill_threads_leave_one(void);

/**
 * Work on items 0 … count - 1. Every thread begins with the same part in every loop of as many items, so that
 * its data stay near it, and then takes pieces of others.
 * @param piece  how many items are taken at a time: the work of 5 microseconds or more. Pieces begin at
 *               multiples of it
 */
void rill_threads_for(uint64_t count, uint64_t piece, rill_threads_work *work, const void *shared);

#endif
