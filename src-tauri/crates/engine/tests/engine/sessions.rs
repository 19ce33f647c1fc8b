//! Tests sessions and the tiers of long-term memory: made from a conversation's own words when it ends, superseded when it
//! continues, served only to their audience, and removed with their source.

use keepsake_domain::{ConversationId, DAY_MS, PersonRole, Timestamp, Visibility};
use keepsake_engine::{Act, Audience, ContextRequest, Existing, SearchAsk, SessionRules, TierAsk, TierText, Tiers};
use keepsake_store::{SessionItemRow, SessionRow};
use keepsake_testkit::{Conversation, conversation};

use crate::fixture::Fixture;

const INDENT: &str = "owner Mara: Can you fix the indent of the parser? I prefer tabs over spaces.
assistant Nova: I fixed the indent and added a check to the linter.
owner Mara: Thanks, it works now. The fix was to use Ruff for the linter from here on.
assistant Nova: Noted.
owner Mara: My sister Emma is a teacher. I want to learn sailing this year.
assistant Nova: Sailing is a fine plan.";

const ANA: &str = "person Ana: Nova, can you find a train to Ghent? I live in Utrecht.
assistant Nova: I booked the train at nine.
person Ana: Thank you very much, that was quick.";

impl Fixture {
    /// Appends after advancing the clock, because the fixture's ids depend on it.
    fn put(&self, messages: &[keepsake_domain::Message]) -> ConversationId {
        self.clock.advance_ms(1);
        self.append(messages)
    }

    /// Lets every conversation settle and runs the queue.
    fn rest(&self) {
        self.clock.advance_ms(60 * DAY_MS);
        self.work();
    }

    fn work(&self) {
        self.engine.conversations().queue_settling().unwrap();
        self.engine.sessions().queue().unwrap();
        let lock = self.engine.queue().lock_worker().unwrap();
        self.engine.queue().run_due(&lock, &|_| {}).unwrap();
    }

    fn sessions(&self) -> Vec<SessionRow> {
        self.engine.store().read(|tx| tx.sessions().list(None, false)).unwrap()
    }

    fn lines(&self, session: &SessionRow, field: &str) -> Vec<String> {
        let items = self.engine.store().read(|tx| tx.sessions().items(std::slice::from_ref(&session.id))).unwrap();
        let own: Vec<SessionItemRow> = items.into_values().flatten().filter(|item| item.field == field).collect();
        own.into_iter().map(|item| item.text).collect()
    }

    fn tiers(&self, agent: &str, person: Option<&str>, role: Option<PersonRole>) -> Tiers {
        let audience = Audience { agent: Some(agent.to_owned()), person: person.map(str::to_owned), channel: None };
        self.engine.sessions().tiers(&TierAsk { audience, role }).unwrap()
    }

    /// All tiers served to the owner, as one string.
    fn served(&self) -> String {
        let tiers = self.engine.sessions().tiers(&TierAsk::default()).unwrap().tiers;
        tiers.iter().map(|tier| format!("{}\n{}", name(tier), tier.text)).collect()
    }

    /// More messages in a conversation, with the current time.
    fn more(&self, id: &str, lines: &str, mark: &str) -> ConversationId {
        let mut more = conversation(id, lines);
        for (at, message) in more.iter_mut().enumerate() {
            message.source.message = format!("{mark}{at}");
            message.time = keepsake_domain::Clock::now(self.clock.as_ref()).plus_ms(at as i64);
        }
        self.put(&more)
    }
}

fn name(tier: &TierText) -> String {
    let user = tier.user.as_ref().map_or("", |user| user.1.as_str());
    format!("{} {} {user}", tier.tier.name(), tier.agent.as_ref().map_or("", |agent| agent.0.as_str()))
}

fn text<'t>(tiers: &'t Tiers, tier: &str) -> &'t str {
    tiers.tiers.iter().find(|one| one.tier.name() == tier).map_or("", |one| one.text.as_str())
}

