/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What servers do wrong in RTP and in the place where they send it. */
#include "tests/unit/worker/adapter/satip_rig.h"

#include "common/base/mono.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <string.h>

enum { ODD_MAX = 1024, OTHER_SSRC = 0x5350 };

/* A datagram: a head, more bytes of it, packets, and bytes behind them. */
static const struct odd {
	uint8_t first, type;
	uint8_t more[8];
	size_t n_more;
	unsigned n_ts;
	uint8_t behind[4];
	size_t n_behind;
	unsigned taken; /* packets */
	bool counts;    /* it has a sequence number */
	uint8_t sync;   /* of the packets; 0: right */
	uint16_t jump;  /* of the sequence number */
	uint32_t ssrc;
} odds[] = {
	/* a wrong version */
	{ .first = 0x00, .type = 33, .n_ts = 1 },
	{ .first = 0x40, .type = 33, .n_ts = 1 },
	{ .first = 0xc0, .type = 33, .n_ts = 1 },
	/* types */
	{ .first = 0x80, .type = 0, .n_ts = 1 },
	{ .first = 0x80, .type = 200, .n_ts = 1 }, /* RTCP */
	{ .first = 0x80, .type = 96, .n_ts = 1, .taken = 1, .counts = true },
	{ .first = 0x80, .type = 0x80 | 33, .n_ts = 1, .taken = 1,
	  .counts = true }, /* marked */
	/* sources, an extension, padding */
	{ .first = 0x82, .type = 33, .n_more = 8, .n_ts = 1, .taken = 1,
	  .counts = true },
	{ .first = 0x90, .type = 33, .more = { 1, 2, 0, 1 }, .n_more = 8,
	  .n_ts = 1, .taken = 1, .counts = true },
	{ .first = 0x90, .type = 33, .more = { 1, 2, 0xff, 0xff },
	  .n_more = 4, .n_ts = 1 },
	{ .first = 0xa0, .type = 33, .n_ts = 1, .behind = { 0, 0, 0, 4 },
	  .n_behind = 4, .taken = 1, .counts = true },
	{ .first = 0xa0, .type = 33, .n_ts = 1, .n_behind = 4 },
	{ .first = 0xa0, .type = 33, .n_ts = 1, .behind = { 0, 0, 0, 255 },
	  .n_behind = 4 },
	/* payloads */
	{ .first = 0x80, .type = 33, .counts = true },
	{ .first = 0x80, .type = 33, .n_ts = 1, .sync = 0x48,
	  .counts = true },
	{ .first = 0x80, .type = 33, .n_ts = 4, .taken = 4, .counts = true },
	{ .first = 0x80, .type = 33, .n_ts = 2, .n_behind = 3, .taken = 2,
	  .counts = true },
	/* another sequence of one datagram, and one that was sent before */
	{ .first = 0x80, .type = 33, .n_ts = 1, .ssrc = OTHER_SSRC },
	{ .first = 0x80, .type = 33, .n_ts = 1, .jump = 20000 },
	{ .first = 0x80, .type = 33, .n_ts = 1, .jump = 0xffff },
};

static size_t build(const struct odd *o, uint16_t seq, uint8_t *data)
{
	size_t len = RTP_HEADER;
	uint8_t whole[DATAGRAM] = { 0 };

	rig_make_rtp(whole, seq, FOREIGN_PID);
	if (o->sync != 0)
		whole[RTP_HEADER] = o->sync;
	memcpy(data, whole, RTP_HEADER);
	data[0] = o->first;
	data[1] = o->type;
	rtp_put32(data + 8, o->ssrc);
	memcpy(data + len, o->more, o->n_more);
	len += o->n_more;
	for (unsigned i = 0; i < o->n_ts; i++, len += TS_PACKET)
		memcpy(data + len, whole + RTP_HEADER, TS_PACKET);
	memcpy(data + len, o->behind, o->n_behind);
	return len + o->n_behind;
}

static void send_frame(const struct rig *rig, const uint8_t *data, size_t len)
{
	uint8_t frame[4 + ODD_MAX] = { '$', 0 };

	rtp_put16(frame + 2, (uint16_t)len);
	memcpy(frame + 4, data, len);
	cr_assert_eq(send(rig->connection, frame, 4 + len, MSG_NOSIGNAL),
		     (ssize_t)(4 + len));
}

/* Sends a right packet, and reads until it has come. */
static void receive_one(struct rig *rig, size_t i)
{
	unsigned before = rig->packets;

	rig_send_packet(rig);
	for (int ms = 0; ms < LIMIT_MS && rig->packets == before; ms++) {
		(void)rig->source->ops->read(rig->source, &rig->batch,
					     mono_ns());
		(void)poll(NULL, 0, 1);
	}
	cr_assert_eq(rig->packets, before + 1, "%zu", i);
}

