/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sluice-worker-tls: the role that needs OpenSSL.  No other worker has the
 * library.  It is a shared library, so that an update needs only a restart. */
#include "worker/core/worker.h"

int main(int argc, char **argv)
{
	static const struct worker_role *const roles[] = { &tls_role, NULL };

	return worker_start(roles, "", argc, argv);
}
