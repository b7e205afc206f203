/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file as the filler of services of an input: its video and audio are sent
 * on the PIDs of a service, with the clock of the filler. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "worker/filler/filler.h"
#include "worker/mux/fill.h"
#include "worker/splice/stamps.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/pmt.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* After this time without packets the last picture is sent instead. */
	FILE_SILENT_MS = 500,
	LINE_PACKETS = 16384, /* most packets of a file that wait in its line */
	/* A file without program, PCR, rate or picture by then is refused. */
	MISSING_MS = 5000,
};

/* What was read of a file: its main program, and packets that wait. */
struct mux_file {
	struct psi *psi;
	struct fill_streams streams;
	uint64_t pids[TS_PIDS / 64]; /* PIDs of video, audio and PCRs */
	bool video; /* it has video; the file then begins at a picture */
	struct delay_line line;
	struct starts starts; /* random access points in `line' */
	uint64_t heard_ns; /* arrival of the last packets of the file */
	uint64_t begin_ns; /* arrival of the first packet with these streams */
	bool started; /* a picture has arrived with which decoding can start */
	/* For each stream: its highest rate, in packets per second of the PCRs
	 * (rates), and its packets in the current second (meter). */
	uint64_t rates[PMT_STREAMS_MAX], meter[PMT_STREAMS_MAX];
	uint64_t seconds; /* measured seconds; 0: the rates are not known */
	uint64_t judged;  /* `seconds' when `rates' was last judged */
	bool metered; /* a measurement of the rates is running */
	uint64_t meter_pcr; /* 27 MHz: PCR at the begin of the measurement */
	/* the last PCR that left the line (27 MHz), and when; 0: none yet */
	uint64_t pcr, pcr_ns;
};

/* --- what is read --- */

void mux_free_file(struct mux_source *in)
{
	if (in->file == NULL)
		return;
	psi_free(&in->file->psi);
	delay_line_done(&in->file->line);
	free(in->file);
	in->file = NULL;
}

/* Stores the streams.  After a change their rates and start are not known. */
static void set_streams(struct mux_file *f, const struct fill_streams *now,
			uint64_t now_ns)
{
	if (memcmp(now, &f->streams, sizeof *now) == 0)
		return;
	f->streams = *now;
	f->begin_ns = now_ns;
	f->started = f->metered = false;
	f->seconds = f->judged = 0;
	memset(f->rates, 0, sizeof f->rates);
	memset(f->meter, 0, sizeof f->meter);
}

static void follow_program(struct mux_file *f, uint64_t now_ns)
{
	const struct psi_program *main = psi_main_program(f->psi);
	struct fill_streams now = { .pcr_pid = TS_PID_NULL };
	struct pmt pmt;

	memset(f->pids, 0, sizeof f->pids);
	f->video = false;
	if (main == NULL || main->pmt.data == NULL ||
	    pmt_decode(main->pmt.data, main->pmt.len, &pmt) < 0) {
		set_streams(f, &now, now_ns);
		return;
	}
	now.pcr_pid = pmt.pcr_pid;
	place_take(f->pids, pmt.pcr_pid);
	for (size_t i = 0; i < pmt.n_streams; i++) {
		const struct pmt_stream *s = &pmt.streams[i];
		bool first = s->class == PID_VIDEO && !f->video;

		if (!first && s->class != PID_AUDIO)
			continue;
		if (first)
			starts_follow(&f->starts, s);
		f->video |= first;
		place_take(f->pids, s->pid);
		now.list[now.n++] = fill_stream(s);
	}
	set_streams(f, &now, now_ns);
}

static void measure(struct mux_file *f, uint64_t pcr)
{
	uint64_t passed = (pcr + PCR_WRAP - f->meter_pcr) % PCR_WRAP;

	if (f->metered && passed < PCR_HZ)
		return;
	/* After a jump of the PCR the duration of the count is not known. */
	if (f->metered && passed < 2 * PCR_HZ) {
		f->seconds++;
		for (size_t i = 0; i < f->streams.n; i++)
			f->rates[i] = MAX(f->rates[i],
					  f->meter[i] * PCR_HZ / passed);
	}
	f->metered = true;
	f->meter_pcr = pcr;
	memset(f->meter, 0, sizeof f->meter);
}

