/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/check.h"

#include "common/base/address.h"
#include "common/base/ip_prefix.h"
#include "common/account/origin.h"
#include "common/account/user.h"
#include "master/config/config_fields.h"
#include "master/config/entry.h"
#include "master/config/judge.h"
#include "master/config/keep_active.h"
#include "master/config/link_graph.h"
#include "master/config/play_conf.h"
#include "master/config/stream_conf.h"
#include "master/config/viewer_settings.h"
#include "proto/spec/epg_export.h"
#include "proto/spec/stream_spec.h"
#include "proto/wire/http_target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Judges the addresses of proxies whose X-Real-IP is trusted. */
static void judge_real_ip(struct judge *j, const json_t *settings)
{
	const json_t *list = json_object_get(settings, "real_ip_trusted");
	const json_t *item;
	struct ip_prefix prefix;
	size_t mark, i;

	if (list == NULL &&
	    json_is_true(json_object_get(settings, "allow_real_ip"))) {
		mark = judge_down(j, "allow_real_ip");
		judge_add(j, CHECK_WARNING, "every client can claim any "
					    "address with X-Real-IP, and so "
					    "guess passwords without being "
					    "locked: list the proxies in "
					    "real_ip_trusted");
		judge_up(j, mark);
	}
	mark = judge_down(j, "real_ip_trusted");
	json_array_foreach((json_t *)list, i, item) {
		const char *text = json_string_value(item);
		size_t inner = judge_down_index(j, i);

		if (text != NULL && ip_prefix_parse(text, &prefix) < 0)
			judge_add(j, CHECK_FAULT, "\"%.64s\" is not an address "
						  "or network", text);
		judge_up(j, inner);
	}
	judge_up(j, mark);
}

/* Reports a certificate without a key, a key without a certificate, and
 * control_tls_only without both. */
static void judge_certificate(struct judge *j, const json_t *settings)
{
	static const char *const keys[] = { "crt_chain", "crt_key" };
	bool there[2];

	for (size_t i = 0; i < 2; i++)
		there[i] = json_string_length(
				   json_object_get(settings, keys[i])) > 0;
	for (size_t i = 0; i < 2; i++) {
		size_t mark = judge_down(j, keys[i]);

		if (!there[i] && there[1 - i])
			judge_add(j, CHECK_FAULT, "is missing, and %s is set",
				  keys[1 - i]);
		judge_up(j, mark);
	}
	if (!there[0] && !there[1] &&
	    json_is_true(json_object_get(settings, "control_tls_only"))) {
		size_t mark = judge_down(j, "control_tls_only");

		judge_add(j, CHECK_FAULT, "without crt_chain and crt_key "
			  "only this machine can connect");
		judge_up(j, mark);
	}
}

/* Warns that http_keep_active has no effect, because streams with HLS always
 * run. */
static void judge_keep_default(struct judge *j, const json_t *settings)
{
	size_t mark = judge_down(j, "http_keep_active");
	struct errmsg error;
	int keep_s;

	if (keep_active_read(json_object_get(settings, "http_keep_active"),
			     &keep_s, &error) == 0 && keep_s != KEEP_ALWAYS &&
	    json_is_true(json_object_get(settings, "http_play_hls")) &&
	    !json_is_true(json_object_get(settings, "hls_on_demand")))
		judge_add(j, CHECK_WARNING, "has no effect while http_play_hls "
					    "is true and hls_on_demand is not: "
					    "all streams are always on");
	judge_up(j, mark);
}

static void judge_origins(struct judge *j, const json_t *settings)
{
	size_t mark = judge_down(j, "web_origins");
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(settings, "web_origins"), i, item) {
		const char *text = json_string_value(item);

		if (text != NULL && !origin_is_valid(text))
			judge_add(j, CHECK_FAULT, "\"%.64s\" is not an origin "
				  "as in \"https://host:port\": small "
				  "letters, no path, no default port", text);
	}
	judge_up(j, mark);
}

static void on_remark(const char *text, void *arg)
{
	judge_add(arg, CHECK_WARNING, "%s", text);
}

static void judge_epg(struct judge *j, const json_t *settings, const char *key)
{
	bool is_export = strcmp(key, "epg_export") == 0;
	const json_t *list = json_object_get(settings, key);
	size_t mark = judge_down(j, key), i;
	const json_t *item;

	json_array_foreach(list, i, item) {
		const char *text = json_string_value(item);
		struct epg_export_spec export;
		struct epg_source_spec source;
		struct errmsg error;
		size_t place = judge_down_index(j, i);
		int r = 0;

		if (text != NULL)
			r = is_export ? epg_export_parse(text, &export, &error)
				      : epg_source_parse(text, &source, &error);
		if (r < 0)
			judge_add(j, CHECK_FAULT, "%s", error.text);
		else if (text != NULL && is_export)
			epg_export_remark(text, on_remark, j);
		else if (text != NULL)
			epg_source_remark(text, on_remark, j);
		judge_up(j, place);
	}
	judge_up(j, mark);
}

