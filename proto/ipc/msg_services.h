/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messages of auth, backend, tls, querier, picture and scan; a part of
 * msg.h. */
#pragma once

#include "proto/ipc/msg_deliver.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct msg_auth_hash {
	const char *password;
};

struct msg_auth_verify {
	const char *password;
	const char *hash;        /* crypt(3) */
};

struct msg_auth_result {
	bool ok;
	const char *hash;        /* the new hash; "" for a verify */
};

struct msg_auth_status {
	uint64_t jobs;           /* done since start */
};

struct msg_backend_ask {
	const char *url;
	/* the values of X-Session-ID, X-Channel-ID, X-Real-IP, X-Real-Path,
	 * X-Real-UA and X-Real-Host */
	const char *session, *channel, *peer, *path, *agent, *host;
};

struct msg_backend_result {
	uint32_t status;         /* of HTTP; 0: no answer, see error */
	const char *login;       /* X-Session-Name; texts may be "" */
	const char *user;        /* X-UserId */
	const char *location;    /* X-Location */
	uint32_t duration_s;     /* X-AuthDuration; 0: absent */
	uint32_t max_sessions;   /* X-Max-Sessions; 0: absent */
	const char *error;
};

struct msg_backend_status {
	uint64_t requests;       /* done since the start */
};

struct msg_tls_certificate {
	bool use; /* use it if it is valid; false: only check it */
};

struct msg_tls_result {
	bool ok;
	const char *field; /* the wrong setting: "crt_key"; "" when ok */
	const char *error; /* "is not the key of …"; "" when ok */
};

struct msg_tls_facts {
	const char *subject; /* "CN = headend.example" */
	const char *issuer;
	const char *names;   /* DNS names and addresses, with commas */
	const char *key;     /* "EC 256" */
	uint64_t begin_s, end_s; /* Unix times of its validity */
};

struct msg_tls_status {
	uint32_t connections;    /* open now */
	uint64_t handshakes;     /* done since start */
	uint64_t failed;         /* handshakes that failed */
};

/* A router that queries the hosts of an interface for multicast groups. */
struct msg_querier {
	unsigned interface;      /* index */
	bool mld;                /* for groups of IPv6, else IGMP */
	unsigned version;        /* version of IGMP or MLD */
	const char *address;
	uint32_t interval_s;     /* between two queries; 0: not announced */
	uint64_t age_ms;         /* since the last query */
};

struct msg_querier_status {
	const char *igmp_error;  /* why IGMP is not received; NULL: no error */
	const char *mld_error;
	uint64_t listening_ms;   /* time that the worker has listened */
	size_t n;
	struct msg_querier list[MSG_QUERIERS_MAX];
};

struct msg_picture_make {
	unsigned width;          /* of the picture, at most */
};

struct msg_picture_result {
	uint32_t len;            /* bytes of the JPEG in the memory; 0: none */
	bool absent;             /* with len 0: the stream has no picture, so
				  * waiting is of no use */
	const char *error;       /* why there is none; "": there is one */
};

struct msg_picture_status {
	uint64_t pictures;       /* made since the start */
};

struct msg_adapter_start {
	const json_t *entry;     /* the keys that the worker reads */
};

enum { ADAPTER_PROGRAMS_MAX = 256, ADAPTER_PIDS_MAX = 128 };

/* What an adapter receives that cannot receive its whole multiplex. */
struct msg_adapter_programs {
	bool all;
	bool tables;             /* the PMTs of all programs */
	bool emms;               /* the CAT selects them, not the programs */
	size_t n;
	uint16_t numbers[ADAPTER_PROGRAMS_MAX]; /* ascending, each once */
	size_t n_pids;
	/* that streams name by options; ascending, each once */
	uint16_t pids[ADAPTER_PIDS_MAX];
};

