/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The catalogue of the messages between the master and its workers.
 *
 * On the wire: {"type":"stream.start","seq":7,"body":{…}}, one JSON object per
 * SEQPACKET datagram, at most MSG_SIZE_MAX bytes.  msg_decode() checks a whole
 * datagram before it returns: an unknown key, a wrong type and a number out of
 * range are errors.  proto/ipc/msg_tables.h has the fields of each message.
 *
 * Ownership: a decoded message borrows its strings and JSON values from its
 * document; msg_done() releases them.  A receiver that keeps one copies it, or
 * calls field_keep().  Descriptors are sent beside the message and belong to
 * the receiver.
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

/* The number of a client with this bit is that of a receiver of a stream
 * worker, without it that of a viewer of deliver. */
#define MSG_RECEIVER_BIT (UINT64_C(1) << 52)

enum msg_type {
	/* master to worker */
	MSG_STREAM_START,     /* run this stream; fds: its ring, its memory */
	MSG_STREAM_INPUT,     /* switch to this input; seq */
	MSG_STREAM_ANALYZE,   /* report the analysis of a place; seq */
	MSG_STREAM_KICK,      /* close this receiver of an output */
	MSG_STREAM_RING,      /* write this ring as well (1 descriptor) */
	MSG_STREAM_LINK,      /* the ring of another stream (0 or 1) */
	MSG_DELIVER_LISTEN,   /* accept viewers here; fd: listening socket */
	MSG_DELIVER_UNLISTEN, /* accept no new viewers; the others stay */
	MSG_DELIVER_MOUNT,    /* serve a path of a ring; fd: ring, read-only */
	MSG_DELIVER_UNMOUNT,  /* remove a path, close its viewers */
	MSG_DELIVER_RENEW,    /* all listeners and paths follow again */
	MSG_DELIVER_SETTLE,   /* remove those that did not follow */
	MSG_DELIVER_LIST,     /* report the viewers; seq */
	MSG_DELIVER_KICK,     /* close this viewer */
	MSG_DELIVER_TLS,      /* fd: a channel to the worker tls */
	MSG_AUTH_HASH,        /* hash this password; seq */
	MSG_AUTH_VERIFY,      /* compare this password with this hash; seq */
	MSG_TLS_CERTIFICATE,  /* check or use it; fds: chain, key; seq */
	MSG_TLS_LINK,         /* accept clients from this channel; fd */
	MSG_TLS_SERVE,        /* serve this client; fds: socket, plaintext */
	MSG_SCAN_START,       /* report tables, or sessions of SAP */
	MSG_SOFTCAM_TEST,     /* connect to this server */
	MSG_WORKER_DEBUG,     /* log at level debug, or no longer */

	/* worker to master */
	MSG_WORKER_HELLO,     /* the first message of every worker */
	MSG_WORKER_READY,     /* inputs and outputs are open or being retried */
	MSG_WORKER_LOG,       /* one line for the log */
	MSG_STREAM_STATUS,    /* once a second, from the data path */
	MSG_STREAM_CHOSEN,    /* reply to the stream.input with this seq */
	MSG_STREAM_SWITCHED,  /* another input is on air */
	MSG_STREAM_ANALYSIS,  /* part of a report, reply to this seq */
	MSG_STREAM_RECEIVERS, /* the receivers of an output that listens */
	MSG_DELIVER_STATUS,   /* once a second: totals */
	MSG_DELIVER_VIEWERS,  /* once a second per mount that changed */
	MSG_DELIVER_SESSIONS, /* part of the viewers, reply to this seq */
	MSG_AUTH_RESULT,      /* reply to the hash or verify with this seq */
	MSG_AUTH_STATUS,      /* once a second */
	MSG_TLS_RESULT,       /* reply to the certificate with this seq */
	MSG_TLS_STATUS,       /* once a second: totals */
	MSG_SCAN_RECORD,      /* a section with new content */
	MSG_SCAN_ANNOUNCEMENT, /* an entry of the table of sessions */
	MSG_SCAN_STATUS,      /* once a second, from the data path */
	MSG_SOFTCAM_RESULT,   /* the end of a test */
	MSG_QUERIER_STATUS,   /* once a second: the queriers */

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
	unsigned first; /* position of the input to start with; 0: any */
	bool ring;   /* with a descriptor ... */
	bool memory; /* ... and one of memory that outlives it */
	/* the keys of proto/spec/stream_spec.h; NULL: none */
	const json_t *options;
};

struct msg_deliver_listen {
	const char *address; /* "0.0.0.0:8100": identifies the listener */
};

struct msg_deliver_mount {
	const char *address; /* the listener */
	const char *path;    /* "/news" */
	const char *stream;  /* stream id, for the status */
	bool tls;            /* for viewers by TLS, else for the others */
};

struct msg_deliver_list {
	uint64_t after; /* last client of the part before; 0: none */
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
	bool ring; /* false: it no longer has one */
};

struct msg_stream_input {
	unsigned position;       /* 0: the next one */
};

struct msg_stream_chosen {
	unsigned position;       /* 0: not possible, see error */
	const char *error;       /* NULL if it is possible */
};

struct msg_stream_switched {
	uint64_t wall_ms;        /* CLOCK_REALTIME */
	unsigned from, to;       /* positions; 0: none */
	bool filler;             /* to is 0: the filler is sent */
	const char *reason;      /* "fault" ... */
	const char *fault;       /* the error of the input from; "": none */
};

struct msg_stream_analyze {
	unsigned place;          /* position of an input; 0: the output */
	unsigned from;           /* first PID of the reply */
};

struct msg_stream_analysis {
	unsigned next;           /* first PID of the next part; 0: complete */
	const json_t *report;    /* an object (proto/spec/report_shape.h) */
};

