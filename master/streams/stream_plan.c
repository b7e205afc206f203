/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/stream_plan.h"

#include "common/base/alloc.h"
#include "common/base/ring.h"
#include "common/supervise/pem_source.h"
#include "master/streams/mpts.h"
#include "proto/ipc/contract.h"
#include "proto/spec/field_idle.h"
#include "proto/spec/stream_spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int stream_plan_judge(const struct stream_plan *p, struct errmsg *error)
{
	const struct msg start = { .type = MSG_STREAM_START,
				   .stream_start = p->start };
	char data[MSG_SIZE_MAX];

	if (msg_encode(&start, data) >= 0)
		return 0;
	return errmsg_fail(error, -E2BIG,
			   "inputs, outputs and options together exceed %d KiB",
			   MSG_SIZE_MAX / 1024);
}

bool stream_plan_reads(const struct stream_plan *p, const char *stream)
{
	for (size_t i = 0; i < p->links.n; i++)
		if (strcmp(p->links.ids[i], stream) == 0)
			return true;
	return false;
}

static void plan_key(struct stream_plan *p, const json_t *settings)
{
	/* without settings: source is a record of the previous master, which
	 * has crt_key (stream_plan_write()) */
	const char *key = json_string_value(json_object_get(
		settings != NULL ? settings : p->source, "crt_key"));

	if (key == NULL || pem_source_is_text(key))
		return;
	free(p->key);
	p->key = xstrdup(key);
}

static void plan_recordings(struct stream_plan *p, const char *recordings)
{
	/* a record of the previous master has its own value */
	const char *folders = json_string_value(json_object_get(
		p->source, "recordings"));

	if (folders == NULL)
		folders = recordings;
	if (folders == NULL)
		return;
	free(p->recordings);
	p->recordings = xstrdup(folders);
}

static void plan_output(struct stream_plan *p, const struct output_conf *out)
{
	struct plan_http *http;
	size_t wanted = (size_t)out->buffer_size_kib * 1024;

	p->start.outputs[p->start.n_outputs++] = out->address;
	if (!out->is_valid)
		return;
	p->files = p->files || out->kind == OUTPUT_FILE;
	p->net = p->net || output_kind_is_net(out->kind);
	if (out->kind != OUTPUT_HTTP)
		return;
	http = &p->http[p->n_http++];
	http->position = (unsigned)p->start.n_outputs;
	http->listen = out->listen;
	http->tls = out->tls;
	http->no_auth = out->no_auth;
	http->path = xstrdup(out->path);
	http->hls = out->hls;
	http->fmp4 = out->fmp4;
	http->fill_kib = out->buffer_fill_kib;
	p->ring_size = MAX(p->ring_size, MAX(wanted,
					     (size_t)RING_SIZE_DEFAULT));
}

static void plan_cams(struct stream_plan *p, const struct cam_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		bool known = p->n_cams == SOFTCAM_USES_MAX;

		for (size_t k = 0; k < p->n_cams; k++)
			known = known || strcmp(p->cams[k], list->ids[i]) == 0;
		if (!known)
			memcpy(p->cams[p->n_cams++], list->ids[i],
			       sizeof p->cams[0]);
	}
}

/* Adds the program of an input that a CAM descrambles.  plan_link() must have
 * added the link of the input before. */
static void plan_module(struct stream_plan *p, const struct input_conf *in)
{
	size_t i = 0;

	while (strcmp(p->links.ids[i], in->stream) != 0)
		i++;
	p->modules[p->n_modules++] = (struct plan_module){
		.link = (uint16_t)i, .pnr = in->pnr };
}

size_t stream_plan_modules(const struct stream_plan *p, const char *link,
			   uint16_t *ret, size_t n, size_t max)
{
	for (size_t i = 0; i < p->n_modules; i++) {
		const struct plan_module *m = &p->modules[i];
		size_t k = 0;

		if (strcmp(p->links.ids[m->link], link) != 0)
			continue;
		while (k < n && ret[k] != m->pnr)
			k++;
		if (k == n && n < max)
			ret[n++] = m->pnr;
	}
	return n;
}

static void plan_link(struct stream_plan *p, const struct input_conf *in)
{
	size_t i = 0, at = p->programs.n++;

	while (i < p->links.n && strcmp(p->links.ids[i], in->stream) != 0)
		i++;
	if (i == p->links.n)
		memcpy(p->links.ids[p->links.n++], in->stream,
		       strlen(in->stream) + 1);
	p->programs.list[at].link = (uint16_t)i;
	p->programs.list[at].pnr = in->pnr;
	memcpy(p->programs.list[at].pids, in->pids, sizeof in->pids);
	p->programs.list[at].emms = in->emms;
}

