/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/hls_fragments.h"

#include "common/base/mono.h"
#include "worker/deliver/hls_playlist.h"
#include "worker/deliver/mount.h"

#include <string.h>

const struct ring_segment *hls_segment_of(const struct ring_segments *all,
					  uint64_t number)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->list[i].number == number)
			return &all->list[i];
	return all->has_open && all->open.number == number ? &all->open : NULL;
}

/* Makes the segment behind the playlist the open segment.  It is complete, but
 * its fragment is not ready, so clients get its parts. */
static void open_next(struct ring_segments *all, const struct hls_playlist *p)
{
	all->open = p->segments[p->n];
	all->open.end = 0;
	all->has_open = true;
}

enum fragment_state hls_fragments(struct mount *m, struct ring_segments *all,
				  struct hls_playlist *p,
				  uint64_t maps[MSG_HLS_MAX])
{
	size_t from = p->n, to = p->n, all_n = p->n, i;
	bool later = false, full = false, bad = false;

	for (i = p->n; i > 0; i--) {
		const struct fragment *f;
		enum fragment_state state = fragments_get(
			m->fragments, &p->segments[i - 1], mono_ms(), &f);

		later = later || state == FRAGMENT_LATER;
		full = full || state == FRAGMENT_FULL;
		/* the end of the newest segment may not have arrived */
		if (state != FRAGMENT_READY && i == to) {
			to = from = i - 1;
			bad = bad || state != FRAGMENT_LATER;
		} else if (state != FRAGMENT_READY) {
			break;
		} else {
			maps[--from] = f->init_hash;
		}
	}
	/* later iterations of the loop make the missing fragments */
	if (later && (i > 0 || from == to))
		return FRAGMENT_LATER;
	if (from == to)
		return full ? FRAGMENT_FULL : FRAGMENT_BAD;
	p->segments += from;
	p->n = to - from;
	memmove(maps, maps + from, p->n * sizeof maps[0]);
	p->maps = maps;
	if (bad)
		all->has_open = false;
	else if (to < all_n)
		open_next(all, p);
	return FRAGMENT_READY;
}

/* The hash of the initialization segment for parts of the segment with this
 * number; 0: the playlist has none. */
static uint64_t map_of(const struct hls_playlist *p,
		       const struct ring_segments *all, uint64_t number)
{
	if (all->has_open && number == all->open.number)
		return p->maps[p->n - 1];
	for (size_t i = 0; i < p->n; i++)
		if (p->segments[i].number == number)
			return p->maps[i];
	return 0;
}

/* True if the last part in the list ends the segment behind the playlist, which
 * the playlist does not have yet. */
static bool is_complete(const struct hls_playlist *p,
			const struct ring_segments *all,
			const struct ring_parts *parts)
{
	const struct ring_segment *next = p->segments + p->n;

	return parts->n > 0 && next < all->list + all->n &&
	       parts->list[parts->n - 1].end == next->end;
}

/* The index of the first part to list: the parts from it up to index `to' take
 * HLS_PARTS_TARGETS target durations. */
static size_t first_listed(const struct ring_parts *parts, size_t to,
			   unsigned target_s)
{
	uint64_t ms = 0, most_ms = HLS_PARTS_TARGETS * UINT64_C(1000) *
				   target_s;

	while (to > 0 && ms < most_ms)
		ms += parts->list[--to].duration_ms;
	return to;
}

/* Makes the fragments of n parts, oldest first, as each continues the previous
 * one.  Returns how many parts are in front of the first one that is not
 * ready. */
static size_t make_parts(struct mount *m, const struct ring_segments *all,
		       const struct hls_playlist *p,
		       const struct ring_part *list, size_t n)
{
	const struct fragment *f;

	for (size_t i = 0; i < n; i++)
		if (map_of(p, all, list[i].number) != 0 &&
		    fragments_part(m->fragments,
				   hls_segment_of(all, list[i].number),
				   &list[i], mono_ms(), &f) == FRAGMENT_LATER)
			return i;
	return n;
}

enum fragment_state hls_fragment_parts(struct mount *m,
				       const struct ring_segments *all,
				       const struct hls_playlist *p,
				       struct ring_parts *parts)
{
	size_t to = parts->n, from, least, late;

	while (to > 0 && all->has_open &&
	       parts->list[to - 1].number > all->open.number)
		to--;
	least = first_listed(parts, to, all->target_s);
	if (least < to)
		fragments_list_parts(m->fragments, parts->list[least].number);
	late = least + make_parts(m, all, p, parts->list + least, to - least);
	while (to > late && !fragments_has_part(m->fragments,
						&parts->list[to - 1]))
		to--;
	/* parts behind the missing one were listed before, and stay listed */
	if (to > late)
		return FRAGMENT_LATER;
	from = to;
	for (size_t i = to; i > least; i--) {
		const struct ring_part *part = &parts->list[i - 1];
		uint64_t map = map_of(p, all, part->number);
		enum fragment_state state;
		const struct fragment *f;

		if (map == 0)
			break;
		state = fragments_part(m->fragments,
				       hls_segment_of(all, part->number),
				       part, mono_ms(), &f);
		if (state == FRAGMENT_LATER && i != to)
			return FRAGMENT_LATER;
		if (state == FRAGMENT_LATER) {
			/* the end of the newest part has not arrived */
			to = from = i - 1;
			continue;
		}
		if (state == FRAGMENT_READY && f->init_hash == map) {
			from = i - 1;
			continue;
		}
		/* a player could not decode this part */
		if (all->has_open && part->number == all->open.number)
			return FRAGMENT_BAD;
		break;
	}
	parts->n = to - from;
	memmove(parts->list, parts->list + from,
		parts->n * sizeof parts->list[0]);
	return hls_parts_are_live(parts, all) && !is_complete(p, all, parts)
		? FRAGMENT_READY : FRAGMENT_LATER;
}
