/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What master and stream say to each other. */
#include "proto/spec/link_stat.h"
#include "proto/ipc/msg_desc.h"

#include <errno.h>
#include <string.h>

static size_t addresses_decode(struct msg_reader *r, const char *key,
			       const char **addresses, size_t max)
{
	const json_t *list = read_list(r, key, max);
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item) {
		addresses[i] = json_string_value(item);
		if (addresses[i] == NULL)
			r->err = errmsg_fail(r->why, -EBADMSG,
					     "%s[%zu]: no string", key, i);
	}
	return json_array_size(list);
}

static void addresses_encode(struct json_writer *w, const char *key,
			     const char *const *addresses, size_t n)
{
	write_list(w, key);
	for (size_t i = 0; i < n; i++)
		write_string(w, NULL, addresses[i]);
	write_list_end(w);
}

int stream_start_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_stream_start *s = &m->stream_start;
	struct msg_reader r = read_begin(body, why);

	s->id = read_string(&r, "id", FIELD_ANY_MAX);
	s->name = read_string(&r, "name", FIELD_ANY_MAX);
	s->n_inputs = addresses_decode(&r, "inputs", s->inputs,
				       MSG_INPUTS_MAX);
	s->n_outputs = addresses_decode(&r, "outputs", s->outputs,
					MSG_OUTPUTS_MAX);
	s->first = (unsigned)read_uint(&r, "first", 0, MSG_INPUTS_MAX);
	s->ring = read_bool(&r, "ring");
	s->memory = read_bool(&r, "memory");
	s->options = read_object_maybe(&r, "options");
	return read_end(&r);
}

void stream_start_encode(const struct msg *m, struct json_writer *w)
{
	const struct msg_stream_start *s = &m->stream_start;

	write_string(w, "id", s->id);
	write_string(w, "name", s->name);
	addresses_encode(w, "inputs", s->inputs, s->n_inputs);
	addresses_encode(w, "outputs", s->outputs, s->n_outputs);
	write_u64(w, "first", s->first);
	write_bool(w, "ring", s->ring);
	write_bool(w, "memory", s->memory);
	write_json(w, "options", s->options);
}

int stream_input_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->stream_input.position =
		(unsigned)read_uint(&r, "position", 0, MSG_INPUTS_MAX);
	return read_end(&r);
}

void stream_input_encode(const struct msg *m, struct json_writer *w)
{
	write_u64(w, "position", m->stream_input.position);
}

int stream_ring_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	(void)m;
	return read_end(&r);
}

void stream_ring_encode(const struct msg *m, struct json_writer *w)
{
	(void)m, (void)w;
}

int stream_link_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->stream_link.stream = read_string(&r, "stream", FIELD_ANY_MAX);
	m->stream_link.ring = read_bool(&r, "ring");
	return read_end(&r);
}

void stream_link_encode(const struct msg *m, struct json_writer *w)
{
	write_string(w, "stream", m->stream_link.stream);
	write_bool(w, "ring", m->stream_link.ring);
}

int stream_chosen_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->stream_chosen = (struct msg_stream_chosen){
		.position = (unsigned)read_uint(&r, "position", 0,
						MSG_INPUTS_MAX),
		.error = read_string_maybe(&r, "error", FIELD_TEXT_MAX),
	};
	return read_end(&r);
}

void stream_chosen_encode(const struct msg *m, struct json_writer *w)
{
	write_u64(w, "position", m->stream_chosen.position);
	write_string(w, "error", m->stream_chosen.error);
}

int stream_switched_decode(const json_t *body, struct msg *m,
			   struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->stream_switched = (struct msg_stream_switched){
		.wall_ms = read_u64(&r, "time"),
		.from = (unsigned)read_uint(&r, "from", 0, MSG_INPUTS_MAX),
		.to = (unsigned)read_uint(&r, "to", 0, MSG_INPUTS_MAX),
		.filler = read_bool(&r, "filler"),
		.reason = read_string(&r, "reason", FIELD_WORD_MAX),
		.fault = read_string(&r, "fault", FIELD_WORD_MAX),
	};
	return read_end(&r);
}

void stream_switched_encode(const struct msg *m, struct json_writer *w)
{
	const struct msg_stream_switched *s = &m->stream_switched;

	write_u64(w, "time", s->wall_ms);
	write_u64(w, "from", s->from);
	write_u64(w, "to", s->to);
	write_bool(w, "filler", s->filler);
	write_string(w, "reason", s->reason);
	write_string(w, "fault", s->fault);
}

static const char *const states[] = {
	[INPUT_IDLE] = "idle",
	[INPUT_OPENING] = "opening",
	[INPUT_ACTIVE] = "active",
	[INPUT_STANDBY] = "standby",
	[INPUT_DOWN] = "down",
};

