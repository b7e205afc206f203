/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/fragments.h"

#include "common/base/alloc.h"
#include "common/base/hash.h"
#include "common/base/log.h"
#include "common/base/wall.h"
#include "worker/deliver/mount.h"
#include "worker/fragment/fmp4.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	/* those of a playlist, and as many that have left it */
	KEPT_MAX = 2 * MSG_HLS_MAX + 1,
	TICKS_PER_MS = 90,
};

struct fragments {
	LIST_ENTRY(fragments) entry;
	struct mount *mount;
	struct fragment_store *store;
	size_t n, bytes;
	struct fragment list[KEPT_MAX]; /* oldest first */
	uint64_t newest; /* number that was asked for */
	uint64_t used_ms;
	uint64_t tried, tried_ms; /* the number whose end had not arrived ... */
	uint64_t seen;            /* ... up to here; it lacks these units */
	struct fmp4_lack lack;
	struct fmp4_past *past;
	struct errmsg error; /* that was logged last */
};

static struct blob *blob_of(const struct buf *text,
			    struct fragment_store *store)
{
	return blob_new(buf_head(text), buf_len(text), &store->bytes);
}

struct fragments *fragments_new(struct mount *m, struct fragment_store *store)
{
	struct fragments *f = xcalloc(1, sizeof *f);

	f->mount = m;
	f->store = store;
	f->past = fmp4_past_new();
	LIST_INSERT_HEAD(&store->all, f, entry);
	return f;
}

static void drop_oldest(struct fragments *f)
{
	struct fragment *x = &f->list[0];

	if (x->media != NULL)
		f->bytes -= x->media->len;
	blob_unref(&x->init);
	blob_unref(&x->media);
	f->n--;
	memmove(f->list, f->list + 1, f->n * sizeof *f->list);
}

void fragments_free(struct fragments **fp)
{
	struct fragments *f = *fp;

	*fp = NULL;
	if (f == NULL)
		return;
	while (f->n > 0)
		drop_oldest(f);
	LIST_REMOVE(f, entry);
	fmp4_past_free(&f->past);
	free(f);
}

void fragments_expire(struct fragments *f, uint64_t now_ms)
{
	while (f->n > 0 && now_ms - f->used_ms >= FRAGMENTS_IDLE_MS)
		drop_oldest(f);
}

/* Reads [pos, pos + len) of the ring; false: the writer has reached it. */
static bool read_ring(struct fragments *f, uint64_t pos, size_t len,
		      struct buf *ret)
{
	struct mount *m = f->mount;
	uint64_t from = pos, end;

	while (len > 0) {
		size_t part;
		off_t at = ring_file_offset(m->reader, pos, len, &part);
		ssize_t n = pread(m->ring_fd, buf_reserve(ret, part), part, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		buf_added(ret, (size_t)n);
		f->store->spent += (size_t)n;
		pos += (uint64_t)n;
		len -= (size_t)n;
	}
	return mount_end(m, &end) && end - from <= m->lag.start_max;
}

static void log_once(struct fragments *f, const char *error)
{
	if (strcmp(f->error.text, error) == 0)
		return;
	errmsg_set(&f->error, "%s", error);
	if (error[0] != '\0')
		log_error("deliver", "%s%s: stream %s: no segment of fMP4: %s",
			  f->mount->address, f->mount->path, f->mount->stream,
			  error);
}

/* Have the units arrived that it lacked?  Reads what is new behind it. */
static bool has_arrived(struct fragments *f, uint64_t end)
{
	struct buf tail = { 0 };
	bool arrived;

	/* what is lost is found when the segment is read */
	arrived = !read_ring(f, f->seen, (size_t)(end - f->seen), &tail) ||
		  fmp4_lack_feed(&f->lack, buf_head(&tail), buf_len(&tail));
	f->seen = end;
	buf_done(&tail);
	return arrived;
}

/* 0 or an error of fmp4_make(). */
static int make(struct fragments *f, const struct ring_segment *s,
		struct fragment *ret)
{
	struct mount *m = f->mount;
	struct buf ts = { 0 }, init = { 0 }, media = { 0 };
	int64_t late_ms = (int64_t)wall_ms() - s->wall_ms - s->duration_ms;
	size_t own = (size_t)(s->end - s->pos);
	struct errmsg error = { .text = "" };
	struct fmp4_lack lack;
	uint64_t end;
	bool last;
	int err;

