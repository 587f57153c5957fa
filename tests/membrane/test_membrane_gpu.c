/* SPDX-License-Identifier: Apache-2.0 */
/* Membranes on a GPU: the same bits as on processors in all that they do beside the step, and the same
 * motion. Without a GPU, processors with a bitmap take its place. */
#include "backends.h"
#include "device/device.h"
#include "kernel/storage/storage.h"
#include "membrane/membrane.h"
#include "membrane/run.h"
#include "message.h"
#include "sim/sim_priv.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static rill_backend_kind other_backend(void)
{
    return rill_backend_available(RILL_BACKEND_CUDA) ? RILL_BACKEND_CUDA : RILL_BACKEND_CPU;
}

/* Capsules between plates that move, two of which touch across the face of the box, and one a plate. */
typedef struct capsules {
    rill_geom *geom;
    rill_domain *domain;
    rill_sim *sim;
    rill_membrane_mesh mesh;
    rill_membranes *membranes;
    rill_storage storage;
    uint64_t vertices, nodes;
} capsules;

static const uint32_t box[3] = {26, 13, 15};
static const double centres[3][3] = {{4.2, 6.3, 7.1}, {22.9, 6.1, 7.7}, {13.5, 6.6, 4.4}};

static void plates_move(capsules *c)
{
    for (int end = -1; end <= 1; end += 2) {
        rill_boundary *plate;
        int patch;
        ASSERT_OK(rill_boundary_create_face(c->domain, 2, end, &plate));
        ASSERT_OK(rill_boundary_set_velocity(plate, (const double[3]){end * 0.02, 0, 0}));
        ASSERT_OK(rill_sim_boundary_add(c->sim, plate, &patch));
        rill_boundary_destroy(plate);
    }
}

static capsules begin(rill_backend_kind backend, rill_addressing addressing, rill_stream stream,
                      rill_storage storage, int width)
{
    capsules c = {.storage = storage};
    rill_sim_options o = rill_sim_options_default();
    ASSERT_OK(rill_geom_create(box, &c.geom));
    memset(c.geom->voxels, RILL_FLUID, rill_geom_voxels(c.geom));
    c.geom->sides[2] = RILL_WALL;
    c.geom->voxels[box[0] * box[1] * 7 + 13] = RILL_SOLID; /* and a grain */
    ASSERT_OK(rill_domain_create(c.geom, &(rill_domain_options){RILL_D3Q19, -1}, &c.domain));
    o.variant.equilibrium = RILL_SECOND_ORDER;
    o.variant.collision = RILL_TRT;
    o.variant.stream = stream;
    o.variant.storage = storage;
    o.variant.addressing = addressing;
    o.on.backend = backend;
    o.tau = 0.9;
    o.force[1] = 1e-6;
    ASSERT_OK(rill_sim_create(c.domain, &o, &c.sim));
    c.nodes = rill_domain_nodes(c.domain);
    plates_move(&c);
    ASSERT_OK(rill_membrane_mesh_red_cell(4, 2, &c.mesh));
    const rill_membranes_options options = {.mesh = &c.mesh,
                                            .elastic = {.law = RILL_SKALAK,
                                                        .shear = 2e-3,
                                                        .dilatation = 1,
                                                        .bending = 2e-4,
                                                        .area = 1e-3,
                                                        .volume = 1e-3},
                                            .width = width,
                                            .slip = rill_membrane_slip(width),
                                            .count = 3,
                                            .contact = 2e-3,
                                            .wall = 2e-3,
                                            .centres = centres};
    ASSERT_OK(rill_membranes_create(c.sim, &options, &c.membranes));
    c.vertices = 3 * (uint64_t)c.mesh.vertex_count;
    for (uint64_t v = 0; v < c.vertices; v++) /* the third leans against the plate below */
        if (v / c.mesh.vertex_count == 2) {
            double *x = c.membranes->x[v];
            const double up = x[2];
            x[2] = centres[2][2] + (x[0] - centres[2][0]);
            x[0] = centres[2][0] + (up - centres[2][2]);
        }
    ASSERT_OK(rill_membranes_give(c.membranes));
    return c;
}

static void end(capsules *c)
{
    rill_membranes_destroy(c->membranes);
    rill_membrane_mesh_destroy(&c->mesh);
    rill_sim_destroy(c->sim);
    rill_domain_destroy(c->domain);
    rill_geom_destroy(c->geom);
}

