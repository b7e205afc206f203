/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/status/status_stream.h"

#include "common/base/alloc.h"
#include "master/config/stream_conf.h"
#include "master/status/status_set.h"
#include "proto/ipc/msg_tables.h"

#include <net/if.h>
#include <stdlib.h>
#include <string.h>

static void forget_config(struct status_stream *s)
{
	free(s->name);
	free(s->fault);
	for (size_t i = 0; i < s->n_inputs; i++) {
		free(s->input_ids[i]);
		free(s->sources[i]);
		s->sources[i] = NULL;
	}
	s->name = NULL;
	s->fault = NULL;
	s->n_inputs = 0;
}

struct status_stream *status_stream_new(const char *id)
{
	struct status_stream *s = xcalloc(1, sizeof *s);

	s->id = xstrdup(id);
	s->silent = true;
	s->missed_s = STATUS_GONE_S;
	s->position = 1;
	return s;
}

void status_stream_free(struct status_stream **p)
{
	struct status_stream *s = *p;

	*p = NULL;
	if (s == NULL)
		return;
	while (s->raised != NULL)
		status_stream_forget_raised(s, s->raised->place,
					    s->raised->alarm);
	forget_config(s);
	status_stream_set_networks(s, NULL);
	hour_free(&s->hour);
	free(s->worker.reason);
	free(s->error.text);
	for (size_t i = 0; i < ARRAY_LEN(s->input_errors); i++)
		free(s->input_errors[i].text);
	field_drop(&stream_status_fields, &s->last);
	for (size_t i = 0; i < ARRAY_LEN(s->outputs); i++) {
		output_fault_clear(&s->outputs[i].fault);
		free(s->outputs[i].address);
	}
	free(s->id);
	free(s);
}

/* Sets the output; NULL: none.  Its state stays if the address is the same. */
static void set_output(struct status_output *o, const struct output_conf *out)
{
	const char *address = out != NULL ? out->address : NULL;

	if (o->address != NULL && address != NULL &&
	    strcmp(o->address, address) == 0)
		return;
	output_fault_clear(&o->fault);
	free(o->address);
	o->address = xstrdup(address);
	o->is_http = out != NULL && out->is_valid && out->kind == OUTPUT_HTTP;
}

static void rest_outputs(struct status_stream *s)
{
	for (size_t i = 0; i < s->n_outputs; i++)
		output_fault_clear(&s->outputs[i].fault);
}

void status_stream_wait(struct status_stream *s, bool waiting)
{
	s->waiting = waiting && s->enabled;
	if (!s->waiting)
		return;
	rest_outputs(s);
	s->minute = (struct minute){ 0 };
	s->silent = true;
	s->down = false;
}

void status_stream_rename(struct status_stream *s, const char *id)
{
	free(s->id);
	s->id = xstrdup(id);
}

void status_stream_end(struct status_stream *s)
{
	s->enabled = false;
	rest_outputs(s);
	status_stream_judge_worker(s, &(struct stream_proc_info){ 0 });
	s->minute = (struct minute){ 0 };
	s->silent = true;
	s->down = false;
	s->missed_s = STATUS_GONE_S;
	s->off_s = 0;
}

void status_stream_set(struct status_stream *s, const struct stream_conf *conf,
		       const char *fault)
{
	const json_t *name = json_object_get(conf->stream, "name");
	const char *type = json_string_value(json_object_get(conf->stream,
							     "type"));

	forget_config(s);
	s->name = xstrdup(json_string_value(name));
	s->fault = xstrdup(fault);
	s->enabled = conf->is_enabled;
	s->mpts = type != NULL && strcmp(type, "mpts") == 0;
	s->n_inputs = MIN(conf->n_inputs, (size_t)MSG_INPUTS_MAX);
	s->n_outputs = MIN(conf->n_outputs, (size_t)MSG_OUTPUTS_MAX);
	for (size_t i = 0; i < s->n_inputs; i++) {
		s->input_ids[i] = xstrdup(conf->inputs[i].id);
		s->sources[i] = xstrdup(conf->inputs[i].stream);
	}
	status_stream_set_networks(s, conf);
	for (size_t i = 0; i < ARRAY_LEN(s->outputs); i++)
		set_output(&s->outputs[i],
			   i < s->n_outputs ? &conf->outputs[i] : NULL);
	if (!s->enabled)
		status_stream_end(s);
	if (s->position > s->n_inputs)
		s->position = 1;
}

