/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file dialogue.h
 * Another program that is started, and that answers lines on its standard input with lines on its standard
 * output. What the lines mean is not known here.
 */
#ifndef RILL_CORE_DIALOGUE_H
#define RILL_CORE_DIALOGUE_H

#include "rill.h"

#include <stddef.h>
#include <sys/types.h>

enum { RILL_DIALOGUE_LINE = 1 << 16 /**< bytes of a line at most, with its end */ };

/** The program, and its answer. */
typedef struct rill_dialogue {
    const char *path; /**< borrowed, for messages */
    double seconds;   /**< that an answer may take */
    pid_t child;      /**< 0: none */
    int socket;       /**< both of its streams; -1: none */
    char *text;       /**< [RILL_DIALOGUE_LINE], owned */
    size_t length;    /**< bytes in it */
} rill_dialogue;

/**
 * Start a program in a process group of its own, so that control-C reaches this process alone.
 * @param[in]  arguments  NULL-terminated, the first is the path
 * @param[out] out        to be ended by rill_dialogue_end(), also after a failure
 * @return RILL_SYSTEM when it cannot be started
 */
rill_status rill_dialogue_start(char *const arguments[], double seconds, rill_dialogue *out);

/**
 * Send a line, and take the line that answers it.
 * @param[in]  line    without its end, at most RILL_DIALOGUE_LINE - 2 bytes
 * @param[out] answer  without its end; it lives until the next call
 * @return RILL_SYSTEM when the program ended or says nothing in time; RILL_USAGE for an answer that is too
 * long or contains a NUL
 */
rill_status rill_dialogue_ask(rill_dialogue *dialogue, const char *line, const char **answer);

/** Close its standard input, and kill it with its process group unless it ends within a second. A cleared
 * one is allowed. */
void rill_dialogue_end(rill_dialogue *dialogue);

#endif
