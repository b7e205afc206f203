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
	const char *hash;        /* hash by crypt(3) */
};

struct msg_auth_result {
	bool ok;
	const char *hash;        /* reply to auth.hash: the new hash; else "" */
};

struct msg_auth_status {
	uint64_t jobs;           /* passwords handled since the start */
};

struct msg_backend_ask {
	const char *url;
	/* the values of X-Session-ID, X-Channel-ID, X-Real-IP, X-Real-Path,
	 * X-Real-UA and X-Real-Host */
	const char *session, *channel, *peer, *path, *agent, *host;
};

struct msg_backend_result {
	/* All members except status and error are headers of the reply; "": the
	 * header is absent. */
	uint32_t status;         /* HTTP status; 0: no reply, see error */
	const char *login;       /* X-Session-Name */
	const char *user;        /* X-UserId */
	const char *location;    /* X-Location */
	uint32_t duration_s;     /* X-AuthDuration; 0: absent */
	uint32_t max_sessions;   /* X-Max-Sessions; 0: absent */
	const char *error;
};

struct msg_backend_status {
	uint64_t requests;       /* requests done since the start */
};

struct msg_tls_certificate {
	bool use; /* use the certificate if it is valid; false: only check it */
};

struct msg_tls_result {
	bool ok;
	const char *field; /* the wrong setting: "crt_key"; "" when ok */
	const char *error; /* "is not the key of …"; "" when ok */
};

struct msg_tls_facts {
	const char *subject; /* "CN = headend.example" */
	const char *issuer;
	const char *names;   /* DNS names and addresses, separated by commas */
	const char *key;     /* type and bits of the key: "EC 256" */
	uint64_t begin_s, end_s; /* validity; Unix times */
};

struct msg_tls_status {
	uint32_t connections;    /* open connections */
	uint64_t handshakes;     /* handshakes completed since the start */
	uint64_t failed;         /* handshakes failed since the start */
};

/* A router that queries the hosts of an interface for multicast groups. */
struct msg_querier {
	unsigned interface;      /* index of the interface */
	bool mld;                /* sends MLD (IPv6); false: IGMP (IPv4) */
	unsigned version;        /* version of IGMP or MLD */
	const char *address;
	uint32_t interval_s;     /* time between two of its queries, as it
				  * announces; 0: not announced */
	uint64_t age_ms;         /* time since its last query */
};

struct msg_querier_status {
	const char *igmp_error;  /* why IGMP is not received; NULL: no error */
	const char *mld_error;   /* why MLD is not received; NULL: no error */
	uint64_t listening_ms;   /* time since the worker began to listen */
	size_t n;
	struct msg_querier list[MSG_QUERIERS_MAX];
};

struct msg_picture_make {
	unsigned width;          /* of the picture at most, in pixels */
};

struct msg_picture_result {
	uint32_t len;            /* bytes of the JPEG in the memory; 0: none */
	bool absent;             /* len is 0, and the stream has no pictures: a
				  * new request would fail, too */
	const char *error;       /* why there is no picture; "": there is one */
};

struct msg_picture_status {
	uint64_t pictures;       /* pictures made since the start */
};

struct msg_adapter_start {
	const json_t *entry;     /* the keys that the worker reads */
};

enum { ADAPTER_PROGRAMS_MAX = 256, ADAPTER_PIDS_MAX = 128 };

/* The packets that streams need from an adapter.  An adapter that cannot
 * receive its whole multiplex receives only these. */
struct msg_adapter_programs {
	bool all;                /* all programs */
	bool tables;             /* receive the PMTs of all programs */
	/* the EMMs of all CA systems that the CAT lists, and not only of those
	 * that the programs use */
	bool emms;
	size_t n;
	/* program numbers; ascending, each once */
	uint16_t numbers[ADAPTER_PROGRAMS_MAX];
	size_t n_pids;
	/* PIDs that options of streams name; ascending, each once */
	uint16_t pids[ADAPTER_PIDS_MAX];
};

/* The frontend of a tuner; all members are 0 if the source is not a tuner. */
struct msg_adapter_tuner {
	bool taken;              /* the frontend is open */
	uint32_t adapter;        /* number of its adapter in /dev/dvb */
	bool silent;             /* a watchdog has stopped the tuner, and the
				  * tuner has not started again yet */
	uint32_t status;         /* enum fe_status */
	uint32_t signal, snr;    /* raw values of the driver */
	int32_t signal_db, snr_db; /* 1/100 dBm, 1/100 dB */
	uint64_t ber, unc;       /* bit errors, uncorrected blocks; totals */
	bool ber_is_rate;        /* ber is a raw rate, because the driver does
				  * not count bit errors */
};

