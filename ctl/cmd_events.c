/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command "events": prints events as they arrive. */
#include "common/base/alloc.h"
#include "ctl/alarm_text.h"
#include "ctl/commands.h"
#include "ctl/event_feed.h"
#include "ctl/overview.h"
#include "ctl/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void on_error(const char *text, void *arg)
{
	(void)arg;
	(void)fprintf(stderr, "sluicectl: %s\n",
		      text ? text : "connected again");
}

static const char *text_at(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* Returns the id of the stream of an event; NULL: the event has no stream. */
static const char *stream_of(const json_t *event)
{
	const char *id = text_at(event, "channel_id");

	return id ? id : text_at(json_object_get(event, "stream"), "id");
}

/* True: the event has one of the scopes of --scope (none given: any), and is
 * about wanted_stream (NULL: any). */
static bool is_wanted(const struct options *o, const char *wanted_stream,
		      const json_t *event)
{
	const char *scope = text_at(event, "scope");
	const char *stream = stream_of(event);
	bool wanted = o->n_scopes == 0;

	for (size_t i = 0; i < o->n_scopes; i++)
		wanted = wanted ||
			 (scope != NULL && strcmp(scope, o->scopes[i]) == 0);
	return wanted &&
	       (wanted_stream == NULL ||
		(stream != NULL && strcmp(stream, wanted_stream) == 0));
}

/* Sets *ret to the id of the stream of --stream, which the caller frees; NULL:
 * the option is absent.  An unknown stream is accepted with a warning, because
 * it may be created later. */
static enum ctl_exit read_stream(struct ctl *ctl, char **ret)
{
	const char *word = ctl->options.stream;
	struct overview o = { 0 };
	const struct overview_row *row;
	enum ctl_exit code;

	*ret = NULL;
	if (word == NULL)
		return CTL_OK;
	code = overview_load(ctl, &o);
	if (code != CTL_OK)
		return code;
	row = overview_choose(ctl, &o, word);
	if (row == NULL)
		(void)fprintf(stderr, "sluicectl: warning: %s; waiting for "
			      "it\n", ctl->error.text);
	ctl->error.text[0] = '\0';
	*ret = xstrdup(row != NULL ? row_id(row) : word);
	overview_done(&o);
	return CTL_OK;
}

static json_int_t number(const json_t *event, const char *key)
{
	return json_integer_value(json_object_get(event, key));
}

static void put_stream_event(struct buf *to, const json_t *event)
{
	const json_t *input = json_object_get(event, "input_id");
	const char *name = json_string_value(input);
	char rate[32];

	text_rate(rate, number(event, "bitrate"));
	text_plain(to, text_at(event, "channel_id"));
	/* An event of an mpts names no input and has only a rate: its onair is
	 * always true. */
	if (input == NULL) {
		buf_printf(to, " multiplex %s", rate);
		return;
	}
	if (name != NULL) {
		buf_printf(to, " input ");
		text_plain(to, name);
	} else {
		buf_printf(to, " input %" JSON_INTEGER_FORMAT,
			   json_integer_value(input));
	}
	buf_printf(to, " %s %s cc %" JSON_INTEGER_FORMAT " pes %"
		   JSON_INTEGER_FORMAT "%s",
		   json_is_true(json_object_get(event, "onair")) ? "on air"
								 : "OFF AIR",
		   rate, number(event, "cc_error"), number(event, "pes_error"),
		   json_is_true(json_object_get(event, "scrambled"))
			   ? " scrambled" : "");
}

static void put_position(struct buf *to, const char *before,
			 const json_t *event, const char *key)
{
	buf_printf(to, "%s %" JSON_INTEGER_FORMAT, before,
		   number(event, key));
}

/* Appends `before' and the text of the key; nothing if the key is absent. */
static void put_word(struct buf *to, const json_t *event, const char *before,
		     const char *key)
{
	const char *text = text_at(event, key);

	if (text == NULL)
		return;
	buf_printf(to, "%s", before);
	text_plain(to, text);
}

/* Appends "news input 1 -> input 2 (fault: no packets), its pictures begin
 * later". */
static void put_switch(struct buf *to, const json_t *event)
{
	put_word(to, event, "", "channel_id");
	if (json_object_get(event, "from") != NULL)
		put_position(to, " input", event, "from");
	buf_printf(to, " -> ");
	if (json_object_get(event, "to") != NULL)
		put_position(to, "input", event, "to");
	else
		buf_printf(to, json_is_true(json_object_get(event, "filler"))
				       ? "filler" : "nothing");
	buf_printf(to, " (");
	if (text_at(event, "reason") != NULL &&
	    strcmp(text_at(event, "reason"), "manual") == 0)
		buf_printf(to, "chosen by hand");
	else
		put_word(to, event, "", "reason");
	put_word(to, event, ": ", "fault");
	buf_printf(to, ")");
	if (json_is_true(json_object_get(event, "late")))
		buf_printf(to, ", its video begins later, at a "
			   "picture that decodes alone");
}

/* Appends "news input 1 continuity raised, as of stream tv", "news output
 * continuity raised, because of input 1", "news output 2 output_fault raised:
 * …", "news process worker raised: …", "service log raised: …" */
static void put_alarm(struct buf *to, const json_t *event)
{
	put_word(to, event, "", "channel_id");
	if (stream_of(event) == NULL)
		buf_printf(to, "service");
	else if (json_object_get(event, "output") != NULL)
		put_position(to, " output", event, "output");
	else if (json_is_integer(json_object_get(event, "place")))
		put_position(to, " input", event, "place");
	else
		buf_printf(to, alarm_is_of_process(text_at(event, "alarm"))
				       ? " process" : " output");
	put_word(to, event, " ", "alarm");
	/* if the alarm is raised, its reason contains the subject */
	if (!json_is_true(json_object_get(event, "raised")))
		put_word(to, event, " ", "subject");
	buf_printf(to, json_is_true(json_object_get(event, "raised"))
			       ? " raised" : " cleared");
	put_word(to, event, ": ", "reason");
	put_word(to, event, ", as of stream ", "source");
	if (json_object_get(event, "cause") != NULL)
		put_position(to, ", because of input", event, "cause");
}

/* The scopes whose events are printed as text; others are printed as JSON. */
static const struct {
	const char *scope;
	void (*put)(struct buf *, const json_t *event);
} in_words[] = {
	{ "stream_event", put_stream_event },
	{ "stream_switch", put_switch },
	{ "alarm", put_alarm },
};

static void put_event(struct buf *to, const char *scope, const json_t *event)
{
	for (size_t i = 0; i < ARRAY_LEN(in_words); i++)
		if (scope != NULL && strcmp(scope, in_words[i].scope) == 0 &&
		    (stream_of(event) != NULL ||
		     in_words[i].put == put_alarm)) {
			in_words[i].put(to, event);
			return;
		}
	/* all fields except the scope as JSON */
	json_t *rest = json_copy((json_t *)event);
	char *text;

	(void)json_object_del(rest, "scope");
	text = json_dumps(rest, JSON_COMPACT);
	text_plain(to, text ? text : "");
	free(text);
	json_decref(rest);
}

static void print_text(const json_t *event)
{
	const char *scope = text_at(event, "scope");
	struct buf line = { 0 };
	time_t now = time(NULL);
	struct tm local;
	char clock[16] = "";

	if (localtime_r(&now, &local) != NULL)
		(void)strftime(clock, sizeof clock, "%H:%M:%S", &local);
	buf_printf(&line, "%s ", clock);
	text_plain(&line, scope ? scope : "?");
	buf_printf(&line, " ");
	put_event(&line, scope, event);
	(void)printf("%.*s\n", (int)buf_len(&line), (char *)buf_head(&line));
	buf_done(&line);
}

enum ctl_exit run_events(struct ctl *ctl, char **args, size_t n)
{
	struct feed *feed = feed_new(ctl, on_error, NULL);
	char *stream = NULL;
	enum ctl_exit code = read_stream(ctl, &stream);
	unsigned printed = 0;

	(void)args, (void)n;
	if (code == CTL_OK)
		code = feed_open(feed);
	while (code == CTL_OK &&
	       (ctl->options.count == 0 || printed < ctl->options.count)) {
		json_t *event = NULL;

		code = feed_next(feed, -1, UINT64_MAX, &event);
		if (event != NULL && is_wanted(&ctl->options, stream, event)) {
			if (ctl->options.json) {
				(void)json_dumpf(event, stdout, JSON_COMPACT);
				(void)putchar('\n');
			} else {
				print_text(event);
			}
			printed++;
		}
		json_decref(event);
		if (fflush(stdout) != 0 || ferror(stdout))
			break; /* the reader has closed the pipe */
	}
	feed_free(&feed);
	free(stream);
	return code;
}
