/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands "session ls" and "session kick", for viewers. */
#include "common/base/address.h"
#include "common/base/alloc.h"
#include "ctl/api_client.h"
#include "ctl/commands.h"
#include "ctl/overview.h"
#include "ctl/print.h"
#include "ctl/table.h"
#include "ctl/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_int_t number(const json_t *session, const char *key)
{
	return json_integer_value(json_object_get(session, key));
}

/* --- order --- */

enum order { ORDER_ID, ORDER_STREAM, ORDER_ADDR, ORDER_UPTIME, ORDERS };

static enum ctl_exit read_order(struct ctl *ctl, enum order *ret)
{
	static const char *const names[ORDERS] = { "id", "stream", "addr",
						   "uptime" };
	const char *wanted = ctl->options.sort;

	for (size_t i = 0; i < ORDERS; i++) {
		if (wanted == NULL || strcmp(wanted, names[i]) == 0) {
			*ret = (enum order)i;
			return CTL_OK;
		}
	}
	return ctl_fail(ctl, CTL_USAGE,
			"--sort: is not id, stream, addr or uptime");
}

static int compare(const void *a, const void *b, void *arg)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	const enum order *by = arg;
	int r = 0;

	if (*by == ORDER_STREAM)
		r = strcmp(api_text(x, "channel_id"),
			   api_text(y, "channel_id"));
	else if (*by == ORDER_ADDR)
		r = strcmp(api_text(x, "addr"), api_text(y, "addr"));
	else if (*by == ORDER_UPTIME)
		r = number(x, "uptime") < number(y, "uptime") ? 1
		    : number(x, "uptime") > number(y, "uptime") ? -1 : 0;
	if (r != 0)
		return r;
	return number(x, "client_id") < number(y, "client_id") ? -1 : 1;
}

/* Returns a new sorted list of the sessions of the stream that --stream names;
 * without the option, of all sessions. */
static json_t *choose(const struct ctl *ctl, const json_t *sessions,
		      enum order by)
{
	size_t room = json_array_size(sessions) + 1, n = 0, i;
	json_t **list = xcalloc(room, sizeof *list);
	json_t *chosen = json_array(), *session;
	const char *stream = ctl->options.stream;

	json_array_foreach((json_t *)sessions, i, session)
		if (stream == NULL ||
		    strcmp(api_text(session, "channel_id"), stream) == 0 ||
		    strcmp(api_text(session, "channel_name"), stream) == 0)
			list[n++] = session;
	qsort_r(list, n, sizeof *list, compare, &by);
	for (i = 0; i < n; i++)
		(void)json_array_append(chosen, list[i]);
	free(list);
	return chosen;
}

/* --- ls --- */

static void print_list(const struct ctl *ctl, const json_t *sessions)
{
	static const struct table_column columns[] = {
		{ "CLIENT", 0, true, "client_id", CELL_NUMBER },
		{ "STREAM", 24, false, "channel_id", CELL_TEXT },
		{ "NAME", 32, false, "channel_name", CELL_TEXT },
		{ "ADDRESS", 0, false, "addr", CELL_TEXT },
		{ "SINCE", 0, true, "uptime", CELL_DURATION },
	};
	struct table *t = table_new(columns, ARRAY_LEN(columns));
	json_t *session;
	size_t i;

	json_array_foreach((json_t *)sessions, i, session)
		table_row_of(t, session);
	print_table(ctl, t);
	table_free(&t);
}

/* Fails if no stream has this id or name: an empty list would look as if the
 * stream had no viewers. */
static enum ctl_exit find_stream(struct ctl *ctl, const char *word)
{
	struct overview o = { 0 };
	enum ctl_exit code = overview_load(ctl, &o);

	if (code == CTL_OK && overview_find(&o, word) == NULL) {
		for (size_t i = 0; i < o.n; i++)
			if (strcmp(row_name(&o.rows[i]), word) == 0)
				goto out;
		code = ctl_fail(ctl, CTL_REFUSED, "no stream has the id or "
				"the name \"%.64s\": see sluicectl stream ls",
				word);
	}
out:
	overview_done(&o);
	return code;
}

enum ctl_exit run_session_ls(struct ctl *ctl, char **args, size_t n)
{
	json_t *reply = NULL, *chosen;
	enum ctl_exit code;
	enum order by = ORDER_ID;

	(void)args, (void)n;
	code = read_order(ctl, &by);
	if (code == CTL_OK)
		code = api_command(ctl, json_pack("{s:s}", "cmd", "sessions"),
				   &reply);
	if (code != CTL_OK)
		return code;
	chosen = choose(ctl, json_object_get(reply, "sessions"), by);
	if (ctl->options.stream != NULL && json_array_size(chosen) == 0)
		code = find_stream(ctl, ctl->options.stream);
	if (code != CTL_OK) {
		json_decref(chosen);
		json_decref(reply);
		return code;
	}
	if (ctl->options.json)
		ctl_print_json(chosen);
	else
		print_list(ctl, chosen);
	json_decref(chosen);
	json_decref(reply);
	return CTL_OK;
}

/* --- kick --- */

enum ctl_exit run_session_kick(struct ctl *ctl, char **args, size_t n)
{
	json_t *done = json_array();
	enum ctl_exit code = CTL_OK;
	uint64_t client;

	for (size_t i = 0; i < n; i++)
		if (address_number("CLIENT", args[i], 0, INT64_MAX, &client,
				   &ctl->error) < 0)
			code = CTL_USAGE;
	for (size_t i = 0; i < n && code == CTL_OK; i++) {
		client = strtoull(args[i], NULL, 10);
		code = api_do(ctl, json_pack("{s:s, s:I}", "cmd",
					     "close-session", "id",
					     (json_int_t)client));
		if (code != CTL_OK)
			break;
		(void)json_array_append_new(done,
					    json_integer((json_int_t)client));
		if (!ctl->options.json)
			(void)printf("%s: closed\n", args[i]);
	}
	if (code == CTL_OK && ctl->options.json)
		ctl_print_json(done);
	json_decref(done);
	return code;
}