/* True: the path of a request below this control_path is not changed by URL
 * normalisation, so the control interface can be reached. */
static bool is_reachable(const char *path)
{
	char text[CONTROL_PATH_MAX + 3], target[CONTROL_PATH_MAX + 3];
	const char *read, *query;
	size_t len;

	path += strspn(path, "/");
	len = strlen(path);
	while (len > 0 && path[len - 1] == '/')
		len--;
	if (len > CONTROL_PATH_MAX)
		return false;
	(void)snprintf(text, sizeof text, "/%.*s%s", (int)len, path,
		       len > 0 ? "/" : "");
	memcpy(target, text, strlen(text) + 1);
	return http_target_read(target, false, &read, &query) == NULL &&
	       query[0] == '\0' && strcmp(read, text) == 0;
}

/* Judges the name of the category whose groups are the group titles in the
 * playlist. */
static void judge_arrange(struct judge *j, const json_t *document)
{
	const json_t *list = json_object_get(document, "categories");
	const char *name = json_string_value(json_object_get(
		json_object_get(document, "settings"), "playlist_arrange"));
	size_t mark = judge_down(j, "playlist_arrange");

	if (name != NULL && name[0] != '\0' && json_array_size(list) > 0 &&
	    entry_find(list, "name", name) == NULL)
		judge_add(j, CHECK_WARNING, "there is no category \"%.64s\"",
			  name);
	judge_up(j, mark);
}

static void judge_settings(struct judge *j, const json_t *document,
			   struct sockaddr_any *ret, bool *ret_known)
{
	const json_t *settings = json_object_get(document, "settings");
	const json_t *port = json_object_get(settings, "control_port");
	size_t mark = judge_down(j, "settings");
	size_t inner = judge_down(j, "control_port");
	json_t *defaults = json_object();
	const char *path;
	struct stream_spec spec;
	struct errmsg error;

	*ret_known = false;
	if (port != NULL && check_control_port_value(port, ret, &error) < 0)
		judge_add(j, CHECK_FATAL, "%s", error.text);
	else
		*ret_known = port != NULL;
	judge_up(j, inner);
	if (json_is_object(settings))
		judge_fields(j, &settings_fields, settings, NULL);
	inner = judge_down(j, "control_path");
	path = json_string_value(json_object_get(settings, "control_path"));
	if (path != NULL && !is_reachable(path))
		judge_add(j, CHECK_FAULT, "\"%.64s\" makes the control "
			  "interface unreachable: use names with '/' between "
			  "them, of at most %d bytes together, without \"..\", "
			  "'?', '#' and '%%'", path, CONTROL_PATH_MAX);
	judge_up(j, inner);
	judge_real_ip(j, settings);
	judge_origins(j, settings);
	judge_epg(j, settings, "epg_sources");
	judge_epg(j, settings, "epg_export");
	inner = judge_down(j, "epg_dictionary");
	path = json_string_value(json_object_get(settings, "epg_dictionary"));
	if (path != NULL && path[0] != '\0' && path[0] != '/')
		judge_add(j, CHECK_FAULT, "\"%.64s\" does not begin with '/'",
			  path);
	judge_up(j, inner);
	judge_certificate(j, settings);
	judge_arrange(j, document);
	judge_keep_active(j, settings);
	judge_keep_default(j, settings);
	stream_spec_add_defaults(defaults, settings);
	judge_fields(j, &stream_option_fields, defaults, &spec);
	json_decref(defaults);
	judge_up(j, mark);
}

/* Judges the port of the play paths (play_conf.h); control: address of the
 * control server; NULL: unknown. */
static void judge_play(struct judge *j, const json_t *settings,
		       const struct sockaddr_any *control)
{
	size_t mark = judge_down(j, "settings.http_play_port");
	struct sockaddr_any at;
	struct errmsg error;
	int r = play_conf_port(settings, &at, &error);

	if (r < 0)
		judge_add(j, CHECK_FAULT, "%s", error.text);
	else if (r > 0 && control != NULL &&
		 play_conf_collides(&at, control))
		judge_add(j, CHECK_WARNING, "is the port of the control "
					    "server, which serves the play "
					    "paths anyway: remove this "
					    "setting, or choose another port");
	judge_up(j, mark);
}

bool check_closes_viewers(const json_t *document)
{
	char url[VIEWER_URL_MAX];
	struct errmsg error;
	const json_t *enable = json_object_get(
		json_object_get(document, "auth"), "enable");

	/* a value that is no boolean may be meant as true */
	if (enable != NULL && !json_is_boolean(enable) &&
	    !json_is_null(enable))
		return true;
	return json_is_true(enable) &&
	       viewer_backend_url(json_object_get(document, "auth"), url,
				  &error) < 0;
}

