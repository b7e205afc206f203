/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The catalogue of the messages between the master and its workers.
 *
 * On the wire: {"type":"stream.start","seq":7,"body":{…}}, one JSON object per
 * SEQPACKET datagram, at most MSG_SIZE_MAX bytes.  msg_decode() checks a whole
 * datagram before it returns: an unknown key, a wrong type and a number out of
 * range are errors.  proto/ipc/msg_tables.h has the fields of each message.
 *
 * Ownership: a decoded message owns a copy of the text and the JSON values in
 * it, from which it borrows; msg_done() releases them.  A receiver that keeps
 * a string or a value copies it, or calls field_keep().  Descriptors are sent
 * beside the message and belong to the receiver.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/log.h"
#include "common/base/util.h"
#include "proto/ipc/msg_cam.h"
#include "proto/ipc/msg_cas.h"
#include "proto/ipc/msg_deliver.h"
#include "proto/ipc/msg_epg.h"
#include "proto/ipc/msg_link.h"
#include "proto/ipc/msg_mux.h"
#include "proto/ipc/msg_report.h"
#include "proto/ipc/msg_services.h"
#include "proto/ipc/msg_softcam.h"
#include "proto/spec/alarm.h"
#include "proto/spec/cas_spec.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A client whose number has this bit is a receiver of an output of a stream
 * worker.  Without the bit it is a viewer of a deliver worker. */
#define MSG_RECEIVER_BIT (UINT64_C(1) << 52)

/*
 * A message is a row: the type, its member of the union below, and its name on
 * the wire.  MEMBER_fields in one of the files msg_*.c is the table of its
 * fields; an EMPTY message has neither a member nor fields.
 */

/* "; seq": the message is a request or a question, and its reply has the same
 * seq.  The last column is the number of descriptors beside the message; where
 * this depends on the members, it is 0, and msg_fds() returns the number. */
