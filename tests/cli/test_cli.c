/* SPDX-License-Identifier: Apache-2.0 */
/* Reading of options: every type, its limits, and the sentence that each mistake gets. */
#include "cli/cli.h"
#include "core/progress.h"
#include "cli/error_bar_output.h"
#include "cli/vessel.h"
#include "io/hdf5.h"
#include "io/result.h"
#include "message.h"
#include "own_clock.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <math.h>
#include <poll.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool flag, real_given;
static const char *text;
static int number, choice;
static bool odd;
static uint64_t count, size;
static double real, length;
static cli_list many;
static const char *const colours[] = {"red", "green", "blue", NULL};
static const char *rest[2];
static int rest_count;

static const cli_option options[] = {
    {"flag", 'f', CLI_FLAG, &flag, .help = "a flag"},
    {.help = "Values"},
    {"text", 0, CLI_TEXT, &text, "TEXT", "a text"},
    {"number", 'n', CLI_INT, &number, "N", "a number", .min = -5, .max = 100},
    {"steps", 0, CLI_COUNT, &count, "COUNT", "time steps", .min = 1, .max = 1e15},
    {"real", 0, CLI_REAL, &real, "NUMBER", "a real, in time steps", .min = 0.5, .max = 2, .above = true,
     .given = &real_given},
    {"voxel-size", 0, CLI_LENGTH, &length, "LENGTH", "edge of a voxel"},
    {"size", 0, CLI_BYTES, &size, "SIZE", "a size"},
    {"colour", 0, CLI_CHOICE, &choice, .help = "a colour", .choices = colours},
    {"many", 'm', CLI_MULTI, &many, "TEXT", "texts"},
    {.help = "Odd ones"},
    {"odd", 0, CLI_FLAG, &odd, .help = "few need it", .rare = true},
    {0},
};
static const cli_option *const tables[] = {options, NULL};
static const cli_command command = {
    "paint", "FILE [options]", "paint a file", "rill paint a.png\nrill paint b.png --real 1\n", NULL, NULL};

static void reset(void)
{
    flag = real_given = false;
    text = "none";
    number = 7;
    choice = 1;
    count = 1000;
    size = 1 << 20;
    real = 1;
    length = 1e-6;
    many.count = 0;
}

static rill_status parse(const char *const *words, bool *help)
{
    char *argv[32] = {(char *)(uintptr_t) "paint"};
    int argc = 1;
    for (; *words != NULL; words++) argv[argc++] = (char *)(uintptr_t)*words;
    rest_count = 2;
    return cli_parse(&command, tables, argc, argv, rest, &rest_count, help);
}
#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL}, &(bool){false})

TestSuite(cli, .init = reset);

Test(cli, every_type)
{
    cr_assert_eq(PARSE("a.h5", "-f", "--text", "-x", "--number=-3", "--steps", "250k", "--real", "3/4",
                       "--voxel-size", "5.7um", "--size", "2GiB", "--colour", "blue", "-m1", "--many", "2",
                       "-m", "3", "--", "--b"),
                 RILL_OK, "%s", rill_error_message());
    cr_assert(flag);
    cr_assert_str_eq(text, "-x");
    cr_assert_eq(number, -3);
    cr_assert_eq(count, 250000);
    cr_assert_eq(real, 0.75);
    cr_assert(real_given);
    cr_assert(fabs(length - 5.7e-6) < 1e-18);
    cr_assert_eq(size, 2ull << 30);
    cr_assert_eq(choice, 2);
    cr_assert_eq(many.count, 3);
    cr_assert_str_eq(many.items[0], "1");
    cr_assert_str_eq(many.items[2], "3");
    cr_assert_eq(rest_count, 2);
    cr_assert_str_eq(rest[0], "a.h5");
    cr_assert_str_eq(rest[1], "--b");
}

