/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A PID of another stream, by UDP from here, beside a stream that is built. */
#include "tests/unit/worker/remux/rig.h"
#include "worker/stream/mux_input.h"
#include "worker/ts/pes.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	PID = 0x310,
	STEP_MS = 100,
	/* No table lists it: until it is taken as it is. */
	PATIENCE = MUX_PATIENCE_MS / STEP_MS,
};

struct rig {
	struct bench bench;
	struct input_spec spec;
	struct mux_input *mux;
	struct sockaddr_in to;
	int fd;
	uint64_t now_ns;
	uint8_t cc;
};

/* A port that no process has. */
static void choose_port(struct rig *r)
{
	socklen_t len = sizeof r->to;
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	r->to = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	cr_assert_eq(bind(fd, (struct sockaddr *)&r->to, len), 0);
	cr_assert_eq(getsockname(fd, (struct sockaddr *)&r->to, &len), 0);
	(void)close(fd);
}

static void rig_init(struct rig *r)
{
	*r = (struct rig){ .bench = bench_new(&(struct remux_options){ 0 }),
			   .spec = { .mux_pid = PID },
			   .fd = socket(AF_INET, SOCK_DGRAM, 0),
			   .now_ns = UINT64_C(7000000000) };
	choose_port(r);
	(void)snprintf(r->spec.mux, sizeof r->spec.mux, "udp://127.0.0.1:%u",
		       ntohs(r->to.sin_port));
	r->mux = mux_input_new(&r->spec, 1);
	two_programs(&r->bench);
	feed(&r->bench);
	mux_input_read(r->mux, r->now_ns);
}

static void rig_done(struct rig *r)
{
	mux_input_free(&r->mux);
	bench_done(&r->bench);
	(void)close(r->fd);
}

/* One packet of the PID arrives, STEP_MS later. */
static void bring(struct rig *r)
{
	uint8_t packet[TS_PACKET] = { TS_SYNC_BYTE };

	ts_set_pid(packet, PID);
	packet[3] = 0x10;
	ts_set_cc(packet, r->cc++);
	cr_assert_eq(sendto(r->fd, packet, sizeof packet, 0,
			    (struct sockaddr *)&r->to, sizeof r->to),
		     TS_PACKET);
	r->now_ns += STEP_MS * UINT64_C(1000000);
	mux_input_read(r->mux, r->now_ns);
}

/* ... and is sent. */
static void pass(struct rig *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bring(r);
		mux_input_join(r->mux, r->bench.remux, NULL, 0, r->now_ns);
		(void)build_payload(r->bench.in, 0x101, 1);
		feed(&r->bench);
	}
}

static uint64_t told(const struct rig *r, enum link_stat what)
{
	struct link_stats stats = { 0 };

	mux_input_stats(r->mux, &stats);
	return stats.value[what];
}

Test(mux_input, counts_received_sent_and_missing_packets)
{
	struct rig r;

	rig_init(&r);
	cr_assert_eq(told(&r, LINK_MUX_STATE), MUX_ABSENT);
	pass(&r, PATIENCE);
	cr_assert_eq(told(&r, LINK_MUX_STATE), MUX_WAITS);
	cr_assert_eq(told(&r, LINK_MUX_DROPPED), PATIENCE);
	cr_assert_eq(told(&r, LINK_MUX_SENT), 0);
	pass(&r, 5);
	r.cc += 3;
	pass(&r, 5);
	cr_assert_eq(told(&r, LINK_MUX_RECEIVED), PATIENCE + 10);
	cr_assert_eq(told(&r, LINK_MUX_SENT), 10);
	cr_assert_eq(told(&r, LINK_MUX_LOST), 3);
	cr_assert_eq(count(&r.bench, PID), 10);
	/* a loss in the input shows in the output, too */
	cr_assert_eq(r.bench.out->cc_errors, 1);
	rig_done(&r);
}

Test(mux_input, dropped_packets_leave_no_gap)
{
	struct rig r;

	rig_init(&r);
	pass(&r, PATIENCE + 5);
	cr_assert_eq(count(&r.bench, PID), 5);
	for (size_t i = 0; i < 5; i++)
		bring(&r);
	mux_input_close(r.mux);
	cr_assert_eq(told(&r, LINK_MUX_DROPPED), PATIENCE + 5);
	mux_input_read(r.mux, r.now_ns);
	pass(&r, PATIENCE + 5);
	cr_assert_eq(count(&r.bench, PID), 10);
	cr_assert_eq(told(&r, LINK_MUX_SENT), 10);
	cr_assert_eq(r.bench.out->cc_errors, 0);
	rig_done(&r);
}

