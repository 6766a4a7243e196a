#!/usr/bin/env python3
"""Shows what is advertised to a constrained decoder, and asks it to write arguments that the contract admits. See README.md.

    run.py --members PATH [--catalogs FOLDER] [--profile NAME]… [--every N] [--count N] [--no-skip]

A table, one line a fault, then `N passed, M failed`, counted in forms; exit 1 where one failed. TOOLGATE_FULL=1 takes every tool.
"""
import argparse
import collections
import decimal
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROFILES = ["grammar", "portable", "openai-strict"]
# What the decoder says of a schema that it does not take. `grammar` is the profile for readers of its kind, so nothing of these
# may be there; elsewhere they are counted.
UNKNOWN = {
    "it does not know uniqueItems": re.compile(r'Unimplemented keys: \["uniqueItems"\]'),
    "it counts no properties that may be absent": re.compile(r"min/maxProperties only supported when"),
    "it cannot read a pattern": re.compile(r"regex parse error"),
    "a pattern together with a length is too much for it": re.compile(r"Unable to determine if regex is empty"),
}
FAULTS_SHOWN = 40


class Number:
    """A number as it is written."""

    def __init__(self, text):
        self.text = text

    def plain(self):
        """The same number without an exponent and without a fraction of zeros."""
        value = decimal.Decimal(self.text)
        if not -400 < value.adjusted() < 400:
            return self.text
        text = format(value, "f")
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return "0" if text == "-0" else text


def read(text):
    return json.loads(text, parse_int=Number, parse_float=Number)


def written(value, plain):
    if isinstance(value, dict):
        return "{" + ",".join(f"{written(key, plain)}:{written(item, plain)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(written(item, plain) for item in value) + "]"
    if isinstance(value, Number):
        return value.plain() if plain else value.text
    return json.dumps(value, ensure_ascii=False)


def laid_out(value, schema, root, strict):
    """The value with its keys in the order of the schema, as a decoder writes them; declared ones first. Where the form is
    strict, an absent key is written as null."""
    while isinstance(schema, dict) and "$ref" in schema:
        schema = resolved(root, schema["$ref"])
    if not isinstance(schema, dict):
        return value
    if isinstance(value, list):
        return [laid_out(item, schema.get("items"), root, strict) for item in value]
    if not isinstance(value, dict):
        return value
    properties = schema.get("properties", {})
    required = schema.get("required", [])
    order = list(properties) + [name for name in required if name not in properties]
    order += [name for name in value if name not in order]
    out = {}
    for name in order:
        if name in value:
            out[name] = laid_out(value[name], properties.get(name, schema.get("additionalProperties")), root, strict)
        elif strict and name in required:
            out[name] = None
    return out


def resolved(root, reference):
    at = root
    for segment in reference.removeprefix("#").split("/")[1:]:
        at = at[segment.replace("~1", "/").replace("~0", "~")]
    return at


class Decoder:
    """llguidance over single bytes: any text has one way of being written."""

    def __init__(self):
        import llguidance

        self.library = llguidance
        self.tokenizer = llguidance.LLTokenizer("byte")

    def matcher(self, schema):
        """A matcher and none, or none and why the schema is not taken."""
        grammar = self.library.LLMatcher.grammar_from_json_schema(schema)
        matcher = self.library.LLMatcher(self.tokenizer, grammar, log_level=0)
        return (None, matcher.get_error()) if matcher.is_error() else (matcher, None)

    def refused_at(self, matcher, text):
        """The byte that the decoder would not have written, or none where it can write the whole text and end there."""
        matcher.reset()
        data = list(text.encode("utf-8"))
        taken = matcher.try_consume_tokens(data)
        if taken == len(data) and matcher.is_accepting():
            return None
        return taken


def is_closed(schema):
    return isinstance(schema, dict) and schema.get("additionalProperties") is False


def unknown(error):
    for name, form in UNKNOWN.items():
        if form.search(error):
            return name
    return None


class Tally:
    def __init__(self):
        self.forms = self.compiled = self.asked = self.plain = self.refused = self.renamed = self.controls = 0
        self.unknown = collections.Counter()


