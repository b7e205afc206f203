/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/analyze.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "worker/ts/cc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Bits of the packet header, read as one 32-bit number. */
enum {
	HEADER_TEI = 0x800000,
	HEADER_PUSI = 0x400000,
	HEADER_SCRAMBLING = 0xc0,
};

struct analyze {
	struct analyze_config config;
	struct psi *psi;
	const uint8_t *classes; /* borrowed from psi */
	uint32_t psi_errors;    /* errors that psi counted before this second */
	struct analyze_counts now; /* counters of the current second */
	/* packets of the current second that are neither null nor damaged
	 * packets, nor video or audio (clear or scrambled) */
	uint32_t other;

	struct cc cc;
	uint8_t pes_errors_of[TS_PIDS]; /* PES errors of each PID */
};

struct analyze *analyze_new(const struct analyze_config *config)
{
	struct analyze *a = xcalloc(1, sizeof *a);

	a->config = *config;
	a->psi = psi_new();
	a->classes = psi_classes(a->psi);
	return a;
}

void analyze_free(struct analyze **a)
{
	if (!*a)
		return;
	psi_free(&(*a)->psi);
	free(*a);
	*a = NULL;
}

static void begin_second(struct analyze *a)
{
	if (a->now.pes_errors > 0)
		memset(a->pes_errors_of, 0, sizeof a->pes_errors_of);
	a->now = (struct analyze_counts){ 0 };
	a->other = 0;
	cc_every_second(&a->cc);
	a->psi_errors = psi_crc_errors(a->psi) + psi_broken(a->psi);
}

void analyze_reset(struct analyze *a)
{
	psi_reset(a->psi);
	memset(&a->cc, 0, sizeof a->cc);
	begin_second(a);
}

/* Counts a PES error if the packet, which begins a unit, has no PES start
 * code. */
static void check_start(struct analyze *a, const uint8_t *p)
{
	uint8_t *errors = &a->pes_errors_of[ts_pid(p)];
	size_t at = ts_payload_offset(p);

	if (at + 3 > TS_PACKET ||
	    (p[at] == 0 && p[at + 1] == 0 && p[at + 2] == 1))
		return;
	a->now.pes_errors++;
	*errors = (uint8_t)MIN(*errors + 1, UINT8_MAX);
	a->now.pes_bad |= *errors > ANALYZE_PES_ERRORS;
}

static void feed_packet(struct analyze *a, const uint8_t *p)
{
	uint32_t header = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
			  (uint32_t)p[2] << 8 | p[3];
	uint16_t pid = (header >> 8) & 0x1fff, before;

	if (!ts_sync_ok(p)) {
		a->other++;
		return;
	}
	if (header & HEADER_TEI) {
		a->now.tei++;
		cc_damaged(&a->cc, &a->cc.pid[pid], p);
		a->now.null_packets += pid == TS_PID_NULL;
		a->now.damaged += pid != TS_PID_NULL;
		return;
	}
	if (pid == TS_PID_NULL) {
		a->now.null_packets++;
		return;
	}
	before = a->cc.pid[pid];
	if (cc_step(&a->cc.pid[pid], p) == CC_ERROR &&
	    !cc_is_excused(&a->cc, before, p))
		a->now.cc_errors++;

	uint8_t class = a->classes[pid];
	bool av = class == PID_VIDEO || class == PID_AUDIO;

	/* Packets that are not video or audio are counted instead of those that
	 * are, because they are fewer. */
	if (header & HEADER_SCRAMBLING) {
		a->now.scrambled_packets++;
		a->now.av_scrambled |= av;
		a->other += !av;
	} else if (av) {
		if (header & HEADER_PUSI)
			check_start(a, p);
	} else {
		a->other++;
		if (class == PID_PSI)
			(void)psi_feed(a->psi, p);
	}
}

void analyze_feed(struct analyze *a, struct ts_run run)
{
	const uint8_t *p = run.data;
	const uint8_t *end = p + run.n * TS_PACKET;

	a->now.packets += (uint32_t)run.n;
	if (!a->config.no_analyze) {
		for (; p < end; p += TS_PACKET)
			feed_packet(a, p);
		return;
	}
	for (; p < end; p += TS_PACKET) {
		uint16_t pid = ts_pid(p);

		if (ts_sync_ok(p) && pid == TS_PID_NULL)
			a->now.null_packets++;
		else if (ts_sync_ok(p) && a->classes[pid] == PID_PSI)
			(void)psi_feed(a->psi, p);
	}
}

