/* SPDX-License-Identifier: Apache-2.0 */
/* rill info: tells what is in a file of ours. Reading is io/info.c's; here its JSON becomes rows. */
#include "cli/cli.h"
#include "core/units.h"
#include "io/info.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool json_wanted;

static const cli_option options[] = {{.name = "json",
                                      .kind = CLI_FLAG,
                                      .target = &json_wanted,
                                      .help = "print a JSON document instead of a table"},
                                     {0}};

static void print_scalar(FILE *out, const json_t *value)
{
    if (json_is_string(value))
        fputs(json_string_value(value), out);
    else if (json_is_integer(value))
        fprintf(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        fprintf(out, "%.6g", json_real_value(value));
    else
        fputs("nan", out); /* JSON has none: it is null there */
}

/* One value, or the values of a list or of x, y, z, on one line; false when there is more to it. */
static bool print_line(FILE *out, const json_t *value)
{
    const char *key;
    json_t *part;
    size_t i;
    if (json_is_array(value)) {
        json_array_foreach(value, i, part)
        {
            if (i > 0) fputc(' ', out);
            print_scalar(out, part);
        }
        return true;
    }
    if (!json_is_object(value)) return print_scalar(out, value), true;
    const json_t *number = json_object_get(value, "value"), *unit = json_object_get(value, "unit");
    if (!number) number = json_object_get(value, "last");
    if (number && !json_is_object(number)) { /* else it is a member of that name */
        print_line(out, number);
        if (unit && strcmp(json_string_value(unit), "1") != 0) fprintf(out, " %s", json_string_value(unit));
        return true;
    }
    if (json_object_size(value) != 3 || !json_object_get(value, "x")) return false;
    json_object_foreach((json_t *)value, key, part)
    {
        fprintf(out, "%s%s ", strcmp(key, "x") == 0 ? "" : "  ", key);
        print_scalar(out, part);
    }
    return true;
}

/* Prints an object as rows; deeper objects as a heading with rows of their own. */
static rill_status print_rows(const json_t *object, int indent)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        char *text = NULL, label[64];
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        if (!out) return rill_fail(RILL_SYSTEM, "out of memory for a table");
        const bool whole = print_line(out, value);
        fclose(out);
        snprintf(label, sizeof label, "%*s%s", 2 * indent, "", key);
        cli_row(label, "%s", whole ? text : "");
        free(text);
        const rill_status status = whole ? RILL_OK : print_rows(value, indent + 1);
        if (status != RILL_OK) return status;
    }
    return RILL_OK;
}

/* The file; "--json -" is allowed as in the other commands, as standard output is where the document goes. */
static rill_status one_path(const char *const *paths, int count, const char **path)
{
    for (int k = 0; k < count; k++) {
        if (json_wanted && strcmp(paths[k], "-") == 0) continue;
        if (*path)
            return rill_fail(RILL_USAGE, "unexpected argument \"%s\": one file is described at a time",
                             paths[k]);
        *path = paths[k];
    }
    return *path ? RILL_OK
                 : rill_fail(RILL_USAGE, "no file is given: name an image, geometry, result or field file");
}

static int run(int argc, char **argv)
{
    rill_status status = RILL_OK;
    const cli_option *const tables[] = {options, NULL};
    const char *paths[2] = {NULL};
    const char *path = NULL;
    int count = 2;
    bool help = false;
    json_t *json = NULL;
    json_wanted = false;
    RILL_TRY(cli_parse(&cli_info, tables, argc, argv, paths, &count, &help));
    if (help) return RILL_OK;
    RILL_TRY(one_path(paths, count, &path));
    RILL_TRY(rill_info_read(path, &json));
    if (json_wanted) {
        json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
        putchar('\n');
    } else {
        RILL_TRY(print_rows(json, 0));
    }
    if (fflush(stdout) != 0 || ferror(stdout))
        RILL_TRY(
            rill_fail(RILL_SYSTEM, "cannot write to standard output: free space or choose another place"));
done:
    json_decref(json);
    return cli_report(&cli_info, status);
}

const cli_command cli_info = {.name = "info",
                              .usage = "FILE [--json]",
                              .summary = "tell what is in a geometry, result or field file",
                              .run = run};
