/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command "status": an overview on one screen. */
#include "ctl/cmd_status.h"

#include "ctl/alarm_text.h"
#include "ctl/api_client.h"
#include "ctl/commands.h"
#include "ctl/overview.h"
#include "ctl/print.h"
#include "ctl/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_MAX = 15 }; /* most streams with errors that are listed */

void status_count(const struct overview *o, struct status_counts *ret)
{
	struct status_counts c = { 0 };

	for (size_t i = 0; i < o->n; i++) {
		const struct overview_row *row = &o->rows[i];

		if (!row_enabled(row))
			c.disabled++;
		else if (row_on_air(row))
			c.on_air++;
		else if (row_waiting(row))
			c.waiting++;
		else
			c.off_air++;
		c.viewers += row_number(row, "sessions");
		c.kbit += row_number(row, "bitrate");
	}
	*ret = c;
}

/* Returns the value of a key, CPU use in percent of one core, in percent of all
 * cores. */
static json_int_t whole_cpu(const json_t *system, const char *key)
{
	json_int_t cores = json_integer_value(json_object_get(system,
							      "cpu_cores"));
	json_int_t usage = json_integer_value(json_object_get(system, key));

	return cores > 0 ? (usage + cores / 2) / cores : usage;
}

void status_head(const json_t *answer, const struct status_counts *c,
		 struct buf *to, const char *end)
{
	const json_t *system = json_object_get(answer, "system");
	json_int_t cores = json_integer_value(json_object_get(system,
							      "cpu_cores"));
	const char *instance = json_string_value(
		json_object_get(system, "instance"));
	char up[32], rate[32];

	text_duration(up, api_number(system, "app_uptime"));
	text_rate(rate, c->kbit);
	buf_printf(to, "sluice %s", api_text(answer, "version"));
	if (instance != NULL) {
		buf_printf(to, " \"");
		text_plain(to, instance);
		buf_printf(to, "\"");
	}
	buf_printf(to, ", up %s%s", up, end);
	buf_printf(to, "cpu of %" JSON_INTEGER_FORMAT " core%s: %"
		   JSON_INTEGER_FORMAT " %% in use, %" JSON_INTEGER_FORMAT
		   " %% by the service; load %.2f %.2f %.2f; memory %"
		   JSON_INTEGER_FORMAT " %%%s", cores, cores == 1 ? "" : "s",
		   whole_cpu(system, "sys_cpu_usage"),
		   whole_cpu(system, "app_cpu_usage"),
		   (double)api_number(system, "la1") / 100,
		   (double)api_number(system, "la5") / 100,
		   (double)api_number(system, "la15") / 100,
		   api_number(system, "sys_mem_usage"), end);
	buf_printf(to, "streams %zu on air, %zu off air, ", c->on_air,
		   c->off_air);
	if (c->waiting > 0)
		buf_printf(to, "%zu waiting for a viewer, ", c->waiting);
	buf_printf(to, "%zu disabled; %s; %" JSON_INTEGER_FORMAT
		   " viewer%s%s", c->disabled, rate, c->viewers,
		   c->viewers == 1 ? "" : "s", end);
}

/* Lists at most SHOWN_MAX streams for which row_needs_attention() is true, and
 * prints the number of the others. */
static void show_errors(const struct ctl *ctl, struct overview *o,
			struct buf *to)
{
	size_t n = 0;

	overview_sort(o, BY_STATE, false);
	for (size_t i = 0; i < o->n; i++) {
		const struct overview_row *row = &o->rows[i];
		bool red = ctl->colour && !row_on_air(row);
		struct buf troubles = { 0 };

		if (!row_needs_attention(row))
			continue;
		if (n++ >= SHOWN_MAX)
			continue;
		row_put_troubles(row, &troubles);
		buf_printf(to, "%s", red ? "\033[31;1m" : "");
		text_plain(to, row_state(row));
		buf_printf(to, "%s ", red ? "\033[0m" : "");
		text_plain(to, row_id(row));
		buf_printf(to, " \"");
		text_plain(to, row_name(row));
		buf_printf(to, "\"%s", buf_len(&troubles) > 0 ? ": " : "");
		buf_append(to, buf_head(&troubles), buf_len(&troubles));
		buf_done(&troubles);
		buf_printf(to, "\n");
	}
	if (n > SHOWN_MAX)
		buf_printf(to, "and %zu more: sluicectl stream ls\n",
			   n - SHOWN_MAX);
}

enum ctl_exit run_status(struct ctl *ctl, char **args, size_t n)
{
	struct overview o = { 0 };
	struct status_counts c;
	json_t *answer = NULL;
	enum ctl_exit code = overview_query(ctl, &o, &answer);

	(void)args, (void)n;
	if (code == CTL_OK)
		status_count(&o, &c);
	if (code == CTL_OK && ctl->options.json) {
		json_t *out;

		out = json_pack(
			"{s:s, s:O, s:O, s:{s:I, s:I, s:I, s:I, s:I, s:I}, s:o,"
			" s:O}",
			"url", ctl->settings.url, "version",
			json_object_get(answer, "version"), "system",
			json_object_get(answer, "system"), "totals", "on_air",
			(json_int_t)c.on_air, "off_air", (json_int_t)c.off_air,
			"waiting", (json_int_t)c.waiting, "disabled",
			(json_int_t)c.disabled, "viewers",
			c.viewers, "bitrate", c.kbit, "streams",
			overview_json(&o), "alarms",
			json_object_get(answer, "alarms"));
		ctl_print_json(out);
		json_decref(out);
	} else if (code == CTL_OK) {
		struct buf text = { 0 };

		status_head(answer, &c, &text, "\n");
		(void)put_service_alarms(&text, answer, 0, ctl->colour);
		show_errors(ctl, &o, &text);
		print_text(&text, stdout);
	}
	overview_done(&o);
	json_decref(answer);
	return code;
}
