#pragma once
#include <dlfcn.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <string.h>

// The libraries aren't linked: a process opens them before it hashes, seals or speaks TLS. These declarations
// give the types of their functions.

#define LOCKSTEP_CRYPTO_FUNCTIONS(each) \
    each(ASN1_INTEGER_set_uint64) \
    each(ASN1_TIME_set_string_X509) \
    each(BIO_ctrl_pending) \
    each(BIO_free_all) \
    each(BIO_new) \
    each(BIO_read) \
    each(BIO_s_secmem) \
    each(BIO_write) \
    each(EC_GROUP_free) \
    each(EC_GROUP_new_by_curve_name) \
    each(EC_POINT_free) \
    each(EC_POINT_new) \
    each(EC_POINT_oct2point) \
    each(ERR_clear_error) \
    each(ERR_peek_last_error) \
    each(ERR_reason_error_string) \
    each(EVP_CIPHER_CTX_copy) \
    each(EVP_CIPHER_CTX_ctrl) \
    each(EVP_CIPHER_CTX_free) \
    each(EVP_CIPHER_CTX_new) \
    each(EVP_CIPHER_fetch) \
    each(EVP_CIPHER_free) \
    each(EVP_CipherUpdate) \
    each(EVP_DecryptInit_ex2) \
    each(EVP_DecryptUpdate) \
    each(EVP_DigestFinal_ex) \
    each(EVP_DigestInit_ex2) \
    each(EVP_DigestUpdate) \
    each(EVP_EncryptFinal_ex) \
    each(EVP_EncryptInit_ex2) \
    each(EVP_EncryptUpdate) \
    each(EVP_MD_CTX_free) \
    each(EVP_MD_CTX_new) \
    each(EVP_MD_fetch) \
    each(EVP_MD_free) \
    each(EVP_PKEY2PKCS8) \
    each(EVP_PKEY_CTX_add1_hkdf_info) \
    each(EVP_PKEY_CTX_free) \
    each(EVP_PKEY_CTX_new_from_name) \
    each(EVP_PKEY_CTX_new_from_pkey) \
    each(EVP_PKEY_CTX_set1_hkdf_key) \
    each(EVP_PKEY_CTX_set1_hkdf_salt) \
    each(EVP_PKEY_CTX_set_group_name) \
    each(EVP_PKEY_CTX_set_hkdf_md) \
    each(EVP_PKEY_derive) \
    each(EVP_PKEY_derive_init) \
    each(EVP_PKEY_derive_set_peer) \
    each(EVP_PKEY_free) \
    each(EVP_PKEY_generate) \
    each(EVP_PKEY_keygen_init) \
    each(EVP_PKEY_sign) \
    each(EVP_PKEY_sign_init) \
    each(EVP_PKEY_verify) \
    each(EVP_PKEY_verify_init) \
    each(PEM_read_bio_PrivateKey) \
    each(PEM_read_bio_X509) \
    each(PEM_write_bio_PKCS8PrivateKey) \
    each(PEM_write_bio_X509) \
    each(PKCS8_PRIV_KEY_INFO_free) \
    each(RAND_bytes) \
    each(X509_NAME_add_entry_by_txt) \
    each(X509_check_private_key) \
    each(X509_free) \
    each(X509_get_X509_PUBKEY) \
    each(X509_get_serialNumber) \
    each(X509_get_subject_name) \
    each(X509_getm_notAfter) \
    each(X509_getm_notBefore) \
    each(X509_new) \
    each(X509_set_issuer_name) \
    each(X509_set_pubkey) \
    each(X509_set_version) \
    each(X509_sign) \
    each(d2i_AutoPrivateKey) \
    each(d2i_PUBKEY) \
    each(d2i_X509) \
    each(i2d_PKCS8_PRIV_KEY_INFO) \
    each(i2d_PUBKEY) \
    each(i2d_X509) \
    each(i2d_X509_PUBKEY)