/* The index of the stream on this PID; streams.n: there is none. */
static size_t find_pid(const struct mux_file *f, uint16_t pid)
{
	size_t i = 0;

	while (i < f->streams.n && fill_pid(f->streams.list[i]) != pid)
		i++;
	return i;
}

static void take(struct mux_file *f, const uint8_t *packet, uint64_t now_ns)
{
	uint16_t pid = ts_pid(packet);
	uint64_t pcr;
	size_t nth;

	if (psi_class(f->psi, pid) == PID_PSI) {
		if (psi_feed(f->psi, packet))
			follow_program(f, now_ns);
		return;
	}
	if (!place_has(f->pids, pid) || ts_tei(packet))
		return;
	if (pid == f->streams.pcr_pid && ts_pcr(packet, &pcr))
		measure(f, pcr);
	nth = find_pid(f, pid);
	if (nth < f->streams.n)
		f->meter[nth] += ts_has_payload(packet);
	if (f->video)
		starts_feed(&f->starts, packet, f->line.pushed);
	f->started |= f->starts.n > 0;
	(void)delay_line_push(&f->line, packet, now_ns);
}

bool mux_wants_file(const struct mux *m, size_t input)
{
	const struct mux_source *in = &m->inputs[input];
	bool blocked = false, heard = false;

	if (in->file_path == NULL || in->n_filled == 0)
		return false;
	for (size_t k = 0; k < in->n_services; k++) {
		const struct mux_service *s = &in->states[k];

		heard |= !s->silent;
		blocked |= s->fill != NULL && s->blocked;
	}
	return heard || blocked;
}

void mux_feed_file(struct mux *m, size_t input, const struct ts_run *runs,
		   size_t n_runs, uint64_t now_ns)
{
	struct mux_source *in = &m->inputs[input];

	if (!mux_wants_file(m, input))
		return;
	if (in->file == NULL) {
		in->file = xcalloc(1, sizeof *in->file);
		in->file->begin_ns = now_ns;
		in->file->psi = psi_new();
		in->file->line.delay_ns = m->cfg.delay_ms * MS;
		in->file->line.max = LINE_PACKETS;
	}
	in->file->heard_ns = now_ns;
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++)
			take(in->file, runs[i].data + k * TS_PACKET, now_ns);
}

/* --- the streams of a service --- */

bool mux_fill_has_file(const struct mux_service *s)
{
	return s->fill != NULL && s->fill->n_parts > 0;
}

/* Finds the nth stream of the file with the class and coding of `stream', or
 * the last one if there are fewer.  False: the file has no such stream. */
static bool find_stream(const struct mux_file *file, uint32_t stream,
			size_t nth, uint16_t *ret)
{
	bool found = false;

	for (size_t i = 0; i < file->streams.n; i++) {
		if ((file->streams.list[i] & 0xffff) != (stream & 0xffff))
			continue;
		*ret = fill_pid(file->streams.list[i]);
		found = true;
		if (nth-- == 0)
			break;
	}
	return found;
}

/* Finds for each stream of the service one of the file.  False: either the file
 * or the service alone has video, or the file has no stream that suits. */
static bool map(const struct mux_file *file, struct mux_fill *f)
{
	const uint32_t *list = f->streams.list;
	bool video = false, has_video = false;
	size_t audio = 0;

	f->n_parts = 0;
	for (size_t i = 0; i < f->streams.n; i++) {
		enum pid_class class = fill_class(list[i]);
		struct fill_part part = { .pid = fill_pid(list[i]),
					  .video = class == PID_VIDEO };

		if ((class != PID_AUDIO && (!part.video || video)) ||
		    f->n_parts == FILL_PARTS_MAX)
			continue;
		video |= part.video;
		if (place_has(f->pids, part.pid) &&
		    find_stream(file, list[i], part.video ? 0 : audio,
				&part.from)) {
			has_video |= part.video;
			f->parts[f->n_parts++] = part;
		}
		audio += class == PID_AUDIO;
	}
	return f->n_parts > 0 && video == file->video && video == has_video;
}

