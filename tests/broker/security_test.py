#!/usr/bin/env python3
"""TLS and logins of kafka/native against a real broker. All keys and passwords are made by the test."""
import base64
import concurrent.futures
import http.server
import json
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

import fixture

PROBE = pathlib.Path(fixture.yeoul_binary()).parent / "kafka_probe"
SECRET = "chang-eit"
#: A failure is to be told long before this.
SOON_S = 20
PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
OAUTH = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"
OIDC_HANDLER = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler"
KERBEROS = "com.sun.security.auth.module.Krb5LoginModule"
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"


def run(folder, *command, **options):
    done = subprocess.run([str(part) for part in command], cwd=folder, text=True, capture_output=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def jaas(module, **options):
    return f"{module} required " + " ".join(f'{name}="{value}"' for name, value in options.items()) + ";"


class Certificates:
    """An authority, and what it issued, as PEM, PKCS12 and JKS, in a folder."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("ca", "other-ca"):
            self.openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.pem",
                         "-days", "30", "-subj", f"/CN={name}", "-addext", "basicConstraints=critical,CA:TRUE")
        localhost = "DNS:localhost,IP:127.0.0.1"
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda row: self.issue(*row), (
                ("broker", localhost, "ca"), ("client", localhost, "ca"), ("elsewhere", "DNS:kafka.example", "ca"),
                ("expired", localhost, "ca"), ("stranger", localhost, "other-ca"))))
            self.export("client", "ca", "client-old.p12", "-legacy")  # as Java before 16 made them
            store = ("-storepass", SECRET, "-noprompt")
            list(pool.map(lambda row: self.keytool(*row, *store), (
                ("-importcert", "-alias", "ca", "-file", "ca.pem", "-keystore", "trust.jks", "-storetype", "JKS"),
                ("-importcert", "-alias", "ca", "-file", "ca.pem", "-keystore", "trust.p12", "-storetype", "PKCS12"),
                ("-importkeystore", "-srckeystore", "client.p12", "-srcstorepass", SECRET, "-destkeystore", "client.jks",
                 "-deststoretype", "JKS", "-deststorepass", SECRET, "-destkeypass", SECRET + "-key"),
                ("-importkeystore", "-srckeystore", "client.p12", "-srcstorepass", SECRET, "-destkeystore",
                 "client-java.p12", "-deststoretype", "PKCS12", "-deststorepass", SECRET))))

    def openssl(self, *arguments):
        run(self.folder, "openssl", *arguments)

    def keytool(self, *arguments):
        run(self.folder, "keytool", *arguments)

    def export(self, name, authority, file, *options):
        """A PKCS12 store with the key, its certificate and the authority's."""
        self.openssl("pkcs12", "-export", "-in", f"{name}.pem", "-inkey", f"{name}.key", "-certfile", f"{authority}.pem",
                     "-name", name, "-out", file, "-passout", f"pass:{SECRET}", *options)

    def issue(self, name, hosts, authority):
        (self.folder / f"{name}.ext").write_text(f"subjectAltName={hosts}\n")
        self.openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj",
                     f"/CN={name}")
        if name == "expired":  # openssl x509 gives no way to choose the first day
            (self.folder / "ca.conf").write_text("[ca]\ndefault_ca=d\n[d]\ndatabase=index\nserial=serial\nnew_certs_dir=.\n"
                                                 "default_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n")
            (self.folder / "index").touch()
            (self.folder / "serial").write_text("01\n")
            self.openssl("ca", "-batch", "-config", "ca.conf", "-in", f"{name}.csr", "-cert", f"{authority}.pem", "-keyfile",
                         f"{authority}.key", "-out", f"{name}.pem", "-startdate", "20200101000000Z", "-enddate",
                         "20210101000000Z", "-extfile", f"{name}.ext", "-notext")
        else:
            self.openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.pem", "-CAkey", f"{authority}.key",
                         "-CAcreateserial", "-CAserial", f"{name}.srl", "-days", "30", "-extfile", f"{name}.ext", "-out",
                         f"{name}.pem")
        self.export(name, authority, f"{name}.p12")
        self.openssl("pkcs8", "-topk8", "-in", f"{name}.key", "-out", f"{name}.pk8", "-passout", f"pass:{SECRET}-key")

    def path(self, name):
        return str(self.folder / name)

    def line(self, *names):
        """PEM files as one line, as properties files have them."""
        return " ".join((self.folder / name).read_text().replace("\n", " ") for name in names)


