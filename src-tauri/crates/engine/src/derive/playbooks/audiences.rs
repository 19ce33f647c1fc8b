//! Decides which playbooks an audience is served.
//!
//! If the owner is alone with an agent, an approved playbook is served as it was approved. Any other audience is served a
//! playbook only if the playbook can be found from the sessions that this audience may see. It is served only the approved part
//! that says nothing about other sessions: the names of the steps. Filtering the stored playbook by its sources instead would
//! reveal hidden sessions through the absence of the playbook, the variable parts of its steps, and the choice of its steps
//! (decision 14). For the same reason, a search over all sessions also offers the person the playbooks found from the sessions
//! of a single audience.
//!
//! Not in this module: how a context presents playbooks.

use std::collections::BTreeSet;

use keepsake_domain::{ConversationId, Label, People, Place, PlaybookStatus, Timestamp, Visibility};
use keepsake_insight::playbook::{Found, OCCURRENCES_MIN, Session, Step, discover};
use keepsake_store::{PlaybookRow, PlaybookVersionRow, ReadTx};

use super::{READ_MS, StoreResult, approved, id_of, read_sessions, shown, version_of};
use crate::Result;
use crate::areas::Playbooks;
use crate::serve::access_log::{AccessRecord, ReadKind};
use crate::serve::boundary::{AccessMap, Audience, PrivacyPolicy, View};
use crate::serve::masked::{may_be_served, served};

/// Maximum number of audiences that are searched separately. There is a limit because each audience needs its own search.
/// Nobody uses agents with more audiences than this.
const AUDIENCES_MAX: usize = 64;

impl Playbooks<'_> {
    /// Returns the approved playbooks that an audience may see and records the lookup in the access log.
    pub fn playbooks_for(&self, audience: &Audience) -> Result<Vec<PlaybookRow>> {
        let (rows, given) = self.engine.privacy().engine.with_view(audience, |tx, view| {
            let mut rows = self.playbooks_seen(tx, view)?;
            rows.iter_mut().for_each(|row| serve(&mut row.version));
            let mut given = AccessRecord::new(ReadKind::Playbooks, view);
            for row in &rows {
                let mut chars = 0;
                for text in texts(&row.version) {
                    chars += text.chars().count();
                    given.add_line(row.id.as_str(), text);
                }
                given.add_item(row.id.as_str(), chars);
            }
            Ok((rows, given))
        })?;
        self.engine.privacy().record_access(audience, given)?;
        Ok(rows)
    }

    /// Like [`playbooks_for`](Self::playbooks_for), but in the given snapshot and without an access record. A playbook with a
    /// line that looks like an instruction to a machine is not served at all, because the playbook without that line would be
    /// misleading.
    pub(crate) fn playbooks_seen(&self, tx: &ReadTx<'_>, view: &View) -> StoreResult<Vec<PlaybookRow>> {
        let mut rows = self.open(tx, view)?;
        rows.retain(|row| texts(&row.version).all(may_be_served));
        Ok(rows)
    }

    fn open(&self, tx: &ReadTx<'_>, view: &View) -> StoreResult<Vec<PlaybookRow>> {
        let to = &view.destination;
        if to.visibility == Visibility::Private && to.people.is_empty() {
            return as_approved(tx, view);
        }
        let open: Vec<PlaybookRow> =
            tx.playbooks().all()?.into_iter().filter(|row| row.status == PlaybookStatus::Approved).collect();
        if open.is_empty() {
            return Ok(Vec::new());
        }
        let now = self.engine.now();
        let lines = tx.playbooks().tool_lines_of(view.conversations(), now, READ_MS)?;
        let sessions = read_sessions(&lines);
        // Usually no session visible to the audience contains every step of a playbook, so the search can be skipped.
        let takes = |session: &Session, row: &PlaybookRow| {
            row.version.steps.iter().all(|step| session.uses.iter().any(|one| one.kind.name == step.name))
        };
        if !sessions.iter().any(|session| open.iter().any(|row| takes(session, row))) {
            return Ok(Vec::new());
        }
        let approved = |one: &Found| open.iter().find(|row| id_of(one).is_some_and(|id| id == row.id));
        let found = discover(&sessions, now, &self.engine.models().scrubber_in(tx)?);
        let mut told: Vec<PlaybookRow> = found.iter().filter_map(|one| Some(by_name(approved(one)?, one, now))).collect();
        told.sort_by(|a, b| {
            let most = b.version.occurrences.len().cmp(&a.version.occurrences.len());
            most.then(a.version.title.cmp(&b.version.title)).then(a.id.cmp(&b.id))
        });
        Ok(told)
    }
}

