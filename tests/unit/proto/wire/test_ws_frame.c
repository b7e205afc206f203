/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/wire/ws_frame.h"

#include "common/base/alloc.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A client's frame: opcode with FIN and RSV bits as they are sent. */
static void frame(struct buf *b, unsigned first, const void *data, size_t len)
{
	static const uint8_t mask[4] = { 0x12, 0x34, 0x56, 0x78 };
	const uint8_t *bytes = data;
	uint8_t head[10] = { (uint8_t)first };
	size_t extra = len < 126 ? 0 : len < 65536 ? 2 : 8;

	head[1] = (uint8_t)(0x80 | (extra == 0 ? len : extra == 2 ? 126 : 127));
	for (size_t i = 0; i < extra; i++)
		head[2 + i] = (uint8_t)(len >> 8 * (extra - 1 - i));
	buf_append(b, head, 2 + extra);
	buf_append(b, mask, 4);
	for (size_t i = 0; i < len; i++) {
		uint8_t c = bytes[i] ^ mask[i % 4];

		buf_append(b, &c, 1);
	}
}

static void text_frame(struct buf *b, unsigned first, const char *text)
{
	frame(b, first, text, strlen(text));
}

/* All events of the bytes in wire, fed in pieces of step bytes, as text:
 * "text(abc) ping() " */
static void events(const struct buf *wire, size_t step, struct buf *log)
{
	static const char *const names[] = {
		[WS_TEXT] = "text",       [WS_BINARY] = "binary",
		[WS_PING] = "ping",       [WS_PONG] = "pong",
		[WS_CLOSE] = "close",     [WS_TOO_BIG] = "too-big",
		[WS_VIOLATION] = "violation",
	};
	struct ws_reader *r = ws_reader_new();
	struct buf in = { 0 };
	bool ended = false;

	for (size_t at = 0; at < buf_len(wire) && !ended; at += step) {
		enum ws_event e;

		buf_append(&in, buf_head(wire) + at,
			   MIN(step, buf_len(wire) - at));
		while (!ended && (e = ws_reader_feed(r, &in)) != WS_MORE) {
			size_t len;
			const uint8_t *data = ws_reader_payload(r, &len);

			buf_printf(log, "%s(%.*s) ", names[e],
				   (int)MIN(len, 50U), (const char *)data);
			ended = e != WS_TEXT && e != WS_PING && e != WS_PONG;
			if (ended)
				cr_assert_eq(ws_reader_feed(r, &in), e);
		}
	}
	buf_append(log, "", 1);
	buf_done(&in);
	ws_reader_free(&r);
	cr_assert_null(r);
}

static void check(struct buf *wire, const char *wanted)
{
	for (size_t step = 1; step <= buf_len(wire); step++) {
		struct buf log = { 0 };

		events(wire, step, &log);
		cr_assert_str_eq((char *)buf_head(&log), wanted);
		buf_done(&log);
	}
	buf_done(wire);
}

Test(ws_frame, reads_messages_and_controls)
{
	struct buf b = { 0 };

	text_frame(&b, 0x81, "ping");
	text_frame(&b, 0x81, "");
	text_frame(&b, 0x89, "abc");
	text_frame(&b, 0x8a, "");
	text_frame(&b, 0x88, "\x03\xe8" "bye");
	check(&b, "text(ping) text() ping(abc) pong() close(\x03\xe8" "bye) ");
}

Test(ws_frame, joins_fragments_around_controls)
{
	struct buf b = { 0 };

	text_frame(&b, 0x01, "pi");
	text_frame(&b, 0x89, "one");
	text_frame(&b, 0x00, "");
	text_frame(&b, 0x8a, "two");
	text_frame(&b, 0x80, "ng");
	text_frame(&b, 0x81, "next");
	text_frame(&b, 0x88, "");
	check(&b, "ping(one) pong(two) text(ping) text(next) close() ");
}

Test(ws_frame, judges_utf8_across_fragments)
{
	struct buf b = { 0 };

	text_frame(&b, 0x01, "\xd0");
	text_frame(&b, 0x80, "\x9d");
	text_frame(&b, 0x01, "\xd0");
	text_frame(&b, 0x80, "x");
	check(&b, "text(\xd0\x9d) violation() ");
}