struct stream_plan *stream_plan_new(const char *id,
				    const struct stream_conf *conf,
				    const json_t *settings,
				    const char *recordings)
{
	struct stream_plan *p = xcalloc(1, sizeof *p);
	const char *name;
	bool lists = false;

	p->source = json_incref((json_t *)conf->stream);
	p->enable = conf->is_enabled;
	name = json_string_value(json_object_get(p->source, "name"));
	p->start.id = id;
	p->start.name = name != NULL ? name : id;
	p->start.mux = mpts_is_mux(p->source);
	p->start.feed = mpts_is_link(id);
	for (size_t i = 0; i < conf->n_inputs; i++) {
		const struct input_conf *in = &conf->inputs[i];

		if (in->address == NULL || p->start.n_inputs == MSG_INPUTS_MAX)
			continue;
		p->start.inputs[p->start.n_inputs++] = in->address;
		/* the worker reports an address that is invalid */
		if (!in->is_valid)
			continue;
		p->net = p->net || input_kind_is_net(in->kind);
		p->files = p->files || in->kind == INPUT_FILE ||
			   in->kind == INPUT_SDP;
		lists = lists || in->list;
		if (in->cams != NULL)
			plan_cams(p, in->cams);
		if (in->stream != NULL)
			plan_link(p, in);
		if (in->module)
			plan_module(p, in);
	}
	p->http = xcalloc(conf->n_outputs + 1, sizeof *p->http);
	for (size_t i = 0; i < conf->n_outputs; i++)
		if (conf->outputs[i].address != NULL &&
		    p->start.n_outputs < MSG_OUTPUTS_MAX)
			plan_output(p, &conf->outputs[i]);
	p->start.ring = p->ring_size > 0;
	/* without settings: source is a record of the previous master, which
	 * has http_play_hls.  A feed has no playlist. */
	if (!mpts_is_link(id) &&
	    json_is_true(json_object_get(settings != NULL ? settings
							  : p->source,
					 "http_play_hls")))
		p->start.hls = HLS_QUANTITY;
	p->key = xstrdup("");
	p->recordings = xstrdup("");
	if (lists)
		plan_recordings(p, recordings);
	if (p->files)
		plan_key(p, settings);
	p->cas_list = json_object_get(p->source, "cas_list");
	if (json_array_size(p->cas_list) == 0)
		p->cas_list = NULL;
	p->options = stream_spec_pick(p->source);
	p->clock = mpts_has_clock(p->source);
	stream_spec_add_defaults(p->options, settings);
	p->start.options = p->options;
	return p;
}

json_t *stream_plan_write(const struct stream_plan *p)
{
	static const char *const keys[] = { "enable", "name", "type", "input",
					    "output", "cas_list" };
	json_t *copy = json_copy(p->options);

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		json_t *value = json_object_get(p->source, keys[i]);

		if (value != NULL)
			(void)json_object_set(copy, keys[i], value);
	}
	if (p->key[0] != '\0')
		(void)json_object_set_new(copy, "crt_key",
					  json_string(p->key));
	if (p->recordings[0] != '\0')
		(void)json_object_set_new(copy, "recordings",
					  json_string(p->recordings));
	if (p->start.hls > 0)
		(void)json_object_set_new(copy, "http_play_hls", json_true());
	return copy;
}

void stream_plan_free(struct stream_plan **p)
{
	if (*p == NULL)
		return;
	for (size_t i = 0; i < (*p)->n_http; i++)
		free((*p)->http[i].path);
	free((*p)->http);
	free((*p)->key);
	free((*p)->recordings);
	json_decref((*p)->options);
	json_decref((*p)->source);
	free(*p);
	*p = NULL;
}

static bool same_lists(const char *const *a, size_t n_a,
		       const char *const *b, size_t n_b)
{
	if (n_a != n_b)
		return false;
	for (size_t i = 0; i < n_a; i++)
		if (strcmp(a[i], b[i]) != 0)
			return false;
	return true;
}

static unsigned where_of(const struct stream_plan *p)
{
	if (p->start.mux)
		return WHERE_MUX;
	return p->start.n_inputs == 1 ? WHERE_SINGLE : 0;
}

bool stream_plan_is_same(const struct stream_plan *a,
			 const struct stream_plan *b)
{
	return a->enable == b->enable && a->start.mux == b->start.mux &&
	       a->ring_size == b->ring_size &&
	       a->start.hls == b->start.hls && strcmp(a->key, b->key) == 0 &&
	       strcmp(a->recordings, b->recordings) == 0 &&
	       (a->cas_list == NULL) == (b->cas_list == NULL) &&
	       (a->cas_list == NULL || json_equal(a->cas_list, b->cas_list)) &&
	       stream_spec_is_same(a->options, b->options, where_of(b)) &&
	       same_lists(a->start.inputs, a->start.n_inputs, b->start.inputs,
			  b->start.n_inputs) &&
	       same_lists(a->start.outputs, a->start.n_outputs,
			  b->start.outputs, b->start.n_outputs);
}

unsigned stream_plan_first(const struct stream_plan *from,
			   const struct stream_plan *to, unsigned first)
{
	const struct msg_stream_start *new = &to->start;

	if (from == NULL || first > from->start.n_inputs)
		return 0;
	for (size_t i = 0; i < new->n_inputs; i++)
		if (strcmp(from->start.inputs[first - 1], new->inputs[i]) == 0)
			return (unsigned)i + 1;
	return 0;
}
