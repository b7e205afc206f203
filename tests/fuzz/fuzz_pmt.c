/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes of any kind as one PMT section: every loop stays inside it. */
#include "tests/fuzz/fuzz.h"
#include "worker/ts/pmt.h"

#include <stdlib.h>

static void check_loop(struct desc_loop loop, const uint8_t *data, size_t size)
{
	struct desc d;

	if (loop.data < data || loop.data + loop.len > data + size)
		abort();
	while (desc_next(&loop, &d))
		if (d.data + d.len > data + size)
			abort();
	if (loop.len != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmt pmt;

	if (pmt_decode(data, size, &pmt) < 0)
		return 0;
	if (pmt.n_streams > PMT_STREAMS_MAX)
		abort();
	check_loop(pmt.descriptors, data, size);
	for (size_t i = 0; i < pmt.n_streams; i++) {
		check_loop(pmt.streams[i].descriptors, data, size);
		if (pmt.streams[i].class == PID_UNKNOWN)
			abort();
	}
	return 0;
}
