/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/restart.h"

#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/supervise/handover.h"
#include "common/supervise/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *restart_find_program(void)
{
	return realpath("/proc/self/exe", NULL);
}

/* --- the old program --- */

void restart_set_inheritable(const struct handover *h, bool yes)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)handover_fds(h), name, value)
		(void)fcntl((int)json_integer_value(value), F_SETFD,
			    yes ? 0 : FD_CLOEXEC);
}

int restart_document(const struct handover *h)
{
	size_t len;
	char *text = handover_format(h, true, &len);
	int fd = memfd_open("handover");
	int err = fd < 0 ? fd : memfd_write(fd, text, len);

	free(text);
	if (err == 0 && fcntl(fd, F_SETFD, 0) < 0)
		err = -errno;
	if (err < 0) {
		fd_close(&fd);
		return err;
	}
	return fd;
}

void restart_hold_signals(bool hold)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGHUP);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGUSR2);
	(void)sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

int restart_exec(const char *program, char *const *argv,
		 const struct handover *h)
{
	int fd = restart_document(h);
	char number[16];
	int err;

	if (fd < 0)
		return fd;
	(void)snprintf(number, sizeof number, "%d", fd);
	if (setenv(RESTART_VARIABLE, number, 1) < 0) {
		err = -errno;
		fd_close(&fd);
		return err;
	}
	restart_hold_signals(true);
	restart_set_inheritable(h, true);
	if (program != NULL)
		(void)execv(program, argv);
	/* a removed or broken file: execute the running program again */
	log_warning("master", "restart: %s: %s: restarting the old program",
		    program != NULL ? program : "program file",
		    strerror(program != NULL ? errno : ENOENT));
	(void)execv("/proc/self/exe", argv);
	err = -errno;
	restart_set_inheritable(h, false);
	restart_hold_signals(false);
	(void)unsetenv(RESTART_VARIABLE);
	fd_close(&fd);
	return err;
}

/* --- the new program --- */

struct handover *restart_adopt(void)
{
	const char *value = getenv(RESTART_VARIABLE);
	struct handover *h = NULL;
	struct errmsg error = { 0 };
	json_t *document = NULL;
	char *end;
	long fd;

	if (value == NULL)
		return NULL;
	fd = strtol(value, &end, 10);
	if (end == value || *end != '\0' || fd <= STDERR_FILENO ||
	    fd > INT32_MAX)
		errmsg_set(&error, "%.40s is not a descriptor", value);
	else
		document = memfd_read_json((int)fd, &error);
	if (document != NULL)
		h = handover_of(document, &error);
	if (h == NULL)
		log_error("master", "cannot adopt the running workers: %s",
			  error.text);
	else
		(void)close((int)fd);
	(void)unsetenv(RESTART_VARIABLE);
	return h;
}
