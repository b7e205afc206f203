/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/rap.h"

#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct {
	const char *what;
	uint8_t type;
	const char *es;
	size_t len;
	bool start;
} cases[] = {
	{ "H.264 AUD, SPS", 0x1b, "\0\0\1\x09\xf0\0\0\1\x67\x42x", 11,
	  false },
	{ "H.264 SPS, P slice", 0x1b,
	  "\0\0\1\x67\x42x\0\0\1\x41\x9ax", 12, false },
	{ "H.264 SPS, I slice", 0x1b,
	  "\0\0\1\x67\x42x\0\0\1\x41\x88x", 12, true },
	{ "H.264 I slice alone", 0x1b, "\0\0\1\x41\x88xx", 7,
	  false },
	{ "H.264 IDR", 0x1b, "\0\0\0\1\x65\x88xx", 8, true },
	{ "H.264 AUD, slice", 0x1b, "\0\0\1\x09\xf0\0\0\1\x41\x9ax",
	  11, false },
	{ "H.264 slice, then IDR", 0x1b,
	  "\0\0\1\x41\x9a\x11\0\0\1\x65\x88xx", 13, false },
	{ "H.264 recovery point", 0x1b,
	  "\0\0\1\x06\6\1\xc0\x80\0\0\1\x41\x9axx", 15, true },
	{ "H.264 other SEI, recovery point", 0x1b,
	  "\0\0\1\x06\4\2\6\6\6\1\xc0\x80", 12, true },
	{ "H.264 other SEI", 0x1b,
	  "\0\0\1\x06\4\3\6\1\xc0\x80\0\0\1\x41\x9axx", 17, false },
	{ "HEVC AUD, VPS", 0x24, "\0\0\1\x46\1\0\0\1\x40\1x", 11,
	  false },
	{ "HEVC VPS, SPS, trailing picture", 0x24,
	  "\0\0\1\x40\1x\0\0\1\x42\1x\0\0\1\x02\1x", 18, false },
	{ "HEVC VPS, CRA", 0x24,
	  "\0\0\1\x40\1x\0\0\1\x2a\1x", 12, true },
	{ "HEVC CRA", 0x24, "\0\0\1\x2a\1xx", 7, true },
	{ "HEVC BLA", 0x24, "\0\0\1\x20\1xx", 7, true },
	{ "HEVC IDR", 0x24, "\0\0\1\x28\1xx", 7, true },
	{ "HEVC recovery point", 0x24,
	  "\0\0\1\x4e\1\6\1\xc0\x80\0\0\1\x02\1x", 15, true },
	{ "HEVC trailing picture", 0x24, "\0\0\1\x02\1xx", 7, false },
	{ "VVC VPS, CRA", 0x33, "\0\0\1\0\x71x\0\0\1\0\x49x", 12,
	  true },
	{ "VVC SPS, trailing picture", 0x33,
	  "\0\0\1\0\x79x\0\0\1\0\1x", 12, false },
	{ "VVC CRA", 0x33, "\0\0\1\0\x49xx", 7, true },
	{ "VVC GDR", 0x33, "\0\0\1\0\x51xx", 7, true },
	{ "VVC trailing picture", 0x33, "\0\0\1\0\1xx", 7, false },
	{ "MPEG-2 sequence", 0x02, "\0\0\1\xb3xx", 6, false },
	{ "MPEG-2 sequence, I picture", 0x02,
	  "\0\0\1\xb3xxx\0\0\1\0\0\x0fx", 14, true },
	{ "MPEG-2 sequence, open group, I picture", 0x02,
	  "\0\0\1\xb3xxx\0\0\1\xb8\0\x08\0\0\0\0\1\0\0\x8fx", 22,
	  true },
	{ "MPEG-2 sequence, closed group, I picture", 0x02,
	  "\0\0\1\xb3xxx\0\0\1\xb8\0\x08\0\x40\0\0\1\0\0\x0fx",
	  22, true },
	{ "MPEG-2 sequence, broken link, I picture", 0x02,
	  "\0\0\1\xb3xxx\0\0\1\xb8\0\x08\0\x20\0\0\1\0\0\x8fx",
	  22, true },
	{ "MPEG-2 repeated sequence, P picture", 0x02,
	  "\0\0\1\xb3xxx\0\0\1\0\0\x17x", 14, false },
	{ "MPEG-2 I picture alone", 0x02, "\0\0\1\0\0\x0fx", 7,
	  false },
	{ "AVS sequence, I picture", 0x42,
	  "\0\0\1\xb0xx\0\0\1\xb3xx", 12, true },
	{ "AVS3 sequence, I picture", 0xd4,
	  "\0\0\1\xb0xx\0\0\1\xb3xx", 12, true },
	{ "AVS sequence, PB picture", 0x42,
	  "\0\0\1\xb0xx\0\0\1\xb6xx", 12, false },
	{ "MPEG-4 object layer, I picture", 0x10,
	  "\0\0\1\x20xx\0\0\1\xb6\x10x", 12, true },
	{ "MPEG-4 object layer, P picture", 0x10,
	  "\0\0\1\x20xx\0\0\1\xb6\x50x", 12, false },
	{ "VC-1 sequence", 0xea, "\0\0\1\x0fxx", 6, true },
	{ "VC-1 entry point", 0xea, "\0\0\1\x0exx", 6, true },
	{ "VC-1 frame", 0xea, "\0\0\1\x0dxx\0\0\1\x0fxx", 12, false },
	{ "AVS picture", 0x42, "\0\0\1\xb6xx", 6, false },
	{ "MPEG-2 group, picture", 0x02, "\0\0\1\xb8xx\0\0\1\0xx", 12,
	  false },
	{ "unknown codec", 0x21, "\0\0\1\xb3xx", 6, false },
	{ "no start code", 0x1b, "xxxxxxxx", 8, false },
	{ "start code cut off", 0x1b, "xxx\0\0\1", 6, false },
	{ "1 0 1", 0x1b, "\1\0\1\x65xx", 6, false },
	{ "0 1 1", 0x1b, "x\0\1\1\x65xx", 7, false },
	{ "0 0 2", 0x1b, "xx\0\0\2\x65xx", 8, false },
	{ "empty", 0x1b, "", 0, false },
};

