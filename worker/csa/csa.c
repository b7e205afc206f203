/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/csa/csa.h"

#include "common/base/alloc.h"

#include <assert.h>
#include <dvbcsa/dvbcsa.h>
#include <stdlib.h>

enum { PAYLOAD_MAX = 184 };

struct csa {
	struct dvbcsa_key_s *one;
	struct dvbcsa_bs_key_s *many;
	size_t n, size; /* payloads, and the places of a full batch */
	struct dvbcsa_bs_batch_s *batch; /* one more: NULL ends it */
};

struct csa *csa_new(void)
{
	struct csa *c = xcalloc(1, sizeof *c);

	c->one = dvbcsa_key_alloc();
	c->many = dvbcsa_bs_key_alloc();
	if (c->one == NULL || c->many == NULL)
		alloc_fail();
	c->size = dvbcsa_bs_batch_size();
	c->batch = xcalloc(c->size + 1, sizeof *c->batch);
	return c;
}

void csa_free(struct csa **pc)
{
	struct csa *c = *pc;

	*pc = NULL;
	if (c == NULL)
		return;
	dvbcsa_key_free(c->one);
	dvbcsa_bs_key_free(c->many);
	free(c->batch);
	free(c);
}

void csa_set(struct csa *c, const uint8_t control_word[CSA_CONTROL_WORD])
{
	assert(c->n == 0);
	dvbcsa_key_set(control_word, c->one);
	dvbcsa_bs_key_set(control_word, c->many);
}

size_t csa_add(struct csa *c, uint8_t *payload, size_t len)
{
	assert(c->n < c->size && len <= PAYLOAD_MAX);
	c->batch[c->n++] = (struct dvbcsa_bs_batch_s){
		.data = payload,
		.len = (unsigned)len,
	};
	return c->size - c->n;
}

void csa_scramble(struct csa *c)
{
	if (c->n >= CSA_BREAK_EVEN) {
		c->batch[c->n].data = NULL;
		dvbcsa_bs_encrypt(c->many, c->batch, PAYLOAD_MAX);
	} else {
		for (size_t i = 0; i < c->n; i++)
			dvbcsa_encrypt(c->one, c->batch[i].data,
				       c->batch[i].len);
	}
	c->n = 0;
}

void csa_descramble(struct csa *c)
{
	if (c->n >= CSA_BREAK_EVEN) {
		c->batch[c->n].data = NULL;
		dvbcsa_bs_decrypt(c->many, c->batch, PAYLOAD_MAX);
	} else {
		for (size_t i = 0; i < c->n; i++)
			dvbcsa_decrypt(c->one, c->batch[i].data,
				       c->batch[i].len);
	}
	c->n = 0;
}

void csa_drop(struct csa *c)
{
	c->n = 0;
}
