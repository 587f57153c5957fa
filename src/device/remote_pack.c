/* SPDX-License-Identifier: Apache-2.0 */
/* Many calls in one message. Steps repeat the same calls: numbers of flags and steps change, and arrays
 * change roles. So a call is packed as the distance to one before it, and the words in which it differs. */
#include "device/remote_priv.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A packed call begins with one byte: how many calls of steps lie between it and the one that it repeats, or
 * WHOLE, before all its words. The number of changed words follows, then their positions and values. A few
 * changes are few enough to look no further. */
enum { PAST = RILL_REMOTE_PAST, WHOLE = 0, CHANGES_MOST = 32, CHANGES_FEW = 4 };

enum {
    CALL_WORDS = sizeof(rill_remote_call) / sizeof(uint64_t),
    BYTES = offsetof(rill_remote_call, bytes) / sizeof(uint64_t)
};
_Static_assert(PAST <= 256, "distances fit a byte");

bool rill_remote_of_step(uint64_t op)
{
    switch ((rill_remote_op)op) {
    case RILL_REMOTE_SEND:
    case RILL_REMOTE_RECEIVE:
    case RILL_REMOTE_EVENT_RECORD:
    case RILL_REMOTE_QUEUE_WAIT:
    case RILL_REMOTE_FLAG_SET:
    case RILL_REMOTE_FLAG_WAIT:
        return true;
    default:
        return op >= RILL_REMOTE_STEP && op <= RILL_REMOTE_SAMPLE;
    }
}

static uint64_t words_of(uint64_t bytes) { return CALL_WORDS + (bytes + 7) / 8; }

/* Make room for more bytes at the end. */
static rill_status grow(rill_remote_pack *p, uint64_t bytes)
{
    if (p->size + bytes <= p->room) return RILL_OK;
    const uint64_t room = 2 * (p->size + bytes);
    char *grown = realloc(p->bytes, room);
    if (!grown) return rill_fail(RILL_SYSTEM, "out of memory for calls of a device");
    p->bytes = grown, p->room = room;
    return RILL_OK;
}

static void put(rill_remote_pack *p, const void *from, uint64_t bytes)
{
    memcpy(p->bytes + p->size, from, bytes);
    p->size += bytes;
}

/* Make room for the words of the next call, in place of the oldest one. */
static rill_status next_words(rill_remote_past *past, uint64_t count, rill_remote_words **out)
{
    rill_remote_words *w = &past->calls[past->count % PAST];
    if (w->room < count) {
        uint64_t *words = realloc(w->words, count * sizeof *words);
        if (!words) return rill_fail(RILL_SYSTEM, "out of memory for calls of a device");
        w->words = words, w->room = count;
    }
    w->count = count;
    *out = w;
    return RILL_OK;
}

static const rill_remote_words *before(const rill_remote_past *past, uint64_t back)
{
    return &past->calls[(past->count - back) % PAST];
}

/* Count the words in which two calls differ. @param most  to count no further than */
static uint64_t changes(const rill_remote_words *a, const rill_remote_words *b, uint64_t most)
{
    uint64_t changed = 0;
    if (a->count != b->count || a->words[BYTES] != b->words[BYTES]) return UINT64_MAX;
    for (uint64_t k = 0; k < a->count && changed <= most; k++) changed += a->words[k] != b->words[k];
    return changed;
}

/* Find the call that a new one, not yet counted, repeats. @return its distance; WHOLE: there is none */
static uint64_t call_find_repeated(rill_remote_past *past, const rill_remote_words *w)
{
    uint64_t best = WHOLE, fewest = CHANGES_MOST + 1;
    if (past->back && changes(before(past, past->back), w, CHANGES_FEW) <= CHANGES_FEW) return past->back;
    for (uint64_t back = 1; back < PAST && back <= past->count && fewest > 0; back++) {
        const uint64_t changed = changes(before(past, back), w, fewest);
        if (changed < fewest) best = back, fewest = changed;
    }
    return past->back = best;
}