Test(satip_rtp, takes_what_is_right_in_odd_datagrams)
{
	for (size_t i = 0; i < ARRAY_LEN(odds); i++) {
		const struct odd *o = &odds[i];
		struct rig rig = { .tcp = true };
		uint8_t data[ODD_MAX];
		unsigned before;

		rig_begin(&rig, "tcp");
		rig_run(&rig, WANTED);
		rig.playing = false;
		receive_one(&rig, i);
		before = rig.foreign;
		rig.seq = (uint16_t)(rig.seq + o->jump);
		send_frame(&rig, data, build(o, rig.seq, data));
		rig.seq = (uint16_t)(rig.seq + (o->counts ? 1 : -o->jump));
		receive_one(&rig, i);
		cr_assert_eq(rig.foreign, before + o->taken, "%zu: %u", i,
			     rig.foreign);
		cr_assert_eq(rig.setups, 1, "%zu", i);
		rig_finish(&rig);
	}
}

/* Some servers send a head alone while there is no signal. */
Test(satip_rtp, sees_no_signal_in_empty_datagrams)
{
	static const struct odd empty = { .first = 0x80, .type = 33 };
	static const struct odd part = { .first = 0x80, .type = 33,
					 .n_more = 8 };
	struct rig rig = { .tcp = true, .quiet = true };
	uint8_t data[ODD_MAX];

	rig_begin(&rig, "tcp");
	for (int ms = 0; ms < LIMIT_MS && !rig.playing; ms++) {
		rig_serve(&rig);
		(void)rig.source->ops->read(rig.source, &rig.batch,
					    mono_ns());
		(void)poll(NULL, 0, 1);
	}
	cr_assert(rig.playing);
	send_frame(&rig, data, build(&empty, rig.seq++, data));
	send_frame(&rig, data, build(&part, rig.seq++, data));
	for (int ms = 0; ms < LIMIT_MS && rig.source->ops->read(rig.source,
			&rig.batch, mono_ns()) == 0; ms++)
		(void)poll(NULL, 0, 1);
	cr_assert(!rig_report(&rig).lock);
	receive_one(&rig, 0);
	cr_assert(rig_report(&rig).lock);
	rig_finish(&rig);
}

/* A server that begins anew has lost nothing. */
Test(satip_rtp, follows_numbers_that_begin_anew)
{
	static const struct {
		uint16_t jump;
		uint32_t ssrc;
	} cases[] = { { 0, OTHER_SSRC }, { 20000, 0 }, { 50000, OTHER_SSRC },
		      { 1, OTHER_SSRC } };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig rig = { .tcp = true };

		rig_begin(&rig, "tcp");
		rig_run(&rig, WANTED);
		rig.seq = (uint16_t)(rig.seq + cases[i].jump);
		rig.ssrc = cases[i].ssrc;
		rig_run(&rig, 3 * WANTED);
		cr_assert_eq(rig_report(&rig).lost, 0, "%zu", i);
		cr_assert_eq(rig.setups, 1, "%zu", i);
		rig_finish(&rig);
	}
}

static void await_error(struct rig *rig, const char *expected)
{
	struct source_report r = { 0 };

	for (int ms = 0; ms < LIMIT_MS; ms++) {
		rig_serve(rig);
		(void)rig->source->ops->read(rig->source, &rig->batch,
					     mono_ns());
		r = rig_report(rig);
		if (r.error != NULL && strcmp(r.error, expected) == 0)
			return;
		(void)poll(NULL, 0, 1);
	}
	cr_assert_fail("%s", r.error != NULL ? r.error : "no error");
}

Test(satip_rtp, names_a_group_that_is_none)
{
	static const char *const groups[] = { "10.0.0.1", "ff3e::1::2", "x",
					      "[::1]", "224.0.0.1.2" };
	char text[128];

	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		struct rig rig = { .transport = text };

		snprintf(text, sizeof text, "RTP/AVP;multicast;destination=%s;"
			 "port=5004-5005", groups[i]);
		rig_begin(&rig, "udp");
		await_error(&rig, "the server sent no multicast group");
		rig_finish(&rig);
	}
}

/* The packets come from the server itself. */
Test(satip_rtp, believes_no_source_that_is_none)
{
	static const char *const sources[] = { "", "x", "0.0.0.0",
					       "239.0.0.1", "::1", "[::]",
					       "1.2.3.4.5" };
	char text[128];

	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		struct rig rig = { .transport = text };

		snprintf(text, sizeof text, "RTP/AVP;unicast;source=%s",
			 sources[i]);
		rig_begin(&rig, "udp");
		rig_run(&rig, WANTED);
		cr_assert_eq(rig.setups, 1, "%zu", i);
		rig_finish(&rig);
	}
}
