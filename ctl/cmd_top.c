/* SPDX-License-Identifier: GPL-3.0-or-later */
/* top: the streams live, or once if there is no terminal. */
#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/mono.h"
#include "ctl/api_client.h"
#include "ctl/commands.h"
#include "ctl/event_feed.h"
#include "ctl/overview.h"
#include "ctl/screen.h"
#include "ctl/cmd_status.h"
#include "ctl/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TICK_MS = 1000,
	RELOAD_MS = 10 * 1000, /* fields without events */
};

struct top {
	struct ctl *ctl;
	struct screen *screen; /* NULL: once, without a terminal */
	struct feed *feed;
	json_t *system, *version;
	struct overview rows;
	enum overview_order by;
	bool reverse;
	bool stale;         /* the list of streams has changed */
	bool quit;
	uint64_t loaded_ms;
	char error[256];    /* "": none */
};

/* --- output --- */

/* Appends the lines of text, truncated to width (0: not), each with end. */
static void put_lines(struct buf *to, struct buf *text, size_t width,
		      const char *end)
{
	char *copy = xstrndup((char *)buf_head(text), buf_len(text));
	char *rest = copy, *line;

	while ((line = strsep(&rest, "\n")) != NULL && rest != NULL) {
		size_t wants = text_width(line);

		text_fit(to, line, width > 0 ? MIN(wants, width) : wants, 0);
		buf_printf(to, "%s", end);
	}
	free(copy);
	buf_done(text);
}

static void draw(struct top *t)
{
	struct status_counts counts;
	struct buf head = { 0 }, text = { 0 };
	const char *end = t->screen ? SCREEN_LINE_END : "\n";
	struct table_style style = { .colour = t->ctl->colour, .end = end };
	struct table *table;

	if (t->screen != NULL) {
		screen_size(t->screen, &style.width, &style.max_rows);
		/* three lines of head, one of error, the titles, the keys */
		style.max_rows -= MIN(style.max_rows - 1, 6U);
	}
	status_count(&t->rows, &counts);
	status_head(t->system, json_string_value(json_object_get(t->version,
								 "version")),
		    &counts, &head, "\n");
	buf_printf(&head, "%s\n", t->error);
	put_lines(&text, &head, style.width, end);
	overview_sort(&t->rows, t->by, t->reverse);
	table = overview_table(&t->rows);
	table_write(table, &style, &text);
	table_free(&table);
	if (t->screen != NULL)
		screen_show(t->screen, &text,
			    "o state  i id  n name  b rate  c cc  v viewers  "
			    "r reverse  q quit");
	else
		(void)fwrite(buf_head(&text), 1, buf_len(&text), stdout);
	buf_done(&text);
}

/* --- data --- */

/* Reloads everything; keeps the old data after an error. */
static enum ctl_exit load(struct top *t)
{
	struct overview rows = { 0 };
	json_t *system = NULL, *version = NULL;
	enum ctl_exit code = status_read(t->ctl, &system, &version);

	if (code == CTL_OK)
		code = overview_load(t->ctl, true, &rows);
	if (code != CTL_OK) {
		json_decref(system);
		json_decref(version);
		return code;
	}
	json_decref(t->system);
	json_decref(t->version);
	overview_done(&t->rows);
	t->system = system;
	t->version = version;
	t->rows = rows;
	t->stale = false;
	t->loaded_ms = mono_ms();
	return CTL_OK;
}

static void take_stream_event(struct top *t, const json_t *event)
{
	static const char *const same[] = { "onair", "bitrate", "cc_error",
					    "pes_error" };
	const char *id = json_string_value(json_object_get(event,
							   "channel_id"));
	struct overview_row *row = id ? overview_find(&t->rows, id) : NULL;
	json_t *worker;

	if (row == NULL) {
		t->stale = true;
		return;
	}
	if (row->status == NULL)
		row->status = json_object();
	for (size_t i = 0; i < ARRAY_LEN(same); i++)
		(void)json_object_set(row->status, same[i],
				      json_object_get(event, same[i]));
	/* the sender of an event is running */
	worker = json_object_get(row->status, "worker");
	if (worker != NULL)
		(void)json_object_set_new(worker, "state",
					  json_string("running"));
	if (row_on_air(row)) {
		(void)json_object_del(worker, "alarm");
		(void)json_object_del(row->status, "inputs");
	}
}

