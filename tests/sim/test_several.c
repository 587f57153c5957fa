/* SPDX-License-Identifier: Apache-2.0 */
/* A simulation in parts makes the bits of the whole one: every scheme, addressing and storage that can be
 * cut. */
#include "backends.h"
#include "deferred.h"
#include "core/sanitized.h"
#include "sim/several.h"
#include "sim/sim_priv.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Boxes: in the second one a part of some thousand nodes lies within a plane or two, and has links with four
 * others and more. In the third one its planes and those beside are nearly all. */
typedef uint32_t shape[3];
static const shape shapes[] = {{23, 21, 90}, {118, 106, 5}, {90, 72, 4}};
enum { LONG, FLAT, FLATTEST };

/* Voxels that are solid at random, and a wide pore, so that there are runs of nodes, too. */
static rill_geom *rock(const shape n, const rill_side sides[3])
{
    rill_geom *geom = NULL;
    uint64_t state = 11;
    cr_assert_eq(rill_geom_create(n, &geom), RILL_OK);
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const bool wide = v / n[0] % n[1] > 14 && v / n[0] % n[1] < 21;
        geom->voxels[v] = !wide && (state >> 33) % 100 < 25 ? RILL_SOLID : RILL_FLUID;
    }
    for (int a = 0; a < 3; a++) geom->sides[a] = sides[a];
    return geom;
}

/* What a run leaves: moments of all nodes after an odd and an even number of steps, sums, sums by label, and
 * all populations. */
typedef struct outcome {
    rill_node nodes;
    double *moments;
    char *state;
    uint64_t bytes;
    rill_totals totals[2];
    double sums[3];
    bool refused;
} outcome;

static void outcome_free(const outcome *o)
{
    free(o->moments);
    free(o->state);
}

static outcome run_on(const rill_domain *domain, rill_variant variant, rill_device *const *devices, int parts)
{
    rill_sim_options o = rill_sim_options_default();
    rill_sim *sim = NULL;
    outcome out = {.nodes = rill_domain_nodes(domain)};
    const size_t n = out.nodes;
    o.variant = variant;
    o.tau = variant.stream == RILL_MACROSCOPIC ? 1 : 0.7;
    if (variant.stream == RILL_MACROSCOPIC) o.magic = 0.25;
    o.force[2] = 1e-4, o.force[0] = 3e-5;
    o.on.device = devices[0];
    o.on.list = devices;
    o.on.count = parts;
    out.refused = rill_sim_create_loaded(domain, &o, RILL_LOAD_WALLS, &sim) != RILL_OK;
    if (out.refused) return out;
    cr_assert_eq(rill_sim_parts(sim), parts);
    if (variant.stream == RILL_MACROSCOPIC) ASSERT_OK(rill_sim_relax(sim, rill_relaxation_of(0.5)));
    out.moments = calloc(8 * n, sizeof(double));
    uint32_t *labels = calloc(n, sizeof *labels);
    for (size_t k = 0; k < n; k++) {
        labels[k] = (uint32_t)(k / 700 % 3);
        for (size_t m = 0; m < 4; m++) out.moments[m * n + k] = 1e-3 * (double)((k * (m + 7)) % 13);
    }
    cr_assert_eq(rill_sim_set_moments(sim, out.moments, out.moments + n), RILL_OK, "%s",
                 rill_error_message());
    const bool shares = parts > 1 && parts % 2; /* the two ways of labelling must give the same */
    cr_assert_eq(shares ? rill_sim_label_share(sim, 3, labels) : rill_sim_label_begin(sim, 3), RILL_OK);
    for (rill_node k = 0, some; !shares && k < out.nodes; k += some) { /* pieces that end within parts */
        some = out.nodes - k < 5000 ? out.nodes - k : 5000;
        cr_assert_eq(rill_sim_label_put(sim, k, some, labels + k), RILL_OK);
    }
    for (int half = 0; half < 2; half++) {
        double *to = out.moments + 4 * n * (size_t)half;
        cr_assert_eq(rill_sim_step(sim, 3 + (uint64_t)half * 5), RILL_OK);
        cr_assert_eq(rill_sim_moments(sim, 0, (rill_node)n, to, to + n), RILL_OK);
        if (half == 0) {
            cr_assert_eq(rill_sim_totals(sim, &out.totals[half]), RILL_OK);
            cr_assert_eq(rill_sim_label_sums(sim, out.sums), RILL_OK);
        } else {
            cr_assert_eq(rill_sim_label_totals(sim, RILL_SPEEDS_NOW, &out.totals[half], out.sums), RILL_OK);
        }
        cr_assert_eq(rill_sim_label_add(sim, (const double[]){1e-3, -2e-3, 5e-4}), RILL_OK);
    }
    cr_assert_eq(rill_sim_steps(sim), 11);
    out.bytes = rill_sim_state_bytes(sim);
    out.state = calloc(1, out.bytes);
    ASSERT_OK(rill_sim_state_save(sim, 0, out.bytes, out.state));
    rill_sim_destroy(sim);
    free(labels);
    return out;
}

