/** The results of an analysis, and of earlier analyses. */
import { ArrowRight, GitCompareArrows, Minus, TrendingDown, TrendingUp } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type AnalysisView, type ArcPointView, type ConversationRow, useRpc } from '../../api';
import { Button, CategoryBadge, Dialog, EmptyState, ErrorState, LoadingRows, RelativeTime, cx, fullTime } from '../../design';
import { go, reviewConversation } from '../../state';
import { nameOf, number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { proposerName } from '../shared/proposers';
import { compareAnalyses, isSame, moodLevel, proposedCount } from './analysis';
import css from './AnalysisDialog.module.css';

interface AnalysisDialogProps {
  row: ConversationRow;
  /** The analysis to show first; null means the newest. */
  analysis: string | null;
  onClose: () => void;
  onLine: (message: string) => void;
}

export function AnalysisDialog({ row, analysis, onClose, onLine }: AnalysisDialogProps) {
  const { data, error, refetch } = useRpc('analyses_list', { id: row.id });
  const [chosen, setChosen] = useState(analysis);
  const [comparing, setComparing] = useState(false);
  const items = data?.items ?? [];
  const at = Math.max(0, items.findIndex((each) => each.id === chosen));
  const shown = items[at];
  const before = items[at + 1];
  let body: ReactNode;
  if (error) body = <ErrorState title={t.conversations.resultsFailed} text={t.app.safeInDatabase} detail={error.message} onRetry={() => void refetch()} />;
  else if (!data) body = <LoadingRows rows={5} height={64} />;
  else if (!shown) body = <EmptyState title={t.conversations.resultsGone} />;
  else {
    body = (
      <div className={css.layout}>
        <div className={css.main}>
          {comparing && before ? <Difference before={before} after={shown} /> : null}
          <Outcome analysis={shown} row={row} onLine={onLine} onClose={onClose} />
        </div>
        <aside className={css.side}>
          <h3 className={css.label}>{t.conversations.history}</h3>
          <ol className={css.history}>
            {items.map((each, index) => (
              <li key={each.id}>
                <button type="button" className={css.run} aria-current={index === at || undefined} onClick={() => setChosen(each.id)}>
                  <span>
                    <RelativeTime time={each.created_at} />
                    {index === 0 && items.length > 1 ? <span className={css.muted}> · {t.conversations.latest}</span> : null}
                  </span>
                  <span className={css.muted}>{t.conversations.candidatesNew(proposedCount(each))}</span>
                </button>
              </li>
            ))}
          </ol>
          {before ? (
            <Button size="s" icon={<GitCompareArrows size={14} aria-hidden="true" />} aria-pressed={comparing} onClick={() => setComparing(!comparing)}>
              {t.conversations.compare}
            </Button>
          ) : null}
          {shown ? (
            <p className={cx(css.muted, css.made)}>
              {fullTime(shown.created_at)}
              <br />
              {t.conversations.resultsOf(shown.messages)}
              <br />
              {proposerName(shown.proposer)}
            </p>
          ) : null}
        </aside>
      </div>
    );
  }
  return (
    <Dialog open onClose={onClose} title={`${t.conversations.resultsTitle}: ${row.title}`} size="l" testId={TESTIDS.analysisDialog}>
      {body}
    </Dialog>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={css.section}>
      <h3 className={css.label}>{title}</h3>
      {children}
    </section>
  );
}

function Chips({ words, isNew }: { words: readonly string[]; isNew: (word: string) => boolean }) {
  if (words.length === 0) return <p className={css.muted}>{t.conversations.none}</p>;
  return (
    <ul className={css.chips}>
      {words.map((word) => (
        <li key={word} className={css.chip}>
          {word}
          {isNew(word) ? <span className={css.new}>{t.conversations.isNew}</span> : null}
        </li>
      ))}
    </ul>
  );
}

function Outcome({ analysis, row, onLine, onClose }: { analysis: AnalysisView; row: ConversationRow; onLine: (message: string) => void; onClose: () => void }) {
  const proposed = proposedCount(analysis);
  const stopped = analysis.stopped.reduce((sum, each) => sum + each.count, 0);
  const isNew = (word: string) => analysis.new_since_last.includes(word);
  return (
    <>
      <Section title={t.conversations.summary}>
        {analysis.summary.length === 0 ? <p className={css.muted}>{t.conversations.noSummary}</p> : null}
        <ul className={css.summary}>
          {analysis.summary.map((sentence) => (
            <li key={`${sentence.interaction_id} ${sentence.start}`}>
              <button type="button" className={css.sentence} title={t.conversations.goToLine} onClick={() => onLine(sentence.interaction_id)}>
                <span className={css.author}>{sentence.author}</span>
                <span className={css.said}>{sentence.text}</span>
                <ArrowRight size={14} className={css.go} aria-hidden="true" />
              </button>
            </li>
          ))}
        </ul>
      </Section>
      <Section title={t.conversations.candidates}>
        {proposed === 0 ? (
          <p className={css.muted}>{t.conversations.candidatesNone}</p>
        ) : (
          <div className={css.candidates}>
            <ul className={css.chips}>
              {analysis.proposed.map((each) => (
                <li key={each.name} className={css.count}>
                  <span className="num">{number(each.count)}</span>
                  <CategoryBadge category={each.name} />
                </li>
              ))}
            </ul>
            <Button
              tone="primary"
              size="s"
              testId={TESTIDS.analysisReview}
              onClick={() => {
                onClose();
                reviewConversation(row.id);
              }}
            >
              {t.conversations.reviewThem(proposed)}
            </Button>
          </div>
        )}
        {analysis.repeated > 0 ? <p className={css.muted}>{t.conversations.repeated(analysis.repeated)}</p> : null}
        {stopped > 0 ? (
          <div className={css.stopped}>
            <span className={css.muted}>{t.conversations.stopped(stopped)}:</span>
            {analysis.stopped.map((each) => (
              <span key={each.name} className={css.gate}>
                {each.label ?? nameOf(t.activity.gateName, each.name)} <span className="num">{number(each.count)}</span>
              </span>
            ))}
            <button
              type="button"
              className={css.link}
              onClick={() => {
                onClose();
                go('activity', { onlyConversation: row.id, gate: '' });
              }}
            >
              {t.conversations.stoppedShow}
            </button>
          </div>
        ) : null}
      </Section>
      {analysis.arc.length > 0 || analysis.tone !== '' ? (
        <Section title={t.conversations.arc}>
          {analysis.arc.length > 0 ? <Arc points={analysis.arc} onLine={onLine} /> : null}
          {analysis.tone === '' ? null : (
            <p>
              <span className={css.muted}>{t.conversations.tone}: </span>
              {analysis.tone}
            </p>
          )}
        </Section>
      ) : null}
      {analysis.new_since_last.length > 0 ? <p className={css.newSince}>{t.conversations.newSince(analysis.new_since_last)}</p> : null}
      <div className={css.columns}>
        <Section title={t.conversations.themes}>
          <Chips words={analysis.themes} isNew={isNew} />
        </Section>
        <Section title={t.conversations.topics}>
          <Chips words={analysis.key_topics} isNew={isNew} />
        </Section>
        <Section title={t.conversations.people}>
          <Chips words={analysis.participants} isNew={() => false} />
        </Section>
      </div>
    </>
  );
}

const LEVEL_ICON = { 1: TrendingUp, 0: Minus, '-1': TrendingDown } as const;
const STRIP_HEIGHT = 40;
const levelY = (mood: string) => STRIP_HEIGHT / 2 - moodLevel(mood) * 13;

/** The emotional arc: start, middle and end as words, and a line that rises and falls with them. */
function Arc({ points, onLine }: { points: readonly ArcPointView[]; onLine: (message: string) => void }) {
  const step = 100 / points.length;
  const line = points.map((point, index) => `${step * (index + 0.5)},${levelY(point.mood)}`).join(' ');
  return (
    <div className={css.arc}>
      {/* The dots are outside the drawing, because the drawing is stretched and would distort them. */}
      {points.map((point, index) => (
        <span key={point.stage} className={css.dot} style={{ left: `${step * (index + 0.5)}%`, top: levelY(point.mood) }} aria-hidden="true" />
      ))}
      <svg className={css.strip} viewBox={`0 0 100 ${STRIP_HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <line x1="0" x2="100" y1={STRIP_HEIGHT / 2} y2={STRIP_HEIGHT / 2} className={css.axis} vectorEffect="non-scaling-stroke" />
        <polyline points={line} className={css.curve} vectorEffect="non-scaling-stroke" />
      </svg>
      <ol className={css.stages}>
        {points.map((point) => {
          const Icon = LEVEL_ICON[moodLevel(point.mood)];
          const inside = (
            <>
              <span className={css.muted}>{nameOf(t.conversations.arcStage, point.stage)}</span>
              <span className={css.mood}>
                <Icon size={14} aria-hidden="true" />
                {nameOf({}, point.mood)}
              </span>
            </>
          );
          const { interaction_id: message } = point;
          return (
            <li key={point.stage}>
              {message ? (
                <button type="button" className={css.stage} title={t.conversations.goToLine} onClick={() => onLine(message)}>
                  {inside}
                </button>
              ) : (
                <span className={css.stage}>{inside}</span>
              )}
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function Difference({ before, after }: { before: AnalysisView; after: AnalysisView }) {
  const difference = compareAnalyses(before, after);
  const words = t.conversations;
  return (
    <section className={css.difference}>
      <h3 className={css.label}>{words.compareTitle(fullTime(before.created_at))}</h3>
      {isSame(difference) ? <p>{words.compareSame}</p> : null}
      <dl className={css.changes}>
        {difference.addedThemes.length > 0 ? <Change name={words.compareAdded} value={difference.addedThemes.join(', ')} /> : null}
        {difference.goneThemes.length > 0 ? <Change name={words.compareGone} value={difference.goneThemes.join(', ')} /> : null}
        {difference.tone ? <Change name={words.compareTone} value={difference.tone.map((tone) => tone || words.none).join(' → ')} /> : null}
        {difference.arc.map((each) => (
          <Change key={each.stage} name={nameOf(words.arcStage, each.stage)} value={`${each.before ?? words.none} → ${each.after ?? words.none}`} />
        ))}
        {difference.messages ? <Change name={words.messages} value={words.compareMessages(...difference.messages)} /> : null}
        {difference.proposed ? <Change name={words.candidates} value={words.compareProposed(...difference.proposed)} /> : null}
      </dl>
    </section>
  );
}

function Change({ name, value }: { name: string; value: string }) {
  return (
    <div className={css.change}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
