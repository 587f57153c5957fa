/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulation in parts makes the bits of the whole one with everything that a vessel has: an inlet with two
 * modes, an outlet with a Windkessel, interpolated bounce-back, sponge layers, samples of nodes, records,
 * forces on walls and the state. All cuts go through both openings.
 */
#include "backends.h"
#include "deferred.h"
#include "device/remote_priv.h"
#include "forked.h"
#include "core/sanitized.h"
#include "sim/boundary.h"
#include "sim/sim.h"
#include "sim/sim_priv.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 8, SAMPLE = 500, MOST_PARTS = 11 };

/* Boxes: in the second one a part of some thousand nodes lies within a plane or two, in the third one three
 * parts all have links with each other. */
static const uint32_t shapes[][3] = {{34, 16, 96}, {110, 96, 5}, {150, 100, 2}};
enum { LONG, FLAT, FLATTEST };

/* A duct along x with an uneven bottom, and bodies in it. */
static rill_geom *duct(int shape)
{
    const uint32_t *n = shapes[shape];
    const double pitch = n[2] < 19 ? n[2] : 19;
    rill_geom *geom = NULL;
    ASSERT_OK(rill_geom_create(n, &geom));
    for (int a = 0; a < 3; a++) geom->sides[a] = RILL_WALL;
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++)
            for (uint32_t x = 0; x < n[0]; x++) {
                const double dx = x % 34 + 0.5 - 15, dy = y % 16 + 0.5 - 9,
                             dz = fmod(z + 0.5, pitch) - (pitch - 1) / 2;
                const bool body = dx * dx + dy * dy + dz * dz < 14, bottom = y < 1 + (x / 7 + z / 11) % 3;
                geom->voxels[x + (size_t)n[0] * (y + (size_t)n[1] * z)] =
                    body || bottom ? RILL_SOLID : RILL_FLUID;
            }
    return geom;
}

/* Links to solid voxels, at distances that differ. */
static bool at_body(void *context, const rill_wall_link *link)
{
    (void)context;
    return link->beyond[0] == 0 && link->beyond[1] == 0 && link->beyond[2] == 0;
}

static rill_cut *cuts_make(const rill_domain *domain, uint64_t *count)
{
    rill_boundary *b = NULL;
    ASSERT_OK(rill_boundary_create(domain, at_body, NULL, &b));
    rill_cut *cuts = calloc(b->links, sizeof *cuts);
    *count = 0;
    for (uint64_t k = 0; k < b->count; k++)
        for (int i = 1; i < rill_q((int)domain->lattice); i++)
            if (b->nodes[k].links >> i & 1) {
                const float q = (float)((b->nodes[k].node * 7 + (unsigned)i * 13) % 29) / 28;
                cuts[(*count)++] = (rill_cut){b->nodes[k].node, RILL_NO_TRIANGLE, q, (uint8_t)i};
            }
    rill_boundary_destroy(b);
    return cuts;
}

static void profile(void *context, const double x[3], int mode, double u[3])
{
    (void)context;
    u[0] = mode ? 0.01 * x[1] / 16 : 0.02;
    u[1] = 0, u[2] = 0.002;
}

static void pulse(void *context, uint64_t step, double *weights)
{
    (void)context;
    weights[0] = 1 + 0.1 * (double)step;
    weights[1] = sin((double)step);
}

/* Patches of the simulation, in the order that they are added. */
enum { INLET, OUTLET, WALLS, BOTTOM, PATCHES };

static bool at_floor(void *context, const rill_wall_link *link)
{
    (void)context;
    return link->beyond[1] != 0 && link->beyond[0] == 0;
}

