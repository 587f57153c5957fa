/* SPDX-License-Identifier: Apache-2.0 */
/* Outlets that another program gives pressures to. */
#include "vessel/case/model.h"

#include "vessel/plan/plan.h"
#include "vessel/case/yaml_schema.h"
#include "core/beside.h"
#include "core/decimal.h"
#include "core/dialogue.h"
#include "core/memory.h"
#include "core/printable.h"
#include "core/status.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    VERSION = 1,  /* of the protocol */
    EVERY = 10,   /* steps between exchanges unless the case says otherwise */
    STATE = 60000 /* bytes of the program's state at most: with its word it fits into a line */
};

static const double SECONDS = 60; /* for an answer, unless the case says otherwise */

/* ---- the case -------------------------------------------------------------------------------- */

static rill_status text_copy(const rill_yaml *yaml, const rill_yaml_value *value, const char *what,
                             char **out)
{
    const char *text = rill_yaml_scalar(value);
    if (!text || !*text) return rill_yaml_fail(yaml, value, "%s is not a text", what);
    free(*out);
    *out = strdup(text);
    return *out ? RILL_OK : rill_fail(RILL_SYSTEM, "out of memory for a program");
}

static rill_status read_program(const rill_yaml *yaml, const rill_yaml_value *value, const char *where,
                                void *into)
{
    return text_copy(yaml, value, where, &((rill_case_model *)into)->arguments[0]);
}

static rill_status read_arguments(const rill_yaml *yaml, const rill_yaml_value *value, const char *where,
                                  void *into)
{
    rill_status status = RILL_OK;
    rill_case_model *model = into;
    const int count = rill_yaml_count(value);
    if (!rill_yaml_is_list(value) || count > RILL_MODEL_ARGUMENTS)
        return rill_yaml_fail(yaml, value, "%s is not a list of at most %d texts: write [one, two]", where,
                              RILL_MODEL_ARGUMENTS);
    for (int k = 0; k < count; k++)
        RILL_TRY(text_copy(yaml, rill_yaml_item(yaml, value, k, NULL), where, &model->arguments[1 + k]));
done:
    return status;
}

static json_t *program_schema(void) { return json_pack("{s:s, s:i}", "type", "string", "minLength", 1); }

static json_t *arguments_schema(void)
{
    return json_pack("{s:s, s:o, s:i}", "type", "array", "items", program_schema(), "maxItems",
                     RILL_MODEL_ARGUMENTS);
}

/* clang-format off */
const rill_key rill_model_keys[] = {
    {"program", RILL_KEY_CALL, 0, true, .read = read_program, .schema = program_schema,
     .help = "The program: a file beside the case or below, or an absolute name. It runs only with --allow-program."},
    {"arguments", RILL_KEY_CALL, 0, .read = read_arguments, .schema = arguments_schema,
     .help = "List of its arguments. Default: none."},
    {"every", RILL_KEY_COUNT, offsetof(rill_case_model, every), false, NULL, 1, 1e6,
     .help = "Steps between two exchanges; there is one at each row of the series, too. Default: 10."},
    {"timeout", RILL_KEY_QUANTITY, offsetof(rill_case_model, timeout), false, "s", 0, 1e6, true,
     .help = "Wall-clock time that an answer may take. Default: 60 s."},
    {"time-constant", RILL_KEY_QUANTITY, offsetof(rill_case_model, constant), true, "s", 0, 1e6,
     .help = "Longest time in which a disturbance of the model decays to 1/e, by which a run judges how far it is from its end."},
    {0}};
/* clang-format on */

rill_status rill_model_check(rill_case *c)
{
    int outlets = 0;
    rill_case_model *m = &c->model;
    const rill_end *first = NULL;
    for (int k = 0; k < c->end_count; k++) {
        if (c->ends[k].kind != RILL_END_MODEL) continue;
        if (outlets++ == 0) first = &c->ends[k];
    }
    if (first && !m->arguments[0])
        return rill_fail(
            RILL_USAGE,
            "%s:%d: %s is of kind model, and the case names no program: add model: {program: FILE}", c->path,
            first->line, first->name);
    if (!first && m->arguments[0])
        return rill_fail(
            RILL_USAGE,
            "%s: the case names the program of a model, and no outlet is of kind model: leave model out, or make an outlet one",
            c->path);
    if (!first) return RILL_OK;
    if (m->every == 0) m->every = EVERY;
    if (m->timeout == 0) m->timeout = SECONDS;
    char *path = NULL;
    /* It runs only if the user permits it, and may then lie anywhere. */
    const rill_status status = rill_file_beside(c->path, m->arguments[0], RILL_OUTSIDE_ALLOWED, &path);
    if (status != RILL_OK) {
        rill_fail_prefix("%s: program of the model", c->path);
        return status;
    }
    free(m->arguments[0]);
    m->arguments[0] = path;
    return RILL_OK;
}

