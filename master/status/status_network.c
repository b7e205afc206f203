/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interfaces on which inputs receive groups, and the alarm no_querier: an
 * input is silent on a network without a querier. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/util.h"
#include "master/config/stream_conf.h"
#include "master/status/host_advice.h"
#include "master/status/status_stream.h"
#include "master/streams/querier_proc.h"
#include "proto/spec/link_stat.h"

#include <net/if.h>
#include <stdlib.h>
#include <string.h>

enum { SILENT_MS = 5000 };

#define NO_QUERIER ALARM_BIT(ALARM_NO_QUERIER)

/* Takes the network with the address of this input out of the list; makes a new
 * one if the list does not have it. */
static struct status_network take(struct status_network *list, size_t n,
				  const struct input_conf *in)
{
	struct status_network found = { .v6 = in->is_ipv6 };

	for (size_t i = 0; i < n && in->address != NULL; i++) {
		if (list[i].address == NULL ||
		    strcmp(list[i].address, in->address) != 0)
			continue;
		found = list[i];
		list[i] = (struct status_network){ 0 };
		return found;
	}
	found.address = xstrdup(in->address);
	return found;
}

void status_stream_set_networks(struct status_stream *s,
				const struct stream_conf *conf)
{
	struct status_network old[MSG_INPUTS_MAX];
	size_t n = conf != NULL ? MIN(conf->n_inputs, ARRAY_LEN(old)) : 0;

	memcpy(old, s->networks, sizeof old);
	memset(s->networks, 0, sizeof s->networks);
	for (size_t i = 0; i < n; i++)
		s->networks[i] = take(old, ARRAY_LEN(old), &conf->inputs[i]);
	for (size_t i = 0; i < ARRAY_LEN(old); i++)
		free(old[i].address);
}

static bool is_silent(const struct status_network *n, uint64_t now_ms)
{
	return now_ms - n->received_ms >= SILENT_MS;
}

/* True: the kernel drops the packets of the group (rp_filter).  Then a querier
 * would not help; an alarm of the system status reports this. */
static bool is_filtered(struct status_network *n, uint64_t now_ms)
{
	char name[IF_NAMESIZE];

	if (n->looked_ms != 0 && now_ms - n->looked_ms < HOST_ADVICE_MS)
		return n->filtered;
	n->looked_ms = now_ms;
	n->filtered = !n->v6 && if_indextoname(n->ifindex, name) != NULL &&
		      host_filters_groups(HOST_SETTINGS, name);
	return n->filtered;
}

static void judge(struct status_stream *s, struct msg_input_status *in,
		  struct querier_proc *querier, uint64_t now_ms)
{
	struct status_network *n = &s->networks[in->position - 1];
	struct queriers *known = querier_proc_known(querier);
	struct querier_net net = { .v6 = n->v6 };
	unsigned ifindex = status_interface(in);
	bool raised = false;

	/* n->ifindex is kept while the input reports no interface, because it
	 * is being reopened or its interface is down; that time is no silence
	 * of the network */
	if (in->state == INPUT_IDLE)
		n->ifindex = 0;
	if (in->heard || n->heard_ms == 0 ||
	    (ifindex != 0 && n->ifindex != ifindex))
		n->heard_ms = now_ms;
	if (ifindex == 0 ? !n->alarmed : n->ifindex != ifindex || in->heard)
		n->received_ms = now_ms;
	if (ifindex != 0)
		n->ifindex = ifindex;
	net.ifindex = n->ifindex;
	if (net.ifindex != 0) {
		querier_proc_use(querier, net, now_ms);
		if (in->heard)
			queriers_arrived(known, net, now_ms);
		/* if other groups arrive, the sender of this one is silent */
		raised = is_silent(n, now_ms) &&
			 now_ms - queriers_arrival_ms(known, net) >=
				 SILENT_MS &&
			 queriers_state(known, net, now_ms) ==
				 QUERIER_MISSING &&
			 !is_filtered(n, now_ms);
	}
	if (raised)
		in->alarms |= NO_QUERIER;
	if (raised && !n->alarmed)
		log_warning("status", "stream %s: input %u: no packets, and "
			    "no multicast querier on its network: enable "
			    "one on the router or switch", s->id,
			    in->position);
	else if (!raised && n->alarmed)
		log_info("status", "stream %s: input %u: alarm no_querier "
			 "cleared", s->id, in->position);
	n->alarmed = raised;
}

void status_stream_judge_network(struct status_stream *s,
				 struct querier_proc *querier, uint64_t now_ms)
{
	for (size_t i = 0; i < s->last.n_inputs; i++) {
		struct msg_input_status *in = &s->last.inputs[i];

		in->alarms &=
			~NO_QUERIER; /* only the master sets this alarm */
		if (querier != NULL)
			judge(s, in, querier, now_ms);
	}
}

unsigned status_interface(const struct msg_input_status *in)
{
	json_int_t index = json_integer_value(
		json_object_get(in->stats, link_stat_name(LINK_INTERFACE)));

	return index > 0 && index <= INT32_MAX ? (unsigned)index : 0;
}

void status_stream_count_networks(const struct status_stream *s,
				  struct queriers *known, uint64_t now_ms)
{
	for (size_t i = 0; i < s->n_inputs && !status_stream_is_gone(s); i++) {
		const struct status_network *n = &s->networks[i];

		if (n->ifindex != 0)
			queriers_count(
				known,
				(struct querier_net){ n->ifindex, n->v6 },
				now_ms - n->heard_ms >= SILENT_MS);
	}
}
