/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The installed tree, which `make test` puts below RILL_PREFIX: the program runs from there, and the C
 * examples (RILL_EXAMPLES is their directory) compile against it with what pkg-config says alone (RILL_CC is
 * the compiler) and get their numbers.
 */
#include "cli_test.h"
#include "rill.h"

#include <math.h>
#include <sys/stat.h>

TestSuite(install, .init = cli_test_start, .fini = cli_test_end);

static const char *require(const char *name)
{
    const char *value = getenv(name);
    cr_assert_not_null(value, "set %s, or use `make test`", name);
    return value;
}

/* Run a shell command and return the first line that it prints. */
static void shell(char *line, int size, const char *command)
{
    line[0] = '\0';
    FILE *pipe = popen(command, "r");
    cr_assert_not_null(pipe);
    if (fgets(line, size, pipe) == NULL) line[0] = '\0';
    const int state = pclose(pipe);
    cr_assert(WIFEXITED(state) && WEXITSTATUS(state) == 0, "`%s` failed", command);
}

Test(install, program_runs_from_the_prefix)
{
    char program[512], line[512];
    snprintf(program, sizeof program, "env -u LD_LIBRARY_PATH '%s/bin/rill' --version",
             require("RILL_PREFIX"));
    shell(line, sizeof line, program);
    cr_assert_eq(strncmp(line, "rill 0.", 7), 0, "%s", line);
}

/* The program and the library find rill-inspect, without which they read no HDF5 file of others. */
Test(install, hdf5_files_are_inspected)
{
    char command[1024], line[512];
    snprintf(
        command, sizeof command,
        "env -u RILL_INSPECT '%s/bin/rill' generate box --size 4x4x4 -q -o a.geom.h5 && env -u RILL_INSPECT '%s/bin/rill' info a.geom.h5 | grep -c '^  kind  *geometry$'",
        require("RILL_PREFIX"), require("RILL_PREFIX"));
    shell(line, sizeof line, command);
    cr_assert_str_eq(line, "1\n");
}

/* The installed data are found beside the program: a changed copy of both, away from the prefix. */
Test(install, program_reads_the_data_beside_it)
{
    char command[2048], line[512];
    snprintf(
        command, sizeof command,
        "mkdir bin share && cp '%s/bin/rill' bin && cp -r '%s/share/rill' share && sed -i 's/24.83/30/' share/rill/cylinder-arrays.csv && (env -u RILL_DATA bin/rill verify --case cylinders/0.1 --backend cpu || true) | grep -c ' 0.033333333 '",
        require("RILL_PREFIX"), require("RILL_PREFIX"));
    shell(line, sizeof line, command);
    cr_assert_str_eq(line, "1\n");
}

/* A page for each command and kind, with as many options as --help shows. */
Test(install, man_pages_have_every_option)
{
    char command[2048], line[512];
    snprintf(
        command, sizeof command,
        "pages='%s/share/man/man1'; rill='%s/bin/rill'; n=0; grep -q '^rill .- lattice' $pages/rill.1 || exit 1; "
        "for c in generate voxelize info check run permeability export bench variants verify 'generate grf' 'generate bend'; "
        "do page=$pages/rill-$(echo $c | tr ' ' -).1; test $($rill $c --help-all | grep -c '^  -') = $(grep -c '^[.]B .-' $page) || exit 1; "
        "grep -q '^[.]SH NAME' $page || exit 1; n=$((n + 1)); done; echo $n",
        require("RILL_PREFIX"), require("RILL_PREFIX"));
    shell(line, sizeof line, command);
    cr_assert_str_eq(line, "12\n");
}

/* What bash completes after these words. */
static void completes(const char *words, const char *expected)
{
    char command[2048], line[1024];
    snprintf(
        command, sizeof command,
        "bash -c 'source %s/share/bash-completion/completions/rill; COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _rill; echo \"${COMPREPLY[*]}\"'",
        require("RILL_PREFIX"), words);
    shell(line, sizeof line, command);
    line[strcspn(line, "\n")] = '\0';
    cr_assert_str_eq(line, expected, "%s: %s", words, line);
}

Test(install, bash_completes_commands_kinds_options_and_choices)
{
    completes("rill perm", "permeability");
    completes("rill generate g", "grf gyroid");
    completes("rill generate grf --cor", "--correlation");
    completes("rill permeability --drive \"\"", "force pressure");
    completes("rill permeability --acc", "--acceleration");
    completes("rill permeability roc", "");
}

Test(install, other_shells_have_every_option)
{
    char command[2048], line[512];
    snprintf(
        command, sizeof command,
        "cd '%s/share' && for option in drive acceleration voxel-size; "
        "do grep -q -- \"from permeability' -l $option \" fish/vendor_completions.d/rill.fish && grep -q -- \"'--$option.*:\" zsh/site-functions/_rill || exit 1; done; head -n 1 zsh/site-functions/_rill",
        require("RILL_PREFIX"));
    shell(line, sizeof line, command);
    cr_assert_str_eq(line, "#compdef rill\n");
}