static void patches_add(const rill_domain *domain, rill_sim *sim)
{
    rill_boundary *b[PATCHES] = {NULL};
    uint64_t cut_count;
    int patch;
    rill_cut *cuts = cuts_make(domain, &cut_count);
    ASSERT_OK(rill_boundary_create_face(domain, 0, -1, &b[INLET]));
    ASSERT_OK(rill_boundary_set_velocity_modes(b[INLET], 2, profile, NULL));
    ASSERT_OK(rill_boundary_create_face(domain, 0, 1, &b[OUTLET]));
    ASSERT_OK(rill_boundary_set_density(b[OUTLET], 1e-3));
    ASSERT_OK(rill_boundary_create_cuts(domain, cuts, cut_count, &b[WALLS]));
    ASSERT_OK(rill_boundary_set_quadratic(b[WALLS]));
    rill_boundary_set_measured(b[WALLS]);
    ASSERT_OK(rill_boundary_create(domain, at_floor, NULL, &b[BOTTOM]));
    for (int k = 0; k < PATCHES; k++) {
        ASSERT_OK(rill_sim_boundary_add(sim, b[k], &patch));
        cr_assert_eq(patch, k);
        rill_boundary_destroy(b[k]);
    }
    free(cuts);
    ASSERT_OK(rill_sim_patch_schedule(sim, INLET, pulse, NULL));
    ASSERT_OK(rill_sim_patch_windkessel(
        sim, OUTLET,
        &(rill_windkessel){
            .proximal = 0.01, .distal = 0.2, .compliance = 40, .stored = 2e-3, .backflow = 0.2}));
    for (int k = INLET; k <= OUTLET; k++) ASSERT_OK(rill_sim_patch_record(sim, k, STEPS));
}

/* Everything that can be read, one number after the other. */
typedef struct outcome {
    double *all;
    size_t count;
} outcome;

static double *room(outcome *o, size_t count)
{
    o->all = realloc(o->all, (o->count + count) * sizeof *o->all);
    cr_assert_not_null(o->all);
    o->count += count;
    return o->all + o->count - count;
}

static void look(rill_sim *sim, const rill_domain *domain, rill_sample *sample, uint64_t steps, outcome *o)
{
    const rill_node n = rill_domain_nodes(domain);
    double *m = room(o, 4 * (size_t)n);
    ASSERT_OK(rill_sim_moments(sim, 0, n, m, m + n));
    ASSERT_OK(rill_sim_sample_take(sim, sample, room(o, 10 * SAMPLE)));
    for (int k = 0; k < PATCHES; k++) {
        ASSERT_OK(rill_sim_patch_force(sim, k, room(o, 3)));
        ASSERT_OK(rill_sim_patch_flow(sim, k, room(o, 1)));
    }
    for (int k = INLET; k <= OUTLET; k++) {
        double *rows = room(o, 2 * steps);
        ASSERT_OK(rill_sim_patch_series(sim, k, 0, (uint32_t)steps, rows, rows + steps));
        ASSERT_OK(rill_sim_patch_stored(sim, k, room(o, 1)));
    }
}

/* A simulation with all of it. */
typedef struct setting {
    rill_sim *sim;
    rill_sample *sample;
    rill_node *layer;
    float *keep;
} setting;

static setting set_up_on(const rill_domain *domain, rill_variant variant, rill_device *const *devices,
                         int parts)
{
    rill_sim_options o = rill_sim_options_default();
    const rill_node n = rill_domain_nodes(domain);
    rill_node nodes[SAMPLE];
    setting s = {0};
    o.variant = variant, o.tau = 0.55;
    o.carreau_yasuda = (rill_carreau_yasuda){0.2, 0.01, 300, 0.4, 1.7}; /* read where the variant has them */
    o.casson = (rill_casson){0.01, 1e-5, 0.3};
    o.on.device = devices[0], o.on.list = devices, o.on.count = parts;
    ASSERT_OK(rill_sim_create(domain, &o, &s.sim));
    cr_assert_eq(rill_sim_parts(s.sim), parts);
    patches_add(domain, s.sim);
    s.layer = calloc(n, sizeof *s.layer);
    s.keep = calloc(n, sizeof *s.keep);
    for (rill_node k = 0; k < n / 9; k++) s.layer[k] = rill_sim_number(s.sim, 9 * k), s.keep[k] = 0.5f;
    ASSERT_OK(rill_sim_sponge_set(s.sim, s.layer, s.keep, n / 9));
    for (uint32_t k = 0; k < SAMPLE; k++) nodes[k] = (rill_node)((k * 7919ull) % n);
    ASSERT_OK(rill_sim_sample_create(s.sim, nodes, SAMPLE, &s.sample));
    return s;
}

static setting set_up(const rill_domain *domain, rill_variant variant, rill_device *device, int parts)
{
    rill_device *devices[MOST_PARTS];
    for (int p = 0; p < MOST_PARTS; p++) devices[p] = device;
    return set_up_on(domain, variant, devices, parts);
}

