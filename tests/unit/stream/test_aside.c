/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A PID of another stream, by UDP from here, beside a stream that is built. */
#include "tests/unit/remux/rig.h"
#include "worker/stream/aside.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	PID = 0x310,
	STEP_MS = 100,
	/* No table lists it: until it is taken as it is. */
	PATIENCE = ASIDE_PATIENCE_MS / STEP_MS,
};

struct rig {
	struct bench bench;
	struct input_spec spec;
	struct aside *aside;
	struct sockaddr_in to;
	int fd;
	uint64_t now_ns;
	uint8_t cc;
};

/* A port that nobody has. */
static void choose_port(struct rig *r)
{
	socklen_t len = sizeof r->to;
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	r->to = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	cr_assert_eq(bind(fd, (struct sockaddr *)&r->to, len), 0);
	cr_assert_eq(getsockname(fd, (struct sockaddr *)&r->to, &len), 0);
	(void)close(fd);
}

static void rig_init(struct rig *r)
{
	*r = (struct rig){ .bench = bench_new(&(struct remux_options){ 0 }),
			   .spec = { .mux_pid = PID },
			   .fd = socket(AF_INET, SOCK_DGRAM, 0),
			   .now_ns = UINT64_C(7000000000) };
	choose_port(r);
	(void)snprintf(r->spec.mux, sizeof r->spec.mux, "udp://127.0.0.1:%u",
		       ntohs(r->to.sin_port));
	r->aside = aside_new(&r->spec, 1);
	two_programs(&r->bench);
	feed(&r->bench);
	aside_read(r->aside, r->now_ns);
}

static void rig_done(struct rig *r)
{
	aside_free(&r->aside);
	bench_done(&r->bench);
	(void)close(r->fd);
}

/* One packet of the PID comes, STEP_MS later. */
static void bring(struct rig *r)
{
	uint8_t packet[TS_PACKET] = { TS_SYNC_BYTE };

	ts_set_pid(packet, PID);
	packet[3] = 0x10;
	ts_set_cc(packet, r->cc++);
	cr_assert_eq(sendto(r->fd, packet, sizeof packet, 0,
			    (struct sockaddr *)&r->to, sizeof r->to),
		     TS_PACKET);
	r->now_ns += STEP_MS * UINT64_C(1000000);
	aside_read(r->aside, r->now_ns);
}

/* ... and goes on. */
static void pass(struct rig *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bring(r);
		aside_join(r->aside, r->bench.remux, NULL, 0, r->now_ns);
		(void)build_payload(r->bench.in, 0x101, 1);
		feed(&r->bench);
	}
}

static uint64_t told(const struct rig *r, enum link_stat what)
{
	struct link_stats stats = { 0 };

	aside_stats(r->aside, &stats);
	return stats.value[what];
}

Test(aside, counts_what_comes_goes_on_and_misses)
{
	struct rig r;

	rig_init(&r);
	cr_assert_eq(told(&r, LINK_MUX_STATE), ASIDE_ABSENT);
	pass(&r, PATIENCE);
	cr_assert_eq(told(&r, LINK_MUX_STATE), ASIDE_WAITS);
	cr_assert_eq(told(&r, LINK_MUX_DROPPED), PATIENCE);
	cr_assert_eq(told(&r, LINK_MUX_SENT), 0);
	pass(&r, 5);
	r.cc += 3;
	pass(&r, 5);
	cr_assert_eq(told(&r, LINK_MUX_RECEIVED), PATIENCE + 10);
	cr_assert_eq(told(&r, LINK_MUX_SENT), 10);
	cr_assert_eq(told(&r, LINK_MUX_LOST), 3);
	cr_assert_eq(count(&r.bench, PID), 10);
	/* what was lost shows behind us, too */
	cr_assert_eq(r.bench.out->cc_errors, 1);
	rig_done(&r);
}

Test(aside, what_it_gave_up_leaves_no_gap)
{
	struct rig r;

	rig_init(&r);
	pass(&r, PATIENCE + 5);
	cr_assert_eq(count(&r.bench, PID), 5);
	for (size_t i = 0; i < 5; i++)
		bring(&r);
	aside_close(r.aside);
	cr_assert_eq(told(&r, LINK_MUX_DROPPED), PATIENCE + 5);
	aside_read(r.aside, r.now_ns);
	pass(&r, PATIENCE + 5);
	cr_assert_eq(count(&r.bench, PID), 10);
	cr_assert_eq(told(&r, LINK_MUX_SENT), 10);
	cr_assert_eq(r.bench.out->cc_errors, 0);
	rig_done(&r);
}
