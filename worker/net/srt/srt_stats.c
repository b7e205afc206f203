/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/srt/srt_stats.h"

void srt_stats_begin(struct link_stats *l)
{
	struct link_stats counted = { 0 };

	link_stats_carry(&counted, l);
	*l = counted;
	link_stats_set(l, LINK_PEERS, 0);
}

static void add(struct link_stats *l, enum link_stat what, int64_t n)
{
	link_stats_add(l, what, (uint64_t)MAX(n, 0));
}

/* Reports a counter only if it is not zero. */
static void add_if_any(struct link_stats *l, enum link_stat what, int64_t n)
{
	if (n > 0)
		add(l, what, n);
}

/* A packet that was requested twice may arrive twice, so recovered is limited
 * by the number of losses. */
static void add_recovered(struct link_stats *l, int64_t n)
{
	uint64_t before = l->value[LINK_RECOVERED];
	uint64_t dropped = MIN(l->value[LINK_DROPPED], l->value[LINK_LOST]);
	uint64_t most = l->value[LINK_LOST] - dropped;

	add(l, LINK_RECOVERED, n);
	link_stats_set(l, LINK_RECOVERED,
		       MAX(before, MIN(l->value[LINK_RECOVERED], most)));
}

static void raise_to(struct link_stats *l, enum link_stat what, double value)
{
	uint64_t n = value > 0 ? (uint64_t)value : 0;

	link_stats_set(l, what, MAX(l->value[what], n));
}

/* Ignores 0: not measured yet. */
static void lower_to(struct link_stats *l, enum link_stat what, double value)
{
	uint64_t n = value > 0 ? (uint64_t)value : 0;

	if (n > 0 && (l->value[what] == 0 || n < l->value[what]))
		link_stats_set(l, what, n);
}

static void add_received(struct link_stats *l, const SRT_TRACEBSTATS *s)
{
	add(l, LINK_RECEIVED, s->pktRecv);
	add(l, LINK_LOST, s->pktRcvLoss);
	add(l, LINK_RETRANSMITTED, s->pktRcvRetrans);
	add(l, LINK_DROPPED, s->pktRcvDrop);
	add_recovered(l, (int64_t)s->pktRcvRetrans + s->pktRcvFilterSupply);
	add(l, LINK_UNDECRYPTED, s->pktRcvUndecrypt);
	add_if_any(l, LINK_FEC_RECEIVED, s->pktRcvFilterExtra);
	add_if_any(l, LINK_FEC_REPAIRED, s->pktRcvFilterSupply);
	add_if_any(l, LINK_FEC_UNREPAIRED, s->pktRcvFilterLoss);
	add(l, LINK_RATE_KBPS, (int64_t)(s->mbpsRecvRate * 1000));
	raise_to(l, LINK_LATENCY_MS, s->msRcvTsbPdDelay);
}

static void add_sent(struct link_stats *l, const SRT_TRACEBSTATS *s)
{
	add(l, LINK_SENT, s->pktSent);
	add(l, LINK_LOST, s->pktSndLoss);
	add(l, LINK_RETRANSMITTED, s->pktRetrans);
	add(l, LINK_DROPPED, s->pktSndDrop);
	add_if_any(l, LINK_FEC_SENT, s->pktSndFilterExtra);
	add(l, LINK_RATE_KBPS, (int64_t)(s->mbpsSendRate * 1000));
	raise_to(l, LINK_LATENCY_MS, s->msSndTsbPdDelay);
}

void srt_stats_add(struct link_stats *l, SRTSOCKET s,
		   enum srt_direction direction)
{
	SRT_TRACEBSTATS stats;

	if (srt_bstats(s, &stats, 1) == SRT_ERROR)
		return;
	add(l, LINK_PEERS, 1);
	raise_to(l, LINK_RTT_US, stats.msRTT * 1000);
	lower_to(l, LINK_BANDWIDTH_KBPS, stats.mbpsBandwidth * 1000);
	if (direction == SRT_RECEIVES)
		add_received(l, &stats);
	else
		add_sent(l, &stats);
}
