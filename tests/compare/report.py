"""Turns what was found into tables, or holds toolgate to what must come of each job."""
import re
import shlex
import sys
from datetime import date

import servers
from echo import read, same, write
from jobs import FAULTS, VALUES

BEGIN, END = "<!-- begin: written by tests/compare/run.py -->", "<!-- end -->"


# What must come of toolgate's faults: the exit status, and whether the server may see the call.
REFUSED, TOOL_FAILED, NO_ANSWER = (64, False), (2, True), (3, True)
MUST = {
    "tool that does not exist": (64, False),
    "the tool answers that it failed": TOOL_FAILED,
    "the server answers with an error": NO_ANSWER,
    "the server dies": NO_ANSWER,
    "the server is silent, two seconds allowed": NO_ANSWER,
}


def expectations(found):
    """What toolgate did otherwise than it must."""
    faults = []
    for (job, server, _), tries in found.values.items():
        if not tries[0][1]:
            faults.append(f"{job} ({server}): {arrived(tries[0][3])}: {first_line(tries[0][3].done)}")
    for job in FAULTS:
        tried = found.faults[job.name, "toolgate"]
        if (tried.done.status, tried.sent) != MUST.get(job.name, REFUSED):
            faults.append(f"{job.name}: exit {tried.done.status}, {'sent' if tried.sent else 'not sent'}")
        silent = [name for name in job.names if name not in tried.done.stderr + tried.done.stdout]
        if silent:
            faults.append(f"{job.name}: nothing is said of {', '.join(silent)}")
    if not exact(found.answers["numbers", "toolgate"].done):
        faults.append("the digits of an answer are not those of the server")
    if not pictures(found.answers["image", "toolgate"]):
        faults.append("the picture was not saved as it came")
    if "step 2" not in found.answers["progress", "toolgate"].done.stderr:
        faults.append("progress is not shown on a terminal")
    for ask in found.asks:
        tried = found.real[ask.server, ask.tool, "toolgate"][0]
        if not ask.answered(tried.done):
            faults.append(f"{ask.server} {ask.tool}: exit {tried.done.status}: {first_line(tried.done)}")
    return faults


def tables(found):
    clients = found.clients
    lines = [
        f"Made on {date.today().isoformat()} by `cargo xtask compare`, with {', '.join(client.version for client in clients)}.",
        "",
        "### Values",
        "",
        "`yes`: typed as in the third table, it arrived as it was meant, to the last digit. Otherwise: what arrived, and the "
        "other way that a client's documentation names, or its JSON for all arguments, where that does better.",
        "",
        *table(["Value", *titles(clients)], [
            [name(job.name, server), *(value(found.values[job.name, server, client.name]) for client in clients)]
            for server in ("echo", "net") for job in VALUES if server == "echo" or job.http]),
        "",
        "### Faults",
        "",
        "The exit status; whether the server saw the call; how many of the words that help are in the error. `taken`: no error at all.",
        "",
        *table(["Fault", *titles(clients)], [
            [job.name, *(fault(job, found.faults[job.name, client.name]) for client in clients)] for job in FAULTS]),
        "",
        "### What was typed",
        "",
        *table(["Value", *titles(clients)], [
            [job.name, *(code(shlex.join(found.values[job.name, "echo", client.name][0][2])) for client in clients)]
            for job in VALUES]),
        "",
        "### Answers",
        "",
        *table(["", *titles(clients)], [
            ["standard output is the answer as JSON, `9007199254740993` and `0.10` in it",
             *(numbers(found.answers["numbers", client.name].done) for client in clients)],
            ["a picture", *(picture(found.answers["image", client.name]) for client in clients)],
            ["progress, on a terminal", *(progress(found.answers["progress", client.name].done) for client in clients)],
        ]),
        "",
        "### Servers of other people",
        "",
        *table(["Server", "Over", "Tool", *titles(clients)], [
            [ask.server, "HTTP" if ask.server in found.listening else "stdio", f"`{ask.tool}`",
             *(real(ask, found.real[ask.server, ask.tool, client.name]) for client in clients)] for ask in found.asks]),
        "",
        "Versions: " + ", ".join(f"{name} {version}" for name, version in servers.versions()) + ".",
    ]
    if found.times:
        base = found.times["true", "true"]
        lines += [
            "",
            "### Seconds",
            "",
            "Medians, as so many times what `true` took in the same run "
            f"({base * 1000:.1f} ms). mcpc's connection is held by a process that runs already; *list, kept* is `tools --cached`, "
            "which asks no server.",
            "",
            *table(["", *titles(clients)], [
                [what, *(times(found.times.get((what, client.name)), base) for client in clients)]
                for what in ("--version", "--help", "list", "list, kept", "call")]),
        ]
    return "\n".join(lines) + "\n"


