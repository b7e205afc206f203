/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/renewal.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"
#include "common/base/log.h"
#include "master/auth/auth.h"
#include "master/config/config.h"
#include "master/config/loadable.h"
#include "common/supervise/fd_store.h"
#include "common/supervise/handover.h"
#include "master/setup/log_output.h"
#include "common/supervise/restart.h"
#include "master/watchdog.h"
#include "common/ws/hub.h"

#include <errno.h>
#include <ev.h>
#include <stdlib.h>
#include <string.h>

enum {
	CHECK_MS = 50, /* interval of the check that all is saved */
	CHECKS_MAX = 100,
};

struct renewal {
	struct renewal_config cfg;
	bool stopped;
	ev_timer timer; /* runs until all is saved */
	unsigned checks;
};

/* Returns only after a failure; the event clients are then disconnected. */
static void replace_program(struct renewal *r)
{
	struct handover *h;
	int err;

	log_info("master", "restarting: the streams continue");
	watchdog_report_reloading();
	hub_dismiss_all(r->cfg.hub);
	config_end(r->cfg.config);
	log_output_flush(r->cfg.log);
	h = r->cfg.write(r->cfg.arg);
	fd_store_hand_on(r->cfg.store, h);
	err = restart_exec(r->cfg.program, r->cfg.argv, h);
	log_error("master", "cannot restart: %s: this program continues",
		  strerror(-err));
	handover_free(&h);
	watchdog_report_ready();
}

/* True when the next master can start with the file. */
static bool can_restart(const struct renewal *r)
{
	const char *path = config_path(r->cfg.config);
	struct errmsg error = { 0 };
	json_t *document;
	int err =
		path != NULL ? loadable_load(path, &document, &error) : -ENOENT;

	if (err == 0)
		json_decref(document);
	if (err == 0 || err == -ENOENT)
		return true;
	log_error("master", "cannot restart: configuration file: %s",
		  error.text);
	return false;
}

static void on_timer(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct renewal *r = container_of(t, struct renewal, timer);
	bool saved = config_is_saved(r->cfg.config);

	(void)loop, (void)revents;
	if (!(saved && auth_is_saved(r->cfg.auth)) && ++r->checks < CHECKS_MAX)
		return;
	ev_timer_stop(r->cfg.loop, &r->timer);
	if (!saved)
		log_error("master", "cannot restart: the configuration cannot "
				    "be saved");
	else if (can_restart(r))
		replace_program(r);
}

static void on_saved(int result, const struct errmsg *error, void *arg)
{
	/* the timer checks again */
	(void)result, (void)error, (void)arg;
}

void renewal_ask(struct renewal *r)
{
	if (r->stopped || ev_is_active(&r->timer))
		return;
	r->checks = 0;
	if (!config_is_saved(r->cfg.config))
		config_save_now(r->cfg.config, on_saved, r);
	ev_timer_set(&r->timer, 0., CHECK_MS / 1e3);
	ev_timer_start(r->cfg.loop, &r->timer);
}

void renewal_stop(struct renewal *r)
{
	r->stopped = true;
	ev_timer_stop(r->cfg.loop, &r->timer);
}

struct renewal *renewal_new(const struct renewal_config *cfg)
{
	struct renewal *r = xcalloc(1, sizeof *r);

	r->cfg = *cfg;
	ev_timer_init(&r->timer, on_timer, 0., 0.);
	return r;
}

void renewal_free(struct renewal **renewal)
{
	if (*renewal == NULL)
		return;
	renewal_stop(*renewal);
	free(*renewal);
	*renewal = NULL;
}
