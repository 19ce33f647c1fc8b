//! Commands for profiles: entries with their history and evidence, and the owner's corrections.

use std::collections::{BTreeMap, HashSet};

use keepsake_domain::{EntityId, Facet, ProfileId, ProfileType, Timestamp, Visibility};
use keepsake_engine::{current_profiles, profiles_at};
use keepsake_store::{ConsentItem, ProfileRow, ReadTx, Result as StoreResult};

use super::lines::line;
use crate::app::App;
use crate::error::ApiError;
use crate::types::Nothing;
use crate::types::people::ShareRequest;
use crate::types::profiles::*;

fn version(tx: &ReadTx<'_>, row: &ProfileRow, shared: &HashSet<String>) -> StoreResult<ProfileVersionView> {
    let entry = &row.entry;
    let mut lines = Vec::new();
    for place in entry.evidence.as_slice() {
        if let Some(message) = tx.log().interaction(&place.interaction)? {
            lines.push(line(tx, &message, Some(place.span))?);
        }
    }
    let is_public = row.reach.is_none() && lines.iter().all(|line| line.visibility == Visibility::Public.name());
    Ok(ProfileVersionView {
        id: entry.id.to_string(),
        content: entry.content.clone(),
        confidence: entry.confidence.to_string(),
        origin: entry.origin.to_string(),
        visibility: if is_public { Visibility::Public } else { Visibility::Private }.to_string(),
        is_shared: shared.contains(entry.id.as_str()),
        valid_from: entry.valid_from.0,
        valid_to: entry.valid_to.map(|time| time.0),
        created: entry.created_at.0,
        superseded: entry.superseded_at.map(|time| time.0),
        debunked: entry.debunked_at.map(|time| time.0),
        lines,
    })
}

/// Groups versions into one entry per facet, current entries first. For topics, each profile type is a separate entry.
pub(super) fn entries(tx: &ReadTx<'_>, rows: &[ProfileRow]) -> StoreResult<Vec<ProfileEntryView>> {
    let shared = tx.privacy().shared_items(ConsentItem::Profile)?;
    let current = current_profiles(rows);
    let mut things: BTreeMap<(Option<ProfileType>, &Facet), Vec<&ProfileRow>> = BTreeMap::new();
    for row in rows {
        let kind = (row.entry.facet.kind() == "topic").then_some(row.entry.profile_type);
        things.entry((kind, &row.entry.facet)).or_default().push(row);
    }
    let mut views = Vec::new();
    for mut versions in things.into_values() {
        versions.sort_by_key(|row| {
            (!current.contains(&row.entry.id), std::cmp::Reverse((row.entry.created_at, row.entry.valid_from, &row.entry.id)))
        });
        let Some((head, older)) = versions.split_first() else { continue };
        views.push(ProfileEntryView {
            profile_type: head.entry.profile_type.to_string(),
            facet: head.entry.facet.to_string(),
            is_current: current.contains(&head.entry.id),
            version: version(tx, head, &shared)?,
            history: older.iter().map(|row| version(tx, row, &shared)).collect::<StoreResult<_>>()?,
        });
    }
    views.sort_by_key(|view| (!view.is_current, std::cmp::Reverse(view.version.valid_from)));
    Ok(views)
}

pub(crate) fn profile_at(app: &App, request: ProfileAtRequest) -> Result<ProfileAtResponse, ApiError> {
    let person: EntityId = request.id.parse()?;
    let day = profiles_at(&app.engine().people().profile_rows(&person)?, Timestamp(request.time));
    let names = |ids: &[ProfileId]| ids.iter().map(ToString::to_string).collect();
    Ok(ProfileAtResponse { believed: names(&day.believed), held: names(&day.held) })
}

pub(crate) fn profile_debunk(app: &App, request: ProfileDebunkRequest) -> Result<Nothing, ApiError> {
    app.engine().people().dispute_profile(&request.id.parse()?, request.is_disputed)?;
    Ok(Nothing {})
}

pub(crate) fn profile_correct(app: &App, request: ProfileCorrectRequest) -> Result<ProfileCorrected, ApiError> {
    let id = app.engine().people().correct_profile(&request.id.parse()?, &request.content)?;
    Ok(ProfileCorrected { id: id.to_string() })
}

pub(crate) fn profile_share(app: &App, request: ShareRequest) -> Result<Nothing, ApiError> {
    let id: ProfileId = request.id.parse()?;
    let now = app.engine().now();
    app.engine().store().write(|tx| {
        tx.profiles().profile(&id)?;
        tx.privacy().set_shared(ConsentItem::Profile, id.as_str(), request.is_shared, now)
    })?;
    Ok(Nothing {})
}