/* With a version that fits, without one, and with one that does not exist yet. */
Test(install, cmake_finds_the_library)
{
    char command[4096], line[512];
    const char *prefix = require("RILL_PREFIX");
    snprintf(
        command, sizeof command,
        "cp '%s/permeability.c' . && cat >CMakeLists.txt <<'END'\n"
        "cmake_minimum_required(VERSION 3.20)\nproject(example C)\nfind_package(rill ${WANTED} REQUIRED)\n"
        "add_executable(example permeability.c)\ntarget_link_libraries(example rill::rill m)\nEND\n"
        "export CC='%s'; for wanted in '' 0.1 %d.%d.%d; do cmake -DWANTED=$wanted -DCMAKE_PREFIX_PATH='%s' -B b >log 2>&1 || exit 1; done; "
        "cmake -DWANTED=9.0 -DCMAKE_PREFIX_PATH='%s' -B c >log 2>&1 && exit 1; { cmake --build b >log 2>&1 || { cat log >&2; exit 1; }; } && ./b/example",
        require("RILL_EXAMPLES"), require("RILL_CC"), RILL_VERSION_MAJOR, RILL_VERSION_MINOR,
        RILL_VERSION_PATCH, prefix, prefix);
    shell(line, sizeof line, command);
    cr_assert_not_null(strstr(line, "k = 21.375"), "%s", line);
}

Test(install, pkg_config_knows_the_library)
{
    char line[1024], flags[1024];
    setenv("PKG_CONFIG_LIBDIR", "/nonexistent", 1);
    snprintf(line, sizeof line, "%s/lib/pkgconfig", require("RILL_PREFIX"));
    setenv("PKG_CONFIG_PATH", line, 1);
    shell(line, sizeof line, "pkg-config --modversion rill");
    cr_assert_eq(strspn(line, "0123456789.") + 1, strlen(line), "version %s", line);
    shell(line, sizeof line, "pkg-config --cflags --libs rill");
    snprintf(flags, sizeof flags, "-I%s/include -L%s/lib -lrill", getenv("RILL_PREFIX"),
             getenv("RILL_PREFIX"));
    cr_assert_eq(strncmp(line, flags, strlen(flags)), 0, "%s is not %s", line, flags);
}

Test(install, library_has_its_usual_names)
{
    char command[2048], line[512], names[64];
    snprintf(names, sizeof names, "librill.so.%d librill.so.%d.%d.%d ", RILL_VERSION_MAJOR,
             RILL_VERSION_MAJOR, RILL_VERSION_MINOR, RILL_VERSION_PATCH);
    snprintf(command, sizeof command, "cd '%s/lib' && readlink librill.so librill.so.* | tr '\\n' ' '",
             require("RILL_PREFIX"));
    shell(line, sizeof line, command);
    cr_assert_str_eq(line, names);
}

/* Compile an example and run it; the line is the last of what it prints that begins with these words. */
static void example(char *line, int size, const char *name, const char *arguments, const char *words)
{
    char command[4096];
    const char *prefix = require("RILL_PREFIX");
    snprintf(
        command, sizeof command,
        "PKG_CONFIG_PATH='%s/lib/pkgconfig' && export PKG_CONFIG_PATH && %s -std=c11 -Wall -Wextra -Werror -o example '%s/%s' $(pkg-config --cflags --libs rill) -lm '-Wl,-rpath,%s/lib' && ./example %s >printed && grep '^%s' printed | tail -n 1",
        prefix, require("RILL_CC"), require("RILL_EXAMPLES"), name, prefix, arguments, words);
    shell(line, size, command);
}

/* Compile a source and run it. */
static void compile(char *line, int size, const char *source)
{
    char command[4096];
    const char *prefix = require("RILL_PREFIX");
    FILE *file = fopen("source.c", "w");
    cr_assert_not_null(file);
    fputs(source, file);
    cr_assert_eq(fclose(file), 0);
    snprintf(
        command, sizeof command,
        "PKG_CONFIG_PATH='%s/lib/pkgconfig' && export PKG_CONFIG_PATH && %s -std=c11 -Wall -Wextra -Werror -o source source.c $(pkg-config --cflags --libs rill) '-Wl,-rpath,%s/lib' && ./source",
        prefix, require("RILL_CC"), prefix);
    shell(line, size, command);
}

Test(install, header_states_the_version_of_the_library)
{
    char line[512];
    compile(
        line, sizeof line,
        "#include <rill.h>\n#include <stdio.h>\n"
        "int main(void) { printf(\"%d.%d.%d %s\\n\", RILL_VERSION_MAJOR, RILL_VERSION_MINOR, RILL_VERSION_PATCH, rill_version()); return 0; }\n");
    char *library = strchr(line, ' ');
    cr_assert_not_null(library, "%s", line);
    *library++ = '\0';
    cr_assert_eq(strncmp(library, line, strlen(line)), 0, "%s and %s", line, library);
}

