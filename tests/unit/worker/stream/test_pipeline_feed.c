/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often a stream reads its input for a multiplex, or for its ring. */
#include "tests/unit/worker/stream/rig.h"

#include "common/base/units.h"
#include "worker/stream/pipeline_state.h"

#include <criterion/criterion.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	BURST = 600, /* datagrams: more than one read takes */
	BURSTS = 100,
	TURNS = 10000, /* until a feed reads less often again */
	LARGE_MS = 100, /* the interval of a large buffer */
};

static void send_packets(struct rig *r, size_t n)
{
	uint8_t data[TS_PACKET];

	rig_make_packets(data, 0, 1);
	for (size_t i = 0; i < n; i++)
		rig_send(r, data, sizeof data);
}

static uint64_t interval_ms(const struct rig *r)
{
	return r->pipeline->ticker.interval_ns / MS;
}

/* A stream that receives packets. */
static void start_with(struct rig *r, const char *input, const char *output)
{
	rig_start(r, input, output, NULL);
	rig_aim(r, "127.0.0.1", 5000);
	do {
		send_packets(r, 1);
		rig_turn(r, 1);
	} while (interval_ms(r) == 0);
}

static void start(struct rig *r, const char *input)
{
	rig_init(r);
	r->feed = true;
	start_with(r, input, NULL);
}

static void expect_interval(const char *input, unsigned ms)
{
	struct rig r;

	start(&r, input);
	cr_assert_eq(interval_ms(&r), ms, "%s", input);
	rig_done(&r);
}

static void require_large_buffers(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int size = UDP_RECEIVE_BUFFER;
	socklen_t len = sizeof size;

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, len);
	cr_assert_eq(getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, &len), 0);
	(void)close(fd);
	if (size < 2 * UDP_RECEIVE_BUFFER)
		cr_skip_test("net.core.rmem_max is too small");
}

/* net.core.rmem_max is 212,992 by default: 40 ms of 50 Mbit/s. */
Test(pipeline_feed, reads_a_small_buffer_every_10_ms)
{
	expect_interval("udp://127.0.0.1:5000#socket_size=212992", 10);
	expect_interval("rtp://127.0.0.1:5000#socket_size=212992", 10);
}

Test(pipeline_feed, reads_a_large_buffer_every_100_ms)
{
	require_large_buffers();
	expect_interval("udp://127.0.0.1:5000", LARGE_MS);
	expect_interval("rtp://127.0.0.1:5000", LARGE_MS);
}

/* What viewers get at once is longer than this. */
Test(pipeline_feed, a_stream_for_viewers_reads_a_large_buffer_every_20_ms)
{
	static const struct {
		const char *input, *output;
		unsigned ms;
		bool paced; /* half of it while the output is behind */
	} cases[] = {
		{ "udp://127.0.0.1:5000", NULL, 20, false },
		{ "udp://127.0.0.1:5000", "http://127.0.0.1:8100/a", 20,
		  false },
		{ "udp://127.0.0.1:5000#socket_size=212992",
		  "http://127.0.0.1:8100/a", 10, false },
		{ "udp://127.0.0.1:5000", "udp://127.0.0.1:6000", 10, true },
		{ "udp://127.0.0.1:5000", "file:///tmp/none/a.ts", 10, true },
	};

	require_large_buffers();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig r;
		uint64_t ms;

		rig_init(&r);
		start_with(&r, cases[i].input, cases[i].output);
		ms = interval_ms(&r);
		cr_assert(ms == cases[i].ms ||
				  (cases[i].paced && ms == cases[i].ms / 2),
			  "%zu: %ju", i, (uintmax_t)ms);
		rig_done(&r);
	}
}

Test(pipeline_feed, reads_more_often_while_packets_wait_behind_a_read)
{
	struct rig r;
	unsigned bursts = 0, turns = 0;

	require_large_buffers();
	start(&r, "udp://127.0.0.1:5000");
	while (interval_ms(&r) != 10) {
		cr_assert_lt(bursts++, BURSTS);
		send_packets(&r, BURST);
		rig_turn(&r, 1);
	}
	while (interval_ms(&r) != LARGE_MS) {
		cr_assert_lt(turns++, TURNS);
		send_packets(&r, 1);
		rig_turn(&r, 1);
	}
	rig_done(&r);
}
