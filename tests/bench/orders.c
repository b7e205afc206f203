/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/orders.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t stopped;
static volatile sig_atomic_t asked;

static void on_signal(int number)
{
	if (number == SIGUSR1)
		asked = 1;
	else
		stopped = 1;
}

void orders_listen(void)
{
	const struct sigaction action = { .sa_handler = on_signal };

	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGUSR1, &action, NULL);
}

bool orders_stop(void)
{
	return stopped != 0;
}

bool orders_report(void)
{
	bool was = asked != 0;

	asked = 0;
	return was;
}
