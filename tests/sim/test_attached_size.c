/* SPDX-License-Identifier: Apache-2.0 */
/* What boundaries are counted with is what the heap has more of once they are there. */
#include "backends.h"
#include "core/sanitized.h"
#include "vessel_case.h"

#include "sim/attached.h"

#include <malloc.h>

TestSuite(attached_size, .init = files_start, .fini = files_end);

static double heap(void)
{
    const struct mallinfo2 now = mallinfo2();
    return (double)now.uordblks + (double)now.hblkhd;
}

/* Add a boundary, and compare. */
static void expect_counted(rill_sim *sim, const rill_domain *domain, const rill_cut *cuts, uint64_t count,
                           bool interpolated, bool quadratic)
{
    rill_boundary *boundary = NULL;
    int patch;
    rill_room room = {.backend = &rill_backend_cpu};
    rill_attached_load load = rill_attached_load_of(cuts, count, domain->lattice);
    load.interpolated = interpolated;
    load.quadratic = quadratic;
    ASSERT_OK(rill_boundary_create_cuts(domain, cuts, count, &boundary));
    if (quadratic) ASSERT_OK(rill_boundary_set_quadratic(boundary));
    cr_assert_eq(load.links, boundary->links);
    cr_assert_eq(load.nodes, boundary->count);
    if (!interpolated) {
        rill_boundary_set_halfway(boundary);
        ASSERT_OK(rill_boundary_set_density(boundary, 0.01));
    }
    rill_attached_count(&load, &room);
    const double before = heap();
    ASSERT_OK(rill_sim_boundary_add(sim, boundary, &patch));
    const double more = heap() - before, counted = (double)(room.host + rill_room_bytes(&room));
    /* Of an opening in a plane of the lattice fewer pairs than links are there, but their array is as large.
     */
    cr_expect(counted > 0.97 * more && counted < (interpolated ? 1.03 : 1.25) * more,
              "counted %.0f bytes, taken %.0f", counted, more);
    rill_boundary_destroy(boundary);
}

/* AddressSanitizer has a heap of its own, of which this one says nothing. */
Test(attached_size, walls_and_openings_take_what_is_counted, .disabled = SANITIZED)
{
    static const rill_lattice lattices[] = {RILL_D3Q19, RILL_D3Q27};
    vessel_pipe(0.1e-3, 0);
    vessel_write("v.yaml", "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\n"
                           "openings:\n  in: {kind: inlet, flow: 1 mL/s}\n"
                           "  out: {kind: pressure, pressure: 0 Pa}\nrun: {mach: 0.1}\n");
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    const rill_surface *surface = r.geom->surface;
    for (size_t k = 0; k < 2 * (sizeof lattices / sizeof *lattices); k++) {
        const rill_lattice lattice = lattices[k / 2];
        rill_domain *domain = NULL;
        rill_sim *sim = NULL;
        rill_sim_options options = rill_sim_options_default();
        options.on.backend = RILL_BACKEND_CPU;
        options.variant.lattice = lattice;
        options.variant.equilibrium = RILL_SECOND_ORDER;
        ASSERT_OK(rill_domain_create(r.geom, &(rill_domain_options){lattice, -1}, &domain));
        ASSERT_OK(rill_sim_create(domain, &options, &sim));
        expect_counted(sim, domain, surface->openings[0].cuts, surface->openings[0].cut_count, false, false);
        expect_counted(sim, domain, surface->walls, surface->wall_count, true, k % 2);
        rill_sim_destroy(sim);
        rill_domain_destroy(domain);
    }
    vessel_free(&r);
}

Test(attached_size, links_are_those_of_the_lattice)
{
    static const rill_cut cuts[] = {{.node = 3, .direction = 1},
                                    {.node = 3, .direction = 18},
                                    {.node = 3, .direction = 19},
                                    {.node = 9, .direction = 26}};
    const rill_attached_load few = rill_attached_load_of(cuts, 4, RILL_D3Q19),
                             all = rill_attached_load_of(cuts, 4, RILL_D3Q27);
    cr_expect_eq(few.cuts, 4);
    cr_expect_eq(few.links, 2);
    cr_expect_eq(few.nodes, 1);
    cr_expect_eq(all.nodes, 2);
    cr_expect_eq(all.links, 4);
    cr_expect_eq(rill_attached_load_of(NULL, 0, RILL_D3Q19).links, 0);
}
