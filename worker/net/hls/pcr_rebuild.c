/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/pcr_rebuild.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/pes_head.h"
#include "worker/ts/psi.h"

#include <stdlib.h>
#include <string.h>

enum {
	HZ_MS = 90,        /* ticks of time stamps in a millisecond */
};

struct pcr_rebuild {
	struct psi *psi;
	enum pcr_rebuild_state state;
	/* PID whose decoding times are read: the first one with video, or if
	 * there is none, with audio; TS_PID_NULL: none yet */
	uint16_t pid;
	bool pictures;     /* pid has video */
	uint64_t dts;      /* the last DTS of pid, 90 kHz */
	int64_t lead;      /* dts minus the last PCR, 90 kHz; 0: unknown */
	uint64_t dts_before; /* value of dts at the end of the last segment */
	int64_t lead_before; /* value of lead at the end of the last segment */

	/* --- in this segment --- */
	bool has_dts;
	int64_t span;      /* advance of the DTS, 90 kHz */
	size_t n_pcrs;     /* number of PCRs */
	uint16_t pcr_pid;
	uint64_t pcr;      /* the last PCR, 27 MHz */
	int64_t pcr_span;  /* advance of the PCRs, 27 MHz */
	bool bad;          /* a PCR went back or jumped */

	uint8_t cc[TS_PIDS]; /* last counter of each PID, as received */
	/* ahead reads the packets of pcr_rebuild_feed(), sent those of
	 * pcr_rebuild_write() */
	struct pes_reader ahead, sent;
};

struct pcr_rebuild *pcr_rebuild_new(void)
{
	struct pcr_rebuild *m = xcalloc(1, sizeof *m);

	m->psi = psi_new();
	m->pid = TS_PID_NULL;
	return m;
}

void pcr_rebuild_free(struct pcr_rebuild **pcr_rebuild)
{
	struct pcr_rebuild *m = *pcr_rebuild;

	*pcr_rebuild = NULL;
	if (m == NULL)
		return;
	psi_free(&m->psi);
	free(m);
}

/* --- analysis --- */

static void look_at_pcr(struct pcr_rebuild *m, const uint8_t *packet)
{
	const int64_t gap = PCR_REBUILD_GAP_MS * HZ_MS * PCR_PER_TICK;
	uint64_t pcr;
	int64_t step;

	if (!ts_pcr(packet, &pcr) ||
	    (m->n_pcrs > 0 && ts_pid(packet) != m->pcr_pid))
		return;
	step = m->n_pcrs > 0 ? wrap_diff(pcr % PCR_WRAP, m->pcr % PCR_WRAP,
					 PCR_WRAP)
			     : 0;
	m->bad |= step < 0 || step > gap;
	m->pcr_span += step;
	m->pcr = pcr;
	m->pcr_pid = ts_pid(packet);
	m->n_pcrs++;
}

static void look_at_dts(struct pcr_rebuild *m, const uint8_t *packet)
{
	struct pes_stamps unit;
	uint64_t dts;

	if (pes_reader_take(&m->ahead, packet, &unit) != PES_READ)
		return;
	if (m->pid != ts_pid(packet)) {
		bool pictures = unit.stream_id >= 0xe0 &&
				unit.stream_id <= 0xef;

		/* audio counts only until the first PES of video */
		if (m->pid != TS_PID_NULL && (m->pictures || !pictures))
			return;
		m->pid = ts_pid(packet);
		m->pictures = pictures;
		m->has_dts = false;
		m->span = 0;
	}
	dts = unit.dts;
	if (m->has_dts)
		m->span += wrap_diff(dts, m->dts, PES_TIME_WRAP);
	m->has_dts = true;
	m->dts = dts;
	if (m->n_pcrs > 0 && m->state != PCR_REBUILT)
		m->lead = wrap_diff(dts, m->pcr / PCR_PER_TICK,
				    PES_TIME_WRAP);
}

static bool is_broken(const struct pcr_rebuild *m)
{
	int64_t off = m->pcr_span / PCR_PER_TICK - m->span;
	int64_t loose = m->span / 4 + PCR_REBUILD_LOOSE_MS * HZ_MS;

	if (!m->has_dts || m->span < PCR_REBUILD_LOOSE_MS * HZ_MS)
		return false;
	return m->n_pcrs < 2 || m->bad || off > loose || off < -loose ||
	       m->lead < -PCR_REBUILD_LOOSE_MS * HZ_MS ||
	       m->lead > PCR_REBUILD_LEAD_MAX_MS * HZ_MS;
}

