/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/file_errors.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/sorted.h"

#include <stdlib.h>
#include <string.h>

/* The most lines that one file_errors_log() logs for single files. */
enum { LINES_MAX = 10 };

static void free_one(struct file_error *one)
{
	free(one->path);
	free(one->error);
}

void file_errors_done(struct file_errors *f)
{
	for (size_t i = 0; i < f->n; i++)
		free_one(&f->list[i]);
	free(f->list);
	*f = (struct file_errors){ 0 };
}

struct wanted {
	const struct file_errors *faults;
	const char *path;
};

static int by_path(size_t i, const void *arg)
{
	const struct wanted *w = arg;

	return strcmp(w->faults->list[i].path, w->path);
}

static size_t place_of(const struct file_errors *f, const char *path,
		       bool *ret_found)
{
	struct wanted w = { f, path };

	return sorted_place(f->n, by_path, &w, ret_found);
}

void file_errors_note(struct file_errors *f, const char *path,
		      const char *error, bool late)
{
	bool found;
	size_t at = place_of(f, path, &found);
	struct file_error *one;

	if (!found && f->n == f->room) {
		f->room = MAX(2 * f->room, (size_t)4);
		f->list = xrealloc(f->list, f->room * sizeof *f->list);
	}
	one = &f->list[at];
	if (!found) {
		memmove(one + 1, one, (f->n - at) * sizeof *one);
		f->n++;
		*one = (struct file_error){ .path = xstrdup(path) };
	}
	one->met = true;
	one->late = late;
	if (found && strcmp(one->error, error) == 0)
		return;
	free(one->error);
	one->error = xstrdup(error);
	one->logged = false;
}

void file_errors_clear(struct file_errors *f, const char *path, bool whole)
{
	bool found;
	size_t at = place_of(f, path, &found);

	if (!found || (f->list[at].late && !whole))
		return;
	if (f->list[at].logged)
		log_info("input", "%s: playing again", path);
	free_one(&f->list[at]);
	f->n--;
	memmove(f->list + at, f->list + at + 1,
		(f->n - at) * sizeof *f->list);
}

void file_errors_round(struct file_errors *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (f->list[i].met)
			f->list[kept++] = f->list[i];
		else
			free_one(&f->list[i]);
	}
	f->n = kept;
	for (size_t i = 0; i < f->n; i++)
		f->list[i].met = false;
}

void file_errors_meet(struct file_errors *f, const char *path)
{
	bool found;
	size_t at = place_of(f, path, &found);

	if (found)
		f->list[at].met = true;
}

void file_errors_log(struct file_errors *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		struct file_error *one = &f->list[i];

		if (!one->logged && n++ < LINES_MAX)
			log_warning("input", "%s: %s", one->path, one->error);
		one->logged = true;
	}
	if (n > LINES_MAX)
		log_warning("input", "%zu more files of the list cannot be "
			    "played", n - LINES_MAX);
}

bool file_errors_text(const struct file_errors *f, struct errmsg *ret)
{
	const char *path, *slash;

	if (f->n == 0)
		return false;
	path = f->list[0].path;
	slash = strrchr(path, '/');
	errmsg_set(ret, "%.100s: %.100s",
		   strlen(path) > 100 && slash != NULL ? slash + 1 : path,
		   f->list[0].error);
	if (f->n > 1)
		errmsg_prefix(ret, "%zu files cannot be played, the first is ",
			      f->n);
	return true;
}
