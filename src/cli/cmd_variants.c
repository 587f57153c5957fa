/* SPDX-License-Identifier: Apache-2.0 */
/* `rill variants`: what there is, with the bytes that each stores and moves, and what it compiles to. */
#include "cli/cli.h"
#include "cuda/nvrtc.h"
#include "kernel/variant.h"

#include <stdlib.h>

static void print_header(void)
{
    printf("%-48s %8s %15s %18s\n", "variant", "stored", "moved", "published");
    printf("%-48s %8s %8s %6s %8s %6s\n", "bytes per fluid node and update", "", "nominal", "cached",
           "stored", "moved");
}

static void print_variant(rill_variant variant, double fluid)
{
    const rill_bytes bytes = rill_variant_bytes(variant, fluid);
    const rill_published_bytes published = rill_variant_published(variant);
    char name[96];
    rill_variant_name(variant, name, sizeof name);
    printf("%-48s %8.1f %8.1f %6.1f", name, bytes.populations + bytes.index, bytes.moved, bytes.cached);
    if (published.source)
        printf(" %8.0f %6.0f  %s\n", published.stored, published.moved, published.source);
    else
        printf("\n");
}

static void list(bool all, double fluid)
{
    char name[96];
    rill_variant_name(rill_variant_default(), name, sizeof name);
    print_header();
    if (all) {
        uint64_t cursor = 0;
        rill_variant variant;
        while (rill_variant_next(&cursor, &variant)) print_variant(variant, fluid);
    } else {
        for (int k = 0; k < rill_variant_count(); k++) print_variant(rill_variant_at(k), fluid);
        printf(
            "\nThese are built for CUDA ahead of time, out of %llu (--all), which are compiled when they are\n"
            "first used; a CPU runs every one. Bytes are those of populations and index words, without ghosts;\n"
            "nominal: words as often as they are read; cached: words that neighbours share once. Published:\n"
            "populations and flags by Lehmann 2022, table 1; lists by Suffa 2024. The default is\n%s.\n",
            (unsigned long long)rill_variant_all_count(), name);
    }
}

/* Compiles a variant and prints what ptxas says of it. */
static rill_status compile(const char *name, int arch)
{
    rill_status status = RILL_OK;
    rill_variant variant;
    rill_cubin cubin = {0};
    char *log = NULL;
    RILL_TRY(rill_variant_find(name, &variant));
    for (int part = 0; part < RILL_CUDA_PART_COUNT; part++) {
        RILL_TRY(rill_nvrtc_compile(variant, (rill_cuda_part)part, arch, &cubin, &log));
        printf("%s%s for sm_%d: %zu bytes of machine code\n%s", name,
               part == RILL_CUDA_PART_STEPS ? "" : ", what its layout shares", arch, cubin.code_size,
               log ? log : "");
        rill_cubin_free(&cubin);
        free(log);
        log = NULL;
    }
done:
    rill_cubin_free(&cubin);
    free(log);
    return status;
}

static int run(int argc, char **argv)
{
    bool all = false, help = false;
    const char *name = NULL;
    int arch = 90;
    double fluid = 1;
    const cli_option options[] = {
        {.name = "all", .kind = CLI_FLAG, .target = &all, .help = "list every combination that exists"},
        {.name = "porosity",
         .kind = CLI_REAL,
         .target = &fluid,
         .arg = "FRACTION",
         .help = "fluid fraction of the box, which bytes of dense and bitmap depend on",
         .min = 0,
         .max = 1,
         .above = true},
        {.name = "compile",
         .kind = CLI_TEXT,
         .target = &name,
         .arg = "VARIANT",
         .help = "compile a variant with NVRTC, needing no device, and show its registers",
         .fallback = ""},
        {.name = "arch",
         .kind = CLI_INT,
         .target = &arch,
         .arg = "N",
         .help = "compute capability to compile for, 90 for 9.0",
         .min = 50,
         .max = 999},
        {0}};
    const cli_option *const tables[] = {options, NULL};
    int count = 0;
    rill_status status = cli_parse(&cli_variants, tables, argc, argv, NULL, &count, &help);
    if (status != RILL_OK) return cli_report(&cli_variants, status);
    if (help) return RILL_OK;
    if (name) {
        status = compile(name, arch);
        if (status != RILL_OK) return cli_report(&cli_variants, status);
    } else {
        list(all, fluid);
    }
    return RILL_OK;
}

const cli_command cli_variants = {
    .name = "variants",
    .usage = "[options]",
    .summary = "list the variants of the node update, with their bytes",
    .examples = "rill variants\n"
                "rill variants --all\n",
    .run = run,
};
