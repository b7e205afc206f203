/* SPDX-License-Identifier: GPL-3.0-or-later */
/* XMLTV into the guide: the rules, what is refused, and the way back. */
#include "worker/epg/import_feed.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/shared.h"
#include "worker/epg/guide_xmltv.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
	NOON_S = 1548158400, /* 2019-01-22 12:00 UTC */
	HOUR_S = 3600,
	MEMORY = 1 << 20,
	LONG = 4 << 20, /* bytes of a document */
};

static struct guide_import_counts last; /* of the last document */

static struct guide *open_guide(void)
{
	struct guide *g = guide_new(&(struct guide_limits){
		.services = 8, .days = 7, .bytes = 1 << 20, .imports = true });
	const uint16_t one = 7, two[] = { 1, 2 };

	guide_know_stream(g, "a", "a.tv");
	guide_set_programs(g, "a", &one, 1);
	guide_know_stream(g, "m", "");
	guide_set_programs(g, "m", two, 2);
	return g;
}

/* The bytes in pieces of this size.  0, or an error. */
static int import_bytes(struct guide *g, const void *bytes, size_t len,
			size_t piece, struct errmsg *error)
{
	struct import_feed *f = import_feed_new(g, NOON_S, LONG);
	struct guide_import_counts counts;
	struct buf b = { 0 };
	size_t at = 0;
	int r = 1;

	*error = (struct errmsg){ "" };
	while (r > 0) {
		size_t n = MIN(piece, len - at);

		buf_append(&b, (const char *)bytes + at, n);
		at += n;
		r = import_feed_run(f, &b, at == len, error);
	}
	while (r == 0 && import_feed_commit(f, &counts))
		continue;
	if (r == 0)
		last = counts;
	if (r == 0 && import_feed_refused(f) > 0)
		errmsg_set(error, "%s", import_feed_first_refusal(f));
	import_feed_free(&f);
	buf_done(&b);
	return r;
}

/* A document with these programmes. */
static char *document(const char *programmes)
{
	return xasprintf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			 "<!DOCTYPE tv SYSTEM \"xmltv.dtd\">\n<tv>\n%s</tv>\n",
			 programmes);
}

static int import(struct guide *g, const char *programmes,
		  struct errmsg *error)
{
	char *text = document(programmes);
	int r = import_bytes(g, text, strlen(text), 16384, error);

	free(text);
	return r;
}

static void import_well(struct guide *g, const char *programmes)
{
	struct errmsg error;

	cr_assert_eq(import(g, programmes, &error), 0, "%s", error.text);
	cr_assert_str_empty(error.text);
}

/* "start-stop title" of each event, in minutes after noon. */
static char *events_of(struct guide *g, const char *stream, uint16_t pnr)
{
	json_t *o = guide_read(g, stream, &(struct guide_span){
		.to_s = UINT32_MAX, .now_s = NOON_S, .pnr = pnr, .max = 100,
		.bytes = 1 << 20 });
	json_t *list = json_object_get(json_array_get(
		json_object_get(o, "services"), 0), "events"), *e;
	struct buf text = { 0 };
	char *copy;
	size_t i;

	json_array_foreach(list, i, e)
		buf_printf(&text, "%s%lld-%lld %s", i > 0 ? ", " : "",
			   (json_integer_value(json_object_get(e, "start")) -
			    NOON_S) / 60,
			   (json_integer_value(json_object_get(e, "stop")) -
			    NOON_S) / 60,
			   json_string_value(json_object_get(json_array_get(
				json_object_get(e, "texts"), 0), "title")));
	json_decref(o);
	copy = xasprintf("%.*s", (int)buf_len(&text),
			 buf_len(&text) > 0 ? (char *)buf_head(&text) : "");
	buf_done(&text);
	return copy;
}

static void assert_events(struct guide *g, const char *stream, uint16_t pnr,
			  const char *wanted)
{
	char *have = events_of(g, stream, pnr);

	cr_assert_str_eq(have, wanted);
	free(have);
}

#define AT(start, stop) "<programme channel=\"a.tv\" start=\"20190122" start \
	" +0000\" stop=\"20190122" stop " +0000\">"
#define OPEN(start) "<programme channel=\"a.tv\" start=\"20190122" start "\">"
#define TITLE(text) "<title>" text "</title></programme>\n"

