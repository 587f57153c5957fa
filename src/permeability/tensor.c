/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a tensor of the runs along its axes. */
#include "permeability/tensor.h"
#include "core/notes.h"
#include "core/status.h"
#include "geometry/voxels/axes.h"
#include "geometry/voxels/sides.h"

#include <math.h>

enum { SWEEPS = 50 };

int rill_tensor_driven(const rill_porosity *porosity, int axes)
{
    unsigned bits = 0;
    for (int a = 0; a < 3; a++)
        bits |= (unsigned)(rill_axes_has(axes, a) && porosity->percolating[a] > 0) << a;
    return rill_axes_count(axes) < 2 || bits == 0 ? axes : rill_axes_of(bits);
}

bool rill_tensor_is_zero(const rill_geom *geom, const rill_porosity *porosity, int axis, int b)
{
    if (b == axis) return false;
    const bool mirrored = geom->sides[axis] == RILL_MIRROR || geom->sides[b] == RILL_MIRROR;
    return mirrored || geom->sides[b] == RILL_WALL || porosity->percolating[b] == 0;
}

/* Rotate axes a and b so that the entry of both becomes 0 (Jacobi). */
static void turn(double s[3][3], double vectors[3][3], int a, int b)
{
    if (s[a][b] == 0) return;
    const double theta = 0.5 * (s[b][b] - s[a][a]) / s[a][b];
    const double t = copysign(1, theta) / (fabs(theta) + hypot(theta, 1)), c = 1 / hypot(t, 1), sine = t * c;
    for (int i = 0; i < 3; i++) {
        const double x = s[i][a], y = s[i][b];
        s[i][a] = c * x - sine * y;
        s[i][b] = sine * x + c * y;
    }
    for (int i = 0; i < 3; i++) {
        const double x = s[a][i], y = s[b][i], u = vectors[a][i], v = vectors[b][i];
        s[a][i] = c * x - sine * y;
        s[b][i] = sine * x + c * y;
        vectors[a][i] = c * u - sine * v;
        vectors[b][i] = sine * u + c * v;
    }
}

void rill_tensor_principal(const double k[3][3], int axes, double values[3], double vectors[3][3])
{
    double s[3][3], found[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    bool taken[3];
    for (int a = 0; a < 3; a++) taken[a] = !rill_axes_has(axes, a);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) s[a][b] = taken[a] || taken[b] ? 0 : 0.5 * (k[a][b] + k[b][a]);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < a; b++) turn(s, found, b, a);
    for (int i = 0; i < 3; i++) {
        int largest = -1, longest = 0;
        values[i] = vectors[i][0] = vectors[i][1] = vectors[i][2] = NAN;
        for (int a = 0; a < 3; a++)
            if (!taken[a] && (largest < 0 || s[a][a] > s[largest][largest])) largest = a;
        if (largest < 0 || !isfinite(s[largest][largest])) continue;
        taken[largest] = true;
        values[i] = s[largest][largest];
        for (int a = 0; a < 3; a++)
            if (fabs(found[largest][a]) > fabs(found[largest][longest])) longest = a;
        for (int a = 0; a < 3; a++)
            vectors[i][a] = copysign(1, found[largest][longest]) * found[largest][a] + 0.;
    }
}

/* Nothing conducts along an axis: no force drives a flow along it, and a force along it drives none. */
static rill_status close_axis(const rill_geom *geom, int axis, rill_permeability *p)
{
    for (int b = 0; b < 3; b++) p->k[b][axis] = 0;
    for (int r = 0; r < p->run_count; r++) {
        rill_permeability_flow *run = &p->runs[r];
        if (run->converged) p->k[axis][run->axis] = run->k[axis] = run->uncertainty[axis] = 0;
    }
    return rill_note(&p->notes, "nothing percolates along %c (%s): k is exactly 0 in its row and column",
                     rill_axis(axis), rill_side_name(geom->sides[axis]));
}

/* The largest uncertainty of the runs that converged, or of all where none did, relative to the largest k. */
static double uncertainty_of(const rill_permeability *p, int driven)
{
    double largest = 0, uncertainty = 0;
    bool any = false;
    for (int r = 0; r < p->run_count; r++) any = any || p->runs[r].converged;
    for (int r = 0; r < p->run_count; r++) {
        const rill_permeability_flow *run = &p->runs[r];
        if (any && !run->converged) continue;
        largest = fmax(largest, fabs(run->k[run->axis]));
        for (int b = 0; b < 3; b++)
            if (rill_axes_has(driven, b)) uncertainty = fmax(uncertainty, run->uncertainty[b]);
    }
    return largest > 0 ? uncertainty / largest : INFINITY;
}

/* k_ab and k_ba of a Stokes flow are equal: each is uncertain by what they differ by. @return the largest
 * difference, relative to the largest k */
static double compare_pairs(rill_permeability *p)
{
    double largest = 0, difference = 0;
    for (int r = 0; r < p->run_count; r++) largest = fmax(largest, fabs(p->runs[r].k[p->runs[r].axis]));
    for (int a = 0; a < p->run_count; a++)
        for (int b = 0; b < a; b++) {
            rill_permeability_flow *one = &p->runs[a], *other = &p->runs[b];
            const double differ = fabs(one->k[other->axis] - other->k[one->axis]);
            difference = fmax(difference, differ);
            one->uncertainty[other->axis] = fmax(one->uncertainty[other->axis], differ);
            other->uncertainty[one->axis] = fmax(other->uncertainty[one->axis], differ);
        }
    return difference / largest;
}

rill_status rill_tensor_collect(const rill_geom *geom, const rill_permeability_options *o,
                                rill_permeability *p)
{
    rill_status status = RILL_OK;
    const int driven = rill_tensor_driven(&geom->porosity, o->axis), wanted = rill_axes_count(o->axis);
    p->converged = p->run_count > 0;
    if (wanted > 1) p->reciprocity = compare_pairs(p);
    for (int r = 0; r < p->run_count; r++) {
        const rill_permeability_flow *run = &p->runs[r];
        p->converged = p->converged && run->converged;
        for (int b = 0; b < 3; b++)
            if (run->converged && isfinite(run->uncertainty[b])) p->k[b][run->axis] = run->k[b];
    }
    p->uncertainty = uncertainty_of(p, driven);
    if (wanted < 2) return RILL_OK;
    for (int a = 0; a < 3; a++)
        if (rill_axes_has(o->axis, a) && !rill_axes_has(driven, a)) RILL_TRY(close_axis(geom, a, p));
    if (p->converged) rill_tensor_principal(p->k, o->axis, p->principal, p->principal_axes);
done:
    return status;
}
