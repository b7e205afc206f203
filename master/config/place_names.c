/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/place_names.h"

#include "common/base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char list[] = "make_stream[";

char *place_names_add(const json_t *document, const char *text)
{
	const json_t *streams = json_object_get(document, "make_stream");
	char *line = NULL;
	size_t len;
	FILE *out = open_memstream(&line, &len);
	const char *place;

	if (out == NULL)
		abort();
	while ((place = strstr(text, list)) != NULL) {
		const char *end = place + strcspn(place, " :;,");
		const json_t *stream = json_array_get(
			streams, strtoul(place + strlen(list), NULL, 10));
		const char *id = json_string_value(
			json_object_get(stream, "id"));
		const char *name = json_string_value(
			json_object_get(stream, "name"));

		(void)fprintf(out, "%.*s", (int)(end - text), text);
		if (id != NULL && name != NULL && name[0] != '\0' &&
		    strcmp(name, id) != 0)
			(void)fprintf(out, " (%s, \"%s\")", id, name);
		else if (id != NULL)
			(void)fprintf(out, " (%s)", id);
		text = end;
	}
	(void)fputs(text, out);
	(void)fclose(out);
	log_clean(line);
	return line;
}
