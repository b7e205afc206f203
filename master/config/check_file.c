/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/check_file.h"

#include "master/config/check.h"
#include "common/document/document.h"
#include "master/config/findings.h"
#include "master/config/place_names.h"
#include "master/config/unknown_keys.h"
#include "master/config/write_paths.h"
#include "master/config/check_host.h"

#include <stdlib.h>

enum { EXIT_FINE = 0, EXIT_FAULTS = 78 };

struct lines {
	const char *file;
	FILE *out;
	const json_t *document;
};

static void print(const struct lines *l, const char *text)
{
	char *line = place_names_add(l->document, text);

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

/* Writes the last line: the numbers of errors and of warnings. */
static void print_sum(const struct lines *l, size_t faults, size_t warnings)
{
	(void)fprintf(l->out, "%s: ", l->file);
	if (faults > 0)
		(void)fprintf(l->out, "%zu error%s", faults,
			      faults == 1 ? "" : "s");
	else
		(void)fputs("ok", l->out);
	if (faults > 0 || warnings > 0)
		(void)fprintf(l->out, ", %zu warning%s", warnings,
			      warnings == 1 ? "" : "s");
	(void)fputc('\n', l->out);
}

/* Returns the address of the control server; NULL: the port is wrong, which is
 * reported as an error of its own. */
static const struct sockaddr_any *
find_control(const json_t *document, const char *port, struct sockaddr_any *ret)
{
	const json_t *setting = json_object_get(
		json_object_get(document, "settings"), "control_port");
	struct errmsg error;

	if (port == NULL && setting == NULL)
		return sockaddr_parse("0.0.0.0", CONTROL_PORT_DEFAULT,
				      ret) == 0 ? ret : NULL;
	if (port == NULL)
		port = json_string_value(setting);
	return port != NULL && check_control_port(port, ret, &error) == 0
		       ? ret : NULL;
}

int check_file(const char *path, const char *port, unsigned flags, FILE *out,
	       json_t **ret_document)
{
	struct lines l = { path, out, NULL };
	struct findings found = { 0 };
	struct write_paths *own;
	struct sockaddr_any control;
	struct errmsg error = { 0 };
	unsigned faults, mode = document_open_mode(path, false);
	json_t *document;
	char text[128];
	size_t warnings;

	if (document_load(path, &document, &error) < 0) {
		print_line(CHECK_FATAL, "", error.text, &l);
		return EXIT_FAULTS;
	}
	faults = check_document(document, find_control(document, port,
						       &control),
				findings_add, &found);
	if (!(flags & CHECK_FILE_NO_LOGIN))
		check_lockout(document, true, findings_add, &found);
	unknown_keys_find(document, findings_add, &found);
	idle_streams_find(document, findings_add, &found);
	check_host_certificate(document, true, findings_add, &found);
	if (mode != 0) {
		(void)snprintf(text, sizeof text, "other users can open this "
			       "file (mode %04o): the service will take their "
			       "rights away", mode);
		findings_add(CHECK_WARNING, "", text, &found);
	}
	check_host(document, HOST_NETWORK | HOST_FILES, findings_add,
		   &found);
	own = write_paths_own(path, NULL);
	write_paths_find_all_own(own, document, findings_add, &found);
	write_paths_free(&own);
	l.document = document;
	findings_report(&found, print_line, &l);
	if (ret_document != NULL && faults == 0)
		*ret_document = json_incref(document);
	json_decref(document);
	warnings = found.n - faults;
	print_sum(&l, faults, warnings);
	findings_done(&found);
	return faults > 0 || ((flags & CHECK_FILE_STRICT) && warnings > 0)
		       ? EXIT_FAULTS : EXIT_FINE;
}
