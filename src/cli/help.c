/* SPDX-License-Identifier: Apache-2.0 */
/* --help of a command: every option with a word for its value or its choices, its meaning and its default. */
#include "cli/cli.h"
#include "core/units.h"

#include <string.h>

enum { COLUMN = 30, WIDTH = 80 };

/* Print words from column `column` on, broken at blanks before WIDTH, further lines from column `left` on. */
static void print_words(const char *text, size_t length, int left, int column)
{
    const char *end = text + length;
    bool first = true;
    while (text < end) {
        const int word = (int)strcspn(text, " \n");
        if (!first && column + 1 + word > WIDTH) {
            printf("\n%*s", left, "");
            column = left;
            first = true;
        }
        column += printf("%s%.*s", first ? "" : " ", word, text);
        first = false;
        text += word;
        text += strspn(text, " \n");
    }
    putchar('\n');
}

/* Print the meaning of an option from column COLUMN on; the cursor is at `column`. */
static void print_meaning(const char *text, int column)
{
    if (column >= COLUMN) {
        putchar('\n');
        column = 0;
    }
    printf("%*s", COLUMN - column, "");
    print_words(text, strlen(text), COLUMN, COLUMN);
}

/* Print paragraphs; indented lines stay as they are. */
static void print_details(const char *text)
{
    while (*text != '\0') {
        const size_t line = strcspn(text, "\n");
        size_t length = line;
        if (line == 0 || *text == ' ') {
            printf("%.*s\n", (int)line, text);
        } else {
            while (text[length] == '\n' && strchr(" \n", text[length + 1]) == NULL)
                length += 1 + strcspn(text + length + 1, "\n");
            print_words(text, length, 0, 0);
        }
        text += length;
        if (*text == '\n') text++;
    }
}

/* Write the default of an option as --help shows it; "" for none. */
static void format_default(const cli_option *o, char *text, size_t size)
{
    text[0] = '\0';
    if (o->fallback != NULL) {
        snprintf(text, size, "%s", o->fallback);
        return;
    }
    switch (o->kind) {
    case CLI_FLAG:
        snprintf(text, size, "%s", *(const bool *)o->target ? "on" : "");
        break;
    case CLI_TEXT:
        if (*(const char *const *)o->target != NULL)
            snprintf(text, size, "%s", *(const char *const *)o->target);
        break;
    case CLI_INT:
        snprintf(text, size, "%d", *(const int *)o->target);
        break;
    case CLI_COUNT:
        snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)o->target);
        break;
    case CLI_UINT32:
        snprintf(text, size, "%u", *(const uint32_t *)o->target);
        break;
    case CLI_REAL:
        snprintf(text, size, "%g", *(const double *)o->target);
        break;
    case CLI_LENGTH:
        rill_units_format_length(*(const double *)o->target, text, size);
        break;
    case CLI_TIME:
        snprintf(text, size, "%g s", *(const double *)o->target);
        break;
    case CLI_BYTES:
        rill_units_format_bytes((double)*(const uint64_t *)o->target, text, size);
        break;
    case CLI_CHOICE:
        snprintf(text, size, "%s", o->choices[*(const int *)o->target]);
        break;
    case CLI_FORM:
    case CLI_CHOICES:
    case CLI_MULTI:
        break;
    }
}

static void print_option(const cli_option *o)
{
    int column = o->letter != 0 ? printf("  -%c, --%s", o->letter, o->name) : printf("  --%s", o->name);
    if (o->kind == CLI_CHOICE || o->kind == CLI_CHOICES)
        for (int i = 0; o->choices[i] != NULL; i++)
            column += printf("%c%s", i == 0 ? ' ' : '|', o->choices[i]);
    else if (o->kind == CLI_FORM)
        for (int i = 2; o->choices[i] != NULL; i++)
            column += printf("%s%s%s", i == 2 ? "[=" : "|", o->choices[i], o->choices[i + 1] ? "" : "]");
    else if (o->kind != CLI_FLAG)
        column += printf(" %s", o->arg != NULL ? o->arg : "VALUE");

    char text[1024], value[256];
    format_default(o, value, sizeof value);
    const char *repeat = o->kind == CLI_MULTI     ? "; may be repeated"
                         : o->kind == CLI_CHOICES ? "; several with commas between, or all"
                                                  : "";
    if (value[0] != '\0')
        snprintf(text, sizeof text, "%s%s (default: %s)", o->help, repeat, value);
    else
        snprintf(text, sizeof text, "%s%s", o->help, repeat);
    print_meaning(text, column);
}

void cli_help_examples(const cli_command *command)
{
    const char *examples = command->examples;
    if (examples == NULL) return;
    printf("\nExamples:\n");
    for (size_t length; *examples != '\0'; examples += length + 1) {
        length = strcspn(examples, "\n");
        printf("    %.*s\n", (int)length, examples);
    }
}

/* Print the options of a table, with headings that have any. @return how many rare ones are left out */
static int print_table(const cli_option *o, bool all, bool *heading)
{
    const char *next = *heading ? NULL : "Options";
    int hidden = 0;
    for (; o->name != NULL || o->help != NULL; o++) {
        if (o->name == NULL) {
            next = o->help;
        } else if (o->rare && !all) {
            hidden++;
        } else {
            if (next != NULL) printf("\n%s:\n", next);
            next = NULL;
            *heading = true;
            print_option(o);
        }
    }
    return hidden;
}

/* There is one program, hence one place where helps go. */
static void (*diverted)(const cli_command *command, const cli_option *const *tables);

void cli_help_divert(void (*to)(const cli_command *command, const cli_option *const *tables))
{
    diverted = to;
}

void cli_help(const cli_command *command, const cli_option *const *tables, bool all)
{
    if (diverted) {
        diverted(command, tables);
        return;
    }
    printf("Usage: rill %s %s\n\n%s\n", command->name, command->usage, command->summary);
    cli_help_examples(command);
    if (command->details != NULL) {
        printf("%s\n", command->examples != NULL ? "\nDescription:" : "");
        print_details(command->details);
    }
    bool heading = false, rare = false;
    int hidden = 0;
    for (; *tables != NULL; tables++) {
        for (const cli_option *o = *tables; o->name != NULL || o->help != NULL; o++) rare = rare || o->rare;
        hidden += print_table(*tables, all, &heading);
    }
    if (!heading) printf("\nOptions:\n");
    printf("  -h, --help");
    print_meaning("show this help", 12);
    if (!rare) return;
    char text[96] = "show all options";
    if (hidden > 0)
        snprintf(text, sizeof text, "show %d option%s more, which few need", hidden, hidden == 1 ? "" : "s");
    print_meaning(text, printf("  --help-all"));
}
