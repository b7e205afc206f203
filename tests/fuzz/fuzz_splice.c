/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hostile packets through splice, switch point and filler.
 *
 * A few bytes of input make a packet: the action, then PID, flags and the
 * fields that matter.
 */
#include "tests/fuzz/fuzz.h"
#include "worker/filler/filler.h"
#include "worker/splice/splice.h"
#include "worker/ts/pes.h"

#include <stdlib.h>
#include <string.h>

enum { PACKETS = 64 };

struct world {
	const uint8_t *data;
	size_t len;
	uint64_t now_ns;
	struct splice *splice;
	struct switch_point *entry;
	struct psi *psi;
	struct filler *filler;
	size_t came, went;
	bool cut;
};

static void check(bool holds)
{
	if (!holds)
		abort();
}

static uint8_t take(struct world *w)
{
	if (w->len == 0)
		return 0;
	w->len--;
	return *w->data++;
}

static void on_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct world *w = arg;
	struct splice_counters c;

	for (size_t i = 0; i < n_runs; i++) {
		check(runs[i].n > 0);
		w->went += runs[i].n;
		for (size_t k = 0; k < runs[i].n; k++)
			(void)psi_feed(w->psi, runs[i].data + k * TS_PACKET);
	}
	splice_counters(w->splice, &c);
	/* before the first cut no packet is added */
	check(w->cut || c.cuts > 0 || w->went <= w->came);
	filler_feed(w->filler, runs, n_runs);
}

static void on_filling(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++)
			check(ts_sync_ok(runs[i].data + k * TS_PACKET));
}

/* A packet: its header, then as many bytes as the input says. */
static void make_packet(struct world *w, uint8_t *p)
{
	static const uint16_t pids[8] = { 0, 0x100, 0x101, 0x102, 0x103, 0x11,
					  0x1fff, 0x1ffe };
	uint8_t what = take(w);
	size_t len, at = what & 0x40 ? TS_PACKET - 1 : 4;

	memset(p, what, TS_PACKET);
	p[0] = what == 0xff ? 0x46 : 0x47;
	p[1] = take(w);
	if (what & 0x08)
		p[1] &= 0x5f;
	ts_set_pid(p, pids[what & 7]);
	p[3] = take(w);
	len = take(w) % (TS_PACKET - 4);
	/* from the front, or (a PES behind stuffing) from the back */
	if (at == 4) {
		for (size_t i = 0; i < len; i++)
			p[4 + i] = take(w);
		return;
	}
	p[4] = (uint8_t)(TS_PACKET - 5 - len);
	p[5] = take(w);
	for (size_t i = 0; i < len; i++)
		p[TS_PACKET - len + i] = take(w);
}

static void feed(struct world *w, uint8_t what)
{
	uint8_t packets[PACKETS * TS_PACKET];
	struct ts_run runs[2], rest[3];
	size_t n = 1 + take(w) % 8, n_rest;

	for (size_t i = 0; i < n; i++)
		make_packet(w, packets + i * TS_PACKET);
	runs[0] = (struct ts_run){ packets, (n + 1) / 2 };
	runs[1] = (struct ts_run){ packets + runs[0].n * TS_PACKET, n / 2 };

	size_t n_runs = n > 1 ? 2 : 1;

	w->came += n;
	if (what & 1) {
		splice_drain(w->splice, runs, n_runs, w->now_ns);
	} else if (what & 2) {
		if (!switch_point_feed(w->entry, runs, n_runs, w->now_ns, rest,
				       &n_rest))
			return;
		check(n_rest > 0 && n_rest <= n_runs + 1 && rest[0].n > 0);
		w->cut = true;
		splice_cut(w->splice, w->entry, what & 4, w->now_ns);
		bool held = what & 8 && switch_point_is_held(w->entry);
		if (held)
			splice_feed_held(w->splice, rest[0], w->now_ns);
		splice_feed(w->splice, rest + held, n_rest - held, w->now_ns);
	} else {
		splice_feed(w->splice, runs, n_runs, w->now_ns);
	}
}

static void step(struct world *w)
{
	uint8_t what = take(w);

	w->now_ns += (uint64_t)(what & 0x0f) * 7000000;
	switch (what >> 4) {
	case 0:
		w->cut = true;
		splice_cut(w->splice, NULL, what & 1, w->now_ns);
		break;
	case 1:
		w->cut = true;
		splice_shift(w->splice, (uint64_t)take(w) << (what & 0x1f));
		break;
	case 2:
		switch_point_want(w->entry, take(w) * 8U, w->now_ns);
		if (what & 8)
			switch_point_set_past(w->entry,
					      w->now_ns - 250000000);
		break;
	case 3:
		if (what & 1)
			splice_turn(w->splice, w->now_ns);
		else
			(void)splice_is_draining(w->splice, w->now_ns);
		break;
	case 4:
		if (filler_is_ready(w->filler))
			filler_start(w->filler, w->now_ns);
		break;
	case 5:
		filler_run(w->filler, w->now_ns, on_filling, w);
		break;
	case 6:
		w->now_ns += (uint64_t)take(w) * 100000000;
		break;
	case 7:
		feed(w, 1);
		break;
	case 8:
	case 9:
		feed(w, 2 | (what & 4));
		break;
	default:
		feed(w, 0);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct splice_continuity state;
	struct world w = { .data = data, .len = size, .now_ns = 1000000000 };
	uint8_t what = take(&w);

	memset(&state, 0, sizeof state);
	/* damaged memory of a worker */
	for (size_t i = 0; (what & 1) && i < 64; i++)
		((uint8_t *)&state)[(size_t)take(&w) * 97 % sizeof state] =
			take(&w);
	w.cut = splice_continuity_check(&state, w.now_ns) || (what & 1);
	w.psi = psi_new();
	w.filler = filler_new(w.psi);
	w.entry = switch_point_new(NULL);
	w.splice = splice_new(&(struct splice_config){
		.out = on_out, .arg = &w, .continuity = &state,
		.keep_jumps = what & 2,
	});
	while (w.len > 0)
		step(&w);
	check(splice_continuity_check(&state, w.now_ns) || state.packets == 0);
	splice_free(&w.splice);
	switch_point_free(&w.entry);
	filler_free(&w.filler);
	psi_free(&w.psi);
	return 0;
}
