/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What servers do wrong, and what must follow: another attempt after a pause
 * with the reason in words, or a session that plays.
 *
 * The RTP of such servers is in test_satip_source.c.
 */
#include "tests/unit/worker/adapter/satip/rig.h"

#include <criterion/criterion.h>
#include <string.h>

#define X16 "xxxxxxxxxxxxxxxx"
#define X128 X16 X16 X16 X16 X16 X16 X16 X16
#define X1024 X128 X128 X128 X128 X128 X128 X128 X128
#define X8192 X1024 X1024 X1024 X1024 X1024 X1024 X1024 X1024
#define ROOT "PLAY rtsp://192.0.2.1:554/ RTSP"
#define STREAM(n) "PLAY rtsp://192.0.2.1:554/stream=" #n " RTSP"
#define KEPT "OPTIONS rtsp://192.0.2.1:554/stream=0 "
#define BY_TCP "Transport: RTP/AVP/TCP;"
#define BY_UDP "Transport: RTP/AVP;unicast;client_port=5000-5001"
#define GROUP "Transport: RTP/AVP;multicast;destination="
#define FRAME "$\2^\4abcd"

/*
 * The replies to SETUP and PLAY.  A session that waits is tried again: next is
 * a part of the first request of that attempt.  Else next is a part of PLAY, or
 * of the keep-alive of a session that plays; NULL: not compared.
 */
