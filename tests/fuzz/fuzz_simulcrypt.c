/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a generator of ECMs or EMMs sends: one message. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/pieces.h"
#include "worker/cas/ecm_packets.h"
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

/* An ECM or EMM of a generator: a section, or packets. */
static void pack(const uint8_t *data, size_t size)
{
	enum { MOST = 4 };
	uint8_t room[MOST * TS_PACKET];
	size_t n = ecm_packets_make(data, size, room, MOST);

	must(n <= MOST && (n == 0 || size <= n * TS_PACKET));
	for (size_t i = 0; i < n; i++)
		must(ts_sync_ok(room + i * TS_PACKET));
	n = ecm_packets_copy(data, size, room, MOST);
	must(n <= MOST && (n == 0 || n * TS_PACKET == size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct simulcrypt m;
	struct errmsg error;
	uint32_t n;

	if (size >= SIMULCRYPT_HEAD)
		must(simulcrypt_len(data) <= SIMULCRYPT_MAX);
	pack(data, size);
	if (simulcrypt_read(data, size, &m) < 0)
		return 0;
	write_again(&m, data, size);
	(void)simulcrypt_number(&m, ECMG_CHANNEL_ID, 2, &n);
	(void)simulcrypt_number(&m, EMMG_CLIENT_ID, 4, &n);
	simulcrypt_explain(&m, &error);
	must(error.text[0] != '\0');
	return 0;
}
