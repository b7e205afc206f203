/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session with a server that sends listed PIDs. */
#include "tests/unit/worker/adapter/satip/rig.h"

#include <criterion/criterion.h>
#include <string.h>

#define PLAY_PIDS(query) "PLAY rtsp://192.0.2.1:554/stream=0?" query " RTSP/1.0"

static void play_list(struct rig *rig)
{
	static const char *const replies[REPLIES_MAX] = { SETUP, OK };

	rig_begin_with(rig, SATIP_UDP, true);
	rig_serve(rig, replies);
	cr_assert_eq(rig->s.state, SATIP_ON);
	rig_pass(rig, 200);
	cr_assert(!rig_take_request(rig), "%s", rig->last);
}

static void expect(struct rig *rig, const char *request)
{
	rig_pass(rig, 100);
	satip_session_media(&rig->s, rig->now_ns);
	cr_assert(rig_take_request(rig), "no %s", request);
	cr_assert_eq(strncmp(rig->last, request, strlen(request)), 0, "%s",
		     rig->last);
}

static void expect_none(struct rig *rig)
{
	rig_pass(rig, 500);
	satip_session_media(&rig->s, rig->now_ns);
	cr_assert(!rig_take_request(rig), "%s", rig->last);
}

Test(satip_session_pids, changes_the_pids_of_a_server_while_it_plays)
{
	struct rig rig;

	rig_begin_with(&rig, SATIP_UDP, true);
	cr_assert(rig_take_request(&rig));
	cr_assert_not_null(strstr(rig.last, "&pids=0,17,256 RTSP/1.0"));
	rig_finish(&rig);
	play_list(&rig);
	rig_want(&rig, 3, 0, 256, 512);
	expect(&rig, PLAY_PIDS("addpids=512&delpids=17"));
	cr_assert_not_null(strstr(rig.last, "Session: 77"));
	/* one request at a time */
	rig_want(&rig, 4, 0, 256, 512, 513);
	expect_none(&rig);
	rig_reply(&rig, OK);
	expect(&rig, PLAY_PIDS("addpids=513"));
	rig_reply(&rig, OK);
	expect_none(&rig);
	rig_finish(&rig);
}

static void wait_for_reply(struct rig *rig)
{
	for (int ms = 0; ms < SATIP_CONNECT_MS; ms += 1000) {
		satip_session_media(&rig->s, rig->now_ns);
		rig_pass(rig, 1000);
	}
}

Test(satip_session_pids, sends_whole_lists_to_a_server_without_addpids)
{
	static const char *const refusals[] = { STATUS("400 Bad Request"),
						STATUS("404 Not Found"),
						SILENCE };
	struct rig rig;

	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		play_list(&rig);
		rig_want(&rig, 2, 0, 256);
		expect(&rig, PLAY_PIDS("delpids=17"));
		if (strcmp(refusals[i], SILENCE) != 0)
			rig_reply(&rig, refusals[i]);
		else
			wait_for_reply(&rig);
		expect(&rig, PLAY_PIDS("pids=0,256"));
		rig_reply(&rig, OK);
		expect_none(&rig);
		rig_want(&rig, 1, 0);
		expect(&rig, PLAY_PIDS("pids=0"));
		rig_finish(&rig);
	}
}

Test(satip_session_pids, plays_on_when_the_pids_cannot_be_changed)
{
	struct rig rig;

	play_list(&rig);
	rig_want(&rig, 2, 0, 256);
	expect(&rig, PLAY_PIDS("delpids=17"));
	rig_reply(&rig, STATUS("400 Bad"));
	expect(&rig, PLAY_PIDS("pids=0,256"));
	rig_reply(&rig, STATUS("403 Forbidden"));
	expect_none(&rig);
	cr_assert_eq(rig.s.state, SATIP_ON);
	cr_assert_str_eq(satip_session_error(&rig.s, rig.now_ns),
			 "PLAY: the server replied 403 Forbidden");
	rig_want(&rig, 1, 0);
	expect(&rig, PLAY_PIDS("pids=0"));
	rig_reply(&rig, OK);
	cr_assert_null(satip_session_error(&rig.s, rig.now_ns));
	rig_finish(&rig);
}

