/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sluice-worker-tls: the role that needs OpenSSL, by itself, so that no other
 * worker carries the library, and as a shared one, so that a repaired library
 * is in use after a restart. */
#include "worker/core/start.h"

int main(int argc, char **argv)
{
	static const struct worker_role *const roles[] = { &tls_role, NULL };

	return worker_start(roles, argc, argv);
}
