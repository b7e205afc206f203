/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/playlist.h"

#include "common/base/alloc.h"
#include "master/config/play_conf.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	const json_t *stream;
	const char *id, *name;
	json_int_t lcn; /* channel number; INT64_MAX: none */
};

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text != NULL ? text : "";
}

static int by_number(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;
	int r;

	if (a->lcn != b->lcn)
		return a->lcn < b->lcn ? -1 : 1;
	r = strcmp(a->name, b->name);
	return r != 0 ? r : strcmp(a->id, b->id);
}

/* --- text --- */

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Appends key="text"; nothing for "".  In text a single quote replaces each
 * double quote, and a space replaces each control byte and each comma, because
 * some players split the line at its commas. */
static void put_value(struct buf *to, const char *key, const char *text)
{
	if (text[0] == '\0')
		return;
	buf_printf(to, " %s=\"", key);
	for (; *text != '\0'; text++)
		if (*text == '"')
			buf_append(to, "'", 1);
		else
			buf_append(to, *text == ',' || is_control(*text)
					       ? " " : text, 1);
	buf_append(to, "\"", 1);
}

static void put_xml(struct buf *to, const char *text)
{
	for (; *text != '\0'; text++)
		if (strchr("&<>\"'", *text) != NULL)
			buf_printf(to, "&#%d;", *text);
		else
			buf_append(to, is_control(*text) ? " " : text, 1);
}

static void put_encoded(struct buf *to, const char *text)
{
	for (; *text != '\0'; text++)
		if (isalnum((unsigned char)*text) ||
		    strchr("-._~", *text) != NULL)
			buf_append(to, text, 1);
		else
			buf_printf(to, "%%%02X", (unsigned char)*text);
}

/* --- the playlist --- */

/* Returns the address of the picture, a file with the name of the stream; "":
 * none.  free() it. */
static char *logo_of(const json_t *settings, const char *name)
{
	const char *folder = text_of(settings, "http_play_logos");
	struct buf url = { 0 };
	char *copy;

	if (folder[0] == '\0' || name[0] == '\0')
		return xstrdup("");
	buf_printf(&url, "%s%s", folder,
		   folder[strlen(folder) - 1] == '/' ? "" : "/");
	put_encoded(&url, name);
	buf_append(&url, ".png", sizeof ".png");
	copy = xstrdup((const char *)buf_head(&url));
	buf_done(&url);
	return copy;
}

static void put_address(struct buf *to, const struct entry *e,
			const struct playlist_request *r)
{
	char path[PLAY_PATH_MAX];

	play_path(e->id, !r->play->ts, path);
	buf_printf(to, "%s%s%s", r->base, path, r->query);
}

enum { NUMBER_MAX = 24 };

/* Writes the channel number; "": none. */
static void format_number(const struct entry *e, char ret[NUMBER_MAX])
{
	ret[0] = '\0';
	if (e->lcn != INT64_MAX)
		(void)snprintf(ret, NUMBER_MAX, "%lld", (long long)e->lcn);
}

static const char *channel_of(const struct entry *e)
{
	const char *xmltv = text_of(e->stream, "xmltv_id");

	return xmltv[0] != '\0' ? xmltv : e->id;
}

static void put_m3u8(struct buf *to, const struct entry *e,
		     const struct playlist_request *r, const json_t *settings)
{
	const char *arrange = text_of(settings, "playlist_arrange");
	char *logo = logo_of(settings, e->name);
	char number[NUMBER_MAX];

	format_number(e, number);
	buf_printf(to, "#EXTINF:-1");
	put_value(to, "tvg-id", channel_of(e));
	put_value(to, "tvg-name", e->name);
	put_value(to, "tvg-logo", logo);
	put_value(to, "tvg-chno", number);
	put_value(to, "group-title",
		  text_of(json_object_get(e->stream, "groups"), arrange));
	buf_append(to, ",", 1);
	/* in a line, control bytes become spaces */
	for (const char *c = e->name; *c != '\0'; c++)
		buf_append(to, is_control(*c) ? " " : c, 1);
	buf_append(to, "\n", 1);
	put_address(to, e, r);
	buf_append(to, "\n", 1);
	free(logo);
}

static void put_xspf(struct buf *to, const struct entry *e,
		     const struct playlist_request *r, const json_t *settings)
{
	char *logo = logo_of(settings, e->name);
	struct buf address = { 0 };

	put_address(&address, e, r);
	buf_append(&address, "", 1);
	buf_printf(to, "    <track>\n      <location>");
	put_xml(to, (const char *)buf_head(&address));
	buf_printf(to, "</location>\n      <title>");
	put_xml(to, e->name);
	buf_printf(to, "</title>\n");
	if (logo[0] != '\0') {
		buf_printf(to, "      <image>");
		put_xml(to, logo);
		buf_printf(to, "</image>\n");
	}
	buf_printf(to, "    </track>\n");
	buf_done(&address);
	free(logo);
}

/* Returns the streams of the playlist, sorted, and their number; free()
 * them. */