static const struct answer {
	const char *replies[REPLIES_MAX];
	enum satip_state state;
	const char *error; /* a part of it; NULL: none */
	const char *next;
} answers[] = {
	/* no free tuner, in every form that servers have for it */
	{ { STATUS("503 Service Unavailable") }, SATIP_WAIT,
	  "no free tuner: the server replied 503 Service Unavailable; next "
	  "attempt after 1 s", "pids=all" },
	{ { STATUS("453 Not Enough Bandwidth") }, SATIP_WAIT, "no free tuner",
	  "pids=all" },
	{ { STATUS("404 Not Found") }, SATIP_WAIT, "no free tuner",
	  "pids=all" },
	{ { SETUP, STATUS("404 Not Found") }, SATIP_WAIT, "no free tuner",
	  "SETUP " },
	{ { SETUP, STATUS("503 Busy") }, SATIP_WAIT, "no free tuner",
	  "SETUP " },
	{ { SETUP, STATUS("453 No") }, SATIP_WAIT, "no free tuner", "SETUP " },
	{ { "RTSP/1.0 503\r\n\r\n" }, SATIP_WAIT,
	  "no free tuner: the server replied 503; next", "SETUP " },
	{ { HEAD SESSION UDP "\r\n", "RTSP/1.0 503 \r\nRetry-After: 9999\r\n"
	    "CSeq: @\r\n\r\n" }, SATIP_WAIT, "503; next attempt after 1 s",
	  "SETUP " },
	/* refusals, which are no proof that the server lacks pids=all */
	{ { STATUS("400 Bad Request") }, SATIP_WAIT,
	  "SETUP: the server replied 400 Bad Request", "pids=all" },
	{ { STATUS("401 Unauthorized") }, SATIP_WAIT, "401 Unauthorized",
	  "SETUP " },
	{ { STATUS("403 Forbidden") }, SATIP_WAIT, "SETUP: the server",
	  "pids=all" },
	{ { STATUS("405 Method") }, SATIP_WAIT, "SETUP: the server", NULL },
	{ { STATUS("408 Timeout") }, SATIP_WAIT, "replied 408 Timeout", NULL },
	{ { STATUS("410 Gone") }, SATIP_WAIT, "replied 410 Gone", NULL },
	{ { STATUS("454 Session") }, SATIP_WAIT, "SETUP: the server",
	  "SETUP " },
	{ { STATUS("461 Transport") }, SATIP_WAIT, "SETUP: the server",
	  BY_TCP },
	{ { STATUS("500 Error") }, SATIP_WAIT, "SETUP: the server", NULL },
	{ { STATUS("501 Not Implemented") }, SATIP_WAIT, "SETUP: the", NULL },
	{ { STATUS("505 Version") }, SATIP_WAIT, "505 Version", NULL },
	{ { STATUS("551 Option") }, SATIP_WAIT, "551 Option", NULL },
	{ { STATUS("201 Created") }, SATIP_WAIT, "201 Created", NULL },
	{ { STATUS("100 Continue") }, SATIP_WAIT, "SETUP: the server", NULL },
	{ { SETUP, STATUS("454 Session") }, SATIP_WAIT, "PLAY: the server",
	  "SETUP " },
	{ { SETUP, STATUS("455 State") }, SATIP_WAIT, "PLAY: the server",
	  "pids=all" },
	{ { SETUP, STATUS("500 Error") }, SATIP_WAIT, "PLAY: the server",
	  NULL },
	/* another place is named, but not followed */
	{ { STATUS("301 Moved") }, SATIP_WAIT, "SETUP: the server", NULL },
	{ { "RTSP/1.0 302 Moved\r\nLocation: rtsp://198.51.100.7/\r\n\r\n" },
	  SATIP_WAIT, "SETUP: the server replied 302 Moved",
	  "SETUP rtsp://192.0.2.1:554/?" },
	{ { "RTSP/1.0 200 OK\r\nCSeq: @\r\nContent-Base: "
	    "rtsp://198.51.100.7/x/\r\n" SESSION UDP "\r\n", OK }, SATIP_ON,
	  NULL, KEPT },
	/* lines of status */
	{ { "CSeq: @\r\n\r\n" }, SATIP_WAIT,
	  "SETUP: the server sent a reply without a status code", NULL },
	{ { SETUP, "CSeq: @\r\n\r\n" }, SATIP_WAIT, "PLAY: the server sent",
	  NULL },
	{ { "200 OK\r\nCSeq: @\r\n\r\n" }, SATIP_WAIT, "a status code", NULL },
	{ { "ICY 200 OK\r\nCSeq: @\r\n\r\n" }, SATIP_WAIT, "a status code",
	  NULL },
	{ { "RTSP/1.0 7 x\r\n\r\n" }, SATIP_WAIT, "a status code", NULL },
	{ { "RTSP/1.0 2000 OK\r\n\r\n" }, SATIP_WAIT, "a status code", NULL },
	{ { "RTSP/1.0 -200 OK\r\n\r\n" }, SATIP_WAIT, "a status code", NULL },
	{ { "RTSP/1.0 200OK\r\n\r\n" }, SATIP_WAIT, "a status code", NULL },
	{ { "RTSP/1.0\r\n\r\n" }, SATIP_WAIT, "a status code", NULL },
	{ { STATUS("500 \1\2\377") }, SATIP_WAIT,
	  "SETUP: the server replied 500", NULL },
	{ { STATUS("500 " X128) }, SATIP_WAIT, "SETUP: the server replied 500",
	  NULL },
	{ { "rtsp/1.0 200 ok\r\n" SESSION "\r\n", "RTSP/2.0   200 \r\n\r\n" },
	  SATIP_ON, NULL, KEPT },
	{ { "HTTP/1.1 200 OK\nCseq:@\n" SESSION "\n", OK }, SATIP_ON, NULL,
	  KEPT },
	/* CSeq */
	{ { "RTSP/1.0 200 OK\r\n" SESSION "\r\n", "RTSP/1.0 200 OK\r\n\r\n" },
	  SATIP_ON, NULL, KEPT },
	{ { "RTSP/1.0 200 OK\r\nCSeq: 99\r\n" SESSION "\r\n~" }, SATIP_WAIT,
	  "SETUP: no reply within 5 s", NULL },
	{ { "RTSP/1.0 200 OK\r\nCSeq: 0\r\n\r\n" SETUP, OK }, SATIP_ON, NULL,
	  KEPT },
	{ { "RTSP/1.0 200 OK\r\nCSeq: x\r\n" SESSION "\r\n", OK }, SATIP_ON,
	  NULL, KEPT },
	{ { "RTSP/1.0 200 OK\r\nCSeq: 99999999999\r\n" SESSION "\r\n", OK },
	  SATIP_ON, NULL, KEPT },
	{ { "RTSP/1.0 200 OK\r\nCSeq: 000@\r\n" SESSION "\r\n", OK }, SATIP_ON,
	  NULL, KEPT },
	{ { HEAD "CSeq: 99\r\n" SESSION "\r\n", OK }, SATIP_ON, NULL, KEPT },
	/* the order of replies */
	{ { OK SETUP }, SATIP_WAIT, "has no session", NULL },
	{ { SETUP SETUP, OK }, SATIP_ON, NULL, KEPT },
	{ { "RTSP/1.0 200 OK\r\nCSeq: 2\r\n\r\n" SETUP "~" }, SATIP_WAIT,
	  "PLAY: no reply within 5 s", NULL },
	{ { SETUP, OK OK OK STATUS("454 x") }, SATIP_ON, NULL, KEPT },
	/* sessions */
	{ { OK }, SATIP_WAIT, "has no session", NULL },
	{ { HEAD "Session: \r\n\r\n" }, SATIP_WAIT, "has no session", NULL },
	{ { HEAD "Session: ;timeout=30\r\n\r\n" }, SATIP_WAIT,
	  "has no session", NULL },
	{ { HEAD "Session: 7\1\377\r\n\r\n" }, SATIP_WAIT, "has no session",
	  NULL },
	{ { HEAD "Session: " X128 "\r\n\r\n" }, SATIP_WAIT, "has no session",
	  NULL },
	{ { HEAD "Session: 7\r\n\r\n" }, SATIP_PLAY, NULL, ROOT },
	{ { HEAD "Session: 7\r\n\r\n", OK }, SATIP_ON, NULL, "Session: 7\r\n" },
	{ { HEAD "Session: 7;timeout=0\r\n\r\n", OK }, SATIP_ON, NULL,
	  "OPTIONS " },
	{ { HEAD "SESSION:7 ; Timeout = 20\r\n\r\n", OK }, SATIP_ON, NULL,
	  "Session: 7\r\n" },
	{ { HEAD "Session: 7\r\nSession: 8;timeout=1\r\n\r\n" }, SATIP_PLAY,
	  NULL, "Session: 7\r\n" },
	{ { SETUP, HEAD "Session: 88\r\n\r\n" }, SATIP_ON, NULL,
	  "Session: 77\r\n" },
	/* streams */
	{ { HEAD "Session: 7\r\ncom.ses.streamID: 9\r\ncom.ses.streamID: 8\r\n"
	    "\r\n" }, SATIP_PLAY, NULL, STREAM(9) },
	{ { HEAD "Session: 7\r\ncom.ses.streamID: 65536\r\n\r\n" }, SATIP_PLAY,
	  NULL, ROOT },
	{ { HEAD "Session: 7\r\ncom.ses.streamID: -1\r\n\r\n" }, SATIP_PLAY,
	  NULL, ROOT },
	/* transports */
	{ { HEAD SESSION TCP "\r\n" }, SATIP_WAIT, "another transport",
	  BY_TCP },
	{ { HEAD SESSION "Transport: RTP/AVP;multicast\r\n\r\n" }, SATIP_WAIT,
	  "another transport", NULL },
	{ { HEAD SESSION GROUP "239.0.0.1;port=0\r\n\r\n" }, SATIP_WAIT,
	  "another transport", NULL },
	{ { HEAD SESSION GROUP "239.0.0.1;port=70000\r\n\r\n" }, SATIP_WAIT,
	  "another transport", NULL },
	{ { HEAD SESSION GROUP X128 ";port=5004\r\n\r\n" }, SATIP_WAIT,
	  "another transport", NULL },
	{ { HEAD SESSION GROUP "239.0.0.1;port=5004-5005\r\n\r\n", OK },
	  SATIP_ON, NULL, KEPT },
	{ { HEAD SESSION GROUP "[ff3e::1];port=5004\r\n\r\n", OK }, SATIP_ON,
	  NULL, KEPT },
	{ { HEAD SESSION "Transport:\r\n\r\n", OK }, SATIP_ON, NULL, KEPT },
	{ { HEAD SESSION "transport: rtp/avp/udp ; UNICAST\r\n\r\n", OK },
	  SATIP_ON, NULL, KEPT },
	{ { HEAD SESSION "Transport: RTP/AVP;unicast, RTP/AVP/TCP;interleaved="
	    "0-1\r\n\r\n", OK }, SATIP_ON, NULL, KEPT },
	{ { HEAD SESSION UDP TCP "\r\n", OK }, SATIP_ON, NULL, KEPT },
	/* pauses, silence, and the end of the connection */
	{ { SILENCE }, SATIP_WAIT, "SETUP: no reply within 5 s", NULL },
	{ { SETUP, SILENCE }, SATIP_WAIT, "PLAY: no reply within 5 s", NULL },
	{ { "RTSP/1.0 200 OK\r\nCSe" SILENCE "q: @\r\n\r\n" }, SATIP_WAIT,
	  "SETUP: no reply within 5 s", NULL },
	{ { "RTSP/1.0 200 OK\rCSeq: @\r" SESSION SILENCE }, SATIP_WAIT,
	  "SETUP: no reply within 5 s", NULL },
	{ { CLOSE }, SATIP_WAIT, "closed by the server", "SETUP " },
	{ { SETUP, CLOSE }, SATIP_WAIT, "closed by the server", "TEARDOWN " },
	{ { SETUP, "RTSP/1.0 200" CLOSE }, SATIP_WAIT, "closed by the server",
	  "TEARDOWN " },
	/* requests, frames and bodies in front of a reply */
	{ { "OPTIONS rtsp://c/ RTSP/1.0\r\nCSeq: @\r\n\r\n" SETUP, OK },
	  SATIP_ON, NULL, KEPT },
	{ { "$\1^\1x" SETUP, FRAME OK }, SATIP_ON, NULL, KEPT },
	{ { "$\1\1\1x" SETUP SILENCE }, SATIP_WAIT,
	  "SETUP: no reply within 5 s", NULL },
	{ { "\r\n\r\n" SETUP, OK }, SATIP_ON, NULL, KEPT },
	{ { HEAD SESSION "no field\r\n: \r\nx:\r\n folded\r\n\r\n", OK },
	  SATIP_ON, NULL, KEPT },
	{ { HEAD SESSION "Content-Length: 3\r\n\r\nabc", OK }, SATIP_ON, NULL,
	  KEPT },
	{ { HEAD SESSION "Content-Length: 38\r\n\r\n"
	    "RTSP/1.0 454 x\r\nCSeq: 2\r\nS: 12345678\r\n", OK }, SATIP_ON,
	  NULL, KEPT },
	{ { HEAD SESSION "Content-Length: 9\r\n\r\nabc" SILENCE }, SATIP_WAIT,
	  "SETUP: no reply within 5 s", NULL },
	{ { "RTSP/1.0 200 OK\r\nContent-Length: 70000\r\n\r\n" }, SATIP_WAIT,
	  "RTSP: Content-Length", NULL },
	{ { "RTSP/1.0 200 OK\r\nContent-Length: -1\r\n\r\n" }, SATIP_WAIT,
	  "RTSP: Content-Length", NULL },
	{ { "RTSP/1.0 200 OK\r\nContent-Length:\r\n\r\n" }, SATIP_WAIT,
	  "RTSP: Content-Length", NULL },
	{ { X8192 }, SATIP_WAIT, "a head of more than 8192 bytes", NULL },
	{ { "RTSP/1.0 200 OK\r\nX: " X8192 }, SATIP_WAIT,
	  "a head of more than 8192 bytes", NULL },
};

