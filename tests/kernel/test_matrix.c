/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equivalence: every scheme and addressing computes what the two-array pull with its list computes. One test
 * per scheme, so that a device makes few contexts.
 */
#include "backends.h"
#include "kernel/storage/stream.h"
#include "kernel/variant.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { steps = 50 };

/* A random geometry: periodic in x and z, walled in y; a plane for lattices of two dimensions. */
static rill_geom *noise(rill_lattice lattice)
{
    const uint32_t n[3] = {37, 9, lattice == RILL_D2Q9 ? 1 : 7};
    rill_geom *geom = NULL;
    unsigned seed = 5;
    ASSERT_OK(rill_geom_create(n, &geom));
    geom->sides[1] = RILL_WALL;
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        seed = seed * 1664525u + 1013904223u;
        geom->voxels[v] = (seed >> 16) % 10 < 7;
    }
    return geom;
}

/* Density and velocity after `steps` steps from a state that is not uniform. */
typedef struct field {
    rill_node nodes;
    double *values; /* [4][nodes]: rho - 1, u */
    rill_totals before, after;
} field;

static field run(const rill_geom *geom, rill_variant variant, rill_backend_kind backend)
{
    field out = {0};
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    const rill_domain_options domain_options = {variant.lattice, -1};
    rill_sim_options options = rill_sim_options_default();
    options.variant = variant;
    options.on.backend = backend;
    options.tau = variant.equilibrium == RILL_STOKES ? 1 : 0.8; /* 1 and 1/4: see compare() */
    if (variant.equilibrium == RILL_STOKES) options.magic = 0.25;
    double *carry = variant.collision == RILL_ADVECTION_DIFFUSION ? options.velocity : options.force;
    carry[0] = 2e-5;
    carry[1] = -1e-5;
    ASSERT_OK(rill_domain_create(geom, &domain_options, &domain));
    out.nodes = rill_domain_nodes(domain);
    out.values = calloc(4 * (size_t)out.nodes, sizeof *out.values);
    ASSERT_OK(rill_sim_create(domain, &options, &sim));
    for (rill_node k = 0; k < out.nodes; k++) {
        out.values[k] = 1e-3 * sin(0.7 * k);
        for (rill_node a = 0; a < (variant.lattice == RILL_D2Q9 ? 2u : 3u); a++)
            out.values[(a + 1) * out.nodes + k] = 1e-2 * cos(0.3 * k + a);
    }
    ASSERT_OK(rill_sim_set_moments(sim, out.values, out.values + out.nodes));
    ASSERT_OK(rill_sim_totals(sim, &out.before));
    ASSERT_OK(rill_sim_step(sim, steps));
    ASSERT_OK(rill_sim_moments(sim, 0, out.nodes, out.values, out.values + out.nodes));
    ASSERT_OK(rill_sim_totals(sim, &out.after));
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    return out;
}

static double difference(const field *a, const field *b)
{
    double largest = 0;
    for (size_t k = 0; k < 4 * (size_t)a->nodes; k++)
        largest = fmax(largest, fabs(a->values[k] - b->values[k]));
    return largest;
}

/*
 * Compare a scheme with the reference for each addressing, lattice and storage. On a CPU the same operations
 * are done in the same order, whatever moves the populations: the fields are the same bits. A GPU's compiler
 * contracts differently in different kernels: rounding of 50 steps is allowed, in units of the last place of
 * the stored populations, which are at most 0.05 here. It is allowed, too, where density and momentum are
 * stored: their operations are others.
 */
static void compare(rill_stream stream)
{
    static const rill_storage storages[] = {RILL_FP64, RILL_FP32, RILL_FP16C};
    static const double rounding[] = {DBL_EPSILON, FLT_EPSILON, 0x1p-12};
    const bool macroscopic = rill_stream_macroscopic((int)stream);
    int compared = 0;
    FOR_EACH_BACKEND(backend)
    for (int lattice = 0; lattice < RILL_LATTICE_COUNT; lattice++) {
        rill_geom *geom = noise((rill_lattice)lattice);
        for (size_t s = 0; s < sizeof storages / sizeof *storages; s++) {
            if (backend == RILL_BACKEND_CUDA && !(lattice == RILL_D3Q19 && s == 0) &&
                !(lattice == RILL_D3Q27 && s == 1))
                continue; /* each is compiled first */
            rill_variant v = {.lattice = (rill_lattice)lattice,
                              .collision = RILL_TRT,
                              .equilibrium = macroscopic ? RILL_STOKES : RILL_SECOND_ORDER,
                              .storage = storages[s],
                              .arithmetic = storages[s] == RILL_FP64 ? RILL_DOUBLE : RILL_SINGLE,
                              .stream = RILL_PULL};
            v = with_own_collision(v);
            const field reference = run(geom, v, backend);
            const double allowed =
                backend == RILL_BACKEND_CPU && !macroscopic ? 0 : 0.05 * steps * rounding[s];
            for (int addressing = 0; addressing < RILL_ADDRESSING_COUNT; addressing++) {
                char name[96];
                v.stream = stream;
                v.addressing = (rill_addressing)addressing;
                if (rill_variant_check(v) != RILL_OK) continue; /* macroscopic: no scalar */
                rill_variant_name(v, name, sizeof name);
                field found = run(geom, v, backend), again = run(geom, v, backend);
                const double off = difference(&found, &reference);
                cr_expect(off <= allowed, "%s on backend %d is off by %g", name, backend, off);
                cr_expect_eq(difference(&found, &again), 0, "%s on backend %d differs from itself", name,
                             backend);
                const double gained = fabs(found.after.mass - found.before.mass) / found.nodes;
                cr_expect_lt(gained, steps * 0.05 * rounding[s], "%s on backend %d gains mass %g per node",
                             name, backend, gained);
                free(found.values), free(again.values);
                compared++;
            }
            free(reference.values);
        }
        rill_geom_destroy(geom);
    }
    cr_assert_geq(compared, macroscopic ? (RILL_LATTICE_COUNT - 1) * 2 * 2 : 25);
}

