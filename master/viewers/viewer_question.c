/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One question of a worker, from its arrival to its answer. */
#include "common/base/log.h"
#include "common/base/log_word.h"
#include "common/base/mono.h"
#include "common/base/wall.h"
#include "common/base/alloc.h"
#include "common/loop/timer.h"
#include "master/auth/password_check.h"
#include "master/config/config.h"
#include "master/viewers/backend_cache.h"
#include "master/viewers/backend_proc.h"
#include "master/viewers/viewer_rules.h"
#include "master/viewers/viewers_state.h"
#include "proto/ipc/msg_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds until a backend that did not answer is asked again. */
enum { RETRY_S = 15 };

/* A player that changes the stream connects before the end of its old viewer is
 * reported.  So a viewer above conlimit waits up to PLACE_WAITS times PLACE_MS
 * for the end of another viewer of its user. */
enum { PLACE_MS = 150, PLACE_WAITS = 4 };

/* A client of HLS leaves without closing a connection.  So a new client of HLS
 * above conlimit waits up to HLS_PLACE_WAITS times PLACE_MS, nearly as long as
 * its worker waits for the answer; but not with conlimit_mode "oldest", nor if
 * the user may have more than HLS_PLACES_MAX viewers. */
enum { HLS_PLACE_WAITS = 40, HLS_PLACES_MAX = 64, ANSWER_MS = 6000 };

enum { LOG_USER_MAX = 96 };

/* Number of sessions that the log names when a user is at the limit. */
enum { NAMED_SESSIONS = 2 };

/* --- the end of a question --- */

void question_free(struct question *q)
{
	LIST_REMOVE(q, link);
	ev_timer_stop(q->owner->cfg.loop, &q->place);
	gate_forget(&q->gate);
	backend_job_cancel(&q->job);
	viewer_credential_wipe(&q->credential);
	field_drop(&deliver_ask_fields, &q->ask);
	free(q);
}

static void answer(struct question *q, const struct msg_deliver_answer *a)
{
	struct msg m = { .type = MSG_DELIVER_ANSWER, .seq = q->seq,
			 .deliver_answer = *a };

	if (m.deliver_answer.login == NULL)
		m.deliver_answer.login = "";
	if (m.deliver_answer.location == NULL)
		m.deliver_answer.location = "";
	q->way->send(&m, q->way->arg);
	question_free(q);
}

static void answer_busy(struct question *q)
{
	answer(q, &(struct msg_deliver_answer){ .verdict = ASK_BUSY });
}

/* Denies, ends the viewer, frees q.  location: redirect; NULL: auth.promo. */
static void deny(struct question *q, const char *reason, const char *location)
{
	struct viewers *v = q->owner;
	struct viewer_entry *e = viewer_table_find(v->table, q->ask.client);
	const char *promo = json_string_value(
		json_object_get(viewers_auth(v), "promo"));
	struct msg_deliver_answer a = { .verdict = ASK_DENIED };

	if (location == NULL)
		location = promo;
	if (location != NULL && viewer_location_is_valid(location)) {
		a.verdict = ASK_REDIRECTED;
		a.location = location;
	}
	if (e != NULL && e->way == q->way)
		viewers_end_entry(v, e);
	if (denial_log_pass(&v->denials))
		log_info("auth", "stream %s: viewer %s denied: %s (%.16s)",
			 q->ask.stream, q->ask.peer, reason, q->ask.protocol);
	answer(q, &a);
}

/* As deny(), with the login after the reason; "": there is none. */
static void deny_login(struct question *q, const char *reason,
		       const char *login)
{
	char word[LOG_USER_MAX];
	struct errmsg text;

	log_word(login, word, sizeof word);
	errmsg_set(&text, "%s%s%s", reason, login[0] != '\0' ? ": login " : "",
		   login[0] != '\0' ? word : "");
	deny(q, text.text, NULL);
}

/* --- the limit of a user --- */

