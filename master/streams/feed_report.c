/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/feed_report.h"

#include "common/base/util.h"
#include "proto/ipc/msg_tables.h"

/* After this many reports of a feed without a report of its multiplex, the
 * multiplex is considered absent.  The faults of that time are dropped, because
 * they do not belong to the second in which the multiplex reports again. */
enum { UNTAKEN_MAX = 3 };

static void add_faults(struct msg_input_status *to,
		       const struct msg_input_status *from)
{
	to->cc_error += from->cc_error;
	to->pes_error += from->pes_error;
	to->lost += from->lost;
	to->socket_drops += from->socket_drops;
	to->sync_losses += from->sync_losses;
}

static void clear_faults(struct msg_input_status *in)
{
	in->cc_error = in->pes_error = in->lost = 0;
	in->socket_drops = in->sync_losses = 0;
}

static void add_change(struct feed_report *r, const struct msg_alarm_change *c)
{
	size_t i = 0;

	while (i < r->n_changes && r->changes[i].alarm != c->alarm)
		i++;
	if (i == ARRAY_LEN(r->changes))
		return;
	r->changes[i] = *c;
	r->n_changes = MAX(r->n_changes, i + 1);
}

void feed_report_clear(struct feed_report *r)
{
	field_drop(&input_status_fields, &r->input);
	*r = (struct feed_report){ 0 };
}

void feed_report_add(struct feed_report *r, const struct msg_stream_status *m)
{
	struct msg_input_status before = r->input;

	if (m->n_inputs == 0) {
		feed_report_clear(r);
		return;
	}
	if (r->n_untaken == UNTAKEN_MAX) {
		clear_faults(&before);
		r->n_untaken = 0;
	}
	field_drop(&input_status_fields, &r->input);
	r->input = m->inputs[0];
	field_keep(&input_status_fields, &r->input);
	add_faults(&r->input, &before);
	r->n_untaken++;
	r->heard = true;
	r->filler = m->filler;
	for (size_t i = 0; i < m->n_changes; i++)
		if (m->changes[i].place == 1)
			add_change(r, &m->changes[i]);
}

void feed_report_filler(const struct feed_report *r, unsigned position,
			enum service_filler filler,
			struct msg_stream_status *s)
{
	for (size_t i = 0; r->filler && i < s->n_services; i++) {
		struct msg_service_status *one = &s->services[i];

		if (one->input == position && one->onair &&
		    one->filler == SERVICE_FILLER_NONE)
			one->filler = filler;
	}
}

void feed_report_taken(struct feed_report *r)
{
	clear_faults(&r->input);
	r->n_untaken = 0;
	r->n_changes = 0;
}
