/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/ca/ca_rig.h"
#include "worker/ca/ca_stage_state.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(ca_stage, a_service_is_clear_over_many_key_changes)
{
	struct rig *g = rig_new("c1", 0);

	rig_report(g, "c1", CAID_A, "");
	rig_put_tables(g, 0, false);
	for (unsigned period = 0; period < 1000; period++) {
		/* repeated, and ahead of the period */
		rig_put_ecm(g, ECM_A, period);
		rig_put_ecm(g, ECM_B, period);
		rig_turn(g, 1);
		cr_assert_eq(g->n_asked, period + 1);
		cr_assert_eq(rig_last(g)->period, period);
		cr_assert_eq(rig_last(g)->sid, SID);
		cr_assert_eq(rig_last(g)->caid, CAID_A);
		rig_answer(g, rig_last(g), 0);
		rig_put_ecm(g, ECM_A, period);
		for (unsigned i = 0; i < 20; i++)
			rig_put_packet(g, i % 4 == 0 ? AUDIO : VIDEO, period,
				       0);
		rig_turn(g, 1);
	}
	rig_assert_clear(g);
	rig_free(g);
}

Test(ca_stage, the_first_ecms_may_be_skipped)
{
	struct rig *g = rig_new("c1", 0);
	struct msg_stream_cam cam = {
		.softcam = "c1", .error = "", .caid = CAID_A, .ua = "",
		.timeout_ms = 1000, .skip_ecm = 3,
	};

	ca_stage_take_cam(g->stage, &cam, g->now_ns);
	rig_put_tables(g, 0, false);
	for (unsigned i = 0; i < 3; i++) {
		rig_put_ecm(g, ECM_A, i);
		rig_turn(g, 1);
		cr_assert_eq(g->n_asked, 0, "ECM %u", i);
	}
	rig_put_ecm(g, ECM_A, 3);
	rig_turn(g, 1);
	cr_assert_eq(g->n_asked, 1);
	cr_assert_eq(rig_last(g)->period, 3);
	rig_free(g);
}

Test(ca_stage, words_ahead_of_their_period_do_not_disturb_the_running_one)
{
	struct rig *g = rig_new("c1", 0);

	rig_report(g, "c1", CAID_A, "");
	rig_put_tables(g, 0, false);
	rig_put_ecm(g, ECM_A, 0);
	rig_turn(g, 1);
	rig_answer(g, rig_last(g), 0);
	for (unsigned period = 0; period < 50; period++) {
		rig_put_period(g, period);
		/* the ECM of the next period, which has the word of the period
		 * after it for the parity that is in use */
		rig_put_ecm(g, ECM_A, period + 1);
		rig_turn(g, 1);
		rig_answer(g, rig_last(g), 0);
		rig_put_period(g, period);
	}
	rig_assert_clear(g);
	rig_free(g);
}

Test(ca_stage, components_with_their_own_ecms_have_their_own_words)
{
	struct rig *g = rig_new("c1,c2", 0);

	rig_report(g, "c1", CAID_A, "");
	rig_report(g, "c2", CAID_B, "");
	rig_put_tables(g, 0, true);
	for (unsigned period = 0; period < 20; period++) {
		rig_put_ecm(g, ECM_A, period);
		rig_put_ecm(g, ECM_B, period);
		rig_turn(g, 1);
		cr_assert_eq(g->n_asked, 2 * (period + 1));
		for (size_t i = g->n_asked - 2; i < g->n_asked; i++)
			rig_answer(g, &g->asked[i],
			       g->asked[i].caid == CAID_B ? 5 : 0);
		for (unsigned i = 0; i < PERIOD; i++) {
			rig_put_packet(g, VIDEO, period, 0);
			rig_put_packet(g, AUDIO, period, 5);
		}
	}
	rig_assert_clear(g);
	rig_free(g);
}

Test(ca_stage, the_last_words_stay_while_the_softcam_is_away)
{
	struct rig *g = rig_new("c1", 0);
	struct errmsg error;

	rig_report(g, "c1", CAID_A, "");
	rig_put_tables(g, 0, false);
	rig_put_ecm(g, ECM_A, 0);
	rig_turn(g, 1);
	rig_answer(g, rig_last(g), 0);
	rig_put_period(g, 0);
	rig_report(g, "c1", 0, "connection failed");
	rig_put_period(g, 0);
	rig_put_ecm(g, ECM_A, 1);
	rig_put_period(g, 1); /* its word came with the first answer */
	rig_assert_clear(g);
	rig_put_tables(g, 1, false);
	/* asks again after the login */
	cr_assert_eq(g->n_asked, 1);
	rig_report(g, "c1", CAID_A, "");
	rig_turn(g, 1);
	cr_assert_eq(g->n_asked, 2);
	cr_assert_eq(rig_last(g)->period, 1);
	rig_answer(g, rig_last(g), 0);
	rig_put_period(g, 2);
	rig_assert_clear(g);
	(void)ca_stage_second(g->stage, g->now_ns);
	cr_assert_not(ca_stage_error(g->stage, &error));
	rig_free(g);
}

