/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random streams over two random networks, merged by content, against the
 * stream that was sent: what one path at least brought goes out once and in
 * the order of its PID.
 */
#include "common/alloc.h"
#include "common/util.h"
#include "worker/input/ts_merge.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum {
	N = 21000, /* packets of one run */
	DATAGRAM = 7,
	DATAGRAMS = N / DATAGRAM,
	/* Both networks are whole up to here, and from there on to the end. */
	QUIET = 300,
	DELAY_MS = 500,
	PID_FIRST = 0x100,
	PES_PIDS = 4,
	PID_FILLER = 0x101,
	PID_PCR = PID_FIRST,
	PID_PMT = 0x50,
	PIDS = PES_PIDS + 2, /* and the tables */
};

/* What may happen, in thousandths of the datagrams. */
struct network {
	unsigned lost, doubled, overtaken;
	unsigned burst; /* so many in a row are lost */
	unsigned stalled; /* ... and it holds all for up to 60 ms */
};

struct sent {
	uint8_t packet[N][TS_PACKET];
	bool came[N]; /* on one path at least */
};

/* When a datagram comes out of a network. */
struct event {
	uint32_t at_ms;
	uint32_t datagram;
};

struct rig {
	struct sent sent;
	struct event event[2][2 * DATAGRAMS];
	size_t n_events[2];
	struct ts_merge *merge;
	struct batch batch;
	uint32_t random;
	size_t n;
	uint8_t out[2 * N][TS_PACKET];
};

static uint32_t any(struct rig *r, uint32_t below)
{
	r->random = r->random * 1664525 + 1013904223;
	return (r->random >> 8) % below;
}

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct rig *r = arg;

	for (size_t i = 0; i < n_runs; i++) {
		cr_assert_leq(r->n + runs[i].n, ARRAY_LEN(r->out));
		memcpy(r->out[r->n], runs[i].data, runs[i].n * TS_PACKET);
		r->n += runs[i].n;
	}
}

static uint16_t pid_of(unsigned k)
{
	return k < PES_PIDS    ? (uint16_t)(PID_FIRST + k)
	       : k == PES_PIDS ? TS_PID_PAT
			       : PID_PMT;
}

/* Pictures and sound, one PID with filler between, times, tables, null
 * packets; some of one in a thousand packets are sent twice. */
static void make_stream(struct rig *r, unsigned twice)
{
	uint8_t cc[PIDS] = { 0 };
	unsigned filler = 0;

	for (uint32_t i = 0; i < N; i++) {
		uint8_t *p = r->sent.packet[i];
		unsigned k = any(r, 10) < 7 ? 0 : any(r, PES_PIDS);

		memset(p, 0xff, TS_PACKET);
		p[0] = TS_SYNC_BYTE;
		p[1] = 0;
		p[3] = 0x10;
		if (i % 100 == 3 || i % 100 == 53)
			k = PES_PIDS + (i % 100 == 53);
		else if (filler == 0 && any(r, 400) == 0)
			filler = 20 + any(r, 30);
		else if (filler > 0)
			k = PID_FILLER - PID_FIRST;
		ts_set_pid(p, pid_of(k));
		if (i % 11 == 5) {
			ts_set_pid(p, TS_PID_NULL);
			continue;
		}
		if (i % 37 == 20) {
			ts_set_pid(p, PID_PCR);
			memcpy(p + 3, "\x20\xb7\x10", 3);
			memcpy(p + 6, &i, sizeof i);
			ts_set_cc(p, cc[0] - 1U);
			continue;
		}
		if (filler > 0 && k == PID_FILLER - PID_FIRST)
			filler--;
		else if (k < PES_PIDS)
			memcpy(p + 12, &i, sizeof i);
		else
			memcpy(p + 4, "\0\0\xb0\x0d", 4);
		if (k < PES_PIDS && filler == 0 && any(r, 50) == 0) {
			p[1] |= 0x40;
			memcpy(p + 4, "\0\0\1\xe0", 4);
		}
		ts_set_cc(p, cc[k]++);
		if (any(r, 1000) < twice && i + 1 < N && (i + 1) % 100 != 3 &&
		    (i + 1) % 100 != 53)
			memcpy(r->sent.packet[++i], p, TS_PACKET);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->at_ms != y->at_ms)
		return x->at_ms < y->at_ms ? -1 : 1;
	return x->datagram < y->datagram ? -1 : x->datagram > y->datagram;
}

