/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/viewers.h"

#include "common/base/alloc.h"
#include "common/base/hash.h"
#include "common/base/mono.h"
#include "common/loop/timer.h"
#include "master/config/config.h"
#include "master/viewers/backend_cache.h"
#include "master/viewers/viewer_rules.h"
#include "master/viewers/viewers_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const json_t *viewers_auth(const struct viewers *v)
{
	return config_section(v->cfg.config, "auth");
}

uint64_t viewers_player(const struct viewers *v, const char *stream,
			uint64_t player)
{
	const char *group = json_string_value(json_object_get(
		config_stream(v->cfg.config, stream), "hls_group"));

	if (player == 0 || group == NULL || group[0] == '\0')
		return 0;
	return hash_add(HASH_INIT ^ player, group, strlen(group)) | 1;
}

bool viewers_has_closed(struct viewers *v, const struct viewer_way *way,
			const struct msg_deliver_ask *ask)
{
	uint64_t player = viewers_player(v, ask->stream, ask->player);

	return (way->shared && ask->key != 0 &&
		closed_sessions_has(&v->closed, ask->key, mono_ms())) ||
	       (player != 0 &&
		closed_sessions_has(&v->closed, player, mono_ms()));
}

static void report_left(const struct viewers *v, uint64_t session)
{
	struct msg_deliver_changes changes = { .n_left = 1,
					       .left = { session } };

	if (v->cfg.on_changes != NULL)
		v->cfg.on_changes(&changes, v->cfg.arg);
}

static void send_kick(const struct viewer_entry *e, bool limit)
{
	struct msg m = { .type = MSG_DELIVER_KICK,
			 .deliver_kick = { .client = e->client,
					   .limit = limit } };

	e->way->send(&m, e->way->arg);
}

void viewers_kick(struct viewers *v, const struct viewer_entry *e, bool limit)
{
	if (e->way->shared && e->key != 0)
		closed_sessions_add(&v->closed, e->key, limit, mono_ms());
	send_kick(e, limit);
}

void viewers_kick_idle(const struct viewer_entry *e)
{
	struct msg m = { .type = MSG_DELIVER_KICK,
			 .deliver_kick = { .client = e->client,
					   .idle = true } };

	e->way->send(&m, e->way->arg);
}

static void set_joined(struct viewers *v, struct viewer_entry *e, bool joined)
{
	if (e->joined == joined)
		return;
	e->joined = joined;
	if (!viewer_table_is_shared(v->table, e))
		return;
	/* shared: another worker counts the same viewer as well */
	if (joined)
		surplus_add(v->surplus, e->mount);
	else
		surplus_take(v->surplus, e->mount);
}

/* Ends an entry; true: its worker had reported it as a viewer. */
static bool end_one(struct viewers *v, struct viewer_entry *e)
{
	bool joined = e->joined;

	/* the entry stays until its worker reports that it has left, but does
	 * not count in its group any more */
	viewer_table_group(v->table, e, NULL);
	e->ended = true;
	set_joined(v, e, false);
	return joined;
}

void viewers_end_entry(struct viewers *v, struct viewer_entry *e)
{
	struct viewer_entry *twin = NULL;
	bool joined = end_one(v, e);

	while ((twin = viewer_table_twin(v->table, e, twin)) != NULL) {
		joined = end_one(v, twin) || joined;
		send_kick(twin, true);
	}
	if (joined)
		report_left(v, e->session);
}

struct viewer_entry *viewers_put(struct viewers *v, struct viewer_way *way,
				 uint64_t client)
{
	struct viewer_entry *e = viewer_table_find(v->table, client);

	if (e == NULL && (way->max == 0 || way->n < way->max))
		e = viewer_table_put(v->table, client);
	if (e != NULL && e->way == NULL) {
		e->way = way;
		way->n++;
		LIST_INSERT_HEAD(&way->viewers, e, in_way);
	}
	return e != NULL && e->way == way ? e : NULL;
}

