/* SPDX-License-Identifier: GPL-3.0-or-later */
/* announcements: what is announced on the network of the service. */
#include "ctl/api_client.h"
#include "ctl/commands.h"
#include "ctl/print.h"
#include "ctl/table.h"
#include "ctl/text.h"

#include <stdio.h>
#include <time.h>

/* The usual pause between two announcements is five minutes, a third more or
 * less (RFC 2974 3.1). */
enum { SURE_S = 400 };

static void print_list(const struct ctl *ctl, const json_t *list)
{
	static const struct table_column columns[] = {
		{ "NAME", 32, false }, { "SENDER", 0, false },
		{ "HEARD", 0, true }, { "INPUT", 0, false },
		{ "NOTE", 0, false },
	};
	struct table *t = table_new(columns, ARRAY_LEN(columns));
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)list, i, one) {
		json_int_t at = json_integer_value(json_object_get(one,
								   "heard"));
		char heard[32];

		text_duration(heard, MAX(time(NULL) - at, 0));
		table_row(t);
		table_set(t, 0, TABLE_PLAIN, api_text(one, "name"));
		table_set(t, 1, TABLE_PLAIN, api_text(one, "sender"));
		table_set(t, 2, TABLE_PLAIN, heard);
		table_set(t, 3, TABLE_PLAIN, api_text(one, "input"));
		table_set(t, 4, TABLE_DIM, api_text(one, "note"));
	}
	print_table(ctl, t);
	table_free(&t);
}

/* What the list may lack, and why. */
static void print_doubts(const json_t *reply)
{
	json_int_t s = json_integer_value(json_object_get(reply, "listening"));
	const char *error = api_text(reply, "error");
	struct buf out = { 0 };
	char since[32];

	if (s < SURE_S) {
		text_duration(since, s);
		buf_printf(&out, "The service has listened for %s; "
			   "announcements may come minutes apart.\n", since);
	}
	if (error[0] != '\0') {
		text_plain(&out, error);
		buf_printf(&out, "\n");
	}
	print_text(&out, stderr);
}

static void show(const struct ctl *ctl, const json_t *reply)
{
	print_list(ctl, json_object_get(reply, "announcements"));
	(void)fflush(stdout);
	print_doubts(reply);
}

enum ctl_exit run_announcements(struct ctl *ctl, char **args, size_t n)
{
	(void)args, (void)n;
	return print_answer(ctl, "/api/announcements", show);
}
