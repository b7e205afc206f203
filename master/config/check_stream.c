/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One stream object. */
#include "common/base/iface.h"
#include "master/config/judge.h"
#include "proto/ipc/contract.h"
#include "proto/spec/io_spec.h"
#include "proto/ipc/msg.h"
#include "proto/spec/stream_spec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
	ID_MAX = 64,
	NAME_MAX_BYTES = 1024,
	/* every event client is sent the whole object */
	STREAM_MAX = 256 * 1024,
	/* what a start message may take, less its frame */
	START_MAX = MSG_SIZE_MAX - STREAM_OPTIONS_MAX - 4096,
	OUTPUT_KEY_MAX = IO_PATH_MAX + 256,
	PLACE_MAX = SOCKADDR_TEXT_MAX + 24,
};

bool check_id(const char *id)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz"
				      "0123456789_.-";
	size_t len = strspn(id, allowed);

	return len >= 1 && len <= ID_MAX && id[len] == '\0';
}

static void judge_id(struct judge *j, const json_t *stream)
{
	const json_t *id = json_object_get(stream, "id");
	size_t mark = judge_down(j, "id");

	if (id == NULL)
		judge_say(j, CHECK_FAULT, "is missing");
	else if (!json_is_string(id))
		judge_say(j, CHECK_FAULT, "is not a string");
	else if (!check_id(json_string_value(id)))
		judge_say(j, CHECK_FAULT,
			  "\"%.64s\" is not 1 to %d characters of A-Z a-z 0-9 "
			  "_ . -", json_string_value(id), ID_MAX);
	judge_up(j, mark);
}

static void judge_type(struct judge *j, const json_t *stream)
{
	const char *type = json_string_value(json_object_get(stream, "type"));
	size_t mark = judge_down(j, "type");

	if (type != NULL && strcmp(type, "spts") != 0 &&
	    strcmp(type, "mpts") != 0)
		judge_say(j, CHECK_FAULT, "\"%.32s\" is not spts or mpts",
			  type);
	judge_up(j, mark);
}

static void judge_name(struct judge *j, const json_t *stream)
{
	size_t mark = judge_down(j, "name");

	if (json_string_length(json_object_get(stream, "name")) >
	    NAME_MAX_BYTES)
		judge_say(j, CHECK_FAULT, "is longer than %d bytes",
			  NAME_MAX_BYTES);
	judge_up(j, mark);
}

static void judge_groups(struct judge *j, const json_t *stream)
{
	size_t mark = judge_down(j, "groups");
	const char *category;
	json_t *group;

	json_object_foreach(json_object_get(stream, "groups"), category,
			    group) {
		size_t inner = judge_down(j, category);

		if (!json_is_string(group))
			judge_say(j, CHECK_FAULT, "is not a string");
		judge_up(j, inner);
	}
	judge_up(j, mark);
}

static void say_remark(const char *text, void *arg)
{
	judge_say(arg, CHECK_WARNING, "%s", text);
}

/* An address of a later version may wait in a stream that is off. */
static void say_address(struct judge *j, int r, bool enabled,
			const struct errmsg *why)
{
	judge_say(j, r == -ENOTSUP && !enabled ? CHECK_WARNING : CHECK_FAULT,
		  "%s", why->text);
}

static bool is_dvb(const char *address)
{
	return strncasecmp(address, "dvb://", 6) == 0;
}

/* Notes that this address takes key; the path of one that had it, or NULL. */
static const char *take(struct judge *j, struct judge_outputs *all,
			const char *key)
{
	const json_t *other = json_object_get(all->taken, key);

	if (other != NULL)
		return json_string_value(other);
	(void)json_object_set_new_nocheck(all->taken, key,
					  json_string_nocheck(j->path));
	return NULL;
}

/* "own make_stream[2] eth0@239.1.1.1:1234", of the stream that we are in. */
static void format_own(const struct judge *j, const char *where,
		       char key[OUTPUT_KEY_MAX])
{
	const char *dot = strrchr(j->path, '.');

	(void)snprintf(key, OUTPUT_KEY_MAX, "own %.*s %s",
		       dot != NULL ? (int)(dot - j->path) : 0, j->path, where);
}

/* Two who listen on one port: only one of them can. */
static void judge_srt(struct judge *j, const struct srt_spec *spec,
		      struct judge_outputs *all)
{
	char key[OUTPUT_KEY_MAX];
	const char *other;

	if (spec->mode != SRT_LISTENER)
		return;
	(void)snprintf(key, sizeof key, "srt %s@%.64s:%u", spec->iface,
		       spec->host, (unsigned)spec->port);
	other = take(j, all, key);
	if (other != NULL)
		judge_say(j, CHECK_FAULT, "is already the address of %s",
			  other);
}

