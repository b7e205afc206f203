/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The man page and the description of the API name the keys of the tables, all
 * of them and no other. */
#include "proto/spec/io_type.h"
#include "proto/spec/link_stat.h"
#include "proto/spec/stream_spec.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 512, NAMES_MAX = 1024 };

/* The options that a page documents:  "udp in cbr", "stream map". */
struct names {
	size_t n;
	char text[NAMES_MAX][64];
};

static struct names documented;

static bool has_name(const char *name)
{
	for (size_t i = 0; i < documented.n; i++)
		if (strcmp(documented.text[i], name) == 0)
			return true;
	return false;
}

static void add_name(const char *group, const char *key)
{
	cr_assert_lt(documented.n, NAMES_MAX);
	(void)snprintf(documented.text[documented.n++], 64, "%s %s", group,
		       key);
}

static FILE *open_page(const char *path)
{
	const char *srcdir = getenv("srcdir");
	char full[4096];
	FILE *f;

	(void)snprintf(full, sizeof full, "%s/%s",
		       srcdir != NULL ? srcdir : ".", path);
	f = fopen(full, "r");
	cr_assert_not_null(f, "%s", full);
	return f;
}

/* --- sluice.json(5) --- */

/* The list that is being read: the keys of streams, or the options of some
 * types. */
struct list {
	unsigned depth; /* of .Bl; 0: none */
	bool header;    /* the sentence before the list continues */
	size_t n;
	char groups[16][32];
};

static void begin(struct list *l, const char *group)
{
	(void)snprintf(l->groups[l->n++], sizeof l->groups[0], "%s", group);
}

/* "Options of udp, rtp and srt inputs and outputs:" */
static void begin_options(struct list *l, const char *line)
{
	static const char *const directions[] = { "inputs", "outputs" };
	char text[LINE_BYTES], *rest = text, *word;
	char types[8][16];
	size_t n = 0;

	*l = (struct list){ .header = strchr(line, ':') == NULL };
	(void)snprintf(text, sizeof text, "%s", line);
	while ((word = strsep(&rest, " ,:\n")) != NULL) {
		bool is_type = true;

		for (size_t i = 0; i < ARRAY_LEN(directions); i++) {
			if (strcmp(word, directions[i]) != 0)
				continue;
			is_type = false;
			for (size_t k = 0; k < n; k++) {
				char group[32];

				(void)snprintf(group, sizeof group, "%.20s %s",
					       types[k], directions[i]);
				begin(l, group);
			}
		}
		if (strcmp(word, "which") == 0)
			break;
		if (is_type && word[0] != '\0' && strcmp(word, "and") != 0 &&
		    n < ARRAY_LEN(types))
			(void)snprintf(types[n++], sizeof types[0], "%s",
				       word);
	}
}

/* The keys of ".It Cm a Ns = Ns Ar x , Cm b , c". */
static void take_keys(const struct list *l, const char *line)
{
	char text[LINE_BYTES], *rest = text, *word;
	bool expected = false;

	(void)snprintf(text, sizeof text, "%s", line);
	while ((word = strsep(&rest, " \n")) != NULL) {
		if (strcmp(word, ".It") == 0 || strcmp(word, ".Cm") == 0 ||
		    strcmp(word, ",") == 0) {
			expected = true;
			continue;
		}
		if (expected && (strcmp(word, "Cm") == 0 ||
				 strcmp(word, "Va") == 0))
			continue;
		if (expected && strcmp(word, "Ns") != 0 && word[0] != '?' &&
		    word[0] != '\0')
			for (size_t i = 0; i < l->n; i++)
				add_name(l->groups[i], word);
		expected = false;
	}
}

