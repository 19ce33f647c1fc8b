//! A separate mail server for one test: Dovecot, in a temporary folder, as an unprivileged user.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use keepsake_connectors::mail::{MailSettings, Security, SignIn};

/// The account.
pub(crate) const USER: &str = "ana@mail.example";
pub(crate) const PASSWORD: &str = "correct \"horse\"";

/// Maximum time for the server to start or to answer.
const START_MAX: Duration = Duration::from_secs(20);

/// An unprivileged user, for tests that run as root: Dovecot refuses to read mail as root.
const NOBODY: u32 = 65_534;

/// A running server. It stops when dropped.
pub(crate) struct Dovecot {
    folder: tempfile::TempDir,
    port: u16,
    tls_port: u16,
    child: Option<Child>,
    /// Its certificate, which nobody trusts.
    pub(crate) pem: PathBuf,
    put: u64,
}

impl Dovecot {
    /// A server with these additional lines in its configuration. It is not started yet, so that mails can be added first.
    pub(crate) fn new(config: &str) -> Self {
        let folder = tempfile::Builder::new().prefix("dv").tempdir().unwrap();
        let at = folder.path();
        for name in ["base", "state", "mail"] {
            fs::create_dir(at.join(name)).unwrap();
        }
        let certified = rcgen::generate_simple_self_signed(vec!["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
        let pem = at.join("cert.pem");
        fs::write(&pem, certified.cert.pem()).unwrap();
        fs::write(at.join("key.pem"), certified.signing_key.serialize_pem()).unwrap();
        let (port, tls_port) = (free_port(), free_port());
        fs::write(at.join("dovecot.conf"), written(at, port, tls_port, config)).unwrap();
        let server = Self { folder, port, tls_port, child: None, pem, put: 0 };
        server.set_password(PASSWORD);
        server.own(server.folder.path());
        server
    }

    /// Changes the password, as the person does at their provider. Connections that are signed in stay open.
    pub(crate) fn set_password(&self, password: &str) {
        let path = self.folder.path().join("passwd");
        fs::write(&path, format!("{USER}:{{PLAIN}}{password}\n")).unwrap();
        self.own(&path);
    }

    /// A running server.
    pub(crate) fn start(config: &str) -> Self {
        let mut server = Self::new(config);
        server.up();
        server
    }

    /// Starts or restarts the server.
    pub(crate) fn up(&mut self) {
        self.down();
        self.spawn();
        let end = Instant::now() + START_MAX;
        while !greets(self.port) {
            if let Some(status) = self.child.as_mut().unwrap().try_wait().unwrap() {
                let mut told = String::new();
                self.child.as_mut().unwrap().stderr.take().unwrap().read_to_string(&mut told).unwrap();
                // While the server was down, a connection of another test may have taken the port for a moment.
                assert!(
                    told.contains("Address already in use") && Instant::now() < end,
                    "Dovecot ended ({status}): {told} {}. Is dovecot-imapd missing? src-tauri/scripts/system_packages.sh test",
                    self.log()
                );
                self.spawn();
            }
            assert!(Instant::now() < end, "Dovecot did not start: {}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn spawn(&mut self) {
        let child = self.command("dovecot").arg("-F").stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        self.child =
            Some(child.expect("Dovecot cannot be started. Install dovecot-imapd: src-tauri/scripts/system_packages.sh test"));
    }

    /// Stops the server, and with it all connections.
    pub(crate) fn down(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        let _ = self.command("doveadm").arg("stop").stderr(Stdio::null()).status();
        child.wait().unwrap();
    }

    /// A Dovecot command with the server's configuration, as an unprivileged user.
    fn command(&self, name: &str) -> Command {
        let mut command = Command::new("setpriv");
        // The server also ends if the test is killed.
        command.args(["--pdeathsig", "TERM"]);
        if is_root() {
            command.args(["--reuid", &NOBODY.to_string(), "--regid", &NOBODY.to_string(), "--clear-groups"]);
        }
        command.arg(name);
        command.arg("-c").arg(self.folder.path().join("dovecot.conf"));
        // The directories where Debian installs Dovecot.
        command.env("PATH", format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default()));
        command
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Makes the server the owner of a file or folder.
    fn own(&self, path: &Path) {
        if !is_root() {
            return;
        }
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        if path.is_dir() {
            for entry in fs::read_dir(path).unwrap() {
                self.own(&entry.unwrap().path());
            }
        }
    }

    /// Adds mails to a folder without any marks, as if they had always been there.
    pub(crate) fn put(&mut self, folder: &str, mails: &[Vec<u8>]) {
        let user = self.folder.path().join("mail").join(USER);
        let folder = if folder == "INBOX" { user.clone() } else { user.join(format!(".{}", folder.replace('/', "."))) };
        for name in ["cur", "new", "tmp"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        for mail in mails {
            self.put += 1;
            let path = folder.join("cur").join(format!("{}.M1P1.host:2,", 1_767_225_600 + self.put));
            fs::write(path, mail).unwrap();
        }
        self.own(&user);
    }

    /// Settings to connect without TLS.
    pub(crate) fn settings(&self) -> MailSettings {
        settings(self.port, Security::Plain)
    }

    /// Settings to connect with TLS.
    pub(crate) fn tls_settings(&self, security: Security) -> MailSettings {
        settings(if security == Security::Tls { self.tls_port } else { self.port }, security)
    }

    /// The server's port without TLS.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// A connection from the person's own mail program.
    pub(crate) fn hand(&self) -> Hand {
        Hand::new(self.port)
    }
}

impl Drop for Dovecot {
    fn drop(&mut self) {
        self.down();
    }
}

/// Settings for a server on this computer.
pub(crate) fn settings(port: u16, security: Security) -> MailSettings {
    MailSettings {
        host: "127.0.0.1".to_owned(),
        port,
        security,
        user: USER.to_owned(),
        sign_in: SignIn::Password,
        addresses: Vec::new(),
        leave_out_automatic: true,
        check_s: 240,
    }
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|found| found.uid() == 0)
}

/// A port that is currently free.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn greets(port: u16) -> bool {
    let Ok(stream) = TcpStream::connect(("127.0.0.1", port)) else { return false };
    stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).is_ok() && line.starts_with("* OK")
}

fn written(at: &Path, port: u16, tls_port: u16, config: &str) -> String {
    let (user, group) = if is_root() { ("nobody".to_owned(), "nogroup".to_owned()) } else { (named("-un"), named("-gn")) };
    fs::set_permissions(at, fs::Permissions::from_mode(0o755)).unwrap();
    let mut text = String::new();
    let at = at.display();
    write!(
        text,
        "base_dir = {at}/base\nstate_dir = {at}/state\nlog_path = {at}/log\nprotocols = imap\nlisten = 127.0.0.1\n\
         ssl = yes\nssl_cert = <{at}/cert.pem\nssl_key = <{at}/key.pem\ndisable_plaintext_auth = no\nauth_failure_delay = 0\n\
         default_internal_user = {user}\ndefault_internal_group = {group}\ndefault_login_user = {user}\n\
         mail_location = maildir:{at}/mail/%u\nfirst_valid_uid = 1\nfirst_valid_gid = 1\nmail_max_userip_connections = 100\n\
         passdb {{\n driver = passwd-file\n args = scheme=PLAIN username_format=%u {at}/passwd\n}}\n\
         userdb {{\n driver = static\n args = uid={user} gid={group} home={at}/mail/%u\n}}\n\
         namespace inbox {{\n inbox = yes\n separator = /\n mailbox Trash {{\n auto = create\n special_use = \\Trash\n }}\n}}\n\
         service anvil {{\n chroot =\n}}\nservice imap-login {{\n chroot =\n inet_listener imap {{\n port = {port}\n }}\n \
         inet_listener imaps {{\n port = {tls_port}\n }}\n}}\n{config}\n"
    )
    .unwrap();
    text
}

fn named(option: &str) -> String {
    String::from_utf8(Command::new("id").arg(option).output().unwrap().stdout).unwrap().trim().to_owned()
}

/// The person's own mail program, which may change everything.
pub(crate) struct Hand {
    stream: BufReader<TcpStream>,
    commands: u32,
}

impl Hand {
    fn new(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(START_MAX)).unwrap();
        let mut hand = Self { stream: BufReader::new(stream), commands: 0 };
        hand.stream.read_line(&mut String::new()).unwrap();
        hand.ask(&format!("LOGIN {USER} \"{}\"", PASSWORD.replace('"', "\\\"")));
        hand
    }

    /// Runs a command that must succeed. Returns all answers.
    pub(crate) fn ask(&mut self, command: &str) -> String {
        self.commands += 1;
        let tag = format!("h{}", self.commands);
        self.stream.get_mut().write_all(format!("{tag} {command}\r\n").as_bytes()).unwrap();
        let mut all = String::new();
        loop {
            let mut line = Vec::new();
            assert!(self.stream.read_until(b'\n', &mut line).unwrap() > 0, "the server ended the connection");
            let line = String::from_utf8_lossy(&line).into_owned();
            if line.starts_with(&format!("{tag} ")) {
                assert!(line.starts_with(&format!("{tag} OK")), "{command:.40}: {line}");
                return all;
            }
            all.push_str(&line);
        }
    }

    /// Puts a mail into a folder.
    pub(crate) fn append(&mut self, folder: &str, flags: &str, mail: &[u8]) {
        let mail = String::from_utf8(mail.to_vec()).unwrap().replace('\n', "\r\n");
        self.ask(&format!("APPEND {folder} ({flags}) {{{}+}}\r\n{mail}", mail.len()));
    }

    /// The numbers and marks of all mails of a folder.
    pub(crate) fn marks(&mut self, folder: &str) -> String {
        self.ask(&format!("EXAMINE {folder}"));
        self.ask("UID FETCH 1:* (UID FLAGS)")
    }
}
