/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The surroundings of a service in the master: a loop and a spawner of real
 * workers. */
#pragma once

#include "common/supervise/service_proc.h"

#include <stdbool.h>

struct service_rig {
	struct ev_loop *loop;
	struct spawner *spawner;
	bool gone; /* the worker, after it was stopped */
};

/* worker is the program's name in the build's folder. */
void service_rig_init(struct service_rig *, const char *worker);

/* For the service under test. */
struct service_config service_rig_config(struct service_rig *);

/* Stops the worker and waits for its end. */
void service_rig_stop(struct service_rig *, struct service_proc *);

/* After the service was freed; fails the test when a process is left. */
void service_rig_done(struct service_rig *);
