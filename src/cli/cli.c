/* SPDX-License-Identifier: Apache-2.0 */
/* Reading of options: types, limits, and one clear sentence for each mistake. */
#include "cli/cli.h"
#include "core/decimal.h"
#include "core/units.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef const cli_option *const *tables_t;

static bool is_end(const cli_option *o) { return o->name == NULL && o->help == NULL; }

const cli_option *cli_option_find(tables_t tables, const char *name, size_t length, char letter)
{
    for (; *tables != NULL; tables++)
        for (const cli_option *o = *tables; !is_end(o); o++) {
            if (o->name == NULL) continue;
            if (letter != 0 ? o->letter == letter
                            : strncmp(o->name, name, length) == 0 && o->name[length] == '\0')
                return o;
        }
    return NULL;
}

static rill_status fail_unknown(const cli_command *command, tables_t tables, const char *given)
{
    const char *name = given + strspn(given, "-");
    char cut[64];
    snprintf(cut, sizeof cut, "%.*s", (int)strcspn(name, "="), name);
    rill_nearest match = {0};
    for (; *tables != NULL; tables++)
        for (const cli_option *o = *tables; !is_end(o); o++)
            if (o->name != NULL) rill_nearest_try(&match, cut, o->name);
    rill_nearest_try(&match, cut, "help");
    const bool meant = rill_nearest_is_meant(&match, cut);
    return rill_fail(RILL_USAGE, "unknown option %s%s%s (`rill %s --help` lists all)", given,
                     meant ? ": did you mean --" : "", meant ? match.name : "", command->name);
}

/* Read a finite number, a fraction "3/16" or a percentage "0.1%". */
static bool read_real(const char *text, double *value)
{
    const char *end = rill_decimal_at(text, value);
    double d;
    if (end == NULL) return false;
    if (*end == '/') {
        end = rill_decimal_at(end + 1, &d);
        if (end == NULL || d == 0) return false;
        *value /= d;
    } else if (strcmp(end, "%") == 0 || strcmp(end, " %") == 0) {
        *value /= 100;
        end += strlen(end);
    }
    return *end == '\0' && isfinite(*value);
}

/* Read a count, "250000", "1e6", "250k". */
static bool read_count(const char *text, double *value)
{
    static const char suffixes[] = "kMG";
    char digits[64];
    const size_t length = strlen(text);
    if (length == 0 || length >= sizeof digits) return false;
    memcpy(digits, text, length + 1);
    const char *suffix = strchr(suffixes, digits[length - 1]);
    double scale = 1;
    if (suffix != NULL) {
        scale = pow(1000, (double)(suffix - suffixes + 1));
        digits[length - 1] = '\0';
    }
    if (strchr(digits, '/') != NULL || strchr(digits, '%') != NULL || !read_real(digits, value)) return false;
    *value *= scale;
    return *value == floor(*value);
}

static void format_limit(const cli_option *o, double value, char *text, size_t size)
{
    if (o->kind == CLI_LENGTH)
        rill_units_format_length(value, text, size);
    else if (o->kind == CLI_REAL || o->kind == CLI_TIME)
        snprintf(text, size, o->kind == CLI_TIME ? "%g s" : "%g", value);
    else
        snprintf(text, size, "%.15g", value);
}

/* Check limits that the option states, and those of its type. */
static rill_status check_limits(const cli_option *o, const char *text, double value)
{
    double min = -HUGE_VAL, max = HUGE_VAL;
    if (o->kind == CLI_INT) min = INT_MIN, max = INT_MAX;
    if (o->kind == CLI_COUNT) min = 0, max = 0x1p53;
    if (o->kind == CLI_UINT32) min = 0, max = UINT32_MAX;
    if (o->min < o->max) {
        min = fmax(min, o->min);
        max = fmin(max, o->max);
    }
    if ((o->above ? value > min : value >= min) && value <= max) return RILL_OK;
    char low[32], high[32];
    format_limit(o, min, low, sizeof low);
    format_limit(o, max, high, sizeof high);
    return rill_fail(RILL_USAGE, "--%s %s is out of range: give %s %s%s%s%s", o->name, text,
                     o->kind == CLI_LENGTH ? "a length"
                     : o->kind == CLI_TIME ? "a time"
                                           : "a number",
                     o->above ? "above " : "from ", low, o->above ? " and at most " : " to ", high);
}