static void tear_down(setting *s)
{
    rill_sample_destroy(s->sample);
    rill_sim_destroy(s->sim);
    free(s->layer);
    free(s->keep);
}

/* Steps one by one and several at a time. */
static outcome run_on(const rill_domain *domain, rill_variant variant, rill_device *const *devices, int parts)
{
    outcome out = {NULL, 0};
    setting s = set_up_on(domain, variant, devices, parts);
    ASSERT_OK(rill_sim_step(s.sim, 1));
    look(s.sim, domain, s.sample, 1, &out);
    ASSERT_OK(rill_sim_step(s.sim, STEPS - 1));
    look(s.sim, domain, s.sample, STEPS, &out);
    tear_down(&s);
    return out;
}

static outcome run(const rill_domain *domain, rill_variant variant, rill_device *device, int parts)
{
    rill_device *devices[MOST_PARTS];
    for (int p = 0; p < MOST_PARTS; p++) devices[p] = device;
    return run_on(domain, variant, devices, parts);
}

/* Compare in bits. */
static void compare(const outcome *parts, const outcome *whole, const char *name, int count)
{
    cr_assert_eq(parts->count, whole->count);
    for (size_t k = 0; k < whole->count; k++)
        cr_assert_eq(memcmp(&parts->all[k], &whole->all[k], sizeof(double)), 0,
                     "%s in %d parts: number %zu of %zu is %.17g, not %.17g", name, count, k, whole->count,
                     parts->all[k], whole->all[k]);
}

/* @param all  numbers of parts; else one of them */
static void expect_same(const rill_domain *domain, rill_variant v, rill_device *device, bool all)
{
    char name[128];
    rill_variant_name(v, name, sizeof name);
    const outcome whole = run(domain, v, device, 1);
    cr_assert_gt(whole.count, 4 * rill_domain_nodes(domain));
    for (size_t k = 0; k < whole.count; k++) cr_assert(isfinite(whole.all[k]), "%s: number %zu", name, k);
    const int counts[] = {domain->geom->n[2] < 10 ? MOST_PARTS : 3, 7, 2};
    for (int c = 0; c < (all ? 3 : 1); c++) {
        const outcome parts = run(domain, v, device, counts[c]);
        compare(&parts, &whole, name, counts[c]);
        free(parts.all);
    }
    free(whole.all);
}

static void every_scheme(int shape, rill_lattice lattice, rill_collision collision, rill_storage storage)
{
    rill_geom *geom = duct(shape);
    rill_domain *domain = NULL;
    int compared = 0;
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){lattice, -1}, &domain));
    FOR_EACH_BACKEND(backend)
    {
        rill_device *device = NULL;
        ASSERT_OK(rill_device_create(backend, 0, &device));
        for (int stream = 0; stream < RILL_STREAM_COUNT; stream++)
            for (int addressing = 0; addressing < RILL_ADDRESSING_COUNT; addressing++) {
                rill_variant v = rill_variant_default();
                v.lattice = lattice, v.collision = collision, v.storage = storage;
                v.equilibrium = RILL_SECOND_ORDER;
                v.stream = (rill_stream)stream, v.addressing = (rill_addressing)addressing;
                if (stream == RILL_RING || addressing == RILL_DENSE || rill_variant_check(v) != RILL_OK)
                    continue;
                expect_same(domain, v, device, shape == LONG && storage == RILL_FP32 && !SANITIZED);
                compared++;
            }
        rill_device_destroy(device);
    }
    cr_assert_geq(compared, 10);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}

Test(several_walls, d3q19_fp32, .disabled = SANITIZED)
{
    every_scheme(LONG, RILL_D3Q19, RILL_TRT, RILL_FP32);
}
Test(several_walls, d3q27_fp64) { every_scheme(LONG, RILL_D3Q27, RILL_CUMULANT, RILL_FP64); }
Test(several_walls, d3q19_fp16s, .disabled = SANITIZED)
{
    every_scheme(LONG, RILL_D3Q19, RILL_TRT, RILL_FP16S);
}
Test(several_walls, thin_parts_d3q19_fp32) { every_scheme(FLAT, RILL_D3Q19, RILL_TRT, RILL_FP32); }
Test(several_walls, thin_parts_d3q27_fp16s, .disabled = SANITIZED)
{
    every_scheme(FLAT, RILL_D3Q27, RILL_CUMULANT, RILL_FP16S);
}

