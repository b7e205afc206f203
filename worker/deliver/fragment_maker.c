/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/fragment_maker.h"

#include "common/base/hash.h"
#include "common/base/log.h"
#include "common/base/wall.h"
#include "worker/deliver/blob.h"
#include "worker/deliver/fragments.h"
#include "worker/deliver/mount.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
	TICKS_PER_MS = 90,
	PART_TAIL = 64 << 10, /* bytes behind a part that are read at first */
	FRONT_HELD_MS = 500,  /* after so long without progress another segment
			       * may replace `front' */
};

void fragment_maker_init(struct fragment_maker *f, struct mount *m,
			 struct fragment_store *store)
{
	*f = (struct fragment_maker){ .mount = m, .store = store,
				      .past = fmp4_past_new() };
}

void fragment_maker_done(struct fragment_maker *f)
{
	fmp4_past_free(&f->past);
	fmp4_state_free(&f->progress);
	fmp4_state_free(&f->front);
}

static struct blob *blob_of(const struct buf *text,
			    struct fragment_store *store)
{
	return blob_new(buf_head(text), buf_len(text), &store->bytes);
}

/* Reads [pos, pos + len) of the ring.  False: the writer has already
 * overwritten a part of it. */
static bool read_ring(struct fragment_maker *f, uint64_t pos, size_t len,
		      struct buf *ret)
{
	struct mount *m = f->mount;
	uint64_t from = pos, end;

