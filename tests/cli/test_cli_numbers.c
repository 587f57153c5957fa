/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of options and of text files are decimal for every command: "0x10", "inf" and "1e999", which
 * strtod() reads, are refused, and what a command makes of a file another one reads.
 */
#include "cli_test.h"

#include "shapes.h"

TestSuite(cli_numbers, .init = cli_test_start, .fini = cli_test_end);

static void put(const char *path, const char *format, const char *number)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fprintf(file, format, number);
    cr_assert_eq(fclose(file), 0);
}

static void write_tube(const char *path)
{
    shape s = shape_new();
    shape_tube(&s, 4, 24, 25, 48);
    shape_write_stl(&s, path);
    shape_free(&s);
}

static const char *const wrong[] = {"0x10", "-0x1p+3", "inf", "nan", "1e999", "1e-999", "5x"};

enum { WRONG = sizeof wrong / sizeof *wrong };

Test(cli_numbers, options)
{
    static const struct {
        const char *words, *option, *format, *part;
    } options[] = {
        {"generate pipe --radius 4 -o p.geom.h5", "--centre-offset", "%s,0", "is not an offset"},
        {"generate pipe --radius 4 -o p.geom.h5", "--centre-offset", "0,%s", "is not an offset"},
        {"generate pack --size 16 --radius 3 -o p.geom.h5", "--porosity", "%s", "--porosity"},
        {"voxelize a.raw -o p.geom.h5", "--threshold", "%s", "threshold"},
        {"voxelize a.raw -o p.geom.h5", "--threshold", "112+-%s", "threshold"},
        {"voxelize a.raw -o p.geom.h5", "--pore", "%s", "pore"},
        {"voxelize a.raw --threshold 5 -o p.geom.h5", "--core", "x=%s,y=2,d=4", "core"},
        {"voxelize a.raw --threshold 5 -o p.geom.h5", "--voxel-size", "%sum", "--voxel-size"},
        {"dispersion a.raw --threshold 5", "--peclet", "0,%s", "--peclet"},
        {"dispersion a.raw --threshold 5 --peclet 1", "--length", "%s", "--length"},
        {"permeability a.raw --threshold 5", "--tolerance", "%s", "--tolerance"},
        {"permeability a.raw --threshold 5", "--tau", "3/%s", "--tau"},
        {"export v.geom.h5 -o s.png", "--slice", "z=%s", "--slice"},
        {"info v.stl --units mm", "--plane", "a=1mm,0mm,0mm,%s,0,1", "--plane"},
        {"voxelize v.stl --units mm --dx 1mm -o p.geom.h5", "--extend", "%sD", "--extend"},
    };
    unsigned char grey[8 * 8 * 8] = {0};
    FILE *file = fopen("a_8x8x8_u8.raw", "wb");
    cr_assert_eq(fwrite(grey, 1, sizeof grey, file), sizeof grey);
    fclose(file);
    cr_assert_eq(rename("a_8x8x8_u8.raw", "a.raw"), 0);
    write_tube("v.stl");
    cr_assert_eq(cli_test_run("voxelize", "v.stl", "--units", "mm", "--dx", "1mm", "-o", "v.geom.h5").code,
                 0);
    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        for (int w = 0; w < WRONG; w++) {
            const char *arguments[24];
            char words[128], text[64];
            int n = 0;
            if (strcmp(wrong[w], "5x") == 0 && strchr(options[k].format, 'D')) continue;
            snprintf(words, sizeof words, "%s", options[k].words);
            for (char *at = words, *word; (word = strsep(&at, " "));) {
                arguments[n++] = word;
                if (strcmp(word, "a.raw") == 0) {
                    arguments[n++] = "--size";
                    arguments[n++] = "8x8x8";
                    arguments[n++] = "--type";
                    arguments[n++] = "u8";
                }
            }
            snprintf(text, sizeof text, options[k].format, wrong[w]);
            arguments[n++] = options[k].option;
            arguments[n++] = text;
            arguments[n] = NULL;
            const cli_result r = cli_test_run_list(arguments);
            cr_expect_eq(r.code, 1, "%s %s %s: exit code %d: %s", options[k].words, options[k].option, text,
                         r.code, r.err);
            cr_expect_not_null(strstr(r.err, options[k].part), "%s %s: %s", options[k].option, text, r.err);
        }
}

Test(cli_numbers, files)
{
    static const struct {
        const char *name, *format, *part;
    } files[] = {
        {"a.obj", "v %s 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "is not a finite number"},
        {"a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex %s 0 0\n", "is not a finite number"},
        {"a.ply",
         "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
         "element face 1\nproperty list uchar int vertex_indices\nend_header\n%s 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
         "is not a finite number"},
        {"a.nrrd",
         "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nspace directions: (%s,0,0) (0,1,0) (0,0,1)\nspace units: \"mm\" \"mm\" \"mm\"\n"
         "encoding: ascii\n\n0 1 2 3 4 5 6 7\n",
         "space directions"},
        {"a.mhd",
         "NDims = 3\nDimSize = 2 2 2\nElementType = MET_UCHAR\nElementSpacing = %s 1 1\nElementDataFile = a.raw\n",
         "pacing"},
        {"a.txt", "0 1\n2 %s\n\n4 5\n6 7\n", ""},
    };
    put("a.raw", "%s", "12345678");
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        for (int w = 0; w < WRONG; w++) {
            put(files[k].name, files[k].format, wrong[w]);
            const cli_result r = cli_test_run("info", files[k].name);
            cr_expect_eq(r.code, 1, "%s with %s: exit code %d: %s %s", files[k].name, wrong[w], r.code, r.out,
                         r.err);
            cr_expect_not_null(strstr(r.err, files[k].part), "%s with %s: %s", files[k].name, wrong[w],
                               r.err);
        }
}

/* rill case and rill check read a waveform alike: what the one writes the other takes. */
Test(cli_numbers, waveforms)
{
    write_tube("v.stl");
    put("f.csv", "time [s], flow [mL/s]\n0, 2\n0.2, %s\n0.4, 3\n0.6, 3\n0.8, 2\n", "3");
    cli_result r = cli_test_run("case", "v.stl", "--units", "mm", "--dx", "1mm", "--flow", "f.csv");
    cr_assert_eq(r.code, 0, "%s", r.err);
    for (int w = 0; w < WRONG; w++) {
        put("f.csv", "time [s], flow [mL/s]\n0, 2\n0.2, %s\n0.4, 3\n0.6, 3\n0.8, 2\n", wrong[w]);
        cli_test_fails(1, "f.csv:3: ", "case", "v.stl", "--units", "mm", "--dx", "1mm", "--flow", "f.csv");
        put("v.csv", "time [s], flow [mL/s]\n0, 2\n0.2, %s\n0.4, 3\n0.6, 3\n0.8, 2\n", wrong[w]);
        cli_test_fails(1, "v.csv:3: ", "check", "v.yaml");
    }
}

Test(cli_numbers, settings)
{
    cr_assert_eq(cli_test_run("generate", "pipe", "--radius", "4", "-o", "a.geom.h5").code, 0);
    for (int w = 0; w < WRONG; w++) {
        setenv("RILL_INSPECT_SECONDS", wrong[w], 1);
        cli_test_fails(1, "RILL_INSPECT_SECONDS", "info", "a.geom.h5");
    }
}
