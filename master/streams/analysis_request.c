/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/analysis_request.h"

#include "common/base/alloc.h"
#include "master/streams/worker_request.h"

#include <errno.h>
#include <stdlib.h>

struct request {
	struct worker_request base; /* the request for the next part */
	analysis_fn *done;
	void *arg;
	struct analysis_scope scope;
	/* position of the requested input, from 1; 0: the output, which is
	 * requested last */
	unsigned place;
	unsigned from;  /* lowest PID of the requested part */
	unsigned parts; /* number of parts received */
	json_t *answer;
	/* report of the requested input or output, borrowed from answer; NULL:
	 * no part of the report has arrived */
	json_t *report;
};

struct analysis {
	struct worker_requests requests;
};

/* Ends a request: calls done with the answer if error is NULL, or with the
 * error, and frees the request. */
static void report_end(struct request *r, const char *error)
{
	json_t *answer = r->answer;
	analysis_fn *done = r->done;
	void *arg = r->arg;

	free(r);
	done(error == NULL ? answer : NULL, error, arg);
	json_decref(answer);
}

static void on_failure(struct worker_request *base, const char *error)
{
	report_end(container_of(base, struct request, base), error);
}

struct analysis *analysis_new(struct ev_loop *loop)
{
	struct analysis *a = xcalloc(1, sizeof *a);

	worker_requests_init(&a->requests, loop, ANALYSIS_MAX, on_failure);
	return a;
}

void analysis_free(struct analysis **a)
{
	if (*a != NULL)
		analysis_down(*a);
	free(*a);
	*a = NULL;
}

static int ask_part(struct analysis *a, struct request *r,
		    struct channel *channel)
{
	struct msg m = { .type = MSG_STREAM_ANALYZE,
			 .stream_analyze = { r->place, r->from } };

	if (r->scope.kind == ANALYSIS_PLAN)
		m = (struct msg){ .type = MSG_STREAM_PLAN,
				  .stream_plan = { r->place, r->from } };
	return worker_request_send(&a->requests, &r->base, channel, &m);
}

int analysis_ask(struct analysis *a, struct channel *channel,
		 struct analysis_scope scope, analysis_fn *done, void *arg)
{
	struct request *r = xcalloc(1, sizeof *r);
	int err;

	r->done = done;
	r->arg = arg;
	r->scope = scope;
	r->place = scope.n_inputs > 0 ? 1 : 0;
	err = ask_part(a, r, channel);
	if (err < 0) {
		free(r);
		return err;
	}
	r->answer = json_object();
	(void)json_object_set_new(r->answer, "inputs", json_array());
	return 0;
}

/* A report arrives in parts.  The first part for the output or an input becomes
 * its report; the following parts add their PIDs. */
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

/* Selects the next part to request.  False: the answer is complete. */
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
	r->place = r->place < r->scope.n_inputs ? r->place + 1 : 0;
	return r->place > 0 || r->scope.kind == ANALYSIS_PACKETS;
}

void analysis_answer(struct analysis *a, struct channel *channel,
		     const struct msg *m)
{
	struct worker_request *base = worker_request_find(&a->requests,
							  m->seq);
	bool planned = m->type == MSG_STREAM_PLANNED;
	const struct msg_stream_analysis *part =
		planned ? &m->stream_planned : &m->stream_analysis;
	const char *error = NULL;
	struct request *r;

	if (base == NULL)
		return;
	r = container_of(base, struct request, base);
	if (planned != (r->scope.kind == ANALYSIS_PLAN))
		return;
	take_part(r, part->report);
	if (next_part(r, part->next)) {
		if (++r->parts == ANALYSIS_PARTS_MAX)
			error = "the worker of the stream sent too many parts";
		else if (channel == NULL || ask_part(a, r, channel) < 0)
			error = "the worker of the stream has ended";
		else
			return;
	}
	worker_request_end(base);
	report_end(r, error);
}

void analysis_down(struct analysis *a)
{
	worker_requests_down(&a->requests);
}
