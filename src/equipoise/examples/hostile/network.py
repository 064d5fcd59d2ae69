"""Attempts to reach anything over a socket."""

import os
import socket
from contextlib import suppress

from .targets import Attempt, Targets

_PATIENCE_S = 1.0


def connect_over_tcp(of: Targets) -> str:
    return _connected(socket.AF_INET, ("127.0.0.1", of.tcp_port))


def connect_over_tcp_6(of: Targets) -> str:
    return _connected(socket.AF_INET6, ("::1", of.tcp_port))


def connect_to_the_world(_: Targets) -> str:
    for address in (("1.1.1.1", 443), ("8.8.8.8", 53), ("169.254.169.254", 80)):
        with suppress(OSError):
            return _connected(socket.AF_INET, address)
    return ""


def resolve_a_name(_: Targets) -> str:
    return str(socket.getaddrinfo("example.org", 80))


def send_over_udp(of: Targets) -> str:
    """The judge is outside: an open port of the host must not get it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sending:
        sending.settimeout(_PATIENCE_S)
        sending.sendto(of.secret.encode(), ("127.0.0.1", of.udp_port))
        return sending.recv(100).decode()


def broadcast(of: Targets) -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sending:
        sending.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        sending.sendto(of.secret.encode(), ("255.255.255.255", of.udp_port))
        return "sent"


def connect_to_an_abstract_socket(of: Targets) -> str:
    return _connected(socket.AF_UNIX, "\0" + of.abstract_socket)


def connect_to_a_socket_of_the_host(of: Targets) -> str:
    for path in (of.unix_socket, "/var/run/docker.sock", "/run/dbus/system_bus_socket"):
        with suppress(OSError):
            return _connected(socket.AF_UNIX, path)
    return ""


def connect_to_the_hypervisor(_: Targets) -> str:
    with socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM):
        return "made"


def read_packets(_: Targets) -> str:
    with suppress(OSError), socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3):
        return "packets"
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, 1):
        return "raw"


def see_connections_of_the_host(of: Targets) -> str:
    for name in ("tcp", "tcp6", "udp", "unix"):
        with suppress(OSError), open(f"/proc/net/{name}") as file:
            text = file.read()
            if f":{of.tcp_port:04X} " in text or of.abstract_socket in text:
                return name
    return ""


def set_up_a_network(_: Targets) -> str:
    """Has more than its own loopback, or can make more."""
    devices = [name for name in os.listdir("/sys/class/net") if name != "lo"]
    return " ".join(devices)


def _connected(family: int, address: tuple[str, int] | str) -> str:
    with socket.socket(family, socket.SOCK_STREAM) as connecting:
        connecting.settimeout(_PATIENCE_S)
        connecting.connect(address)
        return f"connected to {address!r}"


ATTEMPTS: tuple[Attempt, ...] = (
    connect_over_tcp,
    connect_over_tcp_6,
    connect_to_the_world,
    resolve_a_name,
    send_over_udp,
    broadcast,
    connect_to_an_abstract_socket,
    connect_to_a_socket_of_the_host,
    connect_to_the_hypervisor,
    read_packets,
    see_connections_of_the_host,
    set_up_a_network,
)
