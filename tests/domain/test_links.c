/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arrays that backends build, compared byte by byte with what a slow search through the voxels says. That
 * they take populations to the right places is test_stream.c's.
 */
#include "domain/links.h"
#include "kernel/storage/address.h"
#include "sim/sim.h"
#include "kernel/variant.h"
#include "backends.h"

#include <stdlib.h>
#include <string.h>

/* A box cell by cell, with the layer behind sides that are not periodic. */
typedef struct box {
    uint32_t n[3];
    uint64_t cells;
    rill_variant v;
    const rill_links_size *size;
    bool *fluid;
    uint32_t *number; /* of nodes and ghosts, RILL_UPSTREAM_WALL of others */
} box;

static rill_geom *noise(const uint32_t n[3], const rill_side sides[3], unsigned seed, int solid_of_ten)
{
    rill_geom *geom = NULL;
    ASSERT_OK(rill_geom_create(n, &geom));
    for (int a = 0; a < 3; a++) geom->sides[a] = sides[a];
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        seed = seed * 1664525u + 1013904223u;
        geom->voxels[v] =
            (seed >> 16) % 10 < (unsigned)solid_of_ten ? RILL_SOLID : RILL_FLUID + (seed >> 8) % 255;
    }
    geom->voxels[rill_geom_voxels(geom) / 2] = RILL_FLUID;
    return geom;
}

static uint64_t cell_at(const box *b, const uint32_t x[3], const int d[3])
{
    uint64_t to[3];
    for (int a = 0; a < 3; a++) to[a] = ((uint64_t)x[a] + b->n[a] + (uint64_t)(int64_t)d[a]) % b->n[a];
    return to[0] + b->n[0] * (to[1] + b->n[1] * to[2]);
}

static void where(const box *b, uint64_t cell, uint32_t x[3])
{
    x[0] = (uint32_t)(cell % b->n[0]);
    x[1] = (uint32_t)(cell / b->n[0] % b->n[1]);
    x[2] = (uint32_t)(cell / b->n[0] / b->n[1]);
}

static void meeting(const box *b, int i, int d[3])
{
    for (int a = 0; a < 3; a++) d[a] = rill_meeting(b->v.lattice, b->v.stream, i, a);
}

/* Mark the solid cells that populations of a node rest in, or pass by along x, then y, then z. */
static void ghosts_mark(const box *b, const uint32_t x[3], bool *ghost)
{
    for (int i = 1; i < rill_q(b->v.lattice); i++) {
        int d[3];
        meeting(b, i, d);
        if (rill_stream_esoteric(b->v.stream)) ghost[cell_at(b, x, d)] = true;
        if (b->v.addressing != RILL_CHASE) continue;
        for (int axes = 1; axes < 3; axes++) {
            const int way[3] = {d[0], axes > 1 ? d[1] : 0, 0};
            if (memcmp(way, d, sizeof way) != 0) ghost[cell_at(b, x, way)] = true;
        }
    }
}

static box box_create(const rill_geom *geom, rill_variant v, const rill_links_size *size)
{
    box b = {.v = v, .size = size};
    uint32_t nodes = 0, ghosts = (uint32_t)size->first_ghost;
    for (int a = 0; a < 3; a++) b.n[a] = geom->n[a] + (geom->sides[a] != RILL_PERIODIC);
    b.cells = (uint64_t)b.n[0] * b.n[1] * b.n[2];
    b.fluid = calloc(b.cells, sizeof *b.fluid);
    b.number = malloc(b.cells * sizeof *b.number);
    bool *ghost = calloc(b.cells, sizeof *ghost);
    uint32_t x[3];
    for (uint64_t c = 0; c < b.cells; c++) {
        where(&b, c, x);
        if (x[0] < geom->n[0] && x[1] < geom->n[1] && x[2] < geom->n[2])
            b.fluid[c] = geom->voxels[x[0] + geom->n[0] * (x[1] + (uint64_t)geom->n[1] * x[2])] >= RILL_FLUID;
    }
    for (uint64_t c = 0; c < b.cells && v.addressing != RILL_DENSE; c++) {
        where(&b, c, x);
        if (b.fluid[c]) ghosts_mark(&b, x, ghost);
    }
    for (uint64_t c = 0; c < b.cells; c++)
        b.number[c] = b.fluid[c] ? nodes++ : ghost[c] ? ghosts++ : RILL_UPSTREAM_WALL;
    if (v.stream != RILL_RING) cr_expect_eq(ghosts - size->first_ghost, size->ghosts);
    free(ghost);
    return b;
}

