/* SPDX-License-Identifier: Apache-2.0 */
/* Names and bytes of variants, and the list of those that are built. */
#include "kernel/variant.h"

#include "core/status.h"
#include "kernel/lattice.h"
#include "kernel/storage/storage.h"
#include "kernel/storage/address.h"
#include "kernel/storage/stream.h"

#include <stdio.h>
#include <string.h>

#define RILL_NAME(value, name, ...) [RILL_##value] = name,
const char *const rill_lattice_names[RILL_LATTICE_COUNT + 1] = {
#define RILL_LATTICE RILL_NAME
#include "kernel/variants.def"
};
const char *const rill_collision_names[RILL_COLLISION_COUNT + 1] = {
#define RILL_COLLISION RILL_NAME
#include "kernel/variants.def"
};
const char *const rill_equilibrium_names[RILL_EQUILIBRIUM_COUNT + 1] = {
#define RILL_EQUILIBRIUM RILL_NAME
#include "kernel/variants.def"
};
const char *const rill_stream_names[RILL_STREAM_COUNT + 1] = {
#define RILL_STREAM RILL_NAME
#include "kernel/variants.def"
};
const char *const rill_addressing_names[RILL_ADDRESSING_COUNT + 1] = {
#define RILL_ADDRESSING RILL_NAME
#include "kernel/variants.def"
};
const char *const rill_storage_names[RILL_STORAGE_COUNT + 1] = {
#define RILL_STORAGE RILL_NAME
#include "kernel/variants.def"
};
const char *const rill_arithmetic_names[RILL_ARITHMETIC_COUNT + 1] = {
#define RILL_ARITHMETICS RILL_NAME
#include "kernel/variants.def"
};
const char *const rill_rheology_names[RILL_RHEOLOGY_COUNT + 1] = {
#define RILL_RHEOLOGY RILL_NAME
#include "kernel/variants.def"
};
const char *const rill_bounce_names[RILL_BOUNCE_COUNT + 1] = {
#define RILL_BOUNCE RILL_NAME
#include "kernel/variants.def"
};
const char *const rill_shift_names[RILL_SHIFT_COUNT + 1] = {
#define RILL_SHIFT RILL_NAME
#include "kernel/variants.def"
};

_Static_assert(RILL_STREAM_COUNT <= 16, "rill_stream_slots() holds 16 schemes");

