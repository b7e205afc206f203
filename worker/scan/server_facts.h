/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the description of a SAT>IP server says (SAT>IP specification 1.2.2,
 * chapter 3.3.2).
 *
 * Pure.
 */
#pragma once

#include "proto/ipc/msg.h"
#include "worker/scan/server_url.h"

enum {
	SERVER_TEXT_MAX = 128,
	SERVER_SYSTEM_MAX = 16,
	SERVER_FRONTENDS_MAX = 255,
};

struct server_facts {
	/* UTF-8 without control characters; "": absent */
	char name[SERVER_TEXT_MAX];
	char manufacturer[SERVER_TEXT_MAX];
	char model[SERVER_TEXT_MAX];
	/* A system is the type of an adapter (proto/spec/satip_spec.h), or as
	 * the server writes it if no adapter receives it. */
	size_t n_systems;
	struct server_system {
		char name[SERVER_SYSTEM_MAX];
		unsigned frontends;
	} systems[MSG_SERVER_SYSTEMS_MAX];
	struct server_url channels; /* a list in M3U; port 0: none */
	uint16_t port;              /* of RTSP; 0: the usual one */
};

/* Copies a text in UTF-8: without control characters, shortened. */
void server_text_copy(const char *from, char to[SERVER_TEXT_MAX]);

/* Reads X_SATIPCAP, "DVBS2-4,DVBT2-2": parts of another form are skipped. */
void server_facts_capabilities(struct server_facts *, const char *text);

/* Reads X_SATIPM3U: a URL of the server, or a path of it; others are
 * ignored. */
void server_facts_channels(struct server_facts *, const char *text,
			   const char *host, uint16_t port);
