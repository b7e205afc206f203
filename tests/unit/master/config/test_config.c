/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "master/config/config.h"
#include "common/document/document.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/config-XXXXXX";

static void set_up(void)
{
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	(void)close(fd);
}

static void tear_down(void)
{
	char revision[sizeof path + 2];

	(void)snprintf(revision, sizeof revision, "%s.1", path);
	(void)unlink(path);
	(void)unlink(revision);
}

TestSuite(config, .init = set_up, .fini = tear_down);

static void write_file(const char *text)
{
	FILE *f = fopen(path, "w");

	cr_assert_neq(fputs(text, f), EOF);
	cr_assert_eq(fclose(f), 0);
}

static json_t *read_file(void)
{
	struct errmsg error = { 0 };
	json_t *document = NULL;

	cr_assert_eq(document_load(path, &document, &error), 0, "%s",
	             error.text);
	return document;
}

static struct config *open_config(const char *file)
{
	struct errmsg error = { 0 };
	struct config *c = config_open(file, EV_DEFAULT, &error);

	cr_assert_not_null(c, "%s", error.text);
	return c;
}

static json_t *stream(const char *id, const char *name)
{
	return json_pack("{s:s, s:s}", "id", id, "name", name);
}

Test(config, starts_empty_when_there_is_no_file_yet)
{
	struct config *c;

	cr_assert_eq(unlink(path), 0);
	c = open_config(path);
	cr_assert_eq(json_object_size(config_document(c)), 0u);
	cr_assert_null(config_stream(c, "a"));
	cr_assert_null(config_setting(c, "control_port"));
	cr_assert_eq(config_gid(c), -1);
	config_close(&c);
	cr_assert_null(c);
	/* an unchanged configuration is not written */
	cr_assert_neq(access(path, F_OK), 0);
}

Test(config, lives_in_memory_without_a_file)
{
	struct config *c = open_config(NULL);

	config_put_stream(c, NULL, stream("a", "A"));
	config_set_gid(c, 466561);
	cr_assert_not_null(config_stream(c, "a"));
	cr_assert_eq(config_gid(c), 466561);
	config_close(&c);
}

Test(config, rejects_unusable_documents)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "", "line 1, column 0: " },
		{ "[]", "is not an object" },
		{ "{\"make_stream\": {}}", "make_stream: is not a list" },
		{ "{\"settings\": {\"control_port\": 8000}}",
		  "settings.control_port: 8000 is not a string: write "
		  "\"8000\" or \"<address>:8000\"" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct errmsg error = { 0 };
		char start[128];

		write_file(cases[i].text);
		cr_assert_null(config_open(path, EV_DEFAULT, &error));
		(void)snprintf(start, sizeof start, "%s: %s", path,
			       cases[i].error);
		cr_assert_eq(strncmp(error.text, start, strlen(start)), 0, "%s",
			     error.text);
	}
}

Test(config, keeps_unknown_keys)
{
	struct config *c;
	json_t *before, *after;

	write_file("{\"zz\": [1, null], \"make_stream\": [{\"id\": \"a\","
		   " \"_input\": [\"x\"], \"own\": {\"k\": 1.25}}, 5],"
		   " \"gid\": 466560, \"aa\": \"\\ud83d\\ude00\"}");
	before = read_file();
	c = open_config(path);
	config_touch(c);
	config_close(&c);
	after = read_file();
	cr_assert(json_equal(before, after));
	json_decref(before);
	json_decref(after);
}

Test(config, replaces_in_place_and_appends)
{
	static const char *const wanted[] = { "a", "B", "c", "d" };
	struct config *c;
	const json_t *list;

	write_file("{\"make_stream\": [{\"id\": \"a\"}, {\"id\": \"b\"},"
		   " {\"id\": \"c\"}]}");
	c = open_config(path);
	config_put_stream(c, "b", stream("B", "renamed"));
	config_put_stream(c, NULL, stream("d", "new"));
	cr_assert_null(config_stream(c, "b"));
	list = json_object_get(config_document(c), "make_stream");
	cr_assert_eq(json_array_size(list), ARRAY_LEN(wanted));
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
		cr_assert_eq(json_array_get(list, i),
			     config_stream(c, wanted[i]));
	config_close(&c);
}

Test(config, saves_at_the_end)
{
	struct config *c;
	json_t *saved;

	write_file("{}");
	c = open_config(path);
	config_put_stream(c, NULL, stream("a", "A"));
	config_close(&c);
	saved = read_file();
	cr_assert_eq(json_array_size(json_object_get(saved, "make_stream")),
		     1u);
	json_decref(saved);
}

Test(config, reads_settings)
{
	struct config *c;

	write_file("{\"settings\": {\"instance_name\": \"one\"}}");
	c = open_config(path);
	cr_assert_str_eq(json_string_value(config_setting(c,
							  "instance_name")),
			 "one");
	config_close(&c);
}
