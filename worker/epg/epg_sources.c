/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/epg_sources.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/base/wall.h"
#include "common/loop/helper.h"
#include "common/loop/timer.h"
#include "proto/spec/epg_source.h"
#include "worker/epg/source_reader.h"
#include "worker/epg/import_feed.h"

#include <errno.h>
#include <ev.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	TURN_MS = 10,   /* interval of the timer while a source is being
			 * imported */
	IDLE_MS = 1000, /* interval of the timer while no source is being
			 * imported */
	RETRY_S = 30,   /* from the first failure to the next attempt; doubles
			 * with each further failure */
	RETRY_MAX_S = 900, /* longest time from a failure to the next attempt */
	/* least time between two imports because of new services; doubles each
	 * time */
	NEW_SERVICE_S = 60,
	THREADS_MAX = 2,
};

struct source {
	struct epg_source_spec spec;
	bool usable; /* the address is valid */
	/* times of mono_ms(): when the next import is due; when the last one
	 * began */
	uint64_t next_ms, begun_ms;
	unsigned failures; /* failed imports since the last good one */
	bool imported; /* an import of the source has succeeded */
	uint64_t new_services; /* guide_new_services() at the begin of its last
				* import */
	unsigned pause_s; /* least time from begun_ms to an import because of
			   * new services */
	/* state of the file at the last good import */
	struct source_stamp stamp;
	/* Unix times: when its last import began; guide_import_counts.later_s
	 * of its last good import */
	int64_t import_s, later_s;
	struct errmsg error, refusal; /* as they were logged: last error, and
				       * why a programme was rejected */
};

struct epg_sources {
	struct ev_loop *loop;
	struct guide *guide;
	struct helpers *helpers;
	ev_timer timer;
	struct source *list;
	size_t n;
	bool released; /* guide_release_imported() was called */
	/* the import that is running */
	struct source *now; /* the source that is being imported; NULL: none */
	struct source_reader *reader;
	struct import_feed *feed;
	bool whole; /* the whole document was read */
	struct epg_sources_status status;
};

static size_t place_of(const struct epg_sources *s, const struct source *one)
{
	return (size_t)(one - s->list);
}

static void set_error(struct epg_sources *s, struct source *one,
		      const struct errmsg *error)
{
	struct errmsg text = *error;

	errmsg_prefix(&text, "epg_sources[%zu]: ", place_of(s, one));
	if (!errmsg_is_alike(one->error.text, text.text))
		log_warning("epg", "%s: the guide is not changed", text.text);
	one->error = text;
}

/* --- an import --- */

static void end(struct epg_sources *s)
{
	source_reader_free(&s->reader);
	import_feed_free(&s->feed);
	s->whole = false;
	s->now = NULL;
}

static void fail(struct epg_sources *s, const struct errmsg *error)
{
	struct source *one = s->now;
	unsigned pause_s = RETRY_S << MIN(one->failures, 5U);

	pause_s = MIN(pause_s, (unsigned)RETRY_MAX_S);
	one->failures++;
	/* the source must be read again even if its file does not change */
	one->stamp = (struct source_stamp){ 0 };
	one->next_ms = mono_ms() +
		       UINT64_C(1000) * MIN(pause_s, one->spec.interval_s);
	set_error(s, one, error);
	end(s);
}

/* When all sources were imported: imported events of the saved guide that no
 * source has any more then count as events of the EIT, which may replace
 * them. */
static void release(struct epg_sources *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->list[i].imported)
			return;
	if (!s->released)
		guide_release_imported(s->guide);
	s->released = true;
}

/* Counts an import.  Logs the first import of a source, the first one after an
 * error, and new reasons for rejected programmes.  error: why the document
 * changes nothing; "": no error. */
static void report(struct epg_sources *s, const struct guide_import_counts *c,
		   const struct errmsg *error)
{
	uint64_t refused = import_feed_refused(s->feed);
	const char *first = import_feed_first_refusal(s->feed);
	struct source *one = s->now;
	size_t place = place_of(s, one);

	s->status.imports++;
	s->status.changes += c->changed;
	s->status.refused += refused;
	s->status.overlaps += c->cut;
	s->status.endless += c->endless;
	s->status.gaps += c->gaps;
	if (!one->imported ||
	    (one->error.text[0] != '\0' && error->text[0] == '\0'))
		log_info("epg", "epg_sources[%zu]: imported %" PRIu64 " "
			 "programmes of %" PRIu64 " channels (%" PRIu64 " "
			 "overlaps, %" PRIu64 " without an end time, %" PRIu64
			 " dropped at a limit of the guide)", place,
			 c->programmes,
			 c->channels, c->cut, c->endless, c->dropped);
	if (refused > 0 && !errmsg_is_alike(first, one->refusal.text))
		log_warning("epg", "epg_sources[%zu]: %" PRIu64 " programmes "
			    "rejected, the first one: %s", place, refused,
			    first);
	errmsg_set(&one->refusal, "%s", first);
	if (error->text[0] != '\0')
		set_error(s, one, error);
	else
		one->error.text[0] = '\0';
}

static void succeed(struct epg_sources *s,
		    const struct guide_import_counts *c)
{
	struct source *one = s->now;
	struct errmsg error = { "" };

	if (c->channels == 0)
		errmsg_set(&error, "no channel with current programmes belongs "
			   "to a stream: set xmltv_id of a stream to the id of "
			   "its channel");
	report(s, c, &error);
	one->imported = true;
	one->failures = 0;
	one->next_ms = mono_ms() + UINT64_C(1000) * one->spec.interval_s;
	one->stamp = source_reader_stamp(s->reader);
	one->later_s = c->later_s;
	release(s);
	end(s);
}

