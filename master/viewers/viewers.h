/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Answers the questions of workers whether a viewer may watch, and lists the
 * viewers that watch.
 *
 * The rules are in viewer_rules.h.  The auth worker checks passwords, and the
 * backend decides if the rules do not.  Both take time; meanwhile only the
 * viewer concerned waits.  A user has at most conlimit viewers.  With
 * auth.conlimit_mode "oldest" a new viewer above this limit ends the oldest
 * one; otherwise the new viewer is denied.
 *
 * After a change of the configuration, the workers ask again about the viewers
 * that it concerns.
 *
 * Several deliver workers may share the viewers.  Then they ask about every
 * viewer, and viewers_per_address is judged here, over all workers.  A client
 * of HLS that several workers serve is one session.
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
	/* Viewers came or left.  The member may be NULL. */
	void (*on_changes)(const struct msg_deliver_changes *, void *arg);
	void *arg;
};

struct viewers *viewers_new(const struct viewers_config *);
/* NULL-safe; sets *v to NULL. */
void viewers_free(struct viewers **);

/* --- the workers --- */

/* The connection to a worker that has viewers.  Embedded in its owner, which
 * sets the members up to max.  The messages are deliver.policy, deliver.answer,
 * deliver.review and deliver.kick. */
struct viewer_way {
	/* Sends a message; drops it if no worker runs. */
	void (*send)(const struct msg *, void *arg);
	/* Sends a deliver.page with its text. */
	void (*send_page)(const struct msg *, const struct buf *text,
			  void *arg);
	/* Sends a deliver.page with memory that has the text, borrowed. */
	void (*send_memory)(const struct msg *, int fd, void *arg);
	void *arg;
	bool shared; /* other workers may have viewers of the same address */
	size_t max;  /* greatest number of viewers of the worker; 0: any */

	bool up; /* the worker runs: viewers_up() was called */
	LIST_ENTRY(viewer_way) link; /* in the list of workers that run */
	LIST_HEAD(, viewer_entry) viewers;
	size_t n; /* length of the list `viewers' */
};

struct viewers_limit {
	/* greatest number of viewers of one address in all shared workers
	 * together; 0: any number */
	unsigned per_address;
	/* seed of the keys of sessions; the previous master had the same */
	uint64_t seed;
};

/* Sets the limits.  Call it before the first viewers_up(). */
void viewers_set_limit(struct viewers *, const struct viewers_limit *);
/* The worker has started or was adopted: sends it deliver.policy.  This and the
 * next function are NULL-safe. */
void viewers_up(struct viewers *, struct viewer_way *);
/* The worker has ended: its viewers have left, its questions are dropped. */
void viewers_down(struct viewers *, struct viewer_way *);

/* Takes a question of a running worker whether a viewer may watch.  Sends the
 * answer, with this seq, at once or later. */
void viewers_ask(struct viewers *, struct viewer_way *,
		 const struct msg_deliver_ask *, uint32_t seq);
void viewers_report(struct viewers *, struct viewer_way *,
		    const struct msg_deliver_changes *);
/* Takes a page of a worker's list: updates the players of its viewers, because
 * hls_group may have changed.  NULL-safe. */
void viewers_see(struct viewers *, const struct viewer_way *,
		 const struct msg_deliver_sessions *);
/* Takes the request of a running worker for the list of streams, for a client
 * of the play port.  The page is sent later, when the password of the client,
 * if any, was checked; at once with 503 if too many requests wait. */
void viewers_ask_list(struct viewers *, struct viewer_way *,
		      const struct msg_deliver_playlist *, uint32_t seq);

struct list_question;

/* Answers the request of this guest for a list, at once or later. */
typedef void viewers_list_fn(struct list_question *, struct viewer_guest *,
			     void *arg);

const struct msg_deliver_playlist *
list_question_client(const struct list_question *);
/* Answers a request with a page and its text, and frees the request. */
void list_question_answer(struct list_question *,
			  const struct msg_deliver_page *,
			  const struct buf *text);
/* Answers a request with a page, whose text is in memory (fd, borrowed;
 * page->len bytes), and frees the request. */
void list_question_answer_memory(struct list_question *,
				 const struct msg_deliver_page *, int fd);
/* Postpones the answer.  cancel is called if no answer is wanted any more. */
void list_question_wait(struct list_question *, void (*cancel)(void *arg),
			void *arg);

/* Sets the function that answers requests for lists; NULL: none.  NULL-safe. */
void viewers_set_lists(struct viewers *, viewers_list_fn *, void *arg);

/* Returns the session of a client: its own number, or that of another client of
 * the same viewer. */
uint64_t viewers_session(const struct viewers *, uint64_t client);
/* Returns by how much the viewers that the workers count for this mount (its
 * number) exceed the real number, because several workers count the same
 * viewer. */
unsigned viewers_surplus(const struct viewers *, uint64_t mount);
/* Ends a session in all workers, and the sessions of its player with other
 * variants; false: it is unknown. */
bool viewers_close(struct viewers *, uint64_t session);

/* --- previews --- */

enum {
	VIEWER_PREVIEW_TOKEN = 8 + 64 + 1,
	VIEWER_PREVIEWS_MAX = 4, /* previews of a login at the same time */
};

/* Makes the token with which a user of the web interface may watch every
 * stream.  Only the workers get the token, not the page.  It is valid until
 * this process ends, or the account or its password changes.  Previews do not
 * count for conlimit.  False: the user may not watch.  NULL-safe. */
bool viewers_preview_token(struct viewers *, const char *login,
			   char ret[VIEWER_PREVIEW_TOKEN]);
/* Returns the login of a token of viewers_preview_token(); NULL: the token is
 * not valid.  The login is borrowed until the next call of this function or of
 * viewers_preview_token().  Only the newest 256 tokens are known. */
const char *viewers_preview_login(struct viewers *, const char *token);

/* --- the configuration --- */

/* The section `auth' or users have changed: sends the workers the new policy,
 * and, if the rules are enabled, has them ask again about all viewers.  This
 * and the next two functions are NULL-safe. */
void viewers_changed(struct viewers *);
/* The entry of one user has changed: has the workers ask again about the
 * viewers of this login, if the rules are enabled. */
void viewers_user_changed(struct viewers *, const char *login);
/* The groups of streams, or their hls_group, have changed: has the workers ask
 * again about all viewers, if the rules are enabled. */
void viewers_groups_changed(struct viewers *);

/* True: the backend gives no decision; ret is a sentence for an alarm, with the
 * reason, and whether new viewers are allowed or denied meanwhile.  False: the
 * backend decides, or there is none. */
bool viewers_backend_error(const struct viewers *, struct errmsg *ret);

/* --- playlists --- */

/* Identifies a client that requests a list of streams; see viewer_guest.h.
 * Free the guest before the viewers. */
struct viewer_guest *viewers_guest_new(struct viewers *, const char *query,
				       const char *peer,
				       viewer_guest_ready_fn *ready,
				       void *arg);
