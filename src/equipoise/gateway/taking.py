"""Takes a request in, within what one request and what one trial may send."""

from equipoise.gateway.channel import Channel, TooLarge, unpacked
from equipoise.gateway.limits import Limits
from equipoise.gateway.session import Session


class TooMuch(Exception):
    """More was sent than is taken; `fault` is the word for it, the text says what the bound is."""

    def __init__(self, fault: str, why: str) -> None:
        """Keeps the reason."""
        super().__init__(why)
        self.fault = fault


async def taken(session: Session, channel: Channel, limits: Limits) -> bytes:
    """Gives the body of a request as it reads.

    What a trial has sent is counted over all its requests, also while they come: a cell that sends
    without end cannot take the memory of those beside it.

    Raises:
        TooMuch: the request or the trial has sent more than it may.
    """
    most = limits.max_request_bytes

    def count(n_bytes: int) -> None:
        session.n_bytes += n_bytes
        if session.n_bytes > limits.max_trial_bytes:
            raise TooMuch(
                "trial_limit", f"this trial has sent more than {limits.max_trial_bytes} bytes"
            )

    if session.n_calls >= limits.max_trial_calls:
        raise TooMuch("trial_limit", f"this trial has made {session.n_calls} calls, and no more")
    count(0)
    try:
        body = await channel.body(most, count)
        text = unpacked(channel, body, most)
    except TooLarge:
        raise TooMuch("request_too_large", f"the request has more than {most} bytes") from None
    count(max(len(text) - len(body), 0))
    return text
