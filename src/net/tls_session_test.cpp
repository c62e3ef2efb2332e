#include "yeoul/net/tls_session.h"

#include <gtest/gtest.h>

#include <cstring>

#include "yeoul/common/error.h"
#include "yeoul/net/certificates_test.h"

namespace yeoul {
namespace {

/// A TLS server without a network.
class TestServer {
 public:
  explicit TestServer(const TestCertificate& own, const TestCertificate* client_authority = nullptr)
      : context_(SSL_CTX_new(TLS_server_method())) {
    SSL_CTX_use_certificate(context_.get(), own.certificate());
    SSL_CTX_use_PrivateKey(context_.get(), own.key());
    if (client_authority != nullptr) {
      SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context_.get()), client_authority->certificate());
    }
  }
  SSL_CTX* context() { return context_.get(); }
  void start() {
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_accept_state(ssl_.get());
  }
  SSL* ssl() { return ssl_.get(); }
  void take(std::string_view bytes) {
    BIO_write(SSL_get_rbio(ssl_.get()), bytes.data(), static_cast<int>(bytes.size()));
  }
  std::string give() {
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(SSL_get_wbio(ssl_.get()), &bytes);
    std::string out(bytes, static_cast<size_t>(size));
    BIO_reset(SSL_get_wbio(ssl_.get()));
    return out;
  }

 private:
  std::unique_ptr<SSL_CTX, OpensslDeleter<SSL_CTX_free>> context_;
  std::unique_ptr<SSL, OpensslDeleter<SSL_free>> ssl_;
};

class TlsSessionTest : public testing::Test {
 protected:
  TlsSettings trusting(const TestCertificate& authority) const {
    TlsSettings settings;
    settings.trusted = {authority.der()};
    return settings;
  }

  /// What came of a handshake and of one byte read after it: failures of client certificates come that late.
  IoResult connect(const TlsSettings& settings, TestServer& server, const std::string& host = "localhost") {
    session_ = std::make_unique<TlsSession>(std::make_shared<TlsContext>(settings), host);
    server.start();
    IoResult result{IoResult::Status::kWouldBlock};
    for (int turn = 0; turn < 10 && result.status == IoResult::Status::kWouldBlock; ++turn) {
      result = session_->handshake();
      exchange(server);
      SSL_do_handshake(server.ssl());
      exchange(server);
    }
    if (result.status != IoResult::Status::kDone) return result;
    SSL_write(server.ssl(), "x", 1);
    exchange(server);
    char byte = 0;
    return session_->read(&byte, 1);
  }

  void exchange(TestServer& server) {
    const std::string_view out = session_->output();
    server.take(out);
    session_->sent(out.size());
    feed(server.give());
  }

  void feed(std::string_view bytes) {
    const std::span<char> room = session_->input();
    ASSERT_GE(room.size(), bytes.size());
    std::memcpy(room.data(), bytes.data(), bytes.size());
    session_->received(bytes.size());
  }

  TestCertificate authority_{{.common_name = "ca", .is_authority = true}};
  TestCertificate broker_{{.common_name = "broker"}, &authority_};
  TestCertificate client_{{.common_name = "client"}, &authority_};
  std::unique_ptr<TlsSession> session_;
};

TEST_F(TlsSessionTest, CarriesBytesBothWays) {
  TestServer server(broker_);
  ASSERT_EQ(connect(trusting(authority_), server).status, IoResult::Status::kDone);
  char byte = 0;
  EXPECT_EQ(session_->read(&byte, 1).status, IoResult::Status::kWouldBlock);
  EXPECT_EQ(session_->write("hello").bytes, 5u);
  exchange(server);
  char bytes[10];
  EXPECT_EQ(SSL_read(server.ssl(), bytes, sizeof bytes), 5);
  SSL_write(server.ssl(), "abc", 3);
  exchange(server);
  EXPECT_TRUE(session_->has_input());
  EXPECT_EQ(session_->read(bytes, 2).bytes, 2u);
  EXPECT_TRUE(session_->has_input());
  EXPECT_EQ(session_->read(bytes, 2).bytes, 1u);
  EXPECT_FALSE(session_->has_input());
  SSL_shutdown(server.ssl());
  exchange(server);
  EXPECT_EQ(session_->read(bytes, 2).status, IoResult::Status::kClosed);
}

