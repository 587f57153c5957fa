/* SPDX-License-Identifier: Apache-2.0 */
/* The memory in the plan of a permeability is what the run takes. */
#include "core/memory.h"
#include "domain/links.h"
#include "geometry/generate/generate.h"
#include "kernel/variant.h"
#include "permeability/error_bar_priv.h"
#include "permeability/numbered.h"
#include "rill.h"
#include "sim/sim.h"

#include "peak.h"
#include "random_rock.h"
#include "planned.h"
#include "core/sanitized.h"

#include <criterion/new/assert.h>
#include <omp.h>

/* Compare the segments that are foreseen with those that are made. */
static void foresee_linked(const rill_geom *geom, rill_stream stream, double within)
{
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    rill_device *device = NULL;
    uint64_t foreseen, linked;
    rill_sim_options options = rill_sim_options_default();
    options.on.backend = RILL_BACKEND_CPU;
    options.variant.stream = stream;
    options.variant.addressing = RILL_LIST;
    cr_assert_eq(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain), RILL_OK);
    cr_assert_eq(rill_device_create(RILL_BACKEND_CPU, 0, &device), RILL_OK);
    cr_assert_eq(
        rill_links_linked(&domain->numbering, rill_variant_normal(options.variant), device, &foreseen),
        RILL_OK);
    cr_assert_eq(rill_sim_create(domain, &options, &sim), RILL_OK, "%s", rill_error_message());
    rill_sim_held(sim, &linked);
    cr_expect_gt(linked, 10 * domain->nodes);
    cr_expect_float_eq((double)foreseen / (double)linked, 1, within, "stream %d: %g", stream,
                       (double)foreseen / (double)linked);
    rill_sim_destroy(sim);
    rill_device_destroy(device);
    rill_domain_destroy(domain);
}

/* Of few nodes all segments are counted, of many a sample. */
Test(plan_memory, segments_are_foreseen)
{
    static const rill_stream streams[] = {RILL_PULL, RILL_AA, RILL_ESOPULL, RILL_ESOTWIST};
    rill_geom *few = random_rock(24), *many = random_rock(72);
    for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) {
        foresee_linked(few, streams[k], 1e-12);
        foresee_linked(many, streams[k], 0.05);
    }
    rill_geom_destroy(few);
    rill_geom_destroy(many);
}

static rill_status seen(void *context, const rill_permeability_flow *run, rill_node nodes, const float *rho,
                        const float *u)
{
    (void)run, (void)rho;
    *(double *)context += u[nodes - 1];
    return RILL_OK;
}

/* Run and compare the peak with the plan: host_bytes has the numbers of nodes, which are there before. */
static void peak_as_planned(const char *what, const rill_geom *geom, rill_permeability_options o)
{
    rill_permeability_plan plan;
    rill_permeability result;
    double sum = 0;
    uint64_t told;
    o.context = &sum;
    cr_assert_eq(rill_permeability_plan_make(geom, &o, &plan), RILL_OK, "%s", rill_error_message());
    peak_restart();
    cr_assert_eq(rill_memory_peak(plan.resources.host_bytes - rill_numbered_bytes(plan.numbered), &told),
                 RILL_OK);
    const rill_status status = rill_permeability_compute(geom, &o, &plan, &result);
    const double ratio = ((double)told - peak_files) / peak_of_memory();
    cr_expect(status == RILL_OK || status == RILL_NUMERICS, "%s: %s", what, rill_error_message());
    cr_expect(ratio >= 0.97 && ratio <= 1.07, "%s: the plan states %.1f MB, %.4f of the peak", what,
              1e-6 * (double)told, ratio);
    rill_permeability_free(&result);
    rill_permeability_plan_free(&plan);
}

Test(plan_memory, a_permeability_takes_what_its_plan_states, .disabled = SANITIZED)
{
    rill_permeability_options o = rill_permeability_options_default();
    rill_memory_give_back();
    omp_set_num_threads(2);
    rill_geom *geom = random_rock(96);
    o.on.backend = RILL_BACKEND_CPU;
    o.tolerance = 0.01;
    o.variant.stream = RILL_AA;
    o.variant.addressing = RILL_LIST;
    cr_assert_eq(rill_permeability_prepare(geom, &o), RILL_OK);
    peak_as_planned("auto", geom, o);
    o.finished = seen;
    peak_as_planned("fields", geom, o);
    o.finished = NULL;
    o.variant.storage = RILL_FP64;
    peak_as_planned("fp64", geom, o);
    o.variant.storage = RILL_FP16S; /* pressures are looked at, not corrected */
    peak_as_planned("fp16s", geom, o);
    o.max_steps = 40; /* they would be looked at after more steps */
    peak_as_planned("fp16s, few steps", geom, o);
    o.variant.storage = RILL_FP32;
    o.max_steps = 10; /* less than a cycle */
    peak_as_planned("fp32, few steps", geom, o);
    rill_geom_destroy(geom);
}

