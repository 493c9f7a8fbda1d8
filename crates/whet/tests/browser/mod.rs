//! A browser without a window, driven over its DevTools protocol.
//!
//! `--remote-debugging-pipe` speaks JSON with a zero byte after each message, on file
//! descriptors 3 and 4; so no port and no WebSocket is needed. The shell puts our pipes there.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// Where a browser may be; `scripts/setup.sh` knows the same names.
pub(crate) const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// It asks nobody for anything by itself, so that each request that is seen is the page's.
const FLAGS: [&str; 12] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--window-size=1280,1000",
    "--remote-debugging-pipe",
];

pub(crate) struct Browser {
    process: Child,
    commands: ChildStdin,
    messages: BufReader<ChildStdout>,
    last: u64,
    session: Option<String>,
    /// The addresses of all that was asked for, except for what an address itself holds.
    pub requests: Vec<String>,
    /// What scripts complained about.
    pub errors: Vec<String>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts a browser and opens a file in it.
    pub(crate) fn open(file: &Path) -> Browser {
        let profile = tempfile::tempdir().expect("a temporary folder can be made");
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "sh"])
            .arg(find())
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell starts");
        let commands = process.stdin.take().expect("it is piped");
        let messages = BufReader::new(process.stdout.take().expect("it is piped"));
        let (requests, errors) = (vec![], vec![]);
        let mut browser = Browser {
            process,
            commands,
            messages,
            last: 0,
            session: None,
            requests,
            errors,
            _profile: profile,
        };
        let targets = browser.call("Target.getTargets", json!({}));
        let targets = targets["targetInfos"].as_array().expect("a list");
        let page = targets.iter().find(|target| target["type"] == "page").expect("a page");
        let attach = json!({ "targetId": page["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().map(str::to_string);
        for domain in ["Network.enable", "Runtime.enable", "Log.enable", "Page.enable"] {
            browser.call(domain, json!({}));
        }
        browser.call("Page.navigate", json!({ "url": format!("file://{}", file.display()) }));
        browser
    }

    /// What an expression is in the end: the value of a promise, if it is one.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let result = self.call("Runtime.evaluate", parameters);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Does one thing, and notes what happens meanwhile.
    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let mut command = json!({ "id": self.last, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            command["sessionId"] = session.as_str().into();
        }
        let sent = self.commands.write_all(format!("{command}\0").as_bytes());
        sent.expect("the browser listens");
        loop {
            let message = self.message();
            if message["id"] == self.last {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
            self.note(&message);
        }
    }

    fn message(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.messages.read_until(0, &mut bytes).expect("the browser speaks");
        assert_eq!(bytes.pop(), Some(0), "the browser ended; does {:?} start?", find());
        serde_json::from_slice(&bytes).expect("it speaks JSON")
    }

    fn note(&mut self, message: &Value) {
        let parameters = &message["params"];
        match message["method"].as_str() {
            Some("Network.requestWillBeSent") => {
                let url = parameters["request"]["url"].as_str().unwrap_or_default();
                self.requests.extend((!url.starts_with("data:")).then(|| url.to_string()));
            }
            Some("Runtime.exceptionThrown") => self.errors.push(parameters["exceptionDetails"].to_string()),
            Some("Log.entryAdded") if parameters["entry"]["level"] == "error" => {
                self.errors.push(parameters["entry"].to_string());
            }
            _ => {}
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn find() -> std::path::PathBuf {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(&folders).collect();
    let candidates = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    candidates
        .into_iter()
        .find(|path| path.is_file())
        .expect("there is no Chromium or Chrome: scripts/setup.sh tests installs one")
}
