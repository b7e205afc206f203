/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/segment_window.h"

#include "common/base/hash.h"

#include <string.h>

#define NOWHERE SIZE_MAX /* result of a search: not found */

enum { SAME_MS = 20 }; /* durations are equal within this tolerance */

static uint64_t name_of(const struct m3u8_segment *s)
{
	uint64_t hash = hash_add(HASH_INIT, s->uri.data, s->uri.len);

	return hash ^ (s->range_at * UINT64_C(0x9e3779b97f4a7c15));
}

static struct segment_record record_of(const struct m3u8_segment *s)
{
	return (struct segment_record){ name_of(s), s->duration_ms };
}

static void remember(struct segment_window *w, struct segment_record known)
{
	memmove(w->had + 1, w->had, (HLS_HISTORY - 1) * sizeof *w->had);
	w->had[0] = known;
	w->n_had = MIN(w->n_had + 1, (size_t)HLS_HISTORY);
	w->n_before = MIN(w->n_before, HLS_HISTORY - w->n_had);
}

/* The index of the segment at which the playlist is entered. */
static size_t start_of(const struct m3u8 *l, uint64_t wanted_ms)
{
	uint64_t least = (uint64_t)HLS_START_TARGETS * l->target_ms, sum = 0;
	size_t i = l->n_segments;

	if (l->ended)
		return 0;
	while (i > 0 && sum < MAX(least, wanted_ms))
		sum += l->segments[--i].duration_ms;
	return i;
}

/* Returns the hash of the URI of segment i.  Only URIs that are compared are
 * hashed, and no hash is stored, because a playlist may be megabytes. */
static uint64_t name_at(struct segment_window *w, const struct m3u8 *l,
			size_t i)
{
	w->named++;
	return name_of(&l->segments[i]);
}

/* True if the segment in front of index i in the playlist is the newest one in
 * the history. */
static bool follows_last(struct segment_window *w, const struct m3u8 *l,
			 size_t i)
{
	return i > 0 && w->n_had > 0 &&
	       name_at(w, l, i - 1) == w->had[0].name;
}

/* Returns the index behind the newest remembered segment that the playlist
 * lists; NOWHERE: it lists none.  *ret_age: number of newer segments in the
 * history. */
static size_t find_by_name(struct segment_window *w, const struct m3u8 *l,
			   size_t *ret_age)
{
	size_t found = NOWHERE, newest = w->n_had;

	for (size_t i = l->n_segments; i > 0 && newest > 0; i--) {
		uint64_t name = name_at(w, l, i - 1);

		for (size_t age = 0; age < newest; age++)
			if (name == w->had[age].name) {
				newest = age;
				found = i;
			}
	}
	*ret_age = newest;
	return found;
}

/* Enters the playlist at segment i.  The segments in front of it count as
 * played. */
static void enter(struct segment_window *w, const struct m3u8 *l, size_t i)
{
	for (size_t k = i - MIN(i, (size_t)HLS_HISTORY); k < i; k++)
		remember(w, record_of(&l->segments[k]));
	w->next = l->sequence + i;
}

static void renumber(struct segment_window *w, const struct m3u8 *l, size_t i)
{
	if (l->sequence + i == w->next)
		return;
	w->renumbered++;
	w->next = l->sequence + i;
}

/* Takes a playlist that has the expected sequence number, or ends just before
 * it.  If the URIs show that the server has renumbered its segments, sets next
 * by the URIs. */
static void follow(struct segment_window *w, const struct m3u8 *l)
{
	size_t i = (size_t)(w->next - l->sequence), age, found;

	if (follows_last(w, l, i))
		return;
	if (i > 0) {
		found = find_by_name(w, l, &age);
		if (found != NOWHERE && age == 0)
			renumber(w, l, found);
		return;
	}
	/* URIs may be reused, so two segments must match; if all segments have
	 * the same URI, it identifies none */
	if (w->n_had < 2 || w->had[0].name == w->had[1].name)
		return;
	for (found = 2; found <= l->n_segments; found++)
		if (follows_last(w, l, found) &&
		    name_at(w, l, found - 2) == w->had[1].name) {
			renumber(w, l, found);
			return;
		}
}

/* True if the last segment of the playlist is one of n remembered segments, the
 * first of which is w->had[from]. */
static bool ends_with_one_of(struct segment_window *w, const struct m3u8 *l,
			     size_t from, size_t n)
{
	uint64_t name = name_at(w, l, l->n_segments - 1);
	uint32_t ms = l->segments[l->n_segments - 1].duration_ms;

	for (size_t i = from; i < from + n; i++)
		/* a reused URI usually belongs to a segment of another
		 * duration */
		if (w->had[i].name == name &&
		    MAX(w->had[i].duration_ms, ms) -
		    MIN(w->had[i].duration_ms, ms) <= SAME_MS)
			return true;
	return false;
}

