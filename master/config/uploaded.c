/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/uploaded.h"

#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>

struct uploaded_write {
	struct uploaded *of;
	/* loadable_digest() of the upload; "": the write is no upload */
	char digest[SECRET_TEXT];
	/* value of uploaded.forgotten at the beginning */
	unsigned forgotten;
	save_done_fn *done;
	void *arg;
};

void uploaded_forget(struct uploaded *u)
{
	u->digest[0] = '\0';
	u->forgotten++;
}

struct uploaded_write *uploaded_begin(struct uploaded *u,
				      const json_t *document,
				      save_done_fn *done, void *arg)
{
	struct uploaded_write *w = xcalloc(1, sizeof *w);

	w->of = u;
	w->forgotten = u->forgotten;
	w->done = done;
	w->arg = arg;
	if (document != NULL)
		loadable_digest(document, w->digest);
	return w;
}

void uploaded_end(int result, const struct errmsg *error, void *write)
{
	struct uploaded_write *w = write;
	save_done_fn *done = w->done;
	void *arg = w->arg;

	/* unless a change overwrites the file meanwhile */
	if (result == 0 && w->of->forgotten == w->forgotten)
		memcpy(w->of->digest, w->digest, sizeof w->digest);
	free(w);
	done(result, error, arg);
}
