//! Turns the collected data into suggested pairs: each index contributes pairs, and the evidence for each pair is weighed against
//! the evidence against it.

use crate::identity::rules::SPANS_MAX;
use crate::identity::rules::{
    ANSWERS_TALKING_MIN, COMPANIONS_MIN, CONTACT_HOLDERS_MAX, CONTACT_NAMES_MAX, GUESS_HOLDERS_MAX, GUESS_MESSAGES_MIN,
    GUESS_NAMES_MIN, GUESS_TERMS_MIN, NAME_HOLDERS_MAX, NAME_TERMS_MIN, NAME_TERMS_WITH_COMPANION_MIN,
};
use std::collections::{BTreeMap, HashMap};

use keepsake_domain::{HandleId, LinkStrength};

use super::handle::is_national_form_of;
use super::name::Relation;
use super::reader::{Claim, Holding, IdentityReader};
use super::resolve::{Resolver, is_channel};
use super::scene::{Linked, Pair, Scene, capped};
use super::types::{Answer, Clue, ClueKind, Decision, Fingerprint, Suggestion};

impl IdentityReader {
    /// The pairs that may belong to one person and that `decisions` do not rule out, strongest first.
    pub fn suggest(mut self, decisions: &[Decision]) -> Vec<Suggestion> {
        complete_numbers(&mut self.contacts);
        let linked = Linked::of(&self, decisions);
        let answers = Answers::of(&self, decisions);
        let terms = std::mem::take(&mut self.terms).rare(self.known.len(), &self.name_parts);
        let scene = Scene::new(&self, &linked, terms);
        let mut pairs: BTreeMap<Pair, Vec<Clue>> = BTreeMap::new();
        contact_pairs(&scene, &mut pairs);
        declared_pairs(&scene, &mut pairs);
        name_pairs(&scene, &mut pairs);
        guess_pairs(&scene, &mut pairs);
        let mut out: Vec<Suggestion> =
            pairs.into_iter().filter_map(|(pair, clues)| weigh(&scene, &answers, pair, clues)).collect();
        out.sort_by(|x, y| {
            x.strength
                .cmp(&y.strength)
                .then(y.evidence_for.len().cmp(&x.evidence_for.len()))
                .then_with(|| (&x.a, &x.b).cmp(&(&y.a, &y.b)))
        });
        out
    }
}

/// Assigns each number without a country code to the full number it represents, if there is exactly one.
fn complete_numbers(contacts: &mut HashMap<String, Vec<Holding>>) {
    /// Number of final digits that remain without the country and area codes.
    const TAIL: usize = 7;
    let tail = |number: &str| number.get(number.len().saturating_sub(TAIL)..).map(str::to_owned);
    let mut by_tail: HashMap<String, Vec<String>> = HashMap::new();
    let mut national = Vec::new();
    for contact in contacts.keys() {
        match contact.bytes().next() {
            Some(b'+') => by_tail.entry(tail(contact).unwrap_or_default()).or_default().push(contact.clone()),
            Some(b'0'..=b'9') if contact.bytes().all(|byte| byte.is_ascii_digit()) => national.push(contact.clone()),
            _ => {}
        }
    }
    // Sorted, so that the same messages always give the same clues.
    national.sort_unstable();
    for number in national {
        let mut fits = tail(&number)
            .and_then(|tail| by_tail.get(&tail))
            .into_iter()
            .flatten()
            .filter(|full| is_national_form_of(&number, full));
        let (Some(full), None) = (fits.next(), fits.next()) else { continue };
        for holding in contacts.remove(&number).unwrap_or_default() {
            let holdings = contacts.entry(full.clone()).or_default();
            match holdings.iter_mut().find(|known| known.handle == holding.handle) {
                Some(known) => known.source = known.source.min(holding.source),
                None => holdings.push(holding),
            }
        }
    }
}

/// The earlier answers that concern a pair.
struct Answers<'d> {
    of_pair: HashMap<Pair, &'d Answer>,
    different: Vec<Pair>,
}

impl<'d> Answers<'d> {
    fn of(reader: &IdentityReader, decisions: &'d [Decision]) -> Self {
        let mut answers = Self { of_pair: HashMap::new(), different: Vec::new() };
        for decision in decisions {
            if let (Some(a), Some(b)) = (reader.number(&decision.a), reader.number(&decision.b)) {
                let pair = (a.min(b), a.max(b));
                answers.of_pair.insert(pair, &decision.answer);
                if decision.answer == Answer::Different {
                    answers.different.push(pair);
                }
            }
        }
        answers
    }
}

