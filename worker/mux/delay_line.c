/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/mux/delay_line.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/ts/pcr.h"

#include <stdlib.h>
#include <string.h>

enum {
	ROOM_MIN = 256,
	ROOM_PART = 4, /* spare room of the queue: this part (1 / ROOM_PART) of
			* what was needed */
	/* Longest step from a PCR to the next one that is no jump. */
	STEP_MAX_MS = 500,
	FRACTION = 16, /* binary digits of a fraction of a nanosecond */
	/* Late packets leave at most at this multiple of the rate at which
	 * their source sent them. */
	CATCH_UP = 2,
	PPM = 1000000,
	CACHE_LINE = 64,
};

void delay_line_done(struct delay_line *l)
{
	free(l->packets);
	free(l->times);
	free(l->sources);
	l->packets = NULL;
	l->times = NULL;
	l->sources = NULL;
	l->room = l->head = l->n = l->since = 0;
}

/* --- the queue --- */

/* Gives the queue another size and copies its packets; room: at least l->n. */
static void set_room(struct delay_line *l, size_t room)
{
	size_t first = MIN(l->n, l->room - l->head), rest = l->n - first;
	uint8_t *packets = xcalloc(room, TS_PACKET);
	uint64_t *times = xcalloc(room, sizeof *times);
	uint32_t *sources = xcalloc(room, sizeof *sources);

	if (l->n > 0) {
		memcpy(packets, l->packets + l->head * TS_PACKET,
		       first * TS_PACKET);
		memcpy(packets + first * TS_PACKET, l->packets,
		       rest * TS_PACKET);
		memcpy(times, l->times + l->head, first * sizeof *times);
		memcpy(times + first, l->times, rest * sizeof *times);
		memcpy(sources, l->sources + l->head, first * sizeof *sources);
		memcpy(sources + first, l->sources, rest * sizeof *sources);
	}
	free(l->packets);
	free(l->times);
	free(l->sources);
	l->packets = packets;
	l->times = times;
	l->sources = sources;
	l->room = room;
	l->head = 0;
}

void delay_line_trim(struct delay_line *l)
{
	size_t room = MAX(l->most + l->most / ROOM_PART, (size_t)ROOM_MIN);

	if (l->room > room + room / ROOM_PART)
		set_room(l, room);
	l->most = l->n;
}

void delay_line_drop(struct delay_line *l)
{
	l->head = delay_line_place(l, 1);
	l->n--;
}

/* The time at which a packet leaves: delay_ns after its source sent it, or, if
 * it is late, half its distance from the previous packet after that one left.
 * left_ns, left_at_ns: source time of the previous packet, and the time at
 * which it left.  A pause of the source does not count as distance. */
static uint64_t departure(const struct delay_line *l, uint64_t time_ns,
			  uint64_t left_ns, uint64_t left_at_ns)
{
	uint64_t apart = time_ns > left_ns ? time_ns - left_ns : 0;

	return MAX(time_ns + (uint64_t)l->offset + l->delay_ns,
		   left_at_ns + MIN(apart, LINE_PCR_MS * MS) / CATCH_UP);
}

uint64_t delay_line_next(const struct delay_line *l, uint64_t from_ns)
{
	return l->n == 0 ? UINT64_MAX
			 : MAX(departure(l, l->times[l->head], l->left_ns,
					 l->left_at_ns), from_ns);
}

void delay_line_leave(struct delay_line *l, uint64_t at_ns)
{
	const uint8_t *next;

	l->left_ns = l->times[l->head];
	l->left_at_ns = at_ns;
	delay_line_drop(l);
	/* Fetches the packet that leaves next into the cache, where it no
	 * longer is: it was written mux_delay ago. */
	next = l->packets + l->head * TS_PACKET;
	for (size_t i = 0; i < TS_PACKET; i += CACHE_LINE)
		__builtin_prefetch(next + i);
}

size_t delay_line_due(const struct delay_line *l, uint64_t from_ns,
		      uint64_t now_ns)
{
	uint64_t left = l->left_ns, left_at = l->left_at_ns;
	uint64_t delay = (uint64_t)l->offset + l->delay_ns;
	bool in_time = false;
	size_t n = 0;

	for (; n < l->n; n++) {
		uint64_t time = l->times[delay_line_place(l, n)];

		/* All packets behind one that leaves in time leave in time,
		 * too. */
		left_at = in_time && time >= left
				  ? time + delay
				  : MAX(departure(l, time, left, left_at),
					from_ns);
		in_time = left_at == time + delay;
		left = time;
		if (left_at > now_ns)
			return n;
	}
	return n;
}

/* --- the time of the source --- */

/* The source time of a packet that arrives now without delay. */
static uint64_t at_arrival(const struct delay_line *l, uint64_t now_ns)
{
	return MAX(now_ns - (uint64_t)l->offset, l->last_ns);
}

/* Compares the arrival of a PCR with its source time, and moves the offset
 * between the clocks of the machine and of the source slowly. */
