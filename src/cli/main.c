/* SPDX-License-Identifier: Apache-2.0 */
/* The command: finds the subcommand and hands over. */
#include "cli/cli.h"
#include "cli/team.h"
#include "core/h5.h"
#include "core/memory.h"
#include "core/processors.h"
#include "core/threads.h"
#include "io/json_file.h"

#include <errno.h>
#include <string.h>

static void print_help(FILE *to)
{
    fprintf(
        to,
        "rill %s: lattice Boltzmann flow in porous media and vessels\n\nUsage: rill COMMAND [options]\n\nCommands:\n",
        rill_version());
    for (const cli_command *const *c = cli_commands; *c; c++)
        fprintf(to, "  %-14s%s\n", (*c)->name, (*c)->summary);
    fprintf(
        to,
        "\n`rill COMMAND --help` or `rill help COMMAND` shows the options of a command. `rill --version` prints\n"
        "version, build options, devices and libraries, with --json as JSON.\n"
        "Exit codes: 0 done, 1 usage or input, 2 numerical failure, 3 memory, disk or device, 4 stopped by a\nsignal.\n");
}

/* Print the message of a failure. */
static int told(rill_status status)
{
    fprintf(stderr, "rill: %s\n", rill_error_message());
    return (int)status;
}

static int fail_unknown(const char *name)
{
    rill_nearest match = {0};
    for (const cli_command *const *c = cli_commands; *c; c++) rill_nearest_try(&match, name, (*c)->name);
    const bool meant = rill_nearest_is_meant(&match, name);
    return told(rill_fail(RILL_USAGE, "unknown command \"%s\"%s%s%s (`rill --help` lists all)", name,
                          meant ? ": did you mean `" : "", meant ? match.name : "", meant ? "`" : ""));
}

/* `rill --version` and `rill --version --json`. */
static int print_version(int argc, char **argv)
{
    const bool json = argc > 2 && strcmp(argv[2], "--json") == 0;
    if (argc > 2 + json)
        return told(rill_fail(RILL_USAGE, "unexpected argument \"%s\": usage is rill --version [--json]",
                              argv[2 + json]));
    const rill_status status = cli_version_print(json);
    return status == RILL_OK ? RILL_OK : told(status);
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return RILL_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) { return print_version(argc, argv); }
    const bool help = strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
    if (help && argc < 3) {
        print_help(stdout);
        return RILL_OK;
    }
    if (help) name = argv[2];
    if (name[0] == '-') {
        return told(rill_fail(RILL_USAGE,
                              "unknown option %s: give a command first (`rill --help` lists them)", name));
    }
    const cli_command *command = cli_command_find(name);
    if (command == NULL) return fail_unknown(name);
    if (cli_team() && command != &cli_permeability && command != &cli_run && command != &cli_check &&
        command != &cli_bench && command != &cli_verify) {
        fprintf(stderr, "rill: %s uses one process, and %d were started: start it without the launcher\n",
                command->name, cli_team()->size);
        return RILL_USAGE;
    }
    if (!help) return command->run(argc - 1, argv + 1);
    char option[] = "--help";
    char *arguments[] = {argv[2], option, NULL};
    return command->run(2, arguments);
}

int main(int argc, char **argv)
{
    if (!rill_processor_serves()) {
        fprintf(stderr, "rill: " RILL_PROCESSOR_LACKS "\n");
        return RILL_SYSTEM;
    }
    cli_guard_begin();
    rill_json_watch();
    cli_remarks(false);
    cli_pipe_begin();
    rill_threads_limit_openmp();
    rill_memory_give_back();
    int code;
    if (!cli_team_begin(&code)) return cli_guard_end(code);
    code = rill_threads_check() == RILL_OK ? run(argc, argv) : told(RILL_USAGE);
    cli_progress_end();
    if (code == RILL_OK && rill_json_check() != RILL_OK) {
        fprintf(stderr, "rill: %s\n", rill_error_message());
        code = RILL_SYSTEM;
    }
    if (code == RILL_OK && cli_rows_lack()) {
        fprintf(stderr, "rill: out of memory for a row of what is printed: free memory\n");
        code = RILL_SYSTEM;
    }
    if (rill_h5_lacked_memory() && (code == RILL_OK || code == RILL_USAGE)) {
        fprintf(stderr, "rill: the HDF5 library lacked memory: free memory, or use a smaller case\n");
        code = RILL_SYSTEM;
    }
    cli_team_end(code);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == RILL_OK && !cli_pipe_closed()) {
        fprintf(stderr, "rill: standard output cannot be written (%s): free space or write elsewhere\n",
                strerror(errno));
        code = RILL_SYSTEM;
    }
    return cli_guard_end(cli_pipe_end(code));
}