static struct entry *collect(const json_t *document,
			     const struct playlist_request *r, size_t *ret_n)
{
	const json_t *streams = json_object_get(document, "make_stream");
	struct entry *all = xcalloc(json_array_size(streams) + 1, sizeof *all);
	const json_t *stream;
	size_t i, n = 0;

	json_array_foreach((json_t *)(uintptr_t)streams, i, stream) {
		const char *id = text_of(stream, "id");
		const char *name = text_of(stream, "name");
		const json_t *number = json_object_get(stream, "lcn");
		json_int_t lcn = json_integer_value(number);

		if (id[0] == '\0' ||
		    !json_is_true(json_object_get(stream, "enable")) ||
		    (r->may_watch != NULL && !r->may_watch(stream, r->arg)))
			continue;
		if (json_is_string(number))
			lcn = strtoll(json_string_value(number), NULL, 10);
		all[n++] = (struct entry){
			.stream = stream,
			.id = id,
			.name = name[0] != '\0' ? name : id,
			.lcn = lcn > 0 ? lcn : INT64_MAX,
		};
	}
	qsort(all, n, sizeof *all, by_number);
	*ret_n = n;
	return all;
}

void playlist_write(struct buf *to, const json_t *document,
		    const struct playlist_request *r)
{
	const json_t *settings = json_object_get(document, "settings");
	const char *set = text_of(settings, "http_play_tvg");
	struct buf own = { 0 };
	size_t n;
	struct entry *all = collect(document, r, &n);

	if (r->format == PLAYLIST_M3U8) {
		buf_printf(to, "#EXTM3U");
		/* the address of the guide: the setting, else the guide of this
		 * service */
		if (r->guide)
			buf_printf(&own, "%s/epg.xml.gz%s", r->base, r->query);
		buf_append(&own, "", 1);
		put_value(to, "url-tvg", set[0] != '\0'
				? set : (const char *)buf_head(&own));
		buf_done(&own);
		buf_append(to, "\n", 1);
	} else {
		buf_printf(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			   "<playlist version=\"1\" "
			   "xmlns=\"http://xspf.org/ns/0/\">\n"
			   "  <trackList>\n");
	}
	for (size_t i = 0; i < n; i++)
		if (r->format == PLAYLIST_M3U8)
			put_m3u8(to, &all[i], r, settings);
		else
			put_xspf(to, &all[i], r, settings);
	if (r->format == PLAYLIST_XSPF)
		buf_printf(to, "  </trackList>\n</playlist>\n");
	free(all);
}

json_t *playlist_channels(const json_t *document,
			  const struct playlist_request *r)
{
	const json_t *settings = json_object_get(document, "settings");
	json_t *list = json_array();
	size_t n;
	struct entry *all = collect(document, r, &n);

	for (size_t i = 0; i < n; i++) {
		char *logo = logo_of(settings, all[i].name);
		json_t *channel = json_object();
		char number[NUMBER_MAX];

		format_number(&all[i], number);
		(void)json_object_set_new(channel, "stream",
					  json_string(all[i].id));
		(void)json_object_set_new(channel, "id",
					  json_string(channel_of(&all[i])));
		(void)json_object_set_new(channel, "name",
					  json_string(all[i].name));
		(void)json_object_set_new(channel, "number",
					  json_string(number));
		(void)json_object_set_new(channel, "icon", json_string(logo));
		(void)json_array_append_new(list, channel);
		free(logo);
	}
	free(all);
	return list;
}

/* --- addresses --- */

bool playlist_base(char ret[PLAYLIST_BASE_MAX], const char *host, bool secure,
		   const struct play_conf *play)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz"
				      "0123456789.-_";
	const char *scheme = secure ? "https" : "http";
	size_t name, len;

	if (host == NULL || strlen(host) > PLAYLIST_BASE_MAX - 32)
		return false;
	if (host[0] == '[')
		name = 1 + strspn(host + 1, "0123456789abcdefABCDEF:.") + 1;
	else
		name = strspn(host, allowed);
	if (name < 1 || name > strlen(host) ||
	    (host[0] == '[' && host[name - 1] != ']'))
		return false;
	len = name;
	if (host[len] == ':')
		len += 1 + strspn(host + len + 1, "0123456789");
	if (host[len] != '\0')
		return false;
	if (play->has_port)
		(void)snprintf(ret, PLAYLIST_BASE_MAX, "%s://%.*s:%u", scheme,
			       (int)name, host,
			       (unsigned)sockaddr_port(&play->port));
	else
		(void)snprintf(ret, PLAYLIST_BASE_MAX, "%s://%s", scheme,
			       host);
	return true;
}

void playlist_query_add(char query[PLAYLIST_QUERY_MAX], const char *key,
			const char *value)
{
	struct buf text = { 0 };
	size_t len = strlen(query);

	buf_printf(&text, "%s%s=", len > 0 ? "&" : "?", key);
	put_encoded(&text, value);
	if (len + buf_len(&text) < PLAYLIST_QUERY_MAX) {
		memcpy(query + len, buf_head(&text), buf_len(&text));
		query[len + buf_len(&text)] = '\0';
	}
	buf_done(&text);
}
