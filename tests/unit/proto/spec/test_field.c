/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/field.h"

#include "proto/spec/field_parse.h"
#include "proto/wire/json_reader.h"
#include "proto/wire/json_writer.h"
#include "tests/unit/quoted.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { PORTS = 3 };

struct port {
	uint16_t number;
	const char *host;
};

struct sample {
	bool on, quiet;
	uint8_t byte;
	uint32_t level;
	uint64_t total;
	int offset;
	double ratio;
	const char *name;
	char secret[9];
	unsigned mode;
	const json_t *extra;
	struct port main;
	size_t n_ports;
	struct port ports[PORTS];
	size_t n_names;
	const char *names[2];
	size_t length; /* of the custom value */
};

/* Any text; its length is kept. */
static int read_length(const struct field *f, const char *key,
		       const char *text, void *s, struct errmsg *error)
{
	(void)f, (void)key;
	if (strcmp(text, "none") == 0)
		return errmsg_fail(error, -EINVAL, "is none");
	if (s != NULL)
		((struct sample *)s)->length = strlen(text);
	return 0;
}

static json_t *format_length(const struct field *f, const void *s)
{
	(void)f;
	return json_integer(
		(json_int_t)((const struct sample *)s)->length);
}

static const struct field_hook length_hook = {
	.schema = "string", .read = read_length, .format = format_length,
};

static const char *const modes[] = { "caller", "listener", "0", "1", NULL };

#define PORT(member) FIELD_AT(struct port, member)
static const struct field port_rows[] = {
	{ "number", PORT(number), .min = 1 },
	{ "host", PORT(host), .flags = FIELD_MAYBE },
};
static const struct field_table ports = FIELD_TABLE(struct port, port_rows,
						    .flags = FIELD_STRICT);

static const struct field name_item = { .type = FIELD_STRING, .min = 1,
					.max = 4, .size = sizeof(char *) };

#define AT(member) FIELD_AT(struct sample, member)
#define ROWS \
	{ "on", AT(on), .initial = true, .help = "Whether it runs." }, \
	{ "loud", AT(quiet), .flags = FIELD_NEGATED }, \
	{ "quiet", AT(quiet), .flags = FIELD_ALIAS | FIELD_MAYBE }, \
	{ "byte", AT(byte) }, \
	{ "level", AT(level), .min = 10, .max = 70, .initial = 20, \
	  .unit = "ms", .flags = FIELD_RESTART }, \
	{ "total", AT(total) }, \
	{ "offset", AT(offset) }, \
	{ "ratio", AT(ratio), .max = 2 }, \
	{ "name", AT(name), .flags = FIELD_MAYBE, .max = 6 }, \
	{ "secret", AT(secret), .min = 3, .flags = FIELD_SECRET }, \
	{ "mode", AT(mode), .choices = modes, .max = 2, .initial = 1 }, \
	{ "extra", AT(extra), .flags = FIELD_MAYBE | FIELD_SPARE }, \
	{ "main", FIELD_IN(struct sample, main, &ports) }, \
	{ "ports", FIELD_ITEMS(struct sample, ports, n_ports), \
	  .of = &ports }, \
	{ "names", FIELD_ITEMS(struct sample, names, n_names), \
	  .item = &name_item }, \
	{ "length", .type = FIELD_CUSTOM, .hook = &length_hook, \
	  .flags = FIELD_COMMAS }, \
	{ "old", .type = FIELD_NONE, .flags = FIELD_MAYBE }

static const struct field rows[] = { ROWS };

static const struct field_table strict = FIELD_TABLE(struct sample, rows,
						     .flags = FIELD_STRICT);
static const struct field_table plain = FIELD_TABLE(struct sample, rows);
static const struct field_table loose = FIELD_TABLE(struct sample, rows,
						    .flags = FIELD_LOOSE);

static const char whole[] =
	"{'on':false,'loud':true,'byte':255,'level':70,"
	"'total':9223372036854775807,'offset':-5,'ratio':0.5,"
	"'name':'abc','secret':'12345678','mode':'caller',"
	"'extra':{'a':1},'main':{'number':1,'host':'h'},"
	"'ports':[{'number':65535},{'number':2,'host':'i'}],"
	"'names':['x','yyyy'],'length':'four'}";

static int read_with(const struct field_table *t, const char *text,
		     struct sample *ret, struct errmsg *error)
{
	json_t *object = quoted(text);
	int r = field_read(t, object, ret, error);

	json_decref(object);
	return r;
}

/* From text, without a tree between them; *ret_trees is to be released. */
static int parse_with(char *text, struct sample *ret, json_t **ret_trees,
		      struct errmsg *error)
{
	struct json_reader r;

