/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/stream_conf.h"

#include "common/base/alloc.h"
#include "common/base/hash.h"
#include "common/base/sorted.h"
#include "master/config/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum { BUCKETS = 4096 };

/* --- one stream --- */

/* True: the input needs the EMMs of all CA systems: for softcams with ecm_pid,
 * whose system need not be in the PMT, and for an output that has the CAT.
 * Otherwise an ECM also leads to the EMMs of its CA system, and only to
 * these. */
static bool has_emms(const struct input_spec *spec)
{
	const struct remux_options *o = &spec->remux;
	bool whole = !remux_options_given(o) && spec->cams.n == 0;

	if (spec->ecm_pid != 0 && spec->cams.n > 0)
		return true;
	return o->cat != TABLE_DROP &&
	       (whole || o->pass_ca || o->cat == TABLE_PASS);
}

static void read_input(struct input_conf *in, const char *address,
		       struct judge *j, struct judge_outputs *places)
{
	struct input_spec spec;

	in->address = address;
	if (address == NULL ||
	    input_spec_parse(address, &spec, NULL, NULL, NULL) < 0)
		return;
	in->is_valid = true;
	in->is_ipv6 = spec.local.sa.sa_family == AF_INET6;
	in->kind = spec.kind;
	in->list = spec.kind == INPUT_FILE && spec.list;
	if (spec.id[0] != '\0')
		in->id = xstrdup(spec.id);
	if (input_kind_is_link(spec.kind))
		in->stream = xstrdup(spec.stream);
	in->module = spec.kind == INPUT_DVB && spec.cams.module;
	/* with T2-MI the options of the program are about the inner stream */
	if (spec.t2mi) {
		in->pids[0] = (uint16_t)spec.t2mi_pid;
	} else {
		in->pnr = spec.remux.pnr;
		in->pids[0] = spec.ecm_pid;
		in->emms = has_emms(&spec);
		in->pids[1] = spec.remux.set_pcr_pid;
	}
	if (spec.cams.n > 0) {
		in->cams = xcalloc(1, sizeof *in->cams);
		*in->cams = spec.cams;
	}
	if (places != NULL)
		judge_input_place(j, &spec, places);
}

static void read_output(struct output_conf *out, const char *address,
			struct judge *j, struct judge_outputs *places)
{
	struct output_spec spec;

	out->address = address;
	if (address == NULL ||
	    output_spec_parse(address, &spec, NULL, NULL, NULL) < 0)
		return;
	out->is_valid = true;
	out->kind = spec.kind;
	if (spec.kind == OUTPUT_HTTP || spec.kind == OUTPUT_FILE)
		out->path = xstrdup(spec.path);
	if (spec.kind == OUTPUT_HTTP) {
		out->tls = spec.tls;
		out->listen = spec.listen;
		out->buffer_size_kib = spec.buffer_size_kib;
		out->buffer_fill_kib = spec.buffer_fill_kib;
		out->hls = spec.hls ? spec.hls_quantity : 0;
		out->fmp4 = spec.hls_segment != 0;
		out->no_auth = spec.no_auth;
	}
	if (places != NULL)
		judge_output_place(j, &spec, places);
}

struct stream_conf *stream_conf_new(const json_t *stream)
{
	const json_t *inputs = json_object_get(stream, "input");
	const json_t *outputs = json_object_get(stream, "output");
	const char *id = json_string_value(json_object_get(stream, "id"));
	struct stream_conf *c = xcalloc(1, sizeof *c);
	struct judge_outputs taken = { .taken = json_object() };
	struct judge_outputs *places = NULL;
	struct judge j = { 0 };

	c->stream = json_incref((json_t *)stream);
	c->id = id != NULL ? id : "";
	c->is_enabled = json_is_true(json_object_get(stream, "enable"));
	c->n_inputs = json_array_size(inputs);
	c->inputs = xcalloc(c->n_inputs + 1, sizeof *c->inputs);
	c->n_outputs = json_array_size(outputs);
	c->outputs = xcalloc(c->n_outputs + 1, sizeof *c->outputs);
	if (c->is_enabled)
		places = &taken;
	for (size_t i = 0; i < c->n_inputs; i++) {
		(void)snprintf(j.path, sizeof j.path, "input[%zu]", i);
		read_input(&c->inputs[i],
			   json_string_value(json_array_get(inputs, i)), &j,
			   places);
	}
	for (size_t i = 0; i < c->n_outputs; i++) {
		(void)snprintf(j.path, sizeof j.path, "output[%zu]", i);
		read_output(&c->outputs[i],
			    json_string_value(json_array_get(outputs, i)), &j,
			    places);
	}
	c->places = taken.taken;
	return c;
}

void stream_conf_free(struct stream_conf **p)
{
	struct stream_conf *c = *p;

	*p = NULL;
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->n_inputs; i++) {
		free(c->inputs[i].id);
		free(c->inputs[i].stream);
		free(c->inputs[i].cams);
	}
	for (size_t i = 0; i < c->n_outputs; i++)
		free(c->outputs[i].path);
	free(c->inputs);
	free(c->outputs);
	json_decref(c->places);
	json_decref((json_t *)c->stream);
	free(c);
}

