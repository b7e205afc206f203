/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings about the streams of nit_other. */
#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/util.h"
#include "master/config/check.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define A "make_stream[7]"

/* A multiplex of two inputs of network 2, which uses tsid. */
#define MUX(id, set_tsid, tsid) \
	"{\"id\": \"" #id "\", \"enable\": true, \"type\": \"mpts\", " \
	"\"bitrate\": 9000, \"onid\": 2, \"set_tsid\": " set_tsid ", " \
	"\"tsid\": " tsid ", \"input\": [\"udp://127.0.0.1:5001\", " \
	"\"udp://127.0.0.1:5002\"]}"

static void found(enum check_severity severity, const char *path,
		  const char *text, void *arg)
{
	if (strstr(path, "nit_other") == NULL)
		return;
	cr_expect_eq(severity, CHECK_WARNING);
	buf_printf(arg, "%s: %s\n", path, text);
}

/* The findings of stream a with these keys, beside others. */
static void expect(const char *keys, const char *expected)
{
	json_t *document = json_loads(
		"{\"make_stream\": ["
		"{\"id\": \"b\", \"enable\": true, \"set_tsid\": 7, "
		"\"nit\": \"own\"}, "
		"{\"id\": \"c\", \"enable\": true, \"set_tsid\": 7, "
		"\"nit\": \"own\", \"onid\": 2}, "
		"{\"id\": \"d\", \"enable\": true}, "
		MUX(f, "7", "9") ", " MUX(g, "9", "7") ", "
		"{\"id\": \"h\", \"enable\": true, \"set_tsid\": 10, "
		"\"bitrate\": 9000}, "
		"{\"id\": \"e\", \"enable\": false, \"set_tsid\": 9}]}",
		0, NULL);
	json_t *list = json_object_get(document, "make_stream"), *a;
	struct buf text = { 0 };

	cr_assert_not_null(list);
	a = json_loads(keys, 0, NULL);
	cr_assert_not_null(a, "%s", keys);
	(void)json_object_set_new(a, "id", json_string("a"));
	(void)json_object_set_new(a, "enable", json_true());
	(void)json_object_set_new(a, "nit", json_string("own"));
	(void)json_array_append_new(list, a);
	(void)check_document(document, NULL, found, &text);
	buf_append(&text, "", 1);
	cr_expect_str_eq((const char *)buf_head(&text), expected, "%s: %s",
			 keys, (const char *)buf_head(&text));
	buf_done(&text);
	json_decref(document);
}

Test(check_others, each_is_there_and_has_a_transport_stream_of_its_own)
{
	expect("{\"set_tsid\": 8, \"nit_other\": [\"b\", \"c\"]}", "");
	expect("{\"set_tsid\": 8, \"nit_other\": [\"a\", \"x\", \"e\", \"d\"]}",
	       A ".nit_other[0]: is the stream itself\n"
	       A ".nit_other[1]: there is no stream \"x\"\n"
	       A ".nit_other[2]: stream \"e\" is disabled\n"
	       A ".nit_other[3]: stream \"d\" has no set_tsid: no table "
	       "lists it\n");
	expect("{\"set_tsid\": 7, \"onid\": 2, \"nit_other\": [\"b\", \"c\"]}",
	       A ".nit_other[1]: stream \"c\" has tsid 7 and onid 2, as stream "
		 "\"a\": set another set_tsid or onid\n");
}

/* Their SDT have networks that may differ. */
Test(check_others, without_onid_may_have_equal_transport_streams)
{
	expect("{\"set_tsid\": 7, \"nit_other\": [\"c\", \"b\"]}", "");
	expect("{\"set_tsid\": 7, \"onid\": 1, \"nit_other\": [\"b\"]}", "");
}

Test(check_others, a_multiplex_is_named_by_its_tsid)
{
	expect("{\"set_tsid\": 8, \"nit_other\": [\"c\", \"f\", \"h\"]}", "");
	expect("{\"set_tsid\": 8, \"nit_other\": [\"c\", \"g\"]}",
	       A ".nit_other[1]: stream \"g\" has tsid 7 and onid 2, as stream "
		 "\"c\": set another tsid or onid\n");
}

Test(check_others, own_eit_have_room_for_their_services)
{
	char *keys = xcalloc(1, 1 << 16), *p = keys;
	json_t *streams = json_array(), *document;
	json_t *others = json_array(), *stream;
	struct buf text = { 0 };

	p += sprintf(p, "{\"sdt\": [");
	for (unsigned i = 1; i <= 125; i++)
		p += sprintf(p, "%s{\"pnr\": %u}", i > 1 ? ", " : "", i);
	(void)sprintf(p, "], \"enable\": true, \"nit\": \"own\"}");
	for (int i = 0; i < 9; i++) {
		char id[] = { (char)('a' + i), '\0' };

		stream = json_loads(keys, 0, NULL);
		cr_assert_not_null(stream);
		(void)json_object_set_new(stream, "id", json_string(id));
		(void)json_object_set_new(stream, "set_tsid",
					  json_integer(i + 1));
		(void)json_array_append_new(streams, stream);
		if (i < 8)
			(void)json_array_append_new(others, json_string(id));
	}
	(void)json_object_set_new(stream, "eit_other", json_string("all"));
	(void)json_object_set(stream, "nit_other", others);
	document = json_pack("{s:O}", "make_stream", streams);
	(void)check_document(document, NULL, found, &text);
	buf_append(&text, "", 1);
	cr_expect_str_eq((const char *)buf_head(&text),
			 "make_stream[8].nit_other: the streams in it and this "
			 "stream have 1125 services: own EIT are sent of only "
			 "1000 of them\n");
	buf_done(&text);
	free(keys);
	json_decref(others);
	json_decref(streams);
	json_decref(document);
}

static void found_any(enum check_severity severity, const char *path,
		      const char *text, void *arg)
{
	(void)severity;
	buf_printf(arg, "%s: %s\n", path, text);
}

/* The streams that list it follow later. */
Test(check_others, a_stream_with_a_new_id_is_listed_by_the_one_before)
{
	json_t *document = json_loads("{\"make_stream\": ["
		"{\"id\": \"b\", \"enable\": true, \"nit\": \"own\", "
		"\"set_tsid\": 8, \"nit_other\": [\"a\"]}, "
		"{\"id\": \"a\", \"enable\": true, \"set_tsid\": 7}]}", 0,
		NULL);
	json_t *stream = json_loads("{\"id\": \"new\", \"enable\": true, "
		"\"type\": \"spts\", \"set_tsid\": 7, \"onid\": 3, "
		"\"input\": [\"udp://127.0.0.1:5000\"], \"output\": []}",
		0, NULL);
	struct check_place place = { .path = "stream", .document = document,
				     .self = "a" };
	struct buf text = { 0 };

	cr_assert(document != NULL && stream != NULL);
	cr_expect_eq(check_stream(stream, &place, found_any, &text), 0);
	cr_expect_eq(buf_len(&text), 0, "%.*s", (int)buf_len(&text),
		     (const char *)buf_head(&text));
	/* a new stream is in no list */
	place.self = NULL;
	cr_expect_eq(check_stream(stream, &place, found_any, &text), 0);
	cr_expect_gt(buf_len(&text), 0);
	buf_done(&text);
	json_decref(document);
	json_decref(stream);
}
