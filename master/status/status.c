/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/status/status_state.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/base/sorted.h"
#include "common/loop/timer.h"
#include "master/streams/adapter_procs.h"
#include "master/streams/reconciler.h"
#include "master/streams/querier_proc.h"
#include "common/ws/hub.h"
#include "proto/spec/io_spec.h"

#include <ev.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	LOOK_MS = 500,
	/* Time since the last status after which the next one is missing. */
	LATE_MS = 1400,
	/* Pause between two empty seconds; less than 2 * LOOK_MS, so that each
	 * second call of on_timer() adds one. */
	SILENCE_MS = 950,
	/* A status that arrives within this time after a reported empty second
	 * replaces that second. */
	AMEND_MS = 500,
};

struct place {
	const struct status *s;
	const char *id;
};

static int order(size_t i, const void *arg)
{
	const struct place *p = arg;

	return strcmp(p->s->streams[i]->id, p->id);
}

/* Returns the index of id, or the index where it would be inserted. */
static size_t find_place(const struct status *s, const char *id,
			 bool *ret_found)
{
	return sorted_place(s->n, order, &(struct place){ s, id }, ret_found);
}

static struct status_stream *find(const struct status *s, const char *id)
{
	bool found;
	size_t at = find_place(s, id, &found);

	return found ? s->streams[at] : NULL;
}

static void announce(struct status *s, struct status_stream *stream,
		     uint64_t now_ms)
{
	size_t n = status_stream_events(stream);

	stream->reported_ms = now_ms;
	stream->wall_s = time(NULL);
	if (!hub_has_listeners(s->cfg.hub))
		return;
	for (size_t i = 0; i < n; i++) {
		char event[STATUS_EVENT_MAX];
		size_t len = status_stream_event(stream, i, event);

		hub_broadcast_text(s->cfg.hub, event, len, HUB_SOON);
	}
}

/* Sends the due alarm events of a stream.  Does so without clients as well, so
 * that the alarms count as reported. */
static void report_alarms(struct status *s, struct status_stream *stream,
			  uint64_t now_ms)
{
	bool changed = status_stream_note_kept(stream);
	json_t *event;

	while ((event = status_stream_alarm(stream, now_ms)) != NULL) {
		s->changes++;
		hub_broadcast_more(s->cfg.hub, event);
		json_decref(event);
		changed = true;
	}
	if (changed && s->cfg.on_change != NULL)
		s->cfg.on_change(s->cfg.arg);
}

struct stream_proc_info status_ask_worker(struct status *s,
					 struct status_stream *stream)
{
	struct stream_proc_info info = { 0 };

	/* all zero: the reconciler does not have the stream */
	if (!reconciler_get_stream(s->cfg.reconciler, stream->id, &info))
		info = (struct stream_proc_info){ 0 };
	status_stream_wait(stream, info.waiting);
	status_stream_judge_worker(stream, &info);
	status_stream_note_errors(stream, &info, time(NULL));
	return info;
}

static void on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct status *s = container_of(w, struct status, timer);
	uint64_t now_ms = mono_ms();

	(void)loop, (void)revents;
	for (size_t i = 0; i < s->n; i++) {
		struct status_stream *stream = s->streams[i];
		struct stream_proc_info info;
		uint64_t patience = stream->silent ? SILENCE_MS : LATE_MS;

		if (!stream->enabled || now_ms - stream->reported_ms < patience)
			continue;
		status_stream_miss(stream);
		status_stream_note_hour(stream, time(NULL), false);
		info = status_ask_worker(s, stream);
		status_stream_note_hang(stream, &info);
		announce(s, stream, now_ms);
		report_alarms(s, stream, now_ms);
	}
}

struct status *status_new(const struct status_config *cfg)
{
	struct status *s = xcalloc(1, sizeof *s);

	s->cfg = *cfg;
	ev_init(&s->timer, on_timer);
	timer_repeat(cfg->loop, &s->timer, LOOK_MS / 1e3, LOOK_MS / 1e3);
	return s;
}

void status_free(struct status **p)
{
	struct status *s = *p;

	*p = NULL;
	if (s == NULL)
		return;
	ev_timer_stop(s->cfg.loop, &s->timer);
	for (size_t i = 0; i < s->n; i++)
		status_stream_free(&s->streams[i]);
	free(s->streams);
	free(s);
}