/* Whole frames in wire format. */
#define MASK "\x00\x00\x00\x00"
static const struct {
	const char *what;
	const char *bytes;
	size_t len;
	const char *events;
} vectors[] = {
#define V(what, bytes, events) { what, bytes, sizeof(bytes) - 1, events }
	V("not masked", "\x81\x04ping", "violation() "),
	V("control not masked", "\x89\x01" "a", "violation() "),
	V("RSV1", "\xc1\x81" MASK "a", "violation() "),
	V("RSV2", "\xa1\x81" MASK "a", "violation() "),
	V("RSV3", "\x91\x81" MASK "a", "violation() "),
	V("opcode 3", "\x83\x81" MASK "a", "violation() "),
	V("opcode 7", "\x87\x81" MASK "a", "violation() "),
	V("opcode 11", "\x8b\x81" MASK "a", "violation() "),
	V("opcode 15", "\x8f\x81" MASK "a", "violation() "),
	V("fragmented ping", "\x09\x81" MASK "a", "violation() "),
	V("fragmented close", "\x08\x80" MASK, "violation() "),
	V("ping of 126 bytes", "\x89\xfe\x00\x7e" MASK "a", "violation() "),
	V("continuation of nothing", "\x80\x81" MASK "a", "violation() "),
	V("first continuation", "\x00\x81" MASK "a", "violation() "),
	V("text in a message", "\x01\x81" MASK "a\x81\x81" MASK "b",
	  "violation() "),
	V("binary in a message", "\x01\x81" MASK "a\x82\x81" MASK "b",
	  "violation() "),
	V("length not in its shortest form, 16 bit",
	  "\x81\xfe\x00\x7d" MASK "a", "violation() "),
	V("length not in its shortest form, 64 bit",
	  "\x81\xff\x00\x00\x00\x00\x00\x00\xff\xff" MASK "a",
	  "violation() "),
	V("length of 2^63", "\x81\xff\x80\x00\x00\x00\x00\x00\x00\x00" MASK
	  "a", "violation() "),
	V("huge", "\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff" MASK "a",
	  "too-big() "),
	V("one byte above the limit",
	  "\x81\xff\x00\x00\x00\x00\x00\x04\x00\x01" MASK "a", "too-big() "),
	V("fragments above the limit", "\x01\x81" MASK "a"
	  "\x80\xff\x00\x00\x00\x00\x00\x04\x00\x00" MASK "a",
	  "too-big() "),
	V("binary", "\x82\x81" MASK "a", "binary() "),
	V("binary fragment", "\x02\x81" MASK "a", "binary() "),
	V("bad UTF-8", "\x81\x82" MASK "\xc0\x80", "violation() "),
	V("surrogate", "\x81\x83" MASK "\xed\xa0\x80", "violation() "),
	V("cut UTF-8", "\x81\x82" MASK "a\xd0", "violation() "),
	V("close of one byte", "\x88\x81" MASK "a", "violation(a) "),
	V("close with 1005", "\x88\x82" MASK "\x03\xed",
	  "violation(\x03\xed) "),
	V("close with 999", "\x88\x82" MASK "\x03\xe7",
	  "violation(\x03\xe7) "),
	V("close with 5000", "\x88\x82" MASK "\x13\x88",
	  "violation(\x13\x88) "),
	V("close with bad UTF-8", "\x88\x83" MASK "\x03\xe8\xff",
	  "violation(\x03\xe8\xff) "),
	V("close with 4999", "\x88\x82" MASK "\x13\x87",
	  "close(\x13\x87) "),
};

Test(ws_frame, names_every_violation)
{
	for (size_t i = 0; i < ARRAY_LEN(vectors); i++) {
		struct buf wire = { 0 };

		buf_append(&wire, vectors[i].bytes, vectors[i].len);
		check(&wire, vectors[i].events);
	}
}

