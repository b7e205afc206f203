/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/guide_xmltv.h"

#include "common/base/fd.h"
#include "common/base/shared.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
	NOON_S = 1548158400, /* 2019-01-22 12:00 UTC */
	MEMORY = 1 << 20,
};

static struct guide *open_guide(void)
{
	return guide_new(&(struct guide_limits){
		.services = 8, .days = 7, .bytes = 1 << 20 });
}

/* An event of a minute, so many minutes after noon. */
static void add(struct guide *g, const char *stream, int pnr, unsigned minute,
		const char *texts)
{
	json_t *saved = json_pack("{s:s, s:i, s:{s:i, s:i, s:i, s:i, s:o}}",
		"stream", stream, "pnr", pnr, "event", "event_id", minute + 1,
		"start", (int)(NOON_S + minute * 60), "stop",
		(int)(NOON_S + minute * 60 + 60), "running_status", 0,
		"texts", json_loads(texts, 0, NULL));

	cr_assert(guide_load_event(g, saved, NOON_S));
	json_decref(saved);
}

static json_t *channel(const char *stream, const char *id)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s}", "stream", stream, "id",
			 id, "name", "News & \"more\"", "number", "7", "icon",
			 "http://h/a b.png");
}

struct result {
	unsigned parts;
	int error;
	uint64_t hash;
	size_t len;
	char *text;
};

/* channels is taken. */
static struct result write_all(struct guide *g, bool gzip, size_t size,
			       json_t *channels)
{
	int fd = shared_create("test", size);
	struct guide_xmltv *x = guide_xmltv_new(dup(fd), g, gzip, channels);
	struct result r = { 0 };
	int more;

	while ((more = guide_xmltv_run(x)) > 0)
		r.parts++;
	r.error = more;
	r.len = guide_xmltv_len(x);
	r.hash = guide_xmltv_hash(x);
	guide_xmltv_free(&x);
	r.text = calloc(1, r.len + 1);
	cr_assert_eq(pread(fd, r.text, r.len, 0), (ssize_t)r.len);
	fd_close(&fd);
	json_decref(channels);
	return r;
}

Test(guide_xmltv, has_channels_and_then_programmes)
{
	static const char wanted[] =
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<!DOCTYPE tv SYSTEM \"xmltv.dtd\">\n"
		"<tv generator-info-name=\"sluice\">\n"
		"  <channel id=\"a.tv\">\n"
		"    <display-name>News &#38; &#34;more&#34;</display-name>\n"
		"    <display-name>7</display-name>\n"
		"    <icon src=\"http://h/a b.png\"/>\n"
		"  </channel>\n"
		"  <programme start=\"20190122120100 +0000\" "
		"stop=\"20190122120200 +0000\" channel=\"a.tv\">\n"
		"    <title lang=\"en\">A &#60;b&#62;</title>\n"
		"    <title lang=\"qaa\">B</title>\n"
		"    <sub-title lang=\"en\">s</sub-title>\n"
		"    <desc lang=\"qaa\">d\ne</desc>\n"
		"  </programme>\n"
		"</tv>\n";
	struct guide *g = open_guide();
	struct result r;

	/* U+0001, U+0085, U+FFFE and a lone byte are no characters of it */
	add(g, "a", 1, 1,
	    "[{\"lang\":\"eng\",\"title\":\"A \\u0001<b>\\u0085\","
	    "\"summary\":\"\\ufffes\"},"
	    "{\"lang\":\"qaa\",\"title\":\"B\",\"details\":\"d\\ne\"}]");
	/* without a title */
	add(g, "a", 1, 2, "[{\"lang\":\"eng\",\"summary\":\"x\"}]");
	r = write_all(g, false, MEMORY,
		      json_pack("[o, s]", channel("a", "a.tv"), "x"));
	cr_assert_eq(r.error, 0);
	cr_assert_str_eq(r.text, wanted);
	free(r.text);
	guide_free(&g);
}

Test(guide_xmltv, an_event_has_categories_and_a_rating)
{
	struct guide *g = open_guide();
	json_t *saved = json_loads(
		"{\"stream\":\"a\",\"pnr\":1,\"event\":{\"event_id\":1,"
		"\"start\":1548158400,\"stop\":1548158460,\"running_status\":0,"
		"\"age\":16,\"contents\":[17,20,64,255],"
		"\"texts\":[{\"title\":\"t\"}]}}", 0, NULL);
	struct result r;

	cr_assert(guide_load_event(g, saved, NOON_S));
	json_decref(saved);
	r = write_all(g, false, MEMORY, json_pack("[o]", channel("a", "a")));
	cr_assert_not_null(strstr(r.text,
		"    <title>t</title>\n"
		"    <category lang=\"en\">Movie/Drama</category>\n"
		"    <category lang=\"en\">Detective/Thriller</category>\n"
		"    <category lang=\"en\">Comedy</category>\n"
		"    <category lang=\"en\">Sports</category>\n"
		"    <rating system=\"DVB\"><value>16</value></rating>\n"),
		"%s", r.text);
	free(r.text);
	guide_free(&g);
}

