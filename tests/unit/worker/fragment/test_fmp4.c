/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/fragment/fmp4_scene.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static struct fmp4_codecs describe(struct scene *s, int wanted)
{
	struct ts_run run = build_run(s->b);
	struct fmp4_codecs ret;

	cr_assert_eq(fmp4_describe(run.data, run.n * TS_PACKET, &ret), wanted);
	return ret;
}

Test(fmp4, every_unit_is_a_sample_at_its_time)
{
	const uint64_t begin = 1000000;
	static const uint8_t head[] = "\0\0\0\4\x65ICE\0\0\0\5\x41SNOW";
	struct scene s;
	const uint8_t *mdat;

	open_scene(&s);
	s.near = begin;
	build_tables(s.b);
	add_picture(&s, begin, true);
	for (unsigned i = 0; i < 3; i++)
		add_frame(&s, begin + 9000 + i * FRAME_TICKS);
	add_picture(&s, begin + PICTURE, false);
	s.own = build_run(s.b).n * TS_PACKET;
	add_picture(&s, begin + 3 * PICTURE, true);
	add_frame(&s, begin + 9000 + 3 * FRAME_TICKS);
	cr_assert_eq(make(&s), 0, "%s", s.error.text);

	cr_assert_eq(time_of(&s, 0), begin);
	cr_assert_eq(samples_of(&s, 0), 2);
	cr_assert_eq(field_of(&s, 0, 0, 0), PICTURE);
	/* until the picture behind the segment */
	cr_assert_eq(field_of(&s, 0, 1, 0), 2 * PICTURE);
	cr_assert_eq(field_of(&s, 0, 0, 2), 0x02000000);
	cr_assert_eq(field_of(&s, 0, 1, 2), 0x01010000);
	/* without delimiters, fillers and the sets, which init has */
	mdat = box(&s.media, "mdat", 0);
	cr_assert_eq(memcmp(mdat, head, sizeof head - 1), 0);
	cr_assert_eq(field_of(&s, 0, 0, 1), 8);
	cr_assert_eq(memcmp(box(&s.init, "avcC", 0), "\1\x64\x00\x0d\xff\xe1",
			    6), 0);
	/* 322 x 240 */
	cr_assert_eq(be32(box(&s.init, "avc1", 0) + 24), 322 << 16 | 240);

	cr_assert_eq(time_of(&s, 1), (begin + 9000) * 48000 / 90000);
	cr_assert_eq(samples_of(&s, 1), 3);
	cr_assert_eq(field_of(&s, 1, 2, 0), 1152);
	cr_assert_eq(field_of(&s, 1, 2, 1), FRAME);
	cr_assert_eq(be32(box(&s.media, "mfhd", 0) + 4), 9);
	close_scene(&s);
}

/* VPS, SPS, PPS and a picture. */
static const uint8_t hevc_sets[] =
	"\0\0\1\x40\x01\x0c\x01\xff\xff\x01\x60\x00\x00\x03\x00\x90"
	"\x00\x00\x03\x00\x00\x03\x00\x3c\x95\x98\x09"
	"\0\0\1\x42\x01\x01\x01\x60\x00\x00\x03\x00\x90\x00\x00\x03"
	"\x00\x00\x03\x00\x3c\xa0\x0a\x48\x0b\x9c\x95\x96\x56\x69\x24"
	"\xca\xf0\x16\x80\x80\x00\x00\x03\x00\x80\x00\x00\x0c\x84"
	"\0\0\1\x44\x01\xc1\x72\xb4\x62\x40\0\0\1\x26\x01key";

static void add_program(struct scene *s, uint8_t type)
{
	const struct build_entry program = { 1, 0x100 };
	const struct build_es es = { .type = type, .pid = VIDEO };
	uint8_t section[1024];

	build_section(s->b, 0, section, build_pat(section, 0, &program, 1));
	build_section(s->b, 0x100, section,
		      build_pmt(section, program, 0, &es, 1));
}

