/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The message catalogue: every word that passes between master and workers.
 *
 * On the wire: {"type":"stream.start","seq":7,"body":{…}}, one JSON object per
 * SEQPACKET datagram, at most MSG_SIZE_MAX bytes.  decode() judges a datagram
 * completely before it returns; unknown keys, types out of place and numbers
 * out of range are refused with a reason.
 *
 * Ownership: a decoded message borrows all strings and lists from its JSON
 * document; msg_done() releases them.  Keep = copy.  Descriptors travel beside
 * the message and belong to the receiver.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/log.h"
#include "common/base/util.h"
#include "proto/spec/alarm.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of all numbers of viewers, those of receivers that a stream worker has have
 * this bit, and no other has it. */
#define MSG_RECEIVER_BIT (UINT64_C(1) << 52)

enum msg_type {
	/* master to worker */
	MSG_STREAM_START,     /* run this stream; fds: its ring, its memory */
	MSG_STREAM_INPUT,     /* play this input from now on; seq */
	MSG_STREAM_ANALYZE,   /* what is known of one of its places?  seq */
	MSG_STREAM_KICK,      /* close this receiver of an output */
	MSG_STREAM_RING,      /* write this ring, too (1 descriptor) */
	MSG_STREAM_LINK,      /* the ring of another stream (0 or 1) */
	MSG_DELIVER_LISTEN,   /* accept viewers here; fd: listening socket */
	MSG_DELIVER_UNLISTEN, /* accept no more; viewers stay */
	MSG_DELIVER_MOUNT,    /* serve a path of a ring; fd: ring, read-only */
	MSG_DELIVER_UNMOUNT,  /* the path is gone; its viewers are closed */
	MSG_DELIVER_RENEW,    /* all listeners and paths are told anew … */
	MSG_DELIVER_SETTLE,   /* … and those that were not are dropped */
	MSG_DELIVER_LIST,     /* which viewers are there?  seq */
	MSG_DELIVER_KICK,     /* close this viewer */
	MSG_DELIVER_TLS,      /* who speaks TLS is at the other end of fd */
	MSG_AUTH_HASH,        /* hash this password; seq */
	MSG_AUTH_VERIFY,      /* has this password this hash?  seq */
	MSG_TLS_CERTIFICATE,  /* judge, or use; fds: chain, key; seq */
	MSG_TLS_LINK,         /* take clients from here, too; fd: a channel */
	MSG_TLS_SERVE,        /* speak TLS; fds: client's socket, plaintext */
	MSG_SCAN_START,       /* tell its tables, or what is announced */
	MSG_SOFTCAM_TEST,     /* can this server be reached? */
	MSG_WORKER_DEBUG,     /* log what is for debugging, or no longer */

	/* worker to master */
	MSG_WORKER_HELLO,     /* the first message of every worker */
	MSG_WORKER_READY,     /* inputs and outputs are open or being retried */
	MSG_WORKER_LOG,       /* one line for the log */
	MSG_STREAM_STATUS,    /* once a second, from the data path */
	MSG_STREAM_CHOSEN,    /* the answer to the stream.input with this seq */
	MSG_STREAM_SWITCHED,  /* another input plays now */
	MSG_STREAM_ANALYSIS,  /* some of it, as asked with this seq */
	MSG_STREAM_RECEIVERS, /* who receives from an output that listens */
	MSG_DELIVER_STATUS,   /* once a second: totals */
	MSG_DELIVER_VIEWERS,  /* once a second per mount that changed */
	MSG_DELIVER_SESSIONS, /* some of the viewers, as asked with this seq */
	MSG_AUTH_RESULT,      /* of the hash or verify with this seq */
	MSG_AUTH_STATUS,      /* once a second */
	MSG_TLS_RESULT,       /* of the certificate with this seq */
	MSG_TLS_STATUS,       /* once a second: totals */
	MSG_SCAN_RECORD,      /* a section that was not there before */
	MSG_SCAN_ANNOUNCEMENT, /* a place in the table of sessions */
	MSG_SCAN_STATUS,      /* once a second, from the data path */
	MSG_SOFTCAM_RESULT,   /* the end of a test */
	MSG_QUERIER_STATUS,   /* once a second: who was heard */

