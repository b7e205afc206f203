/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "tests/unit/worker/stream/rig.h"
#include "worker/rtp/fec.h"
#include "worker/input/input.h"
#include "worker/input/input_keeper.h"
#include "worker/rtp/rtp_store.h"

#include <criterion/criterion.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	MEDIA = 5000,
	BODY = 7 * TS_PACKET,
	ROW = 3, /* datagrams */
};

static unsigned joins;

/* Stands before the one of libc. */
int setsockopt(int fd, int level, int option, const void *value,
	       socklen_t len)
{
	joins += level == IPPROTO_IP && option == MCAST_JOIN_GROUP;
	return (int)syscall(SYS_setsockopt, fd, level, option, value, len);
}

struct fec_rig {
	struct rig net;
	struct input_spec spec;
	struct input *input;
	struct batch batch;
	uint64_t now_ns;
	size_t packets; /* that came out */
};

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct fec_rig *r = arg;

	for (size_t i = 0; i < n_runs; i++)
		r->packets += runs[i].n;
}

static void begin_at(struct fec_rig *r, const char *address)
{
	struct errmsg why;
	int err;

	*r = (struct fec_rig){ .now_ns = 1000 * MS };
	rig_init(&r->net);
	cr_assert_eq(input_spec_parse(address, &r->spec, NULL, NULL, &why), 0);
	r->input = input_open(&r->spec, r->now_ns, &err, &why);
	cr_assert_not_null(r->input, "%s", why.text);
	batch_init(&r->batch, on_packets, r);
}

static void begin(struct fec_rig *r)
{
	begin_at(r, "rtp://127.0.0.1:5000#fec");
}

static void end(struct fec_rig *r)
{
	input_free(&r->input);
	rig_done(&r->net);
}

static void write_media(uint16_t seq, uint8_t ret[RTP_HEADER + BODY])
{
	memset(ret, 0, RTP_HEADER + BODY);
	ret[0] = 0x80;
	ret[1] = 33;
	ret[3] = (uint8_t)seq;
	for (size_t i = 0; i < 7; i++) {
		uint8_t *packet = ret + RTP_HEADER + i * TS_PACKET;

		packet[0] = TS_SYNC_BYTE;
		packet[1] = 0x01;
		packet[3] = 0x10 | ((seq * 7 + i) & 0x0f);
		packet[4] = (uint8_t)seq;
	}
}

static void send_media(struct fec_rig *r, uint16_t seq)
{
	uint8_t datagram[RTP_HEADER + BODY];

	write_media(seq, datagram);
	rig_aim(&r->net, "127.0.0.1", MEDIA);
	rig_send(&r->net, datagram, sizeof datagram);
}

static void send_row(struct fec_rig *r, uint16_t first)
{
	uint8_t sum[FEC_HEAD + BODY] = { 0 }, one[RTP_HEADER + BODY];
	struct fec_packet head = { .row = true, .first = first, .step = 1,
				   .n = ROW };

	for (uint16_t i = 0; i < ROW; i++) {
		write_media(first + i, one);
		fec_xor(sum + FEC_HEAD, one + RTP_HEADER, BODY);
		head.payload_type ^= one[1];
		head.len ^= BODY;
	}
	fec_write(&head, first, 0, sum);
	rig_aim(&r->net, "127.0.0.1", MEDIA + FEC_ROW_PORT);
	rig_send(&r->net, sum, sizeof sum);
}

static void read_ms(struct fec_rig *r, unsigned ms)
{
	struct errmsg why = { 0 };

	r->now_ns += ms * MS;
	cr_assert_geq(input_read(r->input, &r->batch, r->now_ns, &why), 0,
		      "%s", why.text);
}

static uint64_t sums_seen(const struct fec_rig *r)
{
	return input_stats(r->input).value[LINK_FEC_RECEIVED];
}

Test(rtp_input, reads_fec_rarely_while_no_datagram_is_missing)
{
	struct fec_rig r;

	begin(&r);
	read_ms(&r, 0);
	for (uint16_t seq = 0; seq < ROW; seq++)
		send_media(&r, seq);
	send_row(&r, 0);
	read_ms(&r, 10);
	cr_expect_eq(r.packets, ROW * 7);
	cr_expect_eq(sums_seen(&r), 0);
	read_ms(&r, 40);
	cr_expect_eq(sums_seen(&r), 1);
	end(&r);
}

