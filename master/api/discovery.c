/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/discovery.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/supervise/jobs.h"
#include "master/api/command.h"
#include "master/auth/caller.h"
#include "proto/ipc/channel.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct discovery {
	struct jobs *jobs;
	const struct discovery_kind *kind;
	struct job *job;       /* NULL: no worker runs */
	uint64_t since_ms;     /* monotonic time of the start of the worker */
	char error[256];       /* "": no error */
	/* The entries that the worker has found, at the indexes that it
	 * reports; NULL: none. */
	json_t *places[SCAN_PLACES_MAX];
};

struct discovery *discovery_new(struct jobs *jobs,
				const struct discovery_kind *kind)
{
	struct discovery *d = xcalloc(1, sizeof *d);

	d->jobs = jobs;
	d->kind = kind;
	return d;
}

static void on_hello(struct channel *channel, void *self)
{
	const struct discovery *d = self;
	struct msg m = { .type = MSG_SCAN_START,
			 .scan_start = { d->kind->address } };

	(void)channel_send(channel, &m, NULL, 0);
}

static void on_message(const struct msg *m, void *self)
{
	struct discovery *d = self;
	json_t *entry = NULL;
	uint32_t place = 0;

	if (m->type == MSG_SCAN_STATUS) {
		const char *error = m->scan_status.error;

		(void)snprintf(d->error, sizeof d->error, "%s",
			       error != NULL ? error : "");
	}
	if (!d->kind->read(m, &place, &entry))
		return;
	if (entry != NULL)
		(void)json_object_set_new(entry, "heard",
					  json_integer(time(NULL)));
	json_decref(d->places[place]);
	d->places[place] = entry;
}

static void stop(void *self)
{
	struct discovery *d = self;

	job_free(&d->job);
	for (size_t i = 0; i < SCAN_PLACES_MAX; i++) {
		json_decref(d->places[i]);
		d->places[i] = NULL;
	}
	d->error[0] = '\0';
}

/* The worker has ended: forgets its entries.  The next request starts another
 * worker. */
static void on_end(const char *error, void *self)
{
	struct discovery *d = self;

	stop(d);
	(void)snprintf(d->error, sizeof d->error,
		       "the process that searches %s has ended: %s",
		       d->kind->what,
		       error);
}

static const struct job_kind job_kind = {
	.role = "scan",
	.beat = MSG_SCAN_STATUS,
	/* for each of the two kinds of discovery, a worker that is ending and
	 * its successor */
	.max = 4,
	.on_hello = on_hello,
	.on_message = on_message,
	.on_end = on_end,
	.on_deadline = stop,
};

void discovery_free(struct discovery **d)
{
	if (*d == NULL)
		return;
	stop(*d);
	free(*d);
	*d = NULL;
}

void discovery_put(json_t *entry, const char *key, const char *text)
{
	if (text[0] != '\0')
		(void)json_object_set_new(entry, key, json_string(text));
}

static void reply_list(const struct discovery *d, const char *error,
		       struct reply *reply)
{
	uint64_t listening_ms = d->job != NULL ? mono_ms() - d->since_ms : 0;
	json_t *list = json_array();
	json_t *body;

	for (size_t i = 0; i < SCAN_PLACES_MAX; i++)
		if (d->places[i] != NULL)
			(void)json_array_append(list, d->places[i]);
	body = json_pack("{s:o, s:I}", d->kind->key, list, "listening",
			 (json_int_t)(listening_ms / 1000));
	if (error[0] != '\0')
		(void)json_object_set_new(body, "error", json_string(error));
	reply_json(reply, body);
}

void discovery_get(struct discovery *d, struct reply *reply)
{
	char error[96] = "";

	/* only control users start the worker: it joins groups and binds a
	 * port */
	if (reply_caller(reply)->type != USER_CONTROL) {
		if (d->job == NULL)
			(void)snprintf(error, sizeof error, "the search of %s "
							    "is off: it runs "
							    "only while a "
							    "control user "
							    "requests it",
				       d->kind->what);
		reply_list(d, d->job != NULL ? d->error : error, reply);
		return;
	}
	if (d->job == NULL) {
		d->job = job_start(d->jobs, &job_kind, d);
		d->since_ms = mono_ms();
	}
	if (d->job == NULL) {
		reply_error(reply, 503, "the process that searches %s cannot "
					"be started",
			    d->kind->what);
		return;
	}
	job_set_deadline(d->job, d->kind->life_ms);
	reply_list(d, d->error, reply);
}
