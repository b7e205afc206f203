/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/hls_mux.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "worker/net/hls/hls_mux_pmt.h"
#include "worker/ts/fifo.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/pes_head.h"
#include "worker/ts/sync.h"

#include <stdlib.h>
#include <string.h>

enum {
	OUT = 64, /* packets that are passed to push() at a time */
	/* Room for the packets of the largest PMT, and for one more packet. */
	OUT_SPARE = SECTION_PSI_MAX / (TS_PACKET - 4) + 2,
	HZ_MS = 90, /* ticks of 90 kHz in a millisecond */
	/* Without PCRs, the clock is the DTS minus this. */
	LEAD_MS = 700,
	/* A PCR that is further before the DTS is ignored. */
	LEAD_MAX_MS = 10 * 1000,
	/* If the clock of the video goes back by more, it has jumped. */
	BACK_MS = 1000,
	/* Audio that is further from the clock, or from the unit before, has
	 * jumped. */
	HLS_MUX_NEAR_MS = 2000,
	/* The longest wait of audio that has jumped back, until the video jumps
	 * back, too. */
	HLS_MUX_BACK_MS = 3000,
};

struct hls_mux {
	struct hls_mux_config cfg;
	struct audio_track *audio;
	struct ts_sync sync;
	struct psi *psi;
	struct mux_pmt pmt;
	struct fifo pictures; /* packets of the video segments that wait */
	uint64_t packets;     /* packets that were ever added to pictures */
	bool looked;     /* look() has read the first packet of pictures */

	bool begins;     /* a segment begins behind the packets in pictures;
			  * begin() was not called for it yet */
	bool cut;        /* the segment does not continue the previous one */

	bool has_dts, has_clock;
	bool has_pcr;    /* clock follows the PCRs of the video */
	uint64_t dts, clock; /* 90 kHz: last DTS, and clock, of the video */
	struct pes_reader reader; /* reads the DTS of the video */
	bool fresh;      /* no audio was sent since the clock jumped */
	bool holds;      /* audio of unrelated times waits since held_at */
	uint64_t held_at; /* 90 kHz: value of clock */

	bool sends;      /* the last audio unit was sent, not dropped */
	bool has_pts;
	uint64_t pts;    /* 90 kHz: time stamp of the last audio unit */
	size_t unit_left; /* packets of the current audio unit to be sent */
	uint8_t cc_seen; /* last received counter of the audio */
	uint8_t cc;      /* last sent counter of the audio */
	uint16_t clock_pid; /* PID of dropped audio, of which only the PCRs are
			     * sent */
	uint8_t clock_cc;   /* continuity counter of packets on clock_pid */
	bool missing;    /* audio for the next video is missing */

	size_t n_out;    /* packets in out */
	uint8_t out[(OUT + OUT_SPARE) * TS_PACKET];
};

struct hls_mux *hls_mux_new(const struct hls_mux_config *cfg)
{
	struct hls_mux *m = xcalloc(1, sizeof *m);

	m->cfg = *cfg;
	m->audio = audio_track_new();
	m->psi = psi_new();
	m->pictures.max = HLS_MUX_PACKETS;
	ts_sync_init(&m->sync, TS_SYNC_STREAM);
	mux_pmt_init(&m->pmt);
	return m;
}

void hls_mux_free(struct hls_mux **mux)
{
	struct hls_mux *m = *mux;

	*mux = NULL;
	if (m == NULL)
		return;
	audio_track_free(&m->audio);
	psi_free(&m->psi);
	fifo_done(&m->pictures);
	free(m);
}

void hls_mux_set_language(struct hls_mux *m, const char *language)
{
	mux_pmt_set_language(&m->pmt, language);
}

struct audio_track *hls_mux_audio(struct hls_mux *m)
{
	return m->audio;
}

/* --- input --- */

void hls_mux_begin(struct hls_mux *m, bool cut)
{
	ts_sync_reset(&m->sync);
	m->begins = true;
	m->cut |= cut;
}

bool hls_mux_push(struct hls_mux *m, const uint8_t *data, size_t len)
{
	size_t n = len / TS_PACKET + TS_SYNC_BATCH + 1;
	struct ts_run run;

	if (fifo_len(&m->pictures) + n > fifo_max(&m->pictures))
		return false;
	ts_sync_push(&m->sync, data, len);
	while (ts_sync_pull(&m->sync, &run)) {
		(void)fifo_push(&m->pictures, run);
		m->packets += run.n;
	}
	return true;
}

bool hls_mux_end(const struct hls_mux *m)
{
	return fifo_len(&m->pictures) == 0 && m->unit_left == 0 &&
	       m->n_out == 0 && !m->begins;
}

uint64_t hls_mux_packets(const struct hls_mux *m)
{
	return m->packets;
}

/* --- clock of the video --- */

