/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/scan_list.h"

#include "common/base/alloc.h"
#include "common/account/secret.h"
#include "common/supervise/jobs.h"
#include "proto/ipc/channel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

struct scan {
	LIST_ENTRY(scan) link;
	char id[SCAN_ID_TEXT];
	char *address;
	struct job *job;
	json_t *records; /* an array */
	size_t bytes;    /* of their text */
	bool truncated;
	char error[256]; /* "" when there is none */
};

struct scan_list {
	struct jobs *jobs;
	LIST_HEAD(, scan) list;
};

struct scan_list *scan_list_new(struct jobs *jobs)
{
	struct scan_list *l = xcalloc(1, sizeof *l);

	l->jobs = jobs;
	LIST_INIT(&l->list);
	return l;
}

void scan_list_free(struct scan_list **l)
{
	struct scan *s;

	if (*l == NULL)
		return;
	while ((s = LIST_FIRST(&(*l)->list)) != NULL)
		scan_free(&s);
	free(*l);
	*l = NULL;
}

void scan_free(struct scan **sp)
{
	struct scan *s = *sp;

	*sp = NULL;
	if (s == NULL)
		return;
	LIST_REMOVE(s, link);
	job_free(&s->job);
	json_decref(s->records);
	free(s->address);
	free(s);
}

static void on_hello(struct channel *channel, void *self)
{
	const struct scan *s = self;
	struct msg m = { .type = MSG_SCAN_START,
			 .scan_start = { s->address } };

	(void)channel_send(channel, &m, NULL, 0);
}

static void keep(struct scan *s, const json_t *record)
{
	size_t len = json_dumpb(record, NULL, 0, JSON_COMPACT);

	if (json_array_size(s->records) >= SCAN_RECORDS_MAX ||
	    s->bytes + len > SCAN_BYTES_MAX) {
		s->truncated = true;
		return;
	}
	s->bytes += len;
	/* only its count of references changes */
	(void)json_array_append(s->records, (json_t *)record);
}

static void on_message(const struct msg *m, void *self)
{
	struct scan *s = self;

	if (m->type == MSG_SCAN_RECORD) {
		keep(s, m->scan_record.record);
	} else if (m->type == MSG_SCAN_STATUS) {
		const char *error = m->scan_status.error;

		(void)snprintf(s->error, sizeof s->error, "%s",
			       error != NULL ? error : "");
	}
}

static void on_end(const char *why, void *self)
{
	struct scan *s = self;

	(void)snprintf(s->error, sizeof s->error,
		       "the analyzer has ended: %s", why);
}

static void on_deadline(void *self)
{
	struct scan *s = self;

	scan_free(&s);
}

static const struct job_kind kind = {
	.role = "scan",
	.beat = MSG_SCAN_STATUS,
	.max = 2 * SCANS_MAX, /* with those that are on their way out */
	.on_hello = on_hello,
	.on_message = on_message,
	.on_end = on_end,
	.on_deadline = on_deadline,
};

static size_t count(const struct scan_list *l)
{
	const struct scan *s;
	size_t n = 0;

	LIST_FOREACH(s, &l->list, link)
		n++;
	return n;
}

struct scan *scan_new(struct scan_list *l, const char *address)
{
	struct scan *s;
	uint64_t number;

	if (count(l) >= SCANS_MAX)
		return NULL;
	s = xcalloc(1, sizeof *s);
	s->job = job_start(l->jobs, &kind, s);
	if (s->job == NULL) {
		free(s);
		return NULL;
	}
	secret_random(&number, sizeof number);
	(void)snprintf(s->id, sizeof s->id, "%016" PRIx64, number);
	s->address = xstrdup(address);
	s->records = json_array();
	LIST_INSERT_HEAD(&l->list, s, link);
	job_set_deadline(s->job, SCAN_LIFE_MS);
	return s;
}

struct scan *scan_find(const struct scan_list *l, const char *id)
{
	struct scan *s;

	LIST_FOREACH(s, &l->list, link)
		if (strcmp(s->id, id) == 0)
			break;
	return s;
}

const char *scan_id(const struct scan *s)
{
	return s->id;
}

void scan_fetch(struct scan *s, json_t *reply)
{
	job_set_deadline(s->job, SCAN_LIFE_MS);
	if (json_array_size(s->records) > 0) {
		(void)json_object_set_new(reply, "scan", s->records);
		s->records = json_array();
		s->bytes = 0;
	}
	if (s->error[0] != '\0')
		(void)json_object_set_new(reply, "error",
					  json_string(s->error));
	if (s->truncated)
		(void)json_object_set_new(reply, "truncated", json_true());
	s->truncated = false;
}