struct msg_receiver {
	uint64_t client;    /* > 0, unique */
	const char *peer;   /* address without port */
	uint64_t uptime_s;
};

struct msg_stream_receivers {
	unsigned output;         /* position, from 1 */
	size_t n;
	struct msg_receiver list[MSG_RECEIVERS_MAX];
};

enum input_state {
	INPUT_IDLE,    /* not open: not needed */
	INPUT_OPENING, /* not analyzed yet */
	INPUT_ACTIVE,  /* it is sent */
	INPUT_STANDBY, /* on air and not sent */
	INPUT_DOWN,    /* cannot be opened, or off air */
};

/* "idle" ... */
const char *input_state_name(enum input_state);

/* One second of one input, as its analyzer saw it. */
struct msg_input_status {
	unsigned position;       /* from 1 */
	enum input_state state;
	const char *reason;      /* of the state active or down; else "" */
	uint64_t since_s;        /* that state; unix time */
	uint32_t penalty;        /* for failures (worker/failover/damper.h) */
	bool damped;             /* the penalty keeps it from being used */
	bool active;
	bool open;               /* false while it cannot be opened */
	const char *error;       /* NULL when open */
	const char *peer;        /* address of the connected peer; NULL: none */
	bool heard;              /* received data, valid or not */
	bool onair;
	bool scrambled;
	uint32_t bitrate_kbps;
	uint32_t packets;
	uint32_t cc_error;
	uint32_t pes_error;
	uint32_t sc_error;       /* scrambled packets */
	uint32_t video_count;
	uint32_t audio_count;
	uint32_t lost;           /* datagrams missing by their count */
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
	unsigned place;          /* position of an input; 0: the output */
	enum alarm_id alarm;
	bool raised;
	uint64_t count;          /* faults since the start of the process */
};

struct msg_stream_status {
	uint32_t alarms;         /* raised, of the output */
	size_t n_changes;        /* of alarms, at most MSG_CHANGES_MAX */
	struct msg_alarm_change changes[MSG_CHANGES_MAX];
	uint64_t packets;        /* through the pipeline since the start */
	unsigned chosen;         /* the input to be sent; 0: none */
	bool filler;             /* the filler is sent, no input */
	size_t n_inputs;
	struct msg_input_status inputs[MSG_INPUTS_MAX];
	size_t n_outputs;
	struct msg_output_status outputs[MSG_OUTPUTS_MAX];
};

struct msg_deliver_status {
	uint32_t viewers;
	uint64_t bytes;          /* sent since start */
	uint64_t cut;            /* slow viewers closed since the start */
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
	bool use; /* use it if it is valid; false: only check it */
};

struct msg_tls_result {
	bool ok;
	const char *field; /* the wrong setting: "crt_key"; "" when ok */
	const char *why;   /* "is not the key of …"; "" when ok */
};

struct msg_tls_status {
	uint32_t connections;    /* open now */
	uint64_t handshakes;     /* done since start */
	uint64_t failed;         /* handshakes that failed */
};

/* Instead of an address: report the sessions of SAP. */
#define SCAN_ANNOUNCEMENTS "sap://"

enum { SCAN_PLACES_MAX = 256 };

struct msg_scan_start {
	const char *address;     /* of an input, as in a stream */
};

struct msg_scan_announcement {
	uint32_t place;          /* below SCAN_PLACES_MAX */
	const char *iface;       /* of reception; all "": it has ended */
	const char *sender;      /* address of the sender */
	const char *name;
	const char *input;       /* its address; "": see note */
	const char *note;
};

struct msg_scan_record {
	const json_t *record;    /* an object (worker/si/record.h) */
};

struct msg_scan_status {
	uint64_t packets;        /* since start */
	const char *error;       /* why no packets arrive; NULL: they do */
};

struct msg_softcam_test {
	const char *host;
	unsigned port;
};

struct msg_worker_debug {
	bool on;
};

struct msg_softcam_result {
	const char *error;
};

/* A router that queries the hosts of an interface for multicast groups. */
struct msg_querier {
	unsigned interface;      /* index */
	bool mld;                /* for groups of IPv6, else IGMP */
	unsigned version;        /* of the protocol */
	const char *address;
	uint32_t interval_s;     /* between two queries; 0: not announced */
	uint64_t age_ms;         /* since the last query */
};

struct msg_querier_status {
	const char *igmp_error;  /* why none is received; NULL: it listens */
	const char *mld_error;
	uint64_t listening_ms;   /* since it listens */
	size_t n;
	struct msg_querier list[MSG_QUERIERS_MAX];
};

struct msg_session {
	uint64_t client;    /* > 0, unique */
	const char *stream;
	const char *peer;   /* address without port */
	uint64_t uptime_s;
};

/* Clients ascend.  more: another part follows. */
struct msg_deliver_sessions {
	size_t n;
	struct msg_session list[MSG_SESSIONS_MAX];
	bool more;
};

struct msg {
	enum msg_type type;
	uint32_t seq;            /* 0: no request and no reply */
	json_t *document;        /* owns the strings; NULL if not decoded */
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
/* Logs and status: the next one replaces a dropped one. */
bool msg_type_may_drop(enum msg_type);
/* The number of descriptors that are sent beside this message. */
size_t msg_fds(const struct msg *);

/* Decodes len bytes of a message to that side; 0, or -EBADMSG with a sentence.
 * After 0 the caller ends with msg_done(). */
int msg_decode(const char *data, size_t len, enum msg_side side,
	       struct msg *ret, struct errmsg *error) MUST_CHECK;

/* Writes the datagram into data of MSG_SIZE_MAX bytes; its length, or
 * -EMSGSIZE. */
ssize_t msg_encode(const struct msg *, char *data) MUST_CHECK;

void msg_done(struct msg *);