def judge(decoder, row, tally, faults):
    """Whether the form holds; `None` where the decoder does not know a keyword of it."""
    tally.forms += 1
    label = f"{row['tool']} under {row['profile']}"
    schema = json.loads(row["schema"])
    matcher, error = decoder.matcher(row["schema"])
    if matcher is None:
        why = unknown(error)
        if why is None or row["profile"] == "grammar":
            faults.append(f"{label} is not taken: {error[:300]}")
            return False
        tally.unknown[why] += 1
        return None
    tally.compiled += 1
    if row["renamed"]:
        # The arguments would have to be written under other names.
        tally.renamed += 1
        return None
    holds = True
    if row["members"] and is_closed(schema):
        # A decoder that takes everything would hold every form: one that nobody may send has to be refused.
        tally.controls += 1
        value = {**laid_out(read(row["members"][0]), schema, schema, row["strict"]), "\U0001f6ab": True}
        if decoder.refused_at(matcher, written(value, plain=True)) is None:
            faults.append(f"{label}: an undeclared key is taken")
            holds = False
    for member in row["members"]:
        value = laid_out(read(member), schema, schema, row["strict"])
        tally.asked += 1
        if decoder.refused_at(matcher, written(value, plain=False)) is None:
            continue
        text = written(value, plain=True)
        at = decoder.refused_at(matcher, text)
        if at is None:
            # `1.0` is an integer to JSON Schema; a decoder writes it as `1`.
            tally.plain += 1
            continue
        tally.refused += 1
        holds = False
        before, after = text.encode()[:at].decode(errors="replace"), text.encode()[at:].decode(errors="replace")
        faults.append(f"{label}: …{before[-120:]} ◀ refused here ▶ {after[:60]}")
    return holds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--members", type=pathlib.Path, required=True, help="the built example `shown_members`")
    parser.add_argument("--catalogs", type=pathlib.Path)
    parser.add_argument("--profile", action="append")
    full = os.environ.get("TOOLGATE_FULL") == "1"
    parser.add_argument("--every", type=int, default=1 if full else 25)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--no-skip", action="store_true")
    options = parser.parse_args()

    folder = options.catalogs or ROOT / os.environ.get("TOOLGATE_SHARED", "../shared") / "catalogs"
    no_skip = options.no_skip or os.environ.get("TOOLGATE_NO_SKIP") == "1"
    try:
        decoder = Decoder()
    except ImportError:
        print("skipped: `llguidance` is not installed (tests/requirements.txt)")
        return 1 if no_skip else 0
    if not folder.is_dir():
        print("skipped: there are no catalogues beside this checkout")
        return 1 if no_skip else 0

    profiles = options.profile or PROFILES
    cases = [ROOT / "cases" / "advertise.json", ROOT / "cases" / "judge.json"]
    command = [options.members, str(options.every), str(options.count), ",".join(profiles), folder, *cases]
    rows = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    tallies = {profile: Tally() for profile in profiles}
    faults, passed, failed = [], 0, 0
    for line in rows.stdout:
        row = json.loads(line)
        holds = judge(decoder, row, tallies[row["profile"]], faults)
        passed += holds is True
        failed += holds is False
    if rows.wait() != 0:
        print("the members could not be made")
        return 1

    print("profile          forms   taken  members  plain numbers  refused  renamed  controls")
    for profile, tally in tallies.items():
        print(
            f"{profile:<15} {tally.forms:>6} {tally.compiled:>7} {tally.asked:>8} {tally.plain:>14} {tally.refused:>8}"
            f" {tally.renamed:>8} {tally.controls:>9}"
        )
        for why, count in sorted(tally.unknown.items()):
            print(f"    not taken, {count}: {why}")
    for fault in faults[:FAULTS_SHOWN]:
        print(f"FAILED {fault}")
    if len(faults) > FAULTS_SHOWN:
        print(f"and {len(faults) - FAULTS_SHOWN} more")
    print(f"{passed} passed, {failed} failed")
    asked = sum(tally.asked for tally in tallies.values())
    controls = sum(tally.controls for tally in tallies.values())
    if asked < 10 * len(tallies) or controls == 0:
        print(f"only {asked} members and {controls} controls were asked about")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