void judge_user(struct judge *j, const json_t *user)
{
	const json_t *type = json_object_get(user, "type");
	const json_t *limit = json_object_get(user, "conlimit");
	const char *text = json_string_value(limit);
	const json_t *ip = json_object_get(user, "ip");
	struct ip_prefix prefix;
	double number = json_number_value(type);
	size_t mark;

	judge_fields(j, &user_fields, user, NULL);
	mark = judge_down(j, "type");
	if (json_is_number(type) && number != USER_CONTROL &&
	    number != USER_OBSERVER && number != USER_REGULAR)
		judge_add(j, CHECK_FAULT, "%g is not 1, 2 or 3", number);
	judge_up(j, mark);
	mark = judge_down(j, "conlimit");
	if (limit != NULL && !json_is_null(limit) && !json_is_number(limit) &&
	    (text == NULL || text[strspn(text, "0123456789")] != '\0' ||
	     strlen(text) >= 16))
		judge_add(j, CHECK_FAULT, "is not a number from 0 on");
	else if (json_number_value(limit) < 0)
		judge_add(j, CHECK_FAULT, "is less than 0: every viewer of the "
					  "user is denied; 0 is any number");
	judge_up(j, mark);
	mark = judge_down(j, "ip");
	if (json_string_length(ip) > 0 &&
	    ip_prefix_parse(json_string_value(ip), &prefix) < 0)
		judge_add(j, CHECK_FAULT, "\"%.64s\" is not an address or "
					  "network",
			  json_string_value(ip));
	judge_up(j, mark);
}

/* Only a warning, because the product that Sluice replaces shows these
 * passphrases, passwords and logins to observers as well. */
bool check_observers(const json_t *document, struct errmsg *ret)
{
	const json_t *settings = json_object_get(document, "settings");
	unsigned observers = 0;
	const char *login;
	json_t *user;

	json_object_foreach(json_object_get(document, "users"), login, user)
		observers += json_number_value(json_object_get(
				     user, "type")) == USER_OBSERVER &&
			     json_is_true(json_object_get(user, "enable"));
	if (observers == 0 ||
	    json_is_true(json_object_get(settings, "observer_redact")))
		return false;
	errmsg_set(ret, "is not true: %u observer%s passphrases and passwords "
			"in addresses and logins of other servers",
		   observers, observers == 1 ? " reads" : "s read");
	return true;
}

static void judge_users(struct judge *j, const json_t *document)
{
	size_t mark = judge_down(j, CHECK_USERS_PATH);
	const char *login;
	json_t *user;

	json_object_foreach(json_object_get(document, "users"), login, user) {
		size_t inner = judge_down(j, login);

		if (json_is_object(user))
			judge_user(j, user);
		else
			judge_add(j, CHECK_FAULT, "is not an object");
		judge_up(j, inner);
	}
	judge_up(j, mark);
}

static void judge_streams(struct judge *j, const json_t *document,
			  const struct sockaddr_any *control)
{
	const json_t *streams = json_object_get(document, "make_stream");
	struct judge_outputs outputs = {
		.taken = json_object(),
		.control = control,
		.settings = json_object_get(document, "settings"),
	};
	json_t *ids = json_object();
	size_t mark = judge_down(j, "make_stream");
	const json_t *stream;
	struct link_graph links;
	size_t i;

	link_graph_init(&links, streams, json_object_get(document, "dvb_tune"));

	if (streams != NULL && !json_is_array(streams))
		judge_add(j, CHECK_FATAL, "is not a list");
	json_array_foreach((json_t *)streams, i, stream) {
		const char *id = json_string_value(
			json_object_get(stream, "id"));
		size_t inner = judge_down_index(j, i);
		const json_t *other;

		judge_stream(j, stream, &outputs);
		judge_links(j, stream, &links, NULL);
		judge_others(j, stream, streams);
		judge_cams(j, stream, json_object_get(document, "softcam"));
		judge_feeds(j, stream, json_object_get(document, "dvb_tune"));
		judge_names(j, stream, document);
		judge_idle_keys(j, stream, streams, id);
		/* of two streams with the same id, the later one has the
		 * fault */
		other = id != NULL ? json_object_get(ids, id) : NULL;
		if (id != NULL && other == NULL)
			(void)json_object_set_new(ids, id,
						  json_string(j->path));
		(void)judge_down(j, "id");
		if (other != NULL)
			judge_add(j, CHECK_FAULT,
				  "\"%.64s\" is already the id of %s", id,
				  json_string_value(other));
		judge_up(j, inner);
	}
	judge_up(j, mark);
	link_graph_done(&links);
	json_decref(outputs.taken);
	json_decref(ids);
}