#define MSG_CATALOGUE_TO_WORKER(ROW, EMPTY) \
	/* run this stream; 0 to 2 descriptors: ring, kept memory */ \
	ROW(STREAM_START, stream_start, "stream.start", 0) \
	/* switch to this input; seq */ \
	ROW(STREAM_INPUT, stream_input, "stream.input", 0) \
	/* report the analysis of an input or of the output; seq */ \
	ROW(STREAM_ANALYZE, stream_analyze, "stream.analyze", 0) \
	/* report how the PIDs and programs of an input are renumbered; seq */ \
	ROW(STREAM_PLAN, stream_plan, "stream.plan", 0) \
	/* report the tables of an input as stream.record, or stop */ \
	ROW(STREAM_SCAN, stream_scan, "stream.scan", 0) \
	/* disconnect this receiver of an output */ \
	ROW(STREAM_KICK, stream_kick, "stream.kick", 0) \
	/* whether SRT callers need a permission of the master */ \
	ROW(STREAM_POLICY, stream_policy, "stream.policy", 0) \
	/* the decision about the stream.ask with this seq */ \
	ROW(STREAM_ANSWER, stream_answer, "stream.answer", 0) \
	/* ask again about this receiver, or about all */ \
	ROW(STREAM_REVIEW, stream_review, "stream.review", 0) \
	/* also write the stream to this ring; descriptor: ring */ \
	EMPTY(STREAM_RING, "stream.ring", 1) \
	/* the ring of another stream; 0 or 1 descriptor: ring, read-only */ \
	ROW(STREAM_LINK, stream_link, "stream.link", 0) \
	/* a stream that an input or an adapter reads has another id now */ \
	ROW(STREAM_RENAME, stream_rename, "stream.rename", 0) \
	/* the state of a softcam that an input of the stream names */ \
	ROW(STREAM_CAM, stream_cam, "stream.cam", 0) \
	/* the control words of a stream.ecm */ \
	ROW(STREAM_WORD, stream_word, "stream.word", 0) \
	/* descriptor: a channel to the worker of a CA system */ \
	ROW(STREAM_CAS, stream_cas, "stream.cas", 1) \
	/* whether the system clock is synchronised */ \
	ROW(STREAM_CLOCK, stream_clock, "stream.clock", 0) \
	/* the configuration of the streams that nit_other names */ \
	ROW(STREAM_NETWORK, stream_network, "stream.network", 0) \
	/* events for the own EIT of the stream; descriptor: memory */ \
	ROW(STREAM_GUIDE, stream_guide, "stream.guide", 1) \
	/* insert this splice command into the output; seq */ \
	ROW(STREAM_CUE, stream_cue, "stream.cue", 0) \
	/* accept viewers here; descriptor: listening socket */ \
	ROW(DELIVER_LISTEN, deliver_listen, "deliver.listen", 1) \
	/* accept no new viewers; the others stay */ \
	ROW(DELIVER_UNLISTEN, deliver_unlisten, "deliver.unlisten", 0) \
	/* serve a stream at this path; descriptor: ring, read-only */ \
	ROW(DELIVER_MOUNT, deliver_mount, "deliver.mount", 1) \
	/* a play path has another name; its viewers stay */ \
	ROW(DELIVER_MOVE, deliver_move, "deliver.move", 0) \
	/* a viewer of a play path; descriptor: its socket */ \
	ROW(DELIVER_VIEWER, deliver_viewer, "deliver.viewer", 1) \
	/* remove a path and disconnect its viewers */ \
	ROW(DELIVER_UNMOUNT, deliver_unmount, "deliver.unmount", 0) \
	/* the master sends all listeners and paths next */ \
	EMPTY(DELIVER_RENEW, "deliver.renew", 0) \
	/* remove listeners and paths not sent since renew */ \
	ROW(DELIVER_SETTLE, deliver_settle, "deliver.settle", 0) \
	/* report the viewers; seq */ \
	ROW(DELIVER_LIST, deliver_list, "deliver.list", 0) \
	/* disconnect this viewer */ \
	ROW(DELIVER_KICK, deliver_kick, "deliver.kick", 0) \
	/* how many viewers one address may have */ \
	ROW(DELIVER_LIMITS, deliver_limits, "deliver.limits", 0) \
	/* whether viewers need a permission of the master */ \
	ROW(DELIVER_POLICY, deliver_policy, "deliver.policy", 0) \
	/* the decision about the deliver.ask with this seq */ \
	ROW(DELIVER_ANSWER, deliver_answer, "deliver.answer", 0) \
	/* ask again about this viewer, or about all */ \
	ROW(DELIVER_REVIEW, deliver_review, "deliver.review", 0) \
	/* reply to the deliver.playlist with this seq; 0 or 1 descriptor */ \
	ROW(DELIVER_PAGE, deliver_page, "deliver.page", 0) \
	/* reply to the deliver.look with this seq; 0 or 1 descriptor: JPEG */ \
	ROW(DELIVER_PICTURE, deliver_picture, "deliver.picture", 0) \
	/* descriptor: a channel to the tls worker */ \
	EMPTY(DELIVER_TLS, "deliver.tls", 1) \
	/* hash this password; seq */ \
	ROW(AUTH_HASH, auth_hash, "auth.hash", 0) \
	/* ask the backend at this URL whether a viewer may watch; seq */ \
	ROW(BACKEND_ASK, backend_ask, "backend.ask", 0) \
	/* compare this password with this hash; seq */ \
	ROW(AUTH_VERIFY, auth_verify, "auth.verify", 0) \
	/* check or use a certificate; descriptors: chain, key; seq */ \
	ROW(TLS_CERTIFICATE, tls_certificate, "tls.certificate", 2) \
	/* accept clients of a deliver worker; descriptor: a channel to it */ \
	EMPTY(TLS_LINK, "tls.link", 1) \
	/* serve this client; descriptors: its socket, a plaintext socket */ \
	EMPTY(TLS_SERVE, "tls.serve", 2) \
	/* make a picture; descriptors: a ring (read-only), memory; seq */ \
	ROW(PICTURE_MAKE, picture_make, "picture.make", 2) \
	/* keep a guide; 0 to 2 descriptors: saved guide, dictionary */ \
	ROW(EPG_START, epg_start, "epg.start", 0) \
	/* read this stream; 0 or 1 descriptor: ring, read-only */ \
	ROW(EPG_STREAM, epg_stream, "epg.stream", 0) \
	/* write events as JSON; descriptor: memory for them; seq */ \
	ROW(EPG_ASK, epg_ask, "epg.ask", 1) \
	/* write XMLTV; descriptors: list of channels, memory for it; seq */ \
	ROW(EPG_XMLTV, epg_xmltv, "epg.xmltv", 2) \
	/* send this document to an export; descriptor: memory; seq */ \
	ROW(EPG_POST, epg_post, "epg.post", 1) \
	/* report present and following events (epg.present), or stop */ \
	ROW(EPG_WATCH, epg_watch, "epg.watch", 0) \
	/* write events for own EIT; descriptor: memory for them; seq */ \
	ROW(EPG_EIT, epg_eit, "epg.eit", 1) \
	/* report tables of an address, sessions of SAP or SAT>IP servers */ \
	ROW(SCAN_START, scan_start, "scan.start", 0) \
	/* report what an adapter receives; descriptor: its ring */ \
	ROW(SCAN_RING, scan_ring, "scan.ring", 1) \
	/* tune, and report the services */ \
	ROW(SCAN_ADAPTER, scan_adapter, "scan.adapter", 0) \
	/* log in to this server once, as a test */ \
	ROW(SOFTCAM_TEST, softcam_test, "softcam.test", 0) \
	/* stay connected to this server */ \
	ROW(SOFTCAM_START, softcam_start, "softcam.start", 0) \
	/* ask the server for the control words of an ECM */ \
	ROW(SOFTCAM_ECM, softcam_ecm, "softcam.ecm", 0) \
	/* pass an EMM to the server */ \
	ROW(SOFTCAM_EMM, softcam_emm, "softcam.emm", 0) \
	/* connect to the ECM generator of this CA system */ \
	ROW(CAS_START, cas_start, "cas.start", 0) \
	/* serve EMM generators; 1 or 2 descriptors: sockets; none: error */ \
	ROW(CAS_EMMG, cas_emmg, "cas.emmg", 0) \
	/* serve a stream; descriptor: a channel to it */ \
	ROW(CAS_LINK, cas_link, "cas.link", 1) \
	/* cas worker to stream: when its ECMs are broadcast */ \
	ROW(CAS_TERMS, cas_terms, "cas.terms", 0) \
	/* cas worker to stream: an ECM */ \
	ROW(CAS_ECM, cas_ecm, "cas.ecm", 0) \
	/* cas worker to stream: EMMs */ \
	ROW(CAS_EMM, cas_emm, "cas.emm", 0) \
	/* receive this multiplex; descriptor: its ring */ \
	ROW(ADAPTER_START, adapter_start, "adapter.start", 1) \
	/* the same tuner receives another multiplex */ \
	ROW(ADAPTER_TUNE, adapter_tune, "adapter.tune", 0) \
	/* the programs that the CAM of the adapter descrambles */ \
	ROW(ADAPTER_CAM, adapter_cam, "adapter.cam", 0) \
	/* an operator opens or answers the menu of the CAM */ \
	ROW(ADAPTER_MENU, adapter_menu, "adapter.menu", 0) \
	/* the programs that the streams read from the adapter */ \
	ROW(ADAPTER_PROGRAMS, adapter_programs, "adapter.programs", 0) \
	/* log at level debug, or stop to */ \
	ROW(WORKER_DEBUG, worker_debug, "worker.debug", 0)