Test(ca_stage, the_same_ecm_is_asked_about_once)
{
	struct rig *g = rig_new("c1", 0);

	rig_report(g, "c1", CAID_A, "");
	rig_put_tables(g, 0, false);
	for (unsigned i = 0; i < 20; i++) {
		rig_put_ecm(g, ECM_A, 4);
		rig_turn(g, 10);
	}
	cr_assert_eq(g->n_asked, 1);
	rig_refuse(g, rig_last(g), "not found");
	for (unsigned i = 0; i < 20; i++) {
		rig_put_ecm(g, ECM_A, 4);
		rig_turn(g, 100);
	}
	cr_assert_eq(g->n_asked, 1);
	rig_put_ecm(g, ECM_A, 5);
	rig_turn(g, 1);
	cr_assert_eq(g->n_asked, 2);
	rig_free(g);
}

static void assert_error(struct rig *g, const char *text)
{
	struct errmsg error;

	(void)ca_stage_second(g->stage, g->now_ns);
	cr_assert(ca_stage_error(g->stage, &error), "%s", text);
	cr_assert_str_eq(error.text, text);
}

Test(ca_stage, a_missing_word_has_its_reason)
{
	struct rig *g = rig_new("c1", 0);
	struct msg_stream_cam skips = { .softcam = "c1", .error = "",
					.caid = 0x1234, .ua = "",
					.timeout_ms = 1000 };

	rig_put_tables(g, 0, false);
	rig_put_period(g, 0);
	assert_error(g, "softcam c1: not connected");
	cr_assert_eq(rig_scrambled(g), 2 * PERIOD);
	rig_report(g, "c1", 0, "login failed");
	rig_put_period(g, 0);
	assert_error(g, "softcam c1: login failed");
	ca_stage_take_cam(g->stage, &skips, g->now_ns);
	rig_put_period(g, 0);
	assert_error(g, "softcam c1: program 7 has no ECM of CAID 1234, the "
			"CAID of the card");
	rig_report(g, "c1", CAID_A, "");
	rig_put_period(g, 0);
	assert_error(g, "softcam c1: no ECM received on PID 513");
	rig_put_ecm(g, ECM_A, 0);
	rig_put_period(g, 0);
	assert_error(g, "softcam c1: waiting for the control word");
	rig_turn(g, 1000);
	rig_put_period(g, 0);
	assert_error(g, "softcam c1: no control word: timeout");
	/* late, and still the word of this ECM */
	(void)rig_scrambled(g);
	rig_answer(g, rig_last(g), 0);
	rig_put_period(g, 0);
	rig_assert_clear(g);
	rig_free(g);
}

Test(ca_stage, a_pmt_without_ca_descriptors_and_pes_scrambling_have_a_reason)
{
	struct rig *g = rig_new("c1", 0);
	uint8_t pat[20] = { 0, 0, 0, 0, 1, 0xc1, 0, 0, 0, SID, 0xe0, PMT_PID };
	uint8_t pmt[32] = { 2, 0, 0, 0, SID, 0xc1, 0, 0, 0xe1, 1, 0xf0, 0,
			    0x1b, 0xe1, 1, 0xf0, 0 };
	uint8_t p[TS_PACKET] = { TS_SYNC_BYTE, 0x41, 1, 0x10, 0, 0, 1, 0xe0, 0,
				 0, 0xb0 };

	rig_report(g, "c1", CAID_A, "");
	rig_put_table(g, 0, pat, 12);
	rig_put_table(g, PMT_PID, pmt, 17);
	rig_put_period(g, 0);
	assert_error(g, "softcam c1: the PMT has no CA descriptor");
	rig_put(g, p, p);
	assert_error(g, "the stream is scrambled at PES level, which is not "
			"supported: only scrambling at TS level is");
	rig_free(g);
}

