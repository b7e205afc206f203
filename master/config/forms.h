/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a form needs to know of every key of the configuration, and of every
 * option of an address. */
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
