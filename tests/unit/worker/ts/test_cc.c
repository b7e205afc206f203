/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/cc.h"

#include "common/base/alloc.h"
#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { PID = 0x321 };

/*
 * One packet per word: the counter in hex, then
 *   = the same bytes as the one before   ~ no payload   ! discontinuity
 *   ? transport error                    # scrambled    - another PID
 */
struct script {
	const char *packets;
	unsigned errors, duplicates;
};

static const struct script scripts[] = {
	{ "7 8 9 a b c d e f 0 1 2", 0, 0 },
	{ "f 0 f 0", 1, 0 },
	{ "0 2", 1, 0 },
	{ "0 1 9 a b", 1, 0 },       /* a gap of any length is one */
	{ "5 5= 6", 0, 1 },          /* one repetition */
	{ "5 5= 5= 6", 1, 1 },       /* not two */
	{ "5 5= 5= 5= 6", 2, 1 },
	{ "5 5= 6 6= 7", 0, 2 },
	{ "5 5 6", 1, 0 },           /* 15 lost, not a duplicate */
	{ "5 5~ 5~ 6", 0, 0 },       /* no payload: does not count on */
	{ "5 6~ 7", 1, 0 },
	{ "5 6~ 6", 2, 0 },
	{ "5 5~ 5", 1, 0 },
	{ "5 5~ 5~ 5~ 6 6= 7", 0, 1 },
	{ "3 9! a b", 0, 0 },        /* announced */
	{ "3 9! b", 1, 0 },
	{ "3 3! 3= 4", 0, 0 },
	{ "3! 4 5", 0, 0 },
	{ "3 5! 5~ 6", 0, 0 },
	{ "9~ 9~ a b", 0, 0 },
	{ "1 2? 3 4", 0, 0 },        /* damaged behind its header */
	{ "1 9? 3 4", 1, 0 },        /* damaged counter: the gap alone */
	{ "1 9? 2 3", 0, 0 },        /* a damaged packet of another PID */
	{ "1 2? 2 3", 0, 0 },        /* the same, with the next counter */
	{ "1 2? 2 2= 3", 0, 1 },
	{ "1 2? 3? 4", 0, 0 },
	{ "1 2? 4", 1, 0 },
	{ "1 2? 2~ 3", 0, 0 },
	{ "1 2? 1~ 2", 0, 0 },
	{ "9? 4 5", 0, 0 },          /* is no first packet */
	{ "1# 2# 4# 5#", 1, 0 },
	{ "1 7- 2 8- 3", 0, 0 },
	{ "1 7- 3 9- 4", 2, 0 },
};

static void make(uint8_t *packet, const char *word, uint8_t id)
{
	unsigned cc = (unsigned)strtoul((char[]){ word[0], 0 }, NULL, 16);

	memset(packet, id, TS_PACKET);
	packet[0] = TS_SYNC_BYTE;
	packet[1] = word[1] == '?' ? 0x80 : 0;
	ts_set_pid(packet, word[1] == '-' ? PID + 1 : PID);
	packet[3] = word[1] == '~' ? 0x20 : 0x10;
	if (word[1] == '#')
		packet[3] |= 0x80;
	if (word[1] == '~' || word[1] == '!') {
		packet[3] |= 0x20;
		packet[4] = word[1] == '~' ? 183 : 1;
		packet[5] = word[1] == '!' ? 0x80 : 0;
	}
	ts_set_cc(packet, cc);
}

Test(cc, follows_the_rules_of_its_header)
{
	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
		struct cc *cc = xcalloc(1, sizeof *cc);
		unsigned errors = 0, duplicates = 0;
		uint8_t packet[TS_PACKET], id = 1;

		for (const char *w = scripts[i].packets; *w; id++) {
			size_t len = strcspn(w, " ");

			if (len < 2 || w[1] != '=')
				make(packet, w, id);

			enum cc_verdict v = cc_feed(cc, packet);

			errors += v == CC_ERROR;
			duplicates += v == CC_DUPLICATE;
			w += len + (w[len] == ' ');
		}
		cr_expect_eq(errors, scripts[i].errors, "\"%s\": %u errors",
			     scripts[i].packets, errors);
		cr_expect_eq(duplicates, scripts[i].duplicates,
			     "\"%s\": %u duplicates", scripts[i].packets,
			     duplicates);
		free(cc);
	}
}

