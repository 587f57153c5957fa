// SPDX-License-Identifier: Apache-2.0
/*
 * What a library needs that is linked on a new glibc and runs on one of 2.28: scripts/make-portable-wheel
 * links it in.
 *
 * The linker's --wrap calls __wrap_exp() for exp(). glibc 2.29 gave these functions a new version, without
 * the error handling of System V; the old one is there still. libudunits2.a of Debian refers to the streams
 * as a program does, not as a library: objcopy gives these references the names below.
 */
#include <stdio.h>

#define OLD(name, parameters, arguments)                                                                     \
    double old_##name parameters;                                                                            \
    __asm__(".symver old_" #name "," #name "@GLIBC_2.2.5");                                                  \
    double __wrap_##name parameters;                                                                         \
    __attribute__((visibility("hidden"))) double __wrap_##name parameters { return old_##name arguments; }

OLD(exp, (double x), (x))
OLD(exp2, (double x), (x))
OLD(log, (double x), (x))
OLD(log2, (double x), (x))
OLD(pow, (double x, double y), (x, y))

__attribute__((visibility("hidden"))) FILE *wheel_stdin, *wheel_stdout, *wheel_stderr;

__attribute__((constructor(101))) static void take_streams(void)
{
    wheel_stdin = stdin;
    wheel_stdout = stdout;
    wheel_stderr = stderr;
}