/* ISO/IEC 14496-12 8.8.3.1 */
Test(fmp4, a_picture_set_in_front_of_a_picture_makes_no_sync_sample)
{
	struct buf es = { 0 };
	struct scene s;

	open_scene(&s);
	build_tables(s.b);
	add_picture(&s, 0, true);
	buf_append(&es, pps, sizeof pps - 1);
	buf_append(&es, slice, sizeof slice - 1);
	add(&s, VIDEO, PICTURE, &es);
	add_picture(&s, 2 * PICTURE, false);
	cr_assert_eq(make(&s), 0, "%s", s.error.text);
	cr_assert_eq(samples_of(&s, 0), 3);
	cr_expect_eq(field_of(&s, 0, 0, 2), 0x02000000);
	cr_expect_eq(field_of(&s, 0, 1, 2), 0x01010000);
	cr_expect_eq(field_of(&s, 0, 2, 2), 0x01010000);
	buf_done(&es);
	close_scene(&s);
	/* an open group of pictures begins with its SPS */
	open_scene(&s);
	build_tables(s.b);
	add_picture(&s, 0, true);
	buf_reset(&es, 0);
	buf_append(&es, sps, sizeof sps - 1);
	buf_append(&es, pps, sizeof pps - 1);
	buf_append(&es, slice, sizeof slice - 1);
	add(&s, VIDEO, PICTURE, &es);
	cr_assert_eq(make(&s), 0, "%s", s.error.text);
	cr_expect_eq(field_of(&s, 0, 1, 2), 0x02000000);
	buf_done(&es);
	close_scene(&s);
}

Test(fmp4, hevc_begins_at_its_sps_and_not_at_a_pps)
{
	static const uint8_t front[] = "\0\0\1\x44\x01\xc1\x72\xb4\x62\x40"
		"\0\0\1\x02\x01P";
	struct buf es = { 0 };
	struct scene s;

	open_scene(&s);
	add_program(&s, 0x24);
	buf_append(&es, hevc_sets, sizeof hevc_sets - 1);
	add(&s, VIDEO, 0, &es);
	buf_reset(&es, 0);
	buf_append(&es, front, sizeof front - 1);
	add(&s, VIDEO, PICTURE, &es);
	cr_assert_eq(make(&s), 0, "%s", s.error.text);
	cr_assert_eq(samples_of(&s, 0), 2);
	cr_expect_eq(field_of(&s, 0, 0, 2), 0x02000000);
	cr_expect_eq(field_of(&s, 0, 1, 2), 0x01010000);
	buf_done(&es);
	close_scene(&s);
}

Test(fmp4, a_segment_waits_for_the_end_of_its_units)
{
	struct scene s;

	open_scene(&s);
	build_tables(s.b);
	add_picture(&s, 0, true);
	add_frame(&s, 0);
	s.own = build_run(s.b).n * TS_PACKET;
	s.last = false;
	cr_assert_eq(make(&s), -EAGAIN);
	add_picture(&s, PICTURE, true);
	cr_assert_eq(make(&s), -EAGAIN);
	add_frame(&s, FRAME_TICKS);
	cr_assert_eq(make(&s), 0);
	s.b->n = s.own / TS_PACKET;
	s.last = true;
	cr_assert_eq(make(&s), 0);
	close_scene(&s);
}

/* Are the packets from there on what it lacked? */
static bool feed_lack(struct scene *s, size_t from)
{
	return fmp4_lack_feed(&s->lack, s->b->data + from * TS_PACKET,
			      (s->b->n - from) * TS_PACKET);
}

Test(fmp4, it_is_known_what_a_segment_waits_for)
{
	struct buf part = { 0 };
	struct scene s;
	size_t from;

	open_scene(&s);
	s.last = false;
	build_tables(s.b);
	add_picture(&s, 0, true);
	add_frame(&s, 0);
	from = s.b->n;
	s.own = from * TS_PACKET;
	cr_assert_eq(make(&s), -EAGAIN);
	cr_assert_not(feed_lack(&s, from));
	(void)build_payload(s.b, VIDEO, 1);
	(void)build_payload(s.b, 0x103, 1);
	add_frame(&s, FRAME_TICKS);
	cr_assert_not(feed_lack(&s, from));
	from = s.b->n;
	add_picture(&s, PICTURE, true);
	cr_assert(feed_lack(&s, from));
	cr_assert_eq(make(&s), 0);
	close_scene(&s);

	/* the rest of a frame */
	open_scene(&s);
	s.last = false;
	build_tables(s.b);
	add_picture(&s, 0, true);
	put_frame(&part, 7);
	(void)build_pes(s.b, AUDIO, buf_head(&part), 100);
	s.own = s.b->n * TS_PACKET;
	add_picture(&s, PICTURE, true);
	(void)build_pes(s.b, AUDIO, NULL, 0);
	cr_assert_eq(make(&s), -EAGAIN);
	from = s.b->n;
	add_picture(&s, 2 * PICTURE, true);
	cr_assert_not(feed_lack(&s, from));
	from = s.b->n;
	(void)build_payload(s.b, AUDIO, 1);
	cr_assert(feed_lack(&s, from));
	buf_done(&part);
	close_scene(&s);
}

