/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/collection.h"

#include "master/api/call.h"
#include "master/api/effects.h"
#include "master/api/section_warnings.h"
#include "master/config/check.h"
#include "proto/spec/field.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool is_answered(const struct edit *e)
{
	return e->reply->status != 0 || e->reply->drop;
}

/* Closes the connection without an answer, because the request lacks this
 * member of the entry; "": the entry itself. */
static void drop(struct edit *e, const char *member)
{
	char field[64];

	(void)snprintf(field, sizeof field, "%s: %s%s%s", e->of->command,
		       e->of->member, member[0] != '\0' ? "." : "", member);
	reply_drop(e->reply, field);
}

/* Reads `before', the id in front of which a new entry is stored (an undo uses
 * it to restore the place of a removed entry).  False: the reply already has
 * the error. */
static bool read_before(struct edit *e)
{
	const json_t *list = config_section(e->api->cfg.config, e->of->section);
	const json_t *before = edit_get(e->request, "before");
	size_t n = json_array_size(list), place;

	if (before != NULL && !json_is_string(before)) {
		reply_error(e->reply, 400, "before: is not a string");
		return false;
	}
	place = edit_find(list, "id", json_string_value(before));
	e->before = place < n ? place : SIZE_MAX;
	return true;
}

static bool read_by_id(struct edit *e)
{
	const char *member = e->of->member;
	bool objects = e->of->key == COLLECTION_OBJECTS;
	const json_t *wanted = edit_get(e->request, member);
	const json_t *id = edit_get(e->request, "id");

	if (wanted == NULL && objects)
		reply_error(e->reply, 400, "%s: is missing", member);
	else if (wanted == NULL)
		drop(e, "");
	else if (objects && !json_is_object(wanted))
		reply_error(e->reply, 400, "%s: is not an object", member);
	if (is_answered(e) ||
	    !edit_object(e->request, member, &e->wanted, e->reply))
		return false;
	if (id != NULL && !json_is_string(id)) {
		reply_error(e->reply, 400, "id: is not a string");
		return false;
	}
	if (!edit_gid(e->request, &e->gid, e->reply) || !read_before(e))
		return false;
	e->id = json_string_value(id);
	e->remove = edit_is_removal(e->wanted);
	e->place = edit_find(config_section(e->api->cfg.config,
					    e->of->section), "id", e->id);
	return true;
}

/* Judges a removal.  The removal of an unknown id is an error only for
 * COLLECTION_OBJECTS.  False: the reply already has the error. */
static bool judge_removal(struct edit *e)
{
	if (e->of->key != COLLECTION_OBJECTS || e->old != NULL)
		return e->of->judge_removal == NULL ||
		       e->of->judge_removal(e);
	if (e->id == NULL)
		reply_error(e->reply, 400, "id: is missing");
	else
		reply_error(e->reply, 404, "id: there is no %s \"%.64s\"",
			    e->of->member, e->id);
	return false;
}

static bool judge_id(struct edit *e)
{
	const char *noun = e->of->member;
	const json_t *own = json_object_get(e->entry, "id");
	const char *id = json_string_value(own);

	if (id == NULL) {
		reply_error(e->reply, 400, "%s.id: is not a string", noun);
	} else if (!check_id(id)) {
		reply_error(e->reply, 400, "%s.id: \"%.64s\" is not 1 to 64 "
			    "characters of A-Z a-z 0-9 _ . -", noun, id);
	} else if (e->of->key == COLLECTION_OBJECTS && e->id != NULL &&
		   e->old == NULL && strcmp(id, e->id) != 0) {
		/* id in the request names no entry; only for a new entry it may
		 * repeat the id of the entry */
		reply_error(e->reply, 404, "id: there is no %s \"%.64s\"",
			    noun, e->id);
	} else if ((e->old == NULL || strcmp(id, e->id) != 0) &&
		   edit_entry(e->api, e->of->section, id) != NULL) {
		/* `was' null: the client did not know the entry, so another
		 * client has added it meanwhile */
		if (e->id == NULL && json_is_null(json_object_get(e->request,
								  "was")))
			(void)edit_is_as_known(e->request, noun,
					       edit_entry(e->api,
							  e->of->section, id),
					       e->reply);
		else if (e->id != NULL)
			reply_error(e->reply, 400, "%s.id: \"%.64s\" is the "
				    "id of another %s", noun, id, noun);
		else
			reply_error(e->reply, 400, "%s.id: \"%.64s\" exists: "
						   "to change it, send its id "
						   "as \"id\" beside \"%s\", "
						   "too", noun, id, noun);
	}
	return !is_answered(e);
}

