//! Fetches a server's tool list whole and makes one page of it.
//!
//! The members of the list result that are not ours to change stay: those of the first page, with the shortest `ttlMs` and
//! the narrowest `cacheScope` of all pages.

use crate::answer;
use crate::frame::{plain_string, read_part};
use crate::policy::ServerPolicy;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use toolgate::json::{Document, Kind, Strictness, Value, push_string};
use toolgate::{Code, Limits, Policy, Revision, Tool, ToolSet};

/// Nesting of a tool object, as of any frame that crosses.
const TOOL_DEPTH_MAX: usize = 512;

/// The bounds of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListLimits {
    /// Pages.
    pub pages_max: usize,
    /// Tools on all pages.
    pub tools_max: usize,
    /// Bytes of all pages' results.
    pub bytes_max: usize,
    /// How long the server may take for all pages.
    pub time_max_ms: u64,
}

impl Default for ListLimits {
    fn default() -> Self {
        ListLimits { pages_max: 1000, tools_max: 10_000, bytes_max: 64 * 1024 * 1024, time_max_ms: 30_000 }
    }
}

/// Pages on their way.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    definitions: Vec<String>,
    /// Entries that no list may show, by their number, and why.
    unfit: HashMap<usize, Unfit>,
    /// The first page's members, `tools` and `nextCursor` left out: name and value as written.
    members: Vec<(String, String)>,
    ttl: Option<(u64, String)>,
    is_private: bool,
    has_scope: bool,
    cursors: HashSet<String>,
    pages: usize,
    bytes: usize,
}

/// A tool object that may not cross as it is.
#[derive(Debug)]
pub(crate) struct Unfit {
    /// As it is listed, where it is a text.
    pub(crate) name: Option<String>,
    pub(crate) why: &'static str,
}

/// What follows a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// The page at this cursor, a JSON string as written.
    Page(String),
    /// Nothing: the list is whole.
    End,
}

impl Pages {
    /// Takes the result of one page.
    ///
    /// # Errors
    ///
    /// Says why the list cannot be had.
    pub(crate) fn add(&mut self, result: &str, limits: &ListLimits) -> Result<After, &'static str> {
        self.pages += 1;
        self.bytes = self.bytes.saturating_add(result.len());
        if self.pages > limits.pages_max || self.bytes > limits.bytes_max {
            return Err("the tool list is larger than the limit");
        }
        let document = read_part(result).ok_or("the result of tools/list cannot be read")?;
        let root = document.root();
        let tools = only(root, "tools")?.filter(|tools| tools.kind() == Kind::Array);
        let tools = tools.ok_or("the result of tools/list has no list of tools")?;
        if self.definitions.len().saturating_add(tools.len()) > limits.tools_max {
            return Err("the tool list is larger than the limit");
        }
        for tool in tools.items() {
            if let Some(unfit) = unfit(tool) {
                self.unfit.insert(self.definitions.len(), unfit);
            }
            self.definitions.push(one_line(tool.text()));
        }
        self.note_cache(root)?;
        if self.pages == 1 {
            let kept = |name: &str| !matches!(name, "tools" | "nextCursor" | "ttlMs" | "cacheScope");
            let members = root.members().filter(|(name, _)| name.as_str().is_some_and(|name| kept(&name)));
            self.members = members.map(|(name, value)| (name.text().to_owned(), one_line(value.text()))).collect();
        }
        match only(root, "nextCursor")? {
            Some(cursor) if cursor.kind() == Kind::String && !cursor.is_str("") => {
                if !self.cursors.insert(cursor.text().to_owned()) {
                    return Err("the tool list leads back to a page that was read");
                }
                Ok(After::Page(cursor.text().to_owned()))
            }
            _ => Ok(After::End),
        }
    }

    fn note_cache(&mut self, root: Value<'_>) -> Result<(), &'static str> {
        if let Some(ttl) = only(root, "ttlMs")?.filter(|ttl| ttl.kind() == Kind::Number) {
            // What is no length of time is stale at once; `as` keeps to the bounds of the type.
            let ms = ttl.text().parse::<f64>().map_or(0, |ms| ms as u64);
            if self.ttl.as_ref().is_none_or(|(shortest, _)| ms < *shortest) {
                self.ttl = Some((ms, ttl.text().to_owned()));
            }
        }
        if let Some(scope) = only(root, "cacheScope")? {
            self.has_scope = true;
            self.is_private |= !scope.is_str("public");
        }
        Ok(())
    }

    /// How long the list may be used.
    pub(crate) fn ttl_ms(&self) -> Option<u64> {
        self.ttl.as_ref().map(|(ms, _)| *ms)
    }

    pub(crate) fn definitions(&self) -> &[String] {
        &self.definitions
    }

    /// The tool objects of all pages, each on one line.
    pub(crate) fn into_definitions(self) -> Vec<String> {
        self.definitions
    }

    /// Why the entry of this number may not be shown, where that is so.
    pub(crate) fn unfit(&self, index: usize) -> Option<&Unfit> {
        self.unfit.get(&index)
    }

    /// The definitions that may be shown, each at its number; what stands for another is no tool.
    fn fit(&self) -> impl Iterator<Item = &str> {
        let definitions = self.definitions.iter().enumerate();
        definitions.map(|(index, text)| if self.unfit.contains_key(&index) { "null" } else { text.as_str() })
    }

    /// The whole list as one page, with the definitions that `set` serves on, or those that came where calls are only
    /// observed.
    pub(crate) fn into_result(self, set: Arc<ToolSet>, is_observed: bool) -> ListResult {
        let unfit = self.unfit;
        let shown = self.definitions.into_iter().enumerate().filter(|(index, _)| !unfit.contains_key(index));
        ListResult {
            set,
            observed: is_observed.then(|| shown.map(|(_, definition)| definition).collect()),
            members: self.members,
            ttl: self.ttl,
            is_private: self.is_private,
            has_scope: self.has_scope,
        }
    }
}