/* Ends the oldest viewer of a group, and all other sessions of its player. */
static void end_oldest(struct viewers *v, const char *group)
{
	struct viewer_entry *oldest = viewer_table_oldest(v->table, group);
	struct viewer_entry *variant = NULL;

	while ((variant = viewer_table_variant(v->table, oldest, variant)) !=
	       NULL)
		if (!variant->ended) {
			viewers_end_entry(v, variant);
			viewers_kick(v, variant, true);
		}
	viewers_end_entry(v, oldest);
	viewers_kick(v, oldest, true);
}

/* True: the limit permits the viewer.  With conlimit_mode "oldest", ends older
 * viewers if needed, but not for HEAD (probe), which only asks. */
static bool take_place(const struct question *q, const struct viewer_entry *e,
		       const char *group, unsigned limit)
{
	struct viewers *v = q->owner;
	int excess = viewer_table_excess(v->table, e, &(struct viewer_limit){
		.group = group,
		.most = limit,
		.ends_oldest = v->settings.ends_oldest,
	});

	for (int i = 0; i < excess && !q->ask.probe; i++)
		end_oldest(v, group);
	return excess >= 0;
}

/* A permission for a viewer, and the group with its limit. */
struct permission {
	const char *login;
	char kind;        /* kind of group: 'u'ser, 'b'ackend or 'p'review */
	const char *user; /* name of the group; "": no group */
	unsigned limit;
	uint32_t recheck_s;
	const struct digest *proof; /* as in viewer_entry; NULL: none */
};

/* Counts the viewer for its address.  False: the address has too many.  Not
 * counted: viewers of a single worker, which does so itself, and HLS. */
static bool count_address(struct question *q, struct viewer_entry *e)
{
	return !q->way->shared || q->ask.unlimited || q->ask.key != 0 ||
	       e->joined || e->from != NULL ||
	       peers_enter(q->owner->peers, &q->address, &e->from) == 0;
}

static void judge(struct question *q);

static void on_place(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop, (void)revents;
	judge(container_of(w, struct question, place));
}

/* Appends the oldest viewers of the group to ret, such as ": 10.0.0.5 since
 * 2026-11-23 23:40:12 CET, ...". */
static void name_sessions(const struct viewers *v, const char *group,
			  struct errmsg *ret)
{
	const struct viewer_entry *e = viewer_table_oldest(v->table, group);
	size_t n = 0;

	for (; e != NULL; e = viewer_table_next(e)) {
		char address[IP_TEXT_MAX], since[WALL_TEXT_MAX];
		const struct errmsg before = *ret;

		if (e->since_s == 0 || n++ >= NAMED_SESSIONS)
			continue;
		ip_format(&e->address, address);
		wall_format_at(e->since_s, since);
		errmsg_set(ret, "%s%s %s since %s", before.text,
			   n == 1 ? ":" : ",", address, since);
	}
	if (n > NAMED_SESSIONS) {
		const struct errmsg before = *ret;

		errmsg_set(ret, "%s, and %zu more", before.text,
			   n - NAMED_SESSIONS);
	}
}

static void deny_above_limit(struct question *q, const struct permission *p)
{
	char user[LOG_USER_MAX], group[GROUP_MAX];
	struct errmsg reason;

	log_word(p->user, user, sizeof user);
	errmsg_set(&reason, "%s %s has %u of %u sessions",
		   p->kind == 'b' ? "user of the backend" : "login", user,
		   p->limit, p->limit);
	(void)snprintf(group, sizeof group, "%c:%s", p->kind, p->user);
	name_sessions(q->owner, group, &reason);
	deny(q, reason.text, NULL);
}

/* Has the workers end those clients of HLS in the group that have left.  True:
 * the group has at least one client of HLS. */
static bool end_idle(const struct viewers *v, const char *group)
{
	struct viewer_entry *e = viewer_table_oldest(v->table, group);
	uint64_t now_ms = mono_ms();
	bool any = false;

	for (; e != NULL; e = viewer_table_next(e)) {
		any = any || e->key != 0;
		/* a worker is asked once in PLACE_MS, for all questions */
		if (e->key == 0 || now_ms - e->idle_ms < PLACE_MS)
			continue;
		e->idle_ms = now_ms;
		viewers_kick_idle(e);
	}
	return any;
}