	for (char *c = text; *c != '\0'; c++)
		if (*c == '\'')
			*c = '"';
	json_reader_init(&r, text, strlen(text));
	*ret_trees = NULL;
	return field_parse(&strict, &r, ret_trees, ret, error);
}

static void refuse_text(const char *quoted_text, const char *sentence)
{
	char *text = strdup(quoted_text);
	struct errmsg error = { 0 };
	struct sample s;
	json_t *trees;

	cr_expect_eq(parse_with(text, &s, &trees, &error), -EINVAL, "%s",
		     text);
	cr_expect_str_eq(error.text, sentence, "%s: %s", text, error.text);
	json_decref(trees);
	free(text);
}

static void refuse(const struct field_table *t, const char *text,
		   const char *sentence)
{
	struct errmsg error = { 0 };
	struct sample s;

	cr_expect_eq(read_with(t, text, &s, &error), -EINVAL, "%s", text);
	cr_expect_str_eq(error.text, sentence, "%s: %s", text, error.text);
	if (t == &strict)
		refuse_text(text, sentence);
}

Test(field, reads_each_type_into_its_member)
{
	json_t *object = quoted(whole);
	struct errmsg error;
	struct sample s;

	memset(&s, 0xff, sizeof s);
	cr_assert_eq(field_read(&strict, object, &s, &error), 0, "%s",
		     error.text);
	cr_assert(!s.on && !s.quiet);
	cr_assert_eq(s.byte, 255);
	cr_assert_eq(s.level, 70);
	cr_assert_eq(s.total, INT64_MAX);
	cr_assert_eq(s.offset, -5);
	cr_assert_float_eq(s.ratio, 0.5, 1e-9);
	cr_assert_str_eq(s.name, "abc");
	cr_assert_str_eq(s.secret, "12345678");
	cr_assert_eq(s.mode, 0);
	cr_assert_eq(json_object_size(s.extra), 1);
	cr_assert_str_eq(s.main.host, "h");
	cr_assert_eq(s.n_ports, 2);
	cr_assert_eq(s.ports[0].number, 65535);
	cr_assert_null(s.ports[0].host);
	cr_assert_eq(s.ports[1].number, 2);
	cr_assert_eq(s.n_names, 2);
	cr_assert_str_eq(s.names[1], "yyyy");
	cr_assert_eq(s.length, 4);
	json_decref(object);
}

/* Behind the items that the text names, nothing is written. */
Test(field, parses_text_into_the_same_struct)
{
	json_t *object = quoted(whole), *formatted, *trees;
	char *text = strdup(whole);
	struct errmsg error;
	struct sample s, before;

	memset(&s, 0xff, sizeof s);
	memset(&before, 0xff, sizeof before);
	cr_assert_eq(parse_with(text, &s, &trees, &error), 0, "%s",
		     error.text);
	cr_assert(!s.on && !s.quiet);
	cr_assert_null(s.ports[0].host);
	cr_assert_arr_eq(&s.ports[s.n_ports], &before.ports[s.n_ports],
			 (ARRAY_LEN(s.ports) - s.n_ports) * sizeof *s.ports);
	formatted = field_format(&strict, &s, 0);
	(void)json_object_set_new(object, "length", json_integer(4));
	cr_assert(json_equal(formatted, object), "%s",
		  json_dumps(formatted, 0));
	json_decref(formatted);
	json_decref(object);
	json_decref(trees);
	free(text);
}

Test(field, text_that_is_no_json_is_an_error)
{
	refuse_text("{'on':tru}", "is not JSON: invalid value");
	refuse_text("{'on':true,'on':true}", "on: occurs twice");
	refuse_text("7", "is not an object");
	refuse_text("{'ports':[{'number':1},{'number':1},{'number':1},"
		    "{'number':1}]}", "ports: has more than 3 items");
	refuse_text("{'extra':{'a':1,'a':1}}",
		    "is not JSON: duplicate object key");
}

Test(field, writes_the_object_that_it_read)
{
	json_t *object = quoted(whole), *formatted, *written;
	char text[1024];
	struct json_writer w = { .data = text, .size = sizeof text };
	struct sample s;

	cr_assert_eq(field_read(&strict, object, &s, NULL), 0);
	formatted = field_format(&strict, &s, 0);
	(void)json_object_set_new(object, "length", json_integer(4));
	cr_assert(json_equal(formatted, object), "%s",
		  json_dumps(formatted, 0));
	write_object(&w, NULL);
	field_write(&strict, &s, FIELD_SPARE, &w);
	write_object_end(&w);
	cr_assert_not(w.full);
	written = json_loadb(text, w.len, 0, NULL);
	(void)json_object_del(object, "extra");
	cr_assert(json_equal(written, object), "%.*s", (int)w.len, text);
	json_decref(written);
	json_decref(formatted);
	json_decref(object);
}