/* REPLACED: the message is dropped if the master does not read; most of these
 * types are sent again with newer values.  KEPT: it is never dropped. */
#define MSG_CATALOGUE_TO_MASTER(ROW, EMPTY) \
	/* the first message of every worker */ \
	ROW(WORKER_HELLO, worker_hello, "worker.hello", KEPT) \
	/* all inputs and outputs were opened, or are being retried */ \
	EMPTY(WORKER_READY, "worker.ready", KEPT) \
	/* a line for the log */ \
	ROW(WORKER_LOG, worker_log, "worker.log", REPLACED) \
	/* once a second, from the data path */ \
	ROW(STREAM_STATUS, stream_status, "stream.status", REPLACED) \
	/* reply to the stream.input with this seq */ \
	ROW(STREAM_CHOSEN, stream_chosen, "stream.chosen", KEPT) \
	/* reply to the stream.cue with this seq */ \
	ROW(STREAM_CUED, stream_cued, "stream.cued", KEPT) \
	/* the stream has switched to another input */ \
	ROW(STREAM_SWITCHED, stream_switched, "stream.switched", REPLACED) \
	/* reply to the stream.analyze with this seq: part of a report */ \
	ROW(STREAM_ANALYSIS, stream_analysis, "stream.analysis", REPLACED) \
	/* reply to the stream.plan with this seq: part of a plan */ \
	ROW(STREAM_PLANNED, stream_planned, "stream.planned", REPLACED) \
	/* a section with new content, of an input under stream.scan */ \
	ROW(STREAM_RECORD, stream_record, "stream.record", KEPT) \
	/* a new splice command in the output */ \
	ROW(STREAM_SPLICE, stream_splice, "stream.splice", REPLACED) \
	/* a request: may this caller receive the stream? */ \
	ROW(STREAM_ASK, stream_ask, "stream.ask", KEPT) \
	/* the caller of a stream.ask left before it was served */ \
	ROW(STREAM_LEFT, stream_left, "stream.left", KEPT) \
	/* the receivers of an output that listens */ \
	ROW(STREAM_RECEIVERS, stream_receivers, "stream.receivers", REPLACED) \
	/* asks a softcam for the control words of this ECM */ \
	ROW(STREAM_ECM, stream_ecm, "stream.ecm", KEPT) \
	/* an EMM for the card of a softcam */ \
	ROW(STREAM_EMM, stream_emm, "stream.emm", REPLACED) \
	/* once a second: totals of the worker */ \
	ROW(DELIVER_STATUS, deliver_status, "deliver.status", REPLACED) \
	/* once a second for each path whose counts changed */ \
	ROW(DELIVER_VIEWERS, deliver_viewers, "deliver.viewers", REPLACED) \
	/* reply to the deliver.list with this seq: part of the viewers */ \
	ROW(DELIVER_SESSIONS, deliver_sessions, "deliver.sessions", REPLACED) \
	/* may this viewer watch?  seq */ \
	ROW(DELIVER_ASK, deliver_ask, "deliver.ask", KEPT) \
	/* asks for the list of streams or the guide for a client; seq */ \
	ROW(DELIVER_PLAYLIST, deliver_playlist, "deliver.playlist", KEPT) \
	/* asks for a picture of this stream; seq */ \
	ROW(DELIVER_LOOK, deliver_look, "deliver.look", KEPT) \
	/* viewers that joined and left */ \
	ROW(DELIVER_CHANGES, deliver_changes, "deliver.changes", KEPT) \
	/* reply to the auth.hash or auth.verify with this seq */ \
	ROW(AUTH_RESULT, auth_result, "auth.result", KEPT) \
	/* once a second: number of jobs */ \
	ROW(AUTH_STATUS, auth_status, "auth.status", REPLACED) \
	/* reply to the backend.ask with this seq */ \
	ROW(BACKEND_RESULT, backend_result, "backend.result", KEPT) \
	/* once a second: number of requests */ \
	ROW(BACKEND_STATUS, backend_status, "backend.status", REPLACED) \
	/* reply to the tls.certificate with this seq */ \
	ROW(TLS_RESULT, tls_result, "tls.result", KEPT) \
	/* the names and dates of the certificate that is in use now */ \
	ROW(TLS_FACTS, tls_facts, "tls.facts", KEPT) \
	/* once a second: totals */ \
	ROW(TLS_STATUS, tls_status, "tls.status", REPLACED) \
	/* reply to the picture.make with this seq */ \
	ROW(PICTURE_RESULT, picture_result, "picture.result", KEPT) \
	/* once a second: number of pictures */ \
	ROW(PICTURE_STATUS, picture_status, "picture.status", REPLACED) \
	/* reply to the epg.ask, .xmltv, .post or .eit with this seq */ \
	ROW(EPG_RESULT, epg_result, "epg.result", KEPT) \
	/* the present or the following event of a service changed */ \
	ROW(EPG_PRESENT, epg_present, "epg.present", REPLACED) \
	/* once a second: counts and errors of the guide */ \
	ROW(EPG_STATUS, epg_status, "epg.status", REPLACED) \
	/* the events that a reply to epg.eit had have changed since */ \
	ROW(EPG_STALE, epg_stale, "epg.stale", KEPT) \
	/* a section with new content */ \
	ROW(SCAN_RECORD, scan_record, "scan.record", KEPT) \
	/* the reception of a transponder, again when it changes */ \
	ROW(SCAN_TRANSPONDER, scan_transponder, "scan.transponder", KEPT) \
	/* a service of a transponder, again when it changes */ \
	ROW(SCAN_SERVICE, scan_service, "scan.service", KEPT) \
	/* a session of SAP was announced, changed or ended */ \
	ROW(SCAN_ANNOUNCEMENT, scan_announcement, "scan.announcement", KEPT) \
	/* a SAT>IP server was found, changed or left */ \
	ROW(SCAN_SERVER, scan_server, "scan.server", KEPT) \
	/* once a second, from the data path */ \
	ROW(SCAN_STATUS, scan_status, "scan.status", REPLACED) \
	/* the result of a softcam.test */ \
	ROW(SOFTCAM_RESULT, softcam_result, "softcam.result", KEPT) \
	/* the login succeeded, or the connection ended */ \
	ROW(SOFTCAM_CARD, softcam_card, "softcam.card", KEPT) \
	/* the answer to a softcam.ecm */ \
	ROW(SOFTCAM_WORD, softcam_word, "softcam.word", KEPT) \
	/* once a second: rates and totals */ \
	ROW(SOFTCAM_STATUS, softcam_status, "softcam.status", REPLACED) \
	/* once a second: counts and error of the CA system */ \
	ROW(CAS_STATUS, cas_status, "cas.status", REPLACED) \
	/* stream to cas worker: asks for an ECM for these control words */ \
	ROW(CAS_WORDS, cas_words, "cas.words", KEPT) \
	/* once a second, from the data path */ \
	ROW(ADAPTER_STATUS, adapter_status, "adapter.status", REPLACED) \
	/* the state of a CAM slot, after each change */ \
	ROW(ADAPTER_SLOT, adapter_slot, "adapter.slot", KEPT) \
	/* once a second: the IGMP and MLD queriers of the network */ \
	ROW(QUERIER_STATUS, querier_status, "querier.status", REPLACED)