/* Does a random access point begin in this packet, as far as it shows it? */
static bool is_start(const uint8_t *packet, uint8_t type, enum pid_class class)
{
	struct rap r = { 0 };

	rap_follow(&r, ts_pid(packet), type, class);

	enum rap_sign sign = rap_feed(&r, packet);

	return sign == RAP_HERE || (sign == RAP_OPEN && r.marked);
}

Test(rap, finds_where_a_decoder_can_begin)
{
	struct build *b = build_new();

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const uint8_t *p = build_pes(b, 0x101, cases[i].es,
					     cases[i].len);

		cr_expect_eq(is_start(p, cases[i].type, PID_VIDEO),
			     cases[i].start, "%s", cases[i].what);
	}
	build_free(b);
}

Test(rap, follows_the_indicator_where_the_picture_cannot_be_read)
{
	struct build *b = build_new();
	uint8_t *p = build_pes(b, 0x101, "", 0);

	cr_assert(!is_start(p, 0x1b, PID_VIDEO));
	p[5] |= 0x40; /* random_access_indicator */
	cr_assert(is_start(p, 0x1b, PID_VIDEO));
	/* the adaptation field of a scrambled packet is clear */
	p[3] |= 0x80;
	cr_assert(is_start(p, 0x1b, PID_VIDEO));
	p[5] &= (uint8_t)~0x40;
	cr_assert(!is_start(p, 0x1b, PID_VIDEO));
	p[5] |= 0x40;
	p[3] &= 0x3f;
	p[1] |= 0x80;
	cr_assert(!is_start(p, 0x1b, PID_VIDEO));
	p[1] &= 0x3f; /* neither TEI nor PUSI */
	cr_assert(!is_start(p, 0x1b, PID_VIDEO));
	build_free(b);
}

Test(rap, needs_no_adaptation_field)
{
	struct build *b = build_new();
	uint8_t *p = build_payload(b, 0x101, 0xff);

	p[1] |= 0x40;
	memcpy(p + 4, "\0\0\1\xe0\0\0\x80\x80\5\x21\0\1\0\x0b", 14);
	memcpy(p + TS_PACKET - 5, "\0\0\1\x65\x88", 5);
	cr_assert(is_start(p, 0x1b, PID_VIDEO));
	build_free(b);
}

