/* SPDX-License-Identifier: Apache-2.0 */
/* rill free-surface: shapes, exit codes and files. */
#include "cli_test.h"

TestSuite(free_surface, .init = cli_test_start, .fini = cli_test_end);

Test(free_surface, a_drop_falls_into_a_pool)
{
    const cli_result r =
        cli_test_run("free-surface", "drop", "--nx", "12", "--ny", "12", "--nz", "16", "--depth", "4.3",
                     "--radius", "3", "--height", "10", "--gravity", "1e-4", "--tension", "1e-3", "--steps",
                     "120", "--every", "60", "-o", "a.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "steps                       120,"), "%s", r.out);
    cr_expect_eq(access("a.0.vtkhdf", F_OK), 0);
    cr_expect_eq(access("a.120.vtkhdf", F_OK), 0);
    const cli_result info = cli_test_run("info", "a.h5");
    cr_assert_eq(info.code, 0, "%s", info.err);
    cr_expect_not_null(strstr(info.out, "mass_change"), "%s", info.out);
}

/* A bubble that is closed has rows of its own. */
Test(free_surface, closed_bubbles)
{
    const cli_result r =
        cli_test_run("free-surface", "bubble", "--nx", "12", "--ny", "12", "--nz", "14", "--radius", "4",
                     "--gas-pressure", "0.1", "--steps", "120", "-o", "a.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "closed bubbles              1 of volume 26"), "%s", r.out);
    const cli_result info = cli_test_run("info", "a.h5");
    cr_assert_eq(info.code, 0, "%s", info.err);
    cr_expect_not_null(strstr(info.out, "bubbles"), "%s", info.out);
    cli_test_fails(1, "--atmosphere belongs to --gas-pressure", "free-surface", "bubble", "--radius", "4",
                   "--atmosphere", "none");
    cli_test_fails(1, "the box is periodic", "free-surface", "bubble", "--radius", "4", "--gas-pressure",
                   "0.1", "--atmosphere", "x-");
    cli_test_fails(1, "--gas-pressure", "free-surface", "bubble", "--radius", "4", "--gas-pressure", "0.4");
    unsigned char lid[12 * 12 * 14];
    memset(lid, 0, sizeof lid);
    memset(lid + 12 * 12 * 13, 255, 12 * 12);
    FILE *file = fopen("lid_12x12x14.raw", "wb");
    cr_assert(file && fwrite(lid, sizeof lid, 1, file) == 1 && fclose(file) == 0);
    cli_test_fails(1, "no pores are open at the face of the atmosphere", "free-surface", "bubble",
                   "lid_12x12x14.raw", "--pore", "0", "--radius", "3", "--gas-pressure", "0.1",
                   "--atmosphere", "z+");
    const cli_result under = cli_test_run("free-surface", "bubble", "lid_12x12x14.raw", "--pore", "0",
                                          "--radius", "3", "--gas-pressure", "0.1", "--steps", "5");
    cr_assert_eq(under.code, 0, "%s", under.err);
}

Test(free_surface, shapes)
{
    static const char *const more[][7] = {{"pool", "--depth", "3.5", "--storage", "fp16s"},
                                          {"bubble", "--radius", "3"},
                                          {"column", "--depth", "6", "--width", "4", "--contact-angle", "60"},
                                          {"wave", "--depth", "5.2", "--amplitude", "0.5"}};
    for (int k = 0; k < 4; k++) {
        const char *words[24] = {"free-surface", "--nx",    "10", "--ny",     "1",       "--nz",
                                 "10",           "--steps", "10", "--stream", "esopull", "-q"};
        int count = 12;
        for (int i = 0; i < 7 && more[k][i]; i++) words[count++] = more[k][i];
        const cli_result r = cli_test_run_list(words);
        cr_expect_eq(r.code, 0, "%s", r.err);
        cr_expect_str_empty(r.out);
    }
}

/* A raw image is solid below its threshold, and another one the liquid; faces are open. */
Test(free_surface, images_and_faces)
{
    unsigned char grey[12 * 10 * 14], wet[12 * 10 * 14];
    for (int k = 0; k < 12 * 10 * 14; k++) {
        const int x = k % 12, z = k / 120;
        grey[k] = x == 6 && z < 3 ? 40 : 200;
        wet[k] = z < 5 && grey[k] > 100;
    }
    const struct {
        const char *name;
        const unsigned char *bytes;
    } files[] = {{"rock_12x10x14.raw", grey}, {"wet_12x10x14.raw", wet}};
    for (int k = 0; k < 2; k++) {
        FILE *file = fopen(files[k].name, "w");
        cr_assert_not_null(file);
        cr_assert_eq(fwrite(files[k].bytes, 1, sizeof grey, file), sizeof grey);
        fclose(file);
    }
    const cli_result pool = cli_test_run("free-surface", "pool", "rock_12x10x14.raw", "--threshold", ">100",
                                         "--depth", "5", "--steps", "20", "--every", "20", "-o", "a.h5");
    cr_assert_eq(pool.code, 0, "%s", pool.err);
    cr_expect_not_null(strstr(pool.out, "12 x 10 x 14"), "%s", pool.out);
    cr_expect_not_null(strstr(pool.out, "mass                        570,"), "%s", pool.out);
    const cli_result image =
        cli_test_run("free-surface", "image", "rock_12x10x14.raw", "--threshold", ">100", "--liquid",
                     "wet_12x10x14.raw", "--liquid-values", "1", "--steps", "20", "--inflow", "x-",
                     "--inflow-speed", "0.01", "--inflow-level", "4", "--outflow", "x+");
    cr_assert_eq(image.code, 0, "%s", image.err);
    cr_expect_not_null(strstr(image.out, "came in, went out           8"), "%s", image.out);
    cli_test_fails(1, "which of its values", "free-surface", "pool", "rock_12x10x14.raw", "--depth", "5");
    cli_test_fails(1, "leave --nx", "free-surface", "pool", "rock_12x10x14.raw", "--pore", "200", "--depth",
                   "5", "--nx", "12");
    cli_test_fails(1, "name it behind the shape", "free-surface", "pool", "--depth", "5", "--pore", "200");
    cli_test_fails(1, "takes the liquid from --liquid", "free-surface", "image", "rock_12x10x14.raw",
                   "--pore", "200");
    cli_test_fails(1, "belongs to --liquid", "free-surface", "pool", "--depth", "5", "--liquid-values", "1");
    cli_test_fails(1, "--inflow-speed belong to --inflow", "free-surface", "pool", "--depth", "5",
                   "--inflow-speed", "0.1");
    cli_test_fails(1, "periodic boundaries and walls", "free-surface", "pool", "--depth", "5", "--sides",
                   "mirror");
    cli_test_fails(1, "8 x 8 x 8 voxels, the box 12 x 10 x 14", "free-surface", "image", "--nx", "12", "--ny",
                   "10", "--nz", "14", "--liquid", "wet_12x10x14.raw", "--liquid-values", "1", "--crop",
                   "0:8,0:8,0:8");
}

/* SIGTERM leaves a checkpoint, which is gone once the result is there; tests/io/test_step_run.c compares
 * bits.
 */
Test(free_surface, a_run_is_resumed)
{
    cr_assert_eq(
        system(
            "\"$RILL\" free-surface drop -q --nx 24 --ny 24 --nz 24 --depth 9 --radius 4 --gravity 1e-5 --steps 100000000 --checkpoint-every 0.1s -o a.h5 & rill=$!\n"
            "until [ -e a.checkpoint.h5 ] || ! kill -0 $rill; do sleep 0.05; done\n"
            "kill -TERM $rill; wait $rill; [ $? = 4 ]"),
        0);
    cr_expect_neq(access("a.h5", F_OK), 0);
    cli_test_fails(1, "with another case", "free-surface", "drop", "-q", "--nx", "24", "--ny", "24", "--nz",
                   "24", "--depth", "9", "--radius", "4", "--gravity", "1e-5", "--steps", "100", "-o", "a.h5",
                   "--resume");
    cr_expect_eq(access("a.checkpoint.h5", F_OK), 0);
}

static void write_file(const char *name, const char *text, int count)
{
    FILE *file = fopen(name, "w");
    cr_assert_not_null(file);
    for (int k = 0; k < count; k++) fputs(text, file);
    fclose(file);
}

/* No file that is written takes the place of an image. */
Test(free_surface, inputs_stay)
{
    static const char *const outputs[][3] = {
        {"-o", "rock.raw"},
        {"-o", "./wet.raw"},
        {"-o", "mask.raw"},
        {"--checkpoint", "rock.raw", "--resume"},
        {"--checkpoint", "wet.raw", "--resume"},
        {"-o", "rock.h5"},
    };
    static const char *const names[] = {"rock.raw", "wet.raw", "mask.raw"};
    for (int k = 0; k < 3; k++) write_file(names[k], "0123", 125);
    for (int k = 0; k < 6; k++) {
        const char *words[32] = {"free-surface", "image",    "rock.raw",      "--size",  "5x10x10",
                                 "--pore",       "48-50",    "--liquid",      "wet.raw", "--liquid-values",
                                 "48",           "-q",       "--steps",       "1",       "--overwrite",
                                 "--mask",       "mask.raw", "--mask-inside", "48-51"};
        int count = 19;
        if (k == 5) {
            cr_assert_eq(rename("rock.raw", "rock.checkpoint.h5"), 0);
            words[2] = "rock.checkpoint.h5";
        }
        for (int i = 0; i < 3 && outputs[k][i]; i++) words[count++] = outputs[k][i];
        const cli_result r = cli_test_run_list(words);
        cli_test_expect_failure(&r, 1, "would overwrite the input");
    }
    cr_expect_eq(access("rock.checkpoint.h5", F_OK), 0);
    cr_expect_eq(access("wet.raw", F_OK), 0);
}

/* A column in a geometry with a post. @return what came of it, from its mass on */
static void column_of(const char *geometry, const char *sides, char out[1024])
{
    const cli_result r = cli_test_run("free-surface", "column", geometry, "--depth", "5", "--width", "4",
                                      "--gravity", "1e-4", "--steps", "50", sides ? "--sides" : NULL, sides);
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, ", 476 nodes"), "%s", r.out);
    snprintf(out, 1024, "%s", strstr(r.out, "mass   "));
}

