"""DEPRECATED: the accountant reads `depot stock` now. Kept until her year is closed."""

import datetime


def writeSheet(db, fileName):
    f = open(fileName, "w")
    f.write("sku;bin;quantity;date\n")
    total = 0
    for r in db.execute("select sku, bin, quantity from stock order by sku, bin").fetchall():
        if r["quantity"] == 0: continue
        f.write(r["sku"] + ";" + r["bin"] + ";" + str(r["quantity"]) + ";" + str(datetime.date.today()) + "\n")
        total = total + r["quantity"]
    f.write("sum;;" + str(total) + ";\n")
    f.close()
    return total