/* Notes a playlist that looks stale.  True: its end has moved so often that it
 * is a live one. */
static bool moves_on(struct segment_window *w, const struct m3u8 *l)
{
	struct stale_lists *old = &w->old;
	uint64_t end = l->sequence + l->n_segments;

	if (old->lists > 0 && end > old->end)
		old->moves++;
	else if (end < old->end)
		old->moves = 0;
	old->end = end;
	old->lists++;
	return old->moves >= HLS_OLD_MOVES &&
	       (w->next < end || w->next - end > HLS_OLD_NEAR);
}

/* Takes a playlist that does not have the expected sequence number: sets next
 * by its URIs, ignores it as stale, or enters it again. */
static void resync(struct segment_window *w, const struct m3u8 *l,
		   uint64_t wanted_ms)
{
	size_t age, found = find_by_name(w, l, &age);
	bool behind = w->next > l->sequence;

	if (found != NOWHERE && (age == 0 || found < l->n_segments)) {
		renumber(w, l, found);
		w->cut |= age > 0;
		w->old = (struct stale_lists){ 0 };
		return;
	}
	if (ends_with_one_of(w, l, behind ? 0 : w->n_had,
			     behind ? w->n_had : w->n_before) &&
	    !moves_on(w, l))
		return;
	/* enters the playlist again */
	found = start_of(l, wanted_ms);
	if (w->next < l->sequence) {
		w->skipped += l->sequence + found - w->next;
	} else {
		w->restarted++;
		w->n_before = MIN(w->n_had + w->n_before, (size_t)HLS_HISTORY);
		w->n_had = 0;
	}
	w->cut = true;
	w->jumps++;
	enter(w, l, found);
	w->old = (struct stale_lists){ 0 };
}

void segment_window_update(struct segment_window *w, const struct m3u8 *l,
			   uint64_t wanted_ms)
{
	if (l->n_segments == 0)
		return;
	if (!w->begun) {
		w->begun = true;
		enter(w, l, start_of(l, wanted_ms));
		return;
	}
	if (w->next < l->sequence || w->next - l->sequence > l->n_segments) {
		resync(w, l, wanted_ms);
		return;
	}
	w->old = (struct stale_lists){ 0 };
	follow(w, l);
}

void segment_window_change(struct segment_window *w)
{
	w->cut = true;
	w->n_had = w->n_before = 0;
	w->old = (struct stale_lists){ 0 };
}

bool segment_window_is_held(const struct segment_window *w)
{
	return w->old.lists > 1;
}

bool segment_window_next(struct segment_window *w, const struct m3u8 *l,
			 struct segment_step *ret)
{
	while (w->begun && w->next >= l->sequence &&
	       w->next - l->sequence < l->n_segments) {
		const struct m3u8_segment *s =
			&l->segments[w->next - l->sequence];
		struct segment_record had = record_of(s);
		/* A segment that is listed twice in a row plays once, unless
		 * all segments have the same URI. */
		bool repeated = !s->discontinuity && w->n_had > 0 &&
				w->had[0].name == had.name &&
				(w->n_had == 1 || w->had[1].name != had.name);

		if (!s->gap && !repeated) {
			*ret = (struct segment_step){
				.segment = s,
				.sequence = w->next,
				.had = had,
				.jumps = w->jumps,
				.cut = w->cut || s->discontinuity,
			};
			w->cut = false;
			return true;
		}
		remember(w, had);
		w->next++;
		w->cut |= s->gap || s->discontinuity;
		w->skipped += s->gap;
	}
	return false;
}

void segment_window_done(struct segment_window *w,
			 const struct segment_step *step, bool loaded)
{
	w->cut |= !loaded;
	w->skipped += !loaded;
	/* the playlist was entered again since, so the number of this segment
	 * is unrelated to it */
	if (step->jumps != w->jumps)
		return;
	remember(w, step->had);
	w->next++;
}

const struct m3u8_segment *segment_window_listed(const struct segment_window *w,
					     const struct m3u8 *l,
					     const struct segment_step *step)
{
	if (step->jumps != w->jumps || w->next < l->sequence ||
	    w->next - l->sequence >= l->n_segments)
		return NULL;
	return &l->segments[w->next - l->sequence];
}

uint64_t segment_window_ahead_ms(const struct segment_window *w,
				 const struct m3u8 *l)
{
	/* uses sums and no loop, because it is called at every tick and a
	 * playlist may have thousands of segments */
	if (!w->begun || w->next < l->sequence ||
	    w->next - l->sequence >= l->n_segments)
		return 0;
	return l->all_ms - l->segments[w->next - l->sequence].begin_ms;
}
