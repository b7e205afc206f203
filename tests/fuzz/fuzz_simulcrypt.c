/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a generator of ECMs or EMMs sends: one message. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/pieces.h"
#include "worker/cas/simulcrypt.h"

/* Writes the parameters again: the same message results. */
static void write_again(const struct simulcrypt *m, const uint8_t *data,
			size_t size)
{
	uint8_t *copy = malloc(size);
	struct simulcrypt_parameter p;
	struct simulcrypt_writer w;
	size_t at = 0;

	simulcrypt_begin(&w, copy, size, m->version,
			 (enum simulcrypt_type)m->type);
	while (simulcrypt_next(m, &at, &p)) {
		must(p.value >= data && p.value + p.len <= data + size);
		simulcrypt_put_bytes(&w, p.tag, p.value, p.len);
	}
	must(simulcrypt_end(&w) == size);
	must(memcmp(copy, data, size) == 0);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct simulcrypt m;
	uint32_t n;

	if (size >= SIMULCRYPT_HEAD)
		must(simulcrypt_len(data) <= SIMULCRYPT_MAX);
	if (simulcrypt_read(data, size, &m) < 0)
		return 0;
	write_again(&m, data, size);
	(void)simulcrypt_number(&m, ECMG_CHANNEL_ID, 2, &n);
	(void)simulcrypt_number(&m, EMMG_CLIENT_ID, 4, &n);
	must(simulcrypt_error_text(simulcrypt_error(&m)) != NULL);
	return 0;
}
