/* SPDX-License-Identifier: Apache-2.0 */
/* Voxels that several processes keep as bits, seen a few planes at a time, are those of one process: what is
 * made of them has the same bits. The processes are pieces of memory here; tests/cli/test_cli_processes.c
 * starts real ones. */
#include "image_files.h"
#include "backends.h"
#include "kept.h"

#include "core/memory.h"
#include "domain/links.h"
#include "geometry/generate/generate.h"
#include "geometry/image/voxelize.h"
#include "geometry/voxels/components.h"
#include "geometry/voxels/derive.h"
#include "io/checkpoint.h"
#include "io/geom_file.h"
#include "network/network.h"
#include "permeability/plan.h"
#include "permeability/reservoir.h"

TestSuite(planes, .init = files_start, .fini = files_end);

/* ---- geometries -------------------------------------------------------------------------------- */

static const rill_side kinds[][3] = {{RILL_PERIODIC, RILL_PERIODIC, RILL_PERIODIC},
                                     {RILL_WALL, RILL_PERIODIC, RILL_WALL},
                                     {RILL_MIRROR, RILL_WALL, RILL_PERIODIC},
                                     {RILL_PERIODIC, RILL_MIRROR, RILL_MIRROR}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Voxels that are pore at random, with wide pores in between. */
static rill_geom *rock(const uint32_t n[3], const rill_side sides[3], uint64_t pores)
{
    rill_geom *geom = NULL;
    uint64_t state = n[0] + pores;
    ASSERT_OK(rill_geom_create(n, &geom));
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        const uint64_t y = v / n[0] % n[1], z = v / n[0] / n[1];
        state = state * 6364136223846793005u + 1442695040888963407u;
        const bool wide = y > 2 && y < 9 && v % n[0] < n[0] / 2, plug = z % 11 == 5 && y == 4;
        geom->voxels[v] = (wide && !plug) || (state >> 33) % 100 < pores ? RILL_FLUID : RILL_SOLID;
    }
    memcpy(geom->sides, sides, sizeof geom->sides);
    return geom;
}

static const uint32_t sizes[][3] = {{23, 17, 40}, {64, 11, 29}, {130, 12, 12}};
enum { SIZES = sizeof sizes / sizeof *sizes };

Test(planes, bits_and_bytes)
{
    for (int s = 0; s < SIZES; s++) {
        rill_geom *geom = rock(sizes[s], kinds[0], 40);
        for (int processes = 1; processes < 60; processes += 19) { /* some without planes */
            rill_geom *made = kept_copy(geom, processes, (uint32_t)processes % 5);
            kept_expect_voxels(geom, made);
            rill_geom_destroy(made);
        }
        rill_geom_destroy(geom);
    }
    cr_assert_eq(kept_pieces, 0);
}

/* What is made of voxels is kept by the same processes. */
Test(planes, boxes_and_split_voxels)
{
    static const uint32_t first[3] = {5, 2, 3}, n[3] = {16, 8, 7};
    for (int s = 0; s < SIZES; s++)
        for (int processes = 1; processes < 4; processes++)
            for (uint32_t window = 0; window < 6; window++) {
                rill_geom *geom = rock(sizes[s], kinds[s], 60), *part[2], *fine[2];
                geom->voxels[100] = RILL_LABEL;
                rill_geom *made = kept_copy(geom, processes, window);
                const uint32_t factor[3] = {3, 3, s == 1 ? 1 : 3};
                for (int k = 0; k < 2; k++) {
                    ASSERT_OK(rill_geom_crop(k ? made : geom, first, n, &part[k]));
                    ASSERT_OK(rill_geom_split(k ? made : geom, factor, &fine[k]));
                }
                cr_assert(part[1]->planes && fine[1]->planes && !part[1]->voxels && !fine[1]->voxels);
                kept_expect_voxels(part[0], part[1]);
                kept_expect_voxels(fine[0], fine[1]);
                cr_assert_arr_eq(part[0]->sides, part[1]->sides, sizeof part[0]->sides);
                for (int k = 0; k < 2; k++) {
                    rill_geom_destroy(part[k]);
                    rill_geom_destroy(fine[k]);
                }
                rill_geom_destroy(made);
                rill_geom_destroy(geom);
            }
    cr_assert_eq(kept_pieces, 0);
}