/* The frontend of a tuner; all zero for another source. */
struct msg_adapter_tuner {
	bool taken;              /* the frontend is open */
	uint32_t adapter;        /* number of the adapter that has it */
	bool silent;             /* a watchdog has stopped it: no event */
	uint32_t status;         /* enum fe_status */
	uint32_t signal, snr;    /* raw values of the driver */
	int32_t signal_db, snr_db; /* 1/100 dBm, 1/100 dB */
	uint64_t ber, unc;       /* errors of bits and blocks, so far */
	bool ber_is_rate;        /* of a driver that does not count them */
};

struct msg_adapter_status {
	bool lock;               /* the source can deliver packets */
	bool on_air;             /* it delivered other than null packets */
	uint32_t signal;         /* percent; 0: unknown */
	uint32_t snr;            /* percent; 0: unknown */
	uint32_t bitrate_kbps;   /* of the last second */
	uint64_t lost;           /* packets, since the start */
	struct msg_adapter_tuner tuner;
	const char *error;       /* of the source; NULL: none is known */
};

enum {
	SCAN_PLACES_MAX = 256,
	SCAN_TRANSPONDERS_MAX = 4096,
	SCAN_KEEP_S = 20, /* a stream.scan ends without a repetition */
};

struct msg_stream_scan {
	unsigned position;       /* of the input; 0: no more */
	bool begin;              /* false: continue for SCAN_KEEP_S */
};

struct msg_stream_splice {
	const json_t *record;    /* of a splice command (proto/si/record.h) */
};

struct msg_stream_record {
	unsigned position;       /* of the input */
	const json_t *record;    /* an object (proto/si/record.h) */
};

/* Instead of an address: report the sessions of SAP, or the SAT>IP servers. */
#define SCAN_ANNOUNCEMENTS "sap://"
#define SCAN_SERVERS "ssdp://"

struct msg_scan_start {
	const char *address;     /* address of an input, as in a stream */
};

struct msg_scan_ring {
	const char *address;     /* dvb://, of the adapter */
	bool atsc;               /* its multiplex has tables of ATSC */
};

struct msg_scan_announcement {
	uint32_t place;          /* below SCAN_PLACES_MAX */
	const char *iface;       /* receiving interface; all texts "": ended */
	const char *sender;      /* address of the sender */
	const char *name;
	const char *input;       /* address of the input; "": none, see note */
	const char *note;
};

enum { MSG_SERVER_SYSTEMS_MAX = 8 };

struct msg_scan_server {
	uint32_t place;          /* below SCAN_PLACES_MAX */
	const char *iface;       /* all texts "": ended */
	const char *host;        /* address of the server */
	uint32_t port;           /* of RTSP; 0: the usual one */
	const char *uuid;
	/* from the description of the server; "": not given */
	const char *name;
	const char *manufacturer;
	const char *model;
	const char *channels;    /* URL of a list in M3U */
	size_t n_systems;
	struct msg_server_system {
		const char *system;  /* type of an adapter, or the server's */
		uint32_t frontends;
	} systems[MSG_SERVER_SYSTEMS_MAX];
	const char *note;        /* why there is no description; "": none */
};

struct msg_scan_record {
	const json_t *record;    /* an object (proto/si/record.h) */
};

struct msg_scan_adapter {
	const json_t *scan;      /* {adapter, search, grid}: scan_spec.h */
};

struct msg_scan_transponder {
	uint32_t number;         /* from 1 */
	const json_t *tuning;    /* keys of an adapter, and ids of the tables */
	bool complete;           /* all tables were received */
	struct msg_adapter_status status;
};

struct msg_scan_service {
	uint32_t number;         /* of the transponder */
	const json_t *service;   /* {pnr, name, ...} (scan_services.h) */
};

struct msg_scan_status {
	uint64_t packets;        /* since start */
	uint32_t done, total;    /* transponders that were and are to be tuned;
				  * total 0: it does not tune */
	bool ended;              /* nothing follows */
	const char *error;       /* why no packets arrive; NULL: no error */
};
