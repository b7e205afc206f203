/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/sync.h"

#include "common/base/alloc.h"
#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { PACKETS = 60 };

/* PACKETS packets whose payload has sync bytes, too. */
static struct build *make_packets(void)
{
	struct build *b = build_new();

	for (size_t i = 0; i < PACKETS; i++)
		build_payload(b, (uint16_t)(0x100 + i),
			      i % 3 ? (uint8_t)i : TS_SYNC_BYTE);
	return b;
}

/* The packets `stride` bytes apart, the first byte of a packet `lead` bytes
 * behind the start of its slot; *ret_len bytes. */
static uint8_t *spread(const struct build *b, size_t stride, size_t lead,
		       size_t *ret_len)
{
	uint8_t *data = xcalloc(b->n, stride);

	memset(data, 0x11, b->n * stride);
	for (size_t i = 0; i < b->n; i++)
		memcpy(data + i * stride + lead, b->data + i * TS_PACKET,
		       TS_PACKET);
	*ret_len = b->n * stride;
	return data;
}

struct sink {
	size_t n;
	uint8_t data[2 * PACKETS * TS_PACKET];
};

static void pull_all(struct ts_sync *s, struct sink *sink)
{
	struct ts_run run;

	while (ts_sync_pull(s, &run)) {
		cr_assert_gt(run.n, 0);
		cr_assert_leq(sink->n + run.n, 2 * PACKETS);
		memcpy(sink->data + sink->n * TS_PACKET, run.data,
		       run.n * TS_PACKET);
		sink->n += run.n;
	}
}

/* Pushes len bytes in pieces, each in memory of its own that is freed before
 * the next piece. */
static void push_pieces(struct ts_sync *s, const uint8_t *data, size_t len,
			size_t piece, struct sink *sink)
{
	while (len > 0) {
		size_t n = piece < len ? piece : len;
		uint8_t *copy = xcalloc(1, n);

		memcpy(copy, data, n);
		ts_sync_push(s, copy, n);
		pull_all(s, sink);
		memset(copy, 0xdd, n);
		free(copy);
		data += n;
		len -= n;
	}
}

Test(sync, gives_aligned_packets_without_a_copy)
{
	struct build *b = make_packets();
	struct ts_sync s;
	struct ts_run run;

	for (int mode = TS_SYNC_STREAM; mode <= TS_SYNC_DATAGRAM; mode++) {
		ts_sync_init(&s, (enum ts_sync_mode)mode);
		ts_sync_push(&s, b->data, 7 * TS_PACKET);
		cr_assert(ts_sync_pull(&s, &run));
		cr_assert_eq(run.data, b->data);
		cr_assert_eq(run.n, 7);
		cr_assert(!ts_sync_pull(&s, &run));
	}
	build_free(b);
}

Test(sync, a_datagram_of_one_packet_is_enough)
{
	struct build *b = make_packets();
	struct ts_sync s;
	struct ts_run run;

	ts_sync_init(&s, TS_SYNC_DATAGRAM);
	ts_sync_push(&s, b->data, TS_PACKET);
	cr_assert(ts_sync_pull(&s, &run));
	cr_assert_eq(run.n, 1);
	build_free(b);
}

Test(sync, gives_the_same_packets_wherever_the_bytes_are_cut)
{
	static const struct {
		size_t stride, lead;
	} forms[] = { { 188, 0 }, { 204, 0 }, { 192, 4 } };
	struct build *b = make_packets();
	struct sink *sink = xcalloc(1, sizeof *sink);
	struct ts_sync s;
	size_t len;

	for (size_t form = 0; form < 3; form++) {
		uint8_t *data = spread(b, forms[form].stride, forms[form].lead,
				       &len);

		for (size_t piece = 1; piece < 1500; piece += 1 + piece / 40) {
			sink->n = 0;
			ts_sync_init(&s, TS_SYNC_STREAM);
			push_pieces(&s, data, len, piece, sink);
			cr_assert_eq(s.stride, forms[form].stride);
			cr_assert_eq(sink->n, b->n, "%zu/%zu: %zu packets",
				     forms[form].stride, piece, sink->n);
			cr_assert_eq(memcmp(sink->data, b->data,
					    b->n * TS_PACKET), 0);
			cr_assert_eq(s.sync_losses + s.bad_sync, 0);
		}
		free(data);
	}
	free(sink);
	build_free(b);
}

Test(sync, skips_junk_in_front)
{
	struct build *b = make_packets();
	struct sink *sink = xcalloc(1, sizeof *sink);
	struct ts_sync s;
	uint8_t junk[333];

	/* every third byte looks like a sync byte */
	for (size_t i = 0; i < sizeof junk; i++)
		junk[i] = i % 3 ? 0 : TS_SYNC_BYTE;
	ts_sync_init(&s, TS_SYNC_STREAM);
	push_pieces(&s, junk, sizeof junk, 50, sink);
	push_pieces(&s, b->data, b->n * TS_PACKET, 100, sink);
	cr_assert_eq(s.junk_bytes, sizeof junk);
	cr_assert_eq(sink->n, b->n);
	cr_assert_eq(s.sync_losses, 0);
	free(sink);
	build_free(b);
}

