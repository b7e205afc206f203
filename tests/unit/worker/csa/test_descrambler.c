/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/csa/descrambler.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "tests/unit/worker/ts/sample.h"
#include "worker/csa/core.h"

#include <criterion/criterion.h>
#include <dvbcsa/dvbcsa.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 6000 };

static const uint8_t even[] = { 0x12, 0x34, 0x56, 0x9c,
				0xab, 0xcd, 0xef, 0x67 };
static const uint8_t odd[] = { 1, 2, 3, 6, 4, 5, 6, 15 };

struct received {
	size_t n, calls;
	uint8_t data[MOST][TS_PACKET];
};

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct received *r = arg;

	r->calls++;
	for (size_t i = 0; i < n_runs; i++) {
		cr_assert_leq(r->n + runs[i].n, MOST);
		memcpy(r->data[r->n], runs[i].data, runs[i].n * TS_PACKET);
		r->n += runs[i].n;
	}
}

static struct received *received_new(void)
{
	return xcalloc(1, sizeof(struct received));
}

/* A clear packet of a number, with an adaptation field of `adaptation` bytes
 * after its length byte; -1: none. */
static void make_packet(uint8_t *p, unsigned number, int adaptation)
{
	size_t at = 4;

	memset(p, 0, TS_PACKET);
	p[0] = TS_SYNC_BYTE;
	p[1] = 0x41;
	p[3] = 0x10;
	if (adaptation >= 0) {
		p[3] = 0x30;
		p[4] = (uint8_t)adaptation;
		at = 5 + (size_t)adaptation;
	}
	for (size_t i = at; i < TS_PACKET; i++)
		p[i] = (uint8_t)(number * 7 + i);
	if (at + 3 <= TS_PACKET)
		memcpy(p + at, "\0\0\1", 3);
}

static void scramble(uint8_t *p, unsigned parity, const uint8_t *word)
{
	struct dvbcsa_key_s *key = dvbcsa_key_alloc();
	size_t offset = ts_payload_offset(p);

	dvbcsa_key_set(word, key);
	dvbcsa_encrypt(key, p + offset, (unsigned)(TS_PACKET - offset));
	p[3] |= (uint8_t)(parity << 6);
	dvbcsa_key_free(key);
}

static void feed(struct descrambler *d, const uint8_t *p, uint64_t now_ns)
{
	struct ts_run run = { p, 1 };

	descrambler_feed(d, &run, 1, now_ns);
}

static struct descrambler *with_words(struct received *r)
{
	struct descrambler *d = descrambler_new(csa_core(0), take, r);

	descrambler_set(d, DESCRAMBLER_EVEN, even);
	descrambler_set(d, DESCRAMBLER_ODD, odd);
	return d;
}

Test(descrambler, clear_even_and_odd_packets_keep_their_order)
{
	struct received *r = received_new();
	struct descrambler *d = with_words(r);
	uint8_t clear[TS_PACKET], p[TS_PACKET];

	for (unsigned i = 0; i < 2000; i++) {
		make_packet(p, i, (int)(i * 37 % 185) - 1);
		if (i * 2654435761U >> 30 == 0)
			scramble(p, DESCRAMBLER_EVEN, even);
		else if (i * 2654435761U >> 30 > 1)
			scramble(p, DESCRAMBLER_ODD, odd);
		feed(d, p, 0);
	}
	descrambler_turn(d, false, 0);
	cr_assert_eq(r->n, 2000);
	for (unsigned i = 0; i < 2000; i++) {
		make_packet(clear, i, (int)(i * 37 % 185) - 1);
		cr_assert_arr_eq(r->data[i], clear, TS_PACKET, "%u", i);
	}
	descrambler_free(&d);
	free(r);
}

static size_t full_batch(void)
{
	struct csa *c = csa_new(csa_core(0));
	size_t n = csa_batch(c);

	csa_free(&c);
	return n;
}

