/* SPDX-License-Identifier: Apache-2.0 */
/* Several sets of populations in one simulation: each makes the bits of a simulation of its own. */
#include "backends.h"
#include "domain/links.h"
#include "kernel/storage/storage.h"
#include "kernel/variant.h"
#include "sim/sim_priv.h"
#include "sim/several_plan.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 11, MOST_PARTS = 3 };

static rill_geom *rock(rill_side side)
{
    rill_geom *geom = NULL;
    uint64_t state = 5;
    ASSERT_OK(rill_geom_create((const uint32_t[3]){23, 21, 60}, &geom));
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        geom->voxels[v] = (state >> 33) % 100 < 25 ? RILL_SOLID : RILL_FLUID;
    }
    for (int a = 0; a < 3; a++) geom->sides[a] = side;
    return geom;
}

/* Return a set, whose physics are different for every k. */
static rill_sim_options set_of(int k, rill_stream stream, rill_addressing addressing, rill_storage storage)
{
    rill_sim_options o = rill_sim_options_default();
    o.variant.stream = stream;
    o.variant.addressing = addressing;
    o.variant.storage = storage;
    o.tau = 0.7 + 0.2 * k;
    o.force[2] = 1e-4 / (k + 1);
    o.force[0] = k ? -3e-5 : 0;
    return o;
}

/* The populations of the sets of a simulation, one after the other. */
typedef struct outcome {
    char *bytes;
    uint64_t count;
} outcome;

/* Return the bytes of the populations of a set. */
static uint64_t bytes_of(const rill_domain *domain, rill_variant v)
{
    return rill_domain_nodes(domain) * (uint64_t)rill_lattice_q(v.lattice) *
           rill_storage_size((int)v.storage);
}

static outcome outcome_of(rill_sim *sim, const rill_domain *domain, const rill_sim_options *sets, int count)
{
    outcome out = {NULL, 0};
    const uint64_t all = rill_sim_state_bytes(sim);
    for (int k = 0; k < count; k++) out.count += bytes_of(domain, sets[k].variant);
    cr_assert_lt(out.count, all);
    out.bytes = malloc(out.count);
    ASSERT_OK(rill_sim_state_save(sim, all - out.count, out.count, out.bytes));
    return out;
}

static outcome run(const rill_domain *domain, const rill_sim_options *sets, int count, rill_device *device,
                   int parts)
{
    rill_device *devices[MOST_PARTS] = {device, device, device};
    rill_sim_options own[2];
    rill_sim *sim = NULL;
    memcpy(own, sets, (size_t)count * sizeof *own);
    own[0].on.device = device;
    own[0].on.list = devices;
    own[0].on.count = parts;
    ASSERT_OK(rill_sim_create_sets(domain, own, count, RILL_LOAD_NONE, &sim));
    cr_assert_eq(rill_sim_parts(sim), parts);
    ASSERT_OK(rill_sim_step(sim, STEPS));
    const outcome out = outcome_of(sim, domain, sets, count);
    rill_sim_destroy(sim);
    return out;
}

/* Compare two sets in one simulation of some parts with a simulation for each. */
static void compare(const rill_domain *domain, const rill_sim_options sets[2], int parts, rill_device *device)
{
    char names[2][96];
    for (int k = 0; k < 2; k++) rill_variant_name(sets[k].variant, names[k], sizeof names[k]);
    const outcome both = run(domain, sets, 2, device, parts), first = run(domain, &sets[0], 1, device, 1),
                  second = run(domain, &sets[1], 1, device, 1);
    cr_assert_eq(both.count, first.count + second.count);
    cr_expect_eq(memcmp(both.bytes, first.bytes, first.count), 0, "%s beside %s in %d parts", names[0],
                 names[1], parts);
    cr_expect_eq(memcmp(both.bytes + first.count, second.bytes, second.count), 0,
                 "%s as the second set beside %s in %d parts", names[1], names[0], parts);
    free(both.bytes);
    free(first.bytes);
    free(second.bytes);
}

static rill_device *device_of(rill_backend_kind kind)
{
    rill_device *device = NULL;
    ASSERT_OK(rill_device_create(kind, 0, &device));
    return device;
}

Test(sets, make_the_bits_of_simulations_of_their_own)
{
    const rill_sim_options pairs[][2] = {
        {set_of(0, RILL_AA, RILL_LIST, RILL_FP32), set_of(1, RILL_ESOPULL, RILL_BITMAP, RILL_FP16S)},
        {set_of(0, RILL_PULL, RILL_BITMAP, RILL_FP16C), set_of(1, RILL_AA, RILL_BITMAP, RILL_FP64)},
        {set_of(0, RILL_ESOTWIST, RILL_CHASE, RILL_FP32), set_of(1, RILL_PUSH, RILL_LIST, RILL_FP32)},
        {set_of(0, RILL_RING, RILL_LIST, RILL_FP32), set_of(1, RILL_RING, RILL_BITMAP, RILL_FP16S)},
        {set_of(0, RILL_AA, RILL_DENSE, RILL_FP32), set_of(1, RILL_RING, RILL_DENSE, RILL_FP32)},
    };
    const rill_side sides[] = {RILL_PERIODIC, RILL_MIRROR};
    for (int s = 0; s < 2; s++) {
        rill_geom *geom = rock(sides[s]);
        rill_domain *domain = NULL;
        ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, s ? 2 : -1}, &domain));
        FOR_EACH_BACKEND(kind)
        {
            rill_device *device = device_of(kind);
            for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
                for (int parts = 1; parts <= (k < 3 ? MOST_PARTS : 1); parts++)
                    compare(domain, pairs[k], parts, device);
            rill_device_destroy(device);
        }
        rill_domain_destroy(domain);
        rill_geom_destroy(geom);
    }
}

