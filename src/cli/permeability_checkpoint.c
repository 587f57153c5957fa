/* SPDX-License-Identifier: Apache-2.0 */
/* What the checkpoint of a permeability is called, and whether there is one to continue from. */
#include "cli/permeability.h"

#include "core/status.h"
#include "io/checkpoint.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Cut the extension off, .geom.h5 as well as .h5, and what a pattern of slices is made of. */
static void base_cut(char *name)
{
    char *last = strrchr(name, '/'), *part = last ? last + 1 : name;
    for (int k = 0; k < 2; k++) {
        char *dot = strrchr(part, '.');
        if (dot && dot != part && (k == 0 || strcmp(dot, ".geom") == 0)) *dot = '\0';
    }
    for (char *c = part + strcspn(part, "*?[]%"); *c; c += strcspn(c, "*?[]%")) *c = '_';
}

/* Name the checkpoint: as given, or after the output, or after the input in the working directory. */
static rill_status name_make(const cli_checkpoint *c, char *name, size_t size)
{
    const char *from = c->given ? c->given : c->output ? c->output : c->input;
    const char *command = c->output || !c->command ? "" : c->command; /* inputs have several */
    const size_t ending = sizeof ".checkpoint.h5" + strlen(command) + 1;
    if (strlen(from) + ending > size)
        return rill_fail(RILL_USAGE, "%.40s…: the name is too long for a checkpoint beside it", from);
    strcpy(name, from);
    if (c->given) return RILL_OK;
    for (size_t n = strlen(name); n > 1 && name[n - 1] == '/'; n--) name[n - 1] = '\0';
    if (!c->output && strrchr(name, '/')) memmove(name, strrchr(name, '/') + 1, strlen(strrchr(name, '/')));
    base_cut(name);
    if (command[0]) strcat(strcat(name, "."), command);
    strcat(name, ".checkpoint.h5");
    return RILL_OK;
}

rill_status cli_checkpoint_settle(const cli_checkpoint *c, char *name, size_t size)
{
    if (c->error_bar && (c->resume || c->given))
        return rill_fail(RILL_USAGE, "%s: an error bar has no checkpoint: leave out one of them",
                         c->resume ? "--resume" : "--checkpoint");
    const rill_status status = name_make(c, name, size);
    if (status != RILL_OK || !c->resume || access(name, F_OK) == 0) return status;
    return rill_fail(
        RILL_USAGE,
        "--resume: checkpoint %s not found: name it with --checkpoint, or leave out --resume to start anew",
        name);
}

rill_status cli_checkpoint_finish(const cli_checkpoint_end *e)
{
    char why[1024];
    rill_status written = e->written;
    if (written == RILL_OK && e->status != RILL_OK) return rill_fail(e->status, "%s", e->why);
    if (written == RILL_OK && e->left && (fflush(stdout) != 0 || ferror(stdout)) && !cli_pipe_closed())
        written =
            rill_fail(RILL_SYSTEM, "standard output cannot be written (%s): free space or write elsewhere",
                      strerror(errno));
    if (written == RILL_OK && e->left) rill_checkpoint_remove(e->name);
    if (written == RILL_OK || !e->left) return written;
    snprintf(why, sizeof why, "%s", rill_error_message());
    return rill_fail(written, "%s; the checkpoint %s is whole: continue with --resume then", why, e->name);
}
