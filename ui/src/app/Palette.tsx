/**
 * The palette (Ctrl K): finds pages, commands, people, topics and memories by a few letters.
 *
 * It is a combobox over a list: the focus stays in the field, arrows move, Enter chooses, Escape returns the focus. Pages and
 * commands are matched here immediately. Search results are listed below them, so that the first entry does not change just
 * before the person selects it.
 */
import { Dialog } from '@base-ui/react/dialog';
import { Search } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { SearchHit } from '../api';
import { Kbd, Marked, cx } from '../design';
import popup from '../design/Popup.module.css';
import { useSearching } from '../panels/shared/searching';
import { nameOf, t } from '../strings';
import { TESTIDS } from '../testids';
import css from './Palette.module.css';
import { type Item, hitItem, matching, noteRecent, searchItem, useActionItems, useRecentItems } from './paletteItems';

/** Maximum number of people, topics and memories together. The search page shows all. */
const HITS_MAX = 12;

/** Makes an unfinished word match all words that start with it. */
const begun = (query: string): string => (/[\p{L}\p{N}]{2}$/u.test(query) ? `${query}*` : query);

const firstLineOf = (hit: SearchHit): string => hit.text.split('\n')[0] ?? '';

const hintOf = (hit: SearchHit): string => (hit.kind === 'person' ? [...new Set(hit.handles.map((handle) => nameOf(t.channel, handle.split(':')[0] ?? '')))].join(', ') : '');

function itemOf(hit: SearchHit): Item {
  const label = firstLineOf(hit);
  const end = Array.from(label).length;
  return hitItem({ ...hit, highlights: hit.highlights.filter((range) => range.end <= end) }, label, hintOf(hit));
}

export function Palette({ open, onClose }: { open: boolean; onClose: () => void }) {
  const chosen = useRef<Item | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const choose = (item: Item) => {
    chosen.current = item;
    onClose();
  };
  const done = (isOpen: boolean) => {
    const item = chosen.current;
    if (isOpen || !item) return;
    chosen.current = null;
    noteRecent(item.key);
    item.run();
  };
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()} onOpenChangeComplete={done}>
      <Dialog.Portal>
        <Dialog.Backdrop className={popup.scrim} />
        <Dialog.Viewport className={css.viewport}>
          <Dialog.Popup className={css.palette} data-testid={TESTIDS.palette} initialFocus={field} finalFocus={() => chosen.current?.isMove !== true}>
            <Dialog.Title className="srOnly">{t.palette.title}</Dialog.Title>
            <Inside field={field} onChoose={choose} onClose={onClose} />
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface InsideProps {
  field: React.RefObject<HTMLInputElement | null>;
  onChoose: (item: Item) => void;
  onClose: () => void;
}

function Inside({ field, onChoose, onClose }: InsideProps) {
  const base = useId();
  const [text, setText] = useState('');
  const query = text.trim();
  const actions = useActionItems();
  const recent = useRecentItems(actions);
  const { answer, isWaiting, error } = useSearching(begun(query), { scope: 'people,topics,memories', limit: HITS_MAX, around: 0 });
  const hits = (answer?.hits ?? []).map(itemOf);
  const recentKeys = recent.map((item) => item.key);
  const items = query === '' ? [...recent, ...actions.filter((item) => !recentKeys.includes(item.key))] : [...matching(actions, query, recentKeys), ...hits, searchItem(query)];
  const groups = [...new Set(items.map((item) => item.group))].map((group) => ({ group, items: items.filter((item) => item.group === group) }));
  // In display order.
  const order = groups.flatMap((each) => each.items);

  // The selected entry: the first one until the person moves, then the one moved to, as long as it exists.
  const [moved, setMoved] = useState<{ of: string; key: string } | null>(null);
  const found = moved?.of === text ? order.findIndex((item) => item.key === moved.key) : -1;
  const at = Math.max(0, found);
  const active = order[at];
  const list = useRef<HTMLDivElement>(null);
  const activeKey = active?.key;
  useEffect(() => {
    const row = [...(list.current?.querySelectorAll<HTMLElement>('[role=option]') ?? [])].find((each) => each.dataset['item'] === activeKey);
    row?.scrollIntoView?.({ block: 'nearest' });
  }, [activeKey]);

  const press = (event: React.KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const next = order[(at + step + order.length) % order.length];
      if (next) setMoved({ of: text, key: next.key });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (active) onChoose(active);
    } else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      onClose();
    }
  };
  const idOf = (item: Item) => `${base}-${item.group}-${item.key}`.replaceAll(' ', '_');
  return (
    <>
      <div className={css.field}>
        <Search size={16} aria-hidden="true" />
        <input
          ref={field}
          type="text"
          role="combobox"
          className={css.input}
          aria-expanded="true"
          aria-controls={`${base}-list`}
          aria-autocomplete="list"
          aria-activedescendant={active ? idOf(active) : undefined}
          aria-label={t.palette.title}
          placeholder={t.palette.box}
          value={text}
          spellCheck={false}
          autoComplete="off"
          data-testid={TESTIDS.paletteBox}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={press}
        />
      </div>
      <div ref={list} id={`${base}-list`} className={css.list} role="listbox" aria-label={t.palette.list} data-testid={TESTIDS.paletteList} data-waiting={isWaiting || undefined}>
        {groups.map(({ group, items: own }) => (
          <div key={group} role="group" aria-label={nameOf(t.palette.groups, group)}>
            <div className={css.group} aria-hidden="true">
              {nameOf(t.palette.groups, group)}
            </div>
            {own.map((item) => (
              // The field has the focus and handles the keys.
              // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
              <div
                key={item.key}
                id={idOf(item)}
                role="option"
                aria-selected={item === active}
                className={cx(css.item, item === active && css.active)}
                data-testid={TESTIDS.paletteRow}
                data-item={item.key}
                onMouseMove={() => item !== active && setMoved({ of: text, key: item.key })}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => onChoose(item)}
              >
                <span className={css.icon}>
                  <item.icon size={16} aria-hidden="true" />
                </span>
                <span className={css.label}>{item.ranges ? <Marked text={item.label} ranges={item.ranges} /> : item.label}</span>
                {item.hint ? <span className={css.hint}>{item.hint}</span> : null}
                {item.action ? <Kbd action={item.action} /> : null}
              </div>
            ))}
          </div>
        ))}
      </div>
      {error ? (
        <p className={css.note} role="alert">
          {t.palette.failed}
        </p>
      ) : null}
      <p className="srOnly" role="status">
        {isWaiting ? t.search.searching : query !== '' && order.length === 1 ? t.palette.none : t.palette.count(order.length)}
      </p>
    </>
  );
}