#define MSG_TYPE(type, ...) MSG_##type,
enum msg_type {
	MSG_CATALOGUE_TO_WORKER(MSG_TYPE, MSG_TYPE)
	MSG_CATALOGUE_TO_MASTER(MSG_TYPE, MSG_TYPE)
	MSG_COUNT
};
#undef MSG_TYPE

enum {
	/* Increment it when a field or the meaning of a message changes. */
	MSG_FORMAT = 60,
	/* The master rejects a worker with another version (worker.hello). */
	MSG_PROTO_VERSION = 1000 * MSG_FORMAT + MSG_COUNT,
};

enum msg_side { MSG_TO_WORKER, MSG_TO_MASTER };

struct msg_stream_start {
	const char *id;
	const char *name;
	size_t n_inputs;
	const char *inputs[MSG_INPUTS_MAX];   /* addresses, as configured */
	size_t n_outputs;
	/* addresses, as configured; deliver serves the http outputs */
	const char *outputs[MSG_OUTPUTS_MAX];
	unsigned hls;   /* segments of the playlist at the play path; 0: none */
	unsigned first; /* position of the input to start with; 0: 1 */
	bool by_hand; /* an operator chose `first` */
	bool mux, feed; /* mux: all inputs are sent at once; feed: only an mpts
			 * reads the stream */
	bool guide;  /* a programme guide runs: stream.guide may follow */
	bool ring;   /* a descriptor of the ring is sent beside the message */
	bool memory; /* a descriptor of the kept memory is sent, as the last */
	/* keys of the stream (proto/spec/stream_spec.h); NULL: none */
	const json_t *options;
	/* the CA systems of the stream, for cas_list_read() */
	size_t n_cas;
	struct cas_item cas[CAS_LIST_MAX];
};

