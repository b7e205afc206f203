/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/ring.h"
#include "master/config/adapter_conf.h"
#include "master/config/check.h"
#include "master/config/entry.h"
#include "master/streams/adapter_procs_state.h"
#include "master/streams/adapter_programs.h"
#include "proto/spec/tuner_spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	WANTED_MAX = 256,
	PROCS_MAX = 2 * WANTED_MAX, /* including those that are stopping */
	ALARM_S = 5, /* an error that lasts this many seconds is an alarm */
	/* Greatest number of successors in a row that workers may ask for
	 * without a failure: a tuner with a loose plug needs several. */
	RENEWALS = 8,
	/* A worker whose last status is older than this is late: a worker sends
	 * a status each second. */
	LATE_MS = 1500,
	/* Seconds for which the worker receives all tables after a request of a
	 * scan, which ends ten seconds after its last request. */
	TABLES_S = 12,
};

/* --- the ring --- */

/* Closes the ring of an adapter; its readers wait for the next one. */
static void close_ring(struct adapter_proc *p)
{
	stream_ring_close(&p->ring);
	p->given = false;
	p->rings++;
	spawner_touch(p->of->cfg.service.spawner);
	p->of->cfg.on_ring(p->item.id, p->of->cfg.arg);
}

/*
 * Makes the ring for the next worker, unless there is one that no worker has
 * received; returns 0, or -errno without a ring.
 *
 * A ring has one writer.  The packets of a worker do not continue those of the
 * worker before it, so a reader of the old ring must not mistake the new
 * packets for its continuation.
 */
static int make_ring(struct adapter_proc *p)
{
	int err;

	if (p->ring.fd >= 0 && !p->given)
		return 0;
	err = stream_ring_make(&p->ring, RING_SIZE_DEFAULT);
	if (err < 0) {
		close_ring(p);
		return err;
	}
	p->given = false;
	p->rings++;
	spawner_touch(p->of->cfg.service.spawner);
	p->of->cfg.on_ring(p->item.id, p->of->cfg.arg);
	return 0;
}

/* --- the slots for CAMs --- */

static void send_cam(struct adapter_proc *p)
{
	const struct adapter_procs_config *cfg = &p->of->cfg;
	struct msg m = { .type = MSG_ADAPTER_CAM };
	struct msg_adapter_cam *cam = &m.adapter_cam;

	if (cfg->programs_of == NULL || !adapter_conf_has_slots(p->entry))
		return;
	cam->n = cfg->programs_of(p->item.id, cam->programs, MSG_CAM_PROGRAMS,
				  cfg->arg);
	if (adapter_cams_set(&p->cams, cam))
		service_proc_send(p->item.service, &m, NULL);
}

bool adapter_proc_can_send(const struct adapter_proc *p)
{
	return p != NULL && p->entry != NULL && p->given &&
	       service_proc_is_running(p->item.service);
}

const json_t *adapter_procs_cams(const struct adapter_procs *a, const char *id)
{
	const struct adapter_proc *p =
		a != NULL ? service_list_find(&a->list, id) : NULL;

	return p != NULL && p->entry != NULL ? p->cams.slots : NULL;
}

bool adapter_procs_menu(struct adapter_procs *a, const char *id,
			const struct msg_adapter_menu *menu)
{
	const struct adapter_proc *p =
		a != NULL ? service_list_find(&a->list, id) : NULL;
	struct msg m = { .type = MSG_ADAPTER_MENU, .adapter_menu = *menu };

	if (!adapter_proc_can_send(p))
		return false;
	service_proc_send(p->item.service, &m, NULL);
	return true;
}

void adapter_procs_watch_cams(struct adapter_procs *a,
			      void (*on_cam)(const char *id,
					     const json_t *slot, void *arg),
			      void *arg)
{
	if (a == NULL)
		return;
	a->on_cam = on_cam;
	a->cam_watcher = arg;
}

/* --- programs --- */

static void send_programs(struct adapter_proc *p)
{
	const struct adapter_procs_config *cfg = &p->of->cfg;
	struct msg m = { .type = MSG_ADAPTER_PROGRAMS };

	m.adapter_programs.all = cfg->add_programs == NULL;
	if (cfg->add_programs != NULL)
		cfg->add_programs(p->item.id, &m.adapter_programs, cfg->arg);
	m.adapter_programs.tables = p->tables_s > 0;
	if (p->told &&
	    adapter_programs_equal(&m.adapter_programs, &p->programs))
		return;
	p->told = true;
	p->programs = m.adapter_programs;
	service_proc_send(p->item.service, &m, NULL);
}

