/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/io_spec.h"

#include "proto/http_target.h"
#include "proto/option_value.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	RENEW_MAX_S = 24 * 3600,
	SOCKET_SIZE_MAX = 1024 * 1024 * 1024,
	BUFFER_SIZE_MAX_KIB = 1024 * 1024,
	CC_LIMIT_MAX = 1000000,
	BITRATE_LIMIT_MAX_KBPS = 10000000,
	TTL_DEFAULT = 32,
	WATCHDOG_MAX_S = 24 * 3600,
};

/* What is known of an option; the functions behind it fill the struct. */
enum option_form { OPTION_TEXT, OPTION_FLAG, OPTION_NUMBER, OPTION_IGNORED };

struct option {
	const char *key;
	enum option_form form;
	size_t offset; /* of a char array, a bool or an unsigned */
	uint64_t min, max;
};

struct option_list {
	const struct option *options;
	size_t n;
};

#define INPUT(member) offsetof(struct input_spec, member)
#define OUTPUT(member) offsetof(struct output_spec, member)
#define LIST(options) { options, ARRAY_LEN(options) }

static const struct option input_general[] = {
	{ "id", OPTION_TEXT, INPUT(id), 1, IO_ID_MAX },
	{ "cc_limit", OPTION_NUMBER, INPUT(cc_limit), 0, CC_LIMIT_MAX },
	{ "bitrate_limit", OPTION_NUMBER, INPUT(bitrate_limit_kbps), 0,
	  BITRATE_LIMIT_MAX_KBPS },
	{ "no_analyze", OPTION_FLAG, INPUT(no_analyze), 0, 0 },
	{ "watchdog", OPTION_NUMBER, INPUT(watchdog_s), 0, WATCHDOG_MAX_S },
};

/* src is read by hand; packet size and pacing are found out from the data */
static const struct option input_net[] = {
	{ "src", OPTION_IGNORED, 0, 0, 0 },
	{ "renew", OPTION_NUMBER, INPUT(renew_s), 0, RENEW_MAX_S },
	{ "socket_size", OPTION_NUMBER, INPUT(socket_size), 0,
	  SOCKET_SIZE_MAX },
	{ "ts_size", OPTION_IGNORED, 0, 0, 0 },
	{ "sync", OPTION_IGNORED, 0, 0, 0 },
	{ "no_sync", OPTION_IGNORED, 0, 0, 0 },
};

static const struct option input_file[] = {
	{ "loop", OPTION_FLAG, INPUT(loop), 0, 0 },
};

static const struct option output_net[] = {
	{ "ttl", OPTION_NUMBER, OUTPUT(ttl), 1, 255 },
	{ "socket_size", OPTION_NUMBER, OUTPUT(socket_size), 0,
	  SOCKET_SIZE_MAX },
	{ "sync", OPTION_IGNORED, 0, 0, 0 },
	{ "no_sync", OPTION_IGNORED, 0, 0, 0 },
};

static const struct option output_http[] = {
	{ "buffer_size", OPTION_NUMBER, OUTPUT(buffer_size_kib), 0,
	  BUFFER_SIZE_MAX_KIB },
};

static const struct option_list input_lists[][2] = {
	[INPUT_UDP] = { LIST(input_general), LIST(input_net) },
	[INPUT_RTP] = { LIST(input_general), LIST(input_net) },
	[INPUT_FILE] = { LIST(input_general), LIST(input_file) },
};

static const struct option_list output_lists[][1] = {
	[OUTPUT_UDP] = { LIST(output_net) },
	[OUTPUT_RTP] = { LIST(output_net) },
	[OUTPUT_HTTP] = { LIST(output_http) },
};

static const bool input_net_kinds[INPUT_KINDS] = { false };
static const bool output_net_kinds[OUTPUT_KINDS] = { false };

bool input_kind_is_net(enum input_kind kind)
{
	return input_net_kinds[kind];
}

bool output_kind_is_net(enum output_kind kind)
{
	return output_net_kinds[kind];
}

struct reader {
	const struct option_list *lists;
	size_t n_lists;
	void *spec;
	struct remux_options *remux; /* NULL: an output has none */
	io_unknown_option_fn *unknown;
	void *arg;
};