/* --- all streams --- */

struct place {
	LIST_ENTRY(place) link; /* in the bucket of the key's hash */
	const char *key;        /* borrowed key of conf->places */
	const char *holder; /* path of the address that has the place */
	struct item *item;
};

struct item {
	struct stream_conf *conf;
	size_t position;     /* index in the list of the configuration */
	/* generation of the last list that had the stream */
	unsigned generation;
	size_t n;
	struct place *places;
};

struct stream_confs {
	/* sorted by the addresses of their JSON objects in memory */
	struct item **items;
	size_t n;
	size_t room;
	unsigned generation;
	LIST_HEAD(bucket, place) buckets[BUCKETS];
};

static size_t bucket_of(const char *key)
{
	return hash_add(HASH_INIT, key, strlen(key)) % BUCKETS;
}

static struct item *item_new(struct stream_confs *cs, const json_t *stream)
{
	struct item *item = xcalloc(1, sizeof *item);
	const char *key;
	json_t *holder;

	item->conf = stream_conf_new(stream);
	item->places = xcalloc(json_object_size(item->conf->places) + 1,
			       sizeof *item->places);
	json_object_foreach(item->conf->places, key, holder) {
		struct place *p = &item->places[item->n++];

		p->key = key;
		p->holder = json_string_value(holder);
		p->item = item;
		LIST_INSERT_HEAD(&cs->buckets[bucket_of(key)], p, link);
	}
	return item;
}

static void item_free(struct item *item)
{
	for (size_t i = 0; i < item->n; i++)
		LIST_REMOVE(&item->places[i], link);
	free(item->places);
	stream_conf_free(&item->conf);
	free(item);
}

struct stream_confs *stream_confs_new(void)
{
	return xcalloc(1, sizeof(struct stream_confs));
}

void stream_confs_free(struct stream_confs **p)
{
	struct stream_confs *cs = *p;

	*p = NULL;
	if (cs == NULL)
		return;
	for (size_t i = 0; i < cs->n; i++)
		item_free(cs->items[i]);
	free(cs->items);
	free(cs);
}

struct wanted {
	const struct stream_confs *confs;
	const json_t *stream;
};

static int order(size_t i, const void *arg)
{
	const struct wanted *w = arg;
	uintptr_t here = (uintptr_t)w->confs->items[i]->conf->stream;
	uintptr_t there = (uintptr_t)w->stream;

	return here < there ? -1 : here > there;
}

void stream_confs_set(struct stream_confs *cs, const json_t *streams)
{
	struct wanted w = { .confs = cs };
	size_t i, at, kept = 0;
	json_t *stream;
	bool found;

	cs->generation++;
	json_array_foreach((json_t *)streams, i, stream) {
		w.stream = stream;
		at = sorted_place(cs->n, order, &w, &found);
		if (!found && cs->n == cs->room) {
			cs->room = MAX(2 * cs->room, (size_t)64);
			cs->items = xrealloc(cs->items, cs->room *
							sizeof(struct item *));
		}
		if (!found) {
			memmove(&cs->items[at + 1], &cs->items[at],
				(cs->n - at) * sizeof(struct item *));
			cs->items[at] = item_new(cs, stream);
			cs->n++;
		}
		cs->items[at]->position = i;
		cs->items[at]->generation = cs->generation;
	}
	for (i = 0; i < cs->n; i++) {
		if (cs->items[i]->generation == cs->generation)
			cs->items[kept++] = cs->items[i];
		else
			item_free(cs->items[i]);
	}
	cs->n = kept;
}

const struct stream_conf *stream_confs_get(const struct stream_confs *cs,
					   const json_t *stream)
{
	struct wanted w = { cs, stream };
	bool found;
	size_t at = sorted_place(cs->n, order, &w, &found);

	return found ? cs->items[at]->conf : NULL;
}

bool stream_confs_find_place(const struct stream_confs *cs,
			     const struct place_query *q,
			     char ret[PLACE_HOLDER_MAX])
{
	const struct place *p, *first = NULL;
	const char *own, *of;

	LIST_FOREACH(p, &cs->buckets[bucket_of(q->place)], link)
		if (strcmp(p->key, q->place) == 0 &&
		    p->item->position < q->before &&
		    (q->but == NULL ||
		     strcmp(p->item->conf->id, q->but) != 0) &&
		    (first == NULL ||
		     p->item->position < first->item->position))
			first = p;
	if (first == NULL)
		return false;
	/* "output[0]", or for a port "0.0.0.0:8100 of output[0]" */
	own = first->holder;
	of = strstr(own, PLACE_OF);
	if (of != NULL)
		own = of + strlen(PLACE_OF);
	(void)snprintf(ret, PLACE_HOLDER_MAX, "%.*smake_stream[%zu].%s",
		       (int)(own - first->holder), first->holder,
		       first->item->position, own);
	return true;
}
