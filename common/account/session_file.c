/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/session_file.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"
#include "common/base/log.h"
#include "common/account/session.h"
#include "common/document/document.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

enum {
	SAVE_DELAY_MS = 20, /* changes within this time share one write */
	SAVE_RETRY_MIN_MS = 1000,
	SAVE_RETRY_MAX_MS = 60000,
};

struct session_file {
	struct sessions *sessions;
	struct save *save; /* NULL: there is no file */
};

static char *format(size_t *ret_len, void *arg)
{
	struct session_file *f = arg;
	json_t *document = sessions_encode(f->sessions, time(NULL));
	char *text = document_format(document, ret_len);

	json_decref(document);
	return text;
}

static void load(struct session_file *f, const char *path)
{
	struct errmsg error = { 0 };
	json_t *document = NULL;
	int r = document_load(path, &document, &error);
	size_t left_out;

	if (r == 0) {
		left_out = sessions_decode(f->sessions, document, time(NULL));
		if (left_out > 0)
			log_info("auth",
			         "%s: %zu login sessions dropped: expired or "
				 "invalid",
			         path, left_out);
	} else if (r != -ENOENT) {
		log_warning("auth", "%s: %s: all users must log in again",
			    path, error.text);
	}
	json_decref(document);
}

struct session_file *session_file_open(struct ev_loop *loop, const char *path)
{
	struct session_file *f = xcalloc(1, sizeof *f);

	f->sessions = sessions_new();
	if (path == NULL)
		return f;
	load(f, path);
	f->save = save_new(&(struct save_config){
		.loop = loop,
		.path = path,
		.delay_ms = SAVE_DELAY_MS,
		.retry_min_ms = SAVE_RETRY_MIN_MS,
		.retry_max_ms = SAVE_RETRY_MAX_MS,
		.text = format,
		.arg = f,
	});
	return f;
}

void session_file_close(struct session_file **fp)
{
	struct session_file *f = *fp;

	*fp = NULL;
	if (f == NULL)
		return;
	save_free(&f->save);
	sessions_free(&f->sessions);
	free(f);
}

struct sessions *session_file_sessions(struct session_file *f)
{
	return f->sessions;
}

void session_file_touch(struct session_file *f)
{
	if (f->save != NULL)
		save_touch(f->save);
}

bool session_file_catch_up(struct session_file *f, save_done_fn *done,
			   void *arg)
{
	if (f->save != NULL)
		save_catch_up(f->save, done, arg);
	return f->save != NULL;
}

const char *session_file_error(const struct session_file *f)
{
	return f->save != NULL ? save_error(f->save) : NULL;
}

bool session_file_is_saved(const struct session_file *f)
{
	return f->save == NULL || save_is_idle(f->save);
}