enum { MOST_PARTS = 12 };

static outcome run(const rill_domain *domain, rill_variant variant, rill_device *device, int parts)
{
    rill_device *devices[MOST_PARTS];
    for (int p = 0; p < MOST_PARTS; p++) devices[p] = device;
    return run_on(domain, variant, devices, parts);
}

/* @param all  numbers of parts; else two of them */
static int expect_same_bits(const rill_domain *domain, rill_variant variant, rill_device *device, bool all)
{
    static const int counts_of[][4] = {{3, 7, 2, 5}, {5, 12, 3, 7}, {4, 5, 2, 3}};
    const int *counts = counts_of[domain->geom->n[2] > 5 ? LONG : domain->geom->n[2] > 4 ? FLAT : FLATTEST];
    const outcome whole = run(domain, variant, device, 1);
    int compared = 0;
    char name[128];
    rill_variant_name(variant, name, sizeof name);
    if (whole.refused) return 0;
    for (size_t c = 0; c < (all ? 4 : 2); c++) {
        const outcome parts = run(domain, variant, device, counts[c]);
        cr_assert_not(parts.refused, "%s: %s", name, rill_error_message());
        cr_assert_arr_eq(parts.moments, whole.moments, 8 * whole.nodes * sizeof(double), "%s in %d parts",
                         name, counts[c]);
        cr_assert_arr_eq(parts.totals, whole.totals, sizeof whole.totals, "%s in %d parts", name, counts[c]);
        cr_assert_arr_eq(parts.state, whole.state, whole.bytes, "%s in %d parts", name, counts[c]);
        cr_assert_arr_eq(parts.sums, whole.sums, sizeof whole.sums, "%s in %d parts", name, counts[c]);
        outcome_free(&parts);
        compared++;
    }
    outcome_free(&whole);
    return compared;
}

static const rill_side kinds[][3] = {{RILL_WALL, RILL_PERIODIC, RILL_WALL},
                                     {RILL_PERIODIC, RILL_PERIODIC, RILL_PERIODIC},
                                     {RILL_MIRROR, RILL_MIRROR, RILL_MIRROR}};

/* @param first  of the kinds of boundaries */
static int every_scheme(const shape n, rill_lattice lattice, rill_storage storage, size_t first)
{
    int compared = 0;
    for (size_t k = first; k < sizeof kinds / sizeof *kinds; k++) {
        rill_geom *geom = rock(n, kinds[k]);
        rill_domain *domain = NULL;
        const rill_domain_options d = {.lattice = lattice, .flow_axis = kinds[k][2] == RILL_MIRROR ? 2 : -1};
        cr_assert_eq(rill_domain_create(geom, &d, &domain), RILL_OK);
        FOR_EACH_BACKEND(backend)
        {
            rill_device *device = NULL;
            ASSERT_OK(rill_device_create(backend, 0, &device));
            for (int stream = 0; stream < RILL_STREAM_COUNT; stream++)
                for (int addressing = 0; addressing < RILL_ADDRESSING_COUNT; addressing++) {
                    rill_variant v = rill_variant_default();
                    v.lattice = lattice, v.storage = storage, v.equilibrium = RILL_STOKES;
                    v.stream = (rill_stream)stream, v.addressing = (rill_addressing)addressing;
                    if (stream == RILL_MACROSCOPIC && storage == RILL_FP64) v.arithmetic = RILL_DOUBLE;
                    if (stream == RILL_RING || addressing == RILL_DENSE || rill_variant_check(v) != RILL_OK)
                        continue;
                    compared += expect_same_bits(domain, v, device,
                                                 k == 2 && n == shapes[LONG] && lattice == RILL_D3Q19 &&
                                                     storage == RILL_FP32 && !SANITIZED);
                }
            rill_device_destroy(device);
        }
        rill_domain_destroy(domain);
        rill_geom_destroy(geom);
    }
    return compared;
}

