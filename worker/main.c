/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sluice-worker: the roles that need no large library. */
#include "worker/core/worker.h"

int main(int argc, char **argv)
{
	static const struct worker_role *const roles[] = {
		&adapter_role,
		&auth_role,
		&deliver_role,
		&epg_role,
		&mux_role,
		&querier_role,
		&stream_role,
		NULL,
	};

	return worker_start(roles, "", argc, argv);
}
