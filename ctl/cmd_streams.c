/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands "stream ls", "show", "toggle", "restart" and "switch". */
#include "ctl/alarm_text.h"
#include "ctl/api_client.h"
#include "ctl/commands.h"
#include "ctl/overview.h"
#include "ctl/print.h"
#include "ctl/text.h"

#include "common/base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum ctl_exit run_stream_ls(struct ctl *ctl, char **args, size_t n)
{
	bool quiet = ctl->options.given & OPTION_QUIET;
	struct overview o = { 0 };
	enum overview_order by;
	enum ctl_exit code;
	json_t *rows, *answer = NULL;

	(void)args, (void)n;
	if (overview_order(ctl->options.sort ? ctl->options.sort : "id", &by,
			   &ctl->error) < 0)
		return CTL_USAGE;
	code = overview_query(ctl, &o, &answer);
	if (code != CTL_OK)
		return code;
	overview_sort(&o, by, false);
	if (ctl->options.json) {
		rows = overview_json(&o);
		ctl_print_json(rows);
		json_decref(rows);
	} else if (quiet) {
		struct buf text = { 0 };

		for (size_t i = 0; i < o.n; i++) {
			text_plain(&text, row_id(&o.rows[i]));
			buf_printf(&text, "\t");
			text_plain(&text, row_name(&o.rows[i]));
			buf_printf(&text, "\n");
		}
		print_text(&text, stdout);
	} else {
		struct table *t = overview_table(&o, 0);
		struct buf text = { 0 };

		print_table(ctl, t);
		table_free(&t);
		(void)put_service_alarms(&text, answer, 0, ctl->colour);
		print_text(&text, stdout);
	}
	overview_done(&o);
	json_decref(answer);
	return CTL_OK;
}

/* --- show --- */

/* Prints the values that the protocol of an input or output measures, except
 * those that are 0. */
static void show_stats(struct buf *to, const json_t *stats)
{
	const char *name, *gap = "   ";
	const json_t *value;

	json_object_foreach((json_t *)stats, name, value) {
		/* the index of the interface is not printed, because
		 * show_end() prints its name */
		if (json_integer_value(value) == 0 ||
		    strcmp(name, "interface") == 0)
			continue;
		buf_printf(to, "%s ", gap);
		text_plain(to, name);
		buf_printf(to, " %" JSON_INTEGER_FORMAT,
			   json_integer_value(value));
		gap = "";
	}
	if (gap[0] == '\0')
		buf_printf(to, "\n");
}

/* Returns the text for the reason why an input is active; "": the usual reason,
 * which is not printed.  Returns an unknown reason unchanged. */