def put(file, text):
    """Writes the tables between the marks of a page and leaves the rest of it."""
    page = file.read_text(encoding="utf-8")
    if page.count(BEGIN) != 1 or page.count(END) != 1:
        sys.exit(f"{file} has no marks")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    file.write_text(f"{before}{BEGIN}\n{text}{END}{after}", encoding="utf-8")


def times(taken, base):
    if taken is None:
        return "–"
    return f"{taken / base:.1f}" if taken < 10 * base else f"{taken / base:.0f}"


def titles(clients):
    return [client.title for client in clients]


def name(job, server):
    return job if server == "echo" else f"{job}, over HTTP"


def table(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def code(text):
    """Text of a command in a cell: a bar and a line feed would end it."""
    if not text:
        return ""
    shown = text.replace("\n", "⏎").replace("|", "\\|")
    fence = "``" if "`" in shown else "`"
    return f"{fence}{shown}{fence}"


def arrived(tried):
    if not tried.sent:
        return f"not sent (exit {status(tried.done)})"
    arguments = tried.reached[-1]["arguments"]
    if isinstance(arguments, dict) and len(arguments) == 1:
        arguments = next(iter(arguments.values()))
    text = write(arguments)
    return code(text if len(text) <= 60 else text[:57] + "…")


def value(tries):
    kind, right, words, _ = tries[-1]
    if kind == "plain" and right:
        return "yes"
    first = arrived(tries[0][3])
    if right:
        return f"{first}; yes as {code(shlex.join(words)) if kind == 'more' else 'JSON'}"
    return f"{first}; as JSON {arrived(tries[-1][3])}"


def status(done):
    return "none: ended by us" if done.status is None else str(done.status)


def fault(job, tried):
    parts = [f"exit {status(tried.done)}" if tried.done.status is not None else "no end: ended by us"]
    parts.append("sent" if tried.sent else "unsent")
    # Where the call went through, the answer may hold the caller's own words; nobody was told of a fault.
    if job.names and tried.done.status == 0 and job.tool != "fail":
        parts.append("taken")
    elif job.names:
        said = sum(word in plain(tried.done.said) for word in job.names)
        parts.append(f"names {said} of {len(job.names)}" if len(job.names) > 1 else ("named" if said else "unnamed"))
    return ", ".join(parts)


def plain(text):
    """Without colours, and without the breaks of a frame around it."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def first_line(done):
    for line in plain(done.stderr + "\n" + done.stdout).splitlines():
        if line.strip():
            return line.strip()[:200]
    return "nothing was said"


def structured(text):
    """The numbers wherever the client's JSON keeps them."""
    try:
        answer = read(text)
    except ValueError:
        return None
    if isinstance(answer, dict):
        for key in ("structuredContent", "structured_content"):
            if isinstance(answer.get(key), dict):
                answer = answer[key]
    return answer


def exact(done):
    answer = structured(done.stdout)
    return answer is not None and same(answer, read('{"id":9007199254740993,"price":0.10}'))


def numbers(done):
    answer = structured(done.stdout)
    if answer is None:
        return "no JSON"
    if exact(done):
        return "yes"
    return code(write(answer)[:60])


def pictures(tried):
    return len(tried.files) == 1 and tried.files[0].startswith(b"\x89PNG\r\n\x1a\n")


def picture(tried):
    if pictures(tried):
        return "saved to a folder"
    return "its base64 is printed" if "iVBOR" in tried.done.stdout else f"exit {tried.done.status}, told but not kept"


def progress(done):
    if re.search(r"step 2", plain(done.stderr + done.stdout)):
        return "shown"
    return "asked for, not shown" if "was asked for" in done.stdout else "not asked for"


def real(ask, tries):
    if len(tries) == 1:
        return "yes"
    done = tries[0].done
    said = f"exit {status(done)}: {error_line(done)[:110]}".replace("|", "\\|")
    return said + ("; yes as JSON" if ask.answered(tries[-1].done) else "")


def error_line(done):
    """The line that says what was wrong, among those around it."""
    lines = [line.strip() for line in plain(done.stderr + "\n" + done.stdout).splitlines() if line.strip()]
    return next((line for line in lines if re.search(r"invalid|expected|validation", line, re.IGNORECASE)), first_line(done))