static const struct option *find_option(const struct reader *rd,
					const char *key)
{
	for (size_t i = 0; i < rd->n_lists; i++)
		for (size_t j = 0; j < rd->lists[i].n; j++)
			if (strcmp(rd->lists[i].options[j].key, key) == 0)
				return &rd->lists[i].options[j];
	return NULL;
}

static int read_text(const struct option *o, const char *value, char *ret,
		     struct errmsg *why)
{
	size_t len = strlen(value);

	if (len < o->min)
		return errmsg_fail(why, -EINVAL, "%s: has no value", o->key);
	if (len > o->max)
		return errmsg_fail(why, -EINVAL, "%s: is longer than %u bytes",
				   o->key, (unsigned)o->max);
	memcpy(ret, value, len + 1);
	return 0;
}

static int read_number(const struct option *o, const char *value,
		       unsigned *ret, struct errmsg *why)
{
	uint64_t n;
	int r = address_number(o->key, value, o->min, o->max, &n, why);

	if (r == 0)
		*ret = (unsigned)n;
	return r;
}

static int read_option(const struct option *o, const char *value, void *spec,
		       struct errmsg *why)
{
	void *field = (char *)spec + o->offset;
	int r = 0;

	switch (o->form) {
	case OPTION_TEXT:
		return read_text(o, value, field, why);
	case OPTION_FLAG:
		r = option_flag(value, field, why);
		break;
	case OPTION_NUMBER:
		return read_number(o, value, field, why);
	case OPTION_IGNORED:
		break;
	}
	if (r < 0)
		errmsg_prefix(why, "%s: ", o->key);
	return r;
}

/* An option that repeats is reported once. */
static bool was_before(const struct address *a, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (strcmp(a->options[j].key, a->options[i].key) == 0)
			return true;
	return false;
}

/* An option that no list of the type has. */
static int read_other(const struct address *a, size_t i,
		      const struct reader *rd, struct errmsg *why)
{
	const char *key = a->options[i].key;
	const char *value = a->options[i].value;
	int r = -ENOENT;

	if (rd->remux != NULL)
		r = remux_option_read(rd->remux, key,
				      value != NULL ? value : "", why);
	if (r == -EINVAL)
		errmsg_prefix(why, "%.64s: ", key);
	if (r != -ENOENT)
		return r;
	if (rd->unknown != NULL && !was_before(a, i))
		rd->unknown(key, rd->arg);
	return 0;
}

static int read_options(const struct address *a, const struct reader *rd,
			struct errmsg *why)
{
	for (size_t i = 0; i < a->n_options; i++) {
		const char *value = a->options[i].value;
		const struct option *o = find_option(rd, a->options[i].key);
		int r;

		if (o == NULL)
			r = read_other(a, i, rd, why);
		else
			r = read_option(o, value != NULL ? value : "",
					rd->spec, why);
		if (r < 0)
			return r;
	}
	return 0;
}

static int copy_path(const char *path, char *ret, struct errmsg *why)
{
	size_t len = strlen(path);

	if (len >= IO_PATH_MAX)
		return errmsg_fail(why, -EINVAL,
				   "path: is longer than %d bytes",
				   IO_PATH_MAX - 1);
	memcpy(ret, path, len + 1);
	return 0;
}

static int read_source(const struct address *a, struct input_spec *spec,
		       struct errmsg *why)
{
	const char *src = address_option(a, "src");

	if (src == NULL)
		return 0;
	if (sockaddr_parse(src, 0, &spec->source) < 0 ||
	    sockaddr_is_multicast(&spec->source))
		return errmsg_fail(why, -EINVAL,
				   "src: \"%.64s\" is not the address of a "
				   "sender", src);
	if (!sockaddr_is_multicast(&spec->local))
		return errmsg_fail(why, -EINVAL,
				   "src: is for multicast groups only");
	if (spec->source.sa.sa_family != spec->local.sa.sa_family)
		return errmsg_fail(why, -EINVAL,
				   "src: %.64s is not of the group's address "
				   "family", src);
	spec->has_source = true;
	return 0;
}

static int read_input_net(const struct address *a, struct input_spec *spec,
			  struct errmsg *why)
{
	struct address_endpoint e;
	int r = address_endpoint(a->target, UDP_PORT_DEFAULT, &e, why);

