/* SPDX-License-Identifier: Apache-2.0 */
/* Binary STL, in millimetres because that is what vessels come in. */
#include "geometry/surface/mesh.h"

#include "core/status.h"
#include "core/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static rill_status write_triangle(rill_output *output, const rill_mesh *mesh, uint32_t t)
{
    unsigned char record[50] = {0};
    float numbers[12];
    double area[3];
    rill_mesh_area(mesh, t, area);
    const double size = sqrt(rill_dot(area, area));
    for (int a = 0; a < 3; a++) numbers[a] = size > 0 ? (float)(area[a] / size) : 0;
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++)
            numbers[3 + 3 * k + a] = (float)(1e3 * mesh->vertices[mesh->triangles[t].v[k]][a]);
    for (int n = 0; n < 12; n++) { /* little-endian on any machine */
        uint32_t bits;
        memcpy(&bits, &numbers[n], sizeof bits);
        for (int b = 0; b < 4; b++) record[4 * n + b] = (unsigned char)(bits >> 8 * b);
    }
    return rill_output_append(output, record, sizeof record);
}

rill_status rill_mesh_write_stl(const rill_mesh *mesh, const char *path, const char *note)
{
    rill_status status = RILL_OK;
    rill_output *output = NULL;
    char header[84] = {0};
    RILL_TRY(rill_output_create(path, &output));
    /* It must not begin with "solid", which text files do. */
    snprintf(header, 80, "rill, millimetres: %s", note ? note : "");
    for (int b = 0; b < 4; b++) header[80 + b] = (char)(mesh->triangle_count >> 8 * b);
    RILL_TRY(rill_output_append(output, header, sizeof header));
    for (uint32_t t = 0; t < mesh->triangle_count; t++) RILL_TRY(write_triangle(output, mesh, t));
    RILL_TRY(rill_output_commit(output));
done:
    rill_output_destroy(output);
    return status;
}
