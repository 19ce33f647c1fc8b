//! The three tiers of long-term memory (seed 000, phase 2): sessions are distilled into them, and an agent is served the
//! entries that its audience may see, within the budget of each tier.
//!
//! Distilling handles one session at a time and one user per pass, so content of different users is never mixed. The entries to
//! serve are selected anew each time: by the boundary first, then by the person's corrections, then by the role, then by the
//! budget. An entry is based on one line of one conversation and carries that conversation's label.
//!
//! A statement that a person dismissed or corrected is removed wherever the same speaker said the same words. This reveals
//! nothing about where it was said, because it is a judgment of the statement itself, as with `Gate::Suppressed`.
//!
//! Not in this module: which tier an entry belongs to and which entries fit the budget (`insight::session::tier`), and the
//! privacy rule (`domain`).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use keepsake_domain::{EntityId, PersonRole, Span, TierEntryId, Timestamp, Visibility, Withheld};
use keepsake_insight::conversation::Place;
use keepsake_insight::session::tier::{SESSIONS_PER_PASS_MAX, Tier, TierLine, folded, route, serve};
use keepsake_insight::session::{Field, Item, Outcome};
use keepsake_store::{Lease, NewTierEntry, ReadTx, SessionItemRow, SessionRow, StoreError, TierEntryRow};

use crate::areas::Sessions;
use crate::derive::sessions::agent_key;
use crate::serve::access_log::{AccessRecord, ReadKind};
use crate::serve::boundary::{Audience, View};
use crate::serve::context::{WithheldCount, counts, day};
use crate::serve::masked::{may_be_served, quoted, served};
use crate::{EngineError, Result};

/// Minimum number of words for a retracted text to be removed wherever it was said. Fewer words could occur in any statement.
const STRUCK_WORDS_MIN: usize = 3;

/// A request for the tiers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TierAsk {
    /// The audience to serve. Without an agent, person or channel, the audience is the owner alone, who sees everything.
    pub audience: Audience,
    /// The role to show the tiers for; the audience's own if `None`.
    pub role: Option<PersonRole>,
}

/// One line of a tier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TierLineRow {
    /// The text as it is served.
    pub text: String,
    /// The entry it comes from.
    pub entry: TierEntryRow,
}

/// One tier as it is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TierText {
    /// Which tier this is.
    pub tier: Tier,
    /// The agent: the name under which its sessions are stored, and its display name.
    pub agent: Option<(String, String)>,
    /// The user, with their name.
    pub user: Option<(EntityId, String)>,
    /// Whether the role may read it. If not, it is empty.
    pub is_allowed: bool,
    /// Maximum number of characters.
    pub budget_chars: usize,
    /// Number of characters of the text.
    pub chars: usize,
    /// The text of the tier.
    pub text: String,
    /// The lines of the text.
    pub lines: Vec<TierLineRow>,
    /// Lines that did not fit, in order.
    pub left_out: Vec<TierLineRow>,
    /// Number of entries left out because another line says the same.
    pub repeated: u64,
}

/// The tiers as an audience sees them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tiers {
    /// The role they are shown for.
    pub role: PersonRole,
    /// The shared tier, then the agents', then the users'.
    pub tiers: Vec<TierText>,
    /// Counts of the entries that the boundary withheld. These counts are for the owner only.
    pub withheld: Vec<WithheldCount>,
}

/// Words that a person dismissed or corrected.
struct RetractedEntries {
    places: HashMap<String, Vec<Span>>,
    said: BTreeSet<(EntityId, String)>,
}

impl RetractedEntries {
    fn load(tx: &ReadTx<'_>, view: &View) -> std::result::Result<Self, StoreError> {
        let mut struck = Self { places: HashMap::new(), said: BTreeSet::new() };
        for row in tx.tiers().struck()? {
            if let Ok(quote) = row.place.span.quote(&row.content) {
                struck.said.insert((view.map.persons.of(&row.speaker), folded(quote)));
            }
            struck.places.entry(row.place.interaction.to_string()).or_default().push(row.place.span);
        }
        Ok(struck)
    }

