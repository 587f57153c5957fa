/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file part.h
 * Names of the parts that rows.h describes, and what RILL_PART_ARITHMETIC and RILL_PART_LEVEL, which the
 * Makefile sets, mean for kernel/platform.h: to be included before any other header.
 */
#ifndef RILL_CPU_PART_H
#define RILL_CPU_PART_H

#define RILL_CPU_JOIN_(a, b) a##b
#define RILL_CPU_JOIN(a, b) RILL_CPU_JOIN_(a, b)

/** The symbol of a part: rill_cpu_D3Q19_SINGLE_v3 */
#define RILL_CPU_LATTICE(lattice, arithmetic, level) RILL_CPU_LATTICE_(lattice, arithmetic, level)
#define RILL_CPU_LATTICE_(lattice, arithmetic, level) rill_cpu_##lattice##_##arithmetic##_##level
#define RILL_CPU_FORMATS(arithmetic, level) RILL_CPU_FORMATS_(arithmetic, level)
#define RILL_CPU_FORMATS_(arithmetic, level) rill_cpu_formats_##arithmetic##_##level
#define RILL_CPU_BUILD(level) RILL_CPU_BUILD_(level)
#define RILL_CPU_BUILD_(level) rill_cpu_build_##level
#define RILL_CPU_CUT(level) RILL_CPU_CUT_(level)
#define RILL_CPU_CUT_(level) rill_cpu_cut_##level
#define RILL_CPU_LEVEL(level) RILL_CPU_LEVEL_(level)
#define RILL_CPU_LEVEL_(level) rill_cpu_level_##level

/* Bytes of a vector, and arithmetic types. */
#define RILL_CPU_BYTES_v2 16
#define RILL_CPU_BYTES_v3 32
#define RILL_CPU_BYTES_v4 64
#define RILL_CPU_TYPE_SINGLE float
#define RILL_CPU_TYPE_DOUBLE double

#ifdef RILL_PART_LEVEL
#define RILL_VECTOR_BYTES RILL_CPU_JOIN(RILL_CPU_BYTES_, RILL_PART_LEVEL)
#endif
#ifdef RILL_PART_ARITHMETIC
#define RILL_ARITHMETIC RILL_CPU_JOIN(RILL_CPU_TYPE_, RILL_PART_ARITHMETIC)
#endif

#endif