/* --- with tables and a clock --- */

enum {
	TICK_MS = 10,
	CLOCK_PID = 0x311,
	GUEST_AHEAD_S = 1000, /* its clock, of that of the input */
	DATAGRAM = 7,
};

struct guest {
	struct rig rig;
	struct build *built; /* and not sent */
	uint64_t ms; /* of its clock: the packets that were built */
};

static void guest_init(struct guest *g, uint8_t type)
{
	const struct build_entry program = { 1, CLOCK_PID };
	const struct build_entry entry = { 1, 0x300 };
	const struct build_es es = { type, PID, NULL, 0 };
	uint8_t table[1024];

	rig_init(&g->rig);
	g->ms = 0;
	g->built = build_new();
	build_section(g->built, TS_PID_PAT, table,
		      build_pat(table, 0, &entry, 1));
	build_section(g->built, entry.pid, table,
		      build_pmt(table, program, 0, &es, 1));
}

static void guest_done(struct guest *g)
{
	build_free(g->built);
	rig_done(&g->rig);
}

/* A PCR each 40 ms. */
static void make_clock(struct guest *g, uint64_t until_ms)
{
	for (; g->ms < until_ms; g->ms++)
		if (g->ms % 40 == 0)
			build_pcr(g->built, CLOCK_PID,
				  (g->ms + 1000 * GUEST_AHEAD_S) * MS);
}

/* Its PTS is build_pes()'s. */
static void make_pes(struct guest *g)
{
	build_pes(g->built, PID, NULL, 0);
}

/* The packets that were built arrive, as that many datagrams. */
static void send_built(struct guest *g)
{
	struct build *b = g->built;

	for (size_t i = 0; i < b->n; i += DATAGRAM)
		cr_assert_geq(sendto(g->rig.fd, build_packet(b, i),
				     MIN(b->n - i, (size_t)DATAGRAM) *
					     TS_PACKET, 0,
				     (struct sockaddr *)&g->rig.to,
				     sizeof g->rig.to), TS_PACKET);
	b->n = 0;
}

/* TICK_MS later: received packets are sent, beside a PCR of the input. */
static void tick(struct guest *g)
{
	struct rig *r = &g->rig;
	struct build *in = build_new_of(1);
	struct ts_run run;

	r->now_ns += TICK_MS * UINT64_C(1000000);
	mux_input_read(r->mux, r->now_ns);
	build_pcr(in, remux_clock_pid(r->bench.remux),
		  r->now_ns / 1000 * 27);
	run = build_run(in);
	mux_input_join(r->mux, r->bench.remux, &run, 1, r->now_ns);
	(void)build_payload(r->bench.in, 0x101, 1);
	feed(&r->bench);
	build_free(in);
}

/* So long all comes in time: a PES at the end of every period. */
static void run_well(struct guest *g, unsigned ms, unsigned period_ms)
{
	for (uint64_t end = g->ms + ms; g->ms < end;) {
		make_clock(g, g->ms + TICK_MS);
		if (g->ms % period_ms == 0)
			make_pes(g);
		send_built(g);
		tick(g);
	}
}

/* The intervals between the times in the output, in ms. */
static uint64_t spread(const struct guest *g)
{
	const struct sink *out = g->rig.bench.out;
	uint64_t pts, least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < out->n; i++)
		if (ts_pid(out->data[i]) == PID &&
		    pes_pts(out->data[i], &pts)) {
			least = MIN(least, pts);
			most = MAX(most, pts);
		}
	cr_assert_leq(least, most);
	return (most - least) / 90;
}

/* A cue message is rare, and its source must not be forgotten. */
Test(mux_input, accepts_rare_packets)
{
	struct guest g;

	guest_init(&g, 0x0f);
	run_well(&g, 1000, 20);
	uint64_t dropped = told(&g.rig, LINK_MUX_DROPPED);

	run_well(&g, 5000, 1000);
	cr_assert_eq(told(&g.rig, LINK_MUX_DROPPED), dropped);
	guest_done(&g);
}

/* Delayed packets arrive at once, but not so quickly that one look at the
 * socket reads all: their times are moved as far as before. */
