/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command "announcements": SAP announcements on the networks of the
 * service. */
#include "ctl/api_client.h"
#include "ctl/commands.h"
#include "ctl/print.h"
#include "ctl/table.h"
#include "ctl/text.h"

#include <stdio.h>

/* After so many seconds of listening the list is complete: a session is
 * announced again after 300 s, plus or minus a third (RFC 2974 3.1). */
enum { SURE_S = 400 };

static void print_list(const struct ctl *ctl, const json_t *list)
{
	static const struct table_column columns[] = {
		{ "NAME", 32, false, "name", CELL_TEXT },
		{ "SENDER", 0, false, "sender", CELL_TEXT },
		{ "HEARD", 0, true, NULL, CELL_TEXT },
		{ "INPUT", 0, false, "input", CELL_TEXT },
		{ "NOTE", 0, false, "note", CELL_NOTE },
	};
	struct table *t = table_new(columns, ARRAY_LEN(columns));
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)list, i, one) {
		char heard[32];

		text_age(heard, json_integer_value(json_object_get(one,
								   "heard")));
		table_row_of(t, one);
		table_set(t, 2, TABLE_PLAIN, heard);
	}
	print_table(ctl, t);
	table_free(&t);
}

static void show(const struct ctl *ctl, const json_t *reply)
{
	json_int_t s = json_integer_value(json_object_get(reply, "listening"));
	char since[32];

	print_list(ctl, json_object_get(reply, "announcements"));
	(void)fflush(stdout);
	/* why the list may be incomplete */
	if (s < SURE_S) {
		text_duration(since, s);
		(void)fprintf(stderr, "The service has listened for %s; "
			      "announcements may come minutes apart.\n", since);
	}
	print_error(reply, "error", "");
}

enum ctl_exit run_announcements(struct ctl *ctl, char **args, size_t n)
{
	(void)args, (void)n;
	return print_answer(ctl, "/api/announcements", show);
}
