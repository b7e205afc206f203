/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/queriers.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"

#include <net/if.h>
#include <stdlib.h>
#include <string.h>

struct way {
	struct querier_net name; /* ifindex 0: a free place */
	uint64_t since_ms;       /* it is used */
	uint64_t used_ms;
	unsigned inputs, silent; /* of the report */
};

struct heard {
	struct querier_net name;
	unsigned version;
	uint32_t interval_s;
	uint64_t at_ms;
	char address[64];
};

struct queriers {
	unsigned timeout_s;
	struct way *ways;
	size_t n_ways;
	struct heard heard[MSG_QUERIERS_MAX];
	size_t n_heard;
	bool deaf;           /* nobody listens */
	uint64_t began_ms;   /* to listen */
	bool fails[2];       /* it does not hear IGMP, MLD ... */
	struct errmsg why[2];
};

struct queriers *queriers_new(unsigned timeout_s)
{
	struct queriers *q = xcalloc(1, sizeof *q);

	q->timeout_s = timeout_s;
	q->deaf = true;
	return q;
}

void queriers_free(struct queriers **q)
{
	if (*q != NULL)
		free((*q)->ways);
	free(*q);
	*q = NULL;
}

static void take_error(struct queriers *q, bool v6, const char *error)
{
	q->fails[v6] = error != NULL;
	if (error != NULL)
		errmsg_set(&q->why[v6], "%s", error);
}

void queriers_update(struct queriers *q, const struct msg_querier_status *s,
		     uint64_t now_ms)
{
	q->deaf = false;
	q->began_ms = now_ms - MIN(s->listening_ms, now_ms);
	take_error(q, false, s->igmp_error);
	take_error(q, true, s->mld_error);
	q->n_heard = s->n;
	for (size_t i = 0; i < s->n; i++) {
		const struct msg_querier *from = &s->list[i];
		struct heard *to = &q->heard[i];

		*to = (struct heard){
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
	q->deaf = true;
	q->n_heard = 0;
}

static bool is_same(struct querier_net a, struct querier_net b)
{
	return a.ifindex == b.ifindex && a.v6 == b.v6;
}

static struct way *find_way(const struct queriers *q, struct querier_net name)
{
	for (size_t i = 0; i < q->n_ways; i++)
		if (is_same(q->ways[i].name, name))
			return &q->ways[i];
	return NULL;
}

static const struct heard *find_heard(const struct queriers *q,
				      struct querier_net name)
{
	for (size_t i = 0; i < q->n_heard; i++)
		if (is_same(q->heard[i].name, name))
			return &q->heard[i];
	return NULL;
}

static bool is_over(const struct way *w, uint64_t now_ms)
{
	return now_ms - w->used_ms > QUERIERS_KEPT_MS;
}

/* One that is not used any more, or one more; NULL: there are too many. */
static struct way *make_way(struct queriers *q, uint64_t now_ms)
{
	for (size_t i = 0; i < q->n_ways; i++)
		if (is_over(&q->ways[i], now_ms))
			return &q->ways[i];
	if (q->n_ways == QUERIERS_NETS_MAX)
		return NULL;
	q->ways = xrealloc(q->ways, (q->n_ways + 1) * sizeof q->ways[0]);
	return &q->ways[q->n_ways++];
}

void queriers_use(struct queriers *q, struct querier_net name, uint64_t now_ms)
{
	struct way *w = find_way(q, name);

	if (w == NULL || is_over(w, now_ms)) {
		if (w == NULL)
			w = make_way(q, now_ms);
		if (w == NULL)
			return;
		*w = (struct way){ .name = name, .since_ms = now_ms };
	}
	w->used_ms = now_ms;
}

bool queriers_in_use(const struct queriers *q, uint64_t now_ms)
{
	for (size_t i = 0; i < q->n_ways; i++)
		if (!is_over(&q->ways[i], now_ms))
			return true;
	return false;
}

json_t *queriers_write(const struct queriers *q, uint64_t now_ms)
{
	json_t *list = json_array();

	for (size_t i = 0; i < q->n_ways; i++) {
		const struct way *w = &q->ways[i];

		if (is_over(w, now_ms))
			continue;
		(void)json_array_append_new(
			list, json_pack("{s:I, s:b, s:I}", "interface",
					(json_int_t)w->name.ifindex, "mld",
					w->name.v6, "since",
					(json_int_t)(now_ms - w->since_ms)));
	}
	return list;
}

void queriers_take(struct queriers *q, const json_t *ways, uint64_t now_ms)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)ways, i, one) {
		json_int_t ifindex, since;
		struct way *w;
		int v6;

		if (json_unpack(one, "{s:I, s:b, s:I}", "interface", &ifindex,
				"mld", &v6, "since", &since) < 0 ||
		    ifindex < 1 || ifindex > INT32_MAX || since < 0)
			continue;

		struct querier_net name = { (unsigned)ifindex, v6 };

		queriers_use(q, name, now_ms);
		w = find_way(q, name);
		if (w != NULL)
			w->since_ms = now_ms - MIN((uint64_t)since, now_ms);
	}
}

