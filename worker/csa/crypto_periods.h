/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The crypto periods of a stream that one or more conditional access systems
 * protect (ETSI TS 103 197 5): when the control word changes, when each ECM is
 * broadcast, and which ECM to request.
 *
 * Each period has a number, and a control word of the same parity (even or
 * odd).  The word changes at the end of its period, but never before every
 * system has sent the ECM of the next period.  The new ECM of a system replaces
 * the old one delay_start after the change, or before the change if delay_start
 * is negative.  With an earlier delay_stop, the old ECM ends before that.  If
 * the access criteria of a system have changed, the delays for such a change
 * apply.  While an ECM is overdue, the word stays; after lost_after_s, the rule
 * of the system (`lost') applies.
 *
 * Where clear packets begin, the ECMs of a system with transition delays end.
 * Where clear packets end, its ECMs begin by its transition delay before or
 * after the first scrambled packet.
 *
 * The words, the number and the ECMs on air are in memory that outlives the
 * worker, so that the next worker continues.
 *
 * Pure: the caller provides time, words and ECMs.
 */
#pragma once

#include "common/base/util.h"
#include "worker/csa/csa.h"
#include "worker/ts/packet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CRYPTO_SYSTEMS_MAX = 8,
	CRYPTO_ECM_PACKETS = 8,
	/* words of a request: of the previous period, of the period, and of the
	 * next ones */
	CRYPTO_WORDS = 6,
	CRYPTO_KEPT = CRYPTO_WORDS + 1,
};

struct crypto_ecm {
	uint64_t system; /* hash of the system's id */
	uint16_t number; /* number of the ECM's period */
	uint16_t n;      /* packets; 0: none */
	uint32_t criteria; /* hash of the ECM's access criteria */
	uint8_t packets[CRYPTO_ECM_PACKETS * TS_PACKET];
};

/* Embedded.  All zero, or as the last worker left it. */
struct crypto_memory {
	uint32_t magic;
	uint16_t number; /* number of the current period */
	uint16_t reserved;
	/* [0]: word of the previous period, replaced by a random word after the
	 * change; [1]: word of the current period; [2] and so on: words of the
	 * next periods */
	uint8_t words[CRYPTO_KEPT][CSA_CONTROL_WORD];
	struct crypto_ecm on_air[CRYPTO_SYSTEMS_MAX];
};

/* What the stream does with the packets of its components. */
enum crypto_mode {
	CRYPTO_SCRAMBLED,
	CRYPTO_CLEAR,
	CRYPTO_STOPPED, /* the components are not sent */
};

/* start_ms: from the begin of a period to the begin of its ECM's broadcast.
 * stop_ms: from the end of the period to the end of that broadcast.  Negative:
 * before it. */
struct crypto_delay {
	int start_ms, stop_ms;
};

/* What the generator of a system requires. */
struct crypto_terms {
	bool up;
	unsigned period_ms; /* shortest period */
	struct crypto_delay delay;
	struct crypto_delay at_criteria; /* where access criteria change */
	bool transition; /* at_clear is valid: for the periods next to clear
			  * packets */
	struct crypto_delay at_clear;
	unsigned repetition_ms;
};

struct crypto_system_config {
	uint64_t system;       /* hash of the system's id */
	uint32_t criteria;     /* hash of the system's access criteria */
	/* mode after an ECM was overdue for lost_after_s; CRYPTO_SCRAMBLED:
	 * scrambling continues with the last word */
	enum crypto_mode lost;
	unsigned lost_after_s;
};

struct crypto_config {
	size_t n;
	struct crypto_system_config systems[CRYPTO_SYSTEMS_MAX];
	unsigned period_ms;
	struct crypto_memory *memory; /* borrowed */
	/* Makes a new control word. */
	void (*make_word)(uint8_t word[CSA_CONTROL_WORD], void *arg);
	void *arg;
	uint64_t now_ns;
};

struct crypto_system {
	struct crypto_terms terms;
	bool asked;         /* the ECM of asked_number was requested and has not
			     * arrived */
	uint16_t asked_number;
	struct crypto_ecm next; /* ECM of the next period; n 0: not received
				 * yet */
	uint64_t switch_ns; /* time when `next' goes on air; UINT64_MAX: not
			     * planned */
	uint64_t stop_ns;   /* time when the ECM on air ends; UINT64_MAX: when
			     * `next' goes on air */
	bool hidden;        /* the ECM of this period is not broadcast now */
	bool news;          /* the ECM on air has changed, or its broadcast has
			     * begun or ended, since crypto_take_news() */
};

struct crypto_periods {
	struct crypto_config cfg;
	uint64_t since_ns;  /* begin of the current period */
	uint64_t change_ns; /* end of the current period; UINT64_MAX: not
			     * planned */
	enum crypto_mode mode;
	uint64_t clear_ns;  /* time when the last clear packets began;
			     * UINT64_MAX: never */
	uint64_t scrambled_ns; /* time when the clear packets end; UINT64_MAX:
				* not planned */
	struct crypto_system systems[CRYPTO_SYSTEMS_MAX];
};

void crypto_init(struct crypto_periods *, const struct crypto_config *);

/* Sets new terms of a system.  A request that the system has not answered stays
 * valid.  If terms->up is false, the last terms still apply, so no word changes
 * earlier than they allow. */
void crypto_set_terms(struct crypto_periods *, size_t system,
		      const struct crypto_terms *);
/* Notes that the worker of a system has ended, so that its unanswered requests
 * are lost. */
void crypto_set_down(struct crypto_periods *, size_t system);

/* Returns the number of the period whose ECM must be requested from a system
 * now; false: none.  The request counts as sent. */
bool crypto_ask(struct crypto_periods *, size_t system, uint16_t *ret_number);

/* The CRYPTO_WORDS words for the request of this period, the first one for the
 * previous period. */
const uint8_t *crypto_words(const struct crypto_periods *, uint16_t number);

/* Takes the ECM of a period from a system.  False: it was not requested, or is
 * malformed. */
bool crypto_take_ecm(struct crypto_periods *, size_t system, uint16_t number,
		     const uint8_t *packets, size_t n);

/* Makes the changes that are due.  True: crypto_word(), crypto_is_odd() or
 * crypto_mode() has changed. */
bool crypto_turn(struct crypto_periods *, uint64_t now_ns);

const uint8_t *crypto_word(const struct crypto_periods *);
bool crypto_is_odd(const struct crypto_periods *);
enum crypto_mode crypto_mode(const struct crypto_periods *);

/* The ECM of a system that is broadcast now; n is 0: none. */
struct ts_run crypto_on_air(const struct crypto_periods *, size_t system);

/* True once after each change in the result of crypto_on_air(). */
bool crypto_take_news(struct crypto_periods *, size_t system);

/* The seconds for which an ECM of the system has been overdue; 0: no ECM is
 * overdue. */
unsigned crypto_late_s(const struct crypto_periods *, size_t system,
		       uint64_t now_ns);

/* The length of a period in ms: the longest that a system or the configuration
 * requires. */
unsigned crypto_period_ms(const struct crypto_periods *);