static uint32_t number_at(const box *b, const uint32_t x[3], const int d[3])
{
    const uint64_t to = cell_at(b, x, d);
    const bool copy = b->v.stream == RILL_RING && b->fluid[to] && d[2] > 0 && x[2] == b->n[2] - 1;
    return b->number[to] + (copy ? (uint32_t)b->size->first_ghost : 0);
}

static void list_expect(const box *b, const uint32_t x[3], uint32_t n, size_t stride, uint32_t *list)
{
    for (int i = 1; i < rill_q(b->v.lattice) && b->v.addressing == RILL_LIST; i++) {
        int d[3];
        meeting(b, i, d);
        if (d[0] || d[1] || d[2])
            list[(size_t)rill_list_row(b->v.lattice, b->v.stream, i) * stride + n] = number_at(b, x, d);
    }
    for (int a = 0; a < 3 && b->v.addressing == RILL_CHASE; a++) {
        int d[3] = {0, 0, 0};
        const size_t row = b->v.stream == RILL_AA ? 2 * (size_t)a : (size_t)a;
        d[a] = 1;
        list[row * stride + n] = number_at(b, x, d);
        d[a] = -1;
        if (b->v.stream == RILL_AA) list[(row + 1) * stride + n] = number_at(b, x, d);
    }
}

static uint32_t walls_expect(const box *b, const uint32_t x[3])
{
    uint32_t walls = 0;
    for (int i = 1; i < rill_q(b->v.lattice); i++) {
        const int d[3] = {-rill_c(b->v.lattice, i, 0), -rill_c(b->v.lattice, i, 1),
                          -rill_c(b->v.lattice, i, 2)};
        walls |= (uint32_t)!b->fluid[cell_at(b, x, d)] << (i - 1);
    }
    return walls;
}

/* Return the words of a bitmap: bits by cells, bases by counting on. */
static rill_word *words_expect(const box *b, bool ghosts, uint64_t bytes)
{
    const uint32_t row = (b->n[0] + RILL_WORD_CELLS - 1) / RILL_WORD_CELLS;
    rill_word *words = malloc(bytes);
    uint32_t next = ghosts ? (uint32_t)b->size->first_ghost : 0;
    for (uint64_t line = 0; line < (uint64_t)b->n[1] * b->n[2]; line++)
        for (uint32_t w = 0; w < row; w++) {
            const uint32_t from = w * RILL_WORD_CELLS;
            rill_word word = {0, next};
            for (uint32_t bit = 0; bit < 32 && from + bit < b->n[0] + 2; bit++) {
                const uint64_t cell = line * b->n[0] + (from + bit + b->n[0] - 1) % b->n[0];
                const bool set =
                    ghosts ? !b->fluid[cell] && b->number[cell] != RILL_UPSTREAM_WALL : b->fluid[cell];
                word.window |= (uint32_t)set << bit;
                next += set && bit > 0 && bit <= RILL_WORD_CELLS && from + bit <= b->n[0];
            }
            /* into its place, and where halo rows and planes repeat it */
            const uint32_t y = (uint32_t)(line % b->n[1]) + 1, z = (uint32_t)(line / b->n[1]) + 1;
            const uint32_t ys[3] = {y, y == 1 ? b->n[1] + 1 : y, y == b->n[1] ? 0 : y},
                           zs[3] = {z, z == 1 ? b->n[2] + 1 : z, z == b->n[2] ? 0 : z};
            for (int k = 0; k < 9; k++) {
                rill_word *to = &words[((uint64_t)zs[k / 3] * (b->n[1] + 2) + ys[k % 3]) * row + w];
                *to = word;
                if (b->v.stream == RILL_RING && zs[k / 3] == b->n[2] + 1)
                    to->base += (uint32_t)b->size->first_ghost;
            }
        }
    return words;
}

