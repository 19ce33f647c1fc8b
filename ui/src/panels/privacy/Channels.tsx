/** All channels with who may see the knowledge from them, and a choice whose effect is counted before it is made. */
import { Radio } from 'lucide-react';
import { type ReactNode, memo, useMemo, useRef, useState } from 'react';
import { type ChannelView, tally, useRpc, useWithLayers } from '../../api';
import { Badge, Button, Facet, PaneBar, PaneBody, PaneFoot, PaneHeader, SearchField, facetValues, focusList } from '../../design';
import { useActions } from '../../keys';
import { createListState, useSettled } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { ListDetail, useListRows } from '../shared/ListDetail';
import { ListRow, RowLine, RowMeta, RowTitle } from '../shared/ListPane';
import { VisibilityMark } from '../shared/Visibility';
import { type Choice, VisibilityChoice, choiceOf, chooseVisibility } from '../shared/VisibilityChoice';
import css from './Privacy.module.css';

const QUERY_REST_MS = 120;
const NONE: readonly ChannelView[] = [];

const list = createListState();

/** Identity of a channel: type and id. */
export const channelKey = (channel: Pick<ChannelView, 'channel_type' | 'channel_id'>): string => `${channel.channel_type}:${channel.channel_id}`;

export function Channels({ tabs }: { tabs: ReactNode }) {
  const { data: answer, error, refetch } = useRpc('channels_list', {});
  const data = useWithLayers(answer, answer?.items ?? NONE, channelKey);
  const [query, setQuery] = useState('');
  const asked = useSettled(query.trim().toLowerCase(), QUERY_REST_MS);
  const [types, setTypes] = useState<readonly string[]>([]);
  const [visibilities, setVisibilities] = useState<readonly string[]>([]);
  const found = useMemo(() => data.filter((each) => asked === '' || `${each.title}\n${each.channel_id}\n${nameOf(t.channel, each.channel_type)}`.toLowerCase().includes(asked)), [data, asked]);
  const ofType = useMemo(() => found.filter((each) => types.length === 0 || types.includes(each.channel_type)), [found, types]);
  const shown = useMemo(() => ofType.filter((each) => visibilities.length === 0 || visibilities.includes(each.visibility)), [ofType, visibilities]);
  const rows = useListRows('privacy', list, shown, channelKey);
  const words = t.privacy;
  const clear = () => {
    setQuery('');
    setTypes([]);
    setVisibilities([]);
  };
  return (
    <ListDetail
      name="privacy"
      title={words.title}
      words={words}
      icon={Radio}
      rows={rows}
      all={answer && data}
      error={error}
      onRetry={refetch}
      tabs={tabs}
      testId={TESTIDS.channelsList}
      rowTestId={TESTIDS.channelRow}
      renderRow={(channel) => <Row channel={channel} />}
      renderDetail={(channel) => <ChannelPane key={channelKey(channel)} channel={channel} />}
      onClear={clear}
      bars={
        <PaneBar>
          <SearchField label={words.search} value={query} onChange={setQuery} testId={TESTIDS.channelsSearch} onLeave={() => focusList(TESTIDS.channelsList)} />
          <Facet label={words.type} values={facetValues(tally(found.map((each) => each.channel_type)), types, (name) => nameOf(t.channel, name))} chosen={types} onChange={setTypes} />
          <Facet label={words.visibilityFilter} isSingle values={facetValues(tally(ofType.map((each) => each.visibility)), visibilities, (name) => nameOf(words.visibility, name), ['public', 'private', 'mixed'])} chosen={visibilities} onChange={setVisibilities} />
        </PaneBar>
      }
    />
  );
}

const Row = memo(function Row({ channel }: { channel: ChannelView }) {
  return (
    <ListRow data-channel={channelKey(channel)}>
      <RowLine>
        <RowTitle>{channel.title}</RowTitle>
        <VisibilityMark visibility={channel.visibility} />
      </RowLine>
      <RowLine>
        <RowMeta>
          {nameOf(t.channel, channel.channel_type)} · {t.privacy.counts(channel.conversations, channel.messages)}
        </RowMeta>
        {channel.chosen === null ? null : <Badge tone="accent">{t.privacy.chosenByYou}</Badge>}
      </RowLine>
    </ListRow>
  );
});

function ChannelPane({ channel }: { channel: ChannelView }) {
  const current = choiceOf(channel.chosen);
  const [marked, setMarked] = useState<Choice | null>(null);
  const value = marked ?? current;
  const body = useRef<HTMLDivElement>(null);
  const target = useMemo(() => ({ channel_type: channel.channel_type, channel_id: channel.channel_id }), [channel.channel_type, channel.channel_id]);
  const apply = () => {
    if (value === current) return false;
    const { chosen, visibility } = channel;
    // Without a choice, the source determines the visibility, which only the backend knows.
    const to = value === 'source' ? { chosen: null } : { chosen: value, visibility: value };
    chooseVisibility(target, channel.title, value, current, [{ id: channelKey(channel), to, from: { chosen, visibility } }]);
    setMarked(null);
    focusList(TESTIDS.channelsList);
    return true;
  };
  useActions('privacy', {
    'privacy.choose': () => body.current?.querySelector<HTMLElement>('[role=radio][tabindex="0"]')?.focus(),
    'privacy.apply': apply,
  });
  return (
    <>
      <PaneHeader level={2} title={t.privacy.channel} />
      <PaneBody label={t.privacy.channel} of={channelKey(channel)}>
        <div ref={body} className={css.detail}>
          <h2 className={css.title}>{channel.title}</h2>
          <p className={css.facts}>
            <span>{nameOf(t.channel, channel.channel_type)}</span>
            {channel.channel_id === channel.title ? null : <code className={css.address}>{channel.channel_id}</code>}
            <span className="num">{t.privacy.counts(channel.conversations, channel.messages)}</span>
            <VisibilityMark visibility={channel.visibility} />
          </p>
          <h3 className={css.heading}>{t.privacy.whoSees}</h3>
          <VisibilityChoice target={target} value={value} current={current} onChange={setMarked} />
          {channel.conversations > 1 ? <p className={css.note}>{t.privacy.ownChoice}</p> : null}
          <p className={css.note}>{t.privacy.notMemory}</p>
        </div>
      </PaneBody>
      <PaneFoot label={t.privacy.whoSees}>
        <Button tone="primary" action="privacy.apply" testId={TESTIDS.visibilityApply} disabled={value === current}>
          {t.privacy.apply}
        </Button>
        {value === current ? null : (
          <Button tone="quiet" onClick={() => setMarked(null)}>
            {t.app.cancel}
          </Button>
        )}
      </PaneFoot>
    </>
  );
}
