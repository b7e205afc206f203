/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests of clients of the play port for lists of streams.  Each request
 * waits until its client is identified. */
#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "master/viewers/viewers_state.h"
#include "proto/ipc/msg_tables.h"

#include <stdlib.h>
#include <string.h>

struct list_question {
	LIST_ENTRY(list_question) link;
	struct viewers *owner;
	struct viewer_way *way; /* the worker that asks */
	uint32_t seq;
	struct msg_deliver_playlist client; /* owns its texts */
	struct viewer_guest *guest;
	void (*cancel)(void *arg); /* NULL: no answer is being prepared */
	void *cancel_arg;
};

static void list_question_free(struct list_question *q)
{
	LIST_REMOVE(q, link);
	q->owner->n_lists--;
	viewer_guest_free(&q->guest);
	field_drop(&deliver_playlist_fields, &q->client);
	free(q);
}

/* Answers that the list is not available now (503), without a text. */
static void send_busy(struct viewer_way *way, uint32_t seq)
{
	const struct msg m = { .type = MSG_DELIVER_PAGE, .seq = seq,
			       .deliver_page = MSG_NO_PAGE(503) };
	const struct buf none = { 0 };

	way->send_page(&m, &none, way->arg);
}

static void on_ready(struct viewer_guest *guest, void *arg)
{
	struct list_question *q = arg;
	const struct viewers *v = q->owner;

	if (v->list != NULL) {
		v->list(q, guest, v->list_arg);
		return;
	}
	send_busy(q->way, q->seq);
	list_question_free(q);
}

const struct msg_deliver_playlist *
list_question_client(const struct list_question *q)
{
	return &q->client;
}

void list_question_answer(struct list_question *q,
			  const struct msg_deliver_page *page,
			  const struct buf *text)
{
	const struct msg m = { .type = MSG_DELIVER_PAGE, .seq = q->seq,
			       .deliver_page = *page };

	q->way->send_page(&m, text, q->way->arg);
	list_question_free(q);
}

void list_question_answer_memory(struct list_question *q,
				 const struct msg_deliver_page *page, int fd)
{
	const struct msg m = { .type = MSG_DELIVER_PAGE, .seq = q->seq,
			       .deliver_page = *page };

	q->way->send_memory(&m, fd, q->way->arg);
	list_question_free(q);
}

void list_question_wait(struct list_question *q, void (*cancel)(void *arg),
			void *arg)
{
	q->cancel = cancel;
	q->cancel_arg = arg;
}

void viewers_ask_list(struct viewers *v, struct viewer_way *way,
		      const struct msg_deliver_playlist *client, uint32_t seq)
{
	struct list_question *q;

	if (v->n_lists >= VIEWER_LISTS_MAX) {
		send_busy(way, seq);
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
		if (way != NULL && q->way != way)
			continue;
		if (q->cancel != NULL)
			q->cancel(q->cancel_arg);
		list_question_free(q);
	}
}
