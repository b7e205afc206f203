/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The master process. */
#include "common/base/fd.h"
#include "common/base/log.h"
#include "master/master.h"
#include "master/setup/options.h"

#include <signal.h>
#include <sys/resource.h>

int main(int argc, char **argv)
{
	struct options options;
	struct rlimit files;
	int code;

	if (fd_hold_stdio() < 0)
		return MASTER_EXIT_FAILURE;
	if (!options_parse(argc, argv, &options, &code))
		return code;
	(void)signal(SIGPIPE, SIG_IGN);
	/* every stream needs several descriptors: use the hard limit */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	log_open(NULL, NULL, LOG_LEVEL_INFO);
	return master_run(&options);
}
