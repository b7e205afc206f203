/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/queriers.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"

#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct net {
	struct querier_net name; /* ifindex 0: the entry is free */
	uint64_t since_ms;       /* monotonic time of the first use */
	uint64_t used_ms;        /* monotonic time of the last use */
	/* time of the last packets of a group; 0: none */
	uint64_t arrived_ms;
	/* for the report: number of inputs that use a group on this network,
	 * and (silent) how many of these receive no packets */
	unsigned inputs, silent;
	/* last known name of the interface; "": none */
	char label[IF_NAMESIZE];
};

struct querier {
	struct querier_net name;
	unsigned version;
	uint32_t interval_s;
	uint64_t at_ms;
	char address[64];
};

struct queriers {
	unsigned timeout_s;
	struct net *nets;
	size_t n_nets;
	struct querier queriers[MSG_QUERIERS_MAX];
	size_t n_queriers;
	bool unobserved; /* the worker does not run: no querier is known */
	uint64_t began_ms; /* time when the worker began to listen */
	/* the worker cannot detect queriers of IGMP ([0]) or MLD ([1]) */
	bool fails[2];
	struct errmsg error[2]; /* if fails[i]: the reason */
};

struct queriers *queriers_new(unsigned timeout_s)
{
	struct queriers *q = xcalloc(1, sizeof *q);

	q->timeout_s = timeout_s;
	q->unobserved = true;
	return q;
}

void queriers_free(struct queriers **q)
{
	if (*q != NULL)
		free((*q)->nets);
	free(*q);
	*q = NULL;
}

void queriers_update(struct queriers *q, const struct msg_querier_status *s,
		     uint64_t now_ms)
{
	const char *const errors[] = { s->igmp_error, s->mld_error };

	q->unobserved = false;
	q->began_ms = now_ms - MIN(s->listening_ms, now_ms);
	for (size_t i = 0; i < ARRAY_LEN(errors); i++) {
		q->fails[i] = errors[i] != NULL;
		if (errors[i] != NULL)
			errmsg_set(&q->error[i], "%s", errors[i]);
	}
	q->n_queriers = s->n;
	for (size_t i = 0; i < s->n; i++) {
		const struct msg_querier *from = &s->list[i];
		struct querier *to = &q->queriers[i];

		*to = (struct querier){
			.name = { from->interface, from->mld },
			.version = from->version,
			.interval_s = from->interval_s,
			.at_ms = now_ms - MIN(from->age_ms, now_ms),
		};
		strncpy(to->address, from->address, sizeof to->address - 1);
	}
}

void queriers_reset(struct queriers *q)
{
	q->unobserved = true;
	q->n_queriers = 0;
}

static bool is_same(struct querier_net a, struct querier_net b)
{
	return a.ifindex == b.ifindex && a.v6 == b.v6;
}

static struct net *find_net(const struct queriers *q, struct querier_net name)
{
	for (size_t i = 0; i < q->n_nets; i++)
		if (is_same(q->nets[i].name, name))
			return &q->nets[i];
	return NULL;
}

static const struct querier *find_querier(const struct queriers *q,
					  struct querier_net name)
{
	for (size_t i = 0; i < q->n_queriers; i++)
		if (is_same(q->queriers[i].name, name))
			return &q->queriers[i];
	return NULL;
}

static bool is_over(const struct net *w, uint64_t now_ms)
{
	return now_ms - w->used_ms > QUERIERS_KEPT_MS;
}

/* Stores the present name of the interface; false: it does not exist any
 * more. */
static bool look_up_name(struct net *w)
{
	char name[IF_NAMESIZE];

	if (if_indextoname(w->name.ifindex, name) == NULL)
		return false;
	memcpy(w->label, name, sizeof w->label);
	return true;
}

void queriers_use(struct queriers *q, struct querier_net name, uint64_t now_ms)
{
	struct net *w = find_net(q, name);

	if (w == NULL || is_over(w, now_ms)) {
		/* reuse the entry of a network that no input uses any more */
		for (size_t i = 0; w == NULL && i < q->n_nets; i++)
			if (is_over(&q->nets[i], now_ms))
				w = &q->nets[i];
		if (w == NULL && q->n_nets == QUERIERS_NETS_MAX)
			return;
		if (w == NULL) {
			q->nets = xrealloc(q->nets, (q->n_nets + 1) *
							    sizeof q->nets[0]);
			w = &q->nets[q->n_nets++];
		}
		*w = (struct net){ .name = name, .since_ms = now_ms };
		(void)look_up_name(w);
	}
	w->used_ms = now_ms;
}

void queriers_arrived(struct queriers *q, struct querier_net name,
		      uint64_t now_ms)
{
	struct net *w = find_net(q, name);

	if (w != NULL)
		w->arrived_ms = now_ms;
}

uint64_t queriers_arrival_ms(const struct queriers *q, struct querier_net name)
{
	const struct net *w = find_net(q, name);

	return w != NULL ? w->arrived_ms : 0;
}

bool queriers_in_use(const struct queriers *q, uint64_t now_ms)
{
	for (size_t i = 0; i < q->n_nets; i++)
		if (!is_over(&q->nets[i], now_ms))
			return true;
	return false;
}

json_t *queriers_write(const struct queriers *q, uint64_t now_ms)
{
	json_t *list = json_array();

	for (size_t i = 0; i < q->n_nets; i++) {
		const struct net *w = &q->nets[i];

		if (is_over(w, now_ms))
			continue;
		(void)json_array_append_new(
			list, json_pack("{s:I, s:b, s:I, s:s}", "interface",
					(json_int_t)w->name.ifindex, "mld",
					w->name.v6, "since",
					(json_int_t)(now_ms - w->since_ms),
					"name", w->label));
	}
	return list;
}

