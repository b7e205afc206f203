/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decodes what a SAT>IP server sends on its RTSP connection (RFC 2326):
 * replies, requests of the server, and between them, at any point, frames of
 * RTP and RTCP.
 *
 * Pure; all slices point into the data of the caller.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/satip_spec.h"
#include "worker/adapter/satip/head.h"

#include <sys/types.h>

enum {
	RTSP_FRAME_HEAD = 4,
	RTSP_FRAME_MAX = RTSP_FRAME_HEAD + 0xffff,
	RTSP_BODY_MAX = 65536,
	RTSP_SESSION_MAX = 128,
	RTSP_TIMEOUT_S = 60, /* lifetime of a session if the reply names no
			      * `timeout' */
	RTSP_NO_STREAM = -1,
};

/* The `Transport' field of a reply. */
struct rtsp_transport {
	enum satip_transport kind;
	uint16_t port;        /* with multicast: port of RTP; 0: not named */
	uint8_t channel;      /* with TCP: channel of RTP; RTCP has the next
			       * one */
	char destination[48]; /* "": none */
	char source[48];
};

struct rtsp_reply {
	unsigned status;    /* 0: the reply has no status line */
	char reason[64];    /* "": none */
	bool has_cseq;
	uint32_t cseq;
	char session[RTSP_SESSION_MAX]; /* "": none */
	uint32_t timeout_s; /* lifetime of the session; RTSP_TIMEOUT_S if the
			     * reply does not name it */
	int stream;         /* com.ses.streamID; RTSP_NO_STREAM: not named */
	bool has_transport;
	struct rtsp_transport transport;
};

enum rtsp_kind {
	RTSP_REPLY,
	RTSP_REQUEST, /* from the server; Sluice does not answer it */
	RTSP_FRAME,
};

struct rtsp_item {
	enum rtsp_kind kind;
	struct rtsp_reply reply;
	uint8_t channel;     /* RTSP_FRAME: channel of the frame */
	const uint8_t *data; /* RTSP_FRAME: payload of the frame, len bytes */
	size_t len;
};

/* Decodes the item at the front of the data.  Returns the length of the item;
 * 0: it is not complete yet; -EBADMSG with error: the data are invalid, and the
 * connection cannot be used further. */
ssize_t rtsp_decode(const uint8_t *data, size_t len, struct rtsp_item *ret,
		    struct errmsg *error) MUST_CHECK;
