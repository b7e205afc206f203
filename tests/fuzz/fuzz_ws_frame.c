/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes of any kind as the frames of a WebSocket client: the first byte selects
 * the pieces in which they arrive; the events must not depend on it.
 */
#include "common/base/utf8.h"
#include "proto/wire/ws_frame.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/pieces.h"

static bool is_end(enum ws_event event)
{
	return event == WS_BINARY || event == WS_CLOSE ||
	       event == WS_TOO_BIG || event == WS_VIOLATION;
}

static void note(struct buf *log, struct ws_reader *r, enum ws_event event)
{
	size_t len;
	const uint8_t *data = ws_reader_payload(r, &len);

	must(len <= WS_MESSAGE_MAX);
	if (event == WS_PING || event == WS_PONG || event == WS_CLOSE)
		must(len <= WS_CONTROL_MAX);
	if (event == WS_TEXT)
		must(utf8_is_valid(data, len));
	buf_printf(log, "%d:%zu:", event, len);
	buf_append(log, data, len);
}

static void run(const uint8_t *data, size_t size, size_t step, struct buf *log)
{
	struct ws_reader *r = ws_reader_new();
	enum ws_event event = WS_MORE;
	struct buf in = { 0 };

	for (size_t at = 0; at < size && !is_end(event); at += step) {
		buf_append(&in, data + at, MIN(step, size - at));
		while (!is_end(event)) {
			event = ws_reader_feed(r, &in);
			must(ws_reader_held(r) <= WS_MESSAGE_MAX);
			if (event == WS_MORE)
				break;
			note(log, r, event);
		}
	}
	buf_printf(log, ".");
	buf_done(&in);
	ws_reader_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_in_pieces(run, data, size);
	return 0;
}
