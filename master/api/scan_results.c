/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/scan_results.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "master/api/command.h"
#include "master/api/scan_weight.h"

#include <stdlib.h>

struct scan_results {
	json_t *list; /* transponders; index i has the number i + 1 */
	bool changed[SCAN_TRANSPONDERS_MAX];
	size_t n_services;
	uint32_t done, total;
	bool ended;
};

struct scan_results *scan_results_new(void)
{
	struct scan_results *r = xcalloc(1, sizeof *r);

	r->list = json_array();
	return r;
}

void scan_results_free(struct scan_results **pr)
{
	struct scan_results *r = *pr;

	*pr = NULL;
	if (r == NULL)
		return;
	json_decref(r->list);
	free(r);
}

bool scan_results_is_ended(const struct scan_results *r)
{
	return r->ended;
}

/* Returns the transponder with this number, which the check of the message has
 * limited to 1 to SCAN_TRANSPONDERS_MAX; adds it if it is new.  Marks it as
 * changed. */
static json_t *find(struct scan_results *r, uint32_t number)
{
	while (json_array_size(r->list) < number)
		(void)json_array_append_new(r->list, json_pack(
			"{s:i, s:o, s:b, s:b, s:[]}", "number",
			(int)json_array_size(r->list) + 1, "tuning",
			json_object(), "lock", 0, "complete", 0, "services"));
	r->changed[number - 1] = true;
	return json_array_get(r->list, number - 1);
}

/* Takes a transponder.  True: the message was dropped, because its tuning is
 * no small object. */
static bool take_transponder(struct scan_results *r,
			     const struct msg_scan_transponder *m)
{
	json_t *t;

	if (!scan_item_is_small(m->tuning))
		return true;
	t = find(r, m->number);
	(void)json_object_set_new(t, "tuning", json_deep_copy(m->tuning));
	(void)json_object_set_new(t, "complete", json_boolean(m->complete));
	/* a worker that reads the ring of an adapter does not know the
	 * signal */
	if (m->status.tuner.taken || m->status.lock ||
	    m->status.error != NULL)
		adapters_put_signal(t, &m->status);
	if (m->status.error != NULL)
		(void)json_object_set_new(t, "error",
					  json_string(m->status.error));
	else
		(void)json_object_del(t, "error");
	return false;
}

static bool take_service(struct scan_results *r,
			 const struct msg_scan_service *m)
{
	const json_t *pnr = json_object_get(m->service, "pnr"), *service;
	json_t *list;
	size_t i;

	if (!scan_item_is_small(m->service))
		return true;
	list = json_object_get(find(r, m->number), "services");
	json_array_foreach(list, i, service)
		if (json_equal(json_object_get(service, "pnr"), pnr))
			break;
	if (i < json_array_size(list)) {
		(void)json_array_set_new(list, i, json_deep_copy(m->service));
		return false;
	}
	if (r->n_services == SCAN_SERVICES_MAX)
		return true;
	r->n_services++;
	(void)json_array_append_new(list, json_deep_copy(m->service));
	return false;
}

bool scan_results_take(struct scan_results *r, const struct msg *m)
{
	if (m->type == MSG_SCAN_TRANSPONDER) {
		return take_transponder(r, &m->scan_transponder);
	} else if (m->type == MSG_SCAN_SERVICE) {
		return take_service(r, &m->scan_service);
	} else if (m->type == MSG_SCAN_STATUS) {
		r->done = m->scan_status.done;
		r->total = m->scan_status.total;
		r->ended = m->scan_status.ended;
	}
	return false;
}

void scan_results_signal(struct scan_results *r, uint32_t number,
			 const struct msg_adapter_status *status)
{
	if (number <= json_array_size(r->list))
		adapters_put_signal(find(r, number), status);
}

void scan_results_put(struct scan_results *r, json_t *reply)
{
	json_t *list = json_array();

	for (size_t i = 0; i < json_array_size(r->list); i++) {
		if (!r->changed[i])
			continue;
		r->changed[i] = false;
		/* a copy, because the object may change before the reply is
		 * sent */
		(void)json_array_append_new(
			list, json_deep_copy(json_array_get(r->list, i)));
	}
	if (json_array_size(list) > 0)
		(void)json_object_set(reply, "transponders", list);
	json_decref(list);
	if (r->total > 0)
		(void)json_object_set_new(reply, "progress", json_pack(
			"{s:I, s:I, s:b}", "done", (json_int_t)r->done,
			"total", (json_int_t)r->total, "ended",
			(int)r->ended));
}
