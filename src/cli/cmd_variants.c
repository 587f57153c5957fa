/* SPDX-License-Identifier: Apache-2.0 */
/* `rill variants`: what is built, with the bytes that each stores and moves. */
#include "cli/cli.h"
#include "run/variant.h"

static int run(int argc, char **argv)
{
    const cli_option options[] = {{0}};
    const cli_option *const tables[] = {options, NULL};
    int count = 0;
    bool help = false;
    const rill_status status = cli_parse(&cli_variants, tables, argc, argv, NULL, &count, &help);
    if (status != RILL_OK) return cli_report(&cli_variants, status);
    if (help) return RILL_OK;
    printf("%-42s  %12s  %12s\n", "variant", "stored", "moved");
    printf("%-42s  %12s  %12s\n", "", "bytes/node", "bytes/update");
    for (int k = 0; k < rill_variant_count(); k++) {
        const rill_variant variant = rill_variant_at(k);
        const rill_bytes bytes = rill_variant_bytes(variant, 1);
        char name[96];
        rill_variant_name(variant, name, sizeof name);
        printf("%-42s  %12.0f  %12.0f\n", name, bytes.populations + bytes.index, bytes.cached);
    }
    printf("\nPopulations and index words; the default is ");
    char name[96];
    rill_variant_name(rill_variant_default(), name, sizeof name);
    printf("%s.\n", name);
    return RILL_OK;
}

const cli_command cli_variants = {
    .name = "variants",
    .usage = "",
    .summary = "list the variants of the node update that are built, with their bytes",
    .run = run,
};