Test(planes, components)
{
    for (int s = 0; s < SIZES * KINDS; s++)
        for (uint32_t window = 1; window < 8; window += 3)
            for (int keep = RILL_KEEP_ALL; keep <= RILL_KEEP_PERCOLATING; keep++) {
                rill_geom *geom = rock(sizes[s / KINDS], kinds[s % KINDS], 8),
                          *made = kept_copy(geom, 3, window);
                const unsigned contacts = rill_contacts_of((rill_lattice)(s % 3));
                rill_components a, b;
                ASSERT_OK(
                    rill_components_clean(geom, (rill_keep_kind)keep, 2, contacts, (rill_progress){0}, &a));
                ASSERT_OK(
                    rill_components_clean(made, (rill_keep_kind)keep, 2, contacts, (rill_progress){0}, &b));
                cr_assert(keep == RILL_KEEP_ALL || a.dropped > 0);
                cr_assert_arr_eq(&a, &b, sizeof a);
                kept_expect_voxels(geom, made);
                rill_geom_destroy(made);
                rill_geom_destroy(geom);
            }
}

/* Measure, and forget the chambers that were counted. */
static rill_status measure(const rill_geom *geom, rill_pore_measure *out)
{
    rill_network counted = {.edge = 0};
    const rill_status status = rill_pore_measure_take(geom, RILL_D3Q19, 2, &counted, out);
    rill_network_destroy(&counted);
    return status;
}

Test(planes, measures_and_hashes)
{
    for (int s = 0; s < SIZES * KINDS; s++)
        for (uint32_t window = 1; window < 8; window += 3) {
            rill_geom *geom = rock(sizes[s / KINDS], kinds[s % KINDS], 60),
                      *made = kept_copy(geom, 2, window);
            rill_pore_measure a, b;
            char hash[2][17];
            memset(&a, 0, sizeof a), memset(&b, 0, sizeof b);
            ASSERT_OK(measure(geom, &a));
            ASSERT_OK(measure(made, &b));
            cr_assert_gt(a.opening, 2);
            cr_assert_eq(a.voxels, b.voxels);
            cr_assert_eq(a.surface, b.surface);
            cr_assert_eq(a.opening, b.opening, "size %d, sides %d: %g, not %g", s / KINDS, s % KINDS,
                         b.opening, a.opening);
            cr_assert_eq(a.chambers, b.chambers);
            ASSERT_OK(rill_checkpoint_geometry(geom, hash[0]));
            ASSERT_OK(rill_checkpoint_geometry(made, hash[1]));
            cr_assert_str_eq(hash[0], hash[1]);
            rill_geom_destroy(made);
            rill_geom_destroy(geom);
        }
}

/* The smallest run through a voxel may be one along z that goes round the box, and through all windows. It is
 * so long that fewer than one sample in a hundred lies in the first and the last plane. */
Test(planes, openings_round_the_box)
{
    enum { EDGE = 260, NZ = 250, LOW = 120, HIGH = 130, PLANE = EDGE * EDGE };
    for (int round = 0; round < 2; round++) {
        rill_geom *geom = NULL;
        rill_pore_measure whole, some;
        ASSERT_OK(rill_geom_create((const uint32_t[3]){EDGE, EDGE, NZ}, &geom));
        memset(geom->voxels, RILL_FLUID, LOW * PLANE);
        memset(geom->voxels + HIGH * PLANE, RILL_FLUID, (NZ - HIGH) * PLANE);
        geom->sides[2] = round ? RILL_PERIODIC : RILL_MIRROR;
        rill_geom *made = kept_copy(geom, 3, 30);
        ASSERT_OK(measure(geom, &whole));
        ASSERT_OK(measure(made, &some));
        /* A line that ends at a mirrored boundary counts with its image. */
        cr_assert_eq(whole.opening, round ? NZ - HIGH + LOW : 2 * (NZ - HIGH), "%g", whole.opening);
        cr_assert_eq(some.opening, whole.opening, "%g, not %g", some.opening, whole.opening);
        rill_geom_destroy(made);
        rill_geom_destroy(geom);
    }
}

/* A pack that is painted a few planes at a time. */
Test(planes, packs)
{
    rill_pack_options o = rill_pack_options_default();
    rill_pack pack;
    rill_geom *whole = NULL, *made = NULL;
    const rill_keeper k = kept_by(3, 5);
    o.n[0] = 70, o.n[1] = 33, o.n[2] = 41, o.porosity = 0.2, o.overlap = true;
    ASSERT_OK(rill_pack_create(&o, &pack));
    ASSERT_OK(rill_generate_pack(&o, &pack, NULL, &whole));
    ASSERT_OK(rill_generate_pack(&o, &pack, &k, &made));
    cr_assert_gt(rill_geom_fluid(whole), 0);
    cr_assert_eq(whole->porosity.total, made->porosity.total);
    kept_expect_voxels(whole, made);
    rill_pack_destroy(&pack);
    rill_geom_destroy(whole);
    rill_geom_destroy(made);
}

