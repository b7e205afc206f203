/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sluice-worker-tls: the role that serves TLS, with libssl of OpenSSL.  No
 * other worker program is linked with libssl itself.  libssl is a shared
 * library, so that an update of it needs only a restart. */
#include "worker/core/worker.h"

int main(int argc, char **argv)
{
	static const struct worker_role *const roles[] = { &tls_role, NULL };

	return worker_start(roles, "", argc, argv);
}