/* Return whether 32 cells of a row are nodes, from a cell on. */
static bool run_expect(const box *b, uint64_t cell)
{
    bool fluid = cell % b->n[0] + 32 <= b->n[0];
    for (uint64_t k = 0; k < 32 && fluid; k++) fluid = b->fluid[cell + k];
    return fluid;
}

/* Return what an array should be. */
static void *part_expect(const box *b, const rill_arrays *arrays, const rill_links_part *part)
{
    const uint32_t row = (b->n[0] + RILL_WORD_CELLS - 1) / RILL_WORD_CELLS;
    const size_t field = part->field;
    if (field == offsetof(rill_arrays, words)) return words_expect(b, false, part->bytes);
    if (field == offsetof(rill_arrays, ghost_words)) return words_expect(b, true, part->bytes);
    uint32_t *out = malloc(part->bytes), first = 0;
    memset(out, field == offsetof(rill_arrays, list) ? 0xFF : 0, part->bytes);
    for (uint64_t c = 0; c < b->cells; c++) {
        uint32_t x[3];
        const uint32_t n = b->number[c];
        where(b, c, x);
        const uint32_t word = ((x[2] + 1) * (b->n[1] + 2) + x[1] + 1) * row + x[0] / RILL_WORD_CELLS;
        if (field == offsetof(rill_arrays, list) && n != RILL_UPSTREAM_WALL &&
            (b->fluid[c] || b->v.addressing == RILL_CHASE))
            list_expect(b, x, n, arrays->list_stride, out);
        if (!b->fluid[c]) continue;
        if (n % RILL_PLACE_BLOCK == 0) first = word;
        const uint32_t place = (x[0] % RILL_WORD_CELLS + 1) | (x[0] == 0 ? 32u : 0);
        if (field == offsetof(rill_arrays, walls)) out[n] = walls_expect(b, x);
        if (field == offsetof(rill_arrays, flags))
            ((uint8_t *)out)[c] = (uint8_t)(RILL_FLAG_FLUID | (walls_expect(b, x) ? RILL_FLAG_EDGE : 0));
        if (field == offsetof(rill_arrays, starts) && n % 32 == 0) {
            const bool run = run_expect(b, c);
            ((rill_start *)out)[n / 32] =
                (rill_start){word, place | (run ? 128u : 0) | (run && x[0] + 32 == b->n[0] ? 64u : 0)};
        }
        if (field == offsetof(rill_arrays, places))
            out[n] = place | (x[0] == b->n[0] - 1 ? 64u : 0) | (word - first) << 7;
    }
    return out;
}

/* Compare the arrays that a backend builds. */
static void compare(const rill_geom *geom, const rill_numbering *numbering, rill_variant v,
                    rill_device *const *devices, int count, const char *name)
{
    rill_links *links = NULL;
    rill_links_size measured;
    ASSERT_OK(rill_links_measure(&(rill_domain){.numbering = *numbering}, v, &measured));
    ASSERT_OK(rill_links_create(numbering, v, &links));
    cr_expect_eq(measured.bytes, links->size.bytes);
    const box b = box_create(geom, v, &measured);
    void *expected[4];
    for (int k = 0; k < measured.part_count; k++)
        expected[k] = part_expect(&b, &links->arrays, &measured.parts[k]);
    for (int d = 0; d < count; d++) {
        if (d) ASSERT_OK(rill_links_create(numbering, v, &links));
        ASSERT_OK(rill_links_build(links, devices[d]));
        for (int k = 0; k < measured.part_count; k++) {
            const rill_links_part *part = &measured.parts[k];
            void *found = malloc(part->bytes);
            ASSERT_OK(rill_device_download(devices[d], found,
                                           *(void **)((char *)&links->arrays + part->field), part->bytes));
            cr_expect(memcmp(found, expected[k], part->bytes) == 0, "%s of %s on %s %d", part->what, name,
                      devices[d]->backend->name, d);
            free(found);
        }
        rill_links_destroy(links);
    }
    for (int k = 0; k < measured.part_count; k++) free(expected[k]);
    free(b.fluid);
    free(b.number);
}

