/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/rist_link.h"

#include "common/log.h"
#include "common/mono.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	STATS_MS = 1000,
	/* Blocks that wait for a tick; a power of two. */
	FIFO_BLOCKS = 4096,
	QUIET_S = 3,
};

/* --- in threads of the library --- */

static int on_log(void *arg, enum rist_log_level level, const char *text)
{
	struct rist_said *said = arg;

	if (level > RIST_LOG_ERROR)
		return 0;
	(void)pthread_mutex_lock(&said->lock);
	said->errors++;
	(void)snprintf(said->error, sizeof said->error, "%.*s",
		       (int)strcspn(text, "\n"), text);
	(void)pthread_mutex_unlock(&said->lock);
	return 0;
}

static void on_connection(void *arg, struct rist_peer *peer,
			  enum rist_connection_status status)
{
	struct rist_said *said = arg;

	(void)peer;
	(void)pthread_mutex_lock(&said->lock);
	said->connects += status == RIST_CONNECTION_ESTABLISHED ||
			  status == RIST_CLIENT_CONNECTED;
	(void)pthread_mutex_unlock(&said->lock);
}

static void add_flow(struct link_stats *l,
		     const struct rist_stats_receiver_flow *f)
{
	link_stats_add(l, LINK_RECEIVED, f->received);
	link_stats_add(l, LINK_LOST, f->missing);
	link_stats_add(l, LINK_RECOVERED, f->recovered);
	link_stats_add(l, LINK_DROPPED, f->lost);
	link_stats_add(l, LINK_REORDERED, f->reordered);
	link_stats_set(l, LINK_RATE_KBPS,
		       (f->bandwidth + f->retry_bandwidth) / 1000);
	link_stats_set(l, LINK_RTT_US, (uint64_t)f->rtt * 1000);
}

/* Two of its seconds may end in one of ours. */
static bool is_told_first(struct rist_said *said, uint32_t id)
{
	for (unsigned i = 0; i < said->n_ids; i++)
		if (said->ids[i] == id)
			return false;
	if (said->n_ids == RIST_TOLD_MAX)
		return false;
	said->ids[said->n_ids++] = id;
	return true;
}

/*
 * One that is called and never answers is a peer to the library.  In the simple
 * profile those who answer are the RTCP halves, one of each, and the data goes
 * to the others.
 */
static void add_peer(struct rist_said *said,
		     const struct rist_stats_sender_peer *p)
{
	uint64_t rtt_us = (uint64_t)p->rtt * 1000;
	struct link_stats *l = &said->counted;

	link_stats_add(l, LINK_SENT, p->sent);
	link_stats_add(l, LINK_RETRANSMITTED, p->retransmitted);
	if (is_told_first(said, p->peer_id)) {
		said->peers += p->received > 0;
		link_stats_add(l, LINK_RATE_KBPS,
			       (p->bandwidth + p->retry_bandwidth) / 1000);
	}
	link_stats_set(l, LINK_RTT_US, MAX(l->value[LINK_RTT_US], rtt_us));
}

static int on_stats(void *arg, const struct rist_stats *stats)
{
	struct rist_said *said = arg;

	(void)pthread_mutex_lock(&said->lock);
	if (stats->stats_type == RIST_STATS_RECEIVER_FLOW) {
		add_flow(&said->counted, &stats->stats.receiver_flow);
		said->peers = stats->stats.receiver_flow.peer_count;
	} else {
		add_peer(said, &stats->stats.sender_peer);
	}
	(void)pthread_mutex_unlock(&said->lock);
	(void)rist_stats_free(stats);
	return 0;
}

/* --- in ours --- */

void rist_link_open(struct rist_link *l, const struct rist_spec *spec,
		    enum rist_direction direction)
{
	*l = (struct rist_link){ .spec = spec, .direction = direction };
	(void)pthread_mutex_init(&l->said.lock, NULL);
	for (size_t i = 0; i < spec->n_peers; i++) {
		const struct rist_peer_spec *p = &spec->peers[i];
		const char *any = p->host[0] != '\0' ? p->host : "0.0.0.0";

		l->names[i] = name_new(any, p->port);
	}
}

void rist_link_close(struct rist_link *l)
{
	for (size_t i = 0; i < RIST_PEERS_MAX; i++)
		name_free(&l->names[i]);
	if (l->ctx != NULL)
		(void)rist_destroy(l->ctx);
	l->ctx = NULL;
	(void)pthread_mutex_destroy(&l->said.lock);
}

/* 1: all names are found; 0: not yet; -errno. */
static int find_names(struct rist_link *l, struct errmsg *why)
{
	int found = 1;

	for (size_t i = 0; i < l->spec->n_peers; i++) {
		int r;

		if (l->names[i] == NULL)
			continue;
		r = name_poll(l->names[i], &l->addresses[i], why);
		if (r < 0)
			return r;
		if (r > 0)
			name_free(&l->names[i]);
		else
			found = 0;
	}
	return found;
}

