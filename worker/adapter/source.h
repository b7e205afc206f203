/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an adapter receives its multiplex from: an address, a server, a device.
 *
 * A source opens, watches and retries what it receives; it has no end.  No call
 * waits.  The role reads it at every tick and writes the packets to the ring.
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
	int adapter;                  /* number of the adapter that has it */
	unsigned status;              /* enum fe_status */
	unsigned signal_raw, snr_raw; /* of the driver */
	int signal_db, snr_db;        /* 1/100 dBm, 1/100 dB; 0: unknown */
	uint64_t ber, unc;            /* errors of bits and blocks */
	bool ber_is_rate;             /* the driver does not count them */
};

/* The state of the last second.  Zero: unknown, or nothing was received. */
struct source_report {
	bool lock;         /* packets can be received, as far as is known */
	unsigned signal;   /* percent; 0: unknown */
	unsigned snr;      /* percent; 0: unknown */
	const char *error; /* why no packets are received; NULL: no error is
			    * known */
	uint64_t lost;     /* datagrams or packets lost before they were read,
			    * since source_open() */
	struct source_signal dvb;
	bool silent;       /* a watchdog stopped it, and it does not run yet */
	bool renew;        /* only a new process can help */
	unsigned tunes;    /* tunings that a driver accepted */
};

/* The functions of a kind of source.  free, read and every_second are not NULL.
 * For another one that is NULL, the function of the inner source is called, or
 * nothing happens: see the functions below. */
struct source_ops {
	void (*free)(struct source *);
	/* Passes the packets that wait, up to a bound, to the batch and flushes
	 * it.  Returns the number of reads that had packets. */
	int (*read)(struct source *, struct batch *, uint64_t now_ns);
	/* *ret is all zero. */
	void (*every_second)(struct source *, uint64_t now_ns,
			     struct source_report *ret);
	/* Reports the state between two seconds; the error is that of the last
	 * second.  *ret is all zero. */
	void (*look)(struct source *, struct source_report *ret);
	/* Receives another multiplex, as this adapter (borrowed for the life of
	 * the source) says; false: it cannot. */
	bool (*retune)(struct source *, const json_t *adapter);
	/* Gives the ring of the stream that it reads; fd is taken; -1: the
	 * stream has none.  False: it does not read this stream, and fd is not
	 * taken. */
	bool (*link)(struct source *, const char *stream, int fd);
	/* The stream `from' has the id `to' now; nothing if it reads another
	 * one. */
	void (*rename)(struct source *, const char *from, const char *to);
	/* Can packets wait for a few more milliseconds without a loss, and is
	 * none left after a read? */
	bool (*roomy)(const struct source *);
	/* The programs that are read (copied); all until the first call. */
	void (*choose)(struct source *, const struct msg_adapter_programs *);
};

/* The head of each kind's own struct. */
struct source {
	const struct source_ops *ops;
	struct source *inner;   /* its packets pass through this one; owned,
				 * or NULL */
	struct cam_source *cam; /* modules in slots of it; NULL: none */
};

/* Opens the source that an adapter of the configuration (borrowed for its life)
 * names; never NULL: a wrong key is the error of its reports. */
typedef struct source *source_open_fn(const json_t *adapter,
				      struct ev_loop *loop, uint64_t now_ns);

/* Opens the source that the keys of the adapter name: an address, a server or a
 * tuner. */
source_open_fn source_open;

/* Each calls the function of the source with this name, or that of the inner
 * source.  If neither has it: no report; no other tuning; no stream is read;
 * the source is not roomy; it receives all programs.  source_looks(): is there
 * a function `look'? */
bool source_looks(const struct source *);
void source_look(struct source *, struct source_report *ret);
bool source_retune(struct source *, const json_t *adapter);
bool source_link(struct source *, const char *stream, int fd);
void source_rename(struct source *, const char *from, const char *to);
/* False also for an adapter with slots, whose modules answer at the next
 * read. */
bool source_is_roomy(const struct source *);
void source_choose(struct source *, const struct msg_adapter_programs *);

/* The report as a message to the master; the rates of packets are zero. */
struct msg_adapter_status source_report_message(const struct source_report *);