	if (r < 0)
		return r;
	r = sockaddr_parse(e.host[0] != '\0' ? e.host : "0.0.0.0", e.port,
			   &spec->local);
	if (r < 0)
		return errmsg_fail(why, r, "host: \"%s\" is not an IP address",
				   e.host);
	memcpy(spec->iface, e.iface, sizeof spec->iface);
	return read_source(a, spec, why);
}

static int read_input_file(const struct address *a, struct input_spec *spec,
			   struct errmsg *why)
{
	return copy_path(a->target, spec->path, why);
}

static int read_output_net(const struct address *a, struct output_spec *spec,
			   struct errmsg *why)
{
	struct address_endpoint e;
	struct sockaddr_any any;
	int r = address_endpoint(a->target, UDP_PORT_DEFAULT, &e, why);

	if (r < 0)
		return r;
	if (e.host[0] == '\0')
		return errmsg_fail(why, -EINVAL, "host: is missing");
	if (sockaddr_parse(e.host, e.port, &spec->remote) < 0)
		return errmsg_fail(why, -EINVAL,
				   "host: \"%s\" is not an IP address",
				   e.host);
	if ((sockaddr_parse("0.0.0.0", e.port, &any) == 0 &&
	     sockaddr_equal(&any, &spec->remote)) ||
	    (sockaddr_parse("::", e.port, &any) == 0 &&
	     sockaddr_equal(&any, &spec->remote)))
		return errmsg_fail(why, -EINVAL,
				   "host: %s is not a destination", e.host);
	memcpy(spec->iface, e.iface, sizeof spec->iface);
	spec->ttl = TTL_DEFAULT;
	return 0;
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

static size_t count_slashes(const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += *text == '/' ? 1 : 0;
	return n;
}

/* As the server will read it from a request for it. */
static int read_http_path(const char *text, char *ret, struct errmsg *why)
{
	char target[ADDRESS_TEXT_MAX + 1];
	const char *path = "/", *query, *fault = NULL;

	if (strchr(text, '?') != NULL)
		return errmsg_fail(why, -EINVAL,
				   "path: an output has no query ('?')");
	(void)snprintf(target, sizeof target, "%s", text);
	if (*text != '\0')
		fault = http_target_read(target, false, &path, &query);
	if (fault != NULL)
		return errmsg_fail(why, -EINVAL, "path: \"%.64s\": %s", text,
				   fault);
	if (strcmp(path, "/") == 0)
		return errmsg_fail(why, -EINVAL, "path: is missing");
	/* an address has one spelling: nothing that a server drops */
	if (count_slashes(text) != count_slashes(path))
		return errmsg_fail(why, -EINVAL,
				   "path: \"%.64s\": empty or '.' segment",
				   text);
	if (ends_with(path, ".m3u8"))
		return errmsg_fail(why, -ENOTSUP,
				   "path: HLS (.m3u8) is not served by this "
				   "version");
	return copy_path(path, ret, why);
}

static int read_http_host(const char *host, uint16_t port,
			  struct sockaddr_any *ret, struct errmsg *why)
{
	if (host[0] == '\0' || strcmp(host, "*") == 0 ||
	    strcmp(host, "0") == 0)
		host = "0.0.0.0";
	else if (strcmp(host, "localhost") == 0)
		host = "127.0.0.1";
	if (sockaddr_parse(host, port, ret) < 0)
		return errmsg_fail(why, -EINVAL,
				   "host: \"%.64s\" is not an IP address",
				   host);
	if (sockaddr_is_multicast(ret))
		return errmsg_fail(why, -EINVAL,
				   "host: %.64s is a multicast address", host);
	return 0;
}

static bool is_host_word(const char *host, size_t len)
{
	static const char *const words[] = { "*", "0", "localhost" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i]) == len &&
		    strncmp(host, words[i], len) == 0)
			return true;
	return false;
}

static int read_output_http(const struct address *a, struct output_spec *spec,
			    struct errmsg *why)
{
	const char *slash = a->target + strcspn(a->target, "/?");
	size_t word = strcspn(a->target, ":/?");
	char authority[ADDRESS_TEXT_MAX + 1];
	struct address_endpoint e;
	int r;