Test(rap, accepts_each_pes_of_audio)
{
	struct build *b = build_new();
	uint8_t *p = build_pes(b, 0x102, "xx", 2);

	cr_assert(is_start(p, 0x03, PID_AUDIO));
	cr_assert(!is_start(p, 0x06, PID_SUBTITLE));
	p[5 + p[4]] = 7; /* no PES any more */
	cr_assert(!is_start(p, 0x03, PID_AUDIO));

	/* the rest of the header may be in the next packet */
	for (size_t len = 1; len <= 9; len++) {
		p[4] = (uint8_t)(TS_PACKET - 5 - len);
		memcpy(p + TS_PACKET - len, "\0\0\1\xc0\0\0\x80\0", len);
		cr_assert(is_start(p, 0x03, PID_AUDIO));
		p[TS_PACKET - len] = 7;
		cr_assert(!is_start(p, 0x03, PID_AUDIO));
	}
	build_free(b);
}

Test(rap, a_pes_header_longer_than_the_packet_is_no_start)
{
	struct build *b = build_new();
	uint8_t *p = build_pes(b, 0x101, "\0\0\1\x65\x88xx", 7);

	cr_assert(is_start(p, 0x1b, PID_VIDEO));
	p[5 + p[4] + 8] = 255; /* PES_header_data_length */
	cr_assert(!is_start(p, 0x1b, PID_VIDEO));
	build_free(b);
}

/* --- pictures of several packets --- */

enum { VIDEO = 0x101 };

/* The last sign other than RAP_NONE of the packets from `from' on. */
static enum rap_sign feed(struct rap *r, struct build *b, size_t from)
{
	enum rap_sign last = RAP_NONE;

	for (size_t i = from; i < b->n; i++) {
		enum rap_sign sign = rap_feed(r, build_packet(b, i));

		last = sign != RAP_NONE ? sign : last;
	}
	return last;
}

/* A packet whose payload ends with these bytes; the bytes in front of them are
 * stuffing. */
static uint8_t *add_bytes(struct build *b, const void *bytes, size_t len)
{
	uint8_t *p = build_payload(b, VIDEO, 0);

	memset(p + 4, 0xff, TS_PACKET - 4);
	p[3] |= 0x20;
	p[4] = (uint8_t)(TS_PACKET - 5 - len);
	p[5] = 0;
	memcpy(p + TS_PACKET - len, bytes, len);
	return p;
}

Test(rap, finds_a_picture_behind_a_pes_header_alone_in_its_packet)
{
	struct build *b = build_new();
	struct rap r = { 0 };

	rap_follow(&r, VIDEO, 0x1b, PID_VIDEO);
	(void)build_pes(b, VIDEO, "", 0);
	cr_assert_eq(feed(&r, b, 0), RAP_OPEN);
	(void)add_bytes(b, "\0\0\1\x65\x88\x80", 6);
	cr_assert_eq(feed(&r, b, 1), RAP_YES);
	(void)build_pes(b, VIDEO, "", 0);
	(void)add_bytes(b, "\0\0\1\x41\x9a\x80", 6);
	cr_assert_eq(feed(&r, b, 2), RAP_NO);
	build_free(b);
}

Test(rap, reads_headers_and_start_codes_across_packets)
{
	static const uint8_t es[] = { 0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5,
		0x21, 0, 1, 0, 0x0b, 0, 0, 1, 9, 0xf0, 0, 0, 1, 0x67, 0x42,
		0xc0, 0, 0, 1, 6, 4, 3, 0, 0, 3, 1, 6, 6, 1, 0xc0, 0x80,
		0, 0, 1, 0x41, 0x9a, 0x80 };

	for (size_t cut = 1; cut < sizeof es; cut++) {
		struct build *b = build_new();
		struct rap r = { 0 };

		rap_follow(&r, VIDEO, 0x1b, PID_VIDEO);
		add_bytes(b, es, cut)[1] |= 0x40;
		(void)add_bytes(b, es + cut, sizeof es - cut);
		/* the recovery point can be in the first packet */
		cr_assert_eq(feed(&r, b, 0), cut < 36 ? RAP_YES : RAP_HERE,
			     "cut at %zu", cut);
		build_free(b);
	}
}

