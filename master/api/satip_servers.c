/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers GET api/satip-servers: the SAT>IP servers that answer on the
 * network. */
#include "master/api/command.h"
#include "master/api/discovery.h"
#include "proto/spec/satip_spec.h"

#include <stdio.h>

/* Time for which the worker searches after the last request of a control user.
 * Servers answer a search within seconds. */
enum { LIFE_MS = 600 * 1000 };

static json_t *make_frontends(const struct msg_scan_server *s)
{
	json_t *frontends = json_object();

	for (size_t i = 0; i < s->n_systems; i++)
		(void)json_object_set_new(
			frontends, s->systems[i].system,
			json_integer(s->systems[i].frontends));
	return frontends;
}

static json_t *make_entry(const struct msg_scan_server *s)
{
	bool usual = s->port == 0 || s->port == SATIP_PORT;
	json_t *entry;
	char server[80];

	/* the form of the key `server' of an adapter */
	if (usual)
		(void)snprintf(server, sizeof server, "%s", s->host);
	else
		(void)snprintf(server, sizeof server, "%s:%u", s->host,
			       s->port);
	entry = json_pack("{s:s, s:s, s:s}", "server", server, "iface",
			  s->iface, "uuid", s->uuid);
	discovery_put(entry, "name", s->name);
	discovery_put(entry, "manufacturer", s->manufacturer);
	discovery_put(entry, "model", s->model);
	discovery_put(entry, "channels", s->channels);
	discovery_put(entry, "note", s->note);
	(void)json_object_set_new(entry, "frontends", make_frontends(s));
	return entry;
}

static bool read_entry(const struct msg *m, uint32_t *ret_place,
		       json_t **ret_entry)
{
	const struct msg_scan_server *s = &m->scan_server;

	if (m->type != MSG_SCAN_SERVER)
		return false;
	*ret_place = s->place;
	/* an entry without an interface: the server has left the network */
	*ret_entry = s->iface[0] != '\0' ? make_entry(s) : NULL;
	return true;
}

const struct discovery_kind satip_servers_kind = {
	.address = SCAN_SERVERS,
	.key = "servers",
	.what = "SAT>IP servers",
	.life_ms = LIFE_MS,
	.read = read_entry,
};

static void servers_get(struct api *api, const char *id, enum status_span span,
			struct reply *reply)
{
	(void)id, (void)span;
	discovery_get(api->satip_servers, reply);
}

const struct api_path satip_servers_paths[] = {
	{ "api/satip-servers", PATH_ALONE, OBSERVER_ALLOWED,
	  .get = servers_get },
	{ 0 },
};
