/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/json_path.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static json_t *sample(void)
{
	json_t *root = json_loads(
		"{\"s\": {\"a.b\": 1, \"c\": {\"d\": 2}},"
		" \"l\": [{\"id\": \"x\", \"n\": [5, 6]},"
		"         {\"id\": \"0\", \"n\": 7}]}", 0, NULL);

	cr_assert_not_null(root);
	return root;
}

/* The value at the path, as text; "-" for nothing. */
static void finds(const char *text, const char *want)
{
	json_t *root = sample();
	struct errmsg why;
	struct json_path path;
	json_t *found;
	char *got;

	cr_assert_eq(json_path_parse(text, &path, &why), 0, "%s", why.text);
	found = json_path_get(&path, path.n_steps, root);
	got = found ? json_dumps(found, JSON_ENCODE_ANY | JSON_COMPACT)
		    : strdup("-");
	cr_assert_str_eq(got, want);
	free(got);
	json_path_done(&path);
	json_decref(root);
}

Test(json_path, finds_keys_ids_and_positions)
{
	finds("s.c.d", "2");
	finds("s[a.b]", "1");
	finds("s[c][d]", "2");
	finds("l[x].n[1]", "6");
	finds("l.x.n.0", "5");
	finds("l[1].n", "7");
	finds("l[0].n", "7"); /* an id goes before a position */
	finds("l[2]", "-");
	finds("l[y]", "-");
	finds("s.c.d.e", "-");
	finds("nothing.at.all", "-");
}

Test(json_path, an_empty_path_is_the_whole_document)
{
	struct json_path path;
	struct errmsg why;

	cr_assert_eq(json_path_parse("", &path, &why), 0);
	cr_assert_eq(path.n_steps, 0);
	json_path_done(&path);
	cr_assert_eq(json_path_parse(".", &path, &why), 0);
	cr_assert_eq(path.n_steps, 0);
	json_path_done(&path);
}

Test(json_path, rejects_an_invalid_path)
{
	static const char *const wrong[] = {
		"a..b", "a[", "a[b", "a[]", "a.", "[a]b", "a[b]c", "..",
		"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q",
	};
	struct json_path path;
	struct errmsg why;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		why.text[0] = '\0';
		cr_assert_eq(json_path_parse(wrong[i], &path, &why), -EINVAL,
			     "%s", wrong[i]);
		cr_assert_neq(why.text[0], '\0');
	}
}

static void puts_value(const char *text, const char *value, int r,
		       const char *want)
{
	json_t *root = sample(), *expected;
	json_t *v = value ? json_loads(value, JSON_DECODE_ANY, NULL) : NULL;
	struct json_path path;
	struct errmsg why;

	cr_assert_eq(json_path_parse(text, &path, &why), 0);
	cr_assert_eq(json_path_put(&path, root, v, &why), r, "%s", text);
	if (want != NULL) {
		expected = json_loads(want, 0, NULL);
		cr_assert(json_equal(root, expected), "%s: %s", text,
			  json_dumps(root, 0));
		json_decref(expected);
	}
	json_path_done(&path);
	json_decref(v);
	json_decref(root);
}

#define L "\"l\":[{\"id\":\"x\",\"n\":[5,6]},{\"id\":\"0\",\"n\":7}]"
#define S "\"s\":{\"a.b\":1,\"c\":{\"d\":2}}"

Test(json_path, puts_replaces_and_removes)
{
	puts_value("s.c", "3", 0, "{\"s\":{\"a.b\":1,\"c\":3}," L "}");
	puts_value("new", "[]", 0, "{" S "," L ",\"new\":[]}");
	puts_value("s", NULL, 0, "{" L "}");
	puts_value("l[x]", NULL, 0, "{" S ",\"l\":[{\"id\":\"0\",\"n\":7}]}");
	puts_value("l[0].n", "8", 0, "{" S ",\"l\":[{\"id\":\"x\",\"n\":[5,6]},"
		   "{\"id\":\"0\",\"n\":8}]}");
}

Test(json_path, appends_an_element_by_its_id_or_the_next_number)
{
	puts_value("l[z]", "{\"id\":\"z\"}", 0, NULL);
	puts_value("l[2]", "{\"a\":1}", 0, NULL);
	puts_value("l[z]", "{\"id\":\"y\"}", -ENOENT, NULL);
	puts_value("l[3]", "{\"a\":1}", -ENOENT, NULL);
}

Test(json_path, does_not_create_missing_parents)
{
	puts_value("no.way", "1", -ENOENT, "{" S "," L "}");
	puts_value("s.c.d.e", "1", -ENOENT, "{" S "," L "}");
	puts_value("s.gone", NULL, -ENOENT, "{" S "," L "}");
}

Test(json_path, an_error_names_the_step_that_is_missing)
{
	static const struct {
		const char *place, *value, *error;
	} cases[] = {
		{ "make_stream[zzz].name", "\"x\"",
		  "no stream has the id \"zzz\"" },
		{ "make_stream[q1]", "{\"name\":\"x\"}",
		  "no entry has the id \"q1\": a new one contains \"id\": "
		  "\"q1\"" },
		{ "make_stream[q1]", NULL, "no stream has the id \"q1\"" },
		{ "l[y].n", "1", "l has no entry with the id or the position "
				 "\"y\"" },
		{ "s.x.y", "1", "s: there is no \"x\"" },
		{ "t.x.y", "1", "there is no \"t\"" },
		{ "s.c.d.e", "1", "d is not an object: it has no \"e\"" },
		{ "s.\xff", "1", "a key that is not UTF-8 cannot be set" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *root = sample();
		json_t *value = cases[i].value == NULL
					? NULL
					: json_loads(cases[i].value,
						     JSON_DECODE_ANY, NULL);
		struct errmsg error = { 0 };
		struct json_path path;

		(void)json_object_set_new(root, "make_stream", json_array());
		cr_assert_eq(json_path_parse(cases[i].place, &path, &error),
			     0);
		cr_expect_lt(json_path_put(&path, root, value, &error), 0);
		cr_expect_str_eq(error.text, cases[i].error);
		json_path_done(&path);
		json_decref(value);
		json_decref(root);
	}
}
