/** A slider for the day that the page shows, from the first statement to today. */
import { useId } from 'react';
import { Button, partialDate } from '../../design';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { dayAfter, daysBetween } from './days';
import css from './You.module.css';

interface DayBarProps {
  first: string;
  today: string;
  /** Null means today, whichever day that is. */
  day: string | null;
  onDay: (day: string | null) => void;
}

export function DayBar({ first, today, day, onDay }: DayBarProps) {
  const id = useId();
  const last = daysBetween(first, today);
  const date = partialDate(day ?? today);
  return (
    <div className={css.days}>
      <label htmlFor={id}>{t.you.day}</label>
      <input
        id={id}
        className={css.slider}
        type="range"
        min={0}
        max={last}
        step={1}
        value={day === null ? last : daysBetween(first, day)}
        aria-valuetext={date}
        data-testid={TESTIDS.youDay}
        onChange={(event) => {
          const days = Number(event.target.value);
          onDay(days >= last ? null : dayAfter(first, days));
        }}
      />
      <output htmlFor={id} className={css.date}>
        {date}
      </output>
      <Button size="s" action="you.today" disabled={day === null} testId={TESTIDS.youToday} onClick={() => onDay(null)}>
        {t.you.today}
      </Button>
    </div>
  );
}
