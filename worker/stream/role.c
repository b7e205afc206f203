/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The role `stream`: one stream, from its inputs to its outputs; and the role
 * `mux`: a multiplex of all its inputs, which it reads from rings. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/wall.h"
#include "proto/ipc/contract.h"
#include "proto/spec/io_spec.h"
#include "proto/spec/stream_spec.h"
#include "worker/input/input_type.h"
#include "worker/stream/pipeline.h"
#include "worker/stream/selector.h"
#include "worker/stream/ticker.h"
#include "worker/core/worker.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <sysexits.h>
#include <time.h>

struct stream {
	struct worker *worker;
	bool mux; /* the worker has the role `mux' */
	struct pipeline *pipeline; /* made by stream.start; NULL before */
};

static void on_status(const struct msg_stream_status *status, void *arg)
{
	struct stream *s = arg;
	struct msg m = { .type = MSG_STREAM_STATUS,
			 .stream_status = *status };

	/* the channel counts a status for which it has no room */
	(void)channel_send(s->worker->channel, &m, NULL, 0);
}

static void on_switch(const struct selector_switch *sw, void *arg)
{
	struct stream *s = arg;
	struct msg m = { .type = MSG_STREAM_SWITCHED };

	m.stream_switched = (struct msg_stream_switched){
		.wall_ms = wall_ms(),
		.from = sw->from,
		.to = sw->to,
		.filler = sw->filler,
		.late = sw->late || sw->blind,
		.reason = failover_reason_name(sw->reason),
		.fault = sw->fault != NULL ? sw->fault : "",
	};
	/* a lost message does no harm: the next status has the input, too */
	(void)channel_send(s->worker->channel, &m, NULL, 0);
}

static void on_receivers(const struct msg_stream_receivers *r, void *arg)
{
	struct stream *s = arg;
	struct msg m = { .type = MSG_STREAM_RECEIVERS,
			 .stream_receivers = *r };

	/* a lost report does no harm: reports are repeated */
	(void)channel_send(s->worker->channel, &m, NULL, 0);
}

static int send_message(const struct msg *m, void *arg)
{
	const struct stream *s = arg;

	return channel_send(s->worker->channel, m, NULL, 0);
}

static void *stream_new(struct worker *worker)
{
	struct stream *s = xcalloc(1, sizeof *s);

	s->worker = worker;
	return s;
}

static void *mux_new(struct worker *worker)
{
	struct stream *s = stream_new(worker);

	s->mux = true;
	return s;
}

static void stream_free(void *role)
{
	struct stream *s = role;

	pipeline_free(&s->pipeline);
	free(s);
}

/* Does this task belong to the role of the worker?  A multiplex reads rings and
 * the files of absent, and opens no other input. */
static bool is_own(const struct stream *s, const struct msg_stream_start *m)
{
	struct input_spec *spec;
	bool rings = true;

	if (!s->mux || !m->mux)
		return s->mux == m->mux;
	spec = xcalloc(1, sizeof *spec);
	for (size_t i = 0; i < m->n_inputs; i++)
		rings &= input_spec_parse(m->inputs[i], spec, NULL, NULL,
					  NULL) < 0 ||
			 ((spec->kind == INPUT_STREAM ||
			   spec->kind == INPUT_DVB) && spec->mux[0] == '\0');
	free(spec);
	return rings;
}

/* Enters the sandbox with access to what the outputs of the multiplex need, and
 * to files of absent.  False: that failed. */
static bool enter_mux(struct stream *s, const struct msg_stream_start *m)
{
	/* own TDT and TOT need a file of the tz database */
	struct grants grants = {
		.needs = stream_spec_has_clock(m->options) ? NEED_FILES : 0,
	};

	for (size_t i = 0; i < m->n_inputs; i++)
		grants_add_absent(&grants, m->inputs[i]);
	for (size_t i = 0; i < m->n_outputs; i++)
		grants_add_sender(&grants, m->outputs[i]);
	return worker_enter_sandbox(s->worker, &grants);
}

/* Enters the sandbox with access to what the addresses and options of the
 * stream need.  False: that failed. */
static bool enter_stream(struct stream *s, const struct msg_stream_start *m)
{
	/* only the worker program with the HTTP input resolves names */
	struct grants grants = {
		.needs = input_openers[INPUT_HTTP] != NULL
				 ? NEED_TCP | NEED_NAMES
				 : 0,
	};

	for (size_t i = 0; i < m->n_inputs; i++)
		grants_add_input(&grants, m->inputs[i]);
	for (size_t i = 0; i < m->n_outputs; i++)
		grants_add_output(&grants, m->outputs[i]);
	grants_add_options(&grants, m->options);
	return worker_enter_sandbox(s->worker, &grants);
}