/* Starts the record of the hour for streams without one, up to the limit. */
static void record_hours(struct status *s)
{
	for (size_t i = 0; i < s->n && s->n_hours < STATUS_HOURS_MAX; i++)
		if (s->streams[i]->hour == NULL) {
			s->streams[i]->hour = hour_new();
			s->n_hours++;
		}
}

void status_set_stream(struct status *s, const char *id,
		       const struct stream_conf *conf, const char *fault)
{
	bool found;
	size_t at = find_place(s, id, &found);

	if (!found) {
		s->streams = xrealloc(s->streams,
				      (s->n + 1) * sizeof s->streams[0]);
		memmove(s->streams + at + 1, s->streams + at,
			(s->n - at) * sizeof s->streams[0]);
		s->streams[at] = status_stream_new(id);
		s->streams[at]->reported_ms = mono_ms();
		s->streams[at]->wall_s = time(NULL);
		s->n++;
		record_hours(s);
	}
	status_stream_set(s->streams[at], conf, fault);
	report_alarms(s, s->streams[at], mono_ms());
}

void status_rename_stream(struct status *s, const char *from, const char *to)
{
	bool found;
	size_t at = find_place(s, from, &found);
	struct status_stream *stream;

	if (!found)
		return;
	stream = s->streams[at];
	memmove(s->streams + at, s->streams + at + 1,
		(--s->n - at) * sizeof s->streams[0]);
	status_stream_rename(stream, to);
	at = find_place(s, to, &found);
	memmove(s->streams + at + 1, s->streams + at,
		(s->n++ - at) * sizeof s->streams[0]);
	s->streams[at] = stream;
	for (size_t i = 0; i < s->n; i++)
		status_stream_rename_source(s->streams[i], from, to);
}

void status_repeat_alarms(struct status *s, const char *id)
{
	struct status_stream *stream = find(s, id);

	if (stream == NULL)
		return;
	status_stream_forget_reported(stream);
	report_alarms(s, stream, mono_ms());
}

void status_remove_stream(struct status *s, const char *id)
{
	bool found;
	size_t at = find_place(s, id, &found);

	if (!found)
		return;
	status_stream_end(s->streams[at]);
	report_alarms(s, s->streams[at], mono_ms());
	s->n_hours -= s->streams[at]->hour != NULL;
	status_stream_free(&s->streams[at]);
	s->n--;
	memmove(s->streams + at, s->streams + at + 1,
		(s->n - at) * sizeof s->streams[0]);
	record_hours(s);
}

const char *status_fault(const struct status *s, const char *id)
{
	const struct status_stream *stream = find(s, id);

	return stream != NULL ? stream->fault : NULL;
}

bool status_has_faults(const struct status *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->streams[i]->fault != NULL)
			return true;
	return false;
}

void status_worker_alarms(struct status *s, json_t *list)
{
	for (size_t i = 0; i < s->n; i++) {
		struct status_stream *stream = s->streams[i];
		struct stream_proc_info info;
		json_t *sentence;
		char *text;

		if (!stream->worker.raised)
			continue;
		info = status_ask_worker(s, stream);
		if (info.alarm == NULL)
			continue;
		text = xasprintf("stream %s: %s", stream->id, info.alarm);
		sentence = json_string(text);
		(void)json_array_append_new(
			list, sentence != NULL ? sentence
					       : json_string("see the log"));
		free(text);
	}
}

/* Gives an input the alarms and the error of its source.  source: id of a
 * stream, or IO_ADAPTER and the id of an adapter. */
static void relate(struct status *s, struct status_stream *stream,
		   unsigned place, const char *source)
{
	const size_t len = sizeof IO_ADAPTER - 1;
	struct errmsg error;

	if (strncmp(source, IO_ADAPTER, len) != 0)
		status_stream_relate(stream, place, find(s, source));
	else if (adapter_procs_has_error(
			reconciler_adapters(s->cfg.reconciler), source + len,
			&error))
		status_stream_relate_adapter(stream, place, source + len,
					     error.text);
}