Test(guide_xmltv, services_of_a_stream_are_channels)
{
	struct guide *g = open_guide();
	struct result r;

	add(g, "m", 20, 1, "[{\"title\":\"twenty\"}]");
	add(g, "m", 3, 1, "[{\"title\":\"three\"}]");
	r = write_all(g, false, MEMORY, json_pack("[o]", channel("m", "m")));
	cr_assert_not_null(strstr(r.text, "<channel id=\"m.3\">"));
	cr_assert_not_null(strstr(r.text, "more&#34; 20</display-name>"));
	cr_assert_not_null(strstr(r.text,
		"channel=\"m.3\">\n    <title>three</title>"));
	cr_assert_not_null(strstr(r.text,
		"channel=\"m.20\">\n    <title>twenty</title>"));
	free(r.text);
	guide_free(&g);
}

/* Two streams of a channel: the first one with events has it. */
/* An SDT whose service 20 has the name "Bär", and 10 none. */
static bool name_services(struct guide *g, uint8_t version)
{
	static const uint8_t body[] = {
		0, 1, 0xff,
		0, 10, 0xfc, 0x80, 0,
		0, 20, 0xfc, 0x80, 12, 0x5f, 1, 0,
		0x48, 7, 1, 1, 'P', 3, 'B', 0xe4, 'r' };
	uint8_t section[SECTION_MAX];
	size_t len = build_table(section, &(struct build_table){
		.table_id = 0x42, .extension = 1, .version = version,
		.body = body, .len = sizeof body });

	return guide_take_sdt(g, "a", section, len);
}

Test(guide_xmltv, a_service_has_its_name_in_the_sdt)
{
	struct guide *g = open_guide();
	struct result r;

	guide_set_codepage(g, "a", TEXT_ISO_8859_1);
	add(g, "a", 20, 1, "[{\"lang\":\"\",\"title\":\"A\"}]");
	add(g, "a", 10, 1, "[{\"lang\":\"\",\"title\":\"B\"}]");
	cr_expect(name_services(g, 0));
	cr_expect_not(name_services(g, 0));
	cr_expect_not(name_services(g, 1), "the same names");
	r = write_all(g, false, MEMORY, json_pack("[o]", channel("a", "a")));
	cr_assert_not_null(strstr(r.text, "<display-name>B\xc3\xa4"
				  "r</display-name>"));
	cr_assert_not_null(strstr(r.text, "more&#34; 10</display-name>"));
	free(r.text);
	guide_free(&g);
}

Test(guide_xmltv, an_id_is_written_once)
{
	struct guide *g = open_guide();
	struct result r;

	add(g, "sd", 1, 1, "[{\"title\":\"of sd\"}]");
	add(g, "other", 1, 1, "[{\"title\":\"of other\"}]");
	r = write_all(g, false, MEMORY, json_pack("[o, o, o]",
		channel("hd", "one"), channel("sd", "one"),
		channel("other", "one")));
	cr_assert_not_null(strstr(r.text, "of sd"));
	cr_assert_null(strstr(r.text, "of other"));
	cr_assert_null(strstr(strstr(r.text, "<channel") + 1, "<channel"));
	free(r.text);
	guide_free(&g);
}

/* A stream may have the id of another one's service. */
Test(guide_xmltv, the_id_of_a_service_is_written_once)
{
	struct guide *g = open_guide();
	struct result r;

	add(g, "m", 3, 1, "[{\"title\":\"three\"}]");
	add(g, "m", 20, 1, "[{\"title\":\"twenty\"}]");
	add(g, "x", 1, 1, "[{\"title\":\"of x\"}]");
	for (int last = 0; last < 2; last++) {
		r = write_all(g, false, MEMORY, json_pack("[o, o, o]",
			channel(last ? "m" : "x", last ? "m" : "m.3"),
			channel("y", "m.4"),
			channel(last ? "x" : "m", last ? "m.3" : "m")));
		cr_assert_not_null(strstr(r.text, "id=\"m.3\""));
		cr_assert_null(strstr(strstr(r.text, "id=\"m.3\"") + 1,
				      "id=\"m.3\""));
		cr_assert_not_null(strstr(r.text, "three"));
		cr_assert_not_null(strstr(r.text, "twenty"));
		cr_assert_not_null(strstr(r.text, "id=\"m.4\""));
		cr_assert_null(strstr(r.text, "of x"));
		free(r.text);
	}
	guide_free(&g);
}

