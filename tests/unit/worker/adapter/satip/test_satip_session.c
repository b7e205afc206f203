/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session and what servers do to it. */
#include "tests/unit/worker/adapter/satip/rig.h"

#include <criterion/criterion.h>
#include <string.h>

Test(satip_session, sets_up_plays_and_tears_down)
{
	struct rig rig;

	rig_begin(&rig, SATIP_UDP);
	cr_assert(rig_take_request(&rig));
	cr_assert_str_eq(rig.last, "SETUP rtsp://192.0.2.1:554/?src=1&freq="
			 "11362&pids=all RTSP/1.0\r\nCSeq: 1\r\nTransport: "
			 "RTP/AVP;unicast;client_port=5000-5001\r\n\r\n");
	rig_reply(&rig, SETUP);
	cr_assert(rig_take_request(&rig));
	cr_assert_str_eq(rig.last, "PLAY rtsp://192.0.2.1:554/stream=0 "
			 "RTSP/1.0\r\nCSeq: 2\r\nSession: 77\r\n\r\n");
	rig_reply(&rig, OK);
	cr_assert_eq(rig.s.state, SATIP_ON);
	satip_session_end(&rig.s);
	cr_assert(rig_take_request(&rig));
	cr_assert_str_eq(rig.last, "TEARDOWN rtsp://192.0.2.1:554/stream=0 "
			 "RTSP/1.0\r\nCSeq: 3\r\nSession: 77\r\n\r\n");
	rig_finish(&rig);
}

Test(satip_session, waits_longer_after_each_busy_answer)
{
	static const char *const busy[REPLIES_MAX] = { STATUS("503 Busy") };
	struct rig rig;

	rig_begin(&rig, SATIP_UDP);
	for (unsigned want_s = 1; want_s <= SATIP_BUSY_MAX_S;) {
		rig_serve(&rig, busy);
		cr_assert_eq(rig.s.retry.delay_s, want_s);
		if (want_s == SATIP_BUSY_MAX_S)
			break;
		rig_pass(&rig, want_s * 1000 + 100);
		cr_assert_eq(rig.s.state, SATIP_CONNECT);
		satip_session_connected(&rig.s, rig.now_ns);
		want_s = MIN(want_s * 2, (unsigned)SATIP_BUSY_MAX_S);
	}
	rig_finish(&rig);
}

Test(satip_session, keeps_the_session_at_half_of_its_timeout)
{
	struct rig rig;

	rig_play(&rig, SATIP_UDP);
	for (int i = 0; i < 149; i++) {
		rig_pass(&rig, 100);
		satip_session_media(&rig.s, rig.now_ns);
		cr_assert(!rig_take_request(&rig), "after %d ms", i * 100);
	}
	rig_pass(&rig, 200);
	cr_assert(rig_take_request(&rig));
	cr_assert_str_eq(rig.last, "OPTIONS rtsp://192.0.2.1:554/stream=0 "
			 "RTSP/1.0\r\nCSeq: 3\r\nSession: 77\r\n\r\n");
	rig_reply(&rig, OK);
	cr_assert_eq(rig.s.state, SATIP_ON);
	rig_finish(&rig);
}

static void want_keep_alive(struct rig *rig)
{
	for (int i = 0; i < 160 && buf_len(&rig->s.out) == 0; i++) {
		satip_session_media(&rig->s, rig->now_ns);
		rig_pass(rig, 100);
	}
	cr_assert(rig_take_request(rig));
}

Test(satip_session, tries_both_addresses_of_a_keep_alive)
{
	struct rig rig;

	rig_play(&rig, SATIP_UDP);
	want_keep_alive(&rig);
	rig_reply(&rig, STATUS("400 Bad"));
	cr_assert(rig_take_request(&rig));
	cr_assert_eq(strncmp(rig.last, "OPTIONS rtsp://192.0.2.1:554/ ", 30),
		     0);
	rig_reply(&rig, OK);
	cr_assert_eq(rig.s.state, SATIP_ON);
	want_keep_alive(&rig);
	cr_assert_eq(strncmp(rig.last, "OPTIONS rtsp://192.0.2.1:554/ ", 30),
		     0);
	rig_finish(&rig);
}

