/* SPDX-License-Identifier: Apache-2.0 */
/* --help of a command: every option with its placeholder or choices, its meaning and its default. */
#include "cli/cli.h"
#include "core/units.h"

#include <string.h>

enum { COLUMN = 30, WIDTH = 100 };

/* Print text from column COLUMN on, broken at blanks; the cursor is at `column`. */
static void wrapped(const char *text, int column)
{
    if (column >= COLUMN) {
        putchar('\n');
        column = 0;
    }
    printf("%*s", COLUMN - column, "");
    column = COLUMN;
    while (*text != '\0') {
        const int length = (int)strcspn(text, " ");
        if (column > COLUMN && column + 1 + length > WIDTH) {
            printf("\n%*s", COLUMN, "");
            column = COLUMN;
        }
        column += printf("%s%.*s", column > COLUMN ? " " : "", length, text);
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
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
    case CLI_REAL:
        snprintf(text, size, "%g", *(const double *)o->target);
        break;
    case CLI_LENGTH:
        rill_units_format_length(*(const double *)o->target, text, size);
        break;
    case CLI_BYTES:
        rill_units_format_bytes((double)*(const uint64_t *)o->target, text, size);
        break;
    case CLI_CHOICE:
        snprintf(text, size, "%s", o->choices[*(const int *)o->target]);
        break;
    case CLI_MULTI:
        break;
    }
}

static void print_option(const cli_option *o)
{
    int column = o->letter != 0 ? printf("  -%c, --%s", o->letter, o->name) : printf("  --%s", o->name);
    if (o->kind == CLI_CHOICE)
        for (int i = 0; o->choices[i] != NULL; i++)
            column += printf("%c%s", i == 0 ? ' ' : '|', o->choices[i]);
    else if (o->kind != CLI_FLAG)
        column += printf(" %s", o->arg != NULL ? o->arg : "VALUE");

    char text[1024], value[256];
    format_default(o, value, sizeof value);
    const char *repeat = o->kind == CLI_MULTI ? "; may be repeated" : "";
    if (value[0] != '\0')
        snprintf(text, sizeof text, "%s%s (default: %s)", o->help, repeat, value);
    else
        snprintf(text, sizeof text, "%s%s", o->help, repeat);
    wrapped(text, column + 1);
}

void cli_help(const cli_command *command, const cli_option *const *tables)
{
    printf("Usage: rill %s %s\n\n%s\n", command->name, command->usage, command->summary);
    if (command->details != NULL) printf("\n%s\n", command->details);
    bool heading = false;
    for (; *tables != NULL; tables++)
        for (const cli_option *o = *tables; o->name != NULL || o->help != NULL; o++) {
            if (o->name == NULL)
                printf("\n%s:\n", o->help);
            else {
                if (!heading) printf("\nOptions:\n");
                print_option(o);
            }
            heading = true;
        }
    if (!heading) printf("\nOptions:\n");
    printf("  -h, --help");
    wrapped("show this help", 13);
}
