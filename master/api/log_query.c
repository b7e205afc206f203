/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers GET api/log: the last lines of the log. */
#include "common/log/log_lines.h"
#include "master/api/call.h"
#include "master/api/log_feed.h"
#include "proto/wire/http_request.h"

#include <string.h>

enum { LIMIT_DEFAULT = 200, LIMIT_MAX = 1000, TEXT_MAX = 256 };

struct question {
	/* if is_since: only lines with a greater number */
	uint64_t since;
	/* the query has `since': the reply has the lines that follow this
	 * number; false: the newest lines */
	bool is_since;
	unsigned limit; /* greatest number of lines in the reply */
	enum log_level level; /* lines of this level or a more important one */
	/* lines whose text or component contains this, in upper or lower case;
	 * "": any */
	char text[TEXT_MAX];
	char stream[TEXT_MAX]; /* lines about this stream id; "": any */
};

static bool read_level(const struct http_request *request,
		       enum log_level *ret, struct reply *reply)
{
	char text[TEXT_MAX];

	*ret = LOG_LEVEL_DEBUG;
	if (!http_request_query_get(request, "level", text, sizeof text))
		return true;
	for (int i = 0; log_level_names[i] != NULL; i++)
		if (strcmp(text, log_level_names[i]) == 0) {
			*ret = (enum log_level)i;
			return true;
		}
	reply_error(reply, 400, "level: is none of error, warning, info, "
		    "debug");
	return false;
}

/* Reads the query.  False: the reply already has the error. */
static bool read_question(const struct http_request *request,
			  struct question *ret, struct reply *reply)
{
	const uint64_t none = UINT64_MAX;
	uint64_t since = none, limit = LIMIT_DEFAULT;

	*ret = (struct question){ 0 };
	if (!call_query_number(reply->call, "since", INT64_MAX, &since) ||
	    !call_query_number(reply->call, "limit", LIMIT_MAX, &limit) ||
	    !read_level(request, &ret->level, reply))
		return false;
	ret->is_since = since != none;
	ret->since = ret->is_since ? since : 0;
	ret->limit = (unsigned)limit;
	(void)http_request_query_get(request, "text", ret->text,
				     sizeof ret->text);
	(void)http_request_query_get(request, "stream", ret->stream,
				     sizeof ret->stream);
	return true;
}

/* True: the component is "stream ID", or "stream ID/POSITION" of an input of a
 * multiplex. */
static bool is_about(const char *component, const char *stream)
{
	static const char prefix[] = "stream ";
	size_t len = strlen(stream);

	if (strncmp(component, prefix, sizeof prefix - 1) != 0)
		return false;
	component += sizeof prefix - 1;
	return strncmp(component, stream, len) == 0 &&
	       (component[len] == '\0' || component[len] == '/');
}

static bool matches(const struct log_line *line, const struct question *q)
{
	if (line->level > q->level ||
	    (q->stream[0] != '\0' && !is_about(line->component, q->stream)))
		return false;
	return q->text[0] == '\0' ||
	       strcasestr(line->text, q->text) != NULL ||
	       strcasestr(line->component, q->text) != NULL;
}

/* Returns a text as JSON; if it is not UTF-8, its bytes above 127 become
 * "?". */
static json_t *words(const char *text)
{
	json_t *value = json_string(text);
	char plain[LOG_LINES_TEXT_MAX + 1];
	size_t i;

	if (value != NULL)
		return value;
	for (i = 0; text[i] != '\0'; i++)
		plain[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
	plain[i] = '\0';
	return json_string(plain);
}

json_t *log_line_json(const struct log_line *line)
{
	return json_pack("{s:I, s:I, s:I, s:s, s:o, s:o}",
			 "n", (json_int_t)line->n,
			 "time", (json_int_t)(line->time_ms / 1000),
			 "ms", (json_int_t)(line->time_ms % 1000),
			 "level", log_level_format(line->level),
			 "where", words(line->component),
			 "text", words(line->text));
}

/* Returns the lines with numbers above q->since, oldest first, a new reference.
 * *ret_last: number of the last line that was compared with the query. */
static json_t *lines_since(const struct log_lines *lines,
			   const struct question *q, uint64_t *ret_last)
{
	uint64_t n = MAX(q->since + 1, log_lines_first(lines));
	json_t *list = json_array();
	struct log_line line;

	for (; json_array_size(list) < q->limit &&
	       log_lines_get(lines, n, &line); n++)
		if (matches(&line, q))
			(void)json_array_append_new(list, log_line_json(&line));
	*ret_last = n - 1;
	return list;
}

/* Returns the newest lines, sorted from old to new, a new reference; *ret_last:
 * number of the last line of the log. */
static json_t *newest_lines(const struct log_lines *lines,
			    const struct question *q, uint64_t *ret_last)
{
	uint64_t n = log_lines_next(lines);
	json_t *list = json_array();
	struct log_line line;

	*ret_last = n - 1;
	while (json_array_size(list) < q->limit &&
	       log_lines_get(lines, --n, &line))
		if (matches(&line, q))
			(void)json_array_insert_new(list, 0,
						    log_line_json(&line));
	return list;
}

static void log_query_get(struct api *api, const char *id,
			  enum status_span span, struct reply *reply)
{
	const struct log_lines *lines = api->cfg.log_lines;
	struct question q;
	uint64_t last = 0;
	json_t *list;

	(void)id, (void)span;
	if (!read_question(reply->call->request, &q, reply))
		return;
	/* A number that the log has not reached is from an earlier start of the
	 * service, before the clock was set back: newest lines. */
	if (lines == NULL)
		list = json_array();
	else if (q.is_since && q.since < log_lines_next(lines))
		list = lines_since(lines, &q, &last);
	else
		list = newest_lines(lines, &q, &last);
	reply_json(reply, json_pack(
		"{s:o, s:I, s:I}", "lines", list, "first",
		(json_int_t)(lines != NULL ? log_lines_first(lines) : 0),
		"last", (json_int_t)last));
}

const struct api_path log_query_paths[] = {
	{ "api/log", PATH_ALONE, OBSERVER_HIDDEN, .get = log_query_get },
	{ 0 },
};