#[test]
fn a_session_is_summed_up_when_it_ends_and_each_line_stands_in_its_message() {
    let f = Fixture::new();
    f.put(&conversation("indent", INDENT));
    f.work();
    assert!(f.sessions().is_empty(), "while they talk there is nothing to sum up");
    f.rest();
    let sessions = f.sessions();
    assert_eq!(sessions.len(), 1, "{sessions:?}");
    let session = &sessions[0];
    assert_eq!((session.agent.as_str(), session.agent_name.as_str(), session.user_name.as_str()), ("nova", "Nova", "Mara"));
    assert_eq!((session.messages, session.outcome.as_str(), session.is_distilled), (6, "resolved", true));
    assert_eq!(f.lines(session, "intent"), ["Can you fix the indent of the parser?"]);
    assert_eq!(f.lines(session, "preferences_noted").len(), 1, "{:?}", f.lines(session, "preferences_noted"));
    assert_eq!(
        f.lines(session, "knowledge_learned"),
        ["The fix was to use Ruff for the linter from here on."],
        "as it was marked"
    );
    assert!(f.lines(session, "did").is_empty(), "which of its words are deeds a model alone tells");
    assert!(f.lines(session, "active_goals").is_empty(), "no agent holds goals unless the person says so");
    let items = f.engine.store().read(|tx| tx.sessions().items(std::slice::from_ref(&session.id))).unwrap();
    for item in items.values().flatten() {
        let row = f.engine.store().read(|tx| tx.log().interaction(&item.place.interaction)).unwrap().unwrap();
        let quote = item.place.span.quote(&row.content).unwrap();
        assert_eq!(quote.split_whitespace().collect::<Vec<_>>().join(" "), item.text, "extractive");
    }
    let before = (f.sessions(), f.served());
    f.rest();
    assert_eq!((f.sessions(), f.served()), before, "a second run changes nothing");
}

#[test]
fn a_session_that_goes_on_is_superseded_when_it_ends_again() {
    let f = Fixture::new();
    f.put(&conversation("indent", INDENT));
    f.rest();
    let first = f.sessions().remove(0);
    f.more(
        "indent",
        "owner Mara: From now on, please always run the tests before you answer.\nassistant Nova: I ran the tests.",
        "later",
    );
    f.work();
    assert_eq!(f.sessions(), std::slice::from_ref(&first), "it goes on, and what was made stands");
    f.rest();
    let second = f.sessions().remove(0);
    assert_eq!(second.supersedes.as_ref(), Some(&first.id));
    assert_eq!((&second.first, second.messages), (&first.first, 8), "it names its whole range");
    let history = f.engine.store().read(|tx| tx.sessions().list(None, true)).unwrap();
    assert_eq!(history.len(), 2, "the older one stays as it was");
    let preferences = f.served().matches("tabs over spaces").count();
    assert_eq!(preferences, 1, "and is served once: {}", f.served());
    assert!(f.served().contains("always run the tests"));
}

#[test]
fn an_agent_says_that_a_session_ended() {
    let f = Fixture::new();
    let id = f.put(&conversation("indent", INDENT));
    f.work();
    assert!(f.sessions().is_empty(), "control: nobody judged it over");
    assert!(f.engine.sessions().end(&id, "nova").unwrap());
    assert!(!f.engine.sessions().end(&id, "nova").unwrap(), "once a stretch");
    f.work();
    assert_eq!(f.sessions().len(), 1);
    let served = f.served();
    f.engine.sessions().rebuild().unwrap();
    assert!(f.sessions().is_empty());
    f.work();
    assert_eq!(f.served(), served, "made anew it is the same, and it is known that it ended");
}

