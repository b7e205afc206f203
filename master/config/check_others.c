/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges the streams of nit_other: they exist, each has a transport stream of
 * its own, and own EIT has room for their services. */
#include "common/base/alloc.h"
#include "master/config/entry.h"
#include "master/config/judge.h"
#include "proto/spec/field_idle.h"
#include "proto/spec/stream_spec.h"

#include <stdlib.h>
#include <string.h>

/* A transport stream that the tables of the stream list. */
struct transport {
	const char *stream;
	uint16_t tsid;
	uint16_t onid; /* 0: the onid in its SDT, which is unknown here */
};

struct others {
	const char *self;
	size_t n, services;
	struct transport list[1 + NIT_OTHER_MAX];
};

static void add(struct judge *j, struct others *o, const json_t *stream,
		const char *id, bool other)
{
	struct stream_spec *spec = xcalloc(1, sizeof *spec);
	struct errmsg ignored;
	struct transport t = { .stream = id };
	bool mux = judge_where(stream) == WHERE_MUX;
	size_t i = 0;

	/* wrong values are reported where that stream is judged */
	(void)!stream_spec_parse(stream, spec, &ignored);
	if (!mux)
		spec->mux_kbps = 0;
	t.tsid = stream_spec_tsid(spec);
	t.onid = spec->tables.onid;
	o->services += MAX(spec->tables.n_services, (size_t)1);
	free(spec);
	while (i < o->n && (t.onid == 0 || o->list[i].tsid != t.tsid ||
			    o->list[i].onid != t.onid))
		i++;
	if (t.tsid == 0 && other)
		judge_add(j, CHECK_WARNING, "stream \"%.64s\" has no set_tsid: "
			  "no table lists it", id);
	else if (t.tsid != 0 && i < o->n)
		judge_add(j, CHECK_WARNING, "stream \"%.64s\" has tsid %u and "
					    "onid %u, as stream \"%.64s\": set "
					    "another %s or onid",
			  id, t.tsid, t.onid,
			  o->list[i].stream, mux ? "tsid" : "set_tsid");
	else if (t.tsid != 0)
		o->list[o->n++] = t;
}

static void judge_other(struct judge *j, struct others *o,
			const json_t *streams, const char *id)
{
	const json_t *stream = entry_find(streams, "id", id);

	if (strcmp(id, o->self) == 0)
		judge_add(j, CHECK_WARNING, "is the stream itself");
	else if (stream == NULL)
		judge_add(j, CHECK_WARNING, "there is no stream \"%.64s\"",
			  id);
	else if (!json_is_true(json_object_get(stream, "enable")))
		judge_add(j, CHECK_WARNING, "stream \"%.64s\" is disabled",
			  id);
	else
		add(j, o, stream, id, true);
}

void judge_others(struct judge *j, const json_t *stream, const json_t *streams)
{
	const json_t *list = json_object_get(stream, "nit_other"), *item;
	const char *self = json_string_value(json_object_get(stream, "id"));
	const char *eit = json_string_value(
		json_object_get(stream, "eit_other"));
	struct others o = { .self = self != NULL ? self : "" };
	size_t mark, i;

	if (json_array_size(list) == 0 ||
	    !json_is_true(json_object_get(stream, "enable")))
		return;
	mark = judge_down(j, "nit_other");
	add(j, &o, stream, o.self, false);
	json_array_foreach((json_t *)(uintptr_t)list, i, item) {
		size_t inner = judge_down_index(j, i);

		if (json_is_string(item) && i < NIT_OTHER_MAX)
			judge_other(j, &o, streams, json_string_value(item));
		judge_up(j, inner);
	}
	if (eit != NULL && strcmp(eit, "pass") != 0 &&
	    o.services > EIT_SERVICES_MAX)
		judge_add(j, CHECK_WARNING, "the streams in it and this stream "
					    "have %zu services: own EIT are "
					    "sent of only %d of them",
			  o.services,
			  EIT_SERVICES_MAX);
	judge_up(j, mark);
}
