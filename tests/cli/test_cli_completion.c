/* SPDX-License-Identifier: Apache-2.0 */
/* The completion scripts: all options that --help-all shows, and what bash makes of a command line. */
#include "cli_test.h"

TestSuite(completion, .init = cli_test_start, .fini = cli_test_end);

/* Return the whole output of a command, which the caller frees. */
static char *output_of(const char *command)
{
    char line[1024];
    snprintf(line, sizeof line, "'%s' %s", getenv("RILL"), command);
    FILE *pipe = popen(line, "r");
    cr_assert_not_null(pipe);
    size_t room = 1 << 20, length;
    char *text = malloc(room);
    cr_assert_not_null(text);
    length = fread(text, 1, room - 1, pipe);
    text[length] = '\0';
    cr_assert_eq(pclose(pipe), 0, "rill %s fails", command);
    return text;
}

/* What bash completes: words of COMP_WORDS, the last one unfinished. */
static void completes(const char *words, int last, const char *expected)
{
    char command[1024], line[512] = "";
    snprintf(
        command, sizeof command,
        "bash -c 'eval \"$(\"$RILL\" completion bash)\"; COMP_WORDS=(%s); COMP_CWORD=%d; _rill; echo \"${COMPREPLY[*]}\"'",
        words, last);
    FILE *pipe = popen(command, "r");
    cr_assert_not_null(pipe);
    cr_assert(fgets(line, sizeof line, pipe), "bash prints nothing");
    cr_assert_eq(pclose(pipe), 0);
    line[strcspn(line, "\n")] = '\0';
    cr_assert_str_eq(line, expected, "%s: \"%s\", not \"%s\"", words, line, expected);
}

Test(completion, bash_completes_commands_options_and_choices)
{
    completes("rill perm", 1, "permeability");
    completes("rill generate gy", 2, "gyroid");
    completes("rill generate pack --por", 3, "--porosity");
    completes("rill permeability --stream eso", 3, "esotwist esopull esopush");
    completes("rill permeability --stream = ma", 4, "macroscopic");
    completes("rill run --overw", 2, "--overwrite");
    completes("rill completion f", 2, "fish");
    completes("rill run v", 2, ""); /* files, by bash */
}

/* Every option of every command, as its help has it; none is missing in any shell. */
Test(completion, options_are_those_of_the_help)
{
    static const char *const commands[] = {"permeability", "run",           "export",
                                           "bench",        "generate pack", "generate bend"};
    char *bash = output_of("completion bash"), *zsh = output_of("completion zsh"),
         *fish = output_of("completion fish");
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
        char command[64], name[64], part[128];
        snprintf(command, sizeof command, "%s --help-all", commands[k]);
        char *help = output_of(command);
        snprintf(part, sizeof part, "      \"%s\") list=\"", commands[k]);
        const char *list = strstr(bash, part), *last = strrchr(commands[k], ' ');
        cr_assert_not_null(list, "no options of %s", commands[k]);
        const char *end = strchr(list, '\n');
        int count = 0;
        for (const char *at = help; (at = strstr(at, "\n  ")) != NULL; at++) {
            const char *option = at + 3;
            if (option[0] == '-' && option[1] != '-') option += strcspn(option, " ") + 1; /* -o, --output */
            if (sscanf(option, "--%63[a-z0-9-]", name) != 1) continue;
            snprintf(part, sizeof part, "--%s ", name);
            const char *found = strstr(list, part);
            cr_assert((found && found < end) || strcmp(name, "help-all") == 0, "bash: %s has no --%s",
                      commands[k], name);
            if (strncmp(name, "help", 4) == 0) continue;
            snprintf(part, sizeof part, "'--%s[", name);
            cr_assert_not_null(strstr(zsh, part), "zsh: no --%s", name);
            snprintf(part, sizeof part, "_from %s' -l %s ", last ? last + 1 : commands[k], name);
            cr_assert_not_null(strstr(fish, part), "fish: %s has no --%s", commands[k], name);
            count++;
        }
        cr_assert_gt(count, 3, "%s: %d options", commands[k], count);
        free(help);
    }
    free(bash);
    free(zsh);
    free(fish);
}

Test(completion, other_shells_are_refused)
{
    cli_test_fails(1, "no shell is given", "completion");
    cli_test_fails(1, "there is no completion for \"tcsh\": choose one of bash, zsh, fish", "completion",
                   "tcsh");
}
