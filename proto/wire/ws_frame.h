/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads and writes WebSocket frames (RFC 6455) with the frame codec of
 * libwslay.  Pure: no I/O.
 */
#pragma once

#include "common/base/buf.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WS_MESSAGE_MAX = 256 * 1024,
	WS_CONTROL_MAX = 125,
	WS_HEADER_MAX = 10, /* bytes, for a frame without a mask */
};

/* Codes of a close frame (RFC 6455 7.4.1). */
enum {
	WS_GOING_AWAY = 1001,
	WS_PROTOCOL_ERROR = 1002,
	WS_POLICY = 1008,
};

enum ws_event {
	WS_MORE,      /* feed more bytes */
	WS_TEXT,      /* a complete text message, UTF-8 */
	WS_BINARY,    /* a binary frame began */
	WS_PING,
	WS_PONG,
	WS_CLOSE,     /* a close frame; payload: empty, or a code of 2 bytes and
		       * a text in UTF-8 */
	WS_TOO_BIG,   /* the message exceeds the limit */
	WS_VIOLATION, /* the peer violates RFC 6455: close with 1002 */
};

struct ws_reader;

/* Makes a reader for frames of a client: masked, messages up to
 * WS_MESSAGE_MAX. */
struct ws_reader *ws_reader_new(void);

/* Makes a reader for frames of a server: unmasked, messages up to max bytes. */
struct ws_reader *ws_reader_new_of_server(size_t max);

void ws_reader_free(struct ws_reader **);

/*
 * Consumes bytes from the front of in, and returns the next event.  Call it
 * until it returns WS_MORE, because several events may be in the bytes.  After
 * WS_BINARY, WS_CLOSE, WS_TOO_BIG or WS_VIOLATION each call returns the same
 * event.
 */
enum ws_event ws_reader_feed(struct ws_reader *, struct buf *in);

/* The payload of a text, ping, pong or close frame, valid until the next
 * feed. */
const uint8_t *ws_reader_payload(const struct ws_reader *, size_t *ret_len);

/* The number of bytes received of a message that is not complete; 0: there is
 * no such message. */
size_t ws_reader_held(const struct ws_reader *);

/* Appends one unmasked frame, as a server sends it. */
void ws_write_text(struct buf *out, const void *data, size_t len);
void ws_write_pong(struct buf *out, const void *data, size_t len);
void ws_write_close(struct buf *out, unsigned code);

enum { WS_MASK = 4 };

/* Appends one frame as a client sends it; mask: random bytes. */
void ws_write_text_masked(struct buf *out, const void *data, size_t len,
			  const uint8_t mask[WS_MASK]);
void ws_write_pong_masked(struct buf *out, const void *data, size_t len,
			  const uint8_t mask[WS_MASK]);