/* --- the change between picture and file --- */

/* Makes the generator of PCRs, and of silence for audio that the file lacks. */
static struct play *play_others(const struct mux *m, uint16_t number,
				const struct mux_fill *f)
{
	uint64_t pids[TS_PIDS / 64];
	struct play *play;

	memcpy(pids, f->pids, sizeof pids);
	for (size_t i = 0; i < f->n_parts; i++)
		pids[f->parts[i].pid / 64] &=
			~(UINT64_C(1) << f->parts[i].pid % 64);
	play = filler_play(m->filler, number, pids, f->base, f->start_ns);
	if (play == NULL)
		play = play_new_part(f->base, f->start_ns);
	if (place_has(f->pids, (uint16_t)f->streams.pcr_pid))
		play_add_clock(play, (uint16_t)f->streams.pcr_pid);
	return play;
}

static void renew_clock(struct mux_fill *f, uint64_t now_ns)
{
	f->base = fill_clock(f, now_ns) % PES_TIME_WRAP;
	f->start_ns = now_ns;
}

/* What the file lacks for any service; FILE_SUITS: nothing. */
static enum file_refusal find_missing(const struct mux_file *f)
{
	if (f->streams.n == 0)
		return FILE_NO_PROGRAM;
	if (f->pcr_ns == 0)
		return FILE_NO_PCR;
	if (f->seconds == 0)
		return FILE_NO_RATE;
	return f->video && !f->started ? FILE_NO_START : FILE_SUITS;
}

static const char *format_refusal(enum file_refusal reason)
{
	switch (reason) {
	case FILE_SUITS:
		break;
	case FILE_NO_PROGRAM:
		return "the file has no program with video or audio";
	case FILE_NO_PCR:
		return "the file has no PCR";
	case FILE_NO_RATE:
		return "the PCRs of the file span less than a second";
	case FILE_NO_START:
		return "the file has no picture at which decoding can start";
	case FILE_OTHER_CODINGS:
		return "its codings differ from those of the service";
	case FILE_TOO_FAST:
		return "the rate of the file exceeds that of the service";
	}
	return "";
}

/* Sends the last picture instead of the file.  Logs each reason once, until the
 * file is sent. */
static void refuse(const struct mux *m, const struct mux_source *in,
		   size_t nth, enum file_refusal reason)
{
	struct mux_service *s = &in->states[nth];

	s->fill->n_parts = 0;
	s->fill->refused = true;
	if (s->refusal == reason)
		return;
	s->refusal = reason;
	log_warning("stream", "input %zu: service %u: absent: the file %s is "
		    "not used, the last picture is sent: %s",
		    (size_t)(in - m->inputs) + 1, in->services[nth].new_number,
		    in->file_path, format_refusal(reason));
}

/* The rate in packets per second of the streams of the file that are sent. */
static uint64_t rate_of(const struct mux_file *file, const struct mux_fill *f)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < f->n_parts; i++) {
		size_t nth = find_pid(file, f->parts[i].from);

		sum += nth < file->streams.n ? file->rates[nth] : 0;
	}
	return sum;
}

static bool exceeds(const struct mux *m, const struct mux_source *in,
		    size_t nth)
{
	uint64_t room = fill_room(m, in, nth);

	return rate_of(in->file, in->states[nth].fill) >
	       room + room * MUX_TOLERANCE_PERCENT / 100;
}