#[test]
fn skipped_agents_have_no_sessions_and_goals_need_a_permission() {
    let f = Fixture::new();
    f.put(&conversation("indent", INDENT));
    f.put(&conversation("job", &INDENT.replace("Nova", "Worker")));
    f.rest();
    let agents: Vec<String> = f.sessions().into_iter().map(|session| session.agent).collect();
    assert_eq!(agents, ["nova"], "a worker has no memory");
    let rules = SessionRules { skip_agents: Vec::new(), goal_agents: vec!["Nova".to_owned()] };
    f.engine.sessions().set_rules(&rules).unwrap();
    f.work();
    let sessions = f.sessions();
    assert_eq!(sessions.len(), 2, "nobody is skipped any more");
    let goals: Vec<(String, usize)> =
        sessions.iter().map(|session| (session.agent.clone(), f.lines(session, "active_goals").len())).collect();
    assert!(goals.contains(&("nova".to_owned(), 1)) && goals.contains(&("worker".to_owned(), 0)), "{goals:?}");
    f.engine.sessions().set_rules(&SessionRules { skip_agents: vec!["nova".to_owned()], goal_agents: Vec::new() }).unwrap();
    f.work();
    let agents: Vec<String> = f.sessions().into_iter().map(|session| session.agent).collect();
    assert_eq!(agents, ["worker"], "what is skipped now is told no more");
    assert!(!f.served().contains("Nova"), "{}", f.served());
}

#[test]
fn off_the_record_there_are_no_sessions_and_nothing_is_served() {
    for existing in [Existing::Keep, Existing::Hide, Existing::Erase] {
        let f = Fixture::new();
        let id = f.put(&conversation("indent", INDENT));
        f.rest();
        assert!(f.served().contains("tabs over spaces"), "control: it is served");
        f.engine.erasure().set_private(&id, true, existing).unwrap();
        assert!(f.sessions().is_empty() && !f.served().contains("tabs"), "{existing:?}");
        assert!(f.engine.sessions().end(&id, "nova").is_err(), "nobody ends what is not kept");
        f.more("indent", "owner Mara: I prefer marzipan over nougat.\nassistant Nova: I noted the marzipan.", "secret");
        f.rest();
        f.engine.erasure().set_private(&id, false, existing).unwrap();
        f.rest();
        assert!(!f.served().contains("marzipan"), "{existing:?}: what was said off the record is not read later: {}", f.served());
    }
}

#[test]
fn each_tier_holds_what_belongs_to_it_and_users_are_never_mixed() {
    let f = Fixture::new();
    f.put(&conversation("indent", INDENT));
    f.put(&Conversation::new("trip").channel("dm", "ana").messages(ANA));
    f.rest();
    let own = f.tiers("Nova", None, None);
    assert_eq!(own.role, PersonRole::Owner);
    assert!(text(&own, "shared").contains("use Ruff"), "{}", text(&own, "shared"));
    assert!(text(&own, "agent").contains("fix the indent"), "{}", text(&own, "agent"));
    assert!(text(&own, "user").contains("tabs over spaces") && !text(&own, "user").contains("Utrecht"), "{}", text(&own, "user"));
    let ana = f.engine.people().list().unwrap().into_iter().find(|person| person.name == "Ana").unwrap();
    let guest = f.tiers("nova", Some(ana.id.as_str()), None);
    assert_eq!(guest.role, PersonRole::Guest, "nobody said anything else of her");
    assert!(text(&guest, "user").contains("Utrecht") && !text(&guest, "user").contains("tabs"), "{}", text(&guest, "user"));
    assert_eq!((text(&guest, "shared"), text(&guest, "agent")), ("", ""), "a guest sees their own tier alone");
    f.engine.sessions().set_person_role(&ana.id, PersonRole::Friend).unwrap();
    let friend = f.tiers("nova", Some(ana.id.as_str()), None);
    assert_eq!(friend.role, PersonRole::Friend);
    assert!(text(&friend, "agent").contains("find a train"), "{}", text(&friend, "agent"));
    assert!(!text(&friend, "agent").contains("indent"), "what was said with the owner alone stays there");
    assert!(friend.withheld.is_empty(), "nobody who asks for her learns that something was held back");
    let audience = Audience { agent: Some("nova".to_owned()), person: Some(ana.id.to_string()), ..Audience::default() };
    let looked = f.engine.sessions().tiers_preview(&TierAsk { audience, role: None }).unwrap();
    assert!(!looked.withheld.is_empty(), "the owner does, where they look for themself");
    let as_guest = f.tiers("nova", None, Some(PersonRole::Guest));
    assert_eq!(text(&as_guest, "shared"), "", "the owner may look as a guest");
    f.engine.store().write(|tx| tx.privacy().set_agent("nova", Visibility::Public, f.engine.now())).unwrap();
    assert_eq!(text(&f.tiers("nova", None, None), "user"), "", "an agent that may be told what is public gets nothing private");
}

