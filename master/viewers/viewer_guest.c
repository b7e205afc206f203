/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/viewer_guest.h"

#include "common/base/alloc.h"
#include "common/loop/timer.h"
#include "master/auth/password_check.h"
#include "master/config/config.h"
#include "master/viewers/viewer_rules.h"

#include <ev.h>
#include <stdlib.h>
#include <time.h>

struct viewer_guest {
	struct viewer_guest_config cfg;
	struct ip_address address;
	bool malformed;
	/* result of the password check; GATE_WRONG also if no password is
	 * needed */
	enum gate_answer password;
	struct viewer_credential credential;
	struct gate_wait *gate;
	ev_timer soon;
};

static void on_soon(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct viewer_guest *g = container_of(t, struct viewer_guest, soon);

	(void)loop, (void)revents;
	g->cfg.ready(g, g->cfg.arg);
}

static void on_password(enum gate_answer a, void *arg)
{
	struct viewer_guest *g = arg;

	g->gate = NULL;
	g->password = a;
	g->cfg.ready(g, g->cfg.arg);
}

static void judge(const struct viewer_guest *g, const json_t *stream,
		  struct viewer_verdict *ret)
{
	const char *id = json_string_value(json_object_get(stream, "id"));

	viewer_rules_judge(g->cfg.rules, &(struct viewer_question){
		.document = config_document(g->cfg.config),
		.stream_id = id != NULL ? id : "",
		.stream = stream,
		.address = g->address,
		.credential = g->malformed ? NULL : &g->credential,
		.password_right = g->password == GATE_RIGHT,
		.now_s = time(NULL),
	}, ret);
}

/* True: the rules need a password.  They need it either for all streams or for
 * none. */
static bool needs_password(const struct viewer_guest *g)
{
	json_t *any = json_object();
	struct viewer_verdict v;

	judge(g, any, &v);
	json_decref(any);
	return v.answer == VIEWER_NEEDS_PASSWORD;
}

struct viewer_guest *viewer_guest_new(const struct viewer_guest_config *cfg,
				      const char *query, const char *peer)
{
	struct viewer_guest *g = xcalloc(1, sizeof *g);
	const struct gate_question q = { g->credential.login,
					 g->credential.password,
					 &g->address, GATE_VIEWERS };

	g->cfg = *cfg;
	g->malformed = ip_parse(peer, &g->address) < 0 ||
		       !viewer_credential_read(query, &g->credential);
	g->password = GATE_WRONG;
	ev_init(&g->soon, on_soon);
	if (needs_password(g) && !gate_knows(cfg->gate, &q, &g->password)) {
		g->gate = gate_ask(cfg->gate, &q, on_password, g);
		g->password = GATE_BUSY;
	}
	if (g->gate == NULL)
		timer_start(cfg->loop, &g->soon, 0.);
	return g;
}

void viewer_guest_free(struct viewer_guest **gp)
{
	struct viewer_guest *g = *gp;

	*gp = NULL;
	if (g == NULL)
		return;
	gate_forget(&g->gate);
	ev_timer_stop(g->cfg.loop, &g->soon);
	viewer_credential_wipe(&g->credential);
	free(g);
}

bool viewer_guest_is_ready(const struct viewer_guest *g)
{
	return g->gate == NULL;
}

bool viewer_guest_is_unchecked(const struct viewer_guest *g)
{
	return g->password == GATE_BUSY || g->password == GATE_LOCKED;
}

bool viewer_guest_may(const struct viewer_guest *g, const json_t *stream)
{
	struct viewer_verdict v;

	judge(g, stream, &v);
	return v.answer == VIEWER_ALLOWED || v.answer == VIEWER_NEEDS_BACKEND;
}
