/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/cas_procs.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "master/config/check.h"
#include "master/streams/cas_emmg.h"
#include "proto/ipc/channel.h"
#include "proto/spec/cas_spec.h"
#include "proto/spec/field.h"

#include <stdlib.h>
#include <string.h>

enum {
	PROCS_MAX = 64,
	/* A worker that no stream uses for this time ends.  A stream whose
	 * worker is replaced uses it again within this time. */
	KEPT_MS = 10000,
	VALUE_MAX = 1024, /* bytes; a value with a longer text is not copied */
	/* A stream reports its links.  After this many consecutive reports
	 * without a link that was made, the stream gets a new link.  A single
	 * report may have been sent before the link arrived. */
	MISSING_MAX = 3,
	/* least time between two links of the same stream to the same system */
	JOIN_MS = 3000,
};

struct cas_proc {
	struct service_item item;
	struct cas_procs *of;
	/* the configuration that the worker got at its start; NULL: it has not
	 * started yet */
	json_t *entry;
	/* number of the running process, another one for each start; 0: none
	 * has sent its hello */
	uint64_t number;
	uint64_t used_ms; /* monotonic time of the last use by a stream */
	struct cas_emmg emmg;
};

struct cas_procs {
	struct cas_procs_config cfg;
	uint64_t last_number;
	struct service_list list;
};

/* --- a worker --- */

static void on_hello(void *self)
{
	struct cas_proc *p = self;
	struct msg m = { .type = MSG_CAS_START };

	m.cas_start.entry = p->entry;
	service_proc_send(p->item.service, &m, NULL);
	p->emmg = (struct cas_emmg){ 0 };
	cas_emmg_turn(&p->emmg, p->entry, p->item.service, mono_ms());
	p->number = ++p->of->last_number;
}

static void on_message(const struct msg *m, void *self)
{
	struct cas_proc *p = self;

	if (m->type != MSG_CAS_STATUS)
		return;
	cas_emmg_turn(&p->emmg, p->entry, p->item.service, mono_ms());
	if (p->of->cfg.is_used(p->item.id, p->of->cfg.arg))
		p->used_ms = mono_ms();
	if (mono_ms() - p->used_ms >= KEPT_MS)
		service_proc_unwant(p->item.service);
}

static void on_down(void *self)
{
	((struct cas_proc *)self)->number = 0;
}

static const struct service_kind kind = {
	.role = "cas",
	.program = SPAWN_WORKER_NET,
	.beat = MSG_CAS_STATUS,
	.on_hello = on_hello,
	.on_message = on_message,
	.on_down = on_down,
};

static void done(struct service_item *item)
{
	json_decref(((struct cas_proc *)item)->entry);
}

static bool is_used(const struct service_item *item)
{
	const struct cas_procs *c = ((const struct cas_proc *)item)->of;

	return c->cfg.is_used(item->id, c->cfg.arg);
}

/* Adds a worker; NULL: PROCS_MAX workers are in use. */
static struct cas_proc *add(struct cas_procs *c, const char *id)
{
	struct cas_proc *p;

	if (c->list.n == PROCS_MAX)
		service_list_sweep(&c->list, is_used);
	p = service_list_add(&c->list, &c->cfg.service, id, id);
	if (p != NULL)
		p->of = c;
	return p;
}

/* --- entries --- */

/* Returns the entry with which the worker of a system runs, or would start now;
 * NULL: the configuration has no such system. */
static const json_t *entry_of(const struct cas_procs *c, const char *id)
{
	const struct cas_proc *p = service_list_find(&c->list, id);

	return p != NULL && p->entry != NULL &&
			       !service_proc_is_gone(p->item.service)
		       ? p->entry
		       : c->cfg.entry_of(id, c->cfg.arg);
}

static const char *id_of(const json_t *item)
{
	const char *id = json_string_value(json_object_get(item, "cas_id"));

	return id != NULL ? id : "";
}

/* Copies the keys that workers read, without lists, objects and texts that are
 * too long for a message: a new reference. */
static json_t *copy_keys(const struct field_table *t, const json_t *from)
{
	json_t *copy = json_object();

	for (size_t i = 0; i < t->n; i++) {
		const char *key = t->rows[i].key;
		json_t *value = json_object_get(from, key);

		if (value != NULL && !json_is_object(value) &&
		    !json_is_array(value) &&
		    json_string_length(value) <= VALUE_MAX)
			(void)json_object_set(copy, key, value);
	}
	return copy;
}

size_t cas_procs_resolve(struct cas_procs *c, const json_t *cas_list,
			 struct cas_item ret[CAS_LIST_MAX])
{
	size_t n = MIN(json_array_size(cas_list), (size_t)CAS_LIST_MAX);

