/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A flow on as many nodes as requested: whether numbers of nodes, slots and bytes are right beyond 2^31
 * and 2^32. Plates 16 nodes apart, normal to z, so that the flow is steady soon and its profile is exact; the
 * box has no edge that is a power of two, so that a number short of 2^32 would lie at another height. Sums
 * over all nodes are compared with those of the profile, and runs of nodes at both ends and in the middle one
 * by one. No field is read as a whole.
 */
#include "device/device.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/status.h"
#include "domain/domain.h"
#include "sim/sim.h"
#include "verify/case_channels.h"
#include "verify/groups.h"
#include "verify/steady.h"

#include <math.h>
#include <string.h>

enum { GAP = 16, BLOCK = 30 /* of voxels of an edge */ };
/* Largest speed, and relaxation time: the faster momentum settles, the less it is rounded. */
static const double SPEED = 0.02, TAU = 4;
/* What is left of the start from rest, relative. */
static const double LEFT = 1e-8;

/* A stack of channels. */
typedef struct stack {
    uint32_t edge, channels;
    double nu, force, magic;
} stack;

static uint64_t nodes_of(const stack *s) { return (uint64_t)s->edge * s->edge * GAP * s->channels; }

static uint64_t voxels_of(const stack *s) { return (uint64_t)s->edge * s->edge * (GAP + 1) * s->channels; }

/* Return a stack of at least so many nodes, about as high as it is wide. */
static stack stack_of(uint64_t nodes)
{
    stack s = {.edge = BLOCK * (uint32_t)ceil(cbrt((double)nodes) / BLOCK)};
    const uint64_t channel = (uint64_t)s.edge * s.edge * GAP;
    s.channels = (uint32_t)((nodes + channel - 1) / channel);
    return s;
}

/* Return the speed at a height of a channel, in nodes from its lowest: see rill_verify_plates_exact(). */
static double speed_at(const stack *s, uint32_t height)
{
    const double y = height + 0.5;
    return s->force / s->nu * (y * (GAP - y) / 2 + (16 * s->magic / 3 - 1) / 8);
}

static rill_status stack_create(const stack *s, rill_geom **out)
{
    const uint32_t n[3] = {s->edge, s->edge, (GAP + 1) * s->channels};
    const rill_status status = rill_geom_create(n, out);
    const size_t plane = (size_t)n[0] * n[1];
    if (status != RILL_OK) return status;
    uint8_t *voxels = (*out)->voxels;
#pragma omp parallel for schedule(static)
    for (uint32_t z = 0; z < n[2]; z++) /* the plate comes last */
        memset(voxels + z * plane, z % (GAP + 1) < GAP ? RILL_FLUID : RILL_SOLID, plane);
    return RILL_OK;
}

/* Compare the nodes first … first + count - 1 one by one. @param[in,out] worst  deviation, of the largest
 * speed */
static rill_status run_compare(rill_sim *sim, const stack *s, rill_node first, rill_node count, double *worst)
{
    rill_status status = RILL_OK;
    double *u = NULL;
    const uint64_t plane = (uint64_t)s->edge * s->edge;
    const double largest = speed_at(s, GAP / 2);
    RILL_TRY(rill_array_create(3 * (uint64_t)count, sizeof *u, "velocities", (void **)&u));
    RILL_TRY(rill_sim_moments(sim, first, count, NULL, u));
    for (uint64_t k = 0; k < count; k++) {
        const double expected = speed_at(s, (uint32_t)((first + k) / plane % GAP));
        double off = fabs(u[k] - expected);
        off = fmax(off, fmax(fabs(u[count + k]), fabs(u[2 * (uint64_t)count + k])));
        *worst = isfinite(off) ? fmax(*worst, off / largest) : INFINITY;
    }
done:
    rill_array_destroy(u);
    return status;
}

/*
 * Compare whole columns in the first, the middle and the last channel, from plate to plate: a few rows of
 * nodes of each plane, at its beginning, in its middle and at its end.
 */
static rill_status columns_compare(rill_sim *sim, const stack *s, double *worst)
{
    rill_status status = RILL_OK;
    const uint64_t plane = (uint64_t)s->edge * s->edge;
    const uint32_t channels[] = {0, s->channels / 2, s->channels - 1};
    *worst = 0;
    for (size_t c = 0; c < sizeof channels / sizeof *channels; c++)
        for (uint64_t z = 0; z < GAP; z++)
            for (uint64_t part = 0; part < 3; part++) {
                const uint64_t first =
                    (channels[c] * (uint64_t)GAP + z) * plane + part * (plane - s->edge) / 2;
                RILL_TRY(run_compare(sim, s, (rill_node)first, s->edge, worst));
            }
done:
    return status;
}

/* Refuse before anything is taken: what the backend is to hold, and voxels, numbers of nodes and of ghosts
 * here. */
static rill_status memory_check(const stack *s, const rill_verify_setup *setup, rill_device *device)
{
    rill_status status = RILL_OK;
    const double fluid = GAP / (GAP + 1.0);
    const rill_bytes bytes = rill_variant_bytes(setup->variant, fluid);
    const uint64_t there = (uint64_t)((bytes.populations + bytes.index) * (double)nodes_of(s)),
                   here = (uint64_t)(1.4 * (double)voxels_of(s));
    if (!device->backend->host)
        RILL_TRY(rill_device_require(device, there, "the populations and index lists"));
    RILL_TRY(rill_memory_require(here + (device->backend->host ? there : 0), "the flow between plates"));
done:
    return status;
}