Test(satip_session, keeps_a_stream_whose_server_answers_no_keep_alive)
{
	struct rig rig;

	rig_play(&rig, SATIP_UDP);
	for (int i = 0; i < 600; i++) {
		satip_session_media(&rig.s, rig.now_ns);
		rig_pass(&rig, 100);
		(void)rig_take_request(&rig);
		cr_assert_eq(rig.s.state, SATIP_ON, "%d", i);
	}
	rig_finish(&rig);
}

Test(satip_session, makes_a_new_session_when_the_server_lost_it)
{
	struct rig rig;

	rig_play(&rig, SATIP_UDP);
	want_keep_alive(&rig);
	rig_reply(&rig, STATUS("454 Session Not Found"));
	cr_assert_eq(rig.s.state, SATIP_SETUP);
	cr_assert(rig_take_request(&rig));
	cr_assert_eq(strncmp(rig.last, "SETUP ", 6), 0);
	cr_assert_null(strstr(rig.last, "Session:"));
	rig_finish(&rig);
}

Test(satip_session, survives_the_end_of_its_connection)
{
	struct rig rig;

	rig_play(&rig, SATIP_UDP);
	satip_session_media(&rig.s, rig.now_ns);
	satip_session_closed(&rig.s, "closed", rig.now_ns);
	cr_assert_eq(rig.s.state, SATIP_REJOIN);
	cr_assert(satip_session_has_lock(&rig.s, rig.now_ns));
	satip_session_connected(&rig.s, rig.now_ns);
	cr_assert(rig_take_request(&rig));
	cr_assert_not_null(strstr(rig.last, "Session: 77\r\n"));
	rig_reply(&rig, OK);
	cr_assert_eq(rig.s.state, SATIP_ON);
	rig_finish(&rig);
}

/* A server keeps a tuner for a session whose connection is lost. */
static void lose_session(struct rig *rig)
{
	rig_play(rig, SATIP_UDP);
	satip_session_media(&rig->s, rig->now_ns);
	satip_session_closed(&rig->s, "closed", rig->now_ns);
	satip_session_closed(&rig->s, "refused", rig->now_ns);
	cr_assert_eq(rig->s.state, SATIP_WAIT);
	rig_pass(rig, 1100);
	cr_assert_eq(rig->s.state, SATIP_CONNECT);
	satip_session_connected(&rig->s, rig->now_ns);
	cr_assert(rig_take_request(rig));
	cr_assert_str_eq(rig->last, "TEARDOWN rtsp://192.0.2.1:554/stream=0 "
			 "RTSP/1.0\r\nCSeq: 3\r\nSession: 77\r\n\r\n");
}

Test(satip_session, ends_the_session_of_a_lost_connection)
{
	static const char *const replies[] = { OK, STATUS("454 Session"),
					       STATUS("503 Busy"),
					       "CSeq: @\r\n\r\n" };
	struct rig rig;

	for (size_t i = 0; i < ARRAY_LEN(replies); i++) {
		lose_session(&rig);
		rig_reply(&rig, replies[i]);
		cr_assert(rig_take_request(&rig), "%zu", i);
		cr_assert_eq(strncmp(rig.last, "SETUP ", 6), 0);
		cr_assert_null(strstr(rig.last, "Session:"));
		rig_finish(&rig);
	}
}

Test(satip_session, ends_a_lost_session_once)
{
	struct rig rig;

	lose_session(&rig);
	satip_session_closed(&rig.s, "closed", rig.now_ns);
	rig_pass(&rig, 2100);
	satip_session_connected(&rig.s, rig.now_ns);
	cr_assert(rig_take_request(&rig));
	cr_assert_eq(strncmp(rig.last, "SETUP ", 6), 0);
	rig_finish(&rig);
	lose_session(&rig);
	rig_pass(&rig, SATIP_LEAVE_MS);
	cr_assert(rig_take_request(&rig));
	cr_assert_eq(strncmp(rig.last, "SETUP ", 6), 0);
	rig_finish(&rig);
}

