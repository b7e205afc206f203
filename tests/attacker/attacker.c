/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stands in front of the sandbox of a worker (ld --wrap): the real programs and
 * roles, in which an attacker runs code of his own as soon as they are
 * confined.  The log has what he achieved.
 *
 * The file `attempts' in the first private folder names the service that he
 * attacks: lines of a member of struct bench and its path.
 */
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
#include <unistd.h>

/* The functions that the linker names. */
int __real_sandbox_enter(unsigned needs, const struct grants *);
int __wrap_sandbox_enter(unsigned needs, const struct grants *);

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

/* False: this service is not attacked. */
static bool read_bench(struct bench *b)
{
	const char *folders = getenv(WORKER_PRIVATE_VARIABLE);
	char path[256], name[16];
	int ring = shared_create("ring", 65536);
	FILE *file;

	*b = (struct bench){ .master = getppid() };
	b->ring = fd_reopen_readonly(ring);
	fd_close(&ring);
	if (folders == NULL || b->ring < 0)
		return false;
	(void)snprintf(path, sizeof path, "%.*s/attempts",
		       (int)strcspn(folders, "\n"), folders);
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

static void attack(const struct bench *b, struct task *task)
{
	const unsigned rights = may(task->needs);
	const struct attacker by = { b, enter, task };
	unsigned denied = 0, done = 0;
	char said[512], names[800] = "", self[16];

	for (const struct attempt *a = attempt_next(NULL); a != NULL;
	     a = attempt_next(a)) {
		size_t len = strlen(names);
		int status;

		if (!attempt_is_attack(a, rights))
			continue;
		status = attempt_try(&by, a->run, said, sizeof said);
		if (attempt_was_denied(status)) {
			denied++;
			continue;
		}
		done++;
		(void)snprintf(names + len, sizeof names - len, " %s:%#x",
			       a->name, (unsigned)status);
	}
	(void)prctl(PR_GET_NAME, self);
	if (done > 0)
		log_error("worker", "attacker in %s: not denied:%s", self,
			  names);
	log_info("worker", "attacker in %s: %u denied, %u not", self, denied,
		 done);
}

int __wrap_sandbox_enter(unsigned needs, const struct grants *grants)
{
	struct task task = { needs, grants };
	struct bench b;

	if (grants != NULL)
		task.needs |= grants->needs;
	if (read_bench(&b))
		attack(&b, &task);
	fd_close(&b.ring);
	return __real_sandbox_enter(needs, grants);
}