Test(guide_import, programmes_replace_those_of_the_last_document)
{
	struct guide *g = open_guide();

	import_well(g, AT("1300", "1400") TITLE("B") AT("1200", "1300")
		    TITLE("A"));
	assert_events(g, "a", 7, "0-60 A, 60-120 B");
	/* a tab is a blank */
	import_well(g, AT("1230", "1300") TITLE("\tC\td"));
	assert_events(g, "a", 7, "30-60 C d");
	/* of no channel of the guide */
	import_well(g, "<programme channel=\"x\" start=\"2019012213\" "
		    "stop=\"2019012214\">" TITLE("D"));
	assert_events(g, "a", 7, "30-60 C d");
	guide_free(&g);
}

Test(guide_import, overlaps_gaps_and_missing_ends_follow_the_rule)
{
	struct guide *g = open_guide();

	/* an overlap, no end, a gap, twice the same start, no end at last */
	import_well(g, AT("1200", "1230") TITLE("A") AT("1220", "1240")
		    TITLE("B") OPEN("1240") TITLE("C") AT("1250", "1300")
		    TITLE("D") AT("1310", "1320") TITLE("E")
		    AT("1310", "1330") TITLE("F") OPEN("1340") TITLE("G"));
	assert_events(g, "a", 7, "0-20 A, 20-40 B, 40-50 C, 50-60 D, "
		      "70-90 F");
	cr_assert_eq(last.cut, 2);
	cr_assert_eq(last.endless, 1);
	cr_assert_eq(last.gaps, 2);
	guide_free(&g);
}

Test(guide_import, a_service_is_named_behind_the_channel)
{
	struct guide *g = open_guide();
	struct guide_counts c;

	import_well(g, "<programme channel=\"m.2\" start=\"2019012212\" "
		    "stop=\"2019012213\">" TITLE("two")
		    "<programme channel=\"m\" start=\"2019012212\" "
		    "stop=\"2019012213\">" TITLE("which?")
		    "<programme channel=\"m.9\" start=\"2019012212\" "
		    "stop=\"2019012213\">" TITLE("none"));
	assert_events(g, "m", 2, "0-60 two");
	assert_events(g, "m", 1, "");
	c = guide_count(g);
	cr_assert_eq(c.events, 1);
	guide_free(&g);
}

Test(guide_import, a_stream_without_tables_has_its_guide_already)
{
	struct guide *g = open_guide();
	const uint16_t number = 30;

	guide_know_stream(g, "late", "a.tv");
	import_well(g, AT("1200", "1300") TITLE("A"));
	/* two streams with one channel */
	assert_events(g, "a", 7, "0-60 A");
	assert_events(g, "late", 0, "0-60 A");
	guide_set_programs(g, "late", &number, 1);
	assert_events(g, "late", number, "0-60 A");
	guide_free(&g);
}

/* From noon on. */
static json_int_t first_id(struct guide *g)
{
	json_t *o = guide_read(g, "a", &(struct guide_span){
		.from_s = NOON_S, .to_s = UINT32_MAX, .now_s = NOON_S,
		.max = 1, .bytes = 1 << 20 });
	json_int_t id = json_integer_value(json_object_get(json_array_get(
		json_object_get(json_array_get(json_object_get(o, "services"),
					       0), "events"), 0), "event_id"));

	json_decref(o);
	return id;
}

Test(guide_import, what_is_over_stays)
{
	struct guide *g = open_guide();

	import_well(g, AT("1200", "1300") TITLE("A") AT("1300", "1400")
		    TITLE("B") AT("1400", "1500") TITLE("C"));
	/* only from 13:30 on */
	import_well(g, AT("1330", "1400") TITLE("D"));
	assert_events(g, "a", 7, "0-60 A, 90-120 D");
	guide_free(&g);
}

Test(guide_import, an_event_keeps_its_id)
{
	struct guide *g = open_guide(), *again = open_guide();
	json_int_t id;

	/* two within a minute */
	import_well(g, AT("120000", "120030") TITLE("A") AT("120030", "1300")
		    TITLE("B"));
	id = first_id(g);
	import_well(g, AT("110000", "120000") TITLE("Z") AT("120000", "1210")
		    TITLE("New"));
	cr_assert_eq(first_id(g), id);
	import_well(g, AT("120000", "1210") TITLE("New"));
	cr_assert_eq(first_id(g), id);
	import_well(again, AT("120000", "1210") TITLE("New"));
	cr_assert_eq(first_id(again), id);
	guide_free(&g);
	guide_free(&again);
}

