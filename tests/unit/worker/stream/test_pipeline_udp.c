/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The output has the bytes of the input, over the network. */
#include "tests/unit/worker/stream/rig.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/base/util.h"

#include <criterion/criterion.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	PACKETS = 7 * 200,
	SEVEN = 7 * TS_PACKET,
	/* As often the kernel itself reports a new membership. */
	JOIN_REPORTS = 2,
	/* A second and more than half of the next one. */
	LATE_US = 1700000,
};

/* Sends the packets seven at a time, about 10 Mbit/s. */
static void send_all(struct rig *r, const uint8_t *data, size_t n)
{
	for (size_t at = 0; at < n; at += 7) {
		rig_send(r, data + at * TS_PACKET,
			 MIN(n - at, (size_t)7) * TS_PACKET);
		rig_turn(r, 1);
	}
}

static void assert_same(const struct rig *r, unsigned i, const uint8_t *data,
			size_t len)
{
	cr_assert_eq(r->out[i].len, len);
	for (size_t at = 0; at < len; at += TS_PACKET)
		cr_assert_arr_eq(r->out[i].data + at, data + at, TS_PACKET,
				 "packet %zu", at / TS_PACKET);
}

/* One route through the path: the sender, the input, the output, the receiver.
 * */
struct route {
	const char *to;
	const char *input, *output;
	const char *at;
	bool wire; /* groups are on v0 */
};

static void check_route(const struct route *route)
{
	struct rig r;
	uint8_t *data = xcalloc(PACKETS, TS_PACKET);

	rig_init(&r);
	if (route->wire)
		rig_add_wire(&r);
	rig_make_packets(data, 0, PACKETS);
	rig_listen(&r, 0, route->at, 6000);
	rig_start(&r, route->input, route->output, NULL);
	rig_aim(&r, route->to, 5000);
	send_all(&r, data, PACKETS);
	rig_await(&r, 0, PACKETS * TS_PACKET);
	assert_same(&r, 0, data, PACKETS * TS_PACKET);
	cr_assert_eq(r.out[0].datagrams, PACKETS / 7);
	rig_done(&r);
	free(data);
}

Test(pipeline_udp, unicast)
{
	check_route(&(struct route){ .to = "127.0.0.1",
				     .input = "udp://127.0.0.1:5000",
				     .output = "udp://127.0.0.1:6000",
				     .at = "127.0.0.1" });
}

Test(pipeline_udp, any_address_on_a_named_interface)
{
	check_route(&(struct route){ .to = "127.0.0.1",
				     .input = "udp://lo@:5000",
				     .output = "udp://lo@127.0.0.1:6000",
				     .at = "127.0.0.1" });
}

Test(pipeline_udp, ipv6)
{
	check_route(&(struct route){ .to = "::1",
				     .input = "udp://[::1]:5000",
				     .output = "udp://[::1]:6000",
				     .at = "::1" });
}

Test(pipeline_udp, multicast_by_the_name_of_the_interface)
{
	check_route(&(struct route){ .to = "239.1.1.1",
				     .input = "udp://lo@239.1.1.1:5000",
				     .output = "udp://lo@239.1.1.2:6000",
				     .at = "239.1.1.2" });
}

Test(pipeline_udp, multicast_by_the_kernel_s_choice)
{
	check_route(&(struct route){ .to = "239.1.1.1",
				     .input = "udp://239.1.1.1:5000",
				     .output = "udp://239.1.1.2:6000",
				     .at = "239.1.1.2" });
}

Test(pipeline_udp, multicast_of_one_source)
{
	check_route(&(struct route){
		.to = "232.1.1.1",
		.input = "udp://lo@232.1.1.1:5000#src=127.0.0.1",
		.output = "udp://lo@239.1.1.2:6000",
		.at = "239.1.1.2" });
}

Test(pipeline_udp, multicast_over_ipv6)
{
	check_route(&(struct route){ .to = "ff15::1",
				     .input = "udp://v0@[ff15::1]:5000",
				     .output = "udp://v0@[ff15::2]:6000",
				     .at = "ff15::2",
				     .wire = true });
}