static bool make_entry(struct edit *e)
{
	const struct field_table *fields = e->of->fields;
	bool by_id = e->of->key <= COLLECTION_ENTRIES;
	char text[GID_TEXT_MAX];
	struct errmsg error;

	if (by_id && e->old != NULL && edit_get(e->request, "before") != NULL) {
		reply_error(e->reply, 400, "before: is only possible for a new "
					   "entry, and this %s exists",
			    e->of->member);
		return false;
	}
	for (size_t i = 0; e->of->key == COLLECTION_ENTRIES && i < fields->n;
	     i++)
		if ((fields->rows[i].flags & FIELD_REQUIRED) &&
		    edit_get(e->wanted, fields->rows[i].key) == NULL) {
			drop(e, fields->rows[i].key);
			return false;
		}
	e->entry = edit_entry_copy(e->wanted);
	if (by_id && json_object_get(e->entry, "id") == NULL) {
		if (e->id == NULL)
			edit_next_id(e->api, &e->next_gid, text);
		(void)json_object_set_new(e->entry, "id", json_string(
					  e->id != NULL ? e->id : text));
	}
	if ((by_id && !judge_id(e)) ||
	    !edit_fits(e->entry, e->of->member, e->reply))
		return false;
	if (fields != NULL && field_read(fields, e->entry, NULL, &error) < 0) {
		reply_error(e->reply, 400, "%s.%s", e->of->member, error.text);
		return false;
	}
	return e->of->judge == NULL || e->of->judge(e);
}

/* Adds the entry to the list, at the place of `before' or as the last one. */
static void add_to(json_t *list, const struct edit *e)
{
	if (e->old == NULL && e->before < json_array_size(list))
		(void)json_array_insert(list, e->before, e->entry);
	else
		(void)json_array_append(list, e->entry);
}

static void store_in_list(struct edit *e)
{
	json_t *list = edit_list(e->api, e->of->section);
	bool moves = e->of->key == COLLECTION_ENTRIES;

	if (e->old != NULL && (moves || e->entry == NULL))
		(void)json_array_remove(list, e->place);
	if (e->old != NULL && !moves && e->entry != NULL)
		(void)json_array_set(list, e->place, e->entry);
	else if (e->entry != NULL)
		add_to(list, e);
	if (e->of->vanishes && json_array_size(list) == 0) {
		json_decref(list);
		list = NULL;
	}
	config_set_section(e->api->cfg.config, e->of->section, list);
}

/* Adds `before' to the event of a new entry.  An event without `before' means
 * that the entry is the last one, or keeps its index. */
static void add_before(const struct edit *e, json_t *message)
{
	if (e->of->key != COLLECTION_LOGINS && e->old == NULL &&
	    e->before != SIZE_MAX)
		(void)json_object_set(message, "before",
				      json_object_get(e->request, "before"));
}

/* Sends an event that removes the former entry, if there was one, then an event
 * with the new entry and gid, if there is a new entry. */
static void announce_by_id(struct edit *e)
{
	json_t *message;

	if (e->old != NULL) {
		message = edit_message(e->of->command);
		(void)json_object_set_new(message, e->of->member, edit_removal(
			edit_text(e->old, "id"), e->entry != NULL));
		edit_announce(e->api, message);
	}
	if (e->entry != NULL) {
		message = edit_message(e->of->command);
		(void)json_object_set(message, e->of->member, e->entry);
		edit_add_gid(e->api, message);
		add_before(e, message);
		edit_announce(e->api, message);
	}
}

static void announce_by_place(struct edit *e)
{
	json_t *message = edit_message(e->of->command);
	const json_t *id = edit_get(e->request, "id");

	if (e->of->key == COLLECTION_LOGINS)
		(void)json_object_set_new(message, "id", json_string(e->id));
	else if (id != NULL)
		(void)json_object_set(message, "id", (json_t *)id);
	(void)json_object_set_new(message, e->of->member,
				  e->entry != NULL
					  ? json_incref(e->entry)
					  : json_pack("{s:b}", "remove", 1));
	add_before(e, message);
	edit_announce(e->api, message);
}

void collection_store(struct edit *e)
{
	const struct collection *c = e->of;
	struct config *config = e->api->cfg.config;

	if (c->key == COLLECTION_LOGINS && e->entry != NULL)
		config_put_user(config, e->id, json_incref(e->entry));
	else if (c->key == COLLECTION_LOGINS)
		config_remove_user(config, e->id);
	else if (e->old != NULL || e->entry != NULL)
		store_in_list(e);
	edit_set_gid(e->api, e->gid >= 0 ? e->gid : e->next_gid);
	if (c->apply != NULL)
		c->apply(e);
	if (c->announce != NULL)
		c->announce(e);
	else if (c->key <= COLLECTION_ENTRIES)
		announce_by_id(e);
	else
		announce_by_place(e);
	if (c->refers != NULL && e->old != NULL)
		json_decref(stream_refs_follow(e->api, c->refers, e));
}

