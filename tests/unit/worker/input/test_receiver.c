/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/receiver.h"

#include "common/base/util.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	DATAGRAM = 7 * 188,
	RTP_DATAGRAM = 12 + DATAGRAM,
	GOT_MAX = 32,
	BUFFER = 1 << 20,
};

struct rig {
	struct receiver *receiver;
	int in, out;
	uint8_t sent; /* the number of the next datagram */
	uint8_t seen;
	size_t n;
	struct received got[GOT_MAX];
};

static void begin(struct rig *r)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof a;
	int err, on = 1, size = BUFFER;

	*r = (struct rig){ .receiver = receiver_new(&err),
			   .in = socket(AF_INET, SOCK_DGRAM, 0),
			   .out = socket(AF_INET, SOCK_DGRAM, 0) };
	cr_assert_not_null(r->receiver);
	cr_assert_eq(bind(r->in, (struct sockaddr *)&a, len), 0);
	cr_assert_eq(getsockname(r->in, (struct sockaddr *)&a, &len), 0);
	cr_assert_eq(connect(r->out, (struct sockaddr *)&a, len), 0);
	cr_assert_eq(setsockopt(r->in, SOL_UDP, UDP_GRO, &on, sizeof on), 0);
	(void)setsockopt(r->in, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
}

static void end(struct rig *r)
{
	receiver_free(&r->receiver);
	close(r->in);
	close(r->out);
}

/* Each byte of a datagram contains the number of the datagram and its place. */
static uint8_t byte_of(uint8_t datagram, size_t at)
{
	return (uint8_t)(datagram * 31 + at % 251);
}

static void send_one(struct rig *r, size_t len)
{
	static uint8_t data[UINT16_MAX];

	for (size_t i = 0; i < len; i++)
		data[i] = byte_of(r->sent, i);
	r->sent++;
	cr_assert_eq(send(r->out, data, len, 0), (ssize_t)len);
}

static void on_received(const struct received *got, void *arg)
{
	struct rig *r = arg;

	cr_assert_lt(r->n, (size_t)GOT_MAX);
	for (size_t i = 0; i < got->len; i++)
		cr_assert_eq(got->data[i], byte_of(r->seen, i),
			     "datagram %u, byte %zu", r->seen, i);
	r->seen++;
	r->got[r->n++] = *got;
}

static void read_all(struct rig *r)
{
	int waiting = (uint8_t)(r->sent - r->seen);

	r->n = 0;
	cr_assert_eq(receiver_read(r->receiver, r->in, on_received, r),
		     waiting);
	cr_assert_eq(r->seen, r->sent);
}

static void expect_side_by_side(const struct rig *r, size_t len)
{
	for (size_t i = 0; i < r->n; i++) {
		cr_expect_eq(r->got[i].len, len);
		cr_expect_eq(r->got[i].segment, len);
		if (i > 0)
			cr_expect_eq(r->got[i].data, r->got[i - 1].data + len);
	}
}

static void send_eight(struct rig *r, size_t len)
{
	for (int i = 0; i < 8; i++)
		send_one(r, len);
	read_all(r);
}

Test(receiver, puts_datagrams_of_a_stream_side_by_side)
{
	struct rig r;

	begin(&r);
	send_eight(&r, DATAGRAM);
	expect_side_by_side(&r, DATAGRAM);
	end(&r);
}

Test(receiver, puts_larger_ones_side_by_side_after_the_first)
{
	struct rig r;

	begin(&r);
	send_eight(&r, RTP_DATAGRAM);
	send_eight(&r, RTP_DATAGRAM);
	expect_side_by_side(&r, RTP_DATAGRAM);
	end(&r);
}

Test(receiver, delivers_datagrams_of_any_size_whole_and_in_order)
{
	static const size_t sizes[] = { 188, DATAGRAM, DATAGRAM + 1, 1, 65507,
					1472, DATAGRAM, 2048, 2049, 9000, 4,
					65507, RTP_DATAGRAM };
	struct rig r;

	begin(&r);
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
			send_one(&r, sizes[i]);
		read_all(&r);
		for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
			cr_expect_eq(r.got[i].len, sizes[i]);
		receiver_trim(r.receiver);
	}
	end(&r);
}

Test(receiver, delivers_datagrams_that_the_kernel_joined_in_one_piece)
{
	int segment = DATAGRAM;
	struct rig r;

	begin(&r);
	cr_assert_eq(setsockopt(r.out, SOL_UDP, UDP_SEGMENT, &segment,
				sizeof segment), 0);
	send_one(&r, 8 * DATAGRAM);
	send_one(&r, 8 * DATAGRAM);
	read_all(&r);
	for (size_t i = 0; i < 2; i++) {
		cr_expect_eq(r.got[i].len, 8 * DATAGRAM);
		cr_expect_eq(r.got[i].segment, DATAGRAM);
	}
	end(&r);
}

Test(receiver, names_the_sender_of_each_datagram)
{
	struct sockaddr_in at[2];
	socklen_t len = sizeof at[0];
	struct rig r;
	int first, second;

	begin(&r);
	send_eight(&r, DATAGRAM);
	cr_assert_null(r.got[0].sender);
	receiver_name_senders(r.receiver);
	first = r.out;
	second = socket(AF_INET, SOCK_DGRAM, 0);
	cr_assert_eq(getsockname(r.in, (struct sockaddr *)&at[0], &len), 0);
	cr_assert_eq(connect(second, (struct sockaddr *)&at[0], len), 0);
	cr_assert_eq(getsockname(first, (struct sockaddr *)&at[0], &len), 0);
	cr_assert_eq(getsockname(second, (struct sockaddr *)&at[1], &len), 0);
	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; i < 6; i++) {
			r.out = i % 2 == 0 ? first : second;
			send_one(&r, DATAGRAM);
		}
		read_all(&r);
		for (size_t i = 0; i < r.n; i++) {
			cr_assert_eq(r.got[i].sender->len, sizeof at[0]);
			cr_assert_eq(r.got[i].sender->in.sin_port,
				     at[i % 2].sin_port, "%zu", i);
		}
	}
	r.out = first;
	close(second);
	end(&r);
}