Test(rap, finds_a_picture_behind_a_long_sei)
{
	struct build *b = build_new();
	struct rap r = { 0 };

	rap_follow(&r, VIDEO, 0x1b, PID_VIDEO);
	/* 255 * 16 bytes of user data, in which no start code can be */
	(void)build_pes(b, VIDEO, "\0\0\1\x06\5\xff\xff\xff\xff\xff\xff\xff"
			"\xff\xff\xff\xff\xff\xff\xff\xff\xff\0", 22);
	for (unsigned i = 0; i < 22; i++)
		(void)build_payload(b, VIDEO, 6);
	cr_assert_eq(feed(&r, b, 0), RAP_OPEN);
	(void)add_bytes(b, "\0\0\1\x67\x42\x80\0\0\1\x65\x88\x80", 12);
	cr_assert_eq(feed(&r, b, 23), RAP_YES);

	/* the search in a picture is bounded */
	(void)build_pes(b, VIDEO, "", 0);
	for (unsigned i = 0; i < 80; i++)
		(void)build_payload(b, VIDEO, 6);
	cr_assert_eq(feed(&r, b, 24), RAP_NO);
	cr_assert_not(r.follows);
	build_free(b);
}

Test(rap, takes_the_indicator_of_a_packet_without_payload)
{
	struct build *b = build_new();
	struct rap r = { 0 };
	uint8_t *p;

	rap_follow(&r, VIDEO, 0x1b, PID_VIDEO);
	for (unsigned i = 0; i < 3; i++) {
		b->n = 0;
		p = build_pcr(b, VIDEO, 1);
		p[5] |= 0x40;
		(void)build_pes(b, VIDEO, "", 0);
		(void)add_bytes(b, "\0\0\1\x65\x88\x80", 6);
		/* its first picture proves it */
		cr_assert_eq(rap_feed(&r, build_packet(b, 0)), RAP_NONE);
		cr_assert_eq(rap_feed(&r, build_packet(b, 1)),
			     i == 0 ? RAP_OPEN : RAP_HERE);
		cr_assert_eq(rap_feed(&r, build_packet(b, 2)),
			     i == 0 ? RAP_YES : RAP_NONE);
	}
	build_free(b);
}

/* A picture in one packet: its sign. */
static enum rap_sign picture(struct rap *r, struct build *b, bool indicator,
			     const char *es)
{
	uint8_t *p = build_pes(b, VIDEO, es, 12);

	p[5] |= indicator ? 0x40 : 0;
	return rap_feed(r, p);
}

#define SPS "\0\0\1\x67\x42\x80"

#define IDR "\0\0\1\x65\x88\x80"
#define INTRA "\0\0\1\x41\x88\x80"
#define INTER "\0\0\1\x41\x9a\x80"

Test(rap, an_indicator_that_is_wrong_is_never_followed_again)
{
	struct build *b = build_new();
	struct rap r = { 0 };

	rap_follow(&r, VIDEO, 0x1b, PID_VIDEO);
	cr_assert_eq(picture(&r, b, true, SPS IDR), RAP_HERE);
	for (unsigned i = 0; i < 3; i++) {
		cr_assert_eq(picture(&r, b, true, SPS INTER), RAP_NONE);
		cr_assert_eq(picture(&r, b, true, SPS IDR), RAP_HERE);
		/* the indicator of a PES that later packets decide */
		build_pes(b, VIDEO, "", 0)[5] |= 0x40;
		cr_assert_eq(feed(&r, b, b->n - 1), RAP_OPEN);
		(void)add_bytes(b, INTER, 6);
		cr_assert_eq(feed(&r, b, b->n - 1), RAP_NO);
	}
	build_free(b);
}

Test(rap, finds_a_picture_whose_proven_indicator_is_missing)
{
	struct build *b = build_new();
	struct rap r = { 0 };

	rap_follow(&r, VIDEO, 0x1b, PID_VIDEO);
	cr_assert_eq(picture(&r, b, true, SPS IDR), RAP_HERE);
	cr_assert(r.proven);
	/* another source with the same PID has none */
	cr_assert_eq(picture(&r, b, false, SPS IDR), RAP_HERE);
	cr_assert_not(r.proven);
	(void)build_pes(b, VIDEO, "", 0);
	cr_assert_eq(feed(&r, b, b->n - 1), RAP_OPEN);
	(void)add_bytes(b, SPS IDR, 12);
	cr_assert_eq(feed(&r, b, b->n - 1), RAP_YES);
	build_free(b);
}

