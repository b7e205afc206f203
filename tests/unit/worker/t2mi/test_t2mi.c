/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/t2mi/t2mi.h"

#include "common/base/alloc.h"
#include "tests/unit/worker/t2mi/t2mi_maker.h"
#include "tests/unit/worker/ts/sample.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { PID = 4096, CLEAR = 100, MOST = 1024, PIDS = 3 };

struct received {
	size_t n;
	uint8_t packets[MOST][TS_PACKET];
};

static uint8_t clear[CLEAR][TS_PACKET];
static struct t2mi_maker maker;
static struct received received;

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct received *r = arg;

	for (size_t i = 0; i < n_runs; i++) {
		cr_assert_leq(r->n + runs[i].n, MOST);
		memcpy(r->packets[r->n], runs[i].data, runs[i].n * TS_PACKET);
		r->n += runs[i].n;
	}
}

static void count(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct received *r = arg;

	for (size_t i = 0; i < n_runs; i++)
		r->n += runs[i].n;
}

/* Packets of some PIDs, one of them null packets, with runs of it. */
static void make_clear(void)
{
	static const uint16_t pids[PIDS] = { 0x100, 0x101, TS_PID_NULL };

	srand(1);
	for (size_t i = 0; i < CLEAR; i++) {
		uint16_t pid = pids[i / 5 % PIDS];

		memset(clear[i], 0xff, TS_PACKET);
		clear[i][0] = TS_SYNC_BYTE;
		clear[i][1] = 0;
		ts_set_pid(clear[i], pid);
		clear[i][3] = (uint8_t)(0x10 | (pid == TS_PID_NULL ? 0
								   : i & 15));
		for (size_t k = 4; pid != TS_PID_NULL && k < TS_PACKET; k++)
			clear[i][k] = (uint8_t)rand();
	}
	/* null packets at the end are not sent with the next packet */
	ts_set_pid(clear[CLEAR - 1], 0x100);
}

static void wrap(struct t2mi_maker form)
{
	make_clear();
	maker = form;
	maker.pid = PID;
	t2mi_maker_add(&maker, (const uint8_t (*)[TS_PACKET])clear, CLEAR);
	t2mi_maker_end(&maker);
}

static struct t2mi_counts unwrap(unsigned plp)
{
	struct t2mi *t = t2mi_new(PID, plp, take, &received);
	struct ts_run run = { maker.packets[0], maker.n };
	struct t2mi_counts counts;

	received.n = 0;
	t2mi_feed(t, &run, 1);
	counts = t2mi_take_counts(t);
	t2mi_free(&t);
	return counts;
}

static void assert_whole(const char *what)
{
	/* normal mode keeps the last packet until its CRC-8 arrives */
	cr_assert_eq(received.n, CLEAR - maker.normal_mode, "%s: %zu", what,
		     received.n);
	cr_assert_arr_eq(received.packets, clear, received.n * TS_PACKET, "%s",
			 what);
}

Test(t2mi, every_form_of_a_transport_stream_comes_out_as_it_was)
{
	/* a frame has at least 374 bytes (EN 302 755, table 6) */
	for (size_t field = 374; field < 6800; field = field * 5 / 4 + 1) {
		for (unsigned form = 0; form < 32; form++) {
			struct t2mi_maker m = {
				.field = field,
				.normal_mode = form & 1,
				.deletes_nulls = form & 2,
				.issy = !(form & 1) ? 0 : form & 4 ? 2 : 3,
				.upl_is_original = form & 8,
				.pads = form & 16,
			};
			struct t2mi_counts c;
			char *what = xasprintf("field %zu, form %u", field,
					       form);

			wrap(m);
			c = unwrap(T2MI_PLPS);
			assert_whole(what);
			cr_assert_eq(c.crc_errors + c.cut +
				     c.baseband.header_errors +
				     c.baseband.lost_packets +
				     c.baseband.wrong_packets, 0, "%s", what);
			free(what);
		}
	}
}

/* The size of the ISSY is that of UPL: a TTO has the same first bits in both
 * sizes. */
