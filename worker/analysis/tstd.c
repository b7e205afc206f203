/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/analysis/tstd.h"

#include "common/base/alloc.h"
#include "worker/analysis/monitor_state.h"
#include "worker/analysis/unit_buffer.h"
#include "worker/ts/audio.h"
#include "worker/ts/pes.h"
#include "worker/ts/t_std.h"

#include <stdlib.h>

static unsigned leak_of(const struct monitor *m, const struct pid_stats *s)
{
	if (s->class == PID_PSI || s->pid < SI_PIDS_END)
		return T_STD_TABLES_BPS;
	if (s->unit_bps > 0)
		return s->unit_bps;
	return s->class == PID_AUDIO
		       ? t_std_audio_bps(psi_stream_type(m->psi, s->pid))
		       : 0;
}

static void free_units(struct pid_stats *s)
{
	free(s->units);
	s->units = NULL;
}

void tstd_free(struct monitor *m)
{
	for (size_t i = 0; i < m->pids.n; i++)
		free_units(&m->pids.list[i]);
}

void tstd_set_clock(struct monitor *m, uint16_t pid, uint16_t pcr_pid)
{
	struct pid_stats *s = pid_table_find(&m->pids, pid);
	size_t i = 0;

	while (i < m->n_pcrs && m->pcrs[i].pid != pcr_pid)
		i++;
	if (s != NULL)
		s->clock = i < m->n_pcrs ? (uint8_t)(i + 1) : 0;
}

/* Sets the constant rate in bit/s; 0: the rate is not constant, or unknown. */
static void set_rate(struct monitor *m, uint64_t rate)
{
	for (size_t i = 0; i < m->pids.n; i++) {
		struct pid_stats *s = &m->pids.list[i];
		unsigned leak = leak_of(m, s);
		bool judged = leak > 0 && leak < rate;

		if (judged && !(s->leak > 0)) {
			s->level = 0;
			s->level_at = m->packets;
		}
		s->leak = judged ? TS_PACKET * (float)leak / (float)rate : 0;
	}
	m->rate = rate;
	m->system_leak = rate == 0 ? 0 : TS_PACKET *
			 (float)t_std_system_bps(rate) / (float)rate;
	for (size_t i = 0; i < m->pids.n; i++) {
		struct pid_stats *s = &m->pids.list[i];
		bool judged;

		/* the check of the units needs a constant rate, a clock and
		 * known buffers */
		if (rate == 0 || s->unit_bytes == 0 || s->clock == 0) {
			free_units(s);
		} else {
			if (s->units == NULL)
				s->units = xcalloc(1, sizeof *s->units);
			s->units->size = s->unit_bytes;
			s->units->frame =
				(uint32_t)(rate * s->frame_ticks /
					   (TS_PACKET * 8 * (uint64_t)PCR_HZ));
		}
		judged = s->leak > 0 || s->units != NULL ||
			 (rate > 0 && (s->class == PID_PSI ||
				       s->pid == SI_PID_CAT));
		s->follows = (uint8_t)((s->follows & PID_HEADER) |
				       (judged ? PID_BUFFER : 0));
	}
	si_watch_set_rate(&m->si, rate);
}

void tstd_second(struct monitor *m)
{
	uint64_t rate = 0;

	for (size_t i = 0; i < m->n_pcrs && rate == 0; i++)
		if (m->pcrs[i].report.constant)
			rate = pcr_check_bps(&m->pcrs[i].check);
	set_rate(m, rate);
}

void tstd_rest(struct monitor *m)
{
	set_rate(m, 0);
}

/* The offset of the data of the PES that begins in the packet; TS_PACKET: none
 * begins. */
static size_t find_data(const uint8_t *packet)
{
	size_t len;
	const uint8_t *pes = pes_find(packet, &len);

	return pes == NULL ? TS_PACKET : TS_PACKET - len + PES_HEADER +
						 pes[PES_HEADER - 1];
}

/* Learns rate and buffers from a packet that begins a unit: from the level in a
 * parameter set of video, or from the head of the first frame of audio.  data:
 * the offset of the unit's data. */
static void learn(struct monitor *m, struct pid_stats *s,
		  const uint8_t *packet, size_t data)
{
	size_t at = ts_payload_offset(packet);
	struct t_std_audio audio;
	struct t_std_video video;

	if (s->class != PID_VIDEO) {
		if (data + AUDIO_HEAD > TS_PACKET ||
		    !t_std_audio_find(packet + data, &audio))
			return;
		s->unit_bps = audio.bps;
		s->unit_bytes = audio.bytes;
		s->frame_ticks = audio.frame_ticks;
		return;
	}
	if (!t_std_video_find(psi_coding(m->psi, s->pid), packet + at,
			      TS_PACKET - at, &video))
		return;
	s->unit_bps = video.bps;
	s->unit_bytes = video.bytes;
	s->frame_ticks = 0;
}

