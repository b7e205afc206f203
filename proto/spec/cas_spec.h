/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A conditional access system (DVB Simulcrypt) of the configuration, and the
 * systems that scramble a stream.
 *
 * The table is FIELD_LOOSE.  A wrong value is as if its key were absent.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct field_table;

enum {
	CAS_LIST_MAX = 8, /* systems of one stream */
	CAS_ID_MAX = 64,  /* characters */
	CAS_HOST_MAX = 255,
	/* bytes of private data, which a descriptor has room for */
	CAS_DATA_MAX = 251,
	CAS_AC_MAX = 256,
	/* PIDs of ECMs that cas_list does not number begin here */
	CAS_ECM_PID = 0x1f00,
	CAS_PERIOD_DEFAULT_S = 10,
	CAS_LOST_DEFAULT_S = 60,
	CAS_EMM_DEFAULT_KBPS = 1000,
};

/* What the stream does if the ECMs of the next word do not arrive. */
enum cas_lost {
	CAS_LOST_KEEP,  /* the control word stays */
	CAS_LOST_CLEAR, /* the components are sent in the clear */
	CAS_LOST_STOP,  /* the components are not sent */
};

struct cas_data {
	size_t len;
	uint8_t bytes[CAS_AC_MAX];
};

/* An entry of `cas'. */
struct cas_entry {
	char id[CAS_ID_MAX + 1];
	uint32_t super_cas_id; /* 0: absent */
	uint16_t first_stream; /* number of the first ECM stream: 0 or 1 */
	uint16_t channel_id;
	char host[CAS_HOST_MAX + 1];
	uint16_t port;
	char host2[CAS_HOST_MAX + 1]; /* a second ECMG, or "" */
	uint16_t port2;
	uint8_t version; /* of the protocol */
	unsigned period_s; /* of the control word */
	unsigned entropy; /* bits of a control word: 48 or 64 */
	enum cas_lost lost;
	unsigned lost_after_s;

	bool emmg_udp;
	uint16_t emmg_port; /* 0: no EMMG */
	unsigned emmg_kbps; /* of all its streams */
	uint16_t emm_pid; /* 0x1fff: none */
	struct cas_data emm_data;
	bool emm_clone; /* EMMs go to all streams, else to one */
};

/* An item of `cas_list'. */
struct cas_link {
	char id[CAS_ID_MAX + 1]; /* cas_id */
	uint16_t ecm_pid; /* 0: absent */
	struct cas_data ecm_data, ac;
};

/* A system of a stream as configured, in borrowed JSON. */
struct cas_item {
	const json_t *link;  /* an item of cas_list */
	const json_t *entry; /* the entry of cas that it names; NULL: none */
};

/* A system of a stream. */
struct cas_spec {
	struct cas_link link;
	struct cas_entry entry;
	/* Why ECMs of the system cannot arrive; "": no error.  Keys that the
	 * entry lacks have their defaults. */
	struct errmsg error;
};

struct cas_list {
	size_t n;
	struct cas_spec list[CAS_LIST_MAX];
};

extern const struct field_table cas_entry_fields, cas_list_fields;

/* Reads an entry of `cas'.  0, or -EINVAL with error: a system cannot work with
 * this entry.  Always writes *ret. */
int cas_entry_read(const json_t *entry, struct cas_entry *ret,
		   struct errmsg *error) MUST_CHECK;

/* Reads the systems of a stream.  A system without an entry, or with an error
 * in it, is in the list with its error.  Each system gets an ECM PID of its
 * own. */
void cas_list_read(const struct cas_item *items, size_t n,
		   struct cas_list *ret);

/* The crypto period of the stream in seconds: the longest of the systems, which
 * all of them accept. */
unsigned cas_list_period_s(const struct cas_list *);
