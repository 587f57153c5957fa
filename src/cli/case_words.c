/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --case FILE.yaml of a command: its keys are the long names of the command's options, and `input`. They
 * become words of the command line in place of --case, so that options behind it change them, and a result
 * records the whole command. The file may come from anyone: it gives no permissions, and names no file
 * outside its directory.
 */
#include "cli/words.h"

#include "core/beside.h"
#include "core/nearest.h"
#include "vessel/case/yaml.h"

#include <stdlib.h>
#include <string.h>

/* A command line in which the keys of case files stand for --case. */
typedef struct case_text {
    char *word[CLI_WORDS + 1]; /* owned; NULL behind the last */
    int count;
} case_text;

/* What the command line alone says: permissions, and to go on from what is there. */
static const char *const refused[] = {"overwrite", "allow-outside", "resume", "case"};

/* A file that is being made into words. */
typedef struct reading {
    const char *path;
    rill_yaml *yaml;
    const cli_option *const *tables;
    rill_file_outside outside;
    int argc; /* of the command line */
    char **argv;
    bool inputs; /* of the file count: none is on the command line */
    case_text *out;
    rill_status status;
} reading;

/* There is one command, and the help of another is not requested within: see cli_help_divert(). */
static reading *now;

static rill_status word_add(case_text *out, char *word)
{
    if (!word) return rill_fail(RILL_SYSTEM, "out of memory for a case");
    if (out->count == CLI_WORDS) {
        free(word);
        return rill_fail(RILL_USAGE, "the command has more than %d words: give fewer", CLI_WORDS);
    }
    out->word[out->count++] = word;
    return RILL_OK;
}

static rill_status copy_add(case_text *out, const char *word) { return word_add(out, strdup(word)); }

/* Add "--name=text". */
static rill_status option_add(case_text *out, const char *name, const char *text)
{
    char *word = NULL;
    if (asprintf(&word, "--%s=%s", name, text) < 0) word = NULL;
    return word_add(out, word);
}

/* Put the name of a file that the case names relative to the directory of the case; "-" stays. */
static rill_status file_of(const reading *r, const rill_yaml_value *value, const char *text, char **path)
{
    if (strcmp(text, "-") == 0)
        return (*path = strdup(text)) ? RILL_OK : rill_fail(RILL_SYSTEM, "out of memory for a case");
    const rill_status status = rill_file_beside(r->path, text, r->outside, path);
    if (status == RILL_USAGE) rill_fail_prefix("%s:%d", r->path, rill_yaml_line(value));
    return status;
}

static const rill_yaml_value *item_of(const reading *r, const rill_yaml_value *value, int k)
{
    return rill_yaml_is_list(value) ? rill_yaml_item(r->yaml, value, k, NULL) : value;
}

static int count_of(const rill_yaml_value *value)
{
    return rill_yaml_is_list(value) ? rill_yaml_count(value) : 1;
}

/* Take a scalar, or the items of a list with commas between. @param[out] out  the caller frees it */
static rill_status text_of(const reading *r, const rill_yaml_value *value, const char *key, char **out)
{
    size_t size = 1;
    for (int k = 0; k < count_of(value); k++) {
        const rill_yaml_value *one = item_of(r, value, k);
        const char *text = rill_yaml_scalar(one);
        if (!text || !*text)
            return rill_yaml_fail(r->yaml, one, "%s has no value: give one, or a list of them", key);
        size += strlen(text) + 1;
    }
    if (!(*out = calloc(size, 1))) return rill_fail(RILL_SYSTEM, "out of memory for a case");
    for (int k = 0; k < count_of(value); k++) {
        if (k) strcat(*out, ",");
        strcat(*out, rill_yaml_scalar(item_of(r, value, k)));
    }
    return RILL_OK;
}

static rill_status inputs_read(reading *r, const rill_yaml_value *value)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < count_of(value); k++) {
        const rill_yaml_value *one = item_of(r, value, k);
        char *path = NULL;
        if (!rill_yaml_scalar(one) || !*rill_yaml_scalar(one))
            return rill_yaml_fail(r->yaml, one, "input is the name of a file, or a list of names");
        RILL_TRY(file_of(r, one, rill_yaml_scalar(one), &path));
        if (r->inputs)
            RILL_TRY(word_add(r->out, path));
        else
            free(path);
    }
done:
    return status;
}

static rill_status flag_read(reading *r, const rill_yaml_value *value, const char *key)
{
    static const char *const answers[] = {"no", "false", "yes", "true", NULL};
    int answer = 0;
    const rill_status status = rill_yaml_choice(r->yaml, value, key, answers, &answer);
    if (status != RILL_OK || answer < 2) return status;
    char *word = NULL;
    if (asprintf(&word, "--%s", key) < 0) word = NULL;
    return word_add(r->out, word);
}

/* A flag that may name a form: yes, no, or the form. */
static rill_status form_read(reading *r, const rill_yaml_value *value, const cli_option *o)
{
    const char *text = rill_yaml_scalar(value);
    char *word = NULL;
    for (int i = 2; text && o->choices[i]; i++) {
        if (strcmp(text, o->choices[i]) != 0) continue;
        if (asprintf(&word, "--%s=%s", o->name, text) < 0) word = NULL;
        return word_add(r->out, word);
    }
    return flag_read(r, value, o->name);
}

static rill_status key_unknown(const reading *r, const rill_yaml_value *at, const char *key)
{
    rill_nearest match = {0};
    rill_nearest_try(&match, key, "input");
    for (const cli_option *const *t = r->tables; *t; t++)
        for (const cli_option *o = *t; o->name || o->help; o++)
            if (o->name) rill_nearest_try(&match, key, o->name);
    const bool meant = rill_nearest_is_meant(&match, key);
    return rill_yaml_fail(r->yaml, at,
                          "unknown key \"%.60s\"%s%s: keys are input, and options without their dashes", key,
                          meant ? ": did you mean " : "", meant ? match.name : "");
}