static const rill_variant built[] = {
#define RILL_VARIANT(L, C, E, S, A, T, P, R, B, H)                                                           \
    {RILL_##L, RILL_##C, RILL_##E, RILL_##S, RILL_##A, RILL_##T, RILL_##P, RILL_##R, RILL_##B, RILL_##H},
#include "kernel/variants.def"
};

int rill_variant_count(void) { return (int)(sizeof built / sizeof *built); }

rill_variant rill_variant_at(int k) { return built[k]; }

/* Takes a digit of a mixed-radix number off it: the last choice counts fastest. */
static int digit(uint64_t *number, int count)
{
    const int value = (int)(*number % (uint64_t)count);
    *number /= (uint64_t)count;
    return value;
}

bool rill_variant_next(uint64_t *cursor, rill_variant *out)
{
    for (;;) {
        rill_variant v;
        uint64_t number = (*cursor)++;
        v.shift = (rill_shift)digit(&number, RILL_SHIFT_COUNT);
        v.bounce = (rill_bounce)digit(&number, RILL_BOUNCE_COUNT);
        v.rheology = (rill_rheology)digit(&number, RILL_RHEOLOGY_COUNT);
        v.arithmetic = (rill_arithmetic)digit(&number, RILL_ARITHMETIC_COUNT);
        v.storage = (rill_storage)digit(&number, RILL_STORAGE_COUNT);
        v.addressing = (rill_addressing)digit(&number, RILL_ADDRESSING_COUNT);
        v.stream = (rill_stream)digit(&number, RILL_STREAM_COUNT);
        v.equilibrium = (rill_equilibrium)digit(&number, RILL_EQUILIBRIUM_COUNT);
        v.collision = (rill_collision)digit(&number, RILL_COLLISION_COUNT);
        v.lattice = (rill_lattice)digit(&number, RILL_LATTICE_COUNT);
        if (number > 0) return false;
        if (rill_variant_normal(v).arithmetic != v.arithmetic || rill_variant_check(v) != RILL_OK) continue;
        *out = v;
        return true;
    }
}

uint64_t rill_variant_all_count(void)
{
    uint64_t cursor = 0, count = 0;
    rill_variant v;
    while (rill_variant_next(&cursor, &v)) count++;
    return count;
}

rill_status rill_variant_find(const char *name, rill_variant *out)
{
    uint64_t cursor = 0;
    while (rill_variant_next(&cursor, out)) {
        char text[96];
        rill_variant_name(*out, text, sizeof text);
        if (!strcmp(text, name)) return RILL_OK;
    }
    return rill_fail(RILL_USAGE, "%s is not a variant: `rill variants --all` lists them", name);
}

rill_variant rill_variant_default(void)
{
    return (rill_variant){.lattice = RILL_D3Q19,
                          .collision = RILL_TRT,
                          .equilibrium = RILL_STOKES,
                          .stream = RILL_AA,
                          .addressing = RILL_LIST,
                          .storage = RILL_FP32};
}

/* The storage of populations in a name: stream-addressing-storage, then what is not usual. */
static void name_places(rill_variant v, char *text, size_t size)
{
    const rill_arithmetic usual = v.storage == RILL_FP64 ? RILL_DOUBLE : RILL_SINGLE;
    snprintf(text, size, "%s-%s-%s%s%s%s%s%s%s", rill_stream_names[v.stream],
             rill_addressing_names[v.addressing], rill_storage_names[v.storage],
             v.arithmetic == usual ? "" : "-",
             v.arithmetic == usual ? "" : rill_arithmetic_names[v.arithmetic], v.bounce ? "-" : "",
             v.bounce ? rill_bounce_names[v.bounce] : "", v.shift ? "-" : "",
             v.shift ? rill_shift_names[v.shift] : "");
}

void rill_variant_name(rill_variant v, char *text, size_t size)
{
    char places[64];
    name_places(v, places, sizeof places);
    snprintf(text, size, "%s-%s-%s-%s%s%s", rill_lattice_names[v.lattice], rill_collision_names[v.collision],
             rill_equilibrium_names[v.equilibrium], places, v.rheology ? "-" : "",
             v.rheology ? rill_rheology_names[v.rheology] : "");
}

void rill_variant_layout_name(rill_variant v, char *text, size_t size)
{
    char places[64];
    name_places(v, places, sizeof places);
    snprintf(text, size, "%s-%s", rill_lattice_names[v.lattice], places);
}

/* Whether a collision relaxes moments that need an equilibrium of their own. */
static bool is_of_moments(rill_collision collision)
{
    return collision == RILL_MRT || collision == RILL_CENTRAL_MOMENT || collision == RILL_CUMULANT;
}

rill_variant rill_variant_suit(rill_variant v, bool lattice_given, bool equilibrium_given)
{
    if (!equilibrium_given && is_of_moments(v.collision)) v.equilibrium = RILL_SECOND_ORDER;
    if (!lattice_given && v.collision == RILL_CUMULANT) v.lattice = RILL_D3Q27;
    return v;
}

rill_variant rill_variant_normal(rill_variant v)
{
    if (v.storage == RILL_FP64) v.arithmetic = RILL_DOUBLE;
    return v;
}

bool rill_variant_equal(rill_variant a, rill_variant b)
{
    a = rill_variant_normal(a);
    b = rill_variant_normal(b);
    return a.lattice == b.lattice && a.collision == b.collision && a.equilibrium == b.equilibrium &&
           a.stream == b.stream && a.addressing == b.addressing && a.storage == b.storage &&
           a.arithmetic == b.arithmetic && a.rheology == b.rheology && a.bounce == b.bounce &&
           a.shift == b.shift;
}

/* Refuse what leaves a node in another state than that of its density and momentum, or is not made for them.
 */
static rill_status macroscopic_check(rill_variant v)
{
    if (!rill_stream_macroscopic((int)v.stream)) return RILL_OK;
    v = rill_variant_normal(v);
    if ((v.collision != RILL_SRT && v.collision != RILL_TRT) || v.equilibrium != RILL_STOKES ||
        v.rheology != RILL_NEWTONIAN)
        return rill_fail(
            RILL_USAGE,
            "macroscopic stores density and momentum, which are the whole state only with srt or trt, the stokes equilibrium and a newtonian viscosity, "
            "not with %s, %s, %s: choose these, or another streaming scheme",
            rill_collision_names[v.collision], rill_equilibrium_names[v.equilibrium],
            rill_rheology_names[v.rheology]);
    if (v.storage != (v.arithmetic == RILL_DOUBLE ? RILL_FP64 : RILL_FP32) || v.shift != RILL_SHIFTED)
        return rill_fail(
            RILL_USAGE,
            "macroscopic stores fp32 with single, or fp64 with double, less 1, not %s with %s, %s: choose these, or another streaming scheme",
            rill_storage_names[v.storage], rill_arithmetic_names[v.arithmetic], rill_shift_names[v.shift]);
    if (v.addressing != RILL_LIST && v.addressing != RILL_BITMAP)
        return rill_fail(RILL_USAGE, "macroscopic goes with list or bitmap, not with %s: choose bitmap",
                         rill_addressing_names[v.addressing]);
    return RILL_OK;
}

bool rill_variant_scalar(rill_variant variant) { return variant.collision == RILL_ADVECTION_DIFFUSION; }

/* Populations of a scalar and of a flow differ in what they mean. */
static rill_status scalar_check(rill_variant v)
{
    const bool scalar = rill_variant_scalar(v);
    if (scalar ? v.lattice != RILL_D3Q7 && v.lattice != RILL_D3Q19 : v.lattice == RILL_D3Q7)
        return rill_fail(
            RILL_USAGE,
            "lattice %s does not go with collision %s: a scalar has d3q7 or d3q19 and advection-diffusion, a flow others than d3q7 and this",
            rill_lattice_names[v.lattice], rill_collision_names[v.collision]);
    if (scalar && (v.equilibrium != RILL_STOKES || v.rheology != RILL_NEWTONIAN))
        return rill_fail(RILL_USAGE,
                         "advection-diffusion is linear: choose the equilibrium stokes and no viscosity law");
    return RILL_OK;
}

rill_status rill_variant_check(rill_variant v)
{
    rill_status status = RILL_OK;
    if ((unsigned)v.lattice >= RILL_LATTICE_COUNT || (unsigned)v.collision >= RILL_COLLISION_COUNT ||
        (unsigned)v.equilibrium >= RILL_EQUILIBRIUM_COUNT || (unsigned)v.stream >= RILL_STREAM_COUNT ||
        (unsigned)v.addressing >= RILL_ADDRESSING_COUNT || (unsigned)v.storage >= RILL_STORAGE_COUNT ||
        (unsigned)v.arithmetic >= RILL_ARITHMETIC_COUNT || (unsigned)v.rheology >= RILL_RHEOLOGY_COUNT ||
        (unsigned)v.bounce >= RILL_BOUNCE_COUNT || (unsigned)v.shift >= RILL_SHIFT_COUNT)
        return rill_fail(RILL_USAGE,
                         "the variant holds a value that is none of the named ones: see `rill variants`");
    if (v.addressing == RILL_CHASE && rill_stream_chased((int)v.stream) == 0)
        return rill_fail(
            RILL_USAGE,
            "addressing chase goes with esotwist (three links) or aa (six), not with %s: choose list or bitmap",
            rill_stream_names[v.stream]);
    if (v.bounce == RILL_FULL_WAY && !rill_stream_esoteric((int)v.stream))
        return rill_fail(
            RILL_USAGE,
            "full-way bounce-back goes with esotwist, esopull or esopush, not with %s: choose half-way",
            rill_stream_names[v.stream]);
    RILL_TRY(macroscopic_check(v));
    RILL_TRY(scalar_check(v));
    const bool moments = is_of_moments(v.collision);
    if (moments && v.lattice != RILL_D3Q27 && (v.lattice != RILL_D3Q19 || v.collision == RILL_CUMULANT))
        return rill_fail(RILL_USAGE, "collision %s is not made for %s: choose %s",
                         rill_collision_names[v.collision], rill_lattice_names[v.lattice],
                         v.collision == RILL_CUMULANT ? "d3q27" : "d3q19 or d3q27");
    if (moments && v.equilibrium != RILL_SECOND_ORDER)
        return rill_fail(RILL_USAGE,
                         "collision %s has its own equilibrium: choose --equilibrium second-order, or trt",
                         rill_collision_names[v.collision]);
    if (v.rheology != RILL_NEWTONIAN && (v.collision == RILL_SRT || v.collision == RILL_MRT))
        return rill_fail(
            RILL_USAGE,
            "viscosity law %s goes with trt, central-moment or cumulant, not with %s: choose one of these",
            rill_rheology_names[v.rheology], rill_collision_names[v.collision]);
done:
    return status;
}

rill_status rill_variant_flow_check(rill_variant v)
{
    const rill_status status = rill_variant_check(v);
    if (status != RILL_OK || !rill_variant_scalar(v)) return status;
    return rill_fail(
        RILL_USAGE,
        "collision advection-diffusion moves a scalar with a given velocity, and makes no flow: choose trt");
}

int rill_lattice_q(rill_lattice lattice) { return rill_q(lattice); }

/* Return the links that a node follows in a step to chase to n + d_i, without those that its list has. */
static int hops(rill_variant v, int i)
{
    int count = 0;
    for (int a = 0; a < 3; a++) count += rill_meeting((int)v.lattice, (int)v.stream, i, a) != 0;
    return count;
}

/* What an even or an odd step reads besides populations, as often as it is read and once. */
static void index_reads(rill_variant v, int parity, double fluid, double *often, double *once)
{
    const int stream = (int)v.stream, rows = rill_list_rows((int)v.lattice, stream, (int)v.addressing);
    const double word_bytes = (double)sizeof(rill_word) / (RILL_WORD_CELLS * fluid);
    double reads = 0, distinct = 0;
    if (v.addressing == RILL_DENSE) reads = distinct = 1 / fluid;
    if (rill_slot_looks(stream, parity, false) || rill_slot_looks(stream, parity, true)) {
        if (v.addressing == RILL_LIST) reads = distinct = rows * (double)sizeof(rill_node);
        for (int i = 1; i < rill_q((int)v.lattice) && v.addressing == RILL_CHASE; i++)
            reads += hops(v, i) * (double)sizeof(rill_node);
        if (v.addressing == RILL_CHASE) distinct = rows * (double)sizeof(rill_node);
        if (v.addressing == RILL_BITMAP) {
            distinct = sizeof(uint32_t) * (1 + 1.0 / RILL_PLACE_BLOCK) + word_bytes;
            reads = distinct;
        }
        if (rill_wall_words(stream, (int)v.addressing))
            reads += sizeof(uint32_t), distinct += sizeof(uint32_t);
    }
    *often += reads;
    *once += distinct;
}

rill_bytes rill_variant_bytes(rill_variant v, double fluid)
{
    const int stream = (int)v.stream, addressing = (int)v.addressing;
    const double row = rill_stream_rows((int)v.lattice, stream) * (double)rill_storage_size((int)v.storage);
    const double voxels = addressing == RILL_DENSE ? 1 / fluid : 1;
    rill_bytes bytes = {.populations = row * voxels * (rill_stream_two_arrays(stream) ? 2 : 1)};
    bytes.index = rill_list_rows((int)v.lattice, stream, addressing) * (double)sizeof(rill_node);
    if (rill_wall_words(stream, addressing)) bytes.index += sizeof(uint32_t);
    if (addressing == RILL_DENSE) bytes.index += voxels;
    if (addressing == RILL_BITMAP)
        bytes.index +=
            sizeof(uint32_t) * (1 + 1.0 / RILL_PLACE_BLOCK) +
            (rill_stream_esoteric(stream) ? 2 : 1) * (double)sizeof(rill_word) / (RILL_WORD_CELLS * fluid);
    const int parities = rill_stream_parities(stream);
    double often = 0, once = 0;
    for (int parity = 0; parity < parities; parity++) index_reads(v, parity, fluid, &often, &once);
    bytes.moved = 2 * row + often / parities;
    bytes.cached = 2 * row + once / parities;
    return bytes;
}

rill_published_bytes rill_variant_published(rill_variant v)
{
    const int stream = (int)v.stream;
    const double q = rill_q((int)v.lattice), row = q * (double)rill_storage_size((int)v.storage);
    const double arrays = rill_stream_two_arrays(stream) ? 2 : 1;
    /* his table 1 has all others */
    const bool lehmann = !rill_stream_ring(stream) && !rill_stream_macroscopic(stream);
    if (v.addressing == RILL_DENSE && lehmann) {
        const double flags = rill_stream_esoteric(stream) ? 1 : q; /* looked at in a step */
        return (rill_published_bytes){arrays * row + 1, 2 * row + flags, "Lehmann 2022"};
    }
    if (v.addressing == RILL_LIST && (v.stream == RILL_PULL || v.stream == RILL_AA)) {
        const double index = 4 * (q - 1);
        return (rill_published_bytes){arrays * row + index,
                                      2 * row + (v.stream == RILL_AA ? index / 2 : index), "Suffa 2024"};
    }
    return (rill_published_bytes){0, 0, NULL};
}
