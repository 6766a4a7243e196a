//! What an operator decides about a server's tools: the whole policy, for all tools and for single ones.
//!
//! A policy file (TOML or JSON) says it all; command line and environment say parts of it and win over the file. A key
//! that is not known, in the file as on the command line, is a misconfiguration: a misspelt `unknown_keys` must not leave
//! a tool open.

use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::str::FromStr;
use toolgate::json::{Document, Strictness};
use toolgate::{Alias, Judge, Limits, Location, Origin, Policy, Profile, RootPolicy, Showing, UnknownWord};

/// A mistake of the operator's, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misconfiguration(pub String);

impl std::fmt::Display for Misconfiguration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misconfiguration {}

/// What is said for all tools or for one. What is not said falls back to what is said for all, then to the default.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Choices {
    /// Who wrote the schema: the operator, or another server, to which some of the judging is left. `discovered` unless said.
    pub origin: Option<String>,
    /// Who judges: the contract, or the server. Then calls go as they were sent, and what the contract would refuse is recorded.
    pub judge: Option<String>,
    /// Which undeclared keys are refused: those of the root, those of nested objects that declare keys too, or only those that the
    /// schema itself refuses.
    pub unknown_keys: Option<String>,
    /// Which unions are judged here: those that a tag or the kind of the value decides, those that the kind decides, or all.
    pub unions: Option<String>,
    /// Former names of arguments.
    pub aliases: Aliases,
    /// Readings that are off unless named.
    pub options: Vec<String>,
    /// Pointers of places where a list written as text stays text.
    pub list_text_keep: Vec<String>,
    /// Undeclared root names that are let through.
    pub forward_keys: Vec<String>,
    /// Bounds by name.
    pub limits: BTreeMap<String, u64>,
}

/// Former names: root names to lists of former ones, or a list of aliases with places.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "an object of former names, or a list of { at, name, former }")]
pub enum Aliases {
    /// `{ name = ["former"] }`
    Root(BTreeMap<String, Vec<String>>),
    /// `[{ at = "/place", name = "name", former = ["former"] }]`
    Placed(Vec<PlacedAlias>),
}

impl Default for Aliases {
    fn default() -> Self {
        Aliases::Placed(Vec::new())
    }
}

/// An alias of a property of the object at a place.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacedAlias {
    /// RFC 6901 pointer to the object; the root where it is left out.
    #[serde(default)]
    pub at: String,
    /// The declared name.
    pub name: String,
    /// Its former names.
    pub former: Vec<String>,
}

/// A whole policy file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PolicyFile {
    /// Who wrote the schemas: the operator, or another server, to which some of the judging is left. `discovered` unless said.
    pub origin: Option<String>,
    /// Who judges: the contracts, or the server. Then calls go as they were sent, and what a contract would refuse is recorded.
    pub judge: Option<String>,
    /// Which undeclared keys are refused: those of the root, those of nested objects that declare keys too, or only those that the
    /// schema itself refuses.
    pub unknown_keys: Option<String>,
    /// Which unions are judged here: those that a tag or the kind of the value decides, those that the kind decides, or all.
    pub unions: Option<String>,
    /// Readings that are off unless named.
    pub options: Vec<String>,
    /// Undeclared root names that are let through.
    pub forward_keys: Vec<String>,
    /// Bounds by name.
    pub limits: BTreeMap<String, u64>,
    /// Whether what is shown of a tool says that the root takes no other keys.
    pub root_policy: Option<String>,
    /// The reader that tools are shown to: a name that `toolgate profiles` lists, or `auto` for whichever client connects.
    /// `portable` unless said.
    pub profile: Option<String>,
    /// Values that are changed in whichever profile it is.
    pub profile_values: BTreeMap<String, ProfileValue>,
    /// Judge every call and refuse none.
    pub observe: Option<bool>,
    /// What is said for single tools.
    pub tools: BTreeMap<String, Choices>,
}

impl PolicyFile {
    /// Reads TOML, or JSON where the text begins with `{`.
    ///
    /// # Errors
    ///
    /// Names the line of the first mistake.
    pub fn read(text: &str) -> Result<PolicyFile, Misconfiguration> {
        if text.trim_start().starts_with('{') {
            let read = serde_json::from_str(text)
                .map_err(|error| Misconfiguration(format!("line {}: {error}", error.line())))?;
            no_two_readings(text)?;
            Ok(read)
        } else {
            toml::from_str(text).map_err(|error| {
                let at = error.span().map_or(0, |span| span.start);
                let line = text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1;
                Misconfiguration(format!("line {line}: {}", error.message().trim()))
            })
        }
    }