Test(rap, an_intra_slice_needs_no_indicator_unless_others_have_it)
{
	struct build *b = build_new();
	struct rap r = { 0 };

	rap_follow(&r, VIDEO, 0x1b, PID_VIDEO);
	cr_assert_eq(picture(&r, b, false, SPS INTRA), RAP_HERE);
	cr_assert_eq(picture(&r, b, true, SPS INTRA), RAP_HERE);
	cr_assert_eq(picture(&r, b, false, SPS INTRA), RAP_NONE);
	cr_assert_eq(picture(&r, b, true, SPS INTRA), RAP_HERE);
	cr_assert(r.proven);
	/* behind an IDR picture it is a start with the indicator only, ... */
	cr_assert_eq(picture(&r, b, true, SPS IDR), RAP_HERE);
	cr_assert_eq(picture(&r, b, true, SPS INTRA), RAP_HERE);
	build_free(b);

	/* ... or when there was no IDR picture for long */
	b = build_new();
	r = (struct rap){ 0 };
	rap_follow(&r, VIDEO, 0x1b, PID_VIDEO);
	cr_assert_eq(picture(&r, b, false, SPS IDR), RAP_HERE);
	cr_assert_eq(picture(&r, b, false, SPS INTRA), RAP_NONE);
	for (unsigned i = 0; i < 1500; i++) {
		cr_assert_eq(picture(&r, b, false, "xxxxxx" INTER), RAP_NONE);
		b->n = 0;
	}
	cr_assert_eq(picture(&r, b, false, SPS INTRA), RAP_HERE);
	build_free(b);
}

static const struct {
	const char *what;
	uint8_t type;
	const char *with, *without; /* 12 bytes each */
} sets[] = {
	{ "H.264", 0x1b, SPS IDR, "\0\0\1\x09\xf0\0" IDR },
	{ "H.264 recovery point", 0x1b,
	  "\0\0\1\x67\0\0\1\x06\6\1\xc0\x80",
	  "\0\0\1\x06\6\0\x80\0\0\1\x41\x9a" },
	{ "HEVC", 0x24, "\0\0\1\x42\1\0\0\0\1\x2a\1",
	  "\0\0\1\x46\1\0\0\0\1\x2a\1" },
	{ "VVC", 0x33, "\0\0\1\0\x79\0\0\0\1\0\x49",
	  "\0\0\1\0\xa1\0\0\0\1\0\x49" },
};

/* The parameter sets may be ten seconds apart, IDR pictures half a second. */
Test(rap, pictures_without_parameter_sets_are_none_if_others_have_them)
{
	for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
		struct build *b = build_new();
		struct rap r = { 0 };

		rap_follow(&r, VIDEO, sets[k].type, PID_VIDEO);
		cr_assert_eq(picture(&r, b, true, sets[k].without), RAP_HERE,
			     "%s: without any", sets[k].what);
		for (unsigned i = 0; i < 3; i++) {
			cr_assert_eq(picture(&r, b, true, sets[k].with),
				     RAP_HERE, "%s", sets[k].what);
			for (unsigned n = 0; n < 10; n++)
				cr_assert_neq(picture(&r, b, true,
						      sets[k].without),
					      RAP_HERE, "%s: %u",
					      sets[k].what, n);
		}
		/* they were in front of the first picture only */
		for (unsigned n = 10; n < 16; n++)
			(void)picture(&r, b, false, sets[k].without);
		cr_assert_eq(picture(&r, b, false, sets[k].without), RAP_HERE,
			     "%s", sets[k].what);
		build_free(b);
	}
}

Test(rap, accepts_a_recovery_point_in_front_of_its_parameter_sets)
{
	struct build *b = build_new();
	struct rap r = { 0 };

	rap_follow(&r, VIDEO, 0x1b, PID_VIDEO);
	cr_assert_eq(picture(&r, b, false, SPS IDR), RAP_HERE);
	(void)build_pes(b, VIDEO, "\0\0\1\x06\6\1\xc0\x80", 8);
	cr_assert_eq(feed(&r, b, b->n - 1), RAP_OPEN);
	(void)add_bytes(b, SPS INTER, 12);
	cr_assert_eq(feed(&r, b, b->n - 1), RAP_YES);
	build_free(b);
}