Test(descrambler, packets_wait_for_a_batch_a_time_or_a_silence)
{
	struct received *r = received_new();
	struct descrambler *d = with_words(r);
	uint8_t p[TS_PACKET];

	make_packet(p, 1, -1);
	feed(d, p, 1000 * MS);
	descrambler_turn(d, true, 1000 * MS);
	feed(d, p, 1010 * MS);
	descrambler_turn(d, true, 1019 * MS);
	cr_assert_eq(r->n, 0);
	descrambler_turn(d, true, 1020 * MS);
	cr_assert_eq(r->n, 2);
	feed(d, p, 1030 * MS);
	descrambler_turn(d, false, 1031 * MS);
	cr_assert_eq(r->n, 3);
	cr_assert_eq(r->calls, 2);

	scramble(p, DESCRAMBLER_ODD, odd);
	for (size_t i = 0; i < full_batch(); i++)
		feed(d, p, 1040 * MS);
	cr_assert_eq(r->n, 3 + full_batch());
	descrambler_free(&d);
	free(r);
}

Test(descrambler, packets_that_cannot_be_descrambled_stay_as_they_are)
{
	struct received *r = received_new();
	struct descrambler *d = descrambler_new(csa_core(0), take, r);
	uint8_t p[6][TS_PACKET];

	descrambler_set(d, DESCRAMBLER_EVEN, even);
	for (unsigned i = 0; i < 6; i++)
		make_packet(p[i], i, -1);
	scramble(p[0], DESCRAMBLER_ODD, odd); /* no word of this parity */
	p[1][3] |= 0x40; /* reserved for future use */
	scramble(p[2], DESCRAMBLER_EVEN, even);
	p[2][1] |= 0x80; /* transport_error_indicator */
	p[3][3] = 0xa0; /* no payload */
	p[4][3] = 0xb0;
	p[4][4] = 184; /* longer than the packet */
	p[5][3] = 0x80; /* reserved adaptation_field_control */
	for (unsigned i = 0; i < 6; i++)
		feed(d, p[i], 0);
	descrambler_turn(d, false, 0);
	cr_assert_eq(r->n, 6);
	cr_assert_arr_eq(r->data, p, sizeof p);
	cr_assert_eq(descrambler_take_counts(d, 0).starts, 0);
	descrambler_free(&d);
	free(r);
}

Test(descrambler, a_control_word_is_for_the_packets_after_it)
{
	struct received *r = received_new();
	struct descrambler *d = with_words(r);
	uint8_t clear[TS_PACKET], p[TS_PACKET];

	make_packet(clear, 5, -1);
	for (unsigned i = 0; i < 2; i++) {
		const uint8_t *word = i == 0 ? even : odd;

		descrambler_set(d, DESCRAMBLER_EVEN, word);
		memcpy(p, clear, sizeof p);
		scramble(p, DESCRAMBLER_EVEN, word);
		for (unsigned k = 0; k < 20; k++)
			feed(d, p, 0);
	}
	descrambler_turn(d, false, 0);
	cr_assert_eq(r->n, 40);
	for (unsigned i = 0; i < 40; i++)
		cr_assert_arr_eq(r->data[i], clear, TS_PACKET, "%u", i);
	descrambler_free(&d);
	free(r);
}

/* A packet of the number on a PID, scrambled with the word. */
static void feed_on(struct descrambler *d, uint16_t pid, unsigned number,
		    enum descrambler_parity parity, const uint8_t *word)
{
	uint8_t p[TS_PACKET];

	make_packet(p, number, -1);
	ts_set_pid(p, pid);
	scramble(p, parity, word);
	feed(d, p, 0);
}

