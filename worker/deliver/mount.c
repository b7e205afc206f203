/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/mount.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "worker/deliver/fragments.h"
#include "worker/deliver/page_pipe.h"
#include "worker/deliver/ring_send.h"
#include "worker/deliver/viewer_session.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* For fewer viewers sendfile() costs less than a page_pipe. */
enum { PAGES_MIN = 4 };

void mount_set_fill(struct mount *m, unsigned kib)
{
	m->fill = (size_t)kib * 1024;
}

struct mount *mount_new(const struct mount_config *cfg, int *ret_err)
{
	struct ring_reader *reader = ring_reader_new(cfg->ring_fd, ret_err);
	struct mount *m;
	bool ok;

	if (reader == NULL)
		return NULL;
	m = xcalloc(1, sizeof *m);
	m->address = xstrdup(cfg->name->address);
	m->path = xstrdup(cfg->name->path);
	m->stream = xstrdup(cfg->name->stream);
	m->tls = cfg->name->tls;
	m->hls = cfg->name->hls;
	if (cfg->name->fmp4)
		m->fragments = fragments_new(m, cfg->fragments);
	m->demand = cfg->name->demand;
	m->loop = cfg->loop;
	m->ring_fd = cfg->ring_fd;
	m->reader = reader;
	m->start_ms = cfg->start_ms;
	m->still_ms = cfg->still_ms;
	m->still = true;
	m->seen_pos = ring_reader_pos(reader, &ok);
	m->portion.hold_ms = cfg->hold_ms;
	m->from_pos = cfg->name->stopped ? m->seen_pos : 0;
	m->moved_ms = cfg->now_ms;
	m->no_auth = cfg->name->no_auth;
	mount_set_fill(m, cfg->name->fill);
	m->number = cfg->name->number;
	m->pages = cfg->pages;
	m->copies = cfg->copies;
	m->copy = cfg->copy;
	m->kernel = *cfg->kernel;
	m->renewed = true;
	lag_init(&m->lag, ring_reader_size(reader), 0, &m->kernel);
	return m;
}

static void end_body(struct ring_body *b, enum ring_body_state state)
{
	ring_body_stop(b);
	b->on_end(b, state);
}

static void lose_bodies(struct mount *m)
{
	struct ring_body *b;

	while ((b = LIST_FIRST(&m->bodies)) != NULL)
		end_body(b, RING_BODY_LOST);
}

static void remove_viewer(struct mount *m, struct viewer *v)
{
	LIST_REMOVE(v, entry);
	m->n_viewers--;
	m->n_copied -= v->copied;
}

void mount_free(struct mount **mount)
{
	struct mount *m = *mount;
	struct viewer *v;

	if (m == NULL)
		return;
	while ((v = LIST_FIRST(&m->viewers)) != NULL) {
		remove_viewer(m, v);
		viewer_free(&v);
	}
	lose_bodies(m);
	fragments_free(&m->fragments);
	ring_reader_free(&m->reader);
	fd_close(&m->ring_fd);
	free(m->address);
	free(m->path);
	free(m->stream);
	free(m);
	*mount = NULL;
}

void mount_inherit(struct mount *m, struct mount *old)
{
	m->bytes = old->bytes;
	m->cut = old->cut;
	m->reported_bytes = UINT64_MAX;
	old->bytes = 0;
	old->cut = 0;
}

void mount_rename(struct mount *m, const char *stream)
{
	struct viewer *v;
	char *old = m->stream;

	if (strcmp(old, stream) == 0)
		return;
	m->stream = xstrdup(stream);
	LIST_FOREACH(v, &m->viewers, entry)
		session_set_stream(v->session, stream);
	/* a report is due: the master counts that of the new id only */
	m->reported_bytes = UINT64_MAX;
	free(old);
}

bool mount_accepts(const struct mount *m, bool secure)
{
	return m->tls == secure || strcmp(m->address, MSG_PLAY_ADDRESS) == 0;
}

bool mount_uses_ring(const struct mount *m, int fd)
{
	struct stat ours, theirs;

	return fstat(m->ring_fd, &ours) == 0 && fstat(fd, &theirs) == 0 &&
	       fd_same_file(&ours, &theirs);
}

static void on_gone(struct viewer *v, void *arg)
{
	remove_viewer(arg, v);
	viewer_free(&v);
}

static void log_viewer(struct mount *m, const struct viewer *v,
		       const char *event, uint64_t now_ms)
{
	char peer[SOCKADDR_TEXT_MAX] = "unknown peer";
	unsigned suppressed;

	if (!ratelimit_pass(&m->viewer_log, now_ms, &suppressed))
		return;
	if (v->peer_address.len > 0)
		sockaddr_format(&v->peer_address, peer);
	if (suppressed > 0)
		log_warning("deliver", "%s%s: %s: %s (%u lines suppressed)",
			    m->address, m->path, peer, event, suppressed);
	else
		log_warning("deliver", "%s%s: %s: %s", m->address, m->path,
			    peer, event);
}

