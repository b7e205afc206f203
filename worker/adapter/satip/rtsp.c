/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/satip/rtsp.h"

#include <errno.h>
#include <string.h>

enum {
	FRAME_MARK = '$',
	STATUS_MIN = 100,
	STATUS_MAX = 599,
	TIMEOUT_MAX_S = 86400,
	STREAM_MAX = 65535,
};

/* Reads a port, or the first port of a pair: "5004" or "5004-5005". */
static bool take_port(struct slice value, uint16_t *ret)
{
	struct slice first, second;
	uint32_t n;

	(void)slice_split(value, '-', &first, &second);
	if (!slice_number(first, UINT16_MAX, &n))
		return false;
	*ret = (uint16_t)n;
	return true;
}

/* Copies an address, without brackets: "192.0.2.1", "2001:db8::1" or
 * "[2001:db8::1]". */
static void take_address(struct slice value, char *text, size_t size)
{
	if (value.len >= 2 && value.at[0] == '[' &&
	    value.at[value.len - 1] == ']') {
		value.at++;
		value.len -= 2;
	}
	(void)slice_copy(value, text, size);
}

static void take_parameter(struct rtsp_transport *t, struct slice part)
{
	struct slice name, value;
	uint16_t channel;

	(void)slice_split(part, '=', &name, &value);
	if (slice_is(name, "multicast"))
		t->kind = SATIP_MULTICAST;
	else if (slice_is(name, "port"))
		(void)take_port(value, &t->port);
	else if (slice_is(name, "destination"))
		take_address(value, t->destination, sizeof t->destination);
	else if (slice_is(name, "source"))
		take_address(value, t->source, sizeof t->source);
	else if (slice_is(name, "interleaved") &&
		 take_port(value, &channel) && channel < UINT8_MAX) {
		t->kind = SATIP_TCP;
		t->channel = (uint8_t)channel;
	}
}

static void take_transport(struct rtsp_reply *r, struct slice value)
{
	struct slice first, part;

	/* only the first of several transports in the list counts */
	if (!slice_part(&value, ',', &first) || !slice_part(&first, ';', &part))
		return;
	r->has_transport = true;
	if (slice_is(part, "RTP/AVP/TCP"))
		r->transport.kind = SATIP_TCP;
	while (slice_part(&first, ';', &part))
		take_parameter(&r->transport, part);
}

static void take_session(struct rtsp_reply *r, struct slice value)
{
	struct slice part, name, number;
	uint32_t timeout_s;

	if (!slice_part(&value, ';', &part) ||
	    !slice_copy(part, r->session, sizeof r->session))
		return;
	while (slice_part(&value, ';', &part))
		if (slice_split(part, '=', &name, &number) &&
		    slice_is(name, "timeout") &&
		    slice_number(number, TIMEOUT_MAX_S, &timeout_s) &&
		    timeout_s > 0)
			r->timeout_s = timeout_s;
}

/* Takes a field of a reply.  Of a repeated field, the first one with a value
 * counts. */
static void take_field(struct rtsp_reply *r, struct slice name,
		       struct slice value)
{
	uint32_t n;

	if (slice_is(name, "CSeq") && !r->has_cseq) {
		r->has_cseq = slice_number(value, UINT32_MAX, &r->cseq);
	} else if (slice_is(name, "Session") && r->session[0] == '\0') {
		take_session(r, value);
	} else if (slice_is(name, "com.ses.streamID") &&
		   r->stream == RTSP_NO_STREAM) {
		if (slice_number(value, STREAM_MAX, &n))
			r->stream = (int)n;
	} else if (slice_is(name, "Transport") && !r->has_transport) {
		take_transport(r, value);
	}
}

/* Is this the first line of a request, "ANNOUNCE rtsp://host/ RTSP/1.0"? */
static bool is_request_line(struct slice line)
{
	static const char version[] = "RTSP/1.0";
	struct slice end = line;

	if (line.len <= strlen(version))
		return false;
	end.at += line.len - strlen(version);
	end.len = strlen(version);
	return slice_is(end, version);
}

/* Decodes the head of a reply or request; *ret_body: its Content-Length.  A
 * reply without a status line begins with its first field. */
static void take_head(struct rtsp_item *item, struct slice head,
		      uint32_t *ret_body)
{
	struct slice line = { 0 }, name, value, rest = head;
	struct slice version, status, number, reason;
	struct rtsp_reply *reply = &item->reply;
	uint32_t n;

	*ret_body = 0;
	(void)head_line(&rest, &line);
	/* "RTSP/1.0 200 OK"; some servers reply with the version "HTTP/1.1" */
	if (slice_begins(line, "RTSP/") || slice_begins(line, "HTTP/")) {
		(void)slice_split(line, ' ', &version, &status);
		(void)slice_split(status, ' ', &number, &reason);
		if (slice_number(number, STATUS_MAX, &n) && n >= STATUS_MIN)
			reply->status = n;
		(void)slice_copy(reason, reply->reason, sizeof reply->reason);
		head = rest;
	} else if (is_request_line(line)) {
		item->kind = RTSP_REQUEST;
		head = rest;
	}
	while (head_field(&head, &name, &value)) {
		take_field(reply, name, value);
		if (slice_is(name, "Content-Length") &&
		    !slice_number(value, UINT32_MAX, ret_body))
			*ret_body = UINT32_MAX;
	}
}

static ssize_t decode_frame(const uint8_t *data, size_t len,
			    struct rtsp_item *ret)
{
	size_t size;

	if (len < RTSP_FRAME_HEAD)
		return 0;
	size = (size_t)(data[2] << 8 | data[3]);
	if (len < RTSP_FRAME_HEAD + size)
		return 0;
	*ret = (struct rtsp_item){ .kind = RTSP_FRAME, .channel = data[1],
				   .data = data + RTSP_FRAME_HEAD,
				   .len = size };
	return (ssize_t)(RTSP_FRAME_HEAD + size);
}

ssize_t rtsp_decode(const uint8_t *data, size_t len, struct rtsp_item *ret,
		    struct errmsg *error)
{
	struct rtsp_item item = {
		.kind = RTSP_REPLY,
		.reply = { .timeout_s = RTSP_TIMEOUT_S,
			   .stream = RTSP_NO_STREAM },
	};
	size_t most = MIN(len, (size_t)HEAD_MAX), blank = 0, head;
	uint32_t body;
	ssize_t n;

	while (blank < most && (data[blank] == '\r' || data[blank] == '\n'))
		blank++;
	if (blank < len && data[blank] == FRAME_MARK) {
		n = decode_frame(data + blank, len - blank, ret);
		return n > 0 ? n + (ssize_t)blank : 0;
	}
	head = head_length(data + blank, most - blank);
	if (head == 0 && len >= HEAD_MAX)
		return errmsg_fail(error, -EBADMSG, "RTSP: the server sent a "
				   "head of more than %u bytes",
				   (unsigned)HEAD_MAX);
	if (head == 0)
		return 0;
	take_head(&item, (struct slice){ (const char *)data + blank, head },
		  &body);
	head += blank;
	if (body > RTSP_BODY_MAX)
		return errmsg_fail(error, -EBADMSG, "RTSP: Content-Length: the "
				   "server sent no number up to %u",
				   (unsigned)RTSP_BODY_MAX);
	if (len < head + body)
		return 0;
	*ret = item;
	return (ssize_t)(head + body);
}