/* Rates of each node: the same bits in every scheme, and in parts. */
Test(several_walls, viscosity_laws_give_the_same_bits)
{
    static const rill_variant laws[] = {
        {.lattice = RILL_D3Q27, .collision = RILL_CUMULANT, .rheology = RILL_CARREAU_YASUDA},
        {.lattice = RILL_D3Q19, .collision = RILL_CENTRAL_MOMENT, .rheology = RILL_CASSON}};
    static const rill_stream streams[] = {RILL_PULL, RILL_AA, RILL_ESOTWIST};
    for (size_t l = 0; l < sizeof laws / sizeof *laws; l++) {
        rill_geom *geom = duct(LONG);
        rill_domain *domain = NULL;
        rill_device *device = NULL;
        outcome first = {NULL, 0};
        ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){laws[l].lattice, -1}, &domain));
        ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &device));
        for (int k = 0; k < 3; k++) {
            char name[128];
            rill_variant v = laws[l];
            v.stream = streams[k], v.addressing = k ? RILL_LIST : RILL_BITMAP;
            rill_variant_name(v, name, sizeof name);
            expect_same(domain, v, device, false);
            const outcome whole = run(domain, v, device, 1);
            if (k) compare(&whole, &first, name, 1);
            if (k) free(whole.all);
            if (!k) first = whole;
        }
        free(first.all);
        rill_device_destroy(device);
        rill_domain_destroy(domain);
        rill_geom_destroy(geom);
    }
}

/* The queues of devices may be worked off in any order that the events between them allow. */
Test(several_walls, any_order_of_queues)
{
    enum { PARTS = 3 };
    static const rill_stream streams[] = {RILL_PULL, RILL_AA, RILL_ESOTWIST};
    rill_device *whole = NULL, deferred[PARTS], *devices[PARTS];
    ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &whole));
    for (size_t k = 0; k < 6; k++) {
        rill_geom *geom = duct(k < 3 ? LONG : FLATTEST);
        rill_domain *domain = NULL;
        ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
        rill_variant v = rill_variant_default();
        v.equilibrium = RILL_SECOND_ORDER, v.stream = streams[k % 3], v.addressing = RILL_BITMAP;
        const outcome expected = run(domain, v, whole, 1);
        for (uint64_t seed = 1; seed < (SANITIZED ? 2 : 5); seed++) {
            deferred_overtakes = 0;
            deferred_open(deferred, devices, PARTS, 5 * k + seed, seed % 2);
            const outcome found = run_on(domain, v, devices, PARTS);
            deferred_close(deferred, PARTS);
            cr_assert_gt(deferred_overtakes, 100, "%llu entries were done out of order",
                         (unsigned long long)deferred_overtakes);
            compare(&found, &expected, "out of order", PARTS);
            free(found.all);
        }
        free(expected.all);
        rill_domain_destroy(domain);
        rill_geom_destroy(geom);
    }
    rill_device_destroy(whole);
}

/* Processes of one machine that have the same GPU share it; those of others, and processors, are their own.
 */
Test(several_walls, processes_know_shared_devices)
{
    const struct {
        const char *host;
        int number;
    } of[] = {{"a", 0}, {"a", 1}, {"a", 0}, {"b", 0}, {"b", 1}, {"b", 1}, {"", 0}};
    static const int same[] = {0, 1, 0, 3, 4, 4, 6};
    uint64_t identities[7];
    for (int k = 0; k < 7; k++)
        identities[k] = rill_remote_identity(of[k].host, RILL_BACKEND_CUDA, of[k].number);
    for (int k = 0; k < 7; k++) cr_assert_eq(rill_remote_same(identities, k), same[k], "process %d", k);
    cr_assert_neq(rill_remote_identity("a", RILL_BACKEND_CPU, 0), identities[0]);
}

static int aborted_with;

static void abort_note(int code) { aborted_with = code; }

static int receive_fails(int from, int kind, void *data, uint64_t bytes)
{
    (void)from, (void)kind, (void)data, (void)bytes;
    return 7;
}

static int receive_nonsense(int from, int kind, void *data, uint64_t bytes)
{
    (void)from, (void)kind;
    memset(data, 0, bytes);
    if (bytes == sizeof(rill_remote_call)) ((rill_remote_call *)data)->bytes = UINT64_C(1) << 60;
    return 0;
}