Test(cc, ignores_null_packets_and_other_bytes)
{
	struct cc *cc = xcalloc(1, sizeof *cc);
	struct build *b = build_new();

	build_null(b)[3] = 0x10;
	build_null(b)[3] = 0x15;
	build_null(b)[3] = 0x11;
	build_payload(b, PID, 1);
	build_payload(b, PID, 2)[0] = 0x48;
	build_payload(b, PID, 3);
	for (size_t i = 0; i < 5; i++)
		cr_expect_eq(cc_feed(cc, build_packet(b, i)), CC_OK);
	cr_expect_eq(cc_feed(cc, build_packet(b, 5)), CC_ERROR);
	build_free(b);
	free(cc);
}

Test(cc, a_duplicate_may_carry_another_pcr)
{
	struct cc *cc = xcalloc(1, sizeof *cc);
	struct build *b = build_new();
	uint8_t *first = build_payload(b, PID, 1);
	uint8_t *second = build_payload(b, PID, 1);

	first[3] |= 0x20;
	first[4] = 7;
	first[5] = 0x10;
	memcpy(second, first, TS_PACKET);
	second[8] ^= 0x55;
	second[11] ^= 0x55;
	cr_expect_eq(cc_feed(cc, first), CC_OK);
	cr_expect_eq(cc_feed(cc, second), CC_DUPLICATE);
	build_free(b);
	free(cc);
}

/* Planted faults: exactly as many errors as were planted. */
Test(cc, counts_exactly_the_injected_errors)
{
	static const struct {
		const char *what;
		int drop, swap, repeat;
		unsigned each; /* errors of one fault */
	} faults[] = {
		{ "drop one", 1, 0, 0, 1 },
		{ "drop fifteen", 15, 0, 0, 1 },
		{ "swap two", 0, 1, 0, 3 },
		{ "send twice", 0, 0, 1, 0 },
		{ "send thrice", 0, 0, 2, 1 },
	};
	enum { N = 1000, EVERY = 100 };

	for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
		struct cc *cc = xcalloc(1, sizeof *cc);
		struct build *b = build_new();
		unsigned errors = 0, planted = 0;

		for (size_t i = 0; i < N; i++)
			build_payload(b, PID, 0);
		for (size_t i = 0; i < N; i++) {
			size_t at = i;

			if (i % EVERY == 50 && faults[f].swap) {
				planted++;
				at = i + 1;
			} else if (i % EVERY == 51 && faults[f].swap) {
				at = i - 1;
			} else if (i % EVERY == 50) {
				planted++;
				i += (size_t)faults[f].drop;
				at = i;
			}
			errors += cc_feed(cc, build_packet(b, at)) == CC_ERROR;
			for (int k = 0; k < faults[f].repeat &&
			     i % EVERY == 50; k++)
				errors += cc_feed(cc, build_packet(b, at)) ==
					CC_ERROR;
		}
		cr_expect_eq(errors, planted * faults[f].each, "%s: %u",
			     faults[f].what, errors);
		build_free(b);
		free(cc);
	}
}

/* Feeds the packet at a place, and judges as the owners of cc_step() do. */
static bool is_error(struct cc *cc, struct build *b, size_t at)
{
	const uint8_t *p = build_packet(b, at);
	uint16_t before = cc->pid[ts_pid(p)];

	return cc_feed(cc, p) == CC_ERROR && !cc_is_excused(cc, before, p);
}

Test(cc, a_damaged_packet_excuses_one_missing_packet_until_the_next_second)
{
	struct cc *cc = xcalloc(1, sizeof *cc);
	struct build *b = build_new();

	for (size_t i = 0; i < 16; i++)
		build_payload(b, PID, 0);
	build_packet(b, 1)[1] |= 0x80;
	ts_set_pid(build_packet(b, 1), PID + 1);
	build_packet(b, 8)[1] |= 0x80;
	ts_set_pid(build_packet(b, 8), PID + 1);
	build_packet(b, 10)[1] |= 0x80;
	ts_set_pid(build_packet(b, 10), PID + 1);
	cr_expect_not(is_error(cc, b, 0));
	cr_expect_not(is_error(cc, b, 1));
	cc_every_second(cc);
	cr_expect_not(is_error(cc, b, 2));
	/* it excuses no other gap */
	cr_expect(is_error(cc, b, 4));
	/* nor two packets */
	cr_expect_not(is_error(cc, b, 8));
	cr_expect(is_error(cc, b, 7));
	cr_expect(is_error(cc, b, 9));
	/* nor a later one */
	cr_expect_not(is_error(cc, b, 10));
	cc_every_second(cc);
	cc_every_second(cc);
	cr_expect(is_error(cc, b, 11));
	build_free(b);
	free(cc);
}