/* In place of the address of a listener in deliver.mount: the path is served by
 * every listener with play paths, to viewers with and without TLS. */
#define MSG_PLAY_ADDRESS "play"

struct msg_worker_hello {
	unsigned proto; /* MSG_PROTO_VERSION */
	const char *build;
	const char *role;
	/* Name and version of a linked library with known security holes, which
	 * the program works around; "": there is no such library. */
	const char *flawed;
};

struct msg_worker_log {
	enum log_level level;
	const char *component;
	const char *text;
};

struct msg_stream_switched {
	uint64_t wall_ms;        /* time of the switch, CLOCK_REALTIME */
	unsigned from, to;       /* positions of inputs; 0: no input */
	bool filler;             /* to is 0, and the filler is sent */
	bool late;               /* the new input had no random access point in
				  * time: pictures begin at its next one */
	const char *reason;      /* a word of failover_reason_name(), such as
				  * "fault" */
	const char *fault;       /* error of the input `from'; "": none */
};

struct msg_receiver {
	uint64_t client;    /* unique number, with MSG_RECEIVER_BIT */
	const char *peer;   /* IP address of the receiver, without port */
	uint64_t uptime_s;
	const char *login;  /* NULL, "": no login, or omitted */
	uint64_t bytes;     /* sent to the receiver */
};