/* A process that cannot serve ends all: the first one waits for it. */
Test(several_walls, a_process_that_cannot_serve_ends_all)
{
    int (*const receives[])(int, int, void *, uint64_t) = {receive_fails, receive_nonsense};
    for (int k = 0; k < (SANITIZED ? 1 : 2); k++) { /* sanitizers end where there is no memory */
        const rill_team_transport transport = {
            .name = "none", .receive = receives[k], .abort = abort_note, .send = forked_send};
        rill_team team = {.rank = 1, .size = 2, .transport = &transport};
        aborted_with = 0;
        cr_assert_eq(rill_remote_serve(&team, NULL), RILL_SYSTEM);
        cr_assert_eq(aborted_with, RILL_SYSTEM);
    }
}

static rill_status fails(rill_device *device)
{
    (void)device;
    return rill_fail(RILL_SYSTEM, "a kernel failed");
}

/* A device that has failed sets no flags: its process ends all when it looks, but not when others cannot wait
 * for it. */
Test(several_walls, a_device_that_has_failed_ends_all)
{
    static const rill_remote_op ops[] = {RILL_REMOTE_CHECK, RILL_REMOTE_WAIT};
    const rill_team_transport transport = {.name = "none", .abort = abort_note};
    rill_backend backend = rill_backend_cpu;
    backend.wait = fails;
    rill_device device = {.backend = &backend, .kind = RILL_BACKEND_CPU};
    for (int k = 0; k < 2; k++)
        for (int size = 1; size < 3; size++) {
            rill_team team = {.rank = 0, .size = size, .transport = &transport};
            rill_server *server = NULL;
            rill_remote_reply reply;
            void *data;
            aborted_with = 0;
            ASSERT_OK(rill_server_create(&team, &device, &server));
            rill_server_do(server, &(rill_remote_call){.op = ops[k]}, NULL, &reply, &data);
            cr_assert_eq(aborted_with, size > 1 ? RILL_SYSTEM : 0);
            rill_server_destroy(server);
        }
}

/* Parts in processes, one of them this one, compute the bits of one process; their states, too. */
Test(several_walls, processes)
{
    enum { PROCESSES = 3 };
    static const rill_variant variants[] = {{.stream = RILL_PULL, .addressing = RILL_LIST},
                                            {.stream = RILL_AA, .addressing = RILL_BITMAP},
                                            {.stream = RILL_AA, .addressing = RILL_LIST}};
    rill_team team;
    pid_t children[PROCESSES];
    forked_begin_team(PROCESSES, &team, children);
    rill_geom *geom = duct(FLATTEST);
    rill_domain *domain = NULL;
    rill_remotes *remotes = NULL;
    rill_device *own = NULL, *devices[PROCESSES];
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
    ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &own));
    ASSERT_OK(rill_remotes_create(&team, &remotes));
    ASSERT_OK(rill_remotes_open(remotes, own));
    for (int k = 0; k < PROCESSES; k++) {
        devices[k] = rill_remotes_device(remotes, k);
        cr_assert_eq(devices[k]->ordinal, k);
    }
    for (size_t k = 0; k < (SANITIZED ? 1 : 3); k++) {
        rill_variant v = rill_variant_default();
        v.equilibrium = RILL_SECOND_ORDER, v.stream = variants[k].stream,
        v.addressing = variants[k].addressing;
        const outcome expected = run(domain, v, own, 1), found = run_on(domain, v, devices, PROCESSES);
        compare(&found, &expected, "in processes", PROCESSES);
        setting parts = set_up_on(domain, v, devices, PROCESSES), whole = set_up(domain, v, own, 1);
        ASSERT_OK(rill_sim_step(parts.sim, 3));
        const uint64_t bytes = rill_sim_state_bytes(parts.sim);
        char *state = calloc(1, bytes);
        ASSERT_OK(rill_sim_state_save(parts.sim, 0, bytes, state));
        ASSERT_OK(rill_sim_state_load(whole.sim, 0, bytes, state));
        ASSERT_OK(rill_sim_state_resume(whole.sim, 3));
        ASSERT_OK(rill_sim_state_load(parts.sim, 0, bytes, state));
        ASSERT_OK(rill_sim_state_resume(parts.sim, 3));
        outcome a = {NULL, 0}, b = {NULL, 0};
        ASSERT_OK(rill_sim_step(parts.sim, 2));
        ASSERT_OK(rill_sim_step(whole.sim, 2));
        const rill_node n = rill_domain_nodes(domain);
        double *m = room(&a, 4 * (size_t)n);
        ASSERT_OK(rill_sim_moments(parts.sim, 0, n, m, m + n));
        m = room(&b, 4 * (size_t)n);
        ASSERT_OK(rill_sim_moments(whole.sim, 0, n, m, m + n));
        compare(&a, &b, "resumed", PROCESSES);
        free(a.all), free(b.all), free(state), free(expected.all), free(found.all);
        tear_down(&parts);
        tear_down(&whole);
    }
    /* What a process refuses is refused here, in its words. */
    void *array = NULL;
    cr_assert_neq(rill_device_alloc(devices[1], UINT64_C(1) << 60, "too much", &array), RILL_OK);
    cr_assert_not_null(strstr(rill_error_message(), "too much"), "%s", rill_error_message());
    ASSERT_OK(rill_device_wait(devices[1]));
    rill_remotes_destroy(remotes);
    forked_end_team(&team, children, 2);
    rill_device_destroy(own);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}

