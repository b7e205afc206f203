/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes the adapters, their workers and rings from one master to the next. */
#include "common/base/errmsg.h"
#include "common/base/ring.h"
#include "common/base/util.h"
#include "common/supervise/handover.h"
#include "master/config/check.h"
#include "master/streams/adapter_procs_state.h"

#include <limits.h>

json_t *adapter_procs_write(struct adapter_procs *a, struct handover *h)
{
	json_t *list = json_array();
	struct service_item *item;

	TAILQ_FOREACH(item, &a->list.items, link) {
		struct adapter_proc *p = (struct adapter_proc *)item;

		if (p->entry == NULL || p->ring.fd < 0)
			continue;
		(void)json_array_append_new(list, json_pack(
			"{s:s, s:O, s:s, s:I, s:o, s:o}", "id", item->id,
			"entry", p->entry, "error", p->error.text,
			"error_s", (json_int_t)p->error_s,
			"worker", service_proc_write(item->service, h),
			"ring", handover_put(h, 'r', &p->ring.number,
					     p->ring.fd)));
	}
	return list;
}

/* Takes the error of an adapter from the record of the previous master.  The
 * error is valid until the next status of the worker, so the alarm of the
 * adapter does not end between the two masters. */
static void take_error(struct adapter_proc *p, const json_t *record)
{
	const char *text = json_string_value(json_object_get(record, "error"));
	json_int_t for_s = json_integer_value(
		json_object_get(record, "error_s"));

	if (text == NULL || text[0] == '\0' || for_s <= 0)
		return;
	errmsg_set(&p->error, "%s", text);
	p->error_s = (unsigned)MIN(for_s, (json_int_t)INT_MAX);
}

void adapter_procs_adopt(struct adapter_procs *a, const json_t *list,
			 struct handover *h)
{
	const json_t *record;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, record) {
		const char *id = json_string_value(
			json_object_get(record, "id"));
		struct adapter_proc *p = NULL;
		bool usable;

		if (id != NULL && check_id(id) &&
		    service_list_find(&a->list, id) == NULL)
			p = adapter_procs_add(a, id);
		if (p == NULL)
			continue;
		p->entry = json_deep_copy(json_object_get(record, "entry"));
		adapter_proc_use_program(p);
		adapter_proc_relink(p);
		usable = stream_ring_take(&p->ring,
					  json_object_get(record, "ring"), h,
					  RING_SIZE_DEFAULT);
		p->given = usable;
		p->rings = 1;
		service_proc_adopt(p->item.service,
				   json_object_get(record, "worker"), h,
				   usable && p->entry != NULL);
		if (usable && p->entry != NULL)
			take_error(p, record);
	}
}
