/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulation: populations on a backend, the time loop, and what is read between steps. Written once for
 * all devices; what depends on one is behind device/device.h.
 */
#include "sim/macroscopic.h"
#include "sim/several.h"
#include "sim/sim_priv.h"

#include "core/clock.h"
#include "core/memory.h"
#include "core/progress.h"
#include "kernel/lattice.h"
#include "kernel/address.h"
#include "kernel/storage.h"
#include "kernel/turn.h"
#include "kernel/variant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

rill_sim_options rill_sim_options_default(void)
{
    return (rill_sim_options){
        .variant = rill_variant_default(), .backend = RILL_BACKEND_AUTO, .tau = 1.0, .magic = 3.0 / 16.0};
}

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
                "carreau-yasuda: %s = %g is not %s: give nu_0, lambda, n and a above 0 and nu_inf "
                "from 0 on, in lattice units, or choose newtonian",
                numbers[k].name, numbers[k].value, numbers[k].zero ? "0 or above" : "above 0");
    if (law->nu_0 < law->nu_inf && law->n > 1)
        return rill_fail(
            RILL_USAGE,
            "carreau-yasuda: with nu_0 = %g below nu_inf = %g and n = %g above 1 the viscosity falls "
            "below 0: exchange the two or choose n up to 1",
            law->nu_0, law->nu_inf, law->n);
    return RILL_OK;
}

static rill_status casson_check(const rill_casson *law)
{
    if (!(law->nu_inf > 0 && law->yield >= 0 && law->nu_max >= law->nu_inf) || !isfinite(law->yield) ||
        !isfinite(law->nu_max))
        return rill_fail(
            RILL_USAGE,
            "casson: nu_inf = %g, yield = %g, nu_max = %g: give nu_inf above 0, yield from 0 on and nu_max "
            "from nu_inf on, in lattice units, or choose newtonian",
            law->nu_inf, law->yield, law->nu_max);
    return RILL_OK;
}

rill_node rill_sim_number(const rill_sim *sim, rill_node node)
{
    rill_node number = sim->domain->first + node;
    if (sim->options.variant.addressing == RILL_DENSE)
        rill_numbering_cells(&sim->domain->numbering, node, 1, &number);
    return number;
}

static rill_status options_check(const rill_sim_options *options, const rill_domain *domain)
{
    const rill_variant v = options->variant;
    rill_status status = RILL_OK;
    RILL_TRY(rill_variant_check(v));
    if (v.lattice != domain->lattice)
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
    RILL_TRY(rill_macroscopic_check(options));
    for (int a = 0; a < 3; a++)
        if (!isfinite(options->force[a]))
            return rill_fail(RILL_USAGE, "force %c = %g is not a finite number", rill_axis(a),
                             options->force[a]);
    if (rill_dimensions(v.lattice) == 2 && options->force[2] != 0)
        return rill_fail(RILL_USAGE,
                         "force z = %g, but lattice %s has no velocities along z: set it to 0, or "
                         "choose d3q19",
                         options->force[2], rill_lattice_names[v.lattice]);
    if (domain->swap_count && v.bounce == RILL_FULL_WAY)
        return rill_fail(RILL_USAGE,
                         "mirrored boundaries exchange populations at walls, which full-way bounce-back "
                         "keeps in ghosts: choose half-way, or mirror the geometry itself");
    bool reversed = false;
    for (size_t k = 0; k < domain->swap_count && !reversed; k++) reversed = domain->swaps[k].sign < 0;
    if (reversed && v.equilibrium != RILL_STOKES)
        return rill_fail(
            RILL_USAGE,
            "mirrored boundaries normal to the flow need the stokes equilibrium, because a mirrored "
            "flow runs backwards: choose it, or mirror the geometry itself");
done:
    return status;
}

uint64_t rill_sim_population_bytes(rill_variant variant, size_t stride)
{
    return ((uint64_t)rill_stream_rows((int)variant.lattice, (int)variant.stream) * stride +
            RILL_SEGMENT_BLOCK) *
           rill_storage_size((int)variant.storage);
}

static uint64_t chunks_of(uint64_t nodes) { return (nodes + RILL_CHUNK - 1) / RILL_CHUNK; }

uint64_t rill_sim_partial_bytes(uint64_t nodes) { return chunks_of(nodes) * sizeof(rill_partial); }

