/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The programme guide of the fakes: epg_days is 0. */
#include "master/streams/epg_docs.h"
#include "master/streams/epg_exports.h"
#include "master/streams/reconciler.h"
#include "tests/unit/master/fakes.h"

#include <errno.h>

struct epg_proc *reconciler_epg(struct reconciler *r)
{
	(void)r;
	return NULL;
}

const struct msg_epg_status *epg_proc_status(const struct epg_proc *p)
{
	(void)p;
	return NULL;
}

int epg_proc_ask(struct epg_proc *p, const struct msg_epg_ask *question,
		 epg_done_fn *done, void *arg)
{
	(void)p, (void)question, (void)done, (void)arg;
	return -ENOENT;
}

bool epg_proc_is_on(const struct epg_proc *p)
{
	(void)p;
	return false;
}

struct epg_docs *reconciler_epg_docs(struct reconciler *r)
{
	(void)r;
	return NULL;
}

struct epg_doc_wait *epg_docs_get(struct epg_docs *d, struct buf *text,
				  struct epg_doc_kind kind, epg_done_fn *done,
				  void *arg)
{
	(void)d, (void)kind, (void)done, (void)arg;
	buf_done(text);
	return NULL;
}

void epg_doc_wait_cancel(struct epg_doc_wait *wait)
{
	(void)wait;
}

void epg_proc_watch(struct epg_proc *p, const struct epg_watcher *watcher)
{
	(void)p;
	fakes.watcher = *watcher;
}

void epg_proc_renew_watch(struct epg_proc *p)
{
	(void)p;
}

struct epg_exports *epg_exports_new(const struct epg_exports_config *cfg)
{
	(void)cfg;
	return NULL;
}

void epg_exports_free(struct epg_exports **e)
{
	(void)e;
}

const char *epg_exports_error(const struct epg_exports *e, size_t i,
			      bool *ret_known)
{
	(void)e, (void)i;
	*ret_known = false;
	return NULL;
}
