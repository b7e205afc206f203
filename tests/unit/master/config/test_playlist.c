/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/playlist.h"

#include "common/base/util.h"
#include "master/config/play_conf.h"

#include <criterion/criterion.h>
#include <string.h>

static const char document[] =
	"{\"settings\":{\"playlist_arrange\":\"Type\","
	"\"http_play_tvg\":\"http://e/x.xml\","
	"\"http_play_logos\":\"http://l\"},"
	"\"make_stream\":["
	"{\"id\":\"z\",\"enable\":true},"
	"{\"id\":\"b\",\"enable\":true,\"name\":\"B & \\\"C\\\", D\\r\\n#X\","
	"\"lcn\":\"7\",\"groups\":{\"Type\":\"N, \\\"e\\\"\"}},"
	"{\"id\":\"off\",\"enable\":false,\"name\":\"Off\"},"
	"{\"id\":\"no\",\"enable\":true,\"name\":\"No\"},"
	"{\"id\":\"a\",\"enable\":true,\"name\":\"<A>\",\"lcn\":30,"
	"\"xmltv_id\":\"a.tv\",\"groups\":{\"Other\":\"x\"}}]}";

static const struct play_conf ts = { .ts = true };
static const struct play_conf hls = { .hls = true };

static bool may_watch(const json_t *stream, void *arg)
{
	(void)arg;
	return strcmp(json_string_value(json_object_get(stream, "id")),
		      "no") != 0;
}

static void expect(enum playlist_format format, const struct play_conf *play,
		   const char *wanted)
{
	json_t *parsed = json_loads(document, 0, NULL);
	struct buf text = { 0 };

	cr_assert_not_null(parsed);
	playlist_write(&text, parsed, &(struct playlist_request){
		.format = format,
		.play = play,
		.base = "http://h:1",
		.query = "?token=1&auth=2",
		.may_watch = may_watch,
	});
	buf_append(&text, "", 1);
	cr_expect_str_eq((const char *)buf_head(&text), wanted);
	buf_done(&text);
	json_decref(parsed);
}

Test(playlist, is_m3u8_in_the_order_of_numbers_and_names)
{
	expect(PLAYLIST_M3U8, &ts,
	       "#EXTM3U url-tvg=\"http://e/x.xml\"\n"
	       "#EXTINF:-1 tvg-id=\"b\" tvg-name=\"B & 'C'  D  #X\" "
	       "tvg-logo=\"http://l/B%20%26%20%22C%22%2C%20D%0D%0A%23X.png\" "
	       "tvg-chno=\"7\" group-title=\"N  'e'\","
	       "B & \"C\", D  #X\n"
	       "http://h:1/play/b?token=1&auth=2\n"
	       "#EXTINF:-1 tvg-id=\"a.tv\" tvg-name=\"<A>\" "
	       "tvg-logo=\"http://l/%3CA%3E.png\" tvg-chno=\"30\",<A>\n"
	       "http://h:1/play/a?token=1&auth=2\n"
	       "#EXTINF:-1 tvg-id=\"z\" tvg-name=\"z\" "
	       "tvg-logo=\"http://l/z.png\",z\n"
	       "http://h:1/play/z?token=1&auth=2\n");
}

Test(playlist, is_xspf_with_escapes_of_xml)
{
	expect(PLAYLIST_XSPF, &hls,
	       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	       "<playlist version=\"1\" xmlns=\"http://xspf.org/ns/0/\">\n"
	       "  <trackList>\n"
	       "    <track>\n      <location>http://h:1/play/b/index.m3u8"
	       "?token=1&#38;auth=2</location>\n"
	       "      <title>B &#38; &#34;C&#34;, D  #X</title>\n"
	       "      <image>http://l/B%20%26%20%22C%22%2C%20D%0D%0A%23X.png"
	       "</image>\n    </track>\n"
	       "    <track>\n      <location>http://h:1/play/a/index.m3u8"
	       "?token=1&#38;auth=2</location>\n"
	       "      <title>&#60;A&#62;</title>\n"
	       "      <image>http://l/%3CA%3E.png</image>\n    </track>\n"
	       "    <track>\n      <location>http://h:1/play/z/index.m3u8"
	       "?token=1&#38;auth=2</location>\n"
	       "      <title>z</title>\n"
	       "      <image>http://l/z.png</image>\n    </track>\n"
	       "  </trackList>\n</playlist>\n");
}