uint64_t rill_sim_bytes(rill_variant variant, const rill_links_size *size)
{
    uint64_t bytes[RILL_SIM_ARRAYS], sum = 0;
    const int count = rill_sim_arrays(variant, size, bytes);
    for (int k = 0; k < count; k++) sum += bytes[k];
    return sum;
}

int rill_sim_arrays(rill_variant variant, const rill_links_size *size, uint64_t bytes[RILL_SIM_ARRAYS])
{
    int count = 0;
    for (int k = 0; k < (rill_stream_two_arrays(variant.stream) ? 2 : 1); k++)
        bytes[count++] = rill_sim_population_bytes(variant, size->stride);
    for (int k = 0; k < size->part_count; k++) bytes[count++] = size->parts[k].bytes;
    bytes[count++] = rill_sim_partial_bytes(size->nodes);
    if (rill_stream_ring(variant.stream)) bytes[count++] = rill_turn_bytes(size->nodes, size->reach);
    return count;
}

/*
 * Rates that the viscosity does not set are those of the operators' authors: d'Humières et al. (2002),
 * doi:10.1098/rsta.2001.0955, for the even moments of MRT, 1 for the bulk viscosity of central moments
 * (Geier, Greiner, Korvink 2006) and cumulants (Geier et al. 2015).
 */
static void rates_set(rill_launch *launch, const rill_sim_options *o)
{
    const rill_collision collision = o->variant.collision;
    const bool magic = collision != RILL_SRT;
    launch->rate_even = 1.0 / o->tau;
    launch->rate_odd = magic ? 1.0 / (0.5 + o->magic / (o->tau - 0.5)) : launch->rate_even;
    launch->rate_bulk = collision == RILL_MRT ? 1.19 : 1;
    launch->rate_ghost = collision == RILL_MRT ? 1.4 : 1;
}

/* Return the number behind the last that kernels step. */
static rill_node end_of(const rill_sim *sim)
{
    return sim->options.variant.addressing == RILL_DENSE ? sim->arrays.nodes
                                                         : sim->domain->first + sim->domain->nodes;
}

/* Return the chunks that totals are taken of. */
static uint64_t own_chunks(const rill_sim *sim) { return chunks_of(end_of(sim) - sim->domain->first); }

/* Return where node 0 is after a step. */
static size_t ring_next(const rill_sim *sim)
{
    return (sim->ring + sim->arrays.stride - sim->links->size.shift) % sim->arrays.stride;
}

rill_launch rill_sim_launch(const rill_sim *sim)
{
    const bool two = sim->populations[1] != NULL;
    const size_t now = two ? sim->steps & 1 : 0;
    const rill_sim_options *o = &sim->options;
    rill_launch launch = {
        .kernels = sim->kernels,
        .queue = sim->device->queue,
        .joined = sim->joined,
        .variant = o->variant,
        .parity = rill_stream_parities(o->variant.stream) == 2 ? (int)(sim->steps & 1) : 0,
        .from = sim->arrays,
        .to = sim->arrays,
        .first = sim->domain->first,
        .nodes = end_of(sim),
        .magic = o->magic,
        .carreau_yasuda = o->carreau_yasuda,
        .casson = o->casson,
    };
    launch.from.populations = sim->populations[now];
    launch.to.populations = sim->populations[two ? 1 - now : 0];
    launch.from.ring = sim->ring;
    launch.to.ring = ring_next(sim);
    rates_set(&launch, o);
    memcpy(launch.force, o->force, sizeof launch.force);
    return launch;
}

/* Allocate on the backend, and count it. */
static rill_status take(rill_sim *sim, uint64_t bytes, const char *what, void **out)
{
    const rill_status status = rill_device_alloc(sim->device, bytes, what, out);
    if (status == RILL_OK) sim->held += bytes;
    return status;
}

/* Give a host array to the backend, and count it. */
static rill_status share(rill_sim *sim, const void *host, uint64_t bytes, const char *what, const void **out)
{
    const rill_status status = rill_device_share(sim->device, host, bytes, what, out);
    if (status == RILL_OK) sim->held += bytes;
    return status;
}