/* ---- domains ----------------------------------------------------------------------------------- */

/* Links across mirrored sides, ghosts, and parts with their links to others. */
Test(planes, domains)
{
    for (int s = 0; s < 2 * KINDS; s++)
        for (uint32_t window = 1; window < 8; window += 3) {
            rill_geom *geom = rock(sizes[s / KINDS], kinds[s % KINDS], 50),
                      *made = kept_copy(geom, 3, window);
            const rill_domain_options o = {RILL_D3Q19, s % KINDS == 3 ? 2 : -1};
            rill_domain *a = NULL, *b = NULL;
            ASSERT_OK(rill_domain_create(geom, &o, &a));
            ASSERT_OK(rill_domain_create(made, &o, &b));
            cr_assert_null(b->numbering.occupied);
            cr_assert_eq(a->nodes, b->nodes);
            cr_assert_eq(a->swap_count, b->swap_count);
            cr_assert(s % KINDS < 2 || a->swap_count > 0);
            for (size_t k = 0; k < a->swap_count; k++) {
                cr_assert_arr_eq(a->swaps[k].node, b->swaps[k].node, sizeof a->swaps[k].node);
                cr_assert_eq(a->swaps[k].sign, b->swaps[k].sign);
            }
            rill_variant v = rill_variant_default();
            rill_links_size of_a, of_b;
            v.stream = RILL_ESOPULL;
            ASSERT_OK(rill_links_measure(a, v, &of_a));
            ASSERT_OK(rill_links_measure(b, v, &of_b));
            cr_assert_gt(of_a.ghosts, 0);
            cr_assert_eq(of_a.ghosts, of_b.ghosts);
            rill_domain_destroy(a);
            rill_domain_destroy(b);
            rill_geom_destroy(made);
            rill_geom_destroy(geom);
        }
}

/* What the network tells of the nodes. */
static rill_status see(void *context, const rill_network *network, rill_global_node first, uint64_t count,
                       const uint32_t *chamber_of)
{
    (void)network;
    memcpy((uint32_t *)context + first, chamber_of, count * sizeof *chamber_of);
    return RILL_OK;
}

/* A copy of the voxels serves, without a call of other processes, and all nodes are shown once more. */
static void expect_same_in_a_copy(const rill_domain *domain, const rill_network *expected,
                                  const uint32_t *chamber_of)
{
    rill_domain copied = *domain;
    rill_geom *copy = NULL;
    rill_network network = {.edge = expected->edge};
    rill_network_part part = {.before = NULL};
    uint32_t *seen = calloc(domain->nodes, sizeof *seen);
    ASSERT_OK(rill_geom_gather(domain->geom, &copy));
    cr_assert_arr_eq(copy->sides, domain->geom->sides, sizeof copy->sides);
    cr_assert_eq(rill_geom_fluid(copy), rill_geom_fluid(domain->geom));
    copied.geom = copy;
    kept_apart = true;
    ASSERT_OK(rill_network_find_chambers(&copied, NULL, NULL, &network, &part));
    ASSERT_OK(rill_network_see_nodes(&copied, &network, see, seen));
    ASSERT_OK(rill_network_find_throats(&copied, &network, &part));
    kept_apart = false;
    cr_assert_eq(network.chambers, expected->chambers);
    cr_assert_arr_eq(seen, chamber_of, domain->nodes * sizeof *seen);
    cr_assert_eq(network.throats, expected->throats);
    for (uint64_t t = 0; t < network.throats; t++)
        cr_assert_eq(network.throat[t].conductance, expected->throat[t].conductance);
    rill_network_part_free(&part);
    rill_network_destroy(&network);
    rill_geom_destroy(copy);
    free(seen);
}