/* Sums the inputs of a multiplex, which is on air if any input is. */
static struct second sum_inputs(const struct msg_stream_status *m)
{
	struct second sum = { .active = true, .bitrate_kbps = m->sent_kbps };

	for (size_t i = 0; i < m->n_inputs; i++) {
		const struct msg_input_status *in = &m->inputs[i];

		sum.onair |= in->onair;
		sum.packets += in->packets;
		sum.cc_error += in->cc_error;
		sum.pes_error += in->pes_error;
		sum.sc_error += in->sc_error;
		sum.video_count += in->video_count;
		sum.audio_count += in->audio_count;
	}
	return sum;
}

static void add_totals(struct status_stream *s)
{
	for (size_t i = 0; i < s->last.n_inputs; i++) {
		const struct msg_input_status *in = &s->last.inputs[i];
		struct status_totals *t = &s->totals[in->position - 1];

		t->packets += in->packets;
		t->cc_error += in->cc_error;
		t->pes_error += in->pes_error;
		t->sc_error += in->sc_error;
		t->lost += in->lost;
		t->socket_drops += in->socket_drops;
		t->sync_losses += in->sync_losses;
	}
}

void status_stream_add(struct status_stream *s,
			const struct msg_stream_status *m, bool amend)
{
	const struct msg_input_status *in = NULL;
	struct second second = { 0 };

	for (unsigned i = 0; i <= MSG_INPUTS_MAX; i++)
		s->before[i] = status_stream_raised(s, i);
	field_assign(&stream_status_fields, &s->last, m);
	/* an event that status_stream_held() delays needs the counts later */
	for (size_t i = 0; i < m->n_changes; i++)
		if (m->changes[i].place == 0 && m->changes[i].raised)
			s->counts[m->changes[i].alarm] = m->changes[i].count;
	for (size_t i = 0; i < s->last.n_inputs && in == NULL; i++)
		if (s->last.inputs[i].active)
			in = &s->last.inputs[i];
	if (in != NULL && m->sent_kbps > 0) {
		s->position = in->position;
		second = sum_inputs(m);
	} else if (in != NULL) {
		s->position = in->position;
		second = (struct second){
			.active = true,
			.onair = in->onair,
			.bitrate_kbps = in->bitrate_kbps,
			.packets = in->packets,
			.cc_error = in->cc_error,
			.pes_error = in->pes_error,
			.sc_error = in->sc_error,
			.video_count = in->video_count,
			.audio_count = in->audio_count,
		};
	} else if (m->filler) {
		second.bitrate_kbps = m->sent_kbps;
	}
	if (amend)
		minute_amend(&s->minute, &second);
	else
		minute_add(&s->minute, &second);
	add_totals(s);
	s->silent = false;
	s->down = false;
	s->taken = false;
	s->missed_s = 0;
}

void status_stream_fail(struct status_stream *s)
{
	/* silent: the last second is off air anyway, because it has no report
	 * or the worker failed in it */
	s->down = s->down || !s->silent;
	s->silent = true;
}

struct minute_sum status_stream_sum(const struct status_stream *s, size_t n)
{
	struct minute_sum sum = { 0 };

	if (!s->down || n > 1)
		sum = minute_sum(&s->minute, n);
	if (s->down)
		sum.onair = false;
	return sum;
}

void status_stream_miss(struct status_stream *s)
{
	minute_add(&s->minute, &(struct second){ 0 });
	s->silent = true;
	s->down = false;
	if (s->missed_s < STATUS_GONE_S)
		s->missed_s++;
	if (status_stream_is_gone(s))
		rest_outputs(s);
}

