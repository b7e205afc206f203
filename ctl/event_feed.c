/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/event_feed.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "ctl/api_client.h"
#include "ctl/ws.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	PAUSE_FIRST_MS = 1000,
	PAUSE_MAX_MS = 30 * 1000,
	PING_MS = 15 * 1000,  /* silence after which a ping is sent */
	DEAD_MS = 30 * 1000,  /* silence after which the connection is lost */
};

struct feed {
	struct ctl *ctl;
	void (*on_error)(const char *, void *);
	void *arg;
	struct ws *ws; /* NULL: not connected */
	uint64_t received_ms; /* time of the last message */
	bool pinged; /* a ping was sent since received_ms */
	uint64_t retry_ms; /* not connected: time of the next attempt */
	unsigned pause_ms; /* from a loss to the next attempt; doubles */
};

struct feed *feed_new(struct ctl *ctl, void (*on_error)(const char *, void *),
		      void *arg)
{
	struct feed *f = xcalloc(1, sizeof *f);

	f->ctl = ctl;
	f->on_error = on_error;
	f->arg = arg;
	f->pause_ms = PAUSE_FIRST_MS;
	return f;
}

void feed_free(struct feed **feed)
{
	if (*feed == NULL)
		return;
	ws_free(&(*feed)->ws);
	free(*feed);
	*feed = NULL;
}

static bool has_scope(const struct options *o, const char *scope)
{
	for (size_t i = 0; i < o->n_scopes; i++)
		if (strcmp(o->scopes[i], scope) == 0)
			return true;
	return false;
}

/* Returns the path of the event channel, with the prefix in the address of the
 * service; the caller frees it.  The service sends alarms, lines of the log and
 * events of CAMs, cues and the guide only if the parameter scope requests
 * them. */
static char *event_path(const struct ctl *ctl, const json_t *reply)
{
	const char *host = strstr(ctl->settings.url, "://") + 3;
	const char *prefix = strchr(host, '/');
	const char *token = json_string_value(json_object_get(reply, "token"));
	char *ends = xasprintf("%s/control/event/?token=",
			       prefix ? prefix : "");
	static const char *const asked[][2] = {
		{ "alarm", "alarm" }, { "log", "log" },
		{ "cam_event", "cam" }, { "cue_event", "cue" },
		{ "epg_event", "epg" },
	};
	char more[64] = "";
	char *path;

	for (size_t i = 0; i < ARRAY_LEN(asked); i++)
		if (has_scope(&ctl->options, asked[i][0])) {
			(void)strcat(more, more[0] == '\0' ? "&scope=" : ",");
			(void)strcat(more, asked[i][1]);
		}
	path = api_path(ends, token ? token : "", more);
	free(ends);
	return path;
}

enum ctl_exit feed_open(struct feed *f)
{
	struct ctl *ctl = f->ctl;
	json_t *reply = NULL;
	enum ctl_exit code = api_command(ctl, json_pack("{s:s}", "cmd",
							"ws-token"), &reply);
	char *path;
	long status;

	if (code != CTL_OK)
		return code;
	path = event_path(ctl, reply);
	json_decref(reply);
	f->ws = ws_open(ctl->client, path, &status, &ctl->error);
	free(path);
	if (f->ws == NULL)
		return status == 0 ? CTL_UNREACHABLE : CTL_REFUSED;
	f->received_ms = mono_ms();
	f->pinged = false;
	return CTL_OK;
}

/* Closes the connection, which is lost or could not be opened, and schedules
 * the next attempt. */
static void lose(struct feed *f)
{
	struct errmsg text = f->ctl->error;

	ws_free(&f->ws);
	f->retry_ms = mono_ms() + f->pause_ms;
	errmsg_prefix(&text, "retry in %u s: ", f->pause_ms / 1000);
	f->pause_ms = MIN(f->pause_ms * 2, (unsigned)PAUSE_MAX_MS);
	f->ctl->error.text[0] = '\0';
	f->on_error(text.text, f->arg);
}

/* The time of the next attempt, of the next ping, or at which the connection
 * counts as lost, if no message arrives before. */
static uint64_t deadline(const struct feed *f)
{
	if (f->ws == NULL)
		return f->retry_ms;
	return f->received_ms + (f->pinged ? DEAD_MS : PING_MS);
}

static enum ctl_exit on_deadline(struct feed *f)
{
	if (f->ws == NULL) {
		enum ctl_exit code = feed_open(f);

		if (code == CTL_OK) {
			f->pause_ms = PAUSE_FIRST_MS;
			f->on_error(NULL, f->arg);
		} else if (code != CTL_AUTH) {
			lose(f);
			code = CTL_OK;
		}
		return code;
	}
	if (f->pinged || ws_send(f->ws, "ping") < 0) {
		errmsg_set(&f->ctl->error, "the service does not respond");
		lose(f);
	}
	f->pinged = true;
	return CTL_OK;
}

/* Returns an event that has arrived; NULL: none has.  Does not wait. */
static json_t *take(struct feed *f)
{
	const char *text;
	json_t *event = NULL;
	size_t len;

	while (f->ws != NULL && event == NULL) {
		switch (ws_next(f->ws, &text, &len, &f->ctl->error)) {
		case WS_MORE:
			return NULL;
		case WS_CLOSE:
			lose(f);
			break;
		default:
			f->received_ms = mono_ms();
			f->pinged = false;
			/* the reply "pong" is not JSON */
			event = json_loadb(text, len, 0, NULL);
			break;
		}
	}
	return event;
}

enum ctl_exit feed_next(struct feed *f, int fd, uint64_t until_ms,
			json_t **ret)
{
	*ret = NULL;
	for (;;) {
		struct pollfd fds[2] = { { .fd = fd, .events = POLLIN },
					 { .fd = -1, .events = POLLIN } };
		enum ctl_exit code = CTL_OK;
		uint64_t end, now;

		*ret = take(f);
		if (*ret != NULL)
			return CTL_OK;
		fds[1].fd = f->ws ? ws_fd(f->ws) : -1;
		end = MIN(until_ms, deadline(f));
		now = mono_ms();
		/* at most a minute */
		(void)poll(fds, 2, end <= now ? 0
				   : (int)MIN(end - now, (uint64_t)60 * 1000));
		if (fds[0].revents != 0)
			return CTL_OK;
		if (fds[1].revents == 0 && mono_ms() >= deadline(f))
			code = on_deadline(f);
		if (code != CTL_OK)
			return code;
		if (mono_ms() >= until_ms && fds[1].revents == 0)
			return CTL_OK;
	}
}