/* Populations: what says where they were computed is before them. */
static unsigned char *populations_of(capsules *c, uint64_t *bytes)
{
    const rill_checkpoint_part part = rill_checkpoint_sim(c->sim);
    *bytes = c->nodes * 19 * rill_storage_size((int)c->storage);
    unsigned char *out = malloc(*bytes);
    ASSERT_OK(part.save(part.context, part.bytes - *bytes, *bytes, out));
    return out;
}

/* Let capsules be in the state of others. */
static void take_over(capsules *to, capsules *from)
{
    const rill_checkpoint_part have = rill_checkpoint_sim(from->sim), want = rill_checkpoint_sim(to->sim);
    const uint64_t front = want.bytes - to->nodes * 19 * rill_storage_size((int)to->storage);
    char *bytes = malloc(want.bytes);
    cr_assert_eq(have.bytes, want.bytes);
    ASSERT_OK(want.save(want.context, 0, front, bytes));
    ASSERT_OK(have.save(have.context, front, have.bytes - front, bytes + front));
    ASSERT_OK(want.load(want.context, 0, want.bytes, bytes));
    ASSERT_OK(rill_sim_state_resume(to->sim, rill_sim_steps(from->sim)));
    free(bytes);
    ASSERT_OK(rill_membranes_fetch(from->membranes));
    memcpy(to->membranes->x, from->membranes->x, from->vertices * sizeof *from->membranes->x);
    ASSERT_OK(rill_membranes_give(to->membranes));
}

static void expect_same(const void *a, const void *b, uint64_t bytes, const char *what, const char *when)
{
    const unsigned char *x = a, *y = b;
    uint64_t differ = 0;
    for (uint64_t k = 0; k < bytes; k++) differ += x[k] != y[k];
    cr_expect_eq(differ, 0, "%s, %s: %lu of %lu bytes differ", when, what, (unsigned long)differ,
                 (unsigned long)bytes);
}

/* An array of the device, on the host. */
static void *array_of(const capsules *c, const void *array, uint64_t bytes)
{
    void *out = malloc(bytes);
    if (c->membranes->device)
        ASSERT_OK(rill_device_download(c->membranes->device, out, array, bytes));
    else
        memcpy(out, array, bytes);
    return out;
}

static void same_arrays(const capsules *a, const void *x, const capsules *b, const void *y, uint64_t bytes,
                        const char *what, const char *when)
{
    void *one = array_of(a, x, bytes), *other = array_of(b, y, bytes);
    expect_same(one, other, bytes, what, when);
    free(one);
    free(other);
}

static void same_populations(capsules *a, capsules *b, const char *when)
{
    uint64_t bytes;
    unsigned char *one = populations_of(a, &bytes), *other = populations_of(b, &bytes);
    expect_same(one, other, bytes, "populations", when);
    free(one);
    free(other);
}

/* @return nodes that are pushed, so that callers know that some are */
static rill_node same_membranes(capsules *a, capsules *b, const char *when)
{
    const rill_membrane_set *s = &a->membranes->set, *t = &b->membranes->set;
    const rill_support *p = &s->support, *q = &t->support;
    const uint64_t bytes = a->vertices * sizeof *s->x;
    same_arrays(a, s->force, b, t->force, bytes, "forces", when);
    same_arrays(a, s->area, b, t->area, bytes, "areas", when);
    same_arrays(a, s->velocity, b, t->velocity, bytes, "velocities", when);
    same_arrays(a, s->x, b, t->x, bytes, "positions", when);
    cr_assert_eq(p->count, q->count, "%s", when);
    same_arrays(a, p->node, b, q->node, p->count * sizeof *p->node, "nodes", when);
    same_arrays(a, p->force, b, q->force, p->count * sizeof *p->force, "forces of nodes", when);
    same_arrays(a, p->velocity, b, q->velocity, p->count * sizeof *p->velocity, "velocities of nodes", when);
    return p->count;
}

