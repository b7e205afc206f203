/* SPDX-License-Identifier: GPL-3.0-or-later */
/* network: who asks for the multicast groups that inputs hear. */
#include "ctl/api_client.h"
#include "ctl/commands.h"
#include "ctl/print.h"
#include "ctl/text.h"

#include <stdio.h>
#include <string.h>

/* "10.0.0.1, version 2", and how long ago it asked. */
static void set_querier(struct table *t, size_t column, const json_t *one)
{
	const json_t *querier = json_object_get(one, "querier");
	char words[128];

	if (querier == NULL)
		return;
	(void)snprintf(words, sizeof words, "%s, version %"
		       JSON_INTEGER_FORMAT, api_text(querier, "address"),
		       json_integer_value(json_object_get(querier,
							  "version")));
	table_set(t, column, TABLE_PLAIN, words);
	text_duration(words, json_integer_value(json_object_get(querier,
								"age")));
	table_set(t, column + 1, TABLE_PLAIN, words);
}

static void set_count(struct table *t, size_t column, const json_t *one,
		      const char *key, enum table_colour colour)
{
	json_int_t n = json_integer_value(json_object_get(one, key));
	char words[32];

	(void)snprintf(words, sizeof words, "%" JSON_INTEGER_FORMAT, n);
	table_set(t, column, n > 0 ? colour : TABLE_PLAIN, words);
}

/* One that is gone has no name. */
static void set_interface(struct table *t, size_t column, const json_t *one)
{
	const char *name = api_text(one, "interface");

	if (name[0] != '\0')
		table_set(t, column, TABLE_PLAIN, name);
	else
		set_count(t, column, one, "index", TABLE_PLAIN);
}

static void print_list(const struct ctl *ctl, const json_t *list)
{
	static const struct table_column columns[] = {
		{ "INTERFACE", 0, false }, { "PROTOCOL", 0, false },
		{ "QUERIER", 0, false },   { "INPUTS", 0, true },
		{ "SILENT", 0, true },     { "ADDRESS", 0, false },
		{ "ASKED", 0, true },      { "NOTE", 0, false },
	};
	struct table *t = table_new(columns, ARRAY_LEN(columns));
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)list, i, one) {
		const char *state = api_text(one, "state");

		table_row(t);
		set_interface(t, 0, one);
		table_set(t, 1, TABLE_PLAIN, api_text(one, "protocol"));
		table_set(t, 2, strcmp(state, "heard") == 0 ? TABLE_GOOD
				: strcmp(state, "missing") == 0 ? TABLE_BAD
								: TABLE_DIM,
			  state);
		set_count(t, 3, one, "inputs", TABLE_PLAIN);
		set_count(t, 4, one, "silent", TABLE_BAD);
		set_querier(t, 5, one);
		if (json_object_get(one, "advice") != NULL)
			table_set(t, 7, TABLE_DIM, api_text(one, "advice"));
	}
	print_table(ctl, t);
	table_free(&t);
}

/* Why nothing is known of a protocol. */
static void print_error(const json_t *reply, const char *name,
			const char *key)
{
	const char *error = api_text(reply, key);
	struct buf text = { 0 };

	if (error[0] == '\0')
		return;
	buf_printf(&text, "%s queriers cannot be heard: ", name);
	text_plain(&text, error);
	buf_printf(&text, "\n");
	print_text(&text, stderr);
}

static void show(const struct ctl *ctl, const json_t *reply)
{
	print_list(ctl, json_object_get(reply, "interfaces"));
	(void)fflush(stdout);
	print_error(reply, "IGMP", "igmp_error");
	print_error(reply, "MLD", "mld_error");
}

enum ctl_exit run_network(struct ctl *ctl, char **args, size_t n)
{
	(void)args, (void)n;
	return print_answer(ctl, "/api/network-status", show);
}