static void want_error(const struct rig *rig, const char *error, size_t i)
{
	const char *text = rig->s.error.text;

	if (error == NULL)
		cr_assert_str_empty(text, "%zu: %s", i, text);
	else
		cr_assert_not_null(strstr(text, error), "%zu: %s", i, text);
}

/* Waits for the next request, as long as the session may take for it. */
static void await_request(struct rig *rig)
{
	for (int ms = 0; ms < 31000 && buf_len(&rig->s.out) == 0; ms += 100) {
		if (rig->s.state == SATIP_CONNECT)
			satip_session_connected(&rig->s, rig->now_ns);
		else if (rig->s.state == SATIP_ON)
			satip_session_media(&rig->s, rig->now_ns);
		rig_pass(rig, 100);
	}
}

static void want_request(struct rig *rig, const char *next, size_t i)
{
	await_request(rig);
	cr_assert(rig_take_request(rig), "%zu: %d", i, rig->s.state);
	if (next != NULL)
		cr_assert_not_null(strstr(rig->last, next), "%zu: %s", i,
				   rig->last);
}

/* Every fault ends in another attempt, after the first pause. */
static void want_attempt(struct rig *rig, const char *next, size_t i)
{
	(void)rig_take_request(rig); /* TEARDOWN */
	cr_assert_eq(rig->s.retry.delay_s, 1, "%zu", i);
	rig_pass(rig, 900);
	cr_assert_eq(rig->s.state, SATIP_WAIT, "%zu", i);
	rig_pass(rig, 200);
	cr_assert_eq(rig->s.state, SATIP_CONNECT, "%zu", i);
	want_request(rig, next, i);
}

