/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/io_spec.h"

#include "proto/spec/io_type.h"

#include <errno.h>
#include <string.h>

enum {
	BITRATE_LIMIT_MAX_KBPS = 10000000,
	WATCHDOG_MAX_S = 24 * 3600,
};

static const struct input_type *const input_types[] = {
	&input_udp_type,
	&input_rtp_type,
	&input_file_type,
	&input_sdp_type,
	&input_srt_type,
	&input_rist_type,
	&input_http_type,
	&input_https_type,
	&input_stream_type,
};

static const struct output_type *const output_types[] = {
	&output_udp_type,
	&output_rtp_type,
	&output_http_type,
	&output_https_type,
	&output_file_type,
	&output_np_type,
	&output_srt_type,
	&output_rist_type,
};

static const struct io_option input_general[] = {
	{ "id", IO_TEXT, IO_INPUT(id), 1, IO_ID_MAX },
	{ "cc_limit", IO_NUMBER, IO_INPUT(cc_limit), 0, CC_LIMIT_MAX },
	{ "bitrate_limit", IO_NUMBER, IO_INPUT(bitrate_limit_kbps), 0,
	  BITRATE_LIMIT_MAX_KBPS },
	{ "no_analyze", IO_FLAG, IO_INPUT(no_analyze), 0, 0 },
	{ "watchdog", IO_NUMBER, IO_INPUT(watchdog_s), 0, WATCHDOG_MAX_S },
	{ "no_reload", IO_FLAG, IO_INPUT(no_reload), 0, 0 },
	{ "mux", IO_IGNORED, 0, 0, 0 },
	{ "mux_pid", IO_IGNORED, 0, 0, 0 },
	{ 0 },
};

static const struct io_need input_general_needs[] = {
	{ "cc_limit", "no_analyze", true },
	{ "watchdog", "no_reload", true },
	{ 0 },
};

bool input_kind_is_net(enum input_kind kind)
{
	for (size_t i = 0; i < ARRAY_LEN(input_types); i++)
		if (input_types[i]->kind == kind)
			return input_types[i]->net;
	return false;
}

bool output_kind_is_net(enum output_kind kind)
{
	for (size_t i = 0; i < ARRAY_LEN(output_types); i++)
		if (output_types[i]->kind == kind)
			return output_types[i]->net;
	return false;
}

int io_copy_path(const char *path, char *ret, struct errmsg *why)
{
	size_t len = strlen(path);

	if (len >= IO_PATH_MAX)
		return errmsg_fail(why, -EINVAL,
				   "path: is longer than %d bytes",
				   IO_PATH_MAX - 1);
	memcpy(ret, path, len + 1);
	return 0;
}

/* Types that the address grammar knows and this version does not run. */
static int fail_type(const char *type, struct errmsg *why)
{
	static const char *const later[] = {
		"asi", "ci", "dvb", "hls", "http", "https", "it950x",
		"pipe", "reload", "resi", "rtmp", "rtsp", "stop",
		"t2mi", "tbs", "webrtc",
	};

	for (size_t i = 0; i < ARRAY_LEN(later); i++)
		if (strcmp(later[i], type) == 0)
			return errmsg_fail(why, -ENOTSUP,
					   "type \"%s\" is not supported by "
					   "this version", type);
	return errmsg_fail(why, -EINVAL, "type \"%.32s\" is not known", type);
}

/* The target of a type with a link, and what stands behind its '?'; NULL: it
 * has none. */
static int read_link(const struct io_link *link, const struct address *a,
		     void *part, struct io_reader *rd, struct errmsg *why)
{
	size_t len = strcspn(a->target, "?");
	int r;

	if (link == NULL)
		return 0;
	rd->words = link->words;
	r = link->read(a->target, len, part, why);
	if (r < 0 || a->target[len] == '\0')
		return r;
	return io_query_read(a->target + len + 1, rd, why);
}

static int judge_link(const struct io_link *link, const void *part,
		      struct errmsg *why)
{
	return link != NULL ? link->judge(part, why) : 0;
}

static const struct input_type *find_input(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(input_types); i++)
		if (strcmp(input_types[i]->name, name) == 0)
			return input_types[i];
	return NULL;
}

static int read_input(const struct address *a, struct input_spec *spec,
		      const struct io_reader *rd, struct errmsg *why)
{
	const struct input_type *type = find_input(a->type);
	struct io_reader reader = *rd;
	void *part;
	int r;

	if (type == NULL)
		return fail_type(a->type, why);
	spec->kind = type->kind;
	spec->watchdog_s = type->watchdog_s;
	part = (char *)spec + type->part;
	reader.options = type->options;
	reader.needs = type->needs;
	reader.idle = type->idle;
	r = read_link(type->link, a, part, &reader, why);
	if (r == 0 && type->read != NULL)
		r = type->read(a, spec, why);
	if (r == 0)
		r = io_options_read(a, &reader, why);
	if (r == 0)
		r = io_mux_read(a, spec, why);
	if (r == 0)
		r = judge_link(type->link, part, why);
	if (r == 0 && type->judge != NULL)
		r = type->judge(spec, why);
	return r;
}

int input_spec_parse(const char *text, struct input_spec *ret,
		     io_remark_fn *remark, void *arg,
		     struct errmsg *why)
{
	struct input_spec spec = {
		.cc_limit = CC_LIMIT_DEFAULT,
		.ring = -1,
	};
	struct io_reader reader = {
		.general = input_general,
		.general_needs = input_general_needs,
		.spec = &spec,
		.remux = &spec.remux,
		.remark = remark,
		.arg = arg,
	};
	struct address a;
	int r = address_parse(text, &a, why);

	if (r < 0)
		return r;
	r = read_input(&a, &spec, &reader, why);
	address_done(&a);
	if (r == 0)
		*ret = spec;
	return r;
}

static const struct output_type *find_output(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(output_types); i++)
		if (strcmp(output_types[i]->name, name) == 0)
			return output_types[i];
	return NULL;
}

static int read_output(const struct address *a, struct output_spec *spec,
		       const struct io_reader *rd, struct errmsg *why)
{
	const struct output_type *type = find_output(a->type);
	struct io_reader reader = *rd;
	void *part;
	int r;

	if (type == NULL)
		return fail_type(a->type, why);
	spec->kind = type->kind;
	part = (char *)spec + type->part;
	reader.options = type->options;
	reader.needs = type->needs;
	reader.idle = type->idle;
	r = read_link(type->link, a, part, &reader, why);
	if (r == 0 && type->read != NULL)
		r = type->read(a, spec, why);
	if (r == 0)
		r = io_options_read(a, &reader, why);
	if (r == 0)
		r = judge_link(type->link, part, why);
	if (r == 0 && type->judge != NULL)
		r = type->judge(spec, why);
	return r;
}

int output_spec_parse(const char *text, struct output_spec *ret,
		      io_remark_fn *remark, void *arg,
		      struct errmsg *why)
{
	struct output_spec spec = { 0 };
	struct io_reader reader = { .spec = &spec, .remark = remark,
				    .arg = arg };
	struct address a;
	int r = address_parse(text, &a, why);

	if (r < 0)
		return r;
	r = read_output(&a, &spec, &reader, why);
	address_done(&a);
	if (r == 0)
		*ret = spec;
	return r;
}