/* The device of a process, whose queues are worked off whenever there is time. */
static rill_device *deferred_here(int rank)
{
    static rill_device device, *pointer;
    deferred_rank = rank;
    deferred_open(&device, &pointer, 1, 17 + (uint64_t)rank, true);
    return pointer;
}

/* Steps have no messages of their own. */
static void messages_are_few(const rill_domain *domain, rill_variant variant, rill_device *const *devices,
                             int parts)
{
    enum { MANY = 40 };
    setting s = set_up_on(domain, variant, devices, parts);
    ASSERT_OK(rill_sim_step(s.sim, 1));
    const uint64_t before = forked_sent[RILL_TEAM_CALL];
    ASSERT_OK(rill_sim_step(s.sim, MANY));
    const uint64_t sent = forked_sent[RILL_TEAM_CALL] - before;
    cr_assert_lt(sent, MANY, "%llu messages", (unsigned long long)sent);
    tear_down(&s);
}

/* Devices of processes have queues of their own, too, and wait for each other by flags where they store to
 * each other's memory, by messages where not: the first `together` store. */
static void queues_of_processes(int shape, rill_stream stream, int together, const char *words)
{
    enum { PROCESSES = 3 };
    rill_team team;
    pid_t children[PROCESSES];
    deferred_share(together);
    forked_device = deferred_here;
    forked_idle = deferred_some;
    forked_begin_team(PROCESSES, &team, children);
    rill_variant v = rill_variant_default();
    v.equilibrium = RILL_SECOND_ORDER, v.stream = stream, v.addressing = RILL_BITMAP;
    rill_geom *geom = duct(shape);
    rill_domain *domain = NULL;
    rill_remotes *remotes = NULL;
    rill_device *whole = NULL, *own = deferred_here(0), *devices[PROCESSES];
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
    ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &whole));
    ASSERT_OK(rill_remotes_create(&team, &remotes));
    ASSERT_OK(rill_remotes_open(remotes, own));
    for (int k = 0; k < PROCESSES; k++) devices[k] = rill_remotes_device(remotes, k);
    const char *transport = rill_devices_transport(devices, PROCESSES);
    cr_assert_not_null(strstr(transport, words), "%s", transport);
    const outcome expected = run(domain, v, whole, 1);
    for (int again = 0; again < 3; again++) {
        const outcome found = run_on(domain, v, devices, PROCESSES);
        compare(&found, &expected, words, PROCESSES);
        free(found.all);
    }
    free(expected.all);
    messages_are_few(domain, v, devices, PROCESSES);
    rill_remotes_destroy(remotes);
    deferred_close(own, 1);
    forked_idle = NULL;
    forked_end_team(&team, children, 0);
    deferred_unshare();
    rill_device_destroy(whole);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}

/* Each in a process of its own: processes are started before there are threads. */
Test(several_walls, queues_of_processes) { queues_of_processes(LONG, RILL_PULL, 3, "stores into"); }

Test(several_walls, queues_of_processes_in_place)
{
    queues_of_processes(FLATTEST, RILL_AA, 3, "stores into");
}

