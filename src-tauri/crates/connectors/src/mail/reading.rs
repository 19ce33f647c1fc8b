//! The loop over the folders of a mailbox: first existing emails, newest first, then new ones.
//!
//! One connection is enough: it waits on the folder that receives mail, and checks the others every few minutes. Not here: how
//! an email is read (`fetch`).

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::time::Duration;

use futures_util::FutureExt;
use keepsake_domain::Timestamp;
use tokio::time::Instant;

use super::fetch::{Reader, Way};
use super::folder::{Folder, shown};
use super::oauth;
use super::position::{Position, SEARCH_WIDTH_MAX, STEP_MAILS, day, wider, widest};
use super::session::{Keep, Marks, Opened, Session, Woken};
use super::settings::{MailSettings, SignIn};
use crate::contract::{Fault, FoundChannel, Plan, Status};
use crate::link::Link;
use crate::secret::Secret;

/// How often the folders are listed again, to find new ones.
const LIST_EVERY: Duration = Duration::from_secs(15 * 60);

/// Number of steps back in one folder before the next folder has its turn: two thousand emails.
const TURN_STEPS: usize = 10;

/// Wait after an announcement, so that emails that arrive together are read together, and a server that never stops announcing
/// costs little.
const SETTLE: Duration = Duration::from_millis(300);

/// The state of reading one mailbox.
struct Mailbox<'a> {
    settings: &'a MailSettings,
    link: &'a mut Link,
    session: Session,
    folders: Vec<Folder>,
    listed_at: Instant,
    plan: Plan,
    /// The state of each selected folder, by its id.
    states: BTreeMap<String, State>,
    /// Selected folders that are listed but cannot be opened, until the folders are listed again.
    unopened: BTreeSet<String>,
    /// What was last reported: in `missing`, the selected folders that no longer exist; in `is_live`, whether everything has
    /// been read.
    missing: BTreeSet<String>,
    is_live: bool,
}

/// The state of a folder.
#[derive(Debug, Clone, Copy)]
struct State {
    position: Position,
    /// The width of the next step back, as a number of UIDs.
    width: u32,
    /// Number of emails, to show to the person.
    exists: u32,
}

/// Reads until something fails.
pub(super) async fn run(settings: &MailSettings, secret: Option<Secret>, link: &mut Link) -> Result<Infallible, Fault> {
    link.note(Status::Connecting);
    let settings = settings.clone().completed();
    settings.check()?;
    let mut session = signed_in(&settings, secret, link).await?;
    let folders = session.folders().await?;
    link.found(channels(&folders)).await?;
    let plan = link.plan().await?;
    let states = BTreeMap::new();
    let listed_at = Instant::now();
    let (unopened, missing) = (BTreeSet::new(), BTreeSet::new());
    let mut mailbox =
        Mailbox { settings: &settings, link, session, folders, listed_at, plan, states, unopened, missing, is_live: false };
    // Clear what an earlier connection reported.
    mailbox.link.note_missing(Vec::new());
    mailbox.tell_missing();
    let mut due = None;
    loop {
        if mailbox.catch_up(due).await? {
            due = mailbox.wait().await?;
        } else {
            mailbox.replan().await?;
            due = None;
        }
    }
}

/// Signs in. If a token is refused although it should still be valid, it is renewed once.
async fn signed_in(settings: &MailSettings, secret: Option<Secret>, link: &Link) -> Result<Session, Fault> {
    let (credential, renewed) = oauth::credential(settings, secret.clone(), Some(link.now())).await?;
    let is_renewed = renewed.is_some();
    if let Some(renewed) = renewed {
        link.keep_secret(renewed).await?;
    }
    match (Session::open(settings, &credential).await, &settings.sign_in) {
        (Err(Fault::Refused { .. }), SignIn::Oauth2(oauth)) if !is_renewed => {
            let (credential, renewed) = oauth::renew(oauth, secret, link.now()).await?;
            link.keep_secret(renewed).await?;
            Session::open(settings, &credential).await
        }
        (opened, _) => opened,
    }
}

fn channels(folders: &[Folder]) -> Vec<FoundChannel> {
    folders.iter().map(Folder::channel).collect()
}

/// Which folders have something to read; `None` for all.
type Due = Option<BTreeSet<String>>;

