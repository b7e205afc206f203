/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/ring_out.h"

#include "common/base/alloc.h"
#include "common/base/ring.h"
#include "common/base/wall.h"
#include "worker/output/group_length.h"
#include "worker/output/join_point.h"
#include "worker/output/ring_counters.h"
#include "worker/output/track_list.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes_head.h"
#include "worker/ts/pmt.h"
#include "worker/ts/section.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	/* A longer pause restarts the search for a join point. */
	PAUSE_MS = 1000,
	/* The ring holds so many of the longest groups of pictures: deliver
	 * keeps the rest for slow viewers (worker/deliver/lag.h). */
	RING_GOPS = 4,
};

struct ring_out {
	struct ring_writer *ring;
	const struct psi *psi;
	uint64_t now_ns;
	int64_t wall_ms;    /* wall clock at now_ns */
	uint64_t fed_ns;    /* time of the last packets */
	uint64_t marked_ns; /* time of the last mark(), or of the start */
	uint64_t rap_ns;    /* time of the last random access point, or of the
			     * start */
	uint64_t main_ns;   /* time of the last packet of the main PID, or of
			     * the start */
	bool may_guess;     /* the stream shows no random access point */
	bool bare;          /* while may_guess: some pictures have no parameter
			     * sets */
	bool refreshes;     /* while may_guess: readers begin at the pictures
			     * that have parameter sets */
	uint64_t refresh_ns; /* time of the last mark at parameter sets */
	struct rap rap;
	bool has_last;      /* `last' is the last random access point */
	struct ring_rap last;
	struct group_length group;
	/* A picture that is not decided, or whose header is not complete, and
	 * all that follows it; `opened' is its mark. */
	struct fifo held;
	struct ring_rap opened;
	enum rap_sign opened_sign; /* of the first packet in `held' */
	bool opened_sets;   /* the held picture begins with parameter sets */
	bool opened_timed;  /* opened_at has the picture's PTS and DTS */
	struct pes_stamps opened_at;
	bool head_waits;    /* the PES header of the picture is incomplete */
	struct pes_head head;
	uint64_t opened_ns;
	uint64_t pcr;       /* the last PCR of the main program */
	bool written;       /* the ring has packets that are not published */
	struct ring_hls hls;
	bool overdue;       /* the segment ends at the next PES packet */
	uint32_t changes;   /* psi_changes() when the tracks were last read */
	uint32_t tracks;    /* track_list_digest(); 0: unknown */
	struct ring_counters counters;
};

struct ring_out *ring_out_new(int fd, const struct psi *psi, int *ret_err)
{
	struct ring_writer *ring = ring_writer_new(fd, ret_err);
	struct ring_out *r;

	if (ring == NULL)
		return NULL;
	r = xcalloc(1, sizeof *r);
	r->ring = ring;
	r->psi = psi;
	r->held.max = JOIN_POINT_HELD_MAX;
	ring_hls_init(&r->hls, ring);
	ring_counters_resume(&r->counters, ring);
	return r;
}

void ring_out_set_hls(struct ring_out *r, const struct ring_out_hls *hls)
{
	ring_hls_start(&r->hls, hls);
}

static void copy_packets(struct ring_out *r, const uint8_t *packets, size_t n)
{
	ring_write(r->ring, packets, n);
	r->written |= n > 0;
}

static void copy_stream(struct ring_out *r, const uint8_t *packets, size_t n)
{
	uint8_t copy[TS_PACKET];
	size_t from = 0; /* the first packet not yet copied */

	for (size_t i = 0; i < n && r->counters.n_shift > 0; i++) {
		const uint8_t *packet = packets + i * TS_PACKET;

		if (r->counters.shift[ts_pid(packet)] == 0)
			continue;
		copy_packets(r, packets + from * TS_PACKET, i - from);
		from = i + 1;
		memcpy(copy, packet, TS_PACKET);
		ring_counters_shift(&r->counters, copy);
		copy_packets(r, copy, 1);
	}
	copy_packets(r, packets + from * TS_PACKET, n - from);
}

static void put_tables(const uint8_t *packets, size_t n, void *arg)
{
	copy_packets(arg, packets, n);
}

/* Takes a random access point, and measures the group of pictures before it. */
static void measure(struct ring_out *r, const struct ring_rap *rap)
{
	bool follows = r->has_last && r->rap.class == PID_VIDEO;

	group_length_take(&r->group, follows ? &r->last : NULL, rap);
	r->last = *rap;
	r->has_last = true;
}