/*
 * Every combination of lattice, scheme and addressing on boxes that are awkward in some way. A backend
 * without host memory holds few planes of the numbers at a time; the CPU plays one, too.
 */
Test(links, arrays_are_what_a_search_finds)
{
    static const struct {
        uint32_t n[3];
        rill_side sides[3];
        int solid_of_ten;
        bool every_lattice;
    } cases[] = {{{7, 5, 4}, {RILL_PERIODIC, RILL_PERIODIC, RILL_PERIODIC}, 4, true},
                 {{70, 5, 4}, {RILL_WALL, RILL_MIRROR, RILL_WALL}, 3, true},
                 {{64, 9, 1}, {RILL_PERIODIC, RILL_MIRROR, RILL_PERIODIC}, 2, true},
                 {{129, 3, 3}, {RILL_MIRROR, RILL_PERIODIC, RILL_WALL}, 5, true},
                 {{1, 1, 9}, {RILL_PERIODIC, RILL_PERIODIC, RILL_PERIODIC}, 3, true},
                 {{30, 40, 20}, {RILL_PERIODIC, RILL_PERIODIC, RILL_PERIODIC}, 0, true},
                 {{67, 5, 3}, {RILL_WALL, RILL_PERIODIC, RILL_PERIODIC}, 0, true},
                 {{2, 50, 2100}, {RILL_MIRROR, RILL_PERIODIC, RILL_PERIODIC}, 9, false}};
    rill_backend elsewhere = rill_backend_cpu;
    rill_device *devices[3] = {NULL};
    int count = 2, combinations = 0;
    elsewhere.host = false;
    for (int d = 0; d < 2; d++) ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &devices[d]));
    devices[1]->backend = &elsewhere;
    if (rill_backend_available(RILL_BACKEND_CUDA))
        ASSERT_OK(rill_device_create(RILL_BACKEND_CUDA, 0, &devices[count++]));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        rill_numbering numbering = {.occupied = NULL};
        rill_geom *geom = noise(cases[c].n, cases[c].sides, 7 + (unsigned)c, cases[c].solid_of_ten);
        ASSERT_OK(rill_numbering_create(geom, &numbering));
        for (int lattice = 0; lattice < (cases[c].every_lattice ? RILL_LATTICE_COUNT : 1); lattice++)
            for (int stream = 0; stream < RILL_STREAM_COUNT; stream++)
                for (int addressing = 0; addressing < RILL_ADDRESSING_COUNT; addressing++) {
                    const rill_variant v =
                        with_own_collision((rill_variant){.lattice = (rill_lattice)lattice,
                                                          .collision = RILL_TRT,
                                                          .stream = (rill_stream)stream,
                                                          .addressing = (rill_addressing)addressing});
                    char name[96], what[128];
                    if (rill_variant_check(v) != RILL_OK) continue;
                    if (lattice == RILL_D2Q9 && cases[c].n[2] > 1) continue;
                    rill_variant_name(v, name, sizeof name);
                    snprintf(what, sizeof what, "case %zu, %s", c, name);
                    compare(geom, &numbering, v, devices, count, what);
                    combinations++;
                }
        rill_numbering_destroy(&numbering);
        rill_geom_destroy(geom);
    }
    cr_assert_gt(combinations, 400, "only %d combinations were compared", combinations);
    for (int d = 0; d < count; d++) rill_device_destroy(devices[d]);
}

