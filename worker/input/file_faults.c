/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/file_faults.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/sorted.h"

#include <stdlib.h>
#include <string.h>

/* Lines in the log at a time. */
enum { LINES_MAX = 10 };

static void free_one(struct file_fault *one)
{
	free(one->path);
	free(one->why);
}

void file_faults_done(struct file_faults *f)
{
	for (size_t i = 0; i < f->n; i++)
		free_one(&f->list[i]);
	free(f->list);
	*f = (struct file_faults){ 0 };
}

struct wanted {
	const struct file_faults *faults;
	const char *path;
};

static int by_path(size_t i, const void *arg)
{
	const struct wanted *w = arg;

	return strcmp(w->faults->list[i].path, w->path);
}

static size_t place_of(const struct file_faults *f, const char *path,
		       bool *ret_found)
{
	struct wanted w = { f, path };

	return sorted_place(f->n, by_path, &w, ret_found);
}

static struct file_fault *insert(struct file_faults *f, size_t at,
				 const char *path)
{
	if (f->n == f->room) {
		f->room = MAX(2 * f->room, (size_t)4);
		f->list = xrealloc(f->list, f->room * sizeof *f->list);
	}
	memmove(f->list + at + 1, f->list + at,
		(f->n - at) * sizeof *f->list);
	f->n++;
	f->list[at] = (struct file_fault){ .path = xstrdup(path) };
	return &f->list[at];
}

void file_faults_note(struct file_faults *f, const char *path, const char *why,
		      bool late)
{
	bool found;
	size_t at = place_of(f, path, &found);
	struct file_fault *one = found ? &f->list[at] : insert(f, at, path);

	one->met = true;
	one->late = late;
	if (found && strcmp(one->why, why) == 0)
		return;
	free(one->why);
	one->why = xstrdup(why);
	one->told = false;
}

static void drop(struct file_faults *f, size_t at)
{
	free_one(&f->list[at]);
	f->n--;
	memmove(f->list + at, f->list + at + 1,
		(f->n - at) * sizeof *f->list);
}

void file_faults_clear(struct file_faults *f, const char *path, bool whole)
{
	bool found;
	size_t at = place_of(f, path, &found);

	if (!found || (f->list[at].late && !whole))
		return;
	if (f->list[at].told)
		log_info("input", "%s: is played again", path);
	drop(f, at);
}

void file_faults_round(struct file_faults *f)
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

void file_faults_meet(struct file_faults *f, const char *path)
{
	bool found;
	size_t at = place_of(f, path, &found);

	if (found)
		f->list[at].met = true;
}

void file_faults_tell(struct file_faults *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		struct file_fault *one = &f->list[i];

		if (!one->told && n++ < LINES_MAX)
			log_warning("input", "%s: %s", one->path, one->why);
		one->told = true;
	}
	if (n > LINES_MAX)
		log_warning("input", "%zu more files of the list cannot be "
			    "played", n - LINES_MAX);
}

bool file_faults_text(const struct file_faults *f, struct errmsg *ret)
{
	const char *path, *slash;

	if (f->n == 0)
		return false;
	/* of a long path what tells most */
	path = f->list[0].path;
	slash = strrchr(path, '/');
	errmsg_set(ret, "%.100s: %.100s",
		   strlen(path) > 100 && slash != NULL ? slash + 1 : path,
		   f->list[0].why);
	if (f->n > 1)
		errmsg_prefix(ret, "%zu files cannot be played, ", f->n);
	return true;
}
