/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/file_list.h"

#include "common/base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void add(struct file_list *l, unsigned line, char *take_path)
{
	size_t room = 2 * MAX(l->n, (size_t)1);

	/* the size doubles when the list is full */
	if ((l->n & (l->n - 1)) == 0) {
		l->paths = xrealloc(l->paths, room * sizeof *l->paths);
		l->lines = xrealloc(l->lines, room * sizeof *l->lines);
	}
	l->lines[l->n] = line;
	l->paths[l->n++] = take_path;
}

int file_list_read(const char *path, const char *text, size_t len,
		   struct file_list *ret, struct errmsg *error)
{
	struct file_list l = { 0 };
	const char *end = text + len, *begin = text;
	const char *slash = strrchr(path, '/');
	int folder = slash != NULL ? (int)(slash - path) + 1 : 0;
	unsigned number = 0;
	int err = 0;

	if (len > FILE_LIST_BYTES_MAX || memchr(text, '\0', len) != NULL)
		return errmsg_fail(error, -EINVAL, "%s: not a list of files",
				   path);
	/* the byte order mark of some editors */
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		begin += 3;
	for (const char *line = begin; line < end && err == 0;) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		size_t n;

		stop = stop != NULL ? stop : end;
		number++;
		n = (size_t)(stop - line);
		while (n > 0 && (line[n - 1] == '\r' || line[n - 1] == ' ' ||
				 line[n - 1] == '\t'))
			n--;
		if (n > 0 && line[0] != '#' && l.n == FILE_LIST_MAX)
			err = errmsg_fail(error, -EINVAL, "%s: has more "
					  "than %d files", path, FILE_LIST_MAX);
		else if (n > 0 && line[0] != '#')
			add(&l, number,
			    xasprintf("%.*s%.*s", line[0] == '/' ? 0 : folder,
				      path, (int)n, line));
		line = stop + 1;
	}
	if (err == 0 && l.n == 0)
		err = errmsg_fail(error, -EINVAL, "%s: the list is empty",
				  path);
	if (err < 0)
		file_list_done(&l);
	else
		*ret = l;
	return err;
}

void file_list_done(struct file_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->paths[i]);
	free(l->paths);
	free(l->lines);
	*l = (struct file_list){ 0 };
}
