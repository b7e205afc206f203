/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/m3u8.h"

#include "common/base/alloc.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void assert_text(struct m3u8_text t, const char *text)
{
	cr_assert(t.len == strlen(text) &&
		  (t.len == 0 || memcmp(t.data, text, t.len) == 0),
		  "\"%.*s\" is not \"%s\"", (int)t.len, t.data, text);
}

static struct m3u8 parse(const char *text)
{
	struct m3u8 l;
	struct errmsg error = { 0 };

	cr_assert_eq(m3u8_parse(text, strlen(text), &l, &error), 0, "%s",
		     error.text);
	return l;
}

Test(m3u8, reads_a_live_playlist)
{
	struct m3u8 l = parse("#EXTM3U\r\n#EXT-X-VERSION:3\r\n"
			      "#EXT-X-TARGETDURATION:6\r\n"
			      "#EXT-X-MEDIA-SEQUENCE:2680\r\n"
			      "#EXT-X-DISCONTINUITY-SEQUENCE:3\r\n\r\n"
			      "# a comment\r\n"
			      "#EXT-X-PROGRAM-DATE-TIME:2026-01-01\r\n"
			      "#EXTINF:5.96,First, of all\r\na.ts\r\n"
			      "#EXT-X-DISCONTINUITY\r\n"
			      "#EXTINF:6\r\n https://b.example/b.ts?x=1 \r\n"
			      "#EXT-X-GAP\r\n#EXTINF:6,\r\nc.ts");

	cr_assert(!l.master && !l.ended && !l.fragmented);
	cr_assert_eq(l.target_ms, 6000);
	cr_assert_eq(l.sequence, 2680);
	cr_assert_eq(l.n_segments, 3);
	assert_text(l.segments[0].uri, "a.ts");
	cr_assert_eq(l.segments[0].duration_ms, 5960);
	cr_assert(!l.segments[0].discontinuity && !l.segments[0].gap);
	assert_text(l.segments[1].uri, "https://b.example/b.ts?x=1");
	cr_assert(l.segments[1].discontinuity);
	cr_assert(l.segments[2].gap && !l.segments[2].discontinuity);
	m3u8_done(&l);
}

Test(m3u8, counts_segments_that_a_delta_update_skips)
{
	struct m3u8 l = parse("#EXTM3U\n#EXT-X-TARGETDURATION:4\n"
			      "#EXT-X-MEDIA-SEQUENCE:100\n"
			      "#EXT-X-SKIP:SKIPPED-SEGMENTS=20\n"
			      "#EXTINF:4,\na\n");

	cr_assert_eq(l.sequence, 120);
	m3u8_done(&l);
}

Test(m3u8, recognises_the_end_of_a_playlist)
{
	struct m3u8 l = parse("#EXTM3U\n#EXT-X-TARGETDURATION:1\n"
			      "#EXTINF:1,\na\n#EXT-X-ENDLIST\n");

	cr_assert(l.ended);
	m3u8_done(&l);
	l = parse("#EXTM3U\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXTINF:2.5,\na\n");
	cr_assert(l.ended);
	cr_assert_eq(l.target_ms, 2500);
	m3u8_done(&l);
	l = parse("#EXTM3U\n#EXT-X-PLAYLIST-TYPE:EVENT\n#EXTINF:1,\na\n");
	cr_assert(!l.ended);
	m3u8_done(&l);
}

/* uri NULL: in the variant's own segments. */
static void assert_sound(const struct m3u8 *l, size_t variant,
			 const char *wanted, const char *uri)
{
	const struct m3u8_audio *s =
		m3u8_audio_of(l, &l->variants[variant], wanted);

	cr_assert_not_null(s);
	assert_text(s->uri, uri != NULL ? uri : "");
}