/* Compare sums over all nodes with those of the profile. */
static void totals_compare(const stack *s, const rill_totals *totals, rill_verify_values *values)
{
    const double nodes = (double)nodes_of(s), largest = speed_at(s, GAP / 2);
    double square = 0;
    for (uint32_t y = 0; y < GAP; y++) square += speed_at(s, y) * speed_at(s, y) / GAP;
    values->found[0] = nodes;
    values->found[5] = totals->not_finite ? NAN : fabs(totals->mass + totals->resting) / nodes;
    values->found[9] = totals->density_max;
    values->found[10] = totals->speed_max / largest;
    values->found[6] = totals->momentum[0] / nodes * s->nu / s->force;
    values->expected[6] = rill_verify_plates_exact(GAP, s->magic);
    values->found[7] = 2 * totals->kinetic / nodes / (s->force * s->force) * (s->nu * s->nu);
    values->expected[7] = square / (s->force * s->force) * (s->nu * s->nu);
}

static rill_status plates_run(const rill_verify_case *of, const rill_verify_setup *setup,
                              rill_verify_values *values)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    rill_totals totals;
    const uint64_t few = setup->full ? UINT64_C(300000000) : UINT64_C(300000);
    rill_sim_options options = rill_verify_options(setup, rill_verify_magic_tau(setup, TAU));
    stack s = stack_of(setup->nodes ? setup->nodes : few);
    (void)of;
    s.nu = (options.tau - 0.5) / 3;
    s.magic = rill_verify_magic(&options);
    s.force = options.force[0] = 8 * SPEED * s.nu / (GAP * GAP);
    /* The slowest mode, half a wave across the channel, is left: a tenth more, because time is discrete. */
    const uint64_t steps = 2 * (uint64_t)ceil(0.55 * -log(LEFT) * GAP * GAP / (s.nu * M_PI * M_PI));
    RILL_TRY(memory_check(&s, setup, setup->on.device));
    RILL_TRY(stack_create(&s, &geom));
    double start = rill_now();
    RILL_TRY(rill_domain_create(geom, &(rill_domain_options){setup->variant.lattice, 0}, &domain));
    const double numbering = rill_now() - start;
    RILL_TRY(rill_sim_create(domain, &options, &sim));
    values->found[1] = (double)rill_sim_held(sim, NULL);
    values->found[2] = (double)(rill_geom_voxels(geom) + rill_numbering_bytes(geom));
    values->found[3] = numbering + rill_sim_seconds_linking(sim);
    start = rill_now();
    RILL_TRY(rill_sim_step(sim, steps));
    values->found[4] = (double)nodes_of(&s) * (double)steps / (rill_now() - start) * 1e-9;
    RILL_TRY(rill_sim_totals(sim, &totals));
    totals_compare(&s, &totals, values);
    RILL_TRY(columns_compare(sim, &s, &values->found[8]));
    const double rounding = rill_verify_rounding(setup->variant.storage, SPEED, s.force);
    values->rounding[6] = values->rounding[8] = values->rounding[10] = rounding;
    values->rounding[7] = 2 * rounding;
done:
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
    return status;
}

static const char *sizes_unfit(const rill_verify_case *of, const rill_verify_setup *setup)
{
    (void)of;
    if (setup->variant.lattice == RILL_D2Q9) return "its plates are normal to z, which d2q9 has not";
    const rill_collision c = setup->variant.collision;
    return c == RILL_TRT || c == RILL_SRT
               ? NULL
               : "the exact wall position of half-way bounce-back is known for trt and srt";
}

static const char GINZBURG[] = "Ginzburg & d'Humieres 2003, doi:10.1103/PhysRevE.68.066614";

#define SHOWN(what_, unit_)                                                                                  \
    {                                                                                                        \
        what_, unit_, RILL_VERIFY_AT_MOST, 0, {INFINITY, INFINITY, INFINITY}, "shown, not judged"            \
    }

static const rill_verify_case cases[] = {
    {.name = "sizes/plates",
     .what = "plates 16 nodes apart, --nodes in all",
     RILL_VERIFY_LIST(
         SHOWN("nodes", ""), SHOWN("held on the backend", "B"), SHOWN("voxels and numbers, host", "B"),
         SHOWN("numbering and links", "s"), SHOWN("speed", "GLUPS"),
         {"|mean of rho - 1|", "lu", RILL_VERIFY_AT_MOST, 0, {1e-13, 5e-7, 1e-3}, "mass is kept"},
         {"nu u/F, all nodes", "lu", RILL_VERIFY_RELATIVE, 0, {1e-6, 1e-5, 1e-3}, GINZBURG},
         {"(nu u/F)^2, all nodes", "lu", RILL_VERIFY_RELATIVE, 0, {1e-6, 2e-5, 2e-3}, GINZBURG},
         {"worst of 9 columns of rows",
          "",
          RILL_VERIFY_AT_MOST,
          0,
          {1e-6, 1e-5, 1e-3},
          "parabola of largest speed 1"},
         {"largest |rho - 1|", "lu", RILL_VERIFY_AT_MOST, 0, {1e-12, 5e-6, 1e-3}, "no pressure drop"},
         {"largest speed over exact", "", RILL_VERIFY_RELATIVE, 1, {1e-6, 1e-5, 1e-3}, GINZBURG}),
     .unfit = sizes_unfit,
     .run = plates_run},
};

const rill_verify_group rill_verify_sizes = {cases, sizeof cases / sizeof *cases};
