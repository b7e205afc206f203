/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/core/start.h"

#include "common/base/fd.h"
#include "config.h"
#include "proto/ipc/contract.h"
#include "worker/core/confine.h"
#include "worker/core/worker.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sysexits.h>

static const struct worker_role *
find_role(const struct worker_role *const *roles, const char *name)
{
	for (; *roles != NULL; roles++)
		if (strcmp((*roles)->name, name) == 0)
			return *roles;
	return NULL;
}

static bool has_channel(void)
{
	struct stat st;

	return fstat(WORKER_CHANNEL_FD, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* What top and ps -e show: "stream a001". */
static void take_name(const char *role, const char *object)
{
	char name[16];

	(void)snprintf(name, sizeof name, "%s %s", role, object);
	(void)prctl(PR_SET_NAME, name);
}

int worker_start(const struct worker_role *const *roles, int argc,
		 char **argv)
{
	const struct worker_role *role = NULL;
	int err;

	if (fd_hold_stdio() < 0)
		return EX_OSERR;
	if (argc == 3)
		role = find_role(roles, argv[1]);
	if (role == NULL || !has_channel()) {
		(void)fputs("sluice-worker " PACKAGE_VERSION
			    " is started by sluice(8)\n",
			    stderr);
		return EX_USAGE;
	}
	take_name(role->name, argv[2]);
	(void)signal(SIGPIPE, SIG_IGN);
	/* Ctrl-C reaches all of a terminal's processes: the master answers */
	(void)signal(SIGINT, SIG_IGN);
	err = confine(role->capabilities);
	if (err < 0) {
		log_error("worker", "cannot give up privileges: %s",
			  strerror(-err));
		return EX_OSERR;
	}
	return worker_run(role, argv[2]);
}
