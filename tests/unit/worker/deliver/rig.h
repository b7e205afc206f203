/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Viewers on real sockets, a writer, and deliver between them, in one loop of
 * one thread: no result depends on scheduling. */
#pragma once

#include "common/base/ring.h"
#include "worker/deliver/deliver.h"

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RIG_TICK_MS = 4,
	RIG_PATIENCE_MS = 30000, /* then a test has failed */
	RIG_NEVER_MS = 3600 * 1000,
};

#define RIG_ADDRESS "127.0.0.1:0"

struct rig {
	struct ev_loop *loop;
	ev_timer pulse; /* ev_run() never sleeps for long */
	struct deliver *deliver;
	int ring_fd;
	struct ring_writer *writer;
	uint16_t port;
};

/* A mounted ring of size bytes at /a of a listener on a free port.  Only the
 * configured time-outs are short, so a slow machine fails no test. */
void rig_init(struct rig *, size_t ring_size);
void rig_init_with(struct rig *, size_t ring_size,
		   const struct deliver_config *);
void rig_done(struct rig *);
/* A path of the listener. */
struct msg_deliver_mount rig_name(const char *path, const char *stream);
/* The ring at this path. */
void rig_mount(struct rig *, const struct msg_deliver_mount *);
/* A listening socket on a free port. */
int rig_listener(uint16_t *ret_port);
/* Closes the listener. */
void rig_unlisten(struct rig *);
/* Mounts the ring again, as after a restart of deliver. */
void rig_remount(struct rig *);

/* Writes packets that contain their position. */
void rig_write(struct rig *, size_t n_packets);
void rig_mark(struct rig *);

/* Runs the loop for about ms, and until a tick after that. */
void rig_turn(struct rig *, unsigned ms);

/* Runs the loop until done(arg); fails the test after a time-out. */
void rig_until(struct rig *, bool (*done)(void *arg), void *arg);

/* A connection to the listener; non-blocking. */
int rig_connect(struct rig *);
int rig_request(struct rig *, const char *text);
/* A viewer of /a that has read its head, which has the status 200. */
int rig_join(struct rig *);

/* Reads exactly len bytes, or fails the test. */
void rig_read(struct rig *, int fd, void *data, size_t len);

/* Reads a response head with its last empty line into text of size. */
void rig_read_head(struct rig *, int fd, char *text, size_t size);

/* Reads a response head, which has this status. */
void rig_expect_status(struct rig *, int fd, unsigned status);

/* Reads n packets and checks that they are those from *pos on. */
void rig_read_packets(struct rig *, int fd, uint64_t *pos, size_t n);

/* Reads until the end and checks every whole packet from *pos on; 0 for a close
 * or -errno. */
int rig_read_to_end(struct rig *, int fd, uint64_t *pos);

/* Waits until deliver has n viewers. */
void rig_await_viewers(struct rig *, uint32_t n);