static void feed_one(struct mount *m, struct viewer *v,
		     const struct viewer_pass *pass)
{
	enum viewer_fate fate = viewer_feed(v, pass, &m->bytes);

	switch (fate) {
	case VIEWER_STAYS:
		m->n_behind += viewer_is_behind(v, m->portion.pos);
		return;
	case VIEWER_MOVED:
		m->n_behind++;
		log_viewer(m, v, "packets dropped: the deliver worker ran "
			   "late: reduce the load of the machine",
			   pass->now_ms);
		return;
	case VIEWER_GONE:
		remove_viewer(m, v);
		viewer_free(&v);
		return;
	case VIEWER_SLOW:
	case VIEWER_TORN:
		m->cut++;
		log_viewer(m, v, fate == VIEWER_SLOW
			   ? "disconnected: the viewer is too slow"
			   : "disconnected: the deliver worker ran late: "
			   "reduce the load of the machine",
			   pass->now_ms);
		remove_viewer(m, v);
		viewer_reset(&v);
		return;
	}
}

/* Updates whether the stream is paused, from the end of the stream at this
 * pass.  It compares the times of two passes, so that a delay of this process
 * does not look like a pause of the writer. */
static void find_pause(struct mount *m, uint64_t pos, uint64_t now_ms)
{
	if (pos == m->seen_pos) {
		m->paused = m->paused || now_ms - m->moved_ms >= m->still_ms;
		m->still = m->still || m->paused;
		return;
	}
	if (m->paused)
		m->fresh_pos = m->seen_pos;
	m->still = m->paused = false;
	m->seen_pos = pos;
	m->moved_ms = now_ms;
}

bool mount_end(struct mount *m, uint64_t *ret)
{
	bool ok;
	size_t size;

	*ret = ring_reader_pos(m->reader, &ok);
	size = ring_reader_size(m->reader);
	if (ok && size != m->lag.size)
		lag_init(&m->lag, size, m->rate, &m->kernel);
	return ok;
}

/* Prepares a pass over the viewers.  False: the ring is invalid. */
static bool start_pass(struct mount *m, uint64_t now_ms,
		       struct viewer_pass *ret)
{
	struct ring_rap rap = { 0 };
	uint64_t end;

	if (!mount_end(m, &end))
		return false;
	m->copy->len = 0; /* its bytes may be those of another ring */
	*ret = (struct viewer_pass){
		.ring_fd = m->ring_fd,
		.copy = m->copy,
		.reader = m->reader,
		.lag = &m->lag,
		.written = end,
		.end = m->portion.pos,
		.wait_until_ms = now_ms + m->start_ms,
		.now_ms = now_ms,
	};
	find_pause(m, end, now_ms);
	ret->has_marks = ring_reader_has_marks(m->reader);
	ret->still = m->still;
	ret->has_start = ring_reader_rap_behind(
		m->reader, (size_t)(m->lag.size - m->lag.start_max),
		m->fresh_pos, m->fill, &rap);
	/* the writer may have added packets since mount_end(), with a newer
	 * random access point */
	ret->has_start = ret->has_start && rap.pos < end;
	ret->start = rap.pos;
	return true;
}

void mount_pause(struct mount *m, uint64_t now_ms)
{
	bool ok;

	m->seen_pos = m->from_pos = ring_reader_pos(m->reader, &ok);
	m->moved_ms = now_ms;
	m->still = m->paused = true;
}

enum mount_start mount_can_start(struct mount *m, uint64_t now_ms)
{
	struct viewer_pass pass;

	if (!start_pass(m, now_ms, &pass) || m->still)
		return MOUNT_HAS_NOTHING;
	return pass.has_start ? MOUNT_HAS_PICTURE : MOUNT_HAS_PACKETS;
}

static void close_broken(struct mount *m)
{
	struct viewer *v;

	if (!m->broken)
		log_error("deliver", "%s%s: viewers disconnected: the ring "
			  "buffer of stream %s is damaged", m->address, m->path,
			  m->stream);
	m->broken = true;
	while ((v = LIST_FIRST(&m->viewers)) != NULL) {
		remove_viewer(m, v);
		viewer_reset(&v);
	}
	lose_bodies(m);
}

static void check_bodies(struct mount *m)
{
	struct ring_body *b, *next;
	uint64_t end;
	bool sound = !LIST_EMPTY(&m->bodies) && mount_end(m, &end);

	for (b = LIST_FIRST(&m->bodies); b != NULL; b = next) {
		enum ring_body_state state;

		next = LIST_NEXT(b, entry);
		if (sound && ring_body_rests(b, end))
			continue;
		state = ring_body_check(b);
		if (state != RING_BODY_HELD)
			end_body(b, state);
	}
}

/* Copies len bytes at an offset of the ring into the pipe of copies, or as many
 * as fit. */
static void copy_pages(struct mount *m, off_t at, size_t len)
{
	ssize_t n;

	do {
		n = pread(m->ring_fd, m->copy->data,
			  MIN(len, sizeof m->copy->data), at);
		if (n <= 0)
			return;
		at += n;
		len -= (size_t)n;
	} while (page_pipe_copy(m->copies, m->copy->data, (size_t)n) &&
		 len > 0);
}