Test(descrambler, the_word_for_the_running_parity_waits_for_its_next_period)
{
	static const uint8_t later[] = { 9, 8, 7, 24, 6, 5, 4, 15 };
	struct received *r = received_new();
	struct descrambler *d = descrambler_new(csa_core(0), take, r);
	uint8_t clear[TS_PACKET];
	unsigned n = 0;

	descrambler_assign_all(d, DESCRAMBLER_NO_GROUP);
	descrambler_assign(d, 0x100, 3);
	descrambler_assign(d, 0x101, 3);
	descrambler_offer(d, 3, DESCRAMBLER_EVEN, even);
	for (unsigned i = 0; i < 50; i++)
		feed_on(d, 0x100, n++, DESCRAMBLER_EVEN, even);
	/* both words of the next ECM arrive in the period of the first */
	descrambler_offer(d, 3, DESCRAMBLER_EVEN, later);
	descrambler_offer(d, 3, DESCRAMBLER_ODD, odd);
	for (unsigned i = 0; i < 50; i++)
		feed_on(d, 0x101, n++, DESCRAMBLER_EVEN, even);
	/* one PID changes its parity a little before the other */
	for (unsigned i = 0; i < 10; i++) {
		feed_on(d, 0x100, n++, DESCRAMBLER_ODD, odd);
		feed_on(d, 0x101, n++, DESCRAMBLER_EVEN, even);
	}
	for (unsigned i = 0; i < 50; i++)
		feed_on(d, 0x100, n++, DESCRAMBLER_ODD, odd);
	for (unsigned i = 0; i < 50; i++)
		feed_on(d, 0x101, n++, DESCRAMBLER_EVEN, later);
	descrambler_turn(d, false, 0);
	cr_assert_eq(r->n, n);
	for (unsigned i = 0; i < n; i++) {
		make_packet(clear, i, -1);
		ts_set_pid(clear, ts_pid(r->data[i]));
		cr_assert_arr_eq(r->data[i], clear, TS_PACKET, "%u", i);
	}
	descrambler_free(&d);
	free(r);
}

static const uint8_t third[] = { 9, 8, 7, 24, 6, 5, 4, 15 };

/* Feeds 50 packets, each the begin of a unit, and lets them leave. */
static void feed_period(struct descrambler *d, enum descrambler_parity parity,
			const uint8_t *word)
{
	for (unsigned i = 0; i < 50; i++)
		feed_on(d, 0x100, i, parity, word);
	descrambler_turn(d, false, 0);
}

static uint32_t wrong_starts(struct descrambler *d)
{
	return descrambler_take_counts(d, 0).wrong_starts;
}

Test(descrambler, a_late_word_counts_at_once)
{
	struct received *r = received_new();
	struct descrambler *d = descrambler_new(csa_core(0), take, r);

	descrambler_offer(d, 0, DESCRAMBLER_EVEN, even);
	descrambler_offer(d, 0, DESCRAMBLER_ODD, odd);
	feed_period(d, DESCRAMBLER_EVEN, even);
	feed_period(d, DESCRAMBLER_ODD, odd);
	cr_assert_eq(wrong_starts(d), 0);
	feed_period(d, DESCRAMBLER_EVEN, third);
	cr_assert_gt(wrong_starts(d), 0);
	/* with the word of the period before, which is no new one */
	descrambler_offer(d, 0, DESCRAMBLER_ODD, odd);
	descrambler_offer(d, 0, DESCRAMBLER_EVEN, third);
	feed_period(d, DESCRAMBLER_EVEN, third);
	cr_assert_eq(wrong_starts(d), 0);
	feed_on(d, 0x100, 0, DESCRAMBLER_ODD, even);
	descrambler_offer(d, 0, DESCRAMBLER_ODD, even);
	feed_period(d, DESCRAMBLER_ODD, even);
	cr_assert_eq(wrong_starts(d), 1);
	descrambler_free(&d);
	free(r);
}

Test(descrambler, a_word_that_is_right_stays_for_its_period)
{
	struct received *r = received_new();
	struct descrambler *d = descrambler_new(csa_core(0), take, r);

	/* the same in all periods, and then another one ahead of its time */
	descrambler_offer(d, 0, DESCRAMBLER_EVEN, even);
	descrambler_offer(d, 0, DESCRAMBLER_ODD, odd);
	for (unsigned i = 0; i < 3; i++) {
		feed_period(d, DESCRAMBLER_EVEN, even);
		feed_period(d, DESCRAMBLER_ODD, odd);
	}
	feed_period(d, DESCRAMBLER_EVEN, even);
	descrambler_offer(d, 0, DESCRAMBLER_EVEN, third);
	feed_period(d, DESCRAMBLER_EVEN, even);
	feed_period(d, DESCRAMBLER_ODD, odd);
	feed_period(d, DESCRAMBLER_EVEN, third);
	cr_assert_eq(wrong_starts(d), 0);
	descrambler_free(&d);
	free(r);
}