	while (len > 0) {
		size_t part;
		off_t at = ring_file_offset(m->reader, pos, len, &part);
		ssize_t n = pread(m->ring_fd, buf_reserve(ret, part), part, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		buf_added(ret, (size_t)n);
		f->store->spent += (size_t)n;
		pos += (uint64_t)n;
		len -= (size_t)n;
	}
	return mount_end(m, &end) && end - from <= m->lag.start_max;
}

static void log_once(struct fragment_maker *f, const char *error)
{
	if (strcmp(f->error.text, error) == 0)
		return;
	errmsg_set(&f->error, "%s", error);
	if (error[0] != '\0')
		log_error("deliver", "%s%s: stream %s: fMP4 segment not made: "
			  "%s",
			  f->mount->address, f->mount->path, f->mount->stream,
			  error);
}

bool fragment_is_tried(const struct fragment_attempt *a,
		       const struct fragment_span *x)
{
	return a->number == x->segment->number && a->index == x->index;
}

/* Reads the new bytes up to end: have the units arrived that the last attempt
 * lacked?  Also true if the bytes are lost, so that the next attempt finds the
 * loss. */
static bool has_arrived(struct fragment_maker *f, struct fragment_attempt *a,
			uint64_t end)
{
	struct buf tail = { 0 };
	bool arrived;

	/* if the end moved back or too far, the next attempt finds the lost
	 * bytes; the stream worker, which sets the end, is not trusted */
	arrived = end < a->seen || end - a->seen > FRAGMENT_TAIL_MAX ||
		  !read_ring(f, a->seen, (size_t)(end - a->seen), &tail) ||
		  fmp4_lack_feed(&a->lack, buf_head(&tail), buf_len(&tail));
	a->seen = end;
	buf_done(&tail);
	return arrived;
}

/* How many bytes behind the span may contain the end of its units.  If the
 * stream stopped in this segment, only bytes of the segment count, because the
 * timestamps may jump at the outage behind it. */
static uint64_t tail_max(const struct fragment_span *x)
{
	return x->segment->stopped ? x->segment->end - x->end
				   : FRAGMENT_TAIL_MAX;
}

/* True if the fragment is made without the units that it still lacks, because
 * they came too late or are too far behind the span.  end: the end of the
 * ring. */
static bool is_last(const struct fragment_span *x,
		    const struct fragment_attempt *a, uint64_t end,
		    uint64_t now_ms)
{
	const struct ring_segment *s = x->segment;
	int64_t late_ms = (int64_t)wall_ms() - s->wall_ms - s->duration_ms;

	if (end - x->end >= tail_max(x))
		return true;
	/* a part has no wall-clock time of its own */
	if (x->is_part)
		return fragment_is_tried(a, x) &&
		       now_ms - a->begun_ms > FRAGMENT_WAIT_MS;
	return late_ms > FRAGMENT_WAIT_MS;
}

/* The position from which a segment must be read to decode its begin: that of
 * the last segment that begins with a random access point.  It is the segment's
 * own position if the segment begins with such a point, if no such segment is
 * left in the ring, or if the bytes between are too many.  *ret_rest: true if
 * the stream stopped in the previous segment, so that this segment begins with
 * the frames that the previous one lacks. */
static uint64_t front_of(struct fragment_maker *f, const struct ring_segment *s,
			 bool *ret_rest)
{
	struct ring_segments all;
	size_t i;
	uint64_t pos = s->pos;

	*ret_rest = false;
	if (s->independent)
		return pos;
	ring_reader_segments(f->mount->reader, (size_t)f->mount->lag.start_max,
			     &all);
	for (i = all.n; i > 0 && all.list[i - 1].number >= s->number; i--)
		;
	/* the frames that the previous segment lacks begin this one */
	*ret_rest = i > 0 && all.list[i - 1].stopped;
	for (; i > 0 && all.list[i - 1].end == pos &&
	       all.list[i - 1].base == s->base &&
	       s->pos - all.list[i - 1].pos <= FRAGMENT_FRONT_MAX; i--) {
		pos = all.list[i - 1].pos;
		if (all.list[i - 1].independent)
			return pos;
	}
	*ret_rest = false;
	return s->pos;
}

/* The state while one fragment is made. */
struct work {
	const struct fragment_span *span;
	struct fragment_attempt *attempt;
	struct fmp4_state *state; /* state of the parser at position pos of the
				   * ring; NULL: nothing has been read */
	uint64_t pos;
	bool rest;
	bool last;
	uint64_t now_ms;
	struct errmsg error;
};

static uint64_t time_near(const struct work *w)
{
	return (uint64_t)w->span->segment->wall_ms * TICKS_PER_MS;
}

/* Reads the bytes up to position `to' for the parameter sets and times that
 * later bytes need, and makes no fragment of them.  0, -ERANGE (the bytes have
 * left the ring), or an error of fmp4_skip(). */
static int advance(struct fragment_maker *f, struct work *w, uint64_t to)
{
	struct buf ts = { 0 };
	int err = -ERANGE;

	if (w->pos == to)
		return 0;
	f->store->spent += fmp4_state_len(w->state);
	if (read_ring(f, w->pos, (size_t)(to - w->pos), &ts))
		err = fmp4_skip(&(struct fmp4_source){
			.data = buf_head(&ts), .len = buf_len(&ts),
			.near = time_near(w), .state = w->state,
		});
	if (err == 0)
		w->pos = to;
	buf_done(&ts);
	return err;
}

static void keep_front(struct fragment_maker *f, struct work *w,
		       uint64_t number, bool open)
{
	fmp4_state_free(&f->front);
	f->front = w->state;
	f->front_open = open;
	f->front_ms = w->now_ms;
	f->front_number = number;
	f->front_base = w->span->segment->base;
	f->front_pos = w->pos;
	w->state = NULL;
}

/* True if an earlier call has read a part of the bytes between `from' and the
 * begin of this segment, so that reading can continue there. */
static bool is_on_the_way(const struct fragment_maker *f,
			  const struct ring_segment *s, uint64_t from)
{
	return f->front != NULL && !s->independent &&
	       f->front_number == s->number && f->front_base == s->base &&
	       f->front_pos >= from && f->front_pos <= s->pos;
}

/* True if the bytes in front of another segment are being read, and were read a
 * moment ago. */
static bool is_held(const struct fragment_maker *f, const struct work *w)
{
	return f->front != NULL && f->front_open &&
	       w->now_ms - f->front_ms < FRONT_HELD_MS;
}

/* Reads the bytes in front of the segment, at most as many as one iteration of
 * the loop may read.  0: the begin of the segment is reached; -EBUSY: the next
 * iteration continues, or the bytes in front of another segment are being read;
 * other errors: as advance(). */
static int approach_segment(struct fragment_maker *f, struct work *w)
{
	const uint64_t most = f->store->turn_max / RING_PACKET * RING_PACKET;
	const struct ring_segment *s = w->span->segment;
	uint64_t to;
	int err;

	if (is_on_the_way(f, s, w->pos)) {
		w->state = f->front;
		w->pos = f->front_pos;
		f->front = NULL;
	} else if (w->pos < s->pos && is_held(f, w)) {
		return -EBUSY;
	} else {
		w->state = fmp4_state_new();
	}
	to = MIN(s->pos, w->pos + MAX(most, (uint64_t)RING_PACKET));
	err = advance(f, w, to);
	if (err != 0 || to == s->pos)
		return err;
	keep_front(f, w, s->number, true);
	return -EBUSY;
}

/* Reads the bytes in front of a fragment.  For a part, if an earlier part of
 * the segment was made: the bytes between the two parts; else the bytes in
 * front of the segment.  Returns as approach_segment(). */
static int approach(struct fragment_maker *f, struct work *w)
{
	const struct fragment_span *x = w->span;
	const struct ring_segment *s = x->segment;
	bool rest;
	uint64_t front;
	int err;

	if (x->is_part && f->progress != NULL &&
	    f->progress_number == s->number && f->progress_pos >= s->pos &&
	    f->progress_pos <= x->from) {
		w->state = f->progress;
		w->pos = f->progress_pos;
		f->progress = NULL;
		return advance(f, w, x->from);
	}
	front = front_of(f, s, &rest);
	if (!x->is_part && front == s->pos && !is_on_the_way(f, s, front))
		return 0;
	w->pos = front;
	w->rest = rest && x->from == s->pos;
	err = approach_segment(f, w);
	return err == 0 ? advance(f, w, x->from) : err;
}

/* Stores the state at the end of the fragment for the next part, or for the
 * next segment if that continues this one.  A state older than the stored one
 * is dropped. */
static void note_progress(struct fragment_maker *f, struct work *w)
{
	const struct ring_segment *s = w->span->segment;
	uint64_t number = s->number;
	bool older = f->progress != NULL &&
		     (f->progress_number > number ||
		      (f->progress_number == number &&
		       f->progress_pos > w->pos));

	if (w->state != NULL && w->span->is_part && !older &&
	    w->pos >= w->span->from && !w->rest) {
		fmp4_state_free(&f->progress);
		f->progress = w->state;
		f->progress_number = number;
		f->progress_pos = w->pos;
		w->state = NULL;
	} else if (w->state != NULL && !w->span->is_part && !s->stopped &&
		   w->pos == s->end &&
		   (f->front == NULL || f->front_number <= number) &&
		   !is_held(f, w)) {
		keep_front(f, w, number + 1, false);
	}
	fmp4_state_free(&w->state);
}

/* Makes the fragment from its own bytes and `tail' bytes behind them, which may
 * have the end of its last units.  -EAGAIN: that end has not arrived;
 * w->attempt->lack then describes the missing units. */
static int make_of(struct fragment_maker *f, struct work *w, size_t tail,
		   struct fragment *ret)
{
	const struct fragment_span *x = w->span;
	const struct ring_segment *s = x->segment;
	struct buf ts = { 0 }, init = { 0 }, media = { 0 };
	struct fmp4_lack lack;
	int err = -ERANGE;

