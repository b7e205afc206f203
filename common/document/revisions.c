/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/document/revisions.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/fd.h"
#include "common/document/document.h"
#include "common/document/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char author_key[] = "user.sluice.author";

/* Gives the file the second name aside, which needs no space and is complete at
 * once.  A copy takes its place on another file system, or where the file has
 * another owner.  read_result: of the content. */
static bool put_aside(const char *path, const char *aside, int read_result,
		      const struct buf *content, struct errmsg *ret_lost)
{
	(void)unlink(aside);
	if (linkat(AT_FDCWD, path, AT_FDCWD, aside, AT_SYMLINK_FOLLOW) == 0)
		return true;
	if (read_result < 0)
		errmsg_set(ret_lost, "cannot read %s: %s", path,
			   strerror(-read_result));
	return read_result == 0 &&
	       replace_file(aside, buf_head(content), buf_len(content),
			    ret_lost) == 0;
}

/* Renames each revision to the next one, and aside to FILE.1; false: aside
 * cannot be renamed. */
static bool shift(const char *path, const char *aside, struct errmsg *ret_lost)
{
	char *to = xasprintf("%s.%d", path, REVISIONS_MAX);
	bool kept = false;

	for (int i = REVISIONS_MAX - 1; i >= 0; i--) {
		char *from = i > 0 ? xasprintf("%s.%d", path, i)
				   : xstrdup(aside);

		kept = rename(from, to) == 0;
		if (!kept && errno != ENOENT)
			errmsg_set(ret_lost, "cannot rename %s: %s", from,
				   strerror(errno));
		free(to);
		to = from;
	}
	free(to);
	/* rename() does nothing if both names are links to the same file */
	(void)unlink(aside);
	return kept;
}

static bool has_digest(const struct buf *content, const char *digest)
{
	char own[DOCUMENT_DIGEST_TEXT];

	document_digest(buf_head(content), buf_len(content), own);
	return strcmp(own, digest) == 0;
}

int revisions_replace(const char *path, const void *data, size_t len,
		      struct former *f, struct errmsg *error)
{
	char *aside = xasprintf("%s.0", path);
	struct stat before = { 0 }, after = { 0 };
	struct buf old = { 0 };
	bool differs, is_other, is_aside;
	int r;

	f->lost.text[0] = '\0';
	/* an earlier write was interrupted before it had kept the content */
	if (stat(path, &before) == 0 && stat(aside, &after) == 0 &&
	    S_ISREG(after.st_mode) && !fd_same_file(&before, &after))
		(void)shift(path, aside, &f->lost);
	r = document_read(path, &old);
	differs = r == 0 ? buf_len(&old) != len ||
				   (len > 0 &&
				    memcmp(buf_head(&old), data, len) != 0)
			 : r != -ENOENT;
	is_other = differs && (r < 0 || !has_digest(&old, f->known));
	is_aside = differs && (is_other || !f->continues) &&
		   put_aside(path, aside, r, &old, &f->lost);
	buf_done(&old);
	r = replace_file(path, data, len, error);
	if (stat(path, &after) < 0)
		after = before;
	f->replaced = r == 0 || !fd_same_file(&before, &after);
	f->is_other = f->replaced && is_other;
	f->kept = is_aside && f->replaced && shift(path, aside, &f->lost);
	if (is_aside && !f->replaced)
		(void)unlink(aside);
	free(aside);
	return r;
}

void revisions_sign(const char *path, const char *author)
{
	(void)setxattr(path, author_key, author,
		       MIN(strlen(author), (size_t)REVISION_AUTHOR_MAX), 0);
}

static bool has(const char *list, const char *login, size_t len)
{
	while (*list != '\0') {
		size_t n = strcspn(list, ",");

		if (n == len && strncmp(list, login, n) == 0)
			return true;
		list += n + strspn(list + n, ", ");
	}
	return false;
}

void revisions_add_authors(char list[REVISION_AUTHOR_MAX + 1],
			   const char *more)
{
	while (*more != '\0') {
		size_t len = strlen(list), n = strcspn(more, ",");

		if (n > 0 && !has(list, more, n) &&
		    len + n + 2 <= REVISION_AUTHOR_MAX)
			(void)snprintf(list + len,
				       REVISION_AUTHOR_MAX + 1 - len, "%s%.*s",
				       len > 0 ? ", " : "", (int)n, more);
		more += n + strspn(more + n, ", ");
	}
}

char *revisions_path(const char *path, unsigned n)
{
	return n > 0 ? xasprintf("%s.%u", path, n) : xstrdup(path);
}

/* Reads the facts of revision n; false: the file cannot be read. */
static bool look(const char *path, unsigned n, struct revision *ret)
{
	char *name = revisions_path(path, n);
	struct buf content = { 0 };
	bool found = document_read(name, &content) == 0;
	struct stat st;
	ssize_t len;

	*ret = (struct revision){ .n = n, .bytes = buf_len(&content) };
	if (found)
		found = stat(name, &st) == 0;
	if (found) {
		ret->time_s = st.st_mtime;
		document_digest(buf_head(&content), buf_len(&content),
				ret->digest);
		len = getxattr(name, author_key, ret->author,
			       REVISION_AUTHOR_MAX);
		ret->author[len > 0 ? len : 0] = '\0';
	}
	buf_done(&content);
	free(name);
	return found;
}

size_t revisions_list(const char *path,
		      struct revision ret[REVISIONS_MAX + 1])
{
	size_t n = 0;

	for (unsigned i = 0; i <= REVISIONS_MAX; i++)
		n += look(path, i, &ret[n]);
	return n;
}