Test(guide_import, what_is_too_old_too_far_or_too_much_is_omitted)
{
	struct guide *g = open_guide();

	import_well(g, AT("0800", "0859") TITLE("old") AT("0900", "0901")
		    TITLE("past")
		    "<programme channel=\"a.tv\" start=\"20190129130000\" "
		    "stop=\"20190129140000\">" TITLE("far"));
	assert_events(g, "a", 7, "-180--179 past");
	/* it begins an hour and seven days after noon */
	cr_assert_eq(last.later_s, NOON_S + HOUR_S + 1);
	import_well(g, AT("0800", "0859") TITLE("old"));
	cr_assert_eq(last.later_s, 0);
	guide_free(&g);
	g = guide_new(&(struct guide_limits){ .services = 1, .days = 7,
					      .bytes = 300, .imports = true });
	guide_know_stream(g, "a", "a.tv");
	import_well(g, AT("1200", "1300") TITLE("A") AT("1300", "1400")
		    TITLE("B") AT("1400", "1500") TITLE("C")
		    AT("1500", "1600") TITLE("D"));
	cr_assert_leq(guide_count(g).bytes, 300);
	cr_assert_gt(guide_count(g).dropped, 0);
	guide_free(&g);
}

/* --- refused --- */

struct hostile {
	const char *text; /* the whole document, or programmes */
	const char *wanted; /* error */
};

static char *deep(void)
{
	struct buf b = { 0 };
	char *text;

	for (unsigned i = 0; i < 40; i++)
		buf_printf(&b, "<tv>");
	text = xasprintf("%.*s", (int)buf_len(&b), (char *)buf_head(&b));
	buf_done(&b);
	return text;
}

Test(guide_import, a_hostile_document_is_refused_by_its_line)
{
	static const struct hostile cases[] = {
		{ "<tv>\n<programme>\n</tv>", "line 3: mismatched tag" },
		{ "<html/>", "line 1: the document is \"html\", not \"tv\"" },
		{ "<!DOCTYPE tv\n[\n<!ENTITY a \"b\">]><tv/>",
		  "line 2: DOCTYPE has declarations: they are refused" },
		{ "<!DOCTYPE tv [<!ENTITY % a SYSTEM \"file:///etc/passwd\">"
		  "%a;]><tv/>",
		  "line 1: DOCTYPE has declarations: they are refused" },
		{ "<!DOCTYPE tv SYSTEM \"xmltv.dtd\" [\n"
		  "<!ATTLIST x a CDATA \"b\">]><tv><x/></tv>",
		  "line 1: DOCTYPE has declarations: they are refused" },
		{ "<!DOCTYPE tv SYSTEM \"xmltv.dtd\">\n<tv>\n&x;</tv>",
		  "line 3: the entity \"x\" is not defined" },
		{ "<tv>&x;</tv>", "line 1: undefined entity" },
		{ "<?xml version=\"1.0\" encoding=\"nothing\"?><tv/>",
		  "line 1: unknown encoding" },
		{ "<tv>\xff</tv>", "line 1: not well-formed (invalid token)" },
		{ "<tv>\x01</tv>", "line 1: not well-formed (invalid token)" },
		{ "", "line 1: no element found" },
		{ "<tv>", "line 1: no element found" },
		{ "\x1f\x8bnothing", "gzip: unknown compression method" },
	};
	char *nested = deep();

	for (size_t i = 0; i <= ARRAY_LEN(cases); i++) {
		struct hostile c = { nested, "line 1: elements are nested "
					     "more than 16 deep" };
		struct guide *g = open_guide();
		struct errmsg error;

		if (i < ARRAY_LEN(cases))
			c = cases[i];
		import_well(g, AT("1200", "1300") TITLE("A"));
		/* whole, and byte by byte */
		for (size_t piece = 1; piece <= 16384; piece *= 16384) {
			cr_assert_eq(import_bytes(g, c.text, strlen(c.text),
						  piece, &error), -EINVAL,
				     "%s", c.wanted);
			cr_assert_str_eq(error.text, c.wanted);
		}
		assert_events(g, "a", 7, "0-60 A");
		guide_free(&g);
	}
	free(nested);
}