Test(satip_session_pids, asks_a_server_that_does_not_read_no_more)
{
	struct rig rig;
	size_t len;

	play_list(&rig);
	rig_want(&rig, 2, 0, 256);
	wait_for_reply(&rig);
	len = buf_len(&rig.s.out);
	cr_assert_gt(len, 0);
	for (int i = 0; i < 4; i++) {
		rig_want(&rig, i % 2 ? 2 : 1, 0, 256);
		wait_for_reply(&rig);
	}
	cr_assert_eq(buf_len(&rig.s.out), len);
	cr_assert_eq(rig.s.state, SATIP_ON);
	/* it reads, and learns what is wanted now */
	rig_want(&rig, 3, 0, 256, 512);
	cr_assert(rig_take_request(&rig));
	rig_reply(&rig, OK);
	expect(&rig, PLAY_PIDS("pids=0,256,512"));
	rig_reply(&rig, OK);
	expect_none(&rig);
	rig_finish(&rig);
}

Test(satip_session_pids, repeats_a_change_in_the_next_connection)
{
	struct rig rig;

	play_list(&rig);
	rig_want(&rig, 2, 0, 256);
	expect(&rig, PLAY_PIDS("delpids=17"));
	satip_session_closed(&rig.s, "closed", rig.now_ns);
	satip_session_connected(&rig.s, rig.now_ns);
	expect(&rig, "OPTIONS ");
	rig_reply(&rig, OK);
	expect(&rig, PLAY_PIDS("pids=0,256"));
	/* as far as is known, it still sends the first list */
	rig_reply(&rig, STATUS("400 Bad"));
	expect(&rig, PLAY_PIDS("delpids=17"));
	rig_finish(&rig);
}

/* After the pause of the last failure. */
static void reconnect(struct rig *rig)
{
	rig_pass(rig, rig->s.retry.delay_s * 1000 + 100);
	satip_session_connected(&rig->s, rig->now_ns);
}

Test(satip_session_pids, names_the_pids_if_the_server_has_no_pids_all)
{
	static const char *const pids[] = { "&pids=all ", "&pids=all ",
					    "&pids=0,17,256 ", "&pids=all ",
					    "&pids=all ", "&pids=0,17,256 " };
	struct rig rig;

	rig_begin(&rig, SATIP_UDP);
	for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
		cr_assert(rig_take_request(&rig));
		cr_assert_not_null(strstr(rig.last, pids[i]), "%s", rig.last);
		rig_reply(&rig, STATUS("400 Bad Request"));
		cr_assert_eq(rig.s.state, SATIP_WAIT);
		reconnect(&rig);
	}
	rig_finish(&rig);
}

/* A server that starts refuses any query, for a moment. */
Test(satip_session_pids, asks_for_all_pids_again_after_one_refusal)
{
	static const char *const replies[REPLIES_MAX] = { SETUP, OK };
	struct rig rig;

	rig_begin(&rig, SATIP_UDP);
	for (unsigned i = 0; i < 3; i++) {
		cr_assert(rig_take_request(&rig));
		cr_assert_not_null(strstr(rig.last, "&pids=all "), "%u", i);
		rig_reply(&rig, STATUS("400 Bad Request"));
		reconnect(&rig);
		rig_serve(&rig, replies);
		cr_assert_eq(rig.s.state, SATIP_ON);
		satip_session_media(&rig.s, rig.now_ns);
		rig_pass(&rig, SATIP_SILENCE_MS);
		(void)rig_take_request(&rig); /* TEARDOWN */
		reconnect(&rig);
	}
	rig_finish(&rig);
}

/* The server may have done what it did not confirm. */
Test(satip_session_pids, repeats_pids_that_a_lost_change_took_away)
{
	struct rig rig;

	play_list(&rig);
	rig_want(&rig, 2, 0, 256);
	expect(&rig, PLAY_PIDS("delpids=17"));
	satip_session_closed(&rig.s, "closed", rig.now_ns);
	rig_want(&rig, 3, 0, 17, 256);
	satip_session_connected(&rig.s, rig.now_ns);
	expect(&rig, "OPTIONS ");
	rig_reply(&rig, OK);
	expect(&rig, PLAY_PIDS("pids=0,17,256"));
	rig_reply(&rig, OK);
	expect_none(&rig);
	rig_want(&rig, 2, 0, 256);
	expect(&rig, PLAY_PIDS("delpids=17"));
	rig_want(&rig, 3, 0, 17, 256);
	wait_for_reply(&rig);
	expect(&rig, PLAY_PIDS("pids=0,17,256"));
	rig_reply(&rig, OK);
	expect_none(&rig);
	rig_finish(&rig);
}
