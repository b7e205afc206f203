/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges entries of softcam, cas, dvb_tune, servers and users.  Errors are what
 * set-softcam and set-adapter refuse.  Warnings are what these commands store
 * although it cannot work, or has no effect.  A start accepts both, because
 * earlier versions stored any value. */
#include "common/account/user.h"
#include "master/config/adapter_conf.h"
#include "master/config/config_fields.h"
#include "master/config/entry.h"
#include "master/config/judge.h"
#include "master/config/link_graph.h"
#include "master/config/lnb_sharing.h"
#include "master/config/softcam_conf.h"
#include "proto/spec/cas_spec.h"
#include "proto/spec/ci_spec.h"
#include "proto/spec/field_idle.h"
#include "proto/spec/satip_spec.h"
#include "proto/spec/stream_spec.h"
#include "proto/spec/t2mi_spec.h"
#include "proto/spec/tuner_spec.h"

#include <errno.h>
#include <string.h>

#define NEEDS_ENABLE "does nothing without enable"

static void on_found(const char *path, const char *text, void *arg)
{
	size_t mark = judge_down(arg, path);

	judge_add(arg, CHECK_WARNING, "%s", text);
	judge_up(arg, mark);
}

static void judge_softcam(struct judge *j, const json_t *softcam)
{
	unsigned before = j->faults;

	/* a missing id is reported by judge_ids() */
	if (json_object_get(softcam, "id") == NULL)
		return;
	judge_fields(j, &softcam_fields, softcam, NULL);
	/* warns only if there is no error, because a warning would repeat it */
	if (j->faults == before)
		softcam_conf_warn(softcam, on_found, j);
}

static void judge_cas_entry(struct judge *j, const json_t *entry)
{
	struct cas_entry ignored;
	struct errmsg error;

	if (cas_entry_read(entry, &ignored, &error) < 0)
		judge_add(j, CHECK_WARNING, "%s", error.text);
	field_find_idle(&cas_entry_fields, entry, 0, on_found, j);
}

static void judge_tuner(struct judge *j, const json_t *adapter)
{
	struct tuner_spec spec;
	unsigned where;

	if (tuner_spec_parse(adapter, &spec, NULL) < 0)
		return;
	switch (spec.system) {
	case TUNER_S:
	case TUNER_S2:
		where = WHERE_SATELLITE;
		break;
	case TUNER_T:
	case TUNER_T2:
	case TUNER_ISDBT:
		where = WHERE_TERRESTRIAL;
		break;
	default:
		where = WHERE_CABLE;
	}
	field_find_idle(&tuner_fields, adapter, where, on_found, j);
}

/* Warns of tuner keys in an adapter with an address or a server, which does not
 * read them.  The key type is allowed in every adapter. */
static void judge_no_tuner(struct judge *j, const json_t *adapter)
{
	bool server = json_object_get(adapter, "server") != NULL;
	json_t *read = server ? satip_spec_keys(adapter) : json_object();

	ci_spec_copy(adapter, read);
	for (size_t i = 0; i < tuner_fields.n; i++) {
		const struct field *f = &tuner_fields.rows[i];

		if (strcmp(f->key, "type") != 0 &&
		    json_object_get(read, f->key) == NULL &&
		    field_is_asked(f, adapter))
			on_found(f->key,
				 server ? "does nothing with a server"
					: "does nothing with an address", j);
	}
	json_decref(read);
}

/* Warns of keys of CI slots without effect.  (The table of fields is not
 * sufficient: slot 0 of adapter 0 is a valid slot.) */
static void judge_slot(struct judge *j, const json_t *adapter)
{
	bool ci = ci_spec_is(adapter);
	struct ci_spec spec;

	if (ci_spec_parse(adapter, &spec, NULL) < 0)
		return;
	for (size_t i = 0; i < ci_fields.n; i++) {
		const struct field *f = &ci_fields.rows[i];
		bool device = strcmp(f->key, "ddci_device") == 0;

		if ((device || strcmp(f->key, "bitrate") == 0) &&
		    field_is_asked(f, adapter) &&
		    (!spec.used || (ci && device)))
			on_found(f->key, ci ? "does nothing with type CI"
					    : "does nothing without ddci", j);
	}
}

/* Reports a fault; error begins with the key, "key: text". */
static void add_fault(struct judge *j, struct errmsg *error)
{
	char *text = strstr(error->text, ": ");
	size_t mark;

	if (text == NULL) {
		judge_add(j, CHECK_FAULT, "%s", error->text);
		return;
	}
	*text = '\0';
	mark = judge_down(j, error->text);
	judge_add(j, CHECK_FAULT, "%s", text + 2);
	judge_up(j, mark);
}

