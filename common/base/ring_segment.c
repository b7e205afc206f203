/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/ring_segment.h"

#include "common/base/ring_header.h"
#include "common/base/shared.h"

/* The writer adds only a few entries a second, so the second try of a read
 * usually succeeds. */
enum { TRIES_MAX = 4 };

enum { BASE_UNIT_S = 300 };

/* 2026-01-01 in Unix time */
static const uint64_t base_epoch_s = 1767225600;

uint64_t ring_base_at(uint64_t wall_s)
{
	return wall_s > base_epoch_s ? (wall_s - base_epoch_s) / BASE_UNIT_S
				     : 0;
}

int ring_set_least(int fd, uint64_t base, uint64_t number)
{
	int err = 0;
	struct ring_header *header = shared_map(fd, RING_DATA, &err);

	if (header == NULL)
		return err;
	atomic_store(&header->base_least, base);
	atomic_store(&header->number_least, number);
	shared_unmap(header, RING_DATA);
	return 0;
}

static void store(struct ring_segment_entry *entry,
		  const struct ring_segment *s)
{
	const memory_order relaxed = memory_order_relaxed;
	uint64_t inside = atomic_load_explicit(&entry->seq, relaxed) | 1;

	atomic_store_explicit(&entry->seq, inside, relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&entry->number, s->number, relaxed);
	atomic_store_explicit(&entry->base, s->base, relaxed);
	atomic_store_explicit(&entry->pos, s->pos, relaxed);
	atomic_store_explicit(&entry->end, s->end, relaxed);
	atomic_store_explicit(&entry->pcr, s->pcr, relaxed);
	atomic_store_explicit(&entry->pts, s->pts, relaxed);
	atomic_store_explicit(&entry->wall_ms, s->wall_ms, relaxed);
	atomic_store_explicit(&entry->duration_ms, s->duration_ms, relaxed);
	atomic_store_explicit(&entry->flags,
			      (s->independent ? RING_INDEPENDENT : 0) |
			      (s->stopped ? RING_STOPPED : 0), relaxed);
	atomic_store_explicit(&entry->seq, inside + 1, memory_order_release);
}

/* The end of the year 9999. */
#define WALL_MAX_MS INT64_C(253402300799999)

/* Reads an entry; false if its values are impossible or the writer has changed
 * it meanwhile. */
static bool load(const struct ring_segment_entry *entry,
		 struct ring_segment *ret)
{
	const memory_order relaxed = memory_order_relaxed;
	uint64_t before = atomic_load_explicit(&entry->seq,
					       memory_order_acquire);
	uint64_t after, ms, flags;

	ret->number = atomic_load_explicit(&entry->number, relaxed);
	ret->base = atomic_load_explicit(&entry->base, relaxed);
	ret->pos = atomic_load_explicit(&entry->pos, relaxed);
	ret->end = atomic_load_explicit(&entry->end, relaxed);
	ret->pcr = atomic_load_explicit(&entry->pcr, relaxed);
	ret->pts = atomic_load_explicit(&entry->pts, relaxed);
	ret->wall_ms = atomic_load_explicit(&entry->wall_ms, relaxed);
	ms = atomic_load_explicit(&entry->duration_ms, relaxed);
	ret->duration_ms = (uint32_t)MIN(ms, UINT32_MAX);
	flags = atomic_load_explicit(&entry->flags, relaxed);
	ret->independent = (flags & RING_INDEPENDENT) != 0;
	ret->stopped = (flags & RING_STOPPED) != 0;
	atomic_thread_fence(memory_order_acquire);
	after = atomic_load_explicit(&entry->seq, relaxed);
	return before == after && before != 0 && before % 2 == 0 &&
	       ret->number > 0 && ret->number <= RING_NUMBER_MAX &&
	       ret->base <= RING_NUMBER_MAX && ring_is_sound_pos(ret->pos) &&
	       ring_is_sound_pos(ret->end) && ret->wall_ms >= 0 &&
	       ret->wall_ms <= WALL_MAX_MS &&
	       (ret->end == 0 ||
		(ret->end > ret->pos && ret->duration_ms > 0 &&
		 ret->duration_ms <= RING_SEGMENT_MAX_MS));
}

static struct ring_segment_entry *newest(const struct ring_writer *w)
{
	uint64_t n = atomic_load_explicit(&w->header->n_segments,
					  memory_order_relaxed);

	return &w->header->segments[(n - 1) % RING_SEGMENTS];
}