	if (!mount_end(m, &end))
		return -ERANGE;
	last = late_ms > FRAGMENT_WAIT_MS ||
	       end - s->end >= FRAGMENT_TAIL_MAX;
	if (!last && f->tried == s->number && !has_arrived(f, end))
		return -EAGAIN;
	if (!read_ring(f, s->pos, MIN((size_t)(end - s->pos),
				      own + (size_t)FRAGMENT_TAIL_MAX),
		       &ts)) {
		buf_done(&ts);
		return -ERANGE;
	}
	err = fmp4_make(&(struct fmp4_source){
		.data = buf_head(&ts),
		.len = buf_len(&ts),
		.own = own,
		.last = last,
		.near = (uint64_t)s->wall_ms * TICKS_PER_MS,
		.number = (uint32_t)s->number,
		.past = f->past,
	}, &init, &media, &lack, &error);
	if (err == -EAGAIN) {
		f->lack = lack;
		f->seen = s->pos + buf_len(&ts);
	}
	if (err == 0) {
		ret->init = blob_of(&init, f->store);
		ret->media = blob_of(&media, f->store);
		ret->init_hash = hash_add(HASH_INIT, ret->init->data,
					  ret->init->len);
	}
	if (err != -EAGAIN)
		log_once(f, error.text);
	buf_done(&ts);
	buf_done(&init);
	buf_done(&media);
	return err;
}

/* The bytes that have left the playlist. */
static size_t surplus(const struct fragments *f)
{
	size_t bytes = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct fragment *x = &f->list[i];

		if (x->number + f->mount->hls > f->newest)
			break;
		bytes += x->media != NULL ? x->media->len : 0;
	}
	return bytes;
}

/* False: there is none. */
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
	if (most != NULL)
		drop_oldest(most);
	return most != NULL;
}

/* Is there room for a fragment of len bytes?  It may replace older ones of its
 * mount, but none that is newer. */
static bool make_room(struct fragments *f, uint64_t number, size_t len)
{
	struct fragment_store *store = f->store;

	while (f->n > 2 * f->mount->hls || f->n == KEPT_MAX)
		drop_oldest(f);
	while (store->bytes + len > store->max && drop_surplus(store))
		;
	while ((f->bytes + len > FRAGMENTS_BYTES_MAX ||
		store->bytes + len > store->max) &&
	       f->n > 0 && f->list[0].number < number)
		drop_oldest(f);
	return f->bytes + len <= FRAGMENTS_BYTES_MAX &&
	       store->bytes + len <= store->max;
}

static void log_full(struct fragments *f, uint64_t now_ms)
{
	unsigned suppressed;

	if (ratelimit_pass(&f->store->full_log, now_ms, &suppressed))
		log_warning("deliver", "%s%s: stream %s: no segment of fMP4: "
			    "those of all streams fill the memory for them "
			    "(%u lines suppressed)", f->mount->address,
			    f->mount->path, f->mount->stream, suppressed);
}

/* Adds it in the order of numbers. */
static const struct fragment *add(struct fragments *f, const struct fragment *x)
{
	size_t i;

	f->bytes += x->media != NULL ? x->media->len : 0;
	for (i = f->n; i > 0 && f->list[i - 1].number > x->number; i--)
		f->list[i] = f->list[i - 1];
	f->list[i] = *x;
	f->n++;
	return &f->list[i];
}

enum fragment_state fragments_get(struct fragments *f,
				  const struct ring_segment *s,
				  uint64_t now_ms, const struct fragment **ret)
{
	struct fragment x = { .number = s->number };
	size_t len = (size_t)(s->end - s->pos);
	unsigned turn = ev_iteration(f->mount->loop);

	f->used_ms = now_ms;
	f->newest = MAX(f->newest, s->number);
	for (size_t i = 0; i < f->n; i++)
		if (f->list[i].number == s->number) {
			*ret = &f->list[i];
			return (*ret)->media != NULL ? FRAGMENT_READY
						     : FRAGMENT_BAD;
		}
	if (f->store->turn != turn)
		f->store->spent = 0;
	f->store->turn = turn;
	if (f->store->spent >= f->store->turn_max ||
	    (f->tried == s->number && now_ms - f->tried_ms < FRAGMENT_RETRY_MS))
		return FRAGMENT_LATER;
	if (len > FRAGMENT_BYTES_MAX)
		return FRAGMENT_BAD;
	if (!make_room(f, s->number, len)) {
		log_full(f, now_ms);
		return FRAGMENT_FULL;
	}
	switch (make(f, s, &x)) {
	case 0:
		*ret = add(f, &x);
		return FRAGMENT_READY;
	case -EAGAIN:
		f->tried = s->number;
		f->tried_ms = now_ms;
		return FRAGMENT_LATER;
	case -ENOTSUP:
		(void)add(f, &x);
		return FRAGMENT_BAD;
	default:
		return FRAGMENT_BAD;
	}
}

struct blob *fragments_init(struct fragments *f, uint64_t hash)
{
	for (size_t i = f->n; i > 0; i--)
		if (f->list[i - 1].init != NULL &&
		    f->list[i - 1].init_hash == hash)
			return f->list[i - 1].init;
	return NULL;
}
