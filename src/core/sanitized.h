/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file sanitized.h
 * Whether this is compiled for sanitizers, by gcc or clang. They reserve terabytes of addresses and take ten
 * times as long: no speed is measured there. A test that computes a whole flow takes them up to a minute;
 * where it runs no code that other tests do not run, `.disabled = SANITIZED` leaves it to the plain tests.
 */
#ifndef RILL_CORE_SANITIZED_H
#define RILL_CORE_SANITIZED_H

#ifndef __has_feature
#define __has_feature(x) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

#endif
