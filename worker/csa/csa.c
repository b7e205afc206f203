/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/csa/csa.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "worker/csa/core.h"

#include <assert.h>
#include <dvbcsa/dvbcsa.h>
#include <stdlib.h>
#include <string.h>

enum { PAYLOAD_MAX = 184, PAYLOAD_MIN = 8 /* a shorter one stays clear */ };

struct csa {
	const struct csa_core *core; /* NULL: libdvbcsa */
	size_t break_even;
	struct csa_schedule schedule; /* with a core */
	struct dvbcsa_key_s *one;
	struct dvbcsa_bs_key_s *many; /* without */
	size_t n, size; /* payloads, and the places of a full batch */
	struct csa_payload *batch;
	struct dvbcsa_bs_batch_s *list; /* of the library; NULL ends it */
};

static void take_library(struct csa *c)
{
	c->many = dvbcsa_bs_key_alloc();
	if (c->many == NULL)
		alloc_fail();
	c->break_even = CSA_BREAK_EVEN;
	c->size = dvbcsa_bs_batch_size();
	c->list = xcalloc(c->size + 1, sizeof *c->list);
}

struct csa *csa_new_with(const struct csa_core *core)
{
	struct csa *c = xcalloc(1, sizeof *c);

	c->core = core;
	c->one = dvbcsa_key_alloc();
	if (c->one == NULL)
		alloc_fail();
	if (core == NULL) {
		take_library(c);
	} else {
		c->break_even = core->break_even;
		c->size = core->lanes;
	}
	c->batch = xcalloc(c->size, sizeof *c->batch);
	return c;
}

/* True if a full batch of the same payload is scrambled as libdvbcsa scrambles
 * one, and descrambled again. */
static bool payloads_agree(struct csa *c, uint8_t (*payloads)[PAYLOAD_MAX])
{
	uint8_t clear[PAYLOAD_MAX], expected[PAYLOAD_MAX];
	size_t n = csa_batch(c);
	bool ok = true;

	for (size_t i = 0; i < PAYLOAD_MAX; i++)
		clear[i] = (uint8_t)(i * 151 + 7);
	memcpy(expected, clear, sizeof expected);
	dvbcsa_encrypt(c->one, expected, PAYLOAD_MAX);
	for (size_t i = 0; i < n; i++) {
		memcpy(payloads[i], clear, PAYLOAD_MAX);
		csa_add(c, payloads[i], PAYLOAD_MAX);
	}
	csa_scramble(c);
	for (size_t i = 0; i < n; i++) {
		ok &= memcmp(payloads[i], expected, PAYLOAD_MAX) == 0;
		csa_add(c, payloads[i], PAYLOAD_MAX);
	}
	csa_descramble(c);
	for (size_t i = 0; i < n; i++)
		ok &= memcmp(payloads[i], clear, PAYLOAD_MAX) == 0;
	return ok;
}

bool csa_core_agrees(const struct csa_core *core)
{
	static const uint8_t word[CSA_CONTROL_WORD] = {
		0x12, 0x34, 0x56, 0x9c, 0xab, 0xcd, 0xef, 0x67
	};
	struct csa *c = csa_new_with(core);
	uint8_t(*payloads)[PAYLOAD_MAX] =
		xcalloc(core->lanes, sizeof *payloads);
	bool ok;

	csa_set(c, word);
	ok = payloads_agree(c, payloads);
	free(payloads);
	csa_free(&c);
	return ok;
}

struct csa *csa_new(void)
{
	const struct csa_core *core;

	for (size_t i = 0; (core = csa_core(i)) != NULL; i++) {
		if (csa_core_agrees(core))
			break;
		log_error("stream", "the %s core of CSA and libdvbcsa disagree "
				    "on this processor: the core is not used",
			  core->name);
	}
	return csa_new_with(core);
}

void csa_forget(struct csa *c)
{
	static const uint8_t zero[CSA_CONTROL_WORD];

	csa_set(c, zero);
}

void csa_free(struct csa **pc)
{
	struct csa *c = *pc;

	*pc = NULL;
	if (c == NULL)
		return;
	csa_drop(c);
	/* the library does not wipe its keys */
	csa_forget(c);
	dvbcsa_key_free(c->one);
	if (c->many != NULL)
		dvbcsa_bs_key_free(c->many);
	free(c->list);
	free(c->batch);
	explicit_bzero(c, sizeof *c);
	free(c);
}

size_t csa_batch(const struct csa *c)
{
	return c->size;
}

void csa_set(struct csa *c, const uint8_t control_word[CSA_CONTROL_WORD])
{
	assert(c->n == 0);
	dvbcsa_key_set(control_word, c->one);
	if (c->core != NULL)
		csa_schedule(control_word, &c->schedule);
	else
		dvbcsa_bs_key_set(control_word, c->many);
}

size_t csa_add(struct csa *c, uint8_t *payload, size_t len)
{
	assert(c->n < c->size && len <= PAYLOAD_MAX);
	if (len >= PAYLOAD_MIN)
		c->batch[c->n++] = (struct csa_payload){ payload, len };
	return c->size - c->n;
}

static void fill_list(struct csa *c)
{
	for (size_t i = 0; i < c->n; i++) {
		c->list[i].data = c->batch[i].data;
		c->list[i].len = (unsigned)c->batch[i].len;
	}
	c->list[c->n].data = NULL;
}

void csa_scramble(struct csa *c)
{
	if (c->n < c->break_even) {
		for (size_t i = 0; i < c->n; i++)
			dvbcsa_encrypt(c->one, c->batch[i].data,
				       (unsigned)c->batch[i].len);
	} else if (c->core != NULL) {
		c->core->scramble(&c->schedule, c->batch, c->n);
	} else {
		fill_list(c);
		dvbcsa_bs_encrypt(c->many, c->list, PAYLOAD_MAX);
	}
	c->n = 0;
}

void csa_descramble(struct csa *c)
{
	if (c->n < c->break_even) {
		for (size_t i = 0; i < c->n; i++)
			dvbcsa_decrypt(c->one, c->batch[i].data,
				       (unsigned)c->batch[i].len);
	} else if (c->core != NULL) {
		c->core->descramble(&c->schedule, c->batch, c->n);
	} else {
		fill_list(c);
		dvbcsa_bs_decrypt(c->many, c->list, PAYLOAD_MAX);
	}
	c->n = 0;
}

void csa_drop(struct csa *c)
{
	c->n = 0;
}
