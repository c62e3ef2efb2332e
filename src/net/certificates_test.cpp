#include "yeoul/net/certificates_test.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace yeoul {
namespace {

std::string text_of(BIO* bio) {
  const char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  return {text, static_cast<size_t>(size)};
}

void add_extension(X509* certificate, int kind, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

}  // namespace

TestCertificate::TestCertificate(const CertificateRequest& request, const TestCertificate* issuer)
    : key_(EVP_EC_gen("P-256")), certificate_(X509_new()) {
  static long serial = 0;
  X509* made = certificate_.get();
  X509_set_version(made, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(made), request.valid_from_s);
  X509_gmtime_adj(X509_getm_notAfter(made), request.valid_to_s);
  X509_set_pubkey(made, key_.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(request.common_name.c_str()), -1, -1, 0);
  X509_set_issuer_name(made, X509_get_subject_name(issuer == nullptr ? made : issuer->certificate()));
  if (request.is_authority) add_extension(made, NID_basic_constraints, "critical,CA:TRUE");
  if (!request.hosts.empty()) add_extension(made, NID_subject_alt_name, request.hosts);
  X509_sign(made, issuer == nullptr ? key_.get() : issuer->key(), EVP_sha256());
}

std::string TestCertificate::der() const {
  return to_der(certificate_.get(), i2d_X509);
}

KeyStore::Identity TestCertificate::identity() const {
  return {to_der(key_.get(), i2d_PrivateKey), {der()}};
}

std::string TestCertificate::certificate_pem() const {
  const BioOwner bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate_.get());
  return text_of(bio.get());
}

std::string TestCertificate::key_pem(const std::string& password) const {
  const BioOwner bio(BIO_new(BIO_s_mem()));
  const EVP_CIPHER* cipher = password.empty() ? nullptr : EVP_aes_256_cbc();
  PEM_write_bio_PKCS8PrivateKey(bio.get(), key_.get(), cipher, password.data(), static_cast<int>(password.size()),
                                nullptr, nullptr);
  return text_of(bio.get());
}

}  // namespace yeoul