struct msg_stream_receivers {
	unsigned output;         /* position of the output, from 1 */
	size_t n;
	struct msg_receiver list[MSG_RECEIVERS_MAX];
};

enum input_state {
	INPUT_IDLE,    /* not open, because it is not needed */
	INPUT_OPENING, /* being opened, or not analyzed yet */
	INPUT_ACTIVE,  /* on air, and the stream sends the input */
	INPUT_STANDBY, /* on air, but the stream sends another input */
	INPUT_DOWN,    /* cannot be opened, or is off air */
};

/* The word for the state in messages and the API, such as "idle". */
const char *input_state_name(enum input_state);

/* The state and the counts of an input in the last second. */
struct msg_input_status {
	unsigned position;       /* position of the input, from 1 */
	enum input_state state;
	const char *reason;      /* why it is active, or its fault; "": none */
	uint64_t since_s;        /* begin of the state; Unix time */
	uint32_t penalty;        /* for failures (worker/failover/damper.h) */
	uint32_t damped_s;       /* seconds until damping ends; 0: not damped */
	bool active;
	bool open;               /* it is open without an error */
	const char *error;       /* an error, also while on air; NULL: none */
	uint64_t fault_s;        /* Unix time at which the fault in `error', or
				  * in `reason' of a state other than active,
				  * began; 0: no fault, or not known */
	const char *peer;        /* address of the connected peer; NULL: none */
	bool heard;              /* data was received, valid or not */
	bool onair;
	bool scrambled;
	uint32_t bitrate_kbps;   /* behind the options of the input */
	uint32_t received_kbps;  /* ahead of them; 0: they change no packets */
	uint32_t packets;
	uint32_t cc_error;
	uint32_t pes_error;
	uint32_t sc_error;       /* number of scrambled packets */
	uint32_t video_count;
	uint32_t audio_count;
	uint32_t lost;           /* missing datagrams, by sequence number */
	uint32_t socket_drops;   /* datagrams, as counted by SO_RXQ_OVFL */
	uint32_t sync_losses;
	alarm_set alarms;        /* alarms that are raised */
	const json_t *stats;     /* {link_stat_name(): number}; NULL: none */
};

