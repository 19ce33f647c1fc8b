/** The sidebar: links to the panels, with counts. Below 1100 px it shows only icons and counts. */
import { CircleHelp, Command, Undo2 } from 'lucide-react';
import { memo } from 'react';
import { type AppStatus, type Counts, useRpc } from '../api';
import { Tooltip, cx } from '../design';
import { action, ariaKeys, hotkeys, showKey } from '../keys';
import { go, usePanel, usePendingDelta } from '../state';
import { number, t } from '../strings';
import { TESTIDS, navId } from '../testids';
import { type PanelSpec, RAIL } from './panels';
import css from './Rail.module.css';

const countsOf = (status: AppStatus): Counts => status.counts;

export function Rail() {
  const panel = usePanel();
  return (
    <nav className={css.rail} aria-label={t.app.navigation} data-testid={TESTIDS.rail}>
      <div className={css.brand}>
        <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
          <rect x="2" y="2" width="16" height="16" rx="5" className={css.mark} />
          <path d="M6 14V6M6 10.5l6-4.5M8.6 8.6L13 14" className={css.stroke} />
        </svg>
        <span className={css.name}>{t.app.name}</span>
      </div>
      <ul className={css.list}>
        {RAIL.map((spec) => (
          <RailItem key={spec.id} spec={spec} isCurrent={panel === spec.id} />
        ))}
      </ul>
      <div className={css.foot}>
        <FootButton label={t.palette.open} id="app.palette" icon={<Command size={16} aria-hidden="true" />} />
        <FootButton label={t.app.undo} id="app.undo" icon={<Undo2 size={16} aria-hidden="true" />} />
        <FootButton label={t.app.help} id="app.help" icon={<CircleHelp size={16} aria-hidden="true" />} />
      </div>
    </nav>
  );
}

const RailItem = memo(function RailItem({ spec, isCurrent }: { spec: PanelSpec; isCurrent: boolean }) {
  const name = t.panels[spec.id];
  return (
    <li>
      <Tooltip text={name} keys={action(spec.action).keys[0]?.split(' ').map((key) => showKey(key)).join(' ')} side="right">
        <button
          type="button"
          className={css.item}
          aria-current={isCurrent ? 'page' : undefined}
          data-testid={navId(spec.id)}
          onClick={() => go(spec.id)}
        >
          <spec.icon size={16} aria-hidden="true" />
          <span className={css.label}>{name}</span>
          {spec.count ? <RailCount spec={spec} count={spec.count} /> : null}
        </button>
      </Tooltip>
    </li>
  );
});

/** A separate component, because a decision changes only the number, not the button. */
function RailCount({ spec, count }: { spec: PanelSpec; count: (counts: Counts) => number }) {
  const { data: counts } = useRpc('app_status', {}, { select: countsOf });
  const delta = usePendingDelta();
  const all = Math.max(0, (counts ? count(counts) : 0) + (spec.id === 'review' ? delta : 0));
  if (all === 0) return null;
  const said = (t.panelCount as Partial<Record<string, (count: number) => string>>)[spec.id];
  // The accessible name is the visible text, followed by what the number counts.
  return (
    <>
      {' '}
      <span className={cx('num', css.count, spec.isCall && css.call)}>{all > 9999 ? '9,999+' : number(all)}</span>
      {said ? <> <span className="srOnly">{said(all)}</span></> : null}
    </>
  );
}

const FOOT_IDS: Readonly<Record<string, string>> = { 'app.help': 'btn-help', 'app.palette': TESTIDS.paletteOpen };

function FootButton({ label, id, icon }: { label: string; id: 'app.palette' | 'app.undo' | 'app.help'; icon: React.ReactNode }) {
  return (
    <Tooltip text={label} keys={showKey(action(id).keys[0] ?? '')} side="right">
      <button type="button" className={css.item} aria-keyshortcuts={ariaKeys(action(id).keys)} onClick={() => hotkeys.run(id)} data-testid={FOOT_IDS[id]}>
        {icon}
        <span className={css.label}>{label}</span>
        <span className={css.hint} aria-hidden="true">
          {showKey(action(id).keys[0] ?? '')}
        </span>
      </button>
    </Tooltip>
  );
}