void queriers_take(struct queriers *q, const json_t *nets, uint64_t now_ms)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)nets, i, one) {
		const char *label = "";
		json_int_t ifindex, since;
		struct net *w;
		int v6;

		if (json_unpack(one, "{s:I, s:b, s:I, s?s}", "interface",
				&ifindex, "mld", &v6, "since", &since, "name",
				&label) < 0 ||
		    ifindex < 1 || ifindex > INT32_MAX || since < 0)
			continue;

		struct querier_net name = { (unsigned)ifindex, v6 };

		queriers_use(q, name, now_ms);
		w = find_net(q, name);
		if (w == NULL)
			continue;
		w->since_ms = now_ms - MIN((uint64_t)since, now_ms);
		if (w->label[0] == '\0')
			(void)snprintf(w->label, sizeof w->label, "%s", label);
	}
}

enum querier_state queriers_state(const struct queriers *q,
				  struct querier_net name, uint64_t now_ms)
{
	const struct querier *h = find_querier(q, name);
	const struct net *w = find_net(q, name);
	uint64_t timeout_ms = (uint64_t)q->timeout_s * 1000;

	if (q->unobserved || q->fails[name.v6] || q->timeout_s == 0)
		return QUERIER_UNKNOWN;
	if (h != NULL && now_ms - h->at_ms < timeout_ms)
		return QUERIER_PRESENT;
	/* The use of the interface or the worker may have begun after the last
	 * query, before the next one. */
	if (w == NULL || now_ms - w->since_ms < timeout_ms ||
	    now_ms - q->began_ms < timeout_ms)
		return QUERIER_UNKNOWN;
	return QUERIER_MISSING;
}

unsigned queriers_timeout_s(const struct queriers *q)
{
	return q->timeout_s;
}

/* --- the report --- */

void queriers_count_none(struct queriers *q)
{
	for (size_t i = 0; i < q->n_nets; i++)
		q->nets[i].inputs = q->nets[i].silent = 0;
}

void queriers_count(struct queriers *q, struct querier_net name, bool silent)
{
	struct net *w = find_net(q, name);

	if (w == NULL)
		return;
	w->inputs++;
	w->silent += silent;
}

/* Returns the advice for the operator about an interface, a new reference;
 * NULL: nothing to do. */
static json_t *advise(const struct queriers *q, const struct net *w, bool gone,
		      enum querier_state state)
{
	bool arrives = w->inputs > w->silent;

	if (gone)
		return json_sprintf("interface %s was removed: its inputs wait "
				    "for it",
				    w->label);
	if (state != QUERIER_MISSING)
		return NULL;
	return json_sprintf("%s: no %s querier for %u s: %s: enable the "
			    "querier of the switch or of a router", w->label,
			    w->name.v6 ? "MLD" : "IGMP", q->timeout_s,
			    arrives ? "groups arrive; a switch with snooping "
				      "would stop them after some minutes"
				    : "a switch with snooping will stop the "
				      "groups");
}

static json_t *report_net(const struct queriers *q, struct net *w,
			  uint64_t now_ms)
{
	static const char *const states[] = {
		[QUERIER_UNKNOWN] = "unknown",
		[QUERIER_PRESENT] = "heard",
		[QUERIER_MISSING] = "missing",
	};
	enum querier_state state = queriers_state(q, w->name, now_ms);
	const struct querier *h = find_querier(q, w->name);
	/* no name is known if the interface was removed before it was read */
	bool gone = !look_up_name(w) && w->label[0] != '\0';
	json_t *o = json_object(), *querier, *advice;

	if (gone)
		state = QUERIER_UNKNOWN;
	(void)json_object_set_new(o, "interface", json_string(w->label));
	(void)json_object_set_new(o, "index",
				  json_integer(w->name.ifindex));
	(void)json_object_set_new(o, "protocol",
				  json_string(w->name.v6 ? "mld" : "igmp"));
	(void)json_object_set_new(o, "inputs", json_integer(w->inputs));
	(void)json_object_set_new(o, "silent", json_integer(w->silent));
	(void)json_object_set_new(o, "state", json_string(states[state]));
	if (h != NULL) {
		json_int_t age_s = (json_int_t)((now_ms - h->at_ms) / 1000);

		querier = json_object();
		(void)json_object_set_new(querier, "address",
					  json_string(h->address));
		(void)json_object_set_new(querier, "version",
					  json_integer(h->version));
		if (h->interval_s > 0)
			(void)json_object_set_new(querier, "interval",
						  json_integer(h->interval_s));
		(void)json_object_set_new(querier, "age",
					  json_integer(age_s));
		(void)json_object_set_new(o, "querier", querier);
	}
	advice = advise(q, w, gone, state);
	if (advice != NULL)
		(void)json_object_set_new(o, "advice", advice);
	return o;
}

json_t *queriers_report(struct queriers *q, uint64_t now_ms)
{
	static const char *const keys[] = { "igmp_error", "mld_error" };
	json_t *o = json_object(), *list = json_array();

	(void)json_object_set_new(o, "querier_timeout",
				  json_integer(q->timeout_s));
	for (size_t i = 0; i < ARRAY_LEN(keys) && !q->unobserved; i++)
		if (q->fails[i])
			(void)json_object_set_new(
				o, keys[i], json_string(q->error[i].text));
	for (size_t i = 0; i < q->n_nets; i++)
		if (!is_over(&q->nets[i], now_ms))
			(void)json_array_append_new(
				list, report_net(q, &q->nets[i], now_ms));
	(void)json_object_set_new(o, "interfaces", list);
	return o;
}