static int64_t diff(uint64_t later, uint64_t earlier)
{
	return wrap_diff(later, earlier, PES_TIME_WRAP);
}

static void set_clock(struct hls_mux *m, uint64_t clock)
{
	int64_t step = m->has_clock ? diff(clock, m->clock) : 0;

	/* the clock jumped without a cut */
	if (step < -BACK_MS * HZ_MS || step > HLS_MUX_FAR_MS * HZ_MS)
		m->fresh = true;
	else if (step < 0)
		return;
	m->clock = clock;
	m->has_clock = true;
}

static bool is_good(const struct hls_mux *m, uint64_t pcr)
{
	int64_t lead = m->has_dts ? diff(m->dts, pcr) : 0;

	return lead >= -LEAD_MS * HZ_MS && lead <= LEAD_MAX_MS * HZ_MS;
}

static void look(struct hls_mux *m, const uint8_t *packet)
{
	struct pes_stamps unit;
	uint64_t pcr;

	m->looked = true;
	if (ts_tei(packet))
		return;
	if ((psi_main_pid(m->psi) == TS_PID_NULL ||
	     psi_main_pid(m->psi) == ts_pid(packet)) &&
	    pes_reader_take(&m->reader, packet, &unit) == PES_READ) {
		m->dts = unit.dts;
		m->has_dts = true;
		if (!m->has_pcr || !is_good(m, m->clock))
			set_clock(m, (m->dts + PES_TIME_WRAP -
				      LEAD_MS * HZ_MS) % PES_TIME_WRAP);
	}
	if (ts_pcr(packet, &pcr) && is_good(m, pcr / PCR_PER_TICK)) {
		set_clock(m, pcr / PCR_PER_TICK);
		m->has_pcr = true;
	}
}

/* --- choice of the next audio unit --- */

enum audio_state { IS_NONE, IS_EARLY, IS_DUE, IS_LATE };

/* Judges audio whose times are unrelated to the video: early, if the video may
 * soon jump to these times; late, if the video has left them. */
static enum audio_state judge_far(struct hls_mux *m, int64_t hold_ms)
{
	if (m->fresh)
		return IS_LATE;
	if (!m->holds)
		m->held_at = m->clock;
	m->holds = true;
	return diff(m->clock, m->held_at) > hold_ms * HZ_MS ? IS_LATE
							    : IS_EARLY;
}

static enum audio_state judge(struct hls_mux *m, const struct audio_unit *unit)
{
	const int64_t far = HLS_MUX_FAR_MS * HZ_MS;
	const int64_t near = HLS_MUX_NEAR_MS * HZ_MS;
	bool tail = m->begins && m->cut;
	int64_t ahead, step;

	if (!m->has_clock)
		return IS_EARLY;
	if (!unit->begins)
		return m->sends ? IS_DUE : IS_LATE;
	/* in front of a cut, the audio up to the last DTS of the video is
	 * due */
	ahead = diff(unit->pts, tail && m->has_dts ? m->dts : m->clock);
	if (ahead > far || ahead < -far)
		return judge_far(m, HLS_MUX_HOLD_MS);
	/* the audio has jumped back, and the video will probably follow */
	if (unit->cut && ahead < -near)
		return judge_far(m, HLS_MUX_BACK_MS);
	m->holds = false;
	if (ahead < (m->sends ? -HLS_MUX_LATE_MS * HZ_MS : 0))
		return IS_LATE;
	step = m->has_pts && !unit->cut ? diff(unit->pts, m->pts) : -near;
	if (ahead > (tail ? 0 : HLS_MUX_LEAD_MS * HZ_MS)) {
		/* after a jump of the video: audio that still continues the
		 * times before the jump is late */
		bool is_left = m->fresh && ahead > near && step >= 0 &&
			       step < near;

		return is_left ? IS_LATE : IS_EARLY;
	}
	/* audio of these times was already sent, from another playlist */
	if (m->has_pts && !unit->cut && !m->fresh && step <= 0)
		return IS_LATE;
	return IS_DUE;
}

/* Drops audio units that are late.  Returns the state of the oldest unit that
 * is left; IS_DUE: unit_left is set, so that it is sent. */
static enum audio_state next_audio(struct hls_mux *m)
{
	struct audio_unit unit;
	enum audio_state is;

	while (audio_track_unit(m->audio, &unit)) {
		is = judge(m, &unit);
		if (is == IS_EARLY)
			return IS_EARLY;
		m->sends = is == IS_DUE && mux_pmt_has_audio(&m->pmt);
		if (unit.begins && (m->sends || m->fresh))
			m->pts = unit.pts;
		if (m->sends) {
			m->unit_left = unit.run.n;
			m->has_pts |= unit.begins;
			m->fresh &= !unit.begins;
			return IS_DUE;
		}
		m->cc_seen = ts_cc(unit.run.data +
				   (unit.run.n - 1) * TS_PACKET);
		audio_track_drop(m->audio, unit.run.n);
	}
	return IS_NONE;
}

