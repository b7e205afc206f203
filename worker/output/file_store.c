/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/file_store.h"

#include "common/base/fd.h"
#include "common/base/mono.h"
#include "worker/core/hidden.h"
#include "worker/core/private.h"
#include "worker/output/file_name.h"
#include "worker/output/join_point.h"
#include "worker/ts/packet.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define MIB (UINT64_C(1024) * 1024)

enum {
	SYNC_BYTE = 0x47,
	COPIES_MAX = 1000,
	/* After so many bytes the kernel is asked to write them to the disk, so
	 * that there are few dirty pages. */
	FLUSH_BYTES = 4 * 1024 * 1024,
	/* The last 1 / END_SHARE of a file: here the store looks for the start
	 * of the next one. */
	END_SHARE = 8,
};

static bool rotates(const struct file_store *s)
{
	return s->spec->file.rotate_s > 0 || s->spec->file.rotate_mib > 0;
}

static int fail(const char *path, int err, struct errmsg *error)
{
	return errmsg_fail(error, err, "%s: %s", path, strerror(-err));
}

static int measure(struct file_store *s, struct errmsg *error)
{
	uint64_t min = (uint64_t)s->spec->file.min_free_mib * MIB;
	struct statvfs v;

	if (fstatvfs(s->folder, &v) < 0)
		return fail(s->path, -errno, error);
	/* a file system without blocks, such as /proc */
	if (v.f_blocks == 0)
		return errmsg_fail(error, -EMEDIUMTYPE,
				   "%s: the file system stores no files",
				   s->path);
	s->free = (uint64_t)v.f_bavail * v.f_frsize;
	/* recording resumes when a tenth more than min is free */
	s->full = s->free < (s->full ? min + min / 10 : min);
	return 0;
}

static int open_folder(struct file_store *s, struct errmsg *error)
{
	if (private_is_in(s->path))
		return errmsg_fail(error, -EPERM, "%s: contains the "
				   "configuration or the state of the service: "
				   "record in another folder", s->path);
	s->folder = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->folder < 0 && errno == EACCES && hidden_by_sandbox(s->path))
		return errmsg_fail(error, -EACCES, "%s: the folder was created "
				   "after the start of this worker: a new "
				   "worker opens it within a minute", s->path);
	return s->folder < 0 ? fail(s->path, -errno, error) : 0;
}

static bool is_same(const struct stat *named, int fd)
{
	struct stat open;

	return fstat(fd, &open) == 0 && fd_same_file(named, &open);
}

int file_store_check(struct file_store *s, struct errmsg *error)
{
	struct stat named;
	int err = 0;

	if (stat(s->path, &named) < 0 || !is_same(&named, s->folder)) {
		file_store_pause(s);
		fd_close(&s->folder);
		err = open_folder(s, error);
	} else if (s->fd >= 0 &&
		   (fstatat(s->folder, s->file, &named,
			    AT_SYMLINK_NOFOLLOW) < 0 ||
		    !is_same(&named, s->fd))) {
		file_store_pause(s);
	}
	return err < 0 ? err : measure(s, error);
}

int file_store_open(struct file_store *s, const struct output_spec *spec,
		    struct errmsg *error)
{
	char path[IO_PATH_MAX];
	int err;

	*s = (struct file_store){
		.spec = spec,
		.unit = spec->file.m2ts ? TS_PACKET + 4 : TS_PACKET,
		.folder = -1,
		.fd = -1,
		.name = strrchr(spec->path, '/') + 1,
	};
	(void)snprintf(path, sizeof path, "%s", spec->path);
	(void)snprintf(s->path, sizeof s->path, "%s", dirname(path));
	err = open_folder(s, error);
	if (err == 0)
		err = measure(s, error);
	if (err < 0)
		file_store_close(s);
	else if (rotates(s))
		s->psi = psi_new();
	return err;
}

void file_store_pause(struct file_store *s)
{
	if (s->fd >= 0)
		(void)fsync(s->fd);
	fd_close(&s->fd);
}