/* Sends the file from this packet on, the first of its line, if it suits. */
static void begin(struct mux *m, struct mux_source *in, size_t nth,
		  uint64_t at_ns)
{
	const struct mux_file *file = in->file;
	struct mux_fill *f = in->states[nth].fill;
	uint64_t pcr;

	if (fill_ends_soon(f) || file->seconds == 0 || file->pcr_ns == 0 ||
	    !play_is_whole(f->play))
		return;
	if (!map(file, f)) {
		refuse(m, in, nth, FILE_OTHER_CODINGS);
		return;
	}
	if (exceeds(m, in, nth)) {
		refuse(m, in, nth, FILE_TOO_FAST);
		return;
	}
	/* the time stamps of the filler minus those of the file, 90 kHz */
	pcr = file->pcr / PCR_PER_TICK + (at_ns - file->pcr_ns) * 9 / 100000;
	f->shift = (fill_clock(f, at_ns) + PES_TIME_WRAP -
		    pcr % PES_TIME_WRAP) % PES_TIME_WRAP;
	renew_clock(f, m->now_ns);
	play_free(&f->play);
	f->play = play_others(m, in->services[nth].new_number, f);
	f->rate = rate_of(file, f) + play_rate(f->play);
	f->source = ++m->last_source;
	f->refused = false;
	in->states[nth].refusal = FILE_SUITS;
}

/* Sends the last picture instead of the file, or nothing if it does not fit. */
static void end(struct mux *m, struct mux_source *in, size_t nth)
{
	struct mux_fill *f = in->states[nth].fill;
	struct play *play;

	f->n_parts = 0;
	renew_clock(f, m->now_ns);
	play = filler_play(m->filler, in->services[nth].new_number, f->pids,
			   f->base, m->now_ns);
	if (play == NULL || !fill_fits(m, in, nth, play)) {
		play_free(&play);
		m->fills_changed = true;
		fill_stop(m, in, nth);
		return;
	}
	play_free(&f->play);
	f->play = play;
	f->rate = play_rate(play);
	f->source = ++m->last_source;
}

/* Refuses a file that still lacks what services need after MISSING_MS. */
static void judge_missing(const struct mux *m, const struct mux_source *in)
{
	enum file_refusal missing = find_missing(in->file);

	if (missing == FILE_SUITS ||
	    m->now_ns - in->file->begin_ns < MISSING_MS * MS)
		return;
	for (size_t k = 0; k < in->n_services; k++) {
		struct mux_fill *f = in->states[k].fill;

		if (f == NULL || f->n_parts > 0)
			continue;
		if (missing == FILE_NO_START && !map(in->file, f))
			refuse(m, in, k, FILE_OTHER_CODINGS);
		else
			refuse(m, in, k, missing);
	}
}

/* --- the packets --- */

/* Is the PTS of the unit that begins here behind the last one on the PID? */
static bool follows(const struct mux *m, const struct fill_part *part,
		    const uint8_t *packet)
{
	struct pes_stamps unit;
	bool timed = part->split
		? pes_head_stamps(&part->header.head, packet, 0, &unit)
		: pes_stamps_find(packet, &unit);

	return !timed || mux_fill_follows(m, part->pid, unit.pts);
}

/* Is this packet sent, because the stream begins or continues with it?  Its
 * times are those of the filler.  starts: decoding can start with it. */
static bool goes_out(struct mux *m, const struct mux_fill *f,
		     struct fill_part *part, const uint8_t *packet,
		     bool starts)
{
	if (!ts_pusi(packet))
		return part->begun;
	if (part->video && fill_ends_soon(f)) {
		part->begun = false;
	} else if (!part->begun && (!part->video || starts)) {
		part->begun = follows(m, part, packet);
		mux_counters_forget(&m->counters, part->pid);
	}
	return part->begun;
}

void file_number(const struct mux_fill *f, uint8_t *packet)
{
	for (size_t i = 0; i < f->n_parts && !ts_has_payload(packet); i++)
		if (f->parts[i].pid == ts_pid(packet))
			ts_set_cc(packet, f->parts[i].cc);
}

/* Moves the times in a PES header that spans packets, all in the line. */
static void move_split(const struct mux_file *file, const struct mux_fill *f,
		       struct fill_part *part, uint8_t *copy)
{
	const uint8_t *packet = delay_line_at(&file->line, 0);
	const struct stamps_move by = { f->shift, f->shift };
	enum pes_head_sign sign;

