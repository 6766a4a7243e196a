//! The viewer of files, and that it has no check of its own.

use crate::support::servers::Server;
use serde_json::json;
use std::path::PathBuf;
use toolgate_mcp::testing::Client;
use toolgate_mcp::{Guard, Options, Tools, ViewLimits, Viewer};

/// A folder with files, beside one that is none of its business.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let root = std::env::temp_dir().join(format!("toolgate-files-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(root.join("in/sub")).unwrap();
        std::fs::write(root.join("secret.txt"), "SECRET").unwrap();
        std::fs::write(root.join("in/a.txt"), "text a").unwrap();
        std::fs::write(root.join("in/sub/b.txt"), "text b").unwrap();
        std::fs::write(root.join("in/[a.txt]"), "brackets").unwrap();
        std::fs::write(root.join("in/dot.png"), [0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A, 0xFF]).unwrap();
        std::fs::write(root.join("in/raw"), [0xFF, 0xFE, 0x00]).unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../secret.txt", root.join("in/out")).unwrap();
            std::os::unix::fs::symlink("a.txt", root.join("in/within")).unwrap();
        }
        Place(root)
    }

    async fn client(&self, limits: ViewLimits) -> Client {
        let viewer = Viewer::open(self.0.join("in")).unwrap().limits(limits);
        let tools = Tools::new().tool(viewer.tool("view"));
        Client::connect(Server { router: Guard::new(Options::typed()).tools(tools).all_open().unwrap() }).await
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[tokio::test]
async fn one_path_or_several_each_with_an_answer_of_its_own() {
    let place = Place::new("several");
    let mut client = place.client(ViewLimits::default()).await;
    assert_eq!(client.call("view", r#"{"path":"a.txt"}"#).await.text(), "text a");
    let several = client.call("view", r#"{"path":["a.txt","none","sub/b.txt","sub"]}"#).await;
    assert!(!several.is_error());
    assert_eq!(several.text(), "a.txt:\ntext a\nnone: there is no such file\nsub/b.txt:\ntext b\nsub: it is no file");
    let none = client.call("view", r#"{"path":["none"]}"#).await;
    assert!(none.is_error() && none.codes().is_empty(), "the tool has failed, and the call was right");
}

#[tokio::test]
async fn a_list_as_text_is_refused_by_the_contract_and_a_name_with_brackets_is_a_name() {
    let place = Place::new("list");
    let mut client = place.client(ViewLimits::default()).await;
    assert_eq!(client.call("view", r#"{"path":"[\"a.txt\"]"}"#).await.codes(), ["list-as-text@/path"]);
    assert_eq!(client.call("view", r#"{"path":"[a.txt]"}"#).await.text(), "brackets");
    let many = json!({"path": vec!["a.txt"; 21]}).to_string();
    assert_eq!(client.call("view", &many).await.codes(), ["maxItems@/path"]);
    assert!(!client.call("view", r#"{"path":[]}"#).await.codes().is_empty());
    assert!(!client.call("view", r#"{"path":7}"#).await.codes().is_empty());
}

#[tokio::test]
async fn nothing_outside_of_the_folder_is_reached() {
    let place = Place::new("outside");
    let mut client = place.client(ViewLimits::default()).await;
    let absolute = place.0.join("secret.txt");
    for path in ["../secret.txt", "sub/../../secret.txt", "out", absolute.to_str().unwrap(), "/etc/passwd", "sub/\u{0}"]
    {
        let called = client.call("view", &json!({"path": path}).to_string()).await;
        assert!(called.is_error() && !called.text().contains("SECRET"), "{path}: {}", called.text());
    }
    #[cfg(unix)]
    assert_eq!(client.call("view", r#"{"path":"within"}"#).await.text(), "text a");
}

#[tokio::test]
async fn media_are_shown_as_what_they_are_and_nothing_beyond_the_bounds() {
    let place = Place::new("media");
    let limits = ViewLimits::new(9, 14);
    let mut client = place.client(limits).await;
    let png = client.call("view", r#"{"path":"dot.png"}"#).await;
    let block = &png.message()["result"]["content"][0];
    assert_eq!((&block["type"], &block["mimeType"]), (&json!("image"), &json!("image/png")), "{block}");
    assert_eq!(client.call("view", r#"{"path":"raw"}"#).await.text(), "[3 bytes, bytes that are no text]");
    let bounded = client.call("view", r#"{"path":["dot.png","a.txt","raw"]}"#).await.text();
    assert!(bounded.contains("a.txt: nothing is left of what one call may show"), "{bounded}");
    std::fs::write(place.0.join("in/long"), "0123456789").unwrap();
    assert_eq!(client.call("view", r#"{"path":"long"}"#).await.text(), "long: it is longer than 9 bytes");
}

/// A pipe is not waited for, and neither is one that takes the place of a file between two looks at it.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_pipe_is_waited_for() {
    let place = Place::new("pipes");
    let root = place.0.join("in");
    let made = std::process::Command::new("mkfifo").arg(root.join("pipe")).status();
    if !made.is_ok_and(|status| status.success()) {
        panic!("`mkfifo` is a part of every Unix");
    }
    let mut client = place.client(ViewLimits::default()).await;
    assert_eq!(client.call("view", r#"{"path":"pipe"}"#).await.text(), "pipe: it is no file");
    let swapping = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let goes_on = std::sync::Arc::clone(&swapping);
    let swapper = std::thread::spawn(move || {
        std::fs::hard_link(root.join("pipe"), root.join("spare")).unwrap();
        while goes_on.load(std::sync::atomic::Ordering::Relaxed) {
            std::fs::write(root.join("file"), "text").unwrap();
            std::fs::rename(root.join("file"), root.join("either")).unwrap();
            std::fs::rename(root.join("spare"), root.join("either")).unwrap();
            std::fs::hard_link(root.join("pipe"), root.join("spare")).unwrap();
        }
    });
    for _ in 0..2_000 {
        let text = client.call("view", r#"{"path":"either"}"#).await.text();
        assert!(["text", "either: it is no file", "either: there is no such file", ""].contains(&&*text), "{text}");
    }
    swapping.store(false, std::sync::atomic::Ordering::Relaxed);
    swapper.join().unwrap();
}