/* Pack a call whose words repeat another one's. */
static rill_status pack_changes(rill_remote_pack *p, uint64_t back, const rill_remote_words *w)
{
    const rill_remote_words *old = before(&p->past, back);
    const unsigned char head[] = {(unsigned char)back, (unsigned char)changes(old, w, CHANGES_MOST)};
    const rill_status status = grow(p, sizeof head + head[1] * (sizeof(uint16_t) + sizeof(uint64_t)));
    if (status != RILL_OK) return status;
    put(p, head, sizeof head);
    for (uint64_t k = 0; k < w->count; k++) {
        const uint16_t position = (uint16_t)k;
        if (w->words[k] == old->words[k]) continue;
        put(p, &position, sizeof position);
        put(p, &w->words[k], sizeof w->words[k]);
    }
    return RILL_OK;
}

static rill_status pack_whole(rill_remote_pack *p, const rill_remote_call *call, const void *payload)
{
    const unsigned char head = WHOLE;
    const rill_status status = grow(p, sizeof head + sizeof *call + call->bytes);
    if (status != RILL_OK) return status;
    put(p, &head, sizeof head);
    put(p, call, sizeof *call);
    if (call->bytes) put(p, payload, call->bytes);
    return RILL_OK;
}

rill_status rill_remote_pack_add(rill_remote_pack *p, const rill_remote_call *call, const void *payload)
{
    rill_status status = RILL_OK;
    rill_remote_words *w = NULL;
    if (!rill_remote_of_step(call->op)) return pack_whole(p, call, payload);
    RILL_TRY(next_words(&p->past, words_of(call->bytes), &w));
    w->words[w->count - 1] = 0; /* behind the payload, too */
    memcpy(w->words, call, sizeof *call);
    if (call->bytes) memcpy(w->words + CALL_WORDS, payload, call->bytes);
    const uint64_t back = call_find_repeated(&p->past, w);
    RILL_TRY(back == WHOLE ? pack_whole(p, call, payload) : pack_changes(p, back, w));
    p->past.count++;
done:
    return status;
}

static rill_status damaged(void)
{
    return rill_fail(RILL_SYSTEM, "calls of the first process are damaged: report this");
}

static bool get(void *to, uint64_t bytes, const char **at, const char *end)
{
    if ((uint64_t)(end - *at) < bytes) return false;
    memcpy(to, *at, bytes);
    *at += bytes;
    return true;
}

/* Unpack a call that repeats another one. */
static rill_status unpack_changes(rill_remote_past *past, uint64_t back, const char **at, const char *end,
                                  rill_remote_words **out)
{
    rill_status status = RILL_OK;
    unsigned char changed;
    if (back >= PAST || back > past->count || !get(&changed, 1, at, end)) return damaged();
    const rill_remote_words *old = before(past, back);
    RILL_TRY(next_words(past, old->count, out));
    rill_remote_words *w = *out;
    memcpy(w->words, old->words, old->count * sizeof *w->words);
    for (int k = 0; k < changed; k++) {
        uint16_t position;
        uint64_t value;
        if (!get(&position, sizeof position, at, end) || !get(&value, sizeof value, at, end))
            return damaged();
        if (position >= w->count) return damaged();
        w->words[position] = value;
    }
done:
    return status;
}

rill_status rill_remote_unpack(rill_remote_past *past, const char **at, const char *end,
                               rill_remote_call *call, const void **payload)
{
    rill_status status = RILL_OK;
    rill_remote_words *w = NULL;
    unsigned char back;
    if (!get(&back, 1, at, end)) return damaged();
    if (back == WHOLE) {
        if (!get(call, sizeof *call, at, end) || (uint64_t)(end - *at) < call->bytes) return damaged();
        *payload = *at;
        *at += call->bytes;
        if (!rill_remote_of_step(call->op)) return RILL_OK;
        RILL_TRY(next_words(past, words_of(call->bytes), &w));
        w->words[w->count - 1] = 0;
        memcpy(w->words, call, sizeof *call);
        memcpy(w->words + CALL_WORDS, *payload, call->bytes);
    } else {
        RILL_TRY(unpack_changes(past, back, at, end, &w));
        memcpy(call, w->words, sizeof *call);
        if (call->bytes > 8 * w->count || words_of(call->bytes) != w->count) return damaged();
        *payload = w->words + CALL_WORDS;
    }
    past->count++;
done:
    return status;
}

void rill_remote_past_free(rill_remote_past *past)
{
    for (int k = 0; k < PAST; k++) free(past->calls[k].words);
}
