/* SPDX-License-Identifier: Apache-2.0 */
#include "free_surface/plic.h"

#include "device/plic.h"

double rill_plic_fill(double (*inside)(const void *context, const double x[3]), const void *context,
                      const uint32_t cell[3])
{
    enum { parts = 4 };
    const double step = 1e-4;
    double sum = 0;
    for (int k = 0; k < parts * parts * parts; k++) {
        const double x[3] = {cell[0] + (k % parts + 0.5) / parts, cell[1] + (k / parts % parts + 0.5) / parts,
                             cell[2] + (k / parts / parts + 0.5) / parts};
        double normal[3], square = 0;
        const double middle = inside(context, x);
        for (int a = 0; a < 3; a++) {
            double ahead[3] = {x[0], x[1], x[2]}, behind[3] = {x[0], x[1], x[2]};
            ahead[a] += step;
            behind[a] -= step;
            normal[a] = (inside(context, behind) - inside(context, ahead)) / (2 * step);
            square += normal[a] * normal[a];
        }
        if (rill_plic_normalize(normal))
            sum += rill_plic_volume(normal, parts * middle / sqrt(square));
        else
            sum += middle > 0;
    }
    sum /= parts * parts * parts;
    return sum < 1e-9 ? 0 : sum > 1 - 1e-9 ? 1 : sum; /* rounding of the steps makes no interface */
}