static void compare(rill_addressing addressing, rill_stream stream, rill_storage storage, int width)
{
    capsules cpu = begin(RILL_BACKEND_CPU, RILL_LIST, stream, storage, width),
             gpu = begin(other_backend(), addressing, stream, storage, width);
    capsules *both[2] = {&cpu, &gpu};
    double stress[2][3][RILL_MEMBRANE_STRESS];
    for (int round = 0; round < 2; round++) {
        ASSERT_OK(rill_sim_step(gpu.sim, 7));
        ASSERT_OK(rill_sim_step(cpu.sim, 7)); /* as many: a state says how many there were */
        take_over(&cpu, &gpu);
        for (int k = 0; k < 2; k++) {
            const rill_launch launch = rill_sim_launch(both[k]->sim);
            ASSERT_OK(both[k]->sim->passes.before(both[k]->membranes, &launch));
        }
        cr_expect_gt(same_membranes(&cpu, &gpu, "before a step"), 500);
        same_populations(&cpu, &gpu, "before a step");
        for (int k = 0; k < 2; k++) {
            const rill_launch launch = rill_sim_launch(both[k]->sim);
            ASSERT_OK(both[k]->sim->passes.after(both[k]->membranes, &launch));
            ASSERT_OK(rill_membranes_stresses(both[k]->membranes, stress[k]));
        }
        same_populations(&cpu, &gpu, "after a step");
        expect_same(stress[0], stress[1], sizeof stress[0], "stresses", "after a step");
        cr_expect_gt(fabs(stress[0][0][4]), 1e-6);
    }
    end(&cpu);
    end(&gpu);
}

Test(membrane_gpu, passes_have_the_same_bits, .timeout = 600)
{
    static const rill_stream streams[] = {RILL_PULL, RILL_AA, RILL_ESOTWIST, RILL_ESOPULL};
    for (int k = 0; k < 4; k++) compare(RILL_BITMAP, streams[k], RILL_FP64, 2 + k % 3);
    for (int storage = 0; storage < RILL_STORAGE_COUNT; storage++)
        if (storage != RILL_FP64) compare(RILL_LIST, RILL_ESOPULL, (rill_storage)storage, 2);
}

/* The same bits in each run, and on processors the same motion: storage decides by how much it differs. */
Test(membrane_gpu, runs_are_the_same, .timeout = 600)
{
    for (int k = 0; k < 2; k++) {
        const rill_storage storage = k ? RILL_FP32 : RILL_FP64;
        capsules cpu = begin(RILL_BACKEND_CPU, RILL_LIST, RILL_ESOPULL, storage, 2);
        capsules gpu[2];
        double off = 0, moved = 0;
        ASSERT_OK(rill_sim_step(cpu.sim, 200));
        for (int run = 0; run < 2; run++) {
            omp_set_num_threads(1 + 3 * run);
            gpu[run] = begin(other_backend(), RILL_BITMAP, RILL_ESOPULL, storage, 2);
            ASSERT_OK(rill_sim_step(gpu[run].sim, 200));
            ASSERT_OK(rill_membranes_fetch(gpu[run].membranes));
        }
        expect_same(gpu[0].membranes->x, gpu[1].membranes->x, cpu.vertices * sizeof *cpu.membranes->x,
                    "positions", "two runs");
        same_populations(&gpu[0], &gpu[1], "two runs");
        for (uint64_t v = 0; v < cpu.vertices; v++)
            for (int a = 0; a < 3; a++) {
                const double start =
                    centres[v / cpu.mesh.vertex_count][a] + cpu.mesh.vertices[v % cpu.mesh.vertex_count][a];
                off = fmax(off, fabs(cpu.membranes->x[v][a] - gpu[0].membranes->x[v][a]));
                if (v / cpu.mesh.vertex_count < 2) moved = fmax(moved, fabs(cpu.membranes->x[v][a] - start));
            }
        cr_expect_gt(moved, 0.1, "%g", moved);
        cr_expect_lt(off, k ? 1e-3 : 1e-10, "storage %d: %g", (int)storage, off);
        end(&cpu);
        end(&gpu[0]);
        end(&gpu[1]);
    }
}

/* Velocities of nodes with half the force. */
Test(membrane_gpu, moments)
{
    capsules cpu = begin(RILL_BACKEND_CPU, RILL_LIST, RILL_ESOPULL, RILL_FP64, 2),
             gpu = begin(other_backend(), RILL_BITMAP, RILL_ESOPULL, RILL_FP64, 2);
    const rill_node nodes = (rill_node)cpu.nodes;
    double *rho = malloc(nodes * sizeof *rho), *u[2], largest = 0;
    for (int k = 0; k < 2; k++) {
        capsules *c = k ? &gpu : &cpu;
        u[k] = malloc(3 * cpu.nodes * sizeof *u[k]);
        ASSERT_OK(rill_sim_step(c->sim, 20));
        ASSERT_OK(rill_membranes_moments(c->membranes, 0, nodes, rho, u[k]));
    }
    for (uint64_t n = 0; n < 3 * cpu.nodes; n++) {
        largest = fmax(largest, fabs(u[0][n]));
        cr_expect_float_eq(u[0][n], u[1][n], 1e-12);
    }
    cr_expect_gt(largest, 1e-4);
    for (int k = 0; k < 2; k++) free(u[k]);
    free(rho);
    end(&cpu);
    end(&gpu);
}

