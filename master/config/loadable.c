/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/loadable.h"

#include "master/config/check.h"

#include <errno.h>
#include <stdlib.h>

/* A check_found_fn that keeps the first fatal fault. */
static void note_fatal(enum check_severity severity, const char *path,
		       const char *text, void *arg)
{
	struct errmsg *error = arg;

	if (severity == CHECK_FATAL && error->text[0] == '\0')
		errmsg_set(error, "%s%s%s", path, path[0] != '\0' ? ": " : "",
			   text);
}

int loadable_load(const char *path, json_t **ret, struct errmsg *error)
{
	char digest[DOCUMENT_DIGEST_TEXT];

	return loadable_load_digest(path, ret, digest, error);
}

int loadable_load_digest(const char *path, json_t **ret,
			 char ret_digest[DOCUMENT_DIGEST_TEXT],
			 struct errmsg *error)
{
	struct errmsg fatal = { 0 };
	json_t *document;
	int r;

	ret_digest[0] = '\0';
	r = document_load_changed(path, ret_digest, &document, error);
	if (r < 0)
		return r;
	(void)check_document(document, NULL, note_fatal, &fatal);
	if (fatal.text[0] == '\0') {
		*ret = document;
		return 0;
	}
	json_decref(document);
	return errmsg_fail(error, -EBADMSG, "%s", fatal.text);
}

void loadable_digest(const json_t *document, char ret[SECRET_TEXT])
{
	size_t len;
	char *text = document_format(document, &len);
	struct digest d = digest_of(text);

	digest_format(&d, ret);
	free(text);
}
