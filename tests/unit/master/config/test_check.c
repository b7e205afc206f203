/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One valid configuration and every error in it: each mutation changes one
 * place, and exactly that place must be named.
 */
#include "common/base/util.h"
#include "master/config/check.h"
#include "master/config/check_file.h"
#include "common/document/document.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char sound[] =
	"{\"gid\": 466561, \"settings\": {\"control_port\": \"8000\","
	"\"control_path\":\"tv\",\"allow_real_ip\":false,\"own\":[1],"
	" \"instance_name\": \"one\", \"crt_chain\":\"\",\"crt_key\":\"\"},"
	" \"users\": {\"admin\":{\"type\":1,\"enable\":true,\"cipher\":\"$\"}},"
	" \"auth\": {}, \"log\": [], \"servers\": [{\"host\": \"h\"}],"
	"\"softcam\":[{\"id\":\"s\",\"name\":\"S\",\"type\":\"newcamd\","
	"\"host\":\"h\",\"port\":1,\"user\":\"u\",\"pass\":\"p\"}],"
	"\"dvb_tune\":[{\"id\":\"d\",\"type\":\"S\",\"enable\":false}],"
	"\"cas\":[{\"ecmg_channel_id\":1,\"ecmg_host\":\"h\",\"ecmg_port\":1}],"
	" \"categories\": [{\"name\": \"c\", \"groups\": [{\"name\": \"g\"}]}],"
	" \"unknown\": null, \"make_stream\": ["
	"{\"id\": \"a000\", \"name\": \"News\", \"type\": \"spts\","
	" \"enable\": true, \"input\": [\"udp://239.1.1.1:1234\","
	" \"file:///dev/null#loop\"], \"_input\": [5],"
	" \"output\": [\"http://0.0.0.0:8100/news\","
	" \"udp://239.2.2.2:1234\"], \"groups\": {\"c\": \"g\"},"
	" \"cas_list\": [], \"pmt_version\": 3, \"http_keep_active\": \"-1\"},"
	"{\"id\": \"b.-_Z\", \"type\": \"mpts\", \"enable\": false,"
	" \"input\": [\"stop://1.2.3.4:5\"], \"output\": [\"udp://1.2.3.4\"],"
	" \"pat_version\": 0, \"cat_version\": 1, \"nit_version\": 31},"
	"{\"id\": \"c\", \"type\": \"spts\", \"enable\": true,"
	" \"output\": [\"http://0.0.0.0:8100/other\"], \"groups\": []}]}";

/* The findings, one "path: text" a line, warnings marked. */
struct found {
	char text[8192];
	unsigned faults, warnings, fatal;
	char first[CHECK_PATH_MAX];
};

static void note(enum check_severity severity, const char *path,
		 const char *text, void *arg)
{
	struct found *f = arg;
	size_t len = strlen(f->text);

	(void)snprintf(f->text + len, sizeof f->text - len, "%s%s: %s\n",
		       severity == CHECK_WARNING ? "warning " : "", path,
		       text);
	if (severity == CHECK_WARNING) {
		f->warnings++;
		return;
	}
	if (f->faults++ == 0)
		(void)snprintf(f->first, sizeof f->first, "%s", path);
	if (severity == CHECK_FATAL)
		f->fatal++;
}

static json_t *parse(const char *text)
{
	struct errmsg error = { 0 };
	json_t *value = document_parse(text, strlen(text), &error);

	cr_assert_not_null(value, "%s: %s", text, error.text);
	return value;
}

/* The value at "make_stream[0].input[1]"'s parent, and the last step. */
static json_t *walk(json_t *at, const char *path, char *ret_key,
		    size_t *ret_index)
{
	char step[64];

	for (;;) {
		size_t len = strcspn(path, ".[");

		*ret_index = SIZE_MAX;
		if (*path == '[') {
			*ret_index = strtoul(path + 1, NULL, 10);
			len = strcspn(path, "]") + 1;
		}
		(void)snprintf(step, sizeof step, "%.*s", (int)len, path);
		path += len;
		if (*path == '\0')
			break;
		at = *ret_index != SIZE_MAX
			     ? json_array_get(at, *ret_index)
			     : json_object_get(at, step);
		if (*path == '.')
			path++;
	}
	(void)strcpy(ret_key, step);
	return at;
}