void rill_model_case_free(rill_case *c)
{
    for (int k = 0; k <= RILL_MODEL_ARGUMENTS; k++) free(c->model.arguments[k]);
}

void rill_case_allow_program(rill_case *given) { given->model.permitted = true; }

static rill_status permission(const rill_case *c)
{
    if (c->model.permitted) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "the case runs the program %s with your rights: read it, and permit it with --allow-program (C: rill_case_allow_program(), Python: allow_program)",
        c->model.arguments[0]);
}

void rill_model_judge(const rill_case *c, rill_case_plan *plan)
{
    const char *path = c->model.arguments[0];
    if (!path) return;
    if (permission(c) != RILL_OK)
        rill_case_say(plan, true, "%s", rill_error_message());
    else if (access(path, X_OK) != 0)
        rill_case_say(plan, true, "the program of the model, %s, cannot be run: %s", path, strerror(errno));
}

/* ---- the program ----------------------------------------------------------------------------- */

/* What a checkpoint keeps. */
typedef struct model_state {
    uint64_t at, before_at; /* steps of the last two exchanges */
    uint64_t exchanges;
    double now[RILL_OPENINGS], before[RILL_OPENINGS]; /* Pa, a_n of both, of each opening */
    char text[STATE];                                 /* of the program */
} model_state;

struct rill_model {
    rill_vessel *vessel; /* borrowed */
    rill_dialogue program;
    bool saves;
    char *line;   /* [RILL_DIALOGUE_LINE], owned */
    double *flow; /* [interval], owned */
    model_state state;
};

static bool is_own(const rill_vessel *v, int k)
{
    return v->given->ends[v->plan.openings[k].end].kind == RILL_END_MODEL;
}

static rill_status fail_answer(const rill_model *m, const char *answer, const char *expected)
{
    char shown[96];
    rill_printable_into(shown, sizeof shown, answer);
    return rill_fail(RILL_USAGE, "%s answered \"%s\", and not %s", m->program.path, shown, expected);
}

/* Send the line, and return the answer without its first word. */
static rill_status ask(rill_model *m, const char *word, const char *expected, const char **rest)
{
    const char *answer = NULL;
    const size_t length = strlen(word);
    const rill_status status = rill_dialogue_ask(&m->program, m->line, &answer);
    if (status != RILL_OK) return status;
    if (strncmp(answer, "error ", 6) == 0) {
        char shown[400];
        rill_printable_into(shown, sizeof shown, answer + 6);
        return rill_fail(RILL_USAGE, "%s refuses: %s", m->program.path, shown);
    }
    if (strncmp(answer, word, length) != 0 || (answer[length] != ' ' && answer[length] != '\0'))
        return fail_answer(m, answer, expected);
    *rest = answer + length + (answer[length] == ' ');
    return RILL_OK;
}

static rill_status greet(rill_model *m)
{
    rill_status status = RILL_OK;
    const rill_vessel *v = m->vessel;
    const char *rest;
    int length = snprintf(m->line, RILL_DIALOGUE_LINE, "hello %d", VERSION);
    for (int k = 0; k < v->plan.opening_count; k++)
        if (is_own(v, k))
            length += snprintf(m->line + length, (size_t)(RILL_DIALOGUE_LINE - length), " %s",
                               v->geom->surface->openings[k].name);
    RILL_TRY(ask(m, "ready", "\"ready\" or \"ready saves\"", &rest));
    m->saves = strcmp(rest, "saves") == 0;
    if (*rest && !m->saves) RILL_TRY(fail_answer(m, rest, "\"ready\" or \"ready saves\""));
done:
    return status;
}

rill_status rill_model_start(rill_vessel *vessel, uint32_t interval, rill_model **out)
{
    rill_status status = RILL_OK;
    rill_model *m = NULL;
    const rill_case_model *given = &vessel->given->model;
    *out = NULL;
    if (!given->arguments[0]) return RILL_OK;
    RILL_TRY(permission(vessel->given));
    m = calloc(1, sizeof *m);
    if (!m) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a model"));
    m->vessel = vessel;
    RILL_TRY(rill_array_create(interval, sizeof *m->flow, "flows", (void **)&m->flow));
    RILL_TRY(rill_array_create(RILL_DIALOGUE_LINE, 1, "lines", (void **)&m->line));
    RILL_TRY(rill_dialogue_start(given->arguments, given->timeout, &m->program));
    RILL_TRY(greet(m));
    vessel->model = m;
    *out = m;
    m = NULL;
done:
    rill_model_end(m);
    return status;
}

void rill_model_end(rill_model *m)
{
    if (!m) return;
    m->vessel->model = NULL;
    rill_dialogue_end(&m->program);
    rill_array_destroy(m->line);
    rill_array_destroy(m->flow);
    free(m);
}

/* ---- exchanges ------------------------------------------------------------------------------- */

