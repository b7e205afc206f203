/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/hls_playlist.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MIB = 1 << 20 };

/* n segments of a MiB and three seconds. */
static struct ring_segments table(size_t n)
{
	struct ring_segments s = { .n = n, .target_s = 3 };

	for (size_t i = 0; i < n; i++)
		s.list[i] = (struct ring_segment){
			.number = 1800000000 + i,
			.base = 1800000000,
			.pos = i * MIB,
			.end = (i + 1) * MIB,
			.wall_ms = INT64_C(1800000000123) + 3000 * (int64_t)i,
			.duration_ms = 3000,
			.independent = true,
		};
	return s;
}

static void assert_text(const struct hls_playlist *p, const char *wanted)
{
	struct buf out = { 0 };

	hls_playlist_write(&out, p);
	buf_append(&out, "", 1);
	cr_assert_str_eq((const char *)buf_head(&out), wanted);
	buf_done(&out);
}

Test(hls_playlist, is_a_live_playlist_of_rfc_8216)
{
	struct ring_segments s = table(2);

	assert_text(&(struct hls_playlist){ .segments = s.list, .n = 2,
					    .target_s = 3,
					    .folder = "news/", .query = "" },
		    "#EXTM3U\n"
		    "#EXT-X-VERSION:3\n"
		    "#EXT-X-TARGETDURATION:3\n"
		    "#EXT-X-MEDIA-SEQUENCE:1800000000\n"
		    "#EXT-X-DISCONTINUITY-SEQUENCE:1800000000\n"
		    "#EXT-X-INDEPENDENT-SEGMENTS\n"
		    "#EXT-X-PROGRAM-DATE-TIME:2027-01-15T08:00:00.123Z\n"
		    "#EXTINF:3.000,\n"
		    "news/1800000000.ts\n"
		    "#EXT-X-PROGRAM-DATE-TIME:2027-01-15T08:00:03.123Z\n"
		    "#EXTINF:3.000,\n"
		    "news/1800000001.ts\n");
}

Test(hls_playlist, a_jump_of_the_time_is_in_front_of_its_segment)
{
	struct ring_segments s = table(2);

	s.list[1].base++;
	s.list[1].independent = false;
	s.list[1].duration_ms = 2040;
	assert_text(&(struct hls_playlist){ .segments = s.list, .n = 2,
					    .target_s = 3, .folder = "a/",
					    .query = "token=x&y=%20" },
		    "#EXTM3U\n"
		    "#EXT-X-VERSION:3\n"
		    "#EXT-X-TARGETDURATION:3\n"
		    "#EXT-X-MEDIA-SEQUENCE:1800000000\n"
		    "#EXT-X-DISCONTINUITY-SEQUENCE:1800000000\n"
		    "#EXT-X-PROGRAM-DATE-TIME:2027-01-15T08:00:00.123Z\n"
		    "#EXTINF:3.000,\n"
		    "a/1800000000.ts?token=x&y=%20\n"
		    "#EXT-X-DISCONTINUITY\n"
		    "#EXT-X-PROGRAM-DATE-TIME:2027-01-15T08:00:03.123Z\n"
		    "#EXTINF:2.040,\n"
		    "a/1800000001.ts?token=x&y=%20\n");
	/* once the first segment has left, its base is the first one */
	assert_text(&(struct hls_playlist){ .segments = s.list + 1, .n = 1,
					    .target_s = 3, .folder = "a/",
					    .query = "" },
		    "#EXTM3U\n"
		    "#EXT-X-VERSION:3\n"
		    "#EXT-X-TARGETDURATION:3\n"
		    "#EXT-X-MEDIA-SEQUENCE:1800000001\n"
		    "#EXT-X-DISCONTINUITY-SEQUENCE:1800000001\n"
		    "#EXT-X-PROGRAM-DATE-TIME:2027-01-15T08:00:03.123Z\n"
		    "#EXTINF:2.040,\n"
		    "a/1800000001.ts\n");
}

Test(hls_playlist, escapes_the_path)
{
	struct ring_segments s = table(1);
	struct buf out = { 0 };

	hls_playlist_write(&out, &(struct hls_playlist){
				    .segments = s.list, .n = 1, .target_s = 3,
				    .folder = "a b#?%\n\xc3\xa4:/",
				    .query = "" });
	buf_append(&out, "", 1);
	cr_assert_not_null(strstr((const char *)buf_head(&out),
				  "\na%20b%23%3F%25%0A%C3%A4%3A/1800000000.ts"
				  "\n"));
	buf_done(&out);
}