/* The sound document with the value (JSON text, NULL: deleted) at path. */
static json_t *mutate(const char *path, const char *value)
{
	json_t *document = parse(sound);
	char key[64];
	size_t index;
	json_t *parent = walk(document, path, key, &index);

	if (value == NULL)
		(void)json_object_del(parent, key);
	else if (index != SIZE_MAX)
		cr_assert_eq(json_array_set_new(parent, index, parse(value)),
			     0, "%s", path);
	else
		cr_assert_eq(json_object_set_new(parent, key, parse(value)),
			     0);
	return document;
}

/* The output of sluice -t for the document, and its status. */
static int check_as_file(const json_t *document, char *said, size_t size)
{
	char path[] = "/tmp/check-XXXXXX";
	int fd = mkstemp(path);
	size_t len;
	char *text = document_format(document, &len);
	char *lines = NULL;
	size_t lines_len;
	FILE *out = open_memstream(&lines, &lines_len);
	int code;

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, text, len), (ssize_t)len);
	code = check_file(path, NULL, 0, out, NULL);
	(void)fclose(out);
	/* the name of the file is not the same twice */
	said[0] = '\0';
	for (char *line = strtok(lines, "\n"); line != NULL;
	     line = strtok(NULL, "\n")) {
		cr_assert_eq(strncmp(line, path, strlen(path)), 0);
		len = strlen(said);
		(void)snprintf(said + len, size - len, "FILE%s\n",
			       line + strlen(path));
	}
	(void)close(fd);
	(void)unlink(path);
	free(text);
	free(lines);
	return code;
}

/* Exactly one error, at wanted, and -t names it. */
static void expect_fault(const char *path, const char *value,
			 const char *wanted)
{
	json_t *document = mutate(path, value);
	struct found f = { 0 };
	char said[8192], line[CHECK_PATH_MAX + 16], *told;

	cr_expect_eq(check_document(document, NULL, note, &f), 1u,
		     "%s = %s:\n%s", path, value, f.text);
	cr_expect_str_eq(f.first, wanted, "%s = %s:\n%s", path, value, f.text);
	cr_expect_eq(check_as_file(document, said, sizeof said), 78);
	(void)snprintf(line, sizeof line, "FILE: %s", wanted);
	told = strstr(said, line);
	cr_expect(told != NULL && strchr(": ", told[strlen(line)]) != NULL,
		  "%s:\n%s", wanted, said);
	cr_expect_not_null(strstr(said, "FILE: 1 error, "), "%s", said);
	json_decref(document);
}

Test(check, finds_nothing_in_a_sound_document)
{
	json_t *document = parse(sound);
	struct found f = { 0 };
	char said[1024];

	cr_assert_eq(check_document(document, NULL, note, &f), 0u, "%s",
		     f.text);
	cr_assert_str_eq(f.text,
			 "warning make_stream[1].input[0]: type \"stop\" is "
			 "not supported by this version\n");
	cr_assert_eq(check_as_file(document, said, sizeof said), 0);
	cr_assert_str_eq(said,
			 "FILE: make_stream[1].input[0] (b.-_Z): warning: "
			 "type \"stop\" is not supported by this version\n"
			 "FILE: warning: \"unknown\" is not known\n"
			 "FILE: settings: warning: \"own\" is not known\n"
			 "FILE: make_stream[2] (c): warning: is enabled and "
			 "does not run: input: the list is empty\n"
			 "FILE: ok, 4 warnings\n");
	json_decref(document);
}

/* Every JSON type, and which of them a place may hold. */
static const struct {
	const char *value;
	const char *forms; /* s string, b boolean, n number, w whole >= 0,
			    * l list, o object */
} values[] = {
	{ "\"text\"", "s" }, { "true", "b" },  { "false", "b" },
	{ "1.5", "n" },      { "-1", "n" },    { "null", "" },
	{ "{}", "o" },	     { "[]", "lo" },   { "7", "nw" },
};

