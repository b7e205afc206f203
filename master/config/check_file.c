/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/check_file.h"

#include "common/base/fd.h"
#include "common/base/log.h"
#include "master/config/check.h"
#include "common/document/document.h"
#include "master/config/findings.h"
#include "master/config/unknown_keys.h"
#include "master/config/check_host.h"
#include "common/supervise/pem_source.h"

#include <stdlib.h>
#include <string.h>

enum { EXIT_FINE = 0, EXIT_FAULTS = 78 };

struct lines {
	const char *file;
	FILE *out;
	const json_t *document;
};

/* The stream at that place: people do not count to 26. */
static void name_stream(FILE *out, const json_t *document, size_t at)
{
	const json_t *stream = json_array_get(
		json_object_get(document, "make_stream"), at);
	const char *id = json_string_value(json_object_get(stream, "id"));
	const char *name = json_string_value(json_object_get(stream, "name"));

	if (id == NULL)
		return;
	if (name == NULL || name[0] == '\0' || strcmp(name, id) == 0)
		(void)fprintf(out, " (%s)", id);
	else
		(void)fprintf(out, " (%s, \"%s\")", id, name);
}

/* Each place in a stream has the stream's id and name behind it. */
static void write_named(FILE *out, const char *text, const json_t *document)
{
	static const char list[] = "make_stream[";
	const char *place;

	while ((place = strstr(text, list)) != NULL) {
		const char *end = place + strcspn(place, " :;,");

		(void)fprintf(out, "%.*s", (int)(end - text), text);
		name_stream(out, document,
			    strtoul(place + strlen(list), NULL, 10));
		text = end;
	}
	(void)fputs(text, out);
}

/* One line each, whatever bytes the document holds. */
static void print(const struct lines *l, const char *text)
{
	char *line = NULL;
	size_t len;
	FILE *out = open_memstream(&line, &len);

	if (out == NULL)
		abort();
	write_named(out, text, l->document);
	(void)fclose(out);
	log_clean(line);
	(void)fputs(line, l->out);
	free(line);
}

static void print_line(enum check_severity severity, const char *path,
		       const char *text, void *arg)
{
	const struct lines *l = arg;

	(void)fprintf(l->out, "%s: ", l->file);
	if (path[0] != '\0') {
		print(l, path);
		(void)fputs(": ", l->out);
	}
	if (severity == CHECK_WARNING)
		(void)fputs("warning: ", l->out);
	print(l, text);
	(void)fputc('\n', l->out);
}

/* Warnings: the service starts without a certificate, too. */
static void look_for_certificate(const json_t *document,
				 struct findings *found)
{
	static const char *const keys[] = { "crt_chain", "crt_key" };
	const json_t *settings = json_object_get(document, "settings");

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const json_t *value = json_object_get(settings, keys[i]);
		char path[32];
		struct errmsg why;
		int fd;

		if (json_string_length(value) == 0)
			continue;
		fd = pem_source_open(json_string_value(value), &why);
		(void)snprintf(path, sizeof path, "settings.%s", keys[i]);
		if (fd < 0)
			findings_add(CHECK_WARNING, path, why.text, found);
		fd_close(&fd);
	}
}

static unsigned look(const json_t *document, struct findings *found)
{
	unsigned faults = check_document(document, NULL, findings_add, found);

	unknown_keys_find(document, findings_add, found);
	look_for_certificate(document, found);
	surroundings_look(document, findings_add, found);
	return faults;
}

int check_file(const char *path, FILE *out)
{
	struct lines l = { path, out, NULL };
	struct findings found = { 0 };
	struct errmsg why = { 0 };
	json_t *document;
	unsigned faults;

	if (document_load(path, &document, &why) < 0) {
		print_line(CHECK_FATAL, "", why.text, &l);
		return EXIT_FAULTS;
	}
	faults = look(document, &found);
	l.document = document;
	findings_tell(&found, print_line, &l);
	json_decref(document);
	if (faults > 0)
		(void)fprintf(out, "%s: %u fault%s, %zu warning%s\n", path,
			      faults, faults == 1 ? "" : "s",
			      found.n - faults,
			      found.n - faults == 1 ? "" : "s");
	else
		(void)fprintf(out, "%s: ok\n", path);
	findings_done(&found);
	return faults > 0 ? EXIT_FAULTS : EXIT_FINE;
}
