"""DEPRECATED: the first importer. Use bank_csv. Kept because `tally import --old` is in scripts."""

import datetime


def importOld(fileName, store):
    # format: dd/mm/yyyy;amount;text
    n = 0
    f = open(fileName)
    for l in f.readlines():
        parts = l.strip().split(";")
        if len(parts) != 3: continue
        d = datetime.datetime.strptime(parts[0], "%d/%m/%Y").date()
        amt = int(round(float(parts[1]) * 100))
        store.add(d, amt, parts[2])
        n += 1
    f.close()
    return n
