/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of populations: what they refuse, where they are, and how kernels see them. */
#include "sim/set.h"
#include "sim/carrier.h"

#include "core/clock.h"
#include "core/memory.h"
#include "core/progress.h"
#include "kernel/storage/address.h"
#include "kernel/lattice.h"
#include "kernel/storage/storage.h"
#include "kernel/storage/counters.h"
#include "kernel/variant.h"
#include "sim/macroscopic.h"
#include "sim/sim_priv.h"

#include <math.h>
#include <string.h>

static rill_status law_check(const rill_carreau_yasuda *law)
{
    const struct {
        const char *name;
        double value;
        bool zero; /* is allowed */
    } numbers[] = {
        {"nu_0", law->nu_0, false}, {"nu_inf", law->nu_inf, true}, {"lambda", law->lambda, false},
        {"n", law->n, false},       {"a", law->a, false},
    };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (!(numbers[k].value > 0 || (numbers[k].zero && numbers[k].value == 0)) ||
            !isfinite(numbers[k].value))
            return rill_fail(
                RILL_USAGE,
                "carreau-yasuda: %s = %g is not %s: give nu_0, lambda, n and a above 0 and nu_inf from 0 on, in lattice units, or choose newtonian",
                numbers[k].name, numbers[k].value, numbers[k].zero ? "0 or above" : "above 0");
    if (law->nu_0 < law->nu_inf && law->n > 1)
        return rill_fail(
            RILL_USAGE,
            "carreau-yasuda: with nu_0 = %g below nu_inf = %g and n = %g above 1 the viscosity falls below 0: exchange the two or choose n up to 1",
            law->nu_0, law->nu_inf, law->n);
    return RILL_OK;
}

static rill_status casson_check(const rill_casson *law)
{
    if (!(law->nu_inf > 0 && law->yield >= 0 && law->nu_max >= law->nu_inf) || !isfinite(law->yield) ||
        !isfinite(law->nu_max))
        return rill_fail(
            RILL_USAGE,
            "casson: nu_inf = %g, yield = %g, nu_max = %g: give nu_inf above 0, yield from 0 on and nu_max from nu_inf on, in lattice units, or choose newtonian",
            law->nu_inf, law->yield, law->nu_max);
    return RILL_OK;
}

/* Refuse a velocity that makes populations of a scalar negative at equilibrium, or leads through a mirror. */
static rill_status carried_check(const rill_sim_options *options, const rill_domain *domain)
{
    const bool diagonal = options->variant.lattice != RILL_D3Q7; /* a link along two axes adds up both */
    const double most = (diagonal ? 0.5 : 1.0) / rill_inverse_cs2((int)options->variant.lattice);
    if (diagonal && domain->swap_count)
        return rill_fail(
            RILL_USAGE,
            "a scalar on %s does not go with mirrored boundaries, which reflect its diagonal links: choose d3q7",
            rill_lattice_names[options->variant.lattice]);
    for (int a = 0; a < 3; a++) {
        if (!(fabs(options->velocity[a]) <= most))
            return rill_fail(
                RILL_USAGE,
                "velocity %c = %g of a scalar is not between -%g and %g, where equilibria of %s are positive: shorten the time step",
                rill_axis(a), options->velocity[a], most, most, rill_lattice_names[options->variant.lattice]);
        if (options->velocity[a] != 0 && domain->geom->sides[a] == RILL_MIRROR)
            return rill_fail(
                RILL_USAGE,
                "velocity %c = %g of a scalar leads through a mirrored boundary: set it to 0, or make the boundary periodic",
                rill_axis(a), options->velocity[a]);
        if (options->force[a] != 0)
            return rill_fail(RILL_USAGE,
                             "force %c = %g: a scalar has a velocity instead of a force: set it to 0",
                             rill_axis(a), options->force[a]);
    }
    return RILL_OK;
}

/* D3Q7 has the first velocities of all other lattices in three dimensions. */
static bool has_links_of(const rill_domain *domain, rill_lattice lattice)
{
    return lattice == domain->lattice || (lattice == RILL_D3Q7 && rill_dimensions((int)domain->lattice) == 3);
}

bool rill_set_reflects(const rill_set *set) { return set->options.variant.lattice != RILL_D3Q7; }

