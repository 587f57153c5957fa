/* SPDX-License-Identifier: Apache-2.0 */
/* The program itself: help, version, unknown commands, a full standard output. */
#include "cli_test.h"

#include <jansson.h>

TestSuite(main, .init = cli_test_start, .fini = cli_test_end);

Test(main, help_and_version)
{
    const cli_result help = cli_test_run("--help"), same = cli_test_run("help");
    cr_assert_eq(help.code, 0);
    cr_assert_str_eq(help.out, same.out);
    cr_assert_str_eq(help.err, "");
    cr_assert_not_null(strstr(help.out, "Usage: rill COMMAND"));
    cr_assert_not_null(strstr(help.out, "Exit codes: 0 done, 1 usage or input, 2 numerical failure, 3 "));
    const cli_result version = cli_test_run("--version");
    int major, minor, patch;
    cr_assert_eq(sscanf(version.out, "rill %d.%d.%d", &major, &minor, &patch), 3, "%s", version.out);
    const cli_result none = cli_test_run_list((const char *const[]){NULL});
    cr_assert_eq(none.code, 1);
    cr_assert_str_eq(none.out, "");
    cr_assert_str_eq(none.err, help.out);
}

Test(main, version_as_json_has_build_libraries_and_devices)
{
    const cli_result plain = cli_test_run("--version"), r = cli_test_run("--version", "--json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *json = json_loads(r.out, 0, NULL);
    cr_assert_not_null(json, "%s", r.out);
    cr_assert_not_null(strstr(plain.out, json_string_value(json_object_get(json, "version"))));
    json_t *build = json_object_get(json, "build"), *libraries = json_object_get(json, "libraries");
    cr_assert_gt(json_array_size(json_object_get(build, "cpu_levels")), 0);
    cr_assert(json_is_array(json_object_get(build, "cuda_architectures")));
    cr_assert_str_eq(json_string_value(json_object_get(libraries, "jansson")), jansson_version_str());
    static const char *const names[] = {"hdf5",    "libtiff", "libpng", "udunits", "xxhash",
                                        "libyaml", "zlib",    "libzip", "expat"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char *version = json_string_value(json_object_get(libraries, names[k]));
        cr_assert(version && strspn(version, "0123456789.") == strlen(version) && strchr(version, '.'),
                  "%s: %s", names[k], version);
    }
    const json_t *cpu = json_array_get(json_object_get(json, "backends"), 0),
                 *cuda = json_array_get(json_object_get(json, "backends"), 1);
    cr_assert(json_is_true(json_object_get(cpu, "available")) &&
              json_is_null(json_object_get(cpu, "reason")));
    cr_assert_neq(json_is_true(json_object_get(cuda, "available")),
                  json_is_string(json_object_get(cuda, "reason")));
    const json_t *first = json_array_get(json_object_get(json, "devices"), 0);
    cr_assert_str_eq(json_string_value(json_object_get(first, "backend")), "cpu");
    cr_assert_gt(strlen(json_string_value(json_object_get(first, "name"))), 0);
    json_decref(json);
    cli_test_fails(1, "unexpected argument \"--jason\"", "--version", "--jason");
    cli_test_fails(1, "unexpected argument \"more\"", "--version", "--json", "more");
}

/* A line each, of the same values as the document. */
Test(main, version_has_a_line_for_each_backend_device_and_library)
{
    const cli_result plain = cli_test_run("--version"), r = cli_test_run("--version", "--json");
    json_t *json = json_loads(r.out, 0, NULL), *library;
    cr_assert_not_null(json, "%s", r.out);
    const char *key;
    char line[512];
    json_object_foreach(json_object_get(json, "libraries"), key, library)
    {
        if (json_is_integer(library))
            snprintf(line, sizeof line, "\nlibrary    %s %d\n", key, (int)json_integer_value(library));
        else
            snprintf(line, sizeof line, "\nlibrary    %s %s\n", key,
                     json_is_null(library) ? "not found" : json_string_value(library));
        cr_assert_not_null(strstr(plain.out, line), "no \"%s\" in %s", line, plain.out);
    }
    const json_t *device = json_array_get(json_object_get(json, "devices"), 0);
    snprintf(line, sizeof line, "\ndevice     cpu:0 %s\n",
             json_string_value(json_object_get(device, "name")));
    cr_assert_not_null(strstr(plain.out, line), "no \"%s\" in %s", line, plain.out);
    cr_assert_not_null(strstr(plain.out, "\nbackend    cpu: available\n"));
    cr_assert_not_null(strstr(plain.out, "\nbackend    cuda: "));
    cr_assert_not_null(strstr(plain.out, "\nbuild      "));
    json_decref(json);
}

Test(main, every_command_is_listed_and_has_help)
{
    static const char *const commands[] = {"generate", "voxelize", "info",   "permeability", "export",
                                           "bench",    "variants", "verify", "check",        "run"};
    const cli_result list = cli_test_run("--help");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        char line[64];
        snprintf(line, sizeof line, "\n  %s ", commands[i]);
        cr_assert_not_null(strstr(list.out, line), "%s is not listed", commands[i]);
        const cli_result a = cli_test_run("help", commands[i]), b = cli_test_run(commands[i], "--help");
        cr_assert_eq(a.code, 0, "%s", a.err);
        cr_assert_str_eq(a.out, b.out);
        snprintf(line, sizeof line, "Usage: rill %s", commands[i]);
        cr_assert_eq(strncmp(a.out, line, strlen(line)), 0, "%s", a.out);
        snprintf(line, sizeof line, "\n\nExamples:\n    rill %s", commands[i]);
        cr_assert_not_null(strstr(a.out, line), "%s", a.out);
        cr_assert_eq(cli_test_run(commands[i], "--help-all").code, 0, "%s", commands[i]);
        cli_test_fails(1, "--nonsuch", commands[i], "--nonsuch");
    }
}