Test(satip_misbehaviours, of_replies)
{
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		const struct answer *a = &answers[i];
		struct rig rig;

		rig_begin(&rig, SATIP_UDP);
		rig_serve(&rig, a->replies);
		cr_assert_eq(rig.s.state, a->state, "%zu: %d", i, rig.s.state);
		want_error(&rig, a->error, i);
		if (a->state == SATIP_WAIT)
			want_attempt(&rig, a->next, i);
		else
			want_request(&rig, a->next, i);
		rig_finish(&rig);
	}
}

/* While a session plays and no reply is awaited. */
static const struct play {
	enum satip_transport transport;
	const char *text;
	enum satip_state state;
	const char *error;
	unsigned media; /* frames that were passed as RTP */
} plays[] = {
	{ SATIP_TCP, "$\2^^" FRAME, SATIP_ON, NULL, 2 },
	{ SATIP_TCP, "$\7^\1x$\1^\1x" FRAME, SATIP_ON, NULL, 1 },
	{ SATIP_TCP, "noise\r\n\r\n" FRAME, SATIP_ON, NULL, 1 },
	{ SATIP_TCP, "\r\n\r\n\n\n" FRAME, SATIP_ON, NULL, 1 },
	{ SATIP_TCP, FRAME "RTSP/1.0 454 x\r\n\r\n" FRAME, SATIP_ON, NULL, 2 },
	{ SATIP_TCP, "RTSP/1.0 200 OK\r\nSession: 1\r\nTransport: "
	  "RTP/AVP/TCP;interleaved=8-9\r\n\r\n" FRAME, SATIP_ON, NULL, 1 },
	{ SATIP_TCP, "ANNOUNCE rtsp://c/ RTSP/1.0\r\nContent-Length: 8\r\n\r\n"
	  FRAME FRAME, SATIP_ON, NULL, 1 },
	{ SATIP_TCP, "TEARDOWN rtsp://c/ RTSP/1.0\r\n\r\n" FRAME, SATIP_ON,
	  NULL, 1 },
	{ SATIP_TCP, "REDIRECT rtsp://c/ RTSP/1.0\r\nLocation: rtsp://"
	  "198.51.100.7/\r\n\r\n" FRAME, SATIP_ON, NULL, 1 },
	{ SATIP_TCP, FRAME "$\2^\4ab" CLOSE, SATIP_WAIT, "closed by the server",
	  1 },
	{ SATIP_TCP, FRAME "$\2\377\377ab" SILENCE, SATIP_WAIT,
	  "neither packets nor reports", 1 },
	{ SATIP_TCP, "$\3^\4abcd" SILENCE, SATIP_WAIT,
	  "neither packets nor reports", 0 },
	{ SATIP_TCP, X8192, SATIP_WAIT, "a head of more than 8192 bytes", 0 },
	{ SATIP_TCP, "$\3^\b\201\313^\1^^^\1", SATIP_WAIT,
	  "the server ended the session", 0 },
	{ SATIP_TCP, "$\2^\b\201\313^\1^^^\1", SATIP_ON, NULL, 1 },
	{ SATIP_UDP, FRAME "$^^\1x", SATIP_ON, NULL, 0 },
	{ SATIP_UDP, "RTSP/1.0 454 x\r\n\r\n", SATIP_ON, NULL, 0 },
	{ SATIP_UDP, "RTSP/1.0 20" CLOSE, SATIP_REJOIN, NULL, 0 },
	{ SATIP_UDP, X8192, SATIP_REJOIN, NULL, 0 },
};