Test(pipeline_udp, ignores_another_source)
{
	struct rig r;
	uint8_t data[SEVEN];

	rig_init(&r);
	rig_make_packets(data, 0, 7);
	rig_listen(&r, 0, "127.0.0.1", 6000);
	rig_start(&r, "udp://lo@232.1.1.1:5000#src=127.0.0.9",
		  "udp://127.0.0.1:6000", NULL);
	rig_aim(&r, "232.1.1.1", 5000);
	rig_send(&r, data, sizeof data);
	rig_await_status(&r, 1);
	cr_assert(r.status.inputs[0].open);
	cr_assert_eq(r.status.packets, 0);
	cr_assert_eq(r.out[0].len, 0);
	rig_done(&r);
}

Test(pipeline_udp, packets_of_204_bytes)
{
	struct rig r;
	uint8_t *data = xcalloc(PACKETS, TS_PACKET);
	uint8_t datagram[7 * 204];

	rig_init(&r);
	rig_make_packets(data, 0, PACKETS);
	rig_listen(&r, 0, "127.0.0.1", 6000);
	rig_start(&r, "udp://127.0.0.1:5000", "udp://127.0.0.1:6000", NULL);
	rig_aim(&r, "127.0.0.1", 5000);
	for (size_t at = 0; at < PACKETS; at += 7) {
		memset(datagram, 0xee, sizeof datagram);
		for (size_t i = 0; i < 7; i++)
			memcpy(datagram + i * 204, data + (at + i) * TS_PACKET,
			       TS_PACKET);
		rig_send(&r, datagram, sizeof datagram);
		rig_turn(&r, 1);
	}
	rig_await(&r, 0, PACKETS * TS_PACKET);
	assert_same(&r, 0, data, PACKETS * TS_PACKET);
	rig_done(&r);
	free(data);
}

Test(pipeline_udp, packets_cut_anywhere_between_datagrams_and_junk)
{
	struct rig r;
	uint8_t *data = xcalloc(PACKETS, TS_PACKET), junk[100];
	size_t total = PACKETS * TS_PACKET;

	rig_init(&r);
	memset(junk, 0x55, sizeof junk);
	rig_make_packets(data, 0, PACKETS);
	rig_listen(&r, 0, "127.0.0.1", 6000);
	rig_start(&r, "udp://127.0.0.1:5000", "udp://127.0.0.1:6000", NULL);
	rig_aim(&r, "127.0.0.1", 5000);
	rig_send(&r, junk, sizeof junk);
	for (size_t at = 0, len = 1000; at < total; at += len) {
		len = MIN((size_t)1000 + at % 300, total - at);
		rig_send(&r, data + at, len);
		rig_turn(&r, 1);
	}
	rig_await(&r, 0, total);
	assert_same(&r, 0, data, total);
	rig_done(&r);
	free(data);
}

Test(pipeline_udp, datagrams_that_come_joined)
{
	struct rig r;
	enum { JOINED = 40 };
	uint8_t *data = xcalloc(JOINED * 7, TS_PACKET);
	int segment = SEVEN;

	rig_init(&r);
	rig_make_packets(data, 0, JOINED * 7);
	rig_listen(&r, 0, "127.0.0.1", 6000);
	rig_start(&r, "udp://127.0.0.1:5000", "udp://127.0.0.1:6000", NULL);
	rig_aim(&r, "127.0.0.1", 5000);
	if (setsockopt(r.tx, SOL_UDP, UDP_SEGMENT, &segment, sizeof segment) <
	    0)
		cr_skip_test("no UDP_SEGMENT here");
	rig_send(&r, data, JOINED * SEVEN);
	rig_await(&r, 0, JOINED * SEVEN);
	assert_same(&r, 0, data, JOINED * SEVEN);
	cr_assert_eq(r.out[0].datagrams, JOINED);
	rig_done(&r);
	free(data);
}

Test(pipeline_udp, a_part_of_a_datagram_does_not_wait_for_long)
{
	struct rig r;
	uint8_t data[10 * TS_PACKET];

	rig_init(&r);
	rig_make_packets(data, 0, 10);
	rig_listen(&r, 0, "127.0.0.1", 6000);
	rig_start(&r, "udp://127.0.0.1:5000", "udp://127.0.0.1:6000", NULL);
	rig_aim(&r, "127.0.0.1", 5000);
	rig_send(&r, data, sizeof data);
	rig_await(&r, 0, sizeof data);
	assert_same(&r, 0, data, sizeof data);
	cr_assert_eq(r.out[0].datagrams, 2);
	rig_done(&r);
}