/* The viewer left before the answer: frees its question. */
static void forget_question(struct viewers *v, const struct viewer_way *way,
			    uint64_t client)
{
	struct question *q;

	LIST_FOREACH(q, &v->questions, link)
		if (q->way == way && q->ask.client == client)
			break;
	if (q != NULL)
		question_free(q);
}

/* After a restart of the master: restores group, address and time of a viewer
 * from the report of its worker, which asks about the viewer only later. */
static void restore(struct viewers *v, struct viewer_entry *e,
		    const struct msg_session *s)
{
	char group[GROUP_MAX];
	struct ip_address address;

	if (e->group == NULL && s->login[0] != '\0' &&
	    snprintf(group, sizeof group, "u:%s", s->login) < GROUP_MAX &&
	    !viewer_table_has_place(v->table, e, group))
		viewer_table_group(v->table, e, group);
	if (ip_parse(s->peer, &address) < 0)
		return;
	if (e->since_s == 0) {
		e->address = address;
		e->since_s = (int64_t)time(NULL) - (int64_t)s->uptime_s;
	}
	if (e->way->shared && e->key == 0 && !s->unlimited && e->from == NULL)
		(void)!peers_enter(v->peers, &address, &e->from);
}

/* Ends a session that began while its player was being closed, so that its
 * worker had not asked about it. */
static void end_closed(struct viewers *v, const struct viewer_entry *e)
{
	if (e->player != 0 &&
	    closed_sessions_has(&v->closed, e->player, mono_ms()))
		viewers_kick(v, e, false);
}

/* A worker reports that it serves an entry.  True: the session of the entry
 * begins.  False: it has begun before, in another worker or by an earlier
 * report. */
static bool join(struct viewers *v, struct viewer_entry *e,
		 const struct msg_session *s)
{
	bool again = e->joined;

	viewer_table_set_key(v->table, e, s->key);
	viewer_table_set_player(v->table, e,
				viewers_player(v, s->stream, s->player));
	if (!e->joined) {
		e->mount = s->mount;
		restore(v, e, s);
	}
	set_joined(v, e, true);
	end_closed(v, e);
	return !again && !viewer_table_is_shared(v->table, e);
}

/* A worker reports that an entry has left.  True: its session ends. */
static bool leave(struct viewers *v, struct viewer_entry *e)
{
	bool ends = e->joined && !viewer_table_is_shared(v->table, e);

	set_joined(v, e, false);
	viewer_table_drop(v->table, e);
	return ends;
}

void viewers_report(struct viewers *v, struct viewer_way *way,
		    const struct msg_deliver_changes *m)
{
	struct msg_deliver_changes seen = { .n_left = 0 };

	for (size_t i = 0; i < m->n_joined; i++) {
		struct viewer_entry *e =
			viewers_put(v, way, m->joined[i].client);

		if (e == NULL || e->ended || !join(v, e, &m->joined[i]))
			continue;
		seen.joined[seen.n_joined] = m->joined[i];
		seen.joined[seen.n_joined++].client = e->session;
	}
	for (size_t i = 0; i < m->n_left; i++) {
		struct viewer_entry *e =
			viewer_table_find(v->table, m->left[i]);
		uint64_t session = e != NULL ? e->session : 0;

		forget_question(v, way, m->left[i]);
		if (e != NULL && e->way == way && leave(v, e))
			seen.left[seen.n_left++] = session;
	}
	if (v->cfg.on_changes != NULL)
		v->cfg.on_changes(&seen, v->cfg.arg);
}

void viewers_see(struct viewers *v, const struct viewer_way *way,
		 const struct msg_deliver_sessions *page)
{
	for (size_t i = 0; v != NULL && i < page->n; i++) {
		const struct msg_session *s = &page->list[i];
		struct viewer_entry *e = viewer_table_find(v->table, s->client);

		if (e != NULL && e->way == way)
			viewer_table_set_player(v->table, e,
				viewers_player(v, s->stream, s->player));
	}
}

uint64_t viewers_session(const struct viewers *v, uint64_t client)
{
	const struct viewer_entry *e = viewer_table_find(v->table, client);

	return e != NULL ? e->session : client;
}

unsigned viewers_surplus(const struct viewers *v, uint64_t mount)
{
	return surplus_get(v->surplus, mount);
}

