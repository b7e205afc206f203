/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The smart card of a softcam: chooses the ECMs that it can decrypt, and
 * recognises the EMMs that are for it.  Pure.
 */
#pragma once

#include "proto/ipc/msg_softcam.h"
#include "worker/ca/ca_refs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CA_ADDRESS = 8 /* bytes */ };

struct ca_card {
	uint16_t caid; /* 0: unknown */
	uint8_t ua[CA_ADDRESS]; /* unique address; all zeros: none */
	size_t n;
	struct {
		uint32_t id;
		uint8_t sa[CA_ADDRESS]; /* shared address; all zeros: none */
	} providers[MSG_IDENTS_MAX];
};

/* Reads the card from a message; malformed parts are skipped. */
void ca_card_read(const struct msg_stream_cam *, struct ca_card *ret);

/* Chooses the ECM for the card: the first reference with its CAID and one of
 * its providers, else the first one with its CAID.  NULL: none has its CAID. */
const struct ca_ref *ca_card_choose(const struct ca_card *,
				    const struct ca_refs *);

enum emm_kind {
	EMM_OTHER,  /* for other cards, or no EMM */
	EMM_UNIQUE, /* for this card */
	EMM_SHARED, /* for a group of cards, including this one */
	EMM_GLOBAL, /* for all cards */
};

/* Finds for which cards an EMM is.  If the first bytes of the section contain
 * an address of this card, the EMM is for this card.  Otherwise the table_id
 * decides: 0x82 to 0x87 are addressed to other cards in most systems.
 * Exceptions: Nagravision uses 0x82 for global EMMs, and Viaccess addresses
 * 0x88 and 0x8e. */
enum emm_kind ca_card_judge_emm(const struct ca_card *, uint16_t caid,
				const uint8_t *section, size_t len);
