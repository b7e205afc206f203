/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/satip/rtsp.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static ssize_t decode(const char *text, struct rtsp_item *ret)
{
	return rtsp_decode((const uint8_t *)text, strlen(text), ret, NULL);
}

static const struct rtsp_reply *reply(const char *text)
{
	static struct rtsp_item item;

	cr_assert_eq(decode(text, &item), (ssize_t)strlen(text), "%s", text);
	cr_assert_eq(item.kind, RTSP_REPLY, "%s", text);
	return &item.reply;
}

Test(rtsp, decodes_a_reply_to_setup)
{
	const struct rtsp_reply *r = reply(
		"RTSP/1.0 200 OK\r\nCSeq: 2\r\n"
		"Session: 1234abcd;timeout=30\r\ncom.ses.streamID: 0\r\n"
		"Transport: RTP/AVP;unicast;destination=192.0.2.9;"
		"client_port=5000-5001;source=192.0.2.1;"
		"server_port=6000-6001\r\n\r\n");

	cr_assert_eq(r->status, 200);
	cr_assert_str_eq(r->reason, "OK");
	cr_assert(r->has_cseq);
	cr_assert_eq(r->cseq, 2);
	cr_assert_str_eq(r->session, "1234abcd");
	cr_assert_eq(r->timeout_s, 30);
	cr_assert_eq(r->stream, 0);
	cr_assert(r->has_transport);
	cr_assert_eq(r->transport.kind, SATIP_UDP);
	cr_assert_eq(r->transport.port, 0);
	cr_assert_str_eq(r->transport.destination, "192.0.2.9");
	cr_assert_str_eq(r->transport.source, "192.0.2.1");
}

Test(rtsp, decodes_multicast_and_interleaved_transports)
{
	const struct rtsp_reply *r = reply(
		"RTSP/1.0 200 OK\r\nTransport: RTP/AVP;multicast;"
		"destination=239.0.0.1;port=5004-5005;ttl=2\r\n\r\n");

	cr_assert_eq(r->transport.kind, SATIP_MULTICAST);
	cr_assert_str_eq(r->transport.destination, "239.0.0.1");
	cr_assert_eq(r->transport.port, 5004);
	r = reply("RTSP/1.0 200 OK\r\nTransport: RTP/AVP/TCP;unicast;"
		  "interleaved=4-5\r\n\r\n");
	cr_assert_eq(r->transport.kind, SATIP_TCP);
	cr_assert_eq(r->transport.channel, 4);
	r = reply("RTSP/1.0 200 OK\r\nTransport: RTP/AVP;multicast;"
		  "destination=[ff3e::1];source=[2001:db8::1]\r\n\r\n");
	cr_assert_str_eq(r->transport.destination, "ff3e::1");
	cr_assert_str_eq(r->transport.source, "2001:db8::1");
}

Test(rtsp, accepts_what_servers_send_beside_the_standard)
{
	static const struct {
		const char *text;
		unsigned status;
		uint32_t cseq, timeout_s;
		int stream;
	} cases[] = {
		{ "RTSP/1.0 200 OK\r\nCseq: 3\r\n\r\n", 200, 3, 60, -1 },
		{ "RTSP/1.0 200 OK\ncseq:3\n\n", 200, 3, 60, -1 },
		{ "HTTP/1.1 503 No Tuner\r\nCSeq: 9\r\n\r\n", 503, 9, 60, -1 },
		{ "CSeq: 7\r\nSession: x\r\n\r\n", 0, 7, 60, -1 },
		{ "RTSP/1.0 200\r\nSession: 7;timeout=0\r\n\r\n", 200, 0, 60,
		  -1 },
		{ "RTSP/1.0 200 OK\r\nSession: 7; Timeout = 15 ;x\r\n\r\n", 200,
		  0, 15, -1 },
		{ "RTSP/1.0 200 OK\r\nSession: 7;timeout=-3\r\n\r\n", 200, 0,
		  60, -1 },
		{ "RTSP/1.0 200 OK\r\nCOM.SES.STREAMID:12\r\n\r\n", 200, 0, 60,
		  12 },
		{ "RTSP/1.0 200 OK\r\ncom.ses.streamID: x\r\n\r\n", 200, 0, 60,
		  -1 },
		{ "RTSP/1.0 999 Oh\r\nrubbish\r\n\r\n", 0, 0, 60, -1 },
		{ "RTSP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nbody", 200, 0,
		  60, -1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct rtsp_reply *r = reply(cases[i].text);

		cr_assert_eq(r->status, cases[i].status, "%zu", i);
		cr_assert_eq(r->cseq, cases[i].cseq, "%zu", i);
		cr_assert_eq(r->timeout_s, cases[i].timeout_s, "%zu", i);
		cr_assert_eq(r->stream, cases[i].stream, "%zu", i);
	}
}

Test(rtsp, separates_frames_from_replies)
{
	static const uint8_t data[] = "$\1\0\3abc"
		"RTSP/1.0 200 OK\r\n\r\n\n$\0\0\0";
	size_t at = 0, len = sizeof data - 1;
	struct rtsp_item item;
	ssize_t n;

	n = rtsp_decode(data, len, &item, NULL);
	cr_assert_eq(n, 7);
	cr_assert_eq(item.kind, RTSP_FRAME);
	cr_assert_eq(item.channel, 1);
	cr_assert_eq(item.len, 3);
	cr_assert_eq(memcmp(item.data, "abc", 3), 0);
	at += (size_t)n;
	n = rtsp_decode(data + at, len - at, &item, NULL);
	cr_assert_gt(n, 0);
	cr_assert_eq(item.kind, RTSP_REPLY);
	at += (size_t)n;
	n = rtsp_decode(data + at, len - at, &item, NULL);
	cr_assert_eq(n, 5);
	cr_assert_eq(item.len, 0);
	cr_assert_eq(at + (size_t)n, len);
}

Test(rtsp, waits_for_the_end_of_each_item)
{
	static const char *const items[] = {
		"RTSP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nabc",
		"$\1\1\1", "OPTIONS rtsp://h/ RTSP/1.0\r\nCSeq: 1\r\n\r\n",
	};
	struct rtsp_item item;

	for (size_t i = 0; i < ARRAY_LEN(items); i++)
		for (size_t n = 0; n < strlen(items[i]); n++)
			cr_assert_eq(rtsp_decode((const uint8_t *)items[i], n,
						 &item, NULL), 0);
	cr_assert_gt(decode(items[2], &item), 0);
	cr_assert_eq(item.kind, RTSP_REQUEST);
}

Test(rtsp, rejects_what_has_no_end)
{
	char *text = malloc(HEAD_MAX + 1);
	struct rtsp_item item;
	struct errmsg error;

	memset(text, 'x', HEAD_MAX);
	text[HEAD_MAX] = '\0';
	cr_assert_eq(decode(text, &item), -EBADMSG);
	free(text);
	cr_assert_eq(decode("RTSP/1.0 200 OK\r\nContent-Length: 65537\r\n\r\n",
			    &item), -EBADMSG);
	text = "RTSP/1.0 200 OK\r\nContent-Length: -1\r\n\r\n";
	cr_assert_eq(rtsp_decode((uint8_t *)text, strlen(text), &item, &error),
		     -EBADMSG);
	cr_assert_str_eq(error.text, "RTSP: Content-Length: the server sent "
			 "no number up to 65536");
}