Test(mux_input, keeps_the_clock_of_a_delayed_source)
{
	for (unsigned held_ms = 520; held_ms < 1000; held_ms += 60) {
		struct guest g;
		const unsigned parts = 4;
		uint64_t from;

		guest_init(&g, 0x0f);
		run_well(&g, 1000, 20);
		from = g.ms;
		for (unsigned ms = 0; ms < held_ms; ms += TICK_MS)
			tick(&g);
		for (unsigned i = 1; i <= parts; i++) {
			make_clock(&g, from + i * held_ms / parts);
			make_pes(&g);
			send_built(&g);
			tick(&g);
		}
		g.ms += parts * TICK_MS;
		run_well(&g, 2000, 20);
		cr_assert_lt(spread(&g), 20, "held up for %u ms: %u ms",
			     held_ms, (unsigned)spread(&g));
		guest_done(&g);
	}
}

/* Another sender at the same place has a clock of its own. */
Test(mux_input, learns_the_clock_of_another_sender)
{
	struct guest g;

	guest_init(&g, 0x0f);
	run_well(&g, 1000, 20);
	for (unsigned ms = 0; ms < 600; ms += TICK_MS)
		tick(&g);
	g.ms += 77 * 1000;
	run_well(&g, 1000, 20);
	cr_assert_geq(spread(&g), 76 * 1000);
	guest_done(&g);
}

/* --- headers of PES that lie in several packets --- */

enum {
	TIME = 5,    /* bytes of a time stamp */
	HEADER = PES_HEADER + 2 * TIME,
	UNIT = 60,   /* bytes of a PES */
};

/* A packet with a part of a unit. */
static void add_part(struct guest *g, const uint8_t *part, size_t n, bool first)
{
	uint8_t *p = build_payload(g->built, PID, 0xff);

	p[1] |= first ? 0x40 : 0;
	p[3] |= 0x20;
	p[4] = (uint8_t)(TS_PACKET - 5 - n);
	p[5] = 0;
	memset(p + 6, 0xff, TS_PACKET - 6);
	memcpy(p + TS_PACKET - n, part, n);
}

static void repeat_last(struct guest *g)
{
	struct build *b = g->built;

	b->n++;
	memcpy(build_packet(b, b->n - 1), build_packet(b, b->n - 2), TS_PACKET);
}

/* How a unit is sent: bytes in the first packet and in the second one, and
 * datagrams, each at a tick of its own. */
struct parts {
	size_t first, second;
	bool doubled, slow, lost;
};

/* A unit whose PTS and DTS are those of build_pes(). */
static void send_unit(struct guest *g, const struct parts *how)
{
	uint8_t unit[UNIT] = { 0, 0, 1, 0xe0, 0, 0, 0x80, 0xc0, 10 };
	size_t end = 0;

	memcpy(unit + PES_HEADER, "\x31\x48\xd1\x59\xe3", TIME);
	memcpy(unit + PES_HEADER + TIME, "\x11\x48\xd1\x59\xe3",
	       TIME);
	memset(unit + HEADER, 0x5a, UNIT - HEADER);
	for (unsigned i = 0; end < UNIT; i++) {
		size_t n = i == 0   ? how->first
			   : i == 1 ? how->second
				    : (size_t)UNIT;

		n = MIN(n, UNIT - end);
		make_clock(g, g->ms + TICK_MS);
		add_part(g, unit + end, n, end == 0);
		if (how->doubled)
			repeat_last(g);
		if (how->lost && end > 0)
			g->built->n -= how->doubled ? 2 : 1;
		end += n;
		if (how->slow || end == UNIT) {
			send_built(g);
			tick(g);
		}
	}
}

/* The units of the output.  Each one has these times, or none at all if the
 * rest of its header was lost. */
static size_t judge_units(const struct guest *g, size_t from, uint64_t pts,
			  const struct parts *how)
{
	const struct sink *out = g->rig.bench.out;
	const uint8_t *last = NULL;
	uint8_t unit[UNIT];
	size_t len = 0, n = 0;

	for (size_t i = from; i < out->n; i++) {
		const uint8_t *p = out->data[i];
		size_t at = ts_payload_offset(p);

		if (ts_pid(p) != PID)
			continue;
		if (last != NULL && ts_cc(p) == ts_cc(last)) {
			cr_assert_arr_eq(p, last, TS_PACKET);
			continue;
		}
		last = p;
		len = ts_pusi(p) ? 0 : len;
		cr_assert_leq(len + TS_PACKET - at, (size_t)UNIT);
		memcpy(unit + len, p + at, TS_PACKET - at);
		len += TS_PACKET - at;
		if (len < UNIT && !how->lost)
			continue;
		n++;
		if (how->lost) {
			cr_assert(len <= 7 || unit[7] == 0, "times are sent");
			continue;
		}
		cr_assert_eq(pes_time(unit + PES_HEADER), pts, "PTS, %zu, %zu",
			     how->first, how->second);
		cr_assert_eq(pes_time(unit + PES_HEADER + TIME), pts,
			     "DTS, %zu, %zu", how->first, how->second);
		for (size_t k = HEADER; k < UNIT; k++)
			cr_assert_eq(unit[k], 0x5a);
	}
	return n;
}

