/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rill completion: a script that completes commands, options and their choices, for bash, zsh or fish. It is
 * made from the tables that --help prints: there is no second list of options.
 */
#include "cli/cli.h"
#include "cli/generate_kinds.h"

#include <string.h>

/* What is printed for the tables of one command. There is one program, hence one printer. */
static void (*print)(const cli_command *command, const cli_option *const *tables);

/* Call a function with the tables of a command, or of a kind of `rill generate`. */
static void visit(const cli_command *command, const char *kind)
{
    char name[32], of[32], help[] = "--help-all";
    snprintf(name, sizeof name, "%s", command->name);
    snprintf(of, sizeof of, "%s", kind ? kind : "");
    char *with[] = {name, of, help, NULL}, *plain[] = {name, help, NULL};
    cli_help_divert(print);
    (void)command->run(kind ? 3 : 2, kind ? with : plain);
    cli_help_divert(NULL);
}

/* Call `each` with the name and the summary of every kind of geometry and surface. */
static void kinds_each(void (*each)(const char *name, const char *summary))
{
    for (const cli_generate_kind *k = cli_generate_kinds; k->name; k++) each(k->name, k->summary);
    for (int k = 0; cli_surface_kind_name(k); k++)
        each(cli_surface_kind_name(k), cli_surface_kind_summary(k));
}

static void kind_visit(const char *name, const char *summary)
{
    (void)summary;
    visit(&cli_generate, name);
}

/* Print something for the tables of all commands. */
static void all_visit(void (*printer)(const cli_command *command, const cli_option *const *tables))
{
    print = printer;
    for (const cli_command *const *c = cli_commands; *c; c++)
        if (*c != &cli_generate) visit(*c, NULL);
    kinds_each(kind_visit);
}

/* Print a text with a backslash before each character of `special`, and within quotes a quote as bash and zsh
 * write it. */
static void print_escaped(const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'' && !strchr(special, '\'')) {
            fputs("'\\''", stdout);
            continue;
        }
        if (strchr(special, *text)) putchar('\\');
        putchar(*text);
    }
}

static void print_choices(const cli_option *o)
{
    for (int k = 0; o->choices[k]; k++) printf("%s%s", k ? " " : "", o->choices[k]);
    if (o->kind == CLI_CHOICES) fputs(" all", stdout);
}

static bool has_choices(const cli_option *o) { return o->kind == CLI_CHOICE || o->kind == CLI_CHOICES; }

/* Return whether an option has a row; the other rows are headings. */
static bool is_end(const cli_option *o) { return !o->name && !o->help; }

#define EACH_OPTION(o, tables)                                                                               \
    for (const cli_option *const *t_ = (tables); *t_; t_++)                                                  \
        for (const cli_option *o = *t_; !is_end(o); o++)                                                     \
            if (o->name)

static void name_print(const char *name, const char *summary)
{
    (void)summary;
    printf("%s ", name);
}

/* ---- bash ---- */

static void bash_choices(const cli_command *command, const cli_option *const *tables)
{
    EACH_OPTION(o, tables)
    {
        if (!has_choices(o)) continue;
        printf("    \"%s --%s\") list=\"", command->name, o->name);
        print_choices(o);
        puts("\" ;;");
    }
}

static void bash_names(const cli_command *command, const cli_option *const *tables)
{
    printf("      \"%s\") list=\"", command->name);
    EACH_OPTION(o, tables) printf("--%s ", o->name);
    puts("--help --help-all\" ;;");
}

static void bash(void)
{
    puts(
        "# Completion of rill for bash: rill completion bash.\n"
        "_rill() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} list=\n"
        "  COMPREPLY=()\n"
        "  [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD-2]}\n"
        "  [ \"$word\" != = ] || word=");
    fputs("  if [ \"$COMP_CWORD\" -eq 1 ]; then list='", stdout);
    for (const cli_command *const *c = cli_commands; *c; c++) name_print((*c)->name, NULL);
    puts("help --help --version'");
    puts(
        "  elif [ \"$command\" = completion ] && [ \"$COMP_CWORD\" -eq 2 ]; then list='bash zsh fish --help'");
    fputs("  elif [ \"$command\" = generate ] && [ \"$COMP_CWORD\" -eq 2 ]; then list='", stdout);
    kinds_each(name_print);
    puts("--help'\n"
         "  else\n"
         "    [ \"$command\" != generate ] || command=\"generate ${COMP_WORDS[2]}\"\n"
         "    case \"$command $before\" in");
    all_visit(bash_choices);
    puts("    *) case \"$command\" in");
    all_visit(bash_names);
    puts("      esac\n"
         "      [[ $word == -* ]] || list= ;;\n"
         "    esac\n"
         "  fi\n"
         "  [ -z \"$list\" ] || mapfile -t COMPREPLY < <(compgen -W \"$list\" -- \"$word\")\n"
         "}\n"
         "complete -o default -F _rill rill");
}

/* ---- zsh ---- */

static void zsh_name(const char *name, const char *summary)
{
    printf("    '%s:", name);
    print_escaped(summary, "");
    puts("'");
}

