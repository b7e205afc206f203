/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends a stream with an own NIT the keys of the streams in its nit_other. */
#include "common/base/log.h"
#include "common/supervise/worker_proc.h"
#include "master/streams/mpts.h"
#include "master/streams/reconciler_state.h"
#include "master/streams/stream_plan.h"
#include "master/streams/stream_proc_state.h"
#include "proto/ipc/channel.h"

#include <string.h>

enum { STREAMS_BYTES_MAX = 40000 }; /* limit of the streams in one message */

/* Adds the keys of a stream that a NIT needs; false: the message has no room.
 * The bitrate is only added for a multiplex. */
static bool add(json_t *streams, const char *id, const json_t *source,
		size_t *size)
{
	static const char *const keys[] = {
		"set_tsid", "onid", "nit_actual", "sdt",
		"private_data_specifier", "tsid", "bitrate", "set_pnr",
		"service_name", "service_provider", "service_type",
		"textcode",
	};
	json_t *one = json_object();

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		json_t *value = json_object_get(source, keys[i]);

		if (value != NULL)
			(void)json_object_set(one, keys[i], value);
	}
	if (!mpts_is_mux(source))
		(void)json_object_del(one, "bitrate");
	*size += strlen(id) + json_dumpb(one, NULL, 0, JSON_COMPACT);
	if (*size <= STREAMS_BYTES_MAX)
		return json_object_set_new(streams, id, one) == 0;
	json_decref(one);
	return false;
}

/* Returns the present keys of the enabled streams with these ids, as many as
 * fit, without the stream itself: a new object. */
static json_t *collect(const struct stream_proc *p, const json_t *ids)
{
	json_t *streams = json_object(), *item;
	size_t i, size = 0;

	json_array_foreach((json_t *)(uintptr_t)ids, i, item) {
		const char *id = json_string_value(item);
		const json_t *source =
			id == NULL || strcmp(id, p->id) == 0 ? NULL
			: p->cfg.events->source_of(id, p->cfg.arg);

		if (source != NULL && !add(streams, id, source, &size))
			break;
	}
	return streams;
}

const json_t *reconciler_source_of(const char *stream, void *arg)
{
	const struct reconciler *r = arg;
	const struct stream_proc *p = stream_index_find(&r->index, stream);

	return p != NULL && !p->removed && p->plan != NULL && p->plan->enable
		       ? p->plan->source
		       : NULL;
}

void stream_network_report(struct stream_proc *p, struct channel *channel)
{
	const json_t *ids = json_object_get(p->plan->options, "nit_other");
	json_t *streams;

	if (json_array_size(ids) == 0 || channel == NULL ||
	    p->cfg.events->source_of == NULL)
		return;
	streams = collect(p, ids);

	const struct msg m = { .type = MSG_STREAM_NETWORK,
			       .stream_network = { streams } };

	if ((p->network == NULL || !json_equal(p->network, streams)) &&
	    channel_send(channel, &m, NULL, 0) == 0) {
		if (json_object_size(streams) < json_array_size(ids))
			log_warning(worker_proc_name(p->proc), "nit_other: "
							       "only %zu of "
							       "%zu streams "
							       "are listed: "
							       "the others are "
							       "disabled, or "
							       "do not fit "
							       "into the "
							       "tables",
				    json_object_size(streams),
				    json_array_size(ids));
		json_decref(p->network);
		p->network = json_incref(streams);
		if (!p->removed && p->cfg.events->on_network != NULL)
			p->cfg.events->on_network(p->id, p->cfg.arg);
	}
	json_decref(streams);
}

void stream_network_forget(struct stream_proc *p)
{
	json_decref(p->network);
	p->network = NULL;
}
