#!/usr/bin/env python3
"""Sends arguments that another project's generator makes of real tools' schemas through the judge. See README.md.

    run.py --toolgate PATH [--catalogs FOLDER] [--all] [--only TEXT] [--examples N] [--no-skip]

One line a failing tool, then `N passed, M failed`; exit 1 where one failed.
"""
import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# One tool in so many belongs to the sample.
SAMPLE = 60
# Larger schemas are left out of the sample, since the generator takes seconds to read one.
SCHEMA_MAX_BYTES = 6_000


class Judge:
    """One process that answers line by line."""

    def __init__(self, program):
        command = [str(program), "judge", "--jsonl"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def ask(self, schema, arguments_text):
        request = {"id": "x", "schema": schema, "origin": "discovered", "arguments_text": arguments_text}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit("toolgate ended before it answered")
        return json.loads(answer)


def tools(folder):
    for path in sorted(folder.glob("*.json")):
        for tool in json.loads(path.read_text(encoding="utf-8"))["tools"]:
            yield f"{path.stem}/{tool['name']}", tool.get("inputSchema", {})


def in_sample(label, schema):
    digest = hashlib.sha256(label.encode()).digest()
    return int.from_bytes(digest[:4], "big") % SAMPLE == 0 and len(json.dumps(schema)) <= SCHEMA_MAX_BYTES


def closed(schema):
    """The schema as the boundary reads it: arguments are an object, and a root that is silent refuses undeclared keys."""
    effective = {"type": "object", **schema}
    if not {"additionalProperties", "unevaluatedProperties", "patternProperties"} & schema.keys():
        effective["additionalProperties"] = False
        known = dict(schema.get("properties", {}))
        for name in schema.get("required", []):
            known.setdefault(name, {})
        effective["properties"] = known
    return effective


def is_python_only(arguments, violations):
    """Whether the generator read a pattern as Python does: digits of every script, and `$` before a last line break."""
    if any(violation["code"] != "pattern" for violation in violations):
        return False
    text = json.dumps(arguments)
    return "\\u" in text or "\\n" in text


def examine(judge, label, schema, examples):
    """The fault of one tool, or none; and how many arguments were sent. None where the generator cannot read the schema."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis.errors import HypothesisException
    from hypothesis_jsonschema import from_schema

    seen = {"sent": 0}

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(from_schema(closed(schema)))
    def one(arguments):
        text = json.dumps(arguments, ensure_ascii=False)
        answer = judge.ask(schema, text)
        seen["sent"] += 1
        if answer.get("verdict") == "admitted":
            if answer["arguments_text"] != text or answer["edits"]:
                raise AssertionError(f"{text} was changed to {answer['arguments_text']}")
            return
        violations = answer.get("violations") or []
        if violations and all(violation["code"] == "list-as-text" for violation in violations):
            return
        if violations and is_python_only(arguments, violations):
            return
        raise AssertionError(f"{text}: {json.dumps(answer)[:600]}")

    try:
        one()
    except AssertionError as fault:
        return str(fault), seen["sent"]
    except (HypothesisException, RecursionError):
        return None if seen["sent"] == 0 else ("", seen["sent"])
    return "", seen["sent"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--toolgate", type=pathlib.Path, required=True)
    parser.add_argument("--catalogs", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--examples", type=int, default=10)
    parser.add_argument("--no-skip", action="store_true")
    options = parser.parse_args()

    shared = ROOT / os.environ.get("TOOLGATE_SHARED", "../shared")
    folder = options.catalogs or shared / "catalogs"
    no_skip = options.no_skip or os.environ.get("TOOLGATE_NO_SKIP") == "1"
    # What the generator remembers is nothing that a checkout should keep.
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", tempfile.gettempdir() + "/hypothesis")
    try:
        import hypothesis_jsonschema  # noqa: F401
    except ImportError:
        print("skipped: `hypothesis-jsonschema` is not installed (tests/hypothesis/requirements.txt)")
        return 1 if no_skip else 0
    if not folder.is_dir():
        print("skipped: there are no catalogues beside this checkout")
        return 1 if no_skip else 0
    warnings.simplefilter("ignore")

    judge = Judge(options.toolgate)
    passed = failed = sent = unusable = unread = 0
    for label, schema in tools(folder):
        wanted = options.only in label if options.only else options.all or in_sample(label, schema)
        if not wanted:
            continue
        if judge.ask(schema, "{}").get("verdict") == "unusable":
            unusable += 1
            continue
        try:
            outcome = examine(judge, label, schema, options.examples)
        except Exception as error:  # The generator's own limits: recursion, keywords that it does not know.
            if type(error).__module__.split(".")[0] not in ("hypothesis", "hypothesis_jsonschema", "jsonschema", "referencing", "re"):
                raise
            outcome = None
        if outcome is None:
            unread += 1
            continue
        fault, count = outcome
        sent += count
        if fault:
            failed += 1
            print(f"FAILED {label}: {fault}")
        else:
            passed += 1
    print(f"{sent} arguments sent; {unusable} tools are closed, of {unread} the generator can make none")
    if passed + failed == 0:
        print("nothing was tested")
        return 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
