/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/hls_load.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/net/curl/url.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of memory that an emptied buffer keeps. */
enum { KEEP = 32 * 1024 };

/* --- received bytes --- */

/* Passes bytes to on_data(), without those that an earlier attempt delivered.
 * False: the receiver has no room. */
static bool hand_on(struct hls_load *l, const uint8_t *data, size_t len)
{
	size_t skip = (size_t)MIN(l->delivered - MIN(l->delivered, l->received),
				  (uint64_t)len);

	if (len > skip && !l->on_data(data + skip, len - skip, l->arg))
		return false;
	l->received += len;
	l->delivered = MAX(l->delivered, l->received);
	return true;
}

static bool hand_on_waiting(struct hls_load *l)
{
	size_t len = buf_len(&l->waiting);

	if (len == 0)
		return true;
	if (!hand_on(l, buf_head(&l->waiting), len))
		return false;
	buf_reset(&l->waiting, KEEP);
	return true;
}

/* Takes received bytes, and decrypts them.  Decrypted bytes that the receiver
 * refuses are stored in waiting, because they cannot be decrypted again. */
static enum fetch_taken on_bytes(const uint8_t *data, size_t len, void *arg)
{
	struct hls_load *l = arg;
	int n = 0;
	uint8_t *plain;

	if (l->cipher == NULL)
		return hand_on(l, data, len) ? FETCH_TAKEN : FETCH_NO_ROOM;
	if (!hand_on_waiting(l))
		return FETCH_NO_ROOM;
	plain = buf_reserve(&l->waiting, len + M3U8_IV);
	if (EVP_DecryptUpdate(l->cipher, plain, &n, data, (int)len) != 1)
		return FETCH_ENOUGH;
	buf_added(&l->waiting, (size_t)n);
	(void)hand_on_waiting(l);
	return FETCH_TAKEN;
}

/* --- keys --- */

void hls_load_forget_keys(struct hls_load *l)
{
	while (l->n_keys > 0) {
		struct hls_key *k = &l->keys[--l->n_keys];

		free(k->url);
		OPENSSL_cleanse(k, sizeof *k);
	}
}

/* Loads the key of the segment.  0: loading; 1: loaded and stored; -errno with
 * l->error. */
static int turn_key(struct hls_load *l)
{
	int r;

	if (!http_body_is_loading(&l->body)) {
		l->tried_ns = l->seen_ns;
		r = http_body_load(&l->body, l->fetcher, l->key_url, HLS_KEY,
			      &l->error);
		return MIN(r, 0);
	}
	r = http_body_poll(&l->body, &l->error);
	if (r > 0 && buf_len(&l->body.buf) != HLS_KEY)
		r = errmsg_fail(&l->error, -EINVAL, "the key of the segment "
				"has %zu bytes instead of %d",
				buf_len(&l->body.buf), HLS_KEY);
	if (r > 0) {
		if (l->n_keys == HLS_KEYS)
			free(l->keys[--l->n_keys].url);
		memmove(l->keys + 1, l->keys, l->n_keys++ * sizeof *l->keys);
		l->keys[0].url = xstrdup(l->key_url);
		memcpy(l->keys[0].key, buf_head(&l->body.buf), HLS_KEY);
	}
	if (r != 0) {
		http_body_end(&l->body);
		buf_wipe(&l->body.buf, HLS_KEY);
	}
	if (r < 0)
		errmsg_prefix(&l->error, "key: ");
	return r;
}

/* --- segment --- */

static void forget(struct hls_load *l)
{
	fetch_free(&l->fetch);
	http_body_end(&l->body);
	buf_reset(&l->waiting, KEEP);
	EVP_CIPHER_CTX_free(l->cipher);
	l->cipher = NULL;
}

void hls_load_stop(struct hls_load *l)
{
	forget(l);
	free(l->url);
	free(l->key_url);
	l->url = l->key_url = NULL;
}

void hls_load_done(struct hls_load *l)
{
	hls_load_stop(l);
	hls_load_forget_keys(l);
	http_body_done(&l->body);
	buf_done(&l->waiting);
}

int hls_load_begin(struct hls_load *l, const struct m3u8 *m, const char *base,
		   const struct segment_step *step, struct errmsg *error)
{
	const struct m3u8_segment *s = step->segment;
	const struct m3u8_key *k = s->key > 0 ? &m->keys[s->key - 1] : NULL;

	hls_load_stop(l);
	if (k != NULL && k->method != M3U8_AES_128)
		return errmsg_fail(error, -ENOTSUP, "encryption by %.*s is "
				   "not supported",
				   (int)MIN(k->name.len, (size_t)32),
				   k->name.len > 0 ? k->name.data : "");
	if (k != NULL) {
		memcpy(l->iv, k->iv, M3U8_IV);
		/* without an IV it is the sequence number (RFC 8216, 5.2) */
		for (unsigned i = 0; !k->has_iv && i < 8; i++)
			l->iv[M3U8_IV - 1 - i] =
				(uint8_t)(step->sequence >> 8 * i);
		l->key_url = url_resolve(base, k->uri.data, k->uri.len, error);
		if (l->key_url == NULL)
			return -EINVAL;
	}
	l->url = url_resolve(base, s->uri.data, s->uri.len, error);
	if (l->url == NULL) {
		hls_load_stop(l);
		return -EINVAL;
	}
	l->range_at = s->range_at;
	l->range_len = s->range_len;
	l->duration_ms = s->duration_ms;
	l->received = l->delivered = 0;
	l->tries = 0;
	l->again_ns = l->active_ns = l->still_ns = l->seen_ns = 0;
	return 0;
}

