/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/log_feed.h"

#include "common/base/alloc.h"
#include "common/log/log_lines.h"
#include "common/ws/hub.h"
#include "master/api/command.h"

#include <stdlib.h>

enum { PERIOD_MS = 200, LINES_MAX = 40 };

struct log_feed {
	struct api *api;
	ev_timer timer;
	uint64_t next; /* number of the first line that was not sent yet */
};

static void stop(struct log_feed *f)
{
	ev_timer_stop(f->api->cfg.loop, &f->timer);
}

/* Sends the new lines.  If there are more than LINES_MAX, sends the first ones,
 * which have the cause of the burst, and counts the others as dropped. */
static void send_lines(struct log_feed *f)
{
	const struct log_lines *all = f->api->cfg.log_lines;
	uint64_t first = log_lines_first(all), end = log_lines_next(all);
	uint64_t from = MAX(f->next, first), n;
	json_t *lines = json_array(), *message;
	struct log_line line;

	for (n = from; n < end && n - from < LINES_MAX; n++)
		if (log_lines_get(all, n, &line))
			(void)json_array_append_new(lines,
						    log_line_json(&line));
	message = json_pack("{s:s, s:o}", "scope", "log", "lines", lines);
	if (n < end || from > f->next)
		(void)json_object_set_new(
			message, "dropped",
			json_integer((json_int_t)(end - n + from - f->next)));
	f->next = end;
	hub_send_extra(f->api->cfg.hub, HUB_LOG, message);
	json_decref(message);
}

static void on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct log_feed *f = container_of(w, struct log_feed, timer);

	(void)loop, (void)revents;
	if (!hub_wants_extra(f->api->cfg.hub, HUB_LOG))
		stop(f);
	else if (log_lines_next(f->api->cfg.log_lines) > f->next)
		send_lines(f);
}

struct log_feed *log_feed_new(struct api *api)
{
	struct log_feed *f = xcalloc(1, sizeof *f);

	f->api = api;
	ev_timer_init(&f->timer, on_timer, PERIOD_MS / 1e3, PERIOD_MS / 1e3);
	return f;
}

void log_feed_free(struct log_feed **p)
{
	struct log_feed *f = *p;

	*p = NULL;
	if (f == NULL)
		return;
	stop(f);
	free(f);
}

void log_feed_start(struct log_feed *f)
{
	if (ev_is_active(&f->timer))
		return;
	f->next = log_lines_next(f->api->cfg.log_lines);
	ev_timer_again(f->api->cfg.loop, &f->timer);
}