Test(satip_misbehaviours, while_it_plays)
{
	for (size_t i = 0; i < ARRAY_LEN(plays); i++) {
		const struct play *p = &plays[i];
		struct rig rig;

		rig_play(&rig, p->transport);
		rig_reply(&rig, p->text);
		cr_assert_eq(rig.s.state, p->state, "%zu: %d", i, rig.s.state);
		want_error(&rig, p->error, i);
		cr_assert_eq(rig.media, p->media, "%zu: %u", i, rig.media);
		if (p->state == SATIP_WAIT)
			want_attempt(&rig, NULL, i);
		rig_finish(&rig);
	}
}

/* The replies to keep-alives while packets arrive: each to the next request,
 * which has this URL. */
static const struct keep {
	const char *replies[REPLIES_MAX];
	const char *next;
} keeps[] = {
	{ { OK }, KEPT },
	{ { HEAD "Session: 5;timeout=1\r\n\r\n" }, KEPT },
	{ { STATUS("400 Bad") }, "OPTIONS rtsp://192.0.2.1:554/ " },
	{ { STATUS("405 Method") }, "OPTIONS rtsp://192.0.2.1:554/ " },
	{ { STATUS("503 Busy") }, "OPTIONS rtsp://192.0.2.1:554/ " },
	{ { "CSeq: @\r\n\r\n" }, "OPTIONS rtsp://192.0.2.1:554/ " },
	{ { STATUS("501 x"), STATUS("501 x"), STATUS("501 x") }, "OPTIONS " },
	{ { "RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n" OK }, KEPT },
	{ { STATUS("454 Session Not Found") }, "SETUP " },
};