Test(ca_stage, words_with_wrong_checksums_are_used_only_with_ignore_cw)
{
	struct rig *g = rig_new("c1", 0);
	struct msg_cam_word m = { .name = "c1", .error = "", .even = "",
				  .odd = "0102030005060700" };
	struct msg_stream_cam any = { .softcam = "c1", .error = "",
				      .caid = CAID_A, .ua = "",
				      .timeout_ms = 1000, .ignore_cw = true };

	rig_report(g, "c1", CAID_A, "");
	rig_put_tables(g, 0, false);
	rig_put_ecm(g, ECM_A, 1);
	rig_turn(g, 1);
	m.number = rig_last(g)->number;
	ca_stage_take_word(g->stage, &m, g->now_ns);
	rig_put_period(g, 1);
	assert_error(g, "softcam c1: no control word: wrong checksum of the "
			"control word");
	cr_assert_eq(rig_scrambled(g), 2 * PERIOD);
	ca_stage_take_cam(g->stage, &any, g->now_ns);
	rig_turn(g, 1);
	m.number = rig_last(g)->number;
	ca_stage_take_word(g->stage, &m, g->now_ns);
	rig_put_period(g, 1);
	cr_assert_eq(rig_scrambled(g), 0);
	rig_free(g);
}

Test(ca_stage, answers_of_others_and_to_other_questions_are_ignored)
{
	static const char *const digits[] = { "", "0", "zz", "000102030405060",
					      "00010203040506070" };
	struct rig *g = rig_new("c1", 0);
	struct question q;

	rig_report(g, "c1", CAID_A, "");
	rig_report(g, "c9", CAID_A, "");
	rig_put_tables(g, 0, false);
	rig_put_ecm(g, ECM_A, 1);
	rig_turn(g, 1);
	q = *rig_last(g);
	q.number++;
	rig_answer(g, &q, 0);
	q.number -= 2;
	rig_answer(g, &q, 0);
	q = *rig_last(g);
	(void)snprintf(q.name, sizeof q.name, "c2");
	rig_answer(g, &q, 0);
	rig_put_period(g, 1);
	cr_assert_eq(rig_scrambled(g), 2 * PERIOD);
	for (size_t i = 0; i < ARRAY_LEN(digits); i++) {
		struct msg_cam_word m = { .name = "c1", .error = "",
					  .number = rig_last(g)->number,
					  .even = digits[i],
					  .odd = digits[i] };

		ca_stage_take_word(g->stage, &m, g->now_ns);
	}
	rig_put_period(g, 1);
	cr_assert_eq(rig_scrambled(g), 2 * PERIOD);
	rig_free(g);
}

Test(ca_stage, shift_gives_a_late_word_its_time)
{
	static const struct ca_later zero;
	struct rig *g = rig_new("c1", 200);
	struct question q = { 0 };

	rig_report(g, "c1", CAID_A, "");
	rig_put_tables(g, 0, false);
	for (unsigned period = 0; period < 20; period++) {
		rig_put_ecm(g, ECM_A, period);
		rig_turn(g, 0);
		q = *rig_last(g);
		/* 40 ms of its packets are there when the answer comes */
		rig_put_period(g, period);
		rig_answer(g, &q, 0);
		rig_turn(g, 60);
	}
	cr_assert_lt(g->n_out, g->n_clear);
	cr_assert_neq(ca_stage_next_ns(g->stage), UINT64_MAX);
	rig_turn(g, 200);
	cr_assert_eq(ca_stage_next_ns(g->stage), UINT64_MAX);
	rig_assert_clear(g);
	/* no word that was used waits in memory */
	for (size_t i = 0; i < CA_LATER_MAX; i++)
		cr_assert_arr_eq(g->stage->groups[0].later[i].words,
				 zero.words, sizeof zero.words, "%zu", i);
	rig_free(g);
}

Test(ca_stage, packets_that_wait_survive_that_the_pmt_drops_their_component)
{
	struct rig *g = rig_new("c1", 0);

	rig_report(g, "c1", CAID_A, "");
	rig_put_tables(g, 0, false);
	rig_put_ecm(g, ECM_A, 0);
	rig_turn(g, 1);
	rig_answer(g, rig_last(g), 0);
	for (unsigned i = 0; i < 4; i++) {
		rig_put_packet(g, VIDEO, 0, 0);
		rig_put_packet(g, AUDIO, 0, 0);
	}
	g->n_components = 1;
	rig_put_tables(g, 1, false);
	for (unsigned i = 0; i < PERIOD; i++)
		rig_put_packet(g, VIDEO, 0, 0);
	rig_assert_clear(g);
	rig_free(g);
}

Test(ca_stage, messages_between_two_reads_let_no_packet_leave)
{
	struct rig *g = rig_new("c1", 0);
	size_t n;

	rig_report(g, "c1", CAID_A, "");
	rig_put_tables(g, 0, false);
	rig_put_ecm(g, ECM_A, 0);
	rig_turn(g, 1);
	rig_answer(g, rig_last(g), 0);
	/* its word is that of the other parity */
	rig_put_ecm(g, ECM_A, 3);
	rig_turn(g, 30);
	rig_put_packet(g, VIDEO, 0, 0);
	rig_put_packet(g, AUDIO, 0, 0);
	n = g->n_out;
	cr_assert_eq(n + 2, g->n_clear);
	rig_answer(g, rig_last(g), 0);
	rig_report(g, "c1", 0, "connection failed");
	rig_report(g, "c1", CAID_A, "");
	cr_assert_eq(g->n_out, n);
	rig_put_period(g, 3);
	rig_assert_clear(g);
	rig_free(g);
}

