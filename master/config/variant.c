/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/variant.h"

#include "common/base/alloc.h"
#include "common/base/segment_rate.h"
#include "common/base/session_number.h"
#include "proto/wire/http_target.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";

/* Reads an attribute at *text, and moves *text behind it and its comma; returns
 * 0, or -EINVAL with error. */
static int read_attribute(const char **text, size_t *ret_name,
			  struct errmsg *error)
{
	const char *at = *text;
	size_t name = strspn(at, upper), value;
	bool quoted;

	if (name == 0 || at[name] != '=')
		return errmsg_fail(error, -EINVAL, "\"%.32s\" is not "
				   "NAME=VALUE, with a name of A-Z 0-9 -", at);
	at += name + 1;
	quoted = *at == '"';
	value = quoted ? 2 + strcspn(at + 1, "\"") : strcspn(at, ",\"");
	if (value == 0 || strnlen(at, value) < value ||
	    (at[value] != ',' && at[value] != '\0') ||
	    (at[value] == ',' && at[value + 1] == '\0'))
		return errmsg_fail(error, -EINVAL, "\"%.32s\" does not end "
				   "with a value and a comma", *text);
	*ret_name = name;
	*text = at + value + (at[value] == ',');
	return 0;
}

int variant_header_check(const char *header, struct errmsg *error)
{
	int err = 0;

	if (strlen(header) > VARIANT_HEADER_MAX)
		return errmsg_fail(error, -EINVAL, "is longer than %d bytes",
				   VARIANT_HEADER_MAX);
	for (const char *at = header; *at != '\0'; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			return errmsg_fail(error, -EINVAL,
					   "contains a control character");
	while (*header != '\0' && err == 0) {
		size_t name;

		err = read_attribute(&header, &name, error);
	}
	return err;
}

static bool has_attribute(const char *header, const char *wanted)
{
	while (*header != '\0') {
		const char *name = header;
		struct errmsg error;
		size_t len;

		if (read_attribute(&header, &len, &error) < 0)
			return false;
		if (len == strlen(wanted) && strncmp(name, wanted, len) == 0)
			return true;
	}
	return false;
}

bool variant_measure(struct variant *v, const struct ring_segments *all,
		     int64_t wall_ms)
{
	struct segment_rate rate;
	const struct ring_segment *last = &all->list[MAX(all->n, 1U) - 1];
	int64_t most_ms = MAX((int64_t)VARIANT_TARGETS * 1000 * all->target_s,
			      (int64_t)VARIANT_DEAD_MS);

	/* time since the end of the last complete segment */
	if (all->n == 0 ||
	    wall_ms - last->wall_ms - last->duration_ms > most_ms)
		return false;
	v->independent = true;
	for (size_t i = 0; i < all->n; i++)
		v->independent = v->independent && all->list[i].independent;
	rate = segment_rate_of(all);
	v->average_bps = rate.average_bps;
	v->peak_bps = rate.peak_bps;
	return true;
}

bool variant_has_rate(const struct variant *v)
{
	return v->peak_bps > 0 || has_attribute(v->header, "BANDWIDTH");
}

bool variant_group_of(const char *path, char *ret, size_t size)
{
	static const char folder[] = "/play/", name[] = "/master.m3u8";
	size_t len;

	if (strncmp(path, folder, strlen(folder)) != 0)
		return false;
	path += strlen(folder);
	len = strcspn(path, "/");
	if (len == 0 || len >= size || strcmp(path + len, name) != 0)
		return false;
	memcpy(ret, path, len);
	ret[len] = '\0';
	return true;
}

static void write_rate(struct buf *to, const struct variant *v,
		       const char *name, uint64_t bps)
{
	if (bps > 0 && !has_attribute(v->header, name))
		buf_printf(to, "%s=%" PRIu64 ",", name, bps);
}

void variant_list_write(struct buf *to, const struct variant_list *list)
{
	char *kept = xstrdup(list->query), name[SESSION_NUMBER_TEXT] = "index";
	bool independent = list->n > 0;

	http_query_strip_hls(list->query, kept);
	if (list->session != 0)
		session_number_format(list->session, name);
	for (size_t i = 0; i < list->n; i++)
		independent = independent && list->all[i].independent;
	buf_printf(to, "#EXTM3U\n#EXT-X-VERSION:3\n");
	if (independent)
		buf_printf(to, "#EXT-X-INDEPENDENT-SEGMENTS\n");
	for (size_t i = 0; i < list->n; i++) {
		const struct variant *v = &list->all[i];
		struct buf text = { 0 };

		write_rate(&text, v, "BANDWIDTH", v->peak_bps);
		write_rate(&text, v, "AVERAGE-BANDWIDTH", v->average_bps);
		if (v->codecs != NULL && v->codecs[0] != '\0' &&
		    !has_attribute(v->header, "CODECS"))
			buf_printf(&text, "CODECS=\"%s\",", v->codecs);
		if (v->width > 0 && v->height > 0 &&
		    !has_attribute(v->header, "RESOLUTION"))
			buf_printf(&text, "RESOLUTION=%ux%u,", v->width,
				   v->height);
		buf_printf(&text, "%s", v->header);
		/* %.*s leaves out the last comma if no header follows */
		buf_printf(to, "#EXT-X-STREAM-INF:%.*s\n../%s/%s.m3u8%s%s\n",
			   (int)buf_len(&text) - (v->header[0] == '\0'),
			   (const char *)buf_head(&text), v->id, name,
			   kept[0] != '\0' ? "?" : "", kept);
		buf_done(&text);
	}
	free(kept);
}
