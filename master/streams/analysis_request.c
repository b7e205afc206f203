/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/analysis_request.h"

#include "common/base/alloc.h"
#include "proto/ipc/channel.h"

#include <errno.h>
#include <ev.h>
#include <stdlib.h>
#include <sys/queue.h>

struct request {
	TAILQ_ENTRY(request) link;
	struct analysis *owner;
	analysis_fn *done;
	void *arg;
	ev_timer deadline;
	size_t n_inputs;
	uint32_t seq;   /* the requested part's */
	unsigned place; /* requested input; 0: the output, at last */
	unsigned from;  /* first PID of the part */
	unsigned parts; /* received */
	json_t *answer;
	json_t *report; /* the place's, borrowed from answer; or NULL */
};

struct analysis {
	struct ev_loop *loop;
	TAILQ_HEAD(, request) requests;
	unsigned n;
	uint32_t last_seq;
};

/* error: NULL for a complete answer. */
static void finish(struct request *r, const char *error)
{
	struct analysis *a = r->owner;
	json_t *answer = r->answer;
	analysis_fn *done = r->done;
	void *arg = r->arg;

	ev_timer_stop(a->loop, &r->deadline);
	TAILQ_REMOVE(&a->requests, r, link);
	a->n--;
	free(r);
	done(error == NULL ? answer : NULL, error, arg);
	json_decref(answer);
}

static void on_deadline(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop, (void)revents;
	finish(container_of(t, struct request, deadline),
	       "no answer from the worker of the stream within 3 s");
}

struct analysis *analysis_new(struct ev_loop *loop)
{
	struct analysis *a = xcalloc(1, sizeof *a);

	a->loop = loop;
	TAILQ_INIT(&a->requests);
	return a;
}

void analysis_free(struct analysis **a)
{
	if (*a != NULL)
		analysis_down(*a);
	free(*a);
	*a = NULL;
}

static int ask_part(struct request *r, struct channel *channel)
{
	struct analysis *a = r->owner;
	struct msg m = { .type = MSG_STREAM_ANALYZE,
			 .stream_analyze = { r->place, r->from } };

	if (++a->last_seq == 0)
		a->last_seq = 1;
	r->seq = m.seq = a->last_seq;
	return channel_send(channel, &m, NULL, 0);
}

int analysis_ask(struct analysis *a, struct channel *channel, size_t n_inputs,
		 analysis_fn *done, void *arg)
{
	struct request *r;
	int err;

	if (a->n == ANALYSIS_MAX)
		return -EBUSY;
	r = xcalloc(1, sizeof *r);
	r->owner = a;
	r->done = done;
	r->arg = arg;
	r->n_inputs = n_inputs;
	r->place = n_inputs > 0 ? 1 : 0;
	err = ask_part(r, channel);
	if (err < 0) {
		free(r);
		return err;
	}
	r->answer = json_object();
	(void)json_object_set_new(r->answer, "inputs", json_array());
	ev_timer_init(&r->deadline, on_deadline, ANALYSIS_MS / 1e3, 0.);
	ev_timer_start(a->loop, &r->deadline);
	TAILQ_INSERT_TAIL(&a->requests, r, link);
	a->n++;
	return 0;
}

/* The first part of a place is its report; others add their PIDs. */
static void take_part(struct request *r, const json_t *part)
{
	json_t *report;

	if (r->report != NULL) {
		(void)json_array_extend(json_object_get(r->report, "pids"),
					json_object_get(part, "pids"));
		return;
	}
	report = r->report = json_deep_copy(part);
	if (r->place == 0) {
		(void)json_object_set_new(r->answer, "output", report);
		return;
	}
	(void)json_object_set_new(report, "position", json_integer(r->place));
	(void)json_array_append_new(json_object_get(r->answer, "inputs"),
				    report);
}

/* Selects the next part.  False: the answer is complete. */
static bool next_part(struct request *r, unsigned next)
{
	if (next > r->from && json_object_get(r->report, "pids") != NULL) {
		r->from = next;
		return true;
	}
	if (r->place == 0)
		return false;
	r->report = NULL;
	r->from = 0;
	r->place = r->place < r->n_inputs ? r->place + 1 : 0;
	return true;
}

void analysis_answer(struct analysis *a, struct channel *channel, uint32_t seq,
		     const struct msg_stream_analysis *part)
{
	struct request *r;

	TAILQ_FOREACH(r, &a->requests, link)
		if (r->seq == seq)
			break;
	if (r == NULL)
		return;
	take_part(r, part->report);
	if (!next_part(r, part->next))
		finish(r, NULL);
	else if (++r->parts == ANALYSIS_PARTS_MAX)
		finish(r, "the worker of the stream sent too many parts");
	else if (channel == NULL || ask_part(r, channel) < 0)
		finish(r, "the worker of the stream has ended");
}

void analysis_down(struct analysis *a)
{
	struct request *r;

	while ((r = TAILQ_FIRST(&a->requests)) != NULL)
		finish(r, "the worker of the stream has ended");
}
