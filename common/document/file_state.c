/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/document/file_state.h"

#include <stddef.h>
#include <sys/stat.h>

void file_state_read(struct file_state *f, const char *path)
{
	struct stat st;

	*f = (struct file_state){ 0 };
	if (path == NULL || stat(path, &st) < 0)
		return;
	f->device = st.st_dev;
	f->inode = st.st_ino;
	f->size = st.st_size;
	f->changed = st.st_ctim;
}

bool file_state_is(const struct file_state *f, const char *path)
{
	struct file_state now;

	file_state_read(&now, path);
	return now.device == f->device && now.inode == f->inode &&
	       now.size == f->size &&
	       now.changed.tv_sec == f->changed.tv_sec &&
	       now.changed.tv_nsec == f->changed.tv_nsec;
}
