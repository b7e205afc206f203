/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/document/fallback.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/log.h"
#include "common/document/document.h"
#include "common/document/replace.h"
#include "common/document/revisions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The most candidates: FILE.backup and the revisions. */
enum { CANDIDATES_MAX = 1 + REVISIONS_MAX };

struct candidate {
	char *path;
	struct timespec at;
	size_t order; /* order of candidates with the same time */
};

static int by_age(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->at.tv_sec != y->at.tv_sec)
		return x->at.tv_sec > y->at.tv_sec ? -1 : 1;
	if (x->at.tv_nsec != y->at.tv_nsec)
		return x->at.tv_nsec > y->at.tv_nsec ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* Lists the backup and the revisions, the newest first; returns their
 * number. */
static size_t list_candidates(const char *path, struct candidate *list)
{
	size_t n = 0;

	for (size_t i = 0; i < CANDIDATES_MAX; i++) {
		struct candidate *c = &list[n];
		struct stat st;

		c->path = i == 0 ? xasprintf("%s.backup", path)
				 : xasprintf("%s.%zu", path, i);
		c->order = i;
		if (stat(c->path, &st) < 0) {
			free(c->path);
			continue;
		}
		c->at = st.st_mtim;
		n++;
	}
	qsort(list, n, sizeof *list, by_age);
	return n;
}

/* Loads a candidate; NULL: the file cannot be used, or its digest is q->bad. */
static json_t *load(const struct candidate *c, const struct fallback_query *q,
		    char digest[DOCUMENT_DIGEST_TEXT])
{
	struct errmsg error = { 0 };
	json_t *document;

	if (q->judge->load(c->path, &document, &error) < 0) {
		log_warning("config", "%s: cannot be used: %s", c->path,
			    error.text);
		return NULL;
	}
	q->judge->digest(document, digest);
	if (strcmp(digest, q->bad) != 0)
		return document;
	json_decref(document);
	return NULL;
}

json_t *fallback_find(const struct fallback_query *q, char **ret_source)
{
	struct candidate list[CANDIDATES_MAX];
	size_t n = list_candidates(q->path, list);
	char digest[DOCUMENT_DIGEST_TEXT];
	json_t *found = NULL;
	bool is_good = false;

	for (size_t i = 0; i < n && !is_good; i++) {
		json_t *document = load(&list[i], q, digest);

		if (document == NULL)
			continue;
		is_good = q->good[0] == '\0' || strcmp(digest, q->good) == 0;
		if (found != NULL && !is_good) {
			json_decref(document);
			continue;
		}
		if (found != NULL)
			free(*ret_source);
		json_decref(found);
		found = document;
		*ret_source = xstrdup(list[i].path);
	}
	for (size_t i = 0; i < n; i++)
		free(list[i].path);
	return found;
}

int fallback_put(const char *path, const json_t *document, char **ret_kept,
	       struct errmsg *error)
{
	time_t now = time(NULL);
	struct buf content = { 0 };
	char *name, *text, at[32];
	struct tm tm;
	size_t len;
	int r = 0;

	(void)gmtime_r(&now, &tm);
	(void)strftime(at, sizeof at, "%Y%m%dT%H%M%SZ", &tm);
	name = xasprintf("%s.broken-%s", path, at);
	if (linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) < 0 &&
	    errno != EEXIST) {
		r = document_read(path, &content);
		if (r < 0)
			errmsg_set(error, "%s cannot be read: %s", path,
				   strerror(-r));
		else
			r = replace_file(name, buf_head(&content),
					 buf_len(&content), error);
		buf_done(&content);
	}
	*ret_kept = NULL;
	if (r < 0) {
		free(name);
		return r;
	}
	*ret_kept = name;
	text = document_format(document, &len);
	r = replace_file(path, text, len, error);
	free(text);
	return r;
}
