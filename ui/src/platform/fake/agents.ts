/** The fake host's sessions with agents, the memory tiers, and the settings and access log of each agent. */
import type { AgentAccessView, AgentReadView, AgentServerChoice, AgentServerView, AgentToken, AgentsOverview, SessionItemView, SessionListRow, TierLineView, TierView } from '../../api/schema';
import sessions from './data/agents.json';
import type { AllHandlers, Handlers, Host } from './index';
import { settingsOf } from './system';
import { DAY, HOUR, type World, found, linesOf as linesIn, messagesOf, points, refused } from './world';

interface Invented {
  readonly conversation: string;
  readonly agent: string;
  readonly significance: number;
  readonly outcome: string;
  readonly depth: string;
  readonly mood: string;
  /** Lines of the record: field, index of the message and, for a tool, its name. */
  readonly items: readonly (readonly [field: string, message: number, name?: string])[];
  readonly versions?: number;
}

/** Programs that can be connected. All but the last are on this computer. */
const PROGRAMS = [
  ['claude-code', 'Claude Code'],
  ['codex', 'Codex'],
  ['zed', 'Zed'],
] as const;

const INVENTED = sessions as unknown as readonly Invented[];

/** The tier for a field, and the kind of entry. */
const ROUTES: Readonly<Record<string, readonly [tier: 'shared' | 'agent' | 'user', kind: string]>> = {
  facts_learned: ['user', 'fact'],
  preferences_noted: ['user', 'preference'],
  follow_ups: ['user', 'follow_up'],
  knowledge_learned: ['shared', 'decision'],
  tools_used: ['agent', 'tool'],
  intent: ['agent', 'outcome'],
};
const BUDGETS = { shared: 4_000, agent: 8_000, user: 4_000 } as const;

const keyOf = (name: string): string => name.trim().split(/\s+/).join(' ').toLowerCase();

