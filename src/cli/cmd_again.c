/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rill again: the computation of a result once more, as its file says how it was made. The file may come from
 * anyone: of its command nothing is run but `rill permeability`, `diffusivity` and `dispersion`, without the
 * files that it wrote and without permission to read outside of the directory of an image.
 */
#include "cli/words.h"

#include "core/printable.h"
#include "io/json_file.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* What is left out of the command: files that were written, permissions, files that may name either, and
 * silence, which was for the first time. */
static const struct {
    const char *name;
    bool value;
} left_out[] = {
    {"-o", true},           {"--output", true},         {"--json", true},       {"--csv", true},
    {"--checkpoint", true}, {"--case", true},           {"--fields", true},     {"--resume", false},
    {"--dry-run", false},   {"--allow-outside", false}, {"--overwrite", false}, {"-q", false},
    {"--quiet", false}};

/* Return how many words an option that is left out takes, 0 for any other word. */
static int words_left_out(const char *word)
{
    for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++) {
        const size_t length = strlen(left_out[k].name);
        if (strcmp(word, left_out[k].name) == 0) return left_out[k].value ? 2 : 1;
        const bool letter = word[0] == '-' && word[1] != '-' && length == 2; /* its value may touch it */
        if (strncmp(word, left_out[k].name, length) == 0 && (word[length] == '=' || letter)) return 1;
    }
    return 0;
}

static const cli_command *const runnable[] = {&cli_permeability, &cli_diffusivity, &cli_dispersion};

/* Return the command that a result names; NULL: none that is run again. */
static const cli_command *command_of(const cli_words *w)
{
    for (size_t k = 0; w->count > 1 && k < sizeof runnable / sizeof *runnable; k++)
        if (strcmp(w->word[1], runnable[k]->name) == 0) return runnable[k];
    return NULL;
}

/* Read the command of a JSON result. */
static rill_status json_command(const char *path, char **line)
{
    rill_status status = RILL_OK;
    json_t *json = NULL;
    RILL_TRY(rill_json_read(path, &json));
    const char *text = json_string_value(json_object_get(json, "command"));
    if (!text)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "%s does not say by which command it was made: give a result of rill permeability, diffusivity or dispersion",
            path));
    if (!(*line = strdup(text))) status = rill_fail(RILL_SYSTEM, "out of memory for a command line");
done:
    json_decref(json);
    return status;
}

/* Read the command of an HDF5 result. */
static rill_status file_command(const char *path, char **line)
{
    rill_status status = RILL_OK;
    rill_file *file = NULL;
    rill_attribute command = {.text = NULL};
    RILL_TRY(rill_file_open(path, &file));
    RILL_TRY(rill_file_attribute(file, "/run", "command", &command));
    if (!command.text) RILL_TRY(rill_fail(RILL_USAGE, "%s does not say by which command it was made", path));
    if (!(*line = strdup(command.text))) status = rill_fail(RILL_SYSTEM, "out of memory for a command line");
done:
    rill_attribute_free(&command);
    rill_file_close(file);
    return status;
}

static bool is_json(const char *path)
{
    const size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

/* Put the words of the command and further ones together. @param[out] to  [CLI_WORDS + more + 1] */
static rill_status join(const char *path, const cli_words *w, int more, char **words, char **to, int *count)
{
    *count = 0;
    if (!command_of(w))
        return rill_fail(
            RILL_USAGE,
            "%s was made by \"%.60s %.60s\": only rill permeability, diffusivity and dispersion are run again",
            path, w->count > 0 ? w->word[0] : "", w->count > 1 ? w->word[1] : "");
    for (int k = 1, out; k<w->count; k += out> 0 ? out : 1)
        if ((out = words_left_out(w->word[k])) == 0) to[(*count)++] = w->word[k];
    for (int k = 0; k < more; k++) to[(*count)++] = words[k];
    to[*count] = NULL;
    return RILL_OK;
}

/* Say what is run. */
static rill_status show(int count, char **words)
{
    char *line = cli_command_line(count, words), *plain = line ? rill_printable(line) : NULL;
    if (plain) fprintf(stderr, "rill again: %s\n", plain);
    free(line);
    free(plain);
    return plain ? RILL_OK : rill_fail(RILL_SYSTEM, "out of memory for a command line");
}

static int run(int argc, char **argv)
{
    rill_status status = RILL_OK;
    cli_words w = {.text = NULL};
    char *line = NULL, **words = NULL;
    const char *path = NULL;
    const cli_option none[] = {{0}};
    const cli_option *const tables[] = {none, NULL};
    int first = 1, count = 0, code = -1;
    bool help = false;
    if (argc < 2 || argv[1][0] == '-') { /* help, or a mistake */
        RILL_TRY(cli_parse(&cli_again, tables, argc, argv, &path, &first, &help));
        if (help) return RILL_OK;
        RILL_TRY(rill_fail(RILL_USAGE, "no result is given: rill again RESULT.h5 -o OTHER.h5"));
    }
    RILL_TRY(is_json(argv[1]) ? json_command(argv[1], &line) : file_command(argv[1], &line));
    RILL_TRY(cli_words_read(line, &w));
    if (!(words = calloc((size_t)(CLI_WORDS + argc), sizeof *words)))
        RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a command line"));
    RILL_TRY(join(argv[1], &w, argc - 2, argv + 2, words, &count));
    RILL_TRY(show(count, words));
    code = command_of(&w)->run(count, words);
done:
    free(words);
    free(w.text);
    free(line);
    return code >= 0 ? code : cli_report(&cli_again, status);
}

const cli_command cli_again = {
    .name = "again",
    .usage = "RESULT.h5|RESULT.json [options of its command]",
    .summary = "compute a permeability, diffusivity or dispersion again, as its result says",
    .examples = "rill again rock.h5 -o again.h5\n"
                "rill again k.json --tolerance 1e-4 --json finer.json\n",
    .details =
        "Reads the command of `rill permeability`, `diffusivity` or `dispersion` from its result and runs it\n"
        "again in this directory. Options behind the result change it: the last one counts. The files that the command wrote are\n"
        "left out, and so are --case, --resume, --dry-run, --overwrite, --allow-outside and --quiet: give them again.",
    .run = run,
};
