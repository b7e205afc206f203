/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/csa/csa.h"

#include "common/base/alloc.h"
#include "worker/csa/core.h"

#include <assert.h>
#include <dvbcsa/dvbcsa.h>
#include <stdlib.h>
#include <string.h>

enum {
	PAYLOAD_MAX = 184,
	PAYLOAD_MIN = 8, /* a shorter payload stays in the clear */
	STACK_WIPED = 8192,
};

struct csa {
	const struct csa_core *core; /* NULL: the bitslice core of libdvbcsa */
	size_t break_even;
	struct csa_schedule schedule; /* used with a core */
	struct dvbcsa_key_s *one;
	struct dvbcsa_bs_key_s *many; /* used without a core */
	size_t n, size; /* n: payloads in the batch; size: payloads of a full
			 * batch */
	struct csa_payload *batch;
	/* batch in the form of libdvbcsa; data NULL ends it */
	struct dvbcsa_bs_batch_s *list;
};

struct csa *csa_new(const struct csa_core *core)
{
	struct csa *c = xcalloc(1, sizeof *c);

	c->core = core;
	c->one = dvbcsa_key_alloc();
	if (c->one == NULL)
		alloc_fail();
	if (core != NULL) {
		c->break_even = core->break_even;
		c->size = core->lanes;
	} else {
		c->many = dvbcsa_bs_key_alloc();
		if (c->many == NULL)
			alloc_fail();
		c->break_even = CSA_BREAK_EVEN;
		c->size = dvbcsa_bs_batch_size();
		c->list = xcalloc(c->size + 1, sizeof *c->list);
	}
	c->batch = xcalloc(c->size, sizeof *c->batch);
	return c;
}

struct sample {
	uint8_t clear[PAYLOAD_MAX], scrambled[PAYLOAD_MAX], now[PAYLOAD_MAX];
	size_t len;
};

/* Makes a different payload and length for each lane, to test a core. */
static void make_samples(struct csa *c, struct sample *samples)
{
	uint32_t random = 1;

	for (size_t i = 0; i < c->size; i++) {
		struct sample *s = &samples[i];

		s->len = PAYLOAD_MAX - i % (PAYLOAD_MAX - PAYLOAD_MIN + 1);
		for (size_t k = 0; k < s->len; k++) {
			random = random * 1664525 + 1013904223;
			s->clear[k] = (uint8_t)(random >> 24);
		}
		memcpy(s->scrambled, s->clear, s->len);
		dvbcsa_encrypt(c->one, s->scrambled, (unsigned)s->len);
		memcpy(s->now, s->clear, s->len);
	}
}

static bool samples_agree(struct csa *c, struct sample *samples)
{
	bool ok = true;

	make_samples(c, samples);
	for (size_t i = 0; i < c->size; i++)
		csa_add(c, samples[i].now, samples[i].len);
	csa_scramble(c);
	for (size_t i = 0; i < c->size; i++) {
		struct sample *s = &samples[i];

		ok &= memcmp(s->now, s->scrambled, s->len) == 0;
		csa_add(c, s->now, s->len);
	}
	csa_descramble(c);
	for (size_t i = 0; i < c->size; i++)
		ok &= memcmp(samples[i].now, samples[i].clear,
			     samples[i].len) == 0;
	return ok;
}

bool csa_core_agrees(const struct csa_core *core)
{
	static const uint8_t word[CSA_CONTROL_WORD] = {
		0x12, 0x34, 0x56, 0x9c, 0xab, 0xcd, 0xef, 0x67
	};
	struct csa *c = csa_new(core);
	struct sample *samples = xcalloc(c->size, sizeof *samples);
	bool ok;

	csa_set(c, word);
	ok = samples_agree(c, samples);
	free(samples);
	csa_free(&c);
	return ok;
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
	/* libdvbcsa does not wipe its keys */
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

/* Overwrites a part of the stack: the key schedules leave the control word
 * there, where it could stay for long. */
__attribute__((noinline)) static void wipe_stack(void)
{
	uint8_t below[STACK_WIPED];

	explicit_bzero(below, sizeof below);
}

void csa_set(struct csa *c, const uint8_t control_word[CSA_CONTROL_WORD])
{
	assert(c->n == 0);
	dvbcsa_key_set(control_word, c->one);
	if (c->core != NULL)
		csa_schedule(control_word, &c->schedule);
	else
		dvbcsa_bs_key_set(control_word, c->many);
	wipe_stack();
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