static int add_peer_at(struct rist_link *l, size_t i, struct errmsg *why)
{
	const struct rist_spec *spec = l->spec;
	char at[SOCKADDR_TEXT_MAX], url[SOCKADDR_TEXT_MAX + 16];
	struct rist_peer_config *config = NULL;
	struct rist_peer *peer;
	int r;

	sockaddr_format(&l->addresses[i], at);
	(void)snprintf(url, sizeof url, "rist://%s%s",
		       spec->peers[i].listens ? "@" : "", at);
	if (rist_parse_address2(url, &config) != 0)
		return errmsg_fail(why, -EINVAL, "rist: %s is not taken", at);
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
	r = rist_peer_create(l->ctx, &peer, config);
	(void)rist_peer_config_free2(&config);
	if (r == 0)
		return 0;
	return errmsg_fail(why, -EADDRINUSE, "rist: %s %s: %s",
			   spec->peers[i].listens ? "listen on" : "call", at,
			   l->said.error[0] != '\0' ? l->said.error
						    : "it fails");
}

static int make_context(struct rist_link *l)
{
	enum rist_profile profile = l->spec->profile == RIST_SIMPLE
					    ? RIST_PROFILE_SIMPLE
					    : RIST_PROFILE_MAIN;

	l->logging = (struct rist_logging_settings){
		.log_level = RIST_LOG_ERROR,
		.log_cb = on_log,
		.log_cb_arg = &l->said,
		.log_socket = -1,
	};
	if (l->direction == RIST_SENDS)
		return rist_sender_create(&l->ctx, profile, 0, &l->logging);
	if (rist_receiver_create(&l->ctx, profile, &l->logging) != 0)
		return -1;
	return rist_receiver_set_output_fifo_size(l->ctx, FIFO_BLOCKS);
}

static int begin(struct rist_link *l, struct errmsg *why)
{
	int r = 0;

	if (make_context(l) != 0 ||
	    rist_stats_callback_set(l->ctx, STATS_MS, on_stats,
				    &l->said) != 0 ||
	    rist_connection_status_callback_set(l->ctx, on_connection,
						&l->said) != 0)
		return errmsg_fail(why, -ENOMEM, "rist: no context");
	for (size_t i = 0; i < l->spec->n_peers && r == 0; i++)
		r = add_peer_at(l, i, why);
	if (r == 0 && rist_start(l->ctx) != 0)
		r = errmsg_fail(why, -ENOMEM, "rist: it does not start");
	return r;
}

int rist_link_turn(struct rist_link *l, struct errmsg *why)
{
	int r;

	if (l->ctx != NULL)
		return 1;
	r = find_names(l, why);
	if (r > 0)
		r = begin(l, why);
	return r < 0 ? r : l->ctx != NULL;
}

static void take_over(struct rist_link *l, struct rist_said *ret)
{
	struct rist_said *said = &l->said;

	(void)pthread_mutex_lock(&said->lock);
	ret->counted = said->counted;
	ret->peers = said->peers;
	ret->connects = said->connects;
	ret->errors = said->errors;
	memcpy(ret->error, said->error, sizeof ret->error);
	said->counted = (struct link_stats){ 0 };
	said->peers = 0;
	said->n_ids = 0;
	said->connects = 0;
	said->errors = 0;
	(void)pthread_mutex_unlock(&said->lock);
}

/* What is measured comes once a second by another clock: it stays until the
 * next one comes, or nobody is there for a while. */
static void merge(struct rist_link *l, struct rist_said *s)
{
	struct link_stats counted = { 0 };

	if (s->counted.known == 0 && ++l->quiet_s < QUIET_S)
		return;
	if (s->counted.known != 0)
		l->quiet_s = 0;
	link_stats_carry(&s->counted, &l->stats);
	if (l->quiet_s > 0) {
		link_stats_carry(&counted, &l->stats);
		s->counted = counted;
	}
	l->stats = s->counted;
	link_stats_set(&l->stats, LINK_PEERS, s->peers);
	link_stats_set(&l->stats, LINK_LATENCY_MS, l->spec->buffer_ms);
}

void rist_link_second(struct rist_link *l)
{
	struct rist_said s;
	unsigned suppressed;

	take_over(l, &s);
	merge(l, &s);
	link_stats_add(&l->stats, LINK_CONNECTS, s.connects);
	if (s.errors > 0 && ratelimit_pass(&l->log, mono_ms(), &suppressed))
		log_warning("stream", "rist port %u: %s",
			    l->spec->peers[0].port, s.error);
}

const char *rist_link_trouble(const struct rist_link *l)
{
	if (l->ctx == NULL)
		return "its name is looked for";
	return l->stats.value[LINK_PEERS] == 0 ? "nobody is connected" : NULL;
}