/* A thread for each device, as for several GPUs: here their calls return when the work is done. */
Test(several, threads_of_parts_make_the_same_bits)
{
    enum { COUNT = 5 };
    static const rill_stream streams[] = {RILL_AA, RILL_PULL, RILL_ESOPULL, RILL_MACROSCOPIC};
    rill_device *devices[COUNT];
    rill_backend threaded;
    for (int p = 0; p < COUNT; p++) {
        ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &devices[p]));
        threaded = *devices[p]->backend;
        threaded.traits.threaded = true;
        devices[p]->backend = &threaded, devices[p]->ordinal = p;
    }
    for (size_t k = 0; k < 6; k++) {
        const rill_side *sides = kinds[k % 3];
        rill_geom *geom = rock(shapes[k < 3 ? LONG : FLAT], sides);
        rill_domain *domain = NULL;
        const rill_domain_options d = {.lattice = RILL_D3Q19, .flow_axis = sides[2] == RILL_MIRROR ? 2 : -1};
        ASSERT_OK(rill_domain_create(geom, &d, &domain));
        for (size_t t = 0; t < sizeof streams / sizeof *streams; t++) {
            rill_variant v = rill_variant_default();
            v.stream = streams[t];
            if (v.stream == RILL_MACROSCOPIC) v.equilibrium = RILL_STOKES, v.addressing = RILL_BITMAP;
            const outcome whole = run(domain, v, devices[0], 1);
            for (int parts = 2; parts <= COUNT; parts += 3) {
                const outcome cut = run_on(domain, v, devices, parts);
                cr_assert_not(cut.refused, "%s", rill_error_message());
                cr_assert_arr_eq(cut.moments, whole.moments, 8 * whole.nodes * sizeof(double), "%d parts",
                                 parts);
                cr_assert_arr_eq(cut.totals, whole.totals, sizeof whole.totals, "%d parts", parts);
                outcome_free(&cut);
            }
            outcome_free(&whole);
        }
        rill_domain_destroy(domain);
        rill_geom_destroy(geom);
    }
    for (int p = 0; p < COUNT; p++) rill_device_destroy(devices[p]);
}

Test(several, d3q19_fp32)
{
    cr_assert_geq(every_scheme(shapes[LONG], RILL_D3Q19, RILL_FP32, SANITIZED ? 2 : 0), SANITIZED ? 20 : 40);
}
Test(several, d3q19_fp16s, .disabled = SANITIZED)
{
    cr_assert_geq(every_scheme(shapes[LONG], RILL_D3Q19, RILL_FP16S, 2), 20);
}
Test(several, d3q27_fp64, .disabled = SANITIZED)
{
    cr_assert_geq(every_scheme(shapes[LONG], RILL_D3Q27, RILL_FP64, 2), 20);
}

/* Parts within a plane or two. */
Test(several, thin_parts_d3q19_fp32, .disabled = SANITIZED)
{
    cr_assert_geq(every_scheme(shapes[FLAT], RILL_D3Q19, RILL_FP32, 2), 20);
}
Test(several, thin_parts_d3q19_fp16s)
{
    cr_assert_geq(every_scheme(shapes[FLATTEST], RILL_D3Q19, RILL_FP16S, SANITIZED ? 2 : 1), 20);
}
Test(several, thin_parts_d3q27_fp32, .disabled = SANITIZED)
{
    cr_assert_geq(every_scheme(shapes[FLATTEST], RILL_D3Q27, RILL_FP32, 2), 20);
}

/* Cuts may be anywhere: walls in one place make the parts uneven. Nothing else is made of this surface. Some
 * planes have no nodes. */
Test(several, any_cuts)
{
    rill_geom *geom = rock(shapes[LONG], kinds[0]);
    const size_t plane = (size_t)geom->n[0] * geom->n[1];
    for (size_t z = 0; z < geom->n[2]; z++)
        if (z % 17 == 5 || z / 3 == 7) memset(geom->voxels + z * plane, RILL_SOLID, plane);
    rill_surface walls = {.wall_count = 9000};
    rill_device *device = NULL;
    ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &device));
    walls.walls = calloc(walls.wall_count, sizeof *walls.walls);
    geom->surface = &walls;
    for (rill_node at = 0; at < 30000; at += 7001) {
        rill_domain *domain = NULL;
        for (uint32_t k = 0; k < walls.wall_count; k++) walls.walls[k].node = at + k / 9;
        const rill_domain_options d = {.lattice = RILL_D3Q19, .flow_axis = -1};
        ASSERT_OK(rill_domain_create(geom, &d, &domain));
        for (int k = 0; k < 2; k++) {
            rill_variant v = rill_variant_default();
            v.equilibrium = RILL_STOKES, v.stream = k ? RILL_ESOTWIST : RILL_PULL;
            v.addressing = k ? RILL_LIST : RILL_BITMAP;
            cr_assert_geq(expect_same_bits(domain, v, device, false), 2);
        }
        rill_domain_destroy(domain);
    }
    geom->surface = NULL;
    free(walls.walls);
    rill_device_destroy(device);
    rill_geom_destroy(geom);
}

