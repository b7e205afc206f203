/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps one configured input open: opens it, reads it, opens it again after an
 * error or a silence, and remembers why it does not work.
 *
 * The owner calls input_keeper_open() and input_keeper_read() at its ticks and
 * input_keeper_every_second() once a second; no call waits.
 *
 * After an error the input is opened again as worker/socket/retry.h says.  An
 * input that delivers nothing for the time of its option watchdog is closed
 * and opened again at once, and after twice that time the next time, up to
 * INPUT_WATCHDOG_MAX_S: a membership or a connection can end without an error.
 * An input that hangs in the kernel is not opened again until the kernel has
 * released it.  An input of several inputs (merge) has a keeper for each, and
 * stays open while all of them are closed.
 *
 * The log has one line for each change of the error, unless the keeper has no
 * label.  Owns the input and the ring descriptor of its specification.
 */
#pragma once

#include "worker/core/link_record.h"
#include "worker/input/input.h"
#include "worker/socket/retry.h"

enum {
	INPUT_WATCHDOG_MAX_S = 60,
	INPUT_LABEL_MAX = 32,
};

/* Embedded.  What each read touches stands in front. */
struct input_keeper {
	struct input *input; /* NULL while it is closed */
	uint64_t received_ns; /* the last packets, or the opening */
	unsigned patience_s; /* how long the watchdog waits; 0: as configured */
	unsigned opens; /* how many times it was opened */
	bool valid; /* the address was parsed */
	bool ended; /* a file without loop was read to its end */
	bool failed; /* the last opening or read */
	bool received; /* packets came; the owner clears it */
	bool linked; /* the ring is known, or none is needed */
	/* Not every packet counts for the watchdog: the owner calls
	 * input_keeper_note_packets(). */
	bool owner_notes;
	struct input *stuck; /* closed, and hangs (input_hangs()); or NULL */
	struct retry retry;
	struct errmsg error; /* why it is closed; "" when unknown or open */
	struct input_counters before; /* the part of the input's in `all` */
	struct link_record link;
	struct input_counters all;      /* since init */
	struct input_counters reported; /* `all` at the last second */
	char label[INPUT_LABEL_MAX]; /* in the log: "input 1"; "": no log */
	struct input_spec spec;
};

/* Parses the address; opens nothing.  label: NULL for no log. */
void input_keeper_init(struct input_keeper *, const char *label,
		       const char *address);

/* As input_keeper_init(), of an address that was parsed: spec is copied. */
void input_keeper_init_spec(struct input_keeper *, const char *label,
			    const struct input_spec *spec);

/* Allowed in every state after init. */
void input_keeper_done(struct input_keeper *);

/* Opens the input when it is closed and the time of the next try has come. */
void input_keeper_open(struct input_keeper *, uint64_t now_ns);

/* The input is not needed for now.  The error stays to be read. */
void input_keeper_close(struct input_keeper *, uint64_t now_ns);

/* The ring of another stream (fd is taken; -1: it has none any more), for an
 * input that reads it.  False: it reads another one, and fd is not taken. */
bool input_keeper_link(struct input_keeper *, const char *stream, int fd);

/* As input_read(), of an open input.  An error closes the input. */
int input_keeper_read(struct input_keeper *, struct batch *, uint64_t now_ns);

/* Packets that count for the watchdog arrived. */
void input_keeper_note_packets(struct input_keeper *, uint64_t now_ns);

/* Once a second: writes what was counted since the last call, also by an input
 * that was closed since.  May close the input. */
void input_keeper_every_second(struct input_keeper *, uint64_t now_ns,
			       struct input_counters *ret);

/* Counted since init, over all the times that it was open. */
void input_keeper_counters(const struct input_keeper *,
			   struct input_counters *ret);

/* False as well while it is opened again after an error and has delivered
 * nothing yet. */
bool input_keeper_is_open(const struct input_keeper *);

/* When to call input_keeper_open(); UINT64_MAX: never. */
uint64_t input_keeper_next_ns(const struct input_keeper *);

/* Why it does not work, or not in full; NULL: no error is known.  While it is
 * tried again this is the last error. */
const char *input_keeper_error(const struct input_keeper *);

/* What its protocol counted, and `more` of the owner, over all the times that
 * it was open; as link_record_report(). */
const json_t *input_keeper_stats(struct input_keeper *,
				 const struct link_stats *more);
