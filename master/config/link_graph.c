/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/link_graph.h"

#include "master/config/adapter_conf.h"
#include "master/config/stream_links.h"

#include <stdio.h>
#include <string.h>

_Static_assert(IO_LINK_MAX >= IO_FEED_MAX, "a name has room for a feed");

void link_graph_name(const char *address, char ret[IO_LINK_MAX + 1])
{
	char id[IO_ID_MAX + 1];

	stream_link_read(address, ret);
	if (ret[0] != '\0')
		return;
	adapter_link_read(address, id);
	if (id[0] != '\0')
		(void)snprintf(ret, IO_LINK_MAX + 1, IO_ADAPTER "%s", id);
}

static json_t *by_id(const json_t *list)
{
	json_t *entries = json_object(), *entry;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, entry) {
		const char *id = json_string_value(
			json_object_get(entry, "id"));

		if (id != NULL && json_object_get(entries, id) == NULL)
			(void)json_object_set(entries, id, entry);
	}
	return entries;
}

void link_graph_init(struct link_graph *g, const json_t *streams,
		     const json_t *adapters)
{
	*g = (struct link_graph){ by_id(streams), by_id(adapters) };
}

void link_graph_done(struct link_graph *g)
{
	json_decref(g->streams);
	json_decref(g->adapters);
}

/* The names that a search has found: names has them in order, seen has them as
 * keys. */
struct walk {
	json_t *names;
	json_t *seen;
};

static void add(struct walk *w, const char *name)
{
	if (name[0] == '\0' || json_object_get(w->seen, name) != NULL)
		return;
	(void)json_object_set_new(w->seen, name, json_true());
	(void)json_array_append_new(w->names, json_string(name));
}

/* Adds the sources that the stream or adapter `name' reads. */
static void add_sources(struct walk *w, const struct link_graph *g,
			const char *name)
{
	const size_t skip = sizeof IO_ADAPTER - 1;
	char source[IO_LINK_MAX + 1];
	const json_t *inputs, *input;
	size_t i;

	if (strncmp(name, IO_ADAPTER, skip) == 0) {
		adapter_conf_link(json_object_get(g->adapters, name + skip),
				  source);
		add(w, source);
		return;
	}
	inputs = json_object_get(json_object_get(g->streams, name), "input");
	json_array_foreach(inputs, i, input) {
		link_graph_name(json_string_value(input), source);
		add(w, source);
	}
}

bool link_graph_leads(const struct link_graph *g, const char *from,
		      const char *to, const char *older)
{
	struct walk w = { json_array(), json_object() };
	bool found = false;

	add(&w, from);
	for (size_t i = 0; i < json_array_size(w.names) && !found; i++) {
		const char *name = json_string_value(
			json_array_get(w.names, i));

		found = strcmp(name, to) == 0 ||
			(older != NULL && strcmp(name, older) == 0);
		if (!found)
			add_sources(&w, g, name);
	}
	json_decref(w.names);
	json_decref(w.seen);
	return found;
}

bool link_graph_adapter_loops(const struct link_graph *g, const json_t *adapter,
			      const char *older_id, struct errmsg *error)
{
	const char *id = json_string_value(json_object_get(adapter, "id"));
	char link[IO_FEED_MAX + 1], name[IO_LINK_MAX + 1];
	char older[IO_LINK_MAX + 1];

	adapter_conf_link(adapter, link);
	if (link[0] == '\0' || id == NULL)
		return false;
	(void)snprintf(name, sizeof name, IO_ADAPTER "%.64s", id);
	(void)snprintf(older, sizeof older, IO_ADAPTER "%.64s",
		       older_id != NULL ? older_id : id);
	if (!link_graph_leads(g, link, name, older))
		return false;
	errmsg_set(error, "address: adapter \"%.64s\" would receive what it "
		   "sends itself", id);
	return true;
}
