/**
 * Who may see what is said in the channels that an import adds: the person's choices, and what of them is sent.
 *
 * Choices belong to a channel and not to a file, because the same channel may be in several of the selected files.
 */
import type { DryRunFile, ImportChannelView, ImportStartRequest } from '../../api';
import { createStore } from '../../state';

export type Visibility = 'public' | 'private';
/** `mixed` is what a file says whose conversations differ. It cannot be chosen. */
export type Shown = Visibility | 'mixed';

export interface ChannelChoices {
  readonly channels: ReadonlyMap<string, Visibility>;
  /** The choice for all other new channels of a file, by its token. It also covers channels that are not listed. */
  readonly others: ReadonlyMap<string, Visibility>;
}

const NONE: ChannelChoices = { channels: new Map(), others: new Map() };

export const channelChoices = createStore<ChannelChoices>(NONE);

export const forgetChannelChoices = (): void => channelChoices.set(NONE);

/** Identity of a channel: type and id. */
export const channelKey = (channel: Pick<ImportChannelView, 'channel_type' | 'channel_id'>): string => `${channel.channel_type}:${channel.channel_id}`;

const shownOf = (visibility: string): Shown => (visibility === 'public' || visibility === 'mixed' ? visibility : 'private');

/** The visibility that a channel will have. Pure. */
export function visibilityOf(channel: ImportChannelView, token: string, { channels, others }: ChannelChoices): Shown {
  if (channel.is_known) return shownOf(channel.visibility);
  return channels.get(channelKey(channel)) ?? others.get(token) ?? shownOf(channel.visibility);
}

export function chooseChannels(channels: readonly ImportChannelView[], visibility: Visibility): void {
  const chosen = channels.filter((each) => !each.is_known).map((each) => [channelKey(each), visibility] as const);
  channelChoices.update((all) => ({ ...all, channels: new Map([...all.channels, ...chosen]) }));
}

/** Chooses for all new channels of a file, those that are not listed included. */
export function chooseAllChannels(token: string, channels: readonly ImportChannelView[], visibility: Visibility): void {
  chooseChannels(channels, visibility);
  channelChoices.update((all) => ({ ...all, others: new Map([...all.others, [token, visibility]]) }));
}

/** What an import is told: only what differs from what it would do anyway. Pure. */
export function channelsToSend(look: Pick<DryRunFile, 'channels'>, token: string, choices: ChannelChoices): Pick<Partial<ImportStartRequest>, 'channels' | 'other_channels'> {
  const other = choices.others.get(token);
  const differing = look.channels.flatMap((channel) => {
    const visibility = visibilityOf(channel, token, choices);
    const otherwise = other ?? channel.visibility;
    return channel.is_known || visibility === 'mixed' || visibility === otherwise ? [] : [{ channel_type: channel.channel_type, channel_id: channel.channel_id, visibility }];
  });
  return { ...(differing.length > 0 ? { channels: differing } : {}), ...(other === undefined ? {} : { other_channels: other }) };
}

/** The channels that contain a text in their title, id or the names of their people. Pure. */
export function matchingChannels(channels: readonly ImportChannelView[], text: string): readonly ImportChannelView[] {
  const asked = text.trim().toLowerCase();
  if (asked === '') return channels;
  return channels.filter((each) => [each.title, each.channel_id, ...each.names].join('\n').toLowerCase().includes(asked));
}