static void send_policy(const struct viewers *v, const struct viewer_way *way)
{
	struct msg m = { .type = MSG_DELIVER_POLICY,
			 .deliver_policy = {
				 .authorize = viewer_rules_enabled(v->rules),
				 .real_ip = v->settings.real_ip,
				 .shared = way->shared || v->asks_all,
				 .seed = v->seed,
			 } };

	way->send(&m, way->arg);
}

static void send_policies(const struct viewers *v)
{
	const struct viewer_way *way;

	LIST_FOREACH(way, &v->ways, link)
		send_policy(v, way);
}

/* Has the workers ask about every viewer while players are closed.  Otherwise a
 * single worker does not ask about viewers that need no permission, and would
 * serve a closed player that changes to another variant. */
static void ask_about_closed(struct viewers *v)
{
	uint64_t until_ms = closed_sessions_until(&v->closed);
	uint64_t now_ms = mono_ms();
	bool asks_all = now_ms < until_ms;

	if (asks_all)
		timer_start(v->cfg.loop, &v->open,
			    (double)(until_ms - now_ms) / 1000);
	if (v->asks_all == asks_all)
		return;
	v->asks_all = asks_all;
	send_policies(v);
}

static void on_open(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop, (void)revents;
	ask_about_closed(container_of(t, struct viewers, open));
}

bool viewers_close(struct viewers *v, uint64_t session)
{
	const struct viewer_entry *e =
		viewer_table_of_session(v->table, session);
	const struct viewer_entry *twin = NULL, *variant = NULL;

	if (e == NULL || e->way == NULL)
		return false;
	/* closes the player first, so that no worker continues it with another
	 * variant when a session ends */
	if (e->player != 0) {
		closed_sessions_add(&v->closed, e->player, false, mono_ms());
		ask_about_closed(v);
	}
	viewers_kick(v, e, false);
	while ((twin = viewer_table_twin(v->table, e, twin)) != NULL)
		viewers_kick(v, twin, false);
	while ((variant = viewer_table_variant(v->table, e, variant)) != NULL)
		if (variant->key != e->key)
			viewers_kick(v, variant, false);
	return true;
}

/* --- the workers --- */

void viewers_set_limit(struct viewers *v, const struct viewers_limit *limit)
{
	if (v == NULL)
		return;
	v->seed = limit->seed;
	peers_limit(v->peers, &(struct peers_config){
		.max = limit->per_address });
}

void viewers_up(struct viewers *v, struct viewer_way *way)
{
	if (v == NULL)
		return;
	if (!way->up)
		LIST_INSERT_HEAD(&v->ways, way, link);
	way->up = true;
	send_policy(v, way);
}

void viewers_down(struct viewers *v, struct viewer_way *way)
{
	struct question *q, *next;
	struct viewer_entry *e;

	if (v == NULL || !way->up)
		return;
	LIST_REMOVE(way, link);
	way->up = false;
	for (q = LIST_FIRST(&v->questions); q != NULL; q = next) {
		next = LIST_NEXT(q, link);
		if (q->way == way)
			question_free(q);
	}
	viewers_end_lists(v, way);
	while ((e = LIST_FIRST(&way->viewers)) != NULL) {
		uint64_t session = e->session;

		if (leave(v, e))
			report_left(v, session);
	}
}

/* --- the configuration --- */

static void read_settings(struct viewers *v)
{
	struct viewer_settings old = v->settings;

	viewer_rules_read(v->rules, config_document(v->cfg.config));
	viewer_settings_read(config_settings(v->cfg.config), viewers_auth(v),
			     &v->settings);
	if (strcmp(old.url, v->settings.url) == 0)
		return;
	backend_cache_clear(v->cache);
	free(v->backend_error);
	v->backend_error = NULL;
}

void viewers_groups_changed(struct viewers *v)
{
	struct msg m = { .type = MSG_DELIVER_REVIEW };
	const struct viewer_way *way;

	if (v == NULL || !viewer_rules_enabled(v->rules))
		return;
	LIST_FOREACH(way, &v->ways, link)
		way->send(&m, way->arg);
}