Test(guide_import, an_impossible_date_costs_its_programme)
{
	static const struct {
		const char *start, *stop, *wanted;
	} cases[] = {
		{ "20190230", "20190301", "start: \"20190230\" is no date" },
		{ "20191322", "20190301", "start: \"20191322\" is no date" },
		{ "2019012224", "2019012301", "start: \"2019012224\" is no "
					      "date" },
		{ "", "2019012301", "start: \"\" is no date" },
		{ "2019012212 +9900", "2019012301",
		  "start: \"2019012212 +9900\" is no date" },
		{ "2019012212", "20190122 MEZ", "stop: \"20190122 MEZ\" is no "
						"date" },
		{ "2019012212", "2019012212", "stop: \"2019012212\" is not "
					      "after the start" },
		{ "19690101", "19690102", "start: \"19690101\" is no date" },
		{ "21990101", "21990102", "start: \"21990101\" is no date" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct guide *g = open_guide();
		char *text = xasprintf(
			"<programme channel=\"a.tv\" start=\"%s\" stop=\"%s\">"
			TITLE("bad") AT("1200", "1300") TITLE("A"),
			cases[i].start, cases[i].stop);
		struct errmsg error;

		cr_assert_eq(import(g, text, &error), 0);
		cr_assert_str_eq(error.text + strlen("line 4: "),
				 cases[i].wanted);
		assert_events(g, "a", 7, "0-60 A");
		free(text);
		guide_free(&g);
	}
}

Test(guide_import, a_date_has_an_offset_and_may_be_short)
{
	struct guide *g = open_guide();

	import_well(g, "<programme channel=\"a.tv\" start=\"201901221300 "
		    "+0100\" stop=\"20190122060000 -0730\">" TITLE("A")
		    "<programme channel=\"a.tv\" start=\"2019012214 Z\" "
		    "stop=\"20190123\">" TITLE("B"));
	assert_events(g, "a", 7, "0-90 A, 120-720 B");
	guide_free(&g);
}

static uint8_t *zip(const void *text, size_t len, size_t *ret_len)
{
	z_stream z = { 0 };
	uint8_t *out;

	cr_assert_eq(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8,
				  Z_DEFAULT_STRATEGY), Z_OK);
	out = xmalloc(deflateBound(&z, len));
	z.next_in = (Bytef *)(uintptr_t)text;
	z.avail_in = (uInt)len;
	z.next_out = out;
	z.avail_out = (uInt)deflateBound(&z, len);
	cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	*ret_len = z.total_out;
	(void)deflateEnd(&z);
	return out;
}

Test(guide_import, reads_gzip_and_refuses_one_that_is_cut)
{
	struct guide *g = open_guide();
	char *text = document(AT("1200", "1300") TITLE("A"));
	struct errmsg error;
	size_t len;
	uint8_t *packed = zip(text, strlen(text), &len);

	for (size_t piece = 1; piece < 100; piece += 50)
		cr_assert_eq(import_bytes(g, packed, len, piece, &error), 0,
			     "%s", error.text);
	assert_events(g, "a", 7, "0-60 A");
	for (size_t cut = 2; cut < len; cut += 7)
		cr_assert_eq(import_bytes(g, packed, cut, 16384, &error),
			     -EINVAL);
	cr_assert_str_eq(error.text, "gzip: the file ends too early");
	assert_events(g, "a", 7, "0-60 A");
	free(packed);
	free(text);
	guide_free(&g);
}

/* A small file may become a document of gigabytes, or of none. */
Test(guide_import, a_document_has_a_limit_behind_gzip_too)
{
	char *text = xcalloc(1, 2 * LONG);
	struct guide *g = open_guide();
	struct errmsg error;
	size_t len;
	uint8_t *packed;

	memset(text, ' ', 2 * LONG);
	memcpy(text, "<tv>", 4);
	memcpy(text + 2 * LONG - 5, "</tv>", 5);
	packed = zip(text, 2 * LONG, &len);
	cr_assert_lt(len, LONG / 100);
	cr_assert_eq(import_bytes(g, packed, len, 16384, &error), -EINVAL);
	cr_assert_str_eq(error.text, "the document is longer than 4194304 "
				     "bytes");
	cr_assert_eq(import_bytes(g, text, 2 * LONG, 16384, &error), -EINVAL);
	cr_assert_str_eq(error.text, "the document is longer than 4194304 "
				     "bytes");
	free(packed);
	free(text);
	guide_free(&g);
}

