/* SPDX-License-Identifier: Apache-2.0 */
/* A document on standard output: what the tables print goes to standard error from the option on, for a pipe
 * reads the document alone. */
#include "cli/cli.h"
#include "core/output.h"
#include "core/status.h"
#include "io/json_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* There is one standard output, hence one state. */
static int document = -1; /* what standard output was */

bool cli_json_streams(const char *path) { return path && strcmp(path, "-") == 0; }

rill_status cli_stream_apply(const char *text)
{
    if (!cli_json_streams(text)) return RILL_OK;
    if (document >= 0)
        return rill_fail(RILL_USAGE, "\"-\" is given twice, and there is one standard output: name a file");
    fflush(stdout);
    document = dup(STDOUT_FILENO);
    if (document < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return rill_fail(RILL_SYSTEM, "standard output cannot be kept for a document (%s): name a file",
                         strerror(errno));
    rill_output_stream(document);
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* rows and progress in the order in which they were made */
    return RILL_OK;
}

rill_status cli_json_write(const json_t *json, const char *path)
{
    if (!cli_json_streams(path)) return rill_json_write(json, path);
    if (rill_json_check() != RILL_OK) return RILL_SYSTEM;
    char *text = rill_json_text(json, 17);
    if (!text) return rill_fail(RILL_SYSTEM, "out of memory for a JSON document");
    size_t left = strlen(text) + 1;
    text[left - 1] = '\n'; /* in place of the NUL */
    for (const char *at = text; left > 0;) {
        const ssize_t written = write(document, at, left);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        at += written;
        left -= (size_t)written;
    }
    free(text);
    if (left == 0 || cli_pipe_closed()) return RILL_OK;
    return rill_fail(RILL_SYSTEM, "standard output cannot be written (%s): free space or write elsewhere",
                     strerror(errno));
}

rill_status cli_json_finish(json_t *json, const char *path)
{
    if (!json) return rill_fail(RILL_SYSTEM, "%s: invalid UTF-8 in a text, or out of memory", path);
    const rill_status status = cli_json_write(json, path);
    json_decref(json);
    return status;
}
