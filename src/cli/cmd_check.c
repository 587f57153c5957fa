/* SPDX-License-Identifier: Apache-2.0 */
/* rill check: state the plan of a case, and whether it can run, before anything is allocated for it. */
#include "cli/case_kinds.h"
#include "cli/cli.h"
#include "io/json_file.h"
#include "vessel/case/case.h"

#include <stdlib.h>

static rill_status check(const char *path, cli_case_choices *c)
{
    rill_status status = RILL_OK;
    json_t *json = NULL;
    cli_case read = {0};
    const cli_case_kind *kind = cli_case_kind_of(path);
    if (kind) return kind->check(path, c);
    RILL_TRY(cli_case_read(path, c, NULL, &read));
    if (!c->quiet) cli_case_print_plan(read.given, read.geom, &read.plan);
    if (c->json) {
        json = cli_case_plan_json(read.given, read.geom, &read.plan);
        if (!json ||
            json_object_set_new(json, "host_peak_bytes", json_integer((json_int_t)read.plan.host_peak)) != 0)
            RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for %s", c->json));
        RILL_TRY(cli_json_write(json, c->json));
    }
    status = rill_case_plan_accept(&read.plan);
done:
    json_decref(json);
    cli_case_free(&read);
    return status;
}

static rill_status print_schema(const char *section)
{
    const cli_case_kind *kind = section ? cli_case_kind_find(section) : NULL;
    if (section && !kind)
        return rill_fail(
            RILL_USAGE,
            "--schema prints the schema of all cases of vessels, or of a section such as cells: leave out %s",
            section);
    json_t *json = kind ? kind->schema() : rill_case_schema();
    char *text = json ? rill_json_text(json, 15) : NULL;
    json_decref(json);
    if (!text) return rill_fail(RILL_SYSTEM, "out of memory for the schema of case files");
    puts(text);
    free(text);
    return RILL_OK;
}

static int run(int argc, char **argv)
{
    rill_status status = RILL_OK;
    cli_case_choices c = {0};
    const char *path = NULL;
    bool help = false;
    const cli_option options[] = {
        {"schema", 0, CLI_FLAG, &c.schema,
         .help =
             "print the JSON Schema of case files, for editors, and nothing else; --schema cells: of those with the section cells"},
        CLI_OVERWRITE,
        {0}};
    RILL_TRY(cli_case_parse(&cli_check, options, &c, argc, argv, &path, &help));
    if (help) return RILL_OK;
    status = c.schema ? print_schema(path) : check(path, &c);
    if (status == RILL_OK && (fflush(stdout) != 0 || ferror(stdout)) && !cli_pipe_closed())
        status =
            rill_fail(RILL_SYSTEM, "cannot write to standard output: free space or choose another place");
done:
    return cli_report(&cli_check, status);
}

const cli_command cli_check = {
    .name = "check",
    .usage = "CASE.yaml|--schema [options]",
    .summary = "state the plan of a vessel's case, and whether it can run",
    .details =
        "Reads the case and its geometry, and states nodes, time step, tau, Mach, Reynolds and Womersley\n"
        "numbers, cells across each opening, memory and time. Small vessels are set up and stepped for a\n"
        "moment to measure that. Exit code 1 with the remedy when the case cannot run, 3 when memory does not suffice.",
    .examples = "rill check vessel.yaml\n"
                "rill check vessel.yaml --json plan.json\n"
                "rill check --schema\n"
                "rill check --schema cells\n",
    .run = run};