    fn for_all(&self) -> Choices {
        Choices {
            origin: self.origin.clone(),
            judge: self.judge.clone(),
            unknown_keys: self.unknown_keys.clone(),
            unions: self.unions.clone(),
            aliases: Aliases::default(),
            options: self.options.clone(),
            list_text_keep: Vec::new(),
            forward_keys: self.forward_keys.clone(),
            limits: self.limits.clone(),
        }
    }
}

/// Refuses JSON that two readers may read differently: of a tool that is named twice, one policy would be lost.
fn no_two_readings(text: &str) -> Result<(), Misconfiguration> {
    let limits = Limits { size_max_bytes: text.len(), ..Limits::default() };
    let Err(fault) = Document::read_str(text, Strictness::Strict, &limits) else { return Ok(()) };
    let line = text.bytes().take(fault.offset).filter(|byte| *byte == b'\n').count() + 1;
    let meaning = fault.code.meaning().trim_end_matches('.');
    Err(Misconfiguration(format!("line {line}: at `{}`: {meaning}", fault.location.to_log())))
}

/// The policy of a server: what a tool set is compiled with.
#[derive(Clone, Debug, Default)]
pub struct ServerPolicy {
    /// Whether the advertised root says what becomes of undeclared keys.
    pub root_policy: RootPolicy,
    /// For whom the tools are shown.
    pub profile: ProfileChoice,
    /// Values that are changed in whichever profile it is.
    pub profile_values: Vec<(String, String)>,
    /// Judge all, refuse nothing, report (R9.6).
    pub observe: bool,
    default: Policy,
    tools: BTreeMap<String, Single>,
}

/// One value of a profile, as a file writes it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum ProfileValue {
    /// `true` or `false`.
    Switch(bool),
    /// A limit.
    Number(u64),
    /// A word, or `none` for no limit.
    Word(String),
}

impl std::fmt::Display for ProfileValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ProfileValue::Switch(value) => value.fmt(f),
            ProfileValue::Number(value) => value.fmt(f),
            ProfileValue::Word(value) => value.fmt(f),
        }
    }
}

/// For whom the tools are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileChoice {
    /// One profile, whoever the client is.
    Named(&'static Profile),
    /// That of the client that the handshake names (one process has one client, R7.8).
    Auto,
}

impl Default for ProfileChoice {
    fn default() -> Self {
        ProfileChoice::Named(Profile::portable())
    }
}

impl ProfileChoice {
    /// Reads `auto` or the name of a profile.
    ///
    /// # Errors
    ///
    /// Names the words that are admitted.
    pub fn read(word: &str) -> Result<ProfileChoice, Misconfiguration> {
        match Profile::named(word) {
            Some(profile) => Ok(ProfileChoice::Named(profile)),
            None if word == "auto" => Ok(ProfileChoice::Auto),
            None => {
                if let Some(near) = Profile::near(word) {
                    let why = format!("profile: there is no `{word}`; did you mean `{}`?", near.name);
                    return Err(Misconfiguration(why));
                }
                let names = Profile::all().iter().map(|profile| format!(", `{}`", profile.name));
                Err(Misconfiguration(format!("profile: `{word}` is none of `auto`{}", names.collect::<String>())))
            }
        }
    }

    /// The profile for a client of this name.
    pub fn of(self, client: Option<&str>) -> &'static Profile {
        match self {
            ProfileChoice::Named(profile) => profile,
            ProfileChoice::Auto => client.map_or(Profile::portable(), Profile::of_client),
        }
    }
}

/// What is said for one tool, and what comes of it beside what is said for all.
#[derive(Clone, Debug, Default)]
struct Single {
    said: Vec<Choices>,
    policy: Policy,
}

impl Single {
    /// Whatever is said for all since, what was said for this tool wins: a word is not less said for being the default.
    fn settle(&mut self, default: &Policy) -> Result<(), Misconfiguration> {
        self.policy = default.clone();
        self.said.iter().try_for_each(|choices| apply(choices, &mut self.policy))
    }
}

impl ServerPolicy {
    /// The default: discovered tools, judged by their contracts.
    pub fn discovered() -> ServerPolicy {
        ServerPolicy { default: Policy { origin: Origin::Discovered, ..Policy::default() }, ..ServerPolicy::default() }
    }

