/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command "stream analysis": measurements of the packets of a stream. */
#include "ctl/api_client.h"
#include "ctl/commands.h"
#include "ctl/overview.h"
#include "ctl/print.h"
#include "ctl/table.h"
#include "ctl/text.h"

#include "common/base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends "4.2 Mbit/s, null 2 %, lost: network 3, socket 0" and the media
 * delivery index (MDI, RFC 4445). */
static void show_head(struct buf *to, const json_t *place)
{
	const json_t *loss = json_object_get(place, "loss");
	const json_t *mdi = json_object_get(place, "mdi");
	const json_t *iat = json_object_get(place, "iat");
	json_int_t rate = api_number(place, "bitrate");
	char words[32];

	text_rate(words, rate);
	buf_printf(to, "%s", words);
	if (rate > 0)
		buf_printf(to, ", null %" JSON_INTEGER_FORMAT " %%",
			   api_number(place, "null_bitrate") * 100 /
				   rate);
	if (loss != NULL)
		buf_printf(to, ", lost: network %" JSON_INTEGER_FORMAT
			   ", socket %" JSON_INTEGER_FORMAT,
			   api_number(loss, "network"),
			   api_number(loss, "socket"));
	if (mdi != NULL)
		buf_printf(to, ", MDI %.1f:%" JSON_INTEGER_FORMAT,
			   (double)api_number(mdi, "df_us") / 1000,
			   api_number(mdi, "mlr"));
	/* the MDI is measured in only one of ten seconds, so it may be old */
	if (mdi != NULL && api_number(iat, "age_s") > 1)
		buf_printf(to, " (%" JSON_INTEGER_FORMAT " s ago)",
			   api_number(iat, "age_s"));
	buf_printf(to, "\n");
}

/* Prints the indicators that were ever raised.  only: print no indicator but
 * this one; NULL: print all. */
static void show_indicators(struct buf *to, const struct ctl *ctl,
			    const json_t *place, const char *only)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(place, "indicators"), i, one) {
		bool raised = json_is_true(json_object_get(one, "raised"));

		if (api_number(one, "count") == 0 ||
		    (only != NULL && strcmp(api_text(one, "alarm"), only) != 0))
			continue;
		buf_printf(to, "  %s", raised && ctl->colour ? "\033[31;1m"
							     : "");
		text_plain(to, api_text(one, "alarm"));
		buf_printf(to, "%s %s, %" JSON_INTEGER_FORMAT " errors\n",
			   raised && ctl->colour ? "\033[0m" : "",
			   raised ? "RAISED" : "cleared",
			   api_number(one, "count"));
	}
}

static void show_pids(struct buf *to, const struct ctl *ctl,
		      const json_t *place)
{
	static const struct table_column columns[] = {
		{ "PID", 0, true, "pid", CELL_NUMBER },
		{ "KIND", 10, false, "kind", CELL_TEXT },
		{ "KBIT/S", 0, true, "bitrate", CELL_NUMBER },
		{ "PACKETS", 0, true, "packets", CELL_NUMBER },
		{ "CC", 0, true, "cc_errors", CELL_ERRORS },
		{ "TEI", 0, true, "transport_errors", CELL_ERRORS },
		{ "PES", 0, true, "pes_errors", CELL_ERRORS },
		{ "SCR", 0, true, "scrambled", CELL_ERRORS },
	};
	struct table *t = table_new(columns, ARRAY_LEN(columns));
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(place, "pids"), i, one)
		table_row_of(t, one);
	table_write(t, &(struct table_style){ .colour = ctl->colour,
					      .end = "\n" }, to);
	table_free(&t);
}