static bool is_any(const struct sockaddr_any *a)
{
	return a->sa.sa_family == AF_INET6
		       ? IN6_IS_ADDR_UNSPECIFIED(&a->in6.sin6_addr)
		       : a->in.sin_addr.s_addr == htonl(INADDR_ANY);
}

/* A port of every address and the same port of one of them: the kernel gives
 * only one of the two. */
static void judge_listen(struct judge *j, const char *protocol,
			 const struct sockaddr_any *listen,
			 struct judge_outputs *all)
{
	char text[SOCKADDR_TEXT_MAX], key[64];
	const char *other;

	sockaddr_format(listen, text);
	(void)snprintf(key, sizeof key, "listen %s %s %u", protocol,
		       listen->sa.sa_family == AF_INET6 ? "6" : "4",
		       (unsigned)sockaddr_port(listen));
	other = json_string_value(json_object_get(all->taken, key));
	if (other != NULL && strcmp(other, text) != 0 &&
	    (is_any(listen) || strncmp(other, "0.0.0.0:", 8) == 0 ||
	     strncmp(other, "[::]:", 5) == 0))
		judge_say(j, CHECK_WARNING, "%s and %s are both listened to: "
			  "only one of them can be", other, text);
	/* the one of every address is in the way of all others */
	if (other == NULL || is_any(listen))
		(void)json_object_set_new_nocheck(all->taken, key,
						  json_string_nocheck(text));
}

/* One port, of which no two can be. */
static bool judge_rist_port(struct judge *j, const char *host, uint16_t port,
			    struct judge_outputs *all)
{
	const char *known = host[0] != '\0' ? host : "0.0.0.0";
	char where[RIST_HOST_MAX + 16], key[OUTPUT_KEY_MAX];
	struct sockaddr_any at;
	const char *other;
	int r = sockaddr_parse(known, port, &at);

	/* a group is of all who want it */
	if (r == 0 && sockaddr_is_multicast(&at))
		return true;
	if (r == 0)
		sockaddr_format(&at, where);
	else
		(void)snprintf(where, sizeof where, "%s:%u", known,
			       (unsigned)port);
	(void)snprintf(key, sizeof key, "rist %s", where);
	other = take(j, all, key);
	if (other != NULL)
		judge_say(j, CHECK_FAULT, "%s is already of %s", where, other);
	else if (r == 0)
		judge_listen(j, "udp", &at, all);
	return other == NULL;
}

/* In the simple profile the next port is for RTCP. */
static void judge_rist(struct judge *j, const struct rist_spec *spec,
		       struct judge_outputs *all)
{
	for (size_t i = 0; i < spec->n_peers; i++) {
		const struct rist_peer_spec *p = &spec->peers[i];

		if (p->listens && judge_rist_port(j, p->host, p->port, all) &&
		    spec->profile == RIST_SIMPLE)
			(void)judge_rist_port(j, p->host,
					      (uint16_t)(p->port + 1), all);
	}
}

/* An interface has a name and addresses; what none has stays as it is. */
static void format_place(const char *iface, const struct sockaddr_any *address,
			 char where[PLACE_MAX])
{
	char name[IFACE_NAME_MAX], text[SOCKADDR_TEXT_MAX];

	sockaddr_format(address, text);
	(void)snprintf(where, PLACE_MAX, "%s@%s",
		       iface_name(iface, name) < 0 ? iface : name, text);
}

/* Of an input that runs. */
static void judge_source(struct judge *j, const struct input_spec *spec,
			 struct judge_outputs *all)
{
	char where[PLACE_MAX];
	char key[OUTPUT_KEY_MAX];
	const char *other;

	if (spec->kind == INPUT_SRT)
		judge_srt(j, &spec->srt, all);
	if (spec->kind == INPUT_RIST)
		judge_rist(j, &spec->rist, all);
	if (spec->kind != INPUT_UDP && spec->kind != INPUT_RTP)
		return;
	format_place(spec->iface, &spec->local, where);
	format_own(j, where, key);
	(void)take(j, all, key);
	if (sockaddr_is_multicast(&spec->local))
		return;
	(void)snprintf(key, sizeof key, "input %s", where);
	other = take(j, all, key);
	if (other != NULL)
		judge_say(j, CHECK_WARNING, "is the address of %s, too: only "
			  "one of them can receive there", other);
}

/* all: NULL when it does not run. */
static void judge_input(struct judge *j, const char *text, bool enabled,
			struct judge_outputs *all)
{
	struct input_spec spec;
	struct errmsg why;
	int r = input_spec_parse(text, &spec, say_remark, j, &why);