    /// What a file says.
    ///
    /// # Errors
    ///
    /// Names the first word that is none of those admitted, and where it stands.
    pub fn from_file(file: &PolicyFile) -> Result<ServerPolicy, Misconfiguration> {
        let mut policy = ServerPolicy::discovered();
        apply(&file.for_all(), &mut policy.default)?;
        if let Some(word) = &file.root_policy {
            policy.root_policy = root_policy(word)?;
        }
        if let Some(word) = &file.profile {
            policy.profile = ProfileChoice::read(word)?;
        }
        let mut tried = Profile::portable().clone();
        for (name, value) in &file.profile_values {
            let value = value.to_string();
            tried.set(name, &value).map_err(|why| Misconfiguration(format!("profile_values: {why}")))?;
            policy.profile_values.push((name.clone(), value));
        }
        policy.observe = file.observe.unwrap_or(false);
        for (name, choices) in &file.tools {
            let added = policy.add_for_tool(name, choices);
            added.map_err(|error| Misconfiguration(format!("tools.{name}: {error}")))?;
        }
        Ok(policy)
    }

    /// What the text of a policy file says.
    ///
    /// # Errors
    ///
    /// As for [`PolicyFile::read`] and [`ServerPolicy::from_file`].
    pub fn read(text: &str) -> Result<ServerPolicy, Misconfiguration> {
        ServerPolicy::from_file(&PolicyFile::read(text)?)
    }

    /// Adds to what is said for all tools; wins over what was said for all before, and leaves what was said for single
    /// tools.
    ///
    /// # Errors
    ///
    /// As for [`ServerPolicy::from_file`].
    pub fn add_for_all(&mut self, choices: &Choices) -> Result<(), Misconfiguration> {
        apply(choices, &mut self.default)?;
        self.tools.values_mut().try_for_each(|tool| tool.settle(&self.default))
    }

    /// Adds to what is said for one tool.
    ///
    /// # Errors
    ///
    /// As for [`ServerPolicy::from_file`].
    pub fn add_for_tool(&mut self, name: &str, choices: &Choices) -> Result<(), Misconfiguration> {
        let tool = self.tools.entry(name.to_owned()).or_default();
        tool.said.push(choices.clone());
        tool.settle(&self.default)
    }

    /// The policy of the tool of this name.
    pub fn of(&self, name: &str) -> Policy {
        self.plain(name).clone()
    }

    /// How the tools are shown to a client of this name. Where calls are only observed they are shown as they came, so that
    /// nothing has to be read back.
    pub fn showing(&self, client: Option<&str>) -> Showing {
        let profile = if self.observe { Profile::named("plain") } else { None };
        let mut profile = Cow::Borrowed(profile.unwrap_or_else(|| self.profile.of(client)));
        for (name, value) in &self.profile_values {
            // Each was tried when it was read.
            let _ = profile.to_mut().set(name, value);
        }
        Showing { profile, root_policy: self.root_policy }
    }

    /// The tools that something is said for.
    pub fn named_tools(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }

    /// Whether the operator left the judging of this tool to the server.
    pub fn leaves_to_server(&self, name: &str) -> bool {
        self.plain(name).judge == Judge::Server
    }

    fn plain(&self, name: &str) -> &Policy {
        self.tools.get(name).map_or(&self.default, |tool| &tool.policy)
    }

    /// The bounds that hold where no tool says otherwise.
    pub fn limits(&self) -> Limits {
        self.default.limits
    }
}

fn apply(choices: &Choices, policy: &mut Policy) -> Result<(), Misconfiguration> {
    if let Some(word) = &choices.origin {
        policy.origin = choose("origin", word)?;
    }
    if let Some(word) = &choices.judge {
        policy.judge = choose("judge", word)?;
    }
    if let Some(word) = &choices.unknown_keys {
        policy.unknown_keys = choose("unknown_keys", word)?;
    }
    if let Some(word) = &choices.unions {
        policy.unions = choose("unions", word)?;
    }
    for option in &choices.options {
        let named = |mistake| Misconfiguration(format!("options: `{option}` {mistake}"));
        policy.options.set_all([&**option]).map_err(named)?;
    }
    for pointer in &choices.list_text_keep {
        if Location::from_pointer(pointer).is_none() {
            return Err(Misconfiguration(format!(
                "list_text_keep: `{pointer}` is not a JSON Pointer (it begins with `/`)"
            )));
        }
    }
    add_new(&mut policy.list_text_keep, &choices.list_text_keep);
    add_new(&mut policy.forward_keys, &choices.forward_keys);
    add_aliases(&mut policy.aliases, &choices.aliases);
    for (name, value) in &choices.limits {
        set_limit(&mut policy.limits, name, *value)?;
    }
    Ok(())
}