rill_status rill_set_check(const rill_sim_options *options, const rill_domain *domain)
{
    const rill_variant v = options->variant;
    rill_status status = RILL_OK;
    RILL_TRY(rill_variant_check(v));
    if (!has_links_of(domain, v.lattice))
        return rill_fail(
            RILL_USAGE, "the domain was built for another lattice than the variant's: build it for the same");
    if (v.rheology == RILL_CARREAU_YASUDA) RILL_TRY(law_check(&options->carreau_yasuda));
    if (v.rheology == RILL_CASSON) RILL_TRY(casson_check(&options->casson));
    if (v.rheology == RILL_NEWTONIAN && (!(options->tau > 0.5) || !isfinite(options->tau)))
        return rill_fail(RILL_USAGE,
                         "tau = %g is not above 0.5: raise the viscosity, shorten the time step or refine",
                         options->tau);
    if (v.collision != RILL_SRT && (!(options->magic > 0) || !isfinite(options->magic)))
        return rill_fail(RILL_USAGE,
                         "magic = %g is not above 0: 3/16 puts a wall in the middle between nodes",
                         options->magic);
    if (!(options->third > 0) || !isfinite(options->third))
        return rill_fail(RILL_USAGE, "third = %g is not above 0: 0.001 is the limit of third moments",
                         options->third);
    RILL_TRY(rill_macroscopic_check(options));
    if (rill_variant_scalar(v)) RILL_TRY(carried_check(options, domain));
    for (int a = 0; a < 3; a++)
        if (!isfinite(options->force[a]))
            return rill_fail(RILL_USAGE, "force %c = %g is not a finite number", rill_axis(a),
                             options->force[a]);
    if (rill_dimensions(v.lattice) == 2 && options->force[2] != 0)
        return rill_fail(
            RILL_USAGE,
            "force z = %g, but lattice %s has no velocities along z: set it to 0, or choose d3q19",
            options->force[2], rill_lattice_names[v.lattice]);
    if (v.lattice == RILL_D3Q7) goto done;
    if (domain->swap_count && v.bounce == RILL_FULL_WAY)
        return rill_fail(
            RILL_USAGE,
            "mirrored boundaries exchange populations at walls, which full-way bounce-back keeps in ghosts: choose half-way, or mirror the geometry itself");
    bool reversed = false;
    for (size_t k = 0; k < domain->swap_count && !reversed; k++) reversed = domain->swaps[k].sign < 0;
    if (reversed && v.equilibrium != RILL_STOKES)
        return rill_fail(
            RILL_USAGE,
            "mirrored boundaries normal to the flow need the stokes equilibrium, because a mirrored flow runs backwards: choose it, or mirror the geometry itself");
done:
    return status;
}

uint64_t rill_sim_population_bytes(rill_variant variant, size_t stride)
{
    return ((uint64_t)rill_stream_rows((int)variant.lattice, (int)variant.stream) * stride +
            RILL_SEGMENT_BLOCK) *
           rill_storage_size((int)variant.storage);
}

/*
 * Rates that the viscosity does not set are those of the operators' authors: d'Humières et al. (2002),
 * doi:10.1098/rsta.2001.0955, for the even moments of MRT, 1 for the bulk viscosity of central moments
 * (Geier, Greiner, Korvink 2006) and cumulants (Geier et al. 2015). The flux of a scalar is odd, the stress
 * of a flow even.
 */
static void rates_set(rill_launch *launch, const rill_sim_options *o)
{
    const rill_collision collision = o->variant.collision;
    const bool magic = collision != RILL_SRT;
    launch->rate_even = 1.0 / o->tau;
    launch->rate_odd = magic ? 1.0 / (0.5 + o->magic / (o->tau - 0.5)) : launch->rate_even;
    if (rill_variant_scalar(o->variant)) {
        const double flux = launch->rate_even;
        launch->rate_even = launch->rate_odd;
        launch->rate_odd = flux;
    }
    launch->rate_bulk = collision == RILL_MRT ? 1.19 : 1;
    launch->rate_ghost = collision == RILL_MRT ? 1.4 : 1;
    launch->third = o->third * o->third;
}

/* Return where node 0 is after a step. */
static size_t ring_next(const rill_set *set)
{
    return (set->ring + set->arrays.stride - set->links->size.shift) % set->arrays.stride;
}

