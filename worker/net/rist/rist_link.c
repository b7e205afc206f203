/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/rist/rist_link.h"

#include "common/base/log.h"
#include "common/base/mono.h"
#include "worker/net/librist/rist_place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

enum {
	STATS_MS = 1000,
	HEARD_MS = 5000, /* so long ago data is data of somebody who is there */
	/* Blocks that wait for a tick; a power of two. */
	FIFO_BLOCKS = 4096,
	QUIET_S = 3,
	/* What was not seen for so long is told again. */
	TOLD_MS = 600000,
	TOLD_BURST = 5,
	/* Who was not heard for so long does not hinder now. */
	TROUBLE_MS = 10000,
};

void rist_link_open(struct rist_link *l, const struct rist_spec *spec,
		    enum rist_direction direction)
{
	*l = (struct rist_link){ .spec = spec, .direction = direction };
	redundant_paths_init(&l->paths, spec->n_peers);
	if (direction == RIST_RECEIVES)
		rist_peers_init(&l->peers, RIST_SENDERS_MAX,
				RIST_SENDERS_OF_HOST_MAX,
				RIST_PEERS_SEND |
				(spec->profile == RIST_SIMPLE
					 ? RIST_PEERS_OWN_PORTS
					 : 0));
	else
		rist_peers_init(&l->peers, RIST_RECEIVERS_MAX,
				RIST_RECEIVERS_OF_HOST_MAX, 0);
	rist_events_init(&l->events, &l->peers, spec->secret[0] != '\0');
	rist_threads_init(&l->threads);
}

void rist_link_close(struct rist_link *l)
{
	for (size_t i = 0; i < RIST_PEERS_MAX; i++)
		resolver_free(&l->ways[i].resolver);
	if (l->ctx != NULL)
		(void)rist_destroy(l->ctx);
	l->ctx = NULL;
	rist_threads_done(&l->threads);
	rist_events_done(&l->events);
	rist_peers_done(&l->peers);
}

static bool is_pair(const struct rist_link *l)
{
	return l->spec->profile == RIST_SIMPLE;
}

/* 1: its place can be had; 0: its name is still looked for; -errno. */
static int find_place(struct rist_link *l, size_t i, struct errmsg *error)
{
	const struct rist_peer_spec *p = &l->spec->peers[i];
	struct rist_way *w = &l->ways[i];
	int r;

	if (w->resolver == NULL)
		w->resolver = resolver_new(
			p->host[0] != '\0' ? p->host : "0.0.0.0", p->port);
	r = resolver_poll(w->resolver, &w->at, error);
	if (r != 0)
		resolver_free(&w->resolver);
	if (r <= 0)
		return r;
	r = rist_check_address(&w->at, p->listens, is_pair(l), error);
	return r < 0 ? r : 1;
}

static struct rist_peer_config *make_config(const struct rist_link *l, size_t i,
					    const char *at)
{
	const struct rist_spec *spec = l->spec;
	struct rist_peer_config *config = NULL;
	char url[SOCKADDR_TEXT_MAX + 16];

	(void)snprintf(url, sizeof url, "rist://%s%s",
		       spec->peers[i].listens ? "@" : "", at);
	if (rist_parse_address2(url, &config) != 0)
		return NULL;
	config->recovery_length_min = spec->buffer_ms;
	config->recovery_length_max = spec->buffer_ms;
	config->weight = 0; /* to each of them everything */
	if (spec->secret[0] != '\0') {
		(void)snprintf(config->secret, sizeof config->secret, "%s",
			       spec->secret);
		config->key_size = (int)spec->key_bits;
	}
	if (spec->cname[0] != '\0')
		(void)snprintf(config->cname, sizeof config->cname, "%s",
			       spec->cname);
	return config;
}

static int create_peer(struct rist_link *l, size_t i, struct errmsg *error)
{
	bool listens = l->spec->peers[i].listens;
	char at[SOCKADDR_TEXT_MAX];
	struct rist_peer_config *config;
	struct rist_counted said;
	struct rist_peer *peer;
	int r;

	sockaddr_format(&l->ways[i].at, at);
	config = make_config(l, i, at);
	if (config == NULL)
		return errmsg_fail(error, -EINVAL, "rist: %s is not taken", at);
	if (listens)
		rist_peers_wait(&l->peers, i, &l->ways[i].at);
	r = rist_peer_create(l->ctx, &peer, config);
	(void)rist_peer_config_free2(&config);
	if (r == 0 && !listens)
		rist_peers_add(&l->peers, peer, i, &l->ways[i].at);
	if (r == 0)
		return 0;
	rist_events_take(&l->events, &said);
	return errmsg_fail(error, -EADDRINUSE, "rist: %s %s: %s",
			   listens ? "listen on" : "call", at,
			   said.error[0] != '\0' ? said.error : "it fails");
}

