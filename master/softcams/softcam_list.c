/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/softcams/softcam_state.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "master/config/entry.h"

#include <stdlib.h>
#include <string.h>

struct softcam *softcam_find(const struct softcams *s, const char *id)
{
	struct softcam *c;

	LIST_FOREACH(c, &s->list, link)
		if (!c->removed && strcmp(c->id, id) == 0)
			return c;
	return NULL;
}

struct softcam_proc *softcam_proc_of(const struct softcam *c,
				     const char *stream)
{
	return service_list_find(&c->procs, c->conf.split_cam ? stream : "");
}

bool softcam_is_used_by(const struct softcam_user *u, const char *id)
{
	for (size_t i = 0; i < u->n; i++)
		if (strcmp(u->ids[i], id) == 0)
			return true;
	return false;
}

/* --- workers --- */

/* Adds a worker for the stream, unless a worker already serves it. */
static void add_proc(struct softcam *c, const char *stream)
{
	char *object;
	struct softcam_proc *p;

	if (softcam_proc_of(c, stream) != NULL)
		return;
	if (!c->conf.split_cam)
		stream = "";
	object = xasprintf("%s%s%s", c->id, stream[0] != '\0' ? "/" : "",
			   stream);
	p = service_list_add(&c->procs, &c->all->cfg, stream, object);
	p->of = c;
	free(object);
}

static void softcam_free(struct softcam *c)
{
	service_list_done(&c->procs);
	LIST_REMOVE(c, link);
	json_decref(c->entry);
	free(c);
}

static bool is_of_use(const struct service_item *item)
{
	const struct softcam *c = ((const struct softcam_proc *)item)->of;
	const struct softcam_user *u;

	if (c->removed)
		return false;
	if (!c->conf.split_cam && c->conf.force)
		return true;
	LIST_FOREACH(u, &c->all->users, link)
		if (softcam_is_used_by(u, c->id) &&
		    (!c->conf.split_cam || strcmp(item->id, u->stream) == 0))
			return true;
	return false;
}

static void sweep(struct softcams *s)
{
	struct softcam *c, *next;

	for (c = LIST_FIRST(&s->list); c != NULL; c = next) {
		next = LIST_NEXT(c, link);
		if (!c->removed)
			continue;
		service_list_sweep(&c->procs, is_of_use);
		if (c->procs.n == 0)
			softcam_free(c);
	}
}

/* Called when a worker has ended that will not run again. */
static void on_gone(void *arg)
{
	struct softcams *s = arg;

	if (!s->held)
		sweep(s);
	s->owner.on_gone(s->owner.arg);
}

/* Starts and stops workers of a softcam, as the streams need them; none for an
 * entry with an error. */
static void settle(struct softcam *c)
{
	struct softcam_user *u;
	struct service_item *item;

	if (c->error.text[0] != '\0')
		return;
	service_list_sweep(&c->procs, is_of_use);
	if (!c->conf.split_cam && c->conf.force)
		add_proc(c, "");
	LIST_FOREACH(u, &c->all->users, link)
		if (softcam_is_used_by(u, c->id))
			add_proc(c, u->stream);
	TAILQ_FOREACH(item, &c->procs.items, link)
		if (is_of_use(item))
			service_proc_want(item->service);
		else
			service_proc_unwant(item->service);
}

/* --- the configuration --- */

static void add(struct softcams *s, const json_t *entry, const char *id)
{
	struct softcam *c = xcalloc(1, sizeof *c);

	c->all = s;
	c->entry = json_deep_copy(entry);
	c->id = json_string_value(json_object_get(c->entry, "id"));
	c->procs = (struct service_list){
		.kind = &softcam_kind,
		.item_size = sizeof(struct softcam_proc),
		.max = SIZE_MAX, /* no limit: each stream adds one at most */
	};
	service_list_init(&c->procs);
	softcam_conf_read(c->entry, &c->conf, &c->error);
	if (c->error.text[0] != '\0')
		log_warning("softcam", "%s: is not used: %s", id,
			    c->error.text);
	LIST_INSERT_HEAD(&s->list, c, link);
}

/* Stops the workers of an entry that was changed or removed; sweep() frees the
 * entry. */
static void retire(struct softcam *c)
{
	struct service_item *item;

	c->removed = true;
	TAILQ_FOREACH(item, &c->procs.items, link)
		service_proc_stop(item->service);
}

void softcams_stop(struct softcams *s)
{
	struct softcam *c;

	s->held = true;
	LIST_FOREACH(c, &s->list, link)
		retire(c);
}

