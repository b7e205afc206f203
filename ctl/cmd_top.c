/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command "top": shows all streams and updates them every second; without a
 * terminal it prints them once. */
#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/mono.h"
#include "ctl/alarm_text.h"
#include "ctl/api_client.h"
#include "ctl/client.h"
#include "ctl/commands.h"
#include "ctl/overview.h"
#include "ctl/screen.h"
#include "ctl/cmd_status.h"
#include "ctl/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	TICK_MS = 1000,
	OLD_S = 3, /* figures of this age or older are marked as old */
	ALARMS_SHOWN = 3, /* most alarms of the service on a screen */
};

struct top {
	struct ctl *ctl;
	struct screen *screen; /* NULL: the streams are printed once */
	json_t *answer;        /* the last reply of the overview */
	struct overview rows;
	enum overview_order by;
	bool reverse;
	bool quit;
	size_t first;          /* the first row that is shown, from 0 */
	size_t shown;          /* rows for which the screen has room; 0: all */
	uint64_t taken_ms;     /* time of the answer (mono_ms()) */
	int64_t taken_s;       /* Unix time of the answer */
	char error[256];       /* error of the last request; "": none */
};

/* --- output --- */

/* Appends the lines of text, truncated to width columns (0: not truncated),
 * with `end' behind each; empties text. */
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

static unsigned age_s(const struct top *t)
{
	return (unsigned)((mono_ms() - t->taken_ms) / 1000);
}

/* Appends the line below the head: the age of old figures, or else an error,
 * or else the hidden rows. */
static void put_note(const struct top *t, struct buf *to)
{
	char clock[32];

	if (age_s(t) >= OLD_S) {
		text_clock(clock, t->taken_s);
		buf_printf(to, "OLD: figures of %s, %u s ago: %s", clock,
			   age_s(t), t->error[0] != '\0'
			   ? t->error : "the service does not answer");
	} else if (t->error[0] != '\0') {
		buf_printf(to, "%s", t->error);
	} else if (t->shown > 0 && t->rows.n > t->shown) {
		buf_printf(to, "rows %zu to %zu of %zu; %zu are hidden: arrow "
			   "keys, PgUp and PgDn scroll", t->first + 1,
			   t->first + t->shown, t->rows.n,
			   t->rows.n - t->shown);
	}
	buf_printf(to, "\n");
}