Test(t2mi, issy_without_a_clock_reference_has_its_size_from_upl)
{
	for (size_t issy = 2; issy <= 3; issy++) {
		wrap((struct t2mi_maker){
			.field = 700, .normal_mode = true,
			.deletes_nulls = true, .issy = issy,
			.issy_has_no_time = true });
		cr_assert_eq(unwrap(0).baseband.lost_packets, 0);
		assert_whole("TTO");
	}
}

/* Whatever single packet of the PID is lost: every packet that comes out was
 * sent, in its order, and the loss is counted. */
Test(t2mi, a_loss_costs_the_packets_that_it_hit)
{
	wrap((struct t2mi_maker){ .field = 700, .deletes_nulls = true });
	for (size_t lost = 0; lost < maker.n; lost++) {
		struct t2mi *t = t2mi_new(PID, 0, take, &received);
		struct ts_run before = { maker.packets[0], lost };
		struct ts_run behind = { maker.packets[lost] + TS_PACKET,
					 maker.n - lost - 1 };
		struct t2mi_counts c;
		size_t at = 0;

		received.n = 0;
		t2mi_feed(t, &before, 1);
		t2mi_feed(t, &behind, 1);
		c = t2mi_take_counts(t);
		t2mi_free(&t);
		for (size_t i = 0; i < received.n; i++, at++)
			while (memcmp(received.packets[i], clear[at],
				      TS_PACKET) != 0)
				cr_assert_lt(++at, CLEAR, "%zu: %zu", lost, i);
		cr_assert_geq(received.n, CLEAR - 16, "%zu", lost);
		if (lost > 0 && lost < maker.n - 1)
			cr_assert_geq(c.cut + c.baseband.lost_packets, 1,
				      "%zu", lost);
	}
}

Test(t2mi, a_packet_with_a_wrong_crc_is_dropped_and_counted)
{
	struct t2mi_counts c;

	wrap((struct t2mi_maker){ .field = 700 });
	maker.packets[8][100] ^= 1;
	c = unwrap(0);
	cr_assert_eq(c.crc_errors, 1);
	cr_assert_lt(received.n, CLEAR);
	for (size_t i = 0; i < received.n; i++)
		cr_assert_not(ts_tei(received.packets[i]));
}

Test(t2mi, a_repeated_packet_is_ignored)
{
	wrap((struct t2mi_maker){ .field = 700 });
	for (size_t i = 3; i < maker.n; i += 7) {
		memmove(maker.packets[i + 1], maker.packets[i],
			(maker.n - i) * TS_PACKET);
		maker.n++;
	}
	(void)unwrap(0);
	assert_whole("repeated");
}

Test(t2mi, one_plp_of_several_is_taken)
{
	struct t2mi *t;
	struct ts_run run;

	wrap((struct t2mi_maker){ .field = 700, .plp = 3 });
	maker.plp = 7;
	t2mi_maker_add(&maker, (const uint8_t (*)[TS_PACKET])clear, 10);
	t2mi_maker_end(&maker);
	(void)unwrap(3);
	assert_whole("PLP 3");
	(void)unwrap(7);
	cr_assert_eq(received.n, 10);
	(void)unwrap(5);
	cr_assert_eq(received.n, 0);

	t = t2mi_new(PID, T2MI_PLPS, take, &received);
	received.n = 0;
	run = (struct ts_run){ maker.packets[0], maker.n };
	t2mi_feed(t, &run, 1);
	cr_assert_eq(t2mi_plp(t), 3);
	cr_assert(t2mi_has_plp(t, 3) && t2mi_has_plp(t, 7));
	cr_assert_not(t2mi_has_plp(t, 5) || t2mi_has_plp(t, 256));
	assert_whole("the first PLP");
	t2mi_reset(t);
	cr_assert_geq(t2mi_plp(t), T2MI_PLPS);
	cr_assert_not(t2mi_has_plp(t, 3));
	t2mi_free(&t);
}

/* Two streams with the same PLP, whose packets are counted together or each by
 * itself. */
