//! Members of a contract, to attack everything else with: the advertised schema, the checker, the reading of text.
//!
//! At each choice the option that was taken least so far is taken: the member of a union, the kind, whether an optional key is
//! there, which word, which side of a bound, how many items. Keys come also from sibling variants and from nowhere, where the
//! contract lets them by. Every value is asked of the evaluator before it is given out.

use crate::decode::Decode;
use crate::json::{Value, mix};
use crate::kinds::Kinds;
use crate::options::{Dialect, Options, UnknownKeys};
use crate::proof::{Input, Unreadable, parse, read_contract};
use crate::prove::Prover;
use crate::schema::Schemas;
use crate::states::{Facts, Item, Key, StateId, States};
use crate::witness::Hints;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::collections::VecDeque;

/// Members made at a time: the contract is read again for each batch, which keeps the sampler free of borrows.
const BATCH: usize = 48;
/// Steps for one member.
const MEMBER_STEPS: u64 = 20_000;
/// Candidates without a new member, after which there are no more.
const VAIN_MAX: usize = 120;
const DEPTH_MAX: u32 = 9;
/// Values in one member beside those that it must have: a recursive contract with several keys that refer to it would have
/// more than there are steps.
const ROOM: u32 = 500;
const FOREIGN_MAX: usize = 2;

/// What members are sampled with.
#[derive(Clone, Debug)]
pub struct SamplerOptions {
    /// The contract's policy for keys that it does not declare.
    pub unknown_keys: UnknownKeys,
    /// The dialect, whatever `$schema` says.
    pub dialect: Option<Dialect>,
    /// As in [`Options`].
    pub discovered: bool,
    /// As in [`Options`].
    pub set_aside: Vec<String>,
    /// Equal seeds give equal members.
    pub seed: u64,
    /// Steps for all members together.
    pub steps_max: u64,
}

impl Default for SamplerOptions {
    fn default() -> Self {
        SamplerOptions {
            unknown_keys: UnknownKeys::default(),
            dialect: None,
            discovered: false,
            set_aside: Vec::new(),
            seed: 0,
            steps_max: 2_000_000,
        }
    }
}

/// JSON texts of members of a contract, each one once.
///
/// Ends when the steps are at their end, or when nothing new was found for a while.
///
/// # Example
///
/// ```
/// use toolgate_proof::{Sampler, SamplerOptions};
///
/// let contract = r#"{"type":"object","properties":{"a":{"enum":["x","y"]}},"required":["a"]}"#;
/// let members: Vec<String> = Sampler::new(contract, SamplerOptions::default())?.collect();
/// assert!(members.contains(&r#"{"a":"x"}"#.to_owned()) && members.contains(&r#"{"a":"y"}"#.to_owned()));
/// # Ok::<(), toolgate_proof::Unreadable>(())
/// ```
#[derive(Debug)]
pub struct Sampler {
    contract: String,
    options: SamplerOptions,
    ready: VecDeque<String>,
    seen: std::collections::HashSet<String>,
    memory: Memory,
    steps: u64,
    vain: usize,
}

/// What is remembered between members.
#[derive(Debug)]
struct Memory {
    /// How often an option was taken.
    taken: FxHashMap<u64, u32>,
    random: u64,
}

impl Memory {
    fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// The option that was taken least; among equals chance decides.
    fn choose(&mut self, place: u64, count: usize) -> usize {
        let mut best = (u32::MAX, 0, 0);
        for option in 0..count {
            let taken = self.taken.get(&mix(place, option as u64)).copied().unwrap_or(0);
            let chance = self.random();
            if taken < best.0 || (taken == best.0 && chance > best.1) {
                best = (taken, chance, option);
            }
        }
        *self.taken.entry(mix(place, best.2 as u64)).or_default() += 1;
        best.2
    }
}

