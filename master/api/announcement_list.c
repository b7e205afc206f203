/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/announcement_list.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/supervise/jobs.h"
#include "proto/ipc/channel.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct announcement_list {
	struct jobs *jobs;
	struct job *job;       /* NULL: no worker runs */
	uint64_t since_ms;     /* he does */
	char error[256];       /* "" when there is none */
	json_t *places[SCAN_PLACES_MAX]; /* objects, or NULL */
};

static void forget_all(struct announcement_list *l)
{
	for (size_t i = 0; i < SCAN_PLACES_MAX; i++) {
		json_decref(l->places[i]);
		l->places[i] = NULL;
	}
	l->error[0] = '\0';
}

struct announcement_list *announcement_list_new(struct jobs *jobs)
{
	struct announcement_list *l = xcalloc(1, sizeof *l);

	l->jobs = jobs;
	return l;
}

void announcement_list_free(struct announcement_list **lp)
{
	struct announcement_list *l = *lp;

	*lp = NULL;
	if (l == NULL)
		return;
	job_free(&l->job);
	forget_all(l);
	free(l);
}

static void on_hello(struct channel *channel, void *self)
{
	struct msg m = { .type = MSG_SCAN_START,
			 .scan_start = { SCAN_ANNOUNCEMENTS } };

	(void)self;
	(void)channel_send(channel, &m, NULL, 0);
}

static void keep(struct announcement_list *l,
		 const struct msg_scan_announcement *a)
{
	json_t *place = NULL;

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

static void on_message(const struct msg *m, void *self)
{
	struct announcement_list *l = self;

	if (m->type == MSG_SCAN_ANNOUNCEMENT) {
		keep(l, &m->scan_announcement);
	} else if (m->type == MSG_SCAN_STATUS) {
		const char *error = m->scan_status.error;

		(void)snprintf(l->error, sizeof l->error, "%s",
			       error != NULL ? error : "");
	}
}

/* The next request starts another worker. */
static void on_end(const char *why, void *self)
{
	struct announcement_list *l = self;

	job_free(&l->job);
	forget_all(l);
	(void)snprintf(l->error, sizeof l->error,
		       "who listened has ended: %s", why);
}

static void on_deadline(void *self)
{
	struct announcement_list *l = self;

	job_free(&l->job);
	forget_all(l);
}

static const struct job_kind kind = {
	.role = "scan",
	.beat = MSG_SCAN_STATUS,
	.max = 2, /* with one that is ending */
	.on_hello = on_hello,
	.on_message = on_message,
	.on_end = on_end,
	.on_deadline = on_deadline,
};

static bool listen_on(struct announcement_list *l)
{
	if (l->job == NULL) {
		l->job = job_start(l->jobs, &kind, l);
		l->since_ms = mono_ms();
	}
	if (l->job == NULL)
		return false;
	job_set_deadline(l->job, ANNOUNCEMENTS_LIFE_MS);
	return true;
}

json_t *announcement_list_get(struct announcement_list *l)
{
	json_t *body, *list;

	if (!listen_on(l))
		return NULL;
	list = json_array();
	for (size_t i = 0; i < SCAN_PLACES_MAX; i++)
		if (l->places[i] != NULL)
			(void)json_array_append(list, l->places[i]);
	body = json_pack("{s:o, s:I}", "announcements", list, "listening",
			 (json_int_t)((mono_ms() - l->since_ms) / 1000));
	if (l->error[0] != '\0')
		(void)json_object_set_new(body, "error",
					  json_string(l->error));
	return body;
}
