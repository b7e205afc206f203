/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/variant.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct {
	const char *header;
	bool is_valid;
} headers[] = {
	{ "", true },
	{ "BANDWIDTH=1", true },
	{ "CODECS=\"avc1.4d401f,mp4a.40.2\",RESOLUTION=1280x720", true },
	{ "X-A=\"\"", true },
	{ "A=1,", false },
	{ ",A=1", false },
	{ "A=", false },
	{ "a=1", false },
	{ "A", false },
	{ "A=\"x", false },
	{ "A=\"", false },
	{ "A=\"x\"y", false },
	{ "A=x\"y\"", false },
	{ "A=1\nB=2", false },
	{ "A=1, B=2", false },
};

Test(variant, a_header_is_a_list_of_attributes)
{
	struct errmsg error;

	for (size_t i = 0; i < ARRAY_LEN(headers); i++)
		cr_expect_eq(variant_header_check(headers[i].header,
						  &error) == 0,
			     headers[i].is_valid, "%s", headers[i].header);
}

static const struct {
	const char *path, *group; /* NULL: another path */
} paths[] = {
	{ "/play/news/master.m3u8", "news" },
	{ "/play//master.m3u8", NULL },
	{ "/play/master.m3u8", NULL },
	{ "/play/a/b/master.m3u8", NULL },
	{ "/play/a/master.m3u8x", NULL },
	{ "/play/a/index.m3u8", NULL },
	{ "/play/0123456789/master.m3u8", NULL }, /* too long */
};

Test(variant, a_group_has_a_path)
{
	char group[10];

	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		bool is = variant_group_of(paths[i].path, group,
					   sizeof group);

		cr_expect_eq(is, paths[i].group != NULL, "%s", paths[i].path);
		if (is && paths[i].group != NULL)
			cr_expect_str_eq(group, paths[i].group);
	}
}

/* Three segments that end at wall_ms 1006000. */
static struct ring_segments segments(void)
{
	struct ring_segments all = { .n = 3, .target_s = 2 };

	for (size_t i = 0; i < all.n; i++)
		all.list[i] = (struct ring_segment){
			.pos = i * 1000000, .end = i * 1000000 + 250000,
			.wall_ms = 1000000 + 2000 * (int64_t)i,
			.duration_ms = 2000, .independent = true,
		};
	all.list[1].end += 250000;
	return all;
}

Test(variant, the_rates_are_those_of_its_segments)
{
	struct ring_segments all = segments();
	struct variant v = { .header = "" };

	cr_assert(variant_measure(&v, &all, 1006000));
	cr_assert_eq(v.peak_bps, 2000001);
	cr_assert_eq(v.average_bps, 1333334);
	cr_assert(v.independent);
	all.list[0].independent = false;
	cr_assert(variant_measure(&v, &all, 1006000));
	cr_assert_not(v.independent);
}

Test(variant, a_few_pictures_have_no_rate_of_their_own)
{
	struct ring_segments all = segments();
	struct variant v = { .header = "" };

	/* the rest of a group of pictures, at 10 Mbit/s */
	all.list[3] = all.list[2];
	all.list[2].duration_ms = 40;
	all.list[2].end = all.list[2].pos + 50000;
	all.n = 4;
	cr_assert(variant_measure(&v, &all, 1006000));
	cr_assert_eq(v.peak_bps, 2156863);
	/* alone it is all that is known */
	all.list[0] = all.list[2];
	all.n = 1;
	cr_assert(variant_measure(&v, &all, 1006000));
	cr_assert_eq(v.peak_bps, 10000001);
}

Test(variant, one_without_new_segments_is_dead)
{
	struct ring_segments all = segments();
	struct variant v = { .header = "" };

	cr_assert(variant_measure(&v, &all, 1006000 + VARIANT_DEAD_MS));
	cr_assert_not(variant_measure(&v, &all, 1006001 + VARIANT_DEAD_MS));
	all.target_s = 20;
	cr_assert(variant_measure(&v, &all, 1006000 + 60000));
	cr_assert_not(variant_measure(&v, &all, 1006000 + 60001));
	all.n = 0;
	v = (struct variant){ .header = "" };
	cr_assert_not(variant_measure(&v, &all, 1006000));
	cr_assert_not(variant_has_rate(&v));
	v.header = "AVERAGE-BANDWIDTH=1";
	cr_assert_not(variant_has_rate(&v));
	v.header = "X=1,BANDWIDTH=1";
	cr_assert(variant_has_rate(&v));
}

Test(variant, the_header_replaces_what_was_measured)
{
	static const struct variant list[] = {
		{ .id = "a", .header = "", .peak_bps = 10, .average_bps = 5,
		  .independent = true },
		{ .id = "b", .header = "CODECS=\"x,y\",BANDWIDTH=7",
		  .peak_bps = 10, .average_bps = 5, .independent = true,
		  .codecs = "avc1.64001f", .width = 320, .height = 240 },
		{ .id = "c", .header = "BANDWIDTH=8" },
	};
	struct buf text = { 0 };

	variant_list_write(&text, &(struct variant_list){
		list, 2, "_HLS_skip=YES&token=x", 0 });
	buf_append(&text, "", 1);
	cr_assert_str_eq((const char *)buf_head(&text),
		"#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-INDEPENDENT-SEGMENTS\n"
		"#EXT-X-STREAM-INF:BANDWIDTH=10,AVERAGE-BANDWIDTH=5\n"
		"../a/index.m3u8?token=x\n"
		"#EXT-X-STREAM-INF:AVERAGE-BANDWIDTH=5,RESOLUTION=320x240,"
		"CODECS=\"x,y\",BANDWIDTH=7\n../b/index.m3u8?token=x\n");
	buf_done(&text);
	variant_list_write(&text, &(struct variant_list){
		list + 2, 1, "_HLS_msn=7", 0xabc });
	buf_append(&text, "", 1);
	cr_assert_str_eq((const char *)buf_head(&text),
		"#EXTM3U\n#EXT-X-VERSION:3\n"
		"#EXT-X-STREAM-INF:BANDWIDTH=8\n../c/0000000000000abc.m3u8\n");
	buf_done(&text);
}