static void wait_for_place(struct question *q, const struct permission *p,
			   const char *group)
{
	const struct viewers *v = q->owner;
	/* probe: HEAD ends no session; HEAD of HLS does not wait */
	bool asks_only = q->ask.probe && q->ask.key != 0;
	bool may_end = !q->ask.probe && !v->settings.ends_oldest &&
		       p->limit <= HLS_PLACES_MAX && end_idle(v, group);

	unsigned waits = may_end && q->ask.key != 0 ? HLS_PLACE_WAITS
						    : PLACE_WAITS;

	if (asks_only || q->waits++ >= waits ||
	    mono_ms() - q->asked_ms >= ANSWER_MS) {
		deny_above_limit(q, p);
		return;
	}
	timer_start(q->owner->cfg.loop, &q->place, PLACE_MS / 1e3);
}

/* The viewer gets no permission: takes it out of the group. */
static void give_back(struct viewers *v, struct viewer_entry *e)
{
	viewer_table_group(v->table, e, NULL);
	if (!e->joined)
		viewer_table_drop(v->table, e);
}

static void allow(struct question *q, const struct permission *p)
{
	struct viewers *v = q->owner;
	struct viewer_entry *e = viewers_put(v, q->way, q->ask.client);
	char group[GROUP_MAX] = "";
	bool placed;
	/* a request for a picture does not count for conlimit */
	bool counts = p->user[0] != '\0' &&
		      strcmp(q->ask.protocol, MSG_PICTURE_PROTOCOL) != 0;

	if (e == NULL) {
		answer_busy(q);
		return;
	}
	if (e->ended) {
		deny(q, "its session was ended", NULL);
		return;
	}
	viewer_table_set_key(v->table, e, q->ask.key);
	viewer_table_set_player(v->table, e,
		viewers_player(v, q->ask.stream, q->ask.player));
	if (!count_address(q, e)) {
		give_back(v, e);
		answer_busy(q);
		return;
	}
	if (counts)
		(void)snprintf(group, sizeof group, "%c:%s", p->kind, p->user);
	placed = group[0] == '\0' ||
		 viewer_table_has_place(v->table, e, group);
	if (!placed && !take_place(q, e, group, p->limit)) {
		give_back(v, e);
		wait_for_place(q, p, group);
		return;
	}
	viewer_table_group(v->table, e,
			   placed || q->ask.probe ? NULL : group);
	if (e->since_s == 0) {
		e->address = q->address;
		e->since_s = time(NULL);
	}
	e->proof = p->proof != NULL ? *p->proof : (struct digest){ 0 };
	answer(q, &(struct msg_deliver_answer){
		.verdict = ASK_ALLOWED,
		.login = p->login,
		.recheck_s = p->recheck_s,
	});
}

/* --- passwords --- */

/* Returns a keyed hash of login, password and the stored hash of the login. */
static struct digest proof_of(const struct viewers *v,
			      const struct viewer_credential *c)
{
	const char *cipher = json_string_value(json_object_get(
		config_user(v->cfg.config, c->login), "cipher"));
	const char *texts[] = { c->login, c->password,
				cipher != NULL ? cipher : "" };

	return backend_cache_key(v->cache, texts, ARRAY_LEN(texts));
}

static void take_password(struct question *q, enum gate_answer a)
{
	if (a == GATE_RIGHT) {
		q->password_right = true;
		judge(q);
	} else if (a == GATE_BUSY) {
		answer_busy(q);
	} else {
		deny_login(q, a == GATE_LOCKED
			   ? "too many wrong passwords of the address or login"
			   : "the password is wrong", q->credential.login);
	}
}

static void on_password(enum gate_answer a, void *arg)
{
	struct question *q = arg;

	q->gate = NULL;
	take_password(q, a);
}