Test(field, writes_nothing_beyond_the_memory)
{
	char text[8] = "";
	struct json_writer w = { .data = text, .size = 4 };
	struct sample s = { .name = "abc" };

	field_write(&plain, &s, 0, &w);
	cr_assert(w.full);
	cr_assert_eq(text[4], '\0');
}

Test(field, an_absent_key_gives_the_default)
{
	struct sample s;

	memset(&s, 0xff, sizeof s);
	cr_assert_eq(read_with(&plain, "{'mode':'0'}", &s, NULL), 0);
	cr_assert(s.on && !s.quiet);
	cr_assert_eq(s.level, 20);
	cr_assert_eq(s.mode, 0, "a second name of the first choice");
	cr_assert_null(s.name);
	cr_assert_str_empty(s.secret);
	cr_assert_eq(s.n_ports, 0);
	memset(&s, 0xff, sizeof s);
	field_init(&plain, &s);
	cr_assert(s.on);
	cr_assert_eq(s.level, 20);
	cr_assert_eq(s.mode, 1);
	cr_assert_eq(s.n_names, 0);
}

Test(field, an_error_names_field_value_and_accepted_values)
{
	static const char *const cases[][2] = {
		{ "{'on':1}", "on: 1 is not true or false" },
		{ "{'on':'yes'}", "on: \"yes\" is not true or false" },
		{ "{'on':[]}", "on: is not true or false" },
		{ "{'byte':256}", "byte: 256 is not between 0 and 255" },
		{ "{'byte':'5'}",
		  "byte: \"5\" is not a whole number between 0 and 255" },
		{ "{'byte':1.5}",
		  "byte: 1.5 is not a whole number between 0 and 255" },
		{ "{'byte':null}",
		  "byte: null is not a whole number between 0 and 255" },
		{ "{'level':9}", "level: 9 is not between 10 and 70 ms" },
		{ "{'total':-1}", "total: -1 is less than 0" },
		{ "{'offset':2147483648}", "offset: 2147483648 is not between "
					   "-2147483648 and 2147483647" },
		{ "{'ratio':2.5}", "ratio: 2.5 is not between 0 and 2" },
		{ "{'ratio':'1'}",
		  "ratio: \"1\" is not a number between 0 and 2" },
		{ "{'name':5}", "name: 5 is not a string" },
		{ "{'name':false}", "name: false is not a string" },
		{ "{'secret':12345}", "secret: is not a string" },
		{ "{'mode':5}", "mode: 5 is not caller or listener" },
		{ "{'name':'1234567'}", "name: is longer than 6 bytes" },
		{ "{'secret':'zz'}", "secret: has 2 bytes, not 3 to 8" },
		{ "{'secret':''}", "secret: has no value" },
		{ "{'mode':'up'}", "mode: \"up\" is not caller or listener" },
		{ "{'extra':[]}", "extra: is not an object" },
		{ "{'main':{'number':0}}",
		  "main.number: 0 is not between 1 and 65535" },
		{ "{'main':{}}", "main.number: is missing" },
		{ "{'ports':{}}", "ports: is not a list" },
		{ "{'ports':[{'number':1},{'number':1,'port':2}]}",
		  "ports[1].port: is not known" },
		{ "{'ports':[1]}", "ports[0]: is not an object" },
		{ "{'ports':[{},{},{},{}]}",
		  "ports: has 4 items, more than 3" },
		{ "{'names':['a','']}", "names[1]: has no value" },
		{ "{'names':['a',1]}", "names[1]: 1 is not a string" },
		{ "{'length':'none'}", "length: is none" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		refuse(&plain, cases[i][0], cases[i][1]);
}

Test(field, a_strict_table_requires_its_keys_and_rejects_others)
{
	json_t *object = quoted(whole);
	struct errmsg error;
	struct sample s;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		json_t *without = json_copy(object);

		(void)json_object_del(without, rows[i].key);
		cr_expect_eq(field_read(&strict, without, &s, &error),
			     rows[i].flags & FIELD_MAYBE ? 0 : -EINVAL, "%s",
			     rows[i].key);
		json_decref(without);
	}
	(void)json_object_set_new(object, "more", json_integer(1));
	cr_assert_eq(field_read(&strict, object, &s, &error), -EINVAL);
	cr_assert_str_eq(error.text, "more: is not known");
	json_decref(object);
}

Test(field, a_loose_table_accepts_the_types_that_user_interfaces_store)
{
	json_t *list = quoted("{'length':['a',2,true]}");
	struct errmsg error;
	struct sample s;

	cr_assert_eq(read_with(&loose, "{'level':'30','on':'0','byte':null,"
			       "'mode':'','name':'abc','secret':123}", &s,
			       &error), 0, "%s", error.text);
	cr_assert_eq(s.level, 30);
	cr_assert_not(s.on);
	cr_assert_eq(s.byte, 0);
	cr_assert_eq(s.mode, 1);
	cr_assert_str_eq(s.secret, "123");
	cr_assert_eq(field_read(&loose, list, &s, &error), 0);
	cr_assert_eq(s.length, strlen("a,2,true"));
	json_decref(list);

	/* the first error is reported; other keys are taken */
	cr_assert_eq(read_with(&loose, "{'byte':'x','level':'99','total':7}",
			       &s, &error), -EINVAL);
	cr_assert_str_eq(error.text, "byte: \"x\" is not a number between "
			 "0 and 255");
	cr_assert_eq(s.level, 20);
	cr_assert_eq(s.total, 7);
}

Test(field, a_text_is_read_by_the_type_of_its_row)
{
	static const struct {
		const char *key, *text, *sentence;
	} cases[] = {
		{ "on", "", NULL }, { "on", "1", NULL },
		{ "on", "yes", "\"yes\" is not true or false" },
		{ "level", "10", NULL },
		{ "level", "", "\"\" is not a number between 10 and 70 ms" },
		{ "level", "10s",
		  "\"10s\" is not a number between 10 and 70 ms" },
		{ "level", "-1", "-1 is not between 10 and 70 ms" },
		{ "byte", "-0", "-0 is not between 0 and 255" },
		{ "level", "99999999999999999999",
		  "99999999999999999999 is not between 10 and 70 ms" },
		{ "offset", "-7", NULL },
		{ "mode", "listener", NULL },
		{ "mode", "2", "\"2\" is not caller or listener" },
		{ "secret", "12", "has 2 bytes, not 3 to 8" },
		{ "ports", "1", "cannot be read from text" },
		{ "old", "anything", NULL },
	};
	struct sample s = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct field *f = field_find(&plain, cases[i].key);
		struct errmsg error = { 0 };
		int r = field_read_text(f, f->key, cases[i].text, &s, &error);

		cr_expect_eq(r, cases[i].sentence != NULL ? -EINVAL : 0);
		cr_expect_str_eq(error.text, cases[i].sentence != NULL
						     ? cases[i].sentence
						     : "");
	}
	cr_assert(s.on);
	cr_assert_eq(s.level, 10);
	cr_assert_eq(s.offset, -7);
	cr_assert_eq(s.mode, 1);
}