Test(playlist, has_the_address_of_the_guide_of_the_service)
{
	json_t *parsed = json_loads("{\"settings\":{}}", 0, NULL);
	struct buf text = { 0 };

	playlist_write(&text, parsed, &(struct playlist_request){
		.play = &ts, .base = "http://h:1", .query = "?token=1",
		.guide = true });
	buf_append(&text, "", 1);
	cr_expect_str_eq((const char *)buf_head(&text), "#EXTM3U "
			 "url-tvg=\"http://h:1/epg.xml.gz?token=1\"\n");
	buf_done(&text);
	json_decref(parsed);
}

Test(playlist, has_the_channels_of_a_guide)
{
	json_t *parsed = json_loads(document, 0, NULL);
	json_t *list = playlist_channels(parsed, &(struct playlist_request){
		.may_watch = may_watch });
	json_t *wanted = json_pack(
		"[{s:s, s:s, s:s, s:s, s:s}, {s:s, s:s, s:s, s:s, s:s}, "
		"{s:s, s:s, s:s, s:s, s:s}]",
		"stream", "b", "id", "b", "name", "B & \"C\", D\r\n#X",
		"number", "7", "icon",
		"http://l/B%20%26%20%22C%22%2C%20D%0D%0A%23X.png",
		"stream", "a", "id", "a.tv", "name", "<A>", "number", "30",
		"icon", "http://l/%3CA%3E.png",
		"stream", "z", "id", "z", "name", "z", "number", "", "icon",
		"http://l/z.png");

	cr_expect(json_equal(list, wanted));
	json_decref(wanted);
	json_decref(list);
	json_decref(parsed);
}

Test(playlist, has_the_address_of_a_valid_host)
{
	static const struct {
		const char *host, *base, *with_port;
	} hosts[] = {
		{ "tv.example.org", "http://tv.example.org",
		  "http://tv.example.org:8200" },
		{ "192.0.2.1:8000", "http://192.0.2.1:8000",
		  "http://192.0.2.1:8200" },
		{ "[2001:db8::1]:80", "http://[2001:db8::1]:80",
		  "http://[2001:db8::1]:8200" },
		{ "[::1]", "http://[::1]", "http://[::1]:8200" },
		{ NULL, NULL, NULL }, { "", NULL, NULL },
		{ "a b", NULL, NULL }, { "a/b", NULL, NULL },
		{ "u@h", NULL, NULL }, { "h:80x", NULL, NULL },
		{ "[::1", NULL, NULL }, { "h\"", NULL, NULL },
		{ "[]x", NULL, NULL },
	};
	struct play_conf port = { .ts = true, .has_port = true };
	char base[PLAYLIST_BASE_MAX];

	cr_assert_eq(sockaddr_parse("0.0.0.0", 8200, &port.port), 0);
	for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
		bool valid = hosts[i].base != NULL;

		cr_expect_eq(playlist_base(base, hosts[i].host, false, &ts),
			     valid, "%s", hosts[i].host);
		if (!valid)
			continue;
		cr_expect_str_eq(base, hosts[i].base);
		cr_expect(playlist_base(base, hosts[i].host, false, &port));
		cr_expect_str_eq(base, hosts[i].with_port);
	}
}

Test(playlist, keeps_a_token_in_percent_encoding)
{
	char query[PLAYLIST_QUERY_MAX] = "", large[PLAYLIST_QUERY_MAX];

	playlist_query_add(query, "token", "a b&c=\"\r\n");
	playlist_query_add(query, "auth", "u:p");
	cr_assert_str_eq(query, "?token=a%20b%26c%3D%22%0D%0A&auth=u%3Ap");
	memset(large, 'x', sizeof large - 1);
	large[sizeof large - 1] = '\0';
	playlist_query_add(query, "token", large);
	cr_assert_str_eq(query, "?token=a%20b%26c%3D%22%0D%0A&auth=u%3Ap");
}