static bool starts(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

static void read_manual(void)
{
	FILE *f = open_page("doc/sluice.json.5");
	struct list l = { 0 };
	char line[LINE_BYTES];

	documented.n = 0;
	while (fgets(line, sizeof line, f) != NULL) {
		if (starts(line, ".Sh")) {
			l = (struct list){ 0 };
			if (starts(line, ".Sh STREAMS") ||
			    starts(line, ".Sh BACKUP"))
				begin(&l, "stream");
			if (starts(line, ".Sh PROCESSING"))
				begin(&l, "all inputs");
		} else if (starts(line, "Options of ") && l.depth == 0 &&
			   !starts(line, "Options of all inputs that")) {
			begin_options(&l, line + strlen("Options of "));
		} else if (starts(line, ".Bl")) {
			l.depth++;
			l.header = false;
		} else if (starts(line, ".El")) {
			l.depth--;
		} else if (starts(line, ".It Cm ") || starts(line, ".It Va ") ||
			   (l.header && starts(line, ".Cm "))) {
			take_keys(&l, line);
		}
	}
	fclose(f);
}

static void expect_documented(const char *group, const struct field_table *t)
{
	char name[64], of_all[64];

	for (size_t i = 0; i < t->n; i++) {
		const struct field *f = &t->rows[i];

		(void)snprintf(name, sizeof name, "%s %s", group, f->key);
		(void)snprintf(of_all, sizeof of_all, "all inputs %s", f->key);
		cr_expect(f->flags & FIELD_IDLE || has_name(name) ||
			  (strstr(group, "inputs") && has_name(of_all)),
			  "sluice.json(5) lacks %s", name);
	}
}

static bool is_option(const char *type, const char *direction, const char *key)
{
	bool in = strcmp(direction, "inputs") == 0;
	const struct io_type *const *types = in ? io_input_types
						: io_output_types;

	if (in && (field_find(&io_input_fields, key) != NULL ||
		   field_find(&remux_fields, key) != NULL))
		return true;
	for (; *types != NULL; types++)
		if ((strcmp(type, "all") == 0 ||
		     strcmp((*types)->name, type) == 0) &&
		    field_find((*types)->options, key) != NULL)
			return true;
	return false;
}

Test(documented, every_option_of_an_address_is_in_the_manual)
{
	char group[32];

	read_manual();
	expect_documented("all inputs", &io_input_fields);
	expect_documented("all inputs", &remux_fields);
	for (size_t i = 0; io_input_types[i] != NULL; i++) {
		(void)snprintf(group, sizeof group, "%s inputs",
			       io_input_types[i]->name);
		expect_documented(group, io_input_types[i]->options);
	}
	for (size_t i = 0; io_output_types[i] != NULL; i++) {
		(void)snprintf(group, sizeof group, "%s outputs",
			       io_output_types[i]->name);
		expect_documented(group, io_output_types[i]->options);
	}
}

Test(documented, every_option_in_the_manual_exists)
{
	size_t n = 0;

	read_manual();
	for (size_t i = 0; i < documented.n; i++) {
		char type[32], direction[32], key[32];

		if (sscanf(documented.text[i], "%31s %31s %31s", type,
			   direction, key) != 3)
			continue;
		n++;
		cr_expect(is_option(type, direction, key), "%s",
			  documented.text[i]);
	}
	cr_assert_gt(n, 100);
}

/* Keys of a stream object that its worker does not read. */
static const char *const of_master[] = {
	"id", "name", "type", "enable", "input", "output", "groups",
	"cas_list", "http_keep_active", "hls_on_demand", "hls_group",
	"hls_header", "lcn", "xmltv_id", "epg_codepage",
};

static bool is_stream_key(const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(of_master); i++)
		if (strcmp(of_master[i], key) == 0)
			return true;
	if (key[0] == '_') /* a remark of a user interface */
		return true;
	return field_find(&stream_option_fields, key) != NULL ||
	       field_find(&stream_version_fields, key) != NULL;
}

static void expect_stream_keys(const char *page)
{
	const struct field_table *const tables[] = { &stream_option_fields,
						     &stream_version_fields };
	char name[64];

	for (size_t t = 0; t < ARRAY_LEN(tables); t++)
		for (size_t i = 0; i < tables[t]->n; i++) {
			(void)snprintf(name, sizeof name, "stream %s",
				       tables[t]->rows[i].key);
			cr_expect(has_name(name), "%s lacks %s", page, name);
		}
	for (size_t i = 0; i < documented.n; i++)
		if (starts(documented.text[i], "stream "))
			cr_expect(is_stream_key(documented.text[i] +
						strlen("stream ")),
				  "%s: %s", page, documented.text[i]);
}

Test(documented, the_manual_has_the_keys_of_a_stream)
{
	read_manual();
	expect_stream_keys("sluice.json(5)");
}

/* --- doc/openapi.yaml --- */

/* The properties of a schema: "    NAME:", then "        KEY:". */
static void read_schema(const char *schema, const char *group)
{
	FILE *f = open_page("doc/openapi.yaml");
	char line[LINE_BYTES], head[64];
	bool inside = false;

	documented.n = 0;
	(void)snprintf(head, sizeof head, "    %s:\n", schema);
	while (fgets(line, sizeof line, f) != NULL) {
		size_t indent = strspn(line, " ");

		if (indent <= 4)
			inside = strcmp(line, head) == 0;
		if (!inside || indent != 8 || strchr(line, ':') == NULL)
			continue;
		*strchr(line, ':') = '\0';
		add_name(group, line + indent);
	}
	fclose(f);
}

Test(documented, the_api_description_has_the_keys_of_a_stream)
{
	read_schema("Stream", "stream");
	expect_stream_keys("openapi.yaml");
}

Test(documented, the_api_description_has_the_numbers_of_a_link)
{
	read_schema("LinkStats", "link");
	for (size_t i = 0; i < link_stat_fields.n; i++) {
		char name[64];

		(void)snprintf(name, sizeof name, "link %s",
			       link_stat_fields.rows[i].key);
		cr_expect(has_name(name), "openapi.yaml lacks %s", name);
	}
	/* the master counts the viewers that it disconnects */
	for (size_t i = 0; i < documented.n; i++)
		cr_expect(strcmp(documented.text[i], "link cut") == 0 ||
			  field_find(&link_stat_fields,
				     documented.text[i] + strlen("link ")),
			  "%s", documented.text[i]);
}

/* --- the rows themselves --- */

static void expect_help(const char *group, const struct field_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct field *f = &t->rows[i];
		size_t len = f->help != NULL ? strlen(f->help) : 0;

		cr_expect(f->flags & FIELD_IDLE ||
			  (len > 0 && f->help[len - 1] == '.'),
			  "%s: %s has no sentence of help", group, f->key);
	}
}

Test(documented, every_row_has_a_sentence_of_help)
{
	expect_help("stream", &stream_option_fields);
	expect_help("stream", &stream_version_fields);
	expect_help("link", &link_stat_fields);
	expect_help("remux", &remux_fields);
	expect_help("inputs", &io_input_fields);
	for (size_t i = 0; io_input_types[i] != NULL; i++)
		expect_help(io_input_types[i]->name,
			    io_input_types[i]->options);
	for (size_t i = 0; io_output_types[i] != NULL; i++)
		expect_help(io_output_types[i]->name,
			    io_output_types[i]->options);
}