static rill_status read_number(const cli_option *o, const char *text)
{
    double value = 0;
    rill_status status;
    if (o->kind == CLI_LENGTH || o->kind == CLI_TIME) {
        status = rill_units_parse(text, o->kind == CLI_TIME ? "s" : "m", &value);
        if (status != RILL_OK) {
            rill_fail_prefix("--%s", o->name);
            return status;
        }
    } else if (o->kind == CLI_REAL) {
        if (!read_real(text, &value))
            return rill_fail(RILL_USAGE,
                             "--%s \"%s\" is not a number: give one such as 0.25, 1e-3, 3/16 or 0.1%%",
                             o->name, text);
    } else if (!read_count(text, &value))
        return rill_fail(RILL_USAGE, "--%s \"%s\" is not a whole number: give one such as %s", o->name, text,
                         o->kind == CLI_INT ? "64" : "5000, 250k or 1e6");
    status = check_limits(o, text, value);
    if (status != RILL_OK) return status;
    if (o->kind == CLI_INT)
        *(int *)o->target = (int)value;
    else if (o->kind == CLI_COUNT)
        *(uint64_t *)o->target = (uint64_t)value;
    else if (o->kind == CLI_UINT32)
        *(uint32_t *)o->target = (uint32_t)value;
    else
        *(double *)o->target = value;
    return RILL_OK;
}

static rill_status read_choice(const cli_option *o, const char *text, int *choice)
{
    char all[512] = "";
    rill_nearest match = {0};
    for (int i = 0; o->choices[i] != NULL; i++) {
        if (strcmp(text, o->choices[i]) == 0) {
            *choice = i;
            return RILL_OK;
        }
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i == 0 ? "" : ", ", o->choices[i]);
        rill_nearest_try(&match, text, o->choices[i]);
    }
    if (rill_nearest_is_meant(&match, text))
        return rill_fail(RILL_USAGE, "--%s does not know \"%s\": did you mean %s? (choices: %s)", o->name,
                         text, match.name, all);
    return rill_fail(RILL_USAGE, "--%s does not know \"%s\": choose one of %s", o->name, text, all);
}

static void add_choice(cli_choices *list, int choice)
{
    for (int k = 0; k < list->count; k++)
        if (list->items[k] == choice) return;
    list->items[list->count++] = choice;
}

/* Read "aa,esopull" or "all"; it replaces what an earlier use of the option gave. */
static rill_status read_choices(const cli_option *o, const char *text)
{
    cli_choices *list = o->target;
    list->count = 0;
    if (strcmp(text, "all") == 0) {
        for (int k = 0; o->choices[k] != NULL; k++) add_choice(list, k);
        return RILL_OK;
    }
    for (const char *at = text;; at++) {
        char name[64];
        int choice;
        const size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        const rill_status status = read_choice(o, name, &choice);
        if (status != RILL_OK) return status;
        add_choice(list, choice);
        at += length;
        if (*at == '\0') return RILL_OK;
    }
}

