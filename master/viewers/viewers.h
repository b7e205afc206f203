/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Answers the questions of the workers whether a viewer may watch, and knows
 * the viewers that watch.
 *
 * The rules are those of viewer_rules.h.  A password is checked by the auth
 * worker, and what the rules leave open by the backend; both take time, and
 * nothing waits for them but the viewer.  A user has at most conlimit viewers:
 * with auth.conlimit_mode "oldest" a new one ends the oldest, otherwise the new
 * one is denied.
 *
 * After a change of the configuration the workers ask again about the viewers
 * that it concerns.
 *
 * Several deliver workers may share the viewers.  Then they ask about every
 * one, and viewers_per_address is judged here, over all of them.  A client of
 * HLS that several of them serve is one session.
 *
 * Owns the open questions; borrows the loop, the configuration, the gate and
 * the workers.
 */
#pragma once

#include "common/base/util.h"
#include "master/viewers/viewer_guest.h"
#include "proto/ipc/msg.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct backend_proc;
struct buf;
struct config;
struct ev_loop;
struct gate;
struct viewers;

struct viewers_config {
	struct ev_loop *loop;
	struct config *config;
	struct gate *gate;
	struct backend_proc *backend;
	/* Viewers came and left; may be NULL. */
	void (*on_changes)(const struct msg_deliver_changes *, void *arg);
	void *arg;
};

struct viewers *viewers_new(const struct viewers_config *);
/* NULL-safe; sets *v to NULL. */
void viewers_free(struct viewers **);

/* --- the workers --- */

/* The way to a worker that has viewers.  Embedded in its owner, which sets the
 * first five members.  The messages are deliver.policy, deliver.answer,
 * deliver.review and deliver.kick. */
struct viewer_way {
	/* without a worker the message is dropped */
	void (*send)(const struct msg *, void *arg);
	/* a deliver.page, with its text */
	void (*send_page)(const struct msg *, const struct buf *text,
			  void *arg);
	/* ... with its memory, borrowed */
	void (*send_memory)(const struct msg *, int fd, void *arg);
	void *arg;
	bool shared; /* other workers may have viewers of the same addresses */
	size_t max;  /* viewers that the worker may have; 0: any number */

	bool up;
	LIST_ENTRY(viewer_way) link; /* of those that are up */
	LIST_HEAD(, viewer_entry) viewers;
	size_t n; /* viewers */
};

struct viewers_limit {
	unsigned per_address; /* viewers of an address in the shared workers;
			       * 0: any number */
	uint64_t seed; /* of the keys of sessions, as of the last master */
};

/* Before the first worker is up. */
void viewers_set_limit(struct viewers *, const struct viewers_limit *);
/* Sends deliver.policy: the worker has started, or was adopted.  This and the
 * next one are NULL-safe. */
void viewers_up(struct viewers *, struct viewer_way *);
/* The worker has ended, and so have its viewers. */
void viewers_down(struct viewers *, struct viewer_way *);

/* From a worker that is up.  The answer is sent inside or later. */
void viewers_ask(struct viewers *, struct viewer_way *,
		 const struct msg_deliver_ask *, uint32_t seq);
void viewers_report(struct viewers *, struct viewer_way *,
		    const struct msg_deliver_changes *);
/* Gives the viewers in a page of a worker's list the players of the present
 * hls_group.  NULL-safe. */
void viewers_see(struct viewers *, const struct viewer_way *,
		 const struct msg_deliver_sessions *);
/* From a worker that is up: asks for the list of streams for a client of the
 * play port.  The page is sent inside, or when its password was checked. */
void viewers_ask_list(struct viewers *, struct viewer_way *,
		      const struct msg_deliver_playlist *, uint32_t seq);

struct list_question;

/* Answers the question of this guest, inside or later. */
typedef void viewers_list_fn(struct list_question *, struct viewer_guest *,
			     void *arg);

const struct msg_deliver_playlist *
list_question_client(const struct list_question *);
/* Each of these two ends the question. */
void list_question_answer(struct list_question *,
			  const struct msg_deliver_page *,
			  const struct buf *text);
/* fd (borrowed): memory with page->len bytes. */
void list_question_answer_memory(struct list_question *,
				 const struct msg_deliver_page *, int fd);
/* The answer follows.  cancel: no answer is wanted any more. */
void list_question_wait(struct list_question *, void (*cancel)(void *arg),
			void *arg);

/* The writer of the lists; NULL: none.  NULL-safe. */
void viewers_set_lists(struct viewers *, viewers_list_fn *, void *arg);

/* The session that the client belongs to: the client, or another number of the
 * same viewer. */
uint64_t viewers_session(const struct viewers *, uint64_t client);
/* How often the workers count a viewer of this mount (its number) more
 * than once. */
unsigned viewers_surplus(const struct viewers *, uint64_t mount);
/* Ends a session in all workers, and those of its player with the other
 * variants; false: it is unknown. */
bool viewers_close(struct viewers *, uint64_t session);

/* --- previews --- */

enum {
	VIEWER_PREVIEW_TOKEN = 8 + 64 + 1,
	VIEWER_PREVIEWS_MAX = 4, /* of a login at the same time */
};

/* The token with which a user of the web interface may watch every stream, and
 * which only the workers get; it ends with the process, the account and the
 * password.  Previews do not count for conlimit.  False: the user may not.
 * NULL-safe. */
bool viewers_preview_token(struct viewers *, const char *login,
			   char ret[VIEWER_PREVIEW_TOKEN]);
/* The login of such a token, borrowed until the next call of these two, or
 * NULL.  Only the newest 256 tokens are known. */
const char *viewers_preview_login(struct viewers *, const char *token);

/* --- the configuration --- */

/* `auth` or users have changed.  This and the next two are NULL-safe. */
void viewers_changed(struct viewers *);
/* The entry of one user has changed. */
void viewers_user_changed(struct viewers *, const char *login);
/* The groups of streams, or their hls_group, have changed. */
void viewers_groups_changed(struct viewers *);

/* Why the backend does not decide, for an alarm, and what follows from the
 * present policy.  False: it decides, or there is none. */
bool viewers_backend_error(const struct viewers *, struct errmsg *ret);

/* --- playlists --- */

/* Identifies somebody who asks for a list of the streams; see viewer_guest.h.
 * It must be freed before the viewers. */
struct viewer_guest *viewers_guest_new(struct viewers *, const char *query,
				       const char *peer,
				       viewer_guest_ready_fn *ready,
				       void *arg);
