/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes attempts, each in a process of its own. */
#include "common/base/fd.h"
#include "common/base/landlock.h"
#include "config.h"
#include "proto/ipc/contract.h"
#include "tests/component/attempts.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

bool attempt_is_attack(const struct attempt *a, unsigned may)
{
	if (a->flags & (may | NEED))
		return false;
	if ((a->flags & FILES) && landlock_version() == 0)
		return false;
	/* a build with sanitizers filters no calls */
	return !SANITIZED || (a->flags & (FILES | MODES));
}

/* Descriptors of the contract, and the ring behind them: a worker closes those
 * of strangers. */
static void hand_over(struct bench *b, int channel)
{
	enum { KEPT = 2 };

	(void)dup2(b->ring, KEPT);
	(void)dup2(channel, WORKER_CHANNEL_FD);
	b->ring = KEPT;
}

/* A call that fails for another reason than the sandbox proves nothing. */
static int judge(long result)
{
	static const int denials[] = { EACCES, EPERM,  EAFNOSUPPORT, ENOSYS,
				       ENOENT, ENOTTY, EBADF,  ENOMEM };

	if (result >= 0)
		return ATTEMPT_DONE;
	for (size_t i = 0; i < ARRAY_LEN(denials); i++)
		if (errno == denials[i])
			return ATTEMPT_DENIED;
	return ATTEMPT_FAILED;
}

int attempt_try(const struct attacker *by, attempt_fn *run, char *said,
		size_t size)
{
	struct bench own = *by->bench;
	int status = 0, fds[2];
	ssize_t n;
	pid_t pid;

	if (fd_seqpacket_pair(fds) < 0)
		abort();
	pid = fork();
	if (pid == 0) {
		hand_over(&own, fds[1]);
		if (!by->enter(&own, by->arg))
			_exit(ATTEMPT_NOT_CONFINED);
		_exit(judge(run == NULL ? 0 : run(&own)));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		abort();
	n = recv(fds[0], said, size - 1, MSG_DONTWAIT);
	said[n > 0 ? n : 0] = '\0';
	(void)close(fds[0]);
	(void)close(fds[1]);
	return status;
}

bool attempt_was_denied(int status)
{
	return (WIFEXITED(status) && WEXITSTATUS(status) == ATTEMPT_DENIED) ||
	       (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
}
