/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/announcements.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/supervise/jobs.h"
#include "master/api/command.h"
#include "master/auth/caller.h"
#include "proto/ipc/channel.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct announcements {
	struct jobs *jobs;
	struct job *job;       /* NULL: no worker runs */
	uint64_t since_ms;     /* the start of the worker */
	char error[256];       /* "" when there is none */
	json_t *places[SCAN_PLACES_MAX]; /* objects, or NULL */
};

struct announcements *announcements_new(struct jobs *jobs)
{
	struct announcements *l = xcalloc(1, sizeof *l);

	l->jobs = jobs;
	return l;
}

static void on_hello(struct channel *channel, void *self)
{
	struct msg m = { .type = MSG_SCAN_START,
			 .scan_start = { SCAN_ANNOUNCEMENTS } };

	(void)self;
	(void)channel_send(channel, &m, NULL, 0);
}

static void on_message(const struct msg *m, void *self)
{
	const struct msg_scan_announcement *a = &m->scan_announcement;
	struct announcements *l = self;
	json_t *place = NULL;

	if (m->type == MSG_SCAN_STATUS) {
		const char *error = m->scan_status.error;

		(void)snprintf(l->error, sizeof l->error, "%s",
			       error != NULL ? error : "");
	}
	if (m->type != MSG_SCAN_ANNOUNCEMENT)
		return;
	/* no interface: the session at this place has ended */
	if (a->iface[0] != '\0') {
		place = json_pack("{s:s, s:s, s:s, s:I}", "name", a->name,
				  "sender", a->sender, "iface", a->iface,
				  "heard", (json_int_t)time(NULL));
		if (a->input[0] != '\0')
			(void)json_object_set_new(place, "input",
						  json_string(a->input));
		if (a->note[0] != '\0')
			(void)json_object_set_new(place, "note",
						  json_string(a->note));
	}
	json_decref(l->places[a->place]);
	l->places[a->place] = place;
}

static void stop(void *self)
{
	struct announcements *l = self;

	job_free(&l->job);
	for (size_t i = 0; i < SCAN_PLACES_MAX; i++) {
		json_decref(l->places[i]);
		l->places[i] = NULL;
	}
	l->error[0] = '\0';
}

/* The next request starts another worker. */
static void on_end(const char *error, void *self)
{
	struct announcements *l = self;

	stop(l);
	(void)snprintf(l->error, sizeof l->error,
		       "the worker for announcements has ended: %s", error);
}

static const struct job_kind kind = {
	.role = "scan",
	.beat = MSG_SCAN_STATUS,
	.max = 2, /* a second worker while the first ends */
	.on_hello = on_hello,
	.on_message = on_message,
	.on_end = on_end,
	.on_deadline = stop,
};

void announcements_free(struct announcements **l)
{
	if (*l == NULL)
		return;
	stop(*l);
	free(*l);
	*l = NULL;
}

static void reply_list(const struct announcements *l, const char *error,
		       struct reply *reply)
{
	uint64_t listening_ms = l->job != NULL ? mono_ms() - l->since_ms : 0;
	json_t *list = json_array();
	json_t *body;

	for (size_t i = 0; i < SCAN_PLACES_MAX; i++)
		if (l->places[i] != NULL)
			(void)json_array_append(list, l->places[i]);
	body = json_pack("{s:o, s:I}", "announcements", list, "listening",
			 (json_int_t)(listening_ms / 1000));
	if (error[0] != '\0')
		(void)json_object_set_new(body, "error", json_string(error));
	reply_json(reply, body);
}

static void announcements_get(struct api *api, const char *id,
			      enum status_span span, struct reply *reply)
{
	struct announcements *l = api->announcements;

	(void)id, (void)span;
	/* the worker joins groups and binds their port */
	if (reply_caller(reply)->type != USER_CONTROL) {
		reply_list(l, l->job != NULL ? l->error :
			   "no control user requests the announcements now",
			   reply);
		return;
	}
	if (l->job == NULL) {
		l->job = job_start(l->jobs, &kind, l);
		l->since_ms = mono_ms();
	}
	if (l->job == NULL) {
		reply_error(reply, 503,
			    "the worker for announcements cannot be started");
		return;
	}
	job_set_deadline(l->job, ANNOUNCEMENTS_LIFE_MS);
	reply_list(l, l->error, reply);
}

const struct api_path announcements_paths[] = {
	{ "api/announcements", PATH_ALONE, OBSERVER_ALLOWED,
	  .get = announcements_get },
	{ 0 },
};