Test(pipeline_udp, without_sync_all_leaves_as_it_comes)
{
	enum { BURST = 7 * 60 };
	size_t len = (PACKETS + BURST) * TS_PACKET;
	struct rig r;
	uint8_t *data = xcalloc(PACKETS + BURST, TS_PACKET);

	rig_init(&r);
	rig_make_packets(data, 0, PACKETS + BURST);
	rig_listen(&r, 0, "127.0.0.1", 6000);
	rig_listen(&r, 1, "127.0.0.1", 6001);
	rig_start(&r, "udp://127.0.0.1:5000", "udp://127.0.0.1:6000#no_sync",
		  "udp://127.0.0.1:6001");
	rig_aim(&r, "127.0.0.1", 5000);
	send_all(&r, data, PACKETS);
	rig_await(&r, 1, PACKETS * TS_PACKET);
	for (size_t at = PACKETS; at < PACKETS + BURST; at += 7)
		rig_send(&r, data + at * TS_PACKET, SEVEN);
	rig_await(&r, 0, len);
	cr_assert_lt(r.out[1].len, len, "the other one has a pace");
	rig_await(&r, 1, len);
	assert_same(&r, 0, data, len);
	assert_same(&r, 1, data, len);
	rig_done(&r);
	free(data);
}

Test(pipeline_udp, two_outputs_and_one_missing_receiver)
{
	struct rig r;
	uint8_t *data = xcalloc(PACKETS, TS_PACKET);

	rig_init(&r);
	rig_make_packets(data, 0, PACKETS);
	rig_listen(&r, 1, "127.0.0.1", 6001);
	/* no receiver at 6000:  ICMP errors return */
	rig_start(&r, "udp://127.0.0.1:5000", "udp://127.0.0.1:6000",
		  "udp://127.0.0.1:6001");
	rig_aim(&r, "127.0.0.1", 5000);
	send_all(&r, data, PACKETS);
	rig_await(&r, 1, PACKETS * TS_PACKET);
	assert_same(&r, 1, data, PACKETS * TS_PACKET);
	rig_await_status(&r, 1);
	cr_assert(r.status.outputs[0].open);
	cr_assert_eq(r.status.outputs[0].dropped, 0);
	cr_assert(r.status.outputs[1].open);
	cr_assert_eq(r.status.outputs[1].packets, PACKETS);
	cr_assert_eq(r.status.outputs[1].dropped, 0);

	/* and it gets its stream as soon as it listens */
	rig_listen(&r, 0, "127.0.0.1", 6000);
	send_all(&r, data, PACKETS);
	rig_await(&r, 0, PACKETS * TS_PACKET);
	rig_done(&r);
	free(data);
}

/* The IGMP that passes on the wire. */
static int open_tap(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 9),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_IGMP, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT16_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog filter = { ARRAY_LEN(code), code };
	struct sockaddr_ll at = { .sll_family = AF_PACKET,
				  .sll_protocol = htons(ETH_P_IP),
				  .sll_ifindex = (int)if_nametoindex("v1") };
	int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			htons(ETH_P_IP));

	cr_assert_geq(fd, 0);
	cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter,
				sizeof filter),
		     0);
	cr_assert_eq(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	return fd;
}

struct reports {
	unsigned joins; /* "any source", as at a join */
	unsigned leaves; /* "no source" */
};

/* Counts the records about 239.1.1.1 in an IGMPv3 report (RFC 3376 4.2). */
static void read_report(const uint8_t *igmp, const uint8_t *end,
			struct reports *ret)
{
	static const uint8_t group[] = { 239, 1, 1, 1 };
	const uint8_t *record = igmp + 8;

	while (end - record >= 8) {
		unsigned type = record[0], sources = record[3];

		if (memcmp(record + 4, group, 4) == 0 && sources == 0) {
			ret->joins += type == 4;
			ret->leaves += type == 3;
		}
		record += 8 + 4 * sources;
	}
}

static void read_tap(int fd, struct reports *ret)
{
	uint8_t p[2048];
	ssize_t n;

	while ((n = recv(fd, p, sizeof p, 0)) > 0) {
		size_t head = (size_t)(p[0] & 0x0f) * 4;

		if (p[head] == 0x22)
			read_report(p + head, p + n, ret);
	}
}

