"""Any words in any syntax: what goes in comes out of the reader's parser as it was, and never as markup.

In Markdown special characters are written as numbered entities, which every dialect takes for plain text, in tables
and attributes too, and which no templating language looks into. Brackets around numbers stay readable.
"""

from __future__ import annotations

import html as standard
import json
import re
import unicodedata

ALWAYS = "\\`*<>&{}|~$^@[]"
INTERVAL = re.compile(r"\[[\d−–-][^\[\]]*\](?![\[({:])")  # brackets that are no link and stay
# A heading's or list's mark at the beginning, dashes that become longer, emphasis at the edge of a word, and :emoji:.
SOMETIMES = re.compile(r"^[-+#=:]|(?<=-)-|(?<![^\W_])_|_(?![^\W_])|:(?=[\w+-]+:)")
NUMBERED = re.compile(r"\d+([.)])(?=\s|$)")  # at the beginning: a list


def plain(text: str) -> str:
    """One line: white space as single blanks, without what no format can hold (controls, halves of characters)."""
    kept = "".join(one for one in text if one.isspace() or unicodedata.category(one) not in ("Cc", "Cs"))
    return " ".join(kept.replace("\ufffe", "").replace("\uffff", "").split())


def markdown(text: str) -> str:
    """Text of a paragraph or a cell, in every dialect of Markdown."""
    text = plain(text)
    special = {found.start() for found in SOMETIMES.finditer(text)}
    special |= {found.start(1)} if (found := NUMBERED.match(text)) else set()
    special |= {at for at, one in enumerate(text) if one in ALWAYS}
    for found in INTERVAL.finditer(text):
        special -= {found.start(), found.end() - 1}
    return "".join(f"&#{ord(one)};" if at in special else one for at, one in enumerate(text))


def html(text: str) -> str:
    """Text or attribute of HTML."""
    return inert(standard.escape(plain(text)).replace("&#x27;", "'"))  # attributes are in double quotes


def inert(text: str) -> str:
    """HTML in which braces, templating to Jekyll, and square brackets before a letter, to WordPress, are but words."""
    return re.sub(r"[{}]|\[(?=[a-zA-Z/\[])", lambda found: f"&#{ord(found[0])};", text)


def attribute(text: str) -> str:
    """The value of an attribute in quotes behind an image (Pandoc): entities, and no quote."""
    return markdown(text).replace('"', "&#34;")


def quoted(text: str) -> str:
    """A parameter of a Hugo shortcode. Hugo drops all backslashes of a string that has an escaped quote, so words
    with either are a raw string, in which a backtick becomes an apostrophe."""
    text = plain(text)
    return f"`{text.replace('`', chr(39))}`" if {'"', "\\"} & set(text) else f'"{text}"'


def yaml(text: str) -> str:
    """A scalar of YAML: a string of JSON is one."""
    return json.dumps(plain(text), ensure_ascii=False)


def script(value: object) -> str:
    """JSON inside a script element."""
    told = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
    return told.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
