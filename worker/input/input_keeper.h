/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps one configured input open: opens it, reads it, opens it again after an
 * error or a silence, and keeps the error while it does not work.
 *
 * The owner calls input_keeper_open() and input_keeper_read() at its ticks and
 * input_keeper_every_second() once a second; no call waits.
 *
 * After an error the input is opened again as worker/socket/retry.h says.  An
 * input that delivers nothing for the time of its option watchdog is closed and
 * opened again at once, and after twice that time the next time, up to
 * INPUT_WATCHDOG_MAX_S: a membership or a connection can end without an error.
 * Of an rtp input only the sockets are opened again: it keeps its sequence.  An
 * input that hangs in the kernel is not opened again until the kernel has
 * released it.  An input of several inputs (merge) has a keeper for each, and
 * stays open while all of these are closed.  The watchdogs of these keepers
 * open them again.
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

/* Embedded.  The members that each read touches are the first ones. */
struct input_keeper {
	struct input *input; /* the open input; NULL while it is closed */
	uint64_t received_ns; /* time of the last packets, or of the opening */
	/* time-out of the watchdog in s after it has opened the input again;
	 * 0: the option watchdog */
	unsigned patience_s;
	unsigned opens; /* number of openings since init */
	bool valid; /* the address was parsed */
	bool ended; /* a file without loop was read to its end */
	bool failed; /* the last opening or read failed */
	bool received; /* packets arrived; the owner clears the flag */
	bool linked; /* the input has its ring, or needs none */
	/* The owner calls input_keeper_note_packets() for the packets that
	 * count for the watchdog; false: every packet counts. */
	bool owner_notes;
	struct input *stuck; /* a closed input that hangs in the kernel */
	struct retry retry;
	/* why the input is closed, or why the last attempt failed, until the
	 * input is ready or has packets; "": no error */
	struct errmsg error;
	/* counters of the open input that `all` already contains */
	struct input_counters before;
	struct link_record link;
	/* counters since init, over all openings */
	struct input_counters all;
	struct input_counters reported; /* value of `all` a second ago */
	/* name in the log ("input 1"); "": logs nothing */
	char label[INPUT_LABEL_MAX];
	/* which packets of spec are read, see input_choose() */
	struct program_choice choice;
	struct input_spec spec;
};

/* Parses the address; opens nothing.  label: NULL for no log. */
void input_keeper_init(struct input_keeper *, const char *label,
		       const char *address);

/* As input_keeper_init(), for an address that is already parsed: spec is
 * copied. */
void input_keeper_init_spec(struct input_keeper *, const char *label,
			    const struct input_spec *spec);

/* Closes the input and frees the memory of the keeper.  Allowed in every state
 * after init. */
void input_keeper_done(struct input_keeper *);

/* Opens the input when it is closed and the time of the next try has come. */
void input_keeper_open(struct input_keeper *, uint64_t now_ns);

/* Closes an input that is not needed for now.  input_keeper_error() still
 * returns its error. */
void input_keeper_close(struct input_keeper *, uint64_t now_ns);

/* Gives the ring of another stream to an input that reads it.  fd is taken; -1:
 * the stream has no ring now.  False: the input does not read this stream, and
 * fd is not taken. */
bool input_keeper_link(struct input_keeper *, const char *stream, int fd);

/* Call it when the stream `from', which the input may read, has got the id
 * `to'.  An open input stays open. */
void input_keeper_rename(struct input_keeper *, const char *from,
			 const char *to);

/* As input_choose(), for this opening and the next ones. */
void input_keeper_choose(struct input_keeper *, const struct program_choice *);

/* As input_skips(); also NULL while the input is closed. */
const struct ts_skips *input_keeper_skips(const struct input_keeper *);

/* As input_read(), for an open input.  An error closes the input, unless
 * input_reopens(). */
int input_keeper_read(struct input_keeper *, struct batch *, uint64_t now_ns);

/* Call it when packets that count for the watchdog have arrived. */
void input_keeper_note_packets(struct input_keeper *, uint64_t now_ns);

/* Once a second: writes the counts since the last call, including those of an
 * input that was closed meanwhile.  May close the input, and open it again. */
void input_keeper_every_second(struct input_keeper *, uint64_t now_ns,
			       struct input_counters *ret);

/* Writes the counts since init, over all openings. */
void input_keeper_counters(const struct input_keeper *,
			   struct input_counters *ret);

/* Is the input open without an error?  The error of an earlier attempt applies
 * until the input is ready (input_is_ready()) or has packets. */
bool input_keeper_is_open(const struct input_keeper *);

/* Time of the next input_keeper_open(); UINT64_MAX: no opening is needed. */
uint64_t input_keeper_next_ns(const struct input_keeper *);

/* The error of the input or of a part of it; NULL: no error is known.  During
 * another attempt to open it, the error of the last attempt. */
const char *input_keeper_error(const struct input_keeper *);

/* The counters of the input's protocol over all openings, with the owner's
 * counters `more`; the form is that of link_record_report(). */
const json_t *input_keeper_stats(struct input_keeper *,
				 const struct link_stats *more);
