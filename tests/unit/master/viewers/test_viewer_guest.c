/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A client that asks for a list of streams. */
#include "master/viewers/viewer_guest.h"

#include "common/base/errmsg.h"
#include "common/supervise/auth_proc.h"
#include "master/auth/password_check.h"
#include "master/config/config.h"
#include "master/viewers/viewers.h"

#include <criterion/criterion.h>
#include <ev.h>

static struct world {
	struct ev_loop *loop;
	struct config *config;
	struct gate *gate;
	struct viewers *viewers;
	unsigned checks; /* of passwords */
} w;

/* A worker that answers nothing. */
struct auth_job *auth_job_new(struct auth_proc *p,
			      const struct auth_job_config *cfg)
{
	static char job;

	(void)p, (void)cfg;
	w.checks++;
	return (struct auth_job *)&job;
}

void auth_job_cancel(struct auth_job **j)
{
	*j = NULL;
}

static void set_up(void)
{
	struct errmsg error;

	w.loop = ev_loop_new(EVFLAG_AUTO);
	w.config = config_open(NULL, w.loop, &error);
	config_put_user(w.config, "anna",
			json_pack("{s:b, s:i}", "enable", 1, "type", 3));
	w.gate = gate_new(&(struct gate_config){
		.loop = w.loop, .config = w.config,
	});
	w.viewers = viewers_new(&(struct viewers_config){
		.loop = w.loop, .config = w.config, .gate = w.gate,
	});
}

static void tear_down(void)
{
	viewers_free(&w.viewers);
	gate_free(&w.gate);
	config_close(&w.config);
	ev_loop_destroy(w.loop);
}

static void on_ready(struct viewer_guest *g, void *arg)
{
	(void)g, (void)arg;
}

/* The checks that a list with this query begins. */
static unsigned list(json_t *take_auth, const char *query)
{
	unsigned before = w.checks;
	struct viewer_guest *g;

	config_set_section(w.config, "auth", take_auth);
	viewers_changed(w.viewers);
	g = viewers_guest_new(w.viewers, query, "192.0.2.1", on_ready, NULL);
	viewer_guest_free(&g);
	return w.checks - before;
}

/* A wrong password would count as a guess where it decides nothing. */
Test(viewer_guest, a_list_needs_a_password_only_if_a_rule_does)
{
	static const char query[] = "auth=anna:pw";

	set_up();
	cr_expect_eq(list(json_pack("{s:b}", "enable", 0), query), 0u);
	cr_expect_eq(list(json_pack("{s:b, s:[s]}", "enable", 1,
				    "http_ip_allow", "192.0.2.0/24"), query),
		     0u);
	cr_expect_eq(list(json_pack("{s:b, s:[s]}", "enable", 1,
				    "http_ip_deny", "192.0.2.0/24"), query),
		     0u);
	cr_expect_eq(list(json_pack("{s:b, s:s}", "enable", 1, "backend",
				    "http://127.0.0.1:9/"),
			  "auth=guest:pw"), 0u, "the backend knows it");
	cr_expect_eq(list(json_pack("{s:b}", "enable", 1), "auth=:pw"), 0u);
	cr_expect_eq(list(json_pack("{s:b}", "enable", 1), query), 1u);
	cr_expect_eq(list(json_pack("{s:b}", "enable", 1), "auth=guest:pw"),
		     1u);
	tear_down();
}
