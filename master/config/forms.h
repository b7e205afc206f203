/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes every key of the configuration and every option of an address, for
 * forms of a web interface. */
#pragma once

#include <jansson.h>

/*
 * Returns a new object.  Its lists of fields have the form of field_form().
 *
 *	{ "input": [{ "type": "udp", "target": "[iface@]address[:port]",
 *	              "options": [...] }],
 *	  "input_options": [...], "remux_options": [...], "output": [...],
 *	  "stream": [...], "settings": [...], "user": [...], ... }
 */
json_t *forms_make(void);