static void carry(struct rig *r, unsigned path, const struct network *net,
		  uint32_t skew_ms)
{
	struct event *e = r->event[path];
	size_t n = 0;
	unsigned burst = 0;
	uint32_t held_ms = 0;

	for (uint32_t i = 0; i < DATAGRAMS; i++) {
		bool quiet = i < QUIET || i + QUIET / 3 > DATAGRAMS;
		uint32_t at = i * 2 + skew_ms;

		if (!quiet && at > held_ms && any(r, 1000) < net->stalled)
			held_ms = at + any(r, 60);
		at = MAX(at, held_ms);
		if (burst == 0 && !quiet && any(r, 1000) < net->lost)
			burst = 1 + any(r, net->burst);
		if (burst > 0) {
			burst--;
			continue;
		}
		for (size_t k = 0; k < DATAGRAM; k++)
			r->sent.came[i * DATAGRAM + k] = true;
		if (!quiet && any(r, 1000) < net->overtaken)
			at += 3;
		e[n++] = (struct event){ at, i };
		if (!quiet && any(r, 1000) < net->doubled)
			e[n++] = (struct event){ at + any(r, 20), i };
	}
	qsort(e, n, sizeof *e, by_time);
	r->n_events[path] = n;
}

static void play(struct rig *r)
{
	size_t next[2] = { 0, 0 };
	uint32_t end = 2 * DATAGRAMS + 1200;

	for (uint32_t ms = 0; ms < end; ms++) {
		uint64_t now_ns = UINT64_C(7000000000) + ms * UINT64_C(1000000);

		for (unsigned path = 0; path < 2; path++)
			while (next[path] < r->n_events[path] &&
			       r->event[path][next[path]].at_ms <= ms) {
				size_t i =
					r->event[path][next[path]++].datagram;
				const struct ts_run run = {
					r->sent.packet[i * DATAGRAM], DATAGRAM
				};

				ts_merge_feed(r->merge, &run, 1, path, now_ns);
			}
		ts_merge_turn(r->merge, &r->batch, now_ns);
		if (ms % 1000 == 999)
			ts_merge_second(r->merge, now_ns);
	}
	cr_assert_not(ts_merge_waits(r->merge));
}

static bool is_same(const uint8_t *a, const uint8_t *b)
{
	return memcmp(a, b, TS_PACKET) == 0;
}

static bool is_filler(const uint8_t *p)
{
	return ts_pid(p) == PID_FILLER && p[12] == 0xff && p[13] == 0xff;
}

/* What is looked at of one PID. */
struct view {
	const uint8_t (*packet)[TS_PACKET];
	const bool *came; /* NULL: all */
	size_t n;
	uint16_t pid;
	bool payload;
	bool twice; /* some are sent twice: that is seen as once */
};

static size_t next_of(const struct view *v, size_t i)
{
	while (i < v->n &&
	       (ts_pid(v->packet[i]) != v->pid ||
		ts_has_payload(v->packet[i]) != v->payload ||
		(v->came != NULL && !v->came[i]) || is_filler(v->packet[i])))
		i++;
	return i;
}

static size_t behind(const struct view *v, size_t i)
{
	size_t next = next_of(v, i + 1);

	if (v->twice && next < v->n && is_same(v->packet[i], v->packet[next]))
		next = next_of(v, next + 1);
	return next;
}

static void judge_pid(const struct rig *r, struct view sent, struct view out,
		      uint32_t seed)
{
	size_t i = next_of(&sent, 0), o = next_of(&out, 0);

	while (i < N && o < r->n) {
		cr_assert(is_same(sent.packet[i], r->out[o]),
			  "seed %u, PID %u: packet %zu cc %u, not cc %u at %zu",
			  seed, sent.pid, i, ts_cc(sent.packet[i]),
			  ts_cc(r->out[o]), o);
		i = behind(&sent, i);
		o = behind(&out, o);
	}
	cr_assert(i == N && o == r->n, "seed %u, PID %u: ends", seed, sent.pid);
}

