/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sluice-worker-picture: the role that needs libavcodec.  No other worker has
 * the library. */
#include "worker/core/worker.h"

int main(int argc, char **argv)
{
	static const struct worker_role *const roles[] = { &picture_role,
							   NULL };

	return worker_start(roles, "", argc, argv);
}
