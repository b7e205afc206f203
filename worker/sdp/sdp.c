/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/sdp/sdp.h"

#include "worker/sdp/sdp_field.h"

#include <errno.h>
#include <string.h>

struct parser {
	struct session_description *d;
	/* media that the lines belong to; NULL: before the first m= */
	struct sdp_media *media;
	unsigned line;
	unsigned seen; /* fields of once[] that were read: bit i for once[i] */
	struct errmsg *error;
};

/* Fields that must occur at most once, and before the first m=. */
static const char once[] = "vos";

/* Reads an attribute: <name>[:<value>]. */
static int read_attribute(struct parser *p, char *text)
{
	struct session_description *d = p->d;
	struct sdp_media *media = p->media;
	const char *name = strsep(&text, ":");
	char none[] = "", *value = text != NULL ? text : none;
	int r = 0;

	/* some senders write a space before the value */
	value += strspn(value, " \t");
	if (strcmp(name, "source-filter") == 0) {
		r = sdp_read_filter(value, media ? &media->filters
						 : &d->filters, p->error);
	} else if (media == NULL) {
		if (strcmp(name, "group") != 0)
			return 0;
		if (d->n_groups < SDP_GROUPS_MAX)
			r = sdp_read_group(value, &d->groups[d->n_groups],
					   p->error);
		else
			r = errmsg_fail(p->error, -EINVAL,
					"occurs more than %d times",
					SDP_GROUPS_MAX);
		d->n_groups += r == 0;
	} else if (strcmp(name, "rtpmap") == 0) {
		r = sdp_read_rtpmap(value, media, p->error);
	} else if (strcmp(name, "mid") == 0) {
		r = sdp_read_token(value, media->mid, p->error);
	} else if (strcmp(name, "inactive") == 0) {
		media->inactive = true;
	} else if (strcmp(name, "ssrc-group") == 0) {
		media->dup |= strncmp(value, "DUP ", 4) == 0;
	}
	if (r < 0)
		errmsg_prefix(p->error, "%.16s: ", name);
	return r;
}

static int read_field(struct parser *p, char field, char *value)
{
	switch (field) {
	case 'v':
		return strcmp(value, "0") == 0
			       ? 0
			       : errmsg_fail(p->error, -EINVAL,
					     "is an unknown version");
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
		if (p->d->n_media == SDP_MEDIA_MAX)
			return errmsg_fail(p->error, -EINVAL,
					   "occurs more than %d times",
					   SDP_MEDIA_MAX);
		p->media = &p->d->media[p->d->n_media++];
		*p->media = (struct sdp_media){ .line = p->line };
		return sdp_read_media(value, p->media, p->error);
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

int sdp_parse(const char *text, size_t len, struct session_description *ret,
	      struct errmsg *error)
{
	struct parser p = { .d = ret, .error = error };
	char line[SDP_LINE_MAX + 1];
	const char *end;

	if (len > SDP_SIZE_MAX)
		return errmsg_fail(error, -EFBIG, "is longer than %d KiB",
				   SDP_SIZE_MAX / 1024);
	/* ret is large: only the counters of its lists are reset */
	ret->origin[0] = ret->name[0] = '\0';
	ret->connection = (struct sdp_connection){ 0 };
	ret->filters.n = ret->n_groups = ret->n_media = 0;
	/* line ends and NULs at the end of the text are ignored */
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
	if (p.line == 0)
		return errmsg_fail(error, -EINVAL, "is empty");
	if (ret->origin[0] == '\0')
		return errmsg_fail(error, -EINVAL, "o=: is missing");
	if (ret->n_media == 0)
		return errmsg_fail(error, -EINVAL, "m=: is missing");
	return 0;
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