#[test]
fn a_person_who_is_two_handles_has_the_stricter_role() {
    let f = Fixture::new();
    f.put(&Conversation::new("trip").channel("dm", "ana").messages(ANA));
    f.put(&Conversation::new("mail").channel("email", "thread").messages(&ANA.replace("Ana", "Anna")));
    let id_of = |name: &str| f.engine.people().list().unwrap().into_iter().find(|person| person.name == name).unwrap().id;
    f.engine.sessions().set_person_role(&id_of("Ana"), PersonRole::Friend).unwrap();
    assert_eq!(f.engine.sessions().person_role(&id_of("Ana")).unwrap(), PersonRole::Friend);
    let handles = f.engine.store().read(|tx| tx.people().handles()).unwrap();
    let of = |name: &str| handles.iter().find(|row| row.display_name == name).unwrap();
    f.engine.people().link_handles(&of("Ana").id, &of("Anna").id).unwrap();
    assert_eq!(
        f.engine.sessions().person_role(&of("Ana").entity_id).unwrap(),
        PersonRole::Guest,
        "of the other handle nobody said so"
    );
    f.engine.sessions().set_person_role(&of("Ana").entity_id, PersonRole::Friend).unwrap();
    assert_eq!(
        f.engine.sessions().person_role(&of("Anna").entity_id).unwrap(),
        PersonRole::Friend,
        "said of the person, it counts for both"
    );
    assert!(f.engine.sessions().set_person_role(&of("Ana").entity_id, PersonRole::Owner).is_err());
}

#[test]
fn two_passes_at_once_distil_each_session_once() {
    let f = Fixture::new();
    for number in 0..8 {
        f.put(&conversation(&format!("talk{number}"), INDENT));
    }
    f.rest();
    let before = f.served();
    let entries = || f.engine.store().read(|tx| tx.tiers().entries()).unwrap();
    let once = entries();
    for _ in 0..5 {
        // Returns to the state in which no session is distilled.
        f.engine.sessions().rebuild().unwrap();
        f.work_sessions_without_distilling();
        std::thread::scope(|scope| {
            let passes = [(); 2].map(|()| scope.spawn(|| while f.engine.sessions().distil_pass(None).unwrap() > 0 {}));
            passes.into_iter().for_each(|pass| pass.join().unwrap());
        });
        assert_eq!(entries(), once, "each entry is there once");
        assert_eq!(f.served(), before);
        f.work();
    }
}

impl Fixture {
    /// Stops the job between summarizing and distilling, as a sudden end of the process would.
    fn work_sessions_without_distilling(&self) {
        let lane = keepsake_domain::JobKind::Sessions.lane();
        let seen = std::cell::Cell::new(0);
        let kill = |point: keepsake_engine::KillPoint| {
            seen.set(seen.get() + u32::from(point == keepsake_engine::KillPoint::Working));
            // The first check comes before the only batch of conversations, the second before the first pass.
            seen.get() == 2
        };
        assert_eq!(self.engine.queue().run_next_killed(lane, &|_| {}, &kill).unwrap(), None, "the process ended");
        assert!(
            !self.sessions().is_empty() && self.sessions().iter().all(|session| !session.is_distilled),
            "{:?}",
            self.sessions()
        );
        let lock = self.engine.queue().lock_worker().unwrap();
        drop(lock);
    }
}