rill_node rill_set_end(const rill_sim *sim, const rill_set *set)
{
    return set->options.variant.addressing == RILL_DENSE ? set->arrays.nodes : rill_domain_end(sim->domain);
}

rill_launch rill_set_launch(const rill_sim *sim, const rill_set *set)
{
    const bool two = set->populations[1] != NULL;
    const size_t now = two ? sim->steps & 1 : 0;
    const rill_sim_options *o = &set->options;
    rill_launch launch = {
        .kernels = set->kernels,
        .queue = sim->device->queue,
        .joined = sim->joined,
        .variant = o->variant,
        .parity = rill_stream_parities(o->variant.stream) == 2 ? (int)(sim->steps & 1) : 0,
        .from = set->arrays,
        .to = set->arrays,
        .first = sim->domain->first,
        .end = rill_set_end(sim, set),
        .magic = o->magic,
        .source = o->source,
        .carreau_yasuda = o->carreau_yasuda,
        .casson = o->casson,
    };
    launch.from.populations = set->populations[now];
    launch.to.populations = set->populations[two ? 1 - now : 0];
    launch.from.ring = set->ring;
    launch.to.ring = ring_next(set);
    rates_set(&launch, o);
    launch.relaxation = set->relaxation;
    if (sim->steps == sim->given) launch.relaxation.memory = 0;
    memcpy(launch.force, o->force, sizeof launch.force);
    memcpy(launch.velocity, o->velocity, sizeof launch.velocity);
    return launch;
}

/* Give mirrored links to the backend, by the numbers and in the form that kernels use. */
static rill_status swaps_share(rill_sim *sim, rill_set *set)
{
    rill_status status = RILL_OK;
    const rill_domain *domain = sim->domain;
    const rill_variant variant = set->options.variant;
    const rill_swap *swaps = domain->swaps;
    set->swap_count = domain->swap_count;
    if (rill_stream_macroscopic((int)variant.stream)) {
        RILL_TRY(rill_macroscopic_swaps(domain, &set->own_swaps, &set->swap_count));
    } else if (variant.addressing == RILL_DENSE) {
        RILL_TRY(rill_array_create(domain->swap_count * sizeof(rill_swap), 1, "mirrored links",
                                   (void **)&set->own_swaps));
        for (size_t k = 0; k < domain->swap_count; k++) {
            set->own_swaps[k] = domain->swaps[k];
            for (int e = 0; e < 2; e++)
                set->own_swaps[k].node[e] = rill_sim_number(sim, domain->swaps[k].node[e]);
        }
    }
    if (set->own_swaps) swaps = set->own_swaps;
    sim->room.what = "mirrored links";
    rill_room_share(&sim->room, swaps, set->swap_count * sizeof *swaps, &set->swaps);
    status = sim->room.status;
done:
    return status;
}

/* Processors read whole vectors, up to a block behind the last value. A GPU does not, and has exactly what it
 * may touch, so that compute-sanitizer finds what goes beyond. */
static uint64_t array_bytes(rill_variant variant, size_t stride, const rill_backend *backend)
{
    const uint64_t bytes = rill_sim_population_bytes(variant, stride);
    return backend->traits.processor
               ? bytes
               : bytes - RILL_SEGMENT_BLOCK * (uint64_t)rill_storage_size((int)variant.storage);
}

/* Take the arrays of a set, without its links. */
static void arrays_take(rill_set *set, const rill_links_size *size, rill_room *room)
{
    const rill_variant variant = set->options.variant;
    const uint64_t bytes = array_bytes(variant, size->stride, room->backend);
    for (int k = 0; k < (rill_stream_two_arrays(variant.stream) ? 2 : 1); k++)
        rill_room_alloc(room, bytes, &set->populations[k]);
    if (rill_stream_ring(variant.stream))
        rill_room_alloc(room, rill_counters_bytes(size->nodes, size->reach), (void **)&set->arrays.counters);
}

void rill_set_count(rill_variant variant, const rill_links_size *size, rill_room *room)
{
    rill_set set = {.options.variant = variant};
    for (int k = 0; k < size->part_count; k++) rill_room_add(room, size->parts[k].bytes);
    arrays_take(&set, size, room);
}

