/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/t2mi_source.h"

#include "common/base/alloc.h"
#include "proto/spec/t2mi_spec.h"
#include "worker/t2mi/t2mi.h"

#include <stdlib.h>

struct t2mi_source {
	struct source base;
	json_t *adapter;     /* the last configuration; t2mi was made with the
			      * same keys of T2-MI */
	struct t2mi *t2mi;   /* NULL: no T2-MI, packets pass unchanged */
	struct batch batch;  /* packets of the inner source */
	struct batch *out;   /* output of the read that runs; NULL: none */
	uint64_t carried;    /* packets of the inner source in this second */
	uint64_t content;    /* packets of the PLP in this second, without null
			      * packets */
	unsigned tunes;      /* source_report.tunes of the last second */
	struct errmsg error; /* why the PLP has no packets; "": no error */
};

/* --- packets --- */

static void on_inner(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct t2mi_source *s = arg;

	for (size_t i = 0; i < n_runs; i++)
		s->carried += runs[i].n;
	t2mi_feed(s->t2mi, runs, n_runs);
}

static void on_plp(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct t2mi_source *s = arg;

	for (size_t i = 0; i < n_runs; i++) {
		for (size_t k = 0; k < runs[i].n; k++)
			s->content += ts_pid(runs[i].data + k * TS_PACKET) !=
				      TS_PID_NULL;
		batch_add(s->out, runs[i]);
	}
	batch_flush(s->out);
}

static int read_packets(struct source *source, struct batch *batch,
			uint64_t now_ns)
{
	struct t2mi_source *s =
		container_of(source, struct t2mi_source, base);
	int reads;

	if (s->t2mi == NULL)
		return source->inner->ops->read(source->inner, batch, now_ns);
	s->out = batch;
	reads = source->inner->ops->read(source->inner, &s->batch, now_ns);
	s->out = NULL;
	return reads;
}

/* Applies the keys of T2-MI.  If they are unchanged, the decapsulator keeps its
 * PLP and its incomplete frame. */
static void take_keys(struct t2mi_source *s, const json_t *adapter)
{
	struct t2mi_spec spec;

	if (s->adapter == NULL || !t2mi_spec_is_same(s->adapter, adapter)) {
		t2mi_free(&s->t2mi);
		if (t2mi_spec_parse(adapter, &spec, NULL) == 0 && spec.t2mi)
			s->t2mi = t2mi_new((uint16_t)spec.pid, spec.plp,
					   on_plp, s);
	}
	json_decref(s->adapter);
	s->adapter = json_deep_copy(adapter);
}

/* --- every second --- */

static void add_error(const struct t2mi_source *s, struct source_report *ret)
{
	if (ret->error == NULL && s->error.text[0] != '\0')
		ret->error = s->error.text;
}

static void every_second(struct source *source, uint64_t now_ns,
			 struct source_report *ret)
{
	struct t2mi_source *s =
		container_of(source, struct t2mi_source, base);
	struct t2mi_counts counts;

	source->inner->ops->every_second(source->inner, now_ns, ret);
	if (s->t2mi != NULL && ret->tunes != s->tunes)
		t2mi_reset(s->t2mi);
	s->error.text[0] = '\0';
	if (s->t2mi != NULL) {
		counts = t2mi_take_counts(s->t2mi);
		if (s->carried == 0 || s->content > 0 ||
		    !t2mi_explain(s->t2mi, &counts, &s->error))
			s->error.text[0] = '\0';
	}
	s->tunes = ret->tunes;
	s->carried = s->content = 0;
	add_error(s, ret);
}

static void look(struct source *source, struct source_report *ret)
{
	struct t2mi_source *s =
		container_of(source, struct t2mi_source, base);

	source_look(source->inner, ret);
	add_error(s, ret);
}

/* --- */

static void source_free(struct source *source)
{
	struct t2mi_source *s =
		container_of(source, struct t2mi_source, base);

	source->inner->ops->free(source->inner);
	t2mi_free(&s->t2mi);
	json_decref(s->adapter);
	free(s);
}

static bool retune(struct source *source, const json_t *adapter)
{
	struct t2mi_source *s =
		container_of(source, struct t2mi_source, base);

	if (!source_retune(source->inner, adapter))
		return false;
	take_keys(s, adapter);
	return true;
}

static const struct source_ops ops = {
	.free = source_free,
	.read = read_packets,
	.every_second = every_second,
	.look = look,
	.retune = retune,
};

struct source *t2mi_source_new(const json_t *adapter, struct source *inner)
{
	struct t2mi_source *s = xcalloc(1, sizeof *s);

	s->base.ops = &ops;
	s->base.cam = inner->cam;
	s->base.inner = inner;
	batch_init(&s->batch, on_inner, s);
	take_keys(s, adapter);
	return &s->base;
}
