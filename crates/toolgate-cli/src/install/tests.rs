//! Whatever a client's file looks like, putting the guard before its servers and taking it away gives the same bytes.

use super::edit::{Edit, Guard, Place, State, applied, places};
use crate::servers::clients::Client;
use std::path::Path;

fn guard() -> Guard {
    Guard { program: "toolgate".to_owned(), words: vec!["run".to_owned()] }
}

#[track_caller]
fn read(client: &str, text: &str) -> Vec<Place> {
    let client = Client::named(client).unwrap();
    let file = client.file(Path::new("x"));
    places(client, &file, text).unwrap_or_else(|why| panic!("{why}\n{text}"))
}

fn edits(text: &str, places: &[Place], guard: Option<&Guard>) -> Vec<Edit> {
    let of = |place: &Place| match (&place.state, guard) {
        (State::Open(slot), Some(guard)) => slot.guard(text, guard).unwrap_or_default(),
        (State::Guarded(slot), None) => slot.unguard(text).unwrap_or_default(),
        _ => Vec::new(),
    };
    places.iter().flat_map(of).collect()
}

fn states(places: &[Place]) -> Vec<String> {
    let state = |place: &Place| match &place.state {
        State::Open(slot) => format!("{}: open {:?}", place.name, slot.own_words()),
        State::Guarded(slot) => format!("{}: guarded {:?}", place.name, slot.own_words()),
        State::Left(why) => format!("{}: left, {why}", place.name),
    };
    places.iter().map(state).collect()
}

/// The text with the guard, after the way back and a second turn were held to what they should be.
#[track_caller]
fn turned(client: &str, text: &str) -> String {
    let before = read(client, text);
    let guarded = applied(text, edits(text, &before, Some(&guard())));
    let after = read(client, &guarded);
    let expected: Vec<String> =
        states(&before).iter().map(|state| state.replacen(": open ", ": guarded ", 1)).collect();
    assert_eq!(states(&after), expected, "{text}\n{guarded}");
    assert!(edits(&guarded, &after, Some(&guard())).is_empty(), "{guarded}");
    let back = applied(&guarded, edits(&guarded, &after, None));
    assert_eq!(back, text, "{guarded}");
    guarded
}

#[test]
fn a_list_keeps_its_look() {
    let text = "{\n  // mine\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"npx\", // the program\n      \"args\": [\n        \"-y\", // yes\n        \"s\",\n      ],\n      \"env\": { \"K\": \"v\" },\n    },\n  },\n}\n";
    let expected = "{\n  // mine\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"toolgate\", // the program\n      \"args\": [\n        \"run\",\n        \"--\",\n        \"npx\",\n        \"-y\", // yes\n        \"s\",\n      ],\n      \"env\": { \"K\": \"v\" },\n    },\n  },\n}\n";
    assert_eq!(turned("cursor", text), expected);
    let text = r#"{"mcpServers":{"a":{"command":"n\u0070x","args":["-y"]},"b":{"args":[],"command":"x"}}}"#;
    let expected = r#"{"mcpServers":{"a":{"command":"toolgate","args":["run", "--", "n\u0070x", "-y"]},"b":{"args":["run", "--", "x"],"command":"toolgate"}}}"#;
    assert_eq!(turned("cursor", text), expected);
}

#[test]
fn a_list_that_was_not_there_goes_away_again() {
    let text = "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\r\n\t\t\t\"command\": \"x\"\r\n\t\t}\r\n\t}\r\n}\r\n";
    let expected = "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\r\n\t\t\t\"args\": [\"run\",\"--\",\"x\"],\r\n\t\t\t\"command\": \"toolgate\"\r\n\t\t}\r\n\t}\r\n}\r\n";
    assert_eq!(turned("cursor", text), expected);
    // Written anew by its client, the list stays, and it is empty, which is the same server.
    let again = "{\"mcpServers\": {\"a\": {\n\"args\": [\n\"run\",\n\"--\",\n\"x\"\n],\n\"command\": \"toolgate\"}}}";
    let back = applied(again, edits(again, &read("cursor", again), None));
    assert_eq!(back, "{\"mcpServers\": {\"a\": {\n\"args\": [\n\n],\n\"command\": \"x\"}}}");
}