uint32_t analyze_kbps(uint32_t packets, unsigned elapsed_ms)
{
	return (uint32_t)((uint64_t)packets * TS_PACKET * 8 / elapsed_ms);
}

static enum analyze_fault find_fault(const struct analyze_config *c,
				     const struct analyze_counts *counts,
				     const struct analyze_report *r)
{
	bool is_low = r->payload_kbps < r->limit_kbps;

	if (r->packets == 0)
		return ANALYZE_SILENT;
	if (c->no_analyze)
		return is_low ? ANALYZE_BITRATE : ANALYZE_FINE;
	if (!r->has_pmt)
		return ANALYZE_NO_PMT;
	if (is_low)
		return ANALYZE_BITRATE;
	if (r->scrambled)
		return ANALYZE_SCRAMBLED;
	if (counts->pes_bad)
		return ANALYZE_PES;
	if (c->cc_limit > 0 && r->cc_error >= c->cc_limit)
		return ANALYZE_CC;
	if (c->cc_limit > 0 && r->cc_error + r->damaged >= c->cc_limit)
		return ANALYZE_DAMAGED;
	return ANALYZE_FINE;
}

void analyze_judge(const struct analyze_config *config,
		   const struct analyze_counts *c, const struct psi *psi,
		   unsigned elapsed_ms, struct analyze_report *ret)
{
	assert(elapsed_ms > 0);
	*ret = (struct analyze_report){
		.scrambled = c->av_scrambled,
		.has_pat = psi_has_pat(psi),
		.has_pmt = psi_has_pmt(psi),
		.bitrate_kbps = analyze_kbps(c->packets, elapsed_ms),
		.payload_kbps = analyze_kbps(c->packets - c->null_packets,
					     elapsed_ms),
		.packets = c->packets,
		.cc_error = c->cc_errors,
		.pes_error = c->pes_errors,
		.sc_error = c->scrambled_packets,
		.tei = c->tei,
		.damaged = c->damaged,
		.psi_error = c->psi_errors,
		.video_count = psi_video_count(psi),
		.audio_count = psi_audio_count(psi),
	};
	ret->limit_kbps = ANALYZE_LIMIT_KBPS;
	if (config->bitrate_limit_kbps > 0)
		ret->limit_kbps = config->bitrate_limit_kbps;
	else if (ret->video_count > 0 && !config->no_analyze)
		ret->limit_kbps = ANALYZE_LIMIT_VIDEO_KBPS;
	ret->no_av = !config->no_analyze && !c->av &&
		     ret->video_count + ret->audio_count > 0;
	ret->fault = find_fault(config, c, ret);
	ret->onair = ret->fault == ANALYZE_FINE;
}

void analyze_judge_av(struct analyze_report *r, unsigned elapsed_ms,
		      unsigned *missing_ms)
{
	unsigned ms = MIN(elapsed_ms, ANALYZE_NO_AV_MS);

	if (!r->no_av) {
		*missing_ms = 0;
		return;
	}
	*missing_ms = MIN(*missing_ms + ms, ANALYZE_NO_AV_MS);
	if (r->fault != ANALYZE_BITRATE &&
	    (r->fault != ANALYZE_FINE || *missing_ms < ANALYZE_NO_AV_MS))
		return;
	r->fault = ANALYZE_NO_AV;
	r->onair = false;
}

void analyze_every_second(struct analyze *a, unsigned elapsed_ms,
		    struct analyze_report *ret)
{
	a->now.psi_errors = psi_crc_errors(a->psi) + psi_broken(a->psi) -
			    a->psi_errors;
	a->now.av = a->now.packets > a->now.null_packets + a->now.damaged +
					     a->other;
	analyze_judge(&a->config, &a->now, a->psi, elapsed_ms, ret);
	begin_second(a);
}

const char *analyze_fault_name(enum analyze_fault fault)
{
	static const char *const names[] = {
		[ANALYZE_FINE] = NULL,
		[ANALYZE_SILENT] = "no packets",
		[ANALYZE_NO_PMT] = "no PMT",
		[ANALYZE_NO_AV] = "no video or audio",
		[ANALYZE_BITRATE] = "low bitrate",
		[ANALYZE_SCRAMBLED] = "scrambled",
		[ANALYZE_PES] = "PES errors",
		[ANALYZE_CC] = "CC errors",
		[ANALYZE_DAMAGED] = "damaged packets",
	};

	return names[fault];
}

const struct psi *analyze_psi(const struct analyze *a)
{
	return a->psi;
}