/* What a backend gave, and the most at a time. */
static struct {
    void *array;
    uint64_t bytes;
} given[64];
static uint64_t given_now, given_most;

static rill_status counting_alloc(rill_device *device, uint64_t bytes, const char *what, void **out)
{
    const rill_status status = rill_backend_cpu.memory.alloc(device, bytes, what, out);
    size_t k = 0;
    while (given[k].array) k++;
    given[k].array = *out;
    given[k].bytes = bytes;
    given_now += bytes;
    if (given_now > given_most) given_most = given_now;
    return status;
}

static void counting_free(rill_device *device, void *array)
{
    for (size_t k = 0; k < sizeof given / sizeof *given && array; k++)
        if (given[k].array == array) {
            given_now -= given[k].bytes;
            given[k].array = NULL;
        }
    rill_backend_cpu.memory.free(device, array);
}

/* Return the processor as a device that counts what it gives. @param backend  of the device, for its life */
static rill_device *counting_device(rill_backend *backend)
{
    rill_device *device = NULL;
    *backend = rill_backend_cpu;
    backend->memory.alloc = counting_alloc;
    backend->memory.free = counting_free;
    ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &device));
    device->backend = backend;
    return device;
}

/* Numbers of nodes and ghosts on a device are more than these few links take, and not held at a time. */
Test(links, building_takes_little_more_than_what_is_built)
{
    const uint32_t n[3] = {64, 200, 2000};
    rill_geom *geom = NULL;
    rill_numbering numbering = {.occupied = NULL};
    rill_links *links = NULL;
    rill_backend counting;
    rill_device *device = counting_device(&counting);
    const rill_variant v = {
        .lattice = RILL_D3Q19, .collision = RILL_TRT, .stream = RILL_ESOTWIST, .addressing = RILL_LIST};
    counting.host = false;
    ASSERT_OK(rill_geom_create(n, &geom));
    for (uint64_t k = 0; k < rill_geom_voxels(geom); k += 167) geom->voxels[k] = RILL_FLUID;
    ASSERT_OK(rill_numbering_create(geom, &numbering));
    ASSERT_OK(rill_links_create(&numbering, v, &links));
    ASSERT_OK(rill_links_build(links, device));
    cr_expect_eq(given_now, links->size.bytes);
    cr_expect_lt((double)given_most, 1.3 * (double)given_now, "%llu of %llu", (unsigned long long)given_most,
                 (unsigned long long)given_now);
    cr_expect_lt((double)given_now, 2.0 * (double)rill_numbering_bytes(geom)); /* or it shows nothing */
    rill_links_destroy(links);
    cr_expect_eq(given_now, 0);
    rill_device_destroy(device);
    rill_numbering_destroy(&numbering);
    rill_geom_destroy(geom);
}

/* Return the mean momentum after some steps. */
static double flow_of(rill_sim *sim)
{
    rill_totals totals;
    ASSERT_OK(rill_sim_step(sim, 7));
    ASSERT_OK(rill_sim_totals(sim, &totals));
    return totals.momentum[2];
}

