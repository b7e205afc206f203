/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes every key of the configuration as JSON schemas. */
#pragma once

#include <jansson.h>

/*
 * A new reference: a schema for each section of the configuration, and for each
 * type of addresses a schema of its options.
 *
 *	{ "settings": {...}, "make_stream": {...}, ...,
 *	  "inputs": { "udp": {...} }, "outputs": { "udp": {...} } }
 */
json_t *config_describe(void);