/* Prepares the pages of the portion for viewers that continue at `from', the
 * end of the last portion: most viewers do.  With few viewers it does
 * nothing. */
static void take_pages(struct mount *m, uint64_t from, struct viewer_pass *pass)
{
	size_t len;
	off_t at = ring_file_offset(m->reader, from,
				    (size_t)(m->portion.pos - from), &len);

	if (m->n_viewers - m->n_copied >= PAGES_MIN && !m->tls) {
		page_pipe_fill(m->pages, m->ring_fd, at, len);
		m->pages->pos = from;
		pass->pages = m->pages;
	}
	if (m->n_copied >= PAGES_MIN) {
		copy_pages(m, at, len);
		m->copies->pos = from;
		pass->copies = m->copies;
	}
}

void mount_feed(struct mount *m, uint64_t now_ms)
{
	struct viewer_pass pass;
	struct viewer *v, *next;
	uint64_t from;

	check_bodies(m);
	if (LIST_EMPTY(&m->viewers)) {
		/* mark a damaged ring: mount_recover() checks it later */
		if (m->hls > 0 && !m->broken && !mount_end(m, &from))
			close_broken(m);
		return;
	}
	if (!start_pass(m, now_ms, &pass)) {
		close_broken(m);
		return;
	}
	from = m->portion.pos;
	if (portion_advance(&m->portion, pass.written, now_ms))
		take_pages(m, from, &pass);
	else if (m->n_behind == 0)
		return;
	pass.end = m->portion.pos;
	m->n_behind = 0;
	for (v = LIST_FIRST(&m->viewers); v != NULL; v = next) {
		next = LIST_NEXT(v, entry);
		feed_one(m, v, &pass);
	}
	if (pass.pages != NULL)
		page_pipe_empty(pass.pages);
	if (pass.copies != NULL)
		page_pipe_empty(pass.copies);
}

unsigned mount_wait_ms(struct mount *m, uint64_t now_ms)
{
	uint64_t end;

	if (LIST_EMPTY(&m->viewers) || !mount_end(m, &end))
		return UINT_MAX;
	return portion_wait_ms(&m->portion, end, m->rate, now_ms);
}

void mount_add_viewer(struct mount *m, const struct viewer_socket *socket,
		      uint64_t now_ms)
{
	struct viewer_pass pass;
	struct viewer *v = viewer_new(&(struct viewer_config){
		.loop = m->loop,
		.socket = socket,
		.sndbuf = m->lag.sndbuf,
		.wait_until_ms = now_ms + m->start_ms,
		.now_ms = now_ms,
		.on_gone = on_gone,
		.arg = m,
	});

	LIST_INSERT_HEAD(&m->viewers, v, entry);
	m->n_viewers++;
	m->n_copied += v->copied;
	if (!start_pass(m, now_ms, &pass)) {
		close_broken(m);
		return;
	}
	if (m->n_viewers == 1)
		portion_reset(&m->portion, pass.written, now_ms);
	feed_one(m, v, &pass);
}

bool mount_recover(struct mount *m)
{
	struct ring_reader *reader;
	int err;

	if (!m->broken)
		return true;
	reader = ring_reader_new(m->ring_fd, &err);
	if (reader == NULL)
		return false;
	ring_reader_free(&m->reader);
	m->reader = reader;
	m->rate_ms = 0;
	m->broken = false;
	return true;
}

void mount_measure(struct mount *m, uint64_t now_ms)
{
	bool ok;
	uint64_t pos = ring_reader_pos(m->reader, &ok);
	uint64_t passed_ms = now_ms - m->rate_ms;
	uint64_t rate;

	find_pause(m, pos, now_ms);
	if (m->fragments != NULL)
		fragments_expire(m->fragments, now_ms);
	if (passed_ms == 0)
		return;
	if (m->rate_ms > 0) {
		rate = (pos - m->rate_pos) * 1000 / passed_ms;
		/* the rate rises at once and falls slowly, because a pause may
		 * end at any time */
		m->rate = MAX(rate, m->rate - m->rate / 8);
		lag_init(&m->lag, ring_reader_size(m->reader), m->rate,
			 &m->kernel);
	}
	m->rate_pos = pos;
	m->rate_ms = now_ms;
}

bool mount_next_report(struct mount *m, struct msg_deliver_viewers *ret)
{
	uint32_t n = m->n_viewers + m->n_waiting + m->n_hls;

	if (m->reported_viewers == n &&
	    m->reported_bytes == m->bytes && m->reported_cut == m->cut)
		return false;
	m->reported_viewers = n;
	m->reported_bytes = m->bytes;
	m->reported_cut = m->cut;
	*ret = (struct msg_deliver_viewers){
		.address = m->address,
		.path = m->path,
		.stream = m->stream,
		.viewers = n,
		.bytes = m->bytes,
		.cut = m->cut,
	};
	return true;
}