	for (size_t i = 0; i < n; i++) {
		json_t *item = json_array_get(cas_list, i);
		const json_t *entry = entry_of(c, id_of(item));

		ret[i].link = copy_keys(&cas_list_fields, item);
		ret[i].entry = entry != NULL
				       ? copy_keys(&cas_entry_fields, entry)
				       : NULL;
	}
	return n;
}

void cas_procs_drop(struct cas_item *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		json_decref((json_t *)items[i].link);
		json_decref((json_t *)items[i].entry);
	}
}

/* --- links --- */

/* Returns the worker of a system, and starts it if it does not run; NULL: the
 * id or its entry is missing or invalid, or too many workers run. */
static struct cas_proc *want(struct cas_procs *c, const char *id)
{
	struct cas_proc *p = service_list_find(&c->list, id);
	const json_t *entry = entry_of(c, id);
	struct cas_entry spec;
	struct errmsg error;

	if (entry == NULL || !check_id(id) ||
	    cas_entry_read(entry, &spec, &error) < 0)
		return NULL;
	if (p == NULL)
		p = add(c, id);
	if (p == NULL)
		return NULL;
	if (service_proc_is_gone(p->item.service) || p->entry == NULL) {
		json_t *before = p->entry;

		p->entry = copy_keys(&cas_entry_fields, entry);
		json_decref(before);
	}
	p->used_ms = mono_ms();
	service_proc_want(p->item.service);
	return p;
}

/* Connects a stream with the worker of a system by a socket pair: sends one end
 * to the stream, the other to the worker.  False: the pair cannot be made. */
static bool join(struct cas_proc *p, size_t place, const char *stream,
		    const json_t *item, struct channel *channel)
{
	const char *ac = json_string_value(json_object_get(item, "ac"));
	const struct msg to_stream = { .type = MSG_STREAM_CAS,
				       .stream_cas = { (unsigned)place } };
	const struct msg to_cas = { .type = MSG_CAS_LINK, .cas_link = {
		.stream = stream,
		.ac = ac != NULL && strlen(ac) <= 2 * CAS_AC_MAX ? ac : "",
	} };
	int pair[2];

	if (fd_seqpacket_pair(pair) < 0)
		return false;
	service_proc_send(p->item.service, &to_cas, &pair[0]);
	(void)channel_send(channel, &to_stream, &pair[1], 1);
	fd_close(&pair[0]);
	fd_close(&pair[1]);
	return true;
}

void cas_links_report(struct cas_links *links, unsigned linked)
{
	for (size_t i = 0; i < CAS_LIST_MAX; i++) {
		bool missing = links->numbers[i] != 0 && !(linked >> i & 1);

		links->missing[i] = missing ? links->missing[i] + 1 : 0;
		if (links->missing[i] >= MISSING_MAX)
			links->numbers[i] = links->missing[i] = 0;
	}
}

bool cas_links_lack(const struct cas_links *links, size_t place,
		    uint64_t number, uint64_t now_ms)
{
	return number != 0 && number != links->numbers[place] &&
	       (links->made_ms[place] == 0 ||
		now_ms - links->made_ms[place] >= JOIN_MS);
}

void cas_links_made(struct cas_links *links, size_t place, uint64_t number,
		    uint64_t now_ms)
{
	links->numbers[place] = number;
	links->made_ms[place] = now_ms;
}

void cas_procs_link(struct cas_procs *c, const char *stream,
		    const json_t *cas_list, struct cas_links *links,
		    struct channel *channel)
{
	size_t n = MIN(json_array_size(cas_list), (size_t)CAS_LIST_MAX);
	uint64_t now_ms = mono_ms();

	for (size_t i = 0; i < n; i++) {
		const json_t *item = json_array_get(cas_list, i);
		struct cas_proc *p = want(c, id_of(item));

		if (p != NULL && cas_links_lack(links, i, p->number, now_ms) &&
		    join(p, i, stream, item, channel))
			cas_links_made(links, i, p->number, now_ms);
	}
}

/* --- */

struct cas_procs *cas_procs_new(const struct cas_procs_config *cfg)
{
	struct cas_procs *c = xcalloc(1, sizeof *c);

	c->cfg = *cfg;
	c->list = (struct service_list){ .kind = &kind,
					 .item_size = sizeof(struct cas_proc),
					 .max = PROCS_MAX,
					 .done = done };
	service_list_init(&c->list);
	return c;
}

void cas_procs_free(struct cas_procs **pc)
{
	struct cas_procs *c = *pc;

	*pc = NULL;
	if (c == NULL)
		return;
	service_list_done(&c->list);
	free(c);
}

const struct service_list *cas_procs_list(const struct cas_procs *c)
{
	return &c->list;
}