void adapter_procs_update(struct adapter_procs *a, const char *id)
{
	struct adapter_proc *p = service_list_find(&a->list, id);

	if (p == NULL)
		return;
	p->late = !adapter_proc_can_send(p);
	if (!p->late) {
		send_programs(p);
		send_cam(p);
	}
}

/* Sends the programs to the worker if the streams that read the adapter have
 * changed while the worker started, if another master started the worker, or at
 * the end of a scan.  Called once a second. */
static void follow_readers(struct adapter_proc *p)
{
	if (!p->told || p->late || (p->tables_s > 0 && --p->tables_s == 0))
		adapter_procs_update(p->of, p->item.id);
}

void adapter_procs_keep_tables(struct adapter_procs *a, const char *id)
{
	struct adapter_proc *p =
		a != NULL ? service_list_find(&a->list, id) : NULL;

	if (p == NULL)
		return;
	p->tables_s = TABLES_S;
	adapter_procs_update(a, id);
}

/* --- a worker --- */

static void on_hello(void *self)
{
	struct adapter_proc *p = self;
	struct msg m = { .type = MSG_ADAPTER_START };
	struct errmsg error;
	int err;

	if (p->entry == NULL)
		return;
	err = make_ring(p);
	if (err < 0) {
		errmsg_set(&error, "cannot create the ring buffer: %s",
			   strerror(-err));
		service_proc_kill(p->item.service, error.text);
		return;
	}
	m.adapter_start.entry = p->entry;
	service_proc_send(p->item.service, &m, &p->ring.fd);
	p->given = true;
	adapter_proc_send_link(p);
	adapter_cams_forget(&p->cams);
	send_cam(p);
	p->told = false;
	send_programs(p);
}

/* Calls on_taken if the worker has opened or closed a frontend of this host. */
static void note_taken(struct adapter_proc *p, bool taken)
{
	int before = p->taken;

	p->taken = taken ? (int)p->status.tuner.adapter : -1;
	if (before == p->taken || p->of->on_taken == NULL)
		return;
	if (before >= 0)
		p->of->on_taken(before, false, p->of->watcher);
	if (p->taken >= 0)
		p->of->on_taken(p->taken, true, p->of->watcher);
}

static void on_message(const struct msg *m, void *self)
{
	struct adapter_proc *p = self;

	if (m->type == MSG_ADAPTER_SLOT) {
		const json_t *slot =
			adapter_cams_take(&p->cams, &m->adapter_slot);

		if (p->of->on_cam != NULL && p->entry != NULL)
			p->of->on_cam(p->item.id, slot, p->of->cam_watcher);
	}
	if (m->type != MSG_ADAPTER_STATUS)
		return;
	/* an adopted worker sent its hello to the previous master */
	if (!p->cams.known && adapter_proc_can_send(p))
		send_cam(p);
	errmsg_set(&p->error, "%s", m->adapter_status.error != NULL
					    ? m->adapter_status.error : "");
	p->error_s = m->adapter_status.error != NULL ? p->error_s + 1 : 0;
	p->status = m->adapter_status;
	p->status.error = NULL;
	adapter_minute_add(&p->minute, &p->status);
	p->status.tuner.taken &= p->entry != NULL && tuner_spec_is(p->entry);
	note_taken(p, p->status.tuner.taken);
	/* some seconds with an open frontend reset the count of successors
	 * (RENEWALS): a loose plug may need any number of them */
	service_proc_works(p->item.service, p->status.tuner.taken);
	follow_readers(p);
	if (p->of->on_status != NULL && p->entry != NULL)
		p->of->on_status(p->item.id, &p->status, p->of->watcher);
	if (stream_ring_is_damaged(&p->ring))
		service_proc_kill(p->item.service, "it damaged its ring "
						   "buffer");
}

static void on_down(void *self)
{
	struct adapter_proc *p = self;

	p->status = (struct msg_adapter_status){ 0 };
	p->minute = (struct adapter_minute){ 0 };
	p->error.text[0] = '\0';
	p->error_s = 0;
	adapter_cams_forget(&p->cams);
	note_taken(p, false);
	/* after a failure, on_hello makes the ring again */
	if (p->entry != NULL)
		(void)make_ring(p);
}

