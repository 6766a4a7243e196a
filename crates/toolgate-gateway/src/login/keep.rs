//! Where tokens are kept: a file for each server, which its owner alone can read.

use super::LoginFault;
use oauth2::TokenResponse;
use rmcp::transport::auth::{AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials};
use sha2::{Digest, Sha256};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A token that has less than this left is refreshed.
const REFRESH_BEFORE_SECONDS: u64 = 30;
/// Bytes of a file of tokens.
const FILE_MAX_BYTES: u64 = 1024 * 1024;

/// The folder of the tokens.
#[derive(Clone, Debug)]
pub struct Logins {
    folder: PathBuf,
}

impl Logins {
    /// Tokens are kept in this folder, which is made when the first is.
    pub fn at(folder: impl Into<PathBuf>) -> Logins {
        Logins { folder: folder.into() }
    }

    /// The file of one server. Its name tells nothing of the address, which may hold a secret.
    pub(super) fn of(&self, url: &str) -> Kept {
        let address = url.split('#').next().unwrap_or_default().trim_end_matches('/');
        let digest: String = Sha256::digest(address).iter().map(|byte| format!("{byte:02x}")).collect();
        Kept { folder: self.folder.clone(), path: self.folder.join(format!("{digest}.json")) }
    }
}

/// The tokens of one server.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    folder: PathBuf,
    path: PathBuf,
}

impl Kept {
    fn fault(&self, why: impl ToString) -> LoginFault {
        LoginFault::File { path: self.path.clone(), why: why.to_string() }
    }

    pub(super) fn remove(&self) -> Result<bool, LoginFault> {
        match fs::remove_file(&self.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(self.fault(error)),
        }
    }

    /// What is kept; `None` where nobody has signed in.
    pub(super) fn read(&self) -> Result<Option<StoredCredentials>, LoginFault> {
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.fault(error)),
        };
        is_private(&file).map_err(|why| self.fault(why))?;
        let mut text = String::new();
        file.take(FILE_MAX_BYTES).read_to_string(&mut text).map_err(|error| self.fault(error.kind()))?;
        // What the reader of JSON says could quote a token.
        serde_json::from_str(&text).map(Some).map_err(|_| self.fault("it holds no tokens; sign in again"))
    }

    /// Written whole beside it and then put in its place, so that no reader sees a part.
    fn write(&self, credentials: &StoredCredentials) -> Result<(), LoginFault> {
        make_folder(&self.folder).map_err(|error| self.fault(error))?;
        let text = serde_json::to_string(credentials).map_err(|_| self.fault("the tokens cannot be written"))?;
        let new = self.path.with_extension(format!("{}.new", std::process::id()));
        let written = private_file(&new).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
        let put = written.and_then(|()| fs::rename(&new, &self.path));
        put.map_err(|error| {
            let _ = fs::remove_file(&new);
            self.fault(error)
        })
    }
}

#[async_trait::async_trait]
impl CredentialStore for Kept {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        self.read().map_err(|fault| AuthError::CredentialStoreError(fault.to_string()))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        self.write(&credentials).map_err(|fault| AuthError::CredentialStoreError(fault.to_string()))
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.remove().map(drop).map_err(|fault| AuthError::CredentialStoreError(fault.to_string()))
    }

    /// Two commands at once refresh one after the other, so that neither uses a refresh token that the other has spent.
    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let lock = private_file(&self.path.with_extension("lock")).and_then(|file| file.lock().map(|()| file));
        lock.map(|file| Some(CredentialRefreshGuard::new(file)))
            .map_err(|error| AuthError::CredentialStoreError(self.fault(error).to_string()))
    }
}

/// The access token, if it is known to be good for a while, or nothing is known of when it ends. It is then used without asking
/// the server anything.
pub(super) fn fresh_token(kept: &StoredCredentials) -> Option<String> {
    let tokens = kept.token_response.as_ref()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let age = kept.token_received_at.map(|since| now.saturating_sub(since));
    let left = tokens.expires_in().zip(age).map(|(whole, age)| whole.as_secs().saturating_sub(age));
    let is_fresh = left.is_none_or(|left| left > REFRESH_BEFORE_SECONDS);
    is_fresh.then(|| tokens.access_token().secret().clone())
}

#[cfg(unix)]
fn make_folder(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_folder(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)
}

fn private_file(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Tokens that others could read may be known to others.
#[cfg(unix)]
fn is_private(file: &File) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = file.metadata().map_err(|error| error.to_string())?.permissions().mode();
    if mode & 0o077 == 0 {
        Ok(())
    } else {
        Err("others can read it: give it the mode 600, or sign in again".to_owned())
    }
}

#[cfg(not(unix))]
fn is_private(_: &File) -> Result<(), String> {
    Ok(())
}