uint64_t rill_model_next(const rill_model *m)
{
    return m->state.at + (uint64_t)m->vessel->given->model.every;
}

/* Find the mean flow out of an opening since the last exchange, m3/s. */
static rill_status outflow(rill_model *m, int k, uint64_t steps, double *out)
{
    const rill_vessel *v = m->vessel;
    *out = 0;
    if (steps == 0) return RILL_OK;
    const rill_status status =
        rill_sim_patch_series(v->sim, v->patches[k], m->state.at, (uint32_t)steps, m->flow, NULL);
    for (uint64_t s = 0; status == RILL_OK && s < steps; s++)
        *out -= v->plan.scales.flow * m->flow[s] / (double)steps;
    return status;
}

/* Take a pressure from the answer, which moves on. */
static bool pressure_read(const char **rest, double *out)
{
    const char *end = rill_decimal_at(*rest, out);
    if (!end || (*end != ' ' && *end != '\0')) return false;
    *rest = end + strspn(end, " ");
    return true;
}

rill_status rill_model_exchange(rill_model *m, bool *finite)
{
    rill_status status = RILL_OK;
    rill_vessel *v = m->vessel;
    model_state *s = &m->state;
    const uint64_t now = rill_sim_steps(v->sim), steps = now - s->at;
    double flow[RILL_OPENINGS], pressure;
    const char *rest;
    *finite = true;
    if (s->exchanges > 0 && steps == 0) return RILL_OK;
    int length =
        snprintf(m->line, RILL_DIALOGUE_LINE, "step %.17g %.17g", rill_case_plan_time(&v->plan, (double)now),
                 s->exchanges ? (double)steps * v->plan.scales.time : 0);
    for (int k = 0; k < v->plan.opening_count; k++) {
        if (!is_own(v, k)) continue;
        RILL_TRY(outflow(m, k, s->exchanges ? steps : 0, &flow[k]));
        *finite &= isfinite(flow[k]);
        length += snprintf(m->line + length, (size_t)(RILL_DIALOGUE_LINE - length), " %.17g", flow[k]);
    }
    if (!*finite) goto done;
    RILL_TRY(ask(m, "pressure", "\"pressure\" and a finite number for each outlet", &rest));
    memcpy(s->before, s->now, sizeof s->before);
    for (int k = 0; k < v->plan.opening_count; k++) {
        if (!is_own(v, k)) continue;
        if (!pressure_read(&rest, &pressure))
            RILL_TRY(fail_answer(m, m->program.text, "\"pressure\" and a finite number for each outlet"));
        rill_case_plan_guard_widen(&v->plan, pressure);
        s->now[k] = pressure - v->given->ends[v->plan.openings[k].end].proximal * flow[k];
    }
    if (*rest)
        RILL_TRY(fail_answer(m, m->program.text, "\"pressure\" and one finite number for each outlet"));
    s->before_at = s->at;
    s->at = now;
    s->exchanges++;
done:
    return status;
}

double rill_model_pressure(const rill_vessel *v, int k, uint64_t step)
{
    if (!v->model || v->model->state.exchanges == 0) return v->given->ends[v->plan.openings[k].end].pressure;
    const model_state *s = &v->model->state;
    if (s->exchanges == 1 || s->at == s->before_at) return s->now[k];
    /* Pressures are those of the end of the step, as in the kernel for the stored pressure of a Windkessel.
     */
    const double part = (double)(step + 1 - s->at) / (double)(s->at - s->before_at);
    return s->now[k] + part * (s->now[k] - s->before[k]);
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

rill_status rill_model_save(rill_model *m)
{
    rill_status status = RILL_OK;
    const char *rest;
    if (!m->saves) return RILL_OK;
    snprintf(m->line, RILL_DIALOGUE_LINE, "save");
    RILL_TRY(ask(m, "state", "\"state\" and its state", &rest));
    const size_t length = strlen(rest);
    if (length == 0 || length >= STATE)
        RILL_TRY(rill_fail(RILL_USAGE, "%s saved a state of %zu bytes: it must have 1 to %d", m->program.path,
                           length, STATE - 1));
    memset(m->state.text, 0, sizeof m->state.text);
    memcpy(m->state.text, rest, length);
done:
    return status;
}

rill_status rill_model_restore(rill_model *m)
{
    const char *rest;
    m->state.text[STATE - 1] = '\0';
    if (!m->saves || m->state.text[0] == '\0')
        return rill_fail(
            RILL_USAGE,
            "%s saves no state, so that a run with it cannot continue from a checkpoint: start anew with --overwrite",
            m->program.path);
    snprintf(m->line, RILL_DIALOGUE_LINE, "restore %s", m->state.text);
    return ask(m, "restored", "\"restored\"", &rest);
}

rill_checkpoint_part rill_model_part(rill_model *m)
{
    return rill_checkpoint_memory("model", &m->state, sizeof m->state);
}
