/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages of DVB Simulcrypt (ETSI TS 103 197) between a multiplexer and the
 * generators of ECMs and EMMs.
 *
 * A message is a head (version, type, length) and parameters (tag, length,
 * value) in any order.  Nothing that a peer sends is trusted before it was
 * checked.  Unknown parameters are skipped.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SIMULCRYPT_HEAD = 5, /* bytes of the head of a message */
	SIMULCRYPT_MAX = SIMULCRYPT_HEAD + 65535,
	SIMULCRYPT_WORD = 8, /* bytes of a control word */
	/* the supported versions, which have the same messages and
	 * parameters */
	SIMULCRYPT_VERSION = 2,
	SIMULCRYPT_VERSION_MAX = 3,
};

/* TS 103 197 5.4 and 6.2: types of messages. */
enum simulcrypt_type {
	ECMG_CHANNEL_SETUP = 0x0001,
	ECMG_CHANNEL_TEST = 0x0002,
	ECMG_CHANNEL_STATUS = 0x0003,
	ECMG_CHANNEL_CLOSE = 0x0004,
	ECMG_CHANNEL_ERROR = 0x0005,
	ECMG_STREAM_SETUP = 0x0101,
	ECMG_STREAM_TEST = 0x0102,
	ECMG_STREAM_STATUS = 0x0103,
	ECMG_STREAM_CLOSE = 0x0104,
	ECMG_STREAM_CLOSED = 0x0105,
	ECMG_STREAM_ERROR = 0x0106,
	ECMG_CW_PROVISION = 0x0201,
	ECMG_ECM_RESPONSE = 0x0202,

	EMMG_CHANNEL_SETUP = 0x0011,
	EMMG_CHANNEL_TEST = 0x0012,
	EMMG_CHANNEL_STATUS = 0x0013,
	EMMG_CHANNEL_CLOSE = 0x0014,
	EMMG_CHANNEL_ERROR = 0x0015,
	EMMG_STREAM_SETUP = 0x0111,
	EMMG_STREAM_TEST = 0x0112,
	EMMG_STREAM_STATUS = 0x0113,
	EMMG_STREAM_CLOSE = 0x0114,
	EMMG_STREAM_CLOSED = 0x0115,
	EMMG_STREAM_ERROR = 0x0116,
	EMMG_BANDWIDTH_REQUEST = 0x0117,
	EMMG_BANDWIDTH_ALLOCATION = 0x0118,
	EMMG_DATA = 0x0211,
};

/* Tags of parameters in the protocol of an ECMG. */
enum ecmg_tag {
	ECMG_SUPER_CAS_ID = 0x0001,
	ECMG_SECTION_TSPKT_FLAG = 0x0002,
	ECMG_DELAY_START = 0x0003,
	ECMG_DELAY_STOP = 0x0004,
	ECMG_TRANSITION_DELAY_START = 0x0005,
	ECMG_TRANSITION_DELAY_STOP = 0x0006,
	ECMG_ECM_REP_PERIOD = 0x0007,
	ECMG_MAX_STREAMS = 0x0008,
	ECMG_MIN_CP_DURATION = 0x0009,
	ECMG_LEAD_CW = 0x000a,
	ECMG_CW_PER_MSG = 0x000b,
	ECMG_MAX_COMP_TIME = 0x000c,
	ECMG_ACCESS_CRITERIA = 0x000d,
	ECMG_CHANNEL_ID = 0x000e,
	ECMG_STREAM_ID = 0x000f,
	ECMG_NOMINAL_CP_DURATION = 0x0010,
	ECMG_AC_TRANSFER_MODE = 0x0011,
	ECMG_CP_NUMBER = 0x0012,
	ECMG_CP_DURATION = 0x0013,
	ECMG_CP_CW_COMBINATION = 0x0014,
	ECMG_ECM_DATAGRAM = 0x0015,
	ECMG_AC_DELAY_START = 0x0016,
	ECMG_AC_DELAY_STOP = 0x0017,
	ECMG_CW_ENCRYPTION = 0x0018,
	ECMG_ECM_ID = 0x0019,
};

/* Tags of parameters in the protocol of an EMMG. */
enum emmg_tag {
	EMMG_CLIENT_ID = 0x0001,
	EMMG_SECTION_TSPKT_FLAG = 0x0002,
	EMMG_CHANNEL_ID = 0x0003,
	EMMG_STREAM_ID = 0x0004,
	EMMG_DATAGRAM = 0x0005,
	EMMG_BANDWIDTH = 0x0006,
	EMMG_DATA_TYPE = 0x0007,
	EMMG_DATA_ID = 0x0008,
};

/* Tags of both protocols. */
enum simulcrypt_tag {
	SIMULCRYPT_ERROR_STATUS = 0x7000,
	SIMULCRYPT_ERROR_INFORMATION = 0x7001,
};

struct simulcrypt {
	uint8_t version;
	uint16_t type; /* enum simulcrypt_type, or unknown */
	const uint8_t *body; /* borrowed */
	size_t len;
};

struct simulcrypt_parameter {
	uint16_t tag;
	const uint8_t *value; /* borrowed */
	size_t len;
};

/* The length in bytes of the message that begins with this head. */
size_t simulcrypt_len(const uint8_t head[SIMULCRYPT_HEAD]);

/* Reads a whole message.  0; -EBADMSG: its length is not that of its
 * parameters. */
int simulcrypt_read(const uint8_t *data, size_t len,
		    struct simulcrypt *ret) MUST_CHECK;

/* Reads the parameter at *at (0: the first one) and moves *at behind it; false:
 * there is no further parameter. */
bool simulcrypt_next(const struct simulcrypt *, size_t *at,
		     struct simulcrypt_parameter *ret);

/* Finds the first parameter with this tag; false: there is none. */
bool simulcrypt_find(const struct simulcrypt *, uint16_t tag,
		     struct simulcrypt_parameter *ret);

/* Reads the first parameter with this tag as a number of size bytes, at most 4.
 * 0; -ENOENT: there is none; -EBADMSG: it has another size. */
int simulcrypt_number(const struct simulcrypt *, uint16_t tag, size_t size,
		      uint32_t *ret);

/* The error_status of an error message; 0: the message has none. */
unsigned simulcrypt_error(const struct simulcrypt *);
/* The text for an error_status of an ECMG. */
const char *simulcrypt_error_text(unsigned status);
/* Writes the text for an error message of an ECMG, with the parameter that the
 * message names. */
void simulcrypt_explain(const struct simulcrypt *error, struct errmsg *ret);

/*
 * Writes a message.
 *
 *	simulcrypt_begin(&w, memory, size, version, type);
 *	simulcrypt_put(&w, tag, number, 2);
 *	len = simulcrypt_end(&w);
 *
 * Borrows the memory.
 */
struct simulcrypt_writer {
	uint8_t *data;
	size_t size, len;
	bool full; /* a parameter did not fit */
};

void simulcrypt_begin(struct simulcrypt_writer *, void *memory, size_t size,
		      uint8_t version, enum simulcrypt_type);
/* Writes a parameter that is a number of size bytes, at most 4. */
void simulcrypt_put(struct simulcrypt_writer *, uint16_t tag, uint32_t number,
		    size_t size);
void simulcrypt_put_bytes(struct simulcrypt_writer *, uint16_t tag,
			  const void *value, size_t len);
/* Ends the message; returns its length in bytes, 0: a parameter did not fit. */
size_t simulcrypt_end(struct simulcrypt_writer *);
