/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes of any kind as RTP datagrams on two paths: payloads stay inside them,
 * and a window delivers no more than it received. */
#include "tests/fuzz/fuzz.h"
#include "worker/rtp/rtp_window.h"

#include <limits.h>
#include <stdlib.h>

enum { PATH_BIT = 0x80, LEN_BITS = 0x7f };

static void on_out(const uint8_t *payload, size_t len, void *arg)
{
	size_t *out = arg;
	unsigned sum = 0;

	/* reads every byte */
	for (size_t i = 0; i < len; i++)
		sum += payload[i];
	*out += sum == UINT_MAX ? 2 : 1;
}

static void on_settle(void *arg)
{
	(void)arg;
}

static size_t feed_all(struct rtp_window *w, const uint8_t *data, size_t size,
		       uint64_t *now_ns)
{
	size_t in = 0;

	/* a byte of time, one of path and length, the datagram */
	while (size >= 2) {
		size_t len = data[1] & LEN_BITS;
		struct rtp_datagram d;

		len = MIN(len, size - 2);
		*now_ns += data[0] * UINT64_C(200000);
		if (rtp_parse(data + 2, len, &d) == 0) {
			if (d.payload < d.data ||
			    d.payload + d.len > d.data + d.size)
				abort();
			rtp_window_feed(w, &d, data[1] & PATH_BIT ? 1 : 0,
					*now_ns);
			in++;
		}
		if (data[0] & 1)
			rtp_window_turn(w, *now_ns);
		data += 2 + len;
		size -= 2 + len;
	}
	return in;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rtp_window_config cfg = {
		.places = 64, .paths = 2, .reorder_ms = 5, .skew_ms = 50,
		.out = on_out, .settle = on_settle,
	};
	size_t in, out = 0;
	uint64_t now_ns = UINT64_C(1000000000);
	struct rtp_window *w;

	if (size == 0)
		return 0;
	cfg.paths = 1 + (data[0] & 1);
	cfg.delay_ms = data[0] & 2 ? 10 : 0;
	cfg.arg = &out;
	w = rtp_window_new(&cfg);
	if (data[0] & 4)
		rtp_window_set_repair(w, 16, 8);
	in = feed_all(w, data + 1, size - 1, &now_ns);
	rtp_window_turn(w, now_ns + UINT64_C(5000000000));
	rtp_window_every_second(w, now_ns);
	if (out > in || rtp_window_waits(w))
		abort();
	rtp_window_free(&w);
	return 0;
}
