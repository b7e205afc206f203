/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input addresses that name a softcam or an adapter.  Pure. */
#pragma once

#include <stdbool.h>

/* True when the address has the option cam=<id>. */
bool input_edit_has_cam(const char *address, const char *id);

/* The address with cam=<to> in the place of cam=<from>, without the option when
 * to is NULL; all else stays as it is written.  free() it. */
char *input_edit_cam(const char *address, const char *from, const char *to);

/* True for dvb://<id> with any options; address may be NULL. */
bool input_edit_is_adapter(const char *address, const char *id);

/* The dvb:// address with another id; free() it. */
char *input_edit_adapter(const char *address, const char *to);