void viewers_changed(struct viewers *v)
{
	if (v == NULL)
		return;
	read_settings(v);
	send_policies(v);
	viewers_groups_changed(v);
}

static void send_review(const struct viewer_entry *e)
{
	struct msg m = { .type = MSG_DELIVER_REVIEW,
			 .deliver_review = { e->client } };

	e->way->send(&m, e->way->arg);
}

/* Has the workers ask again about the viewers (kind 'u') or previews ('p') of a
 * login: about those in the group, and about the other entries of their
 * sessions and players, which are in no group. */
static void review(struct viewers *v, char kind, const char *login)
{
	const struct viewer_entry *e, *other;
	char group[GROUP_MAX];

	(void)snprintf(group, sizeof group, "%c:%s", kind, login);
	for (e = viewer_table_oldest(v->table, group); e != NULL;
	     e = viewer_table_next(e)) {
		send_review(e);
		other = NULL;
		while ((other = viewer_table_twin(v->table, e, other)) != NULL)
			send_review(other);
		other = NULL;
		while ((other = viewer_table_variant(v->table, e, other)) !=
		       NULL)
			if (other->key != e->key)
				send_review(other);
	}
}

void viewers_user_changed(struct viewers *v, const char *login)
{
	if (v == NULL)
		return;
	viewer_rules_read_user(v->rules, login,
			       config_user(v->cfg.config, login));
	if (!viewer_rules_enabled(v->rules))
		return;
	review(v, 'u', login);
	review(v, 'p', login);
}

bool viewers_backend_error(const struct viewers *v, struct errmsg *ret)
{
	if (v->backend_error == NULL || !viewer_rules_enabled(v->rules))
		return false;
	errmsg_set(ret, "auth: the backend gives no decision: %s: new viewers "
			"are %s (auth.backend_unreachable)", v->backend_error,
		   v->settings.fails_closed ? "denied" : "allowed");
	return true;
}

struct viewers *viewers_new(const struct viewers_config *cfg)
{
	struct viewers *v = xcalloc(1, sizeof *v);

	v->cfg = *cfg;
	v->rules = viewer_rules_new();
	v->table = viewer_table_new();
	v->cache = backend_cache_new();
	v->surplus = surplus_new();
	denial_log_init(&v->denials, v->cfg.loop);
	ev_init(&v->open, on_open);
	v->peers = peers_new(&(struct peers_config){ 0 });
	LIST_INIT(&v->questions);
	LIST_INIT(&v->lists);
	LIST_INIT(&v->ways);
	read_settings(v);
	return v;
}

void viewers_free(struct viewers **vp)
{
	struct viewers *v = *vp;
	struct viewer_way *way;
	struct question *q;

	*vp = NULL;
	if (v == NULL)
		return;
	while ((q = LIST_FIRST(&v->questions)) != NULL)
		question_free(q);
	viewers_end_lists(v, NULL);
	ev_timer_stop(v->cfg.loop, &v->open);
	viewer_rules_free(&v->rules);
	viewer_table_free(&v->table);
	surplus_free(&v->surplus);
	denial_log_done(&v->denials);
	peers_free(&v->peers);
	while ((way = LIST_FIRST(&v->ways)) != NULL) {
		LIST_REMOVE(way, link);
		way->up = false;
	}
	backend_cache_free(&v->cache);
	free(v->backend_error);
	free(v);
}

/* --- playlists --- */

void viewers_set_lists(struct viewers *v, viewers_list_fn *list, void *arg)
{
	if (v == NULL)
		return;
	v->list = list;
	v->list_arg = arg;
}

struct viewer_guest *viewers_guest_new(struct viewers *v, const char *query,
				       const char *peer,
				       viewer_guest_ready_fn *ready, void *arg)
{
	return viewer_guest_new(&(struct viewer_guest_config){
		.loop = v->cfg.loop,
		.config = v->cfg.config,
		.gate = v->cfg.gate,
		.rules = v->rules,
		.ready = ready,
		.arg = arg,
	}, query, peer);
}
