/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends clients a still picture of a stream: asks the master once for a
 * picture, and sends it to all clients for some seconds.
 *
 * Owns copies of the pictures, at most PICTURES_MAX; borrows the connections
 * that wait.
 */
#pragma once

#include "proto/ipc/msg.h"

#include <stdbool.h>
#include <stdint.h>

struct pictures;
struct viewer_conn;

enum {
	PICTURES_MAX = 128,
	PICTURE_FRESH_MS = 5000, /* a picture or an error is sent to clients
				  * for this time */
	PICTURE_WAIT_MS = 12000, /* longest wait for an answer of the master */
};

struct pictures *pictures_new(int (*send)(const struct msg *, void *arg),
			      void *arg);
/* NULL-safe; sets *p to NULL.  No connection may wait. */
void pictures_free(struct pictures **);

/* Writes the path of the stream for the path of its picture: "/play/a001" for
 * "/play/a001.jpg", at most size bytes.  False: it is no path of a picture. */
bool picture_path(const char *path, char *ret, size_t size);

/* Answers the request of the connection now, or when the master has sent the
 * picture. */
void pictures_answer(struct pictures *, struct viewer_conn *,
		     const char *stream);
/* Call it when the connection ends: its request does not wait any longer. */
void pictures_forget(struct viewer_conn *);

/* Takes the reply of the master to the question with the number seq; fd (taken;
 * -1: none) has the picture. */
void pictures_take(struct pictures *, const struct msg_picture_result *,
		   uint32_t seq, int fd);
/* Call it for a new master: asks it for the pictures that the previous master
 * was asked for and has not sent. */
void pictures_renew(struct pictures *);
/* Answers the requests that have waited PICTURE_WAIT_MS with an error. */
void pictures_every_second(struct pictures *);
