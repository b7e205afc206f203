/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main() of the program sluice, the master: prepares the process, then calls
 * master_run(). */
#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/process.h"
#include "master/master.h"
#include "master/setup/options.h"
#include "master/setup/service_user.h"
#include "master/setup/state_path.h"
#include "proto/ipc/contract.h"

#include <jansson.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Passes the folders of the configuration and of the state to the workers in
 * WORKER_PRIVATE_VARIABLE: a worker makes no recordings there. */
static void name_private(const char *config)
{
	char *files[] = {
		xstrdup(config),
		state_path(config, getenv("STATE_DIRECTORY"), "starts"),
	};
	char list[ARRAY_LEN(files) * PATH_MAX] = "", folder[PATH_MAX];

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		size_t len = strlen(list);

		if (files[i] != NULL && realpath(dirname(files[i]), folder))
			(void)snprintf(list + len, sizeof list - len, "%s%s",
				       len > 0 ? "\n" : "", folder);
		free(files[i]);
	}
	if (list[0] != '\0')
		(void)setenv(WORKER_PRIVATE_VARIABLE, list, 1);
}

/* Writes a log line of a trial without the time: the running master reads the
 * line and logs it. */
static void write_trial(enum log_level level, const char *component,
			const char *text, void *arg)
{
	(void)level, (void)arg;
	(void)fprintf(stderr, "%s: %s\n", component, text);
}

int main(int argc, char **argv)
{
	struct options options;
	struct errmsg error;
	struct rlimit files;
	int code;

	/* wipes freed memory, because configuration and messages contain
	 * passwords and control words */
	json_set_alloc_funcs(malloc, free_wiped);
	if (fd_hold_stdio() < 0)
		return MASTER_EXIT_FAILURE;
	if (!options_parse(argc, argv, &options, &code))
		return code;
	(void)signal(SIGPIPE, SIG_IGN);
	/* raises the limit, because every stream needs several descriptors */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	if (options.trial)
		log_open(write_trial, NULL, LOG_LEVEL_ERROR);
	else
		log_open(NULL, NULL, LOG_LEVEL_INFO);
	if (service_user_become(options.user, &error) < 0) {
		log_error("master", "%s", error.text);
		return OPTIONS_EXIT_USAGE;
	}
	if (process_shield() < 0)
		log_warning("master", "sluice cannot hide its memory, which "
				      "contains passwords, from other "
				      "processes");
	name_private(options.config_path);
	return master_run(&options);
}