/* Give mirrored links to the backend, by the numbers and in the form that kernels use. */
static rill_status swaps_share(rill_sim *sim)
{
    rill_status status = RILL_OK;
    const rill_domain *domain = sim->domain;
    const rill_variant variant = sim->options.variant;
    const rill_swap *swaps = domain->swaps;
    sim->swap_count = domain->swap_count;
    if (rill_stream_macroscopic((int)variant.stream)) {
        RILL_TRY(rill_macroscopic_swaps(domain, &sim->own_swaps, &sim->swap_count));
    } else if (variant.addressing == RILL_DENSE) {
        RILL_TRY(rill_array_create(domain->swap_count * sizeof(rill_swap), 1, "mirrored links",
                                   (void **)&sim->own_swaps));
        for (size_t k = 0; k < domain->swap_count; k++) {
            sim->own_swaps[k] = domain->swaps[k];
            for (int e = 0; e < 2; e++)
                sim->own_swaps[k].node[e] = rill_sim_number(sim, domain->swaps[k].node[e]);
        }
    }
    if (sim->own_swaps) swaps = sim->own_swaps;
    RILL_TRY(share(sim, swaps, sim->swap_count * sizeof(rill_swap), "mirrored links", &sim->swaps));
done:
    return status;
}

/* Processors read whole vectors, up to a block behind the last value. A GPU does not, and has exactly what it
 * may touch, so that compute-sanitizer finds what goes beyond. */
static uint64_t array_bytes(const rill_sim *sim, size_t stride)
{
    const rill_variant variant = sim->options.variant;
    const uint64_t bytes = rill_sim_population_bytes(variant, stride);
    return sim->device->backend->processor
               ? bytes
               : bytes - RILL_SEGMENT_BLOCK * (uint64_t)rill_storage_size((int)variant.storage);
}

static rill_status allocate(rill_sim *sim)
{
    rill_status status = RILL_OK;
    const rill_domain *domain = sim->domain;
    rill_device *device = sim->device;
    const rill_variant variant = sim->options.variant;
    const double start = rill_now();
    RILL_TRY(rill_links_share(domain, variant, device, &sim->links));
    const rill_links_size size = sim->links->size;
    const uint64_t missing = rill_links_missing(sim->links);
    sim->links_made = !sim->links->device;
    RILL_TRY(rill_device_require(device, rill_sim_bytes(variant, &size) - size.bytes + missing,
                                 "the populations and index lists"));
    RILL_TRY(rill_links_make(sim->links, device));
    sim->held += missing;
    sim->arrays = sim->links->arrays;
    sim->seconds_linking = rill_now() - start;
    for (int k = 0; k < (rill_stream_two_arrays(variant.stream) ? 2 : 1); k++)
        RILL_TRY(take(sim, array_bytes(sim, size.stride), "populations", &sim->populations[k]));
    if (domain->swap_count) RILL_TRY(swaps_share(sim));
    if (rill_stream_ring(variant.stream))
        RILL_TRY(take(sim, rill_turn_bytes(size.nodes, size.reach), "counters", (void **)&sim->arrays.turns));
    const uint64_t partials = rill_sim_partial_bytes(size.nodes);
    RILL_TRY(take(sim, partials, "partial sums", (void **)&sim->partials));
    RILL_TRY(rill_array_create(partials, 1, "partial sums", (void **)&sim->host_partials));
done:
    return status;
}

/*
 * Set everything to rest. Populations that stay in ghosts for a step are those of the other kind of step, and
 * slots that no step has written must read as rest, too, when weights are stored.
 */
static rill_status rest(rill_sim *sim)
{
    enum { nodes_set = 1 << 22 }; /* before it is asked whether to go on */
    rill_status status = RILL_OK;
    rill_launch launch = rill_sim_launch(sim);
    for (int parity = sim->options.variant.bounce == RILL_FULL_WAY; parity >= 0; parity--) {
        launch.parity = parity;
        for (uint64_t first = 0; first < sim->arrays.nodes; first += nodes_set) {
            const uint64_t left = sim->arrays.nodes - first;
            sim->kernels->set(&launch, (rill_node)first, (rill_node)(left < nodes_set ? left : nodes_set),
                              NULL);
            RILL_TRY(rill_progress_poll());
        }
    }
    RILL_TRY(rill_device_wait(sim->device));
done:
    return status;
}

rill_status rill_sim_create(const rill_domain *domain, const rill_sim_options *options, rill_sim **out)
{
    return rill_sim_create_loaded(domain, options, RILL_LOAD_NONE, out);
}

