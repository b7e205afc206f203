/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The facts in the description of a SAT>IP server (SAT>IP specification 1.2.2,
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
	/* Delivery systems: the `type' of an adapter (proto/spec/satip_spec.h),
	 * or the name from the server if no adapter has such a type. */
	size_t n_systems;
	struct server_system {
		char name[SERVER_SYSTEM_MAX];
		unsigned frontends;
	} systems[MSG_SERVER_SYSTEMS_MAX];
	/* URL of a channel list in M3U; port 0: none */
	struct server_url channels;
	uint16_t port;              /* port of RTSP; 0: the usual one, 554 */
};

/* Copies a UTF-8 text, removes control characters, and cuts it if it is too
 * long. */
void server_text_copy(const char *from, char to[SERVER_TEXT_MAX]);

/* Reads X_SATIPCAP, for example "DVBS2-4,DVBT2-2"; skips parts of another
 * form. */
void server_facts_capabilities(struct server_facts *, const char *text);

/* Reads X_SATIPM3U: a URL of the same host, or a path.  A URL of another host
 * is ignored. */
void server_facts_channels(struct server_facts *, const char *text,
			   const char *host, uint16_t port);