static int guard_new(struct rist_link *l, struct errmsg *error)
{
	return rist_guard_after_peer(&l->guard, l->spec,
			       l->direction == RIST_RECEIVES, l->added, error);
}

/*
 * Of one that joins a library at work no thread of it may see the sockets
 * before they are guarded, nor look for them meanwhile.  It is under the lock
 * that they take for both while it makes a peer, and there it tells its log of
 * what it does.
 */
static int on_log(void *arg, enum rist_log_level level, const char *text)
{
	struct rist_link *l = arg;

	if (atomic_load(&l->adder) == gettid())
		(void)guard_new(l, NULL); /* it is tried again */
	return rist_events_on_log(&l->events, level, text);
}

/* --- in the library's thread --- */

static int on_connect(void *arg, const char *host, uint16_t port,
		      const char *local_host, uint16_t local_port,
		      struct rist_peer *peer)
{
	struct rist_link *l = arg;
	struct sockaddr_any at;

	if (rist_peers_on_connect(&l->peers, host, port, local_host,
				  local_port, peer) < 0)
		return -1;
	if (sockaddr_parse(host, port, &at) == 0 &&
	    rist_guard_admit(&l->guard, &at, local_port, peer))
		return 0;
	(void)rist_peers_on_gone(&l->peers, peer);
	return -1;
}

static int on_gone(void *arg, struct rist_peer *peer)
{
	struct rist_link *l = arg;

	rist_guard_peer_gone(&l->guard, peer);
	return rist_peers_on_gone(&l->peers, peer);
}

/* --- in ours --- */

static int make_context(struct rist_link *l)
{
	enum rist_profile profile = l->spec->profile == RIST_SIMPLE
					    ? RIST_PROFILE_SIMPLE
					    : RIST_PROFILE_MAIN;

	l->logging = (struct rist_logging_settings){
		.log_level = l->spec->n_peers > 1 ? RIST_LOG_INFO
						  : RIST_LOG_ERROR,
		.log_cb = on_log,
		.log_cb_arg = l,
		.log_socket = -1,
	};
	if (l->direction == RIST_SENDS)
		return rist_sender_create(&l->ctx, profile, 0, &l->logging);
	if (rist_receiver_create(&l->ctx, profile, &l->logging) != 0)
		return -1;
	return rist_receiver_set_output_fifo_size(l->ctx, FIFO_BLOCKS);
}

static int prepare(struct rist_link *l, struct errmsg *error)
{
	if (make_context(l) != 0 ||
	    rist_events_subscribe(&l->events, l->ctx, STATS_MS) != 0 ||
	    rist_auth_handler_set(l->ctx, on_connect, on_gone, l) != 0 ||
	    rist_threads_follow(&l->threads, l->ctx) != 0)
		return errmsg_fail(error, -ENOMEM, "rist: no context");
	return 0;
}

static int add_way(struct rist_link *l, size_t i, struct errmsg *error)
{
	int r = l->ctx == NULL ? prepare(l, error) : 0;

	if (r < 0)
		return r;
	rist_guard_before_peer(&l->guard);
	l->added = i;
	atomic_store(&l->adder, gettid());
	r = create_peer(l, i, error);
	atomic_store(&l->adder, 0);
	if (r == 0)
		r = guard_new(l, error);
	if (r == 0)
		redundant_path_opened(&l->paths, i, -1);
	return r;
}

/* -errno: all is to begin anew. */
static int seek(struct rist_link *l, size_t i, uint64_t now_ns,
		struct errmsg *error)
{
	struct errmsg failed;
	int r;

	if (!redundant_path_is_due(&l->paths, i, now_ns))
		return 0;
	r = find_place(l, i, &failed);
	if (r > 0)
		return add_way(l, i, error);
	if (r < 0) {
		redundant_path_failed(&l->paths, i, r, &failed);
		retry_failed(&l->paths.path[i].retry, now_ns);
	}
	return 0;
}

int rist_link_turn(struct rist_link *l, struct errmsg *error)
{
	bool worked = rist_link_works(l);
	uint64_t now_ns;
	int r = 0;

	if (l->paths.n_open == l->spec->n_peers)
		return 1;
	now_ns = mono_ns();
	for (size_t i = 0; i < l->spec->n_peers && r == 0; i++)
		r = seek(l, i, now_ns, error);
	if (r == 0)
		r = redundant_paths_check(&l->paths, error);
	if (r == 0 && !worked && l->paths.n_open > 0 && rist_start(l->ctx) != 0)
		r = errmsg_fail(error, -ENOMEM, "rist: it does not start");
	return r < 0 ? r : rist_link_works(l);
}

