/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists of streams for clients of the play port: each waits until its
 * client is identified. */
#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "master/viewers/viewers_state.h"
#include "proto/ipc/msg_tables.h"

#include <stdlib.h>
#include <string.h>

struct list_question {
	LIST_ENTRY(list_question) link;
	struct viewers *owner;
	struct viewer_way *way; /* to the worker that asks */
	uint32_t seq;
	struct msg_deliver_playlist client; /* with texts of its own */
	struct viewer_guest *guest;
};

static void list_question_free(struct list_question *q)
{
	LIST_REMOVE(q, link);
	q->owner->n_lists--;
	viewer_guest_free(&q->guest);
	field_drop(&deliver_playlist_fields, &q->client);
	free(q);
}

static void send_page(struct viewer_way *way, uint32_t seq,
		      const struct msg_deliver_page *page,
		      const struct buf *text)
{
	struct msg m = { .type = MSG_DELIVER_PAGE, .seq = seq,
			 .deliver_page = *page };

	way->send_page(&m, text, way->arg);
}

static void on_ready(struct viewer_guest *guest, void *arg)
{
	struct msg_deliver_page page = { .status = 503, .type = "" };
	struct list_question *q = arg;
	const struct viewers *v = q->owner;
	struct buf text = { 0 };

	if (v->list != NULL)
		v->list(&q->client, guest, &text, &page, v->list_arg);
	send_page(q->way, q->seq, &page, &text);
	buf_done(&text);
	list_question_free(q);
}

void viewers_ask_list(struct viewers *v, struct viewer_way *way,
		      const struct msg_deliver_playlist *client, uint32_t seq)
{
	const struct buf none = { 0 };
	struct list_question *q;

	if (v->n_lists >= VIEWER_LISTS_MAX) {
		send_page(way, seq, &(struct msg_deliver_page){ 503, "" },
			  &none);
		return;
	}
	q = xcalloc(1, sizeof *q);
	q->owner = v;
	q->way = way;
	q->seq = seq;
	q->client = *client;
	field_keep(&deliver_playlist_fields, &q->client);
	q->guest = viewers_guest_new(v, q->client.query, q->client.peer,
				     on_ready, q);
	LIST_INSERT_HEAD(&v->lists, q, link);
	v->n_lists++;
}

void viewers_end_lists(struct viewers *v, const struct viewer_way *way)
{
	struct list_question *q, *next;

	for (q = LIST_FIRST(&v->lists); q != NULL; q = next) {
		next = LIST_NEXT(q, link);
		if (way == NULL || q->way == way)
			list_question_free(q);
	}
}