static void on_start(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct stream *s = role;
	const struct msg_stream_start *start = &m->stream_start;

	if (s->pipeline != NULL) {
		/* a changed stream gets a new process */
		log_error("stream", "protocol error: second task received: "
			  "this process exits");
		worker_exit(s->worker, EX_PROTOCOL);
		return;
	}
	if (!is_own(s, start)) {
		log_error("stream", "protocol error: the task is for a worker "
			  "of another role: this process exits");
		worker_exit(s->worker, EX_PROTOCOL);
		return;
	}
	if (!(start->mux ? enter_mux(s, start) : enter_stream(s, start)))
		return;
	s->pipeline = pipeline_new(&(struct pipeline_config){
		.loop = s->worker->loop,
		.start = start,
		.ring = start->ring && n_fds > 0 ? fds[0] : -1,
		.wake = &(const struct ticker_wakes){
			.fd = WORKER_CHANNEL_FD,
			.signal = SIGTERM,
			.signal_fd = s->worker->on_term.fd,
		},
		.memory = start->memory && n_fds > 0 ? fds[n_fds - 1] : -1,
		.on_status = on_status,
		.on_switch = on_switch,
		.on_receivers = on_receivers,
		.send = send_message,
		.arg = s,
	});
	worker_send_ready(s->worker);
}

static void on_input(void *role, const struct msg *request, int *fds,
		     size_t n_fds)
{
	struct stream *s = role;
	struct errmsg error = { 0 };
	struct msg m = { .type = MSG_STREAM_CHOSEN, .seq = request->seq };
	int r = -EAGAIN;

	(void)fds, (void)n_fds;
	if (s->pipeline == NULL)
		errmsg_set(&error, "the worker of the stream has not started "
			   "yet");
	else
		r = pipeline_choose(s->pipeline, request->stream_input.position,
				    &error);
	if (r > 0)
		m.stream_chosen.position = (unsigned)r;
	if (error.text[0] != '\0')
		m.stream_chosen.error = error.text;
	(void)channel_send(s->worker->channel, &m, NULL, 0);
}

static void on_analyze(void *role, const struct msg *request, int *fds,
		       size_t n_fds)
{
	struct stream *s = role;
	const struct msg_stream_analyze *a = &request->stream_analyze;
	struct msg m = { .type = MSG_STREAM_ANALYSIS, .seq = request->seq };
	json_t *report;

	(void)fds, (void)n_fds;
	if (s->pipeline != NULL)
		report = pipeline_analysis(s->pipeline, a->place, a->from,
					   &m.stream_analysis.next);
	else
		report = json_object();
	m.stream_analysis.report = report;
	(void)channel_send(s->worker->channel, &m, NULL, 0);
	json_decref(report);
}

static void on_plan(void *role, const struct msg *request, int *fds,
		    size_t n_fds)
{
	struct stream *s = role;
	const struct msg_stream_analyze *a = &request->stream_plan;
	struct msg m = { .type = MSG_STREAM_PLANNED, .seq = request->seq };
	json_t *plan;

	(void)fds, (void)n_fds;
	if (s->pipeline != NULL)
		plan = pipeline_plan(s->pipeline, a->place, a->from,
				     &m.stream_planned.next);
	else
		plan = json_object();
	m.stream_planned.report = plan;
	(void)channel_send(s->worker->channel, &m, NULL, 0);
	json_decref(plan);
}

static void on_scan(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct stream *s = role;

	(void)fds, (void)n_fds;
	if (s->pipeline != NULL)
		pipeline_scan(s->pipeline, &m->stream_scan, s->worker->channel);
}

static void on_kick(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct stream *s = role;

	(void)fds, (void)n_fds;
	if (s->pipeline != NULL)
		(void)pipeline_kick(s->pipeline, m->stream_kick.client);
}

static void on_policy(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct stream *s = role;

	(void)fds, (void)n_fds;
	if (s->pipeline != NULL)
		pipeline_set_policy(s->pipeline, m->stream_policy.authorize);
}

static void on_answer(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct stream *s = role;

	(void)fds, (void)n_fds;
	if (s->pipeline != NULL)
		pipeline_answer(s->pipeline, &m->stream_answer, m->seq);
}

