/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a case, and what it stands on. */
#include "cli/read_case.h"

rill_status cli_case_read(const char *path, const char *json, const rill_plan_options *options, cli_case *out)
{
    rill_status status = RILL_OK;
    const cli_output outputs[] = {{"--json", json}};
    RILL_TRY(cli_outputs_check(path, outputs, 1));
    RILL_TRY(rill_case_read(path, &out->given));
    RILL_TRY(cli_outputs_check(out->given->geometry, outputs, 1));
    status = rill_geom_read(out->given->geometry, &out->geom);
    if (status != RILL_OK) {
        rill_fail_prefix("%s, geometry", path);
        goto done;
    }
    RILL_TRY(rill_case_plan_make(out->given, out->geom, options, &out->plan));
done:
    return status;
}

void cli_case_free(cli_case *c)
{
    rill_geom_destroy(c->geom);
    rill_case_destroy(c->given);
    *c = (cli_case){0};
}
