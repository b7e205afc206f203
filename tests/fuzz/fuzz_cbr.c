/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any input of cbr: a byte for the rate, then steps of four bytes with packets
 * and time.  The rate is exact to the packet, packets leave unchanged and in
 * order or are counted, and PCRs match their positions.
 */
#include "common/base/alloc.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "tests/fuzz/fuzz.h"
#include "worker/output/cbr.h"
#include "worker/output/pacer.h"
#include "worker/ts/pcr.h"

#include <stdlib.h>
#include <string.h>

enum {
	PIDS = 4,
	HEAD = 12, /* of a packet: all that may change */
	FED_MAX = 1 << 12,
	NUMBER_AT = TS_PACKET - 8,
	MARK = 0x5a17c0de, /* nothing that is made has it */
	CLOSE_TICKS = 15,  /* 500 ns, and rounding */
};

#define BITS (UINT64_C(8) * TS_PACKET)

/* The last PCRs of a PID: position and value. */
struct track {
	unsigned n;
	uint64_t place[3];
	uint64_t pcr[3];
};

struct model {
	struct cbr *cbr;
	uint64_t bps;
	uint64_t now_ns;
	uint64_t began_ns;  /* start of the continuous part */
	uint64_t places;    /* packets sent since began_ns */
	uint64_t skipped;   /* packets sent before began_ns */
	uint32_t fed;       /* packets given to the cbr output */
	uint32_t left;      /* fed packets that the output sent */
	uint32_t next;      /* the smallest number that may still leave */
	uint8_t (*heads)[HEAD];
	struct track tracks[PIDS];
};

static void expect(bool good)
{
	if (!good)
		abort();
}

static uint64_t skipped(const struct model *m)
{
	struct cbr_counters c;

	cbr_counters(m->cbr, &c);
	return c.skipped - m->skipped;
}

/* Ticks from one position to another. */
static uint64_t ticks(const struct model *m, uint64_t places)
{
	return places * BITS * PCR_HZ / m->bps;
}

/* The second of three PCRs within a second is on the line of the others, and
 * the line matches the positions, except for the allowed drift. */
static void judge_line(const struct model *m, const struct track *t)
{
	int64_t a = (int64_t)ticks(m, t->place[1] - t->place[0]);
	int64_t all = (int64_t)ticks(m, t->place[2] - t->place[0]);
	int64_t to_1 = wrap_diff(t->pcr[1], t->pcr[0], PCR_WRAP) - a;
	int64_t to_2 = wrap_diff(t->pcr[2], t->pcr[0], PCR_WRAP) - all;

	if (all <= 0 || all > (int64_t)PCR_HZ)
		return;
	expect(llabs(to_2) <= 3 + all / 33000);
	expect(llabs(to_1 - to_2 * a / all) <= CLOSE_TICKS);
}

static void judge_pcr(struct model *m, const uint8_t *p, uint64_t place)
{
	struct track *t = &m->tracks[ts_pid(p) % PIDS];
	uint64_t pcr;

	if (!ts_pcr(p, &pcr) || ts_tei(p))
		return;
	if (ts_discontinuity(p))
		t->n = 0;
	if (t->n == 3) {
		memmove(t->place, t->place + 1, 2 * sizeof t->place[0]);
		memmove(t->pcr, t->pcr + 1, 2 * sizeof t->pcr[0]);
		t->n = 2;
	}
	t->place[t->n] = place;
	t->pcr[t->n++] = pcr;
	if (t->n == 3)
		judge_line(m, t);
}

/* Packets leave in order, and only their PCR changes. */
static void judge_content(struct model *m, const uint8_t *p)
{
	const uint8_t *was;
	uint32_t number;
	uint64_t pcr;

	memcpy(&number, p + NUMBER_AT, sizeof number);
	expect(number >= m->next && number < m->fed);
	m->next = number + 1;
	m->left++;
	was = m->heads[number];
	expect(memcmp(p, was, 5) == 0);
	if (!ts_pcr(p, &pcr) || ts_tei(p))
		expect(memcmp(p, was, HEAD) == 0);
	else
		expect((p[5] & 0x7f) == (was[5] & 0x7f));
}

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct model *m = arg;

	for (size_t i = 0; i < n_runs; i++) {
		expect(runs[i].n % DATAGRAM_PACKETS == 0);
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;
			uint32_t mark;

			expect(ts_sync_ok(p));
			judge_pcr(m, p, m->places++ + skipped(m));
			memcpy(&mark, p + NUMBER_AT + 4, sizeof mark);
			if (mark == MARK)
				judge_content(m, p);
			else
				expect(ts_pid(p) == TS_PID_NULL ||
				       !ts_has_payload(p));
		}
	}
}

