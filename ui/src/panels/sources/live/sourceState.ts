/** What a connected account is doing, in words, and what the person can do about it. Pure; the current time is passed in. */
import type { LiveSourceView } from '../../../api';
import { momentAhead, relativeTime } from '../../../design';
import { t } from '../../../strings';
import { formOf, hasSecret } from './accountSettings';

export interface SourceState {
  /** One sentence. */
  readonly text: string;
  /** What is wrong, in the words of the server, if `text` does not say it. */
  readonly detail: string | null;
  /** The sentence without times and counts, for a live region: it is announced only when the state itself changes. */
  readonly announced: string;
  readonly tone: 'ok' | 'plain' | 'warn';
  /** Label of the button with which the person can connect it again. */
  readonly reconnect: string | null;
}

type Source = Pick<LiveSourceView, 'kind' | 'name' | 'state' | 'detail' | 'done' | 'total' | 'next_at' | 'last_message_at' | 'remembered' | 'channels' | 'settings'>;

function reconnectLabel(source: Source): string {
  const words = t.liveSources;
  if (!hasSecret(source.kind)) return words.signInAgain;
  return { password: words.enterPassword, browser: words.signInPage, token: words.enterToken, code: words.signInPage }[formOf(source).signIn];
}

function liveText({ kind, last_message_at }: Source, now: number): string {
  const words = t.liveSources.state;
  const isWebhook = kind === 'webhook';
  if (last_message_at === null) return isWebhook ? words.webhookNone : words.liveNone;
  return (isWebhook ? words.webhookSince : words.liveSince)(relativeTime(last_message_at, now));
}

/** `isReceiving` is false for a webhook while the server that takes its messages is off. */
export function stateOf(source: Source, now: number, { isReceiving = true, locale }: { isReceiving?: boolean; locale?: string } = {}): SourceState {
  const words = t.liveSources.state;
  const { kind, state, detail, done, total, next_at } = source;
  // Where nothing is wrong, a detail says what is missing.
  const plain = { detail, tone: 'plain', reconnect: null } as const;
  const moment = next_at === null ? null : momentAhead(next_at, now, locale);
  // A webhook stores from the start, because the person set it up for this.
  const isIdle = kind !== 'webhook' && source.remembered === 0;
  switch (state) {
    case 'live': {
      if (!isReceiving) return { ...plain, tone: 'warn', text: words.webhookOff, announced: words.webhookOff };
      if (isIdle) return { ...plain, text: words.nothingChosen(kind), announced: words.nothingChosen(kind) };
      return { ...plain, tone: 'ok', text: liveText(source, now), announced: words.live };
    }
    case 'catching_up': {
      const text = done === null ? words.catchingUp : total === null ? words.catchingUpSoFar(done) : words.catchingUpOf(done, total);
      return { ...plain, text, announced: words.catchingUp };
    }
    case 'connecting':
      return { ...plain, text: words.connecting, announced: words.connecting };
    case 'paused':
      return { ...plain, text: words.paused, announced: words.paused };
    case 'scheduled':
      if (isIdle) return { ...plain, text: words.nothingChosen(kind), announced: words.nothingChosen(kind) };
      return { ...plain, tone: 'ok', text: moment === null ? words.scheduled : words.scheduledAt(moment), announced: words.scheduled };
    case 'retrying':
      return { text: moment === null ? words.retrying : words.retryingAt(moment), detail, tone: 'warn', announced: words.retrying, reconnect: t.liveSources.changeSettings };
    case 'needs_attention':
    case 'needs_secret': {
      const short = state === 'needs_secret' ? words.needsSecret : words.needsAttention;
      return { text: detail ?? short, detail: null, tone: 'warn', announced: `${short}. ${detail ?? ''}`.trim(), reconnect: reconnectLabel(source) };
    }
    default:
      return { ...plain, text: words.stopped, announced: words.stopped };
  }
}