/* Ends the import of a file that has not changed since its last import. */
static void skip(struct epg_sources *s)
{
	struct source *one = s->now;

	one->next_ms = mono_ms() + UINT64_C(1000) * one->spec.interval_s;
	end(s);
}

/* Doubles the pause before the next import because of new services, so that
 * services that often appear and disappear cause few requests to the server. */
static void note_services(struct epg_sources *s, struct source *one)
{
	uint64_t now = guide_new_services(s->guide);

	if (one->new_services == now || !one->imported)
		one->pause_s = NEW_SERVICE_S;
	else
		one->pause_s = MIN(2 * one->pause_s,
				   MAX(one->spec.interval_s,
				       (unsigned)NEW_SERVICE_S));
	if (one->new_services != now)
		one->stamp = (struct source_stamp){ 0 };
	one->new_services = now;
}

/* Lets an unchanged file be imported again if programmes that were beyond the
 * days of the guide are now within them, or if the clock was set back. */
static void note_time(struct source *one, int64_t now_s)
{
	if ((one->later_s != 0 && now_s >= one->later_s) ||
	    now_s < one->import_s)
		one->stamp = (struct source_stamp){ 0 };
	one->import_s = now_s;
}

static void begin(struct epg_sources *s, struct source *one)
{
	int64_t now_s = (int64_t)(wall_ms() / 1000);
	struct errmsg error;

	s->now = one;
	one->begun_ms = mono_ms();
	note_services(s, one);
	note_time(one, now_s);
	s->reader = source_reader_new(&one->spec, &one->stamp, s->helpers,
				    &error);
	if (s->reader == NULL) {
		fail(s, &error);
		return;
	}
	s->feed = import_feed_new(s->guide, now_s, IMPORT_BYTES_MAX);
}

/* Changes one service of the guide.  True: call it again for the next one. */
static bool commit(struct epg_sources *s)
{
	struct guide_import_counts counts;
	bool more = import_feed_commit(s->feed, &counts);

	if (!more)
		succeed(s, &counts);
	return more;
}

/* Runs a part of the import.  True: the next part can run at once. */
static bool run_import(struct epg_sources *s)
{
	struct buf *bytes = source_reader_bytes(s->reader);
	struct errmsg error;
	int more, r = 1;

	if (s->whole)
		return commit(s);
	more = source_reader_turn(s->reader, mono_ns(), &error);
	if (more == -EALREADY) {
		skip(s);
		return false;
	}
	if (more < 0) {
		fail(s, &error);
		return false;
	}
	if (mono_ms() - s->now->begun_ms > 1000 * (uint64_t)SOURCE_LIMIT_S) {
		errmsg_set(&error, "the import takes longer than %d s",
			   SOURCE_LIMIT_S);
		fail(s, &error);
		return false;
	}
	if (buf_len(bytes) > 0 || more == 0)
		r = import_feed_run(s->feed, bytes, more == 0, &error);
	if (r < 0) {
		fail(s, &error);
		return false;
	}
	s->whole = r == 0;
	return s->whole || buf_len(bytes) > 0 || more == 0;
}

/* --- the time --- */

static bool is_due(const struct epg_sources *s, const struct source *one)
{
	uint64_t now_ms = mono_ms();

	if (!one->usable)
		return false;
	if (now_ms >= one->next_ms)
		return true;
	return one->imported && one->failures == 0 &&
	       one->new_services != guide_new_services(s->guide) &&
	       now_ms - one->begun_ms >= UINT64_C(1000) * one->pause_s;
}

/* The source that is due and whose last import began first, so that no source
 * is skipped; NULL: no source is due. */
static struct source *find_due(const struct epg_sources *s)
{
	struct source *found = NULL;

	for (size_t i = 0; i < s->n; i++)
		if (is_due(s, &s->list[i]) &&
		    (found == NULL || s->list[i].begun_ms < found->begun_ms))
			found = &s->list[i];
	return found;
}

static void on_timer(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct epg_sources *s = container_of(t, struct epg_sources, timer);
	struct source *due = s->now == NULL ? find_due(s) : NULL;
	bool waits = false;

	(void)revents;
	if (due != NULL)
		begin(s, due);
	if (s->now != NULL)
		waits = run_import(s);
	timer_start(loop, t,
		    waits ? 0. : (s->now != NULL ? TURN_MS : IDLE_MS) / 1e3);
}

struct epg_sources *epg_sources_new(struct ev_loop *loop, struct guide *guide,
				    const char *const *addresses, size_t n)
{
	struct epg_sources *s = xcalloc(1, sizeof *s);
	struct errmsg error;

	s->loop = loop;
	s->guide = guide;
	s->helpers = helpers_new(loop, THREADS_MAX);
	s->list = xcalloc(n + 1, sizeof *s->list);
	s->n = n;
	for (size_t i = 0; i < n; i++) {
		struct source *one = &s->list[i];

		one->usable = epg_source_parse(addresses[i], &one->spec,
					       &error) == 0;
		if (!one->usable)
			set_error(s, one, &error);
	}
	ev_init(&s->timer, on_timer);
	timer_start(loop, &s->timer, 0.);
	return s;
}

void epg_sources_free(struct epg_sources **sp)
{
	struct epg_sources *s = *sp;

	*sp = NULL;
	if (s == NULL)
		return;
	ev_timer_stop(s->loop, &s->timer);
	end(s);
	helpers_free(&s->helpers);
	free(s->list);
	free(s);
}

struct epg_sources_status epg_sources_status(const struct epg_sources *s)
{
	struct epg_sources_status status = s->status;

	for (size_t i = 0; i < s->n; i++)
		if (s->list[i].error.text[0] != '\0' &&
		    status.n_errors < ARRAY_LEN(status.errors))
			status.errors[status.n_errors++] =
				s->list[i].error.text;
	return status;
}
