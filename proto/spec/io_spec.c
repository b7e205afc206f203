/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/io_spec.h"

#include "proto/spec/io_type.h"
#include "proto/spec/option_value.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BITRATE_LIMIT_MAX_KBPS = 10000000 };

/* NULL ends them. */
#define TYPE(KIND, name) &input_##name##_type,
const struct io_type *const io_input_types[] = {
	INPUT_TYPES(TYPE, TYPE)
	&input_https_type,
	NULL,
};

const struct io_type *const io_output_types[] = {
	&output_udp_type,
	&output_rtp_type,
	&output_http_type,
	&output_https_type,
	&output_file_type,
	&output_np_type,
	&output_srt_type,
	&output_rist_type,
	NULL,
};

static const struct field input_rows[] = {
	{ "id", IO_INPUT(id), .min = 1,
	  .help = "Name of the input for other programs." },
	{ "cc_limit", IO_INPUT(cc_limit), .max = CC_LIMIT_MAX,
	  .initial = CC_LIMIT_DEFAULT, .unit = "errors/s",
	  .beside = "no_analyze",
	  .help = "Continuity errors with which the input is off air." },
	{ "bitrate_limit", IO_INPUT(bitrate_limit_kbps),
	  .max = BITRATE_LIMIT_MAX_KBPS, .unit = "kbit/s",
	  .help = "Rate below which the input is off air." },
	{ "no_analyze", IO_INPUT(no_analyze),
	  .help = "Does not analyze the packets of the input." },
	{ "mux", .type = FIELD_NONE,
	  .help = "Address of the stream whose PID is inserted." },
	{ "mux_pid", .type = FIELD_NONE,
	  .help = "PID that is inserted: PID or PID:NEWPID." },
};
const struct field_table io_input_fields = FIELD_TABLE(struct input_spec,
						       input_rows);

static const struct io_type *find_type(const struct io_type *const *types,
				       const char *name)
{
	for (; *types != NULL; types++)
		if (strcmp((*types)->name, name) == 0)
			return *types;
	return NULL;
}

bool input_kind_is_net(enum input_kind kind)
{
#define PLAIN(KIND, name)
#define NET(KIND, name) || kind == INPUT_##KIND
	return false INPUT_TYPES(PLAIN, NET);
}

bool output_kind_is_net(enum output_kind kind)
{
	for (size_t i = 0; io_output_types[i] != NULL; i++)
		if (io_output_types[i]->kind == kind)
			return io_output_types[i]->net;
	return false;
}

/* Types that the address grammar knows and this version does not run. */
static int fail_type(const char *type, struct errmsg *error)
{
	static const char *const later[] = {
		"asi", "ci", "dvb", "hls", "http", "https", "it950x",
		"pipe", "reload", "resi", "rtmp", "rtsp", "stop",
		"t2mi", "tbs", "webrtc",
	};

	for (size_t i = 0; i < ARRAY_LEN(later); i++)
		if (strcmp(later[i], type) == 0)
			return errmsg_fail(error, -ENOTSUP,
					   "type \"%s\" is not supported by "
					   "this version", type);
	return errmsg_fail(error, -EINVAL, "type \"%.32s\" is not known", type);
}

/* --- options --- */

enum { TABLES_MAX = 3 }; /* an input has general, remux and type options */

struct reader {
	/* The first table that has a key reads it into its struct. */
	struct {
		const struct field_table *fields;
		void *s;
	} tables[TABLES_MAX];
	size_t n;
	io_remark_fn *remark;
	void *arg;
};

static void add_table(struct reader *rd, const struct field_table *fields,
		      void *s)
{
	rd->tables[rd->n].fields = fields;
	rd->tables[rd->n++].s = s;
	field_init(fields, s);
}

static void add_remark(const struct reader *rd, const char *format, ...)
	PRINTF_LIKE(2, 3);

static void add_remark(const struct reader *rd, const char *format, ...)
{
	char text[192];
	va_list args;

	if (rd->remark == NULL)
		return;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	rd->remark(text, rd->arg);
}

/* Takes one option; ret_row is NULL where no table has it. */
static int read_option(const struct reader *rd, const char *key,
		       const char *value, const struct field **ret_row,
		       struct errmsg *error)
{
	const struct field *f = NULL;
	size_t i;
	int r;

	for (i = 0; i < rd->n && f == NULL; i++)
		f = field_find(rd->tables[i].fields, key);
	*ret_row = f;
	if (f == NULL)
		return 0;
	r = field_read_text(f, key, value, rd->tables[i - 1].s, error);
	if (r < 0)
		errmsg_prefix(error, "%.64s: ", key);
	return r;
}