/* Judges the stream whose output an adapter receives: it exists, is enabled,
 * and the adapter does not receive what it sends itself. */
static void judge_source(struct judge *j, const json_t *adapter,
			 const json_t *document)
{
	const json_t *streams = json_object_get(document, "make_stream");
	const json_t *stream;
	char link[IO_FEED_MAX + 1];
	struct link_graph graph;
	struct errmsg error;
	bool loops;

	adapter_conf_link(adapter, link);
	if (link[0] == '\0')
		return;
	link_graph_init(&graph, streams, json_object_get(document, "dvb_tune"));
	loops = link_graph_adapter_loops(&graph, adapter, NULL, &error);
	link_graph_done(&graph);
	stream = entry_find(streams, "id", link);
	if (loops)
		add_fault(j, &error);
	else if (stream == NULL)
		judge_add(j, CHECK_WARNING, "address: there is no stream "
			  "\"%.64s\"", link);
	else if (json_is_true(json_object_get(adapter, "enable")) &&
		 !json_is_true(json_object_get(stream, "enable")))
		judge_add(j, CHECK_WARNING, "address: stream \"%.64s\" is "
			  "disabled", link);
}

static void judge_adapter(struct judge *j, const json_t *adapter,
			  const json_t *document)
{
	const json_t *adapters = json_object_get(document, "dvb_tune");
	unsigned before = j->faults;
	struct errmsg error;
	int r;

	/* a missing id is reported by judge_ids() */
	if (json_object_get(adapter, "id") == NULL)
		return;
	judge_fields(j, &adapter_fields, adapter, NULL);
	/* why an enabled adapter cannot run; not after an error, which this
	 * would repeat */
	if (j->faults == before &&
	    json_is_true(json_object_get(adapter, "enable"))) {
		r = adapter_conf_judge(adapters, adapter, &error);
		if (r == -EINVAL)
			add_fault(j, &error);
		else if (r < 0 || lnb_sharing_lacks(adapters, adapter, &error))
			judge_add(j, CHECK_WARNING, "%s", error.text);
	}
	field_find_idle(&t2mi_fields, adapter, 0, on_found, j);
	judge_slot(j, adapter);
	judge_source(j, adapter, document);
	if (tuner_spec_is(adapter))
		judge_tuner(j, adapter);
	else
		judge_no_tuner(j, adapter);
}

/* Judges the entry of another headend, whose host the web interface
 * contacts. */
static void judge_server(struct judge *j, const json_t *server)
{
	const json_t *host = json_object_get(server, "host");

	if (!json_is_object(server))
		return;
	if (host == NULL ||
	    (json_is_string(host) && json_string_length(host) == 0))
		judge_add(j, CHECK_WARNING, "host: is %s",
			  host == NULL ? "missing" : "empty");
	(void)field_check(&server_fields, server, NULL, on_found, j);
}

/* Judges the categories that the user may watch.  If the document has no
 * categories, any name is allowed. */
static void judge_packages(struct judge *j, const json_t *user,
			   const json_t *document)
{
	const json_t *categories = json_object_get(document, "categories");
	size_t mark = judge_down(j, "packages"), i;
	const json_t *item;

	json_array_foreach(json_object_get(user, "packages"), i, item) {
		const char *name = json_string_value(item);
		size_t inner = judge_down_index(j, i);

		if (name != NULL && strcmp(name, "ALL") != 0 &&
		    json_array_size(categories) > 0 &&
		    entry_find(categories, "name", name) == NULL)
			judge_add(j, CHECK_WARNING, "there is no category "
				  "\"%.64s\"", name);
		judge_up(j, inner);
	}
	judge_up(j, mark);
}

/* True: viewers need no authorization.  (A value that is no boolean closes all
 * http outputs.) */
static bool is_open(const json_t *document)
{
	const json_t *enable = json_object_get(
		json_object_get(document, "auth"), "enable");

	return enable == NULL || json_is_false(enable) || json_is_null(enable);
}

static void add_key(struct errmsg *keys, const char *key)
{
	const struct errmsg before = *keys;

	errmsg_set(keys, "%s%s%s", before.text,
		   before.text[0] != '\0' ? ", " : "", key);
}

static void on_user_key(const char *key, const char *text, void *arg)
{
	(void)text;
	add_key(arg, key);
}

bool check_user_idle(const json_t *user, const json_t *document,
		     struct errmsg *ret)
{
	struct errmsg keys = { 0 };

