//! Builds the store for one side of a pair: imports all steps in order, applies the person's decisions and links, and runs
//! the derivations.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use keepsake_domain::{ConversationId, EntityId, IdSource, MemoryId, MemoryStatus, ProfileId, Timestamp, Visibility};
use keepsake_models::fake::{HashEmbedder, SentenceReader};
use keepsake_models::keys::SessionKeys;
use keepsake_store::{AppendContext, ProfileRow};
use keepsake_testkit::{FixedClock, MONDAY_TEN};
use uuid::Uuid;

use super::pairs::{Pair, messages};
use super::rooms::Room;
use crate::serve::boundary::PrivacyPolicy;
use crate::{Act, EmbedderSlot, EmbedderState, Engine, EngineParts, PluggedIn, Unwatched};

/// After forty days of silence, a person who wrote for a week is considered to have stopped.
const SETTLED_AFTER_MS: i64 = 40 * 24 * 60 * 60 * 1000;

/// Ids that depend only on the step that requests them, not on how many ids other steps used. Open content therefore has the
/// same ids in both stores, however much content is hidden.
#[derive(Default)]
pub(super) struct StepIds {
    next: AtomicU64,
}

impl StepIds {
    /// Size of the id range reserved for each step.
    const STRIDE: u64 = 100_000;

    pub(super) fn begin(&self, step: u64) {
        self.next.store(step * Self::STRIDE, Ordering::SeqCst);
    }
}

impl IdSource for StepIds {
    fn next_uuid(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.next.fetch_add(1, Ordering::SeqCst)) + 1)
    }
}

/// A temporary folder, in memory if the system supports it; otherwise every write would wait for the disk.
fn folder() -> tempfile::TempDir {
    let shared = Path::new("/dev/shm");
    if shared.is_dir() { tempfile::tempdir_in(shared).unwrap() } else { tempfile::tempdir().unwrap() }
}

pub(super) struct World {
    pub(super) engine: Engine,
    _dir: tempfile::TempDir,
}

impl World {
    pub(super) fn open(
        template: &Path,
        policy: PrivacyPolicy,
        embedder: EmbedderSlot,
        clock: &Arc<FixedClock>,
        ids: &Arc<StepIds>,
    ) -> Self {
        let dir = folder();
        std::fs::copy(template, dir.path().join("keepsake.db")).unwrap();
        let parts = EngineParts {
            data_dir: dir.path().to_owned(),
            clock: Arc::<FixedClock>::clone(clock),
            ids: Arc::<StepIds>::clone(ids),
            embedder,
            zone: crate::Zone::UTC,
            keys: Arc::new(SessionKeys::default()),
            power: Arc::new(PluggedIn),
        };
        Self { engine: Engine::open_under(parts, policy).unwrap(), _dir: dir }
    }