/// Reads `stated` or `silent`.
///
/// # Errors
///
/// Names the words that are admitted.
pub fn root_policy(word: &str) -> Result<RootPolicy, Misconfiguration> {
    choose("root_policy", word)
}

fn choose<T: FromStr<Err = UnknownWord>>(key: &str, word: &str) -> Result<T, Misconfiguration> {
    word.parse().map_err(|mistake| Misconfiguration(format!("{key}: `{word}` {mistake}")))
}

fn add_new(list: &mut Vec<String>, more: &[String]) {
    for word in more {
        if !list.contains(word) {
            list.push(word.clone());
        }
    }
}

fn add_aliases(aliases: &mut Vec<Alias>, more: &Aliases) {
    let placed: Vec<PlacedAlias> = match more {
        Aliases::Placed(placed) => placed.clone(),
        Aliases::Root(names) => names
            .iter()
            .map(|(name, former)| PlacedAlias { at: String::new(), name: name.clone(), former: former.clone() })
            .collect(),
    };
    for alias in placed {
        match aliases.iter_mut().find(|known| known.at == alias.at && known.name == alias.name) {
            Some(known) => add_new(&mut known.former, &alias.former),
            None => aliases.push(Alias { at: alias.at, name: alias.name, former: alias.former }),
        }
    }
}

