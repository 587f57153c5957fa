/* SPDX-License-Identifier: Apache-2.0 */
/* Field files of a diffusivity or a dispersion. */
#include "cli/solute_fields.h"

rill_status cli_solute_fields_write(const cli_solute_fields *f)
{
    rill_fields fields = rill_fields_default();
    fields.geom = f->geom;
    fields.moments = f->moments;
    fields.context = (void *)f->context; /* which is not written to */
    fields.vector = f->vector;
    fields.number = f->number;
    fields.velocity = f->unit;
    fields.pressure = (rill_field_unit){3, "1", 0, 0}; /* thirds are handed out */
    fields.command = f->command;
    fields.progress = f->progress;
    return rill_fields_write(&fields, (rill_fields_kind)f->kind, f->path);
}
