/* SPDX-License-Identifier: Apache-2.0 */
/* The axes of a flow as sets of bits. */
#include "geometry/voxels/axes.h"

/* Bit a: axis a. */
static unsigned bits_of(int axes)
{
    switch (axes) {
    case RILL_AXES_XYZ:
        return 7;
    case RILL_AXES_XY:
        return 3;
    case RILL_AXES_XZ:
        return 5;
    case RILL_AXES_YZ:
        return 6;
    default:
        return axes >= 0 && axes < 3 ? 1u << axes : 0;
    }
}

int rill_axes_normal(const uint32_t n[3])
{
    int normal = -1, flat = 0;
    for (int a = 0; a < 3; a++)
        if (n[a] == 1) normal = a, flat++;
    return flat == 1 ? normal : -1;
}

int rill_axes_resolve(int axes, const uint32_t n[3])
{
    static const int planes[3] = {RILL_AXES_YZ, RILL_AXES_XZ, RILL_AXES_XY};
    const int normal = rill_axes_normal(n);
    if (axes == RILL_AXIS_AUTO) return normal == 2 ? 0 : 2;
    if (axes == RILL_AXES_AUTO) return normal < 0 ? RILL_AXES_XYZ : planes[normal];
    return axes;
}

bool rill_axes_has(int axes, int a) { return bits_of(axes) >> a & 1; }

int rill_axes_count(int axes) { return __builtin_popcount(bits_of(axes)); }

int rill_axes_first(int axes) { return __builtin_ctz(bits_of(axes) | 8); }

int rill_axes_of(unsigned bits)
{
    static const int axes[] = {RILL_AXIS_AUTO, 0, 1, RILL_AXES_XY, 2, RILL_AXES_XZ, RILL_AXES_YZ,
                               RILL_AXES_XYZ};
    return axes[bits & 7];
}

const char *rill_axes_name(int axes)
{
    static const char *const names[] = {"", "x", "y", "xy", "z", "xz", "yz", "xyz"};
    if (axes == RILL_AXIS_AUTO || axes == RILL_AXES_AUTO) return "auto";
    return bits_of(axes) ? names[bits_of(axes)] : NULL;
}