/* Three parts of three pictures and frames, the begin of each and the end. */
static void add_parts(struct scene *s, uint64_t begin, size_t cuts[4])
{
	build_tables(s->b);
	for (unsigned i = 0; i < 11; i++) {
		if (i % 3 == 0)
			cuts[i / 3] = build_run(s->b).n * TS_PACKET;
		add_picture(s, begin + i * PICTURE, i == 0);
		add_frame(s, begin + 9000 + i * FRAME_TICKS);
	}
	cuts[0] = 0;
}

Test(fmp4, the_parts_of_a_segment_have_its_samples)
{
	const uint64_t begin = 1000000;
	struct scene s;
	size_t cuts[4], init_len, mdat = 0, whole;
	uint8_t init[2048];

	open_scene(&s);
	s.last = false;
	s.near = begin;
	add_parts(&s, begin, cuts);
	s.own = cuts[3];
	cr_assert_eq(make(&s), 0, "%s", s.error.text);
	init_len = buf_len(&s.init);
	cr_assert_lt(init_len, sizeof init);
	memcpy(init, buf_head(&s.init), init_len);
	whole = be32(box(&s.media, "mdat", 0) - 8);
	for (unsigned i = 0; i < 3; i++) {
		s.from = cuts[i];
		s.own = cuts[i + 1];
		cr_assert_eq(make(&s), 0, "%u: %s", i, s.error.text);
		/* tables and parameter sets are in the first one only */
		cr_assert_eq(buf_len(&s.init), init_len);
		cr_assert_eq(memcmp(buf_head(&s.init), init, init_len), 0);
		for (unsigned track = 0; track < 2; track++)
			cr_assert_eq(samples_of(&s, track), 3);
		cr_assert_eq(time_of(&s, 0), begin + 3 * i * PICTURE);
		cr_assert_eq(field_of(&s, 0, 2, 0), PICTURE);
		cr_assert_eq(time_of(&s, 1), (begin + 9000) * 48000 / 90000 +
			     (uint64_t)3 * i * 1152);
		mdat += be32(box(&s.media, "mdat", 0) - 8) - 8;
	}
	cr_assert_eq(mdat, whole - 8);

	/* it waits for the ends of its own units only */
	s.from = 0;
	s.own = build_run(s.b).n * TS_PACKET;
	cr_assert_eq(make(&s), -EAGAIN);
	s.from = cuts[1];
	s.own = cuts[1] + TS_PACKET; /* no sound begins there */
	cr_assert_eq(make(&s), 0, "%s", s.error.text);
	cr_assert_eq(buf_len(&s.init), init_len);
	cr_assert_eq(samples_of(&s, 0), 1);
	/* nothing begins there */
	s.from = s.own;
	cr_assert_eq(make(&s), -ENOTSUP);
	close_scene(&s);
}