	if (is_open(document))
		field_find_idle(&user_fields, user, WHERE_OPEN, on_user_key,
				&keys);
	errmsg_set(ret, "without auth.enable these have no effect: %s",
		   keys.text);
	return keys.text[0] != '\0';
}

bool check_control_users(const json_t *document, bool has_file,
			 struct errmsg *ret)
{
	static const char none[] = "no control user can log in (type 1, "
				   "enabled, with a password): streams and "
				   "settings cannot be changed";

	if (user_none(document)) {
		errmsg_set(ret, "there is no user: no login is possible until "
			   "the service restarts (SIGUSR2), which creates the "
			   "user admin and prints its password");
		return true;
	}
	if (!user_locked_out(document))
		return false;
	if (has_file)
		errmsg_set(ret, "%s through the API until sluice "
			   "--reset-password LOGIN -c FILE adds the new user "
			   "LOGIN, or the file is edited, and SIGHUP or a "
			   "restart loads the file", none);
	else
		errmsg_set(ret, "%s until the service is stopped and started, "
			   "which loses the configuration, because it has no "
			   "file", none);
	return true;
}

void check_lockout(const json_t *document, bool has_file,
		   check_found_fn *found, void *arg)
{
	struct errmsg warning;

	/* if there is no user, the next start creates one */
	if (!user_none(document) &&
	    check_control_users(document, has_file, &warning))
		found(CHECK_WARNING, CHECK_USERS_PATH, warning.text, arg);
}

/* True: the user has a key that only the authorization of viewers reads. */
static bool has_idle_key(const json_t *user)
{
	const struct field_table *t = &user_fields;

	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].idle_in & WHERE_OPEN &&
		    field_is_asked(&t->rows[i], user))
			return true;
	return false;
}

/* Warns, with one warning, of the keys of users that only the authorization of
 * viewers reads, if viewers need no authorization. */
static void judge_viewers(struct judge *j, const json_t *document)
{
	const struct field_table *t = &user_fields;
	json_t *users = json_object_get(document, "users"), *user;
	struct errmsg keys = { 0 };
	const char *login;
	size_t n = 0;

	if (!is_open(document))
		return;
	json_object_foreach(users, login, user)
		n += has_idle_key(user);
	for (size_t i = 0; i < t->n && n > 0; i++) {
		bool is_asked = false;

		if (!(t->rows[i].idle_in & WHERE_OPEN))
			continue;
		json_object_foreach(users, login, user)
			is_asked |= field_is_asked(&t->rows[i], user);
		if (is_asked)
			add_key(&keys, t->rows[i].key);
	}
	if (n > 0)
		judge_add(j, CHECK_WARNING, "without auth.enable these have no "
			  "effect: %s (users: %zu)", keys.text, n);
}

/* Warns of an id that occurs twice.  Not for adapters and softcams, where
 * judge_ids() reports it as an error. */
static void judge_twice(struct judge *j, const json_t *list,
			const json_t *entry)
{
	const char *id = json_string_value(json_object_get(entry, "id"));
	size_t mark = judge_down(j, "id");

	if (id != NULL && entry_find(list, "id", id) != entry)
		judge_add(j, CHECK_WARNING, "\"%.64s\" is already the id of "
			  "an earlier entry", id);
	judge_up(j, mark);
}

/* Warns of a user who may use the control API and cannot log in, because a
 * password is missing. */
static void judge_password(struct judge *j, const json_t *user)
{
	static const char *const reasons[] = {
		[CIPHER_NONE] = "cipher is not the hash of a password",
		[CIPHER_OLD] = "the hash of the password is of another product",
	};
	struct user u = user_read(user);
	enum user_cipher cipher = user_cipher(&u);

	if (user_may_enter(&u) && cipher != CIPHER_CRYPT)
		judge_add(j, CHECK_WARNING, "%s: the user cannot log in until "
			  "set-user or sluice --reset-password sets a "
			  "password", u.cipher != NULL ? reasons[cipher]
						       : "has no password");
}

void judge_entry(struct judge *j, const char *section, const json_t *entry,
		 const json_t *document)
{
	if (strcmp(section, "softcam") == 0)
		judge_softcam(j, entry);
	else if (strcmp(section, "cas") == 0)
		judge_cas_entry(j, entry);
	else if (strcmp(section, "dvb_tune") == 0)
		judge_adapter(j, entry, document);
	else if (strcmp(section, "servers") == 0)
		judge_server(j, entry);
	else if (strcmp(section, "users") == 0) {
		judge_packages(j, entry, document);
		judge_password(j, entry);
	}
}