/* Checks the password, unless the same viewer was admitted with it before. */
static void check_password(struct question *q)
{
	struct viewers *v = q->owner;
	const struct viewer_entry *e =
		viewer_table_find(v->table, q->ask.client);
	const struct gate_question g = { q->credential.login,
					 q->credential.password,
					 &q->address, GATE_VIEWERS };
	enum gate_answer a = GATE_BUSY;

	q->proof = proof_of(v, &q->credential);
	if (e != NULL && digest_equal(&e->proof, &q->proof))
		a = GATE_RIGHT;
	else if (!gate_knows(v->cfg.gate, &g, &a))
		q->gate = gate_ask(v->cfg.gate, &g, on_password, q);
	if (q->gate == NULL)
		take_password(q, a);
}

/* --- the backend --- */

static void set_backend_error(struct viewers *v, const char *error)
{
	bool had = v->backend_error != NULL;

	if (!had && error == NULL)
		return;
	if (error == NULL)
		log_info("auth", "the backend decides about viewers again");
	else if (!had)
		log_error("auth", "the backend gives no decision: %s: new "
			  "viewers are %s (auth.backend_unreachable)", error,
			  v->settings.fails_closed ? "denied" : "allowed");
	/* also if it had an error: an alarm shows the new text */
	free(v->backend_error);
	v->backend_error = error != NULL ? xstrdup(error) : NULL;
}

static void apply_backend(struct question *q, const struct backend_verdict *b,
			  uint32_t recheck_s)
{
	if (b->location[0] != '\0' || !b->allowed)
		deny(q, "the backend denied the viewer",
		     b->location[0] != '\0' ? b->location : NULL);
	else
		allow(q, &(struct permission){
			.login = b->login,
			.kind = 'b',
			.user = b->max_sessions == 0 ? ""
				: b->user[0] != '\0' ? b->user : b->login,
			.limit = b->max_sessions,
			.recheck_s = recheck_s,
		});
}

/* The backend did not answer: uses a stale decision, else the settings. */
static void do_without_backend(struct question *q, const char *error)
{
	struct viewers *v = q->owner;
	const struct backend_verdict *old = backend_cache_find(
		v->cache, &q->key, mono_ms());

	set_backend_error(v, error);
	if (old != NULL)
		apply_backend(q, old, RETRY_S);
	else if (v->settings.fails_closed)
		deny(q, "the backend gives no decision", NULL);
	else
		allow(q, &(struct permission){
			.login = "", .user = "", .recheck_s = RETRY_S,
		});
}

/* The backend could not be asked: uses a stale decision, or answers busy. */
static void wait_no_longer(struct question *q)
{
	const struct backend_verdict *old = backend_cache_find(
		q->owner->cache, &q->key, mono_ms());

	if (old != NULL)
		apply_backend(q, old, RETRY_S);
	else
		answer_busy(q);
}

static void take_result(struct question *q,
			const struct msg_backend_result *r)
{
	struct viewers *v = q->owner;
	struct backend_verdict b;
	struct errmsg error;

	if (backend_verdict_read(r, mono_ms(), &b, &error) < 0) {
		do_without_backend(q, error.text);
		return;
	}
	set_backend_error(v, NULL);
	backend_cache_put(v->cache, &q->key, &b);
	apply_backend(q, &b, b.duration_s);
}

/* True: the password was right, and was not changed while the question
 * waited. */
static bool is_right(const struct question *q)
{
	struct digest now;

	if (!q->password_right)
		return false;
	now = proof_of(q->owner, &q->credential);
	return digest_equal(&q->proof, &now);
}

static void judge_verdict(const struct question *q, struct viewer_verdict *ret)
{
	const struct viewers *v = q->owner;

	viewer_rules_judge(v->rules, &(struct viewer_question){
		.document = config_document(v->cfg.config),
		.stream_id = q->ask.stream,
		.stream = config_stream(v->cfg.config, q->ask.stream),
		.address = q->address,
		.credential = q->malformed ? NULL : &q->credential,
		.password_right = is_right(q),
		.now_s = time(NULL),
	}, ret);
}

static void on_backend(const struct msg_backend_result *r, void *arg)
{
	struct question *q = arg;
	struct viewer_verdict now;

	q->job = NULL;
	/* judges again, because the rules may have changed */
	judge_verdict(q, &now);
	if (now.answer != VIEWER_NEEDS_BACKEND)
		judge(q);
	else if (r == NULL)
		wait_no_longer(q);
	else
		take_result(q, r);
}

