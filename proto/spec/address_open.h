/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The part of an address, or of a sentence, that an observer may see.
 *
 * Only these parts are shown; ADDRESS_HIDDEN replaces all others:
 *	type		a type that this version knows
 *	host, port	without a login in front of the host
 *	id		of stream:// and dvb://
 *	path		of files, of sdp:// and of http outputs; the path and
 *			the query of http:// inputs and of np:// are hidden,
 *			because they may have a password
 *	options		the options that the tables mark with FIELD_OBSERVER;
 *			a known option keeps its name, options that are not
 *			known become one ADDRESS_HIDDEN at the end
 * An address that this version cannot read keeps only its type, and dvb:// also
 * the id of the adapter.
 */
#pragma once

#define ADDRESS_HIDDEN "***"

enum address_use {
	ADDRESS_INPUT,
	ADDRESS_OUTPUT,
	ADDRESS_ANY, /* read as an input; if that fails, as an output */
};

/* Returns the address as an observer may see it.  All functions here return new
 * text, which the caller frees. */
char *address_open(const char *address, enum address_use);

/* Returns the host of [login@]host[/path], without the login and the path. */
char *address_open_host(const char *text);

/* Returns a sentence in which addresses are shown as by address_open().
 * ADDRESS_HIDDEN replaces everything in quotes, because sentences put values of
 * the configuration in quotes. */
char *address_open_sentence(const char *sentence);