	if (!ts_pusi(packet)) {
		part->split = part->split &&
			      pes_split_continue(&part->header, copy,
						 ts_cc(packet));
		return;
	}
	sign = pes_head_read(packet, &part->header.head);
	for (size_t i = 1; sign == HEAD_WAITS && i < file->line.n; i++)
		sign = pes_head_add(&part->header.head,
				     delay_line_at(&file->line, i));
	part->split = sign == HEAD_WHOLE;
	if (part->split)
		pes_split_begin(&part->header, copy, by);
	else if (sign != HEAD_NONE)
		pes_split_drop(copy);
}

/* Sends the first packet of the line on the PIDs of the service. */
static void send(struct mux *m, const struct mux_file *file,
		 struct mux_service *s, uint64_t at_ns, bool starts)
{
	const uint8_t *packet = delay_line_at(&file->line, 0);
	struct mux_fill *f = s->fill;
	uint64_t pcr;

	/* counters follow the order of packets: first those of `play' */
	fill_run(m, s, at_ns);
	for (size_t i = 0; i < f->n_parts && ts_has_payload(packet); i++) {
		uint8_t copy[TS_PACKET];

		if (f->parts[i].from != ts_pid(packet))
			continue;
		memcpy(copy, packet, TS_PACKET);
		ts_set_pid(copy, f->parts[i].pid);
		if (ts_pcr(copy, &pcr))
			stamps_drop_pcr(copy);
		stamps_move(copy, (struct stamps_move){ f->shift, f->shift });
		move_split(file, f, &f->parts[i], copy);
		if (!goes_out(m, f, &f->parts[i], copy, starts))
			continue;
		f->parts[i].cc = ts_cc(copy);
		fill_send(m, s, copy, MAX(at_ns, f->at_ns));
	}
}

static void run_first(struct mux *m, struct mux_source *in, uint64_t at_ns)
{
	struct mux_file *file = in->file;
	const uint8_t *packet = delay_line_first(&file->line);
	uint64_t pcr;
	/* the file can begin with this packet */
	bool starts = file->video
		? starts_take(&file->starts, file->line.pushed - file->line.n)
		: file->streams.n > 0 && ts_pusi(packet) &&
		  ts_pid(packet) == fill_pid(file->streams.list[0]);

	if (ts_pid(packet) == file->streams.pcr_pid && ts_pcr(packet, &pcr)) {
		file->pcr = pcr;
		file->pcr_ns = at_ns;
	}
	for (size_t k = 0; k < in->n_services; k++) {
		struct mux_service *s = &in->states[k];

		if (s->fill != NULL && s->fill->n_parts == 0 && starts)
			begin(m, in, k, at_ns);
		if (mux_fill_has_file(s))
			send(m, file, s, at_ns, starts);
	}
}

void file_run(struct mux *m, struct mux_source *in)
{
	struct mux_file *f = in->file;
	uint64_t at_ns;

	if (!mux_wants_file(m, (size_t)(in - m->inputs)) ||
	    m->now_ns - MIN(m->now_ns, f->heard_ns) > FILE_SILENT_MS * MS) {
		for (size_t k = 0; k < in->n_services; k++)
			if (mux_fill_has_file(&in->states[k]))
				end(m, in, k);
		mux_free_file(in);
		return;
	}
	/* its measured rate may now exceed that of a service */
	for (size_t k = 0; k < in->n_services && f->seconds != f->judged; k++)
		if (mux_fill_has_file(&in->states[k]) && exceeds(m, in, k))
			end(m, in, k);
	f->judged = f->seconds;
	judge_missing(m, in);
	/* no further picture begins before the file, so that the last one is
	 * whole */
	for (size_t k = 0; k < in->n_services && f->seconds > 0; k++) {
		const struct mux_fill *fill = in->states[k].fill;

		if (fill != NULL && fill->n_parts == 0 && !fill->refused &&
		    f->starts.n > 0)
			play_hold_pictures(fill->play, true, 0);
	}
	while ((at_ns = delay_line_next(&f->line, m->turn_ns)) <= m->now_ns) {
		run_first(m, in, at_ns);
		delay_line_leave(&f->line, at_ns);
	}
}
