/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/stored.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/document/fallback.h"
#include "master/config/loadable.h"

#include <errno.h>
#include <stdlib.h>

void stored_alarm(json_t *alarms, const char *subject,
		  char *take_sentence)
{
	char *key = xstrdup(subject);
	json_t *value;

	log_clean(take_sentence);
	log_error("config", "%s", take_sentence);
	value = json_string(take_sentence);
	/* NULL: the text is not UTF-8, or was cut inside a character */
	if (value == NULL)
		value = json_string("the configuration was replaced by an "
				    "older one: see the log");
	log_clean(key);
	if (json_object_set_new(alarms, key, json_incref(value)) < 0)
		(void)json_object_set_new(alarms, "configuration",
					  json_incref(value));
	json_decref(value);
	free(key);
	free(take_sentence);
}

void stored_replace(const char *path, const json_t *document, json_t *alarms,
		    char ret_digest[DOCUMENT_DIGEST_TEXT])
{
	struct errmsg error = { 0 };
	char *kept = NULL, *text;
	size_t len;

	if (fallback_put(path, document, &kept, &error) == 0)
		stored_alarm(alarms, kept,
			     xasprintf("the faulty configuration is kept as "
				       "%s: for its changes, correct it, copy "
				       "it over %s and reload", kept, path));
	else
		stored_alarm(alarms, "replacement",
			     xasprintf("%s: the faulty configuration cannot be "
				       "replaced: %s", path,
				       error.text));
	free(kept);
	text = document_format(document, &len);
	document_digest(text, len, ret_digest);
	free(text);
}

json_t *stored_fallback(const char *path, const char *good, const char *bad,
			char **ret_source)
{
	static const struct fallback_judge judge = {
		.load = loadable_load,
		.digest = loadable_digest,
	};
	const struct fallback_query q = { path, good, bad, &judge };

	return fallback_find(&q, ret_source);
}

void stored_close(const char *path)
{
	unsigned mode = document_open_mode(path, true);

	if (mode & DOCUMENT_NARROWED)
		log_warning("config", "%s: other users could open it (mode "
			    "%04o): their rights are removed", path,
			    mode & 0777);
	else if (mode != 0)
		log_warning("config", "%s: other users can open it (mode "
			    "%04o): chmod o= %s", path, mode, path);
}

json_t *stored_load(const char *path, json_t *alarms,
		    char ret_digest[DOCUMENT_DIGEST_TEXT],
		    struct errmsg *error)
{
	json_t *document = NULL;
	char *source = NULL;
	int r = -ENOENT;

	ret_digest[0] = '\0';
	if (path != NULL)
		r = loadable_load_digest(path, &document, ret_digest, error);

	if (r == -ENOENT)
		return json_object();
	/* takes an older version only if the content is damaged: it does not
	 * help if the right to read is missing */
	if (r != -EBADMSG && r != -EFBIG && r != -EIO)
		return document;
	document = stored_fallback(path, "", "", &source);
	if (document == NULL)
		return NULL;
	stored_alarm(alarms, path,
		     xasprintf("%s cannot be used: %s; the service runs with "
			       "%s instead", path, error->text, source));
	stored_replace(path, document, alarms, ret_digest);
	free(source);
	return document;
}