Test(satip_misbehaviours, of_keep_alives)
{
	for (size_t i = 0; i < ARRAY_LEN(keeps); i++) {
		struct rig rig;

		rig_play(&rig, SATIP_UDP);
		await_request(&rig);
		rig_serve(&rig, keeps[i].replies);
		want_error(&rig, NULL, i);
		want_request(&rig, keeps[i].next, i);
		rig_finish(&rig);
	}
}

/* Keep-alives that fail while no packets arrive end the session, though the
 * server reports. */
Test(satip_misbehaviours, of_keep_alives_without_packets)
{
	static const char *const refusals[] = { STATUS("400 x"),
						STATUS("503 x"), OK };
	struct rig rig;

	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		rig_play(&rig, SATIP_UDP);
		satip_session_media(&rig.s, rig.now_ns);
		for (int ms = 0; ms < 15000; ms += 100) {
			rig_report(&rig, "tuner=1,240,0,7,11362");
			rig_pass(&rig, 100);
		}
		for (unsigned k = 0; k < 3 && rig_take_request(&rig); k++)
			rig_reply(&rig, refusals[i]);
		cr_assert_eq(rig.s.state, strcmp(refusals[i], OK) == 0
						  ? SATIP_ON : SATIP_WAIT);
		want_error(&rig, strcmp(refusals[i], OK) == 0 ? NULL
			   : "the server does not confirm the session", i);
		rig_finish(&rig);
	}
}

