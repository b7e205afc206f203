/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The arguments, descriptors and environment that a worker gets from the
 * master.
 *
 *	argv     sluice-worker ROLE OBJECT
 *	fd 0     /dev/null
 *	fd 1, 2  the master's stderr, for errors without a channel
 *	fd 3     the worker's end of the SOCK_SEQPACKET channel
 *	FDSTORE  set in the environment: the worker outlives its master
 *
 * Everything else comes in messages.  A worker whose channel closes ends.
 */
#pragma once

/* In the environment of a worker that logs at level debug. */
#define WORKER_DEBUG_VARIABLE "SLUICE_DEBUG"

/* The folders of the configuration and of the state, one a line: a worker never
 * records there, and reads there only the files that an address names. */
#define WORKER_PRIVATE_VARIABLE "SLUICE_PRIVATE"
/* The file of the private key, which only the tls worker gets, as a
 * descriptor. */
#define WORKER_KEY_VARIABLE "SLUICE_KEY"
/* The folders in which streams record, one a line: a list of files plays
 * nothing there, unless the folder is its own or its stream records there. */
#define WORKER_RECORDINGS_VARIABLE "SLUICE_RECORDINGS"

/* A monotonic time in milliseconds: the worker does not ask for a successor
 * (WORKER_EXIT_RENEW) before. */
#define WORKER_RENEW_VARIABLE "SLUICE_RENEW_MS"

enum {
	WORKER_CHANNEL_FD = 3,

	/* Exit code of a worker that asks for a successor, because a file of
	 * the configuration is new and its sandbox has no rule for it. */
	WORKER_EXIT_RENEW = 101,

	/* The most folders in WORKER_RECORDINGS_VARIABLE, and their bytes;
	 * with more its value is "/". */
	WORKER_RECORDINGS_MAX = 64,
	WORKER_RECORDINGS_BYTES_MAX = 16384,

	MSG_SIZE_MAX = 65536,
	MSG_FDS_MAX = 4,

	/* The memory that the master keeps for the successive workers of a
	 * stream; only the workers know its layout.  It begins with their
	 * state, and ends with the queues of outputs with their own pace: with
	 * cbr the longest queue (16 MiB) twice, and 1 MiB.  Pages without
	 * content take no memory. */
	STREAM_MEMORY_STATE = 500 * 1024,
	STREAM_MEMORY_QUEUES_AT = 512 * 1024,
	STREAM_MEMORY_QUEUE = 33 * 1024 * 1024,
	STREAM_MEMORY_SIZE = STREAM_MEMORY_QUEUES_AT + 32 * STREAM_MEMORY_QUEUE,
	/* The first bytes of that memory stay when no worker of the stream is
	 * wanted any more; the master frees those behind them. */
	STREAM_MEMORY_LASTING = 360 * 1024,

	/* Bad messages from a worker before it is killed. */
	CHANNEL_STRIKES = 3,
	/* Messages and bytes in a second that count as a flood. */
	CHANNEL_FLOOD = 2000,
	CHANNEL_FLOOD_BYTES = 8 * 1024 * 1024,
	/* What the messages of a worker may cost the master, on average: this
	 * part of the time of a processor; what it may save up; and how long
	 * it may ask for more until that counts as a flood, too. */
	CHANNEL_COST_PERCENT = 3,
	CHANNEL_COST_SAVED_MS = 100,
	CHANNEL_COST_OWED_MS = 3000,
	/* A request of the master allows its reply to cost so much more, and
	 * all replies that it waits for at most so much. */
	CHANNEL_COST_REPLY_MS = 10,
	CHANNEL_COST_REPLIES_MS = 1000,
	/* The answer to a question of a worker (deliver.ask) pays for that
	 * question: 1,000 in a second take 10 % of a processor at most, and
	 * CHANNEL_FLOOD bounds them. */
	CHANNEL_COST_ANSWER_US = 100,
};
