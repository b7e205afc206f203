/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command "satip": SAT>IP servers on the networks of the service. */
#include "ctl/api_client.h"
#include "ctl/commands.h"
#include "ctl/print.h"
#include "ctl/table.h"
#include "ctl/text.h"

#include <inttypes.h>
#include <stdio.h>

/* After so many seconds of a search the list is complete: servers answer within
 * two seconds. */
enum { SURE_S = 4 };

static void print_list(const struct ctl *ctl, const json_t *list)
{
	enum { SERVER, NAME, MODEL, FRONTENDS, HEARD, IFACE, NOTE, N };
	static const struct table_column columns[N] = {
		[SERVER] = { "SERVER", 0, false, "server", CELL_TEXT },
		[NAME] = { "NAME", 32, false, "name", CELL_TEXT },
		[MODEL] = { "MODEL", 32, false, NULL, CELL_TEXT },
		[FRONTENDS] = { "FRONTENDS", 0, false, NULL, CELL_TEXT },
		[HEARD] = { "HEARD", 0, true, NULL, CELL_TEXT },
		[IFACE] = { "INTERFACE", 0, false, "iface", CELL_TEXT },
		[NOTE] = { "NOTE", 0, false, "note", CELL_NOTE },
	};
	struct table *t = table_new(columns, N);
	json_t *one, *n;
	size_t i;

	json_array_foreach((json_t *)list, i, one) {
		const char *maker = api_text(one, "manufacturer");
		const char *model = api_text(one, "model");
		const char *system;
		struct buf out = { 0 };
		char heard[32], text[320];

		text_age(heard, json_integer_value(json_object_get(one,
								   "heard")));
		table_row_of(t, one);
		(void)snprintf(text, sizeof text, "%s%s%s", maker,
			       maker[0] != '\0' && model[0] != '\0' ? " " : "",
			       model);
		table_set(t, MODEL, TABLE_PLAIN, text);
		/* the number of frontends of each system: "S2: 4, T2: 2" */
		json_object_foreach(json_object_get(one, "frontends"), system,
				    n)
			buf_printf(&out, "%s%s: %" JSON_INTEGER_FORMAT,
				   buf_len(&out) > 0 ? ", " : "", system,
				   json_integer_value(n));
		buf_append(&out, "", 1);
		table_set(t, FRONTENDS, TABLE_PLAIN,
			  (const char *)buf_head(&out));
		buf_done(&out);
		table_set(t, HEARD, TABLE_PLAIN, heard);
	}
	print_table(ctl, t);
	table_free(&t);
}

static void show(const struct ctl *ctl, const json_t *reply)
{
	json_int_t s = json_integer_value(json_object_get(reply, "listening"));

	print_list(ctl, json_object_get(reply, "servers"));
	(void)fflush(stdout);
	/* why the list may be incomplete */
	if (s < SURE_S)
		(void)fprintf(stderr, "The search has just begun: repeat the "
			      "command in %d seconds.\n", SURE_S);
	print_error(reply, "error", "");
}

enum ctl_exit run_satip(struct ctl *ctl, char **args, size_t n)
{
	(void)args, (void)n;
	return print_answer(ctl, "/api/satip-servers", show);
}
