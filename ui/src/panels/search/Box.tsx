/**
 * The search box: words, and operators whose values are completed.
 *
 * It is a combobox: suggestions appear only while the value of an operator is being typed. Enter and the down arrow move to the
 * results, as in all search fields of the window. Escape first closes the suggestions, then clears the box, then leaves it.
 */
import { Search, X } from 'lucide-react';
import { useId, useMemo, useRef, useState } from 'react';
import { type ChannelsResponse, type PeopleResponse, useRpc } from '../../api';
import { IconButton, cx } from '../../design';
import { useNow } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Search.module.css';
import { KINDS, type Operator, completed, operationAt } from './operators';

interface Suggestion {
  readonly value: string;
  readonly label: string;
  readonly hint: string | null;
}

/** Maximum number of suggestions, as many as can be read at a glance. Typing more letters narrows them. */
const SUGGESTIONS_MAX = 8;

/** Suggests people by name, because `person:` matches everyone with that name. */
function namesOf(response: PeopleResponse): Suggestion[] {
  const channels = new Map<string, Set<string>>();
  for (const person of response.items) {
    const name = person.name.trim();
    if (name === '' || person.is_owner) continue;
    const known = channels.get(name) ?? new Set();
    for (const handle of person.handles) known.add(nameOf(t.channel, handle.channel));
    channels.set(name, known);
  }
  return [{ value: 'me', label: nameOf(t.role, 'owner'), hint: null }, ...[...channels].map(([name, known]) => ({ value: name, label: name, hint: [...known].join(', ') }))];
}

function channelsOf(response: ChannelsResponse): Suggestion[] {
  const types = [...new Set(response.items.map((channel) => channel.channel_type))];
  return [
    ...types.map((type) => ({ value: type, label: nameOf(t.channel, type), hint: null })),
    ...response.items.filter((channel) => channel.title.trim() !== '').map((channel) => ({ value: channel.title, label: channel.title, hint: nameOf(t.channel, channel.channel_type) })),
  ];
}

const kinds = (): Suggestion[] => KINDS.map((kind) => ({ value: kind, label: nameOf(t.search.kind, kind), hint: null }));

function dates(now: number): Suggestion[] {
  const day = new Date(now);
  const year = day.getFullYear();
  return [
    { value: 'today', label: t.search.dates.today, hint: null },
    { value: 'yesterday', label: t.search.dates.yesterday, hint: null },
    { value: `${year}-${String(day.getMonth() + 1).padStart(2, '0')}`, label: t.search.dates.month, hint: null },
    { value: String(year), label: t.search.dates.year, hint: null },
    { value: String(year - 1), label: t.search.dates.lastYear, hint: null },
  ];
}

const NONE: readonly Suggestion[] = [];

/** Suggestions for the value of an operator. People and channels are requested only when needed. */
function useSuggestions(operator: Operator | null, value: string): readonly Suggestion[] {
  const { data: people = NONE } = useRpc('people_list', {}, { enabled: operator === 'person', select: namesOf });
  const { data: channels = NONE } = useRpc('channels_list', {}, { enabled: operator === 'channel', select: channelsOf });
  const now = useNow();
  return useMemo(() => {
    const all = operator === 'person' ? people : operator === 'channel' ? channels : operator === 'type' ? kinds() : operator === null ? NONE : dates(now);
    const sought = value.toLowerCase();
    const fits = (each: Suggestion) => each.label.toLowerCase().includes(sought) || each.value.toLowerCase().includes(sought);
    const found = all.filter(fits).slice(0, SUGGESTIONS_MAX);
    return found.some((each) => each.value.toLowerCase() === sought) ? NONE : found;
  }, [operator, value, people, channels, now]);
}

interface BoxProps {
  value: string;
  onChange: (next: string) => void;
  onLeave: () => void;
}

export function Box({ value, onChange, onLeave }: BoxProps) {
  const input = useRef<HTMLInputElement>(null);
  const base = useId();
  const [caret, setCaret] = useState(0);
  const [hasFocus, setFocus] = useState(false);
  const [closed, setClosed] = useState<string | null>(null);
  const [chosen, setChosen] = useState({ of: '', at: -1 });
  const operation = operationAt(value, caret);
  const suggestions = useSuggestions(operation?.operator ?? null, operation?.value ?? '');
  const isOpen = hasFocus && operation !== null && suggestions.length > 0 && closed !== value;
  const at = chosen.of === value ? Math.min(chosen.at, suggestions.length - 1) : -1;

  const take = (suggestion: Suggestion | undefined) => {
    if (!suggestion || !operation) return;
    const next = completed(value, operation, suggestion.value);
    onChange(next.text);
    setCaret(next.caret);
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(next.caret, next.caret);
    });
  };
  const press = (event: React.KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (isOpen && step) {
      event.preventDefault();
      const count = suggestions.length;
      setChosen({ of: value, at: at < 0 ? (step > 0 ? 0 : count - 1) : (at + step + count) % count });
    } else if (isOpen && at >= 0 && (event.key === 'Enter' || event.key === 'Tab')) {
      event.preventDefault();
      take(suggestions[at]);
    } else if (event.key === 'Enter' || event.key === 'ArrowDown') {
      event.preventDefault();
      event.currentTarget.blur();
      onLeave();
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      if (isOpen) setClosed(value);
      else if (value !== '') onChange('');
      else {
        event.currentTarget.blur();
        onLeave();
      }
    }
  };
  return (
    <div className={css.boxFrame}>
      <div className={css.box}>
        <Search size={16} aria-hidden="true" />
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-expanded={isOpen}
          aria-controls={`${base}-list`}
          aria-autocomplete="list"
          aria-activedescendant={isOpen && at >= 0 ? `${base}-${at}` : undefined}
          aria-label={t.search.box}
          placeholder={t.search.box}
          className={css.input}
          value={value}
          spellCheck={false}
          autoComplete="off"
          data-search-box=""
          data-testid={TESTIDS.searchBox}
          onChange={(event) => {
            onChange(event.target.value);
            setCaret(event.target.selectionStart ?? event.target.value.length);
          }}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? 0)}
          onFocus={() => setFocus(true)}
          onBlur={() => setFocus(false)}
          onKeyDown={press}
        />
        {value === '' ? null : (
          <IconButton
            label={t.app.clear}
            size="s"
            onClick={() => {
              onChange('');
              input.current?.focus();
            }}
          >
            <X size={14} />
          </IconButton>
        )}
      </div>
      <div id={`${base}-list`} className={css.suggestions} role="listbox" aria-label={t.search.suggestions} hidden={!isOpen} data-testid={TESTIDS.searchSuggestions}>
        {isOpen
          ? suggestions.map((suggestion, index) => (
              // The box has the focus and handles the keys.
              // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
              <div
                key={`${suggestion.value} ${suggestion.hint ?? ''}`}
                id={`${base}-${index}`}
                role="option"
                aria-selected={index === at}
                className={cx(css.suggestion, index === at && css.on)}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => take(suggestion)}
              >
                <span className={css.suggestionText}>{suggestion.label}</span>
                <span className={css.suggestionHint}>{suggestion.hint ?? (suggestion.label.toLowerCase() === suggestion.value.toLowerCase() ? '' : suggestion.value)}</span>
              </div>
            ))
          : null}
      </div>
    </div>
  );
}