	/* adapters are kept, and so are the streams they will feed */
	if (r < 0)
		say_address(j, r, enabled && !is_dvb(text), &why);
	else if (all != NULL)
		judge_source(j, &spec, all);
}

static bool is_on_control(const struct sockaddr_any *listen,
			  const struct sockaddr_any *control)
{
	return control != NULL &&
	       sockaddr_port(listen) == sockaddr_port(control) &&
	       (is_any(listen) || is_any(control) ||
		sockaddr_equal(listen, control));
}

static void judge_http(struct judge *j, const struct output_spec *spec,
		       struct judge_outputs *all)
{
	char listen[SOCKADDR_TEXT_MAX];
	char key[OUTPUT_KEY_MAX];
	const char *other;

	sockaddr_format(&spec->listen, listen);
	if (is_on_control(&spec->listen, all->control)) {
		judge_say(j, CHECK_FAULT,
			  "port: %u is the port of the control server",
			  (unsigned)sockaddr_port(&spec->listen));
		return;
	}
	if (spec->tls && json_string_length(json_object_get(
				 all->settings, "crt_chain")) == 0)
		judge_say(j, CHECK_WARNING, "nobody is served without the "
			  "certificate of settings.crt_chain");
	if (spec->buffer_size_kib > 0 &&
	    spec->buffer_size_kib < HTTP_RING_MIN_KIB)
		judge_say(j, CHECK_WARNING, "buffer_size: %u is less than "
			  "%d, which it will be", spec->buffer_size_kib,
			  HTTP_RING_MIN_KIB);
	judge_listen(j, "tcp", &spec->listen, all);
	(void)snprintf(key, sizeof key, "http %s %s", listen, spec->path);
	other = take(j, all, key);
	if (other != NULL)
		judge_say(j, CHECK_FAULT, "is already the address of %s",
			  other);
}

static void judge_net(struct judge *j, const struct output_spec *spec,
		      struct judge_outputs *all)
{
	char where[PLACE_MAX];
	char key[OUTPUT_KEY_MAX];
	const char *other;

	format_place(spec->iface, &spec->remote, where);
	format_own(j, where, key);
	if (json_object_get(all->taken, key) != NULL)
		judge_say(j, CHECK_WARNING, "is the input of the same stream");
	(void)snprintf(key, sizeof key, "udp %s", where);
	other = take(j, all, key);
	if (other != NULL)
		judge_say(j, CHECK_WARNING, "sends to the same place as %s",
			  other);
}

static void judge_file(struct judge *j, const struct output_spec *spec,
		       struct judge_outputs *all)
{
	char key[IO_PATH_MAX + 8];
	const char *other;

	(void)snprintf(key, sizeof key, "file %s", spec->path);
	other = take(j, all, key);
	if (other != NULL)
		judge_say(j, CHECK_FAULT, "is the file of %s", other);
}

static void judge_output(struct judge *j, const char *text, bool enabled,
			 struct judge_outputs *all)
{
	struct output_spec spec;
	struct errmsg why;
	int r = output_spec_parse(text, &spec, say_remark, j, &why);

	if (r < 0)
		say_address(j, r, enabled, &why);
	else if (enabled && spec.kind == OUTPUT_HTTP)
		judge_http(j, &spec, all);
	else if (enabled && spec.kind == OUTPUT_SRT)
		judge_srt(j, &spec.srt, all);
	else if (enabled && spec.kind == OUTPUT_RIST)
		judge_rist(j, &spec.rist, all);
	else if (enabled && spec.kind == OUTPUT_FILE)
		judge_file(j, &spec, all);
	else if (enabled && (spec.kind == OUTPUT_UDP ||
			     spec.kind == OUTPUT_RTP))
		judge_net(j, &spec, all);
}

static void judge_addresses(struct judge *j, const json_t *stream,
			    const char *key, struct judge_outputs *all)
{
	bool enabled = json_is_true(json_object_get(stream, "enable"));
	const json_t *list = json_object_get(stream, key);
	bool out = strcmp(key, "output") == 0;
	size_t limit = out ? MSG_OUTPUTS_MAX : MSG_INPUTS_MAX;
	size_t mark = judge_down(j, key);
	const json_t *value;
	size_t i;

	if (json_array_size(list) > limit)
		judge_say(j, CHECK_FAULT, "has more than %zu addresses",
			  limit);
	json_array_foreach((json_t *)list, i, value) {
		const char *text = json_string_value(value);
		size_t inner = judge_down_index(j, i);

		if (text != NULL && out)
			judge_output(j, text, enabled, all);
		else if (text != NULL)
			judge_input(j, text, enabled, enabled ? all : NULL);
		judge_up(j, inner);
	}
	judge_up(j, mark);
}

