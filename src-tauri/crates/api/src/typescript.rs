//! Writes the TypeScript types of the API as one string. `keepsake-types` prints it, and `make types` writes it to
//! `ui/src/api/schema.ts`.

use ts_rs::{Config, TS};

use crate::types::activity::*;
use crate::types::agents::*;
use crate::types::audit::*;
use crate::types::backup::*;
use crate::types::charts::*;
use crate::types::connect::*;
use crate::types::conversations::*;
use crate::types::gaps::*;
use crate::types::lines::LineView;
use crate::types::live_sources::*;
use crate::types::maintenance::*;
use crate::types::memories::*;
use crate::types::models::*;
use crate::types::people::*;
use crate::types::playbooks::*;
use crate::types::profiles::*;
use crate::types::reflection::*;
use crate::types::search::*;
use crate::types::sessions::*;
use crate::types::sources::*;
use crate::types::status::*;
use crate::types::topics::*;
use crate::types::unidentified_speakers::*;
use crate::types::{ById, Count, Nothing, Source};

fn declare<T: TS>(config: &Config, out: &mut String) {
    out.push_str("export ");
    out.push_str(&T::decl(config));
    out.push_str("\n\n");
}

/// Requests in which every field has a default, so callers may omit any of them.
const ALL_OPTIONAL: [&str; 14] = [
    "BackupPlace", "MemoriesListRequest", "ConversationsListRequest", "MessagesRequest", "GateLogRequest", "ModelCallsRequest",
    "UndoRequest", "VisibilityRequest", "ContextRequestView", "TimelineRequest", "GraphRequest", "SessionsRequest",
    "TiersRequest", "VoicesRequest",
];

fn row(command: &str, request: &str, response: &str) -> String {
    if ALL_OPTIONAL.contains(&request) {
        format!("  {command}: [Partial<{request}>, {response}];\n")
    } else {
        format!("  {command}: [{request}, {response}];\n")
    }
}

