// SPDX-License-Identifier: Apache-2.0
// The variants that are built ahead of time, in parts that compile in parallel: a part takes every
// RILL_PART_COUNT-th layout of variants.def with its arithmetic (RILL_PART_ARITHMETIC, from RILL_PART_NUMBER
// on), and all variants of that, which share kernels.
#define RILL_JOIN_(a, b) a##b
#define RILL_JOIN(a, b) RILL_JOIN_(a, b)
#define RILL_ARITHMETIC_SINGLE float
#define RILL_ARITHMETIC_DOUBLE double
#define RILL_ARITHMETIC RILL_JOIN(RILL_ARITHMETIC_, RILL_PART_ARITHMETIC)

#include "cuda/kernels.cuh"

// Variants are named in full, because ptxas reports kernels by these names.
#define RILL_TYPE(L, C, E, S, A, T, P, R, B, H) L##_##C##_##E##_##S##_##A##_##T##_##P##_##R##_##B##_##H
#define RILL_VARIANT(L, C, E, S, A, T, P, R, B, H)                                                           \
    RILL_CUDA_VARIANT(RILL_TYPE(L, C, E, S, A, T, P, R, B, H), RILL_##L, RILL_##C, RILL_##E, RILL_##S,       \
                      RILL_##A, RILL_##T, RILL_##P, RILL_##R, RILL_##B, RILL_##H)
#include "kernel/variants.def"

namespace
{

// The kernels of a variant of this part, none of others.
template <class V, bool here> rill_cuda_compiled compiled()
{
    if constexpr (here) {
#define RILL_ADDRESS(name, ...) (const void *)__VA_ARGS__,
        return {{RILL_CUDA_STEPS(RILL_ADDRESS, V) RILL_CUDA_OTHERS(RILL_ADDRESS, typename V::base)}};
    }
    return {};
}

struct line {
    int arithmetic, layout[6];
};
constexpr line lines[] = {
#define RILL_VARIANT(L, C, E, S, A, T, P, R, B, H)                                                           \
    {RILL_##P, {RILL_##L, RILL_##S, RILL_##A, RILL_##T, RILL_##B, RILL_##H}},
#include "kernel/variants.def"
};

constexpr bool same_layout(const line &a, const line &b)
{
    if (a.arithmetic != b.arithmetic) return false;
    for (int k = 0; k < 6; k++)
        if (a.layout[k] != b.layout[k]) return false;
    return true;
}

constexpr int first_of_layout(const int number)
{
    int k = 0;
    while (!same_layout(lines[k], lines[number])) k++;
    return k;
}

// Numbers layouts by their arithmetic.
constexpr bool here(const int number)
{
    constexpr int wanted = RILL_JOIN(RILL_, RILL_PART_ARITHMETIC);
    if (lines[number].arithmetic != wanted) return false;
    int before = 0;
    for (int k = 0; k < first_of_layout(number); k++)
        before += lines[k].arithmetic == wanted && first_of_layout(k) == k;
    return before % RILL_PART_COUNT == RILL_PART_NUMBER;
}

enum { first_line = __COUNTER__ + 1 };

} // namespace

// In the order of variants.def.
#define RILL_PART RILL_JOIN(RILL_JOIN(rill_cuda_part_, RILL_PART_ARITHMETIC), RILL_JOIN(_, RILL_PART_NUMBER))
extern "C" {
extern const rill_cuda_compiled RILL_PART[];
const rill_cuda_compiled RILL_PART[] = {
#define RILL_VARIANT(L, C, E, S, A, T, P, R, B, H)                                                           \
    compiled<RILL_TYPE(L, C, E, S, A, T, P, R, B, H), here(__COUNTER__ - first_line)>(),
#include "kernel/variants.def"
};
}