    fn strikes(&self, view: &View, entry: &TierEntryRow) -> bool {
        let at = self.places.get(entry.place.interaction.as_str());
        if at.is_some_and(|spans| spans.iter().any(|span| span.overlaps(entry.place.span))) {
            return true;
        }
        let speaker = view.map.persons.of(&entry.speaker);
        let own = format!(" {} ", folded(&entry.text));
        self.said.iter().filter(|(who, _)| *who == speaker).any(|(_, words)| {
            let is_long = |text: &str| text.split(' ').filter(|word| !word.is_empty()).count() >= STRUCK_WORDS_MIN;
            let words = format!(" {words} ");
            is_long(&words) && own.contains(&words) || is_long(&own) && words.contains(&own)
        })
    }
}

impl Sessions<'_> {
    /// Distills the next undistilled sessions of one user, up to the maximum per pass, and returns how many. One transaction
    /// writes them and accepts each session only once, so two simultaneous passes write no session twice.
    pub fn distil_pass(&self, lease: Option<&Lease>) -> Result<usize> {
        let (sessions, mut items) = self.engine.store().read(|tx| {
            let sessions = tx.sessions().to_distil(SESSIONS_PER_PASS_MAX)?;
            let ids: Vec<_> = sessions.iter().map(|session| session.id.clone()).collect();
            let items = tx.sessions().items(&ids)?;
            Ok((sessions, items))
        })?;
        if sessions.is_empty() {
            return Ok(0);
        }
        let routed: Vec<(&SessionRow, Vec<NewTierEntry>)> = sessions
            .iter()
            .map(|session| {
                let items = items.remove(&session.id).unwrap_or_default();
                (session, entries_of(session, &items))
            })
            .collect();
        self.engine.store().write(|tx| {
            if let Some(lease) = lease {
                tx.jobs().check_lease(lease)?;
            }
            // Recreated entries get the original date of their session.
            routed.iter().try_for_each(|(session, entries)| {
                tx.tiers()
                    .distil_session(&session.id, entries, self.engine.maintenance().made_first(session.id.as_str()))
                    .map(drop)
            })
        })?;
        Ok(sessions.len())
    }

    /// Returns the tiers for an audience and records the lookup in the access log.
    pub fn tiers(&self, ask: &TierAsk) -> Result<Tiers> {
        let is_overview = ask.audience == Audience::default();
        let (tiers, given) = self.engine.privacy().engine.with_view(&ask.audience, |tx, view| {
            let mut tiers = self.tiers_in(tx, view, ask, is_overview, None)?;
            let mut given = AccessRecord::new(ReadKind::Tiers, view);
            for tier in &tiers.tiers {
                given.chars += tier.chars;
                for line in &tier.lines {
                    // A line is based on a single message and contains nothing else.
                    let message = line.entry.place.interaction.as_str();
                    given.add_item(line.entry.id.as_str(), 0);
                    given.add_line(message, &line.text);
                    given.add_line(message, &line.entry.text);
                }
            }
            if ask.audience.agent.is_some() || ask.audience.person.is_some() {
                // A caller that asks for an agent or a person must not learn that something was withheld.
                tiers.withheld.clear();
            }
            Ok((tiers, given))
        })?;
        // An explicit role means that the owner is looking: the words are recorded, but no access by a program is logged.
        let reader = if ask.role.is_some() { Audience::default() } else { ask.audience.clone() };
        self.engine.privacy().record_access(&reader, given)?;
        Ok(tiers)
    }

    /// Like [`tiers`](Self::tiers), but as a preview for the owner only. It is served to nobody else, so no access is recorded.
    pub fn tiers_preview(&self, ask: &TierAsk) -> Result<Tiers> {
        // Without an audience, the owner asks for an overview of everything.
        let is_overview = ask.audience == Audience::default();
        self.engine.privacy().engine.with_view(&ask.audience, |tx, view| self.tiers_in(tx, view, ask, is_overview, None))
    }

    /// Like [`tiers`](Self::tiers), in a view. With `at`, only entries that were known at that time are included.
    pub(crate) fn tiers_in(
        &self,
        tx: &ReadTx<'_>,
        view: &View,
        ask: &TierAsk,
        is_overview: bool,
        at: Option<Timestamp>,
    ) -> std::result::Result<Tiers, StoreError> {
        let role = match ask.role {
            Some(role) => role,
            None => role_at(tx, view)?,
        };
        let struck = RetractedEntries::load(tx, view)?;
        let mut withheld: Vec<Withheld> = Vec::new();
        let mut entries: Vec<TierEntryRow> = Vec::new();
        for entry in tx.tiers().entries()?.into_iter().filter(|entry| at.is_none_or(|at| entry.said <= at && entry.created <= at))
        {
            match view.judge(std::slice::from_ref(&entry.conversation_id), false) {
                Ok(()) if struck.strikes(view, &entry) || !may_be_served(&entry.text) => {}
                Ok(()) => entries.push(entry),
                Err(rule) => withheld.push(rule),
            }
        }
        let wanted = ask.audience.agent.as_deref().map(agent_key);
        let mut agents: BTreeMap<String, String> = BTreeMap::new();
        for entry in &entries {
            if wanted.as_ref().is_none_or(|wanted| *wanted == entry.agent) {
                agents.entry(entry.agent.clone()).or_insert_with(|| entry.agent_name.clone());
            }
        }
        if let (Some(key), Some(name)) = (&wanted, &ask.audience.agent) {
            agents.entry(key.clone()).or_insert_with(|| name.trim().to_owned());
        }
        // The agent talks with the only person present, or with the owner if nobody else is. If several people are present,
        // it talks with nobody in particular.
        let people = &view.destination.people;
        let talks_with = |user: &EntityId| match people.first() {
            None => view.map.persons.is_owner(user) || is_overview,
            Some(person) => people.len() == 1 && user == person,
        };
        let mut users: BTreeMap<(EntityId, String), String> = BTreeMap::new();
        for entry in entries.iter().filter(|entry| entry.tier == Tier::User.name() && agents.contains_key(&entry.agent)) {
            let user = view.map.persons.of(&entry.entity);
            if talks_with(&user) {
                users.entry((user, entry.agent.clone())).or_insert_with(|| entry.user_name.clone());
            }
        }
        let of = |tier: Tier, agent: Option<&str>, user: Option<&EntityId>| -> Vec<&TierEntryRow> {
            let own = entries.iter().filter(|entry| {
                entry.tier == tier.name()
                    && agent.is_none_or(|agent| entry.agent == agent)
                    && user.is_none_or(|user| view.map.persons.of(&entry.entity) == *user)
            });
            own.collect()
        };
        let reads_all = role.reads_all_tiers();
        let mut tiers = vec![text_of(Tier::Shared, None, None, reads_all, of(Tier::Shared, None, None))];
        for (key, name) in &agents {
            let agent = Some((key.clone(), name.clone()));
            tiers.push(text_of(Tier::Agent, agent, None, reads_all, of(Tier::Agent, Some(key), None)));
        }
        for ((user, key), name) in &users {
            let agent = agents.get(key).map(|name| (key.clone(), name.clone()));
            let own = of(Tier::User, Some(key), Some(user));
            tiers.push(text_of(Tier::User, agent, Some((user.clone(), name.clone())), true, own));
        }
        Ok(Tiers { role, tiers, withheld: counts(withheld.into_iter()) })
    }

    /// Assigns a role to a person.
    pub fn set_person_role(&self, person: &EntityId, role: PersonRole) -> Result<()> {
        if role == PersonRole::Owner {
            return Err(EngineError::Refused("nobody can be made the owner; choose guest or friend".to_owned()));
        }
        let members = self.engine.store().read(|tx| {
            let persons = tx.people().persons()?;
            Ok(if persons.is_owner(person) { Vec::new() } else { persons.members(person) })
        })?;
        if members.is_empty() {
            return Err(EngineError::Refused("the role of the owner cannot be changed; choose another person".to_owned()));
        }
        Ok(self.engine.store().write(|tx| tx.tiers().put_person_role(&members, role, self.engine.now()))?)
    }

    /// The role of a person.
    pub fn person_role(&self, person: &EntityId) -> Result<PersonRole> {
        Ok(self.engine.store().read(|tx| {
            let persons = tx.people().persons()?;
            Ok(role_of(&tx.tiers().person_roles()?, &persons, person))
        })?)
    }
}