/// The complete content of `ui/src/api/schema.ts`.
pub fn schema_ts() -> String {
    let config = Config::default().with_large_int("number");
    let mut out = String::from("// Generated from src-tauri/crates/api; do not edit. `make types` writes it.\n\n");
    macro_rules! declare_all { ($($t:ty),* $(,)?) => { $(declare::<$t>(&config, &mut out);)* } }
    declare_all!(
        Nothing, ById, Count, Source, MaintenanceRulesView, DigestNotice, ParkedKey, ParkedResponse, ParkedRestoreRequest,
        ParkedView, MaintenanceRunView, MaintenanceView, EmbeddingState, EmbeddingStatus, ReaderState, ReaderStatus, HandleView,
        OwnerView, Counts, AppStatus, Theme, Settings, UiState, MemoriesEraseRequest, MemoriesErasePreview, MemoriesEraseOutcome,
        MemoriesListRequest, MemoryRow, MemoriesListResponse, Line, EvidenceView, ChangedMemory, NearMemory, MemoryVersion,
        KnowledgeView, StoryView, MemoryDetail, Decision, RememberRequest, NeedsLook, Contradicted, DecisionOutcome,
        CreatedVersion, UndoRequest, UndoOutcome, SearchRequest, TextRange, SearchCue, SearchLine, SearchHit, SearchFacet,
        SearchFilter, SearchResponse, AuditRequest, AuditShare, AuditFindingView, AuditReport, BackupView, BackupsResponse,
        BackupPlace, BackupContents, BackupMade, RestorePreview, RestoreOutcome, ExportMade, RebuildBegun,
        ConversationsListRequest, ConversationRow, StretchView, ReasonView, ToneView, CommitmentView, SummaryView,
        ConversationStatusView, CommitmentsResponse, ErasePreview, EraseOutcome, ConversationsListResponse, MessagesRequest,
        MemorySpan, MessageView, MessagesResponse, PrivacyPreview, ExistingMemories, SetPrivateRequest, SetPrivateOutcome,
        AnalyzeRequest, AnalyzeStarted, SummarySentenceView, ArcPointView, AnalysisView, AnalysesResponse, FileToken,
        PickedFiles, DryRunRequest, ParticipantView, SkipView, DateQuestion, OwnExport, LeftOutView, MayBe, ImportChannelView,
        DryRunFile, DryRunResponse, ChannelChoiceView, ImportStartRequest, JobsStarted, ImportView, ImportsResponse,
        SampleRemoved, JobView, JobsResponse, PauseRequest, GateLogRequest, GateEntry, GateLogResponse, AlertView,
        AlertsResponse, PersonHandle, PersonView, PeopleResponse, LineView, AboutView, PlaceView, ProfileVersionView,
        ProfileEntryView, ProfileAtRequest, ProfileAtResponse, ProfileDebunkRequest, ProfileCorrectRequest, ProfileCorrected,
        PersonDetail, TaskView, GapView, GapsResponse, GapConfirmRequest, GapDismissRequest, TasksFileChosen, TasksFileRequest,
        TopicEntities, TopicListRow, TopicProposalView, TopicsResponse, TopicLineView, TopicVersionView, RelatedTopic,
        TopicDecisionView, TopicDetail, TopicTextRequest, TopicText, TopicAct, TopicDecideRequest, TopicDecided, TopicRulesView,
        TopicRulesState, PlaybookListRow, PlaybooksResponse, PlaybookStepView, PlaybookParameterView, PlaybookSessionView,
        PlaybookDetail, PlaybookDecideRequest, PlaybookDecided, PlaybookExportRequest, PlaybookExported, PlaybookSettings,
        ReflectionListRow, ReflectionRunView, ReflectionsResponse, ReflectionSide, ReflectionSource, ReflectionDetail,
        ReflectionsDecideRequest, ReflectionLook, ReflectionsDecided, ReflectionsApplyRequest, ReflectionsApplied,
        ReflectionsUndone, ReflectionsLooking, ReflectionSettings, TimelineRequest, TimelineSeries, TimelineResponse,
        GraphRequest, GraphNode, GraphEdge, GraphResponse, ClueView, LinkView, LinksRequest, LinksResponse, LinkAnswerRequest,
        VoicesRequest, VoiceView, MeetingView, VoicesResponse, VoiceAnswerRequest, HandlePair, OpenedPlace, LinkPreviewResponse,
        ChannelView, ChannelsResponse, VisibilityRequest, VisibilityPreview, ContextRequestView, ContextDetailView,
        ContextItemView, WithheldView, ContextResponse, SessionsRequest, SessionListRow, SessionsResponse, SessionItemView,
        SessionVersionView, SessionDetail, SessionEndRequest, SessionEnded, TiersRequest, TierLineView, TierView, TiersResponse,
        AgentRow, AgentReadView, PersonRoleView, AgentsOverview, AgentChoice, AgentAddRequest, AgentName, AgentPauseRequest,
        AgentToken, ConnectStanding, ConnectProgram, ConnectPrograms, ConnectName, ConnectRequest, ConnectPreview, ConnectFile,
        ConnectDone, ConnectChecked, AgentServerChoice, ServerState, AgentServerView, AgentAccessView, PersonRoleRequest,
        ShareRequest, AgentView, AgentsResponse, ProviderView, ProfileView, ModelSettingsView, ModelUseView, ModelsView,
        ModelKeyRequest, FoundServer, FoundServers, ModelNames, ModelTest, ModelRating, ModelPullRequest, ModelPullView,
        TaskRatingView, TaskModelsView, ReadingEstimateView, RouterSettingsView, ModelCallsRequest, ModelCallView,
        ModelCallsResponse, QueuedCount, WatchedSourceView, WatchedSources, WatchedAddRequest, WatchedOffer, WatchedOffers,
        WatchedFollowRequest, LeftOutCount, ComparedEmoji, EmojiComparison, LiveDeviceView, SignInRequest, SignInBegun,
        LiveSourceRecoverRequest, LiveSourceCompareRequest, LiveSourceView, LiveSourcesResponse, LiveSourceAddRequest,
        LiveSourceAdded, LiveSourceReconnectRequest, LiveSourcePauseRequest, LiveSourceRenameRequest, LiveSourceScheduleRequest,
        LiveSourceRemoveRequest, LiveSourceRemoved, LiveChannelView, LiveChannelsResponse, LiveChannelsChooseRequest, Event,
    );
    out.push_str("/** Every command with its request and response. */\nexport interface RpcSchema {\n");
    macro_rules! rows {
        ($($name:ident: $request:ty => $response:ty,)*) => {
            $(out.push_str(&row(stringify!($name), &<$request>::name(&config), &<$response>::name(&config)));)*
        };
    }
    with_commands!(rows);
    out.push_str("}\n");
    out
}
