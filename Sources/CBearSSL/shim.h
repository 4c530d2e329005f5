#pragma once
// With it, string.h declares explicit_bzero(3).
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <bearssl.h>
#include <string.h>
#include <unistd.h>

/// The context of a check of a peer's key. BearSSL knows only its first field.
struct lockstep_key_check {
    const br_x509_class *functions;
    void *owner;
};

/// A client of TLS, with everything that BearSSL keeps pointers to.
struct lockstep_tls_client {
    br_ssl_client_context context;
    br_ec_private_key key;
    unsigned char number[32];
    br_x509_certificate certificate;
    unsigned char encoded_certificate[1024];
    char protocol[64];
    const char *protocols[1];
    unsigned char input[BR_SSL_BUFSIZE_INPUT];
    unsigned char output[BR_SSL_BUFSIZE_OUTPUT];
};

static inline br_ssl_engine_context *lockstep_tls_engine(struct lockstep_tls_client *client) {
    return &client->context.eng;
}

/// Chooses the version, the ciphers and their implementations. The time of none of these depends on secrets.
static inline void lockstep_tls_choose(br_ssl_engine_context *engine) {
    static const uint16_t suites[] = {
        BR_TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, BR_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
    };
    br_ssl_engine_set_versions(engine, BR_TLS12, BR_TLS12);
    br_ssl_engine_set_suites(engine, suites, sizeof suites / sizeof suites[0]);
    br_ssl_engine_set_all_flags(engine, BR_OPT_NO_RENEGOTIATION);
    br_ssl_engine_set_ec(engine, &br_ec_p256_m31);
    br_ssl_engine_set_ecdsa(engine, br_ecdsa_i31_vrfy_asn1);
    br_ssl_engine_set_hash(engine, br_sha256_ID, &br_sha256_vtable);
    br_ssl_engine_set_prf_sha256(engine, br_tls12_sha256_prf);
    br_ssl_engine_set_chapol(engine, &br_sslrec_in_chapol_vtable, &br_sslrec_out_chapol_vtable);
    br_ssl_engine_set_chacha20(engine, br_chacha20_ct_run);
    br_ssl_engine_set_poly1305(engine, br_poly1305_ctmul_run);
    br_ssl_engine_set_gcm(engine, &br_sslrec_in_gcm_vtable, &br_sslrec_out_gcm_vtable);
    br_ssl_engine_set_aes_ctr(engine, &br_aes_ct_ctr_vtable);
    br_ssl_engine_set_ghash(engine, br_ghash_ctmul);
}

/// Sets up a client and begins its handshake. Copies all but the check. With buffers of this size, the client
/// asks for no shorter records. Returns false if BearSSL refuses, or if a length in bytes is wrong: the number
/// has 32, the certificate at most 1,024, the protocol's name at most 63, the seed at least 32.
static inline _Bool lockstep_tls_begin(
    struct lockstep_tls_client *client, struct lockstep_key_check *check,
    const void *number, size_t number_length, const void *certificate, size_t certificate_length,
    const void *protocol, size_t protocol_length, const void *seed, size_t seed_length
) {
    br_ssl_engine_context *engine = lockstep_tls_engine(client);
    memset(client, 0, sizeof *client);
    if (number_length != sizeof client->number || certificate_length > sizeof client->encoded_certificate
        || protocol_length >= sizeof client->protocol || seed_length < 32)
        return 0;
    memcpy(client->number, number, number_length);
    memcpy(client->encoded_certificate, certificate, certificate_length);
    memcpy(client->protocol, protocol, protocol_length);
    client->key.curve = BR_EC_secp256r1;
    client->key.x = client->number;
    client->key.xlen = number_length;
    client->certificate.data = client->encoded_certificate;
    client->certificate.data_len = certificate_length;
    client->protocols[0] = client->protocol;
    lockstep_tls_choose(engine);
    br_ssl_engine_set_buffers_bidi(
        engine, client->input, sizeof client->input, client->output, sizeof client->output);
    br_ssl_engine_set_x509(engine, &check->functions);
    br_ssl_engine_set_protocol_names(engine, client->protocols, 1);
    br_ssl_client_set_single_ec(
        &client->context, &client->certificate, 1, &client->key, BR_KEYTYPE_SIGN, BR_KEYTYPE_EC,
        &br_ec_p256_m31, br_ecdsa_i31_sign_asn1);
    br_ssl_engine_inject_entropy(engine, seed, seed_length);
    return br_ssl_client_reset(&client->context, 0, 0) != 0;
}
