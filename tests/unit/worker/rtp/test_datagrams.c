/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/rtp/datagrams.h"

#include "common/base/alloc.h"
#include "common/base/util.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { PACKETS = 2000 };

/* Packets with different bytes. */
static uint8_t *make_packets(void)
{
	uint8_t *data = xcalloc(PACKETS, TS_PACKET);

	for (size_t i = 0; i < PACKETS; i++) {
		data[i * TS_PACKET] = TS_SYNC_BYTE;
		data[i * TS_PACKET + 1] = (uint8_t)(i >> 8);
		data[i * TS_PACKET + 2] = (uint8_t)i;
	}
	return data;
}

/* The datagram that arrives when datagram i of d is sent; its length. */
static void check_cut(const size_t *lengths, size_t n_lengths, size_t n,
		      bool rtp)
{
	uint8_t *data = make_packets(), buf[DATAGRAM_SIZE_MAX];
	struct ts_run *runs = xcalloc(n + 1, sizeof *runs);
	struct rtp_sender sender = { .seq = 65530, .ssrc = 0x01020304 };
	struct datagrams *d = xcalloc(1, sizeof *d);
	size_t n_runs = 0, head = rtp ? RTP_HEADER_SIZE : 0, packets = 0;
	uint16_t seq = 65530;

	rtp_clock_init(&sender.clock, 0x0a0b0c0d, 0);
	for (size_t at = 0; at < n; n_runs++) {
		size_t len = MIN(lengths[n_runs % n_lengths], n - at);

		runs[n_runs] = (struct ts_run){ data + at * TS_PACKET, len };
		at += len;
	}

	struct run_cursor cursor = { .runs = runs, .n_runs = n_runs };

	while (datagrams_cut(d, &cursor, rtp ? &sender : NULL)) {
		size_t in_call = 0;

		cr_assert_leq(d->n, DATAGRAMS_MAX);
		cr_assert_leq(d->n_iov, DATAGRAMS_IOV);
		for (size_t i = 0; i < d->n; i++) {
			size_t expect = MIN(n - packets, DATAGRAM_PACKETS);
			size_t len;
			const uint8_t *got = datagram_gather(d, i, buf, &len);

			cr_assert_eq(len, head + expect * TS_PACKET);
			cr_assert_arr_eq(got + head,
					 data + packets * TS_PACKET,
					 expect * TS_PACKET);
			if (rtp) {
				cr_assert_eq(got[0], 0x80);
				cr_assert_eq(got[1], 33);
				cr_assert_eq(got[2] << 8 | got[3], seq);
				cr_assert_arr_eq(got + 4,
						 "\x0a\x0b\x0c\x0d"
						 "\x01\x02\x03\x04",
						 8);
				seq++;
			}
			packets += expect;
			in_call += expect;
		}
		cr_assert_eq(d->n_packets, in_call);
	}
	cr_assert_eq(packets, n);
	free(data);
	free(runs);
	free(d);
}

Test(datagrams, have_seven_packets_each)
{
	static const size_t sevens[] = { 7 }, ones[] = { 1 },
			    odd[] = { 3, 11, 1, 8 }, big[] = { 1500 },
			    holes[] = { 0, 5 };

	for (unsigned rtp = 0; rtp < 2; rtp++) {
		check_cut(sevens, 1, 7 * 48, rtp);
		check_cut(ones, 1, 700, rtp);
		check_cut(odd, ARRAY_LEN(odd), 1000, rtp);
		check_cut(big, 1, 1999, rtp);
		check_cut(holes, ARRAY_LEN(holes), 35, rtp);
		check_cut(sevens, 1, 3, rtp);
	}
}

Test(datagrams, have_zeros_behind_packets_of_204_bytes)
{
	uint8_t *data = make_packets(), buf[DATAGRAM_SIZE_MAX];
	const struct ts_run runs[] = { { data, 3 },
				       { data + 3 * TS_PACKET, 197 } };
	struct run_cursor cursor = { .runs = runs, .n_runs = 2,
				     .trailers = true };
	const uint8_t zeros[DATAGRAM_TRAILER] = { 0 };
	size_t packets = 0, len, size = TS_PACKET + sizeof zeros;
	struct rtp_sender sender = { .seq = 7 };
	struct datagrams *d = xcalloc(1, sizeof *d);

	rtp_clock_init(&sender.clock, 1, 0);
	while (datagrams_cut(d, &cursor, &sender)) {
		cr_assert_leq(d->n_iov, DATAGRAMS_IOV);
		for (size_t i = 0; i < d->n; i++) {
			const uint8_t *p = datagram_gather(d, i, buf, &len) +
					   RTP_HEADER_SIZE;
			size_t expect = MIN(200 - packets,
					    (size_t)DATAGRAM_PACKETS);

			cr_assert_eq(len, RTP_HEADER_SIZE + expect * size);
			for (size_t k = 0; k < expect; k++, p += size) {
				cr_assert_arr_eq(p, data +
						 packets++ * TS_PACKET,
						 TS_PACKET);
				cr_assert_arr_eq(p + TS_PACKET, zeros,
						 sizeof zeros);
			}
		}
	}
	cr_assert_eq(packets, 200);
	cr_assert_eq(sender.seq, 7 + 29);
	free(data);
	free(d);
}

Test(datagrams, need_packets)
{
	struct ts_run empty = { 0 };
	struct run_cursor cursor = { .runs = &empty, .n_runs = 1 };
	struct rtp_sender sender = { .seq = 7 };
	struct datagrams d;

	cr_assert_not(datagrams_cut(&d, &cursor, &sender));
	cr_assert_eq(sender.seq, 7);
}