/* Interpolated walls take more while they are made than runs without a pore network take later. */
Test(plan_memory, exact_walls_take_what_the_plan_states, .disabled = SANITIZED)
{
    rill_permeability_options o = rill_permeability_options_default();
    rill_spheres_options spheres = rill_spheres_options_default();
    rill_geom *geom = NULL;
    rill_memory_give_back();
    omp_set_num_threads(2);
    spheres.array = RILL_FCC;
    spheres.solid_fraction = rill_spheres_touching(RILL_FCC);
    spheres.cells = 160;
    spheres.exact = true;
    cr_assert_eq(rill_generate_spheres(&spheres, &geom), RILL_OK, "%s", rill_error_message());
    o.on.backend = RILL_BACKEND_CPU;
    o.acceleration = RILL_ACCELERATION_NONE;
    o.max_steps = 4;
    cr_assert_eq(rill_permeability_prepare(geom, &o), RILL_OK);
    peak_as_planned("exact walls", geom, o);
    rill_geom_destroy(geom);
}

/* A run of an error bar on a smooth surface holds the links that the surface cuts beside its voxels. */
Test(plan_memory, a_run_on_a_smooth_surface_takes_what_the_error_bar_states, .disabled = SANITIZED)
{
    rill_permeability_options o = rill_permeability_options_default();
    rill_permeability_plan plan;
    rill_permeability result;
    rill_error_bar_plan bar;
    const rill_error_bar_part *part = NULL;
    uint64_t told;
    rill_memory_give_back();
    omp_set_num_threads(2);
    rill_geom *geom = random_rock(80), *own = NULL;
    o.on.backend = RILL_BACKEND_CPU;
    o.tolerance = 0.01;
    o.wall_room = true;
    cr_assert_eq(rill_permeability_prepare(geom, &o), RILL_OK);
    cr_assert_eq(rill_permeability_plan_make(geom, &o, &plan), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_error_bar_plan_make(geom, &o, &plan,
                                          &(rill_error_bar_options){.fine = true, .updates = 1e12}, &bar),
                 RILL_OK, "%s", rill_error_message());
    for (int k = 0; k < bar.part_count && !part; k++)
        if (bar.parts[k].purpose == RILL_ERROR_BAR_SHAPE) part = &bar.parts[k];
    cr_assert_not_null(part, "%s", bar.shape_note);
    const rill_permeability_options of_part = rill_error_bar_part_options(&o, &plan, part);
    rill_permeability_plan_free(&plan);
    peak_restart();
    cr_assert_eq(rill_memory_peak(part->host_bytes, &told), RILL_OK);
    cr_assert_eq(rill_error_bar_part_geometry(geom, part, &of_part, &own), RILL_OK);
    cr_assert_eq(rill_permeability_plan_make(own, &of_part, &plan), RILL_OK, "%s", rill_error_message());
    const uint64_t held = rill_geom_voxels(own) + own->surface->wall_count * sizeof(rill_cut);
    cr_expect_float_eq(
        (double)part->host_bytes, (double)(plan.resources.host_bytes + held), 0.01 * (double)held,
        "%.1f MB stated, %.1f MB of the run and %.1f MB of voxels and links", 1e-6 * (double)part->host_bytes,
        1e-6 * (double)plan.resources.host_bytes, 1e-6 * (double)held);
    const rill_status status = rill_permeability_compute(own, &of_part, &plan, &result);
    const double ratio = ((double)told - peak_files) / peak_of_memory();
    cr_expect(status == RILL_OK || status == RILL_NUMERICS, "%s", rill_error_message());
    cr_expect(ratio >= 0.97 && ratio <= 1.07, "the error bar states %.1f MB, %.4f of the peak",
              1e-6 * (double)told, ratio);
    rill_permeability_free(&result);
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(own);
    rill_geom_destroy(geom);
}
