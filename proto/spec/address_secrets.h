/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hides the secrets in addresses of inputs and outputs. */
#pragma once

#include "common/base/util.h"

#define ADDRESS_HIDDEN "***"

/*
 * A copy of text in which ADDRESS_HIDDEN stands for the password in front of a
 * host and for the values of options and of query parameters whose names say
 * that they are secret: passphrase, secret, token, key, header.NAME ...  text
 * is an address, or a sentence with addresses.  NULL: there is nothing to hide;
 * free() it otherwise.
 */
char *address_hide_secrets(const char *text);
