//! A viewer of files below one folder.

mod arguments;

pub use arguments::{Paths, View};

use crate::call::Call;
use crate::typed::TypedTool;
use base64::Engine as _;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, OpenOptions};
use rmcp::model::{CallToolResult, ContentBlock};
use std::borrow::Cow;
use std::fmt;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

/// The bounds of one call of a viewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ViewLimits {
    /// Bytes of one file; a longer one is not shown.
    pub file_max_bytes: u64,
    /// Bytes of all files of a call; those for which nothing is left are not shown.
    pub call_max_bytes: u64,
}

impl ViewLimits {
    /// These bounds.
    #[must_use]
    pub const fn new(file_max_bytes: u64, call_max_bytes: u64) -> Self {
        ViewLimits { file_max_bytes, call_max_bytes }
    }
}

impl Default for ViewLimits {
    fn default() -> Self {
        ViewLimits::new(1024 * 1024, 4 * 1024 * 1024)
    }
}

/// Shows files below one folder, one or up to 20 in a call. Nothing outside of the folder is reached, whatever the path or a
/// symbolic link says. Each file has an answer of its own, so that one that is not there costs no other; an image or a sound is
/// shown as such.
///
/// It has no check of its own for what is sent: a list written as text is refused by the contract, before any file is opened
/// (R5).
///
/// # Example
///
/// ```
/// use toolgate_mcp::{Guard, Options, Tools, Viewer};
/// let viewer = Viewer::open(env!("CARGO_MANIFEST_DIR"))?;
/// let tools = Tools::new().tool(viewer.tool::<()>("view_files").description("Shows files of the crate."));
/// let router = Guard::new(Options::typed()).tools(tools).all_open()?;
/// assert_eq!(router.get("view_files").unwrap().input_schema["required"][0], "path");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Viewer {
    root: Arc<Dir>,
    limits: ViewLimits,
}

impl fmt::Debug for Viewer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Viewer").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Viewer {
    /// A viewer of this folder.
    ///
    /// # Errors
    ///
    /// Says why the folder cannot be opened.
    pub fn open(root: impl AsRef<Path>) -> std::io::Result<Self> {
        let root = Dir::open_ambient_dir(root, ambient_authority())?;
        Ok(Viewer { root: Arc::new(root), limits: ViewLimits::default() })
    }

    /// With these bounds.
    #[must_use]
    pub fn limits(self, limits: ViewLimits) -> Self {
        Viewer { limits, ..self }
    }

    /// The tool.
    pub fn tool<S: Clone + Send + Sync + 'static>(&self, name: impl Into<Cow<'static, str>>) -> TypedTool<S> {
        let viewer = self.clone();
        TypedTool::new(name, move |_: S, view: View, _: Call| {
            let viewer = viewer.clone();
            async move {
                let shown = tokio::task::spawn_blocking(move || viewer.view(view.path)).await;
                shown.unwrap_or_else(|_| CallToolResult::error(vec![ContentBlock::text("the files could not be read")]))
            }
        })
    }

    /// What is answered to a call; an error where no file can be shown.
    pub fn view(&self, paths: Paths) -> CallToolResult {
        let paths = paths.into_vec();
        let mut left = self.limits.call_max_bytes;
        let mut content = Vec::new();
        let mut shown = 0;
        for path in &paths {
            match self.read(path, left) {
                Ok(bytes) => {
                    left = left.saturating_sub(bytes.len() as u64);
                    shown += 1;
                    if paths.len() > 1 {
                        content.push(ContentBlock::text(format!("{path}:")));
                    }
                    content.push(block(bytes));
                }
                Err(why) => content.push(ContentBlock::text(format!("{path}: {why}"))),
            }
        }
        match shown {
            0 => CallToolResult::error(content),
            _ => CallToolResult::success(content),
        }
    }

    fn read(&self, path: &str, left: u64) -> Result<Vec<u8>, String> {
        let max = self.limits.file_max_bytes.min(left);
        let told = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
            std::io::ErrorKind::PermissionDenied => "it is outside of the folder, or may not be read".to_owned(),
            _ => "it cannot be read".to_owned(),
        };
        let is_file = |metadata: std::io::Result<Metadata>| match metadata.map_err(told)?.is_file() {
            true => Ok(()),
            false => Err("it is no file".to_owned()),
        };
        // Asked before, since opening a device does something; and of what was opened, which may be another one by then.
        is_file(self.root.metadata(path))?;
        let mut file = self.root.open_with(path, &to_read()).map_err(told)?;
        is_file(file.metadata())?;
        let mut bytes = Vec::new();
        file.by_ref().take(max.saturating_add(1)).read_to_end(&mut bytes).map_err(told)?;
        match bytes.len() as u64 > max {
            true if max < self.limits.file_max_bytes => Err("nothing is left of what one call may show".to_owned()),
            true => Err(format!("it is longer than {} bytes", self.limits.file_max_bytes)),
            false => Ok(bytes),
        }
    }
}

/// A pipe that has taken the place of a file is not waited for.
fn to_read() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    options
}

/// A file's content as what it is.
fn block(bytes: Vec<u8>) -> ContentBlock {
    let encoded = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(bytes);
    let kind = infer::get(&bytes);
    match (kind.map(|kind| kind.matcher_type()), String::from_utf8(bytes)) {
        (_, Ok(text)) => ContentBlock::text(text),
        (Some(infer::MatcherType::Image), Err(other)) => {
            ContentBlock::image(encoded(other.as_bytes()), kind.map_or("", |kind| kind.mime_type()))
        }
        (Some(infer::MatcherType::Audio), Err(other)) => {
            ContentBlock::audio(encoded(other.as_bytes()), kind.map_or("", |kind| kind.mime_type()))
        }
        (kind_of, Err(other)) => {
            let what = kind.filter(|_| kind_of.is_some()).map_or("bytes that are no text", |kind| kind.mime_type());
            ContentBlock::text(format!("[{} bytes, {what}]", other.as_bytes().len()))
        }
    }
}