Test(ca_stage, the_default_shift_is_that_of_a_softcam_that_exists)
{
	struct rig *g = rig_new("c1", CAM_SHIFT_DEFAULT);
	struct msg_stream_cam cam = {
		.softcam = "c1", .error = "there is no such softcam",
		.ua = "", .timeout_ms = 1000,
	};

	ca_stage_take_cam(g->stage, &cam, g->now_ns);
	cam.error = "not connected";
	cam.shift_ms = 200;
	ca_stage_take_cam(g->stage, &cam, g->now_ns);
	rig_put_packet(g, VIDEO, 0, 0);
	cr_assert_eq(ca_stage_next_ns(g->stage), g->now_ns + 200 * MS);
	/* from then on it stays */
	cam.error = "";
	cam.shift_ms = 900;
	ca_stage_take_cam(g->stage, &cam, g->now_ns);
	cr_assert_eq(ca_stage_next_ns(g->stage), g->now_ns + 200 * MS);
	rig_free(g);
}

Test(ca_stage, emms_for_the_card_go_to_the_softcam_in_bounds)
{
	struct rig *g = rig_new("c1", 0);
	struct msg_stream_cam cam = {
		.softcam = "c1", .error = "", .caid = CAID_A, .emm = true,
		.ua = "0000A1B2C3D4E5F6", .timeout_ms = 1000,
	};
	uint8_t cat[32] = { 1, 0, 0, 0xff, 0xff, 0xc1, 0, 0, 9, 4,
			    CAID_A >> 8, CAID_A & 0xff, 0xe3, 0 };
	uint8_t emm[16] = { 0x82, 0x70, 13, 0xa1, 0xb2, 0xc3, 0xd4, 0xe5,
			    0xf6 };

	ca_stage_take_cam(g->stage, &cam, g->now_ns);
	rig_put_table(g, 1, cat, 14);
	rig_put_section(g, EMM_PID, emm, sizeof emm);
	cr_assert_eq(g->n_asked, 1);
	cr_assert(g->asked[0].emm);
	cr_assert_eq(g->asked[0].caid, CAID_A);
	emm[5] ^= 1; /* of another card */
	rig_put_section(g, EMM_PID, emm, sizeof emm);
	cr_assert_eq(g->n_asked, 1);
	emm[0] = 0x88; /* of all cards */
	for (unsigned i = 0; i < 100; i++) {
		emm[15] = (uint8_t)i;
		rig_put_section(g, EMM_PID, emm, sizeof emm);
	}
	cr_assert_eq(g->n_asked, CA_EMM_RATE);
	(void)ca_stage_second(g->stage, g->now_ns);
	cam.emm = false;
	ca_stage_take_cam(g->stage, &cam, g->now_ns);
	rig_put_section(g, EMM_PID, emm, sizeof emm);
	cr_assert_eq(g->n_asked, CA_EMM_RATE);
	rig_free(g);
}

Test(ca_stage, any_bytes_in_tables_and_ecms_are_survived)
{
	struct rig *g = rig_new("c1,c2", 0);
	uint8_t s[600], p[TS_PACKET];

	srand(3);
	rig_report(g, "c1", CAID_A, "");
	rig_put_tables(g, 0, false);
	for (unsigned i = 0; i < 4000; i++) {
		size_t len = 12 + (size_t)rand() % 500;

		for (size_t k = 0; k < sizeof s; k++)
			s[k] = (uint8_t)rand();
		s[0] = (uint8_t)(i % 4);
		s[5] = (uint8_t)(0xc1 | (i << 1 & 0x3e));
		s[6] = s[7] = 0;
		if (i % 4 < 3)
			rig_put_table(g, i % 2 ? 0 : PMT_PID, s, len);
		else
			rig_put_section(g, ECM_A, s, len);
		for (size_t k = 1; k < TS_PACKET; k++)
			p[k] = (uint8_t)rand();
		p[0] = TS_SYNC_BYTE;
		rig_put(g, p, p);
		rig_turn(g, 1);
		if (g->n_asked > ASKED_MAX / 2)
			g->n_asked = 0;
		if (g->n_clear > OUT_MAX / 2)
			(void)rig_scrambled(g);
	}
	rig_free(g);
}
