/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/viewer_guide.h"

#include "common/base/alloc.h"
#include "master/api/command.h"
#include "master/config/config.h"
#include "master/config/playlist.h"
#include "master/streams/epg_docs.h"
#include "master/streams/reconciler.h"
#include "master/viewers/viewers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char xml_path[] = "/epg.xml", gzip_path[] = "/epg.xml.gz";

/* A client that waits for a document. */
struct waiting {
	struct list_question *question;
	struct epg_doc_wait *wait;
	bool gzip;
};

bool viewer_guide_is_path(const char *path)
{
	return strcmp(path, xml_path) == 0 || strcmp(path, gzip_path) == 0;
}

static void refuse(struct list_question *q, unsigned status)
{
	const struct msg_deliver_page page = MSG_NO_PAGE(status);
	const struct buf none = { 0 };

	list_question_answer(q, &page, &none);
}

static void on_document(const struct epg_answer *a, void *arg)
{
	struct waiting *w = arg;
	struct list_question *q = w->question;
	bool gzip = w->gzip;
	char etag[24];

	free(w);
	if (a->len == 0) {
		refuse(q, 503);
		return;
	}
	(void)snprintf(etag, sizeof etag, "\"%016" PRIx64 "\"", a->hash);
	list_question_answer_memory(q, &(struct msg_deliver_page){
		.status = 200,
		.type = gzip ? "application/gzip"
			     : "application/xml; charset=utf-8",
		.len = (uint32_t)a->len, .etag = etag }, a->fd);
}

static void on_cancel(void *arg)
{
	struct waiting *w = arg;

	epg_doc_wait_cancel(w->wait);
	free(w);
}

static bool may_watch(const json_t *stream, void *arg)
{
	return viewer_guest_may(arg, stream);
}

/* Appends the list of channels that the guest may watch, as JSON. */
static void write_channels(struct api *api, struct viewer_guest *guest,
			   struct buf *to)
{
	json_t *list = playlist_channels(
		config_document(api->cfg.config), &(struct playlist_request){
			.may_watch = may_watch, .arg = guest });
	char *text = json_dumps(list, JSON_COMPACT);

	buf_append(to, text, strlen(text));
	free(text);
	json_decref(list);
}

void viewer_guide_answer(struct api *api, struct list_question *q,
			 struct viewer_guest *guest)
{
	struct epg_docs *docs = reconciler_epg_docs(api->cfg.reconciler);
	bool gzip = strcmp(list_question_client(q)->path, gzip_path) == 0;
	struct buf channels = { 0 };
	struct epg_doc_wait *wait;
	struct waiting *w;

	if (!epg_proc_is_on(reconciler_epg(api->cfg.reconciler))) {
		refuse(q, 404);
		return;
	}
	write_channels(api, guest, &channels);
	if (buf_len(&channels) > EPG_CHANNELS_MAX) {
		buf_done(&channels);
		refuse(q, 503);
		return;
	}
	w = xcalloc(1, sizeof *w);
	w->question = q;
	w->gzip = gzip;
	wait = epg_docs_get(docs, &channels, (struct epg_doc_kind){
		.form = gzip ? EPG_FORM_GZIP : 0u }, on_document, w);
	if (wait == NULL)
		return;
	w->wait = wait;
	list_question_wait(q, on_cancel, w);
}
