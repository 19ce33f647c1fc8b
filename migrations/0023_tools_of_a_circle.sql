-- What a circle of people may see of tools is read conversation by conversation.
CREATE INDEX interactions_of_tools_by_conversation ON interactions (conversation_id, created_at_ms)
 WHERE message_type IN ('tool_use', 'tool_result');
