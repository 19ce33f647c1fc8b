//! The list of commands: name, request, response. Everything else — dispatch, the TypeScript types, the test that no adapter
//! misses one — follows from this table.

/// Hands the table to a macro: `name: Request => Response`.
#[macro_export]
macro_rules! with_commands {
    ($apply:ident) => {
        $apply! {
            app_status: Nothing => AppStatus,
            settings_get: Nothing => Settings,
            settings_set: Settings => Settings,
            ui_state_get: Nothing => UiState,
            ui_state_set: UiState => Nothing,
            pick_files: Nothing => PickedFiles,
            import_dry_run: DryRunRequest => DryRunResponse,
            import_start: ImportStartRequest => JobsStarted,
            imports_list: Nothing => ImportsResponse,
            sample_load: Nothing => JobsStarted,
            sample_remove: Nothing => SampleRemoved,
            memories_list: MemoriesListRequest => MemoriesListResponse,
            memory_get: ById => MemoryDetail,
            memory_decide: Decision => DecisionOutcome,
            undo: UndoRequest => UndoOutcome,
            conversations_list: ConversationsListRequest => ConversationsListResponse,
            conversation_get: ById => ConversationRow,
            conversation_messages: MessagesRequest => MessagesResponse,
            conversation_privacy_preview: ById => PrivacyPreview,
            conversation_set_private: SetPrivateRequest => SetPrivateOutcome,
            analyze_start: AnalyzeRequest => AnalyzeStarted,
            analyses_list: ById => AnalysesResponse,
            jobs_list: Nothing => JobsResponse,
            job_cancel: ById => Nothing,
            job_retry: ById => Nothing,
            queue_pause: PauseRequest => Nothing,
            gate_log_list: GateLogRequest => GateLogResponse,
            alerts_list: Nothing => AlertsResponse,
            alert_dismiss: ById => Nothing,
            models_get: Nothing => ModelsView,
            models_set: ModelSettingsView => ModelsView,
            models_detect: Nothing => FoundServers,
            models_of: ProviderView => ModelNames,
            model_key_set: ModelKeyRequest => ModelsView,
            model_test: ProviderView => ModelTest,
            models_read_all: Nothing => QueuedCount,
            model_calls_list: ModelCallsRequest => ModelCallsResponse,
            model_calls_forget: Nothing => Nothing,
            pick_folder: Nothing => PickedFiles,
            watched_list: Nothing => WatchedSources,
            watched_add: WatchedAddRequest => WatchedSources,
            watched_remove: ById => WatchedSources,
            search: SearchRequest => SearchResponse,
        }
    };
}