#[test]
fn a_pass_takes_fifty_sessions_of_one_user() {
    let f = Fixture::new();
    for number in 0..53 {
        f.put(&conversation(&format!("talk{number}"), "owner Mara: How do I peel a mango?\nassistant Nova: Along the stone."));
    }
    f.put(&Conversation::new("trip").channel("dm", "ana").messages(ANA));
    f.clock.advance_ms(60 * DAY_MS);
    f.engine.conversations().queue_settling().unwrap();
    let lane = keepsake_domain::JobKind::Sessions.lane();
    f.engine.queue().run_next(lane, &|_| {}).unwrap();
    let batches = 54_u32.div_ceil(16);
    let looks = std::cell::Cell::new(0);
    let kill = |point: keepsake_engine::KillPoint| {
        looks.set(looks.get() + u32::from(point == keepsake_engine::KillPoint::Working));
        looks.get() == batches + 1
    };
    f.engine.queue().run_next_killed(lane, &|_| {}, &kill).unwrap();
    let passes: Vec<usize> =
        std::iter::repeat_with(|| f.engine.sessions().distil_pass(None).unwrap()).take_while(|count| *count > 0).collect();
    assert_eq!(passes.iter().sum::<usize>(), 54, "{passes:?}");
    assert!(
        passes.iter().all(|count| *count <= 50) && passes.contains(&50) && passes.contains(&3) && passes.contains(&1),
        "{passes:?}"
    );
}

#[test]
fn what_is_corrected_or_refused_is_served_no_more_and_nothing_else_goes() {
    let f = Fixture::new();
    let id = f.put(&conversation("indent", INDENT));
    f.put(&conversation("again", "owner Mara: As I said, I prefer tabs over spaces.\nassistant Nova: I noted that."));
    f.engine.review().propose(&id, None, &keepsake_engine::Unwatched).unwrap();
    f.rest();
    let memory = f.id_of("tabs over spaces");
    f.engine.review().act(&Act::Approve(vec![memory.clone()])).unwrap();
    let before = f.served();
    assert!(before.contains("tabs over spaces") && before.contains("Emma"), "{before}");
    f.engine.review().act(&Act::Edit(memory, "User prefers spaces over tabs.".to_owned(), None)).unwrap();
    let after = f.served();
    assert!(!after.contains("I prefer tabs over spaces"), "corrected, it is gone wherever it was said: {after}");
    assert!(after.contains("Emma") && after.contains("use Ruff"), "nothing else goes: {after}");
    f.engine.sessions().rebuild().unwrap();
    f.work();
    assert_eq!(f.served(), after, "it does not come back with a rebuild");
    f.engine.review().undo(None).unwrap();
    assert_eq!(f.served(), before, "taken back, it is there again");
    let sister = f.id_of("Emma");
    f.engine.review().act(&Act::Reject(vec![sister], None)).unwrap();
    assert!(!f.served().contains("Emma is a teacher"), "refused, it is served no more: {}", f.served());
}

#[test]
fn the_served_text_obeys_its_budget_and_the_rest_stays_searchable() {
    let f = Fixture::new();
    for number in 0..120 {
        let words = ["amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heron"];
        let (a, b) = (words[number % 8], words[(number / 8) % 8]);
        let lines = format!(
            "owner Mara: I prefer the {a} {b} number {number} over everything else that there is in the whole wide shop.\nassistant Nova: I noted the {a}."
        );
        f.put(&conversation(&format!("talk{number}"), &lines));
    }
    f.rest();
    let tiers = f.tiers("nova", None, None);
    let user = tiers.tiers.iter().find(|tier| tier.tier.name() == "user").unwrap();
    assert!(user.text.chars().count() <= 4_000 && user.chars == user.text.chars().count(), "{}", user.chars);
    assert!(!user.left_out.is_empty() && user.lines.len() > 20, "{} shown, {} left out", user.lines.len(), user.left_out.len());
    let left = &user.left_out[0].entry;
    let found = f.engine.store().read(|tx| tx.search().messages(&format!("\"{}\"", left.text), 200)).unwrap();
    assert!(found.iter().any(|hit| hit.message.id == left.place.interaction), "what does not fit is found all the same");
}

