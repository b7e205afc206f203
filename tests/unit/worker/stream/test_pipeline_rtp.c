/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/stream/rig.h"

#include "common/base/alloc.h"
#include "common/base/util.h"

#include <criterion/criterion.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { PACKETS = 7 * 100, HEADER = 12, SEVEN = 7 * TS_PACKET };

static void send_rtp(struct rig *r, unsigned seq, const uint8_t *packets)
{
	uint8_t datagram[HEADER + SEVEN] = { 0x80, 33, (uint8_t)(seq >> 8),
					     (uint8_t)seq, [11] = 1 };

	memcpy(datagram + HEADER, packets, SEVEN);
	rig_send(r, datagram, sizeof datagram);
	rig_turn(r, 1);
}

static unsigned seq_of(const uint8_t *datagram)
{
	return (unsigned)(datagram[2] << 8 | datagram[3]);
}

Test(pipeline_rtp, header_off_and_header_on)
{
	struct rig r;
	uint8_t *data = xcalloc(PACKETS, TS_PACKET), first[HEADER];

	rig_init(&r);
	rig_make_packets(data, 0, PACKETS);
	rig_listen(&r, 0, "127.0.0.1", 6000);
	r.out[0].header = HEADER;
	rig_start(&r, "rtp://127.0.0.1:5000", "rtp://127.0.0.1:6000", NULL);
	rig_aim(&r, "127.0.0.1", 5000);
	send_rtp(&r, 65500, data);
	rig_await(&r, 0, SEVEN);
	memcpy(first, r.out[0].last, HEADER);
	for (size_t i = 1; i < PACKETS / 7; i++)
		send_rtp(&r, (unsigned)(65500 + i), data + i * SEVEN);
	rig_await(&r, 0, PACKETS * TS_PACKET);
	cr_assert_arr_eq(r.out[0].data, data, PACKETS * TS_PACKET);

	const uint8_t *last = r.out[0].last;

	cr_assert_eq(last[0], 0x80);
	cr_assert_eq(last[1], 33);
	cr_assert_eq(seq_of(last), (seq_of(first) + PACKETS / 7 - 1) & 0xffff);
	cr_assert_arr_eq(last + 8, first + 8, 4, "one SSRC");
	cr_assert_arr_neq(last + 4, first + 4, 4, "time continues");
	rig_await_status(&r, 1);
	cr_assert_eq(r.sum.lost, 0);
	cr_assert_eq(r.sum.packets, PACKETS);
	rig_done(&r);
	free(data);
}

Test(pipeline_rtp, counts_gaps_and_drops_duplicates)
{
	struct rig r;
	uint8_t data[5 * SEVEN];

	rig_init(&r);
	rig_make_packets(data, 0, 5 * 7);
	rig_listen(&r, 0, "127.0.0.1", 6000);
	rig_start(&r, "rtp://127.0.0.1:5000", "udp://127.0.0.1:6000", NULL);
	rig_aim(&r, "127.0.0.1", 5000);
	send_rtp(&r, 1, data);
	send_rtp(&r, 2, data + SEVEN);
	send_rtp(&r, 2, data + SEVEN);
	send_rtp(&r, 5, data + 4 * SEVEN);
	rig_await(&r, 0, 3 * SEVEN);
	rig_await_status(&r, 1);
	cr_assert_eq(r.out[0].len, 3 * SEVEN);
	cr_assert_arr_eq(r.out[0].data, data, 2 * SEVEN);
	cr_assert_arr_eq(r.out[0].data + 2 * SEVEN, data + 4 * SEVEN, SEVEN);
	cr_assert_eq(r.sum.lost, 2);
	cr_assert_eq(r.sum.cc_error, 1);
	rig_done(&r);
}

Test(pipeline_rtp, accepts_a_bare_stream_and_no_garbage)
{
	struct rig r;
	uint8_t data[SEVEN], nonsense[50];

	rig_init(&r);
	rig_make_packets(data, 0, 7);
	memset(nonsense, 0x80, sizeof nonsense);
	rig_listen(&r, 0, "127.0.0.1", 6000);
	rig_start(&r, "rtp://127.0.0.1:5000", "udp://127.0.0.1:6000", NULL);
	rig_aim(&r, "127.0.0.1", 5000);
	rig_send(&r, nonsense, 3);
	rig_send(&r, data, sizeof data);
	rig_await(&r, 0, sizeof data);
	cr_assert_arr_eq(r.out[0].data, data, sizeof data);
	rig_done(&r);
}

/* The current sender stays, whatever others send; it expires after a second. */
Test(pipeline_rtp, an_rtp_datagram_does_not_end_a_bare_stream)
{
	enum { N = 5 };
	struct rig r;
	uint8_t data[N * SEVEN], other[SEVEN];

	rig_init(&r);
	rig_make_packets(data, 0, N * 7);
	memcpy(other, data, sizeof other);
	other[4] ^= 0xff;
	rig_listen(&r, 0, "127.0.0.1", 6000);
	rig_start(&r, "rtp://127.0.0.1:5000", "udp://127.0.0.1:6000", NULL);
	rig_aim(&r, "127.0.0.1", 5000);
	for (uint16_t i = 0; i < N; i++) {
		rig_send(&r, data + i * SEVEN, SEVEN);
		send_rtp(&r, i, other);
	}
	rig_await(&r, 0, N * SEVEN);
	rig_turn(&r, 1200);
	cr_assert_eq(r.out[0].len, N * SEVEN);
	cr_assert_arr_eq(r.out[0].data, data, N * SEVEN);

	send_rtp(&r, N, other);
	rig_await(&r, 0, (N + 1) * SEVEN);
	cr_assert_arr_eq(r.out[0].data + N * SEVEN, other, SEVEN);
	rig_done(&r);
}

Test(pipeline_rtp, splits_joined_datagrams)
{
	struct rig r;
	enum { JOINED = 20, EACH = HEADER + SEVEN };
	uint8_t data[JOINED * SEVEN], joined[JOINED * EACH];
	int segment = EACH;

	rig_init(&r);
	rig_make_packets(data, 0, JOINED * 7);
	for (size_t i = 0; i < JOINED; i++) {
		/* one is missing in the middle */
		uint8_t head[HEADER] = { 0x80, 33, 0,
					 (uint8_t)(i + (i > 9)), [11] = 1 };

		memcpy(joined + i * EACH, head, HEADER);
		memcpy(joined + i * EACH + HEADER, data + i * SEVEN, SEVEN);
	}
	rig_listen(&r, 0, "127.0.0.1", 6000);
	rig_start(&r, "rtp://127.0.0.1:5000", "udp://127.0.0.1:6000", NULL);
	rig_aim(&r, "127.0.0.1", 5000);
	if (setsockopt(r.tx, SOL_UDP, UDP_SEGMENT, &segment, sizeof segment) <
	    0)
		cr_skip_test("no UDP_SEGMENT here");
	rig_send(&r, joined, sizeof joined);
	rig_await(&r, 0, sizeof data);
	cr_assert_arr_eq(r.out[0].data, data, sizeof data);
	rig_await_status(&r, 1);
	cr_assert_eq(r.sum.lost, 1);
	cr_assert_eq(r.sum.sync_losses, 0);
	rig_done(&r);
}