static void measure(struct delay_line *l, uint64_t now_ns)
{
	int64_t off = (int64_t)(now_ns - l->pcr_ns), by, most;
	int64_t jump = LINE_JUMP_MS * (int64_t)MS;

	l->earliest = MIN(l->earliest, off);
	/* no packet has left yet, or the network path is another one */
	if ((now_ns - l->base_ns < l->delay_ns && off < l->offset) ||
	    off < l->offset - jump)
		l->offset = l->wanted = l->earliest = off;
	if (now_ns - l->window_ns >= LINE_WINDOW_MS * MS) {
		l->wanted = l->earliest;
		l->earliest = INT64_MAX;
		l->window_ns = now_ns;
		if (l->wanted - l->offset > (int64_t)l->delay_ns / 4 * 3)
			l->offset = l->wanted;
	}
	by = l->wanted - l->offset;
	most = (int64_t)(now_ns - l->arrival_ns) / PPM * LINE_SLEW_PPM;
	l->offset += MAX(MIN(by, most), -most);
}

/* True if a PCR after a pause, or one with a discontinuity_indicator, continues
 * the time base of the last PCR.  The PCR may be late by three quarters of the
 * delay, because its packets still leave in time.  step_ns: from the last PCR
 * to this one. */
static bool continues(const struct delay_line *l, uint64_t step_ns,
		      uint64_t now_ns)
{
	uint64_t passed = now_ns - l->arrival_ns;
	uint64_t apart = passed > step_ns ? passed - step_ns
					  : step_ns - passed;

	return l->pcr_ns != 0 && step_ns > 0 && apart < l->delay_ns / 4 * 3;
}

/* Takes a PCR of the PID that the line follows; other: the line followed
 * another PID.  Returns the source time of its packet. */
static uint64_t take_pcr(struct delay_line *l, uint64_t pcr, bool other,
			 bool announced, uint64_t now_ns)
{
	int64_t step = wrap_diff(pcr % PCR_WRAP, l->pcr, PCR_WRAP);
	uint64_t step_ns = step > 0 ? (uint64_t)step * 1000 / 27 : 0;

	if (l->has_pcr && !other && !announced && step > 0 &&
	    step_ns <= STEP_MAX_MS * MS) {
		size_t n = l->since + 1, waiting = MIN(l->since, l->n);
		uint64_t each = (step_ns << FRACTION) / n;
		uint64_t at = each * (l->since - waiting);

		/* Spreads the packets since the last PCR evenly over the time
		 * to this PCR.  The first of them may have left already. */
		for (size_t i = l->n - waiting; i < l->n; i++) {
			at += each;
			l->times[delay_line_place(l, i)] =
				l->pcr_ns + (at >> FRACTION);
		}
		l->step_ns = MAX(step_ns / n, UINT64_C(1));
		l->pcr_ns += step_ns;
		measure(l, now_ns);
	} else if (!other && continues(l, step_ns, now_ns)) {
		l->pcr_ns += step_ns;
		measure(l, now_ns);
	} else {
		/* a new time base, with the current offset */
		l->base_ns = l->window_ns = now_ns;
		l->wanted = l->offset;
		l->earliest = INT64_MAX;
		l->step_ns = MAX(l->step_ns, UINT64_C(1));
		l->pcr_ns = at_arrival(l, now_ns);
	}
	l->has_pcr = true;
	l->pcr = pcr % PCR_WRAP;
	l->arrival_ns = now_ns;
	l->since = 0;
	return l->pcr_ns;
}

static uint64_t time_of(struct delay_line *l, const uint8_t *packet,
			uint64_t now_ns)
{
	uint64_t silent = now_ns - l->arrival_ns, pcr;

	/* The PID has no PCR any more.  A pause in which no packet arrives does
	 * not count, up to LINE_PAUSE_MS. */
	if (silent > LINE_PAUSE_MS * MS ||
	    (silent > LINE_PCR_MS * MS &&
	     l->since * l->step_ns > LINE_PCR_MS * MS))
		l->has_pcr = false;
	if (ts_pcr(packet, &pcr) && !ts_tei(packet) &&
	    (!l->has_pcr || ts_pid(packet) == l->pid)) {
		bool other = ts_pid(packet) != l->pid;

		l->pid = ts_pid(packet);
		return take_pcr(l, pcr, other, ts_discontinuity(packet),
				now_ns);
	}
	if (!l->has_pcr)
		return at_arrival(l, now_ns);
	l->since++;
	return l->pcr_ns + MIN(l->since * l->step_ns, LINE_PCR_MS * MS);
}

bool delay_line_push(struct delay_line *l, const uint8_t *packet,
		     uint64_t now_ns)
{
	uint64_t at;
	size_t last;

	if (l->n >= l->max)
		return false;
	if (l->n == l->room)
		set_room(l, MAX(l->room + l->room / ROOM_PART,
				(size_t)ROOM_MIN));
	at = time_of(l, packet, now_ns);
	last = delay_line_place(l, l->n);
	memcpy(l->packets + last * TS_PACKET, packet, TS_PACKET);
	l->times[last] = at;
	l->sources[last] = l->source;
	l->last_ns = at;
	l->n++;
	l->most = MAX(l->most, l->n);
	l->pushed++;
	return true;
}