	/* the words that stand for addresses, then the grammar of all */
	if (!is_host_word(a->target, word))
		word = 0;
	(void)snprintf(authority, sizeof authority, "%.*s",
		       (int)(slash - a->target - (ptrdiff_t)word),
		       a->target + word);
	r = address_endpoint(authority, 0, &e, why);
	if (r < 0)
		return r;
	if (e.iface[0] != '\0')
		return errmsg_fail(why, -EINVAL,
				   "interface: an http output has none, give "
				   "its address");
	if (e.port == 0)
		return errmsg_fail(why, -EINVAL, "port: is missing");
	if (word > 0)
		(void)snprintf(e.host, sizeof e.host, "%.*s", (int)word,
			       a->target);
	r = read_http_host(e.host, e.port, &spec->listen, why);
	return r < 0 ? r : read_http_path(slash, spec->path, why);
}

/* Types that the address grammar knows and this version does not run. */
static int fail_type(const char *type, struct errmsg *why)
{
	static const char *const later[] = {
		"asi", "ci", "dvb", "file", "hls", "http", "https", "it950x",
		"np", "pipe", "reload", "resi", "rist", "rtmp", "rtsp", "srt",
		"stop", "stream", "t2mi", "tbs", "webrtc",
	};

	for (size_t i = 0; i < ARRAY_LEN(later); i++)
		if (strcmp(later[i], type) == 0)
			return errmsg_fail(why, -ENOTSUP,
					   "type \"%s\" is not supported by "
					   "this version", type);
	return errmsg_fail(why, -EINVAL, "type \"%.32s\" is not known", type);
}

static int read_input(const struct address *a, struct input_spec *spec,
		      struct errmsg *why)
{
	if (strcmp(a->type, "udp") == 0)
		spec->kind = INPUT_UDP;
	else if (strcmp(a->type, "rtp") == 0)
		spec->kind = INPUT_RTP;
	else if (strcmp(a->type, "file") == 0)
		spec->kind = INPUT_FILE;
	else
		return fail_type(a->type, why);
	return spec->kind == INPUT_FILE ? read_input_file(a, spec, why)
					: read_input_net(a, spec, why);
}

int input_spec_parse(const char *text, struct input_spec *ret,
		     io_unknown_option_fn *unknown, void *arg,
		     struct errmsg *why)
{
	struct input_spec spec = { .watchdog_s = WATCHDOG_DEFAULT_S };
	struct address a;
	int r = address_parse(text, &a, why);

	if (r < 0)
		return r;
	r = read_input(&a, &spec, why);
	if (r == 0)
		r = read_options(&a,
				 &(struct reader){
					 .lists = input_lists[spec.kind],
					 .n_lists = 2,
					 .spec = &spec,
					 .remux = &spec.remux,
					 .unknown = unknown,
					 .arg = arg,
				 },
				 why);
	address_done(&a);
	if (r == 0)
		*ret = spec;
	return r;
}

static int read_output(const struct address *a, struct output_spec *spec,
		       struct errmsg *why)
{
	if (strcmp(a->type, "udp") == 0)
		spec->kind = OUTPUT_UDP;
	else if (strcmp(a->type, "rtp") == 0)
		spec->kind = OUTPUT_RTP;
	else if (strcmp(a->type, "http") == 0)
		spec->kind = OUTPUT_HTTP;
	else
		return fail_type(a->type, why);
	return spec->kind == OUTPUT_HTTP ? read_output_http(a, spec, why)
					 : read_output_net(a, spec, why);
}

int output_spec_parse(const char *text, struct output_spec *ret,
		      io_unknown_option_fn *unknown, void *arg,
		      struct errmsg *why)
{
	struct output_spec spec = { 0 };
	struct address a;
	int r = address_parse(text, &a, why);

	if (r < 0)
		return r;
	r = read_output(&a, &spec, why);
	if (r == 0)
		r = read_options(&a,
				 &(struct reader){
					 .lists = output_lists[spec.kind],
					 .n_lists = 1,
					 .spec = &spec,
					 .unknown = unknown,
					 .arg = arg,
				 },
				 why);
	address_done(&a);
	if (r == 0)
		*ret = spec;
	return r;
}