void pcr_rebuild_feed(struct pcr_rebuild *m, const uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);

	if (ts_tei(packet))
		return;
	m->cc[pid] = ts_cc(packet);
	if (psi_class(m->psi, pid) == PID_PSI)
		(void)psi_feed(m->psi, packet);
	if (ts_has_adaptation(packet))
		look_at_pcr(m, packet);
	if (ts_pusi(packet) || m->ahead.n > 0)
		look_at_dts(m, packet);
	if (m->state == PCR_UNDECIDED &&
	    m->span >= PCR_REBUILD_JUDGE_MS * HZ_MS)
		pcr_rebuild_decide(m);
}

void pcr_rebuild_decide(struct pcr_rebuild *m)
{
	if (m->state != PCR_UNDECIDED)
		return;
	m->state = is_broken(m) ? PCR_REBUILT : PCR_KEPT;
	/* the lead was measured with wrong PCRs */
	if (m->state == PCR_REBUILT)
		m->lead = 0;
}

enum pcr_rebuild_state pcr_rebuild_state(const struct pcr_rebuild *m)
{
	return m->state;
}

void pcr_rebuild_segment(struct pcr_rebuild *m, bool cut)
{
	if (m->state == PCR_KEPT && is_broken(m)) {
		m->state = PCR_REBUILT;
		m->lead = m->lead_before;
	}
	m->dts_before = m->dts;
	m->lead_before = m->lead;
	if (cut || !m->has_dts)
		m->pid = TS_PID_NULL;
	if (cut) {
		m->state = PCR_UNDECIDED;
		m->lead = 0;
	}
	m->has_dts = m->bad = false;
	m->span = m->pcr_span = 0;
	m->n_pcrs = 0;
}

bool pcr_rebuild_takes_over(struct pcr_rebuild *m, int64_t step,
			    const struct ts_run *head)
{
	const int64_t loose = PCR_REBUILD_LOOSE_MS * HZ_MS;
	struct pes_reader reader = { 0 };
	struct pes_stamps unit;

	for (size_t i = 0; i < head->n && m->pid != TS_PID_NULL; i++) {
		const uint8_t *p = head->data + i * TS_PACKET;
		int64_t on, off;

		if (ts_pid(p) != m->pid ||
		    pes_reader_take(&reader, p, &unit) != PES_READ)
			continue;
		on = wrap_diff(unit.dts, m->dts_before, PES_TIME_WRAP);
		off = on - step / PCR_PER_TICK;
		if (on <= -loose || on >= 3 * loose ||
		    (off <= loose && off >= -loose))
			return false;
		m->state = PCR_REBUILT;
		m->lead = m->lead_before;
		return true;
	}
	return false;
}

/* --- output --- */

/* The PID for the PCRs: PCR_PID of the PMT; without a PMT, the PID whose
 * decoding times are read. */
static uint16_t pcr_pid(const struct pcr_rebuild *m)
{
	const struct psi_program *program = psi_main_program(m->psi);

	return program != NULL && program->pcr_pid != TS_PID_NULL
		? program->pcr_pid : m->pid;
}

static void put_pcr(struct pcr_rebuild *m, uint64_t dts, const uint8_t *packet,
		    uint8_t *ret)
{
	const int64_t most = PCR_REBUILD_LEAD_MAX_MS * HZ_MS;
	int64_t lead = m->lead > 0 && m->lead < most
		? m->lead : PCR_REBUILD_LEAD_MS * HZ_MS;
	uint16_t pid = pcr_pid(m);
	/* without payload, the counter is that of the packet before on the
	 * PID */
	unsigned cc = pid == ts_pid(packet) ? ts_cc(packet) - 1U : m->cc[pid];

	m->lead = lead;
	memset(ret, 0xff, TS_PACKET);
	ret[0] = TS_SYNC_BYTE;
	ret[1] = (uint8_t)(pid >> 8);
	ret[2] = (uint8_t)pid;
	ret[3] = 0x20;
	ts_set_cc(ret, cc);
	ret[4] = TS_PACKET - 5;
	ret[5] = 0x10;
	ts_set_pcr(ret, (dts + PES_TIME_WRAP - (uint64_t)lead) %
				PES_TIME_WRAP * PCR_PER_TICK);
}

size_t pcr_rebuild_write(struct pcr_rebuild *m, const uint8_t *packet,
			 uint8_t *ret)
{
	struct pes_stamps unit;
	size_t n = 0;

	if (ts_pid(packet) == m->pid && (ts_pusi(packet) || m->sent.n > 0) &&
	    pes_reader_take(&m->sent, packet, &unit) == PES_READ) {
		put_pcr(m, unit.dts, packet, ret);
		n++;
	}
	memcpy(ret + n * TS_PACKET, packet, TS_PACKET);
	if (pcr_strip(ret + n * TS_PACKET))
		n++;
	return n;
}