Test(satip_session, tells_no_signal_from_a_dead_session)
{
	struct rig rig;

	rig_play(&rig, SATIP_UDP);
	satip_session_media(&rig.s, rig.now_ns);
	for (int i = 0; i < 100; i++) {
		rig_pass(&rig, 100);
		rig_report(&rig, "tuner=1,240,0,7,11362");
	}
	cr_assert_eq(rig.s.state, SATIP_ON);
	cr_assert(!satip_session_has_lock(&rig.s, rig.now_ns));
	cr_assert_str_eq(satip_session_error(&rig.s, rig.now_ns),
			 "the server reports no lock");
	rig_pass(&rig, SATIP_SILENCE_MS);
	cr_assert_eq(rig.s.state, SATIP_WAIT);
	cr_assert_str_eq(satip_session_error(&rig.s, rig.now_ns),
			 "the server sends neither packets nor reports");
	cr_assert(rig_take_request(&rig));
	cr_assert_eq(strncmp(rig.last, "TEARDOWN ", 9), 0);
	rig_finish(&rig);
}

Test(satip_session, believes_no_lock_before_the_first_packet)
{
	struct rig rig;

	rig_play(&rig, SATIP_UDP);
	rig_report(&rig, "tuner=1,255,1,15,11362");
	cr_assert(!satip_session_has_lock(&rig.s, rig.now_ns));
	satip_session_media(&rig.s, rig.now_ns);
	cr_assert(satip_session_has_lock(&rig.s, rig.now_ns));
	rig_report(&rig, "tuner=1,0,1,0,11362");
	cr_assert(satip_session_has_lock(&rig.s, rig.now_ns));
	rig_finish(&rig);
}

Test(satip_session, tries_tcp_when_nothing_arrives_by_udp)
{
	static const char *const replies[REPLIES_MAX] = { SETUP, OK };
	struct rig rig;

	rig_play(&rig, SATIP_UDP);
	rig_pass(&rig, SATIP_SILENCE_MS);
	cr_assert_eq(rig.s.state, SATIP_WAIT);
	rig_pass(&rig, 1100);
	satip_session_connected(&rig.s, rig.now_ns);
	rig_serve(&rig, replies);
	rig_pass(&rig, SATIP_SILENCE_MS);
	rig_pass(&rig, 2100);
	satip_session_connected(&rig.s, rig.now_ns);
	cr_assert(rig_take_request(&rig));
	cr_assert_not_null(strstr(rig.last, "RTP/AVP/TCP;unicast;"));
	rig_finish(&rig);
}

/* Reports, and no packets, until the session ends. */
static void report_lock(struct rig *rig)
{
	for (int i = 0; i < SATIP_LOCKED_MS / 100; i++) {
		cr_assert_eq(rig->s.state, SATIP_ON, "%d", i);
		rig_report(rig, "tuner=1,240,1,7,11362");
		rig_pass(rig, 100);
		(void)rig_take_request(rig);
	}
	cr_assert_eq(rig->s.state, SATIP_WAIT);
	cr_assert_str_eq(satip_session_error(&rig->s, rig->now_ns),
			 "no packets, although the server reports a lock");
}

/* Its next session uses the same transport: UDP has worked. */
Test(satip_session, begins_again_when_packets_end_and_the_lock_does_not)
{
	static const char *const replies[REPLIES_MAX] = { OK, SETUP, OK };
	struct rig rig;

	rig_play(&rig, SATIP_UDP);
	for (int i = 0; i < 3; i++) {
		satip_session_media(&rig.s, rig.now_ns);
		report_lock(&rig);
		rig_pass(&rig, 1100);
		satip_session_connected(&rig.s, rig.now_ns);
		rig_serve(&rig, replies + (rig.s.id[0] == '\0'));
		cr_assert_eq(rig.s.state, SATIP_ON);
		cr_assert_eq(rig.s.transport, SATIP_UDP);
	}
	rig_finish(&rig);
}