/* Boundaries of a geometry are those of the flow. */
Test(free_surface, sides_of_a_geometry)
{
    static const char *const sides[] = {"wall", "periodic", "mirror", "wall,wall,mirror"};
    char kept[2][1024], given[1024];
    for (int k = 0; k < 4; k++) {
        FILE *file = fopen("rock_8x6x10.raw", "w");
        cr_assert_not_null(file);
        for (int v = 0; v < 480; v++) fputc(v % 48 == 20 && v < 192 ? 40 : 200, file);
        fclose(file);
        const cli_result made = cli_test_run("voxelize", "rock_8x6x10.raw", "--pore", "200", "--sides",
                                             sides[k], "--overwrite", "-o", "a.geom.h5");
        cr_assert_eq(made.code, 0, "%s", made.err);
        if (k < 2) column_of("a.geom.h5", NULL, kept[k]);
        if (k == 2) column_of("a.geom.h5", "wall", given);
        if (k < 2) continue;
        cli_test_fails(1, "give --sides without mirror", "free-surface", "pool", "a.geom.h5", "--depth", "5",
                       "--steps", "1");
    }
    cr_expect_str_eq(kept[0], given);
    cr_expect_str_neq(kept[0], kept[1]);
    cli_test_fails(1, "periodic boundaries and walls", "free-surface", "pool", "--depth", "5", "--sides",
                   "wall,wall,mirror");
}

