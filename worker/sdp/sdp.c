/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/sdp/sdp.h"

#include "worker/sdp/sdp_field.h"

#include <errno.h>
#include <string.h>

struct parser {
	struct session_description *d;
	struct sdp_media *media; /* NULL in front of the first m= */
	unsigned line;
	unsigned seen; /* fields of the session, a bit each */
	struct errmsg *error;
};

/* Fields that occur once, in the session part. */
static const char once[] = "vos";

static int read_version(const char *value, struct errmsg *error)
{
	return strcmp(value, "0") == 0
		       ? 0
		       : errmsg_fail(error, -EINVAL, "is an unknown version");
}

static int add_group(struct parser *p, char *value)
{
	struct session_description *d = p->d;
	int r;

	if (d->n_groups == SDP_GROUPS_MAX)
		return errmsg_fail(p->error, -EINVAL,
				   "occurs more than %d times",
				   SDP_GROUPS_MAX);
	r = sdp_read_group(value, &d->groups[d->n_groups], p->error);
	d->n_groups += r == 0;
	return r;
}

static int add_media(struct parser *p, char *value)
{
	struct session_description *d = p->d;

	if (d->n_media == SDP_MEDIA_MAX)
		return errmsg_fail(p->error, -EINVAL,
				   "occurs more than %d times",
				   SDP_MEDIA_MAX);
	p->media = &d->media[d->n_media++];
	*p->media = (struct sdp_media){ .line = p->line };
	return sdp_read_media(value, p->media, p->error);
}

static int read_media_attribute(struct parser *p, const char *name,
				char *value)
{
	if (strcmp(name, "rtpmap") == 0)
		return sdp_read_rtpmap(value, p->media, p->error);
	if (strcmp(name, "mid") == 0)
		return sdp_read_token(value, p->media->mid, p->error);
	if (strcmp(name, "inactive") == 0)
		p->media->inactive = true;
	if (strcmp(name, "ssrc-group") == 0)
		p->media->dup |= strncmp(value, "DUP ", 4) == 0;
	return 0;
}

/* <name>[:<value>] */
static int read_attribute(struct parser *p, char *text)
{
	const char *name = strsep(&text, ":");
	char none[] = "", *value = text != NULL ? text : none;
	int r = 0;

	/* some senders put a space in front */
	value += strspn(value, " \t");
	if (strcmp(name, "source-filter") == 0)
		r = sdp_read_filter(value, p->media != NULL
					   ? &p->media->filters
					   : &p->d->filters, p->error);
	else if (p->media != NULL)
		r = read_media_attribute(p, name, value);
	else if (strcmp(name, "group") == 0)
		r = add_group(p, value);
	if (r < 0)
		errmsg_prefix(p->error, "%.16s: ", name);
	return r;
}

static int read_field(struct parser *p, char field, char *value)
{
	switch (field) {
	case 'v':
		return read_version(value, p->error);
	case 'o':
		return sdp_read_origin(value, p->d->origin, p->error);
	case 's':
		sdp_name(value, p->d->name);
		return 0;
	case 'c':
		return sdp_read_connection(value,
					   p->media != NULL
						   ? &p->media->connection
						   : &p->d->connection,
					   p->error);
	case 'm':
		return add_media(p, value);
	case 'a':
		return read_attribute(p, value);
	default:
		/* RFC 8866 5: an unknown type makes the text invalid */
		return strchr("iuepbtrzk", field) != NULL
			       ? 0
			       : errmsg_fail(p->error, -EINVAL,
					     "is an unknown field");
	}
}

static int judge_place(struct parser *p, char field)
{
	const char *at = strchr(once, field);
	unsigned bit;

	if (p->line == 1 && field != 'v')
		return errmsg_fail(p->error, -EINVAL, "does not begin with v=");
	if (at == NULL)
		return 0;
	bit = 1u << (at - once);
	if (p->media != NULL)
		return errmsg_fail(p->error, -EINVAL, "is behind m=");
	if (p->seen & bit)
		return errmsg_fail(p->error, -EINVAL, "occurs twice");
	p->seen |= bit;
	return 0;
}