Test(rap, shows_what_pictures_or_indicators_can_show)
{
	struct build *b = build_new();
	struct rap r = { 0 };
	uint8_t *p;

	rap_follow(&r, VIDEO, 0x1b, PID_VIDEO);
	cr_assert(rap_is_shown(&r));
	p = build_pes(b, VIDEO, IDR, 6);
	p[3] |= 0x80;
	(void)rap_feed(&r, p);
	cr_assert_not(rap_is_shown(&r));
	p[5] |= 0x40;
	(void)rap_feed(&r, p);
	cr_assert(rap_is_shown(&r));

	rap_follow(&r, VIDEO, 0x06, PID_VIDEO);
	cr_assert_not(rap_is_shown(&r));
	cr_assert_eq(picture(&r, b, true, "xxxxxxxxxxxx"), RAP_HERE);
	cr_assert(rap_is_shown(&r));
	rap_follow(&r, VIDEO, 0x0f, PID_AUDIO);
	cr_assert_not(rap_is_shown(&r));
	build_free(b);
}

Test(rap, a_picture_behind_parameter_sets_is_likely)
{
	struct build *b = build_new();
	struct rap r = { 0 };

	rap_follow(&r, VIDEO, 0x1b, PID_VIDEO);
	cr_assert_eq(picture(&r, b, false, SPS INTER), RAP_NONE);
	cr_assert(rap_is_likely(&r));
	cr_assert_eq(picture(&r, b, false, INTER "xxxxxx"), RAP_NONE);
	cr_assert_not(rap_is_likely(&r));
	cr_assert_eq(picture(&r, b, true, INTER "xxxxxx"), RAP_NONE);
	cr_assert(rap_is_likely(&r));
	build_free(b);
}

Test(rap, parameter_sets_in_front_of_every_picture_are_none)
{
	struct build *b = build_new();
	struct rap r = { 0 };

	rap_follow(&r, VIDEO, 0x1b, PID_VIDEO);
	cr_assert_eq(picture(&r, b, false, SPS "\0\0\1\x65\x88\x80"),
		     RAP_HERE);
	/* an I slice, too: this stream has IDR pictures */
	cr_assert_eq(picture(&r, b, false, SPS "\0\0\1\x41\x88\x80"),
		     RAP_NONE);
	cr_assert_eq(picture(&r, b, false, SPS "\0\0\1\x41\x9a\x80"),
		     RAP_NONE);
	build_free(b);
}

Test(rap, decides_nothing_behind_a_lost_packet)
{
	struct build *b = build_new();
	struct rap r = { 0 };

	rap_follow(&r, VIDEO, 0x1b, PID_VIDEO);
	(void)build_pes(b, VIDEO, "", 0);
	cr_assert_eq(feed(&r, b, 0), RAP_OPEN);
	(void)build_payload(b, VIDEO, 6);
	(void)add_bytes(b, "\0\0\1\x65\x88\x80", 6);
	cr_assert_eq(feed(&r, b, 2), RAP_NO);
	build_free(b);
}

/* A codec within the PES may be unreadable, for example encrypted. */
Test(rap, an_indicator_decides_where_no_picture_can_be_read)
{
	struct build *b = build_new();
	struct rap r = { 0 };

	rap_follow(&r, VIDEO, 0x1b, PID_VIDEO);
	build_pes(b, VIDEO, "xxxx", 4)[5] |= 0x40;
	cr_assert_eq(feed(&r, b, 0), RAP_OPEN);
	(void)build_pes(b, VIDEO, "xxxx", 4);
	cr_assert_eq(feed(&r, b, 1), RAP_YES);
	(void)build_pes(b, VIDEO, "xxxx", 4);
	(void)build_pes(b, VIDEO, "xxxx", 4);
	cr_assert_eq(feed(&r, b, 2), RAP_OPEN);

	/* of an unknown codec it decides at once */
	rap_follow(&r, VIDEO, 0x21, PID_VIDEO);
	build_pes(b, VIDEO, "xxxx", 4)[5] |= 0x40;
	cr_assert_eq(feed(&r, b, 4), RAP_HERE);
	build_free(b);
}