static void pass_second(struct fec_rig *r)
{
	struct errmsg why = { 0 };

	r->now_ns += 1000 * MS;
	cr_assert_eq(input_every_second(r->input, r->now_ns, &why), 0, "%s",
		     why.text);
}

/* Another error of a protected input is not missing protection. */
Test(rtp_input, reports_missing_protection_only)
{
	static uint8_t large[RTP_HEADER +
			     (RTP_LONGEST / TS_PACKET + 1) * TS_PACKET];
	struct fec_rig r;

	begin(&r);
	send_media(&r, 0);
	read_ms(&r, 5);
	/* behind a gap */
	write_media(2, large);
	rig_aim(&r.net, "127.0.0.1", MEDIA);
	rig_send(&r.net, large, sizeof large);
	read_ms(&r, 5);
	pass_second(&r);
	cr_assert_not_null(strstr(input_error(r.input), "be reordered"));
	cr_assert_null(input_unprotected(r.input));
	end(&r);
}

Test(rtp_input, reads_fec_at_once_when_a_datagram_is_missing)
{
	struct fec_rig r;

	begin(&r);
	read_ms(&r, 0);
	send_media(&r, 0);
	send_media(&r, 2);
	send_row(&r, 0);
	read_ms(&r, 10);
	cr_expect_eq(r.packets, ROW * 7);
	cr_expect_eq(sums_seen(&r), 1);
	cr_expect_eq(input_stats(r.input).value[LINK_FEC_REPAIRED], 1);
	end(&r);
}

/* Seconds come late, one by more than the next. */
Test(rtp_input, renews_its_membership_in_the_configured_interval)
{
	struct fec_rig r;

	begin_at(&r, "rtp://lo@239.1.1.1:5000#renew=2");
	cr_assert_eq(joins, 1);
	r.now_ns += 7 * MS;
	for (unsigned i = 1; i <= 10; i++) {
		pass_second(&r);
		r.now_ns -= i % 2 == 0 ? 1 * MS : 0;
		cr_expect_eq(joins, 1 + i / 2, "%u after %u s", joins, i);
	}
	end(&r);
}

/* A datagram that takes TICKS of the time stamps. */
static void send_timed(struct fec_rig *r, uint16_t seq)
{
	enum { TICKS = 11250 };
	uint8_t datagram[RTP_HEADER + BODY];
	uint32_t at = htonl((uint32_t)seq * TICKS);

	write_media(seq, datagram);
	memcpy(datagram + 4, &at, sizeof at);
	rig_aim(&r->net, "127.0.0.1", MEDIA);
	rig_send(&r->net, datagram, sizeof datagram);
}

static void read_keeper(struct fec_rig *r, struct input_keeper *k, uint16_t seq)
{
	send_timed(r, seq);
	send_timed(r, seq + 1);
	r->now_ns += 10 * MS;
	cr_assert_gt(input_keeper_read(k, &r->batch, r->now_ns), 0);
}

Test(rtp_input, counts_the_loss_of_an_outage_that_the_watchdog_saw)
{
	static const char *const addresses[] = {
		"rtp://127.0.0.1:5000",
		"rtp://127.0.0.1:5000#merge=rtp://127.0.0.1:6000",
		"rtp://127.0.0.1:5000#fec",
	};

	for (size_t i = 0; i < ARRAY_LEN(addresses); i++) {
		static struct input_keeper k;
		struct input_counters c;
		struct fec_rig r = { .now_ns = 1000 * MS };

		rig_init(&r.net);
		batch_init(&r.batch, on_packets, &r);
		input_keeper_init(&k, NULL, addresses[i]);
		input_keeper_open(&k, r.now_ns);
		cr_assert_not_null(k.input, "%s", k.error.text);
		read_keeper(&r, &k, 0);
		for (unsigned s = 0; s < 6; s++) {
			r.now_ns += SECOND_NS;
			input_keeper_every_second(&k, r.now_ns, &c);
		}
		cr_expect_geq(input_fd(k.input), 0);
		cr_expect_gt(k.patience_s, 5, "it was opened again");
		read_keeper(&r, &k, 50);
		/* the skew of a second path, or a repair, could be due */
		r.now_ns += SECOND_NS;
		cr_assert_geq(input_keeper_read(&k, &r.batch, r.now_ns), 0);
		input_keeper_counters(&k, &c);
		cr_expect_eq(c.lost, 48, "%s: %lu", addresses[i],
			     (unsigned long)c.lost);
		input_keeper_done(&k);
		rig_done(&r.net);
	}
}