static const struct {
	const char *path;
	char form;
} places[] = {
	{ "gid", 'w' },
	{ "settings", 'o' },
	{ "settings.control_path", 's' },
	{ "settings.allow_real_ip", 'b' },
	{ "settings.instance_name", 's' },
	{ "settings.tsdb_interval", 'n' },
	{ "settings.crt_chain", 's' },
	{ "settings.crt_key", 's' },
	{ "settings.http_server_name", 's' },
	{ "users", 'o' },
	{ "users.admin.enable", 'b' },
	{ "users.admin.token", 's' },
	{ "auth", 'o' },
	{ "log", 'o' },
	{ "servers", 'l' },
	{ "dvb_tune", 'l' },
	{ "softcam", 'l' },
	{ "cas", 'l' },
	{ "categories", 'l' },
	{ "make_stream", 'l' },
	{ "make_stream[0].enable", 'b' },
	{ "make_stream[0].name", 's' },
	{ "make_stream[0].input", 'l' },
	{ "make_stream[0].output", 'l' },
	{ "make_stream[0].groups", 'o' },
	{ "make_stream[0].cas_list", 'l' },
	{ "make_stream[0].pmt_version", 'w' },
	{ "make_stream[0].sdt_version", 'w' },
	{ "make_stream[1].pat_version", 'w' },
	{ "make_stream[1].cat_version", 'w' },
	{ "make_stream[1].nit_version", 'w' },
};

Test(check, names_every_place_that_holds_another_type)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		for (size_t k = 0; k < ARRAY_LEN(values); k++) {
			if (strchr(values[k].forms, places[i].form) != NULL)
				continue;
			expect_fault(places[i].path, values[k].value,
				     places[i].path);
			n++;
		}
	}
	cr_assert_gt(n, 190u);
}

