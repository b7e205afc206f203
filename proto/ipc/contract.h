/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The arguments, descriptors and environment variables that a worker gets from
 * the master, and the limits of its channel.
 *
 *	argv     sluice-worker ROLE OBJECT
 *	fd 0     /dev/null
 *	fd 1, 2  the master's stderr, for errors without a channel
 *	fd 3     the worker's end of the SOCK_SEQPACKET channel
 *	FDSTORE  set in the environment: the worker outlives its master
 *
 * The environment also has the variables below.  Everything else comes in
 * messages.  A worker whose channel closes ends.
 */
#pragma once

/* Set in the environment of a worker that logs at level debug. */
#define WORKER_DEBUG_VARIABLE "SLUICE_DEBUG"

/* The folders of the configuration and of the state, each in a line.  A worker
 * never records into them, and reads from them only files that an address
 * names. */
#define WORKER_PRIVATE_VARIABLE "SLUICE_PRIVATE"
/* The path of the file with the private key of TLS.  A worker never reads this
 * file as an input; only the tls worker gets it, as a descriptor. */
#define WORKER_KEY_VARIABLE "SLUICE_KEY"
/* The folders in which streams record, each in a line.  An input with a list of
 * files plays no files from them, except from the folder that its own address
 * names or in which its own stream records. */
#define WORKER_RECORDINGS_VARIABLE "SLUICE_RECORDINGS"

/* A time of CLOCK_MONOTONIC in milliseconds.  Before this time the worker does
 * not ask for a successor (WORKER_EXIT_RENEW). */
#define WORKER_RENEW_VARIABLE "SLUICE_RENEW_MS"

enum {
	WORKER_CHANNEL_FD = 3,

	/* Exit code of a worker that asks for a successor: a file that it must
	 * read (such as /etc/resolv.conf) was created or replaced after its
	 * start, and its sandbox does not allow this new file. */
	WORKER_EXIT_RENEW = 101,

	/* The most folders in WORKER_RECORDINGS_VARIABLE, and the most bytes of
	 * its value.  With more the value is "/", which stands for all
	 * folders. */
	WORKER_RECORDINGS_MAX = 64,
	WORKER_RECORDINGS_BYTES_MAX = 16384,

	MSG_SIZE_MAX = 65536,
	MSG_FDS_MAX = 4,

	/* The memory that the master keeps for the successive workers of a
	 * stream; only the workers know its layout.  It begins with the state
	 * of the pipeline.  Behind it are up to 32 queues of outputs that pace
	 * their packets themselves.  Each queue has room for the longest queue
	 * of cbr (16 MiB) twice, and 1 MiB more.  Pages that were never written
	 * use no memory. */
	STREAM_MEMORY_STATE = 500 * 1024,
	STREAM_MEMORY_QUEUES_AT = 512 * 1024,
	STREAM_MEMORY_QUEUE = 33 * 1024 * 1024,
	STREAM_MEMORY_SIZE = STREAM_MEMORY_QUEUES_AT + 32 * STREAM_MEMORY_QUEUE,
	/* When the stream is stopped, the first so many bytes of that memory
	 * are kept, and the master frees the pages behind them. */
	STREAM_MEMORY_LASTING = 360 * 1024,

	/* After so many bad messages from a worker the master kills it. */
	CHANNEL_STRIKES = 3,
	/* More messages or more bytes in a second count as a flood. */
	CHANNEL_FLOOD = 2000,
	CHANNEL_FLOOD_BYTES = 8 * 1024 * 1024,
	/* The processor time that the messages of a worker may cost the master:
	 * PERCENT of a processor on average.  Unused time is saved up to
	 * SAVED_MS.  A worker that exceeds this for OWED_MS floods. */
	CHANNEL_COST_PERCENT = 3,
	CHANNEL_COST_SAVED_MS = 100,
	CHANNEL_COST_OWED_MS = 3000,
	/* Each message of the master with a seq, except deliver.answer, adds
	 * REPLY_MS to the time that the messages of the worker may cost: the
	 * reply may be long.  The sum is at most REPLIES_MS. */
	CHANNEL_COST_REPLY_MS = 10,
	CHANNEL_COST_REPLIES_MS = 1000,
	/* Each answer to a question of a worker (deliver.ask) adds so much
	 * time, which the question has used.  So 1,000 questions in a second
	 * may take 10 % of a processor; CHANNEL_FLOOD bounds their number. */
	CHANNEL_COST_ANSWER_US = 100,
};