bool ring_writer_segment(const struct ring_writer *w, struct ring_segment *ret)
{
	return atomic_load(&w->header->n_segments) > 0 &&
	       load(newest(w), ret) && ret->end <= w->pos &&
	       ret->pos <= w->pos && (ret->end == 0 || ret->stopped);
}

/* Reads a number of an entry that is incomplete; 0 if the number is
 * impossible. */
static uint64_t torn(const _Atomic uint64_t *number)
{
	uint64_t n = atomic_load_explicit(number, memory_order_relaxed);

	return n <= RING_NUMBER_MAX ? n : 0;
}

/* The base and number of the newest of n segments, or greater ones; 0: there is
 * no segment.  A writer that is killed while it ends a segment leaves an
 * incomplete entry with these numbers. */
static void newest_numbers(const struct ring_header *header, uint64_t n,
			   struct ring_segment *ret)
{
	const struct ring_segment_entry *newest =
		&header->segments[(n - 1) % RING_SEGMENTS];
	struct ring_segment s;

	*ret = (struct ring_segment){ 0 };
	if (n == 0 || load(newest, ret))
		return;
	ret->base = torn(&newest->base);
	ret->number = torn(&newest->number);
	if (n > 1 && load(&header->segments[(n - 2) % RING_SEGMENTS], &s)) {
		ret->base = MAX(ret->base, s.base + 1);
		ret->number = MAX(ret->number, s.number + 1);
	}
}

uint64_t ring_writer_base(const struct ring_writer *w)
{
	uint64_t n = atomic_load(&w->header->n_segments);
	uint64_t least = atomic_load(&w->header->base_least);
	struct ring_segment newest;

	newest_numbers(w->header, n, &newest);
	if (n > 0)
		least = MAX(least, newest.base + 1);
	return MIN(least, RING_NUMBER_MAX);
}

uint64_t ring_writer_number(const struct ring_writer *w)
{
	uint64_t n = atomic_load(&w->header->n_segments);
	uint64_t least = atomic_load(&w->header->number_least);
	struct ring_segment newest;

	newest_numbers(w->header, n, &newest);
	return MIN(MAX(least, newest.number + 1), RING_NUMBER_MAX);
}

static void newest_read(const struct ring_reader *r, struct ring_segment *ret)
{
	newest_numbers(r->header,
		       atomic_load_explicit(&r->header->n_segments,
					    memory_order_acquire), ret);
}

uint64_t ring_reader_base(const struct ring_reader *r)
{
	struct ring_segment newest;

	newest_read(r, &newest);
	return newest.base;
}

uint64_t ring_reader_number(const struct ring_reader *r)
{
	struct ring_segment newest;

	newest_read(r, &newest);
	return newest.number;
}

void ring_segment_stop(struct ring_writer *w, const struct ring_segment *done)
{
	store(newest(w), done);
}

void ring_segment_advance(struct ring_writer *w, uint32_t duration_ms)
{
	atomic_store_explicit(&newest(w)->duration_ms, duration_ms,
			      memory_order_relaxed);
}

void ring_unit_begin(struct ring_writer *w, uint32_t ms)
{
	w->unit_pos = w->pos;
	w->unit_ms = ms;
}

void ring_unit_goes_on(struct ring_writer *w)
{
	ring_publish(w);
	w->unit_pos = 0;
	for (size_t i = 0; i < 2; i++)
		atomic_store_explicit(&w->header->units[i].pos, 0,
				      memory_order_release);
}

bool ring_unit_torn(const struct ring_writer *w, uint64_t *ret_pos,
		    uint32_t *ret_ms)
{
	const struct ring_unit_entry *units = w->header->units;

	for (size_t i = 0; i < 2; i++) {
		uint64_t pos = atomic_load(&units[i].pos);

		/* the entry is empty, or no byte of the unit was published */
		if (pos == 0 || pos > w->pos)
			continue;
		*ret_pos = pos;
		*ret_ms = (uint32_t)MIN(atomic_load(&units[i].ms),
					(uint64_t)RING_SEGMENT_MAX_MS);
		return pos < w->pos && ring_is_sound_pos(pos);
	}
	return false;
}

bool ring_segment_undo(struct ring_writer *w, struct ring_segment *ret)
{
	uint64_t n = atomic_load_explicit(&w->header->n_segments,
					  memory_order_relaxed);
	struct ring_segment_entry *before =
		&w->header->segments[(n - 2) % RING_SEGMENTS];
	bool has_before = n >= 2 && load(before, ret) && ret->end > 0 &&
			  ret->end <= w->pos;

	if (has_before) {
		ret->stopped = true;
		store(before, ret);
	}
	atomic_store_explicit(&w->header->n_segments, has_before ? n - 1 : 0,
			      memory_order_release);
	return has_before;
}

