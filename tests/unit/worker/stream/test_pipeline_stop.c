/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an orderly end of the path leaves to the next one. */
#include "tests/unit/worker/stream/rig.h"

#include "common/base/alloc.h"
#include "worker/stream/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum {
	SEVEN = 7 * TS_PACKET,
	STEADY = 7 * 200,
	BURST = 7 * 50,
	ALL = STEADY + BURST,
};

/* The next path takes what the memory has room for. */
Test(pipeline_stop, a_long_queue_is_sent_before_the_end)
{
	uint8_t *data = xcalloc(ALL, TS_PACKET);
	struct rig r;

	rig_init(&r);
	rig_make_packets(data, 0, ALL);
	rig_listen(&r, 0, "127.0.0.1", 6000);
	rig_start(&r, "udp://127.0.0.1:5000", "udp://127.0.0.1:6000", NULL);
	rig_aim(&r, "127.0.0.1", 5000);
	for (size_t at = 0; at < ALL; at += 7) {
		rig_send(&r, data + at * TS_PACKET, SEVEN);
		if (at < STEADY)
			rig_turn(&r, 1);
	}
	/* the path has read the burst in one wake-up, and sent a part */
	rig_await(&r, 0, (STEADY + 7) * TS_PACKET);
	pipeline_free(&r.pipeline);
	rig_await(&r, 0, (ALL - STREAM_WAITING_MAX) * TS_PACKET);
	for (size_t at = 0; at < r.out[0].len; at++)
		cr_assert_eq(r.out[0].data[at], data[at], "%zu", at);
	rig_done(&r);
	free(data);
}
