"""Arrays in, frozen results out: knows no record, no file and no clock."""