/* Options that would do nothing are refused; those of raw files are of the liquid beside a geometry, and
 * images come through a pipe. */
Test(free_surface, options_have_an_effect)
{
    write_file("rock_6x6x6.raw", "01", 108);
    write_file("wet.raw", "01", 108);
    cr_assert_eq(cli_test_run("voxelize", "rock_6x6x6.raw", "--pore", "48", "-o", "a.geom.h5").code, 0);
    cli_test_fails(1, "has a width", "free-surface", "pool", "rock_6x6x6.raw", "--threshold", "48+-4",
                   "--depth", "3");
    cli_test_fails(1, "needs --inflow-speed", "free-surface", "pool", "--depth", "3", "--inflow", "x-");
    cli_test_fails(1, "--outflow-level belongs to --outflow", "free-surface", "pool", "--depth", "3",
                   "--outflow-level", "2");
    cli_test_fails(1, "say with --liquid-values", "free-surface", "image", "a.geom.h5", "--liquid", "wet.raw",
                   "--size", "6x6x6", "--type", "u8", "--liquid-values", "7", "--steps", "1");
    cli_test_fails(1, "no effect on the liquid", "free-surface", "image", "a.geom.h5", "--liquid", "wet.raw",
                   "--size", "6x6x6", "--pore", "48", "--liquid-values", "48", "--steps", "1");
    const cli_result r = cli_test_run("free-surface", "image", "a.geom.h5", "--liquid", "wet.raw", "--size",
                                      "6x6x6", "--type", "u8", "--liquid-values", "48", "--steps", "1", "-q");
    cr_expect_eq(r.code, 0, "%s", r.err);
    cr_expect_eq(
        system(
            "cat rock_6x6x6.raw | \"$RILL\" free-surface pool - --size 6x6x6 --pore 48 --depth 3 --steps 1 -q"),
        0);
}

