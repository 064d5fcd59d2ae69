"""Why an ordinary user may not make namespaces on this machine, and what to do about it."""

import os
from contextlib import suppress

_PROFILE = (
    "sudo apt-get install apparmor-profiles && sudo ln -s "
    "/usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && sudo "
    "apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict; or, for all programs: sudo "
    "sysctl kernel.apparmor_restrict_unprivileged_userns=0"
)
_CONTAINER = (
    "start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined, or with "
    "--privileged"
)
_SWITCHES = (
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor keeps programs from making user namespaces (Ubuntu 23.10 and later)",
        _PROFILE,
    ),
    (
        "/proc/sys/kernel/unprivileged_userns_clone",
        "0",
        "this kernel lets only root make user namespaces",
        "sudo sysctl kernel.unprivileged_userns_clone=1",
    ),
    (
        "/proc/sys/user/max_user_namespaces",
        "0",
        "user namespaces are switched off",
        "sudo sysctl user.max_user_namespaces=10000",
    ),
)


def why_not() -> tuple[str, str]:
    """Gives what stands in the way and the mend; both empty where no switch is known to."""
    for path, value, why, mend in _SWITCHES:
        with suppress(OSError), open(path) as file:
            if file.read().strip() == value and (os.geteuid() != 0 or "max_user" in path):
                return why, mend
    if os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv"):
        return (
            "this is a container whose own limits forbid namespaces",
            _CONTAINER,
        )
    return "", ""
