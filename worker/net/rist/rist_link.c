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
	/* a sender counts as connected for so long after its last block */
	ACTIVE_MS = 5000,
	/* size of librist's queue in blocks, for one tick; must be a power of
	 * two */
	FIFO_BLOCKS = 4096,
	QUIET_S = 3,
	/* the same error is logged again after so long */
	RELOG_MS = 600000,
	RELOG_BURST = 5,
	/* an error ends so long after its last occurrence */
	ERROR_MS = 10000,
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
		resolver_free(&l->addresses[i].resolver);
	atomic_store(&l->closing, true);
	if (l->ctx != NULL)
		(void)rist_destroy(l->ctx);
	l->ctx = NULL;
	rist_threads_done(&l->threads);
	rist_events_done(&l->events);
	rist_peers_done(&l->peers);
}

/* Uses the first IPv4 address of a name, if it has one, because "@:port"
 * listens on IPv4.  RIST does not report that a call failed, so the other
 * addresses of a name are not tried. */
static void prefer_ipv4(struct rist_address *w)
{
	struct sockaddr_any at = w->at;

	while (at.sa.sa_family != AF_INET)
		if (!resolver_next(w->resolver, &at))
			return;
	w->at = at;
}

/* Finds the address of path i.  1: it is known and can be used; 0: the name is
 * being resolved; -errno with error. */
static int find_address(struct rist_link *l, size_t i, struct errmsg *error)
{
	const struct rist_peer_spec *p = &l->spec->peers[i];
	struct rist_address *w = &l->addresses[i];
	int r;

	if (w->resolver == NULL)
		w->resolver = resolver_new(
			p->host[0] != '\0' ? p->host : "0.0.0.0", p->port);
	r = resolver_poll(w->resolver, &w->at, error);
	if (r > 0)
		prefer_ipv4(w);
	if (r != 0)
		resolver_free(&w->resolver);
	if (r <= 0)
		return r;
	r = rist_check_address(&w->at, p->listens,
			       l->spec->profile == RIST_SIMPLE, error);
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
	config->weight = 0; /* 0: every peer gets all packets */
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
	struct rist_counted s;
	struct rist_peer *peer;
	int r;

	sockaddr_format(&l->addresses[i].at, at);
	config = make_config(l, i, at);
	if (config == NULL)
		return errmsg_fail(error, -EINVAL,
				   "rist: librist rejects the address %s", at);
	if (listens)
		rist_peers_wait(&l->peers, i, &l->addresses[i].at);
	r = rist_peer_create(l->ctx, &peer, config);
	(void)rist_peer_config_free2(&config);
	if (r == 0 && !listens)
		rist_peers_add(&l->peers, peer, i, &l->addresses[i].at);
	if (r == 0)
		return 0;
	rist_events_take(&l->events, &s);
	return errmsg_fail(error, -EADDRINUSE, "rist: %s %s: %s",
			   listens ? "listen on" : "call", at,
			   s.error[0] != '\0' ? s.error
					      : "librist gives no reason");
}

static int guard_new(struct rist_link *l, struct errmsg *error)
{
	return rist_guard_after_peer(&l->guard, l->spec,
			       l->direction == RIST_RECEIVES, l->added, error);
}

/*
 * librist's running threads must not read from new sockets before the guard has
 * filtered them.  While librist creates a peer, it holds the lock that its
 * threads need to read them, and writes log lines.  So the guard runs in the
 * log callback, under that lock.
 */
static int on_log(void *arg, enum rist_log_level level, const char *text)
{
	struct rist_link *l = arg;

	if (atomic_load(&l->adder) == gettid())
		/* add_path() calls guard_new() again afterwards, and reports
		 * its error */
		(void)guard_new(l, NULL);
	return rist_events_on_log(&l->events, level, text);
}

/* --- in librist's threads --- */

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

	/* rist_destroy() has closed some of the sockets */
	if (!atomic_load(&l->closing))
		rist_guard_peer_gone(&l->guard, peer);
	return rist_peers_on_gone(&l->peers, peer);
}

/* --- in the worker's thread --- */

