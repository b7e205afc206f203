/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Media and FEC datagrams of any content in any order: each output datagram is
 * an input datagram or a repaired one. */
#include "tests/fuzz/fuzz.h"
#include "worker/rtp/fec_repair.h"

#include <limits.h>
#include <stdlib.h>

enum { FEC_BIT = 0x80, LEN_BITS = 0x7f };

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

struct fuzz {
	struct rtp_window *window;
	struct fec_repair *fec;
	uint64_t now_ns;
	size_t in;
};

static void feed(struct fuzz *f, const uint8_t *data, size_t len, bool fec)
{
	struct rtp_datagram d;

	if (fec) {
		fec_repair_feed(f->fec, data, len, f->now_ns);
	} else if (rtp_parse(data, len, &d) == 0) {
		rtp_window_feed(f->window, &d, 0, f->now_ns);
		f->in++;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t out = 0;
	struct fuzz f = { .now_ns = UINT64_C(1000000000) };
	struct rtp_window_counts counts;

	f.window = rtp_window_new(&(struct rtp_window_config){
		.places = 128, .paths = 1, .reorder_ms = 5,
		.out = on_out, .settle = on_settle, .arg = &out });
	f.fec = fec_repair_new(f.window);
	/* a byte of time, one of kind and length, the datagram */
	while (size >= 2) {
		size_t len = data[1] & LEN_BITS;

		len = MIN(len, size - 2);
		f.now_ns += data[0] * UINT64_C(200000);
		feed(&f, data + 2, len, data[1] & FEC_BIT);
		if (data[0] & 1) {
			fec_repair_turn(f.fec, f.now_ns);
			rtp_window_turn(f.window, f.now_ns);
		}
		data += 2 + len;
		size -= 2 + len;
	}
	f.now_ns += UINT64_C(5000000000);
	fec_repair_every_second(f.fec, f.now_ns);
	fec_repair_turn(f.fec, f.now_ns);
	rtp_window_turn(f.window, f.now_ns);
	rtp_window_counts(f.window, &counts);
	if (out > f.in + counts.repaired || rtp_window_waits(f.window))
		abort();
	fec_repair_free(&f.fec);
	rtp_window_free(&f.window);
	return 0;
}