/* Marks a point where readers can begin, and writes the tables.  preferred:
 * they begin here even if the ring still has an older random access point. */
static void mark(struct ring_out *r, struct ring_rap rap, bool preferred)
{
	struct ring_rap entry = rap;

	entry.guess = !preferred;
	entry.pos = rap.pos = ring_writer_pos(r->ring);
	ring_hls_mark(&r->hls, &rap, r->now_ns);
	r->overdue = false;
	join_point_tables(r->psi, &r->counters.cc, put_tables, r);
	ring_mark(r->ring, &entry);
	r->marked_ns = r->now_ns;
	if (rap.guess)
		return;
	measure(r, &rap);
	r->rap_ns = r->now_ns;
	r->may_guess = r->bare = r->refreshes = false;
}

/* True for a packet of a table, whose counter is changed. */
static bool is_table(const struct ring_out *r, const uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);
	enum pid_class class = psi_class(r->psi, pid);

	return class == PID_PSI ||
	       (class == PID_UNKNOWN && ring_counters_had_pmt(&r->counters,
							      pid));
}

static void copy_table(struct ring_out *r, const uint8_t *packet)
{
	uint8_t copy[TS_PACKET];

	memcpy(copy, packet, TS_PACKET);
	if (ring_counters_table(&r->counters, copy))
		copy_packets(r, copy, 1);
}

/*
 * Does a picture with parameter sets, or not, begin a refresh?  An encoder that
 * refreshes its pictures part by part may send an IDR picture at its start
 * alone, and parameter sets in front of each refresh.  Without this, readers
 * would begin at that IDR picture as long as the ring has it.
 */
static bool begins_refresh(struct ring_out *r, bool has_sets)
{
	bool begins = r->may_guess && r->bare && has_sets &&
		      r->now_ns - r->refresh_ns >= JOIN_POINT_AUDIO_MS * MS;

	r->bare |= r->may_guess && !has_sets;
	r->refreshes |= begins;
	if (begins)
		r->refresh_ns = r->now_ns;
	return begins;
}

/* Does the packet begin a picture of the main video, or sound? */
static bool is_unit(const struct ring_out *r, const uint8_t *packet)
{
	return ts_pusi(packet) && ts_pid(packet) == r->rap.pid &&
	       ring_hls_is_used(&r->hls);
}

/* Reads the PTS and DTS.  False: the packet has none, or not all of its
 * header. */
static bool read_times(const uint8_t *packet, struct pes_stamps *ret)
{
	return ts_pusi(packet) && pes_stamps_find(packet, ret);
}

/* A unit may begin in this packet; at: its times; NULL: unknown. */
static void begin_unit(struct ring_out *r, const uint8_t *packet,
		       const struct pes_stamps *at)
{
	const uint64_t *dts = at != NULL ? &at->dts : NULL;

	if (!is_unit(r, packet))
		return;
	if (ring_hls_resume(&r->hls, dts, r->now_ns))
		join_point_tables(r->psi, &r->counters.cc, put_tables, r);
	ring_hls_unit(&r->hls, dts);
}

/* True if a segment that is overdue is cut in front of this PES packet, which
 * is no join point: at a picture, or at any PES packet if no pictures arrive
 * or the tracks have changed. */
static bool is_cut(const struct ring_out *r, const uint8_t *packet)
{
	return r->overdue && ts_pusi(packet) &&
	       (ts_pid(packet) == r->rap.pid || r->hls.segmenter.changed ||
		r->now_ns - r->main_ns >= PAUSE_MS * MS);
}

/* Decides on the held picture and writes the held packets.  joins: the picture
 * is a random access point. */
static void settle(struct ring_out *r, bool joins)
{
	struct ts_run held = fifo_run(&r->held);
	bool preferred;

	if (held.n == 0)
		return;
	r->head_waits = false;
	preferred = joins || begins_refresh(r, r->opened_sets);
	r->opened.guess = !joins;
	begin_unit(r, held.data, r->opened_timed ? &r->opened_at : NULL);
	if (preferred || is_cut(r, held.data))
		mark(r, r->opened, preferred);
	else if (is_unit(r, held.data))
		ring_hls_divide(&r->hls);
	for (size_t i = 0; i < held.n; i++) {
		const uint8_t *packet = held.data + i * TS_PACKET;

		if (is_table(r, packet))
			copy_table(r, packet);
		else
			copy_stream(r, packet, 1);
	}
	fifo_drop(&r->held, held.n);
}

