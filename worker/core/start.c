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

int worker_start(const struct worker_role *const *roles, int argc,
		 char **argv)
{
	const struct worker_role *role = NULL;
	char name[16];
	struct stat st;
	int err;

	if (fd_hold_stdio() < 0)
		return EX_OSERR;
	for (; argc == 3 && *roles != NULL && role == NULL; roles++)
		if (strcmp((*roles)->name, argv[1]) == 0)
			role = *roles;
	if (role == NULL || fstat(WORKER_CHANNEL_FD, &st) < 0 ||
	    !S_ISSOCK(st.st_mode)) {
		(void)fputs("sluice-worker " PACKAGE_VERSION
			    " is started by sluice(8)\n",
			    stderr);
		return EX_USAGE;
	}
	/* shown by top and ps: "stream a001" */
	(void)snprintf(name, sizeof name, "%s %s", role->name, argv[2]);
	(void)prctl(PR_SET_NAME, name);
	(void)signal(SIGPIPE, SIG_IGN);
	/* Ctrl-C reaches all processes of a terminal; the master handles it */
	(void)signal(SIGINT, SIG_IGN);
	err = confine(role->capabilities);
	if (err < 0) {
		log_error("worker", "cannot drop privileges: %s",
			  strerror(-err));
		return EX_OSERR;
	}
	return worker_run(role, argv[2]);
}
