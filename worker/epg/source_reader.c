/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/source_reader.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/loop/helper.h"
#include "worker/core/hidden.h"
#include "worker/net/curl/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 256 * 1024 }; /* bytes of a read */

/* A read of a piece of the file, in a helper thread. */
struct job {
	char path[IO_PATH_MAX];
	struct source_stamp known, stamp;
	int fd; /* descriptor of the file; -1: it is not open yet */
	off_t pos;
	int result; /* bytes that were read, or -errno */
	uint8_t bytes[PIECE];
};

struct source_reader {
	const struct epg_source_spec *spec;
	struct buf bytes;
	/* used if the source is on a server */
	struct fetcher *fetcher;
	struct fetch *fetch;
	/* used if the source is a file */
	struct helpers *helpers;
	struct helper_call *call; /* the read that is running; NULL: none */
	struct source_stamp known, stamp;
	int fd;
	off_t pos;
	int result; /* job.result of the last read */
};

/* --- files --- */

static int open_file(struct job *j)
{
	const struct source_stamp *k = &j->known;
	struct stat st;

	j->fd = open(j->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (j->fd < 0 || fstat(j->fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	j->stamp = (struct source_stamp){
		.changed = st.st_mtim, .inode = st.st_ino,
		.size = (uint64_t)st.st_size };
	return k->inode == j->stamp.inode && k->size == j->stamp.size &&
			       k->changed.tv_sec == st.st_mtim.tv_sec &&
			       k->changed.tv_nsec == st.st_mtim.tv_nsec
		       ? -EALREADY : 0;
}

static void run(void *job)
{
	struct job *j = job;

	j->result = j->fd < 0 ? open_file(j) : 0;
	if (j->result == 0)
		j->result = (int)pread(j->fd, j->bytes, PIECE, j->pos);
	if (j->result == -1)
		j->result = -errno;
}

static void done(void *job, void *arg)
{
	struct source_reader *s = arg;
	struct job *j = job;

	s->call = NULL;
	s->fd = j->fd;
	j->fd = -1;
	s->result = j->result;
	s->stamp = j->stamp;
	if (j->result <= 0)
		return;
	buf_append(&s->bytes, j->bytes, (size_t)j->result);
	s->pos += j->result;
}

static void job_free(void *job)
{
	struct job *j = job;

	fd_close(&j->fd);
	free(j);
}

static bool is_same(const void *a, const void *b)
{
	const struct job *x = a, *y = b;

	return strcmp(x->path, y->path) == 0;
}

static void read_piece(struct source_reader *s)
{
	static const struct helper_kind kind = { run, done, job_free, is_same };
	struct job *j = xcalloc(1, sizeof *j);

	memcpy(j->path, s->spec->path, sizeof j->path);
	j->known = s->known;
	j->stamp = s->stamp;
	j->fd = s->fd;
	s->fd = -1;
	j->pos = s->pos;
	s->call = helper_call_new(s->helpers, &kind, j, s);
}

static int turn_file(struct source_reader *s, struct errmsg *error)
{
	if (s->call != NULL || buf_len(&s->bytes) >= SOURCE_BUFFER / 2)
		return 1;
	if (s->result == -EALREADY || s->result == 0)
		return s->result;
	if (s->result > 0) {
		read_piece(s);
		return 1;
	}
	if (s->result == -EACCES)
		(void)hidden_when_refused(s->spec->path, R_OK);
	if (s->result == -EINVAL)
		return errmsg_fail(error, -EINVAL, "%.128s: is not a regular "
				   "file",
				   s->spec->path);
	return errmsg_fail(error, s->result, "%.128s: %s", s->spec->path,
			   strerror(-s->result));
}

/* --- servers --- */

static enum fetch_taken on_data(const uint8_t *data, size_t len, void *arg)
{
	struct source_reader *s = arg;

	if (buf_len(&s->bytes) >= SOURCE_BUFFER)
		return FETCH_NO_ROOM;
	buf_append(&s->bytes, data, len);
	return FETCH_TAKEN;
}

static int turn_fetch(struct source_reader *s, uint64_t now_ns,
		      struct errmsg *error)
{
	if (fetch_is_paused(s->fetch) &&
	    buf_len(&s->bytes) < SOURCE_BUFFER / 2)
		fetch_resume(s->fetch);
	fetcher_turn(s->fetcher, now_ns, 0);
	switch (fetch_state(s->fetch)) {
	case FETCH_RUNS:
		return 1;
	case FETCH_FAILED:
		return fetch_error(s->fetch, error);
	case FETCH_DONE:
		break;
	}
	return 0;
}

/* --- both --- */

struct source_reader *source_reader_new(const struct epg_source_spec *spec,
				   const struct source_stamp *known,
				   struct helpers *helpers,
				   struct errmsg *error)
{
	struct source_reader *s = xcalloc(1, sizeof *s);
	int err = 0;

	s->spec = spec;
	s->helpers = helpers;
	s->known = *known;
	s->fd = -1;
	if (spec->path[0] != '\0') {
		read_piece(s);
		return s;
	}
	s->fetcher = fetcher_new(&spec->http, &err, error);
	if (s->fetcher != NULL)
		s->fetch = fetch_new(s->fetcher, &(struct fetch_request){
			.url = spec->http.url, .limit_s = SOURCE_LIMIT_S,
			.on_data = on_data, .arg = s }, &err, error);
	if (s->fetch == NULL)
		source_reader_free(&s);
	return s;
}

void source_reader_free(struct source_reader **sp)
{
	struct source_reader *s = *sp;

	*sp = NULL;
	if (s == NULL)
		return;
	fetch_free(&s->fetch);
	fetcher_free(&s->fetcher);
	helper_call_cancel(&s->call);
	fd_close(&s->fd);
	buf_done(&s->bytes);
	free(s);
}

int source_reader_turn(struct source_reader *s, uint64_t now_ns,
		    struct errmsg *error)
{
	return s->fetch != NULL ? turn_fetch(s, now_ns, error)
				: turn_file(s, error);
}

struct buf *source_reader_bytes(struct source_reader *s)
{
	return &s->bytes;
}

struct source_stamp source_reader_stamp(const struct source_reader *s)
{
	return s->stamp;
}