const char *input_state_name(enum input_state state)
{
	return states[state];
}

static enum input_state read_state(struct msg_reader *r)
{
	const char *name = read_string(r, "state", FIELD_WORD_MAX);

	for (size_t i = 0; i < ARRAY_LEN(states); i++)
		if (strcmp(states[i], name) == 0)
			return (enum input_state)i;
	if (r->err == 0)
		r->err = errmsg_fail(r->why, -EBADMSG, "state: unknown: %s",
				     name);
	return INPUT_IDLE;
}

static const json_t *read_stats(struct msg_reader *r)
{
	const json_t *stats = read_object_maybe(r, "stats");

	if (stats != NULL && link_stats_check(stats, r->why) < 0) {
		r->err = -EBADMSG;
		errmsg_prefix(r->why, "stats.");
	}
	return stats;
}

static int input_decode(const json_t *item, struct msg_input_status *s,
			struct errmsg *why)
{
	struct msg_reader r = read_begin(item, why);

	*s = (struct msg_input_status){
		.position = (unsigned)read_uint(&r, "position", 1,
						MSG_INPUTS_MAX),
		.state = read_state(&r),
		.reason = read_string(&r, "reason", FIELD_WORD_MAX),
		.since_s = read_u64(&r, "since"),
		.penalty = read_u32(&r, "penalty"),
		.damped = read_bool(&r, "damped"),
		.active = read_bool(&r, "active"),
		.open = read_bool(&r, "open"),
		.error = read_string_maybe(&r, "error", FIELD_TEXT_MAX),
		.peer = read_string_maybe(&r, "peer", FIELD_TEXT_MAX),
		.heard = read_bool(&r, "heard"),
		.onair = read_bool(&r, "onair"),
		.scrambled = read_bool(&r, "scrambled"),
		.bitrate_kbps = read_u32(&r, "bitrate"),
		.packets = read_u32(&r, "packets"),
		.cc_error = read_u32(&r, "cc_error"),
		.pes_error = read_u32(&r, "pes_error"),
		.sc_error = read_u32(&r, "sc_error"),
		.video_count = read_u32(&r, "video_count"),
		.audio_count = read_u32(&r, "audio_count"),
		.lost = read_u32(&r, "lost"),
		.socket_drops = read_u32(&r, "socket_drops"),
		.sync_losses = read_u32(&r, "sync_losses"),
		.alarms = (uint32_t)read_uint(&r, "alarms", 0, ALARMS_ALL),
		.stats = read_stats(&r),
	};
	return read_end(&r);
}

static void input_encode(const struct msg_input_status *s, bool links,
			 struct json_writer *w)
{
	write_object(w, NULL);
	write_u64(w, "position", s->position);
	write_string(w, "state", input_state_name(s->state));
	write_string(w, "reason", s->reason);
	write_u64(w, "since", s->since_s);
	write_u64(w, "penalty", s->penalty);
	write_bool(w, "damped", s->damped);
	write_bool(w, "active", s->active);
	write_bool(w, "open", s->open);
	write_string(w, "error", s->error);
	write_string(w, "peer", links ? s->peer : NULL);
	write_bool(w, "heard", s->heard);
	write_bool(w, "onair", s->onair);
	write_bool(w, "scrambled", s->scrambled);
	write_u64(w, "bitrate", s->bitrate_kbps);
	write_u64(w, "packets", s->packets);
	write_u64(w, "cc_error", s->cc_error);
	write_u64(w, "pes_error", s->pes_error);
	write_u64(w, "sc_error", s->sc_error);
	write_u64(w, "video_count", s->video_count);
	write_u64(w, "audio_count", s->audio_count);
	write_u64(w, "lost", s->lost);
	write_u64(w, "socket_drops", s->socket_drops);
	write_u64(w, "sync_losses", s->sync_losses);
	write_u64(w, "alarms", s->alarms);
	write_json(w, "stats", links ? s->stats : NULL);
	write_object_end(w);
}

static int output_decode(const json_t *item, struct msg_output_status *s,
			 struct errmsg *why)
{
	struct msg_reader r = read_begin(item, why);

	*s = (struct msg_output_status){
		.position = (unsigned)read_uint(&r, "position", 1,
						MSG_OUTPUTS_MAX),
		.open = read_bool(&r, "open"),
		.error = read_string_maybe(&r, "error", FIELD_TEXT_MAX),
		.peer = read_string_maybe(&r, "peer", FIELD_TEXT_MAX),
		.bitrate_kbps = read_u32(&r, "bitrate"),
		.packets = read_u64(&r, "packets"),
		.dropped = read_u64(&r, "dropped"),
		.stats = read_stats(&r),
	};
	return read_end(&r);
}

