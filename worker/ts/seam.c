/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/seam.h"

#include "common/alloc.h"
#include "common/util.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

#include <stdlib.h>

enum {
	/* Elementary streams whose length is measured; the longest counts. */
	TRACKS_MAX = 32,
	PCR_PER_TICK = 300, /* 27 MHz against 90 kHz */
};

/* The decoding times of one elementary stream in a pass, as they came. */
struct track {
	uint16_t pid;
	bool started;
	uint64_t first, last;
	uint64_t step;  /* the first distance between two */
	bool irregular; /* not all are the same */
};

struct seam {
	uint64_t ticks; /* 90 kHz: added to all time stamps of this pass */
	unsigned pass;
	/* continuity, by PID */
	uint8_t cc[TS_PIDS];    /* the last that left */
	uint8_t shift[TS_PIDS]; /* added in this pass */
	uint8_t seen[TS_PIDS];  /* pass & 0xff in which shift was made, and 1 */

	struct track tracks[TRACKS_MAX];
	size_t n_tracks;

	/* the PCRs of the first PID that has them, as they came */
	uint16_t pcr_pid;
	bool pcr_started;
	uint64_t pcr_first, pcr_last;
	uint64_t packets, first_at, last_at; /* of this pass */
};

struct seam *seam_new(void)
{
	struct seam *s = xcalloc(1, sizeof *s);

	s->pcr_pid = TS_PID_NULL;
	return s;
}

void seam_free(struct seam **s)
{
	free(*s);
	*s = NULL;
}

/* later - earlier, either way round. */
static int64_t signed_diff(uint64_t later, uint64_t earlier, uint64_t wrap)
{
	uint64_t diff = later >= earlier ? later - earlier
					 : later + wrap - earlier;

	return diff <= wrap / 2 ? (int64_t)diff
				: (int64_t)diff - (int64_t)wrap;
}

static bool is_new_in_pass(struct seam *s, uint16_t pid)
{
	uint8_t mark = (uint8_t)((s->pass & 0x7f) | 0x80);
	bool is_new = s->seen[pid] != mark;

	s->seen[pid] = mark;
	return is_new;
}

static void move_cc(struct seam *s, uint16_t pid, uint8_t *packet)
{
	bool known = s->seen[pid] != 0;

	if (is_new_in_pass(s, pid) && known) {
		unsigned next = s->cc[pid] + (ts_has_payload(packet) ? 1U : 0U);

		s->shift[pid] = (uint8_t)((next - ts_cc(packet)) & 0x0f);
		/* it told of a break that is mended here */
		if (ts_discontinuity(packet))
			packet[5] &= 0x7f;
	}
	ts_set_cc(packet, ts_cc(packet) + s->shift[pid]);
	s->cc[pid] = ts_cc(packet);
}

static void move_pcr(struct seam *s, uint16_t pid, uint8_t *packet)
{
	uint64_t pcr;

	if (!ts_pcr(packet, &pcr))
		return;
	if (s->pcr_pid == TS_PID_NULL)
		s->pcr_pid = pid;
	if (s->pcr_pid == pid) {
		if (!s->pcr_started) {
			s->pcr_started = true;
			s->pcr_first = pcr;
			s->first_at = s->packets;
		}
		s->pcr_last = pcr;
		s->last_at = s->packets;
	}
	if (s->ticks > 0)
		ts_set_pcr(packet, (pcr + s->ticks * PCR_PER_TICK) % PCR_WRAP);
}

static struct track *find_track(struct seam *s, uint16_t pid)
{
	for (size_t i = 0; i < s->n_tracks; i++)
		if (s->tracks[i].pid == pid)
			return &s->tracks[i];
	if (s->n_tracks == TRACKS_MAX)
		return NULL;
	s->tracks[s->n_tracks] = (struct track){ .pid = pid };
	return &s->tracks[s->n_tracks++];
}

static void note_time(struct track *t, uint64_t dts)
{
	int64_t step;

	if (!t->started) {
		t->started = true;
		t->first = t->last = dts;
		return;
	}
	step = signed_diff(dts, t->last, PES_TIME_WRAP);
	if (t->step == 0 && step > 0)
		t->step = (uint64_t)step;
	t->irregular |= step != (int64_t)t->step;
	t->last = dts;
}

static void move_stamp(const struct seam *s, uint8_t *stamp)
{
	pes_set_time(stamp, (pes_time(stamp) + s->ticks) % PES_TIME_WRAP);
}

static void move_times(struct seam *s, uint16_t pid, uint8_t *packet)
{
	struct pes_times at;
	struct track *t;

	if (!pes_times(packet, &at))
		return;
	t = find_track(s, pid);
	if (t != NULL)
		note_time(t, pes_time(packet + at.dts));
	if (s->ticks == 0)
		return;
	move_stamp(s, packet + at.pts);
	if (at.dts != at.pts)
		move_stamp(s, packet + at.dts);
}

void seam_feed(struct seam *s, uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);

	if (pid != TS_PID_NULL && !ts_tei(packet)) {
		move_cc(s, pid, packet);
		move_pcr(s, pid, packet);
		move_times(s, pid, packet);
	}
	s->packets++;
}

/* What the pass lasted by its PCRs, its ends drawn out at its mean rate. */
static int64_t pcr_length(const struct seam *s)
{
	int64_t span = signed_diff(s->pcr_last, s->pcr_first, PCR_WRAP) /
		       PCR_PER_TICK;
	uint64_t between = s->last_at - s->first_at;

	if (!s->pcr_started || between == 0 || span <= 0)
		return 0;
	return (int64_t)((double)span * (double)s->packets / (double)between);
}

/*
 * What it lasted by its longest elementary stream; 0: no time stamps.  How
 * long the last PES plays is known where all play equally long (pictures:
 * *ret_sure); the others (PES of several audio frames) must only not overlap.
 */
static int64_t pes_length(const struct seam *s, bool *ret_sure)
{
	int64_t longest = 0;

	*ret_sure = false;
	for (size_t i = 0; i < s->n_tracks; i++) {
		const struct track *t = &s->tracks[i];
		int64_t length = signed_diff(t->last, t->first,
					     PES_TIME_WRAP) + 1;

		if (!t->started)
			continue;
		if (t->step > 0 && !t->irregular) {
			length += (int64_t)t->step - 1;
			*ret_sure = true;
		}
		longest = MAX(longest, length);
	}
	return longest;
}

static uint64_t pass_length(const struct seam *s)
{
	bool sure;
	int64_t length = pes_length(s, &sure);
	int64_t span = signed_diff(s->pcr_last, s->pcr_first, PCR_WRAP) /
		       PCR_PER_TICK;

	/* nor must the PCR go back over the seam */
	if (!sure || (s->pcr_started && length <= span))
		length = MAX(length, pcr_length(s));
	return length > 0 ? (uint64_t)length : 0;
}

void seam_next_pass(struct seam *s)
{
	s->ticks = (s->ticks + pass_length(s)) % PES_TIME_WRAP;
	s->pass++;
	s->packets = 0;
	s->pcr_started = false;
	for (size_t i = 0; i < s->n_tracks; i++)
		s->tracks[i] = (struct track){ .pid = s->tracks[i].pid };
}