Test(several_walls, queues_of_processes_on_machines)
{
    queues_of_processes(FLATTEST, RILL_PULL, 2, "stores by CUDA IPC between some");
}

Test(several_walls, queues_of_processes_and_messages)
{
    queues_of_processes(LONG, RILL_AA, 0, "messages by MPI");
}

/* The state of 3 parts goes on in 5, and theirs in one, to the bits of an undisturbed run. */
Test(several_walls, state_goes_on_in_any_number_of_parts)
{
    static const int counts[] = {3, 5, 1};
    rill_geom *geom = duct(FLATTEST);
    rill_domain *domain = NULL;
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
    const rill_node n = rill_domain_nodes(domain);
    double *m = calloc(8 * (size_t)n, sizeof *m);
    FOR_EACH_BACKEND(backend)
    for (int stream = 0; stream < RILL_STREAM_COUNT; stream++) {
        rill_device *device = NULL;
        rill_variant v = rill_variant_default();
        char *state = NULL;
        v.equilibrium = RILL_SECOND_ORDER, v.stream = (rill_stream)stream, v.addressing = RILL_BITMAP;
        if (stream == RILL_RING || rill_variant_check(v) != RILL_OK) continue;
        ASSERT_OK(rill_device_create(backend, 0, &device));
        for (uint64_t k = 0; k < 3; k++) {
            setting s = set_up(domain, v, device, counts[k]);
            const uint64_t bytes = rill_sim_state_bytes(s.sim);
            if (k > 0) {
                ASSERT_OK(rill_sim_state_load(s.sim, 0, bytes, state));
                ASSERT_OK(rill_sim_state_resume(s.sim, 5 * k));
            }
            ASSERT_OK(rill_sim_step(s.sim, 5));
            state = realloc(state, bytes);
            cr_assert_not_null(state);
            ASSERT_OK(rill_sim_state_save(s.sim, 0, bytes, state));
            if (k == 2) ASSERT_OK(rill_sim_moments(s.sim, 0, n, m, m + n));
            tear_down(&s);
        }
        setting whole = set_up(domain, v, device, 1);
        ASSERT_OK(rill_sim_step(whole.sim, 15));
        ASSERT_OK(rill_sim_moments(whole.sim, 0, n, m + 4 * (size_t)n, m + 5 * (size_t)n));
        cr_assert_arr_eq(m, m + 4 * (size_t)n, 4 * (size_t)n * sizeof *m, "stream %d", stream);
        tear_down(&whole);
        free(state);
        rill_device_destroy(device);
    }
    free(m);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}

/* What a link across a mirrored boundary needs may be another part's. */
Test(several_walls, interpolation_at_mirrored_boundaries_is_refused)
{
    rill_geom *geom = NULL;
    rill_domain *domain = NULL;
    rill_device *device = NULL;
    rill_boundary *b = NULL;
    rill_sim *sim = NULL;
    int patch;
    const rill_cut cut = {.node = 0, .q = 0.3f, .direction = 1};
    ASSERT_OK(rill_geom_create((const uint32_t[3]){12, 32, 96}, &geom));
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) geom->voxels[v] = v % 12 > 0;
    geom->sides[1] = RILL_MIRROR;
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, 0}, &domain));
    ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &device));
    ASSERT_OK(rill_boundary_create_cuts(domain, &cut, 1, &b));
    for (int parts = 1; parts <= 2; parts++) {
        rill_device *const devices[2] = {device, device};
        rill_sim_options o = rill_sim_options_default();
        o.variant.stream = RILL_PULL;
        o.variant.addressing = RILL_LIST;
        o.on.device = device, o.on.list = devices, o.on.count = parts;
        ASSERT_OK(rill_sim_create(domain, &o, &sim));
        cr_assert_eq(rill_sim_parts(sim), parts);
        const rill_status status = rill_sim_boundary_add(sim, b, &patch);
        cr_assert_eq((int)status, (int)(parts == 1 ? RILL_OK : RILL_USAGE), "%d parts: %d, %s", parts, status,
                     rill_error_message());
        if (parts == 2) cr_assert_not_null(strstr(rill_error_message(), "there are 2: take one"));
        rill_sim_destroy(sim);
    }
    rill_boundary_destroy(b);
    rill_device_destroy(device);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}
