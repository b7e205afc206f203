/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/guide_import.h"

#include "common/base/alloc.h"
#include "common/base/sorted.h"
#include "worker/epg/guide_state.h"

#include <stdlib.h>
#include <string.h>

enum {
	DAY_S = 24 * 3600,
	/* the longest event that EIT can name: 99:59:59 */
	DURATION_MAX_S = 100 * 3600 - 1,
};

/* A channel of XMLTV and a stream that has it. */
struct channel {
	char *id, *stream;
};

/* The service to which a channel of the document belongs. */
struct slot {
	size_t first, n; /* guide_import.channels from `first' on: n channels
			  * with the id that the document names */
	uint16_t service; /* number of the service; 0: the only service of each
			   * stream */
};

struct programme {
	struct slot slot;
	int64_t start_s; /* start of the event */
	size_t order; /* its index before the programmes are sorted */
	bool has_stop;
	struct guide_event *event;
};

struct guide_import {
	struct guide *guide;
	int64_t now_s;
	struct channel *channels; /* in the order of id and stream */
	size_t n_channels;
	struct programme *programmes;
	/* programmes; entries of their array; bytes of both, with the events */
	size_t n, room, bytes;
	struct slot last; /* slot of the channel in the last
			   * guide_import_wants(); n 0: no stream has it */
	struct guide_import_counts counts;
	/* the programmes are in the order of slot and start */
	bool sorted;
	size_t settled; /* programmes whose events were moved to `list' */
	struct slot slot; /* the slot whose events are in `list' */
	struct guide_event *list[GUIDE_EVENTS_MAX];
	size_t n_list;
	size_t given; /* channels of `slot' that have got the events */
	bool used; /* a channel of `slot' has a service */
};

/* --- channels --- */

static int by_id(const void *a, const void *b)
{
	const struct channel *x = a, *y = b;
	int r = strcmp(x->id, y->id);

	return r != 0 ? r : strcmp(x->stream, y->stream);
}

struct guide_import *guide_import_new(struct guide *g, int64_t now_s)
{
	struct guide_import *i = xcalloc(1, sizeof *i);
	const struct guide_stream *s;
	size_t n = 0;

	i->guide = g;
	i->now_s = now_s;
	LIST_FOREACH(s, &g->streams, link)
		n++;
	i->channels = xcalloc(n + 1, sizeof *i->channels);
	LIST_FOREACH(s, &g->streams, link)
		if (s->known)
			i->channels[i->n_channels++] = (struct channel){
				xstrdup(s->channel != NULL ? s->channel
							   : s->id),
				xstrdup(s->id) };
	qsort(i->channels, i->n_channels, sizeof *i->channels, by_id);
	return i;
}

static void clear_list(struct guide_import *i)
{
	while (i->n_list > 0)
		free(i->list[--i->n_list]);
}

void guide_import_free(struct guide_import **ip)
{
	struct guide_import *i = *ip;

	*ip = NULL;
	if (i == NULL)
		return;
	for (size_t k = 0; k < i->n; k++)
		free(i->programmes[k].event);
	clear_list(i);
	free(i->programmes);
	for (size_t k = 0; k < i->n_channels; k++) {
		free(i->channels[k].id);
		free(i->channels[k].stream);
	}
	free(i->channels);
	free(i);
}

struct wanted {
	const struct guide_import *import;
	const char *id;
	size_t len;
};

/* Compares the id of channel k with the wanted one, for sorted_place(). */
static int order(size_t k, const void *arg)
{
	const struct wanted *w = arg;
	const char *id = w->import->channels[k].id;
	int r = strncmp(id, w->id, w->len);

	return r != 0 ? r : id[w->len] != '\0' ? 1 : 0;
}

static struct slot find_id(const struct guide_import *i, const char *id,
			   size_t len)
{
	const struct wanted w = { i, id, len };
	struct slot slot = { 0 };
	bool found;
	size_t at = sorted_place(i->n_channels, order, &w, &found);

	if (!found)
		return slot;
	while (at > 0 && order(at - 1, &w) == 0)
		at--;
	slot.first = at;
	while (at + slot.n < i->n_channels && order(at + slot.n, &w) == 0)
		slot.n++;
	return slot;
}