/* Decides on the held picture by what is known now. */
static void give_up(struct ring_out *r)
{
	settle(r, r->opened_sign == RAP_OPEN ? r->rap.marked
					     : r->opened_sign == RAP_HERE);
}

/* Writes packets, or holds them while a picture in front is not decided. */
static void put(struct ring_out *r, const uint8_t *packets, size_t n)
{
	if (fifo_len(&r->held) + n > JOIN_POINT_HELD_MAX)
		give_up(r);
	if (fifo_len(&r->held) > 0)
		(void)fifo_push(&r->held, (struct ts_run){ packets, n });
	else
		copy_stream(r, packets, n);
}

static enum rap_sign look(struct ring_out *r, const uint8_t *packet,
			  uint16_t main_pid)
{
	if (ts_pid(packet) != main_pid)
		return RAP_NONE;
	r->main_ns = r->now_ns;
	return join_point_feed(&r->rap, packet, r->now_ns - r->marked_ns);
}

static struct join_wait wait_of(const struct ring_out *r)
{
	return (struct join_wait){
		.rap_ns = r->now_ns - r->rap_ns,
		.guess_ns = r->now_ns - r->marked_ns,
		.main_ns = r->now_ns - r->main_ns,
	};
}

static bool is_guess(struct ring_out *r, const uint8_t *packet,
		     bool *ret_preferred)
{
	struct join_wait wait;

	if ((!r->overdue && !r->may_guess) || fifo_len(&r->held) > 0)
		return false;
	*ret_preferred = ts_pid(packet) == r->rap.pid && ts_pusi(packet) &&
			 begins_refresh(r, rap_is_likely(&r->rap));
	/* a segment begins with tables, so a cut is a mark */
	if (*ret_preferred || is_cut(r, packet))
		return true;
	wait = wait_of(r);
	return r->may_guess &&
	       join_point_is_guess(&r->rap, r->psi, packet, &wait);
}

/* A mark for a PES packet that begins here; at: its times; NULL: unknown. */
static struct ring_rap mark_of(const struct ring_out *r,
			       const struct pes_stamps *at)
{
	return (struct ring_rap){
		.pcr = r->pcr,
		.wall_ms = r->wall_ms,
		.pts = at != NULL ? at->pts : 0,
	};
}

/* Holds the picture that begins here, until it is decided. */
static void open_unit(struct ring_out *r, const uint8_t *packet,
		      enum rap_sign sign)
{
	struct pes_stamps *at = &r->opened_at;

	r->opened_timed = read_times(packet, at);
	r->opened = mark_of(r, r->opened_timed ? at : NULL);
	r->opened_sign = sign;
	r->opened_sets = rap_is_likely(&r->rap);
	r->opened_ns = r->now_ns;
	(void)fifo_push(&r->held, (struct ts_run){ packet, 1 });
}

/* Takes a packet that may be a join point.  guesses: it is a guess; preferred:
 * as in mark(). */
static void follow(struct ring_out *r, const uint8_t *packet,
		   enum rap_sign sign, bool guesses, bool preferred)
{
	struct pes_stamps times, *at;

	settle(r, sign == RAP_YES);
	r->head_waits = !guesses && is_unit(r, packet) &&
			pes_head_read(packet, &r->head) == HEAD_WAITS;
	if (sign == RAP_OPEN || r->head_waits) {
		open_unit(r, packet, sign);
		return;
	}
	at = read_times(packet, &times) ? &times : NULL;
	begin_unit(r, packet, at);
	if (sign == RAP_HERE) {
		mark(r, mark_of(r, at), true);
	} else if (guesses) {
		struct ring_rap guess = mark_of(r, at);

		guess.guess = true;
		mark(r, guess, preferred);
	} else if (is_unit(r, packet)) {
		ring_hls_divide(&r->hls);
	}
}

/* Takes a packet of the PID whose PES header is incomplete.  True: the header
 * is complete or lost, so the picture can be decided. */
static bool ends_header(struct ring_out *r, const uint8_t *packet)
{
	size_t before = r->head.len;
	enum pes_head_sign sign = pes_head_add(&r->head, packet);

	r->head_waits = sign == HEAD_WAITS;
	if (sign == HEAD_WHOLE)
		r->opened_timed = pes_head_stamps(&r->head, packet, before,
						  &r->opened_at);
	if (r->opened_timed)
		r->opened.pts = r->opened_at.pts;
	return !r->head_waits && r->opened_sign != RAP_OPEN;
}