static int prepare(struct rist_link *l, struct errmsg *error)
{
	enum rist_profile profile = l->spec->profile == RIST_SIMPLE
					    ? RIST_PROFILE_SIMPLE
					    : RIST_PROFILE_MAIN;
	int r;

	l->logging = (struct rist_logging_settings){
		.log_level = l->spec->n_peers > 1 ? RIST_LOG_INFO
						  : RIST_LOG_ERROR,
		.log_cb = on_log,
		.log_cb_arg = l,
		.log_socket = -1,
	};
	if (l->direction == RIST_SENDS)
		r = rist_sender_create(&l->ctx, profile, 0, &l->logging);
	else
		r = rist_receiver_create(&l->ctx, profile, &l->logging);
	if (r == 0 && l->direction == RIST_RECEIVES)
		r = rist_receiver_set_output_fifo_size(l->ctx, FIFO_BLOCKS);
	if (r != 0 ||
	    rist_events_subscribe(&l->events, l->ctx, STATS_MS) != 0 ||
	    rist_auth_handler_set(l->ctx, on_connect, on_gone, l) != 0 ||
	    rist_threads_follow(&l->threads, l->ctx) != 0)
		return errmsg_fail(error, -ENOMEM,
				   "rist: librist cannot create a context");
	return 0;
}

static int add_path(struct rist_link *l, size_t i, struct errmsg *error)
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

int rist_link_turn(struct rist_link *l, struct errmsg *error)
{
	bool worked = l->paths.n_open > 0;
	struct errmsg failed;
	uint64_t now_ns;
	int r = 0;

	if (l->paths.n_open == l->spec->n_peers)
		return 1;
	now_ns = mono_ns();
	for (size_t i = 0; i < l->spec->n_peers && r >= 0; i++) {
		if (!redundant_path_is_due(&l->paths, i, now_ns))
			continue;
		r = find_address(l, i, &failed);
		if (r > 0) {
			r = add_path(l, i, error);
		} else if (r < 0) {
			/* this path is retried; the link continues with the
			 * others */
			redundant_path_failed(&l->paths, i, r, &failed);
			retry_failed(&l->paths.path[i].retry, now_ns);
			r = 0;
		}
	}
	if (r == 0)
		r = redundant_paths_check(&l->paths, error);
	if (r == 0 && !worked && l->paths.n_open > 0 && rist_start(l->ctx) != 0)
		r = errmsg_fail(error, -ENOMEM, "rist: librist cannot start");
	return r < 0 ? r : l->paths.n_open > 0;
}

/* Merges the statistics of this second into those of the link.  librist
 * measures once a second by its own clock, so a second of the worker may have
 * none.  Then the last values stay, for up to QUIET_S. */
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

/* Logs a change in the list of connected peers, which is in the order of their
 * arrival.  A called peer counts as disconnected when its path is silent,
 * because librist does not report its disconnection. */
static void check_peers(struct rist_link *l)
{
	uint64_t since_ms = l->direction == RIST_RECEIVES
				    ? mono_ms() - ACTIVE_MS
				    : 0;
	char peer[sizeof l->peer];
	unsigned suppressed, silent = 0;

	for (size_t i = 0; i < l->spec->n_peers; i++)
		silent |= (l->paths.path[i].silent_s >= PATH_SILENT_S) * 1U
			  << i;
	rist_peers_format(&l->peers, since_ms, silent, peer, sizeof peer);
	if (l->direction == RIST_SENDS && !l->reaches)
		peer[0] = '\0';
	if (strcmp(peer, l->peer) == 0)
		return;
	memcpy(l->peer, peer, sizeof peer);
	if (!ratelimit_pass(&l->log, mono_ms(), &suppressed))
		return;
	log_info("stream", "rist port %u: %s%s", l->spec->peers[0].port,
		 peer[0] != '\0' ? "connected with " : "disconnected",
		 peer);
}

/* Logs an error once while it lasts, because a peer with a wrong setting may
 * retry for days.  Errors that alternate, or whose text always changes, are
 * logged RELOG_BURST times in RELOG_MS. */
static void report_error(struct rist_link *l, const char *text)
{
	uint64_t now_ms = mono_ms();
	unsigned suppressed;
	bool logged = strcmp(l->last_error.text, text) == 0 &&
		    now_ms - l->last_error_ms < RELOG_MS;

	/* an output that only listens does not expect a peer, so this is a
	 * refused call */
	if (rist_link_waits(l) && !l->has_error)
		link_stats_add(&l->stats, LINK_REFUSED, 1);
	/* while a peer is connected, the error is of another caller, and must
	 * not explain a later disconnection */
	l->has_error = l->peer[0] == '\0';
	l->last_error_ms = now_ms;
	if (logged)
		return;
	errmsg_set(&l->last_error, "%s", text);
	l->error_limit.burst = RELOG_BURST;
	l->error_limit.window_ms = RELOG_MS;
	if (ratelimit_pass(&l->error_limit, now_ms, &suppressed))
		rist_link_warn(l, text);
}