static const struct {
	const char *path, *value, *wanted;
} faults[] = {
	{ "settings.control_port", "8000", "settings.control_port" },
	{ "settings.control_port", "\"\"", "settings.control_port" },
	{ "settings.control_port", "\"0\"", "settings.control_port" },
	{ "settings.control_port", "\"70000\"", "settings.control_port" },
	{ "settings.control_port", "\"http\"", "settings.control_port" },
	{ "settings.control_port", "\"1.2.3.4\"", "settings.control_port" },
	{ "settings.control_port", "\":8000\"", "settings.control_port" },
	{ "settings.control_port", "\"host:1\"", "settings.control_port" },
	{ "settings.control_port", "\"::1:80\"", "settings.control_port" },
	{ "settings.control_port", "\"lo@1.2.3.4:1\"",
	  "settings.control_port" },
	{ "settings.crt_chain", "\"/a\"", "settings.crt_key" },
	{ "settings.crt_key", "\"/a\"", "settings.crt_chain" },
	{ "settings.control_tls_only", "true", "settings.control_tls_only" },
	{ "settings.backup_start_delay", "-1", "settings.backup_start_delay" },
	{ "settings.backup_return_delay", "86401",
	  "settings.backup_return_delay" },
	{ "settings.cc_limit", "\"x\"", "settings.cc_limit" },
	{ "auth", "{\"enable\": 1}", "auth.enable" },
	{ "users.admin", "1", "users.admin" },
	{ "users.admin.type", "5", "users.admin.type" },
	{ "users.admin.conlimit", "\"x\"", "users.admin.conlimit" },
	{ "servers[0]", "1", "servers[0]" },
	{ "dvb_tune[0]", "\"a\"", "dvb_tune[0]" },
	{ "softcam[0]", "[]", "softcam[0]" },
	{ "cas[0]", "null", "cas[0]" },
	{ "categories[0]", "true", "categories[0]" },
	{ "make_stream[1]", "1", "make_stream[1]" },
	{ "make_stream[1]", "[]", "make_stream[1]" },
	{ "make_stream[0].id", NULL, "make_stream[0].id" },
	{ "make_stream[0].id", "5", "make_stream[0].id" },
	{ "make_stream[0].id", "\"\"", "make_stream[0].id" },
	{ "make_stream[0].id", "\"a b\"", "make_stream[0].id" },
	{ "make_stream[0].id", "\"a/b\"", "make_stream[0].id" },
	{ "make_stream[0].id", "\"\\u00fc\"", "make_stream[0].id" },
	{ "make_stream[0].id",
	  "\"0123456789012345678901234567890123456789012345678901234567890"
	  "1234\"", "make_stream[0].id" },
	{ "make_stream[0].id", "\"c\"", "make_stream[2].id" },
	{ "make_stream[2].id", "\"a000\"", "make_stream[2].id" },
	{ "make_stream[0].enable", NULL, "make_stream[0].enable" },
	{ "make_stream[0].type", NULL, "make_stream[0].type" },
	{ "make_stream[0].type", "1", "make_stream[0].type" },
	{ "make_stream[0].type", "\"\"", "make_stream[0].type" },
	{ "make_stream[0].type", "\"SPTS\"", "make_stream[0].type" },
	{ "make_stream[0].groups.c", "1", "make_stream[0].groups.c" },
	{ "make_stream[0].groups.c", "null", "make_stream[0].groups.c" },
	{ "make_stream[0].input[1]", "1", "make_stream[0].input[1]" },
	{ "make_stream[0].input[1]", "\"\"", "make_stream[0].input[1]" },
	{ "make_stream[0].input[1]", "\"x\"", "make_stream[0].input[1]" },
	{ "make_stream[0].input[1]", "\"udp://1.2.3.4:70000\"",
	  "make_stream[0].input[1]" },
	{ "make_stream[0].input[1]", "\"udp://1.2.3.4:0\"",
	  "make_stream[0].input[1]" },
	{ "make_stream[0].input[1]", "\"udp://h\"",
	  "make_stream[0].input[1]" },
	{ "make_stream[0].input[1]", "\"udp://239.1.1.1#renew=x\"",
	  "make_stream[0].input[1]" },
	{ "make_stream[0].input[1]", "\"stop://1.2.3.4:5\"",
	  "make_stream[0].input[1]" },
	{ "make_stream[1].input[0]", "\"srtx://1.2.3.4:5\"",
	  "make_stream[1].input[0]" },
	{ "make_stream[0].output[0]", "{}", "make_stream[0].output[0]" },
	{ "make_stream[0].output[0]", "\"http://:8100/\"",
	  "make_stream[0].output[0]" },
	{ "make_stream[0].output[0]", "\"http://:70000/x\"",
	  "make_stream[0].output[0]" },
	{ "make_stream[0].output[0]", "\"http://:8100/x.m3u8#duration=99\"",
	  "make_stream[0].output[0]" },
	{ "make_stream[0].output[0]", "\"http://:8000/x\"",
	  "make_stream[0].output[0]" },
	{ "make_stream[0].output[0]", "\"http://127.0.0.1:8000/x\"",
	  "make_stream[0].output[0]" },
	{ "make_stream[0].output[0]", "\"http://*:8100/other\"",
	  "make_stream[2].output[0]" },
	{ "make_stream[0].output[1]", "\"http://0.0.0.0:8100/news\"",
	  "make_stream[0].output[1]" },
	{ "make_stream[2].output[0]", "\"http://0:8100/%6eews\"",
	  "make_stream[2].output[0]" },
	{ "make_stream[2].output[0]", "\"udp://0.0.0.0:1\"",
	  "make_stream[2].output[0]" },
};

Test(check, names_every_place_that_is_wrong)
{
	for (size_t i = 0; i < ARRAY_LEN(faults); i++)
		expect_fault(faults[i].path, faults[i].value,
			     faults[i].wanted);
}

