/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes every key of the configuration and every option of an address, for
 * forms of a web interface. */
#pragma once

#include <jansson.h>

/*
 * A new reference.  Lists of fields are those of field_form().
 *
 *	{ "input": [{ "type": "udp", "target": "[iface@]address[:port]",
 *	              "options": [...] }],
 *	  "input_options": [...], "remux_options": [...], "output": [...],
 *	  "stream": [...], "settings": [...], "user": [...], ... }
 */
json_t *forms_make(void);