Test(planes, networks)
{
    for (int s = 0; s < SIZES * KINDS; s++)
        for (uint32_t window = 1; window < 10; window += 4) {
            rill_geom *geom = rock(sizes[s / KINDS], kinds[s % KINDS], 60),
                      *made = kept_copy(geom, 3, window);
            const rill_domain_options o = {RILL_D3Q19, s % KINDS == 3 ? 2 : -1};
            rill_domain *domain[2] = {NULL, NULL};
            rill_network network[2];
            uint32_t *chamber_of[2];
            for (int k = 0; k < 2; k++) {
                ASSERT_OK(rill_domain_create(k ? made : geom, &o, &domain[k]));
                chamber_of[k] = calloc(domain[k]->nodes, sizeof **chamber_of);
                rill_network_part part = {.before = NULL};
                network[k] = (rill_network){.edge = 4};
                ASSERT_OK(rill_network_find_chambers(domain[k], see, chamber_of[k], &network[k], &part));
                ASSERT_OK(rill_network_find_throats(domain[k], &network[k], &part));
                ASSERT_OK(rill_network_prepare(&network[k]));
                rill_network_part_free(&part);
            }
            const rill_network *a = &network[0], *b = &network[1];
            expect_same_in_a_copy(domain[1], b, chamber_of[1]);
            cr_assert_gt(a->chambers, 10);
            cr_assert_eq(a->chambers, b->chambers);
            cr_assert_eq(a->throats, b->throats);
            cr_assert_arr_eq(chamber_of[0], chamber_of[1], domain[0]->nodes * sizeof **chamber_of);
            cr_assert_arr_eq(a->volume, b->volume, a->chambers * sizeof *a->volume);
            cr_assert_arr_eq(a->centre, b->centre, a->chambers * sizeof *a->centre);
            cr_assert_arr_eq(a->block_of, b->block_of, a->chambers * sizeof *a->block_of);
            cr_assert_arr_eq(a->outlet, b->outlet, a->chambers * sizeof(double));
            for (uint64_t t = 0; t < a->throats; t++) {
                cr_assert_arr_eq(a->throat[t].chamber, b->throat[t].chamber, sizeof a->throat[t].chamber);
                cr_assert_eq(a->throat[t].conductance, b->throat[t].conductance,
                             "size %d, sides %d, window %u, throat %llu", s / KINDS, s % KINDS, window,
                             (unsigned long long)t);
            }
            for (int k = 0; k < 2; k++) {
                rill_network_destroy(&network[k]);
                rill_domain_destroy(domain[k]);
                free(chamber_of[k]);
            }
            rill_geom_destroy(made);
            rill_geom_destroy(geom);
        }
}

/* Distances from walls in some planes are those in all. */
Test(planes, walls)
{
    for (int s = 0; s < SIZES * KINDS; s++) {
        rill_geom *geom = rock(sizes[s / KINDS], kinds[s % KINDS], 93), *made = kept_copy(geom, 2, 3);
        const uint64_t plane = (uint64_t)geom->n[0] * geom->n[1];
        const int64_t nz = geom->n[2];
        const bool round = geom->sides[2] == RILL_PERIODIC;
        uint8_t *all = NULL, *some = NULL;
        ASSERT_OK(rill_network_walls(geom, 0, geom->n[2], &all));
        for (int64_t first = -2; first < nz; first += 3) {
            ASSERT_OK(rill_network_walls(made, first, 4, &some));
            for (int64_t k = 0; k < 4; k++) {
                const int64_t z = (first + k + nz) % nz;
                for (uint64_t v = 0; v < plane; v++)
                    cr_assert_eq(some[(uint64_t)k * plane + v],
                                 round || z == first + k ? all[(uint64_t)z * plane + v] : 0,
                                 "size %d, sides %d, plane %lld", s / KINDS, s % KINDS,
                                 (long long)(first + k));
            }
            rill_array_destroy(some);
        }
        rill_array_destroy(all);
        rill_geom_destroy(made);
        rill_geom_destroy(geom);
    }
}

/* ---- files ------------------------------------------------------------------------------------- */

static void expect_same_image(const char *path, const rill_voxelize_options *o)
{
    rill_geom *whole = NULL, *made = NULL;
    rill_voxelize_report a, b;
    const rill_keeper k = kept_by(3, 2);
    ASSERT_OK(rill_image_voxelize(path, o, (rill_progress){0}, &whole, &a));
    ASSERT_OK(rill_image_voxelize_kept(path, o, &k, (rill_progress){0}, &made, &b));
    cr_assert_not_null(made->planes);
    kept_expect_voxels(whole, made);
    cr_assert_eq(a.fluid, b.fluid);
    cr_assert_eq(a.greys, b.greys);
    cr_assert_str_eq(whole->source_hash, made->source_hash);
    rill_geom_destroy(whole);
    rill_geom_destroy(made);
}

