/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command "network": the IGMP and MLD queriers on the interfaces of
 * multicast inputs. */
#include "ctl/api_client.h"
#include "ctl/commands.h"
#include "ctl/print.h"
#include "ctl/text.h"

#include <stdio.h>
#include <string.h>

static void print_list(const struct ctl *ctl, const json_t *list)
{
	static const struct table_column columns[] = {
		{ "INTERFACE", 0, false, "interface", CELL_TEXT },
		{ "PROTOCOL", 0, false, "protocol", CELL_TEXT },
		{ "QUERIER", 0, false, NULL, CELL_TEXT },
		{ "INPUTS", 0, true, "inputs", CELL_NUMBER },
		{ "SILENT", 0, true, "silent", CELL_ERRORS },
		{ "ADDRESS", 0, false, NULL, CELL_TEXT },
		{ "ASKED", 0, true, NULL, CELL_TEXT },
		{ "NOTE", 0, false, "advice", CELL_NOTE },
	};
	struct table *t = table_new(columns, ARRAY_LEN(columns));
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)list, i, one) {
		const json_t *querier = json_object_get(one, "querier");
		const char *state = api_text(one, "state");
		char index[32], words[128];

		table_row_of(t, one);
		/* an interface that was removed has no name, only an index */
		(void)snprintf(index, sizeof index, "%" JSON_INTEGER_FORMAT,
			       json_integer_value(json_object_get(one,
								  "index")));
		if (api_text(one, "interface")[0] == '\0')
			table_set(t, 0, TABLE_PLAIN, index);
		table_set(t, 2, strcmp(state, "heard") == 0 ? TABLE_GOOD
				: strcmp(state, "missing") == 0 ? TABLE_BAD
								: TABLE_DIM,
			  state);
		if (querier == NULL)
			continue;
		/* "10.0.0.1, version 2" and the age of the last query */
		(void)snprintf(words, sizeof words, "%s, version %"
			       JSON_INTEGER_FORMAT,
			       api_text(querier, "address"),
			       json_integer_value(json_object_get(querier,
								  "version")));
		table_set(t, 5, TABLE_PLAIN, words);
		text_duration(words, json_integer_value(
					     json_object_get(querier, "age")));
		table_set(t, 6, TABLE_PLAIN, words);
	}
	print_table(ctl, t);
	table_free(&t);
}

static void show(const struct ctl *ctl, const json_t *reply)
{
	print_list(ctl, json_object_get(reply, "interfaces"));
	(void)fflush(stdout);
	print_error(reply, "igmp_error", "cannot receive IGMP queries: ");
	print_error(reply, "mld_error", "cannot receive MLD queries: ");
}

enum ctl_exit run_network(struct ctl *ctl, char **args, size_t n)
{
	(void)args, (void)n;
	return print_answer(ctl, "/api/network-status", show);
}
