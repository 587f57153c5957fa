/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a case, and what it stands on. */
#include "cli/vessel.h"

#include "cli/cli.h"
#include "io/geom_file.h"

rill_status cli_case_parse(const cli_command *command, const cli_option *own, cli_case_choices *c, int argc,
                           char **argv, const char **path, bool *help)
{
    static const char *const backends[] = {"auto", "cpu", "cuda", NULL};
    int count = 1;
    const cli_option options[] = {
        {"backend", 0, CLI_CHOICE, &c->backend, .help = "where it runs", .choices = backends},
        CLI_DEVICES(c->devices),
        {"no-measure", 0, CLI_FLAG, &c->unmeasured, .help = "do not measure the speed of this machine first"},
        {"allow-outside", 0, CLI_FLAG, &c->outside,
         .help = "read a geometry and waveforms outside the directory of the case, too"},
        {"allow-program", 0, CLI_FLAG, &c->program,
         .help = "run the program that the case names for outlets of kind model, with your rights"},
        {"json", 0, CLI_TEXT, &c->json, "FILE", "write what is printed as JSON, too; - is standard output",
         .fallback = "", .apply = cli_stream_apply},
        {"memory", 0, CLI_TEXT, &c->memory, "SIZE", "host memory that may be used",
         .fallback = "what is free", .apply = cli_memory_apply},
        {"quiet", 'q', CLI_FLAG, &c->quiet, .help = "print nothing but errors"},
        {0}};
    const cli_option *const tables[] = {own, options, NULL};
    const rill_status status = cli_parse(command, tables, argc, argv, path, &count, help);
    if (status == RILL_OK && !*help && !c->schema && count < 1)
        return rill_fail(RILL_USAGE, "no case is given: name a case file, see docs/vessels.md");
    return status;
}

rill_status cli_case_open(const char *path, const cli_case_choices *c, rill_case **out)
{
    const rill_status status =
        c->outside ? rill_case_read_outside(NULL, path, out) : rill_case_read(path, out);
    if (status == RILL_OK && c->program) rill_case_allow_program(*out);
    return status;
}

/* Open the devices that share the run, where several are named. */
static rill_status devices_open(cli_case_choices *c, rill_case_plan_options *options)
{
    rill_status status = RILL_OK;
    if (!cli_devices_several(&c->devices)) return RILL_OK;
    rill_device *first = NULL;
    RILL_TRY(rill_device_create(options->on.backend, cli_devices_first(&c->devices), &first));
    RILL_TRY(cli_devices_open(&c->devices, first));
    options->on.device = first;
    options->on.list = c->devices.parts;
    options->on.count = c->devices.part_count;
done:
    return status;
}

rill_status cli_case_read(const char *path, cli_case_choices *c, const char *resume, cli_case *out)
{
    rill_status status = RILL_OK;
    const cli_output outputs[] = {{"--json", c->json}};
    rill_keeper keeper = {.count = 0};
    rill_case_plan_options options = {
        .on.backend = (rill_backend_kind)c->backend, .measure = !c->unmeasured, .resume = resume};
    RILL_TRY(cli_devices_parse(&c->devices));
    RILL_TRY(cli_outputs_check(path, outputs, 1));
    RILL_TRY(cli_case_open(path, c, &out->given));
    RILL_TRY(cli_outputs_check(out->given->geometry, outputs, 1));
    out->devices = &c->devices;
    RILL_TRY(cli_devices_keeper(&c->devices, &keeper));
    status = rill_geom_read_kept(out->given->geometry, keeper.count > 1 ? &keeper : NULL, &out->geom);
    if (status != RILL_OK) {
        rill_fail_prefix("%s, geometry", path);
        goto done;
    }
    if (c->grids) rill_grids_begin(out->given, out->geom);
    RILL_TRY(rill_case_close(out->given, out->geom));
    RILL_TRY(devices_open(c, &options));
    RILL_TRY(rill_case_plan_make(out->given, out->geom, &options, &out->plan));
done:
    return status;
}

void cli_case_free(cli_case *c)
{
    rill_case_plan_free(&c->plan);
    rill_geom_destroy(c->geom);
    rill_case_destroy(c->given);
    if (c->devices) cli_devices_close(c->devices);
    *c = (cli_case){0};
}