/* The queues of devices may be worked off in any order that the events between them allow. */
Test(several, any_order_of_queues)
{
    enum { PARTS = 6 };
    static const rill_stream streams[] = {RILL_PULL, RILL_AA, RILL_ESOPULL, RILL_MACROSCOPIC};
    rill_device *whole = NULL, deferred[PARTS], *devices[PARTS];
    ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &whole));
    for (size_t k = 0; k < 9; k++) { /* the last three with density and momentum stored */
        rill_geom *geom = rock(shapes[k < 3 || k > 5 ? LONG : FLAT], kinds[k % 3]);
        rill_domain *domain = NULL;
        rill_variant v = rill_variant_default();
        const rill_domain_options d = {.lattice = RILL_D3Q19, .flow_axis = k % 3 == 2 ? 2 : -1};
        ASSERT_OK(rill_domain_create(geom, &d, &domain));
        v.equilibrium = RILL_STOKES, v.stream = streams[k < 6 ? (k + k / 3) % 3 : 3],
        v.addressing = RILL_BITMAP;
        const outcome expected = run(domain, v, whole, 1);
        for (uint64_t seed = 1; seed < (SANITIZED ? 2 : 4); seed++) {
            deferred_overtakes = 0;
            deferred_open(deferred, devices, PARTS, 7 * k + seed, seed % 2);
            const outcome found = run_on(domain, v, devices, PARTS);
            deferred_close(deferred, PARTS);
            cr_assert_gt(deferred_overtakes, 100, "%llu entries were done out of order",
                         (unsigned long long)deferred_overtakes);
            cr_assert_arr_eq(found.moments, expected.moments, 8 * expected.nodes * sizeof(double),
                             "boundaries %zu, stream %d, seed %d", k % 3, (int)v.stream, (int)seed);
            cr_assert_arr_eq(found.totals, expected.totals, sizeof expected.totals);
            cr_assert_arr_eq(found.sums, expected.sums, sizeof expected.sums);
            outcome_free(&found);
        }
        outcome_free(&expected);
        rill_domain_destroy(domain);
        rill_geom_destroy(geom);
    }
    rill_device_destroy(whole);
}

/* What cannot be cut is refused in a sentence. */
Test(several, refuses_what_it_has_not)
{
    rill_geom *geom = rock(shapes[LONG], kinds[1]);
    rill_domain *domain = NULL;
    rill_device *device = NULL, *devices[200];
    rill_sim *sim = NULL;
    const rill_domain_options d = {.lattice = RILL_D3Q19, .flow_axis = -1};
    ASSERT_OK(rill_domain_create(geom, &d, &domain));
    ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &device));
    for (int k = 0; k < 200; k++) devices[k] = device;
    rill_sim_options o = rill_sim_options_default();
    o.on.list = devices, o.on.count = 2;
    o.variant.stream = RILL_RING, o.variant.addressing = RILL_BITMAP;
    cr_assert_eq(rill_sim_create(domain, &o, &sim), RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "ring buffer"), "%s", rill_error_message());
    o.variant.stream = RILL_AA;
    devices[1] = NULL, o.on.count = 2;
    cr_assert_eq(rill_sim_create(domain, &o, &sim), RILL_USAGE);
    devices[1] = device;
    ASSERT_OK(rill_sim_create(domain, &o, &sim));
    cr_assert_eq(rill_sim_parts(sim), 2);
    rill_sim_destroy(sim);
    /* Fewer parts than devices where each would have less than 4,096 nodes, and one in the extreme. */
    o.on.count = 200;
    ASSERT_OK(rill_sim_create(domain, &o, &sim));
    cr_assert_eq(rill_sim_parts(sim), (int)((rill_domain_nodes(domain) + RILL_CHUNK - 1) / RILL_CHUNK));
    cr_assert_eq(rill_several_check(domain, &o, RILL_LOAD_NONE), RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "devices at most"), "%s", rill_error_message());
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
    ASSERT_OK(rill_geom_create((const uint32_t[3]){9, 9, 9}, &geom));
    memset(geom->voxels, RILL_FLUID, 729);
    ASSERT_OK(rill_domain_create(geom, &d, &domain));
    ASSERT_OK(rill_sim_create(domain, &o, &sim));
    cr_assert_eq(rill_sim_parts(sim), 1);
    ASSERT_OK(rill_sim_step(sim, 2));
    rill_sim_destroy(sim);
    cr_assert_eq(rill_several_check(domain, &o, RILL_LOAD_NONE), RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "1 part: a part has 4096 nodes or more"), "%s",
                       rill_error_message());
    rill_domain_destroy(domain);
    rill_device_destroy(device);
    rill_geom_destroy(geom);
}

