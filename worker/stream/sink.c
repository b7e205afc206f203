/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/sink.h"

#include "common/log.h"

#include <string.h>

void sink_init(struct sink *s, unsigned position, const char *address)
{
	*s = (struct sink){ .position = position };
	/* the master has named the options that nobody knows */
	s->valid = output_spec_parse(address, &s->spec, NULL, NULL,
				     &s->error) == 0;
	if (!s->valid)
		log_error("stream", "output %u: %s", position, s->error.text);
}

void sink_done(struct sink *s)
{
	output_free(&s->output);
	link_record_done(&s->link);
}

static void shut(struct sink *s)
{
	struct link_stats last;

	if (s->output == NULL)
		return;
	sink_counters(s, &s->closed);
	last = output_stats(s->output);
	link_record_close(&s->link, &last);
	output_free(&s->output);
}

static void close_output(struct sink *s, const struct errmsg *why,
			 uint64_t now_ns)
{
	shut(s);
	retry_failed(&s->retry, now_ns);
	if (strcmp(s->error.text, why->text) == 0)
		return;
	s->error = *why;
	log_warning("stream", "output %u: %s", s->position, why->text);
}

void sink_open(struct sink *s, uint64_t now_ns)
{
	struct errmsg why = { 0 };
	int err;

	if (!s->valid || s->spec.kind == OUTPUT_HTTP || s->output != NULL ||
	    !retry_is_due(&s->retry, now_ns))
		return;
	s->output = output_open(&s->spec, &err, &why);
	if (s->output == NULL) {
		close_output(s, &why, now_ns);
		return;
	}
	if (s->error.text[0] != '\0')
		log_info("stream", "output %u: open again", s->position);
	s->error.text[0] = '\0';
}

void sink_second(struct sink *s, uint64_t now_ns)
{
	struct errmsg why = { 0 };

	if (s->output == NULL)
		sink_open(s, now_ns);
	else if (output_second(s->output, &why) < 0)
		close_output(s, &why, now_ns);
	else if (retry_is_due(&s->retry, now_ns))
		retry_worked(&s->retry);
}

void sink_counters(const struct sink *s, struct output_counters *ret)
{
	struct output_counters now = { 0 };

	if (s->output != NULL)
		output_counters(s->output, &now);
	ret->packets = s->closed.packets + now.packets;
	ret->dropped = s->closed.dropped + now.dropped;
}

const json_t *sink_stats(struct sink *s)
{
	struct link_stats now = { 0 };

	if (s->output != NULL)
		now = output_stats(s->output);
	return link_record_tell(&s->link, now);
}