unsigned check_document(const json_t *document,
			const struct sockaddr_any *control,
			check_found_fn *found, void *arg)
{
	const json_t *log = json_object_get(document, "log");
	struct judge j = { .found = found, .arg = arg };
	struct errmsg warning;
	struct sockaddr_any configured;
	bool is_configured;
	size_t mark;

	if (!json_is_object(document)) {
		judge_add(&j, CHECK_FATAL, "is not an object");
		return j.faults;
	}
	judge_fields(&j, &document_fields, document, NULL);
	judge_settings(&j, document, &configured, &is_configured);
	mark = judge_down(&j, "log");
	if (json_is_object(log))
		judge_fields(&j, &log_fields, log, NULL);
	judge_up(&j, mark);
	judge_auth(&j, document);
	judge_users(&j, document);
	mark = judge_down(&j, CHECK_OBSERVERS_PATH);
	if (check_observers(document, &warning))
		judge_add(&j, CHECK_WARNING, "%s", warning.text);
	judge_up(&j, mark);
	if (control == NULL && is_configured)
		control = &configured;
	judge_play(&j, json_object_get(document, "settings"), control);
	judge_ids(&j, document, "dvb_tune", "the adapter does not run");
	judge_ids(&j, document, "softcam", "the softcam is not used");
	judge_categories(&j, json_object_get(document, "categories"));
	judge_entries(&j, document);
	judge_idle_settings(&j, document);
	judge_streams(&j, document, control);
	return j.faults;
}

void check_keep_error(enum check_severity severity, const char *path,
		      const char *text, void *arg)
{
	static const char *const lists[] = { "make_stream[", "dvb_tune[",
					     "softcam[", "categories[" };
	struct errmsg *error = arg;
	bool is_inside = false;

	if (severity == CHECK_WARNING || error->text[0] != '\0')
		return;
	/* an error in a member of an entry, which is stored nevertheless */
	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		is_inside |= strncmp(path, lists[i], strlen(lists[i])) == 0 &&
			     strchr(path, '.') != NULL;
	if (severity == CHECK_FATAL || !is_inside)
		errmsg_set(error, "%s: %s", path, text);
}

int check_section(const char *key, const json_t *value, struct errmsg *error)
{
	json_t *document = json_object();

	/* changes only the reference count of the value */
	(void)json_object_set(document, key, (json_t *)value);
	error->text[0] = '\0';
	(void)check_document(document, NULL, check_keep_error, error);
	json_decref(document);
	return error->text[0] != '\0' ? -EINVAL : 0;
}

/* Checks a stream.  before: only streams with a lower index in the document
 * count as neighbours. */
static unsigned check_one(const json_t *stream,
			  const struct check_place *place, size_t before,
			  check_found_fn *found, void *arg)
{
	const json_t *streams = json_object_get(place->document,
						"make_stream");
	struct stream_confs *read = NULL;
	struct judge_outputs outputs = {
		.taken = json_object(),
		.control = place->control,
		.settings = json_object_get(place->document, "settings"),
		.neighbours = place->neighbours,
		.self = place->self,
		.before = before,
	};
	const struct link_graph *links = place->links;
	struct judge j = { .found = found, .arg = arg };
	struct link_graph made;

	if (links == NULL) {
		link_graph_init(&made, streams,
				json_object_get(place->document, "dvb_tune"));
		links = &made;
	}
	if (outputs.neighbours == NULL) {
		outputs.neighbours = read = stream_confs_new();
		stream_confs_set(read, streams);
	}
	(void)snprintf(j.path, sizeof j.path, "%s", place->path);
	judge_stream(&j, stream, &outputs);
	judge_links(&j, stream, links, place->self);
	judge_others(&j, stream, streams);
	judge_cams(&j, stream, json_object_get(place->document, "softcam"));
	judge_feeds(&j, stream, json_object_get(place->document, "dvb_tune"));
	judge_names(&j, stream, place->document);
	/* other streams still name the former id */
	judge_idle_keys(&j, stream, streams, place->self != NULL
			? place->self : json_string_value(
				json_object_get(stream, "id")));
	stream_confs_free(&read);
	if (links == &made)
		link_graph_done(&made);
	json_decref(outputs.taken);
	return j.faults;
}

unsigned check_stream(const json_t *stream, const struct check_place *place,
		      check_found_fn *found, void *arg)
{
	return check_one(stream, place, SIZE_MAX, found, arg);
}

unsigned check_stream_at(size_t i, const struct check_place *place,
			 check_found_fn *found, void *arg)
{
	const json_t *streams = json_object_get(place->document,
						"make_stream");
	struct check_place at = *place;
	char path[48];

	(void)snprintf(path, sizeof path, "make_stream[%zu]", i);
	at.path = path;
	return check_one(json_array_get(streams, i), &at, i, found, arg);
}
