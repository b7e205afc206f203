/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Holds one thread of a process, the others continue.
 *
 *	hold-thread TID
 *
 * Prints "held"; lets go with its standard input.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

int main(int argc, char **argv)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };
	pid_t tid = argc == 2 ? atoi(argv[1]) : 0;
	int status;

	if (tid <= 0)
		return 2;
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) < 0 ||
	    ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) < 0 ||
	    waitpid(tid, &status, __WALL) != tid) {
		(void)printf("%s\n", strerror(errno));
		return 1;
	}
	(void)printf("held\n");
	(void)fflush(stdout);
	/* of a process that ends, whoever traces a thread has to take it */
	while (poll(&in, 1, 100) == 0)
		(void)waitpid(tid, &status, __WALL | WNOHANG);
	return 0;
}
