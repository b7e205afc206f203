/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * As much of a service manager as a test needs: starts a program, stores the
 * descriptors that it sends (FDSTORE=1, FDSTOREREMOVE=1), and when it is killed
 * starts it again with them.  SIGTERM is passed on and ends both.
 *
 *	fake-manager SOCKET PROGRAM ARG...
 *
 * On stdout: "pid N" at each start, "store N" when the stored set changed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KEPT_MAX = 4096, NAME_MAX_ = 64, FDS_MAX = 16, FIRST = 3, HIGH = 8192 };

struct kept {
	char name[NAME_MAX_];
	int fd;
};

static struct kept kept[KEPT_MAX];
static size_t n_kept;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* --- the store --- */

static const char *field(const char *text, const char *key, char *value)
{
	const char *at = strstr(text, key);

	value[0] = '\0';
	if (at == NULL || (at != text && at[-1] != '\n'))
		return NULL;
	(void)snprintf(value, NAME_MAX_, "%.*s",
		       (int)strcspn(at + strlen(key), "\n"),
		       at + strlen(key));
	return value;
}

static void forget(const char *name)
{
	for (size_t i = 0; i < n_kept;) {
		if (strcmp(kept[i].name, name) != 0) {
			i++;
			continue;
		}
		(void)close(kept[i].fd);
		kept[i] = kept[--n_kept];
	}
}

static void hear(int socket)
{
	static union {
		char space[CMSG_SPACE(FDS_MAX * sizeof(int))];
		struct cmsghdr align;
	} control;
	char text[4096], name[NAME_MAX_], on[NAME_MAX_];
	struct iovec iov = { .iov_base = text, .iov_len = sizeof text - 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = control.space,
			      .msg_controllen = sizeof control.space };
	ssize_t n = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
	int fds[FDS_MAX];
	size_t n_fds = 0;

	if (n < 0)
		die("recvmsg");
	text[n] = '\0';
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c != NULL;
	     c = CMSG_NXTHDR(&msg, c)) {
		n_fds = (c->cmsg_len - CMSG_LEN(0)) / sizeof *fds;
		memcpy(fds, CMSG_DATA(c), n_fds * sizeof *fds);
	}
	(void)field(text, "FDNAME=", name);
	if (field(text, "FDSTOREREMOVE=", on) != NULL)
		forget(name);
	for (size_t i = 0; i < n_fds; i++) {
		if (field(text, "FDSTORE=", on) == NULL || n_kept == KEPT_MAX) {
			(void)close(fds[i]);
			continue;
		}
		(void)snprintf(kept[n_kept].name, NAME_MAX_, "%s", name);
		kept[n_kept++].fd = fds[i];
	}
	if (strstr(text, "FDSTORE") != NULL) {
		(void)printf("store %zu\n", n_kept);
		(void)fflush(stdout);
	}
}

/* --- the program --- */

static void pass_fds(void)
{
	static char names[KEPT_MAX * (NAME_MAX_ + 1)];
	char number[16];
	size_t len = 0;

	/* away from their numbers, then to their places, where exec leaves them
	 * */
	for (size_t i = 0; i < n_kept; i++)
		kept[i].fd = fcntl(kept[i].fd, F_DUPFD_CLOEXEC, HIGH);
	for (size_t i = 0; i < n_kept; i++) {
		if (dup2(kept[i].fd, FIRST + (int)i) < 0)
			die("dup2");
		len += (size_t)snprintf(names + len, sizeof names - len,
					"%s%s", i > 0 ? ":" : "",
					kept[i].name);
	}
	if (n_kept == 0)
		return;
	(void)snprintf(number, sizeof number, "%d", (int)getpid());
	(void)setenv("LISTEN_PID", number, 1);
	(void)snprintf(number, sizeof number, "%zu", n_kept);
	(void)setenv("LISTEN_FDS", number, 1);
	(void)setenv("LISTEN_FDNAMES", names, 1);
}

static pid_t start(char **argv)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid == 0) {
		sigset_t none;

		/* an aborted test leaves no process */
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)sigemptyset(&none);
		(void)sigprocmask(SIG_SETMASK, &none, NULL);
		pass_fds();
		(void)execv(argv[0], argv);
		die(argv[0]);
	}
	(void)printf("pid %d\n", (int)pid);
	(void)fflush(stdout);
	return pid;
}

/* Orphans are ours too; true when it was pid itself. */
static bool reap(pid_t pid, int *ret_status)
{
	bool ended = false;
	int status;
	pid_t who;

	while ((who = waitpid(-1, &status, WNOHANG)) > 0)
		if (who == pid) {
			*ret_status = status;
			ended = true;
		}
	return ended;
}

static int open_socket(const char *path)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)snprintf(un.sun_path, sizeof un.sun_path, "%s", path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&un, sizeof un) < 0)
		die(path);
	return fd;
}

static int open_signals(void)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGCHLD);
	(void)sigaddset(&set, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

int main(int argc, char **argv)
{
	struct pollfd p[2];
	bool stopping = false;
	int status = 0;
	pid_t pid;

	if (argc < 3)
		return 64;
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	p[0] = (struct pollfd){ open_socket(argv[1]), POLLIN, 0 };
	p[1] = (struct pollfd){ open_signals(), POLLIN, 0 };
	(void)setenv("NOTIFY_SOCKET", argv[1], 1);
	(void)setenv("FDSTORE", "4096", 1);
	pid = start(argv + 2);
	for (;;) {
		struct signalfd_siginfo info;

		if (poll(p, 2, -1) < 0 && errno != EINTR)
			die("poll");
		/* messages that a dead program sent before its end count */
		if (p[0].revents != 0) {
			hear(p[0].fd);
			continue;
		}
		if (p[1].revents == 0 ||
		    read(p[1].fd, &info, sizeof info) < 0)
			continue;
		if (info.ssi_signo == SIGTERM) {
			stopping = true;
			(void)kill(pid, SIGTERM);
		}
		if (!reap(pid, &status))
			continue;
		if (stopping || !WIFSIGNALED(status))
			return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
		(void)nanosleep(&(struct timespec){ .tv_nsec = 200000000 },
				NULL);
		/* poll() looked at the signals behind the socket */
		while (poll(p, 1, 0) > 0)
			hear(p[0].fd);
		pid = start(argv + 2);
	}
}