struct msg_output_status {
	unsigned position;       /* from 1, in the list of all outputs */
	bool open;
	const char *error;
	const char *peer;        /* address of the connected peer; NULL: none */
	uint32_t bitrate_kbps;   /* sent in the last second, null packets too */
	uint64_t packets;        /* TS packets sent since start */
	uint64_t dropped;        /* TS packets that could not be sent */
	const json_t *stats;     /* {link_stat_name(): number}; NULL: none */
};

/* The point of the stream at which a new receiver begins. */
enum join_kind {
	JOIN_UNKNOWN, /* no point found yet, or the stream has no ring */
	JOIN_PICTURE, /* at a picture that decodes without earlier ones */
	JOIN_AUDIO,   /* at an audio frame: the stream has no pictures */
	JOIN_GUESS,   /* at any packet: no such picture was found */
	JOIN_KINDS
};

/* An alarm that was raised or cleared in the last second. */
struct msg_alarm_change {
	unsigned place;          /* position of an input; 0: the output */
	enum alarm_id alarm;
	bool raised;
	uint64_t count;          /* faults of this alarm since the start */
};

struct msg_stream_status {
	alarm_set alarms;        /* alarms that are raised for the output */
	size_t n_changes;        /* entries in changes */
	struct msg_alarm_change changes[MSG_CHANGES_MAX];
	uint64_t packets;        /* sent by the pipeline since the start */
	uint32_t sent_kbps;      /* of a multiplex or filler; 0: see inputs */
	unsigned chosen;         /* position of the input that the stream shall
				  * send; 0: none, or all of a multiplex */
	bool by_hand;            /* an operator chose this input */
	bool filler;             /* the filler is sent, and no input */
	unsigned join;           /* enum join_kind */
	uint32_t gop_ms;         /* length of the last GOP; 0: unknown */
	const char *codecs;      /* CODECS of RFC 8216; NULL: unknown */
	unsigned width, height;  /* of the picture; 0: unknown */
	const char *cas_error;   /* error of a CA system; NULL: none */
	unsigned cas_linked;     /* bit k: CA system k has an open channel */
	size_t n_inputs;
	struct msg_input_status inputs[MSG_INPUTS_MAX];
	size_t n_outputs;
	struct msg_output_status outputs[MSG_OUTPUTS_MAX];
	size_t n_services;
	struct msg_service_status services[MSG_SERVICES_MAX];
};

