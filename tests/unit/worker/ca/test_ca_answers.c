/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Softcams whose answers are late, missing, wrong, or in another order. */
#include "tests/unit/worker/ca/ca_rig.h"

#include "common/base/hex.h"

#include <criterion/criterion.h>
#include <string.h>

Test(ca_answers, the_next_softcam_is_asked_when_the_first_is_late_or_refuses)
{
	struct rig *g = rig_new("c1,c2", 0);

	rig_report(g, "c1", CAID_A, "");
	rig_report(g, "c2", CAID_A, "");
	rig_put_tables(g, 0, false);
	/* late: the second one after the usual time */
	rig_put_ecm(g, ECM_A, 0);
	rig_turn(g, 1);
	cr_assert_eq(g->n_asked, 1);
	cr_assert_str_eq(g->asked[0].name, "c1");
	rig_turn(g, CA_HEDGE_DEFAULT_MS - 1);
	cr_assert_eq(g->n_asked, 1);
	rig_turn(g, 1);
	cr_assert_eq(g->n_asked, 2);
	cr_assert_str_eq(g->asked[1].name, "c2");
	rig_answer(g, &g->asked[1], 0);
	rig_put_period(g, 0);
	rig_answer(g, &g->asked[0], 0);
	/* refuses: at once */
	rig_put_ecm(g, ECM_A, 1);
	rig_turn(g, 1);
	cr_assert_eq(g->n_asked, 3);
	rig_refuse(g, rig_last(g), "not found");
	rig_turn(g, 1);
	cr_assert_eq(g->n_asked, 4);
	cr_assert_str_eq(rig_last(g)->name, "c2");
	rig_answer(g, rig_last(g), 0);
	rig_put_period(g, 1);
	/* not logged in: the other one alone */
	rig_report(g, "c1", 0, "connection failed");
	rig_put_ecm(g, ECM_A, 2);
	rig_turn(g, 1);
	cr_assert_eq(g->n_asked, 5);
	cr_assert_str_eq(rig_last(g)->name, "c2");
	rig_answer(g, rig_last(g), 0);
	rig_put_period(g, 2);
	rig_assert_clear(g);
	rig_free(g);
}

Test(ca_answers, a_softcam_with_wrong_words_is_left)
{
	struct rig *g = rig_new("c1,c2", 0);
	unsigned period = 0;

	rig_report(g, "c1", CAID_A, "");
	rig_report(g, "c2", CAID_A, "");
	rig_put_tables(g, 0, false);
	for (; period < 2; period++) {
		rig_put_ecm(g, ECM_A, period);
		rig_turn(g, 1);
		cr_assert_str_eq(rig_last(g)->name, "c1");
		rig_answer(g, rig_last(g), 9);
		rig_put_period(g, period);
		(void)ca_stage_second(g->stage, g->now_ns);
	}
	rig_turn(g, 1);
	cr_assert_str_eq(rig_last(g)->name, "c2");
	rig_answer(g, rig_last(g), 0);
	(void)rig_scrambled(g);
	rig_put_ecm(g, ECM_A, period);
	rig_turn(g, 1);
	cr_assert_str_eq(rig_last(g)->name, "c2");
	rig_answer(g, rig_last(g), 0);
	rig_put_period(g, period);
	rig_assert_clear(g);
	rig_free(g);
}

static void assert_wrong(struct rig *g, const char *text)
{
	struct descrambler_counts counts =
		ca_stage_second(g->stage, g->now_ns);
	struct errmsg error;

	cr_assert_gt(counts.wrong_starts, counts.starts / 2);
	ca_stage_explain_wrong(g->stage, &counts, &error);
	cr_assert_eq(strncmp(error.text, text, strlen(text)), 0, "%s",
		     error.text);
}

Test(ca_answers, words_of_an_earlier_ecm_are_late_and_not_wrong)
{
	struct rig *g = rig_new("c1", 0);

	rig_report(g, "c1", CAID_A, "");
	rig_put_tables(g, 0, false);
	rig_put_ecm(g, ECM_A, 0);
	rig_turn(g, 1);
	rig_answer(g, rig_last(g), 0);
	rig_put_period(g, 0);
	rig_put_period(g, 1);
	(void)ca_stage_second(g->stage, g->now_ns);
	/* its words are those of an ECM that is not answered */
	rig_put_ecm(g, ECM_A, 2);
	rig_turn(g, 1);
	rig_put_period(g, 2);
	rig_turn(g, 900);
	rig_put_ecm(g, ECM_A, 3);
	rig_turn(g, 100);
	rig_put_period(g, 3);
	assert_wrong(g, "softcam c1: waiting for the control word; with the "
			"last control word ");
	rig_turn(g, 1000);
	rig_put_period(g, 3);
	assert_wrong(g, "softcam c1: no control word: timeout; with the last "
			"control word ");
	rig_report(g, "c1", 0, "connection failed");
	rig_put_period(g, 3);
	assert_wrong(g, "softcam c1: connection failed; with the last "
		     "control word ");
	rig_report(g, "c1", CAID_A, "");
	rig_turn(g, 1);
	(void)rig_scrambled(g);
	rig_answer(g, rig_last(g), 9);
	rig_put_period(g, 3);
	assert_wrong(g, "softcam c1: the control words are wrong: ");
	rig_free(g);
}

