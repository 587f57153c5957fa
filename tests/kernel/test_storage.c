/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Number formats of stored populations against their definitions, computed here slowly in double: every code
 * both ways, and values next to every place where rounding changes. Each runs in all instances: float and
 * double arithmetic at every x86-64 level that was built and that this processor has.
 */
#include "storage/instance.h"
#include "kernel/comparison/choices.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS(X) IF_v2(X) IF_v3(X) IF_v4(X)
#ifdef RILL_LEVEL_v2
#define IF_v2(X) X(v2)
#else
#define IF_v2(X)
#endif
#ifdef RILL_LEVEL_v3
#define IF_v3(X) X(v3)
#else
#define IF_v3(X)
#endif
#ifdef RILL_LEVEL_v4
#define IF_v4(X) X(v4)
#else
#define IF_v4(X)
#endif

#define DECLARE(v) extern const storage_instance storage_float_##v, storage_double_##v;
LEVELS(DECLARE)
#define LIST(v) &storage_float_##v, &storage_double_##v,
static const storage_instance *const instances[] = {LEVELS(LIST)};

/* Return the next instance that can run here; NULL at the end. */
static const storage_instance *next(size_t *k)
{
    while (*k < sizeof instances / sizeof *instances) {
        const storage_instance *instance = instances[(*k)++];
        if (instance->level == 2 || (instance->level == 3 && __builtin_cpu_supports("avx2")) ||
            (instance->level == 4 && __builtin_cpu_supports("avx512vl")))
            return instance;
    }
    return NULL;
}

/* The formats of 16 bits and what defines them. */
typedef struct format {
    const char *name;
    rill_storage storage;
    enum { MINIFLOAT, POSIT, INTEGER } kind;
    int bits;  /* MINIFLOAT: of the mantissa; POSIT: es */
    int scale; /* value of a code times 2^-scale */
    double largest;
} format;