Test(m3u8, reads_variants_and_audio_renditions)
{
	struct m3u8 l = parse(
		"\xef\xbb\xbf#EXTM3U\n"
		"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"in\",NAME=\"a\"\n"
		"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"in\",NAME=\"B\","
		"URI=\"b.m3u8\"\n"
		"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"out\",LANGUAGE=\"DE-at\","
		"AUTOSELECT=YES,URI=\"c.m3u8\"\n"
		"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"out\",LANGUAGE=\"en\","
		"DEFAULT=YES,AUTOSELECT=YES,URI=\"d.m3u8\"\n"
		"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"out\",LANGUAGE=\"fr\","
		"NAME=\"French\",URI=\"e.m3u8\"\n"
		"#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"out\",NAME=\"x\"\n"
		"#EXT-X-STREAM-INF:BANDWIDTH=1280000,CODECS=\"avc1,mp4a\""
		",AUDIO=\"in\"\nlow/index.m3u8\n"
		"#EXT-X-STREAM-INF:AUDIO=\"out\",BANDWIDTH=7680000\nhi.m3u8\n"
		"#EXT-X-STREAM-INF:BANDWIDTH=99\nmute.m3u8\n");

	cr_assert(l.master);
	cr_assert_eq(l.n_variants, 3);
	assert_text(l.variants[0].uri, "low/index.m3u8");
	cr_assert_eq(l.variants[0].bandwidth, 1280000);
	assert_sound(&l, 0, "", NULL);
	assert_sound(&l, 0, "B", "b.m3u8");
	cr_assert_eq(l.variants[1].bandwidth, 7680000);
	assert_sound(&l, 1, "", "d.m3u8");
	assert_sound(&l, 1, "de", "c.m3u8");
	assert_sound(&l, 1, "French", "e.m3u8");
	assert_sound(&l, 1, "fr", "e.m3u8");
	/* "eng" is another language than "en", "e" is none */
	assert_sound(&l, 1, "eng", "d.m3u8");
	assert_sound(&l, 1, "e", "d.m3u8");
	cr_assert_null(m3u8_audio_of(&l, &l.variants[2], "de"));
	m3u8_done(&l);
}

Test(m3u8, keys_hold_until_the_next_one)
{
	struct m3u8 l = parse(
		"#EXTM3U\n#EXTINF:1,\nclear.ts\n"
		"#EXT-X-KEY:METHOD=AES-128,URI=\"k1?a,b=c\"\n"
		"#EXTINF:1,\n1.ts\n#EXTINF:1,\n2.ts\n"
		"#EXT-X-KEY:METHOD=AES-128,URI=\"k2\",IV=0xA0f\n"
		"#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://x\","
		"KEYFORMAT=\"com.apple.streamingkeydelivery\"\n"
		"#EXTINF:1,\n3.ts\n"
		"#EXT-X-KEY:METHOD=NONE\n#EXTINF:1,\n4.ts\n"
		"#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k3\"\n#EXTINF:1,\n5.ts\n");

	cr_assert_eq(l.segments[0].key, 0);
	cr_assert_eq(l.segments[1].key, 1);
	cr_assert_eq(l.segments[2].key, 1);
	assert_text(l.keys[0].uri, "k1?a,b=c");
	cr_assert(!l.keys[0].has_iv);
	cr_assert_eq(l.segments[3].key, 2);
	cr_assert_eq(l.keys[1].method, M3U8_AES_128);
	cr_assert(l.keys[1].has_iv);
	cr_assert_eq(l.keys[1].iv[14], 0x0a);
	cr_assert_eq(l.keys[1].iv[15], 0x0f);
	cr_assert_eq(l.segments[4].key, 0);
	cr_assert_eq(l.segments[5].key, 3);
	cr_assert_eq(l.keys[2].method, M3U8_OTHER);
	assert_text(l.keys[2].name, "SAMPLE-AES");
	m3u8_done(&l);
}

Test(m3u8, a_byte_range_continues_the_previous_one)
{
	struct m3u8 l = parse("#EXTM3U\n"
			      "#EXT-X-BYTERANGE:100@50\n#EXTINF:1,\na\n"
			      "#EXT-X-BYTERANGE:30\n#EXTINF:1,\na\n"
			      "#EXTINF:1,\nb\n"
			      "#EXT-X-MAP:URI=\"init\"\n");

	cr_assert_eq(l.segments[0].range_at, 50);
	cr_assert_eq(l.segments[0].range_len, 100);
	cr_assert_eq(l.segments[1].range_at, 150);
	cr_assert_eq(l.segments[1].range_len, 30);
	cr_assert_eq(l.segments[2].range_len, 0);
	cr_assert(l.fragmented);
	m3u8_done(&l);
}

struct bad_case {
	const char *text;
	int err;
	const char *error;
};

