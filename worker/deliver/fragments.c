/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/fragments.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "worker/deliver/fragment_maker.h"
#include "worker/deliver/mount.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* segments of a playlist, as many that have left it, and one more */
	KEPT_MAX = 2 * MSG_HLS_MAX + 1,
	PARTS_MAX = RING_PARTS,
	PART_SEGMENTS = 8, /* parts are made of so many newest segments only */
	PARTS_TRIED = 4,   /* attempts to make parts that are remembered */
};

struct fragments {
	LIST_ENTRY(fragments) entry;
	struct mount *mount;
	struct fragment_store *store;
	size_t n, bytes;
	struct fragment list[KEPT_MAX]; /* oldest first */
	size_t n_parts;
	struct fragment parts[PARTS_MAX]; /* oldest first; their init is
					   * NULL */
	uint64_t newest; /* highest number of a requested segment */
	uint64_t parts_from; /* number of the segment of the oldest part in the
			      * playlist */
	uint64_t used_ms;
	struct fragment_attempt tried, parts_tried[PARTS_TRIED];
	uint64_t made;  /* number of fragments made so far */
	bool starved;   /* a fragment waits for another iteration of the loop */
	struct fragment_maker maker;
};

struct fragments *fragments_new(struct mount *m, struct fragment_store *store)
{
	struct fragments *f = xcalloc(1, sizeof *f);

	f->mount = m;
	f->store = store;
	fragment_maker_init(&f->maker, m, store);
	LIST_INSERT_HEAD(&store->all, f, entry);
	return f;
}

static size_t size_of(const struct fragment *x)
{
	return x->media != NULL ? x->media->len : 0;
}

static void forget(struct fragments *f, struct fragment *x)
{
	f->bytes -= size_of(x);
	blob_unref(&x->init);
	blob_unref(&x->media);
}

static void drop_oldest(struct fragments *f)
{
	forget(f, &f->list[0]);
	f->n--;
	memmove(f->list, f->list + 1, f->n * sizeof *f->list);
}

static void drop_part(struct fragments *f)
{
	forget(f, &f->parts[0]);
	f->n_parts--;
	memmove(f->parts, f->parts + 1, f->n_parts * sizeof *f->parts);
}

static void drop_all(struct fragments *f)
{
	while (f->n > 0)
		drop_oldest(f);
	while (f->n_parts > 0)
		drop_part(f);
}

void fragments_free(struct fragments **fp)
{
	struct fragments *f = *fp;

	*fp = NULL;
	if (f == NULL)
		return;
	drop_all(f);
	LIST_REMOVE(f, entry);
	fragment_maker_done(&f->maker);
	free(f);
}

void fragments_expire(struct fragments *f, uint64_t now_ms)
{
	if (now_ms - f->used_ms >= FRAGMENTS_IDLE_MS)
		drop_all(f);
}

void fragments_bound(struct fragments *f, uint64_t newest)
{
	if (f->newest <= newest)
		return;
	drop_all(f);
	f->newest = newest;
	f->parts_from = 0;
}

static bool has_left(const struct fragments *f, const struct fragment *x)
{
	return x->number + f->mount->hls <= f->newest;
}

/* Has the oldest part left the playlist? */
static bool has_old_part(const struct fragments *f)
{
	return f->n_parts > 0 &&
	       (f->parts[0].number < f->parts_from ||
		f->parts[0].number + PART_SEGMENTS <= f->newest);
}

/* The size of the fragments that are kept although they have left the
 * playlist. */
static size_t surplus(const struct fragments *f)
{
	size_t bytes = 0;

	for (size_t i = 0; i < f->n && has_left(f, &f->list[i]); i++)
		bytes += size_of(&f->list[i]);
	for (size_t i = 0; i < f->n_parts &&
			   f->parts[i].number < f->parts_from; i++)
		bytes += size_of(&f->parts[i]);
	return bytes;
}

