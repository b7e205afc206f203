/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "ctl/diff_effect.h"
#include "tests/unit/quoted.h"

#include <criterion/criterion.h>

static const char list[] =
	"{'id':'list','enable':true,'input':['file:///v/day#list']}";

/* A document with these streams. */
static json_t *document(const char *more)
{
	char text[1024];

	(void)snprintf(text, sizeof text, "{'make_stream':[%s%s]}", list, more);
	return quoted(text);
}

static enum diff_effect effect(const char *before, const char *after)
{
	json_t *from = document(before), *to = document(after);
	enum diff_effect is = diff_effect_of(from, to, "list");

	json_decref(from);
	json_decref(to);
	return is;
}

/* Its worker has no access to the folders of recordings. */
Test(diff_effect, a_list_restarts_with_a_new_folder_of_recordings)
{
	const char *none = ",{'id':'a','output':['udp://127.0.0.1:6000']}",
		   *one = ",{'id':'a','output':['file:///r/a.ts']}",
		   *same = ",{'id':'a','output':['file:///r/b.ts']}",
		   *other = ",{'id':'a','output':['file:///s/a.ts']}";

	cr_assert_eq(effect(none, none), DIFF_CONTINUES);
	cr_assert_eq(effect(none, one), DIFF_RESTARTS);
	cr_assert_eq(effect(one, same), DIFF_CONTINUES);
	cr_assert_eq(effect(one, other), DIFF_RESTARTS);
	cr_assert_eq(effect(other, none), DIFF_RESTARTS);
}

static json_t *with_key(const char *io, const char *key)
{
	char text[512];

	(void)snprintf(text, sizeof text,
		       "{'settings':{%s},"
		       "'make_stream':[{'id':'a','enable':true,%s}]}",
		       key, io);
	return quoted(text);
}

/* Its worker has no access to the private key. */
Test(diff_effect, a_file_restarts_with_another_file_of_the_key)
{
	static const struct {
		const char *io;
		enum diff_effect effect;
	} streams[] = {
		{ "'input':['file:///v/a.ts']", DIFF_RESTARTS },
		{ "'input':['udp://127.0.0.1:5000'],"
		  "'output':['file:///r/a.ts']", DIFF_RESTARTS },
		{ "'input':['udp://127.0.0.1:5000'],"
		  "'output':['udp://127.0.0.1:6000']", DIFF_CONTINUES },
	};
	static const struct {
		const char *before, *after;
		bool same;
	} keys[] = {
		{ "", "", true },
		{ "'crt_key':'/a.pem'", "'crt_key':'/a.pem'", true },
		{ "", "'crt_key':'/a.pem'", false },
		{ "'crt_key':'/a.pem'", "'crt_key':'/b.pem'", false },
		{ "'crt_key':'-----BEGIN A'", "'crt_key':'-----BEGIN B'",
		  true },
	};

	for (size_t i = 0; i < ARRAY_LEN(streams); i++)
		for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
			json_t *from = with_key(streams[i].io, keys[k].before),
			       *to = with_key(streams[i].io, keys[k].after);

			cr_assert_eq(diff_effect_of(from, to, "a"),
				     keys[k].same ? DIFF_CONTINUES
						  : streams[i].effect,
				     "stream %zu, keys %zu", i, k);
			json_decref(from);
			json_decref(to);
		}
}

Test(diff_effect, a_stream_without_a_list_continues_beside_a_recording)
{
	json_t *from = quoted("{'make_stream':[{'id':'a','enable':true,"
			      "'input':['udp://127.0.0.1:5000']}]}");
	json_t *to = json_deep_copy(from);

	(void)json_array_append_new(
		json_object_get(to, "make_stream"),
		quoted("{'id':'b','output':['file:///r/a.ts']}"));
	cr_assert_eq(diff_effect_of(from, to, "a"), DIFF_CONTINUES);
	json_decref(from);
	json_decref(to);
}

#define IN "'input':['udp://127.0.0.1:5000']"

/* The stream a of two documents, and what its change does. */
Test(diff_effect, depends_on_what_the_worker_of_the_stream_does)
{
	static const struct {
		const char *before, *after, *name;
	} cases[] = {
		{ "'enable':true," IN, "'enable':true,'name':'n'," IN,
		  "continues" },
		{ "'enable':true," IN, "'enable':true,'output':[]," IN,
		  "continues" },
		{ "'enable':true," IN,
		  "'enable':true,'output':['udp://127.0.0.1:6000']," IN,
		  "restarts" },
		{ "'enable':true," IN,
		  "'enable':true,'input':['udp://127.0.0.1:5001']",
		  "restarts" },
		{ "'enable':true," IN, "'enable':true,'cc_limit':3," IN,
		  "restarts" },
		{ "'enable':false," IN, "'enable':true," IN, "starts" },
		{ "'enable':true," IN, "'enable':false," IN, "stops" },
		{ "'enable':false," IN, "'enable':false,'cc_limit':3," IN,
		  "at-once" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[2][256];
		json_t *from, *to;

		(void)snprintf(text[0], sizeof text[0],
			       "{'make_stream':[{'id':'a',%s}]}",
			       cases[i].before);
		(void)snprintf(text[1], sizeof text[1],
			       "{'make_stream':[{'id':'a',%s}]}",
			       cases[i].after);
		from = quoted(text[0]);
		to = quoted(text[1]);
		cr_expect_str_eq(diff_effect_name(diff_effect_of(from, to,
								 "a")),
				 cases[i].name, "%zu", i);
		json_decref(from);
		json_decref(to);
	}
}

Test(diff_effect, of_a_path_is_that_of_its_stream_or_section)
{
	static const char *const cases[][2] = {
		{ "make_stream[a].cc_limit", "restarts" },
		{ "make_stream[a]", "restarts" },
		{ "make_stream[b].name", "continues" },
		{ "make_stream", "at-once" },
		{ "users.olga.type", "at-once" },
		{ "auth", "at-once" },
		{ "settings.x", "control-restarts" },
	};
	json_t *from = quoted("{'make_stream':[{'id':'a','enable':true," IN
			      "},{'id':'b','enable':true," IN "}]}");
	json_t *to = quoted("{'make_stream':[{'id':'a','enable':true," IN
			    ",'cc_limit':3},{'id':'b','enable':true,'name':'n',"
			    IN "}]}");

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *change = json_pack("{s:s}", "path", cases[i][0]);

		cr_expect_str_eq(diff_effect_name(diff_effect_of_change(
					 from, to, change)),
				 cases[i][1], "%s", cases[i][0]);
		json_decref(change);
	}
	json_decref(from);
	json_decref(to);
}