Test(ca_answers, scrambled_sections_are_no_sign_of_wrong_words)
{
	struct rig *g = rig_new("c1,c2", 0);

	g->n_components = 3;
	rig_report(g, "c1", CAID_A, "");
	rig_report(g, "c2", CAID_A, "");
	rig_put_tables(g, 0, false);
	for (unsigned period = 0; period < 6; period++) {
		struct descrambler_counts counts;

		rig_put_ecm(g, ECM_A, period);
		rig_turn(g, 1);
		cr_assert_str_eq(rig_last(g)->name, "c1");
		rig_answer(g, rig_last(g), 0);
		rig_put_period(g, period);
		for (unsigned i = 0; i < 2 * PERIOD; i++)
			rig_put_packet(g, DATA, period, 0);
		rig_turn(g, 30);
		counts = ca_stage_second(g->stage, g->now_ns);
		cr_assert_gt(counts.starts, 0);
		cr_assert_eq(counts.wrong_starts, 0);
	}
	rig_assert_clear(g);
	rig_free(g);
}

Test(ca_answers, an_answer_that_is_slower_than_a_period_still_counts)
{
	struct rig *g = rig_new("c1", 400);
	struct question q = { 0 };

	rig_report(g, "c1", CAID_A, "");
	rig_put_tables(g, 0, false);
	for (unsigned period = 0; period < 20; period++) {
		rig_put_ecm(g, ECM_A, period);
		rig_turn(g, 0);
		/* that of the last period */
		if (period > 0)
			rig_answer(g, &q, 0);
		q = *rig_last(g);
		rig_put_period(g, period);
	}
	rig_answer(g, &q, 0);
	rig_turn(g, 400);
	rig_assert_clear(g);
	rig_free(g);
}

/* As a server that knows no word but that of the period. */
static void answer_alone(struct rig *g)
{
	const struct question *q = rig_last(g);
	struct msg_cam_word m = { .name = q->name, .number = q->number,
				  .error = "", .even = "", .odd = "" };
	char digits[17];
	uint8_t word[8];

	rig_word_of(q->period, 0, word);
	hex_write(digits, word, sizeof word);
	*(q->period & 1 ? &m.odd : &m.even) = digits;
	ca_stage_take_word(g->stage, &m, g->now_ns);
}

Test(ca_answers, an_answer_within_its_period_counts_from_there_on)
{
	struct rig *g = rig_new("c1", 0);

	rig_report(g, "c1", CAID_A, "");
	rig_put_tables(g, 0, false);
	for (unsigned period = 0; period < 8; period++) {
		rig_put_ecm(g, ECM_A, period);
		rig_turn(g, 1);
		rig_put_period(g, period);
		(void)rig_scrambled(g);
		answer_alone(g);
		rig_put_period(g, period);
		rig_assert_clear(g);
		(void)rig_scrambled(g);
	}
	rig_free(g);
}

/* Both softcams are asked: the first one does not answer in its time. */
static void ask_both(struct rig *g, unsigned period, struct question ret[2])
{
	size_t before = g->n_asked;

	rig_put_ecm(g, ECM_A, period);
	rig_turn(g, 0);
	rig_turn(g, 1000);
	cr_assert_eq(g->n_asked, before + 2);
	ret[0] = g->asked[before];
	ret[1] = g->asked[before + 1];
	cr_assert_str_eq(ret[0].name, "c1");
	cr_assert_str_eq(ret[1].name, "c2");
}

Test(ca_answers, a_late_answer_does_not_replace_the_words_of_a_newer_ecm)
{
	struct rig *g = rig_new("c1,c2", 0);
	struct question old[2], new[2];

	rig_report(g, "c1", CAID_A, "");
	rig_report(g, "c2", CAID_A, "");
	rig_put_tables(g, 0, false);
	ask_both(g, 0, old);
	rig_answer(g, &old[0], 0);
	rig_put_period(g, 0);
	ask_both(g, 1, new);
	rig_answer(g, &new[0], 0);
	rig_put_period(g, 1);
	rig_answer(g, &old[1], 0);
	/* its word came with the answer to the newer ECM */
	rig_put_period(g, 2);
	rig_assert_clear(g);
	rig_free(g);
}

Test(ca_answers, with_shift_a_late_answer_counts_for_its_packets_that_wait)
{
	struct rig *g = rig_new("c1,c2", 5000);
	struct question old[2], new[2];

	rig_report(g, "c1", CAID_A, "");
	rig_report(g, "c2", CAID_A, "");
	rig_put_tables(g, 0, false);
	ask_both(g, 0, old);
	rig_put_period(g, 0);
	ask_both(g, 1, new);
	rig_put_period(g, 1);
	rig_answer(g, &new[0], 0);
	rig_answer(g, &old[1], 0);
	rig_put_period(g, 2);
	rig_turn(g, 5000);
	rig_assert_clear(g);
	rig_free(g);
}

Test(ca_answers, ecms_that_alternate_faster_than_their_answers_are_answered)
{
	struct rig *g = rig_new("c1", 0);

	rig_report(g, "c1", CAID_A, "");
	rig_put_tables(g, 0, false);
	/* that of the card and that of others, 60 ms before the answers */
	for (unsigned i = 0; i < 12; i++) {
		rig_put_ecm(g, ECM_A, i % 2 ? 4 : 900);
		rig_turn(g, 10);
		cr_assert_eq(g->n_asked, i + 1);
		if (i < 6)
			continue;
		if (g->asked[i - 6].period == 4)
			rig_answer(g, &g->asked[i - 6], 0);
		else
			rig_refuse(g, &g->asked[i - 6], "not found");
	}
	rig_put_period(g, 4);
	rig_assert_clear(g);
	rig_free(g);
}
