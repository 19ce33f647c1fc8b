/** An invented meeting whose transcript names only one of three speakers. Added on request only. */
import type { MeetingView, VoiceView } from '../../api/schema';
import type { AllHandlers, Handlers, Host } from './index';
import { HOUR, MINUTE, type World, addConversation, lineOf, messagesOf, refused } from './world';

const ID = 'conv_speakers';

const LINES: readonly (readonly [author: string, text: string])[] = [
  ['Speaker 1', 'Morning. I moved to Porto last week, so I am an hour behind you from now on.'],
  ['Priya Nair', 'Then we start at ten. The importer is done, only the tests are left.'],
  ['Speaker 2', 'I take the tests. I work on Tuesdays and Thursdays only.'],
  ['Speaker 1', 'Good. I write the release notes then.'],
];

export function addMeeting(world: World, now: number): void {
  addConversation(world, {
    id: ID,
    title: 'Standup',
    channel_type: 'meeting',
    parts: LINES.map(([author, text]) => ({ author, role: 'person', message_type: 'voice', text })),
    timeOf: (position) => now - 5 * HOUR - (LINES.length - 1 - position) * (position < (LINES.length - 1) / 2 ? 31 : 3) * MINUTE,
  });
}

export function speakerCommands(world: World, host: Host, others: AllHandlers): Handlers {
  const speakers: VoiceView[] = ['Speaker 1', 'Speaker 2'].map((label) => ({
    handle: `hdl_${label}`,
    label,
    name: null,
    is_owner: false,
    linked: null,
    is_left: false,
    messages: LINES.filter(([author]) => author === label).length,
    first: 0,
    lines: [],
  }));
  const meeting = (): MeetingView[] => {
    const row = world.conversations.find((each) => each.id === ID);
    if (!row || row.is_private) return [];
    const open = speakers.filter((speaker) => speaker.name === null && !speaker.is_left).length;
    const linesOf = (speaker: VoiceView) =>
      messagesOf(world, ID)
        .filter((message) => message.author === speaker.label || message.label === speaker.label)
        .map((message) => lineOf(row, message));
    return [{ conversation_id: ID, title: row.title, time: row.first, open, voices: speakers.map((speaker) => ({ ...speaker, lines: linesOf(speaker) })) }];
  };
  return {
    voices_list: ({ conversation_id: of }) => ({ meetings: meeting().filter((each) => (of ? each.conversation_id === of : each.open > 0)) }),
    voice_answer({ handle, answer, person, name }) {
      const speaker = speakers.find((each) => each.handle === handle);
      if (!speaker) throw refused(`${handle} is not an unidentified speaker.`);
      const linked = others.people_list({}).items.find((each) => each.handles.some((one) => one.id === person));
      speaker.is_owner = answer === 'owner';
      speaker.is_left = answer === 'leave';
      speaker.linked = answer === 'person' ? (person ?? null) : null;
      const names: Readonly<Record<string, string | null | undefined>> = { owner: 'Robin Hale', person: linked?.name, name };
      speaker.name = names[answer] ?? null;
      for (const message of messagesOf(world, ID)) {
        if ((message.label ?? message.author) !== speaker.label) continue;
        message.author = speaker.name ?? speaker.label;
        message.label = speaker.name === null ? null : speaker.label;
        message.role = speaker.is_owner ? 'owner' : 'person';
      }
      host.changed('people', 'messages', 'conversations', 'memories');
      return {};
    },
  };
}