bool rist_link_works(const struct rist_link *l)
{
	return l->paths.n_open > 0;
}

/* What is measured comes once a second by another clock: it stays until the
 * next one comes, or nobody is there for a while. */
static void merge(struct rist_link *l, struct rist_counted *s)
{
	struct link_stats counted = { 0 };

	if (s->stats.known == 0 && ++l->quiet_s < QUIET_S)
		return;
	if (s->stats.known != 0)
		l->quiet_s = 0;
	link_stats_carry(&s->stats, &l->stats);
	if (l->quiet_s > 0) {
		link_stats_carry(&counted, &l->stats);
		s->stats = counted;
	}
	l->stats = s->stats;
	link_stats_set(&l->stats, LINK_PEERS, s->peers);
	link_stats_set(&l->stats, LINK_LATENCY_MS, l->spec->buffer_ms);
}

void rist_link_warn(struct rist_link *l, const char *text)
{
	unsigned suppressed;

	if (ratelimit_pass(&l->log, mono_ms(), &suppressed))
		log_warning("stream", "rist port %u: %s",
			    l->spec->peers[0].port, text);
}

/* A machine that is held up hears nobody for a moment. */
static void look_who_answers(struct rist_link *l, unsigned peers)
{
	if (l->ctx == NULL || l->direction != RIST_SENDS)
		return;
	l->absent_s = peers > 0 ? 0 : l->absent_s + 1;
	if (l->absent_s == 0 || l->absent_s >= QUIET_S)
		l->reaches = peers > 0;
}

static bool is_anybody_there(const struct rist_link *l)
{
	return l->direction == RIST_SENDS ? l->reaches
					  : l->stats.value[LINK_PEERS] > 0;
}

/* The ways that bring nothing, a bit for each. */
static bool is_silent(const struct rist_link *l, size_t way)
{
	return l->paths.path[way].silent_s >= PATH_SILENT_S;
}

static unsigned silent_ways(const struct rist_link *l)
{
	unsigned ways = 0;

	for (size_t i = 0; i < l->spec->n_peers; i++)
		ways |= (unsigned)is_silent(l, i) << i;
	return ways;
}

/* The list stands in the order of their coming; a new text is a change.  Of
 * those who are called the library does not say that they have gone. */
static void look_at_peers(struct rist_link *l)
{
	uint64_t since_ms = l->direction == RIST_RECEIVES
				    ? mono_ms() - HEARD_MS
				    : 0;
	char peer[sizeof l->peer];
	unsigned suppressed;

	rist_peers_format(&l->peers, since_ms, silent_ways(l), peer,
			  sizeof peer);
	if (l->direction == RIST_SENDS && !l->reaches)
		peer[0] = '\0';
	if (strcmp(peer, l->peer) == 0)
		return;
	memcpy(l->peer, peer, sizeof peer);
	if (!ratelimit_pass(&l->log, mono_ms(), &suppressed))
		return;
	log_info("stream", "rist port %u: %s%s", l->spec->peers[0].port,
		 peer[0] != '\0' ? "connected with " : "not connected any more",
		 peer);
}

static void look_at_refused(struct rist_link *l)
{
	struct errmsg error;
	unsigned n = rist_peers_take_refused(&l->peers, &error);

	link_stats_add(&l->stats, LINK_REFUSED, n);
	refusal_log_add(&l->refusal_log, "rist", l->spec->peers[0].port, &error,
	                n, mono_ms());
	refusal_log_every_second(&l->refusal_log, "rist",
	                         l->spec->peers[0].port, mono_ms());
}

/* What goes on is told once: a peer that is set wrong tries for days.  Several
 * of them in turns, or a text that is never the same, are told a few times. */
static void note_trouble(struct rist_link *l, const char *text)
{
	uint64_t now_ms = mono_ms();
	unsigned suppressed;
	bool told = strcmp(l->told.text, text) == 0 &&
		    now_ms - l->told_ms < TOLD_MS;

	l->troubled = true;
	l->told_ms = now_ms;
	if (told)
		return;
	errmsg_set(&l->told, "%s", text);
	l->told_limit.burst = TOLD_BURST;
	l->told_limit.window_ms = TOLD_MS;
	if (ratelimit_pass(&l->told_limit, now_ms, &suppressed))
		rist_link_warn(l, text);
}