/* If the tables name other tracks, lets the segment end with the next PES
 * packet, where the tables are written. */
static void follow_tracks(struct ring_out *r)
{
	uint32_t before = r->tracks, tracks;

	if (!ring_hls_is_used(&r->hls) || psi_changes(r->psi) == r->changes)
		return;
	r->changes = psi_changes(r->psi);
	tracks = track_list_digest(r->psi);
	if (tracks == 0 || tracks == before)
		return;
	r->tracks = tracks;
	if (before == 0)
		return;
	give_up(r);
	segmenter_change(&r->hls.segmenter, r->wall_ms, r->now_ns);
	r->overdue = ring_hls_is_overdue(&r->hls);
}

/* Is it a packet that a viewer sees or hears? */
static bool is_content(const struct ring_out *r, const uint8_t *packet)
{
	enum pid_class class = psi_class(r->psi, ts_pid(packet));

	return class == PID_VIDEO || class == PID_AUDIO ||
	       (r->rap.pid == TS_PID_NULL && ts_pid(packet) != TS_PID_NULL);
}

/* True if no packet of video or audio has arrived at this time. */
static bool lacks_content(const struct ring_out *r)
{
	return ring_hls_is_used(&r->hls) && r->hls.content_ns != r->now_ns;
}

static void begin_content(struct ring_out *r)
{
	r->group.paused |= r->now_ns - r->hls.content_ns >= PAUSE_MS * MS;
	ring_hls_content(&r->hls, r->now_ns);
}

/* True if the packet is the first one of video or audio at this time, or if it
 * ends the header of the held picture (*ret_ends). */
static bool changes_state(struct ring_out *r, const uint8_t *packet,
			  bool *ret_ends)
{
	*ret_ends = r->head_waits && ts_pid(packet) == r->head.pid &&
		    ends_header(r, packet);
	return *ret_ends || (lacks_content(r) && is_content(r, packet));
}

static void feed_run(struct ring_out *r, struct ts_run run)
{
	uint16_t main_pid = join_point_follow(&r->rap, r->psi);
	const struct psi_program *main = psi_main_program(r->psi);
	uint16_t pcr_pid = main != NULL ? main->pcr_pid : TS_PID_NULL;
	bool looks = r->head_waits || lacks_content(r);
	size_t from = 0; /* the first packet not yet copied */

	for (size_t i = 0; i < run.n; i++) {
		const uint8_t *packet = run.data + i * TS_PACKET;
		bool preferred = false, guesses, ends;
		enum rap_sign sign;

		/* only until the awaited packet: this costs time */
		if (looks && changes_state(r, packet, &ends)) {
			put(r, run.data + from * TS_PACKET, i - from);
			from = i;
			if (ends)
				settle(r, r->opened_sign == RAP_HERE);
			else
				begin_content(r);
			looks = r->head_waits || lacks_content(r);
		}
		if (ts_pid(packet) == pcr_pid && ts_pcr(packet, &r->pcr)) {
			ring_hls_pcr(&r->hls, r->pcr, ts_discontinuity(packet),
				     r->now_ns);
			r->overdue |= ring_hls_is_overdue(&r->hls);
		}
		if (is_table(r, packet)) {
			put(r, run.data + from * TS_PACKET, i - from);
			from = i + 1;
			follow_tracks(r);
			if (fifo_len(&r->held) > 0)
				put(r, packet, 1);
			else if (!r->hls.segmenter.changed || !r->overdue)
				copy_table(r, packet);
			continue;
		}
		sign = look(r, packet, main_pid);
		guesses = sign == RAP_NONE && is_guess(r, packet, &preferred);
		if (sign == RAP_NONE && !guesses &&
		    (!is_unit(r, packet) || fifo_len(&r->held) > 0))
			continue;
		put(r, run.data + from * TS_PACKET, i - from);
		follow(r, packet, sign, guesses, preferred);
		/* if a picture is held, it already contains this packet */
		from = fifo_len(&r->held) > 0 ? i + 1 : i;
		looks |= r->head_waits;
	}
	put(r, run.data + from * TS_PACKET, run.n - from);
}

