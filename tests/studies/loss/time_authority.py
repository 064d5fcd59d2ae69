"""A throw-away time-stamping authority (RFC 3161), made with openssl."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

_CONFIG = """\
[req]
distinguished_name = name
prompt = no
[name]
CN = Throw-away authority
[tsa_cert]
extendedKeyUsage = critical,timeStamping
[tsa]
default_tsa = tsa_config
[tsa_config]
serial = {folder}/serial
crypto_device = builtin
signer_cert = {folder}/tsa.pem
certs = {folder}/root.pem
signer_key = {folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ess_cert_id_chain = no
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """Its folder, and the certificate it is trusted by."""

    folder: Path

    @property
    def root(self) -> Path:
        return self.folder / "root.pem"

    def answer(self, query: Path, out: Path) -> Path:
        """Answers a query."""
        config = self.folder / "tsa.cnf"
        openssl("ts", "-reply", "-config", config, "-queryfile", query, "-out", out)
        return out


def authority(folder: Path) -> Authority:
    """A new authority with keys of its own."""
    folder.mkdir(parents=True)
    config = folder / "tsa.cnf"
    config.write_text(_CONFIG.format(folder=folder), encoding="utf-8")
    folder.joinpath("serial").write_text("01\n", encoding="utf-8")
    key = ("-newkey", "rsa:2048", "-nodes", "-config", config)
    openssl(
        *("req", "-x509", *key, "-days", "30", "-subj", "/CN=Root"),
        *("-keyout", folder / "root.key", "-out", folder / "root.pem"),
    )
    openssl("req", "-new", *key, "-keyout", folder / "tsa.key", "-out", folder / "tsa.csr")
    openssl(
        *("x509", "-req", "-in", folder / "tsa.csr", "-CA", folder / "root.pem"),
        *("-CAkey", folder / "root.key", "-CAcreateserial", "-days", "30"),
        *("-extfile", config, "-extensions", "tsa_cert", "-out", folder / "tsa.pem"),
    )
    return Authority(folder=folder)


def openssl(*arguments: str | Path) -> None:
    """Calls openssl."""
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