/* A length that the shape does not have is refused, as is a ball that is not there. */
Test(free_surface, lengths_of_a_shape)
{
    static const char *const refused[][9] = {
        {"no effect on the shape pool", "pool", "--depth", "3", "--radius", "2"},
        {"belongs to column", "pool", "--depth", "3", "--width", "2"},
        {"belongs to wave", "drop", "--radius", "3", "--amplitude", "2"},
        {"belongs to drop, bubble", "column", "--height", "3"},
        {"belongs to drop", "bubble", "--radius", "3", "--speed", "0.1"},
        {"belongs to pool, drop, column, wave", "bubble", "--radius", "3", "--depth", "4"},
        {"a drop needs a --radius", "drop", "--depth", "3"},
        {"a bubble needs a --radius", "bubble", "--radius", "0"},
        {"below 11", "bubble", "--radius", "3", "--height", "11"},
        {"without --gravity", "pool", "--depth", "3", "--outflow", "x+", "--outflow-level", "2"},
        {"name it behind the shape", "pool", "--depth", "3", "--voxel-size", "1um"},
        {"needs --inflow-speed", "pool", "--depth", "3", "--inflow", "x-", "--inflow-speed", "0"},
    };
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        const char *words[20] = {"free-surface", refused[k][1], "-q",      "--nx", "8", "--ny", "8",
                                 "--nz",         "8",           "--steps", "1"};
        int count = 11;
        for (int i = 2; i < 9 && refused[k][i]; i++) words[count++] = refused[k][i];
        const cli_result r = cli_test_run_list(words);
        cli_test_expect_failure(&r, 1, refused[k][0]);
    }
}

