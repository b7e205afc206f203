/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/renewal_file.h"

#include "common/base/errmsg.h"
#include "common/base/log.h"
#include "common/document/document.h"
#include "common/supervise/handover.h"
#include "master/config/config.h"
#include "master/config/loadable.h"
#include "master/config/write_paths.h"
#include "master/master.h"
#include "master/reread.h"
#include "master/setup/options.h"
#include "master/setup/write_roots.h"
#include "proto/wire/json_text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Members of a handover: KNOWN has the result of config_known(), RUNNING the
 * text of config_document(). */
#define KNOWN "configurations"
#define RUNNING "configuration"

/* Greatest length in bytes of the running document as text.  In the handover
 * this text is an escaped string, which is longer. */
enum { RUNNING_MAX = DOCUMENT_SIZE_MAX / 4 };

void renewal_file_put_known(const struct config *config, struct handover *h)
{
	if (config_path(config) != NULL && config_is_saved(config))
		(void)json_object_set_new(handover_document(h), KNOWN,
					  config_known(config));
}

void renewal_file_put_running(const struct config *config, struct handover *h)
{
	const json_t *document = config_document(config);
	char *text;

	renewal_file_put_known(config, h);
	if (config_path(config) == NULL)
		return;
	/* as one text: the handover is read with the limits of a request, which
	 * has fewer values than a file may have */
	text = json_dumps(document, JSON_COMPACT | json_text_flags(document));
	if (text != NULL && strlen(text) <= RUNNING_MAX)
		(void)json_object_set_new(handover_document(h), RUNNING,
					  json_string(text));
	free(text);
}

/* Takes the document of the previous program out of the handover, a new
 * reference; NULL: there is none. */
static json_t *take_running(struct handover *h)
{
	const json_t *text = NULL;
	json_t *document;

	if (h != NULL)
		text = json_object_get(handover_document(h), RUNNING);
	if (!json_is_string(text))
		return NULL;
	document = json_loads(json_string_value(text), 0, NULL);
	(void)json_object_del(handover_document(h), RUNNING);
	return document;
}

/* Returns the index of the document in the list of digests `known'; the length
 * of the list: it does not have the document. */
static size_t find_known(const json_t *known, const json_t *document)
{
	char digest[SECRET_TEXT];
	const json_t *one;
	size_t i;

	loadable_digest(document, digest);
	json_array_foreach(known, i, one)
		if (strcmp(digest, json_string_value(one)) == 0)
			break;
	return i;
}

/* Loads the configuration file.  A file that the running service did not write
 * must be as correct as for a reload.  known: config_known() of that service;
 * NULL: only a damaged file fails.  Returns 0 and the digest of the file, or
 * -errno with error and *ret NULL.  The caller owns *ret. */
static int load_sound(const struct options *options, const json_t *known,
		      json_t **ret, char ret_digest[DOCUMENT_DIGEST_TEXT],
		      struct errmsg *error)
{
	struct write_paths *own;
	json_t *document = NULL;
	int err = loadable_load_digest(options->config_path, &document,
				       ret_digest, error);

	*ret = NULL;
	if (err == -ENOENT)
		document = json_object();
	if (document == NULL)
		return err;
	own = write_roots_own(options);
	if (known == NULL ||
	    find_known(known, document) < json_array_size(known))
		err = 0;
	else if (err == -ENOENT)
		errmsg_set(error, "file not found");
	else if (!reread_is_sound(options, own, document, error))
		err = -EBADMSG;
	write_paths_free(&own);
	if (err == 0)
		*ret = document;
	else
		json_decref(document);
	return err;
}

int renewal_file_check(const struct options *options, struct handover *h)
{
	const json_t *known = json_object_get(handover_document(h), KNOWN);
	char digest[DOCUMENT_DIGEST_TEXT];
	struct errmsg error = { 0 };
	json_t *document = NULL;
	bool is_own;

	if (load_sound(options, known, &document, digest, &error) == 0) {
		json_decref(document);
		return 0;
	}
	log_error("master", "configuration file: %s", error.text);
	/* the file has the running configuration, so an error in it shows that
	 * this program rejects what the running program accepted */
	is_own = document_load(options->config_path, &document, &error) == 0 &&
		 json_array_size(known) > 0 &&
		 find_known(known, document) == 0;
	json_decref(document);
	return is_own ? MASTER_EXIT_CONFIG : RENEWAL_EXIT_OTHER_FILE;
}

struct config *renewal_file_open(const struct options *options,
				 struct handover *h, struct ev_loop *loop,
				 struct errmsg *file_error,
				 struct errmsg *error)
{
	json_t *running = take_running(h), *document;
	char digest[DOCUMENT_DIGEST_TEXT];

	file_error->text[0] = '\0';
	if (running == NULL)
		return config_open(options->config_path, loop, error);
	if (load_sound(options, json_object_get(handover_document(h), KNOWN),
		       &document, digest, file_error) < 0) {
		log_error("config", "restart: the configuration file is not "
				    "used, the running configuration stays in "
				    "effect: %s", file_error->text);
		document = json_incref(running);
		digest[0] = '\0';
	}
	json_decref(running);
	return config_adopt(options->config_path, document, digest, loop);
}