    /// Builds one side of a pair, step by step.
    pub(super) fn of(template: &Path, policy: PrivacyPolicy, pair: &Pair, side: usize) -> Self {
        let clock = Arc::new(FixedClock::at(MONDAY_TEN));
        let ids = Arc::new(StepIds::default());
        // Vectors take most of the time, so only every fourth pair has them.
        let embedder = if pair.has_vectors {
            EmbedderSlot::new(EmbedderState::Ready(Arc::new(HashEmbedder::default()))).with_reader(Arc::new(SentenceReader))
        } else {
            EmbedderSlot::none().with_reader(Arc::new(SentenceReader))
        };
        let world = Self::open(template, policy, embedder, &clock, &ids);
        let engine = &world.engine;
        let mut made: Vec<(Room, Vec<MemoryId>)> = Vec::new();
        // Deriving takes as long as everything else together, so only a quarter of the pairs also derive halfway.
        let mut is_derived = !pair.derives_twice;
        for step in &pair.steps[side] {
            // Derive once halfway, at the same step in both stores, so that the second run has versions to supersede.
            if step.number >= 6 && !is_derived {
                is_derived = true;
                ids.begin(650);
                engine.people().derive_profiles_now().unwrap();
            }
            ids.begin(step.number * 3 + 3);
            let messages = messages(step, pair.has_threads);
            let context = AppendContext { ids: ids.as_ref(), now: clock_now(&clock), import_id: None };
            engine.store().write(|tx| tx.log().append(&messages, context)).unwrap();
            let id: ConversationId =
                engine.store().read(|tx| tx.log().conversation_by_source(&messages[0].source.conversation)).unwrap().unwrap();
            // A separate id range again: how many ids an append uses depends on whether a handle was new.
            ids.begin(step.number * 3 + 4);
            let proposed = engine.review().propose(&id, None, &Unwatched).unwrap();
            let created: Vec<MemoryId> = proposed.created.into_iter().map(|(id, _)| id).collect();
            ids.begin(step.number * 3 + 5);
            let act = if step.reject { Act::Reject(created.clone(), None) } else { Act::Approve(created.clone()) };
            engine.review().act(&act).unwrap();
            if step.share {
                let now = engine.now();
                engine
                    .store()
                    .write(|tx| {
                        created.iter().try_for_each(|id| {
                            tx.privacy().set_shared(keepsake_store::ConsentItem::Memory, id.as_str(), true, now)
                        })
                    })
                    .unwrap();
            }
            made.push((step.room, created));
        }
        if !is_derived {
            ids.begin(650);
            engine.people().derive_profiles_now().unwrap();
        }
        ids.begin(500);
        if pair.merges {
            world.merge(pair, &made);
        }
        ids.begin(600);
        if pair.is_mail_linked {
            let (mail, matrix) = engine
                .store()
                .read(|tx| {
                    Ok((
                        tx.people().handle_by_address("email", "ana@example.org")?,
                        tx.people().handle_by_address("matrix", "ana")?,
                    ))
                })
                .unwrap();
            if let (Some(mail), Some(matrix)) = (mail, matrix) {
                engine.people().link_handles(&mail.id, &matrix.id).unwrap();
            }
        }
        ids.begin(700);
        engine.people().derive_profiles_now().unwrap();
        ids.begin(760);
        world.quote_openly(ids.as_ref());
        let now = engine.now();
        engine.store().write(|tx| tx.privacy().set_agent("parrot", Visibility::Public, now)).unwrap();
        engine.embeddings().embed_missing(&Unwatched).unwrap();
        // Long enough for every conversation to settle, so that summaries are made.
        clock.advance_ms(SETTLED_AFTER_MS);
        ids.begin(800);
        engine.conversations().settle_now().unwrap();
        engine.sessions().sessions_now().unwrap();
        world
    }

    /// Adds entries that are for closed audiences but rest only on open words, because a model may quote anything that it read
    /// for an audience.
    fn quote_openly(&self, ids: &StepIds) {
        let groups = self.engine.store().read(|tx| Ok(self.engine.access_map(tx)?.persons.groups())).unwrap();
        for members in groups.into_values() {
            let members: Vec<EntityId> = members.into_iter().collect();
            let rows = self.engine.store().read(|tx| tx.profiles().profiles_of(&members)).unwrap();
            let Some(open) = rows.iter().find(|row| row.reach.is_none() && row.entry.is_live()) else { continue };
            let mut told: Vec<&ProfileRow> = Vec::new();
            for row in rows.iter().filter(|row| row.reach.is_some() && row.entry.is_live()) {
                if told.iter().all(|known| known.reach != row.reach) {
                    told.push(row);
                }
            }
            for row in told {
                let mut row = ProfileRow { proposer: "model/quotes".to_owned(), ..row.clone() };
                row.entry.id = ProfileId::fresh(ids);
                row.entry.fingerprint.push_str(" openly");
                row.entry.content.push_str(", quoted openly");
                row.entry.evidence = open.entry.evidence.clone();
                row.entry.supersedes = None;
                self.engine.store().write(|tx| tx.profiles().insert(&row, &members)).unwrap();
            }
        }
    }

    /// Merges the same open memory into a hidden one in both stores, so that it disappears from the open part of both.
    fn merge(&self, pair: &Pair, made: &[(Room, Vec<MemoryId>)]) {
        let hidden = pair.observer.hidden(pair.is_mail_linked);
        let is_active = |id: &&MemoryId| {
            self.engine.store().read(|tx| tx.memories().memory(id)).is_ok_and(|row| row.status == MemoryStatus::Active)
        };
        let first = |want_hidden: bool| {
            made.iter().filter(|(room, _)| hidden.contains(room) == want_hidden).flat_map(|(_, ids)| ids).find(is_active).cloned()
        };
        let Some(open) = first(false) else { return };
        match first(true) {
            Some(target) => drop(self.engine.review().act(&Act::Merge(open, target)).unwrap()),
            // There is no hidden memory to merge into. The open one is archived instead, because it disappears in the other
            // store too.
            None => drop(self.engine.review().act(&Act::Archive(vec![open])).unwrap()),
        }
    }
}

fn clock_now(clock: &FixedClock) -> Timestamp {
    keepsake_domain::Clock::now(clock)
}

pub(super) fn template() -> (tempfile::TempDir, PathBuf) {
    let dir = folder();
    drop(keepsake_store::Store::open(dir.path(), MONDAY_TEN).unwrap());
    let path = dir.path().join("keepsake.db");
    (dir, path)
}