/* A second simulation on a domain takes no links, and has those of the first when this has gone. */
Test(links, are_taken_once_by_simulations_on_a_domain)
{
    rill_geom *geom = noise((const uint32_t[3]){40, 20, 20},
                            (const rill_side[3]){RILL_PERIODIC, RILL_WALL, RILL_PERIODIC}, 5, 3);
    rill_domain *domain = NULL;
    rill_backend counting;
    rill_device *device = counting_device(&counting);
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, 2}, &domain));
    for (int a = 0; a < RILL_ADDRESSING_COUNT; a++) {
        rill_sim_options options = rill_sim_options_default();
        rill_sim *first = NULL, *second = NULL;
        rill_links_size size;
        uint64_t linked[2];
        options.variant.addressing = (rill_addressing)a;
        options.on.device = device;
        options.force[2] = 1e-5;
        ASSERT_OK(rill_links_measure(domain, options.variant, &size));
        ASSERT_OK(rill_sim_create(domain, &options, &first));
        const uint64_t one = given_now;
        cr_expect_eq(rill_sim_held(first, &linked[0]) - linked[0], one);
        ASSERT_OK(rill_sim_create(domain, &options, &second));
        cr_expect_gt(size.bytes, 0);
        cr_expect_eq(given_now, 2 * one - size.bytes, "%s: %llu, and %llu with a second simulation",
                     rill_addressing_names[a], (unsigned long long)one, (unsigned long long)given_now);
        cr_expect_eq(rill_sim_held(second, &linked[1]), one - size.bytes);
        cr_expect_eq(linked[1], 0);
        cr_expect_eq(linked[0] > 0, a == RILL_LIST);
        const double flow = flow_of(first);
        rill_sim_destroy(first);
        cr_expect_eq(flow_of(second), flow);
        cr_expect_eq(given_now, one);
        rill_sim_destroy(second);
        cr_expect_eq(given_now, 0);
    }
    rill_domain_destroy(domain);
    rill_device_destroy(device);
    rill_geom_destroy(geom);
}

/* A domain may be destroyed before its simulations. */
Test(links, outlive_their_domain)
{
    const rill_side periodic[3] = {RILL_PERIODIC, RILL_PERIODIC, RILL_PERIODIC};
    rill_geom *geom = noise((const uint32_t[3]){20, 20, 20}, periodic, 5, 3);
    rill_domain *domain = NULL;
    rill_backend counting;
    rill_device *device = counting_device(&counting);
    rill_sim_options options = rill_sim_options_default();
    rill_sim *sims[3] = {NULL};
    options.variant.addressing = RILL_BITMAP;
    options.on.device = device;
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, 2}, &domain));
    for (int k = 0; k < 3; k++) {
        if (k == 2) options.variant.stream = RILL_PULL; /* borrows the bitmap */
        ASSERT_OK(rill_sim_create(domain, &options, &sims[k]));
    }
    rill_domain_destroy(domain);
    void *others[256];
    for (size_t k = 0; k < 256; k++) { /* others take the memory that it gave back */
        others[k] = malloc(16 * (k % 16 + 1));
        memset(others[k], 0xff, 16 * (k % 16 + 1));
    }
    for (int k = 0; k < 3; k++) {
        cr_expect_gt(given_now, 0);
        rill_sim_destroy(sims[k]);
    }
    cr_expect_eq(given_now, 0);
    for (size_t k = 0; k < 256; k++) free(others[k]);
    rill_device_destroy(device);
    rill_geom_destroy(geom);
}

/* Other velocity sets and schemes on the same cells have the same bitmap, unless it counts copies. */
Test(links, of_all_velocity_sets_have_one_bitmap)
{
    rill_geom *geom = noise((const uint32_t[3]){40, 20, 20}, (const rill_side[3]){0}, 6, 3);
    rill_domain *domain = NULL;
    rill_backend counting;
    rill_device *device = counting_device(&counting);
    rill_links *first = NULL;
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, 2}, &domain));
    rill_variant v = {.collision = RILL_TRT, .stream = RILL_AA, .addressing = RILL_BITMAP};
    ASSERT_OK(rill_links_share(domain, v, device, &first));
    ASSERT_OK(rill_links_make(first, device));
    for (int stream = 0; stream < RILL_MACROSCOPIC; stream++) {
        rill_links *other = NULL, *alone = NULL;
        const uint64_t before = given_now;
        v.lattice = RILL_D3Q27;
        v.stream = (rill_stream)stream;
        ASSERT_OK(rill_links_share(domain, v, device, &other));
        const uint64_t missing = rill_links_missing(other);
        ASSERT_OK(rill_links_make(other, device));
        cr_expect_eq(given_now - before, missing);
        cr_expect_eq(rill_links_missing(other), 0);
        cr_expect_eq(other->arrays.words == first->arrays.words, stream != RILL_RING, "stream %d", stream);
        cr_expect_eq(missing < other->size.bytes, stream != RILL_RING);
        ASSERT_OK(rill_links_create(&domain->numbering, v, &alone));
        ASSERT_OK(rill_links_build(alone, device));
        for (int k = 0; k < alone->size.part_count; k++) {
            const rill_links_part *part = &alone->size.parts[k];
            cr_expect_eq(memcmp(*(void **)((char *)&other->arrays + part->field),
                                *(void **)((char *)&alone->arrays + part->field), part->bytes),
                         0, "%s, stream %d", part->what, stream);
        }
        rill_links_destroy(alone);
        if (stream == RILL_ESOTWIST) { /* what it has from the first goes when it does */
            rill_links_destroy(first);
            cr_expect_eq(other->bitmap, first);
            ASSERT_OK(rill_links_share(domain, (rill_variant){.stream = RILL_AA, .addressing = RILL_BITMAP},
                                       device, &first));
            cr_expect_eq(other->bitmap, first);
        }
        rill_links_destroy(other);
        cr_expect_eq(given_now, before);
    }
    rill_links_destroy(first);
    cr_expect_eq(given_now, 0);
    rill_domain_destroy(domain);
    rill_device_destroy(device);
    rill_geom_destroy(geom);
}

