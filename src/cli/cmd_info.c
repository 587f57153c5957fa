/* SPDX-License-Identifier: Apache-2.0 */
/* rill info: describes what is in a file of ours or in an image. Reading is io/info*.c's; here its JSON
 * becomes rows. */
#include "cli/cli.h"
#include "cli/image_options.h"
#include "cli/surface_options.h"
#include "core/output.h"
#include "geometry/image/file_names.h"
#include "io/checksum.h"
#include "io/info.h"
#include "io/json_file.h"
#include "io/ours.h"

#include <stdlib.h>
#include <string.h>

static bool json_wanted, verify_wanted;

static const cli_option options[] = {
    {.name = "json",
     .kind = CLI_FLAG,
     .target = &json_wanted,
     .help = "print a JSON document instead of a table"},
    {.name = "verify",
     .kind = CLI_FLAG,
     .target = &verify_wanted,
     .help = "compare an HDF5 file of rill with its checksum; exit code 1 if it is damaged or has none"},
    {0}};

static void print_scalar(FILE *out, const json_t *value)
{
    if (json_is_string(value))
        fputs(json_string_value(value), out);
    else if (json_is_integer(value))
        fprintf(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "yes" : "no", out);
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
        if (json_is_string(unit) && strcmp(json_string_value(unit), "1") != 0)
            fprintf(out, " %s", json_string_value(unit));
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

/* A list of objects or of sentences: one row each, none when it is empty. @param[out] done  false when it is
 * another value */
static rill_status print_list(const char *label, const json_t *list, bool *done)
{
    size_t i;
    json_t *item, *part;
    const char *key;
    const json_t *first = json_array_get(list, 0);
    *done = json_is_array(list) && !first;
    if (*done) return RILL_OK;
    if (!json_is_object(first) && !(json_is_string(first) && strchr(json_string_value(first), ' ')))
        return RILL_OK;
    json_array_foreach(list, i, item)
    {
        char *line = NULL;
        size_t size;
        FILE *out = open_memstream(&line, &size);
        if (!out) return rill_fail(RILL_SYSTEM, "out of memory for a table");
        if (json_is_string(item)) print_scalar(out, item);
        json_object_foreach(item, key, part)
        {
            fprintf(out, "%s%s ", ftell(out) > 0 ? "  " : "", key);
            if (json_is_null(part) && strcmp(key, "pore") == 0)
                fputs("unknown", out);
            else
                print_line(out, part);
        }
        const bool whole = rill_output_text_end(out, &line);
        if (whole) cli_row(i ? "" : label, "%s", line);
        free(line);
        if (!whole) return rill_fail(RILL_SYSTEM, "out of memory for a table");
    }
    *done = true;
    return RILL_OK;
}

/* The value of a row as text, which the caller frees; false when it takes rows of its own. */
static rill_status row_text(const json_t *value, char **text, bool *whole)
{
    size_t size = 0;
    *text = NULL;
    FILE *out = open_memstream(text, &size);
    if (!out) return rill_fail(RILL_SYSTEM, "out of memory for a table");
    *whole = json_is_null(value) ? fputs("unknown", out) >= 0 : print_line(out, value);
    if (rill_output_text_end(out, text)) return RILL_OK;
    free(*text);
    return rill_fail(RILL_SYSTEM, "out of memory for a table");
}

/* Prints an object as rows; deeper objects as a heading with rows of their own. */
static rill_status print_rows(const json_t *object, int indent)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        char *text, label[64];
        bool whole = false;
        snprintf(label, sizeof label, "%*s%s", 2 * indent, "", key);
        rill_status status = print_list(label, value, &whole);
        if (status == RILL_OK && whole) continue;
        if (status == RILL_OK) status = row_text(value, &text, &whole);
        if (status != RILL_OK) return status;
        cli_row(label, "%s", whole ? text : "");
        free(text);
        if (!whole) status = print_rows(value, indent + 1);
        if (status != RILL_OK) return status;
    }
    return RILL_OK;
}