/* Make a key and its value into words. */
static rill_status key_read(reading *r, const rill_yaml_value *at, const rill_yaml_value *value)
{
    rill_status status = RILL_OK;
    const char *key = rill_yaml_scalar(at);
    char *text = NULL, *path = NULL;
    if (!key)
        return rill_yaml_fail(r->yaml, at, "a key is not a name: keys are input, and options without dashes");
    if (strcmp(key, "input") == 0) return inputs_read(r, value);
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
        if (strcmp(key, refused[k]) == 0)
            return rill_yaml_fail(r->yaml, at, "a case cannot give %s: give --%s behind --case", key, key);
    const cli_option *o = cli_option_find(r->tables, key, strlen(key), 0);
    if (!o) return key_unknown(r, at, key);
    if (o->kind == CLI_FLAG) return flag_read(r, value, key);
    if (o->kind == CLI_FORM) return form_read(r, value, o);
    RILL_TRY(text_of(r, value, key, &text));
    if (o->arg && strcmp(o->arg, "FILE") == 0) RILL_TRY(file_of(r, value, text, &path));
    if (!o->apply && o->kind != CLI_MULTI && (status = cli_option_read(o, text)) != RILL_OK)
        rill_fail_prefix("%s:%d", r->path, rill_yaml_line(value));
    if (status == RILL_OK) RILL_TRY(option_add(r->out, key, path ? path : text));
done:
    free(path);
    free(text);
    return status;
}

/* Return whether the command line names an input: a word that is neither an option nor its value. */
static bool names_input(const reading *r)
{
    for (int i = 1; i < r->argc; i++) {
        const char *word = r->argv[i];
        if (strcmp(word, "--") == 0) return i + 1 < r->argc;
        if (word[0] != '-' || word[1] == '\0') return true;
        const bool named = word[1] == '-';
        const size_t length = named ? strcspn(word + 2, "=") : 1;
        const cli_option *o = cli_option_find(r->tables, word + 2, length, named ? 0 : word[1]);
        const bool whole = named ? word[2 + length] == '\0' : word[2] == '\0';
        if (o && o->kind != CLI_FLAG && o->kind != CLI_FORM && whole) i++; /* its value */
    }
    return false;
}

/* The tables of the command are there: make its words. */
static void keys_read(const cli_command *command, const cli_option *const *tables)
{
    (void)command;
    reading *r = now;
    const rill_yaml_value *root = rill_yaml_root(r->yaml);
    r->tables = tables;
    r->inputs = !names_input(r);
    if (!root || !rill_yaml_is_map(root)) {
        r->status =
            rill_fail(RILL_USAGE, "%s is not a case: write lines such as \"voxel-size: 5.7um\"", r->path);
        return;
    }
    r->status = rill_yaml_names(r->yaml, root, "the case");
    for (int k = 0; k < rill_yaml_count(root) && r->status == RILL_OK; k++) {
        const rill_yaml_value *key, *value = rill_yaml_item(r->yaml, root, k, &key);
        r->status = key_read(r, key, value);
    }
}

/* Add the words of a file. */
static rill_status file_read(const cli_command *command, int argc, char **argv, const char *path,
                             bool outside, case_text *out)
{
    rill_status status = RILL_OK;
    char name[32], help[] = "--help-all";
    char *words[] = {name, help, NULL};
    reading r = {.path = path,
                 .outside = outside ? RILL_OUTSIDE_ALLOWED : RILL_OUTSIDE_ASKED,
                 .argc = argc,
                 .argv = argv,
                 .out = out};
    snprintf(name, sizeof name, "%s", command->name);
    RILL_TRY(rill_yaml_read(path, &r.yaml));
    now = &r;
    cli_help_divert(keys_read);
    (void)command->run(2, words);
    cli_help_divert(NULL);
    now = NULL;
    status = r.status;
done:
    rill_yaml_destroy(r.yaml);
    return status;
}

/* Return the value of --case at argv[i], and how many words it takes; NULL: it is another word. */
static const char *case_at(int argc, char **argv, int i, int *words)
{
    *words = 1;
    if (strncmp(argv[i], "--case=", 7) == 0) return argv[i] + 7;
    if (strcmp(argv[i], "--case") != 0 || i + 1 >= argc) return NULL;
    *words = 2;
    return argv[i + 1];
}

static void text_free(case_text *text)
{
    for (int k = 0; k < text->count; k++) free(text->word[k]);
    text->count = 0;
}

/* Put the keys of a YAML file in place of each --case FILE of a command line, as words. Inputs on the command
 * line replace those of the file. */
static rill_status expand(const cli_command *command, int argc, char **argv, case_text *out)
{
    rill_status status = RILL_OK;
    bool outside = false;
    for (int i = 1; i < argc; i++) outside = outside || strcmp(argv[i], "--allow-outside") == 0;
    for (int i = 0, words; i < argc; i += words) {
        const char *path = case_at(argc, argv, i, &words);
        if (path)
            RILL_TRY(file_read(command, argc, argv, path, outside, out));
        else
            RILL_TRY(copy_add(out, argv[i]));
    }
done:
    if (status != RILL_OK) text_free(out);
    return status;
}

int cli_case_run(const cli_command *command, int argc, char **argv, int (*run)(int argc, char **argv))
{
    case_text words = {.count = 0};
    const rill_status status = expand(command, argc, argv, &words);
    const int code = status == RILL_OK ? run(words.count, words.word) : cli_report(command, status);
    text_free(&words);
    return code;
}