static void ask_backend(struct question *q)
{
	struct viewers *v = q->owner;
	const struct viewer_credential *c = &q->credential;
	bool bare = c->token[0] == '\0' && c->login[0] == '\0';
	const char *key[] = { q->ask.stream, q->ask.peer, c->token, c->login,
			      c->password, bare ? q->ask.query : "" };
	const struct backend_verdict *known;
	uint64_t now = mono_ms();
	char client[24], *url;

	q->key = backend_cache_key(v->cache, key, ARRAY_LEN(key));
	known = backend_cache_find(v->cache, &q->key, now);
	if (known != NULL && now < known->fresh_until_ms) {
		apply_backend(q, known,
			      (uint32_t)((known->fresh_until_ms - now) / 1000 +
					 1));
		return;
	}
	(void)snprintf(client, sizeof client, "%" PRIu64, q->ask.client);
	url = xasprintf("%s%s%s", v->settings.url,
			q->ask.query[0] == '\0' ? ""
			: strchr(v->settings.url, '?') != NULL ? "&" : "?",
			q->ask.query);
	q->job = backend_job_new(v->cfg.backend, &(struct msg_backend_ask){
		.url = url,
		.session = client,
		.channel = q->ask.stream,
		.peer = q->ask.peer,
		.path = q->ask.path,
		.agent = q->ask.agent,
		.host = q->ask.host,
	}, on_backend, q);
	explicit_bzero(url, strlen(url));
	free(url);
	if (q->job == NULL)
		wait_no_longer(q);
}

/* --- questions --- */

/* Returns the login of the preview token in a question; NULL: it has no valid
 * one, or its address is denied. */
static const char *preview_login(const struct question *q)
{
	if (q->malformed ||
	    viewer_rules_deny_address(q->owner->rules, &q->address))
		return NULL;
	return viewers_preview_login(q->owner, q->credential.token);
}

/* Answers q (which frees it), or starts a check whose end answers q. */
static void judge(struct question *q)
{
	struct viewer_verdict v;
	int64_t left_s;

	judge_verdict(q, &v);
	switch (v.answer) {
	case VIEWER_ALLOWED:
		left_s = v.until_s > 0 ? MAX(v.until_s - (int64_t)time(NULL),
					     INT64_C(1)) : 0;
		allow(q, &(struct permission){
			.login = v.login,
			.kind = 'u',
			.user = v.login,
			.limit = v.limit,
			.recheck_s = (uint32_t)MIN(left_s, (int64_t)INT32_MAX),
			.proof = q->password_right ? &q->proof : NULL,
		});
		return;
	case VIEWER_DENIED:
		deny_login(q, v.reason, v.login);
		return;
	case VIEWER_NEEDS_PASSWORD:
		check_password(q);
		return;
	case VIEWER_NEEDS_BACKEND:
		ask_backend(q);
		return;
	}
}

void viewers_ask(struct viewers *v, struct viewer_way *way,
		 const struct msg_deliver_ask *ask, uint32_t seq)
{
	struct question *q = xcalloc(1, sizeof *q);
	const char *login;

	q->owner = v;
	q->asked_ms = mono_ms();
	q->way = way;
	q->seq = seq;
	q->ask = *ask;
	field_keep(&deliver_ask_fields, &q->ask);
	ev_init(&q->place, on_place);
	LIST_INSERT_HEAD(&v->questions, q, link);
	q->malformed = !viewer_credential_read(q->ask.query, &q->credential);
	if (seq == 0 || ip_parse(q->ask.peer, &q->address) < 0)
		deny(q, "its address is unknown", NULL);
	else if (viewers_has_closed(v, way, ask))
		answer(q, &(struct msg_deliver_answer){
			.verdict = ASK_DENIED });
	else if (q->ask.free)
		allow(q, &(struct permission){ .login = "", .user = "" });
	else if ((login = preview_login(q)) != NULL)
		allow(q, &(struct permission){ .login = login, .kind = 'p',
					       .user = login,
					       .limit = VIEWER_PREVIEWS_MAX });
	else
		judge(q);
}