/// Converts the texts of a playbook to their servable form.
fn serve(version: &mut PlaybookVersionRow) {
    let purposes = version.purposes.iter_mut().flatten();
    let steps = version.steps.iter_mut().map(|step| &mut step.text);
    let texts = std::iter::once(&mut version.title).chain(version.description.as_mut()).chain(steps).chain(purposes);
    texts.for_each(|text| *text = served(text));
}

/// All texts of a playbook.
fn texts(version: &PlaybookVersionRow) -> impl Iterator<Item = &str> {
    let purposes = version.purposes.iter().flatten().map(String::as_str);
    let steps = version.steps.iter().map(|step| step.text.as_str());
    std::iter::once(version.title.as_str()).chain(version.description.as_deref()).chain(steps).chain(purposes)
}

/// A playbook as found in an audience's own sessions, with only the approved words that follow from the names of the steps.
/// Its variable parts are left out, because they were determined across all sessions, and nobody approved the parts that
/// happen to be constant in these sessions.
fn by_name(row: &PlaybookRow, found: &Found, now: Timestamp) -> PlaybookRow {
    let by_name = |step: &Step| Step { text: step.name.clone(), ..step.clone() };
    let steps = found.steps.iter().map(by_name).collect();
    let told = Found { steps, parameters: Vec::new(), ..found.clone() };
    PlaybookRow {
        id: row.id.clone(),
        status: row.status,
        is_parked_by_age: false,
        decided_version: None,
        found_at: now,
        changed_at: now,
        is_announced: false,
        version: version_of(&told, None, now),
    }
}

/// The approved playbooks as the person approved them, for the owner only. Leaves out those that are based on an excluded
/// session.
fn as_approved(tx: &ReadTx<'_>, view: &View) -> StoreResult<Vec<PlaybookRow>> {
    let may_see = |version: &PlaybookVersionRow| view.judge(&version.sources(), false).is_ok();
    let mut rows = Vec::new();
    for row in shown(tx)?.into_iter().filter(|row| row.status == PlaybookStatus::Approved && may_see(&row.version)) {
        let version = approved(tx, &row)?.unwrap_or_else(|| row.version.clone());
        if may_see(&version) {
            rows.push(PlaybookRow { version, ..row });
        }
    }
    Ok(rows)
}

/// For each audience that may see enough sessions for a playbook but not all of them: the sessions that it may see. The
/// audiences are the public, the people of each private place, and the people whom several private places have in common.
pub(super) fn visible_sessions<'s>(map: &AccessMap, policy: &PrivacyPolicy, sessions: &'s [Session]) -> Vec<Vec<&'s Session>> {
    let place_of = |session: &'s Session| map.places.get(&session.conversation);
    let mut people: BTreeSet<People> = sessions
        .iter()
        .filter_map(place_of)
        .filter(|place| place.visibility == Visibility::Private && !place.people.is_empty())
        .map(|place| place.people.clone())
        .collect();
    loop {
        let within =
            |one: &People| people.iter().map(|other| one.intersection(other).cloned().collect()).collect::<Vec<People>>();
        let shared: BTreeSet<People> = people.iter().flat_map(within).filter(|shared| !shared.is_empty()).collect();
        let before = people.len();
        people.extend(shared);
        if people.len() == before || people.len() > AUDIENCES_MAX {
            break;
        }
    }
    let label_of = |people: People, conversation: &ConversationId| {
        let place = Place { conversation: conversation.clone(), visibility: Visibility::Private, is_off_record: false, people };
        (policy.label_of)(&[&place])
    };
    let closed = people.into_iter().take(AUDIENCES_MAX).filter_map(|people| label_of(people, &sessions.first()?.conversation));
    let mut found: Vec<Vec<&Session>> = Vec::new();
    for audience in std::iter::once(Label::PUBLIC).chain(closed) {
        let is_seen = |session: &&'s Session| {
            let label = place_of(session).and_then(|place| (policy.label_of)(&[place]));
            label.is_some_and(|label| (policy.flows)(&label, &audience))
        };
        let own: Vec<&Session> = sessions.iter().filter(is_seen).collect();
        let is_same =
            |other: &Vec<&Session>| other.len() == own.len() && other.iter().zip(&own).all(|(a, b)| std::ptr::eq(*a, *b));
        if (OCCURRENCES_MIN..sessions.len()).contains(&own.len()) && !found.iter().any(is_same) {
            found.push(own);
        }
    }
    found
}