/* Prints what PMT and SDT of the output omit, because a section is full. */
static void show_omitted(struct buf *to, const json_t *remux)
{
	const json_t *sdt = json_object_get(remux, "omitted_sdt"), *one;
	size_t i;

	json_array_foreach(json_object_get(remux, "omitted"), i, one)
		buf_printf(to, "  PMT of program %" JSON_INTEGER_FORMAT
			   " is full: %" JSON_INTEGER_FORMAT " descriptors "
			   "and %" JSON_INTEGER_FORMAT " streams are not "
			   "sent%s%s\n", api_number(one, "program"),
			   api_number(one, "descriptors"),
			   api_number(one, "streams"),
			   json_is_true(json_object_get(one, "mux"))
				   ? ", nor that of mux" : "",
			   json_is_true(json_object_get(one, "ait"))
				   ? ", nor the AIT" : "");
	if (sdt == NULL)
		return;
	buf_printf(to, "  SDT is full: %" JSON_INTEGER_FORMAT " descriptors "
		   "are not sent%s%s\n", api_number(sdt, "descriptors"),
		   json_is_true(json_object_get(sdt, "provider"))
			   ? ", the provider is too long" : "",
		   json_is_true(json_object_get(sdt, "name"))
			   ? ", the name is too long" : "");
}

static void show_place(struct buf *to, const struct ctl *ctl,
		       const json_t *place)
{
	if (!json_is_true(json_object_get(place, "watched"))) {
		buf_printf(to, "not watched: it has no_analyze, or was never "
			       "open\n");
		return;
	}
	show_head(to, place);
	show_omitted(to, json_object_get(place, "remux"));
	show_indicators(to, ctl, place, NULL);
	if (json_array_size(json_object_get(place, "pids")) > 0)
		show_pids(to, ctl, place);
}

/* Prints the rates at which outputs send.  With cbr an output adds null packets
 * to the stream, and drops packets that exceed the rate. */
static void show_rates(struct buf *to, const json_t *outputs)
{
	const json_t *one;
	char rate[32];
	size_t i;

	json_array_foreach((json_t *)outputs, i, one) {
		if (json_object_get(one, "bitrate") == NULL)
			continue;
		text_rate(rate, api_number(one, "bitrate"));
		buf_printf(to, "output %" JSON_INTEGER_FORMAT " sends %s",
			   api_number(one, "position"), rate);
		if (api_number(one, "cbr") > 0)
			buf_printf(to, ", constant (cbr=%" JSON_INTEGER_FORMAT
				   ")", api_number(one, "cbr"));
		if (api_number(one, "overflow") > 0)
			buf_printf(to, ": %" JSON_INTEGER_FORMAT " packets "
				   "exceeded that rate and were dropped",
				   api_number(one, "overflow"));
		buf_printf(to, "\n");
	}
}

static void show(const struct ctl *ctl, const json_t *answer)
{
	const json_t *output = json_object_get(answer, "output"), *input;
	const json_t *outputs = json_object_get(output, "outputs"), *one;
	struct buf all = { 0 };
	bool has_cbr = false;
	size_t i;

	json_array_foreach(json_object_get(answer, "inputs"), i, input) {
		buf_printf(&all, "input %" JSON_INTEGER_FORMAT ": ",
			   api_number(input, "position"));
		show_place(&all, ctl, input);
	}
	json_array_foreach((json_t *)outputs, i, one)
		has_cbr |= api_number(one, "cbr") > 0;
	buf_printf(&all, "output: ");
	if (!json_is_true(json_object_get(output, "relay")))
		show_place(&all, ctl, output);
	else if (has_cbr)
		buf_printf(&all, "the packets of input 1; cbr replaces null "
			   "packets and PCRs\n");
	else
		buf_printf(&all, "the same\n");
	/* the output of a relay has one indicator of its own; the others are
	 * those of its input, which are printed above */
	if (json_is_true(json_object_get(output, "relay")))
		show_indicators(&all, ctl, output, "cbr_overflow");
	show_rates(&all, outputs);
	print_text(&all, stdout);
}

enum ctl_exit run_stream_analysis(struct ctl *ctl, char **args, size_t n)
{
	struct overview o = { 0 };
	enum ctl_exit code = overview_load(ctl, &o);
	const struct overview_row *row;
	char *path = NULL;

	(void)n;
	if (code != CTL_OK)
		return code;
	row = overview_choose(ctl, &o, args[0]);
	if (row != NULL)
		path = api_path("/api/stream-analysis/", row_id(row), "");
	code = path != NULL ? print_answer(ctl, path, show) : CTL_REFUSED;
	free(path);
	overview_done(&o);
	return code;
}