Test(fmp4, a_clock_that_wraps_continues)
{
	const uint64_t begin = 3 * PES_TIME_WRAP - PICTURE;
	struct scene s;

	open_scene(&s);
	/* the time is known roughly */
	s.near = begin + 90000 * 3600;
	build_tables(s.b);
	add_picture(&s, begin, true);
	add_picture(&s, begin + PICTURE, false);
	add_picture(&s, begin + 2 * PICTURE, false);
	cr_assert_eq(make(&s), 0);
	cr_assert_eq(time_of(&s, 0), begin);
	for (unsigned i = 0; i < 2; i++)
		cr_assert_eq(field_of(&s, 0, i, 0), PICTURE);
	close_scene(&s);
	/* the next segment, behind the wrap */
	open_scene(&s);
	s.near = begin + 90000 * 3600;
	build_tables(s.b);
	add_picture(&s, begin + 3 * PICTURE, true);
	cr_assert_eq(make(&s), 0);
	cr_assert_eq(time_of(&s, 0), begin + 3 * PICTURE);
	close_scene(&s);
}

Test(fmp4, a_frame_may_end_in_the_next_pes_and_the_next_segment)
{
	struct buf all = { 0 }, part = { 0 };
	struct scene s;

	open_scene(&s);
	s.near = 90000;
	build_tables(s.b);
	add_picture(&s, 90000, true);
	/* the end of a frame of the segment before is no sample */
	for (uint8_t i = 1; i <= 4; i++)
		put_frame(&all, i);
	for (unsigned i = 0; i < 4; i++) {
		size_t from = 100 + i * 120;

		if (i == 3)
			s.own = build_run(s.b).n * TS_PACKET;
		buf_reset(&part, 0);
		buf_append(&part, buf_head(&all) + from,
			   MIN((size_t)120, buf_len(&all) - from));
		add(&s, AUDIO, 90000 + i * FRAME_TICKS, &part);
	}
	cr_assert_eq(make(&s), 0, "%s", s.error.text);
	cr_assert_eq(samples_of(&s, 1), 3);
	cr_assert_eq(time_of(&s, 1), 48000);
	buf_done(&all);
	buf_done(&part);
	close_scene(&s);
}

Test(fmp4, the_sound_in_front_of_a_pause_lasts_as_long)
{
	struct scene s;

	open_scene(&s);
	s.near = 90000;
	build_tables(s.b);
	add_picture(&s, 90000, true);
	add_frame(&s, 90000);
	add_frame(&s, 90000 + FRAME_TICKS);
	add_frame(&s, 90000 + 2 * FRAME_TICKS + 45000);
	/* a clock that goes back changes nothing */
	add_frame(&s, 90000);
	cr_assert_eq(make(&s), 0);
	cr_assert_eq(samples_of(&s, 1), 4);
	cr_assert_eq(field_of(&s, 1, 0, 0), 1152);
	cr_assert_eq(field_of(&s, 1, 1, 0), 1152 + 24000);
	cr_assert_eq(field_of(&s, 1, 2, 0), 1152);
	close_scene(&s);
}

Test(fmp4, video_that_it_does_not_carry_has_a_reason)
{
	struct scene s;

	open_scene(&s);
	add_program(&s, 0x02);
	add_picture(&s, 0, true);
	cr_assert_eq(make(&s), -ENOTSUP);
	cr_assert_str_eq(s.error.text, "PID 257: video of stream_type 0x02 "
			 "cannot be carried in fMP4");
	close_scene(&s);
	open_scene(&s);
	add_program(&s, 0x06);
	cr_assert_eq(make(&s), -ENOTSUP);
	close_scene(&s);
	/* nor video without its sets */
	open_scene(&s);
	build_tables(s.b);
	add_picture(&s, 0, false);
	cr_assert_eq(make(&s), -ENOTSUP);
	close_scene(&s);
}

Test(fmp4, hevc_has_its_sets_in_its_initialization)
{
	struct buf es = { 0 };
	struct scene s;

	open_scene(&s);
	add_program(&s, 0x24);
	buf_append(&es, hevc_sets, sizeof hevc_sets - 1);
	add(&s, VIDEO, 0, &es);
	cr_assert_eq(make(&s), 0, "%s", s.error.text);
	cr_assert_eq(be32(box(&s.init, "hvc1", 0) + 24), 322 << 16 | 182);
	cr_assert_eq(memcmp(box(&s.init, "hvcC", 0), "\1\1\x60\0\0\0\x90", 7),
		     0);
	cr_assert_eq(field_of(&s, 0, 0, 1), 4 + 5);
	cr_assert_eq(field_of(&s, 0, 0, 2), 0x02000000);
	cr_assert_str_eq(describe(&s, 0).text, "hvc1.1.6.L60.90");
	buf_done(&es);
	close_scene(&s);
}

