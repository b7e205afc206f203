/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames of the newcamd protocol (version 5.25), as a client writes and reads
 * them.
 *
 * A frame is encrypted by triple DES with two keys in CBC mode.  The login has
 * one key, and the session has another, which depends on the password.  Nothing
 * that a server sends is trusted before it was checked.
 */
#pragma once

#include "common/base/util.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	NEWCAMD_KEY = 14,      /* bytes of the configured key */
	NEWCAMD_GREETING = 14, /* bytes that the server sends first */
	NEWCAMD_DES_KEY = 16,
	NEWCAMD_FRAME_MAX = 1024,
	NEWCAMD_BODY_MAX = 960,
	NEWCAMD_HASH = 34, /* characters of the hashed password */
};

enum newcamd_type {
	NEWCAMD_LOGIN = 0xe0,
	NEWCAMD_LOGIN_ACK = 0xe1,
	NEWCAMD_LOGIN_NAK = 0xe2,
	NEWCAMD_CARD_REQUEST = 0xe3,
	NEWCAMD_CARD = 0xe4,
	NEWCAMD_KEEPALIVE = 0xfd,
};

struct newcamd_msg {
	uint16_t id;
	uint16_t sid; /* service id; in a login: type of the client */
	uint16_t caid;
	uint32_t provider; /* 24 bits */
	uint8_t type; /* enum newcamd_type, or the table_id of a section */
	size_t len;
	const uint8_t *body; /* borrowed */
};

/* Reads the configured key, 28 hexadecimal digits.  NULL or any other text: the
 * usual key of newcamd. */
void newcamd_key_read(const char *text, uint8_t ret[NEWCAMD_KEY]);

/* Makes the hash of the password, which login and session need.  0; -EINVAL:
 * the C library cannot make it. */
int newcamd_hash(const char *password, char ret[NEWCAMD_HASH + 1]) MUST_CHECK;

/* Makes the login key from the configured key and the greeting of the
 * server. */
void newcamd_login_key(const uint8_t key[NEWCAMD_KEY],
		       const uint8_t greeting[NEWCAMD_GREETING],
		       uint8_t ret[NEWCAMD_DES_KEY]);

/* Makes the session key, which is used after the login, from the configured key
 * and the hash of the password. */
void newcamd_session_key(const uint8_t key[NEWCAMD_KEY],
			 const char hash[NEWCAMD_HASH + 1],
			 uint8_t ret[NEWCAMD_DES_KEY]);

/* Writes a frame and returns its size in bytes.  -EMSGSIZE: the body is longer
 * than NEWCAMD_BODY_MAX; -EIO: the system has no random bytes. */
ssize_t newcamd_write(const uint8_t key[NEWCAMD_DES_KEY],
		      const struct newcamd_msg *,
		      uint8_t ret[NEWCAMD_FRAME_MAX]) MUST_CHECK;

/* The length in bytes of the frame that begins with these two bytes, at most
 * NEWCAMD_FRAME_MAX; -EBADMSG: no frame can have this length. */
ssize_t newcamd_frame_len(const uint8_t head[2]) MUST_CHECK;

/* Decrypts a whole frame in place; ret->body points into the frame.  0;
 * -EBADMSG: the key, the checksum or the length is wrong. */
int newcamd_read(const uint8_t key[NEWCAMD_DES_KEY], uint8_t *frame,
		 size_t len, struct newcamd_msg *ret) MUST_CHECK;