void softcams_set(struct softcams *s, const json_t *list)
{
	struct softcam *c;
	struct softcam_user *u;
	const json_t *entry;
	size_t i;

	if (s == NULL || s->held)
		return;
	/* holds sweep(), because on_gone() may be called inside */
	s->held = true;
	LIST_FOREACH(c, &s->list, link) {
		if (c->removed)
			continue;
		entry = entry_find(list, "id", c->id);
		if (entry == NULL || !json_equal(entry, c->entry))
			retire(c);
	}
	s->held = false;
	sweep(s);
	json_array_foreach((json_t *)(uintptr_t)list, i, entry) {
		const char *id = json_string_value(
			json_object_get(entry, "id"));

		if (id == NULL || softcam_find(s, id) != NULL)
			continue;
		add(s, entry, id);
		settle(softcam_find(s, id));
	}
	LIST_FOREACH(u, &s->users, link)
		softcams_user_up(s, u);
}

/* --- streams --- */

void softcams_use(struct softcams *s, struct softcam_user *u)
{
	struct softcam *c;

	if (s == NULL)
		return;
	if (u->n > 0 && !u->linked)
		LIST_INSERT_HEAD(&s->users, u, link);
	else if (u->n == 0 && u->linked)
		LIST_REMOVE(u, link);
	else if (u->n == 0)
		return;
	u->linked = u->n > 0;
	LIST_FOREACH(c, &s->list, link)
		if (!c->removed)
			settle(c);
}

void softcams_user_up(struct softcams *s, struct softcam_user *u)
{
	if (s == NULL || !u->up)
		return;
	for (size_t i = 0; i < u->n; i++)
		softcam_report_to(s, u, u->ids[i]);
}

void softcams_user_down(struct softcam_user *u)
{
	u->up = false;
}

/* --- for users --- */

void softcams_watch(struct softcams *s, softcam_event_fn *on_event, void *arg)
{
	if (s == NULL)
		return;
	s->on_event = on_event;
	s->arg = arg;
}

bool softcams_get(struct softcams *s, const char *id, struct softcam_info *ret)
{
	const struct softcam *c = s != NULL ? softcam_find(s, id) : NULL;
	struct msg_softcam_status *sum = &ret->status;
	const struct service_item *item;

	*ret = (struct softcam_info){ .id = id };
	if (c == NULL)
		return false;
	if (c->error.text[0] != '\0')
		ret->error = c->error.text;
	TAILQ_FOREACH(item, &c->procs.items, link) {
		const struct softcam_proc *p =
			(const struct softcam_proc *)item;
		const struct msg_softcam_status *more = &p->status;

		if (service_proc_is_gone(item->service))
			continue;
		ret->processes++;
		sum->ecm_rate += more->ecm_rate;
		sum->emm_rate += more->emm_rate;
		sum->hits += more->hits;
		sum->misses += more->misses;
		sum->refused += more->refused;
		sum->timeouts += more->timeouts;
		sum->n_times = MSG_CAM_TIMES;
		for (size_t i = 0; i < MSG_CAM_TIMES; i++)
			sum->times[i] += more->times[i];
		if (p->up) {
			ret->up = true;
			ret->caid = c->conf.caid != 0 ? c->conf.caid
						      : p->card.caid;
		} else if (p->error[0] != '\0') {
			ret->error = p->error;
		}
	}
	ret->refused = c->refused + ret->status.refused;
	ret->timeouts = c->timeouts + ret->status.timeouts;
	if (ret->up)
		ret->error = NULL;
	return true;
}

struct service_proc *softcams_service(const struct softcams *s, size_t i)
{
	const struct softcam *c;

	LIST_FOREACH(c, &s->list, link) {
		if (i < c->procs.n)
			return service_list_at(&c->procs, i);
		i -= c->procs.n;
	}
	return NULL;
}

struct softcams *softcams_new(const struct service_config *cfg)
{
	struct softcams *s = xcalloc(1, sizeof *s);

	LIST_INIT(&s->list);
	LIST_INIT(&s->users);
	s->owner = *cfg;
	s->cfg = *cfg;
	s->cfg.on_gone = on_gone;
	s->cfg.arg = s;
	return s;
}

void softcams_free(struct softcams **ps)
{
	struct softcams *s = *ps;

	*ps = NULL;
	if (s == NULL)
		return;
	while (!LIST_EMPTY(&s->list))
		softcam_free(LIST_FIRST(&s->list));
	free(s);
}