Test(main, shared_flags_are_shown_with_their_defaults)
{
    static const char *const parts[] = {"--lattice d3q19|d3q27|d3q15|d2q9",
                                        "--collision srt|trt|mrt|central-moment|cumulant",
                                        "--magic NUMBER",
                                        "(default: 3/16)",
                                        "--equilibrium second-order|stokes",
                                        "--stream pull|push|aa|esotwist|esopull|esopush|ring|macroscopic",
                                        "--addressing list|dense|chase|bitmap",
                                        "--storage fp32|fp64|fp16|fp16s|fp16c",
                                        "--backend auto|cpu|cuda",
                                        "--tau NUMBER",
                                        "--tolerance FRACTION",
                                        "--max-steps COUNT",
                                        "--memory SIZE",
                                        "--json FILE",
                                        "-o, --output FILE",
                                        "-q, --quiet"};
    const cli_result help = cli_test_run("permeability", "--help-all");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        cr_assert_not_null(strstr(help.out, parts[i]), "no \"%s\" in %s", parts[i], help.out);
}

/* Standard output is one document, and everything else is on standard error. */
static void expect_document(const cli_result *r, const char *command, const char *table)
{
    cr_assert_eq(r->code, 0, "%s: %s", command, r->err);
    json_error_t error;
    json_t *json = json_loads(r->out, 0, &error);
    cr_assert_not_null(json, "%s: %s in\n%s", command, error.text, r->out);
    json_decref(json);
    cr_assert_not_null(strstr(r->err, table), "%s: no \"%s\" in\n%s", command, table, r->err);
    cr_assert_not(cli_test_exists("-"));
}

Test(main, json_goes_to_standard_output)
{
    cli_result r = cli_test_run("generate", "spheres", "--lattice", "sc", "--solid-fraction", "0.216",
                                "--cells", "8", "-o", "a.geom.h5", "--raw", "a_8x8x8.raw", "--json", "-");
    expect_document(&r, "generate", "fluid nodes");
    r = cli_test_run("voxelize", "a_8x8x8.raw", "--pore", "0", "-o", "b.geom.h5", "--json=-");
    expect_document(&r, "voxelize", "grey values");
    r = cli_test_run("permeability", "a.geom.h5", "--json", "-", "-o", "a.h5");
    expect_document(&r, "permeability", "permeability k_zz");
    r = cli_test_run("permeability", "a.geom.h5", "--json", "-", "-q");
    expect_document(&r, "permeability -q", "");
    cr_assert_str_eq(r.err, "");
    r = cli_test_run("verify", "--case", "channels/plates-8", "--backend", "cpu", "--json", "-");
    expect_document(&r, "verify", "1 of 1 checks passed");
    r = cli_test_run("bench", "--suite", "box", "--cells", "8", "--stream", "aa", "--seconds", "0.01",
                     "--backend", "cpu", "--json", "-");
    expect_document(&r, "bench", "timed");
    r = cli_test_run("generate", "bend", "--edge", "2mm", "-o", "v.stl", "--json", "-");
    expect_document(&r, "generate bend", "triangles");
    r = cli_test_run("info", "a.geom.h5", "--json", "-");
    expect_document(&r, "info", "");
}

Test(main, standard_output_takes_no_file)
{
    static const char *const commands[][4] = {{"permeability", "a.geom.h5"},
                                              {"voxelize", "a.raw"},
                                              {"run", "a.yaml"},
                                              {"generate", "pack"},
                                              {"bench", "-q"}};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        cli_test_fails(1, "this output cannot go to standard output", commands[i][0], commands[i][1], "-o",
                       "-");
    cli_test_fails(1, "there is one standard output: name a file", "generate", "spheres", "--raw", "-",
                   "--json", "-");
    cr_assert_not(cli_test_exists("-"));
}

Test(main, voxels_and_pictures_go_to_standard_output)
{
    const char *rill = getenv("RILL");
    char command[1200];
    snprintf(
        command, sizeof command,
        "%s generate spheres --cells 16 -o a.geom.h5 --raw a.raw >table && %s generate spheres --cells 16 --raw - 2>err | cmp - a.raw && grep -q 'raw image' err && %s export a.geom.h5 -o a.png >table && %s export a.geom.h5 -o - 2>err | cmp - a.png && grep -q picture err",
        rill, rill, rill, rill);
    cr_assert_eq(system(command), 0);
    cr_assert_not(cli_test_exists("-"));
}

Test(main, unknown_commands_name_the_nearest)
{
    cli_test_fails(1, "unknown command \"permeabilty\": did you mean `permeability`", "permeabilty");
    cli_test_fails(1, "did you mean `generate`", "help", "gen");
    cli_test_fails(1, "unknown command \"qqqqqqqq\" (`rill --help` lists all)", "qqqqqqqq");
    cli_test_fails(1, "unknown option --colour", "--colour");
}

Test(main, full_standard_output)
{
    char command[512];
    snprintf(command, sizeof command, "'%s' --help >/dev/full 2>err", getenv("RILL"));
    const int state = system(command);
    cr_assert(WIFEXITED(state) && WEXITSTATUS(state) == 3);
}
