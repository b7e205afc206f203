/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The card behind a softcam: which ECMs it reads, and which EMMs are for it.
 * Pure.
 */
#pragma once

#include "proto/ipc/msg_softcam.h"
#include "worker/ca/ca_refs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CA_ADDRESS = 8 /* bytes */ };

struct ca_card {
	uint16_t caid; /* 0: not known */
	uint8_t ua[CA_ADDRESS]; /* unique address; zeros: none */
	size_t n;
	struct {
		uint32_t id;
		uint8_t sa[CA_ADDRESS]; /* shared address; zeros: none */
	} providers[MSG_IDENTS_MAX];
};

/* Reads the card of a message; malformed parts are left out. */
void ca_card_read(const struct msg_stream_cam *, struct ca_card *ret);

/* The reference to an ECM that the card may read: the first one with its CAID
 * and one of its providers, else the first one with its CAID.  NULL: none. */
const struct ca_ref *ca_card_choose(const struct ca_card *,
				    const struct ca_refs *);

enum emm_kind {
	EMM_OTHER,  /* for other cards, or none */
	EMM_UNIQUE, /* for this card */
	EMM_SHARED, /* for a group of cards with this one */
	EMM_GLOBAL, /* for all cards */
};

/* The addressee of an EMM.  A section that has an address of the card in its
 * head is for this card.  Otherwise the table_id decides: 0x82 to 0x87 are
 * addressed in most systems, so they are for other cards.  Nagravision has
 * global EMMs in 0x82, and Viaccess addresses 0x88 and 0x8e. */
enum emm_kind ca_card_judge_emm(const struct ca_card *, uint16_t caid,
				const uint8_t *section, size_t len);