struct msg {
	enum msg_type type;
	uint32_t seq;            /* 0: neither a request nor a reply */
	char *text;              /* owns the strings of a decoded message */
	json_t *trees;           /* owns its JSON values; NULL: none */
	union {
		struct msg_stream_start stream_start;
		struct msg_stream_input stream_input;
		struct msg_stream_link stream_link;
		struct msg_stream_rename stream_rename;
		struct msg_stream_cam stream_cam;
		struct msg_cam_word stream_word, softcam_word;
		struct msg_cam_section stream_ecm, stream_emm, softcam_ecm,
			softcam_emm;
		struct msg_stream_chosen stream_chosen;
		struct msg_stream_cued stream_cued;
		struct msg_stream_cas stream_cas;
		struct msg_cas_start cas_start;
		struct msg_cas_emmg cas_emmg;
		struct msg_cas_link cas_link;
		struct msg_cas_terms cas_terms;
		struct msg_cas_words cas_words;
		struct msg_cas_ecm cas_ecm;
		struct msg_cas_emm cas_emm;
		struct msg_cas_status cas_status;
		struct msg_stream_switched stream_switched;
		struct msg_stream_analyze stream_analyze, stream_plan;
		struct msg_stream_analysis stream_analysis, stream_planned;
		struct msg_stream_scan stream_scan;
		struct msg_stream_record stream_record;
		struct msg_stream_splice stream_splice;
		struct msg_deliver_kick stream_kick, stream_left, deliver_kick;
		struct msg_deliver_policy stream_policy, deliver_policy;
		struct msg_stream_clock stream_clock;
		struct msg_stream_network stream_network;
		struct msg_stream_guide stream_guide;
		struct msg_stream_cue stream_cue;
		struct msg_deliver_answer stream_answer, deliver_answer;
		struct msg_deliver_review stream_review, deliver_review;
		struct msg_deliver_ask stream_ask, deliver_ask;
		struct msg_stream_receivers stream_receivers;
		struct msg_deliver_listen deliver_listen;
		struct msg_deliver_unlisten deliver_unlisten;
		struct msg_deliver_mount deliver_mount, deliver_unmount;
		struct msg_deliver_move deliver_move;
		struct msg_deliver_settle deliver_settle;
		struct msg_deliver_viewer deliver_viewer;
		struct msg_deliver_list deliver_list;
		struct msg_deliver_limits deliver_limits;
		struct msg_deliver_sessions deliver_sessions;
		struct msg_deliver_playlist deliver_playlist;
		struct msg_deliver_page deliver_page;
		struct msg_deliver_look deliver_look;
		struct msg_picture_result deliver_picture, picture_result;
		struct msg_picture_make picture_make;
		struct msg_picture_status picture_status;
		struct msg_epg_start epg_start;
		struct msg_epg_stream epg_stream;
		struct msg_epg_ask epg_ask;
		struct msg_epg_xmltv epg_xmltv;
		struct msg_epg_post epg_post;
		struct msg_epg_watch epg_watch;
		struct msg_epg_eit epg_eit;
		struct msg_epg_stale epg_stale;
		struct msg_epg_result epg_result;
		struct msg_epg_present epg_present;
		struct msg_epg_status epg_status;
		struct msg_deliver_changes deliver_changes;
		struct msg_worker_hello worker_hello;
		struct msg_worker_log worker_log;
		struct msg_stream_status stream_status;
		struct msg_deliver_status deliver_status;
		struct msg_deliver_viewers deliver_viewers;
		struct msg_auth_hash auth_hash;
		struct msg_auth_verify auth_verify;
		struct msg_auth_result auth_result;
		struct msg_auth_status auth_status;
		struct msg_backend_ask backend_ask;
		struct msg_backend_result backend_result;
		struct msg_backend_status backend_status;
		struct msg_tls_certificate tls_certificate;
		struct msg_tls_result tls_result;
		struct msg_tls_facts tls_facts;
		struct msg_tls_status tls_status;
		struct msg_scan_start scan_start;
		struct msg_scan_ring scan_ring;
		struct msg_scan_adapter scan_adapter;
		struct msg_scan_transponder scan_transponder;
		struct msg_scan_service scan_service;
		struct msg_scan_record scan_record;
		struct msg_scan_announcement scan_announcement;
		struct msg_scan_server scan_server;
		struct msg_scan_status scan_status;
		struct msg_softcam_test softcam_test;
		struct msg_softcam_start softcam_start;
		struct msg_softcam_result softcam_card, softcam_result;
		struct msg_softcam_status softcam_status;
		struct msg_worker_debug worker_debug;
		struct msg_querier_status querier_status;
		struct msg_adapter_start adapter_start, adapter_tune;
		struct msg_adapter_programs adapter_programs;
		struct msg_adapter_status adapter_status;
		struct msg_adapter_cam adapter_cam;
		struct msg_adapter_menu adapter_menu;
		struct msg_adapter_slot adapter_slot;
	};
};

/* The name on the wire, such as "stream.start"; never NULL below MSG_COUNT. */
const char *msg_type_name(enum msg_type);
/* True for a message that is REPLACED in the catalogue. */
bool msg_type_may_drop(enum msg_type);
/* The number of descriptors that are sent beside this message. */
size_t msg_fds(const struct msg *);

/* Decodes a message of len bytes to that side; the type must precede the body.
 * 0, or -EBADMSG with a sentence.  After 0 the caller must call msg_done(). */
int msg_decode(const char *data, size_t len, enum msg_side side,
	       struct msg *ret, struct errmsg *error) MUST_CHECK;

/* Writes the datagram into data of MSG_SIZE_MAX bytes.  Omits the FIELD_SPARE
 * members if it would be too long.  Returns its length, or -EMSGSIZE. */
ssize_t msg_encode(const struct msg *, char *data) MUST_CHECK;

void msg_done(struct msg *);