/* --- output --- */

static uint8_t *put(struct hls_mux *m, const uint8_t *packet)
{
	uint8_t *copy = m->out + m->n_out++ * TS_PACKET;

	memcpy(copy, packet, TS_PACKET);
	return copy;
}

/* Keeps only the PCR of a packet of dropped audio.  Without payload it repeats
 * the counter of the last packet on its PID (ISO/IEC 13818-1, 2.4.3.3). */
static void put_clock(struct hls_mux *m, const uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);
	uint64_t pcr;
	uint8_t *copy;
	size_t used;

	if (!ts_pcr(packet, &pcr))
		return;
	copy = put(m, packet);
	used = 5 + (size_t)copy[4];
	copy[1] &= 0x1f;
	copy[3] = 0x20;
	memset(copy + used, 0xff, TS_PACKET - used);
	copy[4] = TS_PACKET - 5;
	if (pid != m->pmt.pid && pid != m->clock_pid) {
		m->clock_pid = pid;
		m->clock_cc = (ts_cc(packet) - ts_has_payload(packet)) & 0x0f;
	}
	ts_set_cc(copy, pid == m->pmt.pid ? m->cc : m->clock_cc);
}

static void put_picture(struct hls_mux *m)
{
	const uint8_t *packet = fifo_run(&m->pictures).data;
	enum pid_class class = psi_class(m->psi, ts_pid(packet));
	const struct psi_program *program = NULL;
	bool changed = false;

	if (class == PID_PSI && !ts_tei(packet)) {
		changed = psi_feed(m->psi, packet);
		program = psi_main_program(m->psi);
	}
	if (program != NULL && program->pmt.data != NULL &&
	    ts_pid(packet) == program->pmt_pid) {
		if (changed || ts_pusi(packet))
			m->n_out += mux_pmt_put(&m->pmt, m->psi, program,
						audio_track_format(m->audio),
						m->out + m->n_out * TS_PACKET);
	} else if (class == PID_AUDIO && mux_pmt_has_audio(&m->pmt)) {
		put_clock(m, packet);
	} else {
		(void)put(m, packet);
	}
	fifo_drop(&m->pictures, 1);
	m->looked = false;
}

/* Writes the next packet of audio or video to out.  False: no packet can be
 * sent now. */
static bool fill_one(struct hls_mux *m, bool patient)
{
	const uint8_t *picture;
	enum audio_state is;

	if (m->unit_left > 0) {
		uint8_t *copy = put(m, audio_track_first(m->audio));

		m->cc = (uint8_t)(m->cc + ts_cc(copy) - m->cc_seen) & 0x0f;
		m->cc_seen = ts_cc(copy);
		ts_set_cc(copy, m->cc);
		ts_set_pid(copy, m->pmt.pid);
		audio_track_drop(m->audio, 1);
		m->unit_left--;
		return true;
	}
	picture = fifo_len(&m->pictures) > 0 ? fifo_run(&m->pictures).data
					     : NULL;
	if (!m->begins && !m->looked && picture != NULL)
		look(m, picture);
	is = next_audio(m);
	if (is == IS_DUE)
		return true;
	if (m->begins || picture == NULL)
		return false;
	/* While the format of the audio is unknown, only tables of the video
	 * pass, until its PAT is known. */
	if (is != IS_NONE || audio_track_is_full(m->audio))
		m->missing = false;
	else if (audio_track_format(m->audio) != NULL)
		m->missing = m->has_clock;
	else
		m->missing = psi_class(m->psi, ts_pid(picture)) != PID_PSI ||
			     psi_has_pat(m->psi);
	if (m->missing && patient)
		return false;
	put_picture(m);
	return true;
}

void hls_mux_turn(struct hls_mux *m, bool patient)
{
	for (;;) {
		bool more = true;

		while (more && m->n_out < OUT)
			more = fill_one(m, patient);
		if (m->n_out > 0 &&
		    !m->cfg.push(m->out, m->n_out * TS_PACKET, m->cfg.arg))
			return;
		m->n_out = 0;
		if (more)
			continue;
		if (!m->begins)
			return;
		m->cfg.begin(m->cut, m->cfg.arg);
		if (m->cut) {
			psi_reset(m->psi);
			m->fresh = true;
			m->has_clock = m->has_dts = m->has_pcr = false;
			m->reader.n = 0;
		}
		m->begins = m->cut = false;
	}
}

bool hls_mux_misses_audio(const struct hls_mux *m)
{
	return m->missing;
}

void hls_mux_every_second(struct hls_mux *m)
{
	fifo_trim(&m->pictures);
	audio_track_every_second(m->audio);
}