static const struct service_kind plain_kind = {
	.role = "adapter",
	.program = SPAWN_WORKER,
	.beat = MSG_ADAPTER_STATUS,
	.renewals = RENEWALS,
	.remedy = "a change or restart-adapter starts it at once",
	.on_hello = on_hello,
	.on_message = on_message,
	.on_down = on_down,
};

/* --- the list --- */

static void done(struct service_item *item)
{
	struct adapter_proc *p = (struct adapter_proc *)item;

	stream_ring_close(&p->ring);
	adapter_cams_forget(&p->cams);
	json_decref(p->entry);
}

static bool is_wanted(const struct service_item *item)
{
	return ((const struct adapter_proc *)item)->entry != NULL;
}

struct adapter_proc *adapter_procs_add(struct adapter_procs *a, const char *id)
{
	struct adapter_proc *p = service_list_add(&a->list, &a->cfg.service,
						  id, id);

	if (p == NULL)
		return NULL;
	p->of = a;
	p->taken = -1;
	stream_ring_init(&p->ring, NULL);
	return p;
}

/* The adapter is not wanted any more: closes its ring, so that its readers
 * wait, and stops the worker. */
static void unwant(struct adapter_proc *p)
{
	if (p->entry == NULL)
		return;
	json_decref(p->entry);
	p->entry = NULL;
	adapter_proc_relink(p);
	close_ring(p);
	service_proc_unwant(p->item.service);
}

void adapter_proc_use_program(struct adapter_proc *p)
{
	service_proc_use(p->item.service, adapter_conf_is_net(p->entry)
						  ? SPAWN_WORKER_NET
						  : SPAWN_WORKER);
}

/* Sends the new multiplex to the worker of a tuner or SAT>IP server, which then
 * needs no restart.  False: the entry names another source, or the worker does
 * not run. */
static bool tune(struct adapter_proc *p, const json_t *before,
		 const json_t *entry)
{
	struct msg m = { .type = MSG_ADAPTER_TUNE };

	if (!p->given || !service_proc_is_running(p->item.service) ||
	    !adapter_conf_is_same_source(before, entry))
		return false;
	m.adapter_tune.entry = entry;
	service_proc_send(p->item.service, &m, NULL);
	return true;
}

static void want(struct adapter_proc *p, const json_t *entry)
{
	json_t *before = p->entry;
	bool same = before != NULL && (json_equal(before, entry) ||
				       tune(p, before, entry));

	p->entry = json_incref((json_t *)entry);
	json_decref(before);
	adapter_proc_use_program(p);
	adapter_proc_relink(p);
	if (p->ring.fd < 0)
		(void)make_ring(p);
	if (same)
		service_proc_want(p->item.service);
	else
		service_proc_restart(p->item.service);
}

/* Returns the adapter with this id, added if it is new; NULL with an error: too
 * many adapters run or are stopping. */
static struct adapter_proc *find_or_add(struct adapter_procs *a, const char *id,
					struct errmsg *error)
{
	struct adapter_proc *p = service_list_find(&a->list, id);
	const struct service_item *item;
	size_t n = 0;

	if (p != NULL && p->entry != NULL)
		return p;
	TAILQ_FOREACH(item, &a->list.items, link)
		n += is_wanted(item);
	if (n >= WANTED_MAX) {
		errmsg_set(error, "at most %d adapters run", WANTED_MAX);
		return NULL;
	}
	if (p == NULL)
		p = adapter_procs_add(a, id);
	if (p == NULL)
		errmsg_set(error, "workers of removed adapters are still "
			   "stopping (%zu): reload the configuration later",
			   a->list.n - n);
	return p;
}

void adapter_procs_set(struct adapter_procs *a, const json_t *list)
{
	struct service_item *item;
	const json_t *adapter;
	json_t *keys;
	size_t i;

	if (a == NULL)
		return;
	TAILQ_FOREACH(item, &a->list.items, link) {
		adapter = entry_find(list, "id", item->id);
		keys = adapter_conf_wanted(list, adapter);
		if (keys == NULL)
			unwant((struct adapter_proc *)item);
		json_decref(keys);
	}
	service_list_sweep(&a->list, is_wanted);
	json_array_foreach((json_t *)(uintptr_t)list, i, adapter) {
		const char *id = json_string_value(
			json_object_get(adapter, "id"));
		struct adapter_proc *p;
		struct errmsg error;

		/* of entries with the same id, only the first one runs: a
		 * command with this id reaches no other */
		if (id == NULL || !check_id(id) ||
		    entry_find(list, "id", id) != adapter)
			continue;
		keys = adapter_conf_wanted(list, adapter);
		p = keys != NULL ? find_or_add(a, id, &error) : NULL;
		if (p != NULL)
			want(p, keys);
		else if (keys != NULL)
			log_error("adapters", "adapter %s does not run: %s", id,
				  error.text);
		json_decref(keys);
	}
}