static rill_status allocate(rill_sim *sim, rill_set *set)
{
    rill_status status = RILL_OK;
    rill_device *device = sim->device;
    const double start = rill_now();
    RILL_TRY(rill_links_share(sim->domain, set->options.variant, device, &set->links));
    const rill_links_size size = set->links->size;
    const uint64_t missing = rill_links_missing(set->links);
    rill_room all = {.backend = device->backend};
    rill_set_count(set->options.variant, &size, &all);
    set->links_made = !set->links->device;
    RILL_TRY(rill_device_require(device, all.held - size.bytes + missing, "the populations and index lists"));
    RILL_TRY(rill_links_make(set->links, device));
    sim->room.held += missing;
    set->arrays = set->links->arrays;
    sim->seconds_linking += rill_now() - start;
    arrays_take(set, &size, &sim->room);
    RILL_TRY(sim->room.status);
    if (sim->domain->swap_count && rill_set_reflects(set)) RILL_TRY(swaps_share(sim, set));
done:
    return status;
}

/*
 * Set everything to rest. Populations that stay in ghosts for a step are those of the other kind of step, and
 * slots that no step has written must read as rest, too, when weights are stored.
 */
static rill_status rest(const rill_sim *sim, const rill_set *set)
{
    enum { nodes_set = 1 << 22 }; /* before it is asked whether to go on */
    rill_status status = RILL_OK;
    rill_launch launch = rill_set_launch(sim, set);
    for (int parity = set->options.variant.bounce == RILL_FULL_WAY; parity >= 0; parity--) {
        launch.parity = parity;
        for (uint64_t first = 0; first < set->arrays.nodes; first += nodes_set) {
            const uint64_t left = set->arrays.nodes - first;
            set->kernels->set(&launch, (rill_node)first, (rill_node)(left < nodes_set ? left : nodes_set),
                              NULL);
            RILL_TRY(rill_progress_poll());
        }
    }
    RILL_TRY(rill_device_wait(sim->device));
done:
    return status;
}

rill_status rill_set_create(rill_sim *sim, rill_set *set)
{
    rill_status status = RILL_OK;
    set->relaxation = (rill_relaxation){1, 1, 0};
    RILL_TRY(rill_device_kernels(sim->device, set->options.variant, &set->kernels));
    RILL_TRY(allocate(sim, set));
    RILL_TRY(rest(sim, set));
done:
    return status;
}

void rill_set_destroy(rill_set *set, rill_device *device)
{
    for (int k = 0; k < 2 && device; k++) rill_device_free(device, set->populations[k]);
    if (device) {
        rill_device_release(device, set->swaps);
        rill_device_free(device, set->arrays.counters);
    }
    rill_links_destroy(set->links);
    rill_array_destroy(set->own_swaps);
}

/* Of all nodes at once, or, in a ring buffer whose kernels do not wait themselves, of chunk after chunk, so
 * that none is overwritten early. */
void rill_set_step(const rill_sim *sim, const rill_set *set, void *queue, rill_node from, rill_node end,
                   rill_wall_weights walls)
{
    rill_launch launch = rill_set_launch(sim, set);
    launch.queue = queue;
    launch.walls = walls;
    launch.carrier = rill_carrier_of(sim, set, from, end);
    const uint64_t chunk = sim->device->backend->traits.one_launch ? end : set->links->size.chunk;
    for (uint64_t first = from; first < end; first += chunk) {
        launch.first = (rill_node)first;
        launch.end = (rill_node)(end - first < chunk ? end : first + chunk);
        set->kernels->step(&launch);
    }
}

void rill_set_advance(rill_set *set)
{
    set->ring = ring_next(set);
    set->arrays.steps_before++;
}

void rill_set_swap(const rill_sim *sim, const rill_set *set)
{
    const rill_launch launch = rill_set_launch(sim, set);
    if (set->swaps) set->kernels->swap(&launch, set->swaps, set->swap_count);
    if (rill_stream_ring(set->options.variant.stream)) set->kernels->wrap(&launch);
}

uint64_t rill_set_words(const rill_set *set)
{
    const rill_variant v = set->options.variant;
    return (uint64_t)rill_stream_rows((int)v.lattice, (int)v.stream) * (v.bounce == RILL_FULL_WAY ? 2 : 1);
}