impl Sampler {
    /// Makes a sampler of `contract`, a JSON text.
    ///
    /// # Errors
    ///
    /// Returns what cannot be read, as [`prove`](crate::prove) does.
    pub fn new(contract: &str, options: SamplerOptions) -> Result<Self, Unreadable> {
        let document = parse(contract, Input::Contract)?;
        let mut schemas = Schemas::new();
        let root = read_contract(&mut schemas, &document, &as_options(&options))?;
        if schemas.has_cycle_in_place(root) {
            return Err(Unreadable {
                input: Input::Contract,
                pointer: String::new(),
                why: "applies a schema to itself in place".into(),
            });
        }
        Ok(Sampler {
            contract: contract.to_owned(),
            memory: Memory { taken: FxHashMap::default(), random: options.seed },
            options,
            ready: VecDeque::new(),
            seen: std::collections::HashSet::new(),
            steps: 0,
            vain: 0,
        })
    }

    /// Steps taken so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    fn batch(&mut self) -> Option<()> {
        let contract = std::mem::take(&mut self.contract);
        let made = self.make(&contract);
        self.contract = contract;
        made
    }

    fn make(&mut self, contract: &str) -> Option<()> {
        let options = as_options(&self.options);
        let document = parse(contract, Input::Contract).ok()?;
        let mut schemas = Schemas::new();
        let root = read_contract(&mut schemas, &document, &options).ok()?;
        let decode = Decode::new(&[], &mut schemas).ok()?;
        let left = self.options.steps_max.checked_sub(self.steps)?;
        let mut making =
            Making { prover: Prover::new(States::new(schemas, 0), decode), memory: &mut self.memory, steps_max: left };
        let start = making.prover.states.state_of(root);
        for _ in 0..BATCH {
            let before = making.prover.states.steps;
            if before >= left || self.vain > VAIN_MAX {
                break;
            }
            let text = making.member(start).map(|value| value.to_string());
            self.vain += 1;
            if let Some(text) = text
                && self.seen.insert(text.clone())
            {
                self.ready.push_back(text);
                self.vain = 0;
            }
        }
        // Reading counts too, so that a batch without a step ends as well.
        self.steps = self.steps.saturating_add(making.prover.states.steps).saturating_add(BATCH as u64);
        Some(())
    }
}

impl Iterator for Sampler {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        while self.ready.is_empty() {
            if self.steps >= self.options.steps_max || self.vain > VAIN_MAX {
                return None;
            }
            self.batch()?;
        }
        self.ready.pop_front()
    }
}

fn as_options(options: &SamplerOptions) -> Options {
    Options {
        unknown_keys: options.unknown_keys,
        dialect: options.dialect,
        discovered: options.discovered,
        set_aside: options.set_aside.clone(),
        ..Options::default()
    }
}

struct Making<'m, 'd> {
    prover: Prover<'d>,
    memory: &'m mut Memory,
    steps_max: u64,
}