export function agentCommands(world: World, host: Host, known: AllHandlers, movedFrom?: string): Handlers {
  const choices = new Map<string, { skips: boolean; goals: boolean }>();
  const roles = new Map<string, string>();
  /** The agents with a token, by name. */
  const added = new Map<string, AgentAccessView>();
  let tokens = 0;
  if (world.messages.has('conv_kitchen')) added.set('helpdesk', { channels: ['matrix', 'telegram:4711'], talks_with_others: true, is_paused: false, created: host.now() - 30 * DAY, last_used: host.now() - 2 * HOUR });

  const itemsOf = (session: Invented): SessionItemView[] =>
    session.items.flatMap(([field, at, name]) => {
      const line = linesIn(world, session.conversation)[at];
      return line && !line.is_private ? [{ field, name: name ?? null, uses: name === undefined ? 0 : 2, text: line.text, line }] : [];
    });
  const standing = () => INVENTED.filter((each) => !choices.get(each.agent)?.skips && world.conversations.some((row) => row.id === each.conversation && !row.is_private));
  const rowOf = (session: Invented): SessionListRow => {
    const lines = messagesOf(world, session.conversation);
    return {
      id: `ses_${session.conversation.slice(5)}`,
      conversation_id: session.conversation,
      conversation_title: world.conversations.find((row) => row.id === session.conversation)?.title ?? '',
      agent: session.agent,
      user: lines[0]?.author ?? '',
      intent: lines[0]?.text ?? '',
      first: lines[0]?.time ?? 0,
      last: lines[lines.length - 1]?.time ?? 0,
      messages: lines.length,
      technical_depth: session.depth,
      user_mood: session.mood,
      significance: session.significance,
      outcome: session.outcome,
      is_distilled: true,
      proposer: 'builtin-session/2',
    };
  };
  const linesOf = (tier: string, agent: string | null): TierLineView[] =>
    standing()
      .filter((session) => agent === null || session.agent === agent)
      .flatMap((session) =>
        itemsOf(session).flatMap((item, index) => {
          const route = ROUTES[item.field];
          if (!route || route[0] !== tier) return [];
          const day = new Date(item.line.time).toISOString().slice(0, 10);
          return [{ id: `tie_${session.conversation}_${index}`, text: `- [${route[1]}, ${day}] ${item.line.author}: ${item.text}`, kind: route[1], significance: session.significance, session_id: rowOf(session).id, line: item.line }];
        }),
      )
      .toSorted((a, b) => b.significance - a.significance);
  const tierOf = (tier: 'shared' | 'agent' | 'user', agent: string | null, user: string | null, isAllowed: boolean): TierView => {
    const all = isAllowed ? linesOf(tier, agent) : [];
    // The last line of a user's tier serves as one that does not fit.
    const left = tier === 'user' ? all.slice(2) : [];
    const lines = all.slice(0, all.length - left.length);
    const text = lines.map((line) => `${line.text}\n`).join('');
    return { tier, agent, user, is_allowed: isAllowed, budget: BUDGETS[tier], chars: points(text), text, lines, left_out: left, repeated: 0 };
  };
  const connected = new Map<string, 'current' | 'different'>(movedFrom === undefined ? [] : [[movedFrom, 'different']]);
  const server = settingsOf<AgentServerChoice>(host, { is_on: false, port: 8632 }, 'settings');
  const router = settingsOf(host, { is_on: false }, 'settings');
  /** Another program has port 8080. */
  const served = (): AgentServerView => {
    const choice = server.get();
    const { is_on, port } = choice;
    if (!is_on) return { choice, state: { kind: 'off' } };
    return { choice, state: port === 8080 ? { kind: 'failed', problem: 'cannot listen on 127.0.0.1:8080: another program uses it; choose another port' } : { kind: 'listening', port } };
  };
  const overview = (): AgentsOverview => {
    const all = [...world.messages.values()].flat();
    const names = new Set(all.filter((line) => line.role === 'assistant').map((line) => line.author));
    const levels = new Map(known.agents_list({}).items.map((agent) => [agent.name, agent.visibility]));
    for (const name of [...levels.keys(), ...added.keys()]) names.add(name);
    const reads: AgentReadView[] = names.has('Claude')
      ? [
          { id: '5', agent: 'Claude', kind: 'context', person: null, chars: 2_140, items: 18, at: host.now() - DAY },
          { id: '4', agent: 'helpdesk', kind: 'append', person: null, chars: 412, items: 1, at: host.now() - 2 * DAY },
          { id: '3', agent: 'helpdesk', kind: 'remember', person: null, chars: 38, items: 1, at: host.now() - 2 * DAY },
          { id: '2', agent: 'ChatGPT', kind: 'tiers', person: 'Noor', chars: 640, items: 6, at: host.now() - 3 * DAY },
          { id: '1', agent: '', kind: 'search', person: null, chars: 310, items: 2, at: host.now() - 4 * DAY },
        ]
      : [];
    const people = new Set(all.filter((line) => line.role === 'person').map((line) => line.author));
    return {
      agents: [...names].toSorted().map((name) => ({
        name,
        visibility: levels.get(name) ?? null,
        access: added.get(name) ?? null,
        skips_memory: choices.get(name)?.skips ?? false,
        holds_goals: choices.get(name)?.goals ?? false,
        messages: all.filter((line) => line.author === name).length,
        sessions: standing().filter((session) => session.agent === name).length,
        reads: reads.filter((read) => read.agent === name).length,
        last_read: reads.find((read) => read.agent === name)?.at ?? null,
      })),
      reads,
      people: [...people].map((name) => ({ id: `ent_${name}`, name, role: roles.get(`ent_${name}`) ?? 'guest' })),
    };
  };

  const accessOf = (name: string): AgentAccessView => {
    const access = added.get(name);
    if (!access) throw refused(`there is no agent "${name}"; \`keepsake agents list\` lists them`);
    return access;
  };
  const tokenOf = (name: string): AgentToken => {
    tokens += 1;
    return { name, token: `ksk_${String(tokens).padStart(64, '0')}` };
  };

  return {
    sessions_list: () => {
      const items = standing()
        .map(rowOf)
        .toSorted((a, b) => b.last - a.last);
      return { items, agents: [...new Set(items.map((row) => row.agent))].toSorted() };
    },
    session_get({ id }) {
      const session = found(standing().find((each) => rowOf(each).id === id), 'session');
      const row = rowOf(session);
      const versions = Array.from({ length: session.versions ?? 1 }, (_, at) => ({ id: at === 0 ? row.id : `${row.id}${at}`, messages: row.messages - at * 2, last: row.last - at * DAY, made: row.last - at * DAY, proposer: row.proposer, is_current: at === 0 }));
      return { session: row, items: itemsOf(session), versions };
    },
    sessions_rebuild: () => {
      host.changed('sessions');
      return {};
    },
    tiers_preview({ agent, person, role }) {
      const seen = role ?? (person ? (roles.get(person) ?? 'guest') : 'owner');
      const all = seen !== 'guest';
      const agents = agent ? [agent] : [...new Set(standing().map((session) => session.agent))];
      const tiers = [tierOf('shared', null, null, all), ...agents.map((each) => tierOf('agent', each, null, all))];
      if (!person) tiers.push(...agents.map((each) => tierOf('user', each, 'Robin', true)));
      return { role: seen, tiers, withheld: person ? [{ rule: 'other_people', count: 4 }] : [] };
    },
    agents_overview: overview,
    agent_choose({ name, skips_memory, holds_goals }) {
      const before = choices.get(name) ?? { skips: false, goals: false };
      choices.set(name, { skips: skips_memory ?? before.skips, goals: holds_goals ?? before.goals });
      host.changed('settings', 'sessions');
      return overview();
    },
    agent_add({ name: written, visibility, channels, talks_with_others }) {
      const name = written.trim();
      if (name === '') throw refused('an agent needs a name of at most 60 characters; enter another');
      if (talks_with_others && visibility !== 'public' && channels.length === 0) throw refused('an agent that talks with other people needs the channels where it does, or may be told public things only');
      if ([...added.keys()].some((each) => keyOf(each) === keyOf(name))) throw refused(`there is already an agent "${name}"; remove it first, or choose another name`);
      added.set(name, { channels, talks_with_others, is_paused: false, created: host.now(), last_used: null });
      known.agent_set({ name, visibility: visibility ?? 'private' });
      host.changed('settings', 'people');
      return tokenOf(name);
    },
    agent_renew({ name }) {
      accessOf(name);
      host.changed('settings');
      return tokenOf(name);
    },
    agent_pause({ name, is_paused }) {
      added.set(name, { ...accessOf(name), is_paused });
      host.changed('settings');
      return overview();
    },
    agent_remove({ name }) {
      accessOf(name);
      added.delete(name);
      host.changed('settings');
      return overview();
    },
    connect_list: () => ({
      programs: PROGRAMS.map(([name, title]) => ({
        name,
        title,
        is_found: name !== 'zed',
        standing: connected.get(name) ?? 'absent',
        has_instructions: true,
        has_hooks: name !== 'zed',
        problem: null,
      })),
    }),
    connect_preview({ name, remove }) {
      if (remove ? !connected.has(name) : connected.get(name) === 'current') return { diff: '', replaces: [], notes: [] };
      const [from, to] = remove ? [' {', '-  "keepsake": {}'] : [' {', '+  "keepsake": {}'];
      return { diff: `--- /home/robin/.${name}.json\n+++ /home/robin/.${name}.json\n@@ -1,2 +1,3 @@\n${from}\n${to}\n }\n`, replaces: name === 'codex' ? ['/home/robin/.codex/config.toml'] : [], notes: [] };
    },
    connect_apply({ name, remove, replace }) {
      if (name === 'codex' && !replace) throw refused("/home/robin/.codex/config.toml has an entry 'keepsake' that starts something else");
      if (remove) connected.delete(name);
      else connected.set(name, 'current');
      const [, title] = PROGRAMS.find(([each]) => each === name) ?? [name, name];
      return { files: [{ path: `/home/robin/.${name}.json`, backup: `/home/robin/.${name}.json.bak` }], notes: [`Restart ${title} to use the change.`] };
    },
    connect_check: () => ({ tools: 12, elapsed_ms: 240 }),
    agent_server_get: served,
    agent_server_set(next) {
      server.set(next);
      return served();
    },
    router_settings_get: router.get,
    router_settings_set: router.set,
    person_role_set({ id, role }) {
      roles.set(id, role);
      host.changed('sessions');
      return overview();
    },
  };
}