/// A person's role: the strictest role of any of their handles. Most handles have no assigned role and count as guests.
fn role_of(roles: &BTreeMap<EntityId, PersonRole>, persons: &keepsake_store::Persons, person: &EntityId) -> PersonRole {
    if persons.is_owner(person) {
        return PersonRole::Owner;
    }
    let members = persons.members(person);
    members.iter().map(|member| roles.get(member).copied().unwrap_or(PersonRole::Guest)).min().unwrap_or(PersonRole::Guest)
}

/// The role that applies to a destination: the strictest role of all people who read there, or guest if anybody may.
pub(crate) fn role_at(tx: &ReadTx<'_>, view: &View) -> std::result::Result<PersonRole, StoreError> {
    if view.destination.visibility == Visibility::Public {
        return Ok(PersonRole::Guest);
    }
    let roles = tx.tiers().person_roles()?;
    let people = view.destination.people.iter();
    Ok(people.map(|person| role_of(&roles, &view.map.persons, person)).min().unwrap_or(PersonRole::Owner))
}

/// The tier entries for a session.
pub(crate) fn entries_of(session: &SessionRow, items: &[SessionItemRow]) -> Vec<NewTierEntry> {
    let outcome = match session.outcome.as_str() {
        "resolved" => Outcome::Resolved,
        "partial" => Outcome::Partial,
        _ => Outcome::Unresolved,
    };
    let positions: Vec<usize> =
        (0..items.len()).filter(|at| items.get(*at).is_some_and(|item| Field::named(&item.field).is_some())).collect();
    let known: Vec<Item> = positions.iter().filter_map(|at| items.get(*at)).filter_map(item).collect();
    route(session.significance, outcome, &known)
        .into_iter()
        .filter_map(|routed| {
            let position = *positions.get(routed.item)?;
            let hex = blake3::hash(format!("{}|{position}|{}", session.id, routed.tier.name()).as_bytes()).to_hex();
            let id: TierEntryId = format!("{}{}", TierEntryId::PREFIX, &hex[..32]).parse().ok()?;
            let (tier, significance) = (routed.tier.name(), routed.significance);
            Some(NewTierEntry { id, position, tier, kind: routed.kind, detail: routed.detail, significance })
        })
        .collect()
}