/* Reads the number behind the last dot of an id; *ret_len: bytes in front of
 * the dot.  0: there is no such number. */
static uint16_t number_behind(const char *id, size_t *ret_len)
{
	const char *dot = strrchr(id, '.'), *digit;
	unsigned long number = 0;

	if (dot == NULL || dot[1] < '1' || dot[1] > '9')
		return 0;
	for (digit = dot + 1; *digit >= '0' && *digit <= '9'; digit++)
		if ((number = number * 10 + (unsigned long)(*digit - '0')) >
		    UINT16_MAX)
			return 0;
	*ret_len = (size_t)(dot - id);
	return *digit == '\0' ? (uint16_t)number : 0;
}

bool guide_import_wants(struct guide_import *i, const char *channel)
{
	size_t len = 0;
	uint16_t number;

	i->last = find_id(i, channel, strlen(channel));
	if (i->last.n > 0)
		return true;
	number = number_behind(channel, &len);
	if (number == 0)
		return false;
	i->last = find_id(i, channel, len);
	i->last.service = number;
	return i->last.n > 0;
}

/* --- programmes --- */

/* True if the programme did not end GUIDE_PAST_S ago or earlier, and begins
 * within the days of the guide. */
static bool is_in_time(const struct guide_import *i, int64_t start_s,
		       int64_t stop_s)
{
	int64_t days_s = (int64_t)i->guide->limits.days * DAY_S;

	return stop_s + GUIDE_PAST_S > i->now_s &&
	       start_s < i->now_s + days_s;
}

/* Call it for a programme that is_in_time() rejects.  If the programme begins
 * too late, updates later_s. */
static void omit(struct guide_import *i, int64_t start_s)
{
	int64_t at_s = start_s - (int64_t)i->guide->limits.days * DAY_S + 1;

	if (at_s > i->now_s &&
	    (i->counts.later_s == 0 || at_s < i->counts.later_s))
		i->counts.later_s = at_s;
}

/* Frees an event that exceeds a limit of the guide, and counts it. */
static void drop(struct guide_import *i, struct guide_event *e)
{
	i->counts.dropped++;
	i->guide->counts.dropped++;
	free(e);
}

void guide_import_add(struct guide_import *i, const char *channel,
		      const struct xmltv_found *p)
{
	/* a programme without an end gets it in settle() */
	int64_t stop_s = p->has_stop ? p->stop_s : p->start_s + DAY_S;
	struct eit_event from = { .start_s = p->start_s };
	struct guide_event *e;
	size_t size;

	(void)channel; /* the slot of the channel is i->last */
	if (!is_in_time(i, p->start_s, stop_s)) {
		omit(i, p->start_s);
		return;
	}
	from.duration_s = (uint32_t)MIN(stop_s - p->start_s,
					(int64_t)DURATION_MAX_S);
	e = guide_event_new(&from, p->facts);
	size = guide_event_size(e) + sizeof *i->programmes;
	if (i->bytes + size > i->guide->limits.bytes) {
		drop(i, e);
		return;
	}
	e->source = GUIDE_IMPORTED;
	i->bytes += size;
	if (i->n == i->room) {
		i->room = MAX((size_t)256, 2 * i->room);
		i->programmes = xrealloc(i->programmes,
					 i->room * sizeof *i->programmes);
	}
	i->programmes[i->n] = (struct programme){ i->last, p->start_s, i->n,
						  p->has_stop, e };
	i->n++;
}

/* --- the end --- */

static int compare_slots(const struct slot *a, const struct slot *b)
{
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return (a->service > b->service) - (a->service < b->service);
}