/* Filler is the same again after 16 packets: behind a loss nothing tells which
 * one it is, and nobody needs to know. */
static void judge_filler(const struct rig *r, uint32_t seed)
{
	size_t sent = 0, out = 0;

	for (size_t i = 0; i < N; i++)
		sent += r->sent.came[i] && is_filler(r->sent.packet[i]);
	for (size_t i = 0; i < r->n; i++)
		out += is_filler(r->out[i]);
	cr_assert(4 * out > 3 * sent && 4 * out < 5 * sent,
		  "seed %u: %zu of filler, not %zu", seed, out, sent);
}

static void judge(const struct rig *r, const struct view *how, uint32_t seed)
{
	/* that of times to pictures is told by nothing, and those without a
	 * payload are looked at by themselves */
	for (unsigned k = 0; k <= PIDS; k++) {
		struct view sent = *how, out = *how;

		sent.packet = r->sent.packet;
		sent.came = r->sent.came;
		sent.n = N;
		out.packet = r->out;
		out.n = r->n;
		/* a table between filler looks as if it was sent twice */
		sent.twice |= k >= PES_PIDS;
		out.twice |= k >= PES_PIDS;
		sent.pid = out.pid = k < PIDS ? pid_of(k) : PID_PCR;
		sent.payload = out.payload = k < PIDS;
		judge_pid(r, sent, out, seed);
	}
	judge_filler(r, seed);
}

static void run(const struct network *a, const struct network *b,
		unsigned twice, unsigned runs)
{
	static const uint32_t skews[] = { 0, 1, 13, 90, 250, 330 };
	/* so looks the one packet of its PID in a doubled datagram, too */
	const struct view how = { .twice = twice > 0 || a->doubled > 0 };
	struct rig *r = xcalloc(1, sizeof *r);

	batch_init(&r->batch, on_packets, r);
	for (unsigned seed = 1; seed <= runs; seed++) {
		struct ts_merge_counts c;

		r->random = seed;
		r->n = 0;
		memset(&r->sent, 0, sizeof r->sent);
		r->merge = ts_merge_new(DELAY_MS);
		make_stream(r, twice);
		carry(r, 0, a, seed % 3 == 0 ? skews[any(r, 6)] : 0);
		carry(r, 1, b, seed % 3 != 0 ? skews[any(r, 6)] : 0);
		play(r);
		judge(r, &how, seed);
		ts_merge_counts(r->merge, &c);
		cr_assert(c.aligned);
		ts_merge_free(&r->merge);
	}
	free(r);
}

enum { RUNS = 25 };

Test(merge_model, what_either_path_loses_the_other_brings)
{
	run(&(struct network){ .lost = 10, .burst = 12 },
	    &(struct network){ .lost = 40, .burst = 2 }, 0, RUNS);
}

Test(merge_model, what_a_network_holds_up_comes_in_its_place)
{
	run(&(struct network){ .lost = 5, .burst = 20, .stalled = 4 },
	    &(struct network){ .lost = 10, .burst = 2, .stalled = 4 }, 0,
	    RUNS);
}

Test(merge_model, what_a_path_doubles_goes_out_once)
{
	run(&(struct network){ .lost = 20, .burst = 2, .doubled = 100 },
	    &(struct network){ .lost = 20, .burst = 2, .doubled = 100 }, 0,
	    RUNS);
}

Test(merge_model, what_is_overtaken_goes_out_in_order)
{
	run(&(struct network){ .lost = 2, .burst = 1, .overtaken = 20 },
	    &(struct network){ .lost = 2, .burst = 1, .overtaken = 20 }, 0,
	    RUNS);
}

Test(merge_model, what_is_sent_twice_goes_out)
{
	run(&(struct network){ .lost = 10, .burst = 2, .doubled = 20 },
	    &(struct network){ .lost = 10, .burst = 2, .doubled = 20 }, 20,
	    RUNS);
}