fn set_limit(limits: &mut Limits, name: &str, value: u64) -> Result<(), Misconfiguration> {
    let count = usize::try_from(value).unwrap_or(usize::MAX);
    match name {
        "depth_max" => limits.depth_max = count,
        "size_max_bytes" => limits.size_max_bytes = count,
        "steps_max" => limits.steps_max = value,
        "violations_max" => limits.violations_max = count,
        "undeclared_names_max" => limits.undeclared_names_max = count,
        "schema_size_max_bytes" => limits.schema_size_max_bytes = count,
        "schema_depth_max" => limits.schema_depth_max = count,
        "schema_nodes_max" => limits.schema_nodes_max = count,
        "compile_steps_max" => limits.compile_steps_max = value,
        "pattern_size_max_bytes" => limits.pattern_size_max_bytes = count,
        "patterns_max" => limits.patterns_max = count,
        "patterns_size_max_bytes" => limits.patterns_size_max_bytes = count,
        "list_schema_nodes_max" => limits.list_schema_nodes_max = count,
        "list_compile_steps_max" => limits.list_compile_steps_max = value,
        "show_steps_max" => limits.show_steps_max = value,
        "list_show_steps_max" => limits.list_show_steps_max = value,
        "list_patterns_size_max_bytes" => limits.list_patterns_size_max_bytes = count,
        _ => return Err(Misconfiguration(format!("limits: there is no limit `{name}`"))),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolgate::{Unions, UnknownKeys};

    #[test]
    fn a_file_speaks_for_all_tools_and_for_single_ones() {
        let toml = r#"
            unknown_keys = "close-declared"
            root_policy = "silent"
            forward_keys = ["trace"]
            profile = "auto"
            profile_values = { description_chars_max = 300, pattern = "none" }
            [limits]
            depth_max = 9
            [tools.book]
            judge = "server"
            aliases = { seat = ["place"] }
            list_text_keep = ["/pattern"]
            options = ["wrap-single"]
            [tools.other]
            aliases = [{ at = "/opts", name = "x", former = ["y"] }]
        "#;
        let policy = ServerPolicy::from_file(&PolicyFile::read(toml).unwrap()).unwrap();
        let book = policy.of("book");
        assert_eq!(
            (book.judge, book.unknown_keys, book.limits.depth_max),
            (Judge::Server, UnknownKeys::CloseDeclared, 9)
        );
        assert_eq!(book.aliases, [Alias { at: String::new(), name: "seat".into(), former: vec!["place".into()] }]);
        assert!(book.options.wrap_single && book.forward_keys == ["trace"] && book.list_text_keep == ["/pattern"]);
        assert_eq!(policy.of("other").aliases[0].at, "/opts");
        assert_eq!((policy.of("third").judge, policy.root_policy), (Judge::Contract, RootPolicy::Silent));
        assert_eq!(policy.of("third").origin, Origin::Discovered);
        let shown = policy.showing(Some("Visual Studio Code")).profile;
        assert_eq!((shown.name, shown.description_chars_max), ("vscode", 300));
        assert_eq!(policy.showing(None).profile.name, "portable");
    }

    #[test]
    fn json_that_two_readers_read_differently_is_a_mistake() {
        let mistake = |text: &str| ServerPolicy::read(text).unwrap_err().0;
        let twice =
            mistake("{\"tools\": {\n\"book\": {\"judge\": \"server\"},\n\"book\": {\"forward_keys\": [\"k\"]}}}");
        assert!(twice.starts_with("line 3: at `") && twice.contains("twice"), "{twice}");
        assert!(mistake(r#"{"limits": {"depth_max": 9, "depth_max": 10}}"#).contains("twice"));
        let twice = r#"{"tools": {"book": {"aliases": {"seat": ["a"], "seat": ["b"]}}}}"#;
        assert!(mistake(twice).contains("twice"));
    }

    #[test]
    fn json_is_read_too() {
        let file = PolicyFile::read(r#" {"observe": true, "tools": {"a": {"unions": "local"}}}"#).unwrap();
        let policy = ServerPolicy::from_file(&file).unwrap();
        // Observing leaves the judging as it is, since what would be refused is to be reported.
        assert_eq!((policy.of("a").unions, policy.of("a").judge), (Unions::Local, Judge::Contract));
        assert!(policy.observe);
    }

    #[track_caller]
    fn mistake(text: &str, expected: &[&str]) {
        let message = PolicyFile::read(text).and_then(|file| ServerPolicy::from_file(&file)).unwrap_err().0;
        for part in expected {
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        mistake("unions = \"local\"\nunknown_key = \"as-written\"\n", &["line 2", "unknown_key"]);
        mistake("[tools.a]\nunions = \"locla\"\n", &["tools.a", "locla", "`local`"]);
        mistake("{\n\"unionz\": 1}", &["line 2", "unionz"]);
        mistake("[tools.a]\noptions = [\"guess\"]", &["tools.a", "guess"]);
        mistake("[limits]\ndepth = 3", &["depth"]);
        mistake("[tools.a]\nlist_text_keep = [\"x\"]", &["JSON Pointer"]);
        mistake("unions = ", &["line 1"]);
    }

    #[test]
    fn the_command_line_wins_over_the_file_and_a_tool_over_all() {
        let file = PolicyFile::read(
            "unions = \"local\"\n[tools.a]\nunknown_keys = \"as-written\"\n[tools.b]\nunions = \"remote\"",
        )
        .unwrap();
        let mut policy = ServerPolicy::from_file(&file).unwrap();
        policy
            .add_for_all(&Choices {
                unions: Some("labelled".into()),
                forward_keys: vec!["k".into()],
                ..Choices::default()
            })
            .unwrap();
        policy.add_for_tool("c", &Choices { judge: Some("server".into()), ..Choices::default() }).unwrap();
        assert_eq!(
            (policy.of("a").unions, policy.of("b").unions, policy.of("c").unions),
            (Unions::Labelled, Unions::Remote, Unions::Labelled)
        );
        assert_eq!(policy.of("a").unknown_keys, UnknownKeys::AsWritten);
        assert!(
            policy.of("b").forward_keys == ["k"]
                && policy.of("c").judge == Judge::Server
                && policy.of("x").judge == Judge::Contract
        );
    }

    #[test]
    fn what_is_said_for_one_tool_wins_though_it_is_the_default() {
        let file = PolicyFile::read(
            r#"{"tools": {"a": {"unknown_keys": "close-root", "unions": "labelled", "limits": {"depth_max": 50}}}}"#,
        )
        .unwrap();
        let mut policy = ServerPolicy::from_file(&file).unwrap();
        let for_all = Choices {
            unknown_keys: Some("as-written".into()),
            unions: Some("local".into()),
            limits: BTreeMap::from([("depth_max".to_owned(), 9), ("size_max_bytes".to_owned(), 20)]),
            ..Choices::default()
        };
        policy.add_for_all(&for_all).unwrap();
        let (one, other) = (policy.of("a"), policy.of("b"));
        assert_eq!((one.unknown_keys, one.unions), (UnknownKeys::CloseRoot, Unions::Labelled));
        assert_eq!((one.limits.depth_max, one.limits.size_max_bytes), (50, 20));
        assert_eq!(
            (other.unknown_keys, other.unions, other.limits.depth_max),
            (UnknownKeys::AsWritten, Unions::Local, 9)
        );
    }
}
