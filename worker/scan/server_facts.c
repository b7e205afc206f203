/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/server_facts.h"

#include "common/base/utf8.h"
#include "proto/spec/satip_spec.h"
#include "worker/sdp/sdp.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void server_text_copy(const char *from, char to[SERVER_TEXT_MAX])
{
	char text[SDP_NAME_MAX + 1];
	size_t n;

	from += strspn(from, " \t\r\n");
	sdp_name(from, text);
	n = strnlen(text, SERVER_TEXT_MAX - 1);
	/* do not cut within a character */
	while (n > 0 && ((uint8_t)text[n] & 0xc0) == 0x80)
		n--;
	memcpy(to, text, n);
	to[n] = '\0';
}

static struct server_system *find_system(struct server_facts *f,
					 const char *name)
{
	struct server_system *s = f->systems;

	for (size_t i = 0; i < f->n_systems; i++, s++)
		if (strcmp(s->name, name) == 0)
			return s;
	if (f->n_systems == MSG_SERVER_SYSTEMS_MAX)
		return NULL;
	f->n_systems++;
	*s = (struct server_system){ 0 };
	(void)snprintf(s->name, sizeof s->name, "%s", name);
	return s;
}

/* Reads the name of a system, letters and digits, and converts it to the `type'
 * of an adapter if there is one; false: the text is not such a name. */
static bool read_system(struct slice text, char name[SERVER_SYSTEM_MAX])
{
	const char *type;

	if (!slice_copy(text, name, SERVER_SYSTEM_MAX))
		return false;
	for (char *c = name; *c != '\0'; c++)
		if (!isalnum((unsigned char)*c))
			return false;
	type = satip_spec_type(name);
	if (type != NULL)
		(void)snprintf(name, SERVER_SYSTEM_MAX, "%s", type);
	return true;
}

void server_facts_capabilities(struct server_facts *f, const char *text)
{
	struct slice rest = { text, strlen(text) }, part, system, number;
	char name[SERVER_SYSTEM_MAX];
	struct server_system *s;
	uint32_t n;

	f->n_systems = 0;
	while (slice_part(&rest, ',', &part)) {
		if (!slice_split(part, '-', &system, &number) ||
		    !read_system(system, name) ||
		    !slice_number(number, SERVER_FRONTENDS_MAX, &n) || n == 0)
			continue;
		s = find_system(f, name);
		if (s != NULL)
			s->frontends = MIN(s->frontends + n,
					   (unsigned)SERVER_FRONTENDS_MAX);
	}
}

void server_facts_channels(struct server_facts *f, const char *text,
			   const char *host, uint16_t port)
{
	char url[SERVER_URL_MAX];
	struct slice all = { text, strlen(text) };

	f->channels = (struct server_url){ 0 };
	if (text[0] == '/' && text[1] != '/') {
		if (all.len >= SERVER_PATH_MAX)
			return;
		(void)snprintf(url, sizeof url, "http://%s:%u%s", host,
			       (unsigned)port, text);
		all = (struct slice){ url, strlen(url) };
	}
	(void)!server_url_parse(all, host, &f->channels, NULL);
}