/* A vertex that is nowhere, or whose force is beyond what sums hold, ends the run. */
Test(membrane_gpu, divergence_ends_a_run)
{
    for (int k = 0; k < 3; k++) {
        capsules c = begin(other_backend(), RILL_BITMAP, RILL_ESOPULL, RILL_FP64, 2);
        ASSERT_OK(rill_sim_step(c.sim, 2));
        ASSERT_OK(rill_membranes_fetch(c.membranes));
        c.membranes->x[5][1] = (double[]){NAN, 1e5, -1e9}[k];
        ASSERT_OK(rill_membranes_give(c.membranes));
        cr_expect_eq(rill_sim_step(c.sim, 1), RILL_NUMERICS);
        expect_message("a membrane diverged in step 2");
        end(&c);
    }
}

/* Take the first membrane away, and let the last one stand where it was. */
static rill_status one_leaves(void *owner, rill_membranes *m)
{
    (void)owner;
    if (rill_sim_steps(m->sim) != 3) return RILL_OK;
    rill_status status = rill_membranes_fetch(m);
    rill_membranes_remove(m, 0);
    for (uint32_t v = 0; v < m->elastic.vertex_count; v++) m->x[m->elastic.vertex_count + v][0] -= 9.25;
    if (status == RILL_OK) status = rill_membranes_give(m);
    return status;
}

Test(membrane_gpu, membranes_come_and_go)
{
    capsules all[2];
    double off = 0;
    for (int k = 0; k < 2; k++) {
        capsules *c = &all[k];
        *c = begin(k ? other_backend() : RILL_BACKEND_CPU, k ? RILL_BITMAP : RILL_LIST, RILL_ESOPULL,
                   RILL_FP64, 2);
        c->membranes->turnover = one_leaves;
        ASSERT_OK(rill_sim_step(c->sim, 40));
        ASSERT_OK(rill_membranes_fetch(c->membranes));
        cr_expect_eq(c->membranes->count, 2);
    }
    for (uint64_t v = 0; v < 2 * (uint64_t)all[0].mesh.vertex_count; v++)
        for (int a = 0; a < 3; a++)
            off = fmax(off, fabs(all[0].membranes->x[v][a] - all[1].membranes->x[v][a]));
    cr_expect_lt(off, 1e-10, "%g", off);
    cr_expect_float_eq(all[1].membranes->x[0][0], centres[1][0] + all[1].mesh.vertices[0][0], 1);
    cr_expect_lt(all[1].membranes->x[all[1].mesh.vertex_count][0], 10);
    for (int k = 0; k < 2; k++) end(&all[k]);
}

/* A run with files of its own: the same deformation. */
Test(membrane_gpu, capsule_in_shear, .timeout = 600)
{
    rill_capsule_outcome out[2];
    for (int k = 0; k < 2; k++) {
        const rill_capsule_case c = {.shape = RILL_CAPSULE_SPHERE,
                                     .n = {20, 18, 20},
                                     .radius = 4,
                                     .level = 2,
                                     .law = RILL_SKALAK,
                                     .dilatation = 1,
                                     .capillary = 0.3,
                                     .reynolds = 0.2,
                                     .bending = 0.01,
                                     .volume = 1,
                                     .tau = 1,
                                     .strain = 0.5,
                                     .width = 2,
                                     .stream = RILL_ESOPULL,
                                     .storage = RILL_FP32,
                                     .backend = k ? other_backend() : RILL_BACKEND_CPU};
        ASSERT_OK(rill_capsule_run(&c, &out[k]));
    }
    cr_expect_gt(out[0].last.deformation, 0.1);
    cr_expect_float_eq(out[0].last.deformation, out[1].last.deformation, 1e-4);
    cr_expect_float_eq(out[0].last.stress, out[1].last.stress, 1e-3);
}
