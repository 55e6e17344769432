"""Certificates for servers on this machine, made anew by openssl."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

_CONFIGURATION = """\
[req]
distinguished_name = name
prompt = no
[name]
CN = {host}
[authority]
basicConstraints = critical, CA:TRUE
[server]
basicConstraints = CA:FALSE
subjectAltName = IP:{host}
"""


def make_certificate(folder: Path, host: str) -> tuple[ssl.SSLContext, Path]:
    """What a server at an IP address uses, and the certificate of the authority that its clients must trust."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    (folder / "tls.conf").write_text(_CONFIGURATION.format(host=host))
    of_authority = ("-CA", "authority.pem", "-CAkey", "authority.key")
    for name, signed in (("authority", ()), ("server", of_authority)):  # some clients take no authority for a server
        made = ("-keyout", f"{name}.key", "-out", f"{name}.pem", "-extensions", name)
        kind = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")
        argv = [openssl, "req", "-x509", "-config", "tls.conf", *kind, *made, *signed]
        subprocess.run(argv, cwd=folder, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem", folder / "server.key")
    return context, folder / "authority.pem"