/// A list result for the client.
#[derive(Clone, Debug)]
pub(crate) struct ListResult {
    set: Arc<ToolSet>,
    /// The definitions as they came.
    observed: Option<Vec<String>>,
    members: Vec<(String, String)>,
    ttl: Option<(u64, String)>,
    is_private: bool,
    has_scope: bool,
}

impl ListResult {
    /// The frame that answers the request of this id.
    pub(crate) fn answer(&self, id: &str, revision: Option<Revision>) -> Vec<u8> {
        let is_stateless = revision.is_some_and(Revision::is_stateless);
        let mut result = String::from(r#"{"tools":["#);
        let definitions: Vec<&str> = match &self.observed {
            Some(definitions) => definitions.iter().map(String::as_str).collect(),
            None => self.set.listed().map(Tool::definition).collect(),
        };
        result.push_str(&definitions.join(","));
        result.push(']');
        let mut member = |name: &str, value: &str| {
            result.push(',');
            result.push_str(name);
            result.push(':');
            result.push_str(value);
        };
        let mut has_result_type = false;
        for (name, value) in &self.members {
            has_result_type |= name == r#""resultType""#;
            member(name, value);
        }
        if is_stateless && !has_result_type {
            member(r#""resultType""#, r#""complete""#);
        }
        // Where a server leaves out what its revision demands, the careful value stands.
        match &self.ttl {
            Some((_, ttl)) => member(r#""ttlMs""#, ttl),
            None if is_stateless => member(r#""ttlMs""#, "0"),
            None => {}
        }
        if self.has_scope || is_stateless {
            let is_public = self.has_scope && !self.is_private;
            member(r#""cacheScope""#, if is_public { r#""public""# } else { r#""private""# });
        }
        result.push('}');
        answer::result(id, &result)
    }
}

/// The member of this name; an error where there are two of them, which receivers read differently.
fn only<'d>(object: Value<'d>, name: &str) -> Result<Option<Value<'d>>, &'static str> {
    object.get_only(name).map_err(|_| "the result of tools/list gives a name twice")
}

/// What keeps a tool object off every list: a reader could take it for another, or break at it. It costs that tool alone.
fn unfit(tool: Value<'_>) -> Option<Unfit> {
    let name = tool.get("name");
    if name.is_some_and(|name| name.kind() == Kind::String && plain_string(name).is_none()) {
        return Some(Unfit { name: None, why: "its name holds a lone surrogate, which is no character" });
    }
    let limits = Limits { size_max_bytes: usize::MAX, depth_max: TOOL_DEPTH_MAX, ..Limits::default() };
    let is_deep = tool.text().len() > 2 * TOOL_DEPTH_MAX
        && Document::read_str(tool.text(), Strictness::Frame, &limits)
            .is_err_and(|fault| fault.code == Code::DepthLimit);
    is_deep.then(|| Unfit {
        name: name.and_then(Value::as_str).map(Cow::into_owned),
        why: "it is nested deeper than 512 levels",
    })
}

/// The same tokens on one line.
fn one_line(text: &str) -> String {
    if text.contains(['\r', '\n']) { text.replace(['\r', '\n'], "") } else { text.to_owned() }
}

/// A list that is fetched and not compiled yet. Compiling takes a millisecond a tool, so it is done beside the relay.
pub struct CompileJob {
    pages: Pages,
    policy: Arc<ServerPolicy>,
    /// How the client calls itself.
    client: Option<String>,
}

impl std::fmt::Debug for CompileJob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CompileJob({} tools)", self.pages.definitions.len())
    }
}

impl CompileJob {
    pub(crate) fn new(pages: Pages, policy: Arc<ServerPolicy>, client: Option<String>) -> Self {
        CompileJob { pages, policy, client }
    }

    /// Compiles, shows and proves every tool. Never fails: a tool that does not compile is closed alone. A long list costs no
    /// more than a bound of its own, of which each tool may take its share and no other's.
    pub fn run(self) -> Compiled {
        let definitions = self.pages.definitions();
        let policy = |name: &str| {
            let policy = self.policy.of(name);
            Policy { limits: policy.limits.in_list_of(definitions.len()), ..policy }
        };
        let showing = self.policy.showing(self.client.as_deref());
        let set = ToolSet::publish(self.pages.fit(), &showing, &policy);
        Compiled { set: Arc::new(set), pages: self.pages }
    }
}

/// A compiled list, for [`crate::relay::Relay::on_compiled`].
#[derive(Debug)]
pub struct Compiled {
    pub(crate) set: Arc<ToolSet>,
    pub(crate) pages: Pages,
}

/// How the client calls itself: `clientInfo.name` of an `initialize`'s params, or of what `_meta` carries.
pub(crate) fn client_name(part: &str) -> Option<String> {
    /// More than any name in use.
    const CHARS_MAX: usize = 100;
    let document = read_part(part)?;
    let root = document.root();
    let info = root.get("clientInfo").or_else(|| root.get("io.modelcontextprotocol/clientInfo"))?;
    let name = info.get("name")?.as_str()?;
    Some(name.chars().take(CHARS_MAX).collect())
}

/// What of a request's `_meta` a request of ours carries on (2026-07-28): who the client is and what it speaks.
pub(crate) fn carried_meta(meta: &str) -> Option<String> {
    const CARRIED: [&str; 3] = [
        "io.modelcontextprotocol/protocolVersion",
        "io.modelcontextprotocol/clientInfo",
        "io.modelcontextprotocol/clientCapabilities",
    ];
    let document = read_part(meta)?;
    let mut object = String::from("{");
    for name in CARRIED {
        if let Some(value) = document.root().get(name) {
            if object.len() > 1 {
                object.push(',');
            }
            push_string(&mut object, name);
            object.push(':');
            object.push_str(value.text());
        }
    }
    object.push('}');
    Some(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: ListLimits = ListLimits { pages_max: 3, tools_max: 3, bytes_max: 1000, time_max_ms: 1 };

    #[test]
    fn pages_join_with_the_shortest_life_and_the_narrowest_scope() {
        let mut pages = Pages::default();
        let next = pages
            .add(r#"{"x":1.50,"tools":[{"name":"a"}],"nextCursor":"c\"1","ttlMs":500,"cacheScope":"public"}"#, &LIMITS);
        assert_eq!(next, Ok(After::Page(r#""c\"1""#.into())));
        let end =
            pages.add("{\"tools\":[{\"name\":\n\"b\"}],\"y\":1,\"ttlMs\":100,\"cacheScope\":\"private\"}", &LIMITS);
        assert_eq!(end, Ok(After::End));
        assert_eq!(pages.definitions(), [r#"{"name":"a"}"#, r#"{"name":"b"}"#]);
        assert_eq!(pages.ttl_ms(), Some(100));
        let frame = String::from_utf8(pages.into_result(Arc::default(), false).answer("7", None)).unwrap();
        assert_eq!(
            frame,
            r#"{"jsonrpc":"2.0","id":7,"result":{"tools":[],"x":1.50,"ttlMs":100,"cacheScope":"private"}}"#
        );
    }

    #[test]
    fn a_stateless_list_has_what_its_revision_demands_and_an_old_one_gets_nothing_added() {
        let answer = |revision| {
            let mut pages = Pages::default();
            pages.add(r#"{"tools":[]}"#, &LIMITS).unwrap();
            String::from_utf8(pages.into_result(Arc::default(), false).answer("7", Some(revision))).unwrap()
        };
        assert_eq!(answer(Revision::V2025_11_25), r#"{"jsonrpc":"2.0","id":7,"result":{"tools":[]}}"#);
        assert!(answer(Revision::V2026_07_28).contains(r#""resultType":"complete","ttlMs":0,"cacheScope":"private""#));
    }

    #[test]
    fn a_list_without_end_is_bounded() {
        let mut pages = Pages::default();
        let page = |cursor: &str| format!(r#"{{"tools":[],"nextCursor":"{cursor}"}}"#);
        assert!(pages.add(&page("a"), &LIMITS).is_ok());
        assert!(pages.add(&page("a"), &LIMITS).is_err(), "a cursor that was given before");
        let mut pages = Pages::default();
        for cursor in ["a", "b", "c"] {
            assert!(pages.add(&page(cursor), &LIMITS).is_ok());
        }
        assert!(pages.add(&page("d"), &LIMITS).is_err(), "too many pages");
        let tools = format!(r#"{{"tools":[{}]}}"#, ["1"; 4].join(","));
        assert!(Pages::default().add(&tools, &LIMITS).is_err(), "too many tools");
        let bytes = format!(r#"{{"tools":[],"x":"{}"}}"#, "x".repeat(1000));
        assert!(Pages::default().add(&bytes, &LIMITS).is_err(), "too many bytes");
    }

    #[test]
    fn what_is_no_list_is_none() {
        for result in ["{}", r#"{"tools":{}}"#, r#"{"tools":[],"tools":[1]}"#, "[]", "7"] {
            assert!(Pages::default().add(result, &LIMITS).is_err(), "{result}");
        }
        for end in ["null", r#""""#, "7"] {
            let result = format!(r#"{{"tools":[],"nextCursor":{end}}}"#);
            assert_eq!(Pages::default().add(&result, &LIMITS), Ok(After::End));
        }
    }

    #[test]
    fn an_entry_that_may_not_cross_costs_itself_and_keeps_its_number() {
        let mut pages = Pages::default();
        let deep = format!("{}1{}", "[".repeat(600), "]".repeat(600));
        let ok = r#"{"name":"ok","inputSchema":{"type":"object"}}"#;
        let tools = format!(r#"{{"tools":[{{"name":"m\ud800"}},{ok},{{"name":"deep","x":{deep}}}]}}"#);
        pages.add(&tools, &ListLimits::default()).unwrap();
        let why = |index| pages.unfit(index).map(|unfit| (unfit.name.as_deref(), unfit.why));
        assert_eq!(why(0), Some((None, "its name holds a lone surrogate, which is no character")));
        assert_eq!(why(1), None);
        assert_eq!(why(2), Some((Some("deep"), "it is nested deeper than 512 levels")));
        let policy = Arc::new(ServerPolicy::discovered());
        let Compiled { set, pages } = CompileJob::new(pages, policy, None).run();
        assert_eq!(set.tools().iter().map(Tool::name).collect::<Vec<_>>(), ["ok"]);
        assert_eq!(set.misfits().iter().map(|misfit| misfit.index).collect::<Vec<_>>(), [0, 2]);
        let observed = String::from_utf8(pages.into_result(set, true).answer("7", None)).unwrap();
        assert_eq!(observed, format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"tools":[{ok}]}}}}"#));
    }

    #[test]
    fn only_the_clients_own_words_are_carried_on() {
        let meta = r#"{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{ }}"#;
        let carried = carried_meta(meta).unwrap();
        assert_eq!(
            carried,
            r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{ }}"#
        );
    }

    #[test]
    fn a_tool_that_takes_more_than_its_share_of_a_list_costs_itself() {
        let wide: Vec<_> = (0..200).map(|index| format!(r#""p{index}":{{"pattern":"^a{{{index}}}$"}}"#)).collect();
        let greedy = format!(r#"{{"name":"greedy","inputSchema":{{"properties":{{{}}}}}}}"#, wide.join(","));
        let modest = |index: usize| {
            format!(r#"{{"name":"t{index}","inputSchema":{{"properties":{{"p":{{"pattern":"^a+$"}}}}}}}}"#)
        };
        let compile = |limit: &str, modest_tools: usize| {
            let definitions: Vec<_> = std::iter::once(greedy.clone()).chain((0..modest_tools).map(modest)).collect();
            let mut pages = Pages::default();
            pages.add(&format!(r#"{{"tools":[{}]}}"#, definitions.join(",")), &ListLimits::default()).unwrap();
            let policy = crate::policy::PolicyFile::read(&format!("limits = {{ {limit} }}"));
            let policy = ServerPolicy::from_file(&policy.unwrap()).unwrap();
            let set = CompileJob::new(pages, Arc::new(policy), None).run().set;
            let others = set.listed().filter(|tool| tool.name() != "greedy").count();
            assert_eq!(others, modest_tools, "all others are served");
            match set.get("greedy").unwrap().contract() {
                Ok(contract) => format!("{} set aside", contract.set_aside().len()),
                Err(unusable) => unusable.defects.first().unwrap().code.clone(),
            }
        };
        for (limit, expected) in [
            ("list_compile_steps_max = 50_000", "limit"),
            ("list_schema_nodes_max = 5_000", "limit"),
            ("list_patterns_size_max_bytes = 33_554_432", "51 set aside"),
        ] {
            assert_eq!(compile(limit, 0), "0 set aside", "{limit}: alone it has all there is");
            assert_eq!(compile(limit, 499), expected, "{limit}");
        }
    }
}