Test(pipeline_udp, a_renewed_membership_is_reported_and_loses_nothing)
{
	struct rig r;
	enum { N = 7 * 2500 };
	uint8_t *data = xcalloc(N, TS_PACKET);
	struct reports at_join = { 0 }, renewed = { 0 };
	unsigned seconds;

	rig_init(&r);
	rig_add_wire(&r);

	int tap = open_tap();

	rig_make_packets(data, 0, N);
	rig_listen(&r, 0, "127.0.0.1", 6000);
	rig_start(&r, "udp://v0@239.1.1.1:5000#renew=1", "udp://127.0.0.1:6000",
		  NULL);
	rig_aim(&r, "239.1.1.1", 5000);
	send_all(&r, data, 700);
	read_tap(tap, &at_join);
	seconds = r.n_status;
	send_all(&r, data + 700 * TS_PACKET, N - 700);
	read_tap(tap, &renewed);
	seconds = r.n_status - seconds;
	cr_assert_geq(seconds, 2);
	rig_await(&r, 0, N * TS_PACKET);
	assert_same(&r, 0, data, N * TS_PACKET);
	cr_assert(r.status.inputs[0].open);
	cr_assert_geq(at_join.joins, 1);
	/* the last one may still be in the network */
	cr_assert_geq(renewed.joins, seconds - 1, "%u reports in %u s",
		      renewed.joins, seconds);
	cr_assert_eq(at_join.leaves + renewed.leaves, 0);
	(void)close(tap);
	rig_done(&r);
	free(data);
}

/* Until so many were seen, ever. */
static void await_joins(struct rig *r, int tap, struct reports *seen,
			unsigned n)
{
	uint64_t end_ms = mono_ms() + RIG_PATIENCE_MS;

	while (seen->joins < n) {
		cr_assert_lt(mono_ms(), end_ms, "%u of %u reports", seen->joins,
			     n);
		rig_turn(r, 10);
		read_tap(tap, seen);
	}
}

Test(pipeline_udp, a_silent_group_is_joined_again)
{
	struct rig r;
	struct reports seen = { 0 };

	rig_init(&r);
	rig_add_wire(&r);

	int tap = open_tap();

	rig_start(&r, "udp://v0@239.1.1.1:5000#watchdog=1", NULL, NULL);
	await_joins(&r, tap, &seen, JOIN_REPORTS + 1);
	rig_await_status(&r, 1);
	cr_assert(r.status.inputs[0].open);
	(void)close(tap);
	rig_done(&r);
}

Test(pipeline_udp, silence_changes_nothing_where_that_is_asked_for)
{
	struct rig r;
	struct reports at_join = { 0 }, later = { 0 };

	rig_init(&r);
	rig_add_wire(&r);

	int tap = open_tap();

	rig_start(&r, "udp://v0@239.1.1.1:5000#watchdog=1&no_reload", NULL,
		  NULL);
	await_joins(&r, tap, &at_join, JOIN_REPORTS);
	rig_await_status(&r, 3);
	rig_turn(&r, 100);
	read_tap(tap, &later);
	cr_assert(r.status.inputs[0].open);
	cr_assert_eq(at_join.joins, JOIN_REPORTS);
	cr_assert_eq(at_join.leaves + later.leaves + later.joins, 0,
		     "%u, %u left; %u joined later", at_join.leaves,
		     later.leaves, later.joins);
	(void)close(tap);
	rig_done(&r);
}

Test(pipeline_udp, reports_its_error_every_second)
{
	struct rig r;

	rig_init(&r);
	rig_start(&r, "udp://nope0@239.1.1.1:5000", "udp://nope0@239.1.1.2",
		  NULL);
	rig_await_status(&r, 2);
	cr_assert_eq(r.status.n_inputs, 1);
	cr_assert(r.status.inputs[0].active);
	cr_assert_not(r.status.inputs[0].open);
	cr_assert_str_eq(r.input_error,
			 "interface nope0: not found");
	cr_assert_eq(r.status.n_outputs, 1);
	cr_assert_not(r.status.outputs[0].open);
	rig_done(&r);
}