void judge_entries(struct judge *j, const json_t *document)
{
	static const char *const lists[] = { "softcam", "cas", "dvb_tune",
					     "servers" };
	const char *login;
	json_t *entry;
	size_t mark, inner, i;

	for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
		const json_t *list = json_object_get(document, lists[k]);

		mark = judge_down(j, lists[k]);
		json_array_foreach((json_t *)(uintptr_t)list, i, entry) {
			inner = judge_down_index(j, i);
			if (strcmp(lists[k], "dvb_tune") != 0 &&
			    strcmp(lists[k], "softcam") != 0)
				judge_twice(j, list, entry);
			judge_entry(j, lists[k], entry, document);
			judge_up(j, inner);
		}
		judge_up(j, mark);
	}
	mark = judge_down(j, "users");
	judge_viewers(j, document);
	json_object_foreach(json_object_get(document, "users"), login, entry) {
		inner = judge_down(j, login);
		judge_entry(j, "users", entry, document);
		judge_up(j, inner);
	}
	judge_up(j, mark);
}

void check_entry(const struct check_entry *entry, check_found_fn *found,
		 void *arg)
{
	struct judge j = { .found = found, .arg = arg };

	(void)judge_down(&j, entry->path);
	judge_entry(&j, entry->section, entry->entry, entry->document);
}

/* --- the keys of a stream --- */

static bool is_listed(const json_t *streams, const char *id)
{
	const json_t *stream, *item;
	size_t i, k;

	json_array_foreach((json_t *)(uintptr_t)streams, i, stream)
		json_array_foreach(json_object_get(stream, "nit_other"), k,
				   item)
			if (id != NULL && json_is_string(item) &&
			    strcmp(json_string_value(item), id) == 0)
				return true;
	return false;
}

unsigned judge_where(const json_t *stream)
{
	const char *type = json_string_value(json_object_get(stream, "type"));

	if (type != NULL && strcmp(type, "spts") == 0)
		return WHERE_SPTS;
	if (type == NULL || strcmp(type, "mpts") != 0)
		return 0;
	return json_array_size(json_object_get(stream, "input")) > 1
		       ? WHERE_MUX
		       : WHERE_RELAY;
}

void judge_idle_keys(struct judge *j, const json_t *stream,
		     const json_t *streams, const char *id)
{
	unsigned where = judge_where(stream);
	bool single = json_array_size(json_object_get(stream, "input")) == 1;
	const char *type = json_string_value(json_object_get(stream,
							     "backup_type"));

	/* keys with FIELD_SHARED have an effect in a multiplex of several
	 * inputs, and in a stream that nit_other of another one names */
	if (where == WHERE_MUX || is_listed(streams, id))
		where |= WHERE_SHARED;
	if (single) {
		where |= WHERE_SINGLE;
		/* only "stop" has an effect with one input */
		if (type != NULL && (strcmp(type, "passive") == 0 ||
				     strcmp(type, "disable") == 0))
			on_found("backup_type", "does nothing with one input",
				 j);
	}
	field_find_idle(&stream_option_fields, stream, where, on_found, j);
	field_find_idle(&stream_fields, stream, where, on_found, j);
}

/* Collects keys of auth that have no effect without enable. */
struct auth_keys {
	struct judge *j;
	struct errmsg text;
	const char *first;
	size_t n;
};

static void on_auth_key(const char *key, const char *text, void *arg)
{
	struct auth_keys *k = arg;

	if (strcmp(text, NEEDS_ENABLE) != 0) {
		on_found(key, text, k->j);
		return;
	}
	k->first = k->n++ == 0 ? key : k->first;
	add_key(&k->text, key);
}

void judge_idle_settings(struct judge *j, const json_t *document)
{
	static const struct {
		const char *key;
		const struct field_table *fields;
	} sections[] = {
		{ "settings", &settings_fields },
		{ "log", &log_fields },
	};
	struct auth_keys k = { .j = j };
	size_t mark;

	for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
		mark = judge_down(j, sections[i].key);

		field_find_idle(sections[i].fields,
				json_object_get(document, sections[i].key), 0,
				on_found, j);
		judge_up(j, mark);
	}
	/* one warning of all keys of auth that have no effect without enable */
	mark = judge_down(j, "auth");
	field_find_idle(&auth_fields, json_object_get(document, "auth"), 0,
			on_auth_key, &k);
	if (k.n == 1)
		on_found(k.first, NEEDS_ENABLE, j);
	else if (k.n > 1)
		judge_add(j, CHECK_WARNING, "without enable these have no "
			  "effect: %s", k.text.text);
	judge_up(j, mark);
}
