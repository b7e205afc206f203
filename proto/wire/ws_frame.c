/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/wire/ws_frame.h"

#include "common/base/alloc.h"
#include "common/base/utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <wslay/wslay.h>

enum { KEEP = 1024 }; /* memory kept between two messages */

struct ws_reader {
	wslay_frame_context_ptr frames;
	struct buf *in;       /* bytes to read; NULL outside of a feed */
	bool masked;          /* the peer is a client, so frames are masked */
	size_t max;           /* most bytes of a message */
	enum ws_event end;    /* the event that ended the reader; WS_MORE: none
			       * has */
	uint64_t left;        /* bytes of the current frame still to come */
	bool in_frame;
	bool in_message;      /* between the first and the last fragment */
	bool shown;           /* `message' is complete and was returned: the
			       * next feed empties it */
	struct buf message;
	uint8_t control[WS_CONTROL_MAX];
	size_t control_len;
	const uint8_t *payload;
	size_t payload_len;
};

static ssize_t give_bytes(uint8_t *data, size_t len, int flags, void *arg)
{
	struct ws_reader *r = arg;
	size_t n = MIN(len, buf_len(r->in));

	(void)flags;
	if (n == 0)
		return -1; /* wslay: more bytes are needed */
	memcpy(data, buf_head(r->in), n);
	buf_take(r->in, n);
	return (ssize_t)n;
}

static struct ws_reader *reader_new(bool masked, size_t max)
{
	struct wslay_frame_callbacks callbacks = {
		.recv_callback = give_bytes,
	};
	struct ws_reader *r = xcalloc(1, sizeof *r);

	if (wslay_frame_context_init(&r->frames, &callbacks, r) < 0)
		abort(); /* out of memory */
	r->masked = masked;
	r->max = max;
	return r;
}

struct ws_reader *ws_reader_new(void)
{
	return reader_new(true, WS_MESSAGE_MAX);
}

struct ws_reader *ws_reader_new_of_server(size_t max)
{
	return reader_new(false, max);
}

void ws_reader_free(struct ws_reader **reader)
{
	struct ws_reader *r = *reader;

	if (!r)
		return;
	wslay_frame_context_free(r->frames);
	buf_done(&r->message);
	free(r);
	*reader = NULL;
}

static enum ws_event finish(struct ws_reader *r, enum ws_event event)
{
	r->end = event;
	return event;
}

/* Is the payload of a close frame valid (RFC 6455 7.4): empty, or a code that
 * may be sent, and a text? */
static bool is_sound_close(const uint8_t *data, size_t len)
{
	unsigned code = len >= 2 ? (unsigned)data[0] << 8 | data[1] : 0;

	if (len == 0)
		return true;
	return ((code >= 1000 && code <= 1003) ||
		(code >= 1007 && code <= 1011) ||
		(code >= 3000 && code <= 4999)) &&
	       utf8_is_valid(data + 2, len - 2);
}

/* Checks the header of a frame; WS_MORE if it is valid. */
static enum ws_event judge_header(struct ws_reader *r,
				  const struct wslay_frame_iocb *f)
{
	if ((f->mask != 0) != r->masked || f->rsv != WSLAY_RSV_NONE)
		return WS_VIOLATION;
	switch (f->opcode) {
	case WSLAY_CONNECTION_CLOSE:
	case WSLAY_PING:
	case WSLAY_PONG:
		r->control_len = 0;
		return f->payload_length <= WS_CONTROL_MAX ? WS_MORE
							   : WS_VIOLATION;
	case WSLAY_BINARY_FRAME:
		return r->in_message ? WS_VIOLATION : WS_BINARY;
	case WSLAY_TEXT_FRAME:
	case WSLAY_CONTINUATION_FRAME:
		if (r->in_message != (f->opcode == WSLAY_CONTINUATION_FRAME))
			return WS_VIOLATION;
		r->in_message = true;
		return f->payload_length > r->max - buf_len(&r->message)
			       ? WS_TOO_BIG
			       : WS_MORE;
	default:
		return WS_VIOLATION;
	}
}

static enum ws_event show(struct ws_reader *r, enum ws_event event,
			  const uint8_t *payload, size_t len)
{
	r->payload = payload;
	r->payload_len = len;
	return event;
}