static bool is_running(const struct model *m)
{
	return cbr_next_ns(m->cbr) != UINT64_MAX;
}

/* The output has as many positions as time passed, in whole datagrams. */
static void run(struct model *m)
{
	uint64_t due, gone;

	do
		cbr_run(m->cbr, m->now_ns, on_packets, m);
	while (cbr_is_behind(m->cbr));
	if (!is_running(m))
		return;
	due = (m->now_ns - m->began_ns) / 1000 * (m->bps / 1000) / 1000 /
		BITS + 1;
	gone = m->places + skipped(m);
	expect(gone <= due + 1 && gone + DATAGRAM_PACKETS + 1 >= due);
}

static void make(struct model *m, const uint8_t step[4], unsigned i,
		 uint8_t *p)
{
	uint32_t mark = MARK;
	bool pcr = step[1] & 1 && i == 0;

	memset(p, 0, TS_PACKET);
	p[0] = TS_SYNC_BYTE;
	p[1] = step[1] & 0x80;                   /* error indicator */
	p[2] = (uint8_t)(0x40 + (step[1] >> 1) % PIDS);
	p[3] = (uint8_t)(0x10 | (m->fed & 15));
	if (pcr || step[1] & 0x10) {
		p[3] |= step[1] & 0x20 ? 0x30 : 0x20;
		p[4] = step[1] & 0x20 ? 7 : 183;
		p[5] = (uint8_t)((pcr ? 0x10 : 0) | (step[1] & 0x40 << 1));
	}
	if (step[1] & 0x10 && step[1] & 0x08)
		p[4] = step[3];                  /* of any length */
	if (pcr)
		/* the clock of the source: right, early, late, or random */
		ts_set_pcr(p, (m->now_ns / 1000 * 27 +
			       (uint64_t)step[3] * step[3] * step[3]) %
				      PCR_WRAP);
	memcpy(p + NUMBER_AT, &m->fed, sizeof m->fed);
	memcpy(p + NUMBER_AT + 4, &mark, sizeof mark);
	memcpy(m->heads[m->fed++], p, HEAD);
}

static void feed(struct model *m, const uint8_t step[4])
{
	uint8_t packets[64 * TS_PACKET];
	size_t n = MIN((size_t)step[0] % 64, (size_t)(FED_MAX - m->fed));
	struct ts_run runs[2];

	if (n > 0 && !is_running(m)) {
		struct cbr_counters c;

		cbr_counters(m->cbr, &c);
		m->skipped = c.skipped;
		m->began_ns = m->now_ns;
		m->places = 0;
		memset(m->tracks, 0, sizeof m->tracks);
	}
	for (size_t i = 0; i < n; i++)
		make(m, step, (unsigned)i, packets + i * TS_PACKET);
	if (step[0] & 0x40 && n < 64) {
		/* a null packet of the source, which is dropped */
		memset(packets + n * TS_PACKET, 0xff, TS_PACKET);
		packets[n * TS_PACKET] = TS_SYNC_BYTE;
		packets[n * TS_PACKET + 1] = 0x1f;
		n++;
	}
	runs[0] = (struct ts_run){ packets, n / 2 };
	runs[1] = (struct ts_run){ packets + n / 2 * TS_PACKET, n - n / 2 };
	cbr_feed(m->cbr, runs, 2, m->now_ns);
}

static uint64_t dropped(const struct model *m)
{
	struct cbr_counters c;

	cbr_counters(m->cbr, &c);
	return c.overflow + c.late + c.duplicates;
}

/* After the last packet the queue becomes empty, and the counters have each
 * packet that did not leave. */
static void drain(struct model *m)
{
	for (unsigned i = 0; i < 400 && m->left + dropped(m) < m->fed; i++) {
		m->now_ns += 20 * MS;
		run(m);
	}
	expect(m->left + dropped(m) == m->fed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model m = { .now_ns = 1000000 * MS };
	unsigned kbps = size > 0 ? 100 + 8u * data[0] : 100;

	m.bps = 1000 * kbps;
	m.cbr = cbr_new(kbps, PACER_BURST_MS);
	m.heads = xcalloc(FED_MAX, sizeof *m.heads);
	for (size_t at = 1; at + 4 <= size; at += 4) {
		const uint8_t *step = data + at;

		feed(&m, step);
		m.now_ns += (uint64_t)step[2] * step[2] *
			    (step[0] & 0x80 ? 40000 : 1000);
		run(&m);
		cbr_every_second(m.cbr);
	}
	drain(&m);
	cbr_free(&m.cbr);
	free(m.heads);
	return 0;
}