fn contact_pairs(scene: &Scene<'_>, pairs: &mut BTreeMap<Pair, Vec<Clue>>) {
    let mut contacts: Vec<(&String, &Vec<Holding>)> = scene.reader.contacts.iter().collect();
    contacts.sort_by_key(|(contact, _)| *contact);
    for (contact, holdings) in contacts {
        let holders: Vec<u32> = holdings.iter().map(|holding| holding.handle).collect();
        if holdings.len() > CONTACT_HOLDERS_MAX || is_shared_by_many(scene, &holders) {
            continue;
        }
        for (at, one) in holdings.iter().enumerate() {
            for other in &holdings[at + 1..] {
                let Some(pair) = scene.open_pair(one.handle, other.handle) else { continue };
                let (a, b) = if pair.0 == one.handle { (one, other) } else { (other, one) };
                let kind = ClueKind::SameContact { contact: contact.clone(), a: a.source, b: b.source };
                pairs.entry(pair).or_default().push(Clue { kind, spans: capped(a.spans.iter().chain(&b.spans).cloned()) });
            }
        }
    }
}

/// True if the handles have more unrelated full names than one person can have, even one who changed their name.
fn is_shared_by_many(scene: &Scene<'_>, holders: &[u32]) -> bool {
    let mut strangers: Vec<u32> = Vec::new();
    for holder in holders {
        let is_new = !scene.known(*holder).names.full.is_empty()
            && strangers.iter().all(|known| matches!(scene.relation(*known, *holder), Relation::Different(..)));
        if is_new {
            strangers.push(*holder);
        }
    }
    strangers.len() > CONTACT_NAMES_MAX
}

fn declared_pairs(scene: &Scene<'_>, pairs: &mut BTreeMap<Pair, Vec<Clue>>) {
    let resolver = Resolver::new(&scene.reader.known);
    let mut by_target: BTreeMap<u32, Vec<&Claim>> = BTreeMap::new();
    let mut by_account: BTreeMap<String, Vec<&Claim>> = BTreeMap::new();
    for claim in &scene.reader.claims {
        match resolver.resolve(&claim.mention, &scene.reader.known, claim.by) {
            Some(target) if !is_addressed(scene, claim, target) => by_target.entry(target).or_default().push(claim),
            Some(_) => {}
            None if claim.mention.names_account => {
                let account = claim.mention.handle.trim_start_matches('@').to_lowercase();
                let channel = claim.mention.channel.unwrap_or("");
                by_account.entry(format!("@{account} {channel}")).or_default().push(claim);
            }
            None => {}
        }
    }
    for (target, claims) in by_target {
        let speakers: Vec<u32> = claims.iter().map(|claim| claim.by).collect();
        if is_shared_by_many(scene, &speakers) {
            continue;
        }
        for claim in claims {
            if let Some(pair) = scene.open_pair(claim.by, target) {
                let kind = ClueKind::DeclaredHandle {
                    by: scene.known(claim.by).record.id.clone(),
                    handle: claim.mention.handle.clone(),
                };
                add(pairs.entry(pair).or_default(), Clue { kind, spans: claim.spans.clone() });
            }
        }
    }
    // Two handles that name the same account as their own, on a channel from which no message of that account is stored.
    for claims in by_account.values() {
        let speakers: Vec<u32> = claims.iter().map(|claim| claim.by).collect();
        if claims.len() > CONTACT_HOLDERS_MAX || is_shared_by_many(scene, &speakers) {
            continue;
        }
        for (at, one) in claims.iter().enumerate() {
            for other in &claims[at + 1..] {
                if let Some(pair) = scene.open_pair(one.by, other.by) {
                    let kind = ClueKind::SameAccount {
                        channel: one.mention.channel.unwrap_or("").to_owned(),
                        handle: one.mention.handle.trim_start_matches('@').to_lowercase(),
                    };
                    add(
                        pairs.entry(pair).or_default(),
                        Clue { kind, spans: capped(one.spans.iter().chain(&other.spans).cloned()) },
                    );
                }
            }
        }
    }
}

/// Adds a clue, or adds its places to an equal clue.
fn add(clues: &mut Vec<Clue>, clue: Clue) {
    let same = |known: &Clue| match (&known.kind, &clue.kind) {
        (ClueKind::DeclaredHandle { by: a, .. }, ClueKind::DeclaredHandle { by: b, .. }) => a == b,
        (a, b) => a == b,
    };
    match clues.iter_mut().find(|known| same(known)) {
        Some(known) => known.spans = capped(known.spans.drain(..).chain(clue.spans).collect::<Vec<_>>().into_iter()),
        None => clues.push(clue),
    }
}

/// True if "It's me, @jonas" may be addressed to a Jonas who is present.
fn is_addressed(scene: &Scene<'_>, claim: &Claim, target: u32) -> bool {
    let is_there = scene.rooms[target as usize].iter().any(|(room, _)| *room == claim.conversation);
    let is_same_channel = scene.known(claim.by).record.channel_type == scene.known(target).record.channel_type;
    claim.mention.may_be_vocative && (is_there || is_same_channel)
}