/* Parameters behind the '?' of the target. */
static int read_query(const char *query, const struct reader *rd,
		      struct errmsg *error)
{
	char text[ADDRESS_TEXT_MAX + 1], *rest = text, *item;
	const struct field *row;

	(void)snprintf(text, sizeof text, "%s", query);
	while ((item = strsep(&rest, "&")) != NULL) {
		char none[] = "", *value = strchr(item, '=');
		int r;

		if (value != NULL)
			*value++ = '\0';
		else
			value = none;
		if (item[0] == '\0')
			continue;
		if (!option_percent_decode(value))
			return errmsg_fail(error, -EINVAL,
					   "%.32s: has a broken %% escape",
					   item);
		r = read_option(rd, item, value, &row, error);
		if (r < 0)
			return r;
		if (row == NULL)
			add_remark(rd, "option \"%.64s\" is not known", item);
	}
	return 0;
}

/* An option that repeats is reported once. */
static bool was_before(const struct address *a, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (strcmp(a->options[j].key, a->options[i].key) == 0)
			return true;
	return false;
}

/* Reports an option that is not known or has no effect. */
static void remark_option(const struct reader *rd, const struct address *a,
			  const char *key, const struct field *f)
{
	if (f == NULL)
		add_remark(rd, "option \"%.64s\" is not known", key);
	else if (f->flags & FIELD_IDLE)
		add_remark(rd, "%s: does nothing here", key);
	else if (f->needs != NULL && address_option(a, f->needs) == NULL)
		add_remark(rd, "%s: does nothing without %s", key, f->needs);
	else if (f->beside != NULL && address_option(a, f->beside) != NULL)
		add_remark(rd, "%s: does nothing beside %s", key, f->beside);
}

static int read_options(const struct address *a, const struct reader *rd,
			struct errmsg *error)
{
	for (size_t i = 0; i < a->n_options; i++) {
		const char *key = a->options[i].key;
		const char *value = a->options[i].value;
		const struct field *row;
		int r = read_option(rd, key, value != NULL ? value : "", &row,
				    error);

		if (r < 0)
			return r;
		if (!was_before(a, i))
			remark_option(rd, a, key, row);
	}
	return 0;
}

/* --- addresses --- */

static int read_address(const struct address *a, const struct io_type *type,
			struct reader *rd, void *spec, struct errmsg *error)
{
	const char *query = type->query ? strchr(a->target, '?') : NULL;
	int r;

	add_table(rd, type->options, spec);
	r = type->read(a, spec, error);
	if (r == 0 && query != NULL)
		r = read_query(query + 1, rd, error);
	return r < 0 ? r : read_options(a, rd, error);
}

int input_spec_parse(const char *text, struct input_spec *ret,
		     io_remark_fn *remark, void *arg, struct errmsg *error)
{
	struct reader rd = { .remark = remark, .arg = arg };
	struct input_spec spec = { .ring = -1 };
	const struct io_type *type;
	struct address a;
	int r = address_parse(text, &a, error);

	if (r < 0)
		return r;
	type = find_type(io_input_types, a.type);
	if (type == NULL) {
		r = fail_type(a.type, error);
		goto out;
	}
	spec.kind = (enum input_kind)type->kind;
	add_table(&rd, &io_input_fields, &spec);
	add_table(&rd, &remux_fields, &spec.remux);
	r = read_address(&a, type, &rd, &spec, error);
	if (r == 0)
		r = io_mux_read(&a, &spec, error);
	if (r == 0 && type->finish != NULL)
		r = type->finish(&a, &spec, error);
	if (r == 0)
		*ret = spec;
out:
	address_done(&a);
	return r;
}

int output_spec_parse(const char *text, struct output_spec *ret,
		      io_remark_fn *remark, void *arg, struct errmsg *error)
{
	struct reader rd = { .remark = remark, .arg = arg };
	struct output_spec spec = { 0 };
	const struct io_type *type;
	struct address a;
	int r = address_parse(text, &a, error);

	if (r < 0)
		return r;
	type = find_type(io_output_types, a.type);
	if (type == NULL) {
		r = fail_type(a.type, error);
		goto out;
	}
	spec.kind = (enum output_kind)type->kind;
	r = read_address(&a, type, &rd, &spec, error);
	if (r == 0 && type->finish != NULL)
		r = type->finish(&a, &spec, error);
	if (r == 0)
		*ret = spec;
out:
	address_done(&a);
	return r;
}