/* The file; "--json -" is allowed as in the other commands, as standard output is where the document goes. */
static rill_status one_path(const char *const *paths, int count, const char **path)
{
    for (int k = 0; k < count; k++) {
        if (count > 1 && json_wanted && strcmp(paths[k], "-") == 0) continue;
        if (*path)
            return rill_fail(RILL_USAGE, "unexpected argument \"%s\": one file is described at a time",
                             paths[k]);
        *path = paths[k];
    }
    return *path ? RILL_OK
                 : rill_fail(RILL_USAGE,
                             "no file is given: name an image, surface, geometry, result or field file");
}

/* A surface; without --units its lengths are those of the file. */
static rill_status describe_surface(const char *path, cli_surface *surface, json_t **json)
{
    rill_status status = RILL_OK;
    rill_surface_options o;
    cli_surface_openings openings;
    const bool unit_known = surface->units_given;
    if (!unit_known && surface->planes.count > 0)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "--plane is a place in lengths, and %s does not say its unit of length: add --units mm, or what it was exported in",
            path));
    if (!unit_known) surface->units = "m";
    RILL_TRY(cli_surface_shape_resolve(surface, &openings, &o));
    RILL_TRY(rill_info_surface(path, &o, unit_known, cli_progress(false), json));
done:
    return status;
}

static rill_status describe(const char *path, const cli_image *image, cli_surface *surface, json_t **json)
{
    rill_voxelize_options o;
    const bool ours = rill_file_is_ours(path), shaped = surface->given || surface->units_given;
    if (ours && (cli_image_given(image) || shaped))
        return rill_fail(
            RILL_USAGE, "%s is neither an image nor a surface: leave out the options for images and surfaces",
            path);
    if (ours) return rill_info_read(path, json);
    if (shaped && cli_image_given(image))
        return rill_fail(RILL_USAGE, "%s cannot be an image and a surface: leave out the options of either",
                         path);
    if (shaped || (rill_surface_named(path) && !cli_image_given(image)))
        return describe_surface(path, surface, json);
    const rill_status status = cli_image_resolve(image, &o);
    return status == RILL_OK ? rill_info_image(path, &o, cli_progress(false), json) : status;
}

static int run(int argc, char **argv)
{
    rill_status status = RILL_OK;
    cli_image image;
    cli_surface surface;
    cli_option files[16];
    cli_image_defaults(&image);
    cli_surface_defaults(&surface);
    cli_image_file_options(&image, files, sizeof files / sizeof *files);
    const cli_option *const tables[] = {options, files, cli_surface_shape_options(&surface), NULL};
    const char *paths[2] = {NULL};
    const char *path = NULL;
    int count = 2;
    bool help = false;
    json_t *json = NULL;
    char *text = NULL;
    json_wanted = verify_wanted = false;
    RILL_TRY(cli_parse(&cli_info, tables, argc, argv, paths, &count, &help));
    if (help) return RILL_OK;
    RILL_TRY(one_path(paths, count, &path));
    if (verify_wanted) RILL_TRY(rill_checksum_verify(path));
    RILL_TRY(cli_input_prepare(path));
    RILL_TRY(describe(path, &image, &surface, &json));
    if (verify_wanted && json_object_set_new(json, "checksum", json_string("good")) != 0)
        RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a description"));
    RILL_TRY(rill_json_check());
    cli_progress_end();
    if (json_wanted) {
        text = rill_json_text(json, 17);
        if (!text) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a description"));
        puts(text);
    } else {
        RILL_TRY(print_rows(json, 0));
    }
    RILL_TRY(rill_json_check());
    if ((fflush(stdout) != 0 || ferror(stdout)) && !cli_pipe_closed())
        RILL_TRY(
            rill_fail(RILL_SYSTEM, "cannot write to standard output: free space or choose another place"));
done:
    free(text);
    json_decref(json);
    return cli_report(&cli_info, status);
}

const cli_command cli_info = {.name = "info",
                              .usage = "FILE [options]",
                              .summary =
                                  "describe what is in an image, surface, geometry, result or field file",
                              .examples = "rill info rock.tif\n"
                                          "rill info vessel.stl --units mm\n"
                                          "rill info rock.h5\n",
                              .run = run};