#define LOCKSTEP_TLS_FUNCTIONS(each) \
    each(SSL_CTX_check_private_key) \
    each(SSL_CTX_ctrl) \
    each(SSL_CTX_free) \
    each(SSL_CTX_get0_certificate) \
    each(SSL_CTX_new) \
    each(SSL_CTX_set_alpn_protos) \
    each(SSL_CTX_set_alpn_select_cb) \
    each(SSL_CTX_set_cert_verify_callback) \
    each(SSL_CTX_set_cipher_list) \
    each(SSL_CTX_set_ciphersuites) \
    each(SSL_CTX_set_num_tickets) \
    each(SSL_CTX_set_options) \
    each(SSL_CTX_set_verify) \
    each(SSL_CTX_use_PrivateKey) \
    each(SSL_CTX_use_certificate_ASN1) \
    each(SSL_do_handshake) \
    each(SSL_free) \
    each(SSL_get0_alpn_selected) \
    each(SSL_get_error) \
    each(SSL_get_ex_data_X509_STORE_CTX_idx) \
    each(SSL_get_rbio) \
    each(SSL_is_server) \
    each(SSL_new) \
    each(SSL_read_ex) \
    each(SSL_select_next_proto) \
    each(SSL_set_accept_state) \
    each(SSL_set_bio) \
    each(SSL_set_connect_state) \
    each(SSL_shutdown) \
    each(SSL_write_ex) \
    each(TLS_method) \
    each(BIO_clear_flags) \
    each(BIO_get_data) \
    each(BIO_get_new_index) \
    each(BIO_meth_new) \
    each(BIO_meth_set_ctrl) \
    each(BIO_meth_set_read_ex) \
    each(BIO_meth_set_write_ex) \
    each(BIO_new) \
    each(BIO_set_data) \
    each(BIO_set_flags) \
    each(BIO_set_init) \
    each(CRYPTO_free) \
    each(CRYPTO_memcmp) \
    each(ERR_clear_error) \
    each(ERR_get_error) \
    each(ERR_peek_error) \
    each(ERR_reason_error_string) \
    each(EVP_Digest) \
    each(EVP_EncodeBlock) \
    each(EVP_PKEY_free) \
    each(EVP_PKEY_get_group_name) \
    each(EVP_PKEY_is_a) \
    each(EVP_sha1) \
    each(EVP_sha256) \
    each(X509_STORE_CTX_get0_cert) \
    each(X509_STORE_CTX_get_ex_data) \
    each(X509_STORE_CTX_set_error) \
    each(X509_get0_pubkey) \
    each(X509_get_X509_PUBKEY) \
    each(d2i_AutoPrivateKey) \
    each(i2d_X509_PUBKEY)

#define LOCKSTEP_OPENSSL_FIELD(name) __typeof__(name) *_Nonnull name;
#define LOCKSTEP_OPENSSL_FIND(name) \
    if (!(found = dlsym(library, #name))) return 0; \
    functions->name = (__typeof__(name) *)found;

/// The functions in use for keys, hashes and seals, found in the opened libcrypto.
struct lockstep_crypto {
    LOCKSTEP_CRYPTO_FUNCTIONS(LOCKSTEP_OPENSSL_FIELD)
};

/// Finds all functions in a library that dlopen(3) has opened. Returns false if one is missing; dlerror(3)
/// then has the reason.
static inline _Bool lockstep_crypto_find(void *_Nonnull library, struct lockstep_crypto *_Nonnull functions) {
    void *found;
    LOCKSTEP_CRYPTO_FUNCTIONS(LOCKSTEP_OPENSSL_FIND)
    return 1;
}

/// The functions in use for TLS, of libssl and of libcrypto, which libssl loads.
struct lockstep_tls {
    LOCKSTEP_TLS_FUNCTIONS(LOCKSTEP_OPENSSL_FIELD)
};

/// Finds all functions in libssl, like `lockstep_crypto_find`.
static inline _Bool lockstep_tls_find(void *_Nonnull library, struct lockstep_tls *_Nonnull functions) {
    void *found;
    LOCKSTEP_TLS_FUNCTIONS(LOCKSTEP_OPENSSL_FIND)
    return 1;
}

#undef LOCKSTEP_OPENSSL_FIELD
#undef LOCKSTEP_OPENSSL_FIND

/// The options of every TLS context, from macros that Swift doesn't import.
static const uint64_t lockstep_ssl_options =
    SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE;