/* True: the request is a command.  A path (POST api/…) has no `was' and no
 * `dry_run', because its body is the entry itself. */
static bool is_command(const struct edit *e)
{
	return e->reply->call->route.kind == ROUTE_COMMAND;
}

static void foresee(struct edit *e)
{
	const struct collection *c = e->of;
	json_t *effects = effects_new();

	reply_effects(e->reply, c->command, effects);
	if (c->refers != NULL && e->old != NULL)
		json_decref(stream_refs_foresee(e->api, c->refers, e,
						effects));
	if (c->foresee != NULL)
		c->foresee(e, effects);
}

/* Returns the document as it will be after the change, a new reference, so that
 * the entry is not compared with its own former content. */
static json_t *changed_document(const struct edit *e)
{
	json_t *document = json_copy(
		(json_t *)config_document(e->api->cfg.config));
	json_t *list = edit_list(e->api, e->of->section);

	if (e->old != NULL)
		(void)json_array_set(list, e->place, e->entry);
	else
		add_to(list, e);
	(void)json_object_set_new(document, e->of->section, list);
	return document;
}

/* Returns the name of the entry for the log: its id, or its name if the list
 * names entries by place; NULL: it has none (a user). */
static const char *name_of(const struct edit *e)
{
	const char *id = json_string_value(json_object_get(e->entry, "id"));
	const char *name = json_string_value(json_object_get(e->entry,
							     "name"));

	if (e->of->key != COLLECTION_PLACES)
		return id;
	return name != NULL ? name : "no name";
}

/* Warns that `before' names no entry, because another client has removed it. */
static void warn_before(const struct edit *e)
{
	const char *before = edit_text(e->request, "before");
	struct errmsg text;

	if (e->of->key > COLLECTION_ENTRIES || before == NULL ||
	    e->before != SIZE_MAX ||
	    (e->of->key == COLLECTION_ENTRIES &&
	     !users_wants_warnings(e->request)))
		return;
	errmsg_set(&text, "there is no %s \"%.64s\": the new entry is the last "
			  "of the list",
		   e->of->member, before);
	reply_warn(e->reply, "before", text.text);
}

/* Adds the warnings about the entry to the reply.  is_stored: logs them too;
 * false (dry run): judges the entry in changed_document(). */
static void warn(struct edit *e, bool is_stored)
{
	bool is_list = e->of->key != COLLECTION_LOGINS;
	json_t *document = NULL;
	struct check_entry entry = {
		.section = e->of->section,
		.path = e->of->member,
		.entry = e->entry,
		.document = config_document(e->api->cfg.config),
	};

	if (!is_command(e) || e->entry == NULL)
		return;
	warn_before(e);
	if (!is_stored && is_list)
		entry.document = document = changed_document(e);
	entry_warnings(e->request, &entry, is_stored ? name_of(e) : NULL,
		       e->reply);
	json_decref(document);
}

static void carry_out(struct edit *e)
{
	if (is_command(e) && effects_only(e->request)) {
		foresee(e);
		warn(e, false);
		return;
	}
	collection_store(e);
	reply_ok(e->reply, e->of->command);
	/* a client that does not send `was' expects a reply with one key */
	if (e->next_gid >= 0 && json_object_get(e->request, "was") != NULL)
		(void)json_object_set(e->reply->body, "id",
				      json_object_get(e->entry, "id"));
	warn(e, true);
	if (e->of->finish != NULL)
		e->of->finish(e);
}

void collection_set(const struct collection *c, struct api *api,
		    const json_t *request, struct reply *reply, void *arg)
{
	struct edit e = {
		.of = c,
		.api = api,
		.request = request,
		.reply = reply,
		.gid = -1,
		.next_gid = -1,
		.before = SIZE_MAX,
		.arg = arg,
	};

	if (!(c->read != NULL ? c->read(&e) : read_by_id(&e)))
		return;
	/* keeps a reference, because the entry leaves the list and its texts
	 * are still used */
	e.old = json_incref(json_array_get(
		config_section(api->cfg.config, c->section), e.place));
	if ((!is_command(&e) ||
	     edit_is_as_known(request, c->member, e.old, reply)) &&
	    (e.remove ? judge_removal(&e) : make_entry(&e)))
		carry_out(&e);
	json_decref(e.old);
	json_decref(e.entry);
}