class TokenEndpoint(http.server.BaseHTTPRequestHandler):
    """The token endpoint of an identity provider: client credentials in, unsecured tokens out."""

    #: So many requests are answered with the status 503 first.
    num_failures = 0

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if TokenEndpoint.num_failures > 0:
            TokenEndpoint.num_failures -= 1
            return self.answer(503, {"error": "temporarily_unavailable"})
        expected = "Basic " + base64.b64encode(f"yeoul:{SECRET}".encode()).decode()
        if self.headers["Authorization"] != expected or body != "grant_type=client_credentials&scope=kafka+all":
            return self.answer(401, {"error": "invalid_client", "error_description": "no such client"})
        part = lambda claims: base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")  # noqa: E731
        now = int(time.time())
        token = part({"alg": "none"}) + "." + part({"sub": "yeoul", "iat": now, "exp": now + 3600}) + "."
        self.answer(200, {"access_token": token, "token_type": "Bearer", "expires_in": 3600})

    def answer(self, status, content):
        content = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        pass


class Kdc:
    """A Kerberos KDC of its own folder on 127.0.0.1; nothing of the system's is used or changed."""

    PROGRAMS = ("krb5kdc", "kdb5_util", "kadmin.local")

    def __init__(self, folder):
        self.folder = folder
        port = fixture.free_port()
        (folder / "krb5.conf").write_text(f"""\
[libdefaults]
 default_realm = YEOUL.TEST
 dns_lookup_kdc = false
 dns_lookup_realm = false
 rdns = false
 udp_preference_limit = 1
[realms]
 YEOUL.TEST = {{
  kdc = 127.0.0.1:{port}
 }}
[domain_realm]
 localhost = YEOUL.TEST
""")
        (folder / "kdc.conf").write_text(f"""\
[kdcdefaults]
 kdc_listen = 127.0.0.1:{port}
 kdc_tcp_listen = 127.0.0.1:{port}
[realms]
 YEOUL.TEST = {{
  database_name = {folder}/principal
  key_stash_file = {folder}/stash
  acl_file = {folder}/kadm5.acl
 }}
[logging]
 kdc = FILE:{folder}/kdc.log
""")
        self.environment = os.environ | {"KRB5_CONFIG": str(folder / "krb5.conf"), "KRB5_KDC_PROFILE": str(folder / "kdc.conf"),
                                         "KRB5CCNAME": f"FILE:{folder}/tickets", "PATH": self.path()}
        self.run("kdb5_util", "create", "-s", "-r", "YEOUL.TEST", "-P", SECRET)
        for name, principal in (("kafka", "kafka/localhost"), ("alice", "alice")):
            self.run("kadmin.local", "-q", f"addprinc -randkey {principal}@YEOUL.TEST")
            self.run("kadmin.local", "-q", f"ktadd -k {folder}/{name}.keytab {principal}@YEOUL.TEST")
        self.start()

    def start(self):
        self.process = subprocess.Popen(["krb5kdc", "-n"], env=self.environment, cwd=self.folder, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)

    @staticmethod
    def path():
        return os.environ["PATH"] + ":/usr/sbin:/sbin"

    @classmethod
    def is_installed(cls):
        return all(shutil.which(program, path=cls.path()) for program in cls.PROGRAMS)

    def run(self, *command):
        return run(self.folder, *command, env=self.environment)

    def stop(self):
        self.process.terminate()
        self.process.wait()


def key_store(listener, path):
    return [f"listener.name.{listener}.ssl.keystore.{name}={value}"
            for name, value in (("type", "PKCS12"), ("location", path), ("password", SECRET))]