void adapter_procs_restart(struct adapter_procs *a, const char *id)
{
	struct adapter_proc *p = a != NULL ? service_list_find(&a->list, id)
					   : NULL;

	if (p != NULL && p->entry != NULL)
		service_proc_restart(p->item.service);
}

void adapter_procs_watch(struct adapter_procs *a,
			 void (*on_status)(const char *id,
					   const struct msg_adapter_status *,
					   void *arg),
			 void (*on_taken)(int adapter, bool taken, void *arg),
			 void *arg)
{
	if (a == NULL)
		return;
	a->on_status = on_status;
	a->on_taken = on_taken;
	a->watcher = arg;
}

int adapter_procs_ring(const struct adapter_procs *a, const char *id)
{
	const struct adapter_proc *p =
		a != NULL ? service_list_find(&a->list, id) : NULL;

	return p != NULL ? p->ring.ro_fd : -1;
}

bool adapter_procs_get(const struct adapter_procs *a, const char *id,
		       struct adapter_info *ret)
{
	const struct adapter_proc *p =
		a != NULL ? service_list_find(&a->list, id) : NULL;

	if (p == NULL || p->entry == NULL)
		return false;
	*ret = (struct adapter_info){
		.alarm = service_proc_fault(p->item.service),
		.status = p->status,
		.minute = &p->minute,
		.rings = p->rings,
		.satip = json_object_get(p->entry, "server") != NULL,
		.tuner = tuner_spec_is(p->entry),
		.error = p->error.text[0] != '\0' ? p->error.text : NULL,
		.silent_ms = service_proc_silent_ms(p->item.service),
	};
	service_proc_get(p->item.service, &ret->state, &ret->pid,
			 &ret->restarts);
	return true;
}

bool adapter_procs_has_error(const struct adapter_procs *a, const char *id,
			     struct errmsg *ret)
{
	struct adapter_info info;
	bool late;

	if (!adapter_procs_get(a, id, &info))
		return false;
	late = info.silent_ms >= LATE_MS;
	if (info.alarm == NULL && info.error == NULL && !late)
		return false;
	/* a late worker may fail for another reason than in its last status */
	if (info.alarm == NULL && late)
		errmsg_set(ret, "no status for %u s",
			   (unsigned)(info.silent_ms / 1000));
	else if (info.alarm != NULL && strcmp(info.state, "quarantine") == 0)
		errmsg_set(ret, "quarantine: %s", info.alarm);
	else
		errmsg_set(ret, "%s", info.alarm != NULL ? info.alarm
							 : info.error);
	return true;
}

const char *adapter_procs_alarm(const struct adapter_procs *a, size_t i,
				const char **ret_id)
{
	const struct service_item *item;

	*ret_id = NULL;
	if (a == NULL)
		return NULL;
	TAILQ_FOREACH(item, &a->list.items, link) {
		const struct adapter_proc *p =
			(const struct adapter_proc *)item;

		if (i-- > 0)
			continue;
		*ret_id = item->id;
		return p->entry != NULL && p->error_s >= ALARM_S
			       ? p->error.text : NULL;
	}
	return NULL;
}

const struct service_list *adapter_procs_list(const struct adapter_procs *a)
{
	return &a->list;
}

/* --- */

struct adapter_procs *adapter_procs_new(const struct adapter_procs_config *cfg)
{
	struct adapter_procs *a = xcalloc(1, sizeof *a);

	a->cfg = *cfg;
	a->list = (struct service_list){
		.kind = &plain_kind,
		.item_size = sizeof(struct adapter_proc),
		.max = PROCS_MAX,
		.done = done,
	};
	service_list_init(&a->list);
	return a;
}

void adapter_procs_free(struct adapter_procs **pa)
{
	struct adapter_procs *a = *pa;

	*pa = NULL;
	if (a == NULL)
		return;
	service_list_done(&a->list);
	free(a);
}
