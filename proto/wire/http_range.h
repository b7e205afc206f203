/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the Range header of a request (RFC 9110 14.2).  Pure. */
#pragma once

#include <stdint.h>

enum http_range {
	HTTP_RANGE_WHOLE, /* answer with the whole body: 200 */
	HTTP_RANGE_PART,  /* answer with the bytes from *ret_start to in front
			   * of *ret_end: 206 */
	HTTP_RANGE_NONE,  /* no byte of the range exists: 416 */
};

/* Reads the range of a request.  text: the value of the header, or NULL; len:
 * bytes of the body.  Ignores several ranges, other units and malformed values,
 * as the RFC allows. */
enum http_range http_range_read(const char *text, uint64_t len,
				uint64_t *ret_start, uint64_t *ret_end);
