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

static void raise_to(struct link_stats *l, enum link_stat what, double value)
{
	uint64_t n = value > 0 ? (uint64_t)value : 0;

	link_stats_set(l, what, MAX(l->value[what], n));
}

static void add_received(struct link_stats *l, const SRT_TRACEBSTATS *s)
{
	uint64_t recovered = l->value[LINK_RECOVERED], most;

	add(l, LINK_RECEIVED, s->pktRecv);
	add(l, LINK_LOST, s->pktRcvLoss);
	add(l, LINK_RETRANSMITTED, s->pktRcvRetrans);
	add(l, LINK_DROPPED, s->pktRcvDrop);
	add(l, LINK_RECOVERED,
	    (int64_t)s->pktRcvRetrans + s->pktRcvFilterSupply);
	/* A packet that was requested twice may arrive twice, so the number of
	 * recovered packets is limited to the number of losses. */
	most = l->value[LINK_LOST] -
	       MIN(l->value[LINK_DROPPED], l->value[LINK_LOST]);
	add_if_any(l, LINK_FEC_REPAIRED, s->pktRcvFilterSupply);
	recovered = MAX(recovered, MIN(l->value[LINK_RECOVERED], most));
	/* libsrt may count a packet as repaired before it counts it as lost */
	link_stats_set(l, LINK_RECOVERED,
		       MAX(recovered, MIN(l->value[LINK_FEC_REPAIRED], most)));
	add(l, LINK_UNDECRYPTED, s->pktRcvUndecrypt);
	add_if_any(l, LINK_FEC_RECEIVED, s->pktRcvFilterExtra);
	add_if_any(l, LINK_FEC_UNREPAIRED, s->pktRcvFilterLoss);
	add(l, LINK_RATE_KBPS, (int64_t)(s->mbpsRecvRate * 1000));
	raise_to(l, LINK_LATENCY_MS, s->msRcvTsbPdDelay);
}

void srt_stats_add(struct link_stats *l, SRTSOCKET s,
		   enum srt_direction direction)
{
	SRT_TRACEBSTATS stats;
	uint64_t kbps, *least = &l->value[LINK_BANDWIDTH_KBPS];

	if (srt_bstats(s, &stats, 1) == SRT_ERROR)
		return;
	add(l, LINK_PEERS, 1);
	raise_to(l, LINK_RTT_US, stats.msRTT * 1000);
	/* kbps 0: libsrt has not measured the bandwidth yet */
	kbps = (uint64_t)MAX(stats.mbpsBandwidth * 1000, 0);
	if (kbps > 0 && (*least == 0 || kbps < *least))
		link_stats_set(l, LINK_BANDWIDTH_KBPS, kbps);
	if (direction == SRT_RECEIVES) {
		add_received(l, &stats);
		return;
	}
	add(l, LINK_SENT, stats.pktSent);
	add(l, LINK_LOST, stats.pktSndLoss);
	add(l, LINK_RETRANSMITTED, stats.pktRetrans);
	add(l, LINK_DROPPED, stats.pktSndDrop);
	add_if_any(l, LINK_FEC_SENT, stats.pktSndFilterExtra);
	add(l, LINK_RATE_KBPS, (int64_t)(stats.mbpsSendRate * 1000));
	raise_to(l, LINK_LATENCY_MS, stats.msSndTsbPdDelay);
}