Test(install, every_header_stands_alone)
{
    char command[2048], line[512];
    snprintf(
        command, sizeof command,
        "cd '%s/include' && for header in rill.h rill/*.h; do echo \"#include <$header>\" | %s -std=c11 -Wall -Wextra -Werror -I. "
        "-fsyntax-only -x c - || exit 1; done; ls rill | wc -l",
        require("RILL_PREFIX"), require("RILL_CC"));
    shell(line, sizeof line, command);
    cr_assert_geq(atoi(line), 10, "%s", line);
}

Test(install, permeability_gets_its_number)
{
    char line[512];
    example(line, sizeof line, "permeability.c", "", "rill");
    const char *number = strstr(line, "k = ");
    cr_assert_not_null(number, "%s", line);
    cr_assert(fabs(strtod(number + 4, NULL) - 21.375) < 1e-8, "%s", line); /* 16^2/12 + 1/24 */
}

/* Poiseuille in a pipe of radius 1 mm and length 4 mm: a drop of 8 mu L Q / (pi R^4). */
Test(install, vessel_gets_flow_and_pressure)
{
    char line[512];
    double flow, pressure;
    cli_result r = cli_test_run("generate", "bend", "--radius", "1mm", "--angle", "0", "--inlet", "2mm",
                                "--outlet", "2mm", "--edge", "0.15mm", "-q", "-o", "p.stl");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("voxelize", "p.stl", "--units", "mm", "--dx", "0.22mm", "--name", "0mm,0mm,0mm=in",
                     "--name", "0mm,0mm,4mm=out", "-o", "p.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    FILE *file = fopen("p.yaml", "w");
    cr_assert_not_null(file);
    fputs("geometry: p.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\n"
          "openings:\n  in: {kind: inlet, flow: 0.1 mL/s, profile: parabolic}\n"
          "  out: {kind: pressure, pressure: 0 Pa}\nrun: {mach: 0.1, tolerance: 0.002}\n",
          file);
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(mkdir("results", 0777), 0);
    example(line, sizeof line, "vessel.c", "p.yaml results", "out: ");
    cr_assert_eq(sscanf(line, "out: flow %lf mL/s, pressure %lf Pa", &flow, &pressure), 2, "%s", line);
    cr_assert_float_eq(flow, -0.1, 1e-3, "%s", line);
    cr_assert_float_eq(pressure, 0, 0.1, "%s", line);
    shell(line, sizeof line, "grep '^in: ' printed");
    cr_assert_eq(sscanf(line, "in: flow %lf mL/s, pressure %lf Pa", &flow, &pressure), 2, "%s", line);
    const double drop = 8 * 4e-3 * 4e-3 * 0.1e-6 / (M_PI * 1e-12);
    cr_assert_float_eq(flow, 0.1, 1e-6, "%s", line);
    cr_assert_float_eq(pressure, drop, 0.1 * drop, "%g Pa expected: %s", drop, line);
    cr_assert_eq(access("results/run.h5", R_OK), 0);
    /* A directory that is not there is told before the first step. */
    shell(line, sizeof line, "./example p.yaml nowhere 2>&1 >/dev/null | head -n 1");
    cr_assert_eq(strncmp(line, "vessel: cannot write nowhere", 28), 0, "%s", line);
}

/* A square duct: k = 0.03514 a^4 / A; a pipe of radius 1 mm: wall shear 4 mu Q / (pi R^3). Nothing is
 * written. */
Test(install, arrays_get_their_numbers_without_files)
{
    char line[512];
    double k, again, flow, shear;
    unsigned triangles, all;
    example(line, sizeof line, "arrays.c", "", "duct: ");
    cr_assert_eq(sscanf(line, "duct: k = %lf lu, from the velocity %lf lu", &k, &again), 2, "%s", line);
    cr_assert_float_eq(k, 0.03514 * 8 * 8 * 8 * 8 / 144, 0.02, "%s", line);
    cr_assert_float_eq(again, k, 1e-4 * k, "%s", line);
    shell(line, sizeof line, "grep '^pipe: ' printed");
    cr_assert_eq(sscanf(line, "pipe: flow %lf mL/s, wall shear %lf Pa on %u of %u triangles", &flow, &shear,
                        &triangles, &all),
                 4, "%s", line);
    cr_assert_float_eq(flow, 0.1, 0.002, "%s", line);
    cr_assert_float_eq(shear, 4 * 4e-3 * 0.1e-6 / (M_PI * 1e-9), 0.03, "%s", line);
    cr_assert_eq(triangles, all);
    shell(line, sizeof line, "ls | wc -l"); /* the program, and what it printed */
    cr_assert_eq(atoi(line), 2, "%s", line);
}