static void zsh_option(const cli_option *o, const char *dashes, const char *name)
{
    printf("    '%s%s[", dashes, name);
    print_escaped(o->help, "[]:\\");
    putchar(']');
    if (has_choices(o)) {
        fputs(":choice:(", stdout);
        print_choices(o);
        putchar(')');
    } else if (o->kind != CLI_FLAG && o->kind != CLI_FORM) {
        fputs(o->arg && strstr(o->arg, "FILE") ? ":file:_files" : ":value:", stdout);
    }
    puts("' \\");
}

static void zsh_options(const cli_command *command, const cli_option *const *tables)
{
    printf("  \"%s\") _arguments \\\n", command->name);
    EACH_OPTION(o, tables)
    {
        zsh_option(o, "--", o->name);
        if (o->letter) zsh_option(o, "-", (const char[]){o->letter, '\0'});
    }
    puts("    '--help[show the help]' \\\n    '--help-all[show all options]' \\\n    '*:file:_files' ;;");
}

static void zsh(void)
{
    puts("#compdef rill\n# Completion of rill for zsh: rill completion zsh.\n_rill() {\n"
         "  local -a commands kinds\n  commands=(");
    for (const cli_command *const *c = cli_commands; *c; c++) zsh_name((*c)->name, (*c)->summary);
    puts("  )\n  kinds=(");
    kinds_each(zsh_name);
    puts("  )\n"
         "  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
         "  local command=$words[2]\n"
         "  if [[ $command == completion ]]; then compadd bash zsh fish; return; fi\n"
         "  if [[ $command == generate ]]; then\n"
         "    if (( CURRENT == 3 )); then _describe kind kinds; return; fi\n"
         "    command=\"generate $words[3]\"; shift words; (( CURRENT-- ))\n"
         "  fi\n"
         "  shift words; (( CURRENT-- ))\n"
         "  case $command in");
    all_visit(zsh_options);
    puts("  esac\n}\nif [ \"$funcstack[1]\" = _rill ]; then _rill \"$@\"; else compdef _rill rill; fi");
}

/* ---- fish ---- */

static void fish_named(const char *when, const char *name, const char *summary)
{
    printf("complete -c rill -n '%s' -f -a %s -d '", when, name);
    print_escaped(summary, "\\'");
    puts("'");
}

static void fish_kind(const char *name, const char *summary)
{
    fish_named("__fish_seen_subcommand_from generate; and test (count (commandline -opc)) -eq 2", name,
               summary);
}

static void fish_options(const cli_command *command, const cli_option *const *tables)
{
    const char *space = strchr(command->name, ' '), *name = space ? space + 1 : command->name;
    EACH_OPTION(o, tables)
    {
        printf("complete -c rill -n '__fish_seen_subcommand_from %s' -l %s", name, o->name);
        if (o->letter) printf(" -s %c", o->letter);
        if (has_choices(o)) {
            fputs(" -x -a '", stdout);
            print_choices(o);
            putchar('\'');
        } else if (o->kind != CLI_FLAG && o->kind != CLI_FORM) {
            fputs(" -r", stdout);
        }
        fputs(" -d '", stdout);
        print_escaped(o->help, "\\'");
        puts("'");
    }
}

static void fish(void)
{
    puts("# Completion of rill for fish: rill completion fish.");
    for (const cli_command *const *c = cli_commands; *c; c++)
        fish_named("__fish_use_subcommand", (*c)->name, (*c)->summary);
    kinds_each(fish_kind);
    puts("complete -c rill -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'");
    all_visit(fish_options);
}

static int run(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*write)(void);
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    rill_status status = RILL_OK;
    const cli_option none[] = {{0}};
    const cli_option *const tables[] = {none, NULL};
    const char *shell = NULL;
    int count = 1;
    bool help = false;
    RILL_TRY(cli_parse(&cli_completion, tables, argc, argv, &shell, &count, &help));
    if (help) return RILL_OK;
    if (count == 0) RILL_TRY(rill_fail(RILL_USAGE, "no shell is given: rill completion bash, zsh or fish"));
    for (size_t k = 0; k < sizeof shells / sizeof *shells; k++)
        if (strcmp(shell, shells[k].name) == 0) {
            shells[k].write();
            return RILL_OK;
        }
    status =
        rill_fail(RILL_USAGE, "there is no completion for \"%.40s\": choose one of bash, zsh, fish", shell);
done:
    return cli_report(&cli_completion, status);
}

const cli_command cli_completion = {
    .name = "completion",
    .usage = "bash|zsh|fish",
    .summary = "print a script that completes commands and options in a shell",
    .details = "`make install` and the packages install the scripts; pip does not make shells find them.\n"
               "Put the line of the examples into ~/.bashrc, ~/.zshrc (behind compinit) or\n"
               "~/.config/fish/config.fish.",
    .examples = "eval \"$(rill completion bash)\"\n"
                "eval \"$(rill completion zsh)\"\n"
                "rill completion fish | source\n",
    .run = run,
};