	f->store->spent += fmp4_state_len(w->state);
	if (read_ring(f, x->from, (size_t)(x->end - x->from) + tail, &ts))
		err = fmp4_make(&(struct fmp4_source){
			.data = buf_head(&ts),
			.len = buf_len(&ts),
			.own = (size_t)(x->end - x->from),
			.last = w->last,
			.near = time_near(w),
			.number = (uint32_t)s->number,
			.past = f->past,
			.state = w->state,
			.rest = w->rest,
		}, &init, &media, &lack, &w->error);
	if (err == -EAGAIN) {
		w->attempt->lack = lack;
		w->attempt->seen = x->from + buf_len(&ts);
	}
	if (err == 0) {
		w->pos = x->end;
		w->rest = false;
		ret->init_hash = hash_add(HASH_INIT, buf_head(&init),
					  buf_len(&init));
		ret->init = x->is_part ? NULL : blob_of(&init, f->store);
		ret->media = blob_of(&media, f->store);
	}
	buf_done(&ts);
	buf_done(&init);
	buf_done(&media);
	return err;
}

int fragment_make(struct fragment_maker *f, const struct fragment_span *x,
		  struct fragment_attempt *a, uint64_t now_ms,
		  struct fragment *ret)
{
	struct work w = { .span = x, .attempt = a, .now_ms = now_ms };
	size_t tail, first;
	uint64_t end;
	bool last;
	int err;

	if (!mount_end(f->mount, &end) || end < x->end)
		return -ERANGE;
	last = is_last(x, a, end, now_ms);
	if (!last && fragment_is_tried(a, x) && !has_arrived(f, a, end))
		return -EAGAIN;
	tail = (size_t)MIN(end - x->end, tail_max(x));
	/* the last units of a part usually end close behind it */
	first = x->is_part ? MIN(tail, (size_t)PART_TAIL) : tail;
	w.last = last && first == tail;
	err = approach(f, &w);
	if (err == 0)
		err = make_of(f, &w, first, ret);
	if (err == -EAGAIN && first < tail) {
		w.last = last;
		err = make_of(f, &w, tail, ret);
	}
	/* the error of a part is not logged: its segment has the same one */
	if (err != -EAGAIN && !x->is_part)
		log_once(f, w.error.text);
	note_progress(f, &w);
	return err;
}