#define RILL_STREAM(S, ...)                                                                                  \
    Test(matrix, S) { compare(RILL_##S); }
#include "kernel/variants.def"

/* Return nu <j_z> / F at steady state, the mean over the box; the driven flow is Stokes flow. */
static double permeability_of(const rill_geom *geom, rill_variant v, rill_backend_kind backend,
                              double *mass_gained)
{
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    rill_totals before, totals;
    const rill_domain_options domain_options = {v.lattice, 2};
    rill_sim_options options = rill_sim_options_default();
    options.variant = v;
    options.on.backend = backend;
    options.tau = 0.9;
    options.force[2] = 1e-6;
    ASSERT_OK(rill_domain_create(geom, &domain_options, &domain));
    ASSERT_OK(rill_sim_create(domain, &options, &sim));
    ASSERT_OK(rill_sim_totals(sim, &before));
    double k = 0;
    for (int round = 0; round < 200; round++) {
        double mean = 0;
        for (int half = 0; half < 2; half++) { /* modes that alternate from step to step cancel */
            ASSERT_OK(rill_sim_step(sim, half ? 1 : 99));
            ASSERT_OK(rill_sim_totals(sim, &totals));
            mean += 0.5 * totals.momentum[2];
        }
        const double last = k;
        k = (options.tau - 0.5) / 3 * mean / (double)rill_geom_voxels(geom) / options.force[2];
        if (fabs(k - last) < 1e-12 * k) break;
    }
    *mass_gained = (totals.mass + totals.resting - before.mass - before.resting) / rill_domain_nodes(domain);
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    return k;
}

/* Populations that rest in ghosts for a step come to the same steady Stokes flow. */
Test(matrix, full_way_has_the_same_permeability)
{
    const uint32_t n[3] = {8, 7, 9};
    rill_geom *geom = NULL;
    ASSERT_OK(rill_geom_create(n, &geom));
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++)
            for (uint32_t x = 0; x < n[0]; x++) {
                const double d[3] = {x - 3.6, y - 3.3, z - 4.0};
                geom->voxels[x + (size_t)n[0] * (y + n[1] * z)] =
                    d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > 7 ? RILL_FLUID : RILL_SOLID;
            }
    int compared = 0;
    FOR_EACH_BACKEND(backend)
    for (int lattice = RILL_D3Q19; lattice <= RILL_D3Q27; lattice++) {
        rill_variant v = {.lattice = (rill_lattice)lattice,
                          .collision = RILL_TRT,
                          .equilibrium = RILL_STOKES,
                          .storage = RILL_FP64,
                          .stream = RILL_AA};
        double gained;
        if (backend == RILL_BACKEND_CUDA && lattice > 0) continue; /* each is compiled first */
        const double expected = permeability_of(geom, v, backend, &gained);
        for (int stream = 0; stream < RILL_STREAM_COUNT; stream++)
            for (int addressing = 0; addressing < RILL_ADDRESSING_COUNT; addressing++) {
                char name[96];
                v.stream = (rill_stream)stream, v.addressing = (rill_addressing)addressing,
                v.bounce = RILL_FULL_WAY;
                if (rill_variant_check(v) != RILL_OK) continue;
                rill_variant_name(v, name, sizeof name);
                const double found = permeability_of(geom, v, backend, &gained);
                cr_expect_float_eq(found / expected, 1, 1e-8, "%s on backend %d: %.12g, half-way %.12g", name,
                                   backend, found, expected);
                cr_expect_lt(fabs(gained), 1e-13, "%s on backend %d gains mass %g per node", name, backend,
                             gained);
                compared++;
            }
    }
    cr_assert_geq(compared, 20);
    rill_geom_destroy(geom);
}
