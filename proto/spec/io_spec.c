/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/io_spec.h"

#include "proto/spec/field_idle.h"
#include "proto/spec/io_foreign.h"
#include "proto/spec/io_type.h"
#include "proto/spec/option_value.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { BITRATE_LIMIT_MAX_KBPS = 10000000 };

/* NULL ends each list. */
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
	  .flags = FIELD_OBSERVER,
	  .help = "Name of the input for other programs." },
	{ "cc_limit", IO_INPUT(cc_limit), .max = CC_LIMIT_MAX,
	  .initial = CC_LIMIT_DEFAULT, .unit = "errors/s",
	  .beside = "no_analyze",
	  .flags = FIELD_OBSERVER,
	  .help = "Continuity errors and damaged packets a second that take "
		  "the input off air." },
	{ "bitrate_limit", IO_INPUT(bitrate_limit_kbps),
	  .max = BITRATE_LIMIT_MAX_KBPS, .unit = "kbit/s",
	  .flags = FIELD_OBSERVER,
	  .help = "Rate below which the input is off air." },
	{ "no_analyze", IO_INPUT(no_analyze),
	  .flags = FIELD_OBSERVER,
	  .help = "Does not analyze the packets of the input." },
	{ "t2mi", IO_INPUT(t2mi), .flags = FIELD_OBSERVER,
	  .help = "The input carries T2-MI: the stream is that of a PLP." },
	{ "t2mi_pid", IO_INPUT(t2mi_pid), .needs = "t2mi",
	  .min = T2MI_PID_MIN, .max = T2MI_PID_MAX, .initial = T2MI_PID,
	  .flags = FIELD_OBSERVER,
	  .help = "PID of the T2-MI packets." },
	{ "plp", IO_INPUT(plp), .needs = "t2mi", .max = T2MI_PLP_MAX,
	  .initial = T2MI_FIRST_PLP, .flags = FIELD_OBSERVER,
	  .help = "Number of the PLP; the one that arrives first if it is "
		  "not set." },
	IO_ROWS_BISS(struct input_spec),
	{ "cam", FIELD_BY(&cam_hook, struct input_spec, cams),
	  .beside = "biss", .flags = FIELD_OBSERVER,
	  .help = "Ids of softcams that deliver the control words: id,id." },
	{ "ecm_pid", IO_INPUT(ecm_pid), .min = 1, .max = 8190, .needs = "cam",
	  .flags = FIELD_OBSERVER,
	  .help = "PID of the ECMs, instead of that in the tables." },
	{ "shift", IO_INPUT(shift_ms), .max = CAM_SHIFT_MAX_MS,
	  .initial = CAM_SHIFT_DEFAULT, .unit = "ms", .needs = "cam",
	  .flags = FIELD_OBSERVER,
	  .help = "How long packets wait for their control word." },
	{ "mux", .type = FIELD_NONE, .form = "text",
	  .flags = FIELD_OBSERVER | FIELD_ADDRESS,
	  .help = "Address of the stream whose PID is inserted." },
	{ "mux_pid", .type = FIELD_NONE, .form = "text",
	  .flags = FIELD_OBSERVER,
	  .help = "PID that is inserted: PID or PID:NEWPID." },
};
const struct field_table io_input_fields = FIELD_TABLE(struct input_spec,
						       input_rows);

const struct io_type *io_type_find(const struct io_type *const *types,
				   const char *name)
{
	for (; *types != NULL; types++)
		if (strcmp((*types)->name, name) == 0)
			return *types;
	return NULL;
}