static int read_line(struct parser *p, char *line)
{
	char field = line[0];
	int r;

	if (field <= ' ' || field >= 127 || line[1] != '=') {
		errmsg_set(p->error, "line %u: is not field=value", p->line);
		return -EINVAL;
	}
	r = judge_place(p, field);
	if (r == 0)
		r = read_field(p, field, line + 2);
	if (r < 0)
		errmsg_prefix(p->error, "line %u: %c=: ", p->line, field);
	return r;
}

/* Copies the line at *text and moves *text behind it. */
static int take_line(struct parser *p, const char **text, const char *end,
		     char line[SDP_LINE_MAX + 1])
{
	const char *stop = memchr(*text, '\n', (size_t)(end - *text));
	size_t len = (size_t)((stop != NULL ? stop : end) - *text);

	if (++p->line > SDP_LINES_MAX)
		return errmsg_fail(p->error, -EFBIG, "line %u: the text has "
				   "more than %d lines", p->line,
				   SDP_LINES_MAX);
	if (len > SDP_LINE_MAX)
		return errmsg_fail(p->error, -EFBIG, "line %u: is longer than "
				   "%d bytes", p->line, SDP_LINE_MAX);
	if (memchr(*text, '\0', len) != NULL)
		return errmsg_fail(p->error, -EINVAL, "line %u: has a NUL",
				   p->line);
	memcpy(line, *text, len);
	line[len] = '\0';
	if (len > 0 && line[len - 1] == '\r')
		line[len - 1] = '\0';
	*text = stop != NULL ? stop + 1 : end;
	return 0;
}

static int judge_whole(const struct parser *p)
{
	if (p->line == 0)
		return errmsg_fail(p->error, -EINVAL, "is empty");
	if (p->d->origin[0] == '\0')
		return errmsg_fail(p->error, -EINVAL, "o=: is missing");
	if (p->d->n_media == 0)
		return errmsg_fail(p->error, -EINVAL, "m=: is missing");
	return 0;
}

/* Media and groups are large, and most are unused. */
static void clear(struct session_description *d)
{
	d->origin[0] = d->name[0] = '\0';
	d->connection = (struct sdp_connection){ 0 };
	d->filters.n = d->n_groups = d->n_media = 0;
}

int sdp_parse(const char *text, size_t len, struct session_description *ret,
	      struct errmsg *error)
{
	struct parser p = { .d = ret, .error = error };
	char line[SDP_LINE_MAX + 1];
	const char *end;

	if (len > SDP_SIZE_MAX)
		return errmsg_fail(error, -EFBIG, "is longer than %d KiB",
				   SDP_SIZE_MAX / 1024);
	clear(ret);
	/* empty lines and NULs at the end are accepted */
	while (len > 0 && strchr("\r\n", text[len - 1]) != NULL)
		len--;
	end = text + len;
	while (text < end) {
		int r = take_line(&p, &text, end, line);

		if (r == 0)
			r = read_line(&p, line);
		if (r < 0)
			return r;
	}
	return judge_whole(&p);
}

int sdp_parse_origin(const char *text, size_t len,
		     char ret[SDP_ORIGIN_MAX + 1], struct errmsg *error)
{
	struct parser p = { .error = error };
	const char *end = text + MIN(len, (size_t)SDP_SIZE_MAX);
	char line[SDP_LINE_MAX + 1];
	int r;

	while (text < end) {
		r = take_line(&p, &text, end, line);
		if (r < 0)
			return r;
		if (strncmp(line, "o=", 2) != 0)
			continue;
		r = sdp_read_origin(line + 2, ret, error);
		if (r < 0)
			errmsg_prefix(error, "line %u: o=: ", p.line);
		return r;
	}
	return errmsg_fail(error, -EINVAL, "o=: is missing");
}
