/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/document/replace.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MODE_NEW = 0600,
	MODE_KEPT = 0770, /* mask of the old mode: no rights for other users */
	MODE_NEW_PUBLIC = 0644,
	MODE_KEPT_PUBLIC = 0774,
	LINKS_MAX = 40, /* links followed, as many as by the kernel */
};

/* The paths of one replacement. */
struct places {
	char *target; /* the file itself, links followed */
	char *folder;
	char *temporary;
	bool is_public;
};

/* The path where a chain of links leads, even if no file is there yet. */
static char *follow_links(const char *path)
{
	char *at = xstrdup(path);

	for (unsigned i = 0; i < LINKS_MAX; i++) {
		char text[PATH_MAX];
		ssize_t n = readlink(at, text, sizeof text - 1);
		const char *slash = strrchr(at, '/');
		char *next;

		if (n < 0)
			break;
		text[n] = '\0';
		if (text[0] == '/' || slash == NULL)
			next = xstrdup(text);
		else
			next = xasprintf("%.*s%s", (int)(slash + 1 - at), at,
					 text);
		free(at);
		at = next;
	}
	return at;
}

static int fail(struct errmsg *error, const char *step, const char *path)
{
	int err = errno;

	return errmsg_fail(error, -err, "cannot %s %s: %s", step, path,
			   strerror(err));
}

/* Gives the new file the owner and group of the old one, as far as this user
 * may.  A user namespace may have no number for the owner; then the group is
 * kept. */
static void keep_owner(int fd, const struct stat *old)
{
	struct stat new;

	if (fstat(fd, &new) == 0 && new.st_uid == old->st_uid &&
	    new.st_gid == old->st_gid)
		return;
	if (fchown(fd, old->st_uid, old->st_gid) < 0 &&
	    fchown(fd, (uid_t)-1, old->st_gid) < 0)
		return;
}

/* Gives the new file the owner and the mode of the old one, without rights that
 * other users must not have; writes the content and syncs it.  0, or -errno
 * with error. */
static int fill(int fd, const void *data, size_t len, const struct places *p,
		struct errmsg *error)
{
	struct stat old;
	bool is_new = lstat(p->target, &old) < 0;
	mode_t mode = p->is_public ? MODE_NEW_PUBLIC : MODE_NEW;

	if (is_new && errno != ENOENT)
		return fail(error, "stat", p->target);
	if (!is_new && S_ISREG(old.st_mode)) {
		keep_owner(fd, &old);
		mode = old.st_mode & (p->is_public ? MODE_KEPT_PUBLIC
						   : MODE_KEPT);
	}
	if (fchmod(fd, mode) < 0)
		return fail(error, "change the mode of", p->temporary);
	if (fd_write_all(fd, data, len) < 0)
		return fail(error, "write", p->temporary);
	if (fsync(fd) < 0)
		return fail(error, "sync", p->temporary);
	return 0;
}

static int write_temporary(const struct places *p, const void *data,
			   size_t len, struct errmsg *error)
{
	int fd, r;

	/* the temporary file of a process that was killed */
	if (unlink(p->temporary) < 0 && errno != ENOENT)
		return fail(error, "remove", p->temporary);
	fd = open(p->temporary,
		  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		  MODE_NEW);
	if (fd < 0)
		return fail(error, "create", p->temporary);
	r = fill(fd, data, len, p, error);
	if (close(fd) < 0 && r == 0)
		r = fail(error, "close", p->temporary);
	if (r == 0 && rename(p->temporary, p->target) < 0)
		r = fail(error, "rename", p->temporary);
	if (r < 0)
		(void)unlink(p->temporary);
	return r;
}

/* Puts the rename on the disk, by a sync of the folder.  0, or -errno with
 * error. */
static int sync_folder(const char *folder, struct errmsg *error)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = 0;

	if (fd < 0)
		return fail(error, "open", folder);
	/* EINVAL: the file system cannot sync a folder */
	if (fsync(fd) < 0 && errno != EINVAL)
		r = fail(error, "sync", folder);
	fd_close(&fd);
	return r;
}

/* Replaces the file at p.target, which it frees.  0, or -errno with error. */
static int replace(struct places p, const void *data, size_t len,
		   struct errmsg *error)
{
	const char *slash = strrchr(p.target, '/');
	int r;

	if (slash == NULL)
		p.folder = xstrdup(".");
	else if (slash == p.target)
		p.folder = xstrdup("/");
	else
		p.folder = xstrndup(p.target, (size_t)(slash - p.target));
	p.temporary = xasprintf("%s/.%s.new", p.folder,
				slash != NULL ? slash + 1 : p.target);
	r = write_temporary(&p, data, len, error);
	if (r == 0)
		r = sync_folder(p.folder, error);
	free(p.target);
	free(p.folder);
	free(p.temporary);
	return r;
}

int replace_file(const char *path, const void *data, size_t len,
		 struct errmsg *error)
{
	struct places p = { .target = realpath(path, NULL) };

	if (p.target == NULL)
		p.target = follow_links(path);
	return replace(p, data, len, error);
}

int replace_public_file(const char *path, const void *data, size_t len,
			struct errmsg *error)
{
	return replace((struct places){ .target = xstrdup(path),
					.is_public = true },
		       data, len, error);
}