bool input_kind_is_link(enum input_kind kind)
{
	return kind == INPUT_STREAM || kind == INPUT_DVB;
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

/* --- options --- */

enum {
	TABLES_MAX = 3, /* an input has io_input_fields, remux_fields and the
			 * options of its type */
	PARAMETERS_MAX = ADDRESS_OPTIONS_MAX,
};

struct reader {
	/* The first table that has the key of an option reads its value into
	 * the struct with the same index. */
	const struct field_table *tables[TABLES_MAX];
	void *structs[TABLES_MAX];
	size_t n;
	/* The parameters behind the '?' of the target, then the options. */
	struct address_option given[PARAMETERS_MAX + ADDRESS_OPTIONS_MAX];
	size_t n_given;
	const struct io_type *type;
	bool input;
	unsigned where; /* bits of enum where */
	io_remark_fn *remark;
	void *arg;
};

static void add_table(struct reader *rd, const struct field_table *fields,
		      void *s)
{
	rd->tables[rd->n] = fields;
	rd->structs[rd->n++] = s;
	field_init(fields, s);
}

static bool is_given(const struct reader *rd, size_t from, size_t to,
		     const char *key)
{
	for (size_t i = from; i < to; i++)
		if (strcmp(rd->given[i].key, key) == 0)
			return true;
	return false;
}

/* Splits the query "key=value&..." in place and adds its parameters to `given',
 * which borrows the text. */
static int add_parameters(struct reader *rd, char *query, struct errmsg *error)
{
	char *key;

	while ((key = strsep(&query, "&")) != NULL) {
		char *value = strchr(key, '=');

		if (value != NULL)
			*value++ = '\0';
		if (key[0] == '\0')
			continue;
		if (rd->n_given == PARAMETERS_MAX)
			return errmsg_fail(error, -EINVAL, "target: has more "
					   "than %d parameters",
					   PARAMETERS_MAX);
		if (value != NULL && !option_percent_decode(value))
			return errmsg_fail(error, -EINVAL,
					   "%.32s: has a broken %% escape",
					   key);
		rd->given[rd->n_given++] =
			(struct address_option){ key, value };
	}
	return 0;
}

/* Says what to write instead of an option that is not known. */
static void describe_unknown(const struct reader *rd, const char *key,
			     struct errmsg *ret)
{
	/* keys of up to 3 letters are too similar to each other for a
	 * suggestion: "cam" and "cas" */
	const char *nearest = strlen(key) > 3
				      ? field_nearest(rd->tables, rd->n, key)
				      : NULL;
	const char *remedy = io_foreign_option(rd->type, rd->input, key);
	struct errmsg place;

	if (remedy != NULL)
		errmsg_set(ret, "option \"%.64s\" is not known; %s", key,
			   remedy);
	else if (io_foreign_place(rd->type, rd->input, key, &place))
		errmsg_set(ret, "option \"%.64s\" %s", key, place.text);
	else if (nearest != NULL)
		errmsg_set(ret, "option \"%.64s\" is not known; is it \"%s\"?",
			   key, nearest);
	else
		errmsg_set(ret, "option \"%.64s\" is not known", key);
}

static bool is_on(const struct field_need *need, void *arg)
{
	const struct reader *rd = arg;

	return is_given(rd, 0, rd->n_given, need->key);
}

/* Reports an option that is not known or has no effect. */
static void remark_option(const struct reader *rd, const char *key,
			  const struct field *f)
{
	struct errmsg text;

	if (rd->remark == NULL)
		return;
	if (f == NULL)
		describe_unknown(rd, key, &text);
	else if (field_is_idle(f, rd->where, is_on, (void *)(uintptr_t)rd,
			       &text))
		errmsg_prefix(&text, "%s: ", key);
	else
		return;
	rd->remark(text.text, rd->arg);
}

/* Reports a repeated option, at its second value only. */
static void remark_repeated(const struct reader *rd, const struct field *f,
			    size_t i)
{
	const char *key = rd->given[i].key;
	struct errmsg text;
	size_t first = 0;

	while (strcmp(rd->given[first].key, key) != 0)
		first++;
	if (rd->remark == NULL || f == NULL || f->flags & FIELD_EVERY ||
	    is_given(rd, first + 1, i, key))
		return;
	errmsg_set(&text, "%.64s: is given several times, and only the last "
		   "value counts", key);
	rd->remark(text.text, rd->arg);
}

/* Reads the options.  The last value of a repeated key counts; the values
 * before it are not checked. */
static int read_options(const struct reader *rd, struct errmsg *error)
{
	for (size_t i = 0; i < rd->n_given; i++) {
		const char *key = rd->given[i].key;
		const char *value = rd->given[i].value;
		bool last = !is_given(rd, i + 1, rd->n_given, key);
		const struct field *f = NULL;
		bool is_module;
		size_t t;
		int r = 0;

		for (t = 0; t < rd->n && f == NULL; t++)
			f = field_find(rd->tables[t], key);
		if (f != NULL && (last || f->flags & FIELD_EVERY))
			r = field_read_text(f, key, value != NULL ? value : "",
					    rd->structs[t - 1], error);
		if (r < 0) {
			errmsg_prefix(error, "%.64s: ", key);
			return r;
		}
		if (is_given(rd, 0, i, key)) {
			remark_repeated(rd, f, i);
			continue;
		}
		/* cam without an id names the module of an adapter */
		is_module = f != NULL && f->hook == &cam_hook &&
			    (value == NULL || value[0] == '\0');
		if (!is_module)
			remark_option(rd, key, f);
		else if (!rd->input || rd->type->kind != INPUT_DVB)
			remark_option(rd, key, NULL);
	}
	return 0;
}

/* --- addresses --- */

static int read_address(const struct address *a, const struct io_type *type,
			struct reader *rd, void *spec, struct errmsg *error)
{
	const char *query = type->query ? strchr(a->target, '?') : NULL;
	char text[ADDRESS_TEXT_MAX + 1];
	int r;

	rd->type = type;
	add_table(rd, type->options, spec);
	r = type->read(a, spec, error);
	if (r == 0 && type->where != NULL)
		rd->where |= type->where(spec);
	if (r == 0 && query != NULL) {
		(void)snprintf(text, sizeof text, "%s", query + 1);
		r = add_parameters(rd, text, error);
	}
	if (r < 0)
		return r;
	for (size_t i = 0; i < a->n_options; i++)
		rd->given[rd->n_given++] = a->options[i];
	return read_options(rd, error);
}

int input_spec_parse(const char *text, struct input_spec *ret,
		     io_remark_fn *remark, void *arg, struct errmsg *error)
{
	return input_spec_judge(text, 0, ret, remark, arg, error);
}

int input_spec_judge(const char *text, unsigned where, struct input_spec *ret,
		     io_remark_fn *remark, void *arg, struct errmsg *error)
{
	struct reader rd = { .input = true, .where = where, .remark = remark,
			     .arg = arg };
	struct input_spec spec = { .ring = -1 };
	const struct io_type *type;
	struct address a;
	int r = address_parse(text, &a, error);

	if (r < 0) {
		io_foreign_untyped(text, error);
		return r;
	}
	type = io_type_find(io_input_types, a.type);
	if (type == NULL) {
		r = io_foreign_type(a.type, true, error);
		goto out;
	}
	spec.kind = (enum input_kind)type->kind;
	add_table(&rd, &io_input_fields, &spec);
	add_table(&rd, &remux_fields, &spec.remux);
	r = read_address(&a, type, &rd, &spec, error);
	if (r == 0)
		r = biss_finish(&spec.biss, error);
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

	if (r < 0) {
		io_foreign_untyped(text, error);
		return r;
	}
	type = io_type_find(io_output_types, a.type);
	if (type == NULL) {
		r = io_foreign_type(a.type, false, error);
		goto out;
	}
	spec.kind = (enum output_kind)type->kind;
	r = read_address(&a, type, &rd, &spec, error);
	if (r == 0)
		r = biss_finish(&spec.biss, error);
	if (r == 0 && type->finish != NULL)
		r = type->finish(&a, &spec, error);
	if (r == 0 && type->remark != NULL && remark != NULL)
		type->remark(&spec, remark, arg);
	if (r == 0)
		*ret = spec;
out:
	address_done(&a);
	return r;
}
