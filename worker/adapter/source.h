/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The source of an adapter: an address, a SAT>IP server or a tuner.
 *
 * A source opens its socket or device, watches it and opens it again after a
 * fault; it never ends.  No call waits, except `free'.  The role reads the
 * source at every tick and writes the packets to the ring.
 */
#pragma once

#include "proto/ipc/msg.h"
#include "worker/ts/batch.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct cam_source;
struct ev_loop;
struct source;

/* What the driver of a tuner reports. */
struct source_signal {
	bool taken;                   /* the frontend is open */
	/* number of the adapter that the frontend belongs to */
	int adapter;
	unsigned status;              /* enum fe_status */
	unsigned signal_raw, snr_raw; /* as the driver reports them */
	int signal_db, snr_db;        /* 1/100 dBm, 1/100 dB; 0: unknown */
	uint64_t ber, unc;            /* errors of bits, errors of blocks */
	bool ber_is_rate;             /* ber is not a counter */
};

/* The state in the last second.  Zero: unknown, or nothing was received. */
struct source_report {
	bool lock;         /* packets can be received, as far as is known */
	unsigned signal;   /* percent; 0: unknown */
	unsigned snr;      /* percent; 0: unknown */
	const char *error; /* why packets are not received, or not as
			    * configured; NULL: no error is known */
	uint64_t lost;     /* datagrams or packets lost before they were read,
			    * since source_open() */
	struct source_signal dvb;
	bool silent;       /* a watchdog step stopped reception, and has not
			    * ended yet */
	bool renew;        /* a fault that only a new process can clear */
	unsigned tunes;    /* number of tunings that the driver accepted */
};

/* The functions of a kind of source.  free, read and every_second are not NULL.
 * For any other function that is NULL, source_look() to source_choose() call
 * that of the inner source, if there is one. */
struct source_ops {
	void (*free)(struct source *);
	/* Passes the packets that wait, up to a limit, to the batch and flushes
	 * it.  Returns the number of reads that returned packets. */
	int (*read)(struct source *, struct batch *, uint64_t now_ns);
	/* Fills the report of the last second; *ret is zero before. */
	void (*every_second)(struct source *, uint64_t now_ns,
			     struct source_report *ret);
	/* Fills the report between two calls of every_second; its error is that
	 * of the last second.  *ret is zero before. */
	void (*look)(struct source *, struct source_report *ret);
	/* Receives another multiplex, that of this adapter configuration
	 * (borrowed for the life of the source); false: impossible. */
	bool (*retune)(struct source *, const json_t *adapter);
	/* Gives the source the ring of the stream that it reads.  It owns fd
	 * then; -1: the stream has no ring.  False: the source does not read
	 * this stream, and the caller keeps fd. */
	bool (*link)(struct source *, const char *stream, int fd);
	/* The stream `from' has the id `to' now.  No effect if the source reads
	 * another stream. */
	void (*rename)(struct source *, const char *from, const char *to);
	/* Can packets wait for some more milliseconds without a loss, and has
	 * the last read left no packets? */
	bool (*roomy)(const struct source *);
	/* Sets the programs that streams read (copied); before the first call,
	 * all programs. */
	void (*choose)(struct source *, const struct msg_adapter_programs *);
};

/* First member of the struct of each kind of source. */
struct source {
	const struct source_ops *ops;
	struct source *inner;   /* source whose packets this source reads and
				 * passes on; owned; NULL: none */
	struct cam_source *cam; /* CAMs in the source's slots; NULL: none */
};

/* Opens the source that an adapter configuration (borrowed for the life of the
 * source) names.  Never NULL: a wrong key becomes the error of the reports. */
typedef struct source *source_open_fn(const json_t *adapter,
				      struct ev_loop *loop, uint64_t now_ns);

/* Opens the source that the keys of the adapter name: an address, a server or a
 * tuner. */
source_open_fn source_open;

/* Each calls the function of this name of the source, or of its inner source.
 * If neither has it: source_look() reports nothing, source_retune(),
 * source_link() and source_is_roomy() return false, and the source receives all
 * programs.  source_looks(): has the innermost source a function `look'? */
bool source_looks(const struct source *);
void source_look(struct source *, struct source_report *ret);
bool source_retune(struct source *, const json_t *adapter);
bool source_link(struct source *, const char *stream, int fd);
void source_rename(struct source *, const char *from, const char *to);
/* Also false if the source has slots, because replies of modules are read at
 * the next tick. */
bool source_is_roomy(const struct source *);
void source_choose(struct source *, const struct msg_adapter_programs *);

/* The report as a message to the master; on_air and the bitrate are zero. */
struct msg_adapter_status source_report_message(const struct source_report *);