#[test]
fn toml_is_edited_in_its_own_forms() {
    let text = "# mine\nmodel = \"o\"\n\n[mcp_servers.a] # first\ncommand = 'C:\\x.exe' # why\nargs = [\n  \"-y\", # yes\n]\nstartup_timeout_sec = 20\n\n[mcp_servers.a.env]\nK = \"v\"\n\n[mcp_servers.b]\n  command = \"x\"\n[mcp_servers]\nc = { command = \"x\", env = { A = \"b\" } }\nd = { command = \"y\", args = [ ] }\n";
    let guarded = turned("codex", text);
    assert!(
        guarded.contains(
            "command = \"toolgate\" # why\nargs = [\n  \"run\",\n  \"--\",\n  'C:\\x.exe',\n  \"-y\", # yes\n]"
        ),
        "{guarded}"
    );
    assert!(guarded.contains("  args = [\"run\",\"--\",\"x\"]\n  command = \"toolgate\"\n"), "{guarded}");
    assert!(guarded.contains("c = { args = [\"run\",\"--\",\"x\"], command = \"toolgate\", env"), "{guarded}");
    let dotted = "mcp_servers.a.command = 'x'\nmcp_servers.b.command = 'x'\nmcp_servers.b.args = []\n";
    let places = read("codex", dotted);
    let guarded = applied(dotted, edits(dotted, &places, Some(&guard())));
    assert!(
        guarded.starts_with("mcp_servers.a.command = 'x'\n")
            && guarded.contains("mcp_servers.b.args = [\"run\", \"--\", 'x']"),
        "{guarded}"
    );
    let crlf = text.replace('\n', "\r\n");
    assert_eq!(turned("codex", &crlf).matches('\n').count(), turned("codex", &crlf).matches("\r\n").count());
}

#[test]
fn what_is_shaped_otherwise_is_left_and_named() {
    let text = r#"{"mcpServers": {
        "http": {"url": "http://h"}, "sse": {"type": "sse", "url": "http://h"}, "odd": {"command": ["x"]}, "none": {}, "text": "x",
        "both": {"command": "x", "url": "y"}, "kind": {"type": "http", "command": "x"}, "args": {"command": "x", "args": "y"},
        "word": {"command": "x", "args": [1]}, "null": {"command": "x", "args": null}, "twice": {"command": "x", "command": "y"},
        "self": {"command": "/bin/toolgate", "args": ["judge"]}, "run": {"command": "toolgate", "args": ["run", "--"]},
        "same": {"command": "x"}, "same": {"command": "y"}, "empty": {"command": ""}
    }}"#;
    let expected = [
        "http: left, it is reached over HTTP, and the guard stands before processes",
        "sse: left, it is reached over HTTP, and the guard stands before processes",
        "odd: left, its `command` is no text, or an empty one",
        "none: left, it has no `command`",
        "text: left, it is no object",
        "both: left, it has a command, and says that it is reached otherwise",
        "kind: left, it has a command, and says that it is reached otherwise",
        "args: left, its `args` is no list",
        "word: left, its `args` holds what is no text",
        "null: left, its `args` is no list",
        "twice: left, it says the same twice",
        "self: left, it is toolgate, and not its guard",
        "run: left, it is toolgate, and not its guard",
        "same: left, it is named twice",
        "same: left, it is named twice",
        "empty: left, its `command` is no text, or an empty one",
    ];
    assert_eq!(states(&read("cursor", text)), expected);
    assert_eq!(turned("cursor", text), text);
}

