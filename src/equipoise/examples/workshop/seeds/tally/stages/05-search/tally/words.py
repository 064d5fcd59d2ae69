"""Words as they are compared: in searches and for tags."""

import unicodedata


def folded(text):
    """Gives a form in which upper and lower case and the ways of writing an accent are equal."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


def words(text):
    """Gives the folded words of a text."""
    found = []
    word = ""
    for char in folded(text):
        if char.isalnum():
            word += char
        elif word:
            found.append(word)
            word = ""
    if word:
        found.append(word)
    return found
