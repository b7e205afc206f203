/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The two functions behind each row of the catalogue (proto/ipc/msg.c).
 *
 * decode fills its member of the union from body; encode writes the fields of
 * body.  They stand side by side in the file of their noun.
 */
#pragma once

#include "proto/ipc/msg.h"
#include "proto/ipc/msg_fields.h"

typedef int msg_decode_fn(const json_t *body, struct msg *, struct errmsg *why);
typedef void msg_encode_fn(const struct msg *, struct json_writer *);

/* msg_stream.c */
msg_decode_fn stream_start_decode, stream_input_decode;
msg_decode_fn stream_ring_decode, stream_link_decode;
msg_decode_fn stream_status_decode, stream_chosen_decode;
msg_decode_fn stream_kick_decode;
msg_decode_fn stream_receivers_decode;
msg_decode_fn stream_switched_decode;
msg_encode_fn stream_start_encode, stream_input_encode;
msg_encode_fn stream_ring_encode, stream_link_encode;
msg_encode_fn stream_status_encode, stream_chosen_encode;
msg_encode_fn stream_kick_encode;
msg_encode_fn stream_receivers_encode;
msg_encode_fn stream_switched_encode;

/* msg_analysis.c */
msg_decode_fn stream_analyze_decode, stream_analysis_decode;
msg_encode_fn stream_analyze_encode, stream_analysis_encode;

/* msg_deliver.c */
msg_decode_fn deliver_listen_decode, deliver_unlisten_decode;
msg_decode_fn deliver_mount_decode, deliver_unmount_decode;
msg_decode_fn deliver_renew_decode, deliver_settle_decode;
msg_decode_fn deliver_status_decode, deliver_viewers_decode;
msg_decode_fn deliver_list_decode, deliver_kick_decode, deliver_tls_decode;
msg_decode_fn deliver_sessions_decode;
msg_encode_fn deliver_listen_encode, deliver_unlisten_encode;
msg_encode_fn deliver_mount_encode, deliver_unmount_encode;
msg_encode_fn deliver_renew_encode, deliver_settle_encode;
msg_encode_fn deliver_status_encode, deliver_viewers_encode;
msg_encode_fn deliver_list_encode, deliver_kick_encode, deliver_tls_encode;
msg_encode_fn deliver_sessions_encode;

/* msg_auth.c */
msg_decode_fn auth_hash_decode, auth_verify_decode;
msg_decode_fn auth_result_decode, auth_status_decode;
msg_encode_fn auth_hash_encode, auth_verify_encode;
msg_encode_fn auth_result_encode, auth_status_encode;

/* msg_tls.c */
msg_decode_fn tls_certificate_decode, tls_link_decode, tls_serve_decode;
msg_decode_fn tls_result_decode, tls_status_decode;
msg_encode_fn tls_certificate_encode, tls_link_encode, tls_serve_encode;
msg_encode_fn tls_result_encode, tls_status_encode;

/* msg_scan.c */
msg_decode_fn scan_start_decode, scan_record_decode, scan_status_decode,
	scan_announcement_decode;
msg_encode_fn scan_start_encode, scan_record_encode, scan_status_encode,
	scan_announcement_encode;

/* msg_softcam.c */
msg_decode_fn softcam_test_decode, softcam_result_decode;
msg_encode_fn softcam_test_encode, softcam_result_encode;

/* msg_querier.c */
msg_decode_fn querier_status_decode;
msg_encode_fn querier_status_encode;

/* msg_worker.c */
msg_decode_fn worker_hello_decode, worker_ready_decode, worker_log_decode,
	worker_debug_decode;
msg_encode_fn worker_hello_encode, worker_ready_encode, worker_log_encode,
	worker_debug_encode;