Test(descrambler, a_new_word_that_is_wrong_is_replaced_at_once)
{
	struct received *r = received_new();
	struct descrambler *d = descrambler_new(csa_core(0), take, r);

	descrambler_offer(d, 0, DESCRAMBLER_EVEN, odd);
	feed_period(d, DESCRAMBLER_EVEN, even);
	cr_assert_gt(wrong_starts(d), 0);
	descrambler_offer(d, 0, DESCRAMBLER_EVEN, even);
	feed_period(d, DESCRAMBLER_EVEN, even);
	cr_assert_eq(wrong_starts(d), 0);
	descrambler_free(&d);
	free(r);
}

Test(descrambler, groups_have_words_of_their_own)
{
	struct received *r = received_new();
	struct descrambler *d = descrambler_new(csa_core(0), take, r);
	uint8_t clear[TS_PACKET];

	descrambler_assign_all(d, DESCRAMBLER_NO_GROUP);
	descrambler_assign(d, 0x100, 0);
	descrambler_assign(d, 0x101, DESCRAMBLER_GROUPS - 1);
	descrambler_assign(d, 0x102, 5);
	descrambler_offer(d, 0, DESCRAMBLER_EVEN, even);
	descrambler_offer(d, DESCRAMBLER_GROUPS - 1, DESCRAMBLER_EVEN, odd);
	descrambler_offer(d, 5, DESCRAMBLER_ODD, odd);
	for (unsigned i = 0; i < 40; i++) {
		feed_on(d, 0x100, i, DESCRAMBLER_EVEN, even);
		feed_on(d, 0x101, i, DESCRAMBLER_EVEN, odd);
		feed_on(d, 0x102, i, DESCRAMBLER_EVEN, odd);
		feed_on(d, 0x103, i, DESCRAMBLER_EVEN, odd);
	}
	descrambler_turn(d, false, 0);
	cr_assert_eq(r->n, 160);
	for (unsigned i = 0; i < 160; i++) {
		make_packet(clear, i / 4, -1);
		ts_set_pid(clear, ts_pid(r->data[i]));
		if (i % 4 >= 2)
			scramble(clear, DESCRAMBLER_EVEN, odd);
		cr_assert_arr_eq(r->data[i], clear, TS_PACKET, "%u", i);
	}
	cr_assert_eq(descrambler_take_missed(d, 5), 40);
	cr_assert_eq(descrambler_take_missed(d, 5), 0);
	descrambler_forget(d, 0);
	feed_on(d, 0x100, 1, DESCRAMBLER_EVEN, even);
	descrambler_turn(d, false, 0);
	cr_assert_eq(ts_scrambling(r->data[160]), DESCRAMBLER_EVEN);
	descrambler_free(&d);
	free(r);
}

Test(descrambler, new_words_and_groups_let_no_packet_leave)
{
	static const uint8_t later[] = { 9, 8, 7, 24, 6, 5, 4, 15 };
	struct received *r = received_new();
	struct descrambler *d = descrambler_new(csa_core(0), take, r);
	uint8_t clear[TS_PACKET];

	descrambler_assign(d, 0x100, 1);
	descrambler_assign(d, 0x101, 1);
	descrambler_offer(d, 1, DESCRAMBLER_EVEN, even);
	descrambler_offer(d, 1, DESCRAMBLER_ODD, odd);
	feed_on(d, 0x100, 0, DESCRAMBLER_EVEN, even);
	descrambler_offer(d, 1, DESCRAMBLER_ODD, later);
	feed_on(d, 0x101, 1, DESCRAMBLER_ODD, later);
	descrambler_assign(d, 0x101, 2);
	feed_on(d, 0x100, 2, DESCRAMBLER_ODD, later);
	descrambler_assign_all(d, DESCRAMBLER_NO_GROUP);
	descrambler_forget(d, 1);
	cr_assert_eq(r->n, 0);
	descrambler_turn(d, false, 0);
	cr_assert_eq(r->n, 3);
	cr_assert_eq(r->calls, 1);
	for (unsigned i = 0; i < 3; i++) {
		make_packet(clear, i, -1);
		ts_set_pid(clear, ts_pid(r->data[i]));
		cr_assert_arr_eq(r->data[i], clear, TS_PACKET, "%u", i);
	}
	cr_assert_eq(descrambler_take_counts(d, 1).starts, 3);
	descrambler_free(&d);
	free(r);
}