/* Begins a unit; true: it arrives after its DTS. */
static bool begin_unit(struct monitor *m, struct pid_stats *s, uint64_t dts)
{
	const struct pcr_check *clock = &m->pcrs[s->clock - 1].check;
	int64_t lead = wrap_diff(dts * PCR_PER_TICK, clock->last, PCR_WRAP);
	int64_t end;

	/* it is not known when the unit leaves the buffer */
	if (!clock->started || lead > UNIT_BUFFER_LEAD_S * (int64_t)PCR_HZ ||
	    lead < -UNIT_BUFFER_LATE_S * (int64_t)PCR_HZ) {
		unit_buffer_reset(s->units);
		return false;
	}
	/* the position of the packet at which it does */
	end = (int64_t)clock->last_packet +
	      lead / 27 * (int64_t)(m->rate / 1000) /
		      (TS_PACKET * 8 * INT64_C(1000));
	return unit_buffer_begin(s->units, (uint64_t)MAX(INT64_C(0), end),
				 m->packets);
}

bool tstd_take_media(struct monitor *m, struct pid_stats *s,
		     const uint8_t *packet, enum pes_sign sign,
		     const struct pes_stamps *times)
{
	size_t at = ts_payload_offset(packet), bytes = TS_PACKET - at;
	bool wrong = false;

	/* the bytes of an incomplete header are added by the packet that ends
	 * the header */
	if (at >= TS_PACKET || sign == PES_WAITS)
		return false;
	if (ts_pusi(packet) || sign == PES_READ)
		learn(m, s, packet, sign == PES_READ ? times->data
						     : find_data(packet));
	if (s->units == NULL)
		return false;
	/* a unit without time stamps counts as a part of the last unit */
	if (sign == PES_READ) {
		wrong = begin_unit(m, s, times->dts);
		bytes += times->before;
	}
	wrong |= unit_buffer_add(s->units, (uint32_t)bytes, m->packets);
	s->unit_errors += wrong;
	return wrong;
}

/* Counts the bytes of sections in a packet, without pointer_field and
 * stuffing. */
static uint32_t section_bytes(struct pid_stats *s, const uint8_t *packet)
{
	size_t at = ts_payload_offset(packet), end;
	uint32_t bytes = 0;

	if (at >= TS_PACKET)
		return 0;
	/* the rest of the last section */
	end = ts_pusi(packet) ? at + 1 + packet[at] : TS_PACKET;
	at += ts_pusi(packet);
	if (end > TS_PACKET)
		return 0;
	bytes = (uint32_t)MIN((size_t)s->section_left, end - at);
	s->section_left = (uint16_t)(s->section_left - bytes);
	if (!ts_pusi(packet))
		return bytes;
	for (at = end, s->section_left = 0;
	     at + 3 <= TS_PACKET && packet[at] != 0xff;) {
		size_t len = section_length(packet + at);
		size_t here = MIN(len, TS_PACKET - at);

		bytes += (uint32_t)here;
		s->section_left = (uint16_t)(len - here);
		at += here;
	}
	return bytes;
}

/* Adds bytes to the system buffer of the programs with this PMT PID; true: they
 * overflow it. */
static bool fill_system(struct monitor *m, struct pid_stats *pmt,
			uint32_t bytes)
{
	float drained = m->system_leak * (float)(m->packets - pmt->system_at);

	pmt->system_at = m->packets;
	pmt->system = pmt->system > drained ? pmt->system - drained : 0;
	pmt->system += (float)bytes;
	if (pmt->system <= T_STD_SYSTEM)
		return false;
	pmt->system = T_STD_SYSTEM;
	pmt->unit_errors++;
	return true;
}

uint32_t tstd_take_table(struct monitor *m, struct pid_stats *s,
			 const uint8_t *packet)
{
	uint32_t errors = tstd_take(s, m->packets), bytes;

	if (s->class != PID_PSI && s->pid != SI_PID_CAT)
		return errors;
	bytes = section_bytes(s, packet);
	if (bytes == 0)
		return errors;
	if (s->pid >= SI_PIDS_END)
		return errors + fill_system(m, s, bytes);
	for (size_t i = 0; i < m->pids.n; i++) {
		struct pid_stats *pmt = &m->pids.list[i];

		if (pmt->class == PID_PSI && pmt->pid >= SI_PIDS_END)
			errors += fill_system(m, pmt, bytes);
	}
	return errors;
}
