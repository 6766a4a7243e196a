"""The jobs. Values are given to all clients in their own words; what else a client offers for a job is written beside it."""
from dataclasses import dataclass, field

BIG = 9007199254740993


@dataclass
class Value:
    """Arguments that are to reach the tool `echo`, as JSON text."""

    name: str
    meant: str
    plain: dict = field(default_factory=dict)      # words for a client where those made from the value are not its best
    more: dict = field(default_factory=dict)       # another way that its documentation names
    http: bool = False


@dataclass
class Fault:
    """A call that goes wrong, and what a person hopes to read."""

    name: str
    tool: str
    arguments: dict
    names: tuple = ()
    timeout: int | None = None
    plain: dict = field(default_factory=dict)
    again: bool = False     # the server has to be started anew after it


def quoted(name, text):
    """How mcpc is told that something is text."""
    return [f'{name}:="{text}"']


VALUES = [
    Value("text", '{"text":"hello world"}', http=True),
    Value("text `42`", '{"text":"42"}', more={"mcpc": quoted("text", "42"), "mcporter": ["--no-coerce", "text=42"]}, http=True),
    Value("text `007`", '{"text":"007"}', more={"mcpc": quoted("text", "007"), "mcporter": ["--no-coerce", "text=007"]}),
    Value("text `true`", '{"text":"true"}', more={"mcpc": quoted("text", "true"), "mcporter": ["--no-coerce", "text=true"]}),
    Value("text `null`", '{"text":"null"}', more={"mcpc": quoted("text", "null"), "mcporter": ["--no-coerce", "text=null"]}),
    Value("text `{\"a\":1}`", r'{"text":"{\"a\":1}"}',
          more={"mcpc": [r'text:="{\"a\":1}"'], "mcporter": ["--no-coerce", 'text={"a":1}']}),
    Value("text `\"quoted\"`", r'{"text":"\"quoted\""}',
          more={"mcpc": [r'text:="\"quoted\""'], "mcporter": ["--no-coerce", 'text="quoted"']}),
    Value("empty text", '{"text":""}'),
    Value("text `-1`", '{"text":"-1"}', more={"mcpc": quoted("text", "-1"), "mcporter": ["--no-coerce", "text=-1"]}),
    Value("text `--help`", '{"text":"--help"}'),
    Value("text `@file`", '{"text":"@file"}', more={"mcporter": ["text=@@file"]}),
    Value("text `a=b:c`", '{"text":"a=b:c"}'),
    Value("line feed, quotes, backslash", r'{"text":"one\ntwo 'r"'three' \\\"four\\\" \\n" r'"}'),
    Value("Unicode", '{"text":"Grüße, 世界 👋🏽"}', http=True),
    Value("yes or no", '{"flag":true,"dryRun":false}'),
    Value("integer", '{"count":42}'),
    Value("integer 2⁵³+1", '{"count":9007199254740993}', http=True),
    Value("integer of 30 digits", '{"count":123456789012345678901234567890}'),
    Value("number 0.10", '{"ratio":0.10}', plain={name: [f"{lead}0.10"] for name, lead in
          (("mcporter", "ratio="), ("mcpc", "ratio:="), ("fastmcp", "ratio="))} | {"toolgate": ["--ratio", "0.10"]}),
    Value("number 1e400", '{"ratio":1e400}', plain={name: [f"{lead}1e400"] for name, lead in
          (("mcporter", "ratio="), ("mcpc", "ratio:="), ("fastmcp", "ratio="))} | {"toolgate": ["--ratio", "1e400"]}),
    Value("empty list", '{"words":[]}'),
    Value("list of one text", '{"words":["a"]}', http=True),
    Value("list of three texts", '{"words":["a","b c","3"]}'),
    Value("a list by an option said twice", '{"words":["a","b"]}', plain={
        "toolgate": ["--words", "a", "--words", "b"], "mcporter": ["words=a", "words=b"],
        "mcpc": ["words:=a", "words:=b"], "fastmcp": ["words=a", "words=b"]}),
    Value("list of integers", '{"numbers":[1,9007199254740993]}'),
    Value("an object", '{"place":{"city":"Oslo","zip":"0150","point":{"x":1.5,"y":-2}}}', http=True),
    Value("a list of objects", '{"edits":[{"old":"a","new":"1"},{"old":"b","new":""}]}'),
]

FAULTS = [
    Fault("three required arguments missing", "need", {}, ("title", "body", "count")),
    Fault("option that is almost right", "echo", {"dry_run": True}, ("dryRun",)),
    Fault("option that is nothing", "echo", {"nonsense": "1"}, ("nonsense",)),
    Fault("enum word misspelt", "echo", {"colour": "gren"}, ("colour", "green")),
    Fault("text where an integer belongs", "echo", {"count": "many"}, ("count",)),
    Fault("one of two faults is in a list of objects", "echo", {"edits": [{"old": "a"}], "count": "many"}, ("edits", "new", "count")),
    Fault("tool that does not exist", "eco", {}, ("echo",)),
    Fault("the tool answers that it failed", "fail", {}, ("the disk is full",)),
    Fault("the server answers with an error", "broken", {}, ("the shelf fell down",)),
    Fault("the server dies", "die", {}, again=True),
    Fault("the server is silent, two seconds allowed", "hang", {}, timeout=2, again=True),
]