/* Finds the mount that has the most bytes of fragments outside its playlist,
 * and drops the oldest of these.  False: no mount has such fragments. */
static bool drop_surplus(struct fragment_store *store)
{
	struct fragments *f, *most = NULL;
	size_t max = 0;

	LIST_FOREACH(f, &store->all, entry) {
		size_t bytes = surplus(f);

		if (bytes > max) {
			max = bytes;
			most = f;
		}
	}
	if (most != NULL && has_old_part(most))
		drop_part(most);
	else if (most != NULL)
		drop_oldest(most);
	return most != NULL;
}

/* Drops one fragment of the mount to make room for that of x.  A part replaces
 * no segment of the playlist.  False: x may replace no fragment. */
static bool replace_one(struct fragments *f, const struct fragment_span *x)
{
	uint64_t number = x->segment->number;
	bool older = f->n > 0 && f->list[0].number < number;

	if (older && has_left(f, &f->list[0]))
		drop_oldest(f);
	else if (f->n_parts > 0 &&
		 (!x->is_part || f->parts[0].number < number ||
		  (f->parts[0].number == number &&
		   f->parts[0].index < x->index)))
		drop_part(f);
	else if (older && !x->is_part)
		drop_oldest(f);
	else
		return false;
	return true;
}

/* Makes room for the fragment of x by dropping others.  False: there is no
 * room, as x replaces no newer fragments of its kind. */
static bool make_room(struct fragments *f, const struct fragment_span *x)
{
	struct fragment_store *store = f->store;
	size_t len = (size_t)(x->end - x->from);

	while (f->n > 2 * f->mount->hls || f->n == KEPT_MAX)
		drop_oldest(f);
	while (f->n_parts == PARTS_MAX || has_old_part(f))
		drop_part(f);
	while (store->bytes + len > store->max && drop_surplus(store))
		;
	while (f->bytes + len > FRAGMENTS_BYTES_MAX ||
	       store->bytes + len > store->max)
		if (!replace_one(f, x))
			return false;
	return true;
}

static void log_full(struct fragments *f, uint64_t now_ms)
{
	unsigned suppressed;

	if (ratelimit_pass(&f->store->full_log, now_ms, &suppressed))
		log_warning("deliver", "%s%s: stream %s: fMP4 segment not "
			    "made: the memory for fMP4 segments of all streams "
			    "is full (%u lines suppressed)", f->mount->address,
			    f->mount->path, f->mount->stream, suppressed);
}

static bool is_behind(const struct fragment *x, const struct fragment *y)
{
	return x->number > y->number ||
	       (x->number == y->number && x->index > y->index);
}

/* Inserts the fragment into the list of its kind, in the order of numbers. */
static const struct fragment *add(struct fragments *f, const struct fragment *x,
				  bool is_part)
{
	struct fragment *list = is_part ? f->parts : f->list;
	size_t i = is_part ? f->n_parts++ : f->n++;

	f->made++;
	f->bytes += size_of(x);
	for (; i > 0 && is_behind(&list[i - 1], x); i--)
		list[i] = list[i - 1];
	list[i] = *x;
	return &list[i];
}

static void note_attempt(struct fragment_attempt *a,
			 const struct fragment_span *x, uint64_t now_ms)
{
	if (!fragment_is_tried(a, x))
		a->begun_ms = now_ms;
	a->number = x->segment->number;
	a->index = x->index;
	a->ms = now_ms;
}

static const struct fragment *find(const struct fragments *f,
				   const struct fragment_span *x)
{
	const struct fragment *list = x->is_part ? f->parts : f->list;
	size_t n = x->is_part ? f->n_parts : f->n;

	for (size_t i = n; i > 0; i--)
		if (list[i - 1].number == x->segment->number &&
		    list[i - 1].index == x->index)
			return &list[i - 1];
	return NULL;
}

/* True if the segment is too old to be kept.  It is not made, because it would
 * be made again for each request, and delay other requests. */