rill_status rill_sim_create_loaded(const rill_domain *domain, const rill_sim_options *options, rill_load load,
                                   rill_sim **out)
{
    rill_status status = RILL_OK;
    rill_sim *sim = NULL;
    RILL_TRY(options_check(options, domain));
    sim = calloc(1, sizeof *sim);
    if (!sim) return rill_fail(RILL_SYSTEM, "out of memory for a simulation");
    sim->domain = domain;
    sim->options = *options;
    sim->options.variant = rill_variant_normal(options->variant);
    if (options->device_count > 1) RILL_TRY(rill_several_create(sim, load));
    if (sim->several) {
        *out = sim;
        sim = NULL;
        goto done;
    }
    RILL_TRY(rill_device_take(sim->options.device, options->backend, &sim->device));
    RILL_TRY(rill_device_kernels(sim->device, sim->options.variant, &sim->kernels));
    RILL_TRY(allocate(sim));
    RILL_TRY(rest(sim));
    *out = sim;
    sim = NULL;
done:
    rill_sim_destroy(sim);
    return status;
}

void rill_sim_destroy(rill_sim *sim)
{
    if (!sim) return;
    rill_sim_loading_free(sim);
    for (int k = 0; k < 2; k++) {
        if (sim->device) rill_device_unpin(sim->device, sim->label_host[k]);
        rill_array_destroy(sim->label_host[k]);
    }
    if (sim->several) {
        rill_several_destroy(sim->several);
        free(sim);
        return;
    }
    rill_patches_free(&sim->patches, sim->device);
    if (sim->device) {
        for (int k = 0; k < 2; k++) rill_device_free(sim->device, sim->populations[k]);
        rill_device_free(sim->device, sim->partials);
        rill_device_free(sim->device, sim->velocities);
        rill_device_free(sim->device, sim->slice);
        rill_device_free(sim->device, sim->order);
        rill_device_free(sim->device, sim->words);
        if (sim->own_labels)
            rill_device_free(sim->device, sim->own_labels);
        else
            rill_device_release(sim->device, sim->labels);
        rill_device_release(sim->device, sim->sponge.nodes);
        rill_device_release(sim->device, sim->sponge.keep);
        rill_device_free(sim->device, sim->label_sums);
        rill_device_free(sim->device, sim->label_values);
        rill_device_release(sim->device, sim->swaps);
        rill_device_free(sim->device, sim->arrays.turns);
    }
    rill_links_destroy(sim->links);
    rill_array_destroy(sim->own_swaps);
    rill_array_destroy(sim->host_partials);
    rill_device_leave(sim->options.device, sim->device);
    free(sim);
}

/* Of all nodes at once, or, in a ring buffer whose kernels do not wait themselves, of chunk after chunk, so
 * that none is overwritten early. */
void rill_sim_step_range(rill_sim *sim, void *queue, rill_node from, rill_node end, bool left)
{
    rill_launch launch = rill_sim_launch(sim);
    launch.queue = queue;
    if (left) launch.walls = rill_patches_left(&sim->patches);
    const uint64_t chunk = sim->device->backend->turns ? end : sim->links->size.chunk;
    for (uint64_t first = from; first < end; first += chunk) {
        launch.first = (rill_node)first;
        launch.nodes = (rill_node)(end - first < chunk ? end : first + chunk);
        sim->kernels->step(&launch);
    }
}

void rill_sim_advance(rill_sim *sim)
{
    sim->ring = ring_next(sim);
    sim->steps++;
    sim->arrays.turn++;
}

void rill_sim_damp(rill_sim *sim, void *queue, uint64_t first, uint64_t end)
{
    if (end == first) return;
    rill_launch launch = rill_sim_launch(sim);
    const rill_sponge some = {end - first, sim->sponge.nodes + first, sim->sponge.keep + first};
    launch.queue = queue;
    sim->kernels->damp(&launch, &some);
}

/* Patches first: they need what their nodes have sent, swaps replace it. Interpolated bounce-back reads
 * neighbours, for which ghosts may stand in a ring buffer. */
rill_status rill_sim_step_links(rill_sim *sim, bool leave)
{
    const bool ring = rill_stream_ring(sim->options.variant.stream);
    const rill_launch launch = rill_sim_launch(sim);
    if (ring && sim->patches.walls && (!leave || sim->patches.apart)) sim->kernels->wrap(&launch);
    const rill_status status = rill_patches_apply(&sim->patches, &launch, sim->steps - 1, leave);
    if (sim->swaps) sim->kernels->swap(&launch, sim->swaps, sim->swap_count);
    if (ring) sim->kernels->wrap(&launch);
    return status;
}

