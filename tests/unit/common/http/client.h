/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For the tests of servers: clients over loopback, and a loop that runs until a
 * condition is true.  All in one process, one thread.
 */
#pragma once

#include "common/base/buf.h"

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct client {
	struct ev_loop *loop;
	int fd;
	struct buf in;
	bool eof;
	int error; /* errno of the last recv */
};

/* Connects to the socket of a listener. */
struct client client_open(struct ev_loop *, int listener);
void client_close(struct client *);

/* Closes with RST. */
void client_reset(struct client *);

/* Sends the whole text, running the loop when the socket is full.  False: the
 * server closed. */
bool client_send(struct client *, const void *data, size_t len);
bool client_say(struct client *, const char *text);

/* Until text is in the received data (true), or the end of the stream. */
bool client_expect(struct client *, const char *text);

/* Until len bytes came (true), or the end of the stream. */
bool client_want(struct client *, size_t len);

/* Until the server closes; false: it reset the connection. */
bool client_expect_end(struct client *);

/* Has the server closed by now? */
bool client_has_ended(struct client *);

/* The received data, terminated. */
const char *client_text(struct client *);

/* Was text received? (Up to the first NUL of the data.) */
bool client_has(struct client *, const char *text);

/* Runs the loop until done(arg); fails the test after twenty
 * seconds. */
void drive(struct ev_loop *, bool (*done)(void *arg), void *arg);

/* Runs the loop for some milliseconds; how often it woke up. */
unsigned drive_for(struct ev_loop *, unsigned ms);
