/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/master/api/world.h"

#include "common/base/log.h"
#include "common/base/mono.h"
#include "master/auth/auth.h"
#include "master/config/write_paths.h"
#include "common/document/document.h"
#include "master/status/status.h"
#include "master/status/system_status.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct world w;

static void note_log(enum log_level level, const char *component,
		     const char *text, void *arg)
{
	size_t len = strlen(w.log);

	(void)arg;
	if (level <= LOG_LEVEL_WARNING)
		(void)snprintf(w.log + len, sizeof w.log - len, "%s: %s\n",
			       component, text);
}

static void note_restart(void *arg)
{
	(void)arg;
	w.restarts++;
}

struct trial_wish {
	trial_done_fn *done;
	void *arg;
};

static void end_trial(int revents, void *arg)
{
	struct trial_wish *t = arg;

	(void)revents;
	t->done(w.trial_error, t->arg);
	free(t);
}

static void try_restart(bool interrupt, trial_done_fn *done, void *done_arg,
			void *arg)
{
	struct trial_wish *t = malloc(sizeof *t);

	(void)interrupt, (void)arg;
	w.trials++;
	*t = (struct trial_wish){ done, done_arg };
	ev_once(w.loop, -1, 0, 0., end_trial, t);
}

static void note_set_log(void *arg)
{
	(void)arg;
	w.set_logs++;
}

void open_world(const char *document)
{
	json_t *value = fakes_json(document);
	struct errmsg why = { 0 };
	int fd;

	(void)strcpy(w.path, "/tmp/api-XXXXXX");
	fd = mkstemp(w.path);
	log_open(note_log, NULL, LOG_LEVEL_DEBUG);
	cr_assert_eq(json_dumpfd(value, fd, 0), 0);
	(void)close(fd);
	json_decref(value);
	w.loop = ev_loop_new(EVFLAG_AUTO);
	w.config = config_open(w.path, w.loop, &why);
	cr_assert_not_null(w.config, "%s", why.text);
	(void)unlink(w.path);
	w.options.no_web_auth = true;
	w.parts = (struct api_config){
		.loop = w.loop,
		.auth = auth_new(&(struct auth_config){ .loop = w.loop,
							.config = w.config }),
		.config = w.config,
		.status = status_new(&(struct status_config){ .loop = w.loop }),
		.system = system_status_new(w.loop),
		.options = &w.options,
		.restart = note_restart,
		.try_restart = try_restart,
		.set_log = note_set_log,
	};
	w.parts.write_paths = write_paths_new();
	write_paths_add(w.parts.write_paths, "/");
	cr_assert_eq(sockaddr_parse("0.0.0.0", 8000, &w.parts.control), 0);
	w.api = api_new(&w.parts);
	fakes.listeners = true;
	api_start_streams(w.api);
	w.log[0] = '\0';
}

void close_world(void)
{
	char revision[sizeof w.path + 2];

	(void)snprintf(revision, sizeof revision, "%s.1", w.path);
	api_free(&w.api);
	write_paths_free(&w.parts.write_paths);
	config_close(&w.config);
	(void)unlink(w.path);
	(void)unlink(revision);
}

json_t *world_file(void)
{
	struct errmsg why;
	json_t *document = NULL;

	cr_assert_eq(document_load(w.path, &document, &why), 0, "%s",
		     why.text);
	return document;
}

int wait_answer(void)
{
	uint64_t end_ms = mono_ms() + 60000;

	while (fakes.status == 0 && mono_ms() < end_ms)
		ev_run(w.loop, EVRUN_ONCE);
	return fakes.status;
}

static void stop_loop(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)t, (void)revents;
	ev_break(loop, EVBREAK_ALL);
}

void run_for_ms(unsigned ms)
{
	ev_timer timer;

	ev_now_update(w.loop);
	ev_timer_init(&timer, stop_loop, ms / 1e3, 0);
	ev_timer_start(w.loop, &timer);
	ev_run(w.loop, 0);
	ev_timer_stop(w.loop, &timer);
}

void request(const char *method, const char *path, const char *query,
	     const char *body)
{
	struct http_request r = { .method = method, .path = path,
				  .query = query, .body = body };

	fakes.status = 0;
	fakes.body[0] = '\0';
	api_handle(w.api, NULL, &r);
}

const char *said(void)
{
	for (char *c = fakes.body; *c != '\0'; c++)
		if (*c == '"')
			*c = '\'';
	return fakes.body;
}

int post(const char *command)
{
	static char body[16384];

	cr_assert_lt(strlen(command), sizeof body);
	(void)strcpy(body, command);
	for (char *c = body; *c != '\0'; c++)
		if (*c == '\'')
			*c = '"';
	fakes_clear();
	request("POST", "/control/", "", body);
	return fakes.status;
}

int post_through(const char *command)
{
	int status = post(command);

	return status != 0 ? status : wait_answer();
}

int get(const char *path, const char *query)
{
	fakes_clear();
	request("GET", path, query, "");
	return fakes.status;
}

void expect_ok(const char *command, const char *name)
{
	char wanted[64];

	(void)snprintf(wanted, sizeof wanted, "{'%s':'ok'}", name);
	cr_expect_eq(post_through(command), 200, "%s: %s", command, said());
	cr_expect_str_eq(said(), wanted);
	cr_expect_str_eq(fakes.content_type, "application/json");
}

void expect_told(const char *command, const char *name, const char *told)
{
	expect_ok(command, name);
	cr_expect_str_eq(fakes.told, told, "%s: %s", command, fakes.told);
}

void expect_error(const char *command, int status, const char *why)
{
	json_t *before = json_deep_copy(config_document(w.config));
	char wanted[512];

	(void)snprintf(wanted, sizeof wanted, "%s", why);
	cr_expect_eq(post(command), status, "%s: %s", command, fakes.body);
	json_t *body = json_loads(fakes.body, 0, NULL);

	cr_expect_str_eq(json_string_value(json_object_get(body, "error")),
			 wanted, "%s: %s", command, fakes.body);
	cr_expect_str_eq(fakes.told, "", "an event was sent");
	cr_expect(json_equal(before, config_document(w.config)),
		  "%s changed something", command);
	json_decref(body);
	json_decref(before);
}

void expect_drop(const char *command)
{
	json_t *before = json_deep_copy(config_document(w.config));

	cr_expect_eq(post(command), 0, "%s: %s", command, fakes.body);
	cr_expect_str_eq(fakes.told, "drop\n", "%s", command);
	cr_expect(json_equal(before, config_document(w.config)),
		  "%s changed something", command);
	json_decref(before);
}

void expect_section(const char *key, const char *text)
{
	const json_t *value = config_section(w.config, key);
	char *found = value != NULL ? json_dumps(value, JSON_COMPACT |
						 JSON_SORT_KEYS |
						 JSON_ENCODE_ANY)
				    : strdup("");

	for (char *c = found; *c != '\0'; c++)
		if (*c == '"')
			*c = '\'';
	cr_expect_str_eq(found, text, "%s: %s", key, found);
	free(found);
}