void status_stream_note_hour(struct status_stream *s, int64_t now_s,
			     bool amend)
{
	struct minute_sum last = minute_sum(&s->minute, 1);
	struct hour_sample sample = {
		.bitrate_kbps = (uint32_t)last.bitrate_kbps,
		.cc_error = (uint32_t)last.cc_error,
		.pes_error = (uint32_t)last.pes_error,
		.input = last.active ? s->position : 0,
		.onair = last.onair,
		.scrambled = last.sc_error > 0,
	};

	if (s->hour != NULL && amend)
		hour_amend(s->hour, &sample);
	else if (s->hour != NULL)
		hour_add(s->hour, now_s, &sample);
}

bool status_stream_is_gone(const struct status_stream *s)
{
	return s->silent && s->missed_s >= STATUS_GONE_S;
}

struct msg_input_status *status_stream_input(const struct status_stream *s,
					     size_t position)
{
	for (size_t i = 0; i < s->last.n_inputs && !s->silent; i++)
		if (s->last.inputs[i].position == position)
			return (struct msg_input_status *)&s->last.inputs[i];
	return NULL;
}

json_t *status_alarm_names(alarm_set raised)
{
	json_t *list = json_array();

	for (int i = 0; i < ALARM_COUNT; i++)
		if (raised >> i & 1)
			(void)json_array_append_new(
				list, json_string(alarm_name(
					(enum alarm_id)i)));
	return list;
}

/* Adds the raised alarms of a place (0: the output), and marks those that its
 * source has as well. */
static void add_alarms(json_t *o, const struct status_stream *s,
		       unsigned place, alarm_set raised)
{
	alarm_set theirs = raised & s->theirs[place];

	(void)json_object_set_new_nocheck(o, "alarms",
					  status_alarm_names(raised));
	if (theirs != 0)
		(void)json_object_set_new_nocheck(o, "source_alarms",
						  status_alarm_names(theirs));
}

static void add_damped(json_t *o, const struct msg_input_status *in)
{
	set_bool(o, "damped", in->damped_s > 0);
	if (in->damped_s > 0)
		set_int(o, "damped_s", in->damped_s);
}

/* Adds the time since when an input has the fault why it is not in use. */
static void add_reason_since(json_t *o, const struct msg_input_status *in)
{
	bool is_fault = in->state == INPUT_DOWN || in->state == INPUT_IDLE;

	if (is_fault && in->reason != NULL && in->reason[0] != '\0' &&
	    in->fault_s > 0)
		set_int(o, "reason_since", in->fault_s);
}

/* Returns the inputs as the worker reports them, with their errors and alarms.
 * Without a report the values are 0, and the error of the last active input
 * says why there is no report. */
static json_t *inputs_report(const struct status_stream *s)
{
	static const struct msg_input_status none;
	json_t *inputs = json_array();

	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct msg_input_status *in =
			status_stream_input(s, i + 1);
		char name[IF_NAMESIZE];
		unsigned interface;
		json_t *o;

		if (in == NULL)
			in = &none;
		interface = status_interface(in);
		o = field_format(&input_status_fields, in, FIELD_INNER);
		set_int(o, "position", i + 1);
		set_text(o, "id", s->input_ids[i]);
		add_damped(o, in);
		if (in->received_kbps > 0 &&
		    in->received_kbps != in->bitrate_kbps)
			set_int(o, "received_bitrate", in->received_kbps);
		if (in->since_s == 0)
			(void)json_object_del(o, "since");
		if (in->reason == NULL || in->reason[0] == '\0')
			(void)json_object_del(o, "reason");
		add_reason_since(o, in);
		if (interface > 0 && if_indextoname(interface, name) != NULL)
			set_text(o, "interface", name);
		status_error_add(o, &s->input_errors[i]);
		add_alarms(o, s, (unsigned)i + 1,
			   status_stream_raised(s, (unsigned)i + 1));
		(void)json_array_append_new(inputs, o);
	}
	return inputs;
}

size_t status_stream_count_faults(const struct status_stream *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_outputs; i++)
		n += s->outputs[i].fault.raised;
	return n;
}