	MSG_COUNT
};

enum msg_side { MSG_TO_WORKER, MSG_TO_MASTER };

enum {
	MSG_INPUTS_MAX = 32,
	MSG_OUTPUTS_MAX = 32,
	MSG_SESSIONS_MAX = 256,
	MSG_RECEIVERS_MAX = 256, /* of one output */
	MSG_CHANGES_MAX = 64,
	MSG_QUERIERS_MAX = 64,
};

struct msg_stream_start {
	const char *id;
	const char *name;
	size_t n_inputs;
	const char *inputs[MSG_INPUTS_MAX];   /* addresses, as configured */
	size_t n_outputs;
	const char *outputs[MSG_OUTPUTS_MAX]; /* http is the ring's */
	unsigned first; /* position of the input to begin with; 0: any */
	bool ring;   /* a descriptor comes with it ... */
	bool memory; /* ... and one more: what outlives the worker */
	/* the keys that proto/spec/stream_spec reads; NULL: none */
	const json_t *options;
};

struct msg_deliver_listen {
	const char *address; /* "0.0.0.0:8100": names the listener ever after */
};

struct msg_deliver_mount {
	const char *address; /* the listener */
	const char *path;    /* "/news" */
	const char *stream;  /* stream id, for the status */
	bool tls;            /* for those who come by TLS, else for others */
};

struct msg_deliver_list {
	uint64_t after; /* the client that was told last; 0 at first */
};

struct msg_deliver_kick {
	uint64_t client;
};

struct msg_worker_hello {
	unsigned proto; /* MSG_PROTO_VERSION */
	const char *build;
	const char *role;
};

struct msg_worker_log {
	enum log_level level;
	const char *component;
	const char *text;
};

struct msg_stream_link {
	const char *stream;
	bool ring; /* false: it has none any more */
};

struct msg_stream_input {
	unsigned position;       /* 0: the next one */
};

struct msg_stream_chosen {
	unsigned position;       /* 0: it cannot be, see error */
	const char *error;       /* NULL when it can */
};

struct msg_stream_switched {
	uint64_t wall_ms;        /* CLOCK_REALTIME */
	unsigned from, to;       /* positions; 0: none */
	bool filler;             /* to is 0: the filler plays */
	const char *reason;      /* "fault" ... */
	const char *fault;       /* what ailed from; "": nothing */
};

struct msg_stream_analyze {
	unsigned place;          /* position of an input; 0: what is sent */
	unsigned from;           /* the PID that the answer begins with */
};

struct msg_stream_analysis {
	unsigned next;           /* to be asked for next; 0: this was all */
	const json_t *report;    /* an object (proto/spec/report_shape.h) */
};

struct msg_receiver {
	uint64_t client;    /* > 0; no other receiver ever has it */
	const char *peer;   /* address without port */
	uint64_t uptime_s;
};

struct msg_stream_receivers {
	unsigned output;         /* position, from 1 */
	size_t n;
	struct msg_receiver list[MSG_RECEIVERS_MAX];
};

enum input_state {
	INPUT_IDLE,    /* not open: it is not needed */
	INPUT_OPENING, /* not judged yet */
	INPUT_ACTIVE,  /* it plays */
	INPUT_STANDBY, /* on air, and could play */
	INPUT_DOWN,    /* cannot be opened, or is not on air */
};

/* "idle" ... */
const char *input_state_name(enum input_state);