static bool is_older(const struct fragments *f, const struct fragment_span *x)
{
	return !x->is_part &&
	       x->segment->number + 2 * (uint64_t)f->mount->hls < f->newest;
}

static enum fragment_state get(struct fragments *f,
			       const struct fragment_span *x, uint64_t now_ms,
			       const struct fragment **ret)
{
	struct fragment_attempt *a = x->is_part
		? &f->parts_tried[x->index % PARTS_TRIED] : &f->tried;
	struct fragment made = { .number = x->segment->number,
				 .index = x->index };
	unsigned turn = ev_iteration(f->mount->loop);

	f->used_ms = now_ms;
	if (!x->is_part)
		f->newest = MAX(f->newest, made.number);
	*ret = find(f, x);
	if (*ret != NULL)
		return (*ret)->media != NULL ? FRAGMENT_READY : FRAGMENT_BAD;
	if (f->store->turn != turn)
		f->store->spent = 0;
	f->store->turn = turn;
	f->starved = f->starved || f->store->spent >= f->store->turn_max;
	if (f->store->spent >= f->store->turn_max ||
	    (fragment_is_tried(a, x) && now_ms - a->ms <
	     (x->is_part ? FRAGMENT_PART_RETRY_MS : FRAGMENT_RETRY_MS)))
		return FRAGMENT_LATER;
	if (x->end - x->segment->pos > FRAGMENT_BYTES_MAX || is_older(f, x))
		return FRAGMENT_BAD;
	if (!make_room(f, x)) {
		log_full(f, now_ms);
		return FRAGMENT_FULL;
	}
	switch (fragment_make(&f->maker, x, a, now_ms, &made)) {
	case 0:
		*ret = add(f, &made, x->is_part);
		return FRAGMENT_READY;
	case -EBUSY:
		f->starved = true;
		return FRAGMENT_LATER;
	case -EAGAIN:
		note_attempt(a, x, now_ms);
		return FRAGMENT_LATER;
	case -ENOTSUP:
		(void)add(f, &made, x->is_part);
		return FRAGMENT_BAD;
	default:
		return FRAGMENT_BAD;
	}
}

enum fragment_state fragments_get(struct fragments *f,
				  const struct ring_segment *s,
				  uint64_t now_ms, const struct fragment **ret)
{
	return get(f, &(struct fragment_span){
		.segment = s, .from = s->pos, .end = s->end,
	}, now_ms, ret);
}

enum fragment_state fragments_part(struct fragments *f,
				   const struct ring_segment *s,
				   const struct ring_part *p, uint64_t now_ms,
				   const struct fragment **ret)
{
	/* a part older than all that are kept is not made; the positions are
	 * checked, because the stream worker, which sets them, is not
	 * trusted */
	if (p->number + PART_SEGMENTS <= f->newest || p->pos < s->pos ||
	    p->end <= p->pos || (s->end > 0 && p->end > s->end))
		return FRAGMENT_BAD;
	return get(f, &(struct fragment_span){
		.segment = s, .from = p->pos, .end = p->end,
		.index = p->index, .is_part = true,
	}, now_ms, ret);
}

bool fragments_has_part(const struct fragments *f, const struct ring_part *p)
{
	const struct ring_segment segment = { .number = p->number };

	return find(f, &(struct fragment_span){
		.segment = &segment, .index = p->index, .is_part = true,
	}) != NULL;
}

void fragments_list_parts(struct fragments *f, uint64_t number)
{
	f->parts_from = number;
}

uint64_t fragments_made(const struct fragments *f)
{
	return f->made;
}

bool fragments_starved(struct fragments *f)
{
	bool starved = f->starved;

	f->starved = false;
	return starved;
}

struct blob *fragments_init(struct fragments *f, uint64_t hash)
{
	for (size_t i = f->n; i > 0; i--)
		if (f->list[i - 1].init != NULL &&
		    f->list[i - 1].init_hash == hash)
			return f->list[i - 1].init;
	return NULL;
}
