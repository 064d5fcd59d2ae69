"""The keys of providers: read when a run begins, shown to nobody."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from equipoise.errors import Blocked


class Secret:
    """A key; it has no text form, and can be taken out only on purpose."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        """Takes the key."""
        self._value = value

    def __repr__(self) -> str:
        return "Secret(...)"

    def reveal(self) -> str:
        """Gives the key, for the header of a request."""
        return self._value

    def scrubber(self) -> "Scrubber":
        """Gives what takes the key out of one answer."""
        return Scrubber(self._value.encode())


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPlace:
    """Where a key is found: in an environment variable, or in a file where one is named."""

    variable: str
    file: Path | None = None

    def read(self, provider: str, environment: Mapping[str, str]) -> Secret:
        """Gives the key.

        Raises:
            Blocked: there is none, or what is there can be no key; never says what.
        """
        if self.file is not None:
            try:
                found = self.file.read_text("utf-8").strip()
            except (OSError, UnicodeDecodeError) as error:
                raise Blocked(
                    f"the key of {provider} cannot be read from the file {self.file}; mend: put it "
                    "there, alone, readable for you only"
                ) from error
            place = f"the file {self.file}"
        else:
            found = environment.get(self.variable, "").strip()
            place = f"the environment variable {self.variable}"
        if not found:
            raise Blocked(
                f"there is no key for {provider}: {place} is not set or empty; mend: set it, or "
                "name a file that holds the key"
            )
        if not found.isascii() or not found.isprintable() or " " in found:
            raise Blocked(f"{place} holds no key of {provider}: it has blanks or line breaks in it")
        return Secret(found)


class Scrubber:
    """Replaces a key in an answer that comes in pieces, also where it is split between two."""

    def __init__(self, key: bytes) -> None:
        """Takes the key; one shorter than 8 bytes would be found everywhere."""
        self._key = key if len(key) >= 8 else b""
        self._held = b""

    def pass_on(self, chunk: bytes) -> bytes:
        """Gives the bytes without the key; keeps back what may be its beginning."""
        if not self._key:
            return chunk
        text = (self._held + chunk).replace(self._key, b"[key]")
        n_held = next(
            (
                n
                for n in range(min(len(self._key) - 1, len(text)), 0, -1)
                if self._key.startswith(text[-n:])
            ),
            0,
        )
        self._held = text[len(text) - n_held :]
        return text[: len(text) - n_held]

    def rest(self) -> bytes:
        """Gives what was kept back at the end."""
        held, self._held = self._held, b""
        return held
