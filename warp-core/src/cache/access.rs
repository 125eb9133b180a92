//! Whose folders and files the cache believes, and how it opens files: another user may have put anything under a name.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// No entry is larger; what is, was not written by the cache.
pub const MAX_FILE: u64 = 1 << 28;

/// The users that are trusted with a folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trust {
    /// The default folder: this user alone writes it.
    Own,
    /// The user named it, and so vouches for its owner and its group, but for no other users.
    Named,
}

impl Trust {
    /// Why a folder or a file is not believed; None if it is.
    pub fn refusal(self, meta: &fs::Metadata) -> Option<String> {
        let mode = meta.mode() & 0o7777;
        // SAFETY: no preconditions.
        let user = unsafe { libc::geteuid() };
        match self {
            Trust::Own if meta.uid() != user => Some(format!(
                "it belongs to user {}, and this process runs as user {user}",
                meta.uid()
            )),
            Trust::Own if mode & 0o022 != 0 => Some(format!(
                "others than its owner may write it (mode {mode:03o})"
            )),
            Trust::Named if mode & 0o002 != 0 => {
                Some(format!("every user may write it (mode {mode:03o})"))
            }
            _ => None,
        }
    }
}

/// Opens a regular file; anything else, such as a link, a pipe or a device, is an error and is not waited for.
pub fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // A pipe without a writer would block, in `open` and in `read`.
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = options.custom_flags(flags).open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("not a regular file")),
    }
}

/// The content of a regular file of the cache's.
pub fn read_file(path: &Path, trust: Trust) -> io::Result<Vec<u8>> {
    let file = open_regular(path, OpenOptions::new().read(true))?;
    let meta = file.metadata()?;
    if trust.refusal(&meta).is_some() || meta.len() > MAX_FILE {
        return Err(io::Error::other("not written by the cache"));
    }
    let mut bytes = Vec::with_capacity(meta.len() as usize);
    // It may grow meanwhile: one byte more than there was tells.
    file.take(meta.len() + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether an open file is the one under a name, and not what a link there leads to.
pub fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}