void hls_load_renew(struct hls_load *l, const struct m3u8_segment *s,
		    const char *base)
{
	char *url = url_resolve(base, s->uri.data, s->uri.len, NULL);

	if (url == NULL)
		return;
	free(l->url);
	l->url = url;
}

/* Requests the segment, or first its key.  0, or -errno with l->error. */
static int ask(struct hls_load *l)
{
	struct fetch_request request = {
		.url = l->url,
		.range_at = l->range_at,
		.range_len = l->range_len,
		.is_media = true,
		.on_data = on_bytes,
		.arg = l,
	};
	size_t i = 0;
	int err = 0;

	if (l->key_url != NULL) {
		while (i < l->n_keys &&
		       strcmp(l->keys[i].url, l->key_url) != 0)
			i++;
		if (i == l->n_keys)
			return turn_key(l);
		if (i > 0) {
			struct hls_key found = l->keys[i];

			memmove(l->keys + 1, l->keys, i * sizeof *l->keys);
			l->keys[0] = found;
		}
		/* OpenSSL must not remove the padding of the last block: some
		 * servers add none, and padding is dropped anyway, because it
		 * is no packet. */
		EVP_CIPHER_CTX_free(l->cipher);
		l->cipher = EVP_CIPHER_CTX_new();
		if (l->cipher == NULL ||
		    EVP_DecryptInit_ex(l->cipher, EVP_aes_128_cbc(), NULL,
				       l->keys[0].key, l->iv) != 1 ||
		    EVP_CIPHER_CTX_set_padding(l->cipher, 0) != 1)
			return errmsg_fail(&l->error, -ENOTSUP,
					   "AES-128 is not available");
	}
	l->received = 0;
	l->tried_ns = l->seen_ns;
	l->fetch = fetch_new(l->fetcher, &request, &err, &l->error);
	return err;
}

/* Follows the transfer of the segment.  1: it is complete; 0: it continues;
 * -errno with l->error. */
static int look(struct hls_load *l)
{
	uint8_t rest[M3U8_IV];
	int n;

	switch (fetch_state(l->fetch)) {
	case FETCH_RUNS:
		if (fetch_is_paused(l->fetch) && hand_on_waiting(l))
			fetch_resume(l->fetch);
		return 0;
	case FETCH_FAILED:
		return fetch_error(l->fetch, &l->error);
	case FETCH_DONE:
		break;
	}
	if (!hand_on_waiting(l))
		return 0;
	if (l->cipher != NULL &&
	    EVP_DecryptFinal_ex(l->cipher, rest, &n) != 1)
		return errmsg_fail(&l->error, -EBADMSG, "the encrypted segment "
				   "is incomplete");
	return 1;
}

static bool takes_too_long(const struct hls_load *l)
{
	uint64_t most_ms = MAX(2 * (uint64_t)l->duration_ms,
			       (uint64_t)HLS_LOAD_LEAST_MS);

	return l->active_ns > most_ms * MS;
}

enum hls_load_is hls_load_turn(struct hls_load *l, uint64_t now_ns)
{
	uint64_t most_ms = MAX((uint64_t)l->duration_ms * 3 / 2,
			       (uint64_t)HLS_STILL_LEAST_MS);
	bool paused = l->fetch != NULL && fetch_is_paused(l->fetch);
	bool idle = l->fetch == NULL && !http_body_is_loading(&l->body);
	int r = 0;

	if (l->url == NULL)
		return HLS_LOAD_IDLE;
	/* time in which the receiver has no room does not count */
	if (l->seen_ns > 0 && !paused) {
		l->active_ns += now_ns - l->seen_ns;
		l->still_ns += now_ns - l->seen_ns;
	}
	l->seen_ns = now_ns;
	if (l->received != l->still_at || idle)
		l->still_ns = 0;
	l->still_at = l->received;
	if (takes_too_long(l) ||
	    l->still_ns > MIN(most_ms, l->timeout_s * 1000) * MS) {
		r = errmsg_fail(&l->error, -ETIMEDOUT, "the server sends the "
				"segment too slowly");
	} else if (l->fetch != NULL) {
		r = look(l);
	} else if (now_ns >= l->again_ns) {
		r = ask(l);
		r = MIN(r, 0);
	}
	if (r == 0)
		return HLS_LOAD_RUNS;
	if (r < 0) {
		unsigned wait_ms = (unsigned)HLS_TRY_AGAIN_MS << l->tries;

		forget(l);
		if (++l->tries < HLS_TRIES && !takes_too_long(l)) {
			l->again_ns = MAX(l->tried_ns + wait_ms * MS, now_ns);
			return HLS_LOAD_BROKEN;
		}
	}
	hls_load_stop(l);
	return r < 0 ? HLS_LOAD_FAILED : HLS_LOAD_DONE;
}
