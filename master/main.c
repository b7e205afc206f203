/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The master process. */
#include "common/base/fd.h"
#include "common/base/log.h"
#include "master/master.h"
#include "master/setup/options.h"

#include <signal.h>
#include <sys/resource.h>

/* Every stream needs several descriptors, so use the hard limit. */
static void raise_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int main(int argc, char **argv)
{
	struct options options;
	int code;

	if (fd_hold_stdio() < 0)
		return MASTER_EXIT_FAILURE;
	if (!options_parse(argc, argv, &options, &code))
		return code;
	(void)signal(SIGPIPE, SIG_IGN);
	raise_files();
	log_open(NULL, NULL, LOG_LEVEL_INFO);
	return master_run(&options);
}
