/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The receivers that connect to listening outputs of a stream: answers the
 * questions of its worker about them, and takes its reports. */
#include "common/base/mono.h"
#include "common/supervise/worker_proc.h"
#include "master/streams/stream_plan.h"
#include "master/streams/stream_proc_state.h"
#include "proto/ipc/channel.h"

static struct viewers *viewers_of(const struct stream_proc *p)
{
	return p->cfg.viewers != NULL ? *p->cfg.viewers : NULL;
}

/* Sends the worker of a stream a message that is made for deliver workers: as
 * the stream.* message with the same content. */
static void send_for_viewers(const struct msg *m, void *arg)
{
	const struct stream_proc *p = arg;
	struct channel *channel = worker_proc_channel(p->proc);
	struct msg own = { .seq = m->seq };

	switch (m->type) {
	case MSG_DELIVER_POLICY:
		own.type = MSG_STREAM_POLICY;
		own.stream_policy = m->deliver_policy;
		break;
	case MSG_DELIVER_ANSWER:
		own.type = MSG_STREAM_ANSWER;
		own.stream_answer = m->deliver_answer;
		break;
	case MSG_DELIVER_REVIEW:
		own.type = MSG_STREAM_REVIEW;
		own.stream_review = m->deliver_review;
		break;
	default:
		own.type = MSG_STREAM_KICK;
		own.stream_kick = m->deliver_kick;
	}
	if (channel != NULL)
		(void)channel_send(channel, &own, NULL, 0);
}

void stream_receivers_init(struct stream_proc *p)
{
	p->way.send = send_for_viewers;
	p->way.arg = p;
	p->way.max = (size_t)MSG_OUTPUTS_MAX * MSG_RECEIVERS_MAX;
}

/* Does nothing unless the worker is sluice-worker-net (plan->net): no other
 * worker has outputs to which receivers can connect. */
void stream_receivers_up(struct stream_proc *p)
{
	if (p->plan->net)
		viewers_up(viewers_of(p), &p->way);
}

void stream_proc_use_viewers(struct stream_proc *p)
{
	const struct msg m = { .type = MSG_DELIVER_REVIEW };

	if (!p->started || p->plan == NULL || viewers_of(p) == NULL)
		return;
	stream_receivers_up(p);
	/* an adopted worker has receivers that this master does not know */
	if (p->plan->net)
		send_for_viewers(&m, p);
}

void stream_receivers_down(struct stream_proc *p)
{
	viewers_down(viewers_of(p), &p->way);
	receivers_clear(&p->receivers);
}

static void ask(struct stream_proc *p, const struct msg *m)
{
	const struct msg denied = {
		.type = MSG_DELIVER_ANSWER, .seq = m->seq,
		.deliver_answer = { .verdict = ASK_DENIED, .login = "" } };
	struct msg_deliver_ask question = m->stream_ask;

	question.stream = p->id;
	question.agent = "";
	if (deliver_proc_is_closed(p->cfg.deliver))
		send_for_viewers(&denied, p);
	else if (p->way.up)
		viewers_ask(viewers_of(p), &p->way, &question, m->seq);
}

static void report(struct stream_proc *p, const struct msg_deliver_changes *c)
{
	if (p->way.up && c->n_joined + c->n_left > 0)
		viewers_report(viewers_of(p), &p->way, c);
}

/* Reports the receivers that came or left since the last list of this
 * output. */
static void take_list(struct stream_proc *p,
		      const struct msg_stream_receivers *m)
{
	struct msg_deliver_changes changes = { .n_left = 0 };

	changes.n_left = receivers_left(&p->receivers, m, changes.left);
	report(p, &changes);
	changes.n_left = 0;
	for (size_t i = 0; i < m->n; i++) {
		if (receivers_is_reported(&p->receivers, m->list[i].client))
			continue;
		changes.joined[changes.n_joined++] =
			receiver_session(p->id, &m->list[i]);
		if (changes.n_joined == ARRAY_LEN(changes.joined)) {
			report(p, &changes);
			changes.n_joined = 0;
		}
	}
	report(p, &changes);
	receivers_update(&p->receivers, p->id, m, mono_ms());
}

void stream_receivers_message(struct stream_proc *p, const struct msg *m)
{
	const struct msg_deliver_changes left = {
		.n_left = 1, .left = { m->stream_left.client } };

	if (m->type == MSG_STREAM_ASK)
		ask(p, m);
	else if (m->type == MSG_STREAM_LEFT)
		report(p, &left);
	else if (m->type == MSG_STREAM_RECEIVERS)
		take_list(p, &m->stream_receivers);
}

const struct receivers *stream_proc_receivers(const struct stream_proc *p)
{
	return &p->receivers;
}

void stream_proc_kick(struct stream_proc *p, uint64_t client)
{
	struct msg m = { .type = MSG_STREAM_KICK, .stream_kick = { client } };
	struct channel *channel = worker_proc_channel(p->proc);

	if (channel != NULL)
		(void)channel_send(channel, &m, NULL, 0);
}
