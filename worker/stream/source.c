/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/source.h"

#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/units.h"

#include <errno.h>
#include <string.h>

void source_init(struct source *s, unsigned position, const char *address)
{
	*s = (struct source){ .position = position, .spec.ring = -1 };
	/* the master has named the options that nobody knows */
	s->valid = input_spec_parse(address, &s->spec, NULL, NULL,
				    &s->error) == 0;
	s->linked = s->valid && s->spec.kind != INPUT_STREAM;
	if (!s->valid)
		log_error("stream", "input %u: %s", position, s->error.text);
}

static void shut(struct source *s, uint64_t now_ns)
{
	struct link_stats last;

	if (s->input == NULL)
		return;
	last = input_stats(s->input);
	link_record_close(&s->link, &last);
	if (input_hangs(s->input, now_ns)) {
		input_free(&s->stuck);
		s->stuck = s->input;
		s->input = NULL;
	}
	input_free(&s->input);
	s->before = (struct input_counters){ 0 };
}

void source_done(struct source *s)
{
	input_free(&s->input);
	fd_close(&s->spec.ring);
	input_free(&s->stuck);
	link_record_done(&s->link);
}

/* Does it only have to wait for an interface, or its address? */
static bool is_socket(const struct source *s)
{
	return s->spec.kind == INPUT_UDP || s->spec.kind == INPUT_RTP ||
	       (s->spec.kind == INPUT_SRT &&
		srt_is_on_interface(&s->spec.srt));
}

static void closed(struct source *s, int err, const struct errmsg *why,
		   uint64_t now_ns)
{
	shut(s, now_ns);
	s->ended = err == -ENODATA;
	if (is_socket(s))
		retry_soon(&s->retry, now_ns);
	else
		retry_failed(&s->retry, now_ns);
	if (strcmp(s->error.text, why->text) == 0)
		return;
	s->error = *why;
	if (s->ended)
		log_info("stream", "input %u: %s", s->position, why->text);
	else
		log_warning("stream", "input %u: %s", s->position, why->text);
}

static void opened(struct source *s)
{
	if (s->error.text[0] != '\0')
		log_info("stream", "input %u: open again", s->position);
	s->error.text[0] = '\0';
}

void source_close(struct source *s, uint64_t now_ns)
{
	shut(s, now_ns);
	s->patience_s = 0;
	retry_worked(&s->retry);
}

bool source_link(struct source *s, const char *stream, int fd)
{
	if (!s->valid || s->spec.kind != INPUT_STREAM ||
	    strcmp(s->spec.stream, stream) != 0)
		return false;
	shut(s, 0); /* a ring never hangs */
	fd_close(&s->spec.ring);
	s->spec.ring = fd;
	s->linked = true;
	retry_worked(&s->retry);
	return true;
}

/* False while the one before still hangs. */
static bool is_free(struct source *s, uint64_t now_ns, struct errmsg *why)
{
	if (s->stuck == NULL)
		return true;
	if (input_hangs(s->stuck, now_ns)) {
		errmsg_set(why, "%s: does not answer", s->spec.path);
		return false;
	}
	input_free(&s->stuck);
	return true;
}

/* All that one who calls knows of the call is that it is not answered yet. */
static bool calls(const struct source *s)
{
	return s->spec.kind == INPUT_SRT && s->spec.srt.mode != SRT_LISTENER;
}

/* A socket that others send to or call is there at once; that a file or a
 * server can be asked says nothing about what it answers. */
static bool is_there(const struct source *s)
{
	return input_is_there(s->input) ||
	       (s->spec.kind == INPUT_SRT && !calls(s));
}

void source_open(struct source *s, uint64_t now_ns)
{
	struct errmsg why = { 0 };
	int err = 0;

	/* right behind the start the master says whether there is a ring */
	if (!s->valid || s->ended || s->input != NULL || !s->linked ||
	    !retry_is_due(&s->retry, now_ns))
		return;
	if (is_free(s, now_ns, &why))
		s->input = input_open(&s->spec, now_ns, &err, &why);
	if (s->input == NULL) {
		closed(s, err, &why, now_ns);
		return;
	}
	s->opens++;
	s->heard_ns = now_ns;
	if (is_there(s))
		opened(s);
}

/* Of what it is to be nothing is known yet. */
static bool is_tried(const struct source *s)
{
	return calls(s) ||
	       (s->spec.kind == INPUT_RIST && !input_is_there(s->input));
}

bool source_is_open(const struct source *s)
{
	return s->input != NULL && s->error.text[0] == '\0';
}