size_t status_stream_count_mute(const struct status_stream *s)
{
	size_t n = 0;

	/* a failing output may send for a moment after each retry */
	for (size_t i = 0; i < s->n_outputs; i++)
		n += s->outputs[i].fault.raised &&
		     s->outputs[i].fault.sends_s < OUTPUT_FAULT_RAISE_S;
	return n;
}

alarm_set status_stream_alarms(const struct status_stream *s)
{
	alarm_set raised = s->worker.raised ? ALARM_BIT(ALARM_WORKER) : 0;

	if (status_stream_count_faults(s) > 0)
		raised |= ALARM_BIT(ALARM_OUTPUT_FAULT);
	return raised | status_stream_raised(s, 0);
}

static void add_switches(json_t *o, const struct stream_proc_info *info)
{
	static const struct switch_log none;

	(void)json_object_set_new(o, "switches",
				  switch_log_list(info->switches != NULL
							  ? info->switches
							  : &none));
}

/* Adds the kind of random access point at which viewers begin, the codecs and
 * the size of the picture, as far as the worker reports them. */
static void add_join(json_t *o, const struct status_stream *s)
{
	static const char *const names[JOIN_KINDS] = {
		[JOIN_PICTURE] = "picture",
		[JOIN_AUDIO] = "audio",
		[JOIN_GUESS] = "guess",
	};

	if (s->silent || names[s->last.join] == NULL)
		return;
	set_text(o, "random_access", names[s->last.join]);
	if (s->last.gop_ms > 0)
		set_int(o, "gop", s->last.gop_ms);
	if (s->last.codecs != NULL)
		set_text(o, "codecs", s->last.codecs);
	if (s->last.width > 0 && s->last.height > 0) {
		set_int(o, "width", s->last.width);
		set_int(o, "height", s->last.height);
	}
}

static json_t *filler_word(unsigned filler)
{
	switch (filler) {
	case SERVICE_FILLER_STILL:
		return json_string("still");
	case SERVICE_FILLER_FILE:
		return json_string("file");
	}
	return json_null();
}

/* Adds the services of a multiplex of several inputs. */
static void add_services(json_t *o, const struct status_stream *s)
{
	json_t *list;

	if (s->silent || s->last.sent_kbps == 0 || s->last.filler)
		return;
	list = json_array();
	for (size_t i = 0; i < s->last.n_services; i++) {
		const struct msg_service_status *m = &s->last.services[i];
		json_t *one = json_object(), *pids = json_array();

		set_int(one, "pnr", m->pnr);
		set_text(one, "name", m->name);
		set_int(one, "input", m->input);
		set_int(one, "pmt_pid", m->pmt_pid);
		set_bool(one, "onair", m->onair);
		set_bool(one, "absent", m->absent);
		(void)json_object_set_new(one, "filler",
					  filler_word(m->filler));
		set_int(one, "priority", m->priority);
		set_int(one, "rate_min", m->rate_min_kbps);
		set_int(one, "rate_max", m->rate_max_kbps);
		set_int(one, "bitrate", m->bitrate_kbps);
		set_int(one, "dropped", m->dropped);
		set_int(one, "excess", m->excess);
		set_int(one, "eit_dropped", m->eit_dropped);
		for (size_t k = 0; k < m->n_pids; k++)
			(void)json_array_append_new(pids,
						    json_integer(m->pids[k]));
		(void)json_object_set_new(one, "pids", pids);
		(void)json_array_append_new(list, one);
	}
	(void)json_object_set_new(o, "services", list);
}

json_t *status_stream_report(const struct status_stream *s,
			     const struct stream_proc_info *info,
			     enum status_span span)
{
	struct minute_sum sum = status_stream_sum(
		s, span == STATUS_SECOND ? 1 : MINUTE_SECONDS);
	json_t *o = json_object();

