/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests of clients: which mount they want, whether they may have it, and
 * how they become viewers. */
#pragma once

struct deliver;
struct http_request;
struct mount;
struct msg_deliver_answer;
struct viewer_conn;

/* Takes a request, as viewer_conn_events.on_request; arg is the struct
 * deliver. */
void visit_request(struct viewer_conn *, const struct http_request *,
		   void *arg);

/* Call it before mount_rename().  Sets the id of the mount's stream in the HLS
 * sessions of the mount, and in its requests that wait for a permission. */
void visit_rename(struct deliver *, struct mount *, const char *stream);

/* Judges the viewers of this mount again, and the requests that wait for it,
 * because its settings have changed. */
void visit_again(struct deliver *, struct mount *);

/* Asks a new master for the lists that requests wait for. */
void visit_lists_again(struct deliver *);

/* Serves the request of the connection, or refuses it.  hls_sessions.h calls it
 * when the judgement is known. */
void visit_serve_hls(struct viewer_conn *, const char *stream);
void visit_refuse(struct viewer_conn *, const struct msg_deliver_answer *);
/* The reload_ms of hls_sessions.h. */
unsigned visit_reload_ms(struct mount *);