fn item(row: &SessionItemRow) -> Option<Item> {
    Some(Item {
        field: Field::named(&row.field)?,
        name: row.name.clone(),
        uses: row.uses,
        text: row.text.clone(),
        place: Place { turn: 0, span: row.place.span },
    })
}

/// `- 2026-03-04 Mara: “I prefer tabs over spaces.”` Nobody has approved a classification of this text, so the words are
/// quoted without one.
fn line_of(entry: &TierEntryRow) -> String {
    let text = format!("- {} {}: {}", day(entry.said), served(&entry.author), quoted(&served(&entry.text)));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn text_of(
    tier: Tier,
    agent: Option<(String, String)>,
    user: Option<(EntityId, String)>,
    is_allowed: bool,
    entries: Vec<&TierEntryRow>,
) -> TierText {
    let entries = if is_allowed { entries } else { Vec::new() };
    let lines: Vec<TierLine> = entries
        .iter()
        .map(|entry| TierLine {
            id: entry.id.to_string(),
            text: line_of(entry),
            says: entry.detail.as_deref().map_or_else(|| entry.text.clone(), |detail| format!("{detail}: {}", entry.text)),
            significance: entry.significance,
            said: entry.said,
        })
        .collect();
    let served = serve(&lines, tier.budget_chars());
    let rows = |indices: &[usize]| -> Vec<TierLineRow> {
        let at =
            |index: &usize| Some(TierLineRow { text: lines.get(*index)?.text.clone(), entry: (*entries.get(*index)?).clone() });
        indices.iter().filter_map(at).collect()
    };
    TierText {
        tier,
        agent,
        user,
        is_allowed,
        budget_chars: tier.budget_chars(),
        chars: served.chars,
        lines: rows(&served.shown),
        left_out: rows(&served.left_out),
        repeated: served.repeated.len() as u64,
        text: served.text,
    }
}
