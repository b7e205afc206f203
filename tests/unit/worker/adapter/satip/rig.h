/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session against a scripted server: each reply answers the next request. */
#pragma once

#include "common/base/units.h"
#include "worker/adapter/satip/satip_session.h"

#define HEAD "RTSP/1.0 200 OK\r\nCSeq: @\r\n"
#define OK HEAD "\r\n"
#define UDP "Transport: RTP/AVP;unicast;client_port=5000-5001\r\n"
#define TCP "Transport: RTP/AVP/TCP;unicast;interleaved=2-3\r\n"
#define SESSION "Session: 77;timeout=30\r\ncom.ses.streamID: 0\r\n"
#define SETUP HEAD SESSION UDP "\r\n"
#define STATUS(text) "RTSP/1.0 " text "\r\nCSeq: @\r\n\r\n"
#define SILENCE "~" /* the server sends nothing for so long */
#define CLOSE "!"   /* the server closes the connection */
#define START_NS (1000 * SECOND_NS)

enum { REPLIES_MAX = 6 };

struct rig {
	struct satip_session s;
	struct buf in;
	uint64_t now_ns;
	char last[1024]; /* the last request */
	unsigned requests, media;
};

/* The PIDs of the session. */
void rig_want(struct rig *, size_t n, ...);

/* Connects; lists: without pids=all. */
void rig_begin_with(struct rig *, enum satip_transport, bool lists);
void rig_begin(struct rig *, enum satip_transport);
void rig_finish(struct rig *);

/* Takes what the session sends; false if it sends nothing. */
bool rig_take_request(struct rig *);

void rig_pass(struct rig *, unsigned ms);

/* Sends text with the number of the last request in place of '@', and a zero in
 * place of '^'; SILENCE and CLOSE may stand in it. */
void rig_reply(struct rig *, const char *text);

/* A reply to each request. */
void rig_serve(struct rig *, const char *const *replies);
/* RTCP with this text of SES1. */
void rig_report(struct rig *, const char *tuner);
void rig_play(struct rig *, enum satip_transport);