static void collect(const char *path, const char *text, void *arg)
{
	char *all = arg;

	(void)snprintf(all + strlen(all), 512 - strlen(all), "%s: %s\n", path,
		       text);
}

Test(field, a_check_reports_every_error_with_its_path)
{
	json_t *object = quoted("{'on':1,'main':{'number':0,'host':1},"
				"'ports':[{'number':1},{'number':-1}]}");
	char all[512] = "";

	cr_assert_eq(field_check(&plain, object, NULL, collect, all), 4);
	cr_assert_str_eq(all, "on: 1 is not true or false\n"
			 "main.number: 0 is not between 1 and 65535\n"
			 "main.host: 1 is not a string\n"
			 "ports[1].number: -1 is not between 1 and 65535\n");
	json_decref(object);
}

static int judge_sample(const void *s, struct errmsg *error)
{
	const struct port *p = s;

	return p->host != NULL && p->number == 1
		       ? errmsg_fail(error, -EINVAL, "host: not with 1")
		       : 0;
}

Test(field, fields_are_checked_together_last)
{
	static const struct field_table judged = FIELD_TABLE(
		struct port, port_rows, .judge = judge_sample);
	static const struct field outer_rows[] = {
		{ "main", FIELD_IN(struct sample, main, &judged) },
	};
	static const struct field_table outer = FIELD_TABLE(struct sample,
							    outer_rows);

	refuse(&outer, "{'main':{'number':1,'host':'h'}}",
	       "main.host: not with 1");
	refuse(&outer, "{'main':{'number':0,'host':'h'}}",
	       "main.number: 0 is not between 1 and 65535");
}

static void note_unknown(const char *key, const char *nearest, void *arg)
{
	collect(key, nearest != NULL ? nearest : "-", arg);
}