Test(check, rejects_an_unusable_document)
{
	static const struct {
		const char *text;
		unsigned fatal;
		const char *path;
	} cases[] = {
		{ "[]", 1, "" },
		{ "5", 1, "" },
		{ "{\"make_stream\": {}}", 1, "make_stream" },
		{ "{\"settings\": {\"control_port\": 8000}}", 1,
		  "settings.control_port" },
		{ "{\"settings\": 5}", 0, "settings" },
		{ "{\"make_stream\": [5]}", 0, "make_stream[0]" },
		{ "{}", 0, "" },
		{ "{\"settings\": {\"control_port\": \"[::1]:80\"}}", 0, "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *document = parse(cases[i].text);
		struct found f = { 0 };

		(void)check_document(document, NULL, note, &f);
		cr_expect_eq(f.fatal, cases[i].fatal, "%s", cases[i].text);
		cr_expect_str_eq(f.first, cases[i].path, "%s", cases[i].text);
		json_decref(document);
	}
}

Test(check, lists_all_faults_of_a_document)
{
	static const char text[] =
		"{\"gid\": -1, \"make_stream\": [{\"id\": \"a\"}, 5,"
		" {\"id\": \"a\", \"enable\": 1, \"type\": \"x\","
		" \"input\": [\"q\", 7], \"output\": [\"udp://:1\"]}]}";
	json_t *document = parse(text);
	struct found f = { 0 };

	cr_assert_eq(check_document(document, NULL, note, &f), 10u);
	cr_assert_str_eq(f.text,
		"gid: -1 is less than 0\n"
		"make_stream[0].enable: is missing\n"
		"make_stream[0].type: is missing\n"
		"make_stream[1]: is not an object\n"
		"make_stream[2].enable: 1 is not true or false\n"
		"make_stream[2].input[1]: 7 is not a string\n"
		"make_stream[2].type: \"x\" is not spts or mpts\n"
		"make_stream[2].input[0]: \"q\" is not type://target\n"
		"make_stream[2].output[0]: host: is missing\n"
		"make_stream[2].id: \"a\" is already the id of "
		"make_stream[0]\n");
	json_decref(document);
}

/* Warnings do not make a document wrong. */
Test(check, warns_of_odd_values)
{
	static const struct {
		const char *path, *value, *text;
	} cases[] = {
		{ "make_stream[0].input[0]", "\"udp://:1#ddci&cam&ddci\"",
		  "warning make_stream[0].input[0]: option \"ddci\" is not "
		  "known\nwarning make_stream[0].input[0]: option \"cam\" is "
		  "not known\n" },
		{ "auth", "{\"http_ip_deny\": [\"10.0.0.0/8\", \"foo\"]}",
		  "auth.http_ip_deny[1]: is not an address or network" },
		{ "make_stream[2].output[0]", "\"udp://239.2.2.2\"",
		  "has the same destination as make_stream[0].output[1]" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *document = mutate(cases[i].path, cases[i].value);
		struct found f = { 0 };

		cr_expect_eq(check_document(document, NULL, note, &f), 0u);
		cr_expect_not_null(strstr(f.text, cases[i].text), "%s",
				   f.text);
		json_decref(document);
	}
}

Test(check, lets_a_disabled_stream_share_an_output)
{
	json_t *document = mutate("make_stream[1].output[0]",
				  "\"http://0.0.0.0:8100/news\"");
	struct found f = { 0 };

	cr_assert_eq(check_document(document, NULL, note, &f), 0u, "%s",
		     f.text);
	json_decref(document);
}

Test(check, limits_the_message_to_a_worker)
{
	json_t *document = parse(sound);
	json_t *stream = json_array_get(json_object_get(document,
							"make_stream"), 0);
	json_t *many = json_array();
	json_t *quotes = json_array();
	struct found f = { 0 };
	char text[1024];

	for (int i = 0; i < 33; i++)
		(void)json_array_append_new(many, json_string("udp://:1"));
	(void)json_object_set_new(stream, "input", many);
	cr_assert_eq(check_document(document, NULL, note, &f), 1u);
	cr_assert_str_eq(f.first, "make_stream[0].input");

	/* each '"' takes two bytes in the message */
	(void)snprintf(text, sizeof text, "file:///%01000d", 0);
	memset(text + 8, '"', 1000);
	for (int i = 0; i < 32; i++)
		(void)json_array_append_new(quotes, json_string(text));
	(void)json_object_set_new(stream, "input", quotes);
	f = (struct found){ 0 };
	cr_assert_eq(check_document(document, NULL, note, &f), 1u);
	cr_assert_str_eq(f.first, "make_stream[0]");
	json_decref(document);
}

Test(check, limits_the_event_to_every_client)
{
	static char text[300 * 1024];
	json_t *document = parse(sound);
	json_t *stream = json_array_get(json_object_get(document,
							"make_stream"), 0);
	struct found f = { 0 };

	memset(text, 'x', sizeof text - 1);
	(void)json_object_set_new(stream, "own", json_string(text));
	cr_assert_eq(check_document(document, NULL, note, &f), 1u);
	cr_assert_str_eq(f.text,
			 "make_stream[0]: is longer than 262144 bytes\n"
			 "warning make_stream[1].input[0]: type \"stop\" is "
			 "not supported by this version\n");
	json_decref(document);
}

Test(check, judges_a_stream_against_its_neighbours)
{
	static const struct {
		const char *output, *self;
		unsigned faults;
	} cases[] = {
		{ "http://:8100/mine", NULL, 0 },
		{ "http://:8100/news", NULL, 1 },
		{ "http://:8100/news", "c", 1 },
		{ "http://:8100/news", "a000", 0 },
		{ "http://:9000/x", NULL, 1 },
	};
	json_t *document = parse(sound);
	struct sockaddr_any control;

	cr_assert_eq(sockaddr_parse("127.0.0.1", 9000, &control), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *stream = json_pack(
			"{s:s, s:s, s:b, s:[s]}", "id", "new", "type", "spts",
			"enable", 1, "output", cases[i].output);
		struct check_place place = { "stream", document, NULL, NULL,
					     cases[i].self, &control };
		struct found f = { 0 };

		cr_expect_eq(check_stream(stream, &place, note, &f),
			     cases[i].faults, "%s: %s", cases[i].output,
			     f.text);
		if (cases[i].faults > 0)
			cr_expect_str_eq(f.first, "stream.output[0]");
		json_decref(stream);
	}
	json_decref(document);
}

Test(check, reports_a_stream_without_inputs_or_outputs)
{
	static const struct {
		const char *text;
		bool idle;
	} cases[] = {
		{ "{}", true },
		{ "{\"type\":\"spts\",\"input\":[\"a\",\"b\"]}", false },
		{ "{\"type\":\"mpts\",\"input\":[\"a\"]}", false },
		{ "{\"type\":\"mpts\",\"input\":[\"a\",\"b\"]}", true },
		{ "{\"type\":\"mpts\",\"bitrate\":1,\"input\":[1,2]}", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *stream = parse(cases[i].text);
		struct errmsg error = { 0 };

		cr_expect_eq(check_stream_idle(stream, &error), cases[i].idle,
			     "%s", cases[i].text);
		json_decref(stream);
	}
}

Test(check, survives_a_document_of_long_names)
{
	char name[3000];
	json_t *document = json_object();
	json_t *users = json_object();
	struct found f = { 0 };

	memset(name, 'n', sizeof name);
	name[sizeof name - 1] = '\0';
	(void)json_object_set_new(users, name, json_integer(1));
	(void)json_object_set_new(document, "users", users);
	cr_assert_eq(check_document(document, NULL, note, &f), 1u);
	cr_assert_eq(strlen(f.first), CHECK_PATH_MAX - 1u);
	json_decref(document);
}

Test(check, reports_a_missing_file_and_invalid_json)
{
	char *said = NULL;
	size_t len;
	FILE *out = open_memstream(&said, &len);
	char path[] = "/tmp/check-XXXXXX";
	int fd = mkstemp(path);

	cr_assert_eq(check_file("/no.json", NULL, 0, out, NULL), 78);
	(void)fflush(out);
	cr_assert_str_eq(said, "/no.json: cannot be read: "
			       "No such file or directory\n");
	rewind(out);
	cr_assert_eq(write(fd, "{\n\"a\" 1}", 8), 8);
	cr_assert_eq(check_file(path, NULL, 0, out, NULL), 78);
	(void)fclose(out);
	cr_assert_not_null(strstr(said, ": line 2, column 5: "), "%s", said);
	(void)close(fd);
	(void)unlink(path);
	free(said);
}

Test(check, control_characters_in_a_name_do_not_reach_the_terminal)
{
	json_t *document = json_pack(
		"{s:[{s:s, s:s, s:[s], s:[]}]}", "make_stream", "id", "a",
		"name", "a", "input",
		"udp://127.0.0.1:5000#set\xc2\x9b" "31m", "output");
	char said[1024];

	cr_assert_not_null(document);
	(void)check_as_file(document, said, sizeof said);
	cr_assert_not_null(strstr(said, "set  31m"), "%s", said);
	json_decref(document);
}
