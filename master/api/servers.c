/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command set-server: other instances that the web interface shows. */
#include "master/api/edit.h"

#define SERVERS "servers"

/* What is to be done to the list. */
struct change {
	const json_t *server;
	json_int_t at; /* -1: at the end */
	bool remove;
};

/* False after a reply, or a drop. */
static bool read_change(const struct api *api, const json_t *request,
			struct change *ret, struct reply *reply)
{
	const json_t *list = config_section(api->cfg.config, SERVERS);
	const json_t *id = edit_get(request, "id");

	if (!edit_object(request, "server", &ret->server, reply))
		return false;
	ret->remove = edit_is_removal(ret->server);
	ret->at = id != NULL ? json_integer_value(id) : -1;
	if (ret->server == NULL)
		reply_drop(reply, "set-server: server");
	else if (id == NULL && ret->remove)
		reply_drop(reply, "set-server: id of a removal");
	else if (id != NULL && !json_is_integer(id))
		reply_error(reply, 400, "id: is not a whole number");
	else if (id != NULL && (ret->at < 0 ||
				(size_t)ret->at >= json_array_size(list)))
		reply_error(reply, 404, "id: there is no server %lld",
			    (long long)ret->at);
	return reply->status == 0 && !reply->drop;
}

/* The new list; NULL when nothing is left.  The server is shared. */
static json_t *make_list(const struct api *api, const struct change *c,
			 json_t *server)
{
	json_t *list = edit_list(api, SERVERS);

	if (c->remove)
		(void)json_array_remove(list, (size_t)c->at);
	else if (c->at >= 0)
		(void)json_array_set(list, (size_t)c->at, server);
	else
		(void)json_array_append(list, server);
	if (json_array_size(list) > 0)
		return list;
	json_decref(list);
	return NULL;
}

void servers_set(struct api *api, const json_t *request, struct reply *reply)
{
	struct change c;
	json_t *server, *message;

	if (!read_change(api, request, &c, reply))
		return;
	server = edit_entry_copy(c.server);
	if (c.remove) {
		(void)json_object_clear(server);
		(void)json_object_set_new(server, "remove", json_true());
	}
	if (edit_fits(server, "server", reply)) {
		config_set_section(api->cfg.config, SERVERS,
				   make_list(api, &c, server));
		message = edit_message("set-server");
		if (c.at >= 0)
			(void)json_object_set_new(message, "id",
						  json_integer(c.at));
		(void)json_object_set(message, "server", server);
		edit_say(api, message);
		reply_ok(reply, "set-server");
	}
	json_decref(server);
}
