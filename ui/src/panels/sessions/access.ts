/** Agents that have a token: the rules for adding one, checked here before the backend checks them, and pausing one. */
import { type AgentAccessView, type AgentRow, call } from '../../api';
import { perform } from '../../state';
import { t } from '../../strings';

export type Level = 'private' | 'public';
export type Users = 'me' | 'others';

/** The form as the person filled it in. */
export interface NewAgent {
  readonly name: string;
  readonly level: Level;
  readonly users: Users;
  /** Separated by commas. */
  readonly channels: string;
}

/** What is wrong with each field; null if nothing is. */
export interface Problems {
  readonly name: string | null;
  readonly channels: string | null;
}

/** The limits of the backend (`engine/src/serve/agents.rs`). */
export const NAME_CHARS_MAX = 60;
export const CHANNELS_MAX = 100;

export const agentName = (agent: { readonly name: string }): string => agent.name;

/** Two names with the same key are the same agent. */
const agentKey = (name: string): string => name.trim().split(/\s+/).join(' ').toLowerCase();

/** The channels that a text lists, each once. */
export function channelsOf(text: string): string[] {
  const channels = text.split(',').map((each) => each.trim().toLowerCase());
  return [...new Set(channels.filter(Boolean))].sort();
}

/** Whether the agent needs channels: it could otherwise name any channel and be told what may be said there. */
export const needsChannels = (agent: Pick<NewAgent, 'level' | 'users'>): boolean => agent.users === 'others' && agent.level === 'private';

function nameProblem(name: string, agents: readonly AgentRow[]): string | null {
  if (name === '' || [...name].length > NAME_CHARS_MAX || /\p{Cc}/u.test(name)) return t.agents.nameBad(NAME_CHARS_MAX);
  const known = agents.find((agent) => agent.access !== null && agentKey(agent.name) === agentKey(name));
  return known ? t.agents.nameTaken(known.name) : null;
}

export function problemsOf(agent: NewAgent, agents: readonly AgentRow[]): Problems {
  const channels = channelsOf(agent.channels);
  return {
    name: nameProblem(agent.name.trim(), agents),
    channels: channels.length > CHANNELS_MAX ? t.agents.channelsTooMany(CHANNELS_MAX) : channels.length === 0 && needsChannels(agent) ? t.agents.channelsNeeded : null,
  };
}

/** Pauses an agent or resumes it. The same switch takes it back. */
export function setPaused(name: string, access: AgentAccessView, isPaused: boolean): void {
  void perform({
    text: t.agents.pausedSet(name, isPaused),
    changes: [{ id: name, to: { access: { ...access, is_paused: isPaused } }, from: { access: { ...access, is_paused: !isPaused } } }],
    send: () => call('agent_pause', { name, is_paused: isPaused }),
    undo: () => call('agent_pause', { name, is_paused: !isPaused }),
  });
}
