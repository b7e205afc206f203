/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The conditional access systems (DVB Simulcrypt) of the configuration, and
 * those that scramble a stream.
 *
 * The tables are FIELD_LOOSE: a key with a wrong value counts as absent.
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
	CAS_ID_MAX = 64,  /* characters of an id */
	CAS_HOST_MAX = 255,
	/* bytes of private data for which a CA_descriptor has room */
	CAS_DATA_MAX = 251,
	CAS_AC_MAX = 256, /* bytes of access criteria */
	/* lowest ECM PID for the systems to which cas_list gives no PID */
	CAS_ECM_PID = 0x1f00,
	CAS_PERIOD_DEFAULT_S = 10,
	CAS_LOST_DEFAULT_S = 60,
	CAS_EMM_DEFAULT_KBPS = 1000,
};

/* What the stream does if the ECMs of the next word do not arrive. */
enum cas_lost {
	CAS_LOST_KEEP,  /* the last control word stays in use */
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
	uint32_t super_cas_id; /* 0: the key is absent */
	uint16_t first_stream; /* number of the first ECM stream: 0 or 1 */
	uint16_t channel_id;
	char host[CAS_HOST_MAX + 1]; /* of the ECM generator */
	uint16_t port;
	char host2[CAS_HOST_MAX + 1]; /* of a second ECM generator; "": none */
	uint16_t port2;
	uint8_t version; /* of the Simulcrypt protocol: 2 or 3 */
	unsigned period_s; /* crypto period */
	unsigned entropy; /* random bits of a control word: 48 or 64 */
	enum cas_lost lost;
	unsigned lost_after_s; /* after this time without ECMs `lost' applies */

	bool emmg_udp; /* EMM generators send by UDP; false: by TCP */
	uint16_t emmg_port; /* port for EMM generators; 0: no port is open */
	unsigned emmg_kbps; /* highest rate of all EMMs together */
	uint16_t emm_pid; /* 0x1fff: no EMMs are sent */
	struct cas_data emm_data; /* private data of the CA_descriptor (CAT) */
	bool emm_clone; /* each EMM is sent in all streams; false: in one */
};

/* An item of `cas_list'. */
struct cas_link {
	char id[CAS_ID_MAX + 1]; /* cas_id: id of the entry in cas */
	uint16_t ecm_pid; /* PID of the ECMs; 0: the key is absent */
	/* private data of the CA_descriptor in the PMT; access criteria */
	struct cas_data ecm_data, ac;
};

/* A system of a stream, as JSON of the configuration; borrowed. */
struct cas_item {
	const json_t *link;  /* the item of cas_list */
	const json_t *entry; /* the entry of cas that link names; NULL: none */
};

/* A system of a stream, as read by cas_list_read(). */
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
