/**
 * One room, folder or chat: what is known of it, and the choice.
 *
 * The list has the focus, so the row's own controls are for the pointer and for assistive technology, and are not tab stops.
 */
import { Globe, LockKeyhole } from 'lucide-react';
import { memo } from 'react';
import type { LiveChannelView } from '../../../api';
import { shortDate } from '../../../design';
import { toggleSelected } from '../../../state';
import { nameOf, t } from '../../../strings';
import { CHOICES, type Choice, channelList as list } from './channelChoices';
import css from './Channels.module.css';

interface RowProps {
  readonly row: LiveChannelView;
  readonly isSelected: boolean;
  readonly onChoose: (channels: readonly string[], choice: Choice) => void;
}

export const ChannelRow = memo(function ChannelRow({ row, isSelected, onChoose }: RowProps) {
  const words = t.liveSources.channels;
  return (
    <div className={css.row} data-choice={row.choice}>
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={words.select(row.title)}
        checked={isSelected}
        onChange={() => list.update((state) => toggleSelected(state, row.channel))}
        // The row itself would move the cursor and act on the modifier keys.
        onClick={(event) => event.stopPropagation()}
      />
      <div className={css.words}>
        <p className={css.line}>
          <span className={css.title}>{row.title}</span>
          {row.is_encrypted ? (
            <span className={css.mark} title={words.encrypted}>
              <LockKeyhole size={13} aria-hidden="true" />
              <span className="srOnly">{words.encrypted}</span>
            </span>
          ) : null}
          {row.is_public ? (
            <span className={css.public}>
              <Globe size={13} aria-hidden="true" />
              {words.public}
            </span>
          ) : null}
        </p>
        <p className={css.meta}>
          {row.member_count === null ? null : <span>{words.members(row.member_count)}</span>}
          {row.messages > 0 ? <span>{words.stored(row.messages)}</span> : null}
          {row.unreadable > 0 ? <span>{words.unreadable(row.unreadable)}</span> : null}
          {row.choice === 'remember' && row.since !== null ? <span>{words.from(shortDate(row.since, Date.now()))}</span> : null}
        </p>
      </div>
      <div className={css.choices} role="group" aria-label={words.choiceOf(row.title)}>
        {CHOICES.map((choice) => (
          <button
            key={choice}
            type="button"
            tabIndex={-1}
            className={css.choice}
            data-choice={choice}
            aria-pressed={row.choice === choice}
            onClick={(event) => {
              event.stopPropagation();
              onChoose([row.channel], choice);
            }}
          >
            {nameOf(words.choices, choice)}
          </button>
        ))}
      </div>
    </div>
  );
});