Test(satip_session, tries_tcp_when_only_reports_arrive_by_udp)
{
	static const char *const replies[REPLIES_MAX] = { SETUP, OK };
	struct rig rig;

	rig_play(&rig, SATIP_UDP);
	report_lock(&rig);
	rig_pass(&rig, 1100);
	satip_session_connected(&rig.s, rig.now_ns);
	rig_serve(&rig, replies);
	report_lock(&rig);
	rig_pass(&rig, 2100);
	satip_session_connected(&rig.s, rig.now_ns);
	cr_assert(rig_take_request(&rig));
	cr_assert_not_null(strstr(rig.last, "RTP/AVP/TCP;unicast;"));
	rig_finish(&rig);
}

Test(satip_session, takes_packets_between_replies)
{
	static const uint8_t frames[] = "$\2\0\4abcd$\3\0\4efgh$\2\0\4ijkl"
					"$\7\0\1x";
	struct rig rig;

	rig_play(&rig, SATIP_TCP);
	for (size_t i = 0; i < sizeof frames - 1; i++) {
		buf_append(&rig.in, frames + i, 1);
		satip_session_feed(&rig.s, &rig.in, rig.now_ns);
	}
	cr_assert_eq(rig.media, 2);
	/* the owner judges whether they are RTP */
	cr_assert(!satip_session_has_lock(&rig.s, rig.now_ns));
	satip_session_media(&rig.s, rig.now_ns);
	cr_assert(satip_session_has_lock(&rig.s, rig.now_ns));
	cr_assert_eq(buf_len(&rig.in), 0);
	satip_session_closed(&rig.s, "closed", rig.now_ns);
	cr_assert_eq(rig.s.state, SATIP_WAIT);
	rig_finish(&rig);
}

Test(satip_session, obeys_the_servers_bye)
{
	static const uint8_t bye[] = { 0x81, 203, 0, 1, 0, 0, 0, 1 };
	struct rig rig;

	rig_play(&rig, SATIP_UDP);
	satip_session_media(&rig.s, rig.now_ns);
	satip_session_rtcp(&rig.s, bye, sizeof bye, rig.now_ns);
	cr_assert_eq(rig.s.state, SATIP_WAIT);
	rig_pass(&rig, 1100);
	cr_assert_eq(rig.s.state, SATIP_CONNECT);
	rig_finish(&rig);
}

static void expect(struct rig *rig, const char *request, const char *answer)
{
	rig_pass(rig, 100);
	cr_assert(rig_take_request(rig), "no %s", request);
	cr_assert_eq(strncmp(rig->last, request, strlen(request)), 0, "%s",
		     rig->last);
	rig_reply(rig, answer);
}

Test(satip_session, receives_another_multiplex_in_the_same_connection)
{
	static const char set_up[] = "SETUP rtsp://192.0.2.1:554/?src=1&freq="
				     "11494&pids=all ";
	struct rig rig;

	rig_play(&rig, SATIP_UDP);
	satip_session_tune(&rig.s, "src=1&freq=11494");
	expect(&rig, "TEARDOWN ", OK);
	expect(&rig, set_up, SETUP);
	expect(&rig, "PLAY ", OK);
	rig_pass(&rig, 200);
	cr_assert(!rig_take_request(&rig), "%s", rig.last);
	/* what comes while a reply is awaited waits, too */
	satip_session_tune(&rig.s, "src=1&freq=12000");
	expect(&rig, "TEARDOWN ", OK);
	rig_pass(&rig, 100);
	cr_assert(rig_take_request(&rig));
	satip_session_tune(&rig.s, "src=1&freq=11494");
	rig_reply(&rig, SETUP);
	expect(&rig, "PLAY ", OK);
	expect(&rig, "TEARDOWN ", OK);
	expect(&rig, set_up, SETUP);
	rig_finish(&rig);
}