static void on_review(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct stream *s = role;

	(void)fds, (void)n_fds;
	if (s->pipeline != NULL)
		pipeline_review(s->pipeline, m->stream_review.client);
}

static void on_cam(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct stream *s = role;

	(void)fds, (void)n_fds;
	if (s->pipeline != NULL)
		pipeline_take_cam(s->pipeline, m);
}

static void on_clock(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct stream *s = role;

	(void)fds, (void)n_fds;
	if (s->pipeline != NULL)
		pipeline_set_clock(s->pipeline, m->stream_clock.synchronised);
}

static void on_network(void *role, const struct msg *m, int *fds,
		       size_t n_fds)
{
	struct stream *s = role;

	(void)fds, (void)n_fds;
	if (s->pipeline != NULL)
		pipeline_set_network(s->pipeline, m->stream_network.streams);
}

static void on_guide(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct stream *s = role;

	if (s->pipeline != NULL && n_fds > 0)
		pipeline_guide(s->pipeline, &m->stream_guide, fds[0]);
}

static void on_cue(void *role, const struct msg *request, int *fds,
		   size_t n_fds)
{
	struct stream *s = role;
	struct errmsg error = { "the worker of the stream has not started yet"
				};
	struct msg m = { .type = MSG_STREAM_CUED, .seq = request->seq };

	(void)fds, (void)n_fds;
	if (s->pipeline == NULL ||
	    !pipeline_cue(s->pipeline, &request->stream_cue, &error)) {
		log_error("stream", "cue: splice command not sent: %s",
			  error.text);
		m.stream_cued.error = error.text;
	}
	(void)channel_send(s->worker->channel, &m, NULL, 0);
}

static void on_ring(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct stream *s = role;

	(void)m;
	if (s->pipeline != NULL)
		pipeline_use_ring(s->pipeline, n_fds > 0 ? fds[0] : -1);
}

static void on_link(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct stream *s = role;

	if (s->pipeline != NULL)
		pipeline_link(s->pipeline, m->stream_link.stream,
			      n_fds > 0 ? fds[0] : -1);
}

static void on_cas(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct stream *s = role;

	if (s->pipeline == NULL || n_fds == 0)
		return;
	pipeline_link_cas(s->pipeline, m->stream_cas.place, fds[0]);
	fds[0] = -1;
}

static void on_rename(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct stream *s = role;

	(void)fds, (void)n_fds;
	if (s->pipeline != NULL)
		pipeline_rename(s->pipeline, m->stream_rename.from,
				m->stream_rename.to);
}

/* The messages of both roles. */
#define MESSAGES \
	[MSG_STREAM_START] = on_start, \
	[MSG_STREAM_ANALYZE] = on_analyze, \
	[MSG_STREAM_PLAN] = on_plan, \
	[MSG_STREAM_SCAN] = on_scan, \
	[MSG_STREAM_KICK] = on_kick, \
	[MSG_STREAM_POLICY] = on_policy, \
	[MSG_STREAM_ANSWER] = on_answer, \
	[MSG_STREAM_REVIEW] = on_review, \
	[MSG_STREAM_RING] = on_ring, \
	[MSG_STREAM_LINK] = on_link, \
	[MSG_STREAM_RENAME] = on_rename, \
	[MSG_STREAM_CAM] = on_cam, \
	[MSG_STREAM_WORD] = on_cam, \
	[MSG_STREAM_CAS] = on_cas, \
	[MSG_STREAM_CLOCK] = on_clock, \
	[MSG_STREAM_NETWORK] = on_network, \
	[MSG_STREAM_GUIDE] = on_guide

const struct worker_role stream_role = {
	.name = "stream",
	.needs = NEED_THREADS | NEED_UDP,
	.enters_late = true,
	.new = stream_new,
	.free = stream_free,
	.messages = {
		MESSAGES,
		[MSG_STREAM_INPUT] = on_input,
		[MSG_STREAM_CUE] = on_cue,
	},
	/* addresses may name ports below 1024 */
	.capabilities = UINT64_C(1) << CAP_NET_BIND_SERVICE,
};

/* This role needs no threads, and no sockets but those of its outputs. */
const struct worker_role mux_role = {
	.name = "mux",
	.enters_late = true,
	.new = mux_new,
	.free = stream_free,
	.messages = { MESSAGES },
	.capabilities = UINT64_C(1) << CAP_NET_BIND_SERVICE,
};