#[test]
fn a_guard_of_somebody_elses_hand_is_taken_away_too() {
    let text = r#"{"mcpServers": {"a": {"command": "/opt/toolgate.exe", "args": ["run", "--observe", "--", "npx", "--", "x"]}}}"#;
    let back = applied(text, edits(text, &read("cursor", text), None));
    assert_eq!(back, r#"{"mcpServers": {"a": {"command": "npx", "args": ["--", "x"]}}}"#);
    let commented = r#"{"mcpServers": {"a": {"command": "toolgate", "args": ["run", /* why */ "--", "npx"]}}}"#;
    let places = read("cursor", commented);
    let State::Guarded(slot) = &places[0].state else { panic!() };
    assert_eq!(slot.unguard(commented).err().as_deref(), Some("a comment stands among the words of the guard"));
}

/// Numbers that look like chance and are the same every time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % 1_000_003).unwrap() % end
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }

    /// What may stand between two signs.
    fn gap(&mut self) -> &'static str {
        self.one(&["", "", " ", "\n", "\r\n  ", "\t", " // c\n", "/* \"{ */", "\n\n    "])
    }

    fn list(&mut self, items: Vec<String>, open: char, close: char) -> String {
        let mut out = format!("{open}{}", self.gap());
        let last = items.len();
        for (index, item) in items.into_iter().enumerate() {
            let comma = if index + 1 < last || self.below(3) == 0 { "," } else { "" };
            out += &format!("{item}{}{comma}{}", self.gap(), self.gap());
        }
        format!("{out}{close}")
    }

    fn text(&mut self) -> &'static str {
        self.one(&[
            "\"npx\"",
            "\"-y\"",
            "\"\"",
            "\"a \\\" b\"",
            "\"--\"",
            "\"run\"",
            "\"n\\u0070x\"",
            "\"toolgate\"",
            "\"ü\"",
            "\"// no\"",
        ])
    }

    fn server(&mut self) -> String {
        let mut members = Vec::new();
        if self.below(8) > 0 {
            let command = self.text();
            members.push(self.member("\"command\"", command));
        }
        if self.below(3) > 0 {
            let words = (0..self.below(4)).map(|_| self.text().to_owned()).collect();
            let list = self.list(words, '[', ']');
            members.push(self.member("\"args\"", &list));
        }
        if self.below(3) == 0 {
            members.push(self.member("\"env\"", "{\"command\": \"x\", \"args\": []}"));
        }
        if self.below(8) == 0 {
            members.push(self.member("\"url\"", "\"http://h\""));
        }
        if self.below(2) == 0 && members.len() > 1 {
            members.reverse();
        }
        self.list(members, '{', '}')
    }

    fn member(&mut self, name: &str, value: &str) -> String {
        format!("{name}{}:{}{value}", self.gap(), self.gap())
    }

    fn file(&mut self) -> String {
        let names = ["\"a\"", "\"b\"", "\"c\"", "\"d\""];
        let servers = (0..self.below(5)).map(|index| {
            let server = self.server();
            self.member(names[index], &server)
        });
        let servers = servers.collect();
        let servers = self.list(servers, '{', '}');
        let member = self.member("\"mcpServers\"", &servers);
        let file = self.list(vec!["\"theme\": [1, {\"command\": \"x\"}]".to_owned(), member], '{', '}');
        format!("{}{file}{}", self.gap(), self.gap())
    }
}

#[test]
fn whatever_a_file_looks_like_its_bytes_come_back() {
    let mut guarded = 0;
    for seed in 1..=3000 {
        let mut chance = Chance(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let text = chance.file();
        let before = read("cursor", &text);
        // One that is guarded already would not be as it was.
        if before.iter().any(|place| matches!(place.state, State::Guarded(_))) {
            continue;
        }
        guarded += usize::from(turned("cursor", &text) != text);
    }
    assert!(guarded > 1000, "{guarded} files had something to guard");
}

#[test]
fn yaml_keeps_its_comments_and_its_lines() {
    let entry = |entry: &str| {
        format!("GOOSE_MODEL: m # mine\nextensions:\n  ü: # ours\n    type: stdio\n{entry}    envs: {{K: v}} # last\n")
    };
    let list = "    cmd: uvx   # the program\n    args: # its words\n    -   mcp-server-fetch # first\n    - 'a b'\n";
    let expected = "    cmd: \"toolgate\"   # the program\n    args: # its words\n    -   \"run\"\n    -   \"--\"\n    -   uvx\n    -   mcp-server-fetch # first\n    - 'a b'\n";
    assert_eq!(turned("goose", &entry(list)), entry(expected));
    let flow = "    args: [ -y, \"b\" ]\n    cmd: 'npx'\n";
    let expected = "    args: [ \"run\", \"--\", 'npx', -y, \"b\" ]\n    cmd: \"toolgate\"\n";
    assert_eq!(turned("goose", &entry(flow)), entry(expected));
    for own in [
        "    cmd: uvx\n",
        "    cmd: uvx\r\n    args:\r\n      - x\r\n",
        "    cmd: \"a\\tb\"\n    args: []\n",
        "    args:\n        - one\n    cmd: /opt/a,b\n",
    ] {
        turned("goose", &entry(own));
    }
    turned("goose", "extensions: {f: {cmd: uvx, args: [a]}, g: {cmd: uvx}}\n");
    // What no list can hold as it is written stays.
    for own in ["    cmd: /opt/a,b\n    args: [x]\n", "    cmd: >-\n      uvx\n    args: [x]\n", "    cmd: [a\n"] {
        let text = entry(own);
        let client = Client::named("goose").unwrap();
        let Ok(places) = places(client, &client.file(Path::new("x")), &text) else { continue };
        let State::Open(slot) = &places[0].state else { panic!("{text}") };
        assert!(slot.guard(&text, &guard()).is_err(), "{text}");
    }
}

#[test]
fn servers_that_are_given_twice_are_told_and_not_guarded_by_halves() {
    let client = Client::named("cursor").unwrap();
    let text = "{\n\"mcpServers\": {\"a\": {\"command\": \"x\"}},\n\"mcpServers\": {\"b\": {\"command\": \"y\"}}}";
    let told = places(client, &client.file(Path::new("x")), text).err();
    assert_eq!(told.as_deref(), Some("3: `mcpServers` is given a second time: make one of the two"));
}