TEST_F(TlsSessionTest, SpeaksWhatIsAllowed) {
  TestServer server(broker_);
  TlsSettings settings = trusting(authority_);
  settings.protocols = {"TLSv1.2"};
  settings.cipher_suites = {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"};
  ASSERT_EQ(connect(settings, server).status, IoResult::Status::kDone);
  EXPECT_STREQ(SSL_get_version(server.ssl()), "TLSv1.2");
  EXPECT_STREQ(SSL_get_cipher(server.ssl()), "ECDHE-ECDSA-AES128-GCM-SHA256");
  SSL_CTX_set_min_proto_version(server.context(), TLS1_3_VERSION);
  const IoResult refused = connect(settings, server);
  EXPECT_TRUE(refused.refused);
  EXPECT_TRUE(refused.reason.starts_with("it agrees to no TLS protocol of ours")) << refused.reason;
}

TEST_F(TlsSessionTest, BelievesWhomItTrustsOnly) {
  TestServer server(broker_);
  const TestCertificate other({.common_name = "other", .is_authority = true});
  const IoResult unknown = connect(trusting(other), server);
  EXPECT_TRUE(unknown.refused);
  EXPECT_EQ(unknown.reason, "its certificate was issued by 'CN=ca', which is not trusted");
  EXPECT_EQ(connect(trusting(broker_), server).status, IoResult::Status::kDone);
}

TEST_F(TlsSessionTest, ChecksTheHost) {
  TestServer server(broker_);
  EXPECT_EQ(connect(trusting(authority_), server, "127.0.0.1").status, IoResult::Status::kDone);
  const IoResult wrong = connect(trusting(authority_), server, "kafka-1.example");
  EXPECT_TRUE(wrong.refused);
  EXPECT_EQ(wrong.reason, "its certificate is not for the host 'kafka-1.example', but for localhost, 127.0.0.1");
  EXPECT_TRUE(connect(trusting(authority_), server, "127.0.0.2").refused);
  TlsSettings settings = trusting(authority_);
  settings.check_host = false;
  EXPECT_EQ(connect(settings, server, "kafka-1.example").status, IoResult::Status::kDone);
}

TEST_F(TlsSessionTest, ChecksTheTime) {
  const TestCertificate expired({.valid_from_s = -7200, .valid_to_s = -3600}, &authority_);
  TestServer server(expired);
  EXPECT_TRUE(connect(trusting(authority_), server).reason.starts_with("the certificate 'CN=test' has expired on "));
  const TestCertificate early({.valid_from_s = 3600, .valid_to_s = 7200}, &authority_);
  TestServer early_server(early);
  EXPECT_TRUE(connect(trusting(authority_), early_server).reason.find("'CN=test' is not valid before ") !=
              std::string::npos);
}

TEST_F(TlsSessionTest, ShowsACertificateThatIsAskedFor) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TestServer server(broker_, &authority_);
    SSL_CTX_set_max_proto_version(server.context(), version);
    TlsSettings settings = trusting(authority_);
    const IoResult missing = connect(settings, server);
    EXPECT_TRUE(missing.refused);
    EXPECT_NE(missing.reason.find("wants a client certificate"), std::string::npos) << missing.reason;
    settings.identity = client_.identity();
    EXPECT_EQ(connect(settings, server).status, IoResult::Status::kDone);
    settings.identity = TestCertificate({.common_name = "stranger"}).identity();
    const IoResult stranger = connect(settings, server);
    EXPECT_TRUE(stranger.refused);
    EXPECT_TRUE(stranger.reason.starts_with("it does not trust the client certificate")) << stranger.reason;
  }
}

TEST_F(TlsSessionTest, SeesAServerWithoutTls) {
  session_ = std::make_unique<TlsSession>(std::make_shared<TlsContext>(trusting(authority_)), "localhost");
  EXPECT_EQ(session_->handshake().status, IoResult::Status::kWouldBlock);
  session_->ended();
  const IoResult closed = session_->handshake();
  EXPECT_EQ(closed.reason,
            "it closed the connection during the TLS handshake; does 'security.protocol' fit its listener?");
  EXPECT_FALSE(closed.refused);
  session_ = std::make_unique<TlsSession>(std::make_shared<TlsContext>(trusting(authority_)), "localhost");
  session_->handshake();
  feed("HTTP/1.1 400 Bad Request\r\n\r\n");
  EXPECT_TRUE(session_->handshake().reason.starts_with("it does not speak TLS on this port"));
}

TEST_F(TlsSessionTest, DamageOnTheWayIsNoRefusal) {
  TestServer server(broker_);
  ASSERT_EQ(connect(trusting(authority_), server).status, IoResult::Status::kDone);
  SSL_write(server.ssl(), "abc", 3);
  std::string bytes = server.give();
  bytes.back() ^= 1;
  feed(bytes);
  char byte = 0;
  const IoResult result = session_->read(&byte, 1);
  EXPECT_EQ(result.status, IoResult::Status::kFailed);
  EXPECT_FALSE(result.refused) << result.reason;
}

TEST_F(TlsSessionTest, BadSettingsAreUserErrors) {
  const auto fails = [](const TlsSettings& settings) -> std::string {
    try {
      TlsContext context(settings);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.family(), ErrorFamily::kUser);
      return error.message();
    }
  };
  TlsSettings settings = trusting(authority_);
  settings.protocols = {"TLSv1.3", "TLSv9"};
  EXPECT_EQ(fails(settings), "there is no TLS protocol 'TLSv9'");
  settings = trusting(authority_);
  settings.cipher_suites = {"TLS_ROT13"};
  EXPECT_EQ(fails(settings), "there is no cipher suite 'TLS_ROT13'");
  settings = trusting(authority_);
  settings.identity = KeyStore::Identity{client_.identity().key, {broker_.der()}};
  EXPECT_TRUE(fails(settings).starts_with("its private key does not belong to its certificate"));
  settings.identity = KeyStore::Identity{client_.identity().key, {}};
  EXPECT_TRUE(fails(settings).starts_with("it needs a private key and its certificate"));
}

}  // namespace
}  // namespace yeoul