Test(fmp4, the_codecs_have_the_names_of_rfc_6381)
{
	struct fmp4_codecs c;
	struct scene s;

	open_scene(&s);
	build_tables(s.b);
	add_picture(&s, 0, true);
	/* a sound without a frame takes no name from the picture */
	c = describe(&s, 0);
	cr_assert_str_eq(c.text, "avc1.64000d");
	cr_assert(c.silent);
	add_frame(&s, 0);
	c = describe(&s, 0);
	cr_assert_str_eq(c.text, "avc1.64000d,mp4a.6B");
	cr_assert_not(c.silent);
	cr_assert_eq(c.width, 322);
	cr_assert_eq(c.height, 240);
	close_scene(&s);
	/* a picture without its sets, a coding without a name, no tables */
	open_scene(&s);
	build_tables(s.b);
	add_picture(&s, 0, false);
	add_frame(&s, 0);
	cr_assert_str_eq(describe(&s, -EAGAIN).text, "");
	close_scene(&s);
	open_scene(&s);
	add_program(&s, 0x02);
	cr_assert_str_eq(describe(&s, -ENOTSUP).text, "");
	cr_assert_eq(fmp4_describe(NULL, 0, &c), -ENOTSUP);
	close_scene(&s);
}

static unsigned count(const struct buf *b, const char type[4])
{
	unsigned n = 0;

	for (size_t i = 0; i + 4 <= buf_len(b); i++)
		n += memcmp(buf_head(b) + i, type, 4) == 0;
	return n;
}

Test(fmp4, a_track_without_a_sample_stays_in_the_initialization)
{
	struct buf whole = { 0 };
	struct scene s;

	open_scene(&s);
	s.past = fmp4_past_new();
	build_tables(s.b);
	add_frame(&s, 0);
	cr_assert_eq(make(&s), 0);
	/* the sound is the second track, also while there is no picture */
	cr_assert_eq(count(&s.init, "trak"), 1);
	cr_assert_eq(be32(box(&s.media, "tfhd", 0) + 4), 2);
	add_picture(&s, 0, true);
	cr_assert_eq(make(&s), 0);
	cr_assert_eq(count(&s.init, "trak"), 2);
	buf_append(&whole, buf_head(&s.init), buf_len(&s.init));

	/* a segment without sound */
	build_free(s.b);
	s.b = build_new();
	build_tables(s.b);
	add_picture(&s, PICTURE, true);
	cr_assert_eq(make(&s), 0);
	cr_assert_eq(buf_len(&s.init), buf_len(&whole));
	cr_assert_eq(memcmp(buf_head(&s.init), buf_head(&whole),
			    buf_len(&whole)), 0);
	cr_assert_eq(count(&s.media, "traf"), 1);
	cr_assert_eq(be32(box(&s.media, "tfhd", 0) + 4), 1);

	/* tables without it */
	build_free(s.b);
	s.b = build_new();
	add_program(&s, 0x1b);
	add_picture(&s, PICTURE, true);
	cr_assert_eq(make(&s), 0);
	cr_assert_eq(count(&s.init, "trak"), 1);
	fmp4_past_free(&s.past);
	buf_done(&whole);
	close_scene(&s);
}

Test(fmp4, a_pid_that_the_tables_have_twice_is_one_track)
{
	const struct build_entry program = { 1, 0x100 };
	const struct build_es es[] = { { .type = 0x1b, .pid = VIDEO },
				       { .type = 0x1b, .pid = VIDEO } };
	uint8_t section[1024];
	struct scene s;

	open_scene(&s);
	s.past = fmp4_past_new();
	build_section(s.b, 0, section, build_pat(section, 0, &program, 1));
	build_section(s.b, 0x100, section,
		      build_pmt(section, program, 0, es, 2));
	add_picture(&s, 0, true);
	for (unsigned i = 0; i < 2; i++) {
		cr_assert_eq(make(&s), 0);
		cr_assert_eq(count(&s.init, "trak"), 1);
	}
	fmp4_past_free(&s.past);
	close_scene(&s);
}