Test(descrambler, pids_with_sections_are_not_judged)
{
	struct received *r = received_new();
	struct descrambler *d = with_words(r);

	descrambler_judge(d, 0x101, false);
	feed_on(d, 0x100, 0, DESCRAMBLER_EVEN, odd);
	feed_on(d, 0x101, 0, DESCRAMBLER_EVEN, odd);
	descrambler_turn(d, false, 0);
	cr_assert_eq(descrambler_take_counts(d, 0).wrong_starts, 1);
	descrambler_judge(d, 0x101, true);
	feed_on(d, 0x101, 0, DESCRAMBLER_EVEN, odd);
	descrambler_turn(d, false, 0);
	cr_assert_eq(descrambler_take_counts(d, 0).wrong_starts, 1);
	descrambler_free(&d);
	free(r);
}

Test(descrambler, a_wrong_word_shows_at_the_begin_of_units)
{
	struct received *r = received_new();
	struct descrambler *d = with_words(r);
	struct descrambler_counts counts;
	uint8_t p[TS_PACKET];

	for (unsigned i = 0; i < 100; i++) {
		make_packet(p, i, -1);
		scramble(p, DESCRAMBLER_EVEN, i % 2 ? even : odd);
		feed(d, p, 0);
		make_packet(p, i, -1);
		p[1] &= 0xbf; /* no begin */
		scramble(p, DESCRAMBLER_EVEN, odd);
		feed(d, p, 0);
	}
	descrambler_turn(d, false, 0);
	counts = descrambler_take_counts(d, 0);
	cr_assert_eq(counts.starts, 100);
	cr_assert_eq(counts.wrong_starts, 50);
	cr_assert_eq(descrambler_take_counts(d, 0).starts, 0);
	descrambler_free(&d);
	free(r);
}

Test(descrambler, collected_packets_of_a_closed_input_are_dropped)
{
	struct received *r = received_new();
	struct descrambler *d = with_words(r);
	uint8_t p[TS_PACKET];

	make_packet(p, 1, -1);
	scramble(p, DESCRAMBLER_EVEN, even);
	feed(d, p, 0);
	descrambler_reset(d);
	descrambler_turn(d, false, 0);
	cr_assert_eq(r->n, 0);
	descrambler_free(&d);
	free(r);
}

Test(descrambler, a_service_that_another_program_scrambled_is_clear)
{
	static const uint8_t word[] = { 0x01, 0x23, 0x45, 0x69,
					0x89, 0xab, 0xcd, 0x01 };
	static uint8_t scrambled[MOST][TS_PACKET], clear[MOST][TS_PACKET];
	struct received *r = received_new();
	struct descrambler *d = descrambler_new(csa_core(0), take, r);
	size_t n = sample_packets("test-026.csa.ts", scrambled, MOST);
	struct ts_run run = { scrambled[0], n };

	cr_assert_eq(sample_packets("test-026.decsa.ts", clear, MOST), n);
	descrambler_set(d, DESCRAMBLER_EVEN, word);
	descrambler_set(d, DESCRAMBLER_ODD, word);
	descrambler_feed(d, &run, 1, 0);
	descrambler_turn(d, false, 0);
	cr_assert_eq(r->n, n);
	cr_assert_arr_eq(r->data, clear, n * TS_PACKET);
	descrambler_free(&d);
	free(r);
}
