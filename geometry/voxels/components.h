/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file components.h
 * Components of the pore space, connected as the links of a lattice connect its voxels, and what of it can
 * conduct along an axis.
 *
 * Voxels are connected through their faces, and where the lattice has links through edges or corners, through
 * these, too, whatever lies beside the link: half-way bounce-back closes no link between two pore voxels. A
 * component conducts
 * along an axis with periodic boundaries when a way inside it leads to its own periodic image, that is when
 * it holds a closed way whose winding number along that axis is not zero: reaching both faces is neither
 * needed (the way may go around the other axes) nor enough (the two ends may not meet). Along an axis with
 * mirrored or solid boundaries it conducts when it reaches both faces. Components are joined across periodic
 * boundaries before anything is decided or counted.
 */
#ifndef RILL_GEOMETRY_VOXELS_COMPONENTS_H
#define RILL_GEOMETRY_VOXELS_COMPONENTS_H

#include "core/log.h"
#include "rill.h"

/** Return through what the links of a lattice lead: flags of rill_contact. */
unsigned rill_contacts_of(rill_lattice lattice);

/** Return "faces", "faces and edges", …; NULL for flags without that of faces. */
const char *rill_contacts_name(unsigned contacts);

/**
 * Label the components, and make those solid that `keep` does not name.
 *
 * Memory beside the voxels: 4 bytes per x-run of pore voxels, 32 bytes per component, and some planes of runs
 * and bits.
 * geom->porosity is not touched: the caller decides. Where voxels are dropped, geom->surface goes: its links
 * name nodes, whose numbers change.
 * @param[in] axis  with RILL_KEEP_PERCOLATING: along at least one of them, see rill/types.h; resolved
 * @param[in] contacts  through what voxels are connected, flags of rill_contact; faces are always among them
 * @return RILL_SYSTEM without memory (checked before it is taken)
 * @see tests/voxels/test_components.c, against a flood fill along the links of all lattices
 */
rill_status rill_components_clean(rill_geom *geom, rill_keep_kind keep, int axis, unsigned contacts,
                                  rill_progress progress, rill_components *out);

#endif