/* The plan of parts: nodes add up, costs are relative to the mean, and what is on other machines takes no
 * memory here. */
Test(several, plans_of_parts)
{
    rill_geom *geom = rock(shapes[LONG], kinds[1]);
    rill_domain *domain = NULL;
    rill_device *device = NULL, away, *devices[4];
    rill_several_plan here, there, one;
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
    ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &device));
    rill_several_given given = {
        .variant = rill_variant_default(), .on.list = devices, .on.count = 4, .held = UINT64_C(1) << 30};
    for (int k = 0; k < 4; k++) devices[k] = device;
    ASSERT_OK(rill_several_plan_make(domain, &given, &here));
    away = *device;
    away.elsewhere = true;
    for (int k = 2; k < 4; k++) devices[k] = &away;
    ASSERT_OK(rill_several_plan_make(domain, &given, &there));
    given.on.count = 1;
    ASSERT_OK(rill_several_plan_make(domain, &given, &one));
    cr_assert(here.count == 4 && there.count == 4 && one.count == 1);
    uint64_t nodes = 0, held = 0;
    double cost = 0;
    for (int p = 0; p < 4; p++) {
        nodes += here.part[p].nodes;
        cost += here.part[p].cost;
        if (p > 1) held += here.part[p].device_bytes;
        cr_assert_gt(here.part[p].device_free, 0);
        cr_assert_gt(here.part[p].device_bytes, given.held / 4);
        cr_assert_gt(here.part[p].bytes, 0);
    }
    cr_assert_eq(nodes, rill_domain_nodes(domain));
    cr_assert_float_eq(cost, 4, 1e-9);
    cr_assert_eq(here.host_less, given.held);
    cr_assert_gt(here.host_more, given.held);
    const double less = (double)(here.host_more - there.host_more);
    cr_assert(less > 0.99 * (double)held - 1e6 && less <= (double)held, "%g of %g", less, (double)held);
    cr_assert(one.host_more == 0 && one.host_less == 0 && one.part[0].nodes == nodes);
    free(here.part), free(there.part), free(one.part);
    rill_device_destroy(device);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}

/* What was measured on two H200, `rill bench --suite scaling`: the efficiency within 0.05. */
Test(several, efficiency_is_what_was_measured)
{
    static const struct {
        rill_several_work work;
        double measured; /* MLUPS of both */
    } cases[] = {
        {{104684458, 52342784, 2, 26078, 3690000, false, false}, 51626}, /* spheres, fp32 pull */
        {{104684458, 52342784, 2, 35652, 1845000, false, false}, 70319}, /* fp16s AA */
        {{7824432, 3914000, 2, 25795, 583000, false, false}, 48766},     /* tubes */
        {{8565450, 4284000, 2, 25899, 159000, false, false}, 49369},     /* a tree of arteries */
        {{9505642, 4845568, 2, 14709, 3359000, true, true}, 24869},      /* vessel across, D3Q27 cumulants */
        {{9505642, 4845568, 2, 21764, 1866000, true, true}, 34820},      /* vessel across, D3Q19 TRT, pull */
        {{1405196, 716000, 2, 11458, 935000, true, true}, 13135},        /* small vessel across, cumulants */
        {{1405196, 716000, 2, 16120, 519000, true, true}, 13105},        /* small vessel across, pull */
        {{9505642, 4790000, 2, 14586, 480000, true, false}, 27422},      /* vessel along z, cumulants */
        {{9505642, 4790000, 2, 21711, 268000, true, false}, 40251},      /* vessel along z, pull */
        {{1405196, 712000, 2, 11526, 133000, true, false}, 17496},       /* small vessel along z, cumulants */
        {{1405196, 712000, 2, 16252, 74000, true, false}, 23436},        /* small vessel along z, pull */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double measured = cases[k].measured / (2 * cases[k].work.mlups);
        cr_assert_float_eq(rill_several_efficiency(&cases[k].work), measured, 0.05, "%zu: %g", k,
                           rill_several_efficiency(&cases[k].work) / measured);
    }
}