void ring_segment_cut(struct ring_writer *w, const struct ring_segment *done,
		      const struct ring_segment *next)
{
	struct ring_header *header = w->header;
	uint64_t n = atomic_load_explicit(&header->n_segments,
					  memory_order_relaxed);

	if (done != NULL)
		store(newest(w), done);
	store(&header->segments[n % RING_SEGMENTS], next);
	atomic_store_explicit(&header->n_segments, n + 1,
			      memory_order_release);
}

void ring_segment_target(struct ring_writer *w, unsigned s)
{
	_Atomic uint64_t *target = &w->header->target_s;

	if (atomic_load_explicit(target, memory_order_relaxed) < s)
		atomic_store_explicit(target, s, memory_order_relaxed);
}

unsigned ring_writer_target(const struct ring_writer *w)
{
	uint64_t s = atomic_load_explicit(&w->header->target_s,
					  memory_order_relaxed);

	return (unsigned)MIN(s, RING_TARGET_MAX_S);
}

void ring_part_target(struct ring_writer *w, unsigned ms)
{
	atomic_store_explicit(&w->header->part_target_ms, ms,
			      memory_order_relaxed);
}

unsigned ring_writer_part_target(const struct ring_writer *w)
{
	uint64_t ms = atomic_load_explicit(&w->header->part_target_ms,
					   memory_order_relaxed);

	return (unsigned)MIN(ms, RING_SEGMENT_MAX_MS);
}

void ring_part_add(struct ring_writer *w, const struct ring_part *p)
{
	const memory_order relaxed = memory_order_relaxed;
	struct ring_header *header = w->header;
	uint64_t n = atomic_load_explicit(&header->n_parts, relaxed);
	struct ring_part_entry *entry = &header->parts[n % RING_PARTS];
	uint64_t inside = atomic_load_explicit(&entry->seq, relaxed) | 1;

	atomic_store_explicit(&entry->seq, inside, relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&entry->number, p->number, relaxed);
	atomic_store_explicit(&entry->index, p->index, relaxed);
	atomic_store_explicit(&entry->pos, p->pos, relaxed);
	atomic_store_explicit(&entry->end, p->end, relaxed);
	atomic_store_explicit(&entry->duration_ms, p->duration_ms, relaxed);
	atomic_store_explicit(&entry->independent, p->independent, relaxed);
	atomic_store_explicit(&entry->seq, inside + 1, memory_order_release);
	atomic_store_explicit(&header->n_parts, n + 1, memory_order_release);
}

/* Reads an entry; false if its values are impossible or the writer has changed
 * it meanwhile. */
static bool load_part(const struct ring_part_entry *entry,
		      struct ring_part *ret)
{
	const memory_order relaxed = memory_order_relaxed;
	uint64_t before = atomic_load_explicit(&entry->seq,
					       memory_order_acquire);
	uint64_t index, ms, after;

	ret->number = atomic_load_explicit(&entry->number, relaxed);
	index = atomic_load_explicit(&entry->index, relaxed);
	ret->pos = atomic_load_explicit(&entry->pos, relaxed);
	ret->end = atomic_load_explicit(&entry->end, relaxed);
	ms = atomic_load_explicit(&entry->duration_ms, relaxed);
	ret->independent = atomic_load_explicit(&entry->independent,
						relaxed) != 0;
	atomic_thread_fence(memory_order_acquire);
	after = atomic_load_explicit(&entry->seq, relaxed);
	ret->index = (uint32_t)MIN(index, UINT32_MAX);
	ret->duration_ms = (uint32_t)MIN(ms, UINT32_MAX);
	return before == after && before != 0 && before % 2 == 0 &&
	       ret->number > 0 && ret->number <= RING_NUMBER_MAX &&
	       index < UINT32_MAX && ring_is_sound_pos(ret->pos) &&
	       ring_is_sound_pos(ret->end) && ret->pos < ret->end &&
	       ms > 0 && ms <= RING_SEGMENT_MAX_MS;
}

bool ring_writer_part(const struct ring_writer *w, const struct ring_segment *s,
		      struct ring_part *ret)
{
	uint64_t n = atomic_load(&w->header->n_parts);
	struct ring_part next = { .pos = UINT64_MAX }, p;
	uint32_t ms = 0;