static void on_error(const char *text, void *arg)
{
	struct top *t = arg;

	(void)snprintf(t->error, sizeof t->error, "%s", text ? text : "");
	t->stale = true;
	if (t->system != NULL)
		draw(t);
}

/* --- keys --- */

static void take_key(struct top *t, int key)
{
	static const char letters[] = "oinbcv";
	static const enum overview_order orders[] = {
		BY_STATE, BY_ID, BY_NAME, BY_RATE, BY_CC, BY_VIEWERS,
	};
	const char *at = key > 0 ? strchr(letters, key) : NULL;

	if (at != NULL)
		t->by = orders[at - letters];
	else if (key == 'r')
		t->reverse = !t->reverse;
	else if (key == 'q' || key == SCREEN_END)
		t->quit = true;
	draw(t);
}

/* --- live --- */

/* Handles events and keys until the next tick. */
static enum ctl_exit one_tick(struct top *t)
{
	uint64_t end = mono_ms() + TICK_MS;
	enum ctl_exit code = CTL_OK;

	while (code == CTL_OK && !t->quit && mono_ms() < end) {
		json_t *event = NULL;
		int key;

		code = feed_next(t->feed, screen_fd(t->screen), end, &event);
		if (event != NULL) {
			const char *scope = json_string_value(
				json_object_get(event, "scope"));

			if (scope != NULL && strcmp(scope, "stream_event") == 0)
				take_stream_event(t, event);
			else if (scope != NULL &&
			         strcmp(scope, "set-stream") == 0)
				t->stale = true;
		}
		json_decref(event);
		while (!t->quit && (key = screen_key(t->screen)) != 0)
			take_key(t, key);
	}
	return code;
}

/* A failed query does not end top: the feed reports the lost connection. */
static enum ctl_exit refresh(struct top *t)
{
	json_t *system = NULL;
	enum ctl_exit code;

	if (t->error[0] != '\0')
		return CTL_OK;
	if (t->stale || mono_ms() - t->loaded_ms >= RELOAD_MS)
		return load(t);
	code = api_get(t->ctl, "/api/system-status?t=0", &system);
	if (code == CTL_OK) {
		json_decref(t->system);
		t->system = system;
	}
	return code;
}

static enum ctl_exit run_live(struct top *t)
{
	enum ctl_exit code;

	t->feed = feed_new(t->ctl, on_error, t);
	code = feed_open(t->feed);
	if (code == CTL_OK)
		t->screen = screen_new();
	while (code == CTL_OK && !t->quit) {
		draw(t);
		code = one_tick(t);
		if (code == CTL_OK && !t->quit)
			code = refresh(t);
		if (code == CTL_UNREACHABLE || code == CTL_REFUSED)
			code = CTL_OK;
	}
	screen_free(&t->screen);
	feed_free(&t->feed);
	return code;
}

enum ctl_exit run_top(struct ctl *ctl, char **args, size_t n)
{
	bool once = ctl->options.json || !screen_is_there() ||
		    ctl->options.given & OPTION_ONCE;
	struct top t = { .ctl = ctl };
	enum ctl_exit code;

	(void)args, (void)n;
	if (overview_order(ctl->options.sort, &t.by, &ctl->error) < 0)
		return CTL_USAGE;
	code = load(&t);
	if (code == CTL_OK && ctl->options.json) {
		json_t *out;

		overview_sort(&t.rows, t.by, t.reverse);
		out = json_pack("{s:O, s:o}", "system", t.system, "streams",
				 overview_json(&t.rows));
		ctl_print_json(out);
		json_decref(out);
	} else if (code == CTL_OK && once) {
		draw(&t);
	} else if (code == CTL_OK) {
		code = run_live(&t);
	}
	overview_done(&t.rows);
	json_decref(t.system);
	json_decref(t.version);
	return code;
}
