/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/file_store.h"

#include "common/base/fd.h"
#include "common/base/mono.h"
#include "worker/output/file_name.h"
#include "worker/output/start_point.h"
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
	/* Told to the disk at once, so that no mountain of it waits. */
	FLUSH_BYTES = 4 * 1024 * 1024,
	/* The last part of a file in which its end is looked for. */
	END_SHARE = 8,
};

static bool rotates(const struct file_store *s)
{
	return s->spec->file.rotate_s > 0 || s->spec->file.rotate_mib > 0;
}

static int fail_at(const struct file_store *s, int err, struct errmsg *why)
{
	return errmsg_fail(why, err, "%s: %s", s->place, strerror(-err));
}

static int measure(struct file_store *s, struct errmsg *why)
{
	struct statvfs v;

	if (fstatvfs(s->folder, &v) < 0)
		return fail_at(s, -errno, why);
	/* /proc and the like, where a file is no file */
	if (v.f_blocks == 0)
		return errmsg_fail(why, -EMEDIUMTYPE, "%s: nothing can be "
				   "recorded there", s->place);
	s->free_mib = (uint64_t)v.f_bavail * v.f_frsize / MIB;
	return 0;
}

static int open_folder(struct file_store *s, struct errmsg *why)
{
	s->folder = open(s->place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return s->folder < 0 ? fail_at(s, -errno, why) : 0;
}

static bool is_same(const struct stat *named, int fd)
{
	struct stat open;

	return fstat(fd, &open) == 0 && named->st_ino == open.st_ino &&
	       named->st_dev == open.st_dev;
}

/* Do their names still lead to what is open? */
static bool folder_is_there(const struct file_store *s)
{
	struct stat named;

	return stat(s->place, &named) == 0 && is_same(&named, s->folder);
}

static bool file_is_there(const struct file_store *s)
{
	struct stat named;

	return fstatat(s->folder, s->file, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       is_same(&named, s->fd);
}

int file_store_look(struct file_store *s, struct errmsg *why)
{
	int err = 0;

	if (!folder_is_there(s)) {
		file_store_pause(s);
		fd_close(&s->folder);
		err = open_folder(s, why);
	} else if (s->fd >= 0 && !file_is_there(s)) {
		file_store_pause(s);
	}
	return err < 0 ? err : measure(s, why);
}

int file_store_open(struct file_store *s, const struct output_spec *spec,
		    struct errmsg *why)
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
	(void)snprintf(s->place, sizeof s->place, "%s", dirname(path));
	err = open_folder(s, why);
	if (err == 0)
		err = measure(s, why);
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

/* Is what stands there ours to continue?  Ends it behind a whole packet. */
static int judge_old(struct file_store *s, off_t size, struct errmsg *why)
{
	size_t sync = s->unit - TS_PACKET;
	uint8_t head[2 * (TS_PACKET + 4)];
	ssize_t n = pread(s->fd, head, 2 * s->unit, 0);

	if (n < 0)
		return errmsg_fail(why, -errno, "%s: %s", s->name,
				   strerror(errno));
	if ((size_t)n < 2 * s->unit || head[sync] != SYNC_BYTE ||
	    head[s->unit + sync] != SYNC_BYTE)
		return errmsg_fail(why, -EEXIST, "%s: is there and is no "
				   "transport stream of this form: it is not "
				   "touched", s->name);
	size -= size % (off_t)s->unit;
	if (ftruncate(s->fd, size) < 0 || lseek(s->fd, size, SEEK_SET) < 0)
		return errmsg_fail(why, -errno, "%s: %s", s->name,
				   strerror(errno));
	s->size = (uint64_t)size;
	return 0;
}

/* A file that was opened, new or not. */
static int judge(struct file_store *s, struct errmsg *why)
{
	struct stat st;

	/* first of all: it may still be growing */
	if (flock(s->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return errmsg_fail(why, -EBUSY, "%s: is written by another",
				   s->name);
	if (fstat(s->fd, &st) < 0)
		return errmsg_fail(why, -errno, "%s: %s", s->name,
				   strerror(errno));
	if (!S_ISREG(st.st_mode))
		return errmsg_fail(why, -EINVAL, "%s: is not a file",
				   s->name);
	s->size = 0;
	if (st.st_size == 0)
		return 0;
	return judge_old(s, st.st_size, why);
}

/* One that rotates begins with a new file, every time. */
static int open_named(struct file_store *s, const struct tm *when,
		      struct errmsg *why)
{
	struct file_name name = { .pattern = s->name, .rotates = rotates(s) };
	int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC |
		    (name.rotates ? O_EXCL : 0);

	do {
		if (file_name_make(&name, when, s->file, sizeof s->file) < 0)
			return errmsg_fail(why, -ENAMETOOLONG,
					   "%s: the name is too long",
					   s->name);
		s->fd = openat(s->folder, s->file, flags, 0644);
	} while (s->fd < 0 && errno == EEXIST && ++name.copy < COPIES_MAX);
	if (s->fd < 0)
		return errmsg_fail(why, -errno, "%s: %s", s->name,
				   errno == ELOOP ? "is a link"
						  : strerror(errno));
	return 0;
}

/* Whole hours begin with the hour (UTC), whenever the recording began. */
static int64_t next_end(const struct file_store *s, time_t now)
{
	int64_t every = s->spec->file.rotate_s;

	return every > 0 ? (now / every + 1) * every : 0;
}

/* Where there is room for nothing a file would be an empty one, and the next
 * try would make another. */
static int look_for_room(const struct file_store *s, struct errmsg *why)
{
	struct statvfs v;

	if (fstatvfs(s->folder, &v) == 0 && v.f_bavail == 0)
		return errmsg_fail(why, -ENOSPC, "%s: %s", s->name,
				   strerror(ENOSPC));
	return 0;
}

static int open_file(struct file_store *s, struct errmsg *why)
{
	time_t now = time(NULL);
	struct tm when;
	int err;

	(void)localtime_r(&now, &when);
	err = look_for_room(s, why);
	if (err == 0)
		err = open_named(s, &when, why);
	if (err == 0)
		err = judge(s, why);
	if (err < 0) {
		fd_close(&s->fd);
		return err;
	}
	s->flushed = s->size;
	s->ends_s = next_end(s, now);
	s->due_ns = 0;
	s->files++;
	return 0;
}

/* Bytes of a file at most; 0: as many as come. */
static uint64_t most_bytes(const struct file_store *s)
{
	uint64_t max = (uint64_t)s->spec->file.rotate_mib * MIB;

	return max - max % s->unit;
}

/* Is the file to end, with so many bytes in it? */
static bool is_due(struct file_store *s, uint64_t size, bool late,
		   uint64_t now_ns)
{
	uint64_t max = most_bytes(s);

	if (s->due_ns == 0 &&
	    (late || (max > 0 && size >= max - max / END_SHARE)))
		s->due_ns = now_ns;
	return s->due_ns != 0;
}

/* Its time is over, or did not come yet: the clock was set back. */
static bool is_late(const struct file_store *s, time_t now)
{
	int64_t every = s->spec->file.rotate_s;

	return s->ends_s > 0 && (now >= s->ends_s || now < s->ends_s - every);
}

/* How many of len bytes belong to this file: up to where the next one can
 * begin, when it is due. */
static size_t find_end(struct file_store *s, const uint8_t *data, size_t len)
{
	bool late = is_late(s, time(NULL));
	uint64_t now_ns = mono_ns();

	for (size_t at = 0; at < len; at += s->unit) {
		const uint8_t *packet = data + at + s->unit - TS_PACKET;

		if (is_due(s, s->size + at, late, now_ns) &&
		    start_point_is(s->psi, packet, psi_main_pid(s->psi),
				   now_ns - s->due_ns))
			return at;
		if (psi_class(s->psi, ts_pid(packet)) == PID_PSI)
			(void)psi_feed(s->psi, packet);
	}
	return len;
}

static size_t room(struct file_store *s, const uint8_t *data, size_t len)
{
	uint64_t max = most_bytes(s);

	if (max > 0 && s->size >= max)
		return 0;
	if (max > 0)
		len = (size_t)MIN(max - s->size, len);
	return s->psi != NULL ? find_end(s, data, len) : len;
}

static void flush(struct file_store *s)
{
	if (s->size - s->flushed < FLUSH_BYTES)
		return;
	(void)sync_file_range(s->fd, (off_t)s->flushed,
			      (off_t)(s->size - s->flushed),
			      SYNC_FILE_RANGE_WRITE);
	s->flushed = s->size;
}

static int write_all(struct file_store *s, const uint8_t *data, size_t len,
		     struct errmsg *why)
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
	if (err == 0)
		return 0;
	(void)!ftruncate(s->fd, (off_t)s->size);
	/* it is tried again, with a new one each time */
	if (s->size == 0 && rotates(s))
		(void)unlinkat(s->folder, s->file, 0);
	return errmsg_fail(why, err, "%s: %s", s->name, strerror(-err));
}

int file_store_write(struct file_store *s, const uint8_t *data, size_t len,
		     struct errmsg *why)
{
	while (len > 0) {
		size_t part;
		int err = s->fd < 0 ? open_file(s, why) : 0;

		if (err < 0)
			return err;
		part = room(s, data, len);
		if (part == 0) {
			file_store_pause(s);
			continue;
		}
		err = write_all(s, data, part, why);
		if (err < 0)
			return err;
		flush(s);
		data += part;
		len -= part;
	}
	return 0;
}