fn name_pairs(scene: &Scene<'_>, pairs: &mut BTreeMap<Pair, Vec<Clue>>) {
    for (name, bearers) in &scene.bearers {
        if bearers.len() > NAME_HOLDERS_MAX {
            continue;
        }
        for (at, &one) in bearers.iter().enumerate() {
            for &other in &bearers[at + 1..] {
                let Some(pair) = scene.open_pair(one, other) else { continue };
                let companions = scene.shared_companions(pair.0, pair.1);
                let companion_count = companions.as_ref().map_or(0, |clue| match &clue.kind {
                    ClueKind::SharedCompanions { companions } => companions.len(),
                    _ => 0,
                });
                let (terms, term_count, name_count) = scene.shared_terms(pair.0, pair.1, usize::MAX);
                let is_enough = companion_count >= COMPANIONS_MIN
                    || (term_count >= NAME_TERMS_MIN && name_count > 0)
                    || (companion_count > 0 && term_count >= NAME_TERMS_WITH_COMPANION_MIN);
                let clues = pairs.get(&pair);
                if is_enough || clues.is_some() {
                    let clues = pairs.entry(pair).or_default();
                    clues.push(Clue { kind: ClueKind::SameFullName { name: (*name).to_owned() }, spans: Vec::new() });
                    clues.extend(companions.filter(|_| companion_count > 0));
                    clues.extend(terms.filter(|_| term_count >= NAME_TERMS_WITH_COMPANION_MIN));
                }
            }
        }
    }
}

fn guess_pairs(scene: &Scene<'_>, pairs: &mut BTreeMap<Pair, Vec<Clue>>) {
    let mut counts: HashMap<Pair, u32> = HashMap::new();
    for term in scene.terms.iter().filter(|term| term.holders.len() <= GUESS_HOLDERS_MAX) {
        for (at, one) in term.holders.iter().enumerate() {
            for other in &term.holders[at + 1..] {
                if let Some(pair) = scene.open_pair(one.handle, other.handle) {
                    *counts.entry(pair).or_default() += 1;
                }
            }
        }
    }
    // Only mutual best matches count: a word shared with several handles shows what a group talks about, not who someone is.
    let mut best: HashMap<u32, u32> = HashMap::new();
    for (&(a, b), &count) in &counts {
        for one in [a, b] {
            let so_far = best.entry(one).or_default();
            *so_far = (*so_far).max(count);
        }
    }
    let mut counts: Vec<(Pair, u32)> = counts.into_iter().filter(|(_, count)| *count as usize >= GUESS_TERMS_MIN).collect();
    counts.sort_unstable();
    for ((a, b), count) in counts {
        let (x, y) = (scene.known(a), scene.known(b));
        let is_best = [a, b].iter().all(|one| best.get(one) == Some(&count));
        let is_enough = [x, y]
            .iter()
            .all(|known| known.record.messages >= GUESS_MESSAGES_MIN && !known.record.is_owner && !known.names.is_mixed);
        let is_plausible = x.record.channel_type != y.record.channel_type
            && matches!(scene.relation(a, b), Relation::Same(_) | Relation::Compatible | Relation::Unknown);
        if pairs.contains_key(&(a, b)) || !(is_best && is_enough && is_plausible) {
            continue;
        }
        let (terms, _, names) = scene.shared_terms(a, b, GUESS_HOLDERS_MAX);
        if names >= GUESS_NAMES_MIN
            && let Some(clue) = terms
        {
            pairs.entry((a, b)).or_default().push(clue);
        }
    }
}