	set_text(o, "name", s->name);
	status_stream_add_words(o, s, info);
	set_int(o, "input_id", s->position);
	set_bool(o, "active", s->enabled && !s->waiting);
	set_bool(o, "waiting", s->waiting);
	set_bool(o, "onair", sum.onair);
	set_int(o, "sessions", info->viewers);
	set_int(o, "bitrate", sum.bitrate_kbps);
	set_int(o, "packets", sum.packets);
	set_int(o, "pes_error", sum.pes_error);
	set_int(o, "sc_error", sum.sc_error);
	set_int(o, "cc_error", sum.cc_error);
	set_int(o, "video_count", sum.video_count);
	set_int(o, "audio_count", sum.audio_count);
	set_int(o, "sessions_cut", info->viewers_cut);
	add_alarms(o, s, 0, status_stream_alarms(s));
	(void)json_object_set_new(o, "inputs", inputs_report(s));
	(void)json_object_set_new(o, "outputs",
				  status_stream_output_list(s, info));
	add_services(o, s);
	status_stream_add_worker(o, s, info);
	set_bool(o, "filler", !s->silent && s->last.filler);
	if (!s->silent && s->last.cas_error != NULL)
		set_text(o, "cas_error", s->last.cas_error);
	add_join(o, s);
	add_switches(o, info);
	return o;
}

json_t *status_stream_inputs(const struct status_stream *s,
			     const struct stream_proc_info *info)
{
	json_t *o = json_object();

	set_text(o, "name", s->name);
	status_stream_add_words(o, s, info);
	set_int(o, "active_input", s->position);
	if (!s->silent && s->last.chosen > 0)
		set_int(o, "chosen_input", s->last.chosen);
	set_bool(o, "filler", !s->silent && s->last.filler);
	(void)json_object_set_new(o, "inputs", inputs_report(s));
	add_switches(o, info);
	return o;
}

json_t *status_stream_outputs(const struct status_stream *s,
			      const struct stream_proc_info *info)
{
	json_t *o = json_object();

	set_text(o, "name", s->name);
	(void)json_object_set_new(o, "outputs",
				  status_stream_output_list(s, info));
	return o;
}

static json_t *input_check(const struct status_stream *s, size_t i)
{
	static const struct msg_input_status none;
	const struct msg_input_status *known = status_stream_input(s, i + 1);
	const struct msg_input_status *in = known != NULL ? known : &none;
	json_t *o = json_object();

	set_bool(o, "scrambled", in->scrambled);
	set_int(o, "cc_error", in->cc_error);
	set_int(o, "bitrate", in->bitrate_kbps);
	set_int(o, "pes_error", in->pes_error);
	set_bool(o, "onair", in->onair);
	add_alarms(o, s, (unsigned)i + 1,
		   status_stream_raised(s, (unsigned)i + 1));
	status_error_add(o, &s->input_errors[i]);
	/* while no worker runs, the state is unknown */
	if (known == NULL)
		return o;
	set_text(o, "state", input_state_name(in->state));
	if (in->since_s > 0)
		set_int(o, "since", in->since_s);
	if (in->reason != NULL && in->reason[0] != '\0')
		set_text(o, "reason", in->reason);
	add_reason_since(o, in);
	set_int(o, "penalty", in->penalty);
	add_damped(o, in);
	return o;
}

json_t *status_stream_check(const struct status_stream *s,
			    const struct stream_proc_info *info, bool *ret_ok)
{
	struct minute_sum sum = status_stream_sum(s, 1);
	json_t *inputs = json_array();
	json_t *o = json_object();

	for (size_t i = 0; i < s->n_inputs; i++)
		(void)json_array_append_new(inputs, input_check(s, i));
	set_bool(o, "ok", status_stream_is_well(s));
	set_bool(o, "onair", sum.onair);
	status_stream_add_words(o, s, info);
	set_int(o, "active_input", s->position);
	add_alarms(o, s, 0, status_stream_alarms(s));
	(void)json_object_set_new(o, "input", inputs);
	add_switches(o, info);
	*ret_ok = status_stream_is_well(s);
	return o;
}

bool status_stream_is_well(const struct status_stream *s)
{
	struct minute_sum sum = status_stream_sum(s, 1);

	/* a stream whose outputs all send nothing is not well */
	return s->waiting ||
	       (s->enabled && sum.onair &&
		(s->n_outputs == 0 ||
		 status_stream_count_mute(s) < s->n_outputs));
}
