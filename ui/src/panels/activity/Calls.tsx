/**
 * The log of model calls: where each request went, and the exact text that was sent and received.
 *
 * Calls to models on this computer are listed as well, so that the log can be compared with the work done.
 */
import { Globe, Monitor, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { type ModelCallView, type ModelCallsResponse, call, useRpc } from '../../api';
import { Badge, Button, Dialog, EmptyState, ErrorState, LoadingRows, PaneBar, PaneBody, PaneHeader, RelativeTime, Segmented, SplitPane, VirtualList, formatElapsed, fullTime } from '../../design';
import { useActions } from '../../keys';
import { openConversation, showError, showToast, useUiState } from '../../state';
import { bytes, nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { Fact } from '../shared/DetailPane';
import { usePages } from '../shared/pages';
import css from './Calls.module.css';

/** Each row contains the full texts, so a page is small. */
const PAGE_CALLS = 50;
const ROW_PX = 76;
const LIST_PX = 400;
const rowHeight = () => ROW_PX;

const OUTCOME_TONES: Record<string, 'plain' | 'warn' | 'danger'> = { unusable: 'warn', failed: 'danger' };

/** Removes the prompt's version, which means nothing to a person. */
const purposeName = ({ purpose }: Pick<ModelCallView, 'purpose'>): string => nameOf(t.models.log.purpose, purpose.replace(/\/\d+$/, ''));

const totalOf = (response: ModelCallsResponse): number => response.total;

export function Calls() {
  const [which, setWhich] = useUiState<string>('activity.calls', 'all');
  const remote_only = which === 'remote';
  const [wanted, setWanted] = useState<string | null>(null);
  const pages = usePages('model_calls_list', {
    request: (offset, limit) => ({ remote_only, offset, limit }),
    size: PAGE_CALLS,
    items: (response) => response.items,
    total: (response) => response.total,
    list: which,
  });
  const { data: left, error, refetch } = useRpc('model_calls_list', { remote_only: true, offset: 0, limit: 1 }, { select: totalOf });
  const found = wanted === null ? 0 : pages.find((each) => each.id === wanted);
  const cursor = found === -1 ? 0 : found;
  const current = pages.total > 0 ? pages.at(cursor) : undefined;
  const to = (index: number) => {
    const next = pages.at(Math.max(0, Math.min(pages.total - 1, index)));
    if (next) setWanted(next.id);
  };
  useActions('activity', {
    'activity.next': () => to(cursor + 1),
    'activity.previous': () => to(cursor - 1),
    'activity.first': () => to(0),
    'activity.last': () => to(pages.total - 1),
  });
  const failure = pages.error ?? (left === undefined ? error : null);
  const again = () => {
    pages.retry();
    void refetch();
  };
  if (failure) return <ErrorState title={t.models.log.failed} text={t.activity.failedText} detail={failure.message} onRetry={again} />;
  if (pages.isLoading || left === undefined) return <LoadingRows height={ROW_PX} />;
  return (
    <div className={css.panel}>
      <PaneBar>
        <Segmented
          label={t.models.log.filter}
          value={remote_only ? 'remote' : 'all'}
          testId={TESTIDS.callsFilter}
          choices={[
            { value: 'all', label: t.models.log.all },
            { value: 'remote', label: t.models.log.remoteOnly, count: left },
          ]}
          onChange={setWhich}
        />
        {pages.total > 0 ? (
          <span className={css.state} data-left={left > 0 || undefined} data-testid={TESTIDS.callsState}>
            {left === 0 ? <ShieldCheck size={14} aria-hidden="true" /> : <Globe size={14} aria-hidden="true" />}
            <span>{left === 0 ? t.models.log.nothingLeftLocal : t.models.log.didLeave(left, bytes(pages.head?.today.remote_bytes ?? 0))}</span>
          </span>
        ) : null}
        <span className={css.space} />
        {pages.total > 0 ? <Forget /> : null}
      </PaneBar>
      <div className={css.body}>
        {pages.total === 0 ? (
          <EmptyState icon={<ShieldCheck size={20} />} title={t.models.log.nothingLeft} text={t.models.log.nothingLeftText} />
        ) : (
          <SplitPane
            name="activity.calls"
            initial={LIST_PX}
            list={
              <VirtualList
                label={t.models.log.list}
                rowTestId={TESTIDS.callRow}
                count={pages.total}
                keyOf={String}
                heightOf={rowHeight}
                activeIndex={cursor}
                autoFocus
                onRange={pages.onRange}
                onPick={to}
                render={(index) => {
                  const each = pages.at(index);
                  return each ? <CallRow each={each} /> : null;
                }}
              />
            }
            detail={current ? <CallDetail key={current.id} each={current} /> : <LoadingRows />}
          />
        )}
      </div>
      <span className="srOnly" role="status">
        {t.models.log.live(pages.total)}
      </span>
    </div>
  );
}

function Place({ isLocal }: { isLocal: boolean }) {
  return isLocal ? (
    <span className={css.place}>
      <Monitor size={12} aria-hidden="true" />
      {t.models.local}
    </span>
  ) : (
    <Badge tone="warn">
      <Globe size={12} aria-hidden="true" />
      {t.models.remote}
    </Badge>
  );
}

function CallRow({ each }: { each: ModelCallView }) {
  return (
    <div className={css.row}>
      <p className={css.line}>
        <span className={css.purpose}>{purposeName(each)}</span>
        <span className={css.space} />
        <span className={css.meta}>
          <RelativeTime time={each.started_at} />
        </span>
      </p>
      <p className={css.line}>
        <Place isLocal={each.is_local} />
        <span className={css.meta}>{each.is_local ? each.model : `${each.host} · ${each.model}`}</span>
      </p>
      <p className={css.meta}>
        {bytes(each.request_bytes)} · {t.models.log.tokens(each.tokens_in + each.tokens_out)} ·{' '}
        <span className={css.outcome} data-tone={OUTCOME_TONES[each.outcome]}>
          {nameOf(t.models.log.outcome, each.outcome)}
        </span>
      </p>
    </div>
  );
}

function CallDetail({ each }: { each: ModelCallView }) {
  const words = t.models.log;
  // An empty text means that it was deleted, unless the call is still in progress.
  const isForgotten = each.request === '' && each.outcome !== 'sent';
  return (
    <>
      <PaneHeader title={purposeName(each)} level={2}>
        <Place isLocal={each.is_local} />
      </PaneHeader>
      <PaneBody label={words.detail} testId={TESTIDS.callDetail}>
        <div className={css.detail}>
          {each.error ? (
            <p className={css.error} data-tone={OUTCOME_TONES[each.outcome]}>
              {each.error}
            </p>
          ) : null}
          <dl className={css.facts}>
            <Fact className={css.fact} name={words.when}>{fullTime(each.started_at)}</Fact>
            <Fact className={css.fact} name={words.where}>{each.host}</Fact>
            <Fact className={css.fact} name={words.model}>{each.model}</Fact>
            <Fact className={css.fact} name={words.outcomeName}>{nameOf(words.outcome, each.outcome)}</Fact>
            <Fact className={css.fact} name={words.sent}>{words.size(bytes(each.request_bytes), each.tokens_in)}</Fact>
            <Fact className={css.fact} name={words.received}>{words.size(bytes(each.reply_bytes), each.tokens_out)}</Fact>
            {each.duration_ms === null ? null : <Fact className={css.fact} name={words.took}>{formatElapsed(each.duration_ms)}</Fact>}
            {each.conversation_id ? (
              <Fact className={css.fact} name={words.about}>
                <button type="button" className={css.link} onClick={() => openConversation(each.conversation_id ?? '')}>
                  {each.conversation_title ?? t.activity.openWhole}
                </button>
              </Fact>
            ) : null}
          </dl>
          <Text title={words.sentText} text={isForgotten ? null : each.request} none={words.forgotten} />
          <Text title={words.receivedText} text={each.reply} none={each.outcome === 'sent' ? words.notYet : isForgotten && each.reply_bytes > 0 ? words.forgotten : words.nothing} />
        </div>
      </PaneBody>
    </>
  );
}

function Text({ title, text, none }: { title: string; text: string | null; none: string }) {
  return (
    <section>
      <h3 className={css.heading}>{title}</h3>
      {text === null ? <p className={css.none}>{none}</p> : <pre className={css.text}>{text}</pre>}
    </section>
  );
}

function Forget() {
  const [isAsking, setAsking] = useState(false);
  const words = t.models.log;
  const forget = () => {
    setAsking(false);
    call('model_calls_forget', {}).then(() => showToast({ text: words.didForget, replaces: 'calls' }), showError);
  };
  return (
    <>
      <Button size="s" testId={TESTIDS.callsForget} onClick={() => setAsking(true)}>
        {words.forget}
      </Button>
      <Dialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={words.forgetTitle}
        size="s"
        confirm={{ label: words.forget, run: forget, otherwise: words.keep, tone: 'danger', testId: TESTIDS.callsForgetConfirm }}
      >
        <p>{words.forgetText}</p>
      </Dialog>
    </>
  );
}