/* Messages on the image of a liquid speak of liquid, and name the file once. */
Test(free_surface, words_of_a_liquid)
{
    write_file("wet.raw", "00000000", 64);
    const cli_result r = cli_test_run("free-surface", "image", "--liquid", "wet.raw", "--size", "8x8x8",
                                      "--liquid-values", "49");
    cli_test_expect_failure(&r, 1, "rill free-surface: --liquid wet.raw: no voxel is liquid: ");
    cr_expect_null(strstr(r.err, "pore"), "%s", r.err);
    const cli_result unsaid = cli_test_run("free-surface", "image", "--liquid", "wet.raw", "--size", "8x8x8");
    cli_test_expect_failure(&unsaid, 1, "which of its values (u8) are liquid");
    cr_expect_null(strstr(unsaid.err, "ormer"), "%s", unsaid.err);
}

/* A checkpoint takes the place of no field file of the run. */
Test(free_surface, checkpoint_beside_fields)
{
    cli_test_fails(1, "./a.4.vtkhdf is a file that --every writes", "free-surface", "pool", "-q", "--depth",
                   "3", "--nx", "8", "--ny", "8", "--nz", "8", "--steps", "4", "--every", "2", "-o", "a.h5",
                   "--checkpoint", "./a.4.vtkhdf");
}

/* Threads that no team has, with which OpenMP crashes, are refused. */
Test(free_surface, threads_beyond_a_team)
{
    cr_assert_eq(setenv("OMP_NUM_THREADS", "100000", 1), 0);
    cli_test_fails(1, "names 100000 threads: give a number from 1 to 1024", "free-surface", "pool", "-q",
                   "--depth", "3", "--nx", "8", "--ny", "8", "--nz", "8", "--steps", "4");
    cr_assert_eq(setenv("OMP_THREAD_LIMIT", "2", 1), 0);
    const cli_result r = cli_test_run("free-surface", "pool", "-q", "--depth", "3", "--nx", "8", "--ny", "8",
                                      "--nz", "8", "--steps", "4");
    cr_expect_eq(r.code, 0, "%s", r.err);
}

/* A box beyond the memory is refused before anything is made of it. */
Test(free_surface, box_beyond_memory)
{
    cr_assert_eq(setenv("RILL_MEMORY", "100MB", 1), 0);
    cli_test_fails(3, "no room for populations", "free-surface", "pool", "-q", "--depth", "3", "--nx", "128",
                   "--ny", "128", "--nz", "128", "--steps", "1");
    cli_test_fails(3, "no room for populations", "capsule", "sphere", "-q", "--nx", "128", "--ny", "128",
                   "--nz", "128", "--strain", "1e-6");
}

Test(free_surface, refusals)
{
    cli_test_fails(1, "--resume needs a checkpoint", "free-surface", "pool", "--depth", "3", "--resume");
    cli_test_fails(1, "checkpoint a.checkpoint.h5 not found", "free-surface", "pool", "--depth", "3", "-o",
                   "a.h5", "--resume");
    cli_test_fails(1, "crop", "free-surface", "pool", "-q", "--depth", "3", "--nx", "1626", "--ny", "1626",
                   "--nz", "1626");
    cli_test_fails(1, "choose pool, drop", "free-surface", "blob");
    cli_test_fails(1, "contact-angle", "free-surface", "pool", "--depth", "3", "--contact-angle", "180");
    cli_test_fails(1, "there is no liquid in", "free-surface", "pool", "-q", "--nx", "4", "--ny", "4", "--nz",
                   "4");
    cli_test_fails(1, "needs a result file", "free-surface", "pool", "--depth", "3", "--every", "10");
    cli_test_fails(1, "more than 100000 files", "free-surface", "pool", "--depth", "3", "--steps",
                   "10000000000", "--every", "1", "-o", "a.h5");
    cli_test_fails(2, "diverged", "free-surface", "wave", "-q", "--nx", "20", "--ny", "1", "--nz", "20",
                   "--depth", "10", "--amplitude", "3", "--tension", "1", "--gravity", "1e-2", "--tau",
                   "0.5001", "--steps", "400");
}
