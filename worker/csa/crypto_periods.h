/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The crypto periods of a stream that one or more conditional access systems
 * protect (ETSI TS 103 197 5): when the control word changes, when each ECM is
 * broadcast, and which ECM to request.
 *
 * Each period has a number and a control word of the same parity.  The word
 * changes at the end of its period, as soon as every system has the ECM of the
 * next period: never before.  An ECM replaces the one before delay_start after
 * the change, or ahead of it; one with an earlier delay_stop ends before.
 * Where the access criteria of a system change, its delays for this apply.
 * While an ECM is overdue, the word stays, and after a time the rule of its
 * system applies.
 *
 * Where clear packets begin, the ECMs of a system with transition delays end;
 * where they end, its ECMs begin so long before the first scrambled packet that
 * receivers have the word, or as much later as the system wants.
 *
 * Words, number and the ECMs on air are in memory that outlives the worker, so
 * that its successor continues.
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
	/* The words of a request: of the period before, of the period, and of
	 * the next ones. */
	CRYPTO_WORDS = 6,
	CRYPTO_KEPT = CRYPTO_WORDS + 1,
};

struct crypto_ecm {
	uint64_t system; /* hash of its id */
	uint16_t number; /* of the period */
	uint16_t n;      /* packets; 0: none */
	uint32_t criteria; /* hash of its access criteria */
	uint8_t packets[CRYPTO_ECM_PACKETS * TS_PACKET];
};

/* Embedded; zeroed, or as the last worker left it. */
struct crypto_memory {
	uint32_t magic;
	uint16_t number; /* of the period that runs */
	uint16_t reserved;
	/* words of the period before (another one, once the first has ended),
	 * of this one, and of the next ones */
	uint8_t words[CRYPTO_KEPT][CSA_CONTROL_WORD];
	struct crypto_ecm on_air[CRYPTO_SYSTEMS_MAX];
};

/* What the stream does. */
enum crypto_mode {
	CRYPTO_SCRAMBLED,
	CRYPTO_CLEAR,
	CRYPTO_STOPPED, /* the components are not sent */
};

/* From the begin of a period to that of its ECM, and from its end to that of
 * its ECM; negative: before it. */
struct crypto_delay {
	int start_ms, stop_ms;
};

/* From the generator of a system. */
struct crypto_terms {
	bool up;
	unsigned period_ms; /* the shortest period */
	struct crypto_delay delay;
	struct crypto_delay at_criteria; /* where access criteria change */
	bool transition; /* at_clear is for the periods beside clear packets */
	struct crypto_delay at_clear;
	unsigned repetition_ms;
};

struct crypto_system_config {
	uint64_t system;       /* hash of its id */
	uint32_t criteria;     /* hash of the access criteria */
	enum crypto_mode lost; /* without ECM; CRYPTO_SCRAMBLED: as before */
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
	bool asked;         /* the ECM of asked_number is awaited */
	uint16_t asked_number;
	struct crypto_ecm next; /* of the next period; n 0: not here */
	uint64_t switch_ns; /* when it goes on air; UINT64_MAX: not planned */
	uint64_t stop_ns;   /* when the one before ends; UINT64_MAX: then */
	bool hidden;        /* the ECM of the period is not broadcast now */
	bool news;          /* the ECM on air changed, or its broadcast began
			     * or ended, since crypto_take_news() */
};

struct crypto_periods {
	struct crypto_config cfg;
	uint64_t since_ns;  /* begin of the period */
	uint64_t change_ns; /* its end; UINT64_MAX: not planned */
	enum crypto_mode mode;
	uint64_t clear_ns;  /* begin of clear packets; UINT64_MAX: never */
	uint64_t scrambled_ns; /* their end; UINT64_MAX: not planned */
	struct crypto_system systems[CRYPTO_SYSTEMS_MAX];
};

void crypto_init(struct crypto_periods *, const struct crypto_config *);

/* Sets new terms of a system.  A request that it has not answered stays valid.
 * The last terms of a system that is down still apply: no word changes earlier
 * than they allow. */
void crypto_set_terms(struct crypto_periods *, size_t system,
		      const struct crypto_terms *);
/* Notes that the worker of a system has ended: its unanswered requests are
 * lost. */
void crypto_set_down(struct crypto_periods *, size_t system);

/* The number of the period whose ECM must be requested from a system now;
 * false: none.  The request counts as made. */
bool crypto_ask(struct crypto_periods *, size_t system, uint16_t *ret_number);

/* The CRYPTO_WORDS words for a request of this period. */
const uint8_t *crypto_words(const struct crypto_periods *, uint16_t number);

/* Takes the ECM of a period from a system.  False: it was not requested, or is
 * malformed. */
bool crypto_take_ecm(struct crypto_periods *, size_t system, uint16_t number,
		     const uint8_t *packets, size_t n);

/* Makes the changes that are due.  True: crypto_word(), its parity or
 * crypto_mode() has changed. */
bool crypto_turn(struct crypto_periods *, uint64_t now_ns);

const uint8_t *crypto_word(const struct crypto_periods *);
bool crypto_is_odd(const struct crypto_periods *);
enum crypto_mode crypto_mode(const struct crypto_periods *);

/* The ECM on air of a system; n is 0 if there is none. */
struct ts_run crypto_on_air(const struct crypto_periods *, size_t system);

/* True once after each change of the ECM that is on air for the system. */
bool crypto_take_news(struct crypto_periods *, size_t system);

/* The seconds for which an ECM of the system has been overdue; 0: none is. */
unsigned crypto_late_s(const struct crypto_periods *, size_t system,
		       uint64_t now_ns);

/* The length of a period in ms: the longest that a system or the configuration
 * demands. */
unsigned crypto_period_ms(const struct crypto_periods *);