static rill_status begin(rill_sim *sim, uint64_t steps)
{
    rill_status status = RILL_OK;
    bool left = false;
    if (sim->several) return rill_several_begin(sim, steps);
    for (uint64_t k = 0; k < steps && status == RILL_OK; k++) {
        const bool leave = k + 1 < steps && sim->patches.in_step;
        rill_sim_step_range(sim, sim->device->queue, sim->domain->first, end_of(sim), left);
        rill_sim_advance(sim);
        if (sim->sponge.count) rill_sim_damp(sim, sim->device->queue, 0, sim->sponge.count);
        status = rill_sim_step_links(sim, leave);
        left = leave;
    }
    return status;
}

rill_status rill_sim_begin(rill_sim *sim, uint64_t steps)
{
    rill_meter *meter = sim->device->meter;
    rill_meter_begin(meter);
    const rill_status status = begin(sim, steps);
    for (int p = 0; p < rill_sim_parts(sim); p++) rill_device_submit(rill_sim_part(sim, p)->device);
    if (meter) rill_device_then(sim->device, rill_meter_end, meter);
    return status;
}

rill_status rill_sim_step(rill_sim *sim, uint64_t steps)
{
    rill_meter *meter = sim->device->meter;
    rill_meter_begin(meter);
    rill_status status = begin(sim, steps);
    for (int p = 0; p < rill_sim_parts(sim); p++) {
        const rill_status waited = rill_device_wait(rill_sim_part(sim, p)->device);
        if (status == RILL_OK) status = waited;
    }
    rill_meter_end(meter);
    return status;
}

uint64_t rill_sim_steps(const rill_sim *sim) { return sim->steps; }

int rill_sim_parts(const rill_sim *sim) { return sim->several ? sim->several->parts.count : 1; }

rill_sim *rill_sim_part(rill_sim *sim, int k) { return sim->several ? sim->several->sims[k] : sim; }

rill_node rill_sim_part_first(const rill_sim *sim, int k)
{
    return sim->several ? sim->several->parts.part[k].first : 0;
}

uint64_t rill_sim_velocity_bytes(uint64_t nodes) { return 3 * nodes * sizeof(float); }

static rill_status velocities_make(rill_sim *sim)
{
    if (sim->velocities) return RILL_OK;
    return rill_device_alloc(sim->device, rill_sim_velocity_bytes(end_of(sim) - sim->domain->first),
                             "velocities of a step", (void **)&sim->velocities);
}

/* Take the partial sums of all parts, whose devices work at the same time. @param labels  sums by label, too,
 * which have begun */
static rill_status partials_take(rill_sim *sim, bool rounding, rill_speeds speeds, bool labels)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < rill_sim_parts(sim); k++) {
        rill_sim *part = rill_sim_part(sim, k);
        rill_launch launch = rill_sim_launch(part);
        launch.rounding = rounding;
        if (labels) {
            launch.labels = part->labels;
            launch.label_sums = part->label_sums;
        }
        if (speeds != RILL_SPEEDS_NOW) {
            RILL_TRY(velocities_make(part));
            launch.velocities = part->velocities;
            launch.mean = speeds == RILL_SPEEDS_MEAN;
        }
        part->kernels->totals(&launch, part->partials);
    }
    for (int k = 0; k < rill_sim_parts(sim); k++) {
        rill_sim *part = rill_sim_part(sim, k);
        RILL_TRY(rill_device_wait(part->device));
        RILL_TRY(rill_device_download(part->device, part->host_partials, part->partials,
                                      own_chunks(part) * sizeof(rill_partial)));
    }
done:
    return status;
}

rill_status rill_sim_rounding(rill_sim *sim, rill_rounding_sums *out)
{
    rill_status status = RILL_OK;
    rill_totals totals;
    double mass = 0;
    *out = (rill_rounding_sums){.work = 0};
    RILL_TRY(rill_sim_totals(sim, &totals));
    RILL_TRY(partials_take(sim, true, RILL_SPEEDS_NOW, false));
    for (int part = 0; part < rill_sim_parts(sim); part++) {
        const rill_sim *own = rill_sim_part(sim, part);
        for (uint64_t k = 0; k < own_chunks(own); k++) {
            const rill_partial *p = &own->host_partials[k];
            mass += p->mass;
            out->work += p->kinetic;
            out->work_apart += p->kinetic * p->kinetic;
            out->mass_apart += p->mass * p->mass;
            for (int a = 0; a < 3; a++) {
                out->momentum[a] += p->momentum[a];
                out->momentum_apart[a] += p->momentum[a] * p->momentum[a];
            }
        }
    }
    out->work_apart = sqrt(out->work_apart);
    out->mass_apart = sqrt(out->mass_apart);
    for (int a = 0; a < 3; a++) out->momentum_apart[a] = sqrt(out->momentum_apart[a]);
    /* A density that is the same everywhere moves nothing, unless a mirrored boundary changes its sign.
     */
    if (sim->domain->swap_count == 0) out->work += totals.mass / sim->domain->nodes * mass;
done:
    return status;
}