/* What RTCP says while packets arrive. */
static const struct lie {
	const char *tuner; /* of the report */
	bool lock;
	unsigned signal;
} lies[] = {
	{ "tuner=1,0,1,0,11362", true, 0 }, /* levels of 0 with a lock */
	{ "tuner=1,999,1,99,11362", true, 100 },
	{ "tuner=,255,1,15", true, 100 }, /* no frontend */
	{ "tuner=1,240,0,7,11362", false, 94 },
	/* no report: the packets count */
	{ "tuner=", true, 0 },
	{ "tuner=1,-1,0,0", true, 0 },
	{ "tuner=1,1,yes,1", true, 0 },
	{ "tuner=1,1", true, 0 },
	{ "Tuner:1,240,0,7", true, 0 },
	{ ";;;;", true, 0 },
};

Test(satip_misbehaviours, of_reports)
{
	for (size_t i = 0; i < ARRAY_LEN(lies); i++) {
		struct rig rig;

		rig_play(&rig, SATIP_UDP);
		satip_session_media(&rig.s, rig.now_ns);
		rig_report(&rig, lies[i].tuner);
		rig_pass(&rig, 100);
		cr_assert_eq(rig.s.state, SATIP_ON, "%zu", i);
		cr_assert_null(satip_session_error(&rig.s, rig.now_ns));
		cr_assert_eq(satip_session_has_lock(&rig.s, rig.now_ns),
			     lies[i].lock, "%zu", i);
		if (satip_session_has_report(&rig.s, rig.now_ns))
			cr_assert_eq(ses1_signal(&rig.s.report),
				     lies[i].signal, "%zu", i);
		else
			cr_assert_eq(lies[i].signal, 0, "%zu", i);
		rig_finish(&rig);
	}
}

/* RTP without packets, once a second, is no signal, and no end. */
Test(satip_misbehaviours, of_empty_datagrams)
{
	for (unsigned packets = 0; packets < 2; packets++) {
		struct rig rig;

		rig_play(&rig, SATIP_UDP);
		if (packets > 0)
			satip_session_media(&rig.s, rig.now_ns);
		rig_pass(&rig, SATIP_LIVE_MS);
		for (int ms = 0; ms < 3 * SATIP_SILENCE_MS; ms += 100) {
			if (ms % 1000 == 0)
				satip_session_empty(&rig.s, rig.now_ns);
			rig_report(&rig, "tuner=1,140,0,11,11362");
			cr_assert_str_eq(
				satip_session_error(&rig.s, rig.now_ns),
				"the server reports no lock");
			cr_assert(!satip_session_has_lock(&rig.s, rig.now_ns));
			rig_pass(&rig, 100);
			if (rig_take_request(&rig))
				rig_reply(&rig, OK);
		}
		cr_assert_eq(rig.s.state, SATIP_ON);
		rig_pass(&rig, SATIP_SILENCE_MS);
		cr_assert_eq(rig.s.state, SATIP_WAIT);
		rig_finish(&rig);
	}
}

