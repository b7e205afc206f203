/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/merge/merge_sim.h"

#include "common/base/alloc.h"
#include "common/base/util.h"

#include <stdlib.h>
#include <string.h>

uint32_t sim_any(struct sim *s, uint32_t below)
{
	s->random = s->random * 1664525 + 1013904223;
	return (s->random >> 8) % below;
}

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct sim *s = arg;

	for (size_t i = 0; i < n_runs; i++) {
		if (s->n_out + runs[i].n > 2 * s->n)
			abort();
		memcpy(s->out[s->n_out], runs[i].data, runs[i].n * TS_PACKET);
		s->n_out += runs[i].n;
	}
}

struct sim *sim_new(size_t datagrams)
{
	struct sim *s = xcalloc(1, sizeof *s);

	s->n = datagrams * SIM_DATAGRAM;
	s->packet = xcalloc(s->n, sizeof *s->packet);
	s->came = xcalloc(s->n, sizeof *s->came);
	s->out = xcalloc(2 * s->n, sizeof *s->out);
	for (size_t i = 0; i < TS_MERGE_PATHS; i++)
		s->event[i] = xcalloc(2 * datagrams, sizeof *s->event[i]);
	batch_init(&s->batch, on_packets, s);
	return s;
}

void sim_free(struct sim **ptr)
{
	struct sim *s = *ptr;

	ts_merge_free(&s->merge);
	for (size_t i = 0; i < TS_MERGE_PATHS; i++)
		free(s->event[i]);
	free(s->packet);
	free(s->came);
	free(s->out);
	free(s);
	*ptr = NULL;
}

void sim_begin(struct sim *s, uint32_t seed)
{
	ts_merge_free(&s->merge);
	s->merge = ts_merge_new(SIM_DELAY_MS);
	s->random = seed;
	s->n_out = 0;
	memset(s->packet, 0, s->n * sizeof *s->packet);
	memset(s->came, 0, s->n * sizeof *s->came);
}

uint16_t sim_pid(unsigned k)
{
	enum { PMT = 0x50 };

	return k < SIM_PES_PIDS    ? (uint16_t)(SIM_PID_FIRST + k)
	       : k == SIM_PES_PIDS ? TS_PID_PAT
				   : PMT;
}

static bool is_table(size_t i)
{
	return i % 100 == 3 || i % 100 == 53;
}

/* The properties of unique packets: true when the packet is made. */
static bool make_plain(uint8_t *p, uint32_t i, unsigned cc)
{
	if (i % 11 == 5) {
		ts_set_pid(p, TS_PID_NULL);
		return true;
	}
	if (i % 37 == 20) {
		ts_set_pid(p, SIM_PID_PCR);
		memcpy(p + 3, "\x20\xb7\x10", 3);
		memcpy(p + 6, &i, sizeof i);
		ts_set_cc(p, cc - 1U);
		return true;
	}
	return false;
}

void sim_make(struct sim *s, unsigned twice)
{
	uint8_t cc[SIM_PIDS] = { 0 };
	unsigned filler = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		uint8_t *p = s->packet[i];
		unsigned k = sim_any(s, 10) < 7 ? 0 : sim_any(s, SIM_PES_PIDS);

		memset(p, 0xff, TS_PACKET);
		p[0] = TS_SYNC_BYTE;
		p[1] = 0;
		p[3] = 0x10;
		if (is_table(i))
			k = SIM_PES_PIDS + (i % 100 == 53);
		else if (filler == 0 && sim_any(s, 400) == 0)
			filler = 20 + sim_any(s, 30);
		else if (filler > 0)
			k = SIM_PID_FILLER - SIM_PID_FIRST;
		ts_set_pid(p, sim_pid(k));
		if (make_plain(p, i, cc[0]))
			continue;
		if (filler > 0 && k == SIM_PID_FILLER - SIM_PID_FIRST)
			filler--;
		else if (k < SIM_PES_PIDS)
			memcpy(p + 12, &i, sizeof i);
		else
			memcpy(p + 4, "\0\0\xb0\x0d", 4);
		if (k < SIM_PES_PIDS && filler == 0 && sim_any(s, 50) == 0) {
			p[1] |= 0x40;
			memcpy(p + 4, "\0\0\1\xe0", 4);
		}
		ts_set_cc(p, cc[k]++);
		if (sim_any(s, 1000) < twice && i + 1 < s->n &&
		    !is_table(i + 1))
			memcpy(s->packet[++i], p, TS_PACKET);
	}
}