/* Neighbours of the last voxel of such a row would have no coordinate. */
Test(links, an_axis_has_fewer_than_two_to_the_31_voxels)
{
    for (int a = 0; a < 3; a++) {
        rill_geom geom = {.n = {1, 1, 1}, .sides = {RILL_WALL, RILL_WALL, RILL_WALL}};
        rill_numbering numbering;
        geom.n[a] = UINT32_C(1) << 31;
        cr_expect_eq(rill_numbering_create(&geom, &numbering), RILL_USAGE);
        cr_expect_not_null(strstr(rill_error_message(), "2147483648 voxels along"));
    }
}

/* Sizes and slots of 3.2e9 nodes, which no machine of the tests has room for. */
Test(links, sizes_beyond_two_to_the_32)
{
    const rill_numbering numbering = {
        .n = {1500, 1500, 1513}, .row_words = 24, .nodes = UINT64_C(3204000000)};
    const uint64_t nodes = numbering.nodes;
    const rill_device cpu = {.backend = &rill_backend_cpu};
    rill_variant v = {.lattice = RILL_D3Q19,
                      .collision = RILL_TRT,
                      .stream = RILL_AA,
                      .addressing = RILL_LIST,
                      .storage = RILL_FP16S};
    rill_links_size size;
    ASSERT_OK(rill_links_measure(&(rill_domain){.numbering = numbering}, v, &size));
    cr_expect_geq(size.stride, nodes);
    cr_expect_leq(size.stride, nodes + 2 * RILL_SEGMENT_BLOCK);
    cr_expect_eq(size.bytes, 18 * 4 * size.list_stride);
    const double list = (19 * 2 + 18 * 4) * (double)nodes;
    cr_expect_float_eq((double)rill_sim_bytes(v, &size, &cpu) / list, 1, 1e-3);
    v.addressing = RILL_BITMAP;
    ASSERT_OK(rill_links_measure(&(rill_domain){.numbering = numbering}, v, &size));
    const double words = 50.0 * 1502 * 1515, bitmap = (19 * 2 + 4 + 8.0 / 32) * (double)nodes + 8 * words;
    cr_expect_float_eq((double)rill_sim_bytes(v, &size, &cpu) / bitmap, 1, 1e-3);
    const rill_arrays arrays = {.stride = size.stride, .nodes = (rill_node)nodes, .ring = size.stride - 5};
    const rill_node last = (rill_node)nodes - 1;
    const rill_slot slot = {18, last};
    cr_expect_eq(rill_slot_offset(RILL_D3Q19, RILL_AA, &arrays, slot),
                 18 * (uint64_t)size.stride + nodes - 1);
    cr_expect_eq(rill_slot_offset(RILL_D3Q19, RILL_RING, &arrays, slot),
                 18 * (uint64_t)size.stride + nodes - 6);
}