static int by_start(const void *a, const void *b)
{
	const struct programme *x = a, *y = b;
	int r = compare_slots(&x->slot, &y->slot);

	if (r != 0 || x->start_s != y->start_s)
		return r != 0 ? r : x->start_s < y->start_s ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* Applies the rules for overlaps, ends and gaps (guide_import.h) to the n
 * programmes of a slot, and moves their events to i->list. */
static void settle(struct guide_import *i, struct programme *p, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		struct guide_event *e = p[k].event;
		bool is_last = k + 1 == n, keep = p[k].has_stop;
		int64_t next_s = is_last ? 0 : p[k + 1].start_s;

		p[k].event = NULL;
		if (!is_last && next_s == e->start_s) {
			i->counts.cut++;
			keep = false;
		} else if (!is_last && (!p[k].has_stop ||
					next_s < guide_event_end(e))) {
			i->counts.cut += p[k].has_stop;
			keep = p[k].has_stop ||
			       next_s - e->start_s <= DURATION_MAX_S;
			i->counts.endless += !keep;
			e->duration_s = (uint32_t)MIN(
				next_s - e->start_s, (int64_t)DURATION_MAX_S);
		} else if (!keep) {
			i->counts.endless++;
		}
		i->counts.gaps += !is_last && keep &&
				  next_s > guide_event_end(e);
		if (!keep || !is_in_time(i, e->start_s, guide_event_end(e)))
			free(e);
		else if (i->n_list == ARRAY_LEN(i->list))
			drop(i, e);
		else
			i->list[i->n_list++] = e;
	}
}

/* The service of the stream that the slot names; number 0: its only service.
 * NULL: the stream has no such service, or has several and number is 0, or the
 * guide has no room. */
static struct service *service_of(struct guide_import *i,
				  struct guide_stream *s, uint16_t number)
{
	for (size_t k = 0; k < s->n; k++)
		if (s->services[k]->number == number ||
		    (number == 0 && s->n == 1))
			return s->services[k];
	if (number == 0 && s->n > 1) {
		i->counts.ambiguous++;
		return NULL;
	}
	/* before the first PAT the only service has the number 0 */
	return s->has_programs ? NULL
			       : guide_add_service(i->guide, s, number);
}

static struct guide_event *copy_of(const struct guide_event *e)
{
	struct guide_event *copy = xmalloc(sizeof *copy + e->len);

	memcpy(copy, e, sizeof *copy + e->len);
	return copy;
}

/* Copies the events of the list to the service of the next stream of the
 * slot. */
static void give(struct guide_import *i)
{
	const struct channel *c = &i->channels[i->slot.first + i->given++];
	struct guide_stream *s = guide_find_stream(i->guide, c->stream);
	struct service *service = s != NULL
		? service_of(i, s, i->slot.service) : NULL;
	uint64_t had = i->guide->counts.dropped, dropped;
	struct guide_event **copies;

	if (service == NULL)
		return;
	copies = xcalloc(i->n_list, sizeof *copies);
	for (size_t k = 0; k < i->n_list; k++)
		copies[k] = copy_of(i->list[k]);
	i->counts.changed += guide_take_imported(i->guide, service, copies,
						 i->n_list);
	free(copies);
	dropped = i->guide->counts.dropped - had;
	i->counts.dropped += dropped;
	i->counts.programmes += i->n_list - dropped;
	i->counts.channels += !i->used;
	i->used = true;
}

/* Begins the next slot; false: there is no further slot. */
static bool begin_slot(struct guide_import *i)
{
	size_t from = i->settled, to = from;

	clear_list(i);
	if (from == i->n)
		return false;
	i->slot = i->programmes[from].slot;
	while (to < i->n &&
	       compare_slots(&i->programmes[to].slot, &i->slot) == 0)
		to++;
	settle(i, i->programmes + from, to - from);
	i->settled = to;
	i->given = 0;
	i->used = false;
	return true;
}

bool guide_import_commit(struct guide_import *i,
			 struct guide_import_counts *ret)
{
	bool more = true;

	if (!i->sorted && i->n > 0)
		qsort(i->programmes, i->n, sizeof *i->programmes, by_start);
	else if (i->n_list > 0 && i->given < i->slot.n)
		give(i);
	else
		more = begin_slot(i);
	i->sorted = true;
	*ret = i->counts;
	return more;
}
