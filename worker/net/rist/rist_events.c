/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/rist/rist_events.h"

#include "common/base/util.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void rist_events_init(struct rist_events *s, struct rist_peers *peers,
		      bool secret)
{
	*s = (struct rist_events){ .peers = peers, .secret = secret };
	(void)pthread_mutex_init(&s->lock, NULL);
}

void rist_events_done(struct rist_events *s)
{
	(void)pthread_mutex_destroy(&s->lock);
}

/* --- in librist's threads --- */

#define NO_RIST "received packets are not RIST, or of another profile"

/* The first words of librist's log lines, and the error that they mean, without
 * and with a configured secret.  "": no error, because a counter reports the
 * event; NULL: the line itself is the error.  The lines do not name the
 * peer. */
static const struct {
	const char *begins, *means, *means_with_secret;
} words[] = {
	{ "Lost ", "", "" },
	{ "Discontinuity, ", "", "" },
	{ "Receiving encrypted data, but",
	  "the peer encrypts, but no secret is set", NULL },
	{ "Disabling packet processing", NULL, "the peer has another secret" },
	{ "Malformed ", NO_RIST, "the peer has another secret" },
	{ "Packet too small", NO_RIST, NO_RIST },
	{ "Protocol ", NO_RIST, NO_RIST },
};

int rist_events_on_log(void *arg, enum rist_log_level level, const char *text)
{
	struct rist_events *s = arg;
	char failure[100];
	int err;

	if (level > RIST_LOG_ERROR)
		return 0;
	text += strspn(text, "\t ");
	/* "Send failed: errno=101, ret=-1, socket=9" */
	if (sscanf(text, "Send failed: errno=%d,", &err) == 1) {
		(void)snprintf(failure, sizeof failure, "cannot send: %s",
			       strerror(err));
		text = failure;
	}
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		const char *means = s->secret ? words[i].means_with_secret
					      : words[i].means;

		if (means != NULL && strncmp(text, words[i].begins,
					     strlen(words[i].begins)) == 0) {
			text = means;
			break;
		}
	}
	if (text[0] == '\0')
		return 0;
	(void)pthread_mutex_lock(&s->lock);
	s->counted.errors++;
	(void)snprintf(s->counted.error, sizeof s->counted.error, "%.*s",
		       (int)strcspn(text, "\n"), text);
	(void)pthread_mutex_unlock(&s->lock);
	return 0;
}

static void on_connection(void *arg, struct rist_peer *peer,
			  enum rist_connection_status status)
{
	struct rist_events *s = arg;
	bool up = status == RIST_CONNECTION_ESTABLISHED ||
		  status == RIST_CLIENT_CONNECTED;

	rist_peers_state(s->peers, peer, up);
	(void)pthread_mutex_lock(&s->lock);
	s->counted.connects += up;
	(void)pthread_mutex_unlock(&s->lock);
}

static void add_flow(struct rist_events *s,
		     const struct rist_stats_receiver_flow *stats)
{
	struct rist_flow_stats *f = s->flows, *end = f + s->n_flows;
	struct link_stats *l;

	if (s->follows && stats->flow_id != s->flow)
		return;
	while (f < end && f->id != stats->flow_id)
		f++;
	if (f == s->flows + RIST_FLOWS_MAX)
		return;
	if (f == end) {
		s->n_flows++;
		*f = (struct rist_flow_stats){ .id = stats->flow_id };
	}
	f->peers = stats->peer_count;
	l = &f->counted;
	link_stats_add(l, LINK_RECEIVED, stats->received);
	link_stats_add(l, LINK_LOST, stats->missing);
	link_stats_add(l, LINK_RECOVERED, stats->recovered);
	link_stats_add(l, LINK_REORDERED, stats->reordered);
	link_stats_set(l, LINK_RATE_KBPS,
		       (stats->bandwidth + stats->retry_bandwidth) / 1000);
	link_stats_set(l, LINK_RTT_US, (uint64_t)stats->rtt * 1000);
}

/* Adds the statistics of a peer.  For librist, an address that it calls is a
 * peer even if it never answers.  In the simple profile, a peer has two halves:
 * data goes to one, and the RTCP half answers. */
static void add_peer(struct rist_events *s,
		     const struct rist_stats_sender_peer *p)
{
	uint64_t rtt_us = (uint64_t)p->rtt * 1000;
	struct link_stats *l = &s->counted.stats;
	unsigned i = 0;

	link_stats_add(l, LINK_SENT, p->sent);
	link_stats_add(l, LINK_RETRANSMITTED, p->retransmitted);
	link_stats_set(l, LINK_RTT_US, MAX(l->value[LINK_RTT_US], rtt_us));
	while (i < s->n_ids && s->ids[i] != p->peer_id)
		i++;
	/* two intervals of librist may end in one interval of the worker */
	if (i < s->n_ids || i == RIST_STATS_PEERS_MAX)
		return;
	s->ids[s->n_ids++] = p->peer_id;
	s->counted.peers += p->received > 0;
	link_stats_add(l, LINK_RATE_KBPS,
		       (p->bandwidth + p->retry_bandwidth) / 1000);
}

static int on_stats(void *arg, const struct rist_stats *stats)
{
	struct rist_events *s = arg;

	(void)pthread_mutex_lock(&s->lock);
	if (stats->stats_type == RIST_STATS_RECEIVER_FLOW)
		add_flow(s, &stats->stats.receiver_flow);
	else
		add_peer(s, &stats->stats.sender_peer);
	(void)pthread_mutex_unlock(&s->lock);
	(void)rist_stats_free(stats);
	return 0;
}

/* --- in the worker's thread --- */

int rist_events_subscribe(struct rist_events *s, struct rist_ctx *ctx,
			  int interval_ms)
{
	bool done = rist_stats_callback_set(ctx, interval_ms, on_stats,
					    s) == 0 &&
		    rist_connection_status_callback_set(ctx, on_connection,
							s) == 0;

	return done ? 0 : -ENOMEM;
}

void rist_events_follow(struct rist_events *s, uint32_t flow)
{
	(void)pthread_mutex_lock(&s->lock);
	/* drop the statistics of the previous flow */
	if (s->follows)
		s->n_flows = 0;
	s->follows = true;
	s->flow = flow;
	(void)pthread_mutex_unlock(&s->lock);
}

void rist_events_take(struct rist_events *s, struct rist_counted *ret)
{
	(void)pthread_mutex_lock(&s->lock);
	for (size_t i = 0; s->follows && i < s->n_flows; i++)
		if (s->flows[i].id == s->flow) {
			s->counted.stats = s->flows[i].counted;
			s->counted.peers = s->flows[i].peers;
		}
	if (s->follows)
		s->n_flows = 0;
	*ret = s->counted;
	s->counted = (struct rist_counted){ 0 };
	s->n_ids = 0;
	(void)pthread_mutex_unlock(&s->lock);
}