/// Collects the evidence against a pair and decides whether the evidence for it is strong enough.
fn weigh(scene: &Scene<'_>, answers: &Answers<'_>, (a, b): Pair, mut clues: Vec<Clue>) -> Option<Suggestion> {
    let (x, y) = (scene.known(a), scene.known(b));
    let own = clues.iter().map(|clue| strength(&clue.kind)).min()?;
    let mut against = Vec::new();
    let together = scene.rooms_together(a, b);
    let mut talks = 0;
    for &(room, at_a, at_b) in together.iter().take(SPANS_MAX) {
        let count = scene.reader.rooms.answers(room, a, b);
        talks += count;
        let spans = [scene.presence_evidence(room, at_a), scene.presence_evidence(room, at_b)].into_iter().flatten().collect();
        against.push(Clue {
            kind: ClueKind::SameConversation { conversation: scene.reader.rooms.ids[room as usize].clone(), answers: count },
            spans,
        });
    }
    let relation = scene.relation(a, b);
    let mut are_strangers = false;
    if let Relation::Different(name_a, name_b) | Relation::PartlyShared(name_a, name_b) = &relation {
        let is_partly_shared = matches!(relation, Relation::PartlyShared(..));
        are_strangers = !is_partly_shared;
        against.push(Clue {
            kind: ClueKind::DifferentNames { a: name_a.clone(), b: name_b.clone(), is_partly_shared },
            spans: Vec::new(),
        });
    }
    if x.record.channel_type == y.record.channel_type && x.address.server == y.address.server {
        let server = x.address.server.clone().unwrap_or_default();
        against.push(Clue { kind: ClueKind::SameServer { server }, spans: Vec::new() });
    }
    for (at, known) in [(a, x), (b, y)] {
        if known.names.is_mixed {
            against.push(Clue { kind: ClueKind::MixedScripts { handle: scene.known(at).record.id.clone() }, spans: Vec::new() });
        }
    }
    let namesake = if own == LinkStrength::Name { scene.namesake(a, b) } else { None };
    if let Some(namesake) = namesake {
        against.push(Clue { kind: ClueKind::Namesake { handle: scene.known(namesake).record.id.clone() }, spans: Vec::new() });
    }
    let contradictions = against_by_words(scene, a, b);
    let is_denied = !contradictions.is_empty();
    against.extend(contradictions);
    for &(one, other) in &answers.different {
        let roots = |at: u32| scene.linked.root(at);
        let meets = (roots(one) == roots(a) && roots(other) == roots(b)) || (roots(one) == roots(b) && roots(other) == roots(a));
        if meets && (one.min(other), one.max(other)) != (a.min(b), a.max(b)) {
            let kind =
                ClueKind::DecidedDifferent { a: scene.known(one).record.id.clone(), b: scene.known(other).record.id.clone() };
            against.push(Clue { kind, spans: Vec::new() });
        }
    }

    let rests_on_context = matches!(own, LinkStrength::Name | LinkStrength::Guess);
    let concerns_owner = x.record.is_owner || y.record.is_owner;
    let are_talking = talks >= ANSWERS_TALKING_MIN;
    // Any sign of two people outweighs a shared name or shared words. A shared address is outweighed if two strangers talk to
    // each other.
    if (rests_on_context && (concerns_owner || are_strangers || is_denied || !together.is_empty()))
        || (are_strangers && are_talking)
    {
        return None;
    }
    let is_weakened = (are_strangers && own == LinkStrength::Contact) || namesake.is_some();
    let strength = if is_weakened { LinkStrength::Guess } else { own };
    clues.sort_by_key(|clue| self::strength(&clue.kind));
    let fingerprint = Fingerprint::of(&clues);
    match answers.of_pair.get(&(a.min(b), a.max(b))) {
        Some(Answer::Different | Answer::Same) => return None,
        Some(Answer::Unsure(earlier)) if !fingerprint.has_news_over(earlier) => return None,
        _ => {}
    }
    let id = |at: u32| -> HandleId { scene.known(at).record.id.clone() };
    Some(Suggestion { a: id(a), b: id(b), strength, evidence_for: clues, evidence_against: against, fingerprint })
}

/// Evidence against the pair in the words of either handle.
fn against_by_words(scene: &Scene<'_>, a: u32, b: u32) -> Vec<Clue> {
    let mut against = Vec::new();
    for (by, other) in [(a, b), (b, a)] {
        let target = scene.known(other);
        for denial in scene.reader.denials.iter().filter(|denial| denial.by == by) {
            let folded = denial.mention.handle.trim_start_matches('@').to_lowercase();
            let is_meant = target.address.folded == folded
                || target.address.contact.as_deref() == Some(folded.as_str())
                || (denial.mention.channel.is_some_and(|named| is_channel(&target.record.channel_type.to_lowercase(), named))
                    && target.address.local.as_deref() == Some(folded.as_str()));
            if is_meant {
                against
                    .push(Clue { kind: ClueKind::Denied { by: scene.known(by).record.id.clone() }, spans: denial.spans.clone() });
            }
        }
        for (mention, claimed) in scene.claimed.get(&by).map_or(&[][..], Vec::as_slice) {
            let is_other = scene.known(*claimed).record.channel_type == target.record.channel_type
                && scene.linked.root(*claimed) != scene.linked.root(other);
            if is_other {
                let kind = ClueKind::DeclaredOther { by: scene.known(by).record.id.clone(), handle: mention.handle.clone() };
                against.push(Clue { kind, spans: Vec::new() });
            }
        }
    }
    against
}

/// The strength of a reason by itself.
fn strength(kind: &ClueKind) -> LinkStrength {
    match kind {
        ClueKind::SameContact { .. } => LinkStrength::Contact,
        ClueKind::DeclaredHandle { .. } | ClueKind::SameAccount { .. } => LinkStrength::Declared,
        ClueKind::SameFullName { .. } | ClueKind::SharedCompanions { .. } => LinkStrength::Name,
        _ => LinkStrength::Guess,
    }
}