/* The message to the master has no larger numbers. */
Test(guide_xmltv, a_hash_is_no_larger_than_a_message_has)
{
	struct guide *g = open_guide();
	struct result r[8];
	char id[] = "a";

	for (size_t i = 0; i < ARRAY_LEN(r); i++) {
		id[0] = (char)('a' + i);
		r[i] = write_all(g, false, MEMORY,
				 json_pack("[o]", channel("a", id)));
		cr_assert_gt(r[i].hash, 0U);
		cr_assert_leq(r[i].hash, (uint64_t)INT64_MAX);
		for (size_t k = 0; k < i; k++)
			cr_assert_neq(r[i].hash, r[k].hash);
		free(r[i].text);
	}
	guide_free(&g);
}

static void fill(struct guide *g)
{
	for (unsigned i = 0; i < 2000; i++)
		add(g, "a", 1, i, "[{\"title\":\"The same long title\"}]");
}

Test(guide_xmltv, is_written_in_parts_between_which_streams_may_go)
{
	struct guide *g = open_guide();
	int fd = shared_create("test", MEMORY);
	json_t *channels = json_pack("[o, o]", channel("a", "a"),
				     channel("b", "b"));
	struct guide_xmltv *x;
	char *end;

	fill(g);
	add(g, "b", 1, 1, "[{\"title\":\"of b\"}]");
	x = guide_xmltv_new(dup(fd), g, false, channels);
	cr_assert_eq(guide_xmltv_run(x), 1);
	cr_assert_leq(guide_xmltv_len(x), 2U * GUIDE_XMLTV_PART);
	guide_remove_stream(g, "a");
	cr_assert_eq(guide_xmltv_run(x), 0);
	end = calloc(1, guide_xmltv_len(x) + 1);
	cr_assert_gt(pread(fd, end, guide_xmltv_len(x), 0), 0);
	cr_assert_not_null(strstr(end, "of b</title>\n  </programme>\n"
				       "</tv>\n"));
	free(end);
	guide_xmltv_free(&x);
	fd_close(&fd);
	json_decref(channels);
	guide_free(&g);
}

static char *unzip(const struct result *r, size_t len)
{
	z_stream z = { .next_in = (uint8_t *)r->text,
		       .avail_in = (uInt)r->len };
	char *text = calloc(1, len + 2);

	cr_assert_eq(inflateInit2(&z, 15 + 16), Z_OK);
	z.next_out = (uint8_t *)text;
	z.avail_out = (uInt)len + 1;
	cr_assert_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
	cr_assert_eq(z.total_out, len);
	(void)inflateEnd(&z);
	return text;
}

Test(guide_xmltv, gzip_has_the_same_text_and_another_hash)
{
	struct guide *g = open_guide();
	struct result plain, same, zip;
	char *text;

	fill(g);
	plain = write_all(g, false, MEMORY,
			  json_pack("[o]", channel("a", "a")));
	same = write_all(g, false, MEMORY,
			 json_pack("[o]", channel("a", "a")));
	zip = write_all(g, true, MEMORY, json_pack("[o]", channel("a", "a")));
	cr_assert_gt(plain.parts, 1U);
	cr_assert_eq(plain.hash, same.hash);
	cr_assert_neq(plain.hash, zip.hash);
	cr_assert_lt(zip.len, plain.len / 10);
	text = unzip(&zip, plain.len);
	cr_assert_str_eq(text, plain.text);
	free(text);
	free(plain.text);
	free(same.text);
	free(zip.text);
	guide_free(&g);
}

Test(guide_xmltv, a_small_memory_is_an_error)
{
	struct guide *g = open_guide();
	struct result r;

	fill(g);
	for (int gzip = 0; gzip < 2; gzip++) {
		r = write_all(g, gzip, 1000,
			      json_pack("[o]", channel("a", "a")));
		cr_assert_eq(r.error, -ENOSPC);
		free(r.text);
	}
	/* no list of channels */
	r = write_all(g, false, 1000, NULL);
	cr_assert_eq(r.error, 0);
	cr_assert_not_null(strstr(r.text, "<tv"));
	free(r.text);
	guide_free(&g);
}