/* One second of one input, as its analyzer saw it. */
struct msg_input_status {
	unsigned position;       /* from 1 */
	enum input_state state;
	const char *reason;      /* why it is active or down; else "" */
	uint64_t since_s;        /* that state; unix time */
	uint32_t penalty;        /* for failures (worker/failover/damper.h) */
	bool damped;             /* ... so many that it has to wait */
	bool active;
	bool open;               /* false while it cannot be opened */
	const char *error;       /* why not; NULL when open */
	const char *peer;        /* who is connected; NULL: nobody */
	bool heard;              /* it brought something, of use or not */
	bool onair;
	bool scrambled;
	uint32_t bitrate_kbps;
	uint32_t packets;
	uint32_t cc_error;
	uint32_t pes_error;
	uint32_t sc_error;       /* scrambled packets */
	uint32_t video_count;
	uint32_t audio_count;
	uint32_t lost;           /* datagrams, by the sender's count */
	uint32_t socket_drops;   /* SO_RXQ_OVFL */
	uint32_t sync_losses;
	uint32_t alarms;         /* raised: bits by enum alarm_id */
	const json_t *stats;     /* {link_stat_name(): number}; NULL: none */
};

struct msg_output_status {
	unsigned position;       /* from 1, of the whole output list */
	bool open;
	const char *error;
	const char *peer;        /* as of an input */
	uint32_t bitrate_kbps;   /* sent in the last second, null packets too */
	uint64_t packets;        /* TS packets sent since start */
	uint64_t dropped;        /* TS packets that could not be sent */
	const json_t *stats;     /* as of an input */
};

/* An alarm that was raised or cleared in the second. */
struct msg_alarm_change {
	unsigned place;          /* position of an input; 0: what is sent */
	enum alarm_id alarm;
	bool raised;
	uint64_t count;          /* faults since the start of the process */
};

struct msg_stream_status {
	uint32_t alarms;         /* raised, of what is sent */
	size_t n_changes;        /* of the alarms, as many as find room */
	struct msg_alarm_change changes[MSG_CHANGES_MAX];
	uint64_t packets;        /* through the data path since start */
	unsigned chosen;         /* the input that is to play; 0: none */
	bool filler;             /* it plays, and no input */
	size_t n_inputs;
	struct msg_input_status inputs[MSG_INPUTS_MAX];
	size_t n_outputs;
	struct msg_output_status outputs[MSG_OUTPUTS_MAX];
};

struct msg_deliver_status {
	uint32_t viewers;
	uint64_t bytes;          /* sent since start */
	uint64_t cut;            /* slow viewers cut since start */
};

struct msg_deliver_viewers {
	const char *address;
	const char *path;
	const char *stream;
	uint32_t viewers;
	uint64_t bytes;
	uint64_t cut;
};

struct msg_auth_hash {
	const char *password;
};

struct msg_auth_verify {
	const char *password;
	const char *hash;        /* crypt(3) */
};

struct msg_auth_result {
	bool ok;
	const char *hash;        /* the new one; "" for a verify */
};

struct msg_auth_status {
	uint64_t jobs;           /* done since start */
};

struct msg_tls_certificate {
	bool use; /* from now on, when it is good; false: only judge it */
};

struct msg_tls_result {
	bool ok;
	const char *field; /* the setting at fault: "crt_key"; "" when ok */
	const char *why;   /* "is not the key of …"; "" when ok */
};

struct msg_tls_status {
	uint32_t connections;    /* that are there */
	uint64_t handshakes;     /* done since start */
	uint64_t failed;         /* handshakes that came to nothing */
};

/* Instead of the address of an input: what sessions are announced? */
#define SCAN_ANNOUNCEMENTS "sap://"

enum { SCAN_PLACES_MAX = 256 };

struct msg_scan_start {
	const char *address;     /* of an input, as in a stream */
};

struct msg_scan_announcement {
	uint32_t place;          /* below SCAN_PLACES_MAX */
	const char *iface;       /* where it is heard; all "": it is over */
	const char *sender;      /* his address */
	const char *name;
	const char *input;       /* its address; "": note says why not */
	const char *note;
};

struct msg_scan_record {
	const json_t *record;    /* an object (worker/si/record.h) */
};

struct msg_scan_status {
	uint64_t packets;        /* since start */
	const char *error;       /* why nothing comes; NULL when it does */
};