Test(sync, one_wrong_sync_byte_drops_one_packet)
{
	struct build *b = make_packets();
	struct sink *sink = xcalloc(1, sizeof *sink);
	struct ts_sync s;

	build_packet(b, 20)[0] = 0x46;
	for (size_t piece = 90; piece < 800; piece += 101) {
		sink->n = 0;
		ts_sync_init(&s, TS_SYNC_STREAM);
		push_pieces(&s, b->data, b->n * TS_PACKET, piece, sink);
		cr_assert_eq(sink->n, b->n - 1);
		cr_assert_eq(s.bad_sync, 1);
		cr_assert_eq(s.sync_losses, 0);
	}
	free(sink);
	build_free(b);
}

Test(sync, one_wrong_sync_byte_in_a_datagram_drops_one_packet)
{
	for (size_t bad = 7; bad < 21; bad++) {
		struct build *b = make_packets();
		struct sink *sink = xcalloc(1, sizeof *sink);
		struct ts_sync s;

		build_packet(b, bad)[0] = 0x46;
		ts_sync_init(&s, TS_SYNC_DATAGRAM);
		push_pieces(&s, b->data, 35 * TS_PACKET, 7 * TS_PACKET, sink);
		cr_assert_eq(sink->n, 34, "%zu", bad);
		cr_assert_eq(s.bad_sync, 1, "%zu", bad);
		cr_assert_eq(s.sync_losses, 0, "%zu", bad);
		cr_assert_eq(s.junk_bytes, 0, "%zu", bad);
		free(sink);
		build_free(b);
	}
}

Test(sync, locks_again_after_lost_bytes)
{
	struct build *b = build_new();
	struct sink *sink = xcalloc(1, sizeof *sink);
	struct ts_sync s;
	size_t cut = 19 * TS_PACKET + 30;

	for (size_t i = 0; i < PACKETS; i++)
		build_payload(b, 0x100, 1);

	for (size_t lost = 1; lost < TS_PACKET; lost += 13) {
		sink->n = 0;
		ts_sync_init(&s, TS_SYNC_STREAM);
		push_pieces(&s, b->data, cut, 500, sink);
		push_pieces(&s, b->data + cut + lost,
			    b->n * TS_PACKET - cut - lost, 500, sink);
		cr_assert_eq(s.sync_losses, 1);
		/* the packet at 19 contains the start of 20 */
		cr_assert_eq(sink->n, b->n - 1, "%zu lost: %zu", lost,
			     sink->n);
		cr_assert_eq(memcmp(sink->data + 20 * TS_PACKET,
				    build_packet(b, 21),
				    (b->n - 21) * TS_PACKET), 0);
	}
	free(sink);
	build_free(b);
}

Test(sync, reads_datagrams_of_every_form)
{
	static const struct {
		size_t stride, lead, header, per_datagram;
	} forms[] = {
		{ 188, 0, 0, 7 }, { 188, 0, 0, 1 },  { 204, 0, 0, 7 },
		{ 192, 4, 0, 7 }, { 188, 0, 12, 7 }, { 188, 0, 100, 3 },
	};
	struct build *b = make_packets();
	struct sink *sink = xcalloc(1, sizeof *sink);

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct ts_sync s;
		size_t len, step = forms[i].per_datagram * forms[i].stride;
		uint8_t *data = spread(b, forms[i].stride, forms[i].lead, &len);
		uint8_t datagram[2048] = { 0 };

		sink->n = 0;
		ts_sync_init(&s, TS_SYNC_DATAGRAM);
		for (size_t at = 0; at + step <= len; at += step) {
			size_t size = forms[i].header + step;

			memcpy(datagram + forms[i].header, data + at, step);
			push_pieces(&s, datagram, size, size, sink);
		}
		cr_assert_eq(sink->n, b->n / forms[i].per_datagram *
			     forms[i].per_datagram, "form %zu: %zu", i,
			     sink->n);
		cr_assert_eq(memcmp(sink->data, b->data,
				    sink->n * TS_PACKET), 0);
		cr_assert_eq(s.sync_losses, 0);
		free(data);
	}
	free(sink);
	build_free(b);
}

Test(sync, reads_packets_that_span_datagrams)
{
	struct build *b = make_packets();
	struct sink *sink = xcalloc(1, sizeof *sink);
	struct ts_sync s;

	for (size_t piece = 50; piece < 1500; piece += 1 + piece / 20) {
		sink->n = 0;
		ts_sync_init(&s, TS_SYNC_DATAGRAM);
		/* the sender began in the middle of packet 0 */
		push_pieces(&s, b->data + 100, b->n * TS_PACKET - 100, piece,
			    sink);
		cr_assert_eq(sink->n, b->n - 1, "%zu: %zu", piece, sink->n);
		cr_assert_eq(memcmp(sink->data, build_packet(b, 1),
				    sink->n * TS_PACKET), 0);
		cr_assert_eq(s.sync_losses, 0);
	}
	free(sink);
	build_free(b);
}