/* Units that are sent in this way have the times of a PES in one packet. */
static void play_units(struct parts how)
{
	struct guest g;
	const struct sink *out;
	uint64_t pts = 0, last;
	size_t from;

	guest_init(&g, 0x0f);
	run_well(&g, 1000, 20);
	out = g.rig.bench.out;
	for (from = out->n; pts == 0; from--)
		if (ts_pid(out->data[from - 1]) == PID)
			cr_assert(pes_pts(out->data[from - 1], &pts));
	cr_assert_neq(pts, BUILD_PTS);
	from = out->n;
	for (unsigned i = 0; i < 3; i++)
		send_unit(&g, &how);
	make_pes(&g);
	send_built(&g);
	tick(&g);
	/* the last packet of the PID is the PES behind them */
	do
		g.rig.bench.out->n--;
	while (ts_pid(out->data[out->n]) != PID);
	cr_assert(pes_pts(out->data[out->n], &last) && last == pts);
	cr_assert_eq(judge_units(&g, from, pts, &how), 3);
	cr_assert(how.lost || out->cc_errors == 0);
	guest_done(&g);
}

Test(mux_input, moves_times_wherever_their_header_is_split)
{
	for (unsigned i = 0; i < 4; i++)
		for (size_t first = 1; first < HEADER + 3; first += 2) {
			play_units((struct parts){ first, 3, i & 1, i & 2, 0 });
			play_units((struct parts){ first, UNIT, i & 1, i & 2,
						   0 });
		}
}

Test(mux_input, sends_no_times_of_a_header_without_its_rest)
{
	for (size_t first = 8; first < HEADER; first++)
		play_units((struct parts){ first, UNIT, first & 1, true,
					   true });
}

/* The PID sends nothing more, or packets without payload. */
Test(mux_input, a_header_without_its_rest_waits_for_half_a_second)
{
	static const uint8_t begin[12] = { 0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5,
					   0x21, 0x48, 0xd1 };

	for (unsigned lives = 0; lives < 2; lives++) {
		const struct sink *out;
		struct guest g;
		size_t from;

		guest_init(&g, 0x0f);
		run_well(&g, 1000, 20);
		out = g.rig.bench.out;
		from = count(&g.rig.bench, PID);
		make_clock(&g, g.ms + TICK_MS);
		add_part(&g, begin, sizeof begin, true);
		for (unsigned ms = 0; ms < 700; ms += TICK_MS) {
			make_clock(&g, g.ms + TICK_MS);
			if (lives == 1)
				(void)build_pcr(g.built, PID, 0);
			send_built(&g);
			tick(&g);
			cr_assert_eq(count(&g.rig.bench, PID) > from, ms >= 500,
				     "%u ms", ms);
		}
		for (size_t i = out->n; i > 0; i--)
			if (ts_pid(out->data[i - 1]) == PID &&
			    ts_pusi(out->data[i - 1])) {
				cr_assert_eq(out->data[i - 1][TS_PACKET - 5],
					     0, "the times are removed");
				break;
			}
		guest_done(&g);
	}
}

/* Behind a silence a packet with the counter of the last header is no
 * duplicate of it. */
Test(mux_input, a_header_before_a_silence_is_in_no_later_packet)
{
	static const struct parts how = { HEADER - 2, UNIT, false, false,
					  false };
	uint8_t data[UNIT];
	const struct sink *out;
	struct guest g;
	size_t at;

	guest_init(&g, 0x0f);
	run_well(&g, 1000, 20);
	send_unit(&g, &how);
	for (unsigned ms = 0; ms < 600; ms += TICK_MS)
		tick(&g);
	memset(data, 0xa5, sizeof data);
	make_clock(&g, g.ms + 600);
	g.built->cc[PID]--;
	add_part(&g, data, sizeof data, false);
	send_built(&g);
	tick(&g);
	tick(&g);
	out = g.rig.bench.out;
	for (at = out->n; ts_pid(out->data[at - 1]) != PID; at--)
		;
	cr_assert_arr_eq(out->data[at - 1] + TS_PACKET - UNIT, data,
			 sizeof data);
	guest_done(&g);
}
