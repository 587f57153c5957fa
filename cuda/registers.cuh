/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file registers.cuh
 * Registers that steps of the tuned variants may use, measured on an H200: fewer put more blocks on a
 * multiprocessor, and too few are spilled. docs/development/performance-journal.md has the measurements. All
 * other variants are references: the compiler gives them what it needs.
 *
 * Registers are allocated in units of eight: 51 give a multiprocessor 20 blocks of 64 threads at 48 registers
 * per thread, and 48 would give 21 at 40.
 */
#ifndef RILL_CUDA_REGISTERS_CUH
#define RILL_CUDA_REGISTERS_CUH

#include "kernel/platform.h"
#include "rill/variant.h"

/** Kinds of step: even (or the only one), odd, even with interpolated bounce-back. */
enum { RILL_STEP_EVEN, RILL_STEP_ODD, RILL_STEP_WALLS, RILL_STEP_KINDS };

/** A row of the table; ANY matches every value. `bytes` are of a stored population; `wide` and `narrow` are
 * steps with offsets of 64 and 32 bits. */
typedef struct rill_registers {
    int lattice, collision, equilibrium, stream, addressing, bytes;
    int wide[RILL_STEP_KINDS], narrow[RILL_STEP_KINDS];
} rill_registers;

/** What a reference may use, and how many more a device before compute capability 9.0 needs than a row says.
 */
enum { RILL_REGISTERS_MOST = 255, RILL_REGISTERS_OLDER = 16 };

/** Return the registers of a step: of single precision, Newtonian; 255 where the table has no row. */
RILL_CONSTANT_FN int rill_registers_of(const int lattice, const int collision, const int equilibrium,
                                       const int stream, const int addressing, const int bytes,
                                       const int kind, const bool narrow)
{
    enum { ANY = -1 };
    // clang-format off
    constexpr rill_registers table[] = {
        {RILL_D3Q19, RILL_TRT, RILL_STOKES, RILL_PULL, RILL_BITMAP, ANY, {64, 64, 64}, {51, 51, 64}},
        {RILL_D3Q19, RILL_TRT, RILL_STOKES, RILL_MACROSCOPIC, RILL_BITMAP, ANY, {40, 40, 40}, {96, 96, 96}},
        {RILL_D3Q19, RILL_TRT, RILL_STOKES, RILL_AA, RILL_BITMAP, ANY, {64, 80, 64}, {51, 64, 64}},
        {RILL_D3Q19, RILL_TRT, ANY, RILL_RING, RILL_BITMAP, ANY, {64, 64, 64}, {64, 64, 64}},
        {RILL_D3Q19, RILL_TRT, RILL_STOKES, RILL_AA, RILL_LIST, ANY, {64, 104, 64}, {51, 64, 64}},
        {RILL_D3Q19, RILL_TRT, RILL_STOKES, RILL_ESOTWIST, RILL_CHASE, ANY, {104, 104, 104}, {64, 64, 64}},
        {RILL_D3Q19, RILL_TRT, RILL_STOKES, RILL_ESOPULL, RILL_LIST, ANY, {104, 104, 104}, {64, 64, 64}},
        {RILL_D3Q19, RILL_TRT, RILL_SECOND_ORDER, RILL_PULL, RILL_BITMAP, ANY, {64, 64, 64}, {56, 56, 64}},
        {RILL_D3Q19, RILL_TRT, RILL_SECOND_ORDER, RILL_AA, RILL_BITMAP, ANY, {64, 96, 64}, {56, 80, 64}},
        {RILL_D3Q19, RILL_TRT, RILL_SECOND_ORDER, RILL_AA, RILL_LIST, ANY, {64, 104, 64}, {56, 80, 64}},
        {RILL_D3Q19, RILL_TRT, RILL_SECOND_ORDER, RILL_ESOTWIST, RILL_CHASE, ANY, {104, 104, 104}, {80, 80, 80}},
        {RILL_D3Q19, RILL_TRT, RILL_SECOND_ORDER, RILL_ESOPULL, RILL_LIST, ANY, {104, 104, 104}, {80, 80, 80}},
        {RILL_D3Q27, RILL_TRT, ANY, RILL_PULL, RILL_BITMAP, 4, {72, 72, 80}, {72, 72, 80}},
        {RILL_D3Q27, RILL_TRT, ANY, RILL_PULL, RILL_BITMAP, 2, {72, 72, 80}, {56, 56, 80}},
        {RILL_D3Q27, RILL_TRT, ANY, RILL_AA, RILL_BITMAP, 4, {72, 128, 80}, {72, 128, 80}},
        {RILL_D3Q27, RILL_TRT, ANY, RILL_AA, RILL_BITMAP, 2, {72, 128, 80}, {56, 128, 80}},
        {RILL_D3Q27, RILL_TRT, RILL_STOKES, RILL_RING, RILL_BITMAP, ANY, {80, 80, 80}, {80, 80, 80}},
        {RILL_D3Q27, RILL_TRT, ANY, RILL_AA, RILL_LIST, 4, {72, 128, 80}, {72, 128, 80}},
        {RILL_D3Q27, RILL_TRT, ANY, RILL_AA, RILL_LIST, 2, {72, 128, 80}, {56, 128, 80}},
        {RILL_D3Q27, RILL_TRT, RILL_SECOND_ORDER, RILL_RING, RILL_BITMAP, ANY, {72, 72, 80}, {80, 80, 80}},
        {RILL_D3Q27, RILL_CUMULANT, RILL_SECOND_ORDER, RILL_PULL, RILL_BITMAP, 4, {72, 72, 72}, {72, 72, 72}},
        {RILL_D3Q27, RILL_CUMULANT, RILL_SECOND_ORDER, RILL_PULL, RILL_BITMAP, 2, {72, 72, 72}, {56, 56, 72}},
        {RILL_D3Q27, RILL_CUMULANT, RILL_SECOND_ORDER, RILL_AA, RILL_BITMAP, 4, {72, 128, 72}, {72, 128, 72}},
        {RILL_D3Q27, RILL_CUMULANT, RILL_SECOND_ORDER, RILL_AA, RILL_BITMAP, 2, {72, 128, 72}, {56, 128, 72}},
        {RILL_D3Q27, RILL_CUMULANT, RILL_SECOND_ORDER, RILL_RING, RILL_BITMAP, ANY, {80, 80, 80}, {72, 72, 72}},
        {RILL_D3Q27, RILL_CUMULANT, RILL_SECOND_ORDER, RILL_AA, RILL_LIST, 4, {72, 128, 72}, {72, 128, 72}},
        {RILL_D3Q27, RILL_CUMULANT, RILL_SECOND_ORDER, RILL_AA, RILL_LIST, 2, {72, 128, 72}, {56, 128, 72}},
    };
    // clang-format on
    for (const rill_registers &row : table)
        if (row.lattice == lattice && row.collision == collision &&
            (row.equilibrium == equilibrium || row.equilibrium == ANY) && row.stream == stream &&
            row.addressing == addressing && (row.bytes == bytes || row.bytes == ANY))
            return narrow ? row.narrow[kind] : row.wide[kind];
    return RILL_REGISTERS_MOST;
}

#endif