struct msg_softcam_test {
	const char *host;
	unsigned port;
};

struct msg_worker_debug {
	bool on;
};

struct msg_softcam_result {
	const char *error;       /* what went wrong */
};

/* Who asks the hosts behind an interface for their multicast groups. */
struct msg_querier {
	unsigned interface;      /* index */
	bool mld;                /* for groups of IPv6, else IGMP */
	unsigned version;        /* of the protocol */
	const char *address;
	uint32_t interval_s;     /* between two queries; 0: it does not say */
	uint64_t age_ms;         /* since the last one */
};

struct msg_querier_status {
	const char *igmp_error;  /* why none is heard; NULL: it listens */
	const char *mld_error;
	uint64_t listening_ms;   /* for so long */
	size_t n;
	struct msg_querier list[MSG_QUERIERS_MAX];
};

struct msg_session {
	uint64_t client;    /* > 0; no other viewer ever has it */
	const char *stream;
	const char *peer;   /* address without port */
	uint64_t uptime_s;
};

/* Clients ascend; more: ask again after the last one. */
struct msg_deliver_sessions {
	size_t n;
	struct msg_session list[MSG_SESSIONS_MAX];
	bool more;
};

struct msg {
	enum msg_type type;
	uint32_t seq;            /* 0 = no reply wanted or given */
	json_t *document;        /* owns the strings; NULL when built by hand */
	union {
		struct msg_stream_start stream_start;
		struct msg_stream_input stream_input;
		struct msg_stream_link stream_link;
		struct msg_stream_chosen stream_chosen;
		struct msg_stream_switched stream_switched;
		struct msg_stream_analyze stream_analyze;
		struct msg_stream_analysis stream_analysis;
		struct msg_deliver_kick stream_kick;
		struct msg_stream_receivers stream_receivers;
		struct msg_deliver_listen deliver_listen;
		struct msg_deliver_listen deliver_unlisten;
		struct msg_deliver_mount deliver_mount;
		struct msg_deliver_mount deliver_unmount;
		struct msg_deliver_list deliver_list;
		struct msg_deliver_kick deliver_kick;
		struct msg_deliver_sessions deliver_sessions;
		struct msg_worker_hello worker_hello;
		struct msg_worker_log worker_log;
		struct msg_stream_status stream_status;
		struct msg_deliver_status deliver_status;
		struct msg_deliver_viewers deliver_viewers;
		struct msg_auth_hash auth_hash;
		struct msg_auth_verify auth_verify;
		struct msg_auth_result auth_result;
		struct msg_auth_status auth_status;
		struct msg_tls_certificate tls_certificate;
		struct msg_tls_result tls_result;
		struct msg_tls_status tls_status;
		struct msg_scan_start scan_start;
		struct msg_scan_record scan_record;
		struct msg_scan_announcement scan_announcement;
		struct msg_scan_status scan_status;
		struct msg_softcam_test softcam_test;
		struct msg_worker_debug worker_debug;
		struct msg_softcam_result softcam_result;
		struct msg_querier_status querier_status;
	};
};

/* "stream.start"; never NULL for a type below MSG_COUNT. */
const char *msg_type_name(enum msg_type);
enum msg_side msg_type_side(enum msg_type);
/* Logs and status: the next one makes good for a lost one. */
bool msg_type_may_drop(enum msg_type);
/* How many descriptors travel beside this message: no more, no less. */
size_t msg_fds(const struct msg *);

/* Judges len bytes; 0, or -EBADMSG with why.  On 0 the caller ends with
 * msg_done().  The side is judged here too: a worker cannot say what only the
 * master may. */
int msg_decode(const char *data, size_t len, enum msg_side side,
	       struct msg *ret, struct errmsg *why) MUST_CHECK;

/* Writes the datagram into data of MSG_SIZE_MAX bytes; its length, or
 * -EMSGSIZE. */
ssize_t msg_encode(const struct msg *, char *data) MUST_CHECK;

void msg_done(struct msg *);
