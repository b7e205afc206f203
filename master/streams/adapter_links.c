/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adapters whose source is the output of a stream (T2-MI): they read the ring
 * of that stream. */
#include "master/config/adapter_conf.h"
#include "master/streams/adapter_procs_state.h"

#include <string.h>

void adapter_proc_relink(struct adapter_proc *p)
{
	const struct adapter_procs_config *cfg = &p->of->cfg;
	char before[sizeof p->link];

	memcpy(before, p->link, sizeof before);
	p->link[0] = '\0';
	if (p->entry != NULL)
		adapter_conf_link(p->entry, p->link);
	if (cfg->on_link == NULL)
		return;
	if (before[0] != '\0' && strcmp(before, p->link) != 0)
		cfg->on_link(before, cfg->arg);
	if (p->link[0] != '\0')
		cfg->on_link(p->link, cfg->arg);
}

void adapter_proc_send_link(struct adapter_proc *p)
{
	const struct adapter_procs_config *cfg = &p->of->cfg;
	struct msg m = { .type = MSG_STREAM_LINK };
	int fd;

	if (p->link[0] == '\0' || cfg->ring_of == NULL)
		return;
	fd = cfg->ring_of(p->link, cfg->arg);
	m.stream_link = (struct msg_stream_link){ p->link, fd >= 0 };
	service_proc_send(p->item.service, &m, &fd);
}

void adapter_procs_relink(struct adapter_procs *a, const char *stream)
{
	struct service_item *item;

	if (a == NULL)
		return;
	TAILQ_FOREACH(item, &a->list.items, link) {
		struct adapter_proc *p = (struct adapter_proc *)item;

		if (strcmp(p->link, stream) == 0 && adapter_proc_can_send(p))
			adapter_proc_send_link(p);
	}
}

const char *adapter_procs_reader(const struct adapter_procs *a,
				 const char *stream)
{
	const struct service_item *item;

	if (a == NULL)
		return NULL;
	TAILQ_FOREACH(item, &a->list.items, link)
		if (strcmp(((const struct adapter_proc *)item)->link,
			   stream) == 0)
			return item->id;
	return NULL;
}

void adapter_procs_rename_link(struct adapter_procs *a, const char *from,
			       const char *to)
{
	const struct msg m = { .type = MSG_STREAM_RENAME,
			       .stream_rename = { from, to } };
	struct service_item *item;

	if (a == NULL)
		return;
	TAILQ_FOREACH(item, &a->list.items, link) {
		struct adapter_proc *p = (struct adapter_proc *)item;
		json_t *entry = adapter_conf_rename_link(p->entry, from, to);

		if (entry == NULL)
			continue;
		json_decref(p->entry);
		p->entry = entry;
		adapter_conf_link(entry, p->link);
		if (adapter_proc_can_send(p))
			service_proc_send(p->item.service, &m, NULL);
	}
}