/* Ends an error whose cause is gone, and reports the errors of this second. */
static void check_errors(struct rist_link *l, bool active,
			 const struct rist_counted *s)
{
	uint64_t now_ms = mono_ms();
	unsigned dropped = rist_guard_take_dropped(&l->guard);

	/* librist logs an unknown datagram of a peer only once, so the error
	 * stays while any datagrams arrive */
	if (active)
		l->active_ms = now_ms;
	if (l->peer[0] != '\0' ||
	    now_ms - MAX(l->active_ms, l->last_error_ms) > ERROR_MS)
		l->has_error = false;
	/* clear text in spite of a secret is an error of the peer; other
	 * datagrams that the guard drops are only counted */
	l->invalid += dropped;
	link_stats_set(&l->stats, LINK_INVALID, l->invalid);
	if (dropped > 0 && l->spec->secret[0] != '\0' && l->peer[0] == '\0')
		report_error(l,
			     "the peer does not encrypt, but a secret is set");
	if (rist_guard_lacks_data(&l->guard) && l->peer[0] == '\0')
		report_error(l, "data dropped: the sender sends data and "
				"reports from the same port");
	if (s->errors > 0)
		report_error(l, s->error);
}

static void report_paths(struct rist_link *l, unsigned active)
{
	struct path_state states[RIST_PEERS_MAX] = { 0 };
	bool sends = l->direction == RIST_SENDS;
	/* a socket may receive datagrams that contain no blocks */
	unsigned delivering = sends ? active : active & l->delivered;

	l->delivered = 0;
	if (l->paths.n_open == 0)
		return;
	for (size_t i = 0; i < l->spec->n_peers; i++) {
		bool open = l->paths.path[i].open;
		/* a receiver expects data from a connected sender; a sender
		 * expects answers of peers that it calls */
		bool expected = sends ? l->reaches && !l->spec->peers[i].listens
				      : l->peer[0] != '\0';

		states[i] = (struct path_state){
			.delivers = delivering >> i & 1,
			.optional = !open || !expected,
			.error = open ? NULL : "resolving the host name",
			.silence = sends ? "no peer connected" : NULL,
		};
	}
	redundant_paths_every_second(&l->paths, states);
}

void rist_link_every_second(struct rist_link *l)
{
	unsigned port = l->spec->peers[0].port, refused;
	unsigned active = rist_guard_active_paths(&l->guard);
	const char *stuck = NULL;
	struct rist_counted s;
	struct errmsg error;

	if (l->ctx != NULL)
		stuck = rist_threads_check(&l->threads, active != 0);
	/* A stuck thread keeps the ports, and rist_destroy() would wait for the
	 * thread for ever, so the process must end. */
	if (stuck != NULL) {
		log_error("stream", "rist port %u: %s: worker restarts", port,
			  stuck);
		_exit(EX_SOFTWARE);
	}
	rist_events_take(&l->events, &s);
	merge(l, &s);
	if (l->ctx != NULL && l->direction == RIST_SENDS) {
		/* a peer counts as absent only after QUIET_S, because a machine
		 * that stalls for a moment receives nothing */
		l->absent_s = s.peers > 0 ? 0 : l->absent_s + 1;
		if (l->absent_s == 0 || l->absent_s >= QUIET_S)
			l->reaches = s.peers > 0;
	}
	link_stats_add(&l->stats, LINK_CONNECTS, s.connects);
	check_peers(l);
	refused = rist_peers_take_refused(&l->peers, &error);
	link_stats_add(&l->stats, LINK_REFUSED, refused);
	refusal_log_add(&l->refusal_log, "rist", port, &error, refused,
			mono_ms());
	refusal_log_every_second(&l->refusal_log, "rist", port, mono_ms());
	report_paths(l, active);
	check_errors(l, active != 0, &s);
}

const char *rist_link_peer(const struct rist_link *l)
{
	return l->peer[0] != '\0' ? l->peer : NULL;
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

const char *rist_link_error(const struct rist_link *l)
{
	bool connected = l->direction == RIST_SENDS
				 ? l->reaches
				 : l->stats.value[LINK_PEERS] > 0;

	if (l->ctx == NULL)
		return "resolving the host name";
	if (connected || rist_link_waits(l))
		return NULL;
	return l->has_error ? l->last_error.text : "no peer connected";
}

const char *rist_link_path_error(const struct rist_link *l)
{
	return redundant_paths_error(&l->paths);
}