impl<'d> Making<'_, 'd> {
    /// One member, or none where what was chosen does not go together.
    fn member(&mut self, start: StateId) -> Option<Value<'d>> {
        let states = &mut self.prover.states;
        states.steps_max = self.steps_max.min(states.steps.saturating_add(MEMBER_STEPS));
        let value = self.value(start, 0, ROOM)?;
        (self.prover.states.admits(start, &value) == Some(true)).then_some(value)
    }

    /// A name for a place that is the same in every batch.
    fn place(&self, state: StateId) -> u64 {
        self.prover
            .states
            .set(state)
            .iter()
            .fold(17, |hash, literal| mix(hash, u64::from(literal.node()) << 1 | u64::from(literal.is_positive())))
    }

    fn value(&mut self, state: StateId, depth: u32, room: u32) -> Option<Value<'d>> {
        self.prover.states.tick(1).ok()?;
        if depth > DEPTH_MAX {
            return self.prover.smallest(state);
        }
        let place = self.place(state);
        let leaves = self.prover.states.leaves(state).ok()?;
        if leaves.is_empty() {
            return None;
        }
        // Where the choices do not go together, others may.
        for _ in 0..3 {
            let chosen = self.memory.choose(mix(place, 1), leaves.len());
            let leaf = *leaves.get(chosen)?;
            let value = self.leaf(state, leaf, depth, room);
            let value = value.filter(|value| self.prover.states.admits(state, value) == Some(true));
            if value.is_some() {
                return value;
            }
        }
        self.prover.smallest(state)
    }

    fn leaf(&mut self, state: StateId, leaf: StateId, depth: u32, room: u32) -> Option<Value<'d>> {
        let facts = self.prover.states.facts(leaf).ok()?;
        let place = self.place(leaf);
        let kinds: Vec<Kinds> = Kinds::EACH.into_iter().filter(|kind| facts.kinds.has(*kind)).collect();
        let kind = *kinds.get(self.memory.choose(mix(place, 2), kinds.len()))?;
        match kind {
            Kinds::ARRAY | Kinds::OBJECT if room == 0 => self.prover.smallest(leaf),
            Kinds::ARRAY if facts.finite.is_none() => self.array(leaf, &facts, depth, room),
            Kinds::OBJECT if facts.finite.is_none() => self.object(state, leaf, &facts, depth, room),
            kind => {
                let mut offers = self.prover.kind_offers(leaf, &facts, kind, &Hints::default());
                if facts.finite.is_none() {
                    offers.extend(odd(kind));
                    let admitted = |offer: &Value<'d>| self.prover.states.admits(leaf, offer) != Some(false);
                    offers = offers.into_iter().filter(admitted).collect();
                }
                let chosen = self.memory.choose(mix(place, 3 + u64::from(kind.bits())), offers.len());
                offers.into_iter().nth(chosen)
            }
        }
    }

    fn array(&mut self, leaf: StateId, facts: &Facts<'d>, depth: u32, room: u32) -> Option<Value<'d>> {
        let place = self.place(leaf);
        let most = facts.items_max.unwrap_or(u64::MAX).min(facts.items_min.saturating_add(3));
        let mut lengths = vec![facts.items_min, facts.items_min.saturating_add(1).min(most), most];
        lengths.dedup();
        let length = *lengths.get(self.memory.choose(mix(place, 4), lengths.len()))?;
        // Uniqueness and what has to be contained are what the maker of witnesses knows about.
        if facts.unique || length > 40 {
            return self.prover.list(leaf, facts, length, None);
        }
        let mut items = Vec::new();
        let room = share(room, length);
        for index in 0..usize::try_from(length).ok()? {
            let item = if index < facts.prefix { Item::At(index) } else { Item::Later };
            let child = self.prover.states.item(leaf, item);
            items.push(self.value(child, depth + 1, room)?);
        }
        let value = Value::List(items);
        if self.prover.states.admits(leaf, &value) == Some(true) {
            return Some(value);
        }
        self.prover.list(leaf, facts, length, None)
    }

    fn object(&mut self, state: StateId, leaf: StateId, facts: &Facts<'d>, depth: u32, room: u32) -> Option<Value<'d>> {
        let place = self.place(leaf);
        let mut members: Vec<(Cow<'d, str>, Value<'d>)> = Vec::new();
        let mut known = FxHashSet::default();
        let declared = facts.required.iter().chain(&facts.declared).copied().filter(|name| known.insert(*name));
        let mut present: Vec<u32> = Vec::new();
        for name in declared.collect::<Vec<_>>() {
            let is_present = facts.requires(name) || self.memory.choose(mix(place, 5 + u64::from(name)), 2) == 1;
            if is_present && (depth < DEPTH_MAX - 2 || facts.requires(name)) {
                present.push(name);
            }
        }
        let room = share(room, present.len() as u64);
        for name in present {
            match self.key(leaf, Key::Name(name), depth, room) {
                Some(value) => members.push((self.name(name), value)),
                None if facts.requires(name) => return None,
                None => {}
            }
        }
        self.foreign((state, leaf), &known, &mut members, (depth, room));
        self.undeclared(leaf, facts, &mut members, (depth, room));
        Some(Value::Map(members))
    }

    fn name(&self, name: u32) -> Cow<'d, str> {
        Cow::Owned(self.prover.states.schemas.name(name).to_owned())
    }

    fn key(&mut self, leaf: StateId, key: Key, depth: u32, room: u32) -> Option<Value<'d>> {
        let alternatives = self.prover.states.alternatives(leaf, key).ok()?;
        let chosen = self.memory.choose(mix(self.place(leaf), 6), alternatives.len());
        let child = alternatives.get(chosen)?.child;
        self.value(child, depth + 1, room)
    }

    /// Keys of sibling variants.
    fn foreign(
        &mut self,
        (state, leaf): (StateId, StateId),
        declared: &FxHashSet<u32>,
        members: &mut Vec<(Cow<'d, str>, Value<'d>)>,
        (depth, room): (u32, u32),
    ) {
        let mut names = Vec::new();
        for node in self.prover.states.holding(state) {
            names.extend(self.prover.scope(node).names.iter().filter(|name| !declared.contains(name)));
        }
        let place = self.place(leaf);
        for _ in 0..FOREIGN_MAX.min(names.len()) {
            let chosen = self.memory.choose(mix(place, 7), names.len() * 2);
            let Some(name) = names.get(chosen) else { continue };
            let key = self.name(*name);
            if members.iter().all(|(known, _)| *known != key)
                && let Some(value) = self.key(leaf, Key::Name(*name), depth, room)
            {
                members.push((key, value));
            }
        }
    }

    /// A key that nobody declares, and one that a pattern matches.
    fn undeclared(
        &mut self,
        leaf: StateId,
        facts: &Facts<'d>,
        members: &mut Vec<(Cow<'d, str>, Value<'d>)>,
        (depth, room): (u32, u32),
    ) {
        let place = self.place(leaf);
        if !facts.is_closed
            && self.memory.choose(mix(place, 8), 3) == 1
            && let Some(name) = self.prover.fresh_name(leaf, facts, 0)
            && members.iter().all(|(known, _)| *known != name)
            && let Some(value) = self.key(leaf, Key::Fresh, depth, room)
        {
            members.push((Cow::Owned(name), value));
        }
        for pattern in &facts.key_patterns {
            if self.memory.choose(mix(place, 9 + u64::from(*pattern)), 2) == 1 {
                let wanted = crate::witness::Wanted { length_min: 0, length_max: 60 };
                let texts = self.prover.states.schemas.pattern(*pattern);
                let name = texts.and_then(|pattern| crate::witness::matching(pattern, &wanted).into_iter().next());
                if let Some(name) = name.filter(|name| members.iter().all(|(known, _)| known != name))
                    && let Some(value) = self.key(leaf, Key::Pattern(*pattern), depth, room)
                {
                    members.push((Cow::Owned(name), value));
                }
            }
        }
    }
}

/// What each of so many parts has of the room, once their whole has taken its own.
fn share(room: u32, parts: u64) -> u32 {
    u32::try_from(u64::from(room.saturating_sub(1)) / parts.max(1)).unwrap_or(0)
}

/// Values that readers trip over.
fn odd<'v>(kind: Kinds) -> Vec<Value<'v>> {
    let number = |text: &'static str| Value::Number(Cow::Borrowed(text));
    let text = |text: &'static str| Value::Text(Cow::Borrowed(text));
    match kind {
        Kinds::INTEGER => ["12345678901234567890", "-0", "1.0", "1e3", "9007199254740993"].map(number).to_vec(),
        Kinds::FRACTION => ["0.1", "-1.5", "12345678901234567890.5", "1e-7"].map(number).to_vec(),
        Kinds::STRING => {
            ["", "5", "true", "null", "[\"a\"]", "{\"a\":1}", "é😀", "a\nb", "__proto__", " x "].map(text).to_vec()
        }
        _ => Vec::new(),
    }
}