struct msg_adapter_status {
	bool lock;               /* the tuner has lock; without a tuner, or a
				  * report about it: packets arrive */
	bool on_air;             /* packets other than null packets arrived in
				  * the last second */
	uint32_t signal;         /* percent; 0: unknown */
	uint32_t snr;            /* percent; 0: unknown */
	uint32_t bitrate_kbps;   /* rate in the last second */
	uint64_t lost;           /* packets or datagrams lost since the start */
	struct msg_adapter_tuner tuner;
	const char *error;       /* why the source receives no packets; NULL: no
				  * error is known */
};

enum {
	SCAN_PLACES_MAX = 256,
	SCAN_TRANSPONDERS_MAX = 4096,
	SCAN_KEEP_S = 20, /* from the last stream.scan to the end of the scan */
};

struct msg_stream_scan {
	unsigned position;       /* of the input to report; 0: stop */
	bool begin;              /* report all tables from the beginning; false:
				  * continue for SCAN_KEEP_S more seconds */
};

struct msg_stream_splice {
	const json_t *record;    /* the splice command (proto/si/record.h) */
};

struct msg_stream_record {
	unsigned position;       /* position of the input */
	const json_t *record;    /* the section (proto/si/record.h) */
};

/* Values of `address' in scan.start that request the sessions of SAP, and the
 * SAT>IP servers. */
#define SCAN_ANNOUNCEMENTS "sap://"
#define SCAN_SERVERS "ssdp://"

struct msg_scan_start {
	/* address of an input, as in a stream, or one of the two above */
	const char *address;
};

struct msg_scan_ring {
	const char *address;     /* dvb:// address of the adapter */
	bool atsc;               /* its multiplex has tables of ATSC */
};

/* All texts are "": the entry at this place has ended. */
struct msg_scan_announcement {
	uint32_t place;          /* index of the entry, < SCAN_PLACES_MAX */
	const char *iface;       /* interface that received the announcement */
	const char *sender;      /* address of the sender */
	const char *name;
	const char *input;       /* address of an input for the session; "":
				  * none, see note */
	const char *note;        /* why there is no such address */
};

enum { MSG_SERVER_SYSTEMS_MAX = 8 };

/* All texts are "": the entry at this place has ended. */
struct msg_scan_server {
	uint32_t place;          /* index of the entry, < SCAN_PLACES_MAX */
	const char *iface;       /* interface on which the server is */
	const char *host;        /* address of the server */
	uint32_t port;           /* RTSP port; 0: the default, 554 */
	const char *uuid;
	/* The members below are from the description of the server; "": not
	 * given. */
	const char *name;
	const char *manufacturer;
	const char *model;
	const char *channels;    /* URL of its list of channels in M3U */
	size_t n_systems;
	struct msg_server_system {
		const char *system;  /* type as of an adapter ("S2"); or, if
				      * unknown, the word of the server */
		uint32_t frontends;
	} systems[MSG_SERVER_SYSTEMS_MAX];
	const char *note;        /* why there is no description; "": none */
};

struct msg_scan_record {
	const json_t *record;    /* the section (proto/si/record.h) */
};

struct msg_scan_adapter {
	const json_t *scan;      /* {adapter, search, grid}: scan_spec.h */
};

struct msg_scan_transponder {
	uint32_t number;         /* of the transponder in the scan, from 1 */
	const json_t *tuning;    /* its tuning, as keys of an adapter, and the
				  * ids of the network and transport stream */
	bool complete;           /* all tables were received */
	struct msg_adapter_status status;
};

struct msg_scan_service {
	uint32_t number;         /* of its scan.transponder */
	const json_t *service;   /* {pnr, name, ...} (scan_services.h) */
};

struct msg_scan_status {
	uint64_t packets;        /* packets received since the start */
	uint32_t done, total;    /* transponders already tuned, and all to tune;
				  * total 0: the scan does not tune */
	bool ended;              /* the scan has ended */
	const char *error;       /* why no packets arrive; NULL: no error */
};