class SecurityTest(fixture.BrokerTest):
    """One broker with a listener for each way to be secured."""

    LISTENERS = {"TLS": "SSL", "MTLS": "SSL", "ELSEWHERE": "SSL", "EXPIRED": "SSL", "PLAIN": "SASL_PLAINTEXT",
                 "SCRAM": "SASL_SSL", "OAUTH": "SASL_PLAINTEXT", "KRB": "SASL_PLAINTEXT"}

    @classmethod
    def setUpClass(cls):
        cls.files = pathlib.Path(tempfile.mkdtemp(prefix="yeoul-security-"))
        cls.addClassCleanup(shutil.rmtree, cls.files, ignore_errors=True)
        cls.certificates = Certificates(cls.files)
        settings = []
        for listener, name in (("tls", "broker"), ("mtls", "broker"), ("scram", "broker"), ("elsewhere", "elsewhere"),
                               ("expired", "expired")):
            settings += key_store(listener, cls.certificates.path(f"{name}.p12"))
        settings += ["listener.name.mtls.ssl.truststore.type=PEM", "listener.name.mtls.ssl.client.auth=required",
                     f"listener.name.mtls.ssl.truststore.location={cls.certificates.path('ca.pem')}",
                     "listener.name.plain.sasl.enabled.mechanisms=PLAIN",
                     "listener.name.plain.plain.sasl.jaas.config=" + jaas(PLAIN, user_alice=SECRET),
                     "listener.name.plain.connections.max.reauth.ms=3000",
                     "listener.name.scram.sasl.enabled.mechanisms=SCRAM-SHA-256,SCRAM-SHA-512",
                     "listener.name.scram.scram-sha-256.sasl.jaas.config=" + jaas(SCRAM),
                     "listener.name.scram.scram-sha-512.sasl.jaas.config=" + jaas(SCRAM)]
        settings += ["listener.name.oauth.sasl.enabled.mechanisms=OAUTHBEARER",
                     "listener.name.oauth.oauthbearer.sasl.jaas.config=" + jaas(OAUTH, unsecuredLoginStringClaim_sub="broker"),
                     "listener.name.krb.sasl.enabled.mechanisms=GSSAPI",
                     "listener.name.krb.sasl.kerberos.service.name=kafka"]
        environment = {}
        cls.kdc = None
        if Kdc.is_installed():
            (cls.files / "kdc").mkdir()
            cls.kdc = Kdc(cls.files / "kdc")
            cls.addClassCleanup(cls.kdc.stop)
            settings.append("listener.name.krb.gssapi.sasl.jaas.config=" + jaas(
                KERBEROS, useKeyTab="true", storeKey="true", keyTab=cls.kdc.folder / "kafka.keytab",
                principal="kafka/localhost@YEOUL.TEST"))
            environment["JAVA_TOOL_OPTIONS"] = f"-Djava.security.krb5.conf={cls.kdc.folder}/krb5.conf"
        listeners = {name: protocol for name, protocol in cls.LISTENERS.items() if cls.kdc or name != "KRB"}
        options = [f"--listener={name}={protocol}" for name, protocol in listeners.items()]
        cls.own_broker = fixture.Broker().start(*options, *(f"--set={setting}" for setting in settings), **environment)
        cls.addClassCleanup(cls.own_broker.stop)
        for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):  # one command for both is refused
            cls.own_broker.command("tool", "org.apache.kafka.tools.ConfigCommand", "--bootstrap-server", cls.own_broker.bootstrap,
                                   "--alter", "--entity-type", "users", "--entity-name", "alice", "--add-config",
                                   f"{mechanism}=[iterations=4096,password={SECRET}]")

    def setUp(self):
        super().setUp()
        self.broker = self.own_broker
        self.bootstrap = self.broker.bootstrap

    def probe(self, listener, properties, command="consume", topic="t", *arguments):
        file = self.folder / "client.properties"
        file.write_text("".join(f"{name}={value}\n" for name, value in properties.items()))
        return subprocess.run([PROBE, "--properties", file, command, self.broker.listeners[listener], topic,
                               *map(str, arguments or (1, "read_committed"))], text=True, capture_output=True,
                              timeout=fixture.PATIENCE_S, env=self.environment)

    def check_reads(self, listener, **properties):
        """Properties with _ for the dots of their names."""
        topic = self.topic()
        values = [f"value {i} " + "x" * (i % 500) for i in range(3000)]
        self.produce(topic, values)
        done = self.probe(listener, self.named(properties), "consume", topic)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line.split("\t")[4] for line in done.stdout.splitlines()], values)

    def check_fails(self, listener, pattern, **properties):
        begin = time.monotonic()
        done = self.probe(listener, self.named(properties))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stderr, pattern)
        self.assertLess(time.monotonic() - begin, SOON_S)
        self.assertNotIn(SECRET, done.stderr)
        return done.stderr

    @staticmethod
    def named(properties):
        return {name.replace("_", "."): value for name, value in properties.items()}

    def tls(self, **properties):
        return {"security_protocol": "SSL", "ssl_truststore_type": "PEM",
                "ssl_truststore_location": self.certificates.path("ca.pem")} | properties

    def login(self, mechanism, module, protocol="SASL_PLAINTEXT", user="alice", password=SECRET, **properties):
        return {"security_protocol": protocol, "sasl_mechanism": mechanism,
                "sasl_jaas_config": jaas(module, username=user, password=password)} | properties

    def test_trust_stores(self):
        path = self.certificates.path
        for name, stores in {
                "PEM": {"type": "PEM", "location": path("ca.pem")},
                "PEM found": {"location": path("ca.pem")},
                "the broker's own certificate": {"location": path("broker.pem")},
                "certificates": {"type": "PEM", "certificates": self.certificates.line("other-ca.pem", "ca.pem")},
                "JKS": {"type": "JKS", "location": path("trust.jks"), "password": SECRET},
                "JKS unchecked": {"location": path("trust.jks")},
                "PKCS12": {"type": "PKCS12", "location": path("trust.p12"), "password": SECRET},
                "PKCS12 as JKS": {"type": "JKS", "location": path("trust.p12"), "password": SECRET}}.items():
            with self.subTest(name):
                self.check_reads("TLS", security_protocol="SSL",
                                 **{f"ssl_truststore_{key}": value for key, value in stores.items()})

    def test_protocols_and_suites(self):
        self.check_reads("TLS", **self.tls(ssl_enabled_protocols="TLSv1.2",
                                           ssl_cipher_suites="TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"))
        self.check_reads("TLS", **self.tls(ssl_protocol="TLSv1.2"))
        self.check_reads("TLS", **self.tls(ssl_cipher_suites="TLS_AES_128_GCM_SHA256"))

    def test_client_certificates(self):
        path = self.certificates.path
        for name, stores in {
                "PKCS12": {"location": path("client.p12"), "password": SECRET},
                "PKCS12 with RC2": {"location": path("client-old.p12"), "password": SECRET},
                "PKCS12 of keytool": {"type": "PKCS12", "location": path("client-java.p12"), "password": SECRET},
                "PEM": {"type": "PEM", "location": self.joined("client.key", "client.pem")},
                "inline": {"type": "PEM", "key": self.certificates.line("client.key"),
                           "certificate_chain": self.certificates.line("client.pem", "ca.pem")}}.items():
            with self.subTest(name):
                self.check_reads("MTLS", **self.tls(**{f"ssl_keystore_{key}": value for key, value in stores.items()}))
        with self.subTest("JKS with a password of its own for the key"):
            self.check_reads("MTLS", **self.tls(ssl_keystore_location=path("client.jks"), ssl_keystore_password=SECRET,
                                                ssl_key_password=SECRET + "-key"))
        with self.subTest("encrypted PEM"):
            self.check_reads("MTLS", **self.tls(ssl_keystore_type="PEM", ssl_key_password=SECRET + "-key",
                                                ssl_keystore_location=self.joined("client.pk8", "client.pem")))

    def joined(self, *names):
        file = self.folder / "-".join(names)
        file.write_text("".join((self.files / name).read_text() for name in names))
        return str(file)

    def test_tls_failures(self):
        other = self.tls(ssl_truststore_location=self.certificates.path("other-ca.pem"))
        self.check_fails("TLS", r"its certificate was issued by 'CN=ca', which is not trusted", **other)
        self.check_fails("TLS", r"its certificate was issued by 'CN=ca', which is not trusted", security_protocol="SSL")
        self.check_fails("ELSEWHERE", r"localhost:\d+: its certificate is not for the host 'localhost', but for kafka.example",
                         **self.tls())
        self.check_reads("ELSEWHERE", **self.tls(ssl_endpoint_identification_algorithm=""))
        self.check_fails("EXPIRED", r"the certificate 'CN=expired' has expired on Jan  1 00:00:00 2021 GMT", **self.tls())
        self.check_fails("MTLS", r"wants a client certificate", **self.tls())
        self.check_fails("MTLS", r"wants a client certificate", **self.tls(ssl_protocol="TLSv1.2"))
        self.check_fails("MTLS", r"does not (trust|accept) the client certificate|wants a client certificate", **self.tls(
            ssl_keystore_location=self.certificates.path("stranger.p12"), ssl_keystore_password=SECRET))

    def test_protocols_that_do_not_fit(self):
        self.check_fails("TLS", r"speaks? TLS", security_protocol="PLAINTEXT")
        self.check_fails("TLS", r"its listener takes no login", **self.login("PLAIN", PLAIN, "SASL_SSL") | {
            "ssl_truststore_location": self.certificates.path("ca.pem")})

    def test_a_listener_that_hangs_up_is_told_of_within_seconds(self):
        plain_text, jobs = self.own_broker.bootstrap, []
        for bootstrap, more, reason in (
                (self.broker.listeners["PLAIN"], "", r"at the first request; does its listener want a login "
                                                     r"\('security.protocol'\)\?"),
                (plain_text, ", 'properties.security.protocol' = 'SSL'",
                 r"during the TLS handshake; does 'security.protocol' fit its listener\?")):
            table = f"""
                CREATE TABLE t (id BIGINT) WITH ('connector' = 'kafka', 'topic' = 'x', 'format' = 'json',
                  'properties.bootstrap.servers' = '{bootstrap}', 'scan.startup.mode' = 'earliest-offset',
                  'properties.default.api.timeout.ms' = '8000', 'properties.max.block.ms' = '8000'{more});"""
            closed = rf"bootstrap server {re.escape(bootstrap)}: it closed the connection {reason}"
            jobs += [(self.start(f"{table}\n{statement}"), closed)
                     for statement in ("SELECT id FROM t;", "INSERT INTO t VALUES (1);")]
        for job, closed in jobs:
            with self.subTest(closed=closed, job=job.script.read_text()):
                self.assertEqual(job.wait(SOON_S), 2, job.tail())
                self.assertRegex(job.stderr(), rf"WARN kafka .* 5(000 m)? ?s\b.*{closed}")
                self.assertRegex(job.stderr(), rf"failed: .*{closed}.*\[YEOUL-4001\]")

    def test_stores_that_cannot_be_read(self):
        path = self.certificates.path
        for pattern, properties in {
                r"ssl\.truststore\.location'?: .*trust\.jks: the password is wrong": {
                    "ssl_truststore_type": "JKS", "ssl_truststore_location": path("trust.jks"),
                    "ssl_truststore_password": "wrong"},
                r"ssl\.truststore\.location'?: .*trust\.p12: the password is wrong": {
                    "ssl_truststore_type": "PKCS12", "ssl_truststore_location": path("trust.p12"),
                    "ssl_truststore_password": "wrong"},
                r"ssl\.keystore\.location'?: .*client\.jks: the password does not open its private key": {
                    "ssl_keystore_location": path("client.jks"), "ssl_keystore_password": SECRET},
                r"ssl\.keystore\.location'?: .*nowhere\.p12": {"ssl_keystore_location": path("nowhere.p12")}}.items():
            self.check_fails("TLS", pattern, **self.tls(**properties))

    def test_plain(self):
        self.check_reads("PLAIN", **self.login("PLAIN", PLAIN))
        self.check_reads("PLAIN", **self.login("PLAIN", "org.apache.flink.kafka.shaded." + PLAIN))
        error = self.check_fails("PLAIN", r"it refused the login: Authentication failed: Invalid username or password",
                                 **self.login("PLAIN", PLAIN, password="wrong"))
        self.assertIn(self.broker.listeners["PLAIN"], error)
        self.check_fails("PLAIN", r"it takes no login by SCRAM-SHA-256, but by PLAIN", **self.login("SCRAM-SHA-256", SCRAM))

    def test_scram(self):
        store = {"ssl_truststore_location": self.certificates.path("ca.pem")}
        for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
            self.check_reads("SCRAM", **self.login(mechanism, SCRAM, "SASL_SSL", **store))
            self.check_fails("SCRAM", r"it refused the login: .*invalid credentials with SASL mechanism SCRAM",
                             **self.login(mechanism, SCRAM, "SASL_SSL", password="wrong", **store))
        self.check_fails("SCRAM", r"it refused the login", **self.login("SCRAM-SHA-512", SCRAM, "SASL_SSL", "bob", **store))

    def token_endpoint(self, context=None, port=0):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), TokenEndpoint)
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http{'s' if context else ''}://localhost:{server.server_port}/token"

    def oauth(self, handler="", **options):
        properties = {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "OAUTHBEARER",
                      "sasl_jaas_config": jaas(OAUTH, **options)}
        return properties | ({"sasl_login_callback_handler_class": handler} if handler else {})

    def test_unsecured_tokens(self):
        self.check_reads("OAUTH", **self.oauth(unsecuredLoginStringClaim_sub="alice", unsecuredLoginListClaim_scope=",a,b"))
        self.check_fails("OAUTH", r"it refused the (token|login): \{\"status\":\"invalid_token\"", **self.oauth(
            unsecuredLoginStringClaim_user="alice", unsecuredLoginPrincipalClaimName="user"))

    def test_client_credentials(self):
        url = self.token_endpoint()
        oidc = {"clientId": "yeoul", "clientSecret": SECRET, "scope": "kafka all"}
        self.check_reads("OAUTH", sasl_oauthbearer_token_endpoint_url=url, **self.oauth(OIDC_HANDLER, **oidc))
        self.check_fails("OAUTH", r"the token endpoint \S+ answers with status 401: invalid_client, no such client",
                         sasl_oauthbearer_token_endpoint_url=url, **self.oauth(OIDC_HANDLER, **oidc | {"clientId": "other"}))
        retry = {"sasl_login_retry_backoff_ms": "20", "sasl_login_retry_backoff_max_ms": "200"}
        TokenEndpoint.num_failures = 3
        self.check_reads("OAUTH", sasl_oauthbearer_token_endpoint_url=url, **retry, **self.oauth(OIDC_HANDLER, **oidc))
        self.assertEqual(TokenEndpoint.num_failures, 0)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificates.path("broker.pem"), self.certificates.path("broker.key"))
        url = self.token_endpoint(context)
        trust = {"ssl.truststore.location": self.certificates.path("trust.jks"), "ssl.truststore.password": SECRET}
        self.check_reads("OAUTH", sasl_oauthbearer_token_endpoint_url=url, **self.oauth(OIDC_HANDLER, **oidc, **trust))
        self.check_fails("OAUTH", r"certificate", sasl_oauthbearer_token_endpoint_url=url, **self.oauth(OIDC_HANDLER, **oidc))

    def test_an_identity_provider_that_is_away_is_waited_for(self):
        topic = self.topic()
        self.produce(topic, [{"v": 1}])
        port = fixture.free_port()
        oidc = self.oauth(OIDC_HANDLER, clientId="yeoul", clientSecret=SECRET, scope="kafka all")
        job = self.start(self.table(topic, "OAUTH", sasl_oauthbearer_token_endpoint_url=f"http://localhost:{port}/token", **oidc),
                         "--output", "json")
        self.wait_for(job, lambda: re.search(r"the login failed: http://localhost:\d+/token: .*onnect", job.stderr()),
                      "the job says why it waits")
        self.assertNotIn(SECRET, job.stderr())
        self.token_endpoint(port=port)
        self.assertEqual(job.wait(), 0, job.tail())
        self.assertEqual(fixture.columns(job.rows(), "v"), [(1,)])

    def kerberos(self, service="kafka", **options):
        return {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "GSSAPI", "sasl_kerberos_service_name": service,
                "sasl_jaas_config": jaas(KERBEROS, **options)}

    def test_kerberos(self):
        if self.kdc is None:
            self.skipTest("there is no KDC: tools/setup kerberos")
        self.environment = self.kdc.environment
        table = {"useKeyTab": "true", "keyTab": self.kdc.folder / "alice.keytab"}
        self.check_reads("KRB", **self.kerberos(**table, principal="alice@YEOUL.TEST"))
        self.check_reads("KRB", **self.kerberos(**table))
        self.check_fails("KRB", r"the login failed: kafak@localhost: .*not found in Kerberos database",
                         **self.kerberos("kafak", **table))
        self.check_fails("KRB", r"the login failed: no ticket for 'bob@YEOUL.TEST' from '\S+alice.keytab'", **self.kerberos(**table, principal="bob@YEOUL.TEST"))
        self.check_fails("KRB", r"the login failed: .*(cache|credential)", **self.kerberos(useTicketCache="true"))
        self.kdc.run("kinit", "-kt", self.kdc.folder / "alice.keytab", "alice@YEOUL.TEST")
        self.check_reads("KRB", **self.kerberos(useTicketCache="true"))
        self.check_reads("KRB", client_dns_lookup="resolve_canonical_bootstrap_servers_only", **self.kerberos(useTicketCache="true"))

    def kerberos_table(self, topic, service="kafka", **properties):
        """Only what a job of Flink needs with Kerberos in the engine's configuration (KD-142)."""
        return self.table(topic, "KRB", security_protocol="SASL_PLAINTEXT", sasl_kerberos_service_name=service, **properties)

    def options(self, **options):
        """Options of the engine, with __ for the dots and _ for the hyphens of their names."""
        named = {name.replace("__", ".").replace("_", "-"): value for name, value in options.items()}
        return [f"-D{name}={value}" for name, value in named.items()]

    def test_kerberos_of_the_engines_configuration(self):
        if self.kdc is None:
            self.skipTest("there is no KDC: tools/setup kerberos")
        topic = self.topic()
        self.produce(topic, [{"v": 1}, {"v": 2}])
        table = self.kdc.folder / "alice.keytab"
        conf = {"java__security__krb5__conf": self.kdc.folder / "krb5.conf"}
        keys = conf | {"security__kerberos__login__keytab": table, "security__kerberos__login__principal": "alice@YEOUL.TEST"}
        client = {"security__kerberos__login__contexts": "Client,KafkaClient"}

        def expect_rows(options, **properties):
            rows = self.select(self.kerberos_table(topic, **properties), *self.options(**options))
            self.assertEqual(fixture.columns(rows, "v"), [(1,), (2,)])

        def expect_failure(options, code, pattern, **properties):
            job = self.run_sql(self.kerberos_table(topic, **properties), *self.options(**options), code=code, timeout=SOON_S)
            self.assertRegex(job.stderr(), pattern)

        with self.subTest("key table"):
            expect_rows(keys | client)
            self.run_sql(self.kerberos_table(topic, statement="INSERT INTO t VALUES (3);"), *self.options(**keys | client))
            self.assertEqual(self.record_count(topic), 3)
        topic = self.topic()
        self.produce(topic, [{"v": 1}, {"v": 2}])
        with self.subTest("what is missing"):
            expect_failure(keys, 1, r"sasl\.jaas\.config': it must be set.* or 'security\.kerberos\.login\.contexts' with KafkaClient")
            expect_failure(conf | client | {"security__kerberos__login__keytab": table}, 1,
                           r"option 'security\.kerberos\.login\.principal': it must be set where .*keytab' is")
        with self.subTest("another service"):
            expect_failure(keys | client, 2, "the login failed: other@localhost: .*not found in Kerberos database", service="other")
        with self.subTest("a JAAS file"):
            file = self.folder / "jaas.conf"
            file.write_text("Client { a.B required; };\nKafkaClient {\n  " + jaas(
                KERBEROS, useKeyTab="true", keyTab=table, principal="alice@YEOUL.TEST") + "\n};\n")
            expect_rows(conf | {"java__security__auth__login__config": file})
            expect_rows({"env__java__opts__all": f"-Xmx1g -Djava.security.krb5.conf={conf['java__security__krb5__conf']} "
                                                 f"-Djava.security.auth.login.config={file}"})
        with self.subTest("a configuration file"):
            (self.folder / "flink-conf.yaml").write_text("".join(
                f"{name.replace('__', '.').replace('_', '-')}: {value}\n" for name, value in (keys | client).items()))
            rows = self.select(self.kerberos_table(topic), "--config", str(self.folder))
            self.assertEqual(fixture.columns(rows, "v"), [(1,), (2,)])
        with self.subTest("a ticket cache"):
            self.environment = self.kdc.environment | {"KRB5CCNAME": f"FILE:{self.kdc.folder}/engine-tickets"}
            expect_failure(client, 2, "the login failed: .*(cache|credential)")
            run(self.folder, "kinit", "-kt", table, "alice@YEOUL.TEST", env=self.environment)
            expect_rows(client)

    def test_a_kdc_that_is_away_is_waited_for(self):
        if self.kdc is None:
            self.skipTest("there is no KDC: tools/setup kerberos")
        topic = self.topic()
        self.produce(topic, [{"v": 1}])
        self.kdc.stop()
        try:
            job = self.start(self.kerberos_table(topic), "--output", "json", *self.options(
                java__security__krb5__conf=self.kdc.folder / "krb5.conf",
                security__kerberos__login__keytab=self.kdc.folder / "alice.keytab",
                security__kerberos__login__principal="alice@YEOUL.TEST", security__kerberos__login__contexts="KafkaClient"))
            self.wait_for(job, lambda: "Cannot contact any KDC" in job.stderr(), "the job says why it waits")
        finally:
            self.kdc.start()
        self.assertEqual(job.wait(), 0, job.tail())
        self.assertEqual(fixture.columns(job.rows(), "v"), [(1,)])

    def table(self, topic, listener, statement="SELECT v FROM t;", **properties):
        options = "".join(f", 'properties.{name}' = '{value}'" for name, value in self.named(properties).items())
        return f"""CREATE TABLE t (v INT) WITH ('connector' = 'kafka', 'topic' = '{topic}', 'format' = 'json',
            'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
            'properties.bootstrap.servers' = '{self.broker.listeners[listener]}'{options});
            {statement}"""

    def test_tables_of_secured_brokers(self):
        topic = self.topic()
        self.produce(topic, [{"v": 1}, {"v": 2}])
        store = {"ssl_truststore_location": self.certificates.path("trust.jks"), "ssl_truststore_password": SECRET}
        rows = self.select(self.table(topic, "SCRAM", **self.login("SCRAM-SHA-512", SCRAM, "SASL_SSL", **store)))
        self.assertEqual(fixture.columns(rows, "v"), [(1,), (2,)])
        oidc = self.oauth(OIDC_HANDLER, clientId="yeoul", clientSecret=SECRET, scope="kafka all")
        rows = self.select(self.table(topic, "OAUTH", sasl_oauthbearer_token_endpoint_url=self.token_endpoint(), **oidc))
        self.assertEqual(fixture.columns(rows, "v"), [(1,), (2,)])
        write = "INSERT INTO t VALUES (3), (4);"
        self.run_sql(self.table(topic, "SCRAM", write, **self.login("SCRAM-SHA-512", SCRAM, "SASL_SSL", **store)))
        rows = self.select(self.table(topic, "SCRAM", **self.login("SCRAM-SHA-512", SCRAM, "SASL_SSL", **store)))
        self.assertEqual(fixture.columns(rows, "v"), [(1,), (2,), (3,), (4,)])
        for login, statement, reason in (
                ({"password": "wrong"}, "SELECT v FROM t;", "it refused the login"),
                ({"password": "wrong"}, write, "it refused the login"),
                ({"ssl_truststore_password": "wrong"}, "SELECT v FROM t;", "trust.jks: the password is wrong"),
                ({"ssl_truststore_password": "wrong"}, write, "trust.jks: the password is wrong")):
            begin = time.monotonic()
            job = self.start(self.table(topic, "SCRAM", statement,
                                        **self.login("SCRAM-SHA-512", SCRAM, "SASL_SSL", **store | login)))
            self.assertNotEqual(job.wait(), 0)
            self.assertLess(time.monotonic() - begin, SOON_S)
            self.assertIn(reason, job.stderr())
            self.assertNotIn(SECRET, job.stderr())

    def test_without_acknowledgements_the_network_has_all_at_the_end(self):
        topic = self.topic()
        rows = 300_000
        write = f"""CREATE TABLE g (v INT) WITH ('connector' = 'datagen', 'number-of-rows' = '{rows}',
              'rows-per-second' = '1000000');
            INSERT INTO t SELECT v FROM g;"""
        store = {"ssl_truststore_location": self.certificates.path("trust.jks"), "ssl_truststore_password": SECRET}
        self.run_sql(self.table(topic, "SCRAM", write, acks="0", **self.login("SCRAM-SHA-512", SCRAM, "SASL_SSL", **store)))
        fixture.wait_until(lambda: self.record_count(topic) == rows, "all rows are there")

    def test_logs_in_again(self):
        """The broker ends logins after 3 s; the reader goes on for longer over one connection."""
        topic = self.topic()
        file = self.folder / "client.properties"
        file.write_text("".join(f"{name}={value}\n" for name, value in self.named(self.login("PLAIN", PLAIN)).items()))
        follower = subprocess.Popen([PROBE, "--properties", file, "follow", self.broker.listeners["PLAIN"], topic, "1", "30"],
                                    text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(follower.kill)
        begin = time.monotonic()
        for number in range(30):
            self.produce(topic, [str(number)])
            fixture.wait_until(lambda: time.monotonic() > begin + number * 0.3, "time has passed")
        self.assertEqual(follower.wait(fixture.PATIENCE_S), 0, follower.stderr.read())
        self.assertEqual([line.split("\t")[4].strip() for line in follower.stdout], [str(i) for i in range(30)])
        self.assertEqual(follower.stderr.read(), "")  # a lost connection would stand here


if __name__ == "__main__":
    fixture.main()