static void draw(struct top *t)
{
	struct status_counts counts;
	struct buf head = { 0 }, text = { 0 };
	const char *end = t->screen ? SCREEN_LINE_END : "\n";
	struct table_style style = { .colour = t->ctl->colour, .end = end };
	struct table *table;
	size_t fixed;

	status_count(&t->rows, &counts);
	status_head(t->answer, &counts, &head, "\n");
	/* 6 lines are fixed: three of the head, one of the note, the titles of
	 * the table and the keys */
	fixed = 6 + put_service_alarms(&head, t->answer,
				       t->screen != NULL ? ALARMS_SHOWN : 0,
				       false);
	if (t->screen != NULL) {
		screen_size(t->screen, &style.width, &style.max_rows);
		style.max_rows -= MIN(style.max_rows - 1, fixed);
		t->shown = style.max_rows;
		t->first = MIN(t->first, t->rows.n - MIN(t->rows.n, t->shown));
		style.first_row = t->first;
	}
	put_note(t, &head);
	put_lines(&text, &head, style.width, end);
	overview_sort(&t->rows, t->by, t->reverse);
	table = overview_table(&t->rows,
			       age_s(t) >= OLD_S ? OVERVIEW_OLD : 0);
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

static void take(struct top *t, json_t *take_answer)
{
	json_decref(t->answer);
	t->answer = take_answer;
	overview_done(&t->rows);
	overview_take(t->answer, &t->rows);
	t->taken_ms = mono_ms();
	t->taken_s = time(NULL);
	t->error[0] = '\0';
}

/* --- keys --- */

static void scroll(struct top *t, int key)
{
	size_t step = key == SCREEN_PAGE_UP || key == SCREEN_PAGE_DOWN
			      ? t->shown
			      : 1;

	/* draw() limits t->first to the number of rows */
	if (key == SCREEN_UP || key == SCREEN_PAGE_UP)
		t->first -= MIN(t->first, step);
	else if (key == SCREEN_DOWN || key == SCREEN_PAGE_DOWN)
		t->first += step;
}

static void take_keys(struct top *t)
{
	static const char letters[] = "oinbcv";
	static const enum overview_order orders[] = {
		BY_STATE, BY_ID, BY_NAME, BY_RATE, BY_CC, BY_VIEWERS,
	};
	int key;

	while (!t->quit && (key = screen_key(t->screen)) != 0) {
		const char *at = key > 0 ? strchr(letters, key) : NULL;

		if (at != NULL)
			t->by = orders[at - letters];
		else if (key == 'r')
			t->reverse = !t->reverse;
		else if (key == 'q' || key == SCREEN_END)
			t->quit = true;
		else
			scroll(t, key);
		draw(t);
	}
}

/* --- live --- */

/* Ends the request and draws; keeps the old figures after an error.  Returns
 * CTL_OK also after an error, except CTL_AUTH. */
static enum ctl_exit take_reply(struct top *t)
{
	struct client_reply reply = { 0 };
	enum ctl_exit code = CTL_OK;
	json_t *answer = NULL;

	if (client_end(t->ctl->client, &reply, &t->ctl->error) < 0)
		code = CTL_UNREACHABLE;
	else
		code = api_judge(t->ctl, &reply, &answer);
	client_reply_done(&reply);
	if (code == CTL_OK)
		take(t, answer);
	else
		(void)snprintf(t->error, sizeof t->error, "%s",
			       t->ctl->error.text);
	draw(t);
	/* continue after other errors, because the service may answer again; a
	 * login that has ended stays so */
	return code == CTL_AUTH ? code : CTL_OK;
}

/* Runs until the user quits or the login has ended.  Sends a request each
 * second and handles keys at any time.  While the service does not answer,
 * draws the age of the figures each second. */
static enum ctl_exit run_live(struct top *t)
{
	enum ctl_exit code = CTL_OK;
	uint64_t next_ms = mono_ms() + TICK_MS;

	t->screen = screen_new();
	draw(t);
	while (code == CTL_OK && !t->quit) {
		if (client_wait(t->ctl->client, screen_fd(t->screen), next_ms))
			code = take_reply(t);
		take_keys(t);
		if (mono_ms() < next_ms)
			continue;
		next_ms = mono_ms() + TICK_MS;
		if (!client_is_busy(t->ctl->client))
			client_begin(t->ctl->client, OVERVIEW_PATH);
		else
			draw(t);
	}
	screen_free(&t->screen);
	return code;
}

enum ctl_exit run_top(struct ctl *ctl, char **args, size_t n)
{
	bool once = ctl->options.json || !screen_is_there() ||
		    ctl->options.given & OPTION_ONCE;
	struct top t = { .ctl = ctl };
	enum ctl_exit code;
	json_t *answer;

	(void)args, (void)n;
	if (overview_order(ctl->options.sort, &t.by, &ctl->error) < 0)
		return CTL_USAGE;
	code = api_get(ctl, OVERVIEW_PATH, &answer);
	if (code == CTL_OK)
		take(&t, answer);
	if (code == CTL_OK && ctl->options.json) {
		json_t *out;

		overview_sort(&t.rows, t.by, t.reverse);
		out = json_pack("{s:O, s:o, s:O}", "system",
				json_object_get(t.answer, "system"), "streams",
				overview_json(&t.rows), "alarms",
				json_object_get(t.answer, "alarms"));
		ctl_print_json(out);
		json_decref(out);
	} else if (code == CTL_OK && once) {
		draw(&t);
	} else if (code == CTL_OK) {
		code = run_live(&t);
	}
	overview_done(&t.rows);
	json_decref(t.answer);
	return code;
}