static const struct bad_case bad[] = {
	{ "", -EINVAL, "begin" },
	{ "#EXTM3", -EINVAL, "begin" },
	{ "<html>", -EINVAL, "begin" },
	{ "#EXTM3U\n", -EINVAL, "neither" },
	{ "#EXTM3U\nhttp://a/b\n", -EINVAL, "line 2: a URI without" },
	{ "#EXTM3U\n#EXTINF:x,\na\n", -EINVAL, "\"x\" is not a number" },
	{ "#EXTM3U\n#EXTINF:-1,\na\n", -EINVAL, "\"-1\"" },
	{ "#EXTM3U\n#EXTINF:1.x,\na\n", -EINVAL, "duration" },
	{ "#EXTM3U\n#EXTINF:99999,\na\n", -EINVAL, "hour" },
	{ "#EXTM3U\n#EXTINF:,\na\n", -EINVAL, "number is missing" },
	{ "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:9999999999999999999\n", -EINVAL,
	  "not a number" },
	{ "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128\n", -EINVAL, "URI" },
	{ "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\n", -EINVAL,
	  "quotation" },
	{ "#EXTM3U\n#EXT-X-KEY:x\n", -EINVAL, "attribute" },
	{ "#EXTM3U\n#EXT-X-KEY:IV=0xg\n", -EINVAL, "hexadecimal" },
	{ "#EXTM3U\n#EXT-X-KEY:IV=0x000000000000000000000000000000000\n",
	  -EINVAL, "128 bits" },
	{ "#EXTM3U\n#EXT-X-BYTERANGE:10\n#EXTINF:1,\na\n", -EINVAL,
	  "without an offset" },
	{ "#EXTM3U\n#EXT-X-BYTERANGE:0@1\n", -EINVAL, "empty byte" },
	{ "#EXTM3U\n#EXT-X-I-FRAMES-ONLY\n", -ENOTSUP, "I-frame" },
	{ "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n", -EINVAL, "no variant" },
	{ "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na\n#EXTINF:1,\nb\n",
	  -EINVAL, "in one" },
};

Test(m3u8, names_the_error)
{
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct m3u8 l;
		struct errmsg error = { 0 };

		cr_expect_eq(m3u8_parse(bad[i].text, strlen(bad[i].text), &l,
					&error), bad[i].err, "%s", bad[i].text);
		cr_expect(strstr(error.text, bad[i].error) != NULL, "%s: %s",
			  bad[i].text, error.text);
	}
}

/* "#EXTM3U\n" and n times part. */
static char *repeat(const char *part, size_t n, size_t *ret_len)
{
	size_t len = strlen(part);
	char *text = xcalloc(1, 8 + n * len + 1);

	memcpy(text, "#EXTM3U\n", 8);
	for (size_t i = 0; i < n; i++)
		memcpy(text + 8 + i * len, part, len);
	*ret_len = 8 + n * len;
	return text;
}

static void assert_too_big(const char *part, size_t n)
{
	struct errmsg error = { 0 };
	struct m3u8 l;
	size_t len;
	char *text = repeat(part, n, &len);

	cr_assert_eq(m3u8_parse(text, len, &l, &error), -EFBIG, "%s",
		     error.text);
	free(text);
}

Test(m3u8, every_size_is_bounded)
{
	assert_too_big("x", M3U8_LINE_MAX + 1);
	assert_too_big("#\n", M3U8_SIZE_MAX / 2);
	assert_too_big("#EXTINF:1,\na\n", M3U8_SEGMENTS_MAX + 1);
}

Test(m3u8, ignores_variants_beyond_the_limit)
{
	size_t len;
	char *text = repeat("#EXT-X-STREAM-INF:BANDWIDTH=1\na\n",
			    M3U8_VARIANTS_MAX + 9, &len);
	struct m3u8 l = parse(text);

	cr_assert_eq(l.n_variants, M3U8_VARIANTS_MAX);
	m3u8_done(&l);
	free(text);
}

Test(m3u8, rejects_binary_data)
{
	static const char text[] = "#EXTM3U\n#EXTINF:1,\na\0b\n";
	struct m3u8 l;

	cr_assert_eq(m3u8_parse(text, sizeof text - 1, &l, NULL), -EINVAL);
}

Test(m3u8, is_recognised_by_its_first_bytes)
{
	cr_assert(m3u8_begins("#EXTM3U\n", 8));
	cr_assert(m3u8_begins("\xef\xbb\xbf#EXTM3U", 10));
	cr_assert(m3u8_begins("#EX", 3));
	cr_assert(m3u8_begins("\xef\xbb", 2));
	cr_assert(!m3u8_begins("G@\0", 3));
	cr_assert(!m3u8_begins("#EXTMXX", 7));
}
