/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sluice-worker-net: the roles of sluice-worker that read inputs, with the
 * libraries that few streams need. */
#include "worker/start.h"

int main(int argc, char **argv)
{
	static const struct worker_role *const roles[] = {
		&stream_role,
		NULL,
	};

	return worker_start(roles, argc, argv);
}