static void judge_size(struct judge *j, const json_t *stream)
{
	/* the start message carries them in one datagram */
	static const char *const keys[] = { "name", "input", "output" };
	size_t size = 0;

	if (json_dumpb(stream, NULL, 0, JSON_COMPACT) > STREAM_MAX)
		judge_say(j, CHECK_FAULT, "is longer than %d bytes",
			  STREAM_MAX);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const json_t *value = json_object_get(stream, keys[i]);

		if (value != NULL)
			size += json_dumpb(value, NULL, 0, JSON_ENCODE_ANY);
	}
	if (size > START_MAX)
		judge_say(j, CHECK_FAULT,
			  "name and addresses are longer than %d bytes",
			  START_MAX);
}

/* They are counted modulo 32, so any other one is an odd way to say it. */
static void judge_versions(struct judge *j, const json_t *stream)
{
	static const char *const keys[] = {
		"pat_version", "pmt_version", "cat_version", "sdt_version",
		"nit_version",
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const json_t *value = json_object_get(stream, keys[i]);
		size_t mark = judge_down(j, keys[i]);

		if (json_integer_value(value) >= TABLE_VERSIONS)
			judge_say(j, CHECK_WARNING, "%lld is above %d: it "
				  "counts as %lld",
				  (long long)json_integer_value(value),
				  TABLE_VERSIONS - 1,
				  (long long)json_integer_value(value) %
					  TABLE_VERSIONS);
		judge_up(j, mark);
	}
}

/* What its worker is told to do with it. */
static void judge_options(struct judge *j, const json_t *stream)
{
	json_t *options = stream_spec_pick(stream);
	struct stream_spec spec;

	judge_fields(j, &stream_option_fields, options, &spec);
	if (json_dumpb(options, NULL, 0, JSON_COMPACT) > STREAM_OPTIONS_MAX)
		judge_say(j, CHECK_FAULT,
			  "its options are longer than %d bytes",
			  STREAM_OPTIONS_MAX);
	json_decref(options);
}

void judge_places(struct judge *j, const json_t *stream,
		  struct judge_outputs *all)
{
	judge_addresses(j, stream, "input", all);
	judge_addresses(j, stream, "output", all);
}

void judge_stream(struct judge *j, const json_t *stream,
		  struct judge_outputs *all)
{
	static const struct judge_rule rules[] = {
		{ "enable", FORM_BOOLEAN, true },
		{ "type", FORM_STRING, true },
		{ "name", FORM_STRING, false },
		{ "input", FORM_STRINGS, false },
		{ "output", FORM_STRINGS, false },
		{ "groups", FORM_OBJECT, false },
		{ "cas_list", FORM_LIST, false },
		{ "pat_version", FORM_WHOLE, false },
		{ "pmt_version", FORM_WHOLE, false },
		{ "cat_version", FORM_WHOLE, false },
		{ "sdt_version", FORM_WHOLE, false },
		{ "nit_version", FORM_WHOLE, false },
	};

	if (!json_is_object(stream)) {
		judge_say(j, CHECK_FAULT, "is not an object");
		return;
	}
	judge_id(j, stream);
	judge_members(j, stream, rules, ARRAY_LEN(rules));
	judge_type(j, stream);
	judge_name(j, stream);
	judge_groups(j, stream);
	judge_places(j, stream, all);
	judge_options(j, stream);
	judge_versions(j, stream);
	judge_size(j, stream);
}

/* Every input of the list is an adapter's. */
static bool is_all_dvb(const json_t *inputs)
{
	const json_t *input;
	size_t i;

	json_array_foreach((json_t *)inputs, i, input)
		if (!json_is_string(input) || !is_dvb(json_string_value(input)))
			return false;
	return true;
}

bool check_stream_idle(const json_t *stream, struct errmsg *ret)
{
	const char *type = json_string_value(json_object_get(stream, "type"));
	size_t n = json_array_size(json_object_get(stream, "input"));

	if (n == 0) {
		errmsg_set(ret, "input: there is none");
		return true;
	}
	if (is_all_dvb(json_object_get(stream, "input"))) {
		errmsg_set(ret, "input: adapters are not run by this version");
		return true;
	}
	if (n > 1 && type != NULL && strcmp(type, "mpts") == 0) {
		errmsg_set(ret, "type: an mpts of several inputs is not "
				"supported by this version");
		return true;
	}
	return false;
}