Test(pipeline_udp, reports_datagrams_that_found_no_room_in_the_socket)
{
	struct rig r;
	uint8_t data[SEVEN];

	rig_init(&r);
	rig_make_packets(data, 0, 7);
	rig_start(&r, "udp://127.0.0.1:5000#socket_size=4096", NULL, NULL);
	rig_aim(&r, "127.0.0.1", 5000);
	/* the loop does not turn meanwhile */
	for (unsigned i = 0; i < 100; i++)
		rig_send(&r, data, sizeof data);
	/* then there is room for the datagram that reports it, ... */
	rig_await_status(&r, 1);
	rig_send(&r, data, sizeof data);
	/* ... and a second may end before that is read */
	rig_await_status(&r, 2);
	cr_assert_gt(r.sum.socket_drops, 50);
	cr_assert_eq(r.sum.packets + r.sum.socket_drops * 7, 101 * 7,
		     "%u packets, %u drops", r.sum.packets, r.sum.socket_drops);
	rig_done(&r);
}

Test(pipeline_udp, a_second_that_was_reported_late_is_not_reported_again)
{
	struct rig r;
	uint8_t data[SEVEN];

	rig_init(&r);
	rig_make_packets(data, 0, 7);
	rig_start(&r, "udp://127.0.0.1:5000", NULL, NULL);
	rig_aim(&r, "127.0.0.1", 5000);
	rig_await_status(&r, 1);
	rig_send(&r, data, sizeof data);
	/* the loop does not turn meanwhile */
	(void)usleep(LATE_US);
	rig_await_status(&r, 3);
	cr_assert_eq(r.sum.packets, 7, "%u packets", r.sum.packets);
	rig_done(&r);
}

/* The other sockets of a program on this host do not matter to us. */
Test(pipeline_udp, receives_only_its_group)
{
	struct rig r;
	uint8_t data[SEVEN];

	rig_init(&r);
	rig_make_packets(data, 0, 7);
	rig_listen(&r, 1, "239.1.1.9", 5000);
	rig_listen(&r, 0, "127.0.0.1", 6000);
	rig_start(&r, "udp://lo@239.1.1.1:5000", "udp://127.0.0.1:6000", NULL);
	rig_aim(&r, "239.1.1.9", 5000);
	rig_send(&r, data, sizeof data);
	rig_await(&r, 1, sizeof data);
	rig_aim(&r, "239.1.1.1", 5000);
	rig_send(&r, data, sizeof data);
	rig_await(&r, 0, sizeof data);
	rig_turn(&r, 50);
	cr_assert_eq(r.out[0].datagrams, 1);
	rig_done(&r);
}

Test(pipeline_udp, receives_its_group_on_its_interface_only)
{
	struct rig r;
	uint8_t data[SEVEN];

	rig_init(&r);
	rig_make_packets(data, 0, 7);
	/* another program has joined the same group on lo */
	rig_listen(&r, 1, "239.1.1.1", 5001);

	unsigned lo = r.group_if;

	rig_add_wire(&r);
	rig_listen(&r, 0, "127.0.0.1", 6000);
	rig_start(&r, "udp://v0@239.1.1.1:5000", "udp://127.0.0.1:6000", NULL);
	r.group_if = lo;
	rig_aim(&r, "239.1.1.1", 5000);
	rig_send(&r, data, sizeof data);
	rig_aim(&r, "239.1.1.1", 5001);
	rig_send(&r, data, sizeof data);
	rig_await(&r, 1, sizeof data);
	rig_turn(&r, 50);
	cr_assert_eq(r.out[0].datagrams, 0);
	rig_done(&r);
}

/* The kernel does not cut datagrams that do not fit the device. */
Test(pipeline_udp, sends_single_datagrams_where_necessary_and_loses_none)
{
	struct rig r;
	uint8_t *data = xcalloc(PACKETS, TS_PACKET);

	rig_init(&r);
	rig_narrow_lo(&r);
	rig_make_packets(data, 0, PACKETS);
	rig_listen(&r, 0, "127.0.0.1", 6000);
	rig_start(&r, "udp://127.0.0.1:5000", "udp://127.0.0.1:6000", NULL);
	rig_aim(&r, "127.0.0.1", 5000);
	/* first one alone, then many in a call */
	send_all(&r, data, 7);
	rig_await(&r, 0, SEVEN);
	send_all(&r, data + SEVEN, PACKETS - 7);
	rig_await(&r, 0, PACKETS * TS_PACKET);
	assert_same(&r, 0, data, PACKETS * TS_PACKET);
	rig_await_status(&r, 1);
	cr_assert_eq(r.status.outputs[0].packets, PACKETS);
	cr_assert_eq(r.status.outputs[0].dropped, 0);
	rig_done(&r);
	free(data);
}