	*ret = (struct ring_part){ .number = s->number, .pos = s->pos,
				   .independent = s->independent };
	for (unsigned i = 0; i < RING_PARTS && i < n; i++) {
		if (!load_part(&w->header->parts[(n - 1 - i) % RING_PARTS],
			       &p))
			return false;
		if (p.number != s->number)
			break;
		if (next.pos == UINT64_MAX) {
			ret->index = p.index + 1;
			ret->pos = p.end;
			ret->independent = false;
		} else if (p.end != next.pos || p.index + 1 != next.index) {
			return false;
		}
		ms += p.duration_ms;
		next = p;
	}
	ret->duration_ms = MIN(ms, (uint32_t)RING_SEGMENT_MAX_MS);
	return next.pos == UINT64_MAX ||
	       (next.index == 0 && next.pos == s->pos && ret->pos <= w->pos);
}

static bool follows(const struct ring_segment *later,
		    const struct ring_segment *s)
{
	return (s->end == later->pos ||
		(s->stopped && s->end < later->pos)) &&
	       s->number + 1 == later->number &&
	       s->base <= later->base && later->base - s->base <= 1;
}

void ring_reader_segments(struct ring_reader *r, size_t back,
			  struct ring_segments *ret)
{
	bool ok;
	uint64_t n = atomic_load_explicit(&r->header->n_segments,
					  memory_order_acquire);
	uint64_t end = ring_reader_pos(r, &ok);
	const struct ring_segment *later = NULL;
	struct ring_segment *at = ret->list + RING_SEGMENTS;
	uint64_t target = atomic_load_explicit(&r->header->target_s,
					       memory_order_relaxed);

	ret->n = 0;
	ret->has_open = ret->changes = false;
	ret->target_s = (unsigned)MIN(target, RING_TARGET_MAX_S);
	for (unsigned i = 0; ok && i < RING_SEGMENTS && i < n; i++) {
		struct ring_segment s;
		bool has_it = load(&r->header->segments[(n - 1 - i) %
							RING_SEGMENTS], &s);

		if (i == 0 && !has_it) {
			ret->changes = true;
			continue;
		}
		if (!has_it || s.pos > end || s.end > end ||
		    end - s.pos > back ||
		    (later != NULL && !follows(later, &s)))
			break;
		if (i == 0 && s.end == 0) {
			ret->open = s;
			ret->has_open = true;
			later = &ret->open;
			continue;
		}
		if (s.end == 0)
			break;
		*--at = s;
		later = at;
		ret->n++;
		ret->target_s = MAX(ret->target_s,
				    (s.duration_ms + 500) / 1000);
	}
	/* moves the list, oldest first, to its start */
	for (size_t i = 0; i < ret->n; i++)
		ret->list[i] = at[i];
}

uint64_t ring_reader_news(const struct ring_reader *r)
{
	return atomic_load_explicit(&r->header->n_segments,
				    memory_order_acquire) +
	       atomic_load_explicit(&r->header->n_parts, memory_order_acquire);
}

void ring_reader_parts(struct ring_reader *r, size_t back,
		       struct ring_parts *ret)
{
	bool ok;
	uint64_t n = atomic_load_explicit(&r->header->n_parts,
					  memory_order_acquire);
	uint64_t end = ring_reader_pos(r, &ok);
	uint64_t target = atomic_load_explicit(&r->header->part_target_ms,
					       memory_order_relaxed);
	struct ring_part *at = ret->list + RING_PARTS, p;

	ret->n = 0;
	ret->ended = target == 0;
	ret->target_ms = (unsigned)MIN(target, RING_SEGMENT_MAX_MS);
	for (unsigned i = 0; ok && i < RING_PARTS && i < n; i++) {
		if (!load_part(&r->header->parts[(n - 1 - i) % RING_PARTS],
			       &p) ||
		    p.end > end || end - p.pos > back)
			break;
		/* `at' is the later part, which must follow p */
		if (i > 0 && (p.number == at->number
			      ? p.end != at->pos || p.index + 1 != at->index
			      : p.end > at->pos || p.number + 1 != at->number ||
				at->index != 0))
			break;
		*--at = p;
		ret->n++;
		ret->target_ms = MAX(ret->target_ms, p.duration_ms);
	}
	for (size_t i = 0; i < ret->n; i++)
		ret->list[i] = at[i];
}

void ring_reader_lists(struct ring_reader *r, size_t back,
		       struct ring_segments *segments, struct ring_parts *parts)
{
	uint64_t news = ring_reader_news(r), before;

	for (unsigned i = 0; i < TRIES_MAX; i++) {
		before = news;
		ring_reader_segments(r, back, segments);
		ring_reader_parts(r, back, parts);
		news = ring_reader_news(r);
		if (news == before)
			return;
	}
	segments->changes = true;
}
