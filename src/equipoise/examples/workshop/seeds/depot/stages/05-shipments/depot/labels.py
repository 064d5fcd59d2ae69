# Labels for the old printer (40 columns). The new one takes PDF, see TODO.
# TODO: remove when the old printer is gone


def label(customer, number, address):
    out = []
    out.append("+" + "-" * 38 + "+")
    for l in ["Order %d" % number, customer] + address.split("\n"):
        out.append("| " + l[:36].ljust(36) + " |")
    out.append("+" + "-" * 38 + "+")
    return "\n".join(out)
