/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a change would do to a stream that runs, waits, is stopped or new. */
#include "common/supervise/worker_proc.h"
#include "master/streams/reconciler_state.h"
#include "master/streams/stream_plan.h"
#include "master/streams/stream_proc_state.h"
#include "tests/unit/quoted.h"

#include <criterion/criterion.h>

#define STREAM(more) \
	"{'enable':true,'type':'spts','input':['udp://127.0.0.1:5000']" more "}"
#define OFF "{'enable':false,'type':'spts','input':['udp://127.0.0.1:5000']}"
#define CHANGED STREAM(",'output':['udp://127.0.0.1:6000']")
#define RENAMED STREAM(",'name':'Other'")

/* Replaces the process of the stream, and what a reconciler needs of it. */
static pid_t pid;

pid_t worker_proc_pid(const struct worker_proc *w)
{
	(void)w;
	return pid;
}

const char *stream_proc_id(const struct stream_proc *p)
{
	return p->id;
}

bool stream_proc_is_removed(const struct stream_proc *p)
{
	return p->removed;
}

const char *spawner_variable(const struct spawner *s, enum spawn_variable which)
{
	(void)s, (void)which;
	return NULL;
}

static struct stream_conf *conf_of(const char *text)
{
	json_t *stream = quoted(text);
	struct stream_conf *conf = stream_conf_new(stream);

	json_decref(stream);
	return conf;
}

/* What will would do to a001; was: its configuration, NULL: none is known, as
 * of an adopted worker; will, settings: NULL: none. */
static enum stream_change foreseen(struct stream_proc *p, const char *was,
				   const char *will, const char *settings)
{
	struct reconciler r = { 0 };
	struct stream_conf *before = was != NULL ? conf_of(was) : NULL;
	struct stream_conf *after = will != NULL ? conf_of(will) : NULL;
	json_t *next = settings != NULL ? quoted(settings) : NULL;
	enum stream_change change;

	if (before != NULL)
		p->plan = stream_plan_new(p->id, before, NULL, NULL);
	stream_index_add(&r.index, p);
	change = reconciler_foresee(&r, "a001", after, next);
	stream_index_free(&r.index);
	stream_plan_free(&p->plan);
	stream_conf_free(&before);
	stream_conf_free(&after);
	json_decref(next);
	return change;
}

struct row {
	const char *was, *will;
	enum stream_change change;
};

static void expect_rows(const char *id, bool removed, const struct row *rows,
			size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct stream_proc p = { .id = (char *)id, .removed = removed };

		cr_expect_eq(foreseen(&p, rows[i].was, rows[i].will, NULL),
			     rows[i].change, "row %zu", i);
	}
}

Test(stream_foresee, of_a_stream_that_runs)
{
	static const struct row rows[] = {
		{ STREAM(), STREAM(), STREAM_STAYS },
		{ STREAM(), RENAMED, STREAM_STAYS },
		{ STREAM(), CHANGED, STREAM_RESTARTS },
		{ STREAM(), OFF, STREAM_STOPS },
		{ STREAM(), NULL, STREAM_STOPS },
		{ NULL, STREAM(), STREAM_RESTARTS },
	};

	pid = 1;
	expect_rows("a001", false, rows, ARRAY_LEN(rows));
}

Test(stream_foresee, of_a_stream_on_demand_that_waits)
{
	static const struct row rows[] = {
		{ STREAM(), STREAM(), STREAM_STAYS },
		{ STREAM(), CHANGED, STREAM_STAYS },
		{ STREAM(), OFF, STREAM_STAYS },
		{ STREAM(), NULL, STREAM_STAYS },
	};

	pid = 0;
	expect_rows("a001", false, rows, ARRAY_LEN(rows));
}

Test(stream_foresee, of_a_stopped_stream)
{
	static const struct row rows[] = {
		{ OFF, STREAM(), STREAM_STARTS },
		{ OFF, CHANGED, STREAM_STARTS },
		{ OFF, OFF, STREAM_STAYS },
		{ OFF, NULL, STREAM_STAYS },
		{ NULL, STREAM(), STREAM_STARTS },
	};

	pid = 0;
	expect_rows("a001", false, rows, ARRAY_LEN(rows));
}

Test(stream_foresee, of_a_new_stream)
{
	static const struct row rows[] = {
		{ STREAM(), STREAM(), STREAM_STARTS },
		{ STREAM(), OFF, STREAM_STAYS },
		{ STREAM(), NULL, STREAM_STAYS },
	};

	/* the stream that runs has another id, or is removed */
	pid = 1;
	expect_rows("a002", false, rows, ARRAY_LEN(rows));
	expect_rows("a001", true, rows, ARRAY_LEN(rows));
}

Test(stream_foresee, compares_with_the_settings_of_the_next_master)
{
	struct stream_proc p = { .id = (char *)"a001" };

	pid = 1;
	cr_expect_eq(foreseen(&p, STREAM(), STREAM(), "{'cc_limit':7}"),
		     STREAM_RESTARTS);
	cr_expect_eq(foreseen(&p, STREAM(), STREAM(), "{'own':7}"),
		     STREAM_STAYS);
}