Test(planes, images)
{
    enum { NX = 70, NY = 9, NZ = 14 };
    static const int axes[][3] = {{0, 1, 2}, {1, 0, 2}, {2, 1, 0}, {1, 2, 0}};
    uint8_t *data = malloc(NX * NY * NZ);
    for (uint32_t v = 0; v < NX * NY * NZ; v++) data[v] = (uint8_t)(v * v % 7 % 3);
    files_write("a_70x9x14.raw", data, NX * NY * NZ);
    for (size_t k = 0; k < sizeof axes / sizeof *axes; k++)
        for (int mirror = 0; mirror < 8; mirror++) {
            rill_voxelize_options o = rill_voxelize_options_default();
            o.keep = mirror % 2 ? RILL_KEEP_ALL : RILL_KEEP_CONNECTED;
            o.pore_count = 1; /* 0 */
            memcpy(o.axes, axes[k], sizeof o.axes);
            for (int a = 0; a < 3; a++) o.mirror[a] = mirror >> a & 1;
            o.crop[axes[k][2]][0] = 2;
            if (mirror == 5) o.voxel_size = 2e-6, o.resample = 1.5e-6;
            expect_same_image("a_70x9x14.raw", &o);
        }
    free(data);
}

Test(planes, reservoirs)
{
    for (uint32_t window = 1; window < 60; window += 9) /* within, across, and as large as the reservoirs */
        for (int axis = 0; axis < 3; axis++) {
            rill_geom *geom = rock(sizes[0], kinds[0], 40), *made = kept_copy(geom, 3, window);
            rill_reservoirs a, b;
            ASSERT_OK(rill_reservoirs_create(geom, axis, 7, &a));
            ASSERT_OK(rill_reservoirs_create(made, axis, 7, &b));
            cr_assert_null(b.geom->voxels);
            cr_assert_gt(a.nodes, 0);
            cr_assert_eq(a.front, b.front);
            cr_assert_eq(a.nodes, b.nodes);
            cr_assert_arr_eq(a.planes, b.planes, sizeof a.planes);
            kept_expect_voxels(a.geom, b.geom);
            cr_assert_eq(rill_reservoirs_turn(&b), axis != 2);
            rill_reservoirs_destroy(&a);
            rill_reservoirs_destroy(&b);
            rill_geom_destroy(made);
            rill_geom_destroy(geom);
        }
}

Test(planes, geometry_files)
{
    rill_geom *geom = rock(sizes[0], kinds[1], 40), *read = NULL;
    const rill_keeper k = kept_by(3, 5);
    ASSERT_OK(rill_geom_write(geom, "a.geom.h5", NULL));
    ASSERT_OK(rill_geom_read_kept("a.geom.h5", &k, &read));
    cr_assert_not_null(read->planes);
    kept_expect_voxels(geom, read);
    cr_assert_arr_eq(geom->sides, read->sides, sizeof geom->sides);
    ASSERT_OK(rill_geom_write(read, "b.geom.h5", NULL));
    rill_geom_destroy(read);
    ASSERT_OK(rill_geom_read("b.geom.h5", &read));
    kept_expect_voxels(geom, read);
    rill_geom_destroy(read);
    rill_geom_destroy(geom);
}

/* ---- permeabilities ---------------------------------------------------------------------------- */

/* What a run leaves. */
typedef struct outcome {
    double k, uncertainty, tortuosity;
    bool nested;
    size_t nodes;
    float *moments; /* [4][nodes] */
} outcome;

static rill_status finished(void *context, const rill_permeability_flow *run, rill_node nodes,
                            const float *rho, const float *u)
{
    (void)run;
    outcome *o = context;
    o->nodes = nodes;
    o->moments = malloc(4 * o->nodes * sizeof *o->moments);
    memcpy(o->moments, rho, nodes * sizeof *rho);
    memcpy(o->moments + nodes, u, 3 * o->nodes * sizeof *u);
    return RILL_OK;
}

/* Called after the other: the pieces are those of the whole. */
static rill_status finished_pieces(void *context, const rill_permeability_flow *run,
                                   const rill_node_moments *moments)
{
    enum { PIECE = 1000 };
    const outcome *o = context;
    float rho[PIECE], u[3 * PIECE];
    (void)run;
    cr_assert_eq(moments->nodes, o->nodes);
    for (rill_node first = 0, count; first < moments->nodes; first += count) {
        count = moments->nodes - first < PIECE ? moments->nodes - first : PIECE;
        ASSERT_OK(moments->read(moments->from, first, count, rho, u));
        cr_assert_arr_eq(rho, o->moments + first, count * sizeof *rho);
        for (size_t a = 0; a < 3; a++)
            cr_assert_arr_eq(u + a * count, o->moments + (a + 1) * o->nodes + first, count * sizeof *u);
    }
    return RILL_OK;
}