/* Bytes behind the packets of each datagram that begin like a packet. */
Test(sync, drops_what_follows_the_packets_of_a_datagram)
{
	struct build *b = make_packets();

	for (size_t tail = 1; tail < TS_PACKET; tail++) {
		uint8_t datagram[8 * TS_PACKET];
		struct sink sink = { 0 };
		size_t n = 0;
		struct ts_sync s;

		ts_sync_init(&s, TS_SYNC_DATAGRAM);
		for (; n + 7 <= PACKETS; n += 7) {
			memcpy(datagram, build_packet(b, n), 7 * TS_PACKET);
			memset(datagram + 7 * TS_PACKET, (int)(n + 3), tail);
			datagram[7 * TS_PACKET] = TS_SYNC_BYTE;
			push_pieces(&s, datagram, 7 * TS_PACKET + tail,
				    sizeof datagram, &sink);
		}
		cr_assert_eq(sink.n, n, "%zu behind: %zu", tail, sink.n);
		cr_assert_arr_eq(sink.data, b->data, n * TS_PACKET);
		cr_assert_eq(s.sync_losses + s.bad_sync, 0, "%zu", tail);
	}
	build_free(b);
}

Test(sync, junk_datagrams_do_not_harm_their_neighbours)
{
	struct build *b = make_packets();
	struct sink *sink = xcalloc(1, sizeof *sink);
	struct ts_sync s;
	uint8_t junk[1100]; /* ends in what may be a packet's start */

	for (size_t k = 0; k < sizeof junk; k++)
		junk[k] = (uint8_t)(k * 7);
	ts_sync_init(&s, TS_SYNC_DATAGRAM);
	for (size_t i = 0; i < 5; i++) {
		push_pieces(&s, build_packet(b, i * 7), 7 * TS_PACKET,
			    7 * TS_PACKET, sink);
		for (size_t k = 0; k < 3 && i == 2; k++)
			push_pieces(&s, junk, sizeof junk, sizeof junk, sink);
	}
	cr_assert_eq(sink->n, 35);
	cr_assert_eq(memcmp(sink->data, b->data, 35 * TS_PACKET), 0);
	cr_assert_eq(s.sync_losses, 1);
	cr_assert_eq(s.junk_bytes, 3 * sizeof junk);
	free(sink);
	build_free(b);
}

Test(sync, follows_a_sender_that_restarts)
{
	struct build *b = make_packets();
	struct sink *sink = xcalloc(1, sizeof *sink);
	struct ts_sync s;

	/* first packets span datagrams, then they are aligned */
	ts_sync_init(&s, TS_SYNC_DATAGRAM);
	push_pieces(&s, b->data, 1300, 1300, sink);
	push_pieces(&s, b->data + 1300, 1300, 1300, sink);
	cr_assert_eq(sink->n, 13);
	push_pieces(&s, build_packet(b, 20), 1316, 1316, sink);
	cr_assert_eq(sink->n, 20);
	cr_assert_eq(s.sync_losses, 1);
	cr_assert_eq(s.junk_bytes, 2600 - 13 * TS_PACKET);
	cr_assert_eq(memcmp(sink->data + 13 * TS_PACKET, build_packet(b, 20),
			    7 * TS_PACKET), 0);
	free(sink);
	build_free(b);
}

Test(sync, a_long_hunt_needs_no_more_memory)
{
	struct build *b = make_packets();
	struct sink *sink = xcalloc(1, sizeof *sink);
	struct ts_sync s;
	uint8_t junk[50000];

	/* sync bytes 188 apart, but never five of them */
	for (size_t i = 0; i < sizeof junk; i++)
		junk[i] = i % 188 == 9 && i / 188 % 5 ? TS_SYNC_BYTE : 1;
	for (size_t piece = 1; piece < 6000; piece = piece * 3 + 1) {
		sink->n = 0;
		ts_sync_init(&s, TS_SYNC_STREAM);
		push_pieces(&s, junk, sizeof junk, piece, sink);
		cr_assert_eq(sink->n, 0);
		push_pieces(&s, b->data, b->n * TS_PACKET, piece, sink);
		cr_assert_eq(sink->n, b->n);
	}
	free(sink);
	build_free(b);
}

Test(sync, hunts_again_after_a_reset_and_keeps_its_counters)
{
	struct build *b = make_packets();
	struct sink *sink = xcalloc(1, sizeof *sink);
	struct ts_sync s;

	ts_sync_init(&s, TS_SYNC_STREAM);
	push_pieces(&s, b->data, 10 * TS_PACKET + 90, 1000, sink);
	s.sync_losses = 5;
	ts_sync_reset(&s);
	push_pieces(&s, b->data, 10 * TS_PACKET, 1000, sink);
	cr_assert_eq(sink->n, 20);
	cr_assert_eq(s.sync_losses, 5);
	free(sink);
	build_free(b);
}
