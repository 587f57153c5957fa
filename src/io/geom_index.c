/* SPDX-License-Identifier: Apache-2.0 */
/* Stores the links of a domain. How nodes are linked is the domain's; here it is only written down. */
#include "io/geom_file.h"

#include "core/status.h"
#include "domain/links.h"
#include "kernel/storage/address.h"
#include "kernel/lattice.h"
#include "kernel/variant.h"

enum { DEFLATE = 4, CHUNK = 65536 };

static rill_status velocity_write(rill_h5_file *file, rill_lattice lattice)
{
    rill_status status = RILL_OK;
    const int q = rill_q(lattice);
    int64_t c[RILL_Q_MAX][3];
    const rill_h5_layout layout = {.type = RILL_H5_I64, .rank = 2, .dims = {(uint64_t)q, 3}};
    for (int i = 0; i < q; i++)
        for (int a = 0; a < 3; a++) c[i][a] = rill_c(lattice, i, a);
    RILL_TRY(rill_h5_dataset_create(file, "/index/velocity", &layout));
    RILL_TRY(
        rill_h5_set_text(file, "/index/velocity", "long_name", "velocities c_i: component along x, y, z"));
    RILL_TRY(rill_h5_write(file, "/index/velocity", RILL_H5_I64, NULL, NULL, c));
done:
    return status;
}

rill_status rill_geom_index_write(const rill_geom *geom, rill_h5_file *file, rill_lattice lattice)
{
    rill_status status = RILL_OK;
    rill_numbering numbering = {.occupied = NULL};
    rill_links *links = NULL;
    rill_device *device = NULL;
    const rill_variant variant = {.lattice = lattice, .stream = RILL_PULL, .addressing = RILL_LIST};
    const int64_t wall = RILL_UPSTREAM_WALL;
    RILL_TRY(rill_numbering_create(geom, &numbering));
    RILL_TRY(rill_links_create(&numbering, variant, &links));
    RILL_TRY(rill_device_create(RILL_BACKEND_CPU, 0, &device));
    RILL_TRY(rill_links_build(links, device));
    const uint64_t rows = (uint64_t)rill_q(lattice) - 1, nodes = numbering.nodes;
    const rill_h5_layout layout = {
        .type = RILL_H5_U32, .rank = 2, .dims = {rows, nodes}, .chunk = {1, CHUNK}, .deflate = DEFLATE};
    RILL_TRY(rill_h5_dataset_create(file, "/index/pull", &layout));
    RILL_TRY(rill_h5_set_text(
        file, "/index/pull", "long_name",
        "row i - 1, column n: the node at n - c_i, or the wall marker (also across mirrored boundaries)"));
    RILL_TRY(rill_h5_set_text(file, "/index/pull", "lattice", rill_lattice_names[lattice]));
    RILL_TRY(rill_h5_set_integers(file, "/index/pull", "wall", &wall, 1));
    for (uint64_t i = 0; i < rows; i++) {
        const uint64_t start[2] = {i, 0}, count[2] = {1, nodes};
        RILL_TRY(rill_h5_write(file, "/index/pull", RILL_H5_U32, start, count,
                               links->arrays.list + i * links->arrays.list_stride));
    }
    RILL_TRY(velocity_write(file, lattice));
done:
    rill_links_destroy(links);
    rill_device_destroy(device);
    rill_numbering_destroy(&numbering);
    return status;
}
