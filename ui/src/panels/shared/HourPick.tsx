import type { ComponentProps } from 'react';
import { fullHour } from '../../strings';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** A choice of one of the hours of the day. */
export function HourPick({ value, onHour, testId, ...rest }: Omit<ComponentProps<'select'>, 'value' | 'onChange'> & { value: number; onHour: (hour: number) => void; testId: string }) {
  return (
    <select {...rest} value={value} data-testid={testId} onChange={(event) => onHour(Number(event.target.value))}>
      {HOURS.map((hour) => (
        <option key={hour} value={hour}>
          {fullHour(hour)}
        </option>
      ))}
    </select>
  );
}