Test(guide_import, a_tag_has_a_limit)
{
	struct guide *g = open_guide();
	size_t len = 4 << 20;
	char *text = xmalloc(len);
	struct errmsg error;

	memset(text, 'a', len);
	memcpy(text, "<tv><x y=\"", 10);
	cr_assert_eq(import_bytes(g, text, len, 65536, &error), -EINVAL);
	cr_assert_str_eq(error.text,
			 "line 1: a tag is longer than 1048576 bytes");
	free(text);
	guide_free(&g);
}

/* A document whose elements, or whose attributes, have so many names. */
static char *named(unsigned n, bool attributes)
{
	struct buf b = { 0 };
	char *text;

	buf_printf(&b, "<tv>");
	for (unsigned i = 0; i < n; i++)
		buf_printf(&b, attributes ? "<tv n%u=\"\"/>" : "<n%u/>", i);
	buf_printf(&b, "</tv>");
	text = xasprintf("%.*s", (int)buf_len(&b), (char *)buf_head(&b));
	buf_done(&b);
	return text;
}

Test(guide_import, names_have_a_limit)
{
	struct guide *g = open_guide();
	char *longest = xasprintf("<tv><%0256d/></tv>", 0), *text;
	struct errmsg error;

	/* with that of the document */
	for (int i = 0; i < 2; i++) {
		text = named(XMLTV_NAMES_MAX - 1, i == 1);
		cr_expect_eq(import_bytes(g, text, strlen(text), 16384,
					  &error), 0, "%s", error.text);
		free(text);
		text = named(XMLTV_NAMES_MAX, i == 1);
		cr_expect_eq(import_bytes(g, text, strlen(text), 16384,
					  &error), -EINVAL);
		cr_expect_str_eq(error.text, "line 1: has more than 1000 "
				 "names of elements and attributes");
		free(text);
	}
	longest[5] = 'n';
	cr_expect_eq(import_bytes(g, longest, strlen(longest), 16384,
				  &error), -EINVAL);
	cr_expect_str_eq(error.text,
			 "line 1: a name is longer than 255 bytes");
	free(longest);
	guide_free(&g);
}

/* --- the way back --- */

static char *export(struct guide *g)
{
	int fd = shared_create("test", MEMORY);
	json_t *channels = json_pack("[{s:s, s:s, s:s, s:s, s:s}]", "stream",
				     "a", "id", "a.tv", "name", "A", "number",
				     "", "icon", "");
	struct guide_xmltv *x = guide_xmltv_new(dup(fd), g, false, channels);
	char *text;
	int more;

	while ((more = guide_xmltv_run(x)) > 0)
		continue;
	cr_assert_eq(more, 0);
	text = xcalloc(1, guide_xmltv_len(x) + 1);
	cr_assert_eq(pread(fd, text, guide_xmltv_len(x), 0),
		     (ssize_t)guide_xmltv_len(x));
	guide_xmltv_free(&x);
	fd_close(&fd);
	json_decref(channels);
	return text;
}

Test(guide_import, what_it_wrote_as_xmltv_is_the_same_again)
{
	struct guide *g = open_guide(), *again = open_guide();
	struct errmsg error;
	char *text, *second;

	import_well(g, AT("1200", "1300")
		"<title lang=\"en-GB\">A &lt;b&gt; &#228;</title>"
		"<title lang=\"rus\">\xd0\x91</title>"
		"<sub-title lang=\"en\"> s </sub-title>"
		"<desc lang=\"de\">line\nline</desc>"
		"<credits><actor>x</actor></credits>"
		"<category lang=\"en\">movie</category>"
		"<category lang=\"en\">Comedy</category>"
		"<category lang=\"en\">unknown</category>"
		"<category lang=\"en\">News/Current affairs</category>"
		"<rating system=\"FSK\"><value>FSK 16</value></rating>"
		"<rating><value>12</value></rating></programme>\n"
		AT("1300", "1400") TITLE("B"));
	text = export(g);
	cr_assert_not_null(strstr(text, "<title lang=\"ru\">\xd0\x91</title>"),
			   "%s", text);
	cr_assert_not_null(strstr(text, "<category lang=\"en\">Movie/Drama"
		"</category>\n    <category lang=\"en\">Comedy</category>\n"
		"    <category lang=\"en\">News/Current affairs</category>"));
	cr_assert_not_null(strstr(text, "<value>12</value>"));
	cr_assert_eq(import_bytes(again, text, strlen(text), 100, &error), 0,
		     "%s", error.text);
	second = export(again);
	cr_assert_str_eq(second, text);
	free(text);
	free(second);
	guide_free(&g);
	guide_free(&again);
}