/* RTCP that is none, or ends the session. */
static const struct packet {
	uint8_t data[24];
	size_t len;
	enum satip_state state;
} packets[] = {
	{ { 0x81, 203, 0, 1, 0, 0, 0, 1 }, 8, SATIP_WAIT },
	{ { 0x80, 203, 0, 0 }, 4, SATIP_WAIT }, /* of no source */
	{ { 0x80, 200, 0, 0, 0x81, 203, 0, 1, 0, 0, 0, 1 }, 12, SATIP_WAIT },
	{ { 0x81, 203, 0xff, 0xff, 0, 0, 0, 1 }, 8, SATIP_WAIT },
	{ { 0x41, 203, 0, 1, 0, 0, 0, 1 }, 8, SATIP_ON }, /* version 1 */
	{ { 0x80, 33, 0, 1, 0, 0, 0, 1 }, 8, SATIP_ON }, /* RTP */
	{ { 0x81, 203, 0 }, 3, SATIP_ON },
	{ { 0x80, 200, 0, 0, 0x47, 203, 0, 1 }, 8, SATIP_ON },
	{ { 0x80, 200, 0, 2, 0x81, 203, 0, 1, 0, 0, 0, 1 }, 12, SATIP_ON },
};

Test(satip_misbehaviours, of_rtcp)
{
	for (size_t i = 0; i < ARRAY_LEN(packets); i++) {
		struct rig rig;

		rig_play(&rig, SATIP_UDP);
		satip_session_media(&rig.s, rig.now_ns);
		satip_session_rtcp(&rig.s, packets[i].data, packets[i].len,
				   rig.now_ns);
		cr_assert_eq(rig.s.state, packets[i].state, "%zu: %d", i,
			     rig.s.state);
		if (packets[i].state == SATIP_WAIT)
			want_attempt(&rig, "SETUP ", i);
		rig_finish(&rig);
	}
}

/* The next attempt has the transport that the server named. */
Test(satip_misbehaviours, of_servers_with_one_transport)
{
	static const struct {
		enum satip_transport asked;
		const char *reply, *next;
	} cases[] = {
		{ SATIP_UDP, HEAD SESSION TCP "\r\n", BY_TCP },
		{ SATIP_TCP, HEAD SESSION UDP "\r\n", BY_UDP },
		{ SATIP_UDP, STATUS("461 Transport"), BY_TCP },
		{ SATIP_TCP, STATUS("461 Transport"), BY_UDP },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig rig;

		rig_begin(&rig, cases[i].asked);
		cr_assert(rig_take_request(&rig));
		rig_reply(&rig, cases[i].reply);
		want_attempt(&rig, cases[i].next, i);
		rig_finish(&rig);
	}
}

/* The next session does not wait for a server that closes the connection of
 * the last one. */
Test(satip_misbehaviours, of_the_reply_to_teardown)
{
	static const char *const replies[] = { OK, STATUS("454 x"),
					       STATUS("500 x"),
					       "CSeq: @\r\n\r\n", CLOSE,
					       SILENCE };

	for (size_t i = 0; i < ARRAY_LEN(replies); i++) {
		struct rig rig;

		rig_play(&rig, SATIP_UDP);
		satip_session_tune(&rig.s, "src=1&freq=11494");
		rig_pass(&rig, 100);
		cr_assert(rig_take_request(&rig));
		cr_assert_eq(strncmp(rig.last, "TEARDOWN ", 9), 0);
		rig_reply(&rig, replies[i]);
		if (strcmp(replies[i], CLOSE) == 0) {
			cr_assert_eq(rig.s.state, SATIP_CONNECT);
			satip_session_connected(&rig.s, rig.now_ns);
		}
		cr_assert(rig_take_request(&rig), "%zu", i);
		cr_assert_not_null(strstr(rig.last, "freq=11494"), "%zu: %s",
				   i, rig.last);
		want_error(&rig, NULL, i);
		rig_finish(&rig);
	}
}