Test(hls_playlist, lists_what_stays_as_long_as_the_rfc_wants)
{
	static const struct {
		size_t n, quantity, mib, listed;
	} cases[] = {
		{ 0, 4, 100, 0 },
		{ 1, 4, 100, 1 },
		{ 3, 4, 100, 3 },
		{ 20, 4, 100, 4 },
		{ 20, 10, 100, 10 },
		/* the playlist, as long again, and one segment */
		{ 20, 4, 9, 4 },
		{ 20, 4, 8, 3 },
		{ 20, 10, 13, 6 },
		/* players need three, if they can be fetched at all */
		{ 20, 4, 5, 3 },
		{ 20, 4, 4, 2 },
		{ 20, 4, 3, 1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct ring_segments s = table(cases[i].n);

		cr_assert_eq(hls_playlist_count(&s, cases[i].quantity,
						cases[i].mib * MIB),
			     cases[i].listed, "%zu", i);
	}
}

/* The same playlist with fMP4. */
static void expect_fragments(const struct hls_playlist *p)
{
	static const uint64_t maps[] = { 7, 7 };
	struct hls_playlist mp4 = *p;
	struct buf out = { 0 };
	const char *text;

	mp4.maps = maps;
	hls_playlist_write(&out, &mp4);
	buf_append(&out, "", 1);
	text = (const char *)buf_head(&out);
	cr_assert_not_null(strstr(text, "URI=\"a/1800000005.0.m4s?t=1\""));
	cr_assert_not_null(strstr(text, "TYPE=PART,"
				  "URI=\"a/1800000005.1.m4s?t=1\""));
	cr_assert_null(strstr(text, ".ts"));
	buf_done(&out);
}

Test(hls_playlist, a_stream_that_has_stopped_has_no_next_part)
{
	struct ring_segments s = table(2);
	struct ring_parts parts = { .n = 1, .target_ms = 2000 };
	const struct hls_playlist p = {
		.segments = s.list, .n = 2, .target_s = 3, .folder = "a/",
		.query = "", .parts = &parts,
	};

	parts.list[0] = (struct ring_part){
		.number = s.list[1].number, .pos = s.list[1].pos,
		.end = s.list[1].end, .duration_ms = 2000,
	};
	cr_assert(hls_parts_are_live(&parts, &s));
	assert_text(&p, "#EXTM3U\n"
		    "#EXT-X-VERSION:6\n"
		    "#EXT-X-TARGETDURATION:3\n"
		    "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,"
		    "PART-HOLD-BACK=6.100\n"
		    "#EXT-X-PART-INF:PART-TARGET=2.000\n"
		    "#EXT-X-MEDIA-SEQUENCE:1800000000\n"
		    "#EXT-X-DISCONTINUITY-SEQUENCE:1800000000\n"
		    "#EXT-X-INDEPENDENT-SEGMENTS\n"
		    "#EXT-X-PROGRAM-DATE-TIME:2027-01-15T08:00:00.123Z\n"
		    "#EXTINF:3.000,\n"
		    "a/1800000000.ts\n"
		    "#EXT-X-PROGRAM-DATE-TIME:2027-01-15T08:00:03.123Z\n"
		    "#EXT-X-PART:DURATION=2.000,URI=\"a/1800000001.0.ts\"\n"
		    "#EXTINF:3.000,\n"
		    "a/1800000001.ts\n");
	/* the next segment begins behind a gap: its parts are to come */
	s.has_open = true;
	s.open = (struct ring_segment){ .number = s.list[1].number + 1,
					.pos = s.list[1].end + MIB };
	cr_assert(hls_parts_are_live(&parts, &s));
	/* the last part of the segment is lacking */
	parts.list[0].end--;
	cr_assert_not(hls_parts_are_live(&parts, &s));
	s.has_open = false;
	cr_assert_not(hls_parts_are_live(&parts, &s));
}

Test(hls_playlist, low_latency_has_the_parts_of_the_newest_segments)
{
	struct ring_segments s = table(5);
	struct ring_parts parts = { .n = 4, .target_ms = 2000 };
	const struct hls_playlist p = {
		.segments = s.list + 3, .n = 2, .target_s = 3,
		.folder = "a/", .query = "t=1", .parts = &parts,
		.open = &s.open,
	};

	s.has_open = true;
	s.open = s.list[4];
	s.open.number++;
	s.open.pos = s.list[4].end;
	s.open.wall_ms += 3000;
	s.open.end = 0;
	/* of the segment in front of the last one only the last part is known:
	 * it is not listed */
	for (unsigned i = 0; i < 4; i++)
		parts.list[i] = (struct ring_part){
			.number = 1800000003 + (i + 1) / 2,
			.index = (i + 1) % 2,
			.pos = 3 * MIB + (i + 1) * (MIB / 2),
			.end = 3 * MIB + (i + 2) * (MIB / 2),
			.duration_ms = 1500,
			.independent = i % 2 == 1,
		};
	cr_assert(hls_parts_are_live(&parts, &s));
	assert_text(&p, "#EXTM3U\n"
		    "#EXT-X-VERSION:6\n"
		    "#EXT-X-TARGETDURATION:3\n"
		    "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,"
		    "PART-HOLD-BACK=6.100\n"
		    "#EXT-X-PART-INF:PART-TARGET=2.000\n"
		    "#EXT-X-MEDIA-SEQUENCE:1800000003\n"
		    "#EXT-X-DISCONTINUITY-SEQUENCE:1800000000\n"
		    "#EXT-X-INDEPENDENT-SEGMENTS\n"
		    "#EXT-X-PROGRAM-DATE-TIME:2027-01-15T08:00:09.123Z\n"
		    "#EXTINF:3.000,\n"
		    "a/1800000003.ts?t=1\n"
		    "#EXT-X-PROGRAM-DATE-TIME:2027-01-15T08:00:12.123Z\n"
		    "#EXT-X-PART:DURATION=1.500,"
		    "URI=\"a/1800000004.0.ts?t=1\",INDEPENDENT=YES\n"
		    "#EXT-X-PART:DURATION=1.500,"
		    "URI=\"a/1800000004.1.ts?t=1\"\n"
		    "#EXTINF:3.000,\n"
		    "a/1800000004.ts?t=1\n"
		    "#EXT-X-PROGRAM-DATE-TIME:2027-01-15T08:00:15.123Z\n"
		    "#EXT-X-PART:DURATION=1.500,"
		    "URI=\"a/1800000005.0.ts?t=1\",INDEPENDENT=YES\n"
		    "#EXT-X-PRELOAD-HINT:TYPE=PART,"
		    "URI=\"a/1800000005.1.ts?t=1\"\n");
	expect_fragments(&p);
	/* parts leave after three target durations, the open ones included */
	parts.list[3].duration_ms = 6001;
	parts.target_ms = 6001;
	{
		struct buf out = { 0 };

		hls_playlist_write(&out, &p);
		buf_append(&out, "", 1);
		cr_assert_null(strstr((const char *)buf_head(&out),
				      "004.0.ts"));
		cr_assert_not_null(strstr((const char *)buf_head(&out),
					  "005.0.ts"));
		buf_done(&out);
	}
	/* those of an earlier time are not */
	s.open.number += 2;
	cr_assert_not(hls_parts_are_live(&parts, &s));
}

/* A player counts the parts of a segment from the first listed one. */
Test(hls_playlist, parts_without_the_first_one_of_the_segment_are_not_live)
{
	struct ring_segments s = table(2);
	struct ring_parts parts = { .target_ms = 200 };

	s.open = s.list[1];
	s.open.end = 0;
	s.has_open = true;
	s.n = 1;
	for (uint32_t i = 0; i < 2; i++)
		parts.list[parts.n++] = (struct ring_part){
			.number = s.open.number, .index = i,
			.pos = s.open.pos + i * UINT64_C(188),
			.end = s.open.pos + (i + 1) * UINT64_C(188),
			.duration_ms = 200 };
	cr_assert(hls_parts_are_live(&parts, &s));
	parts.list[0].index = 64;
	parts.list[1].index = 65;
	cr_assert_not(hls_parts_are_live(&parts, &s));
}