const char *source_trouble(const struct source *s)
{
	const char *error = s->error.text[0] != '\0' ? s->error.text : NULL;
	const char *now = s->input != NULL ? input_trouble(s->input) : NULL;

	if (now == NULL && error == NULL && s->input != NULL)
		return input_senders(s->input);
	if (now == NULL || (error != NULL && is_tried(s)))
		return error;
	return now;
}

const char *source_bare(const struct source *s)
{
	return s->input != NULL ? input_bare(s->input) : NULL;
}

const char *source_senders(const struct source *s)
{
	return s->input != NULL ? input_senders(s->input) : NULL;
}

uint64_t source_retry_ns(const struct source *s)
{
	if (!s->valid || s->ended || s->input != NULL || !s->linked)
		return UINT64_MAX;
	return s->retry.at_ns;
}

int source_read(struct source *s, struct batch *batch, uint64_t now_ns)
{
	struct errmsg why = { 0 };
	int r = input_read(s->input, batch, now_ns, &why);

	if (r < 0) {
		closed(s, r, &why, now_ns);
	} else if (r > 0) {
		opened(s);
		retry_worked(&s->retry);
		s->heard_ns = now_ns;
		s->heard = true;
		s->patience_s = 0;
	}
	return r;
}

/* Is there anybody who could be silent? */
static bool is_watched(const struct source *s)
{
	if (input_is_cut_off(s->input))
		return false;
	switch (s->spec.kind) {
	case INPUT_FILE:
	case INPUT_STREAM:
		return false;
	case INPUT_SDP:
		/* it is read */
		return input_fd(s->input) >= 0;
	case INPUT_SRT:
	case INPUT_RIST:
		return input_peer(s->input) != NULL;
	default:
		return true;
	}
}

/* Nothing came for so long that opening it again may help. */
static void watch(struct source *s, uint64_t now_ns)
{
	unsigned patience_s = s->patience_s;

	if (s->spec.watchdog_s == 0 || s->spec.no_reload)
		return;
	if (!is_watched(s)) {
		s->heard_ns = now_ns;
		return;
	}
	if (patience_s == 0)
		patience_s = s->spec.watchdog_s;
	if (now_ns - s->heard_ns < patience_s * SECOND_NS)
		return;
	if (s->patience_s == 0)
		log_warning("stream", "input %u: nothing came for %u s: opened "
			    "anew", s->position, patience_s);
	shut(s, now_ns);
	source_open(s, now_ns);
	s->patience_s = MIN(2 * patience_s, MAX(s->spec.watchdog_s,
					(unsigned)SOURCE_WATCHDOG_MAX_S));
}

static void add_up(struct input_counters *all,
		   const struct input_counters *second)
{
	all->lost += second->lost;
	all->recovered += second->recovered;
	all->socket_drops += second->socket_drops;
	all->sync_losses += second->sync_losses;
	all->bad_sync += second->bad_sync;
	all->source_changes += second->source_changes;
	all->unprotected += second->unprotected;
	all->unplayable += second->unplayable;
}

/* What our own socket dropped misses in the sender's count, too; but for what
 * was made good. */
static uint64_t lost_elsewhere(const struct input_counters *c)
{
	uint64_t ours = c->socket_drops > c->recovered
				? c->socket_drops - c->recovered
				: 0;

	return c->lost > ours ? c->lost - ours : 0;
}

void source_second(struct source *s, uint64_t now_ns,
		   struct input_counters *ret)
{
	struct input_counters now;
	struct errmsg why = { 0 };

	*ret = (struct input_counters){ 0 };
	if (s->input == NULL)
		return;
	input_counters(s->input, &now);
	now.lost = MAX(s->before.lost, lost_elsewhere(&now));
	ret->lost = now.lost - s->before.lost;
	ret->recovered = now.recovered - s->before.recovered;
	ret->socket_drops = now.socket_drops - s->before.socket_drops;
	ret->sync_losses = now.sync_losses - s->before.sync_losses;
	ret->bad_sync = now.bad_sync - s->before.bad_sync;
	ret->source_changes = now.source_changes - s->before.source_changes;
	ret->unprotected = now.unprotected - s->before.unprotected;
	ret->unplayable = now.unplayable - s->before.unplayable;
	s->before = now;
	add_up(&s->all, ret);

	int r = input_second(s->input, now_ns, &why);

	if (r < 0) {
		closed(s, r, &why, now_ns);
		return;
	}
	/* one that had to read its description or to find its name first */
	if (input_is_there(s->input))
		opened(s);
	watch(s, now_ns);
}

const json_t *source_stats(struct source *s, const struct link_stats *more)
{
	struct link_stats now = { 0 };

	if (s->input != NULL)
		now = input_stats(s->input);
	link_stats_take(&now, more);
	return link_record_tell(&s->link, now);
}
