/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/component/service_rig.h"

#include "common/supervise/spawn.h"
#include "tests/component/rig.h"

#include <criterion/criterion.h>
#include <signal.h>

static void on_gone(void *arg)
{
	((struct service_rig *)arg)->gone = true;
}

static bool is_gone(void *arg)
{
	return ((struct service_rig *)arg)->gone;
}

void service_rig_init(struct service_rig *r, const char *worker)
{
	*r = (struct service_rig){ .loop = ev_loop_new(0) };
	rig_keep_log();
	(void)signal(SIGPIPE, SIG_IGN);
	r->spawner = spawner_new(r->loop, rig_built(worker));
}

struct service_config service_rig_config(struct service_rig *r)
{
	return (struct service_config){
		.loop = r->loop,
		.spawner = r->spawner,
		.on_gone = on_gone,
		.arg = r,
	};
}

void service_rig_stop(struct service_rig *r, struct service_proc *service)
{
	service_proc_stop(service);
	if (!service_proc_is_gone(service))
		rig_run_until(r->loop, is_gone, r, 5000, "its end");
}

void service_rig_done(struct service_rig *r)
{
	spawner_free(&r->spawner);
	cr_assert_eq(rig_count_children(), 0, "an orphan is left");
	ev_loop_destroy(r->loop);
}