void file_store_close(struct file_store *s)
{
	file_store_pause(s);
	fd_close(&s->folder);
	psi_free(&s->psi);
}

/* Continues an existing recording: truncates it behind its last whole packet.
 * 0, or -errno with error: any other file is rejected and not changed. */
static int continue_file(struct file_store *s, off_t size,
			 struct errmsg *error)
{
	size_t sync = s->unit - TS_PACKET;
	uint8_t head[2 * (TS_PACKET + 4)];
	ssize_t n = pread(s->fd, head, 2 * s->unit, 0);

	if (n < 0)
		return fail(s->name, -errno, error);
	if ((size_t)n < 2 * s->unit || head[sync] != SYNC_BYTE ||
	    head[s->unit + sync] != SYNC_BYTE)
		return errmsg_fail(error, -EEXIST, "%s: not changed: the file "
				   "exists and contains no transport stream "
				   "in packets of %zu bytes", s->name,
				   s->unit);
	size -= size % (off_t)s->unit;
	if (ftruncate(s->fd, size) < 0 || lseek(s->fd, size, SEEK_SET) < 0)
		return fail(s->name, -errno, error);
	s->size = (uint64_t)size;
	return 0;
}

static int check_file(struct file_store *s, struct errmsg *error)
{
	struct stat st;

	/* the lock comes first: another process may still append */
	if (flock(s->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return errmsg_fail(error, -EBUSY,
				   "%s: locked by another recording",
				   s->name);
	if (fstat(s->fd, &st) < 0)
		return fail(s->name, -errno, error);
	if (!S_ISREG(st.st_mode))
		return errmsg_fail(error, -EINVAL, "%s: not a regular file",
				   s->name);
	s->size = 0;
	return st.st_size == 0 ? 0 : continue_file(s, st.st_size, error);
}

/* Opens or creates the file of this time.  With rotation it always creates a
 * file, with a number if the name exists.  0, or -errno with error. */
static int open_named(struct file_store *s, time_t now, struct errmsg *error)
{
	struct file_name name = { .pattern = s->name, .rotates = rotates(s) };
	int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC |
		    (name.rotates ? O_EXCL : 0);
	struct tm when;

	(void)localtime_r(&now, &when);
	do {
		if (file_name_make(&name, &when, s->file, sizeof s->file) < 0)
			return errmsg_fail(error, -ENAMETOOLONG,
					   "%s: the name is too long",
					   s->name);
		s->fd = openat(s->folder, s->file, flags, 0644);
	} while (s->fd < 0 && errno == EEXIST && ++name.copy < COPIES_MAX);
	if (s->fd < 0 && errno == ELOOP)
		return errmsg_fail(error, -ELOOP, "%s: a symbolic link",
				   s->name);
	return s->fd < 0 ? fail(s->name, -errno, error) : 0;
}

static int open_file(struct file_store *s, struct errmsg *error)
{
	time_t now = time(NULL);
	int64_t every = s->spec->file.rotate_s;
	struct statvfs v;
	int err;

	/* on a full disk the file would stay empty, and each retry would
	 * create another */
	if (fstatvfs(s->folder, &v) == 0 && v.f_bavail == 0)
		return fail(s->name, -ENOSPC, error);
	err = open_named(s, now, error);
	if (err == 0)
		err = check_file(s, error);
	if (err < 0) {
		fd_close(&s->fd);
		return err;
	}
	s->flushed = s->size;
	/* files of an hour start at full hours, UTC */
	s->ends_s = every > 0 ? (now / every + 1) * every : 0;
	s->due_ns = 0;
	s->files++;
	return 0;
}

/* The limit of a file in bytes; 0: none. */
static uint64_t size_limit(const struct file_store *s)
{
	uint64_t max = (uint64_t)s->spec->file.rotate_mib * MIB;

	return max - max % s->unit;
}

static enum rap_sign look(struct file_store *s, const uint8_t *packet)
{
	if (ts_pid(packet) != join_point_follow(&s->rap, s->psi))
		return RAP_NONE;
	return join_point_feed(&s->rap, packet, UINT64_MAX);
}

/* True if the time or the size of the file is over, or almost over, so that the
 * next file may start. */
static bool is_due(const struct file_store *s, uint64_t size, time_t now)
{
	int64_t every = s->spec->file.rotate_s;
	uint64_t max = size_limit(s);

	/* The second test is true when the clock went back before the start of
	 * the file. */
	if (s->ends_s > 0 && (now >= s->ends_s || now < s->ends_s - every))
		return true;
	return max > 0 && size >= max - max / END_SHARE;
}

/*
 * The number of bytes that belong to this file: up to the start of the next
 * file, if that is due.  A picture starts no file if the bytes of this call do
 * not show yet whether it is a random access point.
 */
static size_t find_end(struct file_store *s, const uint8_t *data, size_t len)
{
	time_t now = time(NULL);
	uint64_t now_ns = mono_ns();
	size_t open = len; /* start of the picture that is not decided */

	if (s->rap_ns == 0)
		s->rap_ns = now_ns;
	if (now_ns - s->fed_ns >= JOIN_POINT_PAUSE_MS * MS)
		s->main_ns = now_ns;
	s->fed_ns = now_ns;
	for (size_t at = 0; at < len; at += s->unit) {
		const uint8_t *packet = data + at + s->unit - TS_PACKET;
		enum rap_sign sign = look(s, packet);
		struct join_wait wait;

		if (ts_pid(packet) == s->rap.pid)
			s->main_ns = now_ns;
		if (s->due_ns == 0 && is_due(s, s->size + at, now))
			s->due_ns = now_ns;
		if (sign == RAP_HERE || sign == RAP_YES)
			s->rap_ns = now_ns;
		if (sign == RAP_HERE || sign == RAP_OPEN)
			open = at;
		if (s->due_ns != 0 && open < len &&
		    (sign == RAP_HERE || sign == RAP_YES))
			return open;
		if (sign == RAP_NO)
			open = len;
		wait = (struct join_wait){ now_ns - s->rap_ns,
					   now_ns - s->due_ns,
					   now_ns - s->main_ns };
		if (s->due_ns != 0 &&
		    join_point_is_guess(&s->rap, s->psi, packet, &wait))
			return at;
		if (psi_class(s->psi, ts_pid(packet)) == PID_PSI)
			(void)psi_feed(s->psi, packet);
	}
	return len;
}

static int write_packets(struct file_store *s, const uint8_t *data, size_t len,
			 struct errmsg *error)
{
	size_t done = 0;
	int err = 0;

	while (done < len) {
		ssize_t n = write(s->fd, data + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			err = n < 0 ? -errno : -EIO;
			break;
		}
		done += (size_t)n;
	}
	s->size += done - done % s->unit;
	if (err < 0) {
		(void)!ftruncate(s->fd, (off_t)s->size);
		/* without its empty file, because each retry creates another */
		if (s->size == 0 && rotates(s))
			(void)unlinkat(s->folder, s->file, 0);
		return fail(s->name, err, error);
	}
	if (s->size - s->flushed >= FLUSH_BYTES) {
		(void)sync_file_range(s->fd, (off_t)s->flushed,
				      (off_t)(s->size - s->flushed),
				      SYNC_FILE_RANGE_WRITE);
		s->flushed = s->size;
	}
	return 0;
}

int file_store_write(struct file_store *s, const uint8_t *data, size_t len,
		     struct errmsg *error)
{
	uint64_t max = size_limit(s);

	while (len > 0) {
		size_t part = len;
		int err = s->fd < 0 ? open_file(s, error) : 0;

		if (err < 0)
			return err;
		if (max > 0)
			part = s->size < max ? (size_t)MIN(max - s->size, len)
					     : 0;
		if (s->psi != NULL)
			part = find_end(s, data, part);
		if (part == 0) {
			file_store_pause(s);
			continue;
		}
		err = write_packets(s, data, part, error);
		if (err < 0)
			return err;
		data += part;
		len -= part;
	}
	return 0;
}