rill_status cli_option_read(const cli_option *o, const char *text)
{
    rill_status status = RILL_OK;
    switch (o->kind) {
    case CLI_FLAG:
        *(bool *)o->target = true;
        break;
    case CLI_TEXT:
        if (text[0] == '\0')
            return rill_fail(RILL_USAGE, "--%s has an empty value: give %s", o->name,
                             o->arg ? o->arg : "a value");
        *(const char **)o->target = text;
        break;
    case CLI_INT:
    case CLI_COUNT:
    case CLI_UINT32:
    case CLI_REAL:
    case CLI_LENGTH:
    case CLI_TIME:
        status = read_number(o, text);
        break;
    case CLI_BYTES:
        status = rill_units_parse_bytes(text, o->target);
        if (status != RILL_OK) rill_fail_prefix("--%s", o->name);
        break;
    case CLI_CHOICE:
    case CLI_FORM:
        status = read_choice(o, text, o->target);
        break;
    case CLI_CHOICES:
        status = read_choices(o, text);
        break;
    case CLI_MULTI: {
        cli_list *list = o->target;
        const int capacity = (int)(sizeof list->items / sizeof list->items[0]);
        if (list->count == capacity)
            return rill_fail(RILL_USAGE, "--%s is given more than %d times", o->name, capacity);
        list->items[list->count++] = text;
        break;
    }
    }
    if (status == RILL_OK && o->apply != NULL) {
        status = o->apply(text);
        if (status != RILL_OK) rill_fail_prefix("--%s", o->name);
    }
    if (status == RILL_OK && o->given != NULL) *o->given = true;
    return status;
}

/* Return whether the word after an option is another option rather than its argument. */
static bool is_option(tables_t tables, const char *word)
{
    if (word[0] != '-' || word[1] == '\0') return false;
    if (word[1] == '-') return true;
    return word[2] == '\0' && cli_option_find(tables, NULL, 0, word[1]) != NULL;
}

/* Read the option at argv[*i] and its argument; *i is left at the last word used. */
static rill_status read_option(const cli_command *command, tables_t tables, int argc, char **argv, int *i)
{
    const char *word = argv[*i], *value = NULL;
    const cli_option *o;
    if (word[1] == '-') {
        const size_t length = strcspn(word + 2, "=");
        o = cli_option_find(tables, word + 2, length, 0);
        if (word[2 + length] == '=') value = word + 2 + length + 1;
    } else {
        o = cli_option_find(tables, NULL, 0, word[1]);
        if (word[2] != '\0') value = word + 2 + (word[2] == '=');
    }
    if (o == NULL) return fail_unknown(command, tables, word);
    if (o->kind == CLI_FLAG) {
        if (value != NULL)
            return rill_fail(RILL_USAGE, "--%s takes no value: leave out \"%s\"", o->name, value);
    } else if (o->kind == CLI_FORM) {
        if (value == NULL) value = o->choices[1];
    } else if (value == NULL) {
        if (*i + 1 >= argc || is_option(tables, argv[*i + 1]))
            return rill_fail(RILL_USAGE,
                             "--%s needs a value: give %s, or --%s=VALUE for one that starts with a dash",
                             o->name, o->arg != NULL ? o->arg : "one of its choices", o->name);
        value = argv[++*i];
    }
    return cli_option_read(o, value);
}

rill_status cli_parse(const cli_command *command, const cli_option *const *tables, int argc, char **argv,
                      const char **positionals, int *count, bool *help)
{
    const int capacity = *count;
    *count = 0;
    *help = false;
    /* Looked for first: the help shows defaults, which reading the options overwrites. */
    bool all = false;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        all = all || strcmp(argv[i], "--help-all") == 0;
        *help = *help || all || strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
    }
    if (*help) {
        cli_help(command, tables, all);
        return RILL_OK;
    }
    bool options = true;
    for (int i = 1; i < argc; i++) {
        if (options && strcmp(argv[i], "--") == 0) {
            options = false;
        } else if (options && argv[i][0] == '-' && argv[i][1] != '\0' && argv[i][1] != ':') {
            const rill_status status = read_option(command, tables, argc, argv, &i);
            if (status != RILL_OK) return status;
        } else if (*count == capacity) {
            return rill_fail(RILL_USAGE, "unexpected argument \"%s\": usage is rill %s %s", argv[i],
                             command->name, command->usage);
        } else {
            positionals[(*count)++] = argv[i];
        }
    }
    return RILL_OK;
}

int cli_report(const cli_command *command, rill_status status)
{
    cli_progress_end();
    if (status != RILL_OK) {
        fflush(stdout);
        fprintf(stderr, "rill %s: %s\n", command->name, rill_error_message());
    }
    return (int)status;
}