Test(cli, spellings_of_numbers)
{
    cr_assert_eq(PARSE("-n", "-4", "--steps=1e6", "--real=80%"), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(number, -4);
    cr_assert_eq(count, 1000000);
    cr_assert(fabs(real - 0.8) < 1e-15);
    cr_assert_eq(PARSE("-"), RILL_OK);
    cr_assert_eq(rest_count, 1);
    cr_assert(real_given);
}

static void refuse(rill_status status, const char *part)
{
    cr_assert_eq(status, RILL_USAGE, "accepted where \"%s\" was expected", part);
    expect_message(part);
}

Test(cli, unknown_options_name_the_nearest)
{
    refuse(PARSE("--colur", "red"), "unknown option --colur: did you mean --colour (`rill paint --help`");
    refuse(PARSE("--voxelsize=1um"), "did you mean --voxel-size");
    refuse(PARSE("--vox", "1um"), "did you mean --voxel-size");
    refuse(PARSE("--frobnicate"), "unknown option --frobnicate (`rill paint --help` lists all)");
    refuse(PARSE("--rel"), "unknown option --rel: did you mean --real (");
    refuse(PARSE("--lex"), "unknown option --lex (");
    refuse(PARSE("-z"), "unknown option -z");
    refuse(PARSE("--hlep"), "did you mean --help");
    refuse(PARSE("a", "b", "c"), "unexpected argument \"c\": usage is rill paint FILE");
    char long_name[300] = "--";
    memset(long_name + 2, 'y', sizeof long_name - 3);
    refuse(PARSE(long_name), "unknown option --yyy");
}

Test(cli, wrong_values_name_value_and_limits)
{
    refuse(PARSE("--real", "0.5"), "--real 0.5 is out of range: give a number above 0.5 and at most 2");
    refuse(PARSE("--real", "2.1"), "out of range");
    refuse(PARSE("--real", "nan"), "--real \"nan\" is not a number");
    refuse(PARSE("--real", "inf"), "is not a number");
    refuse(PARSE("--real", "1/0"), "is not a number");
    refuse(PARSE("--real", "1.5x"), "is not a number");
    refuse(PARSE("--real", ""), "is not a number");
    refuse(PARSE("--number", "101"), "--number 101 is out of range: give a number from -5 to 100");
    refuse(PARSE("--number", "1.5"), "is not a whole number");
    refuse(PARSE("--number", "1e99"), "out of range");
    refuse(PARSE("--steps", "0"), "give a number from 1 to 1e+15");
    refuse(PARSE("--steps", "-5"), "out of range");
    refuse(PARSE("--steps", "5q"), "is not a whole number: give one such as 5000, 250k or 1e6");
    refuse(PARSE("--steps", "3/1"), "is not a whole number");
    refuse(PARSE("--voxel-size", "5.7"), "--voxel-size: \"5.7\" has no unit");
    refuse(PARSE("--voxel-size", "5.7 parsnips"), "unknown unit \"parsnips\"");
    refuse(PARSE("--size", "big"), "--size: \"big\" is not a size");
    refuse(PARSE("--colour", "grene"), "did you mean green? (choices: red, green, blue)");
    refuse(PARSE("--colour", ""), "--colour does not know \"\": choose one of red, green, blue");
    refuse(PARSE("--colour", "ultraviolet"), "choose one of red, green, blue");
    refuse(PARSE("--text="), "--text has an empty value: give TEXT");
    refuse(PARSE("--flag=1"), "--flag takes no value: leave out \"1\"");
    refuse(PARSE("--text", "--flag"), "--text needs a value: give TEXT");
    refuse(PARSE("--real"), "--real needs a value: give NUMBER");
    cr_assert(!real_given);
    cr_assert_eq(real, 1, "a refused value was stored");
    cr_assert_eq(number, 7);
}

Test(cli, too_many_repeats)
{
    const char *words[16] = {0};
    for (int i = 0; i < 15; i++) words[i] = "-mx";
    rill_status status = RILL_OK;
    for (int i = 0; i < 5; i++) status = parse(words, &(bool){false});
    refuse(status, "--many is given more than 64 times");
}

Test(cli, help_shows_placeholders_choices_and_defaults, .init = cr_redirect_stdout)
{
    reset();
    bool help = false;
    cr_assert_eq(parse((const char *const[]){"--real", "2", "--help", NULL}, &help), RILL_OK);
    cr_assert(help);
    cr_assert_eq(real, 1);
    fflush(stdout);
    char shown[4096];
    FILE *out = cr_get_redirected_stdout();
    const size_t n = fread(shown, 1, sizeof shown - 1, out);
    shown[n] = '\0';
    static const char *const parts[] = {
        "Usage: rill paint FILE [options]",
        "paint a file",
        "\nValues:\n",
        "  -f, --flag ",
        "--text TEXT",
        "(default: none)",
        "-n, --number N",
        "(default: 7)",
        "time steps (default: 1000)",
        "(default: 1)",
        "--voxel-size LENGTH",
        "(default: 1 um)",
        "(default: 1 MiB)",
        "red|green|blue",
        "(default: green)",
        "texts; may be repeated",
        "-h, --help",
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        cr_assert_not_null(strstr(shown, parts[i]), "\"%s\" is not in:\n%s", parts[i], shown);
}

/* What --help or --help-all prints. */
static void help_take(const char *option, char *shown, size_t room)
{
    reset();
    bool help = false;
    cr_assert_eq(parse((const char *const[]){option, NULL}, &help), RILL_OK);
    cr_assert(help);
    fflush(stdout);
    const size_t n = fread(shown, 1, room - 1, cr_get_redirected_stdout());
    shown[n] = '\0';
}

Test(cli, help_begins_with_examples_and_leaves_rare_options_out, .init = cr_redirect_stdout)
{
    char shown[4096];
    help_take("--help", shown, sizeof shown);
    cr_assert_not_null(
        strstr(shown, "paint a file\n\nExamples:\n    rill paint a.png\n    rill paint b.png --real 1\n"),
        "%s", shown);
    cr_assert_null(strstr(shown, "--odd"));
    cr_assert_null(strstr(shown, "Odd ones"));
    cr_assert_not_null(strstr(shown, "--help-all                  show 1 option more"), "%s", shown);
}

Test(cli, help_all_has_rare_options, .init = cr_redirect_stdout)
{
    char shown[4096];
    help_take("--help-all", shown, sizeof shown);
    cr_assert_not_null(strstr(shown, "\nOdd ones:\n  --odd "), "%s", shown);
    cr_assert_not_null(strstr(shown, "--help-all                  show all options"), "%s", shown);
}

Test(cli, shared_flags)
{
    cli_compute compute;
    cli_compute_defaults(&compute);
    const cli_option *const both[] = {cli_compute_options(&compute), NULL};
    const char *words[] = {"paint",        "--lattice", "d3q27", "--collision", "srt",  "--equilibrium",
                           "second-order", "--stream",  "pull",  "--storage",   "fp64", "--magic",
                           "1/4",          "--backend", "cpu",   "--tau",       "0.8",  "--max-steps",
                           "2M",           "--memory",  "3GiB"};
    bool help;
    int none = 0;
    cr_assert_eq(cli_parse(&command, both, (int)(sizeof words / sizeof words[0]), (char **)(uintptr_t)words,
                           NULL, &none, &help),
                 RILL_OK, "%s", rill_error_message());
    const rill_variant v = cli_compute_variant(&compute);
    cr_assert(v.lattice == RILL_D3Q27 && v.collision == RILL_SRT && v.equilibrium == RILL_SECOND_ORDER);
    cr_assert(v.stream == RILL_PULL && v.addressing == RILL_LIST && v.storage == RILL_FP64);
    cr_assert(compute.magic == 0.25 && compute.backend == RILL_BACKEND_CPU && compute.tau == 0.8);
    cr_assert(compute.tau_given && compute.max_steps_given && !compute.tolerance_given);
    cr_assert_eq(compute.max_steps, 2000000);
    cr_assert_str_eq(getenv("RILL_MEMORY"), "3GiB");

    static const char *const wrong[][3] = {{"paint", "--tau", "0.5"},       {"paint", "--tau", "0.49"},
                                           {"paint", "--magic", "0"},       {"paint", "--tolerance", "0"},
                                           {"paint", "--lattice", "d4q99"}, {"paint", "--memory", "lots"},
                                           {"paint", "--max-steps", "0"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        none = 0;
        refuse(cli_parse(&command, both, 3, (char **)(uintptr_t)wrong[i], NULL, &none, &help), wrong[i][2]);
    }
}

Test(cli, command_line_is_quoted)
{
    const char *words[] = {"info", "a b.h5", "--x=1", "it's", ""};
    char *line = cli_command_line(5, (char **)(uintptr_t)words);
    cr_assert_str_eq(line, "rill info 'a b.h5' --x=1 'it'\\''s' ''");
    free(line);
}

Test(cli, rows_are_aligned, .init = cr_redirect_stdout)
{
    cli_row("porosity", "%.3f", 0.25);
    cli_row("k in \xc2\xb5m\xc2\xb2", "%d", 1); /* two bytes, one column */
    fflush(stdout);
    cr_assert_stdout_eq_str(
        "  porosity                    0.250\n  k in \xc2\xb5m\xc2\xb2                    1\n");
}

/* No entries beside the diagonal */
static const rill_permeability along_one_axis = {.run_count = 1};

/* What error bars of flows along one axis have beside the diagonal. */
static void no_bounds_off_axis(rill_error_bar *bar)
{
    for (int i = 0; i < 9; i++) bar->off_axis[i / 3][i % 3] = NAN;
}

/* Orders that the grids do not show are told in words. */
Test(cli, error_bars_without_an_order_say_so, .init = cr_redirect_stdout)
{
    rill_error_bar bar = {.k = {NAN, NAN, 2}, .best = {NAN, NAN, 2}, .grid_count = 2, .complete = true};
    bar.staircase_limit[2] = NAN;
    for (int i = 0; i < RILL_ERROR_ROWS; i++)
        bar.contributions[i].name = rill_error_row_name((rill_error_row)i);
    for (int g = 0; g < 2; g++) {
        rill_error_bar_grid *grid = &bar.grids[g];
        for (int level = 0; level < RILL_ERROR_BAR_LEVELS; level++) grid->k[level][2] = 2;
        grid->order[2] = g ? 3.5 : (double)NAN;
        grid->limit[2] = 2;
        grid->uncertainty[2] = 0.02;
    }
    no_bounds_off_axis(&bar);
    cli_error_bar_print(&bar, &along_one_axis, NAN);
    fflush(stdout);
    char shown[2048];
    FILE *out = cr_get_redirected_stdout();
    shown[fread(shown, 1, sizeof shown - 1, out)] = '\0';
    cr_assert_not_null(strstr(shown, "split by 1, 2, 3: no order, finest grid 2 ± 1 %\n"), "%s", shown);
    cr_assert_not_null(strstr(shown, "order 3.50, not used, finest grid 2 ± 1 %\n"), "%s", shown);
    cr_assert_null(strstr(shown, "nan"), "%s", shown);
}

/* A file has every row and the total, along each axis, in /error_bar. */
Test(cli, files_have_the_error_bar)
{
    static const char *const paths[] = {"/error_bar/convergence",
                                        "/error_bar/number_format",
                                        "/error_bar/shape_and_voxels",
                                        "/error_bar/domain_boundaries",
                                        "/error_bar/segmentation",
                                        "/error_bar/sample",
                                        "/error_bar/total",
                                        "/error_bar/best_estimate"};
    const rill_run run = {.command = "rill permeability"};
    rill_error_bar bar = {.k = {NAN, NAN, 2}, .best = {NAN, NAN, 2.5}, .total = {NAN, NAN, 0.75}};
    char path[] = "/tmp/rill-error-bar-XXXXXX";
    rill_result *result = NULL;
    rill_h5_file *file = NULL;
    double value[3];
    close(mkstemp(path));
    unlink(path);
    for (int i = 0; i < RILL_ERROR_ROWS; i++) {
        rill_error_bar_contribution *c = &bar.contributions[i];
        c->name = rill_error_row_name((rill_error_row)i);
        c->half_width[0] = c->half_width[1] = NAN;
        c->half_width[2] = 0.125 * (i + 1);
    }
    no_bounds_off_axis(&bar);
    cr_assert_eq(rill_result_create(path, &run, &result), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(cli_error_bar_write(result, &bar, 1e-12), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_result_commit(result), RILL_OK, "%s", rill_error_message());
    rill_result_destroy(result);
    cr_assert_eq(rill_h5_open(path, &file), RILL_OK, "%s", rill_error_message());
    for (int i = 0; i < 8; i++) {
        const uint64_t three[1] = {3};
        cr_assert_eq(rill_h5_read(file, paths[i], RILL_H5_F64, 1, NULL, three, value), RILL_OK, "%s",
                     rill_error_message());
        cr_assert_eq(value[2], i < RILL_ERROR_ROWS ? 0.125 * (i + 1) : i == 6 ? 0.75 : 2.5, "%s", paths[i]);
        cr_assert(isnan(value[0]) && isnan(value[1]), "%s", paths[i]);
    }
    rill_h5_close(file);
    unlink(path);
}

Test(cli, progress_overwrites_itself_on_a_terminal)
{
    int master, slave;
    const struct winsize narrow = {.ws_row = 24, .ws_col = 20};
    cr_assert_eq(openpty(&master, &slave, NULL, NULL, &narrow), 0);
    const int saved = dup(STDERR_FILENO);
    dup2(slave, STDERR_FILENO);
    setenv("TERM", "xterm", 1);
    own_clock_tick = 0.015;
    const rill_progress line = cli_progress(false);
    for (int i = 0; i < 10; i++) /* in less than 0.2 s */
        cr_assert_eq(rill_progress_detail(line, "stepping", 0.005 * i, "a detail longer than the line"),
                     RILL_OK);
    cli_progress_end();
    cli_progress_end(); /* nothing left to clear */
    dup2(saved, STDERR_FILENO);
    char shown[256];
    static const char wanted[] =
        "\rstepping    0 %  a \033[K\r\033[K"; /* the first of all, cut at 19 columns */
    size_t n = 0;
    struct pollfd ready = {.fd = master, .events = POLLIN};
    while (n < sizeof wanted - 1 && poll(&ready, 1, 10000) > 0) { /* a terminal may hand it out in parts */
        const ssize_t part = read(master, shown + n, sizeof shown - 1 - n);
        cr_assert_gt(part, 0);
        n += (size_t)part;
    }
    cr_assert_eq(poll(&ready, 1, 0), 0); /* no more than that */
    shown[n] = '\0';
    cr_assert_str_eq(shown, wanted);
    close(master);
    close(slave);
    close(saved);
}

Test(cli, progress_is_throttled, .init = cr_redirect_stderr)
{
    setenv("TERM", "xterm", 1);
    own_clock_tick = 0.09; /* s: 100 reports in less than 10 s */
    const rill_progress quiet = cli_progress(true);
    for (int i = 0; i < 100; i++) cr_assert_eq(rill_progress_report(quiet, "labelling", 0.01 * i), RILL_OK);
    const rill_progress plain = cli_progress(false); /* a pipe: no terminal */
    for (int i = 0; i < 100; i++) (void)rill_progress_detail(plain, "labelling", 0.01 * i, "detail");
    cli_progress_end();
    fflush(stderr);
    cr_assert_stderr_eq_str("");
}

/* The first line of a run has neither a Mach number nor a balance: the first series does. */
Test(cli, progress_of_a_run_leaves_out_what_is_not_measured)
{
    char line[256];
    rill_run_moment moment = {.mach = NAN, .balance = NAN, .change = NAN, .mlups = 41.2};
    cli_run_detail(&moment, 12, line, sizeof line);
    cr_expect_str_eq(line, "0.0412 GLUPS, at most 12 s left");
    moment.mach = 0.05;
    moment.balance = 0.001;
    moment.change = 0.02;
    cli_run_detail(&moment, 12, line, sizeof line);
    cr_expect_str_eq(line,
                     "Mach 0.050, balance +0.1 % of the peak, change 0.02, 0.0412 GLUPS, at most 12 s left");
}

/* A signal cancels what reports, quiet or not; a second one would end the program. */
Test(cli, a_signal_cancels_through_the_progress_callback)
{
    const rill_progress quiet = cli_progress(true);
    cli_signals_catch(false);
    cr_assert_eq(rill_progress_report(quiet, "labelling", 0), RILL_OK);
    cr_assert_eq(raise(SIGTERM), 0);
    cr_assert_eq(rill_progress_report(quiet, "labelling", 0.5), RILL_CANCELLED);
    cr_assert_not_null(strstr(rill_error_message(), "labelling"));
}