static void wrap_streams(bool together)
{
	enum { STEP = 10 };
	const uint8_t (*from)[TS_PACKET] = (const uint8_t (*)[TS_PACKET])clear;
	uint8_t other = 77;

	make_clear();
	maker = (struct t2mi_maker){ .pid = PID, .field = 700 };
	for (size_t i = 0; i < CLEAR; i += STEP) {
		uint8_t own;

		maker.stream = 2;
		t2mi_maker_add(&maker, from + i, MIN(STEP, CLEAR - i));
		t2mi_maker_end(&maker);
		own = maker.count;
		if (!together)
			maker.count = other;
		maker.stream = 5;
		t2mi_maker_add(&maker, from, 3);
		t2mi_maker_end(&maker);
		other = maker.count;
		if (!together)
			maker.count = own;
	}
}

Test(t2mi, the_first_of_several_streams_on_the_pid_is_taken)
{
	wrap_streams(true);
	(void)unwrap(T2MI_PLPS);
	assert_whole("counted together");
	wrap_streams(false);
	(void)unwrap(0);
	assert_whole("counted by stream");
}

/* In normal mode a CRC-8 protects each packet (EN 302 755 5.1.4). */
Test(t2mi, a_packet_with_a_wrong_crc_8_is_marked)
{
	struct baseband b;
	uint8_t frame[10 + 3 * TS_PACKET];
	const uint8_t *sent = (const uint8_t *)maker.packets;
	size_t at = 6 + 3 + 10 + 1 + 100; /* in the first packet of the field */

	wrap((struct t2mi_maker){ .field = 3 * TS_PACKET,
				  .normal_mode = true });
	received.n = 0;
	baseband_init(&b, take, &received);
	/* the frame, whose header is in the first packet of the PID */
	for (size_t i = 0, from = 5 + 9; i < sizeof frame; i++, from++) {
		if (from % TS_PACKET == 0)
			from += 4;
		frame[i] = sent[from];
	}
	frame[at] ^= 1;
	baseband_feed(&b, frame, sizeof frame);
	baseband_flush(&b);
	cr_assert_eq(b.counts.wrong_packets, 1);
	cr_assert_eq(received.n, 2);
	cr_assert(ts_tei(received.packets[0]));
	cr_assert_not(ts_tei(received.packets[1]));
}

/* Each packet claims 255 null packets in front of it. */
Test(t2mi, a_source_cannot_multiply_its_rate_by_null_packets)
{
	static uint8_t frame[10 + 20 * TS_PACKET];
	const uint8_t *sent = (const uint8_t *)maker.packets;
	struct baseband b;
	size_t at = 6 + 3;

	wrap((struct t2mi_maker){ .field = 20 * TS_PACKET,
				  .deletes_nulls = true });
	for (size_t i = 0, from = 5 + at; i < sizeof frame; i++, from++) {
		if (from % TS_PACKET == 0)
			from += 4;
		frame[i] = sent[from];
	}
	for (size_t i = 1; i <= 20; i++)
		frame[9 + i * TS_PACKET] = 255;
	baseband_init(&b, count, &received);
	received.n = 0;
	for (size_t i = 0; i < 100; i++)
		baseband_feed(&b, frame, sizeof frame);
	baseband_flush(&b);
	cr_assert_eq(b.counts.header_errors, 0);
	cr_assert_eq(received.n, 2000 + BASEBAND_NULLS_AT_ONCE +
				 1999 * BASEBAND_NULLS);
}

/* The other program stopped in front of the last frame. */
Test(t2mi, a_capture_comes_out_as_another_program_unpacked_it)
{
	static uint8_t theirs[MOST][TS_PACKET];
	struct t2mi_counts c;
	size_t n;

	maker.n = sample_packets("test-109.ts", maker.packets,
				 MAKER_PACKETS);
	n = sample_packets("test-109.plp.ts", theirs, MOST);
	c = unwrap(0);
	cr_assert_eq(c.packets, 6);
	cr_assert_eq(c.crc_errors + c.cut + c.baseband.header_errors, 0);
	cr_assert_eq(n, 151);
	cr_assert_eq(received.n, 175);
	cr_assert_arr_eq(received.packets, theirs, n * TS_PACKET);
}
