/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stands in front of the sandbox of a worker (ld --wrap): the real programs and
 * roles, in which an attacker runs code of his own as soon as they are
 * confined.  The log has what he achieved.
 *
 * The file `attempts' in the first private folder names the service that he
 * attacks: lines of a member of struct bench and its path.
 *
 * A file `eat-NAME' or `limit-NAME' there, with the name of a process, is
 * removed, and then that process takes memory without end: in the control group
 * whose folder the file names, or with a limit of its own.
 */
#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/shared.h"
#include "proto/ipc/contract.h"
#include "tests/component/attempts.h"
#include "worker/core/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* The functions that the linker names. */
int __real_sandbox_enter(unsigned needs, const struct grants *);
int __wrap_sandbox_enter(unsigned needs, const struct grants *);

enum { LITTLE = 512 << 20 };

struct task {
	unsigned needs;
	const struct grants *grants;
};

static bool enter(const struct bench *b, void *arg)
{
	const struct task *task = arg;

	(void)b;
	return __real_sandbox_enter(task->needs, task->grants) == 0;
}

static void set_path(struct bench *b, const char *name, const char *path)
{
	const struct {
		const char *name;
		char *at;
	} paths[] = {
		{ "config", b->config }, { "key", b->key },
		{ "state", b->state },   { "other", b->other },
		{ "clip", b->clip },     { "media", b->media },
	};

	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		if (strcmp(paths[i].name, name) == 0)
			(void)snprintf(paths[i].at, sizeof b->config, "%.95s",
				       path);
}

static void first_private(char *ret, size_t size, const char *prefix,
			  const char *name)
{
	const char *folders = getenv(WORKER_PRIVATE_VARIABLE);

	(void)snprintf(ret, size, "%.*s/%s%s",
		       folders != NULL ? (int)strcspn(folders, "\n") : 0,
		       folders != NULL ? folders : "", prefix, name);
}

/* False: this service is not attacked. */
static bool read_bench(struct bench *b)
{
	char path[256], name[16];
	int ring = shared_create("ring", 65536);
	FILE *file;

	*b = (struct bench){ .master = getppid() };
	b->ring = fd_reopen_readonly(ring);
	fd_close(&ring);
	if (b->ring < 0)
		return false;
	first_private(path, sizeof path, "attempts", "");
	file = fopen(path, "re");
	if (file == NULL)
		return false;
	while (fscanf(file, "%15s %255s", name, path) == 2)
		set_path(b, name, path);
	(void)fclose(file);
	return true;
}

static unsigned may(unsigned needs)
{
	return (needs & NEED_UDP ? UDP : 0) | (needs & NEED_TCP ? TCP : 0) |
	       (needs & NEED_RECORD ? WRITER : 0);
}

/* What was tried so far. */
struct progress {
	char path[256];
	unsigned tried, denied, done;
	char names[800];
};

/* One that the master replaced, because on a slow machine it was not ready in
 * time, is continued by the next. */
static void progress_read(struct progress *p)
{
	char self[16];
	FILE *file;

	*p = (struct progress){ 0 };
	(void)prctl(PR_GET_NAME, self);
	first_private(p->path, sizeof p->path, "tried-", self);
	file = fopen(p->path, "re");
	if (file == NULL)
		return;
	if (fscanf(file, "%u %u %u%799[^\n]", &p->tried, &p->denied, &p->done,
		   p->names) < 3)
		p->tried = p->denied = p->done = 0;
	(void)fclose(file);
}

static void progress_write(const struct progress *p)
{
	FILE *file = fopen(p->path, "we");

	if (file == NULL)
		return;
	(void)fprintf(file, "%u %u %u%s\n", p->tried, p->denied, p->done,
		      p->names);
	(void)fclose(file);
}

static void attack(const struct bench *b, struct task *task)
{
	const unsigned rights = may(task->needs);
	const struct attacker by = { b, enter, task };
	char said[512], self[16];
	struct progress p;
	unsigned i = 0;

	progress_read(&p);
	for (const struct attempt *a = attempt_next(NULL); a != NULL;
	     a = attempt_next(a)) {
		size_t len = strlen(p.names);
		int status;

		if (!attempt_is_attack(a, rights) || i++ < p.tried)
			continue;
		status = attempt_try(&by, a->run, said, sizeof said);
		p.tried++;
		if (attempt_was_denied(status)) {
			p.denied++;
		} else {
			p.done++;
			(void)snprintf(p.names + len, sizeof p.names - len,
				       " %s:%#x", a->name, (unsigned)status);
		}
		progress_write(&p);
	}
	(void)unlink(p.path);
	(void)prctl(PR_GET_NAME, self);
	if (p.done > 0)
		log_error("worker", "attacker in %s: not denied:%s", self,
			  p.names);
	log_info("worker", "attacker in %s: %u denied, %u not", self, p.denied,
		 p.done);
}

/* Removes the file and returns its text, to be freed; NULL: it is not there. */
static char *take(const char *prefix)
{
	char self[16], path[256], text[256] = "";
	FILE *file;

	(void)prctl(PR_GET_NAME, self);
	first_private(path, sizeof path, prefix, self);
	file = fopen(path, "re");
	if (file == NULL)
		return NULL;
	(void)unlink(path);
	(void)!fgets(text, sizeof text, file);
	(void)fclose(file);
	return xstrdup(text);
}

static void join(const char *group)
{
	char path[300];
	FILE *file;

	(void)snprintf(path, sizeof path, "%s/cgroup.procs", group);
	file = fopen(path, "we");
	if (file == NULL || fprintf(file, "%d", (int)getpid()) < 0 ||
	    fclose(file) != 0)
		abort();
}

/* RLIMIT_AS counts the address space, a control group the pages that a process
 * touches.  A slow machine may touch so many for longer than a scan lives. */
static void eat(bool uses_pages)
{
	enum { PIECE = 1 << 20 };

	for (;;) {
		char *piece = xmalloc(PIECE);

		if (uses_pages)
			memset(piece, 1, PIECE);
	}
}

int __wrap_sandbox_enter(unsigned needs, const struct grants *grants)
{
	char *group = take("eat-"), *limit = take("limit-");
	const struct rlimit little = { LITTLE, LITTLE };
	struct task task = { needs, grants };
	struct bench b;
	int err;

	if (grants != NULL)
		task.needs |= grants->needs;
	if (read_bench(&b))
		attack(&b, &task);
	fd_close(&b.ring);
	if (group != NULL)
		join(group);
	if (limit != NULL)
		(void)setrlimit(RLIMIT_AS, &little);
	err = __real_sandbox_enter(needs, grants);
	if (group != NULL || limit != NULL)
		eat(group != NULL);
	free(group);
	free(limit);
	return err;
}
