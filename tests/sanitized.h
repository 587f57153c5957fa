/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file sanitized.h
 * Whether sanitizers watch. A test that computes a whole flow takes them up to a minute; where it runs no
 * code that other tests do not run, `.disabled = SANITIZED` leaves it to the plain tests.
 */
#ifndef RILL_TESTS_SANITIZED_H
#define RILL_TESTS_SANITIZED_H

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

#endif