void status_push(struct status *s, const char *id,
		 const struct msg_stream_status *m)
{
	struct status_stream *stream = find(s, id);
	struct stream_proc_info info;
	uint64_t now_ms = mono_ms();
	bool amend;

	if (stream == NULL || !stream->enabled)
		return;
	amend = stream->silent && !stream->down &&
		now_ms - stream->reported_ms < AMEND_MS;
	status_stream_add(stream, m, amend);
	status_stream_note_hour(stream, time(NULL), amend);
	status_stream_judge_network(stream, s->cfg.querier, now_ms);
	stream->theirs[0] = 0;
	for (unsigned place = 1; place <= stream->n_inputs; place++) {
		const char *source = stream->sources[place - 1];

		stream->theirs[place] = 0;
		if (source != NULL)
			relate(s, stream, place, source);
	}
	/* amend: the stream_event of this second was sent, as an empty one */
	info = status_ask_worker(s, stream);
	status_stream_note_report(stream, &info);
	if (!amend) {
		status_stream_judge(stream, &info);
		announce(s, stream, now_ms);
	} else {
		stream->reported_ms = now_ms;
	}
	report_alarms(s, stream, now_ms);
}

void status_down(struct status *s, const char *id, const char *failure)
{
	struct status_stream *stream = find(s, id);

	if (stream == NULL)
		return;
	/* a disabled stream is to stop: the end of its process is no failure */
	status_stream_note_down(stream, stream->enabled ? failure : NULL);
	if (stream->enabled && failure != NULL)
		status_stream_fail(stream);
}

void status_switched(struct status *s, const char *id,
		     const struct msg_stream_switched *m)
{
	struct status_stream *stream = find(s, id);
	json_t *event;

	if (stream == NULL)
		return;
	stream->switches++;
	if (!hub_has_listeners(s->cfg.hub))
		return;
	s->changes++;
	event = status_stream_switch(stream, m);
	hub_broadcast(s->cfg.hub, event, HUB_AT_ONCE);
	json_decref(event);
}

static void stamp(json_t *report, int64_t at, const char *instance)
{
	(void)json_object_set_new(report, "timestamp", json_integer(at));
	if (instance != NULL)
		(void)json_object_set_new(report, "instance",
					  json_string(instance));
}

json_t *status_stream(struct status *s, const char *id,
		      enum status_span span, const char *instance)
{
	struct status_stream *stream = find(s, id);
	struct stream_proc_info info;
	json_t *report;

	if (stream == NULL)
		return NULL;
	info = status_ask_worker(s, stream);
	report = status_stream_report(stream, &info, span);
	stamp(report, span == STATUS_SECOND ? time(NULL) : stream->wall_s,
	      instance);
	return report;
}

struct status_codecs status_codecs(const struct status *s, const char *id)
{
	const struct status_stream *stream = find(s, id);
	const struct msg_stream_status *m;

	if (stream == NULL || stream->silent || stream->last.codecs == NULL)
		return (struct status_codecs){ .names = "" };
	m = &stream->last;
	return (struct status_codecs){ m->codecs, m->width, m->height };
}

/* Makes a list of inputs or outputs of a stream with a function of
 * status_stream.h. */
static json_t *list_now(struct status *s, const char *id, const char *instance,
			json_t *(*list)(const struct status_stream *,
					const struct stream_proc_info *))
{
	struct status_stream *stream = find(s, id);
	struct stream_proc_info info;
	json_t *report;

	if (stream == NULL)
		return NULL;
	info = status_ask_worker(s, stream);
	report = list(stream, &info);
	stamp(report, time(NULL), instance);
	return report;
}

json_t *status_inputs(struct status *s, const char *id, const char *instance)
{
	return list_now(s, id, instance, status_stream_inputs);
}

json_t *status_outputs(struct status *s, const char *id, const char *instance)
{
	return list_now(s, id, instance, status_stream_outputs);
}

uint64_t status_changes(const struct status *s)
{
	return s->changes;
}

json_t *status_history(struct status *s, const char *id, int64_t since_s,
		       const char *instance)
{
	struct status_stream *stream = find(s, id);
	json_t *report;

	if (stream == NULL)
		return NULL;
	report = stream->hour != NULL
			 ? hour_report(stream->hour, since_s, time(NULL))
			 : json_object();
	stamp(report, time(NULL), instance);
	return report;
}

const struct hour *status_hour_at(const struct status *s, size_t i,
				  const char **ret_id)
{
	*ret_id = i < s->n ? s->streams[i]->id : NULL;
	return i < s->n ? s->streams[i]->hour : NULL;
}

void status_take_hour(struct status *s, const char *id, const json_t *record,
		      const uint8_t *bytes)
{
	const struct status_stream *stream = find(s, id);

	if (stream != NULL && stream->hour != NULL)
		hour_take(stream->hour, record, bytes);
}

