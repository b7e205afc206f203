/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The process of a stream: the alarm `worker', and why there is no report. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/ratelimit.h"
#include "master/status/status_set.h"
#include "master/status/status_stream.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A stream that reads another stream or an adapter, and whose last state in the
 * log is not on air, is logged as off air after this many consecutive reports
 * off air. */
enum { READER_START_S = 5 };

void status_stream_judge_worker(struct status_stream *s,
				const struct stream_proc_info *info)
{
	struct worker_fault *f = &s->worker;
	bool was = f->raised;

	if (!s->enabled || info->fault == NULL) {
		f->raised = f->changed = f->lasting = false;
		free(f->reason);
		f->reason = NULL;
		if (was)
			log_info("status", "stream %s: alarm worker cleared",
				 s->id);
		return;
	}
	if (!was)
		f->since_s = time(NULL);
	/* the process got an alarm (quarantine): the event is sent again */
	f->changed |= info->alarm != NULL && !f->lasting;
	f->lasting = info->alarm != NULL;
	f->raised = true;
	if (f->reason == NULL || strcmp(f->reason, info->fault) != 0) {
		free(f->reason);
		f->reason = xstrdup(info->fault);
	}
	if (!was)
		log_error("status", "stream %s: alarm worker: %s", s->id,
			  f->reason);
}

json_t *status_stream_write_worker(const struct status_stream *s)
{
	const struct worker_fault *f = &s->worker;

	if (!f->raised || !f->reported || f->reason == NULL)
		return json_null();
	return json_pack("[I, s]", (json_int_t)f->since_s, f->reason);
}

void status_stream_take_worker(struct status_stream *s, const json_t *record)
{
	struct worker_fault *f = &s->worker;
	json_int_t since = 0;
	const char *reason = NULL;

	if (f->raised || json_unpack((json_t *)(uintptr_t)record, "[I, s!]",
				     &since, &reason) < 0)
		return;
	f->raised = f->reported = true;
	f->since_s = since;
	f->reason = xstrdup(reason);
}

static void log_off(struct status_stream *s, const char *reason, int pid)
{
	char *name = xasprintf("stream %s", s->id);

	log_warning(name, "off air: %s", reason);
	free(name);
	s->logged_onair = false;
	errmsg_set(&s->logged_off, "%s", reason);
	s->off_pid = pid;
}

static void log_on(struct status_stream *s)
{
	char *name = xasprintf("stream %s", s->id);

	log_info(name, "on air, %u kbit/s",
		 (unsigned)minute_sum(&s->minute, 1).bitrate_kbps);
	free(name);
}

void status_stream_note_down(struct status_stream *s, const char *failure)
{
	if (s->logged_onair && failure != NULL)
		log_off(s, failure, 0);
	else if (failure == NULL)
		s->logged_off.text[0] = '\0';
	s->logged_onair = false;
	s->off_pid = 0;
}

void status_stream_note_hang(struct status_stream *s,
			     const struct stream_proc_info *info)
{
	struct errmsg absence;

	if (s->logged_onair && info->pid != 0 &&
	    s->missed_s >= STATUS_HANG_S &&
	    status_stream_absence(s, info, &absence))
		log_off(s, absence.text, info->pid);
}

/* Logs "off air" and "on air" of a stream that reads another stream or an
 * adapter.  The worker of the stream does not log these, because only the
 * master knows why the source is off air.  Waits at least a second for that
 * reason. */
static void note_reader(struct status_stream *s,
			const struct stream_proc_info *info, bool onair)
{
	unsigned suppressed, patience_s = s->logged_onair ? 2 : READER_START_S;

	s->off_n = onair ? 0 : s->off_n + 1;
	if (onair ? s->logged_onair
		  : s->off_n < patience_s || s->error.text == NULL ||
			    errmsg_is_alike(s->error.text, s->logged_off.text))
		return;
	if (!ratelimit_pass(&s->air_limit, mono_ms(), &suppressed))
		return;
	if (onair) {
		log_on(s);
		s->logged_onair = true;
		s->logged_off.text[0] = '\0';
	} else {
		log_off(s, s->error.text, info->pid);
	}
}

void status_stream_note_report(struct status_stream *s,
			       const struct stream_proc_info *info)
{
	bool onair = minute_sum(&s->minute, 1).onair;

	if (s->n_inputs > 0 && s->sources[s->position - 1] != NULL) {
		note_reader(s, info, onair);
	} else {
		/* the pid is another one: a new worker logs "on air" itself */
		if (onair && s->off_pid != 0 && s->off_pid == info->pid)
			log_on(s);
		s->logged_onair = onair;
		if (onair)
			s->logged_off.text[0] = '\0';
		s->off_n = 0;
	}
	if (onair)
		s->off_pid = 0;
}

bool status_stream_absence(const struct status_stream *s,
			   const struct stream_proc_info *info,
			   struct errmsg *ret)
{
	const char *state = info->state != NULL ? info->state : "";

	if (!s->silent || !s->enabled || s->waiting)
		return false;
	if (s->fault != NULL)
		errmsg_set(ret, "%s", s->fault);
	else if (info->fault != NULL)
		errmsg_set(ret, "%s", info->fault);
	else if (strcmp(state, "running") == 0 && info->silent_s > 0)
		errmsg_set(ret, "no status for %u s", info->silent_s);
	else
		errmsg_set(ret, "%s", "starting");
	return true;
}

struct status_worker status_stream_worker(const struct status_stream *s,
					  const struct stream_proc_info *info)
{
	return (struct status_worker){
		.state = info->state != NULL ? info->state : "stopped",
		.pid = info->pid > 0 ? (uint64_t)info->pid : 0,
		.restarts = info->restarts,
		.alarm = s->fault != NULL && s->enabled ? s->fault
							: info->alarm,
	};
}

void status_stream_add_worker(json_t *o, const struct status_stream *s,
			      const struct stream_proc_info *info)
{
	struct status_worker shown = status_stream_worker(s, info);
	json_t *worker = json_object();

	set_text(worker, "state", shown.state);
	set_int(worker, "pid", shown.pid);
	set_int(worker, "restarts", shown.restarts);
	set_text(worker, "alarm", shown.alarm);
	(void)json_object_set_new(o, "worker", worker);
}