enum querier_state queriers_state(const struct queriers *q,
				  struct querier_net name, uint64_t now_ms)
{
	const struct heard *h = find_heard(q, name);
	const struct way *w = find_way(q, name);
	uint64_t timeout_ms = (uint64_t)q->timeout_s * 1000;

	if (q->deaf || q->fails[name.v6] || q->timeout_s == 0)
		return QUERIER_UNKNOWN;
	if (h != NULL && now_ms - h->at_ms < timeout_ms)
		return QUERIER_HEARD;
	/* it may have come up, or we may, between two queries */
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
	for (size_t i = 0; i < q->n_ways; i++)
		q->ways[i].inputs = q->ways[i].silent = 0;
}

void queriers_count(struct queriers *q, struct querier_net name, bool silent)
{
	struct way *w = find_way(q, name);

	if (w == NULL)
		return;
	w->inputs++;
	w->silent += silent;
}

static void set_querier(json_t *o, const struct heard *h, uint64_t now_ms)
{
	json_t *one = json_object();
	json_t *address = json_string(h->address);

	if (address != NULL) /* it is UTF-8 */
		(void)json_object_set_new(one, "address", address);
	(void)json_object_set_new(one, "version", json_integer(h->version));
	if (h->interval_s > 0)
		(void)json_object_set_new(one, "interval",
					  json_integer(h->interval_s));
	(void)json_object_set_new(one, "age",
				  json_integer((json_int_t)
					       ((now_ms - h->at_ms) / 1000)));
	(void)json_object_set_new(o, "querier", one);
}

static json_t *advice(const struct queriers *q, const struct way *w,
		      const char *name)
{
	return json_sprintf(
		"%s: no %s querier is heard for %u s: groups fall silent "
		"where a switch listens to memberships; switch its querier "
		"on, or a router's", name, w->name.v6 ? "MLD" : "IGMP",
		q->timeout_s);
}

static json_t *report_way(const struct queriers *q, const struct way *w,
			  uint64_t now_ms)
{
	static const char *const states[] = {
		[QUERIER_UNKNOWN] = "unknown",
		[QUERIER_HEARD] = "heard",
		[QUERIER_MISSING] = "missing",
	};
	enum querier_state state = queriers_state(q, w->name, now_ms);
	const struct heard *h = find_heard(q, w->name);
	char name[IF_NAMESIZE] = "";
	json_t *o = json_object();

	(void)if_indextoname(w->name.ifindex, name);
	(void)json_object_set_new(o, "interface", json_string(name));
	(void)json_object_set_new(o, "index",
				  json_integer(w->name.ifindex));
	(void)json_object_set_new(o, "protocol",
				  json_string(w->name.v6 ? "mld" : "igmp"));
	(void)json_object_set_new(o, "inputs", json_integer(w->inputs));
	(void)json_object_set_new(o, "silent", json_integer(w->silent));
	(void)json_object_set_new(o, "state", json_string(states[state]));
	if (h != NULL)
		set_querier(o, h, now_ms);
	if (state == QUERIER_MISSING)
		(void)json_object_set_new(o, "advice", advice(q, w, name));
	return o;
}

json_t *queriers_report(const struct queriers *q, uint64_t now_ms)
{
	static const char *const keys[] = { "igmp_error", "mld_error" };
	json_t *o = json_object(), *list = json_array();

	(void)json_object_set_new(o, "querier_timeout",
				  json_integer(q->timeout_s));
	for (size_t i = 0; i < ARRAY_LEN(keys) && !q->deaf; i++)
		if (q->fails[i])
			(void)json_object_set_new(o, keys[i],
						  json_string(q->why[i].text));
	for (size_t i = 0; i < q->n_ways; i++)
		if (!is_over(&q->ways[i], now_ms))
			(void)json_array_append_new(
				list, report_way(q, &q->ways[i], now_ms));
	(void)json_object_set_new(o, "interfaces", list);
	return o;
}