/* Load a state, head first, in pieces. */
static rill_status load(rill_sim *sim, const char *state, uint64_t count)
{
    enum { piece = 100000 };
    rill_status status = RILL_OK;
    for (uint64_t at = 0, some; at < count && status == RILL_OK; at += some) {
        some = count - at < piece ? count - at : piece;
        status = rill_sim_state_load(sim, at, some, state + at);
    }
    return status == RILL_OK ? rill_sim_state_resume(sim, STEPS) : status;
}

Test(sets, go_on_from_a_state)
{
    rill_geom *geom = rock(RILL_PERIODIC);
    rill_domain *domain = NULL;
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
    rill_sim_options sets[2] = {set_of(0, RILL_AA, RILL_LIST, RILL_FP32),
                                set_of(1, RILL_ESOPULL, RILL_BITMAP, RILL_FP16S)};
    rill_device *device = device_of(RILL_BACKEND_CPU), *devices[2] = {device, device};
    rill_sim *sim = NULL, *again = NULL, *other = NULL;
    sets[0].on.device = device;
    ASSERT_OK(rill_sim_create_sets(domain, sets, 2, RILL_LOAD_NONE, &sim));
    ASSERT_OK(rill_sim_step(sim, STEPS));
    const uint64_t bytes = rill_sim_state_bytes(sim);
    char *state = malloc(bytes);
    ASSERT_OK(rill_sim_state_save(sim, 0, bytes, state));
    ASSERT_OK(rill_sim_step(sim, STEPS));
    sets[0].on.list = devices;
    sets[0].on.count = 2;
    ASSERT_OK(rill_sim_create_sets(domain, sets, 2, RILL_LOAD_NONE, &again));
    ASSERT_OK(load(again, state, bytes));
    ASSERT_OK(rill_sim_step(again, STEPS));
    const outcome a = outcome_of(sim, domain, sets, 2), b = outcome_of(again, domain, sets, 2);
    cr_expect_eq(memcmp(a.bytes, b.bytes, a.count), 0);
    sets[1].variant.storage = RILL_FP16C;
    ASSERT_OK(rill_sim_create_sets(domain, sets, 2, RILL_LOAD_NONE, &other));
    cr_assert_eq(load(other, state, bytes), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "set 1 of the state is of variant"), "%s",
                       rill_error_message());
    rill_sim_destroy(other);
    ASSERT_OK(rill_sim_create_sets(domain, sets, 1, RILL_LOAD_NONE, &other));
    cr_assert_eq(load(other, state, rill_sim_state_bytes(other)), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "has 2 sets of populations, the simulation 1"), "%s",
                       rill_error_message());
    free(a.bytes);
    free(b.bytes);
    free(state);
    rill_sim_destroy(other);
    rill_sim_destroy(again);
    rill_sim_destroy(sim);
    rill_device_destroy(device);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}

/* Return what a simulation holds. */
static uint64_t held(const rill_domain *domain, const rill_sim_options *sets, int count)
{
    rill_sim *sim = NULL;
    ASSERT_OK(rill_sim_create_sets(domain, sets, count, RILL_LOAD_NONE, &sim));
    const uint64_t bytes = rill_sim_held(sim, NULL);
    rill_sim_destroy(sim);
    return bytes;
}

Test(sets, take_what_they_share_once)
{
    rill_geom *geom = rock(RILL_PERIODIC);
    rill_domain *domain = NULL;
    rill_links_size size;
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
    const rill_sim_options sets[2] = {set_of(0, RILL_AA, RILL_BITMAP, RILL_FP32),
                                      set_of(1, RILL_PULL, RILL_BITMAP, RILL_FP16S)};
    ASSERT_OK(rill_links_measure(domain, sets[0].variant, &size));
    const uint64_t sums = (rill_domain_nodes(domain) + RILL_CHUNK - 1) / RILL_CHUNK * sizeof(rill_partial);
    cr_expect_eq(held(domain, sets, 2),
                 held(domain, &sets[0], 1) + held(domain, &sets[1], 1) - size.bytes - sums);
    const rill_sim_options mixed[2] = {sets[0], set_of(1, RILL_AA, RILL_DENSE, RILL_FP32)};
    rill_sim *sim = NULL;
    cr_assert_eq(rill_sim_create_sets(domain, mixed, 2, RILL_LOAD_NONE, &sim), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "set 1 has addressing dense"), "%s",
                       rill_error_message());
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}