bool sim_is_filler(const uint8_t *p)
{
	return ts_pid(p) == SIM_PID_FILLER && p[12] == 0xff && p[13] == 0xff;
}

static int by_time(const void *a, const void *b)
{
	const struct sim_event *x = a, *y = b;

	if (x->at_ms != y->at_ms)
		return x->at_ms < y->at_ms ? -1 : 1;
	return x->datagram < y->datagram ? -1 : x->datagram > y->datagram;
}

/* The last cut, from 1 on; 0: there was none. */
static uint32_t cuts(const struct sim_network *net, uint32_t ms)
{
	return net->cut_every_ms == 0 || ms < net->cut_first_ms
		? 0 : 1 + (ms - net->cut_first_ms) / net->cut_every_ms;
}

static bool is_cut(const struct sim_network *net, uint32_t ms)
{
	return cuts(net, ms) > 0 &&
	       (ms - net->cut_first_ms) % net->cut_every_ms < net->cut_ms;
}

void sim_carry(struct sim *s, unsigned path, const struct sim_network *net,
	       uint32_t skew_ms)
{
	struct sim_event *e = s->event[path];
	uint32_t datagrams = (uint32_t)(s->n / SIM_DATAGRAM), held_ms = 0;
	size_t n = 0;
	unsigned burst = 0;

	for (uint32_t i = 0; i < datagrams; i++) {
		bool quiet = i < SIM_QUIET || i + SIM_QUIET / 3 > datagrams;
		uint32_t sent = i * SIM_DATAGRAM_MS, at = sent + skew_ms;

		if (cuts(net, sent) % 2 == 1)
			at += net->detour_ms;
		if (!quiet && at > held_ms && sim_any(s, 1000) < net->stalled)
			held_ms = at + sim_any(s, 60);
		at = MAX(at, held_ms);
		if (burst == 0 && !quiet && sim_any(s, 1000) < net->lost)
			burst = 1 + sim_any(s, net->burst);
		if (burst > 0) {
			burst--;
			continue;
		}
		if (!quiet && is_cut(net, sent))
			continue;
		memset(s->came + (size_t)i * SIM_DATAGRAM, true, SIM_DATAGRAM);
		if (!quiet && sim_any(s, 1000) < net->overtaken)
			at += 3;
		e[n++] = (struct sim_event){ at, i };
		if (!quiet && sim_any(s, 1000) < net->doubled)
			e[n++] = (struct sim_event){ at + sim_any(s, 20), i };
	}
	qsort(e, n, sizeof *e, by_time);
	s->n_events[path] = n;
}

static void feed(struct sim *s, unsigned path, size_t *next, uint32_t ms,
		 uint64_t now_ns)
{
	const struct sim_event *e = s->event[path];

	for (; *next < s->n_events[path] && e[*next].at_ms <= ms; ++*next) {
		const struct ts_run run = {
			s->packet[(size_t)e[*next].datagram * SIM_DATAGRAM],
			SIM_DATAGRAM,
		};

		ts_merge_feed(s->merge, &run, 1, path, now_ns);
	}
}

void sim_play(struct sim *s)
{
	size_t next[TS_MERGE_PATHS] = { 0, 0 };
	uint32_t end = (uint32_t)(s->n / SIM_DATAGRAM) * SIM_DATAGRAM_MS + 1200;

	for (uint32_t ms = 0; ms < end; ms++) {
		uint64_t now_ns = UINT64_C(7000000000) + ms * UINT64_C(1000000);

		for (unsigned path = 0; path < TS_MERGE_PATHS; path++)
			feed(s, path, &next[path], ms, now_ns);
		ts_merge_turn(s->merge, &s->batch, now_ns);
		if (ms % 1000 == 999)
			ts_merge_every_second(s->merge, now_ns);
	}
}
