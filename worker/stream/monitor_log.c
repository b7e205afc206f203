/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/monitor_log.h"

#include "common/base/log.h"
#include "common/base/units.h"
#include "common/base/wall.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { NAMES_MAX = 200 + sizeof((struct errmsg){ 0 }.text) };

void monitor_log_begin(struct monitor_log *w, const struct psi *psi,
		       const char *where, uint64_t now_ns)
{
	if (w->monitor != NULL) {
		monitor_reset(w->monitor, now_ns);
		return;
	}
	*w = (struct monitor_log){
		.monitor = monitor_new(psi, now_ns),
		.where = where,
	};
}

void monitor_log_done(struct monitor_log *w)
{
	monitor_free(&w->monitor);
}

uint32_t monitor_log_feed(struct monitor_log *w, const struct ts_run *runs,
			  size_t n_runs, const struct ts_skips *skips,
			  uint64_t now_ns)
{
	return w->monitor != NULL
		       ? monitor_feed(w->monitor, runs, n_runs, skips, now_ns)
		       : 0;
}

/* Writes the names of the alarms, and the error behind the alarm `of': "crc,
 * unprotected (path 2: no packets)". */
static void name_all(alarm_set alarms, enum alarm_id of, const char *error,
		     char text[NAMES_MAX])
{
	size_t len = 0;

	text[0] = '\0';
	for (int i = 0; i < ALARM_COUNT && len < NAMES_MAX; i++) {
		bool has_error = i == (int)of && error != NULL;

		if (!(alarms >> i & 1))
			continue;
		len += (size_t)snprintf(text + len, NAMES_MAX - len,
					"%s%s%s%s%s", len > 0 ? ", " : "",
					alarm_name((enum alarm_id)i),
					has_error ? " (" : "",
					has_error ? error : "",
					has_error ? ")" : "");
	}
}

/* Logs a change of the alarms.  The rate of the lines is limited; a change that
 * was held back is logged later, unless it has reverted. */
static void log_alarms(struct monitor_log *w, enum alarm_id of,
		       const char *error, uint64_t now_ns)
{
	char now[NAMES_MAX];
	alarm_set own = w->raised & ~w->known;
	/* an unknown reason is not another reason */
	bool other_reason = of == ALARM_UNPROTECTED && own >> of & 1 &&
			    error != NULL &&
			    strcmp(error, w->logged_error.text) != 0;
	unsigned suppressed;

	if ((own == w->logged && !other_reason) ||
	    !ratelimit_pass(&w->log, now_ns / MS, &suppressed))
		return;
	name_all(own, of, error, now);
	errmsg_set(&w->logged_error, "%s", error != NULL ? error : "");
	if (own == 0)
		log_info("stream", "%s: all alarms cleared", w->where);
	else
		log_warning("stream", "%s: alarms: %s", w->where, now);
	w->logged = own;
}

void monitor_log_rest(struct monitor_log *w)
{
	if (w->monitor != NULL)
		monitor_rest(w->monitor, wall_ms());
	w->raised = w->known = 0;
}

void monitor_log_report(const struct monitor_log *w, unsigned place,
			alarm_set raised, alarm_set *reported,
			struct msg_stream_status *status)
{
	const struct alarm *alarms =
		w->monitor != NULL ? monitor_alarms(w->monitor) : NULL;
	alarm_set changed = raised ^ *reported;

	for (int i = 0; i < ALARM_COUNT &&
			status->n_changes < MSG_CHANGES_MAX; i++) {
		if (!(changed >> i & 1))
			continue;
		*reported ^= ALARM_BIT(i);
		status->changes[status->n_changes++] =
			(struct msg_alarm_change){
				.place = place,
				.alarm = (enum alarm_id)i,
				.raised = raised >> i & 1,
				.count = alarms != NULL ? alarms[i].count : 0,
			};
	}
}

void monitor_log_second(struct monitor_log *w,
			const struct monitor_counts *counts, alarm_set before,
			const char *error, uint64_t now_ns)
{
	const struct alarm *alarms;
	alarm_set was = w->raised;

	if (w->monitor == NULL)
		return;
	(void)monitor_second(w->monitor, counts, now_ns, wall_ms());
	alarms = monitor_alarms(w->monitor);
	w->raised = 0;
	for (int i = 0; i < ALARM_COUNT; i++)
		w->raised |= (alarm_set)alarms[i].raised << i;
	/* an alarm stays in `known' until it is cleared at this point, even if
	 * the input clears it earlier */
	w->known = w->raised & (w->known | (before & ~was));
	log_alarms(w, counts->senders > 1 && counts->unprotected == 0
			? ALARM_TWO_SENDERS
			: ALARM_UNPROTECTED,
	     error, now_ns);
}
