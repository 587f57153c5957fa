/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The installed tree, which `make test` puts below RILL_PREFIX: the program runs from there, and the C
 * example compiles against it with what pkg-config says alone (RILL_CC is the compiler) and gets its number.
 */
#include "cli_test.h"
#include "rill.h"

#include <math.h>

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

Test(install, header_states_the_version_of_the_library)
{
    char command[2048], line[512];
    const char *prefix = require("RILL_PREFIX");
    FILE *file = fopen("version.c", "w");
    cr_assert_not_null(file);
    fputs("#include <rill.h>\n#include <stdio.h>\n"
          "int main(void) { printf(\"%d.%d.%d %s\\n\", RILL_VERSION_MAJOR, RILL_VERSION_MINOR, "
          "RILL_VERSION_PATCH, rill_version()); return 0; }\n",
          file);
    cr_assert_eq(fclose(file), 0);
    snprintf(command, sizeof command,
             "PKG_CONFIG_PATH='%s/lib/pkgconfig' && export PKG_CONFIG_PATH && "
             "%s -std=c11 -Wall -Wextra -Werror -o version version.c $(pkg-config --cflags --libs rill) "
             "'-Wl,-rpath,%s/lib' && ./version",
             prefix, require("RILL_CC"), prefix);
    shell(line, sizeof line, command);
    char *library = strchr(line, ' ');
    cr_assert_not_null(library, "%s", line);
    *library++ = '\0';
    cr_assert_eq(strncmp(library, line, strlen(line)), 0, "%s and %s", line, library);
}

Test(install, example_gets_its_number)
{
    char command[2048], line[512];
    const char *prefix = require("RILL_PREFIX");
    snprintf(command, sizeof command,
             "PKG_CONFIG_PATH='%s/lib/pkgconfig' && export PKG_CONFIG_PATH && "
             "%s -std=c11 -Wall -Wextra -Werror -o example '%s' $(pkg-config --cflags --libs rill) -lm "
             "'-Wl,-rpath,%s/lib' && ./example",
             prefix, require("RILL_CC"), require("RILL_EXAMPLE"), prefix);
    shell(line, sizeof line, command);
    const char *number = strstr(line, "k = ");
    cr_assert_not_null(number, "%s", line);
    cr_assert(fabs(strtod(number + 4, NULL) - 21.375) < 1e-8, "%s", line); /* 16^2/12 + 1/24 */
}