static const char *choice_text(const char *reason)
{
	static const char *const texts[][2] = {
		{ "start", "" },
		{ "fault", "the input before it failed" },
		{ "return", "returned after its delay" },
		{ "recovered", "recovered in time" },
		{ "manual", "chosen by hand" },
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (strcmp(reason, texts[i][0]) == 0)
			return texts[i][1];
	return reason;
}

/* Prints the state of an input or output, and the reason if it has no error:
 * "active (chosen by hand)", "down: no packets (since 14:03:05)". */
static void show_state(struct buf *to, const json_t *end, bool has_error)
{
	const char *state = json_string_value(json_object_get(end, "state"));
	const char *reason = json_string_value(json_object_get(end,
							       "reason"));

	if (state == NULL)
		return;
	buf_printf(to, "  ");
	text_plain(to, state);
	if (reason != NULL && !has_error && strcmp(state, "active") == 0) {
		reason = choice_text(reason);
		buf_printf(to, "%s", reason[0] != '\0' ? " (" : "");
		text_plain(to, reason);
		buf_printf(to, "%s", reason[0] != '\0' ? ")" : "");
	} else if (reason != NULL && !has_error) {
		buf_printf(to, ": ");
		text_plain(to, reason);
		text_since(to, json_object_get(end, "reason_since") != NULL
				       ? api_number(end, "reason_since")
				       : api_number(end, "since"));
	}
	if (json_is_true(json_object_get(end, "damped"))) {
		char clock[32];

		text_clock(clock, time(NULL) + api_number(end, "damped_s"));
		buf_printf(to, ", damped until %s", clock);
	}
}

static bool holds(const json_t *list, const json_t *one)
{
	json_t *other;
	size_t i;

	json_array_foreach((json_t *)list, i, other)
		if (json_equal(other, one))
			return true;
	return false;
}

/* Prints `before' and the raised alarms of an input, an output or the stream
 * itself (place): only those of the process, or with of_process false all
 * others.  Marks those that the stream which an input reads has, too. */
static void show_alarms(struct buf *to, const struct ctl *ctl,
			const char *before, const json_t *place,
			bool of_process)
{
	const json_t *theirs = json_object_get(place, "source_alarms");
	const char *gap = before;
	json_t *alarm;
	size_t i;

	json_array_foreach(json_object_get(place, "alarms"), i, alarm) {
		if (alarm_is_of_process(json_string_value(alarm)) !=
		    of_process)
			continue;
		buf_printf(to, "%s%s", gap, ctl->colour ? "\033[31;1m" : "");
		text_plain(to, json_string_value(alarm));
		buf_printf(to, "%s%s", ctl->colour ? "\033[0m" : "",
			   holds(theirs, alarm) ? " (of its source)" : "");
		gap = ", ";
	}
	if (gap != before)
		buf_printf(to, "\n");
}

/* Prints an input or output: "input 1  udp://...  480 kbit/s  active", its
 * error, its counters and its alarms. */
static void show_end(struct buf *to, const struct ctl *ctl, const char *what,
		     size_t i, const char *address, const json_t *end)
{
	const char *error = json_string_value(json_object_get(end, "error"));
	const char *peer = json_string_value(json_object_get(end, "peer"));
	const char *on = json_string_value(json_object_get(end, "interface"));

	buf_printf(to, "%s %zu  ", what, i + 1);
	text_plain(to, address);
	if (json_object_get(end, "bitrate") != NULL) {
		json_int_t kbit = api_number(end, "bitrate");
		json_int_t received = api_number(end, "received_bitrate");
		char rate[32], of[32];

		text_rate(rate, kbit);
		text_rate(of, received);
		buf_printf(to, "  %s", rate);
		/* the options of an input drop packets */
		if (received > kbit && strcmp(rate, of) != 0)
			buf_printf(to, " of %s", of);
	}
	show_state(to, end, error != NULL);
	if (peer != NULL) {
		buf_printf(to, "  with ");
		text_plain(to, peer);
	}
	if (on != NULL) {
		buf_printf(to, "  on ");
		text_plain(to, on);
	}
	if (error != NULL) {
		buf_printf(to, ": %s", ctl->colour ? "\033[31;1m" : "");
		text_plain(to, error);
		buf_printf(to, "%s", ctl->colour ? "\033[0m" : "");
		text_since(to, api_number(end, "error_since"));
	}
	buf_printf(to, "\n");
	show_stats(to, json_object_get(end, "stats"));
	show_alarms(to, ctl, "    alarms ", end, false);
}

/* Returns the entry of a list of a status whose "position" is i + 1; NULL:
 * there is none. */
static const json_t *end_of(const json_t *list, size_t i)
{
	json_t *end;
	size_t k;

	json_array_foreach((json_t *)list, k, end)
		if (json_integer_value(json_object_get(end, "position")) ==
		    (json_int_t)i + 1)
			return end;
	return NULL;
}

static void show_ends(struct buf *to, const struct ctl *ctl,
		      const struct overview_row *row, const char *key,
		      const char *status_key)
{
	const json_t *ends = json_object_get(row->status, status_key);
	json_t *address;
	size_t i;

	json_array_foreach(json_object_get(row->stream, key), i, address)
		if (json_is_string(address))
			show_end(to, ctl, key, i, json_string_value(address),
				 end_of(ends, i));
}

/* Prints each service of a multiplex: "service 101 "News" of input 1  4.2
 * Mbit/s on air, priority 100", and its PIDs. */
static void show_services(struct buf *to, const json_t *status)
{
	json_t *one, *pid;
	size_t i, k;

	json_array_foreach(json_object_get(status, "services"), i, one) {
		const char *filler = api_text(one, "filler");
		json_int_t min = api_number(one, "rate_min");
		json_int_t max = api_number(one, "rate_max");
		char rate[32];

		text_rate(rate, api_number(one, "bitrate"));
		buf_printf(to, "service %" JSON_INTEGER_FORMAT " \"",
			   api_number(one, "pnr"));
		text_plain(to, api_text(one, "name"));
		buf_printf(to, "\" of input %" JSON_INTEGER_FORMAT "  %s  %s",
			   api_number(one, "input"), rate,
			   json_is_true(json_object_get(one, "onair"))
				   ? "on air" : "off air");
		if (filler[0] != '\0')
			buf_printf(to, ", filler %s", filler);
		if (json_is_true(json_object_get(one, "absent")))
			buf_printf(to, ", absent");
		if (min > 0)
			buf_printf(to, ", at least %" JSON_INTEGER_FORMAT
				   " kbit/s", min);
		if (max > 0)
			buf_printf(to, ", at most %" JSON_INTEGER_FORMAT
				   " kbit/s", max);
		buf_printf(to, ", priority %" JSON_INTEGER_FORMAT,
			   api_number(one, "priority"));
		if (api_number(one, "dropped") > 0)
			buf_printf(to, ", %" JSON_INTEGER_FORMAT
				   " packets dropped",
				   api_number(one, "dropped"));
		buf_printf(to, "\n    PIDs %" JSON_INTEGER_FORMAT,
			   api_number(one, "pmt_pid"));
		json_array_foreach(json_object_get(one, "pids"), k, pid)
			buf_printf(to, " %" JSON_INTEGER_FORMAT,
				   json_integer_value(pid));
		buf_printf(to, "\n");
	}
}

/* Prints the error of the stream, unless it is that of an input, which is
 * printed with the input. */
static void show_error(struct buf *to, const json_t *status)
{
	const char *error = api_text(status, "error");
	json_t *input;
	size_t i;

	json_array_foreach(json_object_get(status, "inputs"), i, input)
		if (strcmp(api_text(input, "error"), error) == 0 ||
		    strcmp(api_text(input, "reason"), error) == 0)
			return;
	if (error[0] == '\0')
		return;
	buf_printf(to, "error: ");
	text_plain(to, error);
	text_since(to, api_number(status, "error_since"));
	buf_printf(to, "\n");
}

/* Prints at which pictures new viewers begin; nothing if that is not known. */
static void show_join(struct buf *to, const json_t *status)
{
	const char *join = api_text(status, "random_access");
	json_int_t gop = api_number(status, "gop");

	if (join[0] == '\0')
		return;
	buf_printf(to, "viewers begin at %s",
		   strcmp(join, "picture") == 0 ? "a picture that decodes"
		   : strcmp(join, "audio") == 0
			   ? "an audio frame"
			   : "any picture: the stream sends none that decodes "
			     "without others (IDR)");
	if (gop > 0)
		buf_printf(to, ", the last ones %.1f s apart",
			   (double)gop / 1000);
	buf_printf(to, "\n");
}

/* Prints "process running, pid 4711, 1 restart" and the alarm of the process,
 * unless the text contains the alarm already. */
static void show_process(struct buf *to, const json_t *worker)
{
	const char *state = json_string_value(json_object_get(worker,
							      "state"));
	const char *alarm = api_text(worker, "alarm");
	json_int_t restarts = api_number(worker, "restarts");
	json_int_t pid = api_number(worker, "pid");
	bool is_said = memmem(buf_head(to), buf_len(to), alarm,
			      strlen(alarm)) != NULL;

	if (state == NULL)
		return;
	buf_printf(to, "process ");
	text_plain(to, state);
	if (pid > 0)
		buf_printf(to, ", pid %" JSON_INTEGER_FORMAT, pid);
	buf_printf(to, ", %" JSON_INTEGER_FORMAT " restart%s", restarts,
		   restarts == 1 ? "" : "s");
	if (!is_said) {
		buf_printf(to, ": ");
		text_plain(to, alarm);
	}
	buf_printf(to, "\n");
}

static void show_text(const struct ctl *ctl, struct overview_row *row)
{
	struct overview one = { row, 1 };
	struct table *t = overview_table(&one, OVERVIEW_BARE);
	struct buf text = { 0 };

	table_write(t, &(struct table_style){ .colour = ctl->colour,
					      .end = "\n" }, &text);
	table_free(&t);
	show_error(&text, row->status);
	show_ends(&text, ctl, row, "input", "inputs");
	show_services(&text, row->status);
	show_ends(&text, ctl, row, "output", "outputs");
	show_join(&text, row->status);
	show_alarms(&text, ctl, "alarms of the output ", row->status, false);
	show_process(&text, json_object_get(row->status, "worker"));
	show_alarms(&text, ctl, "alarms of the process ", row->status, true);
	print_text(&text, stdout);
}

enum ctl_exit run_stream_show(struct ctl *ctl, char **args, size_t n)
{
	struct overview o = { 0 };
	enum ctl_exit code = overview_load(ctl, &o);
	struct overview_row *row;
	json_t *out;
	char *path;

	(void)n;
	if (code != CTL_OK)
		return code;
	row = overview_choose(ctl, &o, args[0]);
	code = CTL_REFUSED;
	if (row != NULL) {
		/* ?t=0 requests the whole status, also of a disabled stream */
		path = api_path("/api/stream-status/", row_id(row), "?t=0");
		code = api_get(ctl, path, &row->status);
		free(path);
	}
	if (code == CTL_OK && ctl->options.json) {
		out = json_pack("{s:O, s:O}", "stream", row->stream,
				"status", row->status);
		ctl_print_json(out);
		json_decref(out);
	} else if (code == CTL_OK) {
		show_text(ctl, row);
	}
	overview_done(&o);
	return code;
}

/* --- toggle, restart, switch --- */

/* Adds an entry to done: fields (taken) with the id of the stream.  Without
 * --json, also prints text. */
static void report_change(const struct ctl *ctl, json_t *done, const char *id,
		 const char *text, json_t *fields)
{
	(void)json_object_set_new(fields, "id", json_string(id));
	(void)json_array_append_new(done, fields);
	if (!ctl->options.json)
		(void)printf("%s: %s\n", id, text);
}

static enum ctl_exit toggle(struct ctl *ctl, const char *id, json_t *done)
{
	json_t *reply = NULL;
	enum ctl_exit code = api_command(ctl, json_pack("{s:s, s:s}", "cmd",
							"toggle-stream", "id",
							id), &reply);
	bool on;

	print_warnings(reply);
	json_decref(reply);
	reply = NULL;
	if (code == CTL_OK)
		code = api_command(ctl, json_pack("{s:s, s:s}", "cmd",
						  "get-stream", "id", id),
				   &reply);
	if (code != CTL_OK)
		return code;
	on = json_is_true(json_object_get(json_object_get(reply, "stream"),
					  "enable"));
	json_decref(reply);
	report_change(ctl, done, id, on ? "enabled" : "disabled",
	     json_pack("{s:b}", "enable", on));
	return CTL_OK;
}

static enum ctl_exit restart(struct ctl *ctl, const char *id, json_t *done)
{
	json_t *reply = NULL;
	enum ctl_exit code = api_command(ctl, json_pack("{s:s, s:s}", "cmd",
							"restart-stream", "id",
							id), &reply);
	/* a disabled or waiting stream has no process */
	bool is = json_object_get(reply, "warnings") == NULL;

	print_warnings(reply);
	json_decref(reply);
	if (code == CTL_OK)
		report_change(ctl, done, id, is ? "restarted" : "not restarted",
			      json_pack("{s:b}", "restarted", is));
	return code;
}

/* Calls act() for each stream in args until a call fails; calls it for none if
 * a stream is unknown.  With --json, prints the entries that act() has added,
 * if all calls succeeded. */
static enum ctl_exit for_each(struct ctl *ctl, char **args, size_t n,
			      enum ctl_exit (*act)(struct ctl *, const char *,
						   json_t *))
{
	struct overview o = { 0 };
	enum ctl_exit code = overview_load(ctl, &o);
	json_t *done = json_array();

	for (size_t i = 0; code == CTL_OK && i < n; i++)
		if (overview_choose(ctl, &o, args[i]) == NULL) {
			code = CTL_REFUSED;
			if (n > 1)
				(void)fputs("sluicectl: the other streams are "
					    "not changed either\n", stderr);
		}
	for (size_t i = 0; code == CTL_OK && i < n; i++)
		code = act(ctl, row_id(overview_choose(ctl, &o, args[i])),
			   done);
	if (code == CTL_OK && ctl->options.json)
		ctl_print_json(done);
	json_decref(done);
	overview_done(&o);
	return code;
}

enum ctl_exit run_stream_toggle(struct ctl *ctl, char **args, size_t n)
{
	return for_each(ctl, args, n, toggle);
}

enum ctl_exit run_stream_restart(struct ctl *ctl, char **args, size_t n)
{
	return for_each(ctl, args, n, restart);
}

/* Reports the input that the stream switches to, and the warnings of the
 * service: "takes input 1; it is not on air …". */
static void report_choice(const struct ctl *ctl, json_t *done, const char *id,
			  const json_t *reply)
{
	json_t *input = json_object_get(reply, "input");
	json_t *warnings = json_object_get(reply, "warnings"), *one;
	json_t *fields = json_object();
	struct buf text = { 0 };
	size_t i;

	buf_printf(&text, "takes input %lld",
		   (long long)json_integer_value(input));
	json_array_foreach(warnings, i, one) {
		buf_printf(&text, "; ");
		text_plain(&text, json_string_value(one));
	}
	buf_printf(&text, "%c", '\0');
	(void)json_object_set(fields, "input", input);
	if (warnings != NULL)
		(void)json_object_set(fields, "warnings", warnings);
	report_change(ctl, done, id, (const char *)buf_head(&text),
		      fields);
	buf_done(&text);
}

enum ctl_exit run_stream_switch(struct ctl *ctl, char **args, size_t n)
{
	json_t *request = json_pack("{s:s, s:b}", "cmd", "set-stream-input",
				    "status", 1);
	json_t *done = json_array();
	const struct overview_row *row;
	struct overview o = { 0 };
	enum ctl_exit code = CTL_OK;
	json_t *reply = NULL;
	json_int_t input;
	char *end;

	if (n > 1) {
		errno = 0;
		input = strtol(args[1], &end, 10);
		if (args[1][0] < '1' || args[1][0] > '9' || *end != '\0' ||
		    errno != 0)
			code = ctl_fail(ctl, CTL_USAGE, "INPUT: \"%.64s\" is "
					"not a number from 1", args[1]);
		else
			(void)json_object_set_new(request, "input",
						  json_integer(input));
	}
	if (code == CTL_OK)
		code = overview_load(ctl, &o);
	row = code == CTL_OK ? overview_choose(ctl, &o, args[0]) : NULL;
	if (row != NULL) {
		(void)json_object_set_new(request, "id",
					  json_string(row_id(row)));
		code = api_command(ctl, json_incref(request), &reply);
	} else if (code == CTL_OK) {
		code = CTL_REFUSED;
	}
	if (code == CTL_OK) {
		report_choice(ctl, done, row_id(row), reply);
		if (ctl->options.json)
			ctl_print_json(done);
	}
	json_decref(done);
	json_decref(reply);
	json_decref(request);
	overview_done(&o);
	return code;
}
