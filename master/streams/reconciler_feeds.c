/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An mpts of several inputs: the stream that merges them, and its feeds. */
#include "master/config/stream_conf.h"
#include "master/streams/mpts.h"
#include "master/streams/reconciler_state.h"
#include "master/streams/stream_proc.h"

#include <stdio.h>

void reconciler_set_feeds(struct reconciler *r, const char *id,
			  const json_t *object)
{
	json_t *feeds[MSG_INPUTS_MAX + 1] = { 0 };

	if (r->stopping)
		return;
	for (unsigned i = 1; object != NULL && i <= MSG_INPUTS_MAX; i++)
		feeds[i] = mpts_feed(object, id, i);
	/* backwards, because a stream may go in the call */
	for (size_t i = r->n; i-- > 0;) {
		struct stream_proc *p = r->streams[i];
		unsigned at = mpts_position(stream_proc_id(p));

		if (mpts_is_feed_of(stream_proc_id(p), id) &&
		    !stream_proc_is_removed(p) &&
		    (at > MSG_INPUTS_MAX || feeds[at] == NULL))
			reconciler_remove_one(r, p);
	}
	for (size_t i = 1; i <= MSG_INPUTS_MAX; i++) {
		struct stream_conf *conf;

		if (feeds[i] == NULL)
			continue;
		conf = stream_conf_new(feeds[i]);
		reconciler_set_one(r, conf->id, conf);
		stream_conf_free(&conf);
		json_decref(feeds[i]);
	}
}

void reconciler_set_stream(struct reconciler *r, const char *id,
			   const struct stream_conf *conf)
{
	struct stream_conf *mux;
	json_t *object;

	if (r->stopping)
		return;
	if (!mpts_is_mux(conf->stream)) {
		reconciler_set_one(r, id, conf);
		reconciler_set_feeds(r, id, NULL);
		return;
	}
	reconciler_set_feeds(r, id, conf->stream);
	object = mpts_mux(conf->stream, id);
	mux = stream_conf_new(object);
	reconciler_set_one(r, id, mux);
	stream_conf_free(&mux);
	json_decref(object);
}

void reconciler_rename_stream(struct reconciler *r, const char *from,
			      const char *to)
{
	char old[IO_FEED_MAX + 1], new[IO_FEED_MAX + 1];

	reconciler_rename_one(r, from, to);
	for (unsigned i = 1; i <= MSG_INPUTS_MAX; i++) {
		(void)snprintf(old, sizeof old, "%s/%u", from, i);
		(void)snprintf(new, sizeof new, "%s/%u", to, i);
		if (stream_index_find(&r->index, old) != NULL)
			reconciler_rename_one(r, old, new);
	}
}

/* The input that reads a feed shows the error of the feed. */
void reconciler_report(struct reconciler *r, const char *id,
		       const struct msg_stream_status *status)
{
	struct msg_stream_status copy = *status;
	char feed[IO_FEED_MAX + 1];

	for (size_t i = 0; status->sent_kbps > 0 && i < copy.n_inputs; i++) {
		const struct stream_proc *p;
		const char *error = NULL;

		(void)snprintf(feed, sizeof feed, "%s/%zu", id, i + 1);
		p = stream_index_find(&r->index, feed);
		if (p != NULL)
			error = stream_proc_feed_error(p);
		if (error != NULL)
			copy.inputs[i].error = error;
	}
	r->cfg.events->on_stream_status(id, &copy, r->cfg.arg);
}

const char *reconciler_guided(size_t i, int *ret_ring, void *arg)
{
	const struct reconciler *r = arg;

	for (size_t k = 0; k < r->n; k++) {
		const char *id = stream_proc_id(r->streams[k]);

		if (mpts_is_feed(id) || i-- > 0)
			continue;
		*ret_ring = stream_proc_ring(r->streams[k]);
		return id;
	}
	return NULL;
}