Test(field, an_unknown_key_has_the_nearest_known_one)
{
	static const struct field group_rows[] = {
		{ "header.", .type = FIELD_NONE, .flags = FIELD_GROUP },
	};
	static const struct field_table group = FIELD_TABLE(struct sample,
							    group_rows);
	const struct field_table *const both[] = { &plain, &group };
	json_t *object = quoted("{'leval':1,'_note':1,'level':1,'zzzz':1,"
				"'header.x':1,'onn':1}");
	char all[512] = "";

	field_find_unknown(both, 2, object, note_unknown, all);
	cr_assert_str_eq(all, "leval: level\nzzzz: -\nonn: on\n");
	json_decref(object);
}

Test(field, a_table_describes_itself_as_a_json_schema)
{
	json_t *schema = field_describe(&strict);
	const json_t *properties = json_object_get(schema, "properties");
	static const char *const cases[][2] = {
		{ "on", "{'type':'boolean','default':true,"
			"'description':'Whether it runs.'}" },
		{ "loud", "{'type':'boolean','default':true}" },
		{ "level", "{'type':'integer','minimum':10,'maximum':70,"
			   "'default':20,'unit':'ms','restart':true}" },
		{ "byte", "{'type':'integer','minimum':0,'maximum':255,"
			  "'default':0}" },
		{ "mode", "{'type':'string','enum':['caller','listener'],"
			  "'default':'listener'}" },
		{ "secret", "{'type':'string','minLength':3,'maxLength':8,"
			    "'secret':true}" },
		{ "names", "{'type':'array','maxItems':2,'items':{"
			   "'type':'string','minLength':1,'maxLength':4}}" },
		{ "length", "{'type':'string'}" },
		{ "main", "{'type':'object','additionalProperties':false,"
			  "'required':['number'],'properties':{"
			  "'number':{'type':'integer','minimum':1,"
			  "'maximum':65535},'host':{'type':'string'}}}" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *wanted = quoted(cases[i][1]);
		const json_t *is = json_object_get(properties, cases[i][0]);

		cr_expect(json_equal(is, wanted), "%s", json_dumps(is, 0));
		json_decref(wanted);
	}
	cr_assert_eq(json_array_size(json_object_get(schema, "required")), 13);
	cr_assert(json_is_false(json_object_get(schema,
						"additionalProperties")));
	json_decref(schema);
}

Test(field, an_assigned_struct_keeps_what_is_the_same)
{
	json_t *object = quoted(whole), *formatted, *wanted;
	struct sample s = { 0 }, from;
	const char *name, *host;

	cr_assert_eq(field_read(&strict, object, &from, NULL), 0);
	from.n_names = 0;
	field_assign(&strict, &s, &from);
	name = s.name;
	host = s.ports[1].host;
	cr_assert_neq(name, from.name);
	/* a shorter list, another text, none */
	from.n_ports = 1;
	from.main.host = "other";
	from.extra = NULL;
	field_assign(&strict, &s, &from);
	cr_assert_eq(s.name, name);
	cr_assert_eq(s.n_ports, 1);
	cr_assert_null(s.extra);
	/* and the item again, whose memory had a text that was freed; a value
	 * without a member has no row that copies it */
	s.length = from.length;
	from.n_ports = 2;
	s.ports[1].host = host;
	field_assign(&strict, &s, &from);
	formatted = field_format(&strict, &s, 0);
	wanted = field_format(&strict, &from, 0);
	cr_assert(json_equal(formatted, wanted), "%s",
		  json_dumps(formatted, 0));
	json_decref(formatted);
	json_decref(wanted);
	json_decref(object);
	cr_assert_str_eq(s.ports[1].host, "i");
	cr_assert_str_eq(s.main.host, "other");
	field_drop(&strict, &s);
}

Test(field, a_kept_struct_outlives_its_source)
{
	json_t *object = quoted(whole), *formatted;
	struct sample s;

	cr_assert_eq(field_read(&strict, object, &s, NULL), 0);
	s.n_names = 0;
	field_keep(&strict, &s);
	json_decref(object);
	formatted = field_format(&strict, &s, 0);
	cr_assert_str_eq(s.name, "abc");
	cr_assert_str_eq(s.main.host, "h");
	cr_assert_str_eq(s.ports[1].host, "i");
	cr_assert_eq(json_object_size(s.extra), 1);
	json_decref(formatted);
	field_drop(&strict, &s);
	cr_assert_null(s.name);
	cr_assert_null(s.extra);
	cr_assert_eq(s.n_ports, 0);
}