static const format formats[] = {
    {"fp16", RILL_FP16, MINIFLOAT, 10, 0, 65504},
    {"fp16s", RILL_FP16S, MINIFLOAT, 10, 15, 65504.0 / 32768},
    {"fp16c", RILL_FP16C, MINIFLOAT, 11, 0, 1.99951171875},
    {"p16_0s", RILL_P16_0S, POSIT, 0, 7, 128},
    {"p16_1s", RILL_P16_1S, POSIT, 1, 7, 2097152},
    {"p16_2c", RILL_P16_2C, POSIT, 2, 0, 2 - 1.0 / 4096},
    {"int16s", RILL_INT16S, INTEGER, 0, 15, 32767.0 / 32768},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* Return the value of a posit of n bits, given without its sign: bit by bit, as the standard defines it.
 * `half` is for posits that lack their first regime bit, because it is zero. */
static double posit(unsigned code, int n, int es, bool half)
{
    int at = n - 2, k, exponent = 0;
    if (code == 0) return 0;
    const int first = half ? 0 : (int)(code >> at & 1);
    int run = half ? 1 : 0;
    while (at >= 0 && (int)(code >> at & 1) == first) run++, at--;
    at--; /* the bit that ends the run */
    k = first ? run - 1 : -run;
    for (int b = 0; b < es; b++, at--) exponent = 2 * exponent + (at >= 0 ? (int)(code >> at & 1) : 0);
    double fraction = 1, place = 0.5;
    for (; at >= 0; at--, place /= 2) fraction += place * (double)(code >> at & 1);
    return ldexp(fraction, k * (1 << es) + exponent + (half ? 1 : 0));
}

/* Return the value of a code without its sign, below 0x8000; of the middle to the next one where `middle`. */
static double magnitude(const format *f, unsigned code, bool middle)
{
    const double half = middle ? 0.5 : 0;
    if (f->kind == POSIT)
        return ldexp(
            posit(middle ? 2 * code + 1 : code, middle ? 17 : 16, f->bits, f->storage == RILL_P16_2C),
            -f->scale);
    if (f->kind == INTEGER) return ldexp(code + half, -f->scale);
    const unsigned hidden = 1u << f->bits, exponent = code >> f->bits;
    if (f->bits == 10 && exponent == 31 && !middle) return code & 1023 ? NAN : INFINITY;
    const double mantissa = (code & (hidden - 1)) + (exponent ? hidden : 0) + half;
    return ldexp(mantissa, (exponent ? (int)exponent : 1) - 15 - f->bits - f->scale);
}

static double decode(const format *f, unsigned code)
{
    if (f->kind != MINIFLOAT && code == 0x8000) return NAN;
    if (code < 0x8000) return magnitude(f, code, false);
    return -magnitude(f, f->kind == MINIFLOAT ? code & 0x7FFF : 0x10000 - code, false);
}

/* Return the code of a value by a search among all. */
static unsigned encode(const format *f, double value)
{
    static const unsigned largest_half = 0x7BFF;
    unsigned low = 0, high = f->kind == MINIFLOAT && f->bits == 10 ? largest_half : 0x7FFF;
    const double size = fabs(value);
    if (size >= f->largest || isnan(value)) { /* NaN only where a format has none */
        low = high;
    } else {
        while (high - low > 1) { /* magnitude(low) <= size < magnitude(high) */
            const unsigned code = (low + high) / 2;
            if (magnitude(f, code, false) <= size)
                low = code;
            else
                high = code;
        }
        const double middle = magnitude(f, low, true);
        if (size > middle || (size == middle && low % 2 == 1)) low++;
    }
    if (!signbit(value)) return low;
    return f->kind == MINIFLOAT ? 0x8000 | low : (0x10000 - low) & 0xFFFF;
}

/* Arrays of the arithmetic type of an instance. */
static double get(const storage_instance *instance, const void *values, size_t k)
{
    return instance->width == 32 ? (double)((const float *)values)[k] : ((const double *)values)[k];
}

static void put(const storage_instance *instance, void *values, size_t k, double value)
{
    if (instance->width == 32)
        ((float *)values)[k] = (float)value;
    else
        ((double *)values)[k] = value;
}

static double beside(const storage_instance *instance, double value, double to)
{
    return instance->width == 32 ? (double)nextafterf((float)value, (float)to) : nextafter(value, to);
}

enum { CODES = 1 << 16 };

Test(storage, every_code_has_its_value_and_comes_back)
{
    uint16_t *codes = malloc(CODES * sizeof *codes), *back = malloc(CODES * sizeof *back);
    void *values = malloc(CODES * sizeof(double));
    size_t k = 0;
    for (const storage_instance *i; (i = next(&k));) {
        for (const format *f = formats; f < formats + FORMATS; f++) {
            for (unsigned c = 0; c < CODES; c++) codes[c] = (uint16_t)c;
            i->load(f->storage, codes, 0, values, CODES);
            i->store(f->storage, back, 0, values, CODES);
            for (unsigned c = 0; c < CODES; c++) {
                const double value = get(i, values, c), expected = decode(f, c);
                cr_assert((isnan(value) && isnan(expected)) ||
                              (value == expected && signbit(value) == signbit(expected)),
                          "%s, %s: code %#x is %.17g, not %.17g", i->name, f->name, c, value, expected);
                if (isnan(expected))
                    cr_assert(isnan(decode(f, back[c])), "%s, %s: NaN %#x became %#x", i->name, f->name, c,
                              back[c]);
                else if (isinf(expected))
                    cr_assert_eq(back[c], encode(f, expected), "%s, %s: %#x", i->name, f->name, c);
                else
                    cr_assert_eq(back[c], c, "%s, %s: %#x came back as %#x", i->name, f->name, c, back[c]);
            }
        }
    }
    free(codes), free(back), free(values);
}

/* Store `count` values one by one and compare with the search. */
static void compare(const storage_instance *i, const format *f, const void *values, uint16_t *codes,
                    size_t count)
{
    i->store(f->storage, codes, 0, values, count);
    for (size_t n = 0; n < count; n++) {
        const double value = get(i, values, n);
        const unsigned expected = encode(f, value);
        cr_assert_eq(codes[n], expected, "%s, %s: %.17g became %#x (%.17g), not %#x (%.17g)", i->name,
                     f->name, value, codes[n], decode(f, codes[n]), expected, decode(f, expected));
    }
}

Test(storage, rounds_to_nearest_and_in_a_tie_to_even)
{
    enum { BESIDE = 10 };
    uint16_t *codes = malloc(CODES * BESIDE * sizeof *codes);
    void *values = malloc(CODES * BESIDE * sizeof(double));
    size_t k = 0;
    for (const storage_instance *i; (i = next(&k));) {
        for (const format *f = formats; f < formats + FORMATS; f++) {
            size_t count = 0;
            for (unsigned c = 0; magnitude(f, c, false) < f->largest; c++) {
                const double edges[] = {magnitude(f, c, false), magnitude(f, c, true)};
                for (int e = 0; e < 2; e++) {
                    const double at[] = {edges[e], beside(i, edges[e], INFINITY), beside(i, edges[e], 0)};
                    for (int s = 0; s < 3; s++) put(i, values, count++, c % 2 || e ? at[s] : -at[s]);
                }
                put(i, values, count++, -edges[1]);
                put(i, values, count++, beside(i, -edges[1], 0));
            }
            compare(i, f, values, codes, count);
        }
    }
    free(codes), free(values);
}

Test(storage, saturates_and_takes_values_of_any_size)
{
    size_t k = 0;
    for (const storage_instance *i; (i = next(&k));) {
        for (const format *f = formats; f < formats + FORMATS; f++) {
            enum { VALUES = 4096 };
            uint16_t codes[2 * VALUES];
            double values[2 * VALUES]; /* room for both arithmetic types */
            size_t count = 0;
            uint64_t random = 1;
            const double special[] = {0,
                                      f->largest,
                                      beside(i, f->largest, INFINITY),
                                      2 * f->largest,
                                      1e30,
                                      i->width == 32 ? (double)FLT_MAX : DBL_MAX,
                                      INFINITY,
                                      1e-30,
                                      i->width == 32 ? 1e-45 : 5e-324,
                                      i->width == 32 ? (double)FLT_MIN : DBL_MIN};
            for (size_t n = 0; n < sizeof special / sizeof *special; n++) {
                put(i, values, count++, special[n]);
                put(i, values, count++, -special[n]);
            }
            while (count < VALUES) { /* any mantissa at any size from 2^-64 to 2^31 */
                random = random * 6364136223846793005u + 1442695040888963407u;
                const double mantissa = 1 + (double)(random >> 12) * 0x1p-52;
                random = random * 6364136223846793005u + 1442695040888963407u;
                const double value = ldexp(mantissa, (int)(random >> 40) % 96 - 64);
                put(i, values, count++, random >> 63 ? value : -value);
            }
            compare(i, f, values, codes, count);

            put(i, values, 0, NAN);
            put(i, values, 1, -NAN);
            i->store(f->storage, codes, 0, values, 2);
            for (int n = 0; n < 2; n++) {
                if (f->storage == RILL_FP16C)
                    cr_assert_eq(codes[n] & 0x7FFF, 0x7FFF, "%s, %s: %#x", i->name, f->name, codes[n]);
                else
                    cr_assert(isnan(decode(f, codes[n])), "%s, %s: NaN became %#x", i->name, f->name,
                              codes[n]);
            }
        }
    }
}

Test(storage, formats_of_32_and_64_bits_keep_what_they_can)
{
    const double given[] = {0, -0.0, 1.0 / 3, -1e-40, 1e-310, 1e300, INFINITY, NAN};
    enum { VALUES = sizeof given / sizeof *given };
    size_t k = 0;
    for (const storage_instance *i; (i = next(&k));) {
        float singles[VALUES];
        double doubles[VALUES], values[VALUES], back[VALUES];
        for (int n = 0; n < VALUES; n++) put(i, values, (size_t)n, given[n]);
        i->store(RILL_FP32, singles, 0, values, VALUES);
        i->store(RILL_FP64, doubles, 0, values, VALUES);
        for (int n = 0; n < VALUES; n++) {
            const double value = get(i, values, (size_t)n);
            const float single = (float)value;
            cr_assert(memcmp(&singles[n], &single, sizeof single) == 0 || isnan(value), "%s: %g became %g",
                      i->name, value, (double)singles[n]);
            cr_assert(memcmp(&doubles[n], &value, sizeof value) == 0 || isnan(value), "%s: %g became %g",
                      i->name, value, doubles[n]);
            cr_assert(!isnan(value) || (isnan(singles[n]) && isnan(doubles[n])));
        }
        i->load(RILL_FP32, singles, 0, back, VALUES);
        for (int n = 0; n < VALUES; n++)
            cr_assert(get(i, back, (size_t)n) == (double)singles[n] || isnan(singles[n]));
        i->load(RILL_FP64, doubles, 0, back, VALUES);
        for (int n = 0; n < VALUES; n++)
            cr_assert(get(i, back, (size_t)n) == get(i, values, (size_t)n) || isnan(doubles[n]));
    }
}

/* Rows and parts, wherever they begin, are the same as values one by one and touch nothing else. */
Test(storage, rows_and_parts_are_what_single_values_are)
{
    enum { LONGEST = 32, LENGTH = 64 };
    size_t k = 0;
    for (const storage_instance *i; (i = next(&k));) {
        for (int storage = 0; storage < RILL_STORAGE_COUNT; storage++) {
            const size_t size = storage == RILL_FP64 ? 8 : storage == RILL_FP32 ? 4 : 2;
            const size_t wide = (size_t)i->width / 8;
            char stored[LENGTH * 8], expected[LENGTH * 8], rows[LENGTH * 8];
            double values[LENGTH], one[LENGTH], row[LENGTH];
            for (int n = 0; n < LENGTH; n++)
                put(i, values, (size_t)n, (n % 3 ? 1 : -1) * ldexp(0.9 + n, -(n * 7 % 29)) / 40);
            i->store(storage, stored, 0, values, LENGTH);
            i->load(storage, stored, 0, one, LENGTH);
            for (int length = 0; length <= LONGEST; length = length ? 2 * length : 1) { /* 0: a row */
                const size_t count = length ? (size_t)length : (size_t)i->lanes;
                for (size_t first = 0; first + count <= LENGTH; first += 1 + first / 8) {
                    memset(expected, 0x5A, sizeof expected), memset(rows, 0x5A, sizeof rows);
                    memset(row, 0x5A, sizeof row);
                    i->store(storage, expected, first, (char *)values + first * wide, count);
                    if (length) {
                        i->store_part(storage, rows, first, (char *)values + first * wide, length);
                        i->load_part(storage, stored, first, row, length);
                    } else {
                        i->store_row(storage, rows, first, (char *)values + first * wide);
                        i->load_row(storage, stored, first, row);
                    }
                    cr_assert_arr_eq(rows, expected, sizeof rows, "%s, storage %d: %zu from %zu on", i->name,
                                     storage, count, first);
                    cr_assert_arr_eq(row, (char *)one + first * wide, count * wide,
                                     "%s, storage %d: %zu from %zu on", i->name, storage, count, first);
                    cr_assert(((char *)row)[count * wide] == 0x5A, "%s, storage %d", i->name, storage);
                }
            }
            (void)size;
        }
    }
}

Test(storage, codes_grow_with_values)
{
    size_t k = 0;
    for (const storage_instance *i; (i = next(&k));) {
        for (const format *f = formats; f < formats + FORMATS; f++) {
            double before = -INFINITY, value[8];
            for (int n = -0x7FFF; n <= 0x7FFF; n++) {
                const uint16_t code =
                    f->kind == MINIFLOAT && n < 0 ? (uint16_t)(0x8000 | -n) : (uint16_t)(int16_t)n;
                i->load(f->storage, &code, 0, value, 1);
                const double now = get(i, value, 0);
                if (isnan(now) || isinf(now)) continue;
                cr_assert(now > before, "%s, %s: %#x is %g, the one before %g", i->name, f->name, code, now,
                          before);
                before = now;
            }
            cr_assert_eq(before, f->largest, "%s, %s: ends with %.17g", i->name, f->name, before);
        }
    }
}

Test(storage, moments_see_that_values_have_left_the_range)
{
    size_t k = 0;
    for (const storage_instance *i; (i = next(&k));) {
        for (const format *f = formats; f < formats + FORMATS; f++) {
            double values[16], checked[16];
            const double given[] = {0, -f->largest, f->largest, NAN, beside(i, f->largest, 0), 1e-3};
            for (size_t n = 0; n < 16; n++) put(i, values, n, given[n % 6]);
            for (int n = 0; n < 16; n += i->lanes)
                i->check(f->storage, (char *)values + n * (i->width / 8),
                         (char *)checked + n * (i->width / 8));
            for (size_t n = 0; n < 16; n++) {
                const bool lost = n % 6 >= 1 && n % 6 <= 3;
                cr_assert(lost ? isnan(get(i, checked, n)) : get(i, checked, n) == get(i, values, n),
                          "%s, %s: %g became %g", i->name, f->name, get(i, values, n), get(i, checked, n));
            }
        }
    }
}

/* Plain populations: the weight is taken off and put back, and every format has room for them. */
Test(storage, plain_populations_are_shifted_on_the_way)
{
    size_t k = 0;
    for (const storage_instance *i; (i = next(&k));) {
        const double epsilon = i->width == 32 ? (double)FLT_EPSILON : DBL_EPSILON;
        for (int direction = 0; direction < 19; direction++) {
            const double w = direction == 0 ? 1.0 / 3 : direction < 7 ? 1.0 / 18 : 1.0 / 36;
            double values[16], stored[16], back[16];
            for (int n = 0; n < i->lanes; n++) put(i, values, (size_t)n, ldexp(n % 2 ? 1 : -1, -n - 6) / 3);
            i->unshift(RILL_D3Q19, RILL_SHIFTED, direction, values, stored);
            cr_assert_arr_eq(stored, values, (size_t)(i->lanes * i->width / 8));
            i->shift(RILL_D3Q19, RILL_SHIFTED, direction, values, stored);
            cr_assert_arr_eq(stored, values, (size_t)(i->lanes * i->width / 8));
            i->unshift(RILL_D3Q19, RILL_PLAIN, direction, values, stored);
            i->shift(RILL_D3Q19, RILL_PLAIN, direction, stored, back);
            for (size_t n = 0; n < (size_t)i->lanes; n++) {
                cr_assert_float_eq(get(i, stored, n), get(i, values, n) + w, epsilon * w, "%s: f_%d", i->name,
                                   direction);
                cr_assert_float_eq(get(i, back, n), get(i, values, n), 2 * epsilon * w, "%s: f_%d", i->name,
                                   direction);
            }
        }
    }
    for (const format *f = formats; f < formats + FORMATS; f++) {
        const double plain[] = {1.0 / 3, 4.0 / 9, 1.0 / 36, 1.0 / 216, 0.999};
        for (size_t n = 0; n < sizeof plain / sizeof *plain; n++)
            cr_assert(fabs(decode(f, encode(f, plain[n])) - plain[n]) <= 0x1p-8 * plain[n], "%s: %g", f->name,
                      plain[n]);
    }
}