/* Of one that it does not understand the library says so at first, and no more
 * however long he goes on. */
static void look_at_strangers(struct rist_link *l, bool heard)
{
	uint64_t now_ms = mono_ms();

	if (heard)
		l->heard_ms = now_ms;
	if (l->peer[0] != '\0' ||
	    now_ms - MAX(l->heard_ms, l->told_ms) > TROUBLE_MS)
		l->troubled = false;
}

/* Behind a secret nobody is to speak in clear; what else the guard keeps away
 * is nobody's mistake. */
static void look_at_guard(struct rist_link *l)
{
	unsigned n = rist_guard_take_dropped(&l->guard);

	l->invalid += n;
	if (n > 0 && l->spec->secret[0] != '\0' && l->peer[0] == '\0')
		note_trouble(l, "somebody sends in clear, and here is a "
				"secret");
	if (rist_guard_lacks_data(&l->guard) && l->peer[0] == '\0')
		note_trouble(l, "somebody sends data from where his reports "
				"come from, and is not heard");
}

/* A library with such a thread can neither go on nor be left: it has the ports,
 * and to destroy its context is to wait for the thread. */
static void look_at_threads(struct rist_link *l, bool reads)
{
	const char *error = NULL;

	if (l->ctx != NULL)
		error = rist_threads_check(&l->threads, reads);
	if (error == NULL)
		return;
	log_error("stream", "rist port %u: %s: the worker ends, to be started "
		  "anew", l->spec->peers[0].port, error);
	_exit(EX_SOFTWARE);
}

/* Of those who send something is expected, and of those who are called. */
static bool is_expected(const struct rist_link *l, size_t way)
{
	if (l->direction == RIST_SENDS)
		return l->reaches && !l->spec->peers[way].listens;
	return l->peer[0] != '\0';
}

/* At the ports of a way something may come, and not what it is there for. */
static unsigned take_brought(struct rist_link *l, unsigned heard)
{
	unsigned brought = l->brought;

	l->brought = 0;
	return l->direction == RIST_SENDS ? heard : heard & brought;
}

static void report_paths(struct rist_link *l, unsigned delivering)
{
	struct path_state states[RIST_PEERS_MAX] = { 0 };

	if (l->paths.n_open == 0)
		return;
	for (size_t i = 0; i < l->spec->n_peers; i++)
		states[i] = (struct path_state){
			.delivers = delivering >> i & 1,
			.optional = !l->paths.path[i].open ||
				    !is_expected(l, i),
			.error = l->paths.path[i].open
					 ? NULL : "its name is looked for",
			.silence = l->direction == RIST_SENDS
					   ? "nobody is connected" : NULL,
		};
	redundant_paths_every_second(&l->paths, states);
}

void rist_link_second(struct rist_link *l)
{
	unsigned heard = rist_guard_active_paths(&l->guard);
	struct rist_counted s;

	look_at_threads(l, heard != 0);
	rist_events_take(&l->events, &s);
	merge(l, &s);
	look_who_answers(l, s.peers);
	link_stats_add(&l->stats, LINK_CONNECTS, s.connects);
	look_at_peers(l);
	look_at_refused(l);
	report_paths(l, take_brought(l, heard));
	look_at_strangers(l, heard != 0);
	look_at_guard(l);
	if (s.errors > 0)
		note_trouble(l, s.error);
	link_stats_set(&l->stats, LINK_INVALID, l->invalid);
}

const char *rist_link_peer(const struct rist_link *l)
{
	return l->peer[0] != '\0' ? l->peer : NULL;
}

bool rist_link_reaches(const struct rist_link *l)
{
	return l->reaches;
}

bool rist_link_waits(const struct rist_link *l)
{
	if (l->direction != RIST_SENDS || l->ctx == NULL)
		return false;
	for (size_t i = 0; i < l->spec->n_peers; i++)
		if (!l->spec->peers[i].listens)
			return false;
	return true;
}

bool rist_link_is_cut(const struct rist_link *l)
{
	return l->direction == RIST_SENDS && !l->reaches &&
	       l->absent_s >= QUIET_S && !rist_link_waits(l);
}

const char *rist_link_trouble(const struct rist_link *l)
{
	if (l->ctx == NULL)
		return "its name is looked for";
	if (is_anybody_there(l))
		return NULL;
	if (l->troubled)
		return l->told.text;
	return rist_link_waits(l) ? NULL : "nobody is connected";
}

const char *rist_link_way_trouble(const struct rist_link *l)
{
	return redundant_paths_error(&l->paths);
}