/* Compute a sample in parts on one device. */
static outcome compute(rill_geom *geom, int parts, rill_variant variant)
{
    rill_permeability_options o = rill_permeability_options_default();
    rill_permeability_plan plan;
    rill_permeability p;
    rill_device *device = NULL, *devices[4];
    outcome out = {.moments = NULL};
    ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &device));
    for (int k = 0; k < 4; k++) devices[k] = device;
    o.variant = variant;
    o.on.device = device, o.on.list = devices, o.on.count = parts;
    o.tolerance = 0.01;
    o.finished = finished, o.finished_pieces = finished_pieces, o.context = &out;
    ASSERT_OK(rill_permeability_prepare(geom, &o));
    ASSERT_OK(rill_permeability_plan_make(geom, &o, &plan));
    ASSERT_OK(rill_permeability_compute(geom, &o, &plan, &p));
    out.nested = plan.nested;
    out.k = p.k[2][2], out.uncertainty = p.uncertainty, out.tortuosity = p.runs[0].tortuosity;
    rill_permeability_free(&p);
    rill_permeability_plan_free(&plan);
    rill_device_destroy(device);
    return out;
}

static void expect_same_permeability(const rill_geom *from, rill_variant variant, uint32_t window,
                                     bool nested)
{
    rill_geom *geom = NULL, *made = kept_copy(from, 3, window);
    ASSERT_OK(rill_geom_copy(from, &geom));
    const outcome a = compute(geom, 1, variant), b = compute(made, 3, variant);
    cr_assert_eq(a.nested, nested);
    cr_assert_eq(b.nested, nested);
    cr_assert_gt(a.k, 0);
    cr_assert_eq(a.k, b.k, "%.17g, not %.17g", b.k, a.k);
    cr_assert_eq(a.uncertainty, b.uncertainty);
    cr_assert_eq(a.tortuosity, b.tortuosity);
    cr_assert_eq(a.nodes, b.nodes);
    cr_assert_gt(a.nodes, 4000); /* of several pieces */
    cr_assert_arr_eq(a.moments, b.moments, 4 * a.nodes * sizeof *a.moments);
    free(a.moments);
    free(b.moments);
    rill_geom_destroy(made);
    rill_geom_destroy(geom);
}

/* Return whether a network is found in a copy of the voxels where a window shows so many planes. */
static bool copies(const rill_geom *from, uint32_t window)
{
    rill_geom *made = kept_copy(from, 3, window);
    const bool copied = rill_network_copies(made);
    rill_geom_destroy(made);
    return copied;
}

Test(planes, permeabilities)
{
    const uint32_t n[3] = {24, 20, 48}, wide[3] = {40, 39, 40}, high[3] = {16, 12, 132};
    rill_variant v = rill_variant_default();
    v.equilibrium = RILL_STOKES;
    for (int s = 0; s < KINDS; s += 3) { /* periodic; mirrored along the flow */
        rill_geom *geom = rock(n, kinds[s], 75);
        v.stream = s ? RILL_ESOPULL : RILL_AA;
        cr_assert(copies(geom, 4));
        expect_same_permeability(geom, v, 4, false);
        rill_geom_destroy(geom);
    }
    /* Too many windows to be copied. */
    rill_geom *tall = rock(high, kinds[0], 75);
    cr_assert_not(copies(tall, 1));
    expect_same_permeability(tall, v, 1, false);
    rill_geom_destroy(tall);
    /* A start from a coarser grid, which is kept, too. Walls are thick enough not to vanish there. */
    for (int s = 0; s < KINDS; s += 3) {
        rill_geom *geom = NULL;
        ASSERT_OK(rill_geom_create(wide, &geom));
        for (uint64_t x = 0; x < rill_geom_voxels(geom); x++)
            geom->voxels[x] =
                x % 40 > 3 && x / 40 % 39 > 2 + (x / 40 / 39) % 20 / 15 ? RILL_FLUID : RILL_SOLID;
        memcpy(geom->sides, kinds[s], sizeof geom->sides);
        expect_same_permeability(geom, v, 4, true);
        rill_geom_destroy(geom);
    }
    cr_assert_eq(kept_pieces, 0);
}