static enum ws_event end_frame(struct ws_reader *r,
			       const struct wslay_frame_iocb *f)
{
	size_t len = buf_len(&r->message);
	const uint8_t *text = len > 0 ? buf_head(&r->message) : NULL;

	r->in_frame = false;
	switch (f->opcode) {
	case WSLAY_CONNECTION_CLOSE:
		(void)finish(r, is_sound_close(r->control, r->control_len)
					? WS_CLOSE
					: WS_VIOLATION);
		return show(r, r->end, r->control, r->control_len);
	case WSLAY_PING:
		return show(r, WS_PING, r->control, r->control_len);
	case WSLAY_PONG:
		return show(r, WS_PONG, r->control, r->control_len);
	default:
		break;
	}
	if (!f->fin)
		return WS_MORE;
	r->in_message = false;
	r->shown = true;
	if (len > 0 && !utf8_is_valid(text, len))
		return finish(r, WS_VIOLATION);
	return show(r, WS_TEXT, text, len);
}

/* Takes a piece of a frame, which wslay has read. */
static enum ws_event take_piece(struct ws_reader *r,
				const struct wslay_frame_iocb *f)
{
	if (!r->in_frame) {
		enum ws_event event = judge_header(r, f);

		if (event != WS_MORE)
			return finish(r, event);
		r->in_frame = true;
		r->left = f->payload_length;
	}
	assert(f->data_length <= r->left);
	if (wslay_is_ctrl_frame(f->opcode)) {
		if (f->data_length > 0)
			memcpy(r->control + r->control_len, f->data,
			       f->data_length);
		r->control_len += f->data_length;
	} else {
		buf_append(&r->message, f->data, f->data_length);
	}
	r->left -= f->data_length;
	return r->left > 0 ? WS_MORE : end_frame(r, f);
}

enum ws_event ws_reader_feed(struct ws_reader *r, struct buf *in)
{
	enum ws_event event = r->end;

	(void)show(r, event, NULL, 0);
	if (r->shown)
		buf_reset(&r->message, KEEP);
	r->shown = false;
	r->in = in;
	while (event == WS_MORE) {
		struct wslay_frame_iocb f = { 0 };
		ssize_t n = wslay_frame_recv(r->frames, &f);

		if (n == WSLAY_ERR_WANT_READ)
			break;
		event = n < 0 ? finish(r, WS_VIOLATION) : take_piece(r, &f);
	}
	r->in = NULL;
	return event;
}

const uint8_t *ws_reader_payload(const struct ws_reader *r, size_t *ret_len)
{
	*ret_len = r->payload_len;
	return r->payload_len ? r->payload : (const uint8_t *)"";
}

size_t ws_reader_held(const struct ws_reader *r)
{
	return r->in_message ? buf_len(&r->message) : 0;
}

/* Appends one frame with the FIN bit (RFC 6455 5.2), unmasked if mask is
 * NULL. */
static void write_frame(struct buf *out, enum wslay_opcode opcode,
			const void *data, size_t len, const uint8_t *mask)
{
	uint8_t header[WS_HEADER_MAX] = { (uint8_t)(0x80 | opcode) };
	size_t extra = len < 126 ? 0 : len < 65536 ? 2 : 8;
	const uint8_t *bytes = data;
	uint8_t *to;

	header[1] = (uint8_t)((mask ? 0x80 : 0) |
			      (extra == 0 ? len : extra == 2 ? 126 : 127));
	for (size_t i = 0; i < extra; i++)
		header[2 + i] = (uint8_t)(len >> 8 * (extra - 1 - i));
	buf_append(out, header, 2 + extra);
	if (mask == NULL) {
		buf_append(out, data, len);
		return;
	}
	buf_append(out, mask, WS_MASK);
	to = buf_reserve(out, len);
	for (size_t i = 0; i < len; i++)
		to[i] = bytes[i] ^ mask[i % WS_MASK];
	buf_added(out, len);
}

void ws_write_text(struct buf *out, const void *data, size_t len)
{
	write_frame(out, WSLAY_TEXT_FRAME, data, len, NULL);
}

void ws_write_text_masked(struct buf *out, const void *data, size_t len,
			  const uint8_t mask[WS_MASK])
{
	write_frame(out, WSLAY_TEXT_FRAME, data, len, mask);
}

void ws_write_pong(struct buf *out, const void *data, size_t len)
{
	assert(len <= WS_CONTROL_MAX);
	write_frame(out, WSLAY_PONG, data, len, NULL);
}

void ws_write_pong_masked(struct buf *out, const void *data, size_t len,
			  const uint8_t mask[WS_MASK])
{
	assert(len <= WS_CONTROL_MAX);
	write_frame(out, WSLAY_PONG, data, len, mask);
}

void ws_write_close(struct buf *out, unsigned code)
{
	uint8_t payload[2] = { (uint8_t)(code >> 8), (uint8_t)code };

	write_frame(out, WSLAY_CONNECTION_CLOSE, payload, sizeof payload,
		    NULL);
}
