/**
 * The channels of a file: who may see what is said in each new one, chosen before its first message is stored, and how those are
 * set that are known already.
 *
 * A file may have thousands. So the list is closed unless it is short, has a filter and one control for all, and shows a part of
 * the matches at a time.
 */
import { useMemo, useState } from 'react';
import type { DryRunFile, ImportChannelView } from '../../api';
import { Button, SearchField } from '../../design';
import { useStore } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { VisibilityMark } from '../shared/Visibility';
import { Disclosure } from './Disclosure';
import css from './ImportChannels.module.css';
import { type Shown, type Visibility, channelChoices, channelKey, chooseAllChannels, chooseChannels, matchingChannels, visibilityOf } from './importChannels';

/** Up to this many channels are shown without a click, and without a filter. */
const SHORT = 6;

/** Number of channels shown at a time. Each has a control, and thousands of them make a page slow. */
const STEP = 50;

const CHOICES: readonly Visibility[] = ['private', 'public'];

export function ImportChannels({ look, token }: { look: DryRunFile; token: string }) {
  const choices = useStore(channelChoices, (now) => now);
  const [query, setQuery] = useState('');
  const [limit, setLimit] = useState(STEP);
  const { channels, more_channels: unlisted } = look;
  const found = useMemo(() => matchingChannels(channels, query), [channels, query]);
  if (channels.length === 0) return null;
  const words = t.sources.channels;
  const fresh = channels.filter((each) => !each.is_known);
  const isPublic = (channel: ImportChannelView) => visibilityOf(channel, token, choices) !== 'private';
  const summary = words.summary(fresh.length + unlisted, fresh.filter(isPublic).length + (choices.others.get(token) === 'public' ? unlisted : 0), channels.length - fresh.length);
  const isShort = channels.length <= SHORT;
  const isFiltered = query.trim() !== '';
  const shownFresh = found.filter((each) => !each.is_known);
  const chooseAll = (visibility: Visibility) => (isFiltered ? chooseChannels(found, visibility) : chooseAllChannels(token, channels, visibility));
  return (
    <Disclosure isOpen={isShort} summary={summary} testId={TESTIDS.sourceChannels}>
      <div className={css.body}>
        {fresh.length > 0 ? <p className={css.hint}>{words.hint}</p> : null}
        {isShort ? null : (
          <div className={css.bar}>
            <SearchField
              label={words.search}
              value={query}
              onChange={(next) => {
                setQuery(next);
                setLimit(STEP);
              }}
              testId={TESTIDS.sourceChannelsSearch}
            />
          </div>
        )}
        {shownFresh.length > 1 ? (
          <div className={css.bar} role="group" aria-label={words.all}>
            {CHOICES.map((visibility) => (
              <Button key={visibility} size="s" testId={TESTIDS.sourceChannelsAll} data-visibility={visibility} onClick={() => chooseAll(visibility)}>
                {words.setAll(shownFresh.length + (isFiltered ? 0 : unlisted), visibility, isFiltered)}
              </Button>
            ))}
          </div>
        ) : null}
        <p className="srOnly" role="status">
          {isFiltered ? words.found(found.length) : ''}
        </p>
        {found.length === 0 ? <p className={css.hint}>{words.noMatch}</p> : null}
        <ul className={css.list} aria-label={words.list}>
          {found.slice(0, limit).map((channel) => (
            <Row key={channelKey(channel)} channel={channel} value={visibilityOf(channel, token, choices)} />
          ))}
        </ul>
        {found.length > limit ? (
          <Button size="s" tone="quiet" testId={TESTIDS.sourceChannelsMore} onClick={() => setLimit(limit + STEP)}>
            {words.more(Math.min(STEP, found.length - limit), found.length - limit)}
          </Button>
        ) : unlisted > 0 && !isFiltered ? (
          <p className={css.hint}>{words.unlisted(unlisted)}</p>
        ) : null}
      </div>
    </Disclosure>
  );
}

function Row({ channel, value }: { channel: ImportChannelView; value: Shown }) {
  const words = t.sources.channels;
  const people = words.people(channel.names, channel.people);
  return (
    <li className={css.row} data-testid={TESTIDS.sourceChannel} data-channel={channelKey(channel)} data-visibility={value}>
      <span className={css.words}>
        <span className={css.title} title={channel.title === channel.channel_id ? undefined : channel.channel_id}>
          {channel.title}
        </span>
        <span className={css.meta}>
          <span>{nameOf(t.channel, channel.channel_type)}</span>
          <span className="num">{words.messages(channel.messages)}</span>
          {people === '' ? null : <span>{people}</span>}
        </span>
      </span>
      {channel.is_known ? (
        <span className={css.known}>
          <VisibilityMark visibility={value} />
          <span>{words.known}</span>
        </span>
      ) : (
        <select className={css.select} aria-label={words.choiceOf(channel.title)} value={value} data-visibility={value} onChange={(event) => chooseChannels([channel], event.target.value === 'public' ? 'public' : 'private')}>
          {value === 'mixed' ? <option value="mixed">{words.mixed}</option> : null}
          {CHOICES.map((each) => (
            <option key={each} value={each}>
              {nameOf(t.privacy.visibility, each)}
            </option>
          ))}
        </select>
      )}
    </li>
  );
}