bool ring_out_is_short(const struct ring_out *r)
{
	return ring_hls_bytes(&r->hls) > ring_writer_max(r->ring);
}

/* Grows the ring with the group of pictures, so that its start stays in it. */
static void grow(struct ring_out *r)
{
	uint64_t pos = ring_writer_pos(r->ring);

	ring_grow(r->ring, (size_t)MIN(ring_hls_bytes(&r->hls),
				       (uint64_t)RING_GROWN));
	if (r->has_last && !r->may_guess)
		ring_grow(r->ring, (size_t)MIN((pos - r->last.pos) * RING_GOPS,
					       (uint64_t)RING_GROWN));
}

void ring_out_feed(struct ring_out *r, const struct ts_run *runs,
		   size_t n_runs, uint64_t now_ns)
{
	struct join_wait wait;

	r->wall_ms = (int64_t)wall_ms();
	r->now_ns = now_ns;
	if (n_runs > 0) {
		if (now_ns - r->fed_ns >= PAUSE_MS * MS) {
			r->marked_ns = r->rap_ns = r->main_ns = now_ns;
			r->group.paused = true;
		}
		r->fed_ns = now_ns;
		ring_counters_forget(&r->counters, now_ns);
	}
	if (fifo_len(&r->held) > 0 &&
	    now_ns - r->opened_ns >= JOIN_POINT_HELD_MS * MS)
		give_up(r);
	r->overdue = ring_hls_is_overdue(&r->hls);
	wait = wait_of(r);
	r->may_guess = join_point_may_guess(&r->rap, &wait);
	for (size_t i = 0; i < n_runs; i++)
		feed_run(r, runs[i]);
	if (r->hls.content_ns != now_ns)
		ring_hls_idle(&r->hls, now_ns);
	grow(r);
}

uint64_t ring_out_next_ns(const struct ring_out *r)
{
	uint64_t next = ring_hls_next_ns(&r->hls);

	return fifo_len(&r->held) > 0
		? MIN(r->opened_ns + JOIN_POINT_HELD_MS * MS, next) : next;
}

/* True if RING_GOPS times the bytes since the last random access point fit in
 * the ring, so that the point is still there for slow viewers. */
static bool is_kept(const struct ring_out *r)
{
	return r->has_last &&
	       ring_writer_pos(r->ring) - r->last.pos <=
		       ring_writer_window(r->ring) / RING_GOPS;
}

enum join_kind ring_out_join(const struct ring_out *r, uint32_t *ret_gop_ms)
{
	*ret_gop_ms = r->group.ms;
	if (r->may_guess && (r->refreshes || !is_kept(r)))
		return JOIN_GUESS;
	if (!r->has_last)
		return JOIN_UNKNOWN;
	return r->rap.class == PID_AUDIO ? JOIN_AUDIO : JOIN_PICTURE;
}

uint32_t ring_out_longest_group(const struct ring_out *r)
{
	/* up to the last content: the time of a silence is in no group */
	uint64_t open_ms = (r->hls.content_ns - r->rap_ns) / MS;

	if (!r->has_last || r->rap.class != PID_VIDEO || r->refreshes)
		return 0;
	if (r->group.paused || open_ms > GROUP_MAX_MS)
		return r->group.ms;
	return MAX(r->group.ms, (uint32_t)open_ms);
}

uint32_t ring_out_longest_segment(const struct ring_out *r)
{
	return r->hls.segmenter.longest_ms;
}

const uint8_t *ring_out_group(const struct ring_out *r, size_t max,
			      size_t *ret_len)
{
	uint64_t all = r->has_last ? ring_writer_pos(r->ring) - r->last.pos : 0;
	size_t n, len = (size_t)MIN(all, (uint64_t)max);
	const uint8_t *p = ring_before(r->ring, all - len, &n);

	*ret_len = len;
	return len > 0 && n * TS_PACKET >= len ? p + n * TS_PACKET - len : NULL;
}

void ring_out_publish(struct ring_out *r)
{
	if (r->written)
		ring_publish(r->ring);
	r->written = false;
}

void ring_out_goes_on(struct ring_out *r)
{
	ring_unit_goes_on(r->ring);
}

void ring_out_free(struct ring_out **r)
{
	if (*r == NULL)
		return;
	give_up(*r);
	ring_out_publish(*r);
	ring_writer_free(&(*r)->ring);
	fifo_done(&(*r)->held);
	free(*r);
	*r = NULL;
}