static void output_encode(const struct msg_output_status *s, bool links,
			  struct json_writer *w)
{
	write_object(w, NULL);
	write_u64(w, "position", s->position);
	write_bool(w, "open", s->open);
	write_string(w, "error", s->error);
	write_string(w, "peer", links ? s->peer : NULL);
	write_u64(w, "bitrate", s->bitrate_kbps);
	write_u64(w, "packets", s->packets);
	write_u64(w, "dropped", s->dropped);
	write_json(w, "stats", links ? s->stats : NULL);
	write_object_end(w);
}

static int change_decode(const json_t *item, struct msg_alarm_change *c,
			 struct errmsg *why)
{
	struct msg_reader r = read_begin(item, why);
	const char *name = read_string(&r, "alarm", FIELD_WORD_MAX);

	*c = (struct msg_alarm_change){
		.place = (unsigned)read_uint(&r, "place", 0, MSG_INPUTS_MAX),
		.alarm = alarm_find(name),
		.raised = read_bool(&r, "raised"),
		.count = read_u64(&r, "count"),
	};
	if (r.err == 0 && c->alarm == ALARM_COUNT)
		r.err = errmsg_fail(why, -EBADMSG, "alarm: unknown: %s", name);
	return read_end(&r);
}

static void changes_encode(const struct msg_stream_status *s,
			   struct json_writer *w)
{
	write_list(w, "changes");
	for (size_t i = 0; i < s->n_changes; i++) {
		const struct msg_alarm_change *c = &s->changes[i];

		write_object(w, NULL);
		write_u64(w, "place", c->place);
		write_string(w, "alarm", alarm_name(c->alarm));
		write_bool(w, "raised", c->raised);
		write_u64(w, "count", c->count);
		write_object_end(w);
	}
	write_list_end(w);
}

int stream_status_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_stream_status *s = &m->stream_status;
	struct msg_reader r = read_begin(body, why);
	const json_t *changes, *inputs, *outputs, *item;
	size_t i;
	int err;

	s->alarms = (uint32_t)read_uint(&r, "alarms", 0, ALARMS_ALL);
	s->packets = read_u64(&r, "packets");
	s->chosen = (unsigned)read_uint(&r, "chosen", 0, MSG_INPUTS_MAX);
	s->filler = read_bool(&r, "filler");
	changes = read_list(&r, "changes", MSG_CHANGES_MAX);
	inputs = read_list(&r, "inputs", MSG_INPUTS_MAX);
	outputs = read_list(&r, "outputs", MSG_OUTPUTS_MAX);
	err = read_end(&r);

	s->n_changes = json_array_size(changes);
	for (i = 0; i < s->n_changes && err == 0; i++) {
		item = json_array_get(changes, i);
		err = change_decode(item, &s->changes[i], why);
		if (err < 0)
			errmsg_prefix(why, "changes[%zu].", i);
	}
	s->n_inputs = json_array_size(inputs);
	for (i = 0; i < s->n_inputs && err == 0; i++) {
		item = json_array_get(inputs, i);
		err = input_decode(item, &s->inputs[i], why);
		if (err < 0)
			errmsg_prefix(why, "inputs[%zu].", i);
	}
	s->n_outputs = json_array_size(outputs);
	for (i = 0; i < s->n_outputs && err == 0; i++) {
		item = json_array_get(outputs, i);
		err = output_decode(item, &s->outputs[i], why);
		if (err < 0)
			errmsg_prefix(why, "outputs[%zu].", i);
	}
	return err;
}

static void status_encode(const struct msg_stream_status *s, bool links,
			  struct json_writer *w)
{
	write_u64(w, "packets", s->packets);
	write_u64(w, "alarms", s->alarms);
	changes_encode(s, w);
	write_u64(w, "chosen", s->chosen);
	write_bool(w, "filler", s->filler);
	write_list(w, "inputs");
	for (size_t i = 0; i < s->n_inputs; i++)
		input_encode(&s->inputs[i], links, w);
	write_list_end(w);
	write_list(w, "outputs");
	for (size_t i = 0; i < s->n_outputs; i++)
		output_encode(&s->outputs[i], links, w);
	write_list_end(w);
}

/* The heartbeat of a stream with very many links must not fail for them. */
void stream_status_encode(const struct msg *m, struct json_writer *w)
{
	struct json_writer begin = *w;

	status_encode(&m->stream_status, true, w);
	if (!w->full)
		return;
	*w = begin;
	status_encode(&m->stream_status, false, w);
}