json_t *status_network(struct status *s, const char *instance)
{
	struct queriers *known;
	uint64_t now_ms = mono_ms();
	json_t *report;

	known = querier_proc_known(s->cfg.querier);
	queriers_count_none(known);
	for (size_t i = 0; i < s->n; i++)
		status_stream_count_networks(s->streams[i], known, now_ms);
	report = queriers_report(known, now_ms);
	stamp(report, time(NULL), instance);
	return report;
}

void status_add_alarms(struct status *s, json_t *list)
{
	for (size_t i = 0; i < s->n; i++) {
		(void)status_ask_worker(s, s->streams[i]);
		status_stream_list_alarms(s->streams[i], list);
	}
}

void status_overview(struct status *s, status_sentence_fn *open,
		     struct buf *to, json_t *alarms)
{
	buf_append(to, "[", 1);
	for (size_t i = 0; i < s->n; i++) {
		struct status_stream *stream = s->streams[i];
		struct stream_proc_info info = status_ask_worker(s, stream);

		if (i > 0)
			buf_append(to, ",", 1);
		status_stream_overview(stream, &info, open, to);
		status_stream_list_alarms(stream, alarms);
	}
	buf_append(to, "]", 1);
}

json_t *status_check(struct status *s, const char *id, bool *ret_ok)
{
	struct status_stream *stream = find(s, id);
	struct stream_proc_info info;

	if (stream == NULL)
		return NULL;
	info = status_ask_worker(s, stream);
	return status_stream_check(stream, &info, ret_ok);
}

/* --- from master to master --- */

static json_t *write_kept(const struct status_stream *s)
{
	json_t *one = json_pack("{s:o, s:o, s:o}", "faults",
				status_stream_write_faults(s), "raised",
				status_stream_write_raised(s), "worker",
				status_stream_write_worker(s));

	(void)json_object_update_new(one, status_stream_write_state(s));
	return one;
}

json_t *status_write_kept(const struct status *s)
{
	json_t *all = json_object();

	for (size_t i = 0; i < s->n; i++)
		if (s->streams[i]->enabled)
			(void)json_object_set_new(all, s->streams[i]->id,
						  write_kept(s->streams[i]));
	return all;
}

json_t *status_write(const struct status *s)
{
	json_t *all = json_object(), *one;

	for (size_t i = 0; i < s->n; i++) {
		const struct status_stream *stream = s->streams[i];
		char *minute;

		if (stream->minute.n == 0)
			continue;
		minute = minute_format(&stream->minute);
		one = json_pack("{s:s, s:I}", "minute", minute, "at",
				(json_int_t)stream->wall_s);
		(void)json_object_update_new(one, write_kept(stream));
		(void)json_object_set_new(all, stream->id, one);
		free(minute);
	}
	return all;
}

/* True: the worker of the stream continues to run under this master. */
static bool is_adopted(const struct status *s, const struct status_stream *of)
{
	struct stream_proc_info info = { 0 };

	return reconciler_get_stream(s->cfg.reconciler, of->id, &info) &&
	       info.state != NULL && strcmp(info.state, "running") == 0;
}

/* Takes the last minute; without one (after a crash), whether the stream is on
 * air.  False: the minute is not valid. */
static bool take_minute(struct status *s, struct status_stream *stream,
			const json_t *from)
{
	const json_t *minute = json_object_get(from, "minute");
	const char *text = json_string_value(minute);

	if (minute == NULL) {
		if (is_adopted(s, stream))
			status_stream_take_onair(stream, from);
		return true;
	}
	if (text == NULL || minute_parse(text, &stream->minute) < 0)
		return false;
	stream->wall_s = json_integer_value(json_object_get(from, "at"));
	stream->silent = false;
	stream->missed_s = 0;
	return true;
}

void status_take(struct status *s, const json_t *all)
{
	const char *id;
	json_t *from;

	json_object_foreach((json_t *)(uintptr_t)all, id, from) {
		struct status_stream *stream = find(s, id);

		/* samples that this master has are newer than the record */
		if (stream == NULL || !stream->enabled ||
		    stream->minute.n > 0 || !take_minute(s, stream, from))
			continue;
		status_stream_take_state(stream, from);
		/* the first second of this master continues the minute */
		stream->missed_s = 0;
		status_stream_take_faults(stream,
					  json_object_get(from, "faults"));
		status_stream_take_raised(stream,
					  json_object_get(from, "raised"));
		status_stream_take_worker(stream,
					  json_object_get(from, "worker"));
	}
}
