//! Every bound in one place. Nothing that a peer, a model, a file or an operator sends grows past one of these.

/// The bounds of reading, compiling and judging. All counts are exact and the same on every machine; none is a time.
///
/// # Example
///
/// ```
/// use toolgate::Limits;
/// let limits = Limits { depth_max: 16, ..Limits::default() };
/// assert_eq!(limits.size_max_bytes, 4 * 1024 * 1024);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Nesting of arrays and objects, decoded text included (R1.2).
    pub depth_max: usize,
    /// Bytes of one text of arguments (R1.2).
    pub size_max_bytes: usize,
    /// Steps of reading and judging one call; about one a value and keyword (R4.8).
    pub steps_max: u64,
    /// Violations listed in one refusal; the rest is counted (R6.2).
    pub violations_max: usize,
    /// Undeclared names shown in one refusal (R6.2, R6.4).
    pub undeclared_names_max: usize,
    /// Bytes of one schema document (R9.1).
    pub schema_size_max_bytes: usize,
    /// Nesting of one schema document (R9.1).
    pub schema_depth_max: usize,
    /// Subschemas of one document, and nodes compiled from it (R9.1).
    pub schema_nodes_max: usize,
    /// Steps of compiling one document: merges, references followed, union members looked at (R9.1).
    pub compile_steps_max: u64,
    /// Bytes that one compiled pattern may take (R6.9).
    pub pattern_size_max_bytes: usize,
    /// Patterns in one document (R9.1).
    pub patterns_max: usize,
    /// Bytes that the compiled patterns of one document may take together (R9.1). The text of a pattern counts 256 times,
    /// since reading it takes that much.
    pub patterns_size_max_bytes: usize,
    /// Subschemas of all tools of one list, and nodes compiled from them; each tool may have an equal share (R9.1).
    pub list_schema_nodes_max: usize,
    /// Steps of compiling all tools of one list; each tool may have an equal share (R9.1).
    pub list_compile_steps_max: u64,
    /// Bytes that the compiled patterns of all tools of one list may take; each tool may have an equal share (R9.1).
    pub list_patterns_size_max_bytes: usize,
    /// Steps of making the form that is shown of one contract, and as many of proving it; past them a wider form is shown.
    pub show_steps_max: u64,
    /// The same for all tools of one list; each tool may have an equal share.
    pub list_show_steps_max: u64,
}

impl Limits {
    /// The bounds of one of `tools` tools of a list: its own, and no more than its share of the list's. A share does not depend
    /// on what the other tools take, so a tool that takes too much costs itself and no other.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::Limits;
    /// let limits = Limits { compile_steps_max: 100, list_compile_steps_max: 1_000, ..Limits::default() };
    /// assert_eq!(limits.in_list_of(5).compile_steps_max, 100);
    /// assert_eq!(limits.in_list_of(50).compile_steps_max, 20);
    /// ```
    #[must_use]
    pub fn in_list_of(self, tools: usize) -> Limits {
        let tools = tools.max(1);
        Limits {
            schema_nodes_max: self.schema_nodes_max.min(self.list_schema_nodes_max / tools),
            compile_steps_max: self.compile_steps_max.min(self.list_compile_steps_max / tools as u64),
            patterns_size_max_bytes: self.patterns_size_max_bytes.min(self.list_patterns_size_max_bytes / tools),
            show_steps_max: self.show_steps_max.min(self.list_show_steps_max / tools as u64),
            ..self
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            depth_max: 128,
            size_max_bytes: 4 * 1024 * 1024,
            steps_max: 10_000_000,
            violations_max: 20,
            undeclared_names_max: 5,
            schema_size_max_bytes: 4 * 1024 * 1024,
            schema_depth_max: 256,
            schema_nodes_max: 50_000,
            compile_steps_max: 5_000_000,
            pattern_size_max_bytes: 1024 * 1024,
            patterns_max: 2_000,
            patterns_size_max_bytes: 32 * 1024 * 1024,
            // Of 8,943 tools captured live none has more than 1,000 subschemas or takes more than 10,000 steps, and the
            // longest list has 401: a list ten times as long is served whole.
            list_schema_nodes_max: 2_000_000,
            list_compile_steps_max: 50_000_000,
            list_patterns_size_max_bytes: 256 * 1024 * 1024,
            show_steps_max: 4_000_000,
            list_show_steps_max: 100_000_000,
        }
    }
}