#[test]
fn erasing_takes_sessions_and_entries_along() {
    let f = Fixture::new();
    let id = f.put(&conversation("indent", INDENT));
    f.put(&Conversation::new("trip").channel("dm", "ana").messages(ANA));
    f.rest();
    f.engine.erasure().erase_conversation(&id, "test").unwrap();
    f.work();
    let served = f.served();
    assert!(!served.contains("tabs") && served.contains("Utrecht"), "{served}");
    let ana = f.engine.people().list().unwrap().into_iter().find(|person| person.name == "Ana").unwrap();
    f.engine.sessions().set_person_role(&ana.id, PersonRole::Friend).unwrap();
    f.engine.erasure().erase_person(&ana.id, "test").unwrap();
    f.work();
    assert!(f.sessions().is_empty() && !f.served().contains("Utrecht"), "{}", f.served());
    assert!(f.engine.store().read(|tx| tx.tiers().person_roles()).unwrap().is_empty(), "her role goes with her");
}

#[test]
fn what_agents_were_given_is_noted_and_a_look_of_the_owner_is_not() {
    let f = Fixture::new();
    f.put(&conversation("indent", INDENT));
    f.rest();
    let audience = Audience { agent: Some("Nova".to_owned()), ..Audience::default() };
    let ask = TierAsk { audience: audience.clone(), role: None };
    let context = ContextRequest { audience: audience.clone(), ..ContextRequest::default() };
    let reads = || f.engine.store().read(|tx| tx.tiers().access_log(None, 10)).unwrap();
    let pieces = || f.engine.store().read(|tx| Ok(keepsake_store::Served::before(tx, Timestamp(i64::MAX))?.is_some())).unwrap();
    let (looked, shown) = (f.engine.sessions().tiers_preview(&ask).unwrap(), f.engine.serve().context_preview(&context).unwrap());
    f.engine.sessions().tiers(&TierAsk::default()).map(drop).unwrap();
    assert!(reads().is_empty(), "a look of the owner's is none: {:?}", reads());
    assert_eq!(f.engine.sessions().tiers(&ask).unwrap(), looked, "what is looked at is what is served");
    let told = f.engine.serve().context(&context).unwrap();
    assert_eq!(told, shown, "a context as well");
    assert!(pieces());
    let search = SearchAsk { query: "tabs".to_owned(), limit: 5, audience: Some(audience.clone()), ..SearchAsk::default() };
    let found = f.engine.serve().search(&search).unwrap();
    f.engine.playbooks().playbooks_for(&audience).unwrap();
    let nameless = Audience { channel: Some("agent".to_owned()), ..Audience::default() };
    f.engine.playbooks().playbooks_for(&nameless).unwrap();
    f.engine.serve().search(&SearchAsk { audience: None, ..search }).map(drop).unwrap();
    f.engine.serve().context(&ContextRequest::default()).map(drop).unwrap();
    let reads = reads();
    let seen: Vec<_> = reads.iter().map(|read| (read.agent.as_str(), read.kind.as_str())).collect();
    let expect = [("", "playbooks"), ("nova", "playbooks"), ("nova", "search"), ("nova", "context"), ("nova", "tiers")];
    assert_eq!(seen, expect, "every way of asking leaves a row, the latest first; the owner's own none");
    let items = |at: usize| f.engine.store().read(|tx| tx.tiers().access_log_items(reads[at].seq)).unwrap();
    assert_eq!(items(3), told.items.iter().map(|item| item.id.clone()).collect::<Vec<_>>(), "and of which items");
    assert_eq!(reads[3].chars, told.text.chars().count() as u64);
    let messages: Vec<String> = found.messages.iter().map(|hit| hit.message.id.to_string()).collect();
    assert!(!messages.is_empty() && messages.iter().all(|id| items(2).contains(id)), "{:?}", items(2));
    assert!(!items(4).is_empty() && items(4).iter().all(|id| id.starts_with("tie_")), "{:?}", items(4));
    // Erasing also removes the ids, because ids can be derived from the words.
    let conversation = f.engine.store().read(|tx| tx.log().conversation_by_source("indent")).unwrap().unwrap();
    f.engine.erasure().erase_conversation(&conversation, "test").unwrap();
    assert!((0..5).all(|at| items(at).is_empty()), "nothing is left to name");
}
