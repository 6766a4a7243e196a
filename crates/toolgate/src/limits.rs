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
        }
    }
}
