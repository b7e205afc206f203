/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/lap.h"

#include "common/base/util.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

static void note_time(struct lap *l, uint16_t pid, uint64_t dts)
{
	struct lap_track *t = l->tracks;
	struct lap_track *end = t + l->n_tracks;
	int64_t step;

	while (t < end && t->pid != pid)
		t++;
	if (t == end) {
		if (l->n_tracks == LAP_TRACKS)
			return;
		l->n_tracks++;
		*t = (struct lap_track){ .pid = pid, .first = dts,
					 .last = dts };
		return;
	}
	step = wrap_diff(dts, t->last, PES_TIME_WRAP);
	if (t->step == 0 && step > 0)
		t->step = (uint64_t)step;
	t->irregular |= step != (int64_t)t->step;
	t->span += step;
	t->last = dts;
}

static void note_pcr(struct lap *l, uint16_t pid, uint64_t pcr)
{
	if (!l->has_pcr) {
		l->has_pcr = true;
		l->pcr_pid = pid;
		l->pcr_first = l->pcr_last = pcr;
		l->first_at = l->packets;
	}
	if (l->pcr_pid != pid)
		return;
	l->pcr_span += wrap_diff(pcr, l->pcr_last, PCR_WRAP);
	l->pcr_last = pcr;
	l->last_at = l->packets;
}

void lap_feed(struct lap *l, const uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);
	struct pes_stamps at;
	uint64_t pcr;

	if (pid != TS_PID_NULL && !ts_tei(packet)) {
		if (ts_pcr(packet, &pcr))
			note_pcr(l, pid, pcr % PCR_WRAP);
		if ((ts_pusi(packet) || l->reader.n > 0) &&
		    pes_reader_take(&l->reader, packet, &at) == PES_READ)
			note_time(l, pid, at.dts);
	}
	l->packets++;
}

static int64_t pcr_span(const struct lap *l)
{
	return l->pcr_span / PCR_PER_TICK;
}

/* The length of the lap in 90 kHz ticks by the PCRs, extrapolated to both ends
 * at the mean rate; 0: unknown. */
static int64_t pcr_length(const struct lap *l)
{
	int64_t span = pcr_span(l);
	uint64_t between = l->last_at - l->first_at;

	if (!l->has_pcr || between == 0 || span <= 0)
		return 0;
	return (int64_t)((double)span * (double)l->packets / (double)between);
}

/*
 * The length of the lap in 90 kHz ticks by its longest elementary stream; 0: no
 * time stamps.  Where all PES last equally long (video), the duration of the
 * last PES is known too, and *ret_sure is set.  For other streams (PES of
 * several audio frames) the length only prevents an overlap.
 */
static int64_t pes_length(const struct lap *l, bool *ret_sure)
{
	int64_t longest = 0;

	*ret_sure = false;
	for (size_t i = 0; i < l->n_tracks; i++) {
		const struct lap_track *t = &l->tracks[i];
		int64_t length = t->span + 1;

		if (t->step > 0 && !t->irregular) {
			length += (int64_t)t->step - 1;
			*ret_sure = true;
		}
		longest = MAX(longest, length);
	}
	return longest;
}

/* Converts ticks of 90 kHz to ns; 0 if the clock went back. */
static uint64_t ns_of_ticks(int64_t ticks)
{
	return (uint64_t)MAX(ticks, 0) * 100000 / 9;
}

uint64_t lap_pcr_ns(const struct lap *l)
{
	return l->has_pcr ? ns_of_ticks(pcr_span(l)) : 0;
}

uint64_t lap_clock_ns(const struct lap *l)
{
	return ns_of_ticks(pcr_length(l));
}

static int64_t behind_pcr(uint64_t time, uint64_t pcr)
{
	return wrap_diff(time, pcr / PCR_PER_TICK, PES_TIME_WRAP);
}

uint64_t lap_track_ns(const struct lap *l, uint16_t pid)
{
	for (size_t i = 0; i < l->n_tracks && l->has_pcr; i++) {
		const struct lap_track *t = &l->tracks[i];

		if (t->pid == pid)
			return ns_of_ticks(behind_pcr(t->first, l->pcr_first) +
					   t->span + (int64_t)t->step);
	}
	return 0;
}

/* Reads the PTS and DTS of the unit that begins in the first packet.  Its
 * header may end in later packets of the PID.  False: it has none. */
static bool find_times(const struct ts_run *runs, size_t n_runs,
		       struct pes_stamps *ret)
{
	uint16_t pid = ts_pid(runs[0].data);
	struct pes_reader reader = { 0 };

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *packet = runs[i].data + k * TS_PACKET;

			if (ts_pid(packet) != pid)
				continue;
			if (pes_reader_take(&reader, packet, ret) == PES_READ)
				return true;
			if (reader.n == 0)
				return false;
		}
	return false;
}

uint64_t lap_lead_ns(const struct lap *l, const struct ts_run *runs,
		     size_t n_runs)
{
	struct pes_stamps at;

	if (!l->has_pcr || !find_times(runs, n_runs, &at))
		return 0;
	return ns_of_ticks(behind_pcr(at.dts, l->pcr_last));
}

uint64_t lap_length(const struct lap *l)
{
	bool sure;
	int64_t length = pes_length(l, &sure);

	/* the PCR must not go back from lap to lap */
	if (!sure || (l->has_pcr && length <= pcr_span(l)))
		length = MAX(length, pcr_length(l));
	return length > 0 ? (uint64_t)length : 0;
}