Test(ws_frame, accepts_a_message_of_the_greatest_size)
{
	char *text = xcalloc(1, WS_MESSAGE_MAX + 1);
	struct ws_reader *r = ws_reader_new();
	struct buf in = { 0 };
	enum ws_event e = WS_MORE;
	size_t len;

	memset(text, 'x', WS_MESSAGE_MAX);
	text_frame(&in, 0x81, text);
	while (e == WS_MORE && buf_len(&in) > 0)
		e = ws_reader_feed(r, &in);
	cr_assert_eq(e, WS_TEXT);
	cr_assert_eq(memcmp(ws_reader_payload(r, &len), text, WS_MESSAGE_MAX),
		     0);
	cr_assert_eq(len, WS_MESSAGE_MAX);
	cr_assert_eq(ws_reader_feed(r, &in), WS_MORE);
	buf_done(&in);
	ws_reader_free(&r);
	free(text);
}

static const struct {
	size_t len;
	const char *head;
	size_t head_len;
} heads[] = {
	{ 0, "\x81\x00", 2 },
	{ 125, "\x81\x7d", 2 },
	{ 126, "\x81\x7e\x00\x7e", 4 },
	{ 65535, "\x81\x7e\xff\xff", 4 },
	{ 65536, "\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x00", 10 },
};

Test(ws_frame, writes_the_shortest_header)
{
	char *text = xcalloc(1, 65536);

	for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
		struct buf out = { 0 };

		ws_write_text(&out, text, heads[i].len);
		cr_assert_eq(buf_len(&out), heads[i].head_len + heads[i].len);
		cr_assert_eq(memcmp(buf_head(&out), heads[i].head,
				    heads[i].head_len), 0);
		buf_done(&out);
	}
	free(text);
}

Test(ws_frame, writes_controls)
{
	struct buf out = { 0 };

	ws_write_pong(&out, "abc", 3);
	ws_write_close(&out, WS_GOING_AWAY);
	cr_assert_eq(buf_len(&out), 9);
	cr_assert_eq(memcmp(buf_head(&out), "\x8a\x03" "abc\x88\x02\x03\xe9",
			    9), 0);
	buf_done(&out);
}

Test(ws_frame, a_client_reads_the_frames_of_a_server_and_back)
{
	static const uint8_t mask[WS_MASK] = { 9, 8, 7, 6 };
	struct ws_reader *client = ws_reader_new_of_server(200000);
	struct ws_reader *server = ws_reader_new();
	struct buf wire = { 0 };
	char text[70000];
	size_t len;

	memset(text, 'x', sizeof text);
	for (size_t n = 0; n <= sizeof text; n = n * 5 + 25) {
		ws_write_text(&wire, text, n);
		cr_assert_eq(ws_reader_feed(client, &wire), WS_TEXT);
		cr_assert_arr_eq(ws_reader_payload(client, &len), text, n);
		cr_assert_eq(len, n);
		ws_write_text_masked(&wire, text, n, mask);
		cr_assert_eq(ws_reader_feed(server, &wire), WS_TEXT);
		cr_assert_arr_eq(ws_reader_payload(server, &len), text, n);
		cr_assert_eq(len, n);
	}
	ws_write_pong_masked(&wire, "p", 1, mask);
	cr_assert_eq(ws_reader_feed(server, &wire), WS_PONG);
	buf_done(&wire);
	ws_reader_free(&client);
	ws_reader_free(&server);
}

Test(ws_frame, a_client_rejects_masked_and_endless_messages)
{
	static const uint8_t mask[WS_MASK] = { 1 };
	struct ws_reader *r = ws_reader_new_of_server(10);
	struct buf wire = { 0 };

	ws_write_text_masked(&wire, "x", 1, mask);
	cr_assert_eq(ws_reader_feed(r, &wire), WS_VIOLATION);
	buf_reset(&wire, 0);
	ws_reader_free(&r);
	r = ws_reader_new_of_server(10);
	ws_write_text(&wire, "12345678901", 11);
	cr_assert_eq(ws_reader_feed(r, &wire), WS_TOO_BIG);
	buf_done(&wire);
	ws_reader_free(&r);
}