static void totals_add(rill_totals *totals, const rill_partial *p)
{
    totals->mass += p->mass;
    totals->resting += p->resting;
    totals->speed += p->speed;
    totals->kinetic += p->kinetic;
    totals->elastic += p->elastic;
    for (int a = 0; a < 3; a++) totals->momentum[a] += p->momentum[a];
    totals->speed_max = fmax(totals->speed_max, p->speed_squared_max);
    totals->density_max = fmax(totals->density_max, p->density_max);
    totals->not_finite += p->not_finite;
}

static rill_status totals_of(rill_sim *sim, rill_speeds speeds, bool labels, rill_totals *out)
{
    rill_status status = RILL_OK;
    rill_totals totals = {0};
    RILL_TRY(partials_take(sim, false, speeds, labels));
    for (int part = 0; part < rill_sim_parts(sim); part++) {
        const rill_sim *own = rill_sim_part(sim, part);
        for (uint64_t k = 0; k < own_chunks(own); k++) totals_add(&totals, &own->host_partials[k]);
    }
    totals.speed_max = sqrt(totals.speed_max);
    *out = totals;
done:
    return status;
}

rill_status rill_sim_totals(rill_sim *sim, rill_totals *out)
{
    return rill_sim_totals_of(sim, RILL_SPEEDS_NOW, out);
}

rill_status rill_sim_totals_of(rill_sim *sim, rill_speeds speeds, rill_totals *out)
{
    return totals_of(sim, speeds, false, out);
}

rill_status rill_sim_label_totals(rill_sim *sim, rill_speeds speeds, rill_totals *out, double *sums)
{
    rill_status status = RILL_OK;
    const bool listed = sim->options.variant.addressing != RILL_DENSE; /* labels are by node */
    if (listed) RILL_TRY(rill_sim_label_begin_sums(sim));
    RILL_TRY(totals_of(sim, speeds, listed, out));
    RILL_TRY(listed ? rill_sim_label_end_sums(sim, sums) : rill_sim_label_sums(sim, sums));
done:
    return status;
}

rill_status rill_sim_sponge_set(rill_sim *sim, const rill_node *nodes, const float *keep, uint64_t count)
{
    rill_status status = RILL_OK;
    if (count == 0) return RILL_OK;
    RILL_TRY(rill_macroscopic_refuse(sim, "a sponge layer"));
    if (sim->several) return rill_several_sponge_set(sim, nodes, keep, count);
    RILL_TRY(share(sim, nodes, count * sizeof *nodes, "sponge layers", (const void **)&sim->sponge.nodes));
    RILL_TRY(share(sim, keep, count * sizeof *keep, "sponge layers", (const void **)&sim->sponge.keep));
    sim->sponge.count = count;
done:
    return status;
}

const char *rill_sim_backend(const rill_sim *sim) { return sim->device->backend->name; }

const char *rill_sim_device(const rill_sim *sim) { return sim->device->name; }

void rill_sim_force_set(rill_sim *sim, const double force[3])
{
    for (int k = 0; k < rill_sim_parts(sim); k++)
        memcpy(rill_sim_part(sim, k)->options.force, force, sizeof sim->options.force);
    for (int k = 0; sim->several && k < sim->several->stage_count; k++)
        memcpy(sim->several->stages[k]->sim->options.force, force, sizeof sim->options.force);
    memcpy(sim->options.force, force, sizeof sim->options.force);
}

rill_variant rill_sim_variant(const rill_sim *sim) { return sim->options.variant; }

bool rill_sim_mirrored(const rill_sim *sim) { return sim->domain->swap_count > 0; }

rill_device *rill_sim_device_of(const rill_sim *sim) { return sim->device; }

double rill_sim_seconds_linking(const rill_sim *sim) { return sim->seconds_linking; }

uint64_t rill_sim_held(rill_sim *sim, uint64_t *linked)
{
    uint64_t held = 0, own = 0;
    for (int k = 0; k < rill_sim_parts(sim); k++) {
        const rill_sim *part = rill_sim_part(sim, k);
        if (part->links_made) own += rill_device_linked(part->device, &part->links->arrays);
        held += part->held;
    }
    if (linked) *linked = own;
    return held + own;
}
