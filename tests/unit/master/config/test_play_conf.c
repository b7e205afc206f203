/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/play_conf.h"

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "master/config/check.h"

#include <criterion/criterion.h>
#include <string.h>

static json_t *parse(const char *text)
{
	json_t *value = json_loads(text, 0, NULL);

	cr_assert_not_null(value, "%s", text);
	return value;
}

static void note(enum check_severity severity, const char *path,
		 const char *text, void *arg)
{
	(void)text;
	if (strcmp(path, "settings.http_play_port") == 0)
		*(int *)arg |= 1 << (severity == CHECK_WARNING);
}

enum { FAULT = 1, WARNING = 2 };

static const struct {
	const char *settings;
	int found;
	const char *port; /* "": none */
} cases[] = {
	{ "{}", 0, "" },
	{ "{\"http_play_port\": 8200}", 0, "" },
	{ "{\"http_play_stream\": true}", 0, "" },
	{ "{\"http_play_stream\": true, \"http_play_port\": \"\"}", 0, "" },
	{ "{\"http_play_stream\": true, \"http_play_port\": 8200}", 0,
	  "0.0.0.0:8200" },
	{ "{\"http_play_stream\": true, \"http_play_port\": \"8200\"}", 0,
	  "0.0.0.0:8200" },
	{ "{\"http_play_stream\": true, \"http_play_port\": "
	  "\"[::1]:8200\"}", 0, "[::1]:8200" },
	{ "{\"http_play_stream\": true, \"http_play_port\": "
	  "\"127.0.0.2:8000\"}", 0, "127.0.0.2:8000" },
	{ "{\"http_play_stream\": true, \"http_play_port\": 8000}", WARNING,
	  "" },
	{ "{\"http_play_stream\": true, \"http_play_port\": 0}", FAULT, "" },
	{ "{\"http_play_stream\": true, \"http_play_port\": -1}", FAULT, "" },
	{ "{\"http_play_stream\": true, \"http_play_port\": 70000}", FAULT,
	  "" },
	{ "{\"http_play_stream\": true, \"http_play_port\": true}", FAULT,
	  "" },
	{ "{\"http_play_stream\": true, \"http_play_port\": \"x\"}", FAULT,
	  "" },
};

Test(play_conf, reads_a_port_that_the_control_server_does_not_use)
{
	struct sockaddr_any control;

	cr_assert_eq(sockaddr_parse("127.0.0.1", 8000, &control), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *settings = parse(cases[i].settings);
		json_t *document = json_pack("{s:O}", "settings", settings);
		char text[SOCKADDR_TEXT_MAX] = "";
		struct play_conf conf;
		int found = 0;

		play_conf_read(&conf, settings, &control);
		if (conf.has_port)
			sockaddr_format(&conf.port, text);
		cr_expect_str_eq(text, cases[i].port, "%s",
				 cases[i].settings);
		(void)check_document(document, &control, note, &found);
		cr_expect_eq(found, cases[i].found, "%s", cases[i].settings);
		json_decref(document);
		json_decref(settings);
	}
}

Test(play_conf, names_the_paths_of_a_stream)
{
	char path[PLAY_PATH_MAX];

	play_path("a001", false, path);
	cr_assert_str_eq(path, "/play/a001");
	play_path("a001", true, path);
	cr_assert_str_eq(path, "/play/a001/index.m3u8");
}