impl Mailbox<'_> {
    /// The selected folders that exist, the inbox first.
    fn selected(&self) -> Vec<Folder> {
        let is_there = |folder: &&Folder| self.plan.channels.contains_key(&folder.id) && !self.unopened.contains(&folder.id);
        let mut selected: Vec<Folder> = self.folders.iter().filter(is_there).cloned().collect();
        selected.sort_by_key(|folder| !folder.id.eq_ignore_ascii_case("INBOX"));
        selected
    }

    /// Loads the choices that the person has made in the meantime.
    async fn replan(&mut self) -> Result<(), Fault> {
        self.plan = self.link.plan().await?;
        // Start again from the positions in the plan, because how much of a folder to read may have changed.
        self.states.clear();
        self.list().await
    }

    async fn list(&mut self) -> Result<(), Fault> {
        self.listed_at = Instant::now();
        let folders = self.session.folders().await?;
        if folders != self.folders {
            self.folders = folders;
            self.link.found(channels(&self.folders)).await?;
        }
        self.unopened.clear();
        self.tell_missing();
        Ok(())
    }

    /// Handles a folder that cannot be opened. Its messages are kept, and reading continues when the folder is back.
    async fn lose(&mut self, folder: &str) -> Result<(), Fault> {
        self.list().await?;
        self.unopened.insert(folder.to_owned());
        self.tell_missing();
        Ok(())
    }

    /// Reports, once, which selected folders no longer exist.
    fn tell_missing(&mut self) {
        let is_there = |id: &str| self.folders.iter().any(|folder| folder.id == id) && !self.unopened.contains(id);
        let missing: BTreeSet<String> = self.plan.channels.keys().filter(|id| !is_there(id)).cloned().collect();
        if missing != self.missing {
            self.link.note_missing(missing.iter().map(|id| shown(id)).collect());
            self.missing = missing;
        }
    }

    /// Reads the folders that are due until nothing is left. Returns `false` as soon as the person selects other folders.
    async fn catch_up(&mut self, due: Due) -> Result<bool, Fault> {
        let mut left: Vec<Folder> = self.selected();
        left.retain(|folder| due.as_ref().is_none_or(|due| due.contains(&folder.id)));
        while !left.is_empty() {
            for folder in std::mem::take(&mut left) {
                match self.turn(&folder).await? {
                    Turn::Changed => return Ok(false),
                    Turn::Left => left.push(folder),
                    Turn::Done => {}
                }
            }
        }
        if !self.is_live {
            self.is_live = true;
            self.link.note(Status::Live);
        }
        Ok(true)
    }

    /// Reads new emails of a folder, and some of the old ones.
    async fn turn(&mut self, folder: &Folder) -> Result<Turn, Fault> {
        let Some(opened) = self.session.examine(&folder.id).await? else {
            self.lose(&folder.id).await?;
            return Ok(Turn::Done);
        };
        let Some(selected) = self.plan.channels.get(&folder.id) else { return Ok(Turn::Done) };
        let since = selected.since;
        let kept = match self.states.get(&folder.id) {
            Some(state) => Some(state.position.kept()),
            None => selected.position.clone(),
        };
        let position = Position::resume(kept.as_deref(), &opened, since);
        let width = self.states.get(&folder.id).map_or_else(|| wider(0, STEP_MAILS, 0), |state| state.width);
        let mut state = State { position, width, exists: opened.exists };
        self.states.insert(folder.id.clone(), state);
        let mut steps = 0;
        while state.position.has_news(opened.top) || state.position.is_behind() && steps < TURN_STEPS {
            if self.link.changed().now_or_never().is_some() {
                return Ok(Turn::Changed);
            }
            if state.position.has_news(opened.top) {
                self.step_on(folder, since, &opened, &mut state).await?;
            } else {
                self.step_back(folder, since, &mut state).await?;
                steps += 1;
            }
            self.states.insert(folder.id.clone(), state);
            if steps > 0 {
                self.tell();
            }
        }
        Ok(if state.position.is_behind() { Turn::Left } else { Turn::Done })
    }

    /// Reads some of the new emails.
    async fn step_on(
        &mut self,
        folder: &Folder,
        since: Option<Timestamp>,
        opened: &Opened,
        state: &mut State,
    ) -> Result<(), Fault> {
        let (first, last) = state.position.on(opened.top, widest(opened.exists));
        let mut mails = self.session.marks(&format!("{first}:{last}"), Keep::Oldest, STEP_MAILS).await?;
        // `n:m` means the same as `m:n`, and some servers add the last email to every range.
        mails.retain(|uid, _| (first..=last).contains(uid));
        let end = if mails.len() < STEP_MAILS { last } else { mails.keys().next_back().copied().unwrap_or(last) };
        let mails: Vec<(u32, Marks)> = mails.into_iter().collect();
        let mut reader = Reader::new(self.settings, self.link, folder, since, state.position);
        reader.read(&mut self.session, &mails, Way::On, end).await?;
        state.position = reader.position;
        Ok(())
    }

    /// Reads some of the emails that existed before, newest first.
    async fn step_back(&mut self, folder: &Folder, since: Option<Timestamp>, state: &mut State) -> Result<(), Fault> {
        let (first, last) = state.position.back(state.width);
        let is_searched = last - first < SEARCH_WIDTH_MAX;
        let mut mails = match since.and_then(day).filter(|_| is_searched) {
            Some(day) => {
                let mut uids = self.session.arrived_since(first, last, &day).await?;
                uids.sort_unstable_by(|a, b| b.cmp(a));
                uids.truncate(STEP_MAILS);
                let set = uids.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
                if uids.is_empty() { BTreeMap::new() } else { self.session.marks(&set, Keep::Newest, STEP_MAILS).await? }
            }
            None => self.session.marks(&format!("{first}:{last}"), Keep::Newest, STEP_MAILS).await?,
        };
        mails.retain(|uid, _| (first..=last).contains(uid));
        let end = if mails.len() < STEP_MAILS { first } else { mails.keys().next().copied().unwrap_or(first) };
        let mails: Vec<(u32, Marks)> = mails.into_iter().rev().collect();
        let mut reader = Reader::new(self.settings, self.link, folder, since, state.position);
        reader.read(&mut self.session, &mails, Way::Back, end).await?;
        state.position = reader.position;
        state.width = wider(state.width, mails.len(), state.exists);
        Ok(())
    }

    /// Reports progress while old emails are being read.
    fn tell(&mut self) {
        self.is_live = false;
        let done = self.states.values().map(|state| state.position.done).sum();
        let is_whole = self.states.values().all(|state| state.position.since.is_none());
        let is_all_known = self.selected().iter().all(|folder| self.states.contains_key(&folder.id));
        let total = self.states.values().map(|state| u64::from(state.exists)).sum::<u64>().max(done);
        self.link.note(Status::CatchingUp { done, total: (is_whole && is_all_known).then_some(total) });
    }

    /// Waits until a folder has something to read, or until the person selects other folders. Returns the folders that are due.
    async fn wait(&mut self) -> Result<Due, Fault> {
        let at_most = Duration::from_secs(u64::from(self.settings.check_s));
        let mut due = BTreeSet::new();
        let selected = self.selected();
        let woken = match selected.first() {
            Some(first) => {
                // New emails may have arrived since the folder was read.
                match self.session.examine(&first.id).await? {
                    Some(opened) if self.is_due(&first.id, opened.validity, opened.top) => {
                        due.insert(first.id.clone());
                        return Ok(Some(due));
                    }
                    None => {
                        self.lose(&first.id).await?;
                        // The next wait uses the next folder.
                        return Ok(Some(due));
                    }
                    Some(_) => self.session.idle(at_most, self.link.changed()).await?,
                }
            }
            None => tokio::select! {
                () = self.link.changed() => Woken::Call,
                () = tokio::time::sleep(at_most) => Woken::Time,
            },
        };
        match woken {
            Woken::Call => {
                self.replan().await?;
                return Ok(None);
            }
            Woken::News => {
                tokio::time::sleep(SETTLE).await;
                due.extend(selected.first().map(|first| first.id.clone()));
                return Ok(Some(due));
            }
            Woken::Time => self.session.noop().await?,
        }
        // A missing folder may be back.
        if self.listed_at.elapsed() >= LIST_EVERY || !self.missing.is_empty() {
            self.list().await?;
        }
        for folder in self.selected() {
            match self.session.status(&folder.id).await? {
                Some((validity, top)) if self.is_due(&folder.id, validity, top) => {
                    due.insert(folder.id);
                }
                Some(_) => {}
                None => self.lose(&folder.id).await?,
            }
        }
        // The open folder is checked when the next wait begins.
        Ok(Some(due))
    }

    /// Whether a folder has something to read, according to what the server reports.
    fn is_due(&self, folder: &str, validity: u32, top: u32) -> bool {
        self.states
            .get(folder)
            .is_none_or(|state| state.position.validity != validity || state.position.has_news(top) || state.position.is_behind())
    }
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// Nothing is left in the folder.
    Done,
    /// Older emails are left.
    Left,
    /// The person selected other folders.
    Changed,
}
