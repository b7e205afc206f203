/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input addresses that name a softcam or an adapter.  Pure. */
#pragma once

#include <stdbool.h>

/* True when the address has the option cam=<id>, alone or in a list. */
bool input_edit_has_cam(const char *address, const char *id);

/* The address with the softcam `to` in the place of `from`, or without it when
 * to is NULL: an option without softcams goes.  All else stays as it is
 * written.  free() it. */
char *input_edit_cam(const char *address, const char *from, const char *to);

/* True for dvb://<id> with any options; address may be NULL. */
bool input_edit_is_adapter(const char *address, const char *id);

/* The dvb:// address with another id; free() it. */
char *input_edit_adapter(const char *address, const char *to);
