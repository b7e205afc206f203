/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tls/context.h"

#include "common/base/mono.h"
#include "worker/tls/ticket_keys.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <string.h>

enum { TICKETS = 1 /* per TLS 1.3 handshake */ };

/* AES with 128 bits first: it takes two thirds of the time of AES with 256
 * bits */
static const char ciphers_12[] = "ECDHE+AESGCM+AES128:ECDHE+AESGCM:"
				 "ECDHE+CHACHA20";
static const char ciphers_13[] = "TLS_AES_128_GCM_SHA256:"
				 "TLS_AES_256_GCM_SHA384:"
				 "TLS_CHACHA20_POLY1305_SHA256";

const char *tls_error(void)
{
	unsigned long code = ERR_get_error();
	const char *text = ERR_reason_error_string(code);

	ERR_clear_error();
	return text != NULL ? text : "unknown error";
}

/* --- ALPN (RFC 7301) --- */

/* A client that offers only other protocols gets an alert.  A client without
 * ALPN gets HTTP/1.1. */
static int select_protocol(SSL *ssl, const unsigned char **ret,
			   unsigned char *ret_len, const unsigned char *offered,
			   unsigned int len, void *arg)
{
	static const unsigned char ours[] = "\x08http/1.1\x08http/1.0";
	unsigned char *chosen;

	(void)ssl, (void)arg;
	if (SSL_select_next_proto(&chosen, ret_len, ours, sizeof ours - 1,
				  offered, len) != OPENSSL_NPN_NEGOTIATED)
		return SSL_TLSEXT_ERR_ALERT_FATAL;
	*ret = chosen;
	return SSL_TLSEXT_ERR_OK;
}

/* --- tickets --- */

/* Begins a MAC with the key of a ticket; 0 on success. */
static int start_mac(EVP_MAC_CTX *mac, const struct ticket_key *k)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_octet_string(
			OSSL_MAC_PARAM_KEY, (void *)(uintptr_t)k->hmac,
			sizeof k->hmac),
		OSSL_PARAM_construct_utf8_string(
			OSSL_MAC_PARAM_DIGEST, (char *)(uintptr_t) "SHA256",
			0),
		OSSL_PARAM_construct_end(),
	};

	return EVP_MAC_CTX_set_params(mac, params) == 1 ? 0 : -1;
}

/* Gives OpenSSL the keys to seal a ticket (seal) or open one: see
 * SSL_CTX_set_tlsext_ticket_key_evp_cb(3). */
static int on_ticket(SSL *ssl, unsigned char *name, unsigned char *iv,
		     EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac, int seal)
{
	struct ticket_keys *keys = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
	const EVP_CIPHER *aes = EVP_aes_256_cbc();
	const struct ticket_key *k;

	if (seal) {
		k = ticket_keys_seal(keys, mono_ms());
		if (k == NULL ||
		    RAND_bytes(iv, EVP_CIPHER_get_iv_length(aes)) != 1)
			return -1;
		memcpy(name, k->name, sizeof k->name);
		if (EVP_EncryptInit_ex2(cipher, aes, k->aes, iv, NULL) != 1 ||
		    start_mac(mac, k) < 0)
			return -1;
		return 1;
	}
	k = ticket_keys_open(keys, name, mono_ms());
	if (k == NULL)
		return 0; /* the key is unknown or too old */
	if (EVP_DecryptInit_ex2(cipher, aes, k->aes, iv, NULL) != 1 ||
	    start_mac(mac, k) < 0)
		return -1;
	/* 2: valid, but OpenSSL must make a new ticket */
	return k == &keys->current ? 1 : 2;
}

/* Gives no passphrase, so that OpenSSL does not ask for one on the terminal. */
static int reject_passphrase(char *text, int size, int writing, void *arg)
{
	(void)text, (void)size, (void)writing, (void)arg;
	return 0;
}

SSL_CTX *tls_context_new(struct ticket_keys *keys)
{
	static const unsigned char id[] = "sluice";
	SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());

	if (ctx == NULL)
		return NULL;
	SSL_CTX_set_app_data(ctx, keys);
	/* an HTTP message has a known end, so a client that closes without a
	 * TLS alert is no error */
	(void)SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION |
				       SSL_OP_NO_COMPRESSION |
				       SSL_OP_CIPHER_SERVER_PREFERENCE |
				       SSL_OP_PRIORITIZE_CHACHA |
				       SSL_OP_IGNORE_UNEXPECTED_EOF);
	(void)SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE |
				    SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
				    SSL_MODE_RELEASE_BUFFERS);
	(void)SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
	(void)SSL_CTX_set_timeout(ctx, 2 * TICKET_ROTATE_MS / 1000);
	SSL_CTX_set_alpn_select_cb(ctx, select_protocol, NULL);
	SSL_CTX_set_default_passwd_cb(ctx, reject_passphrase);
	if (SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) == 1 &&
	    SSL_CTX_set_max_proto_version(ctx, TLS1_3_VERSION) == 1 &&
	    SSL_CTX_set_cipher_list(ctx, ciphers_12) == 1 &&
	    SSL_CTX_set_ciphersuites(ctx, ciphers_13) == 1 &&
	    SSL_CTX_set1_groups_list(ctx, "X25519:P-256:P-384") == 1 &&
	    SSL_CTX_set_num_tickets(ctx, TICKETS) == 1 &&
	    SSL_CTX_set_session_id_context(ctx, id, sizeof id - 1) == 1 &&
	    SSL_CTX_set_tlsext_ticket_key_evp_cb(ctx, on_ticket) == 1)
		return ctx;
	SSL_CTX_free(ctx);
	return NULL;
}
